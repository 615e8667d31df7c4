/* svc-utils/json-to-code/naming.h - finds the named types and names them. */
#pragma once

#include "base/err.h"
#include "json-to-code/model/model.h"

enum { TYPES_MAX = 2000 };

/*
 * Set types, inner_first and root_name of a refined model.
 *
 * - A type is named after the member where it first occurs, and for an element in the singular.
 * - Equal types with one name are merged. Different ones get their parent's name in front, then a
 *   number.
 * - Names differ in more than case, and no name is reserved in any target.
 *
 * Errors: ERR_TOO_COMPLEX above TYPES_MAX types.
 */
bool name_types(struct model *model, struct text root_name, struct err *err) must_check;

/* Number of named types. The root always counts, even if it is an array, a map or a scalar. */
size_t model_type_count(const struct model *model);

/* Is the root an object with a named type? Otherwise the root's name is an alias. */
bool model_root_is_object(const struct model *model);
