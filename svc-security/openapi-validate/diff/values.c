/*
 * svc-security/openapi-validate/diff/values.c - compare the constraints of two schemas on the value
 * itself: type, enum, bounds, discriminators.
 */
#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

void diff_note(struct diff *diff, const struct schema_pair *pair, enum schema_change_kind kind,
               const struct node *from, const struct node *to)
{
    diff_add_schema(diff, kind, pair->spot, to ? to : from ? from : pair->at, from, to);
}

bool diff_is_sent(const struct schema_pair *pair)
{
    enum family direction = diff_direction(pair->spot);
    return direction == IN_PARAMETER || direction == IN_REQUEST;
}

bool diff_is_same(struct diff *diff, const struct node *a, const struct node *b)
{
    enum { STEPS_MAX = 10000 };
    size_t steps = STEPS_MAX;
    bool is_equal = a == b || (a && b && (node_equal(a, b, &steps) || steps == 0));
    (void)diff_steps(diff, STEPS_MAX - steps);
    return is_equal;
}

/* ---- type and format ---- */

/* Does the wide format include all values of the narrow one? */
static bool format_holds(struct text wide, struct text narrow)
{
    static const char *const pairs[][2] = { { "double", "float" },
                                            { "int64", "int32" },
                                            { "date-time", "date" } };
    if (wide.size == 0 || text_order(wide, narrow) == 0)
        return true;
    for (size_t i = 0; i < countof(pairs); i++)
        if (text_is(wide, pairs[i][0]) && text_is(narrow, pairs[i][1]))
            return true;
    return false;
}

/* In a URL or a form, every number and boolean is also a string, and a single value is a list with
 * one item. */
static bool type_holds(const struct schema_pair *pair, const struct view *wide,
                       const struct view *narrow)
{
    const unsigned scalars = BIT_STRING | BIT_INTEGER | BIT_NUMBER | BIT_BOOLEAN;
    unsigned holds = view_types(wide);
    unsigned held = view_types(narrow);
    if ((holds & held) == held)
        return true;
    if (pair->spot->is_text && holds & BIT_STRING && !view_get(wide, "format") &&
        !(held & ~scalars))
        return true;
    return false;
}

bool diff_is_list_of(const struct diff *diff, const struct schema_pair *pair)
{
    struct view items;
    if (!pair->spot->is_text || view_types(&pair->new) != BIT_ARRAY ||
        view_types(&pair->old) & BIT_ARRAY)
        return false;
    view_of(diff->new.check, view_get(&pair->new, "items"), &items);
    return type_holds(pair, &items, &pair->old);
}

/* Outside of JSON, a string accepts every value. */
static bool is_untyped_change(const struct schema_pair *pair)
{
    const struct view *text = diff_is_sent(pair) ? &pair->new : &pair->old;
    const struct view *other = diff_is_sent(pair) ? &pair->old : &pair->new;
    bool in_body = pair->spot->family == IN_REQUEST || pair->spot->family == IN_RESPONSE;
    return in_body && pair->spot->is_text && view_types(text) == BIT_STRING &&
           !view_get(text, "format") && view_get(other, "type");
}

static bool type_is_wider(const struct schema_pair *pair, const struct view *wide,
                          const struct view *narrow)
{
    struct text wide_format = node_text(view_get(wide, "format"));
    struct text narrow_format = node_text(view_get(narrow, "format"));
    bool is_other_type = view_types(wide) != view_types(narrow);
    return type_holds(pair, wide, narrow) &&
           (format_holds(wide_format, narrow_format) || (is_other_type && wide_format.size == 0));
}

