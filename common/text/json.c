/* common/text/json.c - builds JSON trees from events or in code, and reads them. */
#include "text/json.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/text.h"

/* ---- nodes ---- */

static cJSON *new_node(int type)
{
    cJSON *node = cJSON_CreateNull();
    if (!node)
        abort();
    node->type = type;
    return node;
}

static int type_of(const cJSON *node)
{
    return node->type & 0xFF; /* the other bits are cJSON's flags */
}

static cJSON *append_node(cJSON *parent)
{
    cJSON *node = new_node(cJSON_NULL);
    cJSON_AddItemToArray(parent, node);
    return node;
}

static char *dup_text(struct text text)
{
    char *copy = cJSON_malloc(text.size + 1);
    if (!copy)
        abort();
    if (text.size > 0)
        memcpy(copy, text.bytes, text.size);
    copy[text.size] = '\0';
    return copy;
}

static void set_text(cJSON *node, struct text text)
{
    assert(text.size <= INT_MAX);
    node->type = cJSON_String;
    node->valuestring = dup_text(text);
    node->valueint = (int)text.size;
}

cJSON *json_new_text(struct text value)
{
    cJSON *node = new_node(cJSON_NULL);
    set_text(node, value);
    return node;
}

static cJSON *new_str(const char *value)
{
    return value ? json_new_text(text_of(value)) : new_node(cJSON_NULL);
}

cJSON *json_new_number(double value)
{
    cJSON *node = new_node(isfinite(value) ? cJSON_Number : cJSON_NULL);
    cJSON_SetNumberHelper(node, isfinite(value) ? value : 0);
    return node;
}

cJSON *json_new_bool(bool value)
{
    return new_node(value ? cJSON_True : cJSON_False);
}

cJSON *json_object(void)
{
    return new_node(cJSON_Object);
}

cJSON *json_array(void)
{
    return new_node(cJSON_Array);
}

void json_free(cJSON **tree)
{
    cJSON_Delete(*tree);
    *tree = NULL;
}

static void wipe_texts(cJSON *node)
{
    cJSON *child;
    if (cJSON_IsString(node))
        explicit_bzero(node->valuestring, (size_t)node->valueint);
    else if (node->valuestring)
        explicit_bzero(node->valuestring, strlen(node->valuestring));
    cJSON_ArrayForEach(child, node)
        wipe_texts(child);
}

void json_wipe(cJSON **tree)
{
    if (*tree)
        wipe_texts(*tree);
    json_free(tree);
}

/* ---- a whole document ---- */

static double double_of(struct text lexeme)
{
    int64_t whole;
    if (num_parse(lexeme, JSON_INTEGER_MAX, &whole))
        return (double)whole;
    scoped(mem_free) char *digits = mem_dup(lexeme.bytes, lexeme.size);
    return strtod(digits, NULL); /* setlocale() is never called, so the decimal point is a point */
}

/* Do its digits have more precision than a double? True for integers from 2^53, and above 17
 * digits. */
static bool loses_digits(struct text lexeme, double number)
{
    size_t digits = 0;
    size_t i = 0;
    for (; i < lexeme.size && (lexeme.bytes[i] | 0x20) != 'e'; i++)
        digits += lexeme.bytes[i] >= '0' && lexeme.bytes[i] <= '9';
    bool is_plain = i == lexeme.size;
    return digits > DBL_DECIMAL_DIG || !isfinite(number) ||
           (is_plain && fabs(number) >= (double)JSON_INTEGER_MAX);
}

/* What the grammar allows but a tree cannot store. */
static bool check_event(const struct json_event *event, struct err *err)
{
    if (event->kind != JSON_KEY || !memchr(event->text.bytes, '\0', event->text.size))
        return true;
    return err_set(err, ERR_INVALID_JSON, "invalid JSON at byte %zu: a name may not hold U+0000",
                   event->offset);
}

