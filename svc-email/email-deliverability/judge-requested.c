/* svc-email/email-deliverability/judge-requested.c - the checks that a request asks for: an address
 * that sends for the domain, and the mail servers. They are not scored. */
#include <string.h>

#include "judge.h"

/* ---- Sender ---- */

static const enum finding spf_findings[SPF_OUTCOMES] = {
    [SPF_FAIL] = FINDING_SENDER_SPF_FAIL,           [SPF_SOFTFAIL] = FINDING_SENDER_SPF_SOFTFAIL,
    [SPF_NEUTRAL] = FINDING_SENDER_SPF_NEUTRAL,     [SPF_NONE] = FINDING_SENDER_SPF_NONE,
    [SPF_PERMERROR] = FINDING_SENDER_SPF_PERMERROR, [SPF_TEMPERROR] = FINDING_SENDER_SPF_TEMPERROR,
};

static bool is_about_network(const struct listing *listing)
{
    return strcmp(listing->list->category, "network") == 0 ||
           strcmp(listing->list->category, "backscatter") == 0;
}

/* The lists of one of the two kinds that contain the address, "A, B". Returns their number. */
static size_t name_lists(const struct sender_facts *sender, bool is_network, struct buf *names)
{
    size_t count = 0;
    for (size_t i = 0; i < sender->listings.count; i++) {
        const struct listing *listing = &sender->listings.item[i];
        if (listing->reading.status != LISTING_LISTED || is_about_network(listing) != is_network)
            continue;
        buf_format(names, "%s%s", count > 0 ? ", " : "", listing->list->name);
        count++;
    }
    return count;
}

static size_t count_queried(const struct sender_facts *sender)
{
    size_t count = 0;
    for (size_t i = 0; i < sender->listings.count; i++)
        count += sender->listings.item[i].list->may_query;
    return count;
}

static bool are_lists_known(const struct sender_facts *sender)
{
    size_t answered = sender_count_listings(sender, LISTING_LISTED) +
                      sender_count_listings(sender, LISTING_CLEAN);
    return answered > 0 && 2 * answered >= count_queried(sender);
}

static bool is_reverse_known(const struct sender_facts *sender)
{
    return sender_is_confirmed(sender) ||
           (!status_is_temporary(sender->reverse) && !sender->is_reverse_unknown);
}

enum may_send judge_may_send(const struct sender_facts *sender)
{
    enum { NAMES_BYTES = 2000 };
    scoped(buf_free) struct buf names = BUF(NAMES_BYTES);
    bool is_spf_known = sender->spf.outcome != SPF_TEMPERROR;
    bool is_spf_good = sender->spf.outcome == SPF_PASS;
    bool is_listed = name_lists(sender, false, &names) > 0;
    if ((is_spf_known && !is_spf_good) || is_listed ||
        (is_reverse_known(sender) && !sender_is_confirmed(sender)))
        return MAY_SEND_NO;
    return is_spf_known && is_reverse_known(sender) && are_lists_known(sender) ? MAY_SEND_YES
                                                                               : MAY_SEND_UNKNOWN;
}

static void judge_spf_outcome(const struct sender_facts *sender, struct judgement *judgement)
{
    const struct spf_check *spf = &sender->spf;
    if (spf->outcome == SPF_PASS)
        return;
    if (spf->outcome == SPF_PERMERROR && spf->why)
        note_finding(judgement, FINDING_SENDER_SPF_PERMERROR,
                     "SPF permits no address: %s (RFC 7208)", spf->why);
    else if (spf->term && spf->outcome != SPF_TEMPERROR)
        note_finding(judgement, spf_findings[spf->outcome], "SPF is %s for the address, by %.200s",
                     spf_outcome_names[spf->outcome], spf->term);
    else
        note_finding(judgement, spf_findings[spf->outcome], NULL);
}

static void judge_reverse(const struct sender_facts *sender, struct judgement *judgement)
{
    if (!is_reverse_known(sender))
        note_finding(judgement, FINDING_SENDER_REVERSE_UNKNOWN, NULL);
    else if (sender->names == 0)
        note_finding(judgement, FINDING_SENDER_NO_REVERSE, NULL);
    else if (!sender_is_confirmed(sender))
        note_finding(
            judgement, FINDING_SENDER_REVERSE_UNCONFIRMED,
            "The reverse name %.200s does not lead back to the address, and many receivers "
            "reject such mail",
            sender->name[0].name);
}

static void judge_listings(const struct sender_facts *sender, struct judgement *judgement)
{
    enum { NAMES_BYTES = 2000 };
    for (int is_network = 0; is_network < 2; is_network++) {
        scoped(buf_free) struct buf names = BUF(NAMES_BYTES);
        size_t count = name_lists(sender, is_network, &names);
        if (count > 0)
            note_finding(judgement,
                         is_network ? FINDING_SENDER_NETWORK_LISTED : FINDING_SENDER_LISTED,
                         "%s: %.300s",
                         is_network ? "Lists of whole networks, or of bounces, contain the address"
                                    : "Blocklists contain the address",
                         buf_str(&names));
    }
    note_finding_if(judgement, !are_lists_known(sender), FINDING_SENDER_LISTS_UNKNOWN);
}

