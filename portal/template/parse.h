/* portal/template/parse.h - parses a template's source into steps. */
#pragma once

#include "portal/template/ops.h"

/* Fill template->ops and ->count from its name and source. Parts are not linked yet. Errors:
 * ERR_INVALID_VALUE with name, line and reason; the caller releases what was read. */
bool template_parse(struct template *template, enum template_kind kind, struct err *err) must_check;
