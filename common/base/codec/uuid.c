/* common/base/codec/uuid.c - UUIDv7 and its text form. */
#include "base/codec/uuid.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/codec/hex.h"
#include "base/os/clock.h"

struct uuid uuid_new(void)
{
    struct uuid uuid;
    if (getrandom(uuid.bytes, UUID_BYTES, 0) != UUID_BYTES)
        abort();
    uint64_t ms = (uint64_t)clock_wall_ms();
    for (int i = 0; i < 6; i++)
        uuid.bytes[i] = (uint8_t)(ms >> (40 - 8 * i));
    uuid.bytes[6] = (uint8_t)((uuid.bytes[6] & 0x0f) | 0x70);
    uuid.bytes[8] = (uint8_t)((uuid.bytes[8] & 0x3f) | 0x80);
    return uuid;
}

/* Is there a dash at this position of the text form? */
static bool is_dash(size_t place)
{
    return place == 8 || place == 13 || place == 18 || place == 23;
}

void uuid_format(char out[static UUID_TEXT_BYTES], const struct uuid *uuid)
{
    char hex[2 * UUID_BYTES + 1];
    hex_encode(hex, uuid->bytes, UUID_BYTES);
    const char *digit = hex;
    for (size_t i = 0; i < UUID_TEXT_BYTES - 1; i++)
        out[i] = is_dash(i) ? '-' : *digit++;
    out[UUID_TEXT_BYTES - 1] = '\0';
}

bool uuid_parse(struct text text, struct uuid *uuid)
{
    struct uuid parsed = { 0 };
    if (text.size != UUID_TEXT_BYTES - 1)
        return false;
    size_t digits = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (is_dash(i)) {
            if (text.bytes[i] != '-')
                return false;
            continue;
        }
        int value = hex_digit(text.bytes[i]);
        if (value < 0)
            return false;
        parsed.bytes[digits / 2] = (uint8_t)(parsed.bytes[digits / 2] << 4 | value);
        digits++;
    }
    *uuid = parsed;
    return true;
}

bool uuid_equal(const struct uuid *a, const struct uuid *b)
{
    return memcmp(a->bytes, b->bytes, UUID_BYTES) == 0;
}
