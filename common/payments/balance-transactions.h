/*
 * common/payments/balance-transactions.h - the balance transactions of a Stripe account: each
 * movement of its balance. Those that may belong to an order become lines of JSON for
 * balance_sides() (gateway/sql/007-orders.sql); all of them are added up by type and currency.
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
#define BALANCE_AMOUNT_MAX INT64_C(10000000000000)

/* All transactions of one type and currency. */
enum { BALANCE_TYPE_BYTES = 64, BALANCE_SUMS_MAX = 256 };
struct balance_sum {
    char type[BALANCE_TYPE_BYTES];
    char currency[CURRENCY_BYTES];
    int64_t count, amount, fee;
};

struct balance_sums {
    size_t count;
    struct balance_sum item[BALANCE_SUMS_MAX];
};

/* By value; release it with balance_lines_free(). */
struct balance_lines {
    struct buf text;           /* JSON texts of lines, each followed by a comma */
    struct balance_sums *sums; /* of balance_read(); or NULL */
};

#define BALANCE_LINES                  \
    {                                  \
        .text = BUF(BALANCE_LINES_MAX) \
    }
enum { BALANCE_LINES_MAX = 48 << 20 };

void balance_lines_free(struct balance_lines *lines);

/*
 * Read the transactions created from from_s until before to_s. Errors:
 * - ERR_UPSTREAM_UNAVAILABLE: the processor does not respond as it should.
 * - ERR_PAYLOAD_MISMATCH: its lists are wrong: invalid, without an end, with an item twice, or not
 *   the same when they are read by type. The message names the list.
 */
bool balance_read(const struct stripe_client *client, int64_t from_s, int64_t to_s,
                  int64_t deadline_ms, struct balance_lines *lines, struct err *err) must_check;

/* Read all transactions of one payment, by its charges, refunds and disputes; a payment that the
 * processor does not know has none. A refund or dispute that counts but has not moved the balance
 * yet is a line with is_unsettled. Errors: the same. */
bool balance_read_payment(const struct stripe_client *client, const char *payment,
                          int64_t deadline_ms, struct balance_lines *lines,
                          struct err *err) must_check;

/* ---- for tests ---- */

/* Append the line of a transaction and its source; nothing if it does not belong to a payment.
 * Errors: ERR_PAYLOAD_MISMATCH. */
bool balance_add_line(const cJSON *transaction, const cJSON *source, struct buf *text,
                      struct err *err) must_check;
