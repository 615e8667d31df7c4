/* common/net/stubs.c - what is declared and not yet there. */
#include "base/mem.h"
#include "net/dial.h"
#include "net/dns.h"
#include "net/egress.h"
#include "net/fetch.h"
#include "net/trip.h"

struct trip {
    int64_t deadline_ms;
};

static bool not_yet(struct err *err)
{
    return err_set(err, ERR_INTERNAL, "not yet");
}

bool egress_open(const struct conf *conf, struct egress **egress, struct err *err)
{
    (void)conf, (void)egress, (void)err;
    return true;
}

void egress_close(struct egress **egress)
{
    *egress = NULL;
}

const struct guard *egress_guard(const struct egress *egress)
{
    (void)egress;
    static const struct guard guard;
    return &guard;
}

const char *egress_agent(const struct egress *egress)
{
    (void)egress;
    return "";
}

const char *egress_browser_agent(const struct egress *egress)
{
    (void)egress;
    return "";
}

struct x509_store_st *egress_trust(const struct egress *egress)
{
    (void)egress;
    return NULL;
}

uint64_t egress_stray_count(const struct egress *egress)
{
    (void)egress;
    return 0;
}

struct trip *trip_new(struct egress *egress, int64_t deadline_ms)
{
    (void)egress;
    struct trip *trip = mem_new(sizeof(*trip));
    trip->deadline_ms = deadline_ms;
    return trip;
}

void trip_free(struct trip **trip)
{
    mem_free(trip);
}

bool trip_resolve(struct trip *trip, const struct host *host, struct addresses *addresses,
                  struct err *err)
{
    (void)trip, (void)host, (void)addresses;
    return not_yet(err);
}

bool fetch_guarded(struct trip *trip, const struct target *target,
                   const struct fetch_options *options, struct fetch *fetch, struct err *err)
{
    (void)trip, (void)target, (void)options, (void)fetch;
    return not_yet(err);
}

bool fetch_operator(struct egress *egress, const char *url, const struct fetch_options *options,
                    int64_t deadline_ms, struct fetch *fetch, struct err *err)
{
    (void)egress, (void)url, (void)options, (void)deadline_ms, (void)fetch;
    return not_yet(err);
}

void fetch_free(struct fetch *fetch)
{
    (void)fetch;
}

bool dial(struct trip *trip, const struct host *host, uint16_t port, int64_t connect_ms, int *fd,
          struct in6_addr *address, struct err *err)
{
    (void)trip, (void)host, (void)port, (void)connect_ms, (void)fd, (void)address;
    return not_yet(err);
}
