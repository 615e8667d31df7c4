/*
 * tests/simulator/judge.c - what must be true of every schedule, by true time.
 *
 *  1. A response of 200 means one charge of its price, and a result that the call's own work made.
 *  2. An error means no charge in the end. Exceptions: outcome_unknown, if the response was
 * replayed for its key, or the gateway stopped; and a connection that broke.
 *  3. A call is charged at most once and refunded at most once.
 *  4. A key is charged once, and a replay has the response of that call.
 *  5. No window, cap or balance is exceeded.
 *  6. A call that is not charged is not counted in the daily quota and in caps, and nothing is
 * held.
 *  7. Each call ends in time.
 *  8. Balances are the sums of their entries.
 *  9. No call fails for an internal error of the gateway.
 *
 * Of an account that lost commits in a failover, only calls after it are judged by 1 and 2.
 */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "world.h"

enum {
    BOOKINGS_MAX = 512,
    MINUTE_MS = 60000,
    REFUND_WAIT_MS = 250,
    SLACK_MS = 600,
    WAITS = 4, /* for the ledger, in the longest path of a call */
};

/* A call that a batch admitted. */
struct booking {
    struct uuid account, id;
    int64_t tool, amount, at_ms;
};

static struct {
    size_t count;
    struct booking booking[BOOKINGS_MAX];
} judge;

void judge_begin(void)
{
    judge.count = 0;
}

/* ---- windows ---- */

static bool was_booked(const struct m_item *item)
{
    for (size_t i = 0; i < judge.count; i++)
        if (item->amount > 0 && uuid_equal(&judge.booking[i].id, &item->hold))
            return true;
    return false;
}

static int64_t class_of(int64_t tool)
{
    const struct model *model = servers_database();
    return model->tool[tool - 1].rate_class;
}

static void check_window(const struct m_item *item, int64_t now_ms)
{
    int64_t all = 0, same = 0, of_class = 0;
    for (size_t i = 0; i < judge.count; i++) {
        const struct booking *booking = &judge.booking[i];
        if (booking->at_ms <= now_ms - MINUTE_MS || !uuid_equal(&booking->account, &item->account))
            continue;
        all++;
        same += booking->tool == item->tool;
        of_class += class_of(booking->tool) == class_of(item->tool);
    }
    if (all > item->global_limit ||
        (item->endpoint_limit != ABSENT && same > item->endpoint_limit) ||
        (item->class_limit != ABSENT && of_class > item->class_limit))
        world_fail(
            "a window of a minute has too many calls: %lld of the account, %lld of the tool, "
            "%lld of the class",
            (long long)all, (long long)same, (long long)of_class);
}

static bool is_exempt(const struct uuid *account)
{
    return world.lost_accounts & model_account_bit(servers_database(), account);
}

void judge_commit(const struct request *request, const struct response *response, int64_t now_ms)
{
    const struct m_batch *batch = &request->batch;
    for (size_t i = 0; i < batch->admit_count; i++) {
        const struct m_item *item = &batch->admit[i];
        const char *outcome = response->outcome[batch->settle_count + i].outcome;
        bool is_booked = strcmp(outcome, "admitted") == 0 || strcmp(outcome, "captured") == 0;
        if (!is_booked || was_booked(item) || judge.count == BOOKINGS_MAX)
            continue;
        judge.booking[judge.count++] =
            (struct booking){ item->account, item->hold, item->tool, item->amount, now_ms };
        if (!model_account(servers_database(), &item->account)->limits_off &&
            !world.clock_was_wrong && !is_exempt(&item->account))
            check_window(item, now_ms);
    }
}

/* ---- charges ---- */

struct charges {
    size_t usages, refunds;
    int64_t amount; /* of the usage */
};

static struct charges charges_of(const struct uuid *id)
{
    const struct model *model = servers_database();
    struct charges charges = { 0 };
    for (size_t i = 0; i < model->entry_count; i++) {
        const struct m_entry *entry = &model->entry[i];
        if (!uuid_equal(&entry->reference, id))
            continue;
        charges.usages += entry->kind == ENTRY_USAGE;
        charges.refunds += entry->kind == ENTRY_REFUND;
        if (entry->kind == ENTRY_USAGE)
            charges.amount = -entry->amount;
    }
    return charges;
}

static bool is_charged(const struct uuid *id)
{
    struct charges charges = charges_of(id);
    return charges.usages > charges.refunds;
}

