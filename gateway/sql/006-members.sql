-- gateway/sql/006-members.sql - members, how they sign in, and the emails they get.
--
-- No row is a usable secret:
-- - the secret of an emailed link is its id with a MAC, under a key that is not in the database;
-- - cookies and tokens are stored as digests, passwords as argon2id strings;
-- - two-factor secrets are encrypted with that key.
--
-- Members, links, sessions, devices, emails and jobs stay in one database when accounts move to
-- others. So they refer to accounts without foreign keys.

create table member (
    member_id    uuid primary key,
    account_id   uuid not null unique, -- one member per account, for now
    email        text not null check (length(email) between 3 and 254),
    email_key    text not null unique, -- the same for all spellings of a mailbox: common/net/email.h
    password     text not null,        -- '': no password is valid; only a reset sets one
    password_at  timestamptz not null,
    totp_secret  bytea,                -- NULL: two-factor is off
    totp_at      timestamptz,          -- when it was turned on
    totp_step    bigint not null default 0, -- codes of this time step and earlier ones are rejected
    low_at       bigint not null default 20 check (low_at between 0 and 1000000),
    low_armed    boolean not null default true, -- an email is sent when the balance falls below low_at
    locked_at    timestamptz,          -- locked by the operator
    created_at   timestamptz not null,
    signed_in_at timestamptz,
    check ((totp_secret is null) = (totp_at is null))
);

-- One-time links that were emailed. An undo link reserves its address for the member until it is
-- used or expires.
create table link (
    link_id    uuid primary key,
    number     bigint generated always as identity, -- order of creation, even if the clock went back
    kind       text not null check (kind in ('signup', 'reset', 'email', 'undo', 'invoices')),
    member_id  uuid references member on delete cascade, -- NULL: a sign-up, or an address without a member
    email      text not null, -- signup, email, invoices: the address to verify; undo: the address to restore
    email_key  text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at    timestamptz,
    since      timestamptz, -- undo: two-factor and tokens created from then on may be an intruder's
    budgets    text[],      -- signup: the keys in signup_budget that its grant counts in; NULL: not looked up
    check (kind <> 'signup' or member_id is null),
    check ((kind = 'undo') = (since is not null))
);
create index link_member on link (member_id) where member_id is not null;
create index link_email_key on link (email_key);
create index link_expiry on link (expires_at);

create table session (
    session_id   uuid primary key, -- stays the same when the cookie changes
    cookie       bytea not null unique check (octet_length(cookie) = 32), -- SHA-256
    member_id    uuid not null references member on delete cascade,
    is_half      boolean not null, -- the password was correct; the two-factor code is still missing
    is_kept      boolean not null,
    misses       smallint not null default 0, -- wrong codes so far
    created_at   timestamptz not null,
    seen_at      timestamptz not null, -- accurate to a minute
    expires_at   timestamptz not null,
    confirmed_at timestamptz, -- when the password, and the code if any, was last entered
    network      text,
    agent        text check (length(agent) <= 200)
);
create index session_member on session (member_id);
create index session_expiry on session (expires_at);

-- Browsers in which a member has signed in before.
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
    made_at   timestamptz not null,
    used_at   timestamptz,
    primary key (member_id, code)
);

-- The credits of a new account, and how many accounts get them in a UTC day. The limits stop people
-- who create thousands of accounts. An account over a limit opens without credits
-- (account.withheld).
create table signup_policy (
    is_one        boolean primary key default true check (is_one),
    grant_credits integer not null default 100 check (grant_credits between 0 and 10000),
    of_mail_host  integer not null default 9 check (of_mail_host >= 0),   -- for an email domain, or a host of its mail
    of_network    integer not null default 10 check (of_network >= 0),    -- for an IPv4 /24 or an IPv6 /48
    in_all        integer not null default 2000 check (in_all >= 0)
);
insert into signup_policy default values;

-- The grants of each day, by budget. key: `all`, `network <CIDR>`, or a key from
-- portal/entry/mail-hosts.h.
create table signup_budget (
    day    date not null,
    key    text not null check (length(key) <= 300),
    grants integer not null check (grants >= 0),
    primary key (day, key)
);

-- Rate limits by the generic cell rate algorithm (ITU-T I.371). full_at: when the bucket is full
-- again. The table is emptied by a crash of PostgreSQL; then all buckets are full.
create unlogged table throttle (
    key     bytea primary key,
    full_at timestamptz not null
);
create index throttle_full on throttle (full_at);

-- The outbox. An email is written in the transaction that it reports.
create table mail (
    mail_id    uuid primary key,
    member_id  uuid,
    recipient  text not null,
    template   text not null, -- none: not sent, dropped
    data       jsonb,
    link_id    uuid,
    state      smallint not null default 1 check (state between 0 and 4),
    attempts   integer not null default 0,
    created_at timestamptz not null,
    next_at    timestamptz not null,
    sent_at    timestamptz,
    error      text
);
create index mail_next on mail (next_at) where state = 1;
create index mail_unchecked on mail (next_at) where state = 0;
create index mail_member on mail (member_id, created_at desc) where member_id is not null;
create index mail_created on mail (created_at);
comment on column mail.state is '0 waits for the lookup of mail hosts, 1 waits, 2 sent, 3 failed, 4 dropped';

-- Background jobs of the portal. The process that has locked the row runs the job.
create table job (
    name   text primary key,
    due_at timestamptz not null,
    cursor text
);

-- The ledger's clock, as a timestamp.
create function ledger_now() returns timestamptz language sql volatile as $$
    select ms_to_time(ledger_now_ms())
