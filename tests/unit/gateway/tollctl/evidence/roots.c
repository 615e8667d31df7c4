/* tests/unit/gateway/tollctl/evidence/roots.c - root files: what was written is read back, and what
 * was changed is refused with its own message. */
#include "gateway/tollctl/evidence/roots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

/* Two keys that nobody uses. */
static const char *const pems[] = {
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJdbnpbwClX2oRgR31yNIig26uoRYGh/DnPXWSS0UjHG\n"
    "-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJyZ24To8voUsPRN+q9FXntbTdqwIgqR228F1R2zNuyP\n"
    "-----END PRIVATE KEY-----\n",
};

enum { BLOCKS = 3, FILE_MAX_BYTES = 1 << 16 };

/* ---- what the tests write ---- */

static struct signing_key *read_pem(const char *pem)
{
    char path[] = "/tmp/tollgate-key-XXXXXX";
    struct signing_key *key = NULL;
    struct err err = { 0 };
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, pem, strlen(pem)), strlen(pem));
    close(fd);
    if (!signing_key_read(path, &key, &err))
        fail_msg("%s", err.message);
    unlink(path);
    return key;
}

static struct head head_of(uint8_t account, int64_t seq)
{
    struct head head = { .seq = seq };
    memset(head.account.bytes, account, UUID_BYTES);
    memset(head.hash, (int)(account + seq), HASH_BYTES);
    return head;
}

/* A block with these heads, chained to the digest in `previous`, which becomes its own. */
static void add_block(const struct signing_key *key, struct buf *out, const char *time,
                      uint8_t previous[HASH_BYTES], struct head *heads, size_t count)
{
    scoped(buf_free) struct buf line = BUF(FILE_MAX_BYTES);
    struct root_block block = { .accounts = 2, .entries = 30, .heads = heads, .head_count = count };
    snprintf(block.time, sizeof(block.time), "%s", time);
    memcpy(block.previous, previous, HASH_BYTES);
    root_block_write(&block, key, out, &line);
    memcpy(previous, block.digest, HASH_BYTES);
}

/* Blocks of 01:00 (two heads), 02:00 (one head) and 03:00 (none), each after a line of `ends`. */
static void write_file(const struct signing_key *key, struct buf *out, size_t ends[BLOCKS])
{
    uint8_t previous[HASH_BYTES] = { 0 };
    struct head first[] = { head_of(1, 12), head_of(2, 5) };
    struct head second[] = { head_of(1, 17) };
    add_block(key, out, "2026-11-27T01:00:00.000Z", previous, first, 2);
    ends[0] = out->size;
    add_block(key, out, "2026-11-27T02:00:00.000Z", previous, second, 1);
    ends[1] = out->size;
    add_block(key, out, "2026-11-27T03:00:00.000Z", previous, NULL, 0);
    ends[2] = out->size;
}

/* ---- reading ---- */

struct count {
    size_t blocks;
    size_t heads;
};

static bool count_block(void *context, const struct root_block *block, struct err *err)
{
    struct count *count = context;
    (void)err;
    count->blocks++;
    count->heads += block->head_count;
    return true;
}

static bool read_bytes(const struct buf *bytes, const struct signing_key *const *keys,
                       size_t key_count, struct root_file *file, struct count *count,
                       struct err *err)
{
    struct root_keys known = { .count = key_count };
    for (size_t i = 0; i < key_count; i++)
        known.key[i] = keys[i];
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fwrite(buf_str(bytes), 1, bytes->size, stream), bytes->size);
    *file = (struct root_file){ .name = "ledger.roots", .limit = INT64_MAX };
    *count = (struct count){ 0 };
    bool ok = roots_read(stream, &known, count_block, count, file, err);
    fclose(stream);
    return ok;
}

/* ---- edits ---- */

static void edit_nothing(struct buf *file, const size_t *ends)
{
    (void)file, (void)ends;
}

static void edit_last_byte(struct buf *file, const size_t *ends)
{
    (void)ends;
    file->size--;
}

/* Cut after the head of the second block. */
static void edit_half_block(struct buf *file, const size_t *ends)
{
    file->size = ends[0] + strcspn(file->bytes + ends[0], "\n") + 1;
}

static void edit_half_line(struct buf *file, const size_t *ends)
{
    file->size = ends[0] + 20;
}

static void edit_zeros(struct buf *file, const size_t *ends)
{
    (void)ends;
    buf_add(file, "\0\0\0\0", 4);
}

static void edit_last_block(struct buf *file, const size_t *ends)
{
    file->size = ends[1];
}

static void remove_bytes(struct buf *file, size_t from, size_t to)
{
    memmove(file->bytes + from, file->bytes + to, file->size - to);
    file->size -= to - from;
}

static void edit_middle_block(struct buf *file, const size_t *ends)
{
    remove_bytes(file, ends[0], ends[1]);
}

static void edit_first_head(struct buf *file, const size_t *ends)
{
    (void)ends;
    remove_bytes(file, 0, strcspn(file->bytes, "\n") + 1);
}

