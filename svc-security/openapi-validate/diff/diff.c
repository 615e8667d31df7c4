/* svc-security/openapi-validate/diff/diff.c - changes are noted, sorted and written; operations. */
#include "diff.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "openapi-validate/rules/rules.h"
#include "text/json.h"
#include "text/time/datetime.h"

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
    enum change_level level[IN_HEADER + 1]; /* by family */
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

/* ---- noting a change ---- */

bool diff_steps(struct diff *diff, size_t steps)
{
    enum { STEPS_BETWEEN_LOOKS = 4096 };
    size_t before = diff->steps_left / STEPS_BETWEEN_LOOKS;
    diff->steps_left -= MIN(steps, diff->steps_left);
    bool looks = diff->steps_left / STEPS_BETWEEN_LOOKS != before;
    if (diff->steps_left == 0 || (looks && check_cpu_us() > diff->cpu_end_us))
        diff->is_cut = true;
    return !diff->is_cut;
}

bool diff_step(struct diff *diff)
{
    return diff_steps(diff, 1);
}

/* A scalar as it stands, and what anything else is. */
static const char *show(struct diff *diff, const struct node *node)
{
    static const char *const words[] = { "false", "true" };
    if (!node)
        return NULL;
    if (node->kind == NODE_BOOL)
        return words[node->is_true];
    if (node->kind == NODE_STRING || node->kind == NODE_NUMBER) {
        struct quote text = quote(node->text);
        return arena_copy(&diff->arena, text_of(text.bytes));
    }
    if (node->kind != NODE_LIST || node->count == 0 || node->count > 8)
        return node_kind_name(node);
    scoped(buf_free) struct buf list = BUF(600);
    for (uint32_t i = 0; i < node->count; i++)
        buf_format(&list, "%s%s", i > 0 ? ", " : "", quote(node_text(node->child[i])).bytes);
    return arena_copy(&diff->arena, buf_text(&list));
}

static struct change *next(struct diff *diff, enum change_level level)
{
    diff->count[level]++;
    if (diff->kept == DIFF_KEPT_MAX)
        return NULL;
    if (diff->kept == diff->capacity) {
        diff->capacity = MAX(2 * diff->capacity, (size_t)64);
        diff->changes = mem_resize(diff->changes, diff->capacity * sizeof(struct change));
    }
    struct change *change = &diff->changes[diff->kept];
    *change = (struct change){ .level = level,
                               .operation = diff->operation,
                               .order = (uint32_t)diff->kept++ };
    return change;
}

bool diff_has(const struct node *list, const struct node *item)
{
    if (!node_is(item, NODE_STRING))
        return true;
    for (size_t i = 0; i < node_count(list); i++)
        if (node_is(list->child[i], NODE_STRING) && text_equals(list->child[i]->text, item->text))
            return true;
    return false;
}

void diff_add(struct diff *diff, enum change_kind kind, const struct node *at,
              const struct node *from, const struct node *to)
{
    struct change *change = next(diff, changes[kind].level);
    if (!change)
        return;
    change->id = changes[kind].id;
    change->message = changes[kind].words;
    change->node = at;
    change->from = show(diff, from);
    change->to = show(diff, to);
}

/* "request-property", as ids begin and messages say. */
static const char *place_of(const struct spot *spot)
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

static void fill(struct diff *diff, struct change *change, const struct spot *spot,
                 const char *suffix, const char *words)
{
    scoped(buf_free) struct buf text = BUF(FINDING_MESSAGE_BYTES);
    const char *place = place_of(spot);
    buf_format(&text, "%s-%s", place, suffix);
    change->id = arena_copy(&diff->arena, buf_text(&text));
    buf_clear(&text);
    for (const char *at = place; *at; at++)
        buf_add_byte(&text, *at == '-' ? ' ' : *at);
    text.bytes[0] = (char)(text.bytes[0] - 'a' + 'A');
    if (spot->name.size > 0)
        buf_format(&text, " \"%s\"", quote(spot->name).bytes);
    buf_format(&text, ": %s.", words);
    change->message = arena_copy(&diff->arena, buf_text(&text));
}

