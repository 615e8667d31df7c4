-- gateway/sql/006-members.sql - the people behind accounts: members, how they sign in, the mail they get.
--
-- No row is a usable secret: a link is mailed as its id with a MAC under a key that is not here, of a
-- cookie or token there is a digest, of a password an argon2id string, and a two-factor secret is
-- sealed with that key. Members, links, sessions, devices, mail and jobs stay in one database when
-- accounts move to others, so they name accounts without foreign keys.

create table member (
    member_id    uuid primary key,
    account_id   uuid not null unique, -- one member an account, for now
    email        text not null check (length(email) between 3 and 254),
    email_key    text not null unique, -- common/net/email.h: one mailbox has one
    password     text not null,        -- '': none opens it, only a reset does
    password_at  timestamptz not null,
    totp_secret  bytea,                -- two-factor is on
    totp_at      timestamptz,          -- since
    totp_step    bigint not null default 0, -- no code of this step or before is taken
    low_at       bigint not null default 20 check (low_at between 0 and 1000000),
    low_armed    boolean not null default true, -- a mail goes out when the balance falls below low_at
    locked_at    timestamptz,          -- by the operator
    delete_at    timestamptz,          -- asked for by the member
    created_at   timestamptz not null,
    signed_in_at timestamptz,
    check ((totp_secret is null) = (totp_at is null))
);
create index member_delete_at on member (delete_at) where delete_at is not null;

-- What was mailed to be opened once. An undo link reserves its address for the member while it lives.
create table link (
    link_id    uuid primary key,
    kind       text not null check (kind in ('signup', 'reset', 'email', 'undo')),
    member_id  uuid references member on delete cascade, -- NULL: a sign-up, or nobody's
    email      text not null, -- signup, email: the address it proves; undo: the one it brings back
    email_key  text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at    timestamptz,
    check (kind <> 'signup' or member_id is null)
);
create index link_member on link (member_id) where member_id is not null;
create index link_email_key on link (email_key);
create index link_expiry on link (expires_at);

create table session (
    session_id   uuid primary key, -- stays while the cookie changes
    cookie       bytea not null unique check (octet_length(cookie) = 32), -- SHA-256
    member_id    uuid not null references member on delete cascade,
    is_half      boolean not null, -- the password was right, the code is still to come
    is_kept      boolean not null,
    misses       smallint not null default 0, -- wrong codes so far
    created_at   timestamptz not null,
    seen_at      timestamptz not null, -- to a minute
    expires_at   timestamptz not null,
    confirmed_at timestamptz, -- the password, and code, was given last
    network      text,
    agent        text check (length(agent) <= 200)
);
create index session_member on session (member_id);
create index session_expiry on session (expires_at);

-- A browser in which somebody signed in before.
create table device (
    device    bytea primary key check (octet_length(device) = 32), -- SHA-256 of its cookie
    member_id uuid not null references member on delete cascade,
    seen_at   timestamptz not null
);
create index device_member on device (member_id);
create index device_seen on device (seen_at);

create table recovery_code (
    member_id uuid not null references member on delete cascade,
    code      bytea not null, -- its MAC
    used_at   timestamptz,
    primary key (member_id, code)
);

-- Buckets by the generic cell rate algorithm (ITU-T I.371): full again at full_at. Lost in a crash,
-- which gives everybody a fresh start.
create unlogged table throttle (
    key     bytea primary key,
    full_at timestamptz not null
);
create index throttle_full on throttle (full_at);

-- The outbox: written in the transaction of what it tells.
create table mail (
    mail_id    uuid primary key,
    member_id  uuid,
    recipient  text not null,
    template   text not null, -- none: for nobody, dropped
    data       jsonb,
    link_id    uuid,
    state      smallint not null default 1 check (state between 1 and 4),
    attempts   integer not null default 0,
    created_at timestamptz not null,
    next_at    timestamptz not null,
    sent_at    timestamptz,
    error      text
);
create index mail_next on mail (next_at) where state = 1;
create index mail_member on mail (member_id, created_at desc) where member_id is not null;
create index mail_created on mail (created_at);
comment on column mail.state is '1 waits, 2 sent, 3 failed, 4 dropped';

