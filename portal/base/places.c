/* portal/base/places.c - see places.h. */
#include "portal/base/places.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/uuid.h"
#include "base/mem.h"

struct places {
    pthread_mutex_t mutex; /* guards account */
    size_t count;
    size_t of_account;
    char (*account)[UUID_TEXT_BYTES]; /* the account that has each place; "": free */
};

struct places *places_new(size_t count, size_t of_account)
{
    struct places *places = mem_new(sizeof(*places));
    places->count = count;
    places->of_account = of_account;
    places->account = mem_array(count, sizeof(*places->account));
    pthread_mutex_init(&places->mutex, NULL);
    return places;
}

void places_free(struct places **places)
{
    if (!*places)
        return;
    pthread_mutex_destroy(&(*places)->mutex);
    mem_free(&(*places)->account);
    mem_free(places);
}

bool places_enter(struct places *places, const char *account)
{
    char *place = NULL;
    size_t taken = 0; /* by this account */
    pthread_mutex_lock(&places->mutex);
    for (size_t i = 0; i < places->count; i++) {
        if (!places->account[i][0])
            place = places->account[i];
        taken += strcmp(places->account[i], account) == 0;
    }
    bool may = place && taken < places->of_account;
    if (may)
        snprintf(place, UUID_TEXT_BYTES, "%s", account);
    pthread_mutex_unlock(&places->mutex);
    return may;
}

void places_leave(struct places *places, const char *account)
{
    size_t i = 0;
    pthread_mutex_lock(&places->mutex);
    while (i < places->count && strcmp(places->account[i], account) != 0)
        i++;
    if (i < places->count)
        places->account[i][0] = '\0';
    pthread_mutex_unlock(&places->mutex);
}
