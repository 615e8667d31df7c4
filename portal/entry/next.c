/* portal/entry/next.c - see next.h. */
#include "portal/entry/next.h"

#include <string.h>

#include "base/ascii.h"

bool next_is_safe(const char *next)
{
    struct text text = text_of(next);
    bool is_ours = text_begins(text, "/portal") || text_begins(text, "/tools");
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] <= ' ' || text.bytes[i] > '~')
            return false;
    return is_ours && text.size <= NEXT_MAX_BYTES && !text_has(text, "//") && !text_has(text, "\\");
}

const char *next_of(const struct visit *visit)
{
    const char *next = form_text(&visit->form, "next");
    return next_is_safe(next) ? next : NULL;
}

const char *next_passed_on(struct visit *visit, const char *path)
{
    const char *next = next_of(visit);
    scoped(buf_free) struct buf to = BUF(4 * NEXT_MAX_BYTES);
    buf_add_str(&to, path);
    if (next)
        buf_add_str(&to, "?next=");
    for (; next && *next; next++) {
        if (ascii_is_alnum((unsigned char)*next) || strchr("/-._~", *next))
            buf_add_byte(&to, *next);
        else
            buf_format(&to, "%%%02X", (unsigned char)*next);
    }
    return arena_copy(&visit->arena, buf_text(&to));
}
