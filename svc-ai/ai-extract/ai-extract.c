/* svc-ai/ai-extract/ai-extract.c - extract facts into a customer's schema. The model finds them.
 * This file validates them and locates each one in the text. */
#include <math.h>
#include <string.h>

#include "ai-extract/coerce-fields.h"
#include "ai-extract/ground.h"
#include "ai-extract/requested-fields.h"
#include "base/mem.h"
#include "facts/clean.h"
#include "model/model.h"
#include "schema/subset.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    FAULTS_MAX = 50,
    VALUES_MAX = 500, /* values that are checked one by one; further ones are only in data */
    PATH_BYTES = SUBSET_PATH_BYTES,
    QUOTE_MAX = 300,
};

/* ---- the request ---- */

static cJSON *quotes_schema(void)
{
    cJSON *item = json_object();
    json_str(item, "type", "object");
    cJSON *properties = json_map(item, "properties");
    json_str(json_map(properties, "path"), "type", "string");
    json_str(json_map(properties, "quote"), "type", "string");
    cJSON *required = json_list(item, "required");
    json_item_str(required, "path");
    json_item_str(required, "quote");
    json_bool(item, "additionalProperties", false);
    cJSON *list = json_object();
    json_str(list, "type", "array");
    json_add(list, "items", item);
    return list;
}

static cJSON *make_schema(const cJSON *requested, bool wants_quotes)
{
    cJSON *schema = json_object();
    json_str(schema, "type", "object");
    cJSON *properties = json_map(schema, "properties");
    json_add(properties, "data", subset_strict(requested));
    if (wants_quotes)
        json_add(properties, "quotes", quotes_schema());
    cJSON *required = json_list(schema, "required");
    json_item_str(required, "data");
    if (wants_quotes)
        json_item_str(required, "quotes");
    json_bool(schema, "additionalProperties", false);
    return schema;
}

/* ---- the answer ---- */

/* The coerced data; appends what is wrong with it to faults. */
static cJSON *read_data(const cJSON *requested, const cJSON *answer, cJSON *faults)
{
    cJSON *data = coerce_fields(requested, json_get(answer, "data"), faults);
    subset_check(requested, data, FAULTS_MAX, faults);
    return data;
}

/* Accept missing values, which the text may not have. Other problems are the model's fault. */
static enum model_verdict judge_data(const cJSON *answer, void *context, struct buf *complaint)
{
    const struct cJSON *const *requested = context;
    scoped(json_free) cJSON *faults = json_array();
    scoped(json_free) cJSON *data = NULL;
    enum model_verdict verdict = MODEL_TAKEN;
    const cJSON *fault;
    if (!json_is(json_get(answer, "data"), cJSON_Object)) {
        buf_add_str(complaint, "the answer must be an object with the object data");
        return MODEL_BAD;
    }
    data = read_data(*requested, answer, faults); /* only the faults are used */
    cJSON_ArrayForEach(fault, faults) {
        if (strcmp(json_text(fault, "/message"), "is required") == 0)
            continue;
        buf_format(complaint, "data.%s %s\n", json_text(fault, "/path"),
                   json_text(fault, "/message"));
        verdict = MODEL_POOR;
    }
    return verdict;
}

/* ---- values ---- */

struct inspection {
    const cJSON *quotes;
    const struct ground *ground;
    struct model_answer *answer;
    cJSON *found, *missing;
    cJSON *evidence; /* NULL: not requested */
    size_t found_count, grounded_count;
    struct buf path;
};

static struct text quote_of(const struct inspection *inspection)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, inspection->quotes) {
        struct text path = json_text_of(json_get(item, "path"));
        if (text_begins(path, "data."))
            path = text_skip(path, 5);
        if (text_is(path, buf_str(&inspection->path)))
            return json_text_of(json_get(item, "quote"));
    }
    return TEXT("");
}

/* Find words of the text that support the value: the model's quote, or the value itself. */
static bool find_words(const struct inspection *inspection, const cJSON *schema, const cJSON *value,
                       struct text quote, size_t *start, size_t *end)
{
    if (ground_find(inspection->ground, quote, start, end) && ground_follows(schema, value, quote))
        return true;
    return json_is(value, cJSON_String) && !json_get(schema, "enum") &&
           ground_find(inspection->ground, json_text_of(value), start, end);
}

static struct text text_of_characters(struct text text, size_t start, size_t end)
{
    size_t first = 0;
    for (size_t at = 0, i = 0; i <= end; i++) {
        first = i == start ? at : first;
        if (i == end)
            return (struct text){ text.bytes + first, at - first };
        for (at++; at < text.size && ((unsigned char)text.bytes[at] & 0xC0) == 0x80;)
            at++;
    }
    return TEXT("");
}

static void add_evidence(struct inspection *inspection, struct text quote, bool is_grounded,
                         size_t start, size_t end)
{
    cJSON *item = json_item(inspection->evidence);
    bool is_quoted = is_grounded || ground_find(inspection->ground, quote, &start, &end);
    json_str(item, "path", buf_str(&inspection->path));
    if (!is_quoted) {
        json_null(item, "quote");
        json_null(item, "start");
        json_null(item, "end");
    } else {
        scoped(mem_free) char *words =
            clean_new(text_of_characters(inspection->ground->text, start, end), 0, QUOTE_MAX, "…");
        json_str(item, "quote", words);
        json_int(item, "start", (int64_t)start);
        json_int(item, "end", (int64_t)end);
    }
    json_bool(item, "grounded", is_grounded);
}

