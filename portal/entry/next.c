/* portal/entry/next.c - see next.h. */
#include "portal/entry/next.h"

#include <string.h>

#include "base/codec/percent.h"

bool next_is_safe(const char *next)
{
    struct text text = text_of(next);
    struct text path = text_before(text, "?");
    bool is_ours = text_begins(text, "/portal") || text_begins(text, "/tools") ||
                   text_is(path, "/oauth/authorize");
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] <= ' ' || text.bytes[i] > '~')
            return false;
    return is_ours && text.size <= NEXT_MAX_BYTES && !text_has(path, "//") && !text_has(text, "\\");
}

const char *next_of(const struct visit *visit)
{
    const char *next = form_text(&visit->form, "next");
    return next_is_safe(next) ? next : NULL;
}

const char *next_here(struct visit *visit)
{
    struct text query = visit->request->query;
    scoped(buf_free) struct buf here = BUF(NEXT_MAX_BYTES);
    buf_add_str(&here, visit->path);
    if (query.size > 0)
        buf_add_byte(&here, '?');
    buf_add(&here, query.bytes, query.size);
    return !here.full && next_is_safe(buf_str(&here)) ? arena_copy(&visit->arena, buf_text(&here))
                                                      : visit->path;
}

const char *next_added(struct visit *visit, const char *path, const char *next)
{
    scoped(buf_free) struct buf to = BUF(NEXT_ENCODED_MAX_BYTES);
    buf_add_str(&to, path);
    if (next)
        buf_add_str(&to, "?next=");
    percent_encode(text_of(next), "/-._~", &to);
    return arena_copy(&visit->arena, to.full ? text_of(path) : buf_text(&to));
}

const char *next_passed_on(struct visit *visit, const char *path)
{
    return next_added(visit, path, next_of(visit));
}
