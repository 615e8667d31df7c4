/* tests/unit/text/passwords/judge.c - password_judge() and the tool give the same result; the
 * effect of user inputs. The estimates themselves:
 * svc-utils/password-strength/tests/password-strength.c. */
#include "text/passwords/judge.h"

#include "tool.h"
#include "tools.h"

#define NOW 1795257840000 /* 2026-11-21 */

static const struct row {
    const char *name;
    const char *password; /* as in JSON */
    const char *inputs;   /* a JSON list with 'single quotes' */
    int want;
} rows[] = {
    { "nothing", "", "[]", 0 },
    { "a common one", "password1", "[]", 0 },
    { "words", "correct horse battery", "[]", 4 },
    { "twelve letters of a keyboard", "qwertyuiop[]", "[]", 1 },
    { "the member's own address", "jane@example.com", "['jane@example.com','jane','example']", 0 },
    { "the same for somebody else", "jane@example.com", "[]", 4 },
    { "her name and a year", "janedoe1984", "['janedoe']", 1 },
    { "letters of another script",
      "\\u6f22\\u5b57\\u304b\\u306a\\u4ed6\\u4e00\\u6771\\u897f\\u5357", "[]", 3 },
};

static int tool_score(const struct row *row, cJSON *result)
{
    scoped(mem_free) char *body =
        str_format("{'password':'%s','user_inputs':%s}", row->password, row->inputs);
    struct err err = { 0 };
    assert_true(run_tool(password_strength, "password-strength", body, result, NULL, &err));
    return json_get(result, "score")->valueint;
}

static cJSON *parse(const char *quoted)
{
    scoped(buf_free) struct buf text = BUF(1000);
    cJSON *json = NULL;
    struct err err = { 0 };
    add_quoted(&text, quoted);
    assert_true(json_parse(buf_text(&text), JSON_DEPTH, &json, &err));
    return json;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(judgement_free) struct judgement judgement = { 0 };
    scoped(json_free) cJSON *result = json_object();
    scoped(json_free) cJSON *told = json_object();
    scoped(mem_free) char *quoted = str_format("['%s']", row->password);
    scoped(json_free) cJSON *password = parse(quoted);
    scoped(json_free) cJSON *inputs = parse(row->inputs);

    clock_stop(0, NOW);
    password_judge(json_text_of(json_at(password, "/0")), inputs, NOW, &judgement);
    judgement_explain(&judgement, told);
    assert_int_equal(judgement.score, row->want);
    assert_int_equal(tool_score(row, result), row->want);
    clock_run();
    assert_string_equal(json_get(told, "warning")->valuestring,
                        json_get(result, "warning")->valuestring);
    assert_true(json_equal(json_get(told, "suggestions"), json_get(result, "suggestions")));
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