$$;

-- ---- sessions ----

-- Is a session past its end? It expires at p_expires_at, or when it was not used for two hours; for
-- a session with is_kept, seven days.
create function session_is_over(p_expires_at timestamptz, p_seen_at timestamptz, p_is_kept boolean,
                                p_now timestamptz)
returns boolean language sql immutable as $$
    select p_expires_at <= p_now
        or p_seen_at <= p_now - case when p_is_kept then interval '7 days' else interval '2 hours' end
$$;

-- The maximum life of a session.
create function session_lifetime(p_is_kept boolean) returns interval language sql immutable as $$
    select case when p_is_kept then interval '30 days' else interval '12 hours' end
$$;

-- The member of a session that is valid and not half; else NULLs. Every function that changes a
-- member or creates a token in a session begins with this:
-- 1. Lock the balance of the account, as every writer does.
-- 2. Lock the row of the member, and protect the row of the session from deletion. If the session
--    was closed by then, the function changes nothing. A close that comes later waits for the
--    function.
create function session_member(p_session uuid) returns member language plpgsql as $$
declare
    m member;
begin
    perform account_lock(o.account_id) from session s join member o using (member_id)
      where s.session_id = p_session;
    select o.* into m
      from session s join member o using (member_id) join account a using (account_id)
     where s.session_id = p_session and not s.is_half
       and not session_is_over(s.expires_at, s.seen_at, s.is_kept, ledger_now())
       and o.locked_at is null and a.state <> 'closed'
       for no key update of o for key share of s;
    return m;
end $$;

-- Find the valid session of a cookie, given the SHA-256 of the cookie, and its member. Updates
-- seen_at, at most once a minute. No row: the session is unknown or has expired.
create function session_find(p_cookie bytea)
returns table (session_id uuid, member_id uuid, account_id uuid, email text, name text, is_half boolean,
               is_kept boolean, is_suspended boolean, has_two_factor boolean, confirmed_ms bigint, delete_on text)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
    now_at constant timestamptz := ledger_now();
begin
    update session s set seen_at = now_at
     where s.cookie = p_cookie and s.seen_at < now_at - interval '1 minute'
       and not session_is_over(s.expires_at, s.seen_at, s.is_kept, now_at);
    return query
    select s.session_id, s.member_id, m.account_id, m.email, a.name, s.is_half, s.is_kept, a.state <> 'active',
           m.totp_secret is not null, (extract(epoch from now_at - s.confirmed_at) * 1000)::bigint,
           utc_day(a.delete_at)::text
      from session s join member m using (member_id) join account a using (account_id)
     where s.cookie = p_cookie and m.locked_at is null and a.state <> 'closed'
       and not session_is_over(s.expires_at, s.seen_at, s.is_kept, now_at);
end $$;

-- Open a session for a member who entered the password with the hash p_password. True: the session
-- is half; with two-factor on, the code must follow within 5 minutes. NULL: the password has
-- changed since it was checked, or the member is locked.
create function session_open(p_session uuid, p_cookie bytea, p_member uuid, p_password text, p_is_kept boolean,
                             p_network text, p_agent text)
returns boolean language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m       member;
    is_half boolean;
begin
    perform account_lock(o.account_id) from member o where o.member_id = p_member;
    select o.* into m from member o
     where o.member_id = p_member and o.password = p_password and o.locked_at is null;
    if m.member_id is null then
        return null;
    end if;
    is_half := m.totp_secret is not null;
    insert into session (session_id, cookie, member_id, is_half, is_kept, network, agent, created_at, seen_at,
                         confirmed_at, expires_at)
    select p_session, p_cookie, p_member, is_half, p_is_kept, p_network, p_agent, n, n,
           case when not is_half then n end,
           n + case when is_half then interval '5 minutes' else session_lifetime(p_is_kept) end
      from ledger_now() n;
    return is_half;
end $$;

-- Change the cookie of a session and make the session whole, after a correct code or a change of
-- the password. False: the session has expired or is closed.
create function session_renew(p_session uuid, p_cookie bytea) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at constant timestamptz := ledger_now();
begin
    perform account_lock(m.account_id) from session s join member m using (member_id)
      where s.session_id = p_session;
    update session
       set cookie = p_cookie, is_half = false, confirmed_at = now_at,
           expires_at = created_at + session_lifetime(is_kept)
     where session_id = p_session and not session_is_over(expires_at, seen_at, is_kept, now_at);
    return found;
end $$;

-- Note that the password, and the code if any, was just entered correctly.
create function session_confirm(p_session uuid) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update session set confirmed_at = ledger_now() where session_id = p_session
$$;

-- Count a wrong code. Returns the number of wrong codes so far; NULL: the session is closed.
create function session_miss(p_session uuid) returns smallint language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update session set misses = misses + 1 where session_id = p_session returning misses
$$;

-- Close sessions of a member and revoke their playground tokens. p_only: only this session; NULL:
-- all. p_but: except this one; NULL: no exception. Returns how many were closed.
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

-- ---- tokens ----

-- Why an account may neither buy nor get a token:
-- - suspended, closed: its state; closed also for an unknown account;
-- - leaving: its member asked for deletion;
-- - NULL: it may.
-- The caller has locked the account, so that this stays true until the transaction ends.
create function account_obstacle(p_account uuid) returns text language sql stable as $$
    select case when a.state is distinct from 'active' then coalesce(a.state, 'closed')
                when a.delete_at is not null then 'leaving' end
      from (select) one left join account a on a.account_id = p_account
