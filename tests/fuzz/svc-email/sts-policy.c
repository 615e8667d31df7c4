/* tests/fuzz/svc-email/sts-policy.c - any MTA-STS policy: one that can be used has a mode, an age
 * within its limits, and patterns that allow themselves. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/mem.h"
#include "records/sts-policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct sts_policy policy;
    sts_policy_read((struct text){ (const char *)bytes, size }, &policy);
    if (policy.error)
        return 0;
    assert(policy.max_age_s >= 0 && policy.max_age_s <= 31557600);
    assert(policy.mode == STS_NONE || policy.pattern_count > 0);
    for (size_t i = 0; i < policy.pattern_count; i++) {
        scoped(mem_free) char *host = mem_dup(policy.pattern[i].bytes, policy.pattern[i].size);
        if (host[0] == '*')
            host[0] = 'a';
        assert(sts_policy_allows(&policy, host));
    }
    return 0;
}
