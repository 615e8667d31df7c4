/* gateway/ledger/refusals.c - a few places for each token; the verdict that ends soonest is
 * replaced. */
#include "gateway/ledger/refusals.h"

#include <pthread.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/mem.h"

enum {
    SET_ENTRIES = 4, /* places in which the verdicts about a token may stand */
    NO_TOOL = -1,    /* the verdict is about the token itself */
};

struct entry {
    struct uuid account;
    uint8_t token[DIGEST_BYTES];
    struct in6_addr address; /* all zero: the verdict is the same for all clients */
    int64_t tool_id;
    int64_t asked_ms;
    int64_t answered_ms;
    int64_t until_ms;                 /* 0: the place is free */
    struct account_snapshot snapshot; /* only token, if the verdict is about the token itself */
    enum err_kind refusal;
};

struct refusals {
    pthread_mutex_t lock;
    size_t set_count; /* a power of two */
    struct entry (*sets)[SET_ENTRIES];
};

struct refusals *refusals_new(size_t max)
{
    struct refusals *refusals = mem_new(sizeof(*refusals));
    refusals->set_count = 1;
    while (refusals->set_count * SET_ENTRIES < max)
        refusals->set_count *= 2;
    refusals->sets = mem_array(refusals->set_count, sizeof(*refusals->sets));
    pthread_mutex_init(&refusals->lock, NULL);
    return refusals;
}

void refusals_free(struct refusals **address_of_refusals)
{
    struct refusals *refusals = *address_of_refusals;
    if (!refusals)
        return;
    pthread_mutex_destroy(&refusals->lock);
    mem_free(&refusals->sets);
    mem_free(address_of_refusals);
}

/* A digest is as good as random: its first bytes choose the set, together with the address, so that
 * many clients with a stolen token do not share one. */
static struct entry *set_of(const struct refusals *refusals, const struct entry *entry)
{
    uint64_t number = address_hash(&entry->address);
    uint64_t digest;
    memcpy(&digest, entry->token, sizeof(digest));
    number ^= digest;
    return refusals->sets[number & (refusals->set_count - 1)];
}

static bool is_about(const struct entry *entry, const struct entry *key)
{
    return entry->tool_id == key->tool_id && memcmp(entry->token, key->token, DIGEST_BYTES) == 0 &&
           memcmp(&entry->address, &key->address, sizeof(entry->address)) == 0 &&
           memcmp(&entry->account, &key->account, sizeof(entry->account)) == 0;
}

/* The place of the same verdict, else of the one that ends soonest. */
static struct entry *place_for(struct entry *set, const struct entry *entry)
{
    struct entry *place = set;
    for (size_t i = 0; i < SET_ENTRIES; i++) {
        if (is_about(&set[i], entry))
            return &set[i];
        if (set[i].until_ms < place->until_ms)
            place = &set[i];
    }
    return place;
}

static void store_entry(struct refusals *refusals, const struct entry *entry)
{
    pthread_mutex_lock(&refusals->lock);
    *place_for(set_of(refusals, entry), entry) = *entry;
    pthread_mutex_unlock(&refusals->lock);
}

/* Fill *entry, whose account, token, address and tool are given. */
static bool get(struct refusals *refusals, struct entry *entry, int64_t now_ms)
{
    const struct entry *set = set_of(refusals, entry);
    bool found = false;

    pthread_mutex_lock(&refusals->lock);
    for (size_t i = 0; i < SET_ENTRIES && !found; i++) {
        found = now_ms < set[i].until_ms && is_about(&set[i], entry);
        if (found)
            *entry = set[i];
    }
    pthread_mutex_unlock(&refusals->lock);
    return found;
}

/* address NULL: the entry is the same for all clients. */
static struct entry entry_of(const struct uuid *account, const uint8_t *token,
                             const struct in6_addr *address, int64_t tool_id)
{
    struct entry entry = { .account = *account, .tool_id = tool_id };
    if (address)
        entry.address = *address;
    memcpy(entry.token, token, DIGEST_BYTES);
    return entry;
}

/* ---- tokens ---- */

/* How long a verdict is stored. is_of_address: it may be another one for another client. An account
 * is suspended and resumed at any time, so that is not stored. */
