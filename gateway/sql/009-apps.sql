-- gateway/sql/009-apps.sql - connected apps: codes and grants of the authorization server.
--
-- - A connected app is a token of kind 3. A refresh changes the digest and the expiry in its row,
--   so caps, counters and usage go on over all refreshes.
-- - No row is a usable secret: codes and tokens are made from ids and numbers under portal.secret.
-- - Lock order: the account's balance row, then the grant or the code, then the token.

create table oauth_grant (
    account_id    uuid not null,
    token_id      uuid not null,
    member_id     uuid not null, -- who consented
    client_key    bytea not null check (octet_length(client_key) = 32), -- names the client
    client_host   text not null, -- of the client's metadata document; '': the client registered itself
    client_name   text not null check (length(client_name) <= 60), -- as it calls itself
    redirect_host text not null, -- where its codes are sent
    needs_key     boolean not null, -- the client must sign each request
    access_no     integer not null, -- the number of the access token in the row of the token
    issued_at     timestamptz not null, -- since when it has that number
    first_no      integer not null, -- refresh tokens with lower numbers are from before an update
    refresh_no    integer not null, -- the newest refresh token
    rotated_at    timestamptz not null, -- since when it has that number
    refresh_until timestamptz not null, -- unless the app refreshes before
    ends_at       timestamptz, -- as the member chose; NULL: when it is disconnected
    state         smallint not null default 1 check (state in (1, 2)),
    created_at    timestamptz not null,
    connected_at  timestamptz not null, -- the newest consent
    network       text not null, -- of that consent
    ended_at      timestamptz,
    ended_by      text check (ended_by in ('member', 'client', 'replay', 'expired', 'operator', 'account')),
    primary key (account_id, token_id),
    foreign key (account_id, token_id) references token,
    check (first_no <= refresh_no),
    check ((state = 2) = (ended_at is not null) and (state = 2) = (ended_by is not null))
);
comment on column oauth_grant.state is '1 active, 2 ended: its token is revoked';
create index oauth_grant_until on oauth_grant (least(ends_at, refresh_until)) where state = 1;
create index oauth_grant_ended on oauth_grant (ended_at) where state = 2;

-- What a member agreed to, until the app exchanges the code. Unused, it leaves nothing else.
create table oauth_code (
    account_id    uuid not null,
    code_id       uuid not null,
    token_id      uuid not null, -- of the grant that it makes or updates
    is_update     boolean not null,
    session_id    uuid not null, -- the code ends with it
    client_key    bytea not null check (octet_length(client_key) = 32),
    client_host   text not null check (length(client_host) <= 253),
    client_name   text not null check (length(client_name) <= 60),
    needs_key     boolean not null,
    redirect_uri  text not null check (length(redirect_uri) <= 512),
    redirect_host text not null check (length(redirect_host) <= 300),
    state         text check (length(state) <= 1024), -- of the request, for the way back
    challenge     bytea not null check (octet_length(challenge) = 32), -- SHA-256 of the verifier
    name          text not null check (length(name) between 1 and 60),
    scopes        text[] not null check (cardinality(scopes) between 1 and 20),
    cap_daily     bigint check (cap_daily between 0 and 1000000000),
    cap_total     bigint check (cap_total between 0 and 1000000000),
    ends_at       timestamptz,
    network       text not null,
    agent         text not null,
    created_at    timestamptz not null,
    expires_at    timestamptz not null,
    used_at       timestamptz,
    primary key (account_id, code_id)
);
create index oauth_code_created on oauth_code (created_at);

-- Clients that describe themselves in a document at their client_id, an https URL. Portals fetch
-- it for members only (portal/oauth/clients/documents.h).
create table oauth_document (
    client_key  bytea primary key check (octet_length(client_key) = 32), -- SHA-256 of the URL
    url         text not null check (octet_length(url) <= 1000),
    document    text not null check (octet_length(document) <= 10240),
    fresh_until timestamptz not null,
    keys        text check (octet_length(keys) <= 65536), -- the set that the document names
    keys_at     timestamptz, -- when it was fetched
    read_at     timestamptz not null, -- to the hour
    check ((keys is null) = (keys_at is null))
);
create index oauth_document_read_at on oauth_document (read_at);
create index oauth_grant_document on oauth_grant (client_key) where state = 1 and client_host <> '';

