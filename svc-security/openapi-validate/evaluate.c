/* svc-security/openapi-validate/evaluate.c - a table of keywords, run over a schema and a value. */
#include "evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "openapi-validate/check/values.h"

struct evaluation {
    struct check *check;
    enum direction direction;
    unsigned depth;
    const struct node *where; /* the innermost value that failed */
    const char *why;          /* the keyword that it failed */
};

typedef bool keyword_test(struct evaluation *run, const struct node *schema,
                          const struct node *keyword, const struct node *value);

static bool fits(struct evaluation *run, const struct node *schema, const struct node *value);

static bool fail_at(struct evaluation *run, const struct node *value)
{
    run->where = value;
    run->why = NULL; /* the table's loop knows */
    return false;
}

/* ---- type ---- */

static bool test_type(struct evaluation *run, const struct node *schema, const struct node *keyword,
                      const struct node *value)
{
    (void)keyword;
    return fits_type(run->check, schema, value) || fail_at(run, value);
}

/* ---- values as a whole ---- */

static bool test_enum(struct evaluation *run, const struct node *schema, const struct node *keyword,
                      const struct node *value)
{
    bool is_null = value->kind == NODE_NULL && fits_type(run->check, schema, value);
    if (!node_is(keyword, NODE_LIST) || is_null)
        return true;
    for (size_t i = 0; i < keyword->count; i++) {
        size_t steps = 10000;
        if (!check_step(run->check, 1) || node_equal(keyword->child[i], value, &steps))
            return true;
    }
    return fail_at(run, value);
}

static bool test_const(struct evaluation *run, const struct node *schema,
                       const struct node *keyword, const struct node *value)
{
    size_t steps = 10000;
    (void)schema;
    return node_equal(keyword, value, &steps) || fail_at(run, value);
}

/* ---- bounds: of numbers, and of sizes ---- */

static bool is_flag(const struct node *schema, const char *name)
{
    return node_is_true(node_get(schema, name));
}

static bool test_maximum(struct evaluation *run, const struct node *schema,
                         const struct node *keyword, const struct node *value)
{
    bool is_good = is_flag(schema, "exclusiveMaximum") ? value->number < keyword->number
                                                       : value->number <= keyword->number;
    return is_good || fail_at(run, value);
}

static bool test_minimum(struct evaluation *run, const struct node *schema,
                         const struct node *keyword, const struct node *value)
{
    bool is_good = is_flag(schema, "exclusiveMinimum") ? value->number > keyword->number
                                                       : value->number >= keyword->number;
    return is_good || fail_at(run, value);
}

static bool test_above(struct evaluation *run, const struct node *schema,
                       const struct node *keyword, const struct node *value)
{
    (void)schema;
    return value->number > keyword->number || fail_at(run, value);
}

static bool test_below(struct evaluation *run, const struct node *schema,
                       const struct node *keyword, const struct node *value)
{
    (void)schema;
    return value->number < keyword->number || fail_at(run, value);
}

/* A quotient near a whole number is one: 0.3 is three times 0.1. */
static bool test_multiple(struct evaluation *run, const struct node *schema,
                          const struct node *keyword, const struct node *value)
{
    (void)schema;
    double quotient = value->number / keyword->number;
    bool is_good = !(keyword->number > 0) || !isfinite(quotient) ||
                   fabs(quotient - round(quotient)) <= 1e-9 * fmax(1, fabs(quotient));
    return is_good || fail_at(run, value);
}

static double size_of(const struct node *value)
{
    return value->kind == NODE_STRING ? (double)utf8_length(value->text) : (double)value->count;
}

static bool test_at_most(struct evaluation *run, const struct node *schema,
                         const struct node *keyword, const struct node *value)
{
    (void)schema;
    return size_of(value) <= keyword->number || fail_at(run, value);
}

static bool test_at_least(struct evaluation *run, const struct node *schema,
                          const struct node *keyword, const struct node *value)
{
    (void)schema;
    return size_of(value) >= keyword->number || fail_at(run, value);
}

/* ---- texts ---- */

