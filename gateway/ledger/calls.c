/* gateway/ledger/calls.c - the callers' side: a call's thread queues an item and waits. */
#include "gateway/ledger/state.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"
#include "base/os/wakeup.h"

enum { REFUND_WAIT_MS = 250 /* a refund delays the response by at most this */ };

/* Queue an item. Wake the ledger thread only if it is idle: a busy thread reads the queue anyway.
 */
static void submit(struct ledger *ledger, struct item *item)
{
    pthread_mutex_lock(&ledger->mutex);
    bool *is_idle = item->op == OP_CHECK ? &ledger->reader_is_idle : &ledger->writer_is_idle;
    bool wakes = *is_idle;
    *is_idle = false;
    ledger->is_settled = false;
    item_submit(ledger, item);
    pthread_mutex_unlock(&ledger->mutex);
    if (wakes)
        wakeup_signal(ledger->wakeup);
}

/* False on timeout. */
static bool wait_for_end(struct item *item, int64_t timeout_ms)
{
    struct timespec until = deadline_in(timeout_ms);
    while (sem_clockwait(&item->done, CLOCK_MONOTONIC, &until) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

/* The semaphore is posted already, or when the continuation is done. */
static void item_wait(struct item *item)
{
    while (!wait_for_end(item, WAITING_MS))
        if (item->continuation.waiting)
            item->continuation.waiting(item->continuation.work);
}

enum knowledge { ENDED, NOT_CHARGED, PERHAPS_CHARGED };

/* The caller timed out: post ITEM_WITHDRAW or ITEM_LEAVE, unless the item is DONE by now. If it is,
 * its semaphore will be posted, at the latest when its continuation is done. */
static enum knowledge leave_item(struct ledger *ledger, struct item *item, enum item_event event)
{
    enum knowledge knowledge = ENDED;
    pthread_mutex_lock(&ledger->mutex);
    if (item->state != ITEM_DONE)
        knowledge = item_may_be_charged(item) ? PERHAPS_CHARGED : NOT_CHARGED;
    if (knowledge == PERHAPS_CHARGED && event == ITEM_LEAVE) {
        log_item(LOG_WARN, "outcome unknown", item);
        item_tell_outcome(ledger, item, OUTCOME_UNKNOWN);
        event = ITEM_LEAVE_UNKNOWN;
    }
    item_post(ledger, item, event); /* these events wake only the caller */
    pthread_mutex_unlock(&ledger->mutex);
    if (knowledge == ENDED)
        item_wait(item);
    return knowledge;
}

static bool is_done(struct ledger *ledger, const struct item *item)
{
    pthread_mutex_lock(&ledger->mutex);
    bool is_done = item->state == ITEM_DONE;
    pthread_mutex_unlock(&ledger->mutex);
    return is_done;
}

/* Queue the item and wait. False on timeout: the item no longer belongs to the caller. The timeout
 * is for the database: once the item is DONE, its continuation takes the time that it needs. */
static bool run_item(struct ledger *ledger, struct item *item, int64_t timeout_ms)
{
    int64_t step_ms = item->continuation.waiting ? WAITING_MS : timeout_ms;
    submit(ledger, item);
    for (int64_t left_ms = timeout_ms; left_ms > 0; left_ms -= step_ms) {
        if (wait_for_end(item, MIN(left_ms, step_ms)))
            return true;
        if (is_done(ledger, item))
            break;
    }
    return leave_item(ledger, item, ITEM_LEAVE) == ENDED;
}

static bool fail_unavailable(struct err *err)
{
    return err_set(err, ERR_LEDGER_UNAVAILABLE,
                   "the credit ledger cannot be reached; nothing was charged, please retry");
}

/* The database is unreachable and enough calls wait for it already. */
static bool is_backlogged(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->mutex);
    bool crowded = ledger->admits.count > 2 * LEDGER_BATCH_MAX;
    pthread_mutex_unlock(&ledger->mutex);
    return crowded && !ledger->is_ready;
}

static bool fail_with(struct err *err, enum err_kind kind)
{
    if (kind == ERR_LEDGER_UNAVAILABLE)
        return fail_unavailable(err);
    return err_set(err, kind, "%s", err_code(kind)); /* the caller writes the sentence */
}

/* Remember the rejection, and return it. */
static bool reject_admission(struct ledger *ledger, const struct admission *admission,
                             enum err_kind refusal, const struct account_snapshot *snapshot,
                             int64_t asked_ms, struct err *err)
{
    spend_estimate_block(ledger->estimate, admission);
    refusals_add(ledger->refusals, admission, refusal, snapshot, asked_ms, clock_ms());
    return fail_with(err, refusal);
}

static bool admit(struct ledger *ledger, const struct admission *admission,
                  const struct continuation *continuation, struct account_snapshot *snapshot,
                  struct kept_answer *kept, struct err *err)
{
    int64_t asked_ms = clock_ms();
    enum err_kind refusal;
    if (refusals_find(ledger->refusals, admission, &refusal, snapshot, asked_ms)) {
        counter_add(ledger->remembered, 1);
        return fail_with(err, refusal);
    }
    if (is_backlogged(ledger))
        return fail_unavailable(err);
    struct item *item = item_new(OP_ADMIT, &admission->account, &admission->id, LEDGER_BATCH_MAX);
    item->admission = *admission;
    item->continuation = *continuation;
    if (!run_item(ledger, item, ledger->options.timeout_ms))
        return fail_unavailable(err);
    refusal = item->refusal;
    *snapshot = item->snapshot;
    *kept = item->kept;
    item->kept = (struct kept_answer){ 0 };
    if (refusal == ERR_NONE)
        spend_estimate_update(ledger->estimate, admission, snapshot, item->sent_over);
    item_free(item);
    return refusal == ERR_NONE ||
           reject_admission(ledger, admission, refusal, snapshot, asked_ms, err);
}

bool ledger_admit(struct ledger *ledger, const struct admission *admission,
                  struct account_snapshot *snapshot, struct kept_answer *kept, struct err *err)
{
    return admit(ledger, admission, &(struct continuation){ 0 }, snapshot, kept, err);
}

bool ledger_admit_and_run(struct ledger *ledger, const struct admission *admission,
                          const struct continuation *continuation,
                          struct account_snapshot *snapshot, struct kept_answer *kept,
                          struct err *err)
{
    return admit(ledger, admission, continuation, snapshot, kept, err);
}

/* A settlement returns the balance only; the windows stay as the admission returned them. */
static void update_balance(struct account_snapshot *snapshot, const struct item *item)
{
    if (item->refusal != ERR_NONE)
        return;
    snapshot->posted = item->snapshot.posted;
    snapshot->held = item->snapshot.held;
}

/* True: the credits are back, and nothing is charged. */
static bool refund_item(struct ledger *ledger, struct item *item, struct account_snapshot *snapshot)
{
    if (!run_item(ledger, item, REFUND_WAIT_MS))
        return false;
    bool is_back = item->refusal == ERR_NONE && !item->is_captured;
    update_balance(snapshot, item);
    item_free(item);
    return is_back;
}

/* ---- captures ---- */

static struct item *capture_item(const struct capture *capture)
{
    struct item *item = item_new(OP_CAPTURE, &capture->account, &capture->id, LEDGER_BATCH_MAX);
    if (capture->headers)
        item->headers = str_dup(capture->headers);
    if (capture->body.bytes) {
        item->body = mem_dup(capture->body.bytes, capture->body.size);
        item->body_bytes = capture->body.size;
    }
    return item;
}

static bool fail_unknown(struct ledger *ledger, struct err *err)
{
    counter_add(ledger->unknown, 1);
    return fail_with(err, ERR_OUTCOME_UNKNOWN);
}

/* PostgreSQL rejects the item itself. Refund what an earlier attempt may have charged. */
static bool end_rejected_charge(struct ledger *ledger, const struct item *item,
                                struct account_snapshot *snapshot, struct err *err)
{
    struct item *cancel = item_new(OP_CANCEL, &item->account, &item->id, LEDGER_BATCH_MAX);
    cancel->is_uncertain = item->is_uncertain;
    cancel->is_payment = item->is_payment;
    cancel->optimistic = item->optimistic;
    return refund_item(ledger, cancel, snapshot) || !item->is_uncertain
               ? err_set(err, ERR_INTERNAL, "an internal error; nothing was charged")
               : fail_unknown(ledger, err);
}

/* The outcome of a charge that is done. is_late: the caller had withdrawn it, so it may be a
 * cancel. */
static bool end_charge(struct ledger *ledger, struct item *item, bool is_late,
                       struct account_snapshot *snapshot, struct err *err)
{
    if (item->refusal != ERR_NONE)
        return end_rejected_charge(ledger, item, snapshot, err);
    if (is_late) /* still charged: a repeated call with the same key was answered with its result */
        return item->is_captured ? fail_unknown(ledger, err) : fail_unavailable(err);
    return item->is_captured ||
           err_set(err, ERR_DEADLINE_EXCEEDED,
                   "the tool's result came after its deadline; nothing was charged");
}

enum charge { CHARGE_ENDED, CHARGE_LATE, CHARGE_LEFT };

/* Queue a charge and wait for it. CHARGE_LATE: it was withdrawn first. CHARGE_LEFT: *err has what
 * is known, and the item no longer belongs to the caller. */
static enum charge run_charge(struct ledger *ledger, struct item *item, struct err *err)
{
    submit(ledger, item);
    if (wait_for_end(item, ledger->options.timeout_ms) ||
        leave_item(ledger, item, ITEM_WITHDRAW) == ENDED)
        return CHARGE_ENDED;
    if (wait_for_end(item, REFUND_WAIT_MS))
        return CHARGE_LATE;
    enum knowledge knowledge = leave_item(ledger, item, ITEM_LEAVE);
    if (knowledge == ENDED)
        return CHARGE_LATE;
    if (knowledge == NOT_CHARGED)
        fail_unavailable(err);
    else
        fail_unknown(ledger, err);
    return CHARGE_LEFT;
}

bool ledger_capture(struct ledger *ledger, const struct capture *capture,
                    struct account_snapshot *snapshot, struct err *err)
{
    struct item *item = capture_item(capture);
    enum charge charge = run_charge(ledger, item, err);
    if (charge == CHARGE_LEFT)
        return false;
    update_balance(snapshot, item);
    bool ok = end_charge(ledger, item, charge == CHARGE_LATE, snapshot, err);
    item_free(item);
    return ok;
}

/* ---- optimistic calls: admitted and charged at once, after their work ---- */

bool ledger_admit_optimistic(struct ledger *ledger, const struct admission *admission,
                             struct optimistic_admission *optimistic)
{
    enum err_kind refusal;
    struct account_snapshot snapshot;
    return !refusals_find(ledger->refusals, admission, &refusal, &snapshot, clock_ms()) &&
           spend_estimate_take(ledger->estimate, admission, optimistic);
}

/* No batch is under way, so there are no other calls to start together with. */
static bool is_quiet(struct ledger *ledger)
{
    pthread_mutex_lock(&ledger->mutex);
    bool is_quiet = ledger->writer_is_idle && ledger->is_ready;
    pthread_mutex_unlock(&ledger->mutex);
    return is_quiet;
}

bool ledger_run_ahead(struct ledger *ledger, const struct admission *admission,
                      const struct continuation *continuation, struct err *err)
{
    struct item *item = item_new(OP_START, &admission->account, &admission->id, LEDGER_BATCH_MAX);
    item->continuation = *continuation;
    if (is_quiet(ledger)) {
        item->state = ITEM_DONE;
        item_start_continuation(item);
        item_wait(item);
    } else if (!run_item(ledger, item, ledger->options.timeout_ms)) {
        spend_estimate_release(ledger->estimate, admission);
        return fail_unavailable(err);
    }
    item_free(item);
    return true;
}

void ledger_cancel_optimistic(struct ledger *ledger, const struct admission *admission)
{
    spend_estimate_release(ledger->estimate, admission);
}

static struct item *payment_item(const struct admission *admission,
                                 const struct optimistic_admission *optimistic)
{
    struct item *item = item_new(OP_PAY, &admission->account, &admission->id, LEDGER_BATCH_MAX);
    item->admission = *admission;
    item->optimistic = *optimistic;
    item->is_payment = true;
    return item;
}

/* A rejection for the account's state, as before a call. */
static bool is_account_rejection(enum err_kind refusal)
{
    return refusal != ERR_NONE && refusal != ERR_INTERNAL;
}

static bool end_payment(struct ledger *ledger, const struct admission *admission, struct item *item,
                        bool is_late, int64_t asked_ms, struct account_snapshot *snapshot,
                        struct err *err)
{
    enum err_kind refusal = item->refusal;
    if (!is_late)
        *snapshot = item->snapshot;
    if (is_account_rejection(refusal)) {
        counter_add(ledger->unpaid, 1);
        return reject_admission(ledger, admission, refusal, snapshot, asked_ms, err);
    }
    if (item->is_captured && !is_late)
        spend_estimate_update(ledger->estimate, admission, snapshot, item->sent_over);
    return end_charge(ledger, item, is_late, snapshot, err);
}

bool ledger_pay(struct ledger *ledger, const struct admission *admission,
                const struct optimistic_admission *optimistic, struct account_snapshot *snapshot,
                struct err *err)
{
    int64_t asked_ms = clock_ms();
    struct item *item = payment_item(admission, optimistic);
    enum charge charge = run_charge(ledger, item, err);
    spend_estimate_release(ledger->estimate, admission);
    if (charge == CHARGE_LEFT)
        return false;
    bool ok = end_payment(ledger, admission, item, charge == CHARGE_LATE, asked_ms, snapshot, err);
    item_free(item);
    return ok;
}

/* ---- voids ---- */

void ledger_void(struct ledger *ledger, const struct uuid *account, const struct uuid *id,
                 bool keep_day, struct account_snapshot *snapshot)
{
    enum op op = keep_day ? OP_VOID_KEEP_DAY : OP_VOID;
    refund_item(ledger, item_new(op, account, id, LEDGER_BATCH_MAX), snapshot);
}

/* ---- checks ---- */

/* Check a token in the database; facts NULL: the caller does not need them. */
static bool query_token(struct ledger *ledger, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                        struct uuid *token_id, struct token_facts *facts, struct err *err)
{
    struct uuid none = { 0 };
    struct item *item = item_new(OP_CHECK, account, &none, LEDGER_BATCH_MAX);
    memcpy(item->admission.token, token, DIGEST_BYTES);
    item->admission.address = *address;
    if (facts)
        item->facts = mem_new(sizeof(*item->facts));
    if (!run_item(ledger, item, ledger->options.timeout_ms))
        return fail_unavailable(err);
    struct token_verdict verdict = { item->refusal, item->snapshot.token };
    if (facts && verdict.refusal == ERR_NONE) {
        *facts = *item->facts;
        *item->facts = (struct token_facts){ 0 };
    }
    item_free(item);
    refusals_add_token(ledger->refusals, account, token, address, &verdict, clock_ms());
    *token_id = verdict.token_id;
    return verdict.refusal == ERR_NONE || fail_with(err, verdict.refusal);
}

bool ledger_check_token(struct ledger *ledger, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                        struct uuid *token_id, struct err *err)
{
    struct token_verdict verdict;
    if (!refusals_find_token(ledger->refusals, account, token, address, &verdict, clock_ms()))
        return query_token(ledger, account, token, address, token_id, NULL, err);
    counter_add(ledger->remembered, 1);
    *token_id = verdict.token_id;
    return verdict.refusal == ERR_NONE || fail_with(err, verdict.refusal);
}

bool ledger_ask_token(struct ledger *ledger, const struct uuid *account,
                      const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                      struct uuid *token_id, struct token_facts *facts, struct err *err)
{
    struct token_verdict verdict;
    if (!refusals_find_token(ledger->refusals, account, token, address, &verdict, clock_ms()) ||
        verdict.refusal == ERR_NONE)
        return query_token(ledger, account, token, address, token_id, facts, err);
    counter_add(ledger->remembered, 1);
    *token_id = verdict.token_id;
    return fail_with(err, verdict.refusal);
}
