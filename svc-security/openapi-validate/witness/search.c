/* svc-security/openapi-validate/witness/search.c - try values of the changed schema, put into a
 * value of the schemas around it, under both documents. */
#include "search.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"
#include "texts.h"

const struct node *search_holds(const struct search *search, const struct trail *trail)
{
    return search->is_old_valid ? trail->old : trail->new;
}

const struct node *search_fails(const struct search *search, const struct trail *trail)
{
    return search->is_old_valid ? trail->new : trail->old;
}

/* One of the two changed schemas. */
struct side {
    struct judge *judge;
    const struct node *schema;
};

/* The changed schema that accepts what shows the change, and the one that rejects it: under not,
 * they change places. */
static struct side accepting_side(const struct search *search)
{
    return search->trail->spot.is_inverse
               ? (struct side){ search->fails, search_fails(search, search->trail) }
               : (struct side){ search->holds, search_holds(search, search->trail) };
}

static struct side rejecting_side(const struct search *search)
{
    return search->trail->spot.is_inverse
               ? (struct side){ search->holds, search_holds(search, search->trail) }
               : (struct side){ search->fails, search_fails(search, search->trail) };
}

/* ---- a value of the schema around it ---- */

/* A name that neither schema defines. */
static const char *other_name(const struct view *view)
{
    static const char *const names[] = { "extra", "other", "another" };
    size_t i = 0;
    while (i + 1 < countof(names) && view_property(view, text_of(names[i])))
        i++;
    return names[i];
}

/* Takes the member over. NULL: its name cannot be made. */
static cJSON *wrap_member(struct search *search, const struct view *view, const struct step *step,
                          cJSON *member)
{
    scoped(buf_free) struct buf name = BUF(WITNESS_BYTES);
    cJSON *object = json_object();
    if (step->kind == STEP_MATCH)
        (void)!text_of_pattern(step->name, 1, &name);
    else if (step->kind == STEP_OTHER)
        buf_add_str(&name, other_name(view));
    else if (step->kind == STEP_NAME)
        buf_add(&name, json_text_of(member).bytes, json_text_of(member).size);
    else
        buf_add(&name, step->name.bytes, step->name.size);
    bool is_good = !name.full && (name.size == 0 || !memchr(name.bytes, '\0', name.size)) &&
                   (step->kind != STEP_NAME || json_is(member, cJSON_String));
    scoped(mem_free) char *key = str_format("%.*s", (int)name.size, name.size ? name.bytes : "");
    if (is_good && step->kind == STEP_NAME) {
        json_free(&member);
        member = value_fill(search->maker, search->holds, view_get(view, "additionalProperties"));
    }
    if (is_good && member)
        json_add(object, key, member);
    else
        json_free(&member);
    if (!is_good || json_size(object) == 0 ||
        !value_complete(search->maker, search->holds, view, object))
        json_free(&object);
    return object;
}

static cJSON *wrap_item(struct search *search, const struct view *view, const struct step *step,
                        cJSON *item)
{
    const struct node *prefix = view_get(view, "prefixItems");
    const struct node *least = view_get(view, "minItems");
    size_t count = node_is(least, NODE_NUMBER) && least->number >= 0 && least->number < 100
                       ? (size_t)least->number
                       : 0;
    cJSON *list = json_array();
    bool is_good = step->index < 100;
    for (size_t i = 0; is_good && i < MAX(count, step->index + 1); i++) {
        const struct node *schema =
            i < node_count(prefix) ? prefix->child[i] : view_get(view, "items");
        cJSON *filler =
            i == step->index ? json_copy(item) : value_fill(search->maker, search->holds, schema);
        is_good = filler != NULL;
        if (filler)
            json_item_add(list, filler);
    }
    json_free(&item);
    if (!is_good)
        json_free(&list);
    return list;
}

