/*
 * tests/unit/net/world.h - an egress for tests, and a server that responds as a row says.
 */
#pragma once

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "net/dial.h"
#include "net/egress.h"
#include "rows.h"

/* An egress of `KEY=value;KEY=value`, keys as in the environment without TOLLGATE_EGRESS_. */
static inline struct egress *egress_of(const char *settings)
{
    scoped(conf_free) struct conf *conf = NULL;
    scoped(mem_free) char *copy = str_dup(settings);
    char *rest = copy;
    char *setting;
    struct egress *egress = NULL;
    struct err err = { 0 };
    setenv("TOLLGATE_EGRESS_ONLY", "127.0.0.0/8,::1", 1);
    while ((setting = strsep(&rest, ";"))) {
        char *value = strchr(setting, '=');
        scoped(mem_free) char *name = NULL;
        if (!value)
            continue;
        *value++ = '\0';
        name = str_format("TOLLGATE_EGRESS_%s", setting);
        setenv(name, value, 1);
    }
    assert_true(conf_load(NULL, &conf, &err));
    bool ok = egress_open(conf, &egress, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return egress;
}

/* A server on 127.0.0.1 that sends each connection the next of its responses (the last one again
 * and again), after a request's head, and closes; NULL: it sends nothing and stays open. */
struct server {
    int listener;
    uint16_t port;
    pthread_t thread;
    const char *const *answers; /* closed by NULL; "%PORT%" is replaced by the port */
    size_t connections;
    char request[4096]; /* the last one */
};

static inline void server_send(const struct server *server, int fd, const char *answer)
{
    const char *mark;
    while ((mark = strstr(answer, "%PORT%"))) {
        dprintf(fd, "%.*s%u", (int)(mark - answer), answer, server->port);
        answer = mark + strlen("%PORT%");
    }
    dprintf(fd, "%s", answer);
}

static inline void server_read(struct server *server, int fd)
{
    size_t size = 0;
    server->request[0] = '\0';
    while (!strstr(server->request, "\r\n\r\n") && size + 1 < sizeof(server->request)) {
        ssize_t got = recv(fd, server->request + size, sizeof(server->request) - 1 - size, 0);
        if (got <= 0)
            return;
        size += (size_t)got;
        server->request[size] = '\0';
    }
}

static inline void *server_run(void *argument)
{
    struct server *server = argument;
    const char *const *answer = server->answers;
    int fd;
    while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
        server->connections++;
        server_read(server, fd);
        if (*answer)
            server_send(server, fd, *answer);
        else
            server_read(server, fd);
        close(fd);
        if (*answer && answer[1])
            answer++;
    }
    return NULL;
}

static inline void server_start_as(struct server *server, const char *const *answers,
                                   void *(*serve)(void *server))
{
    struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof(place);
    *server = (struct server){ .answers = answers };
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&place, size), 0);
    assert_int_equal(listen(server->listener, 16), 0);
    getsockname(server->listener, (struct sockaddr *)&place, &size);
    server->port = ntohs(place.sin_port);
    pthread_create(&server->thread, NULL, serve, server);
}

static inline void server_start(struct server *server, const char *const *answers)
{
    server_start_as(server, answers, server_run);
}

static inline void server_stop(struct server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
}
