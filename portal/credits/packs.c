/* portal/credits/packs.c - see packs.h. */
#include "portal/credits/packs.h"

#include <string.h>

#include "portal/base/numbers.h"

static const char packs_sql[] = "select pack_id, name, credits, price_cents, currency from pack"
                                " where is_sold order by credits, pack_id";

static struct credit_price price_of(const cJSON *row)
{
    return (struct credit_price){ .minor = (int64_t)json_get(row, "price_cents")->valuedouble,
                                  .credits = (int64_t)json_get(row, "credits")->valuedouble,
                                  .currency = json_text(row, "/currency") };
}

static void add_pack(const cJSON *row, cJSON *list)
{
    char text[NUMBER_BYTES];
    cJSON *pack = json_item(list);
    struct credit_price price = price_of(row);
    json_int(pack, "pack_id", (int64_t)json_get(row, "pack_id")->valuedouble);
    json_str(pack, "name", json_text(row, "/name"));
    number_add(pack, "credits", price.credits);
    money_write(price.minor, price.currency, text);
    json_str(pack, "price", text);
    credit_price_write(&price, 1, text);
    json_str(pack, "each", text);
}

/* Is a credit cheaper in a than in b, in b's currency? */
static bool is_cheaper(const struct credit_price *a, const struct credit_price *b)
{
    return strcmp(a->currency, b->currency) == 0 &&
           (double)a->minor / (double)a->credits < (double)b->minor / (double)b->credits;
}

static void add_calls(const struct credit_price *price, cJSON *model)
{
    char text[NUMBER_BYTES];
    cJSON *group;
    cJSON_ArrayForEach(group, json_get(model, "groups")) {
        cJSON *tool;
        cJSON_ArrayForEach(tool, json_get(group, "tools")) {
            credit_price_write(price, (int64_t)json_get(tool, "cost")->valuedouble, text);
            json_str(tool, "money", text);
        }
    }
}

bool packs_add(const struct portal *portal, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    cJSON *list = json_list(model, "packs");
    struct credit_price cheapest = { 0 };
    const cJSON *row;
    bool ok = sql_rows(sql, packs_sql, NO_PARAMS, rows, err);
    cJSON_ArrayForEach(row, rows) {
        struct credit_price price = price_of(row);
        add_pack(row, list);
        if (!cheapest.currency || is_cheaper(&price, &cheapest))
            cheapest = price;
    }
    json_bool(model, "has_packs", json_size(list) > 0);
    json_bool(model, "adds_tax", portal_adds_tax(portal));
    if (cheapest.currency)
        add_calls(&cheapest, model);
    return ok;
}

bool grant_add(struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select signup_credits() as credits", NO_PARAMS, row, err))
        return false;
    int64_t credits = (int64_t)json_get(row, "credits")->valuedouble;
    if (credits > 0)
        number_add(model, "grant", credits);
    return true;
}