static void compare_types(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *from = view_get(&pair->old, "type");
    const struct node *to = view_get(&pair->new, "type");
    bool is_list = view_has_type_list(&pair->old) || view_has_type_list(&pair->new);
    bool is_param_property = pair->spot->family == IN_PARAMETER && pair->spot->is_property;
    bool widens = type_is_wider(pair, &pair->new, &pair->old);
    bool narrows = type_is_wider(pair, &pair->old, &pair->new);
    if (widens && narrows)
        return;
    if (view_types(&pair->old) == view_types(&pair->new)) {
        from = view_get(&pair->old, "format");
        to = view_get(&pair->new, "format");
    }
    enum schema_change_kind kind = SCHEMA_TYPE_CHANGED;
    if (widens || diff_is_list_of(diff, pair))
        kind = is_list ? SCHEMA_TYPES_WIDENED : SCHEMA_TYPE_GENERALIZED;
    else if (narrows && is_list)
        kind = SCHEMA_TYPES_NARROWED;
    else if (narrows && (!diff_is_sent(pair) || is_param_property))
        kind = SCHEMA_TYPE_SPECIALIZED;
    else if (!narrows && is_untyped_change(pair))
        kind = SCHEMA_TYPE_COMPATIBLE;
    diff_note(diff, pair, kind, from, to);
}

static void compare_null(struct diff *diff, const struct schema_pair *pair)
{
    bool was = view_is_nullable(&pair->old);
    bool is = view_is_nullable(&pair->new);
    bool says_type = view_get(&pair->old, "type") && view_get(&pair->new, "type");
    if (was != is && says_type)
        diff_note(diff, pair, is ? SCHEMA_NULLABLE : SCHEMA_NOT_NULLABLE, NULL, NULL);
}

/* ---- enum, const, pattern, default ---- */

/* Any order that puts equal scalars next to each other; lists and objects are compared one by
 * one. */
static int by_value(const void *a, const void *b)
{
    const struct node *left = *(struct node *const *)a;
    const struct node *right = *(struct node *const *)b;
    if (left->kind != right->kind)
        return number_order(left->kind, right->kind);
    if (left->kind == NODE_NUMBER)
        return node_compare(left, right);
    if (left->kind == NODE_STRING)
        return text_order(left->text, right->text);
    return left->kind == NODE_BOOL ? left->is_true - right->is_true : 0;
}

static void report_missing(struct diff *diff, const struct schema_pair *pair,
                           const struct node *values, const struct node *among,
                           enum schema_change_kind kind)
{
    size_t count = node_count(among);
    if (!diff_steps(diff, count))
        return;
    scoped(mem_free) struct node **sorted = mem_array(count + 1, sizeof(*sorted));
    if (count > 0)
        memcpy(sorted, among->child, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), by_value);
    for (size_t i = 0; i < node_count(values) && diff_step(diff); i++) {
        struct node *value = values->child[i];
        bool is_scalar = value->kind != NODE_LIST && value->kind != NODE_OBJECT;
        bool is_null = value->kind == NODE_NULL; /* reported as became-nullable */
        if (!is_scalar || is_null || bsearch(&value, sorted, count, sizeof(*sorted), by_value))
            continue;
        bool is_removal = kind == SCHEMA_ENUM_REMOVED || kind == SCHEMA_X_ENUM_REMOVED;
        diff_add_schema(diff, kind, pair->spot, value, is_removal ? value : NULL,
                        is_removal ? NULL : value);
    }
}

static void compare_enums(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = view_get(&pair->old, "enum");
    const struct node *new = view_get(&pair->new, "enum");
    const struct node *old_open = view_get(&pair->old, "x-extensible-enum");
    const struct node *new_open = view_get(&pair->new, "x-extensible-enum");
    if (node_is(old_open, NODE_LIST) && node_is(new_open, NODE_LIST))
        report_missing(diff, pair, old_open, new_open, SCHEMA_X_ENUM_REMOVED);
    if (!node_is(old, NODE_LIST) && node_is(new, NODE_LIST))
        diff_note(diff, pair, SCHEMA_ENUM, NULL, new);
    else if (node_is(old, NODE_LIST) && !node_is(new, NODE_LIST))
        diff_note(diff, pair, SCHEMA_NOT_ENUM, old, NULL);
    else if (node_is(old, NODE_LIST)) {
        report_missing(diff, pair, old, new, SCHEMA_ENUM_REMOVED);
        report_missing(diff, pair, new, old, SCHEMA_ENUM_ADDED);
    }
}

/* Keywords that can be added, changed or removed. */
enum { NOT_TOLD = -1 };

