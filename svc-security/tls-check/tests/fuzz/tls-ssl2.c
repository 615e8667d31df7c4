/* svc-security/tls-check/tests/fuzz/tls-ssl2.c - parse any response to an SSL 2.0 CLIENT-HELLO:
 * more bytes do not change a final result. */
#include <assert.h>

#include "target.h"
#include "tls-check/scan/flight.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text text = { (const char *)bytes, size };
    struct ssl2_hello hello = { 0 };
    struct ssl2_hello before = { 0 };

    enum ssl2_answer answer = ssl2_read(text, &hello);
    assert(hello.suite_count <= SUITES_SSL2_MAX);
    for (size_t i = 0; i < hello.suite_count; i++)
        assert(hello.suite[i]);
    if (size == 0)
        return 0;
    text.size--;
    enum ssl2_answer earlier = ssl2_read(text, &before);
    assert(earlier == SSL2_MORE || earlier == answer);
    return 0;
}
