/* tests/unit/text/names.c - a set of texts: scopes, numbers, undoing. */
#include "text/names.h"

#include <stdio.h>

#include "rows.h"

static void scopes(void **state)
{
    (void)state;
    scoped(names_free) struct names names = { 0 };
    assert_true(names_add(&names, 0, TEXT("a")));
    assert_false(names_add(&names, 0, TEXT("a")));
    uint32_t inner = names.count;
    assert_true(names_add(&names, inner, TEXT("a")));
    assert_false(names_add(&names, inner, TEXT("a")));
    names_drop(&names, inner);
    assert_int_equal(names.count, 1);
    assert_false(names_add(&names, 0, TEXT("a")));
}

static void numbers(void **state)
{
    (void)state;
    static char text[3000][8];
    scoped(names_free) struct names names = { 0 };
    uint32_t index = 7;

    assert_false(names_find(&names, TEXT("0"), &index));
    for (uint32_t i = 0; i < countof(text); i++) {
        snprintf(text[i], sizeof(text[i]), "%u", (unsigned)i);
        assert_true(names_add(&names, 0, text_of(text[i])));
    }
    assert_false(names_find(&names, TEXT("3000"), &index));
    assert_int_equal(index, 7);
    for (uint32_t i = 0; i < countof(text); i++) {
        assert_true(names_find(&names, text_of(text[i]), &index));
        assert_int_equal(index, i);
        assert_true(text_is(names_at(&names, i), text[i]));
    }
}

static void newest_first(void **state)
{
    (void)state;
    scoped(names_free) struct names names = { 0 };
    uint32_t index = 7;

    assert_true(names_add(&names, 0, TEXT("a\0b")));
    assert_true(names_add(&names, 1, TEXT("a\0b")));
    assert_false(names_find(&names, TEXT("a"), &index));
    assert_true(names_find(&names, TEXT("a\0b"), &index));
    assert_int_equal(index, 1);
    names_drop(&names, 1);
    assert_true(names_find(&names, TEXT("a\0b"), &index));
    assert_int_equal(index, 0);
    names_drop(&names, 0);
    assert_false(names_find(&names, TEXT("a\0b"), &index));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes),
        cmocka_unit_test(numbers),
        cmocka_unit_test(newest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
