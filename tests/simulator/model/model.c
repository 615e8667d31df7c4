/* tests/simulator/model/model.c - lookups, lost outcomes, sweeps, and the batch of the model. */
#include "model.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"

enum {
    KEEP_HOLDS_MS = 2 * MS_A_DAY,
    JUMP_MS = 600000,    /* more is a jump of the clock */
    STEADY_MS = 3600000, /* of a clock, before anything is pruned */
    SWEEP_BACK_MS = 7200000,
};

static enum mutant chosen;

bool is_mutant(enum mutant mutant)
{
    return chosen == mutant;
}

void mutant_choose(enum mutant mutant)
{
    chosen = mutant;
}

#define COPY_ROWS(to, from, rows, count) \
    memcpy((to)->rows, (from)->rows, (count) * sizeof(*(to)->rows))

void model_copy(struct model *to, const struct model *from)
{
    memcpy(to, from, offsetof(struct model, account));
    COPY_ROWS(to, from, account, from->account_count);
    COPY_ROWS(to, from, token, from->token_count);
    COPY_ROWS(to, from, tool, from->tool_count);
    COPY_ROWS(to, from, hold, from->hold_count);
    COPY_ROWS(to, from, entry, from->entry_count);
    COPY_ROWS(to, from, key, from->key_count);
    COPY_ROWS(to, from, quota, from->quota_count);
    COPY_ROWS(to, from, piece, from->piece_count);
}

/* ---- lookups ---- */

struct m_account *model_account(struct model *model, const struct uuid *id)
{
    for (size_t i = 0; i < model->account_count; i++)
        if (uuid_equal(&model->account[i].id, id))
            return &model->account[i];
    return NULL;
}

unsigned model_account_bit(const struct model *model, const struct uuid *id)
{
    for (size_t i = 0; i < model->account_count; i++)
        if (uuid_equal(&model->account[i].id, id))
            return 1u << i;
    return 0;
}

struct m_hold *model_hold(struct model *model, const struct uuid *account, const struct uuid *id)
{
    for (size_t i = model->hold_count; i-- > 0;)
        if (uuid_equal(&model->hold[i].id, id) && uuid_equal(&model->hold[i].account, account))
            return &model->hold[i];
    return NULL;
}

struct m_key *model_key(struct model *model, const struct uuid *account, const uint8_t *key)
{
    for (size_t i = 0; i < model->key_count; i++)
        if (memcmp(model->key[i].key, key, DIGEST_BYTES) == 0 &&
            uuid_equal(&model->key[i].account, account))
            return &model->key[i];
    return NULL;
}

void model_drop_key(struct model *model, struct m_key *key)
{
    *key = model->key[--model->key_count];
}

struct m_quota *model_quota(struct model *model, const struct uuid *account, int64_t tool,
                            int64_t day)
{
    for (size_t i = 0; i < model->quota_count; i++) {
        struct m_quota *quota = &model->quota[i];
        if (quota->tool == tool && quota->day == day && uuid_equal(&quota->account, account))
            return quota;
    }
    return NULL;
}

int64_t model_day(int64_t ms)
{
    return ms / MS_A_DAY;
}

int64_t model_newest_call(const struct m_account *account)
{
    return account->ring_count > 0 ? account->ring_at[account->ring_count - 1] : ABSENT;
}

/* ---- rows ---- */

struct m_hold *model_add_hold(struct model *model, const struct m_hold *hold, char *sqlstate)
{
    assert(model->hold_count < HOLDS_MAX);
    if (model_hold(model, &hold->account, &hold->id)) {
        memcpy(sqlstate, "23505", SQLSTATE_BYTES);
        return NULL;
    }
    model->hold[model->hold_count] = *hold;
    return &model->hold[model->hold_count++];
}

static const struct m_entry *find_usage(const struct model *model, const struct uuid *hold)
{
    for (size_t i = 0; i < model->entry_count; i++)
        if (model->entry[i].kind == ENTRY_USAGE && uuid_equal(&model->entry[i].reference, hold))
            return &model->entry[i];
    return NULL;
}

bool model_is_charged(const struct model *model, const struct uuid *hold)
{
    return find_usage(model, hold) != NULL;
}

/* The indexes ledger_entry_once and ledger_entry_one_usage. */
static bool is_repeated(const struct model *model, const struct m_entry *entry)
{
    if (entry->kind == ENTRY_USAGE)
        return model_is_charged(model, &entry->reference);
    for (size_t i = 0; i < model->entry_count; i++)
        if (model->entry[i].kind == entry->kind &&
            uuid_equal(&model->entry[i].reference, &entry->reference) &&
            uuid_equal(&model->entry[i].account, &entry->account))
            return true;
    return false;
}

void model_add_entry(struct model *model, const struct m_entry *entry, char *sqlstate)
{
    assert(model->entry_count < ENTRIES_MAX);
    if (is_repeated(model, entry) && !is_mutant(MUTANT_REFUND_TWICE))
        memcpy(sqlstate, "23505", SQLSTATE_BYTES);
    model->entry[model->entry_count++] = *entry;
}

