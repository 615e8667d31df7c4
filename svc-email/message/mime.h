/*
 * svc-email/message/mime.h - the parts of a message (RFC 2045 to 2047, 2231): its text, its HTML
 * and the names of what is attached. Any bytes are read; what is broken is read as far as it makes
 * sense. Time and memory are linear: nesting and parts have limits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "message/fields.h"

enum { MIME_DEPTH_MAX = 10, MIME_PARTS_MAX = 100, MIME_ATTACHMENTS_MAX = 20 };

struct mime {
    struct fields fields; /* of the message itself */
    bool has_text;        /* a text/plain part outside of attachments, or no MIME at all */
    bool has_html;
    struct buf text; /* of the first such part each, in UTF-8 */
    struct buf html;
    size_t part_count;
    const char *attachment[MIME_ATTACHMENTS_MAX]; /* names, the arena's */
    size_t attachment_count;
    struct arena arena;
};

/* Read a whole message; release it with mime_free(). */
void mime_read(struct text message, struct mime *mime);
void mime_free(struct mime *mime);

/* Does the text begin with three fields or more that only a message has? */
bool mime_is_message(struct text text);
