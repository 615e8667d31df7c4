/* common/server/server.c - see server.h. */
#include "server/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/build.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "web/own-address.h"

enum { POLL_MS = 50, DRAIN_TOLD_MS = 10000 };

/* ---- start ---- */

bool server_open(struct server *server, const char *name, int argc, char **argv, struct err *err)
{
    char program[32];
    snprintf(program, sizeof(program), "tollgate-%s", name);
    if (build_print_version(argc, argv, program))
        exit(EXIT_SUCCESS);
    server->name = name;
    server->signals = signals_open();
    server->metrics = metrics_new(TOLLGATE_VERSION, build_name);
    if (!conf_open(argc, argv, name, &server->conf, err))
        return false;
    log_line(LOG_INFO, "starting", log_str("version", TOLLGATE_VERSION),
             log_str("build", build_name));
    return conf_networks(server->conf, "admin.clients", &server->admin_clients, err);
}

int server_refuse(const struct server *server, const struct err *err)
{
    fprintf(stderr, "tollgate-%s: %s\n", server->name, err->message);
    return EX_CONFIG;
}

bool server_read_password(struct server *server, const char *key, struct err *err)
{
    return conf_str(server->conf, key)[0] == '\0' ||
           conf_secret(server->conf, key, &server->db_password, err);
}

static double active_requests(void *argument)
{
    const struct server *server = argument;
    return server->is_serving ? (double)http_active(server->http) : 0;
}

void server_count(struct server *server, struct counter *responses[static STATUS_CLASSES],
                  struct counter **distrusted)
{
    struct metrics *metrics = server->metrics;
    for (size_t i = 0; i < STATUS_CLASSES; i++)
        responses[i] =
            metrics_counter(metrics, "tollgate_http_responses_total", "Responses by status class",
                            (struct labels){ "status", status_class_names[i] });
    *distrusted = metrics_counter(metrics, "tollgate_http_unfiltered_requests_total",
                                  "Requests that the edge should have rejected", NO_LABELS);
    metrics_gauge_of(metrics, "tollgate_http_server_active_requests", "Requests being served",
                     NO_LABELS, active_requests, server);
}

bool server_start_admin(struct server *server, struct admin_options *options, struct err *err)
{
    options->clients = &server->admin_clients;
    options->metrics = server->metrics;
    return admin_start(options, &server->admin, err);
}

bool server_listen(struct server *server, const char *listen, struct http_options *options,
                   struct err *err)
{
    if (!own_address(listen, &server->address, err))
        return false;
    options->listen = server->address;
    server->is_serving = http_start(options, &server->http, err);
    return server->is_serving;
}

/* ---- end ---- */

/* Wait, but not after a second request to stop. */
static bool pause_drain(const struct server *server, int64_t until_ms)
{
    return clock_ms() < until_ms && signals_wait(server->signals, POLL_MS) != SIGNAL_STOP;
}

void server_announce_end(const struct server *server, atomic_bool *is_draining)
{
    *is_draining = true;
    log_line(LOG_INFO, "draining");
    int64_t seen_ms = clock_ms() + conf_int(server->conf, "gateway.drain_delay_ms");
    while (pause_drain(server, seen_ms))
        ;
}

void server_finish(const struct server *server, int64_t longest_ms, bool (*is_idle)(void *context),
                   void *context)
{
    int64_t set_ms = conf_int(server->conf, "gateway.drain_ms");
    int64_t told_ms = clock_ms(), end_ms = told_ms + (set_ms > 0 ? set_ms : longest_ms);
    while (http_active(server->http) > 0 || (is_idle && !is_idle(context))) {
        if (clock_ms() >= told_ms) {
            log_line(LOG_INFO, "draining", log_int("requests", (int64_t)http_active(server->http)));
            told_ms += DRAIN_TOLD_MS;
        }
        if (!pause_drain(server, end_ms))
            break;
    }
}

void server_stop(struct server *server)
{
    server->is_serving = false;
    http_stop(&server->http);
    admin_stop(&server->admin);
}

void server_close(struct server *server)
{
    if (server->db_password)
        explicit_bzero(server->db_password, strlen(server->db_password));
    mem_free(&server->db_password);
    mem_free(&server->address);
    cidrs_free(&server->admin_clients);
    metrics_free(&server->metrics);
    conf_free(&server->conf);
}
