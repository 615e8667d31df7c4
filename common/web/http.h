/*
 * common/web/http.h - the HTTP front: civetweb behind the edge, plain HTTP, one thread a request.
 *
 * The edge has checked the request's form and holds slow clients (deploy/edge/haproxy.cfg). The
 * body is read before the handler runs, so that nearly every answer leaves the connection usable.
 * The next request on it is another customer's: where it is not certain where this one ends, the
 * answer says Connection: close and the connection ends (docs/decisions/004-http-server.md).
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
    ANSWER_MAX_BYTES = 25 << 20, /* of a body: what may be 24 MiB, and what stands around it */
};

struct http_request {
    const char *method;
    const char *path;     /* as sent, without the query */
    struct text query;    /* without the ?, empty when absent */
    struct in6_addr peer; /* who connected: the edge */
    struct text body;     /* empty unless it is whole */
    bool is_body_too_large;
    bool is_body_cut;       /* it does not end where its head says, or not in time */
    struct err fault;       /* why the head cannot be the edge's; ERR_NONE: it can */
    const void *connection; /* for http_header() */
};

/* A header by its name in any case, the first of several; NULL when absent. Borrowed while the
 * handler runs. */
const char *http_header(const struct http_request *request, const char *name);

/* There are two headers of that name, and their values differ. */
bool http_header_differs(const struct http_request *request, const char *name);

/* The next piece of a body into an empty buffer, which stays empty at the body's end; false when it
 * cannot be made: the answer is then broken off, so that nobody takes a part for the whole. */
typedef bool http_stream_next(void *source, struct buf *piece);

/*
 * A body that is made while it is sent, of any length in constant memory.
 *
 * Who must not take a part for the whole wants its size told: without, the body is chunked, and of
 * one that breaks off HAProxy 2.6 makes a whole one for clients of HTTP/2.
 */
struct http_stream {
    http_stream_next *next; /* NULL: the answer has no such body */
    void (*free)(void *source);
    void *source;
    bool has_size;
    size_t size; /* of all of it; one that becomes longer or shorter is broken off */
};

enum { STREAM_PIECE_MAX_BYTES = 1 << 20 };

struct http_response {
    int status;
    bool closes;        /* say Connection: close, and end it */
    bool is_secret;     /* overwrite the body when it was sent */
    struct buf headers; /* lines ended by CR LF: Content-Type and whatever else is wanted */
    struct buf body;
    struct http_stream stream; /* in place of body */
    struct reservation
        reservation; /* on the body's memory; given back when the body was sent and freed */
};

/* Fill the response, whose buffers are empty. Called by many threads at once, on stacks of 100 KB:
 * keep large things on the heap. */
typedef void http_handler(void *context, const struct http_request *request,
                          struct http_response *response);

/* Fill the response, whose headers and body are empty, to a request that is no HTTP and never
 * reaches the handler; its status is set, and the connection ends behind it. */
typedef void http_error_writer(int status, struct http_response *response);

struct http_options {
    const char *listen; /* "127.0.0.1:8080" */
    size_t threads;
    size_t body_max_bytes;  /* of a request; a larger one reaches the handler without it */
    const char *large_path; /* the one path whose bodies may have large_max_bytes; NULL: none */
    size_t large_max_bytes;
    /* For the whole body to come; 0: two seconds for each piece of it. One that trickles is cut
     * when the time is over and 16 bytes more have come. */
    int64_t body_ms;
    http_handler *handler;
    void *context; /* of the handler */
    http_error_writer *write_error;
};

struct http;

/* Listen, and serve until http_stop(). Errors: ERR_INVALID_VALUE. */
bool http_start(const struct http_options *options, struct http **http, struct err *err) must_check;

/* Requests in a handler right now. */
size_t http_active(const struct http *http);

void http_stop(struct http **http);
