/* svc-chat/chatplatform-moderate/strings.c - sorted sets of strings. */
#include "chatplatform-moderate/strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool strings_have(const struct strings *strings, const char *string)
{
    return strings->count > 0 &&
           bsearch(&string, strings->at, strings->count, sizeof(*strings->at), by_text) != NULL;
}

bool strings_have_domain(const struct strings *domains, const char *host)
{
    for (; host; host = strchr(host, '.')) {
        host += *host == '.';
        if (strings_have(domains, host))
            return true;
    }
    return false;
}

void strings_add(struct strings *strings, const char *string)
{
    if ((strings->count & (strings->count - 1)) == 0) /* full at each power of two */
        strings->at = mem_resize(strings->at, MAX(1, 2 * strings->count) * sizeof(*strings->at));
    strings->at[strings->count++] = str_dup(string);
}

void strings_sort(struct strings *strings)
{
    if (strings->count > 0)
        qsort(strings->at, strings->count, sizeof(*strings->at), by_text);
}

void strings_free(struct strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        mem_free(&strings->at[i]);
    mem_free(&strings->at);
}