$$;

-- Why a token cannot be created:
-- - again: the account has a token with this id, perhaps revoked or expired;
-- - suspended, closed, leaving: see account_obstacle();
-- - NULL: it can be created.
-- The caller has locked the account.
create function token_obstacle(p_account uuid, p_token uuid) returns text language sql stable as $$
    select case when exists (select from token t where t.account_id = p_account and t.token_id = p_token)
                then 'again' else account_obstacle(p_account) end
$$;

-- Has the account 50 valid tokens of members and of the API? The caller has locked the account.
create function token_is_full(p_account uuid) returns boolean language sql stable as $$
    select count(*) >= 50 from token t
     where t.account_id = p_account and t.kind = 1 and t.revoked_at is null
       and (t.expires_at <= ledger_now()) is not true
$$;

-- Is one of these scopes not a tool, a group or `account`?
create function has_unknown_scope(p_scopes text[]) returns boolean language sql stable as $$
    select exists (select from unnest(p_scopes) s
                    where s <> 'account' and not exists (select from tool t where s in (t.name, t.tool_group)))
$$;

-- Store the digest of a token that the member of a session creates. Returns:
-- - session: the session is closed or has expired;
-- - again, suspended, closed, leaving: see token_obstacle();
-- - full: see token_is_full();
-- - scope: see has_unknown_scope();
-- - past: the expiry is in the past;
-- - done.
create function token_add(p_session uuid, p_token uuid, p_digest bytea, p_name text, p_last4 text,
                          p_scopes text[], p_expires_at timestamptz, p_cap_daily bigint default null,
                          p_cap_total bigint default null, p_is_strict boolean default false,
                          p_networks cidr[] default null)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    owner    constant member := session_member(p_session);
    account  constant uuid := owner.account_id;
    now_at   constant timestamptz := ledger_now();
    obstacle text := token_obstacle(account, p_token);
begin
    if account is null then
        return 'session';
    elsif obstacle is not null then
        return obstacle;
    elsif length(p_name) not between 1 and 60 or p_expires_at > now_at + interval '3653 days' then
        raise exception 'a token name has 1 to 60 characters, and a token expires within ten years';
    elsif token_is_full(account) then
        return 'full';
    elsif has_unknown_scope(p_scopes) then
        return 'scope';
    elsif p_expires_at <= now_at then
        return 'past';
    end if;
    insert into token (account_id, token_id, digest, name, last4, scopes, created_at, expires_at, cap_daily,
                       cap_total, is_strict, networks, spent_total, created_by)
    values (account, p_token, p_digest, p_name, p_last4, p_scopes, now_at, p_expires_at, p_cap_daily,
            p_cap_total, p_is_strict, p_networks, case when num_nonnulls(p_cap_daily, p_cap_total) > 0 then 0 end,
            'member:' || owner.member_id);
    return 'done';
end $$;

-- Store the digest of a session's playground token, which expires with the session. Returns
-- session, a result of token_obstacle(), or done.
create function token_add_own(p_session uuid, p_token uuid, p_digest bytea, p_last4 text)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    account  constant uuid := (session_member(p_session)).account_id;
    obstacle text := token_obstacle(account, p_token);
begin
    if account is null then
        return 'session';
    elsif obstacle is not null then
        return obstacle;
    end if;
    insert into token (account_id, token_id, digest, name, last4, created_at, expires_at, kind, session_id)
    select account, p_token, p_digest, 'playground', p_last4, ledger_now(), s.expires_at, 2, p_session
      from session s where s.session_id = p_session;
    return 'done';
end $$;

-- Revoke a token; p_token NULL: all tokens of the account. Returns done; again: it was revoked
-- before; none: the account has no such token. Once this commits, calls with the token are
-- rejected.
create function token_end(p_account uuid, p_token uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    is_done boolean;
begin
    perform account_lock(p_account);
    update token set revoked_at = ledger_now()
     where account_id = p_account and (token_id = p_token or p_token is null) and revoked_at is null;
    is_done := found;
    perform oauth_close(p_account, 'account'); -- 009-apps.sql
    if p_token is null then
        delete from oauth_code where account_id = p_account and used_at is null;
    end if;
    return case when is_done then 'done'
                when exists (select from token where account_id = p_account and token_id = p_token)
                     or p_token is null then 'again'
                else 'none' end;
end $$;

-- Change the caps of a token, as token_cap(), for the member of a session. False also if the
-- session is closed or has expired.
create function token_recap(p_session uuid, p_token uuid, p_daily bigint, p_total bigint) returns boolean
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    select coalesce(token_cap((session_member(p_session)).account_id, p_token, p_daily, p_total), false)
$$;

-- ---- devices ----

-- Has the member signed in with this browser before?
create function device_is_known(p_device bytea, p_member uuid) returns boolean language sql stable
security definer set search_path = pg_catalog, public, pg_temp as $$
    select exists (select from device d where d.device = p_device and d.member_id = p_member)
$$;

-- Note that the member signed in with this browser again. False: the browser is not known.
create function device_see(p_device bytea, p_member uuid) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    update device set seen_at = ledger_now() where device = p_device and member_id = p_member;
    return found;
end $$;

-- Remember this browser of the member.
create function device_add(p_device bytea, p_member uuid) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    insert into device (device, member_id, seen_at) values (p_device, p_member, ledger_now())
$$;

-- ---- links ----

-- Does an address belong to a member, or is it reserved by an undo link? p_but: ignore this member.
create function email_is_taken(p_email_key text, p_but uuid) returns boolean language sql stable
set search_path = pg_catalog, public, pg_temp as $$
    select exists (select from member m
                    where m.email_key = p_email_key and m.member_id is distinct from p_but)
        or exists (select from link l
                    where l.kind = 'undo' and l.email_key = p_email_key and l.used_at is null
                      and l.expires_at > ledger_now() and l.member_id is distinct from p_but)
$$;

-- A link of this kind that can still be opened; NULLs: it cannot.
-- 1. Lock the balance of the account of the link's member, as every writer does.
-- 2. Lock the link until the transaction ends.
create function link_open(p_link uuid, p_kind text) returns link language sql as $$
    select account_lock(m.account_id) from link l join member m using (member_id) where l.link_id = p_link;
    select l from link l
     where l.link_id = p_link and l.kind = p_kind and l.used_at is null and l.expires_at > ledger_now()
       for update
$$;

-- Create a link and the email with it. An email with template confirm waits until the mail hosts of
-- its address are looked up.
create function link_mail(p_link uuid, p_mail uuid, p_kind text, p_lives interval, p_member uuid, p_email text,
                          p_email_key text, p_recipient text, p_template text)
returns void language sql as $$
    insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at)
    select p_link, p_kind, case when p_kind <> 'signup' then p_member end, p_email, p_email_key, n, n + p_lives
      from ledger_now() n;
    insert into mail (mail_id, member_id, recipient, template, link_id, state, created_at, next_at)
    select p_mail, p_member, p_recipient, p_template, p_link, case p_template when 'confirm' then 0 else 1 end, n, n
      from ledger_now() n
