/*
 * common/payments/reconcile.h - compare the entries, the orders and the balance of the payment
 * processor, to the minor unit of each currency.
 *
 * 1. Read the balance transactions of the window (balance-transactions.h).
 * 2. reconcile_sides() compares them with the orders that they belong to, and with the orders that
 *    have changed since the window began (gateway/sql/007-orders.sql).
 * 3. Orders that differ, or are older than the window, are compared once more, with all
 *    transactions of their payments.
 *
 * What still differs is a difference, unless the order was paid, or the processor has moved its
 * money, within the lag: one of both may not have seen it yet.
 */
#pragma once

#include "db/sql.h"
#include "payments/balance-transactions.h"

/* Where the orders are. rows: sql_rows() or pool_rows(). */
struct reconcile_database {
    void *handle;
    bool (*rows)(void *handle, const char *statement, struct sql_params params, cJSON *list,
                 struct err *err);
};

struct reconcile_task {
    const struct stripe_client *client;
    struct reconcile_database database;
    const char *provider; /* purchase_order.provider */
    bool is_live;         /* the mode of the client's key. Live: each order must have brought money.
                           * Test: only orders of tests are compared. */
    int64_t live_since_s; /* live: tests that were paid before are not compared; 0: none were */
    int64_t from_s, to_s; /* Unix time; to_s is not included */
    int64_t lag_s;
    int64_t deadline_ms; /* by clock_ms() */
};

/* By value; release it with reconcile_report_free(). Amounts are in minor units. */
struct reconcile_report {
    /* {order, number, account, payment, what, currency, ledger, processor, difference}. number and
     * account are null if the processor names an order that does not exist. The difference is
     * processor minus ledger. what: paid, refunded, disputed, or credits: then ledger has the
     * entries, and processor what the order's amounts require. */
    cJSON *differences;
    cJSON *totals;       /* {what, currency, orders, ledger, processor, difference} */
    cJSON *transactions; /* {currency, type, count, amount, fee, net} */
    cJSON *balances;     /* {currency, orders, other, total}: whose the amounts are */
    int64_t recent;      /* orders that differ, but are left out because of the lag */
    int64_t
        other_mode; /* orders of the window that are not compared: with a live key, tests that
                     * gave no credits or are older than live_since_s; with a test key, others */
};

void reconcile_report_free(struct reconcile_report *report);

/* The setting payments.live_since, UTC without an offset; "": 0. Errors: ERR_INVALID_VALUE. */
bool reconcile_read_live_since(const char *value, int64_t *at_s, struct err *err) must_check;

/*
 * Compare a window. Errors: those of transactions_read(), and the database's. Then the report is
 * not complete. The caller holds no database connection that others need.
 */
bool reconcile_compare(const struct reconcile_task *task, struct reconcile_report *report,
                       struct err *err) must_check;

/* Compare orders again, rows {order_id, account_id, payments}, with all transactions of these
 * payments. A row may have `lines`, those of a window that were read before. from_s and to_s are
 * not used. */
bool reconcile_compare_orders(const struct reconcile_task *task, const cJSON *orders,
                              struct reconcile_report *report, struct err *err) must_check;
