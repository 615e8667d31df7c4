/* portal/entry/forgot.c - sends a link to set a new password. */
#include "portal/entry/entry.h"
#include "portal/entry/link-pages.h"
#include "portal/page/answer.h"
#include "portal/page/field.h"
#include "text/json.h"

static const struct field fields[] = {
    { "email", "Email address", "email", "username", NULL, 254, false },
};

static void show_form(struct visit *visit, int status)
{
    cJSON *model = page_model("Reset your password");
    fields_add(visit, fields, countof(fields), model);
    page_show(visit, status, "entry/forgot", model);
}

void forgot_show(struct visit *visit)
{
    show_form(visit, 200);
}

static const struct mailed_link link = {
    .statement = "select link_forgot($1, $2, $3, $4)",
    .show_form = show_form,
    .sent = "entry/forgot-sent",
};

void forgot(struct visit *visit)
{
    struct email email;
    if (entry_read_email(visit, &email))
        entry_mail_link(visit, &email, false, &link);
    else
        show_form(visit, 400);
}
