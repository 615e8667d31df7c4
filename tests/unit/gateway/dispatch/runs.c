/* tests/unit/gateway/dispatch/runs.c - jobs by their id, also when they share a bucket. */
#include "gateway/dispatch/runs.h"

#include "rows.h"

enum { COUNT = 6 };

static const struct row {
    const char *name;
    bool same_bucket;
    size_t order[COUNT]; /* of removal */
} rows[] = {
    { "one bucket, first in first out", true, { 0, 1, 2, 3, 4, 5 } },
    { "one bucket, last in first out", true, { 5, 4, 3, 2, 1, 0 } },
    { "one bucket, from the middle", true, { 2, 4, 0, 5, 1, 3 } },
    { "many buckets", false, { 2, 4, 0, 5, 1, 3 } },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct runs *runs = mem_new(sizeof(*runs));
    struct dispatch_job job[COUNT] = { 0 };
    struct run run[COUNT] = { 0 };
    bool is_there[COUNT] = { 0 };

    for (size_t i = 0; i < COUNT; i++) {
        job[i].id.bytes[row->same_bucket ? 0 : 15] = (uint8_t)i;
        run[i].job = &job[i];
        assert_null(runs_find(runs, &job[i].id));
        runs_add(runs, &run[i]);
        is_there[i] = true;
    }
    for (size_t i = 0; i < COUNT; i++) {
        runs_remove(runs, &run[row->order[i]]);
        is_there[row->order[i]] = false;
        assert_int_equal(runs->count, COUNT - 1 - i);
        for (size_t k = 0; k < COUNT; k++)
            assert_ptr_equal(runs_find(runs, &job[k].id), is_there[k] ? &run[k] : NULL);
    }
    mem_free(&runs);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
