/* portal/jobs/jobs.c - see jobs.h. */
#include "portal/jobs/jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/uuid.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/table.h"
#include "portal/base/background.h"

enum {
    NUMBER_BYTES = 24,
    LOOK_MS = 10000, /* between two updates of the delay gauge */
    RETRY_MS = 5000, /* before a failed step is retried */
};

/* ---- the jobs ---- */

/* A bounded step, in the current transaction. Repeating a step has no effect. */
struct step {
    char cursor[UUID_TEXT_BYTES]; /* where the step begins, then where the next one begins; "": the
                                     start */
    bool has_more;                /* the job needs another step */
    char retention[NUMBER_BYTES]; /* requests.retention_days */
};

/* Keeps a step far below the role's statement_timeout of 5 s. */
#define STEP_ROWS "1000"
#define FIRST     "00000000-0000-0000-0000-000000000000"

/* The next step begins at the row's `next`; NULL: the job is done. */
static bool set_next_step(struct sql *sql, const char *statement, struct step *step,
                          struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, statement, SQL_PARAMS(step->cursor[0] ? step->cursor : FIRST), row, err))
        return false;
    sql_copy(row, "next", step->cursor, sizeof(step->cursor));
    step->has_more = step->cursor[0] != '\0';
    return true;
}

static bool step_usage_lap(struct sql *sql, struct step *step, struct err *err)
{
    return set_next_step(sql, "select usage_lap($1, " STEP_ROWS ") as next", step, err);
}

static bool step_prune(struct sql *sql, struct step *step, struct err *err)
{
    return sql_bool(sql, "select portal_prune(" STEP_ROWS ")", NO_PARAMS, &step->has_more, err);
}

/* requests.retention_days is at most 90. */
static bool step_request_prune(struct sql *sql, struct step *step, struct err *err)
{
    return sql_bool(sql, "select request_prune($1, " STEP_ROWS ")", SQL_PARAMS(step->retention),
                    &step->has_more, err);
}

static bool step_low_balance(struct sql *sql, struct step *step, struct err *err)
{
    return set_next_step(sql, "select low_balance_find($1, " STEP_ROWS ") as next", step, err);
}

static bool step_deletions(struct sql *sql, struct step *step, struct err *err)
{
    return sql_bool(sql, "select deletions_step()", NO_PARAMS, &step->has_more, err);
}

static bool step_app_expiry(struct sql *sql, struct step *step, struct err *err)
{
    return sql_bool(sql, "select oauth_expire_step()", NO_PARAMS, &step->has_more, err);
}

static bool step_token_notices(struct sql *sql, struct step *step, struct err *err)
{
    return sql_bool(sql, "select token_notices_step()", NO_PARAMS, &step->has_more, err);
}

static bool step_order_collect(struct sql *sql, struct step *step, struct err *err)
{
    (void)step; /* accounts without available credits stay in the list; no need to repeat at once */
    return sql_run(sql, "select order_collect(" STEP_ROWS ")", NO_PARAMS, err);
}

/* clang-format off */
static const struct job_row {
    const char *name;
    int period_s;
    bool (*step)(struct sql *sql, struct step *step, struct err *err);
} rows[] = {
    { "usage_lap",    3600, step_usage_lap },
    { "portal_prune",  600, step_prune },
    { "request_prune", 600, step_request_prune },
    { "low_balance",   300, step_low_balance },
    { "deletions",     300, step_deletions },
    { "app_expiry",    600, step_app_expiry },
    { "token_notices", 600, step_token_notices },
    { "order_collect",  60, step_order_collect },
};
/* clang-format on */

enum { JOBS = countof(rows) };

/* ---- what each portal reads from the database for its metrics ---- */

