/* svc-email/email-validator/email-validator.c - check an address. No mail server is contacted:
 * their answers are unreliable, and address harvesters do the same. */
#include "address/assess.h"
#include "address/evidence-cache.h"
#include "base/os/deadline.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

const struct data_kind address_data = {
    .name = "addresses",
    .load_configured = knowledge_load,
    .free = knowledge_free,
};

static const char *text_or_null(const struct buf *buf)
{
    return buf->size > 0 ? buf_str(buf) : NULL;
}

static void add_syntax(const struct mailbox *mailbox, cJSON *result)
{
    cJSON *syntax = json_map(result, "syntax");
    bool has_local = mailbox->is_valid;
    json_bool(syntax, "valid", mailbox->is_valid);
    json_str(syntax, "category", mailbox_category_names[mailbox->category]);
    json_str(syntax, "diagnosis", mailbox_diagnoses[mailbox->diagnosis].name);
    json_str(syntax, "message", mailbox_diagnoses[mailbox->diagnosis].meaning);
    json_int_if(syntax, "position", mailbox->category != MAILBOX_VALID, (int64_t)mailbox->position);
    json_str(syntax, "local_part", has_local ? buf_str(&mailbox->local) : NULL);
    json_bool(syntax, "quoted", mailbox->is_quoted);
    json_bool(syntax, "smtputf8", mailbox->is_smtputf8);
    json_str(syntax, "display_name", text_or_null(&mailbox->display_name));
}

static void add_deliverability(const struct assessment *assessment, cJSON *result)
{
    static const struct evidence none = { 0 };
    const struct evidence *evidence =
        assessment->facts.evidence ? assessment->facts.evidence : &none;
    cJSON *map = json_map(result, "deliverability");
    char host[DNS_NAME_BYTES];
    json_bool_if(map, "mx", evidence->is_known, evidence->has_mx);
    json_bool(map, "null_mx", evidence->is_null_mx);
    json_bool(map, "implicit_mx", evidence->is_implicit);
    cJSON *hosts = json_list(map, "mx_hosts");
    for (size_t i = 0; i < evidence->mx_count; i++) {
        evidence_host(evidence, i, host);
        json_item_str(hosts, host);
    }
    json_str(map, "provider", assessment->judgement.mail_provider);
}

static void add_flags(const struct judgement *judgement, cJSON *result)
{
    const bool *signal = judgement->signal;
    cJSON *flags = json_map(result, "flags");
    json_bool(flags, "disposable", judgement->verdict == VERDICT_DISPOSABLE);
    json_bool(flags, "role",
              signal[SIGNAL_role_account] || signal[SIGNAL_role_technical] ||
                  signal[SIGNAL_role_noreply]);
    json_bool(flags, "free_provider", signal[SIGNAL_free_provider]);
    json_bool(flags, "relay_alias", signal[SIGNAL_relay_alias]);
    json_bool(flags, "subaddressed", judgement->is_subaddressed);
    json_bool(flags, "typo", signal[SIGNAL_typo_domain] || signal[SIGNAL_typo_tld]);
    json_bool(flags, "gibberish", signal[SIGNAL_local_gibberish] || signal[SIGNAL_local_random]);
}

static void write_result(const struct assessment *assessment, cJSON *result)
{
    const struct judgement *judgement = &assessment->judgement;
    assessment_report(assessment, result);
    assessment_report_signals(assessment, result);
    json_bool(result, "cached", assessment->cached);
    json_str(result, "normalized", text_or_null(&assessment->mailbox.normalized));
    json_str(result, "canonical", *judgement->canonical ? judgement->canonical : NULL);
    json_str(result, "suggestion", judgement->has_suggestion ? judgement->suggestion : NULL);
    add_syntax(&assessment->mailbox, result);
    add_deliverability(assessment, result);
    add_flags(judgement, result);
}

bool email_validator(const struct job *job, cJSON *result, struct err *err)
{
    const struct knowledge *knowledge = job->data;
    scoped(assessment_free) struct assessment assessment = { 0 };
    scoped(evidence_free) struct evidence evidence = { 0 };
    bool cached = false;
    if (text_trim(arg_text(job, "email")).size == 0)
        return err_set(err, ERR_TOO_SHORT, "email must not be blank");
    assess_begin(arg_text(job, "email"), knowledge, job->egress, &assessment);
    if (assessment.needs_evidence &&
        !evidence_cache_find(knowledge->cache, job->egress, buf_str(&assessment.mailbox.domain),
                             assessment.facts.owner, arg_bool(job, "refresh"),
                             deadline_within(job->deadline_ms, ASSESS_MS), &evidence, &cached, err))
        return false;
    assess_end(&assessment, assessment.needs_evidence ? &evidence : NULL, cached);
    write_result(&assessment, result);
    return true;
}
