/* tests/unit/svc-email/blocklists/check.c - when silent lists are queried again. */
#include "blocklists/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/codec/cidr.h"
#include "base/os/clock.h"
#include "rows.h"
#include "svc-email/zone.h"

enum { GOOD, OTHER, QUESTION_MS = 2000, WHOLE_MS = 8000 };

#define LIST(id)                                 \
    "- { id: " #id ", name: " #id ", zone: " #id \
    ".net, kind: [ipv4], terms: open, category: spam }\n"

#define ROOT        ". NS a.root.\n"
#define TEST_OF(id) "2.0.0.127." #id ".net A 127.0.0.2\n"
#define SILENT(id)  "*." #id ".net A !TIMEOUT\n"

static struct dnsbls *lists;

static int set_up(void **state)
{
    char path[] = "/tmp/dnsbls-XXXXXX";
    (void)state;
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(LIST(good) LIST(other), file);
    fclose(file);
    bool ok = dnsbls_read(path, "", &lists, NULL);
    unlink(path);
    return !ok;
}

static int tear_down(void **state)
{
    (void)state;
    dnsbls_free(&lists);
    return 0;
}

/* Query about 93.184.216.34 with left_ms until the deadline. */
static bool query_zone(const char *zone, int64_t left_ms, struct listings *listings)
{
    const struct lookup_limits limits = { 100, QUESTION_MS, 1, clock_ms() + left_ms };
    scoped(lookups_free) struct lookups *lookups = lookups_new(NULL, &limits);
    static struct list_target target = { .subject = SUBJECT_IPV4, .name = "93.184.216.34" };
    assert_true(address_parse(text_of(target.name), &target.address));
    zone_of(zone);
    return listings_query(lookups, lists, &target, 1, listings, NULL);
}

static void expect(const char *zone, enum listing_status other, const char *reason,
                   size_t questions)
{
    struct listings listings;
    assert_true(query_zone(zone, WHOLE_MS, &listings));
    assert_int_equal(listings.count, 2);
    assert_int_equal(listings.item[GOOD].reading.status, LISTING_CLEAN);
    assert_int_equal(listings.item[OTHER].reading.status, other);
    if (reason)
        assert_non_null(strstr(listings.item[OTHER].reading.reason, reason));
    assert_int_equal(zone_questions, questions);
    listings_free(&listings);
}

#define DEAD ROOT TEST_OF(good) SILENT(other)
#define WELL ROOT TEST_OF(good) TEST_OF(other)

enum {
    ONE = 1,        /* query about the target */
    WITH_TESTS = 3, /* plus the test queries */
};

/* The root is queried with every call. The result is the same whether or not the list was
 * queried. */
static void a_silent_list_costs_its_time_once(void **state)
{
    (void)state;
    expect(DEAD, LISTING_ERROR, "in time", 1 + WITH_TESTS + WITH_TESTS);
    expect(DEAD, LISTING_ERROR, "in time", 1 + ONE);
    expect(WELL, LISTING_ERROR, "in time", 1 + ONE);
}

static void after_a_minute_one_call_tries_again(void **state)
{
    (void)state;
    expect(DEAD, LISTING_ERROR, "in time", 1 + WITH_TESTS + WITH_TESTS);
    lists->silent_until_ms[OTHER] = clock_ms();
    expect(DEAD, LISTING_ERROR, "in time", 1 + ONE + WITH_TESTS);
    expect(DEAD, LISTING_ERROR, "in time", 1 + ONE);
    lists->silent_until_ms[OTHER] = clock_ms();
    expect(WELL, LISTING_CLEAN, NULL, 1 + ONE + WITH_TESTS);
    expect(WELL, LISTING_CLEAN, NULL, 1 + ONE + ONE);
}

static void while_one_tries_no_other_does(void **state)
{
    (void)state;
    assert_true(dnsbls_may_query(lists, OTHER));
    assert_true(dnsbls_may_query(lists, OTHER));
    dnsbls_note_silence(lists, OTHER, true);
    assert_false(dnsbls_may_query(lists, OTHER));
    assert_true(dnsbls_may_query(lists, GOOD));
    lists->silent_until_ms[OTHER] = clock_ms();
    assert_true(dnsbls_may_query(lists, OTHER));
    assert_false(dnsbls_may_query(lists, OTHER));
    dnsbls_note_silence(lists, OTHER, false);
    assert_true(dnsbls_may_query(lists, OTHER));
    assert_true(dnsbls_may_query(lists, OTHER));
}

/* If all lists are silent, the network fails, so each call tries again. */
static void where_all_are_silent_none_is_remembered(void **state)
{
    struct listings listings;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_true(query_zone(ROOT SILENT(good) SILENT(other), WHOLE_MS, &listings));
        assert_int_equal(zone_questions, 1 + WITH_TESTS + WITH_TESTS);
        listings_free(&listings);
        assert_false(query_zone("* * !TIMEOUT\n" SILENT(good) SILENT(other) ". * !TIMEOUT\n",
                                WHOLE_MS, &listings));
    }
}

static void a_list_that_had_too_little_time_is_not_silent(void **state)
{
    struct listings listings;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_true(query_zone(DEAD, QUESTION_MS / 2, &listings));
        assert_int_equal(zone_questions, 1 + (i == 0 ? WITH_TESTS : ONE) + WITH_TESTS);
        listings_free(&listings);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_silent_list_costs_its_time_once),
        TEST(after_a_minute_one_call_tries_again),
        TEST(while_one_tries_no_other_does),
        TEST(where_all_are_silent_none_is_remembered),
        TEST(a_list_that_had_too_little_time_is_not_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
