/* common/base/codec/invent.c - names that nobody has. */
#include "base/codec/invent.h"

#include <assert.h>
#include <sys/random.h>

#include "base/codec/hex.h"

void invent_digits(char out[static INVENTED_BYTES])
{
    unsigned char bytes[INVENTED_BYTES / 2];
    ssize_t got = getrandom(bytes, sizeof(bytes), 0);
    assert(got == sizeof(bytes)); /* so few are never cut short */
    hex_encode(out, bytes, sizeof(bytes));
}
