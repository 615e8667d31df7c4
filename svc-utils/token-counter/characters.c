/* svc-utils/token-counter/characters.c - classes of characters by Unicode category. */
#include "characters.h"

#include <unictype.h>

#include "base/scoped.h"

/* A fast path: most text is ASCII. */
/* clang-format off */
static const unsigned char kinds_of_ascii[0x80] = {
    [0 ... 8] = CHARACTER_SYMBOL,
    ['\t'] = CHARACTER_BLANK,
    ['\n'] = CHARACTER_LINE,
    ['\v' ... '\f'] = CHARACTER_BLANK,
    ['\r'] = CHARACTER_LINE,
    [0x0E ... 0x1F] = CHARACTER_SYMBOL,
    [' '] = CHARACTER_BLANK,
    ['!' ... '/'] = CHARACTER_SYMBOL,
    ['0' ... '9'] = CHARACTER_DIGIT,
    [':' ... '@'] = CHARACTER_SYMBOL,
    ['A' ... 'Z'] = CHARACTER_UPPER,
    ['[' ... '`'] = CHARACTER_SYMBOL,
    ['a' ... 'z'] = CHARACTER_LOWER,
    ['{' ... 0x7F] = CHARACTER_SYMBOL,
};
/* clang-format on */

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
        return kinds_of_ascii[character];
    if (uc_is_property_white_space(character))
        return CHARACTER_BLANK;
    for (size_t i = 0; i < countof(categories); i++)
        if (uc_is_general_category_withtable(character, categories[i].mask))
            return categories[i].kind;
    return CHARACTER_SYMBOL;
}
