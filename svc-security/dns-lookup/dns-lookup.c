/* svc-security/dns-lookup/dns-lookup.c - look up nine record types of a domain in parallel, over
 * one connection to a public resolver. */
#include "dns-lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/codec/cidr.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/table.h"
#include "net/host.h"
#include "svc/args.h"
#include "text/idn.h"
#include "text/json.h"
#include "tools.h"

enum {
    QUERIES_MS = 7500,
    RECORDS_SHOWN_MAX = 500,
    ERROR_TEXT_BYTES = 300,
};

/* ---- kinds ---- */

/* Response codes, best first; unknown codes are ERROR. */
static const struct {
    unsigned rcode;
    const char *name;
} rcodes[] = {
    { DNS_NOERROR, "NOERROR" }, { DNS_NXDOMAIN, "NXDOMAIN" }, { DNS_FORMERR, "FORMERR" },
    { DNS_NOTIMP, "NOTIMP" },   { DNS_REFUSED, "REFUSED" },   { DNS_SERVFAIL, "SERVFAIL" },
};

/* Severity of a status; NODATA and NOERROR are equal. */
static const struct {
    const char *name;
    int badness;
} badness[] = {
    { "NOERROR", 0 }, { "NODATA", 0 },   { "NXDOMAIN", 1 }, { "FORMERR", 2 }, { "NOTIMP", 3 },
    { "REFUSED", 4 }, { "SERVFAIL", 5 }, { "TIMEOUT", 6 },  { "ERROR", 7 },
};

static const char *status_of(const struct dns_question *question, const struct dns_answer *answer)
{
    const struct dns_message *message = &answer->message;
    if (answer->status == DNS_TIMEOUT)
        return "TIMEOUT";
    if (answer->status == DNS_ERROR)
        return "ERROR";
    if (message->rcode == DNS_NOERROR && dns_follow(message, question, NULL) == 0)
        return "NODATA";
    for (size_t i = 0; i < countof(rcodes); i++)
        if (rcodes[i].rcode == message->rcode)
            return rcodes[i].name;
    return "ERROR";
}

static int severity_of(const char *status)
{
    return TABLE_FIND(badness, status)->badness;
}

/* NOERROR if one type has it or NODATA, since the name then exists; otherwise the worst status. */
static const char *overall_status(const struct dns_question *questions,
                                  const struct dns_answer *answers, size_t count)
{
    const char *worst = "NXDOMAIN";
    for (size_t i = 0; i < count; i++) {
        const char *status = status_of(&questions[i], &answers[i]);
        if (severity_of(status) == 0)
            return "NOERROR";
        if (severity_of(status) > severity_of(worst))
            worst = status;
    }
    return worst;
}

/* ---- data of a record ---- */

/* Bytes of a TXT or CAA record: valid UTF-8 as it is, other bytes and NUL as \DDD. */
static void add_text(struct buf *out, struct text bytes)
{
    while (bytes.size > 0) {
        size_t good = utf8_valid_bytes(bytes);
        const char *nul = good ? memchr(bytes.bytes, '\0', good) : NULL;
        if (nul)
            good = (size_t)(nul - bytes.bytes);
        buf_add(out, bytes.bytes, good);
        if (good == bytes.size)
            return;
        buf_format(out, "\\%03u", (unsigned char)bytes.bytes[good]);
        bytes.bytes += good + 1;
        bytes.size -= good + 1;
    }
}

static void write_address(const struct dns_record *record, struct buf *data, cJSON *item)
{
    struct host host;
    (void)item;
    host_of_address(&record->address, &host);
    if (record->type == DNS_AAAA && address_is_ipv4(&record->address))
        buf_add_str(data, "::ffff:");
    buf_add_str(data, host.name);
}

static void write_name(const struct dns_record *record, struct buf *data, cJSON *item)
{
    (void)item;
    buf_add_str(data, record->target);
}

static void write_mx(const struct dns_record *record, struct buf *data, cJSON *item)
{
    buf_format(data, "%u %s", record->priority, record->target);
    json_int(item, "priority", record->priority);
    json_str(item, "exchange", record->target);
}

