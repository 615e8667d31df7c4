-- gateway/sql/015-backups.sql - what the backup service (deploy/database/backup) reports.
--
-- Each report is a write, so PostgreSQL archives a segment of its write-ahead log at least once a
-- minute: the age of the last archived segment then shows whether archiving works. Nothing about
-- money is read from here.

create table backup_state (
    is_only     boolean primary key default true check (is_only), -- one row; none before the first report
    reported_at timestamptz not null,
    moved_at    timestamptz,      -- when the repository became another one: older backups no longer count, because
                                  -- the log between them and now is not there; NULL: never
    full_at     timestamptz,      -- when the newest full backup began; NULL: there is none
    backup_at   timestamptz,      -- when the newest backup of any type began
    oldest_at   timestamptz,      -- the end of the oldest one: a restore reaches no earlier time
    backups     integer not null,
    bytes       bigint not null,  -- of all backups in the repository, compressed, without WAL
    error       text              -- why the last backup failed, or the repository cannot be read; NULL: neither
);

-- The newest time before p_now at which a daily backup is due. p_daily: time of day, UTC.
create function backup_boundary(p_now timestamptz, p_daily time) returns timestamptz language sql stable as $$
    select max(at) from (select (date_trunc('day', p_now at time zone 'UTC') + p_daily - interval '1 day' * n)
                                at time zone 'UTC' as at
                           from generate_series(0, 1) as n) as days
     where at <= p_now
$$;

-- Write a report, and return the type of backup that is due: full, diff, or NULL. p_info is the
-- output of `pgbackrest info --output=json` (its times are in seconds since 1970).
--
-- A full backup is due each week. Half a day of tolerance keeps it at p_daily when the first one
-- began at another time of day. It is also due if the newest backup of the last report is no longer
-- there: the repository is another one then, such as one that was used before.
--
-- While the repository cannot be read (code 99), nothing is due, and what was known of it stays.
create function backup_report(p_info jsonb, p_daily time, p_error text) returns text language plpgsql as $$
declare
    now_at timestamptz := ledger_now();
    daily_at timestamptz := backup_boundary(now_at, p_daily);
    unread constant text := 'the repository cannot be read: '
        || (jsonb_path_query_first(p_info, '$[*].repo[*].status ? (@.code == 99).message') #>> '{}');
    was backup_state;
    state backup_state;
begin
    if unread is not null then
        insert into backup_state (reported_at, backups, bytes, error) values (now_at, 0, 0, left(unread, 1000))
            on conflict (is_only) do update set (reported_at, error) = (excluded.reported_at, excluded.error);
        return null;
    end if;
    select * into was from backup_state;
    if was.backup_at > coalesce((select to_timestamp(max((item #>> '{timestamp,start}')::bigint))
                                   from jsonb_path_query(p_info, '$[*].backup[*]') as item), '-infinity') then
        was.moved_at := date_trunc('second', now_at); -- as pgBackRest's times
    end if;
    select true, now_at, was.moved_at, max(b.began_at) filter (where b.type = 'full' and b.counts),
           max(b.began_at) filter (where b.counts), min(b.ended_at) filter (where b.counts), count(*),
           coalesce(sum(b.bytes), 0), nullif(left(p_error, 1000), '')
      into state
      from jsonb_path_query(p_info, '$[*].backup[*]') as item,
           lateral (select item ->> 'type' as type, to_timestamp((item #>> '{timestamp,start}')::bigint) as began_at,
                           to_timestamp((item #>> '{timestamp,stop}')::bigint) as ended_at,
                           (item #>> '{info,repository,delta}')::bigint as bytes) as i,
           lateral (select i.*, (i.began_at < was.moved_at) is not true as counts) as b;
    insert into backup_state select state.* on conflict (is_only) do update
       set (reported_at, moved_at, full_at, backup_at, oldest_at, backups, bytes, error) =
           (excluded.reported_at, excluded.moved_at, excluded.full_at, excluded.backup_at, excluded.oldest_at,
            excluded.backups, excluded.bytes, excluded.error);
    return case when state.full_at is null or state.full_at < daily_at - interval '6 days 12 hours' then 'full'
                when state.backup_at < daily_at then 'diff' end;
end $$;

-- ---- rights ----

revoke execute on function backup_boundary(timestamptz, time), backup_report(jsonb, time, text) from public;
grant select on backup_state to tollgate_portal, tollgate_operator;
