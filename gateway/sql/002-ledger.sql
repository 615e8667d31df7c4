-- gateway/sql/002-ledger.sql - what a gateway does with money: admit, settle, sweep.
--
-- A gateway sends everything it has waiting as one call of ledger_batch(), one transaction. Rows
-- of account_balance are locked first, in the order of account_id, by every writer that waits; the
-- lock is a statement of its own, so that what follows sees what the holder before us committed. An
-- item is refused by its outcome; the batch goes on.
--
-- A later migration lets gateways of before go on: it may add columns at the end of what a function
-- returns, and replace functions that keep their parameters. Sessions that were planned for the old
-- ones are refused once and renewed (common/db/db.h).

create type ledger_outcome as (
    ord          integer, -- the item: settle items first, then admit items, from 1
    outcome      text,    -- admitted, replay, captured, voided, refunded, expired, unknown, an error
                          -- code, or busy: somebody else holds the account, and nothing was done
    posted       bigint,
    held         bigint,
    window_limit integer, -- the tightest window after this call: its limit, what is left, and
    window_left  integer, -- when its oldest call leaves it
    reset_ms     bigint,
    retry_ms     bigint,  -- refused: this long until the same call would be admitted
    headers      text,    -- replay: the stored answer (body NULL: not kept)
    body         bytea,
    granted      bigint,  -- amount 0: the sums behind the balance. Of a token with caps: admitted or
    purchased    bigint,  -- captured: what they leave (granted); refused by one: it, and what is spent
    used         bigint,  -- (granted, used)
    seq          bigint   -- of the account's newest entry after this item; NULL: not told
);

-- Milliseconds since 1970. Tests shift the clock by the setting tollgate.clock_shift_ms, which any session
-- can set: it counts only where the owner has allowed it (test_clock).
create function ledger_now_ms() returns bigint language sql volatile as $$
    select (extract(epoch from clock_timestamp()) * 1000)::bigint
        + case when coalesce(current_setting('tollgate.clock_shift_ms', true), '') = '' then 0
               when exists (select from public.test_clock)
               then current_setting('tollgate.clock_shift_ms')::bigint else 0 end
$$;

create function ms_to_time(ms bigint) returns timestamptz language sql immutable as $$
    select to_timestamp(ms / 1000.0)
$$;

create function utc_day(at timestamptz) returns date language sql immutable as $$
    select (at at time zone 'UTC')::date
$$;

-- A call that is paid when its work is done has no hold (ledger_admit). When it is sent again, or
-- cancelled, because its answer was lost, what an earlier try may have charged is given the hold that
-- it would have had: by that everybody knows it. Its entry lies above p_since, the number of the account's newest
-- entry before the first try; NULL: the call has left no such entry.
create function ledger_find_paid(p_account uuid[], p_hold uuid[], p_since bigint[])
returns void language sql as $$
    insert into hold (account_id, hold_id, amount, tool_id, token_id, state, created_at, expires_at,
                      settled_at)
    select e.account_id, e.reference, -e.amount, e.tool_id, e.token_id, 2, e.at, e.at, e.at
      from unnest(p_account, p_hold, p_since) as i (account_id, hold_id, since)
      join ledger_entry e on e.account_id = i.account_id and e.seq > i.since
                         and e.kind = 3 and e.reference = i.hold_id
        on conflict (account_id, hold_id) do nothing
$$;

-- Has a call of this id been charged?
create function ledger_is_charged(p_hold uuid) returns boolean language sql stable as $$
    select exists (select from ledger_entry e where e.reference = p_hold and e.kind = 3)
$$;

-- A call that was cancelled, or sent again and refused, is not charged later: an earlier try may still
-- be on its way in a transaction whose connection is lost, and will find this row. Unless it has one, or was
-- charged.
create function ledger_bar(p_account uuid, p_hold uuid, p_now timestamptz) returns void language sql as $$
    insert into hold (account_id, hold_id, amount, tool_id, state, created_at, expires_at, settled_at)
    select b.account_id, p_hold, 0, 0, 3, p_now, p_now, p_now from account_balance b
     where b.account_id = p_account and not ledger_is_charged(p_hold)
        on conflict (account_id, hold_id) do nothing
$$;

-- End holds: op 1 captures, 2 voids, 3 cancels (void; or, when it was captured and nobody got the
-- answer, not for its key either, refund), 4 voids but keeps the day's quota used, 5 expires what is
-- over its time, 0 does nothing and is busy. A hold that has ended before stays as it ended, and its
-- outcome says so. p_since: of a cancel, as ledger_find_paid() takes it. The caller has locked the
-- balances.
create function ledger_settle(p_account uuid[], p_hold uuid[], p_op smallint[],
                              p_headers text[], p_body bytea[], p_now timestamptz,
                              p_since bigint[] default null)
returns setof ledger_outcome language plpgsql as $$
declare
    cancelled record;
