/* tests/simulator/compare/aged.c - a database with old rows, at the limits of their retention. */
#include "aged.h"

#include <string.h>

#include "../scheduler.h"
#include "base/num.h"
#include "first.h"
#include "story.h"

enum {
    HOUR_MS = 3600000,
    KEEP_HOLDS_MS = 2 * MS_A_DAY,
    CREDITS = 90,
    TOOLS = 5,
    PIECES = 3,
    TRIES = 3,
    PIECES_MAX = KEYS_MAX / 2, /* leaves space for those that statements add */
};

static int64_t near_now(void)
{
    return story.now_ms + PICK(-2000, -1000, -500, -1, 0, 0, 1, 1000);
}

/* The index of one of its tokens; or none. */
static int64_t some_token(const struct m_account *account)
{
    return chance_in(2000) ? ABSENT : story_token(account) - story.model.token;
}

/* ---- keys and pieces ---- */

static void add_piece(const struct m_piece *piece)
{
    if (story.model.piece_count < PIECES_MAX)
        story.model.piece[story.model.piece_count++] = *piece;
}

static struct m_stored stored(int64_t size)
{
    struct m_stored stored = { .size = size };
    memset(stored.bytes, 'a', sizeof(stored.bytes));
    return stored;
}

/* Also of a call that is not done, and of one whose response is not large. */
static void add_key(struct m_hold *hold)
{
    struct m_key key = { .account = hold->account,
                         .hold = hold->id,
                         .is_done = hold->state == HOLD_CAPTURED,
                         .headers.size = ABSENT,
                         .body.size = ABSENT,
                         .expires_ms = near_now() };
    memset(key.key, (int)PICK(1, 2, 3, 4, 5, 6, 7, 8), DIGEST_BYTES);
    memset(key.fingerprint, 7, DIGEST_BYTES);
    if (model_key(&story.model, &key.account, key.key))
        return;
    if (key.is_done) {
        key.headers = stored(PICK(0, 3));
        key.body = stored(PICK(ABSENT, ABSENT, 2));
    }
    hold->has_key = true;
    memcpy(hold->key, key.key, DIGEST_BYTES);
    story.model.key[story.model.key_count++] = key;
    for (int64_t piece = 0; piece < PIECES; piece++)
        if (chance_in(6000))
            add_piece(&(struct m_piece){ .account = hold->account,
                                         .hold = hold->id,
                                         .piece = piece,
                                         .size = chance_between(1, 99),
                                         .expires_ms = near_now() });
}

/* A stored response whose call has no hold any more. */
static void add_lone_key(const struct m_account *account)
{
    struct m_hold gone = { .account = account->id, .id = first_uuid(), .state = HOLD_CAPTURED };
    add_key(&gone);
}

/* ---- calls ---- */

static struct m_hold *add_hold(const struct m_hold *hold)
{
    char unused[SQLSTATE_BYTES];
    return model_add_hold(&story.model, hold, unused);
}

/* Half of the charges have a hold, as of calls that were not paid when their work was done. */
static void add_charge(struct m_account *account, int64_t at_ms)
{
    char unused[SQLSTATE_BYTES];
    struct m_entry entry = { .account = account->id,
                             .reference = first_uuid(),
                             .seq = ++account->seq,
                             .kind = ENTRY_USAGE,
                             .amount = -chance_between(1, 3),
                             .tool = chance_between(1, TOOLS),
                             .token = some_token(account),
                             .at_ms = at_ms };
    account->posted += entry.amount;
    account->used -= entry.amount;
    entry.balance_after = account->posted;
    model_add_entry(&story.model, &entry, unused);
    if (chance_in(5000))
        return;
    struct m_hold *hold = add_hold(&(struct m_hold){ .account = account->id,
                                                     .id = entry.reference,
                                                     .amount = -entry.amount,
                                                     .tool = entry.tool,
                                                     .token = entry.token,
                                                     .state = HOLD_CAPTURED,
                                                     .quota_day = PICK(ABSENT, model_day(at_ms)),
                                                     .is_replayed = chance_in(2500),
                                                     .created_ms = at_ms,
                                                     .expires_ms = at_ms + PICK(0, 1, 1000),
                                                     .settled_ms = at_ms });
    if (chance_in(7000))
        add_key(hold);
}

static void add_ended(const struct m_account *account)
{
    int64_t expires_ms = near_now() - KEEP_HOLDS_MS;
    add_hold(&(struct m_hold){ .account = account->id,
                               .id = first_uuid(),
                               .amount = 1,
                               .tool = 1,
                               .token = ABSENT,
                               .state = PICK(HOLD_VOIDED, HOLD_EXPIRED),
                               .quota_day = ABSENT,
                               .created_ms = expires_ms,
                               .expires_ms = expires_ms,
                               .settled_ms = expires_ms });
}

