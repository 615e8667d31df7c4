/*
 * common/web/http.c - civetweb as the HTTP server. docs/decisions/004-http-server.md explains its
 * options, and the behavior that they address. No TLS, files, CGI or directory listing.
 */
#include "web/http.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "base/text.h"

enum {
    DISCARD_MAX_BYTES = 16 << 20, /* of a body that is too large, before the response */
    DISCARD_MS = 2000,
    STALL_MS = 20000, /* the edge's `timeout client` (deploy/edge/haproxy.cfg) */
    IDLE_MS = 2000,   /* of a peer while the request is read: the edge has all of it */
    HEADERS_MAX_BYTES = 16 << 10,
    CHUNK_BYTES = 8 << 10,
    TIMED_BYTES = 16, /* civetweb waits for all requested bytes, one at a time if necessary */
    TOGETHER_BYTES = 64 << 10, /* up to this size, head and body are one write */
    ANSWERED = 1, /* for civetweb: the request is done; with 0 it would look for a file */
};

struct http {
    struct mg_context *context;
    struct http_options options;
    atomic_size_t active;
};

const char *http_header(const struct http_request *request, const char *name)
{
    return mg_get_header(request->connection, name);
}

/* ---- the head ---- */

bool http_header_differs(const struct http_request *request, const char *name)
{
    const struct mg_request_info *info = mg_get_request_info(request->connection);
    const char *first = mg_get_header(request->connection, name);
    for (int i = 0; first && i < info->num_headers; i++)
        if (strcasecmp(info->http_headers[i].name, name) == 0 &&
            strcmp(info->http_headers[i].value, first) != 0)
            return true;
    return false;
}

/*
 * Does civetweb know where this request ends? It drops fields beyond its table, uses the first of
 * two lengths with strtoll(), and prefers a coding to a length.
 */
static bool check_head(const struct http_request *request, struct err *err)
{
    const struct mg_request_info *info = mg_get_request_info(request->connection);
    const char *length = http_header(request, "Content-Length");
    const char *coding = http_header(request, "Transfer-Encoding");

    if (info->num_headers >= MG_MAX_HEADERS)
        return err_set(err, ERR_HEADERS_TOO_LARGE, "the request has %d header fields or more",
                       MG_MAX_HEADERS);
    if (length &&
        (!text_is_digits(text_of(length)) || http_header_differs(request, "Content-Length")))
        return err_set(err, ERR_BAD_REQUEST, "Content-Length is not one number");
    if (coding &&
        (strcmp(coding, "chunked") != 0 || http_header_differs(request, "Transfer-Encoding")))
        return err_set(err, ERR_BAD_REQUEST, "Transfer-Encoding is not chunked");
    if (length && coding)
        return err_set(err, ERR_BAD_REQUEST,
                       "the request has both Content-Length and Transfer-Encoding");
    return true;
}

/*
 * civetweb may close the connection after this request without notice: it leaves trailers unread,
 * and interprets Connection in its own way. The edge would then send the next customer's request
 * into the closing connection.
 */
static bool is_last(const struct http_request *request)
{
    const struct mg_request_info *info = mg_get_request_info(request->connection);
    return http_header(request, "Transfer-Encoding") || http_header(request, "Connection") ||
           strcmp(info->http_version, "1.1") != 0;
}

/* ---- the body ---- */

/* Read and discard, so that the client reads the response instead of a broken pipe. */
static void discard_body(struct mg_connection *connection)
{
    char chunk[CHUNK_BYTES];
    int64_t deadline_ms = clock_ms() + DISCARD_MS;
    size_t discarded = 0;
    int got = 1;
    while (got > 0 && discarded < DISCARD_MAX_BYTES && clock_ms() < deadline_ms) {
        got = mg_read(connection, chunk, sizeof(chunk));
        discarded += got > 0 ? (size_t)got : 0;
    }
}

static size_t body_max_bytes(const struct http_options *options, const char *path)
{
    bool is_large = options->large_path && path && strcmp(path, options->large_path) == 0;
    return is_large ? options->large_max_bytes : options->body_max_bytes;
}

/* Read the body, if it is complete and within its limit (the buffer's limit is one byte more); else
 * record the problem. */
