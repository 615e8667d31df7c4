/*
 * gateway/http/http-call.h - one HTTP request in progress, shared by gateway/front.c (the order of
 * the steps), request.c (validation) and answer.c (the response).
 *
 * A step returns true if the request goes on; else call.errs has the errors.
 */
#pragma once

#include "gateway/call/call.h"
#include "gateway/catalog/routes.h"
#include "gateway/http/prefer.h"
#include "gateway/traces/trace.h"
#include "web/http.h"

enum {
    REQUEST_ID_MAX_BYTES = 64, /* of a client's X-Request-Id that is echoed */
    CLIENT_MAX_BYTES = 40,     /* of the client name that an MCP host sends */
};

/* The MCP part of a request, for logs and metrics: words of gateway/mcp/mcp.h. */
struct mcp_trait {
    const char *method; /* NULL: not MCP */
    const char *era;
    const char *outcome;
    const char *fault; /* the kind of its JSON-RPC error, for the request log; NULL: none */
    char client[CLIENT_MAX_BYTES + 1]; /* as sent, printable */
};

struct http_call {
    struct call call; /* the paid call, when caller and tool are known */
    const struct http_request *request;
    struct http_response *response;
    int64_t counted_ms; /* when the request was counted for its address; 0: it was not */
    char request_id[REQUEST_ID_MAX_BYTES + 1];
    struct trace trace;
    enum route route; /* ROUTE_NONE: unknown, or not parsed yet */
    bool has_account;
    bool has_token;                /* call.token is set */
    bool is_management;            /* it is a management token */
    const struct offer *dry_tool;  /* of a dry run */
    struct buf query;              /* of a GET tool, as JSON */
    const char *allow;             /* of a 405 */
    struct unknown_fields unknown; /* of the request */
    bool has_ignored;              /* they were ignored: the response says so */
    enum handling preference;      /* that decided about them; unset: not needed, or none sent */
    cJSON *settled;                /* of a dry run: the request as the tool would get it */
    struct mcp_trait mcp;
};

/* ---- request.c ---- */

/* Set ids, trace, clock and the other values of the head. */
void request_begin(struct http_call *http, struct gateway *gateway);

/* Check that the request came whole through the edge. Sets address. A request that the edge should
 * have rejected closes the connection: it may be part of another client's request (request
 * smuggling). */
bool request_arrive(struct http_call *http);

/* Apply the limit per address: 429, before all other checks. */
bool request_pass_address(struct http_call *http);

/* Give the request back to the limit per address, if its call was admitted and the account's plan
 * says so. */
void request_return_address(struct http_call *http);

/* Check that each header that selects or authorizes a call has one value. */
bool request_check_headers(struct http_call *http);

/* Find the tool and the account by the names in the path: 404, 405. Sets offer, account. */
bool request_find_offer(struct http_call *http, const struct route_names *names);
bool request_require_method(struct http_call *http, const char *method);

/* Find the account of a request about its tokens: 404, 405. Sets offer, account. */
bool request_find_tokens(struct http_call *http, const struct route_names *names);

/* Parse the Authorization header, without the database. Sets token, is_management. A management
 * token elsewhere, and another token where only these may be used: 403. */
bool request_read_token(struct http_call *http);

/* The same for the token of a connected app, which names the account. Sets account, token. */
bool request_read_app(struct http_call *http);

/* Parse the account in the path. Sets account. */
bool request_read_account(struct http_call *http, const struct route_names *names);

/* 503 while the gateway drains. */
bool request_require_open(struct http_call *http);

/* Check media type, size and body against the contract: 415, 413, 400. Sets body, and unknown.
 * Unknown fields are an error if the client prefers that, or, without a preference, if the token is
 * strict. */
bool request_check(struct http_call *http);

/* The same for a dry run: the body is JSON for all tools, and unknown fields are an error unless
 * the client prefers to ignore them. Sets settled. */
bool request_check_dry(struct http_call *http);

/* Only the checks of the body as bytes, and of the syntax of call.key. */
bool request_check_body(struct http_call *http);
bool request_check_key(struct http_call *http);

/* ---- answer.c ---- */

/* Add Retry-After to an error if call.retry_ms is set; a 503 sets it. */
void answer_add_retry(struct http_call *http);

/* Is the response 401? A connected app needs another token then, and the response says where to get
 * one (RFC 9728 section 5.1). All other routes respond with 403. */
bool answer_is_challenge(const struct http_call *http);

/* Make the response an error; `write` writes the body from call.errs. */
void answer_errors(struct http_call *http, void (*write)(struct buf *out, const struct errs *errs));

/* Write headers, metrics and the log line; free what the request holds. */
void answer_finish(struct http_call *http);
