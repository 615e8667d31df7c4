/* common/bus/sock.c - CURVE sockets with czmq, and the ZAP handler that admits their peers. */
#define ZSOCK_NOCHECK /* at exit czmq then ignores open sockets: a dispatcher may still run */
#include "bus/sock.h"

#include <czmq.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"

enum {
    KEY_BYTES = 32,
    GROUP_BYTES = 32,
    LINGER_MS = 500,  /* last replies and goodbyes are still sent; closing never blocks longer */
    CURVE_BYTES = 64, /* maximum overhead of encryption per frame (RFC 26: 33) */
    DEALER_HIGH_WATER = 2000, /* messages; more are lost, but credits stay far below */
    ROUTER_HIGH_WATER = 256,  /* per worker, which may read nothing or send too much */
};

struct bus {
    char public_key[KEY_TEXT_BYTES];
    char secret_key[KEY_TEXT_BYTES];
};

struct allow {
    size_t count;
    struct allowed {
        char key[KEY_TEXT_BYTES];
        char group[GROUP_BYTES];
    } * rows;
};

/* The frames of a message; the last one may be repeated. A ROUTER receives them after the sender's
 * routing id. */
enum frame { FRAME_MAGIC, FRAME_TYPE, FRAME_HEADER, FRAME_BODY, FRAMES };

struct sock {
    zsock_t *socket;
    zsock_t *auth; /* ROUTER: the ZAP handler's REP socket */
    struct allow *allow;
    zframe_t *received[1 + FRAMES]; /* of the last message, without repeated ones */
    struct buf body;                /* of the last message, if it has several frames */
};

static const char magic[] = "TG1";
static const char zap_endpoint[] = "inproc://zeromq.zap.01";

bool bus_new(const char *secret_key, struct bus **bus, struct err *err)
{
    struct bus made;
    if (!key_public(made.public_key, secret_key))
        return err_set(err, ERR_INVALID_VALUE, "the CURVE secret key is not 40 characters of Z85");
    memcpy(made.secret_key, secret_key, KEY_TEXT_BYTES);
    zsys_handler_set(
        NULL); /* this process handles SIGINT and SIGTERM; must be set before czmq does */
    zsys_set_logstream(NULL); /* and stdout (base/os/log.h) */
    *bus = mem_new(sizeof(made));
    **bus = made;
    return true;
}

void bus_free(struct bus **bus)
{
    if (!*bus)
        return;
    explicit_bzero(*bus, sizeof(**bus));
    mem_free(bus);
}

struct allow *allow_new(void)
{
    return mem_new(sizeof(struct allow));
}

void allow_free(struct allow **allow)
{
    if (!*allow)
        return;
    mem_free(&(*allow)->rows);
    mem_free(allow);
}

static const char *group_of(const struct allow *allow, const char *key)
{
    for (size_t i = 0; i < allow->count; i++)
        if (strcmp(allow->rows[i].key, key) == 0)
            return allow->rows[i].group;
    return NULL;
}

bool allow_add(struct allow *allow, const char *public_key, const char *group, struct err *err)
{
    struct allowed row;
    uint8_t bytes[KEY_BYTES];
    if (strlen(public_key) != KEY_TEXT_BYTES - 1 || !zmq_z85_decode(bytes, public_key))
        return err_set(err, ERR_INVALID_VALUE, "a key of group %s is not 40 characters of Z85",
                       group);
    zmq_z85_encode(row.key, bytes, KEY_BYTES);
    if (group_of(allow, row.key))
        return err_set(err, ERR_INVALID_VALUE, "a key of group %s is listed twice", group);
    if ((size_t)snprintf(row.group, sizeof(row.group), "%s", group) >= sizeof(row.group))
        return err_set(err, ERR_INVALID_VALUE, "the group name %s is too long", group);
    allow->rows = mem_resize(allow->rows, (allow->count + 1) * sizeof(row));
    allow->rows[allow->count++] = row;
    return true;
}

/* ---- frames ---- */

static void drop_frames(zframe_t **frames, size_t max)
{
    for (size_t i = 0; i < max; i++)
        zframe_destroy(&frames[i]);
}