begin
    if 3 = any (p_op) then
        perform ledger_find_paid(p_account, p_hold, p_since);
        for cancelled in
            select h.account_id, h.hold_id, h.amount, h.tool_id, h.token_id, h.created_at
              from unnest(p_account, p_hold, p_op) as i (account_id, hold_id, op)
              join hold h on h.account_id = i.account_id and h.hold_id = i.hold_id
             where i.op = 3 and h.state = 2 and not h.is_replayed
        loop
            perform ledger_refund(cancelled.account_id, cancelled.hold_id, cancelled.amount,
                                  cancelled.tool_id, cancelled.token_id, cancelled.created_at, p_now);
        end loop;
    end if;

    return query
    with item as (
        select i.*, b.posted, b.held, b.seq,
               greatest(p_now, ms_to_time(b.ring_at[cardinality(b.ring_at)])) as now
          from unnest(p_account, p_hold, p_op, p_headers, p_body)
               with ordinality as i (account_id, hold_id, op, headers, body, ord)
          left join account_balance b on b.account_id = i.account_id
    ), ended as (
        update hold h
           set state = case when i.op = 1 and h.expires_at > i.now then 2
                            when i.op in (1, 5) then 4
                            else 3 end,
               settled_at = i.now
          from item i
         where h.account_id = i.account_id and h.hold_id = i.hold_id and h.state = 1 and i.op > 0
           and (i.op <> 5 or h.expires_at <= i.now)
        returning h.account_id, h.hold_id, h.state, h.amount, h.tool_id, h.token_id, h.quota_day,
                  h.idempotency_key, h.created_at, i.op, i.ord, i.headers, i.body, i.now
    ), total as (
        select e.account_id,
               sum(e.amount)::bigint as released,
               coalesce(sum(e.amount) filter (where e.state = 2), 0)::bigint as captured,
               count(*) filter (where e.state = 2) as entries
          from ended e group by e.account_id
    ), balance as (
        update account_balance b
           set posted = b.posted - t.captured,
               held = b.held - t.released,
               used = b.used + t.captured,
               seq = b.seq + t.entries
          from total t
         where b.account_id = t.account_id
        returning b.account_id, b.posted, b.held, b.seq,
                  b.posted + t.captured as posted_before, b.seq - t.entries as seq_before
    ), entry as (
        insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id,
                                  token_id, at)
        select e.account_id, b.seq_before + row_number() over calls, 3, -e.amount,
               b.posted_before - sum(e.amount) over calls, e.hold_id, e.tool_id, e.token_id, e.now
          from ended e join balance b on b.account_id = e.account_id
         where e.state = 2
        window calls as (partition by e.account_id order by e.ord)
    ), given_back as (
        update daily_quota q set used = q.used - d.calls
          from (select e.account_id, e.tool_id, e.quota_day, count(*)::integer as calls from ended e
                 where e.state <> 2 and e.op <> 4 and e.quota_day is not null group by 1, 2, 3) d
         where q.account_id = d.account_id and q.tool_id = d.tool_id and q.day = d.quota_day
    ), unspent as (
        update token t set spent_total = t.spent_total - c.amount, spent_today = t.spent_today - c.today
          from (select s.account_id, s.token_id, sum(e.amount) as amount,
                       coalesce(sum(e.amount) filter (where utc_day(e.created_at) = s.spent_day), 0) as today
                  from ended e
                  join token s on s.account_id = e.account_id and s.token_id = e.token_id
                 where e.state <> 2 and s.spent_total is not null group by 1, 2) c
         where t.account_id = c.account_id and t.token_id = c.token_id
    ), kept as (
        update idempotency k
           set is_done = true, headers = e.headers, body = e.body,
               expires_at = e.now + interval '24 hours'
          from ended e
         where e.state = 2 and k.account_id = e.account_id and k.key_hash = e.idempotency_key
           and k.hold_id = e.hold_id
    ), freed as (
        delete from idempotency k using ended e
         where e.state <> 2 and k.account_id = e.account_id and k.key_hash = e.idempotency_key
           and k.hold_id = e.hold_id
    )
    select i.ord::integer,
           case when i.op = 0 then 'busy' else
               case coalesce(e.state, (select case when h.state = 2 and i.op = 3
                                                    and not h.is_replayed
                                                   then 6 else h.state end
                                         from hold h
                                        where h.account_id = i.account_id
                                          and h.hold_id = i.hold_id))
                   when 2 then 'captured' when 6 then 'refunded' when 3 then 'voided' when 4 then 'expired'
                   when 1 then 'open' -- op 5 met a hold whose time is not over
                   else 'unknown' end
           end,
           case when k.is_known then coalesce(n.posted, i.posted) end,
           case when k.is_known then coalesce(n.held, i.held) end,
           null::integer, null::integer, null::bigint, null::bigint, null::text, null::bytea,
           null::bigint, null::bigint, null::bigint, case when k.is_known then coalesce(n.seq, i.seq) end
      from item i
      left join ended e on e.ord = i.ord
      left join balance n on n.account_id = i.account_id
     cross join lateral (select e.ord is not null -- an id of no call tells no balance
                                or (select h.amount > 0 from hold h
                                     where h.account_id = i.account_id and h.hold_id = i.hold_id) is true)
                        as k (is_known);

    if 3 = any (p_op) then -- what was cancelled stays cancelled
        perform ledger_bar(i.account_id, i.hold_id, p_now)
           from unnest(p_account, p_hold, p_op) as i (account_id, hold_id, op)
          where i.op = 3;
    end if;
end $$;

-- Give back what a captured call cost, once; p_at: when it was admitted. The caller has locked the
-- balance.
create function ledger_refund(p_account uuid, p_hold uuid, p_amount bigint, p_tool smallint,
                              p_token uuid, p_at timestamptz, p_now timestamptz)
returns void language plpgsql as $$
begin
    if exists (select from ledger_entry
                where account_id = p_account and kind = 4 and reference = p_hold) then
        return;
    end if;
    with balance as (
        update account_balance set posted = posted + p_amount, used = used - p_amount, seq = seq + 1
         where account_id = p_account returning seq, posted
    )
    insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id,
                              token_id, note, at)
    select p_account, seq, 4, p_amount, posted, p_hold, p_tool, p_token,
           'the answer was not delivered', p_now
      from balance;
    update token
       set spent_total = spent_total - p_amount,
           spent_today = spent_today - case when utc_day(p_at) = spent_day then p_amount else 0 end
     where account_id = p_account and token_id = p_token and spent_total is not null;
    delete from idempotency where account_id = p_account and hold_id = p_hold;
end $$;

