/*
 * svc-email/message/fields.h - the header fields of a message, as people paste them: with any line
 * ends, quoted, indented, escaped for HTML, with folding lost on the way (RFC 5322, section 2.2).
 *
 * Any bytes are read; what is no field is skipped or joined to the one before, and a mark tells so.
 * Time and memory are linear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum {
    FIELDS_MAX = 1000,
    FIELDS_RECEIVED_MAX = 200,
    FIELD_NAME_MAX_BYTES = 76, /* a line of 78 with its colon and something behind it */
};

struct field {
    struct text name; /* as it was spelled */
    struct text
        value; /* unfolded, without blanks around it; no NUL and no other control but tabs */
};

/* Zero is an empty block. */
struct fields {
    struct field *at; /* from the top */
    size_t count;
    struct text body;      /* what follows the block */
    bool has_control;      /* a control character was replaced by U+FFFD */
    bool has_lost_folding; /* a line that could only be the rest of the one before was joined */
    bool has_malformed_line;
    bool has_too_many; /* there are more than FIELDS_MAX, or Received than theirs */
    char *text;        /* what the texts point into */
    char *values;
};

/* Read the block that a text begins with; release it with fields_free(). The text may go. */
struct fields fields_split(struct text text);
void fields_free(struct fields *fields);

/* Take the next line off *rest, without its end: CRLF, LF or CR. False when nothing is left. */
bool fields_take_line(struct text *rest, struct text *line);

/* The first field of this name, in any case; NULL when there is none. */
const struct field *fields_get(const struct fields *fields, const char *name);

/* Its value; an empty text when there is none. */
struct text fields_value(const struct fields *fields, const char *name);

/* How many there are. */
size_t fields_count(const struct fields *fields, const char *name);

/* The next line without its end (CRLF, LF or CR), taken off *rest; false at its end. */
bool fields_take_line(struct text *rest, struct text *line);
