/* portal/session/cookie.c - see cookie.h. */
#include "portal/session/cookie.h"

#include <sodium.h>
#include <string.h>

#include "portal/base/url-text.h"

/* Lax keeps the session when the payment page redirects back from its site. */
#define ATTRIBUTES "Path=/; Secure; HttpOnly; SameSite=Lax"

void cookie_new(uint8_t value[static COOKIE_BYTES])
{
    randombytes_buf(value, COOKIE_BYTES);
}

bool cookie_find_text(const char *header, const char *name, struct text *found)
{
    struct text rest = text_of(header);
    size_t count = 0;
    while (rest.size > 0) {
        struct text pair = text_trim(text_cut(&rest, ';'));
        if (text_is(text_cut(&pair, '='), name)) {
            *found = pair;
            count++;
        }
    }
    return count == 1;
}

bool cookie_find(const char *header, const char *name, uint8_t value[static COOKIE_BYTES])
{
    struct text found = { 0 };
    return cookie_find_text(header, name, &found) && url_text_read(found, value, COOKIE_BYTES);
}

void cookie_set_text(struct buf *headers, const char *name, const char *text, int64_t kept_s)
{
    buf_format(headers, "Set-Cookie: %s=%s; " ATTRIBUTES, name, text);
    if (kept_s > 0)
        buf_format(headers, "; Max-Age=%lld", (long long)kept_s);
    buf_add_str(headers, "\r\n");
}

void cookie_set(struct buf *headers, const char *name, const uint8_t value[static COOKIE_BYTES],
                int64_t kept_s)
{
    char text[COOKIE_TEXT_BYTES];
    url_text_write(value, COOKIE_BYTES, text, sizeof(text));
    cookie_set_text(headers, name, text, kept_s);
    sodium_memzero(text, sizeof(text));
}

void cookie_end(struct buf *headers, const char *name)
{
    buf_format(headers, "Set-Cookie: %s=; " ATTRIBUTES "; Max-Age=0\r\n", name);
}
