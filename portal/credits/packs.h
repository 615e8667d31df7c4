/*
 * portal/credits/packs.h - the packs on sale, and the sign-up grant, for pages.
 */
#pragma once

#include "db/sql.h"
#include "portal/base/portal.h"

/* Add `packs`, a list of {pack_id, name, credits, price, each}, smallest first, has_packs, and
 * adds_tax (portal_adds_tax()). Each tool of the model's `groups` gets `money`: what a call costs
 * with credits of the cheapest pack in the smallest pack's currency. Errors: the database's. */
bool packs_add(const struct portal *portal, struct sql *sql, cJSON *model,
               struct err *err) must_check;

/* Add `grant`, the credits of a new account, unless it is 0. Errors: the database's. */
bool grant_add(struct sql *sql, cJSON *model, struct err *err) must_check;
