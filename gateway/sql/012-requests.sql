-- gateway/sql/012-requests.sql - the request log: one record for each request with a known token,
-- also for refused ones. Gateways write it after the response, over their own connection, and drop
-- records instead of waiting (gateway/requests/request-log.h). Nothing about money is read from it.

-- A partition for each UTC day, named request_log_20261127. A day ends as a whole: no row is
-- deleted, so that a large day takes no longer than a small one.
create table request_log (
    account_id  uuid not null,
    at          timestamptz not null, -- when the response was sent, by this database's clock
    id          uuid not null,        -- of the request, its hold and its ledger entry
    client_id   text,                 -- the client's X-Request-Id
    token_id    uuid not null,
    tool_id     smallint,
    route       text,                 -- NULL: a call of the tool
    surface     smallint not null,    -- 1 REST, 2 MCP
    is_replayed boolean not null,     -- a stored response
    status      smallint not null,
    code        text,                 -- the first error; NULL: success
    credits     integer not null,     -- charged
    total_us    integer not null,
    queue_us    integer,              -- NULL: the tool did not run
    tool_us     integer,
    bytes_in    integer not null,
    bytes_out   integer not null,
    ignored     smallint not null,    -- unknown fields
    network     text,                 -- of the client's address: /24 of IPv4, /48 of IPv6
    primary key (account_id, at, id)
) partition by range (at);
create index request_log_time on request_log using brin (at); -- to find an id, which has its time

-- Requests by day, for sums without reading the log; kept for longer.
create table request_day (
    account_id uuid not null,
    day        date not null,     -- UTC
    tool_id    smallint not null, -- 0: not a tool
    code       text not null,     -- '': success
    slow       smallint not null, -- request_slow() of the requests' times
    calls      bigint not null,
    primary key (account_id, day, tool_id, code, slow)
) with (fillfactor = 70); -- space for HOT updates
create index request_day_day on request_day using brin (day);

-- Records that a gateway dropped, in hours in which it did.
create table request_loss (
    account_id uuid not null,        -- zeros: of any account
    hour       timestamptz not null, -- in which the first was dropped
    until      timestamptz not null, -- when the last was
    lost       bigint not null,
    primary key (account_id, hour)
);

-- The newest batch of each gateway process, so that a repeated batch is written once.
create table request_writer (
    writer uuid primary key,
    batch  bigint not null,
    at     timestamptz not null
);

create type request_record as (
    token     integer, -- the place of its token in the batch's list, from 1
    age_ms    bigint,  -- since the response was sent
    id        uuid,
    client_id text,
    tool_id   smallint,
    route     text,
    surface   smallint,
    replayed  smallint,
    status    smallint,
    code      text,
    credits   integer,
    total_us  integer,
    queue_us  integer,
    tool_us   integer,
    bytes_in  integer,
    bytes_out integer,
    ignored   smallint,
    network   text
);

create type request_dropped as (
    account_id uuid,
    age_ms     bigint, -- since the first was dropped
    lost       bigint
);

-- The class of a time: below 10, 25, 50, 100, 250, 500 ms, 1, 2.5, 5, 10, 30 s, or longer.
create function request_slow(p_us integer) returns smallint language sql immutable as $$
    select width_bucket(p_us, array[10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000,
                                    10000000, 30000000])::smallint
$$;

-- Make the partitions from p_first to p_last, unless they exist. Its locks wait for no reader and
-- no writer of the log.
create function request_open_days(p_first date, p_last date) returns void language plpgsql as $$
declare
    one date;
    its text;
begin
    for one in select generate_series(p_first, p_last, interval '1 day')::date loop
        its := 'request_log_' || to_char(one, 'YYYYMMDD');
        if to_regclass('public.' || its) is null then
            lock table request_log in share update exclusive mode; -- another session may do it
            if to_regclass('public.' || its) is null then
                execute format('create table public.%I (like public.request_log including constraints'
                               ' including indexes including defaults)', its);
                execute format('alter table public.request_log attach partition public.%I for values from (%L) to (%L)',
                               its, one::timestamp at time zone 'UTC', (one + 1)::timestamp at time zone 'UTC');
            end if;
        end if;
    end loop;
end $$;

-- Write a batch of a gateway: records, and what it dropped. Records whose token does not exist are
-- left out, so a gateway writes only to accounts whose tokens it has seen. A batch with a number
-- that this writer has used changes nothing. Returns how many records were written. Times come from
-- this database's clock, so the gateway's may be wrong.
create function request_write(p_writer uuid, p_batch bigint, p_account uuid[], p_token bytea[],
                              p_records request_record[], p_dropped request_dropped[])
returns bigint language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at  timestamptz := ledger_now();
    day_ms  constant bigint := 86400000;
    written bigint;
