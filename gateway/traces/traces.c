/* gateway/traces/traces.c - see traces.h. */
#include "gateway/traces/traces.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"
#include "base/os/wakeup.h"
#include "net/http/fetch.h"

enum {
    RING_SPANS = 4096, /* 1 MB */
    BATCH_SPANS = 512,
    BATCH_MS = 1000,   /* between two batches, unless one is full */
    TIMEOUT_MS = 5000, /* of a batch */
    STOP_MS = 2000,    /* to send the rest */
    SAMPLE_DIGITS = 7,
    BODY_MAX_BYTES = 1 << 20,
};

struct traces {
    char *url;
    int64_t threshold; /* of the sample: below 16^SAMPLE_DIGITS */
    struct egress *egress;

    /* ---- of all threads; the mutex guards it ---- */
    pthread_mutex_t mutex;
    struct span *ring;
    size_t first;
    size_t count;
    bool is_stopping;
    int wakeup;

    /* ---- of the sender's thread ---- */
    pthread_t thread;
    struct span *batch;
    bool is_cut_off; /* the last batch failed, and that was logged */

    struct counter *sent;
    struct counter *full;   /* dropped: the ring was full */
    struct counter *failed; /* dropped: the collector did not take them */
};

/* ---- the sample, and adding ---- */

bool traces_sample(const struct traces *traces, const char *trace_id)
{
    return traces &&
           strtoll(trace_id + TRACE_ID_BYTES - 1 - SAMPLE_DIGITS, NULL, 16) < traces->threshold;
}

void traces_add(struct traces *traces, const struct span *spans, size_t count)
{
    pthread_mutex_lock(&traces->mutex);
    size_t taken = MIN(count, RING_SPANS - traces->count);
    for (size_t i = 0; i < taken; i++)
        traces->ring[(traces->first + traces->count++) % RING_SPANS] = spans[i];
    bool is_full = traces->count >= BATCH_SPANS;
    pthread_mutex_unlock(&traces->mutex);
    counter_add(traces->full, count - taken);
    if (is_full)
        wakeup_signal(traces->wakeup);
}

/* ---- sending ---- */

/* Move the oldest spans out of the ring. Returns their number. */
static size_t take_batch(struct traces *traces)
{
    pthread_mutex_lock(&traces->mutex);
    size_t count = MIN(traces->count, (size_t)BATCH_SPANS);
    for (size_t i = 0; i < count; i++)
        traces->batch[i] = traces->ring[(traces->first + i) % RING_SPANS];
    traces->first = (traces->first + count) % RING_SPANS;
    traces->count -= count;
    pthread_mutex_unlock(&traces->mutex);
    return count;
}

/* The response has a body only if the collector took a part; nothing is sent again. */
static bool post(struct traces *traces, struct text body, int64_t deadline_ms, struct err *err)
{
    static const char *const headers[] = { "Content-Type: application/json", NULL };
    struct fetch_options options = {
        .method = "POST", .headers = headers, .body = body, .kept_bytes = 1
    };
    scoped(fetch_free) struct fetch fetch = { 0 };
    if (!fetch_operator(traces->egress, traces->url, &options, deadline_ms, &fetch, err))
        return false;
    int status = fetch_last(&fetch)->status;
    return status / 100 == 2 ||
           err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the collector responds with status %d", status);
}

static void send_batch(struct traces *traces, size_t count, int64_t deadline_ms)
{
    scoped(buf_free) struct buf body = BUF(BODY_MAX_BYTES);
    struct err err = { 0 };
    spans_write(traces->batch, count, TOLLGATE_VERSION, &body);
    bool ok = post(traces, buf_text(&body), deadline_ms, &err);
    counter_add(ok ? traces->sent : traces->failed, count);
    if (!ok && !traces->is_cut_off)
        log_line(LOG_WARN, "traces cannot be sent", log_str("error", err.message));
    if (ok && traces->is_cut_off)
        log_line(LOG_INFO, "traces can be sent again");
    traces->is_cut_off = !ok;
}

static bool is_stopping(struct traces *traces)
{
    pthread_mutex_lock(&traces->mutex);
    bool is = traces->is_stopping;
    pthread_mutex_unlock(&traces->mutex);
    return is;
}

static void *run(void *argument)
{
    struct traces *traces = argument;
    size_t count;
    while (!is_stopping(traces)) {
        struct pollfd fd = { traces->wakeup, POLLIN, 0 };
        poll(&fd, 1, BATCH_MS);
        wakeup_clear(traces->wakeup);
        while (!is_stopping(traces) && (count = take_batch(traces)) > 0)
            send_batch(traces, count, clock_ms() + TIMEOUT_MS);
    }
    int64_t deadline_ms = clock_ms() + STOP_MS;
    while (deadline_left_ms(deadline_ms) > 0 && (count = take_batch(traces)) > 0)
        send_batch(traces, count, deadline_ms);
    return NULL;
}

/* ---- start and end ---- */

static void traces_free(struct traces **traces)
{
    struct traces *old = *traces;
    if (!old)
        return;
    pthread_mutex_destroy(&old->mutex);
    wakeup_free(&old->wakeup);
    mem_free(&old->ring);
    mem_free(&old->batch);
    mem_free(&old->url);
    mem_free(traces);
}

static void make_metrics(struct traces *traces, struct metrics *metrics)
{
    static const char help[] = "Spans of traces: sent, or dropped and why";
    struct labels sent = { "outcome", "sent" };
    struct labels full = { "outcome", "full" };
    struct labels failed = { "outcome", "failed" };
    traces->sent = metrics_counter(metrics, "tollgate_trace_spans_total", help, sent);
    traces->full = metrics_counter(metrics, "tollgate_trace_spans_total", help, full);
    traces->failed = metrics_counter(metrics, "tollgate_trace_spans_total", help, failed);
}

bool traces_start(const struct traces_options *options, struct traces **traces, struct err *err)
{
    if (strncmp(options->url, "http://", 7) != 0 && strncmp(options->url, "https://", 8) != 0)
        return err_set(err, ERR_INVALID_VALUE,
                       "traces.url: not a URL like http://collector:4318/v1/traces");
    scoped(traces_free) struct traces *made = mem_new(sizeof(*made));
    made->url = str_dup(options->url);
    made->egress = options->egress;
    made->threshold = options->per_million * (INT64_C(1) << 4 * SAMPLE_DIGITS) / 1000000;
    made->ring = mem_new(RING_SPANS * sizeof(*made->ring));
    made->batch = mem_new(BATCH_SPANS * sizeof(*made->batch));
    made->wakeup = wakeup_new();
    pthread_mutex_init(&made->mutex, NULL);
    make_metrics(made, options->metrics);
    if (pthread_create(&made->thread, NULL, run, made) != 0)
        return err_set(err, ERR_INTERNAL, "the thread that sends traces cannot start");
    *traces = take(made);
    return true;
}

void traces_stop(struct traces **traces)
{
    if (!*traces)
        return;
    pthread_mutex_lock(&(*traces)->mutex);
    (*traces)->is_stopping = true;
    pthread_mutex_unlock(&(*traces)->mutex);
    wakeup_signal((*traces)->wakeup);
    pthread_join((*traces)->thread, NULL);
    counter_add((*traces)->failed, (*traces)->count);
    traces_free(traces);
}
