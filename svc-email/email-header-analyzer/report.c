/* svc-email/email-header-analyzer/report.c - write the result. */

#include "base/codec/utf8.h"
#include "base/num.h"
#include "email-header-analyzer/analysis.h"
#include "text/json.h"

enum { OTHER_FIELDS_MAX = 100, OTHER_VALUE_MAX_CHARS = 1000, RAW_MAX_BYTES = 4000 };

/* ---- summary ---- */

/* Add a field's value for display, or null. */
static void add_shown(struct analysis *analysis, cJSON *object, const char *member,
                      const char *field)
{
    struct text value = fields_value(&analysis->fields, field);
    json_str(object, member, value.size > 0 ? analysis_show(analysis, value) : NULL);
}

static void add_time(cJSON *object, const char *name, enum mail_date_fit fit, int64_t seconds)
{
    if (fit != MAIL_DATE_NONE && seconds >= 0)
        json_time(object, name, seconds * 1000);
    else
        json_null(object, name);
}

static bool is_one_click(const struct analysis *analysis)
{
    struct text post = fields_value(&analysis->fields, "List-Unsubscribe-Post");
    struct text link = fields_value(&analysis->fields, "List-Unsubscribe");
    return text_has_any_case(post, "List-Unsubscribe=One-Click") &&
           text_has_any_case(link, "https://");
}

static void add_summary(struct analysis *analysis, cJSON *result)
{
    cJSON *summary = json_map(result, "summary");
    const struct fields *fields = &analysis->fields;
    const char *mailer = fields_get(fields, "X-Mailer") ? "X-Mailer" : "User-Agent";

    add_shown(analysis, summary, "from", "From");
    add_shown(analysis, summary, "subject", "Subject");
    add_shown(analysis, summary, "message_id", "Message-ID");
    add_shown(analysis, summary, "to", "To");
    add_shown(analysis, summary, "cc", "Cc");
    add_shown(analysis, summary, "reply_to", "Reply-To");
    add_shown(analysis, summary, "return_path", "Return-Path");
    add_time(summary, "date", analysis->date_fit, analysis->date_s);
    add_shown(analysis, summary, "date_raw", "Date");
    json_str(summary, "from_address", analysis->from.address);
    json_str(summary, "from_name", analysis->from.name);
    json_str(summary, "from_domain", analysis->from.domain);
    add_shown(analysis, summary, "mailer", mailer);
    add_shown(analysis, summary, "list_id", "List-Id");
    add_shown(analysis, summary, "list_unsubscribe", "List-Unsubscribe");
    json_bool(summary, "list_unsubscribe_one_click", is_one_click(analysis));
    add_shown(analysis, summary, "x_originating_ip", "X-Originating-IP");
    add_shown(analysis, summary, "content_type", "Content-Type");
}

/* ---- authentication ---- */

static void add_alignment(cJSON *object, const char *name, enum auth_alignment alignment)
{
    static const char *const names[] = {
        [AUTH_ALIGN_UNKNOWN] = NULL,
        [AUTH_ALIGN_NONE] = "none",
        [AUTH_ALIGN_RELAXED] = "relaxed",
        [AUTH_ALIGN_STRICT] = "strict",
    };
    json_str(object, name, names[alignment]);
}

static void add_results(const struct authentication *auth, cJSON *list)
{
    for (size_t i = 0; i < auth->result_count; i++) {
        const struct auth_result *result = &auth->result[i];
        cJSON *item = json_item(list);
        json_int(item, "header_index", (int64_t)result->field);
        json_str(item, "authserv_id", result->authserv_id);
        json_str(item, "method", result->method);
        json_str(item, "result", result->result);
        json_str(item, "reason", result->reason);
        cJSON *properties = json_map(item, "properties");
        for (size_t j = 0; j < result->property_count; j++)
            if (!json_get(properties, result->property[j].name))
                json_str(properties, result->property[j].name, result->property[j].value);
        json_bool(item, "trusted", result->trusted);
    }
}

