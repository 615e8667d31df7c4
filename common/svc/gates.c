/* common/svc/gates.c - find the gateways, be known to them, take their jobs. */
#include "svc/gates.h"

#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/bell.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"

enum {
    ENDPOINT_BYTES = 128,
    GREET_MS = 500,    /* between two READYs to a gateway that has not answered */
    PROD_MS = 1500,    /* of silence; a gateway pings every second. A new one says that it is new */
    SILENCE_MS = 4000, /* then a gateway is dead */
    FORGET_MS = 60000, /* a dead address that no name has any more is dropped */
};

struct gate {
    char endpoint[ENDPOINT_BYTES];
    uint64_t number; /* of this connection; never given twice */
    struct sock *sock;
    bool is_welcome; /* the gateway knows us */
    bool is_drained; /* it has said that nothing more will come */
    bool is_named;   /* a name still has this address */
    size_t slots;    /* as told to it */
    size_t running;  /* its jobs here, from their arrival to their reply */
    int64_t heard_ms;
    int64_t greeted_ms;
    int64_t prodded_ms;
};

struct addresses {
    size_t count;
    char endpoint[GATES_MAX][ENDPOINT_BYTES];
};

/* Looks the names up, in a thread of its own, which may be left alone in the middle of that:
 * getaddrinfo() knows no deadline. Shared with the daemon's thread; the last to leave frees it. */
struct finder {
    const char **names; /* ended by NULL */
    int64_t resolve_ms;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t stop;
    int users;
    bool is_stopping;
    bool is_new;
    struct addresses addresses; /* of all names, as they were last seen */
    int bell;                   /* rings when there are new addresses */
};

struct gates {
    struct gates_options options;
    struct gate *gate[GATES_MAX];
    size_t count;
    uint64_t next_number;
    bool is_draining;
    struct buf header;
    uint64_t dropped;
    struct finder *finder;
};

/* ---- finding gateways: a thread, because looking a name up may block for seconds ---- */

/* The mutex is held. */
static void leave_finder(struct finder *finder)
{
    bool is_last = --finder->users == 0;
    pthread_mutex_unlock(&finder->mutex);
    if (!is_last)
        return;
    pthread_mutex_destroy(&finder->mutex);
    pthread_cond_destroy(&finder->stop);
    for (const char **name = finder->names; *name; name++)
        mem_free(name);
    mem_free(&finder->names);
    bell_free(&finder->bell);
    mem_free(&finder);
}

static void add_address(struct addresses *addresses, const char *endpoint)
{
    for (size_t i = 0; i < addresses->count; i++)
        if (strcmp(addresses->endpoint[i], endpoint) == 0)
            return;
    if (addresses->count < GATES_MAX)
        snprintf(addresses->endpoint[addresses->count++], ENDPOINT_BYTES, "%s", endpoint);
}

static bool resolve(const char *name, struct addresses *addresses)
{
    const char *colon = strrchr(name, ':');
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG };
    struct addrinfo *found = NULL;
    scoped(mem_free) char *host = mem_dup(name, colon ? (size_t)(colon - name) : strlen(name));

    if (!colon || getaddrinfo(host, colon + 1, &hints, &found) != 0)
        return false;
    for (struct addrinfo *at = found; at; at = at->ai_next) {
        char address[64];
        char endpoint[ENDPOINT_BYTES];
        if (getnameinfo(at->ai_addr, at->ai_addrlen, address, sizeof(address), NULL, 0,
                        NI_NUMERICHOST) != 0)
            continue;
        bool is_v6 = at->ai_family == AF_INET6;
        snprintf(endpoint, sizeof(endpoint), is_v6 ? "tcp://[%s]%s" : "tcp://%s%s", address, colon);
        add_address(addresses, endpoint);
    }
    freeaddrinfo(found);
    return true;
}

/* A name that cannot be looked up keeps the addresses known before. */
static void publish(struct finder *finder, const struct addresses *found, bool is_complete)
{
    pthread_mutex_lock(&finder->mutex);
    if (is_complete)
        finder->addresses.count = 0;
    for (size_t i = 0; i < found->count; i++)
        add_address(&finder->addresses, found->endpoint[i]);
    finder->is_new = true;
    pthread_mutex_unlock(&finder->mutex);
    bell_ring(finder->bell);
}

/* The mutex is held. */
static bool wait_for_stop(struct finder *finder)
{
    struct timespec until = deadline_in(finder->resolve_ms);
    while (!finder->is_stopping &&
           pthread_cond_clockwait(&finder->stop, &finder->mutex, CLOCK_MONOTONIC, &until) == 0)
        ;
    return finder->is_stopping;
}

