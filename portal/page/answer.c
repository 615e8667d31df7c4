/* portal/page/answer.c - see answer.h. */
#include "portal/page/answer.h"

#include <string.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "base/table.h"
#include "portal/base/assets.h"
#include "portal/page/csrf.h"
#include "portal/page/field.h"
#include "portal/template/template.h"
#include "text/json.h"

enum { PATH_MAX_BYTES = 8192 };

/* ---- headers ---- */

/* Of each response. Chromium applies form-action to the redirect after a POST too, so the checkout
 * origin must be allowed. The edge sets HSTS. */
static const char security_headers[] =
    "Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; %sform-action 'self'%s%s; frame-ancestors 'none'; "
    "base-uri 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: %s\r\n"
    "Cross-Origin-Opener-Policy: %s\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Permissions-Policy: accelerometer=(), autoplay=(), camera=(), clipboard-read=(), "
    "clipboard-write=(self), display-capture=(), encrypted-media=(), fullscreen=(), "
    "geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), "
    "picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), usb=(), "
    "xr-spatial-tracking=()\r\n";

/* Of a report, which pages of tools show in a frame. Nothing in it runs, or loads anything; its
 * picture is in the page itself. */
static const char report_headers[] =
    "Content-Security-Policy: default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n"
    "Content-Type: text/html; charset=utf-8\r\n";

/* An origin outside the portal to which forms may redirect; "": not needed. */
static const char *checkout_origin(const struct portal *portal)
{
    bool is_stripe = strcmp(portal_provider(portal), "stripe") == 0;
    return is_stripe ? conf_str(portal->conf, "payments.stripe_checkout_origin") : "";
}

static bool is_below(const struct visit *visit, const char *path)
{
    return text_begins(text_of(visit->path), path);
}

/* Apps open these pages in a window, and see with `same-origin` a window that was closed. */
static const char *opener_policy(const struct visit *visit)
{
    bool is_opened = conf_bool(visit->portal->conf, "oauth.enabled") &&
                     (is_below(visit, "/oauth/") || is_below(visit, "/portal/sign-in"));
    return is_opened ? "unsafe-none" : "same-origin";
}

static void add_headers(struct visit *visit, const char *type)
{
    struct buf *headers = &visit->response->headers;
    const char *checkout = checkout_origin(visit->portal);
    const char *referrer = is_below(visit, "/oauth/done/") ? "no-referrer" : "same-origin";
    const char *frames = visit->has_frame ? "frame-src 'self'; " : "";
    buf_format(headers, security_headers, frames, checkout[0] ? " " : "", checkout, referrer,
               opener_policy(visit));
    buf_add_str(headers, "Cache-Control: no-store\r\n");
    if (type)
        buf_format(headers, "Content-Type: %s\r\n", type);
}

void answer_plain(struct visit *visit, int status, const char *type)
{
    visit->response->status = status;
    add_headers(visit, type);
}

void answer_report(struct visit *visit)
{
    visit->response->status = 200;
    buf_add_str(&visit->response->headers, report_headers);
}

/* ---- the model of every page ---- */

/* The values of ?done=. Others are ignored. */
static const struct done {
    const char *name;
    const char *sentence;
} dones[] = {
    { "signed-out", "You are signed out." },
    { "token-revoked", "The token was revoked." },
    { "token-capped", "The caps were saved." },
    { "app-disconnected", "The app was disconnected. No call of it is admitted anymore." },
    { "session-ended", "The session was signed out." },
    { "sessions-ended", "All other sessions were signed out." },
    { "password-changed", "Your password was changed. Your other sessions were signed out." },
    { "two-factor-off", "Two-factor sign-in is off." },
    { "name-set", "The name was changed." },
    { "billing-set", "Your billing details were saved." },
    { "invoice-email-asked",
      "Check the new mailbox. If it can receive email, it will get a link there "
      "that works once and expires after 7 days." },
    { "invoice-email-removed", "The address was removed. It gets no more invoices." },
    { "invoice-corrected", "The invoice was corrected. Its new documents are in the list." },
    { "alerts-set", "The limit was saved." },
    { "email-asked", "Check the new mailbox. If it can receive email, you will get a link there. "
                     "It works once and "
                     "expires after 24 hours." },
    { "email-changed", "Your email address was changed. Your other sessions were signed out." },
    { "deletion-asked", "Your tokens were revoked, and the account will be deleted." },
    { "account-kept", "The account will not be deleted." },
    { "password-set", "Your password was set. Sign in with it." },
};