$$;

-- Someone signs up with an address. The same rows are written for every address. A member gets an
-- email at the address on record that says so; the link is not sent and opens nothing.
create function link_sign_up(p_link uuid, p_mail uuid, p_email text, p_email_key text) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    select link_mail(p_link, p_mail, 'signup', interval '24 hours', m.member_id, p_email, p_email_key,
                     coalesce(m.email, p_email), case when m.member_id is null then 'confirm' else 'already' end)
      from (select) one left join member m on m.email_key = p_email_key
$$;

-- Someone has forgotten their password. The email goes to the address on record, never to the
-- address as typed: a+b@ may be another person's mailbox. For an address without a member the same
-- rows are written, and nothing is sent.
create function link_forgot(p_link uuid, p_mail uuid, p_email text, p_email_key text) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    select link_mail(p_link, p_mail, 'reset', interval '30 minutes', m.member_id, coalesce(m.email, p_email),
                     p_email_key, coalesce(m.email, p_email),
                     case when m.member_id is null then 'none' else 'reset' end)
      from (select) one left join member m on m.email_key = p_email_key
$$;

-- Store the budgets that the grant of a sign-up counts in (portal/entry/mail-hosts.h). Its email
-- can now be sent.
create function link_budgets(p_link uuid, p_budgets text[]) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update link set budgets = p_budgets where link_id = p_link and kind = 'signup' and used_at is null;
    update mail set state = 1, attempts = 0, next_at = ledger_now(), error = null where link_id = p_link and state = 0
$$;

-- ---- sign-up ----

-- The credits of a new account, within the budgets.
create function signup_credits() returns integer language sql stable
security definer set search_path = pg_catalog, public, pg_temp as $$
    select grant_credits from signup_policy
$$;

-- Take one grant from each of these budgets of today. False: one of them is used up, and nothing is
-- taken.
create function signup_budget_take(p_keys text[]) returns boolean language plpgsql as $$
declare
    today  constant date := utc_day(ledger_now());
    policy signup_policy;
begin
    select * into policy from signup_policy;
    insert into signup_budget (day, key, grants) -- in order of key, so that sessions cannot deadlock
    select today, k.key, 0 from (select distinct unnest(p_keys) as key) k order by k.key
        on conflict do nothing;
    perform 1 from signup_budget b where b.day = today and b.key = any (p_keys) order by b.key for update;
    if exists (select from signup_budget b
                where b.day = today and b.key = any (p_keys)
                  and b.grants >= case split_part(b.key, ' ', 1) when 'all' then policy.in_all
                                       when 'network' then policy.of_network else policy.of_mail_host end) then
        return false;
    end if;
    update signup_budget set grants = grants + 1 where day = today and key = any (p_keys);
    return true;
end $$;

-- The budgets of a sign-up. If its mail hosts were not looked up, it counts for its domain.
create function signup_budgets(l link, p_network text) returns text[] language sql immutable as $$
    select array['all', 'network ' || p_network]
           || coalesce(l.budgets, array['domain ' || substr(l.email_key, strpos(l.email_key, '@') + 1)])
$$;

-- Open an account for a person who verified an address with a sign-up link: account, balance,
-- member and grant. The link is used up. p_network: where the link was opened, an IPv4 /24 or IPv6
-- /48. Returns:
-- - done;
-- - withheld: done, but a budget of today is used up, so the account has no credits yet;
-- - used: the link cannot be opened, or no longer;
-- - taken: the address belongs to a member.
create function member_open(p_link uuid, p_account uuid, p_member uuid, p_name text, p_password text,
                            p_network text)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    credits constant integer := signup_credits();
    now_at  constant timestamptz := ledger_now();
    l       link := link_open(p_link, 'signup');