static const char *text_of_id(const struct attempt *attempt)
{
    static char id[UUID_TEXT_BYTES];
    uuid_format(id, &attempt->id);
    return id;
}

static bool has_result_of(const struct attempt *attempt, const struct attempt *call)
{
    return strstr(attempt->result, text_of_id(call)) != NULL;
}

static const struct m_hold *hold_of(const struct attempt *attempt)
{
    struct uuid account = tools_account(attempt->account);
    return model_hold(servers_database(), &account, &attempt->id);
}

/* Did the database replay its response? Then the charge is right, whatever its own client got. */
static bool was_replayed(const struct attempt *attempt)
{
    const struct m_hold *hold = hold_of(attempt);
    return hold && hold->is_replayed;
}

static void check_success(const struct attempt *attempt)
{
    struct charges charges = charges_of(&attempt->id);
    int64_t price = world_contracts[attempt->tool].credits;
    if (!has_result_of(attempt, attempt))
        world_fail("call %s got the result of another call", text_of_id(attempt));
    if (charges.usages != 1 || charges.refunds != 0 || charges.amount != price ||
        attempt->charged != price)
        world_fail("call %s succeeded, and has %zu charges of %lld and %zu refunds",
                   text_of_id(attempt), charges.usages, (long long)charges.amount, charges.refunds);
}

static void check_error(const struct attempt *attempt)
{
    if (attempt->kind == ERR_INTERNAL && !attempt->has_internal_error)
        world_fail("call %s failed with an internal error of the gateway", text_of_id(attempt));
    if (!is_charged(&attempt->id))
        return;
    bool may_be =
        attempt->kind == ERR_OUTCOME_UNKNOWN && (attempt->was_killed || was_replayed(attempt));
    if (!may_be)
        world_fail("call %s failed with %s, and is charged", text_of_id(attempt),
                   err_code(attempt->kind));
}

static bool is_same_key(const struct attempt *a, const struct attempt *b)
{
    return a->key >= 0 && a->key == b->key && a->account == b->account && a->tool == b->tool;
}

static void check_replay(const struct attempt *attempt)
{
    bool is_secret = world_contracts[attempt->tool].secret_input;
    if (is_charged(&attempt->id))
        world_fail("call %s was a replay, and is charged", text_of_id(attempt));
    for (size_t i = 0; i < world.attempt_count; i++) {
        const struct attempt *call = &world.attempt[i];
        if (is_same_key(call, attempt) && is_charged(&call->id) &&
            (is_secret || has_result_of(attempt, call)))
            return;
    }
    world_fail("call %s replayed a response that is not charged", text_of_id(attempt));
}

static void check_key(const struct attempt *attempt)
{
    size_t charged = 0;
    for (size_t i = 0; i < world.attempt_count; i++)
        charged += is_same_key(&world.attempt[i], attempt) && is_charged(&world.attempt[i].id);
    if (charged > 1)
        world_fail("key %d of account %zu is charged %zu times", attempt->key, attempt->account,
                   charged);
}

static void check_time(const struct attempt *attempt)
{
    int64_t budget_ms = world_contracts[attempt->tool].budget_ms;
    int64_t most_ms = budget_ms + WAITS * (LEDGER_TIMEOUT_MS + REFUND_WAIT_MS) + SLACK_MS;
    int64_t took_us = attempt->end_us - attempt->begin_us;
    int64_t stalled_us = sim_stalled_us() - attempt->stalled_us;
    if (took_us - stalled_us > most_ms * US_A_MS)
        world_fail("call %s took %lld ms, and at most %lld are allowed", text_of_id(attempt),
                   (long long)(took_us / US_A_MS), (long long)most_ms);
}

static void check_attempt(const struct attempt *attempt)
{
    struct uuid account = tools_account(attempt->account);
    if (attempt->is_done)
        check_time(attempt);
    if (attempt->key >= 0 && !is_exempt(&account))
        check_key(attempt);
    if (!attempt->is_done || (is_exempt(&account) && attempt->begin_us <= world.lost_us))
        return;
    if (!attempt->is_ok)
        check_error(attempt);
    else if (!attempt->is_replayed)
        check_success(attempt);
    else if (!is_exempt(&account))
        check_replay(attempt);
}

/* ---- accounts ---- */

