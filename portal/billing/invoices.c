/* portal/billing/invoices.c - /portal/invoices: the documents of the account, newest first, and
 * those of a year as a CSV file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/log.h"
#include "portal/base/places.h"
#include "portal/billing/billing.h"
#include "portal/billing/document.h"
#include "portal/page/answer.h"
#include "portal/usage/csv.h"
#include "text/json.h"
#include "text/money/currency.h"

enum {
    DOCUMENTS_A_PAGE = 50,
    ROWS_A_PIECE = 250,
    NUMBER_TEXT_BYTES = 24,
    YEAR_MIN = 2000,
    YEAR_MAX = 9999,
    BUSY_S = 60,
};

/* ---- the page ---- */

static const char list_sql[] =
    "select " DOCUMENT_COLUMNS " from " DOCUMENT_TABLES " where i.account_id = $1 and i.place < $2"
    " order by i.place desc limit 51";

static const char years_sql[] =
    "select to_char(y, 'FM0000') as year from (select distinct extract(year from"
    " i.issued_at at time zone 'UTC') as y from invoice i"
    " where i.account_id = $1 and i.issued_at is not null) years order by 1 desc";

static void add_pager(const cJSON *rows, bool has_more, bool is_later, cJSON *model)
{
    char place[NUMBER_TEXT_BYTES];
    const cJSON *row, *last = NULL;
    cJSON *pager = json_map(model, "pager");
    cJSON_ArrayForEach(row, rows)
        last = row;
    snprintf(place, sizeof(place), "%" PRId64, json_integer(last, "place"));
    if (has_more)
        json_str(pager, "older", place);
    json_bool(pager, "is_later", is_later);
}

static bool fill_invoices(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    char number[NUMBER_TEXT_BYTES];
    int64_t before;
    const cJSON *row;
    cJSON *list = json_list(model, "documents");
    bool is_later = num_parse(text_of(form_text(&visit->form, "before")), INT64_MAX - 1, &before);
    snprintf(number, sizeof(number), "%" PRId64, is_later ? before : INT64_MAX);
    if (!sql_rows(sql, list_sql, SQL_PARAMS(visit->session.account_id, number), rows, err) ||
        !sql_rows(sql, years_sql, SQL_PARAMS(visit->session.account_id), json_list(model, "years"),
                  err))
        return false;
    bool has_more = json_size(rows) > DOCUMENTS_A_PAGE;
    if (has_more)
        json_free(&(cJSON *){ json_take_last(rows) });
    cJSON_ArrayForEach(row, rows)
        document_head_add(row, json_item(list));
    json_bool(model, "has_documents", json_size(rows) > 0);
    json_bool(model, "has_years", json_size(json_get(model, "years")) > 0);
    add_pager(rows, has_more, is_later, model);
    return true;
}

void invoices_show(struct visit *visit)
{
    page_filled(visit, 200, "billing/invoices", "Invoices", fill_invoices);
}

/* ---- the file ---- */

/* One file, until its last piece is sent. */
struct year_file {
    struct portal *portal;
    char account[UUID_TEXT_BYTES];
    char year[NUMBER_TEXT_BYTES];
    char place[NUMBER_TEXT_BYTES]; /* of the last document; "": none yet */
    bool is_done;
};

static void year_file_free(void *source)
{
    struct year_file *file = source;
    places_leave(file->portal->exports, file->account);
    mem_free(&file);
}

static const char head[] = "number,issued,kind,refers_to,order,buyer,country,tax_id,net,tax,total,"
                           "currency,test\r\n";

static const char year_sql[] =
    "select i.name, i.issued_at, i.kind, r.name as refers_to, i.order_number,"
    "       coalesce(i.buyer ->> 'company', i.buyer ->> 'name') as buyer,"
    "       i.buyer ->> 'country' as country, i.buyer ->> 'tax_id' as tax_id,"
    "       i.net, i.tax, i.total, i.currency, i.is_test, i.place::text as place"
    "  from " DOCUMENT_TABLES " where i.account_id = $1 and i.name is not null"
    "   and extract(year from i.issued_at at time zone 'UTC') = $2::integer"
    "   and i.place > coalesce($3::bigint, 0) order by i.place limit 250";

static void add_text(struct buf *piece, const cJSON *row, const char *column)
{
    csv_text(piece, json_text_of(json_get(row, column)));
}

static void add_amount(struct buf *piece, const cJSON *row, const char *column, bool is_note)
{
    char text[AMOUNT_TEXT_BYTES];
    const char *code = json_text(row, "/currency");
    int64_t minor = json_integer(row, column);
    amount_write(is_note ? -minor : minor, code ? code : "", text);
    csv_number(piece, text_of(text));
}

static void add_line(struct buf *piece, const cJSON *row)
{
    char order[NUMBER_TEXT_BYTES];
    bool is_note = text_is(json_text_of(json_get(row, "kind")), "credit_note");
    snprintf(order, sizeof(order), "%" PRId64, json_integer(row, "order_number"));
    add_text(piece, row, "name");
    add_text(piece, row, "issued_at");
    add_text(piece, row, "kind");
    add_text(piece, row, "refers_to");
    csv_number(piece, text_of(order));
    add_text(piece, row, "buyer");
    add_text(piece, row, "country");
    add_text(piece, row, "tax_id");
    add_amount(piece, row, "net", is_note);
    add_amount(piece, row, "tax", is_note);
    add_amount(piece, row, "total", is_note);
    add_text(piece, row, "currency");
    csv_text(piece, text_of(sql_is(row, "is_test") ? "yes" : "no"));
    csv_end(piece);
}

static bool next_piece(void *source, struct buf *piece)
{
    struct year_file *file = source;
    scoped(json_free) cJSON *rows = json_array();
    struct err err = { 0 };
    const cJSON *row;
    if (file->is_done)
        return true;
    if (!pool_rows(file->portal->pool, year_sql,
                   SQL_PARAMS(file->account, file->year, file->place[0] ? file->place : NULL), rows,
                   &err)) {
        log_line(LOG_WARN, "invoices cut off", log_str("error", err.message));
        return false;
    }
    if (!file->place[0])
        buf_add_str(piece, head);
    cJSON_ArrayForEach(row, rows) {
        add_line(piece, row);
        sql_copy(row, "place", file->place, sizeof(file->place));
    }
    file->is_done = json_size(rows) < ROWS_A_PIECE;
    return !piece->full;
}

static void send_year(struct visit *visit, int64_t year)
{
    struct year_file *file = mem_new(sizeof(*file));
    file->portal = visit->portal;
    memcpy(file->account, visit->session.account_id, UUID_TEXT_BYTES);
    snprintf(file->year, sizeof(file->year), "%" PRId64, year);
    answer_plain(visit, 200, "text/csv; charset=utf-8; header=present");
    buf_format(&visit->response->headers,
               "Content-Disposition: attachment; filename=\"tollgate-invoices-%" PRId64
               ".csv\"\r\n",
               year);
    visit->response->stream = (struct http_stream){ next_piece, year_file_free, file };
}

void invoices_csv(struct visit *visit)
{
    int64_t year;
    if (!num_parse(text_of(form_text(&visit->form, "year")), YEAR_MAX, &year) || year < YEAR_MIN) {
        visit_add_error(visit, NULL, "Choose a year from 2000 to 9999.");
        invoices_show(visit);
    } else if (!places_enter(visit->portal->exports, visit->session.account_id)) {
        page_error(visit, 503, "Too many exports are running. Try again in a minute.", BUSY_S);
    } else {
        send_year(visit, year);
    }
}
