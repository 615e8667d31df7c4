/* tests/unit/gateway/dispatch/dispatch.c - the dispatcher thread with workers and a clock that the
 * test plays. Built with -Db_sanitize=thread it also proves that there is no data race. */
#include "gateway/dispatch/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "gateway/dispatch/workers.h"
#include "played.h"
#include "rows.h"

/* ---- the normal life of a job ---- */

static void a_job_goes_and_its_reply_comes_back(void)
{
    struct heard heard = { 0 };
    struct wire_job job = { 0 };
    struct ask ask;

    come("a", 1);
    start(&ask, &again);
    assert_true(fake_hear("a", MSG_JOB, &heard));
    assert_true(wire_get_job(heard.header, &job));
    assert_memory_equal(&job.id, &ask.job.id, sizeof(job.id));
    assert_memory_equal(&job.account, &ask.job.account, sizeof(job.account));
    assert_string_equal(job.tool, "again");
    assert_string_equal(job.request_id, "request");
    assert_string_equal(job.traceparent, "trace");
    assert_int_equal(job.budget_ms, BUDGET_MS);
    assert_int_equal(job.max_reply_bytes, 100);
    assert_int_equal(job.attempt, 1);
    assert_true(text_is(heard.body, "{\"a\":1}"));
    say_reply("a", &job.id, "{\"b\":2}");
    join(&ask, ERR_NONE, "{\"b\":2}");
}

/* Small replies pass; a large one without memory fails, and leaves nothing reserved. */
static void a_reply_without_room_is_forgotten(void)
{
    struct reservation others = { 0 };
    struct ask ask[2];

    assert_true(memory_budget_reserve(&answers, ANSWERS_BYTES, 0, &others, NULL));
    come("a", 2);
    for (size_t i = 0; i < countof(ask); i++)
        start(&ask[i], &again);
    say_reply("a", &ask[0].job.id, "{\"n\":12345}");
    join(&ask[0], ERR_OVERLOADED, NULL);
    assert_string_equal(ask[0].err.message, "crowded");
    say_reply("a", &ask[1].job.id, "{\"n\":123}");
    join(&ask[1], ERR_NONE, "{\"n\":123}");
    reservation_free(&others);

    start(&ask[0], &again);
    say_reply("a", &ask[0].job.id, "{\"n\":12345}");
    join(&ask[0], ERR_NONE, "{\"n\":12345}");
    assert_int_equal(memory_budget_reserved(&answers), 0); /* released with the reply */
}

static void a_job_waits_for_its_worker(void)
{
    struct ask ask;

    start(&ask, &once);
    advance(300);
    come("a", 1);
    struct wire_job job = hear_job("a");
    assert_int_equal(job.budget_ms, BUDGET_MS - 300);
    say_reply("a", &job.id, "{}");
    join(&ask, ERR_NONE, "{}");
}

static void the_least_loaded_worker_gets_the_job(void)
{
    struct ask ask[5];

    come("a", 3);
    come("b", 4);
    settle();
    give("b", &ask[0], &once); /* 3 and 3 are left: the first to come wins a tie */
    give("a", &ask[1], &once);
    give("b", &ask[2], &once);
    give("a", &ask[3], &once);
    give("b", &ask[4], &once);
    for (size_t i = 0; i < countof(ask); i++) {
        say_reply(i % 2 ? "a" : "b", &ask[i].job.id, "{}");
        join(&ask[i], ERR_NONE, "{}");
    }
}

static void credits_are_never_exceeded(void)
{
    struct ask ask[5];

    come("a", 2);
    for (size_t i = 0; i < countof(ask); i++)
        start(&ask[i], &once);
    for (size_t i = 0; i < countof(ask); i++) {
        expect_job("a", &ask[i], 1);
        settle();
        assert_int_equal(fake_count("a", MSG_JOB), i + 2 < countof(ask) ? i + 2 : countof(ask));
        serve("a", &ask[i]);
    }
}

