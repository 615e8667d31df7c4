/* gateway/call/call.c - the steps of a paid call. Each step succeeds or sets errors. Nothing is
 * charged before capture() or pay() returns true. */
#include "gateway/call/call.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "gateway/call/call-private.h"
#include "gateway/call/envelope.h"
#include "gateway/ledger/large-response.h"
#include "text/json.h"

enum {
    KEYED_LINE_MAX_BYTES = 256, /* method and tool */
    KEPT_COPIES = 4, /* copies of a response that the capture stores: the response, the ledger's
                        item, its SQL parameter */
    RESULT_DEPTH = 2 * JSON_DEPTH, /* a result may contain a request */
};

void call_begin(struct call *call, struct gateway *gateway)
{
    call->gateway = gateway;
    call->started_us = clock_us();
    call->id = uuid_new();
    call->retry_ms = -1;
    call->snapshot = EMPTY_SNAPSHOT;
}

void call_put_token_first(struct call *call)
{
    struct err err = { 0 };
    if (ledger_check_token(call->gateway->ledger, &call->account, call->token, &call->address,
                           &call->snapshot.token, &err))
        return;
    call->errs.count = 0;
    call_explain(call, &err);
}

bool call_ask_token(struct call *call, struct token_facts *facts)
{
    struct err err = { 0 };
    if (ledger_ask_token(call->gateway->ledger, &call->account, call->token, &call->address,
                         &call->snapshot.token, facts, &err))
        return true;
    call->errs.count = 0;
    return call_explain(call, &err);
}

/* ---- admission ---- */

void call_read_limits(struct call *call)
{
    struct gateway *gateway = call->gateway;
    pthread_rwlock_rdlock(&gateway->limits_lock);
    call->limits = *limits_class(gateway->limits, call->offer->rate_class);
    call->global_limit = gateway->limits->global_per_minute;
    pthread_rwlock_unlock(&gateway->limits_lock);
    call_tell_limits(call);
}

static void replace_number(unsigned *number, int32_t by)
{
    if (by >= 0)
        *number = (unsigned)by;
}

void call_tell_limits(struct call *call)
{
    const struct plan_numbers *plan = &call->snapshot.plan;
    struct told_limits *told = &call->told;
    *told = (struct told_limits){ call->limits.endpoint_per_minute, call->limits.class_per_minute,
                                  call->limits.daily_per_tool, call->global_limit };
    if (plan->id <= 0)
        return;
    replace_number(&told->endpoint, plan->endpoint);
    replace_number(&told->of_class, plan->of_class);
    replace_number(&told->daily, plan->daily);
    replace_number(&told->global, plan->global);
}

/* The ledger has decided about the call. */
static bool end_admission(struct call *call, bool ok)
{
    call_tell_limits(call);
    call->is_admitted |= ok;
    return ok;
}

/* Hash the Idempotency-Key, and the request (method, tool, body). Only keyed hashes are stored. */
static void add_key(const struct call *call, struct admission *admission)
{
    const char *key = call->key;
    const char *secret = call->gateway->secret;
    scoped(buf_free) struct buf request = BUF(call->body.size + KEYED_LINE_MAX_BYTES);
    buf_format(&request, "%s %s\n", call->offer->contract->is_get ? "GET" : "POST",
               call->offer->name);
    buf_add(&request, call->body.bytes, call->body.size);
    HMAC(EVP_sha256(), secret, (int)strlen(secret), (const uint8_t *)key, strlen(key),
         admission->key, NULL);
    HMAC(EVP_sha256(), secret, (int)strlen(secret), (const uint8_t *)request.bytes, request.size,
         admission->fingerprint, NULL);
    explicit_bzero(request.bytes, request.size);
    admission->has_key = true;
}

/* The continuation of an admission: run the tool. */
static void start_run(void *work, void (*ended)(void *context), void *context)
{
    struct call *call = work;
    FAULT_POINT("after-admit");
    call->run_started_us = clock_us();
    dispatch_submit(call->run, ended, context);
}

static void tell_front(void *work)
{
    struct call *call = work;
    if (call->waiting)
        call->waiting(call->front);
}

void call_cancel(struct call *call)
{
    call->is_cancelled = true;
    dispatch_cancel(call->run);
}

static struct admission make_admission(const struct call *call, int64_t credits)
{
    struct admission admission = { .account = call->account,
                                   .id = call->id,
                                   .address = call->address,
                                   .tool_id = call->offer->tool_id,
                                   .credits = credits,
                                   .endpoint_limit = call->limits.endpoint_per_minute,
                                   .class_limit = call->limits.class_per_minute,
                                   .global_limit = call->global_limit,
                                   .daily_limit = call->limits.daily_per_tool };
    memcpy(admission.token, call->token, sizeof(admission.token));
    return admission;
}

