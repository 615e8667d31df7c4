/* portal/payments/payments.c - see payments.h. */
#include "portal/payments/payments.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/os/log.h"
#include "base/table.h"
#include "portal/payments/stripe/signature.h"

#define KEY_FILE    "payments.stripe_key_file"
#define SECRET_FILE "payments.stripe_webhook_secret_file"

/* Stripe takes 30 minutes to 24 hours, counted from when it makes the session: some room at both
 * ends, for tries and clocks. */
enum { TTL_MIN_S = 2400, TTL_MAX_S = 82800 };

enum { FOLLOWED_MAX = 2 };

/* What a reload replaces. */
struct keys {
    char key[STRIPE_KEY_BYTES];
    bool is_live;
    char *lines; /* what secrets points into */
    struct signing_secrets secrets;
};

struct payments {
    struct portal *portal;
    const struct provider *provider; /* who sells; NULL: none */
    const struct provider *followed[FOLLOWED_MAX + 1];
    bool is_live;          /* the key of Stripe's */
    pthread_rwlock_t lock; /* guards keys */
    struct keys keys;
    atomic_int places[PLACES];
    struct payments_counters counters;
};

/* ---- keys ---- */

static void wipe_keys(struct keys *keys)
{
    if (keys->lines)
        explicit_bzero(keys->lines, strlen(keys->lines));
    mem_free(&keys->lines);
    explicit_bzero(keys, sizeof(*keys));
}

static const struct key_kind {
    const char *prefix;
    bool is_live;
} key_kinds[] = {
    { "rk_live_", true },
    { "sk_live_", true },
    { "rk_test_", false },
    { "sk_test_", false },
};

static bool take_key(const char *text, struct keys *keys, struct err *err)
{
    for (size_t i = 0; i < countof(key_kinds); i++)
        if (text_begins(text_of(text), key_kinds[i].prefix) && event_is_id(text_of(text))) {
            keys->is_live = key_kinds[i].is_live;
            snprintf(keys->key, sizeof(keys->key), "%s", text);
            return true;
        }
    return err_set(err, ERR_INVALID_VALUE,
                   KEY_FILE ": it must be one line that begins with rk_live_, rk_test_, sk_live_ "
                            "or sk_test_");
}

static bool read_key(const struct conf *conf, struct keys *keys, struct err *err)
{
    char *text = NULL;
    if (!conf_secret(conf, KEY_FILE, &text, err))
        return false;
    bool ok = take_key(text, keys, err);
    explicit_bzero(text, strlen(text));
    mem_free(&text);
    return ok;
}

static bool read_secrets(const struct conf *conf, struct keys *keys, struct err *err)
{
    struct err why = { 0 };
    return conf_secret(conf, SECRET_FILE, &keys->lines, err) &&
           (signing_secrets_read(text_of(keys->lines), &keys->secrets, &why) ||
            err_set(err, ERR_INVALID_VALUE, SECRET_FILE ": %s", why.message));
}

static bool read_keys(const struct conf *conf, struct keys *keys, struct err *err)
{
    return read_key(conf, keys, err) && read_secrets(conf, keys, err);
}

bool payments_reload(struct portal *portal, struct err *err)
{
    scoped(wipe_keys) struct keys keys = { 0 };
    struct payments *payments = portal->payments;
    if (!payments_find(payments, stripe_provider.name))
        return true;
    if (!read_keys(portal->conf, &keys, err))
        return false;
    if (keys.is_live != payments->is_live)
        return err_set(err, ERR_INVALID_VALUE,
                       KEY_FILE ": a key of the other mode is taken by a restart alone");
    pthread_rwlock_wrlock(&payments->lock);
    struct keys old = payments->keys;
    payments->keys = keys;
    pthread_rwlock_unlock(&payments->lock);
    keys = old;
    return true;
}

void payments_key(struct payments *payments, char key[static STRIPE_KEY_BYTES])
{
    pthread_rwlock_rdlock(&payments->lock);
    memcpy(key, payments->keys.key, STRIPE_KEY_BYTES);
    pthread_rwlock_unlock(&payments->lock);
}

bool payments_check_signature(struct payments *payments, const char *header, struct text body,
                              int64_t now_s, struct err *err)
{
    pthread_rwlock_rdlock(&payments->lock);
    bool ok = signature_check(header, body, &payments->keys.secrets, now_s, err);
    pthread_rwlock_unlock(&payments->lock);
    return ok;
}

/* ---- where nobody else is ---- */

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

/* Does public_url name a place that no customer reaches: this machine, or a name for tests? */
static bool is_private_place(const char *public_url)
{
    struct text host = host_of(public_url);
    return text_is_any_case(host, "localhost") || ends_in(host, ".test") || is_loopback(host);
}

static bool check_place(const struct payments *payments, const struct provider *provider,
                        struct err *err)
{
    const struct portal *portal = payments->portal;
    if (payments_are_live(payments, provider) || is_private_place(portal->public_url))
        return true;
    if (provider == &test_provider)
        return err_set(err, ERR_INVALID_VALUE,
                       "payments.provider test sells credits for nothing: gateway.public_url must "
                       "be of localhost or end in .test");
    return conf_bool(portal->conf, "payments.test_key_ok") ||
           err_set(err, ERR_INVALID_VALUE,
                   KEY_FILE " has a test key, which sells credits for card 4242: use a live key, "
                            "or set payments.test_key_ok");
}

/* ---- start and end ---- */

static const struct provider none = { .name = "none" };
static const struct provider *const providers[] = { &none, &test_provider, &stripe_provider };