static void a_smaller_credit_counts_at_once(void)
{
    struct ask ask[3];

    come("a", 3);
    start(&ask[0], &once);
    start(&ask[1], &once);
    expect_job("a", &ask[0], 1);
    expect_job("a", &ask[1], 1);
    say_credit("a", 1);
    settle();
    start(&ask[2], &once);
    serve("a", &ask[0]);
    settle();
    assert_int_equal(fake_count("a", MSG_JOB), 2);
    say_reply("a", &ask[1].job.id, "{}");
    expect_job("a", &ask[2], 1);
    say_reply("a", &ask[2].job.id, "{}");
    join(&ask[1], ERR_NONE, "{}");
    join(&ask[2], ERR_NONE, "{}");
}

static void accounts_take_turns(void)
{
    static const size_t order[] = { 0, 1, 3, 2 };
    static const uint8_t account[] = { 1, 1, 1, 2 };
    struct ask ask[countof(order)];

    come("a", 1);
    for (size_t i = 0; i < countof(ask); i++)
        start_until(&ask[i], &once, account[i], BUDGET_MS);
    for (size_t i = 0; i < countof(order); i++) {
        expect_job("a", &ask[order[i]], 1);
        say_reply("a", &ask[order[i]].job.id, "{}");
    }
    for (size_t i = 0; i < countof(ask); i++)
        join(&ask[i], ERR_NONE, "{}");
}

/* ---- waiting without a worker ---- */

static void without_credit_no_job_is_sent(void)
{
    struct ask ask;

    come("a", 0);
    settle();
    start(&ask, &again);
    advance(BUDGET_MS / 2);
    join(&ask, ERR_OVERLOADED, NULL);
    assert_int_equal(fake_count("a", MSG_JOB), 0);
}

static void without_worker_the_job_waits_half_its_budget(void)
{
    struct ask ask;

    start(&ask, &again);
    advance(BUDGET_MS / 2);
    join(&ask, ERR_NO_WORKER, NULL);
}

static void a_group_unseen_for_a_minute_is_not_waited_for(void)
{
    struct ask ask;

    advance(60001 - TICK_MS);
    settle();
    start(&ask, &again);
    advance(TICK_MS);
    join(&ask, ERR_NO_WORKER, NULL);
}

static void a_job_whose_time_is_over_is_not_sent(void)
{
    struct ask ask;

    come("a", 1);
    settle();
    start_until(&ask, &again, 1, -5);
    join(&ask, ERR_DEADLINE_EXCEEDED, NULL);
    assert_int_equal(fake_count("a", MSG_JOB), 0);
}

/* All workers are busy, and its time ends while it waits. */
static void a_job_whose_time_ends_in_the_queue(void)
{
    struct ask ask;

    come("a", 0);
    settle();
    start(&ask, &again);
    advance(BUDGET_MS);
    join(&ask, ERR_DEADLINE_EXCEEDED, NULL);
    assert_int_equal(fake_count("a", MSG_JOB), 0);
}

/* ---- rejected before it starts ---- */

static const struct nack_row {
    const char *name;
    enum nack_reason reason;
} nacks[] = {
    { "unknown reason", NACK_UNKNOWN },    { "full", NACK_FULL },
    { "draining", NACK_DRAINING },         { "expired", NACK_EXPIRED },
    { "unknown tool", NACK_UNKNOWN_TOOL },
};

/* The job goes to another worker, in the same attempt, though it may not run twice. */
static void check_nack(void **state)
{
    const struct nack_row *row = *state;
    struct ask ask;

    come("a", 4);
    come("b", 1);
    settle();
    give("a", &ask, &once);
    say_nack("a", &ask.job.id, row->reason);
    expect_job("b", &ask, 1);
    serve("b", &ask);
    expect_metric("tollgate_job_nacks_total 1\n");
}

static void a_full_worker_is_tried_again_after_its_heartbeat(void)
{
    struct ask ask;

    come("a", 1);
    give("a", &ask, &once);
    say_nack("a", &ask.job.id, NACK_FULL);
    settle();
    assert_int_equal(fake_count("a", MSG_JOB), 1);
    say_heartbeat("a", false);
    expect_job("a", &ask, 1);
    serve("a", &ask);
}