static const struct verdict_rule {
    enum err_kind refusal;
    int64_t life_ms;
    bool is_of_address;
} verdict_rules[] = {
    { ERR_NONE, REFUSALS_GOOD_TOKEN_MS, true },
    { ERR_IP_NOT_ALLOWED, REFUSALS_NETWORK_MS, true },
    { ERR_AUTH_INVALID, REFUSALS_BAD_TOKEN_MS, false },
    { ERR_AUTH_REVOKED, REFUSALS_BAD_TOKEN_MS, false },
    { ERR_AUTH_EXPIRED, REFUSALS_BAD_TOKEN_MS, false },
};

static const struct verdict_rule *find_rule(enum err_kind refusal)
{
    for (size_t i = 0; i < countof(verdict_rules); i++)
        if (verdict_rules[i].refusal == refusal)
            return &verdict_rules[i];
    return NULL;
}

void refusals_add_token(struct refusals *refusals, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                        const struct token_verdict *verdict, int64_t now_ms)
{
    const struct verdict_rule *rule = find_rule(verdict->refusal);
    if (!rule)
        return;
    struct entry entry = entry_of(account, token, rule->is_of_address ? address : NULL, NO_TOOL);
    entry.refusal = verdict->refusal;
    entry.snapshot.token = verdict->token_id;
    entry.until_ms = now_ms + rule->life_ms;
    store_entry(refusals, &entry);
}

bool refusals_find_token(struct refusals *refusals, const struct uuid *account,
                         const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                         struct token_verdict *verdict, int64_t now_ms)
{
    struct entry entry = entry_of(account, token, NULL, NO_TOOL);
    bool found = get(refusals, &entry, now_ms);
    if (!found) {
        entry = entry_of(account, token, address, NO_TOOL);
        found = get(refusals, &entry, now_ms);
    }
    *verdict = (struct token_verdict){ entry.refusal, entry.snapshot.token };
    return found;
}

/* ---- windows ---- */

/* Full windows of a minute empty by time alone. A day's call may be given back, which then decides
 * as well. */
static bool is_lasting(const struct admission *admission, const struct plan_numbers *plan,
                       enum err_kind refusal)
{
    int64_t daily = plan->id > 0 && plan->daily >= 0 ? plan->daily : admission->daily_limit;
    return daily == 0 && (refusal == ERR_RATE_LIMITED_ENDPOINT ||
                          refusal == ERR_RATE_LIMITED_CLASS || refusal == ERR_RATE_LIMITED_GLOBAL);
}

void refusals_add(struct refusals *refusals, const struct admission *admission,
                  enum err_kind refusal, const struct account_snapshot *snapshot, int64_t asked_ms,
                  int64_t now_ms)
{
    struct entry entry =
        entry_of(&admission->account, admission->token, &admission->address, admission->tool_id);
    refusals_add_token(refusals, &admission->account, admission->token, &admission->address,
                       &(struct token_verdict){ refusal, snapshot->token }, now_ms);
    if (!is_lasting(admission, &snapshot->plan, refusal))
        return;
    entry.refusal = refusal;
    entry.snapshot = *snapshot;
    entry.asked_ms = asked_ms;
    entry.answered_ms = now_ms;
    entry.until_ms = asked_ms + REFUSALS_WINDOW_MS;
    store_entry(refusals, &entry);
}

/* What is left now of a time that the ledger told. False when its seconds, rounded up, depend on
 * when it looked at the clock. */
static bool take_off(int64_t *ms, const struct entry *entry, int64_t now_ms)
{
    int64_t least = *ms - (now_ms - entry->asked_ms);
    *ms -= now_ms - entry->answered_ms;
    return least > 0 && (least + 999) / 1000 == (*ms + 999) / 1000;
}

bool refusals_find(struct refusals *refusals, const struct admission *admission,
                   enum err_kind *refusal, struct account_snapshot *snapshot, int64_t now_ms)
{
    struct entry entry =
        entry_of(&admission->account, admission->token, &admission->address, admission->tool_id);
    struct token_verdict verdict;
    if (refusals_find_token(refusals, &admission->account, admission->token, &admission->address,
                            &verdict, now_ms) &&
        verdict.refusal != ERR_NONE) {
        *refusal = verdict.refusal;
        snapshot->token = verdict.token_id;
        return true;
    }
    /* an answer that was kept for a key comes before the windows */
    if (admission->has_key || !get(refusals, &entry, now_ms) ||
        !take_off(&entry.snapshot.retry_ms, &entry, now_ms) ||
        !take_off(&entry.snapshot.reset_ms, &entry, now_ms))
        return false;
    *refusal = entry.refusal;
    *snapshot = entry.snapshot;
    return true;
}
