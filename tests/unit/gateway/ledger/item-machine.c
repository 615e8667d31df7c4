/* tests/unit/gateway/ledger/item-machine.c - every state of an item, every event, and the
 * invariants after each. */
#include <string.h>

#include "gateway/ledger/state.h"
#include "rows.h"

static const char *const state_names[] = {
    "LOOK_QUEUED", "LOOK_SENT",          "LOOK_LEFT",   "CLAIM_QUEUED",
    "CLAIM_SENT",  "CLAIM_WITHDRAWN",    "CLAIM_LEFT",  "OPEN_QUEUED",
    "OPEN_SENT",   "OPEN_WITHDRAWN",     "OPEN_LEFT",   "CANCEL_QUEUED",
    "CANCEL_SENT", "CANCEL_QUEUED_LEFT", "CANCEL_LEFT", "DONE",
    "FREED",
};
static const char *const event_names[] = { "SEND", "RETURN",   "BUSY",  "LOSE",         "BOOK",
                                           "END",  "WITHDRAW", "LEAVE", "LEAVE_UNKNOWN" };

static bool is(enum item_state state, const char *part)
{
    return strstr(state_names[state], part) != NULL;
}

/* ---- the table, as data ---- */

static const struct row {
    enum item_state state;
    enum item_event event;
    enum item_state next;
} table[] = {
#define TRANSITION(state, event, next, action) { ITEM_##state, ITEM_##event, ITEM_##next },
#include "gateway/ledger/item-states.def"
};

static const struct row *find(enum item_state state, enum item_event event)
{
    for (size_t i = 0; i < countof(table); i++)
        if (table[i].state == state && table[i].event == event)
            return &table[i];
    return NULL;
}

/* Which events can meet a state, by where it is and whether it has a waiter. */
static bool must_handle(enum item_state state, enum item_event event)
{
    bool is_queued = is(state, "QUEUED");
    bool is_open = is(state, "OPEN") || is(state, "CLAIM");
    bool has_waiter = !is(state, "LEFT") && state != ITEM_FREED;
    bool is_sent = !is_queued && state != ITEM_DONE && state != ITEM_FREED;
    switch (event) {
    case ITEM_SEND:
        return is_queued;
    case ITEM_RETURN:
    case ITEM_BUSY:
    case ITEM_LOSE:
        return is_sent;
    case ITEM_END:
        return is_sent || state == ITEM_LOOK_QUEUED;
    case ITEM_BOOK:
        return is_sent && is_open;
    case ITEM_WITHDRAW:
        return state == ITEM_DONE || (has_waiter && is_open && !is(state, "WITHDRAWN"));
    case ITEM_LEAVE:
        return has_waiter;
    case ITEM_LEAVE_UNKNOWN: /* an item that was never sent is known */
        return has_waiter && state != ITEM_DONE && !is(state, "LOOK") && state != ITEM_CLAIM_QUEUED;
    case ITEM_EVENTS:
        break;
    }
    return false;
}

static void each_event_that_can_come_has_one_row(void **state)
{
    (void)state;
    for (enum item_state s = 0; s < ITEM_STATES; s++)
        for (enum item_event e = 0; e < ITEM_EVENTS; e++)
            if (must_handle(s, e) != (find(s, e) != NULL))
                fail_msg("%s meets %s: %s", state_names[s], event_names[e],
                         find(s, e) ? "cannot happen, but has a row" : "has no row");
    for (size_t i = 0; i < countof(table); i++)
        assert_ptr_equal(find(table[i].state, table[i].event), &table[i]);
}

/* ---- the machine, played: each sequence of events, to the end ---- */

enum { STEPS_MAX = 9 };

static struct {
    struct ledger ledger;
    struct metrics *metrics;
    size_t ends;
    size_t frees; /* of items */
    bool seen[ITEM_STATES][ITEM_EVENTS];
} world;

static const struct start {
    enum op op;
    int64_t credits;
    enum item_state state;
} starts[] = {
    { OP_CAPTURE, 0, ITEM_OPEN_QUEUED },  { OP_VOID, 0, ITEM_CANCEL_QUEUED },
    { OP_CANCEL, 0, ITEM_CANCEL_QUEUED }, { OP_VOID_KEEP_DAY, 0, ITEM_CANCEL_QUEUED },
    { OP_ADMIT, 0, ITEM_LOOK_QUEUED },    { OP_ADMIT, 1, ITEM_CLAIM_QUEUED },
    { OP_PAY, 1, ITEM_CLAIM_QUEUED },     { OP_CHECK, 0, ITEM_LOOK_QUEUED },
    { OP_START, 0, ITEM_LOOK_QUEUED },
};

