-- tests/faults/widen.sql - what a later migration may do while gateways of this version run: the
-- result of ledger_batch() has another column at its end.
do $do$
declare
    settle text := pg_get_functiondef('ledger_settle'::regproc);
    admit  text := pg_get_functiondef('ledger_admit_plain'::regproc);
begin
    alter type ledger_outcome add attribute later integer;
    execute replace(settle, 'null::uuid' || chr(10), 'null::uuid, null::integer' || chr(10));
    execute replace(admit, ')::ledger_outcome', ', null)::ledger_outcome');
end $do$;
