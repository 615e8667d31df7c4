/* tests/unit/gateway/ledger/sweeps.c - no sweep waits for long, whatever the others have to do.
 * ledger_prune() takes more than 10 minutes between two of its steps for a jump of the clock, and
 * then deletes nothing for an hour. The clock is played. */
#include "gateway/ledger/sweeps.h"

#include "base/num.h"
#include "base/os/clock.h"
#include "rows.h"

enum { RUN_MS = 2 * 3600 * 1000, PRUNE_GAP_MS = 2 * 60 * 1000, FAILS = -1 };

static const struct row {
    const char *name;
    int64_t sweep_ms;
    int64_t step_ms;   /* that a step takes */
    int steps[SWEEPS]; /* of a sweep that has more: this many in turn; FAILS: each step fails */
    int64_t max_ms[SWEEPS]; /* between two steps */
} rows[] = {
    { "nothing to do", 5000, 5, { 1, 1, 1 }, { 5100, 3600100, 5100 } },
    { "the longest rest", 600000, 5, { 1, 1, 1 }, { 600100, 3600100, PRUNE_GAP_MS } },
    { "the longest rest, all steps fail",
      600000,
      1800,
      { FAILS, FAILS, FAILS },
      { 610000, 3610000, PRUNE_GAP_MS } },
    { "the shortest rest, and slower steps", 100, 300, { 1, 1, 1 }, { 1000, 3601000, 1000 } },
    { "expired holds without end", 5000, 100, { 1 << 30, 1, 1 }, { 400, 3600500, 5500 } },
    { "old holds without end", 5000, 100, { 1, 1, 1 << 30 }, { 5500, 3600500, 400 } },
    { "holds without end for all", 5000, 100, { 1 << 30, 1 << 30, 1 << 30 }, { 500, 600, 500 } },
};

static int64_t now_ms;

int64_t __wrap_clock_ms(void); /* the linker's --wrap needs this name */
int64_t __wrap_clock_ms(void)
{
    return now_ms;
}

static void run_step(const struct row *row, struct sweep *sweep, int which, int64_t done)
{
    sweep_begin_step(sweep);
    now_ms += row->step_ms;
    if (row->steps[which] == FAILS)
        return;
    sweep_end_step(sweep, &(struct sweep_step){ .is_more = (done + 1) % row->steps[which] != 0,
                                                .reached_ms = now_ms,
                                                .busy_ms = -1 });
}

static void wait_for_next(const struct sweep sweep[SWEEPS])
{
    int64_t next_ms = INT64_MAX;
    for (int i = 0; i < SWEEPS; i++)
        next_ms = MIN(next_ms, sweep[i].next_ms);
    assert_true(next_ms > now_ms);
    now_ms = next_ms;
}

static void check(void **state)
{
    const struct row *row = *state;
    struct sweep sweep[SWEEPS];
    int64_t last_ms[SWEEPS] = { 0 };
    int64_t done[SWEEPS] = { 0 };
    now_ms = 0;
    sweeps_init(sweep, row->sweep_ms);
    while (now_ms < RUN_MS) {
        struct sweep *due = sweeps_due(sweep);
        if (!due) {
            wait_for_next(sweep);
            continue;
        }
        int which = (int)(due - sweep);
        assert_in_range(now_ms - last_ms[which], 0, row->max_ms[which]);
        last_ms[which] = now_ms;
        run_step(row, due, which, done[which]++);
    }
    for (int i = 0; i < SWEEPS; i++)
        assert_in_range(now_ms - last_ms[i], 0, row->max_ms[i] + row->step_ms);
}

/* The next sweep begins before the oldest hold that this one had to leave, and the one after that
 * at the usual time. */
static void a_hold_that_was_left_is_swept_next(void **state)
{
    (void)state;
    struct sweep sweep[SWEEPS];
    sweeps_init(sweep, 1000);
    assert_true(sweep[OLD].is_prune && !sweep[RECENT].is_prune && !sweep[EVERYTHING].is_prune);
    struct sweep *recent = &sweep[RECENT];
    assert_int_equal(recent->at_ms, -1); /* before all holds */
    assert_int_equal(sweep[OLD].at_ms, -1);
    now_ms = 1000000;
    sweep_end_step(recent, &(struct sweep_step){ true, 4000000, 3000000 });
    assert_int_equal(recent->at_ms, 4000000);
    sweep_end_step(recent, &(struct sweep_step){ false, 5000000, 3500000 });
    assert_int_equal(recent->at_ms, 3000000 - 1);
    sweep_end_step(recent, &(struct sweep_step){ false, 6000000, -1 });
    assert_int_equal(recent->at_ms, 6000000 - 60000);
    sweep_end_step(recent, &(struct sweep_step){ false, 7000000, 0 });
    assert_int_equal(recent->at_ms, -1);
    sweep_end_step(&sweep[EVERYTHING], &(struct sweep_step){ false, 6000000, 3000000 });
    assert_int_equal(sweep[EVERYTHING].at_ms, 0);
    assert_int_equal(recent->next_ms, now_ms + 1000);
    sweep_end_step(&sweep[EVERYTHING], &(struct sweep_step){ true, 6000000, -1 });
    assert_int_equal(sweep[EVERYTHING].next_ms, now_ms + 100);
    sweep_end_step(&sweep[OLD], &(struct sweep_step){ true, 6000000, -1 });
    assert_int_equal(sweep[OLD].next_ms, now_ms + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_hold_that_was_left_is_swept_next) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
