/* svc-ai/model/json/mend.c - a parser that forgives, and writes strict JSON as it goes. */
#include "model/json/mend.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/text.h"
#include "text/json.h"

struct mender {
    struct text text;
    size_t at;
    unsigned depth;
    bool is_cut; /* the text ended inside a string or word: what holds it is not whole */
    bool is_too_deep;
    struct buf *out;
};

static void mend_value(struct mender *mender);

/* strchr() finds the NUL, too. */
static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static bool is_over(const struct mender *mender)
{
    return mender->at >= mender->text.size;
}

static char here(const struct mender *mender)
{
    return is_over(mender) ? '\0' : mender->text.bytes[mender->at];
}

static bool begins(const struct mender *mender, const char *word)
{
    return text_begins(text_skip(mender->text, mender->at), word);
}

static void skip_to(struct mender *mender, const char *end)
{
    struct text rest = text_skip(mender->text, mender->at);
    const char *found = memmem(rest.bytes, rest.size, end, strlen(end));
    mender->at = found ? (size_t)(found - mender->text.bytes) + strlen(end) : mender->text.size;
}

static void skip_blanks(struct mender *mender)
{
    for (;;) {
        if (!is_over(mender) && ascii_is_space((unsigned char)here(mender)))
            mender->at++;
        else if (begins(mender, "\xC2\xA0")) /* no-break space */
            mender->at += 2;
        else if (begins(mender, "\xEF\xBB\xBF")) /* byte-order mark */
            mender->at += 3;
        else if (begins(mender, "/*"))
            skip_to(mender, "*/");
        else if (begins(mender, "//") || here(mender) == '#')
            skip_to(mender, "\n");
        else
            return;
    }
}

/* ---- strings ---- */

/* What opens a string, and what may end it. */
static const struct quote {
    const char *open;
    const char *close;
    const char *other; /* likewise */
} quotes[] = {
    { "\"", "\"", "\xE2\x80\x9D" },           { "'", "'", "\xE2\x80\x99" }, { "`", "`", "`" },
    { "\xE2\x80\x9C", "\xE2\x80\x9D", "\"" }, /* “ ” */
    { "\xE2\x80\x98", "\xE2\x80\x99", "'" },  /* ‘ ’ */
    { "\xC2\xAB", "\xC2\xBB", "\xC2\xBB" },   /* « » */
};

static const struct quote *quote_here(const struct mender *mender)
{
    for (size_t i = 0; i < countof(quotes); i++)
        if (begins(mender, quotes[i].open))
            return &quotes[i];
    return NULL;
}

/* Bytes of the closing quote here; 0 when there is none. */
static size_t closing_here(const struct mender *mender, const struct quote *quote)
{
    if (begins(mender, quote->close))
        return strlen(quote->close);
    return begins(mender, quote->other) ? strlen(quote->other) : 0;
}

/* A quote ends a string only where something can follow it; else it is a quote within. */
static bool ends_string(const struct mender *mender, size_t quote_bytes)
{
    size_t at = mender->at + quote_bytes;
    while (at < mender->text.size && ascii_is_space((unsigned char)mender->text.bytes[at]))
        at++;
    return at == mender->text.size || is_one_of(mender->text.bytes[at], ",:}]+=/#\"");
}

static void add_char(struct mender *mender, char c)
{
    if (c == '"' || c == '\\')
        buf_format(mender->out, "\\%c", c);
    else if (c == '\n')
        buf_add_str(mender->out, "\\n");
    else if ((unsigned char)c < 0x20)
        buf_format(mender->out, "\\u%04x", (unsigned)c);
    else
        buf_add_byte(mender->out, c);
}

