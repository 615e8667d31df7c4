/*
 * tests/simulator/model/model-admit.c - ledger_admit_each() and what it calls.
 * ledger_admit_plain() gives the same results, and has no second form here.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "model.h"
#include "scheduler.h"

enum { MINUTE_MS = 60000, NOTE_USE_MS = 5 * MINUTE_MS };

/* A call under admission: admission_fact of the SQL. */
struct fact {
    const struct m_item *item;
    const char *known;
    int64_t hold_state; /* ABSENT: no hold */
    int64_t now_ms;     /* by the account's clock */
    int64_t newest_ms;  /* of the account's calls, before they are moved to now */
    int64_t token;
    int64_t cap_day;
    const struct m_plan *plan; /* NULL: none */
    int64_t endpoint_limit, class_limit, global_limit, daily_limit;
};

/* ---- clocks ---- */

static bool clock_was_ahead(const struct m_account *account, int64_t now_ms)
{
    int64_t newest_ms = model_newest_call(account);
    return newest_ms != ABSENT && newest_ms > now_ms + MINUTE_MS;
}

static int64_t account_clock(const struct m_account *account, int64_t now_ms)
{
    if (clock_was_ahead(account, now_ms) || is_mutant(MUTANT_CLOCK_BACK))
        return now_ms;
    return MAX(now_ms, model_newest_call(account));
}

/* Of the calls in the ring, those that no longer count. */
static size_t calls_past(const struct m_account *account, int64_t now_ms)
{
    size_t past = 0;
    while (past < account->ring_count && account->ring_at[past] <= now_ms - MINUTE_MS)
        past++;
    return past;
}

/* ---- facts ---- */

static const struct m_tool *find_tool(const struct model *model, int64_t id)
{
    for (size_t i = 0; i < model->tool_count; i++)
        if (model->tool[i].id == id)
            return &model->tool[i];
    return NULL;
}

/* A management token calls no tool. */
static const char *check_kind(const struct m_token *token, const struct m_item *item)
{
    bool is_management = token->kind == 4 || token->kind == 5;
    return is_management && (item->tool != 0 || item->amount != 0) ? "scope_denied" : NULL;
}

static bool has_scope(const char *scopes, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = scopes; *at; at += *at == ',') {
        size_t word = strcspn(at, ",");
        if (word == size && memcmp(at, name, size) == 0)
            return true;
        at += word;
    }
    return false;
}

static bool is_in_scopes(const struct m_token *token, const struct m_tool *tool)
{
    char name[32];
    if (!tool)
        return false;
    snprintf(name, sizeof(name), "tool-%lld", (long long)tool->id);
    if (has_scope(token->scopes, name))
        return true;
    snprintf(name, sizeof(name), "group-%lld", (long long)tool->group);
    return has_scope(token->scopes, name);
}

static const char *check_tool(const struct model *model, const struct m_token *token,
                              const struct m_item *item)
{
    const struct m_tool *tool = find_tool(model, item->tool);
    if (*token->scopes && item->tool != 0 && !is_in_scopes(token, tool))
        return "scope_denied";
    bool is_price = tool && (item->amount == tool->price || item->amount == tool->price_before);
    return item->amount != 0 && !is_price ? "price_not_on_record" : NULL;
}

static const char *refusal_of(const struct model *model, const struct fact *fact)
{
    const struct m_item *item = fact->item;
    const struct m_token *token = &model->token[fact->token];
    const char *error = model_token_error(model, fact->token, &item->address, fact->now_ms);
    if (!error)
        error = check_kind(token, item);
    return error ? error : check_tool(model, token, item);
}

static const char *known_outcome(struct model *model, const struct fact *fact, unsigned locked)
{
    const struct m_item *item = fact->item;
    bool is_paid_now = item->ttl_ms == ABSENT;
    if (fact->token == ABSENT)
        return "auth_invalid";
    if (!(model_account_bit(model, &item->account) & locked))
        return "busy";
    if (fact->hold_state == HOLD_OPEN)
        return "admitted";
    if (fact->hold_state == HOLD_CAPTURED && is_paid_now)
        return "captured";
    if (fact->hold_state != ABSENT || (!is_paid_now && model_is_charged(model, &item->hold)))
        return "expired";
    return refusal_of(model, fact);
}

/* plan_or_default() */
static int64_t limit_of(int64_t of_plan, int64_t of_item)
{
    int64_t limit = of_plan == ABSENT ? of_item : of_plan;
    return limit == 0 ? ABSENT : limit;
}

