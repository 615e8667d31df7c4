/*
 * portal/member/apps.h - the connected apps on the security page.
 */
#pragma once

#include "db/sql.h"
#include "portal/page/visit.h"

/* Add `apps` and `has_apps`: the active ones, newest first. Errors: the database's. */
bool apps_add(struct sql *sql, const struct visit *visit, cJSON *model, struct err *err) must_check;
