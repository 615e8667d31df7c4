/* svc-email/address/judge.c - the rules of signals.def, and the score. */
#include "address/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address/local.h"
#include "address/lookalike.h"
#include "address/typo.h"
#include "base/ascii.h"
#include "base/num.h"
#include "dns/domain.h"
#include "text/json.h"

enum {
    SUSPICIOUS_MIN = 40,
    GIBBERISH = 750,
    RANDOM = 900,
    DOMAIN_GIBBERISH = 850,
    DOMAIN_GIBBERISH_LETTERS = 8,
    DIGITS_MANY = 4,
    LOCAL_LONG = 40,
    DOTS_MANY = 4,
};

const struct signal_row signal_rows[SIGNALS] = {
#define SIGNAL(code, weight, message) [SIGNAL_##code] = { #code, weight, message },
#include "address/signals.def"
#undef SIGNAL
};

const char *const verdict_names[] = {
    [VERDICT_DISPOSABLE] = "disposable",
    [VERDICT_SUSPICIOUS] = "suspicious",
    [VERDICT_LEGITIMATE] = "legitimate",
};

/* ---- the facts as rules need them ---- */

struct view {
    const struct facts *facts;
    const struct knowledge *knowledge;
    const char *domain;
    const struct evidence *evidence; /* never NULL */
    char local[MAILBOX_OCTETS + 1];  /* in lower case */
    char base[MAILBOX_OCTETS + 1];   /* without its tag */
    struct text org_label;           /* first label of the registrable domain */
    bool *fired;                     /* in the judgement */
};

static void fire_signal(struct view *view, enum signal_code code, bool does)
{
    if (does)
        view->fired[code] = true;
}

/* Fire the first of two signals, and the second only without it. */
static bool fire_first(struct view *view, enum signal_code code, bool does)
{
    fire_signal(view, code, does);
    return does;
}

static size_t count_byte(const char *text, char byte)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == byte;
    return count;
}

/* ---- the domain's name ---- */

/* RFC 2606, 6761, 6762, 7686, 8375, 9476, and .internal, which ICANN reserved. */
static bool is_special_use(const char *domain)
{
    static const char *const names[] = {
        "alt",      "arpa",    "example", "example.com", "example.net", "example.org", "home.arpa",
        "internal", "invalid", "local",   "localhost",   "onion",       "test",
    };
    for (size_t i = 0; i < countof(names); i++)
        if (name_is_within(domain, names[i]))
            return true;
    return false;
}

static bool has_keyword(const struct view *view)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, view->knowledge->disposable_keywords)
        if (strstr(view->domain, json_text_of(item).bytes))
            return true;
    return false;
}

static const char *top_of(const char *domain)
{
    const char *dot = strrchr(domain, '.');
    return dot ? dot + 1 : domain;
}

static size_t count_digits(struct text text)
{
    size_t digits = 0;
    for (size_t i = 0; i < text.size; i++)
        digits += ascii_is_digit(text.bytes[i]);
    return digits;
}

static bool is_relay(const struct view *view)
{
    return names_have_within(&view->knowledge->relays, view->domain);
}

static void judge_lists(struct view *view)
{
    enum domain_match match =
        is_relay(view) || providers_find(view->knowledge->providers, view->domain)
            ? DOMAIN_UNLISTED
            : domain_list_match(view->knowledge->disposable, view->domain, view->facts->owner);
    fire_signal(view, SIGNAL_disposable_domain, match == DOMAIN_LISTED);
    fire_signal(view, SIGNAL_disposable_subdomain, match == DOMAIN_BELOW_LISTED);
    fire_signal(view, SIGNAL_relay_alias, is_relay(view));
}

static bool is_listed(const struct view *view)
{
    return view->fired[SIGNAL_disposable_domain] || view->fired[SIGNAL_disposable_subdomain];
}

static void judge_name(struct view *view)
{
    struct text label = view->org_label;
    bool has_a_label = text_has(text_of(view->domain), "xn--");
    fire_signal(view, SIGNAL_disposable_keyword, !is_listed(view) && has_keyword(view));
    fire_signal(view, SIGNAL_idn_domain, has_a_label);
    fire_signal(view, SIGNAL_homoglyph_domain,
                has_a_label && lookalike_of(view->knowledge, view->domain) != NULL);
    fire_signal(view, SIGNAL_suspicious_tld,
                names_have(&view->knowledge->suspicious_tlds, text_of(top_of(view->domain))));
    if (text_begins(label, "xn--"))
        return;
    fire_signal(view, SIGNAL_domain_gibberish,
                label.size >= DOMAIN_GIBBERISH_LETTERS && gibberish_of(label) >= DOMAIN_GIBBERISH);
    fire_signal(view, SIGNAL_domain_digits, count_digits(label) >= DIGITS_MANY);
}

