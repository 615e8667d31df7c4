/* svc-utils/token-counter/characters.c - classes of characters by Unicode category. */
#include "characters.h"

#include <ctype.h>
#include <unictype.h>

#include "base/scoped.h"

/* A fast path: most text is ASCII. */
static enum character_kind kind_of_ascii(unsigned char character)
{
    if (character == '\n' || character == '\r')
        return CHARACTER_LINE;
    if (isalpha(character))
        return isupper(character) ? CHARACTER_UPPER : CHARACTER_LOWER;
    if (isdigit(character))
        return CHARACTER_DIGIT;
    return isspace(character) ? CHARACTER_BLANK : CHARACTER_SYMBOL;
}

enum character_kind character_kind(uint32_t character)
{
    static const struct category {
        uint32_t mask;
        enum character_kind kind;
    } categories[] = {
        { UC_CATEGORY_MASK_Ll, CHARACTER_LOWER },
        { UC_CATEGORY_MASK_Lu | UC_CATEGORY_MASK_Lt, CHARACTER_UPPER },
        { UC_CATEGORY_MASK_L, CHARACTER_UNCASED },
        { UC_CATEGORY_MASK_M, CHARACTER_MARK },
        { UC_CATEGORY_MASK_N, CHARACTER_DIGIT },
    };
    if (character < 0x80)
        return kind_of_ascii((unsigned char)character);
    if (uc_is_property_white_space(character))
        return CHARACTER_BLANK;
    for (size_t i = 0; i < countof(categories); i++)
        if (uc_is_general_category_withtable(character, categories[i].mask))
            return categories[i].kind;
    return CHARACTER_SYMBOL;
}
