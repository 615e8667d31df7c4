/*
 * gateway/tollctl/evidence/publish.c - see publish.h.
 *
 * 1. Lock the file. Read it, and check its signatures and links. Only the first run of all begins a
 *    file without --new-file.
 * 2. Read the heads of all accounts in one snapshot. Compare the heads that the file has of changed
 *    accounts with the entries in the database.
 * 3. Append the block, and wait until it is on the disk.
 * 4. Store the root, and paths for the accounts whose head has none, in one transaction. So a run
 *    that ends between 3 and 4 leaves nothing to repair.
 */
#include "gateway/tollctl/evidence/publish.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"
#include "gateway/tollctl/evidence/history.h"
#include "gateway/tollctl/evidence/root-io.h"
#include "gateway/tollctl/evidence/roots.h"

enum {
    HEADS_A_PAGE = 5000,
    PROOFS_A_QUERY = 500,
    LINE_MAX_BYTES = 1024,
    HASH_TEXT_BYTES = 2 * HASH_BYTES + 1,
};

#define FIRST_UUID "00000000-0000-0000-0000-000000000000"

/* An account whose head has no path yet. */
struct proof {
    struct head head;
    size_t leaf;
};

struct publish {
    struct sql *sql;
    const struct publish_order *order;
    struct signing_key *key;
    FILE *stream;
    struct root_file file;
    bool was_torn;                      /* the file ended with an incomplete block */
    char newest_time[CLOCK_TEXT_BYTES]; /* of the newest root in the database; empty: none */
    uint8_t newest[HASH_BYTES];         /* the digest of its line */
    bool has_newest;                    /* the file has it, or continues it */
    struct heads known;                 /* the newest head of each account in the file */
    struct merkle tree;
    struct root_block block; /* the new one */
    size_t heads_capacity;
    struct proof *proofs;
    size_t proof_count;
    size_t proof_capacity;
    size_t lost_accounts;
    int64_t lost_entries;
    struct buf line;
};

static void publish_free(struct publish *publish)
{
    signing_key_free(&publish->key);
    root_io_close(&publish->stream);
    heads_free(&publish->known);
    merkle_free(&publish->tree);
    root_block_free(&publish->block);
    mem_free(&publish->proofs);
    buf_free(&publish->line);
}

/* ---- 1: the file ---- */

static bool read_newest(struct publish *publish, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(publish->sql,
                 "select root_at, encode(sha256(convert_to(line, 'UTF8')), 'hex') as digest"
                 "  from ledger_root order by root_at desc limit 1",
                 NO_PARAMS, row, err))
        return false;
    scoped(buf_free) struct buf digest = BUF(HASH_BYTES);
    sql_copy(row, "root_at", publish->newest_time, sizeof(publish->newest_time));
    if (hex_decode(&digest, json_text_of(json_get(row, "digest"))) && digest.size == HASH_BYTES)
        memcpy(publish->newest, digest.bytes, HASH_BYTES);
    return true;
}

static bool keep_block(void *context, const struct root_block *block, struct err *err)
{
    struct publish *publish = context;
    (void)err;
    publish->has_newest |= memcmp(block->digest, publish->newest, HASH_BYTES) == 0 ||
                           memcmp(block->previous, publish->newest, HASH_BYTES) == 0;
    for (size_t i = 0; i < block->head_count; i++)
        heads_put(&publish->known, &block->heads[i]);
    return true;
}

/* Without this check, nobody would notice that the file was emptied, deleted or not mounted. */
static bool check_begin(const struct publish *publish, struct err *err)
{
    const struct publish_order *order = publish->order;
    if (order->new_file && publish->file.blocks > 0)
        return err_set(err, ERR_INVALID_VALUE,
                       "%s has roots already; run this without --new-file, or move the file away "
                       "first",
                       order->file);
    return publish->file.blocks > 0 || order->new_file || publish->newest_time[0] == '\0' ||
           err_set(err, ERR_INVALID_VALUE,
                   "%s does not exist or has no root, but the database has roots up to %s; mount "
                   "the file or bring back your newest copy, or add --new-file once if you moved "
                   "it away",
                   order->file, publish->newest_time);
}