bool json_check(struct text input, unsigned max_depth, struct err *err)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(input, max_depth);
    struct json_event event;
    do {
        if (!json_next(reader, &event, err) || !check_event(&event, err))
            return false;
    } while (event.kind != JSON_END);
    return true;
}

static void fill_node(cJSON *node, const struct json_event *event)
{
    static const int types[] = {
        [JSON_NULL] = cJSON_NULL,          [JSON_TRUE] = cJSON_True,
        [JSON_FALSE] = cJSON_False,        [JSON_NUMBER] = cJSON_Number,
        [JSON_STRING] = cJSON_String,      [JSON_ARRAY_OPEN] = cJSON_Array,
        [JSON_OBJECT_OPEN] = cJSON_Object,
    };
    node->type = types[event->kind];
    if (event->kind == JSON_STRING)
        set_text(node, event->text);
    else if (event->kind == JSON_NUMBER)
        cJSON_SetNumberHelper(node, double_of(event->lexeme));
}

/* Name a new member; an existing member with the same name is removed. */
static void name_member(cJSON *object, cJSON *member, const struct json_event *key,
                        bool *has_repeats)
{
    char *name = dup_text(key->text);
    if (key->is_repeated) {
        cJSON_Delete(cJSON_DetachItemFromObjectCaseSensitive(object, name));
        *has_repeats = true;
    }
    member->string = name;
}

/*
 * Read the document to its end as the only item of root; open has an entry for each level. For
 * has_repeats see json_parse_as_is().
 */
static bool build_tree(struct json_reader *reader, cJSON *root, cJSON **open, bool *has_repeats,
                       struct err *err)
{
    cJSON *member = NULL; /* has its name, and waits for its value */
    open[0] = root;
    for (;;) {
        struct json_event event;
        if (!json_next(reader, &event, err) || !check_event(&event, err))
            return false;
        if (event.kind == JSON_END)
            return true;
        if (event.kind == JSON_ARRAY_CLOSE || event.kind == JSON_OBJECT_CLOSE)
            continue;
        cJSON *node = member ? take(member) : append_node(open[event.depth]);
        if (event.kind == JSON_KEY) {
            member = node;
            name_member(open[event.depth], node, &event, has_repeats);
            continue;
        }
        fill_node(node, &event);
        if (event.kind == JSON_NUMBER &&
            (has_repeats || loses_digits(event.lexeme, node->valuedouble)))
            node->valuestring = dup_text(event.lexeme);
        if (event.kind == JSON_ARRAY_OPEN || event.kind == JSON_OBJECT_OPEN)
            open[event.depth + 1] = node;
    }
}

static bool parse_tree(struct json_reader *reader, unsigned max_depth, cJSON **tree,
                       bool *has_repeats, struct err *err)
{
    scoped(json_free) cJSON *root = json_array();
    scoped(mem_free) cJSON **open = mem_array(max_depth + 1, sizeof(cJSON *));
    if (!build_tree(reader, root, open, has_repeats, err))
        return false;
    *tree = cJSON_DetachItemFromArray(root, 0);
    return true;
}

bool json_parse(struct text input, unsigned max_depth, cJSON **tree, struct err *err)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(input, max_depth);
    return parse_tree(reader, max_depth, tree, NULL, err);
}

bool json_parse_as_is(struct text input, unsigned max_depth, cJSON **tree, bool *has_repeats,
                      struct err *err)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(input, max_depth);
    bool found = false;
    json_reader_allow_repeats(reader);
    if (!parse_tree(reader, max_depth, tree, &found, err))
        return false;
    *has_repeats = found;
    return true;
}

/* ---- reading a tree ---- */

const cJSON *json_get(const cJSON *object, const char *name)
{
    return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, name) : NULL;
}

