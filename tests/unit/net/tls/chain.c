/* tests/unit/net/tls/chain.c - certificates made here: names, trust, order, content. */
#include "net/tls/chain.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "rows.h"

static const int64_t now_s = 1800000000;

static struct public_suffixes *suffixes;

/* ---- certificates ---- */

static EVP_PKEY *shared_key(void)
{
    static EVP_PKEY *key;
    if (!key)
        key = EVP_EC_gen("P-256");
    return key;
}

static void add_extension(X509 *x509, int nid, const char *value)
{
    if (!value)
        return;
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, x509, x509, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    assert_non_null(extension);
    X509_add_ext(x509, extension, -1);
    X509_EXTENSION_free(extension);
}

static void set_name(X509_NAME *name, const char *text)
{
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)text, -1, -1, 0);
}

struct make {
    const char *subject;
    const char *issuer;
    const char *names; /* of subjectAltName; NULL: none */
    const char *basic; /* constraints */
    const char *access;
    const char *usage; /* extended */
    const char *feature;
    int64_t from_s; /* as seen from now_s */
    int64_t to_s;
};

/* All are signed with one key, so only their names distinguish them. */
static X509 *make_certificate(const struct make *make)
{
    X509 *x509 = X509_new();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 0x1234);
    set_name(X509_get_subject_name(x509), make->subject);
    set_name(X509_get_issuer_name(x509), make->issuer);
    ASN1_TIME_set(X509_getm_notBefore(x509), (time_t)(now_s + make->from_s));
    ASN1_TIME_set(X509_getm_notAfter(x509), (time_t)(now_s + make->to_s));
    X509_set_pubkey(x509, shared_key());
    add_extension(x509, NID_basic_constraints, make->basic);
    add_extension(x509, NID_subject_alt_name, make->names);
    add_extension(x509, NID_info_access, make->access);
    add_extension(x509, NID_ext_key_usage, make->usage);
    add_extension(x509, NID_tlsfeature, make->feature);
    assert_true(X509_sign(x509, shared_key(), EVP_sha256()));
    return x509;
}

enum { ROOT, MIDDLE, LEAF, OTHER, OLD_MIDDLE, LONE, SELF, OTHER_ROOT, CROSS, OLDER_ROOT, KINDS };

#define CA   "critical,CA:TRUE"
#define YEAR (365 * 86400)

static const struct make makes[KINDS] = {
    [ROOT] = { "Root", "Root", NULL, CA, .from_s = -YEAR, .to_s = YEAR },
    [MIDDLE] = { "Middle", "Root", NULL, CA, .from_s = -YEAR, .to_s = YEAR },
    [LEAF] = { "leaf", "Middle", "DNS:www.example.com", NULL,
               "OCSP;URI:http://ocsp.example.com/,caIssuers;URI:http://ca.example.com/",
               .from_s = -YEAR, .to_s = YEAR },
    [OTHER] = { "Other", "Nobody", NULL, CA, .from_s = -YEAR, .to_s = YEAR },
    [OLD_MIDDLE] = { "Middle", "Root", NULL, CA, .from_s = -YEAR, .to_s = -1 },
    [LONE] = { "lone", "Middle", "DNS:www.example.com", .from_s = -YEAR, .to_s = YEAR },
    [OTHER_ROOT] = { "Other Root", "Other Root", NULL, CA, .from_s = -YEAR, .to_s = YEAR },
    [CROSS] = { "Root", "Older Root", NULL, CA, .from_s = -YEAR, .to_s = YEAR },
    [OLDER_ROOT] = { "Older Root", "Older Root", NULL, CA, .from_s = -YEAR, .to_s = YEAR },
    [SELF] = { "self", "self", "DNS:www.example.com", .from_s = -YEAR, .to_s = YEAR },
};

/* A chain of certificates; released by chain_free(). */
static struct chain *make_chain(X509 *const *x509, size_t count)
{
    struct text der[CHAIN_MAX + 2] = { 0 };
    unsigned char *bytes[CHAIN_MAX + 2] = { NULL };
    for (size_t i = 0; i < count; i++) {
        int size = i2d_X509(x509[i], &bytes[i]);
        der[i] = (struct text){ (const char *)bytes[i], (size_t)size };
    }
    struct chain *chain = chain_new(der, count);
    for (size_t i = 0; i < count; i++)
        OPENSSL_free(bytes[i]);
    return chain;
}

