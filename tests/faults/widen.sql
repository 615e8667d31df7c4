-- tests/faults/widen.sql - what a migration of a later version may do while gateways of this one run: what
-- ledger_batch() returns has a column more at its end.
do $do$
declare
    settle text := pg_get_functiondef('ledger_settle'::regproc);
begin
    alter type ledger_outcome add attribute later integer;
    execute replace(settle, 'null::bigint, null::bigint, null::bigint' || chr(10),
                    'null::bigint, null::bigint, null::bigint, null::integer' || chr(10));
end $do$;
