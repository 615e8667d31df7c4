/* common/bus/sock.c - CURVE sockets by libzmq, and the ZAP handler that admits their peers. */
#include "bus/sock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <zmq.h>

#include "base/mem.h"

enum {
    KEY_BYTES = 32,
    GROUP_BYTES = 32,
    ENDPOINT_BYTES = 256,
    LINGER_MS = 500,   /* last replies and goodbyes still go out; closing never hangs */
    HIGH_WATER = 2000, /* credits and tickets keep queues far below it */
};

struct bus {
    void *context;
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

/* The frames of a message behind the ROUTER's routing id. */
enum frame { FRAME_MAGIC, FRAME_TYPE, FRAME_HEADER, FRAME_BODY, FRAMES };

struct sock {
    void *socket;
    void *auth; /* ROUTER: the ZAP handler's REP socket */
    struct allow *allow;
    zmq_msg_t peer;
    zmq_msg_t frame[FRAMES]; /* of the message last received */
};

static const char magic[] = "TG1";

bool bus_new(const char *secret_key, struct bus **bus, struct err *err)
{
    struct bus made = { 0 };
    if (!key_public(made.public_key, secret_key))
        return err_set(err, ERR_INVALID_VALUE, "the CURVE secret key is not 40 characters of Z85");
    memcpy(made.secret_key, secret_key, KEY_TEXT_BYTES);
    made.context = zmq_ctx_new();
    if (!made.context)
        abort();
    zmq_ctx_set(made.context, ZMQ_BLOCKY, 0);
    *bus = mem_new(sizeof(made));
    **bus = made;
    return true;
}

void bus_free(struct bus **bus)
{
    if (!*bus)
        return;
    zmq_ctx_term((*bus)->context);
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

static void set_int(void *socket, int option, int value)
{
    if (zmq_setsockopt(socket, option, &value, sizeof(value)) != 0)
        abort();
}

static void set_text(void *socket, int option, const char *value)
{
    if (zmq_setsockopt(socket, option, value, strlen(value)) != 0)
        abort();
}

static struct sock *sock_new(struct bus *bus, int type)
{
    struct sock *sock = mem_new(sizeof(*sock));
    int64_t max_bytes = MESSAGE_MAX_BYTES;

    sock->socket = zmq_socket(bus->context, type);
    if (!sock->socket)
        abort();
    set_int(sock->socket, ZMQ_LINGER, LINGER_MS);
    set_int(sock->socket, ZMQ_SNDHWM, HIGH_WATER);
    set_int(sock->socket, ZMQ_RCVHWM, HIGH_WATER);
    set_int(sock->socket, ZMQ_IPV6, 1);
    set_int(sock->socket, ZMQ_TCP_KEEPALIVE, 1);
    set_int(sock->socket, ZMQ_HANDSHAKE_IVL, 5000);
    set_int(sock->socket, ZMQ_HEARTBEAT_IVL, 2000); /* half-open connections end */
    set_int(sock->socket, ZMQ_HEARTBEAT_TIMEOUT, 6000);
    zmq_setsockopt(sock->socket, ZMQ_MAXMSGSIZE, &max_bytes, sizeof(max_bytes));
    set_text(sock->socket, ZMQ_CURVE_PUBLICKEY, bus->public_key);
    set_text(sock->socket, ZMQ_CURVE_SECRETKEY, bus->secret_key);
    zmq_msg_init(&sock->peer);
    for (int i = 0; i < FRAMES; i++)
        zmq_msg_init(&sock->frame[i]);
    return sock;
}

void sock_free(struct sock **address)
{
    struct sock *sock = *address;
    if (!sock)
        return;
    zmq_msg_close(&sock->peer);
    for (int i = 0; i < FRAMES; i++)
        zmq_msg_close(&sock->frame[i]);
    zmq_close(sock->socket);
    if (sock->auth)
        zmq_close(sock->auth);
    allow_free(&sock->allow);
    mem_free(address);
}

bool sock_bind(struct bus *bus, const char *endpoint, struct allow *allow, struct sock **made,
               struct err *err)
{
    struct sock *sock = sock_new(bus, ZMQ_ROUTER);
    sock->allow = allow;
    set_int(sock->socket, ZMQ_ROUTER_MANDATORY, 1);
    set_int(sock->socket, ZMQ_CURVE_SERVER, 1);
    set_text(sock->socket, ZMQ_ZAP_DOMAIN, "jobs"); /* a domain makes libzmq ask the handler */
    sock->auth = zmq_socket(bus->context, ZMQ_REP);
    if (!sock->auth || zmq_bind(sock->auth, "inproc://zeromq.zap.01") != 0)
        abort();
    if (zmq_bind(sock->socket, endpoint) != 0) {
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
    peer[0] = 1; /* a leading zero byte is libzmq's own */
    struct sock *sock = sock_new(bus, ZMQ_DEALER);
    set_text(sock->socket, ZMQ_CURVE_SERVERKEY, server_key);
    zmq_setsockopt(sock->socket, ZMQ_ROUTING_ID, peer, sizeof(peer));
    set_int(sock->socket, ZMQ_IMMEDIATE, 1); /* nothing queues up for a gateway that is away */
    set_int(sock->socket, ZMQ_RECONNECT_IVL, 100);
    set_int(sock->socket, ZMQ_RECONNECT_IVL_MAX, 500);
    set_int(sock->socket, ZMQ_CONNECT_TIMEOUT, 3000);
    if (zmq_connect(sock->socket, endpoint) != 0) {
        err_set(err, ERR_INVALID_VALUE, "%s is no address to connect to", endpoint);
        sock_free(&sock);
        return false;
    }
    *made = sock;
    return true;
}

static int fd_of(void *socket)
{
    int fd = -1;
    size_t size = sizeof(fd);
    if (socket)
        zmq_getsockopt(socket, ZMQ_FD, &fd, &size);
    return fd;
}

int sock_fd(const struct sock *sock)
{
    return fd_of(sock->socket);
}

int sock_auth_fd(const struct sock *sock)
{
    return fd_of(sock->auth);
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

static bool receive_all(void *socket, zmq_msg_t *frames, int max, int *count)
{
    bool more = true;
    *count = 0;
    while (more) {
        zmq_msg_t rest;
        bool fits = *count < max;
        zmq_msg_t *into = fits ? &frames[*count] : &rest;
        if (!fits)
            zmq_msg_init(&rest);
        bool got = zmq_msg_recv(into, socket, ZMQ_DONTWAIT) >= 0;
        more = got && zmq_msg_more(into);
        if (!fits)
            zmq_msg_close(&rest);
        if (!got)
            return false;
        *count += 1;
    }
    return true;
}

static bool frame_is(zmq_msg_t *frame, const char *text)
{
    return zmq_msg_size(frame) == strlen(text) &&
           memcmp(zmq_msg_data(frame), text, strlen(text)) == 0;
}

static void answer_zap(struct sock *sock, zmq_msg_t *frame, int count)
{
    char key[KEY_TEXT_BYTES] = "";
    if (count == ZAP_FRAMES && frame_is(&frame[ZAP_MECHANISM], "CURVE") &&
        zmq_msg_size(&frame[ZAP_CREDENTIALS]) == KEY_BYTES)
        zmq_z85_encode(key, zmq_msg_data(&frame[ZAP_CREDENTIALS]), KEY_BYTES);
    bool is_allowed = group_of(sock->allow, key) != NULL;
    const char *status = is_allowed ? "200" : "400";
    const char *user = is_allowed ? key : "";
    zmq_send(sock->auth, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(sock->auth, zmq_msg_data(&frame[ZAP_REQUEST]), zmq_msg_size(&frame[ZAP_REQUEST]),
             ZMQ_SNDMORE);
    zmq_send(sock->auth, status, 3, ZMQ_SNDMORE);
    zmq_send(sock->auth, "", 0, ZMQ_SNDMORE);
    zmq_send(sock->auth, user, strlen(user), ZMQ_SNDMORE);
    zmq_send(sock->auth, "", 0, 0);
}

void sock_authenticate(struct sock *sock)
{
    zmq_msg_t frame[ZAP_FRAMES];
    int count = 0;
    for (int i = 0; i < ZAP_FRAMES; i++)
        zmq_msg_init(&frame[i]);
    while (receive_all(sock->auth, frame, ZAP_FRAMES, &count))
        answer_zap(sock, frame, count);
    for (int i = 0; i < ZAP_FRAMES; i++)
        zmq_msg_close(&frame[i]);
}

/* ---- messages ---- */

static bool send_part(struct sock *sock, const void *bytes, size_t size, bool more)
{
    while (zmq_send(sock->socket, bytes, size, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) < 0)
        if (errno != EINTR)
            return false;
    return true;
}

enum sock_result sock_send(struct sock *sock, const struct message *message)
{
    bool has_body = message->type && message->body.bytes;
    bool started = message->peer.size > 0
                       ? send_part(sock, message->peer.bytes, message->peer.size, true)
                       : true;
    if (started)
        started = send_part(sock, magic, sizeof(magic) - 1, true);
    if (!started)
        return errno == EAGAIN ? SOCK_FULL : SOCK_GONE;
    send_part(sock, &message->type, 1, true);
    send_part(sock, message->header.bytes, message->header.size, has_body);
    if (has_body)
        send_part(sock, message->body.bytes, message->body.size, false);
    return SOCK_OK;
}

static struct text frame_text(zmq_msg_t *frame)
{
    return (struct text){ zmq_msg_data(frame), zmq_msg_size(frame) };
}

/* All frames of one message; *count is what came behind the routing id. */
static bool receive_frames(struct sock *sock, int *count)
{
    *count = 0;
    if (sock->auth) {
        if (zmq_msg_recv(&sock->peer, sock->socket, ZMQ_DONTWAIT) < 0)
            return false;
        if (!zmq_msg_more(&sock->peer))
            return true;
    }
    return receive_all(sock->socket, sock->frame, FRAMES, count);
}

static bool is_ours(struct sock *sock, int count)
{
    zmq_msg_t *frame = sock->frame;
    return (count == FRAMES || count == FRAME_BODY) && frame_is(&frame[FRAME_MAGIC], magic) &&
           zmq_msg_size(&frame[FRAME_TYPE]) == 1 &&
           zmq_msg_size(&frame[FRAME_HEADER]) <= HEADER_MAX_BYTES;
}

bool sock_receive(struct sock *sock, struct message *message, uint64_t *dropped)
{
    int count;
    while (receive_frames(sock, &count)) {
        if (!is_ours(sock, count)) {
            ++*dropped;
            continue;
        }
        *message = (struct message){ .type = *(uint8_t *)zmq_msg_data(&sock->frame[FRAME_TYPE]),
                                     .header = frame_text(&sock->frame[FRAME_HEADER]) };
        if (count == FRAMES)
            message->body = frame_text(&sock->frame[FRAME_BODY]);
        if (sock->auth) {
            message->peer = frame_text(&sock->peer);
            message->key = zmq_msg_gets(&sock->frame[FRAME_MAGIC], "User-Id"); /* answer_zap() */
            message->group = message->key ? sock_group(sock, message->key) : NULL;
        }
        return true;
    }
    return false;
}

/* ---- keys ---- */

void key_pair(char public_key[static KEY_TEXT_BYTES], char secret_key[static KEY_TEXT_BYTES])
{
    if (zmq_curve_keypair(public_key, secret_key) != 0)
        abort();
}

bool key_public(char public_key[static KEY_TEXT_BYTES], const char *secret_key)
{
    uint8_t raw[KEY_BYTES];
    if (strlen(secret_key) != KEY_TEXT_BYTES - 1 || !zmq_z85_decode(raw, secret_key))
        return false;
    explicit_bzero(raw, sizeof(raw));
    return zmq_curve_public(public_key, secret_key) == 0;
}
