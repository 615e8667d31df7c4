/* tests/unit/gateway/http/address-window.c - the window of an address: its edges, and compared with
 * a model. */
#include "gateway/http/address-window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "rows.h"

enum { START_MS = 1000000 };

static struct address_verdict ask(struct address_window *window, const char *address,
                                  unsigned limit, int64_t at_ms)
{
    struct in6_addr parsed;
    assert_true(address_parse(text_of(address), &parsed));
    clock_stop(at_ms, 0);
    return address_window_admit(window, &parsed, limit);
}

/* ---- time: three calls are allowed, three were made, and then one more ---- */

static const struct moment {
    const char *name;
    int64_t calls_at[3];
    int64_t then_at;
    bool admitted;
    unsigned remaining;
    int64_t retry_after_ms;
    int64_t reset_ms;
} moments[] = {
    { "fourth at once", { 0, 0, 0 }, 0, false, 0, 60000, 60000 },
    { "one ms too early", { 0, 10, 20 }, 59999, false, 0, 1, 1 },
    { "the first has left", { 0, 10, 20 }, 60000, true, 0, 10, 10 },
    { "two have left", { 0, 10, 20 }, 60010, true, 1, 0, 10 },
    { "all have left", { 0, 10, 20 }, 60020, true, 2, 0, 60000 },
    { "a burst leaves together", { 5, 5, 5 }, 60005, true, 2, 0, 60000 },
    { "no double burst across a boundary", { 59999, 59999, 59999 }, 60001, false, 0, 59998, 59998 },
    { "after 50 days, when 32 bits have wrapped", { 0, 1, 2 }, 4294967297, true, 2, 0, 60000 },
};

static void check_moment(void **state)
{
    const struct moment *row = *state;
    scoped(address_window_free) struct address_window *window = address_window_new(10);

    for (size_t i = 0; i < countof(row->calls_at); i++)
        assert_true(ask(window, "192.0.2.1", 3, START_MS + row->calls_at[i]).admitted);
    struct address_verdict verdict = ask(window, "192.0.2.1", 3, START_MS + row->then_at);
    assert_int_equal(verdict.admitted, row->admitted);
    assert_int_equal(verdict.remaining, row->remaining);
    assert_int_equal(verdict.retry_after_ms, row->retry_after_ms);
    assert_int_equal(verdict.reset_ms, row->reset_ms);
}

/* ---- which addresses share a window of one call ---- */

static const struct pair {
    const char *name;
    const char *first;
    const char *second;
    bool shared;
} pairs[] = {
    { "the same IPv4", "192.0.2.1", "192.0.2.1", true },
    { "neighbours in IPv4", "192.0.2.1", "192.0.2.2", false },
    { "mapped and plain IPv4", "::ffff:192.0.2.1", "192.0.2.1", true },
    { "one IPv6 /64", "2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", true },
    { "two IPv6 /64", "2001:db8:0:1::1", "2001:db8:0:2::1", false },
    { "an IPv4 and the /64 with its bits", "192.0.2.1", "0:ffff:c000:201::", false },
};

static void check_pair(void **state)
{
    const struct pair *row = *state;

    for (int i = 0; i < 20; i++) { /* two buckets: some of these tables have both in one */
        scoped(address_window_free) struct address_window *window = address_window_new(2);
        assert_true(ask(window, row->first, 1, START_MS).admitted);
        assert_int_equal(ask(window, row->second, 1, START_MS).admitted, !row->shared);
    }
}

/* ---- limits that change, and the table ---- */

static void limit_zero_means_no_limit(void **state)
{
    (void)state;
    scoped(address_window_free) struct address_window *window = address_window_new(10);
    for (int i = 0; i < 1000; i++)
        assert_true(ask(window, "192.0.2.1", 0, START_MS).admitted);
    assert_int_equal(address_window_count(window), 0);
}

static void lowered_limit_waits_for_enough_to_leave(void **state)
{
    (void)state;
    scoped(address_window_free) struct address_window *window = address_window_new(10);
    for (int i = 0; i < 5; i++)
        assert_true(ask(window, "192.0.2.1", 5, START_MS + i * 100).admitted);
    struct address_verdict verdict = ask(window, "192.0.2.1", 2, START_MS + 500);
    assert_false(verdict.admitted);
    assert_int_equal(verdict.remaining, 0);
    assert_int_equal(verdict.retry_after_ms, 60000 - 200); /* the fourth of five */
    assert_false(ask(window, "192.0.2.1", 2, START_MS + 60299).admitted);
    assert_true(ask(window, "192.0.2.1", 2, START_MS + 60300).admitted);
}