begin
    perform set_config('synchronous_commit', 'off', true); -- losing a second of the log is fine
    insert into request_writer as w (writer, batch, at) values (p_writer, p_batch, now_at)
        on conflict (writer) do update set batch = p_batch, at = now_at where w.batch < p_batch;
    if not found then
        return 0;
    end if;
    perform request_open_days(utc_day(now_at) - 1, utc_day(now_at) + 1);
    with known as materialized (
        select k.place, t.account_id, t.token_id
          from unnest(p_account, p_token) with ordinality as k (account_id, digest, place)
          join token t on t.account_id = k.account_id and t.digest = k.digest
    ), record as (
        insert into request_log
        select k.account_id,
               now_at - interval '1 millisecond' * least(greatest(r.age_ms, 0), day_ms),
               r.id, r.client_id, k.token_id, r.tool_id, r.route, r.surface, r.replayed <> 0, r.status, r.code,
               r.credits, r.total_us, r.queue_us, r.tool_us, r.bytes_in, r.bytes_out, r.ignored, r.network
          from unnest(p_records) r join known k on k.place = r.token
        returning account_id, at, tool_id, route, code, total_us
    ), by_day as (
        insert into request_day as d
        select account_id, utc_day(at), case when route is null then coalesce(tool_id, 0) else 0 end,
               coalesce(code, ''), request_slow(total_us), count(*)
          from record group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
            on conflict (account_id, day, tool_id, code, slow) do update set calls = d.calls + excluded.calls
    )
    select count(*) into written from record;
    insert into request_loss as l
    select d.account_id, date_trunc('hour', now_at - interval '1 millisecond' * least(greatest(d.age_ms, 0), day_ms)),
           now_at, sum(d.lost)
      from unnest(p_dropped) d
     where d.lost > 0
       and (d.account_id = '00000000-0000-0000-0000-000000000000'
            or exists (select from account a where a.account_id = d.account_id))
     group by 1, 2 order by 1, 2
        on conflict (account_id, hour) do update set lost = l.lost + excluded.lost, until = excluded.until;
    return written;
end $$;

-- A page of the log, newest first: at most p_limit records that match, of at most 20,000 after
-- p_cursor. NULL or '' means any. p_status: 2xx, 4xx, 5xx or failed. p_token: an id, or playground.
-- p_id: a request's id, or the client's. seq: of the charge's ledger entry. Each row has the cursor
-- of the next page, NULL: this is the last page. Without a match there is one row, with a null id.
create function request_page(p_account uuid, p_from timestamptz, p_to timestamptz, p_tool text, p_token text,
                             p_status text, p_code text, p_slower_ms integer, p_id text, p_cursor text, p_limit integer)
returns table (next text, at timestamptz, id uuid, client_id text, token_id uuid, token_name text, token_last4 text,
               token_kind smallint, tool text, route text, surface smallint, is_replayed boolean, status smallint,
               code text, credits integer, seq bigint, total_us integer, queue_us integer, tool_us integer,
               bytes_in integer, bytes_out integer, ignored smallint, network text)
language sql stable as $$
    with asked as (
        select case when concat(p_tool, p_token, p_status, p_code, p_id) = '' and coalesce(p_slower_ms, 0) = 0
                    then p_limit else 20000 end as depth,
               (select t.tool_id from tool t where t.name = p_tool) as tool_id
    ), looked as materialized (
        select r.* from request_log r
         where r.account_id = p_account and r.at >= p_from and r.at < p_to
           and (r.at, r.id) < (coalesce(timestamptz 'epoch' + interval '1 microsecond'
                                            * nullif(split_part(p_cursor, '.', 1), '')::bigint, p_to),
                               coalesce(nullif(split_part(p_cursor, '.', 2), '')::uuid,
                                        'ffffffff-ffff-ffff-ffff-ffffffffffff'))
         order by r.at desc, r.id desc limit (select depth from asked)
    ), matched as materialized (
        select l.* from looked l
         where (coalesce(p_tool, '') = '' or l.tool_id = (select tool_id from asked))
           and case coalesce(p_token, '')
                    when '' then true
                    when 'playground' then exists (select from token t where t.account_id = p_account
                                                      and t.token_id = l.token_id and t.kind = 2)
                    else l.token_id = nullif(nullif(p_token, ''), 'playground')::uuid end
           and case coalesce(p_status, '')
                    when '' then true when 'failed' then l.code is not null
                    else l.status / 100 = left(p_status, 1)::integer end
           and (coalesce(p_code, '') = '' or l.code = p_code)
           and (coalesce(p_slower_ms, 0) = 0 or l.total_us / 1000 >= p_slower_ms)
           and (coalesce(p_id, '') = '' or l.id::text = lower(p_id) or l.client_id = p_id)
         order by l.at desc, l.id desc limit p_limit
    ), ends as (
        select case when (select count(*) from matched) = p_limit
                    then (select floor(extract(epoch from m.at) * 1000000)::bigint || '.' || m.id
                            from matched m order by m.at, m.id limit 1)
                    when (select count(*) from looked) = (select depth from asked)
                    then (select floor(extract(epoch from l.at) * 1000000)::bigint || '.' || l.id
                            from looked l order by l.at, l.id limit 1) end as next
    )
    select x.next, m.at, m.id, m.client_id, m.token_id, k.name, k.last4, k.kind, t.name, m.route, m.surface,
           m.is_replayed, m.status, m.code, m.credits, e.seq, m.total_us, m.queue_us, m.tool_us, m.bytes_in,
           m.bytes_out, m.ignored, m.network
      from ends x
      left join matched m on true
      left join tool t on t.tool_id = m.tool_id
      left join token k on k.account_id = p_account and k.token_id = m.token_id
      left join ledger_entry e on e.reference = m.id and e.kind = 3 and m.credits > 0
                              and e.account_id = p_account
     order by m.at desc nulls last, m.id desc
