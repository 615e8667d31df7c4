/* svc-ai/model/json/repair-text.c - strings, words and numbers as models write them. */
#include "model/json/repair-text.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/num.h"
#include "base/text.h"
#include "text/json.h"

static bool is_over(const struct repairer *repairer)
{
    return repairer->at >= repairer->text.size;
}

static bool has_newline(const struct repairer *repairer, size_t from, size_t to)
{
    return from < to && memchr(repairer->text.bytes + from, '\n', to - from);
}

/* After the end of a container, which follows a string: what may come there. */
static bool may_end_container(const struct repairer *repairer, size_t at)
{
    size_t next = repairer_after_blanks(repairer, at);
    char c = repairer_byte(repairer, next);
    return repairer->depth <= 1 || repairer_is_one_of(c, ",;}]{\"'") ||
           repairer_is_close(repairer, c) || next >= repairer->text.size ||
           repairer_comma(repairer, next) || repairer_is_comment(repairer, next);
}

/* After a plus sign. */
static bool joins_string(const struct repairer *repairer, size_t at)
{
    at = repairer_after_blanks(repairer, at);
    return repairer_quote(repairer, at) > 0 || repairer_is_comment(repairer, at);
}

/* A quote closes a string only if what may follow a string comes next. Otherwise it is part of the
 * string. */
static bool ends_string(const struct repairer *repairer, size_t after, enum repair_place place)
{
    size_t next = repairer_after_blanks(repairer, after);
    size_t comma = repairer_comma(repairer, next);
    char c = repairer_byte(repairer, next);
    if (next >= repairer->text.size || repairer_is_comment(repairer, next) ||
        repairer_begins(repairer, next, "/*"))
        return true;
    if (place == IN_NAME)
        return repairer_colon(repairer, next) || c == '=' || repairer_is_value(repairer, next);
    if (c == '+')
        return joins_string(repairer, next + 1);
    if (repairer_is_close(repairer, c))
        return may_end_container(repairer, next + 1);
    bool is_semicolon = c == ';';
    if (place == IN_ARRAY)
        return comma ||
               repairer_is_value(repairer, repairer_after_blanks(repairer, next + is_semicolon));
    if (is_semicolon)
        comma = 1;
    if (!comma)
        return repairer_is_name(repairer, next);
    next = repairer_after_blanks(repairer, next + comma);
    return next >= repairer->text.size ||
           repairer_is_one_of(repairer_byte(repairer, next), "}],") ||
           repairer_is_comment(repairer, next) || repairer_begins(repairer, next, "/*") ||
           repairer_is_name(repairer, next);
}

/* ---- strings ---- */

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
        repairer_guess(repairer); /* which character it was is lost */
        return;
    }
    repairer->at += 4;
    bool is_high = unit >= 0xD800 && unit < 0xDC00;
    int32_t low = is_high && repairer_begins(repairer, repairer->at, "\\u")
                      ? unit_at(repairer, repairer->at + 2)
                      : -1;
    if (low >= 0xDC00 && low < 0xE000) {
        repairer->at += 6;
        buf_format(repairer->out, "\\u%04x\\u%04x", (unsigned)unit, (unsigned)low);
    } else if (unit >= 0xD800 && unit < 0xE000) {
        repairer_note(repairer, REPAIR_ESCAPE);
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
    char c = repairer->text.bytes[repairer->at++];
    if (c == 'u') {
        repair_unicode(repairer);
        return;
    }
    if (repairer_is_one_of(c, "\"\\/bfnrt")) {
        buf_format(repairer->out, "\\%c", c);
        return;
    }
    repairer_note(repairer, REPAIR_ESCAPE);
    if (repairer_is_one_of(c, "'`\n")) {
        add_char(repairer, c);
        return;
    }
    if ((unsigned char)c < 0x80)
        buf_add_str(repairer->out, "\\\\"); /* a backslash as in the pattern \d */
    repairer->at--;
}

