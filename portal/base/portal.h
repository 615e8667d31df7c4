/*
 * portal/base/portal.h - the state that all requests of this process share. main.c fills it before
 * the first request. Only fields marked "changes" change afterwards.
 */
#pragma once

#include <stdatomic.h>

#include "admin/metrics.h"
#include "base/codec/cidr.h"
#include "db/pool.h"
#include "text/conf.h"
#include "web/status.h"

struct assets;
struct documents;
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
    struct cidrs trusted_proxies; /* their X-Forwarded-* headers are trusted */
    const char *public_url;       /* https://api.example.com, without a trailing slash */
    const char *contact;          /* portal.contact; "": not configured */
    struct secrets *secrets;
    struct hash_queue *hash_queue;
    struct mail_hosts *mail_hosts; /* find a domain's mail hosts: entry/mail-hosts.h */
    struct disposable_domains *disposable_domains; /* may not sign up: entry/disposable-domains.h */
    struct pool *pool;
    struct egress *egress; /* outbound connections to the mail relay and the gateways */
    struct templates *pages;
    struct catalog_cache *catalog; /* the tools on sale: public/catalog-cache.h */
    /* Running downloads, at most one for each account. Each portal has its own limit, because
     * downloads use its memory and connections. */
    struct places *exports;
    struct documents *documents;     /* of connected apps: oauth/clients/documents.h */
    struct gateways *gateways;       /* for the playground: playground/gateways.h */
    struct payments *payments;       /* payments/payments.h */
    struct stripe_keys *stripe_keys; /* payments/stripe/keys.h; NULL: not configured */
    struct assets *assets;           /* the files of /static/ */
    struct metrics *metrics;
    struct counter *responses[STATUS_CLASSES];
    struct histogram *seconds;  /* the duration of page requests */
    struct counter *signups[2]; /* accounts created: [0] with their grant, [1] without */
    struct counter *distrusted; /* requests that our edge would not have forwarded */
    atomic_bool is_draining;    /* changes: responses have Connection: close */
};

/* Is a mail relay configured? */
bool portal_sends_mail(const struct portal *portal);

/* The provider that sells credits: "none", "test" or "stripe". portal_sells(): it is not "none". */
const char *portal_provider(const struct portal *portal);
bool portal_sells(const struct portal *portal);

/* Does the provider add tax to the prices of packs? */
bool portal_adds_tax(const struct portal *portal);

/* The contact for members: portal.contact, or "the operator". */
const char *portal_contact(const struct portal *portal);