static void add_signatures(const struct authentication *auth, cJSON *list)
{
    for (size_t i = 0; i < auth->signature_count; i++) {
        const struct dkim_signature *signature = &auth->signature[i];
        cJSON *item = json_item(list);
        json_str(item, "domain", signature->domain);
        json_str(item, "selector", signature->selector);
        json_str(item, "algorithm", signature->algorithm);
        json_str(item, "canonicalization", signature->canonicalization);
        cJSON *headers = json_list(item, "signed_headers");
        for (size_t j = 0; j < signature->signed_count; j++)
            json_item_str(headers, signature->signed_header[j]);
        json_int_if(item, "timestamp", signature->timestamp >= 0, signature->timestamp);
        json_int_if(item, "expires", signature->expires >= 0, signature->expires);
        json_int_if(item, "body_length", signature->body_length >= 0, signature->body_length);
        json_str(item, "identity", signature->identity);
        json_bool(item, "valid_syntax", signature->valid_syntax);
    }
}

static void add_arc(const struct authentication *auth, cJSON *object)
{
    cJSON *chain = json_map(object, "arc_chain");
    json_int(chain, "instances", auth->arc_instances);
    json_bool(chain, "valid_structure", auth->arc_is_valid);
    json_str(chain, "last_cv", auth->arc_last_cv);
    json_str(chain, "detail", "Only the structure was checked; no signature was verified");
}

static void add_authentication(struct analysis *analysis, cJSON *result)
{
    static const char *const sources[] = {
        [AUTH_SOURCE_NONE] = "none",
        [AUTH_SOURCE_RESULTS] = "authentication-results",
        [AUTH_SOURCE_RECEIVED_SPF] = "received-spf",
        [AUTH_SOURCE_ARC] = "arc",
    };
    const struct authentication *auth = &analysis->auth;
    const char *from = analysis->from.domain;
    cJSON *object = json_map(result, "authentication");

    json_str(object, "spf", auth->spf);
    json_str(object, "dkim", auth->dkim);
    json_str(object, "dmarc", auth->dmarc);
    json_str(object, "source", sources[auth->source]);
    json_str(object, "authserv_id", auth->authserv_id);
    json_bool(object, "trusted", auth->trusted);
    json_str(object, "spf_domain", auth->spf_domain);
    cJSON *domains = json_list(object, "dkim_domains");
    for (size_t i = 0; i < auth->dkim_domain_count; i++)
        json_item_str(domains, auth->dkim_domain[i]);
    json_str(object, "dmarc_policy", auth->dmarc_policy);
    json_str(object, "arc", auth->arc);
    json_str(object, "compauth", auth->compauth);
    json_str(object, "bimi", auth->bimi);
    json_str(object, "iprev", auth->iprev);
    cJSON *alignment = json_map(object, "alignment");
    add_alignment(alignment, "spf", auth->spf_alignment);
    add_alignment(alignment, "dkim", auth->dkim_alignment);
    json_str(alignment, "organizational_domain",
             from ? senders_owner(analysis->senders, from) : NULL);
    add_results(auth, json_list(object, "all_results"));
    add_signatures(auth, json_list(object, "dkim_signatures"));
    add_arc(auth, object);
}

/* ---- hops ---- */

static void add_hop(const struct analysis *analysis, size_t index, cJSON *list)
{
    const struct hop *hop = &analysis->hop[index];
    cJSON *item = json_item(list);
    int64_t delay = 0;
    bool has_delay = analysis_delay(analysis, index, &delay);

    json_int(item, "index", (int64_t)index);
    json_str(item, "from", hop->from ? hop->from : "");
    json_str(item, "by", hop->by ? hop->by : "");
    json_int_if(item, "delay_seconds", has_delay, delay);
    add_time(item, "timestamp", hop->date_fit, hop->date_s);
    json_str(item, "timestamp_raw", hop->date_raw);
    json_str(item, "protocol", hop->protocol);
    json_str(item, "id", hop->id);
    json_str(item, "for", hop->recipient);
    json_str(item, "via", hop->via);
    json_str(item, "helo", hop->helo);
    json_str(item, "from_ip", hop->from_ip);
    json_str(item, "from_rdns", hop->from_rdns);
    json_str(item, "by_ip", hop->by_ip);
    json_str(item, "software", hop->software);
    json_bool_if(item, "tls", hop->tls != HOP_TLS_UNKNOWN, hop->tls == HOP_TLS_YES);
    json_str(item, "tls_version", hop->tls_version);
    json_str(item, "tls_cipher", hop->tls_cipher);
    json_bool(item, "authenticated", hop->authenticated);
    json_str(item, "auth_user", hop->auth_user);
    json_str(item, "envelope_from", hop->envelope_from);
    json_bool(item, "internal", hop->internal);
    json_str(item, "form", hop->form);
    json_bool(item, "parse_ok", hop->parse_ok);
    json_text_add(item, "raw", utf8_cut(text_of(hop->raw), RAW_MAX_BYTES));
}

