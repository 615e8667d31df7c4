/* portal/payments/hook.c - see hook.h. */
#include "portal/payments/hook.h"

#include "base/os/clock.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "portal/page/envelope.h"
#include "portal/payments/inbox.h"
#include "portal/payments/payments.h"
#include "portal/payments/stripe/keys.h"

#define SIGNATURE "Stripe-Signature"

static bool check_request(const struct http_request *request, struct err *err)
{
    if (request->is_body_too_large)
        return err_set(err, ERR_BODY_TOO_LARGE, "an event must have at most %d bytes",
                       EVENT_MAX_BYTES);
    return !http_header_differs(request, SIGNATURE) ||
           err_set(err, ERR_SIGNATURE_INVALID, "the header " SIGNATURE " occurs twice");
}

static bool check_event(struct visit *visit, struct event *event, struct err *err)
{
    struct portal *portal = visit->portal;
    const struct http_request *request = visit->request;
    if (!check_request(request, err) ||
        !stripe_check_signature(portal->stripe_keys, http_header(request, SIGNATURE), request->body,
                                clock_wall_ms() / 1000, err) ||
        !event_read(request->body, event, err))
        return false;
    return event->is_live == payments_are_live(portal, &stripe_provider) ||
           err_set(err, ERR_PAYLOAD_MISMATCH,
                   "the event has the other mode (live or test) than the key");
}

static bool store_event(struct visit *visit, const struct event *event, bool *is_new,
                        struct err *err)
{
    struct portal *portal = visit->portal;
    scoped(pool_give) struct sql *sql = NULL;
    if (!payments_enter(portal, PLACE_WEBHOOK))
        return err_set(err, ERR_OVERLOADED, "too many events arrive at the moment; send it again");
    bool ok = pool_take(portal->pool, &sql, err) &&
              inbox_add(sql, stripe_provider.name, event, visit->request->body, is_new, err);
    payments_leave(portal, PLACE_WEBHOOK);
    return ok;
}

static void respond_to_event(struct visit *visit, const struct event *event,
                             enum webhook_result result, struct err *err)
{
    counter_add(payments_counters(visit->portal)->webhooks[result], 1);
    if (result == WEBHOOK_REJECTED || result == WEBHOOK_UNSTORED)
        log_line(LOG_WARN, "webhook rejected", log_str("error", err->message));
    else
        log_line(LOG_INFO, "webhook received", log_str("event_id", event->id),
                 log_str("event_type", event->type),
                 log_str("order_id", event->order_id[0] ? event->order_id : NULL));
    if (err->kind == ERR_LEDGER_UNAVAILABLE) /* the database's own message is for the log only */
        err_set(err, ERR_LEDGER_UNAVAILABLE, "the event cannot be stored; send it again");
    if (err->kind != ERR_NONE)
        envelope_error(visit, err);
    else
        envelope_result(visit, NULL);
}

static enum webhook_result result_of(const struct event *event, bool is_new)
{
    if (!is_new)
        return WEBHOOK_KNOWN;
    return event->is_ours ? WEBHOOK_STORED : WEBHOOK_IGNORED;
}

void hook_stripe(struct visit *visit)
{
    struct event event = { 0 };
    struct err err = { 0 };
    bool is_new = false;
    if (!payments_find(visit->portal, stripe_provider.name)) {
        err_set(&err, ERR_NOT_FOUND, "this server does not receive Stripe events");
        envelope_error(visit, &err);
    } else if (!check_event(visit, &event, &err)) {
        respond_to_event(visit, &event, WEBHOOK_REJECTED, &err);
    } else if (!store_event(visit, &event, &is_new, &err)) {
        respond_to_event(visit, &event, WEBHOOK_UNSTORED, &err);
    } else {
        FAULT_POINT("event-stored");
        respond_to_event(visit, &event, result_of(&event, is_new), &err);
    }
}
