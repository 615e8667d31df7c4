/* tests/unit/svc/subjobs.c - a job thread requests subjobs, and the test is the thread with the
 * sockets. Built with -Db_sanitize=thread it also proves that there is no data race. */
#include "svc/subjobs.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "base/os/clock.h"
#include "rows.h"

enum { GATE = 7, PATIENCE_MS = 10000, BUDGET_MS = 900 };

static struct subjobs *home;

static int open(void **state)
{
    (void)state;
    home = subjobs_new();
    return 0;
}

static int close(void **state)
{
    (void)state;
    subjobs_free(&home);
    return 0;
}

/* ---- a job ---- */

struct asker {
    pthread_t thread;
    struct job job;
    struct subjob subjob[SUBJOBS_MAX];
    size_t count;
    int64_t wait_ms;
};

static void *run_job(void *argument)
{
    struct asker *asker = argument;
    const struct job *job = &asker->job;
    struct subjob *part = asker->subjob;
    size_t count = asker->count;
    struct subjob_batch *batch = subjobs_begin(job, part, count);
    int64_t until_ms = clock_ms() + asker->wait_ms;
    subjobs_end(&batch, until_ms);
    assert_null(batch);
    return NULL;
}

/* Returns when there is something to send. */
static void start(struct asker *asker, uint64_t link, size_t count, int64_t wait_ms)
{
    static const char *const tools[SUBJOBS_MAX] = { "t0", "t1", "t2", "t3", "t4",  "t5",
                                                    "t6", "t7", "t8", "t9", "t10", "t11" };
    struct pollfd wakeup = { subjobs_fd(home), POLLIN, 0 };
    *asker = (struct asker){ .job = { .subjobs = home, .link = link, .id = uuid_new() },
                             .count = count,
                             .wait_ms = wait_ms };
    for (size_t i = 0; i < count; i++)
        asker->subjob[i] = (struct subjob){ .tool = tools[i],
                                            .request = TEXT("{\"q\":1}"),
                                            .budget_ms = BUDGET_MS };
    assert_int_equal(pthread_create(&asker->thread, NULL, run_job, asker), 0);
    assert_int_equal(poll(&wakeup, 1, PATIENCE_MS), 1);
}

static void join(struct asker *asker)
{
    assert_int_equal(pthread_join(asker->thread, NULL), 0);
}

static void expect(struct asker *asker, size_t i, enum err_kind want, const char *want_result)
{
    struct subjob *subjob = &asker->subjob[i];
    assert_int_equal(subjob->err.kind, want);
    assert_string_equal(buf_str(&subjob->result), want_result);
    buf_free(&subjob->result);
}

/* ---- the sockets ---- */

static struct {
    bool is_gone;
    size_t count;
    struct wire_job job[2 * SUBJOBS_MAX];
    uint64_t link[2 * SUBJOBS_MAX];
} sent;

static bool take_job(void *context, uint64_t link, const struct wire_job *job, struct text request)
{
    assert_ptr_equal(context, &sent);
    assert_true(text_is(request, "{\"q\":1}"));
    if (sent.is_gone)
        return false;
    sent.link[sent.count] = link;
    sent.job[sent.count++] = *job;
    return true;
}

/* What is sent now. */
static void send_now(size_t want)
{
    size_t before = sent.count;
    subjobs_send(home, take_job, &sent);
    assert_int_equal(sent.count - before, want);
}

static void reset(void)
{
    memset(&sent, 0, sizeof(sent));
}

static bool answer(uint64_t link, size_t nth, const char *body)
{
    struct wire_reply reply = { .id = sent.job[nth].id };
    return subjobs_answer(home, link, &reply, text_of(body));
}

/* ---- the tests ---- */

static void they_are_sent_four_at_once_in_their_order(void)
{
    static const char *const bodies[] = { "{\"n\":0}", "{\"n\":1}", "{\"n\":2}",
                                          "{\"n\":3}", "{\"n\":4}", "{\"n\":5}" };
    struct asker asker;

    start(&asker, GATE, countof(bodies), PATIENCE_MS);
    send_now(SUBJOBS_AT_ONCE);
    send_now(0);
    for (size_t i = 0; i < SUBJOBS_AT_ONCE; i++) {
        char tool[] = { 't', (char)('0' + i), '\0' };
        assert_string_equal(sent.job[i].tool, tool);
        assert_true(sent.job[i].is_subjob);
        assert_memory_equal(&sent.job[i].parent, &asker.job.id, sizeof(asker.job.id));
        assert_int_equal(sent.job[i].budget_ms, BUDGET_MS);
        assert_int_equal(sent.link[i], GATE);
    }
    assert_true(answer(GATE, 2, bodies[2])); /* they end in any order */
    send_now(1);
    assert_string_equal(sent.job[4].tool, "t4");
    assert_true(answer(GATE, 0, bodies[0]));
    assert_true(answer(GATE, 4, bodies[4]));
    send_now(1);
    assert_true(answer(GATE, 1, bodies[1]));
    assert_true(answer(GATE, 3, bodies[3]));
    assert_true(answer(GATE, 5, bodies[5]));
    join(&asker);
    for (size_t i = 0; i < countof(bodies); i++)
        expect(&asker, i, ERR_NONE, bodies[i]);
}

