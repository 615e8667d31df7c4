-- deploy/database/partition-entries.sql - from now on ledger_entry is a table of partitions by time, so that
-- old entries can be taken out as a whole. Run once, by tollgate_owner, with psql, while calls go on:
--
--     psql -v until='2027-01-01 00:00+00' -f partition-entries.sql
--
-- No entry is rewritten: what there is becomes the first partition, up to `until`, which must lie an hour
-- or more ahead. An index and a look at each entry take a minute for ten million; the exchange itself
-- takes milliseconds under a lock. Stopped in the middle, it is run again.
--
-- A partition has a fence of its own against an entry written twice. What was written in another
-- one is found by the ledger's functions, which look under the account's lock before they write.

\set ON_ERROR_STOP on
\if :{?margin} \else \set margin '1 hour' \endif

select :'until'::timestamptz < now() + :'margin'::interval as is_too_early,
       (select relkind = 'p' from pg_class where oid = 'ledger_entry'::regclass) as is_done \gset
\if :is_done
\echo ledger_entry has partitions already
\quit
\endif
\if :is_too_early
do $$ begin raise exception 'until must lie further ahead: no entry may come behind it before the end'; end $$;
\endif

\echo an index with the time ...
drop index concurrently if exists ledger_entry_in_time;
create unique index concurrently ledger_entry_in_time on ledger_entry (account_id, seq, at);

\echo no entry lies behind it ...
alter table ledger_entry drop constraint if exists ledger_entry_until;
alter table ledger_entry add constraint ledger_entry_until check (at < :'until'::timestamptz) not valid;
alter table ledger_entry validate constraint ledger_entry_until;

\echo the exchange ...
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

-- Make a partition: it gets its fences, and is as final as the whole.
create function ledger_partition(p_name text, p_bounds text) returns void language plpgsql as $make$
begin
    execute format('create table %I partition of ledger_entry %s', p_name, p_bounds);
    execute format('create unique index on %I (account_id, kind, reference) where kind <> 3', p_name);
    execute format('create unique index on %I (account_id) where kind = 1', p_name);
    execute format('create unique index on %I (reference) where kind = 3', p_name);
    execute format('create trigger ledger_entry_is_final before update or delete or truncate on %I
                    for each statement execute function ledger_entry_is_final()', p_name);
end $make$;

-- The partition of a month; make those of a year at once. What has none goes to ledger_entry_later.
create function ledger_partition_month(p_month date) returns void language sql as $make$
    select ledger_partition(to_char(p_month, '"ledger_entry_"YYYY_MM'),
                            format('for values from (%L) to (%L)', p_month::timestamp at time zone 'UTC',
                                   (p_month + interval '1 month')::timestamp at time zone 'UTC'))
$make$;
select ledger_partition('ledger_entry_later', 'default');

-- Whoever might read it still may.
select format('grant %s on ledger_entry to %I', privilege_type, grantee)
  from information_schema.role_table_grants
 where table_schema = 'public' and table_name = 'ledger_entry_first' and grantee <> current_user \gexec
commit;
analyze ledger_entry;
\echo done
