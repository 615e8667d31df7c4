/*
 * gateway/ledger/ledger.h - admits a call and settles it, exactly once, whichever process or
 * connection fails in between.
 *
 * One thread owns the connections to PostgreSQL. The threads of calls queue items and wait. The
 * ledger thread sends all queued items as one transaction (gateway/sql/002-ledger.sql), so a batch
 * is one call under light load and grows with the load. If another session holds an account's lock
 * for more than 50 ms, the account's items wait and all others go on. A rejection that cannot have
 * changed is repeated from memory (gateway/ledger/refusals.h).
 *
 * If the connection breaks before the outcome arrives, the item is sent again with the same id and
 * finds what its first attempt wrote. If its waiter has timed out by then, it is sent as a cancel,
 * so that no customer pays for a response they did not get.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "admin/metrics.h"
#include "base/buf.h"
#include "base/err.h"
#include "gateway/ledger/admission.h"

struct ledger;

/* What is known of a charge after its client got outcome_unknown. */
enum outcome_state { OUTCOME_UNKNOWN, OUTCOME_CHARGED, OUTCOME_NOT_CHARGED };

/* Called from any thread, with the ledger locked: when a client is about to get outcome_unknown,
 * and when the outcome is known. */
struct outcome_listener {
    void (*add)(void *context, const struct uuid *account, const struct uuid *call,
                enum outcome_state state);
    void *context;
};

struct ledger_options {
    const char *url;      /* libpq connection string of the gateway's role; borrowed */
    const char *password; /* NULL: no password; borrowed */
    int64_t timeout_ms;   /* the longest that a caller waits */
    int64_t sweep_ms;     /* between two sweeps of expired holds */
    struct metrics *metrics;
    struct outcome_listener outcomes; /* zero: they are only logged */
};

/* Start the thread. It connects, and reconnects whenever the connection is lost. */
struct ledger *ledger_start(const struct ledger_options *options);

/* No settlement is queued, and no batch is under way. */
bool ledger_is_settled(struct ledger *ledger);

/* Settle what is queued (for at most timeout_ms), then stop the thread. A charge whose outcome is
 * still unknown is logged with account and id, and listed by `tollctl ledger unknown`. */
void ledger_stop(struct ledger **ledger);

/* Is a connection up? */
bool ledger_is_ready(struct ledger *ledger);

/* Why PostgreSQL responds but cannot write, if that was so in the last 10 s; else NULL. The ledger
 * keeps retrying such batches; their callers get ERR_LEDGER_UNAVAILABLE on timeout. */
const char *ledger_degraded_reason(struct ledger *ledger);

/*
 * Admit a call. True: the hold is committed; or *kept has the stored response of an earlier call
 * with the same key, without a hold. Errors: the 402, 403, 409, 422 and 429 codes of the
 * account, with *snapshot filled as far as known; ERR_LEDGER_UNAVAILABLE within timeout_ms.
 */
bool ledger_admit(struct ledger *ledger, const struct admission *admission,
                  struct account_snapshot *snapshot, struct kept_answer *kept,
                  struct err *err) must_check;

/*
 * As ledger_admit(), then run the continuation and return when it is done. The ledger thread
 * starts it as soon as the hold is committed, so the caller's thread wakes once instead of twice.
 * On error, or if *kept has a response, nothing was started.
 */
bool ledger_admit_and_run(struct ledger *ledger, const struct admission *admission,
                          const struct continuation *continuation,
                          struct account_snapshot *snapshot, struct kept_answer *kept,
                          struct err *err) must_check;

struct capture {
    struct uuid account;
    struct uuid id;
    /* What to store for an Idempotency-Key. NULL headers: only that the call was answered. Headers
     * without a body: it is a large response, or a repeated call may run again. */
    const char *headers;
    struct text body;
};

/*
 * Charge the hold; takes at most timeout_ms and REFUND_WAIT_MS. True: the charge is committed, so
 * the response may be sent. False: the response must not be sent:
 *
 *   ERR_DEADLINE_EXCEEDED  the hold had expired: the call is not charged and never will be
 *   ERR_LEDGER_UNAVAILABLE, ERR_INTERNAL  the same, for the database or the item
 *   ERR_OUTCOME_UNKNOWN    the database's reply was lost. A charge, if any, is refunded when the
 *                          database is reachable again, unless its stored response was replayed
 *                          meanwhile. If this process stops first, the charge stays until
 *                          `tollctl ledger settle`.
 */
bool ledger_capture(struct ledger *ledger, const struct capture *capture,
                    struct account_snapshot *snapshot, struct err *err) must_check;

/*
 * May this call's work start before its admission (gateway/ledger/spend-estimate.h)?
 * True: call ledger_run_ahead(), then ledger_pay() with *optimistic, or ledger_cancel_optimistic()
 * if the work failed. False: use ledger_admit_and_run().
 */
bool ledger_admit_optimistic(struct ledger *ledger, const struct admission *admission,
                             struct optimistic_admission *optimistic) must_check;
void ledger_cancel_optimistic(struct ledger *ledger, const struct admission *admission);

/*
 * After ledger_admit_optimistic(): run the work and return when it is done. When the ledger is
 * busy, the work of many calls starts together. Errors: ERR_LEDGER_UNAVAILABLE: nothing was
 * started, and neither ledger_pay() nor ledger_cancel_optimistic() may follow.
 */
bool ledger_run_ahead(struct ledger *ledger, const struct admission *admission,
                      const struct continuation *continuation, struct err *err) must_check;

/*
 * Admit and charge, in one transaction, a call whose work is done. True: the charge is committed,
 * so the response may be sent. False: the response must not be sent. Errors: those of
 * ledger_admit() and ledger_capture(), except ERR_DEADLINE_EXCEEDED. The call must not have an
 * Idempotency-Key.
 */
bool ledger_pay(struct ledger *ledger, const struct admission *admission,
                const struct optimistic_admission *optimistic, struct account_snapshot *snapshot,
                struct err *err) must_check;

/* Release the hold; the call no longer counts in the daily quota unless keep_day. Waits at most
 * REFUND_WAIT_MS for the new balance; if the database is unreachable, the hold expires. */
void ledger_void(struct ledger *ledger, const struct uuid *account, const struct uuid *id,
                 bool keep_day, struct account_snapshot *snapshot);

/* Check the token of a request that is rejected before admission; address: the client's. *token_id
 * becomes the token's id if there is such a token, also when it is rejected. Errors: ERR_AUTH_*,
 * ERR_ACCOUNT_*, ERR_IP_NOT_ALLOWED, ERR_LEDGER_UNAVAILABLE. */
bool ledger_check_token(struct ledger *ledger, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                        struct uuid *token_id, struct err *err) must_check;

/* The same for free requests that succeed: a valid token is always checked in the database. True:
 * *facts is filled; the caller frees it. */
bool ledger_ask_token(struct ledger *ledger, const struct uuid *account,
                      const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                      struct uuid *token_id, struct token_facts *facts, struct err *err) must_check;
