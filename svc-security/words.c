/* svc-security/words.c - split header values. */
#include "words.h"

#include "base/text.h"

bool word_cut(struct text *rest, char separator, struct text *part)
{
    if (rest->size == 0)
        return false;
    *part = text_trim(text_cut(rest, separator));
    return true;
}

bool word_is_among(struct text text, const char *const *words)
{
    for (; *words; words++)
        if (text_is_any_case(text, *words))
            return true;
    return false;
}
