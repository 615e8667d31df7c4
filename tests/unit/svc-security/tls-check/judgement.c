/* tests/unit/svc-security/tls-check/judgement.c - from facts to issues and letter: a good server,
 * and each way to be less than that. */
#include <string.h>

#include "base/buf.h"
#include "text/json.h"
#include "tls-check/grade.h"
#include "tls-check/rules.h"
#include "world.h"

static const struct row {
    const char *name;
    const char *suites; /* "TLSv1.2:C02F …"; NULL: those of a good server */
    const char *issues; /* ids as they are answered, but no info ones */
    const char *letter;
    const char *trusting; /* NULL: the same */
    struct poke poke[5];
    const char *infos; /* NULL: none */
} rows[] = {
    { "a good server", NULL, "", "A+" },

    { "SSL 2.0", "SSLv2:010080 TLSv1.2:C02F TLSv1.3:1301", "drown protocol-sslv2 cipher-rc4", "F" },
    { "SSL 2.0 alone", "SSLv2:0700C0",
      "drown protocol-sslv2 no-tls12 cipher-3des cipher-cbc-only no-aead no-forward-secrecy "
      "sweet32 no-tls13",
      "F" },
    { "SSL 3.0 with CBC",
      "SSLv3:002F TLSv1.2:C02F TLSv1.3:1301",
      "poodle protocol-sslv3",
      "C",
      NULL,
      { FACT(has_fallback, TRI_YES) },
      "beast" },
    { "SSL 3.0 is the best", "SSLv3:0005",
      "cipher-rc4 no-tls12 protocol-sslv3 no-aead no-forward-secrecy no-tls13", "F" },
    { "TLS 1.0",
      "TLSv1.0:C013 TLSv1.2:C02F TLSv1.3:1301",
      "protocol-tls10",
      "B",
      NULL,
      { FACT(has_fallback, TRI_YES) },
      "beast" },
    { "TLS 1.1",
      "TLSv1.1:C013 TLSv1.2:C02F TLSv1.3:1301",
      "protocol-tls11",
      "B",
      NULL,
      { FACT(has_fallback, TRI_YES) } },
    { "nothing newer than TLS 1.1", "TLSv1.1:C013",
      "no-tls12 cipher-cbc-only no-aead protocol-tls11 no-tls13", "C" },
    { "no TLS 1.3", "TLSv1.2:C02F", "no-tls13", "A-" },
    { "TLS 1.3 alone", "TLSv1.3:1301", "", "A+" },
    { "version intolerance",
      NULL,
      "version-intolerance",
      "A+",
      NULL,
      { FACT(is_intolerant, true) } },

    { "no encryption", "TLSv1.2:0002 TLSv1.2:C02F TLSv1.3:1301", "cipher-null", "F" },
    { "anonymous", "TLSv1.2:C019 TLSv1.2:C02F TLSv1.3:1301", "cipher-anonymous", "F" },
    { "export RSA", "TLSv1.2:0008 TLSv1.2:C02F TLSv1.3:1301",
      "cipher-des cipher-export freak sweet32", "F" },
    { "export DHE", "TLSv1.2:0014 TLSv1.2:C02F TLSv1.3:1301",
      "cipher-des cipher-export logjam sweet32", "F" },
    { "DES", "TLSv1.2:0009 TLSv1.2:C02F TLSv1.3:1301", "cipher-des sweet32", "F" },
    { "RC4 with TLS 1.0",
      "TLSv1.0:0005 TLSv1.2:C02F TLSv1.3:1301",
      "cipher-rc4 protocol-tls10",
      "B",
      NULL,
      { FACT(has_fallback, TRI_YES) } },
    { "RC4 with TLS 1.2", "TLSv1.2:0005 TLSv1.2:C02F TLSv1.3:1301", "cipher-rc4", "C" },
    { "RC4 alone", "TLSv1.2:C011", "cipher-rc4 no-aead no-tls13", "F" },
    { "3DES with TLS 1.0",
      "TLSv1.0:000A TLSv1.2:C02F TLSv1.3:1301",
      "cipher-3des protocol-tls10 sweet32",
      "B",
      NULL,
      { FACT(has_fallback, TRI_YES) },
      "beast" },
    { "3DES with TLS 1.2", "TLSv1.2:C012 TLSv1.2:C02F TLSv1.3:1301", "cipher-3des sweet32", "C" },
    { "IDEA", "TLSv1.2:0007 TLSv1.2:C02F TLSv1.3:1301", "cipher-rc2-idea-seed sweet32", "C" },
    { "SEED", "TLSv1.2:0096 TLSv1.2:C02F TLSv1.3:1301", "cipher-rc2-idea-seed", "A+" },
    { "CBC alone", "TLSv1.2:C013", "cipher-cbc-only no-aead no-tls13", "B" },
    { "no forward secrecy", "TLSv1.2:009C", "no-forward-secrecy no-tls13", "B" },
    { "forward secrecy is not preferred",
      "TLSv1.2:009C TLSv1.2:C02F TLSv1.3:1301",
      "no-forward-secrecy",
      "A-",
      NULL,
      { FACT(prefers_secrecy, TRI_NO) } },
    { "the client's order",
      NULL,
      "",
      "A+",
      NULL,
      { FACT(has_server_order, TRI_NO) },
      "cipher-order-client" },

    { "DH of 1024 bits", NULL, "weak-dh", "B", NULL, { FACT(dh_bits, 1024) } },
    { "DH of 2047 bits", NULL, "weak-dh", "B", NULL, { FACT(dh_bits, 2047) } },
    { "DH of 2048 bits", NULL, "", "A+", NULL, { FACT(dh_bits, 2048) } },
    { "DH of 1023 bits", NULL, "logjam weak-dh", "F", NULL, { FACT(dh_bits, 1023) } },
    { "DH of 511 bits", NULL, "logjam weak-dh", "F", NULL, { FACT(dh_bits, 511) } },
    { "a shared prime of 1024 bits",
      NULL,
      "logjam common-dh-prime weak-dh",
      "B",
      NULL,
      { FACT(dh_bits, 1024), FACT(common_bits, 1024),
        FACT(common_prime, (intptr_t) "a program") } },
    { "a shared prime of 1536 bits",
      NULL,
      "common-dh-prime weak-dh",
      "B",
      NULL,
      { FACT(dh_bits, 1536), FACT(common_bits, 1536),
        FACT(common_prime, (intptr_t) "a program") } },
    { "a curve of 160 bits",
      NULL,
      "weak-curve",
      "B",
      NULL,
      { FACT(group[0], SECP160R1) },
      "no-post-quantum" },
    { "a curve of 192 bits",
      NULL,
      "weak-curve",
      "A+",
      NULL,
      { FACT(group[0], SECP192R1) },
      "no-post-quantum" },
    { "a curve of the server's own",
      NULL,
      "weak-curve",
      "A+",
      NULL,
      { FACT(has_own_curve, true) } },
    { "no post-quantum group",
      NULL,
      "",
      "A+",
      NULL,
      { FACT(group[0], X25519) },
      "no-post-quantum" },

    { "compression", NULL, "compression-enabled", "C", NULL, { FACT(has_compression, true) } },
    { "no secure renegotiation",
      NULL,
      "insecure-renegotiation",
      "A-",
      NULL,
      { FACT(has_renegotiation, TRI_NO) } },
    { "no fallback signal, and something to fall back to",
      "TLSv1.0:C013 TLSv1.2:C02F TLSv1.3:1301",
      "protocol-tls10 no-fallback-scsv",
      "B",
      NULL,
      { FACT(has_fallback, TRI_NO) },
      "beast" },
    { "no fallback signal with TLS 1.2 and 1.3",
      NULL,
      "",
      "A+",
      NULL,
      { FACT(has_fallback, TRI_NO) } },
    { "heartbeat", NULL, "", "A+", NULL, { FACT(has_heartbeat, true) }, "heartbeat-extension" },
    { "a client certificate",
      NULL,
      "",
      "A+",
      NULL,
      { FACT(asks_certificate, true) },
      "client-cert-required" },

    { "expired",
      NULL,
      "cert-expired",
      "T",
      "A+",
      { LEAF(not_after_s, now_s - 1), FACT(trust, TRUST_EXPIRED) } },
    { "not yet valid",
      NULL,
      "cert-not-yet-valid",
      "T",
      "A+",
      { LEAF(not_before_s, now_s + 1), FACT(trust, TRUST_EXPIRED) } },
    { "the last second", NULL, "cert-expiring-soon", "A-", NULL, { LEAF(not_after_s, now_s) } },
    { "29 days left of 90",
      NULL,
      "cert-expiring-soon",
      "A-",
      NULL,
      { LEAF(not_before_s, now_s - DAYS(61)), LEAF(not_after_s, now_s + DAYS(29)) } },
    { "30 days left of 90",
      NULL,
      "",
      "A+",
      NULL,
      { LEAF(not_before_s, now_s - DAYS(60)), LEAF(not_after_s, now_s + DAYS(30)) } },
    { "8 days left of 21",
      NULL,
      "",
      "A+",
      NULL,
      { LEAF(not_before_s, now_s - DAYS(13)), LEAF(not_after_s, now_s + DAYS(8)) } },
    { "6 days left of 7",
      NULL,
      "cert-expiring-soon",
      "A-",
      NULL,
      { LEAF(not_before_s, now_s - DAYS(1)), LEAF(not_after_s, now_s + DAYS(6)) } },
    { "398 days until March 2026",
      NULL,
      "",
      "A+",
      NULL,
      { LEAF(not_before_s, now_s - DAYS(300)), LEAF(not_after_s, now_s + DAYS(98) - 1) } },
    { "399 days",
      NULL,
      "cert-lifetime-too-long",
      "A+",
      NULL,
      { LEAF(not_before_s, now_s - DAYS(300)), LEAF(not_after_s, now_s + DAYS(99) - 1) } },
    { "200 days since March 2026",
      NULL,
      "",
      "A+",
      NULL,
      { LEAF(not_before_s, now_s - DAYS(100)), LEAF(not_after_s, now_s + DAYS(100) - 1) } },
    { "201 days",
      NULL,
      "cert-lifetime-too-long",
      "A+",
      NULL,
      { LEAF(not_before_s, now_s - DAYS(100)), LEAF(not_after_s, now_s + DAYS(101) - 1) } },
    { "825 days before September 2020",
      NULL,
      "cert-expired",
      "T",
      "A+",
      { LEAF(not_before_s, 1598918399), LEAF(not_after_s, 1598918399 + DAYS(825) - 1),
        FACT(trust, TRUST_EXPIRED) } },
    { "and 399 after it",
      NULL,
      "cert-expired",
      "T",
      "A+",
      { LEAF(not_before_s, 1598918400), LEAF(not_after_s, 1598918400 + DAYS(399) - 1),
        FACT(trust, TRUST_EXPIRED) },
      "cert-lifetime-too-long" },
    { "a long life below a private root",
      NULL,
      "cert-untrusted",
      "T",
      "A+",
      { LEAF(not_after_s, now_s + DAYS(3000)), FACT(trust, TRUST_UNKNOWN) },
      "cert-lifetime-too-long" },

    { "another name", NULL, "cert-name-mismatch", "M", "A+", { FACT(is_for_host, false) } },
    { "T beats M",
      NULL,
      "cert-name-mismatch cert-self-signed",
      "T",
      "A+",
      { FACT(is_for_host, false), FACT(trust, TRUST_SELF_SIGNED) } },
    { "no alternative names",
      NULL,
      "cert-name-mismatch cert-no-san",
      "M",
      "A+",
      { FACT(is_for_host, false), LEAF(has_alternatives, false) } },
    { "self-signed", NULL, "cert-self-signed", "T", "A+", { FACT(trust, TRUST_SELF_SIGNED) } },
    { "an unknown authority", NULL, "cert-untrusted", "T", "A+", { FACT(trust, TRUST_UNKNOWN) } },
    { "a chain that does not verify",
      NULL,
      "cert-untrusted",
      "T",
      "A+",
      { FACT(trust, TRUST_BROKEN) } },
    { "an expired intermediate",
      NULL,
      "cert-untrusted",
      "T",
      "A+",
      { FACT(trust, TRUST_EXPIRED) } },
    { "an incomplete chain",
      NULL,
      "cert-chain-incomplete",
      "B",
      NULL,
      { FACT(trust, TRUST_INCOMPLETE) } },
    { "wrong order", NULL, "cert-chain-order", "A+", NULL, { FACT(is_in_order, false) } },
    { "extra certificates", NULL, "cert-chain-order", "A+", NULL, { FACT(extra_count, 1) } },
    { "revoked", NULL, "cert-revoked", "T", "A+", { FACT(revocation, REVOCATION_REVOKED) } },
    { "SHA-1", NULL, "cert-weak-signature", "T", "A+", { LEAF(signature_digest, DIGEST_SHA1) } },
    { "SHA-1 above",
      NULL,
      "cert-weak-signature",
      "T",
      "A+",
      { ABOVE(signature_digest, DIGEST_SHA1) } },
    { "SHA-1 of a root",
      NULL,
      "",
      "A+",
      NULL,
      { ABOVE(signature_digest, DIGEST_SHA1), ABOVE(is_self_issued, true) } },
    { "MD5", NULL, "cert-weak-signature", "T", "F", { LEAF(signature_digest, DIGEST_MD5) } },
    { "MD2", NULL, "cert-weak-signature", "T", "F", { LEAF(signature_digest, DIGEST_MD2) } },
    { "RSA of 1023 bits", NULL, "cert-weak-key", "F", NULL, { LEAF(key_bits, 1023) } },
    { "RSA of 1024 bits", NULL, "cert-weak-key", "B", NULL, { LEAF(key_bits, 1024) } },
    { "RSA of 2047 bits", NULL, "cert-weak-key", "B", NULL, { LEAF(key_bits, 2047) } },
    { "RSA exponent 1", NULL, "cert-weak-key", "F", NULL, { LEAF(rsa_exponent, 1) } },
    { "RSA exponent 3", NULL, "cert-weak-key", "A+", NULL, { LEAF(rsa_exponent, 3) } },
    { "EC of 192 bits",
      NULL,
      "cert-weak-key",
      "A+",
      NULL,
      { LEAF(key_type, KEY_EC), LEAF(key_bits, 192), LEAF(rsa_exponent, 0) } },
    { "EC of 224 bits",
      NULL,
      "cert-weak-key",
      "A+",
      NULL,
      { LEAF(key_type, KEY_EC), LEAF(key_bits, 224), LEAF(rsa_exponent, 0) } },
    { "EC of 256 bits",
      NULL,
      "",
      "A+",
      NULL,
      { LEAF(key_type, KEY_EC), LEAF(key_bits, 256), LEAF(rsa_exponent, 0) } },
    { "EC of 160 bits",
      NULL,
      "cert-weak-key",
      "B",
      NULL,
      { LEAF(key_type, KEY_EC), LEAF(key_bits, 160), LEAF(rsa_exponent, 0) } },
    { "EdDSA",
      NULL,
      "",
      "A+",
      NULL,
      { LEAF(key_type, KEY_ED), LEAF(key_bits, 253), LEAF(rsa_exponent, 0) } },
    { "DSA",
      NULL,
      "cert-weak-key",
      "A+",
      NULL,
      { LEAF(key_type, KEY_DSA), LEAF(rsa_exponent, 0) } },
    { "an authority's certificate", NULL, "cert-ca-leaf", "A+", NULL, { LEAF(is_ca, true) } },
    { "not for servers", NULL, "cert-eku", "A+", NULL, { LEAF(lacks_server_auth, true) } },
    { "no SCT", NULL, "", "A+", NULL, { FACT(sct_count, 0) }, "cert-no-sct" },
    { "no SCT below a private root",
      NULL,
      "cert-untrusted",
      "T",
      "A+",
      { FACT(sct_count, 0), FACT(trust, TRUST_UNKNOWN) } },
    { "must staple, and does not",
      NULL,
      "must-staple-missing",
      "A+",
      NULL,
      { LEAF(must_staple, true) } },
    { "must staple, and does",
      NULL,
      "",
      "A+",
      NULL,
      { LEAF(must_staple, true), FACT(has_staple, true) } },
    { "does not staple",
      NULL,
      "",
      "A+",
      NULL,
      { LEAF(ocsp_url, (intptr_t) "http://ocsp.test/") },
      "ocsp-not-stapled" },
    { "no certificate at all",
      "TLSv1.2:C019 TLSv1.3:1301",
      "cipher-anonymous",
      "F",
      NULL,
      { FACT(certificate_count, 0) } },

    { "HSTS is missing", NULL, "hsts-missing", "A", NULL, { FACT(has_hsts, TRI_NO) } },
    { "HSTS is short", NULL, "hsts-short", "A-", NULL, { FACT(hsts.max_age_s, 15551999) } },
    { "HSTS is just long enough", NULL, "", "A+", NULL, { FACT(hsts.max_age_s, 15552000) } },
    { "HSTS is zero", NULL, "hsts-short", "A-", NULL, { FACT(hsts.max_age_s, 0) } },
    { "HSTS has no age", NULL, "hsts-invalid", "A-", NULL, { FACT(hsts.has_age, false) } },
    { "HSTS repeats itself", NULL, "hsts-invalid", "A-", NULL, { FACT(hsts.has_repeats, true) } },
    { "HSTS has a comma", NULL, "", "A+", NULL, { FACT(hsts.has_comma, true) } },
    { "HSTS is unknown on a web port", NULL, "", "A", NULL, { FACT(has_hsts, TRI_UNKNOWN) } },
    { "no HTTP needs no HSTS",
      NULL,
      "",
      "A+",
      NULL,
      { FACT(has_hsts, TRI_UNKNOWN), FACT(is_http, false) } },
};