static void check_entries(const struct model *model, const struct m_account *account)
{
    int64_t posted = 0, seq = 0, used = 0;
    for (size_t i = 0; i < model->entry_count; i++) {
        const struct m_entry *entry = &model->entry[i];
        if (!uuid_equal(&entry->account, &account->id))
            continue;
        struct charges charges = charges_of(&entry->reference);
        posted += entry->amount;
        used -= entry->kind == ENTRY_USAGE || entry->kind == ENTRY_REFUND ? entry->amount : 0;
        if (entry->seq != ++seq || entry->balance_after != posted)
            world_fail("entry %lld does not continue the one before", (long long)entry->seq);
        if (entry->kind != ENTRY_GRANT && (charges.usages != 1 || charges.refunds > 1))
            world_fail("a call is charged %zu times and refunded %zu times", charges.usages,
                       charges.refunds);
    }
    if (posted != account->posted || seq != account->seq || used != account->used)
        world_fail("an account's balance is not the sum of its entries");
}

static void check_charge_of(const struct model *model, const struct m_hold *hold)
{
    if ((hold->state == HOLD_CAPTURED) != model_is_charged(model, &hold->id))
        world_fail("a hold in state %lld does not match its entry", (long long)hold->state);
    for (size_t i = 0; i < model->entry_count; i++) {
        const struct m_entry *entry = &model->entry[i];
        bool is_its = entry->kind == ENTRY_USAGE && uuid_equal(&entry->reference, &hold->id);
        if (is_its && hold->expires_ms > hold->created_ms && entry->at_ms >= hold->expires_ms)
            world_fail("a hold was captured after its time");
    }
}

/* A call that is not charged has lost its key. Exception: another call took the key over when its
 * time was over, and was rejected. */
static void check_keys(const struct model *model)
{
    for (size_t i = 0; i < model->key_count; i++) {
        const struct m_key *key = &model->key[i];
        const struct m_hold *hold = model_hold(servers_database(), &key->account, &key->hold);
        if (!key->is_done && hold && hold->state != HOLD_OPEN && hold->state != HOLD_EXPIRED)
            world_fail("a call that is not charged keeps its key");
    }
}

static void check_ring(const struct m_account *account)
{
    for (size_t i = 1; i < account->ring_count; i++)
        if (account->ring_at[i] < account->ring_at[i - 1])
            world_fail("an account's clock went back");
}

static void check_holds(const struct model *model, const struct m_account *account)
{
    int64_t held = 0;
    size_t open = 0;
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct m_hold *hold = &model->hold[i];
        if (!uuid_equal(&hold->account, &account->id))
            continue;
        held += hold->state == HOLD_OPEN ? hold->amount : 0;
        open += world_must_end(hold);
        check_charge_of(model, hold);
    }
    if (account->held != held || open > 0)
        world_fail("after all calls %lld credits are held, and %zu open holds have %lld",
                   (long long)account->held, open, (long long)held);
}

static void check_token(const struct m_token *token, const struct m_account *account)
{
    if (token->spent_total == ABSENT)
        return;
    if (token->spent_total != account->used || token->spent_total > token->cap_total ||
        token->spent_today > token->cap_daily)
        world_fail("a token has spent %lld by its counters and %lld by its entries",
                   (long long)token->spent_total, (long long)account->used);
}

static void check_quota(const struct m_quota *quota)
{
    int64_t least = 0, most = 0;
    for (size_t i = 0; i < world.attempt_count; i++) {
        const struct attempt *attempt = &world.attempt[i];
        struct uuid account = tools_account(attempt->account);
        if ((int64_t)attempt->tool + 1 != quota->tool || !uuid_equal(&account, &quota->account))
            continue;
        least += is_charged(&attempt->id);
        most += is_charged(&attempt->id) || attempt->was_declined;
    }
    if (quota->used < least || quota->used > most)
        world_fail("account %d: %lld calls are counted in the day, and %lld to %lld are charged",
                   quota->account.bytes[UUID_BYTES - 1], (long long)quota->used, (long long)least,
                   (long long)most);
}

void judge_end(void)
{
    const struct model *model = servers_database();
    for (size_t i = 0; i < world.attempt_count; i++)
        check_attempt(&world.attempt[i]);
    check_keys(model);
    for (size_t i = 0; i < world.plan.accounts; i++) {
        check_entries(model, &model->account[i]);
        check_holds(model, &model->account[i]);
        check_ring(&model->account[i]);
        if (!world.clock_was_wrong)
            check_token(&model->token[i], &model->account[i]);
    }
    for (size_t i = 0; i < model->quota_count && !world.clock_was_wrong; i++)
        if (!is_exempt(&model->quota[i].account))
            check_quota(&model->quota[i]);
}