$$;

-- Were records of this time dropped, of this account or of any?
create function request_is_incomplete(p_account uuid, p_from timestamptz, p_to timestamptz) returns boolean
language sql stable as $$
    select exists (select from request_loss l
                    where l.account_id in (p_account, '00000000-0000-0000-0000-000000000000')
                      and l.hour < p_to and l.until >= p_from)
$$;

-- The same for gateways: only with the digest of a token of the account.
create function request_find(p_account uuid, p_digest bytea, p_from timestamptz, p_to timestamptz, p_tool text,
                             p_token text, p_status text, p_code text, p_slower_ms integer, p_id text,
                             p_cursor text, p_limit integer)
returns table (next text, at timestamptz, id uuid, client_id text, token_id uuid, token_name text, token_last4 text,
               token_kind smallint, tool text, route text, surface smallint, is_replayed boolean, status smallint,
               code text, credits integer, seq bigint, total_us integer, queue_us integer, tool_us integer,
               bytes_in integer, bytes_out integer, ignored smallint, network text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select p.* from request_page(p_account, p_from, p_to, p_tool, p_token, p_status, p_code, p_slower_ms, p_id,
                                 p_cursor, least(p_limit, 200)) p
     where exists (select from token t where t.account_id = p_account and t.digest = p_digest)
$$;

create function request_has_gaps(p_account uuid, p_digest bytea, p_from timestamptz, p_to timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select request_is_incomplete(p_account, p_from, p_to)
       and exists (select from token t where t.account_id = p_account and t.digest = p_digest)
$$;

-- Drop the oldest day of the log that is older than p_days, and up to p_limit rows of the sums that
-- are older than 400 days. True: there may be more. A reader of that day for more than 200 ms, such
-- as a backup, delays this and is not disturbed. Other readers and writers wait at most that long.
-- Nothing is dropped while the clock is not steady.
create function request_prune(p_days integer, p_limit integer) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at timestamptz := ledger_now();
    oldest text;
    most   integer := 0;
    done   integer;
begin
    if (p_days >= 0) is not true or not clock_is_steady(now_at) then
        return false;
    end if;
    delete from request_day where (account_id, day, tool_id, code, slow) in
        (select d.account_id, d.day, d.tool_id, d.code, d.slow from request_day d
          where d.day < utc_day(now_at) - 400 limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from request_loss where (account_id, hour) in
        (select l.account_id, l.hour from request_loss l
          where l.until < now_at - interval '400 days' limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from request_writer where at < now_at - interval '2 days';
    oldest := (select min(c.relname) from pg_inherits i join pg_class c on c.oid = i.inhrelid
                where i.inhparent = 'public.request_log'::regclass
                  and c.relname < 'request_log_' || to_char(utc_day(now_at) - p_days, 'YYYYMMDD'));
    if oldest is null then
        return most >= p_limit;
    end if;
    perform set_config('lock_timeout', '200ms', true);
    begin
        execute format('alter table public.request_log detach partition public.%I', oldest);
        execute format('drop table public.%I', oldest);
    exception when lock_not_available then
        return false; -- the next run tries again
    end;
    return true;
end $$;

select request_open_days(utc_day(ledger_now()), utc_day(ledger_now()) + 1);

-- ---- rights ----

revoke execute on all functions in schema public from public;
grant execute on function
    request_write(uuid, bigint, uuid[], bytea[], request_record[], request_dropped[]),
    request_find(uuid, bytea, timestamptz, timestamptz, text, text, text, text, integer, text, text, integer),
    request_has_gaps(uuid, bytea, timestamptz, timestamptz) to tollgate_gateway;
grant select on request_log, request_day, request_loss to tollgate_portal, tollgate_operator;
grant execute on function
    request_page(uuid, timestamptz, timestamptz, text, text, text, text, integer, text, text, integer),
    request_is_incomplete(uuid, timestamptz, timestamptz) to tollgate_portal, tollgate_operator;
grant execute on function request_prune(integer, integer) to tollgate_portal;