-- Assertions of clients that were used, so that none is used again.
create table oauth_assertion (
    digest     bytea primary key check (octet_length(digest) = 32),
    expires_at timestamptz not null
);
create index oauth_assertion_expires on oauth_assertion (expires_at);

-- Clients that the operator does not admit. A host also blocks all names below it: of a client's
-- document, or where its codes are sent.
create table oauth_block (
    what       text primary key check (what ~ '^[0-9a-f]{64}$' or what ~ '^[a-z0-9_-]+([.][a-z0-9_-]+)+$'),
    why        text not null check (length(why) between 1 and 200), -- for operators
    blocked_at timestamptz not null
);
comment on column oauth_block.what is 'a host, or the key of a client in hexadecimal';

-- ---- revocation ----

-- Mark the grants of revoked tokens as ended. The caller has locked the account.
create function oauth_close(p_account uuid, p_by text) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update oauth_grant g set state = 2, ended_at = ledger_now(), ended_by = p_by
      from token t
     where g.account_id = p_account and g.state = 1 and t.account_id = g.account_id
       and t.token_id = g.token_id and t.revoked_at is not null
$$;

-- Revoke a grant and its token. Once this commits, no call of the app is admitted. Returns done;
-- again: it was revoked before; none: the account has no such grant.
create function oauth_end(p_account uuid, p_token uuid, p_by text) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform account_lock(p_account);
    update token set revoked_at = ledger_now()
     where account_id = p_account and token_id = p_token and kind = 3 and revoked_at is null;
    if found then
        perform oauth_close(p_account, p_by);
        return 'done';
    end if;
    return case when exists (select from oauth_grant g where g.account_id = p_account and g.token_id = p_token)
                then 'again' else 'none' end;
end $$;

-- Revoke grants made or updated since p_since, and forget codes: the account may have been an
-- intruder's then. The caller has locked the account.
create function oauth_end_since(p_account uuid, p_since timestamptz) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    delete from oauth_code where account_id = p_account and used_at is null;
    update token t set revoked_at = ledger_now()
      from oauth_grant g
     where g.account_id = p_account and g.state = 1 and g.connected_at >= p_since
       and t.account_id = g.account_id and t.token_id = g.token_id and t.revoked_at is null;
    select oauth_close(p_account, 'account')
$$;

-- ---- blocked clients ----

-- Is p_what this key, or one of these hosts, or above one of them? Not of an empty host.
create function oauth_is_client(p_what text, p_key bytea, p_hosts text[]) returns boolean language sql immutable as $$
    select p_what = encode(p_key, 'hex')
        or exists (select from unnest(p_hosts) h where right('.' || h, length(p_what) + 1) = '.' || p_what)
$$;

create function oauth_is_blocked(p_key bytea, p_hosts text[]) returns boolean language sql stable
security definer set search_path = pg_catalog, public, pg_temp as $$
    select exists (select from oauth_block b where oauth_is_client(b.what, p_key, p_hosts))
$$;

-- Block a host or the key of a client. Once this commits, no code is exchanged for it: the lock
-- waits for those that are being exchanged. False: it was blocked before; the reason is replaced.
create function oauth_block_add(p_what text, p_why text) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    lock table oauth_block in exclusive mode;
    update oauth_block set why = p_why where what = p_what;
    if found then
        return false;
    end if;
    insert into oauth_block (what, why, blocked_at) values (p_what, p_why, ledger_now());
    return true;
end $$;

-- False: it was not blocked.
create function oauth_block_remove(p_what text) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    delete from oauth_block where what = p_what;
    return found;
end $$;

-- ---- documents of clients ----

create function oauth_document_read(p_key bytea) returns oauth_document language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update oauth_document set read_at = ledger_now()
     where client_key = p_key and read_at < ledger_now() - interval '1 hour';
    select d from oauth_document d where d.client_key = p_key
