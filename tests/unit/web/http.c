/* tests/unit/web/http.c - bodies that the front receives and sends: within time and size, complete
 * or streamed, and visibly broken off if they cannot be completed. */
#include "web/http.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "rows.h"

enum {
    BODY_MAX = 64,
    BODY_MS = 300,
    ANSWER_MAX = 4096,
    PATIENCE_MS = 5000,
    PAUSE_MS = 3000, /* civetweb gives up a write after two seconds */
    STALL_MS = 4000,
    LARGE_BYTES = 24 << 20 /* more than the kernel buffers */
};

/* ---- the server ---- */

#define SIXTEEN    "0123456789abcdef"
#define SIXTY_FOUR SIXTEEN SIXTEEN SIXTEEN SIXTEEN

/* What a stream has left: pieces, and whether it fails after them. */
struct source {
    const char *const *piece;
    bool fails;
};

static bool next_piece(void *source, struct buf *piece)
{
    struct source *at = source;
    if (!*at->piece)
        return !at->fails;
    return buf_add_str(piece, *at->piece++);
}

/* /whole and /broken are streams, with the size in the query; /mute has no status; /much is large;
 * every other path reports the received body. */
static void handle(void *context, const struct http_request *request,
                   struct http_response *response)
{
    static const char *const pieces[] = { "one", "and two", NULL };
    bool is_broken = strcmp(request->path, "/broken") == 0;
    (void)context;
    response->status = strcmp(request->path, "/mute") == 0 ? 0 : 200;
    if (is_broken || strcmp(request->path, "/whole") == 0) {
        struct source *source = mem_new(sizeof(*source));
        *source = (struct source){ pieces, is_broken };
        response->stream = (struct http_stream){ .next = next_piece,
                                                 .free = free,
                                                 .has_size = request->query.size > 0,
                                                 .size = strlen(pieces[0]) + strlen(pieces[1]),
                                                 .source = source };
        if (text_is(request->query, "less"))
            response->stream.size--;
        if (text_is(request->query, "more"))
            response->stream.size++;
        return;
    }
    while (strcmp(request->path, "/much") == 0 && response->body.size < LARGE_BYTES)
        buf_add(&response->body, SIXTY_FOUR, 64);
    buf_format(&response->body, "%s%s%.*s", request->is_body_too_large ? "too large " : "",
               request->is_body_cut ? "cut " : "", (int)request->body.size, request->body.bytes);
}

static void write_error(int status, struct http_response *response)
{
    (void)status;
    (void)response;
}

static int free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

/* ---- a client ---- */

static int dial(int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

/* All that comes until the text is there, or nothing more comes. */
static void read_until(int fd, const char *text, char answer[static ANSWER_MAX])
{
    size_t size = 0;
    int64_t deadline_ms = clock_ms() + PATIENCE_MS;
    struct pollfd ready = { fd, POLLIN, 0 };
    answer[0] = '\0';
    while (!strstr(answer, text) && clock_ms() < deadline_ms && size < ANSWER_MAX - 1) {
        poll(&ready, 1, 100);
        ssize_t got = recv(fd, answer + size, ANSWER_MAX - 1 - size, MSG_DONTWAIT);
        if (got == 0)
            break;
        size += got > 0 ? (size_t)got : 0;
        answer[size] = '\0';
    }
}

/* ---- rows ---- */

static const struct row {
    const char *name;
    const char *request;
    const char *want; /* the end of the answer */
} rows[] = {
    { "a stream", "GET /whole HTTP/1.1\r\nHost: x\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n7\r\nand two\r\n0\r\n\r\n" },
    { "its head alone", "HEAD /whole HTTP/1.1\r\nHost: x\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n" },
    { "a stream that breaks has no end", "GET /broken HTTP/1.1\r\nHost: x\r\n\r\n",
      "3\r\none\r\n7\r\nand two\r\nbroken\r\n" },
    { "a stream of a size", "GET /whole?just HTTP/1.1\r\nHost: x\r\n\r\n",
      "Content-Length: 10\r\n\r\noneand two" },
    { "its head, too", "HEAD /whole?just HTTP/1.1\r\nHost: x\r\n\r\n",
      "Content-Length: 10\r\n\r\n" },
    { "a stream longer than its size", "GET /whole?less HTTP/1.1\r\nHost: x\r\n\r\n",
      "Content-Length: 9\r\n\r\none" },
    { "a stream shorter than its size", "GET /whole?more HTTP/1.1\r\nHost: x\r\n\r\n",
      "Content-Length: 11\r\n\r\noneand two" },
    { "a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
      "Content-Length: 2\r\n\r\nhi" },
    { "a body as large as it may be",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 64\r\n\r\n" SIXTY_FOUR,
      "\r\n\r\n" SIXTY_FOUR },
    { "a larger one", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 65\r\n\r\n" SIXTY_FOUR "x",
      "Connection: close\r\n\r\ntoo large " },
    { "one in chunks that is larger",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "41\r\n" SIXTY_FOUR "x\r\n0\r\n\r\n",
      "Connection: close\r\n\r\ntoo large " },
    { "where larger ones may come",
      "POST /large?x HTTP/1.1\r\nHost: x\r\nContent-Length: 128\r\n\r\n" SIXTY_FOUR SIXTY_FOUR,
      "\r\n\r\n" SIXTY_FOUR SIXTY_FOUR },
    { "one that is larger still",
      "POST /large HTTP/1.1\r\nHost: x\r\nContent-Length: 129\r\n\r\n" SIXTY_FOUR SIXTY_FOUR "x",
      "Connection: close\r\n\r\ntoo large " },
    { "below that path they may not",
      "POST /large/x HTTP/1.1\r\nHost: x\r\nContent-Length: 65\r\n\r\n" SIXTY_FOUR "x",
      "Connection: close\r\n\r\ntoo large " },
};

static struct http *http;
static int port;

static int start(void **state)
{
    char listen[32];
    struct err err = { 0 };
    struct http_options options = { .listen = listen,
                                    .threads = 2,
                                    .body_max_bytes = BODY_MAX,
                                    .large_path = "/large",
                                    .large_max_bytes = 2 * BODY_MAX,
                                    .body_ms = BODY_MS,
                                    .stall_ms = STALL_MS,
                                    .handler = handle,
                                    .write_error = write_error };
    (void)state;
    port = free_port();
    snprintf(listen, sizeof(listen), "127.0.0.1:%d", port);
    return http_start(&options, &http, &err) ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    http_stop(&http);
    return 0;
}

static void check_row(const struct row *row)
{
    char answer[ANSWER_MAX];
    int fd = dial(port);
    assert_int_equal(send(fd, row->request, strlen(row->request), 0), strlen(row->request));
    read_until(fd, row->want, answer);
    close(fd);
    size_t size = strlen(row->want);
    if (strlen(answer) < size || strcmp(answer + strlen(answer) - size, row->want) != 0)
        fail_msg("%s: %s", row->name, answer);
}

/* One server for all: civetweb takes two seconds to stop. */
static void answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(rows); i++)
        check_row(&rows[i]);
}