static void a_job_nobody_knows_does_not_go_in_circles(void)
{
    struct ask ask;

    come("a", 2);
    come("b", 1);
    settle();
    start(&ask, &again);
    for (int i = 0; i < 8; i++) {
        const char *peer = i % 2 ? "b" : "a";
        expect_job(peer, &ask, 1);
        say_nack(peer, &ask.job.id, NACK_UNKNOWN_TOOL);
    }
    join(&ask, ERR_NO_WORKER, NULL);
}

static void a_job_that_avoids_a_worker_holds_up_nobody(void)
{
    struct ask picky, other;

    come("a", 1);
    start(&picky, &again);
    expect_job("a", &picky, 1);
    start_until(&other, &again, 2, BUDGET_MS);
    say_nack("a", &picky.job.id, NACK_UNKNOWN_TOOL);
    expect_job("a", &other, 1);
    come("b", 1);
    expect_job("b", &picky, 1);
    say_reply("a", &other.job.id, "{}");
    say_reply("b", &picky.job.id, "{}");
    join(&picky, ERR_NONE, "{}");
    join(&other, ERR_NONE, "{}");
}

static void a_job_that_finds_everybody_full_does_not_wait_for_ever(void)
{
    struct ask ask;

    come("a", 1);
    start(&ask, &long_once);
    for (int i = 0; i < 8; i++) {
        expect_job("a", &ask, 1);
        say_nack("a", &ask.job.id, NACK_FULL);
        say_heartbeat("a", false);
    }
    join(&ask, ERR_OVERLOADED, NULL);
    assert_int_equal(fake_count("a", MSG_JOB), 8);
}

/* ---- replies that count, and that do not ---- */

static void foreign_late_and_second_replies_are_dropped(void)
{
    struct uuid nobody = uuid_new();
    struct ask ask;

    come("a", 2);
    come("b", 1);
    settle();
    give("a", &ask, &again);
    say_reply("b", &ask.job.id, "{\"forged\":1}");
    say_nack("b", &ask.job.id, NACK_FULL);
    say_reply("a", &nobody, "{}");
    say_reply("a", &ask.job.id, "{}");
    say_reply("a", &ask.job.id, "{\"again\":1}");
    join(&ask, ERR_NONE, "{}");
    expect_metric("tollgate_job_unexpected_replies_total 3\n");
    expect_metric("tollgate_job_nacks_total 0\n");
}

static void a_reply_that_does_not_unpack_is_dropped(void)
{
    struct ask ask;

    come("a", 1);
    give("a", &ask, &again);
    buf_add_str(&header, "\xff\xff\xff");
    fake_say("a", "utils", MSG_REPLY, &header, TEXT("{}"));
    serve("a", &ask);
    expect_metric("tollgate_bus_invalid_messages_total 1\n");
}

static void a_reply_larger_than_its_contract_is_an_error(void)
{
    struct ask ask;
    char large[102];

    memset(large, 'x', sizeof(large));
    large[101] = '\0';
    come("a", 1);
    give("a", &ask, &again);
    say_reply("a", &ask.job.id, large);
    join(&ask, ERR_INTERNAL, NULL);
}

/* ---- a worker dies ---- */

enum death { CONNECTION_GONE, SILENT };

static const struct death_row {
    const char *name;
    const struct contract *contract;
    enum death death;
} deaths[] = {
    { "gone: what may run again does", &long_again, CONNECTION_GONE },
    { "gone: what may not is lost", &long_once, CONNECTION_GONE },
    { "silent: what may run again does", &long_again, SILENT },
    { "silent: what may not is lost", &long_once, SILENT },
};

static void die(const char *peer, const char *survivor, enum death death)
{
    if (death == CONNECTION_GONE) {
        fake_sending(peer, SOCK_GONE);
        advance(250); /* a busy one gets a ping after that */
        return;
    }
    for (int64_t passed_ms = 0; passed_ms <= 4000; passed_ms += 1000) {
        advance(1000);
        assert_true(fake_hear(survivor, MSG_HEARTBEAT, NULL));
        say_heartbeat(survivor, false);
        settle();
    }
}