$$;

-- Store a document that is fresh for p_fresh_s seconds, at least 5 minutes and at most a day. Keys
-- belong to a document: a new one begins without. Of the documents that no active grant names, the
-- 2,000 that were read last stay.
create function oauth_document_store(p_url text, p_document text, p_fresh_s integer) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    insert into oauth_document (client_key, url, document, fresh_until, read_at)
    values (sha256(convert_to(p_url, 'UTF8')), p_url, p_document,
            ledger_now() + least(greatest(p_fresh_s, 300), 86400) * interval '1 second', ledger_now())
        on conflict (client_key) do update
       set document = excluded.document, fresh_until = excluded.fresh_until, read_at = excluded.read_at,
           keys = case when oauth_document.document = excluded.document then oauth_document.keys end,
           keys_at = case when oauth_document.document = excluded.document then oauth_document.keys_at end;
    delete from oauth_document where client_key in
        (select d.client_key from oauth_document d
          where not exists (select from oauth_grant g
                             where g.client_key = d.client_key and g.state = 1 and g.client_host <> '')
          order by d.read_at desc offset 2000 for update skip locked)
$$;

-- Store the keys of a client, unless its document has changed meanwhile.
create function oauth_keys_store(p_key bytea, p_document text, p_keys text) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update oauth_document set keys = p_keys, keys_at = ledger_now()
     where client_key = p_key and document = p_document
$$;

-- Note an assertion, which expires within ten minutes. False: it was used before.
create function oauth_assertion_use(p_digest bytea) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    insert into oauth_assertion (digest, expires_at) values (p_digest, ledger_now() + interval '10 minutes')
        on conflict do nothing;
    return found;
end $$;

-- ---- consent ----

-- How many grants of the account are active?
create function oauth_count(p_account uuid) returns bigint language sql stable
security definer set search_path = pg_catalog, public, pg_temp as $$
    select count(*) from oauth_grant g
     where g.account_id = p_account and g.state = 1 and (least(g.ends_at, g.refresh_until) > ledger_now())
$$;

-- Store what the member of a session agrees to; p_code is a row of oauth_code. p_days NULL: the
-- grant does not expire. Returns:
-- - session: the session is closed or has expired;
-- - suspended, closed, leaving: see account_obstacle();
-- - blocked: the operator does not admit the client;
-- - again: the same code with the same values exists;
-- - changed: the code exists with other values, or the new token exists;
-- - gone: the grant to update was revoked, or is another client's;
-- - full: the account has 50 grants;
-- - scope: a scope is not a group or `account`;
-- - done.
create function oauth_consent(p_session uuid, p_days integer, p_code jsonb) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m       constant member := session_member(p_session);
    c       oauth_code := jsonb_populate_record(null::oauth_code, p_code);
    had     oauth_code;
    now_at  constant timestamptz := ledger_now();
    stopped constant text := account_obstacle(m.account_id);
begin
    if p_days not between 1 and 365 then
        raise exception 'a grant expires after 1 to 365 days';
    elsif m.member_id is null then
        return 'session';
    elsif stopped is not null then
        return stopped;
    elsif oauth_is_blocked(c.client_key, array[c.client_host, c.redirect_host]) then
        return 'blocked';
    end if;
    c.account_id := m.account_id;
    c.session_id := p_session;
    select * into had from oauth_code o where o.account_id = c.account_id and o.code_id = c.code_id;
    if had.code_id is not null then -- times are this function's, and browsers may change networks
        c.network := had.network;
        c.agent := had.agent;
        c.created_at := had.created_at;
        c.expires_at := had.expires_at;
        c.used_at := had.used_at;
        c.ends_at := had.created_at + p_days * interval '1 day';
        return case when c is not distinct from had then 'again' else 'changed' end;
    elsif not c.is_update and exists (select from token t
                                       where t.account_id = m.account_id and t.token_id = c.token_id) then
        return 'changed';
    elsif c.is_update and not exists (select from oauth_grant g
                                       where g.account_id = m.account_id and g.token_id = c.token_id and g.state = 1
                                         and g.client_key = c.client_key and g.redirect_host = c.redirect_host) then
        return 'gone';
    elsif not c.is_update and oauth_count(m.account_id) >= 50 then
        return 'full';
    elsif exists (select from unnest(c.scopes) s where s is null or s <> 'account'
                     and not exists (select from tool t where s = t.tool_group)) then
        return 'scope';
    end if;
    c.created_at := now_at;
    c.expires_at := now_at + interval '300 seconds';
    c.used_at := null;
    c.ends_at := now_at + p_days * interval '1 day';
    insert into oauth_code select c.*;
    return 'done';
