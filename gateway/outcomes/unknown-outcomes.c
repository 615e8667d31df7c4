/* gateway/outcomes/unknown-outcomes.c - see unknown-outcomes.h. */
#include "gateway/outcomes/unknown-outcomes.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"
#include "db/sql.h"
#include "gateway/outcomes/journal.h"

enum {
    BATCH_MAX = 500,
    RETRY_MS = 1000,
    ADOPT_MS = 30000, /* between two looks for files of ended processes */
    TIMEOUT_MS = 2000,
    LINE_MAX_BYTES = 128,
};

static const char *const states[] = {
    [OUTCOME_UNKNOWN] = "unknown",
    [OUTCOME_CHARGED] = "charged",
    [OUTCOME_NOT_CHARGED] = "not_charged",
};

struct event {
    struct uuid account;
    struct uuid call;
    enum outcome_state state;
    int64_t at_ms; /* by clock_wall_ms(): it may outlive this process */
};

struct unknown_outcomes {
    struct unknown_outcomes_options options;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what follows, to `is_stopping` */
    pthread_cond_t changed;
    struct event *ring;
    size_t first;
    size_t count;
    struct journal *journal; /* NULL: without a folder */
    size_t lines;            /* in it */
    bool is_stopping;

    int64_t adopt_ms; /* of the thread, as what follows: when to look again */
    struct sql *sql;  /* NULL: not connected */
    bool is_cut_off;  /* that was logged */
    struct counter *lost;
    struct gauge *waiting;
};

/* ---- events; the mutex is held ---- */

static void put(struct unknown_outcomes *outcomes, const struct event *event)
{
    outcomes->ring[(outcomes->first + outcomes->count++) % OUTCOME_EVENTS_MAX] = *event;
    gauge_set(outcomes->waiting, (int64_t)outcomes->count);
    pthread_cond_signal(&outcomes->changed);
}

static void write_line(struct buf *out, const struct event *event)
{
    char account[UUID_TEXT_BYTES];
    char call[UUID_TEXT_BYTES];
    uuid_format(account, &event->account);
    uuid_format(call, &event->call);
    buf_format(out, "%s %s %s %" PRId64 "\n", states[event->state], account, call, event->at_ms);
}

static bool read_state(struct text name, enum outcome_state *state)
{
    for (size_t i = 0; i < countof(states); i++) {
        if (!text_is(name, states[i]))
            continue;
        *state = (enum outcome_state)i;
        return true;
    }
    return false;
}

static bool read_line(struct text line, struct event *event)
{
    return read_state(text_cut(&line, ' '), &event->state) &&
           uuid_parse(text_cut(&line, ' '), &event->account) &&
           uuid_parse(text_cut(&line, ' '), &event->call) &&
           num_parse(line, INT64_MAX, &event->at_ms);
}

static bool add_to_journal(struct unknown_outcomes *outcomes, const struct event *event)
{
    scoped(buf_free) struct buf line = BUF(LINE_MAX_BYTES);
    if (!outcomes->journal)
        return true;
    write_line(&line, event);
    outcomes->lines++;
    return journal_add(outcomes->journal, buf_text(&line));
}

static void add_event(struct unknown_outcomes *outcomes, const struct event *event)
{
    if (MAX(outcomes->count, outcomes->lines) == OUTCOME_EVENTS_MAX) {
        counter_add(outcomes->lost, 1);
        return;
    }
    if (!add_to_journal(outcomes, event))
        log_line(LOG_ERROR, "an unknown outcome cannot be written to its file",
                 log_str("directory", outcomes->options.folder));
    put(outcomes, event);
}

static void add(void *context, const struct uuid *account, const struct uuid *call,
                enum outcome_state state)
{
    struct unknown_outcomes *outcomes = context;
    const struct event event = { *account, *call, state, clock_wall_ms() };
    pthread_mutex_lock(&outcomes->mutex);
    add_event(outcomes, &event);
    pthread_mutex_unlock(&outcomes->mutex);
}

struct outcome_listener unknown_outcomes_listener(struct unknown_outcomes *outcomes)
{
    return (struct outcome_listener){ add, outcomes };
}

/* ---- events of gateways that have ended ---- */

static size_t count_lines(struct text text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text.size; i++)
        lines += text.bytes[i] == '\n';
    return lines;
}

