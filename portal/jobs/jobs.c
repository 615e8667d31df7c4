/* portal/jobs/jobs.c - see jobs.h. */
#include "portal/jobs/jobs.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/table.h"
#include "portal/base/background.h"
#include "portal/jobs/steps.h"

enum {
    NUMBER_BYTES = 24,
    LOOK_MS = 10000, /* between two looks at how late they are */
    RETRY_MS = 5000, /* until a step that failed is tried again */
};

/* clang-format off */
static const struct job_row {
    const char *name;
    int period_s;
    job_step *step;
} rows[] = {
    { "usage_lap",    3600, step_usage_lap },
    { "portal_prune",  600, step_prune },
    { "low_balance",   300, step_low_balance },
    { "deletions",     300, step_deletions },
    { "order_collect",  60, step_order_collect },
};
/* clang-format on */

enum { JOBS = countof(rows) };

struct jobs {
    struct portal *portal;
    struct counter *done[JOBS];
    struct counter *failed[JOBS];
    struct gauge *late;
    int64_t retry_ms[JOBS]; /* not before */
    int64_t next_look_ms;
    bool has_rows;   /* the table names all jobs */
    bool is_cut_off; /* from the database, and that was told */
    struct background *background;
};

/* ---- one step ---- */

static const char claim_sql[] =
    "select cursor from job where name = $1 and due_at <= ledger_now() for update skip locked";

/* Due again at once where there is more to do, else a period from now. */
static const char note_sql[] =
    "update job set cursor = $2, due_at = case when $3::integer > 0"
    "        then ledger_now() + interval '1 second' * $3::integer else due_at end"
    " where name = $1";

static bool note(struct sql *sql, const struct job_row *row, const struct step *step,
                 struct err *err)
{
    char period[NUMBER_BYTES];
    snprintf(period, sizeof(period), "%d", step->has_more ? 0 : row->period_s);
    const char *cursor = step->has_more && step->cursor[0] ? step->cursor : NULL;
    return sql_run(sql, note_sql, (struct sql_params){ 3, { row->name, cursor, period } }, err);
}

/* *is_mine: it was due, and nobody else has it. */
static bool run_step(struct sql *sql, const struct job_row *row, bool *is_mine, struct err *err)
{
    scoped(json_free) cJSON *claimed = json_object();
    struct step step = { 0 };
    if (!sql_begin(sql, SQL_WRITE, err) ||
        !sql_row(sql, claim_sql, (struct sql_params){ 1, { row->name } }, claimed, err))
        return false;
    *is_mine = json_size(claimed) > 0;
    const char *cursor = json_text(claimed, "/cursor");
    if (!*is_mine)
        return sql_rollback(sql, err);
    if (cursor)
        snprintf(step.cursor, sizeof(step.cursor), "%s", cursor);
    return row->step(sql, &step, err) && note(sql, row, &step, err) && sql_commit(sql, err);
}

/* Who cannot do a step tries again after a pause; what is wrong with one job holds up no other. */
static bool do_step(struct jobs *jobs, const struct job_row *row)
{
    struct sql *sql = NULL;
    struct err err = { 0 };
    bool is_mine = false;
    size_t index = (size_t)(row - rows);
    bool ok = pool_take(jobs->portal->pool, &sql, &err) && run_step(sql, row, &is_mine, &err);
    pool_give(jobs->portal->pool, &sql);
    if (!ok)
        log_line(LOG_WARN, "a job fails", log_str("job", row->name), log_str("why", err.message));
    if (!ok)
        jobs->retry_ms[index] = clock_ms() + RETRY_MS;
    if (!ok || is_mine)
        counter_add(ok ? jobs->done[index] : jobs->failed[index], 1);
    return ok && is_mine;
}

/* ---- what is due ---- */

