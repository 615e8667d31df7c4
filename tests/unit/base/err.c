/* tests/unit/base/err.c - errors: the table, the sentence, the list. */
#include "base/err.h"

#include <string.h>

#include "base/buf.h"
#include "base/codec/utf8.h"
#include "rows.h"

static const struct row {
    const char *name;
    enum err_kind kind;
    int status;
    const char *code;
} rows[] = {
    { "no error", ERR_NONE, 200, "" },
    { "body", ERR_INVALID_JSON, 400, "invalid_json" },
    { "money", ERR_INSUFFICIENT_CREDITS, 402, "insufficient_credits" },
    { "identity", ERR_AUTH_INVALID, 403, "auth_invalid" },
    { "name that differs from its kind", ERR_INTERNAL, 500, "internal_error" },
    { "last of the common ones", ERR_DEADLINE_EXCEEDED, 504, "deadline_exceeded" },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(err_status(row->kind), row->status);
    assert_string_equal(err_code(row->kind), row->code);
    assert_int_equal(err_of_code(row->code), row->kind);
}

static void codes_are_distinguished(void **state)
{
    (void)state;
    for (enum err_kind kind = ERR_NONE; kind < ERR_COUNT; kind++)
        assert_int_equal(err_of_code(err_code(kind)), kind);
    assert_int_equal(err_of_code("no_such_code"), ERR_NONE);
}

static void set_fills_and_fails(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_false(err_set(&err, ERR_TOO_LONG, "%s is longer than %d", "name", 9));
    assert_int_equal(err.kind, ERR_TOO_LONG);
    assert_string_equal(err.message, "name is longer than 9");
    assert_false(err_set(NULL, ERR_TOO_LONG, "nobody asks"));
}

/* The sentence stays UTF-8 when its limit or a precision cuts a character. */
static void sentences_stay_utf8(void **state)
{
    (void)state;
    struct err err = { 0 };
    scoped(buf_free) struct buf text = BUF(1000);
    err_set(&err, ERR_INVALID_VALUE, "algorithm %.3s is unknown", "\u00e9\u00e9\u00e9");
    assert_string_equal(err.message, "algorithm \u00e9 is unknown");

    for (int i = 0; i < 200; i++)
        buf_add_str(&text, "\u20ac");
    err_set(&err, ERR_INVALID_VALUE, "%s", buf_str(&text));
    assert_int_equal(strlen(err.message), (ERR_MESSAGE_BYTES - 1) / 3 * 3);
    assert_true(utf8_is_valid(text_of(err.message)));
}

static void lists_have_an_end(void **state)
{
    (void)state;
    struct errs errs = { 0 };
    struct err err = { ERR_TOO_SHORT, "b" };
    assert_false(errs_add(&errs, ERR_MISSING_FIELD, "%s", "a"));
    assert_false(errs_add_err(&errs, &err));
    assert_int_equal(errs.count, 2);
    assert_string_equal(errs.item[0].message, "a");
    assert_int_equal(errs.item[1].kind, ERR_TOO_SHORT);
    for (int i = 0; i < ERRS_MAX; i++) {
        errs_add(&errs, ERR_MISSING_FIELD, "c");
        errs_add_err(&errs, &err);
    }
    assert_int_equal(errs.count, ERRS_MAX);
}

/* 5xx that count in the objectives, and those that a customer's site or text causes. */
static void failures_are_ours(void **state)
{
    static const char *const of_customers[] = {
        "target_dns_failure", "target_refused",     "target_timeout",      "target_unreachable",
        "target_tls_failure", "too_many_redirects", "target_bad_response", "model_refused",
    };
    (void)state;
    for (enum err_kind kind = ERR_NONE; kind < ERR_COUNT; kind++) {
        bool is_ours = err_status(kind) >= 500;
        for (size_t i = 0; i < countof(of_customers); i++)
            is_ours &= strcmp(err_code(kind), of_customers[i]) != 0;
        assert_int_equal(err_is_failure(kind), is_ours);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_distinguished), cmocka_unit_test(set_fills_and_fails),
        cmocka_unit_test(sentences_stay_utf8),     cmocka_unit_test(lists_have_an_end),
        cmocka_unit_test(failures_are_ours),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
