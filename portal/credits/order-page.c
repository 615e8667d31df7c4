/* portal/credits/order-page.c - /portal/orders/{id}: status, payment and cancellation of an order.
 */
#include <string.h>

#include "base/mem.h"
#include "portal/credits/buying.h"
#include "portal/credits/credits.h"
#include "portal/credits/order.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/envelope.h"
#include "text/json.h"

/* ---- showing ---- */

/* The order's row, refreshed from the processor if it may have changed. NULL: answered. The caller
 * frees it. */
static cJSON *read_order(struct visit *visit)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    bool ok = order_find(visit, row, &err);
    if (ok && json_size(row) > 0 && order_is_waiting(row)) {
        buying_refresh(visit, json_text(row, "/order_id"));
        json_free(&row);
        row = json_object();
        ok = order_find(visit, row, &err);
    }
    if (!ok)
        page_failed(visit, &err);
    else if (json_size(row) == 0)
        page_not_found(visit);
    else
        return take(row);
    return NULL;
}

static void show_order(struct visit *visit, int status)
{
    scoped(json_free) cJSON *row = read_order(visit);
    if (!row)
        return;
    cJSON *model = page_model("Order");
    order_add(visit->portal, row, model);
    page_show(visit, status, "credits/order", model);
}

void order_show(struct visit *visit)
{
    show_order(visit, 200);
}

/* For the page's script, which reloads the page when the state changes. */
void order_state(struct visit *visit)
{
    scoped(json_free) cJSON *row = read_order(visit);
    if (!row)
        return;
    cJSON *result = json_object();
    json_str(result, "order_id", json_text(row, "/order_id"));
    json_str(result, "state", json_text(row, "/state"));
    envelope_result(visit, result);
}

/* ---- actions ---- */

static void continue_order(struct visit *visit, const struct order_outcome *outcome)
{
    if (!buying_continue(visit, outcome))
        show_order(visit, 400);
}

void order_pay(struct visit *visit)
{
    struct order_outcome outcome = { 0 };
    struct buyer buyer = buyer_of(visit);
    struct err err = { 0 };
    char id[UUID_TEXT_BYTES];
    int status;
    if (!work_place_id(visit, id))
        return;
    if (!buying_is_allowed(visit, &status)) {
        if (status > 0)
            show_order(visit, status);
    } else if (!orders_pay(visit->portal, &buyer, id, &outcome, &err)) {
        page_failed(visit, &err);
    } else {
        continue_order(visit, &outcome);
    }
}

static bool audit_cancel(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    scoped(mem_free) char *detail = str_format("order %s", (const char *)context);
    return work_audit(sql, visit, "order cancel requested", detail, err);
}

void order_cancel(struct visit *visit)
{
    struct order_outcome outcome = { 0 };
    struct buyer buyer = buyer_of(visit);
    struct err err = { 0 };
    char id[UUID_TEXT_BYTES];
    if (!work_place_id(visit, id))
        return;
    if (!orders_cancel(visit->portal, &buyer, id, &outcome, &err))
        page_failed(visit, &err);
    else if (strcmp(outcome.word, "look") != 0 || work_do(visit, audit_cancel, id))
        continue_order(visit, &outcome);
}
