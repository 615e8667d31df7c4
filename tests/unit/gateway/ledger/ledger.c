/* tests/unit/gateway/ledger/ledger.c - the ledger thread with a database that the test plays: what
 * is sent, which waiter gets which outcome, and what happens to credits when a waiter leaves or a
 * process dies. Built with -Db_sanitize=thread it also proves that there is no data race. */
#include "gateway/ledger/ledger.h"
#include "gateway/ledger/spend-estimate.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "fake-db.h"
#include "rows.h"

enum {
    LONG_MS = 20000, /* nobody leaves in this time */
    SHORT_MS = 150,  /* waiters leave */
    MISSED_MS = 900, /* the ledger's thread looks each second: a moment that it misses costs this */
    SLOW_MS = 5000,  /* fast operations take less, even on a busy machine */
    CROWD = 40,
    FULL_BATCH = 128, /* LEDGER_BATCH_MAX */
    HELD = 7,         /* an account that another transaction may hold, */
    RICH = 70,        /* and one whose work may start before it is paid */
};

/* ---- callers ---- */

/* The number of waits in ledger.c that have begun: an item is queued before its waiter waits. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t begun;
    size_t patient; /* the number of the wait that ends only by its post, */
    size_t blind;   /* and of the one that then returns a timeout: both came at once */
} waits = { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

int __real_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until);
int __wrap_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until);
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
#endif

/* The linker replaces sem_clockwait() with this (--wrap). ThreadSanitizer of gcc 12 does not know
 * that function and needs the annotation. */
int __wrap_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
    pthread_mutex_lock(&waits.mutex);
    struct timespec end = *until;
    size_t number = ++waits.begun;
    bool is_blind = number == waits.blind;
    if (number == waits.patient || is_blind)
        end.tv_sec += LONG_MS / 1000;
    pthread_cond_broadcast(&waits.changed);
    pthread_mutex_unlock(&waits.mutex);
    int result = __real_sem_clockwait(sem, clock, &end);
#ifdef __SANITIZE_THREAD__
    if (result == 0)
        __tsan_acquire(sem);
#endif
    if (result != 0 || !is_blind)
        return result;
    sem_post(sem);
    errno = ETIMEDOUT;
    return -1;
}

static size_t waits_begun(void)
{
    pthread_mutex_lock(&waits.mutex);
    size_t begun = waits.begun;
    pthread_mutex_unlock(&waits.mutex);
    return begun;
}

static void wait_for_wait(size_t count)
{
    pthread_mutex_lock(&waits.mutex);
    while (waits.begun < count)
        pthread_cond_wait(&waits.changed, &waits.mutex);
    pthread_mutex_unlock(&waits.mutex);
}

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);

/* Not 0: a clock that advances by a millisecond after this many calls. */
static _Atomic int64_t looks_a_ms;
static _Atomic int64_t looks;

/* Replaces clock_ms(). */
int64_t __wrap_clock_ms(void)
{
    int64_t step = looks_a_ms; /* the test may set it to 0 meanwhile */
    return step > 0 ? 1000000 + ++looks / step : __real_clock_ms();
}

enum kind { ADMIT, ADMIT_FREE, CAPTURE, VOID, CHECK, ASK, PAY, RUN_AHEAD };

/* A caller, and its outcome. */
struct ask {
    pthread_t thread;
    struct ledger *ledger;
    enum kind kind;
    struct uuid account;
    struct uuid id;
    struct capture capture;
    struct admission admission;
    struct optimistic_admission optimistic;
    bool ok;
    struct err err;
    struct account_snapshot snapshot;
    struct kept_answer kept;
    int64_t took_ms;
    int starts;                              /* of what follows the admission */
    bool continuation_is_ours;               /* to end; else it ends at once */
    void (*end_continuation)(void *context); /* ours, once it has started: call it */
    void *continuation_context;
    bool continuation_ended;
    bool saw_end; /* before its outcome */
    bool watches; /* counts how often it looks at the continuation */
    size_t looks;
};

static void start_continuation(void *work, void (*ended)(void *context), void *context)
{
    struct ask *ask = work;
    ask->starts++;
    if (!ask->continuation_is_ours) {
        ended(context);
        return;
    }
    pthread_mutex_lock(&waits.mutex);
    ask->continuation_context = context;
    ask->end_continuation = ended;
    pthread_cond_broadcast(&waits.changed);
    pthread_mutex_unlock(&waits.mutex);
}

static void wait_for_continuation(struct ask *ask)
{
    pthread_mutex_lock(&waits.mutex);
    while (!ask->end_continuation)
        pthread_cond_wait(&waits.changed, &waits.mutex);
    pthread_mutex_unlock(&waits.mutex);
}

static void look_at_continuation(void *work)
{
    struct ask *ask = work;
    pthread_mutex_lock(&waits.mutex);
    ask->looks++;
    pthread_cond_broadcast(&waits.changed);
    pthread_mutex_unlock(&waits.mutex);
}

static void wait_for_looks(struct ask *ask, size_t count)
{
    pthread_mutex_lock(&waits.mutex);
    while (ask->looks < count)
        pthread_cond_wait(&waits.changed, &waits.mutex);
    pthread_mutex_unlock(&waits.mutex);
}

static bool ask_facts(struct ask *ask, const uint8_t *token)
{
    struct token_facts facts = { 0 };
    bool ok = ledger_ask_token(ask->ledger, &ask->account, token, &in6addr_loopback,
                               &ask->snapshot.token, &facts, &ask->err);
    assert_int_equal(facts.name != NULL, ok);
    token_facts_free(&facts);
    return ok;
}

static bool do_ask(struct ask *ask)
{
    struct continuation continuation = { start_continuation, ask,
                                         ask->watches ? look_at_continuation : NULL };
    struct admission admission = ask->admission;
    switch (ask->kind) {
    case ADMIT:
    case ADMIT_FREE:
        return ledger_admit_and_run(ask->ledger, &admission, &continuation, &ask->snapshot,
                                    &ask->kept, &ask->err);
    case CAPTURE:
        return ledger_capture(ask->ledger, &ask->capture, &ask->snapshot, &ask->err);
    case VOID:
        ledger_void(ask->ledger, &ask->account, &ask->id, false, &ask->snapshot);
        return true;
    case CHECK:
        return ledger_check_token(ask->ledger, &ask->account, admission.token, &in6addr_loopback,
                                  &ask->snapshot.token, &ask->err);
    case ASK:
        return ask_facts(ask, admission.token);
    case PAY:
        return ledger_pay(ask->ledger, &admission, &ask->optimistic, &ask->snapshot, &ask->err);
    case RUN_AHEAD:
        return ledger_run_ahead(ask->ledger, &admission, &continuation, &ask->err);
    }
    return false;
}

static void *run_ask(void *argument)
{
    struct ask *ask = argument;
    int64_t begin_ms = clock_ms();
    ask->ok = do_ask(ask);
    ask->saw_end = ask->continuation_ended;
    ask->took_ms = clock_ms() - begin_ms;
    return NULL;
}

static void prepare(struct ask *ask, struct ledger *ledger, enum kind kind, uint8_t mark)
{
    *ask = (struct ask){ .ledger = ledger, .kind = kind, .id = uuid_new() };
    ask->account.bytes[0] = mark;
    ask->snapshot = EMPTY_SNAPSHOT;
    ask->capture.account = ask->account;
    ask->capture.id = ask->id;
    ask->admission = (struct admission){ .account = ask->account, .id = ask->id };
    ask->admission.token[0] = mark;
    ask->admission.credits = kind == ADMIT || kind == PAY || kind == RUN_AHEAD;
    if (kind == CAPTURE || kind == VOID)
        fake_set_state(&ask->id, FAKE_OPEN);
    if (kind == PAY || kind == RUN_AHEAD)
        assert_true(ledger_admit_optimistic(ledger, &ask->admission, &ask->optimistic));
}

/* Returns when the item is queued. */
static void launch(struct ask *ask)
{
    size_t begun = waits_begun();
    assert_int_equal(pthread_create(&ask->thread, NULL, run_ask, ask), 0);
    wait_for_wait(begun + 1);
}

/* Returns when the item is queued. A settlement is of an open hold. */
static void start(struct ask *ask, struct ledger *ledger, enum kind kind, uint8_t mark)
{
    prepare(ask, ledger, kind, mark);
    launch(ask);
}

static void join(struct ask *ask)
{
    assert_int_equal(pthread_join(ask->thread, NULL), 0);
    kept_answer_free(&ask->kept);
}