/* clang-format off */
#define PRESENCE(kind, changed) SCHEMA_##kind##_ADDED, changed, SCHEMA_##kind##_REMOVED
static const struct {
    const char *keyword;
    unsigned versions; /* that support it */
    int added;
    int changed;
    int removed;
} presences[] = {
    { "const",                 V31_UP,       PRESENCE(CONST, SCHEMA_CONST_CHANGED) },
    { "pattern",               ALL,          PRESENCE(PATTERN, SCHEMA_PATTERN_CHANGED) },
    { "multipleOf",            ALL,          SCHEMA_MULTIPLE_OF_ADDED, NOT_TOLD, SCHEMA_MULTIPLE_OF_REMOVED },
    { "default",               ALL,          PRESENCE(DEFAULT, SCHEMA_DEFAULT_CHANGED) },
    { "not",                   V30 | V31_UP, PRESENCE(NOT, NOT_TOLD) },
    { "if",                    V31_UP,       PRESENCE(IF, NOT_TOLD) },
    { "then",                  V31_UP,       PRESENCE(THEN, NOT_TOLD) },
    { "else",                  V31_UP,       PRESENCE(ELSE, NOT_TOLD) },
    { "contains",              V31_UP,       PRESENCE(CONTAINS, NOT_TOLD) },
    { "dependentRequired",     V31_UP,
      PRESENCE(DEPENDENT_REQUIRED, SCHEMA_DEPENDENT_REQUIRED_CHANGED) },
    { "dependentSchemas",      V31_UP,       PRESENCE(DEPENDENT_SCHEMA, NOT_TOLD) },
    { "patternProperties",     V31_UP,       PRESENCE(PATTERN_PROPERTY, NOT_TOLD) },
    { "propertyNames",         V31_UP,       PRESENCE(PROPERTY_NAMES, NOT_TOLD) },
    { "unevaluatedItems",      V31_UP,       PRESENCE(UNEVALUATED_ITEMS, NOT_TOLD) },
    { "unevaluatedProperties", V31_UP,       PRESENCE(UNEVALUATED_PROPERTIES, NOT_TOLD) },
    { "contentSchema",         V31_UP,       PRESENCE(CONTENT_SCHEMA, NOT_TOLD) },
    { "contentMediaType",      V31_UP,       SCHEMA_CONTENT_MEDIA_TYPE, SCHEMA_CONTENT_MEDIA_TYPE,
      SCHEMA_CONTENT_MEDIA_TYPE },
    { "contentEncoding",       V31_UP,       SCHEMA_CONTENT_ENCODING, SCHEMA_CONTENT_ENCODING,
      SCHEMA_CONTENT_ENCODING },
};
/* clang-format on */

/* An empty pattern matches everything. */
static const struct node *presence_of(const struct view *view, size_t i)
{
    const struct node *node = view_get(view, presences[i].keyword);
    bool is_nothing = strcmp(presences[i].keyword, "pattern") == 0 && node_says(node, "");
    return presences[i].versions & view->version && !is_nothing ? node : NULL;
}

static void compare_presences(struct diff *diff, const struct schema_pair *pair)
{
    for (size_t i = 0; i < countof(presences); i++) {
        const struct node *old = presence_of(&pair->old, i);
        const struct node *new = presence_of(&pair->new, i);
        if ((!old && !new) || diff_is_same(diff, old, new))
            continue;
        int kind = !old ? presences[i].added : !new ? presences[i].removed : presences[i].changed;
        if (kind != NOT_TOLD)
            diff_note(diff, pair, (enum schema_change_kind)kind, old, new);
    }
}

/* ---- multipleOf, uniqueItems ---- */

/* Is a a multiple of b, within the precision of both? */
static bool is_multiple(double a, double b)
{
    double quotient = b != 0 ? a / b : 0.5;
    double off = quotient - nearbyint(quotient);
    return (off < 0 ? -off : off) < 1e-9;
}

static void compare_multiples(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = view_get(&pair->old, "multipleOf");
    const struct node *new = view_get(&pair->new, "multipleOf");
    if (!node_is(old, NODE_NUMBER) || !node_is(new, NODE_NUMBER) || node_compare(old, new) == 0)
        return;
    enum schema_change_kind kind = SCHEMA_MULTIPLE_OF_CHANGED;
    if (is_multiple(new->number, old->number))
        kind = SCHEMA_MULTIPLE_OF_NARROWED;
    else if (is_multiple(old->number, new->number))
        kind = SCHEMA_MULTIPLE_OF_WIDENED;
    diff_note(diff, pair, kind, old, new);
}