static void check_death(void **state)
{
    const struct death_row *row = *state;
    struct ask ask;

    come("a", 2);
    come("b", 1);
    settle();
    give("a", &ask, row->contract);
    die("a", "b", row->death);
    if (row->contract->retryable) {
        expect_job("b", &ask, 2);
        serve("b", &ask);
    } else {
        join(&ask, ERR_WORKER_LOST, NULL);
        assert_int_equal(fake_count("b", MSG_JOB), 0);
    }
    expect_metric("tollgate_workers_lost_total 1\n");
    expect_metric("tollgate_workers{group=\"utils\"} 1\n");
}

static void a_job_runs_twice_at_most(void)
{
    struct ask ask;

    come("a", 3);
    come("b", 2);
    come("c", 1);
    settle();
    give("a", &ask, &long_again);
    die("a", NULL, CONNECTION_GONE);
    expect_job("b", &ask, 2);
    die("b", NULL, CONNECTION_GONE);
    join(&ask, ERR_WORKER_LOST, NULL);
    assert_int_equal(fake_count("c", MSG_JOB), 0);
}

static void a_worker_gone_at_the_first_job_is_not_used(void)
{
    struct ask ask;

    come("a", 2);
    come("b", 1);
    settle();
    fake_sending("a", SOCK_GONE);
    start(&ask, &once);
    advance(TICK_MS);
    expect_job("b", &ask, 1); /* it was never sent, so it may be sent now */
    serve("b", &ask);
}

static void a_worker_whose_queue_is_full_gets_the_job_later(void)
{
    struct ask ask;

    come("a", 1);
    settle();
    fake_sending("a", SOCK_FULL);
    start(&ask, &once);
    settle();
    fake_sending("a", SOCK_OK);
    advance(TICK_MS);
    expect_job("a", &ask, 1);
    serve("a", &ask);
}

static void a_pause_of_our_own_is_not_their_silence(void)
{
    struct ask ask;

    come("a", 1);
    settle();
    give("a", &ask, &long_once);
    pass(10000);
    expect_metric("tollgate_workers_lost_total 0\n");
    serve("a", &ask);
}

/* ---- timeouts ---- */

static void a_slow_attempt_is_repeated_elsewhere(void)
{
    struct ask ask;

    come("a", 2);
    come("b", 1);
    settle();
    give("a", &ask, &again);
    advance(ATTEMPT_MS);
    expect_cancel("a", &ask.job.id);
    struct wire_job job = hear_job("b");
    assert_int_equal(job.attempt, 2);
    assert_int_equal(job.budget_ms, BUDGET_MS - ATTEMPT_MS);
    say_reply("a", &ask.job.id, "{\"late\":1}");
    serve("b", &ask);
    expect_metric("tollgate_job_retries_total 1\n");
    expect_metric("tollgate_job_unexpected_replies_total 1\n");
}

static void a_slow_attempt_goes_on_when_nobody_else_is_free(void)
{
    struct ask ask;

    come("a", 2);
    settle();
    give("a", &ask, &again);
    pass(ATTEMPT_MS);
    assert_int_equal(fake_count("a", MSG_CANCEL), 0);
    serve("a", &ask);
    assert_int_equal(fake_count("a", MSG_CANCEL), 0);
}

static const struct deadline_row {
    const char *name;
    const struct contract *contract;
    int64_t left_ms; /* when it is sent */
} deadlines[] = {
    { "what may run again", &again, BUDGET_MS },
    { "what may not", &once, BUDGET_MS },
    { "what may run again and began late", &again, ATTEMPT_MS / 2 },
};

