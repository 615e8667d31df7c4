/* common/net/http/fetch.c - requests to customers' targets and to the operator's services. */
#include "net/http/fetch.h"

#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "net/http/exchange.h"
#include "net/http/pool.h"
#include "net/http/transfer.h"

static const struct fetch_options usual_options;

/* A fetch that follows redirects. */
struct redirects {
    struct egress_session *session;
    const struct fetch_options *options;
    CURL *easy;
    CURLM *multi;
    CURLSH *cookies; /* NULL: not kept */
    const char *method;
    struct fetch *fetch;
};

/* ---- one hop ---- */

static bool exchange_hop(const struct redirects *redirects, const struct addresses *addresses,
                         struct fetch_hop *hop, struct err *err)
{
    struct exchange exchange = {
        .egress = egress_session_egress(redirects->session),
        .easy = redirects->easy,
        .multi = redirects->multi,
        .cookies = redirects->cookies,
        .url = hop->target.url,
        .host = &hop->target.host,
        .port = hop->target.port,
        .addresses = addresses,
        .method = redirects->method,
        .options = redirects->options,
        .verifies = true,
        .skips_redirects = redirects->options->max_redirects > 0,
        .deadline_ms = egress_session_deadline_ms(redirects->session),
    };
    enum exchange_end end = exchange_run(&exchange, hop, redirects->fetch, err);
    if (end == EXCHANGE_BAD_CERTIFICATE && !redirects->options->must_verify) {
        exchange.verifies = false;
        end = exchange_run(&exchange, hop, redirects->fetch, err);
    }
    return end == EXCHANGE_ANSWERED;
}

/* Fetch a target, which is taken over, and append the hop. */
static bool fetch_hop_of(const struct redirects *redirects, struct target *target, struct err *err)
{
    struct fetch *fetch = redirects->fetch;
    struct fetch_hop *hop = &fetch->hop[fetch->hop_count];
    struct addresses addresses;
    hop->target = *target;
    *target = (struct target){ 0 };
    fetch->hop_count++;
    buf_free(&fetch->body);
    reservation_free(&fetch->reservation);
    int64_t begin_us = clock_us();
    if (!egress_session_resolve_web(redirects->session, &hop->target, &addresses,
                                    err)) /* checked for each hop */
        return false;
    int64_t dns_us = clock_us() - begin_us;
    if (!exchange_hop(redirects, &addresses, hop, err))
        return false;
    hop->times.dns_us = hop->target.host.is_address ? 0 : dns_us;
    return true;
}

/* ---- redirects ---- */

static bool was_there(const struct fetch *fetch, const struct target *target)
{
    for (size_t i = 0; i < fetch->hop_count; i++)
        if (strcmp(fetch->hop[i].target.url, target->url) == 0)
            return true;
    return false;
}

/*
 * Every redirect that is not allowed has the same error, whatever the reason. Failures at an
 * allowed place have their own errors.
 */
static bool reject_redirect(struct err *err)
{
    bool is_refusal = err->kind == ERR_PORT_NOT_ALLOWED || err->kind == ERR_INVALID_URL;
    return is_refusal ? guard_refuse(err) : false;
}

static bool follow_redirect(struct redirects *redirects, const char *location, struct err *err)
{
    scoped(target_free) struct target next = { 0 };
    struct fetch *fetch = redirects->fetch;
    int status = fetch_last(fetch)->status;
    if (strlen(location) > REFERENCE_MAX_BYTES)
        return err_set(err, ERR_TARGET_BAD_RESPONSE,
                       "the target redirects to an address of more than %d bytes",
                       REFERENCE_MAX_BYTES);
    if (!target_join(&fetch_last(fetch)->target, text_of(location), &next, err))
        return reject_redirect(err);
    if (fetch->hop_count > redirects->options->max_redirects)
        return err_set(err, ERR_TOO_MANY_REDIRECTS, "the target redirects more than %u times",
                       redirects->options->max_redirects);
    /* a page may redirect to itself after it has set its cookie */
    if (!redirects->options->keeps_cookies && was_there(fetch, &next))
        return err_set(err, ERR_TOO_MANY_REDIRECTS, "the target redirects in a circle");
    if (status <= 303 && strcmp(redirects->method, "POST") == 0)
        redirects->method = "GET"; /* RFC 9110 section 15.4, as all clients do */
    return fetch_hop_of(redirects, &next, err) || reject_redirect(err);
}

