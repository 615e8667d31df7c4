/* tests/unit/gateway/dispatch/staff.c - when a gateway that has just started may get calls. */
#include "played.h"

#include "base/os/clock.h"
#include "rows.h"

enum { COMERS_MAX = 3 };

static const struct row {
    const char *name;
    struct {
        int64_t at_ms; /* after the start */
        const char *group;
    } comer[COMERS_MAX];
    int64_t open_ms;
} rows[] = {
    { "each group has a worker", { { 0, "utils" }, { 10, "chat" }, { 20, "empty" } }, 20 },
    { "nobody comes", { { 0 } }, 10000 },
    { "nobody new comes", { { 0, "utils" }, { 3000, "chat" } }, 8000 },
    { "another one of a group is new, too", { { 0, "utils" }, { 3000, "utils" } }, 8000 },
    { "somebody comes again and again",
      { { 0, "utils" }, { 4000, "chat" }, { 8000, "chat" } },
      10000 },
    { "the first comes late", { { 9000, "utils" } }, 10000 },
    { "the last comes late", { { 0, "utils" }, { 3000, "chat" }, { 7000, "empty" } }, 7000 },
};

static void wait_until(int64_t ms)
{
    advance(BEGIN_MS + ms - clock_ms());
    settle();
}

static void check(void **state)
{
    static const char *const peers[COMERS_MAX] = { "a", "b", "c" };
    const struct row *row = *state;

    for (size_t i = 0; i < COMERS_MAX && row->comer[i].group; i++) {
        wait_until(row->comer[i].at_ms);
        assert_false(dispatch_is_staffed(dispatch));
        say_ready(peers[i], row->comer[i].group, row->comer[i].group);
        settle();
    }
    if (clock_ms() < BEGIN_MS + row->open_ms) {
        wait_until(row->open_ms - 1);
        assert_false(dispatch_is_staffed(dispatch));
        wait_until(row->open_ms);
    }
    assert_true(dispatch_is_staffed(dispatch));
}

int main(void)
{
    return RUN_ROWS_ON(rows, check, open_dispatch, close_dispatch);
}