static bool test_pattern(struct evaluation *run, const struct node *schema,
                         const struct node *keyword, const struct node *value)
{
    scoped(regex_free) struct regex *regex = NULL;
    int64_t start_us = check_cpu_us();
    (void)schema;
    if (!check_step(run->check, 1) || compile_pattern(keyword->text, &regex) != REGEX_GOOD)
        return true;
    bool is_good = regex_matches(regex, value->text);
    check_took(run->check, start_us);
    return is_good || fail_at(run, value);
}

static bool test_format(struct evaluation *run, const struct node *schema,
                        const struct node *keyword, const struct node *value)
{
    bool is_good = true;
    (void)schema;
    if (value->kind == NODE_STRING)
        is_good = fits_text_format(keyword->text, value->text);
    else if (value->kind == NODE_NUMBER)
        is_good = fits_number_format(keyword->text, value);
    return is_good || fail_at(run, value);
}

/* ---- lists ---- */

static bool test_items(struct evaluation *run, const struct node *schema,
                       const struct node *keyword, const struct node *value)
{
    const struct node *prefix = node_get(schema, "prefixItems");
    for (size_t i = node_is(prefix, NODE_LIST) ? prefix->count : 0; i < value->count; i++)
        if (!fits(run, keyword, value->child[i]))
            return false;
    return true;
}

static bool test_prefix_items(struct evaluation *run, const struct node *schema,
                              const struct node *keyword, const struct node *value)
{
    (void)schema;
    for (size_t i = 0; i < value->count && i < keyword->count; i++)
        if (!fits(run, keyword->child[i], value->child[i]))
            return false;
    return true;
}

/* Pairs are quadratic, so they count as steps. */
static bool test_unique_items(struct evaluation *run, const struct node *schema,
                              const struct node *keyword, const struct node *value)
{
    (void)schema;
    for (size_t i = 1; node_is_true(keyword) && i < value->count; i++)
        for (size_t k = 0; k < i && check_step(run->check, 1); k++) {
            size_t steps = 1000;
            if (node_equal(value->child[i], value->child[k], &steps))
                return fail_at(run, value->child[i]);
        }
    return true;
}

/* ---- objects ---- */

static bool test_properties(struct evaluation *run, const struct node *schema,
                            const struct node *keyword, const struct node *value)
{
    (void)schema;
    for (size_t i = 0; i < value->count; i++) {
        const struct node *property = node_member(keyword, value->child[i]->key);
        if (property && !fits(run, property, value->child[i]))
            return false;
    }
    return true;
}

static bool may_be_left_out(const struct evaluation *run, const struct node *property)
{
    const char *flag = run->direction == DIRECTION_REQUEST    ? "readOnly"
                       : run->direction == DIRECTION_RESPONSE ? "writeOnly"
                                                              : NULL;
    return flag && is_flag(deref(property), flag);
}

static bool test_required(struct evaluation *run, const struct node *schema,
                          const struct node *keyword, const struct node *value)
{
    for (size_t i = 0; i < keyword->count && check_step(run->check, 1); i++) {
        struct text name = node_text(keyword->child[i]);
        if (!node_member(value, name) &&
            !may_be_left_out(run, node_member(node_get(schema, "properties"), name)))
            return fail_at(run, value);
    }
    return true;
}

/* Names by patternProperties would have to be matched, so then nothing is said. */
static bool test_additional(struct evaluation *run, const struct node *schema,
                            const struct node *keyword, const struct node *value)
{
    const struct node *properties = node_get(schema, "properties");
    if (node_get(schema, "patternProperties"))
        return true;
    for (size_t i = 0; i < value->count; i++) {
        if (node_member(properties, value->child[i]->key))
            continue;
        bool is_forbidden = keyword->kind == NODE_BOOL && !keyword->is_true;
        if (is_forbidden)
            return fail_at(run, value->child[i]);
        if (!fits(run, keyword, value->child[i]))
            return false;
    }
    return true;
}

/* ---- schemas together ---- */

static size_t count_fitting(struct evaluation *run, const struct node *list,
                            const struct node *value)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += fits(run, list->child[i], value);
    return count;
}

static bool test_all_of(struct evaluation *run, const struct node *schema,
                        const struct node *keyword, const struct node *value)
{
    (void)schema;
    for (size_t i = 0; i < keyword->count; i++)
        if (!fits(run, keyword->child[i], value))
            return false;
    return true;
}

