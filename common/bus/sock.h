/*
 * common/bus/sock.h - encrypted message sockets: the gateway's ROUTER and a worker's DEALER.
 *
 * Only the public API of czmq 4.2 and libzmq 4.3 is used. A socket belongs to one thread. CURVE
 * (RFC 26/CURVEZMQ of the ZeroMQ project) authenticates both sides. The gateway's allow list binds
 * each public key to one group. Every message carries the group that its sender's key has in the
 * list at that moment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    KEY_TEXT_BYTES = 41, /* 32 bytes in Z85 (ZeroMQ RFC 32) and a NUL */
    PEER_BYTES = 17,     /* routing id: one byte of 1, then 16 random bytes */
    HEADER_MAX_BYTES = 64 << 10,
    MESSAGE_BODY_MAX_BYTES = 25 << 20,
    FRAME_MAX_BYTES = 128 << 10, /* a larger body takes several frames */
};

/* One message without its "TG1". All texts are borrowed from the socket until the next receive. */
struct message {
    struct text peer;  /* ROUTER: the sender or recipient */
    const char *key;   /* ROUTER, received: the sender's public key, Z85, */
    const char *group; /* and its current group; NULL: none */
    uint8_t type;      /* MSG_*, wire.h */
    struct text header;
    struct text body;
};

/*
 * The process's key pair, made before any socket. The process has one ZeroMQ context, czmq's.
 * exit() closes it, and waits up to half a second for unsent messages of closed sockets.
 */
struct bus;

/* secret_key is the process's CURVE secret key (Z85). Errors: ERR_INVALID_VALUE for an
 * invalid key. */
bool bus_new(const char *secret_key, struct bus **bus, struct err *err) must_check;
void bus_free(struct bus **bus); /* after all its sockets */

struct sock;

/* The allow list: public keys, each bound to one group. */
struct allow;

struct allow *allow_new(void);
void allow_free(struct allow **allow);

/*
 * Allow public_key (Z85) as a worker of group. Errors: ERR_INVALID_VALUE for an invalid or repeated
 * key, or a group name above 31 bytes.
 */
bool allow_add(struct allow *allow, const char *public_key, const char *group,
               struct err *err) must_check;

/*
 * The gateway's end, bound to endpoint ("tcp://127.0.0.1:5570"), at most one per process. Sending
 * to a disconnected peer is an immediate error (ROUTER_MANDATORY). Takes allow over.
 */
bool sock_bind(struct bus *bus, const char *endpoint, struct allow *allow, struct sock **sock,
               struct err *err) must_check;

/*
 * Replace the allow list. Existing connections stay, but messages from a key that is not in the
 * list no longer have a group. Takes allow over.
 */
void sock_allow(struct sock *sock, struct allow *allow);

/* The current group of a public key (Z85), borrowed from the allow list; NULL: none. */
const char *sock_group(const struct sock *sock, const char *key);

/* The number of keys in the allow list for a group. */
size_t sock_group_keys(const struct sock *sock, const char *group);

/*
 * A worker's end, which connects and reconnects to one gateway. server_key is the gateway's public
 * key; a new routing id is made. Errors: ERR_INVALID_VALUE.
 */
bool sock_connect(struct bus *bus, const char *endpoint, const char *server_key, struct sock **sock,
                  struct err *err) must_check;

void sock_free(struct sock **sock);

/*
 * A descriptor to poll for POLLIN. Once it is ready, receive until false: it signals only changes.
 * sock_bind() sockets have a second descriptor for authentication requests; others return -1.
 */
int sock_fd(const struct sock *sock);
int sock_auth_fd(const struct sock *sock);

/* Reply to waiting authentication requests. */
void sock_authenticate(struct sock *sock);

enum sock_result {
    SOCK_OK,
    SOCK_GONE, /* the peer is no longer connected */
    SOCK_FULL, /* its queue is full */
};

/* Send without waiting. */
enum sock_result sock_send(struct sock *sock, const struct message *message);

/*
 * Receive without waiting. False: no message. An invalid message (wrong frames, too large a header
 * or body) is dropped and counted in *dropped; a frame that is too large closes its connection.
 */
bool sock_receive(struct sock *sock, struct message *message, uint64_t *dropped);

/* ---- keys ---- */

/* A new key pair in Z85. */
void key_pair(char public_key[static KEY_TEXT_BYTES], char secret_key[static KEY_TEXT_BYTES]);

/* The public key of a secret one; false if the key is invalid. */
bool key_public(char public_key[static KEY_TEXT_BYTES], const char *secret_key);