static void read_limits(const struct model *model, struct fact *fact)
{
    const struct m_item *item = fact->item;
    const struct m_account *account =
        model_account((struct model *)(uintptr_t)model, &item->account);
    const struct m_tool *tool = find_tool(model, item->tool);
    if (fact->token != ABSENT && account->plan != ABSENT)
        fact->plan = &model->plan[account->plan];
    fact->endpoint_limit = limit_of(ABSENT, item->endpoint_limit);
    fact->class_limit = limit_of(ABSENT, item->class_limit);
    fact->daily_limit = limit_of(ABSENT, item->daily_limit);
    fact->global_limit = fact->plan ? fact->plan->global_limit : item->global_limit;
    if (!fact->plan || !tool)
        return;
    fact->endpoint_limit =
        limit_of(fact->plan->of[tool->rate_class].endpoint_limit, item->endpoint_limit);
    fact->class_limit = limit_of(fact->plan->of[tool->rate_class].class_limit, item->class_limit);
    fact->daily_limit = limit_of(fact->plan->of[tool->rate_class].daily_limit, item->daily_limit);
}

static struct fact read_fact(struct model *model, const struct m_item *item, unsigned locked,
                             int64_t now_ms)
{
    struct fact fact = { .item = item,
                         .hold_state = ABSENT,
                         .cap_day = ABSENT,
                         .token = model_token(model, &item->account, item->token) };
    const struct m_account *account = model_account(model, &item->account);
    const struct m_hold *hold = model_hold(model, &item->account, &item->hold);
    if (hold)
        fact.hold_state = hold->state;
    fact.now_ms = account ? account_clock(account, now_ms) : now_ms;
    fact.newest_ms = account ? model_newest_call(account) : ABSENT;
    if (fact.token != ABSENT && model->token[fact.token].spent_total != ABSENT)
        fact.cap_day = MAX(model->token[fact.token].spent_day, model_day(fact.now_ms));
    read_limits(model, &fact);
    fact.known = known_outcome(model, &fact, locked);
    return fact;
}

/* ---- checks ---- */

static void take_over_key(struct model *model, const struct fact *fact, char *sqlstate)
{
    const struct m_key *key = model_key(model, &fact->item->account, fact->item->key);
    if (key && !key->is_done && key->expires_ms <= fact->now_ms && !is_mutant(MUTANT_KEY_TWICE)) {
        struct uuid hold = key->hold;
        model_expire(model, &fact->item->account, &hold, MAX(fact->now_ms, fact->newest_ms), false,
                     sqlstate);
    }
}

static void check_key(struct model *model, const struct fact *fact, struct m_outcome *o)
{
    const struct m_key *key = model_key(model, &fact->item->account, fact->item->key);
    if (!key || (!key->is_done && key->expires_ms <= fact->now_ms))
        return;
    if (memcmp(key->fingerprint, fact->item->fingerprint, DIGEST_BYTES) != 0) {
        o->outcome = "idempotency_mismatch";
    } else if (!key->is_done) {
        o->outcome = "idempotency_in_progress";
        o->retry_ms = key->expires_ms - fact->now_ms;
    } else {
        o->outcome = "replay";
        o->headers = key->headers;
        o->body = key->body;
        struct m_hold *hold = model_hold(model, &fact->item->account, &key->hold);
        if (hold && (key->body.size != ABSENT || key->headers.size == 0))
            hold->is_replayed = true;
    }
}

static int64_t leaves_in_ms(int64_t at_ms, int64_t now_ms)
{
    return at_ms == ABSENT ? MINUTE_MS : at_ms + MINUTE_MS - now_ms;
}

/* The calls of one window, oldest first. */
struct window {
    int64_t limit;
    size_t count;
    int64_t at_ms[RING_MAX];
};

static void count_window(struct m_outcome *o, const char *code, const struct window *window,
                         int64_t now_ms)
{
    int64_t calls = (int64_t)window->count;
    int64_t left = window->limit - calls - 1;
    if (calls >= window->limit + is_mutant(MUTANT_WINDOW_OVER)) {
        int64_t frees_ms = leaves_in_ms(window->at_ms[calls - window->limit], now_ms);
        if (!o->outcome)
            o->outcome = code;
        o->retry_ms = MAX(o->retry_ms, frees_ms);
    }
    if (o->window_left == ABSENT || left <= o->window_left) {
        o->window_limit = window->limit;
        o->window_left = left;
        o->reset_ms = leaves_in_ms(calls > 0 ? window->at_ms[0] : ABSENT, now_ms);
    }
}

