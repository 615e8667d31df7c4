/*
 * svc-security/openapi-validate/diff-schema.c - two schemas beside each other: what a caller may
 * send less of, or may be sent more of.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "diff.h"
#include "values.h"
#include "view.h"

/* Two schemas, flattened. */
struct both {
    const struct spot *spot;
    const struct node *at; /* the new schema */
    struct view old;
    struct view new;
};

static void compare_schemas(struct diff *diff, const struct spot *spot, const struct node *old,
                            const struct node *new);

/* ---- small steps ---- */

static void note(struct diff *diff, const struct both *both, enum schema_change_kind kind,
                 const struct node *from, const struct node *to)
{
    diff_add_schema(diff, kind, both->spot, to ? to : from ? from : both->at, from, to);
}

static bool is_narrower_matter(const struct both *both)
{
    return both->spot->family == IN_PARAMETER || both->spot->family == IN_REQUEST;
}

static bool is_same(struct diff *diff, const struct node *a, const struct node *b)
{
    enum { STEPS_MAX = 10000 };
    size_t steps = STEPS_MAX;
    bool is_equal = a == b || (a && b && node_equal(a, b, &steps));
    (void)diff_steps(diff, STEPS_MAX - steps);
    return is_equal;
}

/* The old and the new schema flattened; false when there was too much to do. */
static bool flatten(struct diff *diff, const struct node *old, const struct node *new,
                    struct view *old_view, struct view *new_view)
{
    view_of(diff->old.check, old, old_view);
    view_of(diff->new.check, new, new_view);
    return diff_steps(diff, old_view->work + new_view->work);
}

/* ---- type and format ---- */

/* Formats that hold all values of another. */
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

/* In a URL or a form every number and truth value is a text, and one value is a list of one. */
static bool type_holds(const struct both *both, const struct view *wide, const struct view *narrow)
{
    const unsigned scalars = BIT_STRING | BIT_INTEGER | BIT_NUMBER | BIT_BOOLEAN;
    unsigned holds = view_types(wide);
    unsigned held = view_types(narrow);
    if ((holds & held) == held)
        return true;
    if (both->spot->is_text && holds & BIT_STRING && !view_get(wide, "format") &&
        !(held & ~scalars))
        return true;
    return false;
}

/* A list of items that hold what was one value, as forms and queries send it. */
static bool is_list_of(const struct diff *diff, const struct both *both, const struct view *list,
                       const struct view *single)
{
    struct view items;
    if (!both->spot->is_text || view_types(list) != BIT_ARRAY || view_types(single) & BIT_ARRAY)
        return false;
    view_of(diff->new.check, view_get(list, "items"), &items);
    return type_holds(both, &items, single);
}

static bool holds(const struct both *both, const struct view *wide, const struct view *narrow)
{
    struct text wide_format = node_text(view_get(wide, "format"));
    struct text narrow_format = node_text(view_get(narrow, "format"));
    bool is_other_type = view_types(wide) != view_types(narrow);
    return type_holds(both, wide, narrow) &&
           (format_holds(wide_format, narrow_format) || (is_other_type && wide_format.size == 0));
}

static void compare_types(struct diff *diff, const struct both *both)
{
    const struct node *from = view_get(&both->old, "type");
    const struct node *to = view_get(&both->new, "type");
    bool is_list = view_has_type_list(&both->old) || view_has_type_list(&both->new);
    bool is_param_property = both->spot->family == IN_PARAMETER && both->spot->is_property;
    bool widens = holds(both, &both->new, &both->old);
    bool narrows = holds(both, &both->old, &both->new);
    if (widens && narrows)
        return;
    if (view_types(&both->old) == view_types(&both->new)) {
        from = view_get(&both->old, "format");
        to = view_get(&both->new, "format");
    }
    enum schema_change_kind kind = SCHEMA_TYPE_CHANGED;
    if (widens || is_list_of(diff, both, &both->new, &both->old))
        kind = is_list ? SCHEMA_TYPES_WIDENED : SCHEMA_TYPE_GENERALIZED;
    else if (narrows && is_list)
        kind = SCHEMA_TYPES_NARROWED;
    else if (narrows && (!is_narrower_matter(both) || is_param_property))
        kind = SCHEMA_TYPE_SPECIALIZED;
    note(diff, both, kind, from, to);
}

