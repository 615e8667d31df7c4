/* svc-email/email-deliverability/judge-others.c - MTA-STS, TLS-RPT, BIMI, DNSSEC and DANE, which
 * are not scored. */
#include <string.h>

#include "base/ascii.h"
#include "judge.h"
#include "records/tags.h"

enum status judge_worst(const struct verdict *verdict)
{
    enum severity worst = verdict->count > 0 ? verdict->found[0].severity : SEVERITY_INFO;
    if (worst <= SEVERITY_HIGH)
        return STATUS_FAIL;
    return worst == SEVERITY_MEDIUM ? STATUS_WARN : STATUS_PASS;
}

/* Returns true without anything to judge: no answer, or no record. */
static bool is_absent(struct judgement *judgement, enum check check, enum finding absent,
                      const struct text_record *record, const char *what)
{
    if (status_is_temporary(record->status))
        conclude_check(judgement, check, STATUS_ERROR, "%s could not be looked up", what);
    else if (record->candidates == 0) {
        note_finding(judgement, absent, NULL);
        conclude_check(judgement, check, STATUS_INFO, "no %s", what);
    } else {
        return false;
    }
    return true;
}

/* ---- MTA-STS ---- */

/* RFC 8461 section 3.1: 1 to 32 letters and digits. */
static bool has_id(const char *record)
{
    enum { ID_MAX = 32 };
    struct tags tags;
    tags_read(text_of(record), &tags);
    const struct text *id = tags_get(&tags, "id");
    return !tags.is_malformed && id && id->size > 0 && id->size <= ID_MAX &&
           text_is_made_of(*id, ASCII_ALNUM);
}

static const char *find_stranger(const struct facts *facts)
{
    for (size_t i = 0; i < facts->mx.host_count; i++)
        if (!sts_policy_allows(&facts->policy.policy, facts->mx.host[i].host))
            return facts->mx.host[i].host;
    return NULL;
}

static void judge_sts_policy(const struct facts *facts, struct judgement *judgement)
{
    enum { DAY_S = 86400 };
    const struct sts_policy *policy = &facts->policy.policy;
    const char *stranger = policy->mode == STS_NONE ? NULL : find_stranger(facts);
    if (stranger && policy->mode == STS_ENFORCE)
        note_finding(judgement, FINDING_MTA_STS_MX_ENFORCED,
                     "%s is not in the enforced policy: senders do not deliver to it", stranger);
    else if (stranger)
        note_finding(judgement, FINDING_MTA_STS_MX, "%s is not in the policy", stranger);
    if (policy->mode != STS_ENFORCE)
        note_finding(judgement, FINDING_MTA_STS_MODE, "The policy's mode is %s",
                     sts_mode_name(policy->mode));
    note_finding_if(judgement, policy->max_age_s < DAY_S, FINDING_MTA_STS_MAX_AGE);
    note_finding_if(judgement, facts->policy.has_other_type, FINDING_MTA_STS_TYPE);
    note_finding_if(judgement, policy->has_repeats, FINDING_MTA_STS_REPEATED);
}

static void judge_sts(const struct facts *facts, struct judgement *judgement)
{
    const struct text_record *record = &facts->mta_sts;
    const struct policy_facts *policy = &facts->policy;
    if (is_absent(judgement, CHECK_MTA_STS, FINDING_MTA_STS_ABSENT, record, "MTA-STS record"))
        return;
    if (record->candidates > 1)
        note_finding(judgement, FINDING_MTA_STS_RECORD,
                     "There are several records at _mta-sts, so senders ignore all of them");
    else if (!has_id(record->record))
        note_finding(judgement, FINDING_MTA_STS_RECORD, NULL);
    if (policy->state == POLICY_NOT_FETCHED)
        return conclude_check(judgement, CHECK_MTA_STS, STATUS_ERROR, "time budget exhausted");
    if (policy->state == POLICY_FAILED)
        note_finding(judgement, FINDING_MTA_STS_FETCH, "The policy cannot be fetched: %s",
                     policy->why);
    else if (policy->policy.error)
        note_finding(judgement, FINDING_MTA_STS_POLICY, "The policy %s", policy->policy.error);
    else
        judge_sts_policy(facts, judgement);
    conclude_check(judgement, CHECK_MTA_STS, judge_worst(&judgement->verdict[CHECK_MTA_STS]),
                   "%s%s%s", record->record,
                   policy->state == POLICY_FETCHED && !policy->policy.error ? ", mode " : "",
                   policy->state == POLICY_FETCHED && !policy->policy.error
                       ? sts_mode_name(policy->policy.mode)
                       : "");
}

/* ---- TLS-RPT ---- */

