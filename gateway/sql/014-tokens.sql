-- gateway/sql/014-tokens.sql - management tokens, by which programs manage the API tokens of their
-- account, and the emails before a token expires.
--
-- - A management token is a token of kind 5. It calls no tool: check_kind() in 002-ledger.sql.
-- - It sees and changes only tokens of kind 1. Members make it in the portal; no token makes it.
-- - Lock order: the account's balance row, then its tokens.

create index token_created on token (account_id, created_at, token_id);
create index token_expiry on token (notices, expires_at) where kind in (1, 5) and revoked_at is null and notices < 2;

-- ---- rules ----

-- active, expired or revoked.
create function token_state(p_token token, p_now timestamptz) returns text language sql immutable as $$
    select case when p_token.revoked_at is not null then 'revoked'
                when p_token.expires_at <= p_now then 'expired' else 'active' end
$$;

-- A time as in responses: "2026-11-26T12:00:00.000Z".
create function time_shown(p_at timestamptz) returns text language sql stable as $$
    select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- A time in an email: "2026-11-26 12:00 UTC".
create function minute_shown(p_at timestamptz) returns text language sql stable as $$
    select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')
$$;

-- What the API shows of a token: all but its digest.
create function token_shown(t token, p_now timestamptz) returns json language sql stable as $$
    select json_build_object(
        'id', t.token_id, 'name', t.name, 'last4', t.last4, 'state', token_state(t, p_now), 'scopes', t.scopes,
        'networks', coalesce(t.networks::text[], '{}'), 'is_strict', t.is_strict,
        'cap_daily', t.cap_daily,
        'spent_today', case when t.spent_total is not null then spent_on(t, greatest(t.spent_day, utc_day(p_now))) end,
        'cap_total', t.cap_total, 'spent_total', t.spent_total,
        'created_at', time_shown(t.created_at), 'created_by', t.created_by, 'expires_at', time_shown(t.expires_at),
        'last_used_at', time_shown(t.last_used_at), 'revoked_at', time_shown(t.revoked_at))
$$;

-- ---- management tokens ----

-- Store the digest of a management token that the member of a session creates. Returns as
-- token_add(); full: the account has 5 valid ones; past: it expires in the past, or in more than a
-- year.
create function token_add_management(p_session uuid, p_token uuid, p_digest bytea, p_name text, p_last4 text,
                                     p_scopes text[], p_expires_at timestamptz, p_networks cidr[] default null)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    most     constant integer := 5;
    owner    constant member := session_member(p_session);
    now_at   constant timestamptz := ledger_now();
    obstacle text := token_obstacle(owner.account_id, p_token);
begin
    if owner.account_id is null then
        return 'session';
    elsif obstacle is not null then
        return obstacle;
    elsif length(p_name) not between 1 and 60 then
        raise exception 'a token name has 1 to 60 characters';
    elsif (select count(*) from token t where t.account_id = owner.account_id and t.kind = 5
              and t.revoked_at is null and t.expires_at > now_at) >= most then
        return 'full';
    elsif (p_expires_at > now_at and p_expires_at <= now_at + interval '366 days') is not true then
        return 'past';
    end if;
    insert into token (account_id, token_id, digest, name, last4, scopes, created_at, expires_at, networks, kind,
                       created_by)
    values (owner.account_id, p_token, p_digest, p_name, p_last4, p_scopes, now_at, p_expires_at, p_networks, 5,
            'member:' || owner.member_id);
    return 'done';
end $$;

-- Why a management token must not do this now; NULL: it may. t: the token. If something is written,
-- the caller has locked the account.
create function management_check(p_account uuid, p_digest bytea, p_address inet, p_scope text, out refusal text,
                                 out t token)
language plpgsql stable as $$
begin
    select k.* into t from token k where k.account_id = p_account and k.digest = p_digest;
    refusal := coalesce(
        check_token(t, (select a.state from account a where a.account_id = p_account), ledger_now()),
        check_network(t.networks, p_address),
        case when t.kind <> 5 or p_scope <> all (t.scopes) then 'scope_denied' end);
end $$;

-- The newest tokens first. p_settings: state, a state of token_state(), absent: all; limit; cursor,
-- the next_cursor of the page before.
create function management_list(p_account uuid, p_settings jsonb) returns json language sql stable as $$
    with page as (
        select t.created_at, t.token_id, token_shown(t, ledger_now()) as shown, row_number() over newest as place
          from token t
         where t.account_id = p_account and t.kind = 1
           and (p_settings->>'state' is null or token_state(t, ledger_now()) = p_settings->>'state')
           and (p_settings->>'cursor' is null
                or (t.created_at, t.token_id)
                   < (to_timestamp(0) + split_part(p_settings->>'cursor', '.', 1)::bigint * interval '1 microsecond',
                      split_part(p_settings->>'cursor', '.', 2)::uuid))
        window newest as (order by t.created_at desc, t.token_id desc)
         order by t.created_at desc, t.token_id desc
         limit (p_settings->>'limit')::integer + 1
    )
    select json_build_object(
        'tokens', coalesce(json_agg(shown order by place) filter (where place <= (p_settings->>'limit')::integer), '[]'),
        'next_cursor', (select (extract(epoch from created_at) * 1000000)::bigint || '.' || token_id from page
                         where place = (p_settings->>'limit')::integer
                           and exists (select from page l where l.place > (p_settings->>'limit')::integer)))
      from page
