/*
 * portal/credits/packs.h - the packs of credits on sale, and the credits that a new account gets,
 * as pages show them.
 */
#pragma once

#include "db/sql.h"

/* Add `packs`, a list of {pack_id, name, credits, price, each}, the smallest first, and has_packs.
 * Errors: the database's. */
bool packs_add(struct sql *sql, cJSON *model, struct err *err) must_check;

/* Add `grant`, the credits of a new account, unless it gets none. Errors: the database's. */
bool grant_add(struct sql *sql, cJSON *model, struct err *err) must_check;
