/* common/net/dial.c - a TCP connection to a checked address. */
#include "net/dial.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/egress-filter.h"

void dial_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Wait for an event; false if the time is over. */
static bool wait_for(int fd, short events, int64_t deadline_ms)
{
    for (;;) {
        int left_ms = deadline_poll_ms(deadline_ms);
        struct pollfd wanted = { fd, events, 0 };
        if (left_ms == 0)
            return false;
        int ready = poll(&wanted, 1, left_ms);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

union place {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
};

static socklen_t place_of(const struct in6_addr *address, uint16_t port, union place *place)
{
    memset(place, 0, sizeof(*place));
    if (address_is_ipv4(address)) {
        place->ipv4.sin_family = AF_INET;
        place->ipv4.sin_port = htons(port);
        memcpy(&place->ipv4.sin_addr, &address->s6_addr[12], sizeof(place->ipv4.sin_addr));
        return sizeof(place->ipv4);
    }
    place->ipv6.sin6_family = AF_INET6;
    place->ipv6.sin6_port = htons(port);
    place->ipv6.sin6_addr = *address;
    return sizeof(place->ipv6);
}

bool dial_refuse(int error, struct err *err)
{
    if (error == ECONNREFUSED)
        return err_set(err, ERR_TARGET_REFUSED, "the target rejected the connection");
    if (error == ETIMEDOUT)
        return err_set(err, ERR_TARGET_TIMEOUT, "the target did not respond in time");
    return err_set(err, ERR_TARGET_UNREACHABLE, "the target cannot be reached");
}

bool dial_begin(struct egress_session *session, const struct in6_addr *address, uint16_t port,
                int *result, struct err *err)
{
    union place place;
    socklen_t size = place_of(address, port, &place);
    if (!egress_filter_passes(egress_filter(egress_session_egress(session)), true, &place.any))
        return guard_refuse(err);
    int fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || (connect(fd, &place.any, size) < 0 && errno != EINPROGRESS)) {
        int error = errno;
        dial_close(&fd);
        return dial_refuse(error, err);
    }
    *result = fd;
    return true;
}

/* Wait until the connection is established. Returns 0, or the reason as errno. */
static int finish_connect(int fd, int64_t deadline_ms)
{
    int error = 0;
    socklen_t error_bytes = sizeof(error);
    if (!wait_for(fd, POLLOUT, deadline_ms))
        return ETIMEDOUT;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes);
    return error;
}

bool dial_address(struct egress_session *session, const struct in6_addr *address, uint16_t port,
                  int64_t deadline_ms, int *result, struct err *err)
{
    int fd;
    if (!dial_begin(session, address, port, &fd, err))
        return false;
    int error = finish_connect(fd, deadline_ms);
    if (error) {
        dial_close(&fd);
        return dial_refuse(error, err);
    }
    *result = fd;
    return true;
}

bool dial(struct egress_session *session, const struct host *host, uint16_t port,
          int64_t connect_ms, int *fd, struct in6_addr *address, struct err *err)
{
    struct addresses addresses;
    if (!egress_session_resolve(session, host, &addresses, err))
        return false;
    int64_t deadline_ms = egress_session_until_ms(session, connect_ms);
    for (size_t i = 0; i < addresses.count; i++) {
        int64_t share_ms = deadline_left_ms(deadline_ms) / (int64_t)(addresses.count - i);
        if (!dial_address(session, &addresses.item[i], port, clock_ms() + share_ms, fd, err))
            continue;
        if (address)
            *address = addresses.item[i];
        return true;
    }
    return false;
}

bool dial_send(int fd, struct text bytes, int64_t deadline_ms)
{
    while (bytes.size > 0) {
        ssize_t sent = send(fd, bytes.bytes, bytes.size, MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.bytes += sent;
            bytes.size -= (size_t)sent;
        } else if (errno != EAGAIN && errno != EINTR) {
            return false;
        } else if (!wait_for(fd, POLLOUT, deadline_ms)) {
            return false;
        }
    }
    return true;
}

long dial_receive(int fd, void *bytes, size_t size, int64_t deadline_ms)
{
    for (;;) {
        ssize_t got = recv(fd, bytes, size, 0);
        if (got >= 0)
            return got;
        if (errno != EAGAIN && errno != EINTR)
            return 0;
        if (!wait_for(fd, POLLIN, deadline_ms))
            return -1;
    }
}