static void compare_null(struct diff *diff, const struct both *both)
{
    bool was = view_is_nullable(&both->old);
    bool is = view_is_nullable(&both->new);
    bool says_type = view_get(&both->old, "type") && view_get(&both->new, "type");
    if (was != is && says_type)
        note(diff, both, is ? SCHEMA_NULLABLE : SCHEMA_NOT_NULLABLE, NULL, NULL);
}

/* ---- enum, const, pattern, default ---- */

struct values {
    struct node **item; /* sorted */
    size_t count;
};

/* Any order will do that puts equal scalars side by side; lists and objects are compared one by
 * one. */
static int by_value(const void *a, const void *b)
{
    const struct node *left = *(struct node *const *)a;
    const struct node *right = *(struct node *const *)b;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (left->kind == NODE_NUMBER)
        return (left->number > right->number) - (left->number < right->number);
    if (left->kind == NODE_STRING)
        return text_order(left->text, right->text);
    return left->kind == NODE_BOOL ? left->is_true - right->is_true : 0;
}

static void report_missing(struct diff *diff, const struct both *both, const struct node *values,
                           const struct node *among, enum schema_change_kind kind)
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
        bool is_null = value->kind == NODE_NULL; /* told by became-nullable */
        if (!is_scalar || is_null || bsearch(&value, sorted, count, sizeof(*sorted), by_value))
            continue;
        bool is_removal = kind == SCHEMA_ENUM_REMOVED || kind == SCHEMA_X_ENUM_REMOVED;
        diff_add_schema(diff, kind, both->spot, value, is_removal ? value : NULL,
                        is_removal ? NULL : value);
    }
}

static void compare_enums(struct diff *diff, const struct both *both)
{
    const struct node *old = view_get(&both->old, "enum");
    const struct node *new = view_get(&both->new, "enum");
    const struct node *old_open = view_get(&both->old, "x-extensible-enum");
    const struct node *new_open = view_get(&both->new, "x-extensible-enum");
    if (node_is(old_open, NODE_LIST) && node_is(new_open, NODE_LIST))
        report_missing(diff, both, old_open, new_open, SCHEMA_X_ENUM_REMOVED);
    if (!node_is(old, NODE_LIST) && node_is(new, NODE_LIST))
        note(diff, both, SCHEMA_ENUM, NULL, new);
    else if (node_is(old, NODE_LIST) && !node_is(new, NODE_LIST))
        note(diff, both, SCHEMA_NOT_ENUM, old, NULL);
    else if (node_is(old, NODE_LIST)) {
        report_missing(diff, both, old, new, SCHEMA_ENUM_REMOVED);
        report_missing(diff, both, new, old, SCHEMA_ENUM_ADDED);
    }
}

/* What may be there or not, and change: SCHEMA_COUNT_ stands for "not told". */
enum { NOT_TOLD = -1 };

