/* gateway/ledger/ledger.c - the ledger thread: batches of admissions and settlements. */
#include "gateway/ledger/state.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "base/os/wakeup.h"
#include "db/db.h"

enum {
    STEP_ROWS = 2000,        /* of a sweep: a few ms; 100 ms if no page is in memory */
    TRANSIENT_PAUSE_MS = 20, /* after an error that no item caused */
    BUSY_PAUSE_MS = 5,       /* when all items of a batch wait for locked accounts */
    SKIP_MS = 1000,          /* after a lock timeout, batches skip locked accounts for this time */
    REFUSED_PAUSE_MS = 4,    /* in a flood of rejections: few large batches cost a third */
    REFUSALS_MAX = 1 << 16,
    SPEND_ESTIMATES_MAX = 1 << 16,
};

static const char *const statements[] = {
    [BATCH] = "select * from ledger_batch($1::ledger_item[], $2::ledger_item[], $3, $4::inet[])",
    [CHECK] = "select * from token_check($1::uuid[], $2::bytea[], $3::inet[])",
    [SWEEP] = "select swept, is_more, reached, busy from ledger_sweep($1, $2)",
    [PRUNE] = "select pruned, is_more, reached, busy from ledger_prune($1, $2)",
};

/* Send the statement with ledger->params. */
static bool send_statement(struct ledger *ledger, struct lane *lane, enum statement statement)
{
    struct db_param list[LEDGER_PARAMS_MAX];
    params_list(&ledger->params, list);
    lane->statement = statement;
    bool ok = db_start(lane->db, statement, list, ledger->params.count);
    params_clear(&ledger->params);
    return ok;
}

/* Move at most `most` items to the lane while the batch may grow. The mutex is held. */
static void take_items(struct ledger *ledger, struct lane *lane, struct queue *queue, size_t most,
                       size_t *max)
{
    for (; most > 0 && queue->first && lane->count < MIN(*max, queue->first->max_batch); most--) {
        struct item *item = queue_pop(queue);
        *max = MIN(*max, item->max_batch);
        item_post(ledger, item, ITEM_SEND);
        lane->item[lane->count++] = item;
    }
}

/* Return items that were not executed to their queues, in their order. */
static void put_back(struct ledger *ledger, struct lane *lane)
{
    pthread_mutex_lock(&ledger->mutex);
    while (lane->count > 0)
        item_post(ledger, lane->item[--lane->count], ITEM_RETURN);
    pthread_mutex_unlock(&ledger->mutex);
}

/* How a retry finds a payment that an earlier attempt committed:
 * 1. By its ledger entry above `seq`, the account's newest entry when its work began. `seq` is
 * valid only on the connection that returned it: after a failover another server may not have it.
 * 2. By a hold that the payment writes (is_marked): on any other connection, and on every retry. */
static void mark_payment(struct item *item, uint64_t connection)
{
    if (item->is_uncertain) {
        item->is_marked = true;
    } else if (item->optimistic.connection != connection) {
        item->is_marked = true;
        item->optimistic.seq = INT64_MAX;
    }
}

static void record_connection(struct lane *lane)
{
    uint64_t connection = db_connection(lane->db);
    for (size_t i = 0; i < lane->count; i++) {
        lane->item[i]->sent_over = connection;
        if (lane->item[i]->op == OP_PAY)
            mark_payment(lane->item[i], connection);
    }
}

/* Take all starts; each is DONE, and its waiter wakes when its continuation is. The mutex is held.
 */
static struct queue take_starts(struct ledger *ledger)
{
    struct queue starts = ledger->starts;
    ledger->starts = (struct queue){ 0 };
    for (struct item *item = starts.first; item; item = item->next)
        item_post(ledger, item, ITEM_END);
    return starts;
}

/* Start the work of optimistic calls together, between two batches: one at a time, each would wake
 * the dispatcher and the daemons. */
static void start_optimistic_calls(struct queue *starts)
{
    struct item *item;
    while ((item = queue_pop(starts)))
        item_start_continuation(item);
}

