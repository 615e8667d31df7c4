/* tests/unit/payments/reconcile.c - orders are compared in batches, and each statement gets only
 * what belongs to its orders. tests/faults/portal/test_balance.py has the comparison itself. */
#include "payments/reconcile.h"

#include <string.h>

#include "rows.h"

enum { BATCH = 50, READ = 6, LISTED = 4, ORDERS = 7 }; /* places of parameters */

/* The statements' parameters, as the database got them. */
struct asked {
    size_t statements;
    size_t orders, listed; /* of all statements */
    bool is_mixed;         /* a statement had another order's line */
};

static size_t count_words(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* Order n has the id that ends with n, and the line txn_n. */
static bool ask(void *handle, const char *statement, struct sql_params params, cJSON *list,
                struct err *err)
{
    struct asked *asked = handle;
    (void)statement, (void)list, (void)err;
    size_t orders = count_words(params.value[ORDERS], "-");
    asked->statements++;
    asked->orders += orders;
    asked->listed += count_words(params.value[LISTED], "txn_");
    for (size_t n = 0; n < 200; n++) {
        scoped(mem_free) char *order = str_format("-%03zu", n);
        scoped(mem_free) char *line = str_format("\"txn_%03zu\"", n);
        asked->is_mixed |=
            !strstr(params.value[ORDERS], order) != !strstr(params.value[LISTED], line);
    }
    assert_string_equal(params.value[READ], "[]");
    return true;
}

static const struct row {
    const char *name;
    size_t orders;
    size_t statements;
} rows[] = {
    { "no order", 0, 0 },         { "one order", 1, 1 },    { "a whole batch", BATCH, 1 },
    { "one more", BATCH + 1, 2 }, { "many", 4 * BATCH, 4 },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct asked asked = { 0 };
    struct reconcile_task task = { .database = { &asked, ask }, .provider = "stripe" };
    scoped(reconcile_report_free) struct reconcile_report report = { 0 };
    scoped(json_free) cJSON *orders = json_array();
    struct err err = { 0 };
    for (size_t n = 0; n < row->orders; n++) {
        cJSON *order = json_item(orders);
        scoped(mem_free) char *id = str_format("order-%03zu", n);
        scoped(mem_free) char *line = str_format("txn_%03zu", n);
        json_str(order, "order_id", id);
        json_str(json_item(json_list(order, "lines")), "id", line);
    }
    assert_true(reconcile_compare_orders(&task, orders, &report, &err));
    assert_int_equal(asked.statements, row->statements);
    assert_int_equal(asked.orders, row->orders);
    assert_int_equal(asked.listed, row->orders);
    assert_false(asked.is_mixed);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
