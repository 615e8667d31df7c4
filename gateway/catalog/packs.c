/* gateway/catalog/packs.c - see packs.h. */
#include "gateway/catalog/packs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "admin/metrics.h"
#include "base/ascii.h"
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

/* The price of one credit in millionths of the currency; 0: not in this currency. */
static int64_t credit_micros(const cJSON *pack, const char *currency)
{
    const cJSON *price = json_get(pack, currency);
    double credits = json_get(pack, "credits")->valuedouble;
    return price ? llround(strtod(price->valuestring, NULL) * 1e6 / credits) : 0;
}

static void count_currency(const cJSON *packs, const char *currency, struct metrics *metrics)
{
    const cJSON *pack;
    int64_t lowest = 0;
    scoped(mem_free) char *code = str_dup(currency);
    cJSON_ArrayForEach(pack, packs) {
        int64_t micros = credit_micros(pack, currency);
        if (micros > 0 && (lowest == 0 || micros < lowest))
            lowest = micros;
    }
    for (char *letter = code; *letter; letter++)
        *letter = ascii_upper(*letter);
    gauge_set(metrics_gauge(metrics, "tollgate_credit_price_micros",
                            "Lowest price of one credit, in millionths of the currency",
                            (struct labels){ "currency", code }),
              lowest);
}

void packs_count(const cJSON *packs, struct metrics *metrics)
{
    const cJSON *pack;
    const cJSON *member;
    cJSON_ArrayForEach(pack, packs)
        cJSON_ArrayForEach(member, pack)
            if (strcmp(member->string, "credits") != 0)
                count_currency(packs, member->string, metrics);
}
