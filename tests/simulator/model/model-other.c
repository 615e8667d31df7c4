/*
 * tests/simulator/model/model-other.c - functions of operators, and those of large responses.
 */
#include <assert.h>
#include <string.h>

#include "gateway/ledger/items.h"
#include "model.h"

enum { KEEP_HOLDS_MS = 2 * MS_A_DAY, KEEP_PIECES_MS = MS_A_DAY };

static bool is_booked(const struct model *model, const struct m_entry *entry)
{
    for (size_t i = 0; i < model->entry_count; i++)
        if (model->entry[i].kind == entry->kind &&
            uuid_equal(&model->entry[i].reference, &entry->reference) &&
            uuid_equal(&model->entry[i].account, &entry->account))
            return true;
    return false;
}

/* The index ledger_entry_one_grant. */
static bool has_grant(const struct model *model, const struct uuid *account)
{
    for (size_t i = 0; i < model->entry_count; i++)
        if (model->entry[i].kind == ENTRY_GRANT && uuid_equal(&model->entry[i].account, account))
            return true;
    return false;
}

/* Constraints of ledger_entry: which kinds take credits, and which give them. */
static bool has_sign_of_kind(const struct m_entry *entry)
{
    bool takes = entry->kind == ENTRY_USAGE || entry->kind == ENTRY_REVERSED;
    if (entry->amount == 0)
        return false;
    return entry->kind == ENTRY_ADJUSTMENT || (entry->amount < 0) == takes;
}

/* False: a sum is out of range. */
static bool add_to_balance(struct m_account *account, const struct m_entry *entry)
{
    int64_t unused = 0, *of_kind = &unused;
    if (entry->kind == ENTRY_GRANT || entry->kind == ENTRY_ADJUSTMENT)
        of_kind = &account->granted;
    if (entry->kind == ENTRY_PURCHASE || entry->kind == ENTRY_REVERSED ||
        entry->kind == ENTRY_UNDONE)
        of_kind = &account->purchased;
    account->seq++;
    return !__builtin_add_overflow(account->posted, entry->amount, &account->posted) &&
           !__builtin_add_overflow(*of_kind, entry->amount, of_kind);
}

enum m_answer model_book(struct model *model, const struct m_entry *entry,
                         char sqlstate[static SQLSTATE_BYTES])
{
    struct m_account *account = model_account(model, &entry->account);
    *sqlstate = '\0';
    if (!account) {
        memcpy(sqlstate, "P0001", SQLSTATE_BYTES);
        return ANSWER_NULL;
    }
    if (is_booked(model, entry))
        return ANSWER_FALSE;
    if (!add_to_balance(account, entry)) {
        memcpy(sqlstate, "22003", SQLSTATE_BYTES);
        return ANSWER_NULL;
    }
    if (entry->kind == ENTRY_GRANT && has_grant(model, &entry->account))
        memcpy(sqlstate, "23505", SQLSTATE_BYTES);
    struct m_entry booked = *entry;
    booked.seq = account->seq;
    booked.balance_after = account->posted;
    model_add_entry(model, &booked, sqlstate);
    model_check_rows(model, sqlstate);
    if (!has_sign_of_kind(entry))
        memcpy(sqlstate, "23514", SQLSTATE_BYTES);
    return ANSWER_TRUE;
}

enum m_answer model_cap(struct model *model, size_t token, int64_t daily, int64_t total)
{
    struct m_token *row = &model->token[token];
    if (row->spent_total == ABSENT)
        return ANSWER_FALSE;
    row->cap_daily = daily;
    row->cap_total = total;
    return ANSWER_TRUE;
}

/* The account's newest entry that is older than holds are kept. */
static int64_t old_seq(const struct model *model, const struct uuid *account, int64_t now_ms)
{
    int64_t seq = 0;
    for (size_t i = 0; i < model->entry_count; i++) {
        const struct m_entry *entry = &model->entry[i];
        if (uuid_equal(&entry->account, account) && entry->at_ms < now_ms - KEEP_HOLDS_MS &&
            entry->seq > seq)
            seq = entry->seq;
    }
    return seq;
}

const char *model_end_call(struct model *model, const struct uuid *account, const struct uuid *hold,
                           int64_t now_ms, char sqlstate[static SQLSTATE_BYTES])
{
    struct m_item item = { .op = OP_CANCEL,
                           .account = *account,
                           .hold = *hold,
                           .since = old_seq(model, account, now_ms) };
    struct m_outcome outcome;
    *sqlstate = '\0';
    model_find_paid(model, &item, 1, ~0u);
    if (!model_hold(model, account, hold))
        return NULL;
    item.since = ABSENT;
    model_settle(model, &item, 1, model_account_bit(model, account), now_ms, &outcome, sqlstate);
    model_check_rows(model, sqlstate);
    return outcome.outcome;
}

/* ---- large responses ---- */

static const struct m_piece *find_piece(const struct model *model, const struct uuid *account,
                                        const struct uuid *hold, int64_t piece)
{
    for (size_t i = 0; i < model->piece_count; i++)
        if (model->piece[i].piece == piece && uuid_equal(&model->piece[i].hold, hold) &&
            uuid_equal(&model->piece[i].account, account))
            return &model->piece[i];
    return NULL;
}

enum m_answer model_put_large(struct model *model, const struct m_piece *piece,
                              char sqlstate[static SQLSTATE_BYTES])
{
    const struct m_hold *hold = model_hold(model, &piece->account, &piece->hold);
    *sqlstate = '\0';
    assert(model->piece_count < KEYS_MAX);
    if (!hold || hold->state != HOLD_OPEN || !hold->has_key)
        return ANSWER_NULL;
    if (find_piece(model, &piece->account, &piece->hold, piece->piece))
        memcpy(sqlstate, "23505", SQLSTATE_BYTES);
    struct m_piece *added = &model->piece[model->piece_count++];
    *added = *piece;
    added->expires_ms = hold->expires_ms + KEEP_PIECES_MS;
    return ANSWER_TRUE;
}

const struct m_piece *model_get_large(struct model *model, const struct uuid *account,
                                      const uint8_t *digest, const uint8_t *key, int64_t piece)
{
    const struct m_key *row = model_key(model, account, key);
    if (!row || !row->is_done || model_token(model, account, digest) == ABSENT)
        return NULL;
    return find_piece(model, account, &row->hold, piece);
}

enum m_answer model_large_replayed(struct model *model, const struct uuid *account,
                                   const uint8_t *digest, const uint8_t *key)
{
    const struct m_key *row = model_key(model, account, key);
    if (model_token(model, account, digest) == ABSENT || !row || !row->is_done ||
        row->body.size != ABSENT)
        return ANSWER_FALSE;
    struct m_hold *hold = model_hold(model, account, &row->hold);
    if (!hold)
        return ANSWER_FALSE;
    hold->is_replayed = true;
    return ANSWER_TRUE;
}
