-- gateway/sql/004-rights.sql - the rights of the database roles of gateways and tollctl.
--
-- Only the owner writes the tables of money directly: account_balance, hold, ledger_entry,
-- idempotency and daily_quota. Other roles call functions that run with the owner's rights and keep
-- the books consistent. So an attacker who takes over a gateway can make calls with tokens they
-- have seen, and refund calls, but cannot create credits. Only migrations need the owner's
-- password; keep it where no server can read it.

revoke execute on all functions in schema public from public;
grant execute on function ledger_now_ms(), ms_to_time(bigint), utc_day(timestamptz)
    to tollgate_gateway, tollgate_operator;
grant execute on function chain_start(), chain_entry(bytea, bytea),
    entry_record(uuid, bigint, smallint, bigint, bigint, uuid, smallint, uuid, timestamptz) to tollgate_operator;
grant select on test_clock to tollgate_gateway, tollgate_operator, tollgate_portal;

-- gateways
grant execute on function
    ledger_batch(ledger_item[], ledger_item[], boolean, inet[]),
    token_check(uuid[], bytea[], inet[]),
    admission_preview(uuid, bytea, smallint, bigint, integer, integer, integer, integer, inet),
    ledger_sweep(bigint, integer),
    ledger_prune(bigint, integer),
    ledger_secret_agree(bytea),
    large_response_put(uuid, uuid, smallint, integer, bytea),
    large_response_get(uuid, bytea, bytea, smallint),
    large_response_replayed(uuid, bytea, bytea),
    tool_numbers(text[], bigint[]) to tollgate_gateway;

-- tollctl: opens accounts, creates tokens and books credits
grant select on account, account_balance, token, tool, hold, daily_quota, idempotency, pack,
                ledger_entry, ledger_checkpoint, ledger_secret, audit_log, schema_migration to tollgate_operator;
grant select (account_id, hold_id, piece, size, expires_at) on large_response to tollgate_operator;
grant insert on account, token, audit_log to tollgate_operator;
grant insert (account_id) on account_balance to tollgate_operator;
grant update (name, state, limits_off, delete_at) on account to tollgate_operator;
grant update (expires_at, revoked_at) on token to tollgate_operator;
grant delete on ledger_secret to tollgate_operator;
grant execute on function
    networks_are_valid(cidr[]),
    account_lock(uuid),
    token_cap(uuid, uuid, bigint, bigint),
    ledger_credit(uuid, smallint, bigint, uuid, text),
    ledger_end_call(uuid, uuid),
    ledger_invariants(),
    ledger_verify(uuid, uuid, boolean),
    ledger_verify_entries(uuid, uuid, boolean),
    ledger_verify_sums(ledger_sums[], uuid, uuid, boolean),
    ledger_entries_since(uuid, uuid, boolean),
    ledger_holds_of(uuid, uuid, boolean),
    ledger_verify_refunds(ledger_refund_part[], boolean),
    ledger_verify_all(),
    ledger_next_piece(uuid, boolean),
    ledger_set_checkpoint(uuid, uuid) to tollgate_operator;
