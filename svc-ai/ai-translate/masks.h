/*
 * svc-ai/ai-translate/masks.h - parts of a text that must not be translated: taken out before a
 * model sees it, marks in their place, and put back into what it answers.
 *
 * They are: code in backticks; {x}, {{x}} and ${x}; conversions of printf (%s, %1$d, %(x)s, %@);
 * <tags>; URLs of http and https; e-mail addresses; @mentions; :names:. A mark is a number in
 * brackets that the text does not have.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Zero is none. The parts point into the text that was masked. */
struct masks {
    const char
        *open; /* brackets of marks; NULL: the text has all that are known, nothing is masked */
    const char *close;
    size_t count;
    size_t capacity;
    struct text *part;
};

/* Append text with a mark for each part. The caller releases the masks. */
void masks_put(struct text text, struct masks *masks, struct buf *out);
void masks_free(struct masks *masks);

/* Append answer with the parts in place of their marks; marks of no part go. times, of
 * masks->count, counts how often each came. */
void masks_restore(const struct masks *masks, struct text answer, size_t *times, struct buf *out);

/* Append the mark of a part. */
void masks_add_mark(const struct masks *masks, size_t index, struct buf *out);

/* Bytes of the part that the text begins with, 0 when it begins with none; before is the byte in
 * front of it, 0 at the beginning. */
size_t masks_part_bytes(struct text text, char before);