static bool test_any_of(struct evaluation *run, const struct node *schema,
                        const struct node *keyword, const struct node *value)
{
    (void)schema;
    return count_fitting(run, keyword, value) > 0 || fail_at(run, value);
}

static bool test_one_of(struct evaluation *run, const struct node *schema,
                        const struct node *keyword, const struct node *value)
{
    (void)schema;
    bool is_one = count_fitting(run, keyword, value) == 1;
    return is_one || run->check->is_cut || fail_at(run, value);
}

/* What is unknown counts as fitting, so a schema that holds anything unknown would make `not` fail:
 * only plain schemas are asked. */
static bool is_plain(const struct node *schema)
{
    static const char *const plain[] = { "type", "enum", "const", "required", "nullable" };
    if (!node_is(schema, NODE_OBJECT) || node_get(schema, "$ref"))
        return false;
    size_t known = 0;
    for (size_t i = 0; i < countof(plain); i++)
        known += node_get(schema, plain[i]) != NULL;
    return known == schema->count;
}

static bool test_not(struct evaluation *run, const struct node *schema, const struct node *keyword,
                     const struct node *value)
{
    (void)schema;
    return !is_plain(keyword) || !fits(run, keyword, value) || fail_at(run, value);
}

static bool test_if(struct evaluation *run, const struct node *schema, const struct node *keyword,
                    const struct node *value)
{
    const struct node *then = node_get(schema, fits(run, keyword, value) ? "then" : "else");
    return !then || fits(run, then, value);
}

/* ---- the table ---- */

enum { TEXT_OR_NUMBER = IS_STRING | IS_NUMBER };

/* clang-format off */
static const struct {
    const char *name;
    unsigned versions;
    unsigned keyword; /* kinds of the keyword's value, by enum node_kinds */
    unsigned values;  /* kinds of values that it is about */
    keyword_test *test;
} keywords[] = {
    { "type",                 ALL,       IS_STRING | IS_LIST, IS_ANYTHING,    test_type },
    { "enum",                 ALL,       IS_LIST,             IS_ANYTHING,    test_enum },
    { "const",                V31_UP,    IS_ANYTHING,         IS_ANYTHING,    test_const },
    { "maximum",              ALL,       IS_NUMBER,           IS_NUMBER,      test_maximum },
    { "minimum",              ALL,       IS_NUMBER,           IS_NUMBER,      test_minimum },
    { "exclusiveMaximum",     V31_UP,    IS_NUMBER,           IS_NUMBER,      test_below },
    { "exclusiveMinimum",     V31_UP,    IS_NUMBER,           IS_NUMBER,      test_above },
    { "multipleOf",           ALL,       IS_NUMBER,           IS_NUMBER,      test_multiple },
    { "maxLength",            ALL,       IS_NUMBER,           IS_STRING,      test_at_most },
    { "minLength",            ALL,       IS_NUMBER,           IS_STRING,      test_at_least },
    { "pattern",              ALL,       IS_STRING,           IS_STRING,      test_pattern },
    { "format",               ALL,       IS_STRING,           TEXT_OR_NUMBER, test_format },
    { "maxItems",             ALL,       IS_NUMBER,           IS_LIST,        test_at_most },
    { "minItems",             ALL,       IS_NUMBER,           IS_LIST,        test_at_least },
    { "uniqueItems",          ALL,       IS_BOOL,             IS_LIST,        test_unique_items },
    { "prefixItems",          V31_UP,    IS_LIST,             IS_LIST,        test_prefix_items },
    { "items",                ALL,       IS_OBJECT | IS_BOOL, IS_LIST,        test_items },
    { "maxProperties",        ALL,       IS_NUMBER,           IS_OBJECT,      test_at_most },
    { "minProperties",        ALL,       IS_NUMBER,           IS_OBJECT,      test_at_least },
    { "required",             ALL,       IS_LIST,             IS_OBJECT,      test_required },
    { "properties",           ALL,       IS_OBJECT,           IS_OBJECT,      test_properties },
    { "additionalProperties", ALL,       IS_OBJECT | IS_BOOL, IS_OBJECT,      test_additional },
    { "allOf",                ALL,       IS_LIST,             IS_ANYTHING,    test_all_of },
    { "anyOf",                V3,        IS_LIST,             IS_ANYTHING,    test_any_of },
    { "oneOf",                V3,        IS_LIST,             IS_ANYTHING,    test_one_of },
    { "not",                  V3,        IS_OBJECT | IS_BOOL, IS_ANYTHING,    test_not },
    { "if",                   V31_UP,    IS_OBJECT | IS_BOOL, IS_ANYTHING,    test_if },
};
/* clang-format on */

