/*
 * svc-utils/json-to-code/naming.h - the named types: which there are, and what they are called.
 */
#pragma once

#include "base/err.h"
#include "json-to-code/model/model.h"

enum { TYPES_MAX = 2000 };

/*
 * Fill types, inner_first and root_name of a refined model. A type is named after the member it was
 * met in first, an element in the singular; types of one name that are alike become one, others
 * take the name of their parent before theirs, then a number. No two names differ in case only, and
 * none means something in one of the languages.
 * Errors: ERR_TOO_COMPLEX above TYPES_MAX types.
 */
bool name_types(struct model *model, struct text root_name, struct err *err) must_check;

/* Named types, the root counted even when it is an array, a map or a scalar. */
size_t model_type_count(const struct model *model);

/* Is the root a named type's object? Otherwise its name is an alias. */
bool model_root_is_object(const struct model *model);