static void check_deadline(void **state)
{
    const struct deadline_row *row = *state;
    struct ask ask;

    come("a", 1);
    settle();
    start_until(&ask, row->contract, 1, row->left_ms);
    expect_job("a", &ask, 1);
    pass(row->left_ms - TICK_MS);
    assert_int_equal(fake_count("a", MSG_CANCEL), 0);
    advance(TICK_MS);
    expect_cancel("a", &ask.job.id);
    join(&ask, ERR_DEADLINE_EXCEEDED, NULL);
    say_reply("a", &ask.job.id, "{}");
    expect_metric("tollgate_job_unexpected_replies_total 1\n");
}

/* Its worker gets CANCEL, and its slot counts as in a job that was given up. */
static void a_cancelled_job_is_over(void)
{
    struct ask ask[3];

    come("a", 1);
    start(&ask[0], &again);
    expect_job("a", &ask[0], 1);
    start(&ask[1], &once); /* waits for a worker */
    dispatch_cancel(ask[1].run);
    advance(TICK_MS);
    join(&ask[1], ERR_DEADLINE_EXCEEDED, NULL);
    assert_int_equal(fake_count("a", MSG_CANCEL), 0);
    dispatch_cancel(ask[0].run);
    advance(TICK_MS);
    expect_cancel("a", &ask[0].job.id);
    join(&ask[0], ERR_DEADLINE_EXCEEDED, NULL);
    start(&ask[2], &once);
    advance(TICK_MS);
    settle();
    assert_int_equal(fake_count("a", MSG_JOB), 1);
    say_running("a", 0);
    expect_job("a", &ask[2], 1);
    serve("a", &ask[2]);
}

/* A job that was given up keeps its slot: first by the dispatcher's count, then by its worker's
 * report. */
static void a_job_that_never_ends_keeps_its_slot(void)
{
    struct ask ask[3];

    come("a", 2);
    start(&ask[0], &once);
    start(&ask[1], &once);
    expect_job("a", &ask[0], 1);
    expect_job("a", &ask[1], 1);
    advance(BUDGET_MS);
    join(&ask[0], ERR_DEADLINE_EXCEEDED, NULL);
    join(&ask[1], ERR_DEADLINE_EXCEEDED, NULL);
    start(&ask[2], &once);
    advance(TICK_MS);
    settle();
    assert_int_equal(fake_count("a", MSG_JOB), 2);
    say_running("a", 2);
    advance(TICK_MS);
    settle();
    assert_int_equal(fake_count("a", MSG_JOB), 2);
    say_running("a", 1);
    expect_job("a", &ask[2], 1);
    serve("a", &ask[2]);
}

static void a_job_repeated_elsewhere_keeps_its_slot(void)
{
    struct ask ask[2];

    come("a", 3);
    come("b", 2);
    settle();
    give("a", &ask[0], &again);
    say_running("a", 1); /* not more than the dispatcher counts: two are free */
    settle();
    advance(ATTEMPT_MS);
    expect_job("b", &ask[0], 2);
    say_running("a", 3); /* one given up, two of a previous start of this gateway */
    settle();
    give("b", &ask[1], &again);
    say_reply("b", &ask[0].job.id, "{}");
    say_reply("b", &ask[1].job.id, "{}");
    join(&ask[0], ERR_NONE, "{}");
    join(&ask[1], ERR_NONE, "{}");
    assert_int_equal(fake_count("a", MSG_JOB), 1);
}

static void running_jobs_are_not_counted_twice(void)
{
    struct ask ask[2];

    come("a", 2);
    give("a", &ask[0], &once);
    say_running("a", 1);
    settle();
    give("a", &ask[1], &once);
    for (size_t i = 0; i < countof(ask); i++) {
        serve("a", &ask[i]);
    }
}

static void a_worker_that_never_stops_talking_stops_no_clock(void)
{
    struct ask ask;

    come("a", 1);
    settle();
    give("a", &ask, &once);
    fake_chatter("a", "utils", MSG_HEARTBEAT);
    advance(BUDGET_MS);
    join(&ask, ERR_DEADLINE_EXCEEDED, NULL);
}

/* ---- allowed workers, and leaving ---- */

