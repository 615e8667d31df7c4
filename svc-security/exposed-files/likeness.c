/* svc-security/exposed-files/likeness.c - compare pages as sets of word sequences (shingles). */
#include "likeness.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"

enum {
    SHINGLE_WORDS = 4,
    HEX_MIN = 8,    /* digests and ids */
    TOKEN_MIN = 16, /* with at least one digit: CSRF tokens, nonces */
    ECHO_MIN = 3,   /* shorter path segments occur everywhere */
};

#define FNV_BASIS 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * FNV_PRIME;
    return hash;
}

/* ---- changing parts ---- */

static char *lower_copy(struct text text)
{
    char *copy = mem_dup(text.bytes, text.size);
    for (size_t i = 0; i < text.size; i++)
        copy[i] = ascii_lower(copy[i]);
    return copy;
}

static void blank_out(char *bytes, size_t size, const char *echo, size_t length)
{
    scoped(mem_free) char *wanted = lower_copy((struct text){ echo, length });
    char *found;
    if (length < ECHO_MIN)
        return;
    while ((found = memmem(bytes, size, wanted, length))) {
        memset(found, ' ', length);
        size -= (size_t)(found - bytes) + length;
        bytes = found + length;
    }
}

/* Blank out the path and its last segment, which error pages often quote. */
static void blank_out_path(char *bytes, size_t size, const char *path)
{
    const char *last = strrchr(path, '/');
    blank_out(bytes, size, path, strlen(path));
    blank_out(bytes, size, path + 1, strlen(path + 1));
    blank_out(bytes, size, last + 1, strlen(last + 1));
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* Numbers (including dates and times), hexadecimal ids, tokens. */
static bool differs_each_time(const char *word, size_t size)
{
    size_t digits = 0;
    size_t hex = 0;
    for (size_t i = 0; i < size; i++) {
        digits += word[i] >= '0' && word[i] <= '9';
        hex += hex_digit(word[i]) >= 0;
    }
    return digits == size || (hex == size && size >= HEX_MIN) || (digits > 0 && size >= TOKEN_MIN);
}

/* ---- words and shingles ---- */

struct shingler {
    struct likeness *likeness;
    uint64_t last[SHINGLE_WORDS]; /* hashes of the last words, oldest first */
    size_t words;
};

static void add_word(struct shingler *shingler, const char *word, size_t size)
{
    struct likeness *likeness = shingler->likeness;
    uint64_t hash = hash_bytes(FNV_BASIS, word, size);
    memmove(shingler->last, shingler->last + 1, sizeof(shingler->last) - sizeof(hash));
    shingler->last[SHINGLE_WORDS - 1] = hash;
    shingler->words++;
    likeness->hash = hash_bytes(likeness->hash, word, size);
    likeness->length += size;
    if (shingler->words <= SHINGLE_WORDS && shingler->words > 1)
        likeness->shingle_count--; /* short texts have one shingle in all */
    likeness->shingle[likeness->shingle_count++] =
        hash_bytes(FNV_BASIS, (const char *)shingler->last, sizeof(shingler->last));
}

static void add_words(struct likeness *likeness, const char *bytes, size_t size)
{
    struct shingler shingler = { .likeness = likeness };
    size_t i = 0;
    while (i < size) {
        size_t begin = i;
        while (i < size && is_word_byte(bytes[i]))
            i++;
        if (i > begin && !differs_each_time(bytes + begin, i - begin))
            add_word(&shingler, bytes + begin, i - begin);
        i += i == begin;
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a;
    uint64_t second = *(const uint64_t *)b;
    return first < second ? -1 : first > second;
}

static void sort_shingles(struct likeness *likeness)
{
    size_t kept = 0;
    qsort(likeness->shingle, likeness->shingle_count, sizeof(*likeness->shingle), by_value);
    for (size_t i = 0; i < likeness->shingle_count; i++)
        if (kept == 0 || likeness->shingle[kept - 1] != likeness->shingle[i])
            likeness->shingle[kept++] = likeness->shingle[i];
    likeness->shingle_count = kept;
}

struct likeness likeness_of(const struct content *content, const char *path, const char *host)
{
    struct text bytes = content->bytes;
    scoped(mem_free) char *text = lower_copy(bytes);
    struct likeness likeness = { .media_type = str_dup(content->media_type), .hash = FNV_BASIS };
    likeness.head_size = MIN(bytes.size, LIKENESS_HEAD_BYTES);
    memcpy(likeness.head, bytes.size ? bytes.bytes : "", likeness.head_size);
    likeness.is_binary = memchr(likeness.head, '\0', likeness.head_size) != NULL;
    likeness.shingle = mem_array(bytes.size / 2 + 1, sizeof(*likeness.shingle));
    blank_out_path(text, bytes.size, path);
    blank_out(text, bytes.size, host, strlen(host));
    add_words(&likeness, text, bytes.size);
    sort_shingles(&likeness);
    return likeness;
}

void likeness_free(struct likeness *likeness)
{
    mem_free(&likeness->media_type);
    mem_free(&likeness->shingle);
    *likeness = (struct likeness){ 0 };
}

/* ---- comparing ---- */

/* Jaccard index of the shingles, in percent. */
static size_t common_percent(const struct likeness *a, const struct likeness *b)
{
    size_t both = 0;
    size_t i = 0;
    size_t k = 0;
    while (i < a->shingle_count && k < b->shingle_count) {
        uint64_t first = a->shingle[i];
        uint64_t second = b->shingle[k];
        both += first == second;
        i += first <= second;
        k += second <= first;
    }
    size_t all = a->shingle_count + b->shingle_count - both;
    return all == 0 ? 100 : 100 * both / all;
}

static bool is_as_long(const struct likeness *a, const struct likeness *b)
{
    size_t longer = MAX(a->length, b->length);
    return 50 * (longer - MIN(a->length, b->length)) <= longer; /* lengths differ by at most 2 % */
}

bool likeness_matches(const struct likeness *a, const struct likeness *b)
{
    if (strcmp(a->media_type, b->media_type) != 0)
        return false;
    if (a->is_binary || b->is_binary)
        return a->head_size == b->head_size && memcmp(a->head, b->head, a->head_size) == 0;
    if (a->hash == b->hash && a->length == b->length)
        return true;
    size_t percent = common_percent(a, b);
    return percent >= 90 || (percent >= 80 && is_as_long(a, b));
}