/* Give the ledger a spend estimate of an account. */
static void make_known(struct ledger *ledger, uint8_t mark)
{
    struct ask ask;
    start(&ask, ledger, ADMIT, mark);
    join(&ask);
    assert_true(ask.ok);
}

static uint8_t mark_of(enum kind kind)
{
    return kind == PAY ? RICH : HELD;
}

/* What the listener got; the ledger's mutex guards it. */
static struct {
    size_t count;
    enum outcome_state state[4];
    struct uuid call; /* of all events */
} told;

static void add_told(void *context, const struct uuid *account, const struct uuid *call,
                     enum outcome_state state)
{
    (void)context;
    (void)account;
    assert_true(told.count < countof(told.state));
    assert_true(told.count == 0 || uuid_equal(call, &told.call));
    told.call = *call;
    told.state[told.count++] = state;
}

/* ---- the ledger under test ---- */

struct fixture {
    struct metrics *metrics;
    struct ledger *ledger;
    struct ask busy;
};

static struct fixture start_sweeping(int64_t timeout_ms, int64_t sweep_ms)
{
    struct fixture fixture = { .metrics = metrics_new("test", "test") };
    struct ledger_options options = { .url = "",
                                      .timeout_ms = timeout_ms,
                                      .sweep_ms = sweep_ms,
                                      .metrics = fixture.metrics,
                                      .outcomes = { .add = add_told } };
    told.count = 0;
    fixture.ledger = ledger_start(&options);
    assert_true(ledger_is_settled(fixture.ledger));
    return fixture;
}

static struct fixture start_on_fake(int64_t timeout_ms)
{
    return start_sweeping(timeout_ms, 1);
}

static struct fixture open_ledger(int64_t timeout_ms)
{
    fake_reset();
    return start_on_fake(timeout_ms);
}

static void close_ledger(struct fixture *fixture)
{
    ledger_stop(&fixture->ledger);
    metrics_free(&fixture->metrics);
    fake_reset();
}

/* Keep the connection busy with one admission, so that further items queue up. */
static void occupy(struct fixture *fixture)
{
    size_t batches = fake_batches();
    fake_hold();
    start(&fixture->busy, fixture->ledger, ADMIT, 1);
    assert_true(fake_wait_batches(batches + 1));
}

/* ---- batches ---- */

static void what_waits_goes_in_one_batch(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask[CROWD];

    occupy(&fixture);
    for (size_t i = 0; i < CROWD; i++)
        start(&ask[i], fixture.ledger, ADMIT, (uint8_t)i);
    fake_release(FAKE_FREE);
    for (size_t i = 0; i < CROWD; i++) {
        join(&ask[i]);
        assert_true(ask[i].ok);
        assert_int_equal(ask[i].snapshot.posted, i);
        assert_int_equal(fake_state(&ask[i].id), FAKE_OPEN);
    }
    join(&fixture.busy);
    assert_int_equal(fake_batches(), 2);
    assert_int_equal(fake_batch(1)->count, CROWD);
    close_ledger(&fixture);
}

static void settlements_go_before_admissions(void **state)
{
    (void)state;
    static const enum kind kinds[] = { ADMIT, ADMIT, CAPTURE, ADMIT, CAPTURE };
    static const int want_ops[] = { 1, 1, 0, 0, 0 };
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask[countof(kinds)];

    occupy(&fixture);
    for (size_t i = 0; i < countof(kinds); i++)
        start(&ask[i], fixture.ledger, kinds[i], 1);
    fake_release(FAKE_FREE);
    for (size_t i = 0; i < countof(kinds); i++)
        join(&ask[i]);
    join(&fixture.busy);
    assert_int_equal(fake_batch(1)->count, countof(want_ops));
    for (size_t i = 0; i < countof(want_ops); i++)
        assert_int_equal(fake_batch(1)->item[i].op, want_ops[i]);
    close_ledger(&fixture);
}

static void token_checks_share_a_statement(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask[4];

    fake_hold();
    fake_outcome(3, "auth_revoked");
    start(&ask[0], fixture.ledger, CHECK, 0);
    assert_true(fake_wait_batches(1));
    for (size_t i = 1; i < countof(ask); i++)
        start(&ask[i], fixture.ledger, CHECK, (uint8_t)i);
    fake_release(FAKE_FREE);
    for (size_t i = 0; i < countof(ask); i++) {
        join(&ask[i]);
        assert_int_equal(ask[i].err.kind, i == 3 ? ERR_AUTH_REVOKED : ERR_NONE);
        assert_int_equal(ask[i].ok, i != 3);
    }
    assert_int_equal(fake_batches(), 2);
    assert_true(fake_batch(1)->is_checks);
    for (size_t i = 0; i < fake_batch(1)->count; i++)
        assert_memory_equal(&fake_batch(1)->item[i].address, &in6addr_loopback,
                            sizeof(in6addr_loopback));
    for (size_t i = 0; i < fake_batch(1)->count; i++)
        assert_int_equal(fake_batch(1)->item[i].token[0], fake_batch(1)->item[i].account.bytes[0]);
    close_ledger(&fixture);
}

/* ---- each waiter gets its own outcome ---- */

static const struct outcome_row {
    const char *name;
    const char *outcome;
    enum err_kind want;
    bool want_kept;
} outcomes[] = {
    { "admitted", "admitted", ERR_NONE, false },
    { "no credits", "insufficient_credits", ERR_INSUFFICIENT_CREDITS, false },
    { "too many calls", "rate_limited_global", ERR_RATE_LIMITED_GLOBAL, false },
    { "token revoked", "auth_revoked", ERR_AUTH_REVOKED, false },
    { "hold gone before it was admitted again", "expired", ERR_DEADLINE_EXCEEDED, false },
    { "made before", "replay", ERR_NONE, true },
    { "an invalid outcome", "whatever", ERR_INTERNAL, false },
};

static void each_gets_its_own_outcome(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask[countof(outcomes)];

    for (size_t i = 0; i < countof(outcomes); i++)
        fake_outcome((uint8_t)(10 + i), outcomes[i].outcome);
    occupy(&fixture);
    for (size_t i = 0; i < countof(outcomes); i++)
        start(&ask[i], fixture.ledger, ADMIT, (uint8_t)(10 + i));
    fake_release(FAKE_FREE);
    for (size_t i = 0; i < countof(outcomes); i++) {
        assert_int_equal(pthread_join(ask[i].thread, NULL), 0);
        assert_int_equal(ask[i].err.kind, outcomes[i].want);
        assert_int_equal(ask[i].ok, outcomes[i].want == ERR_NONE);
        assert_int_equal(ask[i].snapshot.posted, 10 + i);
        assert_int_equal(ask[i].kept.is_kept, outcomes[i].want_kept);
        assert_int_equal(ask[i].starts, outcomes[i].want == ERR_NONE && !outcomes[i].want_kept);
        if (outcomes[i].want_kept) {
            assert_string_equal(ask[i].kept.headers, "ETag: kept\r\n");
            assert_string_equal(ask[i].kept.body, "kept body");
            assert_int_equal(ask[i].kept.size, strlen("kept body"));
        }
        kept_answer_free(&ask[i].kept);
    }
    join(&fixture.busy);
    close_ledger(&fixture);
}

/* Also after the timeout that it gave the ledger, if the ledger has the outcome. */
static void wait_for_the_continuation(enum kind kind)
{
    struct fixture fixture = open_ledger(SHORT_MS);
    struct ask ask;
    struct ask other;

    make_known(fixture.ledger, RICH);
    occupy(&fixture);
    start(&ask, fixture.ledger, kind, RICH);
    ask.continuation_is_ours = true;
    fake_release(FAKE_FREE);
    wait_for_continuation(&ask);
    fake_hold();
    for (uint8_t i = 0; i < 2; i++) { /* these come later and leave */
        start(&other, fixture.ledger, ADMIT, 8);
        join(&other);
        assert_false(other.ok);
    }
    fake_release(FAKE_FREE);
    ask.continuation_ended = true;
    ask.end_continuation(ask.continuation_context);
    join(&ask);
    join(&fixture.busy);
    assert_true(ask.ok);
    assert_true(ask.saw_end);
    assert_int_equal(ask.starts, 1);
    assert_int_equal(fake_state(&ask.id), kind == ADMIT ? FAKE_OPEN : FAKE_UNKNOWN);
    close_ledger(&fixture);
}

