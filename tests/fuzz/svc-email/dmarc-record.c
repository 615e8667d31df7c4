/* tests/fuzz/svc-email/dmarc-record.c - any DMARC record: it is void or has a policy, for any
 * domain. */
#include <assert.h>

#include "../target.h"
#include "records/dmarc.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text text = { (const char *)bytes, size };
    struct dmarc dmarc;
    if (!dmarc_is_record(text))
        return 0;
    dmarc_read(text, &dmarc);
    assert(dmarc.is_void == (dmarc.error != NULL));
    for (int i = DMARC_OF_ITSELF; i <= DMARC_OF_MISSING_SUBDOMAIN && !dmarc.is_void; i++) {
        enum dmarc_policy policy = dmarc_policy_for(&dmarc, (enum dmarc_subject)i);
        assert(policy > DMARC_NO_POLICY && policy <= DMARC_P_REJECT);
        assert(dmarc_lowered(&dmarc, policy) >= DMARC_P_NONE);
    }
    assert(dmarc.pct <= 100 && dmarc.is_there[DMARC_TAG_V]);
    for (size_t i = 0; i < dmarc.rua.count; i++)
        assert(dmarc.rua.item[i].uri.size <= size &&
               (dmarc.rua.item[i].address.size > 0) == (dmarc.rua.item[i].domain.size > 0));
    return 0;
}