/* The areas of the navigation. The first path that is a prefix is the current one. */
static const struct area {
    const char *name;
    const char *path;
} areas[] = {
    { "here_sign_up", "/portal/sign-up" },
    { "here_sign_in", "/portal/sign-in" },
    { "here_usage", "/portal/usage" },
    { "here_usage", "/portal/ledger" },
    { "here_usage", "/portal/requests" },
    { "here_credits", "/portal/credits" },
    { "here_credits", "/portal/orders" },
    { "here_credits", "/portal/test-checkout" },
    { "here_credits", "/portal/billing" },
    { "here_credits", "/portal/invoices" },
    { "here_security", "/portal/security" },
    { "here_security", "/portal/audit" },
    { "here_security", "/portal/tokens" },
    { "here_security", "/portal/apps" },
    { "here_security", "/portal/connect" },
    { "here_security", "/portal/two-factor" },
    { "here_account", "/portal/account" },
    { "here_pricing", "/pricing" },
    { "here_tools", "/tools" },
    { "here_portal", "/portal" },
};

static void add_area(const struct visit *visit, cJSON *model)
{
    for (size_t i = 0; i < countof(areas); i++) {
        size_t size = strlen(areas[i].path);
        if (strncmp(visit->path, areas[i].path, size) == 0) {
            json_bool(model, areas[i].name, true);
            return;
        }
    }
}

/* Apps choose the query of the consent page. */
static void add_done(const struct visit *visit, cJSON *model)
{
    bool is_ours = !visit->is_post && !is_below(visit, "/oauth/");
    const char *word = is_ours ? form_text(&visit->form, "done") : "";
    const struct done *done = TABLE_FIND(dones, word);
    if (done)
        json_str(model, "done", done->sentence);
}

static void add_member(const struct visit *visit, cJSON *model)
{
    if (!visit->is_signed_in)
        return;
    cJSON *member = json_map(model, "member");
    json_str(member, "email", visit->session.email);
    json_str(member, "name", visit->session.name);
}

static const struct field confirm_fields[] = {
    { CONFIRM_PASSWORD, "Confirm your password", "password", "current-password",
      "This proves that it is you.", 0, false },
    { CONFIRM_CODE, "Confirm with a code", "text", "one-time-code",
      "6 digits from your authenticator app, or a recovery code.", 32, false },
};

/* The password fields of forms that need a confirmation: pages/entry/confirm-fields.html. */
static void add_confirm(const struct visit *visit, cJSON *model)
{
    if (!visit->is_signed_in || (!visit->wants_password && session_is_fresh(&visit->session)))
        return;
    cJSON *confirm = json_map(model, "confirm");
    json_str(confirm, "username", visit->session.email); /* password managers look for it */
    fields_add(visit, confirm_fields, visit->session.has_two_factor ? 2 : 1, confirm);
}

static void add_suspended(const struct visit *visit, cJSON *banners)
{
    scoped(mem_free) char *words =
        str_format("This account is suspended: calls are rejected, and you cannot buy credits or "
                   "create tokens. Write to %s.",
                   portal_contact(visit->portal));
    cJSON *banner = json_item(banners);
    json_str(banner, "text", words);
    json_bool(banner, "is_bad", true);
}

/* The page of the account says more about it. */
static void add_leaving(const struct visit *visit, cJSON *banners)
{
    if (strcmp(visit->path, "/portal/account") == 0)
        return;
    scoped(mem_free) char *words =
        str_format("This account will be deleted on %s, with its credits. Until then you cannot "
                   "buy credits, run tools or create tokens.",
                   visit->session.delete_on);
    cJSON *banner = json_item(banners);
    json_str(banner, "text", words);
    json_bool(banner, "is_bad", true);
    json_bool(banner, "is_leaving", true);
}

/* Banners of every page come before the page's own. */
static void add_banners(const struct visit *visit, cJSON *model)
{
    if (!visit->is_signed_in || (!visit->session.is_suspended && !visit->session.delete_on[0]))
        return;
    scoped(json_free) cJSON *others = json_take(model, "banners");
    cJSON *banners = json_list(model, "banners");
    if (visit->session.is_suspended)
        add_suspended(visit, banners);
    if (visit->session.delete_on[0])
        add_leaving(visit, banners);
    while (json_size(others) > 0)
        json_item_add(banners, json_take_first(others));
}

static void add_asset(const struct visit *visit, cJSON *model, const char *key, const char *name)
{
    const struct asset *asset = assets_find(visit->portal->assets, name);
    if (asset)
        json_str(model, key, asset->hashed);
}

