/* svc-email/message/encoded-word.c */
#include "message/encoded-word.h"

#include <string.h>

#include "base/codec/utf8.h"
#include "message/transfer.h"
#include "probe/page-charset.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

enum {
    CHARSET_MAX_BYTES = 40,
};

void charset_decode(struct text bytes, struct text label, struct buf *out)
{
    const char *charset = page_charset_of(label);
    if (!charset)
        charset = utf8_is_valid(bytes) ? "utf-8" : "windows-1252";
    page_charset_decode(bytes, charset, out);
}

struct word {
    struct text charset; /* without the language */
    bool is_base64;
    struct text encoded;
    size_t bytes; /* the whole encoded word */
};

/* Read the encoded word at the beginning of the text. Each part ends at the next question mark, so
 * searching from every offset of a text is linear. */
static bool read_word(struct text text, struct word *word)
{
    if (!text_begins(text, "=?"))
        return false;
    struct text rest = text_skip(text, 2);
    size_t end = 0;
    while (end < rest.size && end <= CHARSET_MAX_BYTES && rest.bytes[end] != '?')
        end++;
    if (end == 0 || rest.size < end + 3 || rest.bytes[end] != '?' || rest.bytes[end + 2] != '?')
        return false;
    word->charset = (struct text){ rest.bytes, end };
    const char *language = memchr(rest.bytes, '*', end);
    if (language)
        word->charset.size = (size_t)(language - rest.bytes);
    char encoding = rest.bytes[end + 1];
    word->is_base64 = encoding == 'B' || encoding == 'b';
    if (!word->is_base64 && encoding != 'Q' && encoding != 'q')
        return false;
    rest = text_skip(rest, end + 3);
    const char *mark = memchr(rest.bytes, '?', rest.size);
    if (!mark || mark + 1 == rest.bytes + rest.size || mark[1] != '=')
        return false;
    word->encoded = (struct text){ rest.bytes, (size_t)(mark - rest.bytes) };
    word->bytes = (size_t)(mark + 2 - text.bytes);
    return true;
}

/* ---- display ---- */

static bool is_trick(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
           code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

struct shown {
    struct buf *out;
    size_t chars;
    struct word_faults *faults;
};

/* Add valid UTF-8. Tabs become blanks. */
static void add_shown(struct shown *shown, struct text utf8)
{
    size_t bytes;
    for (; utf8.size > 0 && shown->chars < DISPLAY_MAX_CHARS; utf8 = text_skip(utf8, bytes)) {
        uint32_t code = utf8_next(utf8, &bytes);
        if (code == '\t')
            buf_add_byte(shown->out, ' ');
        else if (is_trick(code))
            buf_add_str(shown->out, REPLACEMENT);
        else
            buf_add(shown->out, utf8.bytes, bytes);
        shown->faults->has_control |= code != '\t' && is_trick(code);
        shown->chars++;
    }
}

/* Add bytes that no word encodes: UTF-8, or any bytes in a raw message. */
static void show_plain(struct shown *shown, struct text plain)
{
    scoped(buf_free) struct buf utf8 = BUF(3 * plain.size + 1);
    if (utf8_valid_bytes(plain) == plain.size) {
        add_shown(shown, plain);
        return;
    }
    charset_decode(plain, (struct text){ "", 0 }, &utf8);
    add_shown(shown, buf_text(&utf8));
}

/* ---- decode ---- */

/* The joined bytes of neighbors with one charset. */
struct pending {
    struct text charset;
    struct buf bytes;
};

static void flush_pending(struct pending *pending, struct shown *shown)
{
    struct text bytes = buf_text(&pending->bytes);
    scoped(buf_free) struct buf utf8 = BUF(4 * bytes.size + 16);
    if (bytes.size > 0) {
        /* page_charset_decode() replaces NUL by U+FFFD, so it counts as a control */
        shown->faults->has_control |= memchr(bytes.bytes, '\0', bytes.size) != NULL;
        charset_decode(bytes, pending->charset, &utf8);
        add_shown(shown, buf_text(&utf8));
    }
    buf_clear(&pending->bytes);
}

/* Whether another converter may be opened. */
static bool may_convert(struct text charset, struct word_faults *faults)
{
    return text_is_any_case(charset, "utf-8") || faults->conversions++ < WORD_CONVERSIONS_MAX;
}

static bool same_charset(struct text a, struct text b)
{
    return a.size == b.size && strncasecmp(a.bytes, b.bytes, a.size) == 0;
}

/* Append one decoded word to pending. Returns false if its encoding is invalid. */
static bool add_word(const struct word *word, struct pending *pending, struct shown *shown)
{
    scoped(buf_free) struct buf bytes = BUF(word->encoded.size + 1);
    bool is_right = word->is_base64 ? transfer_base64(word->encoded, &bytes)
                                    : transfer_quoted(word->encoded, true, &bytes);
    bool is_same = pending->bytes.size > 0 && same_charset(word->charset, pending->charset);
    if (!is_right || (!is_same && !may_convert(word->charset, shown->faults)))
        return false;
    if (!is_same)
        flush_pending(pending, shown);
    pending->charset = word->charset;
    buf_add(&pending->bytes, bytes.bytes, bytes.size);
    return true;
}

static size_t blank_bytes(struct text text)
{
    size_t count = 0;
    while (count < text.size && (text.bytes[count] == ' ' || text.bytes[count] == '\t'))
        count++;
    return count;
}

/* Bytes before the next possible word. */
static size_t plain_bytes(struct text text)
{
    const char *next = memmem(text.bytes + 1, text.size - 1, "=?", 2);
    return next ? (size_t)(next - text.bytes) : text.size;
}

void words_decode(struct text value, struct buf *out, struct word_faults *faults)
{
    struct shown shown = { .out = out, .faults = faults };
    struct pending pending = { .bytes = BUF(value.size + 1) };
    bool follows_word = false;

    while (value.size > 0 && shown.chars < DISPLAY_MAX_CHARS) {
        struct word word;
        size_t gap = follows_word ? blank_bytes(value) : 0;
        if (read_word(text_skip(value, gap), &word) && add_word(&word, &pending, &shown)) {
            value = text_skip(value, gap + word.bytes);
            follows_word = true;
            continue;
        }
        faults->has_bad_word |= text_begins(value, "=?");
        flush_pending(&pending, &shown);
        size_t plain = plain_bytes(value);
        show_plain(&shown, (struct text){ value.bytes, plain });
        value = text_skip(value, plain);
        follows_word = false;
    }
    flush_pending(&pending, &shown);
    buf_free(&pending.bytes);
}