/* clang-format off */
static const struct {
    const char *keyword;
    unsigned versions; /* that know it */
    int added;
    int changed;
    int removed;
} presences[] = {
    { "const", V31_UP, SCHEMA_CONST_ADDED, SCHEMA_CONST_CHANGED, SCHEMA_CONST_REMOVED },
    { "pattern", ALL, SCHEMA_PATTERN_ADDED, SCHEMA_PATTERN_CHANGED, SCHEMA_PATTERN_REMOVED },
    { "default", ALL, SCHEMA_DEFAULT_ADDED, SCHEMA_DEFAULT_CHANGED, SCHEMA_DEFAULT_REMOVED },
    { "if", V31_UP, SCHEMA_IF_ADDED, NOT_TOLD, SCHEMA_IF_REMOVED },
    { "then", V31_UP, SCHEMA_THEN_ADDED, NOT_TOLD, SCHEMA_THEN_REMOVED },
    { "else", V31_UP, SCHEMA_ELSE_ADDED, NOT_TOLD, SCHEMA_ELSE_REMOVED },
    { "contains", V31_UP, SCHEMA_CONTAINS_ADDED, NOT_TOLD, SCHEMA_CONTAINS_REMOVED },
    { "dependentRequired", V31_UP, SCHEMA_DEPENDENT_REQUIRED_ADDED,
      SCHEMA_DEPENDENT_REQUIRED_CHANGED, SCHEMA_DEPENDENT_REQUIRED_REMOVED },
    { "dependentSchemas", V31_UP, SCHEMA_DEPENDENT_SCHEMA_ADDED, NOT_TOLD,
      SCHEMA_DEPENDENT_SCHEMA_REMOVED },
    { "patternProperties", V31_UP, SCHEMA_PATTERN_PROPERTY_ADDED, NOT_TOLD,
      SCHEMA_PATTERN_PROPERTY_REMOVED },
    { "propertyNames", V31_UP, SCHEMA_PROPERTY_NAMES_ADDED, NOT_TOLD,
      SCHEMA_PROPERTY_NAMES_REMOVED },
    { "unevaluatedItems", V31_UP, SCHEMA_UNEVALUATED_ITEMS_ADDED, NOT_TOLD,
      SCHEMA_UNEVALUATED_ITEMS_REMOVED },
    { "unevaluatedProperties", V31_UP, SCHEMA_UNEVALUATED_PROPERTIES_ADDED, NOT_TOLD,
      SCHEMA_UNEVALUATED_PROPERTIES_REMOVED },
    { "contentSchema", V31_UP, SCHEMA_CONTENT_SCHEMA_ADDED, NOT_TOLD,
      SCHEMA_CONTENT_SCHEMA_REMOVED },
    { "contentMediaType", V31_UP, SCHEMA_CONTENT_MEDIA_TYPE, SCHEMA_CONTENT_MEDIA_TYPE,
      SCHEMA_CONTENT_MEDIA_TYPE },
    { "contentEncoding", V31_UP, SCHEMA_CONTENT_ENCODING, SCHEMA_CONTENT_ENCODING,
      SCHEMA_CONTENT_ENCODING },
};
/* clang-format on */

static void compare_presences(struct diff *diff, const struct both *both)
{
    for (size_t i = 0; i < countof(presences); i++) {
        const struct node *old = view_get(&both->old, presences[i].keyword);
        const struct node *new = view_get(&both->new, presences[i].keyword);
        old = presences[i].versions & both->old.version ? old : NULL;
        new = presences[i].versions & both->new.version ? new : NULL;
        if ((!old && !new) || is_same(diff, old, new))
            continue;
        int kind = !old ? presences[i].added : !new ? presences[i].removed : presences[i].changed;
        if (kind != NOT_TOLD)
            note(diff, both, (enum schema_change_kind)kind, old, new);
    }
}

/* ---- bounds ---- */

/* clang-format off */
static const struct {
    const char *keyword;
    const char *name; /* in ids */
    bool is_upper;
    enum change_level unset; /* in a response */
} bounds[] = {
    { "maximum",          "max",           true,  CHANGE_INFO },
    { "exclusiveMaximum", "exclusive-max", true,  CHANGE_INFO },
    { "maxLength",        "max-length",    true,  CHANGE_ERROR },
    { "maxItems",         "max-items",     true,  CHANGE_INFO },
    { "minimum",          "min",           false, CHANGE_INFO },
    { "exclusiveMinimum", "exclusive-min", false, CHANGE_INFO },
    { "minLength",        "min-length",    false, CHANGE_INFO },
    { "minItems",         "min-items",     false, CHANGE_ERROR },
    { "minContains",      "min-contains",  false, CHANGE_INFO },
    { "maxContains",      "max-contains",  true,  CHANGE_INFO },
};
/* clang-format on */

/* The bound as 3.1 says it: before, a flag made maximum and minimum exclusive. */
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
    return node_is(node, NODE_NUMBER) ? node : NULL;
}

static void compare_bound(struct diff *diff, const struct both *both, size_t i)
{
    const struct node *old = bound_of(&both->old, bounds[i].keyword);
    const struct node *new = bound_of(&both->new, bounds[i].keyword);
    bool asks = is_narrower_matter(both);
    const char *event = "set";
    enum change_level level = asks ? CHANGE_WARNING : CHANGE_INFO;
    if ((!old && !new) || (old && new && old->number == new->number))
        return;
    if (old && !new) {
        event = "unset";
        level = asks ? CHANGE_INFO : bounds[i].unset;
    } else if (old) {
        bool is_increase = new->number > old->number;
        bool is_narrower = is_increase != bounds[i].is_upper;
        event = is_increase ? "increased" : "decreased";
        level = is_narrower == asks ? CHANGE_ERROR : CHANGE_INFO;
    }
    diff_add_bound(diff, bounds[i].name, event, level, both->spot, new ? new : old, old, new);
}