/* Count the call in its windows, without a charge. */
static bool count_call(struct call *call, bool counts_in_day)
{
    struct err err = { 0 };
    call_read_limits(call);
    struct admission admission = make_admission(call, 0);
    if (!counts_in_day)
        admission.daily_limit = 0;
    int64_t begin_us = clock_us();
    bool ok = ledger_admit(call->gateway->ledger, &admission, &call->snapshot, &call->kept, &err);
    call->ledger_us += clock_us() - begin_us;
    return end_admission(call, ok) || call_explain(call, &err);
}

bool call_count(struct call *call)
{
    return count_call(call, true);
}

/* Admit the call. True: the tool has run, see end_run(); or a stored response was found, and
 * nothing ran. */
static bool admit_and_run(struct call *call, int64_t credits)
{
    struct err err = { 0 };
    struct admission admission = make_admission(call, credits);
    admission.hold_ms = call->offer->contract->budget_ms + call->gateway->hold_grace_ms;
    if (credits < call->offer->contract->credits)
        admission.daily_limit = 0; /* a free replay: the charged call has its place in the day */
    if (call->key && credits > 0) {
        add_key(call, &admission);
        memcpy(call->key_hash, admission.key, sizeof(call->key_hash));
    }
    struct continuation continuation = { start_run, call, tell_front };
    int64_t begin_us = clock_us();
    bool ok = ledger_admit_and_run(call->gateway->ledger, &admission, &continuation,
                                   &call->snapshot, &call->kept, &err);
    call->ledger_us += (call->run_started_us > 0 ? call->run_started_us : clock_us()) - begin_us;
    return end_admission(call, ok) || call_explain(call, &err);
}

/* ---- the tool's work ---- */

static bool end_run(struct call *call)
{
    struct err err = { 0 };
    if (!dispatch_end(&call->run, &err))
        return errs_add_err(&call->errs, &err);
    if (call->is_cancelled) /* while the reply was on its way */
        return call_refuse(call, ERR_DEADLINE_EXCEEDED, "the client cancelled the call");
    call->queue_us = call->reply.wait_us + call->reply.header.queue_us;
    call->tool_us = call->reply.header.run_us;
    FAULT_POINT("after-reply");
    return true;
}

static bool internal(struct call *call, const char *why)
{
    log_line(LOG_ERROR, "invalid reply of a tool", log_str("tool", call->offer->name),
             log_str("request_id", call->request_id), log_str("error", why));
    return call_refuse(call, ERR_INTERNAL, "the tool failed; nothing was charged");
}

/* Pass on the tool's errors; hide its internal ones. */
static bool pass_errors(struct call *call)
{
    const struct errs *errs = &call->reply.header.errs;
    if (errs->item[0].kind == ERR_INTERNAL)
        return internal(call, errs->item[0].message);
    call->errs = *errs;
    return false;
}

/* Take the JSON result and wrap it in the envelope. */
static bool take_result(struct call *call)
{
    struct text body = buf_text(&call->reply.body);
    struct err err = { 0 };
    if (!json_check(body, RESULT_DEPTH, &err))
        return internal(call, err.message);
    if (body.bytes[strspn(body.bytes, " \t\r\n")] != '{')
        return internal(call, "the result is not an object");
    envelope_headers(call->answer_headers);
    buf_move(call->answer, &call->reply.body);
    envelope_result(call->answer);
    return true;
}

/* Take a response of another type. The contract lists its media types and headers. */
static bool take_raw(struct call *call)
{
    const struct wire_reply *reply = &call->reply.header;
    const struct contract *contract = call->offer->contract;
    if (!contract_list_has(&contract->raw, reply->content_type))
        return internal(call, "the content type is not in the contract");
    buf_format(call->answer_headers, "Content-Type: %s\r\n", reply->content_type);
    for (size_t i = 0; i < reply->header_count; i++) {
        const struct wire_header *header = &reply->header[i];
        if (!contract_list_has(&contract->raw_headers, header->name))
            return internal(call, "a header is not in the contract");
        buf_format(call->answer_headers, "%s: %s\r\n", header->name, header->value);
    }
    buf_move(call->answer, &call->reply.body);
    return true;
}

/* Turn the daemon's reply into the response. */
static bool take_reply(struct call *call)
{
    const struct wire_reply *reply = &call->reply.header;
    if (reply->errs.count > 0)
        return pass_errors(call);
    *call->reservation = call->reply.reservation;
    call->reply.reservation = (struct reservation){ 0 };
    bool ok = reply->content_type[0] == '\0' ? take_result(call) : take_raw(call);
    if (ok && (call->answer_headers->full || call->answer->full))
        return internal(call, "the answer does not fit");
    return ok;
}

