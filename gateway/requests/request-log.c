/* gateway/requests/request-log.c - see request-log.h. */
#include "gateway/requests/request-log.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "base/os/wakeup.h"
#include "db/db.h"
#include "gateway/requests/account-share.h"
#include "gateway/requests/batch.h"

enum {
    RING_RECORDS = 24576, /* 5.5 MB; several seconds at the highest rate of one gateway */
    SHARE_ACCOUNTS = 4096,
    BATCH_MS = 1000,   /* between two batches, unless one is full */
    TIMEOUT_MS = 5000, /* of a batch */
    STOP_MS = 2000,    /* to write the rest */
    RETRY_MS = 1000,   /* after a rejection that may pass */
};

enum loss { LOSS_FULL, LOSS_SHARE, LOSS_REJECTED, LOSS_STOPPED, LOSSES };

static const char *const loss_names[LOSSES] = {
    [LOSS_FULL] = "full",
    [LOSS_SHARE] = "share",
    [LOSS_REJECTED] = "rejected",
    [LOSS_STOPPED] = "stopped",
};

static const char *const statements[] = {
    "select request_write($1::uuid, $2::bigint, $3::uuid[], $4::bytea[], $5::request_record[],"
    " $6::request_dropped[])",
};

struct request_log {
    /* ---- of all threads; the mutex guards it ---- */
    pthread_mutex_t mutex;
    struct request_record *ring; /* the first `sent` of its records are only read */
    size_t first;
    size_t count;
    size_t sent; /* of them in the batch under way */
    struct account_share *share;
    struct dropped rest; /* dropped for another reason than the share: of any account */
    bool is_stopping;
    int wakeup;

    /* ---- of the writer's thread ---- */
    pthread_t thread;
    struct db *db;
    struct batch batch;
    struct uuid writer;
    int64_t number;                        /* of the batch under way, or of the last one */
    struct dropped dropped[BATCH_DROPPED]; /* of the batch under way */
    size_t dropped_count;
    int64_t due_ms; /* of the next batch */
    bool is_under_way;

    struct counter *written;
    struct counter *lost[LOSSES];
    struct gauge *waiting;
};

/* ---- adding ---- */

/* The mutex is held. */
static void report(struct request_log *log, int64_t count, int64_t since_ms)
{
    if (count > 0 && log->rest.count == 0)
        log->rest.since_ms = since_ms;
    log->rest.count += count;
}

static void drop(struct request_log *log, enum loss loss, size_t count, int64_t since_ms)
{
    report(log, (int64_t)count, since_ms);
    counter_add(log->lost[loss], count);
}

/* The mutex is held. True: wake the writer. */
static bool put(struct request_log *log, const struct request_record *record)
{
    if (log->count == RING_RECORDS) {
        drop(log, LOSS_FULL, 1, record->sent_ms);
        return false;
    }
    if (!account_share_admit(log->share, &record->account, record->credits > 0, record->sent_ms)) {
        counter_add(log->lost[LOSS_SHARE], 1);
        return false;
    }
    log->ring[(log->first + log->count++) % RING_RECORDS] = *record;
    return log->count - log->sent == BATCH_RECORDS;
}

void request_log_add(struct request_log *log, struct request_record *record)
{
    if (!log)
        return;
    record->sent_ms = clock_ms();
    pthread_mutex_lock(&log->mutex);
    bool is_full = put(log, record);
    pthread_mutex_unlock(&log->mutex);
    if (is_full)
        wakeup_signal(log->wakeup);
}

/* ---- a batch ---- */

/* Choose what the next batch has. Returns the number of records. The mutex is held. */
static size_t choose(struct request_log *log)
{
    log->sent = MIN(log->count, (size_t)BATCH_RECORDS);
    log->dropped_count = 0;
    if (log->rest.count > 0) {
        log->dropped[log->dropped_count++] = log->rest;
        log->rest.count = 0;
    }
    log->dropped_count += account_share_take_dropped(log->share, log->dropped + log->dropped_count,
                                                     BATCH_DROPPED - log->dropped_count);
    gauge_set(log->waiting, (int64_t)log->count);
    return log->sent;
}

static void send_batch(struct request_log *log)
{
    struct db_param list[BATCH_PARAMETERS];
    struct record_ring ring = { log->ring, RING_RECORDS, log->first };
    batch_write(&log->batch, &log->writer, log->number, ring, log->sent, log->dropped,
                log->dropped_count, clock_ms());
    batch_list(&log->batch, list);
    FAULT_POINT("before-request-log-sent");
    db_start(log->db, 0, list, BATCH_PARAMETERS); /* lost: it stays under way, and is sent again */
    FAULT_POINT("after-request-log-sent");
}

static void start_batch(struct request_log *log)
{
    pthread_mutex_lock(&log->mutex);
    bool is_due = clock_ms() >= log->due_ms || log->count >= BATCH_RECORDS || log->is_stopping;
    log->is_under_way = is_due && (choose(log) > 0 || log->dropped_count > 0);
    pthread_mutex_unlock(&log->mutex);
    if (is_due)
        log->due_ms = clock_ms() + BATCH_MS;
    if (!log->is_under_way)
        return;
    log->number++;
    send_batch(log);
}

