/* svc-email/email-deliverability/email-deliverability.c - check a domain's mail setup: its records,
 * their points, and what to fix. */
#include <string.h>

#include "base/ascii.h"
#include "base/codec/cidr.h"
#include "base/codec/invent.h"
#include "base/mem.h"
#include "base/os/deadline.h"
#include "base/os/parallel.h"
#include "blocklists/sender-files.h"
#include "collect.h"
#include "dns/domain.h"
#include "judge.h"
#include "net/egress.h"
#include "net/http/fetch.h"
#include "report.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    WHOLE_MS = 9500,
    QUESTION_MS = 2500,
    QUESTION_TRIES = 2,
    QUESTIONS_MAX = 160,
    POLICY_MS = 4000,
    POLICY_BYTES = 64 << 10, /* RFC 8461 section 3.3 */
    SELECTOR_BYTES = 64,
    STATUS_OK = 200,
};

/* The state of one call. */
struct call {
    char domain[HOST_BYTES];
    char wildcard[INVENTED_BYTES];
    char own[DKIM_OWN_MAX][SELECTOR_BYTES];
    struct subject subject;
    struct lookups *lookups;
    struct egress_session *session;
    struct facts facts;
    struct policy_facts policy;
    struct fetch fetch; /* owns the policy's texts */
    bool wants_sender, wants_smtp;
    struct in6_addr address;
    struct egress *egress;
    struct dnsbls *lists;
    struct lookup_limits limits;
    struct sender_facts sender;
    struct smtp_facts smtp;
    struct judgement judgement;
};

static void call_free(struct call **address)
{
    struct call *call = *address;
    if (!call)
        return;
    judgement_free(&call->judgement);
    sender_free(&call->sender);
    for (size_t i = 0; i < call->smtp.count; i++)
        smtp_host_free(&call->smtp.host[i]);
    facts_free(&call->facts);
    fetch_free(&call->fetch);
    lookups_free(&call->lookups);
    egress_session_free(&call->session);
    mem_free(address);
}

/* ---- DNS ---- */

static void collect_facts(struct call *call)
{
    facts_free(&call->facts);
    facts_collect(&call->subject, call->lookups, &call->facts);
}

static void run_queries(struct call *call)
{
    do
        collect_facts(call);
    while (lookups_run(call->lookups));
}

/* ---- the MTA-STS policy ---- */

static bool fetch_policy_page(struct call *call, struct err *err)
{
    const struct fetch_options options = {
        .must_verify = true, /* redirects are not followed: RFC 8461 section 3.3 */
        .first_byte_ms = POLICY_MS,
        .max_wire_bytes = POLICY_BYTES,
        .max_body_bytes = POLICY_BYTES,
    };
    scoped(mem_free) char *url =
        str_format("https://mta-sts.%s/.well-known/mta-sts.txt", call->domain);
    scoped(target_free) struct target target = { 0 };
    return target_parse_url(text_of(url), &target, err) &&
           fetch_guarded(call->session, &target, &options, &call->fetch, err);
}

static const char *find_fault(const struct fetch *fetch)
{
    int status = fetch_last(fetch)->status;
    if (fetch_is_redirect(status))
        return "it is a redirect, which RFC 8461 forbids to follow";
    if (status != STATUS_OK)
        return "the status is not 200";
    if (!fetch_last(fetch)->tls_verified)
        return "the certificate is not valid for its name";
    if (fetch->end == FETCH_CUT)
        return "it is larger than 64 KiB";
    return fetch->end == FETCH_WHOLE ? NULL
                                     : "the connection closed before the whole policy arrived";
}

static void fetch_policy(struct call *call)
{
    struct policy_facts *policy = &call->policy;
    char type[MEDIA_TYPE_BYTES];
    struct err err = { 0 };
    policy->state = POLICY_FAILED;
    if (!fetch_policy_page(call, &err)) {
        policy->why = facts_format(&call->judgement.arena, "%s", err.message);
        return;
    }
    policy->why = find_fault(&call->fetch);
    if (policy->why)
        return;
    fetch_media_type(&call->fetch, type);
    policy->has_other_type = strcmp(type, "text/plain") != 0;
    policy->state = POLICY_FETCHED;
    sts_policy_read(buf_text(&call->fetch.body), &policy->policy);
}

/* ---- an address that sends ---- */

static void look_up_sender(struct call *call)
{
    sender_collect(&call->address, call->domain, call->lists, call->egress, &call->limits,
                   &call->sender);
}

/* ---- the mail servers ---- */

struct probe {
    struct call *call;
    struct smtp_host *host;
};

static void run_probe(void *item)
{
    struct probe *probe = item;
    smtp_probe(probe->host, probe->call->session, probe->call->smtp.now_s);
}

static void probe_hosts(struct call *call)
{
    struct probe probes[SMTP_HOSTS_MAX];
    for (size_t i = 0; i < call->smtp.count; i++)
        probes[i] = (struct probe){ call, &call->smtp.host[i] };
    parallel(probes, call->smtp.count, sizeof(probes[0]), SMTP_HOSTS_MAX, run_probe);
}

/* The first hosts of the MX records. Their names live as long as the lookups. */
static void choose_hosts(struct call *call)
{
    const struct mx_facts *mx = &call->facts.mx;
    for (size_t i = 0; i < mx->host_count && call->smtp.count < SMTP_HOSTS_MAX; i++) {
        struct smtp_host *host = &call->smtp.host[call->smtp.count++];
        *host = (struct smtp_host)SMTP_HOST_INIT;
        host->host = mx->host[i].host;
    }
}

