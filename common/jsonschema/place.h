/* common/jsonschema/place.h - a place in a value or schema; its text is made only for errors. */
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

/*
 * Append it in readable form, for texts that end in a NUL: "items[3].name"; "" is the top. The
 * content of out is the name of the top.
 */
void schema_place_print(const struct schema_place *place, struct buf *out);