static bool find_provider(struct payments *payments, struct err *err)
{
    const char *name = conf_str(payments->portal->conf, "payments.provider");
    for (size_t i = 0; i < countof(providers); i++)
        if (strcmp(providers[i]->name, name) == 0) {
            payments->provider = providers[i] == &none ? NULL : providers[i];
            return true;
        }
    return err_set(err, ERR_INVALID_VALUE, "payments.provider must be none, test or stripe");
}

/* Requests go to paths below the one, buyers to those below the other. */
static bool check_url(const struct conf *conf, const char *key, struct err *err)
{
    struct text url = text_of(conf_str(conf, key));
    return (text_begins(url, "https://") && url.size > strlen("https://") &&
            url.bytes[url.size - 1] != '/' && !strpbrk(url.bytes, "?# \"<>\\")) ||
           err_set(err, ERR_INVALID_VALUE, "%s must begin with https:// and end without a slash",
                   key);
}

static bool open_stripe(struct payments *payments, struct err *err)
{
    const struct conf *conf = payments->portal->conf;
    if (!check_url(conf, "payments.stripe_url", err) ||
        !check_url(conf, "payments.stripe_checkout_origin", err) ||
        !read_keys(conf, &payments->keys, err))
        return false;
    payments->is_live = payments->keys.is_live;
    return true;
}

static bool open_provider(struct payments *payments, const struct provider *provider,
                          struct err *err)
{
    size_t count = 0;
    while (payments->followed[count])
        count++;
    if ((provider == &stripe_provider && !open_stripe(payments, err)) ||
        !check_place(payments, provider, err))
        return false;
    payments->followed[count] = provider;
    return true;
}

/* Stripe's keys may still be here, or never were: that keeps nobody from starting. */
static void follow_stripe(struct payments *payments)
{
    struct err err = { 0 };
    const char *file = conf_str(payments->portal->conf, KEY_FILE);
    if (payments->provider == &stripe_provider || !file[0] || access(file, F_OK) != 0)
        return;
    bool ok = open_provider(payments, &stripe_provider, &err);
    if (!ok)
        wipe_keys(&payments->keys);
    log_line(LOG_INFO, ok ? "orders of stripe are followed" : "orders of stripe are not followed",
             log_str("why", ok ? NULL : err.message));
}

static bool read_conf(struct payments *payments, struct err *err)
{
    int64_t ttl_s = payments_ttl_s(payments);
    if (ttl_s < TTL_MIN_S || ttl_s > TTL_MAX_S)
        return err_set(err, ERR_INVALID_VALUE, "payments.order_ttl_s must be %d to %d", TTL_MIN_S,
                       TTL_MAX_S);
    if (!find_provider(payments, err) ||
        (payments->provider && !open_provider(payments, payments->provider, err)))
        return false;
    follow_stripe(payments);
    return true;
}

bool payments_open(struct portal *portal, struct err *err)
{
    struct payments *payments = mem_new(sizeof(*payments));
    payments->portal = portal;
    pthread_rwlock_init(&payments->lock, NULL);
    portal->payments = payments;
    return read_conf(payments, err);
}

void payments_close(struct portal *portal)
{
    struct payments *payments = portal->payments;
    if (!payments)
        return;
    wipe_keys(&payments->keys);
    pthread_rwlock_destroy(&payments->lock);
    mem_free(&portal->payments);
}

void payments_count(struct payments *payments, struct metrics *metrics)
{
    static const char *const webhooks[] = { "stored", "known", "ignored", "refused", "unstored" };
    static const char *const reads[] = { "applied", "stale", "failed" };
    static const char *const creates[] = { "opened", "no_answer", "refused" };
    struct payments_counters *counters = &payments->counters;
    for (size_t i = 0; i < countof(webhooks); i++)
        counters->webhooks[i] =
            metrics_counter(metrics, "webhooks_total", "What processors told, by what became of it",
                            (struct labels){ "result", webhooks[i] });
    for (size_t i = 0; i < countof(reads); i++)
        counters->reads[i] =
            metrics_counter(metrics, "payment_reads_total", "Orders read back from the processor",
                            (struct labels){ "result", reads[i] });
    for (size_t i = 0; i < countof(creates); i++)
        counters->creates[i] =
            metrics_counter(metrics, "payment_creates_total", "Payment pages asked for",
                            (struct labels){ "result", creates[i] });
    counters->missed = metrics_counter(metrics, "payment_events_missed_total",
                                       "Events that no webhook brought", NO_LABELS);
    counters->given_up = metrics_counter(metrics, "orders_given_up_total",
                                         "Orders that nobody could read for three days", NO_LABELS);
}

/* ---- what it is ---- */

struct portal *payments_portal(const struct payments *payments)
{
    return payments->portal;
}

const struct provider *payments_processor(const struct payments *payments)
{
    return payments->provider;
}

const struct payments_counters *payments_counters(const struct payments *payments)
{
    return &payments->counters;
}

const struct provider *payments_followed(const struct payments *payments, size_t i)
{
    return payments->followed[i];
}

const struct provider *payments_find(const struct payments *payments, const char *name)
{
    size_t i = 0;
    while (payments->followed[i] && strcmp(payments->followed[i]->name, name) != 0)
        i++;
    return payments->followed[i];
}

bool payments_are_live(const struct payments *payments, const struct provider *provider)
{
    return provider == &stripe_provider && payments->is_live;
}

int64_t payments_ttl_s(const struct payments *payments)
{
    return conf_int(payments->portal->conf, "payments.order_ttl_s");
}

/* ---- places ---- */

bool payments_enter(struct payments *payments, enum payments_place place)
{
    if (atomic_fetch_add(&payments->places[place], 1) < PLACES_OF_KIND)
        return true;
    payments_leave(payments, place);
    return false;
}

void payments_leave(struct payments *payments, enum payments_place place)
{
    atomic_fetch_sub(&payments->places[place], 1);
}
