/* tests/fuzz/portal/payment-event.c - any bytes as an event: rejected, or ids that are safe in URLs
 * and an order that is a UUID. */
#include "portal/payments/stripe/event.h"

#include <assert.h>
#include <string.h>

#include "../target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct event event = { .created_s = -1 };
    struct uuid order;
    struct err err = { 0 };
    struct text body = { (const char *)bytes, size };
    if (!event_read(body, &event, &err)) {
        assert(err.kind == ERR_PAYLOAD_MISMATCH && event.created_s == -1);
        return 0;
    }
    assert(stripe_is_id(text_of(event.id)) && event.type[0] && event.created_s >= 0);
    assert(!event.ref[0] || stripe_is_id(text_of(event.ref)));
    assert(!event.order_id[0] || uuid_parse(text_of(event.order_id), &order));
    return 0;
}
