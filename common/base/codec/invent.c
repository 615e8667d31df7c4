/* common/base/codec/invent.c - random names that do not exist. */
#include "base/codec/invent.h"

#include <assert.h>
#include <sys/random.h>

#include "base/codec/hex.h"

void invent_digits(char out[static INVENTED_BYTES])
{
    unsigned char bytes[INVENTED_BYTES / 2];
    ssize_t got = getrandom(bytes, sizeof(bytes), 0);
    assert(got == sizeof(bytes)); /* getrandom() never returns fewer for so small a size */
    hex_encode(out, bytes, sizeof(bytes));
}
