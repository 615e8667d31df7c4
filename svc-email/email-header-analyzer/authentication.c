/* svc-email/email-header-analyzer/authentication.c - read all results, find the border, choose. */
#include "email-header-analyzer/authentication.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "email-header-analyzer/tag-list.h"
#include "message/mailbox.h"

enum { VALUE_MAX_BYTES = 1000, WORD_MAX_BYTES = 100 };

/* ---- words (RFC 8601, section 2.2) ---- */

static const char *keep(struct arena *arena, struct text text)
{
    return arena_copy(arena, utf8_cut(text, VALUE_MAX_BYTES));
}

static const char *keep_lower(struct arena *arena, struct text text)
{
    char *copy = arena_copy(arena, utf8_cut(text, WORD_MAX_BYTES));
    for (char *at = copy; *at; at++)
        *at = ascii_lower(*at);
    return copy;
}

/* Bytes of the comment that the text begins with; all of it when it has no end. */
static size_t comment_bytes(struct text text)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '\\')
            i++;
        else if (text.bytes[i] == '(')
            depth++;
        else if (text.bytes[i] == ')' && --depth == 0)
            return i + 1;
    }
    return text.size;
}

struct scanner {
    struct text rest;
    struct text comment; /* the last one that was passed over */
    bool passed_semicolon;
};

static void skip_gaps(struct scanner *scanner)
{
    while (scanner->rest.size > 0 && strchr(" \t,;()", scanner->rest.bytes[0])) {
        size_t bytes = 1;
        if (scanner->rest.bytes[0] == '(') {
            bytes = comment_bytes(scanner->rest);
            scanner->comment = (struct text){ scanner->rest.bytes + 1, bytes - 1 };
            if (scanner->comment.size > 0 && scanner->comment.bytes[bytes - 2] == ')')
                scanner->comment.size--;
        }
        scanner->passed_semicolon |= scanner->rest.bytes[0] == ';';
        scanner->rest = text_skip(scanner->rest, bytes);
    }
}

/* Blanks and comments around an =. */
static void skip_blanks(struct scanner *scanner)
{
    while (scanner->rest.size > 0 && strchr(" \t(", scanner->rest.bytes[0])) {
        size_t bytes = scanner->rest.bytes[0] == '(' ? comment_bytes(scanner->rest) : 1;
        scanner->rest = text_skip(scanner->rest, bytes);
    }
}

static struct text take_until(struct scanner *scanner, const char *ends)
{
    size_t end = 0;
    while (end < scanner->rest.size && !strchr(ends, scanner->rest.bytes[end]))
        end++;
    struct text word = { scanner->rest.bytes, end };
    scanner->rest = text_skip(scanner->rest, end);
    return word;
}

static struct text take_value(struct scanner *scanner)
{
    if (scanner->rest.size > 0 && scanner->rest.bytes[0] == '"') {
        scanner->rest = text_skip(scanner->rest, 1);
        struct text value = take_until(scanner, "\"");
        if (scanner->rest.size > 0)
            scanner->rest = text_skip(scanner->rest, 1);
        return value;
    }
    struct text value = take_until(scanner, " \t;(");
    while (value.size > 0 && value.bytes[value.size - 1] == ',')
        value.size--;
    return value;
}

/* The next word, with a value behind = or without; false at the end. */
struct pair {
    struct text key;
    struct text value;
    bool has_value;
    bool begins; /* a semicolon came before it */
};

static bool take_pair(struct scanner *scanner, struct pair *pair)
{
    scanner->passed_semicolon = false;
    skip_gaps(scanner);
    if (scanner->rest.size == 0)
        return false;
    *pair = (struct pair){ .begins = scanner->passed_semicolon };
    pair->key =
        scanner->rest.bytes[0] == '"' ? take_value(scanner) : take_until(scanner, "= \t;,(");
    struct text at_gap = scanner->rest;
    skip_blanks(scanner);
    pair->has_value = scanner->rest.size > 0 && scanner->rest.bytes[0] == '=';
    if (!pair->has_value) {
        scanner->rest = at_gap;
        return pair->key.size > 0 || at_gap.size > 0;
    }
    scanner->rest = text_skip(scanner->rest, 1);
    skip_blanks(scanner);
    pair->value = take_value(scanner);
    return true;
}

/* ---- results ---- */

