/* tests/unit/net/http/fetch.c - responses of all kinds, from a server that plays them. */
#include "net/http/fetch.h"

#include <poll.h>
#include <string.h>

#include "net/world.h"

#define OPEN "ALLOW=127.0.0.0/8;DENY=127.9.9.9;PORTS=*"

/* A body of this many zeros. */
#define ZEROS10 "0000000000"
#define ZEROS50 ZEROS10 ZEROS10 ZEROS10 ZEROS10 ZEROS10

static const struct row {
    const char *name;
    const char *answers[4];
    struct fetch_options options;
    enum err_kind error;
    int status;
    const char *body;
    size_t hops;
    enum fetch_end end;
    size_t decoded_bytes; /* 0: not checked */
} rows[] = {
    { "a page", { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" }, .status = 200, .body = "hi" },
    { "until it closes", { "HTTP/1.0 200 OK\r\n\r\nhi" }, .status = 200, .body = "hi" },
    { "chunks",
      { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" },
      .status = 200,
      .body = "hi" },
    { "an error is an answer", { "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n" }, .status = 503 },
    { "a status nobody knows",
      { "HTTP/1.1 799 What\r\nContent-Length: 0\r\n\r\n" },
      .status = 799 },
    { "interim answers",
      { "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" },
      .status = 200,
      .body = "hi" },
    { "cut by the peer",
      { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi" },
      .status = 200,
      .body = "hi",
      .end = FETCH_BROKEN },
    { "an invalid chunk",
      { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nxyz" },
      .status = 200,
      .body = "hi",
      .end = FETCH_BROKEN },
    { "no gzip",
      { "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi" },
      .status = 200,
      .end = FETCH_BROKEN },
    { "zstd", /* a frame of one block: 8,224 times x */
      { "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n"
        "\x28\xb5\x2f\xfd\x60\x20\x1f\x03\x01\x01x" },
      { .kept_bytes = 4 },
      .status = 200,
      .body = "xxxx",
      .decoded_bytes = 8224 },
    { "zstd with a window of 256 MiB",
      { "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n"
        "\x28\xb5\x2f\xfd\x04\x90\x03\x01\x01xsum!" },
      .status = 200,
      .end = FETCH_BROKEN },
    { "a coding nobody knows",
      { "HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 2\r\n\r\nhi" },
      .status = 200,
      .end = FETCH_BROKEN },
    { "cut by us",
      { "HTTP/1.1 200 OK\r\n\r\n" ZEROS10 },
      { .max_body_bytes = 4 },
      .status = 200,
      .body = "0000",
      .end = FETCH_CUT },
    { "cut on the wire",
      { "HTTP/1.1 200 OK\r\n\r\n" ZEROS10 },
      { .max_wire_bytes = 4 },
      .status = 200,
      .body = "0000",
      .end = FETCH_CUT },
    { "just not cut",
      { "HTTP/1.1 200 OK\r\n\r\n0000" },
      { .max_wire_bytes = 4 },
      .status = 200,
      .body = "0000" },
    { "what is not kept is counted",
      { "HTTP/1.1 200 OK\r\n\r\n" ZEROS10 },
      { .kept_bytes = 4 },
      .status = 200,
      .body = "0000",
      .decoded_bytes = 10 },
    { "what is not kept is cut, too",
      { "HTTP/1.1 200 OK\r\n\r\n" ZEROS10 },
      { .kept_bytes = 4, .max_wire_bytes = 7 },
      .status = 200,
      .body = "0000",
      .decoded_bytes = 7,
      .end = FETCH_CUT },
    { "HEAD has no body",
      { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" },
      { .method = "HEAD" },
      .status = 200 },
    { "no HTTP", { "SSH-2.0-OpenSSH_9.2\r\n" }, .error = ERR_TARGET_BAD_RESPONSE },
    { "HTTP/0.9", { "<html>hi</html>" }, .error = ERR_TARGET_BAD_RESPONSE },
    { "closes at once", { "" }, .error = ERR_TARGET_BAD_RESPONSE },
    { "a head without end", { "HTTP/1.1 200 OK\r\nA: b\r\n" }, .error = ERR_TARGET_BAD_RESPONSE },
    { "says nothing", { NULL }, { .first_byte_ms = 80 }, .error = ERR_TARGET_TIMEOUT },
    { "a redirect that is not followed",
      { "HTTP/1.1 302 Go\r\nLocation: /b\r\nContent-Length: 2\r\n\r\nhi" },
      .status = 302,
      .body = "hi" },
    { "a redirect",
      { "HTTP/1.1 302 Go\r\nLocation: /b\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" },
      { .max_redirects = 1 },
      .status = 200,
      .body = "hi",
      .hops = 2 },
    { "its body is not waited for",
      { "HTTP/1.1 302 Go\r\nLocation: /b\r\nContent-Length: 9\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" },
      { .max_redirects = 1 },
      .status = 200,
      .body = "hi",
      .hops = 2 },
    { "without Location it is an answer",
      { "HTTP/1.1 302 Go\r\nContent-Length: 2\r\n\r\nhi" },
      { .max_redirects = 1 },
      .status = 302,
      .body = "hi" },
    { "300 is not a redirect",
      { "HTTP/1.1 300 Go\r\nLocation: /b\r\nContent-Length: 2\r\n\r\nhi" },
      { .max_redirects = 1 },
      .status = 300,
      .body = "hi" },
    { "a circle",
      { "HTTP/1.1 302 Go\r\nLocation: /\r\n\r\n" },
      { .max_redirects = 10 },
      .error = ERR_TOO_MANY_REDIRECTS },
    { "one too many",
      { "HTTP/1.1 302 Go\r\nLocation: /b\r\n\r\n", "HTTP/1.1 302 Go\r\nLocation: /c\r\n\r\n" },
      { .max_redirects = 1 },
      .error = ERR_TOO_MANY_REDIRECTS },
    { "to an inner place",
      { "HTTP/1.1 302 Go\r\nLocation: http://10.0.0.1/\r\n\r\n" },
      { .max_redirects = 10 },
      .error = ERR_TARGET_NOT_ALLOWED },
    { "to the operator's place",
      { "HTTP/1.1 302 Go\r\nLocation: http://127.9.9.9:%PORT%/\r\n\r\n" },
      { .max_redirects = 10 },
      .error = ERR_TARGET_NOT_ALLOWED },
    { "to no URL",
      { "HTTP/1.1 302 Go\r\nLocation: file:///etc/passwd\r\n\r\n" },
      { .max_redirects = 10 },
      .error = ERR_TARGET_NOT_ALLOWED },
    { "to a user",
      { "HTTP/1.1 302 Go\r\nLocation: http://a:b@127.0.0.1:%PORT%/x\r\n\r\n" },
      { .max_redirects = 10 },
      .error = ERR_TARGET_NOT_ALLOWED },
    { "to localhost",
      { "HTTP/1.1 302 Go\r\nLocation: http://localhost:%PORT%/x\r\n\r\n" },
      { .max_redirects = 10 },
      .error = ERR_TARGET_NOT_ALLOWED },
    { "to a closed port",
      { "HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:1/\r\n\r\n" },
      { .max_redirects = 10 },
      .error = ERR_TARGET_REFUSED },
};

static struct egress *egress;

static bool fetch_row(const struct row *row, struct server *server, struct fetch *fetch,
                      struct err *err)
{
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress, clock_ms() + 5000);
    scoped(target_free) struct target target = { 0 };
    char url[64];
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/", server->port);
    assert_true(target_parse_url(text_of(url), &target, err));
    return fetch_guarded(session, &target, &row->options, fetch, err);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(fetch_free) struct fetch fetch = { 0 };
    struct server server;
    struct err err = { 0 };

    server_start(&server, row->answers);
    bool ok = fetch_row(row, &server, &fetch, &err);
    server_stop(&server);
    assert_string_equal(err_code(err.kind), err_code(row->error));
    assert_int_equal(ok, row->error == ERR_NONE);
    if (!ok)
        return;
    assert_int_equal(fetch_last(&fetch)->status, row->status);
    assert_string_equal(buf_str(&fetch.body), row->body ? row->body : "");
    assert_int_equal(fetch.hop_count, row->hops ? row->hops : 1);
    assert_int_equal(fetch.end, row->end);
    if (row->decoded_bytes > 0)
        assert_int_equal(fetch.decoded_bytes, row->decoded_bytes);
}

/* ---- steps ---- */

static void *answer_slowly(void *argument)
{
    enum { WAIT_MS = 120, DRIP_MS = 60 };
    struct server *server = argument;
    int fd = accept(server->listener, NULL, NULL);
    server_read(server, fd);
    poll(NULL, 0, WAIT_MS);
    server_send(server, fd,
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh");
    poll(NULL, 0, DRIP_MS);
    server_send(server, fd, "i");
    close(fd);
    return NULL;
}

static void check_times(void **state)
{
    (void)state;
    static const char *const answers[] = { NULL };
    static const struct row row = { .name = "" };
    scoped(fetch_free) struct fetch fetch = { 0 };
    struct server server;
    struct err err = { 0 };
    server_start_as(&server, answers, answer_slowly);
    assert_true(fetch_row(&row, &server, &fetch, &err));
    server_stop(&server);
    const struct fetch_hop *hop = fetch_last(&fetch);
    assert_int_equal(hop->times.dns_us, 0);
    assert_int_equal(hop->times.tls_us, 0);
    assert_true(hop->times.tcp_us > 0 && hop->times.tcp_us < 50000);
    assert_in_range(hop->times.wait_us, 100000, 175000);
    assert_in_range(hop->times.download_us, 40000, 120000);
    assert_true(hop->has_early_hints);
    assert_in_range(hop->header_bytes, 70, 90);
    assert_null(hop->tls_version);
}

/* ---- heads ---- */

static void check_head(void **state)
{
    (void)state;
    static const char *const answers[] = { "HTTP/1.1 200 OK\r\nX-A:  one \r\nx-a: two\r\n"
                                           "Content-Type: Text/HTML ; charset=x\r\nX-Fold: a\r\n"
                                           "  b\r\nX-Empty:\r\n\r\n",
                                           NULL };
    scoped(fetch_free) struct fetch fetch = { 0 };
    static const char *const headers[] = { "X-Mine: yes", "Accept: text/plain", NULL };
    const struct row row = { .options = { .headers = headers } };
    struct server server;
    struct err err = { 0 };
    char type[MEDIA_TYPE_BYTES];

    server_start(&server, answers);
    assert_true(fetch_row(&row, &server, &fetch, &err));
    server_stop(&server);
    const struct fetch_hop *hop = fetch_last(&fetch);
    const char *first = fetch_header(hop, "X-a");
    assert_string_equal(first, "one");
    assert_string_equal(fetch_header_next(hop, "X-A", first), "two");
    assert_null(fetch_header_next(hop, "X-A", fetch_header_next(hop, "X-A", first)));
    assert_null(fetch_header(hop, "X-None"));
    assert_string_equal(fetch_header(hop, "X-Fold"), "a b");
    assert_string_equal(fetch_header(hop, "X-Empty"), "");
    assert_string_equal(hop->header[1].name.bytes, "x-a");
    fetch_media_type(&fetch, type);
    assert_string_equal(type, "text/html");
    assert_string_equal(hop->http_version, "1.1");
    assert_null(hop->tls_issuer);
    assert_non_null(strstr(server.request, "\r\nX-Mine: yes\r\n"));
    assert_non_null(strstr(server.request, "\r\nAccept: text/plain\r\n"));
    assert_non_null(strstr(server.request, "\r\nConnection: close\r\n"));
    assert_non_null(strstr(server.request, "\r\nUser-Agent: Mozilla/5.0 (compatible; Tollgate/"));
    assert_non_null(strstr(server.request, "\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"));
    assert_null(strstr(server.request, "text/html"));
}

static void check_cookies(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.1 302 Go\r\nSet-Cookie: a=b\r\nLocation: /\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NULL
    };
    for (int keeps = 0; keeps < 2; keeps++) {
        scoped(fetch_free) struct fetch fetch = { 0 };
        const struct row row = { .options = { .keeps_cookies = keeps, .max_redirects = 5 } };
        struct server server;
        struct err err = { 0 };
        server_start(&server, answers);
        bool ok = fetch_row(&row, &server, &fetch, &err);
        server_stop(&server);
        assert_int_equal(ok, keeps); /* without it, a circle */
        if (keeps)
            assert_non_null(strstr(server.request, "\r\nCookie: a=b\r\n"));
    }
}

static void check_post(void **state)
{
    (void)state;
    static const char *const answers[] = { "HTTP/1.1 302 Go\r\nLocation: /b\r\n\r\n",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NULL };
    scoped(fetch_free) struct fetch fetch = { 0 };
    const struct row row = { .options = {
                                 .method = "POST", .body = TEXT("abc"), .max_redirects = 1 } };
    struct server server;
    struct err err = { 0 };
    server_start(&server, answers);
    assert_true(fetch_row(&row, &server, &fetch, &err));
    server_stop(&server);
    assert_memory_equal(server.request, "GET /b HTTP/1.1\r\n", 17);
}

/* ---- too much ---- */

static void check_large(const char *start, const char *line, size_t count, const char *end,
                        const struct fetch_options *options, enum err_kind want)
{
    scoped(buf_free) struct buf answer = BUF(64 << 20);
    scoped(fetch_free) struct fetch fetch = { 0 };
    struct server server;
    struct err err = { 0 };
    buf_add_str(&answer, start);
    for (size_t i = 0; i < count; i++)
        buf_add_str(&answer, line);
    buf_add_str(&answer, end);
    const char *answers[] = { buf_str(&answer), NULL };
    const struct row row = { .options = *options };
    server_start(&server, answers);
    fetch_row(&row, &server, &fetch, &err);
    server_stop(&server);
    assert_string_equal(err_code(err.kind), err_code(want));
}

static void check_limits(void **state)
{
    static const struct fetch_options usual;
    static const char start[] = "HTTP/1.1 200 OK\r\n";
    (void)state;
    check_large(start, "A: b\r\n", 198, "\r\n", &usual, ERR_NONE);
    check_large(start, "A: b\r\n", 199, "\r\n", &usual, ERR_TARGET_BAD_RESPONSE);
    check_large("HTTP/1.1 200 OK\r\nA: ", ZEROS50, 1300, "\r\n\r\n", &usual, ERR_NONE);
    check_large("HTTP/1.1 200 OK\r\nA: ", ZEROS50, 1400, "\r\n\r\n", &usual,
                ERR_TARGET_BAD_RESPONSE);
    static const struct fetch_options follows = { .max_redirects = 1 };
    check_large("HTTP/1.1 302 Go\r\nLocation: ftp://", ZEROS50, 163, "\r\n\r\n", &follows,
                ERR_TARGET_NOT_ALLOWED);
    check_large("HTTP/1.1 302 Go\r\nLocation: /", ZEROS50, 164, "\r\n\r\n", &follows,
                ERR_TARGET_BAD_RESPONSE);
    check_large("HTTP/1.1 302 Go\r\nLocation: /", ZEROS50, 600, "\r\n\r\n", &follows,
                ERR_TARGET_BAD_RESPONSE);
    check_large("", "HTTP/1.1 100 Continue\r\n\r\n", 200, "HTTP/1.1 200 OK\r\n\r\n", &usual,
                ERR_TARGET_BAD_RESPONSE);
}

static void check_body_limit(void **state)
{
    (void)state;
    scoped(buf_free) struct buf answer = BUF(4 << 20);
    scoped(fetch_free) struct fetch fetch = { 0 };
    const struct row row = { 0 };
    struct server server;
    struct err err = { 0 };
    buf_add_str(&answer, "HTTP/1.1 200 OK\r\n\r\n");
    while (answer.size < FETCH_WIRE_BYTES + 20)
        buf_add_byte(&answer, 'x');
    const char *answers[] = { buf_str(&answer), NULL };
    server_start(&server, answers);
    assert_true(fetch_row(&row, &server, &fetch, &err));
    server_stop(&server);
    assert_int_equal(fetch.body.size, FETCH_WIRE_BYTES);
    assert_int_equal(fetch.end, FETCH_CUT);
}

/* A frame of zstd: a block of 8,225 bytes as they are, and one that repeats a byte 57,475 times. */
static void add_compressed(struct buf *answer, size_t *wire_bytes)
{
    enum { PLAIN_BYTES = 8225 };
    buf_add_str(answer, "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n");
    size_t begin = answer->size;
    buf_add_str(answer, "\x28\xb5\x2f\xfd\x60\xa4\xff\x08\x01\x01");
    for (size_t i = 0; i < PLAIN_BYTES; i++)
        buf_add_byte(answer, 'x');
    buf_add_str(answer, "\x1b\x04\x07y");
    *wire_bytes = answer->size - begin;
}

/* libcurl may count what it has read only after it has passed on what is decoded. */
static void check_compressed(void **state)
{
    (void)state;
    enum { DECODED_BYTES = 65700 };
    static const struct row whole = { 0 }, cut = { .options = { .max_wire_bytes = 100 } };
    for (size_t i = 0; i < 2; i++) {
        scoped(buf_free) struct buf answer = BUF(1 << 20);
        scoped(fetch_free) struct fetch fetch = { 0 };
        struct server server;
        struct err err = { 0 };
        size_t wire_bytes;
        add_compressed(&answer, &wire_bytes);
        const char *answers[] = { buf_str(&answer), NULL };
        server_start(&server, answers);
        assert_true(fetch_row(i == 0 ? &whole : &cut, &server, &fetch, &err));
        server_stop(&server);
        assert_int_equal(fetch.end, i == 0 ? FETCH_WHOLE : FETCH_CUT);
        assert_int_equal(fetch.wire_bytes, i == 0 ? wire_bytes : 100);
        if (i == 0)
            assert_int_equal(fetch.body.size, DECODED_BYTES);
    }
}

/* ---- our own services ---- */

static void check_operator(void **state)
{
    (void)state;
    static const char *const answers[] = { "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", NULL };
    scoped(egress_close) struct egress *closed = egress_of("ALLOW=;PORTS=");
    scoped(fetch_free) struct fetch fetch = { 0 };
    struct server server;
    struct err err = { 0 };
    char url[64];
    server_start(&server, answers);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/x", server.port);
    assert_true(fetch_operator(closed, url, NULL, clock_ms() + 5000, &fetch, &err));
    server_stop(&server);
    assert_int_equal(fetch_last(&fetch)->status, 500);
    assert_false(
        fetch_operator(closed, "http://127.0.0.1:1/", NULL, clock_ms() + 5000, &fetch, &err));
    assert_string_equal(err_code(err.kind), "upstream_unavailable");
    assert_int_equal(egress_stray_count(closed), 0);
    assert_false(
        fetch_operator(closed, "http://192.0.2.1/", NULL, clock_ms() + 5000, &fetch, &err));
    assert_int_equal(egress_stray_count(closed), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_head),       cmocka_unit_test(check_cookies),
        cmocka_unit_test(check_post),       cmocka_unit_test(check_limits),
        cmocka_unit_test(check_body_limit), cmocka_unit_test(check_compressed),
        cmocka_unit_test(check_operator),   cmocka_unit_test(check_times),
    };
    egress = egress_of(OPEN);
    int failed = RUN_ROWS(rows, check);
    egress_close(&egress);
    egress = egress_of(OPEN);
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    egress_close(&egress);
    return failed;
}