/* The last byte before an offset that is not white space. */
static char byte_before(const struct repairer *repairer, size_t at)
{
    while (at > 0 && ascii_is_space((unsigned char)repairer->text.bytes[at - 1]))
        at--;
    return at > 0 ? repairer->text.bytes[at - 1] : '\0';
}

/* 24" is a size in inches. */
static bool follows_number(const struct repairer *repairer, size_t at)
{
    size_t start = at;
    while (start > 0 && ascii_is_digit((unsigned char)repairer->text.bytes[start - 1]))
        start--;
    return start < at && start > 0 && !repairer_is_word_byte(repairer->text.bytes[start - 1]) &&
           !repairer_is_one_of(repairer->text.bytes[start - 1], "\"'");
}

/* „word": the opening quote is German, Polish or Romanian. */
static bool follows_low_quote(const struct repairer *repairer, size_t at)
{
    size_t start = at - MIN(at, REPAIR_AHEAD_BYTES);
    struct text before = { repairer->text.bytes + start, at - start };
    const char *quote = memrchr(before.bytes, '"', before.size);
    if (quote)
        before = text_skip(before, (size_t)(quote - before.bytes));
    return text_has(before, "\xE2\x80\x9E") && !text_has(before, "\xE2\x80\x9C") &&
           !text_has(before, "\xE2\x80\x9D");
}

/* A quote that is part of the string. Next to a colon or
 * bracket it may be the end of another string. */
static void add_inner_quote(struct repairer *repairer, size_t bytes, enum repair_place place)
{
    const char *quote = repairer->text.bytes + repairer->at;
    size_t next = repairer_after_blanks(repairer, repairer->at + bytes);
    bool is_alone =
        follows_number(repairer, repairer->at) || follows_low_quote(repairer, repairer->at);
    if (*quote == '"') {
        repairer_note(repairer, REPAIR_INNER_QUOTE);
        repairer->inner_quotes += is_alone ? 2 : 1;
    }
    if (repairer_is_one_of(byte_before(repairer, repairer->at), ":[{") ||
        repairer_colon(repairer, next) || (place == IN_NAME && *quote == '"'))
        repairer_guess(repairer);
    for (size_t i = 0; i < bytes; i++)
        add_char(repairer, quote[i]);
    repairer->at += bytes;
}

/* The inside of a string up to its closing quote, which is skipped. */
static void repair_inside(struct repairer *repairer, const struct repairer_quotes *quote,
                          enum repair_place place)
{
    size_t inner = repairer->inner_quotes;
    while (!is_over(repairer) && !repairer->out->full) {
        char c = repairer->text.bytes[repairer->at];
        size_t bytes = repairer_closing(repairer, quote, repairer->at);
        if (bytes > 0 && ends_string(repairer, repairer->at + bytes, place)) {
            repairer->at += bytes;
            if ((repairer->inner_quotes - inner) % 2) /* one of them was meant as an end */
                repairer_guess(repairer);
            return;
        }
        if (bytes > 0) {
            add_inner_quote(repairer, bytes, place);
            continue;
        }
        if (c == '\\') {
            repair_escape(repairer);
            continue;
        }
        if ((unsigned char)c < 0x20)
            repairer_note(repairer, REPAIR_ESCAPE);
        add_char(repairer, c);
        repairer->at++;
    }
    repairer->repairs->is_cut = true;
}

/* Whether + and another string follow: "a" + "b" is one string. */
static bool is_concatenated(struct repairer *repairer)
{
    size_t plus = repairer_after_blanks(repairer, repairer->at);
    if (repairer_byte(repairer, plus) != '+' || !joins_string(repairer, plus + 1))
        return false;
    repairer_note(repairer, REPAIR_JOINED);
    repairer->at = plus + 1;
    repairer_skip_blanks(repairer);
    return repairer_quote(repairer, repairer->at) > 0;
}