static void write_txt(const struct dns_record *record, struct buf *data, cJSON *item)
{
    cJSON *strings = json_list(item, "strings");
    for (size_t i = 0; i < record->string_count; i++) {
        scoped(buf_free) struct buf string = BUF(4 * UINT8_MAX);
        add_text(&string, record->string[i]);
        json_item_str(strings, buf_str(&string));
    }
    scoped(buf_free) struct buf whole = BUF(DNS_MESSAGE_BYTES); /* a character may span two
                                                                 * strings */
    for (size_t i = 0; i < record->string_count; i++)
        buf_add(&whole, record->string[i].bytes, record->string[i].size);
    add_text(data, buf_text(&whole));
}

static void write_soa(const struct dns_record *record, struct buf *data, cJSON *item)
{
    buf_format(data, "%s %s %u %u %u %u %u", record->target, record->rname, record->serial,
               record->refresh, record->retry, record->expire, record->minimum);
    json_str(item, "mname", record->target);
    json_str(item, "rname", record->rname);
    json_int(item, "serial", record->serial);
    json_int(item, "refresh", record->refresh);
    json_int(item, "retry", record->retry);
    json_int(item, "expire", record->expire);
    json_int(item, "minimum", record->minimum);
}

static void write_srv(const struct dns_record *record, struct buf *data, cJSON *item)
{
    buf_format(data, "%u %u %u %s", record->priority, record->weight, record->port, record->target);
    json_int(item, "priority", record->priority);
    json_int(item, "weight", record->weight);
    json_int(item, "port", record->port);
    json_str(item, "target", record->target);
}

/* A quoted string in zone file syntax: RFC 8659 section 4.1.1. */
static void add_quoted(struct buf *out, const char *text)
{
    buf_add_byte(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            buf_add_byte(out, '\\');
        buf_add_byte(out, *text);
    }
    buf_add_byte(out, '"');
}

static void write_caa(const struct dns_record *record, struct buf *data, cJSON *item)
{
    scoped(buf_free) struct buf tag = BUF(4 * UINT8_MAX);
    scoped(buf_free) struct buf value = BUF(4 * DNS_MESSAGE_BYTES);
    add_text(&tag, record->tag);
    add_text(&value, record->value);
    buf_format(data, "%u %s ", record->flags, buf_str(&tag));
    add_quoted(data, buf_str(&value));
    json_int(item, "flags", record->flags);
    json_str(item, "tag", buf_str(&tag));
    json_str(item, "value", buf_str(&value));
}

/* In the default query order. */
static const struct kind {
    const char *name;
    uint16_t type;
    bool has_priority;
    void (*write)(const struct dns_record *record, struct buf *data, cJSON *item);
} kinds[] = {
    { "A", DNS_A, false, write_address },      { "AAAA", DNS_AAAA, false, write_address },
    { "MX", DNS_MX, true, write_mx },          { "TXT", DNS_TXT, false, write_txt },
    { "CNAME", DNS_CNAME, false, write_name }, { "NS", DNS_NS, false, write_name },
    { "SOA", DNS_SOA, false, write_soa },      { "SRV", DNS_SRV, true, write_srv },
    { "CAA", DNS_CAA, false, write_caa },
};

