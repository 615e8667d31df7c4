/*
 * common/server/server.h - the life cycle of a process that serves requests from the edge, shared
 * by gateway and portal.
 *
 * Call in this order:
 *
 * 1. server_open(), before any thread starts.
 * 2. server_start_admin(), so that an operator sees why it is not ready.
 * 3. server_listen(), when it can serve.
 * 4. signals_wait() until a stop is requested; then server_announce_end() and server_finish().
 * 5. server_stop(), then release the process's own resources, then server_close().
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
    const char *name; /* "gateway": for its log lines and its program */
    int signals;
    struct conf *conf;
    struct metrics *metrics;
    struct cidrs admin_clients;
    char *db_password; /* NULL: not needed */
    struct admin *admin;
    struct http *http;
    char *address;          /* that it listens on */
    atomic_bool is_serving; /* between server_listen() and server_stop() */
};

/* Set up signals, read the configuration, open the log. Errors: ERR_INVALID_VALUE. */
bool server_open(struct server *server, const char *name, int argc, char **argv,
                 struct err *err) must_check;

/* Print why it does not start. Returns main()'s exit status for invalid configuration. */
int server_refuse(const struct server *server, const struct err *err);

/* Read the file named by a key into db_password; NULL if the key is not set. */
bool server_read_password(struct server *server, const char *key, struct err *err) must_check;

/* Count responses by status class, requests that the edge should have rejected, and active
 * requests. */
void server_count(struct server *server, struct counter *responses[static STATUS_CLASSES],
                  struct counter **distrusted);

/* Start the admin port; the server sets clients and metrics of the options. */
bool server_start_admin(struct server *server, struct admin_options *options,
                        struct err *err) must_check;

/* Listen for requests at the address in listen (web/own-address.h). */
bool server_listen(struct server *server, const char *listen, struct http_options *options,
                   struct err *err) must_check;

/*
 * Set the flag that makes responses say Connection: close and /readyz 503, and wait
 * gateway.drain_delay_ms for the edge to notice. A second SIGTERM ends any wait.
 */
void server_announce_end(const struct server *server, atomic_bool *is_draining);

/*
 * Wait until all requests have responses and is_idle() is true (NULL: not checked): at most
 * gateway.drain_ms, or if that is 0, longest_ms, the longest time that a request may take.
 */
void server_finish(const struct server *server, int64_t longest_ms, bool (*is_idle)(void *context),
                   void *context);

void server_stop(struct server *server);  /* active requests finish */
void server_close(struct server *server); /* releases everything else, and wipes the password */
