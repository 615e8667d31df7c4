/* gateway/http/address-window.c - a sliding log of calls per address, in a sharded hash table. */
#include "gateway/http/address-window.h"

#include <assert.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"

enum {
    SHARDS_MAX = 64,
    SHARD_ADDRESSES_MIN = 64, /* a smaller table is not split further */
    CALLS_MIN = 4,            /* first size of an address's ring */
    RECLAIM_AT_ONCE = 2,      /* idle addresses that a call frees: more than it can add */
};

/* The key of an address. */
struct key {
    uint64_t bits; /* the IPv4 address, or the /64 */
    uint64_t is_ipv4;
};

/* One address. `calls` has the low 32 bits of their times, oldest at `first`. That is enough: no
 * call is older than WINDOW_MS before the newest, whose full time is stored. */
struct entry {
    struct key key;
    int64_t newest_ms; /* time of the last admitted call */
    uint32_t *call_ms;
    uint16_t first;
    uint16_t count;
    uint16_t capacity;
    struct entry *next; /* in its hash bucket */
    struct entry *older;
    struct entry *newer; /* in order of last use */
};

struct shard {
    pthread_mutex_t lock;
    size_t count;
    struct entry *oldest;
    struct entry *newest;
    struct entry **buckets;
};

/* The hash is keyed, so that an attacker cannot choose addresses that collide. */
struct address_window {
    unsigned char hash_key[crypto_shorthash_KEYBYTES];
    size_t shard_count; /* this and the next are powers of two */
    size_t bucket_count;
    size_t shard_addresses_max;
    struct shard *shards;
};

/* ---- the table ---- */

struct address_window *address_window_new(size_t max_addresses)
{
    assert(max_addresses > 0);
    if (sodium_init() < 0)
        abort();
    struct address_window *window = mem_new(sizeof(*window));
    window->shard_count = 1;
    while (window->shard_count < SHARDS_MAX &&
           max_addresses / (2 * window->shard_count) >= SHARD_ADDRESSES_MIN)
        window->shard_count *= 2;
    window->shard_addresses_max = max_addresses / window->shard_count;
    window->bucket_count = 1;
    while (window->bucket_count < window->shard_addresses_max)
        window->bucket_count *= 2;
    crypto_shorthash_keygen(window->hash_key);
    window->shards = mem_array(window->shard_count, sizeof(*window->shards));
    for (size_t i = 0; i < window->shard_count; i++) {
        pthread_mutex_init(&window->shards[i].lock, NULL);
        window->shards[i].buckets = mem_array(window->bucket_count, sizeof(struct entry *));
    }
    return window;
}

static void entry_free(struct entry *entry)
{
    mem_free(&entry->call_ms);
    mem_free(&entry);
}

void address_window_free(struct address_window **address_of_window)
{
    struct address_window *window = *address_of_window;
    if (!window)
        return;
    for (size_t i = 0; i < window->shard_count; i++) {
        struct shard *shard = &window->shards[i];
        for (struct entry *entry = shard->oldest, *newer; entry; entry = newer) {
            newer = entry->newer;
            entry_free(entry);
        }
        pthread_mutex_destroy(&shard->lock);
        mem_free(&shard->buckets);
    }
    mem_free(&window->shards);
    mem_free(address_of_window);
}

static struct key key_of(const struct in6_addr *address)
{
    struct key key = { .is_ipv4 = address_is_ipv4(address) };
    memcpy(&key.bits, &address->s6_addr[key.is_ipv4 ? 8 : 0], sizeof(key.bits));
    return key;
}

static uint64_t hash_of(const struct address_window *window, struct key key)
{
    uint64_t hash;
    unsigned char out[crypto_shorthash_BYTES];
    crypto_shorthash(out, (const unsigned char *)&key, sizeof(key), window->hash_key);
    memcpy(&hash, out, sizeof(hash));
    return hash;
}

static bool key_equal(struct key a, struct key b)
{
    return a.bits == b.bits && a.is_ipv4 == b.is_ipv4;
}

/* The low bits of the hash choose the shard, the high bits the bucket. */
static struct entry **bucket_of(const struct address_window *window, struct shard *shard,
                                uint64_t hash)
{
    return &shard->buckets[(hash >> 32) & (window->bucket_count - 1)];
}

/* ---- order of last use ---- */

static void order_remove(struct shard *shard, struct entry *entry)
{
    *(entry->older ? &entry->older->newer : &shard->oldest) = entry->newer;
    *(entry->newer ? &entry->newer->older : &shard->newest) = entry->older;
}

static void order_append(struct shard *shard, struct entry *entry)
{
    entry->older = shard->newest;
    entry->newer = NULL;
    *(shard->newest ? &shard->newest->newer : &shard->oldest) = entry;
    shard->newest = entry;
}

static bool is_idle(const struct entry *entry, int64_t now_ms)
{
    return entry->newest_ms <= now_ms - WINDOW_MS;
}

static void forget_oldest(const struct address_window *window, struct shard *shard)
{
    struct entry *entry = shard->oldest;
    struct entry **link = bucket_of(window, shard, hash_of(window, entry->key));
    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    order_remove(shard, entry);
    shard->count--;
    entry_free(entry);
}

/* Free a few idle addresses, so that no call pays for all. */
static void reclaim(const struct address_window *window, struct shard *shard, int64_t now_ms)
{
    for (int i = 0; i < RECLAIM_AT_ONCE && shard->oldest && is_idle(shard->oldest, now_ms); i++)
        forget_oldest(window, shard);
}

