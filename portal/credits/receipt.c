/* portal/credits/receipt.c - /portal/orders/{id}/receipt: a page to print. */
#include <string.h>

#include "base/mem.h"
#include "portal/base/numbers.h"
#include "portal/credits/credits.h"
#include "portal/credits/order.h"
#include "portal/page/answer.h"
#include "portal/template/template.h"
#include "text/json.h"

/* From the operator's setting, otherwise the portal's host. */
static void add_seller(const struct visit *visit, cJSON *model)
{
    const struct conf *conf = visit->portal->conf;
    cJSON *lines = json_list(model, "seller");
    struct text rest = text_of(conf_str(conf, "payments.seller"));
    if (rest.size == 0)
        rest = text_of(visit->portal->public_url + strlen("https://"));
    while (rest.size > 0)
        json_text_add(json_item(lines), "line", text_trim(text_cut(&rest, '|')));
}

/* The member, and the name that the buyer gave to the processor. */
static void add_buyer(const struct visit *visit, const cJSON *receipt, cJSON *model)
{
    static const char *const told[] = { "/name", "/email", "/country" };
    cJSON *lines = json_list(model, "buyer");
    json_str(json_item(lines), "line", visit->session.name);
    json_str(json_item(lines), "line", visit->session.email);
    for (size_t i = 0; i < countof(told); i++) {
        const char *line = json_text(receipt, told[i]);
        if (line && strcmp(line, visit->session.name) != 0 &&
            strcmp(line, visit->session.email) != 0)
            json_str(json_item(lines), "line", line);
    }
}

static void add_money(const cJSON *row, const char *column, const char *name, cJSON *model)
{
    char text[NUMBER_BYTES];
    const cJSON *minor = json_get(row, column);
    if (!json_is_integer(minor) || minor->valuedouble == 0)
        return;
    money_write((int64_t)minor->valuedouble, json_text(row, "/currency"), text);
    json_str(model, name, text);
}

static void show_receipt(struct visit *visit, const cJSON *row)
{
    const cJSON *receipt = json_get(row, "receipt");
    const char *url = json_text(receipt, "/url");
    cJSON *model = page_model("Receipt");
    order_add(visit->portal, row, model);
    add_seller(visit, model);
    add_buyer(visit, receipt, model);
    add_money(row, "total", "total", model);
    add_money(row, "refunded", "refunded", model);
    add_money(row, "disputed", "disputed", model);
    add_money(row, "tax", "tax", model);
    json_str(model, "payment_ref", json_text(row, "/payment_ref"));
    json_str(model, "card", json_text(receipt, "/card"));
    json_str(model, "provider",
             strcmp(json_text(row, "/provider"), "stripe") == 0 ? "Stripe" : NULL);
    if (url && template_is_https_url(text_of(url)))
        json_str(model, "receipt_url", url);
    page_show(visit, 200, "credits/receipt", model);
}

void receipt_show(struct visit *visit)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    if (!order_find(visit, row, &err))
        page_failed(visit, &err);
    else if (!json_text(row, "/paid_at"))
        page_not_found(visit);
    else
        show_receipt(visit, row);
}
