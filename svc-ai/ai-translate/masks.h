/*
 * svc-ai/ai-translate/masks.h - replace the parts of a text that must not be translated with marks
 * before a model sees it, and restore them in its answer.
 *
 * Parts: code in backticks; {x}, {{x}} and ${x}; printf conversions (%s, %1$d, %(x)s, %@); <tags>;
 * http and https URLs; email addresses; @mentions; :names:. A mark is a number in brackets of a
 * kind that the text does not have.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Zero has no parts. The parts point into the masked text. */
struct masks {
    const char *open; /* brackets of the marks; NULL: the text has all known brackets, so nothing is
                       * masked */
    const char *close;
    size_t count;
    size_t capacity;
    struct text *part;
};

/* Append text with a mark for each part. The caller releases the masks. */
void masks_put(struct text text, struct masks *masks, struct buf *out);
void masks_free(struct masks *masks);

/* Append answer with each mark replaced by its part; unknown marks are removed. times has
 * masks->count elements and receives how often each part occurs. */
void masks_restore(const struct masks *masks, struct text answer, size_t *times, struct buf *out);

/* Append the mark of a part. */
void masks_add_mark(const struct masks *masks, size_t index, struct buf *out);

/* Bytes of the part at the beginning of text, or 0. before is the preceding byte, 0 at the
 * beginning. */
size_t masks_part_bytes(struct text text, char before);
