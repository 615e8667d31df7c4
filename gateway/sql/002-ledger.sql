-- gateway/sql/002-ledger.sql - the ledger functions of gateways: admit, settle, sweep, prune.
--
-- A gateway sends all its queued items as one call of ledger_batch(), which is one transaction. A
-- rejected item gets an error code as its outcome; the other items of the batch go on.
--
-- Lock order, for every writer that waits for locks:
-- 1. Lock the accounts' rows of account_balance, in order of account_id. This is a separate
--    statement, so that the next ones see what the previous lock holder committed.
-- 2. Only then write other rows of these accounts.
--
-- Gateways of the previous version keep working after a migration. So it may only add columns at
-- the end of a function's result, and replace functions without a change of their parameters.
-- Sessions with plans for the old functions fail once and are renewed (common/db/db.h).

-- gateway/ledger/columns.def has the columns of both types and explains them.
create type ledger_item as (
    @ITEM@
);
create type ledger_outcome as (
    @OUTCOME@
);

-- The ledger's clock, in milliseconds since 1970. Tests shift it with the setting
-- tollgate.clock_shift_ms. Any session can set it, but it counts only if the owner has filled
-- test_clock.
create function ledger_now_ms() returns bigint language plpgsql volatile as $$
declare
    now_ms bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
    shift  text := current_setting('tollgate.clock_shift_ms', true);
begin
    if shift <> '' then
        return now_ms + coalesce((select shift::bigint from public.test_clock), 0);
    end if;
    return now_ms;
end $$;

-- Convert milliseconds since 1970 to a timestamp.
create function ms_to_time(ms bigint) returns timestamptz language sql immutable as $$
    select to_timestamp(ms::float8 / 1000)
$$;

-- The UTC day of a time.
create function utc_day(at timestamptz) returns date language sql immutable as $$
    select (at at time zone 'UTC')::date
$$;

-- ---- rules ----
--
-- Each rule of money is one function in this section, and both ways of admission use it. The SQL
-- functions are single expressions: the planner inlines them, so a rule costs no function call.

-- The time of the newest call in an account's ring; NULL: the ring is empty.
create function newest_call(p_ring_at bigint[]) returns bigint language sql immutable as $$
    select p_ring_at[cardinality(p_ring_at)]
$$;

-- True: the account's newest call is more than a minute in the future. Then the clock was wrong
-- when it was admitted, and the account's calls are counted as if they were made now.
create function clock_was_ahead(p_ring_at bigint[], p_now_ms bigint) returns boolean language sql immutable as $$
    select coalesce(newest_call(p_ring_at) > p_now_ms + 60000, false)
$$;

-- The time at which an account's next call counts: p_now_ms, but never before its newest call
-- unless clock_was_ahead().
create function account_clock(p_ring_at bigint[], p_now_ms bigint) returns bigint language sql immutable as $$
    select case when clock_was_ahead(p_ring_at, p_now_ms) then p_now_ms
                else greatest(p_now_ms, newest_call(p_ring_at)) end
$$;

-- Check a token and its account. Returns NULL if the token is valid, else the error code.
create function check_token(p_token token, p_account_state text, p_now timestamptz) returns text
language sql stable as $$
    select case when p_token.token_id is null then 'auth_invalid'
                when p_token.revoked_at is not null then 'auth_revoked'
                when p_token.expires_at <= p_now then 'auth_expired'
                when p_account_state <> 'active' then 'account_' || p_account_state end
$$;

-- May a token with these networks be used from the address? Returns NULL or the error code. An
-- address of NULL is in no network: it is unknown, or the gateway is of a version that sends none.
create function check_network(p_networks cidr[], p_address inet) returns text language sql immutable as $$
    select case when p_networks is not null and (p_address <<= any (p_networks)) is not true
                then 'ip_not_allowed' end
$$;

-- May a token of this kind make the call? A management token (5) calls no tool; its requests only
-- count in the windows. Kind 4 is reserved. Returns NULL or the error code.
create function check_kind(p_kind smallint, p_tool_id smallint, p_amount bigint) returns text
language sql immutable as $$
    select case when p_kind in (4, 5) and (p_tool_id <> 0 or p_amount is distinct from 0) then 'scope_denied' end
$$;

-- May a token with these scopes call the tool, and is the amount a price of the tool? Returns NULL
-- or the error code. Tool 0 is the account's own queries and needs no scope. An amount of 0 needs
-- no price.
create function check_tool(p_scopes text[], p_tool tool, p_tool_id smallint, p_amount bigint) returns text
language sql immutable as $$
    select case when p_scopes <> '{}' and p_tool_id <> 0
                     and (p_tool.name = any (p_scopes) or p_tool.tool_group = any (p_scopes)) is not true
                then 'scope_denied'
                when p_amount is distinct from 0
                     and (p_amount in (p_tool.price, p_tool.price_before)) is not true
                then 'price_not_on_record' end
$$;

-- How many calls of a ring are a minute old or older, and so no longer count in the windows?
create function calls_past(p_ring_at bigint[], p_now_ms bigint) returns integer language sql immutable as $$
    select width_bucket(p_now_ms - 60000, p_ring_at)
$$;

-- Milliseconds until the call made at p_at leaves the window. NULL: it is the call being admitted.
create function leaves_in_ms(p_at bigint, p_now_ms bigint) returns bigint language sql immutable as $$
    select coalesce(p_at + 60000 - p_now_ms, 60000)
$$;

-- Is a window with p_calls calls full? p_limit NULL: unlimited.
create function is_full(p_calls bigint, p_limit integer) returns boolean language sql immutable as $$
    select coalesce(p_calls >= p_limit, false)
$$;

-- The UTC day on which a call of this token at p_now counts for its caps. It is never before the
-- day that the counters are at. NULL: the token has no counters.
create function cap_day(p_token token, p_now timestamptz) returns date language sql immutable as $$
    select case when p_token.spent_total is not null then greatest(p_token.spent_day, utc_day(p_now)) end
$$;

-- What a token has spent on p_day, which is not before spent_day.
create function spent_on(p_token token, p_day date) returns bigint language sql immutable as $$
    select case when p_token.spent_day = p_day then p_token.spent_today else 0 end
$$;

-- The credits that the caps leave a token on p_day; NULL: the token has no caps.
create function cap_left(p_token token, p_day date) returns bigint language sql immutable as $$
    select least(p_token.cap_total - p_token.spent_total, p_token.cap_daily - spent_on(p_token, p_day))
$$;

-- The time to record for a call that counts on p_day. It is p_now; but if the clock went back over
-- midnight, it is the start of p_day.
create function charge_time(p_day date, p_now timestamptz) returns timestamptz language sql immutable as $$
    select case when p_day = utc_day(p_now) + 1 then p_day::timestamp at time zone 'UTC' else p_now end
$$;

-- Does the balance without the held credits cover the amount?
create function has_credits(p_posted bigint, p_held bigint, p_amount bigint) returns boolean
language sql immutable as $$
    select p_posted - p_held >= p_amount
$$;

-- Has a call with this id been charged? The limit makes PostgreSQL use the index; `exists` may read
-- all entries.
create function ledger_is_charged(p_hold uuid) returns boolean language plpgsql stable as $$
begin
    return (select e.seq from ledger_entry e where e.reference = p_hold and e.kind = 3 limit 1) is not null;
end $$;

-- ---- the chain of entries ----
--
-- Each entry has a hash over itself and the hash of the account's entry before it. A change to an
-- old entry changes all later hashes (docs/decisions/014-evidence.md).

-- The bytes of an entry that its hash covers: 84, integers in network byte order, the time in
-- microseconds since 2000, 0 for NULL. The note is not covered: a note with personal data may have
-- to be erased.
create function entry_record(p_account uuid, p_seq bigint, p_kind smallint, p_amount bigint, p_balance_after bigint,
                             p_reference uuid, p_tool_id smallint, p_token_id uuid, p_at timestamptz)
returns bytea language sql immutable as $$
    select uuid_send(p_account) || int8send(p_seq) || int2send(p_kind) || int8send(p_amount)
        || int8send(p_balance_after) || uuid_send(p_reference) || int2send(coalesce(p_tool_id, 0::smallint))
        || uuid_send(coalesce(p_token_id, '00000000-0000-0000-0000-000000000000')) || timestamptz_send(p_at)
$$;

-- The hash of an entry. p_head: the hash of the account's entry before it; of the first entry,
-- chain_start().
create function chain_entry(p_head bytea, p_record bytea) returns bytea language sql immutable as $$
    select sha256(p_head || p_record)
$$;

-- The hash after several entries of one account, in their order. A record of NULL is skipped.
create function chain_next(p_hash bytea, p_head bytea, p_record bytea) returns bytea language plpgsql immutable as $$
begin
    return case when p_record is null then coalesce(p_hash, p_head)
                else chain_entry(coalesce(p_hash, p_head), p_record) end;
