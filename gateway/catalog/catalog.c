/* gateway/catalog/catalog.c - contracts by name, their groups, and their ids in PostgreSQL. */
#include "gateway/catalog/catalog.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/writing/nearest.h"
#include "db/sql.h"
#include "text/json.h"

enum { COLUMN_MAX_BYTES = 1 << 16, NAME_MAX_BYTES = 64 };

bool catalog_load(const char *directory, const struct limits *limits, struct catalog **made,
                  struct err *err)
{
    scoped(catalog_free) struct catalog *catalog = mem_new(sizeof(*catalog));
    if (!contract_load_all(directory, NULL, &catalog->contracts, &catalog->count, err) ||
        !tool_groups_load(directory, catalog->contracts, catalog->count, &catalog->groups,
                          &catalog->group_count, err))
        return false;
    catalog->offers = mem_array(catalog->count, sizeof(*catalog->offers));
    for (size_t i = 0; i < catalog->count; i++) {
        const struct contract *contract = catalog->contracts[i];
        catalog->offers[i] = (struct offer){
            contract, contract->tool, contract->group, contract->rate_class, 0, NULL
        };
        if (!limits_class(limits, contract->rate_class))
            return err_set(err, ERR_INVALID_VALUE, "%s: the rate_class %s is not in limits.yaml",
                           contract->tool, contract->rate_class);
    }
    catalog->credits = (struct offer){ NULL, "account-credits", "account", "account", 0, NULL };
    catalog->balance = catalog->credits;
    if (!limits_class(limits, "account"))
        return err_set(err, ERR_INVALID_VALUE, "limits.yaml has no class account");
    *made = take(catalog);
    return true;
}

void catalog_free(struct catalog **address)
{
    struct catalog *catalog = *address;
    if (!catalog)
        return;
    for (size_t i = 0; i < catalog->count; i++)
        contract_free(&catalog->contracts[i]);
    mem_free(&catalog->contracts);
    mem_free(&catalog->offers);
    tool_groups_free(&catalog->groups, &catalog->group_count);
    mem_free(address);
}

static struct offer *offer_at(struct catalog *catalog, size_t nth)
{
    return nth < catalog->count ? &catalog->offers[nth] : &catalog->credits;
}

static int64_t price_of(const struct offer *offer)
{
    return offer->contract ? offer->contract->credits : 0;
}

/* Call tool_numbers() of gateway/sql/002-ledger.sql: names and prices in, ids out. */
static bool find_numbers(struct catalog *catalog, struct sql *sql, cJSON *rows, struct err *err)
{
    scoped(buf_free) struct buf names = BUF(COLUMN_MAX_BYTES);
    scoped(buf_free) struct buf prices = BUF(COLUMN_MAX_BYTES);
    for (size_t i = 0; i <= catalog->count; i++) {
        const struct offer *offer = offer_at(catalog, i);
        const char *comma = i > 0 ? "," : "";
        buf_format(&names, "%s%s", comma, offer->name);
        buf_format(&prices, "%s%" PRId64, comma, price_of(offer));
    }
    assert(!names.full && !prices.full);
    return sql_rows(sql,
                    "select tool_numbers(string_to_array($1, ','),"
                    "                    string_to_array($2, ',')::bigint[]) as tool_id",
                    (struct sql_params){ 2, { buf_str(&names), buf_str(&prices) } }, rows, err);
}

bool catalog_number(struct catalog *catalog, const char *url, const char *password,
                    int64_t timeout_ms, struct err *err)
{
    scoped(sql_close) struct sql *sql = NULL;
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    size_t i = 0;
    if (!sql_open(url, password, timeout_ms, &sql, err) || !find_numbers(catalog, sql, rows, err))
        return false;
    assert((size_t)json_size(rows) == catalog->count + 1);
    cJSON_ArrayForEach(row, rows) {
        struct offer *offer = offer_at(catalog, i++);
        const cJSON *number = json_get(row, "tool_id");
        if (!json_is(number, cJSON_Number))
            return err_set(err, ERR_NOT_FOUND,
                           "the database has no tool %s for %" PRId64
                           " credits: run tollctl db migrate with this version's contracts",
                           offer->name, price_of(offer));
        offer->tool_id = (int64_t)number->valuedouble;
    }
    return true;
}

const struct offer *catalog_find(const struct catalog *catalog, struct text name)
{
    size_t low = 0;
    size_t high = catalog->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *candidate = catalog->offers[middle].name;
        size_t length = strlen(candidate);
        int order = memcmp(candidate, name.bytes, length < name.size ? length : name.size);
        if (order == 0)
            order = (length > name.size) - (length < name.size);
        if (order == 0)
            return &catalog->offers[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *catalog_nearest(const struct catalog *catalog, struct text name)
{
    char wanted[NAME_MAX_BYTES + 1];
    if (name.size == 0 || name.size > NAME_MAX_BYTES)
        return NULL;
    snprintf(wanted, sizeof(wanted), "%.*s", (int)name.size, name.bytes);
    struct did_you_mean meant = did_you_mean(wanted);
    for (size_t i = 0; i < catalog->count; i++)
        did_you_mean_offer(&meant, catalog->offers[i].name, catalog->offers[i].name);
    return meant.shown;
}
