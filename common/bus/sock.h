/*
 * common/bus/sock.h - encrypted message sockets: the gateway's ROUTER and a daemon's DEALER.
 *
 * Only the public API of czmq 4.2 and libzmq 4.3 is used. A socket belongs to one thread. CURVE
 * (RFC 26/CURVEZMQ of the ZeroMQ project) authenticates both sides; the gateway's allow list binds
 * each public key to one group, and every message carries the group its sender's key has in the
 * list of that moment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    KEY_TEXT_BYTES = 41, /* 32 bytes in Z85 (ZeroMQ RFC 32) and a NUL */
    PEER_BYTES = 17,     /* routing id: one byte of 1, then 16 random ones */
    HEADER_MAX_BYTES = 64 << 10,
    MESSAGE_BODY_MAX_BYTES = 25 << 20,
    FRAME_MAX_BYTES = 128 << 10, /* a larger body goes in several */
};

/* One message without its "TG1". All texts are borrowed from the socket until the next receive. */
struct message {
    struct text peer;  /* ROUTER: who sent it, or whom to send it to */
    const char *key;   /* ROUTER, received: the sender's public key, Z85, */
    const char *group; /* and what it is for by now; NULL: nothing */
    uint8_t type;      /* MSG_*, wire.h */
    struct text header;
    struct text body;
};

/* The own key pair, made before any socket. The process has one ZeroMQ context, czmq's; it ends at
 * exit(), which waits up to half a second for what closed sockets still have to send. */
struct bus;

/* secret_key is the own CURVE secret key (Z85). Errors: ERR_INVALID_VALUE for a bad key. */
bool bus_new(const char *secret_key, struct bus **bus, struct err *err) must_check;
void bus_free(struct bus **bus); /* after all its sockets */

struct sock;

/* Who may connect: public keys, each bound to one group. */
struct allow;

struct allow *allow_new(void);
void allow_free(struct allow **allow);

/* Let public_key (Z85) in as a daemon of group. Errors: ERR_INVALID_VALUE for a bad key, one that
 * is there already, or a group name over 31 bytes. */
bool allow_add(struct allow *allow, const char *public_key, const char *group,
               struct err *err) must_check;

/* The gateway's end, bound to endpoint ("tcp://127.0.0.1:5570"), one at a time in a process. A
 * message to a peer that is gone is an error at once (ROUTER_MANDATORY). Takes allow over. */
bool sock_bind(struct bus *bus, const char *endpoint, struct allow *allow, struct sock **sock,
               struct err *err) must_check;

/* Replace the allow list; connections that exist stay, but what comes over them is of no group any
 * more when their key is not in it. Takes allow over. */
void sock_allow(struct sock *sock, struct allow *allow);

/* The group that a public key (Z85) is for now, borrowed from the allow list; NULL: none. */
const char *sock_group(const struct sock *sock, const char *key);

/* How many keys the allow list has for a group. */
size_t sock_group_keys(const struct sock *sock, const char *group);

/* A daemon's end, connecting (and connecting again) to one gateway. server_key is its public key;
 * a fresh routing id is made. Errors: ERR_INVALID_VALUE. */
bool sock_connect(struct bus *bus, const char *endpoint, const char *server_key, struct sock **sock,
                  struct err *err) must_check;

void sock_free(struct sock **sock);

/* To poll for POLLIN. After it fired, receive until false: the descriptor tells of changes only.
 * sock_bind() sockets have a second descriptor, for authentication requests, -1 otherwise. */
int sock_fd(const struct sock *sock);
int sock_auth_fd(const struct sock *sock);

/* Answer waiting authentication requests. */
void sock_authenticate(struct sock *sock);

enum sock_result {
    SOCK_OK,
    SOCK_GONE, /* the peer is not connected any more */
    SOCK_FULL, /* its queue is full */
};

/* Send without waiting. */
enum sock_result sock_send(struct sock *sock, const struct message *message);

/* Receive without waiting. False: nothing there. A message that is not ours (wrong frames, too
 * large a header or body) is dropped and counted in *dropped; a frame that is too large ends its
 * connection. */
bool sock_receive(struct sock *sock, struct message *message, uint64_t *dropped);

/* ---- keys ---- */

/* A new key pair in Z85. */
void key_pair(char public_key[static KEY_TEXT_BYTES], char secret_key[static KEY_TEXT_BYTES]);

/* The public key of a secret one; false when it is no key. */
bool key_public(char public_key[static KEY_TEXT_BYTES], const char *secret_key);