end $$;
create aggregate chain_entries(p_head bytea, p_record bytea) (sfunc = chain_next, stype = bytea);

-- ---- lost outcomes ----

-- A call that is charged when its work is done has no hold (see ledger_admit()). If its outcome is
-- lost, the gateway sends the call again or cancels it. Then an earlier attempt may have charged
-- it. For each such charge, this function writes the captured hold that the call would have had, so
-- that all other functions find the charge by its hold.
--
-- An item's `since` is the seq of the account's newest entry before the first attempt: the charge
-- is above it. NULL: not charged before.
create function ledger_find_paid(p_items ledger_item[]) returns void language plpgsql as $$
begin
    insert into hold (account_id, hold_id, amount, tool_id, token_id, state, created_at, expires_at,
                      settled_at)
    select e.account_id, e.reference, -e.amount, e.tool_id, e.token_id, 2, e.at, e.at, e.at
      from unnest(p_items) i
      join ledger_entry e on e.account_id = i.account_id and e.seq > i.since
                         and e.kind = 3 and e.reference = i.hold_id
        on conflict (account_id, hold_id) do nothing;
end $$;

-- Keep a call that was cancelled, or sent again and rejected, from being charged later. An
-- earlier attempt may still run in a transaction whose connection is lost; it will find this voided
-- hold of 0 credits. Does nothing if the call has a hold or was charged.
create function ledger_bar(p_account uuid, p_hold uuid, p_now timestamptz) returns void language plpgsql as $$
begin
    insert into hold (account_id, hold_id, amount, tool_id, state, created_at, expires_at, settled_at)
    select b.account_id, p_hold, 0, 0, 3, p_now, p_now, p_now from account_balance b
     where b.account_id = p_account and not ledger_is_charged(p_hold)
        on conflict (account_id, hold_id) do nothing;
end $$;

-- ---- settle ----

-- A hold that a batch has ended. op: that of the item. now: the time, by the account's clock.
create type ended_hold as (
    ord             bigint,
    op              smallint,
    account_id      uuid,
    hold_id         uuid,
    state           smallint, -- after the batch
    amount          bigint,
    tool_id         smallint,
    token_id        uuid,
    quota_day       date,
    idempotency_key bytea,
    created_at      timestamptz,
    now             timestamptz
);

-- Make an item that ends a hold.
create function settlement(p_op smallint, p_account uuid, p_hold uuid, p_since bigint default null)
returns ledger_item language plpgsql immutable as $$
declare
    item ledger_item;
begin
    item.op := p_op;
    item.account_id := p_account;
    item.hold_id := p_hold;
    item.since := p_since;
    return item;
end $$;

-- The outcome of a settlement. p_state: of the hold after the batch; NULL: unknown hold.
-- 'refunded': a cancel found a charge whose response nobody received.
create function settle_outcome(p_op smallint, p_state smallint, p_is_replayed boolean)
returns text language sql immutable as $$
    select case when p_op = 3 and p_state = 2 and not p_is_replayed then 'refunded'
                when p_state = 1 then 'open' -- op 5 found a hold that has not expired yet
                when p_state = 2 then 'captured'
                when p_state = 3 then 'voided'
                when p_state = 4 then 'expired'
                else 'unknown' end
$$;

-- End the open holds of items whose account is locked, and return them:
-- - op 1: captured; expired if the hold is past its time;
-- - op 5: expired, only if the hold is past its time;
-- - op 2, 3, 4: voided.
-- Each hold is updated by its own statement, which finds it by its key. A plan for all holds, made
-- while there were few, would read the whole table forever.
create function end_holds(p_items ledger_item[], p_locked uuid[], p_now timestamptz)
returns ended_hold[] language plpgsql as $$
declare
    i     record;
    e     ended_hold;
    ended ended_hold[] := '{}';
begin
    for i in
        select u.ordinality as ord, u.op, u.account_id, u.hold_id,
               greatest(p_now, ms_to_time(newest_call(b.ring_at))) as now
          from unnest(p_items) with ordinality as u
          left join account_balance b on b.account_id = u.account_id
         where u.account_id = any (p_locked)
    loop
        update hold h
           set state = case when i.op = 1 and h.expires_at > i.now then 2
                            when i.op in (1, 5) then 4
                            else 3 end,
               settled_at = i.now
         where h.account_id = i.account_id and h.hold_id = i.hold_id and h.state = 1
           and (i.op <> 5 or h.expires_at <= i.now)
        returning i.ord, i.op, h.account_id, h.hold_id, h.state, h.amount, h.tool_id, h.token_id, h.quota_day,
                  h.idempotency_key, h.created_at, i.now
          into e;
        if found then
            ended := ended || e;
        end if;
    end loop;
    return ended;
end $$;

-- Charge the captured ones of these holds, with a usage entry each, and release the credits of all.
create function charge_holds(p_ended ended_hold[]) returns void language plpgsql as $$
begin
    with total as (
        select e.account_id,
               sum(e.amount)::bigint as released,
               coalesce(sum(e.amount) filter (where e.state = 2), 0)::bigint as captured,
               count(*) filter (where e.state = 2) as entries
          from unnest(p_ended) e group by e.account_id
    ), entry as (
        select e.*, b.head, b.seq + row_number() over calls as seq,
               (b.posted - sum(e.amount) over calls)::bigint as balance_after
          from unnest(p_ended) e join account_balance b on b.account_id = e.account_id
         where e.state = 2
        window calls as (partition by e.account_id order by e.ord)
    ), chained as materialized (
        select e.*, chain_entries(e.head, entry_record(e.account_id, e.seq, 3::smallint, -e.amount, e.balance_after,
                                                       e.hold_id, e.tool_id, e.token_id, e.now))
                        over (partition by e.account_id order by e.seq) as hash
          from entry e
    ), balance as (
        update account_balance b
           set posted = b.posted - t.captured,
               held = b.held - t.released,
               used = b.used + t.captured,
               seq = b.seq + t.entries,
               head = coalesce((select c.hash from chained c where c.account_id = t.account_id
                                 order by c.seq desc limit 1), b.head)
          from total t
         where b.account_id = t.account_id
    )
    insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id, token_id, at, hash)
    select c.account_id, c.seq, 3, -c.amount, c.balance_after, c.hold_id, c.tool_id, c.token_id, c.now, c.hash
      from chained c;
end $$;

-- Calls that were not charged no longer count in the daily quota (except with op 4), nor in the
-- caps of their token.
create function release_quota_and_caps(p_ended ended_hold[]) returns void language plpgsql as $$
begin
    update daily_quota q set used = q.used - d.calls
      from (select e.account_id, e.tool_id, e.quota_day, count(*)::integer as calls from unnest(p_ended) e
             where e.state <> 2 and e.op <> 4 and e.quota_day is not null group by 1, 2, 3) d
     where q.account_id = d.account_id and q.tool_id = d.tool_id and q.day = d.quota_day;
    update token t set spent_total = t.spent_total - c.amount, spent_today = t.spent_today - c.today
      from (select s.account_id, s.token_id, sum(e.amount) as amount,
                   coalesce(sum(e.amount) filter (where utc_day(e.created_at) = s.spent_day), 0) as today
              from unnest(p_ended) e
              join token s on s.account_id = e.account_id and s.token_id = e.token_id
             where e.state <> 2 and s.spent_total is not null group by 1, 2) c
     where t.account_id = c.account_id and t.token_id = c.token_id;
end $$;

-- Store the responses of charged calls with an idempotency key for a day. Release the keys of calls
-- that were not charged.
create function settle_keys(p_items ledger_item[], p_ended ended_hold[]) returns void language plpgsql as $$
begin
    update idempotency k
       set is_done = true, headers = i.headers, body = i.body, expires_at = e.now + interval '24 hours'
      from unnest(p_ended) e join unnest(p_items) with ordinality as i on i.ordinality = e.ord
     where e.state = 2 and k.account_id = e.account_id and k.key_hash = e.idempotency_key
       and k.hold_id = e.hold_id;
    delete from idempotency k using unnest(p_ended) e
     where e.state <> 2 and k.account_id = e.account_id and k.key_hash = e.idempotency_key
       and k.hold_id = e.hold_id;
end $$;

-- End the holds of these items, and return an outcome for each:
--
-- - op 1 captures: the call is charged.
-- - op 2 voids: the call is not charged.
-- - op 3 cancels: it voids the hold. If the hold was captured, it refunds the charge, unless the
--   response was replayed for its idempotency key.
-- - op 4 voids, but the call still counts in the daily quota.
-- - op 5 expires a hold that is past its time.
--
-- A hold that has ended before does not change, except for that refund; the outcome is its state.
-- The caller has locked the balances of p_locked. Items of other accounts get the outcome busy, and
-- nothing is done for them.
create function ledger_settle(p_items ledger_item[], p_locked uuid[], p_now timestamptz)
returns setof ledger_outcome language plpgsql as $$
declare
    cancelled ledger_item[] := array(select i from unnest(p_items) i
                                      where i.op = 3 and i.account_id = any (p_locked));
    ended     ended_hold[];
