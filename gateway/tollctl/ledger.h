/* gateway/tollctl/ledger.h - what other commands ask about the ledger. */
#pragma once

#include "db/sql.h"

/* Append the account's last entries, at most limit (decimal digits), newest first. */
bool ledger_rows(struct sql *sql, const char *account, const char *limit, cJSON *list,
                 struct err *err) must_check;