/* Four hexadecimal digits at an offset; -1 when they are none. */
static int32_t unit_at(const struct mender *mender, size_t at)
{
    int32_t unit = 0;
    if (mender->text.size < at + 4)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_digit(mender->text.bytes[at + i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

/* Behind \u: a character, or the two halves of one. What is half of one alone is U+FFFD. */
static void mend_unicode(struct mender *mender)
{
    int32_t unit = unit_at(mender, mender->at);
    if (unit < 0) {
        add_char(mender, 'u');
        return;
    }
    mender->at += 4;
    bool is_high = unit >= 0xD800 && unit < 0xDC00;
    int32_t low = is_high && begins(mender, "\\u") ? unit_at(mender, mender->at + 2) : -1;
    if (low >= 0xDC00 && low < 0xE000) {
        mender->at += 6;
        buf_format(mender->out, "\\u%04x\\u%04x", (unsigned)unit, (unsigned)low);
    } else if (unit >= 0xD800 && unit < 0xE000) {
        buf_add_str(mender->out, "\\ufffd");
    } else {
        buf_format(mender->out, "\\u%04x", (unsigned)unit);
    }
}

static void mend_escape(struct mender *mender)
{
    mender->at++;
    if (is_over(mender))
        return;
    char c = here(mender);
    mender->at++;
    if (c == 'u')
        mend_unicode(mender);
    else if (is_one_of(c, "\"\\/bfnrt"))
        buf_format(mender->out, "\\%c", c);
    else if (is_one_of(c, "'`\n"))
        add_char(mender, c);
    else if ((unsigned char)c >= 0x80)
        mender->at--; /* part of a character: as if there were no backslash */
    else {
        buf_add_str(mender->out, "\\\\"); /* of \d, as in a pattern */
        mender->at--;
    }
}

/* The inside of one string up to its end, which is skipped. */
static void mend_inside(struct mender *mender, const struct quote *quote)
{
    while (!is_over(mender) && !mender->out->full) {
        size_t bytes = closing_here(mender, quote);
        if (bytes > 0 && ends_string(mender, bytes)) {
            mender->at += bytes;
            return;
        }
        if (here(mender) == '\\')
            mend_escape(mender);
        else
            add_char(mender, mender->text.bytes[mender->at++]);
    }
    mender->is_cut = true;
}

/* "a" + "b" is one string. */
static bool goes_on(struct mender *mender)
{
    size_t before = mender->at;
    skip_blanks(mender);
    if (here(mender) == '+') {
        mender->at++;
        skip_blanks(mender);
        if (quote_here(mender))
            return true;
    }
    mender->at = before;
    return false;
}

static void mend_string(struct mender *mender)
{
    buf_add_byte(mender->out, '"');
    do {
        const struct quote *quote = quote_here(mender);
        mender->at += strlen(quote->open);
        mend_inside(mender, quote);
    } while (!mender->is_cut && goes_on(mender));
    buf_add_byte(mender->out, '"');
}

/* ---- words and numbers ---- */

/* clang-format off */
static const struct {
    const char *word;
    const char *json;
} words[] = {
    { "true", "true" }, { "false", "false" },
    { "null", "null" }, { "none", "null" }, { "nil", "null" }, { "undefined", "null" }, { "nan", "null" },
    { "infinity", "null" }, { "-infinity", "null" },
};
/* clang-format on */

static bool is_number(struct text word)
{
    bool looks_so =
        word.size > 0 && (ascii_is_digit((unsigned char)word.bytes[0]) || word.bytes[0] == '-');
    return looks_so && json_check(word, 1, NULL);
}

static void add_word(struct mender *mender, struct text word)
{
    for (size_t i = 0; i < countof(words); i++)
        if (text_is_any_case(word, words[i].word)) {
            buf_add_str(mender->out, words[i].json);
            return;
        }
    if (is_number(word)) {
        buf_add(mender->out, word.bytes, word.size);
        return;
    }
    buf_add_byte(mender->out, '"');
    for (size_t i = 0; i < word.size; i++)
        add_char(mender, word.bytes[i]);
    buf_add_byte(mender->out, '"');
}

/* Behind a blank it is one; else it is part of a word, as in http:// or #1. */
static bool is_comment_here(const struct mender *mender)
{
    return mender->at > 0 && ascii_is_space((unsigned char)mender->text.bytes[mender->at - 1]) &&
           (here(mender) == '#' || begins(mender, "//") || begins(mender, "/*"));
}

/* Up to what cannot be in it; a name ends at its colon, too. */
static struct text take_word(struct mender *mender, const char *ends)
{
    size_t from = mender->at;
    while (!is_over(mender) && !is_one_of(here(mender), ends) && !is_comment_here(mender))
        mender->at++;
    mender->is_cut = mender->is_cut || is_over(mender);
    return text_trim((struct text){ mender->text.bytes + from, mender->at - from });
}

/* ---- containers ---- */

static void cut_back(struct mender *mender, size_t size)
{
    mender->out->size = size;
    mender->out->bytes[size] = '\0';
}

static void mend_name(struct mender *mender)
{
    if (quote_here(mender)) {
        mend_string(mender);
        return;
    }
    struct text word = take_word(mender, ":=,{}[]\n");
    buf_add_byte(mender->out, '"');
    for (size_t i = 0; i < word.size; i++)
        add_char(mender, word.bytes[i]);
    buf_add_byte(mender->out, '"');
}

static void skip_colon(struct mender *mender)
{
    skip_blanks(mender);
    while (here(mender) == ':' || here(mender) == '=' || here(mender) == '>') {
        mender->at++;
        skip_blanks(mender);
    }
}

static void mend_member(struct mender *mender)
{
    mend_name(mender);
    skip_colon(mender);
    buf_add_byte(mender->out, ':');
    if (is_over(mender))
        mender->is_cut = true;
    else if (is_one_of(here(mender), ",}]"))
        buf_add_str(mender->out, "null");
    else
        mend_value(mender);
}

static void skip_commas(struct mender *mender)
{
    skip_blanks(mender);
    while (here(mender) == ',' || here(mender) == ';') {
        mender->at++;
        skip_blanks(mender);
    }
}

/* Behind the opening bracket, up to and with the closing one. A bracket of the other kind closes,
 * too, and is left to whom it belongs. */
static void mend_items(struct mender *mender, char close)
{
    bool is_first = true;
    buf_add_byte(mender->out, close == '}' ? '{' : '[');
    for (;;) {
        skip_commas(mender);
        if (is_over(mender) || mender->out->full || mender->is_too_deep ||
            is_one_of(here(mender), "}]"))
            break;
        size_t before = mender->out->size;
        size_t at = mender->at;
        if (!is_first)
            buf_add_byte(mender->out, ',');
        if (close == '}')
            mend_member(mender);
        else
            mend_value(mender);
        if (mender->is_cut && !mender->out->full) {
            cut_back(mender, before);
            break;
        }
        if (mender->at == at) /* a byte that is nothing */
            mender->at++;
        is_first = false;
    }
    if (here(mender) == close)
        mender->at++;
    mender->is_cut = false; /* what was cut is gone; what holds it is whole */
    buf_add_byte(mender->out, close);
}

static void mend_container(struct mender *mender)
{
    char close = here(mender) == '{' ? '}' : ']';
    mender->at++;
    if (++mender->depth > MEND_DEPTH)
        mender->is_too_deep = true;
    else
        mend_items(mender, close);
    mender->depth--;
}

static void mend_value(struct mender *mender)
{
    skip_blanks(mender);
    if (here(mender) == '{' || here(mender) == '[')
        mend_container(mender);
    else if (quote_here(mender))
        mend_string(mender);
    else
        add_word(mender, take_word(mender, ",{}[]\n"));
}

bool mend_json(struct text text, size_t *end, struct buf *out)
{
    struct mender mender = { .text = text, .out = out };
    size_t before = out->size;
    mender.out->full = false;
    mend_value(&mender);
    if (mender.is_too_deep || out->full) {
        if (out->bytes)
            cut_back(&mender, before);
        return false;
    }
    *end = mender.at;
    return true;
}
