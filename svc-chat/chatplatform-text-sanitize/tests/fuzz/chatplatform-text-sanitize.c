/* svc-chat/chatplatform-text-sanitize/tests/fuzz/chatplatform-text-sanitize.c - any text with some
 * of the switches, which its first byte chooses: what comes out is UTF-8, keeps its limit and pings
 * nobody. */
#include <string.h>

#include "base/mem.h"
#include "svc-chat/chat-tool.h"
#include "writing/tokens.h"

static const char *const switches[] = {
    "",
    ",\"strict\":true",
    ",\"markdown\":\"strip\",\"mentions\":\"remove\"",
    ",\"target\":\"plain\",\"urls\":\"defang\",\"custom_emoji\":\"remove\"",
    ",\"target\":\"log\",\"mentions\":\"zero_width\"",
    ",\"target\":\"username\"",
    ",\"target\":\"channel_name\"",
    ",\"target\":\"code_block\",\"normalize\":\"nfkc\",\"confusables\":\"replace\"",
    ",\"bidi\":\"isolate\",\"invisible\":\"keep\",\"newlines\":0,\"collapse_spaces\":true",
    ",\"max_length\":9,\"markdown\":\"keep\",\"custom_emoji\":\"name\",\"urls\":\"suppress\"",
    ",\"markdown\":{\"code_block_content\":false,\"inline_code_content\":false}",
    ",\"mentions\":\"text\",\"names\":{\"80351110224678912\":\"@every<@80351110224678912>\"}",
};

static void check(const cJSON *result)
{
    struct text text = json_text_of(json_get(result, "text"));
    scoped(runes_free) struct runes runes = runes_of(text);
    scoped(tokens_free) struct tokens tokens = tokens_of(&runes);

    assert(utf8_is_valid(text));
    assert(runes.count <= json_get(result, "max_length")->valuedouble);
    for (size_t i = 0; i < tokens.count; i++)
        assert(tokens.at[i].kind > TOKEN_ROLE);
}

static void run(const struct contract *contract, struct text body)
{
    scoped(json_free) cJSON *args = NULL;
    scoped(json_free) cJSON *result = json_object();
    struct errs errs = { 0 };
    struct err err = { 0 };

    if (!contract_check(contract, body, &args, NULL, &errs))
        return;
    struct job job = { .contract = contract, .args = args, .body = body, .now_ms = FUZZ_NOW_MS };
    bool ok = chatplatform_text_sanitize(&job, result, &err);
    assert(ok);
    assert(schema_check(contract->result, "result", result, &errs));
    check(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct contract *contract;
    scoped(buf_free) struct buf body = BUF(1 << 20);

    if (!contract) {
        bool ok = contract_load(
            SOURCE_ROOT "/svc-chat/chatplatform-text-sanitize/chatplatform-text-sanitize.yaml",
            &contract, NULL);
        assert(ok);
    }
    if (size == 0)
        return 0;
    scoped(mem_free) char *text = mem_dup(bytes + 1, size - 1);
    text_repair(text); /* which ends at the first NUL */
    buf_add_str(&body, "{\"text\":");
    json_print_text(text_of(text), &body);
    buf_add_str(&body, switches[bytes[0] % countof(switches)]);
    buf_add_byte(&body, '}');
    run(contract, buf_text(&body));
    return 0;
}