static bool open_file(struct publish *publish, struct err *err)
{
    const struct publish_order *order = publish->order;
    bool may_create = order->new_file || publish->newest_time[0] == '\0';
    return root_io_open(order->file, may_create, &publish->stream, err) &&
           (publish->stream || check_begin(publish, err));
}

/* Without this check, somebody could cut the file at the end of a block. After a restore, the
 * newest root in the database may be in an older file. */
static bool check_newest(const struct publish *publish, struct err *err)
{
    if (publish->file.blocks == 0 || publish->newest_time[0] == '\0' || publish->has_newest ||
        publish->order->after_restore)
        return true;
    return err_set(err, ERR_SIGNATURE_INVALID,
                   "%s ends with the root of %s, but the database has one of %s: it was cut off, "
                   "or is another file; take a newer copy, or move it away and add --new-file; "
                   "after a restore, add --after-restore",
                   publish->order->file, publish->file.time, publish->newest_time);
}

static bool read_file(struct publish *publish, struct err *err)
{
    const struct root_keys keys = { { publish->key }, 1 };
    publish->file = (struct root_file){ .name = publish->order->file, .limit = INT64_MAX };
    if (!roots_read(publish->stream, &keys, keep_block, publish, &publish->file, err) ||
        !roots_check_heads(&publish->file, &publish->known, err) || !check_begin(publish, err) ||
        !check_newest(publish, err))
        return false;
    publish->was_torn = publish->file.is_torn;
    return !publish->was_torn ||
           root_io_cut(publish->stream, publish->order->file, publish->file.size, err);
}

/* ---- 2: the heads ---- */

/* The list, with room for one more item. */
static void *make_room(void *list, size_t count, size_t *capacity, size_t item_bytes)
{
    if (count < *capacity)
        return list;
    *capacity = *capacity ? 2 * *capacity : HEADS_A_PAGE;
    return mem_resize(list, *capacity * item_bytes);
}

static void add_changed(struct publish *publish, const struct head *head)
{
    struct root_block *block = &publish->block;
    block->heads =
        make_room(block->heads, block->head_count, &publish->heads_capacity, sizeof(*head));
    block->heads[block->head_count++] = *head;
}

static void add_proof(struct publish *publish, const struct head *head)
{
    publish->proofs = make_room(publish->proofs, publish->proof_count, &publish->proof_capacity,
                                sizeof(*publish->proofs));
    publish->proofs[publish->proof_count++] = (struct proof){ *head, publish->tree.leaves };
}

static void read_head(const struct db_rows *rows, size_t row, struct head *head)
{
    struct text account, hash;
    db_text(rows, row, 0, &account);
    db_int(rows, row, 1, &head->seq);
    db_text(rows, row, 2, &hash);
    memcpy(head->account.bytes, account.bytes, UUID_BYTES);
    memcpy(head->hash, hash.bytes, HASH_BYTES);
}

static bool fail_head(const struct head *head, struct err *err)
{
    char account[UUID_TEXT_BYTES];
    uuid_format(account, &head->account);
    return err_set(err, ERR_SIGNATURE_INVALID,
                   "account %s: its head is not the hash of its newest entry, %" PRId64
                   "; run `tollctl verify`",
                   account, head->seq);
}

/* One account: a leaf, and a head of the block if it has changed. */
static bool add_account(struct publish *publish, const struct db_rows *rows, size_t row,
                        struct err *err)
{
    struct head head;
    int64_t is_right, has_proof;
    read_head(rows, row, &head);
    db_int(rows, row, 3, &is_right);
    db_int(rows, row, 4, &has_proof);
    if (!is_right)
        return fail_head(&head, err);
    struct known_head *known = heads_find(&publish->known, &head.account);
    if (known)
        known->is_seen = true;
    if (!known || known->head.seq != head.seq ||
        memcmp(known->head.hash, head.hash, HASH_BYTES) != 0)
        add_changed(publish, &head);
    if (!has_proof)
        add_proof(publish, &head);
    head_leaf(&publish->tree, &head);
    publish->block.accounts++;
    publish->block.entries += head.seq;
    return true;
}

