/* svc-security/openapi-validate/witness/witness.c - witnesses of all breaking changes. */
#include "witness.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "search.h"
#include "text/json.h"

/* Steps of the validator: about 8 a microsecond. */
enum {
    WITNESS_STEPS_MIN = 40000,
    WITNESS_STEPS_NODE = 20,
    WITNESS_STEPS_MAX = 4000000,
    CHANGE_STEPS_MAX = 40000,
    SEARCHED_MAX = 500, /* changes: as many as the result lists */
};

/* The witnesses of one comparison. */
struct witnesses {
    struct diff *diff;
    struct maker *maker;
    struct judge old;
    struct judge new;
    size_t steps_left; /* of the change being searched */
    size_t budget;     /* of all others */
};

static const char *print_value(struct diff *diff, const cJSON *value)
{
    scoped(buf_free) struct buf text = BUF(WITNESS_BYTES);
    (void)json_print(value, &text);
    return arena_copy(&diff->arena, buf_text(&text));
}

/* ---- changes of schemas ---- */

/* if, then and else have an effect only together. */
static bool is_condition(const struct counterexample *example)
{
    static const char *const keywords[] = { "if", "then", "else" };
    return text_is_among(node_name(example->changed), keywords, countof(keywords));
}

/* Does another breaking change of the same schema share the values? */
static bool has_rival(const struct counterexample *first, const struct counterexample *example)
{
    for (const struct counterexample *other = first; other; other = other->next)
        if (other != example && other->is_breaking &&
            !(is_condition(other) && is_condition(example)))
            return true;
    return false;
}

static const char *reason_of(const struct goal *goal, bool is_undecided)
{
    if (is_undecided)
        return "The search reached its limit before it found a value.";
    if (goal->value)
        return "The values found also show another change of this schema.";
    if (goal->is_too_large)
        return "The shortest value found is longer than 1 KB.";
    if (goal->was_near)
        return "Such a value exists, but none was found that the whole schema accepts.";
    return "No value was found that shows the change.";
}

static void set_direction(struct search *search)
{
    const struct schema_spot *spot = &search->root->spot;
    bool is_request = spot->family == IN_PARAMETER || spot->family == IN_REQUEST;
    enum direction direction = is_request ? DIRECTION_REQUEST : DIRECTION_RESPONSE;
    search->holds->direction = search->fails->direction = direction;
}

static void start_search(struct witnesses *all, const struct trail *trail, struct search *search)
{
    *search = (struct search){ .maker = all->maker, .trail = trail, .root = trail };
    while (search->root->outer)
        search->root = search->root->outer;
    enum family direction = diff_direction(&search->root->spot);
    search->is_old_valid = direction == IN_PARAMETER || direction == IN_REQUEST;
    search->holds = search->is_old_valid ? &all->old : &all->new;
    search->fails = search->is_old_valid ? &all->new : &all->old;
    set_direction(search);
}

/* Is an object with the removed property still valid? Then there is nothing to find. */
static bool stays_valid(const struct search *search, const struct counterexample *example)
{
    struct view view;
    if (!text_is(text_of(example->id), "request-property-removed"))
        return false;
    view_of(search->fails->check, search_fails(search, search->trail), &view);
    return !view.choice && !view_get(&view, "additionalProperties") &&
           !view_get(&view, "unevaluatedProperties");
}

/* Is there something to search? Otherwise the note says why not. */
static bool is_searchable(const struct search *search, struct counterexample *example)
{
    static const char *const unchecked[] = { "default", "contentMediaType", "contentEncoding",
                                             "contentSchema" };
    if (text_is_among(node_name(example->changed), unchecked, countof(unchecked)))
        example->note = "Whether a value is valid does not depend on this keyword.";
    else if (stays_valid(search, example))
        example->note =
            "A request with the property is still valid, but it is no longer described.";
    return !example->note;
}

static void finish_goal(struct witnesses *all, struct search *search, size_t i,
                        const struct counterexample *first, struct counterexample *example)
{
    struct goal *goal = &search->goal[i];
    bool is_undecided = all->steps_left == 0;
    bool is_good = goal->value && (goal->rank > VALUE_ANY || !has_rival(first, example));
    if (!is_undecided && search_proves_none(search, i))
        example->is_none = true;
    else if (is_good)
        example->witness = print_value(all->diff, goal->value);
    else
        example->note = reason_of(goal, is_undecided);
    json_free(&goal->value);
}

/* Search for these changes of one schema at once. */
static void search_goals(struct witnesses *all, struct search *search,
                         struct counterexample *const example[])
{
    size_t granted = MIN(all->budget, search->count * CHANGE_STEPS_MAX);
    for (size_t i = 0; i < search->count; i++) {
        search->focus[i] = (struct focus){ .name = node_name(example[i]->changed) };
        search->goal[i] = (struct goal){ .changed = example[i]->changed,
                                         .is_null = text_has(text_of(example[i]->id), "nullable") };
    }
    all->steps_left = granted;
    search_run(search);
    for (size_t i = 0; i < search->count; i++)
        finish_goal(all, search, i, search->trail->counterexamples, example[i]);
    all->budget -= granted - all->steps_left;
}

static void add_goal(struct search *search, struct counterexample *example,
                     struct counterexample *goals[GOALS_MAX])
{
    if (search->count == GOALS_MAX || !example->is_wanted || example->is_searched)
        return;
    example->is_searched = true;
    if (is_searchable(search, example))
        goals[search->count++] = example;
}

