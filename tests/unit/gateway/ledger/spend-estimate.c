/* tests/unit/gateway/ledger/spend-estimate.c - which tokens' work may start before it is paid, and
 * how much of it. */
#include "gateway/ledger/spend-estimate.h"

#include <string.h>

#include "rows.h"

enum { PLENTY = 1000000 };

static struct admission admission_of(uint8_t account, uint8_t token, int64_t credits)
{
    struct admission admission = { .credits = credits };
    admission.account.bytes[0] = account;
    admission.token[0] = token; /* all in the same few places */
    admission.token[31] = token;
    return admission;
}

static struct account_snapshot snapshot_of(int64_t available, int64_t places)
{
    struct account_snapshot snapshot = EMPTY_SNAPSHOT;
    snapshot.posted = available + 5;
    snapshot.held = 5;
    snapshot.seq = 3;
    snapshot.window_left = places;
    return snapshot;
}

static const struct row {
    const char *name;
    int64_t available;
    int64_t places; /* -1: there is no window */
    int64_t credits;
    int64_t want; /* calls that start at once */
} rows[] = {
    { "an eighth of the credits", 80, -1, 1, 10 },
    { "an eighth of the credits, of dear calls", 80, -1, 3, 3 },
    { "too few credits", 7, -1, 1, 0 },
    { "just enough credits for one", 8, -1, 1, 1 },
    { "all places but one", PLENTY, 7, 1, 6 },
    { "the last place is asked for", PLENTY, 1, 1, 0 },
    { "a full window", PLENTY, 0, 1, 0 },
    { "no more than that many", PLENTY, -1, 1, SPEND_ESTIMATE_CALLS_MAX - 1 },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct spend_estimate *estimate = spend_estimate_new(64);
    struct admission admission = admission_of(1, 1, row->credits);
    struct account_snapshot snapshot = snapshot_of(row->available, row->places);
    struct optimistic_admission optimistic;

    assert_false(spend_estimate_take(estimate, &admission, &optimistic)); /* there is no estimate */
    spend_estimate_update(estimate, &admission, &snapshot, 9);
    for (int64_t round = 0; round < 2; round++) {
        int64_t taken = 0;
        while (spend_estimate_take(estimate, &admission, &optimistic))
            taken++;
        assert_int_equal(taken, row->want);
        while (taken-- > 0)
            spend_estimate_release(estimate, &admission);
    }
    spend_estimate_free(&estimate);
}

/* A stolen token, sent from other networks, gets no work done by its owner's credits. */
static void another_address_is_unknown(void **state)
{
    (void)state;
    struct spend_estimate *estimate = spend_estimate_new(4); /* one set */
    struct admission owner = admission_of(1, 1, 1), thief = admission_of(1, 1, 1);
    struct account_snapshot snapshot = snapshot_of(PLENTY, -1);
    struct optimistic_admission optimistic;

    thief.address.s6_addr[0] = 0x20;
    spend_estimate_update(estimate, &owner, &snapshot, 9);
    assert_false(spend_estimate_take(estimate, &thief, &optimistic));
    spend_estimate_block(estimate, &thief);
    assert_true(spend_estimate_take(estimate, &owner, &optimistic));
    spend_estimate_free(&estimate);
}

static void it_says_since_when(void **state)
{
    (void)state;
    struct spend_estimate *estimate = spend_estimate_new(64);
    struct admission admission = admission_of(1, 1, 1);
    struct account_snapshot snapshot = snapshot_of(PLENTY, -1);
    struct optimistic_admission optimistic;

    spend_estimate_update(estimate, &admission, &snapshot, 9);
    assert_true(spend_estimate_take(estimate, &admission, &optimistic));
    assert_int_equal(optimistic.seq, 3);
    assert_int_equal(optimistic.connection, 9);
    spend_estimate_free(&estimate);
}

/* An unknown token, one of another account with the same digest, a rejected one, and an incomplete
 * estimate. */
static void nothing_goes_ahead_unknown(void **state)
{
    (void)state;
    struct spend_estimate *estimate = spend_estimate_new(64);
    struct admission admission = admission_of(1, 1, 1);
    struct admission other_token = admission_of(1, 2, 1);
    struct admission other_account = admission_of(2, 1, 1);
    struct account_snapshot snapshot = snapshot_of(PLENTY, -1);
    struct optimistic_admission optimistic;

    spend_estimate_update(estimate, &admission, &snapshot, 9);
    assert_false(spend_estimate_take(estimate, &other_token, &optimistic));
    assert_false(spend_estimate_take(estimate, &other_account, &optimistic));
    spend_estimate_block(estimate, &other_token);
    assert_true(spend_estimate_take(estimate, &admission, &optimistic));
    spend_estimate_block(estimate, &admission);
    assert_false(spend_estimate_take(estimate, &admission, &optimistic));
    spend_estimate_release(estimate, &admission);
    snapshot.seq = -1;
    spend_estimate_update(estimate, &admission, &snapshot, 9);
    assert_false(spend_estimate_take(estimate, &admission, &optimistic));
    spend_estimate_free(&estimate);
}