enum scope { SCOPE_TOOL, SCOPE_CLASS, SCOPE_ALL };

static struct window window_of(const struct model *model, const struct m_account *account,
                               const struct fact *fact, enum scope scope, int64_t limit)
{
    struct window window = { .limit = limit };
    const struct m_tool *tool = find_tool(model, fact->item->tool);
    for (size_t i = calls_past(account, fact->now_ms); i < account->ring_count; i++) {
        const struct m_tool *other = find_tool(model, account->ring_tool[i]);
        if (scope == SCOPE_ALL ||
            (scope == SCOPE_TOOL && account->ring_tool[i] == fact->item->tool) ||
            (scope == SCOPE_CLASS && tool && other && other->rate_class == tool->rate_class))
            window.at_ms[window.count++] = account->ring_at[i];
    }
    return window;
}

static void check_windows(const struct model *model, const struct m_account *account,
                          const struct fact *fact, struct m_outcome *o)
{
    static const char *const codes[] = { "rate_limited_endpoint", "rate_limited_class",
                                         "rate_limited_global" };
    const int64_t limits[] = { fact->endpoint_limit, fact->class_limit, fact->global_limit };
    for (enum scope scope = SCOPE_TOOL; scope <= SCOPE_ALL; scope++) {
        if (limits[scope] == ABSENT)
            continue;
        struct window window = window_of(model, account, fact, scope, limits[scope]);
        count_window(o, codes[scope], &window, fact->now_ms);
    }
    o->window_left = MAX(o->window_left, (int64_t)0);
}

static void check_quota(struct model *model, const struct fact *fact, struct m_outcome *o)
{
    const struct m_quota *quota =
        model_quota(model, &fact->item->account, fact->item->tool, model_day(fact->now_ms));
    if (!quota || quota->used < fact->daily_limit)
        return;
    if (!o->outcome)
        o->outcome = "daily_quota_exceeded";
    o->retry_ms = MAX(o->retry_ms, MS_A_DAY - fact->now_ms % MS_A_DAY);
}

static int64_t spent_on(const struct m_token *token, int64_t day)
{
    return token->spent_day == day ? token->spent_today : 0;
}

static void check_cap(const struct m_token *token, const struct fact *fact, struct m_outcome *o)
{
    int64_t spent = spent_on(token, fact->cap_day);
    if (token->cap_daily != ABSENT && spent + fact->item->amount > token->cap_daily) {
        o->outcome = "spending_cap_daily";
        o->granted = token->cap_daily;
        o->used = spent;
        o->retry_ms = (fact->cap_day + 1) * MS_A_DAY - fact->now_ms;
    } else if (token->cap_total != ABSENT &&
               token->spent_total + fact->item->amount > token->cap_total) {
        o->outcome = "spending_cap_total";
        o->granted = token->cap_total;
        o->used = token->spent_total;
    }
}

static void check_call(struct model *model, const struct m_account *account,
                       const struct fact *fact, struct m_outcome *o)
{
    const struct m_item *item = fact->item;
    o->posted = account->posted;
    o->held = account->held;
    if (item->has_key)
        check_key(model, fact, o);
    if (!o->outcome && !account->limits_off) {
        check_windows(model, account, fact, o);
        if (fact->daily_limit != ABSENT)
            check_quota(model, fact, o);
    }
    if (!o->outcome && fact->cap_day != ABSENT && item->amount > 0)
        check_cap(&model->token[fact->token], fact, o);
    if (!o->outcome && account->posted - account->held < item->amount)
        o->outcome = "insufficient_credits";
}

/* ---- writes ---- */

static bool counts_in_quota(const struct m_account *account, const struct fact *fact)
{
    return fact->daily_limit != ABSENT && !account->limits_off;
}

/* charge_time(): of a call that counts on the next day, because the clock went back over midnight,
 * the start of that day. */
static int64_t charge_ms(const struct fact *fact)
{
    if (fact->cap_day != ABSENT && fact->cap_day == model_day(fact->now_ms) + 1)
        return fact->cap_day * MS_A_DAY;
    return fact->now_ms;
}

