-- gateway/sql/017-lost-calls.sql - settles calls that ledger_end_call() does not find.

-- Close a call with an open unknown outcome. If the ledger has nothing of the call, because a
-- restore has lost the charge, a hold of 0 credits keeps a late attempt from charging it
-- (ledger_bar). Returns:
-- - voided: not charged;
-- - captured: charged so long ago that nothing shows whether its response was replayed;
-- - NULL: the call is not listed as open.
create function ledger_close_call(p_account uuid, p_call uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform from account_balance where account_id = p_account for no key update;
    if not exists (select from unknown_outcome u
                    where u.account_id = p_account and u.call_id = p_call and u.settled_at is null) then
        return null;
    end if;
    perform ledger_bar(p_account, p_call, ms_to_time(ledger_now_ms()));
    return case when ledger_is_charged(p_call) then 'captured' else 'voided' end;
end $$;

-- ---- rights ----

revoke execute on function ledger_close_call(uuid, uuid) from public;
grant execute on function ledger_close_call(uuid, uuid) to tollgate_operator;