static void an_admitted_caller_waits_for_the_continuation(void **state)
{
    (void)state;
    wait_for_the_continuation(ADMIT);
    wait_for_the_continuation(RUN_AHEAD);
}

/* Not only when the time that the database has is over. */
static void an_admitted_caller_looks_at_the_continuation(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    occupy(&fixture);
    prepare(&ask, fixture.ledger, ADMIT, 7);
    ask.continuation_is_ours = ask.watches = true;
    launch(&ask);
    fake_release(FAKE_FREE);
    wait_for_looks(&ask, 2);
    ask.end_continuation(ask.continuation_context);
    join(&ask);
    join(&fixture.busy);
    assert_true(ask.ok);
    assert_int_equal(ask.starts, 1);
    assert_in_range(ask.took_ms, 2 * WAITING_MS, LONG_MS - 1);
    close_ledger(&fixture);
}

/* One after the other, each is done at once; the pause is before the next. */
static void rejections_are_paced(void **state)
{
    (void)state;
    static const enum kind kinds[] = { ADMIT, CHECK };
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    fake_outcome(7, "account_suspended");
    for (size_t i = 0; i < countof(kinds); i++) {
        int64_t begin_ms = clock_ms();
        for (size_t n = 0; n < 20; n++) {
            start(&ask, fixture.ledger, kinds[i], 7);
            join(&ask);
            assert_int_equal(ask.err.kind, ERR_ACCOUNT_SUSPENDED);
        }
        assert_in_range(clock_ms() - begin_ms, 19 * 4, SLOW_MS);
    }
    close_ledger(&fixture);
}

/* An admission was looked up; a valid token that was looked up is known for a while. */
static void what_cannot_change_is_asked_once(void **state)
{
    (void)state;
    static const struct again {
        const char *outcome;
        enum kind first;
        enum kind then;
        enum err_kind want;
        size_t batches;
    } rows[] = {
        { "auth_invalid", ADMIT, ADMIT, ERR_AUTH_INVALID, 1 },
        { "auth_invalid", ADMIT, CHECK, ERR_AUTH_INVALID, 1 },
        { "auth_revoked", CHECK, ADMIT, ERR_AUTH_REVOKED, 1 },
        { "auth_expired", CHECK, CHECK, ERR_AUTH_EXPIRED, 1 },
        { "rate_limited_class", ADMIT, ADMIT, ERR_RATE_LIMITED_CLASS, 1 },
        { "account_closed", ADMIT, ADMIT, ERR_ACCOUNT_CLOSED, 2 },
        { "insufficient_credits", ADMIT, ADMIT, ERR_INSUFFICIENT_CREDITS, 2 },
        { "admitted", CHECK, CHECK, ERR_NONE, 1 },
        { "admitted", CHECK, ASK, ERR_NONE, 2 }, /* a check that succeeds is repeated each time */
        { "admitted", ASK, ASK, ERR_NONE, 2 },
        { "auth_revoked", ASK, ASK, ERR_AUTH_REVOKED, 1 },
        { "account_suspended", ASK, ASK, ERR_ACCOUNT_SUSPENDED, 2 },
        { "admitted", CHECK, ADMIT, ERR_NONE, 2 },
        { "admitted", ADMIT, ADMIT, ERR_NONE, 2 },
    };
    for (size_t i = 0; i < countof(rows); i++) {
        struct fixture fixture = open_ledger(LONG_MS);
        fake_outcome(7, rows[i].outcome);
        struct ask ask = { .ledger = fixture.ledger,
                           .kind = rows[i].first,
                           .account = { { 7 } },
                           .admission = { .account = { { 7 } }, .credits = 1 } };
        assert_int_equal(do_ask(&ask), rows[i].want == ERR_NONE);
        assert_true(uuid_equal(&ask.snapshot.token, &ask.account)); /* as the fake says */
        ask.kind = rows[i].then;
        ask.err = (struct err){ 0 };
        ask.snapshot = EMPTY_SNAPSHOT;
        assert_int_equal(do_ask(&ask), rows[i].want == ERR_NONE);
        assert_true(uuid_equal(&ask.snapshot.token, &ask.account));
        assert_int_equal(ask.err.kind, rows[i].want);
        assert_int_equal(fake_batches(), rows[i].batches);
        close_ledger(&fixture);
    }
}

/* Also when it expires just after the thread has checked it. */
static void a_pause_ends_at_its_moment(void **state)
{
    (void)state;
    static const enum kind kinds[] = { ADMIT, CHECK };
    struct ask ask;
    size_t late = 0;
    fake_reset();
    struct fixture fixture = start_sweeping(LONG_MS, LONG_MS);

    fake_outcome(7, "account_suspended");
    for (size_t n = 0; n < 60; n++) {
        int64_t begin_ms = __real_clock_ms();
        looks = 0;
        looks_a_ms = (int64_t)(1 + n / 2 % 5);
        start(&ask, fixture.ledger, kinds[n % 2], 7);
        join(&ask);
        late += __real_clock_ms() - begin_ms >= MISSED_MS;
    }
    looks_a_ms = 0;
    assert_in_range(late, 0, 5); /* each of five intervals has twelve asks */
    close_ledger(&fixture);
}

/* A flood of payments, one after the other: each gives back what it took of the estimate. */
static void a_payment_returns_its_place(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    make_known(fixture.ledger, RICH);
    for (size_t i = 0; i < 2 * RICH / SPEND_ESTIMATE_SHARE; i++) {
        start(&ask, fixture.ledger, PAY, RICH); /* asserts that it may go ahead */
        join(&ask);
        assert_true(ask.ok);
        assert_int_equal(ask.optimistic.seq, i); /* and what the one before has changed */
        prepare(&ask, fixture.ledger, PAY, RICH);
        ledger_cancel_optimistic(fixture.ledger, &ask.admission);
    }
    close_ledger(&fixture);
}

/* Another gateway's client learned it, or this one's with a request that fails. */
static void no_work_begins_for_a_revoked_token(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;
    struct optimistic_admission optimistic;

    make_known(fixture.ledger, RICH);
    fake_outcome(RICH, "auth_revoked");
    start(&ask, fixture.ledger, CHECK, RICH);
    join(&ask);
    assert_int_equal(ask.err.kind, ERR_AUTH_REVOKED);
    ask.admission.credits = 1;
    assert_false(ledger_admit_optimistic(fixture.ledger, &ask.admission, &optimistic));
    close_ledger(&fixture);
}

/* It is replayed for the call's key. */
static void a_capture_takes_the_response_with_it(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    prepare(&ask, fixture.ledger, CAPTURE, 7);
    ask.capture.headers = "ETag: x\r\n";
    ask.capture.body = TEXT("kept");
    run_ask(&ask);
    assert_true(ask.ok);
    assert_string_equal(fake_batch(0)->item[0].headers, "ETag: x\r\n");
    assert_string_equal(fake_batch(0)->item[0].body, "kept");

    prepare(&ask, fixture.ledger, CAPTURE, 7); /* a call without a key */
    run_ask(&ask);
    assert_true(ask.ok);
    assert_string_equal(fake_batch(1)->item[0].headers, "");
    assert_string_equal(fake_batch(1)->item[0].body, "");
    close_ledger(&fixture);
}

static void a_capture_after_expiry_charges_nothing(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    occupy(&fixture);
    start(&ask, fixture.ledger, CAPTURE, 1);
    fake_set_state(&ask.id, FAKE_VOIDED);
    fake_release(FAKE_FREE);
    join(&ask);
    join(&fixture.busy);
    assert_false(ask.ok);
    assert_int_equal(ask.err.kind, ERR_DEADLINE_EXCEEDED);
    assert_int_equal(fake_charges(&ask.id), 0);
    close_ledger(&fixture);
}

/* ---- rejections ---- */

static const struct refusal_row {
    const char *name;
    const char *sqlstate;
    enum err_kind want;
    const char *reason; /* messages for operators */
} refusals[] = {
    { "connection trouble is tried again", "08006", ERR_NONE },
    { "a server that is still read-only is tried again", "25006", ERR_NONE,
      "PostgreSQL is read-only: no call can be paid" },
    { "a full disk is tried again, and told", "53100", ERR_NONE,
      "the disk of PostgreSQL is full: no call can be paid" },
    { "want of memory is tried again, and told", "53200", ERR_NONE,
      "PostgreSQL is out of memory: calls may not be paid" },
    { "a serialization failure is tried again", "40001", ERR_NONE },
    { "a deadlock is tried again", "40P01", ERR_NONE },
    { "too many connections are tried again", "53300", ERR_NONE },
    { "a lock that was not had is tried again", "55P03", ERR_NONE },
    { "a cancelled statement is tried again", "57014", ERR_NONE },
    { "a shutdown is tried again", "57P01", ERR_NONE },
    { "a broken rule is the item's fault", "23514", ERR_INTERNAL },
    { "what a new session does not know either is the item's fault", "42804", ERR_INTERNAL },
    { "a number out of range is the item's fault", "22003", ERR_INTERNAL },
    { "a bug of the server is the item's fault", "XX000", ERR_INTERNAL },
};