begin
    if l.link_id is null then
        return 'used';
    elsif email_is_taken(l.email_key, null) then
        return 'taken';
    end if;
    update link set used_at = now_at where link_id = p_link;
    insert into account (account_id, name, created_at, withheld) values (p_account, p_name, now_at, credits);
    insert into account_balance (account_id) values (p_account);
    insert into member (member_id, account_id, email, email_key, password, password_at, created_at)
    values (p_member, p_account, l.email, l.email_key, p_password, now_at, now_at);
    insert into audit_log (at, actor, action, account_id)
    values (now_at, 'member:' || p_member, 'sign-up', p_account);
    if credits = 0 then
        return 'done';
    elsif not signup_budget_take(signup_budgets(l, p_network)) then
        return 'withheld';
    end if;
    perform signup_grant(p_account);
    return 'done';
exception when unique_violation then -- another link of the same address was opened first
    return 'taken';
end $$;

-- Book the sign-up grant that an account has not received yet. Returns its credits; 0: nothing was
-- withheld.
create function signup_grant(p_account uuid) returns bigint language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    credits bigint;
begin
    perform account_lock(p_account);
    select a.withheld into credits from account a where a.account_id = p_account for no key update;
    if credits is null or credits = 0 then
        return 0;
    end if;
    update account set withheld = 0 where account_id = p_account;
    perform ledger_credit(p_account, 1::smallint, credits, p_account, 'sign-up grant');
    return credits;
end $$;

-- ---- members: signing in ----

-- Note that the member signed in. Returns whether it was the first time.
create function member_signed_in(p_member uuid) returns boolean language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update member m set signed_in_at = ledger_now() from member old
     where m.member_id = p_member and old.member_id = m.member_id
    returning old.signed_in_at is null
$$;

-- Store a new hash of the same password, with the current parameters.
create function password_rehash(p_member uuid, p_old text, p_new text) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update member set password = p_new where member_id = p_member and password = p_old
$$;

-- Set a password with a reset link.
-- - Closed or revoked: the member's sessions, known devices, other reset links and pending changes
--   of address; with p_end_tokens also the account's tokens.
-- - Two-factor stays on.
-- No row: the link cannot be opened, or no longer.
create function password_reset(p_link uuid, p_hash text, p_end_tokens boolean)
returns table (member_id uuid, account_id uuid, email text)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
    l      link := link_open(p_link, 'reset');
    now_at constant timestamptz := ledger_now();
    m      member;
begin
    update member o set password = p_hash, password_at = now_at
     where o.member_id = l.member_id and o.email_key = l.email_key -- email_undo() may have changed it
    returning o.* into m;
    if m.member_id is null then
        return;
    end if;
    update link k set used_at = now_at
     where k.member_id = m.member_id and k.kind in ('reset', 'email') and k.used_at is null;
    delete from device d where d.member_id = m.member_id;
    perform session_end(m.member_id, null, null);
    if p_end_tokens then
        perform token_end(m.account_id, null);
    end if;
    return query select m.member_id, m.account_id, m.email;
end $$;

-- Use up the time step of an authenticator code. False: it was used before, or two-factor is off.
create function totp_use(p_member uuid, p_step bigint) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    update member set totp_step = p_step
     where member_id = p_member and totp_step < p_step and totp_secret is not null;
    return found;
end $$;

-- Use up a recovery code, given its MAC. False: it was used before, or the member has no such code.
create function recovery_use(p_member uuid, p_code bytea) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    update recovery_code set used_at = ledger_now()
     where member_id = p_member and code = p_code and used_at is null;
    return found;
end $$;

-- ---- members: in a session ----
--
-- If the session is closed or has expired, each of these functions returns false or `session`, and
-- changes nothing.

-- Change the name of the account.
create function account_rename(p_session uuid, p_name text) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member := session_member(p_session);
begin
    update account set name = p_name where account_id = m.account_id;
    return found;
end $$;

-- Set the balance below which an email is sent, and start again from the current balance.
create function low_balance_set(p_session uuid, p_low_at bigint) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member := session_member(p_session);
begin
    update member set low_at = p_low_at, low_armed = true where member_id = m.member_id;
    return found;
end $$;

-- Change the password. The member's other sessions, known devices, reset links and pending changes
-- of address become invalid.
create function password_set(p_session uuid, p_hash text) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m      member := session_member(p_session);
    now_at constant timestamptz := ledger_now();
begin
    if m.member_id is null then
        return false;
    end if;
    update member set password = p_hash, password_at = now_at where member_id = m.member_id;
    update link set used_at = now_at
     where member_id = m.member_id and kind in ('reset', 'email') and used_at is null;
    delete from device where member_id = m.member_id;
    perform session_end(m.member_id, null, p_session);
    return true;
end $$;

-- Ask for the deletion of the account. Its tokens are revoked and its open orders cancelled now;
-- the rest is deleted in 14 days. A second request does not move that day. Returns the day; NULL:
-- the session is closed or has expired.
create function deletion_request(p_session uuid) returns date language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m      member := session_member(p_session);
    due_at timestamptz;
begin
    if m.member_id is null then
        return null;
    end if;
    perform token_end(m.account_id, null), order_cancel(m.account_id, null); -- 007-orders.sql
    update account set delete_at = coalesce(delete_at, ledger_now() + interval '14 days')
     where account_id = m.account_id returning delete_at into due_at;
    return utc_day(due_at);
end $$;

-- Withdraw the request for deletion. False also without a request.
create function deletion_cancel(p_session uuid) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member := session_member(p_session);
begin
    update account set delete_at = null where account_id = m.account_id and delete_at is not null;
    return found;
end $$;

