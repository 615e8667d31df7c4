/* portal/password/networks.c - a table of fixed size, by a keyed hash: outsiders choose networks,
 * but not which ones share a row. */
#include "portal/password/networks.h"

#include <sodium.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { WAYS = 8, ROWS = NETWORKS_MAX / WAYS };

struct slot {
    uint64_t network; /* its hash */
    int64_t free_ms;  /* when it has no debt; in the past: the slot is free */
};

struct networks {
    unsigned char key[crypto_shorthash_KEYBYTES];
    struct slot row[ROWS][WAYS];
};

struct networks *networks_new(void)
{
    struct networks *networks = mem_new(sizeof(*networks));
    crypto_shorthash_keygen(networks->key);
    return networks;
}

void networks_free(struct networks **networks)
{
    mem_free(networks);
}

static uint64_t hash_of(const struct networks *networks, const char *network)
{
    unsigned char digest[crypto_shorthash_BYTES];
    uint64_t hash;
    crypto_shorthash(digest, (const unsigned char *)network, strlen(network), networks->key);
    memcpy(&hash, digest, sizeof(hash));
    return hash;
}

static int64_t debt_ms_of(const struct slot *slot, int64_t now_ms)
{
    return slot->free_ms > now_ms ? slot->free_ms - now_ms : 0;
}

int networks_debt(const struct networks *networks, const char *network, int64_t now_ms)
{
    uint64_t hash = hash_of(networks, network);
    const struct slot *row = networks->row[hash % ROWS];
    for (size_t i = 0; i < WAYS; i++)
        if (row[i].network == hash)
            return (int)((debt_ms_of(&row[i], now_ms) + NETWORK_TRY_MS - 1) / NETWORK_TRY_MS);
    return 0;
}

void networks_add_try(struct networks *networks, const char *network, int64_t now_ms)
{
    uint64_t hash = hash_of(networks, network);
    struct slot *row = networks->row[hash % ROWS];
    struct slot *slot = &row[0];
    for (size_t i = 0; i < WAYS && slot->network != hash; i++)
        if (row[i].network == hash || row[i].free_ms < slot->free_ms)
            slot = &row[i];
    int64_t debt_ms = slot->network == hash ? debt_ms_of(slot, now_ms) : 0;
    slot->network = hash;
    slot->free_ms =
        now_ms + MIN(debt_ms + NETWORK_TRY_MS, (int64_t)NETWORK_DEBT_MAX * NETWORK_TRY_MS);
}
