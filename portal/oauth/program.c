/* portal/oauth/program.c - see program.h. */
#include "portal/oauth/program.h"

#include <string.h>
#include <strings.h>

#include "base/os/log.h"
#include "base/table.h"
#include "text/json.h"

#define FORM_TYPE "application/x-www-form-urlencoded"

enum { RETRY_S = 2 };

static const char headers[] = "Content-Type: application/json\r\n"
                              "Cache-Control: no-store\r\n"
                              "Pragma: no-cache\r\n"
                              "X-Content-Type-Options: nosniff\r\n";

void program_answer(struct visit *visit, int status, cJSON *object)
{
    scoped(json_wipe) cJSON *taken = object;
    visit->response->status = status;
    visit->response->is_secret = true;
    buf_add_str(&visit->response->headers, headers);
    json_print(taken, &visit->response->body);
}

void program_error(struct visit *visit, int status, const char *error, const char *description,
                   int64_t retry_s)
{
    cJSON *object = json_object();
    json_str(object, "error", error);
    json_str(object, "error_description", description);
    if (retry_s > 0)
        buf_format(&visit->response->headers, "Retry-After: %lld\r\n", (long long)retry_s);
    program_answer(visit, status, object);
}

void program_failed(struct visit *visit, const struct err *err)
{
    bool is_busy = err_status(err->kind) == 503;
    program_count(visit, visit->pattern + strlen("/oauth/"), is_busy ? "unavailable" : "failed");
    log_line(is_busy ? LOG_WARN : LOG_ERROR, "an oauth request failed",
             log_str("error", err->message));
    program_error(visit, is_busy ? 503 : 500, is_busy ? "temporarily_unavailable" : "server_error",
                  is_busy ? "try again in a few seconds" : "an internal error",
                  is_busy ? RETRY_S : 0);
}

void program_reject_method(struct visit *visit, const char *allow)
{
    buf_format(&visit->response->headers, "Allow: %s\r\n", allow);
    program_error(visit, 405, "invalid_request", "this endpoint does not support this method", 0);
}

static bool is_form_type(const char *type)
{
    size_t size = strlen(FORM_TYPE);
    return type && strncasecmp(type, FORM_TYPE, size) == 0 &&
           (type[size] == '\0' || type[size] == ';' || type[size] == ' ');
}

static bool refuse_form(struct visit *visit, const char *why)
{
    program_error(visit, 400, "invalid_request", why, 0);
    return false;
}

bool program_read_form(struct visit *visit)
{
    const struct http_request *request = visit->request;
    struct err err = { 0 };
    if (request->is_body_too_large)
        return refuse_form(visit, "the body must have at most 65,536 bytes");
    if (!is_form_type(http_header(request, "Content-Type")))
        return refuse_form(visit, "the content type must be " FORM_TYPE);
    return form_parse(request->body, "resource", &visit->form, &err) ||
           refuse_form(visit, "the form is malformed, or has a parameter twice");
}

static struct counter *requests(const struct portal *portal, const char *step, const char *outcome)
{
    return metrics_counter(portal->metrics, "tollgate_oauth_requests_total",
                           "Steps of connected apps by outcome",
                           (struct labels){ "step", step, "outcome", outcome });
}

void program_make_metrics(const struct portal *portal)
{
    static const char *const steps[] = { "code", "refresh", "token", "revoke", "register" };
    static const char *const outcomes[] = { "done", "unavailable", "failed" };
    for (size_t i = 0; i < countof(steps); i++)
        for (size_t j = 0; j < countof(outcomes); j++)
            requests(portal, steps[i], outcomes[j]);
}

void program_count(struct visit *visit, const char *step, const char *outcome)
{
    counter_add(requests(visit->portal, step, outcome), 1);
    log_line(LOG_INFO, "oauth", log_str("step", step), log_str("outcome", outcome));
}