-- Admit calls: token and account, idempotency key, windows, daily quota, the token's caps, balance; then
-- hold, or charge.
-- All or nothing: a refused call leaves no mark. Limits of NULL do not exist, but the global one is
-- always there, at most 60, the length of the ring. An amount of 0 (the account's own questions) takes
-- its place in the window and costs nothing; of tool 0 it needs no scope. Any other amount must be a price
-- of its tool: price_not_on_record else. The caller has locked the balances of p_locked; the calls of other
-- accounts are busy.
--
-- p_ttl_ms NULL: the call's work is done, so it is charged at once and is `captured`; there is no hold.
-- p_since is for such calls: not NULL when this try must be found by its id afterwards (it was sent
-- before, or what an earlier try can have left could not be told from what the gateway knows). Then a
-- hold is written, already captured, and ledger_find_paid() looks for what went before.
--
-- Two ways lead to the same: ledger_admit_plain() takes all calls at which nothing is special in one
-- statement, which costs a third; ledger_admit_each() takes the others one by one, and says why a call
-- is refused.
create function ledger_admit(
    p_account uuid[], p_hold uuid[], p_token bytea[], p_tool smallint[], p_amount bigint[],
    p_endpoint_limit integer[], p_class_limit integer[], p_global_limit integer[],
    p_daily_limit integer[], p_ttl_ms integer[], p_key bytea[], p_fingerprint bytea[],
    p_since bigint[], p_locked uuid[], p_now_ms bigint, p_before integer)
returns setof ledger_outcome language plpgsql as $$
declare
    plain ledger_outcome[];
begin
    plain := ledger_admit_plain(p_account, p_hold, p_token, p_tool, p_amount, p_endpoint_limit,
                                p_class_limit, p_global_limit, p_daily_limit, p_ttl_ms, p_key,
                                p_since, p_locked, p_now_ms, p_before);
    return query select * from unnest(plain);
    if cardinality(plain) < cardinality(p_account) then
        return query select * from ledger_admit_each(
            p_account, p_hold, p_token, p_tool, p_amount, p_endpoint_limit, p_class_limit,
            p_global_limit, p_daily_limit, p_ttl_ms, p_key, p_fingerprint, p_since, p_locked,
            p_now_ms, p_before, array(select p.ord - p_before from unnest(plain) p));
    end if;
end $$;

-- Is this a price of the tool?
create function tool_costs(p_tool smallint, p_amount bigint) returns boolean language sql stable as $$
    select exists (select from tool t where t.tool_id = p_tool and p_amount in (t.price, t.price_before))
$$;

-- The calls of accounts at which nothing is special: no key, no window of a class, no daily limit, sent
-- for the first time, by a clock that did not jump; and all of the account's can be admitted together.
-- Returns what became of them, and leaves the other accounts to ledger_admit_each().
create function ledger_admit_plain(
    p_account uuid[], p_hold uuid[], p_token bytea[], p_tool smallint[], p_amount bigint[],
    p_endpoint_limit integer[], p_class_limit integer[], p_global_limit integer[],
    p_daily_limit integer[], p_ttl_ms integer[], p_key bytea[], p_since bigint[],
    p_locked uuid[], p_now_ms bigint, p_before integer)
returns ledger_outcome[] language plpgsql as $$
declare
    outcomes ledger_outcome[];
    stale    uuid[]; -- tokens whose use was not noted for five minutes
begin
    with item as (
        select u.*, r.*, n.now_ms, width_bucket(n.now_ms - 60000, r.ring_at) as past,
               least(r.cap_total - r.spent_total,
                     r.cap_daily - case when r.spent_day = utc_day(ms_to_time(n.now_ms))
                                        then r.spent_today else 0 end) as cap_left,
               u.account_id = any (p_locked)
               and r.state = 'active' and r.revoked_at is null
               and (r.expires_at <= ms_to_time(n.now_ms)) is not true
               and (r.scopes = '{}' or u.tool_id = 0
                    or exists (select from tool s where s.tool_id = u.tool_id
                                  and (s.name = any (r.scopes) or s.tool_group = any (r.scopes))))
               and (u.amount = 0 or exists (select from tool s where s.tool_id = u.tool_id -- as tool_costs()
                                               and u.amount in (s.price, s.price_before)))
               and u.key is null and u.class_limit is null and u.daily_limit is null
               and u.since is null and n.now_ms <= p_now_ms + 60000
               and (r.spent_day > utc_day(ms_to_time(n.now_ms))) is not true
               and (select h.state from hold h
                     where h.account_id = u.account_id and h.hold_id = u.hold_id) is null
               and (u.ttl_ms is null -- charged at once: the index keeps it from happening twice
                    or (select e.seq from ledger_entry e -- as ledger_is_charged(); `exists` may read all of them
                         where e.reference = u.hold_id and e.kind = 3 limit 1) is null) as is_ordinary
          from unnest(p_account, p_hold, p_token, p_tool, p_amount, p_endpoint_limit, p_class_limit,
                      p_global_limit, p_daily_limit, p_ttl_ms, p_key, p_since)
               with ordinality as u (account_id, hold_id, token, tool_id, amount, endpoint_limit,
                                     class_limit, global_limit, daily_limit, ttl_ms, key, since, ord)
         cross join lateral ( -- offset 0: found by their keys for each call, whatever the planner thinks
               select b.posted, b.held, b.seq, b.granted, b.purchased, b.used, b.ring_at, b.ring_tool,
                      a.state, a.limits_off,
                      t.token_id, t.revoked_at, t.expires_at, t.scopes, t.last_used_at, t.cap_daily,
                      t.cap_total, t.spent_day, t.spent_today, t.spent_total
                 from account_balance b, account a, token t
                where b.account_id = u.account_id
                  and a.account_id = u.account_id
                  and t.account_id = u.account_id and t.digest = u.token
               offset 0) r
         cross join lateral (select greatest(p_now_ms, r.ring_at[cardinality(r.ring_at)])) as n (now_ms)
    ), call as ( -- each with what its account's calls up to it, itself included, take
        select i.*,
               sum(i.amount) over before as taken,
               coalesce(sum(i.amount) filter (where i.ttl_ms is null) over before, 0) as paid,
               count(*) filter (where i.ttl_ms is null and i.amount > 0) over before as entries,
               cardinality(i.ring_at) - i.past + row_number() over before as live,
               array_agg(i.tool_id) over before as tools,
               row_number() over before = count(*) over (partition by i.account_id) as is_last
          from item i
        window before as (partition by i.account_id order by i.ord)
    ), window_of as (
        select c.*, c.global_limit - c.live as global_left, e.same,
               coalesce(c.endpoint_limit - cardinality(e.same), 60) as endpoint_left,
               bool_and(c.is_ordinary
                        and c.taken <= c.posted - c.held
                        and (c.taken <= c.cap_left) is not false -- with the account's other calls
                        and (c.limits_off
                             or (c.live <= c.global_limit
                                 and coalesce(cardinality(e.same) <= c.endpoint_limit, true))))
                   over (partition by c.account_id) as is_plain
          from call c
         cross join lateral (select array_positions(c.ring_tool[c.past + 1:] || c.tools, c.tool_id))
                            as e (same)
    ), admitted as materialized (
        select w.*, w.endpoint_left < w.global_left as is_endpoint from window_of w where w.is_plain
    ), balance as (
        update account_balance b
           set posted = b.posted - a.paid,
               used = b.used + a.paid,
               held = b.held + a.taken - a.paid,
               seq = b.seq + a.entries,
               ring_at = case when a.limits_off then b.ring_at
                              else b.ring_at[a.past + 1:]
                                   || array_fill(a.now_ms, array[cardinality(a.tools)]) end,
               ring_tool = case when a.limits_off then b.ring_tool
                                else b.ring_tool[a.past + 1:] || a.tools end
          from admitted a
         where a.is_last and b.account_id = a.account_id
    ), spent as (
        update token t
           set spent_total = t.spent_total + s.amount,
               spent_today = case when t.spent_day = s.day then t.spent_today else 0 end + s.amount,
               spent_day = s.day
          from (select a.account_id, a.token_id, utc_day(ms_to_time(max(a.now_ms))) as day,
                       sum(a.amount) as amount
                  from admitted a where a.spent_total is not null and a.amount > 0 group by 1, 2) s
         where t.account_id = s.account_id and t.token_id = s.token_id
    ), entry as (
        insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id,
                                  token_id, at)
        select a.account_id, a.seq + a.entries, 3, -a.amount, a.posted - a.paid, a.hold_id,
               a.tool_id, a.token_id, ms_to_time(a.now_ms)
          from admitted a
         where a.ttl_ms is null and a.amount > 0
    ), held as (
        insert into hold (account_id, hold_id, amount, tool_id, token_id, created_at, expires_at)
        select a.account_id, a.hold_id, a.amount, a.tool_id, a.token_id, ms_to_time(a.now_ms),
               ms_to_time(a.now_ms + a.ttl_ms)
          from admitted a
         where a.ttl_ms is not null and a.amount > 0
    )
    select coalesce(array_agg(row(
               p_before + a.ord,
               case when a.ttl_ms is null then 'captured' else 'admitted' end,
               a.posted - a.paid,
               a.held + a.taken - a.paid,
               case when a.limits_off then null
                    when a.is_endpoint then a.endpoint_limit else a.global_limit end,
               case when not a.limits_off then least(a.endpoint_left, a.global_left) end,
               case when not a.limits_off then
                   coalesce(a.ring_at[a.past + case when a.is_endpoint then a.same[1] else 1 end]
                            + 60000 - a.now_ms, 60000) end,
               null, null, null,
               case when a.amount = 0 then a.granted else a.cap_left - a.taken end,
               case when a.amount = 0 then a.purchased end,
               case when a.amount = 0 then a.used + a.paid end,
               a.seq + a.entries)::ledger_outcome), '{}'),
           array_agg(a.token_id) filter (
               where (a.last_used_at > ms_to_time(a.now_ms - 300000)) is not true)
      into outcomes, stale
      from admitted a;

    if stale is not null then
        perform token_note_use(p_account, stale, p_now_ms);
    end if;
    return outcomes;
