/* common/svc/gateway-links.c - finds the gateways, registers with them, and receives their jobs. */
#include "svc/gateway-links.h"

#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"
#include "base/os/wakeup.h"

enum {
    ENDPOINT_BYTES = 128,
    GREET_MS = 500, /* between two READYs to a gateway that has not replied */
    PROD_MS =
        1500, /* of silence; a gateway pings every second, and a new one says that it is new */
    SILENCE_MS = 4000, /* of silence; then a gateway is dead */
    FORGET_MS = 60000, /* then a dead address that no name resolves to is dropped */
};

struct link {
    char endpoint[ENDPOINT_BYTES];
    uint64_t number; /* of this connection; never reused */
    struct sock *sock;
    bool is_welcome; /* the gateway has accepted this worker */
    bool is_drained; /* it has confirmed that it sends nothing more */
    bool is_named;   /* a name still resolves to this address */
    size_t slots;    /* as announced to it */
    size_t running;  /* its jobs here, from arrival to reply */
    int64_t heard_ms;
    int64_t greeted_ms;
    int64_t prodded_ms;
};

struct addresses {
    size_t count;
    char endpoint[GATEWAY_LINKS_MAX][ENDPOINT_BYTES];
};

/*
 * Resolves the names in its own thread, because getaddrinfo() has no timeout. Shared with the
 * worker's thread, which may leave while a lookup runs; the last to leave frees it.
 */
struct finder {
    const char **names; /* terminated by NULL */
    int64_t resolve_ms;
    pthread_mutex_t mutex; /* guards the members below */
    pthread_cond_t stop;
    int users;
    bool is_stopping;
    bool is_new;
    struct addresses addresses; /* of all names, as last resolved */
    int wakeup;                 /* signaled if there are new addresses */
};

struct gateway_links {
    struct gateway_links_options options;
    struct link *link[GATEWAY_LINKS_MAX];
    size_t count;
    uint64_t next_number;
    bool is_draining;
    struct buf header;
    uint64_t dropped;
    struct finder *finder;
};

/* ---- finding gateways: in a thread, because a lookup may block for seconds ---- */

/* Requires the mutex. */
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
    wakeup_free(&finder->wakeup);
    mem_free(&finder);
}

static void add_address(struct addresses *addresses, const char *endpoint)
{
    for (size_t i = 0; i < addresses->count; i++)
        if (strcmp(addresses->endpoint[i], endpoint) == 0)
            return;
    if (addresses->count < GATEWAY_LINKS_MAX)
        snprintf(addresses->endpoint[addresses->count++], ENDPOINT_BYTES, "%s", endpoint);
}

static bool resolve_name(const char *name, struct addresses *addresses)
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

/* A name that cannot be resolved keeps its previous addresses. */
static void publish_addresses(struct finder *finder, const struct addresses *found,
                              bool is_complete)
{
    pthread_mutex_lock(&finder->mutex);
    if (is_complete)
        finder->addresses.count = 0;
    for (size_t i = 0; i < found->count; i++)
        add_address(&finder->addresses, found->endpoint[i]);
    finder->is_new = true;
    pthread_mutex_unlock(&finder->mutex);
    wakeup_signal(finder->wakeup);
}

/* Requires the mutex. */
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
            is_complete = resolve_name(*name, found) && is_complete;
        publish_addresses(finder, found, is_complete);
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
    finder->wakeup = wakeup_new();
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

static bool send_message(struct gateway_links *gateway_links, struct link *link,
                         enum message_type type, struct text body)
{
    struct message message = { .type = (uint8_t)type,
                               .header = buf_text(&gateway_links->header),
                               .body = body };
    bool ok = sock_send(link->sock, &message) == SOCK_OK;
    buf_clear(&gateway_links->header);
    return ok;
}

static void send_ready(struct gateway_links *gateway_links, struct link *link)
{
    link->greeted_ms = clock_ms();
    wire_put_ready(&gateway_links->header, gateway_links->options.ready);
    send_message(gateway_links, link, MSG_READY, (struct text){ 0 });
}

static void send_heartbeat(struct gateway_links *gateway_links, struct link *link)
{
    struct wire_heartbeat heartbeat = { .running = (uint32_t)link->running,
                                        .is_draining = gateway_links->is_draining };
    wire_put_heartbeat(&gateway_links->header, &heartbeat);
    send_message(gateway_links, link, MSG_HEARTBEAT, (struct text){ 0 });
}

