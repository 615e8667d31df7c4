/*
 * gateway/ledger/admission.h - what the ledger is asked before a call, and what it tells.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/codec/uuid.h"

enum { DIGEST_BYTES = 32 };

struct admission {
    struct uuid account;
    struct uuid id;              /* of the request: the hold's, the job's and the ledger's */
    uint8_t token[DIGEST_BYTES]; /* SHA-256 of the bearer token */
    int64_t tool_id;
    int64_t credits;        /* 0: counts in the windows and holds nothing */
    int64_t endpoint_limit; /* calls a minute; 0: none. The same for class, global and day. */
    int64_t class_limit;
    int64_t global_limit;
    int64_t daily_limit;
    int64_t hold_ms; /* life of the hold */
    bool has_key;    /* an Idempotency-Key was given: its hash, and that of the request */
    uint8_t key[DIGEST_BYTES];
    uint8_t fingerprint[DIGEST_BYTES];
};

/* What the account looks like after an item; -1 where it was not told. */
struct account_snapshot {
    int64_t posted;
    int64_t held;
    int64_t window_limit;
    int64_t window_left;
    int64_t reset_ms; /* until the oldest call leaves that window */
    int64_t retry_ms; /* refused: until the same call would be admitted */
    /* For an admission of 0 credits: the sums behind the balance. Of a token with caps: what they
     * leave after an admission (granted); of one that refused, it and what is spent (granted,
     * used). */
    int64_t granted;
    int64_t purchased;
    int64_t used;
    int64_t seq; /* of its newest ledger entry */
};

/* A standing of which nothing is known yet. */
#define NO_STANDING ((struct account_snapshot){ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 })

/* What the ledger had told of an account when the work of a call began that is paid afterwards. */
struct optimistic_admission {
    int64_t seq;         /* the account's newest entry then: the call's own lies above it */
    uint64_t connection; /* over which it was told; over another it may be untrue */
};

/* The answer kept for an Idempotency-Key. */
struct kept_answer {
    bool is_kept;  /* the call was done before; the answer may still be absent */
    char *headers; /* its own header lines, each ended by CR LF */
    char *body;    /* NULL: it was not stored */
    size_t size;
};

void kept_answer_free(struct kept_answer *answer);

/* What the owner of a token allows it. */
struct token_facts {
    char *name;
    char *scopes;       /* tools and groups, commas between; "": everything */
    int64_t expires_ms; /* by clock_wall_ms(); -1: never. In credits, and -1 for none: */
    int64_t cap_daily;
    int64_t spent_today; /* this and spent_total: -1 of a token that was made without a cap */
    int64_t cap_total;
    int64_t spent_total;
};

void token_facts_free(struct token_facts *facts);

/* Do its scopes name this tool, or its group? */
bool token_facts_allow(const struct token_facts *facts, const char *tool, const char *group);

/* What follows an admission: start() begins it, without waiting, and whoever ends it calls
 * ended(context), once, from any thread. */
struct continuation {
    void (*start)(void *work, void (*ended)(void *context), void *context);
    void *work;
};
