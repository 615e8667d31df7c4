/*
 * gateway/ledger/ledger.h - credits: admit a call, settle it, exactly once whatever dies in
 * between.
 *
 * One thread owns the connections to PostgreSQL. HTTP threads hand it items and wait; it sends
 * everything that waits as one transaction (gateway/sql/002-ledger.sql). Under light load a batch
 * is one call; under load it grows by itself. Items of an account whose row somebody else holds for
 * longer than 50 ms are put off and the others go on. What it refused a moment ago is refused again
 * from memory where the answer cannot have changed (gateway/ledger/refusals.h).
 *
 * What happens when the answer of the database is lost: the item is sent again under its id and
 * meets what it did before. When its waiter has left in the meantime it goes back as a cancel, so
 * that nobody pays for an answer he did not get.
 */
#ifndef GATEWAY_LEDGER_H
#define GATEWAY_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "admin/metrics.h"
#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/err.h"

struct ledger;

struct ledger_options {
    const char *url;      /* libpq connection string of the gateway's role; borrowed */
    const char *password; /* NULL: none; borrowed */
    int64_t timeout_ms;   /* a caller waits at most this long */
    int64_t sweep_ms;     /* between two sweeps of expired holds */
    struct metrics *metrics;
};

/* Start the thread. It connects by itself, now and whenever the connection is lost. */
struct ledger *ledger_start(const struct ledger_options *options);

/* Settle what is queued (at most timeout_ms), then end the thread. */
void ledger_stop(struct ledger **ledger);

/* Is a connection up? */
bool ledger_is_ready(struct ledger *ledger);

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
struct standing {
    int64_t posted;
    int64_t held;
    int64_t window_limit;
    int64_t window_left;
    int64_t reset_ms; /* until the oldest call leaves that window */
    int64_t retry_ms; /* refused: until the same call would be admitted */
    int64_t granted;  /* for an admission of 0 credits: the sums behind the balance */
    int64_t purchased;
    int64_t used;
};

/* A standing of which nothing is known yet. */
#define NO_STANDING ((struct standing){ -1, -1, -1, -1, -1, -1, -1, -1, -1 })

/* The answer kept for an Idempotency-Key. */
struct kept_answer {
    bool is_kept;  /* the call was done before; the answer may still be absent */
    char *headers; /* its own header lines, each ended by CR LF */
    char *body;    /* NULL: it was not stored */
    size_t size;
};

void kept_answer_free(struct kept_answer *answer);

/*
 * Admit a call. True: the hold is durable; or *kept holds the answer of the same call made before,
 * and there is no hold. Errors: the 402, 403, 409, 422 and 429 codes of the account, with *standing
 * filled as far as it is known; ERR_LEDGER_UNAVAILABLE within timeout_ms.
 */
bool ledger_admit(struct ledger *ledger, const struct admission *admission,
                  struct standing *standing, struct kept_answer *kept, struct err *err) must_check;

/* What follows an admission: start() begins it, without waiting, and whoever ends it calls
 * ended(context), once, from any thread. */
struct sequel {
    void (*start)(void *work, void (*ended)(void *context), void *context);
    void *work;
};

/*
 * Admit a call, run its sequel, and return when that has ended: the ledger's thread itself starts
 * it as soon as the hold is durable, so that the caller, who sleeps, is woken once and not twice.
 * As ledger_admit(); where it errs, or *kept holds an answer, nothing was started.
 */
bool ledger_admit_and_run(struct ledger *ledger, const struct admission *admission,
                          const struct sequel *sequel, struct standing *standing,
                          struct kept_answer *kept, struct err *err) must_check;

struct capture {
    struct uuid account;
    struct uuid id;
    const char *headers; /* with a key: the answer to keep; body NULL: keep none */
    struct text body;
};

/* Charge the hold. True: the charge is durable and the answer may be sent. Errors:
 * ERR_DEADLINE_EXCEEDED when the hold had expired, ERR_LEDGER_UNAVAILABLE when it cannot be known;
 * in both cases the caller is not charged in the end. */
bool ledger_capture(struct ledger *ledger, const struct capture *capture, struct standing *standing,
                    struct err *err) must_check;

/* Give the held credits back; the day's call too unless keep_day. Waits a moment for the new
 * balance; when the database is away the hold expires by itself. */
void ledger_void(struct ledger *ledger, const struct uuid *account, const struct uuid *id,
                 bool keep_day, struct standing *standing);

/* The same after ledger_capture() has failed, when it may have happened all the same: what was
 * charged is refunded, once. */
void ledger_cancel(struct ledger *ledger, const struct uuid *account, const struct uuid *id,
                   struct standing *standing);

/* Who asks, for requests refused before admission: ERR_AUTH_*, ERR_ACCOUNT_* or
 * ERR_LEDGER_UNAVAILABLE. */
bool ledger_check_token(struct ledger *ledger, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], struct err *err) must_check;

#endif
