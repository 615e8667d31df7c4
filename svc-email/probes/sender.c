/* svc-email/probes/sender.c - look up an address: reverse names, SPF, blocklists. */
#include "probes/sender.h"

#include <string.h>

#include "base/codec/cidr.h"
#include "base/num.h"
#include "dns/domain.h"

enum { LIST_MS = 2000, LIST_QUESTIONS_MAX = 200 };

/* ---- reverse names: RFC 8601 section 2.7.3, "iprev" ---- */

static bool leads_back(const struct lookup *answer, const struct in6_addr *address)
{
    struct addresses addresses = { 0 };
    lookup_addresses(answer, &addresses);
    for (size_t i = 0; i < addresses.count; i++)
        if (memcmp(&addresses.item[i], address, sizeof(*address)) == 0)
            return true;
    return false;
}

static void collect_names(const struct in6_addr *address, struct sender_facts *sender)
{
    char name[QUERY_NAME_BYTES];
    bool is_ipv4 = address_is_ipv4(address);
    uint16_t type = is_ipv4 ? DNS_A : DNS_AAAA;
    query_name_of_address(address, is_ipv4, is_ipv4 ? "in-addr.arpa" : "ip6.arpa", name);
    const struct lookup *pointers = lookup(sender->lookups, name, DNS_PTR);
    sender->reverse = pointers->status;
    sender->names = MIN(pointers->count, REVERSE_NAMES_MAX);
    for (size_t i = 0; i < sender->names; i++) {
        const char *target = lookup_record(pointers, i)->target;
        sender->name[i].name = arena_lower(&sender->arena, text_of(target));
        lookups_add(sender->lookups, target, type);
    }
    lookups_run(sender->lookups);
    for (size_t i = 0; i < sender->names; i++) {
        const struct lookup *answer = lookup(sender->lookups, sender->name[i].name, type);
        sender->name[i].leads_back = leads_back(answer, address);
        sender->is_reverse_unknown |= lookup_is_temporary(answer);
    }
}

bool sender_is_confirmed(const struct sender_facts *sender)
{
    for (size_t i = 0; i < sender->names; i++)
        if (sender->name[i].leads_back)
            return true;
    return false;
}

/* ---- SPF ---- */

/* For %{p}, the domain itself or a name below it comes first (RFC 7208 section 7.3). */
static const char *validated_name(const struct spf_client *client, const char *domain)
{
    for (size_t i = 0; i < client->names; i++)
        if (name_is_within(client->name[i], domain))
            return client->name[i];
    return client->names > 0 ? client->name[0] : "unknown";
}

static void check_spf(const struct in6_addr *address, const char *domain,
                      struct sender_facts *sender)
{
    struct spf_client client = { .sender = { .address = *address, .domain = domain } };
    for (size_t i = 0; i < sender->names; i++)
        if (sender->name[i].leads_back)
            client.name[client.names++] = sender->name[i].name;
    client.sender.validated = validated_name(&client, domain);
    spf_check_host(&client, domain, sender->lookups, &sender->arena, &sender->spf);
}

/* ---- blocklists ---- */

static void query_lists(const struct in6_addr *address, struct dnsbls *lists, struct egress *egress,
                        int64_t deadline_ms, struct sender_facts *sender)
{
    const struct lookup_limits limits = { LIST_QUESTIONS_MAX, LIST_MS, 1, deadline_ms };
    scoped(lookups_free) struct lookups *lookups = lookups_new(egress, &limits);
    sender->target =
        (struct list_target){ .subject = address_is_ipv4(address) ? SUBJECT_IPV4 : SUBJECT_IPV6,
                              .address = *address };
    memcpy(sender->target.name, sender->address.name, sizeof(sender->target.name));
    if (!listings_query(lookups, lists, &sender->target, 1, &sender->listings, NULL))
        sender->is_partial = true; /* no resolver answered: there are no listings */
    sender->is_partial |= sender->listings.is_partial;
}

size_t sender_count_listings(const struct sender_facts *sender, enum listing_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < sender->listings.count; i++)
        count += sender->listings.item[i].reading.status == status;
    return count;
}

/* ---- all ---- */

void sender_collect(const struct in6_addr *address, const char *domain, struct dnsbls *lists,
                    struct egress *egress, const struct lookup_limits *limits,
                    struct sender_facts *sender)
{
    host_of_address(address, &sender->address);
    sender->lookups = lookups_new(egress, limits);
    collect_names(address, sender);
    check_spf(address, domain, sender);
    sender->is_partial |= lookups_are_partial(sender->lookups);
    query_lists(address, lists, egress, limits->deadline_ms, sender);
}

void sender_free(struct sender_facts *sender)
{
    listings_free(&sender->listings);
    lookups_free(&sender->lookups);
    arena_free(&sender->arena);
}