/* ---- the DNS ---- */

/* Whether a mail server is one of these names, or below one. */
static bool has_mx_within(const struct evidence *evidence, const struct names *names)
{
    char host[DNS_NAME_BYTES];
    for (size_t i = 0; i < evidence->mx_count; i++) {
        evidence_host(evidence, i, host);
        if (names_have_within(names, host))
            return true;
    }
    return false;
}

/* The operator of the first known mail server; NULL: none. */
static const struct mail_provider *operator_of(const struct view *view)
{
    char host[DNS_NAME_BYTES];
    const struct mail_provider *operator= NULL;
    for (size_t i = 0; i < view->evidence->mx_count && !operator; i++) {
        evidence_host(view->evidence, i, host);
        operator= mail_providers_find(view->knowledge->operators, MAIL_MX, host);
    }
    return operator;
}

static bool has_provider_mx(const struct evidence *evidence, const struct provider *provider)
{
    char host[DNS_NAME_BYTES];
    for (size_t i = 0; i < evidence->mx_count; i++) {
        evidence_host(evidence, i, host);
        if (provider_has_mx(provider, host))
            return true;
    }
    return false;
}

static void judge_servers(struct view *view)
{
    const struct evidence *evidence = view->evidence;
    fire_signal(view, SIGNAL_domain_nxdomain, evidence->is_nxdomain);
    fire_signal(view, SIGNAL_domain_null_mx, evidence->is_null_mx);
    fire_signal(view, SIGNAL_domain_no_mail_server, evidence->has_no_server);
    fire_signal(view, SIGNAL_domain_mx_unresolvable, evidence->is_mx_unresolvable);
    fire_signal(view, SIGNAL_domain_mx_private, evidence->is_mx_private);
    fire_signal(view, SIGNAL_domain_mx_is_ip, evidence->is_mx_address);
    fire_signal(view, SIGNAL_domain_implicit_mx, evidence->is_implicit);
    fire_signal(view, SIGNAL_domain_parked_mx,
                has_mx_within(evidence, &view->knowledge->parked_mx));
    fire_signal(view, SIGNAL_domain_refuses_mail,
                evidence->spf_rejects_all && !evidence->has_mx && !evidence->is_nxdomain);
    fire_signal(view, SIGNAL_dns_unavailable, evidence->is_unavailable);
    fire_signal(view, SIGNAL_no_domain_auth,
                evidence->has_mx && evidence->is_policy_known && !evidence->has_spf &&
                    evidence->dmarc == DMARC_NO_POLICY);
    fire_signal(view, SIGNAL_disposable_mx,
                !is_listed(view) && has_mx_within(evidence, &view->knowledge->disposable_mx));
}

/* ---- the local part ---- */

static enum role role_of(const struct view *view)
{
    struct text whole = text_of(view->base);
    struct text first = { view->base, strcspn(view->base, ".+_-") };
    const struct names *noreply = &view->knowledge->roles[ROLE_NOREPLY];
    for (uint32_t i = 0; i < noreply->count; i++) { /* also noreply-news and no-reply.shop */
        struct text word = names_at(noreply, i);
        if (text_begins(whole, word.bytes) &&
            (whole.size == word.size || strchr(".+_-", whole.bytes[word.size])))
            return ROLE_NOREPLY;
    }
    for (enum role role = ROLE_TECHNICAL; role > ROLE_NONE; role--)
        if (names_have(&view->knowledge->roles[role], whole) ||
            names_have(&view->knowledge->roles[role], first))
            return role;
    return ROLE_NONE;
}

static void judge_role(struct view *view)
{
    enum role role = role_of(view);
    fire_signal(view, SIGNAL_role_account, role == ROLE_ORDINARY);
    fire_signal(view, SIGNAL_role_technical, role == ROLE_TECHNICAL);
    fire_signal(view, SIGNAL_role_noreply, role == ROLE_NOREPLY);
}

static void judge_shape(struct view *view)
{
    struct text local = text_of(view->base);
    struct text stem = text_without_digits_at_end(local);
    int gibberish = gibberish_of(local);
    bool is_placeholder = names_have(&view->knowledge->placeholders, stem);
    if (fire_first(view, SIGNAL_local_placeholder, is_placeholder) ||
        fire_first(view, SIGNAL_local_keyboard_walk, local_is_keyboard_walk(local)) ||
        fire_first(view, SIGNAL_local_repeated, local_is_repeated(local)))
        return;
    if (!fire_first(view, SIGNAL_local_random, gibberish >= RANDOM || local_is_random(local)))
        fire_signal(view, SIGNAL_local_gibberish, gibberish >= GIBBERISH);
}

