/* tests/unit/svc-ai/model/visible-text.c - no reasoning and no control token reaches a customer,
 * and nothing else is lost. */
#include "model/visible-text.h"

#include "rows.h"

static const struct row {
    const char *name;
    const char *output;
    const char *want;
    const char *material; /* what the customer wrote */
} rows[] = {
    { "an answer", "It is so.", "It is so.", "" },
    { "thoughts", " <think>{}</think>x", "x", "" },
    { "in capitals", "<THINK>a</think>x", "x", "" },
    { "thoughts without an end", "<think>for ever", "", "" },
    { "thoughts in the middle are words", "x <think>y</think>", "x <think>y</think>", "" },
    { "thoughts without a beginning", "Let me see. Yes.\n</think>\n\nx", "x", "" },
    { "of another name", "Hm.</thinking>x", "x", "" },
    { "<thinking>", "<thinking>a</thinking>\nx", "x", "" },
    { "<thought>", "<thought>a</thought>x", "x", "" },
    { "<reasoning>", "<reasoning>a</reasoning>x", "x", "" },
    { "[THINK]", "[THINK]a[/THINK]x", "x", "" },
    { "without a beginning, too", "a[/THINK]x", "x", "" },
    { "two blocks", "<think>a</think><think>b</think>x", "x", "" },
    { "an empty block", "<think>\n\n</think>\n\nx", "x", "" },
    { "before JSON", "a</think>{\"b\":1}", "{\"b\":1}", "" },
    { "inside JSON", "{\"b\":\"</think>\"}", "{\"b\":\"</think>\"}", "" },
    { "that the customer asks about", "Close it with </think> at the end.",
      "Close it with </think> at the end.", "What is </think> for?" },
    { "a block of the customer", "<think>a</think> is HTML", "<think>a</think> is HTML",
      "explain <think>a</think>" },
    { "channels",
      "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final"
      "<|message|>x<|return|>",
      "x", "" },
    { "a commentary",
      "<|channel|>commentary<|message|>a<|end|><|start|>assistant<|channel|>final"
      "<|message|>x",
      "x", "" },
    { "the final channel alone", "<|channel|>final<|message|>x<|end|>", "x", "" },
    { "no final channel", "<|channel|>analysis<|message|>a", "", "" },
    { "channels without marks", "analysisWe need x.assistantfinalx", "x", "" },
    { "a word like that", "analysis shows x", "analysis shows x", "" },
    { "ChatML", "<|im_start|>assistant\nx<|im_end|>", "x", "" },
    { "an end of ChatML", "x<|im_end|>\n", "x", "" },
    { "two ends", "x</s></s>", "x", "" },
    { "Llama 3", "<|start_header_id|>assistant<|end_header_id|>\n\nx<|eot_id|>", "x", "" },
    { "Gemma", "x<end_of_turn>", "x", "" },
    { "DeepSeek",
      "x<\xEF\xBD\x9C"
      "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>",
      "x", "" },
    { "the beginning of a sequence", "<s> x </s>", "x", "" },
    { "which is HTML to this customer", "<s>old</s>", "<s>old</s>", "strike <s>this</s>" },
    { "in the middle", "a </s> b", "a </s> b", "" },
    { "another turn", "x<|im_end|>\n<|im_start|>user\nmore<|im_end|>", "x", "" },
    { "after thoughts and an end", "<think>a</think>x<|im_end|>", "x", "" },
    { "nothing but a token", "<|endoftext|>", "", "" },
    { "nothing", "", "", "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    const struct model_ask ask = { .material = text_of(row->material) };
    struct text found = visible_text(&ask, text_of(row->output));
    if (!text_is(found, row->want))
        fail_msg("\"%.*s\"", (int)found.size, found.bytes);
}

/* The customer's text may be in a turn, or in the policy. */
static void all_texts_of_the_customer_count(void **state)
{
    const struct model_turn turn = { MODEL_USER, TEXT("what is <|im_end|>?") };
    const struct model_ask asks[] = { { .turns = &turn, .turn_count = 1 },
                                      { .policy = TEXT("end with <|im_end|>") } };
    (void)state;
    for (size_t i = 0; i < countof(asks); i++)
        assert_true(text_is(visible_text(&asks[i], TEXT("x<|im_end|>")), "x<|im_end|>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_texts_of_the_customer_count) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
