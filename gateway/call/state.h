/*
 * gateway/call/state.h - one request in hand, shared by the files that serve it: call.c (the
 * steps), request.c (is it one we serve?) and answer.c (what is said).
 *
 * A step returns whether the call goes on; when it does not, call->errs says why.
 */
#ifndef GATEWAY_CALL_STATE_H
#define GATEWAY_CALL_STATE_H

#include "gateway/call/trace.h"
#include "gateway/gateway.h"
#include "text/token.h"
#include "web/http.h"

enum { REQUEST_ID_MAX_BYTES = 64 /* of a client's X-Request-Id that is echoed */ };

struct call {
    struct gateway *gateway;
    const struct http_request *request;
    struct http_response *response;
    int64_t started_us;
    struct uuid id;                            /* request, hold, job and ledger reference in one */
    char request_id[REQUEST_ID_MAX_BYTES + 1]; /* the client's or ours */
    struct trace trace;
    struct in6_addr address;
    struct uuid account;
    bool has_account;
    uint8_t token[TOKEN_DIGEST_BYTES];
    const struct offer *offer;
    struct rate_class limits;
    unsigned global_limit;
    struct buf query; /* of a GET tool, as JSON */
    struct text body; /* what the contract checks and the tool reads */
    struct standing standing;
    int64_t charged;
    int64_t retry_ms;  /* of Retry-After; -1: none */
    const char *allow; /* of a 405 */
    bool is_replayed;
    struct kept_answer kept;
    struct run *run; /* the tool's, NULL: none yet, or none any more */
    int64_t run_started_us;
    struct dispatch_reply reply;
    int64_t ledger_us;
    struct errs errs;
};

/* Add an error; false, always. */
bool call_refuse(struct call *call, enum err_kind kind, const char *message);

/* ---- request.c ---- */

/* Ids, trace and clock. */
void call_begin(struct call *call);

/* Is it a request of the edge, and whole? Who sent it, and by HTTPS? Sets address. What the edge
 * would have refused ends the connection: it may be the rest of somebody else's request. */
bool call_arrive(struct call *call);

/* Do the headers that decide about a call say one thing each? */
bool call_check_headers(struct call *call);

/* The limit of each address: 429 before anything else. */
bool call_pass_address(struct call *call);

/* 404, 405, and the account's id. Sets offer and account. */
bool call_route(struct call *call);
bool call_require_method(struct call *call, const char *method);

/* The Authorization header's form, without the database. Sets token. */
bool call_read_token(struct call *call);

/* 415, 413, 400. Sets body. */
bool call_check_request(struct call *call);

/* ---- answer.c ---- */

/* Turn a refusal of the ledger into the sentence for the customer; false, always. */
bool call_explain(struct call *call, const struct err *err);

/* Make the response the envelope of call->errs. */
void call_answer_errors(struct call *call);

/* Headers, metrics, log line; release what the call holds. */
void call_finish(struct call *call);

#endif