-- Turn two-factor on. p_undo: the id of the undo link, which is emailed. again: it is already on.
create function two_factor_on(p_session uuid, p_secret bytea, p_step bigint, p_undo uuid) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member := session_member(p_session);
begin
    if m.member_id is null then
        return 'session';
    elsif m.totp_secret is not null then
        return 'again';
    end if;
    update member set totp_secret = p_secret, totp_at = ledger_now(), totp_step = greatest(totp_step, p_step)
     where member_id = m.member_id;
    perform undo_add(m, p_session, p_undo);
    return 'done';
end $$;

-- Turn two-factor off. again: it is already off.
create function two_factor_off(p_session uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member := session_member(p_session);
begin
    if m.member_id is null then
        return 'session';
    elsif m.totp_secret is null then
        return 'again';
    end if;
    update member set totp_secret = null, totp_at = null where member_id = m.member_id;
    delete from recovery_code where member_id = m.member_id;
    return 'done';
end $$;

-- Replace the recovery codes, given by their MACs. False also if two-factor is off.
create function recovery_set(p_session uuid, p_codes bytea[]) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member := session_member(p_session);
begin
    if m.totp_secret is null then
        return false;
    end if;
    delete from recovery_code where member_id = m.member_id;
    insert into recovery_code (member_id, code, made_at) select m.member_id, c, ledger_now() from unnest(p_codes) c;
    return true;
end $$;

-- ---- who owns the account: docs/decisions/010-account-recovery.md ----

-- Create the undo link of a change in a session.
-- - It restores the member's current address, and is valid for 7 days.
-- - Anything created since the session began, or in the 7 days before now, may be an intruder's.
-- - A requested deletion waits until the link has expired.
create function undo_add(m member, p_session uuid, p_undo uuid) returns void language sql as $$
    insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at, since)
    select p_undo, 'undo', m.member_id, m.email, m.email_key, n, n + interval '7 days',
           least(s.created_at, n - interval '7 days')
      from session s, ledger_now() n where s.session_id = p_session;
    update account set delete_at = greatest(delete_at, ledger_now() + interval '7 days')
     where account_id = m.account_id and delete_at is not null
$$;

-- Ask for another address. Creates a link to the new address that changes it, and an undo link,
-- which the caller emails to the old one. p_sends: the new mailbox may get an email. The same row
-- of `mail` is written for every address. If it belongs to a member, they get an email at the
-- address on record instead. False: the session is closed or has expired.
create function email_request(p_session uuid, p_link uuid, p_undo uuid, p_email text, p_email_key text, p_sends boolean)
returns boolean language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m        member := session_member(p_session);
    owner    member;
    is_taken constant boolean := email_is_taken(p_email_key, m.member_id);
begin
    if m.member_id is null then
        return false;
    end if;
    select * into owner from member o where o.email_key = p_email_key and o.member_id <> m.member_id;
    perform undo_add(m, p_session, p_undo);
    insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at)
    select p_link, 'email', m.member_id, p_email, p_email_key, n, n + interval '24 hours' from ledger_now() n;
    insert into mail (mail_id, member_id, recipient, template, link_id, created_at, next_at)
    select gen_random_uuid(), coalesce(owner.member_id, m.member_id), coalesce(owner.email, p_email),
           case when not p_sends then 'none' when not is_taken then 'email-confirm'
                when owner.member_id is null then 'none' else 'already' end,
           case when not is_taken then p_link end, n, n
      from ledger_now() n;
    return true;
end $$;

-- Change a member's address to the one that a link verified, in a session of this member. The other
-- sessions and reset links become invalid. Returns done, session, or used and taken as
-- member_open().
create function email_change(p_link uuid, p_session uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member := session_member(p_session);
    l link := link_open(p_link, 'email');
begin
    if m.member_id is null then
        return 'session';
    elsif l.member_id is distinct from m.member_id then
        return 'used';
    elsif email_is_taken(l.email_key, m.member_id) then
        return 'taken';
    end if;
    update member set email = l.email, email_key = l.email_key where member_id = m.member_id;
    update link set used_at = ledger_now()
     where (link_id = p_link or member_id = m.member_id and kind = 'reset') and used_at is null;
    perform session_end(m.member_id, null, p_session);
    return 'done';
exception when unique_violation then
    return 'taken';
end $$;

-- Since when two-factor and tokens may be an intruder's: the earliest time of this undo link and
-- the later links of the member.
create function undo_since(p_link uuid) returns timestamptz language sql stable
security definer set search_path = pg_catalog, public, pg_temp as $$
    select min(k.since) from link l join link k on k.member_id = l.member_id and k.number >= l.number
     where l.link_id = p_link and k.kind = 'undo' and k.used_at is null
$$;

-- Restore a member's address with an undo link, and lock out the person who changed it. These
-- become invalid:
-- 1. whatever their age: sessions, known devices, the password, pending changes of address, and a
--    requested deletion;
-- 2. links created after this undo link; an older undo link belongs to an older mailbox and stays
--    valid;
-- 3. two-factor and recovery codes created since undo_since();
-- 4. the tokens p_end, which the owner chose on the page, and tokens created since undo_since()
--    that are not in p_shown, the tokens that the page showed;
-- 5. connected apps made or updated since undo_since(), and codes for apps;
-- 6. addresses for invoices that were asked for since undo_since(), confirmed or not.
-- p_reset: the id for a new reset link, which is emailed. Returns done, or used as member_open().
create function email_undo(p_link uuid, p_reset uuid, p_end uuid[], p_shown uuid[]) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    l        link := link_open(p_link, 'undo');
    begin_at constant timestamptz := undo_since(p_link);
    now_at   constant timestamptz := ledger_now();
    m        member;
begin
    if l.link_id is null then
        return 'used';
    end if;
    update member o
       set email = l.email, email_key = l.email_key, password = '', password_at = now_at,
           totp_secret = case when o.totp_at < begin_at then o.totp_secret end,
           totp_at = case when o.totp_at < begin_at then o.totp_at end
     where o.member_id = l.member_id
    returning o.* into m;
    update account set delete_at = null where account_id = m.account_id and delete_at is not null;
    delete from recovery_code c where c.member_id = m.member_id and (m.totp_at is null or c.made_at >= begin_at);
    update link k set used_at = now_at
     where k.member_id = m.member_id and k.used_at is null and (k.number >= l.number or k.kind = 'email');
    delete from device d where d.member_id = m.member_id;
    perform session_end(m.member_id, null, null);
    update token t set revoked_at = now_at
     where t.account_id = m.account_id and t.revoked_at is null
       and (t.token_id = any (p_end) or t.created_at >= begin_at and t.token_id <> all (coalesce(p_shown, '{}')));
    perform oauth_end_since(m.account_id, begin_at); -- 009-apps.sql
    delete from billing_email b where b.account_id = m.account_id and b.asked_at >= begin_at; -- 011-invoices.sql
    insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at)
    values (p_reset, 'reset', m.member_id, m.email, m.email_key, now_at, now_at + interval '30 minutes');
    return 'done';