static bool has_report_uris(const char *record)
{
    struct tags tags;
    tags_read(text_of(record), &tags);
    const struct text *rua = tags_get(&tags, "rua");
    struct text rest = rua ? *rua : (struct text){ 0 };
    bool ok = rest.size > 0 && !tags.is_malformed;
    while (ok && rest.size > 0) {
        struct text uri = text_trim(text_cut(&rest, ','));
        ok = text_begins_any_case(uri, "mailto:") || text_begins_any_case(uri, "https:");
    }
    return ok;
}

static void judge_tls_rpt(const struct facts *facts, struct judgement *judgement)
{
    const struct text_record *record = &facts->tls_rpt;
    if (is_absent(judgement, CHECK_TLS_RPT, FINDING_TLS_RPT_ABSENT, record, "TLS-RPT record"))
        return;
    note_finding_if(judgement, record->candidates > 1 || !has_report_uris(record->record),
                    FINDING_TLS_RPT_RECORD);
    conclude_check(judgement, CHECK_TLS_RPT, judge_worst(&judgement->verdict[CHECK_TLS_RPT]), "%s",
                   record->record);
}

/* ---- BIMI ---- */

/* An https URL with this suffix, or empty. */
static bool is_url_or_empty(const struct text *value, const char *end)
{
    size_t size = strlen(end);
    if (!value || value->size == 0)
        return true;
    return text_begins_any_case(*value, "https://") && value->size > size &&
           text_is_any_case(text_skip(*value, value->size - size), end);
}

static void judge_bimi(const struct facts *facts, struct judgement *judgement)
{
    const struct text_record *record = &facts->bimi;
    const struct dmarc_found *dmarc = &facts->dmarc.old;
    struct tags tags;
    if (is_absent(judgement, CHECK_BIMI, FINDING_BIMI_ABSENT, record, "BIMI record"))
        return;
    tags_read(text_of(record->record), &tags);
    const struct text *logo = tags_get(&tags, "l");
    const struct text *evidence = tags_get(&tags, "a");
    if (record->candidates > 1 || tags.is_malformed || !logo || !is_url_or_empty(logo, ".svg") ||
        !is_url_or_empty(evidence, ".pem"))
        note_finding(judgement, FINDING_BIMI_RECORD, NULL);
    else if (logo->size == 0)
        note_finding(judgement, FINDING_BIMI_DECLINED, NULL);
    else if (dmarc->policy < DMARC_P_QUARANTINE ||
             (dmarc->policy == DMARC_P_QUARANTINE && dmarc->place->dmarc.pct < 100))
        note_finding(judgement, FINDING_BIMI_DMARC, NULL);
    conclude_check(judgement, CHECK_BIMI, judge_worst(&judgement->verdict[CHECK_BIMI]), "%s",
                   record->record);
}

/* ---- DNSSEC, DANE ---- */

static void judge_dnssec(const struct facts *facts, struct judgement *judgement)
{
    if (status_is_temporary(facts->soa))
        return conclude_check(judgement, CHECK_DNSSEC, STATUS_ERROR,
                              "the zone could not be looked up");
    if (facts->is_signed)
        return conclude_check(judgement, CHECK_DNSSEC, STATUS_PASS,
                              "the resolver validated the zone");
    note_finding(judgement, FINDING_DNSSEC_ABSENT, NULL);
    conclude_check(judgement, CHECK_DNSSEC, STATUS_INFO, "not signed");
}

static void judge_dane(const struct facts *facts, struct judgement *judgement)
{
    size_t records = 0;
    size_t hosts = 0;
    bool is_secure = true;
    bool is_unknown = facts->mx.host_count > 0;
    for (size_t i = 0; i < facts->mx.host_count && i < DANE_HOSTS_MAX; i++) {
        const struct mx_host *host = &facts->mx.host[i];
        is_unknown &= status_is_temporary(host->tlsa);
        records += host->tlsa_count;
        hosts += host->tlsa_count > 0;
        is_secure &= host->tlsa_count == 0 || host->is_tlsa_secure;
    }
    if (is_unknown)
        return conclude_check(judgement, CHECK_DANE, STATUS_ERROR,
                              "the TLSA records could not be looked up");
    if (records == 0) {
        note_finding(judgement, FINDING_DANE_ABSENT, NULL);
        return conclude_check(judgement, CHECK_DANE, STATUS_INFO, "no TLSA records");
    }
    note_finding_if(judgement, !is_secure, FINDING_DANE_INSECURE);
    conclude_check(judgement, CHECK_DANE, is_secure ? STATUS_INFO : STATUS_WARN,
                   "%zu TLSA record%s at %zu mail server%s", records, records == 1 ? "" : "s",
                   hosts, hosts == 1 ? "" : "s");
}

void judge_others(const struct facts *facts, struct judgement *judgement)
{
    judge_sts(facts, judgement);
    judge_tls_rpt(facts, judgement);
    judge_bimi(facts, judgement);
    judge_dnssec(facts, judgement);
    judge_dane(facts, judgement);
}
