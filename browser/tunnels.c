/* browser/tunnels.c - one thread accepts, and each connection has its own. */
#include "tunnels.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"
#include "base/os/wakeup.h"
#include "net/dial.h"

enum {
    STACK_BYTES = 256 << 10,
    PIECE_BYTES = 16 << 10,
    HELLO_MS = 5000, /* for the browser's request */
    CONNECT_MS = 5000,
    BACKLOG_PAUSE_MS = 10, /* without descriptors or threads */
};

/* RFC 1928 */
enum {
    SOCKS_VERSION = 5,
    SOCKS_NO_LOGIN = 0,
    SOCKS_CONNECT = 1,
    SOCKS_IPV4 = 1,
    SOCKS_NAME = 3,
    SOCKS_IPV6 = 4,
};

enum socks_reply {
    REPLY_OK = 0,
    REPLY_FAILED = 1,
    REPLY_NOT_ALLOWED = 2,
    REPLY_UNREACHABLE = 4,
    REPLY_REFUSED = 5,
    REPLY_BAD_COMMAND = 7,
    REPLY_BAD_ADDRESS = 8,
};

struct tunnels {
    atomic_size_t holders; /* threads, and the owner */
    atomic_size_t live;    /* connections */
    struct egress_session *session;
    const struct guard *guard;
    struct tunnels_limits limits;
    int listener;
    int wakeup; /* ends the accepting thread */
    atomic_bool is_closing, is_full;
    atomic_size_t accepted, opened, refused, bytes;
    void (*on_end)(void *context);
    void *context;
};

struct tunnel {
    struct tunnels *tunnels;
    int browser;
};

/* ---- lifetime ---- */

static void release_tunnels(struct tunnels *tunnels)
{
    void (*on_end)(void *context) = tunnels->on_end;
    void *context = tunnels->context;
    if (atomic_fetch_sub(&tunnels->holders, 1) > 1)
        return;
    egress_session_free(&tunnels->session);
    dial_close(&tunnels->listener);
    wakeup_free(&tunnels->wakeup);
    mem_free(&tunnels);
    on_end(context);
}

static bool start_thread(void *(*run)(void *argument), void *argument)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool ok = pthread_create(&thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    return ok;
}

/* ---- the browser's request ---- */

