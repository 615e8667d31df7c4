/* svc-@GROUP@/@TOOL@/tests/@TOOL@.c - a row for each rule, edge case and hostile input. */
#include "tool.h"
#include "tools.h"

static const struct row {
    const char *name;
    const char *body;
    const char *code; /* NULL: success */
    int64_t length;
} rows[] = {
    { "letters", "{'text':'abc'}", NULL, 3 },
    { "characters, not bytes", "{'text':'\u00e9\u20ac'}", NULL, 2 },
    { "blanks", "{'text':' \\t'}", "invalid_value", 0 },
    { "nothing", "{'text':''}", "too_short", 0 },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };

    bool ok = run_tool(@FUNCTION@, "@TOOL@", row->body, result, NULL, &err);
    assert_string_equal(ok ? "" : err_code(err.kind), row->code ? row->code : "");
    if (ok)
        assert_int_equal(json_at(result, "/length")->valuedouble, row->length);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
