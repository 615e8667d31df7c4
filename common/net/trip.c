/* common/net/trip.c - one job's way out. */
#include "net/trip.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/dns.h"
#include "net/system-resolver.h"

enum { RESOLVE_MS = 3000 };

/* A name that was, or is being, looked up. */
struct pin {
    struct pin *next;
    char name[HOST_BYTES];
    bool is_done;
    bool ok;
    struct addresses addresses; /* when ok */
    struct err err;             /* when not */
};

struct trip {
    struct egress *egress;
    int64_t deadline_ms;
    pthread_mutex_t mutex; /* guards the pins */
    pthread_cond_t done;
    struct pin *first;
};

struct trip *trip_new(struct egress *egress, int64_t deadline_ms)
{
    struct trip *trip = mem_new(sizeof(*trip));
    trip->egress = egress;
    trip->deadline_ms = deadline_ms;
    pthread_mutex_init(&trip->mutex, NULL);
    pthread_cond_init(&trip->done, NULL);
    return trip;
}

void trip_free(struct trip **address)
{
    struct trip *trip = *address;
    if (!trip)
        return;
    while (trip->first) {
        struct pin *next = trip->first->next;
        mem_free(&trip->first);
        trip->first = next;
    }
    pthread_mutex_destroy(&trip->mutex);
    pthread_cond_destroy(&trip->done);
    mem_free(address);
}

struct egress *trip_egress(const struct trip *trip)
{
    return trip->egress;
}

int64_t trip_deadline_ms(const struct trip *trip)
{
    return trip->deadline_ms;
}

int64_t trip_left_ms(const struct trip *trip)
{
    return deadline_left_ms(trip->deadline_ms);
}

int64_t trip_until_ms(const struct trip *trip, int64_t limit_ms)
{
    return deadline_within(trip->deadline_ms, limit_ms);
}

static bool look_up(struct trip *trip, const char *name, struct addresses *addresses,
                    struct err *err)
{
    int64_t deadline_ms = trip_until_ms(trip, RESOLVE_MS);
    if (egress_asks_system(trip->egress))
        return system_resolve(name, deadline_ms, addresses, err);
    return dns_addresses(trip->egress, name, deadline_ms, addresses, err);
}

/* All of them: a name with one good and one inner address is an attempt. */
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

static struct pin *find_pin(struct trip *trip, const char *name)
{
    struct pin *pin = trip->first;
    while (pin && strcmp(pin->name, name) != 0)
        pin = pin->next;
    return pin;
}

/* The pin of a name, done. Whoever comes first looks up, the others wait. */
static const struct pin *pin_name(struct trip *trip, const char *name)
{
    pthread_mutex_lock(&trip->mutex);
    struct pin *pin = find_pin(trip, name);
    bool is_first = !pin;
    if (is_first) {
        pin = mem_new(sizeof(*pin));
        snprintf(pin->name, sizeof(pin->name), "%s", name);
        pin->next = trip->first;
        trip->first = pin;
    }
    while (!is_first && !pin->is_done)
        pthread_cond_wait(&trip->done, &trip->mutex); /* a lookup ends by its own deadline */
    pthread_mutex_unlock(&trip->mutex);
    if (!is_first)
        return pin;

    bool ok = look_up(trip, name, &pin->addresses, &pin->err) &&
              check_addresses(egress_guard(trip->egress), &pin->addresses, &pin->err);
    pthread_mutex_lock(&trip->mutex);
    pin->ok = ok;
    pin->is_done = true;
    pthread_cond_broadcast(&trip->done);
    pthread_mutex_unlock(&trip->mutex);
    return pin;
}

bool trip_resolve(struct trip *trip, const struct host *host, struct addresses *addresses,
                  struct err *err)
{
    const struct guard *guard = egress_guard(trip->egress);
    if (host->is_address) {
        if (!guard_allows_address(guard, &host->address))
            return guard_refuse(err);
        *addresses = (struct addresses){ .count = 1, .item = { host->address } };
        return true;
    }
    if (!guard_allows_name(guard, host->name))
        return guard_refuse(err);
    const struct pin *pin = pin_name(trip, host->name);
    if (!pin->ok)
        return err_set(err, pin->err.kind, "%s", pin->err.message);
    *addresses = pin->addresses;
    return true;
}

bool trip_resolve_web(struct trip *trip, const struct target *target, struct addresses *addresses,
                      struct err *err)
{
    return guard_check_port(egress_guard(trip->egress), GUARD_WEB, target->port, err) &&
           trip_resolve(trip, &target->host, addresses, err);
}
