-- deploy/database/partition-entries.sql - partition ledger_entry by time, so that you can detach
-- old entries as a whole. Run it once as tollgate_owner with psql; calls continue meanwhile:
--
--     psql -v until='2027-01-01 00:00+00' -f partition-entries.sql
--
-- It rewrites no entry: the existing table becomes the first partition, up to `until`, which must
-- be at least an hour in the future. Creating an index and checking each entry take a minute for
-- ten million entries; the exchange takes milliseconds under a lock. If the script is interrupted,
-- run it again.
--
-- Each partition has its own unique indexes against duplicate entries. The ledger's functions find
-- duplicates in other partitions: they check under the account's lock before they write.

\set ON_ERROR_STOP on
\if :{?margin} \else \set margin '1 hour' \endif

select :'until'::timestamptz < now() + :'margin'::interval as is_too_early,
       (select relkind = 'p' from pg_class where oid = 'ledger_entry'::regclass) as is_done \gset
\if :is_done
\echo ledger_entry is already partitioned
\quit
\endif
\if :is_too_early
do $$ begin raise exception 'until must be later: no entry may be written after it before the script ends'; end $$;
\endif

\echo creating an index with the time ...
drop index concurrently if exists ledger_entry_in_time;
create unique index concurrently ledger_entry_in_time on ledger_entry (account_id, seq, at);

\echo checking that no entry is later than until ...
alter table ledger_entry drop constraint if exists ledger_entry_until;
alter table ledger_entry add constraint ledger_entry_until check (at < :'until'::timestamptz) not valid;
alter table ledger_entry validate constraint ledger_entry_until;

\echo exchanging the tables ...
begin;
set local lock_timeout = '2s';
drop trigger ledger_entry_is_final on ledger_entry;
alter table ledger_entry rename to ledger_entry_first;
create table ledger_entry (like ledger_entry_first including comments including constraints)
    partition by range (at);
alter table ledger_entry drop constraint ledger_entry_until;
create unique index on ledger_entry (account_id, seq, at);
alter table ledger_entry attach partition ledger_entry_first
    for values from (minvalue) to (:'until'::timestamptz);
create trigger ledger_entry_is_final before update or delete or truncate on ledger_entry
    for each statement execute function ledger_entry_is_final();
create trigger ledger_entry_is_final before update or delete or truncate on ledger_entry_first
    for each statement execute function ledger_entry_is_final();

-- Create a partition with its unique indexes, and the trigger that makes entries final.
create function ledger_partition(p_name text, p_bounds text) returns void language plpgsql as $make$
begin
    execute format('create table %I partition of ledger_entry %s', p_name, p_bounds);
    execute format('create unique index on %I (account_id, kind, reference) where kind <> 3', p_name);
    execute format('create unique index on %I (account_id) where kind = 1', p_name);
    execute format('create unique index on %I (reference) where kind = 3', p_name);
    execute format('create trigger ledger_entry_is_final before update or delete or truncate on %I
                    for each statement execute function ledger_entry_is_final()', p_name);
end $make$;

-- Create the partition of a month. Create those of a year at once; entries without a partition go
-- to ledger_entry_later.
create function ledger_partition_month(p_month date) returns void language sql as $make$
    select ledger_partition(to_char(p_month, '"ledger_entry_"YYYY_MM'),
                            format('for values from (%L) to (%L)', p_month::timestamp at time zone 'UTC',
                                   (p_month + interval '1 month')::timestamp at time zone 'UTC'))
$make$;
select ledger_partition('ledger_entry_later', 'default');

-- Grant the same privileges as on the old table.
select format('grant %s on ledger_entry to %I', privilege_type, grantee)
  from information_schema.role_table_grants
 where table_schema = 'public' and table_name = 'ledger_entry_first' and grantee <> current_user \gexec
commit;
analyze ledger_entry;
\echo done
