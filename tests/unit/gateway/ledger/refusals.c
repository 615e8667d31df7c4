/* tests/unit/gateway/ledger/refusals.c - the rejection cache: what is rejected from memory, how,
 * and for how long. */
#include "gateway/ledger/refusals.h"

#include <stdio.h>
#include <string.h>

#include "rows.h"

enum { START_MS = 1000000, TOOL = 7 };

static const struct account_snapshot full = { .posted = 90,
                                              .held = 3,
                                              .window_limit = 10,
                                              .window_left = 0,
                                              .reset_ms = 20000,
                                              .retry_ms = 30000 };

/* A call to the tool; one byte each identifies account and token. */
static const struct uuid TOKEN_ID = { "the token's id" };

static struct admission call_of(char account, char token)
{
    struct admission call = { .tool_id = TOOL, .endpoint_limit = 10, .address = in6addr_loopback };
    memset(&call.account, account, sizeof(call.account));
    memset(call.token, token, sizeof(call.token));
    return call;
}

/* The client's address is ::1, unless a test changes it. */
static void add_token(struct refusals *refusals, const struct admission *call,
                      enum err_kind refusal, int64_t at_ms)
{
    struct token_verdict verdict = { refusal, TOKEN_ID };
    refusals_add_token(refusals, &call->account, call->token, &call->address, &verdict, at_ms);
}

static enum err_kind find_token_from(struct refusals *refusals, const struct admission *call,
                                     int64_t at_ms)
{
    struct token_verdict verdict;
    if (!refusals_find_token(refusals, &call->account, call->token, &call->address, &verdict,
                             at_ms))
        return ERR_INTERNAL;
    assert_memory_equal(&verdict.token_id, &TOKEN_ID, sizeof(TOKEN_ID));
    return verdict.refusal;
}

static enum err_kind find_token(struct refusals *refusals, char account, char token, int64_t at_ms)
{
    struct admission call = call_of(account, token);
    return find_token_from(refusals, &call, at_ms);
}

/* How the call is rejected from memory; ERR_NONE: it is not. */
static enum err_kind ask(struct refusals *refusals, const struct admission *call, int64_t at_ms,
                         struct account_snapshot *snapshot)
{
    enum err_kind refusal;
    *snapshot = EMPTY_SNAPSHOT;
    return refusals_find(refusals, call, &refusal, snapshot, at_ms) ? refusal : ERR_NONE;
}

/* ---- tokens: what is known of one, this many milliseconds later ---- */

static const struct verdict {
    const char *name;
    enum err_kind verdict;
    int64_t later_ms;
    bool is_known;
    bool refuses;       /* a call that is admitted in another way */
    bool is_of_address; /* not known of the same token from elsewhere */
} verdicts[] = {
    { "unknown", ERR_AUTH_INVALID, 0, true, true },
    { "unknown, a minute less 1 ms ago", ERR_AUTH_INVALID, 59999, true, true },
    { "unknown, a minute ago", ERR_AUTH_INVALID, 60000, false, false },
    { "revoked", ERR_AUTH_REVOKED, 59999, true, true },
    { "expired", ERR_AUTH_EXPIRED, 59999, true, true },
    { "good", ERR_NONE, 999, true, false, true },
    { "good, a second ago", ERR_NONE, 1000, false, false },
    { "not in its networks", ERR_IP_NOT_ALLOWED, 999, true, true, true },
    { "not in its networks, a second ago", ERR_IP_NOT_ALLOWED, 1000, false, false },
    { "of a suspended account", ERR_ACCOUNT_SUSPENDED, 0, false, false },
    { "for other tools", ERR_SCOPE_DENIED, 0, false, false },
    { "without credits", ERR_INSUFFICIENT_CREDITS, 0, false, false },
    { "not looked up", ERR_LEDGER_UNAVAILABLE, 0, false, false },
};

static void check_verdict(void **state)
{
    const struct verdict *row = *state;
    scoped(refusals_free) struct refusals *refusals = refusals_new(16);
    struct admission call = call_of('a', 't');
    struct account_snapshot snapshot;

    add_token(refusals, &call, row->verdict, START_MS);
    assert_int_equal(find_token(refusals, 'a', 't', START_MS + row->later_ms),
                     row->is_known ? row->verdict : ERR_INTERNAL);
    assert_int_equal(find_token(refusals, 'b', 't', START_MS), ERR_INTERNAL);
    assert_int_equal(find_token(refusals, 'a', 'u', START_MS), ERR_INTERNAL);
    struct admission elsewhere = call_of('a', 't');
    elsewhere.address.s6_addr[0] = 0x20;
    assert_int_equal(find_token_from(refusals, &elsewhere, START_MS + row->later_ms),
                     row->is_known && !row->is_of_address ? row->verdict : ERR_INTERNAL);
    call.has_key = true; /* also a call whose response may be stored */
    assert_int_equal(ask(refusals, &call, START_MS + row->later_ms, &snapshot),
                     row->refuses ? row->verdict : ERR_NONE);
    assert_int_equal(uuid_equal(&snapshot.token, &TOKEN_ID), row->refuses);
}

