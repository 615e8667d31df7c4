/* svc-email/email-header-analyzer/authentication.c - choose among the trusted results. */
#include "email-header-analyzer/authentication.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "email-header-analyzer/authentication-reading.h"
#include "message/mailbox.h"

/* ---- choose results ---- */

static enum auth_alignment alignment_of(const struct senders *senders, const char *from,
                                        const char *domain)
{
    if (!from || !domain)
        return AUTH_ALIGN_UNKNOWN;
    if (strcmp(from, domain) == 0)
        return AUTH_ALIGN_STRICT;
    return senders_related(senders, from, domain) ? AUTH_ALIGN_RELAXED : AUTH_ALIGN_NONE;
}

/* The domain in a property: of an address, a domain, or DKIM's @domain. */
static const char *property_domain(const struct auth_result *result, const char *const *names,
                                   struct arena *arena)
{
    for (; *names; names++) {
        const char *value = auth_property(result, *names);
        if (!value || !*value)
            continue;
        scoped(buf_free) struct buf address = BUF(AUTH_VALUE_MAX_BYTES + 2);
        buf_format(&address, "%s%s", strchr(value, '@') ? "" : "@", value);
        const char *domain = address_domain(buf_text(&address), arena);
        if (domain)
            return domain;
    }
    return NULL;
}

static const char *dkim_domain(const struct auth_result *result, struct arena *arena)
{
    static const char *const names[] = { "header.d", "header.i", NULL };
    return property_domain(result, names, arena);
}

static const char *spf_domain(const struct auth_result *result, struct arena *arena)
{
    static const char *const names[] = {
        "smtp.mailfrom", "smtp.mail", "envelope-from", "smtp.envelope-from", "smtp.helo",
        "smtp.ehlo",     NULL
    };
    return property_domain(result, names, arena);
}

struct chooser {
    struct authentication *out;
    const struct senders *senders;
    const char *from;
    struct arena *arena;
};

/* Of several signatures: a passing and aligned one, otherwise a passing one, otherwise the
 * first. */
static void choose_dkim(struct chooser *chooser, const struct auth_result *result)
{
    struct authentication *out = chooser->out;
    bool passes = strcmp(result->result, "pass") == 0;
    bool had_any = strcmp(out->dkim, "unknown") != 0;
    const char *domain = dkim_domain(result, chooser->arena);
    enum auth_alignment aligned = alignment_of(chooser->senders, chooser->from, domain);

    if (passes && domain && out->dkim_domain_count < AUTH_SIGNATURES_MAX)
        out->dkim_domain[out->dkim_domain_count++] = domain;
    if (had_any && !(passes && (strcmp(out->dkim, "pass") != 0 || aligned > out->dkim_alignment)))
        return;
    out->dkim = result->result;
    out->dkim_alignment = aligned;
}

/* From "(p=REJECT sp=NONE dis=NONE)", or policy.dmarc=reject. */
static const char *dmarc_policy(const struct auth_result *result, struct arena *arena)
{
    const char *property = auth_property(result, "policy.dmarc");
    const char *comment = result->comment;
    if (property)
        return auth_keep_lower(arena, text_of(property));
    while (comment && (comment = strcasestr(comment, "p="))) {
        if (comment == result->comment || strchr(" ,;(", comment[-1]))
            return auth_keep_lower(arena,
                                   (struct text){ comment + 2, strcspn(comment + 2, " ,;)") });
        comment += 2;
    }
    return NULL;
}

static void choose_spf(struct chooser *chooser, const struct auth_result *result)
{
    struct authentication *out = chooser->out;
    if (strcmp(out->spf, "unknown") != 0)
        return;
    out->spf = result->result;
    out->spf_domain = spf_domain(result, chooser->arena);
    out->spf_alignment = alignment_of(chooser->senders, chooser->from, out->spf_domain);
}

