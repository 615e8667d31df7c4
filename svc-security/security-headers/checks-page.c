/* svc-security/security-headers/checks-page.c - checks of the permissions of other sites and of the
 * page's own scripts. */
#include <string.h>

#include "assess.h"
#include "base/num.h"
#include "base/text.h"
#include "fields.h"
#include "words.h"

enum { LIST_BYTES = FETCH_HEADER_BYTES + 16 * 1024 };

/* A header value and its result. */
struct outcome {
    const char *name;
    enum result result;
};

bool page_header(const struct assessment *assessment, const char *name, struct buf *list)
{
    const char *first = fetch_header(assessment->page, name);
    for (const char *value = first; value;
         value = fetch_header_next(assessment->page, name, value)) {
        if (value != first)
            buf_add_str(list, ", ");
        buf_add_str(list, value);
    }
    return first != NULL;
}

/* ---- other sites ---- */

enum result check_cors(const struct assessment *assessment)
{
    const struct responses *responses = assessment->responses;
    const char *origin = responses->preflight
                             ? fetch_header(responses->preflight, "Access-Control-Allow-Origin")
                             : NULL;
    if (!origin)
        return CORS_MISSING;
    const char *credentials =
        fetch_header(responses->preflight, "Access-Control-Allow-Credentials");
    if (strcmp(origin, "*") == 0)
        return CORS_PUBLIC;
    return strcmp(origin, responses->origin) == 0 && credentials && strcmp(credentials, "true") == 0
               ? CORS_UNIVERSAL
               : CORS_RESTRICTED;
}

static const char *const private_policies[] = { "no-referrer", "same-origin", "strict-origin",
                                                "strict-origin-when-cross-origin", NULL };
static const char *const unsafe_policies[] = { "origin", "origin-when-cross-origin", "unsafe-url",
                                               "no-referrer-when-downgrade", NULL };

/* The last known policy of the list replaces an earlier one. */
static void find_policy(struct text list, struct text *policy)
{
    struct text word;
    while (word_cut(&list, ',', &word))
        if (word_is_among(word, private_policies) || word_is_among(word, unsafe_policies))
            *policy = word;
}

struct text referrer_policy(const struct assessment *assessment, bool *is_present)
{
    const char *value = fetch_header(assessment->page, "Referrer-Policy");
    struct text policy = TEXT("");
    *is_present = value || assessment->markup.has_referrer;
    for (; value; value = fetch_header_next(assessment->page, "Referrer-Policy", value))
        find_policy(text_of(value), &policy);
    find_policy(buf_text(&assessment->markup.referrer), &policy);
    return policy;
}

enum result check_referrer(const struct assessment *assessment)
{
    bool is_present;
    struct text policy = referrer_policy(assessment, &is_present);
    if (!is_present)
        return REFERRER_MISSING;
    if (policy.size == 0)
        return REFERRER_INVALID;
    return word_is_among(policy, private_policies) ? REFERRER_PRIVATE : REFERRER_UNSAFE;
}

/* Does a policy in a header (not in markup) have frame-ancestors? */
static bool is_framing_limited(const struct assessment *assessment)
{
    for (size_t i = 0; i < assessment->csp.count; i++)
        if (csp_find(&assessment->csp.policy[i], "frame-ancestors"))
            return true; /* csp_add() drops it in markup */
    return false;
}

/* HTML standard, section 7.6: equal values count once. */
enum result check_xfo(const struct assessment *assessment)
{
    static const char *const good[] = { "deny", "sameorigin", NULL };
    scoped(buf_free) struct buf list = BUF(LIST_BYTES);
    enum result result = XFO_GOOD;
    struct text word;
    if (is_framing_limited(assessment))
        return XFO_BY_CSP;
    if (!page_header(assessment, "X-Frame-Options", &list))
        return XFO_MISSING;
    struct text rest = buf_text(&list);
    if (text_begins_any_case(text_trim(rest), "allow-from"))
        return XFO_ALLOW_FROM;
    if (rest.size == 0)
        return XFO_INVALID;
    while (word_cut(&rest, ',', &word))
        if (!word_is_among(word, good))
            result = XFO_INVALID;
    return result;
}

