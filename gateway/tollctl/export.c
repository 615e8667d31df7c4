/* gateway/tollctl/export.c - see export.h. */
#include "gateway/tollctl/export.h"

#include <stdio.h>

#include "base/codec/uuid.h"
#include "db/account-export.h"
#include "gateway/tollctl/rows.h"
#include "net/email.h"

enum { PIECE_MAX_BYTES = 64 << 20 }; /* some hundred rows, each of some KB at most */

static bool read_rows(void *source, const char *statement, struct sql_params params, cJSON *rows,
                      struct err *err)
{
    return sql_rows(source, statement, params, rows, err);
}

static bool print_document(struct tollctl *ctl, const char *account, struct err *err)
{
    struct account_export export;
    account_export_open(&export, account, read_rows, ctl->sql);
    while (!account_export_is_done(&export)) {
        scoped(buf_free) struct buf piece = BUF(PIECE_MAX_BYTES);
        if (!account_export_next(&export, &piece, err))
            return false;
        if (fwrite(piece.bytes, 1, piece.size, stdout) != piece.size)
            return err_set(err, ERR_INTERNAL, "the output cannot be written");
    }
    return fflush(stdout) == 0 || err_set(err, ERR_INTERNAL, "the output cannot be written");
}

/* The audit entry is committed first: the document has it, and shows one moment. */
static bool export_of(struct tollctl *ctl, const char *account, struct err *err)
{
    ctl->is_silent = true;
    return tollctl_audit(ctl->sql, ctl->command->name, account, NULL, err) &&
           sql_commit(ctl->sql, err) && sql_begin(ctl->sql, SQL_SNAPSHOT, err) &&
           print_document(ctl, account, err);
}

bool export_account(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    (void)answer;
    return sql_begin(ctl->sql, SQL_WRITE, err) && tollctl_find_account(ctl->sql, account, err) &&
           export_of(ctl, account, err);
}

bool export_member(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *named = args_text(&ctl->args, "MEMBER");
    struct email email = { .key = "" };
    struct uuid id;
    bool is_id = uuid_parse(text_of(named), &id);
    scoped(json_free) cJSON *member = json_object();

    (void)answer;
    if (!is_id && !email_parse(text_of(named), &email, NULL))
        return err_set(err, ERR_NOT_FOUND, "MEMBER must be an id or an email address");
    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !sql_row(ctl->sql,
                 "select account_id as account from member"
                 " where member_id = $1::uuid or email_key = $2",
                 (struct sql_params){ 2, { is_id ? named : NULL, email.key } }, member, err))
        return false;
    if (json_size(member) == 0)
        return err_set(err, ERR_NOT_FOUND, "unknown member %.100s; see `tollctl member list`",
                       named);
    return export_of(ctl, json_text(member, "/account"), err);
}
