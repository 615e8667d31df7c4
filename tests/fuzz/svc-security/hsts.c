/* tests/fuzz/svc-security/hsts.c - any value of Strict-Transport-Security. */
#include <assert.h>

#include "../target.h"
#include "hsts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hsts hsts;
    hsts_read((struct text){ (const char *)bytes, size }, &hsts);
    assert(hsts.has_age || hsts.has_repeats || hsts.max_age_s == 0);
    assert(hsts.max_age_s >= 0 && hsts.max_age_s <= (int64_t)1 << 53);
    return 0;
}