end $$;

-- Close the account of a member whose deletion is due (delete_at), and delete personal data: the
-- member with their sessions, links and devices, their emails, the names of account and tokens, and
-- networks and browsers in the audit log. The ledger and the audit log stay. Returns done; early:
-- the deletion is not due; none: unknown member.
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
    elsif not exists (select from account a where a.account_id = m.account_id and a.delete_at <= now_at) then
        return 'early';
    end if;
    update token set revoked_at = coalesce(revoked_at, now_at), name = '', networks = null
     where account_id = m.account_id;
    delete from oauth_code where account_id = m.account_id; -- 009-apps.sql
    delete from oauth_grant where account_id = m.account_id;
    update account set state = 'closed', name = 'deleted', delete_at = null where account_id = m.account_id;
    update audit_log set network = null, agent = null
     where account_id = m.account_id and (network is not null or agent is not null);
    delete from mail where member_id = p_member;
    delete from member where member_id = p_member;
    insert into mail (mail_id, recipient, template, created_at, next_at)
    values (gen_random_uuid(), m.email, 'closed', now_at, now_at);
    insert into audit_log (at, actor, action, account_id) values (now_at, 'portal', 'deleted', m.account_id);
    return 'done';
end $$;

-- Delete one member whose deletion is due. A member who cannot be deleted is recorded, and tried
-- again after an hour. False: nobody is due.
create function deletions_step() returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member;
begin
    select o.* into m from account a join member o using (account_id)
     where a.delete_at <= ledger_now()
       and not exists (select from account_fault f where f.task = 'deletions' and f.account_id = a.account_id
                                                     and f.last_at > ledger_now() - interval '1 hour')
     order by a.delete_at limit 1;
    if m.member_id is null then
        return false;
    end if;
    begin
        perform member_delete(m.member_id);
    exception when integrity_constraint_violation or data_exception or plpgsql_error then
        perform task_failed('deletions', m.account_id, sqlerrm);
    end;
    return true;
end $$;

-- ---- balances that run low ----

-- Check the balance of up to p_limit members after p_after. A member whose balance is below low_at
-- gets one email, and the next one only after the balance was at low_at or above again. No email
-- goes to a member who asked for deletion, whose account is not active, or whose account never got
-- credits. Returns the p_after of the next step; NULL: this was the last.
create function low_balance_find(p_after uuid, p_limit integer) returns uuid language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    with page as materialized (
        select m.member_id, m.email, m.low_at, m.low_armed, a.delete_at, b.posted - b.held as available,
               b.granted + b.purchased as given, a.state
          from member m join account_balance b on b.account_id = m.account_id
               join account a on a.account_id = m.account_id
         where m.member_id > p_after order by m.member_id limit p_limit
    ), armed as (
        update member m set low_armed = true from page p
         where m.member_id = p.member_id and not p.low_armed and p.available >= p.low_at
    ), low as (
        update member m set low_armed = false from page p
         where m.member_id = p.member_id and p.low_armed and p.available < p.low_at
           and p.given > 0 and p.state = 'active' and p.delete_at is null
        returning m.member_id, m.email, p.available, p.low_at
    ), told as (
        insert into mail (mail_id, member_id, recipient, template, data, created_at, next_at)
        select gen_random_uuid(), l.member_id, l.email, 'low-balance',
               jsonb_build_object('available', l.available, 'low_at', l.low_at), n, n
          from low l, ledger_now() n
    )
    select case when count(*) = p_limit then (array_agg(p.member_id order by p.member_id desc))[1] end
      from page p
$$;

-- ---- the throttle ----

