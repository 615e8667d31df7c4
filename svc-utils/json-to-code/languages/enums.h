/*
 * svc-utils/json-to-code/languages/enums.h - the words of an enum, for languages that name each.
 */
#pragma once

#include "json-to-code/model/model.h"

enum enums_style {
    ENUMS_PASCAL, /* InProgress */
    ENUMS_UPPER,  /* IN_PROGRESS */
};

/* Called for each word, in the order of the sample; the name differs from all others. */
typedef void enums_word(struct buf *out, struct text word, const char *name, bool is_last);

void enums_write(struct model *model, const struct shape *shape, enum enums_style style,
                 enums_word *write, struct buf *out);

/* Call write for the enums of a shape: its own, that of elements, that of a map's values. */
void enums_of(const struct shape *shape, void (*write)(void *context, const struct shape *shape),
              void *context);
