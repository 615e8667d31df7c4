/* svc-security/openapi-validate/diff/changes.c - record changes, and merge sorted lists. */
#include "changes.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

/* clang-format off */
static const struct {
    enum change_level level;
    const char *id;
    const char *words;
} changes[] = {
#define CHANGE(kind, level, id, words) [CHANGE_##kind] = { CHANGE_##level, id, words },
#include "diff.def"
};

static const struct {
    enum change_level level[IN_HEADER + 1]; /* by enum family */
    const char *suffix;
    const char *words;
} schema_changes[] = {
#define SCHEMA_CHANGE(kind, suffix, parameter, request, response, words)                        \
    [SCHEMA_##kind] = { { CHANGE_##parameter, CHANGE_##request, CHANGE_##response,             \
                          CHANGE_##response },                                                 \
                        suffix, words },
#include "diff.def"
};
/* clang-format on */

/* ---- adding changes ---- */

bool diff_steps(struct diff *diff, size_t steps)
{
    diff->is_cut |= !check_step(diff->new.check, steps);
    return !diff->is_cut;
}

bool diff_step(struct diff *diff)
{
    return diff_steps(diff, 1);
}

/* A copy of the trail that lives as long as the changes; changes share it. */
static struct trail *keep_trail(struct diff *diff, struct trail *trail)
{
    if (!trail || trail->kept)
        return trail ? trail->kept : NULL;
    struct trail *copy = arena_get(&diff->arena, sizeof(*copy));
    *copy = *trail;
    copy->kept = trail->kept = copy;
    copy->last = &copy->counterexamples;
    (void)keep_trail(diff, trail->outer);
    copy->outer = trail->outer ? trail->outer->kept : NULL;
    return copy;
}

static void reserve_changes(struct diff *diff, size_t more)
{
    if (diff->kept + more <= diff->capacity)
        return;
    diff->capacity = MAX(2 * diff->capacity, diff->kept + more + 64);
    diff->changes = mem_resize(diff->changes, diff->capacity * sizeof(struct change));
}

static struct counterexample *new_counterexample(struct diff *diff, struct trail *trail,
                                                 const struct change *change)
{
    struct counterexample *added = arena_get(&diff->arena, sizeof(*added));
    *added = (struct counterexample){ .id = change->id, .changed = change->node };
    *trail->last = added;
    trail->last = &added->next;
    return added;
}

struct recorded *diff_record(struct diff *diff)
{
    struct record *record = diff->record;
    if (!record || record->is_cut)
        return NULL;
    record->is_cut = diff->recorded == DIFF_RECORDED_MAX;
    if (record->is_cut)
        return NULL;
    struct recorded *item = arena_get(&diff->arena, sizeof(*item));
    *record->last = item;
    record->last = &item->next;
    diff->recorded++;
    return item;
}

static void record_change(struct diff *diff, const struct change *change)
{
    struct recorded *item = diff_record(diff);
    if (!item)
        return;
    item->is_change = true;
    item->change = *change;
}

/* Sets what depends on the place: operation, trail and order. */
static void add_change(struct diff *diff, struct change change)
{
    record_change(diff, &change);
    diff->count[change.level]++;
    if (diff->kept == DIFF_KEPT_MAX)
        return;
    reserve_changes(diff, 1);
    struct trail *trail = change.level == CHANGE_INFO ? NULL : keep_trail(diff, diff->trail);
    change.operation = diff->operation;
    change.trail = trail;
    change.counterexample = trail ? new_counterexample(diff, trail, &change) : NULL;
    change.order = (uint32_t)diff->kept;
    diff->changes[diff->kept++] = change;
}

void diff_add_again(struct diff *diff, const struct change *found)
{
    add_change(diff, *found);
}

void diff_repeat(struct diff *diff, const struct shared_changes *shared, const struct node *at)
{
    size_t kept = MIN(shared->to - shared->from, DIFF_KEPT_MAX - diff->kept);
    reserve_changes(diff, kept);
    for (size_t i = 0; i < kept; i++) {
        struct change *change = &diff->changes[diff->kept];
        *change = diff->changes[shared->from + i];
        change->node = change->node == shared->at ? at : change->node;
        change->operation = diff->operation;
        change->order = (uint32_t)diff->kept++;
    }
    for (size_t i = 0; i < CHANGE_LEVELS; i++)
        diff->count[i] += shared->count[i];
}

/* ---- places that share a pair of schemas ---- */

enum { PLACES_MAX = 16384, PLACE_SLOTS = 4096 };

/* Are they references to the same schema, written alike? */
static bool is_same_target(const struct node *a, const struct node *b)
{
    return deref(a) == deref(b) && text_equals(node_text_at(a, "$ref"), node_text_at(b, "$ref"));
}

bool diff_is_alike(const struct schema_spot *a, const struct schema_spot *b)
{
    return a->family == b->family && a->is_text == b->is_text && a->in_header == b->in_header &&
           a->is_sent == b->is_sent && text_equals(a->name, b->name);
}