static void send_batch(struct ledger *ledger, struct lane *lane, size_t settles)
{
    bool is_payment = settles == 0 && lane->item[0]->op == OP_PAY;
    record_connection(lane);
    params_add_items(&ledger->params, lane->item, settles);
    params_add_items(&ledger->params, lane->item + settles, lane->count - settles);
    params_add_bool(&ledger->params, ledger->skips_busy);
    params_add_addresses(&ledger->params, lane->item + settles, lane->count - settles);
    counter_add(ledger->batches, 1);
    counter_add(ledger->items, lane->count);
    if (is_payment)
        FAULT_POINT("before-pay-sent");
    else
        FAULT_POINT(settles > 0 ? "before-settle-sent" : "before-admit-sent");
    if (!send_statement(ledger, lane, BATCH))
        put_back(ledger, lane);
    if (is_payment)
        FAULT_POINT("after-pay-sent");
    else
        FAULT_POINT(settles > 0 ? "after-settle-sent" : "after-admit-sent");
}

static void start_batch(struct ledger *ledger, struct lane *lane)
{
    size_t max = LEDGER_BATCH_MAX;
    ledger->skips_busy = clock_ms() < ledger->skip_until_ms;
    pthread_mutex_lock(&ledger->mutex);
    /* settlements of a locked account return in every batch: keep half of it for admissions */
    take_items(ledger, lane, &ledger->settles, ledger->skips_busy ? max / 2 : max, &max);
    size_t settles = lane->count;
    take_items(ledger, lane, &ledger->admits, max, &max);
    struct queue starts = take_starts(ledger);
    ledger->writer_is_idle = lane->count == 0;
    pthread_mutex_unlock(&ledger->mutex);
    if (lane->count > 0)
        send_batch(ledger, lane, settles);
    start_optimistic_calls(&starts);
}

static void start_checks(struct ledger *ledger, struct lane *lane)
{
    size_t max = LEDGER_BATCH_MAX;
    pthread_mutex_lock(&ledger->mutex);
    take_items(ledger, lane, &ledger->checks, max, &max);
    ledger->reader_is_idle = lane->count == 0;
    pthread_mutex_unlock(&ledger->mutex);
    if (lane->count == 0)
        return;

    params_add_checks(&ledger->params, lane->item, lane->count);
    params_add_addresses(&ledger->params, lane->item, lane->count);
    if (!send_statement(ledger, lane, CHECK))
        put_back(ledger, lane);
    lane->resume_ms =
        clock_ms() + REFUSED_PAUSE_MS; /* a checked request is rejected or free: it can wait */
}

static void start_sweep_step(struct ledger *ledger, struct lane *lane, struct sweep *sweep)
{
    params_add_int8(&ledger->params, sweep->at_ms);
    params_add_int4(&ledger->params, STEP_ROWS);
    ledger->sweeping = sweep;
    sweep_begin_step(sweep);
    send_statement(ledger, lane, sweep->is_prune ? PRUNE : SWEEP);
}

/* ---- outcomes ---- */

/* The event of an item's outcome. */
static enum item_event event_of(const struct item *item)
{
    if (item->is_busy)
        return ITEM_BUSY;
    if (item->op == OP_ADMIT && item->admission.credits > 0)
        return item->refusal == ERR_NONE && !item->kept.is_kept ? ITEM_BOOK : ITEM_END;
    return (item->op == OP_CAPTURE || item->op == OP_PAY) && item->is_captured ? ITEM_BOOK
                                                                               : ITEM_END;
}

/* Start the continuation of an admitted call. False: it has no continuation. */
static bool try_start_continuation(struct item *item)
{
    if (!item->continuation.start || item->refusal != ERR_NONE || item->kept.is_kept)
        return false;
    item_start_continuation(item);
    return true;
}

/* The order matters for latency:
 * 1. Post all events under the mutex.
 * 2. Start continuations: other threads run them meanwhile.
 * 3. Wake the other waiters last, without the mutex: waking is slow, and a woken thread queues the
 *    next item. */
static void end_items(struct ledger *ledger, struct item **items, size_t count)
{
    size_t awaited = 0;
    size_t woken = 0;
    pthread_mutex_lock(&ledger->mutex);
    for (size_t i = 0; i < count; i++)
        if (item_post(ledger, items[i], event_of(items[i])))
            items[awaited++] = items[i];
    pthread_mutex_unlock(&ledger->mutex);
    for (size_t i = 0; i < awaited; i++)
        if (!try_start_continuation(items[i]))
            items[woken++] = items[i];
    for (size_t i = 0; i < woken; i++)
        item_wake(items[i]);
}