end $$;

-- ---- tokens ----

-- refused: the answer is invalid_grant, and nothing has changed. replayed: the grant is revoked,
-- because somebody has a copy of its code or token. retry: p_access_no is outdated; a refresh also
-- returns the right one. done.
create type oauth_answer as (
    outcome    text,
    token_id   uuid,
    access_no  integer,
    refresh_no integer,
    line       integer, -- which of the digests is the access token's, from 1; NULL: the new one
    expires_in integer, -- seconds left of the access token
    scopes     text[]
);

-- A lifetime or grace that a portal asks for: at most a day, also if its password was stolen.
create function oauth_life(p_seconds integer) returns interval language sql immutable as $$
    select least(p_seconds, 86400) * interval '1 second'
$$;

-- How long a refresh token lives without use.
create function oauth_refresh_life() returns interval language sql immutable as $$
    select interval '90 days'
$$;

-- The member who made a code. NULL: the code, what it grants, its session or its account is over,
-- or its client is blocked.
create function oauth_code_member(c oauth_code, p_now timestamptz) returns uuid language plpgsql as $$
begin
    lock table oauth_block in row share mode; -- until this transaction ends: see oauth_block_add()
    return (select s.member_id from session s join member m using (member_id) join account a using (account_id)
             where s.session_id = c.session_id and m.account_id = c.account_id and not s.is_half and m.locked_at is null
               and not session_is_over(s.expires_at, s.seen_at, s.is_kept, p_now) and a.state <> 'closed'
               and a.delete_at is null and c.expires_at > p_now and (c.ends_at <= p_now) is not true
               and not oauth_is_blocked(c.client_key, array[c.client_host, c.redirect_host]));
end $$;

-- Use a code; p_verifier is the SHA-256 of the verifier, p_has_key: the client has signed the
-- request. The new access token has the number p_access_no and lives p_ttl_s seconds. A code that
-- is used again in its lifetime, with all else right, revokes its grant.
create function oauth_exchange(p_account uuid, p_code uuid, p_client_key bytea, p_redirect_uri text,
                               p_verifier bytea, p_has_key boolean, p_ttl_s integer, p_access_no integer,
                               p_digest bytea, p_last4 text)
returns oauth_answer language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at constant timestamptz := ledger_now();
    c      oauth_code;
    g      oauth_grant;
    owner  uuid;
    answer oauth_answer;