/* Some are so old that no sweep has seen them in time. */
static void add_open(struct m_account *account)
{
    int64_t age_ms = PICK(0, 0, 2 * HOUR_MS, 2 * HOUR_MS, KEEP_HOLDS_MS, KEEP_HOLDS_MS);
    int64_t expires_ms = near_now() - age_ms;
    struct m_hold *hold = add_hold(&(struct m_hold){ .account = account->id,
                                                     .id = first_uuid(),
                                                     .amount = 1,
                                                     .tool = chance_between(1, TOOLS),
                                                     .token = some_token(account),
                                                     .state = HOLD_OPEN,
                                                     .quota_day = ABSENT,
                                                     .created_ms = expires_ms - 1000,
                                                     .expires_ms = expires_ms,
                                                     .settled_ms = ABSENT });
    account->held++;
    if (chance_in(6000))
        add_key(hold);
}

/* A third of the accounts have no entry that is older than holds are kept. */
static void add_past(struct m_account *account)
{
    static const int64_t ages_ms[] = { 3 * MS_A_DAY + 1,     3 * MS_A_DAY,      60 * HOUR_MS,
                                       KEEP_HOLDS_MS + 1000, KEEP_HOLDS_MS + 1, KEEP_HOLDS_MS,
                                       KEEP_HOLDS_MS,        KEEP_HOLDS_MS - 1, HOUR_MS };
    bool is_young = chance_in(3000);
    int64_t first_ms = story.now_ms - (is_young ? KEEP_HOLDS_MS : 4 * MS_A_DAY);
    first_book(&story.model, account, ENTRY_ADJUSTMENT, CREDITS, first_ms);
    first_book(&story.model, account, ENTRY_PURCHASE, CREDITS, first_ms);
    for (size_t i = 0; i < countof(ages_ms); i++)
        if (chance_in(5000) && story.now_ms - ages_ms[i] >= first_ms)
            add_charge(account, story.now_ms - ages_ms[i]);
    for (size_t holds = chance_below(4); holds > 0; holds--)
        add_ended(account);
    for (size_t holds = chance_below(4); holds > 0; holds--)
        add_open(account);
    for (size_t keys = chance_below(5); keys > 0; keys--)
        add_lone_key(account);
}

/* ---- two accounts with a call of the same id ---- */

static void copy_key(const struct m_hold *hold, const struct uuid *from)
{
    const struct m_key *key = model_key(&story.model, from, hold->key);
    if (!key || model_key(&story.model, &hold->account, hold->key))
        return;
    struct m_key copy = *key;
    copy.account = hold->account;
    story.model.key[story.model.key_count++] = copy;
    for (size_t i = story.model.piece_count; i-- > 0;) {
        struct m_piece piece = story.model.piece[i];
        if (!uuid_equal(&piece.hold, &hold->id) || !uuid_equal(&piece.account, from))
            continue;
        piece.account = hold->account;
        piece.size++;
        add_piece(&piece);
    }
}

/* The schema allows it. Often it is charged and has a key. */
static void copy_call(void)
{
    struct m_hold copy = story.model.hold[chance_below(story.model.hold_count)];
    for (size_t tries = 0; tries < TRIES && !(copy.has_key && copy.state == HOLD_CAPTURED); tries++)
        copy = story.model.hold[chance_below(story.model.hold_count)];
    const struct uuid from = copy.account;
    const struct uuid to = story_account()->id;
    struct m_account *account = model_account(&story.model, &to);
    bool is_open = copy.state == HOLD_OPEN;
    if (model_hold(&story.model, &to, &copy.id) ||
        (is_open && account->posted - account->held < copy.amount))
        return;
    account->held += is_open ? copy.amount : 0;
    copy.account = to;
    copy.token = copy.quota_day = ABSENT;
    add_hold(&copy);
    if (copy.has_key)
        copy_key(&copy, &from);
}

void aged_add(void)
{
    for (size_t i = 0; i < story.model.account_count; i++)
        if (!story.model.account[i].is_poisoned)
            add_past(&story.model.account[i]);
    for (size_t copies = chance_below(6); copies > 0 && story.model.hold_count > 0; copies--)
        copy_call();
    story.is_aged = true;
    story.model.prune_seen_ms = story.now_ms - PICK(0, 1000);
    story.model.prune_steady_ms = story.now_ms - HOUR_MS - PICK(-1, 0, 1000, 1000);
}