void __real_item_free(struct item *item);
void __wrap_item_free(struct item *item);

/* The linker replaces item_free() with this (--wrap). */
void __wrap_item_free(struct item *item)
{
    world.frees++;
    __real_item_free(item);
}

static size_t queued(void)
{
    struct ledger *ledger = &world.ledger;
    return ledger->settles.count + ledger->admits.count + ledger->checks.count +
           ledger->starts.count;
}

/* The thread takes off its queue what it sends, and what it finishes without sending. */
static void take_off_queue(struct item *item, enum item_event event)
{
    if (event == ITEM_SEND || (event == ITEM_END && item->state == ITEM_LOOK_QUEUED))
        queue_remove(ledger_queue_of(&world.ledger, item), item);
}

struct facts {
    bool only_looks;    /* it writes nothing */
    bool has_hold;      /* a capture's, before it is sent */
    bool may_be_booked; /* as seen by a witness of each event */
    bool is_undone;     /* its waiter wants that */
    bool is_unknown;    /* its waiter returned outcome_unknown */
    bool is_left;
    bool is_woken;
};

static void witness(struct facts *facts, const struct start *start, enum item_event event)
{
    bool leaves_marks = start->op == OP_PAY || (start->op == OP_ADMIT && start->credits > 0) ||
                        start->op == OP_CAPTURE;
    if (leaves_marks && (event == ITEM_BOOK || event == ITEM_LOSE))
        facts->may_be_booked = true;
    if (event == ITEM_LEAVE || event == ITEM_LEAVE_UNKNOWN)
        facts->is_left = true;
    if (event == ITEM_LEAVE_UNKNOWN)
        facts->is_unknown = true;
    if (facts->is_left || event == ITEM_WITHDRAW)
        facts->is_undone = true;
}

static bool is_cancel_op(enum op op)
{
    return op == OP_CANCEL || op == OP_VOID || op == OP_VOID_KEEP_DAY;
}

/* The invariants of an item that is not freed. before: its op before the event. */
static void check_item(const struct item *item, const struct facts *facts, enum op before)
{
    bool is_cancel = is_cancel_op(item->op);
    assert_int_equal(queued(), is(item->state, "QUEUED") ? 1 : 0);
    if (is(item->state, "QUEUED"))
        assert_ptr_equal(ledger_queue_of(&world.ledger, item)->first, item);
    if (item->state != ITEM_DONE) {
        assert_int_equal(is_cancel, is(item->state, "CANCEL"));
        assert_int_equal(facts->is_left, is(item->state, "LEFT"));
        assert_int_equal(facts->only_looks, is(item->state, "LOOK"));
    }
    assert_true(item->is_uncertain || item->op == OP_CAPTURE || !facts->may_be_booked ||
                item->state == ITEM_DONE);
    assert_false(facts->is_left && item->state == ITEM_DONE); /* it would leak */
    assert_true(!is(item->state, "OPEN") || facts->has_hold || facts->may_be_booked ||
                facts->is_unknown);
    assert_false(facts->is_unknown && is(item->state, "CLAIM"));
    if (is_cancel && !is_cancel_op(before)) /* it is sent as one, so its outcome is one's */
        assert_true(is(item->state, "QUEUED"));
    if (facts->is_undone) /* it is not sent as a charge again */
        assert_false(is(item->state, "CLAIM_QUEUED") || is(item->state, "OPEN_QUEUED"));
}

/* A freed item must not leave a hold or a charge that nobody undoes. */
static void check_freed(enum item_state before, enum item_event event, const struct facts *facts)
{
    assert_int_equal(queued(), 0);
    assert_true(facts->is_left);
    assert_false(event == ITEM_BOOK || (event == ITEM_LOSE && !is(before, "LOOK")));
    assert_true(event == ITEM_END || is(before, "LOOK") || is(before, "CLAIM"));
    assert_true(event == ITEM_END || !(facts->has_hold || facts->may_be_booked));
}

