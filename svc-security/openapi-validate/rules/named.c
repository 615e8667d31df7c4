/* svc-security/openapi-validate/rules/named.c - sorted names. */
#include "named.h"

#include <stdlib.h>

#include "base/mem.h"

static int by_name_and_place(const void *a, const void *b)
{
    const struct named *left = a;
    const struct named *right = b;
    int order = text_order(left->name, right->name);
    order = order != 0 ? order : number_order(left->node->line, right->node->line);
    return order != 0 ? order : number_order(left->node->column, right->node->column);
}

struct named_list named_new(size_t most)
{
    return (struct named_list){ .item = mem_array(most + 1, sizeof(struct named)) };
}

void named_free(struct named_list *names)
{
    mem_free(&names->item);
}

void named_add(struct named_list *names, struct text name, const struct node *node)
{
    names->item[names->count++] = (struct named){ name, node };
}

struct named_list named_of(const struct node *list, const char *member, bool only_texts)
{
    struct named_list names = named_new(node_count(list));
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++) {
        const struct node *text = member ? node_get(list->child[i], member) : list->child[i];
        if (!only_texts || node_is(text, NODE_STRING))
            named_add(&names, node_text(text), list->child[i]);
    }
    return names;
}

void named_sort(struct named_list *names)
{
    qsort(names->item, names->count, sizeof(struct named), by_name_and_place);
}

const struct named *named_find(const struct named_list *names, struct text name)
{
    return bsearch(&name, names->item, names->count, sizeof(struct named), by_text);
}

void named_report_repeated(struct named_list *names, struct check *check, enum rule rule,
                           const char *what)
{
    named_sort(names);
    for (size_t i = 1; i < names->count; i++)
        if (text_order(names->item[i - 1].name, names->item[i].name) == 0)
            report(check->findings, rule, names->item[i].node, "The %s \"%s\" occurs twice.", what,
                   quote(names->item[i].name).bytes);
}
