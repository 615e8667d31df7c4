/* gateway/ledger/item-machine.c - runs the state machine of gateway/ledger/item-states.def. */
#include <assert.h>

#include "base/mem.h"
#include "gateway/ledger/state.h"

enum action {
    NOTHING,
    PUSH_FRONT, /* to its queue */
    PUSH_BACK,
    REQUEUE, /* remove it from its queue and push it to the queue of its new op */
    FORGET,  /* remove it from its queue and free it */
    WAKE,
    FAIL, /* with ERR_LEDGER_UNAVAILABLE, and wake */
    FREE,
};

static const struct transition {
    bool is_possible;
    enum item_state next;
    enum action action;
} transitions[ITEM_STATES][ITEM_EVENTS] = {
#define TRANSITION(state, event, next, action) \
    [ITEM_##state][ITEM_##event] = { true, ITEM_##next, action },
#include "gateway/ledger/item-states.def"
};

static bool is_sent(const struct item *item)
{
    return transitions[item->state][ITEM_LOSE].is_possible;
}

static bool is_cancel(enum item_state state)
{
    return state == ITEM_CANCEL_QUEUED || state == ITEM_CANCEL_SENT ||
           state == ITEM_CANCEL_QUEUED_LEFT || state == ITEM_CANCEL_LEFT;
}

static enum item_state first_state(const struct item *item)
{
    switch (item->op) {
    case OP_CAPTURE:
        return ITEM_OPEN_QUEUED;
    case OP_VOID:
    case OP_CANCEL:
    case OP_VOID_KEEP_DAY:
        return ITEM_CANCEL_QUEUED;
    case OP_ADMIT: /* 0 credits: it writes nothing that could be found by its id */
        return item->admission.credits == 0 ? ITEM_LOOK_QUEUED : ITEM_CLAIM_QUEUED;
    case OP_PAY:
        return ITEM_CLAIM_QUEUED;
    case OP_CHECK:
    case OP_START:
        break;
    }
    return ITEM_LOOK_QUEUED;
}

struct queue *ledger_queue_of(struct ledger *ledger, const struct item *item)
{
    if (item_is_admission(item))
        return &ledger->admits;
    if (item->op == OP_START)
        return &ledger->starts;
    return item->op == OP_CHECK ? &ledger->checks : &ledger->settles;
}

void item_submit(struct ledger *ledger, struct item *item)
{
    item->state = first_state(item);
    queue_push(ledger_queue_of(ledger, item), item);
}

static void become_cancel(struct ledger *ledger, struct item *item)
{
    item->op = OP_CANCEL;
    mem_free(&item->body);
    mem_free(&item->headers);
    counter_add(ledger->cancelled, 1);
}

void item_tell_outcome(struct ledger *ledger, const struct item *item, enum outcome_state state)
{
    const struct outcome_listener *outcomes = &ledger->options.outcomes;
    if (outcomes->add)
        outcomes->add(outcomes->context, &item->account, &item->id, state);
}

static void record_outcome(struct ledger *ledger, const struct item *item)
{
    log_item(LOG_INFO,
             item->is_captured ? "outcome settled: charged, its answer was replayed"
                               : "outcome settled: not charged",
             item);
    item_tell_outcome(ledger, item, item->is_captured ? OUTCOME_CHARGED : OUTCOME_NOT_CHARGED);
}

/* If its waiter returned outcome_unknown, record the outcome. */
static void free_item(struct ledger *ledger, struct item *item)
{
    if (item->is_told)
        record_outcome(ledger, item);
    item_free(item);
}

static bool run_action(struct ledger *ledger, struct item *item, enum action action)
{
    switch (action) {
    case NOTHING:
        return false;
    case PUSH_FRONT:
        queue_push_front(ledger_queue_of(ledger, item), item);
        return false;
    case PUSH_BACK:
    case REQUEUE:
        queue_push(ledger_queue_of(ledger, item), item);
        return false;
    case FAIL:
        item->refusal = ERR_LEDGER_UNAVAILABLE;
        return true;
    case WAKE:
        return true;
    case FORGET:
    case FREE:
        free_item(ledger, item);
        return false;
    }
    return false;
}

bool item_post(struct ledger *ledger, struct item *item, enum item_event event)
{
    const struct transition *transition = &transitions[item->state][event];
    bool becomes_cancel = is_cancel(transition->next) && !is_cancel(item->state);

    assert(transition->is_possible);
    if (transition->action == REQUEUE || transition->action == FORGET)
        queue_remove(ledger_queue_of(ledger, item), item);
    item->state = transition->next;
    if (event == ITEM_LOSE || (event == ITEM_BOOK && becomes_cancel))
        item->is_uncertain = true; /* it may be committed, until the cancel is done */
    if (event == ITEM_LEAVE_UNKNOWN)
        item->is_told = true;
    if (becomes_cancel)
        become_cancel(ledger, item);
    return run_action(ledger, item, transition->action);
}

bool item_may_be_charged(const struct item *item)
{
    if (item->op == OP_CAPTURE || item->op == OP_PAY)
        return item->is_uncertain || is_sent(item);
    return item->op == OP_CANCEL && item->is_uncertain;
}

void item_wake(void *context)
{
    struct item *item = context;
    sem_post(&item->done);
}

void item_start_continuation(struct item *item)
{
    item->continuation.start(item->continuation.work, item_wake, item);
}
