/* common/base/os/parallel.c - runs several blocking functions at once. */
#include "base/os/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/scoped.h"

enum { STACK_BYTES = 256 << 10 };

struct crew {
    char *items;
    size_t count;
    size_t item_bytes;
    parallel_run *run;
    atomic_size_t next;
};

static void *run_items(void *argument)
{
    struct crew *crew = argument;
    size_t i;
    while ((i = atomic_fetch_add(&crew->next, 1)) < crew->count)
        crew->run(crew->items + i * crew->item_bytes);
    return NULL;
}

/* A helper that cannot start is not an error: the others do its work. */
static size_t start_helpers(struct crew *crew, pthread_t *helpers, size_t wanted)
{
    pthread_attr_t attributes;
    size_t started = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (started < wanted && pthread_create(&helpers[started], &attributes, run_items, crew) == 0)
        started++;
    pthread_attr_destroy(&attributes);
    return started;
}

void parallel(void *items, size_t count, size_t item_bytes, size_t at_once, parallel_run *run)
{
    struct crew crew = { .items = items, .count = count, .item_bytes = item_bytes, .run = run };
    size_t wanted = MIN(count, at_once);
    scoped(mem_free) pthread_t *helpers = mem_array(MAX(wanted, 1), sizeof(*helpers));
    size_t started = wanted > 1 ? start_helpers(&crew, helpers, wanted - 1) : 0;
    run_items(&crew);
    for (size_t i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
}