begin
    answer.outcome := 'refused';
    perform account_lock(p_account);
    select * into c from oauth_code o where o.account_id = p_account and o.code_id = p_code for update;
    if (c.client_key = p_client_key and c.redirect_uri = p_redirect_uri and c.challenge = p_verifier
        and (p_has_key or not c.needs_key)) is not true then
        return answer;
    end if;
    owner := oauth_code_member(c, now_at);
    if owner is null then
        return answer;
    elsif c.used_at is not null then
        answer.outcome := case oauth_end(p_account, c.token_id, 'replay') when 'done' then 'replayed' else 'refused' end;
        answer.token_id := c.token_id;
        return answer;
    end if;
    select * into g from oauth_grant o where o.account_id = p_account and o.token_id = c.token_id for update;
    if (case when c.is_update then g.state = 1
             else oauth_count(p_account) < 50
                  and not exists (select from token t where t.account_id = p_account and t.token_id = c.token_id) end)
       is not true then
        return answer;
    elsif p_access_no <> coalesce(g.access_no, 0) + 1 then
        answer.outcome := 'retry';
        return answer;
    end if;
    update oauth_code set used_at = now_at where account_id = p_account and code_id = p_code;
    insert into token (account_id, token_id, digest, name, last4, scopes, created_at, expires_at, cap_daily, cap_total,
                       spent_total, kind)
    values (p_account, c.token_id, p_digest, c.name, p_last4, c.scopes, now_at,
            least(now_at + oauth_life(p_ttl_s), c.ends_at), c.cap_daily, c.cap_total, 0, 3)
        on conflict (account_id, token_id) do update
       set digest = excluded.digest, last4 = excluded.last4, scopes = excluded.scopes,
           expires_at = excluded.expires_at; -- name and caps stay as the member set them last
    insert into oauth_grant (account_id, token_id, member_id, client_key, client_host, client_name, redirect_host,
                             needs_key, access_no, issued_at, first_no, refresh_no, rotated_at, refresh_until, ends_at,
                             created_at, connected_at, network)
    values (p_account, c.token_id, owner, c.client_key, c.client_host, c.client_name, c.redirect_host, c.needs_key,
            p_access_no, now_at, 1, 1, now_at, now_at + oauth_refresh_life(), c.ends_at, now_at, now_at, c.network)
        on conflict (account_id, token_id) do update
       set member_id = excluded.member_id, client_name = excluded.client_name, needs_key = excluded.needs_key,
           access_no = excluded.access_no, issued_at = now_at, first_no = oauth_grant.refresh_no + 1,
           refresh_no = oauth_grant.refresh_no + 1, rotated_at = now_at, refresh_until = excluded.refresh_until,
           ends_at = excluded.ends_at, connected_at = now_at, network = excluded.network
    returning * into g;
    perform oauth_touch(p_account, c.token_id, now_at);
    select 'done', t.token_id, g.access_no, g.refresh_no, null, floor(extract(epoch from t.expires_at - now_at)), t.scopes
      into answer from token t where t.account_id = p_account and t.token_id = c.token_id;
    return answer;
end $$;

-- Calls write last_used_at every five minutes only. After this, the next call writes it, so that a
-- refresh sees whether the newest access token was used.
create function oauth_touch(p_account uuid, p_token uuid, p_now timestamptz) returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update token set last_used_at = least(last_used_at, p_now - interval '5 minutes 1 second')
     where account_id = p_account and token_id = p_token and last_used_at is not null
$$;

-- Use refresh token p_no. p_known: digests of access token p_access_no, one for
-- each line of portal.secret; p_next, p_last4: the access token that follows it. It is issued when
-- less than half of the life of the current one is left, or no line makes that one. Rules in order:
-- 1. refused: another client, a revoked grant, or a refresh token from before an update;
-- 2. the newest refresh token is used: the next number becomes the newest;
-- 3. the one before is used again: the answer of its first use, if that is at most p_grace_s old,
--    or if it issued an access token that no call has used;
-- 4. any other: the grant is revoked.
create function oauth_refresh(p_account uuid, p_token uuid, p_no integer, p_client_key bytea, p_has_key boolean,
                              p_grace_s integer, p_ttl_s integer, p_access_no integer, p_known bytea[], p_next bytea,
                              p_last4 text)
returns oauth_answer language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at  constant timestamptz := ledger_now();
    g       oauth_grant;
    t       token;
    until   timestamptz;
    line    integer;
    answer  oauth_answer;