static const char *const known_methods[] = { "spf",        "dkim",      "dmarc",     "arc",
                                             "bimi",       "compauth",  "iprev",     "auth",
                                             "domainkeys", "sender-id", "dkim-adsp", "dkim-atps",
                                             "x-dmarc",    "vbr",       "dnswl" };

static bool is_known_method(struct text key)
{
    for (size_t i = 0; i < countof(known_methods); i++)
        if (text_is_any_case(key, known_methods[i]))
            return true;
    return false;
}

static const char *normal_result(const char *word)
{
    static const struct {
        const char *alias;
        const char *name;
    } aliases[] = {
        { "hardfail", "fail" },
        { "error", "temperror" },
        { "invalid", "permerror" },
        { "unknown", "unknown" },
        { "pass", "pass" },
        { "fail", "fail" },
        { "softfail", "softfail" },
        { "neutral", "neutral" },
        { "none", "none" },
        { "policy", "policy" },
        { "temperror", "temperror" },
        { "permerror", "permerror" },
        { "bestguesspass", "bestguesspass" },
        { "nxdomain", "permerror" },
        { "discard", "fail" },
        { "skipped", "neutral" },
    };
    for (size_t i = 0; i < countof(aliases); i++)
        if (strcmp(word, aliases[i].alias) == 0)
            return aliases[i].name;
    return "unknown";
}

const char *auth_property(const struct auth_result *result, const char *name)
{
    for (size_t i = 0; i < result->property_count; i++)
        if (strcmp(result->property[i].name, name) == 0)
            return result->property[i].value;
    return NULL;
}

static struct auth_result *add_result(struct authentication *out, const struct pair *pair,
                                      struct arena *arena)
{
    if (out->result_count == AUTH_RESULTS_MAX)
        return NULL;
    struct text key = pair->key;
    struct text method = text_cut(&key, '/');
    struct auth_result *result = &out->result[out->result_count++];
    *result = (struct auth_result){
        .method = keep_lower(arena, method),
        .result = normal_result(keep_lower(arena, pair->value)),
    };
    return result;
}

static void add_property(struct auth_result *result, const struct pair *pair, struct arena *arena)
{
    if (text_is_any_case(pair->key, "reason"))
        result->reason = keep(arena, pair->value);
    else if (result->property_count < AUTH_PROPERTIES_MAX)
        result->property[result->property_count++] = (struct auth_property){
            keep_lower(arena, pair->key),
            keep(arena, pair->value),
        };
}

/* A method begins where a semicolon ends what was before, or has a name that is known; all else
 * with a value is a property, such as Exchange's action=none. */
static bool is_method(const struct pair *pair, bool is_first)
{
    if (memchr(pair->key.bytes, '.', pair->key.size))
        return false;
    struct text key = pair->key;
    struct text name = text_cut(&key, '/');
    return is_known_method(name) ||
           ((pair->begins || is_first) && !text_is_any_case(name, "reason") &&
            !text_is_any_case(name, "action"));
}

static void read_results(struct text value, size_t field, int arc_instance, struct arena *arena,
                         struct authentication *out)
{
    struct scanner scanner = { .rest = value };
    struct auth_result *result = NULL;
    const char *authserv_id = NULL;
    struct pair pair;
    bool is_first = true;

    while (take_pair(&scanner, &pair)) {
        if (scanner.comment.size > 0 && result && !result->comment)
            result->comment = keep(arena, scanner.comment);
        scanner.comment = (struct text){ NULL, 0 };
        if (pair.key.size == 0 && !pair.has_value) /* "" */
            continue;
        if (is_first && !pair.has_value)
            authserv_id = keep_lower(arena, pair.key);
        else if (pair.has_value && is_method(&pair, result == NULL)) {
            if (arc_instance > 0 && text_is_any_case(pair.key, "i")) /* "i=1; mx.example.com" */
                continue;
            result = add_result(out, &pair, arena);
            if (!result)
                return;
            result->field = field;
            result->arc_instance = arc_instance;
            result->authserv_id = authserv_id;
        } else if (pair.has_value && result)
            add_property(result, &pair, arena);
        is_first = false;
    }
    if (scanner.comment.size > 0 && result && !result->comment)
        result->comment = keep(arena, scanner.comment);
}

static bool is_results_field(struct text name)
{
    static const char *const names[] = {
        "Authentication-Results",
        "X-Authentication-Results",
        "Authentication-Results-Original",
        "X-Original-Authentication-Results",
        "X-Authentication-Results-Original",
    };
    for (size_t i = 0; i < countof(names); i++)
        if (text_is_any_case(name, names[i]))
            return true;
    return false;
}

