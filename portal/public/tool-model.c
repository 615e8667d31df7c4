/* portal/public/tool-model.c - see tool-model.h. */
#include "portal/public/tool-model.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "portal/base/numbers.h"
#include "portal/public/error-rows.h"
#include "portal/public/schema-rows.h"
#include "portal/snippets/json-indent.h"
#include "portal/snippets/snippets.h"
#include "text/json.h"

enum { TEXT_BYTES = 64 << 10, EXAMPLES_MAX = 3, RATE_BYTES = 200 };

/* ---- limits ---- */

void tool_limits_add(const struct allowance *allowance, const char *class, cJSON *limits)
{
    char words[RATE_BYTES];
    if (allowance->of_tool) {
        snprintf(words, sizeof(words), "%u calls in any minute", allowance->of_tool);
        json_item_str(limits, words);
    }
    if (allowance->of_class) {
        snprintf(words, sizeof(words), "%u calls in any minute to all tools of the class %.40s",
                 allowance->of_class, class);
        json_item_str(limits, words);
    }
    if (allowance->a_day) {
        snprintf(words, sizeof(words), "%u calls per day (UTC)", allowance->a_day);
        json_item_str(limits, words);
    }
    snprintf(words, sizeof(words), "%u calls in any minute to all tools", allowance->of_all);
    json_item_str(limits, words);
}

static void add_budget(const struct contract *contract, cJSON *limits)
{
    char words[RATE_BYTES];
    snprintf(words, sizeof(words), "Timeout %g seconds; a call that times out is free",
             (double)contract->budget_ms / 1000);
    json_item_str(limits, words);
}

/* ---- examples ---- */

bool tool_answer_write(const cJSON *result, struct buf *out)
{
    scoped(buf_free) struct buf flat = BUF(TEXT_BYTES);
    buf_add_str(&flat, "{\"result\":");
    json_print(result, &flat);
    buf_add_str(&flat, ",\"success\":true,\"errors\":[]}");
    return !flat.full && json_indent(buf_text(&flat), out);
}

static void add_examples(const struct contract *contract, const struct curl_caller *caller,
                         cJSON *model)
{
    cJSON *list = json_list(model, "examples");
    const cJSON *example;
    cJSON_ArrayForEach(example, json_get(contract->document, "examples")) {
        scoped(buf_free) struct buf line = BUF(CURL_LINE_BYTES);
        if (json_size(list) == EXAMPLES_MAX)
            return;
        curl_line(contract, json_get(example, "request"), caller, &line);
        if (line.full)
            continue;
        cJSON *item = json_item(list);
        json_int(item, "nth", (int64_t)json_size(list));
        json_bool(item, "has_snippets", json_size(list) == 1);
        if (json_size(list) == 1)
            snippets_add(contract, json_get(example, "request"), caller, "example-1", item);
        json_text_add(item, "curl", buf_text(&line));
        scoped(buf_free) struct buf answer = BUF(2 * TEXT_BYTES);
        const cJSON *result = json_get(example, "result");
        if (result && tool_answer_write(result, &answer))
            json_text_add(item, "answer", buf_text(&answer));
    }
}

/* ---- errors ---- */

static void add_errors(const struct contract *contract, cJSON *model)
{
    cJSON *list = json_list(model, "failures");
    const cJSON *code;
    cJSON_ArrayForEach(code, json_get(contract->document, "errors")) {
        const struct error_row *row = error_row_find(json_text_of(code).bytes);
        if (!row)
            continue;
        cJSON *item = json_item(list);
        json_str(item, "status", row->status);
        json_str(item, "code", row->code);
        json_str(item, "when", row->when);
    }
}

/* ---- the model ---- */

static void add_list(const struct contract_list *texts, const char *name, cJSON *model)
{
    scoped(buf_free) struct buf joined = BUF(TEXT_BYTES);
    for (size_t i = 0; i < texts->count; i++)
        buf_format(&joined, "%s%s", i > 0 ? ", " : "", texts->item[i]);
    json_str(model, name, buf_str(&joined));
}

static void add_fields(const struct contract *contract, cJSON *model)
{
    scoped(buf_free) struct buf one_of = BUF(TEXT_BYTES);
    const cJSON *request = json_get(contract->document, "request");
    const cJSON *name;
    schema_rows(request, json_list(model, "request_rows"));
    schema_rows(json_get(contract->document, "result"), json_list(model, "result_rows"));
    cJSON_ArrayForEach(name, json_get(request, "one_of_required"))
        buf_format(&one_of, "%s%s", one_of.size > 0 ? ", " : "", json_text_of(name).bytes);
    json_str(model, "one_of", buf_str(&one_of));
    json_bool(model, "is_one_only", json_is(json_get(request, "one_of_exclusive"), cJSON_True));
}

static void add_facts(const struct contract *contract, cJSON *model)
{
    json_str(model, "tool", contract->tool);
    json_str(model, "name", contract->title);
    json_str(model, "summary", contract->summary);
    json_int(model, "cost", contract->credits);
    number_add(model, "credits", contract->credits);
    credits_add(model, "price", contract->credits);
}