begin
    if cancelled <> '{}' then
        perform ledger_find_paid(cancelled);
        perform ledger_refund(h, p_now)
           from unnest(cancelled) c
           join hold h on h.account_id = c.account_id and h.hold_id = c.hold_id
          where h.state = 2 and not h.is_replayed;
    end if;
    ended := end_holds(p_items, p_locked, p_now);
    if ended <> '{}' then
        perform charge_holds(ended);
    end if;
    if exists (select from unnest(ended) e where e.state <> 2) then
        perform release_quota_and_caps(ended);
    end if;
    if exists (select from unnest(ended) e where e.idempotency_key is not null) then
        perform settle_keys(p_items, ended);
    end if;

    return query
    select i.ordinality::integer,
           case when b.account_id <> all (p_locked) then 'busy'
                else settle_outcome(i.op, h.state, h.is_replayed) end,
           case when h.amount > 0 then b.posted end, -- not a call: do not reveal the balance
           case when h.amount > 0 then b.held end,
           null::integer, null::integer, null::bigint, null::bigint, null::text, null::bytea,
           null::bigint, null::bigint, null::bigint,
           case when h.amount > 0 then b.seq end,
           null::smallint, null::integer, null::integer, null::integer, null::integer, null::boolean,
           null::uuid
      from unnest(p_items) with ordinality as i
      left join account_balance b on b.account_id = i.account_id
      left join lateral (select h.state, h.amount, h.is_replayed from hold h
                          where h.account_id = i.account_id and h.hold_id = i.hold_id
                         offset 0) h on true; -- offset 0: by its key, whatever the plan

    perform ledger_bar(c.account_id, c.hold_id, p_now) from unnest(cancelled) c; -- a later attempt must not charge it
end $$;

-- Refund a captured call, once. It no longer counts in the daily quota, nor in the caps of its
-- token, and its key is free again. The caller has locked the balance.
create function ledger_refund(h hold, p_now timestamptz) returns void language plpgsql as $$
begin
    if exists (select from ledger_entry
                where account_id = h.account_id and kind = 4 and reference = h.hold_id) then
        return;
    end if;
    with balance as (
        update account_balance
           set posted = posted + h.amount, used = used - h.amount, seq = seq + 1,
               head = chain_entry(head, entry_record(account_id, seq + 1, 4::smallint, h.amount, posted + h.amount,
                                                     h.hold_id, h.tool_id, h.token_id, p_now))
         where account_id = h.account_id returning seq, posted, head
    )
    insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id,
                              token_id, note, at, hash)
    select h.account_id, seq, 4, h.amount, posted, h.hold_id, h.tool_id, h.token_id,
           'the response was not delivered', p_now, head
      from balance;
    update daily_quota set used = used - 1
     where account_id = h.account_id and tool_id = h.tool_id and day = h.quota_day;
    update token
       set spent_total = spent_total - h.amount,
           spent_today = spent_today - case when utc_day(h.created_at) = spent_day then h.amount else 0 end
     where account_id = h.account_id and token_id = h.token_id and spent_total is not null;
    delete from idempotency where account_id = h.account_id and hold_id = h.hold_id;
end $$;

-- ---- admit ----

-- The plan of a call's account: its numbers for the tool, as in plan_limit.
create type admission_plan as (
    plan_id        smallint,
    endpoint_limit integer,
    class_limit    integer,
    daily_limit    integer,
    global_limit   integer,
    address_exempt boolean
);

-- The plan's numbers for tools of this class. This is a function because a subquery would make each
-- batch open the tables, also without an account that has a plan.
create function plan_for(p_plan smallint, p_class text) returns admission_plan language plpgsql stable as $$
declare
    found admission_plan;
begin
    select p.plan_id, l.endpoint_per_minute, l.class_per_minute, l.daily_per_tool, p.global_per_minute, p.address_exempt
      into found
      from plan p left join plan_limit l on l.plan_id = p.plan_id and l.rate_class = p_class
     where p.plan_id = p_plan;
    return found;
end $$;

-- The limit of a call: the plan's number, else the default's. NULL: no limit.
create function plan_or_default(p_plan integer, p_default integer) returns integer language sql immutable as $$
    select nullif(coalesce(p_plan, p_default), 0)
$$;

-- What is recorded about a call and its account before the admissions of a batch.
create type admission_fact as (
    ord            bigint, -- the call's place among the admissions of the batch
    account_id     uuid,
    hold_id        uuid,
    tool_id        smallint,
    amount         bigint,
    endpoint_limit integer, -- this and the next three: plan_or_default()
    class_limit    integer,
    global_limit   integer,
    daily_limit    integer,
    ttl_ms         integer,
    key            bytea,
    fingerprint    bytea,
    since          bigint,
    plan           admission_plan, -- NULL: the account has none
    known          text,    -- an outcome without a check of windows, caps and credits; NULL: check them
    hold_state     smallint, -- of an earlier attempt
    now_ms         bigint,  -- the time, by the account's clock
    limits_off     boolean,
    token_id       uuid,
    last_used_at   timestamptz,
    cap_day        date,    -- NULL: the token has no counters
    cap_left       bigint,
    past           integer, -- how many calls of the ring no longer count
    balance        account_balance,
    posted         bigint,  -- this and the next columns: from balance, for plain_admissions()
    held           bigint,
    granted        bigint,
    purchased      bigint,
    used           bigint,
    seq            bigint,
    head           bytea,
    ring_at        bigint[],
    ring_tool      smallint[]
);

-- The facts about each call. p_address[i]: the client's address of p_items[i]. With `offset 0`,
-- PostgreSQL finds the rows of each call by their keys, whatever the statistics say.
create function admission_facts(p_items ledger_item[], p_locked uuid[], p_now_ms bigint,
                                p_address inet[] default null)
returns setof admission_fact language sql stable as $$
    select i.ordinality, i.account_id, i.hold_id, i.tool_id, i.amount,
           plan_or_default((r.plan).endpoint_limit, i.endpoint_limit),
           plan_or_default((r.plan).class_limit, i.class_limit), coalesce((r.plan).global_limit, i.global_limit),
           plan_or_default((r.plan).daily_limit, i.daily_limit), i.ttl_ms, i.key, i.fingerprint, i.since, r.plan,
           case when r.token_id is null then 'auth_invalid'
                when i.account_id <> all (p_locked) then 'busy'
                when e.hold_state = 1 then 'admitted' -- sent again: the first attempt's hold is open
                when e.hold_state = 2 and i.ttl_ms is null then 'captured'
                when e.hold_state is not null or e.seq is not null then 'expired'
                else r.refusal end,
           e.hold_state, r.now_ms, r.limits_off, r.token_id, r.last_used_at, r.cap_day, r.cap_left,
           calls_past(r.ring_at, r.now_ms), r.balance, r.posted, r.held, r.granted,
           r.purchased, r.used, r.seq, r.head, r.ring_at, r.ring_tool
      from unnest(p_items) with ordinality as i
      left join lateral (
           select b as balance, b.posted, b.held, b.granted, b.purchased, b.used, b.seq, b.head, b.ring_at,
                  b.ring_tool, a.limits_off, t.token_id, t.last_used_at, n.now_ms,
                  case when a.plan_id is not null then plan_for(a.plan_id, s.rate_class) end as plan,
                  coalesce(check_token(t, a.state, n.now_at),
                           check_network(t.networks, p_address[i.ordinality]),
                           check_kind(t.kind, i.tool_id, i.amount),
                           check_tool(t.scopes, s, i.tool_id, i.amount)) as refusal,
                  cap_day(t, n.now_at) as cap_day, cap_left(t, cap_day(t, n.now_at)) as cap_left
             from account_balance b
             join account a on a.account_id = b.account_id
             join token t on t.account_id = b.account_id and t.digest = i.token
             left join tool s on s.tool_id = i.tool_id
            cross join lateral (select account_clock(b.ring_at, p_now_ms) as now_ms,
                                       ms_to_time(account_clock(b.ring_at, p_now_ms)) as now_at) n
            where b.account_id = i.account_id
           offset 0) r on true
     cross join lateral (
           select (select h.state from hold h
                    where h.account_id = i.account_id and h.hold_id = i.hold_id) as hold_state,
                  case when i.ttl_ms is not null -- if NULL, a unique index prevents a second charge
                       then (select e.seq from ledger_entry e -- as in ledger_is_charged()
                              where e.reference = i.hold_id and e.kind = 3 limit 1) end as seq
           offset 0) e
$$;

