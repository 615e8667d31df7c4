/* tests/simulator/compare/story.c - the state of a sequence of random statements. */
#include "story.h"

#include "../scheduler.h"
#include "base/num.h"
#include "first.h"

enum {
    RECENT = 12,
    TIMES_MAX = 512,
    MINUTE_MS = 60000,
    NOTE_USE_MS = 5 * MINUTE_MS,
    KEEP_HOLDS_MS = 2 * MS_A_DAY,
    NEAR_MS = 10 * MINUTE_MS,
    MIDNIGHT_MS = 3000,
};

/* All tokens have high caps, and midnight is near. */
static void begin_with_caps(void)
{
    int64_t today = model_day(story.now_ms);
    for (size_t i = 0; i < story.model.token_count; i++) {
        struct m_token *token = &story.model.token[i];
        if (token->kind == 5)
            continue;
        token->cap_daily = PICK(ABSENT, 30, 300);
        token->cap_total = PICK(ABSENT, 300);
        token->spent_total = 9;
        token->spent_today = 4;
        token->spent_day = PICK(today, today - 1, today + 1);
    }
}

void story_admit_all(void)
{
    for (size_t i = 0; i < story.model.token_count; i++) {
        struct m_token *token = &story.model.token[i];
        token->kind = token->kind == 5 ? 1 : token->kind;
        token->is_revoked = false;
        token->expires_ms = ABSENT;
        token->scopes[0] = '\0';
    }
    for (size_t i = 0; i < story.model.account_count; i++) {
        story.model.account[i].state = ACCOUNT_ACTIVE;
        story.model.account[i].plan = ABSENT;
        story.model.account[i].plan_ms = ABSENT;
    }
}

void story_add_poison(void)
{
    struct m_account *account = &story.model.account[story.model.account_count++];
    *account = (struct m_account){
        .id = first_uuid(), .plan = ABSENT, .plan_ms = ABSENT, .is_poisoned = true
    };
    story.model.hold[story.model.hold_count++] =
        (struct m_hold){ .account = account->id,
                         .id = first_uuid(),
                         .amount = 1,
                         .token = ABSENT,
                         .state = HOLD_OPEN,
                         .quota_day = ABSENT,
                         .expires_ms = story.now_ms + chance_between(1, 2000),
                         .settled_ms = ABSENT };
}

void story_begin(int64_t now_ms)
{
    static const enum theme themes[] = { THEME_NONE, THEME_NONE,     THEME_NONE, THEME_QUOTAS,
                                         THEME_KEYS, THEME_PAYMENTS, THEME_KEYS, THEME_CAPS };
    story.theme = themes[chance_below(countof(themes))];
    story.now_ms = now_ms;
    if (story.theme == THEME_CAPS)
        story.now_ms = model_day(now_ms) * MS_A_DAY + chance_between(-MIDNIGHT_MS, MIDNIGHT_MS);
    story.swept_ms = -1;
    story.pruned_ms = 0;
    story.made_count = 0;
    story.is_aged = story.is_even = false;
    first_make(&story.model, story.now_ms);
    story.model.has_faults = true;
    if (chance_in(2000))
        story_add_poison();
    if (story.theme == THEME_CAPS)
        begin_with_caps();
    if (story.theme == THEME_KEYS)
        story_admit_all(); /* so most calls get to their key */
}

/* ---- calls ---- */

void story_make(const struct made *made)
{
    story.made[story.made_count++ % MADE_MAX] = *made;
}

struct made story_made(void)
{
    if (story.made_count == 0 || chance_in(500))
        return (struct made){ story_account()->id, first_uuid() };
    size_t recent = MIN(story.made_count, (size_t)RECENT);
    return story.made[(story.made_count - 1 - chance_below(recent)) % MADE_MAX];
}

struct made story_open(void)
{
    for (size_t tries = 0; tries < story.model.hold_count; tries++) {
        const struct m_hold *hold = &story.model.hold[chance_below(story.model.hold_count)];
        if (hold->state == HOLD_OPEN)
            return (struct made){ hold->account, hold->id };
    }
    return story_made();
}

struct made story_charged(void)
{
    if (story.model.entry_count == 0)
        return story_made();
    const struct m_entry *entry = &story.model.entry[chance_below(story.model.entry_count)];
    return (struct made){ entry->account, entry->reference };
}

