/* gateway/tollctl/mail.c - the portal's mail queue: list and retry. */
#include <string.h>
#include <sysexits.h>

#include "base/mem.h"
#include "base/table.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

/* Values of the column mail.state. */
static const struct state {
    const char *name;
    const char *number;
} states[] = {
    { "held", "0" }, /* until its recipient's mail servers are known */
    { "waits", "1" }, { "sent", "2" }, { "failed", "3" }, { "dropped", "4" },
};

static bool mail_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *limit = args_text(&ctl->args, "--limit");
    const char *name = args_text(&ctl->args, "--state");
    const struct state *state = name ? TABLE_FIND(states, name) : NULL;
    if (name && !state) {
        ctl->status = EX_USAGE;
        return err_set(err, ERR_INVALID_VALUE,
                       "--state must be held, waits, sent, failed or dropped");
    }
    return sql_rows(
        ctl->sql,
        "select mail_id as mail, (array['held', 'waits', 'sent', 'failed', 'dropped'])[state + 1]"
        "       as state, template, recipient, member_id as member, attempts,"
        "       created_at, case when state in (0, 1) then next_at end as next_at, sent_at,"
        "       error"
        "  from mail where $1::smallint is null or state = $1"
        " order by created_at desc, mail_id limit $2",
        (struct sql_params){ 2, { state ? state->number : NULL, limit ? limit : "20" } },
        json_list(answer, "mails"), err);
}

/* A mail's content is kept for 7 days (006-members.sql); then it cannot be sent. */
static bool mail_retry(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *mail = args_text(&ctl->args, "MAIL");
    scoped(mem_free) char *detail = str_format("mail %s", mail);
    scoped(json_free) cJSON *row = json_object();

    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !sql_row(ctl->sql,
                 "update mail set state = least(state, 1), attempts = 0, next_at = ledger_now(),"
                 "                error = null"
                 " where mail_id = $1 and (state in (0, 1) or state = 3"
                 "       and created_at > ledger_now() - interval '7 days') returning template",
                 (struct sql_params){ 1, { mail } }, row, err))
        return false;
    if (json_size(row) == 0)
        return err_set(err, ERR_NOT_FOUND,
                       "no mail %s is held or waiting, or failed within 7 days; "
                       "see `tollctl mail list`",
                       mail);
    json_str(answer, "mail", mail);
    json_str(answer, "template", json_text(row, "/template"));
    return tollctl_audit(ctl->sql, ctl->command->name, NULL, detail, err) &&
           sql_commit(ctl->sql, err);
}

/* clang-format off */
const struct command mail_commands[] = {
    { "mail list", "List the portal's mails, newest first.", mail_list, .args = {
        { "--state", "held, waits, sent, failed or dropped", "STATE", .min = 1, .max = 10 },
        { "--limit", "the most rows; default 20", "N", ARG_INT, 1, 100000 } } },
    { "mail retry", "Send a waiting or failed mail now.", mail_retry, .args = {
        { "MAIL", "its id, see `mail list`", .type = ARG_UUID } } },
    { 0 },
};
/* clang-format on */
