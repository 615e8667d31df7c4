/*
 * gateway/requests/batch.h - records and dropped counts as parameters of request_write()
 * (gateway/sql/012-requests.sql).
 */
#pragma once

#include "db/db.h"
#include "gateway/requests/account-share.h"
#include "gateway/requests/record.h"

enum {
    BATCH_RECORDS = 2000, /* in a batch, at most */
    BATCH_DROPPED = 200,  /* accounts with dropped records in a batch, at most */
    BATCH_PARAMETERS = 6, /* of request_write() */
};

/* The parameters of one batch; zero is empty. They stay valid until the next batch_write(). */
struct batch {
    struct buf bytes;
    size_t end[BATCH_PARAMETERS]; /* of each parameter in bytes */
    size_t token_count;           /* different tokens */
    uint16_t *tokens;             /* indexes of the first record with each of them */
    uint16_t *token_of;           /* the token of each record, from 0 */
    uint16_t *hash;               /* finds a token: its index + 1, 0: free */
};

/* A ring of records; the batch begins at `first`. */
struct record_ring {
    const struct request_record *record;
    size_t size;
    size_t first;
};

void batch_open(struct batch *batch);
void batch_close(struct batch *batch);

/* Write a batch of the ring's first `count` records. now_ms: clock_ms(). */
void batch_write(struct batch *batch, const struct uuid *writer, int64_t number,
                 struct record_ring ring, size_t count, const struct dropped *dropped,
                 size_t dropped_count, int64_t now_ms);

void batch_list(const struct batch *batch, struct db_param list[static BATCH_PARAMETERS]);
