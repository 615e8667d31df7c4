/*
 * portal/payments/payments.h - the process's payment providers, their keys, limits on concurrent
 * requests, and counters.
 *
 * One provider sells: payments.provider. Orders outlive a change of it, since refunds and disputes
 * come months later. So a provider that no longer sells is still followed while its keys are
 * configured: its orders are read and its webhooks accepted.
 *
 * Metrics: tollgate_webhooks_total{result}, tollgate_payment_order_reads_total{result},
 * tollgate_payment_page_requests_total{result}, tollgate_payment_events_missed_total,
 * tollgate_orders_abandoned_total. From the database: tollgate_payment_event_oldest_age_seconds,
 * tollgate_orders_in_review, tollgate_orders_paid_last_day,
 * tollgate_credits_sold_last_day, tollgate_invoice_oldest_unnumbered_age_seconds,
 * tollgate_orders_mismatched, tollgate_credits_owed, tollgate_payment_reconciliation_age_seconds,
 * tollgate_payment_balance_differing_orders, tollgate_payment_balance_difference{currency},
 * tollgate_payment_balance_last_success_timestamp_seconds.
 */
#pragma once

#include "portal/base/portal.h"
#include "portal/payments/provider/provider.h"

enum webhook_result {
    WEBHOOK_STORED,
    WEBHOOK_KNOWN,
    WEBHOOK_IGNORED,  /* a type that is not about orders */
    WEBHOOK_REJECTED, /* unsigned, stale, or of the other mode */
    WEBHOOK_UNSTORED, /* the database failed or all places are taken; Stripe sends it again */
    WEBHOOK_RESULTS
};

enum read_result { READ_APPLIED, READ_STALE, READ_FAILED, READ_RESULTS };

/* Make portal->payments from payments.*. Errors: ERR_INVALID_VALUE, also for a test key or provider
 * on a portal that customers can reach, since it sells credits without money. */
bool payments_open(struct portal *portal, struct err *err) must_check;
void payments_close(struct portal *portal);

/* Read the key and the webhook secrets again. On an error the old ones stay. */
bool payments_reload(struct portal *portal, struct err *err) must_check;

/* Register the counters. */
void payments_count(struct portal *portal, struct metrics *metrics);

/* ---- for the files of this folder ---- */

struct payments_counters {
    struct counter *webhooks[WEBHOOK_RESULTS];
    struct counter *reads[READ_RESULTS];
    struct counter *creates[CREATE_REJECTED + 1];
    struct counter *missed;
    struct counter *given_up;
};

const struct provider *payments_processor(const struct portal *portal); /* NULL: nothing is sold */
const struct payments_counters *payments_counters(const struct portal *portal);

/* The followed providers, the one that sells first. NULL past the end. */
const struct provider *payments_followed(const struct portal *portal, size_t i);

/* The followed one of this name, or NULL. */
const struct provider *payments_find(const struct portal *portal, const char *name);

/* Does real money move? Its key decides. */
bool payments_are_live(const struct portal *portal, const struct provider *provider);

int64_t payments_ttl_s(const struct portal *portal);

/* Limits of work at the same time: PLACES_OF_KIND of each kind. */
enum payments_place {
    PLACE_ASKING,  /* a page waits for the processor */
    PLACE_WEBHOOK, /* an event is stored */
    PLACES,
};
enum { PLACES_OF_KIND = 8 };

/* Take a place; false: all are taken. Leave it afterwards. */
bool payments_enter(struct portal *portal, enum payments_place place);
void payments_leave(struct portal *portal, enum payments_place place);
