/* svc-email/records/near-record.c - skip what does not belong in front, and compare. */
#include "near-record.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"

/* What editors and DNS panels write around a text. The others are in UTF-8. */
static const char *const quotes[] = { "\"", "'", "`", "\\\"", "&quot;", "“", "”", "„",
                                      "‘",  "’", "‚", "«",    "»",      "‹", "›" };
static const char *const blanks[] = { " ",        "\t",           "\r",          "\n",
                                      "\xC2\xA0", "\xE2\x80\x8B", "\xEF\xBB\xBF" };

/* Bytes of the first mark of the table that the text begins with, or 0. */
static size_t begin_bytes(struct text text, const char *const *marks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_begins(text, marks[i]))
            return strlen(marks[i]);
    return 0;
}

enum near_record near_record_of(struct text text, const char *version, char separator)
{
    bool has_quote = false;
    bool has_blank = false;
    for (;;) {
        size_t quote = begin_bytes(text, quotes, countof(quotes));
        size_t blank = begin_bytes(text, blanks, countof(blanks));
        if (quote + blank == 0)
            break;
        has_quote |= quote > 0;
        has_blank |= blank > 0;
        text = text_skip(text, quote + blank);
    }
    if (!text_begins_any_case(text, version))
        return NEAR_NOTHING;
    struct text rest = text_skip(text, strlen(version));
    if (rest.size > 0 && ascii_is_digit(rest.bytes[0]))
        return NEAR_NOTHING;
    if (has_quote)
        return NEAR_QUOTED;
    if (has_blank)
        return NEAR_AFTER_BLANKS;
    if (separator != ' ')
        rest = text_trim(rest);
    return rest.size > 0 && rest.bytes[0] != separator ? NEAR_GLUED : NEAR_NOTHING;
}
