/* tests/unit/portal/base/places.c - a limit for all, and one for each account. */
#include "portal/base/places.h"

#include "rows.h"

static void each_has_as_many_as_it_may(void **state)
{
    (void)state;
    struct places *places = places_new(3, 2);
    assert_true(places_enter(places, "a"));
    assert_true(places_enter(places, "a"));
    assert_false(places_enter(places, "a"));
    assert_true(places_enter(places, "b"));
    assert_false(places_enter(places, "c"));
    places_leave(places, "c"); /* had none */
    assert_false(places_enter(places, "c"));
    places_leave(places, "a");
    assert_true(places_enter(places, "c"));
    assert_false(places_enter(places, "a"));
    places_free(&places);
    places_free(&places);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_has_as_many_as_it_may) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
