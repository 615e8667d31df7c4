/* tests/unit/svc-ai/model/provider/state.c - the queue, the backoff and the memory of one provider.
 */
#include "model/provider/state.h"

#include <pthread.h>

#include "base/os/clock.h"
#include "rows.h"

static void failures_in_a_row_start_a_backoff(void **state)
{
    struct provider_state *provider = provider_state_new(1);
    (void)state;
    clock_stop(1000, 0);
    for (int i = 0; i < 2; i++)
        provider_note_failure(provider, 60000);
    provider_note_success(provider); /* restarts the row */
    for (int i = 0; i < 2; i++)
        provider_note_failure(provider, 60000);
    assert_false(provider_is_cooling(provider));
    provider_note_failure(provider, 60000);
    assert_true(provider_is_cooling(provider));
    clock_stop(1000 + 60000, 0);
    assert_false(provider_is_cooling(provider));
    provider_cool(provider, 0);
    assert_false(provider_is_cooling(provider));
    clock_run();
    provider_state_free(&provider);
}

static void what_is_learned_is_kept_for_an_hour(void **state)
{
    struct provider_state *provider = provider_state_new(1);
    struct ladder ladder = { .format = LADDER_OBJECT, .no_seed = true };
    (void)state;
    clock_stop(1000, 0);
    assert_int_equal(ladder_recall(provider, "m", LADDER_STRICT).format, LADDER_STRICT);
    ladder_remember(provider, "m", &ladder);
    assert_int_equal(ladder_recall(provider, "m", LADDER_STRICT).format, LADDER_OBJECT);
    assert_true(ladder_recall(provider, "m", LADDER_STRICT).no_seed);
    assert_int_equal(ladder_recall(provider, "n", LADDER_PROMPT).format, LADDER_PROMPT);
    clock_stop(1000 + LADDER_KEPT_MS, 0);
    assert_int_equal(ladder_recall(provider, "m", LADDER_STRICT).format, LADDER_STRICT);
    clock_run();
    provider_state_free(&provider);
}

static void *enter_and_leave(void *argument)
{
    struct provider_state *provider = argument;
    enum provider_entry entry;
    do
        entry = provider_enter(provider, clock_ms() + 20000);
    while (entry == PROVIDER_FULL); /* the other only waited */
    if (entry == PROVIDER_ENTERED)
        provider_leave(provider);
    return (void *)(uintptr_t)entry;
}

/* One calls, one waits, a third is rejected at once. */
static void the_queue_is_bounded(void **state)
{
    struct provider_state *provider = provider_state_new(1);
    pthread_t waiter;
    void *entry;
    (void)state;
    assert_int_equal(provider_enter(provider, clock_ms() + 20000), PROVIDER_ENTERED);
    assert_int_equal(provider_enter(provider, clock_ms()), PROVIDER_LATE);
    pthread_create(&waiter, NULL, enter_and_leave, provider);
    while (provider_enter(provider, clock_ms()) != PROVIDER_FULL)
        ; /* until the other waits */
    provider_leave(provider);
    pthread_join(waiter, &entry);
    assert_int_equal((uintptr_t)entry, PROVIDER_ENTERED);
    assert_int_equal(provider_enter(provider, clock_ms()), PROVIDER_ENTERED);
    provider_leave(provider);
    provider_state_free(&provider);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_in_a_row_start_a_backoff),
        cmocka_unit_test(what_is_learned_is_kept_for_an_hour),
        cmocka_unit_test(the_queue_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
