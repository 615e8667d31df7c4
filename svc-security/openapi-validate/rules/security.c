/* svc-security/openapi-validate/rules/security.c - rules for security schemes and requirements. */
#include <string.h>

#include "base/text.h"
#include "openapi-validate/check/references.h"
#include "rules.h"

static bool is_type(const struct node *scheme, const char *type)
{
    return node_says(node_get(scheme, "type"), type);
}

/* ---- schemes ---- */

/* clang-format off */
static const struct {
    const char *type;
    const char *field; /* required field */
    unsigned versions;
    enum rule rule;
} needs[] = {
    { "apiKey",        "name",             ALL, RULE_API_KEY_FIELD },
    { "apiKey",        "in",               ALL, RULE_API_KEY_FIELD },
    { "http",          "scheme",           V3,  RULE_HTTP_SCHEME_REQUIRED },
    { "oauth2",        "flows",            V3,  RULE_OAUTH2_FIELD },
    { "oauth2",        "flow",             V20, RULE_OAUTH2_FIELD },
    { "oauth2",        "scopes",           V20, RULE_OAUTH2_FIELD },
    { "openIdConnect", "openIdConnectUrl", V3,  RULE_OPEN_ID_CONNECT_URL },
};

static const struct {
    const char *flow;
    const char *field;
    unsigned versions;
} flow_needs[] = {
    { "implicit",            "authorizationUrl",       ALL },
    { "password",            "tokenUrl",               ALL },
    { "application",         "tokenUrl",               V20 },
    { "accessCode",          "authorizationUrl",       V20 },
    { "accessCode",          "tokenUrl",               V20 },
    { "clientCredentials",   "tokenUrl",               V3 },
    { "authorizationCode",   "authorizationUrl",       V3 },
    { "authorizationCode",   "tokenUrl",               V3 },
    { "deviceAuthorization", "deviceAuthorizationUrl", V32 },
    { "deviceAuthorization", "tokenUrl",               V32 },
};
/* clang-format on */

static void scheme_has_fields(struct check *check, const struct node *scheme)
{
    for (size_t i = 0; i < countof(needs); i++)
        if (is_type(scheme, needs[i].type) && needs[i].versions & check->version &&
            !node_get(scheme, needs[i].field))
            report(check->findings, needs[i].rule, scheme,
                   "A security scheme of type %s requires \"%s\".", needs[i].type, needs[i].field);
}

static void check_flow(struct check *check, const struct node *at, struct text flow)
{
    for (size_t i = 0; i < countof(flow_needs); i++)
        if (text_is(flow, flow_needs[i].flow) && flow_needs[i].versions & check->version &&
            !node_get(at, flow_needs[i].field))
            report(check->findings, RULE_OAUTH2_FLOW_URL, at, "The flow %s requires \"%s\".",
                   flow_needs[i].flow, flow_needs[i].field);
}

static void flow_has_urls(struct check *check, const struct node *flow)
{
    check_flow(check, flow, flow->key);
}

static void old_flow_has_urls(struct check *check, const struct node *scheme)
{
    if (is_type(scheme, "oauth2"))
        check_flow(check, scheme, node_text_at(scheme, "flow"));
}

static void flows_are_some(struct check *check, const struct node *flows)
{
    if (flows->count == 0)
        flag(check->findings, RULE_OAUTH2_FIELD, flows);
}

static void mutual_tls_is_known(struct check *check, const struct node *scheme)
{
    if (is_type(scheme, "mutualTLS"))
        flag(check->findings, RULE_MUTUAL_TLS, scheme);
}

/* The IANA registry of HTTP authentication schemes, 2026-11. */
static void http_scheme_is_registered(struct check *check, const struct node *scheme)
{
    static const char *const names[] = { "basic",         "bearer", "concealed",    "digest",
                                         "dpop",          "gnap",   "hoba",         "mutual",
                                         "negotiate",     "oauth",  "privatetoken", "scram-sha-1",
                                         "scram-sha-256", "vapid" };
    struct text name = node_text_at(scheme, "scheme");
    bool is_known = !is_type(scheme, "http") || name.size == 0;
    for (size_t i = 0; i < countof(names); i++)
        is_known |= text_is_any_case(name, names[i]);
    if (!is_known)
        flag_text(check->findings, RULE_HTTP_SCHEME_UNKNOWN, scheme, name);
    bool is_bearer = text_is_any_case(name, "bearer");
    if (node_get(scheme, "bearerFormat") && !(is_type(scheme, "http") && is_bearer))
        flag(check->findings, RULE_BEARER_FORMAT, scheme);
}

