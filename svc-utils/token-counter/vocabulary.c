/* svc-utils/token-counter/vocabulary.c - a hash table of tokens, and byte pair merging. */
#include "vocabulary.h"

#include <string.h>
#include <zlib.h>

#include "base/codec/base64.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum {
    TOKENS_MAX = 1 << 19,
    TOKEN_BYTES_MAX = 1 << 10,
    ALL_BYTES_MAX = 1 << 24,
};

#define NO_RANK UINT32_MAX /* not a token */

struct token {
    uint32_t start; /* in bytes */
    uint32_t size;  /* 0: an empty slot */
    uint32_t rank;
};

struct vocabulary {
    enum split split;
    struct buf bytes;    /* of all tokens */
    struct token *slots; /* open addressing; at most half full */
    uint32_t slot_mask;
    uint32_t count;
    uint32_t longest; /* bytes of the longest token */
};

/* ---- the table ---- */

/* FNV-1a. The table does not change after the start, so an attacker cannot lengthen chains. */
static uint32_t hash_of(struct text token)
{
    uint32_t hash = 2166136261;
    for (size_t i = 0; i < token.size; i++)
        hash = (hash ^ (unsigned char)token.bytes[i]) * 16777619;
    return hash ^ hash >> 15;
}

static struct token *find_slot(const struct vocabulary *vocabulary, struct text token)
{
    uint32_t at = hash_of(token) & vocabulary->slot_mask;
    for (;; at = (at + 1) & vocabulary->slot_mask) {
        struct token *slot = &vocabulary->slots[at];
        if (slot->size == 0 ||
            (slot->size == token.size &&
             memcmp(vocabulary->bytes.bytes + slot->start, token.bytes, token.size) == 0))
            return slot;
    }
}

static uint32_t rank_of(const struct vocabulary *vocabulary, const char *bytes, size_t size)
{
    if (size > vocabulary->longest)
        return NO_RANK;
    const struct token *slot = find_slot(vocabulary, (struct text){ bytes, size });
    return slot->size > 0 ? slot->rank : NO_RANK;
}

/* ---- the file ---- */

static size_t count_lines(struct text content)
{
    size_t lines = 0;
    for (size_t i = 0; i < content.size; i++)
        lines += content.bytes[i] == '\n';
    return lines + 1;
}

/* Add the token whose bytes are those from start on; false if it is known or its size invalid. */
static bool index_token(struct vocabulary *vocabulary, size_t start, uint32_t rank)
{
    struct text token = { vocabulary->bytes.bytes + start, vocabulary->bytes.size - start };
    if (token.size == 0 || token.size > TOKEN_BYTES_MAX)
        return false;
    struct token *slot = find_slot(vocabulary, token);
    if (slot->size > 0)
        return false;
    *slot = (struct token){ (uint32_t)start, (uint32_t)token.size, rank };
    vocabulary->longest = MAX(vocabulary->longest, slot->size);
    return true;
}

/* "IQ== 0" */
static bool add_token(struct vocabulary *vocabulary, struct text line)
{
    const char *blank = memchr(line.bytes, ' ', line.size);
    size_t start = vocabulary->bytes.size;
    int64_t rank;
    if (!blank)
        return false;
    size_t digits = (size_t)(blank - line.bytes);
    if (!base64_decode(&vocabulary->bytes, (struct text){ line.bytes, digits }) ||
        !num_parse((struct text){ blank + 1, line.size - digits - 1 }, NO_RANK - 1, &rank))
        return false;
    return index_token(vocabulary, start, (uint32_t)rank);
}

static bool add_lines(struct vocabulary *vocabulary, struct text content, struct err *err)
{
    size_t number = 1;
    while (content.size > 0) {
        const char *end = memchr(content.bytes, '\n', content.size);
        size_t size = end ? (size_t)(end - content.bytes) : content.size;
        if (!add_token(vocabulary, (struct text){ content.bytes, size }))
            return err_set(err, ERR_INVALID_VALUE,
                           "line %zu must be a new token in Base64, a space and a rank", number);
        size += end != NULL;
        content = (struct text){ content.bytes + size, content.size - size };
        number++;
    }
    return true;
}

