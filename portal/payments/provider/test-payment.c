/*
 * portal/payments/provider/test-payment.c - the provider `test`: no money moves, and what the buyer
 * chose on its page is a row of test_payment, whose words are open, complete (the money is there
 * from paid_after on), failed and expired.
 */
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "portal/base/portal.h"
#include "portal/payments/provider/provider.h"

#define PREFIX "test_"

static enum create_end create(struct portal *portal, const struct purchase *purchase,
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

/* The row as a checkout and its payment are told. */
static const struct way {
    const char *name; /* as the statement below has it */
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
    "            else status end as way, refunded, disputed"
    "  from test_payment, ledger_now() now_at where order_id = $1";

static bool read(struct portal *portal, const struct purchase *purchase, struct facts *facts,
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
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "there is no such test payment");
    struct facts read = { .status = way->status,
                          .paid = way->paid,
                          .amount = purchase->amount,
                          .refunded = json_integer(row, "refunded"),
                          .disputed = json_integer(row, "disputed") };
    snprintf(read.currency, sizeof(read.currency), "%s", purchase->currency);
    snprintf(read.order_id, sizeof(read.order_id), "%s", purchase->order_id);
    snprintf(read.session, sizeof(read.session), "%s", purchase->session);
    snprintf(read.intent_status, sizeof(read.intent_status), "%s", way->intent);
    if (way->intent[0])
        snprintf(read.payment, sizeof(read.payment), PREFIX "payment_%s", purchase->order_id);
    *facts = read;
    return true;
}

static void expire(struct portal *portal, const struct purchase *purchase)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    if (!pool_row(
            portal->pool,
            "update test_payment set status = 'expired' where order_id = $1 and status = 'open'",
            SQL_PARAMS(purchase->order_id), row, &err))
        return; /* what is read next decides */
}

const struct provider test_provider = {
    .name = "test",
    .create = create,
    .read = read,
    .expire = expire,
};
