/* gateway/tollctl/offers/pack.c - credit packs. A pack's credits and price never change, because
 * orders refer to it: a new price is a new pack. */
#include "base/mem.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"
#include "text/money/currency.h"

static bool pack_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    return sql_rows(ctl->sql,
                    "select pack_id as pack, name, credits, price_cents, currency,"
                    "       is_sold as sold from pack order by pack_id",
                    NO_PARAMS, json_list(answer, "packs"), err);
}

/* The portal reads the table for each page, gateways at start and on SIGHUP
 * (gateway/catalog/packs.h). */
#define GATEWAYS "GET /v1/tools shows the change after SIGHUP to the gateways."

static bool finish(struct tollctl *ctl, const cJSON *pack, bool is_changed, cJSON *answer,
                   struct err *err)
{
    int64_t number = (int64_t)json_get(pack, "pack")->valuedouble;
    scoped(mem_free) char *detail = str_format("pack %lld", (long long)number);
    json_int(answer, "pack", number);
    json_bool(answer, "changed", is_changed);
    return (!is_changed || tollctl_audit(ctl->sql, ctl->command->name, NULL, detail, err)) &&
           sql_commit(ctl->sql, err);
}

/* Check a price; the processor may require more (text/money/currency.def). */
static bool check_price(const char *code, int64_t price, struct err *err)
{
    const struct currency *currency = currency_find(code);
    if (!currency)
        return err_set(err, ERR_INVALID_VALUE,
                       "--currency must be a code of ISO 4217 like USD or EUR");
    if (price % currency->step != 0)
        return err_set(err, ERR_INVALID_VALUE, "PRICE in %s must be a multiple of %lld", code,
                       (long long)currency->step);
    return price >= currency->least ||
           err_set(err, ERR_INVALID_VALUE,
                   "PRICE in %s must be at least %lld, the smallest payment", code,
                   (long long)currency->least);
}

static bool pack_add(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *named = args_text(&ctl->args, "--currency");
    const char *currency = named ? named : "USD";
    scoped(json_free) cJSON *pack = json_object();
    if (!check_price(currency, args_int(&ctl->args, "PRICE", 0), err))
        return false;
    ctl->remark = "The portal sells it from now on. " GATEWAYS;
    return sql_begin(ctl->sql, SQL_WRITE, err) &&
           sql_row(ctl->sql,
                   "insert into pack (pack_id, name, credits, price_cents, currency)"
                   " select coalesce(max(pack_id), 0) + 1, $1, $2::bigint, $3::integer,"
                   "        $4 from pack returning pack_id as pack",
                   (struct sql_params){ 4,
                                        { args_text(&ctl->args, "NAME"),
                                          args_text(&ctl->args, "CREDITS"),
                                          args_text(&ctl->args, "PRICE"), currency } },
                   pack, err) &&
           finish(ctl, pack, true, answer, err);
}

static bool pack_retire(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *number = args_text(&ctl->args, "PACK");
    scoped(json_free) cJSON *pack = json_object();
    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !sql_row(ctl->sql, "select pack_id as pack, is_sold from pack where pack_id = $1",
                 (struct sql_params){ 1, { number } }, pack, err))
        return false;
    if (json_size(pack) == 0)
        return err_set(err, ERR_NOT_FOUND, "unknown pack %s; see `tollctl pack list`", number);
    ctl->remark = "Its open orders can still be paid. " GATEWAYS;
    return sql_run(ctl->sql, "update pack set is_sold = false where pack_id = $1",
                   (struct sql_params){ 1, { number } }, err) &&
           finish(ctl, pack, json_is(json_get(pack, "is_sold"), cJSON_True), answer, err);
}

/* clang-format off */
const struct command pack_commands[] = {
    { "pack list", "List the credit packs.", pack_list },
    { "pack add", "Offer a new credit pack.", pack_add, .args = {
        { "NAME", "display name, 1 to 40 characters", .min = 1, .max = 40 },
        { "CREDITS", "how many", .type = ARG_INT, .min = 1, .max = 1000000000 },
        { "PRICE", "in the currency's minor unit: 1500 is 15.00 USD, or 1500 JPY", .type = ARG_INT, .min = 1, .max = 99999999 },
        { "--currency", "ISO 4217 code; default USD", "CODE", .min = 3, .max = 3 } } },
    { "pack retire", "Stop offering a pack.", pack_retire, .args = {
        { "PACK", "its number, see `pack list`", .type = ARG_INT, .min = 1, .max = 32767 } } },
    { 0 },
};
/* clang-format on */
