/*
 * portal/playground/gateways.h - calls to the gateways' plain HTTP, for members who try a tool: at
 * most 16 at once, 2 of them of one account, and memory for their answers before they begin. That
 * is counted in each process, whose memory it guards; what an account may call is the gateways' to
 * say, and theirs is exact however many portals there are.
 */
#pragma once

#include <netinet/in.h>

#include "net/http/fetch-answer.h"
#include "svc/contract.h"
#include "text/conf.h"

struct egress;
struct gateways;

/* Read portal.gateways; egress is the way there and outlives it. Errors: ERR_INVALID_VALUE. */
bool gateways_open(const struct conf *conf, struct egress *egress, struct gateways **gateways,
                   struct err *err) must_check;
void gateways_close(struct gateways **gateways); /* nobody may be calling */

/* A call as it is sent. */
struct tool_call {
    const struct contract *contract;
    const char *account;
    const char *token;
    const char *run;        /* its Idempotency-Key: however often it is sent, it is paid once */
    struct in6_addr member; /* whose address the gateway counts */
    struct text request;    /* the body of a POST, the query of a GET */
};

/* What came back; release with call_answer_free(). */
struct call_answer {
    struct gateways *gateways;
    const char *account;
    struct reservation
        reservation; /* on the playground's memory: for the answer and the page made of it */
    struct fetch *fetch;
    int64_t took_ms;
};

/*
 * Make a call: at the gateway of the member's address, and where it does not answer at once, at the
 * next; the key makes that safe. The answer may have any status. Errors: ERR_OVERLOADED when there
 * is no place for it, and nothing was sent; ERR_UPSTREAM_UNAVAILABLE when no answer came, whatever
 * became of the call. answer is to be released in any case.
 */
bool gateways_call(struct gateways *gateways, const struct tool_call *call,
                   struct call_answer *answer, struct err *err) must_check;

/* Let the claim grow for a page of so many bytes; false: there is no room. */
bool call_answer_claim(struct call_answer *answer, size_t bytes) must_check;

/* Gives place and memory back; the claim may have been handed over before. */
void call_answer_free(struct call_answer *answer);
