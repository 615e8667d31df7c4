/* tests/unit/gateway/http/ignored-fields.c - X-Ignored-Fields, a list of RFC 9651. */
#include "gateway/http/ignored-fields.h"

#include <stdio.h>
#include <string.h>

#include "rows.h"

enum { HEADER_BYTES = 2048 };

static void add(struct unknown_fields *unknown, const char *path, const char *meant)
{
    if (unknown->count < UNKNOWN_FIELDS_MAX) {
        struct unknown_field *field = &unknown->item[unknown->count++];
        snprintf(field->path, sizeof(field->path), "%s", path);
        field->did_you_mean = meant;
    }
    unknown->total++;
}

static void expect(const struct unknown_fields *unknown, const char *want)
{
    scoped(buf_free) struct buf headers = BUF(HEADER_BYTES);
    ignored_fields_write(unknown, &headers);
    assert_string_equal(buf_str(&headers), want);
}

static void nothing(void **state)
{
    struct unknown_fields unknown = { 0 };
    (void)state;
    expect(&unknown, "");
}

static void with_and_without_a_suggestion(void **state)
{
    struct unknown_fields unknown = { 0 };
    (void)state;
    add(&unknown, "algoritm", "algorithm");
    add(&unknown, "items[2].colour", NULL);
    expect(&unknown, "X-Ignored-Fields: \"algoritm\";did_you_mean=\"algorithm\", "
                     "\"items[2].colour\"\r\n");
}

static void quotes_are_escaped(void **state)
{
    struct unknown_fields unknown = { 0 };
    (void)state;
    add(&unknown, "a\"b\\c", NULL);
    expect(&unknown, "X-Ignored-Fields: \"a\\\"b\\\\c\"\r\n");
}

static void eight_places(void **state)
{
    struct unknown_fields unknown = { 0 };
    (void)state;
    for (int i = 0; i < 20; i++)
        add(&unknown, "x", NULL);
    expect(&unknown, "X-Ignored-Fields: \"x\", \"x\", \"x\", \"x\", \"x\", \"x\", \"x\", \"x\", "
                     "\"...\";more=12\r\n");
}

static void a_kilobyte(void **state)
{
    struct unknown_fields unknown = { 0 };
    scoped(buf_free) struct buf headers = BUF(HEADER_BYTES);
    char path[UNKNOWN_PATH_BYTES];
    (void)state;
    memset(path, '"', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    for (int i = 0; i < 8; i++)
        add(&unknown, path, NULL);
    ignored_fields_write(&unknown, &headers);
    assert_true(headers.size < 1100 && !headers.full);
    assert_non_null(strstr(buf_str(&headers), "\"...\";more=6\r\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(with_and_without_a_suggestion),
        cmocka_unit_test(quotes_are_escaped),
        cmocka_unit_test(eight_places),
        cmocka_unit_test(a_kilobyte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