end $$;

-- Note that tokens of these accounts were used. One that somebody else holds is left as it is.
create function token_note_use(p_account uuid[], p_token uuid[], p_now_ms bigint)
returns void language sql as $$
    update token t set last_used_at = ms_to_time(p_now_ms)
      from (select account_id, token_id from token
             where account_id = any (p_account) and token_id = any (p_token)
               for no key update skip locked) s
     where t.account_id = s.account_id and t.token_id = s.token_id
$$;

-- The calls whose numbers are not in p_done, one after the other as they came.
create function ledger_admit_each(
    p_account uuid[], p_hold uuid[], p_token bytea[], p_tool smallint[], p_amount bigint[],
    p_endpoint_limit integer[], p_class_limit integer[], p_global_limit integer[],
    p_daily_limit integer[], p_ttl_ms integer[], p_key bytea[], p_fingerprint bytea[],
    p_since bigint[], p_locked uuid[], p_now_ms bigint, p_before integer, p_done bigint[])
returns setof ledger_outcome language plpgsql as $$
#variable_conflict use_column
declare
    i         record;
    o         ledger_outcome;
    account   uuid;
    now_ms    bigint;       -- of this account: never before its newest call, but for a minute
    now_at    timestamptz;
    b         account_balance; -- its row, as it grows within this batch
    touched   boolean := false;
    keys      bytea[];      -- idempotency keys taken within this batch, and their requests
    requests  bytea[];
    past      integer;      -- ring entries that have left the minute
    live      integer;
    same      integer[];    -- positions of the same tool behind past
    of_class  bigint[];     -- times of the same class
    v_used    integer;
    t         token;        -- with caps, as it has become
    today     date;         -- of its counters, which never go back a day
    made_at   timestamptz;  -- the call, on that day
