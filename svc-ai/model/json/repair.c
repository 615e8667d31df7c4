/* svc-ai/model/json/repair.c - a lenient parser that writes strict JSON. */
#include "model/json/repair.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/text.h"
#include "text/json.h"

struct repairer {
    struct text text;
    size_t at;
    unsigned depth;
    bool is_cut;     /* the text ended inside a string or word, so the value is incomplete */
    bool has_no_end; /* the text ended inside anything */
    bool is_too_deep;
    struct buf *out;
};

static void repair_value(struct repairer *repairer);

/* strchr() would find the NUL, too. */
static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static bool is_over(const struct repairer *repairer)
{
    return repairer->at >= repairer->text.size;
}

static char current_byte(const struct repairer *repairer)
{
    return is_over(repairer) ? '\0' : repairer->text.bytes[repairer->at];
}

static bool begins_with(const struct repairer *repairer, const char *word)
{
    return text_begins(text_skip(repairer->text, repairer->at), word);
}

static void skip_to(struct repairer *repairer, const char *end)
{
    struct text rest = text_skip(repairer->text, repairer->at);
    const char *found = memmem(rest.bytes, rest.size, end, strlen(end));
    repairer->at =
        found ? (size_t)(found - repairer->text.bytes) + strlen(end) : repairer->text.size;
}

static void skip_blanks(struct repairer *repairer)
{
    for (;;) {
        if (!is_over(repairer) && ascii_is_space((unsigned char)current_byte(repairer)))
            repairer->at++;
        else if (begins_with(repairer, "\xC2\xA0")) /* no-break space */
            repairer->at += 2;
        else if (begins_with(repairer, "\xEF\xBB\xBF")) /* byte-order mark */
            repairer->at += 3;
        else if (begins_with(repairer, "/*"))
            skip_to(repairer, "*/");
        else if (begins_with(repairer, "//") || current_byte(repairer) == '#')
            skip_to(repairer, "\n");
        else
            return;
    }
}

/* ---- strings ---- */

/* What opens a string, and what may close it. */
static const struct quote {
    const char *open;
    const char *close;
    const char *other; /* a second closing quote */
} quotes[] = {
    { "\"", "\"", "\xE2\x80\x9D" },           { "'", "'", "\xE2\x80\x99" }, { "`", "`", "`" },
    { "\xE2\x80\x9C", "\xE2\x80\x9D", "\"" }, /* “ ” */
    { "\xE2\x80\x98", "\xE2\x80\x99", "'" },  /* ‘ ’ */
    { "\xC2\xAB", "\xC2\xBB", "\xC2\xBB" },   /* « » */
};

static const struct quote *quote_here(const struct repairer *repairer)
{
    for (size_t i = 0; i < countof(quotes); i++)
        if (begins_with(repairer, quotes[i].open))
            return &quotes[i];
    return NULL;
}

/* Bytes of the closing quote here, or 0. */
static size_t closing_here(const struct repairer *repairer, const struct quote *quote)
{
    if (begins_with(repairer, quote->close))
        return strlen(quote->close);
    return begins_with(repairer, quote->other) ? strlen(quote->other) : 0;
}

/* A quote closes a string only if something that may follow a string comes next. Otherwise it is
 * part of the string. */
static bool ends_string(const struct repairer *repairer, size_t quote_bytes)
{
    size_t at = repairer->at + quote_bytes;
    while (at < repairer->text.size && ascii_is_space((unsigned char)repairer->text.bytes[at]))
        at++;
    return at == repairer->text.size || is_one_of(repairer->text.bytes[at], ",:}]+=/#\"");
}

static void add_char(struct repairer *repairer, char c)
{
    if (c == '"' || c == '\\')
        buf_format(repairer->out, "\\%c", c);
    else if (c == '\n')
        buf_add_str(repairer->out, "\\n");
    else if ((unsigned char)c < 0x20)
        buf_format(repairer->out, "\\u%04x", (unsigned)c);
    else
        buf_add_byte(repairer->out, c);
}