static struct item *play(const struct start *start, const enum item_event *events, size_t count,
                         struct facts *facts)
{
    static const struct uuid id = { "id............." };
    struct item *item = item_new(start->op, &id, &id, 1);
    item->admission.credits = start->credits;
    item_submit(&world.ledger, item);
    assert_int_equal(item->state, start->state);
    *facts = (struct facts){ .only_looks = start->state == ITEM_LOOK_QUEUED,
                             .has_hold = start->op == OP_CAPTURE };
    for (size_t i = 0; i < count; i++) {
        enum item_state before = item->state;
        enum op op = item->op;
        enum item_state next = find(before, events[i])->next;
        world.seen[before][events[i]] = true;
        take_off_queue(item, events[i]);
        witness(facts, start, events[i]);
        size_t frees = world.frees;
        bool wakes = item_post(&world.ledger, item, events[i]);
        assert_false(wakes && (facts->is_woken || facts->is_left || next != ITEM_DONE));
        /* the continuation of a start wakes its waiter */
        assert_true(wakes || next != ITEM_DONE || start->op == OP_START);
        facts->is_woken |= wakes;
        assert_int_equal(world.frees - frees, next == ITEM_FREED);
        if (next == ITEM_FREED) {
            assert_int_equal(i, count - 1);
            check_freed(before, events[i], facts);
            return NULL;
        }
        assert_int_equal(item->state, next);
        check_item(item, facts, op);
    }
    return item;
}

static void empty_queues(void)
{
    struct queue *queues[] = { &world.ledger.settles, &world.ledger.admits, &world.ledger.checks,
                               &world.ledger.starts };
    for (size_t i = 0; i < countof(queues); i++)
        *queues[i] = (struct queue){ 0 };
}

/* Play these events, then each one that can follow. */
static void explore(const struct start *start, enum item_event *events, size_t count)
{
    struct facts facts;
    struct item *item = play(start, events, count, &facts);
    if (!item) {
        world.ends++;
        return;
    }
    enum item_state state = item->state;
    empty_queues();
    item_free(item);
    if (state == ITEM_DONE)
        world.ends++;
    for (enum item_event e = 0; e < ITEM_EVENTS && count < STEPS_MAX; e++) {
        bool is_start_alone = e == ITEM_END && state == ITEM_LOOK_QUEUED && start->op != OP_START;
        bool is_never_sent = e == ITEM_SEND && start->op == OP_START;
        if (find(state, e) && state != ITEM_DONE && !is_start_alone && !is_never_sent) {
            events[count] = e;
            explore(start, events, count + 1);
        }
    }
}

static void every_sequence_of_events_keeps_the_rules(void **state)
{
    (void)state;
    enum item_event events[STEPS_MAX];
    world.metrics = metrics_new("test", "test");
    world.ledger.cancelled = metrics_counter(world.metrics, "cancelled", "help", NO_LABELS);
    for (size_t i = 0; i < countof(starts); i++)
        explore(&starts[i], events, 0);
    assert_true(world.ends > 1000);
    for (size_t i = 0; i < countof(table); i++)
        if (!world.seen[table[i].state][table[i].event] && table[i].state != ITEM_DONE)
            fail_msg("no way leads to %s with %s", state_names[table[i].state],
                     event_names[table[i].event]);
    metrics_free(&world.metrics);
}

/* The waiter gets its outcome. */
static void what_is_done_stays_done(void **state)
{
    (void)state;
    static const enum item_event events[] = { ITEM_WITHDRAW, ITEM_LEAVE };
    struct uuid id = { { 0 } };
    for (size_t i = 0; i < countof(events); i++) {
        struct item *item = item_new(OP_PAY, &id, &id, 1);
        item->state = ITEM_DONE;
        assert_false(item_post(&world.ledger, item, events[i]));
        assert_int_equal(item->state, ITEM_DONE);
        item_free(item);
    }
}

/* A waiter that leaves with an unknown outcome gets exactly that; the state decides, or an attempt
 * whose connection broke. */
static void what_was_sent_may_be_charged(void **state)
{
    (void)state;
    struct uuid id = { { 0 } };
    for (enum op op = OP_CAPTURE; op <= OP_START; op++) {
        struct item *item = item_new(op, &id, &id, 1);
        bool charges = op == OP_PAY || op == OP_CAPTURE;
        for (enum item_state s = 0; s < ITEM_DONE; s++) {
            item->state = s;
            item->is_uncertain = false;
            assert_int_equal(item_may_be_charged(item), charges && !is(s, "QUEUED"));
            item->is_uncertain = true;
            assert_int_equal(item_may_be_charged(item), charges || op == OP_CANCEL);
        }
        item_free(item);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_that_can_come_has_one_row),
        cmocka_unit_test(every_sequence_of_events_keeps_the_rules),
        cmocka_unit_test(what_is_done_stays_done),
        cmocka_unit_test(what_was_sent_may_be_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
