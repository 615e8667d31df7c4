/* svc-security/security-headers/headers.c - rate each header and recommend what to do. */
#include "headers.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "fields.h"
#include "security-headers/csp/untrusted-text.h"
#include "text/json.h"
#include "words.h"

enum {
    YEAR_S = 31536000,
    SIX_MONTHS_S = 15552000,
    VALUE_BYTES = 4 * FETCH_HEADER_BYTES * (FETCH_REDIRECTS_MAX + 1),
};

enum rating { RATING_GOOD, RATING_MISSING, RATING_WEAK, RATING_BAD, RATING_INFO, RATINGS };

static const char *const rating_names[RATINGS] = { "good", "missing", "weak", "bad", "info" };

/* value: all lines as one list, or NULL. */
typedef enum rating rate_run(const struct assessment *assessment, const char *value);

static int modifier_of(const struct assessment *assessment, enum check check)
{
    return result_rows[assessment->result[check]].modifier;
}

/* ---- rated by checks ---- */

static enum rating rate_csp(const struct assessment *assessment, const char *value)
{
    (void)value;
    if (!assessment->csp.is_present)
        return RATING_MISSING;
    if (modifier_of(assessment, CHECK_CSP) < 0)
        return RATING_BAD;
    return csp_findings_have_high(&assessment->findings) ? RATING_WEAK : RATING_GOOD;
}

static enum rating rate_hsts(const struct assessment *assessment, const char *value)
{
    const struct hsts *hsts = &assessment->hsts;
    if (!assessment->page->target.is_https)
        return RATING_INFO;
    if (!value)
        return RATING_MISSING;
    bool is_dropped = !is_hsts_valid(assessment) || hsts->is_malformed || hsts->has_repeats;
    if (!assessment->page->tls_verified || is_dropped || hsts->max_age_s < SIX_MONTHS_S)
        return RATING_BAD;
    return hsts->max_age_s >= YEAR_S && hsts->has_subdomains ? RATING_GOOD : RATING_WEAK;
}

static enum rating rate_xfo(const struct assessment *assessment, const char *value)
{
    enum result result = assessment->result[CHECK_XFO];
    if (result == XFO_BY_CSP)
        return value ? RATING_GOOD : RATING_INFO;
    return result == XFO_MISSING      ? RATING_MISSING
           : result == XFO_ALLOW_FROM ? RATING_WEAK
           : result == XFO_GOOD       ? RATING_GOOD
                                      : RATING_BAD;
}

static enum rating rate_xcto(const struct assessment *assessment, const char *value)
{
    if (!value)
        return RATING_MISSING;
    return assessment->result[CHECK_XCTO] == XCTO_NOSNIFF ? RATING_GOOD : RATING_BAD;
}

/* Two of the unsafe policies equal a former or current browser default. */
static enum rating rate_referrer(const struct assessment *assessment, const char *value)
{
    static const char *const defaults[] = { "no-referrer-when-downgrade",
                                            "origin-when-cross-origin", NULL };
    bool is_present;
    struct text policy = referrer_policy(assessment, &is_present);
    (void)value;
    if (!is_present)
        return RATING_MISSING;
    if (word_is_among(policy, defaults))
        return RATING_WEAK;
    return assessment->result[CHECK_REFERRER] == REFERRER_PRIVATE ? RATING_GOOD : RATING_BAD;
}

/* Positive points are good, 0 is weak, negative points are bad. */
static enum rating rate_isolation(const struct assessment *assessment, enum check check,
                                  enum result missing)
{
    int modifier = modifier_of(assessment, check);
    if (assessment->result[check] == missing)
        return RATING_INFO;
    return modifier > 0 ? RATING_GOOD : modifier == 0 ? RATING_WEAK : RATING_BAD;
}

static enum rating rate_coop(const struct assessment *assessment, const char *value)
{
    (void)value;
    return rate_isolation(assessment, CHECK_COOP, COOP_MISSING);
}

