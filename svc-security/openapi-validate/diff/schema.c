/*
 * svc-security/openapi-validate/diff/schema.c - compare two schemas: does the new one accept less
 * from callers, or send them more?
 */
#include "schema.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "records.h"
#include "sunset.h"
#include "values.h"

static void compare_schemas(struct diff *diff, const struct schema_spot *spot,
                            const struct node *old, const struct node *new);

/* Flatten both schemas. Returns false once the work limit is reached. */
static bool flatten_schemas(struct diff *diff, const struct node *old, const struct node *new,
                            struct view *old_view, struct view *new_view)
{
    view_of(diff->old.check, old, old_view);
    view_of(diff->new.check, new, new_view);
    return diff_steps(diff, old_view->work + new_view->work);
}

/* Does the schema accept every value: missing, true or {}? */
static bool is_anything(const struct node *schema)
{
    const struct node *meant = deref(schema);
    return !schema || node_is_true(meant) || (node_is(meant, NODE_OBJECT) && meant->count == 0);
}

static bool is_never(const struct node *schema)
{
    const struct node *meant = deref(schema);
    return node_is(meant, NODE_BOOL) && !meant->is_true;
}

static void compare_child(struct diff *diff, const struct schema_pair *pair, struct step step,
                          const struct node *old, const struct node *new)
{
    struct schema_spot spot = *pair->spot;
    spot.is_property = true;
    spot.step = step;
    if (step.kind == STEP_MEMBER)
        spot.name = step.name;
    spot.depth++;
    if (spot.family == IN_REQUEST || spot.family == IN_RESPONSE)
        spot.is_text = spot.is_text && spot.depth == 1; /* fields of a form */
    if (old && new)
        compare_schemas(diff, &spot, old, new);
}

/* Does the schema not apply in this direction (readOnly, writeOnly)? */
static bool is_inapplicable(const struct schema_pair *pair, const struct view *schema)
{
    if (pair->spot->family == IN_REQUEST)
        return node_is_true(view_get(schema, "readOnly"));
    return pair->spot->family == IN_RESPONSE && node_is_true(view_get(schema, "writeOnly"));
}

/* Under not, requiring more forbids less: only the levels of schemas reverse. */
static bool note_inside_not(struct diff *diff, const struct schema_pair *pair,
                            const struct node *property, const struct view *view,
                            enum schema_change_kind kind)
{
    struct schema_spot spot = *pair->spot;
    struct schema_pair here = { .spot = &spot, .at = property };
    spot.is_property = true;
    spot.name = property->key;
    if (!pair->spot->is_inverse || !view_requires(view, property->key))
        return false;
    diff_note(diff, &here, kind, NULL, NULL);
    return true;
}

static void note_new_property(struct diff *diff, const struct schema_pair *pair,
                              const struct node *property, const struct view *view)
{
    struct text name = property->key;
    bool is_required = view_requires(&pair->new, name);
    bool has_default = view_get(view, "default") != NULL;
    enum change_kind kind;
    if (note_inside_not(diff, pair, property, &pair->new, SCHEMA_REQUIRED))
        return;
    if (pair->spot->family == IN_RESPONSE || pair->spot->family == IN_HEADER)
        kind = is_required ? CHANGE_RESPONSE_REQUIRED_ADDED : CHANGE_RESPONSE_OPTIONAL_ADDED;
    else if (!is_required)
        kind = CHANGE_PROPERTY_OPTIONAL_NEW;
    else if (pair->spot->in_header)
        kind = CHANGE_HEADER_PROPERTY_REQUIRED_NEW;
    else
        kind = has_default ? CHANGE_PROPERTY_REQUIRED_DEFAULT_NEW : CHANGE_PROPERTY_REQUIRED_NEW;
    diff_add(diff, kind, property, NULL, NULL);
}

static void note_old_property(struct diff *diff, const struct schema_pair *pair,
                              const struct node *property)
{
    bool was_required = view_requires(&pair->old, property->key);
    enum change_kind kind = CHANGE_PROPERTY_REMOVED;
    if (note_inside_not(diff, pair, property, &pair->old, SCHEMA_OPTIONAL))
        return;
    if (pair->spot->family == IN_RESPONSE || pair->spot->family == IN_HEADER)
        kind = was_required ? CHANGE_RESPONSE_REQUIRED_REMOVED : CHANGE_RESPONSE_OPTIONAL_REMOVED;
    else if (was_required && pair->spot->is_sent)
        kind = CHANGE_PROPERTY_REQUIRED_REMOVED;
    diff_add(diff, kind, property, NULL, NULL);
}

