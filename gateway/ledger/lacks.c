/* gateway/ledger/lacks.c - see lacks.h. */
#include "gateway/ledger/lacks.h"

#include <string.h>

#include "base/os/clock.h"
#include "base/os/log.h"

enum { LACK_MS = 10000 }; /* without another refusal: then it is over */

/* clang-format off */
static const struct {
    const char *sqlstate;
    const char *label;
    const char *why; /* no quotes: it stands in JSON as it is */
} kinds[LACKS] = {
    [LACK_DISK]   = { "53100", "disk",   "the disk of PostgreSQL is full: no call can be paid" },
    [LACK_MEMORY] = { "53200", "memory", "PostgreSQL is out of memory: calls may not be paid" },
    [LACK_WRITES] = { "25006", "read_only", "PostgreSQL is read-only: no call can be paid" },
};
/* clang-format on */

void lacks_start(struct lacks *lacks, struct metrics *metrics)
{
    for (size_t i = LACK_NONE + 1; i < LACKS; i++)
        lacks->refused[i] =
            metrics_counter(metrics, "tollgate_ledger_failed_transactions_total",
                            "Transactions that PostgreSQL refused for want of something",
                            (struct labels){ "cause", kinds[i].label });
}

const char *lacks_why(struct lacks *lacks)
{
    return clock_ms() < lacks->until_ms ? kinds[lacks->lack].why : NULL;
}

static enum lack lack_of(const char *sqlstate)
{
    for (size_t i = LACK_NONE + 1; i < LACKS; i++)
        if (strcmp(kinds[i].sqlstate, sqlstate) == 0)
            return (enum lack)i;
    return LACK_NONE;
}

void lacks_note(struct lacks *lacks, const char *sqlstate)
{
    enum lack lack = lack_of(sqlstate);
    if (lack == LACK_NONE)
        return;
    counter_add(lacks->refused[lack], 1);
    if (lacks_why(lacks) != kinds[lack].why)
        log_line(LOG_ERROR, "the ledger cannot write", log_str("why", kinds[lack].why),
                 log_str("sqlstate", sqlstate));
    lacks->lack = lack;
    lacks->until_ms = clock_ms() + LACK_MS;
}
