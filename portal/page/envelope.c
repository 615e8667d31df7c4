/* portal/page/envelope.c - see envelope.h. */
#include "portal/page/envelope.h"

#include "portal/page/answer.h"
#include "text/json.h"

enum { RETRY_S = 5 };

/* Takes over result and errors. */
static void respond(struct visit *visit, int status, cJSON *result, cJSON *errors)
{
    scoped(json_free) cJSON *tree = json_object();
    json_add(tree, "result", result);
    json_bool(tree, "success", json_size(errors) == 0);
    json_add(tree, "errors", errors);
    answer_plain(visit, status, "application/json");
    json_print(tree, &visit->response->body);
}

void envelope_result(struct visit *visit, cJSON *result)
{
    respond(visit, 200, result ? result : json_object(), json_array());
}

void envelope_error(struct visit *visit, const struct err *err)
{
    cJSON *errors = json_array();
    cJSON *item = json_item(errors);
    int status = err_status(err->kind);
    json_str(item, "code", err_code(err->kind));
    json_str(item, "message", err->message);
    if (status == 503)
        buf_format(&visit->response->headers, "Retry-After: %d\r\n", RETRY_S);
    respond(visit, status, json_object(), errors);
}
