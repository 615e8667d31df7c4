/* tests/unit/gateway/dispatch/subjobs.c - a worker of the group chat (@p) has a job and requests
 * others, which workers of utils (a, b) run. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "played.h"
#include "rows.h"

static const char *callable[] = { "again", "once", "own", "unknown" };
static const struct contract parent = { .tool = "parent",
                                        .group = "chat",
                                        .retryable = true,
                                        .budget_ms = 10000,
                                        .max_reply_bytes = 100,
                                        .calls = { countof(callable), callable } };
static const struct contract own = {
    .tool = "own", .group = "chat", .budget_ms = BUDGET_MS, .max_reply_bytes = 100
};

static int open(void **state)
{
    static struct contract contracts[4];
    static struct contract *list[countof(contracts)];
    const struct contract *const all[] = { &again, &once, &own, &parent };
    (void)state;
    for (size_t i = 0; i < countof(contracts); i++) {
        contracts[i] = *all[i];
        list[i] = &contracts[i];
    }
    return open_dispatch_of(list, countof(list));
}

/* ---- messages of the worker @p ---- */

static struct uuid ask_of(const char *peer, const struct uuid *job, const char *tool,
                          uint32_t budget_ms, struct text body)
{
    struct wire_job subjob = {
        .id = uuid_new(), .budget_ms = budget_ms, .is_subjob = true, .parent = *job
    };
    snprintf(subjob.tool, sizeof(subjob.tool), "%s", tool);
    wire_put_job(&header, &subjob);
    fake_say(peer, "chat", MSG_JOB, &header, body);
    return subjob.id;
}

static struct uuid ask_for(const struct ask *job, const char *tool)
{
    return ask_of("@p", &job->job.id, tool, BUDGET_MS, TEXT("{\"sub\":1}"));
}

static void expect_answer(const struct uuid *asked, enum err_kind want, const char *want_body)
{
    struct heard heard = { 0 };
    struct wire_reply reply = { 0 };
    assert_true(fake_hear("@p", MSG_REPLY, &heard));
    assert_true(wire_get_reply(heard.header, &reply));
    assert_memory_equal(&reply.id, asked, sizeof(*asked));
    assert_int_equal(reply.errs.count, want != ERR_NONE);
    if (want != ERR_NONE)
        assert_int_equal(reply.errs.item[0].kind, want);
    else
        assert_true(text_is(heard.body, want_body));
    wire_reply_free(&reply);
}

static void expect_refusal(const char *peer, const struct uuid *asked, const char *why)
{
    struct heard heard = { 0 };
    struct wire_reply reply = { 0 };
    assert_true(fake_hear(peer, MSG_REPLY, &heard));
    assert_true(wire_get_reply(heard.header, &reply));
    assert_memory_equal(&reply.id, asked, sizeof(*asked));
    assert_int_equal(reply.errs.count, 1);
    assert_int_equal(reply.errs.item[0].kind, ERR_INTERNAL);
    assert_string_equal(reply.errs.item[0].message, why);
    wire_reply_free(&reply);
}

/* @p has a job, and `a` is ready to run its subjobs. */
static void begin(struct ask *job)
{
    come("@p", 4);
    come("a", 8);
    settle();
    give("@p", job, &parent);
}

static void end(struct ask *job)
{
    serve("@p", job);
    assert_int_equal(memory_budget_reserved(&answers), 0);
}

/* ---- the normal life ---- */

static void a_subjob_goes_and_its_reply_comes_back(void)
{
    struct heard heard = { 0 };
    struct wire_job got = { 0 };
    struct ask job;

    begin(&job);
    advance(9500);
    struct uuid asked = ask_for(&job, "once");
    assert_true(fake_hear("a", MSG_JOB, &heard));
    assert_true(wire_get_job(heard.header, &got));
    assert_string_equal(got.tool, "once");
    assert_string_equal(got.request_id, "request");
    assert_string_equal(got.traceparent, "trace");
    assert_memory_equal(&got.account, &job.job.account, sizeof(got.account));
    assert_int_equal(got.budget_ms, 500); /* what the parent has left */
    assert_false(got.is_subjob);
    assert_memory_not_equal(&got.id, &asked, sizeof(asked)); /* no worker chooses a job's id */
    assert_true(text_is(heard.body, "{\"sub\":1}"));
    say_reply("a", &got.id, "{\"b\":2}");
    expect_answer(&asked, ERR_NONE, "{\"b\":2}");
    end(&job);
    expect_metric("tollgate_subjobs_total 1\n");
}

static void a_failed_subjob_is_no_failure_of_its_parent(void)
{
    struct wire_reply reply = { 0 };
    struct ask job;

    begin(&job);
    struct uuid asked = ask_for(&job, "once");
    reply.id = hear_job("a").id;
    errs_add(&reply.errs, ERR_INVALID_URL, "no");
    wire_put_reply(&header, &reply);
    fake_say("a", "utils", MSG_REPLY, &header, TEXT(""));
    expect_answer(&asked, ERR_INVALID_URL, NULL);
    end(&job);
}

