/* portal/payments/reconcile-events.c - see reconcile-events.h. */
#include "portal/payments/reconcile-events.h"

#include <stdio.h>

#include "base/os/log.h"
#include "portal/payments/inbox.h"
#include "portal/payments/stripe/stripe-facts.h"

/* A row of the table job, due every 600 s. The lease of a turn is 60 s, renewed with each page.
 * Stripe lists events some time after their `created`, so the last 10 minutes are read twice. The
 * first comparison goes back 3 days, as long as Stripe resends webhooks. Stripe keeps events for 30
 * days. */
#define NAME      "reconcile"
#define LEASE     "interval '60 seconds'"
#define PERIOD    "interval '600 seconds'"
#define OVERLAP_S "600"
#define FIRST_S   "259200"

enum { PAGES_MAX = 1000, NUMBER_BYTES = 24, EVENT_TEXT_MAX_BYTES = 1 << 20 };

struct turn {
    struct portal *portal;
    const struct provider *provider;
    int64_t since_s;
    char begun_s[NUMBER_BYTES];
    int64_t missed;
};

/* ---- the turn ---- */

static const char claim_sql[] =
    "with made as (insert into job (name, due_at) values ('" NAME "', ledger_now())"
    "              on conflict do nothing returning due_at)"
    " update job set due_at = now_at + " LEASE " from ledger_now() now_at"
    "  where name = '" NAME "' and due_at <= now_at"
    " returning coalesce(cursor::bigint - " OVERLAP_S ","
    "                    floor(extract(epoch from now_at))::bigint - " FIRST_S ") as since_s,"
    "           floor(extract(epoch from now_at))::bigint::text as begun_s";

static bool claim_turn(struct turn *turn, bool *is_mine, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!pool_row(turn->portal->pool, claim_sql, NO_PARAMS, row, err))
        return false;
    *is_mine = json_size(row) > 0;
    if (!*is_mine)
        return true;
    turn->since_s = (int64_t)json_get(row, "since_s")->valuedouble;
    snprintf(turn->begun_s, sizeof(turn->begun_s), "%s", json_text(row, "/begun_s"));
    return true;
}

static bool renew_turn(const struct turn *turn, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    return pool_row(turn->portal->pool,
                    "update job set due_at = ledger_now() + " LEASE " where name = '" NAME "'",
                    NO_PARAMS, row, err);
}

static bool end_turn(const struct turn *turn, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    return pool_row(turn->portal->pool,
                    "update job set due_at = ledger_now() + " PERIOD ","
                    "    cursor = greatest(coalesce(cursor::bigint, 0), $1::bigint)::text"
                    " where name = '" NAME "'",
                    SQL_PARAMS(turn->begun_s), row, err);
}

/* ---- missing events ---- */

static bool add_event(struct turn *turn, struct sql *sql, const cJSON *tree, struct err *err)
{
    scoped(buf_free) struct buf text = BUF(EVENT_TEXT_MAX_BYTES);
    struct portal *portal = turn->portal;
    struct event event;
    struct err why = { 0 };
    bool is_new = false;
    if (!event_of(tree, &event, &why)) { /* skip it: it must not block the other events */
        log_line(LOG_ERROR, "invalid event in the processor's list", log_str("error", why.message));
        return true;
    }
    if (event.is_live != payments_are_live(portal, turn->provider))
        return true;
    json_print(tree, &text);
    if (!inbox_add(sql, turn->provider->name, &event, buf_text(&text), &is_new, err))
        return false;
    turn->missed += is_new;
    if (is_new)
        log_line(LOG_WARN, "event that no webhook delivered", log_str("event_id", event.id),
                 log_str("event_type", event.type));
    return true;
}

static bool add_events(struct turn *turn, const cJSON *page, struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    const cJSON *item;
    bool ok = pool_take(turn->portal->pool, &sql, err);
    cJSON_ArrayForEach(item, json_get(page, "data"))
        ok = ok && add_event(turn, sql, item, err);
    return ok;
}

static bool do_page(struct turn *turn, char after[static PROCESSOR_ID_BYTES], struct err *err)
{
    scoped(json_free) cJSON *page = NULL;
    return turn->provider->list_events(turn->portal, turn->since_s, after, &page, err) &&
           stripe_next_page(page, after, err) && add_events(turn, page, err) &&
           renew_turn(turn, err);
}

static bool do_pages(struct turn *turn, struct err *err)
{
    char after[PROCESSOR_ID_BYTES] = "";
    for (int i = 0; i < PAGES_MAX; i++) {
        if (!do_page(turn, after, err))
            return false;
        if (!after[0])
            return true;
    }
    return err_set(err, ERR_UPSTREAM_UNAVAILABLE,
                   "the processor's list of events has more than %d pages", PAGES_MAX);
}

/* At most one provider lists events. */
static const struct provider *find_event_lister(const struct portal *portal)
{
    size_t i = 0;
    while (payments_followed(portal, i) && !payments_followed(portal, i)->list_events)
        i++;
    return payments_followed(portal, i);
}

bool reconcile_events_is_wanted(const struct portal *portal)
{
    return find_event_lister(portal) != NULL;
}

bool reconcile_events(struct portal *portal, struct err *err)
{
    struct turn turn = { .portal = portal, .provider = find_event_lister(portal) };
    bool is_mine = false;
    if (!turn.provider)
        return true;
    if (!claim_turn(&turn, &is_mine, err))
        return false;
    if (!is_mine)
        return true;
    bool ok = do_pages(&turn, err) && end_turn(&turn, err);
    counter_add(payments_counters(portal)->missed, turn.missed);
    return ok;
}

bool reconcile_events_age(struct sql *sql, int64_t *seconds, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql,
                 "select greatest(0, floor(extract(epoch from ledger_now()))::bigint"
                 "    - cursor::bigint) as s from job where name = '" NAME "'"
                 " and cursor is not null",
                 NO_PARAMS, row, err))
        return false;
    *seconds = json_size(row) > 0 ? (int64_t)json_get(row, "s")->valuedouble : 0;
    return true;
}