static struct shared_place **slot_of(struct diff *diff, const struct node *old,
                                     const struct node *new)
{
    uint64_t key = (uint64_t)(uintptr_t)deref(old) ^ (uint64_t)(uintptr_t)deref(new) << 1;
    if (!diff->places)
        diff->places = mem_array(PLACE_SLOTS, sizeof(struct shared_place *));
    return &diff->places[key * 0x9E3779B97F4A7C15u >> 40 & (PLACE_SLOTS - 1)];
}

const struct shared_place *diff_find_place(struct diff *diff, const struct schema_spot *spot,
                                           const struct node *old, const struct node *new)
{
    const struct shared_place *place = *slot_of(diff, old, new);
    while (place && !(is_same_target(place->old, old) && is_same_target(place->new, new) &&
                      diff_is_alike(&place->spot, spot)))
        place = place->next;
    return place;
}

void diff_keep_place(struct diff *diff, const struct shared_place *place)
{
    struct shared_place **slot = slot_of(diff, place->old, place->new);
    if (diff->place_count == PLACES_MAX)
        return;
    struct shared_place *kept = arena_get(&diff->arena, sizeof(*kept));
    *kept = *place;
    kept->next = *slot;
    *slot = kept;
    diff->place_count++;
}

/* ---- ids ---- */

bool diff_has(const struct node *list, const struct node *item)
{
    if (!node_is(item, NODE_STRING))
        return true;
    for (size_t i = 0; i < node_count(list); i++)
        if (node_is(list->child[i], NODE_STRING) && text_equals(list->child[i]->text, item->text))
            return true;
    return false;
}

bool is_same_text(const struct node *a, const struct node *b)
{
    return a && b && text_order(node_text(a), node_text(b)) == 0;
}

/* ---- the provider's direction ---- */

/* Levels of changes in webhooks and callbacks: the provider sends the request and reads the
 * response. Other changes keep their level. */
static const struct {
    enum change_kind kind;
    enum change_level level;
} outgoing[] = {
#define OUTGOING(kind, level) { CHANGE_##kind, CHANGE_##level },
#include "diff.def"
};

static enum change_level level_of(const struct diff *diff, enum change_kind kind)
{
    bool is_outgoing = diff->operation && diff->operation->is_outgoing;
    for (size_t i = 0; is_outgoing && i < countof(outgoing); i++)
        if (outgoing[i].kind == kind)
            return outgoing[i].level;
    return changes[kind].level;
}

enum family diff_direction(const struct schema_spot *spot)
{
    static const enum family reversed[] = {
        [IN_PARAMETER] = IN_RESPONSE,
        [IN_REQUEST] = IN_RESPONSE,
        [IN_RESPONSE] = IN_REQUEST,
        [IN_HEADER] = IN_REQUEST,
    };
    bool is_reversed = spot->is_sent != spot->is_inverse;
    return is_reversed ? reversed[spot->family] : spot->family;
}

void diff_add(struct diff *diff, enum change_kind kind, const struct node *at,
              const struct node *from, const struct node *to)
{
    add_change(diff, (struct change){ .level = level_of(diff, kind),
                                      .id = changes[kind].id,
                                      .words = changes[kind].words,
                                      .node = at,
                                      .from = from,
                                      .to = to });
}

/* Start of an id and of a message, such as "request-property". */
static const char *place_of(const struct schema_spot *spot)
{
    static const char *const places[][2] = {
        [IN_PARAMETER] = { "request-parameter", "request-parameter-property" },
        [IN_REQUEST] = { "request-body", "request-property" },
        [IN_RESPONSE] = { "response-body", "response-property" },
        [IN_HEADER] = { "response-header", "response-header-property" },
    };
    if (spot->in_header && spot->is_property)
        return "request-header-property";
    return places[spot->family][spot->is_property];
}

/* An id made of parts, each of which is static. */
struct change_id {
    struct change_id *next;
    const char *place;
    const char *suffix;
    const char *event; /* or NULL */
    char text[];
};

/* A comparison needs few different ids, so a list is enough; the last one found is the first. */
static const char *compose_id(struct diff *diff, const char *place, const char *suffix,
                              const char *event)
{
    for (struct change_id **at = &diff->ids; *at; at = &(*at)->next) {
        struct change_id *id = *at;
        if (id->place != place || id->suffix != suffix || id->event != event)
            continue;
        *at = id->next;
        id->next = diff->ids;
        diff->ids = id;
        return id->text;
    }
    size_t size = strlen(place) + strlen(suffix) + (event ? strlen(event) : 0) + sizeof("--");
    struct change_id *id = arena_get(&diff->arena, sizeof(*id) + size);
    *id = (struct change_id){ .next = diff->ids, .place = place, .suffix = suffix, .event = event };
    snprintf(id->text, size, "%s-%s%s%s", place, suffix, event ? "-" : "", event ? event : "");
    diff->ids = id;
    return id->text;
}

