/* svc-security/security-headers/checks-transport.c - checks of HTTPS: Strict-Transport-Security,
 * redirects from plain HTTP, cookies. */
#include <string.h>

#include "assess.h"
#include "base/num.h"
#include "words.h"

enum { SIX_MONTHS_S = 15552000 };

/* ---- Strict-Transport-Security ---- */

bool is_hsts_valid(const struct assessment *assessment)
{
    return assessment->hsts.has_age && !assessment->hsts.has_comma;
}

enum result check_hsts(const struct assessment *assessment)
{
    const struct fetch_hop *page = assessment->page;
    if (!assessment->responses->https || !page->target.is_https)
        return HSTS_NO_HTTPS;
    if (!page->tls_verified)
        return HSTS_BAD_CERTIFICATE;
    if (knowledge_preloads(assessment->knowledge, page->target.host.name))
        return HSTS_PRELOADED;
    if (!fetch_header(page, "Strict-Transport-Security"))
        return HSTS_MISSING;
    if (!is_hsts_valid(assessment))
        return HSTS_INVALID;
    return assessment->hsts.max_age_s >= SIX_MONTHS_S ? HSTS_LONG : HSTS_SHORT;
}

/* ---- redirects ---- */

static bool has_bad_certificate(const struct fetch *fetch)
{
    for (size_t i = 0; i < fetch->hop_count; i++)
        if (fetch->hop[i].target.is_https && !fetch->hop[i].tls_verified)
            return true;
    return false;
}

static bool is_preloaded_throughout(const struct fetch *fetch, const struct knowledge *knowledge)
{
    for (size_t i = 0; i < fetch->hop_count; i++)
        if (!knowledge_preloads(knowledge, fetch->hop[i].target.host.name))
            return false;
    return true;
}

enum result check_redirection(const struct assessment *assessment)
{
    const struct fetch *http = assessment->responses->http;
    if (!http)
        return assessment->responses->http_loops ? REDIRECTION_NOT_TO_HTTPS : REDIRECTION_NO_HTTP;
    if (http->hop_count == 1)
        return REDIRECTION_MISSING;
    if (has_bad_certificate(http))
        return REDIRECTION_BAD_CERTIFICATE;
    if (is_preloaded_throughout(http, assessment->knowledge))
        return REDIRECTION_PRELOADED;
    if (!fetch_last(http)->target.is_https)
        return REDIRECTION_NOT_TO_HTTPS;
    if (!http->hop[1].target.is_https)
        return REDIRECTION_LATE;
    if (strcmp(http->hop[0].target.host.name, http->hop[1].target.host.name) != 0)
        return REDIRECTION_OFF_HOST;
    return REDIRECTION_TO_HTTPS;
}

/* ---- cookies ---- */

/* The worst result of one cookie. */
static enum result check_cookie(const struct cookie *cookie, bool has_hsts)
{
    bool is_session = cookie_is_session(cookie);
    if (is_session && !cookie->is_secure && !has_hsts)
        return COOKIES_SESSION_INSECURE;
    if (is_session && !cookie->is_http_only)
        return COOKIES_SESSION_NOT_HTTP_ONLY;
    if (cookie_is_anti_csrf(cookie) && cookie->same_site == SAME_SITE_ABSENT)
        return COOKIES_CSRF_WITHOUT_SAME_SITE;
    if (cookie->same_site == SAME_SITE_BAD)
        return COOKIES_BAD_SAME_SITE;
    if (!cookie->is_secure && !has_hsts)
        return COOKIES_INSECURE;
    if (!cookie->is_secure)
        return is_session ? COOKIES_SESSION_INSECURE_BUT_HSTS : COOKIES_INSECURE_BUT_HSTS;
    return cookie->same_site == SAME_SITE_ABSENT ? COOKIES_SECURE : COOKIES_SAME_SITE;
}

enum result check_cookies(const struct assessment *assessment)
{
    bool has_hsts = result_passes(assessment->result[CHECK_HSTS]);
    enum result worst = COOKIES_SAME_SITE;
    size_t count = 0;
    for (size_t i = 0; i < assessment->cookies.count; i++) {
        const struct cookie *cookie = &assessment->cookies.item[i];
        /* A hosting load balancer sets the latter; the site cannot change it. */
        if (cookie->rejection || strcmp(cookie->name, "heroku-session-affinity") == 0)
            continue;
        enum result result = check_cookie(cookie, has_hsts);
        worst = MAX(worst, result);
        count++;
    }
    return count > 0 ? worst : COOKIES_NONE;
}