/* Takes the value over; NULL: nothing is around it. */
static cJSON *wrap(struct search *search, const struct trail *trail, cJSON *value)
{
    const struct step *step = &trail->spot.step;
    struct view view;
    view_of(search->holds->check, search_holds(search, trail->outer), &view);
    switch (step->kind) {
    case STEP_SAME:
        if (json_is(value, cJSON_Object) &&
            !value_complete(search->maker, search->holds, &view, value))
            json_free(&value);
        return value;
    case STEP_ITEM:
        return wrap_item(search, &view, step, value);
    case STEP_MEMBER:
    case STEP_OTHER:
    case STEP_MATCH:
    case STEP_NAME:
        return wrap_member(search, &view, step, value);
    case STEP_NOWHERE:
        break;
    }
    json_free(&value);
    return NULL;
}

/* ---- values outside of JSON ---- */

/* How a URL, a header or a form can be read: all values are texts, or texts are numbers. */
enum reading { READ_AS_IS, READ_TEXTS, READ_VALUES, READ_LIST, READINGS };

static cJSON *read_text(struct text text)
{
    static const char *const words[] = { "true", "false", "null" };
    cJSON *value = NULL;
    bool is_word = text_is_among(text, words, countof(words));
    bool is_number = text.size > 0 && strchr("-0123456789", text.bytes[0]) && text.bytes[0] != '\0';
    if ((is_word || is_number) && json_parse(text, 1, &value, NULL))
        return value;
    return json_new_text(text);
}

static cJSON *reread(const cJSON *value, enum reading reading);

static cJSON *reread_children(const cJSON *value, enum reading reading)
{
    bool is_list = json_is(value, cJSON_Array);
    cJSON *copy = is_list ? json_array() : json_object();
    for (const cJSON *child = value->child; child; child = child->next)
        if (is_list)
            json_item_add(copy, reread(child, reading));
        else
            json_add(copy, child->string, reread(child, reading));
    return copy;
}

static cJSON *reread(const cJSON *value, enum reading reading)
{
    scoped(buf_free) struct buf text = BUF(2 * WITNESS_BYTES);
    bool is_text = json_is(value, cJSON_String);
    if (reading == READ_LIST && !json_is(value, cJSON_Array)) {
        cJSON *list = json_array();
        json_item_add(list, json_copy(value));
        return list;
    }
    if (json_is(value, cJSON_Array) || json_is(value, cJSON_Object))
        return reread_children(value, reading);
    if (reading == READ_VALUES && is_text)
        return read_text(json_text_of(value));
    if (reading == READ_AS_IS || is_text)
        return json_copy(value);
    (void)json_print(value, &text);
    return json_new_text(buf_text(&text));
}

/* ---- trying a value ---- */

static enum schema_verdict check_whole(struct search *search, const cJSON *value)
{
    const struct node *holds = search_holds(search, search->root);
    const struct node *fails = search_fails(search, search->root);
    if (judge_value(search->holds, holds, value) != SCHEMA_FITS)
        return SCHEMA_FITS;
    for (enum reading i = READ_AS_IS; i < READINGS; i++) {
        scoped(json_free) cJSON *copy = reread(value, i);
        if (judge_value(search->fails, fails, copy) != SCHEMA_FAILS)
            return SCHEMA_FITS;
        if (!search->root->spot.is_text)
            break;
    }
    return SCHEMA_FAILS;
}

/* Do the changed schemas themselves judge the value as the change says? Under if, both are
 * possible. */
static bool differs_here(struct search *search, const cJSON *value)
{
    struct side accepts = accepting_side(search);
    struct side rejects = rejecting_side(search);
    if (search->trail->spot.is_turned)
        return true;
    return judge_value(accepts.judge, accepts.schema, value) == SCHEMA_FITS &&
           judge_errors(rejects.judge, rejects.schema, value, search->focus, search->count) ==
               SCHEMA_FAILS;
}

static bool is_small(const cJSON *value)
{
    scoped(buf_free) struct buf text = BUF(WITNESS_BYTES);
    return json_print(value, &text);
}

