/* common/payments/reconcile.c - see reconcile.h. */
#include "payments/reconcile.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "text/time/datetime.h"

enum {
    NUMBER_BYTES = 24,
    BATCH = 50, /* orders that are looked up together */
    IDS_MAX_BYTES = 4 << 10,
};

void reconcile_report_free(struct reconcile_report *report)
{
    json_free(&report->differences);
    json_free(&report->totals);
    json_free(&report->transactions);
    json_free(&report->balances);
}

static void report_open(struct reconcile_report *report)
{
    *report = (struct reconcile_report){ .differences = json_array(),
                                         .totals = json_array(),
                                         .transactions = json_array(),
                                         .balances = json_array() };
}

bool reconcile_read_live_since(const char *value, int64_t *at_s, struct err *err)
{
    struct datetime time = { 0 };
    if (value[0] && !datetime_parse(text_of(value), &time))
        return err_set(err, ERR_INVALID_VALUE,
                       "payments.live_since must be a day or a time, such as 2026-11-27 or "
                       "2026-11-27T09:30Z");
    *at_s = time.local_ms / 1000 - time.offset_s;
    return true;
}

/* ---- parameters ---- */

/* Parameters of the statements. live_since: NULL if it is not set. */
struct window_params {
    char from[NUMBER_BYTES], to[NUMBER_BYTES], lag[NUMBER_BYTES], since[NUMBER_BYTES];
    const char *live_since;
    bool has_window; /* false: from and to are NULL */
};

/* "a,b," becomes "[a,b]". */
static char *list_of(const struct buf *text)
{
    int size = text->size > 0 ? (int)text->size - 1 : 0;
    return str_format("[%.*s]", size, buf_str(text));
}

/* What does not depend on a window. */
static void set_task(const struct reconcile_task *task, struct window_params *window)
{
    snprintf(window->lag, sizeof(window->lag), "%lld", (long long)task->lag_s);
    snprintf(window->since, sizeof(window->since), "%lld", (long long)task->live_since_s);
    window->live_since = task->live_since_s > 0 ? window->since : NULL;
}

static void set_window(const struct reconcile_task *task, struct window_params *window)
{
    set_task(task, window);
    snprintf(window->from, sizeof(window->from), "%lld", (long long)task->from_s);
    snprintf(window->to, sizeof(window->to), "%lld", (long long)task->to_s);
    window->has_window = true;
}

static const char *is_test(const struct reconcile_task *task)
{
    return task->is_live ? "false" : "true";
}

/* ---- totals ---- */

static int64_t number_of(const cJSON *row, const char *name)
{
    return json_integer(row, name);
}

static void set_number(cJSON *row, const char *name, int64_t value)
{
    json_free(&(cJSON *){ json_take(row, name) });
    json_int(row, name, value);
}

static cJSON *find_total(cJSON *totals, const char *what, const char *currency)
{
    cJSON *total;
    cJSON_ArrayForEach(total, totals)
        if (text_is(json_text_of(json_get(total, "what")), what) &&
            text_is(json_text_of(json_get(total, "currency")), currency))
            return total;
    total = json_item(totals);
    json_str(total, "what", what);
    json_str(total, "currency", currency);
    return total;
}

/* row: {what, currency, ledger, processor}, of this number of orders. */
static void add_total(struct reconcile_report *report, const cJSON *row, int64_t orders)
{
    cJSON *total = find_total(report->totals, json_text(row, "/what"), json_text(row, "/currency"));
    int64_t ledger = number_of(total, "ledger") + number_of(row, "ledger");
    int64_t processor = number_of(total, "processor") + number_of(row, "processor");
    set_number(total, "orders", number_of(total, "orders") + orders);
    set_number(total, "ledger", ledger);
    set_number(total, "processor", processor);
    set_number(total, "difference", processor - ledger);
}

static void add_totals(struct reconcile_report *report, const cJSON *totals)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, totals)
        add_total(report, row, number_of(row, "orders"));
}

/* ---- differences ---- */

static bool differs(const cJSON *row)
{
    return number_of(row, "ledger") != number_of(row, "processor");
}

static void add_difference(struct reconcile_report *report, const cJSON *row)
{
    cJSON *item = json_item(report->differences);
    json_str(item, "order", json_text(row, "/order_id"));
    json_add(item, "number", json_copy(json_get(row, "number")));
    json_str(item, "account", json_text(row, "/account_id"));
    json_str(item, "payment", json_text(row, "/payment"));
    json_str(item, "what", json_text(row, "/what"));
    json_str(item, "currency", json_text(row, "/currency"));
    json_int(item, "ledger", number_of(row, "ledger"));
    json_int(item, "processor", number_of(row, "processor"));
    json_int(item, "difference", number_of(row, "processor") - number_of(row, "ledger"));
}

static bool is_same_order(const cJSON *a, const cJSON *b)
{
    return b && strcmp(json_text(a, "/order_id"), json_text(b, "/order_id")) == 0;
}

/* The rows of one order, from first on: all of it counts, or nothing. Returns the next order's
 * first row. */
