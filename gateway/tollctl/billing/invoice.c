/* gateway/tollctl/billing/invoice.c - invoices and credit notes. Amounts are in the currency's
 * minor unit. */
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/mem.h"
#include "base/num.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

/* $1 an account, $2 an order's number, $3 and $4 the first and last day of issue; NULL: all. */
#define CHOSEN                                                \
    " where ($1::uuid is null or i.account_id = $1)"          \
    "   and ($2::bigint is null or i.order_number = $2)"      \
    "   and ($3::date is null or utc_day(i.issued_at) >= $3)" \
    "   and ($4::date is null or utc_day(i.issued_at) <= $4)"

/* "2026-11-30" */
static bool check_day(struct tollctl *ctl, const char *option, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    const char *day = args_text(&ctl->args, option);
    if (!day ||
        (strspn(day, "0123456789-") == strlen(day) &&
         sql_row(ctl->sql, "select $1::date as day", (struct sql_params){ 1, { day } }, row, NULL)))
        return true;
    ctl->status = EX_USAGE;
    return err_set(err, ERR_INVALID_VALUE, "%s must be a day like 2026-11-30", option);
}

static bool invoice_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *limit = args_text(&ctl->args, "--limit");
    return check_day(ctl, "--from", err) && check_day(ctl, "--to", err) &&
           sql_rows(ctl->sql,
                    "select i.name as invoice, i.invoice_id as id, i.kind, i.reason,"
                    "       i.issued_at, i.account_id as account, i.order_number as order,"
                    "       i.currency, i.net, i.tax, i.total, i.is_test as test"
                    "  from invoice i" CHOSEN " order by i.place desc limit $5",
                    (struct sql_params){ 5,
                                         { args_text(&ctl->args, "--account"),
                                           args_text(&ctl->args, "--order"),
                                           args_text(&ctl->args, "--from"),
                                           args_text(&ctl->args, "--to"), limit ? limit : "20" } },
                    json_list(answer, "invoices"), err);
}

/* By its number or id. */
static bool invoice_show(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *named = args_text(&ctl->args, "INVOICE");
    struct uuid id;
    bool is_id = uuid_parse(text_of(named), &id);
    struct sql_params key = { 2, { is_id ? named : NULL, is_id ? NULL : named } };
    static const char lines_sql[] =
        "select d.part, e.key as name, e.value from invoice i"
        " cross join lateral (values ('seller', i.seller - 'lines'), ('buyer', i.buyer),"
        "                            ('payment', i.payment)) d (part, details)"
        " cross join lateral jsonb_each_text(d.details) e"
        " where i.invoice_id = $1::uuid or i.name = $2::text"
        " union all"
        " select 'seller', 'line', l.value from invoice i"
        " cross join lateral jsonb_array_elements_text(i.seller -> 'lines') l"
        " where i.invoice_id = $1::uuid or i.name = $2::text";
    if (!sql_row(ctl->sql,
                 "select i.name as invoice, i.invoice_id as id, i.kind, i.reason,"
                 "       r.name as refers_to, i.issued_at, i.made_at, i.account_id as account,"
                 "       i.order_id as order_id, i.order_number as order, i.credits, i.version,"
                 "       i.currency, i.net, i.tax, i.total, i.is_test as test"
                 "  from invoice i left join invoice r on r.account_id = i.account_id"
                 "                                   and r.invoice_id = i.refers_to"
                 " where i.invoice_id = $1::uuid or i.name = $2::text",
                 key, answer, err))
        return false;
    if (json_size(answer) == 0)
        return err_set(err, ERR_NOT_FOUND, "unknown invoice %.60s; see `tollctl invoice list`",
                       named);
    return sql_rows(ctl->sql, lines_sql, key, json_list(answer, "details"), err);
}

/* ---- export ---- */

static const char export_sql[] =
    "select i.name as number, to_char(i.issued_at at time zone 'UTC', 'YYYY-MM-DD') as issued,"
    "       i.kind, r.name as refers_to, i.account_id as account, i.order_number as order,"
    "       coalesce(i.buyer ->> 'company', i.buyer ->> 'name') as buyer,"
    "       i.buyer ->> 'country' as country, i.buyer ->> 'tax_id' as tax_id, i.currency,"
    "       case i.kind when 'invoice' then i.net else -i.net end as net,"
    "       case i.kind when 'invoice' then i.tax else -i.tax end as tax,"
    "       case i.kind when 'invoice' then i.total else -i.total end as total,"
    "       i.is_test as test"
    "  from invoice i left join invoice r on r.account_id = i.account_id"
    "                                   and r.invoice_id = i.refers_to" CHOSEN
    "   and i.name is not null order by i.issued_at, i.series, i.number";