static void judge(const struct facts *facts, struct issues *issues)
{
    rules_versions(facts, issues);
    rules_suites(facts, issues);
    rules_key_exchange(facts, issues);
    rules_handshake(facts, issues);
    rules_certificate(facts, issues);
    rules_revocation(facts, issues);
    rules_hsts(facts, issues);
}

/* The ids of the issues whose severity is info, or of all others, with blanks between. */
static void list_ids(const cJSON *issues, bool infos, struct buf *out)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, issues) {
        bool is_info = strcmp(json_text(item, "/severity"), "info") == 0;
        if (is_info != infos)
            continue;
        if (out->size > 0)
            buf_add_byte(out, ' ');
        buf_add_str(out, json_text(item, "/id"));
    }
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(issues_free) struct issues issues = { 0 };
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf ids = BUF(4096);
    scoped(buf_free) struct buf infos = BUF(4096);
    struct world world;
    struct grade graded;

    make_world(row->suites, row->poke, countof(row->poke), &world);
    judge(&world.facts, &issues);
    grade(&world.facts, &issues, &graded);
    issues_print(&issues, result);
    list_ids(json_get(result, "issues"), false, &ids);
    list_ids(json_get(result, "issues"), true, &infos);
    assert_string_equal(buf_str(&ids), row->issues);
    assert_string_equal(buf_str(&infos), row->infos ? row->infos : "");
    assert_string_equal(graded.letter, row->letter);
    assert_string_equal(graded.letter_if_trusted, row->trusting ? row->trusting : row->letter);
    bool is_limited = strcmp(row->letter, "A+") != 0 && strcmp(row->letter, "A") != 0;
    assert_int_equal(graded.limit_count > 0, is_limited);
}

static void every_issue_can_come(void **state)
{
    (void)state;
    bool seen[ISSUES] = { false };
    for (size_t i = 0; i < countof(rows); i++) {
        scoped(issues_free) struct issues issues = { 0 };
        struct world world;
        make_world(rows[i].suites, rows[i].poke, countof(rows[i].poke), &world);
        judge(&world.facts, &issues);
        for (unsigned j = 0; j < ISSUES; j++)
            seen[j] |= issue_is_there(&issues, (enum issue)j);
    }
    for (unsigned j = 0; j < ISSUES; j++)
        if (!seen[j])
            fail_msg("no row shows %s", issue_id((enum issue)j));
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(every_issue_can_come) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
