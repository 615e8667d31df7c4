/* gateway/catalog/packs.c - see packs.h. */
#include "gateway/catalog/packs.h"

#include "base/mem.h"
#include "db/sql.h"

static void add_pack(const cJSON *row, cJSON *packs)
{
    cJSON *pack = json_item(packs);
    json_add(pack, "credits", json_copy(json_get(row, "credits")));
    json_str(pack, json_text(row, "/currency"), json_text(row, "/price"));
}

bool packs_read(const char *url, const char *password, int64_t timeout_ms, cJSON **packs,
                struct err *err)
{
    scoped(sql_close) struct sql *sql = NULL;
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (!sql_open(url, password, timeout_ms, &sql, err) ||
        !sql_rows(sql, "select credits, price, currency from packs_on_sale()", NO_PARAMS, rows,
                  err))
        return false;
    *packs = json_array();
    cJSON_ArrayForEach(row, rows)
        add_pack(row, *packs);
    return true;
}