static void its_time_is_the_smallest_of_three(void)
{
    struct ask job;

    begin(&job);
    ask_of("@p", &job.job.id, "once", 700, TEXT("{}"));
    assert_int_equal(hear_job("a").budget_ms, 700);
    ask_of("@p", &job.job.id, "once", 60000, TEXT("{}"));
    assert_int_equal(hear_job("a").budget_ms, BUDGET_MS);
    end(&job);
}

static void a_late_one_is_given_up(void)
{
    struct ask job;

    begin(&job);
    struct uuid asked = ask_of("@p", &job.job.id, "once", 300, TEXT("{}"));
    struct uuid id = hear_job("a").id;
    pass(300);
    expect_cancel("a", &id);
    expect_answer(&asked, ERR_DEADLINE_EXCEEDED, NULL);
    say_reply("a", &id, "{}"); /* too late: nobody gets it */
    settle();
    end(&job);
}

static void a_retryable_one_runs_again_elsewhere(void)
{
    struct ask job;

    begin(&job);
    struct uuid asked = ask_for(&job, "again");
    struct uuid id = hear_job("a").id;
    come("b", 1);
    say_goodbye("a");
    struct wire_job second = hear_job("b");
    assert_memory_equal(&second.id, &id, sizeof(id));
    say_reply("b", &id, "{}");
    expect_answer(&asked, ERR_NONE, "{}");
    end(&job);
}

static void a_lost_one_is_told(void)
{
    struct ask job;

    begin(&job);
    struct uuid asked = ask_for(&job, "once");
    hear_job("a");
    say_goodbye("a");
    expect_answer(&asked, ERR_WORKER_LOST, NULL);
    end(&job);
}

static void without_worker_it_fails_alone(void)
{
    struct ask job;

    come("@p", 1);
    settle();
    give("@p", &job, &parent);
    struct uuid asked = ask_for(&job, "once");
    settle();
    pass(BUDGET_MS / 2);
    expect_answer(&asked, ERR_NO_WORKER, NULL);
    end(&job);
}

/* ---- allowed subjobs ---- */

static const struct refusal {
    const char *name;
    const char *tool;
    size_t body_bytes;
    const char *why;
} refusals[] = {
    { "a tool that `calls` does not name", "parent", 2,
      "the contract's `calls` does not list this tool" },
    { "a tool that the gateway does not know", "unknown", 2,
      "the gateway has no contract for this tool" },
    { "a tool of the same group", "own", 2, "the tool is in the same group" },
    { "a request that is too large", "once", 65537, "the request is too large" },
};

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    scoped(buf_free) struct buf body = BUF(1 << 20);
    struct ask job;

    for (size_t i = 0; i < row->body_bytes; i++)
        buf_add_byte(&body, 'x');
    begin(&job);
    struct uuid asked = ask_of("@p", &job.job.id, row->tool, BUDGET_MS, buf_text(&body));
    expect_refusal("@p", &asked, row->why);
    assert_int_equal(fake_count("a", MSG_JOB), 0);
    expect_metric("tollgate_subjobs_rejected_total 1\n");
    end(&job);
}

static void four_at_once(void)
{
    struct uuid asked[SUBJOBS_AT_ONCE + 1];
    struct ask job;

    begin(&job);
    for (size_t i = 0; i < countof(asked); i++)
        asked[i] = ask_for(&job, "once");
    expect_answer(&asked[SUBJOBS_AT_ONCE], ERR_INTERNAL, NULL);
    struct uuid first = hear_job("a").id;
    say_reply("a", &first, "{}");
    expect_answer(&asked[0], ERR_NONE, "{}");
    ask_for(&job, "once"); /* there is a place again */
    for (size_t i = 1; i <= SUBJOBS_AT_ONCE; i++)
        hear_job("a");
    end(&job);
}

static void twelve_in_all(void)
{
    struct ask job;

    begin(&job);
    for (size_t i = 0; i < SUBJOBS_MAX; i++) {
        struct uuid asked = ask_for(&job, "once");
        struct uuid id = hear_job("a").id;
        say_reply("a", &id, "{}");
        expect_answer(&asked, ERR_NONE, "{}");
    }
    struct uuid asked = ask_for(&job, "once");
    expect_answer(&asked, ERR_INTERNAL, NULL);
    end(&job);
}

/* A worker without the parent gets no reply, and nothing runs. */
static void only_who_has_the_parent_may_ask(void)
{
    struct uuid nobodys = uuid_new();
    struct ask job;

    begin(&job);
    come("@q", 1);
    ask_of("@q", &job.job.id, "once", BUDGET_MS, TEXT("{}"));
    ask_of("@p", &nobodys, "once", BUDGET_MS, TEXT("{}"));
    settle();
    assert_int_equal(fake_count("a", MSG_JOB), 0);
    assert_int_equal(fake_count("@q", MSG_REPLY), 0);
    end(&job);
    ask_for(&job, "once"); /* it is over */
    settle();
    assert_int_equal(fake_count("a", MSG_JOB), 0);
}

