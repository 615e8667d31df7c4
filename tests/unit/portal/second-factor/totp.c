/* tests/unit/portal/second-factor/totp.c - codes by the vectors of the RFCs, and which of them are
 * accepted. */
#include "portal/second-factor/totp.h"

#include <string.h>

#include "rows.h"

static const uint8_t secret[] = "12345678901234567890";

/* RFC 4226 appendix D (the counter), RFC 6238 appendix B (the time; the last six of its eight
 * digits). */
static const struct vector {
    const char *name;
    int64_t step;
    const char *code;
} vectors[] = {
    { "RFC 4226, 0", 0, "755224" },
    { "RFC 4226, 1", 1, "287082" },
    { "RFC 4226, 2", 2, "359152" },
    { "RFC 4226, 3", 3, "969429" },
    { "RFC 4226, 4", 4, "338314" },
    { "RFC 4226, 5", 5, "254676" },
    { "RFC 4226, 6", 6, "287922" },
    { "RFC 4226, 7", 7, "162583" },
    { "RFC 4226, 8", 8, "399871" },
    { "RFC 4226, 9", 9, "520489" },
    { "RFC 6238, 59 s", 59 / 30, "287082" },
    { "RFC 6238, 1111111109 s", 1111111109 / 30, "081804" },
    { "RFC 6238, 1111111111 s", 1111111111 / 30, "050471" },
    { "RFC 6238, 1234567890 s", 1234567890 / 30, "005924" },
    { "RFC 6238, 2000000000 s", 2000000000 / 30, "279037" },
    { "RFC 6238, 20000000000 s", INT64_C(20000000000) / 30, "353130" },
};

static void is_that_code(void **state)
{
    const struct vector *vector = *state;
    char code[TOTP_DIGITS + 1];
    totp_code(secret, vector->step, code);
    assert_string_equal(code, vector->code);
}

/* The codes of steps 0 to 9 are above. */
static const struct row {
    const char *name;
    const char *code;
    int64_t now_ms;
    int64_t used_step;
    int64_t want; /* step; -1: rejected */
} rows[] = {
    { "of this step", "969429", 3 * 30000, 0, 3 },
    { "in its last millisecond", "969429", 4 * 30000 - 1, 0, 3 },
    { "of the step before", "969429", 4 * 30000, 0, 3 },
    { "of the one before that", "969429", 5 * 30000, 0, -1 },
    { "of the next step", "969429", 2 * 30000, 0, 3 },
    { "of the one after that", "969429", 2 * 30000 - 1, 0, -1 },
    { "with blanks", " 969 429\n", 3 * 30000, 0, 3 },
    { "used", "969429", 3 * 30000, 3, -1 },
    { "a later one was used", "969429", 3 * 30000, 4, -1 },
    { "the one before was used", "969429", 3 * 30000, 2, 3 },
    { "another", "969428", 3 * 30000, 0, -1 },
    { "too short", "96942", 3 * 30000, 0, -1 },
    { "too long", "9694290", 3 * 30000, 0, -1 },
    { "nothing", "", 3 * 30000, 0, -1 },
    { "letters", "96942a", 3 * 30000, 0, -1 },
    { "a sign", "+96942", 3 * 30000, 0, -1 },
};

static void fits(void **state)
{
    const struct row *row = *state;
    int64_t step = -1;
    assert_int_equal(totp_fits(secret, row->code, row->now_ms, row->used_step, &step),
                     row->want >= 0);
    assert_int_equal(step, row->want);
}

static void apps_read_the_secret(void **state)
{
    (void)state;
    scoped(buf_free) struct buf url = BUF(1000);
    char text[TOTP_BASE32_BYTES];
    totp_base32(secret, text);
    assert_string_equal(text, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    totp_base32((const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                                 "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
                text);
    assert_string_equal(text, "77777777777777777777777777777777");
    totp_url(secret, "jane+x@example.com", &url);
    assert_string_equal(buf_str(&url), "otpauth://totp/Tollgate:jane%2Bx%40example.com"
                                       "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tollgate");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(apps_read_the_secret) };
    return RUN_ROWS(vectors, is_that_code) + RUN_ROWS(rows, fits) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