void repair_string(struct repairer *repairer, enum repair_place place)
{
    buf_add_byte(repairer->out, '"');
    do {
        const struct repairer_quotes *quote = repairer_quotes_at(repairer, repairer->at);
        if (*quote->open != '"')
            repairer_note(repairer, REPAIR_QUOTE);
        repairer->at += strlen(quote->open);
        repair_inside(repairer, quote, place);
    } while (is_concatenated(repairer));
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

static bool is_between_digits(struct text text, size_t at)
{
    return at > 0 && at + 1 < text.size && ascii_is_digit((unsigned char)text.bytes[at - 1]) &&
           ascii_is_digit((unsigned char)text.bytes[at + 1]);
}

/* .5, 5., +5 and 1_000 as JSON writes them. Returns false for anything else. */
static bool fix_number(struct text word, struct buf *out)
{
    scoped(buf_free) struct buf fixed = BUF(REPAIR_AHEAD_BYTES);
    bool has_sign = word.size > 0 && repairer_is_one_of(word.bytes[0], "+-");
    struct text rest = text_skip(word, has_sign);
    if (rest.size == 0 || !(ascii_is_digit((unsigned char)rest.bytes[0]) || rest.bytes[0] == '.'))
        return false;
    if (has_sign && word.bytes[0] == '-')
        buf_add_byte(&fixed, '-');
    if (rest.bytes[0] == '.')
        buf_add_byte(&fixed, '0');
    for (size_t i = 0; i < rest.size; i++)
        if (rest.bytes[i] != '_' || !is_between_digits(rest, i))
            buf_add_byte(&fixed, rest.bytes[i]);
    if (rest.size > 1 && rest.bytes[rest.size - 1] == '.')
        buf_add_byte(&fixed, '0');
    return !fixed.full && is_number(buf_text(&fixed)) && buf_add(out, fixed.bytes, fixed.size);
}

static bool is_scalar(struct text word)
{
    for (size_t i = 0; i < countof(words); i++)
        if (text_is_any_case(word, words[i].word))
            return true;
    return is_number(word);
}

/* true, null, a number …: append it, and note how it was written. */
static bool add_scalar(struct repairer *repairer, struct text word)
{
    for (size_t i = 0; i < countof(words); i++)
        if (text_is_any_case(word, words[i].word)) {
            if (!text_is(word, words[i].json))
                repairer_note(repairer, REPAIR_WORD);
            return buf_add_str(repairer->out, words[i].json);
        }
    if (is_number(word))
        return buf_add(repairer->out, word.bytes, word.size);
    if (!fix_number(word, repairer->out))
        return false;
    repairer_note(repairer, REPAIR_NUMBER);
    return true;
}

/* Does text without quotes look like something else than a text? */
static bool is_doubtful(struct text text)
{
    size_t open = 0, groups = 0;
    bool has_only_digits = true;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        char next = i + 1 < text.size ? text.bytes[i + 1] : '\0';
        open += c == '(';
        if (c == '"' || c == '`' || (c == ')' && open-- == 0) || (c == ':' && next == ' '))
            return true;
        has_only_digits = has_only_digits &&
                          (ascii_is_digit((unsigned char)c) || repairer_is_one_of(c, " .'_-+eE"));
        groups += repairer_is_one_of(c, " '_");
    }
    bool is_unfinished = text.size > 0 && repairer_is_one_of(text.bytes[text.size - 1], "-+eE") &&
                         (text.size == 1 || ascii_is_digit((unsigned char)text.bytes[0])) &&
                         !repairer_is_one_of(text.bytes[0], "eE");
    return open > 0 || text_begins(text, "(") || text_begins(text, "...") ||
           text_begins(text, "\xE2\x80\xA6") ||
           (has_only_digits && (groups > 0 || is_unfinished)) || text_has(text, "\xE2\x80\x9C") ||
           text_has(text, "\xE2\x80\x9D");
}

static void add_bare(struct repairer *repairer, struct text word)
{
    repairer_note(repairer, REPAIR_QUOTE);
    if (is_doubtful(word))
        repairer_guess(repairer);
    buf_add_byte(repairer->out, '"');
    for (size_t i = 0; i < word.size; i++)
        add_char(repairer, word.bytes[i]);
    buf_add_byte(repairer->out, '"');
}

