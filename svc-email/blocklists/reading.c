/* svc-email/blocklists/reading.c - interpret answers of lists. */
#include "blocklists/reading.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/cidr.h"

enum {
    LOOPBACK_NET = 0x7f,
    REFUSALS = 0x7fffff00,  /* 127.255.255.0/24: the operator rejects the query */
    REFUSED_TYPING = 0xfc,  /* .252 */
    REFUSED_PUBLIC = 0xfe,  /* .254 */
    REFUSED_VOLUME = 0xff,  /* .255 */
    FIRST = 0x7f000001,     /* 127.0.0.1, which no list may answer: RFC 5782 section 2.1 */
    WRONG_KIND = 0x7f0001ff /* 127.0.1.255: an address was queried where names belong */
};

const char *const listing_status_names[] = {
    [LISTING_LISTED] = "listed",
    [LISTING_CLEAN] = "clean",
    [LISTING_BLOCKED] = "blocked",
    [LISTING_ERROR] = "error",
};

static uint32_t number_of(const struct in6_addr *address)
{
    uint32_t number;
    memcpy(&number, &address->s6_addr[12], sizeof(number));
    return ntohl(number);
}

/* ---- one address of an answer ---- */

static const char *refusal_of(const struct dnsbl *list, uint32_t number)
{
    for (size_t i = 0; i < list->refused_count; i++)
        if (list->refused[i] == number)
            return "the list rejects queries from this resolver";
    if ((number & ~(uint32_t)UINT8_MAX) != REFUSALS)
        return NULL;
    switch (number & UINT8_MAX) {
    case REFUSED_TYPING:
        return "the list does not support the queried zone";
    case REFUSED_PUBLIC:
        return "the list rejects queries from public resolvers";
    case REFUSED_VOLUME:
        return "the list received too many queries from this resolver";
    default:
        return "the list rejects queries from this resolver";
    }
}

static const struct code *code_of(const struct dnsbl *list, uint32_t number)
{
    for (size_t i = 0; i < list->code_count; i++)
        if (number >= list->code[i].first && number <= list->code[i].last)
            return &list->code[i];
    return NULL;
}

static void add_meaning(struct reading *reading, const char *meaning)
{
    if (reading->meaning.size > 0)
        buf_add_str(&reading->meaning, "; ");
    buf_add_str(&reading->meaning, meaning);
}

static enum listing_status set_failure(struct reading *reading, enum listing_status status,
                                       const char *reason)
{
    reading->reason = reason;
    return status;
}

static enum listing_status read_bits(const struct dnsbl *list, uint32_t number,
                                     struct reading *reading)
{
    bool is_known = false;
    for (size_t i = 0; i < list->bit_count; i++)
        if (number & list->bit[i].first) {
            add_meaning(reading, list->bit[i].meaning);
            is_known = true;
        }
    if (!is_known)
        add_meaning(reading, "unspecified");
    return LISTING_LISTED;
}

static enum listing_status read_address(const struct dnsbl *list, const struct in6_addr *address,
                                        struct reading *reading)
{
    uint32_t number = number_of(address);
    if (!address_is_ipv4(address) || number >> 24 != LOOPBACK_NET)
        return set_failure(
            reading, LISTING_ERROR,
            "the list answered with an address outside 127/8, as a wildcard or a seized zone does");
    const char *refusal = refusal_of(list, number);
    if (refusal)
        return set_failure(reading, LISTING_BLOCKED, refusal);
    const struct code *code = code_of(list, number);
    if (code) {
        add_meaning(reading, code->meaning);
        return code->is_listing ? LISTING_LISTED : LISTING_CLEAN;
    }
    if (number == FIRST || number == WRONG_KIND)
        return set_failure(reading, LISTING_ERROR, "the list's answer is not a valid listing");
    if (list->bit_count > 0)
        return read_bits(list, number, reading);
    add_meaning(reading, "unspecified");
    return LISTING_LISTED;
}

/* ---- whole answers ---- */

