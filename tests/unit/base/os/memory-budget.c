/* tests/unit/base/os/memory-budget.c - reservations that fit, that do not, and that wait. */
#include "base/os/memory-budget.h"

#include "base/os/clock.h"
#include "rows.h"

enum { MIB = 1 << 20, ROOM = 10 * MIB, FREE = 192 << 10, PATIENCE_MS = 10000 };

static const char crowded[] = "come again";

static const struct row {
    const char *name;
    size_t others; /* bytes of another reservation */
    size_t first;
    size_t then; /* the size that the same reservation grows to */
    bool fits;
    size_t held; /* of the reservation in the end */
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
    struct memory_budget budget;
    struct reservation others = { 0 };
    struct reservation reservation = { 0 };
    struct err err = { 0 };

    memory_budget_open(&budget, ROOM, FREE, crowded);
    assert_true(memory_budget_reserve(&budget, row->others, 0, &others, NULL));
    assert_true(memory_budget_reserve(&budget, row->first, 0, &reservation, NULL));
    assert_int_equal(memory_budget_reserve(&budget, row->then, 0, &reservation, &err), row->fits);
    assert_int_equal(err.kind, row->fits ? ERR_NONE : ERR_OVERLOADED);
    assert_string_equal(err.message, row->fits ? "" : crowded);
    assert_int_equal(reservation.bytes, row->held);
    assert_int_equal(memory_budget_reserved(&budget), row->others + row->held);
    reservation_free(&reservation);
    reservation_free(&others);
    assert_true(memory_budget_reserve(&budget, ROOM, 0, &reservation, NULL)); /* all is released */
    reservation_free(&reservation);
    reservation_free(&reservation);
    assert_int_equal(memory_budget_reserved(&budget), 0);
    memory_budget_close(&budget);
}

struct guest {
    struct memory_budget *budget;
    int64_t deadline_ms;
    bool fits;
};

static void *come(void *argument)
{
    struct guest *guest = argument;
    struct reservation reservation = { 0 };
    guest->fits =
        memory_budget_reserve(guest->budget, ROOM, guest->deadline_ms, &reservation, NULL);
    reservation_free(&reservation);
    return NULL;
}

/* Each needs all of it, so each releases it before the next gets it. */
static void waiters_get_their_turn(void **state)
{
    (void)state;
    struct memory_budget budget;
    struct reservation reservation = { 0 };
    struct guest guest[8];
    pthread_t thread[countof(guest)];

    memory_budget_open(&budget, ROOM, FREE, crowded);
    assert_true(memory_budget_reserve(&budget, ROOM, 0, &reservation, NULL));
    for (size_t i = 0; i < countof(guest); i++) {
        guest[i] = (struct guest){ &budget, clock_ms() + PATIENCE_MS, false };
        pthread_create(&thread[i], NULL, come, &guest[i]);
    }
    reservation_free(&reservation);
    for (size_t i = 0; i < countof(guest); i++) {
        pthread_join(thread[i], NULL);
        assert_true(guest[i].fits);
    }
    memory_budget_close(&budget);
}

static void no_wait_is_endless(void **state)
{
    (void)state;
    struct memory_budget budget;
    struct reservation reservation = { 0 };
    struct guest guest = { &budget, clock_ms() + 50, true };

    memory_budget_open(&budget, ROOM, FREE, crowded);
    assert_true(memory_budget_reserve(&budget, 1 * MIB, 0, &reservation, NULL));
    come(&guest);
    assert_false(guest.fits);
    assert_true(clock_ms() >= guest.deadline_ms);
    reservation_free(&reservation);
    memory_budget_close(&budget);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiters_get_their_turn),
        cmocka_unit_test(no_wait_is_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
