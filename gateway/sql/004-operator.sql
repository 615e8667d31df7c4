-- gateway/sql/004-operator.sql - what tollctl needs, for a role that owns nothing: it opens accounts,
-- makes tokens and books credits, but changes no entry and no table. The owner's password is then
-- needed for migrations alone, and kept where no server can read it.

grant select on account, account_balance, token, tool, hold, daily_quota, idempotency, pack,
                ledger_entry, audit_log, schema_migration to tollgate_operator;
grant insert on account, account_balance, token, ledger_entry, audit_log to tollgate_operator;
grant update (name, state, limits_off) on account to tollgate_operator;
grant update (posted, seq, granted, purchased) on account_balance to tollgate_operator;
grant update (expires_at, revoked_at) on token to tollgate_operator;
grant select, delete on ledger_secret to tollgate_operator;
grant execute on function ledger_credit(uuid, smallint, bigint, uuid, text) to tollgate_operator;
grant execute on function ledger_end_call(uuid, uuid) to tollgate_operator;