/* The batch is over: its records leave the ring. */
static void end_batch(struct request_log *log, bool is_written)
{
    pthread_mutex_lock(&log->mutex);
    if (!is_written) {
        drop(log, LOSS_REJECTED, log->sent, log->ring[log->first].sent_ms);
        for (size_t i = 0; i < log->dropped_count; i++)
            report(log, log->dropped[i].count, log->dropped[i].since_ms);
    }
    log->first = (log->first + log->sent) % RING_RECORDS;
    log->count -= log->sent;
    log->sent = 0;
    gauge_set(log->waiting, (int64_t)log->count);
    pthread_mutex_unlock(&log->mutex);
    log->is_under_way = false;
}

/* The server may accept the same batch later: classes of SQLSTATE that say nothing about it, as in
 * gateway/ledger/ledger.c. */
static bool may_pass(const char *sqlstate)
{
    static const char *const classes[] = { "08", "25", "40", "53", "55", "57" };
    for (size_t i = 0; i < countof(classes); i++)
        if (strncmp(sqlstate, classes[i], 2) == 0)
            return true;
    return false;
}

static void step(struct request_log *log)
{
    struct db_rows *rows = NULL;
    char sqlstate[6];
    db_step(log->db);
    switch (db_take(log->db, &rows, sqlstate)) {
    case DB_PENDING:
    case DB_LOST: /* it may be committed: the same number again changes nothing then */
        return;
    case DB_DONE:
        counter_add(log->written, log->sent);
        db_rows_free(&rows);
        end_batch(log, true);
        return;
    case DB_REFUSED:
        if (db_is_stale(sqlstate) || may_pass(sqlstate)) {
            log->due_ms = clock_ms() + RETRY_MS;
            return;
        }
        end_batch(log, false);
        return;
    }
}

/* ---- the thread ---- */

static void work(struct request_log *log)
{
    if (db_state(log->db) != DB_IDLE)
        return;
    if (!log->is_under_way)
        start_batch(log);
    else if (clock_ms() >= log->due_ms || log->is_stopping)
        send_batch(log);
}

static void wait_for_events(struct request_log *log)
{
    struct pollfd fds[2] = { { log->wakeup, POLLIN, 0 } };
    int64_t wake_ms = db_state(log->db) == DB_IDLE ? log->due_ms : db_wake_ms(log->db);
    fds[1].fd = db_fd(log->db, &fds[1].events);
    poll(fds, countof(fds), deadline_poll_ms(wake_ms));
    wakeup_clear(log->wakeup);
    if (fds[1].revents != 0 || clock_ms() >= db_wake_ms(log->db))
        step(log);
}

static bool is_stopping(struct request_log *log)
{
    pthread_mutex_lock(&log->mutex);
    bool stops = log->is_stopping;
    pthread_mutex_unlock(&log->mutex);
    return stops;
}

/* Nothing is left to write. */
static bool is_done(struct request_log *log)
{
    pthread_mutex_lock(&log->mutex);
    bool done = log->count == 0 && log->rest.count == 0 && !log->is_under_way;
    pthread_mutex_unlock(&log->mutex);
    return done;
}

static void *writer_thread(void *argument)
{
    struct request_log *log = argument;
    int64_t stop_ms = INT64_MAX;

    pthread_setname_np(pthread_self(), "request-log");
    while (clock_ms() < stop_ms) {
        bool stops = is_stopping(log);
        work(log);
        if (stops && is_done(log))
            break;
        if (stops)
            stop_ms = deadline_within(stop_ms, STOP_MS);
        wait_for_events(log);
    }
    return NULL;
}

/* ---- start and end ---- */

static void make_metrics(struct request_log *log, struct metrics *metrics)
{
    log->written = metrics_counter(metrics, "tollgate_request_log_records_total",
                                   "Records sent to the request log", NO_LABELS);
    for (size_t i = 0; i < LOSSES; i++)
        log->lost[i] = metrics_counter(metrics, "tollgate_request_log_dropped_total",
                                       "Records that the request log does not have, by reason",
                                       (struct labels){ "reason", loss_names[i] });
    log->waiting = metrics_gauge(metrics, "tollgate_request_log_waiting",
                                 "Records that wait to be written", NO_LABELS);
}

struct request_log *request_log_start(const struct request_log_options *options)
{
    struct request_log *log = mem_new(sizeof(*log));
    log->ring = mem_array(RING_RECORDS, sizeof(*log->ring));
    log->share = account_share_new(SHARE_ACCOUNTS);
    log->writer = uuid_new();
    log->wakeup = wakeup_new();
    log->db = db_new(options->url, options->password, statements, countof(statements), TIMEOUT_MS);
    pthread_mutex_init(&log->mutex, NULL);
    batch_open(&log->batch);
    make_metrics(log, options->metrics);
    pthread_create(&log->thread, NULL, writer_thread, log);
    return log;
}

void request_log_stop(struct request_log **address)
{
    struct request_log *log = *address;
    if (!log)
        return;
    pthread_mutex_lock(&log->mutex);
    log->is_stopping = true;
    pthread_mutex_unlock(&log->mutex);
    wakeup_signal(log->wakeup);
    pthread_join(log->thread, NULL);
    if (log->count > 0) {
        drop(log, LOSS_STOPPED, log->count, clock_ms());
        log_line(LOG_WARN, "records of the request log are lost",
                 log_int("records", (int64_t)log->count));
    }
    db_free(&log->db);
    batch_close(&log->batch);
    account_share_free(&log->share);
    wakeup_free(&log->wakeup);
    pthread_mutex_destroy(&log->mutex);
    mem_free(&log->ring);
    mem_free(address);
}
