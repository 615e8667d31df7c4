/*
 * gateway/tollctl/evidence/roots.h - the root file: text that is only appended to. Each run of
 * `tollctl ledger root` adds a block.
 *
 *     cut TIME                    only after a restore: the history of some accounts was cut here
 *     lost ACCOUNT FIRST LAST     only after `cut`: at most these entries of the account are gone
 *     head ACCOUNT SEQ HASH       each account whose head changed since the block before
 *     root TIME ACCOUNTS ENTRIES ROOT HEADS PREVIOUS SIGNATURE
 *
 * ROOT is the root of the Merkle tree over the heads of all accounts with entries, in order of
 * account. HEADS is the SHA-256 of the block's lines before this one. PREVIOUS is the SHA-256 of
 * the root line before (zeros: this is the first root of all). SIGNATURE is the Ed25519 signature
 * (Base64) of the line up to the blank before it. Times are RFC 3339 in UTC, hashes are
 * hexadecimal. The lines `lost` and `head` are each in order of account. The first block of a file
 * has the heads of all accounts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/os/clock.h"
#include "gateway/tollctl/evidence/heads.h"
#include "gateway/tollctl/evidence/signing-key.h"

enum { ROOT_KEYS_MAX = 16 };

struct lost_entries {
    struct uuid account;
    int64_t first;
    int64_t last;
};

struct root_block {
    char cut[CLOCK_TEXT_BYTES]; /* empty: the history was not cut */
    char time[CLOCK_TEXT_BYTES];
    int64_t accounts;
    int64_t entries; /* of all accounts */
    uint8_t root[HASH_BYTES];
    uint8_t previous[HASH_BYTES];
    uint8_t digest[HASH_BYTES]; /* the SHA-256 of its root line: the next block's PREVIOUS */
    struct lost_entries *lost;
    size_t lost_count;
    struct head *heads;
    size_t head_count;
};

void root_block_free(struct root_block *block);

/* ---- writing ---- */

/* Append the block's lines, and fill its digest. line: its root line. */
void root_block_write(struct root_block *block, const struct signing_key *key, struct buf *out,
                      struct buf *line);

/* ---- reading ---- */

/* Keys by which the root lines of a file may be signed; one has signed all of them. */
struct root_keys {
    const struct signing_key *key[ROOT_KEYS_MAX];
    size_t count;
};

/* What was read of a file. */
struct root_file {
    const char *name;
    int64_t limit; /* read at most these bytes */
    size_t blocks;
    int64_t size;                      /* bytes of its whole blocks */
    bool is_torn;                      /* the last block is not complete */
    uint8_t start[HASH_BYTES];         /* PREVIOUS of the first block */
    uint8_t digest[HASH_BYTES];        /* of the last root line */
    uint8_t root[HASH_BYTES];          /* ROOT of the last block */
    char first_time[CLOCK_TEXT_BYTES]; /* of the first and the last root */
    char time[CLOCK_TEXT_BYTES];
};

/* Called for each whole block whose signature, lines and link are right. */
typedef bool root_reader(void *context, const struct root_block *block, struct err *err);

/*
 * Read a file from its start. file->name and limit are set; the rest is filled.
 *
 * Errors: ERR_SIGNATURE_INVALID with the line, if it is not what was signed; ERR_INVALID_VALUE if
 * it cannot be read; those of the reader. A last block that was not written to its end is not an
 * error: is_torn.
 */
bool roots_read(FILE *stream, const struct root_keys *keys, root_reader *reader, void *context,
                struct root_file *file, struct err *err) must_check;

/* Do the newest heads of all accounts in a file that was read give the root of its last block? They
 * do not if the first blocks are missing. Errors: ERR_SIGNATURE_INVALID. */
bool roots_check_heads(const struct root_file *file, const struct heads *heads,
                       struct err *err) must_check;