static bool receive_exactly(int fd, void *out, size_t size, int64_t deadline_ms)
{
    char *at = out;
    while (size > 0) {
        long got = dial_receive(fd, at, size, deadline_ms);
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* The browser offers ways to log in; it must offer none at all. */
static bool greet(int fd, int64_t deadline_ms)
{
    uint8_t head[2];
    uint8_t methods[UINT8_MAX];
    if (!receive_exactly(fd, head, sizeof(head), deadline_ms) || head[0] != SOCKS_VERSION ||
        !receive_exactly(fd, methods, head[1], deadline_ms) ||
        !memchr(methods, SOCKS_NO_LOGIN, head[1]))
        return false;
    return dial_send(fd, TEXT("\x05\x00"), deadline_ms);
}

static bool receive_address(int fd, bool is_ipv4, int64_t deadline_ms, struct host *host)
{
    uint8_t bytes[sizeof(struct in6_addr)] = { [10] = 0xff, [11] = 0xff };
    struct in6_addr address;
    size_t at = is_ipv4 ? 12 : 0; /* mapped, RFC 4291 section 2.5.5.2 */
    if (!receive_exactly(fd, bytes + at, sizeof(bytes) - at, deadline_ms))
        return false;
    memcpy(&address, bytes, sizeof(address));
    host_of_address(&address, host);
    return true;
}

static bool receive_name(int fd, int64_t deadline_ms, struct host *host, enum socks_reply *reply)
{
    uint8_t size;
    char name[UINT8_MAX];
    if (!receive_exactly(fd, &size, 1, deadline_ms) ||
        !receive_exactly(fd, name, size, deadline_ms))
        return false;
    if (host_read((struct text){ name, size }, host))
        *reply = REPLY_NOT_ALLOWED;
    return true;
}

/* False: there is nobody to reply to. */
static bool receive_request(int fd, int64_t deadline_ms, struct host *host, uint16_t *port,
                            enum socks_reply *reply)
{
    uint8_t head[4];
    uint8_t ends[2];
    bool ok = false;
    if (!receive_exactly(fd, head, sizeof(head), deadline_ms) || head[0] != SOCKS_VERSION)
        return false;
    if (head[3] == SOCKS_NAME)
        ok = receive_name(fd, deadline_ms, host, reply);
    else if (head[3] == SOCKS_IPV4 || head[3] == SOCKS_IPV6)
        ok = receive_address(fd, head[3] == SOCKS_IPV4, deadline_ms, host);
    if (!ok || !receive_exactly(fd, ends, sizeof(ends), deadline_ms))
        return false;
    *port = (uint16_t)(ends[0] << 8 | ends[1]);
    if (head[1] != SOCKS_CONNECT)
        *reply = REPLY_BAD_COMMAND;
    return true;
}

static bool send_reply(int fd, enum socks_reply reply, int64_t deadline_ms)
{
    char bytes[10] = { SOCKS_VERSION, (char)reply, 0, SOCKS_IPV4 }; /* 0.0.0.0, port 0 */
    return dial_send(fd, (struct text){ bytes, sizeof(bytes) }, deadline_ms);
}

static enum socks_reply reply_of(enum err_kind kind)
{
    bool is_refusal = kind == ERR_TARGET_NOT_ALLOWED || kind == ERR_PORT_NOT_ALLOWED;
    return is_refusal                   ? REPLY_NOT_ALLOWED
           : kind == ERR_TARGET_REFUSED ? REPLY_REFUSED
                                        : REPLY_UNREACHABLE;
}

/* Connect to the site, through the guard. */
static enum socks_reply connect_site(struct tunnels *tunnels, const struct host *host,
                                     uint16_t port, int *site)
{
    struct err err = { 0 };
    if (!guard_check_port(tunnels->guard, GUARD_WEB, port, &err) ||
        !dial(tunnels->session, host, port, CONNECT_MS, site, NULL, &err))
        return reply_of(err.kind);
    atomic_fetch_add(&tunnels->opened, 1);
    return REPLY_OK;
}

/* ---- passing bytes on ---- */

/* Pass on what has arrived. False: the connection has ended. */
static bool pass_piece(struct tunnels *tunnels, int from, int to)
{
    char piece[PIECE_BYTES];
    int64_t deadline_ms = tunnels->limits.deadline_ms;
    long got = dial_receive(from, piece, sizeof(piece), deadline_ms);
    if (got <= 0)
        return false;
    if (atomic_fetch_add(&tunnels->bytes, (size_t)got) + (size_t)got > tunnels->limits.bytes) {
        tunnels->is_full = true;
        return false;
    }
    return dial_send(to, (struct text){ piece, (size_t)got }, deadline_ms);
}

/* Until one of the two ends, the deadline, or the limit. */
static void pass_bytes(struct tunnels *tunnels, int browser, int site)
{
    struct pollfd ends[2] = { { browser, POLLIN, 0 }, { site, POLLIN, 0 } };
    for (;;) {
        int left_ms = deadline_poll_ms(tunnels->limits.deadline_ms);
        if (left_ms == 0 || tunnels->is_full || (poll(ends, 2, left_ms) < 0 && errno != EINTR))
            return;
        for (int i = 0; i < 2; i++)
            if (ends[i].revents && !pass_piece(tunnels, ends[i].fd, ends[1 - i].fd))
                return;
    }
}

static void serve_browser(struct tunnels *tunnels, int browser)
{
    scoped(dial_close) int site = -1;
    int64_t hello_ms = deadline_within(tunnels->limits.deadline_ms, HELLO_MS);
    struct host host = { 0 };
    uint16_t port = 0;
    enum socks_reply reply = REPLY_OK;
    if (!greet(browser, hello_ms) || !receive_request(browser, hello_ms, &host, &port, &reply))
        return;
    if (reply == REPLY_OK)
        reply = connect_site(tunnels, &host, port, &site);
    if (reply == REPLY_NOT_ALLOWED)
        atomic_fetch_add(&tunnels->refused, 1);
    if (send_reply(browser, reply, tunnels->limits.deadline_ms) && reply == REPLY_OK)
        pass_bytes(tunnels, browser, site);
}

static void *run_tunnel(void *argument)
{
    struct tunnel *tunnel = argument;
    serve_browser(tunnel->tunnels, tunnel->browser);
    dial_close(&tunnel->browser);
    atomic_fetch_sub(&tunnel->tunnels->live, 1);
    release_tunnels(tunnel->tunnels);
    mem_free(&tunnel);
    return NULL;
}

/* ---- accepting ---- */

static bool is_over_limit(struct tunnels *tunnels)
{
    bool is_over = atomic_fetch_add(&tunnels->accepted, 1) >= tunnels->limits.connections;
    if (is_over)
        tunnels->is_full = true;
    return is_over || tunnels->live >= tunnels->limits.at_once;
}

static void accept_one(struct tunnels *tunnels)
{
    scoped(dial_close) int fd =
        accept4(tunnels->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        poll(NULL, 0, BACKLOG_PAUSE_MS);
        return;
    }
    if (is_over_limit(tunnels))
        return;
    struct tunnel *tunnel = mem_new(sizeof(*tunnel));
    *tunnel = (struct tunnel){ tunnels, fd };
    atomic_fetch_add(&tunnels->holders, 1);
    atomic_fetch_add(&tunnels->live, 1);
    if (start_thread(run_tunnel, tunnel)) {
        fd = -1;
        return;
    }
    atomic_fetch_sub(&tunnels->live, 1);
    release_tunnels(tunnels);
    mem_free(&tunnel);
}

static void *run_accepting(void *argument)
{
    struct tunnels *tunnels = argument;
    while (!tunnels->is_closing) {
        struct pollfd wanted[2] = { { tunnels->listener, POLLIN, 0 },
                                    { tunnels->wakeup, POLLIN, 0 } };
        int left_ms = deadline_poll_ms(tunnels->limits.deadline_ms);
        if (left_ms == 0)
            break;
        if (poll(wanted, 2, left_ms) > 0 && wanted[0].revents)
            accept_one(tunnels);
    }
    release_tunnels(tunnels);
    return NULL;
}

/* ---- entry points ---- */

struct tunnels *tunnels_open(struct egress *egress, int listener,
                             const struct tunnels_limits *limits, void (*on_end)(void *context),
                             void *context)
{
    struct tunnels *tunnels = mem_new(sizeof(*tunnels));
    tunnels->holders = 2;
    tunnels->session = egress_session_new(egress, limits->deadline_ms);
    tunnels->guard = egress_guard(egress);
    tunnels->limits = *limits;
    tunnels->listener = listener;
    tunnels->wakeup = wakeup_new();
    tunnels->on_end = on_end;
    tunnels->context = context;
    if (!start_thread(run_accepting, tunnels)) {
        log_line(LOG_WARN, "no thread for the browser's connections");
        atomic_fetch_sub(&tunnels->holders, 1);
    }
    return tunnels;
}

void tunnels_close(struct tunnels **address, struct tunnels_totals *totals)
{
    struct tunnels *tunnels = *address;
    if (!tunnels)
        return;
    *totals = (struct tunnels_totals){ .opened = tunnels->opened,
                                       .refused = tunnels->refused,
                                       .bytes = tunnels->bytes,
                                       .is_full = tunnels->is_full };
    tunnels->is_closing = true;
    wakeup_signal(tunnels->wakeup);
    *address = NULL;
    release_tunnels(tunnels);
}
