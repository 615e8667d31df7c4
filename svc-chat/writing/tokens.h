/*
 * svc-chat/writing/tokens.h - what a chat client reads as a unit inside a text: mentions, custom
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
    TOKEN_LINK,       /* http:// or https:// up to a blank, without punctuation behind it */
    TOKEN_KINDS,
};

/* Where in the runes that were searched. name and id are empty where the kind has none. */
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

/* All tokens, in order; they do not overlap. Linear. The caller releases the list. */
struct tokens tokens_of(const struct runes *runes);
void tokens_free(struct tokens *tokens);

/* The next @everyone or @here from *at on inside a link, which pings from there too: false when
 * there is none, else *at is moved behind it. */
bool token_in_link(const struct runes *runes, const struct token *link, size_t *at,
                   struct token *found);

/* "user", "channel" …: as results name the kinds. */
const char *token_kind_name(enum token_kind kind);

enum { TOKEN_ID_BYTES = 24 };

/* The id of a token as text, empty when it has none. */
void token_id(const struct runes *runes, const struct token *token, char id[static TOKEN_ID_BYTES]);

/* Is it one of the kinds that mention somebody or something? */
bool token_is_mention(enum token_kind kind);

/* Code between one to n backticks at `from`: returns its length with the backticks, 0 when a run of
 * as many backticks does not follow; *marks is how many there are on each side. */
size_t code_length(const struct rune *from, size_t count, size_t *marks);
