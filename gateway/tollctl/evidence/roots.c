/* gateway/tollctl/evidence/roots.c - see roots.h. */
#include "gateway/tollctl/evidence/roots.h"

#include <assert.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"

enum {
    LINE_MAX_BYTES = 1024,
    HASH_TEXT_BYTES = 2 * HASH_BYTES + 1,
    SIGNATURE_TEXT_BYTES = 88, /* Base64 of 64 bytes */
    CAPACITY_MIN = 64,
};

static void hash_text(struct text text, uint8_t out[HASH_BYTES])
{
    bool ok = EVP_Digest(text.bytes, text.size, out, NULL, EVP_sha256(), NULL);
    assert(ok);
}

void root_block_free(struct root_block *block)
{
    mem_free(&block->lost);
    mem_free(&block->heads);
    *block = (struct root_block){ 0 };
}

/* ---- writing ---- */

static void write_lines(const struct root_block *block, struct buf *out)
{
    char account[UUID_TEXT_BYTES];
    char hash[HASH_TEXT_BYTES];
    if (block->cut[0])
        buf_format(out, "cut %s\n", block->cut);
    for (size_t i = 0; i < block->lost_count; i++) {
        const struct lost_entries *lost = &block->lost[i];
        uuid_format(account, &lost->account);
        buf_format(out, "lost %s %" PRId64 " %" PRId64 "\n", account, lost->first, lost->last);
    }
    for (size_t i = 0; i < block->head_count; i++) {
        const struct head *head = &block->heads[i];
        uuid_format(account, &head->account);
        hex_encode(hash, head->hash, HASH_BYTES);
        buf_format(out, "head %s %" PRId64 " %s\n", account, head->seq, hash);
    }
}

void root_block_write(struct root_block *block, const struct signing_key *key, struct buf *out,
                      struct buf *line)
{
    uint8_t heads[HASH_BYTES];
    uint8_t signature[SIGNATURE_BYTES];
    char hash[3][HASH_TEXT_BYTES];
    size_t begin = out->size;
    write_lines(block, out);
    hash_text(text_skip(buf_text(out), begin), heads);
    hex_encode(hash[0], block->root, HASH_BYTES);
    hex_encode(hash[1], heads, HASH_BYTES);
    hex_encode(hash[2], block->previous, HASH_BYTES);
    buf_format(line, "root %s %" PRId64 " %" PRId64 " %s %s %s", block->time, block->accounts,
               block->entries, hash[0], hash[1], hash[2]);
    signing_key_sign(key, buf_text(line), signature);
    buf_add_byte(line, ' ');
    base64_encode(line, (struct text){ (const char *)signature, SIGNATURE_BYTES });
    hash_text(buf_text(line), block->digest);
    buf_add(out, line->bytes, line->size);
    buf_add_byte(out, '\n');
}

/* ---- reading: words ---- */

static bool take_count(struct text *rest, int64_t *value)
{
    return num_parse(text_cut(rest, ' '), INT64_MAX, value);
}

static bool take_account(struct text *rest, struct uuid *account)
{
    return uuid_parse(text_cut(rest, ' '), account);
}

static bool take_hash(struct text *rest, uint8_t hash[HASH_BYTES])
{
    scoped(buf_free) struct buf bytes = BUF(HASH_BYTES);
    if (!hex_decode(&bytes, text_cut(rest, ' ')) || bytes.size != HASH_BYTES)
        return false;
    memcpy(hash, bytes.bytes, HASH_BYTES);
    return true;
}

/* A time like 2026-11-27T03:00:00.000Z. */
static bool take_time(struct text *rest, char time[CLOCK_TEXT_BYTES])
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    struct text word = text_cut(rest, ' ');
    if (word.size != CLOCK_TEXT_BYTES - 1)
        return false;
    for (size_t i = 0; i < word.size; i++)
        if (form[i] == 'd' ? word.bytes[i] < '0' || word.bytes[i] > '9' : word.bytes[i] != form[i])
            return false;
    memcpy(time, word.bytes, word.size);
    time[word.size] = '\0';
    return true;
}

/* ---- reading: a block ---- */

struct reading {
    FILE *stream;
    const struct root_keys *keys;
    size_t key; /* the one that signed the first root; keys->count: none so far */
    root_reader *reader;
    void *context;
    struct root_file *file;
    struct root_block block; /* the one that is being read */
    size_t heads_capacity;
    size_t lost_capacity;
    EVP_MD_CTX *heads; /* the digest of its lines so far */
    size_t line;
    int64_t offset; /* of the next line */
};

