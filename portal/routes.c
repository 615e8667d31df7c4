/* portal/routes.c - the table of routes, and finding one. */
#include "portal/routes.h"

#include <string.h>

#include "base/ascii.h"
#include "portal/billing/billing.h"
#include "portal/credits/credits.h"
#include "portal/entry/entry.h"
#include "portal/member/member.h"
#include "portal/oauth/consent.h"
#include "portal/oauth/program.h"
#include "portal/payments/hook.h"
#include "portal/playground/page.h"
#include "portal/playground/report.h"
#include "portal/public/docs.h"
#include "portal/public/public.h"
#include "portal/public/security-txt.h"
#include "portal/requests/requests.h"
#include "portal/usage/entry-proof.h"
#include "portal/usage/usage.h"
#include "text/oauth/oauth.h"

#define P     ACCESS_PUBLIC
#define H     ACCESS_HALF
#define M     ACCESS_MEMBER
#define C     ACCESS_CONFIRMED
#define W     ACCESS_PASSWORD

#define NONE  PERMISSION_NONE
#define SELF  PERMISSION_SELF
#define SEE   PERMISSION_SEE
#define BUILD PERMISSION_BUILD
#define PAY   PERMISSION_PAY
#define OWN   PERMISSION_OWN

/* clang-format off */
static const struct route routes[] = {
    { "GET",  "/portal/sign-up",       P, NONE, sign_up_show },
    { "POST", "/portal/sign-up",       P, NONE, sign_up },
    { "GET",  "/portal/verify/{link}", P, NONE, verify_show },
    { "POST", "/portal/verify/{link}", P, NONE, verify },
    { "GET",  "/portal/sign-in",       P, NONE, sign_in_show },
    { "POST", "/portal/sign-in",       P, NONE, sign_in },
    { "GET",  "/portal/sign-in/code",  H, NONE, code_show },
    { "POST", "/portal/sign-in/code",  H, NONE, code_check },
    { "POST", "/portal/sign-out",      M, SELF, sign_out },
    { "GET",  "/portal/forgot",        P, NONE, forgot_show },
    { "POST", "/portal/forgot",        P, NONE, forgot },
    { "GET",  "/portal/reset/{link}",  P, NONE, reset_show },
    { "POST", "/portal/reset/{link}",  P, NONE, reset },
    { "GET",  "/portal/security",               M, SELF, security_show },
    { "POST", "/portal/tokens",                 C, BUILD, token_make, security_again, "/portal/security", "scope" },
    { "POST", "/portal/tokens/{id}/revoke",     M, BUILD, token_revoke, NULL, "/portal/security" },
    { "POST", "/portal/tokens/{id}/caps",       C, BUILD, token_set_caps, NULL, "/portal/security" },
    { "GET",  "/portal/management-tokens",      M, OWN, management_show },
    { "POST", "/portal/management-tokens",      C, OWN, management_make, management_again, "/portal/management-tokens", "scope" },
    { "POST", "/portal/apps/{id}/disconnect",   M, BUILD, app_disconnect, NULL, "/portal/security" },
    { "POST", "/portal/sessions/{id}/revoke",   M, SELF, session_revoke, NULL, "/portal/security" },
    { "POST", "/portal/sessions/revoke-others", M, SELF, session_revoke_others, NULL, "/portal/security" },
    { "GET",  "/portal/connect",                M, BUILD, connect_show },
    { "GET",  "/portal/audit",                  M, SELF, audit_show },
    { "GET",  "/portal/password",               M, SELF, password_show },
    { "POST", "/portal/password",               M, SELF, password_change, NULL, "/portal/password" },
    { "GET",  "/portal/two-factor",             W, SELF, two_factor_show },
    { "POST", "/portal/two-factor",             W, SELF, two_factor_turn_on, NULL, "/portal/two-factor" },
    { "POST", "/portal/two-factor/off",         W, SELF, two_factor_turn_off, NULL, "/portal/security" },
    { "POST", "/portal/two-factor/codes",       W, SELF, two_factor_new_codes, NULL, "/portal/security" },
    { "GET",  "/portal/account",         M, SELF, account_show },
    { "POST", "/portal/account/name",    M, OWN, account_rename, NULL, "/portal/account" },
    { "POST", "/portal/account/alerts",  M, OWN, account_set_alerts, NULL, "/portal/account" },
    { "POST", "/portal/account/email",   W, SELF, email_request, NULL, "/portal/account" },
    { "POST", "/portal/account/export",  C, OWN, account_export, NULL, "/portal/account" },
    { "POST", "/portal/account/delete",  W, OWN, account_delete, NULL, "/portal/account" },
    { "POST", "/portal/account/keep",    M, OWN, account_keep, NULL, "/portal/account" },
    { "GET",  "/portal/credits",             M, PAY, credits_show },
    { "POST", "/portal/credits/buy",         M, PAY, credits_buy, NULL, "/portal/credits" },
    { "GET",  "/portal/orders/{id}",         M, PAY, order_show },
    { "GET",  "/portal/orders/{id}/state",   M, PAY, order_state },
    { "GET",  "/portal/orders/{id}/receipt", M, PAY, receipt_show },
    { "POST", "/portal/orders/{id}/pay",     M, PAY, order_pay, NULL, "/portal/orders/{id}" },
    { "POST", "/portal/orders/{id}/cancel",  M, PAY, order_cancel, NULL, "/portal/orders/{id}" },
    { "GET",  "/portal/billing",               M, PAY, billing_show },
    { "POST", "/portal/billing",               C, PAY, billing_save, NULL, "/portal/billing" },
    { "POST", "/portal/billing/emails",             C, PAY, billing_email_add, NULL, "/portal/billing" },
    { "POST", "/portal/billing/emails/{id}/remove", M, PAY, billing_email_remove, NULL, "/portal/billing" },
    { "GET",  "/portal/invoice-email/{link}",       P, NONE, billing_email_show },
    { "POST", "/portal/invoice-email/{link}",       P, NONE, billing_email_confirm },
    { "GET",  "/portal/invoices",              M, PAY, invoices_show },
    { "GET",  "/portal/invoices.csv",          M, PAY, invoices_csv },
    { "GET",  "/portal/invoices/{id}",         M, PAY, invoice_show },
    { "POST", "/portal/invoices/{id}/correct", C, PAY, invoice_correct, NULL, "/portal/invoices/{id}" },
    { "GET",  "/portal/test-checkout/{order}", M, PAY, test_checkout_show },
    { "POST", "/portal/test-checkout/{order}", M, PAY, test_checkout_choose, NULL, "/portal/test-checkout/{order}" },
    { "GET",  "/portal/email/{link}",    P, NONE, email_link_show },
    { "POST", "/portal/email/{link}",    P, NONE, email_link_use, .lists = "end" },
    { "GET",  "/",                P, NONE, home_show },
    { "GET",  "/pricing",         P, NONE, pricing_show },
    { "GET",  "/tools",           P, NONE, tools_show },
    { "GET",  "/tools/errors",    P, NONE, errors_show },
    { "GET",  "/tools/{tool}",    P, NONE, tool_show },
    { "POST", "/tools/{tool}/run", M, BUILD, tool_run, .page = "/tools/{tool}" },
    { "GET",  "/tools/{tool}/report/{run}", M, BUILD, tool_report },
    { "GET",  "/docs",            P, NONE, docs_show },
    { "GET",  "/docs/{page}",     P, NONE, docs_show },
    { "GET",  "/robots.txt",      P, NONE, robots_show },
    { "GET",  "/favicon.ico",     P, NONE, favicon_show },
    { "GET",  "/.well-known/security.txt", P, NONE, security_txt_show },
    { "GET",  "/portal",            M, SEE, dashboard_show },
    { "GET",  "/portal/usage",      M, SEE, usage_show },
    { "GET",  "/portal/usage.csv",  M, SEE, usage_csv },
    { "GET",  "/portal/requests",     M, SEE, requests_show },
    { "GET",  "/portal/requests.csv", M, SEE, requests_csv },
    { "GET",  "/portal/ledger",     M, PAY, ledger_show },
    { "GET",  "/portal/ledger.csv", M, PAY, ledger_csv },
    { "GET",  "/portal/ledger.pub", M, PAY, proof_key },
    { "GET",  "/portal/proof",      M, PAY, entry_proof },
    { "GET",  "/oauth/authorize", M, BUILD, oauth_authorize_show, .lists = "resource" },
    { "POST", "/oauth/authorize", C, BUILD, oauth_authorize, oauth_authorize_again, "/oauth/authorize", "scope", "request" },
    { "GET",  "/oauth/done/{id}", M, BUILD, oauth_done_show },
    { "POST", "/oauth/token",     ACCESS_PROGRAM, NONE, oauth_token },
    { "POST", "/oauth/revoke",    ACCESS_PROGRAM, NONE, oauth_revoke },
    { "POST", "/oauth/register",  ACCESS_PROGRAM, NONE, oauth_register },
    { "GET",  "/.well-known/oauth-authorization-server", ACCESS_PROGRAM, NONE, oauth_metadata },
    { "POST", "/hooks/stripe",      ACCESS_PROGRAM, NONE, hook_stripe }, /* HOOK_PATH */
};
/* clang-format on */

