/* tests/unit/bus/sock.c - real CURVE sockets on loopback: which peers connect, and which messages
 * pass. */
#include "bus/sock.h"

#include <arpa/inet.h>
#include <czmq.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "rows.h"

enum { PATIENCE_MS = 10000, POLL_MS = 10, TYPE = 42 };

struct keys {
    char public_key[KEY_TEXT_BYTES];
    char secret_key[KEY_TEXT_BYTES];
};

/* A gateway that allows one key, as a worker of utils. */
struct fixture {
    struct keys gateway;
    struct keys daemon;
    uint16_t port;
    char endpoint[64];
    struct bus *bus;
    struct sock *router;
    struct bus *daemon_bus;
    struct sock *dealer;
    uint64_t dropped;
};

static uint16_t free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static struct keys new_keys(void)
{
    struct keys keys;
    key_pair(keys.public_key, keys.secret_key);
    return keys;
}

static struct sock *connect_as(struct fixture *fixture, const struct keys *keys, struct bus **bus)
{
    struct sock *dealer = NULL;
    assert_true(bus_new(keys->secret_key, bus, NULL));
    assert_true(sock_connect(*bus, fixture->endpoint, fixture->gateway.public_key, &dealer, NULL));
    return dealer;
}

static int open_fixture(void **state)
{
    struct fixture *fixture = mem_new(sizeof(*fixture));
    struct allow *allow = allow_new();
    fixture->gateway = new_keys();
    fixture->daemon = new_keys();
    fixture->port = free_port();
    snprintf(fixture->endpoint, sizeof(fixture->endpoint), "tcp://127.0.0.1:%u", fixture->port);
    assert_true(allow_add(allow, fixture->daemon.public_key, "utils", NULL));
    assert_true(bus_new(fixture->gateway.secret_key, &fixture->bus, NULL));
    assert_true(sock_bind(fixture->bus, fixture->endpoint, allow, &fixture->router, NULL));
    fixture->dealer = connect_as(fixture, &fixture->daemon, &fixture->daemon_bus);
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    sock_free(&fixture->dealer);
    bus_free(&fixture->daemon_bus);
    sock_free(&fixture->router);
    bus_free(&fixture->bus);
    mem_free(&fixture);
    return 0;
}

/* Receive at one end while the gateway admits peers; false on timeout. */
static bool receive(struct fixture *fixture, struct sock *from, struct message *message)
{
    int64_t deadline_ms = clock_ms() + PATIENCE_MS;
    struct pollfd fds[] = { { sock_fd(from), POLLIN, 0 },
                            { sock_auth_fd(fixture->router), POLLIN, 0 } };
    while (clock_ms() < deadline_ms) {
        sock_authenticate(fixture->router);
        if (sock_receive(from, message, &fixture->dropped))
            return true;
        poll(fds, countof(fds), POLL_MS);
    }
    return false;
}

/* Nothing is sent before the gateway has admitted the worker. */
static bool send_soon(struct fixture *fixture, struct sock *by, const struct message *message)
{
    int64_t deadline_ms = clock_ms() + PATIENCE_MS;
    struct pollfd fd = { sock_auth_fd(fixture->router), POLLIN, 0 };
    while (clock_ms() < deadline_ms) {
        sock_authenticate(fixture->router);
        if (sock_send(by, message) == SOCK_OK)
            return true;
        poll(&fd, 1, POLL_MS);
    }
    return false;
}

static const struct message hello = { .type = TYPE, .header = { "hello", 5 } };

/* The allowed worker says hello; peer gets its routing id. */
static void say_hello(struct fixture *fixture, char peer[static PEER_BYTES])
{
    struct message got;
    assert_true(send_soon(fixture, fixture->dealer, &hello));
    assert_true(receive(fixture, fixture->router, &got));
    assert_int_equal(got.type, TYPE);
    assert_true(text_is(got.header, "hello"));
    assert_non_null(got.group);
    assert_string_equal(got.group, "utils");
    assert_int_equal(got.peer.size, PEER_BYTES);
    memcpy(peer, got.peer.bytes, PEER_BYTES);
}

static void messages_pass_both_ways(void **state)
{
    struct fixture *fixture = *state;
    char peer[PEER_BYTES];
    struct message got;

    say_hello(fixture, peer);
    struct message answer = {
        .peer = { peer, sizeof(peer) }, .type = 1, .header = TEXT("head"), .body = { "a\0b", 3 }
    };
    assert_int_equal(sock_send(fixture->router, &answer), SOCK_OK);
    assert_true(receive(fixture, fixture->dealer, &got));
    assert_int_equal(got.type, 1);
    assert_true(text_is(got.header, "head"));
    assert_int_equal(got.body.size, 3);
    assert_memory_equal(got.body.bytes, "a\0b", 3);
    assert_null(got.group);
    assert_int_equal(fixture->dropped, 0);
}

