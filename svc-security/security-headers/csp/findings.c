/* svc-security/security-headers/csp/findings.c - weaknesses of Content Security Policies. */
#include "findings.h"

#include <string.h>

#include "base/codec/cidr.h"
#include "base/table.h"
#include "words.h"

enum { NONCE_BYTES_MIN = 8 };

const struct csp_rule_row csp_rules[] = {
#define FINDING(id, name, severity, message) { name, severity, message },
#include "findings.def"
#undef FINDING
};

bool csp_findings_have_high(const struct csp_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(csp_rules[findings->item[i].rule].severity, "high") == 0)
            return true;
    return false;
}

/* State of a search. */
struct search {
    const struct csp *csp;
    const struct bypasses *bypasses;
    struct csp_findings *findings;
};

static void add_finding(struct search *search, enum csp_rule rule, const char *directive,
                        const char *value)
{
    struct csp_findings *findings = search->findings;
    for (size_t i = 0; i < findings->count; i++) {
        const struct csp_finding *old = &findings->item[i];
        if (old->rule == rule && strcmp(old->directive, directive) == 0 &&
            strcmp(old->value, value) == 0)
            return;
    }
    if (findings->count < CSP_FINDINGS_MAX)
        findings->item[findings->count++] = (struct csp_finding){ rule, directive, value };
    else
        findings->is_cut = true;
}

/* ---- missing directives ---- */

static bool any_governs(const struct csp *csp, const char *name)
{
    for (size_t i = 0; i < csp->count; i++)
        if (csp_effective(&csp->policy[i], name))
            return true;
    return false;
}

/* Scripts with nonces, and scripts that they load, may have relative URLs. */
static bool needs_base(const struct csp *csp)
{
    for (size_t i = 0; i < csp->count; i++) {
        const struct csp_directive *script = csp_effective(&csp->policy[i], "script-src");
        for (size_t s = 0; script && s < script->count; s++)
            if (csp_is_secret(script->source[s]) &&
                (csp_is_nonce(script->source[s]) || script->is_strict))
                return true;
    }
    return false;
}

static void find_missing(struct search *search)
{
    const struct csp *csp = search->csp;
    if (!any_governs(csp, "script-src"))
        add_finding(search, CSP_MISSING_FOUND, "script-src", "");
    if (!any_governs(csp, "object-src"))
        add_finding(search, CSP_MISSING_FOUND, "object-src", "");
    if (needs_base(csp) && !any_governs(csp, "base-uri"))
        add_finding(search, CSP_MISSING_FOUND, "base-uri", "");
    if (any_governs(csp, "script-src") && !any_governs(csp, "require-trusted-types-for"))
        add_finding(search, CSP_TRUSTED_TYPES_FOUND, "require-trusted-types-for", "");
    if (!any_governs(csp, "report-to") && !any_governs(csp, "report-uri"))
        add_finding(search, CSP_NO_REPORTS_FOUND, "report-to", "");
}

/* ---- sources of code: script-src, object-src, base-uri ---- */

static bool is_wildcard(const char *source)
{
    const char *scheme = strstr(source, "//");
    const char *host = scheme ? scheme + 2 : source;
    return host[0] == '*' && strchr(":/", host[1]); /* strchr() also finds the final NUL */
}

static bool is_plain_scheme(const char *source)
{
    return strcmp(source, "data:") == 0 || strcmp(source, "http:") == 0 ||
           strcmp(source, "https:") == 0;
}

static bool is_subdomain_wildcard(const char *source)
{
    const char *scheme = strstr(source, "//");
    return strncmp(scheme ? scheme + 2 : source, "*.", 2) == 0 && !is_wildcard(source);
}

static bool is_script_list(const char *name)
{
    return strncmp(name, "script-src", 10) == 0;
}

