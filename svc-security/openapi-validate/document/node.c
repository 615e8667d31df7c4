/* svc-security/openapi-validate/document/node.c - access to nodes. */
#include "node.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

const char *node_kind_name(const struct node *node)
{
    static const char *const names[] = { "null",     "a boolean", "a number",
                                         "a string", "an array",  "an object" };
    return names[node->kind];
}

bool is_word_of(struct text text, const char *words)
{
    while (*words) {
        size_t size = strcspn(words, " ");
        if (size == text.size && memcmp(words, text.bytes, size) == 0)
            return true;
        words += size;
        words += *words == ' ';
    }
    return false;
}

int text_order(struct text a, struct text b)
{
    size_t common = MIN(a.size, b.size);
    if (common > 0 && a.bytes[0] != b.bytes[0]) /* most texts; as memcmp() would say, but inline */
        return (unsigned char)a.bytes[0] - (unsigned char)b.bytes[0];
    int order = common > 0 ? memcmp(a.bytes, b.bytes, common) : 0;
    return order != 0 ? order : number_order(a.size, b.size);
}

int by_text(const void *a, const void *b)
{
    return text_order(*(const struct text *)a, *(const struct text *)b);
}

struct node *node_member(const struct node *object, struct text name)
{
    if (!node_is(object, NODE_OBJECT))
        return NULL;
    size_t low = 0;
    size_t high = object->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = text_order(object->by_name[middle]->key, name);
        if (order == 0)
            return object->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct node *node_get(const struct node *object, const char *name)
{
    return node_member(object, text_of(name));
}

struct text node_text(const struct node *node)
{
    return node_is(node, NODE_STRING) ? node->text : TEXT("");
}

struct text node_lexeme(const struct node *node)
{
    return node_is(node, NODE_NUMBER) ? node->text : node_text(node);
}

struct text node_text_at(const struct node *object, const char *name)
{
    return node_text(node_get(object, name));
}

bool node_says(const struct node *node, const char *text)
{
    return node_is(node, NODE_STRING) && text_is(node->text, text);
}

bool node_is_true(const struct node *node)
{
    return node_is(node, NODE_BOOL) && node->is_true;
}

bool node_has(const struct node *list, const char *text)
{
    if (!node_is(list, NODE_LIST))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (node_says(list->child[i], text))
            return true;
    return false;
}

/* YAML has forms that JSON does not have: +1, 007, .5 and .inf. */
void node_decimal(const struct node *node, char digits[DECIMAL_DOUBLE_BYTES],
                  struct decimal *decimal)
{
    if (!decimal_read(text_skip(node->text, text_begins(node->text, "+")), decimal))
        decimal_of_double(node->number, digits, decimal);
}

int node_compare(const struct node *a, const struct node *b)
{
    char digits[2][DECIMAL_DOUBLE_BYTES];
    struct decimal numbers[2];
    if (a->number < b->number || a->number > b->number)
        return a->number < b->number ? -1 : 1;
    node_decimal(a, digits[0], &numbers[0]);
    node_decimal(b, digits[1], &numbers[1]);
    return decimal_compare(&numbers[0], &numbers[1]);
}

bool node_is_integer(const struct node *node)
{
    char digits[DECIMAL_DOUBLE_BYTES];
    struct decimal number;
    if (!node_is(node, NODE_NUMBER) || !isfinite(node->number))
        return false;
    node_decimal(node, digits, &number);
    return decimal_is_integer(&number);
}

struct node *node_child(const struct node *node, struct text part)
{
    int64_t index;
    if (node_is(node, NODE_OBJECT))
        return node_member(node, part);
    bool is_padded = part.size > 1 && part.bytes[0] == '0'; /* RFC 6901 section 4 */
    if (!node_is(node, NODE_LIST) || is_padded || !num_parse(part, UINT32_MAX, &index) ||
        index >= (int64_t)node->count)
        return NULL;
    return node->child[index];
}

/* ---- equality ---- */

static bool equal_children(const struct node *a, const struct node *b, size_t *steps)
{
    if (a->count != b->count)
        return false;
    bool is_object = a->kind == NODE_OBJECT;
    for (size_t i = 0; i < a->count; i++) {
        const struct node *left = is_object ? a->by_name[i] : a->child[i];
        const struct node *right = is_object ? b->by_name[i] : b->child[i];
        if (is_object && !text_equals(left->key, right->key))
            return false;
        if (!node_equal(left, right, steps))
            return false;
    }
    return true;
}

bool node_equal(const struct node *a, const struct node *b, size_t *steps)
{
    if (*steps == 0 || a->kind != b->kind)
        return false;
    (*steps)--;
    switch ((enum node_kind)a->kind) {
    case NODE_NULL:
        return true;
    case NODE_BOOL:
        return a->is_true == b->is_true;
    case NODE_NUMBER:
        return node_compare(a, b) == 0;
    case NODE_STRING:
        return text_equals(a->text, b->text);
    case NODE_LIST:
    case NODE_OBJECT:
        return equal_children(a, b, steps);
    }
    return false;
}

/* ---- places ---- */

struct text node_name(const struct node *node)
{
    while (node->parent && node->parent->kind != NODE_OBJECT)
        node = node->parent;
    return node->key;
}

uint32_t node_document(const struct node *node)
{
    while (node->parent)
        node = node->parent;
    return node->index;
}

static void add_part(struct buf *out, struct text key)
{
    buf_add_byte(out, '/');
    for (size_t i = 0; i < key.size && !out->full; i++) {
        if (key.bytes[i] == '~')
            buf_add_str(out, "~0");
        else if (key.bytes[i] == '/')
            buf_add_str(out, "~1");
        else
            buf_add_byte(out, key.bytes[i]);
    }
}

void node_path(const struct node *node, struct buf *out)
{
    if (!node || !node->parent)
        return;
    node_path(node->parent, out); /* recursion is limited by the document's depth */
    if (node->parent->kind == NODE_OBJECT)
        add_part(out, node->key);
    else
        buf_format(out, "/%u", node->index);
}