static void add_to_ring(struct m_account *account, const struct fact *fact)
{
    size_t past = account->limits_off ? account->ring_count : calls_past(account, fact->now_ms);
    account->ring_count -= past;
    memmove(account->ring_at, account->ring_at + past,
            account->ring_count * sizeof(*account->ring_at));
    memmove(account->ring_tool, account->ring_tool + past,
            account->ring_count * sizeof(*account->ring_tool));
    assert(account->ring_count < RING_MAX);
    account->ring_at[account->ring_count] = fact->now_ms;
    account->ring_tool[account->ring_count++] = fact->item->tool;
}

static void take_quota(struct model *model, const struct fact *fact)
{
    int64_t day = model_day(fact->now_ms);
    struct m_quota *quota = model_quota(model, &fact->item->account, fact->item->tool, day);
    if (!quota) {
        assert(model->quota_count < QUOTAS_MAX);
        quota = &model->quota[model->quota_count++];
        *quota = (struct m_quota){ fact->item->account, fact->item->tool, day, 0 };
    }
    quota->used++;
}

/* Returns what the caps leave. */
static int64_t take_cap(struct m_token *token, const struct fact *fact)
{
    token->spent_total += fact->item->amount;
    token->spent_today = spent_on(token, fact->cap_day) + fact->item->amount;
    token->spent_day = fact->cap_day;
    int64_t total = token->cap_total == ABSENT ? INT64_MAX : token->cap_total - token->spent_total;
    int64_t daily = token->cap_daily == ABSENT ? INT64_MAX : token->cap_daily - token->spent_today;
    int64_t left = MIN(total, daily);
    return left == INT64_MAX ? ABSENT : left;
}

static void write_key(struct model *model, const struct fact *fact)
{
    const struct m_item *item = fact->item;
    struct m_key *key = model_key(model, &item->account, item->key);
    if (!key) {
        assert(model->key_count < KEYS_MAX);
        key = &model->key[model->key_count++];
    }
    *key = (struct m_key){ .account = item->account,
                           .hold = item->hold,
                           .headers.size = ABSENT,
                           .body.size = ABSENT,
                           .expires_ms = fact->now_ms + item->ttl_ms };
    memcpy(key->key, item->key, DIGEST_BYTES);
    memcpy(key->fingerprint, item->fingerprint, DIGEST_BYTES);
}

static void write_hold(struct model *model, const struct m_account *account,
                       const struct fact *fact, char *sqlstate)
{
    const struct m_item *item = fact->item;
    bool is_paid_now = item->ttl_ms == ABSENT;
    struct m_hold hold = { .account = item->account,
                           .id = item->hold,
                           .amount = item->amount,
                           .tool = item->tool,
                           .token = fact->token,
                           .state = is_paid_now ? HOLD_CAPTURED : HOLD_OPEN,
                           .quota_day =
                               counts_in_quota(account, fact) ? model_day(fact->now_ms) : ABSENT,
                           .has_key = item->has_key,
                           .created_ms = charge_ms(fact),
                           .expires_ms = fact->now_ms + (is_paid_now ? 0 : item->ttl_ms),
                           .settled_ms = is_paid_now ? charge_ms(fact) : ABSENT };
    memcpy(hold.key, item->key, DIGEST_BYTES);
    model_add_hold(model, &hold, sqlstate);
}

static void pay(struct model *model, struct m_account *account, const struct fact *fact,
                char *sqlstate)
{
    const struct m_item *item = fact->item;
    account->posted -= item->amount;
    account->used += item->amount;
    account->seq++;
    model_add_entry(model,
                    &(struct m_entry){ .account = item->account,
                                       .reference = item->hold,
                                       .seq = account->seq,
                                       .kind = ENTRY_USAGE,
                                       .amount = -item->amount,
                                       .balance_after = account->posted,
                                       .tool = item->tool,
                                       .token = fact->token,
                                       .at_ms = charge_ms(fact) },
                    sqlstate);
}

static void write_call(struct model *model, struct m_account *account, const struct fact *fact,
                       int64_t now_ms, struct m_outcome *o, char *sqlstate)
{
    const struct m_item *item = fact->item;
    struct m_token *token = &model->token[fact->token];
    bool is_paid_now = item->ttl_ms == ABSENT;
    o->outcome = is_paid_now ? "captured" : "admitted";
    add_to_ring(account, fact);
    if (counts_in_quota(account, fact))
        take_quota(model, fact);
    if (item->amount == 0) {
        o->granted = account->granted;
        o->purchased = account->purchased;
        o->used = account->used;
    } else {
        if (is_paid_now)
            pay(model, account, fact, sqlstate);
        else
            account->held += item->amount;
        if (fact->cap_day != ABSENT)
            o->granted = take_cap(token, fact);
        if (!is_paid_now || item->since != ABSENT || counts_in_quota(account, fact))
            write_hold(model, account, fact, sqlstate);
        if (item->has_key)
            write_key(model, fact);
    }
    if (!token->is_locked &&
        (token->last_used_ms == ABSENT || token->last_used_ms <= fact->now_ms - NOTE_USE_MS))
        token->last_used_ms = now_ms;
    o->posted = account->posted;
    o->held = account->held;
    o->seq = account->seq;
}