static bool fail_line(const struct reading *reading, const char *why, struct err *err)
{
    return err_set(err, ERR_SIGNATURE_INVALID, "%s line %zu: %s", reading->file->name,
                   reading->line, why);
}

/* The list, with room for one more item. */
static void *make_room(void *list, size_t count, size_t *capacity, size_t item_bytes)
{
    if (count < *capacity)
        return list;
    *capacity = *capacity ? 2 * *capacity : CAPACITY_MIN;
    return mem_resize(list, *capacity * item_bytes);
}

static bool is_before(const struct uuid *a, const struct uuid *b)
{
    return memcmp(a->bytes, b->bytes, UUID_BYTES) < 0;
}

static bool read_head(struct reading *reading, struct text rest)
{
    struct root_block *block = &reading->block;
    struct head head;
    if (!take_account(&rest, &head.account) || !take_count(&rest, &head.seq) ||
        !take_hash(&rest, head.hash) || rest.size > 0)
        return false;
    if (block->head_count > 0 &&
        !is_before(&block->heads[block->head_count - 1].account, &head.account))
        return false;
    block->heads =
        make_room(block->heads, block->head_count, &reading->heads_capacity, sizeof(head));
    block->heads[block->head_count++] = head;
    return true;
}

static bool read_lost(struct reading *reading, struct text rest)
{
    struct root_block *block = &reading->block;
    struct lost_entries lost;
    if (!block->cut[0] || block->head_count > 0 || !take_account(&rest, &lost.account) ||
        !take_count(&rest, &lost.first) || !take_count(&rest, &lost.last) || rest.size > 0 ||
        lost.first < 1 || lost.last < lost.first)
        return false;
    if (block->lost_count > 0 &&
        !is_before(&block->lost[block->lost_count - 1].account, &lost.account))
        return false;
    block->lost = make_room(block->lost, block->lost_count, &reading->lost_capacity, sizeof(lost));
    block->lost[block->lost_count++] = lost;
    return true;
}

static bool read_cut(struct reading *reading, struct text rest)
{
    struct root_block *block = &reading->block;
    return !block->cut[0] && block->lost_count == 0 && block->head_count == 0 &&
           take_time(&rest, block->cut) && rest.size == 0;
}

/* ---- reading: the root line ---- */

/* Only the canonical form: nothing else vouches for the last line of a file. */
static bool take_signature(struct text text, struct buf *signature)
{
    scoped(buf_free) struct buf again = BUF(SIGNATURE_TEXT_BYTES);
    return base64_decode(signature, text) && signature->size == SIGNATURE_BYTES &&
           base64_encode(&again, buf_text(signature)) && text_equals(text, buf_text(&again));
}

/* The words of a root line, and its part that is signed. */
static bool parse_root(struct text line, struct root_block *block, uint8_t heads[HASH_BYTES],
                       struct text *signed_part, struct buf *signature)
{
    struct text rest = line;
    text_cut(&rest, ' ');
    if (!take_time(&rest, block->time) || !take_count(&rest, &block->accounts) ||
        !take_count(&rest, &block->entries) || !take_hash(&rest, block->root) ||
        !take_hash(&rest, heads) || !take_hash(&rest, block->previous) ||
        !take_signature(rest, signature))
        return false;
    *signed_part = (struct text){ line.bytes, line.size - rest.size - 1 };
    return true;
}

static bool is_signed(struct reading *reading, struct text message, struct text signature)
{
    const struct root_keys *keys = reading->keys;
    bool is_known = reading->key < keys->count;
    size_t end = is_known ? reading->key + 1 : keys->count;
    for (size_t i = is_known ? reading->key : 0; i < end; i++)
        if (signing_key_verify(keys->key[i], message, signature)) {
            reading->key = i;
            return true;
        }
    return false;
}

/* Does it follow the block before it? */
static bool check_link(const struct reading *reading, struct err *err)
{
    const struct root_file *file = reading->file;
    const struct root_block *block = &reading->block;
    if (file->blocks == 0)
        return true;
    if (memcmp(block->previous, file->digest, HASH_BYTES) == 0 &&
        strcmp(block->time, file->time) > 0)
        return true;
    return err_set(err, ERR_SIGNATURE_INVALID,
                   "%s line %zu: the root of %s does not follow the root of %s: a block between "
                   "them was removed, or blocks were moved",
                   file->name, reading->line, block->time, file->time);
}

