/* common/text/passwords/user-inputs.c - a lexicon of the caller's words. */
#include "text/passwords/user-inputs.h"

#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "text/json.h"
#include "text/passwords/secret.h"

enum {
    /* from the contract: 50 items of 100 characters of 4 bytes, whole and in parts, and NULs */
    BYTES_MAX = 2 * 50 * (100 * 4 + 100),
    WORDS_MAX = 50 * (1 + 50),
};

/* The bytes from offset on are a word, unless it is empty. */
static void add_word(struct user_inputs *inputs, size_t offset)
{
    if (inputs->bytes.size == offset)
        return;
    buf_add_byte(&inputs->bytes, '\0');
    size_t rank = ++inputs->lexicon.count;
    inputs->words[rank - 1] = (struct word){ .offset = (uint32_t)offset,
                                             .rank = (uint16_t)rank,
                                             .dictionary = DICTIONARY_USER_INPUTS };
}

static void add_whole(struct user_inputs *inputs, struct text text)
{
    size_t offset = inputs->bytes.size;
    size_t bytes;
    for (; text.size > 0; text = text_skip(text, bytes))
        utf8_add(&inputs->bytes, uc_tolower(utf8_next(text, &bytes)));
    add_word(inputs, offset);
}

static bool is_alphanumeric(uint32_t code_point)
{
    return uc_is_property_alphabetic(code_point) || uc_is_property_decimal_digit(code_point);
}

static void add_parts(struct user_inputs *inputs, struct text text)
{
    struct text part = { text.bytes, 0 };
    bool has_gap = false;
    size_t bytes;
    for (; text.size > 0; text = text_skip(text, bytes)) {
        if (is_alphanumeric(utf8_next(text, &bytes))) {
            part.size += bytes;
            continue;
        }
        has_gap = true;
        add_whole(inputs, part);
        part = (struct text){ text.bytes + bytes, 0 };
    }
    if (has_gap)
        add_whole(inputs, part);
}

static int by_bytes(const void *a, const void *b, void *bytes)
{
    const struct word *left = a;
    const struct word *right = b;
    int order = strcmp((const char *)bytes + left->offset, (const char *)bytes + right->offset);
    return order ? order : (int)left->rank - (int)right->rank;
}

/* Of equal words keep the first, which is the most likely. */
static void drop_repeats(struct user_inputs *inputs)
{
    size_t kept = 0;
    for (size_t i = 0; i < inputs->lexicon.count; i++) {
        const char *word = inputs->bytes.bytes + inputs->words[i].offset;
        if (kept == 0 || strcmp(inputs->bytes.bytes + inputs->words[kept - 1].offset, word) != 0)
            inputs->words[kept++] = inputs->words[i];
    }
    inputs->lexicon.count = kept;
}

void user_inputs_read(const cJSON *list, struct user_inputs *inputs)
{
    const cJSON *item;
    inputs->bytes = secret_buf(BYTES_MAX);
    inputs->words = mem_array(WORDS_MAX, sizeof(*inputs->words));
    cJSON_ArrayForEach(item, list) {
        add_whole(inputs, json_text_of(item));
        add_parts(inputs, json_text_of(item));
    }
    qsort_r(inputs->words, inputs->lexicon.count, sizeof(*inputs->words), by_bytes,
            inputs->bytes.bytes);
    drop_repeats(inputs);
    inputs->lexicon.bytes = inputs->bytes.bytes;
    inputs->lexicon.words = inputs->words;
}

void user_inputs_free(struct user_inputs *inputs)
{
    secret_buf_free(&inputs->bytes);
    mem_free(&inputs->words);
    inputs->lexicon = (struct lexicon){ 0 };
}
