/* tests/simulator/compare/first.c - a random database, near its limits of time and money. */
#include "first.h"

#include <stdio.h>
#include <string.h>

#include "../scheduler.h"
#include "base/num.h"

enum {
    TOOLS = 5,
    SECOND_MS = 1000,
    MINUTE_MS = 60000,
    NOTE_USE_MS = 5 * MINUTE_MS,
    HOUR_MS = 60 * MINUTE_MS,
    JUMP_MS = 10 * MINUTE_MS,
};

struct uuid first_uuid(void)
{
    struct uuid uuid;
    for (size_t i = 0; i < UUID_BYTES; i++)
        uuid.bytes[i] = (uint8_t)chance_next();
    return uuid;
}

int64_t first_pick(const int64_t *values, size_t count)
{
    return values[chance_below(count)];
}

static int64_t near(int64_t ms)
{
    return ms + PICK(-1, 0, 0, 1);
}

static void add_tools(struct model *model)
{
    for (int64_t id = 1; id <= TOOLS; id++)
        model->tool[model->tool_count++] =
            (struct m_tool){ .id = id,
                             .price = PICK(1, 2, 3, 5, 7, 0),
                             .price_before = PICK(ABSENT, ABSENT, 1, 4, 0),
                             .rate_class = (int64_t)chance_below(CLASSES_MAX),
                             .group = (int64_t)chance_below(2) };
}

static void add_plans(struct model *model)
{
    for (int64_t id = 1; id <= PLANS_MAX; id++) {
        struct m_plan *plan = &model->plan[model->plan_count++];
        *plan = (struct m_plan){ .id = id,
                                 .global_limit = PICK(1, 3, 6, 59),
                                 .address_exempt = chance_in(5000) };
        for (size_t i = 0; i < CLASSES_MAX; i++) {
            plan->of[i].endpoint_limit = PICK(ABSENT, 0, 1, 3);
            plan->of[i].class_limit = PICK(ABSENT, 0, 0, 2, 4);
            plan->of[i].daily_limit = PICK(ABSENT, 0, 0, 1, 3);
        }
    }
}

void first_book(struct model *model, struct m_account *account, int64_t kind, int64_t amount,
                int64_t at_ms)
{
    char sqlstate[SQLSTATE_BYTES];
    account->posted += amount;
    account->granted += kind == ENTRY_PURCHASE ? 0 : amount;
    account->purchased += kind == ENTRY_PURCHASE ? amount : 0;
    model_add_entry(model,
                    &(struct m_entry){ .account = account->id,
                                       .reference = first_uuid(),
                                       .seq = ++account->seq,
                                       .kind = kind,
                                       .amount = amount,
                                       .balance_after = account->posted,
                                       .tool = ABSENT,
                                       .token = ABSENT,
                                       .at_ms = at_ms },
                    sqlstate);
}

/* Calls of the last minute; at times of a clock that was ahead. */
static void add_ring(struct m_account *account, int64_t now_ms)
{
    int64_t at_ms = now_ms - PICK(2, 30, 59, 60, 61, 62) * SECOND_MS;
    if (!chance_in(5000))
        return;
    account->ring_count = chance_below(8);
    for (size_t i = 0; i < account->ring_count; i++) {
        account->ring_at[i] = at_ms;
        account->ring_tool[i] = chance_between(1, TOOLS);
        at_ms += PICK(0, 0, 1, 500, 4000);
    }
    if (account->ring_count == 0 || !chance_in(3000))
        return;
    int64_t *newest_ms = &account->ring_at[account->ring_count - 1];
    int64_t ahead_ms = near(now_ms + PICK(0, MINUTE_MS, MINUTE_MS, MS_A_DAY));
    *newest_ms = MAX(*newest_ms, ahead_ms);
}

static void add_account(struct model *model, int64_t now_ms)
{
    struct m_account *account = &model->account[model->account_count++];
    *account = (struct m_account){ .id = first_uuid(),
                                   .state = chance_in(9300)   ? ACCOUNT_ACTIVE
                                            : chance_in(5000) ? ACCOUNT_SUSPENDED
                                                              : ACCOUNT_CLOSED,
                                   .limits_off = chance_in(1500),
                                   .plan = PICK(ABSENT, ABSENT, ABSENT, 0, 1),
                                   .plan_ms = ABSENT };
    if (account->plan != ABSENT)
        account->plan_ms = now_ms - chance_between(0, MS_A_DAY);
    if (chance_in(9000))
        first_book(model, account, ENTRY_GRANT, PICK(3, 10, 25, 1000), now_ms - MS_A_DAY);
    if (chance_in(3000))
        first_book(model, account, ENTRY_PURCHASE, PICK(1, 20, 500), now_ms - HOUR_MS);
    add_ring(account, now_ms);
}