static void check_refusal(void **state)
{
    const struct refusal_row *row = *state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    fake_hold();
    fake_refuse(row->sqlstate);
    start(&ask, fixture.ledger, ADMIT, 7);
    fake_release(FAKE_FREE);
    join(&ask);
    assert_int_equal(ask.err.kind, row->want);
    assert_int_equal(ask.ok, row->want == ERR_NONE);
    assert_int_equal(fake_state(&ask.id), row->want == ERR_NONE ? FAKE_OPEN : FAKE_UNKNOWN);
    assert_int_equal(fake_sent(&ask.id, 0), row->want == ERR_NONE ? 2 : 1);
    const char *reason = ledger_degraded_reason(fixture.ledger);
    assert_string_equal(reason ? reason : "", row->reason ? row->reason : "");
    close_ledger(&fixture);
}

/* A migration changed what a function returns: old sessions fail, new ones work. */
static void a_session_that_worked_is_renewed_once(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    start(&ask, fixture.ledger, ADMIT, 7);
    join(&ask);
    static const struct {
        const char *sqlstates[2]; /* "": the connection breaks */
        enum err_kind want;
        size_t sent;
    } rows[] = {
        { { "42804" }, ERR_NONE, 2 },
        { { "40001", "42804" }, ERR_NONE, 3 },
        { { "", "42804" }, ERR_INTERNAL, 2 }, /* it is new already */
        { { NULL }, ERR_NONE, 1 },
        { { "42804", "42804" }, ERR_INTERNAL, 2 },
    };
    for (size_t i = 0; i < countof(rows); i++) {
        fake_hold();
        for (size_t n = 0; n < 2 && rows[i].sqlstates[n]; n++)
            if (*rows[i].sqlstates[n])
                fake_refuse(rows[i].sqlstates[n]);
            else
                fake_lose(false);
        start(&ask, fixture.ledger, ADMIT, 7);
        fake_release(FAKE_FREE);
        join(&ask);
        assert_int_equal(ask.err.kind, rows[i].want);
        assert_int_equal(fake_sent(&ask.id, 0), rows[i].sent);
    }
    close_ledger(&fixture);
}

enum { POISON = 99 };

/* However many wait, only the bad one fails, and it is found in few steps. */
static void check_poison(enum kind kind, size_t count, size_t bad, size_t max_batches)
{
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask[CROWD];

    fake_poison(POISON, "23514");
    occupy(&fixture);
    if (kind == CHECK) {
        start(&ask[0], fixture.ledger, CHECK, 1);
        assert_true(fake_wait_batches(2));
    }
    for (size_t i = kind == CHECK; i < count; i++) {
        enum kind mixed = kind == CAPTURE ? (i % 2 ? CAPTURE : ADMIT) : kind;
        start(&ask[i], fixture.ledger, mixed, i == bad ? POISON : 1);
    }
    fake_release(FAKE_FREE);
    for (size_t i = 0; i < count; i++) {
        join(&ask[i]);
        assert_int_equal(ask[i].err.kind, i == bad ? ERR_INTERNAL : ERR_NONE);
        assert_int_equal(ask[i].ok, i != bad);
    }
    join(&fixture.busy);
    assert_in_range(fake_batches(), 2, max_batches);
    close_ledger(&fixture);
}

static const struct poison_row {
    const char *name;
    enum kind kind; /* CAPTURE: captures and admissions in turns */
    size_t count;
    size_t bad;
} poisons[] = {
    { "a bad admission alone", ADMIT, 1, 0 },
    { "a bad admission, the first of many", ADMIT, CROWD, 0 },
    { "a bad admission, the last of many", ADMIT, CROWD, CROWD - 1 },
    { "a bad admission among settlements", CAPTURE, CROWD, 16 },
    { "a bad settlement among admissions", CAPTURE, CROWD, 17 },
    { "a bad token check among others", CHECK, 20, 13 },
};

static void check_poison_row(void **state)
{
    const struct poison_row *row = *state;
    check_poison(row->kind, row->count, row->bad, 26); /* a bad capture's cancel is as bad */
}

/* A charge that PostgreSQL rejects alone: what an earlier attempt charged is refunded. */
static const struct rejected_row {
    const char *name;
    enum kind kind;
    bool is_charged;  /* by an attempt whose connection broke */
    size_t times;     /* rejections: of the charge, and of its refund */
    bool hangs;       /* the refund, longer than the caller waits */
    bool is_replayed; /* for its key, so it is not refunded */
    enum err_kind want;
    int want_refunds;
} rejections[] = {
    { "a capture", CAPTURE, false, 1, false, false, ERR_INTERNAL, 0 },
    { "a capture, and its cancel", CAPTURE, false, 2, false, false, ERR_INTERNAL, 0 },
    { "a charged capture", CAPTURE, true, 1, false, false, ERR_INTERNAL, 1 },
    { "a charged capture, and its refund", CAPTURE, true, 2, false, false, ERR_OUTCOME_UNKNOWN, 0 },
    { "a charged capture with a slow refund", CAPTURE, true, 1, true, false, ERR_OUTCOME_UNKNOWN,
      1 },
    { "a payment", PAY, false, 1, false, false, ERR_INTERNAL, 0 },
    { "a payment, and its cancel", PAY, false, 2, false, false, ERR_INTERNAL, 0 },
    { "a charged payment", PAY, true, 1, false, false, ERR_INTERNAL, 1 },
    { "a charged payment, and its refund", PAY, true, 2, false, false, ERR_OUTCOME_UNKNOWN, 0 },
    { "a charged payment with a slow refund", PAY, true, 1, true, false, ERR_OUTCOME_UNKNOWN, 1 },
    { "a charged capture that was replayed", CAPTURE, true, 1, false, true, ERR_OUTCOME_UNKNOWN,
      0 },
};

static void check_rejected(void **state)
{
    const struct rejected_row *row = *state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    if (row->kind == PAY)
        make_known(fixture.ledger, RICH);
    if (row->is_charged)
        fake_lose(true);
    for (size_t i = 0; i < row->times; i++)
        fake_refuse("23514");
    if (row->hangs) {
        fake_hold();
        fake_release(2); /* the attempts to charge */
    }
    prepare(&ask, fixture.ledger, row->kind, mark_of(row->kind));
    if (row->is_replayed)
        fake_replay(&ask.id);
    ask.snapshot.posted = 5;
    launch(&ask);
    join(&ask);
    assert_false(ask.ok);
    assert_int_equal(ask.err.kind, row->want);
    assert_int_equal(fake_charges(&ask.id), row->is_charged);
    if (row->kind == CAPTURE && row->times == 2)
        assert_int_equal(ask.snapshot.posted, 5); /* nothing is known */
    fake_release(FAKE_FREE);
    ledger_stop(&fixture.ledger);
    assert_int_equal(fake_refunds(&ask.id), row->want_refunds);
    assert_int_equal(told.count, row->hangs ? 2 : 0);
    if (row->hangs)
        assert_int_equal(told.state[1], OUTCOME_NOT_CHARGED);
    close_ledger(&fixture);
}

/* ---- the connection breaks ---- */

static const struct lost_row {
    const char *name;
    enum kind kind;
    bool is_committed;
    enum err_kind want;
    enum fake_state want_state;
    size_t want_sent;
} losses[] = {
    { "an admission before it was done", ADMIT, false, ERR_NONE, FAKE_OPEN, 2 },
    { "an admission after it was done", ADMIT, true, ERR_NONE, FAKE_OPEN, 2 },
    { "a capture before it was done", CAPTURE, false, ERR_NONE, FAKE_CAPTURED, 2 },
    { "a capture after it was done", CAPTURE, true, ERR_NONE, FAKE_CAPTURED, 2 },
    { "a void before it was done", VOID, false, ERR_NONE, FAKE_VOIDED, 2 },
    { "a void after it was done", VOID, true, ERR_NONE, FAKE_VOIDED, 2 },
    { "a payment before it was done", PAY, false, ERR_NONE, FAKE_CAPTURED, 2 },
    { "a payment after it was done", PAY, true, ERR_NONE, FAKE_CAPTURED, 2 },
    { "a free admission, which has no mark", ADMIT_FREE, true, ERR_LEDGER_UNAVAILABLE, FAKE_OPEN,
      1 },
};

