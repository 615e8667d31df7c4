/* gateway/dispatch/runs.c - jobs in progress, by id. */
#include "gateway/dispatch/runs.h"

static size_t bucket_of(const struct uuid *id)
{
    return (size_t)(id->bytes[14] << 8 | id->bytes[15]) % RUN_BUCKETS;
}

void runs_add(struct runs *runs, struct run *run)
{
    struct run **bucket = &runs->bucket[bucket_of(&run->job->id)];
    run->next = *bucket;
    *bucket = run;
    runs->count++;
}

void runs_remove(struct runs *runs, struct run *run)
{
    struct run **at = &runs->bucket[bucket_of(&run->job->id)];
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    runs->count--;
}

struct run *runs_find(const struct runs *runs, const struct uuid *id)
{
    struct run *run = runs->bucket[bucket_of(id)];
    while (run && !uuid_equal(&run->job->id, id))
        run = run->next;
    return run;
}
