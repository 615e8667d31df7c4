/* svc-email/email-deliverability/report-requested.c - write the data of the checks that a request
 * asks for. */
#include "judge.h"
#include "net/host.h"
#include "report.h"
#include "text/json.h"

/* ---- Sender ---- */

static void add_spf(const struct spf_check *spf, cJSON *object)
{
    json_str(object, "result", spf_outcome_names[spf->outcome]);
    json_str(object, "term", spf->term);
    json_str(object, "domain", spf->term ? spf->domain : NULL);
    json_str(object, "error", spf->why);
    json_int(object, "lookups", spf->lookups);
}

static void add_reverse(const struct sender_facts *sender, cJSON *object)
{
    bool is_known = !status_is_temporary(sender->reverse) && !sender->is_reverse_unknown;
    json_bool_if(object, "confirmed", is_known || sender_is_confirmed(sender),
                 sender_is_confirmed(sender));
    cJSON *names = json_list(object, "names");
    for (size_t i = 0; i < sender->names; i++) {
        cJSON *item = json_item(names);
        json_str(item, "name", sender->name[i].name);
        json_bool(item, "confirmed", sender->name[i].leads_back);
    }
}

static void add_listings(const struct sender_facts *sender, cJSON *data)
{
    size_t queried = 0;
    cJSON *list = json_list(data, "listed");
    for (size_t i = 0; i < sender->listings.count; i++) {
        const struct listing *listing = &sender->listings.item[i];
        queried += listing->list->may_query;
        if (listing->reading.status != LISTING_LISTED)
            continue;
        cJSON *item = json_item(list);
        json_str(item, "list", listing->list->name);
        json_str(item, "category", listing->list->category);
        json_str(item, "reason", listing->text);
        json_str(item, "meaning", buf_str(&listing->reading.meaning));
        json_str(item, "delist_url", listing->list->delist_url);
    }
    json_int(data, "lists_checked", (int64_t)queried);
    json_int(data, "lists_answered",
             (int64_t)(sender_count_listings(sender, LISTING_LISTED) +
                       sender_count_listings(sender, LISTING_CLEAN)));
}

void report_sender(const struct facts *facts, cJSON *data)
{
    const struct sender_facts *sender = facts->sender;
    enum may_send may = judge_may_send(sender);
    json_str(data, "ip", sender->address.name);
    json_bool_if(data, "may_send", may != MAY_SEND_UNKNOWN, may == MAY_SEND_YES);
    add_spf(&sender->spf, json_map(data, "spf"));
    add_reverse(sender, json_map(data, "reverse"));
    add_listings(sender, data);
}

/* ---- SMTP ---- */

static const char *const end_names[] = {
    [SMTP_NOT_ALLOWED] = "not_tested",
    [SMTP_NO_ADDRESS] = "not_tested",
    [SMTP_NO_ANSWER] = "no_answer",
    [SMTP_CLOSED] = "closed",
    [SMTP_SILENT] = "silent",
    [SMTP_REJECTS] = "rejected",
    [SMTP_PLAIN] = "no_starttls",
    [SMTP_NO_TLS] = "tls_failed",
    [SMTP_TLS] = "tls",
};

static const char *version_name(uint16_t version)
{
    static const char *const names[] = { "TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3" };
    enum { TLS10 = 0x0301 };
    return version >= TLS10 && version < TLS10 + countof(names) ? names[version - TLS10] : NULL;
}

static void add_certificate(const struct smtp_host *host, cJSON *item)
{
    const struct certificate *certificate = chain_certificate(host->handshake.chain, 0);
    json_bool(item, "trusted", host->trust == TRUST_YES);
    json_bool(item, "hostname_match", host->is_for_host);
    json_str(item, "issuer", certificate->issuer);
    json_time(item, "expires_at", certificate->not_after_s * 1000);
}

static void add_host(const struct smtp_host *host, cJSON *list)
{
    cJSON *item = json_item(list);
    struct host address;
    host_of_address(&host->address, &address);
    json_str(item, "host", host->host);
    json_str(item, "address", host->has_address ? address.name : NULL);
    json_str(item, "result", end_names[host->end]);
    json_str(item, "greeting", host->greeting[0] ? host->greeting : NULL);
    json_bool_if(item, "starttls", host->end >= SMTP_PLAIN, host->offers_starttls);
    json_str(item, "tls_version",
             host->end == SMTP_TLS ? version_name(host->handshake.version) : NULL);
    if (host->end == SMTP_TLS)
        add_certificate(host, json_map(item, "certificate"));
    else
        json_null(item, "certificate");
}

void report_smtp(const struct facts *facts, cJSON *data)
{
    cJSON *list = json_list(data, "hosts");
    for (size_t i = 0; i < facts->smtp->count; i++)
        add_host(&facts->smtp->host[i], list);
}
