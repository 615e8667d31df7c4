/* common/jsonschema/check.c - applies schemas to values, and to their children. */
#include <string.h>

#include "base/mem.h"
#include "jsonschema/checking.h"

/* The members or items of one value that keywords have evaluated: for unevaluatedProperties and
 * unevaluatedItems. */
struct marks {
    size_t unknowns; /* when the value was reached */
    size_t size;
    bool is_marked[];
};

/* The checked value, and the path to it. */
struct at {
    const struct subschema *schema; /* NULL while none is applied */
    const void *value;
    const struct schema_place *place;
    const struct schema_place *keyword_place;
    const char *keyword; /* that led to the schema */
    struct marks *marks; /* NULL: not needed */
};

static const struct text no_name = { 0 };

static bool schema_fits(struct run *run, struct subschema *schema, const struct at *at);

/* ---- marks ---- */

static struct marks *marks_new(const struct run *run, const void *value)
{
    size_t size = run->tree->size(value);
    struct marks *marks = mem_new(sizeof(*marks) + size);
    marks->size = size;
    marks->unknowns = run->unknowns;
    return marks;
}

static void mark_evaluated(const struct at *at, size_t index)
{
    if (at->marks)
        at->marks->is_marked[index] = true;
}

static void add_marks(struct marks *marks, const struct marks *more)
{
    for (size_t i = 0; marks && i < marks->size; i++)
        marks->is_marked[i] |= more->is_marked[i];
}

/* ---- errors ---- */

/* Always returns false. */
static bool report_failure(struct run *run, const char *keyword, const struct at *at,
                           struct text missing)
{
    const struct validation *validation = run->validation;
    const struct schema_error error = {
        .keyword = keyword,
        .schema = at->schema->source,
        .value = at->value,
        .missing = missing,
        .place = at->place,
        .keyword_place = at->keyword_place,
    };
    if (run->silence > 0)
        return false;
    run->is_stopped = !validation->wants_all;
    run->is_left = validation->report && !validation->report(validation->context, &error);
    return false;
}

/* After a failure: should the check find more? */
static bool goes_on(const struct run *run)
{
    return run->silence == 0 && !run->is_stopped;
}

/* ---- other schemas and values ---- */

static bool fits_here(struct run *run, struct subschema *schema, const struct at *at,
                      const struct schema_place *way)
{
    const struct at inner = { NULL, at->value, at->place, way, at->keyword, at->marks };
    return schema_fits(run, schema, &inner);
}

static bool fits_quietly(struct run *run, struct subschema *schema, const struct at *at,
                         const struct schema_place *way)
{
    run->silence++;
    bool ok = fits_here(run, schema, at, way);
    run->silence--;
    return ok;
}

static bool fits_child(struct run *run, struct subschema *schema, const struct at *at,
                       const struct schema_place *way, const void *child,
                       const struct schema_place *place)
{
    const struct at inner = { NULL, child, place, way, at->keyword, NULL };
    return schema_fits(run, schema, &inner);
}

typedef bool applicator(struct run *run, const struct rule *rule, const struct at *at);

/* ---- parts without another keyword ---- */

/* The number of items, from the first, that have their own schema in this keyword. */
static size_t positions_of(const struct subschema *schema, enum keyword keyword)
{
    const struct rule *rule = rule_of(schema, keyword);
    return rule ? rule->count : 0;
}

/* Is the name neither in properties nor in patternProperties? */
static bool is_additional(struct run *run, const struct subschema *schema, struct text name)
{
    const struct rule *patterns = rule_of(schema, KEYWORD_PATTERN_PROPERTIES);
    bool is_known = branch_named(rule_of(schema, KEYWORD_PROPERTIES), name) != NULL;
    for (size_t i = 0; patterns && i < patterns->count && !is_known; i++)
        is_known = matches(run, patterns->branches[i].regex, name);
    return !is_known;
}

static bool is_left_over(struct run *run, const struct rule *rule, const struct at *at,
                         const void *child, size_t index)
{
    if (rule->keyword == KEYWORD_ADDITIONAL_PROPERTIES)
        return is_additional(run, at->schema, run->tree->name(child));
    if (rule->keyword == KEYWORD_ITEMS)
        return index >= positions_of(at->schema, KEYWORD_PREFIX_ITEMS);
    if (rule->keyword == KEYWORD_ADDITIONAL_ITEMS)
        return index >= positions_of(at->schema, KEYWORD_ITEMS);
    return !at->marks->is_marked[index];
}