static void messages_of_unknown_keys_are_dropped(void **state)
{
    struct fixture *fixture = *state;
    struct keys keys = new_keys();
    struct bus *bus = NULL;
    struct sock *outsider = connect_as(fixture, &keys, &bus);
    char peer[PEER_BYTES];

    for (int i = 0; i < 20; i++) {
        assert_int_equal(sock_send(outsider, &hello), SOCK_FULL);
        say_hello(fixture, peer); /* every message is from utils */
        poll(NULL, 0, POLL_MS);
    }
    sock_free(&outsider);
    bus_free(&bus);
}

static void a_key_is_valid_after_the_reload(void **state)
{
    struct fixture *fixture = *state;
    struct keys keys = new_keys();
    struct allow *allow = allow_new();
    struct bus *bus = NULL;
    struct message got;

    assert_int_equal(sock_group_keys(fixture->router, "chat"), 0);
    assert_true(allow_add(allow, keys.public_key, "chat", NULL));
    assert_true(allow_add(allow, new_keys().public_key, "chat", NULL));
    assert_true(allow_add(allow, new_keys().public_key, "utils", NULL));
    sock_allow(fixture->router, allow);
    assert_int_equal(sock_group_keys(fixture->router, "chat"), 2);
    struct sock *newcomer = connect_as(fixture, &keys, &bus);
    assert_true(send_soon(fixture, newcomer, &hello));
    assert_true(receive(fixture, fixture->router, &got));
    assert_string_equal(got.group, "chat");
    sock_free(&newcomer);
    bus_free(&bus);
}

static void a_key_is_valid_until_it_is_revoked(void **state)
{
    struct fixture *fixture = *state;
    char peer[PEER_BYTES];
    struct message got;

    say_hello(fixture, peer);
    sock_allow(fixture->router, allow_new());
    assert_int_equal(sock_send(fixture->dealer, &hello), SOCK_OK);
    assert_true(receive(fixture, fixture->router, &got));
    assert_memory_equal(got.peer.bytes, peer, PEER_BYTES);
    assert_null(got.group);
}

