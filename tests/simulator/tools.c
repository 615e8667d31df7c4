/* tests/simulator/tools.c - the tools, limits, accounts and tokens of a schedule. */
#include <string.h>

#include "base/num.h"
#include "base/table.h"
#include "world.h"

enum {
    ACCOUNT_CREDITS = 4000,
    FEW_CREDITS = 40,
    MANY_CALLS = 30,
    DAILY_CALLS = 7,
    DAILY_CAP = 60,
    TOTAL_CAP = 90,
};

/* clang-format off */
#define TOOL_OF(name, cls) .tool = (name), .group = "utils", .title = (name), .summary = "", .rate_class = (cls), \
                           .max_reply_bytes = 4096
struct contract world_contracts[TOOL_COUNT] = {
    { TOOL_OF("short",  "short"),  .credits = 2, .budget_ms = 500,  .retryable = true },
    { TOOL_OF("long",   "long"),   .credits = 5, .budget_ms = 2000 },
    { TOOL_OF("daily",  "daily"),  .credits = 3, .budget_ms = 800,  .retryable = true },
    { TOOL_OF("secret", "long"),   .credits = 4, .budget_ms = 1500, .secret_input = true },
    { TOOL_OF("again",  "long"),   .credits = 7, .budget_ms = 3000, .retryable = true },
};
/* clang-format on */

static char class_names[][8] = { "short", "long", "daily" };
static struct rate_class classes[countof(class_names)];
struct limits world_limits = { .class_count = countof(classes), .classes = classes };
static int64_t first_credits;

static int64_t class_number(const char *name)
{
    for (size_t i = 0; i < countof(class_names); i++)
        if (strcmp(class_names[i], name) == 0)
            return (int64_t)i;
    return -1;
}

struct uuid tools_account(size_t account)
{
    struct uuid uuid = { .bytes = { 0xac, 0xc0 } };
    uuid.bytes[UUID_BYTES - 1] = (uint8_t)account;
    return uuid;
}

void tools_token(size_t account, size_t number, uint8_t digest[static DIGEST_BYTES])
{
    memset(digest, 0, DIGEST_BYTES);
    digest[0] = (uint8_t)account;
    digest[1] = (uint8_t)number;
}

int64_t tools_first_credits(void)
{
    return first_credits;
}

static void set_limits(const struct plan *plan)
{
    world_limits.global_per_minute = plan->has_small_windows ? 12 : LIMITS_ACCOUNT_MAX;
    for (size_t i = 0; i < countof(classes); i++)
        classes[i] =
            (struct rate_class){ .name = class_names[i],
                                 .endpoint_per_minute = plan->has_small_windows ? 5 : MANY_CALLS };
    classes[class_number("long")].class_per_minute = plan->has_small_windows ? 8 : 0;
    classes[class_number("daily")].daily_per_tool = DAILY_CALLS;
}

static void add_account(struct model *model, size_t number)
{
    struct m_account *account = &model->account[model->account_count++];
    *account = (struct m_account){ .id = tools_account(number),
                                   .plan = ABSENT,
                                   .plan_ms = ABSENT,
                                   .posted = first_credits,
                                   .granted = first_credits,
                                   .seq = 1 };
    char sqlstate[SQLSTATE_BYTES];
    model_add_entry(model,
                    &(struct m_entry){ .account = account->id,
                                       .reference = account->id,
                                       .seq = 1,
                                       .kind = ENTRY_GRANT,
                                       .amount = first_credits,
                                       .balance_after = first_credits,
                                       .tool = ABSENT,
                                       .token = ABSENT },
                    sqlstate);
    struct m_token *token = &model->token[model->token_count++];
    *token = (struct m_token){ .account = account->id,
                               .id = account->id,
                               .kind = 1,
                               .expires_ms = ABSENT,
                               .last_used_ms = ABSENT,
                               .cap_daily = ABSENT,
                               .cap_total = ABSENT,
                               .spent_today = ABSENT,
                               .spent_total = ABSENT,
                               .spent_day = ABSENT };
    tools_token(number, 0, token->digest);
}

/* The second account has a token with caps, the third one no limits. */
static void set_account(struct model *model, size_t number)
{
    if (number == 1) {
        model->token[number].cap_daily = DAILY_CAP;
        model->token[number].cap_total = TOTAL_CAP;
        model->token[number].spent_today = 0;
        model->token[number].spent_total = 0;
        model->token[number].spent_day = 0;
    }
    model->account[number].limits_off = number == 2;
}

/* An account that no client uses: its hold cannot be released. */
static void add_poison(struct model *model)
{
    struct m_account *account = &model->account[model->account_count++];
    *account = (struct m_account){
        .id = tools_account(ACCOUNTS_MAX), .plan = ABSENT, .plan_ms = ABSENT, .is_poisoned = true
    };
    model->hold[model->hold_count++] = (struct m_hold){ .account = account->id,
                                                        .id = account->id,
                                                        .amount = 1,
                                                        .token = ABSENT,
                                                        .state = HOLD_OPEN,
                                                        .quota_day = ABSENT,
                                                        .expires_ms = world_wall_ms() + 1,
                                                        .settled_ms = ABSENT };
}

void tools_begin(const struct plan *plan, struct model *model)
{
    memset(model, 0, offsetof(struct model, account));
    model->prune_seen_ms = ABSENT;
    model->prune_steady_ms = ABSENT;
    first_credits = plan->has_few_credits ? FEW_CREDITS : ACCOUNT_CREDITS;
    set_limits(plan);
    for (size_t i = 0; i < TOOL_COUNT; i++)
        model->tool[model->tool_count++] =
            (struct m_tool){ .id = (int64_t)i + 1,
                             .price = world_contracts[i].credits,
                             .price_before = ABSENT,
                             .rate_class = class_number(world_contracts[i].rate_class) };
    for (size_t i = 0; i < plan->accounts; i++) {
        add_account(model, i);
        set_account(model, i);
    }
    if (plan->is_poisoned)
        add_poison(model);
}
