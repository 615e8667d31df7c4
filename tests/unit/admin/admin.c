/* tests/unit/admin/admin.c - the admin port, called over a socket. */
#include "admin/admin.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "rows.h"

static struct sockaddr_in address_of(const char *host, int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    assert_int_equal(inet_pton(AF_INET, host, &address.sin_addr), 1);
    return address;
}

static int connect_from(const char *host, int port)
{
    struct sockaddr_in own = address_of(host, 0);
    struct sockaddr_in peer = address_of("127.0.0.1", port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval wait = { .tv_sec = 10 };
    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&peer, sizeof(peer)), 0);
    return fd;
}

static int connect_to(int port)
{
    return connect_from("127.0.0.1", port);
}

/* Send a request and read the response until the server closes. */
static void ask(int port, const char *request, struct buf *answer)
{
    char bytes[4096];
    ssize_t got;
    int fd = connect_to(port);
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    while ((got = recv(fd, bytes, sizeof(bytes), 0)) > 0)
        assert_true(buf_add(answer, bytes, (size_t)got));
    close(fd);
}

/* One server for all requests: civetweb takes two seconds to stop. */
static struct {
    struct metrics *metrics;
    struct cidrs clients;
    struct admin *admin;
    _Atomic(const char *) not_ready;
    _Atomic(const char *) note;
} server;

static const char *ready_or_not(void *arg)
{
    (void)arg;
    return server.not_ready;
}

static void write_note(void *arg, char out[static ADMIN_NOTE_BYTES])
{
    (void)arg;
    snprintf(out, ADMIN_NOTE_BYTES, "%s", server.note ? server.note : "");
}

static bool start(const char *listen, const struct cidrs *clients, struct admin **admin,
                  struct err *err)
{
    struct admin_options options = { .listen = listen,
                                     .clients = clients,
                                     .metrics = server.metrics,
                                     .ready = ready_or_not,
                                     .note = write_note };
    return admin_start(&options, admin, err);
}

/* ---- requests ---- */