-- A call that ledger_admit_plain() admits, and its account after the call.
create type plain_admission as (
    ord          bigint,
    account_id   uuid,
    hold_id      uuid,
    tool_id      smallint,
    token_id     uuid,
    amount       bigint,
    ttl_ms       integer,
    now          timestamptz,
    expires_at   timestamptz, -- of the hold
    cap_day      date,
    last_used_at timestamptz,
    is_last      boolean,     -- the account's last call of the batch
    posted       bigint,
    held         bigint,
    used         bigint,
    seq          bigint,
    head         bytea,
    ring_at      bigint[],
    ring_tool    smallint[],
    window_limit integer,     -- this and the next columns: as in ledger_outcome
    window_left  integer,
    reset_ms     bigint,
    granted      bigint,
    purchased    bigint,
    plan         admission_plan
);

-- The calls of those accounts that need no special rule. An account qualifies if all of this is
-- true for each of its calls in the batch:
-- - it has no idempotency key, class window, daily limit or earlier attempt;
-- - token, network, scopes and price are valid;
-- - its newest call is not more than a minute in the future, and the token's counters are not at a
--   future day;
-- - windows, caps and balance allow it together with the account's calls before it.
create function plain_admissions(p_items ledger_item[], p_locked uuid[], p_now_ms bigint,
                                 p_address inet[] default null)
returns setof plain_admission language sql stable as $$
    with call as ( -- each call, with sums over the account's calls up to and including it
        select f.*,
               f.known is null and f.key is null and f.class_limit is null and f.daily_limit is null
               and f.since is null and not clock_was_ahead(f.ring_at, p_now_ms)
               and (f.cap_day > utc_day(ms_to_time(f.now_ms))) is not true as is_ordinary,
               (sum(f.amount) over before)::bigint as taken,
               coalesce(sum(f.amount) filter (where f.ttl_ms is null) over before, 0)::bigint as paid,
               count(*) filter (where f.ttl_ms is null and f.amount > 0) over before as entries,
               cardinality(f.ring_at) - f.past + row_number() over before as live,
               array_agg(f.tool_id) over before as tools,
               row_number() over before = count(*) over (partition by f.account_id) as is_last
          from admission_facts(p_items, p_locked, p_now_ms, p_address) f
         where f.token_id is not null -- a call with an unknown token does not affect the account's own calls
        window before as (partition by f.account_id order by f.ord)
    ), counted as (
        select c.*, c.global_limit - c.live as global_left, e.same,
               coalesce(c.endpoint_limit - cardinality(e.same), 300) as endpoint_left, -- 300: no limit is looser
               bool_and(c.is_ordinary
                        and has_credits(c.posted, c.held, c.taken)
                        and (c.taken <= c.cap_left) is not false -- the sum includes calls of the account's other tokens
                        and (c.limits_off
                             or not is_full(c.live - 1, c.global_limit)
                                and not is_full(cardinality(e.same) - 1, c.endpoint_limit)))
                   over (partition by c.account_id) as is_plain
          from call c
         cross join lateral (select array_positions(c.ring_tool[c.past + 1:] || c.tools, c.tool_id)) e (same)
    )
    select a.ord, a.account_id, a.hold_id, a.tool_id, a.token_id, a.amount, a.ttl_ms, ms_to_time(a.now_ms),
           ms_to_time(a.now_ms + a.ttl_ms), a.cap_day, a.last_used_at, a.is_last,
           a.posted - a.paid, a.held + a.taken - a.paid, a.used + a.paid, a.seq + a.entries,
           chain_entries(a.head, case when a.ttl_ms is null and a.amount > 0
                                      then entry_record(a.account_id, a.seq + a.entries, 3::smallint, -a.amount,
                                                        a.posted - a.paid, a.hold_id, a.tool_id, a.token_id,
                                                        ms_to_time(a.now_ms)) end)
               over (partition by a.account_id order by a.ord),
           case when a.limits_off then array[a.now_ms]
                else a.ring_at[a.past + 1:] || array_fill(a.now_ms, array[cardinality(a.tools)]) end,
           case when a.limits_off then array[a.tool_id] else a.ring_tool[a.past + 1:] || a.tools end,
           case when a.limits_off then null
                when a.endpoint_left < a.global_left then a.endpoint_limit else a.global_limit end,
           case when not a.limits_off then least(a.endpoint_left, a.global_left) end,
           case when not a.limits_off then
               leaves_in_ms(a.ring_at[a.past + case when a.endpoint_left < a.global_left
                                                    then a.same[1] else 1 end], a.now_ms) end,
           case when a.amount = 0 then a.granted else a.cap_left - a.taken end,
           case when a.amount = 0 then a.purchased end, a.plan
      from counted a
     where a.is_plain
$$;

-- Admit the calls of plain_admissions() and write them, all in one statement. Returns their
-- outcomes. ledger_admit_each() takes the other calls. p_before: how many outcomes of the batch
-- precede these.
create function ledger_admit_plain(p_items ledger_item[], p_locked uuid[], p_now_ms bigint, p_before integer,
                                   p_address inet[] default null)
returns ledger_outcome[] language plpgsql as $$
declare
    outcomes ledger_outcome[];
    stale    uuid[]; -- tokens whose last_used_at is older than five minutes, and their accounts
    accounts uuid[];
begin
    with admitted as materialized (
        select p.* from plain_admissions(p_items, p_locked, p_now_ms, p_address) p
    ), balance as (
        update account_balance b
           set posted = a.posted, held = a.held, used = a.used, seq = a.seq, head = a.head,
               ring_at = a.ring_at, ring_tool = a.ring_tool
          from admitted a
         where a.is_last and b.account_id = a.account_id
    ), spent as (
        update token t
           set spent_total = t.spent_total + s.amount, spent_today = spent_on(t, s.cap_day) + s.amount,
               spent_day = s.cap_day
          from (select a.account_id, a.token_id, a.cap_day, sum(a.amount) as amount
                  from admitted a where a.cap_day is not null and a.amount > 0 group by 1, 2, 3) s
         where t.account_id = s.account_id and t.token_id = s.token_id
    ), entry as (
        insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id,
                                  token_id, at, hash)
        select a.account_id, a.seq, 3, -a.amount, a.posted, a.hold_id, a.tool_id, a.token_id, a.now, a.head
          from admitted a
         where a.ttl_ms is null and a.amount > 0
    ), held as (
        insert into hold (account_id, hold_id, amount, tool_id, token_id, created_at, expires_at)
        select a.account_id, a.hold_id, a.amount, a.tool_id, a.token_id, a.now, a.expires_at
          from admitted a
         where a.ttl_ms is not null and a.amount > 0
    )
    select coalesce(array_agg(row(
               p_before + a.ord, case when a.ttl_ms is null then 'captured' else 'admitted' end,
               a.posted, a.held, a.window_limit, a.window_left, a.reset_ms, null, null, null,
               a.granted, a.purchased, case when a.amount = 0 then a.used end, a.seq,
               (a.plan).plan_id, (a.plan).endpoint_limit, (a.plan).class_limit, (a.plan).daily_limit,
               (a.plan).global_limit, (a.plan).address_exempt, a.token_id)::ledger_outcome), '{}'),
           array_agg(a.token_id) filter (where (a.last_used_at > a.now - interval '5 minutes') is not true),
           array_agg(a.account_id) filter (where (a.last_used_at > a.now - interval '5 minutes') is not true)
      into outcomes, stale, accounts
      from admitted a;

    if stale is not null then
        perform token_note_use(accounts, stale, p_now_ms);
    end if;
    return outcomes;
end $$;

-- Set last_used_at of these tokens; p_account[i] is the account of p_token[i]. A token that another
-- session has locked is skipped. Each token is found by its key: a condition with two lists would
-- try all combinations.
create function token_note_use(p_account uuid[], p_token uuid[], p_now_ms bigint)
returns void language plpgsql as $$
begin
    update token t set last_used_at = ms_to_time(p_now_ms)
      from unnest(p_account, p_token) as i (account_id, token_id)
     cross join lateral (select k.account_id, k.token_id from token k
                          where k.account_id = i.account_id and k.token_id = i.token_id
                            for no key update skip locked) s
     where t.account_id = s.account_id and t.token_id = s.token_id;
end $$;

-- The next functions are the steps of ledger_admit_each(). A check takes the outcome so far and
-- returns it. An outcome of NULL means that nothing has rejected the call yet.

-- Put the plan of the call's account into the outcome, for the customer's headers and messages.
create function tell_plan(o ledger_outcome, p admission_plan) returns ledger_outcome language plpgsql immutable as $$
begin
    o.plan_id := p.plan_id;
    o.plan_endpoint := p.endpoint_limit;
    o.plan_class := p.class_limit;
    o.plan_daily := p.daily_limit;
    o.plan_global := p.global_limit;
    o.plan_address_exempt := p.address_exempt;
    return o;
end $$;