/* Find or add the entry of an address, and make it the most recently used. */
static struct entry *touch_entry(const struct address_window *window, struct shard *shard,
                                 uint64_t hash, struct key key)
{
    struct entry **bucket = bucket_of(window, shard, hash);
    struct entry *entry = *bucket;
    while (entry && !key_equal(entry->key, key))
        entry = entry->next;
    if (entry) {
        order_remove(shard, entry);
    } else {
        if (shard->count == window->shard_addresses_max)
            forget_oldest(window, shard);
        entry = mem_new(sizeof(*entry));
        entry->key = key;
        entry->next = *bucket;
        *bucket = entry;
        shard->count++;
    }
    order_append(shard, entry);
    return entry;
}

/* ---- the calls of one address ---- */

/* The time of call i (0 is the oldest). */
static int64_t call_at(const struct entry *entry, unsigned i)
{
    uint32_t low = entry->call_ms[(entry->first + i) % entry->capacity];
    return entry->newest_ms - (uint32_t)((uint32_t)entry->newest_ms - low);
}

static void drop_old_calls(struct entry *entry, int64_t now_ms)
{
    while (entry->count > 0 && call_at(entry, 0) <= now_ms - WINDOW_MS) {
        entry->first = (uint16_t)((entry->first + 1) % entry->capacity);
        entry->count--;
    }
}

/* Double the ring, with the calls moved to its start. */
static void grow(struct entry *entry)
{
    uint16_t capacity = (uint16_t)MAX(2 * entry->capacity, CALLS_MIN);
    uint32_t *call_ms = mem_array(capacity, sizeof(*call_ms));
    for (unsigned i = 0; i < entry->count; i++)
        call_ms[i] = (uint32_t)call_at(entry, i);
    mem_free(&entry->call_ms);
    entry->call_ms = call_ms;
    entry->first = 0;
    entry->capacity = capacity;
}

static void add_call(struct entry *entry, int64_t now_ms)
{
    if (entry->count == entry->capacity)
        grow(entry);
    entry->call_ms[(entry->first + entry->count) % entry->capacity] = (uint32_t)now_ms;
    entry->count++;
    entry->newest_ms = now_ms;
}

/* After a reload more calls may be in the window than the limit: that many must leave first. */
static int64_t until_free(const struct entry *entry, unsigned limit, int64_t now_ms)
{
    return entry->count < limit ? 0 : call_at(entry, entry->count - limit) + WINDOW_MS - now_ms;
}

static struct address_verdict decide_call(struct entry *entry, unsigned limit, int64_t now_ms)
{
    struct address_verdict verdict = { 0 };
    drop_old_calls(entry, now_ms);
    verdict.admitted = entry->count < limit;
    if (verdict.admitted) {
        add_call(entry, now_ms);
        verdict.counted_ms = now_ms;
    }
    verdict.remaining = entry->count < limit ? limit - entry->count : 0;
    verdict.retry_after_ms = until_free(entry, limit, now_ms);
    verdict.reset_ms = entry->count > 0 ? call_at(entry, 0) + WINDOW_MS - now_ms : 0;
    return verdict;
}

struct address_verdict address_window_admit(struct address_window *window,
                                            const struct in6_addr *address, unsigned limit)
{
    assert(limit <= LIMITS_ADDRESS_MAX);
    if (limit == 0)
        return (struct address_verdict){ .admitted = true };

    struct key key = key_of(address);
    uint64_t hash = hash_of(window, key);
    struct shard *shard = &window->shards[hash & (window->shard_count - 1)];

    pthread_mutex_lock(&shard->lock);
    int64_t now_ms = clock_ms(); /* read under the lock: times in a ring must not go back */
    reclaim(window, shard, now_ms);
    struct entry *entry = touch_entry(window, shard, hash, key);
    struct address_verdict verdict = decide_call(entry, limit, now_ms);
    pthread_mutex_unlock(&shard->lock);
    return verdict;
}

/* Remove one call made at this time; the newer ones move one place back. The full time of the
 * newest call stays, so that the others can be read. */
static void remove_call(struct entry *entry, int64_t counted_ms)
{
    unsigned i = entry->count;
    while (i > 0 && call_at(entry, i - 1) > counted_ms)
        i--;
    if (i == 0 || call_at(entry, i - 1) != counted_ms)
        return;
    for (; i < entry->count; i++)
        entry->call_ms[(entry->first + i - 1) % entry->capacity] =
            entry->call_ms[(entry->first + i) % entry->capacity];
    entry->count--;
}

void address_window_return(struct address_window *window, const struct in6_addr *address,
                           int64_t counted_ms)
{
    struct key key = key_of(address);
    uint64_t hash = hash_of(window, key);
    struct shard *shard = &window->shards[hash & (window->shard_count - 1)];

    pthread_mutex_lock(&shard->lock);
    struct entry *entry = *bucket_of(window, shard, hash);
    while (entry && !key_equal(entry->key, key))
        entry = entry->next;
    if (entry)
        remove_call(entry, counted_ms);
    pthread_mutex_unlock(&shard->lock);
}

size_t address_window_count(struct address_window *window)
{
    size_t count = 0;
    for (size_t i = 0; i < window->shard_count; i++) {
        pthread_mutex_lock(&window->shards[i].lock);
        count += window->shards[i].count;
        pthread_mutex_unlock(&window->shards[i].lock);
    }
    return count;
}
