/* tests/simulator/model/model-settle.c - ledger_settle() and what it calls. */
#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "gateway/ledger/items.h"
#include "model.h"

enum { OP_EXPIRE = 5 /* of SQL only */, KEEP_KEYS_MS = MS_A_DAY };

/* The call no longer counts in the daily quota. */
static void return_quota(struct model *model, const struct m_hold *hold)
{
    struct m_quota *quota = hold->quota_day == ABSENT
                                ? NULL
                                : model_quota(model, &hold->account, hold->tool, hold->quota_day);
    if (quota)
        quota->used--;
}

/* Nor in the caps of its token. */
static void return_caps(struct model *model, const struct m_hold *hold)
{
    struct m_token *token = hold->token == ABSENT ? NULL : &model->token[hold->token];
    if (!token || token->spent_total == ABSENT || is_mutant(MUTANT_CAPS_KEPT))
        return;
    token->spent_total -= hold->amount;
    if (model_day(hold->created_ms) == token->spent_day)
        token->spent_today -= hold->amount;
}

static struct m_key *key_of(struct model *model, const struct m_hold *hold)
{
    struct m_key *key = hold->has_key ? model_key(model, &hold->account, hold->key) : NULL;
    return key && uuid_equal(&key->hold, &hold->id) ? key : NULL;
}

/* ---- refunds ---- */

static bool is_refunded(const struct model *model, const struct m_hold *hold)
{
    for (size_t i = 0; i < model->entry_count; i++)
        if (model->entry[i].kind == ENTRY_REFUND &&
            uuid_equal(&model->entry[i].reference, &hold->id) &&
            uuid_equal(&model->entry[i].account, &hold->account))
            return true;
    return false;
}

static void drop_keys_of(struct model *model, const struct m_hold *hold)
{
    for (size_t i = model->key_count; i-- > 0;)
        if (uuid_equal(&model->key[i].hold, &hold->id) &&
            uuid_equal(&model->key[i].account, &hold->account))
            model_drop_key(model, &model->key[i]);
}

static void refund(struct model *model, const struct m_hold *hold, int64_t now_ms, char *sqlstate)
{
    struct m_account *account = model_account(model, &hold->account);
    if (is_refunded(model, hold) && !is_mutant(MUTANT_REFUND_TWICE))
        return;
    account->posted += hold->amount;
    account->used -= hold->amount;
    account->seq++;
    model_add_entry(model,
                    &(struct m_entry){ .account = hold->account,
                                       .reference = hold->id,
                                       .seq = account->seq,
                                       .kind = ENTRY_REFUND,
                                       .amount = hold->amount,
                                       .balance_after = account->posted,
                                       .tool = hold->tool,
                                       .token = hold->token,
                                       .at_ms = now_ms },
                    sqlstate);
    if (!is_mutant(MUTANT_QUOTA_KEPT))
        return_quota(model, hold);
    return_caps(model, hold);
    drop_keys_of(model, hold);
}

/* ---- the end of a hold ---- */

static void charge(struct model *model, const struct m_hold *hold, int64_t now_ms, char *sqlstate)
{
    struct m_account *account = model_account(model, &hold->account);
    account->posted -= hold->amount;
    account->used += hold->amount;
    account->seq++;
    model_add_entry(model,
                    &(struct m_entry){ .account = hold->account,
                                       .reference = hold->id,
                                       .seq = account->seq,
                                       .kind = ENTRY_USAGE,
                                       .amount = -hold->amount,
                                       .balance_after = account->posted,
                                       .tool = hold->tool,
                                       .token = hold->token,
                                       .at_ms = now_ms },
                    sqlstate);
}

/* settle_keys() */
static void end_key(struct model *model, const struct m_hold *hold, const struct m_item *item,
                    int64_t now_ms)
{
    struct m_key *key = key_of(model, hold);
    if (!key)
        return;
    if (hold->state == HOLD_CAPTURED) {
        key->is_done = true;
        key->headers = item->headers;
        key->body = item->body;
        key->expires_ms = now_ms + KEEP_KEYS_MS;
    } else if (!is_mutant(MUTANT_KEY_KEPT)) {
        model_drop_key(model, key);
    }
}

static int64_t ended_state(int64_t op, const struct m_hold *hold, int64_t now_ms)
{
    bool is_over = hold->expires_ms <= now_ms && !is_mutant(MUTANT_LATE_CAPTURE);
    if (op == OP_CAPTURE && !is_over)
        return HOLD_CAPTURED;
    return op == OP_CAPTURE || op == OP_EXPIRE ? HOLD_EXPIRED : HOLD_VOIDED;
}

