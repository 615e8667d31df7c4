/* portal/member/account.c - /portal/account: name, email address, low-balance email, export and
 * deletion. */
#include "portal/member/member.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/num.h"
#include "portal/base/times.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/field.h"
#include "text/json.h"

enum { NAME_POINTS = 200, LOW_MAX = 1000000, NUMBER_TEXT_BYTES = 24 };

static const struct field name_field = { "name", "Name", "text", "name", NULL, NAME_POINTS, false };
static const struct field low_field = {
    "low_at", "Credits", "text", "off", "You get an email when you have fewer. 0 turns it off.",
    0,        false
};
static const struct field email_field = {
    "email",
    "New email address",
    "email",
    "email",
    "You get a link there. Nothing changes until you open it.",
    254,
    false
};
static const struct field confirm_field = { "typed_email", "Your email address",       "email",
                                            "off",         "To confirm the deletion.", 254,
                                            false };

/* ---- the page ---- */

/* Add a form's field. Only the form that was sent keeps what was typed. */
static void add_field(const struct visit *visit, cJSON *model, const char *list,
                      const struct field *field, const char *stored)
{
    bool is_typed = visit->is_post && form_has(&visit->form, field->name);
    json_item_add(json_list(model, list), field_model(visit, field, is_typed ? NULL : stored));
}

static bool fill_account(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql,
                 "select m.low_at::text as low_at, a.delete_at, m.created_at,"
                 "       (select l.email from link l where l.member_id = m.member_id"
                 "           and l.kind = 'email' and l.used_at is null"
                 "           and l.expires_at > ledger_now() order by l.created_at desc limit 1)"
                 "       as pending"
                 "  from member m join account a using (account_id) where m.member_id = $1",
                 SQL_PARAMS(visit->session.member_id), row, err))
        return false;
    json_str(model, "account", visit->session.account_id);
    json_str(model, "email", visit->session.email);
    json_str(model, "pending", json_text(row, "/pending"));
    time_add(model, "since", json_text(row, "/created_at"));
    time_add(model, "delete_at", json_text(row, "/delete_at"));
    add_field(visit, model, "name_fields", &name_field, visit->session.name);
    add_field(visit, model, "low_fields", &low_field, json_text(row, "/low_at"));
    add_field(visit, model, "email_fields", &email_field, "");
    add_field(visit, model, "delete_fields", &confirm_field, "");
    return true;
}

void account_page(struct visit *visit, int status)
{
    page_filled(visit, status, "member/account", "Account", fill_account);
}

void account_show(struct visit *visit)
{
    account_page(visit, 200);
}

/* ---- the name ---- */

static bool rename_account(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    return work_act(sql, "select account_rename($1, $2) as is_done",
                    SQL_PARAMS(visit->session.session_id, context), err) &&
           work_audit(sql, visit, "name changed", NULL, err);
}

void account_rename(struct visit *visit)
{
    struct text typed = text_trim(text_of(form_text(&visit->form, "name")));
    char *name = arena_copy(&visit->arena, typed);
    size_t points = utf8_length(typed);
    if (points < 1 || points > NAME_POINTS) {
        visit_add_error(visit, "name", "Enter a name of 1 to 200 characters.");
        account_page(visit, 400);
    } else if (work_do(visit, rename_account, name)) {
        page_redirect(visit, "/portal/account", "name-set");
    }
}

/* ---- the low-balance email ---- */

/* A new limit starts again: an email is sent if the balance is below it. */
static bool set_low(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    return work_act(sql, "select low_balance_set($1, $2) as is_done",
                    SQL_PARAMS(visit->session.session_id, context), err);
}

void account_set_alerts(struct visit *visit)
{
    char text[NUMBER_TEXT_BYTES];
    int64_t low;
    if (!num_parse(text_trim(text_of(form_text(&visit->form, "low_at"))), LOW_MAX, &low)) {
        visit_add_error(visit, "low_at", "Enter a whole number from 0 to 1,000,000.");
        account_page(visit, 400);
        return;
    }
    snprintf(text, sizeof(text), "%" PRId64, low);
    if (work_do(visit, set_low, text))
        page_redirect(visit, "/portal/account", "alerts-set");
}