static void add_common(struct visit *visit, cJSON *model)
{
    const struct portal *portal = visit->portal;
    char mark[CSRF_TEXT_BYTES];
    csrf_mark(visit, mark);
    json_str(model, "csrf", mark);
    json_str(model, "contact", portal->contact);
    json_str(model, "terms_url", conf_str(portal->conf, "portal.terms_url"));
    json_str(model, "privacy_url", conf_str(portal->conf, "portal.privacy_url"));
    add_asset(visit, model, "asset_pico", "pico.classless.min.css");
    add_asset(visit, model, "asset_css", "portal.css");
    add_asset(visit, model, "asset_js", "portal.js");
    json_bool(model, "has_payments", portal_sells(portal));
    json_bool(model, "has_oauth", conf_bool(portal->conf, "oauth.enabled"));
    add_member(visit, model);
    add_area(visit, model);
    add_done(visit, model);
    add_confirm(visit, model);
    add_banners(visit, model);
    if (visit->errors) {
        json_add(model, "errors", json_copy(visit->errors));
        json_bool(model, "has_errors", true);
    }
}

/* ---- pages ---- */

/* A page cannot be rendered. That is a bug, since templates are checked at start. */
static void show_bare(struct visit *visit, const struct err *err)
{
    log_line(LOG_ERROR, "page cannot be rendered", log_str("error", err->message));
    buf_clear(&visit->response->body);
    answer_plain(visit, 500, "text/plain; charset=utf-8");
    buf_add_str(&visit->response->body, "Internal error. Try again.\n");
}

void page_show(struct visit *visit, int status, const char *template, cJSON *model)
{
    scoped(json_wipe) cJSON *taken = model ? model : json_object();
    struct err err = { 0 };
    visit->response->is_secret = true; /* CSRF tokens, and perhaps an API token */
    add_common(visit, taken);
    if (!template_render(visit->portal->pages, template, taken, &visit->response->body, &err)) {
        show_bare(visit, &err);
        return;
    }
    answer_plain(visit, status, "text/html; charset=utf-8");
}

cJSON *page_model(const char *title)
{
    cJSON *model = json_object();
    json_str(model, "title", title);
    return model;
}

void page_filled(struct visit *visit, int status, const char *template, const char *title,
                 page_fill *fill)
{
    scoped(json_free) cJSON *model = page_model(title);
    scoped(pool_give) struct sql *sql = NULL;
    struct err err = { 0 };
    bool ok = pool_take(visit->portal->pool, &sql, &err) && fill(visit, sql, model, &err);
    pool_give(&sql);
    if (ok)
        page_show(visit, status == 200 && visit->errors ? 400 : status, template, take(model));
    else
        page_failed(visit, &err);
}

void page_redirect(struct visit *visit, const char *path, const char *done)
{
    scoped(buf_free) struct buf to = BUF(PATH_MAX_BYTES);
    buf_add_str(&to, path);
    if (done)
        buf_format(&to, "%cdone=%s", strchr(path, '?') ? '&' : '?', done);
    if (to.full || strpbrk(buf_str(&to), "\r\n"))
        buf_clear(&to);
    add_headers(visit, NULL);
    buf_format(&visit->response->headers, "Location: %s\r\n", to.size > 0 ? buf_str(&to) : "/");
    visit->response->status = 303;
}

/* ---- error pages ---- */

static const struct heading {
    int status;
    const char *text;
} headings[] = {
    { 400, "Invalid request" },          { 403, "Not allowed" },       { 404, "Page not found" },
    { 405, "Method not allowed" },       { 409, "Not available" },     { 413, "Request too large" },
    { 415, "Unsupported content type" }, { 429, "Too many attempts" }, { 500, "Internal error" },
    { 503, "Temporarily unavailable" },
};

static const char *heading_of(int status)
{
    for (size_t i = 0; i < countof(headings); i++)
        if (headings[i].status == status)
            return headings[i].text;
    return "Internal error";
}

void page_error(struct visit *visit, int status, const char *sentence, int64_t retry_after_s)
{
    cJSON *model = json_object();
    json_str(model, "title", heading_of(status));
    json_str(model, "sentence", sentence);
    if (retry_after_s > 0)
        buf_format(&visit->response->headers, "Retry-After: %lld\r\n", (long long)retry_after_s);
    page_show(visit, status, "entry/error", model);
}

void page_not_found(struct visit *visit)
{
    page_error(visit, 404, "This page does not exist, or it belongs to another account.", 0);
}

void page_failed(struct visit *visit, const struct err *err)
{
    bool is_ours = err_status(err->kind) != 503;
    log_line(is_ours ? LOG_ERROR : LOG_WARN, "a page failed", log_str("error", err->message));
    if (is_ours)
        page_error(visit, 500, "An internal error occurred. Try again.", 0);
    else
        page_error(visit, 503, "This is not available at the moment. Try again in a few seconds.",
                   2);
}
