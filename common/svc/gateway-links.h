/*
 * common/svc/gateway-links.h - a daemon's connections to all gateways.
 *
 * Gateways are found by resolving the names of bus.gateways again and again, all addresses of each;
 * every address gets a socket of its own. The daemon's slots are split as credits over the gateways
 * that live, at least one each. docs/develop/protocol.md tells the messages.
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
    const char *const *names; /* host:port, ended by NULL */
    int64_t resolve_ms;
    const struct wire_ready *ready; /* what this daemon serves */
    const struct service *services; /* as many as ready->tool_count, in its order */
    struct runner *runner;
    struct subjobs *subjobs;
    size_t slots;
};

/* Start looking for gateways. Everything is borrowed and must outlive the gates. */
struct gateway_links *gateway_links_new(const struct gateway_links_options *options);

/* At once, also while a name is looked up that nobody answers for. */
void gateway_links_free(struct gateway_links **gateway_links);

enum { GATEWAY_LINKS_MAX = 64 };

/* Descriptors to poll, at most GATEWAY_LINKS_MAX + 2; returns how many. */
size_t gateway_links_fds(const struct gateway_links *gateway_links, struct pollfd *fds);

/* Receive, answer, greet, time out: whenever a descriptor fired, and every 100 ms. */
void gateway_links_step(struct gateway_links *gateway_links);

/* Send a finished task's reply to the gateway it came from, if that still lives; frees the task. */
void gateway_links_reply(struct gateway_links *gateway_links, struct task *task);

/* Tell all gateways that nothing more shall come; what still comes is refused. */
void gateway_links_drain(struct gateway_links *gateway_links);

/* Have all living gateways said that nothing more will come? */
bool gateway_links_are_drained(const struct gateway_links *gateway_links);

/* Say goodbye to all. Only after the last reply. */
void gateway_links_leave(struct gateway_links *gateway_links);

/* Gateways that know this daemon. */
size_t gateway_links_live(const struct gateway_links *gateway_links);
