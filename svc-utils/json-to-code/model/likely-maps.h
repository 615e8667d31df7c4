/* svc-utils/json-to-code/model/likely-maps.h - names that are probably data, by more evidence. */
#pragma once

#include "model.h"

/*
 * Is an object whose values have one kind probably a map? classes are the classes of keys.h that
 * all its names have; container is the name of the member that it is the value of, or empty.
 */
bool object_is_likely_map(const struct object *object, unsigned classes, struct text container);
