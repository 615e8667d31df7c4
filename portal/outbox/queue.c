/* portal/outbox/queue.c - see queue.h. */
#include "portal/outbox/queue.h"

#include <stdio.h>

#include "base/num.h"

enum { NUMBER_BYTES = 24 };

/* Seconds until the next attempt, by the number of attempts; then always the last value. */
static const int64_t pauses_s[] = { 60, 300, 900, 3600 };

/* The subquery reads the clock once; otherwise each waiting row would read it. */
static const char claim_sql[] =
    "with due as materialized ("
    "    select o.mail_id, l.link_id, l.kind, l.used_at is null and l.expires_at > now_at as "
    "is_alive,"
    "           l.used_at is not null as is_used,"
    "           now_at"
    "      from (select ledger_now() as now_at) clock"
    "      join lateral (select * from mail"
    "                     where state = 1"
    "                       and next_at <= clock.now_at - interval '1 second' * $2::integer"
    "                     order by next_at limit 1 for update skip locked) o on true"
    "      left join link l on l.link_id = o.link_id)"
    " update mail m set attempts = m.attempts + 1, error = null,"
    "                   next_at = due.now_at + interval '1 second' * $1::integer"
    "   from due where m.mail_id = due.mail_id"
    " returning m.mail_id, m.recipient, m.template, m.data::json, m.attempts,"
    "           to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI \"UTC\"') as at,"
    "           m.created_at < due.now_at - interval '48 hours' as is_old,"
    "           m.link_id, due.kind as link_kind, coalesce(due.is_alive, false) as is_link_alive,"
    "           coalesce(due.is_used, false) as is_link_used";

bool outbox_claim(struct pool *pool, int64_t due_s, cJSON **mail, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char lease[NUMBER_BYTES], due[NUMBER_BYTES];
    snprintf(lease, sizeof(lease), "%d", OUTBOX_LEASE_S);
    snprintf(due, sizeof(due), "%lld", (long long)due_s);
    if (!pool_row(pool, claim_sql, SQL_PARAMS(lease, due), row, err))
        return false;
    *mail = json_size(row) > 0 ? take(row) : NULL;
    return true;
}

bool outbox_mark(struct pool *pool, const cJSON *mail, enum outbox_state state, const char *why,
                 struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    int64_t attempts = (int64_t)json_get(mail, "attempts")->valuedouble;
    size_t pause = (size_t)MIN(attempts, (int64_t)countof(pauses_s)) - 1;
    char number[3][NUMBER_BYTES];
    snprintf(number[0], NUMBER_BYTES, "%d", (int)state);
    snprintf(number[1], NUMBER_BYTES, "%lld", (long long)attempts);
    snprintf(number[2], NUMBER_BYTES, "%lld", (long long)pauses_s[pause]);
    return pool_row(pool,
                    "update mail set state = $2::smallint, error = $3,"
                    "    sent_at = case when $2::smallint = 2 then ledger_now() end,"
                    "    next_at = case when $2::smallint = 1 then ledger_now() + interval '1 "
                    "second' * $5::integer"
                    "                   else next_at end"
                    " where mail_id = $1 and attempts = $4::integer and state = 1",
                    SQL_PARAMS(json_text(mail, "/mail_id"), number[0], why, number[1], number[2]),
                    row, err);
}

bool outbox_oldest(struct pool *pool, int64_t *seconds, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!pool_row(
            pool,
            "select coalesce(extract(epoch from ledger_now() - min(created_at)), 0)::bigint as s"
            "  from mail where state = 1 and (error is null or not starts_with(error, $1))",
            SQL_PARAMS(OUTBOX_NOT_YET), row, err))
        return false;
    *seconds = (int64_t)json_get(row, "s")->valuedouble;
    return true;
}
