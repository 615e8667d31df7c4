/* portal/front.c - see front.h. */
#include "portal/front.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "portal/base/assets.h"
#include "portal/confirm.h"
#include "portal/entry/next.h"
#include "portal/oauth/oauth.h"
#include "portal/oauth/program.h"
#include "portal/page/answer.h"
#include "portal/page/csrf.h"
#include "portal/routes.h"
#include "text/oauth/oauth.h"
#include "web/forwarded.h"

#define STATIC_PATH "/static/"
#define FORM_TYPE   "application/x-www-form-urlencoded"

/* ---- checks of the request ---- */

/* The edge does not forward such a request: it may be the rest of another client's. */
static bool reject_unfiltered(struct visit *visit, const struct err *err)
{
    visit->response->closes = true;
    counter_add(visit->portal->distrusted, 1);
    log_line(LOG_WARN, "request not filtered by the edge", log_str("error", err->message));
    page_error(visit, 400, "The request is malformed.", 0);
    return false;
}

static bool check_request(struct visit *visit)
{
    struct forwarded from;
    struct err err = { 0 };
    if (!forwarded_read(visit->request, &visit->portal->trusted_proxies, &from, &err))
        return reject_unfiltered(visit, &err);
    visit->address = from.address;
    if (!from.is_https)
        page_error(visit, 403, "This site is served over HTTPS only.", 0);
    else if (visit->request->is_body_cut)
        page_error(visit, 400, "The form did not arrive completely. Send it again.", 0);
    else
        return true;
    return false;
}

/* ---- files ---- */

static void answer_asset(struct visit *visit)
{
    struct http_response *response = visit->response;
    const struct asset *asset =
        assets_find_hashed(visit->portal->assets, visit->path + strlen(STATIC_PATH));
    if (!asset) {
        page_not_found(visit);
        return;
    }
    response->status = 200;
    buf_format(&response->headers,
               "Content-Type: %s\r\nX-Content-Type-Options: nosniff\r\n"
               "Cross-Origin-Resource-Policy: same-origin\r\n"
               "Cache-Control: public, max-age=31536000, immutable\r\n",
               asset->type);
    buf_add(&response->body, asset->bytes.bytes, asset->bytes.size);
}

/* ---- the form ---- */

static bool is_form_type(const char *type)
{
    size_t size = strlen(FORM_TYPE);
    return type && strncasecmp(type, FORM_TYPE, size) == 0 &&
           (type[size] == '\0' || type[size] == ';' || type[size] == ' ');
}

static bool read_form(struct visit *visit, const struct route *route)
{
    const struct http_request *request = visit->request;
    struct err err = { 0 };
    if (request->is_body_too_large)
        page_error(visit, 413,
                   "The form must have at most 65,536 bytes. Shorten it and send it again.", 0);
    else if (visit->is_post && !is_form_type(http_header(request, "Content-Type")))
        page_error(visit, 415, "A form must have the content type " FORM_TYPE ".", 0);
    else if (!form_parse(visit->is_post ? request->body : request->query, route->lists,
                         &visit->form, &err))
        page_error(visit, 400, "The form cannot be read. Go back, reload the page and try again.",
                   0);
    else
        return true;
    return false;
}

/* ---- the session ---- */

static bool find_session(struct visit *visit)
{
    struct portal *portal = visit->portal;
    uint8_t cookie[COOKIE_BYTES];
    struct err err = { 0 };
    scoped(pool_give) struct sql *sql = NULL;
    if (!cookie_find(http_header(visit->request, "Cookie"), COOKIE_SESSION, cookie))
        return true;
    bool ok =
        pool_take(portal->pool, &sql, &err) && session_find(sql, cookie, &visit->session, &err);
    pool_give(&sql);
    visit->is_signed_in = visit->session.session_id[0] && !visit->session.is_half;
    if (!ok)
        page_failed(visit, &err);
    return ok;
}

/* ---- access ---- */