/* ---- trust and order ---- */

static const struct row {
    const char *name;
    int kind[6]; /* and -1 */
    enum trust trust;
    bool is_out_of_order;
    size_t extra;
} rows[] = {
    { "a good chain", { LEAF, MIDDLE, -1 }, TRUST_YES },
    { "with its root", { LEAF, MIDDLE, ROOT, -1 }, TRUST_YES },
    { "the root in between", { LEAF, ROOT, MIDDLE, -1 }, TRUST_YES, true },
    { "an extra one in between", { LEAF, OTHER, MIDDLE, -1 }, TRUST_YES, true, 1 },
    { "an extra one at the end", { LEAF, MIDDLE, OTHER, -1 }, TRUST_YES, false, 1 },
    { "an unrelated root", { LEAF, MIDDLE, OTHER_ROOT, -1 }, TRUST_YES, false, 1 },
    { "its root and an unrelated one",
      { LEAF, MIDDLE, ROOT, OTHER_ROOT, -1 },
      TRUST_YES,
      false,
      1 },
    { "its root, cross-signed", { LEAF, MIDDLE, CROSS, -1 }, TRUST_YES },
    { "both copies of the root", { LEAF, MIDDLE, ROOT, CROSS, -1 }, TRUST_YES },
    { "and the root above", { LEAF, MIDDLE, ROOT, OLDER_ROOT, CROSS, -1 }, TRUST_YES },
    { "a self-signed one and a root", { SELF, ROOT, -1 }, TRUST_SELF_SIGNED, false, 1 },
    { "the same twice", { LEAF, MIDDLE, MIDDLE, -1 }, TRUST_YES, false, 1 },
    { "incomplete, and it says where the rest is", { LEAF, -1 }, TRUST_INCOMPLETE },
    { "incomplete, and it does not", { LONE, -1 }, TRUST_UNKNOWN },
    { "the wrong one above", { LEAF, OTHER, -1 }, TRUST_INCOMPLETE, false, 1 },
    { "nobody's authority", { OTHER, -1 }, TRUST_UNKNOWN },
    { "self-signed", { SELF, -1 }, TRUST_SELF_SIGNED },
    { "an expired intermediate", { LEAF, OLD_MIDDLE, -1 }, TRUST_EXPIRED },
};

static void check(void **state)
{
    const struct row *row = *state;
    X509 *x509[countof(row->kind)] = { NULL };
    X509 *root = make_certificate(&makes[ROOT]);
    X509_STORE *store = X509_STORE_new();
    size_t count = 0;

    X509_STORE_add_cert(store, root);
    for (; row->kind[count] >= 0; count++)
        x509[count] = make_certificate(&makes[row->kind[count]]);
    scoped(chain_free) struct chain *chain = make_chain(x509, count);
    assert_int_equal(chain_size(chain), count);
    assert_int_equal(chain_trust(chain, store, now_s), row->trust);
    assert_int_equal(chain_is_in_order(chain), !row->is_out_of_order);
    assert_int_equal(chain_extra_count(chain), row->extra);
    for (size_t i = 0; i < count; i++)
        X509_free(x509[i]);
    X509_free(root);
    X509_STORE_free(store);
}

/* ---- names ---- */

