/* tests/unit/base/codec/utf8.c - UTF-8: valid or not, counted, read, written, repaired. */
#include "base/codec/utf8.h"

#include <stdio.h>

#include "rows.h"

static const struct row {
    const char *name;
    struct text text;
    size_t valid_bytes;
    const char *repaired;
} rows[] = {
    { "nothing", TEXT(""), 0, "" },
    { "ASCII", TEXT("abc"), 3, "abc" },
    { "2, 3 and 4 bytes", TEXT("\u00e9\u20ac\U0001f600"), 9, "\u00e9\u20ac\U0001f600" },
    { "last before the surrogates", TEXT("\xed\x9f\xbf"), 3, "\xed\x9f\xbf" },
    { "greatest", TEXT("\xf4\x8f\xbf\xbf"), 4, "\xf4\x8f\xbf\xbf" },
    { "continuation alone", TEXT("a\x80z"), 1, "az" },
    { "overlong 2", TEXT("a\xc1\xbf"), 1, "a" },
    { "overlong 3", TEXT("a\xe0\x9f\xbf"), 1, "a" },
    { "overlong 4", TEXT("a\xf0\x8f\xbf\xbf"), 1, "a" },
    { "surrogate", TEXT("a\xed\xa0\x80z"), 1, "az" },
    { "beyond the greatest", TEXT("a\xf4\x90\x80\x80"), 1, "a" },
    { "cut at the end", TEXT("ab\xf0\x9f\x98"), 2, "ab" },
    { "cut in the middle", TEXT("a\xe2\x82 b\xc3 \u00e9"), 1, "a b \u00e9" },
    { "never a byte of UTF-8", TEXT("\xff\xfe\xf8z"), 0, "z" },
};

static void check(void **state)
{
    const struct row *row = *state;
    char copy[32];

    assert_int_equal(utf8_valid_bytes(row->text), row->valid_bytes);
    assert_int_equal(utf8_is_valid(row->text), row->valid_bytes == row->text.size);
    snprintf(copy, sizeof(copy), "%s", row->text.bytes);
    text_repair(copy);
    assert_string_equal(copy, row->repaired);
}

static void length_counts_code_points(void **state)
{
    (void)state;
    assert_int_equal(utf8_length(TEXT("")), 0);
    assert_int_equal(utf8_length(TEXT("a\0\u00e9\u20ac\U0001f600e\u0301")), 7);
}

/* Any start and end of a text, by the letters that utf8_next() finds. */
static void length_at_every_offset(void **state)
{
    const struct text all =
        TEXT("abc\u00e9\u20ac\U0001f600\u0301\u07ff\u0800\uffff\U0010ffffdefghijklmnop");
    size_t bytes;
    (void)state;
    for (size_t start = 0; start < all.size; start += bytes) {
        struct text rest = text_skip(all, start);
        size_t points = 0;
        size_t step;
        for (size_t at = 0; at < rest.size; at += step) {
            assert_int_equal(utf8_length((struct text){ rest.bytes, at }), points);
            utf8_next(text_skip(rest, at), &step);
            points++;
        }
        assert_int_equal(utf8_length(rest), points);
        utf8_next(rest, &bytes);
    }
}

static const struct point {
    const char *name;
    uint32_t code_point;
    const char *text; /* NULL: none */
} points[] = {
    { "U+0041", 0x41, "A" },        { "U+00E9", 0xe9, "\u00e9" },
    { "U+20AC", 0x20ac, "\u20ac" }, { "U+10FFFF", 0x10ffff, "\xf4\x8f\xbf\xbf" },
    { "surrogate", 0xd800, NULL },  { "beyond", 0x110000, NULL },
};

static void check_point(void **state)
{
    const struct point *row = *state;
    scoped(buf_free) struct buf buf = BUF(8);
    size_t bytes;

    assert_int_equal(utf8_add(&buf, row->code_point), row->text != NULL);
    assert_string_equal(buf_str(&buf), row->text ? row->text : "");
    if (!row->text)
        return;
    buf_add_byte(&buf, 'x');
    assert_int_equal(utf8_next(buf_text(&buf), &bytes), row->code_point);
    assert_int_equal(bytes, buf.size - 1);
}

static const struct cut {
    const char *name;
    struct text text;
    size_t max_bytes;
    size_t bytes; /* that are left */
} cuts[] = {
    { "all of it fits", TEXT("a\u20ac"), 4, 4 },
    { "more than all", TEXT("a\u20ac"), 9, 4 },
    { "between two", TEXT("a\u20acb"), 4, 4 },
    { "within three bytes", TEXT("a\u20acb"), 3, 1 },
    { "within four bytes", TEXT("a\U0001f600"), 4, 1 },
    { "within the first", TEXT("\u20ac"), 2, 0 },
    { "to nothing", TEXT("ab"), 0, 0 },
    { "nothing", TEXT(""), 0, 0 },
};

static void check_cut(void **state)
{
    const struct cut *row = *state;
    struct text cut = utf8_cut(row->text, row->max_bytes);
    assert_ptr_equal(cut.bytes, row->text.bytes);
    assert_int_equal(cut.size, row->bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(length_counts_code_points),
                                        cmocka_unit_test(length_at_every_offset) };
    return RUN_ROWS(rows, check) + RUN_ROWS(points, check_point) + RUN_ROWS(cuts, check_cut) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
