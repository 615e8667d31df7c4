/* tests/unit/gateway/ledger/large-response.c - pieces of large responses: packed and unpacked to
 * the byte, and no damaged one is accepted. The statements are tested in
 * tests/faults/test_idempotency.py. */
#include "gateway/ledger/large-response.h"

#include <string.h>

#include "rows.h"

enum { MAX_BYTES = LARGE_RESPONSE_PIECE_BYTES };

static const struct row {
    const char *name;
    size_t size;
    const char *cycle; /* the plain bytes repeat it; NULL: they do not compress */
    size_t packed_max;
} rows[] = {
    { "one byte", 1, "x", 20 },
    { "a whole piece of text", MAX_BYTES, "{\"name\":\"value\"},\n", MAX_BYTES / 50 },
    { "a whole piece with all bytes", MAX_BYTES, "\x01\xff\x80\x7f", MAX_BYTES / 50 },
    { "a whole piece that does not compress", MAX_BYTES, NULL, MAX_BYTES + 1000 },
    { "part of a piece that does not compress", 1001, NULL, 1100 },
};

/* The upper bytes of a linear congruential generator (Knuth, MMIX). */
static char next_byte(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (char)(*state >> 56);
}

static void fill(struct buf *plain, const struct row *row)
{
    uint64_t state = 1;
    for (size_t i = 0; i < row->size; i++)
        buf_add_byte(plain, row->cycle ? row->cycle[i % strlen(row->cycle)] : next_byte(&state));
}

/* True: accepted, with these bytes. */
static bool is_unpacked(struct text packed, size_t size, struct text want)
{
    scoped(buf_free) struct buf out = BUF(MAX_BYTES);
    if (!large_response_unpack(packed, size, &out)) {
        assert_int_equal(out.size, 0);
        return false;
    }
    assert_int_equal(out.size, want.size);
    assert_memory_equal(out.bytes, want.bytes, want.size);
    assert_int_equal(out.bytes[out.size], '\0');
    return true;
}

/* Flip a bit in each of up to 100 bytes. Some bits of a stream do not change its content, so a flip
 * there may be accepted. */
static void check_damage(const struct buf *packed, struct text plain)
{
    size_t step = packed->size / 100 + 1;
    size_t tried = 0;
    size_t accepted = 0;
    for (size_t i = 0; i < packed->size; i += step, tried++) {
        packed->bytes[i] ^= 0x10;
        accepted += is_unpacked(buf_text(packed), plain.size, plain);
        packed->bytes[i] ^= 0x10;
    }
    assert_true(accepted < tried);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf plain = BUF(MAX_BYTES);
    scoped(buf_free) struct buf packed = BUF(2 * MAX_BYTES);
    fill(&plain, row);
    large_response_pack(buf_text(&plain), &packed);
    assert_in_range(packed.size, 1, row->packed_max);
    struct text good = buf_text(&packed);
    assert_true(is_unpacked(good, plain.size, buf_text(&plain)));
    if (plain.size > 1)
        assert_false(is_unpacked(good, plain.size - 1, buf_text(&plain)));
    if (plain.size < MAX_BYTES)
        assert_false(is_unpacked(good, plain.size + 1, buf_text(&plain)));
    assert_false(
        is_unpacked((struct text){ good.bytes, good.size - 1 }, plain.size, buf_text(&plain)));
    assert_false(is_unpacked((struct text){ good.bytes, 0 }, plain.size, buf_text(&plain)));
    buf_add_byte(&packed, '\0');
    assert_false(is_unpacked(buf_text(&packed), plain.size, buf_text(&plain)));
    packed.size--;
    check_damage(&packed, buf_text(&plain));
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