/* Does the source allow a known bypass of the directive? */
static bool is_bypassed(const struct search *search, const char *name,
                        const struct csp_directive *directive, const char *source)
{
    const struct bypasses *bypasses = search->bypasses;
    if (csp_is_quoted(source) || csp_is_scheme(source) || is_wildcard(source))
        return false;
    if (!is_script_list(name))
        return bypasses_have(&bypasses->objects, source);
    return bypasses_have(&bypasses->scripts, source) ||
           (csp_has(directive, "'unsafe-eval'") && bypasses_have(&bypasses->evals, source));
}

static void check_url(struct search *search, const char *name,
                      const struct csp_directive *directive, const char *source)
{
    if (is_plain_scheme(source))
        add_finding(search, CSP_PLAIN_SCHEME_FOUND, name, source);
    else if (is_wildcard(source))
        add_finding(search, CSP_PLAIN_WILDCARD_FOUND, name, source);
    else if (is_subdomain_wildcard(source))
        add_finding(search, CSP_WILDCARD_URL_FOUND, name, source);
    if (csp_is_scheme(source) || is_wildcard(source))
        return;
    if (!strstr(source, "//"))
        add_finding(search, CSP_NO_PROTOCOL_FOUND, name, source);
    bool loads = strcmp(name, "base-uri") != 0 && strcmp(name, "script-src-attr") != 0;
    if (loads && is_bypassed(search, name, directive, source))
        add_finding(search,
                    is_script_list(name) ? CSP_SCRIPT_BYPASS_FOUND : CSP_OBJECT_BYPASS_FOUND, name,
                    source);
}

static void check_list(struct search *search, const char *name,
                       const struct csp_directive *directive)
{
    for (size_t i = 0; i < directive->count; i++) {
        const char *source = directive->source[i];
        if (csp_is_ignored(directive, source, is_script_list(name)))
            add_finding(search, CSP_IGNORED_FOUND, name, source);
        else if (!csp_is_quoted(source))
            check_url(search, name, directive, source);
    }
}

/* A source without a known bypass that may have one: 'self', and anything that looks like a
 * host. */
static bool is_unproven(const struct search *search, const char *name,
                        const struct csp_directive *directive, const char *source)
{
    bool is_place =
        strcmp(source, "'self'") == 0 || (!csp_is_quoted(source) && !csp_is_scheme(source) &&
                                          !is_wildcard(source) && strchr(source, '.'));
    return is_place && !csp_is_ignored(directive, source, is_script_list(name)) &&
           !is_bypassed(search, name, directive, source);
}

/* Runs last: there may be many of these, and they must not displace certain findings. */
static void find_unproven(struct search *search, const struct csp_policy *policy)
{
    const struct csp_directive *script = csp_effective(policy, "script-src");
    const struct csp_directive *element = csp_find(policy, "script-src-elem");
    const struct csp_directive *object = csp_find(policy, "object-src");
    for (size_t i = 0; script && i < script->count; i++)
        if (is_unproven(search, "script-src", script, script->source[i]))
            add_finding(search, CSP_SCRIPT_UNPROVEN_FOUND, "script-src", script->source[i]);
    for (size_t i = 0; element && i < element->count; i++)
        if (is_unproven(search, element->name, element, element->source[i]))
            add_finding(search, CSP_SCRIPT_UNPROVEN_FOUND, element->name, element->source[i]);
    for (size_t i = 0; object && i < object->count; i++)
        if (is_unproven(search, "object-src", object, object->source[i]))
            add_finding(search, CSP_OBJECT_UNPROVEN_FOUND, "object-src", object->source[i]);
}

/* ---- scripts ---- */

static void check_keywords(struct search *search, const char *name,
                           const struct csp_directive *script)
{
    static const struct {
        const char *keyword;
        enum csp_rule rule;
    } dangers[] = {
        { "'unsafe-inline'", CSP_SCRIPT_INLINE_FOUND },
        { "'unsafe-eval'", CSP_SCRIPT_EVAL_FOUND },
        { "'unsafe-hashes'", CSP_SCRIPT_HASHES_FOUND },
    };
    for (size_t i = 0; i < countof(dangers); i++)
        if (csp_has(script, dangers[i].keyword) &&
            !csp_is_ignored(script, dangers[i].keyword, true))
            add_finding(search, dangers[i].rule, name, dangers[i].keyword);
}

