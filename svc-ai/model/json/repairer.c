/* svc-ai/model/json/repairer.c - what is at an offset, and what was repaired. */
#include "model/json/repairer.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/text.h"
#include "base/writing/chars.h"

void repairer_note(struct repairer *repairer, enum repair_kind kind)
{
    repairs_add(repairer->repairs, kind, buf_text(&repairer->path));
}

void repairer_guess(struct repairer *repairer)
{
    repairer->repairs->is_guess = true;
}

/* ---- the text at an offset ---- */

bool repairer_is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

bool repairer_is_close(const struct repairer *repairer, char c)
{
    bool is_in_tuple = repairer->depth > 0 && repairer->close[repairer->depth - 1] == ')';
    return c == '}' || c == ']' || (c == ')' && is_in_tuple);
}

bool repairer_is_word_byte(char c)
{
    return ascii_is_alnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

char repairer_byte(const struct repairer *repairer, size_t at)
{
    return at < repairer->text.size ? repairer->text.bytes[at] : '\0';
}

bool repairer_begins(const struct repairer *repairer, size_t at, const char *word)
{
    return at < repairer->text.size && repairer->text.bytes[at] == *word &&
           text_begins(text_skip(repairer->text, at), word);
}

size_t repairer_blank(const struct repairer *repairer, size_t at)
{
    size_t bytes;
    unsigned char c = (unsigned char)repairer_byte(repairer, at);
    if (c < 0x80)
        return ascii_is_space(c);
    uint32_t code = utf8_next(text_skip(repairer->text, at), &bytes);
    bool is_blank = char_is_space(code) || code == 0xFEFF || code == 0x180E || code == 0x200B;
    return is_blank ? bytes : 0;
}

size_t repairer_after_blanks(const struct repairer *repairer, size_t at)
{
    for (size_t bytes; (bytes = repairer_blank(repairer, at)) > 0;)
        at += bytes;
    return at;
}

size_t repairer_comma(const struct repairer *repairer, size_t at)
{
    return repairer_byte(repairer, at) == ','              ? 1
           : repairer_begins(repairer, at, "\xEF\xBC\x8C") ? 3 /* ， */
                                                           : 0;
}

size_t repairer_colon(const struct repairer *repairer, size_t at)
{
    return repairer_byte(repairer, at) == ':'              ? 1
           : repairer_begins(repairer, at, "\xEF\xBC\x9A") ? 3 /* ： */
                                                           : 0;
}

bool repairer_is_comment(const struct repairer *repairer, size_t at)
{
    bool may_be = at == 0 || ascii_is_space((unsigned char)repairer->text.bytes[at - 1]) ||
                  repairer_is_one_of(repairer->text.bytes[at - 1], ",{}[]");
    return may_be && (repairer_byte(repairer, at) == '#' || repairer_begins(repairer, at, "//") ||
                      repairer_begins(repairer, at, "/*"));
}

static void skip_to(struct repairer *repairer, const char *end)
{
    struct text rest = text_skip(repairer->text, repairer->at);
    const char *found = memmem(rest.bytes, rest.size, end, strlen(end));
    repairer->at =
        found ? (size_t)(found - repairer->text.bytes) + strlen(end) : repairer->text.size;
}

void repairer_skip_blanks(struct repairer *repairer)
{
    for (size_t bytes;;) {
        if (repairer_begins(repairer, repairer->at, "/*")) {
            skip_to(repairer, "*/");
            repairer_note(repairer, REPAIR_COMMENT);
        } else if (repairer_begins(repairer, repairer->at, "//") ||
                   repairer_byte(repairer, repairer->at) == '#') {
            skip_to(repairer, "\n");
            repairer_note(repairer, REPAIR_COMMENT);
        } else if ((bytes = repairer_blank(repairer, repairer->at)) > 0) {
            if (bytes > 1)
                repairer_note(repairer, REPAIR_BLANK);
            repairer->at += bytes;
        } else {
            return;
        }
    }
}

/* ---- quotes ---- */

static const struct repairer_quotes quotes[] = {
    { "\"", { "\"", "\xE2\x80\x9D" } },
    { "'", { "'", "\xE2\x80\x99" } },
    { "`", { "`", "\xC2\xB4", "'" } },
    { "\xE2\x80\x9C", { "\xE2\x80\x9D", "\"" } }, /* “ ” */
    { "\xE2\x80\x98", { "\xE2\x80\x99", "'" } },  /* ‘ ’ */
    { "\xC2\xAB", { "\xC2\xBB" } },               /* « » */
};

const struct repairer_quotes *repairer_quotes_at(const struct repairer *repairer, size_t at)
{
    for (size_t i = 0; i < countof(quotes); i++)
        if (repairer_begins(repairer, at, quotes[i].open))
            return &quotes[i];
    return NULL;
}

size_t repairer_quote(const struct repairer *repairer, size_t at)
{
    const struct repairer_quotes *quote = repairer_quotes_at(repairer, at);
    return quote ? strlen(quote->open) : 0;
}

size_t repairer_closing(const struct repairer *repairer, const struct repairer_quotes *quote,
                        size_t at)
{
    for (size_t i = 0; i < countof(quote->close) && quote->close[i]; i++)
        if (repairer_begins(repairer, at, quote->close[i]))
            return strlen(quote->close[i]);
    return 0;
}

/* ---- what may come next ---- */

size_t repairer_after_name(const struct repairer *repairer, size_t at)
{
    const struct repairer_quotes *quote = repairer_quotes_at(repairer, at);
    size_t limit = MIN(repairer->text.size, at + REPAIR_AHEAD_BYTES);
    size_t next = at;
    if (!quote) {
        while (next < limit &&
               (repairer_is_word_byte(repairer->text.bytes[next]) ||
                (next > at && repairer_is_one_of(repairer->text.bytes[next], "-."))))
            next++;
        return next;
    }
    for (next += strlen(quote->open); next < limit; next++) {
        size_t bytes = repairer_closing(repairer, quote, next);
        if (bytes > 0)
            return next + bytes;
        next += repairer->text.bytes[next] == '\\';
    }
    return at;
}

bool repairer_is_name(const struct repairer *repairer, size_t at)
{
    size_t after = repairer_after_name(repairer, at);
    if (after == at)
        return false;
    size_t next = repairer_after_blanks(repairer, after);
    bool is_quoted = repairer_quote(repairer, at) > 0;
    return repairer_colon(repairer, next) > 0 || repairer_byte(repairer, next) == '=' ||
           (is_quoted && repairer_is_value(repairer, next));
}

static bool is_literal_at(const struct repairer *repairer, size_t at)
{
    static const char *const literals[] = { "true", "false", "null", "True", "False", "None" };
    for (size_t i = 0; i < countof(literals); i++)
        if (repairer_begins(repairer, at, literals[i]) &&
            !repairer_is_word_byte(repairer_byte(repairer, at + strlen(literals[i]))))
            return true;
    return false;
}

bool repairer_is_value(const struct repairer *repairer, size_t at)
{
    char c = repairer_byte(repairer, at);
    char second = repairer_byte(repairer, at + 1);
    return repairer_quote(repairer, at) > 0 || c == '{' || c == '[' ||
           ascii_is_digit((unsigned char)c) ||
           (c == '-' && ascii_is_digit((unsigned char)second)) || is_literal_at(repairer, at);
}
