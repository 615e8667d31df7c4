/* gateway/ledger/calls.c - the waiters' side: the threads of calls queue an item and sleep. */
#include "gateway/ledger/state.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/bell.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"

enum { VOID_WAIT_MS = 250 /* a void never delays the answer for longer */ };

struct queue *ledger_queue_of(struct ledger *ledger, const struct item *item)
{
    if (item->op == OP_ADMIT)
        return &ledger->admits;
    return item->op == OP_CHECK ? &ledger->checks : &ledger->settles;
}

void item_become_cancel(struct ledger *ledger, struct item *item)
{
    if (item->op == OP_VOID || item->op == OP_VOID_KEEP_DAY || item->op == OP_CANCEL)
        return;
    item->op = OP_CANCEL;
    mem_free(&item->body);
    mem_free(&item->headers);
    counter_add(ledger->cancelled, 1);
}

void item_abandon(struct ledger *ledger, struct item *item)
{
    item->is_abandoned = true;
    if (item->state != QUEUED)
        return;
    queue_remove(ledger_queue_of(ledger, item), item);
    bool is_new = (item->op == OP_ADMIT || item->op == OP_CHECK) && !item->is_uncertain;
    if (is_new || !item_has_id(item)) {
        item_free(item);
        return;
    }
    item_become_cancel(ledger, item);
    queue_push(&ledger->settles, item);
}

/* Queue an item; the thread is woken only when it has nothing under way to wait for. */
static void submit(struct ledger *ledger, struct item *item)
{
    pthread_mutex_lock(&ledger->mutex);
    bool *is_idle = item->op == OP_CHECK ? &ledger->reader_is_idle : &ledger->writer_is_idle;
    bool rings = *is_idle;
    *is_idle = false;
    queue_push(ledger_queue_of(ledger, item), item);
    pthread_mutex_unlock(&ledger->mutex);
    if (rings)
        bell_ring(ledger->bell);
}

/* Time is over. True when the outcome is known all the same: the post is on its way, at the latest
 * when the sequel has ended. */
static bool is_ended(struct ledger *ledger, struct item *item)
{
    pthread_mutex_lock(&ledger->mutex);
    bool is_done = item->state == DONE;
    if (!is_done)
        item_abandon(ledger, item);
    pthread_mutex_unlock(&ledger->mutex);
    while (is_done && sem_wait(&item->done) != 0)
        ; /* EINTR */
    return is_done;
}

/* The waiter's side: queue the item and wait. False when time is over: the item is no longer the
 * caller's. */
static bool run_item(struct ledger *ledger, struct item *item, int64_t timeout_ms)
{
    submit(ledger, item);

    struct timespec until = deadline_in(timeout_ms);
    while (sem_clockwait(&item->done, CLOCK_MONOTONIC, &until) != 0)
        if (errno != EINTR)
            return is_ended(ledger, item);
    return true;
}

static bool unavailable(struct err *err)
{
    return err_set(err, ERR_LEDGER_UNAVAILABLE,
                   "the credit ledger cannot be reached; nothing was charged, please try again");
}

/* When the database has been away for a while, threads do not queue up behind it. */
static bool is_hopeless(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->mutex);
    bool crowded = ledger->admits.count > 2 * LEDGER_BATCH_MAX;
    pthread_mutex_unlock(&ledger->mutex);
    return crowded && !ledger->is_ready;
}

static bool refuse(struct err *err, enum err_kind kind)
{
    if (kind == ERR_LEDGER_UNAVAILABLE)
        return unavailable(err);
    return err_set(err, kind, "%s", err_code(kind)); /* the caller knows what to say */
}