/* The child that one part of a pointer names: a member, or an item by its decimal index. */
static const cJSON *child_of(const cJSON *node, struct text part)
{
    int64_t index;
    if (cJSON_IsArray(node) && num_parse(part, INT_MAX, &index))
        return cJSON_GetArrayItem(node, (int)index);
    const cJSON *child = cJSON_IsObject(node) ? node->child : NULL;
    while (child && !text_is(part, child->string))
        child = child->next;
    return child;
}

const cJSON *json_at(const cJSON *tree, const char *pointer)
{
    while (tree && *pointer == '/') {
        size_t size = strcspn(pointer + 1, "/");
        tree = child_of(tree, (struct text){ pointer + 1, size });
        pointer += 1 + size;
    }
    return tree;
}

struct text json_text_of(const cJSON *node)
{
    if (!cJSON_IsString(node))
        return TEXT("");
    return (struct text){ node->valuestring, (size_t)node->valueint };
}

const char *json_text(const cJSON *tree, const char *pointer)
{
    return cJSON_GetStringValue(json_at(tree, pointer));
}

bool json_is(const cJSON *node, int type)
{
    return node && type_of(node) == type;
}

size_t json_size(const cJSON *node)
{
    return (size_t)cJSON_GetArraySize(node);
}

bool json_is_integer(const cJSON *node)
{
    const double most = (double)JSON_INTEGER_MAX;
    return cJSON_IsNumber(node) && node->valuedouble >= -most && node->valuedouble <= most &&
           (double)(int64_t)node->valuedouble == node->valuedouble;
}

int64_t json_integer(const cJSON *object, const char *name)
{
    const cJSON *node = json_get(object, name);
    return json_is_integer(node) ? (int64_t)node->valuedouble : 0;
}

/* ---- comparing: members are first sorted by name, so hostile objects take n log n ---- */

static int by_name(const void *a, const void *b)
{
    const cJSON *const *left = a;
    const cJSON *const *right = b;
    return strcmp((*left)->string, (*right)->string);
}

static const cJSON **sorted_members(const cJSON *object, size_t count)
{
    const cJSON **members = mem_array(count, sizeof(*members));
    const cJSON *member = object->child;
    for (size_t i = 0; i < count; i++, member = member->next)
        members[i] = member;
    qsort(members, count, sizeof(*members), by_name);
    return members;
}

static bool equal_objects(const cJSON *a, const cJSON *b)
{
    size_t count = (size_t)cJSON_GetArraySize(a);
    if (count != (size_t)cJSON_GetArraySize(b))
        return false;
    scoped(mem_free) const cJSON **left = sorted_members(a, count);
    scoped(mem_free) const cJSON **right = sorted_members(b, count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(left[i]->string, right[i]->string) != 0 || !json_equal(left[i], right[i]))
            return false;
    return true;
}

static bool equal_lists(const cJSON *a, const cJSON *b)
{
    const cJSON *left = a->child;
    const cJSON *right = b->child;
    while (left && right && json_equal(left, right)) {
        left = left->next;
        right = right->next;
    }
    return !left && !right;
}

bool json_equal(const cJSON *a, const cJSON *b)
{
    if (type_of(a) != type_of(b))
        return false;
    switch (type_of(a)) {
    case cJSON_Number:
        return a->valuedouble == b->valuedouble;
    case cJSON_String:
        return text_equals(json_text_of(a), json_text_of(b));
    case cJSON_Array:
        return equal_lists(a, b);
    case cJSON_Object:
        return equal_objects(a, b);
    default:
        return true; /* null, true and false have only their type */
    }
}

/* ---- building ---- */

void json_add(cJSON *object, const char *name, cJSON *value)
{
    assert(cJSON_IsObject(object) && value);
    cJSON_free(value->string); /* from its previous object */
    value->string = dup_text(text_of(name));
    cJSON_AddItemToArray(object, value);
}

cJSON *json_take(cJSON *object, const char *name)
{
    return cJSON_DetachItemFromObjectCaseSensitive(object, name);
}