static bool read_heads(struct publish *publish, struct err *err)
{
    char after[UUID_TEXT_BYTES] = FIRST_UUID;
    size_t count = HEADS_A_PAGE;
    while (count == HEADS_A_PAGE) {
        scoped(db_rows_free) struct db_rows *rows = NULL;
        scoped(buf_free) struct buf last = BUF(UUID_TEXT_BYTES);
        scoped(mem_free) char *statement =
            str_format("select b.account_id, b.seq, b.head, e.hash is not distinct from b.head,"
                       "       exists (select from ledger_proof p"
                       "                where p.account_id = b.account_id and p.seq = b.seq)"
                       "  from account_balance b"
                       "  left join ledger_entry e on e.account_id = b.account_id and e.seq = b.seq"
                       " where b.account_id > $1 and b.seq > 0"
                       " order by b.account_id limit %d",
                       HEADS_A_PAGE);
        if (!sql_select(publish->sql, statement, SQL_PARAMS(after), &rows, err))
            return false;
        count = db_rows_count(rows);
        for (size_t row = 0; row < count; row++)
            if (!add_account(publish, rows, row, err))
                return false;
        if (count > 0)
            sql_write(rows, count - 1, 0, &last);
        snprintf(after, sizeof(after), "%s", buf_str(&last));
    }
    return true;
}

/* Accounts of the file that have no entries any more. */
static void add_vanished(struct publish *publish)
{
    const struct heads *known = &publish->known;
    for (size_t i = 0; i < known->capacity; i++) {
        const struct known_head *slot = &known->slot[i];
        if (slot->is_used && !slot->is_seen && slot->head.seq > 0)
            add_changed(publish, &(struct head){ .account = slot->head.account });
    }
    heads_sort(publish->block.heads, publish->block.head_count);
}

/* Compare the heads that have changed, as the file has them, with the entries. */
static bool compare_heads(struct publish *publish, struct err *err)
{
    const struct root_block *block = &publish->block;
    scoped(mem_free) struct head *old = mem_array(block->head_count + 1, sizeof(*old));
    scoped(mem_free) bool *differs = mem_array(block->head_count + 1, sizeof(*differs));
    for (size_t i = 0; i < block->head_count; i++) {
        const struct known_head *known = heads_find(&publish->known, &block->heads[i].account);
        if (known)
            old[i] = known->head;
    }
    if (!history_compare(publish->sql, old, block->head_count, differs, err))
        return false;
    for (size_t i = 0; i < block->head_count; i++)
        if (differs[i]) {
            heads_find(&publish->known, &block->heads[i].account)->is_lost = true;
            publish->lost_accounts++;
        }
    return true;
}

static bool read_time(struct publish *publish, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    const char *last = publish->file.blocks > 0 ? publish->file.time : NULL;
    if (!sql_row(publish->sql,
                 "select greatest(ms_to_time(ledger_now_ms()), r.at + interval '1 ms') as at"
                 "  from (select greatest(max(root_at), $1::timestamptz) as at from ledger_root) r",
                 SQL_PARAMS(last), row, err))
        return false;
    sql_copy(row, "at", publish->block.time, sizeof(publish->block.time));
    return true;
}

static bool read_database(struct publish *publish, struct err *err)
{
    if (!sql_begin(publish->sql, SQL_SNAPSHOT, err) || !read_time(publish, err) ||
        !read_heads(publish, err))
        return false;
    add_vanished(publish);
    return compare_heads(publish, err) && sql_commit(publish->sql, err);
}

/* ---- what is missing in the database ---- */