static const cJSON *add_order(struct reconcile_report *report, const cJSON *first)
{
    const cJSON *end = first;
    bool is_different = false;
    for (; is_same_order(first, end); end = end->next)
        is_different |= differs(end);
    if (is_different && sql_is(first, "is_recent")) {
        report->recent++;
        return end;
    }
    for (const cJSON *row = first; row != end; row = row->next) {
        add_total(report, row, 1);
        if (differs(row))
            add_difference(report, row);
    }
    return end;
}

/* ---- orders, with all that the processor knows about their payments ---- */

static const char orders_sql[] =
    "select account_id, order_id, number, array_to_string(payments, ' ') as payment, what, "
    "currency, ledger,"
    "       processor, changed_at > ledger_now() - $6::bigint * interval '1 second' as is_recent"
    "  from reconcile_sides($1, $2, to_timestamp($3::bigint), to_timestamp($4::bigint), $5, $7,"
    "                     $8::uuid[], $10::uuid[], to_timestamp($9::bigint))"
    " order by order_id, what, currency";

/* Some orders; by value. orders and accounts are SQL arrays. */
struct batch {
    struct buf orders, accounts;
    struct buf listed;             /* the window's lines of their payments */
    struct transaction_lines read; /* all lines of their payments */
};

static void batch_free(struct batch *batch)
{
    buf_free(&batch->orders);
    buf_free(&batch->accounts);
    buf_free(&batch->listed);
    transaction_lines_free(&batch->read);
}

/* text NULL: SQL's null. */
static void add_element(struct buf *array, const char *text)
{
    buf_format(array, "%s%s", array->size == 0 ? "{" : ",", text ? text : "NULL");
}

static bool compare_again(const struct reconcile_task *task, const struct window_params *window,
                          struct batch *batch, struct reconcile_report *report, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    scoped(mem_free) char *listed = list_of(&batch->listed);
    scoped(mem_free) char *read = list_of(&batch->read.text);
    if (!task->database.rows(
            task->database.handle, orders_sql,
            SQL_PARAMS(task->provider, is_test(task), window->has_window ? window->from : NULL,
                       window->has_window ? window->to : NULL, listed, window->lag, read,
                       buf_str(&batch->orders), window->live_since, buf_str(&batch->accounts)),
            rows, err))
        return false;
    for (const cJSON *row = rows->child; row;)
        row = add_order(report, row);
    return true;
}

static bool read_payments(const struct reconcile_task *task, const cJSON *payments,
                          struct transaction_lines *lines, struct err *err)
{
    const cJSON *payment;
    cJSON_ArrayForEach(payment, payments) {
        const char *id = json_text(payment, "");
        if (id && strncmp(id, "pi_", 3) == 0 && stripe_is_id(text_of(id)) &&
            !transactions_read_payment(task->client, id, task->deadline_ms, lines, err))
            return false;
    }
    return true;
}

static bool add_listed(const cJSON *lines, struct buf *listed, struct err *err)
{
    const cJSON *line;
    cJSON_ArrayForEach(line, lines)
        if (!json_print(line, listed) || !buf_add_byte(listed, ','))
            return err_set(err, ERR_INTERNAL, "an order has too many balance transactions");
    return true;
}

/* From *order on, a row {order_id, account_id, payments, lines}, at most BATCH. */
static bool compare_batch(const struct reconcile_task *task, const struct window_params *window,
                          const cJSON **order, struct reconcile_report *report, struct err *err)
{
    scoped(batch_free) struct batch batch = { .orders = BUF(IDS_MAX_BYTES),
                                              .accounts = BUF(IDS_MAX_BYTES),
                                              .listed = BUF(TRANSACTION_LINES_MAX),
                                              .read = TRANSACTION_LINES };
    for (int i = 0; i < BATCH && *order; i++, *order = (*order)->next) {
        add_element(&batch.orders, json_text(*order, "/order_id"));
        add_element(&batch.accounts, json_text(*order, "/account_id"));
        if (!add_listed(json_get(*order, "lines"), &batch.listed, err) ||
            !read_payments(task, json_get(*order, "payments"), &batch.read, err))
            return false;
    }
    buf_add_byte(&batch.orders, '}');
    buf_add_byte(&batch.accounts, '}');
    return compare_again(task, window, &batch, report, err);
}

static bool compare_batches(const struct reconcile_task *task, const struct window_params *window,
                            const cJSON *orders, struct reconcile_report *report, struct err *err)
{
    const cJSON *order = orders->child;
    while (order)
        if (!compare_batch(task, window, &order, report, err))
            return false;
    return true;
}

/* ---- the window ---- */

/* One row. totals: of the orders that are complete and do not differ. orders: the others, each with
 * the lines of its payments. owned: what of the balance belongs to orders. */