begin
    if num_nonnulls(variadic p_since) > 0 then
        perform ledger_find_paid(p_account, p_hold, p_since);
    end if;
    for i in
        select u.*, a.state as account_state, a.limits_off, b as balance,
               t.token_id, t.expires_at as token_expires_at, t.revoked_at, t.scopes, t.last_used_at,
               t.spent_total is not null as is_counted,
               h.state as hold_state,
               k.is_done, k.hold_id as key_hold, k.fingerprint as key_fingerprint,
               k.headers, k.body, k.expires_at as key_expires_at
          from unnest(p_account, p_hold, p_token, p_tool, p_amount, p_endpoint_limit, p_class_limit,
                      p_global_limit, p_daily_limit, p_ttl_ms, p_key, p_fingerprint, p_since)
               with ordinality as u (account_id, hold_id, token, tool_id, amount, endpoint_limit,
                                     class_limit, global_limit, daily_limit, ttl_ms, key,
                                     fingerprint, since, ord)
          left join account a on a.account_id = u.account_id
          left join account_balance b on b.account_id = u.account_id
          left join token t on t.account_id = u.account_id and t.digest = u.token
          left join hold h on h.account_id = u.account_id and h.hold_id = u.hold_id
          left join idempotency k on k.account_id = u.account_id and k.key_hash = u.key
         where u.ord <> all (p_done)
         order by u.account_id, u.ord
    loop
        if i.account_id is distinct from account then
            if touched then
                perform ledger_write_row(b);
            end if;
            touched := false;
            account := i.account_id;
            b := i.balance;
            keys := '{}';
            requests := '{}';
            now_ms := greatest(p_now_ms, b.ring_at[cardinality(b.ring_at)]);
            if now_ms > p_now_ms + 60000 then
                -- The clock was far ahead and is not any more: as if the calls of the minute were
                -- made now, or the account would wait until it is as late again.
                now_ms := p_now_ms;
                b.ring_at := array(select least(r.at, now_ms)
                                     from unnest(b.ring_at) with ordinality as r (at, n)
                                    order by r.n);
                touched := true;
            end if;
            now_at := ms_to_time(now_ms);
        end if;

        o := null;
        o.ord := p_before + i.ord;

        -- who asks
        if i.token_id is null then
            o.outcome := 'auth_invalid';
        elsif account <> all (p_locked) then
            o.outcome := 'busy';
        elsif i.hold_state is not null then -- sent again: what the first try did stands
            o.posted := b.posted;
            o.held := b.held;
            o.seq := b.seq;
            o.outcome := case when i.hold_state = 1 then 'admitted'
                              when i.hold_state = 2 and i.ttl_ms is null then 'captured'
                              else 'expired' end;
        elsif i.ttl_ms is not null and ledger_is_charged(i.hold_id) then
            o.outcome := 'expired';
        elsif i.revoked_at is not null then
            o.outcome := 'auth_revoked';
        elsif i.token_expires_at <= now_at then
            o.outcome := 'auth_expired';
        elsif i.account_state <> 'active' then
            o.outcome := 'account_' || i.account_state;
        elsif i.scopes <> '{}' and i.tool_id <> 0 then
            if not exists (select from tool s where s.tool_id = i.tool_id
                              and (s.name = any (i.scopes) or s.tool_group = any (i.scopes))) then
                o.outcome := 'scope_denied';
            end if;
        end if;
        if o.outcome is null and i.amount is distinct from 0 and not tool_costs(i.tool_id, i.amount) then
            o.outcome := 'price_not_on_record';
        end if;
        if o.outcome is not null then
            return next o;
            continue;
        end if;
        o.posted := b.posted;
        o.held := b.held;

        -- its key was used before
        if i.key = any (keys) then
            if requests[array_position(keys, i.key)] <> i.fingerprint then
                o.outcome := 'idempotency_mismatch';
            else
                o.outcome := 'idempotency_in_progress';
                o.retry_ms := i.ttl_ms;
            end if;
        elsif i.key_expires_at > now_at then
            if i.key_fingerprint <> i.fingerprint then
                o.outcome := 'idempotency_mismatch';
            elsif i.is_done then
                o.outcome := 'replay';
                o.headers := i.headers;
                o.body := i.body;
                if i.headers is not null then -- it was given out: it is not refunded
                    update hold set is_replayed = true
                     where account_id = account and hold_id = i.key_hold and not is_replayed;
                end if;
            else
                o.outcome := 'idempotency_in_progress';
                o.retry_ms := extract(epoch from i.key_expires_at) * 1000 - now_ms;
            end if;
        end if;
        if o.outcome is not null then
            return next o;
            continue;
        end if;

        -- the minute: a call counts while it is younger than 60,000 ms
        if not i.limits_off then
            past := width_bucket(now_ms - 60000, b.ring_at);
            live := cardinality(b.ring_at) - past;
            same := array_positions(b.ring_tool[past + 1:], i.tool_id);
            if cardinality(same) >= i.endpoint_limit then
                o.outcome := 'rate_limited_endpoint';
                o.retry_ms := b.ring_at[past + same[cardinality(same) - i.endpoint_limit + 1]]
                              + 60000 - now_ms;
            end if;
            if i.class_limit is not null then
                select coalesce(array_agg(r.at order by r.at), '{}') into of_class
                  from unnest(b.ring_at[past + 1:], b.ring_tool[past + 1:]) as r (at, tool_id)
                 where r.tool_id in (select c.tool_id from tool c join tool mine
                                        on c.rate_class = mine.rate_class
                                     where mine.tool_id = i.tool_id);
                if cardinality(of_class) >= i.class_limit then
                    o.outcome := coalesce(o.outcome, 'rate_limited_class');
                    o.retry_ms := greatest(o.retry_ms,
                        of_class[cardinality(of_class) - i.class_limit + 1] + 60000 - now_ms);
                end if;
            end if;
            if live >= i.global_limit then
                o.outcome := coalesce(o.outcome, 'rate_limited_global');
                o.retry_ms := greatest(o.retry_ms,
                    b.ring_at[cardinality(b.ring_at) - i.global_limit + 1] + 60000 - now_ms);
            end if;
            -- the tightest window, this call included
            o.window_limit := i.global_limit;
            o.window_left := i.global_limit - live - 1;
            o.reset_ms := coalesce(b.ring_at[past + 1] + 60000 - now_ms, 60000);
            if i.class_limit is not null and i.class_limit - cardinality(of_class) - 1 < o.window_left then
                o.window_limit := i.class_limit;
                o.window_left := i.class_limit - cardinality(of_class) - 1;
                o.reset_ms := coalesce(of_class[1] + 60000 - now_ms, 60000);
            end if;
            if i.endpoint_limit - cardinality(same) - 1 < o.window_left then
                o.window_limit := i.endpoint_limit;
                o.window_left := i.endpoint_limit - cardinality(same) - 1;
                o.reset_ms := coalesce(b.ring_at[past + same[1]] + 60000 - now_ms, 60000);
            end if;
            o.window_left := greatest(o.window_left, 0);
            if i.daily_limit is not null then
                select used into v_used from daily_quota q
                 where q.account_id = account and q.tool_id = i.tool_id
                   and q.day = (now_at at time zone 'UTC')::date;
                if v_used >= i.daily_limit then
                    o.outcome := coalesce(o.outcome, 'daily_quota_exceeded');
                    o.retry_ms := greatest(o.retry_ms, 86400000 - now_ms % 86400000);
                end if;
            end if;
            if o.outcome is not null then
                return next o;
                continue;
            end if;
        end if;

        made_at := now_at;
        if i.is_counted and i.amount > 0 then
            select * into t from token where account_id = account and token_id = i.token_id;
            today := greatest(t.spent_day, utc_day(now_at));
            if today = utc_day(now_at) + 1 then -- the clock went back across midnight
                made_at := today::timestamp at time zone 'UTC';
            end if;
            if t.spent_day is distinct from today then
                t.spent_today := 0;
            end if;
            if t.spent_today + i.amount > t.cap_daily then
                o.outcome := 'spending_cap_daily';
                o.granted := t.cap_daily;
                o.used := t.spent_today;
                o.retry_ms := extract(epoch from (today + 1)::timestamp) * 1000 - now_ms;
            elsif t.spent_total + i.amount > t.cap_total then
                o.outcome := 'spending_cap_total';
                o.granted := t.cap_total;
                o.used := t.spent_total;
            end if;
            if o.outcome is not null then
                return next o;
                continue;
            end if;
        end if;

        if b.posted - b.held < i.amount then
            o.outcome := 'insufficient_credits';
            return next o;
            continue;
        end if;

        -- admitted
        touched := true;
        if not i.limits_off then
            b.ring_at := b.ring_at[past + 1:] || now_ms;
            b.ring_tool := b.ring_tool[past + 1:] || i.tool_id;
            if i.daily_limit is not null then
                insert into daily_quota as q (account_id, tool_id, day, used)
                values (account, i.tool_id, (now_at at time zone 'UTC')::date, 1)
                on conflict (account_id, tool_id, day) do update set used = q.used + 1;
            end if;
        end if;
        if i.is_counted and i.amount > 0 then
            update token
               set spent_total = t.spent_total + i.amount, spent_today = t.spent_today + i.amount,
                   spent_day = today
             where account_id = account and token_id = i.token_id;
            o.granted := least(t.cap_daily - t.spent_today, t.cap_total - t.spent_total) - i.amount;
        end if;
        if i.ttl_ms is null then
            o.outcome := 'captured';
            if i.amount > 0 then
                b.posted := b.posted - i.amount;
                b.used := b.used + i.amount;
                b.seq := b.seq + 1;
                insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference,
                                          tool_id, token_id, at)
                values (account, b.seq, 3, -i.amount, b.posted, i.hold_id, i.tool_id, i.token_id,
                        made_at);
            end if;
        else
            o.outcome := 'admitted';
            b.held := b.held + i.amount;
        end if;
        if i.amount > 0 and (i.ttl_ms is not null or i.since is not null) then
            insert into hold (account_id, hold_id, amount, tool_id, token_id, state, quota_day,
                              idempotency_key, created_at, expires_at, settled_at)
            values (account, i.hold_id, i.amount, i.tool_id, i.token_id, case when i.ttl_ms is null then 2 else 1 end,
                    case when i.daily_limit is not null and not i.limits_off
                         then (now_at at time zone 'UTC')::date end,
                    i.key, made_at, ms_to_time(now_ms + coalesce(i.ttl_ms, 0)),
                    case when i.ttl_ms is null then made_at end);
        end if;
        if i.key is not null and i.amount > 0 then
            keys := keys || i.key;
            requests := requests || i.fingerprint;
            insert into idempotency as k (account_id, key_hash, fingerprint, hold_id, expires_at)
            values (account, i.key, i.fingerprint, i.hold_id, ms_to_time(now_ms + i.ttl_ms))
            on conflict (account_id, key_hash) do update
                set fingerprint = excluded.fingerprint, hold_id = excluded.hold_id,
                    is_done = false, headers = null, body = null,
                    expires_at = excluded.expires_at;
        end if;
        if i.amount = 0 then
            o.granted := b.granted;
            o.purchased := b.purchased;
            o.used := b.used;
        end if;
        o.posted := b.posted;
        o.held := b.held;
        o.seq := b.seq;
        if (i.last_used_at > now_at - interval '5 minutes') is not true then
            perform token_note_use(array[account], array[i.token_id], p_now_ms);
        end if;
        return next o;
    end loop;
    if touched then
        perform ledger_write_row(b);
    end if;
    perform ledger_bar(u.account_id, u.hold_id, ms_to_time(p_now_ms))
       from unnest(p_account, p_hold, p_since) as u (account_id, hold_id, since)
      where u.since is not null and u.account_id = any (p_locked);
