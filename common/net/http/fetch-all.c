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

/* A place for one request at a time; its handle is kept for the next. */
struct seat {
    struct fetch_item *item; /* NULL: free */
    struct exchange exchange;
    struct flight *flight;
    CURL *easy;
};

struct party {
    struct egress_session *session;
    const struct fetch_plan *plan;
    CURLM *multi;
    struct fetch_item *items;
    bool *waits; /* for each item: is it still to be begun */
    size_t count;
    size_t waiting;
    int64_t next_begin_ms;
    struct seat seat[FETCH_AT_ONCE_MAX];
};

/* ---- one item ---- */

static void tell_end(struct party *party, struct fetch_item *item)
{
    const struct fetch_plan *plan = party->plan;
    enum fetch_next next = plan->ended ? plan->ended(item, plan->context) : FETCH_ON;
    if (next == FETCH_AGAIN && !party->waits[item - party->items]) {
        party->waits[item - party->items] = true;
        party->waiting++;
    }
    if (next == FETCH_STOP) {
        for (size_t i = 0; i < party->count; i++)
            party->waits[i] = false;
        party->waiting = 0;
    }
}

/* The target is copied: the caller may change his when he asks again. */
static void open_hop(const struct fetch_item *item, struct fetch_hop *hop)
{
    if (item->target)
        target_with_path(item->target, item->target->path, &hop->target);
    else
        hop->target.url = str_dup(item->url);
}

static void take_off(struct party *party, struct seat *seat, bool verifies)
{
    struct fetch_item *item = seat->item;
    struct addresses addresses;
    struct fetch_hop *hop = &item->fetch.hop[0];
    int64_t deadline_ms = egress_session_deadline_ms(party->session);
    seat->exchange = (struct exchange){
        .egress = egress_session_egress(party->session),
        .easy = seat->easy,
        .multi = party->multi,
        .url = hop->target.url,
        .options = item->options ? item->options : &usual_options,
        .verifies = verifies,
        .skips_redirects = true,
        .deadline_ms = item->limit_ms ? deadline_within(deadline_ms, item->limit_ms) : deadline_ms,
    };
    seat->exchange.method = seat->exchange.options->method ? seat->exchange.options->method : "GET";
    if (item->target) {
        int64_t begin_us = clock_us();
        if (!egress_session_resolve_web(party->session, &hop->target, &addresses, &item->err))
            return;
        hop->times.dns_us = hop->target.host.is_address ? 0 : clock_us() - begin_us;
        seat->exchange.host = &hop->target.host;
        seat->exchange.port = hop->target.port;
        seat->exchange.addresses = &addresses;
    }
    seat->flight = exchange_begin(&seat->exchange, hop);
    seat->exchange.addresses = NULL; /* they were for the beginning */
}

static void leave(struct party *party, struct seat *seat)
{
    struct fetch_item *item = take(seat->item);
    if (!item->ok)
        fetch_free(&item->fetch);
    if (!item->ok && item->url)
        err_set(&item->err, ERR_UPSTREAM_UNAVAILABLE, "a service that this needs does not answer");
    tell_end(party, item);
}

static void begin(struct party *party, struct seat *seat, struct fetch_item *item)
{
    party->waits[item - party->items] = false;
    party->waiting--;
    party->next_begin_ms = clock_ms() + party->plan->apart_ms;
    seat->item = item;
    if (!seat->easy)
        seat->easy = curl_easy_init();
    item->is_begun = true;
    item->ok = false;
    item->err = (struct err){ 0 };
    item->fetch = (struct fetch){ .hop_count = 1 };
    open_hop(item, &item->fetch.hop[0]);
    take_off(party, seat, true);
    if (!seat->flight)
        leave(party, seat);
}

static void land(struct party *party, struct seat *seat)
{
    struct fetch_item *item = seat->item;
    bool may_doubt = item->target && !seat->exchange.options->must_verify;
    enum exchange_end end = exchange_finish(&seat->flight, &item->fetch, &item->err);
    if (end == EXCHANGE_BAD_CERTIFICATE && may_doubt)
        take_off(party, seat, false);
    if (seat->flight)
        return;
    item->ok = end == EXCHANGE_ANSWERED;
    if (item->ok)
        item->err = (struct err){ 0 };
    leave(party, seat);
}

/* ---- all of them ---- */

/* May one more go to its host, beside those that are on their way there? */
static bool host_has_room(const struct party *party, const struct fetch_item *item)
{
    size_t there = 0;
    if (party->plan->per_host == 0 || !item->target)
        return true;
    for (size_t i = 0; i < FETCH_AT_ONCE_MAX; i++) {
        const struct fetch_item *other = party->seat[i].item;
        if (other && other->target &&
            strcmp(other->target->host.name, item->target->host.name) == 0)
            there++;
    }
    return there < party->plan->per_host;
}

/* The next item whose time has come; else *wake_ms is made no later than the first that waits. */
static struct fetch_item *next_item(struct party *party, int64_t *wake_ms)
{
    for (size_t i = 0; i < party->count; i++) {
        int64_t begin_ms = MAX(party->items[i].begin_ms, party->next_begin_ms);
        if (!party->waits[i] || !host_has_room(party, &party->items[i]))
            continue;
        if (begin_ms <= clock_ms())
            return &party->items[i];
        *wake_ms = MIN(*wake_ms, begin_ms);
    }
    return NULL;
}

static void fill_seats(struct party *party, int64_t *wake_ms)
{
    size_t seats = MIN(party->plan->at_once, FETCH_AT_ONCE_MAX);
    for (size_t i = 0; i < seats && party->waiting > 0; i++) {
        struct fetch_item *item;
        if (party->seat[i].item || egress_session_left_ms(party->session) == 0)
            continue;
        item = next_item(party, wake_ms);
        if (!item)
            return;
        begin(party, &party->seat[i], item);
        *wake_ms = deadline_within(*wake_ms, 0); /* it may have ended already */
    }
}

static size_t list_flights(const struct party *party, struct flight *flights[FETCH_AT_ONCE_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < FETCH_AT_ONCE_MAX; i++)
        if (party->seat[i].flight)
            flights[count++] = party->seat[i].flight;
    return count;
}

static void run(struct party *party)
{
    struct flight *flights[FETCH_AT_ONCE_MAX];
    for (;;) {
        int64_t wake_ms = egress_session_deadline_ms(party->session);
        fill_seats(party, &wake_ms);
        size_t count = list_flights(party, flights);
        if (count == 0 && (party->waiting == 0 || egress_session_left_ms(party->session) == 0))
            return;
        exchange_wait(party->multi, flights, count, wake_ms);
        for (size_t i = 0; i < FETCH_AT_ONCE_MAX; i++) {
            struct seat *seat = &party->seat[i];
            if (seat->flight && exchange_is_over(seat->flight))
                land(party, seat);
        }
    }
}

void fetch_all(struct egress_session *session, struct fetch_item *items, size_t count,
               const struct fetch_plan *plan)
{
    scoped(transfer_free_multi) CURLM *multi = curl_multi_init();
    scoped(mem_free) bool *waits = mem_array(MAX(count, 1), sizeof(*waits));
    struct party party = { .session = session,
                           .plan = plan,
                           .multi = multi,
                           .items = items,
                           .waits = waits,
                           .count = count,
                           .waiting = count };
    for (size_t i = 0; i < count; i++)
        waits[i] = true;
    run(&party);
    for (size_t i = 0; i < FETCH_AT_ONCE_MAX; i++)
        transfer_free_easy(&party.seat[i].easy);
}