static bool has_url(const struct csp_directive *directive)
{
    for (size_t i = 0; i < directive->count; i++)
        if (!csp_is_quoted(directive->source[i]))
            return true;
    return false;
}

static void check_strictness(struct search *search, const struct csp_directive *script)
{
    bool is_strict = script->is_strict;
    bool has_secret = script->has_secret;
    const char *name = script->name;
    if (!is_strict && has_url(script))
        add_finding(search, CSP_STRICT_DYNAMIC_FOUND, name, "");
    if (is_strict && !has_secret)
        add_finding(search, CSP_NOT_STANDALONE_FOUND, name, "'strict-dynamic'");
    if (has_secret && !csp_has(script, "'unsafe-inline'"))
        add_finding(search, CSP_INLINE_FALLBACK_FOUND, name, "");
    if (has_secret && is_strict && !has_url(script))
        add_finding(search, CSP_ALLOWLIST_FALLBACK_FOUND, name, "");
}

static void find_in_scripts(struct search *search, const struct csp_policy *policy)
{
    static const char *const narrower[] = { "script-src-elem", "script-src-attr" };
    const struct csp_directive *script = csp_effective(policy, "script-src");
    if (script) {
        check_keywords(search, script->name, script);
        check_list(search, "script-src", script);
        check_strictness(search, script);
    }
    for (size_t i = 0; i < countof(narrower); i++) {
        const struct csp_directive *own = csp_find(policy, narrower[i]);
        if (!own)
            continue;
        check_keywords(search, own->name, own);
        check_list(search, own->name, own);
    }
}

static void find_in_others(struct search *search, const struct csp_policy *policy)
{
    const struct csp_directive *object = csp_effective(policy, "object-src");
    const struct csp_directive *base = csp_find(policy, "base-uri");
    const struct csp_directive *style = csp_effective(policy, "style-src");
    if (object)
        check_list(search, "object-src", object);
    if (base)
        check_list(search, base->name, base);
    if (style && csp_has(style, "'unsafe-inline'")) {
        bool is_ignored = csp_is_ignored(style, "'unsafe-inline'", false);
        add_finding(search, is_ignored ? CSP_IGNORED_FOUND : CSP_STYLE_INLINE_FOUND, style->name,
                    "'unsafe-inline'");
    }
}

/* ---- all source lists ---- */

/* clang-format off */
static const char *const keywords[] = {
    "none", "self", "unsafe-inline", "unsafe-eval", "unsafe-hashes", "strict-dynamic",
    "report-sample", "wasm-unsafe-eval", "unsafe-allow-redirects", "inline-speculation-rules",
    "trusted-types-eval", "report-sha256", "report-sha384", "report-sha512", NULL,
};
/* clang-format on */

static bool is_bare_keyword(const char *source)
{
    return word_is_among(text_of(source), keywords) || strncmp(source, "nonce-", 6) == 0 ||
           strncmp(source, "sha256-", 7) == 0 || strncmp(source, "sha384-", 7) == 0 ||
           strncmp(source, "sha512-", 7) == 0;
}

/* A nonce with invalid characters has a separate finding. */
static bool is_keyword(const char *source)
{
    size_t size = strlen(source);
    if (size < 3 || source[size - 1] != '\'')
        return false;
    if (csp_is_nonce(source))
        return size > strlen("'nonce-'");
    return csp_is_secret(source) || word_is_among((struct text){ source + 1, size - 2 }, keywords);
}

static void check_nonce(struct search *search, const char *name, const char *source)
{
    const char *value = source + strlen("'nonce-");
    size_t size = strcspn(value, "'");
    if (size < NONCE_BYTES_MIN)
        add_finding(search, CSP_NONCE_LENGTH_FOUND, name, source);
    if (strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=") !=
        size)
        add_finding(search, CSP_NONCE_CHARSET_FOUND, name, source);
}

