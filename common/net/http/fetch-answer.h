/* common/net/http/fetch-answer.h - the options of a fetch, and its response. Nothing here
 * connects. */
#pragma once

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/os/memory-budget.h"
#include "net/target.h"

enum {
    FETCH_WIRE_BYTES = 2 << 20, /* of a body on the wire, for all tools */
    FETCH_BODY_BYTES = 8 << 20, /* after decoding */
    FETCH_HEADER_BYTES = 64 << 10,
    FETCH_HEADER_LINES = 200,
    FETCH_REDIRECTS_MAX = 10,
    FETCH_RATIO_MAX = 200, /* decoded : wire */
    FETCH_CLAIM = 3,       /* of base/os/memory-budget.h: a page in UTF-8 in addition to its body */
};

struct fetch_pool; /* net/http/pool.h */

/* A zero struct is GET with the default limits, without redirects. */
struct fetch_options {
    const char *method;         /* NULL: GET; HEAD, OPTIONS or POST */
    const char *const *headers; /* "Name: value", terminated by NULL; "User-Agent: …" and "Accept:
                                   …" are allowed. Sent on every hop. NULL: none */
    struct text body;           /* of POST */
    unsigned max_redirects;     /* at most FETCH_REDIRECTS_MAX */
    bool keeps_cookies;         /* send cookies of earlier hops on later ones, by RFC 6265 */
    bool must_verify;           /* do not retry without verification if a certificate is invalid */
    int64_t connect_ms;         /* limits for the steps of one hop; 0: 5 s, 5 s, 9 s */
    int64_t tls_ms;
    int64_t first_byte_ms;
    size_t max_wire_bytes;   /* more is cut; 0: FETCH_WIRE_BYTES */
    size_t max_body_bytes;   /* decoded; more is cut; 0: FETCH_BODY_BYTES */
    size_t kept_bytes;       /* keep only the first bytes of the body, and count all; 0: keep all */
    bool reuses_connections; /* fetch_all(), or with pool: one connection for several requests */
    struct fetch_pool *pool; /* fetch_operator() only: net/http/pool.h; NULL: none */
    const atomic_bool *cancelled; /* once true, the exchange is late within a second; NULL: never */
};

struct fetch_header {
    struct text name;  /* as received; lowercase in HTTP/2 */
    struct text value; /* without outer blanks; untrusted bytes without NUL, CR and LF. Both are
                          followed by a NUL */
};

/*
 * Duration of the steps of a hop in microseconds. 0 for a step that did not happen: an existing
 * connection, an address in the URL, http.
 */
struct fetch_times {
    int64_t dns_us;
    int64_t tcp_us;
    int64_t tls_us;
    int64_t wait_us; /* from the last byte of the request to the first of the response */
    int64_t download_us;
};

/* One request and the head of its response. */
struct fetch_hop {
    struct target target;
    int status;               /* 100..999, without interim responses (1xx) */
    const char *http_version; /* "1.0", "1.1" or "2" */
    size_t header_count;      /* in order, with repeated ones, without trailers */
    struct fetch_header *header;
    struct in6_addr address; /* of the server */
    bool tls_verified;       /* https with a trusted certificate for the name */
    char *tls_issuer;        /* organization (or common name) of the issuer; NULL: http */
    const char *tls_version; /* "TLSv1.3"; NULL: http */
    const char *alpn;        /* "h2" or "http/1.1"; NULL: not negotiated */
    bool has_early_hints;    /* an interim response was 103, RFC 8297 */
    size_t header_bytes;     /* of the unpacked head, with interim responses and trailers */
    struct fetch_times times;
    int64_t first_byte_ms; /* since the start of the hop */
    int64_t total_ms;
    char *bytes; /* header[] points into it */
};

/* Why a body ended. */
enum fetch_end {
    FETCH_WHOLE,
    FETCH_CUT,    /* cut by a size limit */
    FETCH_BROKEN, /* the peer closed early, or the body cannot be decoded */
    FETCH_LATE,   /* cut by the deadline */
};

/* By value; release with fetch_free(). */
struct fetch {
    size_t hop_count; /* at least 1 */
    struct fetch_hop hop[FETCH_REDIRECTS_MAX + 1];
    struct buf body; /* of the last hop, decoded; followed by a NUL */
    struct reservation
        reservation;      /* for the body and what is made from it: FETCH_CLAIM times its size */
    size_t wire_bytes;    /* of the body on the wire */
    size_t decoded_bytes; /* of the body, kept or not */
    enum fetch_end end;
};

void fetch_free(struct fetch *fetch);

/* All steps together. */
int64_t fetch_time_us(const struct fetch_times *times);

/* 301, 302, 303, 307 or 308: other 3xx statuses do not redirect. */
bool fetch_is_redirect(int status);

/* The last hop with a response, which the body belongs to. */
const struct fetch_hop *fetch_last(const struct fetch *fetch);

/*
 * The value of the first header with that name (in any case); NULL if not found.
 * fetch_header_next() continues after a value from itself or fetch_header().
 */
const char *fetch_header(const struct fetch_hop *hop, const char *name);
const char *fetch_header_next(const struct fetch_hop *hop, const char *name, const char *value);

/* The media type of the last hop in lowercase without parameters, to out; "" if not found. */
enum { MEDIA_TYPE_BYTES = 128 };
void fetch_media_type(const struct fetch *fetch, char out[static MEDIA_TYPE_BYTES]);
