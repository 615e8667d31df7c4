/* gateway/account/asker.c - see asker.h. */
#include "gateway/account/asker.h"

#include "base/codec/hex.h"

struct asker asker_of(const struct uuid *account, const uint8_t token[static DIGEST_BYTES])
{
    struct asker asker;
    uuid_format(asker.account, account);
    hex_encode(asker.token, token, DIGEST_BYTES);
    return asker;
}
