/* portal/member/rights.c - see rights.h. */
#include "portal/member/rights.h"

#include <stdio.h>

#include "portal/base/numbers.h"
#include "text/json.h"

void rights_add_scopes(const cJSON *row, cJSON *item)
{
    scoped(buf_free) struct buf text = BUF(8192);
    const cJSON *scope;
    cJSON_ArrayForEach(scope, json_get(row, "scopes"))
        buf_format(&text, "%s%s", text.size > 0 ? ", " : "", scope->valuestring);
    json_str(item, "may", text.size > 0 ? buf_str(&text) : "everything");
}

void rights_add_cap(const cJSON *row, const char *cap, const char *spent, const char *name,
                    cJSON *item)
{
    char most[NUMBER_BYTES], part[NUMBER_BYTES], text[3 * NUMBER_BYTES];
    const cJSON *limit = json_get(row, cap), *so_far = json_get(row, spent);
    if (!json_is(limit, cJSON_Number))
        return;
    number_write((int64_t)limit->valuedouble, most);
    number_write(json_is(so_far, cJSON_Number) ? (int64_t)so_far->valuedouble : 0, part);
    snprintf(text, sizeof(text), "%s (%s spent)", most, part);
    json_str(item, name, text);
    snprintf(text, sizeof(text), "%s_value", name);
    json_int(item, text, (int64_t)limit->valuedouble);
}
