/* gateway/ledger/headroom.c - a few places for each token; one without calls on their way is
 * replaced. */
#include "gateway/ledger/headroom.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { SET_ENTRIES = 4 /* places in which a token may stand */ };

struct entry {
    struct uuid account;
    uint8_t token[DIGEST_BYTES];
    bool is_known;     /* what follows was told by the ledger */
    int64_t available; /* credits */
    int64_t places;    /* in the tightest window of the call it was told for */
    struct advance advance;
    int64_t credits; /* of the calls that went ahead and have not returned */
    int64_t calls;
};

struct headroom {
    pthread_mutex_t lock;
    size_t set_count; /* a power of two */
    size_t next;      /* which place of a set is replaced next */
    struct entry (*sets)[SET_ENTRIES];
};

struct headroom *headroom_new(size_t max)
{
    struct headroom *headroom = mem_new(sizeof(*headroom));
    headroom->set_count = 1;
    while (headroom->set_count * SET_ENTRIES < max)
        headroom->set_count *= 2;
    headroom->sets = mem_array(headroom->set_count, sizeof(*headroom->sets));
    pthread_mutex_init(&headroom->lock, NULL);
    return headroom;
}

void headroom_free(struct headroom **address)
{
    struct headroom *headroom = *address;
    if (!headroom)
        return;
    pthread_mutex_destroy(&headroom->lock);
    mem_free(&headroom->sets);
    mem_free(address);
}

/* A digest is as good as random: its first bytes choose the set. */
static struct entry *set_of(const struct headroom *headroom, const struct admission *admission)
{
    uint64_t number;
    memcpy(&number, admission->token, sizeof(number));
    return headroom->sets[number & (headroom->set_count - 1)];
}

static bool is_about(const struct entry *entry, const struct admission *admission)
{
    return memcmp(entry->token, admission->token, DIGEST_BYTES) == 0 &&
           memcmp(&entry->account, &admission->account, sizeof(entry->account)) == 0;
}

/* The token's place; NULL: it has none. The lock is held. */
static struct entry *find(const struct headroom *headroom, const struct admission *admission)
{
    struct entry *set = set_of(headroom, admission);
    for (size_t i = 0; i < SET_ENTRIES; i++)
        if (is_about(&set[i], admission))
            return &set[i];
    return NULL;
}

/* The token's place, or one for it; NULL: calls of others are on their way in all of them. */
static struct entry *place_for(struct headroom *headroom, const struct admission *admission)
{
    struct entry *entry = find(headroom, admission);
    struct entry *set = set_of(headroom, admission);
    for (size_t i = 0; i < SET_ENTRIES && !entry; i++) {
        struct entry *place = &set[headroom->next++ % SET_ENTRIES];
        if (place->calls > 0)
            continue;
        entry = place;
        *entry = (struct entry){ .account = admission->account };
        memcpy(entry->token, admission->token, DIGEST_BYTES);
    }
    return entry;
}

void headroom_tell(struct headroom *headroom, const struct admission *admission,
                   const struct standing *standing, uint64_t connection)
{
    if (standing->posted < 0 || standing->held < 0 || standing->seq < 0)
        return;
    pthread_mutex_lock(&headroom->lock);
    struct entry *entry = place_for(headroom, admission);
    if (entry) {
        entry->is_known = true;
        entry->available = standing->posted - standing->held;
        if (admission->credits > 0 && standing->granted >= 0)
            entry->available = MIN(entry->available, standing->granted);
        entry->places = standing->window_left < 0 ? HEADROOM_CALLS_MAX : standing->window_left;
        entry->advance = (struct advance){ standing->seq, connection };
    }
    pthread_mutex_unlock(&headroom->lock);
}

void headroom_forget(struct headroom *headroom, const struct admission *admission)
{
    pthread_mutex_lock(&headroom->lock);
    struct entry *entry = find(headroom, admission);
    if (entry)
        entry->is_known = false;
    pthread_mutex_unlock(&headroom->lock);
}

/* The last place of a window is left to be asked for: another gateway may have taken it. */
static bool has_room(const struct entry *entry, int64_t credits)
{
    return entry->is_known && entry->calls + 2 <= MIN(entry->places, HEADROOM_CALLS_MAX) &&
           entry->credits + credits <= entry->available / HEADROOM_SHARE;
}

bool headroom_take(struct headroom *headroom, const struct admission *admission,
                   struct advance *advance)
{
    pthread_mutex_lock(&headroom->lock);
    struct entry *entry = find(headroom, admission);
    bool takes = entry && has_room(entry, admission->credits);
    if (takes) {
        entry->calls++;
        entry->credits += admission->credits;
        *advance = entry->advance;
    }
    pthread_mutex_unlock(&headroom->lock);
    return takes;
}

void headroom_return(struct headroom *headroom, const struct admission *admission)
{
    pthread_mutex_lock(&headroom->lock);
    struct entry *entry = find(headroom, admission); /* it has calls, so it is still there */
    entry->calls--;
    entry->credits -= admission->credits;
    pthread_mutex_unlock(&headroom->lock);
}