static const struct ready_row {
    const char *name;
    const char *key_group;
    const char *group;
} readies[] = {
    { "another group than its key's", "chat", "utils" },
    { "a key without a group", NULL, "utils" },
    { "a group that nothing is sold of", "reports", "reports" },
    { "no group", "utils", "" },
};

static void check_ready(void **state)
{
    const struct ready_row *row = *state;
    struct ask ask;

    say_ready("a", row->key_group, row->group);
    assert_true(fake_hear("a", MSG_GOODBYE, NULL));
    say_credit("a", 1); /* by an unknown worker */
    assert_true(fake_hear("a", MSG_GOODBYE, NULL));
    start(&ask, &once);
    advance(BUDGET_MS / 2);
    join(&ask, ERR_NO_WORKER, NULL);
    assert_int_equal(fake_count("a", MSG_WELCOME) + fake_count("a", MSG_JOB), 0);
}

/* Workers "<key>/0", "<key>/1" and so on send READY until one is rejected; returns how many were
 * not. */
static size_t crowd(const char *key, const char *group)
{
    size_t count = 0;
    for (;; count++) {
        char peer[16];
        snprintf(peer, sizeof(peer), "%s/%zu", key, count);
        say_ready(peer, group, group);
        settle();
        if (fake_count(peer, MSG_WELCOME) == 0)
            return count;
    }
}

static void a_group_takes_no_place_of_another(void)
{
    assert_int_equal(crowd("a", "utils"), GROUP_WORKERS_MAX);
    assert_int_equal(crowd("b", "utils"), 0);
    assert_int_equal(crowd("c", "chat"), GROUP_WORKERS_MAX);
    expect_metric("tollgate_workers_rejected_total 3\n");
    expect_metric("tollgate_workers{group=\"utils\"} 128\n");
}

static void a_key_takes_no_place_of_another(void)
{
    fake_keys(2);
    assert_int_equal(crowd("a", "utils"), GROUP_WORKERS_MAX / 2);
    assert_int_equal(crowd("b", "utils"), GROUP_WORKERS_MAX / 2);
    assert_int_equal(crowd("c", "utils"), 0);
}

static void more_keys_than_places_have_one_each(void)
{
    fake_keys(GROUP_WORKERS_MAX + 1);
    assert_int_equal(crowd("a", "utils"), 1);
    assert_int_equal(crowd("b", "utils"), 1);
}

static void a_place_that_was_left_is_free(void)
{
    size_t count = crowd("a", "utils");
    say_goodbye("a/7");
    settle();
    say_ready("a/again", "utils", "utils");
    assert_true(fake_hear("a/again", MSG_WELCOME, NULL));
    assert_int_equal(count, GROUP_WORKERS_MAX);
    expect_metric("tollgate_workers{group=\"utils\"} 128\n");
}

static void a_worker_under_another_key_is_not_believed(void)
{
    struct ask ask;

    come("a", 1);
    settle();
    give("a", &ask, &once);
    wire_put_reply(&header, &(struct wire_reply){ .id = ask.job.id });
    fake_say("a", "chat", MSG_REPLY, &header, TEXT("{\"forged\":1}"));
    assert_true(fake_hear("a", MSG_GOODBYE, NULL));
    serve("a", &ask);
}

static void a_worker_whose_key_was_taken_back_is_dead(void)
{
    struct ask ask[2];

    come("a", 2);
    settle();
    give("a", &ask[0], &again);
    fake_forbid("a");
    wait_inbox_read();
    start(&ask[1], &again);
    come("b", 2);
    expect_job("b", &ask[0], 2);
    expect_job("b", &ask[1], 1);
    say_reply("a", &ask[0].job.id, "{\"forged\":1}");
    say_reply("b", &ask[0].job.id, "{}");
    say_reply("b", &ask[1].job.id, "{}");
    assert_true(fake_hear("a", MSG_GOODBYE, NULL));
    join(&ask[0], ERR_NONE, "{}");
    join(&ask[1], ERR_NONE, "{}");
}

