/*
 * gateway/ledger/admission.h - the request for admission of a call, and the ledger's reply.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/codec/uuid.h"

enum { DIGEST_BYTES = 32 };

struct admission {
    struct uuid account;
    struct uuid id;              /* the call's: of its request, hold, job and ledger entry */
    uint8_t token[DIGEST_BYTES]; /* SHA-256 of the bearer token */
    struct in6_addr address;     /* the client's; a token may have networks */
    int64_t tool_id;
    int64_t credits;        /* 0: the call counts in the windows and has no hold */
    int64_t endpoint_limit; /* calls a minute; 0: unlimited. Same for class and global; daily: calls
                               a UTC day */
    int64_t class_limit;
    int64_t global_limit;
    int64_t daily_limit;
    int64_t hold_ms; /* life of the hold */
    bool has_key;    /* an Idempotency-Key was sent: its hash is key, the request's fingerprint */
    uint8_t key[DIGEST_BYTES];
    uint8_t fingerprint[DIGEST_BYTES];
};

/* The account's plan (gateway/sql/010-plans.sql): its numbers for the tool of a call, which replace
 * those of the admission. -1: the default's number; 0: no limit. */
struct plan_numbers {
    int32_t id; /* 0 or below: the account has no plan */
    int32_t endpoint;
    int32_t of_class;
    int32_t daily;
    int32_t global;
    int32_t is_address_exempt; /* 1: an admitted call does not count for its IP address */
};

#define NO_PLAN ((struct plan_numbers){ -1, -1, -1, -1, -1, -1 })

/* The account after an item; -1: the ledger did not return the value. */
struct account_snapshot {
    int64_t posted;
    int64_t held;
    int64_t window_limit;
    int64_t window_left;
    int64_t reset_ms; /* until the oldest call leaves that window */
    int64_t retry_ms; /* rejected: until the same call would be admitted */
    /* An admission of 0 credits: the sums behind the balance. A token with caps: granted is what
     * the caps leave after an admission; after a rejection by a cap, granted is that cap and used
     * is what is spent. */
    int64_t granted;
    int64_t purchased;
    int64_t used;
    int64_t seq; /* of its newest ledger entry */
    struct plan_numbers plan;
    struct uuid token; /* an admission's, its id; all zero: the ledger did not return it */
};

/* A snapshot before the ledger has replied. */
#define EMPTY_SNAPSHOT \
    ((struct account_snapshot){ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, NO_PLAN, { { 0 } } })

/* What was known of the account when an optimistic call's work began. */
struct optimistic_admission {
    int64_t seq;         /* the account's newest ledger entry; this call's entry is above it */
    uint64_t connection; /* that returned seq; seq is valid only on this connection */
};

/* The response stored for an Idempotency-Key. */
struct kept_answer {
    bool is_kept;  /* the call was made before; its response may still be missing */
    char *headers; /* its header lines, each with CR LF */
    char *body;    /* NULL: it was not stored */
    size_t size;
};

void kept_answer_free(struct kept_answer *answer);

/* The rights and caps of a token. */
struct token_facts {
    char *name;
    char *scopes;        /* tools and groups, separated by commas; "": all */
    int64_t expires_ms;  /* by clock_wall_ms(); -1: never */
    int64_t cap_daily;   /* this and cap_total: credits; -1: no cap */
    int64_t spent_today; /* this and spent_total: credits; -1: the token was made without caps */
    int64_t cap_total;
    int64_t spent_total;
    bool is_strict;  /* requests with unknown fields are refused */
    char *plan;      /* the account's; NULL: none */
    int64_t plan_ms; /* when the account got it, by clock_wall_ms() */
};

void token_facts_free(struct token_facts *facts);

/* Do the token's scopes include this tool or its group? */
bool token_facts_allow(const struct token_facts *facts, const char *tool, const char *group);

/* The work that follows an admission. start() begins it without waiting; when the work is done,
 * ended(context) is called once, from any thread. The thread that waits for the end of an admitted
 * call calls waiting(work) every WAITING_MS; NULL: it only waits. */
enum { WAITING_MS = 250 };
struct continuation {
    void (*start)(void *work, void (*ended)(void *context), void *context);
    void *work;
    void (*waiting)(void *work);
};
