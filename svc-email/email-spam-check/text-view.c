/* svc-email/email-spam-check/text-view.c - normalize a text, and find signs of disguise. */
#include <string.h>
#include <unicase.h>
#include <unictype.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/text.h"
#include "base/writing/chars.h"
#include "email-spam-check/check.h"

enum { CHUNK_MAX_BYTES = 24, SOFT_HYPHEN = 0xAD };

static bool is_joining(uint32_t code)
{
    return code == CHAR_ZWSP || code == CHAR_ZWNJ || code == CHAR_ZWJ || code == 0x2060 ||
           code == 0xFEFF || code == SOFT_HYPHEN;
}

/* Greek and Cyrillic have most look-alikes of Latin letters. */
static bool is_twin_script(uint32_t code)
{
    return (code >= 0x370 && code < 0x530) || (code >= 0x1F00 && code < 0x2000);
}

/* ---- normalize ---- */

/* Look-alikes in a word with Latin letters become Latin. */
static void add_word(struct buf *out, const struct rune *from, size_t count)
{
    bool has_latin = false;
    for (size_t i = 0; i < count; i++)
        has_latin |= ascii_is_letter(from[i].code);
    for (size_t i = 0; i < count; i++) {
        uint32_t code = from[i].code;
        char twin = has_latin && is_twin_script(code) ? char_confusable(code) : 0;
        if (twin)
            buf_add_byte(out, ascii_lower(twin));
        else
            utf8_add(out, uc_tolower(code));
    }
}

static void normalize_text(struct runes *runes, struct buf *out)
{
    scoped(runes_free) struct runes seen = { 0 };
    for (size_t i = 0; i < runes->count; i++)
        if (!is_joining(runes->at[i].code) && !char_is_bidi(runes->at[i].code))
            runes_add(&seen, runes->at[i]);
    runes_normalize(&seen, FORM_NFKC);
    for (size_t i = 0; i < seen.count;) {
        size_t end = i;
        while (end < seen.count && char_is_word(seen.at[end].code))
            end++;
        if (end > i)
            add_word(out, &seen.at[i], end - i);
        else if (seen.at[i].code == 0x2018 || seen.at[i].code == 0x2019)
            buf_add_byte(out, '\'');
        else
            utf8_add(out, seen.at[i].code);
        i = MAX(end, i + 1);
    }
}

static void note_phrase(uint16_t set, size_t phrase, size_t first, size_t last, void *context)
{
    struct text_view *view = context;
    (void)phrase;
    if (view->sets[set]++ > 0)
        return;
    uint32_t start = view->words.at[first].start;
    view->first[set] = (struct text){ view->norm.bytes + start, view->words.at[last].end - start };
    view->first_word[set] = (uint32_t)first;
}

void text_view_make(struct text_view *view, struct text plain,
                    const struct spam_knowledge *knowledge)
{
    *view = (struct text_view){ .plain = plain, .norm = BUF(12 * plain.size + 64) };
    view->runes = runes_of(plain);
    if (text_is_ascii(plain))
        buf_add_lower(&view->norm, plain);
    else
        normalize_text(&view->runes, &view->norm);
    struct text norm = { buf_str(&view->norm), view->norm.size };
    view->words = words_of(knowledge->phrases, norm);
    view->word_count = words_count(&view->words, norm);
    phrases_match(knowledge->phrases, &view->words, note_phrase, view);
}

void text_view_free(struct text_view *view)
{
    runes_free(&view->runes);
    buf_free(&view->norm);
    words_free(&view->words);
}

struct text text_view_word(const struct text_view *view, size_t index)
{
    const struct word *word = &view->words.at[index];
    return (struct text){ view->norm.bytes + word->start, word->end - word->start };
}

size_t text_view_has(const struct text_view *view, enum phrase_set set)
{
    return view->sets[set];
}

/* ---- signs ---- */

static bool is_styled(uint32_t code)
{
    return (code >= 0x1D400 && code <= 0x1D7FF) || (code >= 0x24B6 && code <= 0x24E9) ||
           (code >= 0x1F130 && code <= 0x1F189);
}

/* A word that mixes Latin with look-alikes of another alphabet. Technical terms (kΩ, µs) have a
 * single letter of each. */
static bool is_mixed(const struct rune *from, size_t count)
{
    size_t latin = 0;
    size_t twins = 0;
    for (size_t i = 0; i < count; i++) {
        latin += ascii_is_letter(from[i].code);
        twins += is_twin_script(from[i].code) && char_confusable(from[i].code);
    }
    return latin > 0 && twins > 0 && latin + twins >= 3;
}

