/* common/jsonschema/assertions.c - keywords about one value: types, bounds, texts. */
#include "base/codec/utf8.h"
#include "base/num.h"
#include "jsonschema/checking.h"

bool spend(struct run *run, size_t steps)
{
    size_t *left = &run->validation->steps_left;
    *left = *left > steps ? *left - steps : 0;
    if (*left == 0)
        run->unknowns++;
    return *left > 0;
}

bool unknown(struct run *run)
{
    run->unknowns++;
    return true;
}

static bool is_kind(const struct run *run, const void *value, unsigned kinds)
{
    return kinds & 1U << run->tree->kind(value);
}

/* ---- types ---- */

static bool is_integer(const struct run *run, const void *value)
{
    char digits[DECIMAL_DOUBLE_BYTES];
    struct decimal number;
    tree_decimal(run->tree, value, digits, &number);
    return decimal_is_integer(&number);
}

static bool fits_type(struct run *run, const struct subschema *schema, const struct rule *rule,
                      const void *value)
{
    (void)schema;
    return is_kind(run, value, rule->types) ||
           (rule->types & IN_INTEGER && is_kind(run, value, IN_NUMBER) && is_integer(run, value));
}

/* ---- whole values ---- */

/* A value, and the kind of its tree. */
struct seen {
    const struct tree *tree;
    const void *node;
};

static bool is_same(struct run *run, struct seen a, struct seen b);

static bool is_same_number(struct seen a, struct seen b)
{
    char digits[2][DECIMAL_DOUBLE_BYTES];
    struct decimal numbers[2];
    tree_decimal(a.tree, a.node, digits[0], &numbers[0]);
    tree_decimal(b.tree, b.node, digits[1], &numbers[1]);
    return decimal_compare(&numbers[0], &numbers[1]) == 0;
}

static bool is_same_list(struct run *run, struct seen a, struct seen b)
{
    const void *left = a.tree->first(a.node);
    const void *right = b.tree->first(b.node);
    while (left && right &&
           is_same(run, (struct seen){ a.tree, left }, (struct seen){ b.tree, right })) {
        left = a.tree->next(left);
        right = b.tree->next(right);
    }
    return !left && !right;
}

static bool is_same_object(struct run *run, struct seen a, struct seen b)
{
    size_t size = a.tree->size(a.node);
    const void *left = a.tree->first(a.node);
    bool is_equal = size == b.tree->size(b.node);
    for (; left && is_equal && spend(run, 1 + size / 16); left = a.tree->next(left)) {
        const void *right = b.tree->member(b.node, a.tree->name(left));
        is_equal =
            right && is_same(run, (struct seen){ a.tree, left }, (struct seen){ b.tree, right });
    }
    return is_equal;
}

static bool is_same(struct run *run, struct seen a, struct seen b)
{
    enum tree_kind kind = a.tree->kind(a.node);
    if (!spend(run, 1) || kind != b.tree->kind(b.node))
        return false;
    if (kind == TREE_BOOLEAN)
        return a.tree->is_true(a.node) == b.tree->is_true(b.node);
    if (kind == TREE_NUMBER)
        return is_same_number(a, b);
    if (kind == TREE_STRING)
        return text_equals(a.tree->text(a.node), b.tree->text(b.node));
    if (kind == TREE_ARRAY)
        return is_same_list(run, a, b);
    return kind == TREE_NULL || is_same_object(run, a, b);
}

static bool fits_enum(struct run *run, const struct subschema *schema, const struct rule *rule,
                      const void *value)
{
    struct seen given = { run->tree, value };
    struct seen choice = { tree_of(schema), tree_of(schema)->first(rule->value) };
    for (; choice.node; choice.node = choice.tree->next(choice.node))
        if (is_same(run, choice, given))
            return true;
    return run->validation->steps_left == 0;
}

static bool fits_const(struct run *run, const struct subschema *schema, const struct rule *rule,
                       const void *value)
{
    struct seen given = { run->tree, value };
    return is_same(run, (struct seen){ tree_of(schema), rule->value }, given) ||
           run->validation->steps_left == 0;
}

/* Pairs are quadratic; each counts as a step. */
static bool fits_unique_items(struct run *run, const struct subschema *schema,
                              const struct rule *rule, const void *value)
{
    const struct tree *tree = run->tree;
    const void *first = tree_of(schema)->is_true(rule->value) ? tree->first(value) : NULL;
    for (const void *item = first; item; item = tree->next(item))
        for (const void *other = first; other != item && spend(run, 1); other = tree->next(other))
            if (is_same(run, (struct seen){ tree, other }, (struct seen){ tree, item }))
                return false;
    return true;
}

/* ---- bounds of numbers and sizes ---- */

/* How the value compares to the keyword's number. */
static int compare_bound(const struct run *run, const struct rule *rule, const void *value)
{
    char digits[DECIMAL_DOUBLE_BYTES];
    struct decimal number;
    tree_decimal(run->tree, value, digits, &number);
    return decimal_compare(&number, &rule->number);
}