/* ---- scripts and types ---- */

enum result check_sri(const struct assessment *assessment)
{
    const struct scripts *scripts = &assessment->markup.scripts;
    if (!assessment->markup.is_html)
        return SRI_NOT_HTML;
    if (scripts->lacks_both)
        return SRI_MISSING_AND_INSECURE;
    if (assessment->markup.is_broken)
        return SRI_NOT_PARSEABLE;
    if (scripts->lacks_https)
        return SRI_INSECURE;
    if (scripts->lacks_integrity)
        return SRI_MISSING;
    if (!scripts->has_any)
        return SRI_NO_SCRIPTS;
    if (scripts->has_own_checked)
        return SRI_ALL;
    return scripts->has_external ? SRI_EXTERNAL : SRI_OWN_ONLY;
}

/* Fetch standard: the first value applies. */
enum result check_xcto(const struct assessment *assessment)
{
    const char *value = fetch_header(assessment->page, "X-Content-Type-Options");
    struct text rest = text_of(value);
    struct text first = TEXT("");
    if (!value)
        return XCTO_MISSING;
    word_cut(&rest, ',', &first);
    return text_is_any_case(first, "nosniff") ? XCTO_NOSNIFF : XCTO_INVALID;
}

/* ---- isolation: values with case ---- */

static enum result find_outcome(const struct outcome *outcomes, struct text value,
                                enum result otherwise)
{
    for (; outcomes->name; outcomes++)
        if (text_is(value, outcomes->name))
            return outcomes->result;
    return otherwise;
}

enum result check_corp(const struct assessment *assessment)
{
    static const struct outcome outcomes[] = { { "same-origin", CORP_SAME_ORIGIN },
                                               { "same-site", CORP_SAME_SITE },
                                               { "cross-origin", CORP_CROSS_ORIGIN },
                                               { NULL } };
    scoped(buf_free) struct buf list = BUF(LIST_BYTES);
    return page_header(assessment, "Cross-Origin-Resource-Policy", &list)
               ? find_outcome(outcomes, buf_text(&list), CORP_INVALID)
               : CORP_MISSING;
}

/* Structured items: one line with one token and optional parameters. */
static enum result check_token(const struct assessment *assessment, const char *name,
                               const struct outcome *outcomes, enum result missing,
                               enum result invalid)
{
    const char *value = fetch_header(assessment->page, name);
    struct text token;
    if (!value)
        return missing;
    if (fetch_header_next(assessment->page, name, value) ||
        !field_read_token(text_of(value), &token))
        return invalid;
    return find_outcome(outcomes, token, invalid);
}

enum result check_coop(const struct assessment *assessment)
{
    static const struct outcome outcomes[] = { { "same-origin", COOP_SAME_ORIGIN },
                                               { "same-origin-allow-popups", COOP_ALLOW_POPUPS },
                                               { "noopener-allow-popups", COOP_NOOPENER },
                                               { "unsafe-none", COOP_UNSAFE_NONE },
                                               { NULL } };
    return check_token(assessment, "Cross-Origin-Opener-Policy", outcomes, COOP_MISSING,
                       COOP_INVALID);
}

enum result check_coep(const struct assessment *assessment)
{
    static const struct outcome outcomes[] = { { "require-corp", COEP_REQUIRE_CORP },
                                               { "credentialless", COEP_CREDENTIALLESS },
                                               { "unsafe-none", COEP_UNSAFE_NONE },
                                               { NULL } };
    return check_token(assessment, "Cross-Origin-Embedder-Policy", outcomes, COEP_MISSING,
                       COEP_INVALID);
}