/* It has no balance, so what was known stays. */
static void an_incomplete_outcome_changes_nothing(void **state)
{
    (void)state;
    struct spend_estimate *estimate = spend_estimate_new(64);
    struct admission admission = admission_of(1, 1, 1);
    struct account_snapshot one_call = snapshot_of(8, -1);
    struct account_snapshot incomplete[] = { snapshot_of(PLENTY, -1), snapshot_of(PLENTY, -1),
                                             snapshot_of(PLENTY, -1) };
    struct account_snapshot nothing_left = snapshot_of(0, -1);
    struct optimistic_admission optimistic;

    incomplete[0].posted = incomplete[1].held = incomplete[2].seq = -1;
    spend_estimate_update(estimate, &admission, &one_call, 9);
    for (size_t i = 0; i < countof(incomplete); i++) {
        spend_estimate_update(estimate, &admission, &incomplete[i], 9);
        assert_true(spend_estimate_take(estimate, &admission, &optimistic));
        assert_false(spend_estimate_take(estimate, &admission, &optimistic));
        spend_estimate_release(estimate, &admission);
    }
    nothing_left.posted = nothing_left.held = 0;
    spend_estimate_update(estimate, &admission, &nothing_left, 9);
    assert_false(spend_estimate_take(estimate, &admission, &optimistic));
    spend_estimate_free(&estimate);
}

/* Of a token with caps: what they leave, if it is less. */
static void caps_leave_less(void **state)
{
    (void)state;
    struct spend_estimate *estimate = spend_estimate_new(64);
    struct admission admission = admission_of(1, 1, 1);
    struct account_snapshot snapshot = snapshot_of(PLENTY, -1);
    struct optimistic_admission optimistic;

    snapshot.granted = 8;
    spend_estimate_update(estimate, &admission, &snapshot, 9);
    assert_true(spend_estimate_take(estimate, &admission, &optimistic));
    assert_false(spend_estimate_take(estimate, &admission, &optimistic));
    spend_estimate_release(estimate, &admission);
    snapshot.granted = 7;
    spend_estimate_update(estimate, &admission, &snapshot, 9);
    assert_false(spend_estimate_take(estimate, &admission, &optimistic));

    snapshot.granted = 0;
    spend_estimate_update(estimate, &admission, &snapshot, 9);
    assert_false(spend_estimate_take(estimate, &admission, &optimistic));

    /* a free call's is another number: the sum of grants */
    struct admission free_call = admission_of(1, 1, 0);
    spend_estimate_update(estimate, &free_call, &snapshot, 9);
    assert_true(spend_estimate_take(estimate, &admission, &optimistic));
    spend_estimate_free(&estimate);
}

/* More tokens than places: a newer one replaces one whose calls have all returned. */
static void places_are_taken_over(void **state)
{
    (void)state;
    struct spend_estimate *estimate = spend_estimate_new(4);
    struct account_snapshot snapshot = snapshot_of(PLENTY, -1);
    struct admission ahead[3];
    struct optimistic_admission optimistic;

    for (uint8_t i = 0; i < 3; i++) {
        ahead[i] = admission_of(1, i, 1);
        spend_estimate_update(estimate, &ahead[i], &snapshot, 9);
        assert_true(spend_estimate_take(estimate, &ahead[i], &optimistic));
    }
    for (uint8_t i = 10; i < 20; i++) {
        struct admission admission = admission_of(1, i, 1);
        spend_estimate_update(estimate, &admission, &snapshot, 9);
        assert_true(spend_estimate_take(estimate, &admission, &optimistic));
        spend_estimate_release(estimate, &admission);
    }
    struct admission fourth = admission_of(1, 30, 1);
    struct admission fifth = admission_of(1, 31, 1);
    spend_estimate_update(estimate, &fourth, &snapshot, 9);
    assert_true(spend_estimate_take(estimate, &fourth, &optimistic));
    spend_estimate_update(estimate, &fifth, &snapshot, 9); /* no place is free */
    assert_false(spend_estimate_take(estimate, &fifth, &optimistic));
    for (uint8_t i = 0; i < 3; i++)
        spend_estimate_release(estimate, &ahead[i]);
    spend_estimate_free(&estimate);
}

/* Four tokens in a row for each of the four sets, which the last two bits of the first byte
 * choose. */
static void there_is_room_for_as_many_as_asked(void **state)
{
    (void)state;
    struct spend_estimate *estimate = spend_estimate_new(16);
    struct account_snapshot snapshot = snapshot_of(PLENTY, -1);
    struct optimistic_admission optimistic;

    for (uint8_t i = 0; i < 16; i++) {
        struct admission admission = admission_of(1, (uint8_t)(i / 4 + i % 4 * 4), 1);
        spend_estimate_update(estimate, &admission, &snapshot, 9);
    }
    for (uint8_t token = 0; token < 16; token++) {
        struct admission admission = admission_of(1, token, 1);
        assert_true(spend_estimate_take(estimate, &admission, &optimistic));
        spend_estimate_release(estimate, &admission);
    }
    spend_estimate_free(&estimate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_address_is_unknown),
        cmocka_unit_test(it_says_since_when),
        cmocka_unit_test(nothing_goes_ahead_unknown),
        cmocka_unit_test(caps_leave_less),
        cmocka_unit_test(places_are_taken_over),
        cmocka_unit_test(there_is_room_for_as_many_as_asked),
        cmocka_unit_test(an_incomplete_outcome_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
