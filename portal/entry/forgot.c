/* portal/entry/forgot.c - a link to set another password. */
#include "portal/entry/ask.h"
#include "portal/entry/entry.h"
#include "portal/page/answer.h"
#include "portal/page/field.h"
#include "text/json.h"

static const struct field fields[] = {
    { "email", "E-mail address", "email", "username", NULL, 254, false },
};

static void show_form(struct visit *visit, int status)
{
    cJSON *model = json_object();
    json_str(model, "title", "Forgotten password");
    fields_add(visit, fields, countof(fields), model);
    page_show(visit, status, "entry/forgot", model);
}

static void show_sent(struct visit *visit, const char *address)
{
    cJSON *model = json_object();
    json_str(model, "title", "Check your mail");
    json_str(model, "email", address);
    page_show(visit, 200, "entry/forgot-sent", model);
}

void forgot_show(struct visit *visit)
{
    show_form(visit, 200);
}

/* The mail goes to the address we know, never to the one that was typed: a+b@ may be somebody
 * else's mailbox. For an address that nobody has the same rows are written, and nothing is sent. */
static const struct mailed_link link = {
    .statement = "with known as ("
                 "  select m.member_id, coalesce(m.email, $3) as email, now_at"
                 "    from ledger_now() now_at left join member m on m.email_key = $4),"
                 " made as ("
                 "  insert into link (link_id, kind, member_id, email, email_key, created_at,"
                 "                    expires_at)"
                 "  select $1, 'reset', member_id, email, $4, now_at,"
                 "         now_at + interval '30 minutes' from known)"
                 " insert into mail (mail_id, member_id, recipient, template, link_id,"
                 "                   created_at, next_at)"
                 " select $2, member_id, email,"
                 "        case when member_id is null then 'none' else 'reset' end, $1, now_at,"
                 "        now_at from known",
    .show_form = show_form,
    .show_sent = show_sent,
};

void forgot(struct visit *visit)
{
    struct email email;
    if (ask_email(visit, &email))
        ask_mail(visit, &email, false, &link);
    else
        show_form(visit, 400);
}