static enum rating rate_coep(const struct assessment *assessment, const char *value)
{
    (void)value;
    return rate_isolation(assessment, CHECK_COEP, COEP_MISSING);
}

static enum rating rate_corp(const struct assessment *assessment, const char *value)
{
    (void)value;
    return rate_isolation(assessment, CHECK_CORP, CORP_MISSING);
}

/* The page may have headers that the preflight response does not have. */
static enum rating rate_cors(const struct assessment *assessment, const char *value)
{
    if (assessment->result[CHECK_CORS] == CORS_UNIVERSAL)
        return RATING_BAD;
    return value && strcmp(value, "*") == 0 ? RATING_WEAK : RATING_GOOD;
}

static enum rating rate_cookies(const struct assessment *assessment, const char *value)
{
    int modifier = modifier_of(assessment, CHECK_COOKIES);
    (void)value;
    return modifier >= 0 ? RATING_GOOD : modifier >= -10 ? RATING_WEAK : RATING_BAD;
}

/* ---- rated by value ---- */

static void note_wildcard(struct text key, struct text item, void *context)
{
    static const char *const powerful[] = { "camera",  "microphone", "geolocation",
                                            "payment", "usb",        NULL };
    bool *has_wildcard = context;
    *has_wildcard |= text_is(item, "*") && word_is_among(key, powerful);
}

static enum rating rate_permissions(const struct assessment *assessment, const char *value)
{
    bool has_wildcard = false;
    (void)assessment;
    if (!value)
        return RATING_MISSING;
    if (!field_read_dictionary(text_of(value), note_wildcard, &has_wildcard))
        return RATING_BAD;
    return has_wildcard ? RATING_WEAK : RATING_GOOD;
}

static enum rating rate_info(const struct assessment *assessment, const char *value)
{
    (void)assessment;
    (void)value;
    return RATING_INFO;
}

/* Does the page itself, not a redirect, set session cookies? */
static bool sets_session_cookie(const struct fetch_hop *page)
{
    const char *line = fetch_header(page, "Set-Cookie");
    for (; line; line = fetch_header_next(page, "Set-Cookie", line)) {
        scoped(mem_free) char *name = mem_dup(line, strcspn(line, "=;"));
        if (cookie_is_session(&(struct cookie){ .name = name }))
            return true;
    }
    return false;
}

static enum rating rate_cache(const struct assessment *assessment, const char *value)
{
    static const char *const closed[] = { "no-store", "private", NULL };
    struct text rest = text_of(value);
    struct text word;
    if (!sets_session_cookie(assessment->page))
        return RATING_INFO;
    while (word_cut(&rest, ',', &word))
        if (word_is_among((struct text){ word.bytes, strcspn(word.bytes, "=, \t") }, closed))
            return RATING_INFO;
    return RATING_WEAK;
}

static enum rating rate_cluster(const struct assessment *assessment, const char *value)
{
    (void)assessment;
    return value && strcmp(value, "?1") == 0 ? RATING_GOOD : RATING_INFO;
}

static enum rating rate_cross_domain(const struct assessment *assessment, const char *value)
{
    (void)assessment;
    return value && text_is_any_case(text_of(value), "none") ? RATING_GOOD : RATING_INFO;
}

static enum rating rate_xss(const struct assessment *assessment, const char *value)
{
    struct text rest = text_of(value);
    struct text word = TEXT("");
    (void)assessment;
    word_cut(&rest, ';', &word);
    if (!value || text_is(word, "0"))
        return RATING_GOOD;
    if (!text_is(word, "1"))
        return RATING_WEAK;
    while (word_cut(&rest, ';', &word))
        if (text_is_any_case(word, "mode=block"))
            return RATING_WEAK;
    return RATING_BAD;
}

static enum rating rate_obsolete(const struct assessment *assessment, const char *value)
{
    (void)assessment;
    return value ? RATING_WEAK : RATING_GOOD;
}

