/* tests/unit/gateway/ledger/large-response-places.c - the places for large responses: all of them,
 * and those of one account. */
#include "gateway/ledger/large-response-places.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include "rows.h"

enum { WAIT_MS = 1, LONG_MS = 60000 };

#define FULL "too many large responses are"
#define OWN  "too many large responses of this account are"

/* An upper-case letter takes a place for its account, a lower-case one gives it back. The last
 * letter is the one that is tested. */
static const struct row {
    const char *name;
    size_t count, per_account;
    const char *steps;
    const char *error; /* NULL: the last one gets a place */
} rows[] = {
    { "the first", 2, 1, "A", NULL },
    { "another account", 2, 1, "AB", NULL },
    { "an account has its place", 2, 1, "AA", OWN },
    { "all places are taken", 2, 1, "ABC", FULL },
    { "all are taken, and the account has one", 3, 2, "AABB", FULL },
    { "all are taken, and so are the account's", 3, 2, "ABBB", OWN },
    { "two of an account", 4, 2, "AA", NULL },
    { "three of an account", 4, 2, "AAA", OWN },
    { "others beside a full account", 4, 2, "AABB", NULL },
    { "one is given back", 4, 2, "AAaA", NULL },
    { "another account gives back", 4, 2, "AABbA", OWN },
    { "the first of several is given back", 4, 2, "ABCDaA", NULL },
    { "the last of several is given back", 4, 2, "ABCDdA", NULL },
    { "given back, and all are taken again", 4, 2, "ABCDaEA", FULL },
};

static struct uuid account_of(char letter)
{
    struct uuid account;
    memset(account.bytes, toupper((unsigned char)letter), sizeof(account.bytes));
    return account;
}

static void give_all(struct large_response_places *places, int held[static 256])
{
    for (int letter = 'A'; letter <= 'Z'; letter++) {
        struct uuid account = account_of((char)letter);
        while (held[letter]-- > 0)
            large_response_places_give(places, &account);
    }
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(large_response_places_free) struct large_response_places *places =
        large_response_places_new(row->count, row->per_account);
    int held[256] = { 0 };
    struct err err = { 0 };
    for (const char *step = row->steps; *step; step++) {
        struct uuid account = account_of(*step);
        bool is_tested = step[1] == '\0' && row->error;
        if (islower((unsigned char)*step))
            large_response_places_give(places, &account);
        else
            assert_int_equal(large_response_places_take(places, &account, WAIT_MS, &err),
                             !is_tested);
        held[toupper((unsigned char)*step)] += islower((unsigned char)*step) ? -1 : !is_tested;
    }
    if (row->error) {
        assert_int_equal(err.kind, ERR_OVERLOADED);
        assert_memory_equal(err.message, row->error, strlen(row->error));
    }
    give_all(places, held);
}

/* ---- waiting ---- */

struct waiter {
    struct large_response_places *places;
    struct uuid account;
    bool ok;
};

static void *take_place(void *context)
{
    struct waiter *waiter = context;
    struct err err = { 0 };
    waiter->ok = large_response_places_take(waiter->places, &waiter->account, LONG_MS, &err);
    return NULL;
}

/* Two wait: one for its own account's place, one for any. The second one gets the place that a
 * third account gives back, although the first one waits too. */
static void a_place_wakes_whom_it_serves(void **state)
{
    (void)state;
    scoped(large_response_places_free) struct large_response_places *places =
        large_response_places_new(2, 1);
    struct waiter waiter[] = { { places, account_of('A'), false },
                               { places, account_of('C'), false } };
    struct uuid other = account_of('B');
    struct err err = { 0 };
    pthread_t thread[countof(waiter)];
    assert_true(large_response_places_take(places, &waiter[0].account, WAIT_MS, &err));
    assert_true(large_response_places_take(places, &other, WAIT_MS, &err));
    for (size_t i = 0; i < countof(waiter); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_place, &waiter[i]), 0);
    large_response_places_give(places, &other);
    pthread_join(thread[1], NULL);
    assert_true(waiter[1].ok);
    large_response_places_give(places, &waiter[0].account);
    pthread_join(thread[0], NULL);
    assert_true(waiter[0].ok);
    for (size_t i = 0; i < countof(waiter); i++)
        large_response_places_give(places, &waiter[i].account);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(a_place_wakes_whom_it_serves) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
