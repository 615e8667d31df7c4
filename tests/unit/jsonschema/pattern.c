/* tests/unit/jsonschema/pattern.c - patterns in ECMA's spelling. */
#include "jsonschema/pattern.h"

#include "rows.h"

static const struct row {
    const char *name; /* the pattern */
    enum pattern_verdict verdict;
    const char *matching; /* NULL: none is tried; so below */
    const char *other;
} rows[] = {
    { "^a+$", PATTERN_GOOD, "aa", "aa\n" },
    { "^\\u0041$", PATTERN_GOOD, "A", "u0041" },
    { "^\\u{1F600}$", PATTERN_GOOD, "\U0001f600", "x" },
    { "^\\p{Letter}\\P{Number}$", PATTERN_GOOD, "\u00e9x", "é1" },
    { "^[\\w-.]+$", PATTERN_GOOD, "a-.b", "a b" },
    { "^\\d$", PATTERN_GOOD, "7", "\u0967" },
    { "(", PATTERN_BAD, NULL, NULL },
    { "[z-a]", PATTERN_BAD, NULL, NULL },
    { "\\p{Unknown_Property}", PATTERN_UNKNOWN, NULL, NULL },
    { "a{70000}", PATTERN_UNKNOWN, NULL, NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(regex_free) struct regex *regex = NULL;
    assert_int_equal(pattern_compile(text_of(row->name), &regex), row->verdict);
    assert_int_equal(regex != NULL, row->verdict == PATTERN_GOOD);
    if (row->matching)
        assert_true(regex_matches(regex, text_of(row->matching)));
    if (row->other)
        assert_false(regex_matches(regex, text_of(row->other)));
}

/* ---- steps ---- */

/* The first takes more steps than the second. */
static const struct comparison {
    const char *name;
    const char *other;
} comparisons[] = {
    { "^[a-z]+-[0-9]+-[a-z]+-[0-9]+$", "^a$" },
    { "((a{9}){9}){9}", "((a{9}){9}b)c9" }, /* as long, but a copy for each repetition */
    { "(aaaaaaaaaaaaaaaaa", "(aaa" },       /* malformed */
};

static size_t steps_of(const char *pattern)
{
    scoped(regex_free) struct regex *regex = NULL;
    (void)!pattern_compile(text_of(pattern), &regex);
    return pattern_steps(text_of(pattern), regex);
}

static void compare(void **state)
{
    const struct comparison *comparison = *state;
    assert_true(steps_of(comparison->name) > steps_of(comparison->other));
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(comparisons, compare);
}
