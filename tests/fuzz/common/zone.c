/* tests/fuzz/common/zone.c - TZif files: the spans of what was read hold their instants and touch.
 */
#include <assert.h>

#include "../target.h"
#include "text/time/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(zone_free) struct zone *zone = NULL;
    struct zone_span span;
    struct zone_span next;
    int64_t instant_s;

    if (!zone_parse((struct text){ (const char *)bytes, size }, "Fuzz", &zone))
        return 0;
    for (int64_t at_s = -4000000000; at_s < 8000000000; at_s += 123456789) {
        zone_span_at(zone, at_s, &span);
        assert(span.begin_s <= at_s && at_s < span.end_s);
        if (span.end_s != INT64_MAX) {
            zone_span_at(zone, span.end_s, &next);
            assert(next.begin_s == span.end_s);
        }
        if (zone_instant(zone, at_s + span.offset_s, &instant_s) == ZONE_ONCE)
            assert(instant_s == at_s);
    }
    return 0;
}