/* `a` has the subjob as its job, and requests more; utils has no contract with `calls` here, but
 * depth is checked first. */
static void a_subjob_has_none_of_its_own(void)
{
    struct ask job;

    begin(&job);
    ask_for(&job, "once");
    struct wire_job subjob = { .id = uuid_new(), .is_subjob = true, .parent = hear_job("a").id };
    snprintf(subjob.tool, sizeof(subjob.tool), "own");
    wire_put_job(&header, &subjob);
    fake_say("a", "utils", MSG_JOB, &header, TEXT("{}"));
    expect_refusal("a", &subjob.id, "a sub-job cannot request sub-jobs");
    end(&job);
}

static void a_job_without_parent_is_no_message_of_a_daemon(void)
{
    struct wire_job plain = { .id = uuid_new(), .tool = "once" };
    struct ask job;

    begin(&job);
    wire_put_job(&header, &plain);
    fake_say("@p", "chat", MSG_JOB, &header, TEXT("{}"));
    expect_metric("tollgate_bus_invalid_messages_total 1\n");
    assert_int_equal(fake_count("a", MSG_JOB), 0);
    end(&job);
}

/* ---- the end of a parent ---- */

static void with_its_parent_it_ends(void)
{
    struct ask job;

    begin(&job);
    ask_for(&job, "once");
    struct uuid id = hear_job("a").id;
    end(&job);
    pass(TICK_MS);
    expect_cancel("a", &id);
    say_reply("a", &id, "{}");
    settle();
    assert_int_equal(fake_count("@p", MSG_REPLY), 0);
}

static void one_that_waits_ends_with_its_parent(void)
{
    struct ask job;

    come("@p", 1);
    settle();
    give("@p", &job, &parent);
    ask_for(&job, "once");
    settle();
    end(&job);
    pass(TICK_MS);
    come("a", 1);
    settle();
    assert_int_equal(fake_count("a", MSG_JOB), 0);
}

/* The parent moves to another worker, which requests again: the first one's subjobs do not
 * count. */
static void a_parent_that_runs_again_begins_anew(void)
{
    struct ask job;

    begin(&job);
    for (size_t i = SUBJOBS_AT_ONCE; i < SUBJOBS_MAX; i++) {
        ask_for(&job, "once");
        struct uuid id = hear_job("a").id;
        say_reply("a", &id, "{}");
    }
    for (size_t i = 0; i < SUBJOBS_AT_ONCE; i++)
        ask_for(&job, "once");
    struct uuid id = hear_job("a").id;
    come("@q", 1);
    say_goodbye("@p");
    expect_job("@q", &job, 2);
    say_reply("a", &id, "{\"for\":\"p\"}");
    struct uuid asked = ask_of("@q", &job.job.id, "once", BUDGET_MS, TEXT("{}"));
    for (size_t i = 1; i < SUBJOBS_AT_ONCE; i++)
        hear_job("a");
    id = hear_job("a").id;
    say_reply("a", &id, "{\"for\":\"q\"}");
    struct heard heard = { 0 };
    struct wire_reply reply = { 0 };
    assert_true(fake_hear("@q", MSG_REPLY, &heard));
    assert_true(wire_get_reply(heard.header, &reply));
    assert_memory_equal(&reply.id, &asked, sizeof(asked));
    assert_true(text_is(heard.body, "{\"for\":\"q\"}"));
    assert_int_equal(fake_count("@q", MSG_REPLY), 1);
    serve("@q", &job);
}

static void stopping_takes_what_is_left_along(void)
{
    struct ask job;

    begin(&job);
    ask_for(&job, "once");
    hear_job("a");
    end(&job);
    dispatch_stop(&dispatch); /* asserts that nothing is running */
}

#define TEST(name)  \
    {               \
#name, name \
    }

static const struct test {
    const char *name;
    void (*run)(void);
} tests[] = {
    TEST(a_subjob_goes_and_its_reply_comes_back),
    TEST(a_failed_subjob_is_no_failure_of_its_parent),
    TEST(its_time_is_the_smallest_of_three),
    TEST(a_late_one_is_given_up),
    TEST(a_retryable_one_runs_again_elsewhere),
    TEST(a_lost_one_is_told),
    TEST(without_worker_it_fails_alone),
    TEST(four_at_once),
    TEST(twelve_in_all),
    TEST(only_who_has_the_parent_may_ask),
    TEST(a_subjob_has_none_of_its_own),
    TEST(a_job_without_parent_is_no_message_of_a_daemon),
    TEST(with_its_parent_it_ends),
    TEST(one_that_waits_ends_with_its_parent),
    TEST(a_parent_that_runs_again_begins_anew),
    TEST(stopping_takes_what_is_left_along),
};

static void check_test(void **state)
{
    const struct test *test = *state;
    test->run();
}

int main(void)
{
    return RUN_ROWS_ON(tests, check_test, open, close_dispatch) +
           RUN_ROWS_ON(refusals, check_refusal, open, close_dispatch);
}