size_t gateway_links_live(const struct gateway_links *gateway_links)
{
    size_t live = 0;
    for (size_t i = 0; i < gateway_links->count; i++)
        live += gateway_links->link[i]->is_welcome;
    return live;
}

/* Split the slots over the living gateways, at least one each, and announce changes. */
static void split_slots(struct gateway_links *gateway_links)
{
    size_t live = gateway_links_live(gateway_links);
    size_t nth = 0;
    for (size_t i = 0; i < gateway_links->count; i++) {
        struct link *link = gateway_links->link[i];
        if (!link->is_welcome)
            continue;
        size_t slots = gateway_links->options.slots;
        size_t share = slots / live + (nth < slots % live ? 1 : 0);
        size_t part = MAX(share, (size_t)1);
        nth++;
        if (part == link->slots)
            continue;
        link->slots = part;
        wire_put_credit(&gateway_links->header, (uint32_t)part);
        send_message(gateway_links, link, MSG_CREDIT, (struct text){ 0 });
    }
}

static void lose_gateway(struct gateway_links *gateway_links, struct link *link, const char *why)
{
    if (!link->is_welcome)
        return; /* it rejects this worker: the next READY waits its turn */
    log_line(LOG_WARN, "gateway lost", log_str("endpoint", link->endpoint), log_str("error", why));
    link->is_welcome = false;
    link->is_drained = false;
    link->slots = 0;
    link->greeted_ms = 0;
    subjobs_lose(gateway_links->options.subjobs, link->number);
    split_slots(gateway_links);
}

static void on_welcome(struct gateway_links *gateway_links, struct link *link)
{
    if (!link->is_welcome)
        log_line(LOG_INFO, "gateway found", log_str("endpoint", link->endpoint));
    link->is_welcome = true;
    link->slots = 0; /* announce again: it may be a new process at the same address */
    split_slots(gateway_links);
    if (gateway_links->is_draining)
        send_heartbeat(gateway_links, link);
}

static void reject_job(struct gateway_links *gateway_links, struct link *link,
                       const struct uuid *job, enum nack_reason reason)
{
    wire_put_nack(&gateway_links->header, job, reason);
    send_message(gateway_links, link, MSG_NACK, (struct text){ 0 });
}

static const struct service *find_service(const struct gateway_links *gateway_links,
                                          const char *tool)
{
    for (size_t i = 0; i < gateway_links->options.ready->tool_count; i++)
        if (strcmp(gateway_links->options.services[i].contract->tool, tool) == 0)
            return &gateway_links->options.services[i];
    return NULL;
}

static void on_job(struct gateway_links *gateway_links, struct link *link,
                   const struct message *message)
{
    struct task *task = mem_new(sizeof(*task));
    if (!wire_get_job(message->header, &task->job)) {
        gateway_links->dropped++;
        mem_free(&task);
        return;
    }
    task->link = link->number;
    task->service = find_service(gateway_links, task->job.tool);
    task->body = mem_dup(message->body.bytes, message->body.size);
    task->body_bytes = message->body.size;
    task->received_us = clock_us();
    task->deadline_ms = clock_ms() + task->job.budget_ms;
    task->reply.id = task->job.id;
    if (gateway_links->is_draining)
        reject_job(gateway_links, link, &task->job.id, NACK_DRAINING);
    else if (!task->service)
        reject_job(gateway_links, link, &task->job.id, NACK_UNKNOWN_TOOL);
    else if (task->job.budget_ms == 0)
        reject_job(gateway_links, link, &task->job.id, NACK_EXPIRED);
    else if (!runner_submit(gateway_links->options.runner, task))
        reject_job(gateway_links, link, &task->job.id, NACK_FULL);
    else {
        link->running++;
        return;
    }
    task_free(&task);
}

static void on_reply(struct gateway_links *gateway_links, struct link *link,
                     const struct message *message)
{
    struct wire_reply reply;
    if (!wire_get_reply(message->header, &reply)) {
        gateway_links->dropped++;
        return;
    }
    subjobs_answer(gateway_links->options.subjobs, link->number, &reply, message->body);
    wire_reply_free(&reply);
}

