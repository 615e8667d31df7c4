/* tests/simulator/model/model.c - lookups, lost outcomes, sweeps, and the batch of the model. */
#include "model.h"

#include <assert.h>
#include <endian.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/num.h"

enum {
    KEEP_HOLDS_MS = 2 * MS_A_DAY,
    KEEP_QUOTAS_DAYS = 7,
    PIECES_STEP = 100,   /* a step has this many times fewer pieces than holds: they are large */
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
    COPY_ROWS(to, from, plan, from->plan_count);
    COPY_ROWS(to, from, fault, from->fault_count);
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

static size_t put_be(uint8_t *out, int64_t value, size_t size)
{
    uint64_t wire = htobe64((uint64_t)value);
    memcpy(out, (const uint8_t *)&wire + sizeof(wire) - size, size);
    return size;
}

/* chain_entry() of entry_record(): the hash of the entry before, and 84 bytes of this one. */
static void chain(uint8_t head[HASH_BYTES], const struct m_entry *entry, const struct uuid *token)
{
    enum { TO_2000_MS_A_DAY = 10957 /* days from 1970 */ };
    uint8_t record[HASH_BYTES + 84];
    uint8_t *at = record;
    memcpy(at, head, HASH_BYTES);
    at += HASH_BYTES;
    memcpy(at, entry->account.bytes, UUID_BYTES);
    at += UUID_BYTES;
    at += put_be(at, entry->seq, 8);
    at += put_be(at, entry->kind, 2);
    at += put_be(at, entry->amount, 8);
    at += put_be(at, entry->balance_after, 8);
    memcpy(at, entry->reference.bytes, UUID_BYTES);
    at += UUID_BYTES;
    at += put_be(at, entry->tool == ABSENT ? 0 : entry->tool, 2);
    memcpy(at, token->bytes, UUID_BYTES);
    at += UUID_BYTES;
    at += put_be(at, (entry->at_ms - (int64_t)TO_2000_MS_A_DAY * MS_A_DAY) * 1000, 8);
    assert(at == record + sizeof(record));
    EVP_Digest(record, sizeof(record), head, NULL, EVP_sha256(), NULL);
}

void model_add_entry(struct model *model, const struct m_entry *entry, char *sqlstate)
{
    static const struct uuid none;
    struct m_account *account = model_account(model, &entry->account);
    assert(model->entry_count < ENTRIES_MAX);
    if (is_repeated(model, entry) && !is_mutant(MUTANT_REFUND_TWICE))
        memcpy(sqlstate, "23505", SQLSTATE_BYTES);
    chain(account->head, entry, entry->token == ABSENT ? &none : &model->token[entry->token].id);
    struct m_entry *added = &model->entry[model->entry_count++];
    *added = *entry;
    memcpy(added->hash, account->head, HASH_BYTES);
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
                                     .expires_ms = usage->at_ms,
                                     .settled_ms = usage->at_ms };
        char unused[SQLSTATE_BYTES];
        model_add_hold(model, &hold, unused);
    }
}

void model_bar(struct model *model, const struct uuid *account, const struct uuid *id,
               int64_t now_ms)
{
    if (is_mutant(MUTANT_NO_BAR) || !model_account(model, account) || model_is_charged(model, id) ||
        model_hold(model, account, id))
        return;
    const struct m_hold hold = { .account = *account,
                                 .id = *id,
                                 .token = ABSENT,
                                 .state = HOLD_VOIDED,
                                 .quota_day = ABSENT,
                                 .created_ms = now_ms,
                                 .expires_ms = now_ms,
                                 .settled_ms = now_ms };
    char unused[SQLSTATE_BYTES];
    model_add_hold(model, &hold, unused);
}

/* ---- checks ---- */

int64_t model_token(const struct model *model, const struct uuid *account, const uint8_t *digest)
{
    for (size_t i = 0; i < model->token_count; i++)
        if (memcmp(model->token[i].digest, digest, DIGEST_BYTES) == 0 &&
            uuid_equal(&model->token[i].account, account))
            return (int64_t)i;
    return ABSENT;
}

static bool is_in_network(const struct m_network *network, const struct m_address *address)
{
    if (network->bits == 0)
        return true;
    return address->kind == ADDRESS_IPV4 &&
           (address->ipv4 ^ network->address) >> (32 - network->bits) == 0;
}

const char *model_token_error(const struct model *model, int64_t token,
                              const struct m_address *address, int64_t now_ms)
{
    static const char *const states[] = { NULL, "account_suspended", "account_closed" };
    if (token == ABSENT)
        return "auth_invalid";
    const struct m_token *row = &model->token[token];
    const struct m_account *account =
        model_account((struct model *)(uintptr_t)model, &row->account);
    if (row->is_revoked)
        return "auth_revoked";
    if (row->expires_ms != ABSENT && row->expires_ms <= now_ms)
        return "auth_expired";
    if (account->state != ACCOUNT_ACTIVE)
        return states[account->state];
    return is_in_network(&row->network, address) ? NULL : "ip_not_allowed";
}