static struct text frame_text(zframe_t *frame)
{
    return (struct text){ (const char *)zframe_data(frame), zframe_size(frame) };
}

/* Replace the frames by the first ones of the next message. Returns their number; 0: no message. */
static size_t receive_frames(zsock_t *socket, zframe_t **frames, size_t max)
{
    size_t count = 0;
    drop_frames(frames, max);
    do {
        frames[count] = zframe_recv(socket);
        if (!frames[count])
            return 0;
    } while (zframe_more(frames[count++]) && count < max);
    return count;
}

static void add_frame(struct buf *out, zframe_t *frame)
{
    struct text text = frame_text(frame);
    buf_add(out, text.bytes, text.size);
}

/*
 * Read the frames after the last one received, joined to it as one text; empty: no frames.
 * Data that does not fit is dropped, while zmsg_recv() would keep it.
 */
static void receive_rest(zsock_t *socket, zframe_t *last, struct buf *whole)
{
    bool more = zframe_more(last);
    buf_free(whole); /* it may have been large */
    if (more)
        add_frame(whole, last);
    while (more) {
        scoped(zframe_destroy) zframe_t *frame = zframe_recv(socket);
        more = frame && zframe_more(frame);
        if (frame)
            add_frame(whole, frame);
    }
}

/* ---- sockets ---- */

static zsock_t *socket_new(int type)
{
    zsock_t *socket = zsock_new(type);
    if (!socket)
        abort();
    zsock_set_rcvtimeo(socket, 0); /* czmq's receive functions have no non-blocking flag */
    return socket;
}

static struct sock *sock_new(struct bus *bus, int type)
{
    struct sock *sock = mem_new(sizeof(*sock));
    zsock_t *socket = socket_new(type);

    sock->socket = socket;
    sock->body = (struct buf)BUF(MESSAGE_BODY_MAX_BYTES);
    zsock_set_linger(socket, LINGER_MS);
    zsock_set_sndhwm(socket, type == ZMQ_ROUTER ? ROUTER_HIGH_WATER : DEALER_HIGH_WATER);
    zsock_set_rcvhwm(socket, type == ZMQ_ROUTER ? ROUTER_HIGH_WATER : DEALER_HIGH_WATER);
    zsock_set_ipv6(socket, 1);
    zsock_set_tcp_keepalive(socket, 1);
    zsock_set_handshake_ivl(socket, 5000);
    zsock_set_heartbeat_ivl(socket, 2000); /* closes half-open connections */
    zsock_set_heartbeat_timeout(socket, 6000);
    zsock_set_maxmsgsize(
        socket, FRAME_MAX_BYTES + CURVE_BYTES); /* of a frame, also from unauthenticated clients */
    zsock_set_curve_publickey(socket, bus->public_key);
    zsock_set_curve_secretkey(socket, bus->secret_key);
    return sock;
}

void sock_free(struct sock **address)
{
    struct sock *sock = *address;
    if (!sock)
        return;
    drop_frames(sock->received, countof(sock->received));
    buf_free(&sock->body);
    zsock_destroy(&sock->socket);
    if (sock->auth) /* closing happens later, in a thread of libzmq; the name must be free now */
        zsock_unbind(sock->auth, zap_endpoint);
    zsock_destroy(&sock->auth);
    allow_free(&sock->allow);
    mem_free(address);
}

bool sock_bind(struct bus *bus, const char *endpoint, struct allow *allow, struct sock **made,
               struct err *err)
{
    struct sock *sock = sock_new(bus, ZMQ_ROUTER);
    sock->allow = allow;
    zsock_set_router_mandatory(sock->socket, 1);
    zsock_set_curve_server(sock->socket, 1);
    zsock_set_zap_domain(sock->socket, "jobs"); /* libzmq calls the handler only for a domain */
    sock->auth = socket_new(ZMQ_REP);
    if (zsock_bind(sock->auth, zap_endpoint) == -1)
        abort();
    if (zsock_bind(sock->socket, "%s", endpoint) == -1) {
        err_set(err, ERR_INVALID_VALUE, "cannot listen on %s: %s", endpoint, zmq_strerror(errno));
        sock_free(&sock);
        return false;
    }
    *made = sock;
    return true;
}

