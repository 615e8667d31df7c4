/* gateway/tollctl/token.h - what other commands ask about tokens. */
#pragma once

#include "db/sql.h"

/* Append the account's tokens, newest first; of the token itself only its last 4 characters. */
bool token_rows(struct sql *sql, const char *account, cJSON *list, struct err *err) must_check;