/* ---- what is inside ---- */

static void descend(struct diff *diff, const struct both *both, struct text name,
                    const struct node *old, const struct node *new)
{
    struct spot spot = *both->spot;
    spot.is_property = true;
    spot.name = name.size > 0 ? name : both->spot->name;
    spot.depth++;
    if (spot.family == IN_REQUEST || spot.family == IN_RESPONSE)
        spot.is_text = spot.is_text && spot.depth == 1; /* the fields of a form */
    if (old && new)
        compare_schemas(diff, &spot, old, new);
}

/* It does not count in this direction. */
static bool is_left_out(const struct both *both, const struct view *schema)
{
    if (both->spot->family == IN_REQUEST)
        return node_is_true(view_get(schema, "readOnly"));
    return both->spot->family == IN_RESPONSE && node_is_true(view_get(schema, "writeOnly"));
}

static void note_new_property(struct diff *diff, const struct both *both,
                              const struct node *property, const struct view *view)
{
    struct text name = property->key;
    bool is_required = view_requires(&both->new, name);
    bool has_default = view_get(view, "default") != NULL;
    enum change_kind kind;
    if (both->spot->family == IN_RESPONSE || both->spot->family == IN_HEADER)
        kind = is_required ? CHANGE_RESPONSE_REQUIRED_ADDED : CHANGE_RESPONSE_OPTIONAL_ADDED;
    else if (!is_required)
        kind = CHANGE_PROPERTY_OPTIONAL_NEW;
    else if (both->spot->in_header)
        kind = CHANGE_HEADER_PROPERTY_REQUIRED_NEW;
    else
        kind = has_default ? CHANGE_PROPERTY_REQUIRED_DEFAULT_NEW : CHANGE_PROPERTY_REQUIRED_NEW;
    diff_add(diff, kind, property, NULL, NULL);
}

static void note_old_property(struct diff *diff, const struct both *both,
                              const struct node *property)
{
    bool was_required = view_requires(&both->old, property->key);
    enum change_kind kind = CHANGE_PROPERTY_REMOVED;
    if (!is_narrower_matter(both))
        kind = was_required ? CHANGE_RESPONSE_REQUIRED_REMOVED : CHANGE_RESPONSE_OPTIONAL_REMOVED;
    diff_add(diff, kind, property, NULL, NULL);
}

static void compare_presence(struct diff *diff, const struct both *both,
                             const struct node *property, const struct view *old,
                             const struct view *new)
{
    struct spot spot = *both->spot;
    struct both here = { .spot = &spot, .at = property, .old = *old, .new = *new };
    bool was = view_requires(&both->old, property->key);
    bool is = view_requires(&both->new, property->key);
    spot.is_property = true;
    spot.name = property->key;
    if (is && !was) {
        bool has_default = is_narrower_matter(both) && view_get(new, "default");
        note(diff, &here, has_default ? SCHEMA_REQUIRED_WITH_DEFAULT : SCHEMA_REQUIRED, NULL, NULL);
    }
    if (was && !is)
        note(diff, &here, SCHEMA_OPTIONAL, NULL, NULL);
    if (stability_of(deref(property)) < stability_of(old->count > 0 ? old->part[0] : NULL))
        note(diff, &here, SCHEMA_STABILITY_DECREASED, NULL, NULL);
    int64_t day;
    const struct node *sunset = view_get(new, "x-sunset");
    if (sunset && !is_same_text(view_get(old, "x-sunset"), sunset) &&
        node_is_true(view_get(new, "deprecated")) && !sunset_day(sunset, &day))
        note(diff, &here, SCHEMA_SUNSET_INVALID, NULL, sunset);
}

static void compare_property(struct diff *diff, const struct both *both,
                             const struct node *old_property, const struct node *new_property)
{
    struct view old;
    struct view new;
    if (!flatten(diff, old_property, new_property, &old, &new))
        return;
    bool was_left_out = !old_property || is_left_out(both, &old);
    bool is_left_out_now = !new_property || is_left_out(both, &new);
    if (!diff_steps(diff, both->old.work + both->new.work)) /* the required lists are searched */
        return;
    bool was_required = old_property && view_requires(&both->old, old_property->key);
    if (was_left_out && is_left_out_now)
        return;
    if (was_left_out && old_property && both->spot->family == IN_RESPONSE && was_required) {
        struct spot spot = *both->spot;
        struct both here = { .spot = &spot, .at = new_property, .old = old, .new = new };
        spot.is_property = true;
        spot.name = new_property->key;
        diff_add_schema(diff, SCHEMA_NOT_WRITE_ONLY, here.spot, new_property, NULL, NULL);
    } else if (was_left_out) {
        note_new_property(diff, both, new_property, &new);
    } else if (is_left_out_now) {
        note_old_property(diff, both, old_property);
    } else {
        compare_presence(diff, both, new_property, &old, &new);
        descend(diff, both, new_property->key, old_property, new_property);
    }
}