$$;

-- Report a new token by email, at most one an hour.
create function management_mail(p_account uuid, p_by token, p_name text, p_last4 text, p_expires_at timestamptz)
returns void language sql as $$
    insert into mail (mail_id, member_id, recipient, template, data, created_at, next_at)
    select gen_random_uuid(), m.member_id, m.email, 'token-made',
           jsonb_strip_nulls(jsonb_build_object('name', p_name, 'last4', p_last4, 'by', p_by.name,
                                                'expires', minute_shown(p_expires_at))),
           ledger_now(), ledger_now()
      from member m
     where m.account_id = p_account
       and not exists (select from mail o where o.member_id = m.member_id and o.template = 'token-made'
                                            and o.data ? 'by' and o.created_at > ledger_now() - interval '1 hour')
$$;

create function management_audit(p_account uuid, p_by token, p_address inet, p_action text, p_token uuid)
returns void language sql as $$
    insert into audit_log (at, actor, action, account_id, detail, network)
    values (ledger_now(), 'token:' || p_by.token_id, p_action, p_account, 'token ' || p_token,
            network(set_masklen(p_address, case family(p_address) when 4 then 24 else 48 end))::text)
$$;

-- Why another token cannot be created now: exists, hourly (60 in the last hour), or a result of
-- account_obstacle(). NULL: it can.
create function management_obstacle(p_account uuid, p_token uuid) returns text language sql stable as $$
    select coalesce(
        case when exists (select from token t where t.account_id = p_account and t.token_id = p_token) then 'exists' end,
        account_obstacle(p_account),
        case when (select count(*) from token t
                    where t.account_id = p_account and t.created_at > ledger_now() - interval '1 hour'
                      and t.created_by like 'token:%') >= 60 then 'hourly' end)
$$;

-- The networks of settings. NULL: none, so it works from everywhere.
create function networks_of(p_settings jsonb) returns cidr[] language sql immutable as $$
    select nullif(array(select n::cidr from jsonb_array_elements_text(nullif(p_settings->'networks', 'null')) n), '{}')
$$;

create function scopes_of(p_settings jsonb) returns text[] language sql immutable as $$
    select array(select jsonb_array_elements_text(nullif(p_settings->'scopes', 'null')))
$$;

-- p_settings: name; scopes, expires_at, cap_daily, cap_total, networks, is_strict, as far as given.
create function management_create(p_account uuid, p_by token, p_token uuid, p_settings jsonb, p_digest bytea,
                                  p_last4 text)
returns text language plpgsql as $$
declare
    now_at   constant timestamptz := ledger_now();
    until    constant timestamptz := (p_settings->>'expires_at')::timestamptz;
    daily    constant bigint := (p_settings->>'cap_daily')::bigint;
    total    constant bigint := (p_settings->>'cap_total')::bigint;
    obstacle constant text := management_obstacle(p_account, p_token);
begin
    if obstacle is not null then
        return obstacle;
    elsif token_is_full(p_account) then
        return 'full';
    elsif has_unknown_scope(scopes_of(p_settings)) then
        return 'scope';
    elsif until <= now_at then
        return 'past';
    elsif until > now_at + interval '3653 days' then
        return 'late';
    elsif (length(p_settings->>'name') between 1 and 60) is not true then
        raise exception 'a token name has 1 to 60 characters';
    end if;
    insert into token (account_id, token_id, digest, name, last4, scopes, created_at, expires_at, cap_daily, cap_total,
                       spent_total, is_strict, networks, created_by)
    values (p_account, p_token, p_digest, p_settings->>'name', p_last4, scopes_of(p_settings), now_at, until, daily,
            total, case when num_nonnulls(daily, total) > 0 then 0 end,
            coalesce((p_settings->>'is_strict')::boolean, false), networks_of(p_settings), 'token:' || p_by.token_id);
    perform management_mail(p_account, p_by, p_settings->>'name', p_last4, until);
    return 'done';
end $$;