static void end_block(struct reading *reading)
{
    struct root_file *file = reading->file;
    struct root_block *block = &reading->block;
    if (file->blocks++ == 0) {
        memcpy(file->start, block->previous, HASH_BYTES);
        memcpy(file->first_time, block->time, CLOCK_TEXT_BYTES);
    }
    memcpy(file->digest, block->digest, HASH_BYTES);
    memcpy(file->root, block->root, HASH_BYTES);
    memcpy(file->time, block->time, CLOCK_TEXT_BYTES);
    file->size = reading->offset;
    block->cut[0] = '\0';
    block->lost_count = 0;
    block->head_count = 0;
}

static bool read_root(struct reading *reading, struct text line, struct err *err)
{
    scoped(buf_free) struct buf signature = BUF(SIGNATURE_BYTES);
    struct text message;
    uint8_t heads[HASH_BYTES];
    uint8_t found[HASH_BYTES];
    struct root_block *block = &reading->block;
    if (!parse_root(line, block, heads, &message, &signature))
        return fail_line(reading, "is not a line of a root file", err);
    if (!is_signed(reading, message, buf_text(&signature)))
        return fail_line(reading,
                         "the signature is not of this key: the line was changed, or another key "
                         "signed it",
                         err);
    bool ok = EVP_DigestFinal_ex(reading->heads, found, NULL) == 1 &&
              EVP_DigestInit_ex(reading->heads, EVP_sha256(), NULL) == 1;
    assert(ok);
    if (memcmp(found, heads, HASH_BYTES) != 0)
        return fail_line(reading,
                         "the lines before this root are not those that were signed: one was "
                         "changed, removed or moved",
                         err);
    if (!check_link(reading, err))
        return false;
    hash_text(line, block->digest);
    if (reading->reader && !reading->reader(reading->context, block, err))
        return false;
    end_block(reading);
    return true;
}

/* ---- reading: the file ---- */

static bool read_line(struct reading *reading, struct text line, struct err *err)
{
    struct text rest = line;
    struct text word = text_cut(&rest, ' ');
    if (text_is(word, "root"))
        return read_root(reading, line, err);
    bool ok = text_is(word, "head")   ? read_head(reading, rest)
              : text_is(word, "lost") ? read_lost(reading, rest)
              : text_is(word, "cut")  ? read_cut(reading, rest)
                                      : false;
    if (!ok)
        return fail_line(reading, "is not a line of a root file, or not in order", err);
    ok = EVP_DigestUpdate(reading->heads, line.bytes, line.size) == 1 &&
         EVP_DigestUpdate(reading->heads, "\n", 1) == 1;
    assert(ok);
    return true;
}

/* Read up to the last line with an end. */
static bool read_lines(struct reading *reading, struct err *err)
{
    char line[LINE_MAX_BYTES];
    const struct root_file *file = reading->file;
    while (reading->offset < file->limit && fgets(line, sizeof(line), reading->stream)) {
        size_t size = strlen(line);
        reading->line++;
        reading->offset += (int64_t)size;
        if (feof(reading->stream)) {
            reading->file->is_torn = true;
            return true;
        }
        if (size == 0 || line[size - 1] != '\n')
            return fail_line(reading, "is not a line of a root file", err);
        if (!read_line(reading, (struct text){ line, size - 1 }, err))
            return false;
    }
    const struct root_block *block = &reading->block;
    reading->file->is_torn = block->cut[0] || block->lost_count > 0 || block->head_count > 0;
    return !ferror(reading->stream) ||
           err_set(err, ERR_INVALID_VALUE, "%s: cannot be read: %m", file->name);
}

bool roots_read(FILE *stream, const struct root_keys *keys, root_reader *reader, void *context,
                struct root_file *file, struct err *err)
{
    struct reading reading = { .stream = stream,
                               .keys = keys,
                               .key = keys->count,
                               .reader = reader,
                               .context = context,
                               .file = file,
                               .heads = EVP_MD_CTX_new() };
    *file = (struct root_file){ .name = file->name, .limit = file->limit };
    bool ok = reading.heads && EVP_DigestInit_ex(reading.heads, EVP_sha256(), NULL) == 1;
    assert(ok);
    rewind(stream);
    ok = read_lines(&reading, err);
    EVP_MD_CTX_free(reading.heads);
    root_block_free(&reading.block);
    return ok;
}

bool roots_check_heads(const struct root_file *file, const struct heads *heads, struct err *err)
{
    uint8_t root[HASH_BYTES];
    heads_root(heads, root);
    return file->blocks == 0 || memcmp(root, file->root, HASH_BYTES) == 0 ||
           err_set(err, ERR_SIGNATURE_INVALID,
                   "%s: its heads do not give the root of %s: its first blocks are missing",
                   file->name, file->time);
}