void diff_add_schema(struct diff *diff, enum schema_change_kind kind, const struct spot *spot,
                     const struct node *at, const struct node *from, const struct node *to)
{
    const enum change_level *levels = schema_changes[kind].level;
    enum change_level level = levels[spot->family];
    if (spot->is_turned) /* the worse of both directions: an error is the least number */
        level = MIN(levels[IN_REQUEST], levels[IN_RESPONSE]);
    /* a type of a parameter's property is looked at less strictly: many are sent as text */
    if (kind == SCHEMA_TYPE_CHANGED && spot->family == IN_PARAMETER && spot->is_property)
        level = CHANGE_WARNING;
    struct change *change = next(diff, level);
    if (!change)
        return;
    fill(diff, change, spot, schema_changes[kind].suffix, schema_changes[kind].words);
    change->node = at;
    change->from = show(diff, from);
    change->to = show(diff, to);
}

void diff_add_bound(struct diff *diff, const char *bound, const char *event,
                    enum change_level level, const struct spot *spot, const struct node *at,
                    const struct node *from, const struct node *to)
{
    struct change *change = next(diff, level);
    if (!change)
        return;
    scoped(mem_free) char *suffix = str_format("%s-%s", bound, event);
    scoped(mem_free) char *words = str_format("its bound \"%s\" was %s", bound, event);
    fill(diff, change, spot, suffix, words);
    change->node = at;
    change->from = show(diff, from);
    change->to = show(diff, to);
}

/* ---- lists beside each other ---- */

/* A part of a list. */
struct slice {
    const void *item;
    size_t count;
    size_t item_bytes;
};

static const void *at(const struct slice *slice, size_t index)
{
    return index < slice->count ? (const char *)slice->item + index * slice->item_bytes : NULL;
}

/* The first items, which have one key; *rest is what follows. */
static struct slice take_alike(struct slice *rest)
{
    const struct keyed *first = rest->item;
    struct slice alike = { rest->item, rest->count > 0, rest->item_bytes };
    while (alike.count < rest->count &&
           text_order(first->key, ((const struct keyed *)at(rest, alike.count))->key) == 0)
        alike.count++;
    rest->item = (const char *)rest->item + alike.count * rest->item_bytes;
    rest->count -= alike.count;
    return alike;
}

/* Those of one name, then the others in their order. */
static void join_alike(struct diff *diff, const struct slice *old, const struct slice *new,
                       join_each *each)
{
    scoped(mem_free) bool *old_is_done = mem_array(old->count + 1, sizeof(bool));
    scoped(mem_free) bool *new_is_done = mem_array(new->count + 1, sizeof(bool));
    for (size_t i = 0, k = 0; diff_step(diff) && i < old->count && k < new->count;) {
        const struct keyed *left = at(old, i);
        const struct keyed *right = at(new, k);
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
            each(diff, at(old, i), at(new, k));
        i += skips_old || !skips_new;
        k += skips_new || !skips_old;
    }
}

void diff_join(struct diff *diff, const void *old, size_t old_count, const void *new,
               size_t new_count, size_t item_bytes, join_each *each)
{
    struct slice olds = { old, old_count, item_bytes };
    struct slice news = { new, new_count, item_bytes };
    while ((olds.count > 0 || news.count > 0) && diff_step(diff)) {
        static const struct slice none;
        int order = olds.count == 0 ? 1 : news.count == 0 ? -1 : by_text(olds.item, news.item);
        struct slice left = order <= 0 ? take_alike(&olds) : none;
        struct slice right = order >= 0 ? take_alike(&news) : none;
        if (left.count <= 1 && right.count <= 1)
            each(diff, at(&left, 0), at(&right, 0));
        else
            join_alike(diff, &left, &right, each);
    }
}

/* ---- deprecation, sunset, stability ---- */

bool sunset_day(const struct node *node, int64_t *day)
{
    struct datetime datetime;
    if (!node_is(node, NODE_STRING) || !datetime_parse(node->text, &datetime))
        return false;
    *day = datetime.local_ms / 1000 / DAY_SECONDS;
    return true;
}