static bool may_pass(const struct visit *visit, enum access access)
{
    switch (access) {
    case ACCESS_PROGRAM:
    case ACCESS_PUBLIC:
        return true;
    case ACCESS_HALF:
        return visit->session.is_half;
    case ACCESS_MEMBER:
    case ACCESS_CONFIRMED:
    case ACCESS_PASSWORD:
        break;
    }
    return visit->is_signed_in;
}

/* The form's page, with the query that it had. */
static const char *form_page(struct visit *visit, const struct route *route)
{
    const char *page = route_page(route, visit->place, &visit->arena);
    const char *query = route->query ? form_text(&visit->form, route->query) : "";
    scoped(buf_free) struct buf whole = BUF(NEXT_MAX_BYTES);
    buf_format(&whole, "%s?%s", page, query);
    return query[0] && next_is_safe(buf_str(&whole)) ? arena_copy(&visit->arena, buf_text(&whole))
                                                     : page;
}

/* Redirect to the sign-in page, and from there back to this page or to the form's page. */
static void send_to_sign_in(struct visit *visit, const struct route *route)
{
    const char *next = visit->is_post ? form_page(visit, route) : next_here(visit);
    page_redirect(visit, next_added(visit, "/portal/sign-in", next), NULL);
}

/* Show the form's page again, filled in. Forms of public pages redirect to their page. */
static void show_stray(struct visit *visit)
{
    const char *allow;
    const char *place[VISIT_PLACES_MAX] = { NULL };
    const struct route *page = route_find("GET", visit->path, &visit->arena, place, &allow);
    visit_add_error(visit, NULL, "The form has expired. Check it and send it again.");
    page->handler(visit);
    if (visit->response->status == 200)
        visit->response->status = 403;
}

static bool check_access(struct visit *visit, const struct route *route)
{
    if (!may_pass(visit, route->access) && route->access == ACCESS_HALF)
        page_redirect(visit, visit->is_signed_in ? "/portal" : "/portal/sign-in", NULL);
    else if (!may_pass(visit, route->access))
        send_to_sign_in(visit, route);
    else if (visit->is_post && csrf_holds(visit))
        return true;
    else if (visit->is_post && route->access == ACCESS_PUBLIC && csrf_is_stray(visit))
        show_stray(visit);
    else if (visit->is_post)
        page_error(visit, 403,
                   "The form has expired or came from another site. Go back, reload the page and "
                   "try again.",
                   0);
    else
        return true;
    return false;
}

/* Ask for the password again: for ACCESS_CONFIRMED after 30 minutes, for ACCESS_PASSWORD each time.
 */
static bool check_confirmed(struct visit *visit, const struct route *route)
{
    int status;
    visit->wants_password =
        route->access == ACCESS_PASSWORD ||
        (route->access == ACCESS_CONFIRMED && !session_is_fresh(&visit->session));
    if (!visit->is_post || !visit->wants_password)
        return true;
    if (!route->again && !form_has(&visit->form, CONFIRM_PASSWORD))
        status = 200; /* the form did not have the field; show a page that has it */
    else if (confirm_check(visit, &status))
        return true;
    visit->error_status = status;
    if (route->again)
        route->again(visit);
    else
        confirm_page(visit);
    return false;
}

/* ---- handling ---- */

static bool is_oauth_path(const struct visit *visit)
{
    struct text path = text_of(visit->path);
    return text_begins(path, "/oauth/") || text_begins(path, "/portal/connect") ||
           text_begins(path, OAUTH_SERVER_METADATA_PATH);
}

/* Programs of OAuth read JSON, also for a wrong method. */
static bool is_program_path(struct visit *visit)
{
    const char *allow;
    const char *place[VISIT_PLACES_MAX] = { NULL };
    static const char *const methods[] = { "GET", "POST" };
    for (size_t i = 0; i < countof(methods) && oauth_is_on(visit->portal); i++) {
        const struct route *route =
            route_find(methods[i], visit->path, &visit->arena, place, &allow);
        if (route && route->access == ACCESS_PROGRAM && route_is_oauth(route))
            return true;
    }
    return false;
}

