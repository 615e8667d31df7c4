/* svc-utils/json-to-code/model/maps.h - objects whose names are data. */
#pragma once

#include <cjson/cJSON.h>

#include "base/err.h"
#include "model.h"

/*
 * Are the names of an object data, and do its values agree? All names have one class of keys.h; and
 * the values have one kind, or for names that are only likely to be data, the same fields.
 */
bool object_is_map(const struct object *object);

/* Are all names of a class that is data whatever the values are? */
bool object_has_data_names(const struct object *object);

/*
 * Make maps of the objects at JSON pointers, in which * or a number means every element of an
 * array. Errors: ERR_INVALID_VALUE if a pointer leads to no object, or to an empty one.
 */
bool maps_choose(struct model *model, const cJSON *pointers, struct err *err) must_check;