static int op_of(enum kind kind)
{
    static const int ops[RUN_AHEAD + 1] = {
        [ADMIT] = 0, [ADMIT_FREE] = 0, [CAPTURE] = 1, [VOID] = 2, [PAY] = FAKE_PAY
    };
    return ops[kind];
}

static void check_lost(void **state)
{
    const struct lost_row *row = *state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    if (row->kind == PAY)
        make_known(fixture.ledger, RICH);
    fake_hold();
    fake_lose(row->is_committed);
    start(&ask, fixture.ledger, row->kind, mark_of(row->kind));
    fake_release(FAKE_FREE);
    join(&ask);
    assert_int_equal(ask.err.kind, row->want);
    assert_int_equal(ask.ok, row->want == ERR_NONE);
    assert_true(fake_wait_state(&ask.id, row->want_state));
    if (ask.ok)
        assert_int_equal(ask.snapshot.posted, mark_of(row->kind));
    assert_int_equal(ask.starts, row->kind == ADMIT);
    assert_int_equal(fake_sent(&ask.id, op_of(row->kind)), row->want_sent);
    assert_int_equal(fake_charges(&ask.id), row->kind == CAPTURE || row->kind == PAY);
    assert_int_equal(fake_refunds(&ask.id), 0);
    close_ledger(&fixture);
}

/* It was not sent, so it is sent again with all that it had. */
static void what_cannot_be_sent_waits(void **state)
{
    (void)state;
    static const enum kind kinds[] = { ADMIT, CAPTURE, CHECK };
    for (size_t i = 0; i < countof(kinds); i++) {
        struct fixture fixture = open_ledger(SLOW_MS);
        struct ask ask;

        fake_refuse_send();
        start(&ask, fixture.ledger, kinds[i], 7);
        join(&ask);
        assert_true(ask.ok);
        assert_int_equal(fake_batches(), 1);
        assert_int_equal(fake_batch(0)->count, 1);
        assert_true(fake_batch(0)->item[0].account.bytes[0] == 7);
        close_ledger(&fixture);
    }
}

static void a_lost_token_check_is_not_sent_again(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    fake_hold();
    start(&ask, fixture.ledger, CHECK, 7);
    assert_true(fake_wait_batches(1));
    fake_set_up(false);
    join(&ask);
    assert_false(ask.ok);
    assert_int_equal(ask.err.kind, ERR_LEDGER_UNAVAILABLE);
    assert_non_null(strstr(ask.err.message, "nothing was charged"));
    assert_int_equal(fake_batches(), 1);
    close_ledger(&fixture);
}

/* ---- another transaction holds an account ---- */

static void others_go_on_when_an_account_is_held(void **state)
{
    (void)state;
    static const enum kind kinds[] = { ADMIT, CAPTURE, VOID, ADMIT_FREE };
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask held[countof(kinds)];
    struct ask other;
    struct ask last;

    occupy(&fixture);
    fake_outcome(7, "busy");
    fake_refuse("55P03");
    int64_t began_ms = clock_ms();
    for (size_t i = 0; i < countof(kinds); i++)
        start(&held[i], fixture.ledger, kinds[i], 7);
    start(&other, fixture.ledger, ADMIT, 8);
    fake_release(FAKE_FREE);
    join(&other);
    assert_true(other.ok);
    for (size_t i = 0; i < countof(kinds); i++)
        assert_true(fake_wait_sent(&held[i].id, op_of(kinds[i]), 4));
    fake_outcome(7, NULL);
    for (size_t i = 0; i < countof(kinds); i++) {
        join(&held[i]);
        assert_true(held[i].ok);
    }
    assert_int_equal(fake_charges(&held[1].id), 1);

    /* with waits for locks, until one times out, and again a second later */
    assert_false(fake_batch(0)->skips);
    assert_true(fake_batch(2)->skips);
    do {
        poll(NULL, 0, 100);
        start(&last, fixture.ledger, ADMIT, 8);
        join(&last);
    } while (fake_batch(fake_batches() - 1)->skips);
    assert_true(clock_ms() - began_ms >= 1000);
    join(&fixture.busy);
    close_ledger(&fixture);
}

/* More than a batch holds; admissions come after settlements. */
static void settlements_of_a_held_account_leave_room(void **state)
{
    (void)state;
    static struct ask held[FULL_BATCH];
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask other;

    occupy(&fixture);
    fake_outcome(7, "busy");
    fake_refuse("55P03");
    for (size_t i = 0; i < countof(held); i++)
        start(&held[i], fixture.ledger, CAPTURE, 7);
    start(&other, fixture.ledger, ADMIT, 8);
    fake_release(FAKE_FREE);
    join(&other);
    assert_true(other.ok);
    fake_outcome(7, NULL);
    for (size_t i = 0; i < countof(held); i++)
        join(&held[i]);
    join(&fixture.busy);
    close_ledger(&fixture);
}

/* ---- the waiter leaves ---- */

enum moment { QUEUED, UNDER_WAY };
enum fate { DONE, LOST_BEFORE, LOST_AFTER, REFUSED, PUT_OFF };

/* The waiter learns that nothing was charged, or that the outcome is unknown; in the end nothing is
 * charged. */
static const struct left_row {
    const char *name;
    enum kind kind;
    enum moment moment;
    enum fate fate; /* of the running batch */
    bool is_unknown;
    size_t want_cancels;
    enum fake_state want_state;
    int want_charges;
    int want_refunds;
} leavings[] = {
    { "an admission in the queue is forgotten", ADMIT, QUEUED, DONE, false, 0, FAKE_UNKNOWN, 0, 0 },
    { "a capture in the queue becomes a cancel", CAPTURE, QUEUED, DONE, false, 1, FAKE_VOIDED, 0,
      0 },
    { "a void in the queue is sent", VOID, QUEUED, DONE, false, 0, FAKE_VOIDED, 0, 0 },
    { "an admission under way is cancelled", ADMIT, UNDER_WAY, DONE, false, 1, FAKE_VOIDED, 0, 0 },
    { "a free admission under way leaves nothing", ADMIT_FREE, UNDER_WAY, DONE, false, 0, FAKE_OPEN,
      0, 0 },
    { "a capture under way is refunded once", CAPTURE, UNDER_WAY, DONE, true, 1, FAKE_CAPTURED, 1,
      1 },
    { "a void under way is done", VOID, UNDER_WAY, DONE, false, 0, FAKE_VOIDED, 0, 0 },
    { "an admission lost undone is cancelled", ADMIT, UNDER_WAY, LOST_BEFORE, false, 1,
      FAKE_UNKNOWN, 0, 0 },
    { "an admission lost but done is cancelled", ADMIT, UNDER_WAY, LOST_AFTER, false, 1,
      FAKE_VOIDED, 0, 0 },
    { "a capture lost undone is cancelled", CAPTURE, UNDER_WAY, LOST_BEFORE, true, 1, FAKE_VOIDED,
      0, 0 },
    { "a capture lost but done is refunded", CAPTURE, UNDER_WAY, LOST_AFTER, true, 1, FAKE_CAPTURED,
      1, 1 },
    { "a void lost undone is sent again", VOID, UNDER_WAY, LOST_BEFORE, false, 0, FAKE_VOIDED, 0,
      0 },
    { "a rejected admission is forgotten", ADMIT, UNDER_WAY, REFUSED, false, 0, FAKE_UNKNOWN, 0,
      0 },
    { "a rejected capture is cancelled", CAPTURE, UNDER_WAY, REFUSED, true, 1, FAKE_VOIDED, 0, 0 },
    { "an admission put off is forgotten", ADMIT, UNDER_WAY, PUT_OFF, false, 0, FAKE_UNKNOWN, 0,
      0 },
    { "a capture put off is cancelled", CAPTURE, UNDER_WAY, PUT_OFF, true, 1, FAKE_VOIDED, 0, 0 },
    { "a payment in the queue becomes a cancel", PAY, QUEUED, DONE, false, 1, FAKE_UNKNOWN, 0, 0 },
    { "a payment under way is refunded once", PAY, UNDER_WAY, DONE, true, 1, FAKE_CAPTURED, 1, 1 },
    { "a payment lost undone is cancelled", PAY, UNDER_WAY, LOST_BEFORE, true, 1, FAKE_UNKNOWN, 0,
      0 },
    { "a payment lost but done is refunded", PAY, UNDER_WAY, LOST_AFTER, true, 1, FAKE_CAPTURED, 1,
      1 },
    { "a rejected payment is cancelled", PAY, UNDER_WAY, REFUSED, true, 1, FAKE_UNKNOWN, 0, 0 },
    { "a payment put off is cancelled", PAY, UNDER_WAY, PUT_OFF, true, 1, FAKE_UNKNOWN, 0, 0 },
    { "a void put off is sent again", VOID, UNDER_WAY, PUT_OFF, false, 0, FAKE_VOIDED, 0, 0 },
};