static void a_draining_worker_gets_nothing_more(void)
{
    struct wire_heartbeat heartbeat = { 0 };
    struct heard heard = { 0 };
    struct ask ask[2];

    come("a", 9);
    come("b", 1);
    settle();
    give("a", &ask[0], &once);
    say_heartbeat("a", true);
    while (!heartbeat.is_draining) { /* pings that were sent before come first */
        assert_true(fake_hear("a", MSG_HEARTBEAT, &heard));
        assert_true(wire_get_heartbeat(heard.header, &heartbeat));
    }
    give("b", &ask[1], &once);
    say_reply("a", &ask[0].job.id, "{}");
    say_reply("b", &ask[1].job.id, "{}");
    join(&ask[0], ERR_NONE, "{}");
    join(&ask[1], ERR_NONE, "{}");
    say_goodbye("a");
    expect_metric("tollgate_workers{group=\"utils\"} 1\n");
}

/* It had the job and has not reported that it did not start it. */
static void what_a_leaving_worker_had_counts_as_an_attempt(void)
{
    struct ask ask[2];

    come("a", 9);
    come("b", 1);
    settle();
    start(&ask[0], &once);
    start(&ask[1], &again);
    expect_job("a", &ask[0], 1);
    expect_job("a", &ask[1], 1);
    say_goodbye("a");
    join(&ask[0], ERR_WORKER_LOST, NULL);
    expect_job("b", &ask[1], 2);
    serve("b", &ask[1]);
}

static void who_comes_and_goes_for_ever_gets_a_job_twice(void)
{
    struct ask ask;

    start(&ask, &again);
    for (uint32_t attempt = 1; attempt <= 2; attempt++) {
        come("a", 1);
        expect_job("a", &ask, attempt);
        say_goodbye("a");
    }
    join(&ask, ERR_WORKER_LOST, NULL);
    come("a", 1);
    settle();
    assert_int_equal(fake_count("a", MSG_JOB), 2);
}

static void who_drains_for_ever_gets_a_job_eight_times(void)
{
    struct ask ask;

    start(&ask, &once);
    for (int i = 0; i < 8; i++) {
        come("a", 1);
        expect_job("a", &ask, 1);
        say_nack("a", &ask.job.id, NACK_DRAINING);
        say_goodbye("a");
    }
    join(&ask, ERR_NO_WORKER, NULL);
    assert_int_equal(fake_count("a", MSG_JOB), 8);
}

static void heartbeats_come_each_second_and_faster_to_the_busy(void)
{
    struct ask ask;

    come("a", 1);
    advance(TICK_MS);
    assert_true(fake_hear("a", MSG_HEARTBEAT, NULL)); /* at this tick or the previous one */
    pass(1000 - 2 * TICK_MS);
    assert_int_equal(fake_count("a", MSG_HEARTBEAT), 1);
    advance(2 * TICK_MS);
    assert_true(fake_hear("a", MSG_HEARTBEAT, NULL));
    give("a", &ask, &long_once);
    advance(250);
    assert_true(fake_hear("a", MSG_HEARTBEAT, NULL));
    advance(250);
    assert_true(fake_hear("a", MSG_HEARTBEAT, NULL));
    assert_int_equal(fake_count("a", MSG_HEARTBEAT), 4);
    serve("a", &ask);
}

static void stopping_says_goodbye(void)
{
    come("a", 1);
    come("b", 1);
    dispatch_stop(&dispatch);
    assert_int_equal(fake_count("a", MSG_GOODBYE), 1);
    assert_int_equal(fake_count("b", MSG_GOODBYE), 1);
}

/* ---- permits, the allow list ---- */

static void permits_are_counted_for_each_group(void)
{
    struct group *utils = dispatch_group(dispatch, "utils");
    struct err err = { 0 };

    for (int i = 0; i < 5; i++) /* two of its share, three in common */
        assert_true(dispatch_acquire_permit(dispatch, utils, &err));
    assert_false(dispatch_acquire_permit(dispatch, utils, &err));
    assert_int_equal(err.kind, ERR_OVERLOADED);
    assert_true(dispatch_acquire_permit(dispatch, dispatch_group(dispatch, "chat"), &err));
    dispatch_release_permit(utils);
    assert_true(dispatch_acquire_permit(dispatch, utils, &err));
    assert_false(dispatch_acquire_permit(dispatch, utils, &err));
    assert_null(dispatch_group(dispatch, "nobody"));
}