/* ---- finding ---- */

const struct route *route_at(size_t index)
{
    return index < countof(routes) ? &routes[index] : NULL;
}

static bool is_plain(char c)
{
    return ascii_is_alnum((unsigned char)c) || (c != '\0' && strchr("-._~", c));
}

/* The next segment of the path; it may be empty. */
static struct text next_segment(const char **path)
{
    struct text segment = { *path, 0 };
    while (is_plain((*path)[segment.size]))
        segment.size++;
    *path += segment.size;
    return segment;
}

static bool matches_pattern(const char *pattern, const char *path,
                            struct text segment[VISIT_PLACES_MAX])
{
    size_t count = 0;
    while (*pattern) {
        if (*pattern == '{') {
            segment[count] = next_segment(&path);
            if (segment[count++].size == 0)
                return false;
            pattern = strchr(pattern, '}') + 1;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

const struct route *route_find(const char *method, const char *path, struct arena *arena,
                               const char *place[static VISIT_PLACES_MAX], const char **allow)
{
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
    bool has_get = false;
    bool has_post = false;
    for (size_t i = 0; i < countof(routes); i++) {
        struct text segment[VISIT_PLACES_MAX] = { 0 };
        if (!matches_pattern(routes[i].pattern, path, segment))
            continue;
        if (strcmp(routes[i].method, wanted) == 0) {
            for (size_t at = 0; at < VISIT_PLACES_MAX; at++)
                place[at] = segment[at].bytes ? arena_copy(arena, segment[at]) : NULL;
            return &routes[i];
        }
        has_get |= strcmp(routes[i].method, "GET") == 0;
        has_post |= strcmp(routes[i].method, "POST") == 0;
    }
    *allow = has_get && has_post ? "GET, HEAD, POST"
             : has_get           ? "GET, HEAD"
             : has_post          ? "POST"
                                 : "";
    return NULL;
}

bool route_is_oauth(const struct route *route)
{
    return text_begins(text_of(route->pattern), "/oauth/") ||
           strcmp(route->pattern, "/portal/connect") == 0 ||
           strcmp(route->pattern, OAUTH_SERVER_METADATA_PATH) == 0;
}

/* ---- the form's page ---- */

enum { PAGE_MAX_BYTES = 2048 };

const char *route_page(const struct route *route, const char *const place[static VISIT_PLACES_MAX],
                       struct arena *arena)
{
    scoped(buf_free) struct buf path = BUF(PAGE_MAX_BYTES);
    size_t count = 0;
    for (const char *at = route->page ? route->page : "/portal"; *at; at++) {
        if (*at == '{') {
            buf_add_str(&path, place[count] ? place[count] : "");
            count++;
            at = strchr(at, '}');
        } else {
            buf_add_byte(&path, *at);
        }
    }
    return arena_copy(arena, buf_text(&path));
}
