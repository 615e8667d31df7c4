/* svc-security/tls-check/tests/clients.c - which clients a server accepts, and how. */
#include "tls-check/clients.h"

#include <stdio.h>

#include "text/json.h"
#include "world.h"

#define MODERN "TLSv1.3:1301 TLSv1.3:1302 TLSv1.2:C02F TLSv1.2:C030"
#define OLD    "TLSv1.2:C030 TLSv1.2:C02F TLSv1.2:009E TLSv1.2:002F TLSv1.0:C013 TLSv1.0:002F"

static char isrg[] = "CN=ISRG Root X1,O=Internet Security Research Group,C=US";

static const struct row {
    const char *name;
    const char *suites;
    const char *client;
    const char *want; /* "version suite trusted", or the failure */
    struct poke poke[4];
} rows[] = {
    { "a current browser", MODERN, "Firefox 137", "TLSv1.3 1301 ?" },
    { "a browser before TLS 1.3",
      MODERN,
      "Safari 9 on iOS 9",
      "TLSv1.2 C02F ?",
      { FACT(group[0], 23) } },
    { "only TLS 1.3", "TLSv1.3:1301", "Android 8.1", "version" },
    { "TLS 1.3 without a common group", MODERN, "Firefox 71", "group" },
    { "TLS 1.3 with the client's second suite",
      "TLSv1.3:1303 TLSv1.3:1302",
      "OpenSSL 3.0",
      "TLSv1.3 1302 ?",
      { FACT(group[0], 29) } },
    { "a version that the server lacks", "TLSv1.1:C013", "Chromium 137 on Windows 11", "version" },
    { "no common suite", "TLSv1.2:C0AD", "Android 7.0", "cipher_suite" },
    { "the server's order", OLD, "OpenSSL 1.1.1", "TLSv1.2 C030 ?", { FACT(group[0], 23) } },
    { "the server's order is not the client's",
      "TLSv1.2:C02F TLSv1.2:C030",
      "OpenSSL 1.1.1",
      "TLSv1.2 C02F ?",
      { FACT(group[0], 23) } },
    { "the client's order",
      "TLSv1.2:C02F TLSv1.2:C030",
      "OpenSSL 1.1.1",
      "TLSv1.2 C030 ?",
      { FACT(group[0], 23), FACT(has_server_order, TRI_NO) } },
    { "an unknown order is the client's",
      "TLSv1.2:C02F TLSv1.2:C030",
      "OpenSSL 1.1.1",
      "TLSv1.2 C030 ?",
      { FACT(group[0], 23), FACT(has_server_order, TRI_UNKNOWN) } },
    { "insecure suites are last", "TLSv1.2:0005 TLSv1.2:002F", "Android 4.4", "TLSv1.2 002F ?" },
    { "no common curve, but another suite",
      OLD,
      "Android 7.0",
      "TLSv1.2 002F ?",
      { FACT(group[0], 25) } },
    { "no common curve", "TLSv1.2:C02F", "Android 7.0", "group", { FACT(group[0], 25) } },
    { "unknown curves", "TLSv1.2:C02F", "Android 7.0", "TLSv1.2 C02F ?", { FACT(group_count, 0) } },
    { "an old Java", OLD, "Java 7u25", "TLSv1.0 C013 ?", { FACT(group[0], 23) } },
    { "a long prime", "TLSv1.0:0033", "Java 7u25", "dh_bits", { FACT(dh_bits, 2048) } },
    { "a prime as long as it supports",
      "TLSv1.0:0033",
      "Java 7u25",
      "TLSv1.0 0033 ?",
      { FACT(dh_bits, 1024) } },
    { "a long prime for a client without a limit",
      "TLSv1.2:009E",
      "OpenSSL 1.0.2",
      "TLSv1.2 009E ?",
      { FACT(dh_bits, 8192) } },
    { "SSL 2.0 only", "SSLv2:010080", "OpenSSL 1.0.2", "version" },

    { "a root that it has", MODERN, "Firefox 137", "TLSv1.3 1301 yes", { ABOVE(issuer, isrg) } },
    { "a root that it does not have",
      OLD,
      "Android 7.0",
      "TLSv1.2 C030 no",
      { ABOVE(issuer, isrg), FACT(group[0], 23) } },
    { "a client without roots",
      MODERN,
      "Go 1.17",
      "TLSv1.3 1301 ?",
      { ABOVE(issuer, isrg), FACT(group[0], 23) } },
    { "a certificate for another name",
      MODERN,
      "Firefox 137",
      "TLSv1.3 1301 no",
      { ABOVE(issuer, isrg), FACT(is_for_host, false) } },
    { "an untrusted certificate",
      MODERN,
      "Go 1.17",
      "TLSv1.3 1301 no",
      { FACT(trust, TRUST_SELF_SIGNED), FACT(group[0], 23) } },
    { "a revoked certificate",
      MODERN,
      "Firefox 137",
      "TLSv1.3 1301 no",
      { FACT(revocation, REVOCATION_REVOKED) } },
};

