/* common/base/codec/percent.c - see percent.h. */
#include "base/codec/percent.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"

bool percent_decode(struct text text, struct buf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        int byte = (unsigned char)text.bytes[i];
        if (byte == '%') {
            int high = i + 2 < text.size ? hex_digit(text.bytes[i + 1]) : -1;
            int low = i + 2 < text.size ? hex_digit(text.bytes[i + 2]) : -1;
            byte = high < 0 || low < 0 ? 0 : high << 4 | low;
            i += 2;
        }
        if (byte == 0)
            return false;
        buf_add_byte(out, (char)byte);
    }
    return true;
}

void percent_encode(struct text text, const char *kept, struct buf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (ascii_is_alnum(byte) || (byte != '\0' && strchr(kept, byte)))
            buf_add_byte(out, (char)byte);
        else
            buf_format(out, "%%%02X", byte);
    }
}