static void fail_item(struct ledger *ledger, struct item *item, enum err_kind kind)
{
    item->refusal = kind;
    end_items(ledger, &item, 1);
}

/* The connection broke while the items were under way: send them again with the same ids. */
static void requeue_lost_items(struct ledger *ledger, struct lane *lane)
{
    counter_add(ledger->uncertain, lane->count);
    while (lane->count > 0) {
        struct item *item = lane->item[--lane->count];
        pthread_mutex_lock(&ledger->mutex);
        bool is_awaited = item_post(ledger, item, ITEM_LOSE);
        pthread_mutex_unlock(&ledger->mutex);
        if (is_awaited)
            item_wake(item);
    }
}

/* SQLSTATE classes that say nothing about the items: the transaction may simply be tried again
 * (08 connection, 25 still read-only after a failover, 40 rollback, 53 resources, 55 lock timeout,
 * 57 operator intervention). */
static bool is_transient(const char *sqlstate)
{
    static const char *const classes[] = { "08", "25", "40", "53", "55", "57" };
    for (size_t i = 0; i < countof(classes); i++)
        if (strncmp(sqlstate, classes[i], 2) == 0)
            return true;
    return false;
}

/* The transaction was rolled back. Halve the batches of its items until a bad one is alone. */
static void handle_failed_batch(struct ledger *ledger, struct lane *lane, const char *sqlstate)
{
    degraded_record(&ledger->degraded, sqlstate);
    if (db_is_stale(sqlstate) && lane->has_worked) {
        lane->has_worked = false;
        put_back(ledger, lane); /* it may succeed on a new connection */
        return;
    }
    if (lane->statement == BATCH && !ledger->skips_busy && strcmp(sqlstate, "55P03") == 0) {
        ledger->skip_until_ms = clock_ms() + SKIP_MS;
    } else if (!is_transient(sqlstate)) {
        if (lane->count == 1) {
            log_line(LOG_ERROR, "the database rejects an item",
                     log_str("db.response.status_code", sqlstate));
            fail_item(ledger, lane->item[0], ERR_INTERNAL);
            lane->count = 0;
            return;
        }
        for (size_t i = 0; i < lane->count; i++)
            lane->item[i]->max_batch = (lane->count + 1) / 2;
    } else {
        lane->resume_ms = clock_ms() + TRANSIENT_PAUSE_MS;
    }
    put_back(ledger, lane);
}

/* Choose the pace of the next batch by the outcomes of this one. */
static void pace_next_batch(struct ledger *ledger, struct lane *lane)
{
    size_t busy = 0;
    size_t refused = 0;
    for (size_t i = 0; i < lane->count; i++) {
        busy += lane->item[i]->is_busy;
        refused += lane->item[i]->refusal != ERR_NONE;
    }
    counter_add(ledger->busy, busy);
    if (busy == lane->count)
        lane->resume_ms = clock_ms() + BUSY_PAUSE_MS;
    else if (refused > lane->count / 2)
        lane->resume_ms = clock_ms() + REFUSED_PAUSE_MS;
}

static void end_batch(struct ledger *ledger, struct lane *lane, const struct db_rows *rows)
{
    assert(db_rows_count(rows) == lane->count);
    for (size_t row = 0; row < db_rows_count(rows); row++) {
        size_t ord = (size_t)outcome_int(rows, row, 0);
        assert(ord >= 1 && ord <= lane->count);
        if (lane->statement == CHECK)
            item_read_check(lane->item[ord - 1], rows, row);
        else
            item_read_outcome(lane->item[ord - 1], rows, row);
    }
    if (lane->statement == BATCH)
        pace_next_batch(ledger, lane);
    end_items(ledger, lane->item, lane->count);
    lane->count = 0;
}

static void end_sweep_step(struct ledger *ledger, const struct db_rows *rows)
{
    const struct sweep_step step = { .is_more = outcome_int(rows, 0, 1) > 0,
                                     .reached_ms = outcome_int(rows, 0, 2),
                                     .busy_ms = outcome_int(rows, 0, 3) };
    if (!ledger->sweeping->is_prune)
        counter_add(ledger->expired, (uint64_t)outcome_int(rows, 0, 0));
    sweep_end_step(ledger->sweeping, &step);
}