/* NULL: no route matches; *allow then has the methods of the path. */
static const struct route *find_route(struct visit *visit, const char **allow)
{
    *allow = "";
    const struct route *route =
        route_find(visit->request->method, visit->path, &visit->arena, visit->place, allow);
    if (oauth_is_on(visit->portal) || (route ? !route_is_oauth(route) : !is_oauth_path(visit)))
        return route;
    *allow = "";
    return NULL;
}

/* Redirect a page's URL with a trailing slash to the page. */
static bool drop_slash(struct visit *visit)
{
    const char *allow;
    const char *place[VISIT_PLACES_MAX] = { NULL };
    struct text path = text_of(visit->path);
    if (visit->is_post || path.size < 2 || path.bytes[path.size - 1] != '/' ||
        (is_oauth_path(visit) && !oauth_is_on(visit->portal)))
        return false;
    path.size--;
    const char *page = arena_copy(&visit->arena, path);
    if (!route_find("GET", page, &visit->arena, place, &allow))
        return false;
    page_redirect(visit, page, NULL);
    return true;
}

static void reject_route(struct visit *visit, const char *allow)
{
    if (!*allow) {
        if (!drop_slash(visit))
            page_not_found(visit);
        return;
    }
    buf_format(&visit->response->headers, "Allow: %s\r\n", allow);
    page_error(visit, 405, "This page does not support this method.", 0);
}

static bool is_asset(const struct visit *visit)
{
    return strncmp(visit->path, STATIC_PATH, strlen(STATIC_PATH)) == 0;
}

/* Find the session first, so that error pages show the member too. */
static bool may_handle(struct visit *visit, const struct route *route, const char *allow)
{
    if (route && route->access == ACCESS_PROGRAM)
        return true;
    if (!route && is_program_path(visit)) {
        program_reject_method(visit, allow);
        return false;
    }
    if (!find_session(visit))
        return false;
    if (!route)
        reject_route(visit, allow);
    return route && read_form(visit, route) && check_access(visit, route) &&
           check_confirmed(visit, route);
}

static void serve_page(struct visit *visit)
{
    if (!check_request(visit))
        return;
    if (is_asset(visit)) {
        answer_asset(visit);
        return;
    }
    const char *allow;
    const struct route *route = find_route(visit, &allow);
    visit->pattern = route ? route->pattern : NULL;
    if (may_handle(visit, route, allow))
        route->handler(visit);
}

/* Log the pattern, not the path: a path may contain a secret link. */
static void log_page(const struct visit *visit, int64_t us)
{
    const struct portal *portal = visit->portal;
    counter_add(portal->responses[status_class(visit->response->status)], 1);
    if (is_asset(visit))
        return;
    histogram_add(portal->seconds, us);
    log_line(LOG_INFO, "page", log_str("http.request.method", visit->is_post ? "POST" : "GET"),
             log_str("http.route", visit->pattern ? visit->pattern : "none"),
             log_int("http.response.status_code", visit->response->status),
             log_str("account_id", visit->session.account_id), log_int("duration_us", us),
             log_int("http.response.body.size", (int64_t)visit->response->body.size));
}

void front_handle(void *context, const struct http_request *request, struct http_response *response)
{
    struct portal *portal = context;
    struct visit *visit = mem_new(sizeof(*visit)); /* too large for a civetweb thread's stack */
    int64_t begun_us = clock_us();
    visit_begin(visit, portal, request, response);
    if (portal->is_draining)
        response->closes = true;
    serve_page(visit);
    log_page(visit, clock_us() - begun_us);
    visit_end(visit);
    mem_free(&visit);
}

void front_write_error(int status, struct http_response *response)
{
    (void)status;
    buf_add_str(&response->headers,
                "Content-Type: text/plain; charset=utf-8\r\n"
                "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n");
    buf_add_str(&response->body, "The request is malformed.\n");
}
