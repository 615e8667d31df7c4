/* portal/credits/packs.c - see packs.h. */
#include "portal/credits/packs.h"

#include "portal/base/numbers.h"

static const char packs_sql[] = "select pack_id, name, credits, price_cents, currency from pack"
                                " where is_sold order by credits, pack_id";

static void add_pack(const cJSON *row, cJSON *list)
{
    char text[NUMBER_BYTES];
    cJSON *pack = json_item(list);
    int64_t credits = (int64_t)json_get(row, "credits")->valuedouble;
    int64_t minor = (int64_t)json_get(row, "price_cents")->valuedouble;
    const char *currency = json_text(row, "/currency");
    json_int(pack, "pack_id", (int64_t)json_get(row, "pack_id")->valuedouble);
    json_str(pack, "name", json_text(row, "/name"));
    number_add(pack, "credits", credits);
    money_write(minor, currency, text);
    json_str(pack, "price", text);
    credit_price_write(minor, credits, currency, text);
    json_str(pack, "each", text);
}

bool packs_add(struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    cJSON *list = json_list(model, "packs");
    const cJSON *row;
    bool ok = sql_rows(sql, packs_sql, NO_PARAMS, rows, err);
    cJSON_ArrayForEach(row, rows)
        add_pack(row, list);
    json_bool(model, "has_packs", json_size(list) > 0);
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