static enum rating rate_pins(const struct assessment *assessment, const char *value)
{
    (void)assessment;
    return value ? RATING_BAD : RATING_GOOD;
}

/* "nginx/1.18", "PHP 8", "v2", "4.0.30319"; but not "AmazonS3". */
static bool has_version(const char *value)
{
    for (const char *at = value; *at; at++) {
        bool begins = at == value || !isalnum((unsigned char)at[-1]);
        bool is_v = at > value && (at[-1] == 'v' || at[-1] == 'V') &&
                    (at == value + 1 || !isalnum((unsigned char)at[-2]));
        if (isdigit((unsigned char)*at) && (begins || is_v))
            return true;
    }
    return false;
}

static enum rating rate_server(const struct assessment *assessment, const char *value)
{
    (void)assessment;
    return value && has_version(value) ? RATING_WEAK : RATING_GOOD;
}

static enum rating rate_disclosure(const struct assessment *assessment, const char *value)
{
    (void)assessment;
    if (!value)
        return RATING_GOOD;
    return has_version(value) ? RATING_BAD : RATING_WEAK;
}

/* ---- the list ---- */

static const struct header {
    const char *name;
    rate_run *rate;
    const char *recommendation[RATINGS];
} headers[] = {
#define HEADER(name, rate, missing, weak, bad, info) \
    { name,                                          \
      rate,                                          \
      { [RATING_GOOD] = "",                          \
        [RATING_MISSING] = (missing),                \
        [RATING_WEAK] = (weak),                      \
        [RATING_BAD] = (bad),                        \
        [RATING_INFO] = (info) } },
#include "headers.def"
#undef HEADER
};

static void add_cookies(const struct fetch_hop *hop, struct buf *list, bool *is_present)
{
    const char *line = fetch_header(hop, "Set-Cookie");
    for (; line; line = fetch_header_next(hop, "Set-Cookie", line)) {
        if (*is_present)
            buf_add_str(list, ", ");
        cookie_mask(text_of(line), list);
        *is_present = true;
    }
}

/* Join the cookie lines of the page and its redirects, without values, and those that the http URL
 * sets over plain HTTP; over HTTPS they are the same. */
static bool join_cookies(const struct assessment *assessment, struct buf *list)
{
    const struct fetch *main = assessment->main;
    const struct fetch *http = assessment->responses->http;
    bool is_present = false;
    for (size_t i = 0; i < main->hop_count; i++)
        add_cookies(&main->hop[i], list, &is_present);
    for (size_t i = 0; http && http != main && i < http->hop_count; i++)
        if (!http->hop[i].target.is_https)
            add_cookies(&http->hop[i], list, &is_present);
    return is_present;
}

static bool read_value(const struct assessment *assessment, const char *name, struct buf *list)
{
    const struct fetch_hop *preflight = assessment->responses->preflight;
    if (strcmp(name, "Set-Cookie") == 0)
        return join_cookies(assessment, list);
    if (strcmp(name, "Access-Control-Allow-Origin") == 0 && preflight &&
        fetch_header(preflight, name))
        return buf_add_str(list, fetch_header(preflight, name));
    return page_header(assessment, name, list);
}

void headers_print(const struct assessment *assessment, cJSON *list)
{
    for (size_t i = 0; i < countof(headers); i++) {
        scoped(buf_free) struct buf value = BUF(VALUE_BYTES);
        bool is_present = read_value(assessment, headers[i].name, &value);
        enum rating rating = headers[i].rate(assessment, is_present ? buf_str(&value) : NULL);
        cJSON *item = json_item(list);
        json_str(item, "header", headers[i].name);
        json_bool(item, "present", is_present);
        untrusted_str(item, "value", buf_text(&value), UNTRUSTED_HEADER_BYTES);
        json_str(item, "rating", rating_names[rating]);
        json_str(item, "recommendation", headers[i].recommendation[rating]);
    }
}