/* Each property of a view once, whatever part it is of. */
static bool is_first(const struct view *view, size_t part, struct text name)
{
    for (size_t i = 0; i < part; i++)
        if (node_member(node_get(view->part[i], "properties"), name))
            return false;
    return true;
}

static void compare_properties(struct diff *diff, const struct both *both)
{
    for (size_t i = 0; i < both->new.count; i++) {
        const struct node *list = node_get(both->new.part[i], "properties");
        for (size_t k = 0; node_is(list, NODE_OBJECT) && k < list->count && diff_step(diff); k++)
            if (is_first(&both->new, i, list->child[k]->key))
                compare_property(diff, both, view_property(&both->old, list->child[k]->key),
                                 list->child[k]);
    }
    for (size_t i = 0; i < both->old.count; i++) {
        const struct node *list = node_get(both->old.part[i], "properties");
        for (size_t k = 0; node_is(list, NODE_OBJECT) && k < list->count && diff_step(diff); k++)
            if (is_first(&both->old, i, list->child[k]->key) &&
                !view_property(&both->new, list->child[k]->key))
                compare_property(diff, both, list->child[k], NULL);
    }
}

/* ---- choices ---- */

/* The same branch: by its reference, or word by word. */
static bool is_same_branch(struct diff *diff, const struct node *a, const struct node *b)
{
    struct text left = node_text_at(a, "$ref");
    struct text right = node_text_at(b, "$ref");
    const char *left_name = left.size > 0 ? memrchr(left.bytes, '/', left.size) : NULL;
    const char *right_name = right.size > 0 ? memrchr(right.bytes, '/', right.size) : NULL;
    if (left_name && right_name) /* definitions and components/schemas differ between versions */
        return strcmp(left_name, right_name) == 0;
    return !left_name == !right_name && is_same(diff, a, b);
}

static const struct node *find_branch(struct diff *diff, const struct node *list,
                                      const struct node *wanted)
{
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count && diff_step(diff); i++)
        if (is_same_branch(diff, list->child[i], wanted))
            return list->child[i];
    return NULL;
}

static bool is_any_of(const struct node *choice)
{
    return choice && text_is(choice->key, "anyOf");
}

/* The only inline branch that the other side lacks; NULL when there are none or several. */
static const struct node *odd_branch(struct diff *diff, const struct node *list,
                                     const struct node *others)
{
    const struct node *odd = NULL;
    for (size_t i = 0; node_is(list, NODE_LIST) && i < list->count; i++) {
        if (find_branch(diff, others, list->child[i]))
            continue;
        if (odd || node_get(list->child[i], "$ref"))
            return NULL;
        odd = list->child[i];
    }
    return odd;
}

static void compare_branches(struct diff *diff, const struct both *both)
{
    const struct node *old = both->old.choice;
    const struct node *new = both->new.choice;
    const struct node *old_odd = odd_branch(diff, old, new);
    const struct node *new_odd = odd_branch(diff, new, old);
    bool is_pair = old_odd && new_odd;
    for (size_t i = 0; node_is(new, NODE_LIST) && i < new->count &&diff_step(diff); i++) {
        const struct node *twin = find_branch(diff, old, new->child[i]);
        twin = !twin && is_pair ? old_odd : twin;
        if (twin)
            descend(diff, both, TEXT(""), twin, new->child[i]);
        else if (old)
            note(diff, both, is_any_of(new) ? SCHEMA_ANY_OF_ADDED : SCHEMA_ONE_OF_ADDED, NULL,
                 new->child[i]);
    }
    for (size_t i = 0; node_is(old, NODE_LIST) && i < old->count && diff_step(diff); i++)
        if (new && !is_pair && !find_branch(diff, new, old->child[i]))
            note(diff, both, is_any_of(old) ? SCHEMA_ANY_OF_REMOVED : SCHEMA_ONE_OF_REMOVED,
                 old->child[i], NULL);
}

