/* gateway/requests/account-share.c - see account-share.h. */
#include "gateway/requests/account-share.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

struct place {
    struct dropped dropped;
    int64_t second;
    int charged; /* admitted in this second; same for others */
    int others;
};

struct account_share {
    size_t count; /* a power of two */
    size_t next;  /* where the next search for dropped records begins */
    bool has_dropped;
    struct dropped rest; /* of accounts that lost their place */
    struct place place[];
};

struct account_share *account_share_new(size_t accounts)
{
    size_t count = 1;
    while (count < accounts)
        count *= 2;
    struct account_share *share = mem_new(sizeof(*share) + count * sizeof(share->place[0]));
    share->count = count;
    return share;
}

void account_share_free(struct account_share **share)
{
    mem_free(share);
}

/* Of an account's id, the last bytes are random. */
static struct place *place_of(struct account_share *share, const struct uuid *account)
{
    uint64_t number;
    memcpy(&number, account->bytes + UUID_BYTES - sizeof(number), sizeof(number));
    return &share->place[number & (share->count - 1)];
}

static void add_dropped(struct dropped *sum, int64_t count, int64_t since_ms)
{
    sum->since_ms = sum->count > 0 ? MIN(sum->since_ms, since_ms) : since_ms;
    sum->count += count;
}

static struct place *take_place(struct account_share *share, const struct uuid *account)
{
    struct place *place = place_of(share, account);
    if (uuid_equal(&place->dropped.account, account))
        return place;
    if (place->dropped.count > 0)
        add_dropped(&share->rest, place->dropped.count, place->dropped.since_ms);
    *place = (struct place){ .dropped.account = *account };
    return place;
}

bool account_share_admit(struct account_share *share, const struct uuid *account, bool is_charged,
                         int64_t now_ms)
{
    struct place *place = take_place(share, account);
    if (place->second != now_ms / 1000) {
        place->second = now_ms / 1000;
        place->charged = 0;
        place->others = 0;
    }
    int *used = is_charged ? &place->charged : &place->others;
    if (*used < (is_charged ? SHARE_CHARGED : SHARE_OTHERS)) {
        (*used)++;
        return true;
    }
    add_dropped(&place->dropped, 1, now_ms);
    share->has_dropped = true;
    return false;
}

static bool move_dropped(struct dropped *from, struct dropped *list, size_t *count)
{
    if (from->count == 0)
        return false;
    list[(*count)++] = *from;
    from->count = 0;
    return true;
}

size_t account_share_take_dropped(struct account_share *share, struct dropped *list, size_t max)
{
    size_t count = 0;
    if (!share->has_dropped || max == 0)
        return 0;
    move_dropped(&share->rest, list, &count);
    for (size_t looked = 0; looked < share->count; looked++) {
        if (count == max)
            return count; /* the rest is found by the next call */
        move_dropped(&share->place[share->next].dropped, list, &count);
        share->next = (share->next + 1) & (share->count - 1);
    }
    share->has_dropped = false;
    return count;
}