-- A call with a key takes it over from an earlier call that is past its time. The earlier call's
-- hold ends here, so that no clock can charge both. Returns the account's row without the hold.
create function end_hold_of_key(b account_balance, i admission_fact) returns account_balance language plpgsql as $$
declare
    overdue  constant uuid := (select k.hold_id from idempotency k
                                where k.account_id = i.account_id and k.key_hash = i.key
                                  and not k.is_done and k.expires_at <= ms_to_time(i.now_ms));
    ended    ended_hold[];
    released bigint;
begin
    if overdue is not null then
        ended := end_holds(array[settlement(5::smallint, i.account_id, overdue)], array[i.account_id],
                           ms_to_time(i.now_ms));
        perform release_quota_and_caps(ended);
        released := coalesce((select sum(e.amount) from unnest(ended) e), 0);
        update account_balance set held = held - released where account_id = i.account_id;
        b.held := b.held - released;
    end if;
    return b;
end $$;

-- Check an idempotency key that was used before:
-- - the same request, done: replay, with the stored response, until ledger_prune() deletes it: a
--   clock that is ahead for a moment does not make the call run again;
-- - the same request, still running: idempotency_in_progress;
-- - another request: idempotency_mismatch.
create function take_key(o ledger_outcome, i admission_fact) returns ledger_outcome language plpgsql as $$
declare
    k idempotency;
begin
    select * into k from idempotency where account_id = i.account_id and key_hash = i.key
                                       and (is_done or expires_at > ms_to_time(i.now_ms));
    if not found then
        return o;
    end if;
    if k.fingerprint <> i.fingerprint then
        o.outcome := 'idempotency_mismatch';
    elsif k.is_done then
        o.outcome := 'replay';
        o.headers := k.headers;
        o.body := k.body;
        -- The customer gets the response, so the charge is never refunded. A response in
        -- large_response counts only when all its pieces were read: large_response_replayed().
        if k.body is not null or k.headers = '' then -- '': the call runs again, free
            update hold set is_replayed = true
             where account_id = i.account_id and hold_id = k.hold_id and not is_replayed;
        end if;
    else
        o.outcome := 'idempotency_in_progress';
        o.retry_ms := extract(epoch from k.expires_at) * 1000 - i.now_ms;
    end if;
    return o;
end $$;

-- The times of the calls in a ring that count in the rate class of p_tool, oldest first. The first
-- p_past calls of the ring are left out.
create function calls_of_class(p_tool smallint, p_ring_at bigint[], p_ring_tool smallint[], p_past integer)
returns bigint[] language plpgsql stable as $$
begin
    return array(select r.at
                   from unnest(p_ring_at[p_past + 1:], p_ring_tool[p_past + 1:]) as r (at, tool_id)
     where r.tool_id in (select c.tool_id from tool c join tool mine on c.rate_class = mine.rate_class
                          where mine.tool_id = p_tool)
                  order by r.at);
end $$;

-- Check one window that has p_calls calls.
-- - p_oldest: the time of its oldest call.
-- - p_frees: the time of the call that must leave before there is room.
-- - If the window is full, the outcome becomes p_code, unless an earlier check has set one.
--   retry_ms is the longest wait of all full windows.
-- - window_limit, window_left and reset_ms describe the tightest window, with this call counted. Of
--   equally tight windows, the last one counts.
create function count_window(o ledger_outcome, p_code text, p_limit integer, p_calls integer,
                             p_oldest bigint, p_frees bigint, p_now_ms bigint)
returns ledger_outcome language plpgsql immutable as $$
declare
    is_looser constant boolean := p_limit - p_calls - 1 > o.window_left;
begin
    if is_full(p_calls, p_limit) then
        o.outcome := coalesce(o.outcome, p_code);
        o.retry_ms := greatest(o.retry_ms, leaves_in_ms(p_frees, p_now_ms));
    end if;
    if is_looser is not true then
        o.window_limit := p_limit;
        o.window_left := p_limit - p_calls - 1;
        o.reset_ms := leaves_in_ms(p_oldest, p_now_ms);
    end if;
    return o;
end $$;

-- Check the endpoint, class and global windows. b: the account, with the earlier calls of the
-- batch.
create function check_windows(o ledger_outcome, i admission_fact, b account_balance)
returns ledger_outcome language plpgsql stable as $$
declare
    past  constant integer := calls_past(b.ring_at, i.now_ms);
    ring  constant integer := cardinality(b.ring_at);
    same  constant integer[] := array_positions(b.ring_tool[past + 1:], i.tool_id);
    class bigint[];
begin
    if i.endpoint_limit is not null then
        o := count_window(o, 'rate_limited_endpoint', i.endpoint_limit, cardinality(same), b.ring_at[past + same[1]],
                          b.ring_at[past + same[cardinality(same) - i.endpoint_limit + 1]], i.now_ms);
    end if;
    if i.class_limit is not null then
        class := calls_of_class(i.tool_id, b.ring_at, b.ring_tool, past);
        o := count_window(o, 'rate_limited_class', i.class_limit, cardinality(class), class[1],
                          class[cardinality(class) - i.class_limit + 1], i.now_ms);
    end if;
    o := count_window(o, 'rate_limited_global', i.global_limit, ring - past, b.ring_at[past + 1],
                      b.ring_at[ring - i.global_limit + 1], i.now_ms);
    o.window_left := greatest(o.window_left, 0);
    return o;
end $$;

-- Check the daily quota of the call's tool. If it is used up, retry_ms is the time to midnight UTC.
create function check_quota(o ledger_outcome, i admission_fact) returns ledger_outcome language plpgsql stable as $$
begin
    if exists (select from daily_quota q
                where q.account_id = i.account_id and q.tool_id = i.tool_id
                  and q.day = utc_day(ms_to_time(i.now_ms)) and q.used >= i.daily_limit) then
        o.outcome := coalesce(o.outcome, 'daily_quota_exceeded');
        o.retry_ms := greatest(o.retry_ms, 86400000 - i.now_ms % 86400000);
    end if;
    return o;
end $$;

-- Check the caps of the call's token. On a rejection, granted is the cap and used is what the token
-- has spent. The daily cap also sets retry_ms, the time to the next UTC day.
create function check_cap(o ledger_outcome, i admission_fact) returns ledger_outcome language plpgsql as $$
declare
    t token;
begin
    select * into t from token where account_id = i.account_id and token_id = i.token_id;
    if spent_on(t, i.cap_day) + i.amount > t.cap_daily then
        o.outcome := 'spending_cap_daily';
        o.granted := t.cap_daily;
        o.used := spent_on(t, i.cap_day);
        o.retry_ms := extract(epoch from (i.cap_day + 1)::timestamp) * 1000 - i.now_ms;
    elsif t.spent_total + i.amount > t.cap_total then
        o.outcome := 'spending_cap_total';
        o.granted := t.cap_total;
        o.used := t.spent_total;
    end if;
    return o;
end $$;

-- Check a call against the rules, in this order. A later group is checked only if no earlier one
-- has set an outcome:
-- 1. the idempotency key;
-- 2. the windows and the daily quota, unless the account's limits are off;
-- 3. the caps of the token;
-- 4. the balance.
create function check_call(o ledger_outcome, i admission_fact, b account_balance)
returns ledger_outcome language plpgsql as $$
begin
    o.posted := b.posted;
    o.held := b.held;
    if i.key is not null then
        o := take_key(o, i);
    end if;
    if o.outcome is null and not i.limits_off then
        o := check_windows(o, i, b);
        if i.daily_limit is not null then
            o := check_quota(o, i);
        end if;
    end if;
    if o.outcome is null and i.cap_day is not null and i.amount > 0 then
        o := check_cap(o, i);
    end if;
    if o.outcome is null and not has_credits(b.posted, b.held, i.amount) then
        o.outcome := 'insufficient_credits';
    end if;
    return o;
end $$;

-- The account's row after the call: the call is in the ring, and its credits are held or charged.
-- A charge is chained as write_call() writes it.
create function take_credits(b account_balance, i admission_fact) returns account_balance
language plpgsql immutable as $$
declare
    past constant integer := calls_past(b.ring_at, i.now_ms);
begin
    if i.limits_off then
        b.ring_at := array[i.now_ms];
        b.ring_tool := array[i.tool_id];
    else
        b.ring_at := b.ring_at[past + 1:] || i.now_ms;
        b.ring_tool := b.ring_tool[past + 1:] || i.tool_id;
    end if;
    if i.ttl_ms is not null then
        b.held := b.held + i.amount;
    elsif i.amount > 0 then
        b.posted := b.posted - i.amount;
        b.used := b.used + i.amount;
        b.seq := b.seq + 1;
        b.head := chain_entry(b.head, entry_record(i.account_id, b.seq, 3::smallint, -i.amount, b.posted, i.hold_id,
                                                   i.tool_id, i.token_id,
                                                   charge_time(i.cap_day, ms_to_time(i.now_ms))));
    end if;
    return b;
end $$;

-- Count the call in its token's caps. Returns the credits that they leave.
create function take_cap(i admission_fact) returns bigint language plpgsql as $$
declare
    left_over bigint;
