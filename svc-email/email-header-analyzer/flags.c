/* svc-email/email-header-analyzer/flags.c - the rules of flags.def, in its order. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"
#include "email-header-analyzer/analysis.h"

enum {
    DELAY_LOW_S = 300,
    DELAY_MEDIUM_S = 3600,
    DELAY_HIGH_S = 86400,
    SKEW_LOW_S = -1,
    SKEW_MEDIUM_S = -300,
    FUTURE_HOP_S = 2 * 3600,
    FUTURE_NOW_S = 24 * 3600,
    PAST_S = 24 * 3600,
    HOPS_MANY = 15,
    FLAGS_A_CODE = 20, /* limit of flags with one code */
};

static const struct {
    const char *name;
    const char *severity;
} codes[] = {
#define FLAG(code, severity, meaning) { #code, severity },
#include "email-header-analyzer/flags.def"
#undef FLAG
};

const char *flag_name(enum flag_code code)
{
    return codes[code].name;
}

static void raise_hop(struct analysis *analysis, enum flag_code code, const char *severity, int hop,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

static void raise_hop(struct analysis *analysis, enum flag_code code, const char *severity, int hop,
                      const char *format, ...)
{
    char message[400];
    va_list arguments;
    size_t same = 0;
    for (size_t i = 0; i < analysis->flag_count; i++)
        same += analysis->flag[i].code == code;
    if (same == FLAGS_A_CODE || analysis->flag_count == ANALYSIS_FLAGS_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    text_repair(message);
    analysis->flag[analysis->flag_count++] = (struct flag){
        code,
        severity ? severity : codes[code].severity,
        arena_copy(&analysis->arena, text_of(message)),
        hop,
    };
}

#define RAISE(analysis, code, ...) \
    raise_hop((analysis), FLAG_##code, NULL, FLAG_NO_HOP, __VA_ARGS__)
#define RAISE_AS(analysis, code, severity, ...) \
    raise_hop((analysis), FLAG_##code, (severity), FLAG_NO_HOP, __VA_ARGS__)
#define RAISE_HOP(analysis, code, hop, ...) \
    raise_hop((analysis), FLAG_##code, NULL, (int)(hop), __VA_ARGS__)
#define RAISE_HOP_AS(analysis, code, severity, hop, ...) \
    raise_hop((analysis), FLAG_##code, (severity), (int)(hop), __VA_ARGS__)

static const char *server_name(const struct hop *hop)
{
    return hop->by ? hop->by : hop->from ? hop->from : "an unnamed server";
}

static bool has_field(const struct analysis *analysis, const char *name)
{
    return fields_get(&analysis->fields, name) != NULL;
}

static struct text field_value(const struct analysis *analysis, const char *name)
{
    return fields_value(&analysis->fields, name);
}

static bool is_related(const struct analysis *analysis, const char *a, const char *b)
{
    return senders_related(analysis->senders, a, b);
}

/* ---- hops and clocks ---- */

/* The hop whose clock is wrong: this one if it disagrees with both neighbors, otherwise the
 * previous one. */
static size_t skewed_hop(const struct analysis *analysis, size_t hop)
{
    for (size_t i = hop + 1; i < analysis->hop_count; i++) {
        const struct hop *after = &analysis->hop[i];
        if (!mail_date_is_exact(after->date_fit))
            continue;
        size_t before = hop - 1;
        while (before > 0 && !mail_date_is_exact(analysis->hop[before].date_fit))
            before--;
        return after->date_s < analysis->hop[before].date_s ? before : hop;
    }
    return hop;
}

static void judge_hops(struct analysis *analysis)
{
    int64_t delay;
    if (analysis->hop_count == 0)
        RAISE(analysis, NO_RECEIVED, "The header has no Received field");
    for (size_t i = 0; i < analysis->hop_count; i++)
        if (!analysis->hop[i].parse_ok)
            RAISE_HOP(analysis, UNPARSED_HOP, i, "The Received field of hop %zu cannot be parsed",
                      i);
    for (size_t i = 0; i < analysis->hop_count; i++)
        if (analysis_delay(analysis, i, &delay) && delay > DELAY_LOW_S)
            RAISE_HOP_AS(analysis, LONG_HOP_DELAY,
                         delay > DELAY_HIGH_S     ? "high"
                         : delay > DELAY_MEDIUM_S ? "medium"
                                                  : "low",
                         i, "%lld s until %.200s took the message", (long long)delay,
                         server_name(&analysis->hop[i]));
    for (size_t i = 1; i < analysis->hop_count; i++)
        if (analysis_delay(analysis, i, &delay) && delay < SKEW_LOW_S)
            RAISE_HOP_AS(analysis, CLOCK_SKEW, delay < SKEW_MEDIUM_S ? "medium" : "low", i,
                         "%lld s between two hops: the clock of %.200s disagrees with those of the "
                         "other servers",
                         (long long)delay, server_name(&analysis->hop[skewed_hop(analysis, i)]));
}

static void judge_zones(struct analysis *analysis)
{
    if (analysis->date_fit == MAIL_DATE_NO_ZONE)
        RAISE(analysis, MISSING_TIMEZONE, "Date has no time zone; it is read as UTC");
    else if (analysis->date_fit == MAIL_DATE_UNKNOWN_ZONE)
        RAISE(analysis, MISSING_TIMEZONE, "The time zone of Date is unknown; no delay uses it");
    for (size_t i = 0; i < analysis->hop_count; i++)
        if (analysis->hop[i].date_fit == MAIL_DATE_NO_ZONE)
            RAISE_HOP(analysis, MISSING_TIMEZONE, i, "The date of hop %zu has no time zone", i);
        else if (analysis->hop[i].date_fit == MAIL_DATE_UNKNOWN_ZONE)
            RAISE_HOP(analysis, MISSING_TIMEZONE, i,
                      "The time zone of hop %zu is unknown; no delay uses it", i);
}

static void judge_dates(struct analysis *analysis)
{
    int64_t first_s;
    int64_t last_s;
    bool has_hops = analysis_span(analysis, &first_s, &last_s);
    bool has_date = field_value(analysis, "Date").size > 0;
    bool is_dated = mail_date_is_exact(analysis->date_fit);
    int64_t now_s = analysis->now_ms / 1000;

    if (has_date && analysis->date_fit == MAIL_DATE_NONE)
        RAISE(analysis, INVALID_DATE, "Date is not a valid date");
    for (size_t i = 0; i < analysis->hop_count; i++)
        if (analysis->hop[i].date_fit == MAIL_DATE_NONE)
            RAISE_HOP(analysis, INVALID_DATE, i, "Hop %zu has no valid date", i);
    judge_zones(analysis);
    if (!has_date)
        RAISE(analysis, DATE_MISSING, "The message has no Date");
    if (is_dated && has_hops && analysis->date_s > first_s + FUTURE_HOP_S)
        RAISE(analysis, DATE_FUTURE, "Date is %lld s later than the first hop",
              (long long)(analysis->date_s - first_s));
    else if (is_dated && analysis->date_s > now_s + FUTURE_NOW_S)
        RAISE(analysis, DATE_FUTURE, "Date is more than a day in the future");
    if (is_dated && has_hops && analysis->date_s < first_s - PAST_S)
        RAISE(analysis, DATE_PAST, "Date is %lld s earlier than the first hop",
              (long long)(first_s - analysis->date_s));
}

/* ---- authentication ---- */

static bool is_result(const char *result, const char *word)
{
    return strcmp(result, word) == 0;
}

static void judge_authentication(struct analysis *analysis)
{
    const struct authentication *auth = &analysis->auth;
    bool knows_any = !is_result(auth->spf, "unknown") || !is_result(auth->dkim, "unknown") ||
                     !is_result(auth->dmarc, "unknown");
    if (is_result(auth->spf, "fail"))
        RAISE(analysis, SPF_FAIL, "SPF failed for %.200s",
              auth->spf_domain ? auth->spf_domain : "the sender");
    if (is_result(auth->spf, "softfail"))
        RAISE(analysis, SPF_SOFTFAIL, "SPF failed softly for %.200s",
              auth->spf_domain ? auth->spf_domain : "the sender");
    if (is_result(auth->dkim, "fail"))
        RAISE(analysis, DKIM_FAIL, "No DKIM signature passed");
    if (is_result(auth->dmarc, "fail"))
        RAISE(analysis, DMARC_FAIL, "DMARC failed for %.200s",
              analysis->from.domain ? analysis->from.domain : "the sender");
    if (is_result(auth->spf, "none"))
        RAISE(analysis, SPF_NONE, "The sender's domain has no SPF record");
    if (is_result(auth->dkim, "none"))
        RAISE(analysis, DKIM_NONE, "The message has no DKIM signature");
    if (is_result(auth->dmarc, "none"))
        RAISE(analysis, DMARC_NONE, "The sender's domain has no DMARC record");
    if (!knows_any && auth->result_count == 0)
        RAISE(analysis, AUTH_MISSING, "No field has SPF, DKIM or DMARC results");
    if (auth->has_untrusted)
        RAISE(analysis, AUTH_UNTRUSTED,
              "The results are below the fields of the receiver: the sender may have forged them");
    bool is_unaligned =
        auth->spf_alignment <= AUTH_ALIGN_NONE && auth->dkim_alignment <= AUTH_ALIGN_NONE &&
        (auth->spf_alignment == AUTH_ALIGN_NONE || auth->dkim_alignment == AUTH_ALIGN_NONE);
    if (is_result(auth->dmarc, "pass") && is_unaligned)
        RAISE(analysis, DMARC_PASS_UNALIGNED,
              "DMARC is reported as pass, but neither SPF nor DKIM is aligned with From");
}

/* ---- the sender ---- */

/* Whether the display name has an address of another domain than the sender's. */
static bool names_other_address(struct analysis *analysis, const char *name)
{
    struct text rest = text_of(name);
    while (rest.size > 0) {
        struct text word = text_strip(text_cut(&rest, ' '), "<>()[]\"',;:", "<>()[]\"',;:");
        if (word.size < 5 || !memchr(word.bytes + 1, '@', word.size - 1))
            continue;
        const char *domain = address_domain(word, &analysis->arena);
        if (domain && strchr(domain, '.') && !is_related(analysis, domain, analysis->from.domain))
            return true;
    }
    return false;
}

static void judge_names(struct analysis *analysis)
{
    const struct mailbox *from = &analysis->from;
    if (!from->name || !from->domain)
        return;
    if (names_other_address(analysis, from->name))
        RAISE(analysis, DISPLAY_NAME_ADDRESS, "The sender's name is an address outside %.200s",
              from->domain);
    const struct brand *brand = senders_brand_in_name(analysis->senders, from->name);
    if (brand && !brand_owns(analysis->senders, brand, from->domain))
        RAISE(analysis, DISPLAY_NAME_BRAND,
              "The sender's name is %.60s, but the address is at %.200s", brand->key, from->domain);
}

static void judge_sender(struct analysis *analysis)
{
    const struct mailbox *from = &analysis->from;
    const struct mailbox *path = &analysis->return_path;
    const struct mailbox *reply = &analysis->reply_to;
    bool is_signed = is_result(analysis->auth.dkim, "pass") &&
                     analysis->auth.dkim_alignment >= AUTH_ALIGN_RELAXED;

    if (from->domain && path->domain && !is_related(analysis, from->domain, path->domain))
        RAISE_AS(analysis, FROM_RETURN_PATH_DIFFERS, is_signed ? "info" : "low",
                 "From is at %.120s, Return-Path at %.120s", from->domain, path->domain);
    if (from->domain && reply->domain && !is_related(analysis, from->domain, reply->domain))
        RAISE_AS(analysis, REPLY_TO_DIFFERS,
                 senders_is_free(analysis->senders, reply->domain) ? "medium" : "low",
                 "From is at %.120s, replies go to %.120s", from->domain, reply->domain);
    judge_names(analysis);
    if (analysis->from_count > 1 || fields_count(&analysis->fields, "From") > 1)
        RAISE(analysis, MULTIPLE_FROM, "The message names more than one sender");
    if (analysis->from_count == 0)
        RAISE(analysis, FROM_MISSING, "The message has no From");
    else if (!from->is_valid)
        RAISE(analysis, FROM_INVALID, "From has no valid address");
}

/* ---- single fields ---- */

static bool knows_host(const struct analysis *analysis, const char *host)
{
    if (is_related(analysis, host, analysis->from.domain))
        return true;
    for (size_t i = 0; i < analysis->hop_count; i++) {
        const struct hop *hop = &analysis->hop[i];
        if (is_related(analysis, host, hop->from) || is_related(analysis, host, hop->by) ||
            is_related(analysis, host, hop->from_rdns))
            return true;
    }
    return false;
}

static void judge_message_id(struct analysis *analysis)
{
    struct text id = text_trim(field_value(analysis, "Message-ID"));
    if (id.size == 0) {
        RAISE(analysis, MESSAGE_ID_MISSING, "The message has no Message-ID");
        return;
    }
    const char *at = memrchr(id.bytes, '@', id.size);
    bool is_id = id.size >= 5 && id.bytes[0] == '<' && id.bytes[id.size - 1] == '>' && at &&
                 at > id.bytes + 1 && at < id.bytes + id.size - 2 &&
                 !memchr(id.bytes, ' ', id.size) && !memchr(id.bytes + 1, '<', id.size - 1) &&
                 memchr(id.bytes, '>', id.size) == id.bytes + id.size - 1;
    if (!is_id) {
        RAISE(analysis, MESSAGE_ID_INVALID, "Message-ID does not have the form <left@right>");
        return;
    }
    const char *domain = address_domain(id, &analysis->arena);
    if (domain && strchr(domain, '.') && !knows_host(analysis, domain))
        RAISE(analysis, MESSAGE_ID_DOMAIN,
              "Message-ID names %.200s, which belongs neither to From nor to any hop", domain);
}

/* RFC 5322, section 3.6. */
static const char *const unique_fields[] = { "Date",        "From",       "Sender",  "Reply-To",
                                             "To",          "Cc",         "Bcc",     "Message-ID",
                                             "In-Reply-To", "References", "Subject", "MIME-Version",
                                             "Content-Type" };

static void judge_fields(struct analysis *analysis)
{
    judge_message_id(analysis);
    for (size_t i = 0; i < countof(unique_fields); i++)
        if (fields_count(&analysis->fields, unique_fields[i]) > 1)
            RAISE(analysis, DUPLICATE_HEADER, "%s appears more than once", unique_fields[i]);
    if (analysis->faults.has_control || analysis->fields.has_control)
        RAISE(analysis, ENCODED_CONTROL,
              "Control characters or direction controls were replaced by U+FFFD");
    if (analysis->faults.has_bad_word)
        RAISE(analysis, BAD_ENCODED_WORD, "An encoded word cannot be decoded");
    if (text_is(field_value(analysis, "Return-Path"), "<>"))
        RAISE(analysis, NULL_RETURN_PATH, "Return-Path is empty, as in bounces");
}

/* ---- the route ---- */

static bool is_weak_tls(const struct hop *hop)
{
    static const char *const weak[] = { "RC4", "DES", "EXP", "NULL", "MD5", "anon" };
    if (hop->tls_version && strcmp(hop->tls_version, "TLSv1.2") != 0 &&
        strcmp(hop->tls_version, "TLSv1.3") != 0)
        return true;
    for (size_t i = 0; hop->tls_cipher && i < countof(weak); i++)
        if (strcasestr(hop->tls_cipher, weak[i]))
            return true;
    return false;
}

static char *lower_host(struct analysis *analysis, const char *host)
{
    if (!host || strchr(host, ':') || !strchr(host, '.'))
        return NULL;
    char *lower = arena_lower(&analysis->arena, text_of(host));
    char *last = strrchr(lower, '.');
    return ascii_is_digit(last[1]) ? NULL : lower;
}

/* Providers whose servers send mail only from hosts that are named after them. */
static const char *const closed_providers[] = { "apple",     "fastmail", "google",
                                                "microsoft", "proton",   "yahoo" };

/* Whether the hop names a server of such a provider, and the next server looked up another owner's
 * name for the client. A different name alone proves nothing: many servers have several. */
static bool is_contradicted(struct analysis *analysis, const struct hop *hop,
                            const struct hop *next)
{
    char *by = lower_host(analysis, hop->by);
    char *client = lower_host(analysis, next->from_rdns);
    const char *provider = by ? auth_receiver_of(by) : NULL;
    bool is_resent = has_field(analysis, "Resent-From") || has_field(analysis, "Resent-Date");
    if (!provider || !client || next->internal || next->is_reverse_doubtful ||
        next->authenticated || is_resent)
        return false;
    return text_is_among(text_of(provider), closed_providers, countof(closed_providers)) &&
           !auth_same_receiver(analysis->senders, by, client);
}

static void judge_security(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->hop_count; i++)
        if (!analysis->hop[i].internal && analysis->hop[i].tls == HOP_TLS_NO)
            RAISE_HOP(analysis, NO_TLS_HOP, i, "%.200s received the message without encryption",
                      server_name(&analysis->hop[i]));
    for (size_t i = 0; i < analysis->hop_count; i++)
        if (is_weak_tls(&analysis->hop[i]))
            RAISE_HOP(analysis, WEAK_TLS, i, "%.200s received the message with %.40s %.80s",
                      server_name(&analysis->hop[i]),
                      analysis->hop[i].tls_version ? analysis->hop[i].tls_version : "TLS",
                      analysis->hop[i].tls_cipher ? analysis->hop[i].tls_cipher : "");
    for (size_t i = 0; i < analysis->hop_count; i++) {
        const struct hop *hop = &analysis->hop[i];
        char *helo = lower_host(analysis, hop->helo);
        char *name = lower_host(analysis, hop->from_rdns);
        if (!hop->internal && helo && name && !is_related(analysis, helo, name))
            RAISE_HOP(analysis, HELO_MISMATCH, i,
                      "The server's HELO name is %.150s, the name of its address is %.150s", helo,
                      name);
    }
    for (size_t i = 0; i < analysis->hop_count; i++)
        if (!analysis->hop[i].internal && analysis->hop[i].has_no_reverse &&
            !analysis->hop[i].from_rdns)
            RAISE_HOP(analysis, NO_REVERSE_DNS, i, "The address of %.200s has no reverse DNS name",
                      analysis->hop[i].from);
    for (size_t i = 0; i + 1 < analysis->hop_count; i++)
        if (is_contradicted(analysis, &analysis->hop[i], &analysis->hop[i + 1]))
            RAISE_HOP(analysis, FORGED_HOP, i,
                      "The hop names %.150s, but the next server took the message from %.150s",
                      analysis->hop[i].by, analysis->hop[i + 1].from_rdns);
    /* an authenticated submission says nothing about the network */
    if (analysis->hop_count > 0 && analysis->hop[0].internal)
        RAISE_HOP(analysis, PRIVATE_ORIGIN, 0, "The first hop is in a private network");
}

/* ---- kind of message ---- */

/* The number after a name: "SCL: 5", "BCL:7;". */
static int64_t number_after(struct text text, const char *name)
{
    const char *at = memmem(text.bytes, text.size, name, strlen(name));
    if (!at)
        return -1;
    struct text rest = text_skip(text, (size_t)(at - text.bytes) + strlen(name));
    rest = text_trim(rest);
    int64_t number = 0;
    size_t digits = 0;
    while (digits < rest.size && digits < 4 && ascii_is_digit(rest.bytes[digits]))
        number = number * 10 + (rest.bytes[digits++] - '0');
    return digits > 0 ? number : -1;
}

static const char *spam_field(const struct analysis *analysis)
{
    int64_t scl;
    struct text report = field_value(analysis, "X-Forefront-Antispam-Report");
    if (text_begins_any_case(field_value(analysis, "X-Spam-Flag"), "YES"))
        return "X-Spam-Flag";
    if (text_begins_any_case(field_value(analysis, "X-Spam-Status"), "Yes"))
        return "X-Spam-Status";
    struct text level = field_value(analysis, "X-MS-Exchange-Organization-SCL");
    if (num_parse(text_trim(level), 99, &scl) && scl >= 5)
        return "X-MS-Exchange-Organization-SCL";
    if (report.size > 0 && (text_has(report, "SFV:SPM") || number_after(report, "SCL:") >= 5))
        return "X-Forefront-Antispam-Report";
    struct text bulk = field_value(analysis, "X-Microsoft-Antispam");
    return bulk.size > 0 && number_after(bulk, "BCL:") >= 7 ? "X-Microsoft-Antispam" : NULL;
}

static void judge_kind(struct analysis *analysis)
{
    struct text precedence = field_value(analysis, "Precedence");
    struct text automatic = field_value(analysis, "Auto-Submitted");
    const char *spam = spam_field(analysis);
    if (has_field(analysis, "List-Id") || text_is_any_case(precedence, "list"))
        RAISE(analysis, MAILING_LIST, "A mailing list forwarded the message");
    if ((automatic.size > 0 && !text_begins_any_case(automatic, "no")) ||
        text_is_any_case(precedence, "auto_reply") || text_is_any_case(precedence, "junk"))
        RAISE(analysis, AUTO_GENERATED, "A program generated the message");
    if (text_is_any_case(precedence, "bulk") || has_field(analysis, "List-Unsubscribe"))
        RAISE(analysis, BULK, "The message is bulk mail");
    if (spam)
        RAISE(analysis, SPAM_HEADER, "%s marks the message as spam", spam);
}

/* ---- signatures and other fields ---- */

static bool signature_covers(const struct dkim_signature *signature, const char *name)
{
    for (size_t i = 0; i < signature->signed_count; i++)
        if (strcmp(signature->signed_header[i], name) == 0)
            return true;
    return false;
}

static bool is_expired(const struct analysis *analysis, const struct dkim_signature *signature)
{
    int64_t first_s;
    int64_t last_s = analysis->now_ms / 1000;
    analysis_span(analysis, &first_s, &last_s);
    return signature->expires >= 0 && signature->expires < last_s;
}

static bool has_fault(const struct analysis *analysis, const struct dkim_signature *signature,
                      enum flag_code code)
{
    if (code == FLAG_DKIM_L_TAG)
        return signature->body_length >= 0;
    if (code == FLAG_DKIM_SHA1)
        return signature->algorithm && strcasestr(signature->algorithm, "sha1");
    if (code == FLAG_DKIM_EXPIRED)
        return is_expired(analysis, signature);
    if (code == FLAG_DKIM_FROM_UNSIGNED)
        return signature->signed_count > 0 && !signature_covers(signature, "from");
    return signature->signed_count > 0 &&
           (!signature_covers(signature, "subject") || !signature_covers(signature, "date") ||
            !signature_covers(signature, "to"));
}

static void judge_signatures(struct analysis *analysis)
{
    static const struct {
        enum flag_code code;
        const char *what;
    } rules[] = {
        { FLAG_DKIM_L_TAG, "covers only the beginning of the body" },
        { FLAG_DKIM_SHA1, "uses SHA-1" },
        { FLAG_DKIM_EXPIRED, "had expired when the message arrived" },
        { FLAG_DKIM_FROM_UNSIGNED, "does not cover From" },
        { FLAG_DKIM_WEAK_HEADERS, "does not cover all of Subject, Date and To" },
    };
    for (size_t i = 0; i < countof(rules); i++)
        for (size_t j = 0; j < analysis->auth.signature_count; j++) {
            const struct dkim_signature *signature = &analysis->auth.signature[j];
            if (has_fault(analysis, signature, rules[i].code))
                raise_hop(analysis, rules[i].code, NULL, FLAG_NO_HOP, "The signature of %.200s %s",
                          signature->domain ? signature->domain : "nobody", rules[i].what);
        }
}

static void judge_rest(struct analysis *analysis)
{
    const struct authentication *auth = &analysis->auth;
    if (auth->arc_fault)
        RAISE(analysis, ARC_BROKEN, "The ARC chain %s", auth->arc_fault);
    if (analysis->hop_count > HOPS_MANY)
        RAISE(analysis, TOO_MANY_HOPS, "%zu hops", analysis->hop_count);
    if (analysis->fields.has_too_many)
        RAISE(analysis, TOO_MANY_HEADERS,
              "More than %d fields or %d hops; the others were not read", FIELDS_MAX,
              FIELDS_RECEIVED_MAX);
    if (analysis->fields.has_lost_folding)
        RAISE(analysis, LOST_FOLDING,
              "Lines without indentation were joined to the field before them");
    if (analysis->fields.has_malformed_line)
        RAISE(analysis, MALFORMED_LINE, "A line that is not a field was ignored");
}

void analysis_judge(struct analysis *analysis)
{
    judge_hops(analysis);
    judge_dates(analysis);
    judge_authentication(analysis);
    judge_sender(analysis);
    judge_fields(analysis);
    judge_security(analysis);
    judge_kind(analysis);
    judge_signatures(analysis);
    judge_rest(analysis);
}