static bool check_bytes(const struct vocabulary *vocabulary, struct err *err)
{
    for (int byte = 0; byte < 256; byte++)
        if (rank_of(vocabulary, (char[]){ (char)byte }, 1) == NO_RANK)
            return err_set(err, ERR_INVALID_VALUE, "byte %d must be a token", byte);
    return true;
}

static struct vocabulary *vocabulary_new(size_t tokens, enum split split)
{
    struct vocabulary *vocabulary = mem_new(sizeof(*vocabulary));
    uint32_t slots = 512;
    while (slots < 2 * tokens)
        slots *= 2;
    *vocabulary = (struct vocabulary){
        .split = split,
        .bytes = BUF(ALL_BYTES_MAX),
        .slots = mem_array(slots, sizeof(struct token)),
        .slot_mask = slots - 1,
    };
    return vocabulary;
}

bool vocabulary_read(struct text content, enum split split, struct vocabulary **address,
                     struct err *err)
{
    size_t lines = count_lines(content);
    if (lines > TOKENS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "it must have at most %d tokens", TOKENS_MAX);
    scoped(vocabulary_free) struct vocabulary *vocabulary = vocabulary_new(lines, split);
    if (!add_lines(vocabulary, content, err) || !check_bytes(vocabulary, err))
        return false;
    *address = take(vocabulary);
    return true;
}

/* ---- the packed file ---- */

/* The content of a gzip file, at most ALL_BYTES_MAX. */
static bool unpack(struct text content, struct buf *out)
{
    enum { CHUNK_BYTES = 1 << 16, GZIP_WINDOW = MAX_WBITS + 16 };
    scoped(mem_free) char *chunk = mem_array(CHUNK_BYTES, 1);
    z_stream stream = { .next_in = (z_const Bytef *)(uintptr_t)content.bytes,
                        .avail_in = (uInt)content.size };
    int status = inflateInit2(&stream, GZIP_WINDOW);
    while (status == Z_OK && !out->full) {
        stream.next_out = (Bytef *)chunk;
        stream.avail_out = CHUNK_BYTES;
        status = inflate(&stream, Z_NO_FLUSH);
        buf_add(out, chunk, CHUNK_BYTES - stream.avail_out);
    }
    inflateEnd(&stream);
    return status == Z_STREAM_END && !out->full;
}

/* The number of tokens; 0 if the last one is cut off. */
static size_t count_packed(struct text tokens)
{
    size_t count = 0;
    while (tokens.size > 0) {
        size_t size = 1 + (size_t)(unsigned char)tokens.bytes[0];
        if (size > tokens.size)
            return 0;
        tokens = text_skip(tokens, size);
        count++;
    }
    return count;
}

static bool add_packed(struct vocabulary *vocabulary, struct text tokens)
{
    for (uint32_t rank = 0; tokens.size > 0; rank++) {
        size_t size = (unsigned char)tokens.bytes[0];
        size_t start = vocabulary->bytes.size;
        buf_add(&vocabulary->bytes, tokens.bytes + 1, size);
        if (!index_token(vocabulary, start, rank))
            return false;
        tokens = text_skip(tokens, size + 1);
    }
    return true;
}

bool vocabulary_read_packed(struct text content, enum split split, struct vocabulary **address,
                            struct err *err)
{
    scoped(buf_free) struct buf tokens = BUF(ALL_BYTES_MAX);
    size_t count = unpack(content, &tokens) ? count_packed(buf_text(&tokens)) : 0;
    if (count == 0 || count > TOKENS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "it must be made by scripts/vocabulary");
    scoped(vocabulary_free) struct vocabulary *vocabulary = vocabulary_new(count, split);
    if (!add_packed(vocabulary, buf_text(&tokens)))
        return err_set(err, ERR_INVALID_VALUE, "it must have each token once");
    if (!check_bytes(vocabulary, err))
        return false;
    *address = take(vocabulary);
    return true;
}