static void compare_unique_items(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = view_get(&pair->old, "uniqueItems");
    const struct node *new = view_get(&pair->new, "uniqueItems");
    if (node_is_true(old) != node_is_true(new))
        diff_note(diff, pair,
                  node_is_true(new) ? SCHEMA_UNIQUE_ITEMS_ADDED : SCHEMA_UNIQUE_ITEMS_REMOVED, old,
                  new);
}

/* ---- bounds ---- */

/* clang-format off */
static const struct {
    const char *keyword;
    const char *name; /* name in ids */
    bool is_upper;
} bounds[] = {
    { "maximum",          "max",           true },
    { "exclusiveMaximum", "exclusive-max", true },
    { "maxLength",        "max-length",    true },
    { "maxItems",         "max-items",     true },
    { "minimum",          "min",           false },
    { "exclusiveMinimum", "exclusive-min", false },
    { "minLength",        "min-length",    false },
    { "minItems",         "min-items",     false },
    { "minContains",      "min-contains",  false },
    { "maxContains",      "max-contains",  true },
    { "minProperties",    "min-properties", false },
    { "maxProperties",    "max-properties", true },
};
/* clang-format on */

/* Lower bounds whose default is 0. */
static bool is_count_from_zero(const char *keyword)
{
    static const char *const keywords[] = { "minLength", "minItems", "minProperties" };
    return text_is_among(text_of(keyword), keywords, countof(keywords));
}

/* The bound in terms of 3.1: earlier, a flag made maximum and minimum exclusive. */
static const struct node *bound_of(const struct view *view, const char *keyword)
{
    bool is_old = view->version & (V20 | V30);
    const struct node *node = view_get(view, keyword);
    static const char *const flags[][2] = { { "maximum", "exclusiveMaximum" },
                                            { "minimum", "exclusiveMinimum" } };
    for (size_t i = 0; is_old && i < countof(flags); i++) {
        bool is_exclusive = node_is_true(view_get(view, flags[i][1]));
        if (strcmp(keyword, flags[i][0]) == 0 && is_exclusive)
            return NULL;
        if (strcmp(keyword, flags[i][1]) == 0)
            node = is_exclusive ? view_get(view, flags[i][0]) : NULL;
    }
    bool is_nothing =
        is_count_from_zero(keyword) && node_is(node, NODE_NUMBER) && node->number <= 0;
    return node_is(node, NODE_NUMBER) && !is_nothing ? node : NULL;
}

/* The bound of the other kind: exclusiveMaximum for maximum. NULL: none. */
static const struct node *other_bound(const struct view *view, const char *keyword)
{
    static const char *const kinds[][2] = { { "maximum", "exclusiveMaximum" },
                                            { "exclusiveMaximum", "maximum" },
                                            { "minimum", "exclusiveMinimum" },
                                            { "exclusiveMinimum", "minimum" } };
    for (size_t k = 0; k < countof(kinds); k++)
        if (strcmp(keyword, kinds[k][0]) == 0)
            return bound_of(view, kinds[k][1]);
    return NULL;
}

/* Is a new bound not narrower than the old one of the other kind, such as 20 for less than 20? */
static bool bound_is_wider(const struct schema_pair *pair, size_t i, const struct node *new)
{
    const struct node *old = other_bound(&pair->old, bounds[i].keyword);
    if (!old || !new)
        return false;
    bool is_exclusive = bounds[i].keyword[0] == 'e';
    int wider = bounds[i].is_upper ? node_compare(new, old) : node_compare(old, new);
    return wider > 0 || (!is_exclusive && wider == 0);
}

/* Is the missing bound implied by the new one of the other kind, such as 20 by less than 20? */
static bool bound_is_implied(const struct schema_pair *pair, size_t i, const struct node *old)
{
    const struct node *new = other_bound(&pair->new, bounds[i].keyword);
    bool is_strict = bounds[i].keyword[0] == 'e';
    if (!new || !old)
        return false;
    int tighter = bounds[i].is_upper ? node_compare(old, new) : node_compare(new, old);
    return is_strict ? tighter > 0 : tighter >= 0;
}