begin
    update token t
       set spent_total = t.spent_total + i.amount, spent_today = spent_on(t, i.cap_day) + i.amount,
           spent_day = i.cap_day
     where t.account_id = i.account_id and t.token_id = i.token_id
    returning cap_left(t, i.cap_day) into left_over;
    return left_over;
end $$;

-- Does the call count in a daily quota?
create function counts_in_quota(i admission_fact) returns boolean language plpgsql immutable as $$
begin
    return i.daily_limit is not null and not i.limits_off;
end $$;

-- Count the call in the daily quota of its tool.
create function take_quota(i admission_fact) returns void language plpgsql as $$
begin
    insert into daily_quota as q (account_id, tool_id, day, used)
    values (i.account_id, i.tool_id, utc_day(ms_to_time(i.now_ms)), 1)
    on conflict (account_id, tool_id, day) do update set used = q.used + 1;
end $$;

-- Write the hold of a call. A call that is charged at once gets a hold, already captured, only if a
-- retry must find it by its id, or a refund must give it back to the daily quota.
create function write_hold(i admission_fact, p_at timestamptz) returns void language plpgsql as $$
begin
    insert into hold (account_id, hold_id, amount, tool_id, token_id, state, quota_day, idempotency_key,
                      created_at, expires_at, settled_at)
    values (i.account_id, i.hold_id, i.amount, i.tool_id, i.token_id,
            case when i.ttl_ms is null then 2 else 1 end,
            case when counts_in_quota(i) then utc_day(ms_to_time(i.now_ms)) end,
            i.key, p_at, ms_to_time(i.now_ms + coalesce(i.ttl_ms, 0)), case when i.ttl_ms is null then p_at end);
end $$;

-- Reserve the call's idempotency key until its hold expires.
create function write_key(i admission_fact) returns void language plpgsql as $$
begin
    insert into idempotency as k (account_id, key_hash, fingerprint, hold_id, expires_at)
    values (i.account_id, i.key, i.fingerprint, i.hold_id, ms_to_time(i.now_ms + i.ttl_ms))
    on conflict (account_id, key_hash) do update
        set fingerprint = excluded.fingerprint, hold_id = excluded.hold_id,
            is_done = false, headers = null, body = null, expires_at = excluded.expires_at;
end $$;

-- Write an admitted call: quota, caps, entry, hold and key, as far as they apply. b: the account's
-- row after the call.
create function write_call(o ledger_outcome, i admission_fact, b account_balance)
returns ledger_outcome language plpgsql as $$
declare
    made_at constant timestamptz := charge_time(i.cap_day, ms_to_time(i.now_ms));
begin
    o.outcome := case when i.ttl_ms is null then 'captured' else 'admitted' end;
    if counts_in_quota(i) then
        perform take_quota(i);
    end if;
    if i.amount = 0 then
        o.granted := b.granted;
        o.purchased := b.purchased;
        o.used := b.used;
    else
        if i.cap_day is not null then
            o.granted := take_cap(i);
        end if;
        if i.ttl_ms is null then
            insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id,
                                      token_id, at, hash)
            values (i.account_id, b.seq, 3, -i.amount, b.posted, i.hold_id, i.tool_id, i.token_id, made_at,
                    b.head);
        end if;
        if i.ttl_ms is not null or i.since is not null or counts_in_quota(i) then
            perform write_hold(i, made_at);
        end if;
        if i.key is not null then
            perform write_key(i);
        end if;
    end if;
    o.posted := b.posted;
    o.held := b.held;
    o.seq := b.seq;
    return o;
end $$;

-- Admit the calls that are not in p_done, one after another, in the order of the batch within each
-- account:
-- 1. Find what earlier attempts have charged (ledger_find_paid()).
-- 2. For each call, check all rules, then write the call.
-- 3. Keep rejected calls that were sent before from being charged later (ledger_bar()).
create function ledger_admit_each(p_items ledger_item[], p_locked uuid[], p_now_ms bigint, p_before integer,
                                  p_done bigint[], p_address inet[] default null)
returns setof ledger_outcome language plpgsql as $$
declare
    i       admission_fact;
    o       ledger_outcome;
    b       account_balance; -- the account's row, with the earlier calls of this batch
    changed boolean := false;
begin
    perform ledger_find_paid(p_items);
    for i in
        select f.* from admission_facts(p_items, p_locked, p_now_ms, p_address) f
         where f.ord <> all (p_done) order by f.account_id, f.token_id is null, f.ord
    loop
        if i.account_id is distinct from b.account_id then
            if changed then
                perform ledger_write_row(b);
            end if;
            b := i.balance;
            changed := clock_was_ahead(b.ring_at, p_now_ms) and i.known is distinct from 'busy';
            if changed then -- count the calls of the ring as if they were made now
                b.ring_at := array(select least(r.at, i.now_ms)
                                     from unnest(b.ring_at) with ordinality as r (at, n) order by r.n);
            end if;
        end if;

        o := null;
        o.ord := p_before + i.ord;
        o.outcome := i.known;
        o.token_id := i.token_id;
        if (i.plan).plan_id is not null then
            o := tell_plan(o, i.plan);
        end if;
        if i.known is null then
            if i.key is not null then
                b := end_hold_of_key(b, i);
            end if;
            o := check_call(o, i, b);
        elsif i.hold_state is not null and i.known not in ('auth_invalid', 'busy') then
            o.posted := b.posted;
            o.held := b.held;
            o.seq := b.seq;
        end if;
        if o.outcome is null then
            changed := true;
            b := take_credits(b, i);
            o := write_call(o, i, b);
            if (i.last_used_at > ms_to_time(i.now_ms) - interval '5 minutes') is not true then
                perform token_note_use(array[i.account_id], array[i.token_id], p_now_ms);
            end if;
        end if;
        return next o;
    end loop;
    if changed then
        perform ledger_write_row(b);
    end if;
    perform ledger_bar(u.account_id, u.hold_id, ms_to_time(p_now_ms))
       from unnest(p_items) u
      where u.since is not null and u.account_id = any (p_locked);
end $$;

-- Admit calls, and return an outcome for each. A call is checked in this order: token and account,
-- network, kind of token, scope and price, idempotency key, windows, daily quota, the token's caps,
-- balance. Then its hold or its charge is written. A rejected call changes nothing.
--
-- - A limit of NULL does not apply. The global limit is never NULL and is at most 300, the length
--   of the ring. The limits of the account's plan replace those of the item.
-- - An amount of 0 is for the account's own queries: the call counts in the windows and is free.
--   With tool 0 it needs no scope.
-- - Any other amount must be a price of the tool, else the outcome is price_not_on_record.
-- - The caller has locked the balances of p_locked. Calls of other accounts get the outcome busy.
-- - ttl_ms NULL: the call's work is done. The call is charged at once, without a hold, and its
--   outcome is captured.
-- - since not NULL, only with ttl_ms NULL: a retry must find this attempt by its id, because the
--   call was sent before or the gateway cannot rule out an earlier charge. Then a captured hold is
--   written, and ledger_find_paid() looks for the earlier charge.
--
-- - p_address[i]: the client's address of p_items[i].
--
-- Two ways give the same result, by the same rules. ledger_admit_plain() takes all calls that need
-- no special rule, in one statement, at a third of the cost. ledger_admit_each() takes the others
-- one by one, and finds out why a call is rejected.
create function ledger_admit(p_items ledger_item[], p_locked uuid[], p_now_ms bigint, p_before integer,
                             p_address inet[] default null)
returns setof ledger_outcome language plpgsql as $$
declare
    plain ledger_outcome[] := ledger_admit_plain(p_items, p_locked, p_now_ms, p_before, p_address);
begin
    return query select * from unnest(plain);
    if cardinality(plain) < cardinality(p_items) then
        return query select * from ledger_admit_each(p_items, p_locked, p_now_ms, p_before,
                                                     array(select p.ord - p_before from unnest(plain) p), p_address);
    end if;
end $$;

-- Write an account's row.
create function ledger_write_row(p_row account_balance) returns void language plpgsql as $$
begin
    update account_balance
       set posted = p_row.posted, held = p_row.held, used = p_row.used, seq = p_row.seq, head = p_row.head,
           ring_at = p_row.ring_at, ring_tool = p_row.ring_tool
     where account_id = p_row.account_id;
end $$;

-- Those of these accounts whose tokens with caps are not locked by another session: a batch updates
-- such a token with its account. Every function that changes such a token locks its account first;
-- this is for sessions that do not.
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

-- Lock this account, and return it; wait at most lock_timeout. It is not returned if another
-- session holds it that long, or if it does not exist.
create function ledger_wait_for(p_account uuid) returns setof uuid language plpgsql as $$
begin
    return query select b.account_id from account_balance b where b.account_id = p_account for no key update;
exception when lock_not_available then
    return;
