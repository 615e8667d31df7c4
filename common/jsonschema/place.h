/*
 * common/jsonschema/place.h - where in a value or schema we are; text is made only for an error.
 */
#pragma once

#include "base/buf.h"

/* From the inside out. */
struct schema_place {
    const struct schema_place *outer; /* NULL: the top, which has no name */
    struct text name;                 /* of a member; bytes are NULL: item `index` of a list */
    size_t index;
};

/* Append it as a JSON pointer: "/items/3/name"; "" is the top. */
void schema_place_write(const struct schema_place *place, struct buf *out);

/* Append it as people write it, for texts that end in a NUL: "items[3].name"; "" is the top. What
 * is in out already is what the top is called. */
void schema_place_print(const struct schema_place *place, struct buf *out);