static void *resolver_thread(void *argument)
{
    struct finder *finder = argument;
    struct addresses *found = mem_new(sizeof(*found));
    pthread_mutex_lock(&finder->mutex);
    do {
        bool is_complete = true;
        pthread_mutex_unlock(&finder->mutex);
        found->count = 0;
        for (const char *const *name = finder->names; *name; name++)
            is_complete = resolve(*name, found) && is_complete;
        publish(finder, found, is_complete);
        pthread_mutex_lock(&finder->mutex);
    } while (!wait_for_stop(finder));
    mem_free(&found);
    leave_finder(finder);
    return NULL;
}

static struct finder *start_finder(const char *const *names, int64_t resolve_ms)
{
    struct finder *finder = mem_new(sizeof(*finder));
    size_t count = 0;
    pthread_t thread;
    while (names[count])
        count++;
    finder->names = mem_array(count + 1, sizeof(*finder->names));
    for (size_t i = 0; i < count; i++)
        finder->names[i] = str_dup(names[i]);
    finder->resolve_ms = resolve_ms;
    finder->bell = bell_new();
    finder->users = 2;
    pthread_mutex_init(&finder->mutex, NULL);
    pthread_cond_init(&finder->stop, NULL);
    pthread_create(&thread, NULL, resolver_thread, finder);
    pthread_setname_np(thread, "resolver");
    pthread_detach(thread);
    return finder;
}

static void stop_finder(struct finder *finder)
{
    pthread_mutex_lock(&finder->mutex);
    finder->is_stopping = true;
    pthread_cond_signal(&finder->stop);
    leave_finder(finder);
}

/* ---- messages ---- */

static bool tell(struct gates *gates, struct gate *gate, enum message_type type, struct text body)
{
    struct message message = { .type = (uint8_t)type,
                               .header = buf_text(&gates->header),
                               .body = body };
    bool ok = sock_send(gate->sock, &message) == SOCK_OK;
    buf_clear(&gates->header);
    return ok;
}

static void greet(struct gates *gates, struct gate *gate)
{
    gate->greeted_ms = clock_ms();
    wire_put_ready(&gates->header, gates->options.ready);
    tell(gates, gate, MSG_READY, (struct text){ 0 });
}

static void send_heartbeat(struct gates *gates, struct gate *gate)
{
    struct wire_heartbeat heartbeat = { .running = (uint32_t)gate->running,
                                        .is_draining = gates->is_draining };
    wire_put_heartbeat(&gates->header, &heartbeat);
    tell(gates, gate, MSG_HEARTBEAT, (struct text){ 0 });
}

size_t gates_live(const struct gates *gates)
{
    size_t live = 0;
    for (size_t i = 0; i < gates->count; i++)
        live += gates->gate[i]->is_welcome;
    return live;
}

/* Split the slots over the living gateways, at least one each, and tell those whose part changed.
 */
static void split_slots(struct gates *gates)
{
    size_t live = gates_live(gates);
    size_t nth = 0;
    for (size_t i = 0; i < gates->count; i++) {
        struct gate *gate = gates->gate[i];
        if (!gate->is_welcome)
            continue;
        size_t slots = gates->options.slots;
        size_t share = slots / live + (nth < slots % live ? 1 : 0);
        size_t part = MAX(share, (size_t)1);
        nth++;
        if (part == gate->slots)
            continue;
        gate->slots = part;
        wire_put_credit(&gates->header, (uint32_t)part);
        tell(gates, gate, MSG_CREDIT, (struct text){ 0 });
    }
}

static void lose(struct gates *gates, struct gate *gate, const char *why)
{
    if (!gate->is_welcome)
        return; /* it refuses us: the next READY waits its turn */
    log_line(LOG_WARN, "gateway lost", log_str("endpoint", gate->endpoint), log_str("why", why));
    gate->is_welcome = false;
    gate->is_drained = false;
    gate->slots = 0;
    gate->greeted_ms = 0;
    subjobs_lose(gates->options.subjobs, gate->number);
    split_slots(gates);
}

static void on_welcome(struct gates *gates, struct gate *gate)
{
    if (!gate->is_welcome)
        log_line(LOG_INFO, "gateway found", log_str("endpoint", gate->endpoint));
    gate->is_welcome = true;
    gate->slots = 0; /* tell it again: it may be a new process at the same address */
    split_slots(gates);
    if (gates->is_draining)
        send_heartbeat(gates, gate);
}

static void refuse(struct gates *gates, struct gate *gate, const struct uuid *job,
                   enum nack_reason reason)
{
    wire_put_nack(&gates->header, job, reason);
    tell(gates, gate, MSG_NACK, (struct text){ 0 });
}

