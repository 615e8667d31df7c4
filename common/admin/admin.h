/*
 * common/admin/admin.h - the admin port of a process, for its operator alone: plain HTTP/1.1 by
 * civetweb, which has threads of its own, so it answers while all other threads are busy.
 *
 *   /livez    200 while the process lives
 *   /readyz   200 {"ready":true}, or 503 {"ready":false,"reason":"..."}
 *   /metrics  Prometheus' text format 0.0.4
 *
 * GET and HEAD only (405); everything else is 404. No files, no keep-alive.
 */
#ifndef ADMIN_ADMIN_H
#define ADMIN_ADMIN_H

#include "admin/metrics.h"
#include "base/err.h"

struct admin;

/* Should this process be given work now? NULL: yes; else why not, a static sentence without quotes,
 * backslashes or control characters. Called by several threads at once; must not block. */
typedef const char *admin_ready(void *arg);

/*
 * Listen on "host:port", where host is an IPv4 address and port 0 picks a free one; "[::1]:port"
 * needs a civetweb with IPv6, which Debian's is not. The metrics must outlive the port.
 * Errors: ERR_INVALID_VALUE for another form of address and when nothing can listen there.
 */
bool admin_start(const char *listen, const struct metrics *metrics, admin_ready *ready, void *arg,
                 struct admin **admin, struct err *err) must_check;

/* The port that is really listened on. */
int admin_port(const struct admin *admin);

/* Stop listening, let requests end, release everything; civetweb takes up to two seconds. */
void admin_stop(struct admin **admin);

#endif
