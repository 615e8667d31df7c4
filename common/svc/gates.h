/*
 * common/svc/gates.h - a daemon's connections to all gateways.
 *
 * Gateways are found by resolving the names of bus.gateways again and again, all addresses of each;
 * every address gets a socket of its own. The daemon's slots are split as credits over the gateways
 * that live, at least one each. docs/protocol.md tells the messages.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "bus/sock.h"
#include "bus/wire.h"
#include "svc/runner.h"
#include "svc/subjobs.h"

struct gates;

struct gates_options {
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
struct gates *gates_new(const struct gates_options *options);

/* At once, also while a name is looked up that nobody answers for. */
void gates_free(struct gates **gates);

enum { GATES_MAX = 64 };

/* Descriptors to poll, at most GATES_MAX + 2; returns how many. */
size_t gates_fds(const struct gates *gates, struct pollfd *fds);

/* Receive, answer, greet, time out: whenever a descriptor fired, and every 100 ms. */
void gates_step(struct gates *gates);

/* Send a finished task's reply to the gateway it came from, if that still lives; frees the task. */
void gates_reply(struct gates *gates, struct task *task);

/* Tell all gateways that nothing more shall come; what still comes is refused. */
void gates_drain(struct gates *gates);

/* Have all living gateways said that nothing more will come? */
bool gates_are_drained(const struct gates *gates);

/* Say goodbye to all. Only after the last reply. */
void gates_leave(struct gates *gates);

/* Gateways that know this daemon. */
size_t gates_live(const struct gates *gates);