static void judge_local(struct view *view, const struct provider *provider)
{
    struct text local = text_of(view->base);
    struct text stem = text_without_digits_at_end(local);
    bool is_mostly = local_is_mostly_digits(local) && !(provider && provider->has_numbers);
    judge_role(view);
    judge_shape(view);
    fire_signal(view, SIGNAL_local_mostly_digits, is_mostly);
    fire_signal(view, SIGNAL_local_many_digits,
                local.size - stem.size >= DIGITS_MANY && !is_mostly &&
                    !(provider && provider->has_numbers));
    fire_signal(view, SIGNAL_local_single_char, local.size == 1);
    fire_signal(view, SIGNAL_local_long, strlen(view->local) > LOCAL_LONG);
    if (!provider)
        return;
    fire_signal(view, SIGNAL_many_dots_gmail,
                provider->ignores_dots && count_byte(view->base, '.') >= DOTS_MANY);
    fire_signal(view, SIGNAL_local_violates_provider,
                provider->local && !regex_matches(provider->local, local));
}

/* ---- the syntax ---- */

static void judge_syntax(struct view *view)
{
    const struct mailbox *mailbox = view->facts->mailbox;
    fire_signal(view, SIGNAL_syntax_invalid, !mailbox->is_valid);
    fire_signal(view, SIGNAL_syntax_display_name, mailbox->is_valid && mailbox->has_wrapping);
    if (!mailbox->is_valid)
        return;
    fire_signal(view, SIGNAL_syntax_deprecated, mailbox->category == MAILBOX_DEPRECATED);
    fire_signal(view, SIGNAL_syntax_comment, mailbox->category == MAILBOX_CFWS);
    fire_signal(view, SIGNAL_syntax_quoted_local, mailbox->is_quoted);
    fire_signal(view, SIGNAL_syntax_address_literal, mailbox->is_literal);
    fire_signal(view, SIGNAL_syntax_single_label,
                !mailbox->is_literal && !strchr(view->domain, '.'));
    fire_signal(view, SIGNAL_syntax_smtputf8, mailbox->is_smtputf8);
}

/* Split the local part at the provider's tag character, or at + for unknown providers. */
static bool split_tag(struct view *view, const struct provider *provider)
{
    char mark = provider && provider->tag ? provider->tag : '+';
    const char *at = strchr(view->local, mark);
    bool has_tag = at && at > view->local && !view->facts->mailbox->is_quoted;
    snprintf(view->base, sizeof(view->base), "%.*s",
             (int)(has_tag ? (size_t)(at - view->local) : strlen(view->local)), view->local);
    return has_tag;
}

/* ---- suggestion and canonical form ---- */

static void add_suggestion(struct view *view, struct judgement *judgement)
{
    char meant[HOST_BYTES];
    const struct mailbox *mailbox = view->facts->mailbox;
    const struct evidence *evidence = view->evidence;
    bool takes_mail = evidence->is_known ? evidence->has_mx : is_listed(view) || !mailbox->is_valid;
    bool is_name =
        !mailbox->is_literal && mailbox->domain.size < HOST_BYTES && strchr(view->domain, '.');
    enum typo typo =
        is_name ? typo_find(view->knowledge, view->facts->suffixes, view->domain, takes_mail, meant)
                : TYPO_NONE;
    fire_signal(view, SIGNAL_typo_domain, typo == TYPO_DOMAIN);
    fire_signal(view, SIGNAL_typo_tld, typo == TYPO_SUFFIX);
    if (typo == TYPO_NONE || !mailbox->is_valid)
        return;
    int size = (int)(mailbox->normalized.size - mailbox->domain.size);
    judgement->has_suggestion = true;
    snprintf(judgement->suggestion, sizeof(judgement->suggestion), "%.*s%s", size,
             buf_str(&mailbox->normalized), meant);
}

static void write_canonical(const struct view *view, const struct provider *provider, char *out,
                            size_t size)
{
    const struct mailbox *mailbox = view->facts->mailbox;
    char local[MAILBOX_OCTETS + 1];
    size_t written = 0;
    if (mailbox->is_quoted) {
        snprintf(out, size, "%s", buf_str(&mailbox->normalized));
        return;
    }
    const char *from = provider && provider->tag ? view->base : view->local;
    for (; *from; from++)
        if (*from != '.' || !provider || !provider->ignores_dots)
            local[written++] = *from;
    local[written] = '\0';
    snprintf(out, size, "%s@%s", local,
             provider && provider->same_as ? provider->same_as : view->domain);
}

