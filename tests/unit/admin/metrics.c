/* tests/unit/admin/metrics.c - the text format, and that no update is lost. */
#include "admin/metrics.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "rows.h"

enum { OUTPUT_BYTES = 1 << 20 };

static void assert_written(struct metrics *metrics, const char *want)
{
    scoped(buf_free) struct buf out = BUF(OUTPUT_BYTES);
    assert_true(metrics_write(metrics, &out));
    if (!strstr(buf_str(&out), want))
        fail_msg("wanted:\n%s\nin:\n%s", want, buf_str(&out));
}

/* ---- label values and helps ---- */

static const struct escape {
    const char *name;
    const char *value;
    const char *want;
} escapes[] = {
    { "plain", "hash-generate", "x_total{tool=\"hash-generate\"} 0\n" },
    { "empty", "", "x_total{tool=\"\"} 0\n" },
    { "quote", "a\"b", "x_total{tool=\"a\\\"b\"} 0\n" },
    { "backslash", "a\\b", "x_total{tool=\"a\\\\b\"} 0\n" },
    { "line feed", "a\nb", "x_total{tool=\"a\\nb\"} 0\n" },
    { "braces and commas stay", "},{", "x_total{tool=\"},{\"} 0\n" },
    { "UTF-8 stays", "\u00fc", "x_total{tool=\"\u00fc\"} 0\n" },
};

static void check_escape(void **state)
{
    const struct escape *row = *state;
    scoped(metrics_free) struct metrics *metrics = metrics_new("1.2.3", "test");
    metrics_counter(metrics, "x_total", "X.", (struct labels){ "tool", row->value });
    assert_written(metrics, row->want);
}

/* ---- the bucket of a duration ---- */

static const struct duration {
    const char *name;
    int64_t us;
    const char *last_without; /* the largest bucket that does not hold it; "" if all do */
    const char *first_with;
    const char *sum;
} durations[] = {
    { "nothing", 0, "", "le=\"0.001\"} 1\n", "x_seconds_sum 0.000000\n" },
    { "the edge belongs to the bucket", 1000, "", "le=\"0.001\"} 1\n", "x_seconds_sum 0.001000\n" },
    { "just behind the edge", 1001, "le=\"0.001\"} 0\n", "le=\"0.0025\"} 1\n",
      "x_seconds_sum 0.001001\n" },
    { "a second and a half", 1500000, "le=\"1\"} 0\n", "le=\"2.5\"} 1\n",
      "x_seconds_sum 1.500000\n" },
    { "a minute", 60000000, "le=\"30\"} 0\n", "le=\"60\"} 1\n", "x_seconds_sum 60.000000\n" },
    { "an image", 155000000, "le=\"120\"} 0\n", "le=\"180\"} 1\n", "x_seconds_sum 155.000000\n" },
    { "longer", 180000001, "le=\"180\"} 0\n", "le=\"+Inf\"} 1\n", "x_seconds_sum 180.000001\n" },
};

static void check_duration(void **state)
{
    const struct duration *row = *state;
    scoped(metrics_free) struct metrics *metrics = metrics_new("1.2.3", "test");
    histogram_add(metrics_histogram(metrics, "x_seconds", "X.", NO_LABELS), row->us);
    assert_written(metrics, row->last_without);
    assert_written(metrics, row->first_with);
    assert_written(metrics, row->sum);
    assert_written(metrics, "x_seconds_count 1\n");
}

/* ---- the whole ---- */

static double seven_and_a_half(void *arg)
{
    return *(const int *)arg + 0.5;
}

static void the_header_shows_it(void **state)
{
    (void)state;
    const char *tool = "a";
    scoped(metrics_free) struct metrics *metrics = metrics_new("1.2.3", "test");
    struct labels labels = { "tool", tool };
    struct counter *jobs = metrics_counter(metrics, "jobs_total", "Jobs by outcome.", labels);
    counter_add(jobs, 1);
    assert_written(metrics, "# HELP jobs_total Jobs by outcome.\n"
                            "# TYPE jobs_total counter\n"
                            "jobs_total{tool=\"a\"} 1\n");
}

static void families_are_contiguous(void **state)
{
    (void)state;
    int seven = 7;
    scoped(metrics_free) struct metrics *metrics = metrics_new("1.2.3", "test");
    struct labels ok = { "tool", "a", "status", "ok" };
    struct labels bad = { "tool", "a", "status", "bad" };

    struct counter *jobs_ok = metrics_counter(metrics, "jobs_total", "Jobs\nby \\ outcome.", ok);
    struct gauge *queue = metrics_gauge(metrics, "queue_depth", "Waiting.", NO_LABELS);
    struct counter *jobs_bad = metrics_counter(metrics, "jobs_total", "Jobs\nby \\ outcome.", bad);
    metrics_gauge_of(metrics, "half", "Asked.", NO_LABELS, seven_and_a_half, &seven);
    counter_add(jobs_ok, 3);
    counter_add(jobs_bad, 1);
    gauge_set(queue, 5);
    gauge_add(queue, -7);

    assert_written(metrics, "# HELP jobs_total Jobs\\nby \\\\ outcome.\n"
                            "# TYPE jobs_total counter\n"
                            "jobs_total{tool=\"a\",status=\"ok\"} 3\n"
                            "jobs_total{tool=\"a\",status=\"bad\"} 1\n"
                            "# HELP queue_depth Waiting.\n"
                            "# TYPE queue_depth gauge\n"
                            "queue_depth -2\n"
                            "# HELP half Asked.\n"
                            "# TYPE half gauge\n"
                            "half 7.5\n");
}

