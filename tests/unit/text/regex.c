/* tests/unit/text/regex.c - patterns: matches, rejected patterns, and that work is bounded. */
#include "text/regex.h"

#include <string.h>

#include "rows.h"

static const struct row {
    const char *name;
    const char *pattern;
    struct text text;
    bool is_match;
} rows[] = {
    { "anywhere", "b+", TEXT("abbc"), true },
    { "nowhere", "d", TEXT("abbc"), false },
    { "empty text", "^$", TEXT(""), true },
    { "whole", "^[a-z]+$", TEXT("abc"), true },
    { "dollar is before no newline", "^[a-z]+$", TEXT("abc\n"), false },
    { "caret is behind no newline", "^b", TEXT("a\nb"), false },
    { "a character, not a byte", "^.$", TEXT("\u00e9"), true },
    { "text goes on behind a NUL", "b$", TEXT("a\0b"), true },
    { "look-ahead", "^(?=.*[0-9]).{3}$", TEXT("a1b"), true },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(regex_free) struct regex *regex = NULL;
    struct err err = { 0 };

    assert_true(regex_new(row->pattern, &regex, &err));
    assert_int_equal(regex_matches(regex, row->text), row->is_match);
}

static void malformed_pattern(void **state)
{
    (void)state;
    scoped(regex_free) struct regex *regex = NULL;
    struct err err = { 0 };

    assert_false(regex_new("ab(c", &regex, &err));
    assert_null(regex);
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_string_equal(err.message, "the pattern is malformed at byte 4");
}

/* It would match after 2^40 steps. */
static void steps_are_bounded(void **state)
{
    (void)state;
    scoped(regex_free) struct regex *regex = NULL;
    struct err err = { 0 };

    assert_true(regex_new("^(?:(?:a|aa)+c|.*)$", &regex, &err));
    assert_true(regex_matches(regex, TEXT("aaab")));
    assert_false(
        regex_matches(regex, TEXT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")));
}

/* Each scans the text from each of its places, or nests such scans. */
static void foreign_steps_are_bounded(void **state)
{
    enum { LONG = 8 << 20 };
    static const char *const patterns[] = {
        "a*[bc]",      "(?:a|b)*[cd]", "(a+)+[bc]",       "^(?:a*[bc]|a)*$", "\\p{L}+[0-9]",
        "(a*)\\1[bc]", "(?=a*[bc])",   "(?<!b)a*+c?[bc]", "(?i)a*[bc]",      "(?:a*?)[bc]",
    };
    (void)state;
    scoped(mem_free) char *long_text = mem_new(LONG);
    memset(long_text, 'a', LONG);
    for (size_t i = 0; i < countof(patterns); i++) {
        scoped(regex_free) struct regex *regex = NULL;
        size_t steps = SIZE_MAX;
        assert_true(regex_new_foreign(patterns[i], &regex, NULL));
        assert_int_equal(regex_judge(regex, (struct text){ long_text, LONG }, &steps),
                         REGEX_UNKNOWN);
        assert_true(steps <= REGEX_STEPS_MAX);
    }
}

static void foreign_patterns(void **state)
{
    (void)state;
    scoped(regex_free) struct regex *regex = NULL;
    size_t steps = 1000;

    assert_true(regex_new_foreign("^[a-z]+(?:-[a-z]+)*$", &regex, NULL));
    assert_int_equal(regex_judge(regex, TEXT("one-two-three"), &steps), REGEX_MATCH);
    assert_in_range(steps, 5, 40);
    steps = 1000;
    assert_int_equal(regex_judge(regex, TEXT("one-two-"), &steps), REGEX_NO_MATCH);
    steps = 4;
    assert_int_equal(regex_judge(regex, TEXT("one-two-three"), &steps), REGEX_UNKNOWN);
    assert_int_equal(steps, 4);
}

static void heap_is_bounded(void **state)
{
    (void)state;
    scoped(regex_free) struct regex *regex = NULL;
    scoped(mem_free) char *long_text = mem_new(40000);
    struct err err = { 0 };

    memset(long_text, 'a', 40000);
    assert_true(regex_new("^(a|b)*$", &regex, &err));
    assert_true(regex_matches(regex, (struct text){ long_text, 5000 }));
    assert_false(regex_matches(regex, (struct text){ long_text, 40000 }));
}

static void groups(void **state)
{
    (void)state;
    scoped(regex_free) struct regex *regex = NULL;
    struct text group[3];
    struct err err = { 0 };

    assert_true(regex_new("b(c)?(d+)", &regex, &err));
    assert_true(regex_find(regex, TEXT("abdde"), group, 3));
    assert_true(text_is(group[0], "bdd") && text_is(group[1], "") && text_is(group[2], "dd"));
    assert_true(regex_find(regex, TEXT("bcd"), group, 2)); /* fewer than there are */
    assert_true(text_is(group[0], "bcd") && text_is(group[1], "c"));
    assert_false(regex_find(regex, TEXT("abc"), group, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups),
        cmocka_unit_test(malformed_pattern),
        cmocka_unit_test(steps_are_bounded),
        cmocka_unit_test(foreign_steps_are_bounded),
        cmocka_unit_test(foreign_patterns),
        cmocka_unit_test(heap_is_bounded),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
