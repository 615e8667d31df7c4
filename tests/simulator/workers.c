/* tests/simulator/workers.c - bus/sock.h and the workers behind it. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bus/sock.h"
#include "bus/wire.h"
#include "descriptors.h"
#include "world.h"

enum {
    SOCKS_MAX = 64,
    PEER_TEXT_BYTES = 16,
    WAY_US_MAX = 1500,
    SLOTS = 4,
    NOTICE_US_MAX = 3000 * US_A_MS, /* until a gateway's socket knows that a peer is gone */
};

static const char group_name[] = "utils";

struct letter {
    struct letter *next;
    char peer[PEER_TEXT_BYTES];
    size_t worker;
    struct sock *sock;
    uint8_t type;
    struct text header, body;
};

struct allow {
    int nothing;
};

struct sock {
    int owner;
    int descriptor;
    bool is_closed;
    struct letter *first;
    struct letter *last;
    int64_t sent_us[WORKERS_MAX];     /* when the last message to each worker arrives */
    int64_t received_us[WORKERS_MAX]; /* and from it */
    unsigned running[WORKERS_MAX];    /* jobs of this gateway */
};

struct worker_sim {
    unsigned life; /* a new one has new routing ids */
    bool is_up;
    bool is_draining;
    int64_t frozen_until_us;
    int64_t gone_us; /* when sockets know that its last life is over */
};

static struct {
    size_t count;
    unsigned faults;
    struct worker_sim worker[WORKERS_MAX];
    size_t sock_count;
    struct sock *sock[SOCKS_MAX];
} bus;

/* ---- messages ---- */

static struct text copy_text(struct text text)
{
    char *bytes = sim_new(text.size + 1);
    if (text.size > 0)
        memcpy(bytes, text.bytes, text.size);
    return (struct text){ bytes, text.size };
}

static void write_peer(char peer[static PEER_TEXT_BYTES], size_t worker)
{
    snprintf(peer, PEER_TEXT_BYTES, "w%zu/%u", worker, bus.worker[worker].life);
}

static void receive_letter(void *argument)
{
    struct letter *letter = argument;
    struct sock *sock = letter->sock;
    if (sock->is_closed)
        return;
    if (sock->last)
        sock->last->next = letter;
    else
        sock->first = letter;
    sock->last = letter;
    descriptor_set(sock->descriptor, true);
}

/* In order, as on a connection. */
static int64_t arrival_us(int64_t *last_us, int64_t at_us)
{
    int64_t way_us = at_us + chance_between(30, WAY_US_MAX);
    *last_us = way_us > *last_us ? way_us : *last_us + 1;
    return *last_us;
}

/* A worker's message to a gateway; takes the header over. */
static void tell(size_t worker, struct sock *sock, enum message_type type, struct buf *header,
                 struct text body)
{
    struct letter *letter = sim_new(sizeof(*letter));
    int64_t from_us = sim_now_us();
    if (from_us < bus.worker[worker].frozen_until_us)
        from_us = bus.worker[worker].frozen_until_us;
    *letter = (struct letter){ .worker = worker,
                               .sock = sock,
                               .type = (uint8_t)type,
                               .header = copy_text(buf_text(header)),
                               .body = copy_text(body) };
    write_peer(letter->peer, worker);
    buf_free(header);
    sim_at(arrival_us(&sock->received_us[worker], from_us), receive_letter, letter);
}

static struct buf new_header(void)
{
    return (struct buf)BUF(HEADER_MAX_BYTES);
}

/* ---- jobs ---- */

struct work_done {
    size_t worker;
    unsigned life;
    struct sock *sock;
    struct uuid id;
    enum err_kind error; /* ERR_NONE: a result */
    bool is_twice;
    size_t number;
};

static void note_error(const struct work_done *work)
{
    struct attempt *attempt = world_find_attempt(&work->id);
    if (!attempt)
        return;
    attempt->was_declined |=
        work->error == ERR_MODEL_REFUSED || work->error == ERR_CONTENT_NOT_ALLOWED;
    attempt->has_internal_error |= work->error == ERR_INTERNAL;
}

static void finish_work(void *argument)
{
    struct work_done *work = argument;
    struct worker_sim *worker = &bus.worker[work->worker];
    if (!worker->is_up || worker->life != work->life || work->sock->is_closed)
        return;
    struct wire_reply reply = { .id = work->id, .queue_us = 1, .run_us = 1 };
    char id[UUID_TEXT_BYTES];
    char body[RESULT_BYTES] = "";
    struct buf header = new_header();
    uuid_format(id, &work->id);
    note_error(work);
    if (work->error == ERR_NONE)
        snprintf(body, sizeof(body), "{\"call\":\"%s\",\"work\":%zu}", id, work->number);
    else
        errs_add(&reply.errs, work->error, "the simulated tool fails");
    wire_put_reply(&header, &reply);
    if (work->sock->running[work->worker] > 0)
        work->sock->running[work->worker]--;
    trace("worker %zu: %s", work->worker, work->error == ERR_NONE ? "result" : "error");
    tell(work->worker, work->sock, MSG_REPLY, &header, text_of(body));
    if (work->is_twice) {
        work->is_twice = false;
        finish_work(work);
    }
}

