/* svc-utils/json-to-code/model/refine.h - finds recursive types, and objects whose names are
 * data. */
#pragma once

#include "model.h"

/*
 * Apply two rules:
 *
 * 1. A type inside another one with the same name, and with the same or some of its fields, is that
 *    type.
 * 2. An object is a map if it has at least two names, all names are digits, UUIDs, dates or long
 *    hex numbers, and all values have one kind.
 *
 * Afterwards only named types contain themselves.
 */
void refine(struct model *model);
