/* tests/unit/svc-ai/model/wire.c - both wire forms: answers and errors.
 * tests/api/ai/test_providers.py checks the requests. */
#include "model/wire/wire.h"

#include <string.h>

#include "model/wire/error-cause.h"
#include "tool.h"

#define CHAT(message, more) \
    "{'choices':[{'message':" message more "}],'usage':{'prompt_tokens':3,'completion_tokens':4}}"

static const struct row {
    const char *name;
    const struct wire *wire;
    const char *body; /* 'single quotes' are double ones */
    const char *text; /* NULL: no answer */
    enum reply_end end;
    int64_t tokens; /* of both directions; -1: unknown */
} rows[] = {
    { "a text", &wire_openai, CHAT("{'content':'x'}", ",'finish_reason':'stop'"), "x",
      REPLY_STOPPED, 7 },
    { "parts", &wire_openai,
      CHAT("{'content':[{'type':'text','text':'x'},{'type':'image'},{'type':'text','text':'y'}]}",
           ""),
      "xy", REPLY_UNKNOWN, 7 },
    { "a NUL does not end it", &wire_openai,
      CHAT("{'content':'x\\u0000y'}", ",'finish_reason':'stop'"), "xy", REPLY_STOPPED, 7 },
    { "cut", &wire_openai, CHAT("{'content':'x'}", ",'finish_reason':'length'"), "x", REPLY_CUT,
      7 },
    { "filtered", &wire_openai, CHAT("{'content':''}", ",'finish_reason':'content_filter'"), "",
      REPLY_REFUSED, 7 },
    { "refused", &wire_openai, CHAT("{'content':null,'refusal':'no'}", ""), "", REPLY_REFUSED, 7 },
    { "an empty refusal does not count", &wire_openai, CHAT("{'content':'x','refusal':''}", ""),
      "x", REPLY_UNKNOWN, 7 },
    { "null", &wire_openai, CHAT("{'content':null}", ""), "", REPLY_UNKNOWN, 7 },
    { "thoughts next to it are ignored", &wire_openai,
      CHAT("{'content':'','reasoning_content':'x'}", ""), "", REPLY_UNKNOWN, 7 },
    { "no usage", &wire_openai, "{'choices':[{'message':{'content':'x'}}]}", "x", REPLY_UNKNOWN,
      -1 },
    { "invalid usage", &wire_openai,
      "{'choices':[{'message':{'content':'x'}}],'usage':{'prompt_tokens':-1,'completion_tokens':1."
      "5}}",
      "x", REPLY_UNKNOWN, -1 },
    { "null for an error does not count", &wire_openai,
      "{'error':null,'choices':[{'message':{'content':'x'}}]}", "x", REPLY_UNKNOWN, -1 },
    { "an error with half a text", &wire_openai,
      CHAT("{'content':'x'}", ",'finish_reason':'stop','error':{'code':502}"), "x", REPLY_FAILED,
      7 },
    { "an error in the message", &wire_openai,
      CHAT("{'content':'x','error':{'code':502}}", ",'finish_reason':'stop'"), "x", REPLY_FAILED,
      7 },
    { "null for an error of the choice", &wire_openai,
      CHAT("{'content':'x'}", ",'finish_reason':'stop','error':null"), "x", REPLY_STOPPED, 7 },
    { "an error that is a number", &wire_openai, "{'error':1,'choices':[{'message':{}}]}", NULL },
    { "null for the word", &wire_openai, CHAT("{'content':'x'}", ",'finish_reason':null"), "x",
      REPLY_UNKNOWN, 7 },
    { "a number for the word", &wire_openai, CHAT("{'content':'x'}", ",'finish_reason':1"), "x",
      REPLY_UNKNOWN, 7 },
    { "no choices", &wire_openai, "{'choices':[]}", NULL },
    { "an error with 200", &wire_openai, "{'error':{'message':'x'}}", NULL },
    { "an error as a text", &wire_openai, "{'error':'x','choices':[{'message':{'content':'x'}}]}",
      NULL },
    { "a list", &wire_openai, "[]", NULL },
    { "no JSON", &wire_openai, "<html>", NULL },
    { "nothing", &wire_openai, "", NULL },
    { "the other form", &wire_openai, "{'content':[{'type':'text','text':'x'}]}", NULL },
    { "a message", &wire_anthropic,
      "{'content':[{'type':'text','text':'x'}],'stop_reason':'end_turn',"
      "'usage':{'input_tokens':3,'output_tokens':4}}",
      "x", REPLY_STOPPED, 7 },
    { "a tool", &wire_anthropic,
      "{'content':[{'type':'text','text':'so'},{'type':'tool_use','name':'n','input':{'a':1}}],"
      "'stop_reason':'tool_use'}",
      "{\"a\":1}", REPLY_STOPPED, -1 },
    { "a tool with long numbers", &wire_anthropic,
      "{'content':[{'type':'tool_use','name':'n','input':{'a':[9007199254740993,1.10]}}],"
      "'stop_reason':'tool_use'}",
      "{\"a\":[9007199254740993,1.10]}", REPLY_STOPPED, -1 },
    { "a cut message", &wire_anthropic,
      "{'content':[{'type':'text','text':'x'}],'stop_reason':'max_tokens'}", "x", REPLY_CUT, -1 },
    { "a declined one", &wire_anthropic, "{'content':[],'stop_reason':'refusal'}", "",
      REPLY_REFUSED, -1 },
    { "thinking is not looked at", &wire_anthropic,
      "{'content':[{'type':'thinking','thinking':'t'},{'type':'text','text':'x'}]}", "x",
      REPLY_UNKNOWN, -1 },
    { "no content", &wire_anthropic, "{'type':'message'}", NULL },
    { "its error", &wire_anthropic, "{'type':'error','error':{'type':'overloaded_error'}}", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf body = BUF(4096);
    scoped(reply_free) struct reply reply = { 0 };
    add_quoted(&body, row->body);
    bool ok = wire_read(row->wire, NULL, buf_text(&body), &reply);
    assert_int_equal(ok, row->text != NULL);
    if (!ok)
        return;
    assert_string_equal(reply.text, row->text);
    assert_int_equal(reply.end, row->end);
    assert_int_equal(reply.is_call, text_has(text_of(row->body), "tool_use"));
    assert_int_equal(reply.input_tokens + reply.output_tokens, row->tokens < 0 ? -2 : row->tokens);
}

/* Only known words, and the operator's, say that an answer is whole. */
static void words_end_answers(void **state)
{
    static const struct {
        const char *words;
        enum reply_end end;
    } ends[] = {
        { "stop STOP end_turn stop_sequence eos eos_token tool_use", REPLY_STOPPED },
        { "done none", REPLY_STOPPED }, /* the operator's */
        { "length max_tokens MAX_TOKENS model_length model_context_window_exceeded pause_turn",
          REPLY_CUT },
        { "error ERROR insufficient_system_resource abort network_error", REPLY_FAILED },
        { "content_filter refusal SAFETY sensitive", REPLY_REFUSED },
        { "tool_calls function_call stopped end length_ unknown stop.", REPLY_UNKNOWN },
    };
    scoped(json_free) cJSON *finish_ok = json_array();
    (void)state;
    json_item_str(finish_ok, "done");
    json_item_str(finish_ok, "none");
    json_item_str(finish_ok, "length"); /* what is known stays */
    for (size_t i = 0; i < countof(ends); i++) {
        struct text rest = text_of(ends[i].words);
        while (rest.size > 0) {
            const char *blank = memchr(rest.bytes, ' ', rest.size);
            size_t size = blank ? (size_t)(blank - rest.bytes) : rest.size;
            assert_int_equal(reply_end_of((struct text){ rest.bytes, size }, finish_ok),
                             ends[i].end);
            rest = text_skip(rest, size + (blank != NULL));
        }
    }
    assert_int_equal(reply_end_of(TEXT(""), finish_ok), REPLY_STOPPED);
    assert_int_equal(reply_end_of(TEXT(""), NULL), REPLY_UNKNOWN);
    assert_int_equal(reply_end_of(TEXT("done"), NULL), REPLY_UNKNOWN);
}

/* The log gets a word, and never the text that a provider repeats. */
static void errors_give_a_word(void **state)
{
    static const struct {
        const char *body;
        const char *word;
    } errors[] = {
        { "{'error':{'message':'Incorrect key sk-1','type':'invalid_request_error',"
          "'code':'invalid_api_key'}}",
          "invalid_api_key" },
        { "{'type':'error','error':{'type':'overloaded_error','message':'x'}}",
          "overloaded_error" },
        { "{'error':{'code':null,'type':'a b\\nc'}}", "a_b_c" },
        { "{'error':'sk-1'}", "" },
        { "{'detail':'sk-1'}", "" },
        { "{'error':{'code':401}}", "" },
        { "<html>", "" },
        { "", "" },
    };
    (void)state;
    for (size_t i = 0; i < countof(errors); i++) {
        scoped(buf_free) struct buf body = BUF(4096);
        char word[ERROR_WORD_BYTES];
        add_quoted(&body, errors[i].body);
        error_word(buf_text(&body), word);
        assert_string_equal(word, errors[i].word);
    }
}

/* Each step once, in the order in which providers lack features; then no more. */
static void the_ladder_ends(void **state)
{
    const struct question question = { .wants_json = true, .schema = json_object() };
    const struct question plain = { 0 };
    struct ladder ladder = { 0 };
    struct text format = TEXT("'response_format' is not supported");
    (void)state;
    assert_false(ladder_step(&ladder, &question, 500, format));
    assert_false(ladder_step(&ladder, &plain, 400, format));
    for (int step = LADDER_SCHEMA; step <= LADDER_PROMPT; step++) {
        assert_true(ladder_step(&ladder, &question, 400, format));
        assert_int_equal(ladder.format, step);
    }
    assert_false(ladder_step(&ladder, &question, 400, format));
    assert_true(ladder_step(&ladder, &question, 422, TEXT("unknown field seed")));
    assert_false(ladder_step(&ladder, &question, 422, TEXT("unknown field seed")));
    assert_false(ladder_step(&ladder, &question, 404, TEXT("temperature")));
    assert_false(ladder_step(&ladder, &question, 400, TEXT("something else")));
    cJSON *schema = question.schema;
    json_free(&schema);
}

/* The cause is in the provider's words, never in those of a customer that it repeats. */
static void errors_have_causes(void **state)
{
    static const struct {
        int status;
        const char *body;
        const char *request;
        enum error_cause cause;
    } errors[] = {
        { 400,
          "{'type':'error','error':{'type':'invalid_request_error','message':'Your credit "
          "balance is too low to access the API.'}}",
          "", ERROR_ACCOUNT },
        { 400, "{'error':{'message':'invalid: Your credit balance is too low'}}",
          "Your CREDIT balance is too low", ERROR_OTHER },
        { 400, "{'error':{'code':'model_decommissioned'}}", "model_decommissioned", ERROR_ACCOUNT },
        { 404, "{'error':{'code':'model_not_found'}}", "", ERROR_ACCOUNT },
        { 429, "{'error':{'type':'insufficient_quota','code':null}}", "", ERROR_ACCOUNT },
        { 429, "{'error':{'type':'rate_limit_error'}}", "", ERROR_OTHER },
        { 400, "{'error':{'code':'context_length_exceeded'}}", "", ERROR_INPUT },
        { 400, "{'error':{'code':'json_validate_failed'}}", "", ERROR_INPUT },
        { 413, "<html>", "", ERROR_INPUT },
        { 401, "<html>", "", ERROR_ACCOUNT },
        { 402, "", "", ERROR_ACCOUNT },
        { 403, "{'error':{'message':'no access'}}", "", ERROR_ACCOUNT },
        { 403, "<html>blocked</html>", "", ERROR_OTHER },
        { 403, "{'error':{'code':403,'message':'Your input was flagged'}}", "", ERROR_FILTER },
        { 400, "{'error':{'code':'content_filter'}}", "", ERROR_FILTER },
        { 400, "{'error':{'message':'content_filter'}}", "", ERROR_OTHER },
        { 400, "{'error':'insufficient_quota'}", "", ERROR_OTHER },
    };
    (void)state;
    for (size_t i = 0; i < countof(errors); i++) {
        scoped(buf_free) struct buf body = BUF(4096);
        add_quoted(&body, errors[i].body);
        if (error_cause(errors[i].status, buf_text(&body), text_of(errors[i].request)) !=
            errors[i].cause)
            fail_msg("%s", errors[i].body);
    }
}

/* What one model does not support is not sent again; a limit is lowered once. */
static void the_ladder_learns_limits(void **state)
{
    static const char *const stops[] = { "x", NULL, NULL, NULL };
    cJSON *schema = json_object();
    const struct question question = {
        .wants_json = true, .schema = schema, .max_tokens = 8000, .stop = stops
    };
    struct ladder ladder = { 0 };
    struct text large = TEXT("max_tokens is too large: 8000. This model supports at most 4096.");
    scoped(json_free) cJSON *sent = NULL;
    (void)state;
    json_bool(schema, "additionalProperties", false);
    assert_true(ladder_step(&ladder, &question, 400, large));
    assert_int_equal(wire_max_tokens(&question, &ladder), 4096);
    assert_false(ladder.other_tokens_name);
    assert_true(ladder_step(&ladder, &question, 400, large)); /* its name, then */
    assert_int_equal(wire_max_tokens(&question, &ladder), 4096);
    assert_true(ladder.other_tokens_name);
    assert_false(ladder_step(&ladder, &question, 400, large));
    ladder = (struct ladder){ 0 };
    assert_true(ladder_step(&ladder, &question, 400,
                            TEXT("'max_tokens' is not supported, at most 12 words")));
    assert_int_equal(ladder.max_tokens, 0); /* no limit of a model */
    assert_true(ladder_step(&ladder, &question, 400, TEXT("Unsupported parameter: 'stop'")));
    assert_false(wire_has_stop(&question, &ladder));
    assert_true(ladder_step(&ladder, &question, 400,
                            TEXT("json_schema: additionalProperties is not supported")));
    assert_int_equal(ladder.format, LADDER_STRICT);
    sent = wire_schema(&question, &ladder);
    assert_null(json_get(sent, "additionalProperties"));
    assert_true(ladder_step(&ladder, &question, 400,
                            TEXT("json_schema: additionalProperties is required")));
    assert_int_equal(ladder.format, LADDER_SCHEMA);
    json_free(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_end_answers),        cmocka_unit_test(errors_have_causes),
        cmocka_unit_test(the_ladder_learns_limits), cmocka_unit_test(errors_give_a_word),
        cmocka_unit_test(the_ladder_ends),
    };
    int failed = RUN_ROWS(rows, check);
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