static enum err_kind pick_error(void)
{
    static const enum err_kind errors[] = { ERR_MODEL_REFUSED, ERR_CONTENT_NOT_ALLOWED,
                                            ERR_CAPACITY_EXCEEDED, ERR_INTERNAL,
                                            ERR_TARGET_TIMEOUT };
    return errors[chance_below(sizeof(errors) / sizeof(*errors))];
}

static void nack(size_t number, struct sock *sock, const struct wire_job *job,
                 enum nack_reason reason)
{
    struct buf header = new_header();
    wire_put_nack(&header, &job->id, reason);
    tell(number, sock, MSG_NACK, &header, (struct text){ "", 0 });
}

static void take_job(size_t number, struct sock *sock, const struct wire_job *job)
{
    bool is_faulty = chance_in(bus.faults);
    struct worker_sim *worker = &bus.worker[number];
    int64_t budget_us = (int64_t)job->budget_ms * US_A_MS;
    if (worker->is_draining || (is_faulty && chance_in(2000))) {
        nack(number, sock, job, worker->is_draining ? NACK_DRAINING : NACK_FULL);
        return;
    }
    if (is_faulty && chance_in(1000)) {
        worker_crash(number, chance_between(10, 3000) * US_A_MS);
        return;
    }
    sock->running[number]++;
    struct work_done *work = sim_new(sizeof(*work));
    *work = (struct work_done){ number,
                                worker->life,
                                sock,
                                job->id,
                                is_faulty && chance_in(5000) ? pick_error() : ERR_NONE,
                                is_faulty && chance_in(1000),
                                world.works++ };
    int64_t most_us = chance_in(8000) ? 20 * US_A_MS : budget_us * 3 / 5;
    if (is_faulty && chance_in(3000))
        most_us = 2 * budget_us;
    sim_in(chance_between(100, most_us + 200), finish_work, work);
}

/* ---- what workers read ---- */

static void greet(size_t number, struct sock *sock)
{
    struct wire_ready *ready = sim_new(sizeof(*ready));
    struct buf header = new_header();
    snprintf(ready->group, sizeof(ready->group), "%s", group_name);
    snprintf(ready->build, sizeof(ready->build), "sim");
    wire_put_ready(&header, ready);
    tell(number, sock, MSG_READY, &header, (struct text){ "", 0 });
    header = new_header();
    wire_put_credit(&header, SLOTS);
    tell(number, sock, MSG_CREDIT, &header, (struct text){ "", 0 });
}

static void pong(size_t number, struct sock *sock)
{
    struct wire_heartbeat heartbeat = { .running = sock->running[number],
                                        .is_draining = bus.worker[number].is_draining };
    struct buf header = new_header();
    wire_put_heartbeat(&header, &heartbeat);
    tell(number, sock, MSG_HEARTBEAT, &header, (struct text){ "", 0 });
}

static void read_letter(void *argument)
{
    struct letter *letter = argument;
    size_t number = letter->worker;
    struct worker_sim *worker = &bus.worker[number];
    char peer[PEER_TEXT_BYTES];
    write_peer(peer, number);
    if (!worker->is_up || strcmp(peer, letter->peer) != 0 || letter->sock->is_closed)
        return;
    if (sim_now_us() < worker->frozen_until_us) {
        sim_at(worker->frozen_until_us, read_letter, letter);
        return;
    }
    struct wire_job job;
    if (letter->type == MSG_JOB && wire_get_job(letter->header, &job))
        take_job(number, letter->sock, &job);
    else if (letter->type == MSG_HEARTBEAT)
        pong(number, letter->sock);
    else if (letter->type == MSG_GOODBYE)
        greet(number, letter->sock); /* as a worker that the gateway took for dead */
}

/* ---- bus/sock.h ---- */

struct allow *allow_new(void)
{
    return mem_new(sizeof(struct allow));
}

void allow_free(struct allow **allow)
{
    mem_free(allow);
}

bool sock_bind(struct bus *unused, const char *endpoint, struct allow *allow, struct sock **sock,
               struct err *err)
{
    (void)unused;
    (void)endpoint;
    (void)err;
    assert(bus.sock_count < SOCKS_MAX);
    allow_free(&allow);
    *sock = sim_new(sizeof(**sock));
    (*sock)->owner = task_owner();
    (*sock)->descriptor = descriptor_new();
    bus.sock[bus.sock_count++] = *sock;
    for (size_t i = 0; i < bus.count; i++)
        if (bus.worker[i].is_up)
            greet(i, *sock);
    return true;
}

void sock_free(struct sock **sock)
{
    (*sock)->is_closed = true;
    descriptor_free((*sock)->descriptor);
    *sock = NULL;
}

