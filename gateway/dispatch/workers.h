/*
 * gateway/dispatch/workers.h - the connected daemons, and messages to them. Only the dispatcher
 * thread (gateway/dispatch/dispatch.c) uses it.
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
    GROUP_WORKERS_MAX = 128, /* so that one group cannot take all entries */
    WORKER_PEER_BYTES = 64,
    HEARTBEAT_MS = 1000, /* between two pings of an idle worker */
};

struct group; /* of the dispatcher */

struct worker {
    char peer[WORKER_PEER_BYTES]; /* its routing id */
    size_t peer_bytes;
    char key[KEY_TEXT_BYTES]; /* its public key, Z85 */
    struct group *group;
    size_t credit;  /* jobs at once that it accepts from this gateway */
    size_t slots;   /* usable ones; fewer from a NACK until its next heartbeat */
    size_t running; /* of them in use */
    size_t stuck;   /* in use for abandoned jobs, as it last reported */
    int64_t heard_ms;
    int64_t pinged_ms;
    bool is_draining; /* gets no more jobs */
    bool is_gone;     /* a send found it dead; removed at the next safe point */
};

struct workers {
    struct sock *sock; /* borrowed */
    struct uuid gateway;
    struct buf header; /* of the next message, written by wire_put_…() */
    size_t count;
    struct worker **worker; /* GROUP_WORKERS_MAX for each group */
};

void workers_open(struct workers *workers, struct sock *sock, size_t group_count);

/* Send GOODBYE to all workers and remove them. */
void workers_close(struct workers *workers);

struct worker *workers_find(const struct workers *workers, struct text peer);

/* Add the sender of a message, without slots. NULL: its id is too long, or the group is full. A
 * group has GROUP_WORKERS_MAX entries, divided evenly among its key_count keys. */
struct worker *workers_add(struct workers *workers, const struct message *message,
                           struct group *group, size_t key_count);
void workers_remove(struct workers *workers, struct worker *worker);

/* The group's worker with the most free slots, except `avoid`; NULL: all are busy. */
struct worker *workers_pick(const struct workers *workers, const struct group *group,
                            const struct worker *avoid);

/* Send workers->header and a body (may be empty), and clear the header. False: the worker did not
 * get it; is_gone says whether the worker is dead. */
bool workers_send(struct workers *workers, struct worker *worker, enum message_type type,
                  struct text body);

void workers_ping(struct workers *workers, struct worker *worker);
void workers_welcome(struct workers *workers, struct worker *worker);

/* To any peer, registered or not. */
void workers_goodbye(struct workers *workers, struct text peer, const char *reason);