static struct deprecation deprecation_of(const struct view *view)
{
    return (struct deprecation){ node_is_true(view_get(view, "deprecated")),
                                 view_get(view, "x-sunset") };
}

static void compare_sunset(struct diff *diff, const struct schema_pair *pair)
{
    struct deprecation old = deprecation_of(&pair->old);
    struct deprecation new = deprecation_of(&pair->new);
    enum sunset_change change = sunset_change(diff, &old, &new);
    if (change == SUNSET_MISSING)
        diff_note(diff, pair, SCHEMA_SUNSET_MISSING, NULL, NULL);
    else if (change == SUNSET_INVALID)
        diff_note(diff, pair, SCHEMA_SUNSET_INVALID, NULL, new.sunset);
    else if (change == SUNSET_PAST)
        diff_note(diff, pair, SCHEMA_SUNSET_TOO_SMALL, NULL, new.sunset);
}

static void compare_presence(struct diff *diff, const struct schema_pair *pair,
                             const struct node *property, const struct view *old,
                             const struct view *new)
{
    struct schema_spot spot = *pair->spot;
    struct schema_pair here = { .spot = &spot, .at = property, .old = *old, .new = *new };
    bool was = view_requires(&pair->old, property->key);
    bool is = view_requires(&pair->new, property->key);
    spot.is_property = true;
    spot.name = property->key;
    if (is && !was) {
        bool has_default = diff_is_sent(pair) && view_get(new, "default");
        diff_note(diff, &here, has_default ? SCHEMA_REQUIRED_WITH_DEFAULT : SCHEMA_REQUIRED, NULL,
                  NULL);
    }
    if (was && !is)
        diff_note(diff, &here, SCHEMA_OPTIONAL, NULL, NULL);
    if (stability_of(deref(property)) < stability_of(old->count > 0 ? old->part[0] : NULL))
        diff_note(diff, &here, SCHEMA_STABILITY_DECREASED, NULL, NULL);
    compare_sunset(diff, &here);
}

static void compare_property(struct diff *diff, const struct schema_pair *pair,
                             const struct node *old_property, const struct node *new_property)
{
    struct view old;
    struct view new;
    if (!flatten_schemas(diff, old_property, new_property, &old, &new))
        return;
    bool was_left_out = !old_property || is_inapplicable(pair, &old);
    bool is_left_out_now = !new_property || is_inapplicable(pair, &new);
    if (!diff_steps(diff, pair->old.work + pair->new.work)) /* for the search in the required
                                                             * lists */
        return;
    bool was_required = old_property && view_requires(&pair->old, old_property->key);
    if (was_left_out && is_left_out_now)
        return;
    if (was_left_out && old_property && pair->spot->family == IN_RESPONSE && was_required) {
        diff_add(diff, CHANGE_NOT_WRITE_ONLY, new_property, NULL, NULL);
    } else if (was_left_out) {
        note_new_property(diff, pair, new_property, &new);
    } else if (is_left_out_now) {
        note_old_property(diff, pair, old_property);
    } else {
        compare_presence(diff, pair, new_property, &old, &new);
        compare_child(diff, pair, (struct step){ STEP_MEMBER, new_property->key, 0 }, old_property,
                      new_property);
    }
}

/* Visit each property of a view once, even if several parts have it. */
static bool is_first(const struct view *view, size_t part, struct text name)
{
    for (size_t i = 0; i < part; i++)
        if (node_member(node_get(view->part[i], "properties"), name))
            return false;
    return true;
}

static void compare_properties(struct diff *diff, const struct schema_pair *pair)
{
    for (size_t i = 0; i < pair->new.count; i++) {
        const struct node *list = node_get(pair->new.part[i], "properties");
        for (size_t k = 0; node_is(list, NODE_OBJECT) && k < list->count && diff_step(diff); k++)
            if (is_first(&pair->new, i, list->child[k]->key))
                compare_property(diff, pair, view_property(&pair->old, list->child[k]->key),
                                 list->child[k]);
    }
    for (size_t i = 0; i < pair->old.count; i++) {
        const struct node *list = node_get(pair->old.part[i], "properties");
        for (size_t k = 0; node_is(list, NODE_OBJECT) && k < list->count && diff_step(diff); k++)
            if (is_first(&pair->old, i, list->child[k]->key) &&
                !view_property(&pair->new, list->child[k]->key))
                compare_property(diff, pair, list->child[k], NULL);
    }
}

