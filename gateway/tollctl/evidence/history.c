/* gateway/tollctl/evidence/history.c - see history.h. */
#include "gateway/tollctl/evidence/history.h"

#include <inttypes.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"

enum {
    HEADS_A_QUERY = 5000,
    ARRAY_MAX_BYTES = HEADS_A_QUERY * 80,
};

/* ---- comparing ---- */

/* Columns of heads as array literals. */
static void write_arrays(const struct head *heads, size_t count, struct buf *accounts,
                         struct buf *seqs, struct buf *hashes)
{
    for (size_t i = 0; i < count; i++) {
        char account[UUID_TEXT_BYTES];
        char hash[2 * HASH_BYTES + 1];
        char before = i == 0 ? '{' : ',';
        uuid_format(account, &heads[i].account);
        hex_encode(hash, heads[i].hash, HASH_BYTES);
        buf_format(accounts, "%c%s", before, account);
        buf_format(seqs, "%c%" PRId64, before, heads[i].seq);
        buf_format(hashes, "%c\"\\\\x%s\"", before, hash);
    }
    buf_add_byte(accounts, '}');
    buf_add_byte(seqs, '}');
    buf_add_byte(hashes, '}');
}

static bool compare_some(struct sql *sql, const struct head *heads, size_t count, bool *differs,
                         struct err *err)
{
    scoped(buf_free) struct buf accounts = BUF(ARRAY_MAX_BYTES);
    scoped(buf_free) struct buf seqs = BUF(ARRAY_MAX_BYTES);
    scoped(buf_free) struct buf hashes = BUF(ARRAY_MAX_BYTES);
    scoped(db_rows_free) struct db_rows *rows = NULL;
    write_arrays(heads, count, &accounts, &seqs, &hashes);
    if (!sql_select(sql,
                    "select i.number from unnest($1::uuid[], $2::bigint[], $3::bytea[])"
                    "         with ordinality as i (account_id, seq, hash, number)"
                    "  left join ledger_entry e on e.account_id = i.account_id and e.seq = i.seq"
                    " where i.seq > 0 and e.hash is distinct from i.hash",
                    SQL_PARAMS(buf_str(&accounts), buf_str(&seqs), buf_str(&hashes)), &rows, err))
        return false;
    memset(differs, 0, count * sizeof(*differs));
    for (size_t row = 0; row < db_rows_count(rows); row++) {
        int64_t number;
        db_int(rows, row, 0, &number);
        differs[number - 1] = true;
    }
    return true;
}

bool history_compare(struct sql *sql, const struct head *heads, size_t count, bool *differs,
                     struct err *err)
{
    for (size_t i = 0; i < count; i += HEADS_A_QUERY)
        if (!compare_some(sql, heads + i, MIN(count - i, HEADS_A_QUERY), differs + i, err))
            return false;
    return true;
}

/* ---- noting ---- */

static void note_head(struct known_head *known, const struct head *head, bool differs,
                      uint32_t number)
{
    if (!differs && head->seq >= known->kept) {
        known->kept = head->seq;
        known->kept_block = number;
    }
    if (differs && (known->bad == 0 || head->seq < known->bad)) {
        known->bad = head->seq;
        known->bad_block = number;
    }
}

/* Forget what the block says is lost. */
static void note_lost(const struct heads *known, const struct root_block *block)
{
    for (size_t i = 0; i < block->lost_count; i++) {
        const struct lost_entries *lost = &block->lost[i];
        struct known_head *account = heads_find(known, &lost->account);
        if (account && account->bad >= lost->first && account->bad <= lost->last)
            account->bad = 0;
    }
}

bool history_note(struct sql *sql, const struct heads *known, const struct root_block *block,
                  uint32_t number, struct err *err)
{
    scoped(mem_free) struct head *list = mem_array(block->head_count + 1, sizeof(*list));
    scoped(mem_free) bool *differs = mem_array(block->head_count + 1, sizeof(*differs));
    size_t count = 0;
    note_lost(known, block);
    for (size_t i = 0; i < block->head_count; i++) {
        const struct known_head *account = heads_find(known, &block->heads[i].account);
        if (account && !account->is_skipped)
            list[count++] = block->heads[i];
    }
    if (!history_compare(sql, list, count, differs, err))
        return false;
    for (size_t i = 0; i < count; i++)
        note_head(heads_find(known, &list[i].account), &list[i], differs[i], number);
    return true;
}