static void step_lane(struct ledger *ledger, struct lane *lane)
{
    struct db_rows *rows = NULL;
    char sqlstate[6];

    db_step(lane->db);
    switch (db_take(lane->db, &rows, sqlstate)) {
    case DB_PENDING:
        return;
    case DB_DONE:
        lane->has_worked = true;
        if (lane->statement == SWEEP || lane->statement == PRUNE)
            end_sweep_step(ledger, rows);
        else
            end_batch(ledger, lane, rows);
        db_rows_free(&rows);
        return;
    case DB_REFUSED:
        handle_failed_batch(ledger, lane, sqlstate);
        return;
    case DB_LOST:
        lane->has_worked = false;
        requeue_lost_items(ledger, lane);
        return;
    }
}

static bool can_send(struct lane *lane)
{
    if (db_state(lane->db) != DB_IDLE || clock_ms() < lane->resume_ms)
        return false;
    lane->resume_ms = 0;
    return true;
}

/* Checks and sweeps take turns, so that a flood of one does not starve the other. */
static void start_reading(struct ledger *ledger, struct lane *lane)
{
    struct sweep *sweep = sweeps_due(ledger->sweep);
    bool sweeps_first = sweep && !ledger->has_just_swept;
    if (!sweeps_first)
        start_checks(ledger, lane);
    ledger->has_just_swept = sweep && db_state(lane->db) == DB_IDLE;
    if (ledger->has_just_swept)
        start_sweep_step(ledger, lane, sweep);
}

static void start_work(struct ledger *ledger)
{
    if (can_send(&ledger->writer))
        start_batch(ledger, &ledger->writer);
    if (can_send(&ledger->reader))
        start_reading(ledger, &ledger->reader);
}

static void wait_for_events(struct ledger *ledger)
{
    struct lane *lanes[] = { &ledger->writer, &ledger->reader };
    struct pollfd fds[1 + countof(lanes)] = { { ledger->wakeup, POLLIN, 0 } };
    int64_t wake_ms = clock_ms() + 1000;

    for (size_t i = 0; i < SWEEPS && db_state(ledger->reader.db) == DB_IDLE; i++)
        wake_ms = MIN(wake_ms, MAX(ledger->sweep[i].next_ms, ledger->reader.resume_ms));
    for (size_t i = 0; i < countof(lanes); i++) {
        fds[i + 1].fd = db_fd(lanes[i]->db, &fds[i + 1].events);
        wake_ms = MIN(wake_ms, db_wake_ms(lanes[i]->db));
        if (lanes[i]->resume_ms > 0 && db_state(lanes[i]->db) == DB_IDLE)
            wake_ms = MIN(wake_ms, lanes[i]->resume_ms);
    }
    poll(fds, countof(fds), deadline_poll_ms(wake_ms));
    wakeup_clear(ledger->wakeup);
    for (size_t i = 0; i < countof(lanes); i++)
        if (fds[i + 1].revents != 0 || clock_ms() >= db_wake_ms(lanes[i]->db))
            step_lane(ledger, lanes[i]);
}

/* ledger_stop() was called, and everything is settled. */
static bool is_finished(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->mutex);
    bool finished = ledger->is_stopping && !ledger->settles.first && !ledger->admits.first;
    pthread_mutex_unlock(&ledger->mutex);
    return finished && ledger->writer.count == 0;
}

static void *ledger_thread(void *argument)
{
    struct ledger *ledger = argument;
    int64_t stop_ms = INT64_MAX; /* set by ledger_stop() */

    pthread_setname_np(pthread_self(), "ledger");
    while (!is_finished(ledger) && clock_ms() < stop_ms) {
        start_work(ledger);
        wait_for_events(ledger);
        ledger->is_ready = db_state(ledger->writer.db) >= DB_IDLE;
        pthread_mutex_lock(&ledger->mutex);
        ledger->is_settled = !ledger->settles.first && ledger->writer.count == 0;
        if (ledger->is_stopping && stop_ms == INT64_MAX)
            stop_ms = clock_ms() + ledger->options.timeout_ms;
        pthread_mutex_unlock(&ledger->mutex);
    }
    return NULL;
}

