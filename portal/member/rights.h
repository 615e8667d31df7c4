/*
 * portal/member/rights.h - what a token or an app may call and spend, in words.
 */
#pragma once

#include <cjson/cJSON.h>

/* Add `may`: "utils, tls-check, account"; without scopes: "everything". */
void rights_add_scopes(const cJSON *row, cJSON *item);

/* Add a cap of the row with what is spent of it, "50 (12 spent)", and the number as <name>_value.
 * Adds nothing to a token without this cap. */
void rights_add_cap(const cJSON *row, const char *cap, const char *spent, const char *name,
                    cJSON *item);