static void adopt_lines(struct unknown_outcomes *outcomes, struct text lines)
{
    struct event event;
    while (lines.size > 0)
        if (read_line(text_cut(&lines, '\n'), &event))
            put(outcomes, &event);
        else
            counter_add(outcomes->lost, 1);
}

/* Take over the file that was found, if there is space; otherwise a later look finds it again. */
static bool adopt_file(struct unknown_outcomes *outcomes, struct buf *found)
{
    struct text lines = buf_text(found);
    size_t more = count_lines(lines);
    if (MAX(outcomes->count, outcomes->lines) + more > OUTCOME_EVENTS_MAX ||
        !journal_add(outcomes->journal, lines))
        return false;
    outcomes->lines += more;
    adopt_lines(outcomes, lines);
    journal_remove(outcomes->journal);
    return true;
}

static void adopt_files(struct unknown_outcomes *outcomes)
{
    bool goes_on = outcomes->journal && clock_ms() >= outcomes->adopt_ms;
    while (goes_on) {
        scoped(buf_free) struct buf found = BUF((size_t)OUTCOME_EVENTS_MAX * LINE_MAX_BYTES);
        outcomes->adopt_ms = clock_ms() + ADOPT_MS;
        goes_on = journal_find(outcomes->journal, &found) && adopt_file(outcomes, &found);
        journal_release(outcomes->journal);
    }
}

/* ---- batches ---- */

/* The parameters of unknown_outcome_write(), as PostgreSQL writes arrays. */
enum { ACCOUNTS, CALLS, STATES, AGES, PARAMETERS };

static void add_values(struct buf value[PARAMETERS], const struct event *event, bool is_first)
{
    const char *comma = is_first ? "{" : ",";
    char account[UUID_TEXT_BYTES];
    char call[UUID_TEXT_BYTES];
    uuid_format(account, &event->account);
    uuid_format(call, &event->call);
    buf_format(&value[ACCOUNTS], "%s%s", comma, account);
    buf_format(&value[CALLS], "%s%s", comma, call);
    buf_format(&value[STATES], "%s%s", comma, states[event->state]);
    buf_format(&value[AGES], "%s%" PRId64, comma, clock_wall_ms() - event->at_ms);
}

/* Returns the number of events in the values. */
static size_t choose(struct unknown_outcomes *outcomes, struct buf value[PARAMETERS])
{
    pthread_mutex_lock(&outcomes->mutex);
    size_t count = MIN(outcomes->count, (size_t)BATCH_MAX);
    for (size_t i = 0; i < count; i++)
        add_values(value, &outcomes->ring[(outcomes->first + i) % OUTCOME_EVENTS_MAX], i == 0);
    pthread_mutex_unlock(&outcomes->mutex);
    for (size_t i = 0; i < PARAMETERS; i++)
        buf_add_str(&value[i], "}");
    return count;
}

static bool send_events(struct unknown_outcomes *outcomes, struct buf value[PARAMETERS],
                        struct err *err)
{
    const struct unknown_outcomes_options *options = &outcomes->options;
    struct sql_params params = { .count = PARAMETERS };
    for (size_t i = 0; i < PARAMETERS; i++)
        params.value[i] = buf_str(&value[i]);
    if (!outcomes->sql &&
        !sql_open_brisk(options->url, options->password, TIMEOUT_MS, &outcomes->sql, err))
        return false;
    if (sql_run(outcomes->sql, "select unknown_outcome_write($1, $2, $3, $4)", params, err))
        return true;
    sql_close(&outcomes->sql);
    return false;
}

static void forget(struct unknown_outcomes *outcomes, size_t count)
{
    pthread_mutex_lock(&outcomes->mutex);
    outcomes->first = (outcomes->first + count) % OUTCOME_EVENTS_MAX;
    outcomes->count -= count;
    if (outcomes->count == 0 && outcomes->journal) {
        journal_clear(outcomes->journal);
        outcomes->lines = 0;
    }
    gauge_set(outcomes->waiting, (int64_t)outcomes->count);
    pthread_mutex_unlock(&outcomes->mutex);
}

/* Once when it fails, and once when it succeeds again. */
static void log_change(struct unknown_outcomes *outcomes, bool ok, const struct err *err)
{
    if (!ok && !outcomes->is_cut_off)
        log_line(LOG_WARN, "unknown outcomes cannot be written yet",
                 log_str("error", err->message));
    if (ok && outcomes->is_cut_off)
        log_line(LOG_INFO, "unknown outcomes can be written again");
    outcomes->is_cut_off = !ok;
}

