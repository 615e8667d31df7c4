/* gateway/ledger/large-response-places.c - see large-response-places.h. */
#include "gateway/ledger/large-response-places.h"

#include <assert.h>
#include <pthread.h>

#include "base/mem.h"
#include "base/os/deadline.h"

struct large_response_places {
    size_t count;
    size_t per_account;
    pthread_mutex_t mutex; /* guards the members below */
    pthread_cond_t given_back;
    size_t taken;
    struct uuid holder[]; /* the accounts of the taken places */
};

struct large_response_places *large_response_places_new(size_t count, size_t per_account)
{
    struct large_response_places *places =
        mem_new(sizeof(*places) + count * sizeof(*places->holder));
    assert(per_account > 0 && per_account < count);
    places->count = count;
    places->per_account = per_account;
    pthread_mutex_init(&places->mutex, NULL);
    pthread_cond_init(&places->given_back, NULL);
    return places;
}

void large_response_places_free(struct large_response_places **places)
{
    if (!*places)
        return;
    pthread_cond_destroy(&(*places)->given_back);
    pthread_mutex_destroy(&(*places)->mutex);
    mem_free(places);
}

static size_t count_held(const struct large_response_places *places, const struct uuid *account)
{
    size_t held = 0;
    for (size_t i = 0; i < places->taken; i++)
        held += uuid_equal(&places->holder[i], account);
    return held;
}

bool large_response_places_take(struct large_response_places *places, const struct uuid *account,
                                int64_t wait_ms, struct err *err)
{
    struct timespec until = deadline_in(wait_ms);
    bool has_waited = false;
    bool is_full, is_share_full;

    pthread_mutex_lock(&places->mutex);
    for (;;) {
        is_full = places->taken == places->count;
        is_share_full = count_held(places, account) == places->per_account;
        if (!(is_full || is_share_full) || has_waited)
            break;
        has_waited = pthread_cond_clockwait(&places->given_back, &places->mutex, CLOCK_MONOTONIC,
                                            &until) != 0;
    }
    bool ok = !is_full && !is_share_full;
    if (ok)
        places->holder[places->taken++] = *account;
    pthread_mutex_unlock(&places->mutex);
    return ok || err_set(err, ERR_OVERLOADED,
                         "too many large responses%s are being stored or read; nothing was "
                         "charged, please retry",
                         is_share_full ? " of this account" : "");
}

/* Wake all: the next waiter may be of an account that has no place left. */
void large_response_places_give(struct large_response_places *places, const struct uuid *account)
{
    size_t i = 0;
    pthread_mutex_lock(&places->mutex);
    while (i < places->taken && !uuid_equal(&places->holder[i], account))
        i++;
    assert(i < places->taken);
    places->holder[i] = places->holder[--places->taken];
    pthread_cond_broadcast(&places->given_back);
    pthread_mutex_unlock(&places->mutex);
}
