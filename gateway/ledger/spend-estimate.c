/* gateway/ledger/spend-estimate.c - a set-associative table by token and address. An entry without
 * early calls can be replaced. */
#include "gateway/ledger/spend-estimate.h"

#include <pthread.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/num.h"

enum { SET_ENTRIES = 4 /* entries that a token may use */ };

struct entry {
    struct uuid account;
    uint8_t token[DIGEST_BYTES];
    struct in6_addr address;
    bool is_known;     /* the ledger returned the next three fields */
    int64_t available; /* credits */
    int64_t places;    /* calls left in the tightest window */
    struct optimistic_admission optimistic;
    int64_t credits; /* of early calls that are not settled yet */
    int64_t calls;
};

struct spend_estimate {
    pthread_mutex_t lock;
    size_t set_count; /* a power of two */
    size_t next;      /* the entry of a set to replace next */
    struct entry (*sets)[SET_ENTRIES];
};

struct spend_estimate *spend_estimate_new(size_t max)
{
    struct spend_estimate *estimate = mem_new(sizeof(*estimate));
    estimate->set_count = 1;
    while (estimate->set_count * SET_ENTRIES < max)
        estimate->set_count *= 2;
    estimate->sets = mem_array(estimate->set_count, sizeof(*estimate->sets));
    pthread_mutex_init(&estimate->lock, NULL);
    return estimate;
}

void spend_estimate_free(struct spend_estimate **address)
{
    struct spend_estimate *estimate = *address;
    if (!estimate)
        return;
    pthread_mutex_destroy(&estimate->lock);
    mem_free(&estimate->sets);
    mem_free(address);
}

/* The first bytes of a digest are uniformly distributed: with the address they choose the set. */
static struct entry *set_of(const struct spend_estimate *estimate,
                            const struct admission *admission)
{
    uint64_t number;
    memcpy(&number, admission->token, sizeof(number));
    number ^= address_hash(&admission->address);
    return estimate->sets[number & (estimate->set_count - 1)];
}

static bool is_entry_of(const struct entry *entry, const struct admission *admission)
{
    return memcmp(entry->token, admission->token, DIGEST_BYTES) == 0 &&
           memcmp(&entry->address, &admission->address, sizeof(entry->address)) == 0 &&
           memcmp(&entry->account, &admission->account, sizeof(entry->account)) == 0;
}

/* The entry of the token from this address, or NULL. The lock is held. */
static struct entry *find_entry(const struct spend_estimate *estimate,
                                const struct admission *admission)
{
    struct entry *set = set_of(estimate, admission);
    for (size_t i = 0; i < SET_ENTRIES; i++)
        if (is_entry_of(&set[i], admission))
            return &set[i];
    return NULL;
}

/* The same, or a new one; NULL: all entries of the set have early calls. */
static struct entry *find_or_add_entry(struct spend_estimate *estimate,
                                       const struct admission *admission)
{
    struct entry *entry = find_entry(estimate, admission);
    struct entry *set = set_of(estimate, admission);
    for (size_t i = 0; i < SET_ENTRIES && !entry; i++) {
        struct entry *place = &set[estimate->next++ % SET_ENTRIES];
        if (place->calls > 0)
            continue;
        entry = place;
        *entry = (struct entry){ .account = admission->account, .address = admission->address };
        memcpy(entry->token, admission->token, DIGEST_BYTES);
    }
    return entry;
}

void spend_estimate_update(struct spend_estimate *estimate, const struct admission *admission,
                           const struct account_snapshot *snapshot, uint64_t connection)
{
    if (snapshot->posted < 0 || snapshot->held < 0 || snapshot->seq < 0)
        return;
    pthread_mutex_lock(&estimate->lock);
    struct entry *entry = find_or_add_entry(estimate, admission);
    if (entry) {
        entry->is_known = true;
        entry->available = snapshot->posted - snapshot->held;
        if (admission->credits > 0 && snapshot->granted >= 0)
            entry->available = MIN(entry->available, snapshot->granted);
        entry->places =
            snapshot->window_left < 0 ? SPEND_ESTIMATE_CALLS_MAX : snapshot->window_left;
        entry->optimistic = (struct optimistic_admission){ snapshot->seq, connection };
    }
    pthread_mutex_unlock(&estimate->lock);
}

void spend_estimate_block(struct spend_estimate *estimate, const struct admission *admission)
{
    pthread_mutex_lock(&estimate->lock);
    struct entry *entry = find_entry(estimate, admission);
    if (entry)
        entry->is_known = false;
    pthread_mutex_unlock(&estimate->lock);
}

/* The last place of a window is left to be asked for: another gateway may have taken it. */
static bool has_room(const struct entry *entry, int64_t credits)
{
    return entry->is_known && entry->calls + 2 <= MIN(entry->places, SPEND_ESTIMATE_CALLS_MAX) &&
           entry->credits + credits <= entry->available / SPEND_ESTIMATE_SHARE;
}

bool spend_estimate_take(struct spend_estimate *estimate, const struct admission *admission,
                         struct optimistic_admission *optimistic)
{
    pthread_mutex_lock(&estimate->lock);
    struct entry *entry = find_entry(estimate, admission);
    bool takes = entry && has_room(entry, admission->credits);
    if (takes) {
        entry->calls++;
        entry->credits += admission->credits;
        *optimistic = entry->optimistic;
    }
    pthread_mutex_unlock(&estimate->lock);
    return takes;
}

void spend_estimate_release(struct spend_estimate *estimate, const struct admission *admission)
{
    pthread_mutex_lock(&estimate->lock);
    struct entry *entry = find_entry(estimate, admission); /* it has calls, so it is still there */
    entry->calls--;
    entry->credits -= admission->credits;
    pthread_mutex_unlock(&estimate->lock);
}