static const char window_sql[] =
    "with s as materialized ("
    "    select * from reconcile_sides($1, $2, to_timestamp($3::bigint), to_timestamp($4::bigint),"
    "                                $5, '[]', null, null, to_timestamp($6::bigint))"
    "), o as materialized ("
    "    select order_id, account_id, payments,"
    "           bool_and(is_complete and ledger = processor) as is_same"
    "      from s group by order_id, account_id, payments"
    "), t as ("
    "    select s.what, s.currency, count(*) as orders, sum(s.ledger)::bigint as ledger,"
    "           sum(s.processor)::bigint as processor"
    "      from s join o using (order_id) where o.is_same group by 1, 2"
    "), l as materialized ("
    "    select * from jsonb_populate_recordset(null::reconcile_line, $5)"
    "), n as ("
    "    select p.order_id, json_agg(l) as lines"
    "      from (select order_id, unnest(payments) as payment from o where not is_same) p"
    "      join l using (payment) group by 1"
    "), w as materialized ("
    "    select coalesce(array_agg(l::reconcile_line), '{}') as lines from l"
    "), b as ("
    "    select l.currency, sum(l.amount)::bigint as amount"
    "      from w cross join unnest(w.lines) l"
    "      join reconcile_payments($1, (select lines from w)) p on p.payment = l.payment"
    "      join (select distinct order_id from s) c on c.order_id = p.order_id group by 1"
    ")"
    " select (select coalesce(json_agg(t order by what, currency), '[]') from t) as totals,"
    "        (select coalesce(json_agg(json_build_object('order_id', order_id, 'account_id',"
    "                         account_id, 'payments', payments, 'lines', lines)), '[]')"
    "           from o left join n using (order_id) where not is_same) as orders,"
    "        (select coalesce(json_agg(b), '[]') from b) as owned,"
    "        (select count(*) from purchase_order p"
    "          where p.total is not null and greatest(p.applied_at, p.paid_at) >="
    "                to_timestamp($3::bigint) and p.created_at < to_timestamp($4::bigint)"
    "            and not reconcile_applies(p, $1, $2, to_timestamp($6::bigint))) as other_mode";

static const char *const window_lists[] = { "totals", "orders", "owned" };

static int64_t owned_of(const cJSON *owned, const char *currency)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, owned)
        if (text_is(json_text_of(json_get(row, "currency")), currency))
            return number_of(row, "amount");
    return 0;
}

static cJSON *find_balance(cJSON *balances, const char *currency, const cJSON *owned)
{
    cJSON *balance;
    cJSON_ArrayForEach(balance, balances)
        if (text_is(json_text_of(json_get(balance, "currency")), currency))
            return balance;
    balance = json_item(balances);
    json_str(balance, "currency", currency);
    json_int(balance, "orders", owned_of(owned, currency));
    json_int(balance, "other", 0);
    json_int(balance, "total", 0);
    return balance;
}

static void add_sums(const struct transaction_sums *sums, const cJSON *owned,
                     struct reconcile_report *report)
{
    for (size_t i = 0; i < sums->count; i++) {
        const struct transaction_sum *sum = &sums->item[i];
        cJSON *row = json_item(report->transactions);
        json_str(row, "currency", sum->currency);
        json_str(row, "type", sum->type);
        json_int(row, "count", sum->count);
        json_int(row, "amount", sum->amount);
        json_int(row, "fee", sum->fee);
        json_int(row, "net", sum->amount - sum->fee);
        cJSON *balance = find_balance(report->balances, sum->currency, owned);
        int64_t total = number_of(balance, "total") + sum->amount;
        set_number(balance, "other", total - number_of(balance, "orders"));
        set_number(balance, "total", total);
    }
}

static bool compare_window(const struct reconcile_task *task, const struct window_params *window,
                           struct buf *lines, cJSON *rows, struct err *err)
{
    scoped(mem_free) char *listed = list_of(lines);
    buf_free(lines); /* the rows have what is still needed */
    return task->database.rows(task->database.handle, window_sql,
                               SQL_PARAMS(task->provider, is_test(task), window->from, window->to,
                                          listed, window->live_since),
                               rows, err);
}

bool reconcile_compare(const struct reconcile_task *task, struct reconcile_report *report,
                       struct err *err)
{
    scoped(transaction_lines_free) struct transaction_lines lines = TRANSACTION_LINES;
    struct window_params window = { 0 };
    scoped(json_free) cJSON *rows = json_array();
    report_open(report);
    set_window(task, &window);
    if (!transactions_read(task->client, task->from_s, task->to_s, task->deadline_ms, &lines,
                           err) ||
        !compare_window(task, &window, &lines.text, rows, err))
        return false;
    const cJSON *row = rows->child;
    for (size_t i = 0; i < countof(window_lists); i++)
        if (!json_is(json_get(row, window_lists[i]), cJSON_Array))
            return err_set(err, ERR_INTERNAL, "the comparison has no list of %s", window_lists[i]);
    report->other_mode = number_of(row, "other_mode");
    add_totals(report, json_get(row, "totals"));
    add_sums(lines.sums, json_get(row, "owned"), report);
    return compare_batches(task, &window, json_get(row, "orders"), report, err);
}

bool reconcile_compare_orders(const struct reconcile_task *task, const cJSON *orders,
                              struct reconcile_report *report, struct err *err)
{
    struct window_params window = { 0 };
    report_open(report);
    set_task(task, &window);
    return compare_batches(task, &window, orders, report, err);
}
