/* svc-security/openapi-validate/rules/rules.c - runs the tables of rules. */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const struct rule_table *const tables[] = {
    &document_rules, &path_rules,   &operation_rules, &parameter_rules,
    &content_rules,  &schema_rules, &security_rules,
};

const char *const path_methods[] = { "get",  "put",   "post",  "delete", "options",
                                     "head", "patch", "trace", "query",  NULL };

const struct node *path_item_of(const struct node *operation)
{
    const struct node *around = operation->parent;
    return around && around->type == TYPE_CONTAINER ? around->parent : around;
}

int by_text(const void *a, const void *b)
{
    return text_order(*(const struct text *)a, *(const struct text *)b);
}

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

bool next_variable(struct text template, size_t *at, struct text *name, bool *is_balanced)
{
    const char *bytes = template.bytes;
    size_t open = *at;
    while (open < template.size && bytes[open] != '{' && bytes[open] != '}')
        open++;
    *is_balanced = open == template.size || bytes[open] == '{';
    if (open == template.size || bytes[open] == '}')
        return false;
    size_t close = open + 1;
    while (close < template.size && bytes[close] != '{' && bytes[close] != '}')
        close++;
    *is_balanced = close < template.size && bytes[close] == '}';
    *name = (struct text){ bytes + open + 1, close - open - 1 };
    *at = close + 1;
    return *is_balanced;
}

bool literals_are(struct text template, bool (*is_good)(struct text part))
{
    size_t from = 0;
    size_t at = 0;
    bool is_balanced;
    for (struct text name; next_variable(template, &at, &name, &is_balanced); from = at) {
        const char *literal = template.bytes + from;
        if (!is_good((struct text){ literal, (size_t)(name.bytes - 1 - literal) }))
            return false;
    }
    return !is_balanced || is_good(text_skip(template, from));
}

struct text path_shape(struct arena *arena, struct text path)
{
    char *shape = arena_copy(arena, path);
    size_t size = 0;
    bool is_name = false;
    for (size_t i = 0; i < path.size; i++) {
        is_name = is_name && path.bytes[i] != '}';
        if (!is_name)
            shape[size++] = path.bytes[i];
        is_name = is_name || path.bytes[i] == '{';
    }
    return (struct text){ shape, size };
}

static void run_table(struct check *check, const struct rule_table *table, const struct node *node)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct rule_row *row = &table->row[i];
        if (row->type == node->type && row->versions & check->version)
            row->run(check, node);
    }
}

void run_rules(struct check *check)
{
    for (size_t i = 0; i < check->visit_count && check_step(check, 1); i++) {
        const struct node *node = check->visits[i];
        for (size_t k = 0; !node->is_reference && k < countof(tables); k++)
            run_table(check, tables[k], node);
    }
    if (check->is_cut)
        report(check->findings, RULE_CHECK_INCOMPLETE, NULL,
               "The document is too large to be checked in full.");
}
