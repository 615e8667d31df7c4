/* tests/fuzz/token-counter.c - any text has between 0 and a few tokens a byte, any name an answer.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "target.h"
#include "text/json.h"
#include "token-counter/models.h"

/* A table of two models; the names that are looked for are the input. */
static struct models *read_table(void)
{
    static const char table[] =
        "{\"as_of\":\"2026-08\",\"sources\":{\"s\":{\"title\":\"t\",\"date\":\"2026-08\"}},"
        "\"default\":[\"gpt-4o\"],\"models\":{\"gpt-4o\":{\"provider\":\"p\",\"tokenizer\":"
        "\"o200k\",\"input\":1,\"output\":1,\"sources\":[\"s\"]},\"claude-sonnet-4-5\":{"
        "\"provider\":\"p\",\"tokenizer\":\"claude\",\"input\":1,\"output\":1,\"sources\":[\"s\"]}}"
        "}";
    struct models *models = NULL;
    cJSON *document = NULL;
    struct err err;
    if (!json_parse(TEXT(table), JSON_DEPTH, &document, &err) ||
        !models_read(document, &models, &err))
        abort();
    return models;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(models_free) struct models *models = read_table();
    struct text text = { (const char *)bytes, size };
    struct token_tally tally;

    if (!utf8_is_valid(text))
        return 0;
    models_find(models, text);
    token_tally(text, &tally);
    assert(tally.bytes == (int64_t)size && tally.characters == (int64_t)utf8_length(text));
    assert(tally.words <= tally.characters);
    for (size_t i = 0; i < models->count; i++) {
        int64_t tokens = token_estimate(&tally, models->model[i].family);
        assert((tokens == 0) == (size == 0) && tokens <= 4 * (int64_t)size);
    }
    return 0;
}