static void rejected_calls_do_not_count(void **state)
{
    (void)state;
    scoped(address_window_free) struct address_window *window = address_window_new(10);
    assert_true(ask(window, "192.0.2.1", 1, START_MS).admitted);
    for (int i = 0; i < 60000; i += 100)
        assert_false(ask(window, "192.0.2.1", 1, START_MS + i).admitted);
    assert_true(ask(window, "192.0.2.1", 1, START_MS + 60000).admitted);
}

static void give_back(struct address_window *window, const char *address, int64_t counted_ms)
{
    struct in6_addr parsed;
    assert_true(address_parse(text_of(address), &parsed));
    address_window_return(window, &parsed, counted_ms);
}

static void a_call_given_back_no_longer_counts(void **state)
{
    (void)state;
    scoped(address_window_free) struct address_window *window = address_window_new(10);
    int64_t middle = 0;
    for (int i = 0; i < 3; i++) {
        struct address_verdict verdict = ask(window, "192.0.2.1", 3, START_MS + i * 100);
        middle = i == 1 ? verdict.counted_ms : middle;
    }
    struct address_verdict full = ask(window, "192.0.2.1", 3, START_MS + 300);
    assert_false(full.admitted);
    assert_int_equal(full.counted_ms, 0);
    give_back(window, "192.0.2.2", middle); /* another address */
    give_back(window, "192.0.2.1", middle + 1);
    assert_false(ask(window, "192.0.2.1", 3, START_MS + 300).admitted);
    give_back(window, "192.0.2.1", middle);
    give_back(window, "192.0.2.1", middle); /* once */
    assert_true(ask(window, "192.0.2.1", 3, START_MS + 300).admitted);
    full = ask(window, "192.0.2.1", 3, START_MS + 300);
    assert_false(full.admitted);
    assert_int_equal(full.retry_after_ms, WINDOW_MS - 300); /* the first of them leaves next */
}

static void call_from(struct address_window *window, unsigned i, int64_t at_ms)
{
    char address[64];
    snprintf(address, sizeof(address), "10.%u.%u.%u", i >> 16 & 255, i >> 8 & 255, i & 255);
    assert_true(ask(window, address, 1, at_ms).admitted);
}

static void a_full_table_evicts_the_oldest(void **state)
{
    (void)state;
    scoped(address_window_free) struct address_window *window = address_window_new(64);
    for (unsigned i = 0; i < 64; i++)
        call_from(window, i, START_MS + i);
    assert_false(ask(window, "10.0.0.0", 1, START_MS + 100).admitted); /* rejected, but used */
    call_from(window, 64, START_MS + 200);                             /* pushes 10.0.0.1 out */
    assert_int_equal(address_window_count(window), 64);
    assert_false(ask(window, "10.0.0.0", 1, START_MS + 300).admitted);
    assert_false(ask(window, "10.0.0.2", 1, START_MS + 300).admitted);
    assert_true(ask(window, "10.0.0.1", 1, START_MS + 300).admitted);
}

static void flood_stays_below_the_cap(void **state)
{
    (void)state;
    scoped(address_window_free) struct address_window *window = address_window_new(5000);
    for (unsigned i = 0; i < 20000; i++) {
        call_from(window, i, START_MS);
        assert_true(address_window_count(window) <= 5000);
    }
    assert_true(address_window_count(window) > 4000);
}

static void idle_addresses_are_reclaimed(void **state)
{
    (void)state;
    scoped(address_window_free) struct address_window *window =
        address_window_new(63); /* one part */
    for (unsigned i = 0; i < 60; i++)
        call_from(window, i, START_MS);
    for (unsigned i = 0; i < 30; i++)
        call_from(window, 100, START_MS + WINDOW_MS * (1 + i));
    assert_int_equal(address_window_count(window), 1);
}

/* ---- compared with a model that keeps every admitted call ---- */

enum { MODEL_STEPS = 200000, MODEL_ADDRESSES = 3, MODEL_CALLS_MAX = MODEL_STEPS };

