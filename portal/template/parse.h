/* portal/template/parse.h - the source of a template, read into its steps. */
#pragma once

#include "portal/template/ops.h"

/* Fill template->ops and ->count from its name and source; parts are not yet linked. Errors:
 * ERR_INVALID_VALUE with name, line and what is wrong; the caller releases what was read. */
bool template_parse(struct template *template, enum template_kind kind, struct err *err) must_check;