/* End the hold of an item, if it is open. */
static void end_hold(struct model *model, const struct m_item *item, int64_t now_ms, bool ends_key,
                     char *sqlstate)
{
    struct m_hold *hold = model_hold(model, &item->account, &item->hold);
    struct m_account *account = model_account(model, &item->account);
    now_ms = MAX(now_ms, model_newest_call(account));
    if (!hold || hold->state != HOLD_OPEN || (item->op == OP_EXPIRE && hold->expires_ms > now_ms))
        return;
    hold->state = ended_state(item->op, hold, now_ms);
    hold->settled_ms = now_ms;
    if (hold->state != HOLD_EXPIRED || !is_mutant(MUTANT_HELD_KEPT))
        account->held -= hold->amount;
    if (hold->state == HOLD_CAPTURED) {
        charge(model, hold, now_ms, sqlstate);
    } else {
        if (item->op != OP_VOID_KEEP_DAY)
            return_quota(model, hold);
        return_caps(model, hold);
    }
    if (ends_key)
        end_key(model, hold, item, now_ms);
}

void model_expire(struct model *model, const struct uuid *account, const struct uuid *hold,
                  int64_t now_ms, bool ends_key, char *sqlstate)
{
    const struct m_item item = { .op = OP_EXPIRE, .account = *account, .hold = *hold };
    end_hold(model, &item, now_ms, ends_key, sqlstate);
}

/* ---- the items ---- */

static const char *settle_outcome(const struct m_item *item, const struct m_hold *hold)
{
    if (!hold)
        return "unknown";
    if (item->op == OP_CANCEL && hold->state == HOLD_CAPTURED && !hold->is_replayed)
        return "refunded";
    static const char *const names[] = { [HOLD_OPEN] = "open",
                                         [HOLD_CAPTURED] = "captured",
                                         [HOLD_VOIDED] = "voided",
                                         [HOLD_EXPIRED] = "expired" };
    return names[hold->state];
}

static struct m_outcome write_outcome(struct model *model, const struct m_item *item, size_t place,
                                      unsigned locked)
{
    const struct m_account *account = model_account(model, &item->account);
    const struct m_hold *hold = model_hold(model, &item->account, &item->hold);
    bool is_call = hold && hold->amount > 0;
    bool is_busy = account && !(model_account_bit(model, &item->account) & locked);
    return (struct m_outcome){ .ord = (int64_t)place + 1,
                               .outcome = is_busy ? "busy" : settle_outcome(item, hold),
                               .posted = is_call ? account->posted : ABSENT,
                               .held = is_call ? account->held : ABSENT,
                               .window_limit = ABSENT,
                               .window_left = ABSENT,
                               .reset_ms = ABSENT,
                               .retry_ms = ABSENT,
                               .headers.size = ABSENT,
                               .body.size = ABSENT,
                               .granted = ABSENT,
                               .purchased = ABSENT,
                               .used = ABSENT,
                               .seq = is_call ? account->seq : ABSENT };
}

static void refund_cancelled(struct model *model, const struct m_item *item, int64_t now_ms,
                             char *sqlstate)
{
    model_find_paid(model, item, 1, ~0u);
    const struct m_hold *hold = model_hold(model, &item->account, &item->hold);
    if (hold && hold->state == HOLD_CAPTURED &&
        (!hold->is_replayed || is_mutant(MUTANT_REFUND_REPLAYED)))
        refund(model, hold, now_ms, sqlstate);
}

void model_settle(struct model *model, const struct m_item *items, size_t count, unsigned locked,
                  int64_t now_ms, struct m_outcome *outcomes, char *sqlstate)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].op == OP_CANCEL && (model_account_bit(model, &items[i].account) & locked))
            refund_cancelled(model, &items[i], now_ms, sqlstate);
    for (size_t i = 0; i < count; i++)
        if (model_account_bit(model, &items[i].account) & locked)
            end_hold(model, &items[i], now_ms, true, sqlstate);
    for (size_t i = 0; i < count; i++)
        outcomes[i] = write_outcome(model, &items[i], i, locked);
    for (size_t i = 0; i < count; i++)
        if (items[i].op == OP_CANCEL && (model_account_bit(model, &items[i].account) & locked))
            model_bar(model, &items[i].account, &items[i].hold, now_ms);
}