/* ---- lost outcomes ---- */

void model_find_paid(struct model *model, const struct m_item *items, size_t count, unsigned mask)
{
    for (size_t i = 0; i < count; i++) {
        const struct m_item *item = &items[i];
        if (item->since == ABSENT || is_mutant(MUTANT_NO_FIND) ||
            !(model_account_bit(model, &item->account) & mask))
            continue;
        const struct m_entry *usage = find_usage(model, &item->hold);
        if (!usage || usage->seq <= item->since || !uuid_equal(&usage->account, &item->account) ||
            model_hold(model, &item->account, &item->hold))
            continue;
        const struct m_hold hold = { .account = item->account,
                                     .id = item->hold,
                                     .amount = -usage->amount,
                                     .tool = usage->tool,
                                     .token = usage->token,
                                     .state = HOLD_CAPTURED,
                                     .quota_day = ABSENT,
                                     .created_ms = usage->at_ms,
                                     .expires_ms = usage->at_ms };
        char unused[SQLSTATE_BYTES];
        model_add_hold(model, &hold, unused);
    }
}

void model_bar(struct model *model, const struct uuid *account, const struct uuid *id,
               int64_t now_ms)
{
    if (is_mutant(MUTANT_NO_BAR) || model_is_charged(model, id) || model_hold(model, account, id))
        return;
    const struct m_hold hold = { .account = *account,
                                 .id = *id,
                                 .token = ABSENT,
                                 .state = HOLD_VOIDED,
                                 .quota_day = ABSENT,
                                 .created_ms = now_ms,
                                 .expires_ms = now_ms };
    char unused[SQLSTATE_BYTES];
    model_add_hold(model, &hold, unused);
}

/* ---- checks ---- */

const char *model_check(const struct model *model, const struct uuid *account,
                        const uint8_t *digest, int64_t *token)
{
    *token = ABSENT;
    for (size_t i = 0; i < model->token_count; i++)
        if (memcmp(model->token[i].digest, digest, DIGEST_BYTES) == 0 &&
            uuid_equal(&model->token[i].account, account))
            *token = (int64_t)i;
    if (*token == ABSENT)
        return "auth_invalid";
    if (model->token[*token].is_revoked)
        return "auth_revoked";
    for (size_t i = 0; i < model->account_count; i++)
        if (uuid_equal(&model->account[i].id, account) && model->account[i].is_suspended)
            return "account_suspended";
    return NULL;
}

/* ---- the batch ---- */

unsigned model_wanted(const struct model *model, const struct m_batch *batch)
{
    unsigned wanted = 0;
    int64_t token;
    for (size_t i = 0; i < batch->settle_count; i++)
        wanted |= model_account_bit(model, &batch->settle[i].account);
    for (size_t i = 0; i < batch->admit_count; i++) {
        const struct m_item *item = &batch->admit[i];
        model_check(model, &item->account, item->token, &token);
        if (token != ABSENT)
            wanted |= model_account_bit(model, &item->account);
    }
    return wanted;
}

static bool has_one_id_twice(const struct m_batch *batch)
{
    for (size_t i = 0; i < batch->admit_count; i++)
        for (size_t j = 0; j < i; j++)
            if (batch->admit[i].amount != 0 && batch->admit[j].amount != 0 &&
                uuid_equal(&batch->admit[i].hold, &batch->admit[j].hold))
                return true;
    return false;
}

/* The constraints of table account_balance. */
static void check_rows(const struct model *model, char *sqlstate)
{
    for (size_t i = 0; i < model->account_count; i++) {
        const struct m_account *a = &model->account[i];
        if (a->posted < 0 || a->held < 0 || (a->held > a->posted && !a->is_poisoned) ||
            a->used < 0 || a->posted != a->granted + a->purchased - a->used)
            memcpy(sqlstate, "23514", SQLSTATE_BYTES);
    }
}

void model_batch(struct model *model, const struct m_batch *batch, unsigned locked, int64_t now_ms,
                 struct m_outcome *outcomes, char sqlstate[static SQLSTATE_BYTES])
{
    *sqlstate = '\0';
    if (has_one_id_twice(batch)) {
        memcpy(sqlstate, "23505", SQLSTATE_BYTES);
        return;
    }
    model_settle(model, batch->settle, batch->settle_count, locked, now_ms, outcomes, sqlstate);
    model_admit(model, batch->admit, batch->admit_count, locked, now_ms,
                (int64_t)batch->settle_count, outcomes + batch->settle_count, sqlstate);
    check_rows(model, sqlstate);
}

/* ---- sweeps ---- */

