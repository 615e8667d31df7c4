/*
 * tests/unit/gateway/dispatch/fake-sock.h - a bus in memory that a test plays: bus/sock.h without
 * ZeroMQ.
 *
 * The test plays workers, each by a short name that is its routing id, and reads what the gateway
 * sends them. A worker's key is its name, up to a slash if it has one: "a/1" and "a/2" share
 * theirs. As with ZeroMQ, the descriptor only signals changes: any call on the socket clears it.
 * One at a time in a process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "bus/sock.h"
#include "bus/wire.h"

/* Before each test: no worker, no message. */
void fake_reset(void);

/* The worker `peer`, admitted for `group` (NULL: without one), sends a message. Clears header. */
void fake_say(const char *peer, const char *group, enum message_type type, struct buf *header,
              struct text body);

/* From now on each message that is read is followed by one more of that kind, without end. */
void fake_chatter(const char *peer, const char *group, enum message_type type);

/* The result of sending to it from now on. */
void fake_sending(const char *peer, enum sock_result result);

/* A message that the gateway sent; borrowed until fake_reset(). */
struct heard {
    struct text header;
    struct text body;
};

/* Wait, ten seconds at most, for the next message of that type to that worker. */
bool fake_hear(const char *peer, enum message_type type, struct heard *heard);

/* How many of them were sent so far. */
size_t fake_count(const char *peer, enum message_type type);

/* The newest allow list no longer has its key. */
void fake_forbid(const char *peer);

/* How many keys the allow list has for each group; 1 from fake_reset() on. */
void fake_keys(size_t count);

/* How often the allow list was replaced; wait, ten seconds at most, for that many. */
size_t fake_reloads(void);
bool fake_wait_reloads(size_t count);

/* The current allow list. */
const struct allow *fake_allow(void);
