/*
 * common/svc/gateway-links.h - a worker's connections to all gateways.
 *
 * The names of bus.gateways are resolved repeatedly, to all addresses of each. Every address gets
 * its own socket. The worker's slots are split as credits over the living gateways, at least one
 * each. docs/develop/protocol.md describes the messages.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "bus/sock.h"
#include "bus/wire.h"
#include "svc/runner.h"
#include "svc/subjobs.h"

struct gateway_links;

struct gateway_links_options {
    struct bus *bus;
    const char *server_key;   /* the gateways' public key */
    const char *const *names; /* host:port, terminated by NULL */
    int64_t resolve_ms;
    const struct wire_ready *ready; /* what this worker serves */
    const struct service *services; /* ready->tool_count of them, in its order */
    struct runner *runner;
    struct subjobs *subjobs;
    size_t slots;
};

/* Start looking for gateways. Everything is borrowed and must outlive the links. */
struct gateway_links *gateway_links_new(const struct gateway_links_options *options);

/* Returns immediately, also while a lookup is blocked. */
void gateway_links_free(struct gateway_links **gateway_links);

enum { GATEWAY_LINKS_MAX = 64 };

/* Descriptors to poll, at most GATEWAY_LINKS_MAX + 2; returns their number. */
size_t gateway_links_fds(const struct gateway_links *gateway_links, struct pollfd *fds);

/* Receive, respond, greet, time out. Call it when a descriptor is ready, and every 100 ms. */
void gateway_links_step(struct gateway_links *gateway_links);

/* Send a finished task's reply to its gateway, if that is alive; frees the task. */
void gateway_links_reply(struct gateway_links *gateway_links, struct task *task);

/* Ask all gateways to send nothing more; later jobs are rejected. */
void gateway_links_drain(struct gateway_links *gateway_links);

/* Have all living gateways confirmed that they send nothing more? */
bool gateway_links_are_drained(const struct gateway_links *gateway_links);

/* Send a goodbye to all. Only after the last reply. */
void gateway_links_leave(struct gateway_links *gateway_links);

/* The number of gateways that have accepted this worker. */
size_t gateway_links_live(const struct gateway_links *gateway_links);
