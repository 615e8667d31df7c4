/* common/probe/page-text.c - texts of pages, by the rules of the HTML standard. */
#include "probe/page-text.h"

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