-- Only what p_settings has is changed: name, cap_daily, cap_total (null: no cap), networks (null or
-- []: everywhere), is_strict, expires_at. Returns ended: it is revoked or expired; uncounted: it
-- was created without caps; past; later: it would expire later than now; done.
create function management_change(t token, p_settings jsonb) returns text language plpgsql as $$
declare
    now_at constant timestamptz := ledger_now();
    until  constant timestamptz := case when p_settings ? 'expires_at' then (p_settings->>'expires_at')::timestamptz
                                        else t.expires_at end;
begin
    if token_state(t, now_at) <> 'active' then
        return 'ended';
    elsif t.spent_total is null and (p_settings->>'cap_daily' is not null or p_settings->>'cap_total' is not null) then
        return 'uncounted';
    elsif until <= now_at then
        return 'past';
    elsif until > t.expires_at or until is null and t.expires_at is not null then
        return 'later';
    elsif until > now_at + interval '3653 days' then
        return 'late';
    elsif length(p_settings->>'name') not between 1 and 60 then
        raise exception 'a token name has 1 to 60 characters';
    end if;
    update token k
       set name = coalesce(p_settings->>'name', k.name), expires_at = until,
           cap_daily = case when p_settings ? 'cap_daily' then (p_settings->>'cap_daily')::bigint else k.cap_daily end,
           cap_total = case when p_settings ? 'cap_total' then (p_settings->>'cap_total')::bigint else k.cap_total end,
           networks = case when p_settings ? 'networks' then networks_of(p_settings) else k.networks end,
           is_strict = coalesce((p_settings->>'is_strict')::boolean, k.is_strict)
     where k.account_id = t.account_id and k.token_id = t.token_id;
    return 'done';
end $$;

-- Replace a token by one with the same settings. p_settings: id, of the new one; grace_s, how long
-- the old one still works.
-- - Without caps there are two rows, and the old one ends after grace_s, or at its expiry.
-- - With caps two rows would have the caps twice: the row stays with its id and counters, and only
--   the digest changes. grace: grace_s must be 0.
create function management_rotate(t token, p_by token, p_settings jsonb, p_digest bytea, p_last4 text,
                                  out outcome text, out id uuid)
language plpgsql as $$
declare
    now_at   constant timestamptz := ledger_now();
    grace    constant interval := coalesce((p_settings->>'grace_s')::integer, 0) * interval '1 second';
    obstacle text;
begin
    id := t.token_id;
    if token_state(t, now_at) <> 'active' then
        outcome := 'ended';
    elsif t.spent_total is not null and grace > interval '0' then
        outcome := 'grace';
    elsif t.spent_total is not null then
        update token k set digest = p_digest, last4 = p_last4
         where k.account_id = t.account_id and k.token_id = t.token_id;
        outcome := 'done';
    else
        id := (p_settings->>'id')::uuid;
        obstacle := management_obstacle(t.account_id, id);
        if id is null or obstacle is not null then
            outcome := coalesce(obstacle, 'id');
            return;
        end if;
        insert into token (account_id, token_id, digest, name, last4, scopes, created_at, expires_at, is_strict,
                           networks, created_by)
        values (t.account_id, id, p_digest, t.name, p_last4, t.scopes, now_at, t.expires_at, t.is_strict, t.networks,
                'token:' || p_by.token_id);
        update token k
           set revoked_at = case when grace = interval '0' then now_at end,
               expires_at = case when grace = interval '0' then k.expires_at
                                 else least(k.expires_at, now_at + grace) end,
               notices = 2 -- it is meant to end
         where k.account_id = t.account_id and k.token_id = t.token_id;
        outcome := 'done';
    end if;
    if outcome = 'done' then
        perform management_mail(t.account_id, p_by, t.name, p_last4, t.expires_at);
    end if;
end $$;

-- The scope and the audit entry of each act; NULL: it changes nothing.
create function management_act(p_act text, out scope text, out action text) language sql immutable as $$
    select a.scope, a.action
      from (values ('list', 'tokens:read', null), ('get', 'tokens:read', null),
                   ('create', 'tokens:write', 'token created'), ('change', 'tokens:write', 'token changed'),
                   ('revoke', 'tokens:write', 'token revoked'), ('rotate', 'tokens:write', 'token rotated'))
           as a (name, scope, action)
     where a.name = p_act
$$;

-- Manage the tokens of an account for the bearer of a management token, sent from p_address. All
-- changes are decided here, under the account's lock, so a stolen password of the gateways' role
-- needs the digest of such a token. p_token: the token that the act is about; of a new one its id.
-- p_digest, p_last4: of a new secret. outcome: done, a refusal of management_check(), none: the
-- account has no such token, or a result of the act's function. result: the token, or a page.
create function token_manage(p_account uuid, p_management bytea, p_address inet, p_act text, p_token uuid,
                             p_settings jsonb default '{}', p_digest bytea default null, p_last4 text default null)
