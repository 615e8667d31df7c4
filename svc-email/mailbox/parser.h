/*
 * svc-email/mailbox/parser.h - what the parts of the address parser share: where it is, what it has
 * noted, and the blanks and comments that may stand between any two words. Only for
 * svc-email/mailbox.
 */
#pragma once

#include "mailbox/mailbox.h"

enum { MAILBOX_TEXT_BYTES = 4 * MAILBOX_MAX_CHARACTERS };

struct parser {
    struct text text; /* of the address alone */
    size_t at;
    size_t worst_at; /* of the diagnosis */
    bool has_control;
    bool has_quotes;
    size_t domain_at;
    bool is_plain_domain; /* the domain stands in the text as it is in the address */
    struct mailbox *mailbox;
};

/* Note something; what is worse than all before it is the diagnosis. */
void parser_note(struct parser *parser, enum mailbox_diagnosis diagnosis, size_t at);

/* Note what ends the reading; false. */
bool parser_refuse(struct parser *parser, enum mailbox_diagnosis diagnosis, size_t at);

bool parser_is_at_end(const struct parser *parser);

/* The byte here; at the end a NUL. */
char parser_peek(const struct parser *parser);

/* Pass over this byte, if it stands here. */
bool parser_take(struct parser *parser, char byte);

/* ---- characters (RFC 5322 section 3.2.3, and all beyond ASCII) ---- */

bool parser_is_atext(char c);
bool parser_is_visible(char c);

/* obs-NO-WS-CTL: controls without NUL, tab, line feed and carriage return. */
bool parser_is_obs_control(char c);

/* ---- blanks and comments: blanks.c; false when what is wrong there ends the reading ---- */

bool parser_read_line_end(struct parser *parser, int *line_ends);
bool parser_read_blanks(struct parser *parser);

/* What a backslash makes of the next character; otherwise is what a wrong one is. */
bool parser_read_escaped(struct parser *parser, enum mailbox_diagnosis otherwise);

/* CFWS, which may be nothing; *had becomes true when it was something. */
bool parser_skip_cfws(struct parser *parser, bool *had);

/* ---- the domain: domain.c ---- */

/* Read all that follows the @ to mailbox->domain; false when it is none. */
bool mailbox_read_domain(struct parser *parser);
