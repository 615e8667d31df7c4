/* svc-email/email-blacklist-check/email-blacklist-check.c - check an address, or a domain and its
 * addresses, against blocklists. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/deadline.h"
#include "blocklists/check.h"
#include "blocklists/sender-files.h"
#include "dns/domain.h"
#include "net/egress.h"
#include "net/guard.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    WHOLE_MS = 8000,
    QUESTION_MS = 2000,
    QUESTIONS_MAX = 1000,
    ADDRESSES_SHOWN_MAX = 10,
    MX_MAX = 3,
};

/* The targets of a check. */
struct survey {
    char name[HOST_BYTES];
    bool is_domain;
    bool exists;
    size_t address_count;
    bool is_cut; /* the domain has more addresses */
    size_t target_count;
    struct list_target target[TARGETS_MAX]; /* the addresses, then the domain */
};

static void set_address(struct list_target *target, const struct in6_addr *address)
{
    struct host host;
    host_of_address(address, &host);
    memcpy(target->name, host.name, HOST_BYTES);
    target->subject = address_is_ipv4(address) ? SUBJECT_IPV4 : SUBJECT_IPV6;
    target->address = *address;
}

/* ---- the request ---- */

/* Read an address without brackets, so that it has one spelling. */
static bool read_address(const struct job *job, struct text text, struct survey *survey,
                         struct err *err)
{
    struct in6_addr address;
    struct in6_addr test = address_of_ipv4((struct in_addr){ htonl(0x7f000002) });
    if (!address_parse(text, &address))
        return err_set(err, ERR_INVALID_IP, "ip must be an IPv4 or IPv6 address");
    if (!guard_allows_address(egress_guard(job->egress), &address) &&
        memcmp(&address, &test, sizeof(test)) != 0)
        return err_set(err, ERR_INVALID_IP, "ip must be a public address, or 127.0.0.2 for a test");
    set_address(&survey->target[0], &address);
    memcpy(survey->name, survey->target[0].name, HOST_BYTES);
    survey->address_count = survey->target_count = 1;
    survey->exists = true;
    return true;
}

static bool read_request(const struct job *job, struct survey *survey, struct err *err)
{
    struct in6_addr address;
    struct text domain = text_trim(arg_text(job, "domain"));
    struct text ip = text_trim(arg_text(job, "ip"));
    if (domain.size > 0 && ip.size > 0 && !text_equals(domain, ip))
        return err_set(err, ERR_CONFLICTING_FIELDS, "exactly one of domain and ip must be given");
    if (ip.size > 0)
        return read_address(job, ip, survey, err);
    if (address_parse(domain, &address))
        return read_address(job, domain, survey, err);
    survey->is_domain = true;
    return mail_domain_parse(domain, survey->name, err);
}

/* ---- the addresses of a domain ---- */

static int by_number(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct in6_addr));
}

static bool has_target(const struct survey *survey, const struct in6_addr *address)
{
    for (size_t i = 0; i < survey->address_count; i++)
        if (memcmp(&survey->target[i].address, address, sizeof(*address)) == 0)
            return true;
    return false;
}

/* Add the public addresses, sorted. Lists do not contain others. */
static void add_addresses(const struct job *job, const struct lookup *answer, struct survey *survey)
{
    struct addresses found = { 0 };
    lookup_addresses(answer, &found);
    qsort(found.item, found.count, sizeof(*found.item), by_number);
    for (size_t i = 0; i < found.count; i++) {
        if (has_target(survey, &found.item[i]) ||
            !guard_allows_address(egress_guard(job->egress), &found.item[i]))
            continue;
        if (survey->address_count == ADDRESSES_SHOWN_MAX) {
            survey->is_cut = true;
            return;
        }
        set_address(&survey->target[survey->address_count++], &found.item[i]);
    }
}

static void add_mx(const struct job *job, struct lookups *lookups, struct survey *survey)
{
    const struct lookup *mx = lookup(lookups, survey->name, DNS_MX);
    size_t count = MIN(mx->count, MX_MAX);
    for (size_t i = 0; i < count; i++)
        lookups_add(lookups, lookup_record(mx, i)->target, DNS_A);
    lookups_run(lookups);
    for (size_t i = 0; i < count; i++)
        add_addresses(job, lookup(lookups, lookup_record(mx, i)->target, DNS_A), survey);
}

static bool resolve_domain(const struct job *job, struct lookups *lookups, struct survey *survey,
                           struct err *err)
{
    lookups_add(lookups, survey->name, DNS_A);
    if (arg_bool(job, "include_ipv6"))
        lookups_add(lookups, survey->name, DNS_AAAA);
    if (arg_bool(job, "include_mx"))
        lookups_add(lookups, survey->name, DNS_MX);
    const struct lookup *a = lookup(lookups, survey->name, DNS_A);
    if (lookup_is_temporary(a))
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE,
                       "the domain's addresses could not be looked up; retry in a minute");
    survey->exists = a->status != LOOKUP_NXDOMAIN;
    add_addresses(job, a, survey);
    if (arg_bool(job, "include_ipv6"))
        add_addresses(job, lookup(lookups, survey->name, DNS_AAAA), survey);
    if (arg_bool(job, "include_mx"))
        add_mx(job, lookups, survey);
    struct list_target *domain = &survey->target[survey->address_count];
    domain->subject = SUBJECT_DOMAIN;
    memcpy(domain->name, survey->name, HOST_BYTES);
    domain->owner = mail_org_domain(job->egress, domain->name);
    survey->target_count = survey->address_count + 1;
    return true;
}

