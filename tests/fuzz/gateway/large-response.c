/* tests/fuzz/gateway/large-response.c - any bytes as a piece of a stored response: never more than
 * the expected size, and what is accepted can be packed and unpacked again. */
#include "gateway/ledger/large-response.h"

#include <assert.h>
#include <string.h>

#include "../target.h"

enum { SIZES = 4 };

static void check_again(const struct buf *plain)
{
    scoped(buf_free) struct buf packed = BUF(2 * LARGE_RESPONSE_PIECE_BYTES);
    scoped(buf_free) struct buf again = BUF(LARGE_RESPONSE_PIECE_BYTES);
    large_response_pack(buf_text(plain), &packed);
    assert(large_response_unpack(buf_text(&packed), plain->size, &again));
    assert(memcmp(again.bytes, plain->bytes, plain->size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const size_t sizes[SIZES] = { 1, 5, 1000, LARGE_RESPONSE_PIECE_BYTES };
    size_t accepted = 0;
    for (size_t i = 0; i < SIZES; i++) {
        scoped(buf_free) struct buf out = BUF(LARGE_RESPONSE_PIECE_BYTES);
        struct text packed = { (const char *)bytes, size };
        bool ok = large_response_unpack(packed, sizes[i], &out);
        assert(out.size == (ok ? sizes[i] : 0));
        accepted += ok;
        if (ok)
            check_again(&out);
    }
    assert(accepted <= 1);
    return 0;
}