static const struct service *find_service(const struct gates *gates, const char *tool)
{
    for (size_t i = 0; i < gates->options.ready->tool_count; i++)
        if (strcmp(gates->options.services[i].contract->tool, tool) == 0)
            return &gates->options.services[i];
    return NULL;
}

static void on_job(struct gates *gates, struct gate *gate, const struct message *message)
{
    struct task *task = mem_new(sizeof(*task));
    if (!wire_get_job(message->header, &task->job)) {
        gates->dropped++;
        mem_free(&task);
        return;
    }
    task->gate = gate->number;
    task->service = find_service(gates, task->job.tool);
    task->body = mem_dup(message->body.bytes, message->body.size);
    task->body_bytes = message->body.size;
    task->received_us = clock_us();
    task->deadline_ms = clock_ms() + task->job.budget_ms;
    task->reply.id = task->job.id;
    if (gates->is_draining)
        refuse(gates, gate, &task->job.id, NACK_DRAINING);
    else if (!task->service)
        refuse(gates, gate, &task->job.id, NACK_UNKNOWN_TOOL);
    else if (task->job.budget_ms == 0)
        refuse(gates, gate, &task->job.id, NACK_EXPIRED);
    else if (!runner_submit(gates->options.runner, task))
        refuse(gates, gate, &task->job.id, NACK_FULL);
    else {
        gate->running++;
        return;
    }
    task_free(&task);
}

static void on_reply(struct gates *gates, struct gate *gate, const struct message *message)
{
    struct wire_reply reply;
    if (!wire_get_reply(message->header, &reply)) {
        gates->dropped++;
        return;
    }
    subjobs_answer(gates->options.subjobs, gate->number, &reply, message->body);
    wire_reply_free(&reply);
}

static void on_heartbeat(struct gates *gates, struct gate *gate, const struct message *message)
{
    struct wire_heartbeat heartbeat;
    if (!wire_get_heartbeat(message->header, &heartbeat))
        return;
    gate->is_drained |= gates->is_draining && heartbeat.is_draining;
    send_heartbeat(gates, gate); /* while it drains, too: silence would cost the jobs that run */
}

static void on_message(struct gates *gates, struct gate *gate, const struct message *message)
{
    struct wire_welcome welcome;
    struct uuid job;

    gate->heard_ms = clock_ms();
    if (message->type == MSG_GOODBYE)
        lose(gates, gate, "it says goodbye");
    else if (message->type == MSG_WELCOME && wire_get_welcome(message->header, &welcome))
        on_welcome(gates, gate);
    else if (message->type == MSG_JOB && gate->is_welcome)
        on_job(gates, gate, message);
    else if (message->type == MSG_REPLY && gate->is_welcome)
        on_reply(gates, gate, message);
    else if (message->type == MSG_HEARTBEAT && gate->is_welcome)
        on_heartbeat(gates, gate, message);
    else if (message->type == MSG_CANCEL && wire_get_cancel(message->header, &job))
        runner_cancel(gates->options.runner, gate->number, &job);
    else
        gates->dropped++;
}

/* A gateway that was started again at the same address knows nobody and is silent. Told something,
 * it answers that it does not know us. */
static void prod(struct gates *gates, struct gate *gate, int64_t now_ms)
{
    if (now_ms - gate->prodded_ms < PROD_MS)
        return;
    gate->prodded_ms = now_ms;
    send_heartbeat(gates, gate);
}

/* ---- the set of gateways ---- */

static struct gate *find_gate(struct gates *gates, const char *endpoint)
{
    for (size_t i = 0; i < gates->count; i++)
        if (strcmp(gates->gate[i]->endpoint, endpoint) == 0)
            return gates->gate[i];
    return NULL;
}

static void add_gate(struct gates *gates, const char *endpoint)
{
    struct err err = { 0 };
    struct gate *gate = mem_new(sizeof(*gate));
    snprintf(gate->endpoint, sizeof(gate->endpoint), "%s", endpoint);
    if (gates->count == GATES_MAX ||
        !sock_connect(gates->options.bus, endpoint, gates->options.server_key, &gate->sock, &err)) {
        log_line(LOG_ERROR, "cannot connect", log_str("endpoint", endpoint),
                 log_str("why", err.message));
        mem_free(&gate);
        return;
    }
    gate->number = ++gates->next_number;
    gate->heard_ms = clock_ms();
    gates->gate[gates->count++] = gate;
}

static void remove_gate(struct gates *gates, size_t i)
{
    sock_free(&gates->gate[i]->sock);
    mem_free(&gates->gate[i]);
    gates->gate[i] = gates->gate[--gates->count];
}

