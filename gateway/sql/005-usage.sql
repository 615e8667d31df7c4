-- gateway/sql/005-usage.sql - usage by day: sums of an account's usage and refund entries, so that
-- no page and no request has to add up the entries.
--
-- The numbers (seq) of an account's entries have no gaps, and entries commit in this order
-- (002-ledger.sql). So the entries up to a number that was seen once never change. They are counted
-- once, when somebody needs the sums, and never in the path of a call.

create table usage_day (
    account_id uuid not null,
    day        date not null, -- UTC
    tool_id    smallint not null,
    token_id   uuid not null, -- zeros: not recorded
    calls      integer not null, -- usages minus refunds; below 0 if only a refund fell on the day
    credits    bigint not null,  -- the cost of the usages minus the refunds
    first_seq  bigint not null,  -- the first and last counted entry
    last_seq   bigint not null,
    primary key (account_id, day, tool_id, token_id)
);

-- The sums of usage_day for each tool over all tokens, and for each token over all tools. With
-- them, a page of a year reads only a few thousand rows. In each row either tool_id or token_id is
-- NULL.
create table usage_margin (
    account_id uuid not null,
    day        date not null,
    tool_id    smallint,
    token_id   uuid,
    calls      integer not null,
    credits    bigint not null,
    first_seq  bigint not null,
    last_seq   bigint not null,
    unique nulls not distinct (account_id, day, tool_id, token_id),
    check ((tool_id is null) <> (token_id is null))
);

create table usage_roll (
    account_id uuid primary key references account,
    seq        bigint not null default 0 check (seq >= 0) -- entries up to here are counted
);

-- Count up to p_limit more entries of an account. Returns how many are left. A second session waits
-- for the first, and finds its entries counted.
create function usage_roll_up(p_account uuid, p_limit integer) returns bigint language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    newest  bigint := (select b.seq from account_balance b where b.account_id = p_account);
    counted bigint;
    until   bigint;
begin
    if (p_limit > 0) is not true then
        raise exception 'p_limit must be at least 1';
    end if;
    if newest is null or newest = (select r.seq from usage_roll r where r.account_id = p_account) then
        return 0;
    end if;
    insert into usage_roll (account_id) values (p_account) on conflict do nothing;
    select r.seq into counted from usage_roll r where r.account_id = p_account for no key update;
    newest := greatest(newest, counted);
    until := least(newest, counted + p_limit);
    with tail as (
        select (e.at at time zone 'UTC')::date as day, coalesce(e.tool_id, 0) as tool_id,
               coalesce(e.token_id, '00000000-0000-0000-0000-000000000000') as token_id,
               sum(case e.kind when 3 then 1 else -1 end) as calls, -sum(e.amount) as credits,
               min(e.seq) as first_seq, max(e.seq) as last_seq
          from ledger_entry e
         where e.account_id = p_account and e.seq > counted and e.seq <= until and e.kind in (3, 4)
         group by 1, 2, 3
    ), by_both as (
        insert into usage_day as d
        select p_account, t.* from tail t
            on conflict (account_id, day, tool_id, token_id) do update
           set calls = d.calls + excluded.calls, credits = d.credits + excluded.credits,
               last_seq = excluded.last_seq
    )
    insert into usage_margin as m
    select p_account, t.day, t.tool_id, t.token_id, sum(t.calls), sum(t.credits), min(t.first_seq),
           max(t.last_seq)
      from tail t
     group by grouping sets ((t.day, t.tool_id), (t.day, t.token_id))
        on conflict (account_id, day, tool_id, token_id) do update
       set calls = m.calls + excluded.calls, credits = m.credits + excluded.credits,
           last_seq = excluded.last_seq;
    update usage_roll set seq = until where account_id = p_account;
    return newest - until;
end $$;

-- Do one step of a lap over all accounts that counts entries ahead of time, so that readers wait
-- for few entries. Looks at up to p_limit accounts after p_after, counts the entries of those with
-- more than 5,000 uncounted ones, and stops after about 100,000 entries. An account that cannot be
-- counted is recorded and skipped. Returns the p_after of the next step; NULL: the lap is complete.
create function usage_lap(p_after uuid, p_limit integer) returns uuid language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    step      constant bigint := 100000;
    done      bigint := 0;
    left_over bigint;
    passed    uuid := p_after;
    seen      integer := 0;
    a         record;
