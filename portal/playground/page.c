/* portal/playground/page.c - see page.h. */
#include "portal/playground/page.h"

#include <stdio.h>

#include "base/codec/uuid.h"
#include "portal/base/numbers.h"
#include "portal/page/answer.h"
#include "portal/page/obstacle.h"
#include "portal/playground/fields.h"
#include "portal/public/caller.h"
#include "portal/public/plans.h"
#include "portal/public/tool-model.h"
#include "portal/snippets/curl-line.h"
#include "text/json.h"

enum { BUTTON_BYTES = 200, FEW_FIELDS = 8 };

const char *typed_in_form(const void *form, const char *field)
{
    return form_has(form, field) ? form_text(form, field) : NULL;
}

/* ---- the button ---- */

static bool read_balance(struct visit *visit, int64_t *left)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    bool ok =
        pool_row(visit->portal->pool,
                 "select posted - held as left_over from account_balance where account_id = $1",
                 SQL_PARAMS(visit->session.account_id), row, &err);
    ok = ok && json_get(row, "left_over");
    if (ok)
        *left = (int64_t)json_get(row, "left_over")->valuedouble;
    return ok;
}

static void add_button(struct visit *visit, const struct contract *contract, cJSON *model)
{
    char price[NUMBER_BYTES];
    char balance[NUMBER_BYTES];
    char words[BUTTON_BYTES];
    int64_t left = 0;
    credits_write(contract->credits, price);
    snprintf(words, sizeof(words), "Run for %s", price);
    if (read_balance(visit, &left)) {
        number_write(left, balance);
        snprintf(words, sizeof(words), "Run for %s (%s left)", price, balance);
    }
    json_str(model, "button", words);
}

/* ---- the forms ---- */

/* Show each error at its field. */
static void add_errors(const struct visit *visit, cJSON *fields)
{
    cJSON *field;
    cJSON_ArrayForEach(field, fields) {
        const char *error = visit_error(visit, json_text(field, "/name"));
        if (error)
            json_str(field, "error", error);
    }
}

/* If there are many fields, show the important ones, and the others on request. */
static void add_fields(struct visit *visit, const struct tool_page *page, cJSON *model)
{
    bool is_typed = page->is_typed && !page->is_raw;
    cJSON *fields = json_array();
    cJSON *first = json_list(model, "first_fields");
    cJSON *more = json_list(model, "more_fields");
    cJSON *field;
    bool has_error = false;
    playground_fields(page->contract, is_typed ? typed_in_form : NULL, &visit->form, fields);
    add_errors(visit, fields);
    bool is_few = json_size(fields) <= FEW_FIELDS;
    while ((field = json_take_first(fields)) != NULL) {
        bool is_first = is_few || json_is(json_get(field, "is_first"), cJSON_True);
        has_error |= !is_first && json_get(field, "error");
        json_item_add(is_first ? first : more, field);
    }
    json_free(&fields);
    json_bool(model, "has_more_fields", json_size(more) > 0);
    json_bool(model, "is_open", has_error);
    number_add(model, "more_count", (int64_t)json_size(more));
}

static void add_example(const struct contract *contract, struct buf *text)
{
    const cJSON *request = json_at(contract->document, "/examples/0/request");
    if (contract->is_get)
        query_of(request, text);
    else
        json_print(request, text);
}

static void add_raw(struct visit *visit, const struct tool_page *page, cJSON *model)
{
    scoped(buf_free) struct buf example = BUF(REQUEST_MAX_BYTES);
    cJSON *field = json_map(model, "raw_field");
    bool is_get = page->contract->is_get;
    add_example(page->contract, &example);
    json_bool(model, "is_raw", page->is_raw);
    json_bool(model, "sends_unknown", page->is_raw && form_has(&visit->form, "unknown"));
    json_str(model, "raw_title", is_get ? "Query as sent" : "Body as sent");
    json_str(field, "name", "raw");
    json_str(field, "label", is_get ? "Query, without the ?" : "JSON body");
    json_bool(field, "is_area", true);
    json_int(field, "rows", is_get ? 2 : 10);
    json_bool(field, "is_required", !is_get);
    json_str(field, "value", page->is_raw ? form_text(&visit->form, "raw") : buf_str(&example));
    if (visit_error(visit, "raw"))
        json_str(field, "error", visit_error(visit, "raw"));
}

/* Each form has a new run id, so that sending it twice is charged once. */
static void add_run(const char *name, const char *known, cJSON *model)
{
    char text[UUID_TEXT_BYTES];
    struct uuid id = uuid_new();
    uuid_format(text, &id);
    json_str(model, name, known ? known : text);
}

static void add_forms(struct visit *visit, struct tool_page *page, cJSON *model)
{
    if (!visit->is_signed_in)
        return;
    json_str(model, "obstacle", obstacle_of(visit, "run tools"));
    add_button(visit, page->contract, model);
    add_fields(visit, page, model);
    add_raw(visit, page, model);
    add_run("run", page->is_raw ? NULL : page->run, model);
    add_run("raw_run", page->is_raw ? page->run : NULL, model);
    if (page->outcome)
        json_add(model, "outcome", take(page->outcome));
}

/* Name the examples for pages/parts/shell.html, which needs id, label and text. */
static void name_examples(cJSON *model)
{
    cJSON *example;
    cJSON_ArrayForEach(example, json_get(model, "examples")) {
        char id[32];
        int nth = (int)json_get(example, "nth")->valuedouble;
        snprintf(id, sizeof(id), "example-%d", nth);
        json_str(example, "id", id);
        json_str(example, "label", "Call with curl");
        json_add(example, "text", json_take(example, "curl"));
    }
}

void tool_page_show(struct visit *visit, int status, struct tool_page *page)
{
    struct curl_caller caller = caller_of(visit);
    cJSON *model = tool_model(visit->portal->catalog, page->contract, &caller);
    json_str(model, "title", page->contract->title);
    plan_limits_add(visit, page->contract, model);
    json_bool(model, "has_result", json_size(json_get(model, "result_rows")) > 0);
    json_bool(model, "has_failures", json_size(json_get(model, "failures")) > 0);
    name_examples(model);
    add_forms(visit, page, model);
    page_show(visit, status, "public/tool", model);
}

void tool_show(struct visit *visit)
{
    struct tool_page page = { .contract =
                                  catalog_cache_find(visit->portal->catalog, visit->place[0]) };
    if (!page.contract)
        page_not_found(visit);
    else
        tool_page_show(visit, 200, &page);
}
