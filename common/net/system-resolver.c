/* common/net/system-resolver.c - name lookups with the system's resolver. */
#include "net/system-resolver.h"

#include <netdb.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/os/deadline.h"
#include "net/host.h"

/* Shared by the lookup thread and the waiting thread; the last to leave frees it. */
struct lookup {
    pthread_mutex_t mutex;
    pthread_cond_t done;
    int users;
    bool is_done;
    struct addresses addresses;
    char name[HOST_BYTES];
};

static void leave_lookup(struct lookup *lookup)
{
    bool is_last = --lookup->users == 0;
    pthread_mutex_unlock(&lookup->mutex);
    if (!is_last)
        return;
    pthread_mutex_destroy(&lookup->mutex);
    pthread_cond_destroy(&lookup->done);
    mem_free(&lookup);
}

static void *run_lookup(void *argument)
{
    struct lookup *lookup = argument;
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    struct in6_addr address;
    if (getaddrinfo(lookup->name, NULL, &hints, &found) != 0)
        found = NULL;
    pthread_mutex_lock(&lookup->mutex);
    for (const struct addrinfo *item = found; item; item = item->ai_next)
        if (address_of_sockaddr(item->ai_addr, &address))
            addresses_add(&lookup->addresses, &address);
    lookup->is_done = true;
    pthread_cond_signal(&lookup->done);
    leave_lookup(lookup);
    if (found)
        freeaddrinfo(found);
    return NULL;
}

static struct lookup *start_lookup(const char *name)
{
    struct lookup *lookup = mem_new(sizeof(*lookup));
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_mutex_init(&lookup->mutex, NULL);
    pthread_cond_init(&lookup->done, NULL);
    strncpy(lookup->name, name, sizeof(lookup->name) - 1);
    lookup->users = 2;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, run_lookup, lookup) != 0) {
        lookup->users = 1;
        lookup->is_done = true;
    }
    pthread_attr_destroy(&attributes);
    return lookup;
}

static void wait_for(struct lookup *lookup, int64_t deadline_ms)
{
    struct timespec until = deadline_at(deadline_ms);
    while (!lookup->is_done)
        if (pthread_cond_clockwait(&lookup->done, &lookup->mutex, CLOCK_MONOTONIC, &until) != 0)
            return;
}

bool system_resolve(const char *name, int64_t deadline_ms, struct addresses *addresses,
                    struct err *err)
{
    struct addresses found;
    struct lookup *lookup = start_lookup(name);
    pthread_mutex_lock(&lookup->mutex);
    wait_for(lookup, deadline_ms);
    found = lookup->addresses;
    leave_lookup(lookup);
    if (found.count == 0)
        return err_set(err, ERR_TARGET_DNS_FAILURE, "the host has no address in the DNS");
    *addresses = found;
    return true;
}