static bool apply_to_rest(struct run *run, const struct rule *rule, const struct at *at)
{
    bool is_object = run->tree->kind(at->value) == TREE_OBJECT;
    const void *child = run->tree->first(at->value);
    bool ok = true;
    for (size_t i = 0; child; i++, child = run->tree->next(child)) {
        struct schema_place place = { at->place, is_object ? run->tree->name(child) : no_name, i };
        if (!is_left_over(run, rule, at, child, i))
            continue;
        ok &= fits_child(run, rule->schema, at, at->keyword_place, child, &place);
        mark_evaluated(at, i);
        if (!ok && !goes_on(run))
            return false;
    }
    return ok;
}

/* unevaluatedItems and unevaluatedProperties: an undecided schema may have evaluated more. */
static bool apply_unevaluated(struct run *run, const struct rule *rule, const struct at *at)
{
    return run->unknowns > at->marks->unknowns || apply_to_rest(run, rule, at);
}

/* ---- lists ---- */

/* By position: prefixItems, and items of Draft-07 as a list. */
static bool apply_by_position(struct run *run, const struct rule *rule, const struct at *at)
{
    const void *item = run->tree->first(at->value);
    bool ok = true;
    for (size_t i = 0; item && i < rule->count; i++, item = run->tree->next(item)) {
        struct schema_place way = { at->keyword_place, no_name, i };
        struct schema_place place = { at->place, no_name, i };
        ok &= fits_child(run, rule->branches[i].schema, at, &way, item, &place);
        mark_evaluated(at, i);
        if (!ok && !goes_on(run))
            return false;
    }
    return ok;
}

static bool is_list_of_schemas(const struct rule *items, const struct at *at)
{
    return items && tree_of(at->schema)->kind(items->value) == TREE_ARRAY;
}

static bool apply_items(struct run *run, const struct rule *rule, const struct at *at)
{
    return is_list_of_schemas(rule, at) ? apply_by_position(run, rule, at)
                                        : apply_to_rest(run, rule, at);
}

static bool apply_additional_items(struct run *run, const struct rule *rule, const struct at *at)
{
    return !is_list_of_schemas(rule_of(at->schema, KEYWORD_ITEMS), at) ||
           apply_to_rest(run, rule, at);
}

static size_t count_contained(struct run *run, const struct rule *rule, const struct at *at)
{
    const void *item = run->tree->first(at->value);
    size_t count = 0;
    run->silence++;
    for (size_t i = 0; item; i++, item = run->tree->next(item)) {
        struct schema_place place = { at->place, no_name, i };
        if (!fits_child(run, rule->schema, at, at->keyword_place, item, &place))
            continue;
        count++;
        if (at->schema->resource->dialect == SCHEMA_2020_12)
            mark_evaluated(at, i);
    }
    run->silence--;
    return count;
}

static bool apply_contains(struct run *run, const struct rule *rule, const struct at *at)
{
    const struct rule *least = rule_of(at->schema, KEYWORD_MIN_CONTAINS);
    const struct rule *most = rule_of(at->schema, KEYWORD_MAX_CONTAINS);
    size_t unknowns = run->unknowns;
    size_t count = count_contained(run, rule, at);
    if (least ? compare_count(count, least) < 0 : count == 0)
        return report_failure(run, least ? least->name : rule->name, at, no_name);
    return !most || compare_count(count, most) <= 0 || run->unknowns > unknowns ||
           report_failure(run, most->name, at, no_name);
}

/* ---- objects ---- */

/* The member of that name; NULL if it is absent. branch, its property in the schema, may be
 * NULL. */
static const void *member_of(struct run *run, const struct branch *branch, const void *object,
                             struct text name)
{
    const void *member = run->tree->member(object, name);
    bool is_null = member && run->tree->kind(member) == TREE_NULL;
    if (!is_null || !run->validation->null_is_absent || !branch || !branch->schema)
        return member;
    compile_late(branch->schema);
    const struct rule *type = rule_of(branch->schema, KEYWORD_TYPE);
    return !type || type->types & IN_NULL ? member : NULL;
}

/* Is a required name missing without permission? */
static bool lacks_dependency(struct run *run, const struct at *at, const struct branch *branch,
                             struct text name)
{
    const struct validation *validation = run->validation;
    return spend(run, 1 + run->tree->size(at->value) / 16) &&
           !member_of(run, branch, at->value, name) &&
           !(validation->may_lack &&
             validation->may_lack(validation->context, at->schema->source, name));
}

