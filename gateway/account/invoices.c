/* gateway/account/invoices.c - see invoices.h. */
#include "gateway/account/invoices.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/log.h"
#include "gateway/account/query-values.h"
#include "text/json.h"
#include "text/money/currency.h"

enum { NUMBER_BYTES = 24 };

/* One document more than the page has shows that there are more. */
static bool query_page(struct pool *pool, const struct asker *asker,
                       const struct invoices_question *question, cJSON *rows, struct err *err)
{
    char from[QUERY_TIME_BYTES], to[QUERY_TIME_BYTES];
    char before[NUMBER_BYTES], limit[NUMBER_BYTES];
    query_time_write(from, MAX(question->from_ms, INT64_C(0)));
    query_time_write(to, MAX(question->to_ms, INT64_C(0)));
    snprintf(before, NUMBER_BYTES, "%" PRId64, question->before);
    snprintf(limit, NUMBER_BYTES, "%" PRId64, question->limit + 1);
    struct sql_params params = { 6,
                                 { asker->account, asker->token,
                                   question->from_ms >= 0 ? from : NULL,
                                   question->to_ms >= 0 ? to : NULL, before, limit } };
    return pool_rows(pool, "select * from invoice_find($1, decode($2, 'hex'), $3, $4, $5, $6)",
                     params, rows, err);
}

static void add_amount(cJSON *item, const char *name, const cJSON *row)
{
    char text[AMOUNT_TEXT_BYTES];
    bool is_note = text_is(json_text_of(json_get(row, "kind")), "credit_note");
    int64_t minor = json_integer(row, name);
    amount_write(is_note ? -minor : minor, json_text(row, "/currency"), text);
    json_str(item, name, text);
}

static void add_part(cJSON *item, const char *name, const cJSON *row)
{
    const cJSON *part = json_get(row, name);
    if (part)
        json_add(item, name, json_copy(part));
    else
        json_null(item, name);
}

static void add_document(const cJSON *row, const char *public_url, cJSON *list)
{
    static const char *const texts[] = { "number",    "kind",         "reason",  "issued_at",
                                         "refers_to", "refers_to_id", "order_id" };
    static const char *const parts[] = { "taxes", "buyer", "seller", "payment" };
    cJSON *item = json_item(list);
    const char *id = json_text(row, "/id");
    scoped(mem_free) char *url = str_format("%s/portal/invoices/%s", public_url, id);
    json_str(item, "id", id);
    for (size_t i = 0; i < countof(texts); i++)
        add_part(item, texts[i], row);
    json_int(item, "order", json_integer(row, "order_number"));
    json_int(item, "credits", json_integer(row, "credits"));
    json_bool(item, "is_part", sql_is(row, "is_part"));
    json_str(item, "currency", json_text(row, "/currency"));
    add_amount(item, "net", row);
    add_amount(item, "tax", row);
    add_amount(item, "total", row);
    for (size_t i = 0; i < countof(parts); i++)
        add_part(item, parts[i], row);
    json_bool(item, "is_test", sql_is(row, "is_test"));
    json_str(item, "url", url);
}

bool invoices_write(struct pool *pool, const struct asker *asker,
                    const struct invoices_question *question, const char *public_url,
                    struct buf *out, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    scoped(json_free) cJSON *result = json_object();
    struct err why = { 0 };
    const cJSON *row;
    int64_t left = question->limit;
    int64_t last = 0;
    if (!query_page(pool, asker, question, rows, &why)) {
        log_line(LOG_WARN, "invoices cannot be read", log_str("error", why.message));
        return err_set(err, ERR_LEDGER_UNAVAILABLE,
                       "invoices cannot be read at the moment; please retry");
    }
    cJSON *list = json_list(result, "invoices");
    cJSON_ArrayForEach(row, rows) {
        if (left-- == 0)
            break;
        add_document(row, public_url, list);
        last = json_integer(row, "place");
    }
    char cursor[NUMBER_BYTES];
    snprintf(cursor, NUMBER_BYTES, "%" PRId64, last);
    json_str(result, "next_cursor", left < 0 ? cursor : NULL);
    return json_print(result, out);
}
