/* svc-ai/ai-translate/tests/fuzz/ai-translate.c - masking and restoring any text gives the same
 * text. */
#include <assert.h>

#include "ai-translate/masks.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "target.h"

enum { TEXT_MAX = 16 << 10, MASKED_BYTES = 256 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text text = { (const char *)bytes, size };
    scoped(masks_free) struct masks masks = { 0 };
    scoped(buf_free) struct buf masked = BUF(MASKED_BYTES);
    scoped(buf_free) struct buf again = BUF(MASKED_BYTES);

    if (size > TEXT_MAX || !utf8_is_valid(text))
        return 0;
    masks_put(text, &masks, &masked);
    assert(!masked.full && utf8_is_valid(buf_text(&masked)));
    scoped(mem_free) size_t *times = mem_array(masks.count + 1, sizeof(*times));
    masks_restore(&masks, buf_text(&masked), times, &again);
    assert(text_equals(buf_text(&again), text));
    for (size_t i = 0; i < masks.count; i++)
        assert(times[i] == 1);
    return 0;
}
