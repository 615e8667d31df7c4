/* svc-security/security-headers/checks-csp.c - score the Content Security Policy: what all policies
 * together allow, by the first weakness. */
#include <string.h>

#include "assess.h"
#include "words.h"

static const char *const broad[] = { "*",         "http:",      "https:",      "ftp:", "http://*",
                                     "https://*", "http://*.*", "https://*.*", NULL };

/* Source lists for active content: everything except images and media. */
static const char *const active[] = {
    "default-src",    "script-src",     "script-src-elem", "script-src-attr",  "style-src",
    "style-src-elem", "style-src-attr", "object-src",      "font-src",         "connect-src",
    "manifest-src",   "child-src",      "frame-src",       "fenced-frame-src", "worker-src",
    "base-uri",       "form-action",    "frame-ancestors", "prefetch-src",     "navigate-to",
};
static const char *const passive[] = { "img-src", "media-src" };

static bool is_broad(const char *source)
{
    return word_is_among(text_of(source), broad);
}

static bool is_insecure(const char *source)
{
    return strncmp(source, "http:", 5) == 0 || strncmp(source, "ftp:", 4) == 0;
}

static bool is_unsafe(const char *source)
{
    return is_broad(source) || strcmp(source, "'unsafe-inline'") == 0 ||
           strcmp(source, "data:") == 0;
}

/* Does the list, which may be NULL, have a source of this sort that browsers respect? */
static bool has_sort(const struct csp_directive *directive, bool is_script,
                     bool (*is_sort)(const char *source))
{
    for (size_t i = 0; directive && i < directive->count; i++)
        if (is_sort(directive->source[i]) &&
            !csp_is_ignored(directive, directive->source[i], is_script))
            return true;
    return false;
}

static bool has_insecure(const struct csp_policy *policy, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_script = strncmp(names[i], "script-src", 10) == 0;
        if (has_sort(csp_find(policy, names[i]), is_script, is_insecure))
            return true;
    }
    return false;
}

static bool is_only_none(const struct csp_directive *directive)
{
    return directive && directive->count == 1 && strcmp(directive->source[0], "'none'") == 0;
}

/* Without the directive and its fallback, everything is allowed. */
static enum result classify_policy(const struct csp_policy *policy, bool is_https)
{
    const struct csp_directive *script = csp_effective(policy, "script-src");
    const struct csp_directive *object = csp_effective(policy, "object-src");
    const struct csp_directive *style = csp_effective(policy, "style-src");
    if (script && script->is_strict && !script->has_secret)
        return CSP_INVALID;
    if (!script || has_sort(script, true, is_unsafe) || !object ||
        has_sort(object, false, is_broad))
        return CSP_UNSAFE_INLINE;
    if (is_https && has_insecure(policy, active, countof(active)))
        return CSP_INSECURE_SCHEME;
    if (csp_has(script, "'unsafe-eval'") || (style && csp_has(style, "'unsafe-eval'")))
        return CSP_UNSAFE_EVAL;
    if (is_https && has_insecure(policy, passive, countof(passive)))
        return CSP_INSECURE_PASSIVE;
    if (!style || has_sort(style, false, is_unsafe))
        return CSP_UNSAFE_STYLE;
    return is_only_none(csp_find(policy, "default-src")) ? CSP_NO_UNSAFE_DEFAULT_NONE
                                                         : CSP_NO_UNSAFE;
}

enum result check_csp(const struct assessment *assessment)
{
    const struct csp *csp = &assessment->csp;
    if (!csp->is_present)
        return assessment->csp_report_only.is_present ? CSP_REPORT_ONLY : CSP_MISSING;
    if (csp->is_too_short || csp->repeats_directive)
        return CSP_INVALID;
    enum result result = classify_policy(&csp->merged, assessment->page->target.is_https);
    return csp->repeats_report && result_rows[result].modifier >= 0 ? CSP_DUPLICATES : result;
}
