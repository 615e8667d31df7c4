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
static bool write_rows(struct visit *visit, const struct email *email, struct err *err)
{
    char link_id[UUID_TEXT_BYTES];
    char mail_id[UUID_TEXT_BYTES];
    struct uuid link = uuid_new();
    struct uuid mail = uuid_new();
    struct pool *pool = visit->portal->pool;
    struct sql *sql = NULL;
    uuid_format(link_id, &link);
    uuid_format(mail_id, &mail);
    bool ok =
        pool_take(pool, &sql, err) &&
        sql_run(sql,
                "with known as ("
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
                (struct sql_params){ 4, { link_id, mail_id, email->address, email->key } }, err);
    pool_give(pool, &sql);
    return ok;
}

void forgot(struct visit *visit)
{
    struct email email;
    struct err err = { 0 };
    bool sends = false;

    if (!ask_email(visit, &email)) {
        show_form(visit, 400);
    } else if (!ask_pass(visit, &email, &sends, &err)) {
        page_failed(visit, &err);
    } else if (visit->errors) {
        show_form(visit, 429);
    } else if (sends && !write_rows(visit, &email, &err)) {
        page_failed(visit, &err);
    } else {
        ask_settle(visit);
        show_sent(visit, email.address);
    }
}
