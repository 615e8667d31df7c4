/*
 * portal/password/hash-queue.h - all hashing of passwords in this process, by a few threads of low
 * priority: a flood of sign-ins takes 64 MiB for each of them, and no processor from paid calls.
 *
 * Whoever asks waits for his turn, in order, but known devices and members who are signed in before
 * all others: theirs are few, since each has few tries (portal/base/throttle.h), and so nobody's
 * guesses keep them waiting. The queue has 16 places, the last 4 of them for these alone. A
 * stranger who signs in takes his place before anything else is done for him, so that a flood costs
 * no statement of the database either. Any thread may call.
 */
#pragma once

#include <stddef.h>

#include "admin/metrics.h"
#include "text/passwords/hash.h"

struct hash_queue;

enum {
    PASSWORD_QUEUE_PLACES = 16, /* who waits, beside those whose hash is being made */
    PASSWORD_KNOWN_PLACES = 4,  /* of them, not for strangers */
    PASSWORD_WAIT_MS = 5000,    /* longest wait for one's turn */
    PASSWORD_RETRY_S = 2,       /* what those are told who did not get one */
};

/* Start so many threads (1 to 8). Counts tollgate_password_hashes_total{outcome} in metrics. */
struct hash_queue *hash_queue_new(size_t threads, struct metrics *metrics);

/* Nobody may wait for a job any more. */
void hash_queue_free(struct hash_queue **queue);

/* A stranger's way through a sign-in, from before the database is asked to the answer. There are as
 * many at once as have a turn or a place in the queue; empty: none was taken. */
struct password_place {
    struct hash_queue *queue;
};

/* False: all are taken, which is counted as refused. */
bool password_place_take(struct hash_queue *queue, struct password_place *place) must_check;
void password_place_free(struct password_place *place);

/* password_fits() and password_hash() of text/passwords/hash.h. Errors: ERR_OVERLOADED when the
 * queue is full or the turn does not come, ERR_INTERNAL. */
bool hash_queue_check(struct hash_queue *queue, bool is_known, struct text password,
                      const char *hash, bool *fits, struct err *err) must_check;
bool hash_queue_hash(struct hash_queue *queue, bool is_known, struct text password,
                     char hash[static PASSWORD_HASH_BYTES], struct err *err) must_check;
