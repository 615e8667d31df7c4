/* tests/fuzz/svc-email/dkim-key.c - any DKIM key record: it says why it is invalid, and one that
 * can be used has enough bits. */
#include <assert.h>

#include "../target.h"
#include "records/dkim-key.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct dkim_key key;
    dkim_key_read((struct text){ (const char *)bytes, size }, &key);
    assert((key.error != NULL) == (key.state == DKIM_KEY_INVALID));
    if (key.state == DKIM_KEY_VALID)
        assert(key.bits > 0 && key.public_key.size > 0);
    if (dkim_key_is_usable(&key))
        assert(key.bits >= 1024 || (key.algorithm == DKIM_ED25519 && key.bits == 256));
    return 0;
}
