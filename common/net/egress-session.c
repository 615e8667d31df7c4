/* common/net/egress-session.c - the outbound access of one job. */
#include "net/egress-session.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/dns.h"
#include "net/system-resolver.h"

enum { RESOLVE_MS = 3000 };

/* A name that was looked up, or is being looked up. */
struct pin {
    struct pin *next;
    char name[HOST_BYTES];
    bool is_done;
    bool ok;
    struct addresses addresses; /* valid if ok */
    struct err err;             /* valid if not ok */
};

struct egress_session {
    struct egress *egress;
    int64_t deadline_ms;
    pthread_mutex_t mutex; /* guards the pins */
    pthread_cond_t done;
    struct pin *first;
};

struct egress_session *egress_session_new(struct egress *egress, int64_t deadline_ms)
{
    struct egress_session *session = mem_new(sizeof(*session));
    session->egress = egress;
    session->deadline_ms = deadline_ms;
    pthread_mutex_init(&session->mutex, NULL);
    pthread_cond_init(&session->done, NULL);
    return session;
}

void egress_session_free(struct egress_session **address)
{
    struct egress_session *session = *address;
    if (!session)
        return;
    while (session->first) {
        struct pin *next = session->first->next;
        mem_free(&session->first);
        session->first = next;
    }
    pthread_mutex_destroy(&session->mutex);
    pthread_cond_destroy(&session->done);
    mem_free(address);
}

struct egress *egress_session_egress(const struct egress_session *session)
{
    return session->egress;
}

int64_t egress_session_deadline_ms(const struct egress_session *session)
{
    return session->deadline_ms;
}

int64_t egress_session_left_ms(const struct egress_session *session)
{
    return deadline_left_ms(session->deadline_ms);
}

int64_t egress_session_until_ms(const struct egress_session *session, int64_t limit_ms)
{
    return deadline_within(session->deadline_ms, limit_ms);
}

static bool look_up_name(struct egress_session *session, const char *name,
                         struct addresses *addresses, struct err *err)
{
    int64_t deadline_ms = egress_session_until_ms(session, RESOLVE_MS);
    if (egress_asks_system(session->egress))
        return system_resolve(name, deadline_ms, addresses, err);
    return dns_addresses(session->egress, name, deadline_ms, addresses, err);
}

/* Every address must be allowed: a name with a public and an internal address is an attack. */
static bool check_addresses(const struct guard *guard, const struct addresses *addresses,
                            struct err *err)
{
    if (addresses->is_cut)
        return err_set(err, ERR_TARGET_DNS_FAILURE, "the host has more than %d addresses",
                       ADDRESSES_MAX);
    for (size_t i = 0; i < addresses->count; i++)
        if (!guard_allows_address(guard, &addresses->item[i]))
            return guard_refuse(err);
    return true;
}

/* Keep those that egress.only allows, if any: an attempt with another one would be blocked and
 * reported. libcurl tries all until one connects, from version 8 on IPv6 first, in whatever order
 * they are. */
static void keep_inside(const struct guard *guard, struct addresses *addresses)
{
    struct addresses inside = { 0 };
    for (size_t i = 0; i < addresses->count; i++)
        if (cidrs_have(&guard->only, &addresses->item[i]))
            addresses_add(&inside, &addresses->item[i]);
    if (inside.count > 0)
        *addresses = inside;
}

static struct pin *find_pin(struct egress_session *session, const char *name)
{
    struct pin *pin = session->first;
    while (pin && strcmp(pin->name, name) != 0)
        pin = pin->next;
    return pin;
}

/* The finished lookup of a name. The first caller does it, others wait. */
static const struct pin *pin_name(struct egress_session *session, const char *name)
{
    pthread_mutex_lock(&session->mutex);
    struct pin *pin = find_pin(session, name);
    bool is_first = !pin;
    if (is_first) {
        pin = mem_new(sizeof(*pin));
        snprintf(pin->name, sizeof(pin->name), "%s", name);
        pin->next = session->first;
        session->first = pin;
    }
    while (!is_first && !pin->is_done)
        pthread_cond_wait(&session->done, &session->mutex); /* a lookup ends at its own deadline */
    pthread_mutex_unlock(&session->mutex);
    if (!is_first)
        return pin;

    bool ok = look_up_name(session, name, &pin->addresses, &pin->err) &&
              check_addresses(egress_guard(session->egress), &pin->addresses, &pin->err);
    if (ok)
        keep_inside(egress_guard(session->egress), &pin->addresses);
    pthread_mutex_lock(&session->mutex);
    pin->ok = ok;
    pin->is_done = true;
    pthread_cond_broadcast(&session->done);
    pthread_mutex_unlock(&session->mutex);
    return pin;
}

bool egress_session_resolve(struct egress_session *session, const struct host *host,
                            struct addresses *addresses, struct err *err)
{
    const struct guard *guard = egress_guard(session->egress);
    if (host->is_address) {
        if (!guard_allows_address(guard, &host->address))
            return guard_refuse(err);
        *addresses = (struct addresses){ .count = 1, .item = { host->address } };
        return true;
    }
    if (!guard_allows_name(guard, host->name))
        return guard_refuse(err);
    const struct pin *pin = pin_name(session, host->name);
    if (!pin->ok)
        return err_set(err, pin->err.kind, "%s", pin->err.message);
    *addresses = pin->addresses;
    return true;
}

bool egress_session_resolve_web(struct egress_session *session, const struct target *target,
                                struct addresses *addresses, struct err *err)
{
    return guard_check_port(egress_guard(session->egress), GUARD_WEB, target->port, err) &&
           egress_session_resolve(session, &target->host, addresses, err);
}
