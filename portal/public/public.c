/* portal/public/public.c - see public.h. */
#include "portal/public/public.h"

#include <stdio.h>
#include <string.h>

#include "base/os/log.h"
#include "portal/base/numbers.h"
#include "portal/credits/packs.h"
#include "portal/page/answer.h"
#include "portal/public/caller.h"
#include "portal/public/error-rows.h"
#include "portal/public/plans.h"
#include "portal/public/recorded-answers.h"
#include "portal/public/tool-model.h"
#include "portal/results/view.h"
#include "text/json.h"

enum { EXAMPLE_BYTES = 16 << 10, QUERY_BYTES = 100, FOUND_BYTES = 60 };

static const char shown_tool[] = "hash-generate"; /* a short request and response */

/* ---- prices from the database ---- */

/* If the database is down, the page omits packs, plans and the sign-up grant. All other content
 * comes from files. */
static void add_prices(struct visit *visit, cJSON *model)
{
    struct err err = { 0 };
    scoped(pool_give) struct sql *sql = NULL;
    bool ok = pool_take(visit->portal->pool, &sql, &err) && grant_add(sql, model, &err) &&
              plans_add(sql, model, &err) &&
              (!portal_sells(visit->portal) || packs_add(visit->portal, sql, model, &err));
    if (!ok)
        log_line(LOG_WARN, "page shown without packs, plans and grant",
                 log_str("error", err.message));
}

/* ---- / and /pricing ---- */

static void add_shell(cJSON *model, const char *name, const char *label, const struct buf *text)
{
    cJSON *shell = json_map(model, name);
    json_str(shell, "id", name);
    json_str(shell, "label", label);
    json_text_add(shell, "text", buf_text(text));
}

static void add_example(struct visit *visit, cJSON *model)
{
    const struct contract *contract = catalog_cache_find(visit->portal->catalog, shown_tool);
    struct curl_caller caller = caller_of(visit);
    scoped(buf_free) struct buf line = BUF(CURL_LINE_BYTES);
    scoped(buf_free) struct buf answer = BUF(EXAMPLE_BYTES);
    if (!contract)
        return;
    curl_line_example(contract, &caller, &line);
    add_shell(model, "call", "Call with curl", &line);
    if (tool_answer_write(json_at(contract->document, "/examples/0/result"), &answer))
        add_shell(model, "answer", "Response: status 200, 1 credit charged", &answer);
}

static void add_recorded(struct visit *visit, cJSON *model)
{
    cJSON *list = json_list(model, "recorded");
    for (size_t i = 0; i < recorded_answer_count; i++) {
        const struct recorded_answer *row = &recorded_answers[i];
        const struct contract *contract = catalog_cache_find(visit->portal->catalog, row->tool);
        scoped(json_free) cJSON *result = NULL;
        if (!contract || !json_parse(text_of(row->result), JSON_DEPTH, &result, NULL))
            continue;
        cJSON *item = tool_summary_add(visit->portal->catalog, contract, list);
        json_str(item, "request", row->request);
        result_view_add(contract, result, item);
    }
    json_bool(model, "has_recorded", json_size(list) > 0);
}

static cJSON *price_model(struct visit *visit, const char *title)
{
    cJSON *model = json_object();
    json_str(model, "title", title);
    number_add(model, "per_minute", catalog_cache_per_minute(visit->portal->catalog));
    catalog_model_add(visit->portal->catalog, model);
    number_add(model, "group_count", (int64_t)visit->portal->catalog->group_count);
    add_prices(visit, model);
    return model;
}

void home_show(struct visit *visit)
{
    cJSON *model = price_model(visit, "Pay-per-call tools");
    add_example(visit, model);
    add_recorded(visit, model);
    page_show(visit, 200, "public/home", model);
}

void pricing_show(struct visit *visit)
{
    cJSON *model = price_model(visit, "Pricing");
    const char *contact = portal_contact(visit->portal);
    if (contact && contact[0])
        json_str(model, "contact", contact);
    page_show(visit, 200, "public/pricing", model);
}

/* ---- /tools, /tools/errors ---- */

static void add_found(size_t found, cJSON *model)
{
    char words[FOUND_BYTES];
    if (found == 0)
        snprintf(words, sizeof(words), "No tool has all of these words. Try fewer.");
    else
        snprintf(words, sizeof(words), "%zu %s.", found, noun_of((int64_t)found, "tool", "tools"));
    json_str(model, "found", words);
}

void tools_show(struct visit *visit)
{
    cJSON *model = page_model("Tools");
    char query[QUERY_BYTES + 1];
    snprintf(query, sizeof(query), "%s", form_text(&visit->form, "q"));
    text_repair(query);
    size_t found = catalog_search_add(visit->portal->catalog, query, model);
    json_str(model, "query", query);
    if (query[0])
        add_found(found, model);
    page_show(visit, 200, "public/tools", model);
}

void errors_show(struct visit *visit)
{
    cJSON *model = page_model("Errors");
    cJSON *sections = json_list(model, "sections");
    cJSON *rows = NULL;
    const char *section = "";
    for (size_t i = 0; i < error_row_count; i++) {
        const struct error_row *row = &error_rows[i];
        if (strcmp(row->section, section) != 0) {
            cJSON *item = json_item(sections);
            section = row->section;
            json_int(item, "nth", (int64_t)json_size(sections));
            json_str(item, "heading", section);
            rows = json_list(item, "rows");
        }
        cJSON *item = json_item(rows);
        json_str(item, "status", row->status);
        json_str(item, "code", row->code);
        json_str(item, "when", row->when);
    }
    page_show(visit, 200, "public/errors", model);
}

/* ---- for browsers and crawlers ---- */

void robots_show(struct visit *visit)
{
    buf_add_str(&visit->response->body,
                "User-agent: *\nDisallow: /portal/\nDisallow: /v1/\nDisallow: /hooks/\n"
                "Allow: /\n");
    answer_plain(visit, 200, "text/plain; charset=utf-8");
}

/* A gate: two posts and a bar. */
void favicon_show(struct visit *visit)
{
    buf_add_str(&visit->response->body,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">"
                "<rect width=\"32\" height=\"32\" rx=\"6\" fill=\"#0172ad\"/>"
                "<path d=\"M8 24V10M24 24V10M5 13h22\" stroke=\"#fff\" stroke-width=\"3.5\" "
                "stroke-linecap=\"round\" fill=\"none\"/></svg>\n");
    answer_plain(visit, 200, "image/svg+xml");
}
