/*
 * gateway/call/call.h - a paid call, independent of its protocol: admit, run, settle.
 *
 * A front (gateway/front.h for HTTP) authenticates the caller, validates the request against the
 * contract, fills the first part of struct call, and reads the second part after call_buy().
 */
#pragma once

#include "gateway/call/gateway.h"
#include "text/token.h"

struct call {
    /* ---- the request; borrowed until the call is over ---- */
    struct gateway *gateway;
    int64_t started_us;      /* clock_us() at its arrival, where the tool's budget begins */
    struct uuid id;          /* of request, hold, job and ledger entry */
    const char *request_id;  /* the client's or a generated one, for logs and the daemon */
    const char *traceparent; /* gateway/traces/trace.h */
    const struct offer *offer;
    struct uuid account;
    uint8_t token[TOKEN_DIGEST_BYTES];
    struct in6_addr address; /* the client's, as HAProxy reports it */
    const char *key;         /* Idempotency-Key; NULL: absent */
    struct text body;        /* the request as JSON, valid for the contract */

    /* ---- the outcome ---- */
    struct errs errs; /* empty: the call succeeded */
    int64_t retry_ms; /* rejected: when to retry; -1: unknown */
    /* The front's buffers, initially empty: header lines, each with CR LF (Content-Type and the
     * tool's), and the body. Both are stored for an Idempotency-Key. */
    struct buf *answer_headers;
    struct buf *answer;
    struct reservation
        *reservation; /* of the response's memory; initially empty; the front frees it */
    /* The most bytes that the front adds to the response, reserved before the charge. NULL: 0. */
    size_t (*wrapped_bytes)(const struct call *call);
    /* Called by the call's thread every WAITING_MS while the tool of an admitted call runs; NULL:
     * nothing to do. It may call call_cancel(). */
    void (*waiting)(void *front);
    void *front;
    int64_t charged;                  /* credits */
    bool is_replayed;                 /* a stored response of the same call, free */
    struct account_snapshot snapshot; /* of the account after the call */
    int64_t ledger_us;                /* time waiting for the ledger */
    int64_t queue_us;                 /* from dispatch until the tool started */
    int64_t tool_us;                  /* in the tool */

    /* ---- private ---- */
    struct rate_class limits; /* the default's, for the admission; the ledger knows the account's */
    unsigned global_limit;
    struct told_limits {
        unsigned endpoint; /* calls a minute; 0: no limit */
        unsigned of_class;
        unsigned daily;
        unsigned global;
    } told; /* the account's, for headers and messages */
    bool is_admitted;
    uint8_t key_hash[DIGEST_BYTES]; /* of key */
    struct kept_answer kept;
    bool is_cancelled;
    struct run *run; /* the tool's; NULL: not started, or done */
    int64_t run_started_us;
    struct dispatch_reply reply;
};

/* Start a call that arrives now, with a new id. */
void call_begin(struct call *call, struct gateway *gateway);

/*
 * Make and charge the call of call->offer, which has a contract. True: call->answer has the
 * response, and the charge is committed. False: call->errs has the errors, call->answer is
 * undefined, and the call will not be charged.
 */
bool call_buy(struct call *call) must_check;

/* Stop the tool, from waiting(): the client is gone. The call fails, and is not charged, but stays
 * in the daily quota. */
void call_cancel(struct call *call);

/* Count a free request about the account in its windows; sets call->snapshot. */
bool call_count(struct call *call) must_check;

/* For a request that fails anyway: an invalid token replaces its other errors, so that an
 * unauthenticated client learns nothing else. */
void call_put_token_first(struct call *call);

/* Add the ledger's rejection to call->errs, as a sentence for the customer. Returns false. */
bool call_explain(struct call *call, const struct err *err);

/* Check the token of a free request that will succeed. The caller frees *facts, also on failure. */
bool call_ask_token(struct call *call, struct token_facts *facts) must_check;

/* Add an error. Returns false. */
bool call_refuse(struct call *call, enum err_kind kind, const char *message);