static bool write_batch(struct unknown_outcomes *outcomes)
{
    struct buf value[PARAMETERS];
    struct err err = { 0 };
    for (size_t i = 0; i < PARAMETERS; i++)
        value[i] = (struct buf)BUF((size_t)BATCH_MAX * LINE_MAX_BYTES);
    size_t count = choose(outcomes, value);
    bool ok = send_events(outcomes, value, &err);
    for (size_t i = 0; i < PARAMETERS; i++)
        buf_free(&value[i]);
    log_change(outcomes, ok, &err);
    if (ok)
        forget(outcomes, count);
    return ok;
}

/* ---- the thread ---- */

/* Wait until there is something to do. Returns whether there is something to write. */
static bool wait_for_events(struct unknown_outcomes *outcomes)
{
    pthread_mutex_lock(&outcomes->mutex);
    adopt_files(outcomes);
    if (outcomes->count == 0 && !outcomes->is_stopping) {
        struct timespec until = deadline_in(ADOPT_MS);
        pthread_cond_clockwait(&outcomes->changed, &outcomes->mutex, CLOCK_MONOTONIC, &until);
    }
    bool has_events = outcomes->count > 0;
    pthread_mutex_unlock(&outcomes->mutex);
    return has_events;
}

static void pause_writing(struct unknown_outcomes *outcomes)
{
    struct timespec until = deadline_in(RETRY_MS);
    pthread_mutex_lock(&outcomes->mutex);
    while (!outcomes->is_stopping && pthread_cond_clockwait(&outcomes->changed, &outcomes->mutex,
                                                            CLOCK_MONOTONIC, &until) == 0)
        ;
    pthread_mutex_unlock(&outcomes->mutex);
}

static bool is_stopping(struct unknown_outcomes *outcomes)
{
    pthread_mutex_lock(&outcomes->mutex);
    bool stops = outcomes->is_stopping;
    pthread_mutex_unlock(&outcomes->mutex);
    return stops;
}

static void *writer_thread(void *argument)
{
    struct unknown_outcomes *outcomes = argument;
    pthread_setname_np(pthread_self(), "outcomes");
    while (true) {
        bool stops = is_stopping(outcomes);
        bool has_events = wait_for_events(outcomes);
        bool ok = has_events && write_batch(outcomes);
        if (!has_events)
            sql_close(&outcomes->sql);
        if (stops && !ok)
            return NULL;
        if (has_events && !ok)
            pause_writing(outcomes);
    }
}

/* ---- start and end ---- */

struct unknown_outcomes *unknown_outcomes_start(const struct unknown_outcomes_options *options)
{
    struct unknown_outcomes *made = mem_new(sizeof(*made));
    struct err err = { 0 };
    made->options = *options;
    if (*options->folder && !journal_open(options->folder, &made->journal, &err))
        log_line(LOG_ERROR, "unknown outcomes wait in memory only", log_str("error", err.message));
    made->ring = mem_array(OUTCOME_EVENTS_MAX, sizeof(*made->ring));
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->lost = metrics_counter(options->metrics, "tollgate_ledger_unknown_records_lost_total",
                                 "Unknown outcomes that are only in the log", NO_LABELS);
    made->waiting =
        metrics_gauge(options->metrics, "tollgate_ledger_unknown_records_waiting",
                      "Unknown outcomes that wait to be written to PostgreSQL", NO_LABELS);
    pthread_create(&made->thread, NULL, writer_thread, made);
    return made;
}

void unknown_outcomes_stop(struct unknown_outcomes **address)
{
    struct unknown_outcomes *outcomes = *address;
    if (!outcomes)
        return;
    pthread_mutex_lock(&outcomes->mutex);
    outcomes->is_stopping = true;
    pthread_cond_broadcast(&outcomes->changed);
    pthread_mutex_unlock(&outcomes->mutex);
    pthread_join(outcomes->thread, NULL);
    if (outcomes->count > 0)
        log_line(LOG_WARN,
                 outcomes->journal ? "unknown outcomes wait in a file for the next gateway"
                                   : "unknown outcomes are only in this log",
                 log_int("events", (int64_t)outcomes->count));
    sql_close(&outcomes->sql);
    journal_close(&outcomes->journal);
    pthread_cond_destroy(&outcomes->changed);
    pthread_mutex_destroy(&outcomes->mutex);
    mem_free(&outcomes->ring);
    mem_free(address);
}