/* Columns of gauges_sql. */
static const struct gauge_row {
    const char *column;
    const char *metric;
    const char *help;
} gauge_rows[] = {
    { "delay_s", "tollgate_background_job_delay_seconds",
      "Delay of the most delayed background job" },
    { "skipped", "tollgate_skipped_accounts",
      "Accounts for which a background task failed in the last 2 hours" },
    { "root_at", "tollgate_ledger_root_timestamp_seconds",
      "Time of the newest signed root of the ledger; 0: never" },
    { "unsettled", "tollgate_ledger_unsettled_calls",
      "Calls with the error outcome_unknown that nobody has settled for 5 minutes" },
    { "reported_at", "tollgate_backup_report_timestamp_seconds",
      "Time of the last report of the backup service; 0: never" },
    { "backup_at", "tollgate_backup_timestamp_seconds",
      "Time when the newest backup of the database began; 0: there is none" },
    { "full_at", "tollgate_backup_full_timestamp_seconds",
      "Time when the newest full backup of the database began; 0: there is none" },
    { "bytes", "tollgate_backup_bytes",
      "Compressed size of all backups of the database, without the write-ahead log" },
    { "archived_at", "tollgate_wal_archived_timestamp_seconds",
      "Time when the last segment of the write-ahead log was archived; 0: never" },
};

enum { GAUGES = countof(gauge_rows) };

/* All are integers; times are seconds since 1970. payments/worker.h has its own alert for
 * reconcile; the slowest task tries again each hour. */
static const char gauges_sql[] =
    "select (select greatest(0, extract(epoch from max(ledger_now() - due_at)))::bigint"
    "          from job where name <> 'reconcile') as delay_s,"
    "       (select count(distinct account_id) from account_fault"
    "         where last_at > ledger_now() - interval '2 hours') as skipped,"
    "       (select coalesce(extract(epoch from max(root_at)), 0)::bigint from ledger_root)"
    "           as root_at,"
    "       (select count(*) from unknown_outcome where settled_at is null"
    "         and told_at < ledger_now() - interval '5 minutes') as unsettled,"
    "       coalesce(extract(epoch from b.reported_at), 0)::bigint as reported_at,"
    "       coalesce(extract(epoch from b.backup_at), 0)::bigint as backup_at,"
    "       coalesce(extract(epoch from b.full_at), 0)::bigint as full_at,"
    "       coalesce(b.bytes, 0) as bytes,"
    "       coalesce(extract(epoch from a.last_archived_time), 0)::bigint as archived_at,"
    "       (select count(*) from oauth_grant where state = 1 and $1) as grants"
    "  from pg_stat_archiver a left join backup_state b on true";

struct jobs {
    struct portal *portal;
    struct counter *done[JOBS];
    struct counter *failed[JOBS];
    struct gauge *gauges[GAUGES];
    struct gauge *grants;   /* NULL: oauth.enabled is off */
    int64_t retry_ms[JOBS]; /* of each job, by clock_ms() */
    int64_t next_look_ms;
    bool has_rows;   /* the table has a row for each job */
    bool is_cut_off; /* the database failed, and that was logged */
    struct background *background;
};

/* ---- one step ---- */

static const char claim_sql[] =
    "select cursor from job where name = $1 and due_at <= ledger_now() for update skip locked";

/* Due again at once if there is more to do, otherwise after its period. */
static const char note_sql[] =
    "update job set cursor = $2, due_at = case when $3::integer > 0"
    "        then ledger_now() + interval '1 second' * $3::integer else due_at end"
    " where name = $1";

static bool record_step(struct sql *sql, const struct job_row *row, const struct step *step,
                        struct err *err)
{
    char period[NUMBER_BYTES];
    snprintf(period, sizeof(period), "%d", step->has_more ? 0 : row->period_s);
    const char *cursor = step->has_more && step->cursor[0] ? step->cursor : NULL;
    return sql_run(sql, note_sql, SQL_PARAMS(row->name, cursor, period), err);
}

/* *is_mine: it was due, and no other portal runs it. */
static bool run_step(struct sql *sql, const struct conf *conf, const struct job_row *row,
                     bool *is_mine, struct err *err)
{
    scoped(json_free) cJSON *claimed = json_object();
    struct step step = { 0 };
    snprintf(step.retention, sizeof(step.retention), "%" PRId64,
             conf_int(conf, "requests.retention_days"));
    if (!sql_begin(sql, SQL_WRITE, err) ||
        !sql_row(sql, claim_sql, SQL_PARAMS(row->name), claimed, err))
        return false;
    *is_mine = json_size(claimed) > 0;
    const char *cursor = json_text(claimed, "/cursor");
    if (!*is_mine)
        return sql_rollback(sql, err);
    if (cursor)
        snprintf(step.cursor, sizeof(step.cursor), "%s", cursor);
    return row->step(sql, &step, err) && record_step(sql, row, &step, err) && sql_commit(sql, err);
}

