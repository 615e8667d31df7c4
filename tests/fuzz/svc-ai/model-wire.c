/* tests/fuzz/svc-ai/model-wire.c - a provider's response, in either form, as an answer and as an
 * error. */
#include <assert.h>

#include "../target.h"
#include "base/codec/utf8.h"
#include "model/wire/error-cause.h"
#include "model/wire/wire.h"

static void check_ladder(struct text body)
{
    static const struct question question = { .wants_json = true };
    static const int statuses[] = { 400, 404, 422, 500, 501 };
    for (size_t i = 0; i < countof(statuses); i++) {
        struct ladder ladder = { 0 };
        int steps = 0;
        while (ladder_step(&ladder, &question, statuses[i], body))
            assert(++steps <= 8); /* it terminates */
        assert(ladder.format <= LADDER_PROMPT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct wire *const wires[] = { &wire_openai, &wire_anthropic };
    struct text body = { (const char *)bytes, size };
    char word[ERROR_WORD_BYTES];
    for (size_t i = 0; i < countof(wires); i++) {
        scoped(reply_free) struct reply reply = { 0 };
        if (!wire_read(wires[i], NULL, body, &reply))
            continue;
        assert(reply.text && utf8_is_valid(text_of(reply.text)));
        assert(reply.input_tokens >= -1 && reply.output_tokens >= -1);
    }
    error_word(body, word);
    assert(text_is_ascii(text_of(word)));
    assert(error_cause(400, body, body) <= ERROR_INPUT);
    assert(error_cause(402, body, TEXT("")) != ERROR_OTHER);
    check_ladder(body);
    return 0;
}
