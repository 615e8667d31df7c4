/*
 * common/base/os/room.h - memory that all threads of a process share for what others send, and for
 * what is made of it.
 *
 * Hundreds of jobs or calls run at once, and each may be sent megabytes. What one needs beyond a
 * small part that everybody has, it claims here first, and gives back at its end.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    ROOM_TRIM_BYTES = 16 << 20, /* a claim from which on freed memory goes back to the system at
                                 * once: this thread's heap would keep it from all others */
};

/* Used by all threads. */
struct room {
    size_t bytes;
    size_t free_bytes; /* what a claim may be without being counted: it takes no lock */
    const char *crowded;
    pthread_mutex_t mutex; /* guards left_bytes */
    pthread_cond_t freed;
    size_t left_bytes;
};

/* What somebody holds; by value, a zero struct holds nothing. */
struct claim {
    struct room *room;
    size_t bytes;
};

/* crowded is the sentence for who finds no room; borrowed. */
void room_open(struct room *room, size_t bytes, size_t free_bytes, const char *crowded);
void room_close(struct room *room); /* nobody may hold anything of it */

/*
 * Let the claim grow to so many bytes in all, which must fit into an empty room; it never shrinks.
 * Waits for others to leave until deadline_ms, by clock_ms(); 0: does not wait. Whoever waits holds
 * nothing of the same room. Errors: ERR_OVERLOADED when there is no room; the claim stays as it is.
 */
bool room_claim(struct room *room, size_t bytes, int64_t deadline_ms, struct claim *claim,
                struct err *err) must_check;

/* Give back what it holds; what it stood for has been freed. */
void claim_free(struct claim *claim);

/* Bytes claimed right now, for metrics. */
size_t room_used(struct room *room);