static void read_body(const struct http_options *options, struct mg_connection *connection,
                      struct http_request *request, struct buf *body)
{
    const struct mg_request_info *info = mg_get_request_info(connection);
    size_t max_bytes = body->max_bytes - 1;
    bool is_timed = options->body_ms > 0;
    int64_t deadline_ms = is_timed ? clock_ms() + options->body_ms : INT64_MAX;
    size_t chunk = is_timed ? TIMED_BYTES : CHUNK_BYTES;
    bool is_chunked = http_header(request, "Transfer-Encoding") != NULL;
    size_t length = info->content_length > 0 ? (size_t)info->content_length : 0;
    int got = is_chunked || length > 0;

    while (got > 0 && length <= max_bytes && body->size <= max_bytes) {
        size_t wanted = MIN(chunk, max_bytes + 1 - body->size);
        bool is_late = clock_ms() >= deadline_ms;
        got = is_late ? -1 : mg_read(connection, buf_reserve(body, wanted), wanted);
        body->size += got > 0 ? (size_t)got : 0;
    }
    request->is_body_too_large = length > max_bytes || body->size > max_bytes;
    request->is_body_cut =
        !request->is_body_too_large && (is_chunked ? got < 0 : body->size != length);
    if (request->is_body_too_large)
        discard_body(connection);
    else if (!request->is_body_cut)
        request->body = buf_text(body);
}

/* ---- the response ---- */