static bool fits_maximum(struct run *run, const struct subschema *schema, const struct rule *rule,
                         const void *value)
{
    (void)schema;
    return compare_bound(run, rule, value) < !rule->is_exclusive;
}

static bool fits_minimum(struct run *run, const struct subschema *schema, const struct rule *rule,
                         const void *value)
{
    (void)schema;
    return compare_bound(run, rule, value) > -!rule->is_exclusive;
}

static bool is_below(struct run *run, const struct subschema *schema, const struct rule *rule,
                     const void *value)
{
    (void)schema;
    return compare_bound(run, rule, value) < 0;
}

static bool is_above(struct run *run, const struct subschema *schema, const struct rule *rule,
                     const void *value)
{
    (void)schema;
    return compare_bound(run, rule, value) > 0;
}

static bool fits_multiple_of(struct run *run, const struct subschema *schema,
                             const struct rule *rule, const void *value)
{
    char digits[DECIMAL_DOUBLE_BYTES];
    struct decimal number;
    (void)schema;
    tree_decimal(run->tree, value, digits, &number);
    enum decimal_division division = decimal_divide(&number, &rule->number);
    (void)spend(run, 8);
    return division == DECIMAL_TOO_LONG ? unknown(run) : division == DECIMAL_MULTIPLE;
}

int compare_count(size_t count, const struct rule *rule)
{
    char digits[DECIMAL_DOUBLE_BYTES];
    struct decimal number;
    decimal_of_double((double)count, digits, &number);
    return decimal_compare(&number, &rule->number);
}

static int compare_size(const struct run *run, const struct rule *rule, const void *value)
{
    bool is_text = is_kind(run, value, IN_STRING);
    return compare_count(is_text ? utf8_length(run->tree->text(value)) : run->tree->size(value),
                         rule);
}

static bool is_at_most(struct run *run, const struct subschema *schema, const struct rule *rule,
                       const void *value)
{
    (void)schema;
    return compare_size(run, rule, value) <= 0;
}

static bool is_at_least(struct run *run, const struct subschema *schema, const struct rule *rule,
                        const void *value)
{
    (void)schema;
    return compare_size(run, rule, value) >= 0;
}

/* ---- texts ---- */

bool matches(struct run *run, const struct regex *regex, struct text text)
{
    enum { REGEX_STEPS_A_STEP = 16 };
    if (!regex || !spend(run, 1))
        return unknown(run);
    size_t steps = MIN(run->validation->steps_left, (size_t)REGEX_STEPS_MAX) * REGEX_STEPS_A_STEP;
    enum regex_verdict verdict = regex_judge(regex, text, &steps);
    bool is_paid = spend(run, steps / REGEX_STEPS_A_STEP);
    return is_paid && verdict != REGEX_UNKNOWN ? verdict == REGEX_MATCH : unknown(run);
}

static bool fits_pattern(struct run *run, const struct subschema *schema, const struct rule *rule,
                         const void *value)
{
    (void)schema;
    return matches(run, rule->regex, run->tree->text(value));
}

static bool fits_format(struct run *run, const struct subschema *schema, const struct rule *rule,
                        const void *value)
{
    const struct validation *validation = run->validation;
    struct text format = tree_of(schema)->text(rule->value);
    return !validation->fits_format || validation->fits_format(validation->context, format, value);
}

static bool fits_own(struct run *run, const struct subschema *schema, const struct rule *rule,
                     const void *value)
{
    (void)rule;
    return run->validation->own(run->validation->context, schema->source, value);
}

/* ---- the table ---- */

static bool (*const assertions[KEYWORD_COUNT])(struct run *, const struct subschema *,
                                               const struct rule *, const void *) = {
    [KEYWORD_TYPE] = fits_type,
    [KEYWORD_ENUM] = fits_enum,
    [KEYWORD_CONST] = fits_const,
    [KEYWORD_OWN] = fits_own,
    [KEYWORD_MAXIMUM] = fits_maximum,
    [KEYWORD_MINIMUM] = fits_minimum,
    [KEYWORD_EXCLUSIVE_MAXIMUM] = is_below,
    [KEYWORD_EXCLUSIVE_MINIMUM] = is_above,
    [KEYWORD_MULTIPLE_OF] = fits_multiple_of,
    [KEYWORD_MAX_LENGTH] = is_at_most,
    [KEYWORD_MIN_LENGTH] = is_at_least,
    [KEYWORD_PATTERN] = fits_pattern,
    [KEYWORD_FORMAT] = fits_format,
    [KEYWORD_MAX_ITEMS] = is_at_most,
    [KEYWORD_MIN_ITEMS] = is_at_least,
    [KEYWORD_UNIQUE_ITEMS] = fits_unique_items,
    [KEYWORD_MAX_PROPERTIES] = is_at_most,
    [KEYWORD_MIN_PROPERTIES] = is_at_least,
};

bool is_assertion(enum keyword keyword)
{
    return assertions[keyword] != NULL;
}

bool fits_assertion(struct run *run, const struct subschema *schema, const struct rule *rule,
                    const void *value)
{
    return assertions[rule->keyword](run, schema, rule, value);
}
