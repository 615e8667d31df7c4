/* svc-reports/browser/browser.c - ask the browser service. */
#include "browser/browser.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/deadline.h"
#include "browser/answer.h"
#include "net/http/fetch.h"
#include "svc/args.h"
#include "text/json.h"

enum {
    HTTP_BUSY = 503,
    GRACE_MS = 1000, /* for the service to say what it has at its own deadline */
    REQUEST_BYTES = 6 * URL_MAX_BYTES + 256,
};

int64_t browser_crawl_deadline(const struct job *job, int64_t deadline_ms)
{
    return arg_bool(job, "browser") ? deadline_ms - BROWSER_RESERVE_MS : deadline_ms;
}

static bool ask_service(const struct job *job, const char *service, const char *url,
                        int64_t budget_ms, struct fetch *fetch)
{
    static const char *const headers[] = { "Content-Type: application/json", NULL };
    scoped(mem_free) char *place = str_format("%s/visit", service);
    scoped(json_free) cJSON *order = json_object();
    scoped(buf_free) struct buf request = BUF(REQUEST_BYTES);
    int64_t patience_ms = budget_ms + GRACE_MS;
    json_str(order, "url", url);
    json_int(order, "budget_ms", budget_ms);
    json_print(order, &request);
    const struct fetch_options options = { .method = "POST",
                                           .headers = headers,
                                           .body = buf_text(&request),
                                           .first_byte_ms = patience_ms,
                                           .max_wire_bytes = ANSWER_BYTES,
                                           .max_body_bytes = ANSWER_BYTES,
                                           .cancelled = job->cancelled };
    return fetch_operator(job->egress, place, &options, deadline_within(INT64_MAX, patience_ms),
                          fetch, NULL);
}

static void visit(const struct job *job, const char *service, const char *url, int64_t deadline_ms,
                  cJSON *result)
{
    scoped(fetch_free) struct fetch fetch = { 0 };
    int64_t left_ms = deadline_left_ms(deadline_ms) - GRACE_MS;
    if (!*service)
        answer_fail(result, "not_set_up", "This server has no browser service.");
    else if (left_ms < BROWSER_MIN_MS)
        answer_fail(result, "failed", "No time was left for the browser.");
    else if (!ask_service(job, service, url, MIN(left_ms, BROWSER_MAX_MS), &fetch) ||
             fetch.end != FETCH_WHOLE)
        answer_fail(result, "failed", "The browser service did not respond in time.");
    else if (fetch_last(&fetch)->status == HTTP_BUSY)
        answer_fail(result, "failed", "All browsers are in use; retry later.");
    else
        answer_read(buf_text(&fetch.body), result);
}

void browser_add(const struct job *job, const char *service, const char *url, int64_t deadline_ms,
                 cJSON *result)
{
    if (arg_bool(job, "browser")) {
        visit(job, service, url, deadline_ms, result);
        return;
    }
    json_null(result, "browser");
    json_list(result, "screenshot");
}
