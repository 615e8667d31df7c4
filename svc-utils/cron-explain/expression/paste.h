/*
 * svc-utils/cron-explain/expression/paste.h - finds the expression in what people paste: in quotes,
 * as a setting of YAML, JSON or another file, in a line of a crontab, in a line of code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "text/time/zone.h"

/* The texts are borrowed from the pasted one; empty if there is none. */
struct cron_paste {
    const char *form; /* quotes, setting, crontab or code; NULL: only the expression was sent */
    struct text expression;
    struct text command; /* that a line of a crontab runs, with the user of a system crontab */
    char zone[ZONE_NAME_MAX + 1]; /* from a setting next to the expression; "" if there is none */
    size_t others;                /* more expressions, which are ignored */
};

/*
 * Find it. A text without a known form is the expression itself, so that its error names it.
 * Errors: ERR_INVALID_EXPRESSION for OnCalendar=, which is not cron.
 */
bool cron_find_pasted(struct text text, struct cron_paste *paste, struct err *err) must_check;
