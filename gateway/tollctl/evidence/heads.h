/*
 * gateway/tollctl/evidence/heads.h - the head of each account: the number and hash of an entry,
 * which commits to all entries before it.
 *
 * A table by account for a million accounts and more: it takes about 110 bytes for each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/codec/uuid.h"
#include "gateway/tollctl/evidence/merkle.h"

enum { HASH_BYTES = MERKLE_HASH_BYTES };

struct head {
    struct uuid account;
    int64_t seq; /* 0: the account has no entries, and hash is zeros */
    uint8_t hash[HASH_BYTES];
};

/* What root files say about an account. */
struct known_head {
    struct head head;    /* the newest one */
    bool is_used;        /* the slot of the table is */
    bool is_skipped;     /* do not compare it */
    bool is_seen;        /* the database has the account */
    bool is_lost;        /* the database has not this entry of it */
    uint32_t kept_block; /* the block of kept */
    uint32_t bad_block;
    int64_t kept; /* the newest entry that the database has like a root; 0: none */
    int64_t bad;  /* the oldest entry that it has not; 0: none */
};

/* Zero is an empty table. */
struct heads {
    struct known_head *slot;
    size_t capacity; /* a power of 2 */
    size_t count;
};

/* The account's place in the table; NULL: it has none. Valid until the next heads_put(). */
struct known_head *heads_find(const struct heads *heads, const struct uuid *account);

/* Set the newest head of its account; the account gets a place if it has none. */
struct known_head *heads_put(struct heads *heads, const struct head *head);

/* Sort heads by account. */
void heads_sort(struct head *list, size_t count);

/* Add the leaf of a head: account, number (big-endian) and hash. */
void head_leaf(struct merkle *tree, const struct head *head);

/* The root of the Merkle tree over the heads of all accounts with entries, in order of account. */
void heads_root(const struct heads *heads, uint8_t root[static HASH_BYTES]);

void heads_free(struct heads *heads);
