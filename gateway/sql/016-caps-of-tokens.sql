-- gateway/sql/016-caps-of-tokens.sql - what the caps of a token leave counts its own calls only.
--
-- The first version subtracted all calls of the account in the same batch, so with two tokens the
-- rest of a cap was reported too low, and a call near the end of its cap took the slow way.

-- As before (002-ledger.sql): the calls of those accounts that need no special rule. Caps are
-- compared with the sum over the token's calls, the balance with the sum over the account's.
create or replace function plain_admissions(p_items ledger_item[], p_locked uuid[], p_now_ms bigint,
                                 p_address inet[] default null)
returns setof plain_admission language sql stable as $$
    with call as ( -- each call, with sums over the account's calls up to and including it
        select f.*,
               f.known is null and f.key is null and f.class_limit is null and f.daily_limit is null
               and f.since is null and not clock_was_ahead(f.ring_at, p_now_ms)
               and (f.cap_day > utc_day(ms_to_time(f.now_ms))) is not true as is_ordinary,
               (sum(f.amount) over before)::bigint as taken,
               (sum(f.amount) over same_token)::bigint as taken_by_token,
               coalesce(sum(f.amount) filter (where f.ttl_ms is null) over before, 0)::bigint as paid,
               count(*) filter (where f.ttl_ms is null and f.amount > 0) over before as entries,
               cardinality(f.ring_at) - f.past + row_number() over before as live,
               array_agg(f.tool_id) over before as tools,
               row_number() over before = count(*) over (partition by f.account_id) as is_last
          from admission_facts(p_items, p_locked, p_now_ms, p_address) f
         where f.token_id is not null -- a call with an unknown token does not affect the account's own calls
        window before as (partition by f.account_id order by f.ord),
               same_token as (partition by f.account_id, f.token_id order by f.ord)
    ), counted as (
        select c.*, c.global_limit - c.live as global_left, e.same,
               coalesce(c.endpoint_limit - cardinality(e.same), 300) as endpoint_left, -- 300: no limit is looser
               bool_and(c.is_ordinary
                        and has_credits(c.posted, c.held, c.taken)
                        and (c.taken_by_token <= c.cap_left) is not false
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
           case when a.amount = 0 then a.granted else a.cap_left - a.taken_by_token end,
           case when a.amount = 0 then a.purchased end, a.plan
      from counted a
     where a.is_plain
$$;