enum stability stability_of(const struct node *node)
{
    static const char *const names[] = { "draft", "alpha", "beta", "stable" };
    const struct node *level = node_get(node, "x-stability-level");
    for (enum stability i = STABILITY_DRAFT; level && i <= STABILITY_STABLE; i++)
        if (node_says(level, names[i]))
            return i;
    return level ? STABILITY_BAD : STABILITY_STABLE;
}

/* Promised to nobody yet. */
static bool is_unstable(const struct operation *operation)
{
    return operation && stability_of(operation->node) <= STABILITY_ALPHA;
}

static void compare_stability(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *level = node_get(new, "x-stability-level");
    enum stability before = stability_of(old);
    enum stability after = stability_of(new);
    if (after == before)
        return;
    if (after == STABILITY_BAD)
        diff_add(diff, CHANGE_STABILITY_INVALID, level, NULL, level);
    else if (before != STABILITY_BAD && after < before)
        diff_add(diff, CHANGE_STABILITY_LOWER, level, node_get(old, "x-stability-level"), level);
}

bool is_same_text(const struct node *a, const struct node *b)
{
    return a && b && text_order(node_text(a), node_text(b)) == 0;
}

/* Does the document date the end of anything? */
static bool has_sunset(struct diff *diff, const struct node *node)
{
    bool has = node_get(node, "x-sunset") != NULL;
    for (size_t i = 0; !has && i < node_count(node) && diff_step(diff); i++)
        has = has_sunset(diff, node->child[i]);
    return has;
}

enum sunset_change sunset_change(const struct diff *diff, const struct ending *old,
                                 const struct ending *new)
{
    int64_t old_day;
    int64_t new_day;
    if (!new->is_deprecated || is_same_text(old->sunset, new->sunset))
        return SUNSET_KEPT;
    if (!new->sunset && old->sunset)
        return SUNSET_DELETED;
    if (!new->sunset)
        return !old->is_deprecated && diff->has_sunsets ? SUNSET_MISSING : SUNSET_KEPT;
    if (!sunset_day(new->sunset, &new_day))
        return SUNSET_INVALID;
    if (!old->sunset)
        return new_day < diff->today ? SUNSET_PAST : SUNSET_KEPT;
    return sunset_day(old->sunset, &old_day) && new_day < old_day ? SUNSET_EARLIER : SUNSET_KEPT;
}

static struct ending ending_of(const struct node *node)
{
    return (struct ending){ node_is_true(node_get(node, "deprecated")),
                            node_get(node, "x-sunset") };
}

void diff_sunset(struct diff *diff, const enum change_kind kinds[static SUNSET_CHANGES],
                 const struct node *old, const struct node *new)
{
    struct ending before = ending_of(old);
    struct ending after = ending_of(new);
    enum sunset_change change = sunset_change(diff, &before, &after);
    if (change != SUNSET_KEPT)
        diff_add(diff, kinds[change], after.sunset ? after.sunset : new, before.sunset,
                 after.sunset);
}

static void compare_deprecation(struct diff *diff, const struct node *old, const struct node *new)
{
    static const enum change_kind sunsets[SUNSET_CHANGES] = {
        [SUNSET_MISSING] = CHANGE_SUNSET_MISSING, [SUNSET_INVALID] = CHANGE_SUNSET_PARSE,
        [SUNSET_PAST] = CHANGE_SUNSET_TOO_SMALL,  [SUNSET_DELETED] = CHANGE_SUNSET_DELETED,
        [SUNSET_EARLIER] = CHANGE_SUNSET_EARLIER,
    };
    bool was = node_is_true(node_get(old, "deprecated"));
    bool is = node_is_true(node_get(new, "deprecated"));
    if (is && !was)
        diff_add(diff, CHANGE_ENDPOINT_DEPRECATED, new, NULL, NULL);
    if (was && !is)
        diff_add(diff, CHANGE_ENDPOINT_REACTIVATED, new, NULL, NULL);
    diff_sunset(diff, sunsets, old, new);
    compare_stability(diff, old, new);
}

/* ---- operations ---- */

