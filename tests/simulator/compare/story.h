/* tests/simulator/compare/story.h - the state of a sequence of random statements. */
#pragma once

#include "../model/model.h"

enum { MADE_MAX = 256 };

/* A call that was sent. */
struct made {
    struct uuid account, id;
};

/* What many calls of a story have in common, so that few of them are rejected for other reasons. */
enum theme { THEME_NONE, THEME_QUOTAS, THEME_KEYS, THEME_PAYMENTS, THEME_CAPS };

struct story {
    struct model model, scratch;
    enum theme theme;
    bool is_aged;   /* its database has old rows */
    bool is_even;   /* calls leave as much in their tool's window as in their account's */
    int64_t now_ms; /* the database's clock */
    int64_t swept_ms, pruned_ms;
    size_t made_count;
    struct made made[MADE_MAX];
};
extern struct story story;

void story_begin(int64_t now_ms);

/* Another account, without tokens, whose only hold cannot be released. */
void story_add_poison(void);

/* No token, state or plan rejects a call. */
void story_admit_all(void);

/* Move the clock: often to a time at which something changes, or 1 ms before or after. */
void story_pass_time(void);

void story_make(const struct made *made);
struct made story_made(void);    /* one of the last calls; sometimes an unknown one */
struct made story_open(void);    /* one with an open hold, if there is one */
struct made story_charged(void); /* one with an entry, if there is one */
/* Often a key that is stored, also one that is past its time; else NULL. */
const struct m_key *story_key(void);
const struct m_account *story_account(void);
const struct m_token *story_token(const struct m_account *account); /* one of its tokens */

/* A seq that a gateway could have seen before a payment's work. */
int64_t story_since(const struct uuid *account);
