/* svc-security/seo-analyze/factors/structured-data.c - JSON-LD (https://json-ld.org) with the
 * vocabulary of schema.org, microdata and RDFa. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "factors.h"
#include "text/json.h"

enum { TYPES_BYTES = 400, NAME_BYTES = 64 };

static const struct type {
    const char *name;
    const char *required;
    const char *recommended;
} types[] = {
#define TYPE(name, required, recommended) { name, required, recommended },
#include "schema-type.def"
};

/* Summary of a page's JSON-LD blocks. */
struct data {
    size_t typed_count;                  /* nodes with a type in a schema.org context */
    size_t untyped_count;                /* valid blocks without such a node */
    bool is_broken;                      /* a block is invalid */
    struct err error;                    /* reason */
    struct buf names;                    /* names of the types */
    size_t known_count;                  /* nodes of a type in the table */
    char lacks_required[NAME_BYTES * 2]; /* "Product without name"; empty if complete */
    char lacks_recommended[NAME_BYTES * 2];
};

/* ---- properties ---- */

static bool has_property(const cJSON *node, struct text name)
{
    char key[NAME_BYTES] = "";
    memcpy(key, name.bytes, name.size < NAME_BYTES ? name.size : NAME_BYTES - 1);
    const cJSON *value = json_get(node, key);
    if (json_is(value, cJSON_String))
        return json_text_of(value).size > 0;
    if (json_is(value, cJSON_Array))
        return json_size(value) > 0;
    return value && !json_is(value, cJSON_NULL);
}

/* Does the node have one of a|b|c? */
static bool has_any(const cJSON *node, struct text names)
{
    while (names.size > 0)
        if (has_property(node, text_cut(&names, '|')))
            return true;
    return false;
}

/* Record the first missing property of the list. */
static void note_lack(const cJSON *node, const struct type *type, const char *properties,
                      char lack[static NAME_BYTES * 2])
{
    struct text list = text_of(properties);
    for (struct text word; page_word(&list, &word);)
        if (*lack == '\0' && !has_any(node, word))
            snprintf(lack, NAME_BYTES * 2, "%s without %.*s", type->name, (int)word.size,
                     word.bytes);
}

/* ---- nodes ---- */

/* Strip the prefix of "schema:Product" or "https://schema.org/Product". */
static const char *plain_type(const char *type)
{
    const char *slash = strrchr(type, '/');
    const char *colon = strrchr(slash ? slash : type, ':');
    return colon ? colon + 1 : slash ? slash + 1 : type;
}

static void read_type(struct data *data, const cJSON *node, const cJSON *type)
{
    const char *name = plain_type(json_text_of(type).bytes);
    buf_format(&data->names, "%s%s", data->names.size > 0 ? ", " : "", name);
    for (size_t i = 0; i < countof(types); i++)
        if (strcmp(types[i].name, name) == 0) {
            data->known_count++;
            note_lack(node, &types[i], types[i].required, data->lacks_required);
            note_lack(node, &types[i], types[i].recommended, data->lacks_recommended);
        }
}

static size_t read_types(struct data *data, const cJSON *node)
{
    const cJSON *type = json_get(node, "@type");
    const cJSON *list = json_is(type, cJSON_Array) ? type : NULL;
    const cJSON *item;
    size_t count = 0;
    if (json_is(type, cJSON_String) && json_text_of(type).size > 0) {
        read_type(data, node, type);
        return 1;
    }
    cJSON_ArrayForEach(item, list)
        if (json_is(item, cJSON_String)) {
            read_type(data, node, item);
            count++;
        }
    return count;
}

/* A context is a string, a list of contexts, or an object with @vocab. */
static bool is_schema_org(const cJSON *context)
{
    const cJSON *item;
    if (json_is(context, cJSON_String))
        return strstr(json_text_of(context).bytes, "schema.org") != NULL;
    cJSON_ArrayForEach(item, context)
        if (json_is(item, cJSON_String) && strstr(json_text_of(item).bytes, "schema.org"))
            return true;
    return false;
}

/* Count the typed nodes of a document and its @graph. */
static size_t read_node(struct data *data, const cJSON *node)
{
    const cJSON *graph = json_get(node, "@graph");
    const cJSON *list = json_is(graph, cJSON_Array) ? graph : NULL;
    const cJSON *item;
    size_t count = 0;
    if (!is_schema_org(json_get(node, "@context")))
        return 0;
    count += read_types(data, node);
    cJSON_ArrayForEach(item, list)
        count += read_types(data, item);
    return count;
}

static void read_block(struct data *data, const char *block)
{
    scoped(json_free) cJSON *tree = NULL;
    const cJSON *item;
    size_t count = 0;
    if (!json_parse(text_of(block), JSON_DEPTH, &tree, &data->error)) {
        data->is_broken = true;
        return;
    }
    if (json_is(tree, cJSON_Array)) {
        cJSON_ArrayForEach(item, tree)
            count += read_node(data, item);
    } else {
        count = read_node(data, tree);
    }
    data->typed_count += count;
    data->untyped_count += count == 0;
}

/* ---- verdicts ---- */

static void rate_syntax(const struct survey *survey, const struct data *data, struct report *report)
{
    enum factor factor = FACTOR_STRUCTURED_DATA;
    if (data->is_broken)
        report_set(report, factor, STATUS_FAIL, "JSON-LD: %s", data->error.message);
    else if (data->typed_count > 0)
        report_set(report, factor, STATUS_PASS, "JSON-LD: %s", buf_str(&data->names));
    else if (survey->item_count > 0)
        report_set(report, factor, STATUS_PASS, "%zu items, first %s", survey->item_count,
                   rate_text(survey->item_type));
    else if (data->untyped_count > 0)
        report_set(report, factor, STATUS_WARN, "JSON-LD without a schema.org type");
    else if (survey->long_block_count > 0)
        report_set(report, factor, STATUS_INFO, "JSON-LD too large to parse");
    else
        report_set(report, factor, STATUS_WARN, "none");
}

static void rate_required(const struct data *data, struct report *report)
{
    enum factor factor = FACTOR_STRUCTURED_DATA_REQUIRED;
    if (data->known_count == 0)
        report_set(report, factor, STATUS_INFO, "no type with required properties");
    else if (*data->lacks_required)
        report_set(report, factor, STATUS_FAIL, "%s", data->lacks_required);
    else if (*data->lacks_recommended)
        report_set(report, factor, STATUS_WARN, "%s (recommended)", data->lacks_recommended);
    else
        report_set(report, factor, STATUS_PASS, "complete: %s", buf_str(&data->names));
}

void rate_data(const struct subject *subject, struct report *report)
{
    const struct survey *survey = subject->survey;
    struct data data = { .names = BUF(TYPES_BYTES) };
    for (size_t i = 0; i < survey->block_count; i++)
        read_block(&data, survey->block[i]);
    rate_syntax(survey, &data, report);
    rate_required(&data, report);
    buf_free(&data.names);
}