-- Work that comes again; whoever holds the row does it.
create table job (
    name   text primary key,
    due_at timestamptz not null,
    cursor text
);

create function ledger_now() returns timestamptz language sql volatile as $$
    select ms_to_time(ledger_now_ms())
$$;

-- ---- tokens ----

-- Store a token's digest. again: the account has a token of this id already, whatever became of it.
-- Others: suspended, closed, full (50 tokens that open something), scope (it names no tool or group),
-- past (it would be expired already), session (kind 2: there is no such session of the account's
-- member, and a token of that kind ends when it does).
create function token_add(p_account uuid, p_token uuid, p_digest bytea, p_name text, p_last4 text,
                          p_scopes text[], p_expires_at timestamptz, p_cap_daily bigint default null,
                          p_cap_total bigint default null, p_session uuid default null)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    most   constant integer := 50;
    now_at timestamptz;
    status text;
    until  timestamptz := p_expires_at;
begin
    perform account_lock(p_account);
    now_at := ledger_now();
    select a.state into status from account a where a.account_id = p_account;
    if status is null then
        raise exception 'there is no account %', p_account;
    elsif exists (select from token where account_id = p_account and token_id = p_token) then
        return 'again';
    elsif status <> 'active' then
        return status;
    elsif p_session is not null then
        select s.expires_at into until from session s join member m using (member_id)
         where s.session_id = p_session and m.account_id = p_account and not s.is_half
           for key share of s; -- who ends it now waits, and finds the token
        if until is null then
            return 'session';
        end if;
    elsif length(p_name) not between 1 and 60 or p_expires_at > now_at + interval '3653 days' then
        raise exception 'a name has 1 to 60 characters, and a token lives at most ten years';
    elsif (select count(*) from token where account_id = p_account and kind = 1 and revoked_at is null
              and (expires_at <= now_at) is not true) >= most then
        return 'full';
    elsif exists (select from unnest(p_scopes) s where s <> 'account'
                     and not exists (select from tool t where s in (t.name, t.tool_group))) then
        return 'scope';
    end if;
    if until <= now_at then
        return 'past';
    end if;
    insert into token (account_id, token_id, digest, name, last4, scopes, created_at, expires_at, cap_daily,
                       cap_total, spent_total, kind, session_id)
    values (p_account, p_token, p_digest, p_name, p_last4, p_scopes, now_at, until, p_cap_daily,
            p_cap_total, case when num_nonnulls(p_cap_daily, p_cap_total) > 0 then 0 end,
            case when p_session is null then 1 else 2 end, p_session);
    return 'done';
end $$;

