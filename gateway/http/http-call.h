/*
 * gateway/http/http-call.h - one HTTP request in hand, shared by the files that serve it:
 * gateway/front.c (the order of the steps), request.c (is it one we serve?) and answer.c (what is
 * said).
 *
 * A step returns whether the request goes on; when it does not, call.errs says why.
 */
#pragma once

#include "gateway/call/call.h"
#include "gateway/catalog/routes.h"
#include "gateway/http/trace.h"
#include "web/http.h"

enum {
    REQUEST_ID_MAX_BYTES = 64, /* of a client's X-Request-Id that is echoed */
    CLIENT_MAX_BYTES = 40,     /* of the name that an agent's host gives itself */
};

/* What came by MCP, for logs and metrics: words of gateway/mcp/mcp.h. */
struct mcp_trait {
    const char *method; /* NULL: it did not come by MCP */
    const char *era;
    const char *outcome;
    char client[CLIENT_MAX_BYTES + 1]; /* as it says, printable */
};

struct http_call {
    struct call call; /* what is bought, once it is known who asks for what */
    const struct http_request *request;
    struct http_response *response;
    struct in6_addr address; /* whose request it is: the edge's client */
    char request_id[REQUEST_ID_MAX_BYTES + 1];
    struct trace trace;
    enum route route; /* ROUTE_NONE: none, or not looked for yet */
    bool has_account;
    struct buf query;  /* of a GET tool, as JSON */
    const char *allow; /* of a 405 */
    struct mcp_trait mcp;
};

/* ---- request.c ---- */

/* Ids, trace, clock, and what else the head says. */
void request_begin(struct http_call *http, struct gateway *gateway);

/* Is it a request of the edge, and whole? Who sent it, and by HTTPS? Sets address. What the edge
 * would have refused ends the connection: it may be the rest of somebody else's request. */
bool request_arrive(struct http_call *http);

/* The limit of each address: 429 before anything else. */
bool request_pass_address(struct http_call *http);

/* Do the headers that decide about a call say one thing each? */
bool request_check_headers(struct http_call *http);

/* 404 and 405, and the account's id, from the names that stood in the path. Sets offer, account. */
bool request_find_offer(struct http_call *http, const struct route_names *names);
bool request_require_method(struct http_call *http, const char *method);

/* The Authorization header's form, without the database. Sets token. */
bool request_read_token(struct http_call *http);

/* The account in the path. Sets account. */
bool request_read_account(struct http_call *http, const struct route_names *names);

/* 503 when this gateway is about to end. */
bool request_require_open(struct http_call *http);

/* 415, 413, 400. Sets body. */
bool request_check(struct http_call *http);

/* Of these, what concerns the body as bytes; and the form of call.key. */
bool request_check_body(struct http_call *http);
bool request_check_key(struct http_call *http);

/* ---- answer.c ---- */

/* Add Retry-After to a refusal when call.retry_ms says when, which a 503 sets. */
void answer_add_retry(struct http_call *http);

/* Make the response an error: its body is written by `write`, of call.errs. */
void answer_errors(struct http_call *http, void (*write)(struct buf *out, const struct errs *errs));

/* Headers, metrics, log line; release what the request holds. */
void answer_finish(struct http_call *http);
