/* svc-security/openapi-validate/check/evaluate.c - validate values of a document against its
 * schemas. */
#include "evaluate.h"

#include "values.h"

/* ---- nodes for the validator ---- */

static enum tree_kind kind_of(const void *node)
{
    static const enum tree_kind kinds[] = {
        [NODE_NULL] = TREE_NULL,     [NODE_BOOL] = TREE_BOOLEAN, [NODE_NUMBER] = TREE_NUMBER,
        [NODE_STRING] = TREE_STRING, [NODE_LIST] = TREE_ARRAY,   [NODE_OBJECT] = TREE_OBJECT,
    };
    return kinds[((const struct node *)node)->kind];
}

static bool is_true(const void *node)
{
    return node_is_true(node);
}

static struct text text_of_node(const void *node)
{
    return ((const struct node *)node)->text;
}

static double number_of_node(const void *node)
{
    return ((const struct node *)node)->number;
}

static size_t size_of(const void *node)
{
    return node_count(node);
}

static const void *first_child(const void *container)
{
    return node_count(container) > 0 ? ((const struct node *)container)->child[0] : NULL;
}

static const void *next_child(const void *child)
{
    const struct node *node = child;
    bool is_last = node->index + 1 == node->parent->count;
    return is_last ? NULL : node->parent->child[node->index + 1];
}

static struct text key_of(const void *member)
{
    return ((const struct node *)member)->key;
}

static const void *member_of(const void *object, struct text name)
{
    return node_member(object, name);
}

static const struct tree tree_of_nodes = {
    .kind = kind_of,
    .is_true = is_true,
    .text = text_of_node,
    .number = number_of_node,
    .size = size_of,
    .first = first_child,
    .next = next_child,
    .name = key_of,
    .member = member_of,
};

/* ---- evaluating ---- */

struct evaluation {
    enum direction direction;
    const struct node *where;
    const char *why;
};

static const void *target_of(const void *schema)
{
    return ((const struct node *)schema)->target;
}

static bool fits_format(void *context, struct text format, const void *value)
{
    const struct node *node = value;
    char digits[DECIMAL_DOUBLE_BYTES];
    struct decimal number;
    (void)context;
    if (node->kind == NODE_STRING)
        return fits_text_format(format, node->text);
    node_decimal(node, digits, &number);
    return fits_number_format(format, &number);
}

bool evaluate_may_lack(enum direction direction, const struct node *schema, struct text name)
{
    const struct node *property = node_member(node_get(schema, "properties"), name);
    const char *flag = direction == DIRECTION_REQUEST    ? "readOnly"
                       : direction == DIRECTION_RESPONSE ? "writeOnly"
                                                         : NULL;
    return flag && node_is_true(node_get(deref(property), flag));
}

static bool may_lack(void *context, const void *schema, struct text name)
{
    return evaluate_may_lack(((const struct evaluation *)context)->direction, schema, name);
}

static bool note_failure(void *context, const struct schema_error *error)
{
    struct evaluation *evaluation = context;
    evaluation->where = error->value;
    evaluation->why = error->keyword;
    return false;
}

struct validator_options evaluate_options(const struct check *check)
{
    return (struct validator_options){
        .tree = &tree_of_nodes,
        .dialect = check->version == V20   ? SCHEMA_SWAGGER_2_0
                   : check->version == V30 ? SCHEMA_OPENAPI_3_0
                                           : SCHEMA_2020_12,
        .resolve = target_of,
    };
}

const char *evaluate(struct check *check, const struct node *schema, const struct node *value,
                     enum direction direction, const struct node **where)
{
    const struct validator_options options = evaluate_options(check);
    struct evaluation evaluation = { .direction = direction };
    struct validation validation = {
        .tree = &tree_of_nodes,
        .steps_left = check->steps_left,
        .context = &evaluation,
        .fits_format = fits_format,
        .may_lack = may_lack,
        .report = note_failure,
    };
    scoped(validator_free) struct validator *validator = validator_new(&options);
    enum schema_verdict verdict =
        validator_check(validator_add(validator, TEXT(""), schema), value, &validation);
    if (!check_step(check, check->steps_left - validation.steps_left) || verdict != SCHEMA_FAILS)
        return NULL;
    *where = evaluation.where;
    return evaluation.why;
}

/* ---- reporting ---- */

void check_example(struct check *check, enum rule rule, const struct node *schema,
                   const struct node *value, enum direction direction)
{
    const struct node *where = NULL;
    const char *why = evaluate(check, schema, value, direction, &where);
    if (why)
        report(check->findings, rule, where, "The value does not match its schema: \"%s\".", why);
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
    bool is_null = node_is(value, NODE_NULL); /* often used for "no default", so only a warning */
    if (value && !is_null && check->version & (V20 | V30) && !fits_type(check, schema, value))
        report(check->findings, RULE_DEFAULT_TYPE, value,
               "The default must be of the schema's type.");
    else if (value)
        check_example(check, RULE_DEFAULT_INVALID, schema, value, DIRECTION_EITHER);
}
