-- gateway/sql/010-plans.sql - plans: sets of limits that the operator gives to accounts.
--
-- The tables are in 001-accounts.sql, and the admission in 002-ledger.sql reads them. An account
-- gets or loses a plan under its lock, so that the change lies before or after each of its calls.

-- The settings of a plan, one a row, as `tollctl plan show` prints them.
create function plan_settings(p_name text) returns table (setting text, value text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select s.setting, s.value
      from plan p
     cross join lateral (
           select * from (values (1, 'global_per_minute', p.global_per_minute::text),
                                 (2, 'address_exempt', p.address_exempt::text),
                                 (3, 'is_public', p.is_public::text)) as top (place, setting, value)
            union all
           select 4, l.rate_class || '.' || n.name, n.value::text
             from plan_limit l
            cross join lateral (values ('endpoint_per_minute', l.endpoint_per_minute),
                                       ('class_per_minute', l.class_per_minute),
                                       ('daily_per_tool', l.daily_per_tool)) as n (name, value)
            where l.plan_id = p.plan_id and n.value is not null) s
     where p.name = p_name
     order by s.place, s.setting
$$;

-- Write one plan, as a member of `plans` of the operator's file. Returns what changes: the settings
-- before and after; NULL: absent. The caller has locked the table with plan_lock().
create function plan_write(p_name text, p_plan jsonb)
returns table (setting text, before text, after text) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
    number constant smallint := tool_number(p_name);
    was    jsonb := (select jsonb_object_agg(s.setting, s.value) from plan_settings(p_name) s);
    other  text := (select p.name from plan p where p.plan_id = number and p.name <> p_name);
    class  text := (select c.key from jsonb_each(p_plan->'classes') c
                     where c.key not in (select t.rate_class from tool t) order by c.key limit 1);
begin
    if other is not null then
        raise exception 'the plans % and % have the same number; rename one of them', p_name, other;
    elsif class is not null then
        raise exception 'plan %: no tool has the class %', p_name, class;
    end if;
    insert into plan (plan_id, name, global_per_minute, address_exempt, is_public)
    values (number, p_name, (p_plan->>'global_per_minute')::integer,
            coalesce((p_plan->>'address_exempt')::boolean, false), coalesce((p_plan->>'is_public')::boolean, false))
        on conflict (plan_id) do update
       set global_per_minute = excluded.global_per_minute, address_exempt = excluded.address_exempt,
           is_public = excluded.is_public;
    delete from plan_limit l where l.plan_id = number and not coalesce(p_plan->'classes' ? l.rate_class, false);
    insert into plan_limit (plan_id, rate_class, endpoint_per_minute, class_per_minute, daily_per_tool)
    select number, c.key, (c.value->>'endpoint_per_minute')::integer, (c.value->>'class_per_minute')::integer,
           (c.value->>'daily_per_tool')::integer
      from jsonb_each(p_plan->'classes') c
        on conflict (plan_id, rate_class) do update
       set endpoint_per_minute = excluded.endpoint_per_minute, class_per_minute = excluded.class_per_minute,
           daily_per_tool = excluded.daily_per_tool;
    return query
    select coalesce(b.key, s.setting), b.value, s.value
      from jsonb_each_text(was) b full join plan_settings(p_name) s on s.setting = b.key
     where b.value is distinct from s.value
     order by 1;
end $$;

-- Keep other writers of plans waiting until the transaction ends. Calls go on.
create function plan_lock() returns void language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    lock table plan in share row exclusive mode
$$;

-- Delete a plan that no account has. Returns how many accounts have it: if there are any, it stays.
-- NULL: unknown plan.
create function plan_remove(p_name text) returns bigint language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    users bigint;
begin
    perform plan_lock(); -- after this, the foreign key keeps new users from appearing
    select (select count(*) from account a where a.plan_id = p.plan_id) into users from plan p where p.name = p_name;
    if users = 0 then
        delete from plan where name = p_name;
    end if;
    return users;
end $$;

-- Give an account a plan; p_name NULL: the limits of limits.yaml again. A change is mailed to the
-- account's member. Returns the plan that it had before, NULL: none. The caller has checked that
-- account and plan exist.
create function plan_assign(p_account uuid, p_name text) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    was text;
begin
    perform account_lock(p_account);
    was := (select p.name from account a join plan p using (plan_id) where a.account_id = p_account);
    if was is distinct from p_name then
        update account set plan_id = (select p.plan_id from plan p where p.name = p_name),
                           plan_at = case when p_name is not null then ms_to_time(ledger_now_ms()) end
         where account_id = p_account;
        insert into mail (mail_id, member_id, recipient, template, data, created_at, next_at)
        select gen_random_uuid(), m.member_id, m.email, 'plan-changed',
               jsonb_strip_nulls(jsonb_build_object('plan', p.name, 'calls', p.global_per_minute::text)),
               ledger_now(), ledger_now()
          from account a join member m using (account_id) left join plan p using (plan_id)
         where a.account_id = p_account and a.state <> 'closed';
    end if;
    return was;
end $$;

-- The plan of an account, for its customer: a row for each class that the plan has numbers for, at
-- least one. Nothing without the digest of one of the account's tokens, or without a plan.
create function account_plan(p_account uuid, p_token bytea)
returns table (name text, since_ms bigint, global_per_minute integer, rate_class text, endpoint_per_minute integer,
               class_per_minute integer, daily_per_tool integer)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select p.name, (extract(epoch from a.plan_at) * 1000)::bigint, p.global_per_minute, l.rate_class,
           l.endpoint_per_minute, l.class_per_minute, l.daily_per_tool
      from account a
      join plan p using (plan_id)
      left join plan_limit l using (plan_id)
     where a.account_id = p_account
       and exists (select from token t where t.account_id = p_account and t.digest = p_token)
$$;

-- ---- verification ----

-- Find accounts whose plan is not on record, or was not given by the function above; and accounts
-- whose windows cannot be counted, because the times of their calls are not in order.
create function plans_verify(p_after uuid, p_until uuid) returns table (account_id uuid, detail text)
language sql stable as $$
    select a.account_id,
           case when p.plan_id is null then format('plan %s of the account is not on record', a.plan_id)
                else format('the account has plan %s since %s', p.name, coalesce(a.plan_at::text, 'no time')) end
      from account a left join plan p on p.plan_id = a.plan_id
     where a.account_id > p_after and a.account_id <= p_until
       and a.plan_id is not null and (p.plan_id is null or a.plan_at is null)
    union all
    select b.account_id, 'the calls of the last minute are not in order'
      from account_balance b
     where b.account_id > p_after and b.account_id <= p_until
       and exists (select from unnest(b.ring_at) with ordinality as r (at, n)
                    where (r.at >= b.ring_at[r.n - 1]) is not true and r.n > 1 or r.at is null)
$$;

-- ---- rights ----

revoke execute on all functions in schema public from public;
grant select on plan, plan_limit to tollgate_operator, tollgate_portal;
grant execute on function plan_settings(text), plan_lock(), plan_write(text, jsonb), plan_remove(text),
    plan_assign(uuid, text), plans_verify(uuid, uuid) to tollgate_operator;
grant execute on function account_plan(uuid, bytea) to tollgate_gateway;
