/* tests/unit/svc-email/address/evidence-cache.c - what is cached, for how long, and how much of
 * it. */
#include "address/evidence-cache.h"

#include <stdio.h>

#include "base/os/clock.h"
#include "rows.h"

enum { NOW_MS = 1000000 };

static struct evidence_cache *cache;

static const struct evidence good = { .is_known = true, .has_mx = true, .mx_count = 1 };
static const struct evidence gone = { .is_known = true, .is_nxdomain = true };
static const struct evidence idle = { .is_known = true, .has_no_server = true };

static const struct row {
    const char *name;
    const struct evidence *evidence;
    int64_t later_ms;
    bool is_kept;
} rows[] = {
    { "at once", &good, 0, true },
    { "for six hours", &good, EVIDENCE_KEPT_MS - 1, true },
    { "not longer", &good, EVIDENCE_KEPT_MS, false },
    { "no such domain, for one", &gone, EVIDENCE_KEPT_BAD_MS - 1, true },
    { "not longer either", &gone, EVIDENCE_KEPT_BAD_MS, false },
    { "no mail server, for one", &idle, EVIDENCE_KEPT_BAD_MS - 1, true },
    { "and not longer", &idle, EVIDENCE_KEPT_BAD_MS, false },
};

static int open(void **state)
{
    (void)state;
    clock_stop(NOW_MS, 0);
    cache = evidence_cache_new();
    return 0;
}

static int close(void **state)
{
    (void)state;
    evidence_cache_free(&cache);
    clock_run();
    return 0;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(evidence_free) struct evidence found = { 0 };
    evidence_cache_put(cache, "a.com", row->evidence);
    clock_stop(NOW_MS + row->later_ms, 0);
    assert_int_equal(evidence_cache_get(cache, "a.com", &found), row->is_kept);
    assert_false(evidence_cache_get(cache, "b.com", &found));
    assert_int_equal(found.is_nxdomain, row->is_kept && row->evidence->is_nxdomain);
}

static void newest_counts(void **state)
{
    (void)state;
    scoped(evidence_free) struct evidence found = { 0 };
    struct evidence other = good;
    other.hosts = (char[]){ "mx.a.com " };
    evidence_cache_put(cache, "a.com", &gone);
    evidence_cache_put(cache, "a.com", &other);
    assert_true(evidence_cache_get(cache, "a.com", &found));
    assert_false(found.is_nxdomain);
    assert_string_equal(found.hosts, "mx.a.com ");
    assert_ptr_not_equal(found.hosts, other.hosts);
}

/* However many come, no more are kept; and of the newest, nearly all are. */
static void is_bounded(void **state)
{
    (void)state;
    enum { MANY = 3 * EVIDENCE_CACHE_MAX, LAST = 1000 };
    char name[32];
    size_t kept = 0;
    size_t kept_last = 0;
    for (size_t i = 0; i < MANY; i++) {
        clock_stop(NOW_MS + (int64_t)i / 100, 0);
        snprintf(name, sizeof(name), "d%zu.com", i);
        evidence_cache_put(cache, name, &good);
    }
    for (size_t i = 0; i < MANY; i++) {
        scoped(evidence_free) struct evidence found = { 0 };
        snprintf(name, sizeof(name), "d%zu.com", i);
        bool is_kept = evidence_cache_get(cache, name, &found);
        kept += is_kept;
        kept_last += is_kept && i >= MANY - LAST;
    }
    assert_in_range(kept, EVIDENCE_CACHE_MAX / 2, EVIDENCE_CACHE_MAX);
    assert_int_equal(kept_last, LAST);
}

int main(void)
{
    const struct CMUnitTest more[] = { cmocka_unit_test_setup_teardown(newest_counts, open, close),
                                       cmocka_unit_test_setup_teardown(is_bounded, open, close) };
    return RUN_ROWS_ON(rows, check, open, close) +
           cmocka_run_group_tests_name("more", more, NULL, NULL);
}
