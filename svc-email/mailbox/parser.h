/*
 * svc-email/mailbox/parser.h - shared by the parts of the address parser: its position, its
 * diagnosis, and blanks and comments, which may be between any two words. Only for
 * svc-email/mailbox.
 */
#pragma once

#include "mailbox/mailbox.h"

enum { MAILBOX_TEXT_BYTES = 4 * MAILBOX_MAX_CHARACTERS };

struct parser {
    struct text text; /* of the address only */
    size_t at;
    size_t worst_at; /* position of the diagnosis */
    bool has_control;
    bool has_quotes;
    size_t domain_at;
    bool is_plain_domain; /* the text has the domain unchanged */
    struct mailbox *mailbox;
};

/* Note a problem. The worst one becomes the diagnosis. */
void parser_note(struct parser *parser, enum mailbox_diagnosis diagnosis, size_t at);

/* Note a problem that stops the parser. Returns false. */
bool parser_reject(struct parser *parser, enum mailbox_diagnosis diagnosis, size_t at);

bool parser_is_at_end(const struct parser *parser);

/* The current byte; NUL at the end. */
char parser_peek(const struct parser *parser);

/* Skip the current byte if it is this one. */
bool parser_take(struct parser *parser, char byte);

/* ---- characters (RFC 5322 section 3.2.3, and all beyond ASCII) ---- */

bool parser_is_atext(char c);
bool parser_is_visible(char c);

/* obs-NO-WS-CTL: controls without NUL, tab, line feed and carriage return. */
bool parser_is_obs_control(char c);

/* ---- blanks and comments: blanks.c; false if a problem there stops the parser ---- */

bool parser_read_line_end(struct parser *parser, int *line_ends);
bool parser_read_blanks(struct parser *parser);

/* Read the character after a backslash. otherwise is the diagnosis for an invalid one. */
bool parser_read_escaped(struct parser *parser, enum mailbox_diagnosis otherwise);

/* Skip optional CFWS. *had becomes true if there was some. */
bool parser_skip_cfws(struct parser *parser, bool *had);

/* ---- the domain: domain.c ---- */

/* Read all that follows the @ into mailbox->domain. Returns false if it is invalid. */
bool mailbox_read_domain(struct parser *parser);
