-- tests/faults/widen.sql - what a later migration may do while gateways of this version run: the
-- results of ledger_batch() and token_check() have another column at their end.
do $do$
declare
    settle text := pg_get_functiondef('ledger_settle'::regproc);
    admit  text := pg_get_functiondef('ledger_admit_plain'::regproc);
    checks text := pg_get_functiondef('token_check'::regproc);
begin
    alter type ledger_outcome add attribute later integer;
    execute replace(settle, 'null::uuid' || chr(10), 'null::uuid, null::integer' || chr(10));
    execute replace(admit, ')::ledger_outcome', ', null)::ledger_outcome');
    drop function token_check;
    execute replace(replace(checks, 'token_id uuid)', 'token_id uuid, later integer)'),
                    't.token_id' || chr(10), 't.token_id, null::integer' || chr(10));
    revoke execute on function token_check from public;
    grant execute on function token_check to tollgate_gateway;
end $do$;
