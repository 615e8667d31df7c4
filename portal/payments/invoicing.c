/* portal/payments/invoicing.c - see invoicing.h. */
#include "portal/payments/invoicing.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "portal/billing/document.h"
#include "portal/outbox/write.h"
#include "text/json.h"

enum { SERIES_MAX_BYTES = 12, SELLER_MAX_BYTES = 16 << 10 };

bool invoicing_check(const struct conf *conf, struct err *err)
{
    struct text series = text_of(conf_str(conf, "payments.invoice_series"));
    bool ok = series.size >= 1 && series.size <= SERIES_MAX_BYTES &&
              ascii_is_upper((unsigned char)series.bytes[0]) &&
              text_is_made_of(series, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    return (ok && !text_is(series, "CN") && !text_is(series, "TEST")) ||
           err_set(err, ERR_INVALID_VALUE,
                   "payments.invoice_series must be a capital letter and up to 11 more or digits, "
                   "and not CN or TEST");
}

static void add_text(cJSON *seller, const char *name, const char *value)
{
    if (value[0])
        json_str(seller, name, value);
}

/* The lines are those of receipts. */
static void write_seller(const struct portal *portal, struct buf *out)
{
    scoped(json_free) cJSON *seller = json_object();
    cJSON *lines = json_list(seller, "lines");
    struct text rest = text_of(conf_str(portal->conf, "payments.seller"));
    if (rest.size == 0)
        rest = text_of(portal->public_url + strlen("https://"));
    while (rest.size > 0)
        json_item_add(lines, json_new_text(text_trim(text_cut(&rest, '|'))));
    add_text(seller, "tax_id", conf_str(portal->conf, "payments.seller_tax_id"));
    add_text(seller, "note", conf_str(portal->conf, "payments.invoice_note"));
    json_print(seller, out);
}

/* ---- invoices by email ---- */

static const char recipients_sql[] =
    "select " DOCUMENT_COLUMNS ", b.email, m.member_id from " DOCUMENT_TABLES
    "  join billing_email b on b.account_id = i.account_id and b.confirmed_at is not null"
    "  left join member m on m.account_id = i.account_id"
    " where i.invoice_id = any($1::uuid[]) order by i.place, b.email_key";

/* The email has all that the page shows. One that does not fit is left out: it must not keep a
 * document from its number. */
static bool mail_document(struct sql *sql, const cJSON *row, struct err *err)
{
    scoped(json_free) cJSON *data = json_object();
    struct err why = { 0 };
    document_add(row, data);
    json_str(data, "refers_to", json_text(row, "/refers_to"));
    if (outbox_add(sql,
                   &(struct outbox_mail){ .member_id = json_text(row, "/member_id"),
                                          .recipient = json_text(row, "/email"),
                                          .template = "invoice",
                                          .data = data },
                   &why))
        return true;
    if (why.kind == ERR_INTERNAL)
        log_line(LOG_WARN, "an invoice is not emailed", log_str("error", why.message),
                 log_str("invoice_id", json_text(row, "/invoice_id")));
    else
        *err = why;
    return why.kind == ERR_INTERNAL;
}

static bool mail_documents(struct sql *sql, const char *ids, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (!sql_rows(sql, recipients_sql, SQL_PARAMS(ids), rows, err))
        return false;
    cJSON_ArrayForEach(row, rows)
        if (!mail_document(sql, row, err))
            return false;
    return true;
}

/* ---- numbers ---- */

bool invoicing_run(struct portal *portal, struct err *err)
{
    scoped(buf_free) struct buf seller = BUF(SELLER_MAX_BYTES);
    scoped(json_free) cJSON *row = json_object();
    scoped(pool_give) struct sql *sql = NULL;
    write_seller(portal, &seller);
    if (!pool_take(portal->pool, &sql, err) || !sql_begin(sql, SQL_WRITE, err) ||
        !sql_row(sql,
                 "select invoice_issue($1, $2::jsonb, 100)::text as ids"
                 " where exists (select from invoice where name is null)",
                 SQL_PARAMS(conf_str(portal->conf, "payments.invoice_series"), buf_str(&seller)),
                 row, err))
        return false;
    const char *ids = json_text(row, "/ids");
    if ((ids && !mail_documents(sql, ids, err)) || !sql_commit(sql, err))
        return false;
    if (ids && strcmp(ids, "{}") != 0)
        FAULT_POINT("invoices-numbered");
    return true;
}
