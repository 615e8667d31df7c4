"""tests/kit/database/attacker/moves.py - what an attacker with a stolen password tries in addition
to its functions and tables.

Most attempts are rejected. What succeeds stays in force for the next calls on the same connection,
and the judge sees the effect on the books. {table}, {function}, {role}, {setting} and {ms} are
filled in.
"""

from kit.database.attacker.grammar import Statement

SETTINGS = """synchronous_commit=off session_replication_role=replica row_security=off lock_timeout=1
    default_transaction_isolation=serializable check_function_bodies=off enable_indexscan=off work_mem=64
    plan_cache_mode=force_custom_plan timezone=Asia/Tokyo datestyle=SQL,DMY bytea_output=escape
    intervalstyle=iso_8601 extra_float_digits=-15 transform_null_equals=on array_nulls=off
    standard_conforming_strings=off escape_string_warning=off search_path=pg_temp,public search_path=pg_temp
    search_path='' role=tollgate_owner jit=on tollgate.anything=1 tollgate.role=tollgate_owner""".split()

# The ledger's clock, in tests: tried as often as all others together.
CLOCK = """
set tollgate.clock_shift_ms = '{ms}'
select set_config('tollgate.clock_shift_ms', '{ms}', false)
set tollgate.clock_shift_ms = 'x'
alter role current_user set tollgate.clock_shift_ms = '{ms}'
alter database {database} set tollgate.clock_shift_ms = '{ms}'
""".strip().splitlines()

MOVES = """
set {setting}
alter role current_user set {setting}
alter database {database} set {setting}
alter system set {setting}
set role {role}
set session authorization {role}
grant {role} to current_user
alter role {role} superuser
create role attacker_friend login
create schema attacker
create table public.attacker (i integer)
create function public.attacker() returns integer language sql as 'select 1'
create or replace function public.ledger_now_ms() returns bigint language sql as 'select 0::bigint'
create function public.ledger_now_ms(integer default 0) returns bigint language sql as 'select 0::bigint'
create operator public.= (leftarg = uuid, rightarg = uuid, function = uuid_ne)
create temp table {table} (like public.{table})
create temp table {table} as select * from public.{table}
create temp view {table} as select * from public.{table} where false
create domain pg_temp.uuid as text
create type pg_temp.ledger_outcome as (ord integer)
create function pg_temp.ledger_now_ms() returns bigint language sql as 'select 0::bigint'
create function pg_temp.sha256(bytea) returns bytea language sql as 'select $1'
create function pg_temp.own() returns bigint language sql security definer as 'select count(*) from public.token'
alter default privileges grant all on tables to public
alter default privileges for role tollgate_owner grant all on tables to public
grant all on {table} to public
alter table {table} disable trigger all
alter table {table} owner to current_user
alter function {function} security invoker
alter function {function} reset search_path
drop table {table} cascade
drop trigger ledger_entry_is_final on ledger_entry
create trigger attacker after insert on {table} for each row execute function ledger_entry_is_final()
create rule attacker as on insert to {table} do instead nothing
create policy attacker on {table} using (true)
create index on {table} ((1))
truncate {table} cascade
lock table {table}
select * from {table} for update
insert into {table} select * from {table} on conflict do nothing
merge into {table} t using (select 1) s on true when matched then delete
copy {table} to stdout
copy {table} to '/tmp/attacker'
copy {table} from program 'id'
copy (select * from {table}) to program 'id'
select lo_import('/etc/passwd')
select lo_from_bytea(0, 'x')
select pg_read_file('/etc/passwd')
select * from pg_stats where tablename = '{table}'
select * from pg_stat_activity
select * from pg_authid
select * from pg_prepared_statements
select query_to_xml('select * from {table}', true, false, '')
select table_to_xml('{table}', true, false, '')
select setval(oid, 1) from pg_class where relkind = 'S'
select nextval(oid) from pg_class where relkind = 'S'
select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user
select pg_reload_conf()
select pg_export_snapshot()
select pg_advisory_lock(1)
create extension dblink
create extension postgres_fdw
create extension pgcrypto
create language plpython3u
create server attacker foreign data wrapper postgres_fdw
select dblink('host=/tmp', 'select 1')
load 'dblink'
listen attacker; notify attacker, 'x'; unlisten *
do $$ begin perform set_config('role', 'tollgate_owner', false); end $$
do $$ begin execute 'update {table} set account_id = null'; end $$
prepare attacker as select * from {table}
declare attacker cursor with hold for select * from {table}
set constraints all deferred
begin isolation level serializable; commit
create publication attacker for all tables
create event trigger attacker on ddl_command_end execute function ledger_entry_is_final()
security label on table {table} is 'x'
comment on table {table} is 'x'
refresh materialized view {table}
explain (analyze, verbose) select * from {table}
vacuum full {table}
reindex table {table}
discard all
""".strip().splitlines()

ROLES = ("tollgate_owner", "tollgate_operator", "tollgate_gateway", "tollgate_portal", "postgres",
         "pg_read_all_data", "pg_execute_server_program", "pg_database_owner")
SHIFTS = (60_001, 7_200_000, 86_400_000, 3 * 86_400_000, 400 * 86_400_000, -7_200_000, -90_000_000, 1 << 62, -(1 << 62))


def move(rng, database, tables, functions):
    """Any one of the moves."""
    template = rng.choice(CLOCK[:1] * 4 + CLOCK) if rng.random() < 0.3 else rng.choice(MOVES)
    text = template.format(database=database, table=rng.choice(tables), function=rng.choice(functions),
                           role=rng.choice(ROLES), setting=rng.choice(SETTINGS).replace("=", " = ", 1),
                           ms=rng.choice(SHIFTS))
    return Statement(template.split("{")[0].strip(), text, None, {})