static void an_error_is_the_first_of_the_reply(void)
{
    struct asker asker;

    start(&asker, GATE, 1, PATIENCE_MS);
    send_now(1);
    struct wire_reply reply = { .id = sent.job[0].id };
    errs_add(&reply.errs, ERR_INVALID_URL, "first");
    errs_add(&reply.errs, ERR_INTERNAL, "second");
    assert_true(subjobs_answer(home, GATE, &reply, TEXT("")));
    join(&asker);
    assert_string_equal(asker.subjob[0].err.message, "first");
    expect(&asker, 0, ERR_INVALID_URL, "");
}

static void what_nobody_asked_is_no_answer(void)
{
    struct wire_reply strange = { .id = uuid_new() };
    struct asker asker;

    start(&asker, GATE, 1, PATIENCE_MS);
    send_now(1);
    assert_false(subjobs_answer(home, GATE, &strange, TEXT("{}")));
    assert_false(answer(GATE + 1, 0, "{}")); /* unknown to another gateway */
    assert_true(answer(GATE, 0, "{\"mine\":1}"));
    assert_false(answer(GATE, 0, "{\"twice\":1}"));
    join(&asker);
    expect(&asker, 0, ERR_NONE, "{\"mine\":1}");
}

static void a_gateway_that_is_gone_is_not_waited_for(void)
{
    struct asker asker;

    start(&asker, GATE, 6, PATIENCE_MS);
    sent.is_gone = true;
    send_now(0);
    join(&asker);
    for (size_t i = 0; i < 6; i++)
        expect(&asker, i, ERR_WORKER_LOST, "");
}

static void a_gateway_that_goes_takes_only_its_own_along(void)
{
    struct asker lost;
    struct asker other;

    start(&lost, GATE, 6, PATIENCE_MS);
    send_now(SUBJOBS_AT_ONCE);
    start(&other, GATE + 1, 1, PATIENCE_MS);
    send_now(1);
    assert_true(answer(GATE, 0, "{}"));
    subjobs_lose(home, GATE);
    join(&lost);
    assert_true(answer(GATE + 1, 4, "{}"));
    join(&other);
    expect(&lost, 0, ERR_NONE, "{}");
    for (size_t i = 1; i < 6; i++)
        expect(&lost, i, ERR_WORKER_LOST, "");
    expect(&other, 0, ERR_NONE, "{}");
}

static void what_is_late_is_not_waited_for(void)
{
    struct asker asker;

    start(&asker, GATE, 6, 0);
    join(&asker);
    for (size_t i = 0; i < 6; i++)
        expect(&asker, i, ERR_DEADLINE_EXCEEDED, "");
    send_now(0); /* nothing is left of it */
}

static void a_late_answer_finds_nobody(void)
{
    struct asker asker;

    start(&asker, GATE, 2, 200);
    send_now(2);
    assert_true(answer(GATE, 0, "{}"));
    join(&asker);
    assert_false(answer(GATE, 1, "{}"));
    expect(&asker, 0, ERR_NONE, "{}");
    expect(&asker, 1, ERR_DEADLINE_EXCEEDED, "");
    assert_true(asker.subjob[1].took_ms >= asker.subjob[0].took_ms);
}

static void none_at_all_is_done_at_once(void)
{
    struct asker asker;

    start(&asker, GATE, 0, PATIENCE_MS);
    join(&asker);
    send_now(0);
}

#define TEST(name)  \
    {               \
#name, name \
    }

static const struct test {
    const char *name;
    void (*run)(void);
} tests[] = {
    TEST(they_are_sent_four_at_once_in_their_order),
    TEST(an_error_is_the_first_of_the_reply),
    TEST(what_nobody_asked_is_no_answer),
    TEST(a_gateway_that_is_gone_is_not_waited_for),
    TEST(a_gateway_that_goes_takes_only_its_own_along),
    TEST(what_is_late_is_not_waited_for),
    TEST(a_late_answer_finds_nobody),
    TEST(none_at_all_is_done_at_once),
};

static void check_test(void **state)
{
    const struct test *test = *state;
    reset();
    test->run();
}

int main(void)
{
    return RUN_ROWS_ON(tests, check_test, open, close);
}
