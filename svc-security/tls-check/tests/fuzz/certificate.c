/* svc-security/tls-check/tests/fuzz/certificate.c - parse up to three DER certificates and an OCSP
 * response, each with a 2-byte length, and check trust, name and revocation. */
#include <assert.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "net/tls/chain.h"
#include "target.h"
#include "tls-check/scan/facts.h"

enum { PARTS = 4 };

static struct text take_part(struct text *rest)
{
    struct text part = { 0 };
    if (rest->size < 2)
        return part;
    size_t size = (size_t)((unsigned char)rest->bytes[0] << 8 | (unsigned char)rest->bytes[1]);
    part.bytes = rest->bytes + 2;
    part.size = size < rest->size - 2 ? size : rest->size - 2;
    rest->bytes += 2 + part.size;
    rest->size -= 2 + part.size;
    return part;
}

static void check_certificate(const struct certificate *certificate)
{
    assert(utf8_is_valid(text_of(certificate->subject)));
    assert(utf8_is_valid(text_of(certificate->issuer)));
    assert(utf8_is_valid(text_of(certificate->key_name)));
    assert(utf8_is_valid(text_of(certificate->signature)));
    assert(certificate->name_count <= CERTIFICATE_NAMES_MAX);
    for (size_t i = 0; i < certificate->name_count; i++)
        assert(utf8_is_valid(text_of(certificate->name[i])));
    assert(certificate_lifetime_s(certificate) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static X509_STORE *store;
    static struct public_suffixes *suffixes;
    struct text rest = { (const char *)bytes, size };
    struct text part[PARTS];
    struct host host = { .name = "www.example.com" };
    scoped(buf_free) struct buf request = BUF(4096);

    if (!store)
        store = X509_STORE_new();
    if (!suffixes && !public_suffixes_load("", &suffixes, NULL))
        abort();
    for (size_t i = 0; i < PARTS; i++)
        part[i] = take_part(&rest);
    scoped(chain_free) struct chain *chain = chain_new(part, PARTS - 1);
    if (!chain)
        return 0;
    for (size_t i = 0; i < chain_size(chain); i++)
        check_certificate(chain_certificate(chain, i));
    assert(chain_trust(chain, store, 1800000000) != TRUST_YES); /* the store is empty */
    (void)chain_is_for(chain, &host, suffixes);
    assert(chain_extra_count(chain) < chain_size(chain));
    (void)chain_is_in_order(chain);
    if (chain_ocsp_request(chain, &request))
        assert(request.size > 0);
    (void)chain_ocsp_read(chain, store, part[PARTS - 1]);
    return 0;
}