static void histogram_is_cumulative_and_labelled(void **state)
{
    (void)state;
    scoped(metrics_free) struct metrics *metrics = metrics_new("1.2.3", "test");
    struct histogram *histogram =
        metrics_histogram(metrics, "x_seconds", "X.", (struct labels){ "tool", "a" });
    histogram_add(histogram, 800);
    histogram_add(histogram, 2000);
    histogram_add(histogram, 190000000);

    assert_written(metrics, "# TYPE x_seconds histogram\n"
                            "x_seconds_bucket{tool=\"a\",le=\"0.001\"} 1\n"
                            "x_seconds_bucket{tool=\"a\",le=\"0.0025\"} 2\n"
                            "x_seconds_bucket{tool=\"a\",le=\"0.005\"} 2\n");
    assert_written(metrics, "x_seconds_bucket{tool=\"a\",le=\"180\"} 2\n"
                            "x_seconds_bucket{tool=\"a\",le=\"+Inf\"} 3\n"
                            "x_seconds_sum{tool=\"a\"} 190.002800\n"
                            "x_seconds_count{tool=\"a\"} 3\n");
}

/* Registering an existing metric again returns it, while other threads read. */
static void again_is_the_same(void **state)
{
    (void)state;
    scoped(metrics_free) struct metrics *metrics = metrics_new("1.2.3", "test");
    struct labels labels = { "provider", "a" };
    struct counter *counter = metrics_counter(metrics, "calls_total", "Calls.", labels);
    counter_add(counter, 2);
    assert_ptr_equal(metrics_counter(metrics, "calls_total", "Calls.", labels), counter);
    assert_written(metrics, "# TYPE calls_total counter\ncalls_total{provider=\"a\"} 2\n");
    assert_ptr_equal(metrics_gauge(metrics, "now", "Now.", labels),
                     metrics_gauge(metrics, "now", "Now.", labels));
    assert_ptr_equal(metrics_histogram(metrics, "s_seconds", "S.", labels),
                     metrics_histogram(metrics, "s_seconds", "S.", labels));
}

static double sample(struct metrics *metrics, const char *name)
{
    scoped(buf_free) struct buf out = BUF(OUTPUT_BYTES);
    scoped(mem_free) char *line = str_format("\n%s ", name);
    assert_true(metrics_write(metrics, &out));
    const char *at = strstr(buf_str(&out), line);
    assert_non_null(at);
    return strtod(at + strlen(line), NULL);
}

static void process_is_described(void **state)
{
    (void)state;
    clock_stop(0, 1700000000999);
    scoped(metrics_free) struct metrics *metrics = metrics_new("1.2.3", "test");
    clock_run();
    assert_written(metrics, "tollgate_build_info{version=\"1.2.3\",build=\"test\"} 1\n");
    assert_written(metrics, "\nprocess_start_time_seconds 1700000000\n");
    assert_written(metrics, "# TYPE process_cpu_seconds_total counter\n");
    assert_true(sample(metrics, "process_resident_memory_bytes") > 100000);
    assert_true(sample(metrics, "process_cpu_seconds_total") > 0);

    double before = sample(metrics, "process_open_fds");
    FILE *file = fopen("/dev/null", "r");
    assert_true(sample(metrics, "process_open_fds") == before + 1);
    fclose(file);
}

static void output_has_a_ceiling(void **state)
{
    (void)state;
    scoped(metrics_free) struct metrics *metrics = metrics_new("1.2.3", "test");
    scoped(buf_free) struct buf out = BUF(100);
    assert_false(metrics_write(metrics, &out));
}

/* ---- many threads ---- */

enum { THREADS = 4, UPDATES = 20000 };

struct shared {
    struct counter *counter;
    struct gauge *gauge;
    struct histogram *histogram;
};

static void *update(void *arg)
{
    const struct shared *shared = arg;
    for (int i = 0; i < UPDATES; i++) {
        counter_add(shared->counter, 2);
        gauge_add(shared->gauge, i % 2 ? 1 : -1);
        histogram_add(shared->histogram, i % 2 ? 500 : 5000000);
    }
    return NULL;
}

static void no_update_is_lost(void **state)
{
    (void)state;
    scoped(metrics_free) struct metrics *metrics = metrics_new("1.2.3", "test");
    struct shared shared = {
        metrics_counter(metrics, "x_total", "X.", NO_LABELS),
        metrics_gauge(metrics, "x", "X.", NO_LABELS),
        metrics_histogram(metrics, "x_seconds", "X.", NO_LABELS),
    };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, update, &shared), 0);
    for (int i = 0; i < 20; i++)
        assert_written(metrics, "x_total");
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);

    assert_written(metrics, "\nx_total 160000\n");
    assert_written(metrics, "\nx 0\n");
    assert_written(metrics, "x_seconds_bucket{le=\"0.001\"} 40000\n");
    assert_written(metrics, "x_seconds_sum 200020.000000\nx_seconds_count 80000\n");
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(the_header_shows_it),
        cmocka_unit_test(families_are_contiguous),
        cmocka_unit_test(histogram_is_cumulative_and_labelled),
        cmocka_unit_test(again_is_the_same),
        cmocka_unit_test(process_is_described),
        cmocka_unit_test(output_has_a_ceiling),
        cmocka_unit_test(no_update_is_lost),
    };
    return RUN_ROWS(escapes, check_escape) + RUN_ROWS(durations, check_duration) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
