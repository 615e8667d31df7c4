/* tests/unit/base/codec/percent.c - texts of URLs. */
#include "base/codec/percent.h"

#include "rows.h"

static const struct row {
    const char *name;
    struct text text;
    const char *want; /* NULL: rejected */
} rows[] = {
    { "nothing", TEXT(""), "" },
    { "plain", TEXT("a+b c"), "a+b c" },
    { "encoded", TEXT("%61%2C%2c"), "a,," },
    { "bytes beyond ASCII", TEXT("%c3%A4"), "\xc3\xa4" },
    { "once", TEXT("%2541"), "%41" },
    { "no digits", TEXT("a%"), NULL },
    { "one digit", TEXT("%6"), NULL },
    { "no digit of sixteen", TEXT("%6g"), NULL },
    { "a NUL", TEXT("a%00"), NULL },
    { "a bare NUL", TEXT("a\0b"), NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(10);
    assert_int_equal(percent_decode(row->text, &out), row->want != NULL);
    if (row->want)
        assert_string_equal(buf_str(&out), row->want);
}

static void all_but_what_is_kept_is_encoded(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(40);
    percent_encode(TEXT("aZ9-_/\0 \xc3"), "-/", &out);
    assert_string_equal(buf_str(&out), "aZ9-%5F/%00%20%C3");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_but_what_is_kept_is_encoded) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