returns table (outcome text, result json) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    rule  record;
    who   record; -- the management token
    t     token;
    id    uuid := p_token;
begin
    select * into strict rule from management_act(p_act);
    if rule.scope is null then
        raise exception 'unknown act %', p_act;
    elsif rule.action is not null then
        perform account_lock(p_account);
    end if;
    select * into who from management_check(p_account, p_management, p_address, rule.scope);
    outcome := who.refusal;
    if outcome is null and p_act = 'list' then
        return query select 'done', management_list(p_account, p_settings);
        return;
    elsif outcome is null and p_act <> 'create' then
        select k.* into t from token k where k.account_id = p_account and k.token_id = p_token and k.kind = 1;
        outcome := case when t.token_id is null then 'none' end;
    end if;
    if outcome is null then
        case p_act
            when 'create' then
                outcome := management_create(p_account, who.t, p_token, p_settings, p_digest, p_last4);
            when 'change' then
                outcome := management_change(t, p_settings);
            when 'rotate' then
                select r.outcome, r.id into outcome, id
                  from management_rotate(t, who.t, p_settings, p_digest, p_last4) r;
            when 'revoke' then
                outcome := case token_end(p_account, p_token) when 'again' then 'again' else 'done' end;
            else
                outcome := 'done';
        end case;
    end if;
    if outcome = 'hourly' then -- until the oldest of the last 60 is an hour old
        return query select outcome, json_build_object('retry_ms', (
            select ceil(extract(epoch from c.created_at + interval '1 hour' - ledger_now()) * 1000)
              from token c where c.account_id = p_account and c.created_by like 'token:%'
             order by c.created_at desc offset 59 limit 1));
        return;
    elsif outcome = 'done' and rule.action is not null then
        perform management_audit(p_account, who.t, p_address, rule.action, id);
    elsif outcome = 'again' then -- revoked before: not an error
        outcome := 'done';
    end if;
    return query select outcome, case when outcome = 'done' then
        (select token_shown(k, ledger_now()) from token k where k.account_id = p_account and k.token_id = id) end;
end $$;

-- ---- notices ----

-- Is it time for a notice about the token: the first 14 days before it expires, the second 3 days?
create function notice_is_due(p_token token, p_now timestamptz) returns boolean language sql immutable as $$
    select p_token.kind in (1, 5) and p_token.revoked_at is null
       and (p_token.notices = 0 and p_token.expires_at <= p_now + interval '336 hours'
            or p_token.notices = 1 and p_token.expires_at <= p_now + interval '72 hours')
$$;

-- Mail the member of one account about its tokens that expire in 14 or 3 days. A token is not
-- reported that was created within that time, or that has expired. False: no account is due.
create function token_notices_step() returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at constant timestamptz := ledger_now();
    due    uuid := (select t.account_id from token t where notice_is_due(t, now_at) limit 1);
    t      token;
    days   integer;
begin
    if due is null then
        return false;
    end if;
    perform account_lock(due);
    for t in select k.* from token k where k.account_id = due and notice_is_due(k, now_at) loop
        days := case when t.expires_at <= now_at + interval '72 hours' then 3 else 14 end;
        update token set notices = case days when 3 then 2 else 1 end
         where account_id = t.account_id and token_id = t.token_id;
        insert into mail (mail_id, member_id, recipient, template, data, created_at, next_at)
        select gen_random_uuid(), m.member_id, m.email, 'token-expires',
               jsonb_build_object('name', t.name, 'last4', t.last4, 'days', days::text, 'expires', minute_shown(t.expires_at)),
               now_at, now_at
          from account a join member m using (account_id)
         where a.account_id = due and a.state <> 'closed'
           and t.expires_at > now_at and t.expires_at - t.created_at > days * interval '24 hours';
    end loop;
    return true;
end $$;

-- ---- verification ----

-- Find calls that a management token paid for.
create function management_verify(p_after uuid, p_until uuid) returns table (account_id uuid, detail text)
language sql stable as $$
    select t.account_id, format('token %s manages tokens, and has paid for calls', t.token_id)
      from token t
     where t.account_id > p_after and t.account_id <= p_until and t.kind = 5
       and (exists (select from usage_day u where u.account_id = t.account_id and u.token_id = t.token_id)
            or exists (select from hold h where h.account_id = t.account_id and h.token_id = t.token_id))
$$;

-- ---- rights ----

revoke execute on all functions in schema public from public;
grant execute on function token_manage(uuid, bytea, inet, text, uuid, jsonb, bytea, text) to tollgate_gateway;
grant execute on function token_add_management(uuid, uuid, bytea, text, text, text[], timestamptz, cidr[]),
    token_notices_step() to tollgate_portal;
grant execute on function management_verify(uuid, uuid) to tollgate_operator;