static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } rows[] = {
        { 200, "OK" },
        { 202, "Accepted" },
        { 303, "See Other" },
        { 304, "Not Modified" },
        { 400, "Bad Request" },
        { 402, "Payment Required" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 409, "Conflict" },
        { 413, "Content Too Large" },
        { 415, "Unsupported Media Type" },
        { 422, "Unprocessable Content" },
        { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" },
        { 502, "Bad Gateway" },
        { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" },
    };
    for (size_t i = 0; i < countof(rows); i++)
        if (rows[i].status == status)
            return rows[i].reason;
    return "Status";
}

/* ---- writing ---- */

/*
 * False if the peer has disconnected, or reads nothing for stall_ms. mg_write() returns what it
 * wrote before a pause of IDLE_MS, and -1 if it wrote nothing: after such a pause, or immediately
 * if the peer is gone.
 */
static bool write_all(struct mg_connection *connection, struct text bytes)
{
    const struct http *http = mg_get_user_data(mg_get_context(connection));
    int64_t moved_ms = clock_ms();
    while (bytes.size > 0) {
        int64_t begun_ms = clock_ms();
        int size = mg_write(connection, bytes.bytes, bytes.size);
        int64_t now_ms = clock_ms();
        if (size > 0) {
            bytes = (struct text){ bytes.bytes + size, bytes.size - (size_t)size };
            moved_ms = now_ms;
        } else if (now_ms - begun_ms < IDLE_MS / 2 || now_ms - moved_ms >= http->options.stall_ms) {
            return false;
        }
    }
    return true;
}

/* ---- a response that is made while it is sent (RFC 9112 section 7.1) ---- */

static bool write_chunk(struct mg_connection *connection, struct text piece)
{
    char head[24];
    int size = snprintf(head, sizeof(head), "%zx\r\n", piece.size);
    return write_all(connection, (struct text){ head, (size_t)size }) &&
           write_all(connection, piece) && write_all(connection, TEXT("\r\n"));
}

/* Send all of it with its end; false if its source failed or the edge has disconnected. */
static bool write_pieces(struct mg_connection *connection, const struct http_stream *stream)
{
    scoped(buf_free) struct buf piece = BUF(STREAM_PIECE_MAX_BYTES);
    while (stream->next(stream->source, &piece) && !piece.full) {
        if (piece.size == 0)
            return write_all(connection, TEXT("0\r\n\r\n"));
        if (!write_chunk(connection, buf_text(&piece)))
            return false;
        buf_clear(&piece);
    }
    return false;
}

/* The same for a body with a known size. */
static bool write_sized(struct mg_connection *connection, const struct http_stream *stream)
{
    scoped(buf_free) struct buf piece = BUF(STREAM_PIECE_MAX_BYTES);
    size_t left = stream->size;
    while (stream->next(stream->source, &piece) && !piece.full && piece.size <= left) {
        if (piece.size == 0)
            return left == 0;
        if (!write_all(connection, buf_text(&piece)))
            return false;
        left -= piece.size;
        buf_clear(&piece);
    }
    return false;
}

static void write_stream(struct mg_connection *connection, const struct http_response *response,
                         bool is_head)
{
    scoped(buf_free) struct buf head = BUF(2 * HEADERS_MAX_BYTES);
    buf_format(&head, "HTTP/1.1 %d %s\r\n", response->status, reason_of(response->status));
    buf_add(&head, response->headers.bytes, response->headers.size);
    if (response->stream.has_size)
        buf_format(&head, "Content-Length: %zu\r\n", response->stream.size);
    else
        buf_add_str(&head, "Transfer-Encoding: chunked\r\n");
    buf_format(&head, "%s\r\n", response->closes ? "Connection: close\r\n" : "");
    if (!write_all(connection, buf_text(&head)) || is_head)
        return;
    if (response->stream.has_size) {
        if (!write_sized(connection, &response->stream))
            mg_disable_connection_keep_alive(connection);
    } else if (!write_pieces(connection, &response->stream)) {
        /* civetweb cannot close immediately: an invalid chunk head makes the edge abort the
         * response */
        write_all(connection, TEXT("broken\r\n"));
        mg_disable_connection_keep_alive(connection);
    }
}

/* ---- a response that begins before it is complete ---- */

static struct mg_connection *connection_of(const struct http_request *request)
{
    return (struct mg_connection *)(uintptr_t)request->connection;
}

static bool end_if_broken(struct http_response *response, bool ok)
{
    response->closes |= !ok;
    return ok;
}

bool http_begin(const struct http_request *request, struct http_response *response)
{
    scoped(buf_free) struct buf head = BUF(2 * HEADERS_MAX_BYTES);
    buf_format(&head, "HTTP/1.1 %d %s\r\n", response->status, reason_of(response->status));
    buf_add(&head, response->headers.bytes, response->headers.size);
    buf_format(&head, "Transfer-Encoding: chunked\r\n%s\r\n",
               response->closes ? "Connection: close\r\n" : "");
    response->has_begun = true;
    return end_if_broken(response, write_all(connection_of(request), buf_text(&head)));
}

bool http_send(const struct http_request *request, struct http_response *response,
               struct text piece)
{
    return end_if_broken(response, write_chunk(connection_of(request), piece));
}

static void write_rest(struct mg_connection *connection, struct http_response *response)
{
    bool ok = (response->body.size == 0 || write_chunk(connection, buf_text(&response->body))) &&
              write_all(connection, TEXT("0\r\n\r\n"));
    response->closes |= !ok;
}

/* ---- a complete response ---- */

/* Head and body in one write: one system call and usually one packet. A large body is not copied
 * for that. The connection of an incomplete response closes: the peer must not wait for the rest.
 */
static void write_response(struct mg_connection *connection, struct http_response *response,
                           bool is_head)
{
    scoped(buf_free) struct buf out = BUF(2 * HEADERS_MAX_BYTES + TOGETHER_BYTES);
    bool is_apart = response->body.size > TOGETHER_BYTES;
    buf_format(&out, "HTTP/1.1 %d %s\r\n", response->status, reason_of(response->status));
    buf_add(&out, response->headers.bytes, response->headers.size);
    if (response->status != 304) /* there it would be the length of what is not sent */
        buf_format(&out, "Content-Length: %zu\r\n", response->body.size);
    buf_format(&out, "%s\r\n", response->closes ? "Connection: close\r\n" : "");
    if (!is_head && !is_apart)
        buf_add(&out, response->body.bytes, response->body.size);
    response->closes |= !write_all(connection, buf_text(&out)) ||
                        (!is_head && is_apart && !write_all(connection, buf_text(&response->body)));
}

static void send_response(struct mg_connection *connection, struct http_response *response,
                          bool is_head)
{
    if (response->has_begun)
        write_rest(connection, response);
    else if (response->stream.next)
        write_stream(connection, response, is_head);
    else
        write_response(connection, response, is_head);
    if (response->closes)
        mg_disable_connection_keep_alive(connection);
}

static void free_response(struct http_response *response)
{
    if (response->stream.free)
        response->stream.free(response->stream.source);
    if (response->is_secret && response->body.bytes)
        explicit_bzero(response->body.bytes, response->body.size);
    buf_free(&response->headers);
    buf_free(&response->body);
    reservation_free(&response->reservation);
}

static struct in6_addr peer_of(const struct mg_request_info *info)
{
    struct in6_addr address = IN6ADDR_ANY_INIT;
    if (!address_parse(text_of(info->remote_addr), &address))
        log_line(LOG_ERROR, "a peer's address cannot be read");
    return address;
}

static int on_request(struct mg_connection *connection)
{
    const struct mg_request_info *info = mg_get_request_info(connection);
    struct http *http = info->user_data;
    scoped(buf_free) struct buf body = BUF(body_max_bytes(&http->options, info->request_uri) + 1);
    struct http_request request = { .method = info->request_method,
                                    .path = info->request_uri,
                                    .query = text_of(info->query_string),
                                    .peer = peer_of(info),
                                    .connection = connection };
    struct http_response response = { .status = 500,
                                      .headers = BUF(HEADERS_MAX_BYTES),
                                      .body = BUF(ANSWER_MAX_BYTES) };

    atomic_fetch_add(&http->active, 1);
    if (check_head(&request, &request.fault))
        read_body(&http->options, connection, &request, &body);
    response.closes = request.fault.kind != ERR_NONE || request.is_body_too_large ||
                      request.is_body_cut || is_last(&request);
    http->options.handler(http->options.context, &request, &response);
    FAULT_POINT("before-first-byte");
    send_response(connection, &response, strcmp(request.method, "HEAD") == 0);
    FAULT_POINT("after-answer");
    if (body.bytes)
        explicit_bzero(body.bytes, body.size); /* it may contain a password */
    free_response(&response);
    atomic_fetch_sub(&http->active, 1);
    return ANSWERED;
}

/* Errors of civetweb itself, for requests that the edge has passed. */
static int on_error(struct mg_connection *connection, int status, const char *message)
{
    /* an invalid request has no request info */
    const struct http *http = mg_get_user_data(mg_get_context(connection));
    struct http_response response = { .status = status,
                                      .closes = true,
                                      .headers = BUF(HEADERS_MAX_BYTES),
                                      .body = BUF(HEADERS_MAX_BYTES) };
    log_line(LOG_WARN, "request rejected by the HTTP front",
             log_int("http.response.status_code", status), log_str("error", message));
    http->options.write_error(status, &response);
    send_response(connection, &response, false);
    free_response(&response);
    return 0; /* answered */
}

static int on_log(const struct mg_connection *connection, const char *message)
{
    (void)connection;
    log_line(LOG_WARN, "http front", log_str("error", message));
    return 1;
}

bool http_start(const struct http_options *options, struct http **made, struct err *err)
{
    char threads[16];
    char idle_ms[16];
    snprintf(threads, sizeof(threads), "%zu", options->threads);
    snprintf(idle_ms, sizeof(idle_ms), "%d", IDLE_MS);
    const char *settings[] = { "listening_ports",
                               options->listen,
                               "num_threads",
                               threads,
                               "connection_queue",
                               "256",
                               "listen_backlog",
                               "1024",
                               "enable_keep_alive",
                               "yes",
                               "keep_alive_timeout_ms",
                               "120000", /* longer than the edge's pauses */
                               "request_timeout_ms",
                               idle_ms,
                               "tcp_nodelay",
                               "1",
                               "max_request_size",
                               "32768",
                               "enable_directory_listing",
                               "no",
                               "enable_auth_domain_check",
                               "no",
                               "decode_url",
                               "no",
                               NULL };
    struct mg_callbacks callbacks = { .begin_request = on_request,
                                      .http_error = on_error,
                                      .log_message = on_log };
    struct http *http = mem_new(sizeof(*http));
    http->options = *options;
    if (http->options.stall_ms == 0)
        http->options.stall_ms = STALL_MS;
    http->context = mg_start(&callbacks, http, settings);
    if (!http->context) {
        mem_free(&http);
        return err_set(err, ERR_INVALID_VALUE, "cannot listen on %s", options->listen);
    }
    *made = http;
    return true;
}

size_t http_active(const struct http *http)
{
    return http->active;
}

void http_stop(struct http **http)
{
    if (!*http)
        return;
    mg_stop((*http)->context);
    mem_free(http);
}