static bool follow_all(struct redirects *redirects, const struct target *target, struct err *err)
{
    scoped(target_free) struct target first = { 0 };
    const char *location;
    target_with_path(target, target->path, &first);
    if (!fetch_hop_of(redirects, &first, err))
        return false;
    while (redirects->options->max_redirects > 0 &&
           fetch_is_redirect(fetch_last(redirects->fetch)->status) &&
           (location = fetch_header(fetch_last(redirects->fetch), "Location")))
        if (!follow_redirect(redirects, location, err))
            return false;
    return true;
}

/* Used by one thread, so it needs no locks. */
static CURLSH *new_cookies(void)
{
    CURLSH *cookies = curl_share_init();
    curl_share_setopt(cookies, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
    return cookies;
}

static void free_cookies(CURLSH **cookies)
{
    if (*cookies)
        curl_share_cleanup(*cookies);
    *cookies = NULL;
}

bool fetch_guarded(struct egress_session *session, const struct target *target,
                   const struct fetch_options *options, struct fetch *fetch, struct err *err)
{
    scoped(free_cookies) CURLSH *cookies = options && options->keeps_cookies ? new_cookies() : NULL;
    scoped(transfer_free_easy) CURL *easy = curl_easy_init();
    scoped(transfer_free_multi) CURLM *multi = curl_multi_init();
    scoped(fetch_free) struct fetch fetched = { 0 };
    struct err why = { 0 };
    struct redirects redirects = { .session = session,
                                   .options = options ? options : &usual_options,
                                   .easy = easy,
                                   .multi = multi,
                                   .cookies = cookies,
                                   .fetch = &fetched };
    redirects.method = redirects.options->method ? redirects.options->method : "GET";
    if (!follow_all(&redirects, target, &why))
        return err_set(err, why.kind, "%s", why.message);
    *fetch = fetched;
    fetched = (struct fetch){ 0 };
    return true;
}

/* ---- the operator's services ---- */

static bool fetch_with(CURLM *multi, struct egress *egress, const char *url,
                       const struct fetch_options *options, int64_t deadline_ms,
                       struct fetch *fetch, struct err *err)
{
    scoped(transfer_free_easy) CURL *easy = curl_easy_init();
    scoped(fetch_free) struct fetch fetched = { 0 };
    struct exchange exchange = { .egress = egress,
                                 .easy = easy,
                                 .multi = multi,
                                 .url = url,
                                 .options = options ? options : &usual_options,
                                 .verifies = true,
                                 .deadline_ms = deadline_ms };
    exchange.method = exchange.options->method ? exchange.options->method : "GET";
    struct err why = { 0 };
    fetched.hop[0].target.url = str_dup(url);
    fetched.hop_count = 1;
    if (exchange_run(&exchange, &fetched.hop[0], &fetched, &why) != EXCHANGE_ANSWERED)
        return why.kind == ERR_OVERLOADED
                   ? err_set(err, why.kind, "%s", why.message)
                   : err_set(err, ERR_UPSTREAM_UNAVAILABLE, "a required service does not respond");
    *fetch = fetched;
    fetched = (struct fetch){ 0 };
    return true;
}

bool fetch_operator(struct egress *egress, const char *url, const struct fetch_options *options,
                    int64_t deadline_ms, struct fetch *fetch, struct err *err)
{
    struct fetch_pool *pool = options ? options->pool : NULL;
    scoped(transfer_free_multi) CURLM *multi = pool ? fetch_pool_take(pool) : curl_multi_init();
    bool ok = fetch_with(multi, egress, url, options, deadline_ms, fetch, err);
    if (pool)
        fetch_pool_return(pool, &multi);
    return ok;
}