void vocabulary_free(struct vocabulary **address)
{
    if (!*address)
        return;
    buf_free(&(*address)->bytes);
    mem_free(&(*address)->slots);
    mem_free(address);
}

/* ---- merging ---- */

/* A part of a piece, identified by its first byte. */
struct part {
    uint32_t size;   /* 0: merged into another */
    uint32_t before; /* start of the previous part */
    uint32_t rank;   /* of the token that it forms with the next part */
};

/*
 * A pair is one number, so that the minimum is the lowest rank, and of equal ranks the leftmost:
 * the rank, then the start of the left part. A pair is outdated if its left part has another rank
 * now.
 */
struct merging {
    const struct vocabulary *vocabulary;
    struct text piece;
    struct part *parts; /* one a byte */
    uint64_t *heap;
    size_t pairs;
};

static void push_pair(struct merging *merging, uint64_t pair)
{
    uint64_t *heap = merging->heap;
    size_t at = merging->pairs++;
    for (; at > 0 && pair < heap[(at - 1) / 2]; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = pair;
}

static uint64_t pop_pair(struct merging *merging)
{
    uint64_t *heap = merging->heap;
    uint64_t top = heap[0];
    uint64_t last = heap[--merging->pairs];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < merging->pairs; at = child) {
        child += child + 1 < merging->pairs && heap[child + 1] < heap[child];
        if (last <= heap[child])
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return top;
}

/* Look up the token that the part at `at` forms with the next part. */
static void look_up_pair(struct merging *merging, uint32_t at)
{
    struct part *left = &merging->parts[at];
    uint32_t next = at + left->size;
    left->rank = NO_RANK;
    if (next < merging->piece.size)
        left->rank = rank_of(merging->vocabulary, merging->piece.bytes + at,
                             left->size + merging->parts[next].size);
    if (left->rank != NO_RANK)
        push_pair(merging, (uint64_t)left->rank << 32 | at);
}

static void merge_pair(struct merging *merging, uint32_t at)
{
    struct part *left = &merging->parts[at];
    struct part *right = &merging->parts[at + left->size];
    left->size += right->size;
    right->size = 0;
    if (at + left->size < merging->piece.size)
        merging->parts[at + left->size].before = at;
    look_up_pair(merging, at);
    if (at > 0)
        look_up_pair(merging, left->before);
}

/* The tokens of a piece that is not itself a token. */
static int64_t count_merged(struct merging *merging)
{
    uint32_t size = (uint32_t)merging->piece.size;
    int64_t tokens = size;

    for (uint32_t at = 0; at < size; at++)
        merging->parts[at] = (struct part){ 1, at - 1, NO_RANK };
    merging->pairs = 0;
    for (uint32_t at = 0; at < size; at++)
        look_up_pair(merging, at);
    while (merging->pairs > 0) {
        uint64_t pair = pop_pair(merging);
        uint32_t at = (uint32_t)pair;
        if (merging->parts[at].size == 0 || merging->parts[at].rank != pair >> 32)
            continue;
        merge_pair(merging, at);
        tokens--;
    }
    return tokens;
}

int64_t vocabulary_count(const struct vocabulary *vocabulary, struct text text)
{
    scoped(mem_free) struct part *parts = mem_array(text.size + 1, sizeof(*parts));
    /* each byte starts a pair, and each merge makes two more */
    scoped(mem_free) uint64_t *heap = mem_array(3 * text.size + 1, sizeof(*heap));
    struct merging merging = { .vocabulary = vocabulary, .parts = parts, .heap = heap };
    int64_t tokens = 0;

    while (text.size > 0) {
        size_t size = piece_bytes(vocabulary->split, text);
        merging.piece = (struct text){ text.bytes, size };
        tokens += rank_of(vocabulary, text.bytes, size) != NO_RANK ? 1 : count_merged(&merging);
        text = (struct text){ text.bytes + size, text.size - size };
    }
    return tokens;
}
