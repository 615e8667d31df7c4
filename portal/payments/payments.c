/* portal/payments/payments.c - see payments.h. */
#include "portal/payments/payments.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/os/log.h"
#include "base/table.h"
#include "payments/reconcile.h"
#include "portal/payments/invoicing.h"
#include "portal/payments/stripe/keys.h"

/* Stripe allows 30 minutes to 24 hours from the creation of the session. The margin at both ends is
 * for retries and clock differences. */
enum { TTL_MIN_S = 2400, TTL_MAX_S = 82800 };

enum { FOLLOWED_MAX = 2 };

struct payments {
    const struct provider *provider; /* sells; NULL: nothing is sold */
    const struct provider *followed[FOLLOWED_MAX + 1];
    atomic_int places[PLACES];
    struct payments_counters counters;
};

/* ---- is the portal public? ---- */

/* The host of https://host[:port]. */
static struct text host_of(const char *url)
{
    struct text host = text_skip(text_of(url), strlen("https://"));
    bool is_v6 = text_begins(host, "[");
    if (is_v6)
        host = text_skip(host, 1);
    return text_cut(&host, is_v6 ? ']' : ':');
}

static bool ends_in(struct text text, const char *end)
{
    size_t size = strlen(end);
    return text.size > size &&
           text_is_any_case((struct text){ text.bytes + text.size - size, size }, end);
}

static bool is_loopback(struct text host)
{
    struct in6_addr address;
    if (!address_parse(host, &address))
        return false;
    return IN6_IS_ADDR_LOOPBACK(&address) ||
           (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127);
}

/* Is public_url unreachable for customers: this machine, or a name in .test? */
static bool is_private_place(const char *public_url)
{
    struct text host = host_of(public_url);
    return text_is_any_case(host, "localhost") || ends_in(host, ".test") || is_loopback(host);
}

static bool check_place(const struct portal *portal, const struct provider *provider,
                        struct err *err)
{
    if (payments_are_live(portal, provider) || is_private_place(portal->public_url))
        return true;
    if (provider == &test_provider)
        return err_set(err, ERR_INVALID_VALUE,
                       "payments.provider test sells credits without money: the host of "
                       "gateway.public_url must be localhost or end in .test");
    return conf_bool(portal->conf, "payments.allow_test_key") ||
           err_set(err, ERR_INVALID_VALUE,
                   STRIPE_KEY_FILE
                   " has a test key, which sells credits for card 4242: use a live key, "
                   "or set payments.allow_test_key");
}

/* ---- start and end ---- */

static const struct provider none = { .name = "none" };
static const struct provider *const providers[] = { &none, &test_provider, &stripe_provider };

static bool find_provider(struct portal *portal, struct err *err)
{
    for (size_t i = 0; i < countof(providers); i++)
        if (strcmp(providers[i]->name, portal_provider(portal)) == 0) {
            portal->payments->provider = providers[i] == &none ? NULL : providers[i];
            return true;
        }
    return err_set(err, ERR_INVALID_VALUE, "payments.provider must be one of none, test, stripe");
}

static bool open_provider(struct portal *portal, const struct provider *provider, struct err *err)
{
    size_t count = 0;
    while (payments_followed(portal, count))
        count++;
    if ((provider == &stripe_provider &&
         !stripe_keys_load(portal->conf, &portal->stripe_keys, err)) ||
        !check_place(portal, provider, err))
        return false;
    portal->payments->followed[count] = provider;
    return true;
}

/* Follow Stripe if its keys are still configured. Missing or broken keys do not stop the start. */
static void follow_stripe(struct portal *portal)
{
    struct err err = { 0 };
    const char *file = conf_str(portal->conf, STRIPE_KEY_FILE);
    if (payments_processor(portal) == &stripe_provider || !file[0] || access(file, F_OK) != 0)
        return;
    bool ok = open_provider(portal, &stripe_provider, &err);
    if (!ok)
        stripe_keys_free(&portal->stripe_keys);
    log_line(LOG_INFO, ok ? "orders of stripe are followed" : "orders of stripe are not followed",
             log_str("error", ok ? NULL : err.message));
}

