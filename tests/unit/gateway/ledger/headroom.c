/* tests/unit/gateway/ledger/headroom.c - whose work may begin before it is paid, and how much of
 * it. */
#include "gateway/ledger/headroom.h"

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

static struct standing standing_of(int64_t available, int64_t places)
{
    struct standing standing = NO_STANDING;
    standing.posted = available + 5;
    standing.held = 5;
    standing.seq = 3;
    standing.window_left = places;
    return standing;
}

static const struct row {
    const char *name;
    int64_t available;
    int64_t places; /* -1: there is no window */
    int64_t credits;
    int64_t want; /* calls that go ahead at once */
} rows[] = {
    { "an eighth of the credits", 80, -1, 1, 10 },
    { "an eighth of the credits, of dear calls", 80, -1, 3, 3 },
    { "too few credits", 7, -1, 1, 0 },
    { "just enough credits for one", 8, -1, 1, 1 },
    { "all places but one", PLENTY, 7, 1, 6 },
    { "the last place is asked for", PLENTY, 1, 1, 0 },
    { "a full window", PLENTY, 0, 1, 0 },
    { "no more than that many", PLENTY, -1, 1, HEADROOM_CALLS_MAX - 1 },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct headroom *headroom = headroom_new(64);
    struct admission admission = admission_of(1, 1, row->credits);
    struct standing standing = standing_of(row->available, row->places);
    struct advance advance;

    assert_false(headroom_take(headroom, &admission, &advance)); /* nobody has told anything */
    headroom_tell(headroom, &admission, &standing, 9);
    for (int64_t round = 0; round < 2; round++) {
        int64_t taken = 0;
        while (headroom_take(headroom, &admission, &advance))
            taken++;
        assert_int_equal(taken, row->want);
        while (taken-- > 0)
            headroom_return(headroom, &admission);
    }
    headroom_free(&headroom);
}

static void it_says_since_when(void **state)
{
    (void)state;
    struct headroom *headroom = headroom_new(64);
    struct admission admission = admission_of(1, 1, 1);
    struct standing standing = standing_of(PLENTY, -1);
    struct advance advance;

    headroom_tell(headroom, &admission, &standing, 9);
    assert_true(headroom_take(headroom, &admission, &advance));
    assert_int_equal(advance.seq, 3);
    assert_int_equal(advance.connection, 9);
    headroom_free(&headroom);
}

/* A token that was not told of, one of another account under the same digest, one that was refused,
 * and what was told in part. */
static void nothing_goes_ahead_unknown(void **state)
{
    (void)state;
    struct headroom *headroom = headroom_new(64);
    struct admission admission = admission_of(1, 1, 1);
    struct admission other_token = admission_of(1, 2, 1);
    struct admission other_account = admission_of(2, 1, 1);
    struct standing standing = standing_of(PLENTY, -1);
    struct advance advance;

    headroom_tell(headroom, &admission, &standing, 9);
    assert_false(headroom_take(headroom, &other_token, &advance));
    assert_false(headroom_take(headroom, &other_account, &advance));
    headroom_forget(headroom, &other_token);
    assert_true(headroom_take(headroom, &admission, &advance));
    headroom_forget(headroom, &admission);
    assert_false(headroom_take(headroom, &admission, &advance));
    headroom_return(headroom, &admission);
    standing.seq = -1;
    headroom_tell(headroom, &admission, &standing, 9);
    assert_false(headroom_take(headroom, &admission, &advance));
    headroom_free(&headroom);
}

/* Of a token with caps: what they leave, where it is less. */
static void caps_leave_less(void **state)
{
    (void)state;
    struct headroom *headroom = headroom_new(64);
    struct admission admission = admission_of(1, 1, 1);
    struct standing standing = standing_of(PLENTY, -1);
    struct advance advance;

    standing.granted = 8;
    headroom_tell(headroom, &admission, &standing, 9);
    assert_true(headroom_take(headroom, &admission, &advance));
    assert_false(headroom_take(headroom, &admission, &advance));
    headroom_return(headroom, &admission);
    standing.granted = 7;
    headroom_tell(headroom, &admission, &standing, 9);
    assert_false(headroom_take(headroom, &admission, &advance));
    headroom_free(&headroom);
}

/* More tokens than places: a newer one takes the place of one whose calls have all returned. */
static void places_are_taken_over(void **state)
{
    (void)state;
    struct headroom *headroom = headroom_new(4);
    struct standing standing = standing_of(PLENTY, -1);
    struct admission ahead[3];
    struct advance advance;

    for (uint8_t i = 0; i < 3; i++) {
        ahead[i] = admission_of(1, i, 1);
        headroom_tell(headroom, &ahead[i], &standing, 9);
        assert_true(headroom_take(headroom, &ahead[i], &advance));
    }
    for (uint8_t i = 10; i < 20; i++) {
        struct admission admission = admission_of(1, i, 1);
        headroom_tell(headroom, &admission, &standing, 9);
        assert_true(headroom_take(headroom, &admission, &advance));
        headroom_return(headroom, &admission);
    }
    struct admission fourth = admission_of(1, 30, 1);
    struct admission fifth = admission_of(1, 31, 1);
    headroom_tell(headroom, &fourth, &standing, 9);
    assert_true(headroom_take(headroom, &fourth, &advance));
    headroom_tell(headroom, &fifth, &standing, 9); /* no place is free */
    assert_false(headroom_take(headroom, &fifth, &advance));
    for (uint8_t i = 0; i < 3; i++)
        headroom_return(headroom, &ahead[i]);
    headroom_free(&headroom);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_since_when),
        cmocka_unit_test(nothing_goes_ahead_unknown),
        cmocka_unit_test(caps_leave_less),
        cmocka_unit_test(places_are_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
