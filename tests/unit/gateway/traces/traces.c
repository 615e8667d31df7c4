/* tests/unit/gateway/traces/traces.c - which traces are in the sample, and a full ring. */
#include "gateway/traces/traces.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "net/egress.h"
#include "rows.h"

/* Nothing listens there. */
#define URL     "http://127.0.0.1:1/v1/traces"

#define LOWEST  "ffffffffffffffffffffffff00000000"
#define MIDDLE  "00000000000000000000000007ffffff"
#define UPPER   "00000000000000000000000008000000"
#define HIGHEST "0000000000000000000000000fffffff"

static const struct row {
    const char *name;
    const char *id;
    int64_t per_million;
    bool want;
} rows[] = {
    { "none, the lowest", LOWEST, 0, false },
    { "one of a million, the lowest", LOWEST, 1, true },
    { "one of a million, another", MIDDLE, 1, false },
    { "half, the last that is in", MIDDLE, 500000, true },
    { "half, the first that is not", UPPER, 500000, false },
    { "all but one of a million, the highest", HIGHEST, 999999, false },
    { "all, the highest", HIGHEST, 1000000, true },
};

static struct egress *egress;

static struct traces *start(struct metrics *metrics, int64_t per_million)
{
    struct traces_options options = { egress, URL, per_million, metrics };
    struct traces *traces = NULL;
    struct err err = { 0 };
    assert_true(traces_start(&options, &traces, &err));
    return traces;
}

static void check(void **state)
{
    const struct row *row = *state;
    struct metrics *metrics = metrics_new("test", "test");
    struct traces *traces = start(metrics, row->per_million);
    assert_int_equal(traces_sample(traces, row->id), row->want);
    traces_stop(&traces);
    metrics_free(&metrics);
}

static void without_a_collector(void **state)
{
    struct traces *traces = NULL;
    (void)state;
    assert_false(traces_sample(traces, LOWEST));
    traces_stop(&traces);
}

static void a_wrong_url(void **state)
{
    struct traces_options options = { .url = "collector:4318" };
    struct traces *traces = NULL;
    struct err err = { 0 };
    (void)state;
    assert_false(traces_start(&options, &traces, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
}

enum { RING_SPANS = 4096, TEXT_MAX_BYTES = 65536 };

static void expect_count(struct metrics *metrics, const char *outcome, size_t want)
{
    scoped(buf_free) struct buf text = BUF(TEXT_MAX_BYTES);
    char line[96];
    snprintf(line, sizeof(line), "tollgate_trace_spans_total{outcome=\"%s\"} %zu\n", outcome, want);
    assert_true(metrics_write(metrics, &text));
    assert_non_null(strstr(buf_text(&text).bytes, line));
}

/* Each span is counted once: as failed, because nobody listens, or as full. */
static void more_than_fit(void **state)
{
    static struct span spans[10000];
    struct metrics *metrics = metrics_new("test", "test");
    struct traces *traces = start(metrics, 1000000);
    (void)state;
    for (size_t i = 0; i < countof(spans); i++)
        spans[i] = (struct span){ .kind = SPAN_INTERNAL, .name = "queue", .tool = "hash-generate" };
    traces_add(traces, spans, countof(spans));
    expect_count(metrics, "full", countof(spans) - RING_SPANS);
    traces_stop(&traces);
    expect_count(metrics, "full", countof(spans) - RING_SPANS);
    expect_count(metrics, "failed", RING_SPANS);
    metrics_free(&metrics);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(without_a_collector),
        cmocka_unit_test(a_wrong_url),
        cmocka_unit_test(more_than_fit),
    };
    struct conf *conf = NULL;
    struct err err = { 0 };
    if (!conf_load(NULL, &conf, &err) || !egress_open(conf, &egress, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int failures = RUN_ROWS(rows, check) + cmocka_run_group_tests(others, NULL, NULL);
    egress_close(&egress);
    conf_free(&conf);
    return failures;
}
