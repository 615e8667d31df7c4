/*
 * svc-utils/cron-explain/expression/parse.h - parses a cron expression into items and sets of
 * values.
 *
 * An expression is five fields (minute hour day month weekday), with a second before them or a year
 * after them or both; or a macro (@daily, @every 90m); each after an optional TZ=Zone. It can also
 * be EventBridge's cron(...), with weekdays from Sunday = 1, rate(5 minutes) or at(time). The
 * result is one flat value that borrows the expression's text.
 */
#pragma once

#include "cron.h"

/*
 * Parse an expression, which cron borrows. cron must not be moved or copied. Errors:
 * ERR_INVALID_EXPRESSION with field, position and reason; ERR_INVALID_TIMEZONE for a prefix that is
 * too long.
 */
bool cron_parse(struct text expression, enum cron_numbering numbering, struct cron *cron,
                struct err *err) must_check;
