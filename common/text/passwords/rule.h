/*
 * common/text/passwords/rule.h - which passwords are taken for signing in: 12 to 128 code points
 * that are not easy to guess (judge.h), whatever they are composed of.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum { PASSWORD_LEAST_POINTS = 12, PASSWORD_MOST_POINTS = 128 };

/* Whose it is to be, and where: whoever guesses begins with that. Each NULL or "": not known. */
struct password_owner {
    const char *email, *name, *host;
};

/* Errors: ERR_TOO_SHORT, ERR_TOO_LONG and ERR_INVALID_VALUE with a sentence for the person, which
 * holds nothing of the password. It is taken as typed; bytes that are not UTF-8 are refused. */
bool password_rule(struct text password, const struct password_owner *owner, int64_t now_ms,
                   struct err *err) must_check;
