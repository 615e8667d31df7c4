/* tests/unit/base/codec/base64.c - RFC 4648: its test vectors, both alphabets, and rejected
 * texts. */
#include "base/codec/base64.h"

#include "rows.h"

static const struct vector {
    const char *name;
    struct text bytes;
    const char *digits;
} vectors[] = {
    { "nothing", TEXT(""), "" },
    { "f", TEXT("f"), "Zg==" },
    { "fo", TEXT("fo"), "Zm8=" },
    { "foo", TEXT("foo"), "Zm9v" },
    { "foob", TEXT("foob"), "Zm9vYg==" },
    { "fooba", TEXT("fooba"), "Zm9vYmE=" },
    { "foobar", TEXT("foobar"), "Zm9vYmFy" },
    { "last digits", TEXT("\xfb\xff\xbf"), "+/+/" },
    { "zeros", TEXT("\0\0"), "AAA=" },
};

static void check_vector(void **state)
{
    const struct vector *row = *state;
    scoped(buf_free) struct buf digits = BUF(8);
    scoped(buf_free) struct buf bytes = BUF(row->bytes.size);

    assert_true(base64_encode(&digits, row->bytes));
    assert_string_equal(buf_str(&digits), row->digits);
    assert_true(base64_decode(&bytes, text_of(row->digits)));
    assert_int_equal(bytes.size, row->bytes.size);
    assert_memory_equal(buf_str(&bytes), row->bytes.bytes, bytes.size);
}

static const struct decoding {
    const char *name;
    struct text digits;
    const char *want; /* NULL: rejected */
} decodings[] = {
    { "URL alphabet", TEXT("-_-_"), "\xfb\xff\xbf" },
    { "no padding after two", TEXT("Zg"), "f" },
    { "no padding after three", TEXT("Zm8"), "fo" },
    { "mixed alphabets", TEXT("+_+/"), NULL },
    { "one digit", TEXT("Z"), NULL },
    { "five digits", TEXT("Zm9vY"), NULL },
    { "too little padding", TEXT("Zg="), NULL },
    { "too much padding", TEXT("Zm8=="), NULL },
    { "padding without need", TEXT("Zm9v="), NULL },
    { "padding alone", TEXT("===="), NULL },
    { "padding in the middle", TEXT("Zg==Zg=="), NULL },
    { "stray bits after two", TEXT("Zh=="), NULL },
    { "greatest stray bit after two", TEXT("Zo=="), NULL },
    { "stray bits after three", TEXT("Zm9="), NULL },
    { "blank", TEXT("Zm 9v"), NULL },
    { "line break at the end", TEXT("Zm9v\n"), NULL },
    { "NUL", TEXT("Zm\0v"), NULL },
    { "byte beyond ASCII", TEXT("Zm\xe9v"), NULL },
};

static void check_decoding(void **state)
{
    const struct decoding *row = *state;
    scoped(buf_free) struct buf bytes = BUF(10);

    buf_add_str(&bytes, "before");
    assert_int_equal(base64_decode(&bytes, row->digits), row->want != NULL);
    assert_string_equal(buf_str(&bytes) + 6, row->want ? row->want : "");
}

static void ceilings(void **state)
{
    (void)state;
    scoped(buf_free) struct buf digits = BUF(7);
    scoped(buf_free) struct buf bytes = BUF(2);
    assert_false(base64_encode(&digits, TEXT("foob")));
    assert_true(digits.full);
    assert_false(base64_decode(&bytes, TEXT("Zm9v")));
    assert_true(bytes.full);
}

static void digits(void **state)
{
    (void)state;
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < 64; i++)
        assert_int_equal(base64_digit(all[i]), i);
    assert_int_equal(base64_digit('-'), 62);
    assert_int_equal(base64_digit('_'), 63);
    for (const char *other = "=@[`{.:, \x80"; *other; other++)
        assert_int_equal(base64_digit(*other), -1);
    assert_int_equal(base64_digit('\0'), -1);
    int valid = 0;
    for (int byte = 0; byte < 256; byte++)
        valid += base64_digit((char)byte) >= 0;
    assert_int_equal(valid, 66); /* two digits differ between the alphabets */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ceilings), cmocka_unit_test(digits) };
    return RUN_ROWS(vectors, check_vector) + RUN_ROWS(decodings, check_decoding) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