struct m_check model_token_check(const struct model *model, const struct uuid *account,
                                 const uint8_t *digest, const struct m_address *address,
                                 int64_t now_ms)
{
    int64_t token = model_token(model, account, digest);
    struct m_check check = { .outcome = model_token_error(model, token, address, now_ms),
                             .has_token = token != ABSENT,
                             .spent_today = ABSENT,
                             .plan_ms = ABSENT };
    if (token == ABSENT)
        return check;
    const struct m_account *row = model_account((struct model *)(uintptr_t)model, account);
    check.token = model->token[token];
    if (check.token.spent_total != ABSENT)
        check.spent_today =
            check.token.spent_day >= model_day(now_ms) ? check.token.spent_today : 0;
    check.has_plan = row->plan != ABSENT;
    if (check.has_plan) {
        check.plan = model->plan[row->plan];
        check.plan_ms = row->plan_ms;
    }
    return check;
}

/* ---- the batch ---- */

unsigned model_wanted(const struct model *model, const struct m_batch *batch)
{
    unsigned wanted = 0;
    for (size_t i = 0; i < batch->settle_count; i++)
        wanted |= model_account_bit(model, &batch->settle[i].account);
    for (size_t i = 0; i < batch->admit_count; i++) {
        const struct m_item *item = &batch->admit[i];
        if (model_token(model, &item->account, item->token) != ABSENT)
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

/* The constraints of tables account_balance and daily_quota. */
void model_check_rows(const struct model *model, char *sqlstate)
{
    for (size_t i = 0; i < model->account_count; i++) {
        const struct m_account *a = &model->account[i];
        if (a->posted < 0 || a->held < 0 || (a->held > a->posted && !a->is_poisoned) ||
            a->used < 0 || a->purchased < 0 || a->posted != a->granted + a->purchased - a->used)
            memcpy(sqlstate, "23514", SQLSTATE_BYTES);
    }
    for (size_t i = 0; i < model->quota_count; i++)
        if (model->quota[i].used < 0)
            memcpy(sqlstate, "23514", SQLSTATE_BYTES);
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
    model_check_rows(model, sqlstate);
}

/* ---- sweeps ---- */

/* The time number `place` of those in (since, now], in their order; ABSENT: there are fewer. */
static int64_t time_at(const int64_t *times, size_t count, int64_t since_ms, int64_t now_ms,
                       int64_t place)
{
    for (size_t i = 0; i < count; i++) {
        int64_t before = 0, until = 0;
        if (times[i] <= since_ms || times[i] > now_ms)
            continue;
        for (size_t j = 0; j < count; j++) {
            before += times[j] > since_ms && times[j] < times[i];
            until += times[j] > since_ms && times[j] <= times[i];
        }
        if (before <= place && place < until)
            return times[i];
    }
    return ABSENT;
}

static int64_t expiry_of_holds(const struct model *model, int64_t since_ms, int64_t now_ms,
                               int64_t place)
{
    int64_t times[HOLDS_MAX];
    for (size_t i = 0; i < model->hold_count; i++)
        times[i] = model->hold[i].expires_ms;
    return time_at(times, model->hold_count, since_ms, now_ms, place);
}

/* task_failed(). released: the sum of the holds that could not expire. */
static void note_fault(struct model *model, const struct m_account *account, uint64_t released,
                       int64_t now_ms)
{
    size_t i = 0;
    if (!model->has_faults)
        return;
    while (i < model->fault_count && !uuid_equal(&model->fault[i].account, &account->id))
        i++;
    struct m_fault *fault = &model->fault[i];
    if (i == model->fault_count) {
        model->fault_count++;
        *fault = (struct m_fault){ .account = account->id, .first_ms = now_ms };
    }
    fault->last_ms = now_ms;
    fault->error = released > INT64_MAX ? "bigint out of range"
                                        : "new row for relation \"account_balance\" violates check"
                                          " constraint \"account_balance_check\"";
}

struct m_step model_sweep(struct model *model, int64_t since_ms, int64_t limit, unsigned locked,
                          int64_t now_ms, char sqlstate[static SQLSTATE_BYTES])
{
    if (since_ms < 0)
        since_ms = now_ms - SWEEP_BACK_MS;
    int64_t until_ms = expiry_of_holds(model, since_ms, now_ms, limit);
    struct m_step step = { .is_more = until_ms != ABSENT, .busy_ms = -1 };
    until_ms = until_ms == ABSENT ? now_ms : until_ms;
    uint64_t released[ACCOUNTS_MAX] = { 0 };
    step.reached_ms = until_ms;
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
            released[__builtin_ctz(bit)] += (uint64_t)hold->amount;
        } else {
            model_expire(model, &hold->account, &hold->id, now_ms, true, sqlstate);
            step.count++;
        }
    }
    for (size_t i = 0; i < model->account_count; i++)
        if (released[i] > 0)
            note_fault(model, &model->account[i], released[i], now_ms);
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

/* Where a step of ledger_prune() stops. */
static int64_t prune_until(const struct model *model, int64_t since_ms, int64_t limit,
                           int64_t now_ms)
{
    int64_t times[KEYS_MAX];
    int64_t hold_ms = expiry_of_holds(model, since_ms - KEEP_HOLDS_MS, INT64_MAX, limit);
    for (size_t i = 0; i < model->key_count; i++)
        times[i] = model->key[i].expires_ms;
    int64_t key_ms = time_at(times, model->key_count, since_ms, INT64_MAX, limit);
    for (size_t i = 0; i < model->piece_count; i++)
        times[i] = model->piece[i].expires_ms;
    int64_t piece_ms = time_at(times, model->piece_count, since_ms, INT64_MAX,
                               MAX(limit / PIECES_STEP, (int64_t)1));
    int64_t until_ms = now_ms;
    if (hold_ms != ABSENT)
        until_ms = MIN(until_ms, hold_ms + KEEP_HOLDS_MS);
    if (key_ms != ABSENT)
        until_ms = MIN(until_ms, key_ms);
    return piece_ms == ABSENT ? until_ms : MIN(until_ms, piece_ms);
}

static bool is_in(int64_t at_ms, int64_t since_ms, int64_t until_ms)
{
    return at_ms > since_ms && at_ms <= until_ms;
}

static int64_t prune_holds(struct model *model, int64_t since_ms, int64_t until_ms, unsigned locked)
{
    int64_t count = 0;
    for (size_t i = model->hold_count; i-- > 0;) {
        const struct m_hold *hold = &model->hold[i];
        if (hold->state == HOLD_OPEN || !is_in(hold->expires_ms, since_ms, until_ms) ||
            (model_account_bit(model, &hold->account) & locked))
            continue;
        model->hold[i] = model->hold[--model->hold_count];
        count++;
    }
    return count;
}

static int64_t prune_keys(struct model *model, int64_t since_ms, int64_t until_ms, unsigned locked)
{
    int64_t count = 0;
    for (size_t i = model->key_count; i-- > 0;) {
        if (!is_in(model->key[i].expires_ms, since_ms, until_ms) ||
            (model_account_bit(model, &model->key[i].account) & locked))
            continue;
        model_drop_key(model, &model->key[i]);
        count++;
    }
    return count;
}

static int64_t prune_pieces(struct model *model, int64_t since_ms, int64_t until_ms,
                            unsigned locked)
{
    int64_t count = 0;
    for (size_t i = model->piece_count; i-- > 0;) {
        if (!is_in(model->piece[i].expires_ms, since_ms, until_ms) ||
            (model_account_bit(model, &model->piece[i].account) & locked))
            continue;
        model->piece[i] = model->piece[--model->piece_count];
        count++;
    }
    return count;
}

/* With more than `limit`, PostgreSQL chooses which, so no schedule has as many. */
static int64_t prune_quotas(struct model *model, int64_t now_ms, unsigned locked)
{
    int64_t count = 0;
    for (size_t i = model->quota_count; i-- > 0;) {
        if (model->quota[i].day >= model_day(now_ms) - KEEP_QUOTAS_DAYS ||
            (model_account_bit(model, &model->quota[i].account) & locked))
            continue;
        model->quota[i] = model->quota[--model->quota_count];
        count++;
    }
    return count;
}

struct m_step model_prune(struct model *model, int64_t since_ms, int64_t limit, int64_t now_ms)
{
    return model_prune_unlocked(model, since_ms, limit, (struct m_row_locks){ 0 }, now_ms);
}

struct m_step model_prune_unlocked(struct model *model, int64_t since_ms, int64_t limit,
                                   struct m_row_locks locked, int64_t now_ms)
{
    struct m_step step = { .reached_ms = since_ms, .busy_ms = -1 };
    if (!is_clock_steady(model, now_ms))
        return step;
    int64_t until_ms = prune_until(model, since_ms, limit, now_ms);
    step.is_more = until_ms < now_ms;
    step.reached_ms = until_ms;
    step.count =
        prune_holds(model, since_ms - KEEP_HOLDS_MS, until_ms - KEEP_HOLDS_MS, locked.holds);
    step.count += prune_keys(model, since_ms, until_ms, locked.keys);
    step.count += prune_pieces(model, since_ms, until_ms, locked.pieces);
    step.count += prune_quotas(model, now_ms, locked.quotas);
    return step;
}