/* ---- the items ---- */

static struct m_outcome no_outcome(int64_t ord)
{
    return (struct m_outcome){ .ord = ord,
                               .posted = ABSENT,
                               .held = ABSENT,
                               .window_limit = ABSENT,
                               .window_left = ABSENT,
                               .reset_ms = ABSENT,
                               .retry_ms = ABSENT,
                               .headers.size = ABSENT,
                               .body.size = ABSENT,
                               .granted = ABSENT,
                               .purchased = ABSENT,
                               .used = ABSENT,
                               .seq = ABSENT };
}

/* What an outcome has of the token and the plan. */
static void describe(const struct model *model, const struct fact *fact, struct m_outcome *o)
{
    const struct m_tool *tool = find_tool(model, fact->item->tool);
    o->has_token = fact->token != ABSENT;
    if (o->has_token)
        o->token = model->token[fact->token].id;
    o->has_plan = fact->plan != NULL;
    o->plan_class = tool ? tool->rate_class : ABSENT;
    if (o->has_plan)
        o->plan = *fact->plan;
}

static void admit_one(struct model *model, const struct fact *fact, int64_t now_ms,
                      struct m_outcome *o, char *sqlstate)
{
    struct m_account *account = model_account(model, &fact->item->account);
    describe(model, fact, o);
    o->outcome = fact->known;
    if (!fact->known) {
        if (fact->item->has_key)
            take_over_key(model, fact, sqlstate);
        check_call(model, account, fact, o);
    } else if (fact->hold_state != ABSENT && strcmp(fact->known, "auth_invalid") != 0 &&
               strcmp(fact->known, "busy") != 0) {
        o->posted = account->posted;
        o->held = account->held;
        o->seq = account->seq;
    }
    if (!o->outcome)
        write_call(model, account, fact, now_ms, o, sqlstate);
}

struct m_outcome model_preview(struct model *model, const struct m_item *item, int64_t now_ms)
{
    struct fact fact = read_fact(model, item, ~0u, now_ms);
    const struct m_account *account = model_account(model, &item->account);
    struct m_outcome o = no_outcome(1);
    describe(model, &fact, &o);
    o.outcome = fact.known;
    if (fact.token != ABSENT) {
        o.posted = account->posted;
        o.held = account->held;
    }
    if (!fact.known)
        check_call(model, account, &fact, &o);
    return o;
}

/* If the clock was ahead, the calls of the ring count as if they were made now. */
static void correct_ring(struct m_account *account, int64_t now_ms)
{
    if (clock_was_ahead(account, now_ms))
        for (size_t i = 0; i < account->ring_count; i++)
            account->ring_at[i] = MIN(account->ring_at[i], now_ms);
}

void model_admit(struct model *model, const struct m_item *items, size_t count, unsigned locked,
                 int64_t now_ms, int64_t before, struct m_outcome *outcomes, char *sqlstate)
{
    struct fact *facts = sim_new(count * sizeof(*facts));
    model_find_paid(model, items, count, ~0u);
    for (size_t i = 0; i < count; i++)
        facts[i] = read_fact(model, &items[i], locked, now_ms);
    for (size_t i = 0; i < model->account_count; i++)
        if (1u << i & locked)
            for (size_t j = 0; j < count; j++)
                if (uuid_equal(&items[j].account, &model->account[i].id) &&
                    facts[j].token != ABSENT)
                    correct_ring(&model->account[i], now_ms);
    for (size_t i = 0; i < count; i++) {
        outcomes[i] = no_outcome(before + (int64_t)i + 1);
        admit_one(model, &facts[i], now_ms, &outcomes[i], sqlstate);
    }
    for (size_t i = 0; i < count; i++)
        if (items[i].since != ABSENT && (model_account_bit(model, &items[i].account) & locked))
            model_bar(model, &items[i].account, &items[i].hold, now_ms);
}
