/*
 * common/web/http.h - the HTTP server: civetweb behind the edge, plain HTTP, one thread per
 * request.
 *
 * The edge has checked the request's form, and buffers slow clients (deploy/edge/haproxy.cfg). The
 * body is read before the handler runs, so that the connection stays usable after nearly every
 * response. The next request on it is another customer's: if the end of this request is uncertain,
 * the response says Connection: close and the connection closes
 * (docs/decisions/004-http-server.md).
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/os/memory-budget.h"

enum {
    BODY_MAX_BYTES = 65536,      /* of a call and of a form; docs/api/errors.md: body_too_large */
    ANSWER_MAX_BYTES = 25 << 20, /* of a body: 24 MiB of content, and what surrounds it */
};

struct http_request {
    const char *method;
    const char *path;     /* as sent, without the query */
    struct text query;    /* without the ?, empty if absent */
    struct in6_addr peer; /* the peer: the edge */
    struct text body;     /* empty unless it is complete */
    bool is_body_too_large;
    bool is_body_cut;       /* it does not end where its head says, or not in time */
    struct err fault;       /* why the head cannot be the edge's; ERR_NONE: it can */
    const void *connection; /* for http_header() */
};

/* The first header with that name, in any case; NULL if absent. Borrowed while the handler runs. */
const char *http_header(const struct http_request *request, const char *name);

/* Are there two headers of that name with different values? */
bool http_header_differs(const struct http_request *request, const char *name);

/*
 * Put the next piece of a body into an empty buffer, which stays empty at the body's end. False if
 * it cannot be made: the response is then aborted, so that the client does not take a part for the
 * whole.
 */
typedef bool http_stream_next(void *source, struct buf *piece);

/*
 * A body that is made while it is sent, of any length in constant memory.
 *
 * Set its size if a client must be able to detect a truncated body. Without it the body is chunked,
 * and HAProxy 2.6 completes an aborted one for HTTP/2 clients.
 */
struct http_stream {
    http_stream_next *next; /* NULL: not a streamed body */
    void (*free)(void *source);
    void *source;
    bool has_size;
    size_t size; /* of all of it; a longer or shorter body is aborted */
};

enum { STREAM_PIECE_MAX_BYTES = 1 << 20 };

struct http_response {
    int status;
    bool closes;        /* say Connection: close, and close it */
    bool has_begun;     /* by http_begin() */
    bool is_secret;     /* overwrite the body after it was sent */
    struct buf headers; /* lines terminated by CR LF: Content-Type and others */
    struct buf body;
    struct http_stream stream; /* instead of body */
    struct reservation
        reservation; /* for the body's memory; released after the body was sent and freed */
};

/*
 * Begin the response while the handler still works on it: send status and headers. The body is
 * chunked: pieces by http_send(), and last what is in response->body after the handler. False: the
 * edge has disconnected; the handler may go on.
 */
bool http_begin(const struct http_request *request, struct http_response *response);
bool http_send(const struct http_request *request, struct http_response *response,
               struct text piece);

/* Fill the response, whose buffers are empty. Many threads call it at once, with stacks of 100 KB:
 * keep large data on the heap. */
typedef void http_handler(void *context, const struct http_request *request,
                          struct http_response *response);

/*
 * Fill the response, whose headers and body are empty, to a request that is not valid HTTP and
 * never reaches the handler. Its status is set, and the connection closes after it.
 */
typedef void http_error_writer(int status, struct http_response *response);

struct http_options {
    const char *listen; /* "127.0.0.1:8080" */
    size_t threads;
    size_t body_max_bytes;  /* of a request; a larger one reaches the handler without it */
    const char *large_path; /* the only path whose bodies may have large_max_bytes; NULL: none */
    size_t large_max_bytes;
    /* Time for the whole body; 0: two seconds for each piece. A slow body is cut when the time is
     * over and 16 more bytes have arrived. */
    int64_t body_ms;
    int64_t stall_ms; /* of a peer that does not read the response; 0: 20 s */
    http_handler *handler;
    void *context; /* of the handler */
    http_error_writer *write_error;
};

struct http;

/* Listen, and serve until http_stop(). Errors: ERR_INVALID_VALUE. */
bool http_start(const struct http_options *options, struct http **http, struct err *err) must_check;

/* Requests in a handler now. */
size_t http_active(const struct http *http);

void http_stop(struct http **http);