static const struct row {
    const char *name;
    const char *request;
    const char *not_ready; /* why */
    const char *start;
    const char *header;
    const char *body; /* the whole; NULL: not checked */
} rows[] = {
    { "alive", "GET /livez HTTP/1.1\r\n\r\n", NULL, "HTTP/1.1 200 OK\r\n",
      "Content-Type: text/plain; charset=utf-8\r\n", "OK\n" },
    { "alive when not ready", "GET /livez HTTP/1.1\r\n\r\n", "database unreachable",
      "HTTP/1.1 200 OK\r\n", "", "OK\n" },
    { "ready", "GET /readyz HTTP/1.1\r\n\r\n", NULL, "HTTP/1.1 200 OK\r\n",
      "Content-Type: application/json\r\n", "{\"ready\":true}\n" },
    { "not ready, and why", "GET /readyz HTTP/1.1\r\n\r\n", "database unreachable",
      "HTTP/1.1 503 Service Unavailable\r\n", "Content-Type: application/json\r\n",
      "{\"ready\":false,\"reason\":\"database unreachable\"}\n" },
    { "a query changes nothing", "GET /readyz?verbose HTTP/1.1\r\n\r\n", NULL,
      "HTTP/1.1 200 OK\r\n", "", "{\"ready\":true}\n" },
    { "HEAD has the length and no body", "HEAD /livez HTTP/1.1\r\n\r\n", NULL,
      "HTTP/1.1 200 OK\r\n", "Content-Length: 3\r\n", "" },
    { "metrics", "GET /metrics HTTP/1.1\r\n\r\n", NULL, "HTTP/1.1 200 OK\r\n",
      "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n", NULL },
    { "never kept alive", "GET /livez HTTP/1.1\r\nConnection: keep-alive\r\n\r\n", NULL,
      "HTTP/1.1 200 OK\r\n", "Connection: close\r\n", "OK\n" },
    { "root", "GET / HTTP/1.1\r\n\r\n", NULL, "HTTP/1.1 404 Not Found\r\n", "", "Not Found\n" },
    { "file", "GET /meson.build HTTP/1.1\r\n\r\n", NULL, "HTTP/1.1 404 Not Found\r\n", "",
      "Not Found\n" },
    { "name below a page", "GET /livez/ HTTP/1.1\r\n\r\n", NULL, "HTTP/1.1 404 Not Found\r\n", "",
      NULL },
    { "path out of the root", "GET /../../etc/passwd HTTP/1.1\r\n\r\n", NULL,
      "HTTP/1.1 404 Not Found\r\n", "", NULL },
    { "POST", "POST /livez HTTP/1.1\r\nContent-Length: 0\r\n\r\n", NULL,
      "HTTP/1.1 405 Method Not Allowed\r\n", "Allow: GET, HEAD\r\n", "Method Not Allowed\n" },
    { "PUT", "PUT /x HTTP/1.1\r\nContent-Length: 0\r\n\r\n", NULL, "HTTP/1.1 404 Not Found\r\n", "",
      NULL },
    { "OPTIONS",
      "OPTIONS /livez HTTP/1.1\r\nOrigin: x\r\n"
      "Access-Control-Request-Method: GET\r\n\r\n",
      NULL, "HTTP/1.1 405 Method Not Allowed\r\n", "", NULL },
    { "no HTTP at all", "\x16\x03\x01 hello\r\n\r\n", NULL, "HTTP/1.", " 400 Bad Request\r\n",
      NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf answer = BUF(1 << 20);

    server.not_ready = row->not_ready;
    ask(admin_port(server.admin), row->request, &answer);
    const char *body = strstr(buf_str(&answer), "\r\n\r\n");
    assert_non_null(body);
    assert_memory_equal(buf_str(&answer), row->start, strlen(row->start));
    assert_non_null(strstr(buf_str(&answer), row->header));
    if (row->body)
        assert_string_equal(body + 4, row->body);
}

/* Ready, with something for the operator to do. */
static void a_note_is_no_refusal(void **state)
{
    scoped(buf_free) struct buf answer = BUF(1 << 20);
    (void)state;
    server.not_ready = NULL;
    server.note = "no key is set";
    ask(admin_port(server.admin), "GET /readyz HTTP/1.1\r\n\r\n", &answer);
    server.note = NULL;
    assert_non_null(strstr(buf_str(&answer), "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(buf_str(&answer), "{\"ready\":true,\"note\":\"no key is set\"}\n"));
}

/* ---- addresses ---- */

static const struct refusal {
    const char *name;
    const char *listen;
} refusals[] = {
    { "nothing", "" },
    { "no port", "127.0.0.1" },
    { "port alone", "9100" },
    { "no host", ":9100" },
    { "port too high", "127.0.0.1:65536" },
    { "port with a sign", "127.0.0.1:+1" },
    { "a name", "localhost:0" },
    { "TLS flag", "127.0.0.1:0s" },
    { "list", "127.0.0.1:0,127.0.0.1:1" },
    { "IPv6 without brackets", "::1:0" },
    { "IPv4 in brackets", "[127.0.0.1]:0" },
    { "foreign address", "192.0.2.1:0" },
};

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    struct admin *admin = NULL;
    struct err err = { 0 };
    assert_false(start(row->listen, &server.clients, &admin, &err));
    assert_null(admin);
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_non_null(strstr(err.message, row->listen));
}

static void taken_port_is_an_error(void **state)
{
    (void)state;
    struct admin *second = NULL;
    scoped(mem_free) char *listen = str_format("127.0.0.1:%d", admin_port(server.admin));
    assert_false(start(listen, &server.clients, &second, NULL));
}

static void a_failed_start_keeps_the_first_server(void **state)
{
    (void)state;
    scoped(buf_free) struct buf answer = BUF(1 << 20);
    ask(admin_port(server.admin), "GET /livez HTTP/1.1\r\n\r\n", &answer);
    assert_non_null(strstr(buf_str(&answer), "200 OK"));
}

/* As many clients as there are threads, and some more, come first: a second for each with a
 * thread. */
static void silent_clients_are_dropped(void **state)
{
    (void)state;
    scoped(buf_free) struct buf answer = BUF(1 << 20);
    int silent[40];

    for (size_t i = 0; i < countof(silent); i++)
        silent[i] = connect_to(admin_port(server.admin));
    int64_t before_ms = clock_ms();
    ask(admin_port(server.admin), "GET /livez HTTP/1.1\r\n\r\n", &answer);
    assert_non_null(strstr(buf_str(&answer), "200 OK"));
    assert_true(clock_ms() - before_ms < 6000);
    for (size_t i = 0; i < countof(silent); i++)
        close(silent[i]);
}

static void other_addresses_are_dropped(void **state)
{
    (void)state;
    static const char request[] = "GET /livez HTTP/1.1\r\n\r\n";
    char byte;
    for (int i = 0; i < 100; i++) {
        int outsider = connect_from("127.0.0.2", admin_port(server.admin));
        send(outsider, request, strlen(request), MSG_NOSIGNAL);
        assert_true(recv(outsider, &byte, 1, 0) <= 0);
        close(outsider);
    }
}

static void ipv6_clients_are_rejected(void **state)
{
    (void)state;
    scoped(cidrs_free) struct cidrs clients = { 0 };
    struct admin *admin = NULL;
    struct err err = { 0 };
    assert_true(cidrs_add(&clients, text_of("127.0.0.1"), NULL));
    assert_true(cidrs_add(&clients, text_of("::1"), NULL));
    assert_false(start("127.0.0.1:0", &clients, &admin, &err));
    assert_string_equal(err.message,
                        "admin.clients: item 2 is not IPv4; admin ports do not listen on IPv6");
}

static void one_response_per_connection(void **state)
{
    (void)state;
    scoped(buf_free) struct buf answer = BUF(1 << 20);
    ask(admin_port(server.admin),
        "GET /livez HTTP/1.1\r\nConnection: keep-alive\r\n\r\nGET /readyz HTTP/1.1\r\n\r\n",
        &answer);
    assert_non_null(strstr(buf_str(&answer), "OK"));
    assert_null(strstr(buf_str(&answer), "ready"));
}

static void metrics_are_those_given(void **state)
{
    (void)state;
    scoped(buf_free) struct buf answer = BUF(1 << 20);
    ask(admin_port(server.admin), "GET /metrics HTTP/1.1\r\n\r\n", &answer);
    assert_non_null(strstr(buf_str(&answer), "\nx_total 42\n"));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(taken_port_is_an_error),
        cmocka_unit_test(a_failed_start_keeps_the_first_server),
        cmocka_unit_test(silent_clients_are_dropped),
        cmocka_unit_test(other_addresses_are_dropped),
        cmocka_unit_test(ipv6_clients_are_rejected),
        cmocka_unit_test(one_response_per_connection),
        cmocka_unit_test(metrics_are_those_given),
        cmocka_unit_test(a_note_is_no_refusal),
    };
    server.metrics = metrics_new("1.2.3", "test");
    counter_add(metrics_counter(server.metrics, "x_total", "X.", NO_LABELS), 42);
    if (!cidrs_add(&server.clients, text_of("127.0.0.1"), NULL) ||
        !start("127.0.0.1:0", &server.clients, &server.admin, NULL))
        return 1;
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(refusals, check_refusal) +
                 cmocka_run_group_tests(singles, NULL, NULL);
    admin_stop(&server.admin);
    cidrs_free(&server.clients);
    metrics_free(&server.metrics);
    return failed;
}