/* Are all names of a list present? Those in `said` are reported by properties. A lenient validator
 * accepts lists with other items, which name nothing. */
static bool has_names(struct run *run, const void *names, const struct rule *said,
                      const struct at *at)
{
    const struct tree *tree = tree_of(at->schema);
    const struct rule *properties = rule_of(at->schema, KEYWORD_PROPERTIES);
    bool ok = true;
    for (const void *item = tree->first(names); item; item = tree->next(item)) {
        if (tree->kind(item) != TREE_STRING)
            continue;
        struct text name = tree->text(item);
        const struct branch *branch = branch_named(properties, name);
        if (branch_named(said, name) || !lacks_dependency(run, at, branch, name))
            continue;
        ok = report_failure(run, at->keyword, at, name);
        if (!goes_on(run))
            return false;
    }
    return ok;
}

static bool apply_required(struct run *run, const struct rule *rule, const struct at *at)
{
    bool is_said_later = run->validation->wants_all && run->silence == 0;
    const struct rule *said = is_said_later ? rule_of(at->schema, KEYWORD_PROPERTIES) : NULL;
    return has_names(run, rule->value, said, at);
}

static bool fits_property(struct run *run, const struct branch *branch, const struct at *at)
{
    struct schema_place way = { at->keyword_place, branch->name, 0 };
    struct schema_place place = { at->place, branch->name, 0 };
    if (!spend(run, 1 + run->tree->size(at->value) / 16))
        return true;
    const void *member = member_of(run, branch, at->value, branch->name);
    if (member)
        return fits_child(run, branch->schema, at, &way, member, &place);
    if (!branch->is_required || !goes_on(run) || !run->validation->wants_all ||
        !lacks_dependency(run, at, branch, branch->name))
        return true;
    struct schema_place required = { at->keyword_place->outer, TEXT("required"), 0 };
    struct at beside = { at->schema, at->value, at->place, &required, "required", NULL };
    return report_failure(run, "required", &beside, branch->name);
}

static bool apply_properties(struct run *run, const struct rule *rule, const struct at *at)
{
    bool ok = true;
    size_t index = 0;
    for (size_t i = 0; i < rule->count; i++) {
        ok &= fits_property(run, &rule->branches[i], at);
        if (!ok && !goes_on(run))
            return false;
    }
    const void *member = at->marks ? run->tree->first(at->value) : NULL;
    for (; member; member = run->tree->next(member), index++)
        if (branch_named(rule, run->tree->name(member)))
            mark_evaluated(at, index);
    return ok;
}

static bool fits_pattern_property(struct run *run, const struct rule *rule, const struct at *at,
                                  const void *member, size_t index)
{
    struct text name = run->tree->name(member);
    struct schema_place place = { at->place, name, 0 };
    bool ok = true;
    for (size_t i = 0; i < rule->count; i++) {
        struct branch *branch = &rule->branches[i];
        struct schema_place way = { at->keyword_place, branch->name, 0 };
        if (!branch->regex ? unknown(run) : !matches(run, branch->regex, name))
            continue;
        ok &= fits_child(run, branch->schema, at, &way, member, &place);
        mark_evaluated(at, index);
        if (!ok && !goes_on(run))
            return false;
    }
    return ok;
}

static bool apply_pattern_properties(struct run *run, const struct rule *rule, const struct at *at)
{
    const void *member = run->tree->first(at->value);
    bool ok = true;
    for (size_t i = 0; member; i++, member = run->tree->next(member)) {
        ok &= fits_pattern_property(run, rule, at, member, i);
        if (!ok && !goes_on(run))
            return false;
    }
    return ok;
}

static enum tree_kind name_kind(const void *node)
{
    (void)node;
    return TREE_STRING;
}

static struct text name_text(const void *node)
{
    return *(const struct text *)node;
}

static size_t name_size(const void *node)
{
    (void)node;
    return 0;
}

/* A name as a tree: a string without other functions. */
static const struct tree tree_of_name = { .kind = name_kind, .text = name_text, .size = name_size };

static bool apply_property_names(struct run *run, const struct rule *rule, const struct at *at)
{
    const struct tree *tree = run->tree;
    bool ok = true;
    run->silence++;
    for (const void *member = tree->first(at->value); member && ok; member = tree->next(member)) {
        struct text name = tree->name(member);
        struct schema_place place = { at->place, name, 0 };
        run->tree = &tree_of_name;
        ok = fits_child(run, rule->schema, at, at->keyword_place, &name, &place);
        run->tree = tree;
    }
    run->silence--;
    return ok || report_failure(run, rule->name, at, no_name);
}

