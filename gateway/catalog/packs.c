/* gateway/catalog/packs.c - see packs.h. */
#include "gateway/catalog/packs.h"

#include <inttypes.h>

#include "base/mem.h"
#include "db/sql.h"
#include "text/money/currency.h"

static void add_price(int64_t minor, const struct currency *currency, const char *name, cJSON *pack)
{
    int64_t unit = currency_unit(currency);
    scoped(mem_free) char *price =
        currency->decimals > 0
            ? str_format("%" PRId64 ".%0*" PRId64, minor / unit, currency->decimals, minor % unit)
            : str_format("%" PRId64, minor);
    json_str(pack, name, price);
}

static void add_pack(const cJSON *row, cJSON *packs)
{
    cJSON *pack = json_item(packs);
    json_add(pack, "credits", json_copy(json_get(row, "credits")));
    add_price((int64_t)json_get(row, "minor")->valuedouble,
              currency_or_usual(json_text(row, "/currency")), json_text(row, "/name"), pack);
}

bool packs_read(const char *url, const char *password, int64_t timeout_ms, cJSON **packs,
                int64_t *signup_credits, struct err *err)
{
    scoped(sql_close) struct sql *sql = NULL;
    scoped(json_free) cJSON *rows = json_array();
    scoped(json_free) cJSON *grant = json_object();
    const cJSON *row;
    if (!sql_open(url, password, timeout_ms, &sql, err) ||
        !sql_rows(sql,
                  "select credits, minor, currency, lower(currency) as name from packs_on_sale()",
                  NO_PARAMS, rows, err) ||
        !sql_row(sql, "select signup_credits() as credits", NO_PARAMS, grant, err))
        return false;
    *signup_credits = (int64_t)json_get(grant, "credits")->valuedouble;
    *packs = json_array();
    cJSON_ArrayForEach(row, rows)
        add_pack(row, *packs);
    return true;
}