/* ---- settlement ---- */

static bool is_response_stored(const struct call *call)
{
    const struct contract *contract = call->offer->contract;
    return call->key && contract->credits > 0 && !contract->secret_input;
}

static bool is_response_large(const struct call *call)
{
    return call->answer->size > LARGE_RESPONSE_BYTES;
}

/* Reserve memory for this many copies of the response, and for the front's wrapping. */
static bool reserve_response_memory(struct call *call, size_t copies)
{
    struct err err = { 0 };
    if (copies == 1 && !call->wrapped_bytes)
        return true; /* reserved already */
    size_t wrapped = call->wrapped_bytes ? call->wrapped_bytes(call) : 0;
    return memory_budget_reserve(&call->gateway->answers, call->answer->size * copies + wrapped, 0,
                                 call->reservation, &err) ||
           errs_add_err(&call->errs, &err);
}

/* Reserve all memory before the charge: after it nothing may be rejected. */
static bool reserve_copies(struct call *call)
{
    bool is_copied = is_response_stored(call) && !is_response_large(call);
    return reserve_response_memory(call, is_copied ? KEPT_COPIES : 1);
}

/* Before the charge: so a charged call's response is stored, whatever stops in between. */
static bool store_large_response(struct call *call)
{
    struct err err = { 0 };
    if (!is_response_stored(call) || !is_response_large(call))
        return true;
    int64_t begin_us = clock_us();
    bool ok = large_response_store(call->gateway->large_responses, &call->account, &call->id,
                                   buf_text(call->answer), &err);
    call->ledger_us += clock_us() - begin_us;
    FAULT_POINT("after-large-response");
    return ok || errs_add_err(&call->errs, &err);
}

/* The sentence must stay true if this gateway stops now, so it makes no promise of a refund. */
static bool add_unknown_outcome(struct call *call)
{
    return call_refuse(call, ERR_OUTCOME_UNKNOWN,
                       call->key
                           ? "the ledger did not confirm the charge of this call in time; retry "
                             "with the same Idempotency-Key: the call is charged at most once"
                           : "the ledger did not confirm in time whether this call was charged; "
                             "check the account's credits before you send it again, and send "
                             "an Idempotency-Key with it");
}

static bool capture(struct call *call)
{
    const struct contract *contract = call->offer->contract;
    struct capture capture = { .account = call->account, .id = call->id };
    struct err err = { 0 };
    if (contract->credits == 0)
        return true; /* a free tool has no hold */
    if (call->key && contract->secret_input) {
        capture.headers = "";
    } else if (is_response_stored(call)) {
        capture.headers = buf_str(call->answer_headers);
        if (!is_response_large(call))
            capture.body = buf_text(call->answer);
    }
    int64_t begin_us = clock_us();
    bool ok = ledger_capture(call->gateway->ledger, &capture, &call->snapshot, &err);
    call->ledger_us += clock_us() - begin_us;
    FAULT_POINT("after-capture");
    if (!ok && err.kind == ERR_OUTCOME_UNKNOWN)
        return add_unknown_outcome(call);
    if (!ok)
        return errs_add_err(&call->errs, &err);
    call->charged = contract->credits;
    return true;
}

/* A failed call stays in the daily quota only if the model or the tool declined the content, or if
 * the client cancelled it: otherwise a client could repeat forbidden or long requests for ever. */
static bool keeps_day(const struct call *call)
{
    enum err_kind kind = call->errs.item[0].kind;
    return kind == ERR_MODEL_REFUSED || kind == ERR_CONTENT_NOT_ALLOWED || call->is_cancelled;
}

static void void_hold(struct call *call)
{
    ledger_void(call->gateway->ledger, &call->account, &call->id, keeps_day(call), &call->snapshot);
}

/* ---- the paths a call can take ---- */

/* Take the response that the admission returned. */
static bool take_kept_body(struct call *call)
{
    struct err err = { 0 };
    struct buf body = { .bytes = call->kept.body,
                        .size = call->kept.size,
                        .capacity = call->kept.size,
                        .max_bytes = call->kept.size };
    if (!memory_budget_reserve(&call->gateway->answers, body.size, 0, call->reservation, &err))
        return errs_add_err(&call->errs, &err);
    call->kept.body = NULL;
    buf_move(call->answer, &body);
    return true;
}