static void on_heartbeat(struct gateway_links *gateway_links, struct link *link,
                         const struct message *message)
{
    struct wire_heartbeat heartbeat;
    if (!wire_get_heartbeat(message->header, &heartbeat))
        return;
    link->is_drained |= gateway_links->is_draining && heartbeat.is_draining;
    send_heartbeat(gateway_links,
                   link); /* also while it drains: silence would lose the running jobs */
}

static void on_message(struct gateway_links *gateway_links, struct link *link,
                       const struct message *message)
{
    struct wire_welcome welcome;
    struct uuid job;

    link->heard_ms = clock_ms();
    if (message->type == MSG_GOODBYE)
        lose_gateway(gateway_links, link, "it says goodbye");
    else if (message->type == MSG_WELCOME && wire_get_welcome(message->header, &welcome))
        on_welcome(gateway_links, link);
    else if (message->type == MSG_JOB && link->is_welcome)
        on_job(gateway_links, link, message);
    else if (message->type == MSG_REPLY && link->is_welcome)
        on_reply(gateway_links, link, message);
    else if (message->type == MSG_HEARTBEAT && link->is_welcome)
        on_heartbeat(gateway_links, link, message);
    else if (message->type == MSG_CANCEL && wire_get_cancel(message->header, &job))
        runner_cancel(gateway_links->options.runner, link->number, &job);
    else
        gateway_links->dropped++;
}

/*
 * A gateway that restarted at the same address knows no workers and sends nothing. On any message,
 * it replies that it does not know this worker.
 */
static void prod_gateway(struct gateway_links *gateway_links, struct link *link, int64_t now_ms)
{
    if (now_ms - link->prodded_ms < PROD_MS)
        return;
    link->prodded_ms = now_ms;
    send_heartbeat(gateway_links, link);
}

/* ---- the set of gateways ---- */

static struct link *find_link(struct gateway_links *gateway_links, const char *endpoint)
{
    for (size_t i = 0; i < gateway_links->count; i++)
        if (strcmp(gateway_links->link[i]->endpoint, endpoint) == 0)
            return gateway_links->link[i];
    return NULL;
}

static void add_link(struct gateway_links *gateway_links, const char *endpoint)
{
    struct err err = { 0 };
    struct link *link = mem_new(sizeof(*link));
    snprintf(link->endpoint, sizeof(link->endpoint), "%s", endpoint);
    if (gateway_links->count == GATEWAY_LINKS_MAX ||
        !sock_connect(gateway_links->options.bus, endpoint, gateway_links->options.server_key,
                      &link->sock, &err)) {
        log_line(LOG_ERROR, "cannot connect", log_str("endpoint", endpoint),
                 log_str("error", err.message));
        mem_free(&link);
        return;
    }
    link->number = ++gateway_links->next_number;
    link->heard_ms = clock_ms();
    gateway_links->link[gateway_links->count++] = link;
}

static void remove_link(struct gateway_links *gateway_links, size_t i)
{
    sock_free(&gateway_links->link[i]->sock);
    mem_free(&gateway_links->link[i]);
    gateway_links->link[i] = gateway_links->link[--gateway_links->count];
}

static void update_links(struct gateway_links *gateway_links)
{
    struct addresses *found = mem_new(sizeof(*found));
    struct finder *finder = gateway_links->finder;
    wakeup_clear(finder->wakeup);
    pthread_mutex_lock(&finder->mutex);
    bool is_new = finder->is_new;
    *found = finder->addresses;
    finder->is_new = false;
    pthread_mutex_unlock(&finder->mutex);

    for (size_t i = 0; is_new && i < gateway_links->count; i++)
        gateway_links->link[i]->is_named = false;
    for (size_t i = 0; is_new && i < found->count; i++) {
        if (!find_link(gateway_links, found->endpoint[i]))
            add_link(gateway_links, found->endpoint[i]);
        struct link *link = find_link(gateway_links, found->endpoint[i]);
        if (link)
            link->is_named = true;
    }
    mem_free(&found);
}