begin
    answer.outcome := 'refused';
    perform account_lock(p_account);
    select * into g from oauth_grant o where o.account_id = p_account and o.token_id = p_token for update;
    select * into t from token o where o.account_id = p_account and o.token_id = p_token;
    if (g.state = 1 and t.revoked_at is null and least(g.ends_at, g.refresh_until) > now_at
        and g.client_key = p_client_key and (p_has_key or not g.needs_key)
        and p_no between g.first_no and g.refresh_no
        and exists (select from account a where a.account_id = p_account and a.state <> 'closed')) is not true then
        return answer;
    elsif p_access_no <> g.access_no then
        answer.outcome := 'retry';
        answer.access_no := g.access_no;
        return answer;
    elsif p_no = g.refresh_no then
        update oauth_grant set refresh_no = p_no + 1, rotated_at = now_at
         where account_id = p_account and token_id = p_token;
    elsif not (p_no = g.refresh_no - 1
               and (g.rotated_at > now_at - oauth_life(p_grace_s)
                    or g.issued_at >= g.rotated_at and (t.last_used_at is null or t.last_used_at < g.issued_at))) then
        answer.outcome := case oauth_end(p_account, p_token, 'replay') when 'done' then 'replayed' else 'refused' end;
        return answer;
    end if;
    line := array_position(p_known, t.digest);
    until := least(now_at + oauth_life(p_ttl_s), g.ends_at);
    if line is null or until > t.expires_at and t.expires_at - now_at < (t.expires_at - g.issued_at) / 2 then
        line := null;
        update token set digest = p_next, last4 = p_last4, expires_at = until
         where account_id = p_account and token_id = p_token;
        update oauth_grant set access_no = access_no + 1, issued_at = now_at
         where account_id = p_account and token_id = p_token;
        perform oauth_touch(p_account, p_token, now_at);
    end if;
    update oauth_grant o set refresh_until = now_at + oauth_refresh_life()
     where o.account_id = p_account and o.token_id = p_token returning * into g;
    select 'done', p_token, g.access_no, g.refresh_no, line, floor(extract(epoch from o.expires_at - now_at)), o.scopes
      into answer from token o where o.account_id = p_account and o.token_id = p_token;
    return answer;
end $$;

-- The active grant of this client with this refresh token, or with the access token of this digest.
-- NULL: the client has no such grant.
create function oauth_find(p_account uuid, p_token uuid, p_no integer, p_digest bytea, p_client_key bytea)
returns uuid language sql stable as $$
    select o.token_id from oauth_grant o join token t using (account_id, token_id)
     where o.account_id = p_account and o.client_key = p_client_key and o.state = 1
       and case when p_no is null then t.digest = p_digest
                else o.token_id = p_token and p_no between o.first_no and o.refresh_no end
$$;

-- Must the client of this grant sign its requests? NULL: the client has no such grant.
create function oauth_needs_key(p_account uuid, p_token uuid, p_no integer, p_digest bytea, p_client_key bytea)
returns boolean language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select g.needs_key from oauth_grant g
     where g.account_id = p_account and g.token_id = oauth_find(p_account, p_token, p_no, p_digest, p_client_key)
$$;

-- Revoke a grant for its client; p_no: the number of a refresh token, NULL: p_digest is its
-- access token's; p_has_key: the client has signed the request. Returns as oauth_end(). A token
-- from before an update revokes nothing. Anybody can send any account here, so the account is
-- locked only if it has the grant.
create function oauth_revoke(p_account uuid, p_token uuid, p_no integer, p_digest bytea, p_client_key bytea,
                             p_has_key boolean)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    if oauth_needs_key(p_account, p_token, p_no, p_digest, p_client_key) <= p_has_key is not true then
        return 'none';
    end if;
    perform account_lock(p_account);
    if oauth_needs_key(p_account, p_token, p_no, p_digest, p_client_key) <= p_has_key is not true then
        return 'none';
    end if;
    return oauth_end(p_account, oauth_find(p_account, p_token, p_no, p_digest, p_client_key), 'client');
end $$;

-- ---- cleaning ----

-- Revoke the grants of one account that were not refreshed in time. An account that fails is
-- recorded, and tried again after an hour. False: no account is due.
create function oauth_expire_step() returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    due uuid;
begin
    select o.account_id into due from oauth_grant o
     where o.state = 1 and least(o.ends_at, o.refresh_until) <= ledger_now()
       and not exists (select from account_fault f where f.task = 'app_expiry' and f.account_id = o.account_id
                                                     and f.last_at > ledger_now() - interval '1 hour')
     order by least(o.ends_at, o.refresh_until) limit 1;
    if due is null then
        return false;
    end if;
    begin
        perform account_lock(due);
        perform oauth_end(due, o.token_id, 'expired') from oauth_grant o
         where o.account_id = due and o.state = 1 and least(o.ends_at, o.refresh_until) <= ledger_now();
    exception when integrity_constraint_violation or data_exception or plpgsql_error then
        perform task_failed('app_expiry', due, sqlerrm);
    end;
    return true;
