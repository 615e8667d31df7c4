/*
 * svc-chat/chatplatform-moderate/tests/texts.c - messages in many voices: attacks, and ordinary
 * ones that have the same words.
 */
#include "chatplatform-moderate/rules.h"
#include "tool.h"
#include "tools.h"

static const char *const attacks[] = {
#include "attacks.def"
};

static const char *const ordinary[] = {
#include "ordinary.def"
};

static void *rules;

static int open_rules(void **state)
{
    struct err err = { 0 };
    (void)state;
    bool ok =
        moderation_rules_read(SOURCE_ROOT "/svc-chat/chatplatform-moderate/data", &rules, &err);
    return ok ? 0 : -1;
}

static int close_rules(void **state)
{
    (void)state;
    moderation_rules_free(&rules);
    return 0;
}

/* run_tool_with() turns ' into ", so it is escaped. */
static void add_body(struct buf *body, const char *text)
{
    scoped(json_free) cJSON *request = json_object();
    scoped(buf_free) struct buf plain = BUF(10000);
    json_str(request, "text", text);
    json_print(request, &plain);
    for (size_t i = 0; i < plain.size; i++)
        if (plain.bytes[i] == '\'')
            buf_add_str(body, "\\u0027");
        else
            buf_add_byte(body, plain.bytes[i]);
}

static bool is_flagged(const char *text)
{
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf body = BUF(20000);
    struct err err = { 0 };

    add_body(&body, text);
    bool ok = run_tool_with(rules, chatplatform_moderate, "chatplatform-moderate", buf_str(&body),
                            result, NULL, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return json_is(json_get(result, "flagged"), cJSON_True);
}

static void attacks_are_flagged(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(attacks); i++)
        if (!is_flagged(attacks[i]))
            fail_msg("not flagged: %s", attacks[i]);
}

static void ordinary_messages_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(ordinary); i++)
        if (is_flagged(ordinary[i]))
            fail_msg("flagged: %s", ordinary[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attacks_are_flagged),
        cmocka_unit_test(ordinary_messages_pass),
    };
    return cmocka_run_group_tests(tests, open_rules, close_rules);
}
