/* tests/unit/text/public-suffix.c - names that anybody may register below, and who owns what. */
#include "text/public-suffix.h"

#include "rows.h"

static const struct row {
    const char *name;
    bool is_suffix;
} rows[] = {
    { "com", true },           { "co.uk", true },        { "github.io", true },
    { "nobody-has-it", true }, { "example.com", false }, { "a.github.io", false },
    { "xn--p1ai", true },      { "www.ck", false },      { "anything.ck", true },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(public_suffix_is(row->name), row->is_suffix);
}

static const struct pair {
    const char *name;
    const char *other;
    bool is_same;
} pairs[] = {
    { "example.com", "www.example.com", true },
    { "a.b.example.co.uk", "example.co.uk", true },
    { "example.com", "example.net", false },
    { "example.com", "notexample.com", false },
    { "a.co.uk", "b.co.uk", false },
    { "a.github.io", "b.github.io", false },
    { "co.uk", "co.uk", true },
    { "co.uk", "a.co.uk", false },
};

static void check_pair(void **state)
{
    const struct pair *pair = *state;
    assert_int_equal(public_suffix_same_owner(pair->name, pair->other), pair->is_same);
    assert_int_equal(public_suffix_same_owner(pair->other, pair->name), pair->is_same);
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(pairs, check_pair);
}