end $$;

-- Delete what is past its retention. Returns the largest number of rows of a kind.
create function oauth_prune(p_limit integer) returns integer language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at constant timestamptz := ledger_now();
    most   integer := 0;
    done   integer;
begin
    delete from oauth_code where (account_id, code_id) in
        (select c.account_id, c.code_id from oauth_code c where c.created_at < now_at - interval '1 day'
          order by c.created_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from oauth_grant where (account_id, token_id) in
        (select o.account_id, o.token_id from oauth_grant o
          where o.state = 2 and o.ended_at < now_at - interval '400 days'
          order by o.ended_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from oauth_assertion where digest in
        (select a.digest from oauth_assertion a where a.expires_at < now_at
          order by a.expires_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    most := greatest(most, done);
    delete from oauth_document where client_key in
        (select d.client_key from oauth_document d
          where d.read_at < now_at - interval '30 days'
            and not exists (select from oauth_grant g
                             where g.client_key = d.client_key and g.state = 1 and g.client_host <> '')
          order by d.read_at limit p_limit for update skip locked);
    get diagnostics done = row_count;
    return greatest(most, done);
end $$;

-- ---- verification ----

-- Find violations of invariant 14: tokens of kind 3 that are not revoked, and active grants, are
-- pairs; such a token is counted from its birth, and expires no later than the member chose.
create function apps_verify(p_after uuid, p_until uuid) returns table (account_id uuid, detail text)
language sql stable as $$
    select account_id,
           case when t.token_id is null then format('grant %s is active, but its token is revoked or not an app''s', token_id)
                when g.token_id is null then format('token %s of an app is not revoked, but has no active grant', token_id)
                when t.spent_total is null then format('the spending of token %s of an app is not counted', token_id)
                else format('token %s of an app expires at %s; its grant ends at %s', token_id, t.expires_at,
                            coalesce(g.ends_at::text, 'no time')) end
      from (select * from token o
             where o.account_id > p_after and o.account_id <= p_until and o.kind = 3 and o.revoked_at is null) t
      full join (select * from oauth_grant o
                  where o.account_id > p_after and o.account_id <= p_until and o.state = 1) g
           using (account_id, token_id)
     where t.token_id is null or g.token_id is null or t.spent_total is null
        or (t.expires_at <= coalesce(g.ends_at, 'infinity')) is not true
$$;

-- ---- rights ----

revoke execute on all functions in schema public from public;
grant select on oauth_grant, oauth_code to tollgate_portal;
grant execute on function
    oauth_end(uuid, uuid, text),
    oauth_count(uuid),
    oauth_is_blocked(bytea, text[]),
    oauth_consent(uuid, integer, jsonb),
    oauth_exchange(uuid, uuid, bytea, text, bytea, boolean, integer, integer, bytea, text),
    oauth_refresh(uuid, uuid, integer, bytea, boolean, integer, integer, integer, bytea[], bytea, text),
    oauth_expire_step(),
    oauth_document_read(bytea),
    oauth_document_store(text, text, integer),
    oauth_keys_store(bytea, text, text),
    oauth_assertion_use(bytea),
    oauth_needs_key(uuid, uuid, integer, bytea, bytea),
    oauth_revoke(uuid, uuid, integer, bytea, bytea, boolean) to tollgate_portal;
grant select on oauth_grant, oauth_block to tollgate_operator;
grant select (account_id, code_id, client_name, client_host, redirect_host, name, scopes, cap_daily, cap_total,
              ends_at, network, agent, created_at, used_at) on oauth_code to tollgate_operator; -- `account export`
grant execute on function
    oauth_close(uuid, text),
    oauth_end(uuid, uuid, text),
    oauth_block_add(text, text),
    oauth_block_remove(text),
    oauth_is_client(text, bytea, text[]),
    apps_verify(uuid, uuid) to tollgate_operator;