static void make_counters(struct ledger *ledger)
{
    struct metrics *metrics = ledger->options.metrics;
    ledger->batches = metrics_counter(metrics, "tollgate_ledger_transactions_total",
                                      "Transactions sent to PostgreSQL", NO_LABELS);
    ledger->items = metrics_counter(metrics, "tollgate_ledger_items_total",
                                    "Admissions and settlements in these transactions", NO_LABELS);
    ledger->busy =
        metrics_counter(metrics, "tollgate_ledger_lock_conflicts_total",
                        "Items delayed because another session locked their account", NO_LABELS);
    degraded_init(&ledger->degraded, metrics);
    ledger->uncertain =
        metrics_counter(metrics, "tollgate_ledger_interrupted_commits_total",
                        "Items whose outcome was lost with the connection", NO_LABELS);
    ledger->cancelled =
        metrics_counter(metrics, "tollgate_ledger_cancelled_items_total",
                        "Items cancelled because their caller timed out", NO_LABELS);
    ledger->unknown = metrics_counter(metrics, "tollgate_ledger_unknown_outcomes_total",
                                      "Calls with the error outcome_unknown", NO_LABELS);
    ledger->unpaid =
        metrics_counter(metrics, "tollgate_ledger_unpaid_calls_total",
                        "Optimistic calls rejected after their work was done", NO_LABELS);
    ledger->expired = metrics_counter(metrics, "tollgate_ledger_expired_holds_total",
                                      "Holds released by the sweep after their expiry", NO_LABELS);
    ledger->remembered = metrics_counter(metrics, "tollgate_ledger_cached_rejections_total",
                                         "Calls rejected from memory, without a query", NO_LABELS);
}

const char *ledger_degraded_reason(struct ledger *ledger)
{
    return degraded_reason(&ledger->degraded);
}

struct ledger *ledger_start(const struct ledger_options *options)
{
    struct ledger *ledger = mem_new(sizeof(*ledger));
    ledger->options = *options;
    ledger->params.bytes =
        (struct buf)BUF((size_t)1 << 30); /* at most LEDGER_BATCH_MAX responses of 1 MiB */
    ledger->is_settled = true;
    ledger->wakeup = wakeup_new();
    pthread_mutex_init(&ledger->mutex, NULL);
    ledger->writer.db = db_new(options->url, options->password, statements, countof(statements),
                               options->timeout_ms);
    ledger->reader.db = db_new(options->url, options->password, statements, countof(statements),
                               options->timeout_ms);
    ledger->refusals = refusals_new(REFUSALS_MAX);
    ledger->estimate = spend_estimate_new(SPEND_ESTIMATES_MAX);
    make_counters(ledger);
    sweeps_init(ledger->sweep, options->sweep_ms);
    pthread_create(&ledger->thread, NULL, ledger_thread, ledger);
    return ledger;
}

/* An open hold expires; a possible charge does not, so it is logged. */
static void free_items(struct queue *queue)
{
    struct item *item;
    while ((item = queue_pop(queue))) {
        if (item_may_be_charged(item))
            log_item(LOG_ERROR, "not settled", item);
        item_free(item);
    }
}

void ledger_stop(struct ledger **address)
{
    struct ledger *ledger = *address;
    if (!ledger)
        return;
    pthread_mutex_lock(&ledger->mutex);
    ledger->is_stopping = true;
    pthread_mutex_unlock(&ledger->mutex);
    wakeup_signal(ledger->wakeup);
    pthread_join(ledger->thread, NULL);
    requeue_lost_items(ledger, &ledger->writer); /* their waiters have timed out */
    put_back(ledger, &ledger->reader);
    db_free(&ledger->writer.db);
    db_free(&ledger->reader.db);
    free_items(&ledger->settles);
    free_items(&ledger->admits);
    free_items(&ledger->checks);
    free_items(&ledger->starts);
    buf_free(&ledger->params.bytes);
    refusals_free(&ledger->refusals);
    spend_estimate_free(&ledger->estimate);
    wakeup_free(&ledger->wakeup);
    pthread_mutex_destroy(&ledger->mutex);
    mem_free(address);
}

bool ledger_is_settled(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->mutex);
    bool is_settled = ledger->is_settled;
    pthread_mutex_unlock(&ledger->mutex);
    return is_settled;
}

bool ledger_is_ready(struct ledger *ledger)
{
    return ledger->is_ready;
}