end $$;

-- Write an account's row as it has become.
create function ledger_write_row(p_row account_balance) returns void language sql as $$
    update account_balance
       set posted = p_row.posted, held = p_row.held, used = p_row.used, seq = p_row.seq,
           ring_at = p_row.ring_at, ring_tool = p_row.ring_tool
     where account_id = p_row.account_id
$$;

-- The accounts of which nobody else holds a token with caps: its row is written with its account's.
-- Whoever changes such a token locks its account first, so this is for hands that do not.
create function ledger_without_held_tokens(p_account uuid[]) returns setof uuid language sql as $$
    with free as materialized (
        select token_id from token where account_id = any (p_account) and spent_total is not null
           for no key update skip locked
    )
    select u.account_id from unnest(p_account) as u (account_id)
     where not exists (select from token t
                        where t.account_id = u.account_id and t.spent_total is not null
                          and not exists (select from free f where f.token_id = t.token_id))
$$;

-- One batch of a gateway: settle items first, then admit items. An account that somebody else holds
-- is waited for, 50 ms at most: then the batch fails with lock_not_available. With p_skip nobody is
-- waited for and the items of such accounts are busy: one row that is held for long stops its own
-- account, not the others.
create function ledger_batch(
    s_account uuid[], s_hold uuid[], s_op smallint[], s_headers text[], s_body bytea[],
    a_account uuid[], a_hold uuid[], a_token bytea[], a_tool smallint[], a_amount bigint[],
    a_endpoint_limit integer[], a_class_limit integer[], a_global_limit integer[],
    a_daily_limit integer[], a_ttl_ms integer[], a_key bytea[], a_fingerprint bytea[],
    p_skip boolean default false, s_since bigint[] default null, a_since bigint[] default null)
returns setof ledger_outcome language plpgsql
security definer set search_path = public, pg_temp
-- Always by the keys, planned once: a plan made while the tables were small must not outlive that,
-- and planning anew for the size of each batch costs more than the batch.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
set plan_cache_mode = force_generic_plan
set lock_timeout = '50ms'
as $$
declare
    now_ms bigint;
    wanted uuid[];
    locked uuid[];