/* Exchange two neighboring ranges of the file. */
static void exchange(struct buf *file, size_t first, size_t second, size_t end)
{
    scoped(mem_free) char *moved = mem_dup(file->bytes + first, second - first);
    memmove(file->bytes + first, file->bytes + second, end - second);
    memcpy(file->bytes + first + end - second, moved, second - first);
}

static void edit_order_of_heads(struct buf *file, const size_t *ends)
{
    (void)ends;
    size_t line = strcspn(file->bytes, "\n") + 1;
    exchange(file, 0, line, line + strcspn(file->bytes + line, "\n") + 1);
}

static void edit_order_of_blocks(struct buf *file, const size_t *ends)
{
    exchange(file, ends[0], ends[1], ends[2]);
}

static void edit_seq(struct buf *file, const size_t *ends)
{
    (void)ends;
    strstr(file->bytes, " 12 ")[2] = '3';
}

static void edit_hash(struct buf *file, const size_t *ends)
{
    (void)ends;
    strstr(file->bytes, " 12 ")[4] ^= 1;
}

static void edit_accounts(struct buf *file, const size_t *ends)
{
    (void)ends;
    strstr(file->bytes, "Z 2 ")[2] = '3';
}

static void edit_blank(struct buf *file, const size_t *ends)
{
    file->bytes[ends[2] - 2] = ' ';
}

/* The same signature, written in another way. */
static void edit_padding(struct buf *file, const size_t *ends)
{
    remove_bytes(file, ends[2] - 3, ends[2] - 1);
}

static void edit_long_line(struct buf *file, const size_t *ends)
{
    (void)ends;
    for (int i = 0; i < 5000; i++)
        buf_add_byte(file, 'x');
    buf_add_byte(file, '\n');
}

static void edit_other_words(struct buf *file, const size_t *ends)
{
    (void)ends;
    buf_add_str(file, "tail 1\n");
}

/* Put lines of lost entries before the first head: of these two accounts. */
static void add_lost(struct buf *file, int first, int second)
{
    char lines[256];
    scoped(buf_free) struct buf rest = BUF(FILE_MAX_BYTES);
    buf_add(&rest, file->bytes, file->size);
    snprintf(lines, sizeof(lines),
             "cut 2026-11-27T01:00:00.000Z\n"
             "lost 0000000%d-0000-0000-0000-000000000000 1 2\n"
             "lost 0000000%d-0000-0000-0000-000000000000 3 4\n",
             first, second);
    file->size = 0;
    buf_add_str(file, lines);
    buf_add(file, rest.bytes, rest.size);
}

static void edit_lost(struct buf *file, const size_t *ends)
{
    (void)ends;
    add_lost(file, 1, 2);
}

static void edit_order_of_lost(struct buf *file, const size_t *ends)
{
    (void)ends;
    add_lost(file, 2, 1);
}

static void edit_lost_twice(struct buf *file, const size_t *ends)
{
    (void)ends;
    add_lost(file, 1, 1);
}

#define SIGNED  "the signature is not of this key"
#define LINES   "one was changed, removed or moved"
#define FOLLOWS "does not follow"
#define SHAPE   "is not a line of a root file"

static const struct row {
    const char *name;
    void (*edit)(struct buf *file, const size_t *ends);
    const char *why; /* NULL: it is read */
    size_t blocks;
    bool is_torn;
} rows[] = {
    { "as it was written", edit_nothing, NULL, 3, false },
    { "the last byte is missing", edit_last_byte, NULL, 2, true },
    { "a block without its root", edit_half_block, NULL, 1, true },
    { "half a line", edit_half_line, NULL, 1, true },
    { "zeros of a power failure", edit_zeros, NULL, 3, true },
    { "the last block is missing", edit_last_block, NULL, 2, false },
    { "a removed block", edit_middle_block, "line 4: the root of 2026-11-27T03:00:00.000Z " FOLLOWS,
      1, false },
    { "a removed head", edit_first_head,
      "line 2: the lines before this root are not those that "
      "were signed: " LINES,
      0, false },
    { "exchanged heads", edit_order_of_heads, "line 2: " SHAPE, 0, false },
    { "added lost entries", edit_lost, "line 6: the lines before this root", 0, false },
    { "exchanged lost entries", edit_order_of_lost, "line 3: " SHAPE, 0, false },
    { "an account lost twice", edit_lost_twice, "line 3: " SHAPE, 0, false },
    { "exchanged blocks", edit_order_of_blocks,
      "line 4: the root of 2026-11-27T03:00:00.000Z " FOLLOWS, 1, false },
    { "another number of an entry", edit_seq, LINES, 0, false },
    { "another hash of an entry", edit_hash, LINES, 0, false },
    { "another number of accounts", edit_accounts, "line 3: " SIGNED, 0, false },
    { "a blank in the signature", edit_blank, "line 6: " SHAPE, 2, false },
    { "a signature without padding", edit_padding, "line 6: " SHAPE, 2, false },
    { "a line without an end", edit_long_line, "line 7: " SHAPE, 3, false },
    { "an unknown line", edit_other_words, "line 7: " SHAPE, 3, false },
};