bool payments_open(struct portal *portal, struct err *err)
{
    portal->payments = mem_new(sizeof(*portal->payments));
    const struct provider *const *seller = &portal->payments->provider;
    int64_t live_since_s;
    if (!reconcile_read_live_since(conf_str(portal->conf, "payments.live_since"), &live_since_s,
                                   err) ||
        !conf_check_range(portal->conf, "payments.order_ttl_s", TTL_MIN_S, TTL_MAX_S, err) ||
        !invoicing_check(portal->conf, err) || !find_provider(portal, err) ||
        (*seller && !open_provider(portal, *seller, err)))
        return false;
    follow_stripe(portal);
    return true;
}

void payments_close(struct portal *portal)
{
    stripe_keys_free(&portal->stripe_keys);
    mem_free(&portal->payments);
}

bool payments_reload(struct portal *portal, struct err *err)
{
    return !payments_find(portal, stripe_provider.name) ||
           stripe_keys_reload(portal->stripe_keys, portal->conf, err);
}

void payments_count(struct portal *portal, struct metrics *metrics)
{
    static const char *const webhooks[] = { "stored", "known", "ignored", "rejected", "unstored" };
    static const char *const reads[] = { "applied", "stale", "failed" };
    static const char *const creates[] = { "opened", "no_response", "rejected" };
    struct payments_counters *counters = &portal->payments->counters;
    for (size_t i = 0; i < countof(webhooks); i++)
        counters->webhooks[i] =
            metrics_counter(metrics, "tollgate_webhooks_total", "Webhooks received, by result",
                            (struct labels){ "result", webhooks[i] });
    for (size_t i = 0; i < countof(reads); i++)
        counters->reads[i] = metrics_counter(metrics, "tollgate_payment_order_reads_total",
                                             "Orders read back from the processor",
                                             (struct labels){ "result", reads[i] });
    for (size_t i = 0; i < countof(creates); i++)
        counters->creates[i] = metrics_counter(metrics, "tollgate_payment_page_requests_total",
                                               "Payment pages requested from the processor",
                                               (struct labels){ "result", creates[i] });
    counters->missed = metrics_counter(metrics, "tollgate_payment_events_missed_total",
                                       "Events that no webhook delivered", NO_LABELS);
    counters->given_up = metrics_counter(metrics, "tollgate_orders_abandoned_total",
                                         "Orders that could not be read for 3 days", NO_LABELS);
}

/* ---- providers ---- */

const struct provider *payments_processor(const struct portal *portal)
{
    return portal->payments->provider;
}

const struct payments_counters *payments_counters(const struct portal *portal)
{
    return &portal->payments->counters;
}

const struct provider *payments_followed(const struct portal *portal, size_t i)
{
    return portal->payments->followed[i];
}

const struct provider *payments_find(const struct portal *portal, const char *name)
{
    size_t i = 0;
    while (portal->payments->followed[i] && strcmp(portal->payments->followed[i]->name, name) != 0)
        i++;
    return portal->payments->followed[i];
}

bool payments_are_live(const struct portal *portal, const struct provider *provider)
{
    return provider == &stripe_provider && stripe_keys_are_live(portal->stripe_keys);
}

int64_t payments_ttl_s(const struct portal *portal)
{
    return conf_int(portal->conf, "payments.order_ttl_s");
}

/* ---- places ---- */

bool payments_enter(struct portal *portal, enum payments_place place)
{
    if (atomic_fetch_add(&portal->payments->places[place], 1) < PLACES_OF_KIND)
        return true;
    payments_leave(portal, place);
    return false;
}

void payments_leave(struct portal *portal, enum payments_place place)
{
    atomic_fetch_sub(&portal->payments->places[place], 1);
}
