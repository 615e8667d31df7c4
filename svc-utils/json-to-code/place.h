/*
 * svc-utils/json-to-code/place.h - where in the sample a shape is, from the inside out.
 */
#pragma once

#include "json-to-code/model/model.h"

struct place {
    const struct place *outer; /* the array or map that this is an element of; NULL: none */
    bool is_map;               /* and outer is a map */
    struct object *parent;     /* otherwise the type that has the field; NULL: this is the root */
    const struct field *field;
};

/* The field, or root, that a place is in or is itself. */
const struct place *place_base(const struct place *place);

/* "$.orders[].lines[]", as JSONPath has it; long names, and the beginning of long paths, are cut.
 */
const char *place_path(const struct place *place, struct arena *arena);