static void set_fate(enum fate fate, uint8_t mark)
{
    if (fate == LOST_BEFORE || fate == LOST_AFTER)
        fake_lose(fate == LOST_AFTER);
    else if (fate == REFUSED)
        fake_refuse("40001");
    else if (fate == PUT_OFF)
        fake_outcome(mark, "busy");
}

/* When this has been settled, so has everything that was queued before. */
static void flush(struct ledger *ledger)
{
    struct ask marker;
    start(&marker, ledger, VOID, 2);
    join(&marker);
    assert_true(fake_wait_state(&marker.id, FAKE_VOIDED));
}

static void check_left(void **state)
{
    const struct left_row *row = *state;
    struct fixture fixture = open_ledger(SHORT_MS);
    struct ask ask;

    if (row->kind == PAY)
        make_known(fixture.ledger, RICH);
    size_t batches = fake_batches();
    if (row->moment == QUEUED)
        occupy(&fixture);
    else
        fake_hold();
    start(&ask, fixture.ledger, row->kind, mark_of(row->kind));
    if (row->moment == UNDER_WAY)
        assert_true(fake_wait_batches(batches + 1));
    join(&ask);
    if (row->kind != VOID)
        assert_int_equal(ask.err.kind,
                         row->is_unknown ? ERR_OUTCOME_UNKNOWN : ERR_LEDGER_UNAVAILABLE);
    if (row->moment == QUEUED)
        join(&fixture.busy);
    set_fate(row->fate, mark_of(row->kind));
    fake_release(FAKE_FREE);
    if (row->fate == PUT_OFF) {
        flush(fixture.ledger);
        fake_outcome(mark_of(row->kind), NULL);
    }

    assert_true(fake_wait_sent(&ask.id, 3, row->want_cancels));
    flush(fixture.ledger);
    ledger_stop(&fixture.ledger);
    assert_int_equal(ask.starts, 0);
    if (row->fate != PUT_OFF)
        assert_int_equal(fake_sent(&ask.id, 3), row->want_cancels);
    assert_int_equal(fake_state(&ask.id), row->want_state);
    assert_int_equal(fake_charges(&ask.id), row->want_charges);
    assert_int_equal(fake_refunds(&ask.id), row->want_refunds);
    assert_int_equal(told.count, row->is_unknown ? 2 : 0);
    if (row->is_unknown) {
        assert_true(uuid_equal(&told.call, &ask.id));
        assert_int_equal(told.state[0], OUTCOME_UNKNOWN);
        assert_int_equal(told.state[1], OUTCOME_NOT_CHARGED);
    }
    if (row->moment == QUEUED && row->kind != VOID)
        assert_int_equal(fake_sent(&ask.id, op_of(row->kind)), 0);
    close_ledger(&fixture);
}

/* Its caller knows nothing yet, and the outcome is recorded. */
static void a_left_charge_that_was_replayed_stays(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(SHORT_MS);
    struct ask ask;

    fake_hold();
    start(&ask, fixture.ledger, CAPTURE, HELD);
    join(&ask);
    assert_int_equal(ask.err.kind, ERR_OUTCOME_UNKNOWN);
    fake_replay(&ask.id); /* for its key, through another gateway */
    fake_release(FAKE_FREE);
    flush(fixture.ledger);
    ledger_stop(&fixture.ledger);
    assert_int_equal(fake_charges(&ask.id), 1);
    assert_int_equal(fake_refunds(&ask.id), 0);
    assert_int_equal(told.count, 2);
    assert_int_equal(told.state[0], OUTCOME_UNKNOWN);
    assert_int_equal(told.state[1], OUTCOME_CHARGED);
    close_ledger(&fixture);
}

/* The moment in which a late capture is refunded: the waiter gets what is certain by then. */
static const struct late_row {
    const char *name;
    enum kind kind;
    bool is_replayed;    /* for its key, through another gateway */
    bool is_lost;        /* the connection breaks after the charge */
    const char *outcome; /* instead of a charge */
    enum err_kind want;
    int want_refunds;
} lates[] = {
    { "charged late and refunded", CAPTURE, false, false, NULL, ERR_LEDGER_UNAVAILABLE, 1 },
    { "charged, lost and refunded", CAPTURE, false, true, NULL, ERR_LEDGER_UNAVAILABLE, 1 },
    { "charged late and replayed", CAPTURE, true, false, NULL, ERR_OUTCOME_UNKNOWN, 0 },
    { "paid late and refunded", PAY, false, false, NULL, ERR_LEDGER_UNAVAILABLE, 1 },
    { "paid, lost and refunded", PAY, false, true, NULL, ERR_LEDGER_UNAVAILABLE, 1 },
    { "too poor, and late", PAY, false, false, "insufficient_credits", ERR_INSUFFICIENT_CREDITS,
      0 },
};

static void check_late(void **state)
{
    const struct late_row *row = *state;
    struct fixture fixture = open_ledger(SHORT_MS);
    struct ask ask;

    if (row->kind == PAY)
        make_known(fixture.ledger, RICH);
    waits.patient = waits_begun() + 2;
    fake_hold();
    start(&ask, fixture.ledger, row->kind, mark_of(row->kind));
    if (row->is_replayed)
        fake_replay(&ask.id);
    if (row->is_lost)
        fake_lose(true);
    fake_outcome(mark_of(row->kind), row->outcome);
    wait_for_wait(waits.patient); /* the capture's timeout is over */
    fake_release(FAKE_FREE);
    join(&ask);
    assert_false(ask.ok);
    assert_int_equal(ask.err.kind, row->want);
    assert_int_equal(fake_charges(&ask.id), !row->outcome);
    assert_int_equal(fake_refunds(&ask.id), row->want_refunds);
    close_ledger(&fixture);
}

/* The charge, or its refund, is done in the moment of a timeout. */
static void an_outcome_counts_until_its_caller_has_left(void **state)
{
    (void)state;
    for (size_t wait = 1; wait <= 2; wait++) {
        struct fixture fixture = open_ledger(SHORT_MS);
        struct ask ask;

        waits.blind = waits_begun() + wait;
        fake_hold();
        start(&ask, fixture.ledger, CAPTURE, HELD);
        wait_for_wait(waits.blind);
        fake_release(FAKE_FREE);
        join(&ask);
        assert_int_equal(ask.ok, wait == 1);
        assert_int_equal(ask.err.kind, wait == 1 ? ERR_NONE : ERR_LEDGER_UNAVAILABLE);
        assert_int_equal(fake_charges(&ask.id), 1);
        assert_int_equal(fake_refunds(&ask.id), wait == 2);
        waits.blind = 0;
        close_ledger(&fixture);
    }
}

/* ---- work before it is paid ---- */

/* A hold shows it to the other gateways; without a reader there is no hold. */
static void a_payment_leaves_a_hold_only_when_it_may_be_looked_for(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    make_known(fixture.ledger, RICH);
    start(&ask, fixture.ledger, PAY, RICH);
    join(&ask);
    assert_true(ask.ok);
    assert_int_equal(fake_state(&ask.id), FAKE_PAID);

    struct admission other = ask.admission;
    other.id = uuid_new();
    assert_true(ledger_admit_optimistic(fixture.ledger, &other, &ask.optimistic));
    ask.optimistic.connection++; /* another connection may lead to an older server */
    assert_true(ledger_pay(fixture.ledger, &other, &ask.optimistic, &ask.snapshot, &ask.err));
    assert_int_equal(fake_state(&other.id), FAKE_CAPTURED);
    assert_int_equal(fake_charges(&other.id), 1);
    close_ledger(&fixture);
}

