/*
 * portal/password/hash-queue.h - all password hashing of this process, on a few low-priority
 * threads. Each thread uses 64 MiB, and a flood of sign-ins must not take CPU time from paid calls.
 *
 * 1. Known devices and signed-in members come before all others: they are few, because of the
 *    limits of portal/base/throttle.h, so an attacker's guesses do not delay them.
 * 2. The queue has 16 places. The last 4 are for known devices and signed-in members.
 * 3. An unknown device takes a password_place before its sign-in uses the database, so that a flood
 *    does not reach the database.
 * 4. Among unknown devices, those of networks that tried less lately come first (networks.h).
 * 5. If all places are taken, a caller that comes before others takes the place of the last one
 *    whose hash has not begun. That sign-in is rejected (docs/decisions/013-sign-in-floods.md).
 *
 * Callers that are equal by these rules wait in order.
 * Any thread may call.
 */
#pragma once

#include <stddef.h>

#include "admin/metrics.h"
#include "text/passwords/hash.h"

struct hash_queue;
struct hash_request;

enum {
    PASSWORD_QUEUE_PLACES = 16, /* waiting callers, in addition to the running ones */
    PASSWORD_KNOWN_PLACES = 4,  /* of them, for known devices and signed-in members only */
    PASSWORD_WAIT_MS = 5000,    /* the longest wait for a thread */
    PASSWORD_RETRY_S = 2,       /* Retry-After when the queue is full */
};

/* Start this many threads (1 to 8). Counts tollgate_password_hashes_total{outcome}. */
struct hash_queue *hash_queue_new(size_t threads, struct metrics *metrics);

/* No caller may be waiting. */
void hash_queue_free(struct hash_queue **queue);

/* The sign-in of an unknown device, from before its first query until the response. At most as many
 * exist as there are threads and places in the queue, apart from lost ones. It must not move. */
struct password_place {
    struct hash_queue *queue;     /* NULL: not taken. Its mutex guards the other fields */
    int debt;                     /* of its network, when it was taken */
    bool is_lost;                 /* to another device */
    struct hash_request *request; /* waiting or running; or NULL */
    struct password_place *next;
};

/* Take one for a device of this network ("192.0.2.0/24"). False: all are taken by devices of
 * networks that tried as little or less. Counted as `rejected`. */
bool password_place_take(struct hash_queue *queue, const char *network,
                         struct password_place *place) must_check;
void password_place_free(struct password_place *place);

/* password_fits() of text/passwords/hash.h. place NULL: a known device, or a signed-in member.
 * Errors: ERR_OVERLOADED if the queue is full, the wait too long, or the place lost. */
bool hash_queue_check(struct hash_queue *queue, struct password_place *place, struct text password,
                      const char *hash, bool *fits, struct err *err) must_check;

/* password_hash(), for known devices and signed-in members. Errors: also ERR_INTERNAL. */
bool hash_queue_hash(struct hash_queue *queue, struct text password,
                     char hash[static PASSWORD_HASH_BYTES], struct err *err) must_check;
