/* gateway/ledger/degraded.c - see lacks.h. */
#include "gateway/ledger/degraded.h"

#include <string.h>

#include "base/os/clock.h"
#include "base/os/log.h"

enum { DEGRADED_MS = 10000 }; /* after the last failed write */

/* clang-format off */
static const struct {
    const char *sqlstate;
    const char *label;
    const char *why; /* without quotes: it is copied into JSON */
} kinds[CAUSES] = {
    [CAUSE_DISK]   = { "53100", "disk",   "the disk of PostgreSQL is full: no call can be paid" },
    [CAUSE_MEMORY] = { "53200", "memory", "PostgreSQL is out of memory: calls may not be paid" },
    [CAUSE_READ_ONLY] = { "25006", "read_only", "PostgreSQL is read-only: no call can be paid" },
};
/* clang-format on */

void degraded_init(struct degraded *degraded, struct metrics *metrics)
{
    for (size_t i = CAUSE_NONE + 1; i < CAUSES; i++)
        degraded->refused[i] =
            metrics_counter(metrics, "tollgate_ledger_failed_transactions_total",
                            "Transactions that PostgreSQL could not write, by cause",
                            (struct labels){ "cause", kinds[i].label });
}

const char *degraded_reason(struct degraded *degraded)
{
    return clock_ms() < degraded->until_ms ? kinds[degraded->cause].why : NULL;
}

static enum degraded_cause cause_of(const char *sqlstate)
{
    for (size_t i = CAUSE_NONE + 1; i < CAUSES; i++)
        if (strcmp(kinds[i].sqlstate, sqlstate) == 0)
            return (enum degraded_cause)i;
    return CAUSE_NONE;
}

void degraded_record(struct degraded *degraded, const char *sqlstate)
{
    enum degraded_cause cause = cause_of(sqlstate);
    if (cause == CAUSE_NONE)
        return;
    counter_add(degraded->refused[cause], 1);
    if (degraded_reason(degraded) != kinds[cause].why)
        log_line(LOG_ERROR, "the ledger cannot write", log_str("error", kinds[cause].why),
                 log_str("db.response.status_code", sqlstate));
    degraded->cause = cause;
    degraded->until_ms = clock_ms() + DEGRADED_MS;
}
