/* portal/playground/run.c - POST /tools/{tool}/run: makes a call from the form, and shows its
 * outcome. */
#include <string.h>

#include "base/codec/uuid.h"
#include "base/os/log.h"
#include "portal/page/answer.h"
#include "portal/page/obstacle.h"
#include "portal/playground/fields.h"
#include "portal/playground/gateways.h"
#include "portal/playground/outcome.h"
#include "portal/playground/page.h"
#include "portal/playground/token.h"
#include "portal/public/catalog-cache.h"
#include "portal/snippets/curl-line.h"
#include "text/json.h"

#define RUN "run tools"

enum { BUSY_S = 5 };

/* ---- the request ---- */

/* The query becomes part of the request line, so it must not end the line or the query. */
static bool query_is_plain(const char *query)
{
    for (; *query; query++)
        if (*query <= ' ' || *query > '~' || *query == '#')
            return false;
    return true;
}

/* Is it only a dry run? Then the request is JSON for all tools. */
static bool is_check(const struct visit *visit)
{
    return strcmp(form_text(&visit->form, "do"), "check") == 0;
}

static bool read_raw(struct visit *visit, const struct contract *contract, struct buf *request)
{
    const char *raw = form_text(&visit->form, "raw");
    struct err err = { 0 };
    if (contract->is_get && !query_is_plain(raw))
        return visit_add_error(visit, "raw",
                               "Percent-encode spaces, # and characters that are not ASCII.");
    if (contract->is_get && is_check(visit))
        return contract_query(contract, text_of(raw), request, NULL, &err) ||
               visit_add_error(visit, "raw", "%s.", err.message);
    buf_add_str(request, raw); /* a form is not larger than a request */
    return true;
}

static bool read_fields(struct visit *visit, const struct contract *contract, struct buf *request)
{
    scoped(json_free) cJSON *values = NULL;
    const char *wrong = NULL;
    struct err err = { 0 };
    char name[FIELD_NAME_BYTES];
    if (!playground_request(contract, typed_in_form, &visit->form, &values, &wrong, &err)) {
        field_name_write(wrong, name);
        return visit_add_error(visit, name, "%s is not valid JSON: %s.", wrong, err.message);
    }
    if (contract->is_get && !is_check(visit))
        query_of(values, request);
    else
        json_print(values, request);
    return !request->full ||
           visit_add_error(visit, NULL, "The request must have at most 65,536 bytes. Shorten it.");
}

/* ---- the call ---- */

static void show_outcome(struct visit *visit, struct tool_page *page, int status, cJSON *outcome,
                         bool is_open)
{
    page->outcome = outcome;
    if (!is_open)
        page->run = NULL; /* the next run is a new one */
    tool_page_show(visit, status, page);
}

static void show_failed(struct visit *visit, struct tool_page *page, const struct err *err)
{
    if (err->kind == ERR_OVERLOADED) {
        buf_format(&visit->response->headers, "Retry-After: %d\r\n", BUSY_S);
        show_outcome(visit, page, 503,
                     outcome_none("Not run", "Too many calls are running from this page. Nothing "
                                             "was charged. Try again in a few seconds."),
                     true);
        return;
    }
    log_line(LOG_WARN, "a run got no response", log_str("error", err->message));
    show_outcome(
        visit, page, 200,
        outcome_none("No response",
                     "No response arrived. Run again: you are never charged twice for this run."),
        true);
}

static void run_tool(struct visit *visit, struct tool_page *page, const char *token,
                     struct text request)
{
    struct call_answer answer = { 0 };
    struct err err = { 0 };
    bool is_open = true;
    struct tool_call call = { page->contract,  visit->session.account_id,
                              token,           page->run,
                              visit->address,  request,
                              is_check(visit), form_has(&visit->form, "unknown") };
    if (gateways_call(visit->portal->gateways, &call, &answer, &err)) {
        cJSON *outcome = call.is_check ? outcome_of_check(visit, page->contract, &answer)
                                       : outcome_of(visit, &call, &answer, &is_open);
        visit->response->body.max_bytes = OUTCOME_PAGE_BYTES;
        show_outcome(visit, page, 200, outcome, is_open);
    } else {
        show_failed(visit, page, &err);
    }
    visit->response->reservation = answer.reservation; /* until the page is sent */
    answer.reservation = (struct reservation){ 0 };
    call_answer_free(&answer);
}

/* outcome: of token_add_own(). */
static void show_obstacle(struct visit *visit, const char *outcome)
{
    const char *sentence = obstacle_sentence(visit, outcome, RUN);
    page_error(visit, 403,
               sentence ? sentence : "This form is no longer valid. Reload the page and try again.",
               0);
}

static void make_token_and_run(struct visit *visit, struct tool_page *page, struct text request)
{
    char token[TOKEN_BYTES];
    struct err err = { 0 };
    if (playground_token(visit, token, &err))
        run_tool(visit, page, token, request);
    else if (err.kind == ERR_ACCOUNT_SUSPENDED)
        show_obstacle(visit, err.message);
    else
        page_failed(visit, &err);
    explicit_bzero(token, sizeof(token));
}

/* The run id of the form; NULL: it is invalid. */
static const char *run_of(const struct visit *visit)
{
    struct uuid id;
    const char *text = form_text(&visit->form, "run");
    return uuid_parse(text_of(text), &id) ? text : NULL;
}

void tool_run(struct visit *visit)
{
    scoped(buf_free) struct buf request = BUF(REQUEST_MAX_BYTES);
    struct tool_page page = { .contract =
                                  catalog_cache_find(visit->portal->catalog, visit->place[0]),
                              .is_typed = true,
                              .is_raw = strcmp(form_text(&visit->form, "how"), "raw") == 0,
                              .run = run_of(visit) };
    if (!page.contract) {
        page_not_found(visit);
        return;
    }
    if (!page.run) {
        page_error(visit, 400, "This form is no longer valid. Reload the page and try again.", 0);
        return;
    }
    if (obstacle_of(visit, RUN)) {
        page_error(visit, 403, obstacle_of(visit, RUN), 0);
        return;
    }
    if (page.is_raw ? read_raw(visit, page.contract, &request)
                    : read_fields(visit, page.contract, &request))
        make_token_and_run(visit, &page, buf_text(&request));
    else
        tool_page_show(visit, 400, &page);
}
