/* svc-utils/token-counter/tests/fuzz/token-counter.c - any text has between 0 and a few tokens a
 * byte, any name an answer, and pieces are the text again. */
#include <assert.h>
#include <stdlib.h>

#include "base/codec/base64.h"
#include "base/codec/utf8.h"
#include "target.h"
#include "text/json.h"
#include "token-counter/models.h"
#include "token-counter/vocabulary.h"

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

/* Each byte, and pairs of letters that make longer ones. */
static struct vocabulary *read_vocabulary(enum split split)
{
    static const char *const words[] = { "ab", "ba", "abab", " a", "bab", "aa", "\n\n" };
    scoped(buf_free) struct buf content = BUF(1 << 14);
    struct vocabulary *vocabulary = NULL;
    int rank = 0;
    for (; rank < 256; rank++) {
        base64_encode(&content, (struct text){ (char[]){ (char)rank }, 1 });
        buf_format(&content, " %d\n", rank);
    }
    for (size_t i = 0; i < countof(words); i++, rank++) {
        base64_encode(&content, text_of(words[i]));
        buf_format(&content, " %d\n", rank);
    }
    if (!vocabulary_read(buf_text(&content), split, &vocabulary, NULL))
        abort();
    return vocabulary;
}

/* Pieces are whole characters and together the text; each byte is one token at most. */
static void check_exact(struct text text, enum split split)
{
    scoped(vocabulary_free) struct vocabulary *vocabulary = read_vocabulary(split);
    int64_t tokens = vocabulary_count(vocabulary, text);
    assert(tokens <= (int64_t)text.size && 4 * tokens >= (int64_t)text.size);
    while (text.size > 0) {
        size_t bytes = piece_bytes(split, text);
        assert(bytes > 0 && bytes <= text.size);
        assert(utf8_is_valid((struct text){ text.bytes, bytes }));
        text = (struct text){ text.bytes + bytes, text.size - bytes };
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(models_free) struct models *models = read_table();
    struct text text = { (const char *)bytes, size };
    struct token_tally tally;

    if (!utf8_is_valid(text))
        return 0;
    models_find(models, text);
    check_exact(text, SPLIT_O200K);
    check_exact(text, SPLIT_CL100K);
    token_tally(text, &tally);
    assert(tally.bytes == (int64_t)size && tally.characters == (int64_t)utf8_length(text));
    assert(tally.words <= tally.characters);
    for (size_t i = 0; i < models->count; i++) {
        int64_t tokens = token_estimate(&tally, models->model[i].family);
        assert((tokens == 0) == (size == 0) && tokens <= 4 * (int64_t)size);
    }
    return 0;
}