static void add_hops(struct analysis *analysis, cJSON *result)
{
    int64_t first_s = 0;
    int64_t last_s = 0;
    analysis_span(analysis, &first_s, &last_s);
    json_int(result, "hop_count", (int64_t)analysis->hop_count);
    json_int(result, "total_delivery_seconds", last_s - first_s);
    cJSON *hops = json_list(result, "hops");
    for (size_t i = 0; i < analysis->hop_count; i++)
        add_hop(analysis, i, hops);
}

static int64_t transit_seconds(const struct analysis *analysis)
{
    int64_t sum = 0;
    int64_t delay;
    for (size_t i = 0; i < analysis->hop_count; i++)
        if (analysis_delay(analysis, i, &delay))
            sum += MAX(delay, 0);
    return sum;
}

static void add_times(const struct analysis *analysis, cJSON *result)
{
    int64_t first_s = 0;
    int64_t last_s;
    bool has_hops = analysis_span(analysis, &first_s, &last_s);
    json_int_if(result, "submission_delay_seconds",
                has_hops && mail_date_is_exact(analysis->date_fit), first_s - analysis->date_s);
    json_int_if(result, "transit_seconds", has_hops, transit_seconds(analysis));
}

/* ---- flags and other fields ---- */

static void add_flags(const struct analysis *analysis, cJSON *result)
{
    cJSON *flags = json_list(result, "flags");
    for (size_t i = 0; i < analysis->flag_count; i++) {
        const struct flag *flag = &analysis->flag[i];
        cJSON *item = json_item(flags);
        json_str(item, "code", flag_name(flag->code));
        json_str(item, "severity", flag->severity);
        json_str(item, "message", flag->message);
        if (flag->hop != FLAG_NO_HOP)
            json_int(item, "hop", flag->hop);
    }
}

/* Whether other members of the result have this field. */
static bool is_reported(struct text name)
{
    static const char *const told[] = {
        "From",           "Subject",     "Message-ID", "To",       "Cc",
        "Reply-To",       "Return-Path", "Date",       "Received", "Authentication-Results",
        "DKIM-Signature",
    };
    return text_is_among(name, told, countof(told));
}

static cJSON *other_fields(struct analysis *analysis)
{
    cJSON *list = json_array();
    for (size_t i = 0; i < analysis->fields.count && json_size(list) < OTHER_FIELDS_MAX; i++) {
        const struct field *field = &analysis->fields.at[i];
        if (is_reported(field->name))
            continue;
        struct text value = text_of(analysis_show(analysis, field->value));
        size_t bytes = 0;
        for (size_t chars = 0; chars < OTHER_VALUE_MAX_CHARS && bytes < value.size; chars++) {
            size_t one;
            utf8_next(text_skip(value, bytes), &one);
            bytes += one;
        }
        cJSON *item = json_item(list);
        json_text_add(item, "name", field->name);
        json_text_add(item, "value", (struct text){ value.bytes, bytes });
    }
    return list;
}

void analysis_report(struct analysis *analysis, cJSON *result)
{
    add_summary(analysis, result);
    cJSON *others = other_fields(analysis); /* before the flags, which depend on its bad words */
    analysis_judge(analysis);
    add_authentication(analysis, result);
    add_hops(analysis, result);
    add_flags(analysis, result);
    json_int(result, "header_count", (int64_t)analysis->fields.count);
    json_add(result, "other_headers", others);
    json_int(result, "body_bytes", (int64_t)analysis->fields.body.size);
    add_times(analysis, result);
}
