/* tests/unit/base/os/room.c - claims that fit, those that do not, and those that wait. */
#include "base/os/room.h"

#include "base/os/clock.h"
#include "rows.h"

enum { MIB = 1 << 20, ROOM = 10 * MIB, FREE = 192 << 10, PATIENCE_MS = 10000 };

static const char crowded[] = "come again";

static const struct row {
    const char *name;
    size_t others; /* bytes that somebody else holds */
    size_t first;
    size_t then; /* what the same claim grows to */
    bool fits;
    size_t held; /* by the claim at last */
} rows[] = {
    { "all of it", 0, ROOM, ROOM, true, ROOM },
    { "one byte more", 1 * MIB, 1, 9 * MIB + 1, false, 0 },
    { "little is not counted", ROOM, FREE, FREE, true, 0 },
    { "it grows by the difference", 5 * MIB, 4 * MIB, 5 * MIB, true, 5 * MIB },
    { "what does not fit changes nothing", 5 * MIB, 4 * MIB, 6 * MIB, false, 4 * MIB },
    { "it never shrinks", 0, 4 * MIB, 2 * MIB, true, 4 * MIB },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct room room;
    struct claim others = { 0 };
    struct claim claim = { 0 };
    struct err err = { 0 };

    room_open(&room, ROOM, FREE, crowded);
    assert_true(room_claim(&room, row->others, 0, &others, NULL));
    assert_true(room_claim(&room, row->first, 0, &claim, NULL));
    assert_int_equal(room_claim(&room, row->then, 0, &claim, &err), row->fits);
    assert_int_equal(err.kind, row->fits ? ERR_NONE : ERR_OVERLOADED);
    assert_string_equal(err.message, row->fits ? "" : crowded);
    assert_int_equal(claim.bytes, row->held);
    assert_int_equal(room_used(&room), row->others + row->held);
    claim_free(&claim);
    claim_free(&others);
    assert_true(room_claim(&room, ROOM, 0, &claim, NULL)); /* all is back */
    claim_free(&claim);
    claim_free(&claim);
    assert_int_equal(room_used(&room), 0);
    room_close(&room);
}

struct guest {
    struct room *room;
    int64_t deadline_ms;
    bool fits;
};

static void *come(void *argument)
{
    struct guest *guest = argument;
    struct claim claim = { 0 };
    guest->fits = room_claim(guest->room, ROOM, guest->deadline_ms, &claim, NULL);
    claim_free(&claim);
    return NULL;
}

/* Each needs all of it, so each leaves before the next comes in. */
static void those_who_wait_come_in(void **state)
{
    (void)state;
    struct room room;
    struct claim claim = { 0 };
    struct guest guest[8];
    pthread_t thread[countof(guest)];

    room_open(&room, ROOM, FREE, crowded);
    assert_true(room_claim(&room, ROOM, 0, &claim, NULL));
    for (size_t i = 0; i < countof(guest); i++) {
        guest[i] = (struct guest){ &room, clock_ms() + PATIENCE_MS, false };
        pthread_create(&thread[i], NULL, come, &guest[i]);
    }
    claim_free(&claim);
    for (size_t i = 0; i < countof(guest); i++) {
        pthread_join(thread[i], NULL);
        assert_true(guest[i].fits);
    }
    room_close(&room);
}

static void nobody_waits_for_ever(void **state)
{
    (void)state;
    struct room room;
    struct claim claim = { 0 };
    struct guest guest = { &room, clock_ms() + 50, true };

    room_open(&room, ROOM, FREE, crowded);
    assert_true(room_claim(&room, 1 * MIB, 0, &claim, NULL));
    come(&guest);
    assert_false(guest.fits);
    assert_true(clock_ms() >= guest.deadline_ms);
    claim_free(&claim);
    room_close(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_who_wait_come_in),
        cmocka_unit_test(nobody_waits_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
