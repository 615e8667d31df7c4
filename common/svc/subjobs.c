/* common/svc/subjobs.c - batches of subjobs, between job threads and the thread with the
 * sockets. */
#include "svc/subjobs.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/wakeup.h"

enum state { WAITS, SENT, DONE };

struct subjobs {
    pthread_mutex_t mutex; /* guards the batches and their contents */
    struct subjob_batch *batches;
    int wakeup;
};

/* One subjob of a batch. */
struct asked {
    enum state state;
    struct uuid id;
    int64_t sent_ms;
};

struct subjob_batch {
    struct subjob_batch *next;
    struct subjobs *home;
    pthread_cond_t ended; /* signaled when none is open */
    uint64_t link;
    struct uuid parent;
    size_t count;
    size_t sent; /* sent and not done */
    size_t open; /* not done */
    struct subjob *subjob;
    struct asked asked[SUBJOBS_MAX];
};

struct subjobs *subjobs_new(void)
{
    struct subjobs *subjobs = mem_new(sizeof(*subjobs));
    pthread_mutex_init(&subjobs->mutex, NULL);
    subjobs->wakeup = wakeup_new();
    return subjobs;
}

void subjobs_free(struct subjobs **subjobs)
{
    if (!*subjobs)
        return;
    assert(!(*subjobs)->batches);
    wakeup_free(&(*subjobs)->wakeup);
    pthread_mutex_destroy(&(*subjobs)->mutex);
    mem_free(subjobs);
}

int subjobs_fd(const struct subjobs *subjobs)
{
    return subjobs->wakeup;
}

/* ---- job threads ---- */

struct subjob_batch *subjobs_begin(const struct job *job, struct subjob *subjob, size_t count)
{
    struct subjobs *home = job->subjobs;
    struct subjob_batch *batch = mem_new(sizeof(*batch));
    assert(count <= SUBJOBS_MAX);
    batch->home = home;
    batch->link = job->link;
    batch->parent = job->id;
    batch->count = batch->open = count;
    batch->subjob = subjob;
    pthread_cond_init(&batch->ended, NULL);
    for (size_t i = 0; i < count; i++)
        batch->asked[i].id = uuid_new();

    pthread_mutex_lock(&home->mutex);
    batch->next = home->batches;
    home->batches = batch;
    pthread_mutex_unlock(&home->mutex);
    wakeup_signal(home->wakeup);
    return batch;
}

static void remove_batch(struct subjob_batch *batch)
{
    struct subjob_batch **at = &batch->home->batches;
    while (*at != batch)
        at = &(*at)->next;
    *at = batch->next;
}

/* With the mutex held. */
static void mark_done(struct subjob_batch *batch, size_t i)
{
    struct asked *asked = &batch->asked[i];
    if (asked->state == SENT) {
        batch->subjob[i].took_ms = clock_ms() - asked->sent_ms;
        batch->sent--;
    }
    asked->state = DONE;
    if (--batch->open == 0)
        pthread_cond_signal(&batch->ended);
}

static void fail_subjob(struct subjob_batch *batch, size_t i, enum err_kind kind, const char *why)
{
    err_set(&batch->subjob[i].err, kind, "%s", why);
    mark_done(batch, i);
}

void subjobs_end(struct subjob_batch **address, int64_t deadline_ms)
{
    struct subjob_batch *batch = *address;
    struct timespec until = deadline_at(deadline_ms);
    pthread_mutex_lock(&batch->home->mutex);
    while (batch->open > 0 &&
           pthread_cond_clockwait(&batch->ended, &batch->home->mutex, CLOCK_MONOTONIC, &until) == 0)
        ;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->asked[i].state != DONE)
            fail_subjob(batch, i, ERR_DEADLINE_EXCEEDED, "it did not answer in time");
    remove_batch(batch);
    pthread_mutex_unlock(&batch->home->mutex);
    pthread_cond_destroy(&batch->ended);
    mem_free(address);
}

/* ---- the thread with the sockets ---- */

typedef bool send_job(void *context, uint64_t link, const struct wire_job *job,
                      struct text request);

static void send_one(struct subjob_batch *batch, size_t i, send_job *send, void *context)
{
    const struct subjob *subjob = &batch->subjob[i];
    struct wire_job job = { .id = batch->asked[i].id,
                            .budget_ms = (uint32_t)subjob->budget_ms,
                            .is_subjob = true,
                            .parent = batch->parent };
    snprintf(job.tool, sizeof(job.tool), "%s", subjob->tool);
    if (!send(context, batch->link, &job, subjob->request)) {
        fail_subjob(batch, i, ERR_WORKER_LOST, "the gateway is gone");
        return;
    }
    batch->asked[i].state = SENT;
    batch->asked[i].sent_ms = clock_ms();
    batch->sent++;
}

void subjobs_send(struct subjobs *subjobs, send_job *send, void *context)
{
    wakeup_clear(subjobs->wakeup);
    pthread_mutex_lock(&subjobs->mutex);
    for (struct subjob_batch *batch = subjobs->batches; batch; batch = batch->next)
        for (size_t i = 0; i < batch->count && batch->sent < SUBJOBS_AT_ONCE; i++)
            if (batch->asked[i].state == WAITS)
                send_one(batch, i, send, context);
    pthread_mutex_unlock(&subjobs->mutex);
}

/* The batch of a reply; NULL: none. */
static struct subjob_batch *find_batch(struct subjobs *subjobs, uint64_t link,
                                       const struct uuid *id, size_t *index)
{
    for (struct subjob_batch *batch = subjobs->batches; batch; batch = batch->next)
        for (size_t i = 0; i < batch->count; i++)
            if (batch->link == link && batch->asked[i].state == SENT &&
                uuid_equal(&batch->asked[i].id, id)) {
                *index = i;
                return batch;
            }
    return NULL;
}

static void store_answer(struct subjob *subjob, const struct wire_reply *reply, struct text body)
{
    if (reply->errs.count > 0) {
        subjob->err = reply->errs.item[0];
        return;
    }
    subjob->result = (struct buf)BUF(body.size);
    buf_add(&subjob->result, body.bytes, body.size);
}

bool subjobs_answer(struct subjobs *subjobs, uint64_t link, const struct wire_reply *reply,
                    struct text body)
{
    size_t i;
    pthread_mutex_lock(&subjobs->mutex);
    struct subjob_batch *batch = find_batch(subjobs, link, &reply->id, &i);
    if (batch) {
        store_answer(&batch->subjob[i], reply, body);
        mark_done(batch, i);
    }
    pthread_mutex_unlock(&subjobs->mutex);
    return batch != NULL;
}

void subjobs_lose(struct subjobs *subjobs, uint64_t link)
{
    pthread_mutex_lock(&subjobs->mutex);
    for (struct subjob_batch *batch = subjobs->batches; batch; batch = batch->next)
        for (size_t i = 0; i < batch->count; i++)
            if (batch->link == link && batch->asked[i].state != DONE)
                fail_subjob(batch, i, ERR_WORKER_LOST, "the gateway is gone");
    pthread_mutex_unlock(&subjobs->mutex);
}
