/*
 * common/server/server.h - a process that answers what the edge sends, from its start to its end:
 * what gateway and portal have in common.
 *
 *  1. server_open(), before any thread is made.
 *  2. server_start_admin(), so that an operator sees why it is not ready.
 *  3. server_listen(), when it can serve.
 *  4. signals_wait() until it is told to stop; then server_announce_end() and server_finish().
 *  5. server_stop(), then what the process itself has, then server_close().
 */
#pragma once

#include <stdatomic.h>

#include "admin/admin.h"
#include "base/os/signals.h"
#include "text/conf.h"
#include "web/http.h"
#include "web/status.h"

/* By value; zero before server_open(). */
struct server {
    const char *name; /* "gateway": of its log lines and its program */
    int signals;
    struct conf *conf;
    struct metrics *metrics;
    struct cidrs admin_clients;
    char *db_password; /* NULL: none is needed */
    struct admin *admin;
    struct http *http;
    char *address;          /* on which it listens */
    atomic_bool is_serving; /* between server_listen() and server_stop() */
};

/* Take the signals, read the configuration, open the log. Errors: ERR_INVALID_VALUE. */
bool server_open(struct server *server, const char *name, int argc, char **argv,
                 struct err *err) must_check;

/* Print why it does not start. Returns what main() does: the exit status of a configuration that
 * has to be corrected. */
int server_refuse(const struct server *server, const struct err *err);

/* Read the file that a key names into db_password; NULL when the key is not set. */
bool server_read_password(struct server *server, const char *key, struct err *err) must_check;

/* Count answers by the classes of their statuses, requests that the edge should have refused, and
 * those that are being served. */
void server_count(struct server *server, struct counter *responses[static STATUS_CLASSES],
                  struct counter **distrusted);

/* Start the admin port; clients and metrics of the options are the server's. */
bool server_start_admin(struct server *server, struct admin_options *options,
                        struct err *err) must_check;

/* Listen for requests, where listen (web/own-address.h) says. */
bool server_listen(struct server *server, const char *listen, struct http_options *options,
                   struct err *err) must_check;

/* Set the flag by which answers say Connection: close and /readyz 503, and wait
 * gateway.drain_delay_ms for the edge to see it. Another SIGTERM ends any waiting. */
void server_announce_end(const struct server *server, atomic_bool *is_draining);

/* Wait, gateway.drain_ms at most, until all requests are answered and it is idle (NULL: nothing
 * else is waited for). */
void server_finish(const struct server *server, bool (*is_idle)(void *context), void *context);

void server_stop(struct server *server);  /* requests that are served are served to their end */
void server_close(struct server *server); /* releases the rest, and wipes the password */