/* Four hexadecimal digits at an offset, or -1. */
static int32_t unit_at(const struct repairer *repairer, size_t at)
{
    int32_t unit = 0;
    if (repairer->text.size < at + 4)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_digit(repairer->text.bytes[at + i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

/* After \u: a character, or a surrogate pair. A lone surrogate becomes U+FFFD. */
static void repair_unicode(struct repairer *repairer)
{
    int32_t unit = unit_at(repairer, repairer->at);
    if (unit < 0) {
        add_char(repairer, 'u');
        return;
    }
    repairer->at += 4;
    bool is_high = unit >= 0xD800 && unit < 0xDC00;
    int32_t low =
        is_high && begins_with(repairer, "\\u") ? unit_at(repairer, repairer->at + 2) : -1;
    if (low >= 0xDC00 && low < 0xE000) {
        repairer->at += 6;
        buf_format(repairer->out, "\\u%04x\\u%04x", (unsigned)unit, (unsigned)low);
    } else if (unit >= 0xD800 && unit < 0xE000) {
        buf_add_str(repairer->out, "\\ufffd");
    } else {
        buf_format(repairer->out, "\\u%04x", (unsigned)unit);
    }
}

static void repair_escape(struct repairer *repairer)
{
    repairer->at++;
    if (is_over(repairer))
        return;
    char c = current_byte(repairer);
    repairer->at++;
    if (c == 'u')
        repair_unicode(repairer);
    else if (is_one_of(c, "\"\\/bfnrt"))
        buf_format(repairer->out, "\\%c", c);
    else if (is_one_of(c, "'`\n"))
        add_char(repairer, c);
    else if ((unsigned char)c >= 0x80)
        repairer->at--; /* part of a character: ignore the backslash */
    else {
        buf_add_str(repairer->out, "\\\\"); /* a backslash as in the pattern \d */
        repairer->at--;
    }
}

/* The inside of a string up to its closing quote, which is skipped. */
static void repair_inside(struct repairer *repairer, const struct quote *quote)
{
    while (!is_over(repairer) && !repairer->out->full) {
        size_t bytes = closing_here(repairer, quote);
        if (bytes > 0 && ends_string(repairer, bytes)) {
            repairer->at += bytes;
            return;
        }
        if (current_byte(repairer) == '\\')
            repair_escape(repairer);
        else
            add_char(repairer, repairer->text.bytes[repairer->at++]);
    }
    repairer->is_cut = true;
}

/* Whether + and another string follow: "a" + "b" is one string. */
static bool is_concatenated(struct repairer *repairer)
{
    size_t before = repairer->at;
    skip_blanks(repairer);
    if (current_byte(repairer) == '+') {
        repairer->at++;
        skip_blanks(repairer);
        if (quote_here(repairer))
            return true;
    }
    repairer->at = before;
    return false;
}

static void repair_string(struct repairer *repairer)
{
    buf_add_byte(repairer->out, '"');
    do {
        const struct quote *quote = quote_here(repairer);
        repairer->at += strlen(quote->open);
        repair_inside(repairer, quote);
    } while (!repairer->is_cut && is_concatenated(repairer));
    buf_add_byte(repairer->out, '"');
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

static void add_word(struct repairer *repairer, struct text word)
{
    for (size_t i = 0; i < countof(words); i++)
        if (text_is_any_case(word, words[i].word)) {
            buf_add_str(repairer->out, words[i].json);
            return;
        }
    if (is_number(word)) {
        buf_add(repairer->out, word.bytes, word.size);
        return;
    }
    buf_add_byte(repairer->out, '"');
    for (size_t i = 0; i < word.size; i++)
        add_char(repairer, word.bytes[i]);
    buf_add_byte(repairer->out, '"');
}

/* A comment must follow a blank, so http:// and #1 are words. */
static bool is_comment_here(const struct repairer *repairer)
{
    return repairer->at > 0 &&
           ascii_is_space((unsigned char)repairer->text.bytes[repairer->at - 1]) &&
           (current_byte(repairer) == '#' || begins_with(repairer, "//") ||
            begins_with(repairer, "/*"));
}

/* Take a word up to a byte that ends it; a name also ends at its colon. */
static struct text take_word(struct repairer *repairer, const char *ends)
{
    size_t from = repairer->at;
    while (!is_over(repairer) && !is_one_of(current_byte(repairer), ends) &&
           !is_comment_here(repairer))
        repairer->at++;
    repairer->is_cut = repairer->is_cut || is_over(repairer);
    return text_trim((struct text){ repairer->text.bytes + from, repairer->at - from });
}

/* ---- containers ---- */

static void cut_back(struct repairer *repairer, size_t size)
{
    repairer->out->size = size;
    repairer->out->bytes[size] = '\0';
}

static void repair_name(struct repairer *repairer)
{
    if (quote_here(repairer)) {
        repair_string(repairer);
        return;
    }
    struct text word = take_word(repairer, ":=,{}[]\n");
    buf_add_byte(repairer->out, '"');
    for (size_t i = 0; i < word.size; i++)
        add_char(repairer, word.bytes[i]);
    buf_add_byte(repairer->out, '"');
}

static void skip_colon(struct repairer *repairer)
{
    skip_blanks(repairer);
    while (current_byte(repairer) == ':' || current_byte(repairer) == '=' ||
           current_byte(repairer) == '>') {
        repairer->at++;
        skip_blanks(repairer);
    }
}

static void repair_member(struct repairer *repairer)
{
    repair_name(repairer);
    skip_colon(repairer);
    buf_add_byte(repairer->out, ':');
    if (is_over(repairer))
        repairer->is_cut = true;
    else if (is_one_of(current_byte(repairer), ",}]"))
        buf_add_str(repairer->out, "null");
    else
        repair_value(repairer);
}

static void skip_commas(struct repairer *repairer)
{
    skip_blanks(repairer);
    while (current_byte(repairer) == ',' || current_byte(repairer) == ';') {
        repairer->at++;
        skip_blanks(repairer);
    }
}

/* From after the opening bracket up to and including the closing one. A closing bracket of the
 * other kind also closes, and stays for the enclosing container. */
static void repair_items(struct repairer *repairer, char close)
{
    bool is_first = true;
    buf_add_byte(repairer->out, close == '}' ? '{' : '[');
    for (;;) {
        skip_commas(repairer);
        repairer->has_no_end = repairer->has_no_end || is_over(repairer);
        if (is_over(repairer) || repairer->out->full || repairer->is_too_deep ||
            is_one_of(current_byte(repairer), "}]"))
            break;
        size_t before = repairer->out->size;
        size_t at = repairer->at;
        if (!is_first)
            buf_add_byte(repairer->out, ',');
        if (close == '}')
            repair_member(repairer);
        else
            repair_value(repairer);
        if (repairer->is_cut && !repairer->out->full) {
            cut_back(repairer, before);
            break;
        }
        if (repairer->at == at) /* skip a byte that starts nothing */
            repairer->at++;
        is_first = false;
    }
    if (current_byte(repairer) == close)
        repairer->at++;
    repairer->has_no_end = repairer->has_no_end || repairer->is_cut;
    repairer->is_cut = false; /* the incomplete value is removed; its container is complete */
    buf_add_byte(repairer->out, close);
}

static void repair_container(struct repairer *repairer)
{
    char close = current_byte(repairer) == '{' ? '}' : ']';
    repairer->at++;
    if (++repairer->depth > REPAIR_DEPTH)
        repairer->is_too_deep = true;
    else
        repair_items(repairer, close);
    repairer->depth--;
}

static void repair_value(struct repairer *repairer)
{
    skip_blanks(repairer);
    if (current_byte(repairer) == '{' || current_byte(repairer) == '[')
        repair_container(repairer);
    else if (quote_here(repairer))
        repair_string(repairer);
    else
        add_word(repairer, take_word(repairer, ",{}[]\n"));
}

bool repair_json(struct text text, size_t *end, struct buf *out, bool *is_cut)
{
    struct repairer repairer = { .text = text, .out = out };
    size_t before = out->size;
    repairer.out->full = false;
    repair_value(&repairer);
    if (repairer.is_too_deep || out->full) {
        if (out->bytes)
            cut_back(&repairer, before);
        return false;
    }
    *end = repairer.at;
    *is_cut = repairer.has_no_end || repairer.is_cut;
    return true;
}