static const struct kind *kind_of(uint16_t type)
{
    for (size_t i = 0; i < countof(kinds); i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

/* ---- records ---- */

static int compare_priorities(const void *a, const void *b)
{
    const struct dns_record *first = *(const struct dns_record *const *)a;
    const struct dns_record *second = *(const struct dns_record *const *)b;
    if (first->priority != second->priority)
        return first->priority < second->priority ? -1 : 1;
    return first < second ? -1 : first > second; /* keep the received order */
}

static void add_record(cJSON *list, const struct kind *kind, const struct dns_record *record)
{
    scoped(buf_free) struct buf data = BUF(8 * DNS_MESSAGE_BYTES);
    scoped(json_free) cJSON *extras = json_object();
    cJSON *item = json_item(list);
    cJSON *extra;
    kind->write(record, &data, extras);
    json_str(item, "type", kind->name);
    json_str(item, "name", record->name);
    json_str(item, "data", buf_str(&data));
    json_int(item, "ttl", record->ttl);
    while ((extra = extras->child)) {
        scoped(mem_free) char *name = str_dup(extra->string);
        json_add(item, name, json_take(extras, name));
    }
}

/* Add the records of one type, for the name at the end of the alias chain. Returns whether all
 * fit. */
static bool add_records(cJSON *list, const struct kind *kind, const struct dns_question *question,
                        const struct dns_message *message)
{
    const char *owner;
    size_t count = dns_follow(message, question, &owner);
    scoped(mem_free) const struct dns_record **records = mem_array(count + 1, sizeof(*records));
    size_t found = 0;
    for (size_t i = 0; i < message->answer_count; i++)
        if (message->answer[i].type == kind->type && dns_same_name(message->answer[i].name, owner))
            records[found++] = &message->answer[i];
    if (kind->has_priority)
        qsort(records, found, sizeof(*records), compare_priorities);
    for (size_t i = 0; i < MIN(found, RECORDS_SHOWN_MAX); i++)
        add_record(list, kind, records[i]);
    return found <= RECORDS_SHOWN_MAX;
}

/* ---- aliases ---- */

/* The alias of a name in a response, or NULL. */
static const struct dns_record *alias_of(const struct dns_message *message, const char *name)
{
    for (size_t i = 0; i < message->answer_count; i++)
        if (message->answer[i].type == DNS_CNAME && dns_same_name(message->answer[i].name, name))
            return &message->answer[i];
    return NULL;
}

/* Find the response with the longest alias chain. The CNAME query returns only one step. */
static const struct dns_message *find_longest_chain(const char *domain,
                                                    const struct dns_answer *answers, size_t count)
{
    const struct dns_message *longest = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct dns_message *message = &answers[i].message;
        if (alias_of(message, domain) &&
            (!longest || message->answer_count > longest->answer_count))
            longest = message;
    }
    return longest;
}

/* Does the chain of `count` aliases contain this name as an alias? */
static bool is_visited(const struct dns_record *const *chain, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (dns_same_name(chain[i]->name, name))
            return true;
    return false;
}

static void add_chain(cJSON *result, const char *domain, const struct dns_answer *answers,
                      size_t count)
{
    enum { STEPS_MAX = 32 };
    const struct dns_record *chain[STEPS_MAX];
    const struct dns_message *message = find_longest_chain(domain, answers, count);
    const char *name = domain;
    size_t steps = 0;
    cJSON *list = json_list(result, "cname_chain");
    while (message && steps < STEPS_MAX && !is_visited(chain, steps, name) &&
           (chain[steps] = alias_of(message, name))) {
        cJSON *item = json_item(list);
        json_str(item, "name", chain[steps]->name);
        json_str(item, "target", chain[steps]->target);
        json_int(item, "ttl", chain[steps]->ttl);
        name = chain[steps++]->target;
    }
    json_str(result, "canonical_name", name);
    if (is_visited(chain, steps, name))
        json_bool(result, "cname_loop", true);
}

/* ---- the rest of the report ---- */

static bool is_authenticated(const struct dns_answer *answers, size_t count)
{
    size_t good = 0;
    for (size_t i = 0; i < count; i++) {
        if (answers[i].status != DNS_ANSWERED || answers[i].message.rcode != DNS_NOERROR)
            continue;
        good++;
        if (!answers[i].message.is_authenticated)
            return false;
    }
    return good > 0;
}

/* RFC 2308 section 5: the lesser of the SOA's TTL and its last field, from any negative
 * response. */
static void add_negative_ttl(cJSON *result, const struct dns_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct dns_message *message = &answers[i].message;
        for (size_t n = 0; n < message->authority_count; n++) {
            const struct dns_record *record = &message->authority[n];
            if (record->type != DNS_SOA)
                continue;
            json_int(result, "soa_negative_ttl", MIN(record->ttl, record->minimum));
            return;
        }
    }
    json_null(result, "soa_negative_ttl");
}

