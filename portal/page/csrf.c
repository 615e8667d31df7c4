/* portal/page/csrf.c - see csrf.h. */
#include "portal/page/csrf.h"

#include <string.h>

#include "portal/base/secret.h"
#include "portal/session/cookie.h"

/* The message of the token: the session or cookie. False: there is neither yet. */
static bool add_owner(const struct visit *visit, struct buf *message)
{
    uint8_t cookie[COOKIE_BYTES];
    if (visit->session.session_id[0])
        return buf_add_str(message, visit->session.session_id);
    return cookie_find(http_header(visit->request, "Cookie"), COOKIE_FORM, cookie) &&
           buf_add(message, cookie, sizeof(cookie));
}

void csrf_mark(struct visit *visit, char out[static CSRF_TEXT_BYTES])
{
    scoped(buf_free) struct buf message = BUF(64);
    uint8_t mark[CSRF_BYTES];
    if (!add_owner(visit, &message)) {
        uint8_t fresh[COOKIE_BYTES];
        cookie_new(fresh);
        cookie_set(&visit->response->headers, COOKIE_FORM, fresh, 0);
        buf_add(&message, fresh, sizeof(fresh));
    }
    secret_mac(visit->portal->secrets, SECRET_CSRF, buf_text(&message), mark);
    url_text_write(mark, sizeof(mark), out, CSRF_TEXT_BYTES);
}

bool csrf_is_own_origin(const char *sec_fetch_site, const char *origin, const char *public_url)
{
    if (sec_fetch_site) /* none: the browser restored the page */
        return strcmp(sec_fetch_site, "same-origin") == 0 || strcmp(sec_fetch_site, "none") == 0;
    return origin && strcmp(origin, public_url) == 0;
}

static bool is_same_origin(const struct visit *visit)
{
    const struct http_request *request = visit->request;
    return csrf_is_own_origin(http_header(request, "Sec-Fetch-Site"),
                              http_header(request, "Origin"), visit->portal->public_url);
}

static bool read_mark(const struct visit *visit, uint8_t mark[static CSRF_BYTES])
{
    return url_text_read(text_of(form_text(&visit->form, CSRF_FIELD)), mark, CSRF_BYTES);
}

bool csrf_is_stray(const struct visit *visit)
{
    uint8_t mark[CSRF_BYTES];
    return is_same_origin(visit) && read_mark(visit, mark);
}

bool csrf_holds(const struct visit *visit)
{
    scoped(buf_free) struct buf message = BUF(64);
    uint8_t mark[CSRF_BYTES];
    return is_same_origin(visit) && add_owner(visit, &message) && read_mark(visit, mark) &&
           secret_mac_fits(visit->portal->secrets, SECRET_CSRF, buf_text(&message), mark);
}