/* A field of RFC 4180. A text that a spreadsheet would read as a formula gets a leading '. */
static void print_field(const cJSON *node, bool is_first)
{
    struct text text = json_text_of(node);
    if (!is_first)
        putchar(',');
    if (json_is(node, cJSON_Number))
        printf("%.0f", node->valuedouble);
    else if (json_is(node, cJSON_True) || json_is(node, cJSON_False))
        fputs(json_is(node, cJSON_True) ? "yes" : "no", stdout);
    else if (text.size > 0) {
        putchar('"');
        if (strchr("=+-@", text.bytes[0]))
            putchar('\'');
        for (size_t i = 0; i < text.size; i++) {
            if (text.bytes[i] == '"')
                putchar('"');
            putchar(text.bytes[i]);
        }
        putchar('"');
    }
}

static bool print_rows(const cJSON *rows, struct err *err)
{
    const cJSON *row, *node;
    fputs("number,issued,kind,refers_to,account,order,buyer,country,tax_id,currency,net,tax,total,"
          "test\r\n",
          stdout);
    cJSON_ArrayForEach(row, rows) {
        cJSON_ArrayForEach(node, row)
            print_field(node, node == row->child);
        fputs("\r\n", stdout);
    }
    return (fflush(stdout) == 0 && !ferror(stdout)) ||
           err_set(err, ERR_INTERNAL, "the output cannot be written");
}

static bool invoice_export(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    bool is_csv = args_has(&ctl->args, "--csv");
    cJSON *rows = json_list(answer, "invoices");
    if (!check_day(ctl, "--from", err) || !check_day(ctl, "--to", err) ||
        !sql_rows(
            ctl->sql, export_sql,
            (struct sql_params){
                4, { NULL, NULL, args_text(&ctl->args, "--from"), args_text(&ctl->args, "--to") } },
            rows, err))
        return false;
    ctl->is_silent = is_csv && !ctl->is_json;
    return !ctl->is_silent || print_rows(rows, err);
}

/* ---- numbers ---- */

static bool check_series(struct tollctl *ctl, const char *series, struct err *err)
{
    size_t name = strspn(series, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    size_t size = strlen(series);
    bool ok = name >= 1 && name <= 12 && size == name + 5 && series[name] == '-' &&
              strspn(series + name + 1, "0123456789") == 4 && series[0] >= 'A';
    if (!ok)
        ctl->status = EX_USAGE;
    return ok || err_set(err, ERR_INVALID_VALUE, "SERIES must be like INV-2026");
}

static bool invoice_next(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *series = args_text(&ctl->args, "SERIES");
    const char *number = args_text(&ctl->args, "NUMBER");
    scoped(mem_free) char *detail = str_format("%s to %s", series, number);
    bool is_done = false;
    if (!check_series(ctl, series, err) || !sql_begin(ctl->sql, SQL_WRITE, err) ||
        !sql_bool(ctl->sql, "select invoice_skip_to($1, $2::bigint, $3)",
                  (struct sql_params){ 3, { series, number, tollctl_user() } }, &is_done, err))
        return false;
    if (!is_done)
        return err_set(err, ERR_INVALID_VALUE,
                       "the next number of %s is %s or higher already; numbers only rise", series,
                       number);
    json_str(answer, "series", series);
    json_int(answer, "next", args_int(&ctl->args, "NUMBER", 0));
    ctl->remark = "Numbers below it that no document has are skipped for good.";
    return tollctl_audit(ctl->sql, ctl->command->name, NULL, detail, err) &&
           sql_commit(ctl->sql, err);
}

/* clang-format off */
#define FROM { "--from", "first day of issue, UTC", "DAY", .min = 10, .max = 10 }
#define TO { "--to", "last day of issue, UTC", "DAY", .min = 10, .max = 10 }

const struct command invoice_commands[] = {
    { "invoice list", "List invoices and credit notes, newest first.", invoice_list, .args = {
        { "--account", "only this one's", "ACCOUNT", ARG_UUID },
        { "--order", "only of this order's number", "N", ARG_INT, 1, INT64_MAX },
        FROM, TO,
        { "--limit", "the most rows; default 20", "N", ARG_INT, 1, 100000 } } },
    { "invoice show", "Show an invoice or credit note.", invoice_show, .args = {
        { "INVOICE", "number like INV-2026-000123, or id", .min = 1, .max = 60 } } },
    { "invoice export", "Print all invoices and credit notes of a time, for the books.", invoice_export, .args = {
        FROM, TO, { "--csv", "as CSV", .type = ARG_FLAG } } },
    { "invoice next", "Skip numbers of a series that were given out before a restore.", invoice_next, .args = {
        { "SERIES", "like INV-2026", .min = 6, .max = 17 },
        { "NUMBER", "the next number", .type = ARG_INT, .min = 2, .max = 1000000000 } } },
    { 0 },
};
/* clang-format on */