static void compare_bound(struct diff *diff, const struct schema_pair *pair, size_t i)
{
    const struct node *old = bound_of(&pair->old, bounds[i].keyword);
    const struct node *new = bound_of(&pair->new, bounds[i].keyword);
    bool asks = diff_is_sent(pair);
    const char *event = "set";
    enum change_level level = asks && !bound_is_wider(pair, i, new) ? CHANGE_WARNING : CHANGE_INFO;
    if ((!old && !new) || (old && new &&node_compare(old, new) == 0))
        return;
    if (old && !new) {
        event = "unset";
        level = asks || bound_is_implied(pair, i, old) ? CHANGE_INFO : CHANGE_ERROR;
    } else if (old) {
        bool is_increase = node_compare(new, old) > 0;
        bool is_narrower = is_increase != bounds[i].is_upper;
        event = is_increase ? "increased" : "decreased";
        level = is_narrower == asks || pair->spot->is_turned ? CHANGE_ERROR : CHANGE_INFO;
    }
    if (pair->spot->is_turned)
        level = MIN(level, CHANGE_WARNING);
    diff_add_bound(diff, bounds[i].name, event, level, pair->spot, new ? new : old, old, new);
}

/* ---- discriminators ---- */

static const struct node *mapping_of(const struct view *view)
{
    const struct node *mapping = node_get(view_get(view, "discriminator"), "mapping");
    return node_is(mapping, NODE_OBJECT) ? mapping : NULL;
}

static void compare_mappings(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = mapping_of(&pair->old);
    const struct node *new = mapping_of(&pair->new);
    for (size_t i = 0; i < node_count(new) && diff_step(diff); i++) {
        const struct node *before = node_member(old, new->child[i]->key);
        if (!before)
            diff_note(diff, pair, SCHEMA_MAPPING_ADDED, NULL, new->child[i]);
        else if (!is_same_text(before, new->child[i]))
            diff_note(diff, pair, SCHEMA_MAPPING_CHANGED, before, new->child[i]);
    }
    for (size_t i = 0; i < node_count(old) && diff_step(diff); i++)
        if (!node_member(new, old->child[i]->key))
            diff_note(diff, pair, SCHEMA_MAPPING_DELETED, old->child[i], NULL);
}

/* In Swagger 2.0, the discriminator is just the property's name. */
static const struct node *discriminator_name(const struct view *view)
{
    const struct node *node = view_get(view, "discriminator");
    return node_is(node, NODE_OBJECT) ? node_get(node, "propertyName") : node;
}

static void compare_discriminators(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = discriminator_name(&pair->old);
    const struct node *new = discriminator_name(&pair->new);
    if (!old && !new)
        return;
    if (!old || !new) {
        diff_note(diff, pair, new ? SCHEMA_DISCRIMINATOR_ADDED : SCHEMA_DISCRIMINATOR_REMOVED, old,
                  new);
        return;
    }
    if (!is_same_text(old, new))
        diff_note(diff, pair, SCHEMA_DISCRIMINATOR_NAME, old, new);
    compare_mappings(diff, pair);
}

/* ---- entry point ---- */

/* If a value became a list of such values, its keywords are now those of the items. */
static bool is_of_lists(const char *keyword)
{
    return strcmp(keyword, "maxItems") == 0 || strcmp(keyword, "minItems") == 0;
}

void diff_values(struct diff *diff, const struct schema_pair *pair)
{
    bool is_list_of = diff_is_list_of(diff, pair);
    compare_types(diff, pair);
    compare_null(diff, pair);
    if (!is_list_of) {
        compare_enums(diff, pair);
        compare_presences(diff, pair);
        compare_multiples(diff, pair);
        compare_unique_items(diff, pair);
    }
    for (size_t i = 0; i < countof(bounds); i++)
        if (!is_list_of || is_of_lists(bounds[i].keyword))
            compare_bound(diff, pair, i);
    compare_discriminators(diff, pair);
}