static void set_key(struct world *world, const char *name)
{
    snprintf(world->leaf.key_name, sizeof(world->leaf.key_name), "%s", name);
}

static void check(void **state)
{
    static const char *const failures[] = { "", "version", "cipher_suite", "group", "dh_bits" };
    static const char *const trusts[] = { "?", "no", "yes" };
    const struct row *row = *state;
    struct world world;
    const struct facts *facts = &world.facts;
    scoped(buf_free) struct buf got = BUF(100);
    size_t pokes = 0;
    while (pokes < countof(row->poke) && row->poke[pokes].size > 0)
        pokes++;
    make_world(row->suites, row->poke, pokes, &world);
    set_key(&world, "RSA");
    const struct client *client = client_find(row->client);
    assert_non_null(client);
    struct client_result result = client_connect(client, &facts, 1);
    if (result.failure == CLIENT_CONNECTS)
        buf_format(&got, "%s %04X %s", version_name(result.version), result.suite->id,
                   trusts[result.trusts]);
    else
        buf_add_str(&got, failures[result.failure]);
    assert_string_equal(buf_str(&got), row->want);
}

/* ---- several certificates ---- */

static void each_suite_has_its_certificate(void **state)
{
    struct world rsa;
    struct world ec;
    const struct facts *facts[] = { &ec.facts, &rsa.facts };
    (void)state;
    make_world("TLSv1.2:C02B TLSv1.2:C02F", NULL, 0, &ec);
    make_world("TLSv1.2:C02B TLSv1.2:C02F", NULL, 0, &rsa);
    ec.facts.group[0] = rsa.facts.group[0] = 23;
    set_key(&ec, "EC");
    set_key(&rsa, "RSA");
    assert_ptr_equal(client_connect(client_find("Go 1.17"), facts, 2).certificate, &ec.facts);
    ec.facts.accepted[0] = ec.facts.accepted[1];
    ec.facts.accepted_count = 1;
    assert_ptr_equal(client_connect(client_find("Go 1.17"), facts, 2).certificate, &rsa.facts);
}

static void every_client_is_in_the_result(void **state)
{
    struct world world;
    const struct facts *facts = &world.facts;
    scoped(json_free) cJSON *result = json_object();
    (void)state;
    make_world(MODERN, NULL, 0, &world);
    clients_print(&facts, 1, result);
    const cJSON *list = json_get(result, "clients");
    assert_in_range(json_size(list), 25, 40);
    for (const cJSON *item = list->child; item; item = item->next) {
        assert_int_equal(json_size(item), 7);
        /* what does not connect has a reason */
        assert_int_equal(json_is(json_get(item, "connects"), cJSON_True),
                         json_is(json_get(item, "reason"), cJSON_NULL));
        assert_non_null(client_find(json_text_of(json_get(item, "name")).bytes));
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(each_suite_has_its_certificate),
                                          cmocka_unit_test(every_client_is_in_the_result) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