static int rank_of(const struct focus *focus)
{
    return !focus->is_hit ? VALUE_ANY : focus->others > 0 ? VALUE_FOCUSED : VALUE_SHARP;
}

/* Is the value that was just judged better than the goal's? */
static bool is_better(const struct search *search, size_t i)
{
    return !search->goal[i].value || rank_of(&search->focus[i]) > (int)search->goal[i].rank;
}

static bool is_better_for_any(const struct search *search, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (is_better(search, i))
            return true;
    return false;
}

/* The value inside a value of the schemas around it, if that shows the change; NULL: it does not.
 */
static cJSON *show_whole(struct search *search, const cJSON *value)
{
    cJSON *whole = json_copy(value);
    for (const struct trail *at = search->trail; whole && at->outer; at = at->outer)
        whole = wrap(search, at, whole);
    if (whole && check_whole(search, whole) != SCHEMA_FAILS)
        json_free(&whole);
    return whole;
}

static void keep_value(struct goal *goal, const cJSON *whole, bool is_good, int rank)
{
    goal->was_near = true;
    goal->is_too_large |= whole && !is_good;
    if (!is_good)
        return;
    json_free(&goal->value);
    goal->value = json_copy(whole);
    goal->rank = rank;
}

static bool is_complete(const struct search *search)
{
    for (size_t i = 0; i < search->count; i++)
        if (!search->goal[i].value || search->goal[i].rank != VALUE_SHARP)
            return false;
    return true;
}

/* Try a value for some of the goals. */
static void try_for(struct search *search, const cJSON *value, size_t first, size_t end)
{
    if (!differs_here(search, value) || !is_better_for_any(search, first, end))
        return;
    scoped(json_free) cJSON *whole = show_whole(search, value);
    bool is_good = whole && is_small(whole);
    for (size_t i = first; i < end; i++)
        if (is_better(search, i))
            keep_value(&search->goal[i], whole, is_good, rank_of(&search->focus[i]));
}

static bool try_value(void *context, const cJSON *value)
{
    struct search *search = context;
    try_for(search, value, 0, search->count);
    return is_complete(search);
}

/* A removed value of an enum, and null, show their change themselves. */
static void try_own_value(struct search *search, size_t i)
{
    struct goal *goal = &search->goal[i];
    bool is_listed =
        node_is(goal->changed->parent, NODE_LIST) && text_is(search->focus[i].name, "enum");
    scoped(json_free) cJSON *value = is_listed       ? value_of_node(goal->changed)
                                     : goal->is_null ? json_new_number(NAN)
                                                     : NULL;
    if (!value)
        return;
    try_for(search, value, i, i + 1);
    if (goal->is_null && goal->value)
        goal->rank = VALUE_SHARP;
}

void search_run(struct search *search)
{
    struct side accepts = accepting_side(search);
    struct side rejects = rejecting_side(search);
    scoped(mem_free) struct view *other = mem_new(sizeof(*other));
    view_of(rejects.judge->check, rejects.schema, other);
    for (const struct trail *at = search->trail; at->outer; at = at->outer)
        if (at->spot.step.kind == STEP_NOWHERE)
            return;
    for (size_t i = 0; i < search->count; i++)
        try_own_value(search, i);
    if (!is_complete(search))
        (void)values_offer(search->maker, accepts.judge, accepts.schema, other, try_value, search);
}

/* ---- proofs ---- */

/* Does the value not violate the changed keyword, or is it not valid anyway? */
static bool is_harmless(struct search *search, const cJSON *value)
{
    struct side accepts = accepting_side(search);
    struct side rejects = rejecting_side(search);
    enum schema_verdict here = judge_value(accepts.judge, accepts.schema, value);
    if (here == SCHEMA_FAILS)
        return true;
    return here == SCHEMA_FITS && judge_value(rejects.judge, rejects.schema, value) == SCHEMA_FITS;
}

