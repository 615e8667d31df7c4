/*
 * svc-chat/writing/tokens.h - parts of a text that a chat client reads as a unit: mentions, custom
 * emoji, timestamps, links, code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/writing/runes.h"

enum token_kind {
    TOKEN_EVERYONE,   /* @everyone, in any case */
    TOKEN_HERE,       /* @here */
    TOKEN_USER,       /* <@id> <@!id> */
    TOKEN_ROLE,       /* <@&id> */
    TOKEN_CHANNEL,    /* <#id> */
    TOKEN_COMMAND,    /* </name sub:id> */
    TOKEN_NAVIGATION, /* <id:browse> <id:linked-roles:id> */
    TOKEN_EMOJI,      /* <:name:id> <a:name:id> */
    TOKEN_TIMESTAMP,  /* <t:seconds:style> */
    TOKEN_LINK,       /* http:// or https:// up to a blank, without final punctuation */
    TOKEN_KINDS,
};

/* A position in the searched runes. name and id are empty if the kind has none. */
struct token {
    enum token_kind kind;
    size_t start, end;
    size_t name_start, name_end;
    size_t id_start, id_end;
};

/* Zero is an empty list. */
struct tokens {
    struct token *at;
    size_t count;
    size_t capacity;
};

/* All tokens in order; they do not overlap. Takes linear time. The caller releases the list. */
struct tokens tokens_of(const struct runes *runes);
void tokens_free(struct tokens *tokens);

/*
 * The next @everyone or @here from *at inside a link, where it also pings. Moves *at past it; false
 * if not found.
 */
bool token_in_link(const struct runes *runes, const struct token *link, size_t *at,
                   struct token *found);

/* "user", "channel" …: the kind names in results. */
const char *token_kind_name(enum token_kind kind);

enum { TOKEN_ID_BYTES = 24 };

/* The id of a token as text; empty if it has none. */
void token_id(const struct runes *runes, const struct token *token, char id[static TOKEN_ID_BYTES]);

/* Does this kind mention a person, role, channel or command? */
bool token_is_mention(enum token_kind kind);

/*
 * Code between runs of one to n backticks at `from`. Returns its length with the backticks, 0 if no
 * equal run follows; *marks is the length of a run.
 */
size_t code_length(const struct rune *from, size_t count, size_t *marks);
