/*
 * browser/tunnels.h - the only way out of a browser: a SOCKS5 proxy (RFC 1928) for one visit.
 *
 * It resolves names and connects by net/egress-session.h and net/dial.h, as the scans do: a name is
 * resolved once per visit, and only checked addresses and web ports are connected to. SOCKS5
 * carries https, http and WebSockets in the same way, so there is no HTTP to parse here, and the
 * browser never resolves a name itself.
 *
 * tunnels_close() does not wait: a connection that is being established ends by the deadline at the
 * latest, and on_end() is called when the last one has ended. egress must live until then.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/egress.h"

struct tunnels;

struct tunnels_limits {
    int64_t deadline_ms; /* of all connections, by clock_ms() */
    size_t at_once;      /* connections; more are closed when they are accepted */
    size_t connections;  /* of the whole visit */
    size_t bytes;        /* of the whole visit, in both directions; then all connections close */
};

struct tunnels_totals {
    size_t opened;  /* connections to sites */
    size_t refused; /* connections that the guard rejected */
    size_t bytes;
    bool is_full; /* a limit was reached */
};

/* Accept connections of the browser from listener, a listening TCP socket, which is taken over. */
struct tunnels *tunnels_open(struct egress *egress, int listener,
                             const struct tunnels_limits *limits, void (*on_end)(void *context),
                             void *context);

/* Accept no more connections. *totals is what happened until now. */
void tunnels_close(struct tunnels **tunnels, struct tunnels_totals *totals);
