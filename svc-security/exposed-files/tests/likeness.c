/* svc-security/exposed-files/tests/likeness.c - which responses are the same page. */
#include "exposed-files/likeness.h"

#include <string.h>

#include "rows.h"

#define WORDS10 "one two three four five six seven eight nine ten "
#define WORDS40                                                     \
    WORDS10 "red green blue grey white black pink brown gold teal " \
            "north east south west up down left right in out "      \
            "do re mi fa so la ti da di du "

static const struct row {
    const char *name;
    struct text a;
    struct text b;
    bool is_same;
    const char *type_b;
} rows[] = {
    { "the very same", TEXT("Not found"), TEXT("Not found"), true },
    { "another type", TEXT("Not found"), TEXT("Not found"), false, "text/plain" },
    { "the path", TEXT("Sorry, /aaaa/first.php is gone"), TEXT("Sorry, /bbbb/second.sql is gone"),
      true },
    { "the path's last part", TEXT("no first.php here"), TEXT("no second.sql here"), true },
    { "the host", TEXT("at Example.COM nothing"), TEXT("at  nothing"), true },
    { "case and white space", TEXT("Not  Found\n"), TEXT("not found"), true },
    { "numbers and dates", TEXT("2026-11-21 10:44:05 gone"), TEXT("2027-01-02 09:00:59 gone"),
      true },
    { "ids", TEXT("id deadbeef01 gone"), TEXT("id 00112233aa gone"), true },
    { "tokens", TEXT("csrf Zx81kQpLmN3rTvWy gone"), TEXT("csrf aB3dE5fG7hJ9kL1m2 gone"), true },
    { "other words", TEXT("Not found at all"), TEXT("APP_KEY is secret"), false },
    { "nothing and nothing", TEXT(""), TEXT(""), true },
    { "nothing and something", TEXT(""), TEXT("Not found"), false },
    { "two words swapped", TEXT("Not found"), TEXT("found not"), false },
    { "a long page with a word more", TEXT(WORDS40), TEXT(WORDS40 "end"), true },
    { "a long page with a word changed", TEXT(WORDS40 "one"), TEXT(WORDS40 "two"), true },
    { "half of a page", TEXT(WORDS40), TEXT(WORDS10), false },
    { "the same binary", TEXT("PK\3\4\0\1"), TEXT("PK\3\4\0\1"), true },
    { "another binary", TEXT("PK\3\4\0\1"), TEXT("PK\3\4\0\2"), false },
    { "a shorter binary", TEXT("PK\3\4\0\1"), TEXT("PK\3\4\0"), false },
};

static void check(void **state)
{
    const struct row *row = *state;
    const struct content a = { row->a, "text/html", false };
    const struct content b = { row->b, row->type_b ? row->type_b : "text/html", false };
    scoped(likeness_free) struct likeness first = likeness_of(&a, "/aaaa/first.php", "example.com");
    scoped(likeness_free) struct likeness second =
        likeness_of(&b, "/bbbb/second.sql", "example.com");
    assert_int_equal(likeness_matches(&first, &second), row->is_same);
    assert_int_equal(likeness_matches(&second, &first), row->is_same);
    assert_true(likeness_matches(&first, &first));
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