void sock_allow(struct sock *sock, struct allow *allow)
{
    allow_free(&sock->allow);
    sock->allow = allow;
}

const char *sock_group(const struct sock *sock, const char *key)
{
    return group_of(sock->allow, key);
}

size_t sock_group_keys(const struct sock *sock, const char *group)
{
    size_t keys = 0;
    for (size_t i = 0; i < sock->allow->count; i++)
        keys += strcmp(sock->allow->rows[i].group, group) == 0;
    return keys;
}

bool sock_connect(struct bus *bus, const char *endpoint, const char *server_key, struct sock **made,
                  struct err *err)
{
    uint8_t key[KEY_BYTES];
    char peer[PEER_BYTES] = { 0 };

    if (strlen(server_key) != KEY_TEXT_BYTES - 1 || !zmq_z85_decode(key, server_key))
        return err_set(err, ERR_INVALID_VALUE,
                       "the gateway's CURVE public key is not 40 characters of Z85");
    if (getrandom(peer + 1, PEER_BYTES - 1, 0) != PEER_BYTES - 1)
        abort();
    peer[0] = 1; /* a leading zero byte is reserved for libzmq */
    struct sock *sock = sock_new(bus, ZMQ_DEALER);
    zsock_set_curve_serverkey(sock->socket, server_key);
    zsock_set_immediate(sock->socket, 1); /* do not queue messages for a disconnected gateway */
    zsock_set_reconnect_ivl(sock->socket, 100);
    zsock_set_reconnect_ivl_max(sock->socket, 500);
    zsock_set_connect_timeout(sock->socket, 3000);
    /* zsock_set_identity() would cut it at a zero byte */
    zmq_setsockopt(zsock_resolve(sock->socket), ZMQ_ROUTING_ID, peer, sizeof(peer));
    if (zsock_connect(sock->socket, "%s", endpoint) != 0) {
        err_set(err, ERR_INVALID_VALUE, "%s is not a valid address to connect to", endpoint);
        sock_free(&sock);
        return false;
    }
    *made = sock;
    return true;
}

int sock_fd(const struct sock *sock)
{
    return zsock_fd(sock->socket);
}

int sock_auth_fd(const struct sock *sock)
{
    return sock->auth ? zsock_fd(sock->auth) : -1;
}

/* ---- ZAP (ZeroMQ RFC 27) ---- */

enum zap_frame {
    ZAP_VERSION,
    ZAP_REQUEST,
    ZAP_DOMAIN,
    ZAP_ADDRESS,
    ZAP_IDENTITY,
    ZAP_MECHANISM,
    ZAP_CREDENTIALS,
    ZAP_FRAMES
};

static void answer_zap(struct sock *sock, zframe_t **frame, size_t count)
{
    char key[KEY_TEXT_BYTES] = "";
    scoped(zmsg_destroy) zmsg_t *answer = zmsg_new();

    if (count == ZAP_FRAMES && zframe_streq(frame[ZAP_MECHANISM], "CURVE") &&
        zframe_size(frame[ZAP_CREDENTIALS]) == KEY_BYTES)
        zmq_z85_encode(key, zframe_data(frame[ZAP_CREDENTIALS]), KEY_BYTES);
    bool is_allowed = group_of(sock->allow, key) != NULL;
    zmsg_addstr(answer, "1.0");
    zmsg_append(answer, &frame[ZAP_REQUEST]);
    zmsg_addstr(answer, is_allowed ? "200" : "400");
    zmsg_addstr(answer, "");
    zmsg_addstr(answer, is_allowed ? key : ""); /* the User-Id of every message from now on */
    zmsg_addstr(answer, "");
    zmsg_send(&answer, sock->auth);
}

void sock_authenticate(struct sock *sock)
{
    zframe_t *frame[ZAP_FRAMES] = { 0 };
    size_t count;
    while ((count = receive_frames(sock->auth, frame, ZAP_FRAMES)) > 0)
        answer_zap(sock, frame, count);
}

/* ---- messages ---- */

