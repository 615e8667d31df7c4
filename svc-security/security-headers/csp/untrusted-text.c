/* svc-security/security-headers/csp/untrusted-text.c - put untrusted bytes into a result. */
#include "untrusted-text.h"

#include "base/codec/utf8.h"
#include "text/json.h"

#define REPLACEMENT "\xEF\xBF\xBD"
#define ELLIPSIS    "\xE2\x80\xA6"

static void add_clean(struct buf *out, struct text text)
{
    while (text.size > 0) {
        size_t good = utf8_valid_bytes(text);
        buf_add(out, text.bytes, good);
        if (good == text.size)
            return;
        buf_add_str(out, REPLACEMENT);
        text = text_skip(text, good + 1);
    }
}

void untrusted_add(struct buf *out, struct text text, size_t max_bytes)
{
    size_t size = text.size;
    if (size > max_bytes) {
        size = max_bytes;
        while (size > 0 && ((unsigned char)text.bytes[size] & 0xC0) == 0x80)
            size--;
    }
    add_clean(out, (struct text){ text.bytes, size });
    if (size < text.size)
        buf_add_str(out, ELLIPSIS);
}

void untrusted_str(cJSON *object, const char *name, struct text text, size_t max_bytes)
{
    scoped(buf_free) struct buf clean = BUF(3 * max_bytes + sizeof(ELLIPSIS));
    untrusted_add(&clean, text, max_bytes);
    json_str(object, name, buf_str(&clean));
}

void untrusted_item(cJSON *list, struct text text, size_t max_bytes)
{
    scoped(buf_free) struct buf clean = BUF(3 * max_bytes + sizeof(ELLIPSIS));
    untrusted_add(&clean, text, max_bytes);
    json_item_str(list, buf_str(&clean));
}
