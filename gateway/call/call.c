/* gateway/call/call.c - the life of a request. Each step either goes on or says why not; nothing is
 * charged unless capture() has ended the hold. */
#include "gateway/call/call.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "gateway/call/envelope.h"
#include "gateway/call/state.h"
#include "text/json.h"

enum {
    KEPT_MAX_BYTES = 1 << 20,      /* of an answer kept for its Idempotency-Key, decision 8 */
    RESULT_DEPTH = 2 * JSON_DEPTH, /* a result may show a request inside it */
};

/* A 403 comes before what is wrong with the request. */
static void put_token_first(struct call *call)
{
    struct err err = { 0 };
    if (ledger_check_token(call->gateway->ledger, &call->account, call->token, &err))
        return;
    call->errs.count = 0;
    errs_add_err(&call->errs, &err);
}

/* ---- admission ---- */

static void read_limits(struct call *call)
{
    struct gateway *gateway = call->gateway;
    pthread_rwlock_rdlock(&gateway->limits_lock);
    call->limits = *limits_class(gateway->limits, call->offer->rate_class);
    call->global_limit = gateway->limits->global_per_minute;
    pthread_rwlock_unlock(&gateway->limits_lock);
}

/* The key, and what it stands for: method, tool and request. Only keyed hashes are stored. */
static void add_key(const struct call *call, struct admission *admission)
{
    const char *key = http_header(call->request, "Idempotency-Key");
    const char *secret = call->gateway->secret;
    scoped(buf_free) struct buf request = BUF(4 * BODY_MAX_BYTES);
    if (!key || admission->credits == 0)
        return;
    buf_format(&request, "%s %s\n", call->request->method, call->offer->name);
    buf_add(&request, call->body.bytes, call->body.size);
    HMAC(EVP_sha256(), secret, (int)strlen(secret), (const uint8_t *)key, strlen(key),
         admission->key, NULL);
    HMAC(EVP_sha256(), secret, (int)strlen(secret), (const uint8_t *)request.bytes, request.size,
         admission->fingerprint, NULL);
    explicit_bzero(request.bytes, request.size);
    admission->has_key = true;
}

/* Admitted: the tool runs now. */
static void start_run(void *work, void (*ended)(void *context), void *context)
{
    struct call *call = work;
    FAULT_POINT("after-admit");
    call->run_started_us = clock_us();
    dispatch_submit(call->run, ended, context);
}

/* Ask the ledger; what is admitted runs at once, if there is something to run, and has ended when
 * this returns true, unless an answer was kept. */
static bool admit(struct call *call, int64_t credits)
{
    const struct contract *contract = call->offer->contract;
    struct gateway *gateway = call->gateway;
    struct err err = { 0 };
    struct admission admission = { .account = call->account,
                                   .id = call->id,
                                   .tool_id = call->offer->tool_id,
                                   .credits = credits,
                                   .endpoint_limit = call->limits.endpoint_per_minute,
                                   .class_limit = call->limits.class_per_minute,
                                   .global_limit = call->global_limit,
                                   .daily_limit = call->limits.daily_per_tool };
    if (contract)
        admission.hold_ms = contract->budget_ms + gateway->hold_grace_ms;
    memcpy(admission.token, call->token, sizeof(admission.token));
    add_key(call, &admission);

    struct sequel sequel = { start_run, call };
    int64_t begin_us = clock_us();
    bool ok = call->run
                  ? ledger_admit_and_run(gateway->ledger, &admission, &sequel, &call->standing,
                                         &call->kept, &err)
                  : ledger_admit(gateway->ledger, &admission, &call->standing, &call->kept, &err);
    call->ledger_us += (call->run_started_us > 0 ? call->run_started_us : clock_us()) - begin_us;
    return ok || call_explain(call, &err);
}

/* ---- the tool's work ---- */

static bool end_run(struct call *call)
{
    struct err err = { 0 };
    if (!dispatch_end(&call->run, &err))
        return errs_add_err(&call->errs, &err);
    FAULT_POINT("after-reply");
    return true;
}

static bool is_raw_type(const struct contract *contract, const char *type)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(contract->document, "raw"))
        if (text_is(json_text_of(item), type))
            return true;
    return false;
}