static void the_last_verdict_counts(void **state)
{
    (void)state;
    scoped(refusals_free) struct refusals *refusals = refusals_new(16);
    struct admission call = call_of('a', 't');
    struct account_snapshot snapshot = { .token = TOKEN_ID };

    add_token(refusals, &call, ERR_NONE, START_MS);
    refusals_add(refusals, &call, ERR_AUTH_REVOKED, &snapshot, START_MS, START_MS);
    assert_int_equal(find_token(refusals, 'a', 't', START_MS), ERR_AUTH_REVOKED);
    add_token(refusals, &call, ERR_AUTH_EXPIRED, START_MS); /* in the same place */
    assert_int_equal(find_token(refusals, 'a', 't', START_MS), ERR_AUTH_EXPIRED);

    scoped(refusals_free) struct refusals *others = refusals_new(4);
    add_token(others, &call, ERR_AUTH_INVALID, START_MS); /* in the first place */
    add_token(others, &call, ERR_AUTH_EXPIRED, START_MS);
    assert_int_equal(find_token(others, 'a', 't', START_MS), ERR_AUTH_EXPIRED);
}

/* A stolen token, sent from other networks, does not reject its owner's calls. */
static void a_wrong_address_is_not_the_owners(void **state)
{
    (void)state;
    scoped(refusals_free) struct refusals *refusals = refusals_new(4); /* one set */
    struct admission owner = call_of('a', 't'), thief = call_of('a', 't');
    struct account_snapshot snapshot = EMPTY_SNAPSHOT;

    thief.address.s6_addr[0] = 0x20;
    refusals_add(refusals, &thief, ERR_IP_NOT_ALLOWED, &snapshot, START_MS, START_MS);
    assert_int_equal(ask(refusals, &thief, START_MS, &snapshot), ERR_IP_NOT_ALLOWED);
    assert_int_equal(ask(refusals, &owner, START_MS, &snapshot), ERR_NONE);
    refusals_add(refusals, &owner, ERR_AUTH_REVOKED, &snapshot, START_MS, START_MS);
    assert_int_equal(ask(refusals, &thief, START_MS, &snapshot), ERR_AUTH_REVOKED);
}

/* ---- windows: a call was rejected, and is repeated ---- */

static const struct again {
    const char *name;
    enum err_kind refusal;
    int64_t retry_ms; /* the ledger's result */
    int64_t reset_ms;
    int64_t took_ms;  /* between request and result */
    int64_t later_ms; /* after the result */
    bool is_refused;
    int64_t then_retry_ms;
    int64_t then_reset_ms;
} agains[] = {
    { "at once", ERR_RATE_LIMITED_ENDPOINT, 30500, 20500, 0, 0, true, 30500, 20500 },
    { "the class", ERR_RATE_LIMITED_CLASS, 30500, 20500, 0, 0, true, 30500, 20500 },
    { "everything together", ERR_RATE_LIMITED_GLOBAL, 30500, 20500, 0, 0, true, 30500, 20500 },
    { "the day is over sooner", ERR_DAILY_QUOTA_EXCEEDED, 30500, 20500, 0, 0, false, 0, 0 },
    { "credits come at any time", ERR_INSUFFICIENT_CREDITS, 30500, 20500, 0, 0, false, 0, 0 },
    { "times pass", ERR_RATE_LIMITED_ENDPOINT, 30500, 20500, 0, 999, true, 29501, 19501 },
    { "for a second", ERR_RATE_LIMITED_ENDPOINT, 30500, 20500, 0, 1000, false, 0, 0 },
    { "a second from the question on", ERR_RATE_LIMITED_ENDPOINT, 30500, 20500, 40, 960, false, 0,
      0 },
    { "not longer than it is full", ERR_RATE_LIMITED_ENDPOINT, 300, 300, 0, 299, true, 1, 1 },
    { "full no more", ERR_RATE_LIMITED_ENDPOINT, 300, 300, 0, 300, false, 0, 0 },
    { "perhaps full no more", ERR_RATE_LIMITED_ENDPOINT, 300, 300, 40, 270, false, 0, 0 },
    { "31 s, whenever the clock was read", ERR_RATE_LIMITED_ENDPOINT, 30500, 20500, 40, 459, true,
      30041, 20041 },
    { "31 or 30 s", ERR_RATE_LIMITED_ENDPOINT, 30500, 20500, 40, 480, false, 0, 0 },
    { "30 s, whenever the clock was read", ERR_RATE_LIMITED_ENDPOINT, 30500, 20500, 40, 500, true,
      30000, 20000 },
    { "21 or 20 s until a call leaves", ERR_RATE_LIMITED_ENDPOINT, 30700, 20500, 40, 480, false, 0,
      0 },
    { "a call has left", ERR_RATE_LIMITED_ENDPOINT, 30500, 100, 0, 100, false, 0, 0 },
};