/* With an enum or a const, those and null are all values. */
static bool are_listed_harmless(struct search *search, const struct view *view)
{
    enum { LISTED_MAX = 1000 };
    const struct node *one = view_get(view, "const");
    const struct node *list = view_get(view, "enum");
    scoped(json_free) cJSON *null = json_new_number(NAN);
    if (one && view->version & V31_UP) {
        scoped(json_free) cJSON *value = value_of_node(one);
        return value && is_harmless(search, value) && is_harmless(search, null);
    }
    bool is_good = node_is(list, NODE_LIST) && list->count <= LISTED_MAX;
    for (size_t i = 0; is_good && i < list->count; i++) {
        scoped(json_free) cJSON *value = value_of_node(list->child[i]);
        is_good = value && is_harmless(search, value);
    }
    return is_good && is_harmless(search, null);
}

/* The integer that a limit allows last, as it is written if it is one itself. NULL: unknown. */
static cJSON *last_integer(const struct node *limit, bool is_upper)
{
    cJSON *value = NULL;
    bool is_small = fabs(limit->number) < 0x1p53;
    if (node_is_integer(limit) && json_parse(limit->text, 1, &value, NULL))
        return value;
    return is_small ? json_new_number(is_upper ? floor(limit->number) : ceil(limit->number)) : NULL;
}

/* The least or greatest integer that a schema accepts, or its exclusive limit; yours. NULL:
 * unknown, or the schema has no limit. */
static cJSON *end_of(const struct view *view, bool is_upper)
{
    static const char *const names[][2] = { { "minimum", "exclusiveMinimum" },
                                            { "maximum", "exclusiveMaximum" } };
    const struct node *plain = view_get(view, names[is_upper][0]);
    const struct node *strict = view_get(view, names[is_upper][1]);
    const char *limit = integer_limit(node_text(view_get(view, "format")), is_upper);
    cJSON *value = NULL;
    if (node_is(plain, NODE_NUMBER)) /* an exclusive one by a flag is within */
        return last_integer(plain, is_upper);
    if (view->version & V31_UP && node_is(strict, NODE_NUMBER))
        return last_integer(strict, is_upper);
    return limit && json_parse(text_of(limit), 1, &value, NULL) ? value : NULL;
}

/* Keywords that accept a range: if they accept both ends, they accept all between. */
static bool is_range_harmless(struct search *search, struct focus *focus, const struct view *view)
{
    static const char *const keywords[] = { "type",    "format",           "minimum",
                                            "maximum", "exclusiveMaximum", "exclusiveMinimum" };
    scoped(json_free) cJSON *null = json_new_number(NAN);
    scoped(json_free) cJSON *low = end_of(view, false);
    scoped(json_free) cJSON *high = end_of(view, true);
    const cJSON *const ends[] = { low, high };
    if (!text_is_among(focus->name, keywords, countof(keywords)) ||
        view_types(view) != BIT_INTEGER || view->choice || !low || !high)
        return false;
    struct side rejects = rejecting_side(search);
    scoped(mem_free) struct view *other = mem_new(sizeof(*other));
    view_of(rejects.judge->check, rejects.schema, other);
    bool is_plain = other->count == 1 && !other->choice; /* no error is hidden inside of oneOf */
    for (size_t i = 0; i < countof(ends); i++) {
        enum schema_verdict verdict =
            judge_errors(rejects.judge, rejects.schema, ends[i], focus, 1);
        if (verdict != SCHEMA_FITS && (!is_plain || verdict == SCHEMA_UNDECIDED || focus->is_hit))
            return false;
    }
    return is_harmless(search, null);
}

bool search_proves_none(struct search *search, size_t i)
{
    const struct goal *goal = &search->goal[i];
    scoped(mem_free) struct view *view = mem_new(sizeof(*view));
    struct side accepts = accepting_side(search);
    view_of(accepts.judge->check, accepts.schema, view);
    if (search->trail->spot.is_turned || goal->value || goal->was_near)
        return false;
    return are_listed_harmless(search, view) || is_range_harmless(search, &search->focus[i], view);
}