static void garbage_bytes_affect_nobody(void **state)
{
    struct fixture *fixture = *state;
    static const char garbage[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n\xff\0\0\0\0\0\0\0\x7f garbage";
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(fixture->port),
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    char peer[PEER_BYTES];
    int fd[8];

    for (size_t i = 0; i < countof(fd); i++) {
        fd[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(fd[i], (struct sockaddr *)&address, sizeof(address)), 0);
        ssize_t sent = send(fd[i], garbage + i, sizeof(garbage) - i, MSG_NOSIGNAL);
        assert_true(sent > 0);
    }
    for (int i = 0; i < 5; i++)
        say_hello(fixture, peer);
    assert_int_equal(fixture->dropped, 0);
    for (size_t i = 0; i < countof(fd); i++)
        close(fd[i]);
}

static void a_gone_peer_is_reported_at_once(void **state)
{
    struct fixture *fixture = *state;
    char peer[PEER_BYTES];
    struct message answer = { .type = 1, .header = TEXT("head") };
    enum sock_result result = SOCK_OK;
    int64_t deadline_ms = clock_ms() + PATIENCE_MS;

    say_hello(fixture, peer);
    answer.peer = (struct text){ peer, sizeof(peer) };
    sock_free(&fixture->dealer);
    while (result == SOCK_OK && clock_ms() < deadline_ms) {
        result = sock_send(fixture->router, &answer);
        poll(NULL, 0, 1);
    }
    assert_int_equal(result, SOCK_GONE);
    answer.peer = TEXT("nobody ever");
    assert_int_equal(sock_send(fixture->router, &answer), SOCK_GONE);
}

/* A plain DEALER with the worker's key, without the protocol of a sock. */
static zsock_t *raw_dealer(const struct fixture *fixture)
{
    zsock_t *socket = zsock_new(ZMQ_DEALER);
    zsock_set_curve_serverkey(socket, fixture->gateway.public_key);
    zsock_set_curve_publickey(socket, fixture->daemon.public_key);
    zsock_set_curve_secretkey(socket, fixture->daemon.secret_key);
    return socket;
}

/* For a peer that never reads, 256 messages are kept, plus what fits into the kernel's buffers and
 * its queue. */
static void a_peer_that_reads_nothing_is_full(void **state)
{
    enum { QUEUED = 256, ELSEWHERE = 400, BODY_BYTES = 60000, FULL_LONG = 20 };
    struct fixture *fixture = *state;
    scoped(mem_free) char *body = mem_new(BODY_BYTES);
    scoped(zsock_destroy) zsock_t *socket = raw_dealer(fixture);
    struct message job = { .type = 1, .header = TEXT("h"), .body = { body, BODY_BYTES } };
    struct message got;
    int sent = 0;

    zsock_set_rcvhwm(socket, 1);
    assert_int_equal(zsock_connect(socket, "%s", fixture->endpoint), 0);
    assert_int_equal(zstr_sendx(socket, "TG1", "\1", "h", NULL), 0);
    assert_true(receive(fixture, fixture->router, &got));
    scoped(mem_free) char *peer = mem_dup(got.peer.bytes, got.peer.size);
    job.peer = (struct text){ peer, got.peer.size };
    for (int full = 0; full < FULL_LONG && sent <= QUEUED + ELSEWHERE;) {
        bool ok = sock_send(fixture->router, &job) == SOCK_OK;
        sent += ok;
        full = ok ? 0 : full + 1;
        if (!ok)
            poll(NULL, 0, POLL_MS);
    }
    assert_in_range(sent, QUEUED, QUEUED + ELSEWHERE);
}

/* otherwise czmq would handle them when it makes its first socket. */
static void signals_stay_ours(void **state)
{
    static const int signals[] = { SIGINT, SIGTERM };
    (void)state;
    for (size_t i = 0; i < countof(signals); i++) {
        struct sigaction action;
        assert_int_equal(sigaction(signals[i], NULL, &action), 0);
        assert_ptr_equal(action.sa_handler, SIG_DFL);
    }
}

/* ---- messages outside the protocol ---- */

static const struct row {
    const char *name;
    size_t count;
    struct text frame[5];
} rows[] = {
    { "no magic", 1, { { "hello", 5 } } },
    { "an empty frame", 1, { { "", 0 } } },
    { "other magic", 3, { { "TG2", 3 }, { "\1", 1 }, { "h", 1 } } },
    { "magic alone", 1, { { "TG1", 3 } } },
    { "no header", 2, { { "TG1", 3 }, { "\1", 1 } } },
    { "no type", 3, { { "TG1", 3 }, { "", 0 }, { "h", 1 } } },
    { "a type of two bytes", 3, { { "TG1", 3 }, { "\1\2", 2 }, { "h", 1 } } },
    { "other magic, and a body in two frames",
      5,
      { { "TG2", 3 }, { "\1", 1 }, { "h", 1 }, { "b", 1 }, { "x", 1 } } },
};

/* A raw socket sends what sock_send() cannot. */
static void send_raw(const struct fixture *fixture, const struct text *frame, size_t count)
{
    scoped(zsock_destroy) zsock_t *socket = raw_dealer(fixture);
    zmsg_t *message = zmsg_new();
    zsock_set_linger(socket, PATIENCE_MS);
    assert_int_equal(zsock_connect(socket, "%s", fixture->endpoint), 0);
    for (size_t i = 0; i < count; i++)
        zmsg_addmem(message, frame[i].bytes, frame[i].size);
    assert_int_equal(zmsg_send(&message, socket), 0);
    int64_t deadline_ms = clock_ms() + PATIENCE_MS;
    struct message got;
    uint64_t dropped = 0;
    while (dropped == 0 && clock_ms() < deadline_ms) {
        sock_authenticate(fixture->router);
        assert_false(sock_receive(fixture->router, &got, &dropped));
        poll(NULL, 0, 1);
    }
    assert_int_equal(dropped, 1);
}

static void check(void **state)
{
    const struct row *row = *state;
    void *opened = NULL;
    char peer[PEER_BYTES];
    open_fixture(&opened);
    send_raw(opened, row->frame, row->count);
    say_hello(opened, peer); /* the next one is received */
    close_fixture(&opened);
}

static void a_header_too_large_is_dropped(void **state)
{
    struct fixture *fixture = *state;
    scoped(mem_free) char *large = mem_new(HEADER_MAX_BYTES + 1);
    char peer[PEER_BYTES];
    struct message message = { .type = 1, .header = { large, HEADER_MAX_BYTES + 1 } };

    assert_true(send_soon(fixture, fixture->dealer, &message));
    say_hello(fixture, peer);
    assert_int_equal(fixture->dropped, 1);
}

/* ---- large bodies ---- */

static const struct body_row {
    const char *name;
    size_t bytes;
    bool is_dropped;
} bodies[] = {
    { "no byte", 0, false },
    { "one frame, full", FRAME_MAX_BYTES, false },
    { "one byte in the second frame", FRAME_MAX_BYTES + 1, false },
    { "two frames, full", 2 * FRAME_MAX_BYTES, false },
    { "the largest", MESSAGE_BODY_MAX_BYTES, false },
    { "too large", MESSAGE_BODY_MAX_BYTES + 1, true },
};

/* Bytes whose order is visible. */
static char *sample(size_t size)
{
    char *bytes = mem_new(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i % 251);
    return bytes;
}

static void check_body(void **state)
{
    const struct body_row *row = *state;
    scoped(mem_free) char *bytes = sample(row->bytes);
    struct message large = { .type = 1, .header = TEXT("h"), .body = { bytes, row->bytes } };
    void *opened = NULL;
    char peer[PEER_BYTES];
    struct message got;

    open_fixture(&opened);
    struct fixture *fixture = opened;
    say_hello(fixture, peer);
    assert_int_equal(sock_send(fixture->dealer, &large), SOCK_OK);
    if (!row->is_dropped) {
        assert_true(receive(fixture, fixture->router, &got));
        assert_int_equal(got.body.size, row->bytes);
        assert_memory_equal(got.body.bytes, bytes, row->bytes);
    }
    say_hello(fixture, peer); /* the next one is correct */
    assert_int_equal(fixture->dropped, row->is_dropped);
    close_fixture(&opened);
}

/* ---- keys ---- */

static const struct key_row {
    const char *name;
    const char *key;
} bad_keys[] = {
    { "empty", "" },
    { "too short", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf" },
    { "too long", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7x" },
    { "not Z85", "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" },
};

static void check_bad_key(void **state)
{
    const struct key_row *row = *state;
    scoped(allow_free) struct allow *allow = allow_new();
    struct bus *bus = NULL;
    struct err err = { 0 };
    char public_key[KEY_TEXT_BYTES];

    assert_false(key_public(public_key, row->key));
    assert_false(bus_new(row->key, &bus, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_false(allow_add(allow, row->key, "utils", &err));
    assert_null(bus);
}

static void a_key_belongs_to_one_group(void **state)
{
    (void)state;
    scoped(allow_free) struct allow *allow = allow_new();
    struct keys keys = new_keys();
    struct keys other = new_keys();
    char public_key[KEY_TEXT_BYTES];

    assert_true(key_public(public_key, keys.secret_key));
    assert_string_equal(public_key, keys.public_key);
    assert_true(allow_add(allow, keys.public_key, "utils", NULL));
    assert_false(allow_add(allow, keys.public_key, "chat", NULL));
    assert_false(allow_add(allow, other.public_key, "a-group-name-that-is-too-long-32", NULL));
    assert_true(allow_add(allow, other.public_key, "a-group-name-of-31-bytes-or-so-", NULL));
}

static void a_bad_address_is_an_error(void **state)
{
    (void)state;
    struct keys keys = new_keys();
    struct bus *bus = NULL;
    struct sock *sock = NULL;
    struct err err = { 0 };
    assert_true(bus_new(keys.secret_key, &bus, NULL));
    assert_false(sock_bind(bus, "tcp://nonsense", allow_new(), &sock, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_false(sock_connect(bus, "nonsense", keys.public_key, &sock, &err));
    assert_false(sock_connect(bus, "tcp://127.0.0.1:1", "no key", &sock, &err));
    assert_null(sock);
    bus_free(&bus);
}

#define ON_FIXTURE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_FIXTURE(messages_pass_both_ways),
        ON_FIXTURE(messages_of_unknown_keys_are_dropped),
        ON_FIXTURE(a_key_is_valid_after_the_reload),
        ON_FIXTURE(a_key_is_valid_until_it_is_revoked),
        ON_FIXTURE(garbage_bytes_affect_nobody),
        ON_FIXTURE(a_gone_peer_is_reported_at_once),
        ON_FIXTURE(a_peer_that_reads_nothing_is_full),
        ON_FIXTURE(signals_stay_ours),
        ON_FIXTURE(a_header_too_large_is_dropped),
        cmocka_unit_test(a_key_belongs_to_one_group),
        cmocka_unit_test(a_bad_address_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check) +
           RUN_ROWS(bodies, check_body) + RUN_ROWS(bad_keys, check_bad_key);
}
