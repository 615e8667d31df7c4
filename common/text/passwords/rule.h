/*
 * common/text/passwords/rule.h - which passwords are accepted for signing in: 12 to 128 code points
 * that are not easy to guess (judge.h), with any composition.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum { PASSWORD_LEAST_POINTS = 12, PASSWORD_MOST_POINTS = 128 };

/* The future owner and the site, which an attacker tries first. NULL or "": unknown. */
struct password_owner {
    const char *email, *name, *host;
};

/*
 * Errors: ERR_TOO_SHORT, ERR_TOO_LONG and ERR_INVALID_VALUE with a message for the member, which
 * contains no part of the password. The password is used as typed; bytes that are not UTF-8 are
 * rejected.
 */
bool password_rule(struct text password, const struct password_owner *owner, int64_t now_ms,
                   struct err *err) must_check;
