/* svc-utils/json-to-code/model/refine.h - finds recursive types, and objects whose names are
 * data. */
#pragma once

#include <cjson/cJSON.h>

#include "base/err.h"
#include "model.h"

/*
 * Apply two rules:
 *
 * 1. A type inside another one with the same name, and with the same or some of its fields, is that
 *    type.
 * 2. An object is a map if it has at least two names that are data (maps.h), or if the request says
 *    so with `maps`, a list of JSON pointers; NULL: none.
 *
 * Afterwards only named types contain themselves. Errors: ERR_INVALID_VALUE for a pointer without
 * an object.
 */
bool refine(struct model *model, const cJSON *maps, struct err *err) must_check;
