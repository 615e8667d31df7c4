/* tests/unit/gateway/http/address-window-threads.c - many threads, one window: exact under
 * concurrency. Built with -Db_sanitize=thread it also proves that there is no data race. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/codec/cidr.h"
#include "base/os/clock.h"
#include "gateway/http/address-window.h"
#include "rows.h"

enum { THREADS = 8, CALLS = 4000, ADDRESSES = 16, MINUTES = 5 };

static const struct row {
    const char *name;
    size_t max_addresses;
    unsigned limit;
    bool exact; /* the table holds all addresses, so none is forgotten */
} rows[] = {
    { "room for all, one part", ADDRESSES, 120, true },
    { "room for all, many parts", 100000, 120, true },
    { "addresses push each other out", 4, 120, false },
};

struct crowd {
    const struct row *row;
    struct address_window *window;
    atomic_uint admitted[ADDRESSES];
};

static void *call_often(void *arg)
{
    struct crowd *crowd = arg;
    for (uint32_t i = 0; i < CALLS; i++) {
        uint32_t who = i * 7 % ADDRESSES;
        struct in6_addr address = address_of_ipv4((struct in_addr){ htonl(0x0a000000 + who) });
        if (address_window_admit(crowd->window, &address, crowd->row->limit).admitted)
            crowd->admitted[who]++;
        if (i % 100 == 0)
            (void)address_window_count(crowd->window);
    }
    return NULL;
}

static void check(void **state)
{
    struct crowd crowd = { .row = *state };
    scoped(address_window_free) struct address_window *window =
        address_window_new(crowd.row->max_addresses);
    crowd.window = window;

    for (unsigned minute = 1; minute <= MINUTES; minute++) {
        pthread_t threads[THREADS];
        clock_stop((int64_t)minute * WINDOW_MS, 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, call_often, &crowd), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(address_window_count(window) <= crowd.row->max_addresses);
        for (int i = 0; i < ADDRESSES && crowd.row->exact; i++)
            assert_int_equal(crowd.admitted[i], minute * crowd.row->limit);
    }
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