static uint64_t random_state;

static uint32_t draw(uint32_t below) /* xorshift64*: the same on every machine */
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * 0x2545f4914f6cdd1d) >> 33) % below;
}

struct model {
    size_t count;
    int64_t at_ms[MODEL_CALLS_MAX];
};

static unsigned counting(const struct model *model, int64_t now_ms)
{
    unsigned count = 0;
    for (size_t i = model->count; i > 0 && model->at_ms[i - 1] > now_ms - WINDOW_MS; i--)
        count++;
    return count;
}

/* The first moment, from now on, when fewer than limit count. */
static int64_t model_retry(const struct model *model, unsigned limit, int64_t now_ms)
{
    size_t i = model->count - counting(model, now_ms);
    if (model->count - i < limit)
        return 0;
    for (; i < model->count; i++)
        if (counting(model, model->at_ms[i] + WINDOW_MS) < limit)
            return model->at_ms[i] + WINDOW_MS - now_ms;
    return -1;
}

/* The time until the next call: bursts, and the exact edges of the window. */
static int64_t draw_pause(int64_t retry_after_ms)
{
    switch (draw(40)) {
    case 0:
        return WINDOW_MS - 1;
    case 1:
        return WINDOW_MS;
    case 2:
        return WINDOW_MS + 1;
    case 3:
    case 4:
        return retry_after_ms;
    case 5:
    case 6:
        return MAX(retry_after_ms - 1, 0);
    case 7:
        return draw(5000);
    case 8:
        return draw(2 * WINDOW_MS);
    case 9:
        return draw(50) == 0 ? (int64_t)UINT32_MAX - 1 + draw(3) : 1;
    default:
        return draw(3) == 0;
    }
}

static void agrees_with_the_model(void **state)
{
    (void)state;
    static const char *const addresses[MODEL_ADDRESSES] = { "192.0.2.1", "2001:db8::1", "::1" };
    scoped(address_window_free) struct address_window *window = address_window_new(MODEL_ADDRESSES);
    scoped(mem_free) struct model *models = mem_array(MODEL_ADDRESSES, sizeof(*models));
    int64_t now_ms = START_MS;
    unsigned limit = 120;

    for (int step = 0; step < MODEL_STEPS; step++) {
        size_t who = draw(MODEL_ADDRESSES);
        struct model *model = &models[who];
        if (draw(5000) == 0)
            limit = 1 + draw(draw(2) ? 130 : 5);
        bool admitted = counting(model, now_ms) < limit;
        if (admitted)
            model->at_ms[model->count++] = now_ms;
        struct address_verdict verdict = ask(window, addresses[who], limit, now_ms);
        unsigned count = counting(model, now_ms);
        assert_int_equal(verdict.admitted, admitted);
        assert_int_equal(verdict.remaining, count < limit ? limit - count : 0);
        assert_int_equal(verdict.retry_after_ms, model_retry(model, limit, now_ms));
        assert_int_equal(verdict.reset_ms, model->at_ms[model->count - count] + WINDOW_MS - now_ms);
        if (count > 0 && draw(8) == 0) {
            size_t which = model->count - 1 - draw(count);
            give_back(window, addresses[who], model->at_ms[which]);
            memmove(&model->at_ms[which], &model->at_ms[which + 1],
                    (--model->count - which) * sizeof(model->at_ms[0]));
        }
        now_ms += draw_pause(verdict.retry_after_ms);
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(limit_zero_means_no_limit),
        cmocka_unit_test(lowered_limit_waits_for_enough_to_leave),
        cmocka_unit_test(rejected_calls_do_not_count),
        cmocka_unit_test(a_call_given_back_no_longer_counts),
        cmocka_unit_test(a_full_table_evicts_the_oldest),
        cmocka_unit_test(flood_stays_below_the_cap),
        cmocka_unit_test(idle_addresses_are_reclaimed),
        cmocka_unit_test(agrees_with_the_model),
    };
    const char *seed = getenv("TEST_SEED");
    random_state = seed ? strtoull(seed, NULL, 10) : (uint64_t)clock_wall_ms();
    random_state += random_state == 0;
    printf("# TEST_SEED=%llu\n", (unsigned long long)random_state);
    return RUN_ROWS(moments, check_moment) + RUN_ROWS(pairs, check_pair) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
