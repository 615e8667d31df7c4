/* portal/entry/sign-up.c - sends a link to an address. The account is created when the link is
 * used. */
#include <string.h>

#include "base/os/log.h"
#include "portal/credits/packs.h"
#include "portal/entry/entry.h"
#include "portal/entry/link-pages.h"
#include "portal/entry/next.h"
#include "portal/page/answer.h"
#include "portal/page/field.h"
#include "text/json.h"

#define TRAP "website" /* people do not see this field; programs fill it */

static const struct field fields[] = {
    { "email", "Email address", "email", "email", "You get a link there. It works once.", 254,
      false },
};

/* ---- the page ---- */

static bool is_open(const struct portal *portal)
{
    return portal_sends_mail(portal) &&
           strcmp(conf_str(portal->conf, "portal.signup"), "open") == 0;
}

/* The form works without the grant. */
static void add_grant(struct visit *visit, cJSON *model)
{
    struct err err = { 0 };
    scoped(pool_give) struct sql *sql = NULL;
    if (!pool_take(visit->portal->pool, &sql, &err) || !grant_add(sql, model, &err))
        log_line(LOG_WARN, "page shown without the grant", log_str("error", err.message));
}

static void show_form(struct visit *visit, int status)
{
    cJSON *model = page_model("Sign up");
    add_grant(visit, model);
    json_bool(model, "is_open", is_open(visit->portal));
    json_str(model, "next", next_app(visit));
    fields_add(visit, fields, countof(fields), model);
    page_show(visit, status, "entry/sign-up", model);
}

/* Reports why sign-up is not possible. */
static bool check_open(struct visit *visit)
{
    const struct portal *portal = visit->portal;
    if (!portal_sends_mail(portal))
        return visit_add_error(visit, NULL,
                               "This server does not send email. Ask %s for an account.",
                               portal_contact(portal));
    return is_open(portal) || visit_add_error(visit, NULL, "Sign-up is closed on this server.");
}

void sign_up_show(struct visit *visit)
{
    check_open(visit);
    show_form(visit, 200);
}

/* ---- the link ---- */

static const struct mailed_link link = {
    .statement = "select link_sign_up($1, $2, $3, $4)",
    .show_form = show_form,
    .sent = "entry/sign-up-sent",
};

void sign_up(struct visit *visit)
{
    struct email email;
    bool is_trap = form_text(&visit->form, TRAP)[0] != '\0';
    if (!check_open(visit) || !entry_read_email(visit, &email) ||
        !entry_check_domain(visit, &email)) {
        show_form(visit, 400);
        return;
    }
    next_keep(visit);
    entry_mail_link(visit, &email, is_trap, &link);
}