/* Only what decision 23 names becomes a header of ours. */
static bool is_passed_header(const char *name)
{
    static const char *const names[] = { "Content-Security-Policy", "X-Content-Type-Options",
                                         "Cache-Control",           "ETag",
                                         "Content-Disposition",     "X-QR-Version",
                                         "X-QR-Error-Correction",   "X-QR-Warnings" };
    for (size_t i = 0; i < countof(names); i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return false;
}

static bool internal(struct call *call, const char *why)
{
    log_line(LOG_ERROR, "a tool's reply is refused", log_str("tool", call->offer->name),
             log_str("request_id", call->request_id), log_str("why", why));
    return call_refuse(call, ERR_INTERNAL, "the tool failed; nothing was charged");
}

/* Errors of the tool are passed on, but what went wrong inside it stays there. */
static bool pass_errors(struct call *call)
{
    const struct errs *errs = &call->reply.header.errs;
    if (errs->item[0].kind == ERR_INTERNAL)
        return internal(call, errs->item[0].message);
    call->errs = *errs;
    return false;
}

/* The daemon's answer as the response: spliced into the envelope, or raw. */
static bool take_reply(struct call *call)
{
    const struct wire_reply *reply = &call->reply.header;
    struct http_response *response = call->response;
    struct text body = { call->reply.body, call->reply.body_bytes };
    struct err err = { 0 };

    if (reply->errs.count > 0)
        return pass_errors(call);
    if (reply->content_type[0] == '\0') {
        if (!json_check(body, RESULT_DEPTH, &err))
            return internal(call, err.message);
        if (body.bytes[strspn(body.bytes, " \t\r\n")] != '{')
            return internal(call, "the result is not an object");
        envelope_headers(&response->headers);
        envelope_result(&response->body, body);
    } else {
        if (!is_raw_type(call->offer->contract, reply->content_type))
            return internal(call, "the content type is not in the contract");
        buf_format(&response->headers, "Content-Type: %s\r\n", reply->content_type);
        for (size_t i = 0; i < reply->header_count; i++)
            if (is_passed_header(reply->header[i].name))
                buf_format(&response->headers, "%s: %s\r\n", reply->header[i].name,
                           reply->header[i].value);
        buf_add(&response->body, body.bytes, body.size);
    }
    if (response->headers.full || response->body.full)
        return internal(call, "the answer does not fit");
    response->status = 200;
    return true;
}

/* ---- settlement ---- */

static bool capture(struct call *call)
{
    const struct contract *contract = call->offer->contract;
    bool is_kept = !contract->secret_input && call->response->body.size <= KEPT_MAX_BYTES &&
                   http_header(call->request, "Idempotency-Key");
    struct capture capture = { .account = call->account, .id = call->id };
    struct err err = { 0 };
    if (contract->credits == 0)
        return true; /* a free tool has no hold */
    if (is_kept) {
        capture.headers = buf_str(&call->response->headers);
        capture.body = buf_text(&call->response->body);
    }
    int64_t begin_us = clock_us();
    bool ok = ledger_capture(call->gateway->ledger, &capture, &call->standing, &err);
    call->ledger_us += clock_us() - begin_us;
    FAULT_POINT("after-capture");
    if (!ok)
        return errs_add_err(&call->errs, &err);
    call->charged = contract->credits;
    return true;
}

/* The day's call is given back too, except when the model saw the request and refused it
 * (decision 16). */
static void give_back(struct call *call)
{
    bool keep_day = call->errs.item[0].kind == ERR_MODEL_REFUSED;
    ledger_void(call->gateway->ledger, &call->account, &call->id, keep_day, &call->standing);
}

/* ---- the paths a call can take ---- */

/* The same call was made before: its answer again, free. */
static bool replay(struct call *call)
{
    struct http_response *response = call->response;
    call->is_replayed = true;
    if (call->kept.body) {
        response->status = 200;
        buf_add_str(&response->headers, call->kept.headers);
        buf_add(&response->body, call->kept.body, call->kept.size);
        return true;
    }
    if (!call->offer->contract->secret_input)
        return call_refuse(
            call, ERR_IDEMPOTENCY_IN_PROGRESS,
            "the first call with this Idempotency-Key was answered, but its answer was "
            "too large to keep; take a new key");
    /* Nothing of a secret request is kept: it runs again, unpaid, and counts in the minute. */
    return admit(call, 0) && end_run(call) && take_reply(call);
}

static bool settle(struct call *call)
{
    struct ledger *ledger = call->gateway->ledger;
    if (!end_run(call) || !take_reply(call)) {
        give_back(call);
        return false;
    }
    if (capture(call))
        return true;
    ledger_cancel(ledger, &call->account, &call->id, &call->standing);
    return false;
}

static bool buy(struct call *call)
{
    const struct contract *contract = call->offer->contract;
    struct group *daemons = call->offer->daemons;
    struct dispatch *dispatch = call->gateway->dispatch;
    struct dispatch_job job = { .contract = contract,
                                .group = daemons,
                                .id = call->id,
                                .account = call->account,
                                .body = call->body,
                                .request_id = call->request_id,
                                .traceparent = call->trace.parent,
                                .deadline_ms = call->started_us / 1000 + contract->budget_ms };
    struct err err = { 0 };
    if (!dispatch_ticket(dispatch, daemons, &err))
        return errs_add_err(&call->errs, &err);
    FAULT_POINT("after-ticket");
    call->run = dispatch_prepare(dispatch, &job, &call->reply);
    bool ok = admit(call, contract->credits) && (call->kept.is_kept ? replay(call) : settle(call));
    dispatch_discard(&call->run);
    dispatch_ticket_return(daemons);
    return ok;
}

/* GET account/credits: a question of the account about itself. */
static bool tell_credits(struct call *call)
{
    struct http_response *response = call->response;
    const struct standing *standing = &call->standing;
    if (!admit(call, 0))
        return false;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf text = BUF(1024);
    json_int(result, "credits", standing->posted - standing->held);
    json_int(result, "held", standing->held);
    json_int(result, "granted", standing->granted);
    json_int(result, "purchased", standing->purchased);
    json_int(result, "used", standing->used);
    json_time(result, "as_of", clock_wall_ms());
    json_print(result, &text);
    response->status = 200;
    envelope_headers(&response->headers);
    envelope_result(&response->body, buf_text(&text));
    return true;
}

static bool serve_account(struct call *call)
{
    if (call->gateway->is_closing)
        return call_refuse(call, ERR_DRAINING,
                           "this server is leaving; nothing was charged, please try again");
    if (!call_read_token(call))
        return false;
    if (!call_check_request(call)) {
        put_token_first(call);
        return false;
    }
    read_limits(call);
    return call->offer->contract ? buy(call) : tell_credits(call);
}

/* What needs no account: for the edge, and for whoever wants to read. */
static bool serve_public(struct call *call, bool *ok)
{
    struct http_response *response = call->response;
    const char *path = call->request->path;
    bool is_health = strcmp(path, "/livez") == 0 || strcmp(path, "/readyz") == 0;
    if (is_health) {
        bool is_up = strcmp(path, "/livez") == 0 || !call->gateway->is_draining;
        response->status = is_up ? 200 : 503;
        buf_add_str(&response->headers, "Content-Type: text/plain\r\nCache-Control: no-store\r\n");
        buf_add_str(&response->body, is_up ? "ok\n" : "draining\n");
        *ok = true;
        return true;
    }
    if (strcmp(path, "/openapi.json") != 0)
        return false;
    *ok = call_pass_address(call) &&
          (strcmp(call->request->method, "HEAD") == 0 || call_require_method(call, "GET"));
    if (*ok) {
        response->status = 200;
        buf_add_str(&response->headers, "Content-Type: application/json\r\n"
                                        "Cache-Control: public, max-age=300\r\n");
        buf_add_str(&response->body, call->gateway->openapi);
    }
    return true;
}

void call_handle(void *context, const struct http_request *request, struct http_response *response)
{
    struct call *call = mem_new(sizeof(*call)); /* too large for a civetweb thread's stack */
    call->gateway = context;
    call->request = request;
    call->response = response;
    call_begin(call);
    bool ok = call_arrive(call);
    if (ok && !serve_public(call, &ok))
        ok = call_pass_address(call) && call_check_headers(call) && call_route(call) &&
             serve_account(call);
    if (!ok)
        call_answer_errors(call);
    call_finish(call);
    mem_free(&call);
}