static bool ask(struct jobs *jobs, const char *statement, cJSON *list, struct err *err)
{
    struct sql *sql = NULL;
    bool ok =
        pool_take(jobs->portal->pool, &sql, err) && sql_rows(sql, statement, NO_PARAMS, list, err);
    pool_give(jobs->portal->pool, &sql);
    return ok;
}

static bool add_rows(struct jobs *jobs, struct err *err)
{
    struct sql *sql = NULL;
    bool ok = jobs->has_rows || pool_take(jobs->portal->pool, &sql, err);
    for (size_t i = 0; ok && !jobs->has_rows && i < JOBS; i++)
        ok = sql_run(sql,
                     "insert into job (name, due_at) values ($1, ledger_now())"
                     " on conflict do nothing",
                     (struct sql_params){ 1, { rows[i].name } }, err);
    pool_give(jobs->portal->pool, &sql);
    jobs->has_rows = ok;
    return ok;
}

static void tell_database(struct jobs *jobs, bool is_up, const struct err *err)
{
    if (is_up == jobs->is_cut_off)
        log_line(is_up ? LOG_INFO : LOG_WARN,
                 is_up ? "jobs are looked for again" : "the jobs cannot be read",
                 log_str("why", is_up ? NULL : err->message));
    jobs->is_cut_off = !is_up;
}

static void look(struct jobs *jobs)
{
    scoped(json_free) cJSON *list = json_array();
    struct err err = { 0 };
    if (clock_ms() < jobs->next_look_ms)
        return;
    jobs->next_look_ms = clock_ms() + LOOK_MS;
    if (ask(jobs,
            "select greatest(0, extract(epoch from max(ledger_now() - due_at)))::bigint as s"
            "  from job where name <> 'reconcile'", /* payments/worker.h, with its own alert */
            list, &err) &&
        json_is_integer(json_at(list, "/0/s")))
        gauge_set(jobs->late, (int64_t)json_at(list, "/0/s")->valuedouble);
}

/* A step of each job that is due. */
static bool work(void *argument)
{
    struct jobs *jobs = argument;
    scoped(json_free) cJSON *due = json_array();
    const cJSON *item;
    struct err err = { 0 };
    bool did = false;
    bool ok = add_rows(jobs, &err) &&
              ask(jobs, "select name from job where due_at <= (select ledger_now())", due, &err);
    tell_database(jobs, ok, &err);
    if (!ok)
        return false;
    cJSON_ArrayForEach(item, due) {
        const struct job_row *row = TABLE_FIND(rows, json_text(item, "/name"));
        if (row && clock_ms() >= jobs->retry_ms[row - rows]) /* other rows are not ours */
            did |= do_step(jobs, row);
    }
    look(jobs);
    return did;
}

/* ---- start and end ---- */

static void make_metrics(struct jobs *jobs)
{
    static const char help[] = "Steps of background jobs by their end";
    struct metrics *metrics = jobs->portal->metrics;
    for (size_t i = 0; i < JOBS; i++) {
        struct labels done = { "job", rows[i].name, "result", "done" };
        struct labels failed = { "job", rows[i].name, "result", "failed" };
        jobs->done[i] = metrics_counter(metrics, "job_steps_total", help, done);
        jobs->failed[i] = metrics_counter(metrics, "job_steps_total", help, failed);
    }
    jobs->late = metrics_gauge(metrics, "job_late_seconds",
                               "How long the latest of them has been due", NO_LABELS);
}

bool jobs_start(struct portal *portal, struct jobs **jobs, struct err *err)
{
    struct jobs *made = mem_new(sizeof(*made));
    made->portal = portal;
    make_metrics(made);
    if (!background_start(work, made, conf_int(portal->conf, "portal.poll_ms"), &made->background,
                          err)) {
        mem_free(&made);
        return false;
    }
    *jobs = made;
    return true;
}

void jobs_stop(struct jobs **jobs)
{
    if (*jobs)
        background_stop(&(*jobs)->background);
    mem_free(jobs);
}
