/*
 * svc-email/email-header-analyzer/received-reading.h - what the parts of the reader of Received
 * fields share: a field in tokens and clauses, and the hop that is made of it. Only for
 * received*.c.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "email-header-analyzer/received.h"

enum {
    TOKENS_MAX = 400, /* of one field; the rest of a longer one is not looked at */
    NAME_MAX_BYTES = 1000,
};

enum token_kind { TOKEN_ATOM, TOKEN_QUOTED, TOKEN_ANGLE, TOKEN_BRACKET, TOKEN_COMMENT };

struct token {
    enum token_kind kind;
    struct text text; /* without what encloses it */
};

enum clause_kind {
    CLAUSE_FROM,
    CLAUSE_BY,
    CLAUSE_VIA,
    CLAUSE_WITH,
    CLAUSE_ID,
    CLAUSE_FOR,
    CLAUSE_ENVELOPE,
    CLAUSE_HELO,
    CLAUSE_USER,
    CLAUSES
};

/* Tokens of a clause, without its word; from count on the next one follows. */
struct clause {
    size_t first;
    size_t count;
    bool is_open;
};

struct reading {
    struct token token[TOKENS_MAX];
    size_t count;
    struct clause clause[CLAUSES];
    struct arena *arena;
    struct hop *hop;
    bool has_helo; /* a comment said it, so the first word is the reverse name */
};

/* ---- words: received-words.c ---- */

void received_tokenize(struct text text, struct reading *reading);

bool received_is_blank(char byte);

/* Bytes of what is enclosed at the beginning, with both ends; 0 when it has no end. */
size_t received_enclosed_bytes(struct text text, char open, char close);

/* A copy in the arena, at most NAME_MAX_BYTES; NULL of nothing. */
const char *received_keep(struct reading *reading, struct text text);

/* Without brackets around it, dots and commas behind it. */
struct text received_bare(struct text word);

/* The next word off *rest, up to a blank. */
bool received_take_word(struct text *rest, struct text *word);

/* ---- what is said of a connection: received-comment.c ---- */

/* An address with all that may stand around it; false when it is none. */
bool received_address(struct text text, struct in6_addr *address);
bool received_is_address(struct text text);
const char *received_keep_address(struct reading *reading, const struct in6_addr *address);

/* Note it unless another one was noted before: the address, if it is one, and the reverse name of
 * who connected, and the cipher. */
void received_set_ip(struct reading *reading, struct text text);
void received_set_reverse(struct reading *reading, struct text word);
void received_set_cipher(struct reading *reading, struct text word);

bool received_is_cipher(struct text word);

/* Any comment, wherever it stands. */
void received_comment(struct reading *reading, struct text comment);

/* Is the comment about something else than the connection? */
bool received_is_other(struct text comment);

/* What stands in a comment of the from clause; of one that is about something else only the name
 * that the giver calls itself. */
void received_connection(struct reading *reading, struct text comment, bool is_other);