static void choose_results(struct chooser *chooser, const struct auth_result *result)
{
    struct authentication *out = chooser->out;
    const struct {
        const char *method;
        const char **place;
    } others[] = { { "arc", &out->arc },
                   { "compauth", &out->compauth },
                   { "bimi", &out->bimi },
                   { "iprev", &out->iprev } };
    for (size_t i = 0; i < countof(others); i++)
        if (strcmp(result->method, others[i].method) == 0 && !*others[i].place)
            *others[i].place = result->result;
    if (strcmp(result->method, "spf") == 0)
        choose_spf(chooser, result);
    else if (strcmp(result->method, "dkim") == 0)
        choose_dkim(chooser, result);
    else if (strcmp(result->method, "dmarc") == 0 && strcmp(out->dmarc, "unknown") == 0) {
        out->dmarc = result->result;
        out->dmarc_policy = dmarc_policy(result, chooser->arena);
    }
}

/* The topmost Received-SPF that the receiver wrote: above the border, or directly below it. NULL:
 * none. */
static const struct field *receivers_spf(const struct fields *fields,
                                         const struct auth_border *border)
{
    size_t end = auth_trace_end(fields, border);
    for (size_t i = 0; i < end; i++)
        if (text_is_any_case(fields->at[i].name, "Received-SPF"))
            return &fields->at[i];
    return NULL;
}

static void fall_back_to_received_spf(struct chooser *chooser, const struct fields *fields,
                                      const struct auth_border *border)
{
    static const char *const names[] = { "envelope-from", "identity", "helo", NULL };
    const struct field *field = receivers_spf(fields, border);
    struct authentication *out = chooser->out;
    struct auth_result result;
    if (!field || strcmp(out->spf, "unknown") != 0)
        return;
    if (!auth_read_received_spf(field->value, chooser->arena, &result))
        return;
    out->spf = result.result;
    out->spf_domain = property_domain(&result, names, chooser->arena);
    out->spf_alignment = alignment_of(chooser->senders, chooser->from, out->spf_domain);
    if (out->source == AUTH_SOURCE_NONE)
        out->source = AUTH_SOURCE_RECEIVED_SPF;
    out->trusted = true;
}

/* Use the last forwarder's results for methods without another result. */
static void fall_back_to_arc(struct chooser *chooser)
{
    struct authentication *out = chooser->out;
    bool needs_spf = strcmp(out->spf, "unknown") == 0;
    bool needs_dkim = strcmp(out->dkim, "unknown") == 0;
    bool needs_dmarc = strcmp(out->dmarc, "unknown") == 0;
    int last = 0;
    for (size_t i = 0; i < out->result_count; i++)
        last = MAX(last, out->result[i].arc_instance);
    for (size_t i = 0; i < out->result_count; i++) {
        const struct auth_result *result = &out->result[i];
        bool is_wanted = (needs_spf && strcmp(result->method, "spf") == 0) ||
                         (needs_dkim && strcmp(result->method, "dkim") == 0) ||
                         (needs_dmarc && strcmp(result->method, "dmarc") == 0);
        if (last == 0 || result->arc_instance != last || !is_wanted)
            continue;
        choose_results(chooser, result);
        if (out->source == AUTH_SOURCE_NONE) {
            out->source = AUTH_SOURCE_ARC;
            out->authserv_id = result->authserv_id;
        }
    }
}

/* ---- all ---- */

void authentication_read(const struct fields *fields, const struct auth_hops *hops,
                         const char *from_domain, const struct senders *senders,
                         struct arena *arena, struct authentication *out)
{
    *out = (struct authentication){
        .result = arena_get(arena, AUTH_RESULTS_MAX * sizeof(*out->result)),
        .signature = arena_get(arena, AUTH_SIGNATURES_MAX * sizeof(*out->signature)),
        .spf = "unknown",
        .dkim = "unknown",
        .dmarc = "unknown",
    };
    for (size_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->at[i];
        if (auth_is_results_field(field->name))
            auth_read_results(field->value, i, 0, arena, out);
        else if (text_is_any_case(field->name, "DKIM-Signature") &&
                 out->signature_count < AUTH_SIGNATURES_MAX)
            auth_read_signature(field->value, arena, &out->signature[out->signature_count++]);
    }
    auth_read_arc(fields, arena, out);

    struct auth_border border = auth_find_border(hops, fields, senders, arena);
    struct chooser chooser = { out, senders, from_domain, arena };
    auth_mark_trusted(out, fields, &border, senders);
    for (size_t i = 0; i < out->result_count; i++)
        if (out->result[i].trusted)
            choose_results(&chooser, &out->result[i]);
    fall_back_to_received_spf(&chooser, fields, &border);
    fall_back_to_arc(&chooser);
}
