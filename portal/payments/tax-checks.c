/* portal/payments/tax-checks.c - see tax-checks.h. */
#include "portal/payments/tax-checks.h"

#include <stdio.h>

#include "base/os/log.h"
#include "portal/base/portal.h"
#include "portal/billing/tax-ids.h"
#include "portal/payments/payments.h"
#include "text/json.h"

#define AT_ONCE "5"

/* A processor that fails is asked again in an hour, like a register that has not answered. */
static bool check_number(struct portal *portal, const cJSON *row, struct err *err)
{
    const char *customer = json_text(row, "/customer");
    const char *state = NULL;
    char version[24];
    struct err why = { 0 };
    snprintf(version, sizeof(version), "%.0f", json_get(row, "version")->valuedouble);
    struct tax_number number = { .account = json_text(row, "/account_id"),
                                 .version = version,
                                 .type = json_text(row, "/tax_type"),
                                 .value = json_text(row, "/tax_id") };
    snprintf(number.customer, sizeof(number.customer), "%s", customer ? customer : "");
    if (!payments_processor(portal)->check_tax_id(portal, &number, &state, &why)) {
        log_line(LOG_WARN, "a tax number is not checked", log_str("error", why.message),
                 log_str("account_id", number.account));
        state = "pending";
    }
    return pool_run(
        portal->pool, "select tax_check_note($1, $2, $3, $4)",
        SQL_PARAMS(number.account, version, number.customer[0] ? number.customer : NULL, state),
        err);
}

bool tax_checks_run(struct portal *portal, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (!tax_ids_are_checked(portal->conf))
        return true;
    if (!pool_rows(portal->pool, "select * from tax_check_due(" AT_ONCE ")", NO_PARAMS, rows, err))
        return false;
    cJSON_ArrayForEach(row, rows)
        if (!check_number(portal, row, err))
            return false;
    return true;
}