begin
    for a in
        select b.account_id, b.seq - coalesce(r.seq, 0) as tail
          from account_balance b left join usage_roll r on r.account_id = b.account_id
         where b.account_id > p_after order by b.account_id limit p_limit
    loop
        seen := seen + 1;
        if a.tail > 5000 then
            begin
                left_over := usage_roll_up(a.account_id, (step - done)::integer);
            exception when integrity_constraint_violation or data_exception or plpgsql_error then
                perform task_failed('usage_lap', a.account_id, sqlerrm);
                left_over := 0;
            end;
            if left_over > 5000 then
                return passed; -- the next step continues with this account
            end if;
            done := done + a.tail - left_over;
        end if;
        passed := a.account_id;
        if done >= step then
            return passed;
        end if;
    end loop;
    return case when seen = p_limit then passed end;
end $$;

-- Find accounts that have usage rows without a counter in usage_roll, or a counter that is above
-- the newest entry.
create function usage_verify_rolls(p_after uuid, p_until uuid)
returns table (account_id uuid, detail text) language sql stable as $$
    with roll as materialized (
        select r.account_id, r.seq from usage_roll r where r.account_id > p_after and r.account_id <= p_until
    )
    select d.account_id, format('there is usage of %s, but no entry is counted', d.day)
      from (select u.account_id, u.day from usage_day u
             where u.account_id > p_after and u.account_id <= p_until
            union
            select u.account_id, u.day from usage_margin u
             where u.account_id > p_after and u.account_id <= p_until) d
     where not exists (select from roll r where r.account_id = d.account_id)
    union all
    select r.account_id, format('entries up to %s are counted, but the newest entry is %s', r.seq, b.seq)
      from roll r
      left join account_balance b on b.account_id = r.account_id and b.account_id > p_after
                                 and b.account_id <= p_until
     where (r.seq <= b.seq) is not true
$$;

-- Invariant 10: find violations among these accounts. Without p_is_whole, only rows that changed
-- since the last verification are checked; the earlier entries of their days are read again. The
-- rows of each account are looked up by its id ("order by" in the lateral joins ensures this), and
-- every condition includes the range of accounts. So no table is read outside the range, whatever
-- its statistics say.
create function usage_verify(p_after uuid, p_until uuid, p_is_whole boolean)
returns table (account_id uuid, detail text) language sql stable
set work_mem = '64MB' set jit = off as $$
    with roll as materialized (
        select r.account_id, r.seq, coalesce(c.usage_seq, 0) as verified
          from usage_roll r
          left join ledger_checkpoint c on c.account_id = r.account_id and c.account_id > p_after
                                       and c.account_id <= p_until and not p_is_whole
         where r.account_id > p_after and r.account_id <= p_until
    ), row_of as materialized (
        select d.*
          from roll r
         cross join lateral (select * from usage_day u
                              where u.account_id = r.account_id and u.last_seq > r.verified order by u.day) d
    ), begin_of as materialized ( -- where to begin to read entries again
        select r.account_id, r.seq, r.verified, min(d.day) as day,
               least(min(d.first_seq) - 1, r.verified) as after
          from roll r left join row_of d on d.account_id = r.account_id
         group by r.account_id, r.seq, r.verified
    ), counted as (
        select e.account_id, (e.at at time zone 'UTC')::date as day, coalesce(e.tool_id, 0) as tool_id,
               coalesce(e.token_id, '00000000-0000-0000-0000-000000000000') as token_id,
               sum(case e.kind when 3 then 1 else -1 end) as calls, -sum(e.amount) as credits,
               min(e.seq) as first_seq, max(e.seq) as last_seq
          from begin_of b
         cross join lateral (select * from ledger_entry l
                              where l.account_id = b.account_id and l.kind in (3, 4)
                                and l.seq > b.after and l.seq <= b.seq order by l.seq) e
         group by 1, 2, 3, 4, b.verified
        having max(e.seq) > b.verified
    ), summed as (
        select d.account_id, d.day, d.tool_id, d.token_id, sum(d.calls) as calls, sum(d.credits) as credits,
               min(d.first_seq) as first_seq, max(d.last_seq) as last_seq
          from begin_of b
         cross join lateral (select * from usage_day u
                              where u.account_id = b.account_id and u.day >= b.day order by u.day) d
         group by d.account_id, d.day, b.verified, grouping sets (d.tool_id, d.token_id)
        having max(d.last_seq) > b.verified
    ), margin as (
        select m.account_id, m.day, m.tool_id, m.token_id, m.calls, m.credits, m.first_seq, m.last_seq
          from roll r
         cross join lateral (select * from usage_margin u
                              where u.account_id = r.account_id and u.last_seq > r.verified order by u.day) m
    )
    select coalesce(c.account_id, d.account_id),
           format('usage of %s, tool %s: %s calls for %s credits; expected from the entries: %s for %s',
                  coalesce(c.day, d.day), coalesce(c.tool_id, d.tool_id), coalesce(d.calls, 0),
                  coalesce(d.credits, 0), coalesce(c.calls, 0), coalesce(c.credits, 0))
      from counted c
      full join row_of d on d.account_id = c.account_id and d.day = c.day and d.tool_id = c.tool_id
                        and d.token_id = c.token_id
     where (c.calls, c.credits, c.first_seq, c.last_seq) is distinct from
           (d.calls, d.credits, d.first_seq, d.last_seq)
    union all
    select x.account_id, format('usage of %s: the sums by tool or by token do not match usage_day', x.day)
      from ((table summed except table margin) union all (table margin except table summed)) x
     group by x.account_id, x.day
    union all
    select v.account_id, v.detail from usage_verify_rolls(p_after, p_until) v
