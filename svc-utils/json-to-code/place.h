/* svc-utils/json-to-code/place.h - the path of a shape in the sample, from the inside out. */
#pragma once

#include "json-to-code/model/model.h"

struct place {
    const struct place *outer; /* the array or map that has this as an element; NULL: none */
    bool is_map;               /* outer is a map */
    struct object *parent;     /* the type that has the field; NULL: this is the root */
    const struct field *field;
};

/* The field or root of a place, or the one that contains it. */
const struct place *place_base(const struct place *place);

/* "$.orders[].lines[]", as in JSONPath. Long names and the beginning of long paths are cut. */
const char *place_path(const struct place *place, struct arena *arena);
