/* svc-security/seo-analyze/survey/words.c - split text of any script into words. */
#include <unicase.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "survey.h"
#include "text/names.h"

enum { GENERIC_BYTES = 80 /* longer than any generic text */ };

static const char *const generic_texts[] = {
#include "link-text.def"
};

/* Role of a code point in word counts. */
enum letter { LETTER_NONE, LETTER_BLANK, LETTER_WORD, LETTER_ALONE };

static enum letter letter_of(uint32_t code)
{
    if (code == ' ' || (code >= 0x09 && code <= 0x0D) || code == 0xA0 || code == 0x3000 ||
        (code >= 0x2000 && code <= 0x200B))
        return LETTER_BLANK;
    if ((code >= 0x2E80 && code <= 0x2FDF) || (code >= 0x3040 && code <= 0x30FF) ||
        (code >= 0x3400 && code <= 0x9FFF) || (code >= 0xF900 && code <= 0xFAFF) ||
        (code >= 0x20000 && code <= 0x3FFFF) || (code >= 0x0E00 && code <= 0x0EFF))
        return LETTER_ALONE;
    bool is_ascii_word =
        (code >= '0' && code <= '9') || ((code | 0x20) >= 'a' && (code | 0x20) <= 'z');
    bool is_sign = (code >= 0xA1 && code <= 0xBF) || (code >= 0x2010 && code <= 0x2BFF) ||
                   (code >= 0x3001 && code <= 0x303F);
    return is_ascii_word || (code > 0x7F && !is_sign) ? LETTER_WORD : LETTER_NONE;
}

size_t survey_count_words(struct text text)
{
    size_t words = 0;
    size_t alone = 0;
    bool in_word = false;
    while (text.size > 0) {
        size_t bytes;
        enum letter letter = letter_of(utf8_next(text, &bytes));
        words += letter == LETTER_WORD && !in_word;
        alone += letter == LETTER_ALONE;
        if (letter != LETTER_NONE)
            in_word = letter == LETTER_WORD;
        text = text_skip(text, bytes);
    }
    return words + (alone + 1) / 2;
}

bool survey_is_blank(struct text text)
{
    size_t bytes;
    while (text.size > 0 && letter_of(utf8_next(text, &bytes)) == LETTER_BLANK)
        text = text_skip(text, bytes);
    return text.size == 0;
}

/* ---- generic texts ---- */

/* Append the words in lower case, separated by one space, without punctuation at both ends. */
static void add_plain(struct text text, struct buf *out)
{
    size_t end = 0; /* end of the last letter */
    bool is_parted = false;
    while (text.size > 0) {
        size_t bytes;
        enum letter letter = letter_of(utf8_next(text, &bytes));
        is_parted |= letter == LETTER_BLANK;
        if (letter != LETTER_BLANK && (out->size > 0 || letter != LETTER_NONE)) {
            if (is_parted && out->size > 0)
                buf_add_byte(out, ' ');
            is_parted = false;
            buf_add(out, text.bytes, bytes);
            if (letter != LETTER_NONE)
                end = out->size;
        }
        text = text_skip(text, bytes);
    }
    out->size = end;
}

/* The text in lower case; *size is its length. The caller calls free(). */
static uint8_t *lower_case(struct text text, size_t *size)
{
    return u8_tolower((const uint8_t *)text.bytes, text.size, NULL, NULL, NULL, size);
}

bool survey_is_generic(struct text text)
{
    scoped(buf_free) struct buf plain = BUF(GENERIC_BYTES);
    size_t size = 0;
    add_plain(text, &plain);
    if (plain.full || plain.size == 0)
        return false;
    scoped(mem_free) uint8_t *lower = lower_case(buf_text(&plain), &size);
    for (size_t i = 0; i < countof(generic_texts) && lower; i++)
        if (text_is((struct text){ (const char *)lower, size }, generic_texts[i]))
            return true;
    return false;
}

/* ---- the title's words ---- */

/* Cut the next run of letters off *text. Returns false at the end. */
static bool next_word(struct text *text, struct text *word)
{
    size_t bytes;
    while (text->size > 0 && letter_of(utf8_next(*text, &bytes)) <= LETTER_BLANK)
        *text = text_skip(*text, bytes);
    *word = (struct text){ text->bytes, 0 };
    while (text->size > 0 && letter_of(utf8_next(*text, &bytes)) > LETTER_BLANK) {
        *text = text_skip(*text, bytes);
        word->size += bytes;
    }
    return word->size > 0;
}

void survey_match_title(const struct survey *survey, size_t *words, size_t *matched)
{
    scoped(names_free) struct names names = { 0 };
    size_t title_size = 0;
    size_t page_size = 0;
    scoped(mem_free) uint8_t *title = lower_case(text_of(survey->title), &title_size);
    scoped(mem_free) uint8_t *page = lower_case(buf_text(&survey->words), &page_size);
    struct text rest = { (const char *)page, page ? page_size : 0 };
    struct text word;
    uint32_t index;

    while (next_word(&rest, &word))
        (void)names_add(&names, 0, word);
    *words = *matched = 0;
    rest = (struct text){ (const char *)title, title ? title_size : 0 };
    while (next_word(&rest, &word)) {
        ++*words;
        *matched += names_find(&names, word, &index);
    }
}