static void check_again(void **state)
{
    const struct again *row = *state;
    scoped(refusals_free) struct refusals *refusals = refusals_new(16);
    struct admission call = call_of('a', 't');
    struct account_snapshot said = full;
    struct account_snapshot snapshot;
    int64_t answered_ms = START_MS + row->took_ms;

    said.retry_ms = row->retry_ms;
    said.reset_ms = row->reset_ms;
    refusals_add(refusals, &call, row->refusal, &said, START_MS, answered_ms);
    assert_int_equal(ask(refusals, &call, answered_ms + row->later_ms, &snapshot),
                     row->is_refused ? row->refusal : ERR_NONE);
    if (!row->is_refused)
        return;
    said.retry_ms = row->then_retry_ms;
    said.reset_ms = row->then_reset_ms;
    assert_memory_equal(&snapshot, &said, sizeof(said));
}

/* ---- which calls are the same ---- */

enum change {
    NOTHING,
    ACCOUNT,
    TOKEN,
    ADDRESS,
    OTHER_TOOL,
    KEY,
    DAILY_LIMIT,
    PLAN_DAILY,
    PLAN_NO_DAILY,
    PLAN_OTHER_NUMBERS
};

static const struct other {
    const char *name;
    enum change change;
    enum err_kind refusal;
} others[] = {
    { "the same call", NOTHING, ERR_RATE_LIMITED_ENDPOINT },
    { "of another account", ACCOUNT, ERR_NONE },
    { "with another token", TOKEN, ERR_NONE },
    { "from another address", ADDRESS, ERR_NONE },
    { "to another tool", OTHER_TOOL, ERR_NONE },
    { "with an Idempotency-Key", KEY, ERR_NONE },
    { "to a tool whose daily calls are given back", DAILY_LIMIT, ERR_NONE },
    { "to a tool with a daily limit by plan", PLAN_DAILY, ERR_NONE },
    { "to a tool without a daily limit by plan", PLAN_NO_DAILY, ERR_RATE_LIMITED_ENDPOINT },
    { "to a tool without a daily limit, with a plan that names none", PLAN_OTHER_NUMBERS,
      ERR_RATE_LIMITED_ENDPOINT },
};

static void check_other(void **state)
{
    const struct other *row = *state;
    scoped(refusals_free) struct refusals *refusals = refusals_new(16);
    struct admission call = call_of('a', 't');
    struct account_snapshot snapshot, said = full;

    call.daily_limit = row->change == DAILY_LIMIT || row->change == PLAN_NO_DAILY ? 5 : 0;
    if (row->change == PLAN_DAILY || row->change == PLAN_NO_DAILY)
        said.plan = (struct plan_numbers){ .id = 1, .daily = row->change == PLAN_DAILY ? 7 : 0 };
    if (row->change == PLAN_OTHER_NUMBERS)
        said.plan = (struct plan_numbers){ .id = 1, .daily = -1 };
    refusals_add(refusals, &call, ERR_RATE_LIMITED_ENDPOINT, &said, START_MS, START_MS);
    if (row->change == ACCOUNT)
        memset(&call.account, 'b', sizeof(call.account));
    if (row->change == TOKEN)
        call.token[DIGEST_BYTES - 1] = 'u'; /* its first bytes lead to the same places */
    call.address.s6_addr[0] = row->change == ADDRESS;
    call.tool_id += row->change == OTHER_TOOL;
    call.has_key = row->change == KEY;
    assert_int_equal(ask(refusals, &call, START_MS, &snapshot), row->refusal);
}

/* ---- room ---- */

/* Tokens whose first bytes choose each set equally often fill it. */
static void there_is_room_for_as_many_as_asked(void **state)
{
    (void)state;
    scoped(refusals_free) struct refusals *refusals = refusals_new(16);
    for (int token = '@'; token < '@' + 16; token++) {
        struct admission call = call_of('a', (char)token);
        add_token(refusals, &call, ERR_AUTH_INVALID, START_MS);
    }
    for (int token = '@'; token < '@' + 16; token++)
        assert_int_equal(find_token(refusals, 'a', (char)token, START_MS), ERR_AUTH_INVALID);
}

static void what_ends_soonest_is_replaced(void **state)
{
    (void)state;
    scoped(refusals_free) struct refusals *refusals = refusals_new(4); /* one set */
    for (int token = 'a'; token < 'f'; token++) {
        struct admission call = call_of('a', (char)token);
        add_token(refusals, &call, ERR_AUTH_INVALID, START_MS + (token == 'c' ? -1 : token));
    }
    for (int token = 'a'; token < 'f'; token++)
        assert_int_equal(find_token(refusals, 'a', (char)token, START_MS),
                         token == 'c' ? ERR_INTERNAL : ERR_AUTH_INVALID);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(the_last_verdict_counts),
        cmocka_unit_test(a_wrong_address_is_not_the_owners),
        cmocka_unit_test(what_ends_soonest_is_replaced),
        cmocka_unit_test(there_is_room_for_as_many_as_asked),
    };
    return RUN_ROWS(verdicts, check_verdict) + RUN_ROWS(agains, check_again) +
           RUN_ROWS(others, check_other) + cmocka_run_group_tests(singles, NULL, NULL);
}