/* Check a source such as "http://192.0.2.1:80/a". */
static void check_address(struct search *search, const char *name, const char *source)
{
    struct in6_addr address;
    const char *scheme = strstr(source, "//");
    const char *host = scheme ? scheme + 2 : source;
    struct text text = { host, strcspn(host, ":/") };
    if (*host == '[')
        text = (struct text){ host + 1, strcspn(host + 1, "]") };
    if (!address_parse(text, &address))
        return;
    add_finding(search, text_is(text, "127.0.0.1") ? CSP_IP_LOCAL_FOUND : CSP_IP_SOURCE_FOUND, name,
                source);
}

static void check_source(struct search *search, const char *name, const char *source)
{
    unsigned kind;
    if (csp_is_nonce(source))
        check_nonce(search, name, source);
    if (csp_is_quoted(source) ? !is_keyword(source) : is_bare_keyword(source))
        add_finding(search, CSP_KEYWORD_FOUND, name, source);
    if (csp_kind(source, &kind))
        add_finding(search, CSP_SEMICOLON_FOUND, name, source);
    if (strncmp(source, "http://", 7) == 0)
        add_finding(search, CSP_SRC_HTTP_FOUND, name, source);
    check_address(search, name, source);
}

static void find_in_lists(struct search *search, const struct csp_policy *policy)
{
    for (size_t i = 0; i < policy->count; i++) {
        const struct csp_directive *directive = &policy->directive[i];
        unsigned kind;
        if (!csp_kind(directive->name, &kind))
            add_finding(search, CSP_UNKNOWN_FOUND, directive->name, "");
        if (kind & CSP_DEPRECATED)
            add_finding(search, CSP_DEPRECATED_FOUND, directive->name, "");
        for (size_t s = 0; (kind & CSP_SOURCE_LIST) && s < directive->count; s++)
            check_source(search, directive->name, directive->source[s]);
    }
}

static void find_in_reports(struct search *search, const struct csp_policy *policy)
{
    const struct csp_directive *uri = csp_find(policy, "report-uri");
    const struct csp_directive *to = csp_find(policy, "report-to");
    if (uri && !to)
        add_finding(search, CSP_REPORT_URI_FOUND, "report-uri", "");
    if (to && !uri)
        add_finding(search, CSP_REPORT_TO_ONLY_FOUND, "report-to", "");
    for (size_t s = 0; uri && s < uri->count; s++)
        if (strncmp(uri->source[s], "http://", 7) == 0)
            add_finding(search, CSP_SRC_HTTP_FOUND, "report-uri", uri->source[s]);
}

void csp_find_all(const struct csp *csp, const struct bypasses *bypasses,
                  struct csp_findings *findings)
{
    struct search search = { csp, bypasses, findings };
    if (csp->count == 0)
        return;
    find_missing(&search);
    for (size_t i = 0; i < csp->count; i++) {
        find_in_scripts(&search, &csp->policy[i]);
        find_in_others(&search, &csp->policy[i]);
        find_in_lists(&search, &csp->policy[i]);
        find_in_reports(&search, &csp->policy[i]);
    }
    for (size_t i = 0; i < csp->count; i++)
        find_unproven(&search, &csp->policy[i]);
}

/* ---- static nonces ---- */

static bool any_has(const struct csp *csp, const char *source)
{
    for (size_t i = 0; i < csp->count; i++)
        for (size_t d = 0; d < csp->policy[i].count; d++)
            if (csp_has(&csp->policy[i].directive[d], source))
                return true;
    return false;
}

void csp_find_static_nonces(const struct csp *csp, const struct csp *other,
                            struct csp_findings *findings)
{
    struct search search = { .csp = csp, .findings = findings };
    for (size_t i = 0; i < csp->count; i++)
        for (size_t d = 0; d < csp->policy[i].count; d++) {
            const struct csp_directive *directive = &csp->policy[i].directive[d];
            for (size_t s = 0; s < directive->count; s++)
                if (csp_is_nonce(directive->source[s]) && any_has(other, directive->source[s]))
                    add_finding(&search, CSP_STATIC_NONCE_FOUND, directive->name,
                                directive->source[s]);
        }
}
