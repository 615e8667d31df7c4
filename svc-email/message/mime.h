/*
 * svc-email/message/mime.h - the parts of a message (RFC 2045 to 2047, 2231): its text, its HTML
 * and the names of its attachments. Accepts any bytes and reads broken messages as far as possible.
 * Time and memory are linear: nesting and parts are limited.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "message/fields.h"

enum { MIME_DEPTH_MAX = 10, MIME_PARTS_MAX = 100, MIME_ATTACHMENTS_MAX = 20 };

struct mime {
    struct fields fields; /* fields of the message */
    bool has_text;        /* it has a text/plain part that is not an attachment, or no MIME parts */
    bool has_html;
    struct buf text; /* of the first such part, in UTF-8 */
    struct buf html;
    size_t part_count;
    const char *attachment[MIME_ATTACHMENTS_MAX]; /* names, owned by the arena */
    size_t attachment_count;
    struct arena arena;
};

/* Read a whole message; release it with mime_free(). */
void mime_read(struct text message, struct mime *mime);
void mime_free(struct mime *mime);

/* Whether the text begins with at least three fields that only a message has. */
bool mime_is_message(struct text text);
