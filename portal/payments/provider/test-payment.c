/*
 * portal/payments/provider/test-payment.c - the provider `test`: no money moves. The buyer's choice
 * is a row of test_payment with the status open, complete (paid from paid_after on), failed or
 * expired.
 */
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "portal/base/portal.h"
#include "portal/payments/provider/provider.h"

#define PREFIX "test_"

static enum create_end create_checkout(struct portal *portal, const struct purchase *purchase,
                                       struct checkout *checkout, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!pool_row(portal->pool,
                  "insert into test_payment (order_id, status) values ($1, 'open')"
                  " on conflict do nothing",
                  SQL_PARAMS(purchase->order_id), row, err))
        return CREATE_NO_ANSWER;
    snprintf(checkout->session, sizeof(checkout->session), PREFIX "%s", purchase->order_id);
    snprintf(checkout->url, sizeof(checkout->url), "/portal/test-checkout/%s", purchase->order_id);
    checkout->expires_s = purchase->expires_s;
    return CREATE_OPENED;
}

/* ---- reading ---- */

/* A row's status, as status of the checkout and its payment. */
static const struct way {
    const char *name; /* from read_sql */
    const char *status, *paid, *intent;
} ways[] = {
    { "open", "open", "unpaid", "" },
    { "paid", "complete", "paid", "succeeded" },
    { "later", "complete", "unpaid", "processing" },
    { "failed", "complete", "unpaid", "requires_payment_method" },
    { "expired", "expired", "unpaid", "" },
};

static const char read_sql[] =
    "select case when status = 'complete' and paid_after > now_at then 'later'"
    "            when status = 'complete' then 'paid'"
    "            when status = 'open' and to_timestamp($2::bigint) <= now_at then 'expired'"
    "            else status end as way, refunded, disputed, lost"
    "  from test_payment, ledger_now() now_at where order_id = $1";

static bool read_order(struct portal *portal, const struct purchase *purchase, struct facts *facts,
                       struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char expires[24];
    snprintf(expires, sizeof(expires), "%lld", (long long)purchase->expires_s);
    if (!pool_row(portal->pool, read_sql, SQL_PARAMS(purchase->order_id, expires), row, err))
        return false;
    const char *name = json_text(row, "/way");
    const struct way *way = name ? TABLE_FIND(ways, name) : NULL;
    if (!way)
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "this test payment does not exist");
    struct facts read = { .status = way->status,
                          .paid = way->paid,
                          .amount = purchase->amount,
                          .refunded = json_integer(row, "refunded"),
                          .disputed = json_integer(row, "disputed"),
                          .lost = json_integer(row, "lost") };
    snprintf(read.currency, sizeof(read.currency), "%s", purchase->currency);
    snprintf(read.order_id, sizeof(read.order_id), "%s", purchase->order_id);
    snprintf(read.session, sizeof(read.session), "%s", purchase->session);
    snprintf(read.intent_status, sizeof(read.intent_status), "%s", way->intent);
    if (way->intent[0])
        snprintf(read.payment, sizeof(read.payment), PREFIX "payment_%s", purchase->order_id);
    *facts = read;
    return true;
}

static void expire_checkout(struct portal *portal, const struct purchase *purchase)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    if (!pool_row(
            portal->pool,
            "update test_payment set status = 'expired' where order_id = $1 and status = 'open'",
            SQL_PARAMS(purchase->order_id), row, &err))
        return; /* the next read has the result */
}

const struct provider test_provider = {
    .name = "test",
    .create = create_checkout,
    .read = read_order,
    .expire = expire_checkout,
};
