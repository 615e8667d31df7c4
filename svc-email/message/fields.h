/*
 * svc-email/message/fields.h - the header fields of a message as people paste it: any line ends,
 * quoted, indented, HTML-escaped, with lost folding (RFC 5322 section 2.2).
 *
 * Accepts any bytes. A line that is not a field is skipped or joined to the previous one, and a
 * flag is set. Time and memory are linear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum {
    FIELDS_MAX = 1000,
    FIELDS_RECEIVED_MAX = 200,
    FIELD_NAME_MAX_BYTES = 76, /* a line of 78 bytes with a colon and a value */
};

struct field {
    struct text name;  /* as written */
    struct text value; /* unfolded and trimmed; no NUL and no control characters except tabs */
};

/* Zero is an empty block. */
struct fields {
    struct field *at; /* in order */
    size_t count;
    struct text body;      /* the text after the block */
    bool has_control;      /* a control character was replaced by U+FFFD */
    bool has_lost_folding; /* a line that could only continue the previous one was joined */
    bool has_malformed_line;
    bool has_too_many; /* more fields than FIELDS_MAX, or more Received fields than their limit */
    char *text;        /* what the texts point into */
    char *values;
};

/* Split the block at the beginning of a text; release it with fields_free(). The text is not needed
 * afterwards. */
struct fields fields_split(struct text text);
void fields_free(struct fields *fields);

/* Take the next line off *rest, without its line end: CRLF, LF or CR. Returns false at the end. */
bool fields_take_line(struct text *rest, struct text *line);

/* The first field of this name, in any case; NULL: none. */
const struct field *fields_get(const struct fields *fields, const char *name);

/* Its value; empty without the field. */
struct text fields_value(const struct fields *fields, const char *name);

/* The number of fields of this name. */
size_t fields_count(const struct fields *fields, const char *name);
