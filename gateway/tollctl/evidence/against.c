/* gateway/tollctl/evidence/against.c - see against.h. */
#include "gateway/tollctl/evidence/against.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "gateway/tollctl/evidence/history.h"
#include "gateway/tollctl/evidence/root-io.h"
#include "gateway/tollctl/evidence/roots.h"

static_assert((int)AGAINST_KEYS_MAX == (int)ROOT_KEYS_MAX, "all keys fit");

enum { DETAIL_MAX_BYTES = 400, TIMES_MIN = 64 };

static const uint8_t no_hash[HASH_BYTES];

struct against {
    struct sql *sql;
    struct uuid from;
    struct uuid to;
    struct signing_key *key[AGAINST_KEYS_MAX];
    struct root_keys keys;
    struct heads known;
    char (*times)[CLOCK_TEXT_BYTES]; /* of the blocks, by number */
    size_t blocks;
    size_t times_capacity;
    struct root_file last; /* the file that was read last */
    bool has_earlier;      /* the first file continues another one */
    cJSON *cuts;
    cJSON *findings;
    int64_t *count;
};

static void against_free(struct against *against)
{
    for (size_t i = 0; i < AGAINST_KEYS_MAX; i++)
        signing_key_free(&against->key[i]);
    heads_free(&against->known);
    mem_free(&against->times);
}

static void add_finding(struct against *against, const char *account, const char *detail)
{
    if (++*against->count > AGAINST_FINDINGS_MAX)
        return;
    cJSON *item = json_item(against->findings);
    json_str(item, "account", account);
    json_str(item, "detail", detail);
}

/* ---- blocks ---- */

static void add_time(struct against *against, const char *time)
{
    if (against->blocks == against->times_capacity) {
        against->times_capacity = against->blocks ? 2 * against->blocks : TIMES_MIN;
        against->times =
            mem_resize(against->times, against->times_capacity * sizeof(*against->times));
    }
    memcpy(against->times[against->blocks++], time, CLOCK_TEXT_BYTES);
}

static void add_cut(struct against *against, const struct root_block *block)
{
    int64_t entries = 0;
    cJSON *cut = json_item(against->cuts);
    for (size_t i = 0; i < block->lost_count; i++)
        entries += block->lost[i].last - block->lost[i].first + 1;
    json_str(cut, "time", block->cut);
    json_int(cut, "accounts", (int64_t)block->lost_count);
    json_int(cut, "lost_entries", entries);
}

static bool is_in_range(const struct against *against, const struct uuid *account)
{
    return memcmp(account->bytes, against->from.bytes, UUID_BYTES) >= 0 &&
           memcmp(account->bytes, against->to.bytes, UUID_BYTES) <= 0;
}

static bool check_block(void *context, const struct root_block *block, struct err *err)
{
    struct against *against = context;
    add_time(against, block->time);
    if (block->cut[0])
        add_cut(against, block);
    for (size_t i = 0; i < block->head_count; i++)
        heads_put(&against->known, &block->heads[i])->is_skipped =
            !is_in_range(against, &block->heads[i].account);
    return history_note(against->sql, &against->known, block, (uint32_t)(against->blocks - 1), err);
}

/* ---- files ---- */

/* Does it follow the file before it? The first file may follow one that is not given. */
static bool check_start(const struct against *against, const struct root_file *file,
                        struct err *err)
{
    const struct root_file *last = &against->last;
    if (!last->name || (memcmp(last->digest, file->start, HASH_BYTES) == 0 && file->blocks > 0))
        return true;
    return err_set(err, ERR_SIGNATURE_INVALID,
                   "%s does not follow %s, which ends with the root of %s: a file between them is "
                   "missing, or they are not in order of time",
                   file->name, last->name, last->time);
}

/* Is it whole? */
static bool check_end(const struct against *against, const struct root_file *file, struct err *err)
{
    if (file->blocks == 0 && !file->is_torn)
        return err_set(err, ERR_SIGNATURE_INVALID, "%s has no root", file->name);
    if (file->is_torn)
        return err_set(
            err, ERR_SIGNATURE_INVALID,
            "%s ends with an incomplete block after the root of %s: it was cut off, or a "
            "run was interrupted; the next `tollctl ledger root` repairs that",
            file->name, file->blocks > 0 ? file->time : "no time");
    return roots_check_heads(file, &against->known, err);
}

