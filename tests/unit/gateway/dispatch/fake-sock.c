/* tests/unit/gateway/dispatch/fake-sock.c - bus/sock.h, played. */
#include "fake-sock.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    PEER_NAME_BYTES = 16,
    FAKE_KEY_BYTES = 2 * PEER_NAME_BYTES,
    NOTES_MAX = 4096,
    PEERS_MAX = 32,
    PATIENCE_S = 10
};

struct note {
    char peer[PEER_NAME_BYTES];
    char group[PEER_NAME_BYTES];
    bool has_group;
    char key[FAKE_KEY_BYTES]; /* group, a blank, peer up to its slash */
    uint8_t type;
    char *header;
    size_t header_bytes;
    char *body;
    size_t body_bytes;
    bool is_taken;
};

struct allow {
    int nothing;
};

struct sock {
    struct allow *allow;
    struct note *current; /* what was received last */
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int event;
    size_t said_count; /* by workers */
    size_t read_count;
    struct note *said[NOTES_MAX];
    size_t heard_count; /* by workers */
    struct note *heard[NOTES_MAX];
    struct note *chatter;
    size_t peer_count;
    struct {
        char name[PEER_NAME_BYTES];
        enum sock_result result;
    } peer[PEERS_MAX];
    const struct allow *allow;
    size_t reloads;
    char forbidden[PEER_NAME_BYTES];
    size_t keys; /* of each group */
} world = { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .event = -1 };

static void lock(void)
{
    pthread_mutex_lock(&world.mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&world.mutex);
}

static void set_event(void)
{
    uint64_t one = 1;
    ssize_t written = write(world.event, &one, sizeof(one));
    assert(written == sizeof(one));
}

static void clear_event(void)
{
    uint64_t count;
    ssize_t got = read(world.event, &count, sizeof(count));
    (void)got;
}

static struct note *note_new(struct text peer, const char *group, uint8_t type, struct text header,
                             struct text body)
{
    struct note *note = mem_new(sizeof(*note));
    snprintf(note->peer, sizeof(note->peer), "%.*s", (int)peer.size, peer.bytes);
    snprintf(note->group, sizeof(note->group), "%s", group ? group : "");
    note->has_group = group;
    snprintf(note->key, sizeof(note->key), "%s %.*s", note->group, (int)strcspn(note->peer, "/"),
             note->peer);
    note->type = type;
    note->header = mem_dup(header.bytes, header.size);
    note->header_bytes = header.size;
    note->body = mem_dup(body.bytes, body.size);
    note->body_bytes = body.size;
    return note;
}

