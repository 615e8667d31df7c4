/* svc-security/seo-analyze/language.c - language tags. */
#include "language.h"

#include <string.h>

#include "probe/page-text.h"

enum { SUBTAG_MAX = 8 };

static const char two_letters[] =
#define TWO_LETTERS(codes) codes
#include "language.def"
    ;
static const char three_letters[] =
#define THREE_LETTERS(codes) codes
#include "language.def"
    ;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letters(struct text text, size_t size)
{
    size_t i = 0;
    while (i < text.size && is_letter(text.bytes[i]))
        i++;
    return text.size == size && i == size;
}

/* The next subtag, taken off *rest; empty at the end, and where two dashes meet. */
static struct text next_subtag(struct text *rest)
{
    size_t size = 0;
    while (size < rest->size && rest->bytes[size] != '-')
        size++;
    struct text subtag = { rest->bytes, size };
    size_t passed = size + (size < rest->size);
    *rest = (struct text){ rest->bytes + passed, rest->size - passed };
    return subtag;
}

static bool is_language(struct text subtag)
{
    char code[5] = " ";
    if (!is_letters(subtag, 2) && !is_letters(subtag, 3))
        return false;
    for (size_t i = 0; i < subtag.size; i++)
        code[1 + i] = (char)(subtag.bytes[i] | 0x20);
    return strstr(subtag.size == 2 ? two_letters : three_letters, code) != NULL;
}

static bool is_region(struct text subtag)
{
    return is_letters(subtag, 2) || (subtag.size == 3 && is_digit(subtag.bytes[0]) &&
                                     is_digit(subtag.bytes[1]) && is_digit(subtag.bytes[2]));
}

/* A variant, an extension or its parts: not told apart. */
static bool is_further(struct text subtag)
{
    for (size_t i = 0; i < subtag.size; i++)
        if (!is_letter(subtag.bytes[i]) && !is_digit(subtag.bytes[i]))
            return false;
    return subtag.size > 0 && subtag.size <= SUBTAG_MAX;
}

/* Behind language, script and region; false when the language is none. */
static bool read_tag(struct text *rest, struct text *subtag)
{
    if (!is_language(next_subtag(rest)))
        return false;
    *subtag = next_subtag(rest);
    if (is_letters(*subtag, 4))
        *subtag = next_subtag(rest);
    if (is_region(*subtag))
        *subtag = next_subtag(rest);
    return true;
}

static bool ends_in_dash(struct text tag)
{
    return tag.size > 0 && tag.bytes[tag.size - 1] == '-';
}

bool language_is_valid(struct text tag)
{
    struct text subtag;
    struct text rest = tag;
    if (ends_in_dash(tag) || !read_tag(&rest, &subtag))
        return false;
    while (is_further(subtag))
        subtag = next_subtag(&rest);
    return subtag.size == 0 && rest.size == 0;
}

bool language_is_hreflang(struct text tag)
{
    struct text subtag;
    struct text rest = tag;
    if (page_text_is(tag, "x-default"))
        return true;
    return !ends_in_dash(tag) && read_tag(&rest, &subtag) && subtag.size == 0 && rest.size == 0;
}