void diff_add_schema(struct diff *diff, enum schema_change_kind kind,
                     const struct schema_spot *spot, const struct node *at, const struct node *from,
                     const struct node *to)
{
    const enum change_level *levels = schema_changes[kind].level;
    enum change_level level = levels[diff_direction(spot)];
    if (spot->is_turned) /* the more severe of both directions; error is the lowest number */
        level = MIN(levels[IN_REQUEST], levels[IN_RESPONSE]);
    /* a property of a parameter is less severe: many are sent as text */
    if (kind == SCHEMA_TYPE_CHANGED && spot->family == IN_PARAMETER && spot->is_property)
        level = CHANGE_WARNING;
    const char *place = place_of(spot);
    add_change(diff,
               (struct change){ .level = level,
                                .id = compose_id(diff, place, schema_changes[kind].suffix, NULL),
                                .words = schema_changes[kind].words,
                                .place = place,
                                .name = spot->name,
                                .node = at,
                                .from = from,
                                .to = to });
}

void diff_add_bound(struct diff *diff, const char *bound, const char *event,
                    enum change_level level, const struct schema_spot *spot, const struct node *at,
                    const struct node *from, const struct node *to)
{
    const char *place = place_of(spot);
    add_change(diff, (struct change){ .level = level,
                                      .id = compose_id(diff, place, bound, event),
                                      .words = bound,
                                      .event = event,
                                      .place = place,
                                      .name = spot->name,
                                      .node = at,
                                      .from = from,
                                      .to = to });
}

/* ---- their texts ---- */

void change_message(const struct change *change, struct buf *out)
{
    size_t start = out->size;
    if (!change->place) {
        buf_add_str(out, change->words);
        return;
    }
    for (const char *at = change->place; *at; at++)
        buf_add_byte(out, *at == '-' ? ' ' : *at);
    if (!out->full)
        out->bytes[start] = (char)(out->bytes[start] - 'a' + 'A');
    if (change->name.size > 0)
        buf_format(out, " \"%s\"", quote(change->name).bytes);
    if (change->event)
        buf_format(out, ": the bound \"%s\" was %s.", change->words, change->event);
    else
        buf_format(out, ": %s.", change->words);
}

void change_value(const struct node *node, struct buf *out)
{
    static const char *const words[] = { "false", "true" };
    if (!node)
        return;
    if (node->kind == NODE_BOOL)
        buf_add_str(out, words[node->is_true]);
    else if (node->kind == NODE_STRING || node->kind == NODE_NUMBER)
        buf_add_str(out, quote(node->text).bytes);
    else if (node->kind != NODE_LIST || node->count == 0 || node->count > 8)
        buf_add_str(out, node_kind_name(node));
    else
        for (uint32_t i = 0; i < node->count; i++)
            buf_format(out, "%s%s", i > 0 ? ", " : "", quote(node_text(node->child[i])).bytes);
}

/* ---- merging lists ---- */

static const void *item_at(const struct list *list, size_t index)
{
    return index < list->count ? (const char *)list->item + index * list->item_bytes : NULL;
}

/* Cut the first items with the same key off *rest. */
static struct list cut_equal_keys(struct list *rest)
{
    const struct keyed *first = rest->item;
    struct list alike = { rest->item, rest->count > 0, rest->item_bytes };
    while (alike.count < rest->count &&
           text_order(first->key, ((const struct keyed *)item_at(rest, alike.count))->key) == 0)
        alike.count++;
    rest->item = (char *)rest->item + alike.count * rest->item_bytes;
    rest->count -= alike.count;
    return alike;
}

/* Pair items with the same name first, then the others in order. */
static void pair_by_name(struct diff *diff, const struct list *old, const struct list *new,
                         join_each *each)
{
    scoped(mem_free) bool *old_is_done = mem_array(old->count + 1, sizeof(bool));
    scoped(mem_free) bool *new_is_done = mem_array(new->count + 1, sizeof(bool));
    for (size_t i = 0, k = 0; diff_step(diff) && i < old->count && k < new->count;) {
        const struct keyed *left = item_at(old, i);
        const struct keyed *right = item_at(new, k);
        int order = text_order(left->name, right->name);
        if (order == 0) {
            each(diff, left, right);
            old_is_done[i] = new_is_done[k] = true;
        }
        i += order <= 0;
        k += order >= 0;
    }
    for (size_t i = 0, k = 0; (i < old->count || k < new->count) && diff_step(diff);) {
        bool skips_old = i < old->count ? old_is_done[i] : false;
        bool skips_new = k < new->count ? new_is_done[k] : false;
        if (!skips_old && !skips_new)
            each(diff, item_at(old, i), item_at(new, k));
        i += skips_old || !skips_new;
        k += skips_new || !skips_old;
    }
}

void diff_join(struct diff *diff, const struct list *old, const struct list *new, join_each *each)
{
    struct list olds = *old;
    struct list news = *new;
    while ((olds.count > 0 || news.count > 0) && diff_step(diff)) {
        static const struct list none;
        int order = olds.count == 0 ? 1 : news.count == 0 ? -1 : by_text(olds.item, news.item);
        struct list left = order <= 0 ? cut_equal_keys(&olds) : none;
        struct list right = order >= 0 ? cut_equal_keys(&news) : none;
        if (left.count <= 1 && right.count <= 1)
            each(diff, item_at(&left, 0), item_at(&right, 0));
        else
            pair_by_name(diff, &left, &right, each);
    }
}
