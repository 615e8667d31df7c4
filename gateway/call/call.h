/*
 * gateway/call/call.h - a paid call, whatever front it came by: admitted, run, settled.
 *
 * A front (gateway/front.h is the one for HTTP) finds out who asks for which tool, checks the
 * request against the contract, fills the first part of struct call and reads the second when
 * call_buy() is back. Nothing here knows how the request came or goes.
 */
#pragma once

#include "gateway/call/gateway.h"
#include "text/token.h"

struct call {
    /* ---- what is asked; borrowed until the call is over ---- */
    struct gateway *gateway;
    int64_t started_us;      /* clock_us() at its arrival: the tool's budget counts from here */
    struct uuid id;          /* of request, hold, job and ledger entry in one */
    const char *request_id;  /* the client's or ours, for logs and the daemon */
    const char *traceparent; /* gateway/http/trace.h */
    const struct offer *offer;
    struct uuid account;
    uint8_t token[TOKEN_DIGEST_BYTES];
    const char *key;  /* Idempotency-Key; NULL: none */
    struct text body; /* the request as JSON; fits the contract */

    /* ---- what came of it ---- */
    struct errs errs; /* none: it was answered */
    int64_t retry_ms; /* refused: until it may be tried again; -1: not known */
    /* The front's buffers, empty at first: header lines, each ended by CR LF (Content-Type, and
     * what the tool adds), and the body. They are what is kept for the key. */
    struct buf *answer_headers;
    struct buf *answer;
    struct reservation
        *reservation; /* on the memory of the answer, empty at first; the front gives it back */
    /* How many bytes beside it the front makes of the answer, at most: they are claimed before
     * anything is charged. NULL: none. */
    size_t (*wrapped_bytes)(const struct call *call);
    int64_t charged;                  /* credits */
    bool is_replayed;                 /* the answer of the same call made before, free */
    struct account_snapshot snapshot; /* of the account afterwards */
    int64_t ledger_us;                /* waited for the ledger */
    int64_t queue_us;                 /* from the dispatcher until the tool began */
    int64_t tool_us;                  /* in the tool */

    /* ---- inside ---- */
    struct rate_class limits;
    unsigned global_limit;
    struct kept_answer kept;
    struct run *run; /* the tool's, NULL: none yet, or none any more */
    int64_t run_started_us;
    struct dispatch_reply reply;
};

/* A call that is asked at this moment, with an id of its own. */
void call_begin(struct call *call, struct gateway *gateway);

/*
 * Buy the work of call->offer, which has a contract. True: call->answer holds the answer, and what
 * it cost is durable; false: call->errs says why not, what stands in call->answer is worth nothing,
 * and nothing is charged in the end.
 */
bool call_buy(struct call *call) must_check;

/* Count a free question about the account in its windows; sets call->standing. */
bool call_count(struct call *call) must_check;

/* For a request that is refused in any case: when the token is none of the account's, that is what
 * is wrong, and a stranger is told nothing else. */
void call_put_token_first(struct call *call);

/* Who asks, for what is free and answered; *facts is the caller's to free, filled or not. */
bool call_ask_token(struct call *call, struct token_facts *facts) must_check;

/* Add an error; false, always. */
bool call_refuse(struct call *call, enum err_kind kind, const char *message);