/* The size of the word at an offset: up to white space, a quote, a comment or a byte of structure.
 */
static size_t word_size(const struct repairer *repairer, size_t from)
{
    size_t at = from;
    while (at < repairer->text.size && !repairer_is_one_of(repairer->text.bytes[at], ",{}[]\n") &&
           !repairer_is_close(repairer, repairer->text.bytes[at]) &&
           repairer_comma(repairer, at) == 0 && !repairer_blank(repairer, at) &&
           !(repairer->text.bytes[at] == ';' && repairer_blank(repairer, at + 1)) &&
           !repairer_is_comment(repairer, at) &&
           !(at > from && (repairer_quote(repairer, at) || repairer_begins(repairer, at, "/*"))))
        at++;
    return at - from;
}

/* 1 250: groups of three digits may be one number. */
static bool may_be_thousands(const struct repairer *repairer, struct text word, size_t next)
{
    size_t digits = 0;
    while (ascii_is_digit((unsigned char)repairer_byte(repairer, next + digits)))
        digits++;
    return text_is_digits(word) && word.size <= 3 && digits == 3;
}

/* Whether the value ends at an offset, because the next thing begins there or on the next line. */
static bool ends_value(struct repairer *repairer, size_t after, enum repair_place place)
{
    size_t next = repairer_after_blanks(repairer, after);
    struct text value = { repairer->text.bytes + repairer->at, after - repairer->at };
    if (next >= repairer->text.size || has_newline(repairer, after, next) ||
        repairer_is_one_of(repairer_byte(repairer, next), ",;{}[])") ||
        repairer_comma(repairer, next) || repairer_is_comment(repairer, next) ||
        repairer_begins(repairer, next, "/*"))
        return true;
    if (place == IN_OBJECT)
        return next > after && repairer_is_name(repairer, next);
    if (may_be_thousands(repairer, value, next))
        repairer_guess(repairer);
    return is_scalar(value) && repairer_is_value(repairer, next);
}

/* ObjectId("1"): the argument is the value. */
static bool repair_call(struct repairer *repairer, enum repair_place place)
{
    size_t at = repairer->at;
    while (repairer_is_word_byte(repairer_byte(repairer, at)))
        at++;
    if (at == repairer->at || repairer_byte(repairer, at) != '(')
        return false;
    size_t quote = repairer_after_blanks(repairer, at + 1);
    size_t after = repairer_after_name(repairer, quote);
    size_t close = repairer_after_blanks(repairer, after);
    bool is_simple = after > quote && repairer_byte(repairer, close) == ')';
    if (!is_simple)
        return false;
    repairer_note(repairer, REPAIR_CALL);
    repairer->at = quote;
    struct text whole = repairer->text;
    repairer->text.size = after;
    if (repairer_quote(repairer, quote))
        repair_string(repairer, place);
    else
        repair_words(repairer, place);
    repairer->text = whole;
    if (repairer->at != after)
        repairer_guess(repairer);
    repairer->at = close + 1;
    return true;
}

void repair_words(struct repairer *repairer, enum repair_place place)
{
    size_t end = repairer->at;
    if (repair_call(repairer, place))
        return;
    do {
        end = repairer_after_blanks(repairer, end);
        end += word_size(repairer, end);
    } while (!ends_value(repairer, end, place));
    struct text value = { repairer->text.bytes + repairer->at, end - repairer->at };
    if (!add_scalar(repairer, value))
        add_bare(repairer, value);
    repairer->at = end;
}

void repair_bare_name(struct repairer *repairer)
{
    size_t from = repairer->at;
    while (!is_over(repairer) && !repairer_colon(repairer, repairer->at) &&
           !repairer_is_one_of(repairer->text.bytes[repairer->at], "=,{}[]\n") &&
           !repairer_quote(repairer, repairer->at))
        repairer->at++;
    struct text word = text_trim((struct text){ repairer->text.bytes + from, repairer->at - from });
    if (word.size == 0)
        repairer_guess(repairer);
    add_bare(repairer, word);
}
