/* tests/unit/gateway/requests/account-share.c - shares of a second, and what they drop. */
#include "gateway/requests/account-share.h"

#include "rows.h"

enum { ACCOUNTS_MAX = 3, SECOND = 1000, EARLY_MS = 5000 };

static const struct row {
    const char *name;
    size_t places;
    int accounts; /* take turns */
    int charged;  /* requests of each, in one second */
    int others;
    int seconds;
    int dropped; /* of each account */
    int of_any;  /* reported without an account */
} rows[] = {
    { "within both shares", 16, 1, 100, 20, 1, 0, 0 },
    { "more than both", 16, 1, 103, 25, 1, 8, 0 },
    { "rejected requests do not take the share of charged ones", 16, 1, 100, 900, 1, 880, 0 },
    { "each second has a share", 16, 1, 100, 21, 3, 3, 0 },
    { "each account has a share", 16, 3, 0, 22, 1, 2, 0 },
    { "accounts that share a place", 1, 2, 0, 21, 1, 0, 0 },
};

static struct uuid account_of(int number)
{
    struct uuid account = { { 0 } };
    account.bytes[0] = 1;
    account.bytes[UUID_BYTES - 8] = (uint8_t)number; /* chooses the place */
    return account;
}

static void send(struct account_share *share, const struct row *row, int account, int64_t now_ms)
{
    struct uuid id = account_of(account);
    for (int i = 0; i < row->charged; i++)
        (void)account_share_admit(share, &id, true, now_ms);
    for (int i = 0; i < row->others; i++)
        (void)account_share_admit(share, &id, false, now_ms);
}

static void check(void **state)
{
    const struct row *row = *state;
    struct dropped list[ACCOUNTS_MAX + 1];
    struct account_share *share = account_share_new(row->places);
    int64_t dropped = 0;
    for (int second = 0; second < row->seconds; second++)
        for (int account = 0; account < row->accounts; account++)
            send(share, row, account, EARLY_MS + second * SECOND);
    size_t count = account_share_take_dropped(share, list, ACCOUNTS_MAX + 1);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list[i].since_ms, EARLY_MS);
        dropped += list[i].count;
    }
    if (row->places > 1) {
        assert_int_equal(count, row->dropped > 0 ? row->accounts : 0);
        assert_int_equal(dropped, row->dropped * row->accounts);
    } else {
        assert_int_equal(dropped, row->accounts); /* one each, of any account or of the last */
        assert_true(list[0].account.bytes[0] == 0);
    }
    assert_int_equal(account_share_take_dropped(share, list, ACCOUNTS_MAX + 1), 0);
    account_share_free(&share);
}

/* A list that is too short gets the rest with the next call, each account once. */
static void check_parts(void **state)
{
    struct account_share *share = account_share_new(16);
    struct dropped list[1];
    int64_t dropped = 0;
    (void)state;
    for (int account = 0; account < 3; account++)
        send(share, &(struct row){ .others = 21 + account }, account, EARLY_MS);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(account_share_take_dropped(share, list, 1), 1);
        dropped += list[0].count;
    }
    assert_int_equal(dropped, 1 + 2 + 3);
    assert_int_equal(account_share_take_dropped(share, list, 1), 0);
    account_share_free(&share);
}

int main(void)
{
    const struct CMUnitTest parts[] = { cmocka_unit_test(check_parts) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests_name("parts", parts, NULL, NULL);
}
