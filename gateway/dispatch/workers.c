/* gateway/dispatch/workers.c - the connected workers. */
#include "gateway/dispatch/workers.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"

void workers_open(struct workers *workers, struct sock *sock, size_t group_count)
{
    workers->sock = sock;
    workers->gateway = uuid_new();
    workers->header = (struct buf)BUF(HEADER_MAX_BYTES);
    workers->worker = mem_array(group_count * GROUP_WORKERS_MAX, sizeof(*workers->worker));
}

void workers_close(struct workers *workers)
{
    while (workers->count > 0) {
        struct worker *worker = workers->worker[0];
        workers_goodbye(workers, (struct text){ worker->peer, worker->peer_bytes }, "shutdown");
        workers_remove(workers, worker);
    }
    buf_free(&workers->header);
    mem_free(&workers->worker);
}

struct worker *workers_find(const struct workers *workers, struct text peer)
{
    for (size_t i = 0; i < workers->count; i++) {
        struct worker *worker = workers->worker[i];
        if (worker->peer_bytes == peer.size && memcmp(worker->peer, peer.bytes, peer.size) == 0)
            return worker;
    }
    return NULL;
}

static bool has_place(const struct workers *workers, const struct group *group, const char *key,
                      size_t key_count)
{
    size_t of_group = 0;
    size_t of_key = 0;
    for (size_t i = 0; i < workers->count; i++) {
        of_group += workers->worker[i]->group == group;
        of_key += strcmp(workers->worker[i]->key, key) == 0;
    }
    return of_group < GROUP_WORKERS_MAX && of_key * key_count < GROUP_WORKERS_MAX;
}

struct worker *workers_add(struct workers *workers, const struct message *message,
                           struct group *group, size_t key_count)
{
    struct text peer = message->peer;
    if (peer.size > WORKER_PEER_BYTES || !has_place(workers, group, message->key, key_count))
        return NULL;
    struct worker *worker = mem_new(sizeof(*worker));
    memcpy(worker->peer, peer.bytes, peer.size);
    worker->peer_bytes = peer.size;
    snprintf(worker->key, sizeof(worker->key), "%s", message->key);
    worker->group = group;
    workers->worker[workers->count++] = worker;
    return worker;
}

void workers_remove(struct workers *workers, struct worker *worker)
{
    size_t i = 0;
    while (workers->worker[i] != worker)
        i++;
    workers->worker[i] = workers->worker[--workers->count];
    mem_free(&worker);
}

static size_t free_slots(const struct worker *worker)
{
    size_t used = worker->running + worker->stuck;
    return used < worker->slots ? worker->slots - used : 0;
}

struct worker *workers_pick(const struct workers *workers, const struct group *group,
                            const struct worker *avoid)
{
    struct worker *best = NULL;
    for (size_t i = 0; i < workers->count; i++) {
        struct worker *worker = workers->worker[i];
        if (worker->group != group || worker->is_draining || worker->is_gone ||
            free_slots(worker) == 0 || worker == avoid)
            continue;
        if (!best || free_slots(worker) > free_slots(best))
            best = worker;
    }
    return best;
}

bool workers_send(struct workers *workers, struct worker *worker, enum message_type type,
                  struct text body)
{
    struct message message = { .peer = { worker->peer, worker->peer_bytes },
                               .type = (uint8_t)type,
                               .header = buf_text(&workers->header),
                               .body = body };
    enum sock_result result = sock_send(workers->sock, &message);
    buf_clear(&workers->header);
    if (result == SOCK_GONE)
        worker->is_gone = true;
    return result == SOCK_OK;
}

void workers_ping(struct workers *workers, struct worker *worker)
{
    struct wire_heartbeat heartbeat = { .is_draining = worker->is_draining };
    worker->pinged_ms = clock_ms();
    wire_put_heartbeat(&workers->header, &heartbeat);
    workers_send(workers, worker, MSG_HEARTBEAT, (struct text){ 0 });
}

void workers_welcome(struct workers *workers, struct worker *worker)
{
    struct wire_welcome welcome = { .gateway = workers->gateway, .heartbeat_ms = HEARTBEAT_MS };
    wire_put_welcome(&workers->header, &welcome);
    workers_send(workers, worker, MSG_WELCOME, (struct text){ 0 });
}

void workers_goodbye(struct workers *workers, struct text peer, const char *reason)
{
    struct message message = { .peer = peer, .type = MSG_GOODBYE };
    wire_put_goodbye(&workers->header, reason);
    message.header = buf_text(&workers->header);
    sock_send(workers->sock, &message);
    buf_clear(&workers->header);
}