static void add_errors(cJSON *list, const char *type, const struct dns_message *message)
{
    for (size_t i = 0; i < message->error_count; i++) {
        const struct dns_extended_error *error = &message->error[i];
        scoped(buf_free) struct buf text = BUF(ERROR_TEXT_BYTES);
        cJSON *item = json_item(list);
        struct text shown = { error->text.bytes, MIN(error->text.size, ERROR_TEXT_BYTES / 4) };
        add_text(&text, shown);
        json_str(item, "type", type);
        json_int(item, "code", error->code);
        json_str(item, "text", buf_str(&text));
    }
}

static const char *find_resolver(const struct dns_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (answers[i].resolver)
            return answers[i].resolver;
    return "";
}

static bool is_partial(const struct dns_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (answers[i].status != DNS_ANSWERED)
            return true;
    return false;
}

void dns_report(const char *domain, const struct dns_question *questions,
                const struct dns_answer *answers, size_t count, int64_t now_ms, cJSON *result)
{
    scoped(buf_free) struct buf unicode = BUF(4 * HOST_BYTES);
    bool shows_all = true;
    idn_to_unicode(domain, &unicode);

    json_str(result, "domain", domain);
    cJSON *records = json_map(result, "records");
    cJSON *types = json_list(result, "queried_types");
    json_time(result, "scanned_at", now_ms);
    json_str(result, "unicode_domain", buf_str(&unicode));
    json_str(result, "status", overall_status(questions, answers, count));
    cJSON *statuses = json_map(result, "statuses");
    json_bool(result, "dnssec_authenticated", is_authenticated(answers, count));
    add_chain(result, domain, answers, count);
    cJSON *errors = json_list(result, "extended_errors");
    json_str(result, "resolver", find_resolver(answers, count));
    add_negative_ttl(result, answers, count);
    json_bool(result, "partial", is_partial(answers, count));
    for (size_t i = 0; i < count; i++) {
        const struct kind *kind = kind_of(questions[i].type);
        cJSON *list = json_list(records, kind->name);
        shows_all &= add_records(list, kind, &questions[i], &answers[i].message);
        json_item_str(types, kind->name);
        json_str(statuses, kind->name, status_of(&questions[i], &answers[i]));
        add_errors(errors, kind->name, &answers[i].message);
    }
    json_bool(result, "truncated", !shows_all);
}

/* ---- the request ---- */

static size_t add_question(struct dns_question *questions, size_t count, const char *domain,
                           uint16_t type)
{
    for (size_t i = 0; i < count; i++)
        if (questions[i].type == type)
            return count;
    questions[count] = (struct dns_question){ domain, type };
    return count + 1;
}

/* Each type once, in request order; all nine by default. */
static size_t read_questions(const struct job *job, const char *domain,
                             struct dns_question questions[static countof(kinds)])
{
    const cJSON *types = arg_any(job, "types");
    const cJSON *item;
    size_t count = 0;
    cJSON_ArrayForEach(item, types) {
        scoped(mem_free) char *name = NULL;
        struct text text = text_trim(json_text_of(item));
        name = mem_dup(text.bytes, text.size);
        count = add_question(questions, count, domain, dns_type_of(name));
    }
    for (size_t i = 0; json_size(types) == 0 && i < countof(kinds); i++)
        count = add_question(questions, count, domain, kinds[i].type);
    return count;
}

bool dns_lookup(const struct job *job, cJSON *result, struct err *err)
{
    char domain[HOST_BYTES];
    struct dns_question questions[countof(kinds)];
    struct dns_answer answers[countof(kinds)] = { 0 };
    if (!domain_parse(arg_text(job, "domain"), DOMAIN_UNDERSCORE | DOMAIN_TOP, domain, err))
        return false;
    int64_t deadline_ms = deadline_within(job->deadline_ms, QUERIES_MS);
    size_t count = read_questions(job, domain, questions);
    bool ok = dns_query(job->egress, questions, count, deadline_ms, answers, err);
    if (ok)
        dns_report(domain, questions, answers, count, job->now_ms, result);
    for (size_t i = 0; i < count; i++)
        dns_answer_free(&answers[i]);
    return ok;
}