/* ---- the border ---- */

static bool is_domain_name(const char *host)
{
    const char *last = strrchr(host, '.');
    return last && !strchr(host, ':') && !ascii_is_digit((unsigned char)last[1]);
}

struct border {
    const char *receiver; /* a host of the receiving side; NULL: unknown */
    size_t field; /* of the first Received of somebody else; fields from here on are below */
};

static struct border find_border(const struct auth_hops *hops, const struct fields *fields,
                                 const struct senders *senders)
{
    struct border border = { NULL, fields->count };
    for (size_t i = 0; i < hops->count; i++) {
        const char *host = hops->host[i];
        if (!host || !is_domain_name(host))
            continue;
        if (!border.receiver)
            border.receiver = host;
        else if (!senders_related(senders, border.receiver, host)) {
            border.field = hops->field[i];
            break;
        }
    }
    return border;
}

static bool is_same_id(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The field that is believed: the topmost above the border, unless another one there belongs to
 * the receiver and it does not. NULL: none. */
static const struct auth_result *chief(const struct authentication *out,
                                       const struct border *border, const struct senders *senders)
{
    const struct auth_result *top = NULL;
    for (size_t i = 0; i < out->result_count; i++) {
        const struct auth_result *result = &out->result[i];
        if (result->arc_instance > 0 || result->field >= border->field)
            continue;
        if (!top)
            top = result;
        if (!border->receiver || !result->authserv_id ||
            senders_related(senders, result->authserv_id, border->receiver))
            return result;
    }
    return top;
}

static void mark_trusted(struct authentication *out, const struct border *border,
                         const struct senders *senders)
{
    const struct auth_result *first = chief(out, border, senders);
    for (size_t i = 0; i < out->result_count; i++) {
        struct auth_result *result = &out->result[i];
        result->trusted = first && result->arc_instance == 0 && result->field < border->field &&
                          is_same_id(result->authserv_id, first->authserv_id);
        out->has_untrusted |= !first && result->arc_instance == 0;
    }
    if (!first)
        return;
    out->source = AUTH_SOURCE_RESULTS;
    out->authserv_id = first->authserv_id;
    out->trusted = true;
}

/* ---- choosing ---- */

static enum auth_alignment alignment(const struct senders *senders, const char *from,
                                     const char *domain)
{
    if (!from || !domain)
        return AUTH_ALIGN_UNKNOWN;
    if (strcmp(from, domain) == 0)
        return AUTH_ALIGN_STRICT;
    return senders_related(senders, from, domain) ? AUTH_ALIGN_RELAXED : AUTH_ALIGN_NONE;
}

/* The domain in a property: an address, a domain, or DKIM's @domain. */
static const char *property_domain(const struct auth_result *result, const char *const *names,
                                   struct arena *arena)
{
    for (; *names; names++) {
        const char *value = auth_property(result, *names);
        if (!value || !*value)
            continue;
        scoped(buf_free) struct buf address = BUF(VALUE_MAX_BYTES + 2);
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

/* Of several signatures one that passes, of these one that is aligned, else the first. */
static void choose_dkim(struct chooser *chooser, const struct auth_result *result)
{
    struct authentication *out = chooser->out;
    bool passes = strcmp(result->result, "pass") == 0;
    bool had_any = strcmp(out->dkim, "unknown") != 0;
    const char *domain = dkim_domain(result, chooser->arena);
    enum auth_alignment aligned = alignment(chooser->senders, chooser->from, domain);

    if (passes && domain && out->dkim_domain_count < AUTH_SIGNATURES_MAX)
        out->dkim_domain[out->dkim_domain_count++] = domain;
    if (had_any && !(passes && (strcmp(out->dkim, "pass") != 0 || aligned > out->dkim_alignment)))
        return;
    out->dkim = result->result;
    out->dkim_alignment = aligned;
}

/* "(p=REJECT sp=NONE dis=NONE)", or policy.dmarc=reject. */
static const char *dmarc_policy(const struct auth_result *result, struct arena *arena)
{
    const char *property = auth_property(result, "policy.dmarc");
    const char *comment = result->comment;
    if (property)
        return keep_lower(arena, text_of(property));
    while (comment && (comment = strcasestr(comment, "p="))) {
        if (comment == result->comment || strchr(" ,;(", comment[-1]))
            return keep_lower(arena, (struct text){ comment + 2, strcspn(comment + 2, " ,;)") });
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
    out->spf_alignment = alignment(chooser->senders, chooser->from, out->spf_domain);
}

static void choose_other(const char **place, const struct auth_result *result)
{
    if (!*place)
        *place = result->result;
}

static void choose(struct chooser *chooser, const struct auth_result *result)
{
    struct authentication *out = chooser->out;
    if (strcmp(result->method, "spf") == 0)
        choose_spf(chooser, result);
    else if (strcmp(result->method, "dkim") == 0)
        choose_dkim(chooser, result);
    else if (strcmp(result->method, "arc") == 0)
        choose_other(&out->arc, result);
    else if (strcmp(result->method, "compauth") == 0)
        choose_other(&out->compauth, result);
    else if (strcmp(result->method, "bimi") == 0)
        choose_other(&out->bimi, result);
    else if (strcmp(result->method, "iprev") == 0)
        choose_other(&out->iprev, result);
    else if (strcmp(result->method, "dmarc") == 0 && strcmp(out->dmarc, "unknown") == 0) {
        out->dmarc = result->result;
        out->dmarc_policy = dmarc_policy(result, chooser->arena);
    }
}

/* "pass (example.com: domain of …) client-ip=…; envelope-from=joe@example.com;". Only above the
 * border the receiver wrote it. */
static void fall_back_to_received_spf(struct chooser *chooser, const struct fields *fields,
                                      const struct border *border)
{
    static const char *const names[] = { "envelope-from", "identity", "helo", NULL };
    const struct field *field = fields_get(fields, "Received-SPF");
    struct authentication *out = chooser->out;
    if (!field || strcmp(out->spf, "unknown") != 0 || (size_t)(field - fields->at) >= border->field)
        return;
    struct scanner scanner = { .rest = field->value };
    struct auth_result result = { 0 };
    struct pair pair;
    while (take_pair(&scanner, &pair)) {
        if (!result.result)
            result.result = normal_result(keep_lower(chooser->arena, pair.key));
        else if (pair.has_value)
            add_property(&result, &pair, chooser->arena);
        else if (pair.key.size == 0)
            break;
    }
    if (!result.result)
        return;
    out->spf = result.result;
    out->spf_domain = property_domain(&result, names, chooser->arena);
    out->spf_alignment = alignment(chooser->senders, chooser->from, out->spf_domain);
    if (out->source == AUTH_SOURCE_NONE)
        out->source = AUTH_SOURCE_RECEIVED_SPF;
    out->trusted = true;
}

/* What the last forwarder saw, for methods that nobody else speaks of. */
static void fall_back_to_arc(struct chooser *chooser)
{
    struct authentication *out = chooser->out;
    bool lacks_spf = strcmp(out->spf, "unknown") == 0;
    bool lacks_dkim = strcmp(out->dkim, "unknown") == 0;
    bool lacks_dmarc = strcmp(out->dmarc, "unknown") == 0;
    int last = 0;
    for (size_t i = 0; i < out->result_count; i++)
        last = MAX(last, out->result[i].arc_instance);
    for (size_t i = 0; i < out->result_count; i++) {
        const struct auth_result *result = &out->result[i];
        bool is_wanted = (lacks_spf && strcmp(result->method, "spf") == 0) ||
                         (lacks_dkim && strcmp(result->method, "dkim") == 0) ||
                         (lacks_dmarc && strcmp(result->method, "dmarc") == 0);
        if (last == 0 || result->arc_instance != last || !is_wanted)
            continue;
        choose(chooser, result);
        if (out->source == AUTH_SOURCE_NONE) {
            out->source = AUTH_SOURCE_ARC;
            out->authserv_id = result->authserv_id;
        }
    }
}

/* ---- signatures ---- */

static int64_t number_of(const struct tag_list *tags, const char *name)
{
    int64_t value;
    return num_parse(tag_list_get(tags, name), INT64_C(1) << 52, &value) ? value : -1;
}

static const char *keep_tag(const struct tag_list *tags, const char *name, struct arena *arena)
{
    struct text value = tag_list_get(tags, name);
    return value.size > 0 ? keep(arena, value) : NULL;
}

static void read_signature(struct text value, struct arena *arena, struct dkim_signature *out)
{
    struct tag_list tags = tag_list_read(value, arena);
    struct text names = tag_list_get(&tags, "h");
    *out = (struct dkim_signature){
        .domain = keep_tag(&tags, "d", arena),
        .selector = keep_tag(&tags, "s", arena),
        .algorithm = keep_tag(&tags, "a", arena),
        .canonicalization = keep_tag(&tags, "c", arena),
        .identity = keep_tag(&tags, "i", arena),
        .timestamp = number_of(&tags, "t"),
        .expires = number_of(&tags, "x"),
        .body_length = number_of(&tags, "l"),
    };
    while (names.size > 0 && out->signed_count < AUTH_LIST_MAX)
        out->signed_header[out->signed_count++] = keep_lower(arena, text_cut(&names, ':'));
    out->valid_syntax = tags.is_valid && text_is(tag_list_get(&tags, "v"), "1") && out->domain &&
                        out->selector && out->algorithm && out->signed_count > 0 &&
                        tag_list_get(&tags, "b").size > 0 && tag_list_get(&tags, "bh").size > 0;
}

/* ---- ARC ---- */

enum arc_part { ARC_SEAL, ARC_SIGNATURE, ARC_RESULTS, ARC_PARTS };

static const char *const arc_names[ARC_PARTS] = { "ARC-Seal", "ARC-Message-Signature",
                                                  "ARC-Authentication-Results" };

static int arc_instance(struct text value)
{
    const char *end = value.size > 0 ? memchr(value.bytes, ';', value.size) : NULL;
    struct text tag = { value.bytes, end ? (size_t)(end - value.bytes) : value.size };
    struct text name = text_trim(text_cut(&tag, '='));
    int64_t instance;
    return text_is_any_case(name, "i") && num_parse(text_trim(tag), AUTH_ARC_MAX, &instance)
               ? (int)instance
               : 0;
}

static int seal_instance(struct text value, struct arena *arena)
{
    struct tag_list tags = tag_list_read(value, arena);
    int64_t instance = number_of(&tags, "i");
    return instance >= 1 && instance <= AUTH_ARC_MAX ? (int)instance : 0;
}

static void read_arc(const struct fields *fields, struct arena *arena, struct authentication *out)
{
    int count[AUTH_ARC_MAX + 1][ARC_PARTS] = { 0 };
    const char *cv[AUTH_ARC_MAX + 1] = { NULL };
    bool is_broken = false;

    for (size_t i = 0; i < fields->count; i++)
        for (int part = 0; part < ARC_PARTS; part++) {
            struct text value = fields->at[i].value;
            if (!text_is_any_case(fields->at[i].name, arc_names[part]))
                continue;
            int instance = part == ARC_RESULTS ? arc_instance(value) : seal_instance(value, arena);
            out->has_arc = true;
            is_broken |= instance == 0;
            count[instance][part]++;
            out->arc_instances = MAX(out->arc_instances, instance);
            if (part == ARC_SEAL) {
                struct tag_list tags = tag_list_read(value, arena);
                cv[instance] = keep_tag(&tags, "cv", arena);
            }
            if (part == ARC_RESULTS && instance > 0)
                read_results(value, i, instance, arena, out);
        }
    for (int i = 1; i <= out->arc_instances; i++) {
        for (int part = 0; part < ARC_PARTS; part++)
            is_broken |= count[i][part] != 1;
        is_broken |= !cv[i] || strcasecmp(cv[i], i == 1 ? "none" : "pass") != 0;
    }
    out->arc_is_valid = out->arc_instances > 0 && !is_broken;
    out->arc_last_cv = out->arc_instances > 0 ? cv[out->arc_instances] : NULL;
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
        if (is_results_field(field->name))
            read_results(field->value, i, 0, arena, out);
        else if (text_is_any_case(field->name, "DKIM-Signature") &&
                 out->signature_count < AUTH_SIGNATURES_MAX)
            read_signature(field->value, arena, &out->signature[out->signature_count++]);
    }
    read_arc(fields, arena, out);

    struct border border = find_border(hops, fields, senders);
    struct chooser chooser = { out, senders, from_domain, arena };
    mark_trusted(out, &border, senders);
    for (size_t i = 0; i < out->result_count; i++)
        if (out->result[i].trusted)
            choose(&chooser, &out->result[i]);
    fall_back_to_received_spf(&chooser, fields, &border);
    fall_back_to_arc(&chooser);
}