/*
 * 0, or the error number. Sends frame by frame: zmsg_send() stops if the peer disconnects in the
 * middle, and libzmq would take the next message for the rest of this one, and drop it.
 */
static int send_frame(struct sock *sock, const void *bytes, size_t size, int flags)
{
    scoped(zframe_destroy) zframe_t *frame = zframe_new(bytes, size);
    if (!frame)
        abort();
    while (zframe_send(&frame, sock->socket, ZFRAME_DONTWAIT | flags) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

static void send_body(struct sock *sock, struct text body)
{
    while (body.size > FRAME_MAX_BYTES) {
        send_frame(sock, body.bytes, FRAME_MAX_BYTES, ZFRAME_MORE);
        body = text_skip(body, FRAME_MAX_BYTES);
    }
    send_frame(sock, body.bytes, body.size, 0);
}

enum sock_result sock_send(struct sock *sock, const struct message *message)
{
    bool has_body = message->type && message->body.bytes;
    int error = 0;
    if (message->peer.size > 0)
        error = send_frame(sock, message->peer.bytes, message->peer.size, ZFRAME_MORE);
    if (error == 0)
        error = send_frame(sock, magic, sizeof(magic) - 1, ZFRAME_MORE);
    if (error != 0)
        return error == EAGAIN ? SOCK_FULL : SOCK_GONE;
    send_frame(sock, &message->type, 1, ZFRAME_MORE);
    send_frame(sock, message->header.bytes, message->header.size, has_body ? ZFRAME_MORE : 0);
    if (has_body)
        send_body(sock, message->body);
    return SOCK_OK;
}

static bool is_ours(zframe_t **frame, size_t count)
{
    return (count == FRAMES || count == FRAME_BODY) && zframe_streq(frame[FRAME_MAGIC], magic) &&
           zframe_size(frame[FRAME_TYPE]) == 1 &&
           zframe_size(frame[FRAME_HEADER]) <= HEADER_MAX_BYTES;
}

bool sock_receive(struct sock *sock, struct message *message, uint64_t *dropped)
{
    size_t before = sock->auth ? 1 : 0; /* the routing id */
    zframe_t **frame = sock->received + before;
    size_t count;
    while ((count = receive_frames(sock->socket, sock->received, before + FRAMES)) > 0) {
        receive_rest(sock->socket, sock->received[count - 1], &sock->body);
        if (!is_ours(frame, count - before) || sock->body.full) {
            ++*dropped;
            continue;
        }
        *message = (struct message){ .type = *zframe_data(frame[FRAME_TYPE]),
                                     .header = frame_text(frame[FRAME_HEADER]) };
        if (frame[FRAME_BODY])
            message->body =
                sock->body.size > 0 ? buf_text(&sock->body) : frame_text(frame[FRAME_BODY]);
        if (sock->auth) {
            message->peer = frame_text(sock->received[0]);
            message->key = zframe_meta(frame[FRAME_MAGIC], "User-Id"); /* answer_zap() */
            message->group = message->key ? sock_group(sock, message->key) : NULL;
        }
        return true;
    }
    return false;
}

/* ---- keys ---- */

void key_pair(char public_key[static KEY_TEXT_BYTES], char secret_key[static KEY_TEXT_BYTES])
{
    zcert_t *cert = zcert_new();
    if (!cert)
        abort();
    memcpy(public_key, zcert_public_txt(cert), KEY_TEXT_BYTES);
    memcpy(secret_key, zcert_secret_txt(cert), KEY_TEXT_BYTES);
    explicit_bzero((void *)zcert_secret_txt(cert), KEY_TEXT_BYTES);
    explicit_bzero((void *)zcert_secret_key(cert), KEY_BYTES);
    zcert_destroy(&cert);
}

bool key_public(char public_key[static KEY_TEXT_BYTES], const char *secret_key)
{
    uint8_t raw[KEY_BYTES];
    if (strlen(secret_key) != KEY_TEXT_BYTES - 1 || !zmq_z85_decode(raw, secret_key))
        return false;
    explicit_bzero(raw, sizeof(raw));
    return zmq_curve_public(public_key, secret_key) == 0;
}
