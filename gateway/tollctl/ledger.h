/* gateway/tollctl/ledger.h - ledger queries for other commands. */
#pragma once

#include "db/sql.h"

/* Append the account's newest entries, at most limit (decimal digits), newest first. */
bool ledger_rows(struct sql *sql, const char *account, const char *limit, cJSON *list,
                 struct err *err) must_check;
