-- gateway/sql/013-unknown-outcomes.sql - calls whose client got outcome_unknown, and their
-- outcomes. Gateways write them when the database responds again, over a separate connection
-- (gateway/outcomes/unknown-outcomes.h). Nothing about money is read from it.

create table unknown_outcome (
    account_id uuid not null,
    call_id    uuid not null,        -- of the request, its hold and its ledger entry
    told_at    timestamptz not null, -- when the client got outcome_unknown
    settled_at timestamptz,          -- when the outcome was written here; NULL: not known yet
    is_charged boolean,              -- true: its response was replayed, so the charge stays
    primary key (account_id, call_id),
    check ((settled_at is null) = (is_charged is null))
);
create index unknown_outcome_open on unknown_outcome (told_at) where settled_at is null;

-- Write what a gateway knows: for each call its state, unknown, charged or not_charged, and the age
-- of the event. An outcome that is written stays, so a repeated batch changes nothing. Rows of
-- settled calls stay for 90 days.
create function unknown_outcome_write(p_account uuid[], p_call uuid[], p_state text[], p_age_ms bigint[]) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at timestamptz := ledger_now();
    day_ms constant bigint := 86400000;
begin
    insert into unknown_outcome as u (account_id, call_id, told_at, settled_at, is_charged)
    select w.account_id, w.call_id, min(now_at - interval '1 millisecond' * least(greatest(w.age_ms, 0), 30 * day_ms)),
           case when bool_or(w.state <> 'unknown') then now_at end,
           bool_or(w.state = 'charged') filter (where w.state <> 'unknown')
      from unnest(p_account, p_call, p_state, p_age_ms) as w (account_id, call_id, state, age_ms)
     where exists (select from account a where a.account_id = w.account_id)
     group by 1, 2 order by 1, 2
        on conflict (account_id, call_id) do update
       set settled_at = excluded.settled_at, is_charged = excluded.is_charged
     where u.settled_at is null and excluded.settled_at is not null;
    delete from unknown_outcome where settled_at < now_at - interval '90 days';
end $$;

-- ---- rights ----

revoke execute on function unknown_outcome_write(uuid[], uuid[], text[], bigint[]) from public;
grant execute on function unknown_outcome_write(uuid[], uuid[], text[], bigint[]) to tollgate_gateway;
grant select on unknown_outcome to tollgate_portal, tollgate_operator;
grant update (settled_at, is_charged) on unknown_outcome to tollgate_operator;
