/* tests/unit/base/codec/ecdsa.c - DER of signatures (X.690 sections 8.3 and 10.1): the shortest
 * numbers, without a sign. */
#include "base/codec/ecdsa.h"

#include "rows.h"

#define TWO_HUNDRED                                                              \
    "01234567890123456789012345678901234567890123456789012345678901234567890123" \
    "45678901234567890123456789"

static const struct row {
    const char *name;
    struct text raw;
    struct text want; /* empty: rejected */
} rows[] = {
    { "one byte each", TEXT("\x01\x02"), TEXT("\x30\x06\x02\x01\x01\x02\x01\x02") },
    { "the highest bit is no sign", TEXT("\x80\x7f"),
      TEXT("\x30\x07\x02\x02\x00\x80\x02\x01\x7f") },
    { "leading zeros", TEXT("\x00\x01\x00\x80"), TEXT("\x30\x07\x02\x01\x01\x02\x02\x00\x80") },
    { "zero", TEXT("\x00\x00"), TEXT("\x30\x06\x02\x01\x00\x02\x01\x00") },
    { "nothing", TEXT(""), TEXT("") },
    { "an odd size", TEXT("\x01\x02\x03"), TEXT("") },
    { "longer than der may be", TEXT(TWO_HUNDRED TWO_HUNDRED), TEXT("") },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf der = BUF(32);
    assert_int_equal(ecdsa_to_der(row->raw, &der), row->want.size > 0);
    assert_int_equal(der.size, row->want.size);
    assert_memory_equal(buf_str(&der), row->want.bytes, row->want.size);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
