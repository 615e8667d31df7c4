/*
 * portal/payments/payments.h - payments as the process has them: which processor, its keys, who
 * asks it just now, and what is counted.
 *
 * One provider sells, payments.provider. Orders outlive a change of that: refunds and disputes come
 * months later. So a provider that sells no more is followed, read and listened to, as long as
 * its keys are here.
 *
 * Metrics: tollgate_webhooks_total{result}, tollgate_payment_order_reads_total{result},
 * tollgate_payment_page_requests_total{result}, tollgate_payment_events_missed_total,
 * tollgate_orders_abandoned_total, and of the database: tollgate_payment_event_oldest_age_seconds,
 * tollgate_orders_in_review, tollgate_orders_mismatched, tollgate_credits_owed,
 * tollgate_payment_reconciliation_age_seconds.
 */
#pragma once

#include "portal/base/portal.h"
#include "portal/payments/provider/provider.h"

enum webhook_result {
    WEBHOOK_STORED,
    WEBHOOK_KNOWN,
    WEBHOOK_IGNORED,  /* a type that tells nothing of orders */
    WEBHOOK_REFUSED,  /* not signed, stale, of the other mode */
    WEBHOOK_UNSTORED, /* no database, or no place: it comes again */
    WEBHOOK_RESULTS
};

enum read_result { READ_APPLIED, READ_STALE, READ_FAILED, READ_RESULTS };

/*
 * Read payments.*; portal->payments is made with it. Errors: ERR_INVALID_VALUE, also for a key that
 * sells credits without money where others can reach us.
 */
bool payments_open(struct portal *portal, struct err *err) must_check;
void payments_close(struct portal *portal);

/* Read key and webhook secrets again; broken ones keep the old. */
bool payments_reload(struct portal *portal, struct err *err) must_check;

/* Counters, once there are metrics. */
void payments_count(struct portal *portal, struct metrics *metrics);

/* ---- for the files of this room ---- */

struct payments_counters {
    struct counter *webhooks[WEBHOOK_RESULTS];
    struct counter *reads[READ_RESULTS];
    struct counter *creates[CREATE_REFUSED + 1];
    struct counter *missed;
    struct counter *given_up;
};

const struct provider *payments_processor(const struct portal *portal); /* NULL: none sells */
const struct payments_counters *payments_counters(const struct portal *portal);

/* Those that are followed, the one that sells first; NULL past the end. */
const struct provider *payments_followed(const struct portal *portal, size_t i);

/* The followed one of this name, or NULL. */
const struct provider *payments_find(const struct portal *portal, const char *name);

/* Does real money move there? What its key says. */
bool payments_are_live(const struct portal *portal, const struct provider *provider);

int64_t payments_ttl_s(const struct portal *portal);

/* A place to be kept while something is done; at most so many at once of each kind. */
enum payments_place {
    PLACE_ASKING,  /* the processor, for a page */
    PLACE_WEBHOOK, /* storing an event */
    PLACES,
};
enum { PLACES_OF_KIND = 8 };
bool payments_enter(struct portal *portal, enum payments_place place);
void payments_leave(struct portal *portal, enum payments_place place);
