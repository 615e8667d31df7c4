/* portal/base/url-text.c - see url-text.h. */
#include "portal/base/url-text.h"

#include <sodium.h>

enum { VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void url_text_write(const void *bytes, size_t size, char *text, size_t text_bytes)
{
    sodium_bin2base64(text, text_bytes, bytes, size, VARIANT);
}

/* libsodium 1.0.18 accepts some bytes above 0x7f as digits. */
bool url_text_read(struct text text, void *bytes, size_t size)
{
    size_t read;
    return text.size == URL_TEXT_BYTES(size) - 1 && text_is_made_of(text, alphabet) &&
           sodium_base642bin(bytes, size, text.bytes, text.size, NULL, &read, NULL, VARIANT) == 0 &&
           read == size;
}