static void update_gates(struct gates *gates)
{
    struct addresses *found = mem_new(sizeof(*found));
    struct finder *finder = gates->finder;
    bell_hear(finder->bell);
    pthread_mutex_lock(&finder->mutex);
    bool is_new = finder->is_new;
    *found = finder->addresses;
    finder->is_new = false;
    pthread_mutex_unlock(&finder->mutex);

    for (size_t i = 0; is_new && i < gates->count; i++)
        gates->gate[i]->is_named = false;
    for (size_t i = 0; is_new && i < found->count; i++) {
        if (!find_gate(gates, found->endpoint[i]))
            add_gate(gates, found->endpoint[i]);
        struct gate *gate = find_gate(gates, found->endpoint[i]);
        if (gate)
            gate->is_named = true;
    }
    mem_free(&found);
}

static void check_gates(struct gates *gates)
{
    int64_t now_ms = clock_ms();
    for (size_t i = gates->count; i-- > 0;) {
        struct gate *gate = gates->gate[i];
        int64_t silent_ms = now_ms - gate->heard_ms;
        if (gate->is_welcome && silent_ms > SILENCE_MS)
            lose(gates, gate, "it is silent");
        else if (gate->is_welcome && silent_ms > PROD_MS)
            prod(gates, gate, now_ms);
        if (!gate->is_welcome && !gate->is_named && silent_ms > FORGET_MS)
            remove_gate(gates, i);
        else if (!gate->is_welcome && !gates->is_draining && now_ms - gate->greeted_ms >= GREET_MS)
            greet(gates, gate);
    }
}

static struct gate *gate_numbered(struct gates *gates, uint64_t number)
{
    for (size_t i = 0; i < gates->count; i++)
        if (gates->gate[i]->number == number)
            return gates->gate[i];
    return NULL;
}

static bool send_subjob(void *context, uint64_t number, const struct wire_job *job,
                        struct text request)
{
    struct gates *gates = context;
    struct gate *gate = gate_numbered(gates, number);
    if (!gate || !gate->is_welcome)
        return false;
    wire_put_job(&gates->header, job);
    return tell(gates, gate, MSG_JOB, request);
}

void gates_step(struct gates *gates)
{
    update_gates(gates);
    for (size_t i = 0; i < gates->count; i++) {
        struct message message;
        while (sock_receive(gates->gate[i]->sock, &message, &gates->dropped))
            on_message(gates, gates->gate[i], &message);
    }
    check_gates(gates);
    subjobs_send(gates->options.subjobs, send_subjob, gates);
}

void gates_reply(struct gates *gates, struct task *task)
{
    struct gate *gate = gate_numbered(gates, task->gate);
    if (gate)
        gate->running--;
    if (gate && !task->is_cancelled) {
        wire_put_reply(&gates->header, &task->reply);
        tell(gates, gate, MSG_REPLY, (struct text){ buf_str(&task->result), task->result.size });
    }
    task_free(&task);
}

void gates_drain(struct gates *gates)
{
    gates->is_draining = true;
    for (size_t i = 0; i < gates->count; i++)
        if (gates->gate[i]->is_welcome)
            send_heartbeat(gates, gates->gate[i]);
}

bool gates_are_drained(const struct gates *gates)
{
    for (size_t i = 0; i < gates->count; i++)
        if (gates->gate[i]->is_welcome && !gates->gate[i]->is_drained)
            return false;
    return true;
}

void gates_leave(struct gates *gates)
{
    for (size_t i = 0; i < gates->count; i++) {
        wire_put_goodbye(&gates->header, "shutdown");
        tell(gates, gates->gate[i], MSG_GOODBYE, (struct text){ 0 });
    }
}

size_t gates_fds(const struct gates *gates, struct pollfd *fds)
{
    size_t count = 0;
    fds[count++] = (struct pollfd){ gates->finder->bell, POLLIN, 0 };
    fds[count++] = (struct pollfd){ subjobs_fd(gates->options.subjobs), POLLIN, 0 };
    for (size_t i = 0; i < gates->count; i++)
        fds[count++] = (struct pollfd){ sock_fd(gates->gate[i]->sock), POLLIN, 0 };
    return count;
}

struct gates *gates_new(const struct gates_options *options)
{
    struct gates *gates = mem_new(sizeof(*gates));
    gates->options = *options;
    gates->header = (struct buf)BUF(HEADER_MAX_BYTES);
    gates->finder = start_finder(options->names, options->resolve_ms);
    return gates;
}

void gates_free(struct gates **address)
{
    struct gates *gates = *address;
    if (!gates)
        return;
    stop_finder(gates->finder);
    while (gates->count > 0)
        remove_gate(gates, gates->count - 1);
    buf_free(&gates->header);
    mem_free(address);
}
