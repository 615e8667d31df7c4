/*
 * portal/public/plans.h - the plans of the operator (gateway/sql/010-plans.sql) on pages.
 */
#pragma once

#include "db/sql.h"
#include "portal/page/visit.h"
#include "portal/public/catalog-cache.h"

/* Add plans: [{name, limits: [sentences]}], those for everybody to see, and has_plans. Errors: the
 * database's. */
bool plans_add(struct sql *sql, cJSON *model, struct err *err) must_check;

/* Add the limits of the signed-in member's account for this tool: plan and own_limits; nothing if
 * the account has no plan, or the database cannot be read. */
void plan_limits_add(struct visit *visit, const struct contract *contract, cJSON *model);
