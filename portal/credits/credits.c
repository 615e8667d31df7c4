/* portal/credits/credits.c - /portal/credits: balance, packs and orders. */
#include "portal/credits/credits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/uuid.h"
#include "base/mem.h"
#include "base/num.h"
#include "portal/base/numbers.h"
#include "portal/credits/buying.h"
#include "portal/credits/order.h"
#include "portal/credits/owed.h"
#include "portal/credits/packs.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/audit.h"
#include "portal/page/obstacle.h"
#include "text/json.h"

enum { ORDERS_A_PAGE = 50, NUMBER_TEXT_BYTES = 24, PACK_MAX = INT16_MAX };

/* ---- the page ---- */

static const char balance_sql[] =
    "select b.posted - b.held as left_over, b.held, " OWED " as owed, " WITHHELD " as withheld"
    "  from account_balance b where b.account_id = $1";

static const char orders_sql[] =
    "select " ORDER_COLUMNS " from " ORDER_TABLES
    " where o.account_id = $1 and o.number < $2 order by o.number desc limit 51";

static void add_balance(const struct visit *visit, const cJSON *balance, cJSON *model)
{
    cJSON *banners = json_list(model, "banners");
    int64_t left = json_integer(balance, "left_over");
    number_add(model, "available", left);
    json_str(model, "available_noun", noun_of(left, "credit", "credits"));
    if (json_integer(balance, "held") > 0)
        number_add(model, "held", json_integer(balance, "held"));
    owed_add(json_integer(balance, "owed"), banners);
    withheld_add(json_integer(balance, "withheld"), portal_contact(visit->portal), banners);
}

static void add_pager(const cJSON *rows, bool has_more, bool is_later, cJSON *model)
{
    char number[NUMBER_TEXT_BYTES];
    const cJSON *row, *last = NULL;
    cJSON *pager = json_map(model, "pager");
    cJSON_ArrayForEach(row, rows)
        last = row;
    snprintf(number, sizeof(number), "%" PRId64, json_integer(last, "number"));
    if (has_more)
        json_str(pager, "older", number);
    json_bool(pager, "is_later", is_later);
}

static bool add_orders(struct sql *sql, struct visit *visit, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    char number[NUMBER_TEXT_BYTES];
    int64_t before;
    const cJSON *row;
    cJSON *list = json_list(model, "orders");
    bool is_later = num_parse(text_of(form_text(&visit->form, "before")), INT64_MAX - 1, &before);
    snprintf(number, sizeof(number), "%" PRId64, is_later ? before : INT64_MAX);
    if (!sql_rows(sql, orders_sql, SQL_PARAMS(visit->session.account_id, number), rows, err))
        return false;
    bool has_more = json_cut(rows, ORDERS_A_PAGE);
    cJSON_ArrayForEach(row, rows)
        order_add(visit->portal, row, json_item(list));
    json_bool(model, "has_orders", json_size(list) > 0);
    add_pager(rows, has_more, is_later, model);
    return true;
}

static bool fill_credits(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    cJSON *model = context;
    scoped(json_free) cJSON *balance = json_object();
    if (!sql_row(sql, balance_sql, SQL_PARAMS(visit->session.account_id), balance, err) ||
        !packs_add(visit->portal, sql, model, err) || !add_orders(sql, visit, model, err))
        return false;
    add_balance(visit, balance, model);
    return true;
}

/* Each pack's form has a new order id, so that a reload does not buy twice. If a payment page could
 * not be opened, the form keeps the order's id for the retry. */
static void name_orders(const struct visit *visit, bool is_open, cJSON *model)
{
    cJSON *packs = json_take(model, "packs");
    cJSON *pack;
    const char *typed = visit->is_post && is_open ? form_text(&visit->form, "pack") : "";
    cJSON_ArrayForEach(pack, packs) {
        char text[UUID_TEXT_BYTES];
        char number[NUMBER_TEXT_BYTES];
        struct uuid id = uuid_new();
        uuid_format(text, &id);
        snprintf(number, sizeof(number), "%" PRId64, json_integer(pack, "pack_id"));
        bool is_again = strcmp(typed, number) == 0;
        json_str(pack, "order", is_again ? form_text(&visit->form, "order") : text);
    }
    json_add(model, "packs", packs);
}

static void show_credits(struct visit *visit, int status, bool is_open)
{
    scoped(json_free) cJSON *model = page_model("Credits");
    if (!work_query(visit, fill_credits, model))
        return;
    name_orders(visit, is_open, model);
    json_bool(model, "is_test", payments_are_test(visit->portal));
    json_str(model, "obstacle", obstacle_of(visit, "buy credits"));
    json_bool(model, "hides_packs", visit->session.delete_on[0] != '\0');
    json_str(model, "pays_at",
             strcmp(portal_provider(visit->portal), "stripe") == 0 ? "Stripe" : NULL);
    json_str(model, "ask", portal_contact(visit->portal));
    page_show(visit, status, "credits/credits", take(model));
}

void credits_show(struct visit *visit)
{
    show_credits(visit, 200, false);
}

/* ---- buying ---- */

struct pack_choice {
    char order_id[UUID_TEXT_BYTES];
    char pack_id[NUMBER_TEXT_BYTES];
};

static bool read_pack_choice(struct visit *visit, struct pack_choice *choice)
{
    struct uuid id;
    int64_t pack;
    if (!uuid_parse(text_of(form_text(&visit->form, "order")), &id) ||
        !num_parse(text_of(form_text(&visit->form, "pack")), PACK_MAX, &pack))
        return visit_add_error(visit, NULL,
                               "This form is no longer valid. Reload the page and try again.");
    uuid_format(choice->order_id, &id);
    snprintf(choice->pack_id, sizeof(choice->pack_id), "%" PRId64, pack);
    return true;
}

/* One audit entry per order, however often the form is sent: a form lives as long as its session.
 */
static bool audit_order(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    const char *order_id = context;
    scoped(mem_free) char *detail = str_format("order %s", order_id);
    scoped(json_free) cJSON *known = json_object();
    return sql_row(sql,
                   "select 1 as is_known from audit_log"
                   " where account_id = $1 and action = 'order created' and detail = $2"
                   "   and at > ledger_now() - interval '1 day' limit 1",
                   SQL_PARAMS(visit->session.account_id, detail), known, err) &&
           (json_size(known) > 0 || work_audit(sql, visit, "order created", detail, err));
}

/* The order exists, whatever happens to its payment. */
static bool is_made(const struct pack_choice *choice, const struct order_outcome *outcome)
{
    return strcmp(outcome->order_id, choice->order_id) == 0 &&
           (strcmp(outcome->word, "pay") == 0 || strcmp(outcome->word, "no_answer") == 0);
}

static void buy_pack(struct visit *visit, struct pack_choice *choice)
{
    struct order_outcome outcome = { 0 };
    struct buyer buyer = buyer_of(visit);
    struct err err = { 0 };
    if (!orders_buy(visit->portal, &buyer, choice->order_id, choice->pack_id, &outcome, &err))
        page_failed(visit, &err);
    else if ((!is_made(choice, &outcome) || work_do(visit, audit_order, choice->order_id)) &&
             !buying_continue(visit, &outcome))
        show_credits(visit, 400, strcmp(outcome.word, "no_answer") == 0);
}

void credits_buy(struct visit *visit)
{
    struct pack_choice choice;
    int status = 400;
    if (!read_pack_choice(visit, &choice))
        show_credits(visit, status, false);
    else if (buying_is_allowed(visit, &status))
        buy_pack(visit, &choice);
    else if (status > 0)
        show_credits(visit, status, false);
}