/* A schema that became one of several. */
static bool is_wrapped(struct diff *diff, const struct node *old, const struct both *both)
{
    const struct node *choice = both->new.choice;
    return !both->old.choice && choice && !is_any_of(choice) && !both->spot->is_property && old &&
           find_branch(diff, choice, old);
}

/* ---- the whole ---- */

/* Most schemas are a few words that stay as they are, and need not be taken apart to see it. A word
 * may mean something else in another version. */
static bool is_same_leaf(const struct diff *diff, const struct node *old, const struct node *new)
{
    bool is_alike = node_is(old, NODE_OBJECT) && node_is(new, NODE_OBJECT) &&
                    old->count == new->count &&
                    diff->old.check->version == diff->new.check->version;
    for (size_t i = 0; is_alike && i < old->count; i++) {
        const struct node *left = old->by_name[i];
        const struct node *right = new->by_name[i];
        size_t steps = 1; /* only scalars are compared to their end */
        is_alike = left->kind != NODE_LIST && left->kind != NODE_OBJECT &&
                   !text_is(left->key, "$ref") && text_order(left->key, right->key) == 0 &&
                   node_equal(left, right, &steps);
    }
    return is_alike;
}

static void compare_items(struct diff *diff, const struct both *both)
{
    const struct node *old = view_get(&both->old, "prefixItems");
    const struct node *new = view_get(&both->new, "prefixItems");
    size_t old_count = both->old.version & V31_UP ? node_count(old) : 0;
    size_t new_count = both->new.version &V31_UP ? node_count(new) : 0;
    if (new_count > old_count)
        note(diff, both, SCHEMA_PREFIX_ADDED, old, new);
    if (new_count < old_count)
        note(diff, both, SCHEMA_PREFIX_REMOVED, old, new);
    for (size_t i = 0; i < MIN(old_count, new_count); i++)
        descend(diff, both, TEXT(""), old->child[i], new->child[i]);
    descend(diff, both, TEXT(""), view_get(&both->old, "items"), view_get(&both->new, "items"));
}

static void compare_other_properties(struct diff *diff, const struct both *both)
{
    const struct node *old = view_get(&both->old, "additionalProperties");
    const struct node *new = view_get(&both->new, "additionalProperties");
    if (node_is(old, NODE_OBJECT) && node_is(new, NODE_OBJECT))
        descend(diff, both, TEXT(""), old, new);
}

static void compare_views(struct diff *diff, const struct both *both)
{
    compare_types(diff, both);
    compare_null(diff, both);
    compare_enums(diff, both);
    compare_presences(diff, both);
    for (size_t i = 0; i < countof(bounds); i++)
        compare_bound(diff, both, i);
    if (both->new.unknown > both->old.unknown)
        note(diff, both, SCHEMA_ALL_OF_ADDED, NULL, NULL);
    if (both->new.unknown < both->old.unknown)
        note(diff, both, SCHEMA_ALL_OF_REMOVED, NULL, NULL);
    compare_properties(diff, both);
    compare_other_properties(diff, both);
    compare_items(diff, both);
    compare_branches(diff, both);
}

static void compare_schemas(struct diff *diff, const struct spot *spot, const struct node *old,
                            const struct node *new)
{
    const struct node *old_meant = deref(old);
    const struct node *new_meant = deref(new);
    bool is_unknown = (old && !old_meant) || (new && !new_meant); /* of another document */
    if (is_unknown || !new || spot->depth > DIFF_DEPTH_MAX || !diff_step(diff) ||
        is_same_leaf(diff, old_meant, new_meant) || !pairs_add(&diff->pairs, old_meant, new_meant))
        return;
    scoped(mem_free) struct both *both = mem_new(sizeof(*both));
    both->spot = spot;
    both->at = new;
    if (!flatten(diff, old, new, &both->old, &both->new))
        return;
    if (is_wrapped(diff, old, both))
        diff_add_schema(diff, SCHEMA_WRAPPED, spot, both->new.choice, NULL, NULL);
    else
        compare_views(diff, both);
}

void diff_schemas(struct diff *diff, const struct spot *spot, const struct node *old,
                  const struct node *new)
{
    pairs_clear(&diff->pairs);
    compare_schemas(diff, spot, old, new);
}
