/* svc-security/tls-check/addresses.c - compare a host's addresses: a forgotten server behind one of
 * them has another certificate. */
#include "addresses.h"

#include <string.h>

#include "base/num.h"
#include "text/json.h"

enum {
    ADDRESSES_COMPARED = 4,
    ANSWER_MS = 3000,
};

/* What differs from the first address, and how to see it. */
static bool has_other_version(const struct presented *a, const struct presented *b)
{
    return a->handshake.version != b->handshake.version;
}

static bool has_other_certificate(const struct presented *a, const struct presented *b)
{
    return (a->chain || b->chain) && !presented_is_same(a, b);
}

static bool has_other_trust(const struct presented *a, const struct presented *b)
{
    return a->facts.trust != b->facts.trust || a->facts.is_for_host != b->facts.is_for_host;
}

static bool has_other_alpn(const struct presented *a, const struct presented *b)
{
    return strcmp(a->handshake.alpn, b->handshake.alpn) != 0;
}

static const struct {
    const char *name;
    bool (*differs)(const struct presented *a, const struct presented *b);
} differences[] = {
    { "protocol", has_other_version },
    { "certificate", has_other_certificate },
    { "trust", has_other_trust },
    { "alpn", has_other_alpn },
};

static const char *version_of(const struct presented *presented)
{
    enum version version;
    bool is_known = presented->handshake.is_complete &&
                    version_of_number(presented->handshake.version, &version);
    return is_known ? version_name(version) : NULL;
}

static void add_address(const struct presented *first, const struct presented *other,
                        bool is_reached, cJSON *list)
{
    struct host address;
    cJSON *item = json_item(list);
    host_of_address(&other->address, &address);
    json_str(item, "address", address.name);
    json_str(item, "protocol", version_of(other));
    json_str(item, "fingerprint_sha256",
             other->chain ? chain_certificate(other->chain, 0)->fingerprint : NULL);
    if (other->chain)
        json_time(item, "not_after", chain_certificate(other->chain, 0)->not_after_s * 1000);
    else
        json_null(item, "not_after");
    json_bool(item, "trusted", other->chain && other->facts.trust == TRUST_YES);
    json_bool(item, "hostname_match", other->chain && other->facts.is_for_host);
    cJSON *names = json_list(item, "differences");
    if (!is_reached)
        json_item_str(names, "unreachable");
    for (size_t i = 0; is_reached && i < countof(differences); i++)
        if (differences[i].differs(first, other))
            json_item_str(names, differences[i].name);
}

static void compare_address(const struct server *server, const struct presented *first,
                            const struct in6_addr *address, cJSON *list)
{
    scoped(presented_free) struct presented other = PRESENTED_INIT;
    other.address = *address;
    other.facts.now_s = first->facts.now_s;
    bool is_reached = presented_connect(server, HANDSHAKE_ANY, ANSWER_MS, &other, NULL);
    presented_take(&other, TEXT(""));
    presented_evaluate(server, &other);
    add_address(first, &other, is_reached, list);
}

void addresses_compare(const struct server *server, const struct presented *first, cJSON *result)
{
    struct addresses addresses = { 0 };
    cJSON *list = json_list(result, "addresses");
    add_address(first, first, true, list);
    if (!egress_session_resolve(server->session, server->host, &addresses, NULL))
        return;
    for (size_t i = 0; i < addresses.count && json_size(list) < ADDRESSES_COMPARED; i++)
        if (memcmp(&addresses.item[i], &first->address, sizeof(first->address)) != 0)
            compare_address(server, first, &addresses.item[i], list);
}
