/*
 * common/admin/admin.h - the admin port of a process, for its operator only: HTTP/1.1 by civetweb,
 * which has its own threads, so it responds even if all other threads are busy.
 *
 *   /livez    200 while the process lives
 *   /readyz   200 {"ready":true}, or 503 {"ready":false,"reason":"..."}; 200 may have a "note"
 *   /metrics  Prometheus text format 0.0.4
 *
 * Only GET and HEAD (else 405); other paths are 404. No files, no keep-alive.
 *
 * A connection from an address that is not allowed is closed when it is accepted, before it gets a
 * thread. A client has one second for its request: forty silent clients that reconnect delay others
 * by about two seconds.
 */
#pragma once

#include "admin/metrics.h"
#include "base/codec/cidr.h"
#include "base/err.h"

struct admin;

/*
 * Should this process get work now? NULL: yes; else the reason, a static sentence without quotes,
 * backslashes or control characters. Called by several threads at once; must not block.
 */
typedef const char *admin_ready(void *arg);

/*
 * What should an operator know although the process is ready? Writes such a sentence to out, or
 * leaves it empty. Called by several threads at once; must not block.
 */
enum { ADMIN_NOTE_BYTES = 256 };
typedef void admin_note(void *arg, char out[static ADMIN_NOTE_BYTES]);

struct admin_options {
    const char *listen; /* "host:port": an IPv4 address; port 0 picks a free one */
    const struct cidrs
        *clients;            /* allowed clients, IPv4: Debian's civetweb does not support IPv6 */
    struct metrics *metrics; /* must outlive the port */
    admin_ready *ready;
    admin_note *note; /* NULL: none */
    void *arg;        /* for both functions */
};

/* Errors: ERR_INVALID_VALUE for another form of address, an IPv6 network, and if it cannot
 * listen. */
bool admin_start(const struct admin_options *options, struct admin **admin,
                 struct err *err) must_check;

/* The port in use. */
int admin_port(const struct admin *admin);

/* Stop listening, wait for requests, release everything; civetweb takes up to two seconds. */
void admin_stop(struct admin **admin);
