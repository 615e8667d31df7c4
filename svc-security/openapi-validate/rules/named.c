/* svc-security/openapi-validate/rules/named.c - names, sorted. */
#include "named.h"

#include <stdlib.h>

static int by_name_and_place(const void *a, const void *b)
{
    const struct named *left = a;
    const struct named *right = b;
    int order = text_order(left->name, right->name);
    if (order != 0)
        return order;
    if (left->node->line != right->node->line)
        return left->node->line < right->node->line ? -1 : 1;
    return left->node->column < right->node->column ? -1 : left->node->column > right->node->column;
}

void named_sort(struct named *items, size_t count)
{
    if (count > 0)
        qsort(items, count, sizeof(*items), by_name_and_place);
}

const struct named *named_find(const struct named *items, size_t count, struct text name)
{
    return count > 0 ? bsearch(&name, items, count, sizeof(*items), by_text) : NULL;
}

void report_repeated(struct check *check, enum rule rule, const char *what, struct named *items,
                     size_t count)
{
    named_sort(items, count);
    for (size_t i = 1; i < count; i++)
        if (text_order(items[i - 1].name, items[i].name) == 0)
            report(check->findings, rule, items[i].node, "The %s \"%s\" occurs twice.", what,
                   quote(items[i].name).bytes);
}