end $$;

-- Run one batch of a gateway, in this order:
-- 1. Lock the accounts, in order of account_id. Wait at most 50 ms for a lock.
-- 2. Settle the items of p_settles.
-- 3. Admit the items of p_admits.
-- Any other row is waited for at most 2 ms. After a longer wait the batch fails with
-- lock_not_available.
--
-- A batch that waits for an account holds those before it. So one that is locked for long would
-- stop them, too: after such a wait the gateway sends batches with p_skip for a while. They never
-- wait for an account while they hold another. The items of locked accounts get the outcome busy.
-- If all accounts are locked, the batch waits for that of its first item: otherwise an account that
-- others lock again and again would never get its turn.
--
-- p_address[i]: the client's address of p_admits[i]. A gateway of a version that sends none is
-- refused for tokens with networks.
create function ledger_batch(p_settles ledger_item[], p_admits ledger_item[], p_skip boolean default false,
                             p_address inet[] default null)
returns setof ledger_outcome language plpgsql
security definer set search_path = public, pg_temp
-- Always look up by keys, and plan once. A plan made while the tables were small must not last, and
-- a new plan for each batch costs more than the batch.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
set plan_cache_mode = force_generic_plan
set lock_timeout = '50ms'
as $$
declare
    now_ms  bigint;
    wanted  uuid[];
    locked  uuid[];
    timeout text;
begin
    if cardinality(p_admits) > 1
       and exists (select from unnest(p_admits) i where i.amount <> 0 group by i.hold_id having count(*) > 1) then
        -- the gateway retries in smaller batches, where each call finds the other
        raise unique_violation using message = 'two calls of this batch have the same id';
    end if;
    -- A call with an unknown token is rejected without waiting for a lock.
    wanted := array(select i.account_id from unnest(p_settles) i
                    union all
                    select t.account_id from unnest(p_admits) i
                      join token t on t.account_id = i.account_id and t.digest = i.token);
    if p_skip then
        locked := array(select b.account_id from account_balance b where b.account_id = any (wanted)
                         order by b.account_id for no key update skip locked);
        if locked = '{}' then
            locked := array(select ledger_wait_for(wanted[1]));
        end if;
        locked := array(select ledger_without_held_tokens(locked));
    else
        locked := array(select b.account_id from account_balance b where b.account_id = any (wanted)
                         order by b.account_id for no key update);
    end if;
    -- Every writer locks the account's balance before its other rows. A session that has locked
    -- another row without that is in error: the accounts of this batch do not wait for it.
    timeout := set_config('lock_timeout', '2ms', true);
    now_ms := ledger_now_ms();
    if cardinality(p_settles) > 0 then
        return query select * from ledger_settle(p_settles, locked, ms_to_time(now_ms));
    end if;
    if cardinality(p_admits) > 0 then
        return query select * from ledger_admit(p_admits, locked, now_ms, cardinality(p_settles), p_address);
    end if;
end $$;

-- Check tokens, for requests that are rejected before admission and for requests that are free.
-- Returns for each: NULL or the error code; the token's name, scopes, expiry, caps and is_strict;
-- and the account's plan, and since when. scopes: separated by commas; empty: all. p_address[i]:
-- the client's address of p_token[i].
create function token_check(p_account uuid[], p_token bytea[], p_address inet[] default null)
returns table (ord integer, outcome text, token_name text, scopes text, expires_ms bigint,
               cap_daily bigint, spent_today bigint, cap_total bigint, spent_total bigint, is_strict boolean,
               plan_name text, plan_ms bigint)
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
           coalesce(check_token(t, a.state, now_at), check_network(t.networks, p_address[i.ord])),
           t.name, array_to_string(t.scopes, ','), (extract(epoch from t.expires_at) * 1000)::bigint,
           t.cap_daily,
           case when t.spent_day >= utc_day(now_at) then t.spent_today
                when t.spent_total is not null then 0 end, -- the day of its counters is over
           t.cap_total, t.spent_total, t.is_strict, p.name, (extract(epoch from a.plan_at) * 1000)::bigint
      from unnest(p_account, p_token) with ordinality as i (account_id, digest, ord)
      left join token t on t.account_id = i.account_id and t.digest = i.digest
      left join account a on a.account_id = t.account_id -- without a valid token, nothing about the account
      left join plan p on p.plan_id = a.plan_id;
end $$;

-- Would a call be admitted now? A snapshot, without a lock, by the functions that decide about
-- calls. Returns NULL or the error code, and the columns of ledger_outcome that explain it. Limits
-- of 0 do not apply, and those of the account's plan replace them.
create function admission_preview(p_account uuid, p_token bytea, p_tool smallint, p_amount bigint, p_endpoint integer,
                                  p_class integer, p_global integer, p_daily integer, p_address inet default null)
returns table (outcome text, posted bigint, held bigint, retry_ms bigint, granted bigint, used bigint,
               plan_id smallint, plan_endpoint integer, plan_class integer, plan_daily integer, plan_global integer)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    i ledger_item;
    f admission_fact;
    o ledger_outcome;
begin
    i.account_id := p_account;
    i.token := p_token;
    i.tool_id := p_tool;
    i.amount := p_amount;
    i.endpoint_limit := nullif(p_endpoint, 0);
    i.class_limit := nullif(p_class, 0);
    i.global_limit := p_global;
    i.daily_limit := nullif(p_daily, 0);
    select a.* into f from admission_facts(array[i], array[p_account], ledger_now_ms(), array[p_address]) a;
    o := tell_plan(o, f.plan);
    o.outcome := f.known;
    if f.token_id is not null then
        o.posted := f.posted;
        o.held := f.held;
    end if;
    if f.known is null then
        o := check_call(o, f, f.balance);
    end if;
    return query select o.outcome, o.posted, o.held, o.retry_ms, o.granted, o.used,
                        o.plan_id, o.plan_endpoint, o.plan_class, o.plan_daily, o.plan_global;
end $$;

-- ---- sweeps ----
--
-- ledger_sweep() and ledger_prune() go through rows in order of expires_at, in steps of about
-- p_limit rows. A step begins after p_since and returns in `reached` where the next one begins;
-- both are ms since 1970. is_more: the step stopped at the limit. Any gateway may run a step at any
-- time.

-- Record that a background task failed for one account and went on without it.
create function task_failed(p_task text, p_account uuid, p_error text) returns void language sql as $$
    insert into account_fault (task, account_id, error, first_at, last_at)
    select p_task, p_account, p_error, now_at, now_at from ms_to_time(ledger_now_ms()) now_at
    on conflict (task, account_id) do update set error = excluded.error, last_at = excluded.last_at
$$;

-- Expire these holds, where their accounts are locked by the caller. swept: how many. busy: when
-- the oldest hold of the other accounts expired; NULL: all are locked.
create function expire_holds(p_accounts uuid[], p_holds uuid[], p_locked uuid[], p_now timestamptz,
                             out swept integer, out busy timestamptz)
language plpgsql as $$
begin
    select count(*) filter (where o.outcome = 'expired'), min(h.expires_at) filter (where o.outcome = 'busy')
      into swept, busy
      from ledger_settle(array(select settlement(5::smallint, i.account_id, i.hold_id)
                                 from unnest(p_accounts, p_holds) as i (account_id, hold_id)), p_locked, p_now) o
      left join unnest(p_accounts, p_holds) with ordinality as i (account_id, hold_id, ord) using (ord)
      left join hold h on h.account_id = i.account_id and h.hold_id = i.hold_id;
end $$;

-- The same, account by account. An account whose rows contradict each other keeps its holds, and is
-- recorded.
create function expire_holds_each(p_accounts uuid[], p_holds uuid[], p_locked uuid[], p_now timestamptz)
returns integer language plpgsql as $$
declare
    swept integer := 0;
    one   uuid;
    its   uuid[];
begin
    foreach one in array p_locked loop
        its := array(select i.hold from unnest(p_accounts, p_holds) as i (account, hold) where i.account = one);
        begin
            swept := swept + (select e.swept from expire_holds(array_fill(one, array[cardinality(its)]), its,
                                                               array[one], p_now) e);
        exception when integrity_constraint_violation or data_exception or plpgsql_error then
            perform task_failed('ledger_sweep', one, sqlerrm);
        end;
    end loop;
    return swept;
end $$;

-- Expire the open holds that are past their time; swept: how many. Holds of locked accounts are
-- skipped; busy: when the oldest of them expired, NULL: none was skipped. p_since below 0: begin
-- two hours ago.
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
    skipped  timestamptz;
