/* svc-email/email-deliverability/report-data.c - write the data of each check. */

#include "base/mem.h"
#include "net/host.h"
#include "report.h"
#include "text/json.h"

/* ---- MX ---- */

static void add_host(const struct mx_host *mx, cJSON *list)
{
    cJSON *item = json_item(list);
    json_int(item, "preference", mx->preference);
    json_str(item, "host", mx->host);
    cJSON *addresses = json_list(item, "addresses");
    for (size_t i = 0; i < mx->addresses.count; i++) {
        struct host host;
        host_of_address(&mx->addresses.item[i], &host);
        json_item_str(addresses, host.name);
    }
    json_str(item, "alias_of", mx->alias_of);
    json_str(item, "provider", mx->provider ? mx->provider->name : NULL);
}

static void add_mx(const struct facts *facts, cJSON *data)
{
    const struct mx_facts *mx = &facts->mx;
    cJSON *records = json_list(data, "records");
    if (mx->has_null) {
        cJSON *item = json_item(records);
        json_int(item, "preference", 0);
        json_str(item, "host", ".");
        json_list(item, "addresses");
        json_null(item, "alias_of");
        json_null(item, "provider");
    }
    for (size_t i = 0; i < mx->host_count; i++)
        add_host(&mx->host[i], records);
    json_str(data, "provider", facts_provider(facts));
}

/* ---- SPF ---- */

static void add_node(const struct spf_node *node, cJSON *object)
{
    json_str(object, "term", node->term);
    json_str(object, "type", node->type);
    json_str(object, "target", node->target);
    json_int(object, "lookups", node->lookups);
    json_int(object, "subtree_lookups", node->subtree_lookups);
    json_int(object, "voids", node->voids);
    json_bool(object, "resolvable", !node->depends_on_mail);
    json_str(object, "record", node->record);
    json_str(object, "error", node->error);
    cJSON *children = json_list(object, "children");
    for (const struct spf_node *child = node->child; child; child = child->next)
        add_node(child, json_item(children));
}

static bool has_text(const cJSON *list, const char *text)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (text_is(json_text_of(item), text))
            return true;
    return false;
}

static void add_vendors(const struct spf_node *node, cJSON *list)
{
    for (; node; node = node->next) {
        if (node->vendor && !has_text(list, node->vendor->name))
            json_item_str(list, node->vendor->name);
        add_vendors(node->child, list);
    }
}

static void add_spf(const struct facts *facts, cJSON *data)
{
    static const char *const results[] = {
        [SPF_RESULT_NONE] = "none",
        [SPF_RESULT_VALID] = "valid",
        [SPF_RESULT_PERMERROR] = "permerror",
        [SPF_RESULT_TEMPERROR] = "temperror",
    };
    enum { LOOKUPS = 10, VOIDS = 2 };
    const struct spf_facts *spf = &facts->spf;
    char all[] = { spf->all, '\0' };
    json_str(data, "record", spf->record);
    json_str(data, "spf_result", results[spf->result]);
    json_str(data, "all", spf->all ? all : NULL);
    json_int(data, "lookups", spf->lookups);
    json_int(data, "lookup_limit", LOOKUPS);
    json_int(data, "void_lookups", spf->voids);
    json_int(data, "void_limit", VOIDS);
    json_int(data, "family_voids", spf->family_voids);
    json_int(data, "ip4_networks", (int64_t)spf->ip4_networks);
    json_int(data, "ip6_networks", (int64_t)spf->ip6_networks);
    json_int(data, "ipv4_addresses", (int64_t)spf->ipv4_addresses);
    json_int(data, "length", (int64_t)spf->length);
    json_bool(data, "limits_exceeded", spf->lookups > LOOKUPS || spf->voids > VOIDS);
    json_bool(data, "truncated", spf->is_cut);
    if (spf->error) {
        cJSON *error = json_map(data, "error");
        json_int(error, "position", (int64_t)spf->error_position);
        json_str(error, "term", spf->error_term);
    } else {
        json_null(data, "error");
    }
    add_vendors(spf->tree, json_list(data, "vendors"));
    if (spf->tree)
        add_node(spf->tree, json_map(data, "tree"));
    else
        json_null(data, "tree");
}

