/* portal/credits/test-checkout.c - the payment page of the provider `test`, where no money moves:
 * the member chooses the result of the payment. */
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "portal/credits/buying.h"
#include "portal/credits/credits.h"
#include "portal/credits/order.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "text/json.h"

/* The choices: the payment's status, and the delay until it is paid. */
static const struct choice {
    const char *name;
    const char *status; /* of test_payment */
    const char *wait_s;
} choices[] = {
    { "pay", "complete", "0" },
    { "later", "complete", "10" },
    { "decline", "failed", NULL },
};

/* Find an order of this member that is paid here. False: answered. */
static bool find_test_order(struct visit *visit, cJSON *row)
{
    struct err err = { 0 };
    if (!order_find(visit, row, &err)) {
        page_failed(visit, &err);
        return false;
    }
    const char *provider = json_text(row, "/provider");
    bool is_here = provider && strcmp(provider, "test") == 0 &&
                   strcmp(portal_provider(visit->portal), "test") == 0;
    if (!is_here)
        page_not_found(visit);
    return is_here;
}

static void show_checkout(struct visit *visit, int status)
{
    scoped(json_free) cJSON *row = json_object();
    if (!find_test_order(visit, row))
        return;
    cJSON *model = page_model("Test checkout");
    order_add(visit->portal, row, model);
    json_bool(model, "is_payable", strcmp(json_text(row, "/state"), "open") == 0);
    page_show(visit, status, "credits/test-checkout", model);
}

void test_checkout_show(struct visit *visit)
{
    show_checkout(visit, 200);
}

struct choosing {
    const char *order_id;
    const struct choice *choice;
};

static bool store_choice(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    const struct choosing *choosing = context;
    const struct choice *choice = choosing->choice;
    (void)visit;
    return sql_run(sql,
                   "update test_payment set status = $2,"
                   "       paid_after = ledger_now() + $3::integer * interval '1 second'"
                   " where order_id = $1 and status = 'open'",
                   SQL_PARAMS(choosing->order_id, choice->status, choice->wait_s), err);
}

/* Like a webhook: make the order due, since it may have been read a moment ago. */
static bool make_order_due(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    const struct choosing *choosing = context;
    return sql_run(sql,
                   "select order_refresh(account_id, order_id) from purchase_order"
                   " where account_id = $1 and order_id = $2 and state = 'open'",
                   SQL_PARAMS(visit->session.account_id, choosing->order_id), err);
}

static void redirect_to_order(struct visit *visit, const char *order_id)
{
    scoped(mem_free) char *path = str_format("/portal/orders/%s", order_id);
    page_redirect(visit, path, NULL);
}

void test_checkout_choose(struct visit *visit)
{
    const struct choice *choice = TABLE_FIND(choices, form_text(&visit->form, "choice"));
    scoped(json_free) cJSON *row = json_object();
    if (!choice) {
        visit_add_error(visit, NULL,
                        "This form is no longer valid. Reload the page and try again.");
        show_checkout(visit, 400);
        return;
    }
    if (!find_test_order(visit, row))
        return;
    struct choosing choosing = { json_text(row, "/order_id"), choice };
    if (!work_do(visit, store_choice, &choosing))
        return;
    orders_refresh(visit->portal, visit->session.account_id, choosing.order_id);
    if (work_do(visit, make_order_due, &choosing))
        redirect_to_order(visit, choosing.order_id);
}