static void check_edit(void **state)
{
    const struct row *row = *state;
    scoped(signing_key_free) struct signing_key *key = read_pem(pems[0]);
    scoped(buf_free) struct buf bytes = BUF(FILE_MAX_BYTES);
    size_t ends[BLOCKS];
    struct root_file file;
    struct count count;
    struct err err = { 0 };
    write_file(key, &bytes, ends);
    row->edit(&bytes, ends);
    bool ok = read_bytes(&bytes, (const struct signing_key *const *)&key, 1, &file, &count, &err);
    assert_int_equal(ok, row->why == NULL);
    if (row->why && !strstr(err.message, row->why))
        fail_msg("%s", err.message);
    assert_int_equal(count.blocks, row->blocks);
    if (ok) {
        assert_int_equal(file.blocks, row->blocks);
        assert_int_equal(file.is_torn, row->is_torn);
        assert_int_equal(file.size, row->blocks > 0 ? ends[row->blocks - 1] : 0);
    }
}

/* ---- every byte of the root lines ---- */

static const struct byte_row {
    const char *name;
    char with; /* XORed to a byte; 0: the byte is removed */
} bytes_rows[] = {
    { "the lowest bit", 1 },
    { "the bit of lower case", 0x20 },
    { "the highest bit", (char)0x80 },
    { "a byte less", 0 },
};

static void check_bytes(void **state)
{
    const struct byte_row *row = *state;
    scoped(signing_key_free) struct signing_key *key = read_pem(pems[0]);
    scoped(buf_free) struct buf bytes = BUF(FILE_MAX_BYTES);
    size_t ends[BLOCKS];
    write_file(key, &bytes, ends);
    for (size_t at = 0; at < ends[2] - 1; at++) {
        scoped(buf_free) struct buf changed = BUF(FILE_MAX_BYTES);
        struct root_file file;
        struct count count;
        struct err err = { 0 };
        buf_add(&changed, bytes.bytes, bytes.size);
        if (row->with)
            changed.bytes[at] = (char)(changed.bytes[at] ^ row->with);
        else
            remove_bytes(&changed, at, at + 1);
        if (read_bytes(&changed, (const struct signing_key *const *)&key, 1, &file, &count, &err))
            fail_msg("byte %zu may be changed", at);
        assert_int_equal(err.kind, ERR_SIGNATURE_INVALID);
    }
}

/* ---- keys ---- */

static const struct key_row {
    const char *name;
    size_t count;
    int keys[2]; /* that are known */
    bool ok;
} key_rows[] = {
    { "the key", 1, { 0 }, true },
    { "another key", 1, { 1 }, false },
    { "one of two keys", 2, { 1, 0 }, true },
};

static void check_keys(void **state)
{
    const struct key_row *row = *state;
    scoped(signing_key_free) struct signing_key *key = read_pem(pems[0]);
    scoped(signing_key_free) struct signing_key *other = read_pem(pems[1]);
    const struct signing_key *known[2];
    scoped(buf_free) struct buf bytes = BUF(FILE_MAX_BYTES);
    size_t ends[BLOCKS];
    struct root_file file;
    struct count count;
    struct err err = { 0 };
    for (size_t i = 0; i < row->count; i++)
        known[i] = row->keys[i] == 0 ? key : other;
    write_file(key, &bytes, ends);
    assert_int_equal(read_bytes(&bytes, known, row->count, &file, &count, &err), row->ok);
    assert_int_equal(count.heads, row->ok ? 3 : 0);
}

/* One file has one key: a stolen key that is retired cannot add to a newer file. */
static void check_mixed_keys(void **state)
{
    (void)state;
    scoped(signing_key_free) struct signing_key *key = read_pem(pems[0]);
    scoped(signing_key_free) struct signing_key *other = read_pem(pems[1]);
    const struct signing_key *known[] = { key, other };
    scoped(buf_free) struct buf bytes = BUF(FILE_MAX_BYTES);
    uint8_t previous[HASH_BYTES] = { 0 };
    struct root_file file;
    struct count count;
    struct err err = { 0 };
    add_block(key, &bytes, "2026-11-27T01:00:00.000Z", previous, NULL, 0);
    add_block(other, &bytes, "2026-11-27T02:00:00.000Z", previous, NULL, 0);
    assert_false(read_bytes(&bytes, known, 2, &file, &count, &err));
    assert_non_null(strstr(err.message, "line 2: " SIGNED));
}

static const struct mixed_row {
    const char *name;
} mixed[] = { { "two keys in one file" } };

int main(void)
{
    return RUN_ROWS(rows, check_edit) + RUN_ROWS(bytes_rows, check_bytes) +
           RUN_ROWS(key_rows, check_keys) + RUN_ROWS(mixed, check_mixed_keys);
}