-- Refuse a token from this commit on; p_token NULL: all of the account's. again: it was revoked before;
-- none: the account has no such token.
create function token_end(p_account uuid, p_token uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform account_lock(p_account);
    update token set revoked_at = ledger_now()
     where account_id = p_account and (token_id = p_token or p_token is null) and revoked_at is null;
    return case when found then 'done'
                when exists (select from token where account_id = p_account and token_id = p_token)
                     or p_token is null then 'again'
                else 'none' end;
end $$;

-- ---- sessions ----

-- End sessions of a member, with their playground tokens: p_only, or all but p_but; both may be NULL.
-- Returns how many.
create function session_end(p_member uuid, p_only uuid, p_but uuid) returns integer language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    account constant uuid := (select m.account_id from member m where m.member_id = p_member);
    ended   uuid[];
begin
    perform account_lock(account);
    with gone as (
        delete from session s
         where s.member_id = p_member and (s.session_id = p_only or p_only is null)
           and s.session_id is distinct from p_but
        returning s.session_id
    )
    select coalesce(array_agg(g.session_id), '{}') into ended from gone g;
    update token set revoked_at = ledger_now()
     where session_id = any (ended) and revoked_at is null;
    return cardinality(ended);
end $$;

-- ---- members ----

-- Is an address a member's, or reserved for one who may take it back? p_but: not counting this member.
create function email_is_taken(p_email_key text, p_but uuid) returns boolean language sql stable
set search_path = pg_catalog, public, pg_temp as $$
    select exists (select from member m
                    where m.email_key = p_email_key and m.member_id is distinct from p_but)
        or exists (select from link l
                    where l.kind = 'undo' and l.email_key = p_email_key and l.used_at is null
                      and l.expires_at > ledger_now() and l.member_id is distinct from p_but)
$$;

-- A link of a kind that may still be opened, its row locked until the transaction ends; NULLs: it may
-- not. The balance of its member's account is locked before it, as by every writer.
create function link_open(p_link uuid, p_kind text) returns link language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    select account_lock(m.account_id) from link l join member m using (member_id) where l.link_id = p_link;
    select l from link l
     where l.link_id = p_link and l.kind = p_kind and l.used_at is null and l.expires_at > ledger_now()
       for update
$$;

-- Open an account for whoever proved an address by a sign-up link: account, balance, member, grant. The
-- link is used up. used: it may not be opened (any more); taken: the address belongs to a member.
create function member_open(p_link uuid, p_account uuid, p_member uuid, p_name text, p_password text,
                            p_grant bigint)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    l      link := link_open(p_link, 'signup');
    now_at timestamptz := ledger_now();
begin
    if p_grant not between 0 and 10000 then
        raise exception 'a sign-up grant is at most 10000 credits';
    elsif l.link_id is null then
        return 'used';
    elsif email_is_taken(l.email_key, null) then
        return 'taken';
    end if;
    update link set used_at = now_at where link_id = p_link;
    insert into account (account_id, name, created_at) values (p_account, p_name, now_at);
    insert into account_balance (account_id) values (p_account);
    insert into member (member_id, account_id, email, email_key, password, password_at, created_at)
    values (p_member, p_account, l.email, l.email_key, p_password, now_at, now_at);
    if p_grant > 0 then
        perform ledger_credit(p_account, 1::smallint, p_grant, p_account, 'sign-up grant');
    end if;
    insert into audit_log (at, actor, action, account_id)
    values (now_at, 'member:' || p_member, 'sign-up', p_account);
    return 'done';
exception when unique_violation then -- another link of the same address was quicker
    return 'taken';
end $$;

-- Give a member the address that a link proved, in the session in which he opens it. His other sessions
-- and his links for resetting the password end. used, taken: as member_open().
create function email_change(p_link uuid, p_member uuid, p_session uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    l      link := link_open(p_link, 'email');
    now_at timestamptz := ledger_now();
begin
    if l.member_id is distinct from p_member or l.link_id is null then
        return 'used';
    elsif email_is_taken(l.email_key, p_member) then
        return 'taken';
    end if;
    update member set email = l.email, email_key = l.email_key where member_id = p_member;
    update link set used_at = now_at
     where (link_id = p_link or member_id = p_member and kind = 'reset') and used_at is null;
    perform session_end(p_member, null, p_session);
    return 'done';
exception when unique_violation then
    return 'taken';
end $$;

-- Bring a member's address back, as it was when the link was made, and shut out whoever changed it:
-- every session, known device and other link ends, no password opens the account until it is reset,
-- two-factor and a deletion asked for since are off. used: as member_open().
create function email_undo(p_link uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    l      link := link_open(p_link, 'undo');
    now_at timestamptz := ledger_now();
    is_new boolean; -- two-factor is
begin
    if l.link_id is null then
        return 'used';
    end if;
    select m.totp_at > l.created_at into is_new from member m where m.member_id = l.member_id for update;
    update member m
       set email = l.email, email_key = l.email_key, password = '', password_at = now_at,
           totp_secret = case when not is_new then m.totp_secret end,
           totp_at = case when not is_new then m.totp_at end,
           delete_at = case when m.delete_at < l.created_at + interval '14 days' then m.delete_at end
     where m.member_id = l.member_id;
    delete from recovery_code where is_new and member_id = l.member_id;
    update link set used_at = now_at where member_id = l.member_id and used_at is null;
    delete from device where member_id = l.member_id;
    perform session_end(l.member_id, null, null);
    return 'done';
end $$;

-- Close the account of a member whose time has come (delete_at), and forget the person: he and what is
-- his goes, and his name and networks everywhere else; ledger and audit stay. early: it has not come;
-- none: there is no such member (any more).
create function member_delete(p_member uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m      member;
    now_at timestamptz := ledger_now();
begin
    perform account_lock((select o.account_id from member o where o.member_id = p_member));
    select * into m from member o where o.member_id = p_member for update;
    if m.member_id is null then
        return 'none';
    elsif (m.delete_at <= now_at) is not true then
        return 'early';
    end if;
    update token set revoked_at = coalesce(revoked_at, now_at), name = '' where account_id = m.account_id;
    update account set state = 'closed', name = 'deleted' where account_id = m.account_id;
    update audit_log set network = null, agent = null
     where account_id = m.account_id and (network is not null or agent is not null);
    delete from mail where member_id = p_member;
    delete from member where member_id = p_member;
    insert into mail (mail_id, recipient, template, created_at, next_at)
    values (gen_random_uuid(), m.email, 'closed', now_at, now_at);
    insert into audit_log (at, actor, action, account_id) values (now_at, 'portal', 'deleted', m.account_id);
    return 'done';
end $$;

-- ---- the throttle ----

-- Take one from each of some buckets, or none from any: bucket i holds p_burst[i], and gets one back
-- every p_each_ms[i]. Returns 0, or in how many ms it is worth another try. Keys are different ones.
-- The planner, which meets an empty table, would read all of it each time when it is full.
create function throttle_take(p_keys bytea[], p_each_ms bigint[], p_burst integer[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
    now_ms constant bigint := ledger_now_ms();
    retry  bigint;
begin
    insert into throttle (key, full_at) -- all come in the order of their keys, so nobody waits in a circle
    select k.key, ms_to_time(now_ms) from unnest(p_keys) k (key) order by k.key
        on conflict do nothing;
    perform 1 from throttle t where t.key = any (p_keys) order by t.key for update;
    select max(greatest(extract(epoch from t.full_at) * 1000, now_ms) + k.each_ms * (1 - k.burst) - now_ms)
      into retry
      from unnest(p_keys, p_each_ms, p_burst) k (key, each_ms, burst) join throttle t on t.key = k.key;
    if retry > 0 then
        return retry;
    end if;
    update throttle t
       set full_at = ms_to_time((greatest(extract(epoch from t.full_at) * 1000, now_ms))::bigint + k.each_ms)
      from unnest(p_keys, p_each_ms) k (key, each_ms)
     where t.key = k.key;
    return 0;
end $$;

-- Give back what throttle_take() took with the same arguments.
create function throttle_give(p_keys bytea[], p_each_ms bigint[]) returns void language plpgsql
security definer set search_path = pg_catalog, public, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
    perform 1 from throttle t where t.key = any (p_keys) order by t.key for update;
    update throttle t set full_at = t.full_at - k.each_ms * interval '1 ms'
      from unnest(p_keys, p_each_ms) k (key, each_ms)
     where t.key = k.key;
end $$;

-- ---- cleaning ----

-- Sessions whose time is over, or that nobody used for two hours, or seven days when they were to be
-- kept.
create function session_is_over(s session, p_now timestamptz) returns boolean language sql immutable as $$
    select s.expires_at <= p_now
        or s.seen_at <= p_now - case when s.is_kept then interval '7 days' else interval '2 hours' end
$$;

-- Remove up to p_limit rows of each kind whose time is over; true: there may be more. Links stay a day
-- longer, so that a page can tell one that was used from none.
create function portal_prune(p_limit integer) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at timestamptz := ledger_now();
    most   integer := 0;
    done   integer;
    s      record;
begin
    for s in select o.member_id, o.session_id from session o
              where session_is_over(o, now_at) order by o.expires_at limit p_limit loop
        perform session_end(s.member_id, s.session_id, null);
        most := most + 1;
    end loop;
    delete from link where link_id in
        (select l.link_id from link l where l.expires_at < now_at - interval '1 day'
          order by l.expires_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from device where device in
        (select d.device from device d where d.seen_at < now_at - interval '1 year'
          order by d.seen_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from throttle where key in
        (select t.key from throttle t where t.full_at < now_at - interval '1 minute'
          order by t.full_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from mail where mail_id in
        (select o.mail_id from mail o where o.created_at < now_at - interval '30 days'
          order by o.created_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    update mail set data = null where mail_id in
        (select o.mail_id from mail o
          where o.created_at < now_at - interval '7 days' and o.state <> 1 and o.data is not null
          order by o.created_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from payment_event where (provider, event_id) in -- 007-orders.sql
        (select e.provider, e.event_id from payment_event e where e.received_at < now_at - interval '400 days'
          order by e.received_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    return greatest(most, done) >= p_limit;
end $$;

-- ---- rights ----

revoke execute on function ledger_now(), token_end(uuid, uuid), session_end(uuid, uuid, uuid),
    email_is_taken(text, uuid), link_open(uuid, text),
    member_open(uuid, uuid, uuid, text, text, bigint), email_change(uuid, uuid, uuid), email_undo(uuid),
    member_delete(uuid), throttle_take(bytea[], bigint[], integer[]), throttle_give(bytea[], bigint[]),
    session_is_over(session, timestamptz), portal_prune(integer),
    token_add(uuid, uuid, bytea, text, text, text[], timestamptz, bigint, bigint, uuid) from public;

-- The portal writes no books: what moves credits, or what a gateway may remember, are functions.
grant execute on function ledger_now_ms(), ms_to_time(bigint), utc_day(timestamptz),
    token_cap(uuid, uuid, bigint, bigint) to tollgate_portal;
grant select on account, account_balance, ledger_entry, hold, tool, pack, audit_log to tollgate_portal;
grant select (account_id, token_id, name, last4, scopes, created_at, expires_at, revoked_at, last_used_at,
              kind, session_id, cap_daily, cap_total, spent_day, spent_today, spent_total)
    on token to tollgate_portal;
grant update (name) on account to tollgate_portal;
grant insert on audit_log to tollgate_portal;
grant select, insert, update, delete on member, link, session, device, recovery_code, mail, job
    to tollgate_portal;
grant execute on function ledger_now(), token_end(uuid, uuid), session_end(uuid, uuid, uuid),
    email_is_taken(text, uuid), link_open(uuid, text),
    member_open(uuid, uuid, uuid, text, text, bigint), email_change(uuid, uuid, uuid), email_undo(uuid),
    member_delete(uuid), throttle_take(bytea[], bigint[], integer[]), throttle_give(bytea[], bigint[]),
    session_is_over(session, timestamptz), portal_prune(integer),
    token_add(uuid, uuid, bytea, text, text, text[], timestamptz, bigint, bigint, uuid) to tollgate_portal;

-- tollctl: helps members who have lost what they need
grant select (member_id, account_id, email, email_key, password_at, totp_at, totp_step, low_at, low_armed,
              locked_at, delete_at, created_at, signed_in_at) on member to tollgate_operator;
grant select (session_id, member_id, is_half, is_kept, misses, created_at, seen_at, expires_at, confirmed_at,
              network, agent) on session to tollgate_operator;
grant select on link, device, recovery_code, mail, job to tollgate_operator;
grant insert, update on member to tollgate_operator;
grant update on link, mail to tollgate_operator;
grant delete on device, recovery_code to tollgate_operator;
grant execute on function ledger_now(), session_end(uuid, uuid, uuid), email_is_taken(text, uuid),
    member_delete(uuid) to tollgate_operator;