static bool read_file(struct against *against, const char *name, struct err *err)
{
    scoped(root_io_close) FILE *stream = NULL;
    struct root_file file = { .name = name };
    if (!root_io_open_input(name, &stream, &file.limit, err) ||
        !roots_read(stream, &against->keys, check_block, against, &file, err) ||
        !check_start(against, &file, err) || !check_end(against, &file, err))
        return false;
    if (!against->last.name)
        against->has_earlier = memcmp(file.start, no_hash, HASH_BYTES) != 0;
    against->last = file;
    return true;
}

/* Read until a file is not what was signed: nothing after it counts. */
static bool read_files(struct against *against, const struct against_order *order, struct err *err)
{
    struct err found = { 0 };
    for (size_t i = 0; i < order->file_count; i++)
        if (!read_file(against, order->files[i], &found)) {
            if (found.kind != ERR_SIGNATURE_INVALID)
                return err_set(err, found.kind, "%s", found.message);
            add_finding(against, NULL, found.message);
            return true;
        }
    return true;
}

static bool read_keys(struct against *against, const struct against_order *order, struct err *err)
{
    for (size_t i = 0; i < order->key_count; i++) {
        if (!signing_key_read_public(order->keys[i], &against->key[i], err))
            return false;
        against->keys.key[against->keys.count++] = against->key[i];
    }
    return true;
}

/* ---- accounts ---- */

static void add_bad_account(struct against *against, const struct known_head *known)
{
    scoped(buf_free) struct buf detail = BUF(DETAIL_MAX_BYTES);
    char account[UUID_TEXT_BYTES];
    uuid_format(account, &known->head.account);
    buf_format(&detail, "entry %" PRId64 " is missing or differs from the root of %s; ", known->bad,
               against->times[known->bad_block]);
    if (known->kept > 0 && known->kept < known->bad)
        buf_format(&detail, "entries after %" PRId64 " (root of %s) may have been changed",
                   known->kept, against->times[known->kept_block]);
    else
        buf_add_str(&detail, "all entries up to it may have been changed");
    add_finding(against, account, buf_str(&detail));
}

static void add_bad_accounts(struct against *against)
{
    const struct heads *known = &against->known;
    scoped(mem_free) struct head *bad = mem_array(known->count + 1, sizeof(*bad));
    size_t count = 0;
    for (size_t i = 0; i < known->capacity; i++)
        if (known->slot[i].is_used && known->slot[i].bad > 0)
            bad[count++] = known->slot[i].head;
    heads_sort(bad, count);
    for (size_t i = 0; i < count; i++)
        add_bad_account(against, heads_find(known, &bad[i].account));
}

/* ---- the report ---- */

static bool fill_report(const struct against *against, cJSON *report, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    const char *last = against->blocks > 0 ? against->times[against->blocks - 1] : NULL;
    if (!sql_row(against->sql,
                 "select max(root_at) as newer from ledger_root"
                 " where root_at > coalesce($1, '-infinity')::timestamptz",
                 SQL_PARAMS(last), row, err))
        return false;
    json_int(report, "roots", (int64_t)against->blocks);
    json_str(report, "from", against->blocks > 0 ? against->times[0] : NULL);
    json_str(report, "to", last);
    json_int(report, "accounts", (int64_t)against->known.count);
    json_bool(report, "earlier_roots", against->has_earlier);
    json_str(report, "newer_root", json_text(row, "/newer"));
    json_add(report, "cuts", json_copy(against->cuts));
    return true;
}

static bool check_history(struct against *against, const struct against_order *order, cJSON *report,
                          struct err *err)
{
    if (!read_keys(against, order, err) || !read_files(against, order, err))
        return false;
    add_bad_accounts(against);
    return fill_report(against, report, err);
}

bool against_verify(struct sql *sql, const struct against_order *order, cJSON *report,
                    cJSON *findings, int64_t *count, struct err *err)
{
    scoped(
        against_free) struct against against = { .sql = sql, .findings = findings, .count = count };
    scoped(json_free) cJSON *cuts = json_array();
    against.cuts = cuts;
    bool ok = uuid_parse(text_of(order->from), &against.from) &&
              uuid_parse(text_of(order->to), &against.to);
    assert(ok);
    return check_history(&against, order, report, err);
}
