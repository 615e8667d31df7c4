/* tests/fuzz/portal/signature.c - any bytes as a webhook: the first line is its Stripe-Signature,
 * the rest its body. The fuzzer cannot guess a signature; for a signed body, only the header that
 * was made for it is valid. */
#include "portal/payments/stripe/signature.h"

#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/buf.h"

/* By Stripe's own client, for the secret whsec_test, the time 1700000000 and the body {}. */
#define V1 "v1=35495024f4ef3f94e5a93e22221544c4b75e9a42300cd965ab81cb85cd994e91"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(buf_free) struct buf line = BUF(1 << 20);
    struct signing_secrets secrets;
    struct err err = { 0 };
    struct text body = { (const char *)bytes, size };
    struct text header = text_cut(&body, '\n');
    buf_add(&line, header.bytes, header.size);
    bool ok = signing_secrets_read(TEXT("whsec_test\nwhsec_old"), &secrets, &err);
    assert(ok);
    ok = signature_check(buf_str(&line), body, &secrets, 1700000000, &err);
    assert(ok == (err.kind == ERR_NONE));
    assert(!ok || (text_is(body, "{}") && strstr(buf_str(&line), V1)));
    return 0;
}
