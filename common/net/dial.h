/*
 * common/net/dial.h - a TCP connection to a checked address, for probes that speak bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/egress-session.h"

/*
 * Connect to the first of the host's addresses that accepts; *address (may be NULL) becomes that
 * address. The caller must check the port (guard_check_port()). *fd is non-blocking and
 * close-on-exec; the caller closes it. Takes at most connect_ms, and ends at the session's
 * deadline. Errors: as egress_session_resolve(); ERR_TARGET_REFUSED, ERR_TARGET_TIMEOUT,
 * ERR_TARGET_UNREACHABLE.
 */
bool dial(struct egress_session *session, const struct host *host, uint16_t port,
          int64_t connect_ms, int *fd, struct in6_addr *address, struct err *err) must_check;

/* The same for one address of egress_session_resolve(), until the deadline (by clock_ms()). */
bool dial_address(struct egress_session *session, const struct in6_addr *address, uint16_t port,
                  int64_t deadline_ms, int *fd, struct err *err) must_check;

/*
 * Start to connect to one address that dial() returned in this session, without waiting: the socket
 * becomes writable when it is connected or has failed (SO_ERROR). For probes that poll many
 * sockets. Errors: ERR_TARGET_NOT_ALLOWED, ERR_TARGET_REFUSED, ERR_TARGET_UNREACHABLE.
 */
bool dial_begin(struct egress_session *session, const struct in6_addr *address, uint16_t port,
                int *fd, struct err *err) must_check;

/* Set the error of a connection that failed with this errno. Returns false. */
bool dial_refuse(int error, struct err *err);

/* Send all bytes. False if the peer has closed or the time (by clock_ms()) is over. */
bool dial_send(int fd, struct text bytes, int64_t deadline_ms) must_check;

/*
 * Receive the next bytes, at least one, at most size. 0: the peer has closed or reset the
 * connection. -1: the time is over.
 */
long dial_receive(int fd, void *bytes, size_t size, int64_t deadline_ms) must_check;

/* close() for scoped(): the argument is the address of a descriptor, which becomes -1; -1 is
 * ignored. */
void dial_close(int *fd);
