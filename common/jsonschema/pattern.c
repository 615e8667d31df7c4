/* common/jsonschema/pattern.c - converts ECMA patterns to PCRE. */
#include "jsonschema/pattern.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"

static bool is_class_at(struct text pattern, size_t at)
{
    return at + 1 < pattern.size && pattern.bytes[at] == '\\' && pattern.bytes[at + 1] != '\0' &&
           strchr("dDsSwW", pattern.bytes[at + 1]);
}

/* Is this the hyphen of [\w-.], which PCRE reads as a range without an end? */
static bool is_plain_hyphen(struct text pattern, size_t at)
{
    bool is_behind =
        at >= 2 && is_class_at(pattern, at - 2) && (at < 3 || pattern.bytes[at - 3] != '\\');
    return pattern.bytes[at] == '-' && (is_behind || is_class_at(pattern, at + 1));
}

/* General categories of Unicode by their long names: PCRE has the short ones. */
static const struct {
    const char *name;
    const char *code;
} categories[] = {
    { "Letter}", "L}" },
    { "Uppercase_Letter}", "Lu}" },
    { "Lowercase_Letter}", "Ll}" },
    { "Titlecase_Letter}", "Lt}" },
    { "Modifier_Letter}", "Lm}" },
    { "Other_Letter}", "Lo}" },
    { "Mark}", "M}" },
    { "Number}", "N}" },
    { "Decimal_Number}", "Nd}" },
    { "Punctuation}", "P}" },
    { "Symbol}", "S}" },
    { "Separator}", "Z}" },
};

/* At \p{Letter}: append \p{L}. Returns the number of bytes read; 0 for any other text. */
static size_t translate_category(struct text rest, struct buf *out)
{
    if (!text_begins(rest, "\\p{") && !text_begins(rest, "\\P{"))
        return 0;
    for (size_t i = 0; i < countof(categories); i++) {
        if (!text_begins(text_skip(rest, 3), categories[i].name))
            continue;
        buf_add(out, rest.bytes, 3);
        buf_add_str(out, categories[i].code);
        return 3 + strlen(categories[i].name);
    }
    return 0;
}

/* At \uXXXX or \u{X}: append \x{…}. Returns as above. */
static size_t translate_code_point(struct text rest, struct buf *out)
{
    size_t digits = 0;
    if (!text_begins(rest, "\\u"))
        return 0;
    while (digits < 4 && 2 + digits < rest.size && hex_digit(rest.bytes[2 + digits]) >= 0)
        digits++;
    if (digits == 4) {
        buf_format(out, "\\x{%.4s}", rest.bytes + 2);
        return 6;
    }
    if (!text_begins(text_skip(rest, 2), "{"))
        return 0;
    buf_add_str(out, "\\x");
    return 2;
}

/* The rest is equal or similar. */
static void translate_pattern(struct text pattern, struct buf *out)
{
    bool is_in_brackets = false;
    size_t size;
    for (size_t i = 0; i < pattern.size; i += size) {
        struct text rest = text_skip(pattern, i);
        bool is_hyphen = is_in_brackets && is_plain_hyphen(pattern, i);
        size = translate_category(rest, out);
        size = size > 0 ? size : translate_code_point(rest, out);
        if (size > 0)
            continue;
        size = pattern.bytes[i] == '\\' && i + 1 < pattern.size ? 2 : 1;
        buf_add_str(out, is_hyphen ? "\\" : "");
        buf_add(out, rest.bytes, size);
        if (size == 1)
            is_in_brackets = pattern.bytes[i] == '[' || (is_in_brackets && pattern.bytes[i] != ']');
    }
}

/* Does it repeat something more than 65,535 times, PCRE's maximum? */
static bool has_large_count(struct text pattern)
{
    size_t digits = 0;
    bool is_count = false;
    for (size_t i = 0; i < pattern.size; i++) {
        bool is_digit = ascii_is_digit((unsigned char)pattern.bytes[i]);
        is_count = pattern.bytes[i] == '{' || (is_count && (is_digit || pattern.bytes[i] == ','));
        digits = is_count && is_digit ? digits + 1 : 0;
        if (digits >= 5)
            return true;
    }
    return false;
}

/*
 * Features that PCRE lacks: half of a surrogate pair, a property by its long name
 * (\p{Script=Greek}), a lookbehind of variable length.
 */
static bool is_beyond_pcre(struct text pattern)
{
    static const char *const parts[] = { "\\p{", "\\P{", "\\uD", "\\ud", "[^]", "[]", "(?<" };
    for (size_t i = 0; i < countof(parts); i++)
        if (text_has(pattern, parts[i]))
            return true;
    return has_large_count(pattern);
}

enum pattern_verdict pattern_compile(struct text pattern, struct regex **regex)
{
    enum { PATTERN_BYTES_MAX = 16 * 1024 };
    scoped(buf_free) struct buf translated = BUF(2 * PATTERN_BYTES_MAX);
    if (pattern.size > PATTERN_BYTES_MAX || memchr(pattern.bytes, '\0', pattern.size))
        return PATTERN_UNKNOWN;
    translate_pattern(pattern, &translated);
    if (regex_new_foreign(buf_str(&translated), regex, NULL))
        return PATTERN_GOOD;
    return is_beyond_pcre(pattern) ? PATTERN_UNKNOWN : PATTERN_BAD;
}

size_t pattern_steps(struct text pattern, const struct regex *regex)
{
    return pattern.size / 2 + (regex ? regex_bytes(regex) / 32 : 0);
}