static void note_free(struct note **address)
{
    struct note *note = *address;
    if (!note)
        return;
    mem_free(&note->header);
    mem_free(&note->body);
    mem_free(address);
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

bool sock_bind(struct bus *bus, const char *endpoint, struct allow *allow, struct sock **made,
               struct err *err)
{
    struct sock *sock = mem_new(sizeof(*sock));
    (void)bus;
    (void)endpoint;
    (void)err;
    sock->allow = allow;
    *made = sock;
    return true;
}

void sock_allow(struct sock *sock, struct allow *allow)
{
    allow_free(&sock->allow);
    sock->allow = allow;
    lock();
    world.allow = allow;
    world.reloads++;
    pthread_cond_broadcast(&world.changed);
    unlock();
}

const char *sock_group(const struct sock *sock, const char *key)
{
    static char group[PEER_NAME_BYTES];
    (void)sock;
    size_t size = strcspn(key, " ");
    lock();
    bool is_forbidden = strcmp(key + size + 1, world.forbidden) == 0;
    unlock();
    snprintf(group, sizeof(group), "%.*s", (int)size, key);
    return is_forbidden ? NULL : group;
}

size_t sock_group_keys(const struct sock *sock, const char *group)
{
    (void)sock, (void)group;
    lock();
    size_t keys = world.keys;
    unlock();
    return keys;
}

void sock_free(struct sock **sock)
{
    note_free(&(*sock)->current);
    allow_free(&(*sock)->allow);
    mem_free(sock);
}

int sock_fd(const struct sock *sock)
{
    (void)sock;
    return world.event;
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

static enum sock_result result_for(const char *name)
{
    for (size_t i = 0; i < world.peer_count; i++)
        if (strcmp(world.peer[i].name, name) == 0)
            return world.peer[i].result;
    return SOCK_OK;
}

enum sock_result sock_send(struct sock *sock, const struct message *message)
{
    (void)sock;
    struct note *note =
        note_new(message->peer, NULL, message->type, message->header, message->body);
    lock();
    clear_event();
    enum sock_result result = result_for(note->peer);
    if (result == SOCK_OK) {
        assert(world.heard_count < NOTES_MAX);
        world.heard[world.heard_count++] = note;
        note = NULL;
        pthread_cond_broadcast(&world.changed);
    }
    unlock();
    note_free(&note);
    return result;
}

static struct note *next_said(void)
{
    if (world.read_count < world.said_count)
        return world.said[world.read_count++];
    struct note *again = world.chatter;
    return again ? note_new(text_of(again->peer), again->group, again->type,
                            (struct text){ again->header, again->header_bytes }, (struct text){ 0 })
                 : NULL;
}

bool sock_receive(struct sock *sock, struct message *message, uint64_t *dropped)
{
    (void)dropped;
    lock();
    clear_event();
    note_free(&sock->current);
    struct note *note = sock->current = next_said();
    unlock();
    if (!note)
        return false;
    *message = (struct message){ .peer = text_of(note->peer),
                                 .key = note->key,
                                 .group = note->has_group ? note->group : NULL,
                                 .type = note->type,
                                 .header = { note->header, note->header_bytes },
                                 .body = { note->body, note->body_bytes } };
    return true;
}

/* ---- the test's side ---- */

void fake_reset(void)
{
    lock();
    for (size_t i = world.read_count; i < world.said_count; i++)
        note_free(&world.said[i]);
    for (size_t i = 0; i < world.heard_count; i++)
        note_free(&world.heard[i]);
    note_free(&world.chatter);
    world.said_count = world.read_count = world.heard_count = world.peer_count = 0;
    world.allow = NULL;
    world.forbidden[0] = '\0';
    world.keys = 1;
    if (world.event < 0)
        world.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    unlock();
}

void fake_say(const char *peer, const char *group, enum message_type type, struct buf *header,
              struct text body)
{
    struct note *note = note_new(text_of(peer), group, (uint8_t)type, buf_text(header), body);
    buf_clear(header);
    lock();
    assert(world.said_count < NOTES_MAX);
    world.said[world.said_count++] = note;
    set_event();
    unlock();
}

void fake_chatter(const char *peer, const char *group, enum message_type type)
{
    struct note *note = note_new(text_of(peer), group, (uint8_t)type, TEXT(""), TEXT(""));
    lock();
    world.chatter = note;
    set_event();
    unlock();
}

void fake_sending(const char *peer, enum sock_result result)
{
    lock();
    size_t i = 0;
    while (i < world.peer_count && strcmp(world.peer[i].name, peer) != 0)
        i++;
    assert(i < PEERS_MAX);
    world.peer_count += i == world.peer_count;
    snprintf(world.peer[i].name, PEER_NAME_BYTES, "%s", peer);
    world.peer[i].result = result;
    unlock();
}

void fake_forbid(const char *peer)
{
    lock();
    snprintf(world.forbidden, sizeof(world.forbidden), "%s", peer);
    unlock();
}

void fake_keys(size_t count)
{
    lock();
    world.keys = count;
    unlock();
}

static struct note *find_heard(const char *peer, enum message_type type)
{
    for (size_t i = 0; i < world.heard_count; i++) {
        struct note *note = world.heard[i];
        if (!note->is_taken && note->type == type && strcmp(note->peer, peer) == 0)
            return note;
    }
    return NULL;
}

static struct timespec patience(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    return until;
}

bool fake_hear(const char *peer, enum message_type type, struct heard *heard)
{
    struct timespec until = patience();
    struct note *note;
    int result = 0;
    lock();
    while (!(note = find_heard(peer, type)) && result == 0)
        result = pthread_cond_timedwait(&world.changed, &world.mutex, &until);
    if (note) {
        note->is_taken = true;
        if (heard)
            *heard = (struct heard){ { note->header, note->header_bytes },
                                     { note->body, note->body_bytes } };
    }
    unlock();
    return note;
}

size_t fake_count(const char *peer, enum message_type type)
{
    size_t count = 0;
    lock();
    for (size_t i = 0; i < world.heard_count; i++)
        count += world.heard[i]->type == type && strcmp(world.heard[i]->peer, peer) == 0;
    unlock();
    return count;
}

size_t fake_reloads(void)
{
    lock();
    size_t reloads = world.reloads;
    unlock();
    return reloads;
}

bool fake_wait_reloads(size_t count)
{
    struct timespec until = patience();
    int result = 0;
    lock();
    while (world.reloads < count && result == 0)
        result = pthread_cond_timedwait(&world.changed, &world.mutex, &until);
    bool ok = world.reloads >= count;
    unlock();
    return ok;
}

const struct allow *fake_allow(void)
{
    lock();
    const struct allow *allow = world.allow;
    unlock();
    return allow;
}