static bool fail_lost(const struct publish *publish, struct err *err)
{
    const struct root_block *block = &publish->block;
    const struct known_head *known = NULL;
    char account[UUID_TEXT_BYTES];
    for (size_t i = 0; i < block->head_count && !(known && known->is_lost); i++)
        known = heads_find(&publish->known, &block->heads[i].account);
    uuid_format(account, &known->head.account);
    return err_set(err, ERR_SIGNATURE_INVALID,
                   "account %s: the database does not have entry %" PRId64
                   " of the file (%zu accounts differ); see `tollctl verify --against`, or add "
                   "--after-restore if a backup was restored",
                   account, known->head.seq, publish->lost_accounts);
}

struct finding {
    struct publish *publish;
    struct heads lost;
};

static bool note_block(void *context, const struct root_block *block, struct err *err)
{
    struct finding *finding = context;
    return history_note(finding->publish->sql, &finding->lost, block, 0, err);
}

/* The first entry of the account that the database may not have. Only a root proves that entries
 * are the original ones: those after the newest matching head may be new calls with old numbers. */
static int64_t first_lost(const struct known_head *known)
{
    return MIN(known->kept + 1, known->bad);
}

static void add_lost(struct publish *publish, const struct heads *lost)
{
    struct root_block *block = &publish->block;
    block->lost = mem_array(publish->lost_accounts, sizeof(*block->lost));
    for (size_t i = 0; i < block->head_count; i++) {
        const struct known_head *known = heads_find(lost, &block->heads[i].account);
        if (!known)
            continue;
        int64_t first = first_lost(known);
        block->lost[block->lost_count++] =
            (struct lost_entries){ known->head.account, first, known->head.seq };
        publish->lost_entries += known->head.seq - first + 1;
    }
}

/* Record that the history was cut, with the entries of each account that may be lost. */
static bool cut_history(struct publish *publish, struct err *err)
{
    struct finding finding = { .publish = publish };
    struct root_block *block = &publish->block;
    const struct root_keys keys = { { publish->key }, 1 };
    for (size_t i = 0; i < block->head_count; i++) {
        const struct known_head *known = heads_find(&publish->known, &block->heads[i].account);
        if (known && known->is_lost)
            heads_put(&finding.lost, &known->head);
    }
    bool ok = roots_read(publish->stream, &keys, note_block, &finding, &publish->file, err);
    if (ok) {
        memcpy(block->cut, block->time, sizeof(block->cut));
        add_lost(publish, &finding.lost);
    }
    heads_free(&finding.lost);
    return ok;
}

static bool check_lost(struct publish *publish, struct err *err)
{
    if (!publish->order->after_restore)
        return publish->lost_accounts == 0 || fail_lost(publish, err);
    if (publish->lost_accounts == 0)
        return err_set(err, ERR_INVALID_VALUE,
                       "the database has all entries of %s: run this without --after-restore",
                       publish->order->file);
    return cut_history(publish, err);
}

/* ---- 3 and 4: writing ---- */

static bool write_block(struct publish *publish, struct err *err)
{
    scoped(buf_free) struct buf text = BUF(SIZE_MAX - 1); /* as large as the heads in memory */
    struct root_block *block = &publish->block;
    merkle_build(&publish->tree);
    merkle_root(&publish->tree, block->root);
    memcpy(block->previous, publish->file.blocks > 0 ? publish->file.digest : publish->newest,
           HASH_BYTES);
    root_block_write(block, publish->key, &text, &publish->line);
    return root_io_append(publish->stream, publish->order->file, publish->file.size, &text, err);
}

static bool store_root(struct publish *publish, struct err *err)
{
    uint8_t key[PUBLIC_KEY_BYTES];
    char hex[2 * PUBLIC_KEY_BYTES + 1];
    signing_key_public(publish->key, key);
    hex_encode(hex, key, sizeof(key));
    return sql_run(publish->sql, "select ledger_root_add($1, $2, decode($3, 'hex'))",
                   SQL_PARAMS(publish->block.time, buf_str(&publish->line), hex), err);
}

static void write_path(const struct publish *publish, size_t leaf, struct buf *out)
{
    scoped(buf_free) struct buf path = BUF(MERKLE_PATH_MAX_BYTES);
    char hex[2 * MERKLE_PATH_MAX_BYTES + 1];
    merkle_path(&publish->tree, leaf, &path);
    hex_encode(hex, buf_str(&path), path.size);
    buf_format(out, "\"\\\\x%s\"", hex);
}

