/*
 * svc-utils/json-to-code/model/refine.h - find what the sample does not say outright: types that
 * contain themselves, and objects whose names are data.
 */
#pragma once

#include "model.h"

/*
 * A type within another that is reached by the same name and has the same fields, or some of them,
 * is that one. Then: an object with two names or more that are all digits, UUIDs, dates or long hex
 * numbers, and values of one kind, is a map. Afterwards only named types contain themselves.
 */
void refine(struct model *model);
