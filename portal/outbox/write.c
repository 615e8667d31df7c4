/* portal/outbox/write.c - see write.h. */
#include "portal/outbox/write.h"

#include "base/codec/uuid.h"

enum { DATA_MAX_BYTES = 16 << 10 };

bool outbox_add(struct sql *sql, const struct outbox_mail *mail, struct err *err)
{
    scoped(buf_free) struct buf data = BUF(DATA_MAX_BYTES);
    char mail_id[UUID_TEXT_BYTES];
    struct uuid id = uuid_new();
    uuid_format(mail_id, &id);
    if (mail->data && !json_print(mail->data, &data))
        return err_set(err, ERR_INTERNAL, "the values of the email %s are too large",
                       mail->template);
    return sql_run(sql,
                   "insert into mail (mail_id, member_id, recipient, template, data, link_id,"
                   "                  created_at, next_at)"
                   " select $1, $2, $3, $4, $5, $6, now_at, now_at from ledger_now() now_at",
                   SQL_PARAMS(mail_id, mail->member_id, mail->recipient, mail->template,
                              mail->data ? buf_str(&data) : NULL, mail->link_id),
                   err);
}
