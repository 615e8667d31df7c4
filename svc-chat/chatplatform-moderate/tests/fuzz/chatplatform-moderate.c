/* svc-chat/chatplatform-moderate/tests/fuzz/chatplatform-moderate.c - any text, in one of some
 * settings that its first byte chooses: judged, with places that lie in the text and a result that
 * keeps the contract. */
#include <string.h>

#include "base/mem.h"
#include "chatplatform-moderate/rules.h"
#include "svc-chat/chat-tool.h"

static const char *const settings[] = {
    "",
    ",\"redact\":true,\"strictness\":\"high\"",
    ",\"context\":{\"blocked_words\":[\"a*\",\"*b*\",\"c d\"],\"allowed_words\":[\"*e\"]}",
    ",\"context\":{\"blocked_domains\":[\"b.co\"],\"allowed_domains\":[\"a.co\"],\"link_limit\":0}",
    ",\"categories\":[\"scam\",\"flood\"],\"threshold\":0",
};

static const void *rules(void)
{
    static void *content;
    if (!content) {
        bool ok = moderation_rules_read(SOURCE_ROOT "/svc-chat/chatplatform-moderate/data",
                                        &content, NULL);
        assert(ok);
    }
    return content;
}

static void check(const cJSON *result, size_t length)
{
    const cJSON *match;
    cJSON_ArrayForEach(match, json_get(result, "matches")) {
        double start = json_get(match, "start")->valuedouble;
        double end = json_get(match, "end")->valuedouble;
        size_t size = utf8_length(json_text_of(json_get(match, "match")));
        assert(start >= 0 && start <= end && end <= (double)length);
        assert((double)size == end - start);
    }
}

static void run(const struct contract *contract, struct text body, size_t length)
{
    scoped(json_free) cJSON *args = NULL;
    scoped(json_free) cJSON *result = json_object();
    struct errs errs = { 0 };
    struct err err = { 0 };

    if (!contract_check(contract, body, &args, NULL, &errs))
        return;
    struct job job = { .contract = contract, .args = args, .body = body, .data = rules() };
    if (!chatplatform_moderate(&job, result, &err)) {
        assert(err.kind == ERR_MISSING_FIELD);
        return;
    }
    assert(schema_check(contract->result, "result", result, &errs));
    check(result, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct contract *contract;
    scoped(buf_free) struct buf body = BUF(1 << 20);

    if (!contract) {
        bool ok =
            contract_load(SOURCE_ROOT "/svc-chat/chatplatform-moderate/chatplatform-moderate.yaml",
                          &contract, NULL);
        assert(ok);
    }
    if (size == 0)
        return 0;
    scoped(mem_free) char *text = mem_dup(bytes + 1, size - 1);
    text_repair(text); /* which ends at the first NUL */
    buf_add_str(&body, "{\"text\":");
    json_print_text(text_of(text), &body);
    buf_add_str(&body, settings[bytes[0] % countof(settings)]);
    buf_add_byte(&body, '}');
    run(contract, buf_text(&body), utf8_length(text_of(text)));
    return 0;
}
