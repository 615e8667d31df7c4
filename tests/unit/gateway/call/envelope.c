/* tests/unit/gateway/call/envelope.c - the one form of every JSON response. */
#include "gateway/call/envelope.h"

#include "rows.h"

static void a_result_goes_in_byte_for_byte(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(1000);
    buf_add_str(&out, "{ \"n\":1e2,\n \"s\":\"\\u00e9\" }");
    envelope_result(&out);
    assert_string_equal(buf_str(&out), "{\"result\":{ \"n\":1e2,\n \"s\":\"\\u00e9\" },"
                                       "\"success\":true,\"errors\":[]}");
}

static const struct row {
    const char *name;
    size_t count;
    const char *message;
    const char *want;
} rows[] = {
    { "one error", 1, "size is too large",
      "{\"result\":{},\"success\":false,\"errors\":["
      "{\"code\":\"invalid_value\",\"message\":\"size is too large\"}]}" },
    { "two errors, in order", 2, "m",
      "{\"result\":{},\"success\":false,\"errors\":["
      "{\"code\":\"invalid_value\",\"message\":\"m\"},"
      "{\"code\":\"missing_field\",\"message\":\"m\"}]}" },
    { "a message that has to be escaped", 1, "a \"b\" \\ \n \x01 \xc3\xa9",
      "{\"result\":{},\"success\":false,\"errors\":["
      "{\"code\":\"invalid_value\",\"message\":\"a \\\"b\\\" \\\\ \\n \\u0001 \xc3\xa9\"}]}" },
};

static void check(void **state)
{
    const struct row *row = *state;
    static const enum err_kind kinds[] = { ERR_INVALID_VALUE, ERR_MISSING_FIELD };
    scoped(buf_free) struct buf out = BUF(1000);
    struct errs errs = { 0 };
    for (size_t i = 0; i < row->count; i++)
        errs_add(&errs, kinds[i], "%s", row->message);
    envelope_errors(&out, &errs);
    assert_string_equal(buf_str(&out), row->want);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_result_goes_in_byte_for_byte) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