static bool has_path(const struct model *model, const struct operation *operation)
{
    const char *blank = memrchr(operation->key.bytes, ' ', operation->key.size);
    struct text shape = { operation->key.bytes, (size_t)(blank - operation->key.bytes) + 1 };
    size_t low = 0;
    size_t high = model->count;
    assert(high == 0 || model->operations);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text_order(model->operations[middle].key, shape) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->count && model->operations[low].key.size >= shape.size &&
           memcmp(model->operations[low].key.bytes, shape.bytes, shape.size) == 0;
}

/* Deprecated and past its sunset, if it has one, it may go. */
static void note_removal(struct diff *diff, const struct operation *old)
{
    const struct node *sunset = node_get(old->node, "x-sunset");
    bool is_path = !has_path(&diff->new, old);
    int64_t day;
    enum change_kind kind = is_path ? CHANGE_PATH_REMOVED : CHANGE_REMOVED;
    if (old->is_webhook)
        kind = CHANGE_WEBHOOK_REMOVED;
    else if (!node_is_true(node_get(old->node, "deprecated")))
        ;
    else if (!sunset)
        kind = is_path ? CHANGE_PATH_REMOVED_DEPRECATED : CHANGE_REMOVED_DEPRECATED;
    else if (!sunset_day(sunset, &day))
        kind = CHANGE_PATH_SUNSET_PARSE;
    else if (day > diff->today)
        kind = is_path ? CHANGE_PATH_REMOVED_EARLY : CHANGE_REMOVED_EARLY;
    else
        kind = is_path ? CHANGE_PATH_REMOVED_DEPRECATED : CHANGE_REMOVED_DEPRECATED;
    diff_add(diff, kind, old->node, sunset, NULL);
}

static void compare_ids(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *before = node_get(old, "operationId");
    const struct node *after = node_get(new, "operationId");
    if (text_order(node_text(before), node_text(after)) == 0)
        return;
    if (before)
        diff_add(diff, CHANGE_OPERATION_ID_REMOVED, before, before, NULL);
    if (after)
        diff_add(diff, CHANGE_OPERATION_ID_ADDED, after, NULL, after);
}

static void compare_tags(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *before = node_get(old, "tags");
    const struct node *after = node_get(new, "tags");
    for (size_t i = 0; i < node_count(before) && diff_steps(diff, 1 + node_count(after)); i++)
        if (!diff_has(after, before->child[i]))
            diff_add(diff, CHANGE_TAG_REMOVED, before->child[i], before->child[i], NULL);
    for (size_t i = 0; i < node_count(after) && diff_steps(diff, 1 + node_count(before)); i++)
        if (!diff_has(before, after->child[i]))
            diff_add(diff, CHANGE_TAG_ADDED, after->child[i], NULL, after->child[i]);
}

static void compare_operation(struct diff *diff, const void *before, const void *after)
{
    const struct operation *old = before;
    const struct operation *new = after;
    assert(old || new);
    diff->operation = new ? new : old;
    if (is_unstable(old) && (!new || is_unstable(new)))
        ; /* whoever calls it knows that it changes */
    else if (!new)
        note_removal(diff, old);
    else if (!old)
        diff_add(diff, new->is_webhook ? CHANGE_WEBHOOK_ADDED : CHANGE_ENDPOINT_ADDED, new->node,
                 NULL, NULL);
    else {
        compare_deprecation(diff, old->node, new->node);
        compare_ids(diff, old->node, new->node);
        compare_tags(diff, old->node, new->node);
        diff_security(diff, old, new);
        diff_calls(diff, old, new);
    }
    diff->operation = NULL;
}

/* ---- the whole ---- */

static int by_place(const void *a, const void *b)
{
    const struct change *left = a;
    const struct change *right = b;
    struct text none = { "", 0 };
    int order = text_order(left->operation ? left->operation->path : none,
                           right->operation ? right->operation->path : none);
    order = order != 0 ? order
                       : text_order(left->operation ? left->operation->method : none,
                                    right->operation ? right->operation->method : none);
    order = order != 0 ? order : strcmp(left->id, right->id);
    return order != 0 ? order : (left->order > right->order) - (left->order < right->order);
}