void sock_allow(struct sock *sock, struct allow *allow)
{
    (void)sock;
    allow_free(&allow);
}

const char *sock_group(const struct sock *sock, const char *key)
{
    (void)sock;
    (void)key;
    return group_name;
}

size_t sock_group_keys(const struct sock *sock, const char *group)
{
    (void)sock;
    (void)group;
    return 1;
}

int sock_fd(const struct sock *sock)
{
    return sock->descriptor;
}

int sock_auth_fd(const struct sock *sock)
{
    (void)sock;
    return -1;
}

void sock_authenticate(struct sock *sock)
{
    (void)sock;
}

enum sock_result sock_send(struct sock *sock, const struct message *message)
{
    size_t number = (size_t)(message->peer.bytes[1] - '0');
    struct worker_sim *worker = &bus.worker[number];
    char peer[PEER_TEXT_BYTES];
    write_peer(peer, number);
    bool is_old = !worker->is_up || strlen(peer) != message->peer.size ||
                  memcmp(peer, message->peer.bytes, message->peer.size) != 0;
    if (is_old && sim_now_us() >= worker->gone_us)
        return SOCK_GONE;
    if (is_old)
        return SOCK_OK; /* it is on its way to nobody */
    struct letter *letter = sim_new(sizeof(*letter));
    *letter = (struct letter){ .worker = number,
                               .sock = sock,
                               .type = message->type,
                               .header = copy_text(message->header),
                               .body = copy_text(message->body) };
    memcpy(letter->peer, peer, sizeof(peer));
    sim_at(arrival_us(&sock->sent_us[number], sim_now_us()), read_letter, letter);
    return SOCK_OK;
}

bool sock_receive(struct sock *sock, struct message *message, uint64_t *dropped)
{
    struct letter *letter = sock->first;
    (void)dropped;
    if (!letter) {
        descriptor_set(sock->descriptor, false);
        return false;
    }
    sock->first = letter->next;
    if (!sock->first)
        sock->last = NULL;
    *message = (struct message){ .peer = text_of(letter->peer),
                                 .key = "key",
                                 .group = group_name,
                                 .type = letter->type,
                                 .header = letter->header,
                                 .body = letter->body };
    return true;
}

/* ---- events ---- */

static void connect_worker(void *argument)
{
    size_t number = (size_t)(uintptr_t)argument;
    struct worker_sim *worker = &bus.worker[number];
    if (worker->is_up)
        return;
    trace("worker %zu starts", number);
    worker->is_up = true;
    worker->is_draining = false;
    for (size_t i = 0; i < bus.sock_count; i++)
        if (!bus.sock[i]->is_closed)
            greet(number, bus.sock[i]);
}

static void end_life(size_t number, int64_t away_us)
{
    struct worker_sim *worker = &bus.worker[number];
    worker->is_up = false;
    worker->life++;
    worker->gone_us = sim_now_us() + chance_between(0, NOTICE_US_MAX);
    worker->frozen_until_us = 0;
    for (size_t i = 0; i < bus.sock_count; i++)
        bus.sock[i]->running[number] = 0;
    sim_in(away_us, connect_worker, (void *)(uintptr_t)number);
}

void worker_crash(size_t number, int64_t away_us)
{
    if (!bus.worker[number].is_up)
        return;
    trace("worker %zu dies", number);
    end_life(number, away_us);
}

void worker_freeze(size_t number, int64_t for_us)
{
    trace("worker %zu freezes for %lld ms", number, (long long)(for_us / US_A_MS));
    bus.worker[number].frozen_until_us = sim_now_us() + for_us;
}

static void leave(void *argument)
{
    size_t number = (size_t)(uintptr_t)argument;
    if (!bus.worker[number].is_up || !bus.worker[number].is_draining)
        return;
    for (size_t i = 0; i < bus.sock_count; i++) {
        struct buf header = new_header();
        if (bus.sock[i]->is_closed)
            continue;
        wire_put_goodbye(&header, "shutdown");
        tell(number, bus.sock[i], MSG_GOODBYE, &header, (struct text){ "", 0 });
    }
    end_life(number, chance_between(10, 1000) * US_A_MS);
}

void worker_drain(size_t number, int64_t away_us)
{
    if (!bus.worker[number].is_up)
        return;
    trace("worker %zu drains", number);
    bus.worker[number].is_draining = true;
    sim_in(away_us, leave, (void *)(uintptr_t)number);
}

void workers_begin(size_t count, unsigned faults)
{
    memset(&bus, 0, sizeof(bus));
    bus.count = count;
    bus.faults = faults;
    for (size_t i = 0; i < count; i++)
        bus.worker[i].is_up = true;
}

void workers_set_faults(unsigned faults)
{
    bus.faults = faults;
}

void bus_drop_owner(int owner)
{
    for (size_t i = 0; i < bus.sock_count; i++)
        if (bus.sock[i]->owner == owner)
            bus.sock[i]->is_closed = true;
}
