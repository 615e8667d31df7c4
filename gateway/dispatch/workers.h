/*
 * gateway/dispatch/workers.h - the daemons that are ready to work, and messages to them. Used by
 * the dispatcher thread alone (gateway/dispatch/dispatch.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "bus/sock.h"
#include "bus/wire.h"

enum {
    GROUP_WORKERS_MAX = 128, /* so that no group takes the place of another's */
    WORKER_PEER_BYTES = 64,
    HEARTBEAT_MS = 1000, /* between two pings of an idle worker */
};

struct group; /* of the dispatcher */

struct worker {
    char peer[WORKER_PEER_BYTES]; /* its routing id */
    size_t peer_bytes;
    char key[KEY_TEXT_BYTES]; /* its public key, Z85 */
    struct group *group;
    size_t credit;  /* jobs it takes at once from this gateway */
    size_t slots;   /* of them usable: fewer after it said that it is full, until its heartbeat */
    size_t running; /* of them in use */
    size_t stuck;   /* of them in use for jobs that were given up, by what it said last */
    int64_t heard_ms;
    int64_t pinged_ms;
    bool is_draining; /* gets nothing more */
    bool is_gone;     /* found out while sending; removed at the next safe point */
};

struct workers {
    struct sock *sock; /* borrowed */
    struct uuid gateway;
    struct buf header; /* of the next message, written by wire_put_…() */
    size_t count;
    struct worker **worker; /* GROUP_WORKERS_MAX for each group */
};

void workers_open(struct workers *workers, struct sock *sock, size_t group_count);

/* Say goodbye to all and forget them. */
void workers_close(struct workers *workers);

struct worker *workers_find(const struct workers *workers, struct text peer);

/* The sender of a message as a new worker without slots. NULL when its id is too long, or there is
 * no place: a group has GROUP_WORKERS_MAX, and each of the key_count keys that are listed for it an
 * equal part of them. */
struct worker *workers_add(struct workers *workers, const struct message *message,
                           struct group *group, size_t key_count);
void workers_remove(struct workers *workers, struct worker *worker);

/* The group's worker with the most free slots, never `avoid`; NULL when none is free. */
struct worker *workers_pick(const struct workers *workers, const struct group *group,
                            const struct worker *avoid);

/* Send workers->header and a body (empty: none), and clear the header. False when the worker did
 * not get it; is_gone tells whether it ever will. */
bool workers_tell(struct workers *workers, struct worker *worker, enum message_type type,
                  struct text body);

void workers_ping(struct workers *workers, struct worker *worker);
void workers_welcome(struct workers *workers, struct worker *worker);

/* To anybody, also one who is no worker. */
void workers_goodbye(struct workers *workers, struct text peer, const char *reason);
