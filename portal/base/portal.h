/*
 * portal/base/portal.h - what all requests of this process share. Filled by main.c before the first
 * request; only what is marked changes afterwards.
 */
#pragma once

#include <stdatomic.h>

#include "admin/metrics.h"
#include "base/codec/cidr.h"
#include "db/pool.h"
#include "text/conf.h"
#include "web/status.h"

struct assets;
struct egress;
struct gateways;
struct mail_hosts;
struct hash_queue;
struct payments;
struct places;
struct secrets;
struct catalog_cache;
struct stripe_keys;
struct templates;
struct disposable_domains;

struct portal {
    const struct conf *conf;
    struct cidrs trusted_proxies; /* whose X-Forwarded-* is believed */
    const char *public_url;       /* https://api.example.com, without a slash at its end */
    const char *contact;          /* who is asked for help; "": nobody is named */
    struct secrets *secrets;
    struct hash_queue *hash_queue;
    struct mail_hosts *mail_hosts; /* where mail for a domain goes: entry/mail-hosts.h */
    struct disposable_domains *disposable_domains; /* may not sign up: entry/disposable-domains.h */
    struct pool *pool;
    struct egress *egress; /* the way out: the relay, gateways */
    struct templates *pages;
    struct catalog_cache *catalog; /* the tools on sale: public/catalog-cache.h */
    /* Downloads under way, one of each account at most. Counted in each portal by itself, because
     * they take its own memory and connections. */
    struct places *exports;
    struct gateways *gateways;       /* where the playground calls: playground/gateways.h */
    struct payments *payments;       /* who takes money: payments/payments.h */
    struct stripe_keys *stripe_keys; /* payments/stripe/keys.h; NULL: they are not here */
    struct assets *assets;           /* files below /static/ */
    struct metrics *metrics;
    struct counter *responses[STATUS_CLASSES];
    struct histogram *seconds;  /* from a page's request to its answer */
    struct counter *signups[2]; /* accounts opened, with their grant and (1) without */
    struct counter *distrusted; /* requests that no edge of ours lets through */
    atomic_bool is_draining;    /* changes: answers say Connection: close */
};

/* Is there a relay for mail? */
bool portal_sends_mail(const struct portal *portal);

/* The processor that sells credits: "none", "test" or "stripe". Does one sell? */
const char *portal_provider(const struct portal *portal);
bool portal_sells(const struct portal *portal);

/* Whom people are to ask: portal.contact, or "the operator". */
const char *portal_contact(const struct portal *portal);
