/* common/base/os/room.c - how much is left, and who waits for it. */
#include "base/os/room.h"

#include <assert.h>
#include <malloc.h>

#include "base/os/deadline.h"

void room_open(struct room *room, size_t bytes, size_t free_bytes, const char *crowded)
{
    *room = (struct room){
        .bytes = bytes, .free_bytes = free_bytes, .crowded = crowded, .left_bytes = bytes
    };
    pthread_mutex_init(&room->mutex, NULL);
    pthread_cond_init(&room->freed, NULL);
}

void room_close(struct room *room)
{
    pthread_cond_destroy(&room->freed);
    pthread_mutex_destroy(&room->mutex);
}

size_t room_used(struct room *room)
{
    pthread_mutex_lock(&room->mutex);
    size_t used = room->bytes - room->left_bytes;
    pthread_mutex_unlock(&room->mutex);
    return used;
}

/* With the mutex held: false when so much was not left by then. */
static bool wait_for(struct room *room, size_t bytes, int64_t deadline_ms)
{
    struct timespec until = deadline_at(deadline_ms);
    while (room->left_bytes < bytes)
        if (deadline_ms == 0 ||
            pthread_cond_clockwait(&room->freed, &room->mutex, CLOCK_MONOTONIC, &until) != 0)
            return false;
    return true;
}

bool room_claim(struct room *room, size_t bytes, int64_t deadline_ms, struct claim *claim,
                struct err *err)
{
    if (bytes <= room->free_bytes || bytes <= claim->bytes)
        return true;
    assert(deadline_ms == 0 || claim->bytes == 0);
    size_t more = bytes - claim->bytes;
    pthread_mutex_lock(&room->mutex);
    bool fits = wait_for(room, more, deadline_ms);
    if (fits)
        room->left_bytes -= more;
    pthread_mutex_unlock(&room->mutex);
    if (!fits)
        return err_set(err, ERR_OVERLOADED, "%s", room->crowded);
    *claim = (struct claim){ room, bytes };
    return true;
}

void claim_free(struct claim *claim)
{
    if (claim->bytes >= ROOM_TRIM_BYTES)
        malloc_trim(0);
    if (claim->room) {
        pthread_mutex_lock(&claim->room->mutex);
        claim->room->left_bytes += claim->bytes;
        pthread_cond_broadcast(&claim->room->freed);
        pthread_mutex_unlock(&claim->room->mutex);
    }
    *claim = (struct claim){ 0 };
}