cJSON *json_take_first(cJSON *list)
{
    return cJSON_DetachItemFromArray(list, 0);
}

cJSON *json_take_last(cJSON *list)
{
    return cJSON_DetachItemFromArray(list, cJSON_GetArraySize(list) - 1);
}

bool json_cut(cJSON *list, size_t max)
{
    cJSON *item = list->child;
    for (size_t i = 0; item && i < max; i++)
        item = item->next;
    bool is_cut = item != NULL;
    while (item) {
        cJSON *next = item->next;
        cJSON_Delete(cJSON_DetachItemViaPointer(list, item));
        item = next;
    }
    return is_cut;
}

void json_item_add(cJSON *list, cJSON *value)
{
    assert(cJSON_IsArray(list) && value);
    cJSON_AddItemToArray(list, value);
}

void json_str(cJSON *object, const char *name, const char *value)
{
    json_add(object, name, new_str(value));
}

void json_text_add(cJSON *object, const char *name, struct text value)
{
    json_add(object, name, json_new_text(value));
}

void json_raw(cJSON *object, const char *name, struct text markup)
{
    cJSON *node = json_new_text(markup);
    node->type = cJSON_Raw;
    json_add(object, name, node);
}

void json_int(cJSON *object, const char *name, int64_t value)
{
    json_add(object, name, json_new_number((double)value));
}

void json_num(cJSON *object, const char *name, double value)
{
    json_add(object, name, json_new_number(value));
}

void json_bool(cJSON *object, const char *name, bool value)
{
    json_add(object, name, new_node(value ? cJSON_True : cJSON_False));
}

void json_null(cJSON *object, const char *name)
{
    json_add(object, name, new_node(cJSON_NULL));
}

void json_int_if(cJSON *object, const char *name, bool is_known, int64_t value)
{
    if (is_known)
        json_int(object, name, value);
    else
        json_null(object, name);
}

void json_bool_if(cJSON *object, const char *name, bool is_known, bool value)
{
    if (is_known)
        json_bool(object, name, value);
    else
        json_null(object, name);
}

void json_time(cJSON *object, const char *name, int64_t wall_ms)
{
    char text[CLOCK_TEXT_BYTES];
    bool has_text = clock_has_text(wall_ms);
    if (has_text)
        clock_format(text, wall_ms);
    json_str(object, name, has_text ? text : NULL);
}

cJSON *json_map(cJSON *object, const char *name)
{
    cJSON *map = json_object();
    json_add(object, name, map);
    return map;
}

cJSON *json_list(cJSON *object, const char *name)
{
    cJSON *list = json_array();
    json_add(object, name, list);
    return list;
}

cJSON *json_item(cJSON *list)
{
    cJSON *item = json_object();
    json_item_add(list, item);
    return item;
}

void json_item_str(cJSON *list, const char *value)
{
    json_item_add(list, new_str(value));
}

void json_item_int(cJSON *list, int64_t value)
{
    json_item_add(list, json_new_number((double)value));
}

cJSON *json_copy(const cJSON *node)
{
    cJSON *copy = new_node(type_of(node));
    copy->valuedouble = node->valuedouble;
    copy->valueint = node->valueint;
    if (cJSON_IsString(node))
        copy->valuestring = dup_text(json_text_of(node));
    else
        copy->valuestring = str_dup(node->valuestring);
    const cJSON *child;
    cJSON_ArrayForEach(child, node) {
        cJSON *twin = json_copy(child);
        if (child->string)
            twin->string = dup_text(text_of(child->string));
        cJSON_AddItemToArray(copy, twin);
    }
    return copy;
}

cJSON *json_alias(const cJSON *node)
{
    cJSON *alias = new_node(type_of(node) | cJSON_IsReference); /* it frees only its name */
    alias->child = node->child;
    alias->valuestring = node->valuestring;
    alias->valueint = node->valueint;
    alias->valuedouble = node->valuedouble;
    return alias;
}