/* Where a step over holds that expire after since stops: at now, or at the limit. */
static int64_t step_until(const struct model *model, int64_t since_ms, int64_t limit,
                          int64_t now_ms)
{
    int64_t until_ms = now_ms;
    for (size_t i = 0; i < model->hold_count; i++) {
        int64_t at_ms = model->hold[i].expires_ms;
        int64_t before = 0;
        if (at_ms <= since_ms || at_ms > now_ms)
            continue;
        for (size_t j = 0; j < model->hold_count; j++)
            before += model->hold[j].expires_ms > since_ms && model->hold[j].expires_ms < at_ms;
        if (before >= limit)
            until_ms = MIN(until_ms, at_ms);
    }
    return until_ms;
}

struct m_step model_sweep(struct model *model, int64_t since_ms, int64_t limit, unsigned locked,
                          int64_t now_ms, char sqlstate[static SQLSTATE_BYTES])
{
    if (since_ms < 0)
        since_ms = now_ms - SWEEP_BACK_MS;
    int64_t until_ms = step_until(model, since_ms, limit, now_ms);
    struct m_step step = { .is_more = until_ms < now_ms, .reached_ms = until_ms, .busy_ms = -1 };
    *sqlstate = '\0';
    for (size_t i = 0; i < model->hold_count; i++) {
        struct m_hold *hold = &model->hold[i];
        unsigned bit = model_account_bit(model, &hold->account);
        if (hold->state != HOLD_OPEN || hold->expires_ms <= since_ms || hold->expires_ms > until_ms)
            continue;
        if (bit & locked) {
            step.busy_ms =
                step.busy_ms < 0 ? hold->expires_ms : MIN(step.busy_ms, hold->expires_ms);
        } else if (model_account(model, &hold->account)->is_poisoned) {
            if (is_mutant(MUTANT_SWEEP_STOPS))
                memcpy(sqlstate, "23514", SQLSTATE_BYTES);
        } else {
            model_expire(model, &hold->account, &hold->id, now_ms, sqlstate);
            step.count++;
        }
    }
    return step;
}

static bool is_clock_steady(struct model *model, int64_t now_ms)
{
    bool is_jump = model->prune_seen_ms == ABSENT || now_ms > model->prune_seen_ms + JUMP_MS ||
                   now_ms < model->prune_seen_ms - JUMP_MS;
    if (is_jump)
        model->prune_steady_ms = now_ms;
    model->prune_seen_ms = now_ms;
    return is_mutant(MUTANT_PRUNE_JUMPS) || model->prune_steady_ms <= now_ms - STEADY_MS;
}

struct m_step model_prune(struct model *model, int64_t since_ms, int64_t limit, int64_t now_ms)
{
    struct m_step step = { .reached_ms = since_ms, .busy_ms = -1 };
    (void)limit; /* a schedule has fewer rows */
    if (!is_clock_steady(model, now_ms))
        return step;
    for (size_t i = model->hold_count; i-- > 0;) {
        const struct m_hold *hold = &model->hold[i];
        if (hold->state != HOLD_OPEN && hold->expires_ms > since_ms - KEEP_HOLDS_MS &&
            hold->expires_ms <= now_ms - KEEP_HOLDS_MS) {
            model->hold[i] = model->hold[--model->hold_count];
            step.count++;
        }
    }
    for (size_t i = model->key_count; i-- > 0;) {
        if (model->key[i].expires_ms > since_ms && model->key[i].expires_ms <= now_ms) {
            model_drop_key(model, &model->key[i]);
            step.count++;
        }
    }
    step.reached_ms = now_ms;
    return step;
}

/* ---- large responses ---- */

static const struct m_piece *find_piece(const struct model *model, const struct uuid *account,
                                        const struct uuid *hold)
{
    for (size_t i = 0; i < model->piece_count; i++)
        if (uuid_equal(&model->piece[i].hold, hold) &&
            uuid_equal(&model->piece[i].account, account))
            return &model->piece[i];
    return NULL;
}

bool model_put_large(struct model *model, const struct uuid *account, const struct uuid *id)
{
    const struct m_hold *hold = model_hold(model, account, id);
    assert(model->piece_count < KEYS_MAX);
    if (!hold || hold->state != HOLD_OPEN || !hold->has_key)
        return false;
    model->piece[model->piece_count++] = (struct m_piece){ *account, *id };
    return true;
}

bool model_get_large(const struct model *model, const struct uuid *account, const uint8_t *key,
                     struct uuid *hold)
{
    const struct m_key *row = model_key((struct model *)(uintptr_t)model, account, key);
    if (!row || !row->is_done || !find_piece(model, account, &row->hold))
        return false;
    *hold = row->hold;
    return true;
}

bool model_large_replayed(struct model *model, const struct uuid *account, const uint8_t *key)
{
    struct m_key *row = model_key(model, account, key);
    struct m_hold *hold = row && row->is_done && row->body.size == ABSENT
                              ? model_hold(model, account, &row->hold)
                              : NULL;
    if (hold)
        hold->is_replayed = true;
    return hold != NULL;
}