begin
    if cardinality(a_hold) > 1
       and exists (select from unnest(a_hold, a_amount) as i (id, amount)
                    where i.amount <> 0 group by i.id having count(*) > 1) then
        raise unique_violation using message = 'an id is two calls of this batch'; -- alone, each finds the other
    end if;
    -- A call whose token is unknown is refused without waiting for anybody's row.
    wanted := s_account ||
        array(select t.account_id from unnest(a_account, a_token) as i (account_id, digest)
                join token t on t.account_id = i.account_id and t.digest = i.digest);
    if p_skip then
        locked := array(select b.account_id from account_balance b where b.account_id = any (wanted)
                         order by b.account_id for no key update skip locked);
        locked := array(select ledger_without_held_tokens(locked));
        s_op := array(select case when b.account_id <> all (locked) then 0 else i.op end
                        from unnest(s_account, s_op) with ordinality as i (account_id, op, ord)
                        left join account_balance b on b.account_id = i.account_id
                       order by i.ord);
    else
        locked := array(select b.account_id from account_balance b where b.account_id = any (wanted)
                         order by b.account_id for no key update);
    end if;
    now_ms := ledger_now_ms();
    if cardinality(s_account) > 0 then
        return query select * from ledger_settle(s_account, s_hold, s_op, s_headers, s_body,
                                                 ms_to_time(now_ms), s_since);
    end if;
    if cardinality(a_account) > 0 then
        return query select * from ledger_admit(
            a_account, a_hold, a_token, a_tool, a_amount, a_endpoint_limit, a_class_limit,
            a_global_limit, a_daily_limit, a_ttl_ms, a_key, a_fingerprint, a_since, locked, now_ms,
            cardinality(s_account));
    end if;
end $$;

-- Who asks, for requests that are refused before admission and for those that cost nothing: NULL, or
-- the error code; and what the token's owner allows it. scopes: with commas between; none: everything.
create function token_check(p_account uuid[], p_token bytea[])
returns table (ord integer, outcome text, token_name text, scopes text, expires_ms bigint,
               cap_daily bigint, spent_today bigint, cap_total bigint, spent_total bigint)
language plpgsql
security definer set search_path = public, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
set plan_cache_mode = force_generic_plan
as $$
declare
    now_at timestamptz := ms_to_time(ledger_now_ms());
begin
    return query
    select i.ord::integer,
           case when t.token_id is null then 'auth_invalid'
                when t.revoked_at is not null then 'auth_revoked'
                when t.expires_at <= now_at then 'auth_expired'
                when a.state <> 'active' then 'account_' || a.state end,
           t.name, array_to_string(t.scopes, ','), (extract(epoch from t.expires_at) * 1000)::bigint,
           t.cap_daily,
           case when t.spent_day >= utc_day(now_at) then t.spent_today
                when t.spent_total is not null then 0 end, -- its newest day is over
           t.cap_total, t.spent_total
      from unnest(p_account, p_token) with ordinality as i (account_id, digest, ord)
      left join token t on t.account_id = i.account_id and t.digest = i.digest
      left join account a on a.account_id = i.account_id;
end $$;

-- Sweeping and pruning walk along expires_at in steps that look at about p_limit rows each, however
-- many there are: a step begins behind p_since and reaches `reached` (ms since 1970), where the next
-- one begins; is_more: it stopped because of the limit. Any gateway may walk at any time.