begin
    is_more := until is not null;
    until := coalesce(until, now_at);
    select coalesce(array_agg(h.account_id), '{}'), coalesce(array_agg(h.hold_id), '{}')
      into accounts, holds
      from hold h where h.expires_at > since and h.expires_at <= until and h.state = 1;
    locked := array(select b.account_id from account_balance b where b.account_id = any (accounts)
                     order by b.account_id for no key update skip locked);
    begin
        select e.swept, e.busy into swept, skipped from expire_holds(accounts, holds, locked, now_at) e;
    exception when integrity_constraint_violation or data_exception or plpgsql_error then
        swept := expire_holds_each(accounts, holds, locked, now_at);
        skipped := (select min(h.expires_at) from unnest(accounts, holds) as i (account_id, hold_id)
                      join hold h on h.account_id = i.account_id and h.hold_id = i.hold_id
                     where i.account_id <> all (locked));
    end;
    busy := floor(extract(epoch from skipped) * 1000);
    reached := floor(extract(epoch from until) * 1000);
end $$;

-- Has the clock gone forward for an hour without a jump? A clock that is a day ahead for a moment
-- must not make ledger_prune() forget idempotency keys and holds. Gateways ask every few seconds,
-- so a difference of more than 10 minutes to the last time is a jump, or nothing ran.
create function clock_is_steady(p_now timestamptz) returns boolean language sql as $$
    insert into prune_clock as c (seen_at, steady_since) values (p_now, p_now)
    on conflict (is_one) do update
       set seen_at = p_now,
           steady_since = case when p_now between c.seen_at - interval '10 minutes'
                                              and c.seen_at + interval '10 minutes'
                               then c.steady_since else p_now end
    returning steady_since <= p_now - interval '1 hour'
$$;

-- Delete what is past its retention; pruned: how many rows. Stored responses are kept for a day,
-- ended holds for two days after they expire, daily quotas for a week. Locked rows are skipped.
-- Nothing is deleted while the clock is not steady. busy is always NULL.
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
    pruned := 0;
    is_more := false;
    reached := p_since;
    if not clock_is_steady(now_at) then
        return;
    end if;
    until := least(
        (select h.expires_at + late from hold h where h.expires_at > since - late
          order by h.expires_at offset p_limit limit 1),
        (select k.expires_at from idempotency k where k.expires_at > since
          order by k.expires_at offset p_limit limit 1),
        (select r.expires_at from large_response r where r.expires_at > since
          order by r.expires_at offset greatest(p_limit / 100, 1) limit 1), -- pieces are large
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
    delete from large_response where (account_id, hold_id, piece) in (
        select r.account_id, r.hold_id, r.piece from large_response r
         where r.expires_at > since and r.expires_at <= until
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

-- Cancel one call for an operator, as a gateway's cancel does. Returns its outcome: voided,
-- refunded, expired, or captured: its response was replayed for its key, so it stays charged. NULL:
-- there is no such call.
create function ledger_end_call(p_account uuid, p_hold uuid) returns text language plpgsql
security definer set search_path = public, pg_temp as $$
declare
    since bigint;
begin
    perform 1 from account_balance where account_id = p_account for no key update;
    since := coalesce((select e.seq from ledger_entry e
                        where e.account_id = p_account and e.at < ms_to_time(ledger_now_ms()) - interval '2 days'
                        order by e.seq desc limit 1), 0);
    perform ledger_find_paid(array[settlement(3::smallint, p_account, p_hold, since)]);
    if not exists (select from hold where account_id = p_account and hold_id = p_hold) then
        return null;
    end if;
    return (select outcome from ledger_settle(array[settlement(3::smallint, p_account, p_hold)], array[p_account],
                                              ms_to_time(ledger_now_ms())));
end $$;

-- True: this gateway has the same ledger.secret as the others. The first gateway stores its digest.
create function ledger_secret_agree(p_digest bytea) returns boolean language plpgsql
security definer set search_path = public, pg_temp as $$
begin
    insert into ledger_secret (digest) values (p_digest) on conflict do nothing;
    return (select digest = p_digest from ledger_secret);
end $$;

-- The number of a tool. It is computed from the name, so that it is the same in every database, and
-- entries stay valid when an account moves to another one.
create function tool_number(p_name text) returns smallint
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
    select (('x' || left(encode(sha256(convert_to(p_name, 'UTF8')), 'hex'), 7))::bit(28)::integer
            % 32767 + 1)::smallint;
$$;

-- Write the tools and their prices, as their contracts say. Returns the tools whose price changed,
-- with the old and the new price. Two tools with the same number are an error: rename the second
-- one. With 50 tools, the chance for a new one is 1 in 700. Only the owner may call this.
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

-- The numbers of these tools, in the given order. NULL: the tool is not on record with this price.
-- Its calls would be rejected, so the gateway reports it when it starts.
create function tool_numbers(p_name text[], p_price bigint[]) returns setof smallint
language sql stable security definer set search_path = public, pg_temp as $$
    select t.tool_id from unnest(p_name, p_price) with ordinality as i (name, price, ord)
      left join tool t on t.name = i.name and i.price in (t.price, t.price_before)
     order by i.ord
$$;

-- Write an entry that does not belong to a call, and change the balance. False: the account already
-- has an entry of this kind and reference. All such entries are written here; the functions that
-- call this one decide when an entry is allowed.
create function ledger_book(p_account uuid, p_kind smallint, p_amount bigint, p_reference uuid,
                            p_note text)
returns boolean language plpgsql as $$
declare
    now_at constant timestamptz := ms_to_time(ledger_now_ms());
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
               head = chain_entry(head, entry_record(account_id, seq + 1, p_kind, p_amount, posted + p_amount,
                                                     p_reference, null, null, now_at)),
               granted = granted + case when p_kind in (1, 5) then p_amount else 0 end,
               purchased = purchased + case when p_kind in (2, 6, 7) then p_amount else 0 end
         where account_id = p_account returning seq, posted, head
    )
    insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, note, at, hash)
    select p_account, seq, p_kind, p_amount, posted, p_reference, p_note, now_at, head
      from balance;
    return true;
end $$;

-- Give credits without a payment: kind 1 signup_grant, 5 adjustment, which may also take credits.
-- False: it was done before with this reference. What the account owes for reversed payments is
-- collected at once (007-orders.sql).
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

-- Lock an account's row until the transaction ends. Every change to the account, its tokens or its
-- state begins with this, so that it does not run at the same time as a batch of a gateway. The row
-- gets a new version, so that a reader that caches the rights of the account and its tokens can see
-- the change.
create function account_lock(p_account uuid) returns void language sql
security definer set search_path = public, pg_temp as $$
    update account_balance set seq = seq where account_id = p_account
$$;

-- Change the caps of a token that was created with caps; NULL: no cap. False: it was created
-- without, and never gets any.
create function token_cap(p_account uuid, p_token uuid, p_daily bigint, p_total bigint)
returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
    perform account_lock(p_account);
    update token set cap_daily = p_daily, cap_total = p_total
     where account_id = p_account and token_id = p_token and spent_total is not null;
    return found;
end $$;

-- ---- large responses ----

-- Store a piece of the response of a call with an idempotency key and an open hold. The call may be
-- charged only afterwards. NULL: the hold has ended. This waits for no lock. Pieces of a call that
-- is not charged are unreachable, and stay until they expire.
create function large_response_put(p_account uuid, p_hold uuid, p_piece smallint, p_size integer, p_bytes bytea)
returns boolean language sql security definer set search_path = public, pg_temp as $$
    insert into large_response (account_id, hold_id, piece, size, bytes, expires_at)
    select h.account_id, h.hold_id, p_piece, p_size, p_bytes, h.expires_at + interval '24 hours' from hold h
     where h.account_id = p_account and h.hold_id = p_hold and h.state = 1 and h.idempotency_key is not null
    returning true
$$;

-- A piece of the response of the charged call with this key. p_token: the digest of a token of the
-- account. This waits for no lock.
create function large_response_get(p_account uuid, p_token bytea, p_key bytea, p_piece smallint)
returns table (size integer, bytes bytea)
language sql stable security definer set search_path = public, pg_temp as $$
    select r.size, r.bytes
      from idempotency k
      join large_response r on r.account_id = k.account_id and r.hold_id = k.hold_id and r.piece = p_piece
     where k.account_id = p_account and k.key_hash = p_key and k.is_done
       and exists (select from token t where t.account_id = p_account and t.digest = p_token)
$$;

-- The gateway has read all pieces, and none is damaged: the customer gets the response, so the
-- charge is never refunded. False: it was refunded meanwhile, which deletes the key.
--
-- This follows the lock order above: it waits for the account's balance before it writes the hold,
-- so it cannot deadlock with a batch, and a cancel runs before or after it.
create function large_response_replayed(p_account uuid, p_token bytea, p_key bytea) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
    if not exists (select from token t where t.account_id = p_account and t.digest = p_token) then
        return false;
    end if;
    perform from account_balance where account_id = p_account for no key update;
    update hold h set is_replayed = true
      from idempotency k
     where k.account_id = p_account and k.key_hash = p_key and k.is_done and k.body is null
       and h.account_id = k.account_id and h.hold_id = k.hold_id;
    return found;
end $$;
