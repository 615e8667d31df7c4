/*
 * common/payments/balance-transactions.h - the balance transactions of a Stripe account: each
 * change of its balance. Those that may belong to an order become lines, JSON for
 * reconcile_sides() (gateway/sql/007-orders.sql); all of them are added up by type and currency.
 *
 * Facts from docs.stripe.com/api/balance_transactions/list and /object,
 * docs.stripe.com/reports/balance-transaction-types and /reporting-categories,
 * docs.stripe.com/api/refunds/object and /api/disputes/object, and the types of the npm package
 * stripe, read 2026-11-27:
 *
 * - GET /v1/balance_transactions lists them, newest first, by pages of up to 100. It filters by
 *   created and by type, and expands data.source.
 * - amount is what moved, above 0 into the balance; fee is deducted in addition, net is the
 *   difference. All are in minor units of `currency`, which is the balance's. If the buyer paid in
 *   another currency, the source has that one.
 * - A payment is a charge (by card) or a payment (otherwise); payment_failure_refund and
 *   payment_reversal undo one. A refund is a refund or a payment_refund; refund_failure, or an
 *   adjustment with the refund as its source, undoes one.
 * - A dispute is an adjustment with the dispute as its source: the withdrawal below 0, the
 *   reinstatement above 0. Its fee is in `fee`; some fees are adjustments of the category fee.
 * - A list of a payment that does not exist in the key's mode is an error: resource_missing.
 * - A refund has a balance_transaction, null until it is settled, and a
 *   failure_balance_transaction. A dispute has a list of balance_transactions, empty if no money
 *   moved.
 */
#pragma once

#include "payments/stripe-request.h"

/* Sums and lines stay exact in JSON. */
#define TRANSACTION_AMOUNT_MAX INT64_C(10000000000000)

/* All transactions of one type and currency. */
enum { TRANSACTION_TYPE_BYTES = 64, TRANSACTION_SUMS_MAX = 256 };
struct transaction_sum {
    char type[TRANSACTION_TYPE_BYTES];
    char currency[CURRENCY_BYTES];
    int64_t count, amount, fee;
};

struct transaction_sums {
    size_t count;
    struct transaction_sum item[TRANSACTION_SUMS_MAX];
};

/* By value; release it with transaction_lines_free(). */
struct transaction_lines {
    struct buf text;               /* JSON texts of lines, each followed by a comma */
    struct transaction_sums *sums; /* of transactions_read(); or NULL */
};

#define TRANSACTION_LINES                  \
    {                                      \
        .text = BUF(TRANSACTION_LINES_MAX) \
    }
enum { TRANSACTION_LINES_MAX = 48 << 20 };

void transaction_lines_free(struct transaction_lines *lines);

/*
 * Read the transactions created from from_s until before to_s. Errors:
 * - ERR_UPSTREAM_UNAVAILABLE: the processor does not respond as it should.
 * - ERR_PAYLOAD_MISMATCH: its lists are wrong: invalid, without an end, with an item twice, or not
 *   the same when they are read by type. The message names the list.
 */
bool transactions_read(const struct stripe_client *client, int64_t from_s, int64_t to_s,
                       int64_t deadline_ms, struct transaction_lines *lines,
                       struct err *err) must_check;

/* Read all transactions of one payment, by its charges, refunds and disputes; a payment that the
 * processor does not know has none. A refund or dispute that counts but has not moved the balance
 * yet is a line with is_unsettled. Errors: the same. */
bool transactions_read_payment(const struct stripe_client *client, const char *payment,
                               int64_t deadline_ms, struct transaction_lines *lines,
                               struct err *err) must_check;

/* ---- for tests ---- */

/* Append the line of a transaction and its source; nothing if it does not belong to a payment.
 * Errors: ERR_PAYLOAD_MISMATCH. */
bool transaction_add_line(const cJSON *transaction, const cJSON *source, struct buf *text,
                          struct err *err) must_check;
