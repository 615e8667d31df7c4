/* tests/unit/portal/usage/csv.c - fields as spreadsheets must read them. */
#include "portal/usage/csv.h"

#include "rows.h"

static const struct row {
    const char *name;
    struct text value;
    const char *want;
} rows[] = {
    { "plain", TEXT("tls-check"), "tls-check" },
    { "empty", TEXT(""), "" },
    { "a comma", TEXT("a,b"), "\"a,b\"" },
    { "a quote", TEXT("say \"hi\""), "\"say \"\"hi\"\"\"" },
    { "a line feed", TEXT("a\nb"), "\"a\nb\"" },
    { "a carriage return", TEXT("a\rb"), "\"a\rb\"" },
    { "a formula", TEXT("=1+1"), "'=1+1" },
    { "a formula with a comma", TEXT("=HYPERLINK(\"http://x\",1)"),
      "\"'=HYPERLINK(\"\"http://x\"\",1)\"" },
    { "plus", TEXT("+1"), "'+1" },
    { "minus", TEXT("-1"), "'-1" },
    { "at", TEXT("@SUM(A1)"), "'@SUM(A1)" },
    { "a tab", TEXT("\t=1"), "'\t=1" },
    { "begins with a carriage return", TEXT("\r=1"), "\"'\r=1\"" },
    { "the equals sign further on", TEXT("a=1"), "a=1" },
    { "not ASCII", TEXT("Grüße"), "Grüße" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(1 << 10);
    csv_text(&out, row->value);
    assert_string_equal(buf_str(&out), row->want);
}

static void lines_have_commas_between_fields(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(1 << 10);
    csv_text(&out, TEXT("time"));
    csv_text(&out, TEXT(""));
    csv_number(&out, TEXT("-5"));
    csv_end(&out);
    csv_text(&out, TEXT("next"));
    csv_text(&out, TEXT("line\n"));
    csv_text(&out, TEXT("end"));
    csv_end(&out);
    assert_string_equal(buf_str(&out), "time,,-5\r\nnext,\"line\n\",end\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lines_have_commas_between_fields) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
