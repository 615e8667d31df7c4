/* svc-security/openapi-validate/validate.c - run all rules in order: the tables of rules/, and
 * between them the rules that evaluate schemas. */
#include "validate.h"

#include "base/text.h"
#include "openapi-validate/check/evaluate.h"
#include "openapi-validate/check/references.h"
#include "openapi-validate/check/values.h"
#include "openapi-validate/rules/rules.h"

/* ---- values and their schemas ---- */

static const struct rule_row default_rows[] = {
    { TYPE_PARAMETER, V20, check_default },
    { TYPE_ITEMS, V20, check_default },
    { TYPE_HEADER, V20, check_default },
};
static const struct rule_table default_rules = { default_rows, countof(default_rows) };

static void parameter_examples(struct check *check, const struct node *parameter)
{
    check_examples(check, parameter, DIRECTION_REQUEST);
}

static void header_examples(struct check *check, const struct node *header)
{
    check_examples(check, header, DIRECTION_RESPONSE);
}

/* Is the node part of a request or of a response? */
static enum direction direction_of(const struct node *node)
{
    for (; node; node = node->parent) {
        if (node->type == TYPE_RESPONSE)
            return DIRECTION_RESPONSE;
        if (node->type == TYPE_REQUEST_BODY || node->type == TYPE_PARAMETER)
            return DIRECTION_REQUEST;
    }
    return DIRECTION_EITHER;
}

static void media_examples(struct check *check, const struct node *media)
{
    bool is_json = text_has(mime_essence(media->key), "json");
    if (is_json) /* for other types, an example is often raw text */
        check_examples(check, media, direction_of(media));
}

/* Swagger 2.0: examples by media type. */
static void response_examples(struct check *check, const struct node *response)
{
    const struct node *examples = node_get(response, "examples");
    const struct node *schema = node_get(response, "schema");
    for (size_t i = 0; schema && node_is(examples, NODE_OBJECT) && i < examples->count; i++)
        if (text_has(examples->child[i]->key, "json"))
            check_example(check, RULE_EXAMPLE_INVALID, schema, examples->child[i],
                          DIRECTION_RESPONSE);
}

static void schema_values(struct check *check, const struct node *schema)
{
    const struct node *example = node_get(schema, "example");
    const struct node *examples = node_get(schema, "examples");
    check_default(check, schema);
    if (example)
        check_example(check, RULE_SCHEMA_EXAMPLE_INVALID, schema, example, DIRECTION_EITHER);
    for (size_t i = 0; node_is(examples, NODE_LIST) && i < examples->count; i++)
        check_example(check, RULE_SCHEMA_EXAMPLE_INVALID, schema, examples->child[i],
                      DIRECTION_EITHER);
}

static const struct rule_row example_rows[] = {
    { TYPE_PARAMETER, V3, parameter_examples }, { TYPE_HEADER, V3, header_examples },
    { TYPE_MEDIA_TYPE, V3, media_examples },    { TYPE_RESPONSE, V20, response_examples },
    { TYPE_SCHEMA, ALL, schema_values },
};
static const struct rule_table example_rules = { example_rows, countof(example_rows) };

/* ---- all factors ---- */

static const struct rule_table *const tables[] = {
    &document_rules, &path_rules,   &operation_rules, &parameter_rules, &default_rules,
    &content_rules,  &schema_rules, &example_rules,   &security_rules,
};

static void run_table(struct check *check, const struct rule_table *table, const struct node *node)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct rule_row *row = &table->row[i];
        if (row->type == node->type && row->versions & check->version)
            row->run(check, node);
    }
}

bool check_document(struct check *check)
{
    if (!check_references(check))
        return false;
    for (size_t i = 0; i < check->visit_count && check_step(check, 1); i++) {
        const struct node *node = check->visits[i];
        for (size_t k = 0; !node->is_reference && k < countof(tables); k++)
            run_table(check, tables[k], node);
    }
    if (check->is_cut)
        flag(check->findings, RULE_CHECK_INCOMPLETE, NULL);
    return true;
}