/* dependentRequired, dependentSchemas, and both in Draft-07. */
static bool apply_dependencies(struct run *run, const struct rule *rule, const struct at *at)
{
    bool ok = true;
    for (size_t i = 0; i < rule->count; i++) {
        struct branch *branch = &rule->branches[i];
        struct schema_place way = { at->keyword_place, branch->name, 0 };
        if (!spend(run, 1 + run->tree->size(at->value) / 16) ||
            !run->tree->member(at->value, branch->name))
            continue;
        ok &= branch->names ? has_names(run, branch->names, NULL, at)
                            : fits_here(run, branch->schema, at, &way);
        if (!ok && !goes_on(run))
            return false;
    }
    return ok;
}

/* ---- combined schemas ---- */

static bool apply_all_of(struct run *run, const struct rule *rule, const struct at *at)
{
    bool ok = true;
    for (size_t i = 0; i < rule->count; i++) {
        struct schema_place way = { at->keyword_place, no_name, i };
        ok &= fits_here(run, rule->branches[i].schema, at, &way);
        if (!ok && !goes_on(run))
            return false;
    }
    return ok;
}

static size_t count_fitting(struct run *run, const struct rule *rule, const struct at *at)
{
    size_t count = 0;
    for (size_t i = 0; i < rule->count; i++) {
        struct schema_place way = { at->keyword_place, no_name, i };
        count += fits_quietly(run, rule->branches[i].schema, at, &way);
    }
    return count;
}

static bool apply_any_of(struct run *run, const struct rule *rule, const struct at *at)
{
    return count_fitting(run, rule, at) > 0 || report_failure(run, rule->name, at, no_name);
}

static bool apply_one_of(struct run *run, const struct rule *rule, const struct at *at)
{
    size_t unknowns = run->unknowns;
    size_t count = count_fitting(run, rule, at);
    bool is_one = count == 1 || (count > 1 && run->unknowns > unknowns);
    return is_one || report_failure(run, rule->name, at, no_name);
}

static bool apply_not(struct run *run, const struct rule *rule, const struct at *at)
{
    const struct at unmarked = { at->schema,        at->value,   at->place,
                                 at->keyword_place, at->keyword, NULL };
    size_t unknowns = run->unknowns;
    return !fits_quietly(run, rule->schema, &unmarked, at->keyword_place) ||
           run->unknowns > unknowns || report_failure(run, rule->name, at, no_name);
}

static bool apply_if(struct run *run, const struct rule *rule, const struct at *at)
{
    size_t unknowns = run->unknowns;
    bool is_so = fits_quietly(run, rule->schema, at, at->keyword_place);
    const struct rule *next = rule_of(at->schema, is_so ? KEYWORD_THEN : KEYWORD_ELSE);
    if (!next || (is_so && run->unknowns > unknowns))
        return true;
    struct schema_place way = { at->keyword_place->outer, text_of(next->name), 0 };
    const struct at beside = { at->schema, at->value, at->place, &way, next->name, at->marks };
    return fits_here(run, next->schema, &beside, &way);
}

static bool apply_ref(struct run *run, const struct rule *rule, const struct at *at)
{
    return fits_here(run, rule->schema, at, at->keyword_place);
}

/* A dynamic anchor refers to the anchor of its name in the outermost resource that has one. */
static bool apply_dynamic_ref(struct run *run, const struct rule *rule, const struct at *at)
{
    struct subschema *target = rule->schema;
    const struct scope *scope = rule->anchor.size > 0 ? run->scope : NULL;
    for (; scope && spend(run, 1 + scope->resource->anchor_count / 4); scope = scope->outer) {
        const struct anchor *anchor = find_anchor(scope->resource, rule->anchor);
        if (anchor && anchor->is_dynamic)
            target = anchor->schema;
    }
    return fits_here(run, target, at, at->keyword_place);
}

/* ---- one schema ---- */