cJSON *tool_model(struct catalog_cache *catalog, const struct contract *contract,
                  const struct curl_caller *caller)
{
    struct allowance allowance = catalog_cache_allowance(catalog, contract);
    size_t group = catalog_cache_group(catalog, contract->group);
    cJSON *model = json_object();
    add_facts(contract, model);
    json_str(model, "group", catalog->groups[group].title);
    json_str(model, "method", contract->is_get ? "GET" : "POST");
    json_bool(model, "is_secret", contract->secret_input);
    json_bool(model, "has_model", strcmp(contract->group, "ai") == 0);
    cJSON *limits = json_list(model, "limits");
    tool_limits_add(&allowance, contract->rate_class, limits);
    add_budget(contract, limits);
    add_list(&contract->raw, "answers", model);
    add_fields(contract, model);
    add_examples(contract, caller, model);
    add_errors(contract, model);
    return model;
}

/* "10 per minute, 10 per day"; shared: with the other tools of the class. */
static void add_rate(const struct allowance *allowance, cJSON *model)
{
    scoped(buf_free) struct buf rate = BUF(RATE_BYTES);
    unsigned a_minute = allowance->of_tool    ? allowance->of_tool
                        : allowance->of_class ? allowance->of_class
                                              : allowance->of_all;
    bool is_shared = !allowance->of_tool && allowance->of_class;
    buf_format(&rate, "%u per minute%s", a_minute, is_shared ? ", shared" : "");
    if (allowance->a_day)
        buf_format(&rate, ", %u per day", allowance->a_day);
    json_str(model, "rate", buf_str(&rate));
}

cJSON *tool_summary_add(struct catalog_cache *catalog, const struct contract *contract, cJSON *list)
{
    struct allowance allowance = catalog_cache_allowance(catalog, contract);
    cJSON *item = json_item(list);
    add_facts(contract, item);
    add_rate(&allowance, item);
    return item;
}

static void add_prices(int64_t low, int64_t high, cJSON *group)
{
    char most[NUMBER_BYTES];
    char words[2 * NUMBER_BYTES];
    credits_write(high, most);
    snprintf(words, sizeof(words), "%d to %s", (int)low, most);
    json_str(group, "prices", low == high ? most : words);
}

/* ---- search ---- */

static bool has_field(const struct contract *contract, const char *word)
{
    const cJSON *field;
    cJSON_ArrayForEach(field, json_at(contract->document, "/request/properties"))
        if (text_has_any_case(text_of(field->string), word))
            return true;
    return false;
}

static bool has_word(const struct contract *contract, const struct tool_group *group,
                     const char *word)
{
    return text_has_any_case(text_of(contract->tool), word) ||
           text_has_any_case(text_of(contract->title), word) ||
           text_has_any_case(text_of(contract->summary), word) ||
           text_has_any_case(text_of(group->title), word) || has_field(contract, word);
}

/* Does it have each word of the query? */
static bool is_found(const struct contract *contract, const struct tool_group *group,
                     const char *query)
{
    struct text rest = text_of(query);
    while (rest.size > 0) {
        struct text cut = text_cut(&rest, ' ');
        scoped(mem_free) char *word = str_format("%.*s", (int)cut.size, cut.bytes);
        if (word[0] && !has_word(contract, group, word))
            return false;
    }
    return true;
}

static void add_group(struct catalog_cache *catalog, const struct tool_group *group,
                      const char *query, cJSON *list)
{
    int64_t low = INT64_MAX;
    int64_t high = 0;
    cJSON *item = json_item(list);
    cJSON *tools = json_list(item, "tools");
    json_str(item, "group", group->name);
    json_str(item, "heading", group->title);
    for (size_t i = 0; i < catalog->count; i++) {
        const struct contract *contract = catalog->contracts[i];
        if (strcmp(contract->group, group->name) != 0 || !is_found(contract, group, query))
            continue;
        low = MIN(low, contract->credits);
        high = MAX(high, contract->credits);
        tool_summary_add(catalog, contract, tools);
    }
    number_add(item, "count", (int64_t)json_size(tools));
    if (json_size(tools) > 0) {
        add_prices(low, high, item);
        return;
    }
    item = json_take_last(list);
    json_free(&item);
}

size_t catalog_search_add(struct catalog_cache *catalog, const char *query, cJSON *model)
{
    const cJSON *group;
    size_t found = 0;
    cJSON *list = json_list(model, "groups");
    for (size_t i = 0; i < catalog->group_count; i++)
        add_group(catalog, &catalog->groups[i], query, list);
    cJSON_ArrayForEach(group, list)
        found += json_size(json_get(group, "tools"));
    number_add(model, "tool_count", (int64_t)catalog->count);
    return found;
}

void catalog_model_add(struct catalog_cache *catalog, cJSON *model)
{
    (void)catalog_search_add(catalog, "", model);
}
