/* svc-ai/facts/words.c - words in texts of any script. */
#include "words.h"

#include <string.h>
#include <unictype.h>

#include "base/buf.h"
#include "base/codec/utf8.h"
#include "base/writing/chars.h"
#include "facts/clean.h"

/* Whether the character is a word alone. Katakana's length and repetition marks have no script. */
static bool is_alone(uint32_t code)
{
    if (code < 0x2E80)
        return false;
    if (code == 0x3005 || code == 0x3007 || code == 0x30FC)
        return true;
    const uc_script_t *script = uc_script((ucs4_t)code);
    return script && char_is_word(code) &&
           (strcmp(script->name, "Han") == 0 || strcmp(script->name, "Hiragana") == 0 ||
            strcmp(script->name, "Katakana") == 0);
}

size_t words_count(struct text text)
{
    size_t words = 0;
    bool in_word = false;
    while (text.size > 0) {
        size_t bytes;
        uint32_t code = utf8_next(text, &bytes);
        text = text_skip(text, bytes);
        if (is_alone(code)) {
            words++;
            in_word = false;
        } else if (char_is_space(code)) {
            in_word = false;
        } else if (!in_word && char_is_word(code) && !char_is_mark(code)) {
            words++;
            in_word = true;
        }
    }
    return words;
}

int64_t words_reading_seconds(size_t words)
{
    return ((int64_t)words * 60 + READING_WORDS_PER_MINUTE - 1) / READING_WORDS_PER_MINUTE;
}

/* ---- phrases ---- */

/* Whether both sides of this offset belong to one word. */
static bool is_inside(struct text before, struct text behind)
{
    if (before.size == 0 || behind.size == 0)
        return false;
    size_t bytes;
    size_t last = before.size - 1;
    while (last > 0 && ((unsigned char)before.bytes[last] & 0xC0) == 0x80)
        last--;
    uint32_t left = utf8_next(text_skip(before, last), &bytes);
    uint32_t right = utf8_next(behind, &bytes);
    return char_is_word(left) && char_is_word(right) && !is_alone(left) && !is_alone(right);
}

static bool has_whole_phrase(struct text text, struct text phrase)
{
    const char *from = text.bytes;
    size_t left = text.size;
    while (phrase.size > 0 && left >= phrase.size) {
        const char *found = memmem(from, left, phrase.bytes, phrase.size);
        if (!found)
            return false;
        size_t at = (size_t)(found - text.bytes);
        struct text behind = text_skip(text, at + phrase.size);
        if (!is_inside((struct text){ text.bytes, at }, phrase) && !is_inside(phrase, behind))
            return true;
        from = found + 1;
        left = text.size - at - 1;
    }
    return false;
}

bool words_have_proper(struct text text, struct text phrase)
{
    scoped(buf_free) struct buf lower = BUF(4 * phrase.size + 16);
    clean_lower(phrase, &lower);
    return !text_equals(buf_text(&lower), phrase) && has_whole_phrase(text, phrase);
}

static void fold_words(struct text text, struct buf *out)
{
    scoped(buf_free) struct buf line = BUF(4 * text.size + 16);
    clean_text(text, CLEAN_LINE, &line);
    clean_lower(buf_text(&line), out);
}

bool words_have(struct text text, struct text phrase)
{
    scoped(buf_free) struct buf folded = BUF(16 * text.size + 64);
    scoped(buf_free) struct buf wanted = BUF(16 * phrase.size + 64);
    fold_words(text, &folded);
    fold_words(phrase, &wanted);
    return clean_says_something(buf_text(&wanted)) &&
           has_whole_phrase(buf_text(&folded), buf_text(&wanted));
}