static applicator *const applicators[KEYWORD_COUNT] = {
    [KEYWORD_PREFIX_ITEMS] = apply_by_position,
    [KEYWORD_ITEMS] = apply_items,
    [KEYWORD_ADDITIONAL_ITEMS] = apply_additional_items,
    [KEYWORD_CONTAINS] = apply_contains,
    [KEYWORD_REQUIRED] = apply_required,
    [KEYWORD_DEPENDENT_REQUIRED] = apply_dependencies,
    [KEYWORD_PROPERTIES] = apply_properties,
    [KEYWORD_PATTERN_PROPERTIES] = apply_pattern_properties,
    [KEYWORD_ADDITIONAL_PROPERTIES] = apply_to_rest,
    [KEYWORD_PROPERTY_NAMES] = apply_property_names,
    [KEYWORD_DEPENDENT_SCHEMAS] = apply_dependencies,
    [KEYWORD_DEPENDENCIES] = apply_dependencies,
    [KEYWORD_ALL_OF] = apply_all_of,
    [KEYWORD_ANY_OF] = apply_any_of,
    [KEYWORD_ONE_OF] = apply_one_of,
    [KEYWORD_NOT] = apply_not,
    [KEYWORD_IF] = apply_if,
    [KEYWORD_REF] = apply_ref,
    [KEYWORD_DYNAMIC_REF] = apply_dynamic_ref,
    [KEYWORD_UNEVALUATED_ITEMS] = apply_unevaluated,
    [KEYWORD_UNEVALUATED_PROPERTIES] = apply_unevaluated,
};

static bool fits_rule(struct run *run, const struct subschema *schema, const struct rule *rule,
                      const struct at *at, struct marks *marks)
{
    struct schema_place way = { at->keyword_place, text_of(rule->name), 0 };
    const struct at here = { schema, at->value, at->place, &way, rule->name, marks };
    if (!(rule->kinds & 1U << run->tree->kind(at->value)))
        return true;
    if (!is_assertion(rule->keyword))
        return applicators[rule->keyword](run, rule, &here);
    return fits_assertion(run, schema, rule, at->value) ||
           report_failure(run, rule->name, &here, no_name);
}

static bool fits_rules(struct run *run, const struct subschema *schema, const struct at *at,
                       struct marks *marks)
{
    bool ok = true;
    for (size_t i = 0; i < schema->count; i++) {
        bool is_good = fits_rule(run, schema, &schema->rules[i], at, marks);
        ok &= is_good;
        if (!is_good && (run->is_left || !goes_on(run)))
            break;
    }
    run->is_left = false;
    return ok;
}

/* Compile a schema whose compilation was deferred. */
static void prepare_evaluated(struct run *run, struct subschema *schema)
{
    enum { COMPILE_STEPS = 8 /* of all other keywords */ };
    if (schema->is_compiled)
        return;
    compile_late(schema);
    (void)spend(run, COMPILE_STEPS + schema->steps);
}

/* The maximum cost of a value: several keywords traverse texts and lists. */
static size_t cost_of(const struct run *run, const void *value)
{
    bool is_text = run->tree->kind(value) == TREE_STRING;
    return 4 + (is_text ? run->tree->text(value).size / 64 : run->tree->size(value) / 4);
}

static bool schema_fits(struct run *run, struct subschema *schema, const struct at *at)
{
    if (!schema || run->depth == VALIDATOR_DEPTH_MAX || !spend(run, cost_of(run, at->value)))
        return unknown(run);
    prepare_evaluated(run, schema);
    if (schema->is_false) {
        const struct at here = {
            schema, at->value, at->place, at->keyword_place, at->keyword, NULL
        };
        return report_failure(run, at->keyword, &here, no_name);
    }
    if (schema->takes_null && run->tree->kind(at->value) == TREE_NULL)
        return true;
    struct scope scope = { schema->resource, run->scope };
    scoped(mem_free) struct marks *marks =
        at->marks || schema->is_tracking ? marks_new(run, at->value) : NULL;
    run->scope = &scope;
    run->depth++;
    bool ok = fits_rules(run, schema, at, marks);
    run->depth--;
    run->scope = scope.outer;
    if (ok && marks)
        add_marks(at->marks, marks);
    return ok;
}

enum schema_verdict validator_check(struct subschema *schema, const void *value,
                                    struct validation *validation)
{
    static const struct schema_place top = { 0 };
    const struct at at = { NULL, value, &top, &top, "false", NULL };
    struct run run = { .validation = validation, .tree = validation->tree };
    if (!schema_fits(&run, schema, &at))
        return SCHEMA_FAILS;
    return run.unknowns > 0 ? SCHEMA_UNDECIDED : SCHEMA_FITS;
}
