/* common/base/text.c - compares and cuts texts. */
#include "base/text.h"

#include <string.h>
#include <unistr.h>

#include "base/ascii.h"

struct text text_of(const char *string)
{
    return (struct text){ string ? string : "", string ? strlen(string) : 0 };
}

/* ---- predicates ---- */

bool text_equals(struct text a, struct text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

bool text_is(struct text text, const char *string)
{
    return text_equals(text, text_of(string));
}

bool text_begins(struct text text, const char *string)
{
    size_t size = strlen(string);
    return text.size >= size && (size == 0 || memcmp(text.bytes, string, size) == 0);
}

bool text_has(struct text text, const char *string)
{
    return *string == '\0' ||
           (text.size > 0 && memmem(text.bytes, text.size, string, strlen(string)));
}

bool text_begins_any_case(struct text text, const char *string)
{
    size_t i = 0;
    while (string[i] && i < text.size && ascii_lower(text.bytes[i]) == ascii_lower(string[i]))
        i++;
    return string[i] == '\0';
}

bool text_is_any_case(struct text text, const char *string)
{
    return text.size == strlen(string) && text_begins_any_case(text, string);
}

bool text_is_among(struct text text, const char *const *strings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_is_any_case(text, strings[i]))
            return true;
    return false;
}

bool text_has_any_case(struct text text, const char *string)
{
    size_t size = strlen(string);
    for (size_t i = 0; i + size <= text.size; i++)
        if (text_begins_any_case(text_skip(text, i), string))
            return true;
    return false;
}

bool text_is_digits(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!ascii_is_digit(text.bytes[i]))
            return false;
    return text.size > 0;
}

bool text_is_ascii(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.bytes[i] >= 0x80)
            return false;
    return true;
}

bool text_is_made_of(struct text text, const char *bytes)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] == '\0' || !strchr(bytes, text.bytes[i]))
            return false;
    return true;
}

/* ---- cutting ---- */

struct text text_strip(struct text text, const char *front, const char *back)
{
    while (text.size > 0 && strchr(front, text.bytes[0]))
        text = text_skip(text, 1);
    while (text.size > 0 && strchr(back, text.bytes[text.size - 1]))
        text.size--;
    return text;
}

struct text text_before(struct text text, const char *bytes)
{
    bool is_end[256] = { true }; /* NUL */
    size_t size = 0;
    for (; *bytes; bytes++)
        is_end[(unsigned char)*bytes] = true;
    while (size < text.size && !is_end[(unsigned char)text.bytes[size]])
        size++;
    return (struct text){ text.bytes, size };
}

struct text text_trim(struct text text)
{
    while (text.size > 0 && ascii_is_space(text.bytes[0]))
        text = text_skip(text, 1);
    while (text.size > 0 && ascii_is_space(text.bytes[text.size - 1]))
        text.size--;
    return text;
}

struct text text_cut(struct text *rest, char separator)
{
    const char *end = rest->size > 0 ? memchr(rest->bytes, separator, rest->size) : NULL;
    struct text part = { rest->bytes, end ? (size_t)(end - rest->bytes) : rest->size };
    *rest = text_skip(*rest, part.size + (end != NULL));
    return part;
}

bool text_take_byte(struct text *rest, const char *one_of)
{
    if (rest->size == 0 || rest->bytes[0] == '\0' || !strchr(one_of, rest->bytes[0]))
        return false;
    *rest = text_skip(*rest, 1);
    return true;
}

void text_repair(char *string)
{
    struct text rest = text_of(string);
    while (rest.size > 0) {
        const uint8_t *start = (const uint8_t *)rest.bytes;
        const uint8_t *bad = u8_check(start, rest.size);
        size_t valid = bad ? (size_t)(bad - start) : rest.size;
        memmove(string, rest.bytes, valid);
        string += valid;
        rest = text_skip(rest, valid + (bad != NULL));
    }
    *string = '\0';
}