$$;

-- Invariant 11: find tokens with caps whose counters differ from the cost of their calls.
-- - spent_total is compared with the open holds, usage_day and the entries not counted there.
-- - spent_today is compared only if its day is today, yesterday or tomorrow, while the holds of its
--   calls exist. The hold of a call that ran over midnight has the right day, its entry may not.
create function caps_verify(p_after uuid, p_until uuid)
returns table (account_id uuid, detail text) language sql stable as $$
    with counted as (
        select t.account_id, t.token_id, t.spent_day, t.spent_today, t.spent_total,
               coalesce(r.seq, 0) as rolled,
               coalesce((select min(d.first_seq) - 1 from usage_day d
                          where d.account_id = t.account_id and d.token_id = t.token_id
                            and d.day = t.spent_day), r.seq, 0) as before_day
          from token t left join usage_roll r on r.account_id = t.account_id
         where t.account_id > p_after and t.account_id <= p_until and t.spent_total is not null
    ), total as (
        select c.*,
               (select coalesce(sum(h.amount), 0) from hold h
                 where h.account_id = c.account_id and h.token_id = c.token_id and h.state = 1)
               + (select coalesce(sum(d.credits), 0) from usage_day d
                   where d.account_id = c.account_id and d.token_id = c.token_id)
               - (select coalesce(sum(e.amount), 0) from ledger_entry e
                   where e.account_id = c.account_id and e.token_id = c.token_id and e.seq > c.rolled
                     and e.kind in (3, 4)) as calls
          from counted c
    ), day as (
        select c.*, coalesce(sum(k.amount), 0) as calls
          from counted c
          left join lateral (
               select h.hold_id as id, h.amount from hold h
                where h.account_id = c.account_id and h.token_id = c.token_id and h.state in (1, 2)
                  and utc_day(h.created_at) = c.spent_day
                union all
               select e.reference, -e.amount from ledger_entry e
                where e.account_id = c.account_id and e.token_id = c.token_id
                  and e.seq > least(c.before_day, c.rolled) and e.kind = 3 and utc_day(e.at) = c.spent_day
                  and not exists (select from hold h where h.account_id = e.account_id
                                                       and h.hold_id = e.reference)) k
            on not exists (select from ledger_entry f where f.account_id = c.account_id and f.kind = 4
                                                        and f.reference = k.id)
         where c.spent_day between utc_day(ms_to_time(ledger_now_ms())) - 1
                               and utc_day(ms_to_time(ledger_now_ms())) + 1
         group by c.account_id, c.token_id, c.spent_day, c.spent_today, c.spent_total, c.rolled,
                  c.before_day
    )
    select t.account_id, format('token %s: spent_total is %s, but its calls cost %s', t.token_id,
                                t.spent_total, t.calls)
      from total t where t.spent_total <> t.calls
    union all
    select d.account_id, format('token %s: spent_today is %s for %s, but the calls of that day cost %s', d.token_id,
                                d.spent_today, d.spent_day, d.calls)
      from day d where d.spent_today is distinct from d.calls