/* A failed step is retried after a pause. It does not delay other jobs. */
static bool do_step(struct jobs *jobs, const struct job_row *row)
{
    scoped(pool_give) struct sql *sql = NULL;
    struct err err = { 0 };
    bool is_mine = false;
    size_t index = (size_t)(row - rows);
    bool ok = pool_take(jobs->portal->pool, &sql, &err) &&
              run_step(sql, jobs->portal->conf, row, &is_mine, &err);
    if (!ok)
        log_line(LOG_WARN, "background job failed", log_str("job", row->name),
                 log_str("error", err.message));
    if (!ok)
        jobs->retry_ms[index] = clock_ms() + RETRY_MS;
    if (!ok || is_mine)
        counter_add(ok ? jobs->done[index] : jobs->failed[index], 1);
    return ok && is_mine;
}

/* ---- due jobs ---- */

static bool add_rows(struct jobs *jobs, struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    bool ok = jobs->has_rows || pool_take(jobs->portal->pool, &sql, err);
    for (size_t i = 0; ok && !jobs->has_rows && i < JOBS; i++)
        ok = sql_run(sql,
                     "insert into job (name, due_at) values ($1, ledger_now())"
                     " on conflict do nothing",
                     SQL_PARAMS(rows[i].name), err);
    jobs->has_rows = ok;
    return ok;
}

static void update_gauges(struct jobs *jobs)
{
    scoped(json_free) cJSON *list = json_array();
    struct err err = { 0 };
    if (clock_ms() < jobs->next_look_ms)
        return;
    jobs->next_look_ms = clock_ms() + LOOK_MS;
    if (!pool_rows(jobs->portal->pool, gauges_sql, SQL_PARAMS(jobs->grants ? "true" : "false"),
                   list, &err))
        return;
    const cJSON *row = json_at(list, "/0");
    for (size_t i = 0; i < GAUGES; i++)
        gauge_set(jobs->gauges[i], json_integer(row, gauge_rows[i].column));
    if (jobs->grants)
        gauge_set(jobs->grants, json_integer(row, "grants"));
}

/* Run one step of each due job. */
static bool run_due_jobs(void *argument)
{
    struct jobs *jobs = argument;
    scoped(json_free) cJSON *due = json_array();
    const cJSON *item;
    struct err err = { 0 };
    bool did = false;
    bool ok =
        add_rows(jobs, &err) &&
        pool_rows(jobs->portal->pool, "select name from job where due_at <= (select ledger_now())",
                  NO_PARAMS, due, &err);
    background_log(&jobs->is_cut_off, ok, "background jobs can be read again",
                   "background jobs cannot be read", &err);
    if (!ok)
        return false;
    cJSON_ArrayForEach(item, due) {
        const struct job_row *row = TABLE_FIND(rows, json_text(item, "/name"));
        if (row && clock_ms() >= jobs->retry_ms[row - rows]) /* ignore rows of other jobs */
            did |= do_step(jobs, row);
    }
    update_gauges(jobs);
    return did;
}

/* ---- start and end ---- */

static void make_metrics(struct jobs *jobs)
{
    static const char help[] = "Steps of background jobs, by result";
    struct metrics *metrics = jobs->portal->metrics;
    for (size_t i = 0; i < JOBS; i++) {
        struct labels done = { "task", rows[i].name, "result", "done" };
        struct labels failed = { "task", rows[i].name, "result", "failed" };
        jobs->done[i] = metrics_counter(metrics, "tollgate_background_job_steps_total", help, done);
        jobs->failed[i] =
            metrics_counter(metrics, "tollgate_background_job_steps_total", help, failed);
    }
    for (size_t i = 0; i < GAUGES; i++)
        jobs->gauges[i] =
            metrics_gauge(metrics, gauge_rows[i].metric, gauge_rows[i].help, NO_LABELS);
    if (conf_bool(jobs->portal->conf, "oauth.enabled"))
        jobs->grants = metrics_gauge(metrics, "tollgate_oauth_grants",
                                     "Connected apps that are not revoked", NO_LABELS);
}

bool jobs_start(struct portal *portal, struct jobs **jobs, struct err *err)
{
    struct jobs *made = mem_new(sizeof(*made));
    made->portal = portal;
    make_metrics(made);
    if (!background_start(run_due_jobs, made, conf_int(portal->conf, "portal.poll_ms"),
                          &made->background, err)) {
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
