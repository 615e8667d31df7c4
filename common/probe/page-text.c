/* common/probe/page-text.c - texts of pages, looked at as the HTML standard does. */
#include "probe/page-text.h"

#include <string.h>

bool page_is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f';
}

struct text page_trim(struct text text)
{
    while (text.size > 0 && page_is_blank(text.bytes[0]))
        text = (struct text){ text.bytes + 1, text.size - 1 };
    while (text.size > 0 && page_is_blank(text.bytes[text.size - 1]))
        text.size--;
    return text;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 0x20) : c;
}

bool page_begins(struct text text, const char *prefix)
{
    size_t i = 0;
    while (prefix[i] && i < text.size && lower(text.bytes[i]) == prefix[i])
        i++;
    return prefix[i] == '\0';
}

bool page_text_is(struct text text, const char *wanted)
{
    return text.size == strlen(wanted) && page_begins(text, wanted);
}

bool page_text_has(struct text text, const char *wanted)
{
    for (size_t i = 0; i + strlen(wanted) <= text.size; i++)
        if (page_begins((struct text){ text.bytes + i, text.size - i }, wanted))
            return true;
    return false;
}

bool page_word(struct text *list, struct text *word)
{
    size_t size = 0;
    *list = page_trim(*list);
    while (size < list->size && !page_is_blank(list->bytes[size]))
        size++;
    *word = (struct text){ list->bytes, size };
    *list = (struct text){ list->bytes + size, list->size - size };
    return size > 0;
}
