/*
 * gateway/ledger/ledger.h - credits: admit a call, settle it, exactly once whatever dies in
 * between.
 *
 * One thread owns the connections to PostgreSQL. The threads of calls hand it items and wait; it
 * sends everything that waits as one transaction (gateway/sql/002-ledger.sql). Under light load a
 * batch is one call; under load it grows by itself. Items of an account whose row somebody else
 * holds for longer than 50 ms are put off and the others go on. What it refused a moment ago is
 * refused again from memory where the answer cannot have changed (gateway/ledger/refusals.h).
 *
 * What happens when the answer of the database is lost: the item is sent again under its id and
 * meets what it did before. When its waiter has left in the meantime it goes back as a cancel, so
 * that nobody pays for an answer he did not get.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "admin/metrics.h"
#include "base/buf.h"
#include "base/err.h"
#include "gateway/ledger/admission.h"

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

/* Is nothing waiting to be settled, and nothing under way? */
bool ledger_is_settled(struct ledger *ledger);

/* Settle what is queued (at most timeout_ms), then end the thread. A charge that is still unknown
 * then is logged, by account and id, for `tollctl ledger settle`. */
void ledger_stop(struct ledger **ledger);

/* Is a connection up? */
bool ledger_is_ready(struct ledger *ledger);

/* Why PostgreSQL, which answers, does not write for us: as it said in the last ten seconds; else
 * NULL. Such batches are tried again and again, their callers told ERR_LEDGER_UNAVAILABLE. */
const char *ledger_degraded_reason(struct ledger *ledger);

/*
 * Admit a call. True: the hold is durable; or *kept holds the answer of the same call made before,
 * and there is no hold. Errors: the 402, 403, 409, 422 and 429 codes of the account, with *standing
 * filled as far as it is known; ERR_LEDGER_UNAVAILABLE within timeout_ms.
 */
bool ledger_admit(struct ledger *ledger, const struct admission *admission,
                  struct account_snapshot *snapshot, struct kept_answer *kept,
                  struct err *err) must_check;

/*
 * Admit a call, run its sequel, and return when that has ended: the ledger's thread itself starts
 * it as soon as the hold is durable, so that the caller, who sleeps, is woken once and not twice.
 * As ledger_admit(); where it errs, or *kept holds an answer, nothing was started.
 */
bool ledger_admit_and_run(struct ledger *ledger, const struct admission *admission,
                          const struct continuation *continuation,
                          struct account_snapshot *snapshot, struct kept_answer *kept,
                          struct err *err) must_check;

struct capture {
    struct uuid account;
    struct uuid id;
    /* With a key: what is kept for it. NULL headers: that it was answered; headers without a body:
     * that it may be asked for again and runs anew. */
    const char *headers;
    struct text body;
};

/*
 * Charge the hold. True: the charge is durable and the answer may be sent. False: it must not be
 * sent. ERR_DEADLINE_EXCEEDED (the hold had expired), ERR_LEDGER_UNAVAILABLE and ERR_INTERNAL: it
 * is not charged and never will be, whatever dies next. ERR_OUTCOME_UNKNOWN: the answer of the
 * database was lost, and what was perhaps charged goes back as soon as the ledger can be reached,
 * unless its answer was replayed for its key meanwhile; but if this process ends before, it stays
 * charged until `tollctl ledger settle`. Takes at most timeout_ms and a moment.
 */
bool ledger_capture(struct ledger *ledger, const struct capture *capture,
                    struct account_snapshot *snapshot, struct err *err) must_check;

/*
 * May this call's work begin before it is paid (gateway/ledger/spend-estimate.h)? True: *advance is
 * for ledger_pay(), which must follow ledger_run_ahead(), or ledger_cancel_optimistic() when the
 * work has failed. False: ask ledger_admit_and_run().
 */
bool ledger_admit_optimistic(struct ledger *ledger, const struct admission *admission,
                             struct optimistic_admission *optimistic) must_check;
void ledger_cancel_optimistic(struct ledger *ledger, const struct admission *admission);

/*
 * After ledger_admit_optimistic(): run the work, and return when it has ended. Where the ledger is
 * busy the work of many begins together. Errors: ERR_LEDGER_UNAVAILABLE, then nothing was started
 * and nothing is to follow.
 */
bool ledger_run_ahead(struct ledger *ledger, const struct admission *admission,
                      const struct continuation *continuation, struct err *err) must_check;

/*
 * Admit a call whose work is done, and charge it, in one. True: the charge is durable and the
 * answer may be sent. False: it must not be sent. Errors: those of ledger_admit() and of
 * ledger_capture(), which mean the same; its time cannot be over. It has no Idempotency-Key.
 */
bool ledger_pay(struct ledger *ledger, const struct admission *admission,
                const struct optimistic_admission *optimistic, struct account_snapshot *snapshot,
                struct err *err) must_check;

/* Give the held credits back; the day's call too unless keep_day. Waits a moment for the new
 * balance; when the database is away the hold expires by itself. */
void ledger_void(struct ledger *ledger, const struct uuid *account, const struct uuid *id,
                 bool keep_day, struct account_snapshot *snapshot);

/* Who asks, for requests refused before admission: ERR_AUTH_*, ERR_ACCOUNT_* or
 * ERR_LEDGER_UNAVAILABLE. */
bool ledger_check_token(struct ledger *ledger, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], struct err *err) must_check;

/* The same for requests that cost nothing and are answered: that a token is good is not believed
 * from memory. True: *facts is filled, and the caller's to free. */
bool ledger_ask_token(struct ledger *ledger, const struct uuid *account,
                      const uint8_t token[static DIGEST_BYTES], struct token_facts *facts,
                      struct err *err) must_check;
