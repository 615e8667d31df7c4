/* gateway/tollctl/billing/reconcile.c - see reconcile.h. */
#include "gateway/tollctl/billing/reconcile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/scoped.h"
#include "db/sql.h"
#include "gateway/tollctl/billing/processor.h"
#include "payments/reconcile.h"
#include "text/time/datetime.h"

enum {
    DAY_S = 86400,
    LAG_MINUTES = 60,
    DEADLINE_MS = 30 * 60000,
};

static bool reject_usage(struct tollctl *ctl, const char *why, struct err *err)
{
    ctl->status = EX_USAGE;
    return err_set(err, ERR_INVALID_VALUE, "%s", why);
}

/* ---- the window ---- */

static bool read_day(struct tollctl *ctl, const char *name, int64_t fallback_s, int64_t *at_s,
                     struct err *err)
{
    const char *word = args_text(&ctl->args, name);
    struct datetime time;
    *at_s = fallback_s;
    if (!word)
        return true;
    if (strlen(word) != strlen("2026-11-27") || !datetime_parse(text_of(word), &time))
        return reject_usage(ctl, "--from and --to must be days like 2026-11-27", err);
    *at_s = time.local_ms / 1000;
    return true;
}

/* Whole days in UTC, without the lag. */
static bool read_window(struct tollctl *ctl, struct reconcile_task *task, struct err *err)
{
    int64_t now_s = clock_wall_ms() / 1000;
    int64_t today_s = now_s - now_s % DAY_S;
    int64_t last_s;
    task->lag_s = 60 * args_int(&ctl->args, "--lag", LAG_MINUTES);
    if (!read_day(ctl, "--from", today_s - DAY_S, &task->from_s, err) ||
        !read_day(ctl, "--to", today_s, &last_s, err))
        return false;
    task->to_s = MIN(last_s + DAY_S, now_s - task->lag_s);
    return task->from_s < task->to_s ||
           reject_usage(ctl, "--from must be before --to, and before the lag", err);
}

static bool rows_of(void *sql, const char *statement, struct sql_params params, cJSON *list,
                    struct err *err)
{
    return sql_rows(sql, statement, params, list, err);
}

/* ---- the command ---- */

static void add_report(struct reconcile_report *report, const struct reconcile_task *task,
                       cJSON *answer)
{
    json_time(answer, "from", task->from_s * 1000);
    json_time(answer, "until", task->to_s * 1000);
    json_bool(answer, "live", task->is_live);
    json_bool(answer, "ok", json_size(report->differences) == 0);
    json_int(answer, "too_recent", report->recent);
    json_int(answer, "orders_of_other_mode", report->other_mode);
    json_add(answer, "transactions", take(report->transactions));
    json_add(answer, "balances", take(report->balances));
    json_add(answer, "totals", take(report->totals));
    json_add(answer, "differences", take(report->differences));
}

static void set_remark(struct tollctl *ctl, const struct reconcile_report *report)
{
    char recent[96] = "";
    char other[64] = "";
    const char *result = "Entries, orders and the processor's balance agree.";
    if (json_size(report->differences) > 0)
        result = "They differ: see docs/runbooks/PaymentBalanceDiffers.md.";
    else if (report->recent > 0)
        result = "No difference in what was compared.";
    if (report->recent > 0)
        snprintf(recent, sizeof(recent),
                 " Too recent: %lld differing orders; compare again after the lag.",
                 (long long)report->recent);
    if (report->other_mode > 0)
        snprintf(other, sizeof(other), " Not compared: %lld orders of the other mode.",
                 (long long)report->other_mode);
    snprintf(ctl->remark_text, sizeof(ctl->remark_text), "%s%s%s", result, recent, other);
    ctl->remark = ctl->remark_text;
}

static bool compare(struct tollctl *ctl, struct reconcile_task *task, cJSON *answer,
                    struct err *err)
{
    scoped(reconcile_report_free) struct reconcile_report report = { 0 };
    struct err why = { 0 };
    task->database = (struct reconcile_database){ ctl->sql, rows_of };
    task->provider = "stripe";
    task->deadline_ms = clock_ms() + DEADLINE_MS;
    if (!reconcile_compare(task, &report, &why)) {
        ctl->status = why.kind == ERR_UPSTREAM_UNAVAILABLE ? EX_UNAVAILABLE : EX_SOFTWARE;
        *err = why;
        return false;
    }
    ctl->status = json_size(report.differences) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    set_remark(ctl, &report);
    add_report(&report, task, answer);
    return true;
}

static bool read_live_since(struct tollctl *ctl, struct reconcile_task *task, struct err *err)
{
    if (reconcile_read_live_since(conf_str(ctl->conf, "payments.live_since"), &task->live_since_s,
                                  err))
        return true;
    ctl->status = EX_CONFIG;
    return false;
}

bool order_reconcile(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(processor_close) struct processor processor = { 0 };
    struct reconcile_task task = { .client = &processor.client };
    if (!args_has(&ctl->args, "--balance"))
        return reject_usage(ctl, "give --balance: what to compare", err);
    if (!read_window(ctl, &task, err) || !processor_open(ctl, &processor, err) ||
        !read_live_since(ctl, &task, err))
        return false;
    task.is_live = processor.is_live;
    return compare(ctl, &task, answer, err);
}
