/* tests/unit/portal/session/cookie.c - cookies found in a header, and as they are set. */
#include "portal/session/cookie.h"

#include <string.h>

#include "rows.h"

/* 32 bytes of 0, of 1 and of 255 */
#define ZEROS "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define ONES  "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"
#define FULL  "__________________________________________8"
#define NAME  "__Host-session="

static const struct row {
    const char *name;
    const char *header;
    int want; /* each byte; -1: none is found */
} rows[] = {
    { "no header", NULL, -1 },
    { "an empty one", "", -1 },
    { "ours", NAME ONES, 1 },
    { "in the URL's alphabet", NAME FULL, 255 },
    { "not in the other", "__Host-session=//////////////////////////////////////////8", -1 },
    { "among others", "a=b; " NAME ZEROS "; c=d", 0 },
    { "without blanks", "a=b;" NAME ONES ";c=d", 1 },
    { "twice", NAME ONES "; " NAME ZEROS, -1 },
    { "twice the same", NAME ONES "; " NAME ONES, -1 },
    { "another's name", "__Host-sessions=" ONES, -1 },
    { "in another case", "__host-session=" ONES, -1 },
    { "at the end of a name", "x__Host-session=" ONES, -1 },
    { "as a value", "a=" NAME ONES, -1 },
    { "too short", "__Host-session=AQEB", -1 },
    { "too long", NAME ONES "A", -1 },
    { "with padding", NAME ONES "=", -1 },
    { "stray bits in the last digit", "__Host-session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
      -1 },
    { "a byte that is no ASCII",
      "__Host-session=AQ\xbb\xbd"
      "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE",
      -1 },
    { "quoted", "__Host-session=\"" ONES "\"", -1 },
    { "empty", NAME, -1 },
    { "no value", "__Host-session", -1 },
};

static void check(void **state)
{
    const struct row *row = *state;
    uint8_t value[COOKIE_BYTES];
    uint8_t want[COOKIE_BYTES];

    bool found = cookie_find(row->header, COOKIE_SESSION, value);
    assert_int_equal(found, row->want >= 0);
    if (!found)
        return;
    memset(want, row->want, sizeof(want));
    assert_memory_equal(value, want, sizeof(want));
}

static void as_they_are_set(void **state)
{
    (void)state;
    scoped(buf_free) struct buf headers = BUF(4096);
    uint8_t value[COOKIE_BYTES];
    memset(value, 1, sizeof(value));
    cookie_set(&headers, COOKIE_SESSION, value, 0);
    cookie_set(&headers, COOKIE_DEVICE, value, 31536000);
    cookie_end(&headers, COOKIE_SESSION);
    assert_string_equal(
        buf_str(&headers),
        "Set-Cookie: __Host-session=" ONES "; Path=/; Secure; HttpOnly; SameSite=Lax\r\n"
        "Set-Cookie: __Host-device=" ONES
        "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=31536000\r\n"
        "Set-Cookie: __Host-session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0\r\n");
}

static void fresh_ones_differ(void **state)
{
    (void)state;
    uint8_t a[COOKIE_BYTES];
    uint8_t b[COOKIE_BYTES];
    cookie_new(a);
    cookie_new(b);
    assert_memory_not_equal(a, b, sizeof(a));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_they_are_set),
                                        cmocka_unit_test(fresh_ones_differ) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
