-- gateway/sql/005-token-check.sql - the same question, planned once: a function in language sql is
-- parsed and planned at each call, which cost more than the answer.

create or replace function token_check(p_account uuid[], p_token bytea[])
returns table (ord integer, outcome text) language plpgsql
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
                when a.state <> 'active' then 'account_' || a.state end
      from unnest(p_account, p_token) with ordinality as i (account_id, digest, ord)
      left join token t on t.account_id = i.account_id and t.digest = i.digest
      left join account a on a.account_id = i.account_id;
end $$;