static bool load_large_response(struct call *call)
{
    struct large_response_key key = { .account = call->account };
    struct err err = { 0 };
    memcpy(key.token, call->token, sizeof(key.token));
    memcpy(key.key, call->key_hash, sizeof(key.key));
    int64_t begin_us = clock_us();
    bool ok = large_response_load(call->gateway->large_responses, &key, &call->gateway->answers,
                                  call->reservation, call->answer, &err);
    call->ledger_us += clock_us() - begin_us;
    if (!ok && err.kind == ERR_INTERNAL)
        log_line(LOG_ERROR, "a stored response is missing or damaged",
                 log_str("tool", call->offer->name), log_str("request_id", call->request_id));
    return ok || errs_add_err(&call->errs, &err);
}

/* The same call was made before: return its stored response, free. */
static bool replay_response(struct call *call)
{
    call->is_replayed = true;
    /* A request with secrets has no stored response: run it again, free; it counts in the minute
     * window. */
    if (!call->kept.body && call->offer->contract->secret_input)
        return admit_and_run(call, 0) && end_run(call) && take_reply(call) && reserve_copies(call);
    if (call->kept.headers)
        buf_add_str(call->answer_headers, call->kept.headers);
    return (call->kept.body ? take_kept_body(call) : load_large_response(call)) &&
           reserve_response_memory(call, 1);
}

static bool settle(struct call *call)
{
    if (!end_run(call) || !take_reply(call) || !reserve_copies(call) ||
        !store_large_response(call)) {
        void_hold(call);
        return false;
    }
    return capture(call);
}

/* True: the work is short and may be repeated or lost, so it runs first, and one transaction admits
 * and charges it. Not with an Idempotency-Key: the key may show that nothing must run. */
static bool is_optimistic(const struct call *call)
{
    const struct contract *contract = call->offer->contract;
    return contract->retryable && contract->budget_ms <= call->gateway->one_write_budget_ms &&
           contract->credits > 0 && !call->key;
}

static bool pay(struct call *call, const struct admission *admission,
                const struct optimistic_admission *optimistic)
{
    struct err err = { 0 };
    int64_t begin_us = clock_us();
    bool ok = ledger_pay(call->gateway->ledger, admission, optimistic, &call->snapshot, &err);
    call->ledger_us += clock_us() - begin_us;
    FAULT_POINT("after-capture");
    if (end_admission(call, ok))
        call->charged = admission->credits;
    else if (err.kind == ERR_OUTCOME_UNKNOWN)
        add_unknown_outcome(call);
    else if (err.kind == ERR_LEDGER_UNAVAILABLE || err.kind == ERR_INTERNAL)
        errs_add_err(&call->errs, &err);
    else
        call_explain(call, &err);
    return ok;
}

/* A failed optimistic call counts in the windows, like the failure of an admitted call. If a window
 * is full, that error replaces the tool's. */
static bool count_failure(struct call *call)
{
    struct errs errs = call->errs;
    bool keep_day = keeps_day(call);
    call->errs.count = 0;
    if (count_call(call, keep_day))
        call->errs = errs;
    return false;
}

/* Run the work, then admit and charge. */
static bool run_and_pay(struct call *call, const struct admission *admission,
                        const struct optimistic_admission *optimistic)
{
    struct err err = { 0 };
    struct continuation continuation = { start_run, call };
    if (!ledger_run_ahead(call->gateway->ledger, admission, &continuation, &err))
        return errs_add_err(&call->errs, &err);
    if (end_run(call) && take_reply(call) && reserve_copies(call))
        return pay(call, admission, optimistic);
    ledger_cancel_optimistic(call->gateway->ledger, admission);
    return count_failure(call);
}

static bool admit_and_settle(struct call *call)
{
    return admit_and_run(call, call->offer->contract->credits) &&
           (call->kept.is_kept ? replay_response(call) : settle(call));
}

static bool run(struct call *call)
{
    struct admission admission = make_admission(call, call->offer->contract->credits);
    struct optimistic_admission optimistic;
    if (is_optimistic(call) &&
        ledger_admit_optimistic(call->gateway->ledger, &admission, &optimistic))
        return run_and_pay(call, &admission, &optimistic);
    return admit_and_settle(call);
}

bool call_buy(struct call *call)
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
                                .traceparent = call->traceparent,
                                .deadline_ms = call->started_us / 1000 + contract->budget_ms };
    struct err err = { 0 };
    if (!dispatch_acquire_permit(dispatch, daemons, &err))
        return errs_add_err(&call->errs, &err);
    FAULT_POINT("after-ticket");
    call_read_limits(call);
    call->run = dispatch_prepare(dispatch, &job, &call->reply);
    bool ok = run(call);
    dispatch_discard(&call->run);
    dispatch_release_permit(daemons);
    dispatch_reply_free(&call->reply);
    kept_answer_free(&call->kept);
    return ok;
}