/* ---- the judgement ---- */

static struct view view_of(const struct facts *facts, bool *fired)
{
    static const struct evidence none = { 0 };
    const struct mailbox *mailbox = facts->mailbox;
    struct view view = {
        .facts = facts,
        .knowledge = facts->knowledge,
        .domain = buf_str(&mailbox->domain),
        .evidence = facts->evidence ? facts->evidence : &none,
        .org_label = { facts->owner, strcspn(facts->owner, ".") },
        .fired = fired,
    };
    size_t size = MIN(mailbox->local.size, MAILBOX_OCTETS);
    for (size_t i = 0; i < size; i++)
        view.local[i] = ascii_lower(mailbox->local.bytes[i]);
    return view;
}

bool facts_need_no_evidence(const struct facts *facts)
{
    bool fired[SIGNALS] = { false };
    struct view view = view_of(facts, fired);
    if (!facts->mailbox->is_valid || facts->mailbox->is_literal || !strchr(view.domain, '.') ||
        is_special_use(view.domain))
        return true;
    judge_lists(&view);
    return is_listed(&view);
}

static void set_verdict(struct judgement *judgement)
{
    bool is_disposable = judgement->signal[SIGNAL_disposable_domain] ||
                         judgement->signal[SIGNAL_disposable_subdomain] ||
                         judgement->signal[SIGNAL_disposable_mx];
    int score = 0;
    for (enum signal_code i = 0; i < SIGNALS; i++) {
        if (is_disposable && signal_rows[i].weight < 0) /* no signal may then speak for it */
            judgement->signal[i] = false;
        score += judgement->signal[i] ? signal_rows[i].weight : 0;
    }
    judgement->score = MIN(MAX(score, 0), 100);
    judgement->verdict = is_disposable                        ? VERDICT_DISPOSABLE
                         : judgement->score >= SUSPICIOUS_MIN ? VERDICT_SUSPICIOUS
                                                              : VERDICT_LEGITIMATE;
}

/* Find the mail provider, and fire its signals. */
static void judge_provider(struct view *view, struct judgement *judgement)
{
    const struct provider *provider = judgement->provider;
    const struct mail_provider *operator= operator_of(view);
    bool is_trusted = provider && has_provider_mx(view->evidence, provider);
    bool is_free = provider || (view->knowledge->free &&
                                domain_list_match(view->knowledge->free, view->domain,
                                                  view->facts->owner) != DOMAIN_UNLISTED);
    judgement->mail_provider = is_trusted ? provider->name : operator? operator->name : NULL;
    fire_signal(view, SIGNAL_free_provider, is_free && !is_listed(view));
    fire_signal(view, SIGNAL_trusted_provider, is_trusted);
    fire_signal(view, SIGNAL_business_mail, operator&& operator->is_business && !is_free);
    fire_signal(view, SIGNAL_domain_dmarc_enforced, view->evidence->dmarc >= DMARC_P_QUARANTINE);
}

void judge_address(const struct facts *facts, struct judgement *judgement)
{
    *judgement = (struct judgement){ 0 };
    struct view view = view_of(facts, judgement->signal);
    const struct mailbox *mailbox = facts->mailbox;
    judge_syntax(&view);
    if (mailbox->is_valid) {
        const struct provider *provider = providers_find(view.knowledge->providers, view.domain);
        judgement->provider = provider;
        judgement->is_subaddressed = split_tag(&view, provider);
        fire_signal(&view, SIGNAL_subaddress_tag, judgement->is_subaddressed);
        judge_local(&view, provider);
        write_canonical(&view, provider, judgement->canonical, sizeof(judgement->canonical));
    }
    if (mailbox->is_valid && !mailbox->is_literal && strchr(view.domain, '.')) {
        bool is_special = is_special_use(view.domain);
        fire_signal(&view, SIGNAL_domain_special_use, is_special);
        fire_signal(&view, SIGNAL_domain_unknown_tld,
                    !is_special && !knowledge_has_top(view.knowledge, top_of(view.domain)));
        judge_lists(&view);
        if (!judgement->provider)
            judge_name(&view);
        judge_servers(&view);
        judge_provider(&view, judgement);
    }
    if (!is_special_use(view.domain))
        add_suggestion(&view, judgement);
    set_verdict(judgement);
}
