/*
 * common/admin/admin.h - the admin port of a process, for its operator alone: plain HTTP/1.1 by
 * civetweb, which has threads of its own, so it answers while all other threads are busy.
 *
 *   /livez    200 while the process lives
 *   /readyz   200 {"ready":true}, or 503 {"ready":false,"reason":"..."}; 200 perhaps with "note"
 *   /metrics  Prometheus' text format 0.0.4
 *
 * GET and HEAD only (405); everything else is 404. No files, no keep-alive.
 *
 * A stranger's connection ends when it is accepted, before it has a thread. A client has a second
 * for its request: forty silent ones that come again and again delay another by some two seconds.
 */
#pragma once

#include "admin/metrics.h"
#include "base/codec/cidr.h"
#include "base/err.h"

struct admin;

/* Should this process be given work now? NULL: yes; else why not, a static sentence without quotes,
 * backslashes or control characters. Called by several threads at once; must not block. */
typedef const char *admin_ready(void *arg);

/* What should an operator know although all is ready? Such a sentence into out, which stays empty
 * when there is nothing. Likewise. */
enum { ADMIN_NOTE_BYTES = 256 };
typedef void admin_note(void *arg, char out[static ADMIN_NOTE_BYTES]);

struct admin_options {
    const char *listen;          /* "host:port": an IPv4 address; port 0 picks a free one */
    const struct cidrs *clients; /* who is answered: IPv4, as civetweb of Debian has no IPv6 */
    struct metrics *metrics;     /* must outlive the port */
    admin_ready *ready;
    admin_note *note; /* NULL: none */
    void *arg;        /* of both */
};

/* Errors: ERR_INVALID_VALUE for another form of address, a client's network of IPv6, and when
 * nothing can listen there. */
bool admin_start(const struct admin_options *options, struct admin **admin,
                 struct err *err) must_check;

/* The port that is really listened on. */
int admin_port(const struct admin *admin);

/* Stop listening, let requests end, release everything; civetweb takes up to two seconds. */
void admin_stop(struct admin **admin);
