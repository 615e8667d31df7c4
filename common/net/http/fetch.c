/* common/net/http/fetch.c - requests to places that customers name, and to those that we chose. */
#include "net/http/fetch.h"

#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "net/http/exchange.h"
#include "net/http/transfer.h"

static const struct fetch_options usual_options;

/* A fetch as it goes from hop to hop. */
struct walk {
    struct egress_session *session;
    const struct fetch_options *options;
    CURL *easy;
    CURLM *multi;
    CURLSH *cookies; /* NULL: none are kept */
    const char *method;
    struct fetch *fetch;
};

/* ---- one hop ---- */

static bool exchange_hop(const struct walk *walk, const struct addresses *addresses,
                         struct fetch_hop *hop, struct err *err)
{
    struct exchange exchange = {
        .egress = egress_session_egress(walk->session),
        .easy = walk->easy,
        .multi = walk->multi,
        .cookies = walk->cookies,
        .url = hop->target.url,
        .host = &hop->target.host,
        .port = hop->target.port,
        .addresses = addresses,
        .method = walk->method,
        .options = walk->options,
        .verifies = true,
        .skips_redirects = walk->options->max_redirects > 0,
        .deadline_ms = egress_session_deadline_ms(walk->session),
    };
    enum exchange_end end = exchange_run(&exchange, hop, walk->fetch, err);
    if (end == EXCHANGE_BAD_CERTIFICATE && !walk->options->must_verify) {
        exchange.verifies = false;
        end = exchange_run(&exchange, hop, walk->fetch, err);
    }
    return end == EXCHANGE_ANSWERED;
}

/* Go to a target, taken over, and append the hop. */
static bool go(const struct walk *walk, struct target *target, struct err *err)
{
    struct fetch *fetch = walk->fetch;
    struct fetch_hop *hop = &fetch->hop[fetch->hop_count];
    struct addresses addresses;
    hop->target = *target;
    *target = (struct target){ 0 };
    fetch->hop_count++;
    buf_free(&fetch->body);
    reservation_free(&fetch->reservation);
    int64_t begin_us = clock_us();
    if (!egress_session_resolve_web(walk->session, &hop->target, &addresses,
                                    err)) /* judged for each hop */
        return false;
    int64_t dns_us = clock_us() - begin_us;
    if (!exchange_hop(walk, &addresses, hop, err))
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

/* A redirect that leads where nobody may go is one refusal, whatever is wrong with it; failures of
 * the place it leads to are that place's own. */
static bool refuse_redirect(struct err *err)
{
    bool is_refusal = err->kind == ERR_PORT_NOT_ALLOWED || err->kind == ERR_INVALID_URL;
    return is_refusal ? guard_refuse(err) : false;
}

static bool follow(struct walk *walk, const char *location, struct err *err)
{
    scoped(target_free) struct target next = { 0 };
    struct fetch *fetch = walk->fetch;
    int status = fetch_last(fetch)->status;
    if (strlen(location) > REFERENCE_MAX_BYTES)
        return err_set(err, ERR_TARGET_BAD_RESPONSE,
                       "the target redirects to an address of more than %d bytes",
                       REFERENCE_MAX_BYTES);
    if (!target_join(&fetch_last(fetch)->target, text_of(location), &next, err))
        return refuse_redirect(err);
    if (fetch->hop_count > walk->options->max_redirects)
        return err_set(err, ERR_TOO_MANY_REDIRECTS, "the target redirects more than %u times",
                       walk->options->max_redirects);
    /* a page may send back to itself once it has set its cookie */
    if (!walk->options->keeps_cookies && was_there(fetch, &next))
        return err_set(err, ERR_TOO_MANY_REDIRECTS, "the target redirects in a circle");
    if (status <= 303 && strcmp(walk->method, "POST") == 0)
        walk->method = "GET"; /* RFC 9110 section 15.4, as all clients do */
    return go(walk, &next, err) || refuse_redirect(err);
}

static bool walk_all(struct walk *walk, const struct target *target, struct err *err)
{
    scoped(target_free) struct target first = { 0 };
    const char *location;
    target_with_path(target, target->path, &first);
    if (!go(walk, &first, err))
        return false;
    while (walk->options->max_redirects > 0 && fetch_is_redirect(fetch_last(walk->fetch)->status) &&
           (location = fetch_header(fetch_last(walk->fetch), "Location")))
        if (!follow(walk, location, err))
            return false;
    return true;
}

/* One thread uses it, so it needs no locks. */
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
    struct walk walk = { .session = session,
                         .options = options ? options : &usual_options,
                         .easy = easy,
                         .multi = multi,
                         .cookies = cookies,
                         .fetch = &fetched };
    walk.method = walk.options->method ? walk.options->method : "GET";
    if (!walk_all(&walk, target, &why))
        return err_set(err, why.kind, "%s", why.message);
    *fetch = fetched;
    fetched = (struct fetch){ 0 };
    return true;
}

/* ---- the operator's own ---- */

bool fetch_operator(struct egress *egress, const char *url, const struct fetch_options *options,
                    int64_t deadline_ms, struct fetch *fetch, struct err *err)
{
    scoped(transfer_free_easy) CURL *easy = curl_easy_init();
    scoped(transfer_free_multi) CURLM *multi = curl_multi_init();
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
        return why.kind == ERR_OVERLOADED ? err_set(err, why.kind, "%s", why.message)
                                          : err_set(err, ERR_UPSTREAM_UNAVAILABLE,
                                                    "a service that this needs does not answer");
    *fetch = fetched;
    fetched = (struct fetch){ 0 };
    return true;
}