/* Search for a change of a schema, and for as many of its others as fit in. */
static void search_schema(struct witnesses *all, const struct trail *trail,
                          struct counterexample *wanted)
{
    scoped(mem_free) struct search *search = mem_new(sizeof(*search));
    struct counterexample *goals[GOALS_MAX];
    start_search(all, trail, search);
    add_goal(search, wanted, goals);
    for (struct counterexample *at = trail->counterexamples; at; at = at->next)
        add_goal(search, at, goals);
    if (search->count > 0)
        search_goals(all, search, goals);
}

static void set_result(struct diff *diff, struct change *change)
{
    const struct counterexample *found = change->counterexample;
    change->witness = found->witness;
    change->witness_note = found->note;
    if (!found->is_none)
        return;
    diff->count[change->level]--;
    diff->count[CHANGE_INFO]++;
    change->level = CHANGE_INFO;
}

/* ---- other changes ---- */

/* Notices, such as "sunset-deleted", do not change what a caller sends or gets. */
static bool is_notice(const struct change *change)
{
    struct text id = text_of(change->id);
    bool is_removal = text_is(id, "api-path-sunset-parse");
    return !is_removal && (text_has(id, "sunset-") || text_has(id, "stability"));
}

/* The first operation of the old document that its callers call. */
static const struct operation *first_operation(const struct model *model)
{
    const struct operation *operation = model->operations.item;
    for (size_t i = 0; i < model->operations.count; i++)
        if (!operation[i].is_outgoing)
            return &operation[i];
    return NULL;
}

/* Does a list of security requirements ask for the scope of any scheme? */
static bool asks_scope(const struct node *security, struct text scope)
{
    for (size_t i = 0; node_is(security, NODE_LIST) && i < security->count; i++) {
        const struct node *entry = security->child[i];
        for (size_t k = 0; node_is(entry, NODE_OBJECT) && k < entry->count; k++)
            for (size_t s = 0; s < node_count(entry->child[k]); s++)
                if (text_equals(node_text(entry->child[k]->child[s]), scope))
                    return true;
    }
    return false;
}

static const struct operation *find_scope_user(const struct model *model, struct text scope)
{
    const struct operation *operation = model->operations.item;
    const struct node *global = node_get(model->check->document->root, "security");
    for (size_t i = 0; i < model->operations.count; i++) {
        const struct node *own = node_get(operation[i].node, "security");
        if (!operation[i].is_outgoing && asks_scope(own ? own : global, scope))
            return &operation[i];
    }
    return NULL;
}

/* "GET https://api.example.com/v1/pets"; the server may be empty. */
static void set_line(struct diff *diff, struct change *change, struct text server,
                     const struct operation *operation)
{
    scoped(buf_free) struct buf line = BUF(WITNESS_BYTES);
    while (server.size > 0 && server.bytes[server.size - 1] == '/')
        server.size--;
    for (size_t i = 0; i < operation->method.size; i++) {
        char c = operation->method.bytes[i];
        buf_add_byte(&line, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
    buf_add_byte(&line, ' ');
    buf_add(&line, server.bytes, server.size);
    buf_add(&line, operation->path.bytes, operation->path.size);
    if (line.full)
        change->witness_note = "The request's line is longer than 1 KB.";
    else
        change->witness = arena_copy(&diff->arena, buf_text(&line));
}

static void find_line(struct diff *diff, struct change *change)
{
    const struct operation *operation = change->operation;
    bool is_scope = strcmp(change->id, "api-security-component-oauth-scope-removed") == 0;
    bool is_server = strcmp(change->id, "server-removed") == 0;
    if (!operation)
        operation =
            is_scope ? find_scope_user(&diff->old, change->node->key) : first_operation(&diff->old);
    if (operation)
        set_line(diff, change, is_server ? node_text(change->from) : TEXT(""), operation);
    else
        change->witness_note = is_scope ? "No operation of the old document requires the scope."
                                        : "The old document has no operation.";
}

/* ---- entry point ---- */

static bool needs_witness(const struct change *change)
{
    return change->level != CHANGE_INFO && !is_notice(change);
}

static void mark_wanted(struct diff *diff)
{
    size_t listed = 0;
    for (size_t i = 0; i < diff->kept; i++) {
        const struct change *change = &diff->changes[i];
        if (!change->counterexample || change->level == CHANGE_INFO)
            continue;
        change->counterexample->is_breaking = true;
        if (needs_witness(change) && change->fate == CHANGE_LISTED && listed++ < SEARCHED_MAX)
            change->counterexample->is_wanted = true;
    }
}

static void find_value(struct witnesses *all, struct change *change)
{
    struct counterexample *example = change->counterexample;
    if (example->is_wanted && !example->is_searched)
        search_schema(all, change->trail, example);
    if (example->is_searched)
        set_result(all->diff, change);
    else
        change->witness_note = "Only the listed changes are searched.";
}

void witness_find(struct diff *diff)
{
    struct witnesses all = { .diff = diff, .maker = NULL };
    size_t nodes = diff->old.check->document->node_count + diff->new.check->document->node_count;
    if (diff->kept == 0)
        return;
    all.budget = MIN(WITNESS_STEPS_MIN + WITNESS_STEPS_NODE * nodes, (size_t)WITNESS_STEPS_MAX);
    all.maker = maker_new(values_offer);
    judge_init(&all.old, diff->old.check, &all.steps_left);
    judge_init(&all.new, diff->new.check, &all.steps_left);
    mark_wanted(diff);
    for (size_t i = 0; i < diff->kept; i++) {
        struct change *change = &diff->changes[i];
        if (!needs_witness(change))
            continue;
        if (change->counterexample)
            find_value(&all, change);
        else
            find_line(diff, change);
    }
    judge_free(&all.old);
    judge_free(&all.new);
    maker_free(&all.maker);
}