static void inspect_value(struct inspection *inspection, const cJSON *schema, const cJSON *value)
{
    size_t start = 0, end = 0;
    struct text quote = quote_of(inspection);
    if (inspection->found_count == VALUES_MAX)
        return;
    bool is_grounded = find_words(inspection, schema, value, quote, &start, &end);
    json_item_str(inspection->found, buf_str(&inspection->path));
    inspection->found_count++;
    inspection->grounded_count += is_grounded;
    if (!is_grounded)
        model_warn(inspection->answer, "ungrounded", buf_str(&inspection->path));
    if (inspection->evidence)
        add_evidence(inspection, quote, is_grounded, start, end);
}

static void inspect_node(struct inspection *inspection, const cJSON *schema, const cJSON *value);

static void path_truncate(struct buf *path, size_t size)
{
    path->size = size;
    path->full = false;
    if (path->bytes)
        path->bytes[size] = '\0';
}

static void inspect_members(struct inspection *inspection, const cJSON *schema, const cJSON *value)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, value) {
        size_t size = inspection->path.size;
        buf_format(&inspection->path, size > 0 ? ".%s" : "%s", member->string);
        inspect_node(inspection, json_get(json_get(schema, "properties"), member->string), member);
        path_truncate(&inspection->path, size);
    }
}

static void inspect_items(struct inspection *inspection, const cJSON *schema, const cJSON *value)
{
    const cJSON *item;
    size_t index = 0;
    cJSON_ArrayForEach(item, value) {
        size_t size = inspection->path.size;
        buf_format(&inspection->path, "[%zu]", index++);
        inspect_node(inspection, json_get(schema, "items"), item);
        path_truncate(&inspection->path, size);
    }
}

/* Members of an object without properties have no schema. */
static void inspect_node(struct inspection *inspection, const cJSON *schema, const cJSON *value)
{
    bool is_empty =
        json_is(value, cJSON_NULL) || (json_is(value, cJSON_Array) && json_size(value) == 0);
    if (is_empty)
        json_item_str(inspection->missing, buf_str(&inspection->path));
    else if (json_is(value, cJSON_Object) && !requested_fields_kind(schema))
        inspect_members(inspection, schema, value);
    else if (json_is(value, cJSON_Array))
        inspect_items(inspection, schema, value);
    else
        inspect_value(inspection, schema, value);
}

/* ---- the result ---- */

static double grounded_ratio(size_t part, size_t whole)
{
    return whole == 0 ? 1 : round((double)part / (double)whole * 10000) / 10000;
}

static void write_inspection(const struct job *job, const cJSON *requested, const cJSON *data,
                             struct model_answer *answer, cJSON *result)
{
    scoped(ground_free) struct ground ground = { 0 };
    struct inspection inspection = { .quotes = json_get(answer->json, "quotes"),
                                     .ground = &ground,
                                     .answer = answer,
                                     .path = BUF(PATH_BYTES) };
    ground_of(arg_text(job, "text"), &ground);
    inspection.found = json_list(result, "found");
    inspection.missing = json_list(result, "missing");
    cJSON *evidence = json_list(result, "evidence");
    inspection.evidence = arg_bool(job, "evidence") ? evidence : NULL;
    inspect_node(&inspection, requested, data);
    json_num(result, "grounded_ratio",
             grounded_ratio(inspection.grounded_count, inspection.found_count));
    buf_free(&inspection.path);
}

static void write_result(const struct job *job, const cJSON *requested, const char *source,
                         struct model_answer *answer, cJSON *result)
{
    cJSON *faults = json_array();
    cJSON *data = read_data(requested, answer->json, faults);
    json_add(result, "data", data);
    json_bool(result, "valid", json_size(faults) == 0);
    json_add(result, "validation_errors", faults);
    write_inspection(job, requested, data, answer, result);
    json_str(result, "schema_source", source);
}

bool ai_extract(const struct job *job, cJSON *result, struct err *err)
{
    static const char *const counted[] = { "text", NULL };
    scoped(model_answer_free) struct model_answer answer = { 0 };
    scoped(json_free) cJSON *requested = NULL;
    scoped(json_free) cJSON *ignored = json_array();
    const cJSON *path;
    scoped(json_free) cJSON *schema = NULL;
    const char *source;
    int64_t input_length;

    if (!model_count_input(job, counted, &input_length, err) ||
        !requested_fields_read(job, ignored, &requested, &source, err))
        return false;
    schema = make_schema(requested, arg_bool(job, "evidence"));
    struct model_ask ask = { .material = arg_text(job, "text"),
                             .schema = schema,
                             .wrapper = "data",
                             .judge = judge_data,
                             .context = &requested };
    if (!model_ask(job, &ask, &answer, err))
        return false;
    cJSON_ArrayForEach(path, ignored)
        model_warn(&answer, "ignored", path->valuestring);
    write_result(job, requested, source, &answer, result);
    json_int(result, "input_length", input_length);
    json_time(result, "extracted_at", job->now_ms);
    model_add_meta(&answer, result);
    return true;
}