/* Each of a batch, not only the first. */
static void payments_over_another_connection_leave_holds(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask[3];

    make_known(fixture.ledger, RICH);
    occupy(&fixture);
    for (size_t i = 0; i < countof(ask); i++) {
        prepare(&ask[i], fixture.ledger, PAY, RICH);
        ask[i].optimistic.connection++;
        launch(&ask[i]);
    }
    fake_release(FAKE_FREE);
    for (size_t i = 0; i < countof(ask); i++) {
        join(&ask[i]);
        assert_true(ask[i].ok);
        assert_int_equal(fake_state(&ask[i].id), FAKE_CAPTURED);
    }
    join(&fixture.busy);
    close_ledger(&fixture);
}

/* Its work was unpaid; the next call with its token is admitted first. */
static void a_refused_payment_is_no_credit(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;
    struct optimistic_admission optimistic;

    make_known(fixture.ledger, RICH);
    fake_outcome(RICH, "insufficient_credits");
    start(&ask, fixture.ledger, PAY, RICH);
    join(&ask);
    assert_int_equal(ask.err.kind, ERR_INSUFFICIENT_CREDITS);
    assert_int_equal(ask.snapshot.posted, RICH);
    assert_int_equal(fake_charges(&ask.id), 0);
    assert_false(ledger_admit_optimistic(fixture.ledger, &ask.admission, &optimistic));
    scoped(buf_free) struct buf page = BUF(1 << 20);
    assert_true(metrics_write(fixture.metrics, &page));
    assert_non_null(strstr(buf_str(&page), "tollgate_ledger_unpaid_calls_total 1\n"));
    fake_outcome(RICH, NULL);
    make_known(fixture.ledger, RICH);
    assert_true(ledger_admit_optimistic(fixture.ledger, &ask.admission, &optimistic));
    close_ledger(&fixture);
}

/* They wait for the end of a running batch; otherwise nobody waits. */
static void work_begins_together(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask[4];

    make_known(fixture.ledger, RICH);
    occupy(&fixture);
    for (size_t i = 0; i < countof(ask); i++) {
        start(&ask[i], fixture.ledger, RUN_AHEAD, RICH);
        assert_int_equal(ask[i].starts, 0);
    }
    fake_release(FAKE_FREE);
    for (size_t i = 0; i < countof(ask); i++) {
        join(&ask[i]);
        assert_true(ask[i].ok);
        assert_int_equal(ask[i].starts, 1);
        ledger_cancel_optimistic(fixture.ledger, &ask[i].admission);
    }
    join(&fixture.busy);
    close_ledger(&fixture);
}

/* The ledger hangs: nothing starts, and each returns its place. */
static void no_work_begins_without_a_ledger(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(SHORT_MS);
    struct ask ask;

    make_known(fixture.ledger, RICH);
    occupy(&fixture);
    for (size_t i = 0; i < RICH / SPEND_ESTIMATE_SHARE + 1; i++) {
        start(&ask, fixture.ledger, RUN_AHEAD, RICH);
        join(&ask);
        assert_int_equal(ask.err.kind, ERR_LEDGER_UNAVAILABLE);
        assert_int_equal(ask.starts, 0);
    }
    join(&fixture.busy);
    fake_release(FAKE_FREE);
    close_ledger(&fixture);
}

/* The same, while PostgreSQL is away and no batch is under way. */
static void no_work_begins_without_a_database(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(SHORT_MS);
    struct ask ask;

    make_known(fixture.ledger, RICH);
    fake_set_up(false);
    while (ledger_is_ready(fixture.ledger))
        poll(NULL, 0, 1);
    start(&ask, fixture.ledger, RUN_AHEAD, RICH);
    join(&ask);
    assert_false(ask.ok);
    assert_int_equal(ask.err.kind, ERR_LEDGER_UNAVAILABLE);
    assert_int_equal(ask.starts, 0);
    fake_set_up(true);
    close_ledger(&fixture);
}

/* ---- time ---- */

static void a_void_waits_a_moment_only(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    fake_hold();
    start(&ask, fixture.ledger, VOID, 7);
    join(&ask);
    assert_in_range(ask.took_ms, 240, SLOW_MS);
    assert_int_equal(ask.snapshot.posted, -1);
    fake_release(FAKE_FREE);
    assert_true(fake_wait_state(&ask.id, FAKE_VOIDED));
    close_ledger(&fixture);
}

static void a_void_returns_the_new_balance(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    start(&ask, fixture.ledger, VOID, 7);
    join(&ask);
    assert_int_equal(ask.snapshot.posted, 7);
    assert_int_equal(ask.snapshot.held, FAKE_HELD);
    assert_int_equal(ask.snapshot.window_limit, -1);
    close_ledger(&fixture);
}

static void nobody_waits_longer_than_the_timeout(void **state)
{
    (void)state;
    static const enum kind kinds[] = { ADMIT, CAPTURE, CHECK };
    for (size_t i = 0; i < countof(kinds); i++) {
        struct fixture fixture = open_ledger(SHORT_MS);
        struct ask ask;

        fake_set_up(false);
        start(&ask, fixture.ledger, kinds[i], 7);
        join(&ask);
        assert_false(ask.ok);
        assert_int_equal(ask.err.kind, ERR_LEDGER_UNAVAILABLE);
        assert_in_range(ask.took_ms, 0, SLOW_MS);
        fake_set_up(true);
        close_ledger(&fixture);
    }
}

/* A call that runs nothing is counted, or rejected. */
static void a_count_is_an_admission(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    prepare(&ask, fixture.ledger, ADMIT_FREE, 7);
    assert_true(ledger_admit(fixture.ledger, &ask.admission, &ask.snapshot, &ask.kept, &ask.err));
    assert_int_equal(ask.snapshot.posted, 7);
    fake_outcome(7, "rate_limited_global");
    assert_false(ledger_admit(fixture.ledger, &ask.admission, &ask.snapshot, &ask.kept, &ask.err));
    assert_int_equal(ask.err.kind, ERR_RATE_LIMITED_GLOBAL);
    close_ledger(&fixture);
}

/* Each would keep a thread for its whole timeout. */
static void a_crowd_is_rejected_while_the_database_is_away(void **state)
{
    (void)state;
    static struct ask ask[2 * FULL_BATCH + 1];
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask late;

    fake_set_up(false);
    for (size_t i = 0; i < countof(ask); i++)
        start(&ask[i], fixture.ledger, ADMIT, 7);
    while (ledger_is_ready(fixture.ledger))
        poll(NULL, 0, 1);
    prepare(&late, fixture.ledger, ADMIT, 7);
    run_ask(&late);
    assert_false(late.ok);
    assert_int_equal(late.err.kind, ERR_LEDGER_UNAVAILABLE);
    assert_in_range(late.took_ms, 0, SLOW_MS);
    fake_set_up(true);
    for (size_t i = 0; i < countof(ask); i++) {
        join(&ask[i]);
        assert_true(ask[i].ok);
    }
    close_ledger(&fixture);
}

/* As many as above, but the database responds. */
static void a_crowd_waits_for_a_busy_database(void **state)
{
    (void)state;
    static struct ask ask[2 * FULL_BATCH + 2];
    struct fixture fixture = open_ledger(LONG_MS);

    occupy(&fixture);
    for (size_t i = 0; i < countof(ask); i++)
        start(&ask[i], fixture.ledger, ADMIT, 7);
    fake_release(FAKE_FREE);
    for (size_t i = 0; i < countof(ask); i++) {
        join(&ask[i]);
        assert_true(ask[i].ok);
    }
    join(&fixture.busy);
    close_ledger(&fixture);
}

static void it_works_again_when_the_database_is_back(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    occupy(&fixture);
    start(&ask, fixture.ledger, ADMIT, 7);
    fake_set_up(false);
    fake_release(FAKE_FREE);
    fake_set_up(true);
    join(&ask);
    join(&fixture.busy);
    assert_true(ask.ok && fixture.busy.ok);
    assert_true(ledger_is_ready(fixture.ledger));
    close_ledger(&fixture);
}

/* ---- the end ---- */

static void *stop_ledger(void *argument)
{
    ledger_stop(argument);
    return NULL;
}

static void stopping_settles_what_waits(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask[4];
    pthread_t stopper;

    fake_hold();
    for (size_t i = 0; i < countof(ask); i++)
        start(&ask[i], fixture.ledger, VOID, 7);
    for (size_t i = 0; i < countof(ask); i++)
        join(&ask[i]);
    assert_int_equal(pthread_create(&stopper, NULL, stop_ledger, &fixture.ledger), 0);
    poll(NULL, 0, 100); /* it stops before the first batch is done */
    fake_release(FAKE_FREE);
    assert_int_equal(pthread_join(stopper, NULL), 0);
    for (size_t i = 0; i < countof(ask); i++)
        assert_int_equal(fake_state(&ask[i].id), FAKE_VOIDED);
    close_ledger(&fixture);
}

