/* svc-security/words.c - texts of headers, part by part. */
#include "words.h"

#include <string.h>
#include <strings.h>

bool word_cut(struct text *rest, char separator, struct text *part)
{
    if (rest->size == 0)
        return false;
    const char *end = memchr(rest->bytes, separator, rest->size);
    size_t size = end ? (size_t)(end - rest->bytes) : rest->size;
    size_t passed = size + (end != NULL);
    *part = text_trim((struct text){ rest->bytes, size });
    rest->bytes += passed;
    rest->size -= passed;
    return true;
}

bool word_begins(struct text text, const char *beginning)
{
    size_t size = strlen(beginning);
    return text.size >= size && strncasecmp(text.bytes, beginning, size) == 0;
}

bool word_is(struct text text, const char *word)
{
    return text.size == strlen(word) && word_begins(text, word);
}

bool word_is_among(struct text text, const char *const *words)
{
    for (; *words; words++)
        if (word_is(text, *words))
            return true;
    return false;
}

bool word_is_in(struct text text, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++)
        if (strncasecmp(text.bytes + i, word, size) == 0)
            return true;
    return false;
}
