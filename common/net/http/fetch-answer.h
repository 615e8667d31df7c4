/*
 * common/net/http/fetch-answer.h - what a fetch is asked for, and the answer that it brings.
 * Nothing here goes out.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/os/memory-budget.h"
#include "net/target.h"

enum {
    FETCH_WIRE_BYTES = 2 << 20, /* of a body, as it comes: one limit for all tools */
    FETCH_BODY_BYTES = 8 << 20, /* and decoded */
    FETCH_HEADER_BYTES = 64 << 10,
    FETCH_HEADER_LINES = 200,
    FETCH_REDIRECTS_MAX = 10,
    FETCH_RATIO_MAX = 200, /* decoded : wire */
    FETCH_CLAIM = 3,       /* of base/os/memory-budget.h: a page in UTF-8 beside its body */
};

/* A zero struct is GET with the limits that stand here and no redirect followed. */
struct fetch_options {
    const char *method;         /* NULL: GET; HEAD, OPTIONS or POST */
    const char *const *headers; /* "Name: value", ended by NULL; "User-Agent: …" and "Accept: …" may
                                 * be among them. They go to every hop. NULL: none */
    struct text body;           /* of POST */
    unsigned max_redirects;     /* at most FETCH_REDIRECTS_MAX */
    bool keeps_cookies;         /* send to later hops what earlier ones set, by RFC 6265's rules */
    bool must_verify;           /* no second try without verification when a certificate is bad */
    int64_t connect_ms;         /* limits of one hop's steps; 0: 5 s, 5 s, 9 s */
    int64_t tls_ms;
    int64_t first_byte_ms;
    size_t max_wire_bytes; /* more is cut; 0: FETCH_WIRE_BYTES */
    size_t max_body_bytes; /* decoded; more is cut; 0: FETCH_BODY_BYTES */
    size_t kept_bytes; /* keep no more than the body's first bytes, and count all; 0: keep all */
    bool reuses_connections; /* of fetch_all() alone: one connection for several items of a host */
};

struct fetch_header {
    struct text name;  /* as it came; HTTP/2 has lower case */
    struct text value; /* without blanks around it; hostile bytes, but no NUL, CR or LF; both are
                        * followed by a NUL */
};

/* How long the steps of a hop took, in microseconds; 0 for one that there was not: a connection
 * that was there already, an address in the URL, plain http. */
struct fetch_times {
    int64_t dns_us;
    int64_t tcp_us;
    int64_t tls_us;
    int64_t wait_us; /* from the request's last byte to the answer's first */
    int64_t download_us;
};

/* One request and its answer's head. */
struct fetch_hop {
    struct target target;
    int status;               /* 100..999; interim answers (1xx) are left out */
    const char *http_version; /* "1.0", "1.1" or "2" */
    size_t header_count;      /* in their order, repeated ones too; trailers are left out */
    struct fetch_header *header;
    struct in6_addr address; /* that answered */
    bool tls_verified;       /* https with a certificate that is trusted and has the name */
    char *tls_issuer;        /* organisation (or common name) of its issuer; NULL: http */
    const char *tls_version; /* "TLSv1.3"; NULL: http */
    const char *alpn;        /* "h2" or "http/1.1"; NULL: nothing was agreed on */
    bool has_early_hints;    /* an interim answer was 103, RFC 8297 */
    size_t header_bytes;     /* of the head, unpacked, interim answers and trailers too */
    struct fetch_times times;
    int64_t first_byte_ms; /* since the hop began */
    int64_t total_ms;
    char *bytes; /* what header[] points into */
};

/* How a body ended. */
enum fetch_end {
    FETCH_WHOLE,
    FETCH_CUT,    /* by our limit of size */
    FETCH_BROKEN, /* the peer left in the middle, or what it sent cannot be decoded */
    FETCH_LATE,   /* by the deadline */
};

/* By value; release with fetch_free(). */
struct fetch {
    size_t hop_count; /* at least 1 */
    struct fetch_hop hop[FETCH_REDIRECTS_MAX + 1];
    struct buf body; /* of the last hop, decoded; followed by a NUL */
    struct reservation
        reservation;      /* for the body and what is made of it: FETCH_CLAIM times its size */
    size_t wire_bytes;    /* of the body as it came */
    size_t decoded_bytes; /* of the body, whether kept or not */
    enum fetch_end end;
};

void fetch_free(struct fetch *fetch);

/* All steps together. */
int64_t fetch_time_us(const struct fetch_times *times);

/* 301, 302, 303, 307 or 308: the others that begin with 3 send nobody elsewhere. */
bool fetch_is_redirect(int status);

/* The hop that was answered last: whose body it is. */
const struct fetch_hop *fetch_last(const struct fetch *fetch);

/* The first header of that name (case does not matter), its value; NULL when there is none.
 * fetch_header_next() goes on behind a value that it or fetch_header() gave. */
const char *fetch_header(const struct fetch_hop *hop, const char *name);
const char *fetch_header_next(const struct fetch_hop *hop, const char *name, const char *value);

/* Media type of the last hop, lower case without parameters, into out; "" when there is none. */
enum { MEDIA_TYPE_BYTES = 128 };
void fetch_media_type(const struct fetch *fetch, char out[static MEDIA_TYPE_BYTES]);
