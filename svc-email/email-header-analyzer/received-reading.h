/*
 * svc-email/email-header-analyzer/received-reading.h - shared by the parts of the reader of
 * Received fields: a field as tokens and clauses, and its hop. Only for received*.c.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "email-header-analyzer/received.h"

enum {
    TOKENS_MAX = 400, /* limit of tokens of a field; further ones are ignored */
    NAME_MAX_BYTES = 1000,
};

enum token_kind { TOKEN_ATOM, TOKEN_QUOTED, TOKEN_ANGLE, TOKEN_BRACKET, TOKEN_COMMENT };

struct token {
    enum token_kind kind;
    struct text text; /* without its delimiters */
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

/* Tokens of a clause, without its keyword, up to count. */
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
    bool has_connection; /* a comment has the client's address */
    bool has_helo;       /* a comment has the HELO name, so the first word is the reverse name */
};

/* ---- words: received-words.c ---- */

void received_tokenize(struct text text, struct reading *reading);

bool received_is_blank(char byte);

/* Bytes of the enclosed text at the beginning, including both delimiters; 0: not closed. */
size_t received_enclosed_bytes(struct text text, char open, char close);

/* A copy in the arena, at most NAME_MAX_BYTES; NULL for an empty text. */
const char *received_keep(struct reading *reading, struct text text);

/* Without brackets around it, and dots and commas after it. */
struct text received_bare(struct text word);

/* Take the next word, up to a blank, off *rest. */
bool received_take_word(struct text *rest, struct text *word);

/* ---- connections: received-comment.c ---- */

/* Read an address with optional brackets, tag or port. Returns false if it is invalid. */
bool received_address(struct text text, struct in6_addr *address);
bool received_is_address(struct text text);
const char *received_keep_address(struct reading *reading, const struct in6_addr *address);

/* Set the address, the reverse name of the client, or the cipher, unless it is already set. */
void received_set_ip(struct reading *reading, struct text text);
void received_set_reverse(struct reading *reading, struct text word);
void received_set_cipher(struct reading *reading, struct text word);

bool received_is_cipher(struct text word);

/* Read any comment. */
void received_comment(struct reading *reading, struct text comment);

/* Whether the comment is not about the connection. */
bool received_is_other(struct text comment);

/* Read a comment of the from clause. If is_other, take only the HELO name. */
void received_connection(struct reading *reading, struct text comment, bool is_other);