/* ---- DKIM ---- */

static void add_words(cJSON *object, const char *name, struct text list)
{
    scoped(arena_free) struct arena arena = { 0 };
    cJSON *words = json_list(object, name);
    while (list.size > 0)
        json_item_str(words, facts_shown(&arena, text_trim(text_cut(&list, ':'))));
}

static const char *status_of(const struct dkim_key *key)
{
    if (key->state == DKIM_KEY_INVALID)
        return "invalid";
    if (key->state == DKIM_KEY_REVOKED)
        return "revoked";
    if (!dkim_key_is_usable(key))
        return "weak";
    return key->is_testing ? "testing" : "valid";
}

static void add_selector(const struct dkim_selector *selector, cJSON *list)
{
    static const char *const types[] = {
        [DKIM_RSA] = "rsa",
        [DKIM_ED25519] = "ed25519",
        [DKIM_OTHER] = NULL,
    };
    const struct dkim_key *key = &selector->key;
    cJSON *item = json_item(list);
    json_str(item, "selector", selector->name);
    json_str(item, "status", status_of(key));
    json_str(item, "key_type", types[key->algorithm]);
    json_int_if(item, "bits", key->bits > 0, key->bits);
    add_words(item, "flags", key->flags);
    add_words(item, "hash_algorithms", key->hashes);
    json_str(item, "cname", selector->cname);
    json_str(item, "vendor", selector->vendor);
    json_str(item, "error", key->error);
}

static void add_dkim(const struct facts *facts, cJSON *data)
{
    const struct dkim_facts *dkim = &facts->dkim;
    cJSON *checked = json_list(data, "selectors_checked");
    cJSON *found = json_list(data, "found");
    for (size_t i = 0; i < dkim->count; i++) {
        json_item_str(checked, dkim->selector[i].name);
        if (dkim->selector[i].text_count > 0 && !dkim->selector[i].is_wildcard)
            add_selector(&dkim->selector[i], found);
    }
    json_bool_if(data, "domainkey_exists", dkim->parent <= LOOKUP_NXDOMAIN,
                 dkim->parent != LOOKUP_NXDOMAIN);
    json_bool(data, "wildcard", dkim->is_wildcard);
}

/* ---- DMARC ---- */

static const char *policy_of(enum dmarc_policy policy)
{
    return policy == DMARC_NO_POLICY ? NULL : dmarc_policy_name(policy);
}

static cJSON *add_found(cJSON *data, const char *name, const struct dmarc_found *found)
{
    cJSON *object = json_map(data, name);
    json_str(object, "domain", found->how == DISCOVERY_NONE ? NULL : found->place->domain);
    json_str(object, "policy", policy_of(found->policy));
    return object;
}

static void add_tags(const struct dmarc *dmarc, cJSON *data)
{
    scoped(arena_free) struct arena arena = { 0 };
    cJSON *tags = json_map(data, "tags");
    for (unsigned i = DMARC_TAG_P; i < DMARC_TAGS; i++) {
        bool is_said = dmarc->is_there[i] && !dmarc->is_bad[i];
        const char *value =
            is_said ? facts_shown(&arena, dmarc->value[i]) : dmarc_tag_default((enum dmarc_tag)i);
        if (!value)
            continue;
        cJSON *tag = json_map(tags, dmarc_tag_name((enum dmarc_tag)i));
        json_str(tag, "value", value);
        json_bool(tag, "explicit", is_said);
    }
}

static void add_reports(cJSON *data, const char *name, const struct report_place *reports,
                        size_t count)
{
    cJSON *list = json_list(data, name);
    for (size_t i = 0; i < count; i++) {
        cJSON *item = json_item(list);
        json_str(item, "uri", reports[i].uri);
        json_str(item, "address", reports[i].address);
        json_bool(item, "external", reports[i].is_external);
        json_bool_if(item, "authorised",
                     reports[i].is_external && reports[i].authorised <= LOOKUP_NXDOMAIN,
                     reports[i].is_authorised);
    }
}