const struct m_key *story_key(void)
{
    if (story.theme != THEME_KEYS || story.model.key_count == 0 || !chance_in(6000))
        return NULL;
    return &story.model.key[chance_below(story.model.key_count)];
}

const struct m_account *story_account(void)
{
    size_t count = story.model.account_count;
    return &story.model.account[chance_below(count - story.model.account[count - 1].is_poisoned)];
}

const struct m_token *story_token(const struct m_account *account)
{
    for (;;) {
        const struct m_token *token = &story.model.token[chance_below(story.model.token_count)];
        if (uuid_equal(&token->account, &account->id))
            return token;
    }
}

int64_t story_since(const struct uuid *account)
{
    const struct m_account *row = model_account(&story.model, account);
    int64_t seq = row ? row->seq : 0;
    return PICK(0, seq, seq, MAX(seq - 1, (int64_t)0), INT64_MAX);
}

/* ---- time ---- */

struct times {
    size_t count;
    int64_t ms[TIMES_MAX];
};

static void add_time(struct times *times, int64_t ms)
{
    bool is_near = ms > story.now_ms - NEAR_MS && ms < story.now_ms + NEAR_MS;
    if (times->count < TIMES_MAX && ms != ABSENT && (is_near || chance_in(100)))
        times->ms[times->count++] = ms;
}

/* The times at which something of an account changes. */
static void add_times_of_accounts(struct times *times)
{
    for (size_t i = 0; i < story.model.account_count; i++) {
        const struct m_account *account = &story.model.account[i];
        for (size_t j = 0; j < account->ring_count; j++)
            add_time(times, account->ring_at[j] + MINUTE_MS);
        if (account->ring_count > 0)
            add_time(times, account->ring_at[account->ring_count - 1] - MINUTE_MS);
    }
    for (size_t i = 0; i < story.model.token_count; i++) {
        const struct m_token *token = &story.model.token[i];
        add_time(times, token->expires_ms);
        if (token->last_used_ms != ABSENT)
            add_time(times, token->last_used_ms + NOTE_USE_MS);
    }
}

static void add_times_of_calls(struct times *times)
{
    for (size_t i = 0; i < story.model.hold_count; i++) {
        const struct m_hold *hold = &story.model.hold[i];
        if (hold->state == HOLD_OPEN)
            add_time(times, hold->expires_ms);
        add_time(times, hold->expires_ms + KEEP_HOLDS_MS);
    }
    for (size_t i = 0; i < story.model.key_count; i++)
        add_time(times, story.model.key[i].expires_ms);
    for (size_t i = 0; i < story.model.piece_count; i++)
        add_time(times, story.model.piece[i].expires_ms);
}

static int64_t time_of_change(void)
{
    struct times times = { 0 };
    add_times_of_accounts(&times);
    add_times_of_calls(&times);
    add_time(&times, (model_day(story.now_ms) + 1) * MS_A_DAY);
    add_time(&times, model_day(story.now_ms) * MS_A_DAY);
    if (times.count == 0)
        return story.now_ms;
    return times.ms[chance_below(times.count)] + PICK(-1, 0, 1);
}

/* Seldom that of a stored response, which is up to a day away. */
static bool go_to_end_of_key(void)
{
    if (story.theme != THEME_KEYS || story.model.key_count == 0 || !chance_in(4000))
        return false;
    const struct m_key *key = &story.model.key[chance_below(story.model.key_count)];
    bool is_near = key->expires_ms >= story.now_ms && key->expires_ms < story.now_ms + NEAR_MS;
    if (!is_near && !chance_in(1500))
        return false;
    story.now_ms = key->expires_ms + PICK(-1, 0, 0, 1);
    return true;
}

void story_pass_time(void)
{
    size_t dice = chance_below(100);
    if (go_to_end_of_key())
        return;
    if (dice < 35)
        story.now_ms = time_of_change();
    else if (dice < 60)
        story.now_ms += chance_between(1, 1500);
    else if (dice < 65)
        story.now_ms -= chance_between(1, 3000);
    else if (dice < 67)
        story.now_ms += PICK(-70000, -MS_A_DAY, MS_A_DAY, 70000);
}