static void set_caps(struct m_token *token, int64_t today)
{
    if (token->kind == 5 || (token->kind != 3 && !chance_in(5000)))
        return;
    token->cap_daily = PICK(ABSENT, 0, 5, 9, 300);
    token->cap_total = PICK(ABSENT, 3, 12, 300);
    token->spent_total = PICK(0, 0, 2, 6);
    token->spent_day = PICK(ABSENT, today, today, today - 1, today + 1);
    if (token->spent_day != ABSENT)
        token->spent_today = chance_between(0, token->spent_total);
}

static void set_scopes(struct m_token *token)
{
    static const char *const scopes[] = { "",       "",       "",        "",
                                          "tool-1", "tool-2", "group-0", "tool-4,group-1" };
    const char *chosen = token->kind == 5 ? "tokens:read" : scopes[chance_below(countof(scopes))];
    snprintf(token->scopes, sizeof(token->scopes), "%s", chosen);
}

/* The id of a token is unique within its account. */
static struct uuid token_id(const struct model *model, const struct uuid *account)
{
    const struct m_token *other = &model->token[0];
    bool is_free = model->token_count > 0;
    for (size_t i = 0; i < model->token_count; i++)
        if (uuid_equal(&model->token[i].account, account))
            is_free = false;
    return is_free && chance_in(3000) ? other->id : first_uuid();
}

static void add_token(struct model *model, const struct uuid *account, int64_t now_ms)
{
    struct uuid id = token_id(model, account);
    struct m_token *token = &model->token[model->token_count++];
    *token = (struct m_token){ .account = *account,
                               .id = id,
                               .kind = PICK(1, 1, 1, 1, 1, 2, 3, 5),
                               .is_revoked = chance_in(500),
                               .is_strict = chance_in(3000),
                               .expires_ms = ABSENT,
                               .last_used_ms = PICK(ABSENT, near(now_ms - NOTE_USE_MS), now_ms),
                               .cap_daily = ABSENT,
                               .cap_total = ABSENT,
                               .spent_today = ABSENT,
                               .spent_total = ABSENT,
                               .spent_day = ABSENT };
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        token->digest[i] = (uint8_t)chance_next();
    if (token->kind == 5 || chance_in(1500))
        token->expires_ms = now_ms + PICK(-1, 500, 5000, MS_A_DAY);
    set_scopes(token);
    if (chance_in(2000))
        token->network = (struct m_network){ 10u << 24, (int)PICK(8, 16) };
    set_caps(token, model_day(now_ms));
}

static void add_quotas(struct model *model, int64_t now_ms)
{
    for (size_t i = 0; i < model->account_count; i++)
        for (int64_t tool = 1; tool <= TOOLS; tool++)
            if (chance_in(1500))
                model->quota[model->quota_count++] =
                    (struct m_quota){ model->account[i].id, tool,
                                      model_day(now_ms) - PICK(0, 0, 1, 6, 7, 8, 9),
                                      chance_between(0, 3) };
}

void first_make(struct model *model, int64_t now_ms)
{
    memset(model, 0, offsetof(struct model, account));
    model->prune_seen_ms = ABSENT;
    model->prune_steady_ms = ABSENT;
    add_tools(model);
    add_plans(model);
    for (size_t accounts = 1 + chance_below(3); accounts > 0; accounts--)
        add_account(model, now_ms);
    for (size_t i = 0; i < model->account_count; i++)
        for (size_t tokens = 1 + chance_below(2); tokens > 0; tokens--)
            add_token(model, &model->account[i].id, now_ms);
    add_quotas(model, now_ms);
    if (chance_in(7000)) {
        model->prune_seen_ms = near(now_ms - PICK(0, JUMP_MS));
        model->prune_steady_ms = near(now_ms - HOUR_MS);
    }
}