static void add_dmarc(const struct facts *facts, cJSON *data)
{
    static const char *const hows[] = {
        [DISCOVERY_NONE] = "none",
        [DISCOVERY_EXACT] = "exact",
        [DISCOVERY_ORG] = "org",
        [DISCOVERY_PSD] = "psd",
    };
    const struct dmarc_facts *dmarc = &facts->dmarc;
    const struct dmarc_found *found = &dmarc->old;
    bool has_record = found->how != DISCOVERY_NONE;
    json_str(data, "record", has_record ? found->place->record : NULL);
    json_str(data, "location", has_record ? found->place->domain : NULL);
    json_str(data, "discovery", hows[found->how]);
    add_found(data, "rfc7489", found);
    cJSON *queries = json_list(add_found(data, "rfc9989", &dmarc->new), "queries");
    for (size_t i = 0; i < dmarc->walk_count; i++) {
        scoped(mem_free) char *name = str_format("_dmarc.%s", dmarc->walk[i].domain);
        json_item_str(queries, name);
    }
    json_str(data, "org_domain", facts->org_domain);
    json_str(data, "effective_policy", policy_of(found->policy));
    if (has_record)
        add_tags(&found->place->dmarc, data);
    else
        json_map(data, "tags");
    add_reports(data, "rua", dmarc->report, dmarc->rua_count);
    add_reports(data, "ruf", dmarc->report + dmarc->rua_count,
                dmarc->report_count - dmarc->rua_count);
}

/* ---- other checks ---- */

static void add_sts(const struct facts *facts, cJSON *data)
{
    scoped(arena_free) struct arena arena = { 0 };
    const struct policy_facts *fetched = &facts->policy;
    const struct sts_policy *policy = &fetched->policy;
    json_str(data, "record", facts->mta_sts.record);
    if (fetched->state != POLICY_FETCHED || policy->error)
        return json_null(data, "policy");
    cJSON *object = json_map(data, "policy");
    json_str(object, "mode", sts_mode_name(policy->mode));
    json_int(object, "max_age", policy->max_age_s);
    cJSON *patterns = json_list(object, "mx");
    for (size_t i = 0; i < policy->pattern_count; i++)
        json_item_str(patterns, facts_shown(&arena, policy->pattern[i]));
}

static void add_tls_rpt(const struct facts *facts, cJSON *data)
{
    json_str(data, "record", facts->tls_rpt.record);
}

static void add_bimi(const struct facts *facts, cJSON *data)
{
    json_str(data, "record", facts->bimi.record);
    json_str(data, "location", facts->bimi.record ? facts->bimi_domain : NULL);
}

static void add_dnssec(const struct facts *facts, cJSON *data)
{
    json_bool(data, "authenticated", facts->is_signed);
}

static void add_dane(const struct facts *facts, cJSON *data)
{
    cJSON *hosts = json_list(data, "hosts");
    for (size_t i = 0; i < facts->mx.host_count && i < DANE_HOSTS_MAX; i++) {
        const struct mx_host *host = &facts->mx.host[i];
        cJSON *item = json_item(hosts);
        json_str(item, "host", host->host);
        json_int(item, "records", (int64_t)host->tlsa_count);
        json_bool(item, "authenticated", host->is_tlsa_secure);
    }
}

void report_data(const struct facts *facts, enum check check, cJSON *row)
{
    static void (*const adders[CHECKS])(const struct facts *facts, cJSON *data) = {
        [CHECK_MX] = add_mx,        [CHECK_SPF] = add_spf,
        [CHECK_DKIM] = add_dkim,    [CHECK_DMARC] = add_dmarc,
        [CHECK_MTA_STS] = add_sts,  [CHECK_TLS_RPT] = add_tls_rpt,
        [CHECK_BIMI] = add_bimi,    [CHECK_DNSSEC] = add_dnssec,
        [CHECK_DANE] = add_dane,    [CHECK_SENDER] = report_sender,
        [CHECK_SMTP] = report_smtp,
    };
    adders[check](facts, json_map(row, "data"));
}