static void check_links(struct gateway_links *gateway_links)
{
    int64_t now_ms = clock_ms();
    for (size_t i = gateway_links->count; i-- > 0;) {
        struct link *link = gateway_links->link[i];
        int64_t silent_ms = now_ms - link->heard_ms;
        if (link->is_welcome && silent_ms > SILENCE_MS)
            lose_gateway(gateway_links, link, "it is silent");
        else if (link->is_welcome && silent_ms > PROD_MS)
            prod_gateway(gateway_links, link, now_ms);
        if (!link->is_welcome && !link->is_named && silent_ms > FORGET_MS)
            remove_link(gateway_links, i);
        else if (!link->is_welcome && !gateway_links->is_draining &&
                 now_ms - link->greeted_ms >= GREET_MS)
            send_ready(gateway_links, link);
    }
}

static struct link *find_link_by_number(struct gateway_links *gateway_links, uint64_t number)
{
    for (size_t i = 0; i < gateway_links->count; i++)
        if (gateway_links->link[i]->number == number)
            return gateway_links->link[i];
    return NULL;
}

static bool send_subjob(void *context, uint64_t number, const struct wire_job *job,
                        struct text request)
{
    struct gateway_links *gateway_links = context;
    struct link *link = find_link_by_number(gateway_links, number);
    if (!link || !link->is_welcome)
        return false;
    wire_put_job(&gateway_links->header, job);
    return send_message(gateway_links, link, MSG_JOB, request);
}

void gateway_links_step(struct gateway_links *gateway_links)
{
    update_links(gateway_links);
    for (size_t i = 0; i < gateway_links->count; i++) {
        struct message message;
        while (sock_receive(gateway_links->link[i]->sock, &message, &gateway_links->dropped))
            on_message(gateway_links, gateway_links->link[i], &message);
    }
    check_links(gateway_links);
    subjobs_send(gateway_links->options.subjobs, send_subjob, gateway_links);
}

void gateway_links_reply(struct gateway_links *gateway_links, struct task *task)
{
    struct link *link = find_link_by_number(gateway_links, task->link);
    if (link)
        link->running--;
    if (link && !task->is_cancelled) {
        wire_put_reply(&gateway_links->header, &task->reply);
        send_message(gateway_links, link, MSG_REPLY,
                     (struct text){ buf_str(&task->result), task->result.size });
    }
    task_free(&task);
}

void gateway_links_drain(struct gateway_links *gateway_links)
{
    gateway_links->is_draining = true;
    for (size_t i = 0; i < gateway_links->count; i++)
        if (gateway_links->link[i]->is_welcome)
            send_heartbeat(gateway_links, gateway_links->link[i]);
}

bool gateway_links_are_drained(const struct gateway_links *gateway_links)
{
    for (size_t i = 0; i < gateway_links->count; i++)
        if (gateway_links->link[i]->is_welcome && !gateway_links->link[i]->is_drained)
            return false;
    return true;
}

void gateway_links_leave(struct gateway_links *gateway_links)
{
    for (size_t i = 0; i < gateway_links->count; i++) {
        wire_put_goodbye(&gateway_links->header, "shutdown");
        send_message(gateway_links, gateway_links->link[i], MSG_GOODBYE, (struct text){ 0 });
    }
}

size_t gateway_links_fds(const struct gateway_links *gateway_links, struct pollfd *fds)
{
    size_t count = 0;
    fds[count++] = (struct pollfd){ gateway_links->finder->wakeup, POLLIN, 0 };
    fds[count++] = (struct pollfd){ subjobs_fd(gateway_links->options.subjobs), POLLIN, 0 };
    for (size_t i = 0; i < gateway_links->count; i++)
        fds[count++] = (struct pollfd){ sock_fd(gateway_links->link[i]->sock), POLLIN, 0 };
    return count;
}

struct gateway_links *gateway_links_new(const struct gateway_links_options *options)
{
    struct gateway_links *gateway_links = mem_new(sizeof(*gateway_links));
    gateway_links->options = *options;
    gateway_links->header = (struct buf)BUF(HEADER_MAX_BYTES);
    gateway_links->finder = start_finder(options->names, options->resolve_ms);
    return gateway_links;
}

void gateway_links_free(struct gateway_links **address)
{
    struct gateway_links *gateway_links = *address;
    if (!gateway_links)
        return;
    stop_finder(gateway_links->finder);
    while (gateway_links->count > 0)
        remove_link(gateway_links, gateway_links->count - 1);
    buf_free(&gateway_links->header);
    mem_free(address);
}