static void urls_use_tls(struct check *check, const struct node *node)
{
    static const char *const fields[] = {
        "authorizationUrl",       "tokenUrl",         "refreshUrl", "openIdConnectUrl",
        "deviceAuthorizationUrl", "oauth2MetadataUrl"
    };
    for (size_t i = 0; i < countof(fields); i++) {
        const struct node *url = node_get(node, fields[i]);
        struct text text = node_text(url);
        if (text_begins_any_case(text, "http://"))
            flag_text(check->findings, RULE_SECURITY_URL_HTTPS, url, text_of(fields[i]));
    }
}

/* ---- requirements ---- */

static bool flow_has_scope(const struct node *flow, struct text scope)
{
    return node_member(node_get(flow, "scopes"), scope) != NULL;
}

static bool has_scope(const struct check *check, const struct node *scheme, struct text scope)
{
    const struct node *flows = node_get(scheme, "flows");
    if (check->version == V20)
        return flow_has_scope(scheme, scope);
    for (size_t i = 0; node_is(flows, NODE_OBJECT) && i < flows->count; i++)
        if (flow_has_scope(flows->child[i], scope))
            return true;
    return !node_is(flows, NODE_OBJECT);
}

static void check_scopes(struct check *check, const struct node *scheme, const struct node *scopes)
{
    const struct node *flows = node_get(scheme, "flows");
    if (is_type(scheme, "oauth2")) {
        for (size_t i = 0; i < node_count(scopes) && check_step(check, 8 + node_count(flows)); i++)
            if (!has_scope(check, scheme, node_text(scopes->child[i])))
                flag_text(check->findings, RULE_SCOPE_UNDECLARED, scopes->child[i],
                          node_text(scopes->child[i]));
    } else if (check->version & (V20 | V30) && node_count(scopes) > 0 &&
               !is_type(scheme, "openIdConnect")) {
        flag(check->findings, RULE_SCOPES_WITHOUT_OAUTH, scopes);
    }
}

static void requirement_is_defined(struct check *check, const struct node *requirement)
{
    const struct node *schemes = check_components(check, "securitySchemes", "securityDefinitions");
    for (size_t i = 0; i < requirement->count; i++) {
        const struct node *entry = requirement->child[i];
        const struct node *scheme = node_member(schemes, entry->key);
        struct resolution lead;
        bool is_uri = !scheme && check->version == V32 &&
                      (locate(check, entry, entry->key, &lead) || lead.why) &&
                      memchr(entry->key.bytes, '/', entry->key.size);
        if (!scheme && !is_uri)
            flag_text(check->findings, RULE_SECURITY_UNDEFINED, entry, entry->key);
        else if (node_is(entry, NODE_LIST) && deref(scheme))
            check_scopes(check, deref(scheme), entry);
    }
}

static const struct rule_row rows[] = {
    { TYPE_SECURITY_SCHEME, ALL, scheme_has_fields },
    { TYPE_SECURITY_SCHEME, V20, old_flow_has_urls },
    { TYPE_SECURITY_SCHEME, V30, mutual_tls_is_known },
    { TYPE_SECURITY_SCHEME, V3, http_scheme_is_registered },
    { TYPE_SECURITY_SCHEME, ALL, urls_use_tls },
    { TYPE_OAUTH_FLOWS, V3, flows_are_some },
    { TYPE_OAUTH_FLOW, V3, flow_has_urls },
    { TYPE_OAUTH_FLOW, V3, urls_use_tls },
    { TYPE_SECURITY_REQUIREMENT, ALL, requirement_is_defined },
};

const struct rule_table security_rules = { rows, countof(rows) };