void diff_run(struct diff *diff)
{
    diff->steps_left = DIFF_STEPS_MAX;
    diff->cpu_end_us = check_cpu_us() + (int64_t)CHECK_CPU_MS_MAX * 1000;
    check_begin(diff->old.check);
    check_begin(diff->new.check);
    model_build(&diff->old);
    model_build(&diff->new);
    diff->is_cut = diff->old.check->is_cut || diff->new.check->is_cut;
    if (diff->is_cut)
        return; /* half a model would tell of removals that are none */
    diff->has_sunsets = has_sunset(diff, diff->new.check->document->root);
    diff_documents(diff);
    diff_join(diff, diff->old.operations, diff->old.count, diff->new.operations, diff->new.count,
              sizeof(struct operation), compare_operation);
    if (diff->kept > 0)
        qsort(diff->changes, diff->kept, sizeof(struct change), by_place);
}

void diff_free(struct diff *diff)
{
    pairs_free(&diff->pairs);
    mem_free(&diff->changes);
    arena_free(&diff->arena);
}

/* ---- writing ---- */

enum { PATH_BYTES_MAX = 1000 }; /* of pointers, paths and ids; longer ones are cut */

static void write_text(cJSON *item, const char *name, struct text text)
{
    text.size = MIN(text.size, (size_t)PATH_BYTES_MAX);
    text.size = utf8_valid_bytes(text); /* it may be cut in a character */
    json_text_add(item, name, text);
}

static void write_change(cJSON *list, const struct change *change)
{
    static const char *const levels[] = { "error", "warning", "info" };
    scoped(buf_free) struct buf location = BUF(PATH_BYTES_MAX);
    const struct operation *operation = change->operation;
    struct text none = TEXT("");
    cJSON *item = json_item(list);
    node_path(change->node, &location);
    json_str(item, "id", change->id);
    json_str(item, "level", levels[change->level]);
    write_text(item, "method", operation ? operation->method : none);
    write_text(item, "path", operation ? operation->path : none);
    write_text(item, "location", (struct text){ buf_str(&location), location.size });
    json_str(item, "message", change->message);
    write_text(item, "operation_id",
               operation ? node_text_at(operation->node, "operationId") : none);
    json_str(item, "from", change->from);
    json_str(item, "to", change->to);
}

static bool write_changes(const struct diff *diff, cJSON *result, const char *name, bool is_info)
{
    cJSON *list = json_list(result, name);
    size_t written = 0;
    for (size_t i = 0; i < diff->kept; i++) {
        if ((diff->changes[i].level == CHANGE_INFO) != is_info)
            continue;
        if (written++ < DIFF_SHOWN_MAX)
            write_change(list, &diff->changes[i]);
    }
    return written > DIFF_SHOWN_MAX;
}

static void write_version(cJSON *summary, const char *name, const struct model *model)
{
    const struct node *info = node_get(model->check->document->root, "info");
    const struct node *version = node_get(info, "version");
    bool has_text = node_is(version, NODE_STRING) || node_is(version, NODE_NUMBER);
    json_text_add(summary, name, has_text ? version->text : TEXT(""));
}

void diff_write(const struct diff *diff, cJSON *result)
{
    bool is_cut = write_changes(diff, result, "breaking_changes", false);
    is_cut |= write_changes(diff, result, "non_breaking_changes", true);
    cJSON *summary = json_map(result, "diff_summary");
    json_bool(summary, "breaking", diff->count[CHANGE_ERROR] + diff->count[CHANGE_WARNING] > 0);
    json_int(summary, "errors", (int64_t)diff->count[CHANGE_ERROR]);
    json_int(summary, "warnings", (int64_t)diff->count[CHANGE_WARNING]);
    json_int(summary, "infos", (int64_t)diff->count[CHANGE_INFO]);
    write_version(summary, "previous_version", &diff->old);
    write_version(summary, "current_version", &diff->new);
    json_bool(summary, "truncated", is_cut || diff->is_cut || diff->kept == DIFF_KEPT_MAX);
}