/* ---- all at once ---- */

struct step {
    struct call *call;
    void (*run)(struct call *call);
};

static void run_step(void *item)
{
    struct step *step = item;
    step->run(step->call);
}

/* The first DNS answers show whether there is a policy, and which mail servers there are. The rest
 * runs while the other queries run. */
static void collect_all(struct call *call)
{
    enum { STEPS_MAX = 4 };
    struct step steps[STEPS_MAX] = { { call, run_queries } };
    size_t count = 1;
    collect_facts(call);
    lookups_run(call->lookups);
    collect_facts(call);
    if (call->facts.mta_sts.candidates > 0)
        steps[count++] = (struct step){ call, fetch_policy };
    if (call->wants_sender)
        steps[count++] = (struct step){ call, look_up_sender };
    if (call->wants_smtp) {
        choose_hosts(call);
        steps[count++] = (struct step){ call, probe_hosts };
    }
    parallel(steps, count, sizeof(steps[0]), STEPS_MAX, run_step);
    call->facts.policy = call->policy;
    call->facts.sender = call->wants_sender ? &call->sender : NULL;
    call->facts.smtp = call->wants_smtp ? &call->smtp : NULL;
    call->facts.is_partial |= call->sender.is_partial;
}

/* ---- the request ---- */

static bool is_selector(struct text text)
{
    return text.size > 0 && text.size < SELECTOR_BYTES && ascii_is_alnum(text.bytes[0]) &&
           ascii_is_alnum(text.bytes[text.size - 1]) && text_is_made_of(text, ASCII_ALNUM "._-");
}

static bool read_selectors(const struct job *job, struct call *call, struct err *err)
{
    const cJSON *item;
    struct subject *subject = &call->subject;
    cJSON_ArrayForEach(item, arg_any(job, "dkim_selectors")) {
        struct text text = json_text_of(item);
        char *selector = call->own[subject->own_selectors];
        if (!is_selector(text))
            return err_set(err, ERR_INVALID_VALUE,
                           "dkim_selectors must be names of 1 to 63 letters, digits, dots, "
                           "underscores and hyphens, each with a letter or digit at both ends");
        for (size_t i = 0; i < text.size; i++)
            selector[i] = ascii_lower(text.bytes[i]);
        subject->own_selector[subject->own_selectors++] = selector;
    }
    return true;
}

/* An address that receivers can see: mail never comes from others. */
static bool read_address(const struct job *job, struct call *call, struct err *err)
{
    struct text ip = text_trim(arg_text(job, "ip"));
    call->wants_sender = ip.size > 0;
    if (!call->wants_sender ||
        (address_parse(ip, &call->address) && facts_is_public(&call->address)))
        return true;
    return err_set(err, ERR_INVALID_IP,
                   "ip must be a public IPv4 or IPv6 address, without brackets and prefix");
}

/* Contacting lists and mail servers is not repeated if a worker was lost, because the first try may
 * have done it already. */
static bool may_run(const struct job *job, const struct call *call, struct err *err)
{
    if (job->attempt <= 1 || (!call->wants_sender && !call->wants_smtp))
        return true;
    return err_set(err, ERR_WORKER_LOST,
                   "the worker that ran the tool was lost; nothing was charged, please retry");
}

static bool read_request(const struct job *job, struct call *call, struct err *err)
{
    struct subject *subject = &call->subject;
    const struct sender_files *files = job->data;
    if (!mail_domain_parse(arg_text(job, "domain"), call->domain, err) ||
        !read_address(job, call, err))
        return false;
    call->wants_smtp = arg_bool(job, "smtp");
    call->smtp.now_s = job->now_ms / 1000;
    call->egress = job->egress;
    call->lists = files->lists;
    invent_digits(call->wildcard);
    subject->domain = call->domain;
    subject->org_domain = mail_org_domain(job->egress, call->domain);
    subject->wildcard = call->wildcard;
    subject->providers = files->providers;
    subject->suffixes = egress_suffixes(job->egress);
    return read_selectors(job, call, err) && may_run(job, call, err);
}

/* A result without information is an error, so that it is not charged. */
static bool is_answered(const struct call *call, struct err *err)
{
    if (call->facts.is_answered && call->judgement.errors < 2)
        return true;
    return err_set(err, ERR_UPSTREAM_UNAVAILABLE,
                   "the domain's DNS servers did not answer the main queries; retry in a minute");
}

bool email_deliverability(const struct job *job, cJSON *result, struct err *err)
{
    scoped(call_free) struct call *call = mem_new(sizeof(*call));
    if (!read_request(job, call, err))
        return false;
    call->limits = (struct lookup_limits){ QUESTIONS_MAX, QUESTION_MS, QUESTION_TRIES,
                                           deadline_within(job->deadline_ms, WHOLE_MS) };
    call->lookups = lookups_new(job->egress, &call->limits);
    call->session = egress_session_new(job->egress, call->limits.deadline_ms);
    collect_all(call);
    judge(&call->facts, &call->judgement);
    if (!is_answered(call, err))
        return false;
    report_print(&call->facts, &call->judgement, job->now_ms, result);
    return true;
}