static void judge_sender(const struct sender_facts *sender, struct judgement *judgement)
{
    const struct verdict *verdict = &judgement->verdict[CHECK_SENDER];
    judge_spf_outcome(sender, judgement);
    judge_reverse(sender, judgement);
    judge_listings(sender, judgement);
    enum status status = judge_worst(verdict);
    if (status == STATUS_PASS && judge_may_send(sender) == MAY_SEND_UNKNOWN)
        status = STATUS_ERROR;
    conclude_check(judgement, CHECK_SENDER, status, "%s: SPF %s, %s, on %zu of %zu blocklists",
                   sender->address.name, spf_outcome_names[sender->spf.outcome],
                   sender_is_confirmed(sender) ? "reverse name confirmed"
                   : is_reverse_known(sender)  ? "no confirmed reverse name"
                                               : "reverse name unknown",
                   sender_count_listings(sender, LISTING_LISTED), count_queried(sender));
}

/* ---- SMTP ---- */

/* What is found if there is no TLS. */
static const enum finding end_findings[] = {
    [SMTP_NOT_ALLOWED] = FINDING_SMTP_NOT_ALLOWED, [SMTP_NO_ADDRESS] = FINDING_SMTP_NOT_ALLOWED,
    [SMTP_NO_ANSWER] = FINDING_SMTP_NO_ANSWER,     [SMTP_CLOSED] = FINDING_SMTP_CLOSED,
    [SMTP_SILENT] = FINDING_SMTP_SILENT,           [SMTP_REJECTS] = FINDING_SMTP_REJECTS,
    [SMTP_PLAIN] = FINDING_SMTP_NO_STARTTLS,       [SMTP_NO_TLS] = FINDING_SMTP_TLS_FAILED,
};

static const char *const end_sentences[] = {
    [SMTP_NOT_ALLOWED] = "was not tested, because its address is not public",
    [SMTP_NO_ADDRESS] = "was not tested, because its address could not be looked up",
    [SMTP_NO_ANSWER] = "does not answer on port 25",
    [SMTP_CLOSED] = "does not accept connections on port 25",
    [SMTP_SILENT] = "accepts the connection, but does not speak SMTP in time",
    [SMTP_REJECTS] = "rejects the session",
    [SMTP_PLAIN] = "does not offer STARTTLS, so mail to it is not encrypted",
    [SMTP_NO_TLS] = "offers STARTTLS, but TLS fails",
};

static void note_end(const struct smtp_host *host, struct judgement *judgement)
{
    note_finding(judgement, end_findings[host->end], "%s %s%s%s", host->host,
                 end_sentences[host->end], host->end == SMTP_REJECTS ? ": " : "",
                 host->end == SMTP_REJECTS ? host->greeting : "");
}

/* Senders verify certificates only by MTA-STS, and by DANE, which needs no authority. */
static void judge_certificate(const struct facts *facts, const struct smtp_host *host,
                              struct judgement *judgement)
{
    enum { SOON_S = 14 * 86400 };
    const struct certificate *certificate = chain_certificate(host->handshake.chain, 0);
    bool is_enforced = facts->policy.state == POLICY_FETCHED && !facts->policy.policy.error &&
                       facts->policy.policy.mode == STS_ENFORCE;
    const char *so = is_enforced ? ", so senders with MTA-STS do not deliver to it" : "";
    if (host->trust == TRUST_EXPIRED)
        note_finding(judgement, FINDING_SMTP_CERTIFICATE_EXPIRED,
                     "The certificate of %s is expired, or not valid yet%s", host->host, so);
    else if (host->trust != TRUST_YES)
        note_finding(judgement, FINDING_SMTP_CERTIFICATE_UNTRUSTED,
                     "The certificate of %s is not from a trusted authority%s", host->host, so);
    else if (certificate->not_after_s < facts->smtp->now_s + SOON_S)
        note_finding(judgement, FINDING_SMTP_CERTIFICATE_ENDS,
                     "The certificate of %s expires within 14 days", host->host);
    if (!host->is_for_host)
        note_finding(judgement, FINDING_SMTP_CERTIFICATE_NAME,
                     "The certificate of %s is for another name%s", host->host, so);
}

static void judge_host(const struct facts *facts, const struct smtp_host *host,
                       struct judgement *judgement)
{
    enum { TLS12 = 0x0303 };
    if (host->end != SMTP_TLS)
        return note_end(host, judgement);
    if (host->handshake.version < TLS12)
        note_finding(judgement, FINDING_SMTP_OLD_TLS,
                     "The best TLS version of %s is older than 1.2", host->host);
    judge_certificate(facts, host, judgement);
}

static void judge_smtp(const struct facts *facts, struct judgement *judgement)
{
    const struct smtp_facts *smtp = facts->smtp;
    size_t answered = 0;
    size_t encrypted = 0;
    for (size_t i = 0; i < smtp->count; i++) {
        judge_host(facts, &smtp->host[i], judgement);
        answered += smtp->host[i].end >= SMTP_CLOSED;
        encrypted += smtp->host[i].end == SMTP_TLS;
    }
    if (smtp->count == 0) {
        note_finding(judgement, FINDING_SMTP_NO_HOSTS, NULL);
        return conclude_check(judgement, CHECK_SMTP, STATUS_INFO, "no mail server to connect to");
    }
    if (answered == 0)
        return conclude_check(judgement, CHECK_SMTP, STATUS_ERROR,
                              "none of %zu mail servers could be reached on port 25, which the "
                              "network of this service may block",
                              smtp->count);
    conclude_check(judgement, CHECK_SMTP, judge_worst(&judgement->verdict[CHECK_SMTP]),
                   "%zu of %zu mail servers encrypt with STARTTLS", encrypted, smtp->count);
}

void judge_requested(const struct facts *facts, struct judgement *judgement)
{
    if (facts->sender)
        judge_sender(facts->sender, judgement);
    if (facts->smtp)
        judge_smtp(facts, judgement);
}