static bool store_proofs(struct publish *publish, size_t from, size_t count, struct err *err)
{
    scoped(buf_free) struct buf accounts = BUF(PROOFS_A_QUERY * UUID_TEXT_BYTES + 2);
    scoped(buf_free) struct buf seqs = BUF(PROOFS_A_QUERY * 24);
    scoped(buf_free) struct buf leaves = BUF(PROOFS_A_QUERY * 24);
    scoped(buf_free) struct buf paths = BUF(PROOFS_A_QUERY * (2 * MERKLE_PATH_MAX_BYTES + 8));
    for (size_t i = from; i < from + count; i++) {
        const struct proof *proof = &publish->proofs[i];
        char account[UUID_TEXT_BYTES];
        char before = i == from ? '{' : ',';
        uuid_format(account, &proof->head.account);
        buf_format(&accounts, "%c%s", before, account);
        buf_format(&seqs, "%c%" PRId64, before, proof->head.seq);
        buf_format(&leaves, "%c%zu", before, proof->leaf);
        buf_add_byte(&paths, before);
        write_path(publish, proof->leaf, &paths);
    }
    buf_add_byte(&accounts, '}');
    buf_add_byte(&seqs, '}');
    buf_add_byte(&leaves, '}');
    buf_add_byte(&paths, '}');
    return sql_run(publish->sql, "select ledger_proofs_add($1, $2, $3, $4, $5)",
                   SQL_PARAMS(publish->block.time, buf_str(&accounts), buf_str(&seqs),
                              buf_str(&leaves), buf_str(&paths)),
                   err);
}

static bool store(struct publish *publish, struct err *err)
{
    struct err why = { 0 };
    bool ok = sql_begin(publish->sql, SQL_WRITE, &why) && store_root(publish, &why);
    for (size_t i = 0; ok && i < publish->proof_count; i += PROOFS_A_QUERY)
        ok = store_proofs(publish, i, MIN(publish->proof_count - i, PROOFS_A_QUERY), &why);
    return (ok && sql_commit(publish->sql, &why)) ||
           err_set(err, why.kind,
                   "the root of %s is in the file, but is not stored for proofs, which the next "
                   "run does: %s",
                   publish->block.time, why.message);
}

/* ---- the run ---- */

static void fill_answer(const struct publish *publish, cJSON *answer)
{
    const struct root_block *block = &publish->block;
    char hash[HASH_TEXT_BYTES];
    hex_encode(hash, block->root, HASH_BYTES);
    json_str(answer, "file", publish->order->file);
    json_str(answer, "time", block->time);
    json_int(answer, "accounts", block->accounts);
    json_int(answer, "entries", block->entries);
    json_int(answer, "changed", (int64_t)block->head_count);
    json_str(answer, "root", hash);
    if (block->cut[0]) {
        json_int(answer, "cut_accounts", (int64_t)publish->lost_accounts);
        json_int(answer, "lost_entries", publish->lost_entries);
    }
}

static bool publish_all(struct publish *publish, struct err *err)
{
    return signing_key_read(publish->order->key, &publish->key, err) && read_newest(publish, err) &&
           open_file(publish, err) && read_file(publish, err) && read_database(publish, err) &&
           check_lost(publish, err) && write_block(publish, err) && store(publish, err);
}

bool publish_root(struct sql *sql, const struct publish_order *order, cJSON *answer,
                  const char **remark, struct err *err)
{
    scoped(publish_free) struct publish publish = { .sql = sql,
                                                    .order = order,
                                                    .line = BUF(LINE_MAX_BYTES) };
    if (!publish_all(&publish, err))
        return false;
    fill_answer(&publish, answer);
    *remark = publish.was_torn
                  ? "The file ended with the incomplete block of an interrupted run, which was cut "
                    "off."
                  : NULL;
    return true;
}
