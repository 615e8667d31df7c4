-- gateway/sql/018-token-ids.sql - a check of a token also returns the token's id, for the log.

drop function token_check(uuid[], bytea[], inet[]);

-- The function of 002-ledger.sql, with one more column. token_id: NULL if the token is unknown.
create function token_check(p_account uuid[], p_token bytea[], p_address inet[] default null)
returns table (ord integer, outcome text, token_name text, scopes text, expires_ms bigint,
               cap_daily bigint, spent_today bigint, cap_total bigint, spent_total bigint, is_strict boolean,
               plan_name text, plan_ms bigint, token_id uuid)
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
           t.cap_total, t.spent_total, t.is_strict, p.name, (extract(epoch from a.plan_at) * 1000)::bigint, t.token_id
      from unnest(p_account, p_token) with ordinality as i (account_id, digest, ord)
      left join token t on t.account_id = i.account_id and t.digest = i.digest
      left join account a on a.account_id = t.account_id -- without a valid token, nothing about the account
      left join plan p on p.plan_id = a.plan_id;
end $$;

-- ---- rights ----

revoke execute on function token_check(uuid[], bytea[], inet[]) from public;
grant execute on function token_check(uuid[], bytea[], inet[]) to tollgate_gateway;
