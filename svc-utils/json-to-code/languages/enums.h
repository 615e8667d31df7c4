/*
 * svc-utils/json-to-code/languages/enums.h - the constants of an enum, for languages that name
 * them.
 */
#pragma once

#include "json-to-code/model/model.h"

enum enums_style {
    ENUMS_PASCAL, /* InProgress */
    ENUMS_UPPER,  /* IN_PROGRESS */
};

/* Called for each word in sample order. Every name is different. */
typedef void enums_word(struct buf *out, struct text word, const char *name, bool is_last);

void enums_write(struct model *model, const struct shape *shape, enum enums_style style,
                 enums_word *write, struct buf *out);

/* Call write for the enums of a shape, of its elements, and of its map values. */
void enums_of(const struct shape *shape, void (*write)(void *context, const struct shape *shape),
              void *context);
