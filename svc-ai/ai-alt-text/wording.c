/* svc-ai/ai-alt-text/wording.c - normalize alternative texts. */
#include "ai-alt-text/wording.h"

#include <string.h>
#include <unicase.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "facts/clean.h"

enum {
    LEAD_INS_MAX = 3, /* "Image: a photo of" */
    WORD_MIN = 4,     /* letters of the last word of a sentence, so "Dr." does not end one */
};

static const char *const lead_ins[] = {
#define LEAD_IN(words) words,
#include "ai-alt-text/lead-in.def"
};

static const char *const articles[] = { "a ",   "an ",  "the ", "ein ", "eine ",
                                        "das ", "une ", "un ",  "una ", "uma ",
                                        "um ",  "un'",  "een ", "ett ", "et " };

static const char *const labels[] = { "image:", "picture:", "photo:", "graphic:", "alt text:",
                                      "alt:",   "bild:",    "foto:",  "imagen:",  "imagem:" };

static const char *const suffixes[] = { ".png",  ".jpg",  ".jpeg", ".gif", ".webp",
                                        ".avif", ".heic", ".tiff", ".bmp", ".svg" };

/* ---- lead-ins ---- */

static size_t begins_with(struct text lower, const char *words)
{
    return text_begins(lower, words) ? strlen(words) : 0;
}

static size_t one_of(struct text lower, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (begins_with(lower, words[i]))
            return strlen(words[i]);
    return 0;
}

/* Bytes of a lead-in at the beginning, with the blank after it, unless it ends in an apostrophe. */
static size_t lead_in(struct text lower)
{
    for (size_t i = 0; i < countof(lead_ins); i++) {
        size_t bytes = begins_with(lower, lead_ins[i]);
        struct text rest = text_skip(lower, bytes);
        if (bytes > 0 && (text_begins(rest, " ") || text_begins(rest, ":") ||
                          text_begins(text_skip(lower, bytes - 1), "'") ||
                          (unsigned char)lower.bytes[bytes - 1] == 0x99))
            return bytes;
    }
    return 0;
}

/* Bytes of everything before the real text. The lower-case copy has the same offsets. */
static size_t needless_bytes(struct text lower)
{
    size_t label = one_of(lower, labels, countof(labels));
    if (label > 0)
        return label;
    size_t article = one_of(lower, articles, countof(articles));
    size_t bytes = lead_in(text_skip(lower, article));
    return bytes > 0 ? article + bytes : 0;
}

static struct text skip_signs(struct text text)
{
    while (text.size > 0 && strchr(" :-\"'", text.bytes[0]))
        text = text_skip(text, 1);
    return text;
}

static struct text without_lead_in(struct text words)
{
    for (size_t i = 0; i < LEAD_INS_MAX; i++) {
        scoped(buf_free) struct buf lower = BUF(4 * words.size + 16);
        clean_lower(words, &lower);
        size_t bytes = needless_bytes(buf_text(&lower));
        if (bytes == 0 || bytes > words.size)
            break;
        words = skip_signs(text_skip(words, bytes));
    }
    return words;
}

/* ---- file names ---- */

static bool is_file_name(struct text word)
{
    while (word.size > 0 && strchr(".,;:!?)\"'", word.bytes[word.size - 1]))
        word.size--;
    for (size_t i = 0; i < countof(suffixes); i++) {
        size_t bytes = strlen(suffixes[i]);
        if (word.size > bytes && text_is_any_case(text_skip(word, word.size - bytes), suffixes[i]))
            return true;
    }
    return false;
}

static void add_without_file_names(struct text words, struct buf *out)
{
    while (words.size > 0) {
        struct text word = text_cut(&words, ' ');
        if (word.size == 0 || is_file_name(word))
            continue;
        if (out->size > 0)
            buf_add_byte(out, ' ');
        buf_add(out, word.bytes, word.size);
    }
}

/* ---- one sentence ---- */

static bool ends_word(struct text text, size_t at)
{
    size_t letters = 0;
    while (letters < at && text.bytes[at - letters - 1] != ' ')
        letters++;
    return letters >= WORD_MIN;
}

/* Bytes of the first sentence, with its final punctuation. */
static size_t sentence_bytes(struct text text)
{
    static const char ideographic_stop[] = "。";
    for (size_t i = 0; i < text.size; i++) {
        struct text rest = text_skip(text, i);
        if (text_begins(rest, ideographic_stop))
            return i + strlen(ideographic_stop);
        bool is_end = strchr("!?", text.bytes[i]) || (text.bytes[i] == '.' && ends_word(text, i));
        if (is_end && i + 2 < text.size && text.bytes[i + 1] == ' ' &&
            !ascii_is_lower(text.bytes[i + 2]))
            return i + 1;
    }
    return text.size;
}

static struct text without_ellipsis(struct text text)
{
    static const char ellipsis[] = "…";
    size_t bytes = strlen(ellipsis);
    for (;;) {
        if (text.size >= bytes && text_is(text_skip(text, text.size - bytes), ellipsis))
            text.size -= bytes;
        else if (text.size >= 2 && text_is(text_skip(text, text.size - 2), ".."))
            text.size =
                text.size > 2 && text.bytes[text.size - 3] == '.' ? text.size - 3 : text.size - 2;
        else
            return text_trim(text);
    }
}

/* ---- all ---- */

static void add_capitalized(struct text text, bool is_capital, struct buf *out)
{
    size_t bytes = 0;
    size_t size = 0;
    if (text.size > 0)
        utf8_next(text, &bytes);
    scoped(mem_free) uint8_t *first =
        is_capital && bytes > 0
            ? u8_totitle((const uint8_t *)text.bytes, bytes, NULL, NULL, NULL, &size)
            : NULL;
    if (first) {
        buf_add(out, first, size);
        text = text_skip(text, bytes);
    }
    buf_add(out, text.bytes, text.size);
}

void wording_alt(struct text words, size_t max_points, struct buf *out)
{
    scoped(buf_free) struct buf line = BUF(4 * words.size + 64);
    scoped(buf_free) struct buf named = BUF(4 * words.size + 64);
    scoped(buf_free) struct buf whole = BUF(4 * words.size + 64);

    clean_text(words, CLEAN_SHOWN | CLEAN_LINE, &line);
    add_without_file_names(buf_text(&line), &named);
    struct text text = buf_text(&named);
    struct text rest = without_lead_in(text);
    rest.size = sentence_bytes(rest);
    rest = without_ellipsis(rest);
    add_capitalized(
        rest, rest.bytes != text.bytes && !ascii_is_lower(text.size ? text.bytes[0] : 0), &whole);
    clean_cut(&whole, max_points, "");
    buf_add(out, whole.bytes, whole.size);
}