/* ---- the result ---- */

static void add_listing(cJSON *list, const struct listing *listing)
{
    bool is_domain = listing->target->subject == SUBJECT_DOMAIN;
    const struct reading *reading = &listing->reading;
    cJSON *item = json_item(list);
    struct host host;
    json_str(item, is_domain ? "domain" : "ip", listing->target->name);
    json_str(item, "list", listing->list->name);
    json_str(item, "zone", listing->list->zone);
    json_str(item, "status", listing_status_names[reading->status]);
    cJSON *codes = json_list(item, "codes");
    for (size_t i = 0; i < listing->answer.addresses.count; i++) {
        host_of_address(&listing->answer.addresses.item[i], &host);
        json_item_str(codes, host.name);
    }
    json_str(item, "reason", listing->text ? listing->text : reading->reason);
    json_str(item, "meaning", reading->meaning.size > 0 ? buf_str(&reading->meaning) : NULL);
    json_str(item, "category", listing->list->category);
    json_str(item, "delist_url", listing->list->delist_url);
}

/* For each target, the lists that list it come first. */
static void add_listings(cJSON *list, const struct listings *listings,
                         const struct list_target *target)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < listings->count; i++)
            if (listings->item[i].target == target &&
                (listings->item[i].reading.status == LISTING_LISTED) == (pass == 0))
                add_listing(list, &listings->item[i]);
}

static size_t count_status(const struct listings *listings, enum listing_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < listings->count; i++)
        count += listings->item[i].reading.status == status;
    return count;
}

/* Count the queried lists, and those that answered for every target. */
static void count_lists(const struct dnsbls *lists, const struct listings *listings, size_t *asked,
                        size_t *answered)
{
    *asked = *answered = 0;
    for (size_t i = 0; i < lists->count; i++) {
        size_t targets = 0;
        size_t good = 0;
        for (size_t k = 0; k < listings->count; k++) {
            enum listing_status status = listings->item[k].reading.status;
            bool is_its_own = listings->item[k].list == &lists->item[i];
            targets += is_its_own;
            good += is_its_own && (status == LISTING_LISTED || status == LISTING_CLEAN);
        }
        *asked += targets > 0 && lists->item[i].may_query;
        *answered += targets > 0 && good == targets;
    }
}

static void write_result(const struct survey *survey, const struct dnsbls *lists,
                         const struct listings *listings, int64_t now_ms, cJSON *result)
{
    size_t asked, answered;
    size_t listed = count_status(listings, LISTING_LISTED);
    count_lists(lists, listings, &asked, &answered);
    json_str(result, "target", survey->name);
    json_str(result, "type", survey->is_domain ? "domain" : "ip");
    cJSON *ips = json_list(result, "checked_ips");
    for (size_t i = 0; i < survey->address_count; i++)
        json_item_str(ips, survey->target[i].name);
    json_int(result, "listed_count", (int64_t)listed);
    json_bool(result, "clean", listed == 0 && answered > 0 && 2 * answered >= asked);
    cJSON *ip_listings = json_list(result, "ip_listings");
    for (size_t i = 0; i < survey->address_count; i++)
        add_listings(ip_listings, listings, &survey->target[i]);
    json_int(result, "lists_checked", (int64_t)asked);
    cJSON *domain_listings = json_list(result, "domain_listings");
    if (survey->is_domain)
        add_listings(domain_listings, listings, &survey->target[survey->address_count]);
    json_int(result, "lists_answered", (int64_t)answered);
    json_int(result, "blocked_count", (int64_t)count_status(listings, LISTING_BLOCKED));
    json_int(result, "error_count", (int64_t)count_status(listings, LISTING_ERROR));
    json_bool(result, "truncated_ips", survey->is_cut);
    json_bool(result, "exists", survey->exists);
    json_bool(result, "partial", listings->is_partial);
    json_time(result, "scanned_at", now_ms);
}

bool email_blacklist_check(const struct job *job, cJSON *result, struct err *err)
{
    const struct lookup_limits limits = { QUESTIONS_MAX, QUESTION_MS, 1,
                                          deadline_within(job->deadline_ms, WHOLE_MS) };
    const struct sender_files *files = job->data;
    struct dnsbls *lists = files->lists;
    scoped(mem_free) struct survey *survey = mem_new(sizeof(*survey));
    scoped(listings_free) struct listings listings = { 0 };
    if (!read_request(job, survey, err))
        return false;
    scoped(lookups_free) struct lookups *lookups = lookups_new(job->egress, &limits);
    if (survey->is_domain && !resolve_domain(job, lookups, survey, err))
        return false;
    if (!listings_query(lookups, lists, survey->target, survey->target_count, &listings, err))
        return false;
    write_result(survey, lists, &listings, job->now_ms, result);
    return true;
}
