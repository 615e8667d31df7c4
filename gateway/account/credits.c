/* gateway/account/credits.c - see credits.h. */
#include "gateway/account/credits.h"

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/text.h"

static void add_credits(cJSON *object, const char *name, int64_t credits)
{
    if (credits < 0)
        json_null(object, name);
    else
        json_int(object, name, credits);
}

void credits_add_caps(cJSON *token, const struct token_facts *facts)
{
    add_credits(token, "cap_daily", facts->cap_daily);
    add_credits(token, "spent_today", facts->spent_today);
    add_credits(token, "cap_total", facts->cap_total);
    add_credits(token, "spent_total", facts->spent_total);
}

static void add_token(cJSON *token, const struct token_facts *facts)
{
    struct text rest = text_of(facts->scopes);
    json_str(token, "name", facts->name);
    cJSON *scopes = json_list(token, "scopes");
    while (rest.size > 0) {
        struct text scope = text_cut(&rest, ',');
        scoped(mem_free) char *name = str_format("%.*s", (int)scope.size, scope.bytes);
        json_item_str(scopes, name);
    }
    if (facts->expires_ms < 0)
        json_null(token, "expires_at");
    else
        json_time(token, "expires_at", facts->expires_ms);
    credits_add_caps(token, facts);
}

void plan_add(cJSON *result, const char *name, int64_t since_ms)
{
    cJSON *plan = json_map(result, "plan");
    json_str(plan, "name", name);
    json_time(plan, "since", since_ms);
}

void credits_write(const struct account_snapshot *snapshot, const struct token_facts *facts,
                   cJSON *result)
{
    json_int(result, "credits", snapshot->posted - snapshot->held);
    json_int(result, "held", snapshot->held);
    json_int(result, "granted", snapshot->granted);
    json_int(result, "purchased", snapshot->purchased);
    json_int(result, "used", snapshot->used);
    json_time(result, "as_of", clock_wall_ms());
    if (facts->plan)
        plan_add(result, facts->plan, facts->plan_ms);
    add_token(json_map(result, "token"), facts);
}
