/* common/net/http/fetch-all.c - several requests at once, all in the calling thread. */
#include "net/http/fetch-all.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/http/exchange.h"
#include "net/http/transfer.h"

static const struct fetch_options usual_options;

/* A slot runs one request at a time, and keeps its handle for the next one. */
struct slot {
    struct fetch_item *item; /* NULL: free */
    struct exchange exchange;
    struct flight *flight;
    CURL *easy;
};

struct batch {
    struct egress_session *session;
    const struct fetch_plan *plan;
    CURLM *multi;
    struct fetch_item *items;
    bool *waits; /* for each item: it is not started yet */
    size_t count;
    size_t waiting;
    int64_t next_begin_ms;
    struct slot slot[FETCH_AT_ONCE_MAX];
};

/* ---- one item ---- */

static void report_end(struct batch *batch, struct fetch_item *item)
{
    const struct fetch_plan *plan = batch->plan;
    enum fetch_next next = plan->ended ? plan->ended(item, plan->context) : FETCH_ON;
    if (next == FETCH_AGAIN && !batch->waits[item - batch->items]) {
        batch->waits[item - batch->items] = true;
        batch->waiting++;
    }
    if (next == FETCH_STOP) {
        for (size_t i = 0; i < batch->count; i++)
            batch->waits[i] = false;
        batch->waiting = 0;
    }
}

/* The target is copied: the caller may change theirs when the item is retried. */
static void open_hop(const struct fetch_item *item, struct fetch_hop *hop)
{
    if (item->target)
        target_with_path(item->target, item->target->path, &hop->target);
    else
        hop->target.url = str_dup(item->url);
}

static void start_flight(struct batch *batch, struct slot *slot, bool verifies)
{
    struct fetch_item *item = slot->item;
    struct addresses addresses;
    struct fetch_hop *hop = &item->fetch.hop[0];
    int64_t deadline_ms = egress_session_deadline_ms(batch->session);
    slot->exchange = (struct exchange){
        .egress = egress_session_egress(batch->session),
        .easy = slot->easy,
        .multi = batch->multi,
        .url = hop->target.url,
        .options = item->options ? item->options : &usual_options,
        .verifies = verifies,
        .skips_redirects = true,
        .deadline_ms = item->limit_ms ? deadline_within(deadline_ms, item->limit_ms) : deadline_ms,
    };
    slot->exchange.method = slot->exchange.options->method ? slot->exchange.options->method : "GET";
    if (item->target) {
        int64_t begin_us = clock_us();
        if (!egress_session_resolve_web(batch->session, &hop->target, &addresses, &item->err))
            return;
        hop->times.dns_us = hop->target.host.is_address ? 0 : clock_us() - begin_us;
        slot->exchange.host = &hop->target.host;
        slot->exchange.port = hop->target.port;
        slot->exchange.addresses = &addresses;
    }
    slot->flight = exchange_begin(&slot->exchange, hop);
    slot->exchange.addresses = NULL; /* they were only for the start */
}

static void leave_seat(struct batch *batch, struct slot *slot)
{
    struct fetch_item *item = take(slot->item);
    if (!item->ok)
        fetch_free(&item->fetch);
    if (!item->ok && item->url)
        err_set(&item->err, ERR_UPSTREAM_UNAVAILABLE, "a required service does not respond");
    report_end(batch, item);
}

static void begin_item(struct batch *batch, struct slot *slot, struct fetch_item *item)
{
    batch->waits[item - batch->items] = false;
    batch->waiting--;
    batch->next_begin_ms = clock_ms() + batch->plan->apart_ms;
    slot->item = item;
    if (!slot->easy)
        slot->easy = curl_easy_init();
    item->is_begun = true;
    item->ok = false;
    item->err = (struct err){ 0 };
    item->fetch = (struct fetch){ .hop_count = 1 };
    open_hop(item, &item->fetch.hop[0]);
    start_flight(batch, slot, true);
    if (!slot->flight)
        leave_seat(batch, slot);
}