static const struct name_row {
    const char *name;
    const char *names;
    const char *host;
    bool is_for;
} name_rows[] = {
    { "the name itself", "DNS:www.example.com", "www.example.com", true },
    { "in another case", "DNS:WWW.Example.COM", "www.example.com", true },
    { "the second name", "DNS:a.example.com,DNS:www.example.com", "www.example.com", true },
    { "another name", "DNS:example.com", "www.example.com", false },
    { "the common name does not count", NULL, "leaf", false },
    { "nor with other names", "DNS:a.example.com", "leaf", false },
    { "a wildcard", "DNS:*.example.com", "www.example.com", true },
    { "a wildcard is not the name above", "DNS:*.example.com", "example.com", false },
    { "nor two labels", "DNS:*.example.com", "a.b.example.com", false },
    { "nor within a label", "DNS:w*.example.com", "www.example.com", false },
    { "nor in the middle", "DNS:www.*.com", "www.example.com", false },
    { "nor for a public suffix", "DNS:*.co.uk", "example.co.uk", false },
    { "nor for a top-level domain", "DNS:*.com", "example.com", false },
    { "but the name may be next to it", "DNS:*.co.uk,DNS:example.co.uk", "example.co.uk", true },
    { "A-labels", "DNS:xn--bcher-kva.example", "xn--bcher-kva.example", true },
    { "a wildcard for A-labels", "DNS:*.example.com", "xn--bcher-kva.example.com", true },
    { "an address", "IP:192.0.2.7", "192.0.2.7", true },
    { "another address", "IP:192.0.2.8", "192.0.2.7", false },
    { "an address as a DNS name", "DNS:192.0.2.7", "192.0.2.7", false },
    { "an IPv6 address", "IP:2001:db8::7", "2001:db8::7", true },
    { "a name is not an address", "IP:192.0.2.7", "www.example.com", false },
    { "no name at all", NULL, "www.example.com", false },
    { "an e-mail address", "email:www.example.com", "www.example.com", false },
};

static void check_name(void **state)
{
    const struct name_row *row = *state;
    struct make make = makes[LEAF];
    struct host host = { 0 };
    struct err err;

    make.names = row->names;
    X509 *x509 = make_certificate(&make);
    if (strchr(row->host, '.') || strchr(row->host, ':'))
        assert_true(host_parse(text_of(row->host), &host, &err));
    else
        snprintf(host.name, sizeof(host.name), "%s", row->host);
    scoped(chain_free) struct chain *chain = make_chain(&x509, 1);
    assert_int_equal(chain_is_for(chain, &host, suffixes), row->is_for);
    X509_free(x509);
}

/* ---- the content of a certificate ---- */

static void facts_of_a_certificate(void **state)
{
    (void)state;
    struct make make = { "Größe, \"x\"",
                         "Middle",
                         "DNS:*.example.com,IP:2001:db8::7,email:a@b.example",
                         NULL,
                         "OCSP;URI:http://ocsp.example.com/",
                         "clientAuth",
                         "status_request",
                         .to_s = 864000 };
    X509 *x509 = make_certificate(&make);
    scoped(chain_free) struct chain *chain = make_chain(&x509, 1);
    const struct certificate *facts = chain_certificate(chain, 0);

    assert_string_equal(facts->subject, "CN=Größe\\, \\\"x\\\"");
    assert_string_equal(facts->issuer, "CN=Middle");
    assert_string_equal(facts->serial, "1234");
    assert_int_equal(strlen(facts->fingerprint), 64);
    assert_int_equal(facts->not_before_s, now_s);
    assert_int_equal(facts->not_after_s, now_s + 864000);
    assert_int_equal(facts->name_count, 2);
    assert_string_equal(facts->name[0], "*.example.com");
    assert_string_equal(facts->name[1], "2001:db8::7");
    assert_string_equal(facts->key_name, "EC");
    assert_int_equal(facts->key_bits, 256);
    assert_string_equal(facts->signature, "ecdsa-with-SHA256");
    assert_int_equal(facts->signature_digest, DIGEST_FINE);
    assert_true(facts->lacks_server_auth && facts->must_staple && !facts->is_ca);
    assert_string_equal(facts->ocsp_url, "http://ocsp.example.com/");
    assert_false(facts->has_ca_issuers || facts->is_self_issued);
    X509_free(x509);
}

static void many_names_are_cut(void **state)
{
    (void)state;
    scoped(buf_free) struct buf names = BUF(1 << 16);
    struct make make = makes[LEAF];
    for (unsigned i = 0; i < CERTIFICATE_NAMES_MAX + 1; i++)
        buf_format(&names, "%sDNS:n%u.example.com", i > 0 ? "," : "", i);
    make.names = buf_str(&names);
    X509 *x509 = make_certificate(&make);
    scoped(chain_free) struct chain *chain = make_chain(&x509, 1);
    struct host last = { .name = "n500.example.com" };
    assert_int_equal(chain_certificate(chain, 0)->name_count, CERTIFICATE_NAMES_MAX);
    assert_true(chain_certificate(chain, 0)->has_more_names);
    assert_true(chain_is_for(chain, &last, suffixes)); /* it is only not shown */
    X509_free(x509);
}

