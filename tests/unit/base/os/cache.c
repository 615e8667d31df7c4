/* tests/unit/base/os/cache.c - what is cached, for how long, and how much of it. */
#include "base/os/cache.h"

#include <stdio.h>
#include <string.h>

#include "base/os/clock.h"
#include "rows.h"

enum { NOW_MS = 1000000, PLACES = 64 };

static void *copy(const void *value)
{
    return str_dup(value);
}

static void release(void *value)
{
    mem_free(&value);
}

static const struct cache_kind kind = { PLACES, copy, release };
static struct cache *cache;

static int open(void **state)
{
    (void)state;
    clock_stop(NOW_MS, 0);
    cache = cache_new(&kind);
    return 0;
}

static int close(void **state)
{
    (void)state;
    cache_free(&cache);
    clock_run();
    return 0;
}

static void assert_kept(const char *name, const char *want)
{
    scoped(mem_free) char *value = cache_get(cache, name);
    if (want)
        assert_string_equal(value, want);
    else
        assert_null(value);
}

static void for_its_time(void **state)
{
    (void)state;
    assert_kept("a", NULL);
    cache_put(cache, "a", "1", 100);
    assert_kept("a", "1");
    assert_kept("b", NULL);
    clock_stop(NOW_MS + 99, 0);
    assert_kept("a", "1");
    clock_stop(NOW_MS + 100, 0);
    assert_kept("a", NULL);
}

static void the_newest_of_a_name(void **state)
{
    (void)state;
    cache_put(cache, "a", "1", 100);
    cache_put(cache, "a", "2", 200);
    clock_stop(NOW_MS + 150, 0);
    assert_kept("a", "2");
}

static void at_most_the_capacity(void **state)
{
    (void)state;
    size_t kept = 0;
    for (int i = 0; i < 10 * PLACES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%d", i);
        clock_stop(NOW_MS + i, 0);
        cache_put(cache, name, name, 1000000);
        assert_kept(name, name);
    }
    for (int i = 0; i < 10 * PLACES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%d", i);
        scoped(mem_free) char *value = cache_get(cache, name);
        kept += value != NULL;
    }
    assert_true(kept <= PLACES && kept > PLACES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(for_its_time, open, close),
        cmocka_unit_test_setup_teardown(the_newest_of_a_name, open, close),
        cmocka_unit_test_setup_teardown(at_most_the_capacity, open, close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
