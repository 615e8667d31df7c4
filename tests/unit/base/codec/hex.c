/* tests/unit/base/codec/hex.c - hexadecimal text, encoded and decoded. */
#include "base/codec/hex.h"

#include "rows.h"

static const struct row {
    const char *name;
    struct text digits;
    struct text bytes; /* NULL: rejected */
} rows[] = {
    { "nothing", TEXT(""), TEXT("") },
    { "lower case", TEXT("00ff7f80"), TEXT("\x00\xff\x7f\x80") },
    { "upper case", TEXT("ABCDEF"), TEXT("\xab\xcd\xef") },
    { "odd", TEXT("abc"), { NULL, 0 } },
    { "beyond f", TEXT("0g"), { NULL, 0 } },
    { "prefix", TEXT("0x12"), { NULL, 0 } },
    { "blank", TEXT("1 "), { NULL, 0 } },
    { "NUL", TEXT("1\0"), { NULL, 0 } },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf bytes = BUF(5);

    buf_add_byte(&bytes, '!');
    assert_int_equal(hex_decode(&bytes, row->digits), row->bytes.bytes != NULL);
    assert_int_equal(bytes.size, 1 + row->bytes.size);
    if (row->bytes.bytes)
        assert_memory_equal(bytes.bytes + 1, row->bytes.bytes, row->bytes.size);
}

static void encode(void **state)
{
    (void)state;
    char digits[9];
    hex_encode(digits, "\x00\x9a\xff\x10", 4);
    assert_string_equal(digits, "009aff10");
    hex_encode(digits, "", 0);
    assert_string_equal(digits, "");
}

static void decode_past_the_ceiling(void **state)
{
    (void)state;
    scoped(buf_free) struct buf bytes = BUF(1);
    assert_false(hex_decode(&bytes, TEXT("0011")));
    assert_true(bytes.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encode),
        cmocka_unit_test(decode_past_the_ceiling),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
