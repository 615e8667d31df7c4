/*
 * portal/playground/gateways.h - calls to the gateways over plain HTTP, for the playground: at most
 * 16 at the same time, 2 per account, with memory for the responses reserved before. These limits
 * protect this process's memory. The limits of an account are the gateways', and are exact for any
 * number of portals.
 */
#pragma once

#include <netinet/in.h>

#include "net/http/fetch-answer.h"
#include "svc/contract.h"
#include "text/conf.h"

enum { OUTCOME_PAGE_BYTES = 80 << 20 /* the page of the largest response */ };

struct egress;
struct gateways;

/* Read portal.gateways. egress makes the connections, and must outlive it. Errors:
 * ERR_INVALID_VALUE. */
bool gateways_open(const struct conf *conf, struct egress *egress, struct gateways **gateways,
                   struct err *err) must_check;
void gateways_close(struct gateways **gateways); /* no call may be running */

/* A call. */
struct tool_call {
    const struct contract *contract;
    const char *account;
    const char *token;
    const char *run;        /* its Idempotency-Key: it is paid once, however often it is sent */
    struct in6_addr member; /* the address for the gateway's limits */
    struct text request;    /* the body of a POST, or the query of a GET */
    bool is_check;          /* only a dry run: free, and request is JSON for all tools */
    bool is_lenient;        /* unknown fields are ignored, not errors */
};

/* The response. Release with call_answer_free(). */
struct call_answer {
    struct gateways *gateways;
    const char *account;
    struct reservation
        reservation; /* of the playground's memory budget: for the response and its page */
    struct fetch *fetch;
    int64_t took_ms;
};

/*
 * Make a call: at the gateway of the member's address; if it does not respond at once, at the next
 * one. The idempotency key makes that safe. The response may have any status. Errors:
 * ERR_OVERLOADED if no place is free, and nothing was sent; ERR_UPSTREAM_UNAVAILABLE if no response
 * arrived, and the outcome is unknown. Release answer in any case.
 */
bool gateways_call(struct gateways *gateways, const struct tool_call *call,
                   struct call_answer *answer, struct err *err) must_check;

/* Grow the reservation for a page of this size. False: the budget is used up. */
bool call_answer_claim(struct call_answer *answer, size_t bytes) must_check;

/* Releases the place and the memory. The reservation may have been moved before. */
void call_answer_free(struct call_answer *answer);
