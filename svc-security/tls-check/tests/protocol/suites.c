/* svc-security/tls-check/tests/protocol/suites.c - the tables of suites and groups. */
#include "tls-check/protocol/suites.h"

#include <string.h>

#include "rows.h"
#include "tls-check/protocol/groups.h"

static const struct row {
    const char *name;
    uint16_t id;
    const char *suite;
    const char *kx;
    unsigned bits;
    const char *strength;
} rows[] = {
    { "TLS 1.3", 0x1301, "TLS_AES_128_GCM_SHA256", "ECDHE", 128, "strong" },
    { "ChaCha20", 0xCCA8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE_RSA", 256,
      "strong" },
    { "DHE with GCM", 0x009E, "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", "DHE_RSA", 128, "strong" },
    { "CBC with forward secrecy", 0xC013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE_RSA", 128,
      "acceptable" },
    { "GCM without", 0x009D, "TLS_RSA_WITH_AES_256_GCM_SHA384", "RSA", 256, "acceptable" },
    { "CBC without", 0x002F, "TLS_RSA_WITH_AES_128_CBC_SHA", "RSA", 128, "weak" },
    { "static ECDH is not ephemeral", 0xC02D, "TLS_ECDH_ECDSA_WITH_AES_128_GCM_SHA256",
      "ECDH_ECDSA", 128, "acceptable" },
    { "3DES", 0xC012, "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "ECDHE_RSA", 112, "weak" },
    { "SEED", 0x009A, "TLS_DHE_RSA_WITH_SEED_CBC_SHA", "DHE_RSA", 128, "weak" },
    { "RC4", 0x0005, "TLS_RSA_WITH_RC4_128_SHA", "RSA", 128, "insecure" },
    { "DES", 0x0009, "TLS_RSA_WITH_DES_CBC_SHA", "RSA", 56, "insecure" },
    { "export", 0x0003, "TLS_RSA_EXPORT_WITH_RC4_40_MD5", "RSA_EXPORT", 40, "insecure" },
    { "anonymous", 0xC019, "TLS_ECDH_anon_WITH_AES_256_CBC_SHA", "ECDH_anon", 256, "insecure" },
    { "no encryption", 0x0001, "TLS_RSA_WITH_NULL_MD5", "RSA", 0, "insecure" },
    { "an unknown id", 0x0A0A, NULL, NULL, 0, NULL },
    { "a signaling value is not a suite", 0x5600, NULL, NULL, 0, NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    const struct suite *suite = suite_find(row->id);
    assert_int_equal(suite != NULL, row->suite != NULL);
    if (!suite)
        return;
    assert_string_equal(suite->name, row->suite);
    assert_string_equal(suite->kx->name, row->kx);
    assert_int_equal(suite->cipher->bits, row->bits);
    assert_string_equal(strength_name(suite_strength(suite)), row->strength);
}

/* Every suite below TLS 1.3 is in exactly one group of offers. */
static void kinds_are_a_partition(void **state)
{
    (void)state;
    static bool offered[0x10000];
    size_t count = 0;
    for (unsigned kind = 0; kind < SUITE_KINDS; kind++) {
        uint16_t ids[SUITES_OFFER_MAX];
        size_t size = suites_of_kind((enum suite_kind)kind, TLSV12, ids);
        for (size_t i = 0; i < size; i++) {
            assert_false(offered[ids[i]]);
            offered[ids[i]] = true;
        }
        count += size;
    }
    for (unsigned id = 0; id < 0x10000; id++)
        if (suite_find((uint16_t)id))
            assert_int_equal(offered[id], id >> 8 != 0x13);
    assert_true(count > 200);
}

static void old_versions_have_old_suites(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < SUITE_KINDS; kind++) {
        uint16_t ids[SUITES_OFFER_MAX];
        size_t size = suites_of_kind((enum suite_kind)kind, TLSV11, ids);
        for (size_t i = 0; i < size; i++) {
            const struct suite *suite = suite_find(ids[i]);
            assert_false(suite->cipher->flags & CIPHER_IS_AEAD);
            assert_null(strstr(suite->name, "SHA256"));
            assert_null(strstr(suite->name, "SHA384"));
        }
    }
}

/* The name of a suite agrees with its columns. */
static void names_agree_with_columns(void **state)
{
    (void)state;
    for (unsigned id = 0; id < 0x10000; id++) {
        const struct suite *suite = suite_find((uint16_t)id);
        if (!suite)
            continue;
        bool is_aead = strstr(suite->name, "GCM") || strstr(suite->name, "CCM") ||
                       strstr(suite->name, "POLY1305");
        assert_int_equal(!!(suite->cipher->flags & CIPHER_IS_AEAD), is_aead);
        assert_int_equal(!!(suite->cipher->flags & CIPHER_IS_CBC),
                         strstr(suite->name, "CBC") != NULL);
        assert_int_equal(!!(suite->kx->flags & KX_IS_EXPORT),
                         strstr(suite->name, "EXPORT") != NULL);
        assert_int_equal(!!(suite->kx->flags & KX_IS_ANONYMOUS),
                         strstr(suite->name, "anon") != NULL);
        assert_int_equal(suite->cipher->bits == 0, strstr(suite->name, "NULL") != NULL);
        if (suite->since < TLSV13)
            assert_int_equal(strncmp(suite->name + 4, suite->kx->name, strlen(suite->kx->name)), 0);
    }
}

static void groups(void **state)
{
    (void)state;
    uint16_t ids[GROUPS_MAX];
    assert_string_equal(group_find(0x11EC)->name, "X25519MLKEM768");
    assert_string_equal(group_find(23)->name, "secp256r1");
    assert_null(group_find(0x0A0A));
    assert_int_equal(groups_of_tls13(ids), 12);
    size_t count = groups_of_curves(ids);
    assert_int_equal(count, 30);
    assert_int_equal(ids[count - 1], 30);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(kinds_are_a_partition),
        cmocka_unit_test(old_versions_have_old_suites),
        cmocka_unit_test(names_agree_with_columns),
        cmocka_unit_test(groups),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
