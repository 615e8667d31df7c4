/* common/text/language.c - language tags. */
#include "language.h"

#include <string.h>

#include "base/ascii.h"
#include "base/text.h"

enum { SUBTAG_MAX = 8 };

static const char two_letters[] =
#define TWO_LETTERS(codes) codes
#include "language.def"
    ;
static const char three_letters[] =
#define THREE_LETTERS(codes) codes
#include "language.def"
    ;

static const char regions[] =
#define REGIONS(codes) codes
#include "language.def"
    ;

static bool is_letters(struct text text, size_t size)
{
    size_t i = 0;
    while (i < text.size && ascii_is_letter(text.bytes[i]))
        i++;
    return text.size == size && i == size;
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
    return is_letters(subtag, 2) || (subtag.size == 3 && text_is_digits(subtag));
}

/* Is it a number, or a country's code? UK and EU are reserved codes, not countries. */
static bool is_country(struct text subtag)
{
    char code[4] = " ";
    if (subtag.size != 2)
        return true;
    for (size_t i = 0; i < subtag.size; i++)
        code[1 + i] = (char)(subtag.bytes[i] & ~0x20);
    return strstr(regions, code) != NULL;
}

/* A variant, an extension or a part of one. */
static bool is_further(struct text subtag)
{
    for (size_t i = 0; i < subtag.size; i++)
        if (!ascii_is_alnum(subtag.bytes[i]))
            return false;
    return subtag.size > 0 && subtag.size <= SUBTAG_MAX;
}

/* After language, script and region; false if the language is invalid. */
static bool read_tag(struct text *rest, struct text *subtag, struct text *region)
{
    *region = TEXT("");
    if (!is_language(text_cut(rest, '-')))
        return false;
    *subtag = text_cut(rest, '-');
    if (is_letters(*subtag, 4))
        *subtag = text_cut(rest, '-');
    if (is_region(*subtag)) {
        *region = *subtag;
        *subtag = text_cut(rest, '-');
    }
    return true;
}

static bool ends_in_dash(struct text tag)
{
    return tag.size > 0 && tag.bytes[tag.size - 1] == '-';
}

bool language_is_valid(struct text tag)
{
    struct text subtag;
    struct text region;
    struct text rest = tag;
    if (ends_in_dash(tag) || !read_tag(&rest, &subtag, &region))
        return false;
    while (is_further(subtag))
        subtag = text_cut(&rest, '-');
    return subtag.size == 0 && rest.size == 0;
}

bool language_is_hreflang(struct text tag)
{
    struct text subtag;
    struct text region;
    struct text rest = tag;
    if (text_is_any_case(tag, "x-default"))
        return true;
    return !ends_in_dash(tag) && read_tag(&rest, &subtag, &region) && subtag.size == 0 &&
           rest.size == 0 && is_country(region);
}
