/* svc-utils/json-to-code/languages/code.c - string literals in each language. */
#include "code.h"

#include <string.h>
#include <unictype.h>

#include "base/codec/utf8.h"

/* The numeric escape of a character: hexadecimal digits between two texts. */
struct escape {
    const char *before;
    int digits; /* minimum */
    const char *behind;
};

/* clang-format off */
static const struct language {
    const char *escapes;  /* pairs: character, letter after the backslash */
    struct escape any;    /* any other character up to U+FFFF */
    struct escape beyond; /* characters above it; without digits: as two surrogates */
} languages[] = {
    [QUOTE_JSON] = { "\"\"\\\\\bb\ff\nn\rr\tt", { "\\u", 4, "" }, { 0 } },
    [QUOTE_PYTHON] = { "\"\"\\\\\bb\ff\nn\rr\tt", { "\\u", 4, "" }, { "\\U", 8, "" } },
    [QUOTE_RUST] = { "\"\"\\\\\nn\rr\tt", { "\\u{", 1, "}" }, { "\\u{", 1, "}" } },
    [QUOTE_KOTLIN] = { "\"\"\\\\$$\bb\nn\rr\tt", { "\\u", 4, "" }, { 0 } },
    [QUOTE_PHP] = { "\"\"\\\\$$\nn\rr\tt", { "\\u{", 1, "}" }, { "\\u{", 1, "}" } },
};
/* clang-format on */

static bool is_visible(uint32_t c)
{
    if (c < 0x80)
        return c >= ' ' && c < 0x7F;
    return !uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf |
                                                    UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp |
                                                    UC_CATEGORY_MASK_Co | UC_CATEGORY_MASK_Cn);
}

static char short_escape(const struct language *language, uint32_t c)
{
    for (const char *pair = language->escapes; *pair; pair += 2)
        if (c == (unsigned char)pair[0])
            return pair[1];
    return '\0';
}

static void add_number(struct buf *out, struct escape escape, uint32_t c)
{
    buf_format(out, "%s%0*x%s", escape.before, escape.digits, c, escape.behind);
}

static void add_escape(struct buf *out, const struct language *language, uint32_t c)
{
    if (c <= 0xFFFF) {
        add_number(out, language->any, c);
    } else if (language->beyond.digits > 0) {
        add_number(out, language->beyond, c);
    } else {
        add_number(out, language->any, 0xD800 + ((c - 0x10000) >> 10));
        add_number(out, language->any, 0xDC00 + ((c - 0x10000) & 0x3FF));
    }
}

/* Leading bytes that no language must escape. */
static size_t plain_bytes(struct text text)
{
    size_t size = 0;
    while (size < text.size && text.bytes[size] >= ' ' && text.bytes[size] < 0x7F &&
           text.bytes[size] != '"' && text.bytes[size] != '\\' && text.bytes[size] != '$')
        size++;
    return size;
}

/* Append one character; returns its number of bytes. */
static size_t quote_character(struct buf *out, const struct language *language, struct text text)
{
    size_t bytes;
    uint32_t c = utf8_next(text, &bytes);
    char letter = short_escape(language, c);
    if (letter)
        buf_add(out, (char[]){ '\\', letter }, 2);
    else if (is_visible(c))
        buf_add(out, text.bytes, bytes);
    else
        add_escape(out, language, c);
    return bytes;
}

void code_quote(struct buf *out, struct text text, enum code_quotes quotes)
{
    size_t bytes;
    buf_add_byte(out, '"');
    for (; text.size > 0; text = text_skip(text, bytes)) {
        bytes = plain_bytes(text);
        if (bytes > 0)
            buf_add(out, text.bytes, bytes);
        else
            bytes = quote_character(out, &languages[quotes], text);
    }
    buf_add_byte(out, '"');
}

bool code_is_plain_name(struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return text.size > 0;
}

bool code_is_inherited(struct text key)
{
    static const char *const names[] = { "constructor",    "hasOwnProperty",
                                         "isPrototypeOf",  "propertyIsEnumerable",
                                         "toLocaleString", "toString",
                                         "valueOf" };
    for (size_t i = 0; i < countof(names); i++)
        if (text_is(key, names[i]))
            return true;
    return false;
}
