/* gateway/tollctl/token.h - token queries for other commands. */
#pragma once

#include "db/sql.h"

/* Append the account's tokens, newest first, each with only its last 4 characters. */
bool token_rows(struct sql *sql, const char *account, cJSON *list, struct err *err) must_check;