/*
 * The handler answers each request, and civetweb none: it would look for files, and its redirect of
 * a folder is the code of CVE-2025-55763. It closes the connection afterwards.
 */
#define WEBSOCKET                                         \
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" \
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="

static void civetweb_answers_no_request_itself(void **state)
{
    static const char *const lines[] = {
        "GET / HTTP/1.1",
        "GET /mute HTTP/1.1",
        "HEAD /mute HTTP/1.1",
        "GET /. HTTP/1.1",
        "GET /tests HTTP/1.1",
        "GET /tests?" SIXTY_FOUR SIXTY_FOUR SIXTY_FOUR SIXTY_FOUR " HTTP/1.1",
        "GET /../../usr/share HTTP/1.1",
        "OPTIONS / HTTP/1.1",
        "PUT /x HTTP/1.1",
        "DELETE /x HTTP/1.1",
        "PROPFIND / HTTP/1.1",
        "MKCOL /x HTTP/1.1",
        "GET /chat HTTP/1.1\r\n" WEBSOCKET,
    };
    (void)state;
    for (size_t i = 0; i < countof(lines); i++) {
        char request[ANSWER_MAX];
        char answer[ANSWER_MAX];
        int fd = dial(port);
        snprintf(request, sizeof(request), "%s\r\nHost: x\r\nConnection: close\r\n\r\n", lines[i]);
        assert_int_equal(send(fd, request, strlen(request), 0), strlen(request));
        read_until(fd, "nothing has this text", answer);
        close(fd);
        const char *want = strstr(lines[i], "/mute") ? "HTTP/1.1 0 " : "HTTP/1.1 200 ";
        if (strncmp(answer, want, strlen(want)) != 0 || strstr(answer + 1, "HTTP/1.1"))
            fail_msg("%s: %s", lines[i], answer);
    }
}

/* A byte now and then keeps civetweb's own timeout from expiring, but not the limit of the
 * whole. */
static void a_body_that_trickles_is_cut(void **state)
{
    static const char head[] = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 64\r\n\r\n";
    char answer[ANSWER_MAX];
    int64_t begun_ms = clock_ms();
    struct pollfd ready = { .events = POLLIN };
    (void)state;
    ready.fd = dial(port);
    assert_int_equal(send(ready.fd, head, strlen(head), 0), strlen(head));
    while (poll(&ready, 1, BODY_MS / 4) == 0 && clock_ms() < begun_ms + PATIENCE_MS)
        send(ready.fd, "x", 1, MSG_NOSIGNAL);
    read_until(ready.fd, "cut ", answer);
    close(ready.fd);
    assert_non_null(strstr(answer, "Connection: close\r\n\r\ncut "));
    assert_true(clock_ms() - begun_ms >= BODY_MS);
}

/* Wait before reading a large response; returns its size. The connection must be closed after it.
 */
static size_t read_after(int pause_ms, const char *header)
{
    static char piece[1 << 16];
    char request[ANSWER_MAX];
    struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
    struct pollfd nothing = { .fd = -1 };
    size_t size = 0;
    ssize_t got = 1;
    int fd = dial(port);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    snprintf(request, sizeof(request), "GET /much HTTP/1.1\r\nHost: x\r\n%s\r\n", header);
    assert_int_equal(send(fd, request, strlen(request), 0), strlen(request));
    poll(&nothing, 1, pause_ms); /* the pause is what is tested */
    while (got > 0) {
        got = recv(fd, piece, sizeof(piece), 0);
        size += got > 0 ? (size_t)got : 0;
    }
    assert_int_equal(got, 0);
    close(fd);
    return size;
}

static void a_client_may_pause(void **state)
{
    (void)state;
    assert_true(read_after(PAUSE_MS, "Connection: close\r\n") > LARGE_BYTES);
}

/* It must not wait for bytes that will not come. Without a Connection header, the connection would
 * stay open after a complete response. */
static void a_client_that_stops_is_disconnected(void **state)
{
    (void)state;
    assert_true(read_after(3 * STALL_MS, "") < LARGE_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers),
                                        cmocka_unit_test(civetweb_answers_no_request_itself),
                                        cmocka_unit_test(a_body_that_trickles_is_cut),
                                        cmocka_unit_test(a_client_may_pause),
                                        cmocka_unit_test(a_client_that_stops_is_disconnected) };
    return cmocka_run_group_tests(tests, start, stop);
}