$$;

-- The usage of these accounts had no violation in this transaction. Call ledger_set_checkpoint()
-- first.
create function usage_set_checkpoint(p_after uuid, p_until uuid) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update ledger_checkpoint c set usage_seq = r.seq
      from usage_roll r
     where r.account_id > p_after and r.account_id <= p_until
       and c.account_id = r.account_id and c.usage_seq < r.seq
$$;

-- The packs on sale, from the smallest, for everybody to read. minor: the price in the minor unit
-- of the currency.
create function packs_on_sale() returns table (credits bigint, minor bigint, currency text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select p.credits, p.price_cents::bigint, p.currency
      from pack p where p.is_sold order by p.credits, p.price_cents
$$;

-- What a gateway reads about an account for its customer. Each function takes the digest of one of
-- the account's tokens, and returns nothing without it. So an attacker who takes over a gateway can
-- read only accounts whose tokens they have seen.

-- Count the entries that are not counted yet, at most 20,000. False: more are left, so the sums are
-- incomplete.
create function usage_count_up(p_account uuid, p_token bytea) returns boolean
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    select usage_roll_up(p_account, 20000) = 0
     where exists (select from token t where t.account_id = p_account and t.digest = p_token)
$$;

-- The rows from p_from (included) to p_to (excluded), by tool and token.
create function usage_days(p_account uuid, p_token bytea, p_from date, p_to date) returns setof usage_day
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select d.* from usage_day d
     where d.account_id = p_account and d.day >= p_from and d.day < p_to
       and exists (select from token t where t.account_id = p_account and t.digest = p_token)
$$;

-- The range of entry numbers, first_seq to last_seq, in which the entries from p_from to p_to must
-- be. It is derived from the counted days around that time, and may be larger than needed.
create function usage_span(p_account uuid, p_token bytea, p_from timestamptz, p_to timestamptz,
                           out first_seq bigint, out last_seq bigint)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with asked as (
        select b.seq as newest, (p_from at time zone 'UTC')::date as first_day,
               ((p_to - interval '1 microsecond') at time zone 'UTC')::date as last_day
          from account_balance b
         where b.account_id = p_account
           and exists (select from token t where t.account_id = p_account and t.digest = p_token)
    ), day as ( -- the nearest counted days
        select a.*,
               (select max(d.day) from usage_day d where d.account_id = p_account and d.day < a.first_day) as before,
               (select min(d.day) from usage_day d where d.account_id = p_account and d.day >= a.first_day) as opens,
               (select max(d.day) from usage_day d where d.account_id = p_account and d.day <= a.last_day) as closes,
               (select min(d.day) from usage_day d where d.account_id = p_account and d.day > a.last_day) as behind
          from asked a
    )
    select least(coalesce((select max(d.last_seq) + 1 from usage_day d
                            where d.account_id = p_account and d.day = n.before), 1),
                 (select min(d.first_seq) from usage_day d
                   where d.account_id = p_account and d.day = n.opens)),
           least(newest, greatest(coalesce((select min(d.first_seq) - 1 from usage_day d
                                             where d.account_id = p_account and d.day = n.behind), newest),
                                  (select max(d.last_seq) from usage_day d
                                    where d.account_id = p_account and d.day = n.closes)))
      from day n
$$;

-- The entries from p_first to p_last that are in the time from p_from (included) to p_to
-- (excluded), newest first, at most p_limit. p_tool, p_by (a token), p_kind: NULL means any.
create function usage_entries(p_account uuid, p_token bytea, p_first bigint, p_last bigint,
                              p_from timestamptz, p_to timestamptz, p_tool smallint, p_by uuid,
                              p_kind smallint, p_limit integer)
returns table (seq bigint, at timestamptz, kind smallint, tool_id smallint, amount bigint,
               balance_after bigint, reference uuid, token_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select e.seq, e.at, e.kind, e.tool_id, e.amount, e.balance_after, e.reference, e.token_id
      from ledger_entry e
     where e.account_id = p_account and e.seq >= p_first and e.seq <= p_last
       and exists (select from token t where t.account_id = p_account and t.digest = p_token)
       and e.at >= p_from and e.at < p_to
       and (p_tool is null or e.tool_id = p_tool)
       and (p_by is null or e.token_id = p_by)
       and (p_kind is null or e.kind = p_kind)
     order by e.seq desc limit p_limit
$$;

-- What the account's windows have now, for each tool, counted as in ledger_admit(): calls of the
-- last minute, the time until the oldest of them leaves the window, and calls of the UTC day. Tools
-- without calls are left out.
create function usage_windows(p_account uuid, p_token bytea)
returns table (now_ms bigint, tool_id smallint, calls integer, reset_ms bigint, today integer)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with balance as (
        select b.ring_at, b.ring_tool,
               greatest(ledger_now_ms(), b.ring_at[cardinality(b.ring_at)]) as now_ms
          from account_balance b
         where b.account_id = p_account
           and exists (select from token t where t.account_id = p_account and t.digest = p_token)
    ), minute as (
        select r.tool_id, count(*)::integer as calls, min(r.at) + 60000 - min(b.now_ms) as reset_ms
          from balance b cross join unnest(b.ring_at, b.ring_tool) as r (at, tool_id)
         where r.at > b.now_ms - 60000
         group by r.tool_id
    ), day as (
        select q.tool_id, q.used
          from balance b
          join daily_quota q on q.account_id = p_account and q.day = utc_day(ms_to_time(b.now_ms)) and q.used > 0
    )
    select b.now_ms, coalesce(m.tool_id, d.tool_id), coalesce(m.calls, 0), m.reset_ms, coalesce(d.used, 0)
      from balance b
      left join (minute m full join day d on d.tool_id = m.tool_id) on true
$$;

revoke execute on function usage_roll_up(uuid, integer), usage_lap(uuid, integer),
    usage_verify(uuid, uuid, boolean), usage_verify_rolls(uuid, uuid), usage_set_checkpoint(uuid, uuid),
    caps_verify(uuid, uuid), packs_on_sale(),
    usage_count_up(uuid, bytea), usage_days(uuid, bytea, date, date),
    usage_span(uuid, bytea, timestamptz, timestamptz),
    usage_entries(uuid, bytea, bigint, bigint, timestamptz, timestamptz, smallint, uuid, smallint, integer),
    usage_windows(uuid, bytea) from public;
grant select on usage_day, usage_roll to tollgate_portal, tollgate_operator;
grant select on usage_margin to tollgate_portal, tollgate_operator;
grant execute on function usage_roll_up(uuid, integer) to tollgate_portal;
grant execute on function packs_on_sale(), usage_count_up(uuid, bytea), usage_days(uuid, bytea, date, date),
    usage_span(uuid, bytea, timestamptz, timestamptz),
    usage_entries(uuid, bytea, bigint, bigint, timestamptz, timestamptz, smallint, uuid, smallint, integer),
    usage_windows(uuid, bytea) to tollgate_gateway;
grant execute on function usage_lap(uuid, integer) to tollgate_portal;
grant execute on function usage_verify(uuid, uuid, boolean), usage_verify_rolls(uuid, uuid),
    usage_set_checkpoint(uuid, uuid), caps_verify(uuid, uuid) to tollgate_operator;