static void land_flight(struct batch *batch, struct slot *slot)
{
    struct fetch_item *item = slot->item;
    bool may_doubt = item->target && !slot->exchange.options->must_verify;
    enum exchange_end end = exchange_finish(&slot->flight, &item->fetch, &item->err);
    if (end == EXCHANGE_BAD_CERTIFICATE && may_doubt)
        start_flight(batch, slot, false);
    if (slot->flight)
        return;
    item->ok = end == EXCHANGE_ANSWERED;
    if (item->ok)
        item->err = (struct err){ 0 };
    leave_seat(batch, slot);
}

/* ---- all items ---- */

/* May one more request be sent to this host? */
static bool host_has_room(const struct batch *batch, const struct fetch_item *item)
{
    size_t there = 0;
    if (batch->plan->per_host == 0 || !item->target)
        return true;
    for (size_t i = 0; i < FETCH_AT_ONCE_MAX; i++) {
        const struct fetch_item *other = batch->slot[i].item;
        if (other && other->target &&
            strcmp(other->target->host.name, item->target->host.name) == 0)
            there++;
    }
    return there < batch->plan->per_host;
}

/* The next item that may start; else *wake_ms becomes at most the time of the first waiting one. */
static struct fetch_item *next_item(struct batch *batch, int64_t *wake_ms)
{
    for (size_t i = 0; i < batch->count; i++) {
        int64_t begin_ms = MAX(batch->items[i].begin_ms, batch->next_begin_ms);
        if (!batch->waits[i] || !host_has_room(batch, &batch->items[i]))
            continue;
        if (begin_ms <= clock_ms())
            return &batch->items[i];
        *wake_ms = MIN(*wake_ms, begin_ms);
    }
    return NULL;
}

static void fill_seats(struct batch *batch, int64_t *wake_ms)
{
    size_t seats = MIN(batch->plan->at_once, FETCH_AT_ONCE_MAX);
    for (size_t i = 0; i < seats && batch->waiting > 0; i++) {
        struct fetch_item *item;
        if (batch->slot[i].item || egress_session_left_ms(batch->session) == 0)
            continue;
        item = next_item(batch, wake_ms);
        if (!item)
            return;
        begin_item(batch, &batch->slot[i], item);
        *wake_ms = deadline_within(*wake_ms, 0); /* it may already be over */
    }
}

static size_t list_flights(const struct batch *batch, struct flight *flights[FETCH_AT_ONCE_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < FETCH_AT_ONCE_MAX; i++)
        if (batch->slot[i].flight)
            flights[count++] = batch->slot[i].flight;
    return count;
}

static void run_items(struct batch *batch)
{
    struct flight *flights[FETCH_AT_ONCE_MAX];
    for (;;) {
        int64_t wake_ms = egress_session_deadline_ms(batch->session);
        fill_seats(batch, &wake_ms);
        size_t count = list_flights(batch, flights);
        if (count == 0 && (batch->waiting == 0 || egress_session_left_ms(batch->session) == 0))
            return;
        exchange_wait(batch->multi, flights, count, wake_ms);
        for (size_t i = 0; i < FETCH_AT_ONCE_MAX; i++) {
            struct slot *slot = &batch->slot[i];
            if (slot->flight && exchange_is_over(slot->flight))
                land_flight(batch, slot);
        }
    }
}

void fetch_all(struct egress_session *session, struct fetch_item *items, size_t count,
               const struct fetch_plan *plan)
{
    scoped(transfer_free_multi) CURLM *multi = curl_multi_init();
    scoped(mem_free) bool *waits = mem_array(MAX(count, 1), sizeof(*waits));
    struct batch batch = { .session = session,
                           .plan = plan,
                           .multi = multi,
                           .items = items,
                           .waits = waits,
                           .count = count,
                           .waiting = count };
    for (size_t i = 0; i < count; i++)
        waits[i] = true;
    run_items(&batch);
    for (size_t i = 0; i < FETCH_AT_ONCE_MAX; i++)
        transfer_free_easy(&batch.slot[i].easy);
}