-- Take one unit from each of these buckets, or none from any. Bucket i holds p_burst[i] units and
-- gets one back every p_each_ms[i]. The keys must differ. Returns 0, or the ms after which to try
-- again. The settings prevent plans that were made for an empty table and read all of a full one.
-- They also prevent a new plan for each call, which would take a third of its CPU time.
create function throttle_take(p_keys bytea[], p_each_ms bigint[], p_burst integer[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
declare
    now_ms constant bigint := ledger_now_ms();
    retry  bigint;
begin
    insert into throttle (key, full_at) -- in order of key, so that sessions cannot deadlock
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
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
begin
    perform 1 from throttle t where t.key = any (p_keys) order by t.key for update;
    update throttle t set full_at = t.full_at - k.each_ms * interval '1 ms'
      from unnest(p_keys, p_each_ms) k (key, each_ms)
     where t.key = k.key;
end $$;

-- ---- cleaning ----

-- Delete up to p_limit rows of each kind that are past their retention. True: there may be more.
-- Links stay for a day after they expire, so that a page can distinguish a used link from an
-- unknown one.
create function portal_prune(p_limit integer) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at timestamptz := ledger_now();
    most   integer := oauth_prune(p_limit); -- 009-apps.sql
    done   integer;
    s      record;
begin
    for s in select o.member_id, o.session_id from session o
              where session_is_over(o.expires_at, o.seen_at, o.is_kept, now_at) order by o.expires_at limit p_limit loop
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
    delete from signup_budget where (day, key) in
        (select b.day, b.key from signup_budget b where b.day < utc_day(now_at) - 7
          order by b.day limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from account_fault where (task, account_id) in
        (select f.task, f.account_id from account_fault f where f.last_at < now_at - interval '1 day'
          limit p_limit for update skip locked);
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

revoke execute on all functions in schema public from public;

-- The portal reads most tables, but writes members, sessions, devices, links and tokens only
-- through functions. It cannot read digests of tokens and cookies.
-- docs/decisions/011-database-roles.md lists what its password permits.
grant execute on function ledger_now_ms(), ms_to_time(bigint), utc_day(timestamptz) to tollgate_portal;
grant select on account, account_balance, account_fault, ledger_entry, hold, tool, pack, audit_log, member, link, recovery_code
    to tollgate_portal;
grant select (account_id, token_id, name, last4, scopes, created_at, expires_at, revoked_at, last_used_at,
              kind, session_id, cap_daily, cap_total, spent_day, spent_today, spent_total, is_strict, networks,
              created_by, notices)
    on token to tollgate_portal;
grant select (session_id, member_id, is_half, is_kept, misses, created_at, seen_at, expires_at, confirmed_at,
              network, agent) on session to tollgate_portal;
-- For the export: when, not what.
grant select on daily_quota to tollgate_portal;
grant select (account_id, key_hash, hold_id, is_done, expires_at) on idempotency to tollgate_portal;
grant select (account_id, hold_id, piece, size, expires_at) on large_response to tollgate_portal;
grant select (member_id, seen_at) on device to tollgate_portal;
grant insert on audit_log to tollgate_portal;
grant select, insert, update, delete on mail, job to tollgate_portal;
grant execute on function
    ledger_now(),
    session_is_over(timestamptz, timestamptz, boolean, timestamptz),
    session_find(bytea),
    session_open(uuid, bytea, uuid, text, boolean, text, text),
    session_renew(uuid, bytea),
    session_confirm(uuid),
    session_miss(uuid),
    session_end(uuid, uuid, uuid),
    device_is_known(bytea, uuid),
    device_see(bytea, uuid),
    device_add(bytea, uuid),
    token_add(uuid, uuid, bytea, text, text, text[], timestamptz, bigint, bigint, boolean, cidr[]),
    token_add_own(uuid, uuid, bytea, text),
    token_end(uuid, uuid),
    token_recap(uuid, uuid, bigint, bigint),
    link_sign_up(uuid, uuid, text, text),
    link_forgot(uuid, uuid, text, text),
    link_budgets(uuid, text[]),
    signup_credits(),
    member_open(uuid, uuid, uuid, text, text, text),
    member_signed_in(uuid),
    password_rehash(uuid, text, text),
    password_reset(uuid, text, boolean),
    password_set(uuid, text),
    totp_use(uuid, bigint),
    recovery_use(uuid, bytea),
    two_factor_on(uuid, bytea, bigint, uuid),
    two_factor_off(uuid),
    recovery_set(uuid, bytea[]),
    account_rename(uuid, text),
    low_balance_set(uuid, bigint),
    low_balance_find(uuid, integer),
    deletion_request(uuid),
    deletion_cancel(uuid),
    email_request(uuid, uuid, uuid, text, text, boolean),
    email_change(uuid, uuid),
    email_undo(uuid, uuid, uuid[], uuid[]),
    undo_since(uuid),
    member_delete(uuid),
    deletions_step(),
    throttle_take(bytea[], bigint[], integer[]),
    throttle_give(bytea[], bigint[]),
    portal_prune(integer) to tollgate_portal;
grant execute on function signup_credits() to tollgate_gateway, tollgate_operator;

-- tollctl: helps members who have lost access, and sets the sign-up policy
grant select (member_id, account_id, email, email_key, password_at, totp_at, totp_step, low_at, low_armed,
              locked_at, created_at, signed_in_at) on member to tollgate_operator;
grant select (session_id, member_id, is_half, is_kept, misses, created_at, seen_at, expires_at, confirmed_at,
              network, agent) on session to tollgate_operator;
grant select on link, device, recovery_code, mail, job, account_fault to tollgate_operator;
grant insert, update on member to tollgate_operator;
grant update on link, mail to tollgate_operator;
grant delete on device, recovery_code to tollgate_operator;
grant select on signup_policy, signup_budget to tollgate_operator;
grant update (grant_credits, of_mail_host, of_network, in_all) on signup_policy to tollgate_operator;
grant execute on function ledger_now(), session_end(uuid, uuid, uuid), email_is_taken(text, uuid),
    signup_grant(uuid), member_delete(uuid) to tollgate_operator;