static bool admit(struct ledger *ledger, const struct admission *admission,
                  const struct sequel *sequel, struct standing *standing, struct kept_answer *kept,
                  struct err *err)
{
    int64_t asked_ms = clock_ms();
    enum err_kind refusal;
    if (refusals_find(ledger->refusals, admission, &refusal, standing, asked_ms)) {
        counter_add(ledger->remembered, 1);
        return refuse(err, refusal);
    }
    if (is_hopeless(ledger))
        return unavailable(err);
    struct item *item = item_new(OP_ADMIT, &admission->account, &admission->id, LEDGER_BATCH_MAX);
    item->admission = *admission;
    item->sequel = *sequel;
    if (!run_item(ledger, item, ledger->options.timeout_ms))
        return unavailable(err);
    refusal = item->refusal;
    *standing = item->standing;
    *kept = item->kept;
    item->kept = (struct kept_answer){ 0 };
    item_free(item);
    if (refusal == ERR_NONE)
        return true;
    refusals_add(ledger->refusals, admission, refusal, standing, asked_ms, clock_ms());
    return refuse(err, refusal);
}

bool ledger_admit(struct ledger *ledger, const struct admission *admission,
                  struct standing *standing, struct kept_answer *kept, struct err *err)
{
    return admit(ledger, admission, &(struct sequel){ 0 }, standing, kept, err);
}

bool ledger_admit_and_run(struct ledger *ledger, const struct admission *admission,
                          const struct sequel *sequel, struct standing *standing,
                          struct kept_answer *kept, struct err *err)
{
    return admit(ledger, admission, sequel, standing, kept, err);
}

/* A settlement tells the balance; the windows stay as admission told them. */
static void update_balance(struct standing *standing, const struct item *item)
{
    if (item->refusal != ERR_NONE)
        return;
    standing->posted = item->standing.posted;
    standing->held = item->standing.held;
}

bool ledger_capture(struct ledger *ledger, const struct capture *capture, struct standing *standing,
                    struct err *err)
{
    struct item *item = item_new(OP_CAPTURE, &capture->account, &capture->id, LEDGER_BATCH_MAX);
    if (capture->body.bytes) {
        item->headers = str_dup(capture->headers);
        item->body = mem_dup(capture->body.bytes, capture->body.size);
        item->body_bytes = capture->body.size;
    }
    if (!run_item(ledger, item, ledger->options.timeout_ms))
        return unavailable(err);
    bool is_captured = item->is_captured;
    enum err_kind refusal = item->refusal;
    update_balance(standing, item);
    item_free(item);
    if (refusal != ERR_NONE)
        return refuse(err, refusal);
    return is_captured || err_set(err, ERR_DEADLINE_EXCEEDED,
                                  "the tool answered after its time; nothing was charged");
}

static void give_back(struct ledger *ledger, enum op op, const struct uuid *account,
                      const struct uuid *id, struct standing *standing)
{
    struct item *item = item_new(op, account, id, LEDGER_BATCH_MAX);
    if (!run_item(ledger, item, VOID_WAIT_MS))
        return;
    update_balance(standing, item);
    item_free(item);
}

void ledger_void(struct ledger *ledger, const struct uuid *account, const struct uuid *id,
                 bool keep_day, struct standing *standing)
{
    give_back(ledger, keep_day ? OP_VOID_KEEP_DAY : OP_VOID, account, id, standing);
}

void ledger_cancel(struct ledger *ledger, const struct uuid *account, const struct uuid *id,
                   struct standing *standing)
{
    give_back(ledger, OP_CANCEL, account, id, standing);
}

bool ledger_check_token(struct ledger *ledger, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], struct err *err)
{
    struct uuid none = { 0 };
    enum err_kind refusal;
    if (refusals_find_token(ledger->refusals, account, token, &refusal, clock_ms())) {
        counter_add(ledger->remembered, 1);
        return refusal == ERR_NONE || refuse(err, refusal);
    }
    struct item *item = item_new(OP_CHECK, account, &none, LEDGER_BATCH_MAX);
    memcpy(item->admission.token, token, DIGEST_BYTES);
    if (!run_item(ledger, item, ledger->options.timeout_ms))
        return unavailable(err);
    refusal = item->refusal;
    item_free(item);
    refusals_add_token(ledger->refusals, account, token, refusal, clock_ms());
    return refusal == ERR_NONE || refuse(err, refusal);
}