/* ---- choices ---- */

/* Are both branches the same, by reference or by content? */
static bool is_same_branch(struct diff *diff, const struct node *a, const struct node *b)
{
    struct text left = node_text_at(a, "$ref");
    struct text right = node_text_at(b, "$ref");
    const char *left_name = left.size > 0 ? memrchr(left.bytes, '/', left.size) : NULL;
    const char *right_name = right.size > 0 ? memrchr(right.bytes, '/', right.size) : NULL;
    if (left_name && right_name) /* definitions became components/schemas */
        return strcmp(left_name, right_name) == 0;
    return !left_name == !right_name && diff_is_same(diff, a, b);
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

/* The only inline branch without a counterpart; NULL: zero or several. */
static const struct node *find_unmatched_branch(struct diff *diff, const struct node *list,
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

/* Properties that moved into branches make these new. A choice next to properties is compared with
 * them anyway. */
static void compare_branches(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = pair->old.choice;
    const struct node *new = pair->new.choice;
    const struct node *old_odd = find_unmatched_branch(diff, old, new);
    const struct node *new_odd = find_unmatched_branch(diff, new, old);
    bool is_pair = old_odd && new_odd;
    bool is_split =
        !old && view_get(&pair->old, "properties") && !view_get(&pair->new, "properties");
    for (size_t i = 0; node_is(new, NODE_LIST) && i < new->count &&diff_step(diff); i++) {
        const struct node *twin = find_branch(diff, old, new->child[i]);
        twin = !twin && is_pair ? old_odd : twin;
        if (twin)
            compare_child(diff, pair, (struct step){ STEP_SAME }, twin, new->child[i]);
        else if (old || is_split)
            diff_note(diff, pair, is_any_of(new) ? SCHEMA_ANY_OF_ADDED : SCHEMA_ONE_OF_ADDED, NULL,
                      new->child[i]);
    }
    for (size_t i = 0; node_is(old, NODE_LIST) && i < old->count && diff_step(diff); i++)
        if (new && !is_pair && !find_branch(diff, new, old->child[i]))
            diff_note(diff, pair, is_any_of(old) ? SCHEMA_ANY_OF_REMOVED : SCHEMA_ONE_OF_REMOVED,
                      old->child[i], NULL);
}

/* Did the schema become one of several branches? */
static bool is_wrapped(struct diff *diff, const struct node *old, const struct schema_pair *pair)
{
    const struct node *choice = pair->new.choice;
    return !pair->old.choice && choice && !is_any_of(choice) && !pair->spot->is_property && old &&
           find_branch(diff, choice, old);
}

/* ---- entry point ---- */

/* Most schemas are small and unchanged, so compare them without flattening. Keywords can have
 * another meaning in another version. */
static bool is_same_leaf(const struct diff *diff, const struct node *old, const struct node *new)
{
    bool is_alike = node_is(old, NODE_OBJECT) && node_is(new, NODE_OBJECT) &&
                    old->count == new->count &&
                    diff->old.check->version == diff->new.check->version;
    for (size_t i = 0; is_alike && i < old->count; i++) {
        const struct node *left = old->by_name[i];
        const struct node *right = new->by_name[i];
        size_t steps = 1; /* only scalars are compared completely */
        is_alike = left->kind != NODE_LIST && left->kind != NODE_OBJECT &&
                   !text_is(left->key, "$ref") && text_order(left->key, right->key) == 0 &&
                   node_equal(left, right, &steps);
    }
    return is_alike;
}

/* ---- other keywords with schemas ---- */

/* Items of a parameter are its values, not a property. */
static void descend_items(struct diff *diff, const struct schema_pair *pair, struct step step,
                          const struct node *old, const struct node *new)
{
    struct schema_spot spot = *pair->spot;
    if (spot.family != IN_PARAMETER || spot.is_property || !old || !new) {
        compare_child(diff, pair, step, old, new);
        return;
    }
    spot.step = step;
    spot.depth++;
    compare_schemas(diff, &spot, old, new);
}

/* items with a schema on one side only, of what was and is a list. */
static void compare_item_presence(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = view_get(&pair->old, "items");
    const struct node *new = view_get(&pair->new, "items");
    bool are_lists = view_types(&pair->old) & view_types(&pair->new) & BIT_ARRAY;
    if (!are_lists || (old && new) || is_anything(old) == is_anything(new))
        return;
    if (is_never(old) || is_never(new)) /* false and a missing schema */
        diff_note(diff, pair, is_never(new) ? SCHEMA_NEVER : SCHEMA_NOT_NEVER, old, new);
    else
        diff_note(diff, pair, is_anything(old) ? SCHEMA_ITEMS_ADDED : SCHEMA_ITEMS_REMOVED, old,
                  new);
}

/* Each position that one side lists. Beyond its list, items applies. */
static void compare_positions(struct diff *diff, const struct schema_pair *pair, size_t old_count,
                              size_t new_count)
{
    const struct node *old_list = view_get(&pair->old, "prefixItems");
    const struct node *new_list = view_get(&pair->new, "prefixItems");
    const struct node *old_rest = view_get(&pair->old, "items");
    const struct node *new_rest = view_get(&pair->new, "items");
    for (size_t i = 0; i < MAX(old_count, new_count) && diff_step(diff); i++) {
        const struct node *old = i < old_count ? old_list->child[i] : old_rest;
        const struct node *new = i < new_count ? new_list->child[i] : new_rest;
        if (is_anything(old) && !is_anything(new))
            diff_note(diff, pair, SCHEMA_PREFIX_ADDED, NULL, new);
        else if (is_anything(new) && !is_anything(old))
            diff_note(diff, pair, SCHEMA_PREFIX_REMOVED, old, NULL);
        else
            compare_child(diff, pair, (struct step){ STEP_ITEM, TEXT(""), i }, old, new);
    }
}

static void compare_items(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = view_get(&pair->old, "prefixItems");
    const struct node *new = view_get(&pair->new, "prefixItems");
    size_t old_count = pair->old.version & V31_UP ? node_count(old) : 0;
    size_t new_count = pair->new.version &V31_UP ? node_count(new) : 0;
    compare_positions(diff, pair, old_count, new_count);
    compare_item_presence(diff, pair);
    if (diff_is_list_of(diff, pair)) /* a value became a list of such values */
        descend_items(diff, pair, (struct step){ STEP_SAME }, pair->was,
                      view_get(&pair->new, "items"));
    else
        descend_items(diff, pair, (struct step){ STEP_ITEM, TEXT(""), MAX(old_count, new_count) },
                      view_get(&pair->old, "items"), view_get(&pair->new, "items"));
}

/* Keywords with one schema, or with several by name. */
static const struct {
    const char *keyword;
    unsigned versions;
    bool is_map;
    enum { STRAIGHT, TURNED, INVERSE } effect; /* on the direction, as in struct schema_spot */
    enum step_kind step;
} inners[] = {
    { "not", V30 | V31_UP, false, INVERSE, STEP_SAME },
    { "if", V31_UP, false, TURNED, STEP_SAME },
    { "then", V31_UP, false, STRAIGHT, STEP_SAME },
    { "else", V31_UP, false, STRAIGHT, STEP_SAME },
    { "contains", V31_UP, false, STRAIGHT, STEP_ITEM },
    { "propertyNames", V31_UP, false, STRAIGHT, STEP_NAME },
    { "unevaluatedItems", V31_UP, false, STRAIGHT, STEP_ITEM },
    { "unevaluatedProperties", V31_UP, false, STRAIGHT, STEP_OTHER },
    { "contentSchema", V31_UP, false, STRAIGHT, STEP_NOWHERE },
    { "patternProperties", V31_UP, true, STRAIGHT, STEP_MATCH },
    { "dependentSchemas", V31_UP, true, STRAIGHT, STEP_SAME },
};

static void compare_inner(struct diff *diff, const struct schema_pair *pair, size_t i)
{
    const struct node *old = view_get(&pair->old, inners[i].keyword);
    const struct node *new = view_get(&pair->new, inners[i].keyword);
    struct schema_spot spot = *pair->spot;
    struct schema_pair here = { .spot = &spot };
    bool are_objects = node_is(old, NODE_OBJECT) && node_is(new, NODE_OBJECT);
    bool may_be_bool = !inners[i].is_map && old && new;
    if ((!are_objects && !may_be_bool) || !(inners[i].versions & pair->old.version) ||
        !(inners[i].versions & pair->new.version))
        return;
    spot.is_turned |= inners[i].effect == TURNED;
    spot.is_inverse ^= inners[i].effect == INVERSE;
    struct step step = { .kind = inners[i].step };
    if (!inners[i].is_map)
        compare_child(diff, &here, step, old, new);
    for (size_t k = 0; inners[i].is_map && k < new->count &&diff_step(diff); k++) {
        step.name = new->child[k]->key;
        compare_child(diff, &here, step, node_member(old, new->child[k]->key), new->child[k]);
    }
}

/* The schemas in allOf are compared merged, so their changes are informational here. */
static void compare_all_of(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = view_get(&pair->old, "allOf");
    const struct node *new = view_get(&pair->new, "allOf");
    if (!node_is(old, NODE_LIST) || !node_is(new, NODE_LIST) ||
        (find_unmatched_branch(diff, old, new) && find_unmatched_branch(diff, new, old)))
        return;
    for (size_t i = 0; i < new->count &&diff_step(diff); i++)
        if (!find_branch(diff, old, new->child[i]))
            diff_note(diff, pair, SCHEMA_ALL_OF_MORE, NULL, new->child[i]);
    for (size_t i = 0; i < old->count && diff_step(diff); i++)
        if (!find_branch(diff, new, old->child[i]))
            diff_note(diff, pair, SCHEMA_ALL_OF_LESS, old->child[i], NULL);
}

static void compare_other_properties(struct diff *diff, const struct schema_pair *pair)
{
    const struct node *old = view_get(&pair->old, "additionalProperties");
    const struct node *new = view_get(&pair->new, "additionalProperties");
    bool are_objects = view_types(&pair->old) & view_types(&pair->new) & BIT_OBJECT;
    bool was_open = is_anything(old);
    bool was_closed = is_never(old);
    if (!are_objects || (was_open && is_anything(new)) || (was_closed && is_never(new)))
        return;
    if (is_never(new))
        diff_note(diff, pair, SCHEMA_OTHERS_FORBIDDEN, old, new);
    else if (was_closed || is_anything(new))
        diff_note(diff, pair, SCHEMA_OTHERS_ALLOWED, old, new);
    else if (was_open)
        diff_note(diff, pair, SCHEMA_OTHERS_RESTRICTED, old, new);
    else
        compare_child(diff, pair, (struct step){ STEP_OTHER }, old, new);
}

/* Names that are required although no properties define them. */
static void compare_bare_required(struct diff *diff, const struct schema_pair *pair,
                                  const struct view *has, const struct view *lacks,
                                  enum schema_change_kind kind)
{
    struct schema_spot spot = *pair->spot;
    struct schema_pair here = { .spot = &spot, .at = pair->at };
    spot.is_property = true;
    for (size_t i = 0; i < has->count; i++) {
        const struct node *list = node_get(has->part[i], "required");
        for (size_t k = 0; node_is(list, NODE_LIST) && k < list->count &&
                           diff_steps(diff, 1 + has->work + lacks->work);
             k++) {
            struct text name = node_text(list->child[k]);
            spot.name = name;
            if (!view_requires(lacks, name) && !view_property(has, name) &&
                !view_property(lacks, name))
                diff_note(diff, &here, kind, NULL, NULL);
        }
    }
}

static void compare_views(struct diff *diff, const struct schema_pair *pair)
{
    diff_values(diff, pair);
    if (pair->new.unknown > pair->old.unknown)
        diff_note(diff, pair, SCHEMA_ALL_OF_ADDED, NULL, NULL);
    if (pair->new.unknown < pair->old.unknown)
        diff_note(diff, pair, SCHEMA_ALL_OF_REMOVED, NULL, NULL);
    compare_properties(diff, pair);
    compare_bare_required(diff, pair, &pair->new, &pair->old, SCHEMA_REQUIRED);
    compare_bare_required(diff, pair, &pair->old, &pair->new, SCHEMA_OPTIONAL);
    compare_other_properties(diff, pair);
    compare_items(diff, pair);
    compare_branches(diff, pair);
    for (size_t i = 0; i < countof(inners); i++)
        compare_inner(diff, pair, i);
    compare_all_of(diff, pair);
}

static void compare_contents(struct diff *diff, const struct schema_spot *spot,
                             const struct node *old, const struct node *new)
{
    scoped(mem_free) struct schema_pair *pair = mem_new(sizeof(*pair));
    pair->spot = spot;
    pair->was = old;
    pair->at = new;
    if (is_never(old) || is_never(new)) {
        if (is_never(old) != is_never(new))
            diff_note(diff, pair, is_never(new) ? SCHEMA_NEVER : SCHEMA_NOT_NEVER, old, new);
        return;
    }
    if (!flatten_schemas(diff, old, new, &pair->old, &pair->new))
        return;
    if (is_wrapped(diff, old, pair))
        diff_add_schema(diff, SCHEMA_WRAPPED, spot, pair->new.choice, NULL, NULL);
    else
        compare_views(diff, pair);
}

static void compare_unlike(struct diff *diff, const struct schema_spot *spot,
                           const struct node *old, const struct node *new);

/* What was found at these schemas before, inside of other ones. */
static void repeat_record(struct diff *diff, const struct schema_spot *spot,
                          const struct record *record)
{
    if (!diff_steps(diff, record->steps))
        return;
    for (const struct recorded *at = record->first; at; at = at->next) {
        struct schema_spot inner = at->spot;
        inner.depth += spot->depth - record->spot.depth;
        if (at->is_change)
            diff_add_again(diff, &at->change);
        else
            compare_unlike(diff, &inner, at->old, at->new);
    }
}

static void compare_and_record(struct diff *diff, const struct schema_spot *spot,
                               const struct node *old, const struct node *new)
{
    struct record record;
    record_begin(diff, &record, spot, old, new);
    compare_contents(diff, spot, old, new);
    record_end(diff, &record);
}

/* Schemas that are not the same leaf. */
static void compare_unlike(struct diff *diff, const struct schema_spot *spot,
                           const struct node *old, const struct node *new)
{
    if (spot->depth > DIFF_DEPTH_MAX || !pairs_add(&diff->pairs, deref(old), deref(new)))
        return;
    struct trail trail = { .outer = diff->trail, .old = old, .new = new, .spot = *spot };
    struct record *outer = diff->record;
    size_t steps_before = diff->new.check->steps_left;
    const struct record *known = record_find(diff, spot, old, new);
    diff->trail = &trail;
    diff->record = NULL;
    if (known)
        repeat_record(diff, spot, known);
    else
        compare_and_record(diff, spot, old, new);
    diff->trail = trail.outer;
    diff->record = outer;
    if (outer)
        outer->inner_steps += steps_before - diff->new.check->steps_left;
}

static void compare_schemas(struct diff *diff, const struct schema_spot *spot,
                            const struct node *old, const struct node *new)
{
    const struct node *old_meant = deref(old);
    const struct node *new_meant = deref(new);
    bool is_unknown = (old && !old_meant) || (new && !new_meant); /* in another document */
    if (is_unknown || !new || !diff_step(diff) || is_same_leaf(diff, old_meant, new_meant))
        return;
    record_schemas(diff, spot, old, new);
    compare_unlike(diff, spot, old, new);
}

static void compare_place(struct diff *diff, const struct schema_spot *spot, const struct node *old,
                          const struct node *new)
{
    struct shared_place place = { NULL, old, new, *spot, { .from = diff->kept, .at = new } };
    size_t before[CHANGE_LEVELS];
    memcpy(before, diff->count, sizeof(before));
    pairs_clear(&diff->pairs);
    compare_schemas(diff, spot, old, new);
    place.changes.to = diff->kept;
    for (size_t i = 0; i < CHANGE_LEVELS; i++)
        place.changes.count[i] = diff->count[i] - before[i];
    diff_keep_place(diff, &place);
}

void diff_schemas(struct diff *diff, const struct schema_spot *spot, const struct node *old,
                  const struct node *new)
{
    const struct shared_place *known = diff_find_place(diff, spot, old, new);
    if (!known)
        compare_place(diff, spot, old, new);
    else if (diff_steps(diff, 1 + (known->changes.to - known->changes.from) / 8))
        diff_repeat(diff, &known->changes, new);
}
