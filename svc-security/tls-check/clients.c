/* svc-security/tls-check/clients.c - what a server and a client would agree on. */
#include "clients.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "text/json.h"

enum roots { UNKNOWN, WITH_ISRG, WITHOUT_ISRG };

static const struct client {
    const char *name;
    enum version lowest;
    enum version highest;
    unsigned dh_bits; /* most bits of a prime; 0: no limit */
    enum roots roots;
    const char *groups; /* in hexadecimal, four digits and a blank each */
    const char *suites;
} clients[] = {
#define CLIENT(name, lowest, highest, dh_bits, roots, groups, suites) \
    { name, lowest, highest, dh_bits, roots, groups, suites },
#include "clients.def"
#undef CLIENT
};

const struct client *client_find(const char *name)
{
    for (size_t i = 0; i < countof(clients); i++)
        if (strcmp(clients[i].name, name) == 0)
            return &clients[i];
    return NULL;
}

/* Place of a number in a list of them; -1: absent. */
static int find_number(const char *list, uint32_t number)
{
    int place = 0;
    for (const char *at = list; *at; place++) {
        char *end;
        if (strtoul(at, &end, 16) == number)
            return place;
        at = end + strspn(end, " ");
    }
    return -1;
}

/* ---- version, group, suite ---- */

static bool find_version(const struct client *client, const struct facts *facts,
                         enum version *version)
{
    for (int i = (int)client->highest; i >= (int)client->lowest; i--)
        if (facts->supports[i]) {
            *version = (enum version)i;
            return true;
        }
    return false;
}

static bool has_group(const struct client *client, const struct facts *facts, enum version version)
{
    for (size_t i = 0; i < facts->group_count; i++) {
        bool is_new =
            group_find(facts->group[i])->flags & (GROUP_IS_POST_QUANTUM | GROUP_IS_FINITE_FIELD);
        if ((!is_new || version == TLSV13) && find_number(client->groups, facts->group[i]) >= 0)
            return true;
    }
    return facts->group_count == 0; /* not known */
}

/* A server that chooses takes insecure suites last, and others in the order of the scan, which
 * removes the accepted suite each time. */
static int server_order(const struct accepted *a, const struct accepted *b)
{
    bool is_bad = suite_strength(a->suite) == STRENGTH_INSECURE;
    bool is_other_bad = suite_strength(b->suite) == STRENGTH_INSECURE;
    return is_bad != is_other_bad ? is_bad - is_other_bad : (int)a->place - (int)b->place;
}

static bool is_before(const struct client *client, const struct facts *facts,
                      const struct accepted *a, const struct accepted *b)
{
    if (facts->has_server_order == TRI_YES && a->version < TLSV13) /* the scan does not show it */
        return server_order(a, b) < 0;
    return find_number(client->suites, a->suite->id) < find_number(client->suites, b->suite->id);
}

static const struct accepted *find_suite(const struct client *client, const struct facts *facts,
                                         enum version version, bool with_groups)
{
    const struct accepted *best = NULL;
    for (size_t i = 0; i < facts->accepted_count; i++) {
        const struct accepted *accepted = &facts->accepted[i];
        bool needs_group = version < TLSV13 && accepted->suite->kx->flags & KX_SENDS_EC;
        if (accepted->version != version || find_number(client->suites, accepted->suite->id) < 0 ||
            (needs_group && !with_groups))
            continue;
        if (!best || is_before(client, facts, accepted, best))
            best = accepted;
    }
    return best;
}

/* ---- the certificate ---- */

static bool has_key(const struct facts *facts, const char *kx)
{
    const struct certificate *leaf = facts_leaf(facts);
    bool is_rsa = leaf && strncmp(leaf->key_name, "RSA", 3) == 0;
    return leaf && (strstr(kx, "ECDSA") ? !is_rsa : !strstr(kx, "RSA") || is_rsa);
}

/* In TLS 1.3 the suite does not say which certificate it is: the first is that of a current
 * client. */
static const struct facts *find_certificate(const struct facts *const *facts, size_t count,
                                            const struct accepted *accepted)
{
    for (size_t i = 0; i < count; i++)
        if (accepted->version == TLSV13 || has_key(facts[i], accepted->suite->kx->name))
            return facts_leaf(facts[i]) ? facts[i] : NULL;
    return NULL;
}

/* Only of one root it is documented which clients have it. */
static enum tristate find_trust(const struct client *client, const struct facts *facts)
{
    if (!facts || facts->certificate_count == 0)
        return TRI_NO;
    bool is_bad =
        facts->trust != TRUST_YES || !facts->is_for_host || facts->revocation == REVOCATION_REVOKED;
    const struct certificate *top = facts->certificate[facts->certificate_count - 1];
    bool is_isrg = top->issuer && strstr(top->issuer, "CN=ISRG Root X1");
    if (is_bad)
        return TRI_NO;
    if (!is_isrg || client->roots == UNKNOWN)
        return TRI_UNKNOWN;
    return client->roots == WITH_ISRG ? TRI_YES : TRI_NO;
}

/* ---- one client ---- */

struct client_result client_connect(const struct client *client, const struct facts *const *facts,
                                    size_t count)
{
    const struct facts *server = facts[0];
    struct client_result result = { .failure = CLIENT_NO_VERSION };
    if (!find_version(client, server, &result.version))
        return result;
    bool with_groups = has_group(client, server, result.version);
    const struct accepted *accepted = find_suite(client, server, result.version, with_groups);
    bool is_possible = accepted || find_suite(client, server, result.version, true);
    if (!accepted || (result.version == TLSV13 && !with_groups)) {
        result.failure = is_possible ? CLIENT_NO_GROUP : CLIENT_NO_SUITE;
        return result;
    }
    bool is_long = accepted->version < TLSV13 && accepted->suite->kx->flags & KX_SENDS_DH &&
                   client->dh_bits > 0 && server->dh_bits > client->dh_bits;
    result.failure = is_long ? CLIENT_LONG_PRIME : CLIENT_CONNECTS;
    result.suite = accepted->suite;
    result.certificate = find_certificate(facts, count, accepted);
    result.trusts = find_trust(client, result.certificate);
    return result;
}

/* ---- the result ---- */

static void print_client(const struct client *client, const struct client_result *client_result,
                         cJSON *item)
{
    static const char *const reasons[] = {
        [CLIENT_CONNECTS] = NULL,           [CLIENT_NO_VERSION] = "version",
        [CLIENT_NO_SUITE] = "cipher_suite", [CLIENT_NO_GROUP] = "group",
        [CLIENT_LONG_PRIME] = "dh_bits",
    };
    bool connects = client_result->failure == CLIENT_CONNECTS;
    const struct facts *facts = connects ? client_result->certificate : NULL;
    json_str(item, "name", client->name);
    json_bool(item, "connects", connects);
    json_str(item, "reason", reasons[client_result->failure]);
    json_str(item, "protocol", connects ? version_name(client_result->version) : NULL);
    json_str(item, "cipher_suite", connects ? client_result->suite->name : NULL);
    json_str(item, "fingerprint_sha256", facts ? facts_leaf(facts)->fingerprint : NULL);
    json_bool_if(item, "trusted", connects && client_result->trusts != TRI_UNKNOWN,
                 client_result->trusts == TRI_YES);
}

void clients_print(const struct facts *const *facts, size_t count, cJSON *result)
{
    cJSON *list = json_list(result, "clients");
    for (size_t i = 0; i < countof(clients); i++) {
        struct client_result client = client_connect(&clients[i], facts, count);
        print_client(&clients[i], &client, json_item(list));
    }
}
