/* portal/entry/next.c - see next.h. */
#include "portal/entry/next.h"

#include <string.h>

#include "base/codec/percent.h"
#include "portal/base/url-text.h"
#include "portal/session/cookie.h"

#define CONSENT_PATH "/oauth/authorize?"

enum { KEPT_S = 86400 /* as long as the link of a sign-up */ };

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

static bool leads_to_app(const struct visit *visit, const char *next)
{
    return next_is_safe(next) && text_begins(text_of(next), CONSENT_PATH) &&
           conf_bool(visit->portal->conf, "oauth.enabled");
}

const char *next_app(const struct visit *visit)
{
    const char *next = form_text(&visit->form, "next");
    return leads_to_app(visit, next) ? next : NULL;
}

void next_keep(struct visit *visit)
{
    const char *next = next_app(visit);
    char text[URL_TEXT_BYTES(NEXT_KEPT_MAX_BYTES)];
    if (!next || strlen(next) > NEXT_KEPT_MAX_BYTES)
        return;
    url_text_write(next, strlen(next), text, sizeof(text));
    cookie_set_text(&visit->response->headers, COOKIE_NEXT, text, KEPT_S);
}

const char *next_kept(struct visit *visit)
{
    struct text found = { 0 };
    char next[NEXT_KEPT_MAX_BYTES + 1];
    if (!cookie_find_text(http_header(visit->request, "Cookie"), COOKIE_NEXT, &found))
        return NULL;
    cookie_end(&visit->response->headers, COOKIE_NEXT);
    size_t size = found.size * 3 / 4;
    if (size > NEXT_KEPT_MAX_BYTES || !url_text_read(found, next, size))
        return NULL;
    next[size] = '\0';
    return strlen(next) == size && leads_to_app(visit, next)
               ? arena_copy(&visit->arena, text_of(next))
               : NULL;
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