static void invalid_bytes(void **state)
{
    (void)state;
    X509 *leaf = make_certificate(&makes[LEAF]);
    unsigned char *bytes = NULL;
    int size = i2d_X509(leaf, &bytes);
    struct text good = { (const char *)bytes, (size_t)size };
    const struct text lists[][2] = { { TEXT("no certificate"), good },
                                     { { NULL, 0 }, good },
                                     { { good.bytes, good.size - 1 }, good } };
    for (size_t i = 0; i < countof(lists); i++)
        assert_null(chain_new(lists[i], 2));
    const struct text second[] = { good, TEXT("no certificate"), good };
    scoped(chain_free) struct chain *chain = chain_new(second, countof(second));
    assert_int_equal(chain_size(chain), 2);
    assert_null(chain_new(NULL, 0));
    OPENSSL_free(bytes);
    X509_free(leaf);
}

static void a_chain_without_end_is_cut(void **state)
{
    (void)state;
    X509 *x509[CHAIN_MAX + 2];
    for (size_t i = 0; i < countof(x509); i++)
        x509[i] = make_certificate(&makes[i == 0 ? LEAF : OTHER]);
    scoped(chain_free) struct chain *chain = make_chain(x509, countof(x509));
    assert_int_equal(chain_size(chain), CHAIN_MAX);
    for (size_t i = 0; i < countof(x509); i++)
        X509_free(x509[i]);
}

/* Two authorities that certify each other. */
static void a_circle_ends(void **state)
{
    (void)state;
    struct make one = { "One", "Two", NULL, CA, .from_s = -1, .to_s = YEAR };
    struct make two = { "Two", "One", NULL, CA, .from_s = -1, .to_s = YEAR };
    X509 *x509[] = { make_certificate(&one), make_certificate(&two) };
    X509_STORE *store = X509_STORE_new();
    scoped(chain_free) struct chain *chain = make_chain(x509, 2);
    assert_int_not_equal(chain_trust(chain, store, now_s), TRUST_YES);
    assert_true(chain_is_in_order(chain));
    assert_int_equal(chain_extra_count(chain), 0);
    X509_STORE_free(store);
    X509_free(x509[0]);
    X509_free(x509[1]);
}

static void no_issuer_no_request(void **state)
{
    (void)state;
    X509 *x509[] = { make_certificate(&makes[LEAF]), make_certificate(&makes[MIDDLE]) };
    scoped(chain_free) struct chain *alone = make_chain(x509, 1);
    scoped(chain_free) struct chain *both = make_chain(x509, 2);
    scoped(buf_free) struct buf out = BUF(1024);
    X509_STORE *store = X509_STORE_new();
    assert_false(chain_ocsp_request(alone, &out));
    assert_int_equal(out.size, 0);
    assert_true(chain_ocsp_request(both, &out));
    assert_int_equal(chain_ocsp_read(alone, store, TEXT("x")), REVOCATION_UNKNOWN);
    assert_int_equal(chain_ocsp_read(both, store, TEXT("x")), REVOCATION_UNKNOWN);
    X509_STORE_free(store);
    X509_free(x509[0]);
    X509_free(x509[1]);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(facts_of_a_certificate), cmocka_unit_test(many_names_are_cut),
        cmocka_unit_test(invalid_bytes),          cmocka_unit_test(a_chain_without_end_is_cut),
        cmocka_unit_test(a_circle_ends),          cmocka_unit_test(no_issuer_no_request),
    };
    if (!public_suffixes_load("", &suffixes, NULL))
        return 1;
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(name_rows, check_name) +
                 cmocka_run_group_tests(singles, NULL, NULL);
    EVP_PKEY_free(shared_key());
    public_suffixes_free(&suffixes);
    return failed;
}