-- End holds whose time is over. Accounts that somebody else holds are left: the oldest such hold
-- expired at busy (NULL: none). p_since below 0: two hours ago.
create function ledger_sweep(p_since bigint, p_limit integer, out swept integer, out is_more boolean,
                             out reached bigint, out busy bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    now_at   timestamptz := ms_to_time(ledger_now_ms());
    since    timestamptz := case when p_since < 0 then now_at - interval '2 hours'
                                 else ms_to_time(p_since) end;
    until    timestamptz := (select h.expires_at from hold h
                              where h.expires_at > since and h.expires_at <= now_at
                              order by h.expires_at offset p_limit limit 1);
    accounts uuid[];
    holds    uuid[];
    locked   uuid[];
    ops      smallint[];
begin
    is_more := until is not null;
    until := coalesce(until, now_at);
    select coalesce(array_agg(h.account_id), '{}'), coalesce(array_agg(h.hold_id), '{}')
      into accounts, holds
      from hold h where h.expires_at > since and h.expires_at <= until and h.state = 1;
    locked := array(select b.account_id from account_balance b where b.account_id = any (accounts)
                     order by b.account_id for no key update skip locked);
    ops := array(select case when i.account_id = any (locked) then 5 else 0 end
                   from unnest(accounts) with ordinality as i (account_id, ord) order by i.ord);
    select count(*) filter (where o.outcome = 'expired'),
           floor(extract(epoch from min(h.expires_at) filter (where o.outcome = 'busy')) * 1000)
      into swept, busy
      from ledger_settle(accounts, holds, ops, null, null, now_at) o
      left join unnest(accounts, holds) with ordinality as i (account_id, hold_id, ord) using (ord)
      left join hold h on h.account_id = i.account_id and h.hold_id = i.hold_id;
    reached := floor(extract(epoch from until) * 1000);
end $$;

-- Forget what nobody can ask for any more: kept answers whose day is over, holds two days after they
-- expired, quota days after a week. What somebody else holds is left.
create function ledger_prune(p_since bigint, p_limit integer, out pruned integer, out is_more boolean,
                             out reached bigint, out busy bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    now_at timestamptz := ms_to_time(ledger_now_ms());
    since  timestamptz := ms_to_time(p_since);
    late   constant interval := interval '2 days';
    until  timestamptz;
    count  integer;
begin
    until := least(
        (select h.expires_at + late from hold h where h.expires_at > since - late
          order by h.expires_at offset p_limit limit 1),
        (select k.expires_at from idempotency k where k.expires_at > since
          order by k.expires_at offset p_limit limit 1),
        now_at);
    is_more := until < now_at;
    delete from hold where (account_id, hold_id) in (
        select h.account_id, h.hold_id from hold h
         where h.expires_at > since - late and h.expires_at <= until - late and h.state <> 1
           for update skip locked);
    get diagnostics pruned = row_count;
    delete from idempotency where (account_id, key_hash) in (
        select k.account_id, k.key_hash from idempotency k
         where k.expires_at > since and k.expires_at <= until
           for update skip locked);
    get diagnostics count = row_count;
    pruned := pruned + count;
    delete from daily_quota where (account_id, tool_id, day) in (
        select q.account_id, q.tool_id, q.day from daily_quota q
         where q.day < (now_at at time zone 'UTC')::date - 7
         limit p_limit for update skip locked);
    get diagnostics count = row_count;
    pruned := pruned + count;
    reached := floor(extract(epoch from until) * 1000);
end $$;

-- End one call for an operator, as a gateway's cancel does: voided, refunded, expired, captured (its
-- answer was given out for its key, so it stays charged), or NULL: there is no such call.
create function ledger_end_call(p_account uuid, p_hold uuid) returns text language plpgsql
security definer set search_path = public, pg_temp as $$
begin
    perform 1 from account_balance where account_id = p_account for no key update;
    perform ledger_find_paid(array[p_account], array[p_hold], array[coalesce(
        (select e.seq from ledger_entry e
          where e.account_id = p_account and e.at < ms_to_time(ledger_now_ms()) - interval '2 days'
          order by e.seq desc limit 1), 0)]);
    if not exists (select from hold where account_id = p_account and hold_id = p_hold) then
        return null;
    end if;
    return (select outcome from ledger_settle(array[p_account], array[p_hold], array[3::smallint],
                                              array[null::text], array[null::bytea],
                                              ms_to_time(ledger_now_ms())));
end $$;

-- Is this the secret of the gateways before? Who comes first sets it.
create function ledger_secret_agree(p_digest bytea) returns boolean language plpgsql
security definer set search_path = public, pg_temp as $$
begin
    insert into ledger_secret (digest) values (p_digest) on conflict do nothing;
    return (select digest = p_digest from ledger_secret);
end $$;

-- A tool's number, made of its name, so that it is the same in every database: entries stay what they
-- are when an account moves to another.
create function tool_number(p_name text) returns smallint
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
    select (('x' || left(encode(sha256(convert_to(p_name, 'UTF8')), 'hex'), 7))::bit(28)::integer
            % 32767 + 1)::smallint;
$$;

-- Write what tools there are and what they cost, as their contracts say. Returns the names whose price
-- changed, with both. Two tools of one number are an error, of which the second must get another name: one in
-- 700 for a new tool beside 50. For the owner alone.
create function tool_register(p_name text[], p_group text[], p_class text[], p_price bigint[])
returns table (changed text, old_price bigint, new_price bigint)
language plpgsql set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
    lock table tool in share row exclusive mode;
    insert into tool (tool_id, name, tool_group, rate_class, price)
    select tool_number(i.name), i.name, i.tool_group, i.rate_class, i.price
      from unnest(p_name, p_group, p_class, p_price) as i (name, tool_group, rate_class, price)
     where not exists (select from tool t where t.name = i.name);
    update tool t set tool_group = i.tool_group, rate_class = i.rate_class
      from unnest(p_name, p_group, p_class) as i (name, tool_group, rate_class)
     where t.name = i.name
       and (t.tool_group, t.rate_class) is distinct from (i.tool_group, i.rate_class);
    return query
    update tool t set price = i.price, price_before = t.price
      from unnest(p_name, p_price) as i (name, price)
     where t.name = i.name and t.price <> i.price
    returning t.name, t.price_before, t.price;
end $$;
insert into tool (tool_id, name, tool_group, rate_class, price)
values (tool_number('account-credits'), 'account-credits', 'account', 'account', 0);

-- The numbers of tools, in the order given. NULL: the tool, or its price, is not on record; a gateway would be
-- refused at each call, and says so when it starts.
create function tool_numbers(p_name text[], p_price bigint[]) returns setof smallint
language sql stable security definer set search_path = public, pg_temp as $$
    select t.tool_id from unnest(p_name, p_price) with ordinality as i (name, price, ord)
      left join tool t on t.name = i.name and i.price in (t.price, t.price_before)
     order by i.ord
$$;

-- Write an entry that is no call's, once for its reference: false when it was written before. The one
-- place that does so; who may, and when, is said by the functions that call it.
create function ledger_book(p_account uuid, p_kind smallint, p_amount bigint, p_reference uuid,
                            p_note text)
returns boolean language plpgsql as $$
begin
    perform 1 from account_balance where account_id = p_account for no key update;
    if not found then
        raise exception 'there is no account %', p_account;
    end if;
    if exists (select from ledger_entry
                where account_id = p_account and kind = p_kind and reference = p_reference) then
        return false;
    end if;
    with balance as (
        update account_balance
           set posted = posted + p_amount, seq = seq + 1,
               granted = granted + case when p_kind in (1, 5) then p_amount else 0 end,
               purchased = purchased + case when p_kind in (2, 6, 7) then p_amount else 0 end
         where account_id = p_account returning seq, posted
    )
    insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, note, at)
    select p_account, seq, p_kind, p_amount, posted, p_reference, p_note,
           ms_to_time(ledger_now_ms())
      from balance;
    return true;
end $$;

-- Credits that somebody gives: kind 1 signup_grant, 5 adjustment (which may take some, too). The
-- reference makes it happen once: false when it has happened before. What the account owes for payments
-- that were taken back goes off at once (007-orders.sql).
create function ledger_credit(p_account uuid, p_kind smallint, p_amount bigint, p_reference uuid,
                              p_note text)
returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
    if p_kind not in (1, 5) then
        raise exception 'payments are credited by their orders';
    end if;
    if not ledger_book(p_account, p_kind, p_amount, p_reference, p_note) then
        return false;
    end if;
    perform order_collect_of(p_account);
    return true;
end $$;

-- Hold an account's row until the transaction ends: whoever changes it, its tokens or its state takes
-- turns with the gateways. The row gets a new version, so that whoever remembers what an account and
-- its tokens may do can see that it has changed.
create function account_lock(p_account uuid) returns void language sql
security definer set search_path = public, pg_temp as $$
    update account_balance set seq = seq where account_id = p_account
$$;

-- Give a token with caps others; NULL: none. Returns false when it was made without: it never gets one.
create function token_cap(p_account uuid, p_token uuid, p_daily bigint, p_total bigint)
returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
    perform account_lock(p_account);
    update token set cap_daily = p_daily, cap_total = p_total
     where account_id = p_account and token_id = p_token and spent_total is not null;
    return found;
end $$;