/* A settlement is under way, or waits while PostgreSQL is away, and its caller has left. */
static void a_ledger_with_settlements_is_not_settled(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    struct ask ask;

    fake_hold();
    start(&ask, fixture.ledger, VOID, 7);
    join(&ask);
    assert_false(ledger_is_settled(fixture.ledger));
    fake_release(FAKE_FREE);
    assert_true(fake_wait_state(&ask.id, FAKE_VOIDED));
    fake_set_up(false);
    while (ledger_is_ready(fixture.ledger))
        poll(NULL, 0, 1);
    start(&ask, fixture.ledger, VOID, 7);
    join(&ask);
    assert_false(ledger_is_settled(fixture.ledger));
    fake_set_up(true);
    assert_true(fake_wait_state(&ask.id, FAKE_VOIDED));
    while (!ledger_is_settled(fixture.ledger))
        poll(NULL, 0, 1);
    close_ledger(&fixture);
}

static void stopping_has_a_limit(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(SHORT_MS);
    struct ask ask;

    fake_hold();
    start(&ask, fixture.ledger, VOID, 7);
    join(&ask);
    int64_t begin_ms = clock_ms();
    ledger_stop(&fixture.ledger);
    assert_in_range(clock_ms() - begin_ms, SHORT_MS - 10, SLOW_MS);
    assert_int_equal(fake_state(&ask.id), FAKE_OPEN);
    close_ledger(&fixture);
}

/* What the process prints on standard output while the ledger stops. */
static void stop_and_read(struct ledger **ledger, char *said, size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(STDOUT_FILENO);
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    ledger_stop(ledger);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    said[fread(said, 1, size - 1, file)] = '\0';
    fclose(file);
}

/* A charge is running, and the database no longer responds. */
static void stopping_logs_what_may_be_charged(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(SHORT_MS);
    struct ask ask;
    char id[UUID_TEXT_BYTES];
    char said[4096];

    fake_hold();
    start(&ask, fixture.ledger, CAPTURE, 7);
    join(&ask);
    assert_int_equal(ask.err.kind, ERR_OUTCOME_UNKNOWN);
    uuid_format(id, &ask.id);
    stop_and_read(&fixture.ledger, said, sizeof(said));
    assert_non_null(strstr(said, "not settled"));
    assert_non_null(strstr(said, id));
    assert_int_equal(told.count, 1); /* with the client */
    assert_int_equal(told.state[0], OUTCOME_UNKNOWN);
    close_ledger(&fixture);
}

/* ---- sweeping ---- */

/* The next sweep begins a minute before the end of this one; but not after a hold of an account
 * that another transaction holds. */
static void sweeping_forgets_no_hold(void **state)
{
    (void)state;
    fake_reset();
    fake_sweep((struct fake_sweep){ .reached_ms = 5000000 });
    struct fixture fixture = start_on_fake(LONG_MS);
    assert_true(fake_wait_sweep_since(-1));
    assert_true(fake_wait_sweep_since(5000000 - 60000));
    fake_sweep((struct fake_sweep){ .reached_ms = 5000000, .busy_ms = 3000000 });
    assert_true(fake_wait_sweep_since(3000000 - 1));
    close_ledger(&fixture);
}

static void old_rows_are_pruned(void **state)
{
    (void)state;
    struct fixture fixture = open_ledger(LONG_MS);
    assert_true(fake_wait_prunes(2));
    close_ledger(&fixture);
}

/* Step after step, without the pause, while there is more. */
static void a_backlog_is_swept_at_once(void **state)
{
    (void)state;
    fake_reset();
    fake_sweep((struct fake_sweep){ .is_more = true, .reached_ms = 7000000 });
    struct fixture fixture = start_sweeping(LONG_MS, LONG_MS);
    assert_true(fake_wait_sweep_since(7000000));
    assert_true(fake_wait_sweeps(10));
    close_ledger(&fixture);
}

struct flood {
    struct ledger *ledger;
    atomic_bool is_over;
    pthread_t thread[8];
};

static void *flood_checks(void *argument)
{
    struct flood *flood = argument;
    struct uuid account = uuid_new(), token_id;
    struct err err;
    while (!flood->is_over) {
        uint8_t token[32] = { 0 };
        struct uuid fresh = uuid_new();
        memcpy(token, fresh.bytes, sizeof(fresh.bytes));
        assert_true(
            ledger_check_token(flood->ledger, &account, token, &in6addr_loopback, &token_id, &err));
    }
    return NULL;
}

/* Token checks keep coming, and holds are still swept. */
static void a_flood_of_checks_does_not_keep_sweeps_waiting(void **state)
{
    (void)state;
    fake_reset();
    struct fixture fixture = start_on_fake(LONG_MS);
    struct flood flood = { .ledger = fixture.ledger };
    for (size_t i = 0; i < countof(flood.thread); i++)
        pthread_create(&flood.thread[i], NULL, flood_checks, &flood);
    assert_true(fake_wait_batches(20));
    assert_true(fake_wait_sweeps(fake_sweeps() + 3));
    flood.is_over = true;
    for (size_t i = 0; i < countof(flood.thread); i++)
        pthread_join(flood.thread[i], NULL);
    close_ledger(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_goes_in_one_batch),
        cmocka_unit_test(settlements_go_before_admissions),
        cmocka_unit_test(token_checks_share_a_statement),
        cmocka_unit_test(each_gets_its_own_outcome),
        cmocka_unit_test(rejections_are_paced),
        cmocka_unit_test(what_cannot_change_is_asked_once),
        cmocka_unit_test(a_pause_ends_at_its_moment),
        cmocka_unit_test(an_admitted_caller_waits_for_the_continuation),
        cmocka_unit_test(an_admitted_caller_looks_at_the_continuation),
        cmocka_unit_test(a_payment_returns_its_place),
        cmocka_unit_test(no_work_begins_for_a_revoked_token),
        cmocka_unit_test(a_capture_takes_the_response_with_it),
        cmocka_unit_test(a_capture_after_expiry_charges_nothing),
        cmocka_unit_test(what_cannot_be_sent_waits),
        cmocka_unit_test(a_lost_token_check_is_not_sent_again),
        cmocka_unit_test(a_session_that_worked_is_renewed_once),
        cmocka_unit_test(others_go_on_when_an_account_is_held),
        cmocka_unit_test(settlements_of_a_held_account_leave_room),
        cmocka_unit_test(a_payment_leaves_a_hold_only_when_it_may_be_looked_for),
        cmocka_unit_test(payments_over_another_connection_leave_holds),
        cmocka_unit_test(a_refused_payment_is_no_credit),
        cmocka_unit_test(work_begins_together),
        cmocka_unit_test(no_work_begins_without_a_ledger),
        cmocka_unit_test(no_work_begins_without_a_database),
        cmocka_unit_test(a_left_charge_that_was_replayed_stays),
        cmocka_unit_test(an_outcome_counts_until_its_caller_has_left),
        cmocka_unit_test(a_void_waits_a_moment_only),
        cmocka_unit_test(a_void_returns_the_new_balance),
        cmocka_unit_test(nobody_waits_longer_than_the_timeout),
        cmocka_unit_test(a_count_is_an_admission),
        cmocka_unit_test(a_crowd_is_rejected_while_the_database_is_away),
        cmocka_unit_test(a_crowd_waits_for_a_busy_database),
        cmocka_unit_test(it_works_again_when_the_database_is_back),
        cmocka_unit_test(stopping_settles_what_waits),
        cmocka_unit_test(a_ledger_with_settlements_is_not_settled),
        cmocka_unit_test(stopping_has_a_limit),
        cmocka_unit_test(stopping_logs_what_may_be_charged),
        cmocka_unit_test(old_rows_are_pruned),
        cmocka_unit_test(a_backlog_is_swept_at_once),
        cmocka_unit_test(a_flood_of_checks_does_not_keep_sweeps_waiting),
        cmocka_unit_test(sweeping_forgets_no_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(refusals, check_refusal) +
           RUN_ROWS(poisons, check_poison_row) + RUN_ROWS(losses, check_lost) +
           RUN_ROWS(leavings, check_left) + RUN_ROWS(lates, check_late) +
           RUN_ROWS(rejections, check_rejected);
}