static void the_newest_allow_list_counts(void)
{
    struct allow *allow = allow_new();
    dispatch_allow(dispatch, allow_new());
    dispatch_allow(dispatch, allow);
    settle();
    say_ready("outsider", "utils", "utils"); /* read after the list was applied */
    assert_true(fake_hear("outsider", MSG_WELCOME, NULL));
    assert_ptr_equal(fake_allow(), allow);
}

/* clang-format off */
#define TEST(function) { #function, function }
/* clang-format on */

static const struct test {
    const char *name;
    void (*run)(void);
} tests[] = {
    TEST(a_job_goes_and_its_reply_comes_back),
    TEST(a_reply_without_room_is_forgotten),
    TEST(a_job_waits_for_its_worker),
    TEST(the_least_loaded_worker_gets_the_job),
    TEST(credits_are_never_exceeded),
    TEST(a_smaller_credit_counts_at_once),
    TEST(accounts_take_turns),
    TEST(without_credit_no_job_is_sent),
    TEST(without_worker_the_job_waits_half_its_budget),
    TEST(a_group_unseen_for_a_minute_is_not_waited_for),
    TEST(a_job_whose_time_is_over_is_not_sent),
    TEST(a_job_whose_time_ends_in_the_queue),
    TEST(a_full_worker_is_tried_again_after_its_heartbeat),
    TEST(a_job_nobody_knows_does_not_go_in_circles),
    TEST(a_job_that_finds_everybody_full_does_not_wait_for_ever),
    TEST(a_job_that_avoids_a_worker_holds_up_nobody),
    TEST(foreign_late_and_second_replies_are_dropped),
    TEST(a_reply_that_does_not_unpack_is_dropped),
    TEST(a_reply_larger_than_its_contract_is_an_error),
    TEST(a_job_runs_twice_at_most),
    TEST(a_worker_gone_at_the_first_job_is_not_used),
    TEST(a_worker_whose_queue_is_full_gets_the_job_later),
    TEST(a_pause_of_our_own_is_not_their_silence),
    TEST(a_slow_attempt_is_repeated_elsewhere),
    TEST(a_slow_attempt_goes_on_when_nobody_else_is_free),
    TEST(a_cancelled_job_is_over),
    TEST(a_job_that_never_ends_keeps_its_slot),
    TEST(a_job_repeated_elsewhere_keeps_its_slot),
    TEST(running_jobs_are_not_counted_twice),
    TEST(a_worker_that_never_stops_talking_stops_no_clock),
    TEST(a_group_takes_no_place_of_another),
    TEST(a_key_takes_no_place_of_another),
    TEST(more_keys_than_places_have_one_each),
    TEST(a_place_that_was_left_is_free),
    TEST(a_worker_under_another_key_is_not_believed),
    TEST(a_worker_whose_key_was_taken_back_is_dead),
    TEST(a_draining_worker_gets_nothing_more),
    TEST(what_a_leaving_worker_had_counts_as_an_attempt),
    TEST(who_comes_and_goes_for_ever_gets_a_job_twice),
    TEST(who_drains_for_ever_gets_a_job_eight_times),
    TEST(heartbeats_come_each_second_and_faster_to_the_busy),
    TEST(stopping_says_goodbye),
    TEST(permits_are_counted_for_each_group),
    TEST(the_newest_allow_list_counts),
};

static void check_test(void **state)
{
    const struct test *test = *state;
    test->run();
}

#define RUN(rows, check) RUN_ROWS_ON(rows, check, open_dispatch, close_dispatch)

int main(void)
{
    return RUN(tests, check_test) + RUN(nacks, check_nack) + RUN(deaths, check_death) +
           RUN(deadlines, check_deadline) + RUN(readies, check_ready);
}