static bool fits_keywords(struct evaluation *run, const struct node *schema,
                          const struct node *value)
{
    for (size_t i = 0; i < countof(keywords); i++) {
        const struct node *keyword = node_get(schema, keywords[i].name);
        bool counts = keyword && keywords[i].versions & run->check->version &&
                      keywords[i].keyword & node_bit(keyword) &&
                      keywords[i].values & node_bit(value);
        if (!counts || keywords[i].test(run, schema, keyword, value))
            continue;
        run->why = run->why ? run->why : keywords[i].name;
        return false;
    }
    return true;
}

/* What a look at a value may cost: texts and lists are gone through by several keywords. */
static size_t cost_of(const struct node *schema, const struct node *value)
{
    size_t types = node_count(node_get(schema, "type"));
    return 4 + types + (value->kind == NODE_STRING ? value->text.size / 64 : value->count / 4);
}

/* Too deep, too long or unknown fits. */
static bool fits(struct evaluation *run, const struct node *schema, const struct node *value)
{
    schema = deref(schema);
    if (!schema || !check_step(run->check, cost_of(schema, value)))
        return true;
    if (schema->kind == NODE_BOOL)
        return schema->is_true || fail_at(run, value);
    bool is_null = value->kind == NODE_NULL && fits_type(run->check, schema, value) &&
                   run->check->version & (V20 | V30) && node_get(schema, "type");
    if (is_null || run->depth == EVALUATE_DEPTH_MAX)
        return true;
    run->depth++;
    bool ok = fits_keywords(run, schema, value);
    if (ok && schema->target && run->check->version & V31_UP)
        ok = fits(run, schema->target, value);
    run->depth--;
    return ok;
}

const char *evaluate(struct check *check, const struct node *schema, const struct node *value,
                     enum direction direction, const struct node **where)
{
    struct evaluation run = { .check = check, .direction = direction };
    if (fits(&run, schema, value) || check->is_cut)
        return NULL;
    *where = run.where;
    return run.why ? run.why : "false";
}

/* ---- reporting ---- */

void check_example(struct check *check, enum rule rule, const struct node *schema,
                   const struct node *value, enum direction direction)
{
    const struct node *where = NULL;
    const char *why = evaluate(check, schema, value, direction, &where);
    if (why)
        report(check->findings, rule, where, "The value does not fit its schema: \"%s\".", why);
}

void check_examples(struct check *check, const struct node *owner, enum direction direction)
{
    const struct node *schema = node_get(owner, "schema");
    const struct node *example = node_get(owner, "example");
    const struct node *examples = node_get(owner, "examples");
    if (!schema)
        return;
    if (example)
        check_example(check, RULE_EXAMPLE_INVALID, schema, example, direction);
    for (size_t i = 0; node_is(examples, NODE_OBJECT) && i < examples->count; i++) {
        const struct node *one = deref(examples->child[i]);
        const struct node *value = node_get(one, "value");
        value = value ? value : node_get(one, "dataValue");
        if (value)
            check_example(check, RULE_EXAMPLE_INVALID, schema, value, direction);
    }
}

void check_default(struct check *check, const struct node *schema)
{
    const struct node *value = node_get(schema, "default");
    bool is_null = node_is(value, NODE_NULL); /* common where there is none: only a warning */
    if (value && !is_null && check->version & (V20 | V30) && !fits_type(check, schema, value))
        report(check->findings, RULE_DEFAULT_TYPE, value,
               "The default must be of the type that its schema says.");
    else if (value)
        check_example(check, RULE_DEFAULT_INVALID, schema, value, DIRECTION_EITHER);
}
