/* portal/payments/invoicing.c - see invoicing.h. */
#include "portal/payments/invoicing.h"

#include <string.h>

#include "base/ascii.h"
#include "base/os/fault.h"
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

bool invoicing_run(struct portal *portal, struct err *err)
{
    scoped(buf_free) struct buf seller = BUF(SELLER_MAX_BYTES);
    scoped(json_free) cJSON *row = json_object();
    write_seller(portal, &seller);
    if (!pool_row(portal->pool,
                  "select invoice_issue($1, $2::jsonb, 100) as done"
                  " where exists (select from invoice where name is null)",
                  SQL_PARAMS(conf_str(portal->conf, "payments.invoice_series"), buf_str(&seller)),
                  row, err))
        return false;
    if (json_integer(row, "done") > 0)
        FAULT_POINT("invoices-numbered");
    return true;
}