static void count_case(uint32_t code, struct text_signs *signs)
{
    bool is_upper = code < 0x80 ? ascii_is_upper(code)
                                : uc_is_general_category_withtable(code, UC_CATEGORY_MASK_Lu);
    bool is_lower = code < 0x80 ? ascii_is_lower(code)
                                : uc_is_general_category_withtable(code, UC_CATEGORY_MASK_Ll);
    signs->upper += is_upper;
    signs->letters += is_upper || is_lower;
}

void text_signs_of(const struct runes *runes, struct text_signs *signs)
{
    *signs = (struct text_signs){ 0 };
    for (size_t i = 0; i < runes->count; i++) {
        const struct rune *rune = &runes->at[i];
        uint32_t code = rune->code;
        count_case(code, signs);
        signs->exclamations += code == '!' || code == 0xFF01;
        if (code < 0x80)
            continue;
        signs->styled += is_styled(code);
        signs->overrides += code == 0x202D || code == 0x202E;
        signs->zero_width += is_joining(code) && code != SOFT_HYPHEN && i > 0 &&
                             i + 1 < runes->count && char_is_latin(rune[-1].code) &&
                             char_is_latin(rune[1].code);
    }
    for (size_t i = 0; i < runes->count;) {
        size_t end = i;
        while (end < runes->count && char_is_letter(runes->at[end].code))
            end++;
        signs->mixed_words += end > i && is_mixed(&runes->at[i], end - i);
        size_t emoji = end == i ? emoji_length(&runes->at[i], MIN(runes->count - i, 32U)) : 0;
        signs->emoji += emoji > 0;
        i = MAX(end, i + MAX(emoji, 1));
    }
}

/* ---- disguised words ---- */

static char letter_of_symbol(char byte)
{
    static const char signs[] = "013457@$!|";
    static const char letters[] = "oieastasii";
    const char *found = byte ? strchr(signs, byte) : NULL;
    return found ? letters[found - signs] : byte;
}

/* Letters on both sides of digits or symbols, or at least two letters: v1agra, c@sh, but not a1. */
static bool is_disguised(const struct spam_knowledge *knowledge, struct text chunk)
{
    char plain[CHUNK_MAX_BYTES];
    size_t letters = 0;
    size_t signs = 0;
    chunk = text_strip(chunk, "", "!|.,;:?");
    if (chunk.size < 4 || chunk.size > CHUNK_MAX_BYTES)
        return false;
    for (size_t i = 0; i < chunk.size; i++) {
        letters += ascii_is_letter(chunk.bytes[i]);
        plain[i] = letter_of_symbol(chunk.bytes[i]);
        signs += plain[i] != chunk.bytes[i];
    }
    return letters >= 2 && signs > 0 && letters + signs == chunk.size &&
           phrases_have_word(knowledge->phrases, (struct text){ plain, chunk.size }, SET_DISGUISE);
}

bool find_disguised(const struct spam_knowledge *knowledge, struct text norm, struct text *word)
{
    while (norm.size > 0) {
        size_t end = 0;
        while (end < norm.size && !ascii_is_space(norm.bytes[end]))
            end++;
        struct text chunk = { norm.bytes, end };
        if (is_disguised(knowledge, chunk)) {
            *word = chunk;
            return true;
        }
        norm = text_skip(norm, MAX(end, 1));
    }
    return false;
}

size_t gappy_run(struct text text)
{
    size_t best = 0;
    size_t run = 0;
    for (size_t i = 0; i < text.size; i++) {
        bool is_letter = ascii_is_letter(text.bytes[i]);
        bool is_alone =
            is_letter &&
            (i == 0 || strchr(" .-*_", text.bytes[i - 1]) || text.bytes[i - 1] == '\n') &&
            (i + 1 == text.size || strchr(" .-*_!?\n", text.bytes[i + 1]));
        if (is_alone) {
            run++;
            best = MAX(best, run);
            i += i + 1 < text.size && strchr(" .-*_", text.bytes[i + 1]) ? 1 : 0;
        } else {
            run = 0;
        }
    }
    return best;
}

size_t text_turns(struct text word)
{
    size_t turns = 0;
    for (size_t i = 0; i < word.size; i++) {
        bool is_digit = ascii_is_digit(word.bytes[i]);
        if (!is_digit && !ascii_is_lower(word.bytes[i]))
            return 0;
        turns += i > 0 && is_digit != ascii_is_digit(word.bytes[i - 1]);
    }
    return turns;
}
