/* svc-utils/json-to-code/model/maps.h - objects whose names are data. */
#pragma once

#include <cjson/cJSON.h>

#include "base/err.h"
#include "model.h"

/*
 * Are the names of an object data, and do its values agree? The values have one kind, and all or
 * most names have a class of keys.h that is data; or they are likely to be (likely-maps.h).
 * container is the name of the member that the object is the value of, or empty.
 */
bool object_is_map(const struct object *object, struct text container);

/* Are all names of a class that is data whatever the values are? */
bool object_has_data_names(const struct object *object);

/*
 * Make maps of the objects at JSON pointers, in which * or a number means every element of an
 * array. Errors: ERR_INVALID_VALUE if a pointer leads to no object, or to an empty one.
 */
bool maps_choose(struct model *model, const cJSON *pointers, struct err *err) must_check;