/* One invalid address makes the answer invalid. Otherwise it is listed if any address is. */
static enum listing_status read_addresses(const struct dnsbl *list,
                                          const struct list_answer *answer, struct reading *reading)
{
    enum listing_status status = LISTING_CLEAN;
    for (size_t i = 0; i < answer->addresses.count; i++) {
        enum listing_status next = read_address(list, &answer->addresses.item[i], reading);
        if (next == LISTING_ERROR || next == LISTING_BLOCKED)
            return next;
        if (next == LISTING_LISTED)
            status = next;
    }
    return status;
}

static enum listing_status read_status(const struct dnsbl *list, enum health health,
                                       const struct list_answer *answer, struct reading *reading)
{
    if (!list->may_query)
        return set_failure(reading, LISTING_BLOCKED, "needs the operator's license key");
    if (health == HEALTH_REFUSED)
        return set_failure(reading, LISTING_BLOCKED, "the list rejects queries from this resolver");
    if (health == HEALTH_EVERYTHING)
        return set_failure(reading, LISTING_ERROR,
                           "the list names an address that it must not list: it lists everything");
    if (health == HEALTH_NOTHING)
        return set_failure(reading, LISTING_BLOCKED, "the list does not answer this resolver");
    switch (answer->status) {
    case LOOKUP_ANSWER:
        return read_addresses(list, answer, reading);
    case LOOKUP_NXDOMAIN:
    case LOOKUP_NODATA:
        if (health != HEALTH_UNKNOWN)
            return LISTING_CLEAN;
        return set_failure(reading, LISTING_ERROR,
                           "the list did not answer its test queries in time");
    case LOOKUP_REFUSED:
        return set_failure(reading, LISTING_BLOCKED, "the list rejects queries from this resolver");
    case LOOKUP_SERVFAIL:
        return set_failure(reading, LISTING_ERROR, "the list's name servers failed");
    case LOOKUP_BADREPLY:
        return set_failure(reading, LISTING_ERROR, "the resolver's answer is invalid");
    case LOOKUP_OPEN: /* as a timeout, so that equal calls get equal results */
    case LOOKUP_TIMEOUT:
        break;
    }
    return set_failure(reading, LISTING_ERROR, "the list did not answer in time");
}

void reading_of(const struct dnsbl *list, enum health health, const struct list_answer *answer,
                struct reading *reading)
{
    *reading = (struct reading){ .meaning = BUF(MEANING_BYTES) };
    reading->status = read_status(list, health, answer, reading);
    if (reading->reason)
        buf_clear(&reading->meaning);
}

void reading_free(struct reading *reading)
{
    buf_free(&reading->meaning);
}

/* ---- test queries ---- */

static bool is_refused(const struct dnsbl *list, const struct list_answer *answer)
{
    for (size_t i = 0; i < answer->addresses.count; i++)
        if (refusal_of(list, number_of(&answer->addresses.item[i])))
            return true;
    return answer->status == LOOKUP_REFUSED;
}

enum health health_of(const struct dnsbl *list, const struct list_answer *listed,
                      const struct list_answer *clean)
{
    if (is_refused(list, listed) || is_refused(list, clean))
        return HEALTH_REFUSED;
    if (clean->status == LOOKUP_ANSWER)
        return HEALTH_EVERYTHING;
    if (!status_is_void(clean->status))
        return HEALTH_UNKNOWN;
    if (listed->status == LOOKUP_ANSWER)
        return HEALTH_GOOD;
    return status_is_void(listed->status) ? HEALTH_NOTHING : HEALTH_UNKNOWN;
}

/* ---- names to query ---- */

void query_name_of_address(const struct in6_addr *address, bool is_ipv4, const char *zone,
                           char name[static QUERY_NAME_BYTES])
{
    const uint8_t *byte = address->s6_addr;
    int size = 0;
    if (is_ipv4) {
        snprintf(name, QUERY_NAME_BYTES, "%u.%u.%u.%u.%s", byte[15], byte[14], byte[13], byte[12],
                 zone);
        return;
    }
    for (int i = 15; i >= 0; i--)
        size += snprintf(name + size, (size_t)(QUERY_NAME_BYTES - size), "%x.%x.", byte[i] & 0xf,
                         byte[i] >> 4);
    snprintf(name + size, (size_t)(QUERY_NAME_BYTES - size), "%s", zone);
}
