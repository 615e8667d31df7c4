-- gateway/sql/007-orders.sql - orders of credits, their state at the payment processor, and the
-- ledger entries that follow from it.
--
-- A webhook only says that an order must be read again. The portal reads the facts from the
-- processor and gives them to payment_apply(), which moves the order and the ledger to the state
-- that the facts show, from any state. So facts may arrive twice, late, or not at all, from any
-- number of portals, and a crash between two steps does no harm. Without new facts, credits move
-- only when an operator decides a review (order_decide()) and when owed credits are collected.
--
-- Lock order:
-- 1. the balance of the account;
-- 2. its order;
-- 3. routes;
-- 4. events.
-- A function that needs only one of these locks only that one.

create table purchase_order (
    account_id   uuid not null,
    order_id     uuid not null, -- from the form, so that a reload creates no second order; reference of its entry
    number       bigint generated always as identity (start with 1001) unique, -- shown to people
    member_id    uuid, -- the buyer; may be deleted
    pack_id      smallint not null,
    credits      bigint not null check (credits > 0), -- of the pack, when it was ordered
    amount       bigint not null check (amount > 0),  -- the price of the pack, in the currency's minor unit
    currency     text not null,
    provider     text not null,
    state        text not null check (state in ('new', 'open', 'processing', 'paid', 'failed', 'expired',
                                                'cancelled', 'review', 'rejected')),
    session_ref  text, -- the checkout at the processor
    payment_ref  text, -- the payment at the processor
    checkout_url text,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    cancel_asked boolean not null default false, -- the processor must close its checkout
    paid_at      timestamptz,
    total        bigint, -- what was paid, with tax; set when paid or in review
    refunded     bigint not null default 0, -- of the total, as last read; so is disputed
    disputed     bigint not null default 0,
    lost         bigint not null default 0, -- the part of disputed that is lost
    reversed     bigint not null default 0, -- credits taken back for these: -(sum of kinds 6 and 7)
    owed         bigint not null default 0, -- credits still to be taken, because the account does not have them
    is_accepted  boolean not null default false, -- by an operator, although the facts did not match
    disagrees_at timestamptz, -- since when the processor no longer says that the paid order is paid
    read_no      bigint not null default 0, -- number of the newest read
    read_at      timestamptz,               -- when it began
    applied_at   timestamptz,               -- when the newest read that succeeded began
    read_until   timestamptz,               -- until then no other read begins; NULL: no read is running
    next_at      timestamptz,               -- when the next read is due without a webhook; NULL: never
    attempts     integer not null default 0, -- failed reads since the last successful one,
    read_error   text,                      -- the error of the last of them,
    unread_at    timestamptz,               -- and when the first of them failed
    receipt      jsonb,                     -- the data for a receipt, from the processor
    facts        jsonb,                     -- as last read
    note         text,                      -- why it failed or is in review, or the operator's reason
    primary key (account_id, order_id),
    check (reversed >= 0 and owed >= 0 and reversed + owed <= credits),
    check (state = 'paid' or reversed + owed = 0),
    check (state <> 'paid' or num_nonnulls(paid_at, total) = 2),
    check (refunded >= 0 and disputed >= 0 and lost >= 0)
);
create index purchase_order_number on purchase_order (account_id, number desc);
create index purchase_order_next on purchase_order (next_at) where next_at is not null;
create index purchase_order_waits on purchase_order (account_id) where state in ('new', 'open');
create index purchase_order_owed on purchase_order (account_id) where owed > 0;
create index purchase_order_review on purchase_order (created_at) where state = 'review';
-- Orders with money, by their last change: reconcile_sides().
create index purchase_order_changed on purchase_order (greatest(applied_at, paid_at)) where total is not null;
create index purchase_order_disagrees on purchase_order (disagrees_at) where disagrees_at is not null;

-- The order that an id in a webhook belongs to. ref: the id of the order, its checkout or its
-- payment.
create table order_route (
    provider   text not null,
    ref        text not null,
    account_id uuid not null,
    order_id   uuid not null,
    primary key (provider, ref)
);
-- An order id belongs to one account, with any provider. So a payment is credited once.
create unique index order_route_order on order_route (order_id) where ref = order_id::text;
-- The credits that were taken back for refunds and disputes, or returned.
create index order_route_refs on order_route (account_id, order_id);

create table order_reversal (
    account_id  uuid not null,
    reversal_id uuid not null, -- reference of its entry
    order_id    uuid not null,
    credits     bigint not null check (credits <> 0), -- taken back; below 0: returned
    refunded    bigint not null, -- the order's refunded and disputed at that time
    disputed    bigint not null,
    at          timestamptz not null,
    primary key (account_id, reversal_id)
);
create index order_reversal_order on order_reversal (account_id, order_id);

-- The events that a payment processor has reported.
create table payment_event (
    provider    text not null,
    event_id    text not null,
    type        text not null,
    ref         text, -- its checkout or payment
    order_id    uuid, -- NULL: unknown, or not known yet
    is_live     boolean not null,
    created_at  timestamptz not null, -- by the processor
    received_at timestamptz not null,
    sha256      bytea not null check (octet_length(sha256) = 32), -- of the event's body
    refunded    bigint, -- the amount of the payment that was refunded until then, if the event says it
    state       smallint not null default 1 check (state between 1 and 4),
    read_no     bigint, -- the newest read that began after the event arrived
    attempts    integer not null default 0,
    next_at     timestamptz not null,
    error       text,
    primary key (provider, event_id)
);
comment on column payment_event.state is '1 waits, 2 done, 3 unmatched, 4 ignored';
create index payment_event_next on payment_event (next_at) where state = 1;
create index payment_event_order on payment_event (order_id, received_at);
create index payment_event_received on payment_event (received_at);

-- The facts of the provider `test`, as set on its payment page.
create table test_payment (
    order_id   uuid primary key,
    status     text not null check (status in ('open', 'complete', 'failed', 'expired')),
    paid_after timestamptz, -- for complete: paid from then on
    refunded   bigint not null default 0,
    disputed   bigint not null default 0,
    lost       bigint not null default 0
);

-- The facts that a processor reports about an order's checkout and payment. Amounts are in the
-- currency's minor unit.
create type payment_facts as (
    status        text,    -- of the checkout: open, complete, expired
    paid          text,    -- paid, unpaid, no_payment_required
    live          boolean, -- real money
    live_wanted   boolean, -- the key is for real money
    is_test       boolean, -- no money moves; shown in receipts and entries
    currency      text,
    amount        bigint,  -- the amount to pay, with tax, minus discount
    tax           bigint,
    discount      bigint,
    "order"       text,    -- the order that it names
    session       text,
    payment_ref   text,
    intent_status text,
    refunded      bigint,
    disputed      bigint,
    receipt       jsonb
);

-- ---- audit, email and routes of an order ----

-- Add an audit entry about an order.
create function order_audit(o purchase_order, p_action text) returns void language sql as $$
    insert into audit_log (at, actor, action, account_id, detail)
    values (ledger_now(), 'portal', p_action, o.account_id, 'order ' || o.order_id)
$$;

-- Email the member of the order's account, if the member still exists. Amounts of money are minor
-- units with a currency. NULL values are left out.
create function order_mail(o purchase_order, p_template text, p_data jsonb) returns void language sql as $$
    insert into mail (mail_id, member_id, recipient, template, data, created_at, next_at)
    select gen_random_uuid(), m.member_id, m.email, p_template,
           jsonb_build_object('order', o.number::text, 'order_id', o.order_id) || jsonb_strip_nulls(p_data),
           now_at, now_at
      from member m, ledger_now() now_at
     where m.account_id = o.account_id
$$;

-- An amount of money for an email; NULL for 0.
create function money_json(p_minor bigint, p_currency text) returns jsonb language sql immutable as $$
    select case when p_minor <> 0 then jsonb_build_object('minor', p_minor, 'currency', p_currency) end
$$;

-- The note of a ledger entry: the number of the order, TEST if no money moved, and p_words.
create function order_note(o purchase_order, p_words text) returns text language sql stable as $$
    select case when (o.facts ->> 'is_test')::boolean then 'TEST ' else '' end
           || format('order %s: %s', o.number, p_words)
$$;

-- Let this id lead to this order from now on. False: it leads to another order.
create function order_route_take(o purchase_order, p_ref text) returns boolean language plpgsql as $$
begin
    insert into order_route (provider, ref, account_id, order_id)
    values (o.provider, p_ref, o.account_id, o.order_id) on conflict do nothing;
    return exists (select from order_route r
                    where r.provider = o.provider and r.ref = p_ref
                      and r.account_id = o.account_id and r.order_id = o.order_id);
end $$;

-- True: no money moves for this order, by its checkout if it has one. NULL: not known yet.
create function order_is_test(o purchase_order) returns boolean language sql immutable as $$
    select case when o.provider = 'test' or starts_with(o.session_ref, 'cs_test_') then true
                when starts_with(o.session_ref, 'cs_live_') then false
                else (o.facts ->> 'is_test')::boolean end
$$;

-- The checkout of an order. If the response of its creation was lost: the one in the newest event
-- that names a checkout.
create function order_session_of(o purchase_order) returns text language sql stable as $$
    select coalesce(o.session_ref,
                    (select e.ref from payment_event e
                      where e.order_id = o.order_id and e.provider = o.provider
                        and e.type like 'checkout.session.%' and e.state <> 4
                      order by e.received_at desc limit 1))
$$;

-- ---- opening an order ----

-- The newest open order of this pack whose checkout has more than 15 minutes left. p_test: see
-- order_open().
create function order_find_open(p_account uuid, p_pack smallint, p_provider text, p_test boolean, p_now timestamptz)
returns setof purchase_order language sql as $$
    select * from purchase_order w
     where w.account_id = p_account and w.state = 'open' and w.pack_id = p_pack
       and w.provider = p_provider and (order_is_test(w) <> p_test) is not true and not w.cancel_asked
       and w.expires_at > p_now + interval '15 minutes'
     order by w.number desc limit 1
$$;

-- Order a pack. Returns an outcome, and the order if there is one:
--   new         a new order; next call order_session() or order_fail()
--   same        the account has an order with this id; its row has the state
--   reuse       an open order of this pack has more than 15 minutes left: read it again, then send
--               the member to its checkout, or ask again
--   taken       the id is an order of another account
--   suspended, closed, leaving (account_obstacle()), not_sold, too_many (10 orders are new or open):
--               no order was made
-- p_test: reuse only an order for tests (true) or only one for real money (false); NULL: either.
-- The account's row is locked, so that two portals do not both open the tenth order.
create function order_open(p_account uuid, p_order uuid, p_member uuid, p_pack smallint, p_provider text,
                           p_ttl_s integer, p_test boolean default null)
returns table (outcome text, order_id uuid, number bigint, state text, credits bigint, amount bigint,
               currency text, checkout_url text, created_at timestamptz, expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
    most   constant integer := 10;
    now_at timestamptz;
    k      pack;
    o      purchase_order;
begin
    if p_ttl_s not between 2400 and 82800 then
        raise exception 'p_ttl_s must be from 2400 to 82800 seconds';
    end if;
    perform 1 from account_balance where account_id = p_account for no key update;
    now_at := ledger_now();
    select * into o from purchase_order where account_id = p_account and order_id = p_order;
    if found then
        outcome := 'same';
    elsif exists (select from order_route where order_id = p_order and ref = p_order::text) then
        outcome := 'taken';
    elsif account_obstacle(p_account) is not null then
        outcome := account_obstacle(p_account);
    else
        select * into k from pack where pack_id = p_pack and is_sold;
        if not found then
            outcome := 'not_sold';
        else
            select * into o from order_find_open(p_account, p_pack, p_provider, p_test, now_at);
            if found then
                outcome := 'reuse';
            elsif (select count(*) from purchase_order w
                    where w.account_id = p_account and w.state in ('new', 'open')) >= most then
                outcome := 'too_many';
            end if;
        end if;
    end if;
    if outcome is null then
        o.account_id := p_account;
        o.order_id := p_order;
        o.provider := p_provider;
        if order_route_take(o, p_order::text) then
            outcome := 'new';
            insert into purchase_order (account_id, order_id, member_id, pack_id, credits, amount, currency,
                                        provider, state, created_at, expires_at, next_at)
            values (p_account, p_order, p_member, p_pack, k.credits, k.price_cents, k.currency, p_provider,
                    'new', now_at, now_at + p_ttl_s * interval '1 second',
                    now_at + p_ttl_s * interval '1 second' - interval '31 minutes')
            returning * into o;
        else -- another account took the id at the same time
            outcome := 'taken';
        end if;
    end if;
    return query select outcome, o.order_id, o.number, o.state, o.credits, o.amount, o.currency,
                        o.checkout_url, o.created_at, o.expires_at;
end $$;

-- The processor has created a checkout: a new order becomes open. False: the order is no longer
-- new, or must be cancelled, so do not send the member there; a payment is still found by the
-- routes. p_expires NULL: the order's expires_at stays.
create function order_session(p_account uuid, p_order uuid, p_session text, p_url text, p_expires timestamptz)
returns boolean language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    o purchase_order;
begin
    select * into o from purchase_order
     where account_id = p_account and order_id = p_order for no key update;
    if o.order_id is null or o.session_ref <> p_session or not order_route_take(o, p_session) then
        return false;
    end if;
    update purchase_order
       set session_ref = p_session,
           state = case when state = 'new' then 'open' else state end,
           checkout_url = case when state = 'new' then p_url else checkout_url end,
           expires_at = case when state = 'new' then coalesce(p_expires, expires_at) else expires_at end,
           next_at = case when state = 'new' then coalesce(p_expires, expires_at) + interval '5 minutes'
                          else next_at end,
           attempts = 0
     where account_id = p_account and order_id = p_order
    returning * into o;
    return o.state = 'open' and not o.cancel_asked;
end $$;

-- The processor has rejected the checkout: a new order becomes failed. Returns the order's state;
-- NULL: unknown order.
create function order_fail(p_account uuid, p_order uuid, p_note text) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    o purchase_order;
begin
    update purchase_order set state = 'failed', next_at = null, note = p_note
     where account_id = p_account and order_id = p_order and state = 'new'
    returning * into o;
    if found then
        perform order_audit(o, 'order failed');
    end if;
    return (select state from purchase_order where account_id = p_account and order_id = p_order);
end $$;

-- Cancel an order for its member; p_order NULL: all orders of the account. A new order without a
-- checkout is cancelled at once. For another one, the processor must close the checkout first, and
-- may report that it was paid. Returns the order's state; NULL: unknown order.
create function order_cancel(p_account uuid, p_order uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    o      purchase_order;
    now_at timestamptz := ledger_now();
begin
    for o in select * from purchase_order w
              where w.account_id = p_account and (w.order_id = p_order or p_order is null)
                and w.state in ('new', 'open', 'processing')
              order by w.order_id for no key update loop
        if o.state = 'new' and order_session_of(o) is null then
            update purchase_order set state = 'cancelled', next_at = null, cancel_asked = true
             where account_id = p_account and order_id = o.order_id;
            perform order_audit(o, 'order cancelled');
        else
            update purchase_order set cancel_asked = true, next_at = now_at, attempts = 0
             where account_id = p_account and order_id = o.order_id;
        end if;
    end loop;
    return (select w.state from purchase_order w where w.account_id = p_account and w.order_id = p_order);
end $$;

-- ---- credits ----

-- The credits that an order must give back for refunds and disputes: its credits times the refunded
-- and disputed part of the total, rounded down. 0 if the order is not paid, or if the total is 0
-- because an operator accepted the order and no payment is known.
create function order_target(o purchase_order) returns bigint language sql immutable as $$
    select case when o.state = 'paid' and o.total > 0 then
               div(o.credits * least(o.total, o.refunded::numeric + o.disputed), o.total)::bigint
           else 0 end
$$;

-- Move the ledger to the order's target. Takes back missing credits, as far as the account has them
-- and no hold covers them, or returns credits if too many were taken. Credits that cannot be taken
-- now are owed. Returns the credits taken; below 0: returned.
--
-- The caller has locked the balance, so that no call spends the credits meanwhile, and has written
-- the order to its table. Running this again changes nothing.
create function order_settle(p_account uuid, p_order uuid) returns bigint language plpgsql as $$
declare
    o         purchase_order;
    target    bigint;
    available bigint;
    taken     bigint;
    reversal  uuid := gen_random_uuid();
begin
    select * into o from purchase_order
     where account_id = p_account and order_id = p_order for no key update;
    target := order_target(o);
    available := (select b.posted - b.held from account_balance b where b.account_id = p_account);
    taken := least(target - o.reversed, available);
    if taken <> 0 then
        if not ledger_book(p_account, case when taken > 0 then 6 else 7 end::smallint, -taken, reversal,
                           order_note(o, format(case when taken > 0 then '%s credits taken back'
                                                     else '%s credits returned' end, abs(taken)))) then
            raise exception 'reversal % of order % is already booked', reversal, p_order;
        end if;
        insert into order_reversal (account_id, reversal_id, order_id, credits, refunded, disputed, at)
        values (p_account, reversal, p_order, taken, o.refunded, o.disputed, ledger_now());
        perform order_audit(o, case when taken > 0 then 'order reversed' else 'order restored' end);
    end if;
    update purchase_order set reversed = o.reversed + taken, owed = target - o.reversed - taken
     where account_id = p_account and order_id = p_order
       and (reversed, owed) is distinct from (o.reversed + taken, target - o.reversed - taken);
    return taken;
end $$;

-- Take the credits that an account owes and now has, for the oldest order first. The caller has
-- locked the balance.
create function order_collect_of(p_account uuid) returns void language plpgsql as $$
declare
    owing uuid;
begin
    for owing in select o.order_id from purchase_order o
                  where o.account_id = p_account and o.owed > 0 order by o.number loop
        perform order_settle(p_account, owing);
    end loop;
end $$;

-- Take owed credits from up to p_limit accounts that have received credits without an order, for
-- example from failed calls that released their holds. Locked accounts are left for the next time.
-- An account that fails is recorded, and the others go on. Returns how many accounts had credits to
-- take.
create function order_collect(p_limit integer) returns integer language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    locked uuid[];
    one    uuid;
begin
    locked := array(select b.account_id from account_balance b
                     where b.account_id in (select o.account_id from purchase_order o where o.owed > 0)
                       and b.posted > b.held
                     order by b.account_id limit p_limit for no key update skip locked);
    foreach one in array locked loop
        begin
            perform order_collect_of(one);
        exception when integrity_constraint_violation or data_exception or plpgsql_error then
            perform task_failed('order_collect', one, sqlerrm);
        end;
    end loop;
    return cardinality(locked);
end $$;

-- Mark an order as paid and credit it to the account. The order's state and the reference of its
-- entry ensure that this happens once.
create function order_pay(p_account uuid, p_order uuid) returns void language plpgsql as $$
declare
    o purchase_order;
begin
    update purchase_order
       set state = 'paid', paid_at = ledger_now(), total = coalesce(total, 0),
           next_at = ledger_now() + interval '24 hours'
     where account_id = p_account and order_id = p_order
    returning * into o;
    if not ledger_book(p_account, 2::smallint, o.credits, p_order,
                       order_note(o, format('%s credits', o.credits))) then
        raise exception 'order % is already credited', p_order;
    end if;
    perform order_mail(o, 'receipt', jsonb_build_object(
        'credits', o.credits, 'paid', money_json(o.total, coalesce(o.facts ->> 'currency', o.currency)),
        'is_test', nullif((o.facts ->> 'is_test')::boolean, false),
        'delete_at', (select utc_day(a.delete_at) from account a where a.account_id = p_account)));
end $$;

-- Book a sign-up grant that was withheld, if the order is paid and nothing of it was refunded or
-- disputed.
create function order_brings_grant(p_account uuid, p_order uuid) returns void language sql as $$
    select signup_grant(o.account_id) from purchase_order o
     where o.account_id = p_account and o.order_id = p_order
       and o.state = 'paid' and o.refunded = 0 and o.disputed = 0
$$;

-- ---- orders that cannot be read ----

-- Does this event of the order wait, or was it done by a read that was not repeated since
-- (payment_confirm_at())?
create function payment_event_is_unsure(e payment_event, o purchase_order) returns boolean
language sql immutable as $$
    select e.state = 1
           or e.state = 2 and e.received_at > o.applied_at - interval '5 minutes'
$$;

-- Give up an order whose checkout can no longer be read. Returns the order's state:
-- - paid, rejected and review stay;
-- - review, if money may be on its way: the order was processing, or an event that reports anything
--   but an expired or failed checkout waits or was read once and not again;
-- - a new or open order becomes cancelled if the member asked for that, else expired;
-- - other states stay.
-- These events become unmatched. A later read that succeeds still applies.
create function order_abandon(p_account uuid, p_order uuid, p_why text) returns text language plpgsql as $$
declare
    was purchase_order;
    o   purchase_order;
begin
    select * into was from purchase_order
     where account_id = p_account and order_id = p_order for no key update;
    o := was;
    o.state := case
        when was.state in ('paid', 'rejected', 'review') then was.state
        when was.state = 'processing' or exists
                 (select from payment_event e
                   where e.order_id = p_order and e.provider = was.provider
                     and payment_event_is_unsure(e, was) and e.type not in ('checkout.session.expired', 'checkout.session.async_payment_failed'))
             then 'review'
        when was.state in ('new', 'open') then case when was.cancel_asked then 'cancelled' else 'expired' end
        else was.state end;
    update purchase_order
       set state = o.state, note = case when o.state <> was.state then p_why else note end,
           next_at = null, read_until = null, read_error = p_why
     where account_id = p_account and order_id = p_order;
    perform payment_events_lock(p_order);
    update payment_event e set state = 3, error = p_why
     where e.order_id = p_order and e.provider = was.provider and payment_event_is_unsure(e, was);
    if o.state <> was.state then -- no email: nobody knows whether anything was paid
        perform order_audit(o, 'order ' || case o.state when 'review' then 'in review' else o.state end);
    end if;
    return o.state;
end $$;

-- Give up orders and events of providers whose keys no portal has, after three days without a read.
-- p_here: the providers whose keys the caller has. Returns the orders with their states. Also
-- cancels orders that never got a checkout (order_end_new()).
create function order_abandon_unserved(p_here text[], p_limit integer)
returns table (account_id uuid, order_id uuid, state text)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
    until timestamptz := ledger_now() - interval '3 days';
begin
    perform order_end_new(p_limit, ledger_now());
    return query
    with waiting as materialized (
        select w.account_id, w.order_id from purchase_order w
         where w.next_at <= until and w.provider <> all (p_here)
        union
        select r.account_id, r.order_id from payment_event e
          join order_route r on r.order_id = e.order_id and r.ref = r.order_id::text
         where e.state = 1 and e.next_at <= until and e.provider <> all (p_here)
         limit p_limit
    )
    select w.account_id, w.order_id, order_abandon(w.account_id, w.order_id, 'no portal has its provider''s keys')
      from waiting w;
    update payment_event set state = 3, error = 'no portal has its provider''s keys'
     where state = 1 and next_at <= until and provider <> all (p_here) and order_id is null;
end $$;

-- Cancel all orders of an account that closes.
create function account_closes() returns trigger language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    perform order_cancel(new.account_id, null);
    return null;
end $$;
create trigger account_closes after update of state on account for each row
    when (new.state = 'closed' and old.state <> 'closed') execute function account_closes();

-- ---- reading ----

-- The wait before the next read, after p_attempts that failed.
create function payment_backoff(p_attempts integer) returns interval language sql immutable as $$
    select coalesce((array[interval '5 seconds', '30 seconds', '2 minutes', '10 minutes'])[p_attempts + 1],
                    interval '1 hour')
$$;

-- Lock the waiting events of an order. Every function that writes several of them calls this first,
-- so that all lock them in the same order and cannot deadlock.
create function payment_events_lock(p_order uuid) returns void language sql as $$
    select from payment_event e
     where e.order_id = p_order and e.state = 1 order by e.provider, e.event_id for no key update
$$;

-- Begin a read of an order. Call this before the processor is asked. Returns the number of the
-- read, for payment_apply(). NULL: another read is running, or the order is unknown.
-- 1. A read has a lease of 40 seconds. After that another read may begin.
-- 2. That read gets another number, so the facts of the slower read, which may be older, are not
--    applied.
-- 3. Events that are here now happened before this read, so it will see what they report. They get
--    its number; no clock decides. A later event causes another read.
create function payment_begin(p_account uuid, p_order uuid) returns bigint language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at timestamptz := ledger_now();
    until  timestamptz := now_at + interval '40 seconds';
    o      purchase_order;
begin
    update purchase_order set read_no = read_no + 1, read_at = now_at, read_until = until
     where account_id = p_account and order_id = p_order
       and (read_until > now_at and read_until <= until) is not true -- later: the clock went back
    returning * into o;
    perform payment_events_lock(p_order);
    update payment_event set read_no = o.read_no
     where order_id = p_order and provider = o.provider and state = 1;
    return o.read_no;
end $$;

-- The read with this number failed. Its lease ends and another read is scheduled. After three days
-- of failed reads the order is given up: returns its state then, else NULL.
create function payment_missed(p_account uuid, p_order uuid, p_number bigint, p_error text)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at timestamptz := ledger_now();
    o      purchase_order;
begin
    update purchase_order
       set read_until = null, next_at = now_at + payment_backoff(attempts), attempts = attempts + 1,
           read_error = p_error, unread_at = coalesce(unread_at, now_at)
     where account_id = p_account and order_id = p_order and read_no = p_number and read_until is not null
    returning * into o;
    if o.unread_at <= now_at - interval '3 days' then
        return order_abandon(p_account, p_order, 'not read for three days: ' || p_error);
    end if;
    return null;
end $$;

-- Why these facts do not show a payment of this order as it was made, in words for the operator.
-- NULL: they match, if they say that it was paid. Takes the routes of the checkout and payment. If
-- these belong to another order, the facts do not match: the payment would be credited twice.
create function payment_misfit(o purchase_order, f payment_facts) returns text language plpgsql as $$
begin
    return nullif(concat_ws('; ',
        case when f."order" is distinct from o.order_id::text then
            format('it is for order %s', coalesce(f."order", 'unknown')) end,
        case when f.session is null or f.session <> o.session_ref then
            format('its checkout is %s', coalesce(f.session, 'unknown')) end,
        case when f.live is distinct from f.live_wanted or f.live is null then
            case when f.live then 'it is real money, but the key is for tests'
                 else 'it is not real money' end end,
        case when f.currency is distinct from o.currency then
            format('its currency is %s', coalesce(f.currency, 'unknown')) end,
        case when (f.tax >= 0 and f.amount - f.tax = o.amount) is not true then
            format('the amount is %s with %s tax', coalesce(f.amount::text, '?'), coalesce(f.tax::text, '?')) end,
        case when f.discount is distinct from 0 then
            format('it has a discount of %s', coalesce(f.discount::text, '?')) end,
        case when f."order" = o.order_id::text and not (
                (f.session is null or order_route_take(o, f.session))
                and (f.payment_ref is null or order_route_take(o, f.payment_ref))) then
            'its checkout or payment belongs to another order' end), '');
end $$;

-- The state of an order after these facts. fits: payment_misfit() found nothing. Paid and rejected
-- orders keep their state; later refunds and disputes only change amounts.
create function payment_next_state(o purchase_order, f payment_facts, fits boolean) returns text
language sql immutable as $$
    select case
        when o.state in ('paid', 'rejected') then o.state
        when f.status = 'complete' and f.paid = 'paid' and fits then 'paid'
        when f.status = 'complete' and f.paid in ('paid', 'no_payment_required') then 'review'
        when f.status = 'complete' and o.state in ('new', 'open', 'processing') then
            case when f.intent_status in ('requires_payment_method', 'canceled') then 'failed'
                 else 'processing' end
        when f.status = 'expired' and o.state in ('new', 'open') then
            case when o.cancel_asked then 'cancelled' else 'expired' end
        else o.state end
$$;

-- When to read an order without a webhook; NULL: never.
create function payment_next_at(o purchase_order, p_now timestamptz) returns timestamptz
language sql stable as $$
    select case
        when o.state = 'new' and order_session_of(o) is null then o.expires_at - interval '31 minutes'
        when o.state in ('new', 'open') then
            case when o.cancel_asked then p_now + interval '1 minute'
                 else greatest(o.expires_at + interval '5 minutes', p_now + interval '10 minutes') end
        when o.state = 'processing' then p_now + interval '10 minutes'
        when o.state = 'paid' then
            case when o.disagrees_at is not null then p_now + interval '1 hour'
                 when p_now < o.paid_at + interval '24 hours' then o.paid_at + interval '24 hours' end
        end
$$;

-- When to read an order once more because what the processor shows may lag behind its events: five
-- minutes after the newest event. NULL: the read that began at p_read_at was late enough.
create function payment_confirm_at(o purchase_order, p_read_at timestamptz) returns timestamptz
language sql stable as $$
    select max(e.received_at) + interval '5 minutes' from payment_event e
     where e.order_id = o.order_id and e.provider = o.provider and e.state in (1, 2)
       and e.received_at > p_read_at - interval '5 minutes'
$$;

-- Write the audit entry and the emails about what a read has changed. was: the order before.
-- p_taken: see order_settle().
create function payment_tell(o purchase_order, was purchase_order, p_taken bigint) returns void
language plpgsql as $$
declare
    price jsonb := jsonb_build_object('credits', o.credits, 'price', money_json(o.amount, o.currency));
    paid_in text := coalesce(o.facts ->> 'currency', o.currency);
begin
    if o.state <> was.state then
        perform order_audit(o, 'order ' || case o.state when 'review' then 'in review' else o.state end);
    end if;
    if o.state = 'failed' and was.state <> 'failed' then
        perform order_mail(o, 'payment-failed', price);
    elsif o.state = 'review' and was.state <> 'review' then
        perform order_mail(o, 'order-checked', price);
    elsif o.state = 'paid' then
        if o.refunded > was.refunded or was.state <> 'paid' and o.refunded > 0 then
            perform order_mail(o, 'refunded', jsonb_build_object(
                'refunded', money_json(o.refunded, paid_in), 'credits', nullif(greatest(p_taken, 0), 0),
                'owed', nullif(o.owed, 0)));
        end if;
        if o.disputed > was.disputed or was.state <> 'paid' and o.disputed > 0 then
            perform order_mail(o, 'disputed', jsonb_build_object(
                'disputed', money_json(o.disputed, paid_in),
                'credits', case when o.refunded = was.refunded then nullif(greatest(p_taken, 0), 0) end,
                'owed', nullif(o.owed, 0)));
        end if;
        if p_taken < 0 then
            perform order_mail(o, 'restored', jsonb_build_object('credits', -p_taken));
        end if;
    end if;
end $$;

-- The order's row after these facts. Takes the routes that the facts name, but does not write the
-- row.
create function payment_merge(was purchase_order, p_facts jsonb, p_now timestamptz) returns purchase_order
language plpgsql as $$
declare
    f      payment_facts := jsonb_populate_record(null::payment_facts, p_facts);
    o      purchase_order;
    misfit text;
begin
    o := was;
    misfit := payment_misfit(o, f);
    if misfit is null then
        o.session_ref := f.session; -- unknown until now if the response of its creation was lost
        o.payment_ref := coalesce(f.payment_ref, o.payment_ref);
    end if;
    if o.state <> 'paid' and (select a.state from account a where a.account_id = was.account_id) = 'closed' then
        misfit := concat_ws('; ', misfit, 'the account is closed');
    end if;
    o.state := payment_next_state(was, f, misfit is null);
    o.disagrees_at := case when was.state = 'paid' and not o.is_accepted
                            and (f.status = 'complete' and f.paid = 'paid' and misfit is null) is not true
                           then coalesce(was.disagrees_at, p_now) end;
    if o.state = 'review' and f.status = 'complete' and f.paid <> 'unpaid' then
        o.note := coalesce(misfit, 'nothing was paid');
        o.session_ref := coalesce(o.session_ref, f.session);
        o.payment_ref := coalesce(o.payment_ref, f.payment_ref);
    end if;
    if o.state = 'paid' and was.state <> 'paid' then
        o.note := null;
    end if;
    if o.state in ('paid', 'review') and was.state <> 'paid' and f.status = 'complete' and f.paid <> 'unpaid' then
        o.total := case f.paid when 'paid' then greatest(f.amount, 0) else 0 end;
    end if;
    if was.state = 'paid' and was.total = 0 and o.is_accepted and f.paid = 'paid' then
        o.total := greatest(f.amount, 0); -- the order was accepted while it could not be read
    end if;
    -- Once an order is paid, amounts count only if the facts are about this order, or an operator
    -- has accepted them for it.
    if was.state <> 'paid' or o.is_accepted
       or f."order" = o.order_id::text and f.session = o.session_ref and f.live = f.live_wanted
          and coalesce(f.payment_ref = o.payment_ref, true) then
        o.refunded := greatest(coalesce(f.refunded, o.refunded), 0);
        o.disputed := greatest(coalesce(f.disputed, o.disputed), 0);
        o.receipt := coalesce(nullif(f.receipt, 'null'), o.receipt);
        o.facts := p_facts - 'receipt';
    end if;
    return o;
end $$;

-- Move an order and the ledger to the state that these facts show. Returns the order's state;
-- stale: another read has begun since, and nothing was done.
--
-- 1. This runs in one transaction that has locked the account's balance. Calls, grants and other
--    orders of the account come entirely before or after it.
-- 2. Of several reads of an order, only the one that began last counts.
-- 3. Nothing is added to earlier results: an order has one entry for its credits, and reversals
--    follow from the amounts. So the same facts twice change nothing, and the next read catches up
--    with everything that was missed.
create function payment_apply(p_account uuid, p_order uuid, p_number bigint, p_facts jsonb)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    f      payment_facts := jsonb_populate_record(null::payment_facts, p_facts);
    was    purchase_order;
    o      purchase_order;
    taken  bigint;
    now_at timestamptz;
begin
    if (f.status in ('open', 'complete', 'expired') and f.paid in ('paid', 'unpaid', 'no_payment_required'))
       is not true then
        raise exception 'the facts have no valid status';
    end if;
    perform 1 from account_balance where account_id = p_account for no key update;
    select * into was from purchase_order
     where account_id = p_account and order_id = p_order for no key update;
    if was.order_id is null then
        raise exception 'there is no order %', p_order;
    elsif was.read_no <> p_number then
        return 'stale';
    end if;
    now_at := ledger_now();
    o := payment_merge(was, p_facts, now_at);
    update purchase_order
       set state = case when o.state = 'paid' then was.state else o.state end, -- order_pay() sets paid
           session_ref = o.session_ref, payment_ref = o.payment_ref, total = o.total,
           refunded = o.refunded, disputed = o.disputed, receipt = o.receipt, facts = o.facts, note = o.note,
           disagrees_at = o.disagrees_at, applied_at = was.read_at, read_until = null, attempts = 0,
           read_error = null, unread_at = null,
           next_at = least(payment_next_at(o, now_at), payment_confirm_at(o, was.read_at))
     where account_id = p_account and order_id = p_order;
    if o.state = 'paid' and was.state <> 'paid' then
        perform order_pay(p_account, p_order);
    end if;
    if o.state = 'paid' then
        taken := order_settle(p_account, p_order);
        perform order_brings_grant(p_account, p_order);
    end if;
    perform order_collect_of(p_account);
    select * into o from purchase_order where account_id = p_account and order_id = p_order;
    perform payment_tell(o, was, taken);
    return o.state;
end $$;

-- Does this event report more refunds than the processor showed when the order was read? No, if a
-- newer event reports another amount or a failed refund.
create function payment_event_is_ahead(e payment_event, p_refunded bigint) returns boolean
language sql stable as $$
    select e.refunded > p_refunded
           and not exists (select from payment_event n
                            where (n.order_id = e.order_id or n.ref = e.ref)
                              and n.provider = e.provider and n.event_id <> e.event_id
                              and n.created_at >= e.created_at
                              and (n.type = 'refund.failed' or n.refunded is not null and n.created_at > e.created_at))
$$;

-- Mark the events that this read has seen as done. Call this after payment_apply(), as a separate
-- statement: a crash between the two costs one more read. Returns how many were marked.
--
-- What a processor shows may lag behind its events. An event that is ahead of the order's refunds
-- waits for another read, for three days.
create function payment_events_done(p_account uuid, p_order uuid, p_number bigint) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at timestamptz := ledger_now();
    o      purchase_order;
    done   integer;
begin
    select * into o from purchase_order
     where account_id = p_account and order_id = p_order for no key update;
    perform payment_events_lock(p_order);
    update payment_event e
       set state = case when a.is_ahead and e.received_at > now_at - interval '3 days' then 1 else 2 end,
           error = case when a.is_ahead then 'the processor does not show all of its refunds' end
      from payment_event w
     cross join lateral (select payment_event_is_ahead(w, o.refunded) is true as is_ahead) a
     where w.order_id = p_order and w.read_no = p_number and w.state = 1
       and e.provider = w.provider and e.event_id = w.event_id;
    get diagnostics done = row_count;
    return done;
end $$;

-- ---- webhooks and scheduled reads ----

-- The order that an event belongs to, by its order id, or by its checkout or payment.
create function payment_event_route(p_provider text, p_order uuid, p_ref text) returns order_route
language sql stable as $$
    select r from order_route r
     where r.provider = p_provider and r.ref in (p_order::text, p_ref)
     order by (r.ref = p_order::text) is true desc limit 1
$$;

-- Store an event of the processor. p_state: 1, or 4 if the event is not needed. p_refunded: see
-- payment_event; NULL: the event does not say it. False: it is already stored. An unmatched event
-- waits again.
create function payment_event_add(p_provider text, p_event_id text, p_type text, p_ref text, p_order uuid,
                                  p_live boolean, p_created timestamptz, p_sha256 bytea, p_state smallint,
                                  p_refunded bigint)
returns boolean language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    now_at timestamptz := ledger_now();
begin
    insert into payment_event (provider, event_id, type, ref, order_id, is_live, created_at, received_at,
                               sha256, refunded, state, next_at)
    values (p_provider, p_event_id, p_type, p_ref,
            coalesce((payment_event_route(p_provider, p_order, p_ref)).order_id, p_order), p_live, p_created,
            now_at, p_sha256, p_refunded, p_state, now_at)
        on conflict (provider, event_id) do update
        set state = excluded.state, received_at = now_at, attempts = 0, next_at = now_at, error = null
      where payment_event.state = 3;
    return found;
end $$;

-- Schedule a read for the orders of due events. An event without an order that has a checkout is
-- retried for three days.
create function payment_events_due(p_provider text, p_limit integer, p_now timestamptz) returns void
language plpgsql as $$
declare
    e payment_event;
    r order_route;
    o purchase_order;
begin
    for e in select * from payment_event w
              where w.provider = p_provider and w.state = 1 and w.next_at <= p_now
              order by w.next_at limit p_limit for no key update skip locked loop
        r := payment_event_route(e.provider, e.order_id, e.ref);
        o := null;
        if r.order_id is not null then
            select * into o from purchase_order w
             where w.account_id = r.account_id and w.order_id = r.order_id for no key update skip locked;
            continue when not found; -- another session works on it
            e.order_id := r.order_id;
        end if;
        update payment_event set order_id = e.order_id, attempts = e.attempts + 1,
               next_at = p_now + payment_backoff(e.attempts)
         where provider = e.provider and event_id = e.event_id;
        if order_session_of(o) is not null then
            update purchase_order set next_at = p_now
             where account_id = o.account_id and order_id = o.order_id;
        else
            update payment_event
               set state = case when e.received_at < p_now - interval '3 days' then 3 else 1 end,
                   error = 'it does not belong to an order with a checkout'
             where provider = e.provider and event_id = e.event_id;
        end if;
    end loop;
end $$;

-- Cancel orders that never got a checkout, 31 minutes before they expire: the processor does not
-- create a checkout of less than 30 minutes.
create function order_end_new(p_limit integer, p_now timestamptz) returns void language plpgsql as $$
declare
    o purchase_order;
begin
    for o in select * from purchase_order w
              where w.next_at <= p_now and w.state = 'new' and order_session_of(w) is null
                and w.expires_at - interval '31 minutes' <= p_now
              order by w.next_at limit p_limit for no key update skip locked loop
        update purchase_order set state = 'cancelled', next_at = null
         where account_id = o.account_id and order_id = o.order_id;
        perform order_audit(o, 'order cancelled');
    end loop;
end $$;

-- Up to p_limit orders that must be read now, with their checkouts. The caller has 45 seconds to
-- read an order. Then the order is due again, unless payment_apply() or payment_missed() has set
-- the next time. Only orders of p_provider: others wait for a portal that has their provider's
-- keys.
create function order_due(p_provider text, p_limit integer)
returns table (account_id uuid, order_id uuid, state text, session_ref text, cancel_asked boolean,
               expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
    now_at timestamptz := ledger_now();
begin
    perform order_end_new(p_limit, now_at);
    perform payment_events_due(p_provider, p_limit, now_at);
    return query
    with due as (
        select w.account_id, w.order_id, order_session_of(w) as session
          from purchase_order w
         where w.next_at <= now_at and w.provider = p_provider
         order by w.next_at limit p_limit for no key update skip locked
    ), taken as (
        update purchase_order o
           set next_at = case when d.session is not null then now_at + interval '45 seconds'
                              else payment_next_at(o, now_at) end
          from due d where o.account_id = d.account_id and o.order_id = d.order_id
        returning o.account_id, o.order_id, o.state, d.session, o.cancel_asked, o.expires_at
    )
    select * from taken t where t.session is not null;
end $$;

-- Read an order soon, and retry for three days if reads fail. False: unknown order.
create function order_refresh(p_account uuid, p_order uuid) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    update purchase_order set next_at = ledger_now(), attempts = 0, unread_at = null
     where account_id = p_account and order_id = p_order;
    return found;
end $$;

-- After a restore: make an order of the lost time again from its checkout at the processor, so that
-- a payment there counts. Nothing is granted here: the order is read soon, and its facts decide, as
-- for every other order. Its id makes sure that it is credited once. Returns an outcome:
--   known       the order exists, and is read again soon
--   recovered   it was made again, open
--   no_account  the account does not exist, or the checkout names none
--   no_pack     no pack has these credits at this price: an operator must decide
--   taken       the order or the checkout belongs to another account or order
create function order_recover(p_account uuid, p_order uuid, p_provider text, p_session text, p_credits bigint,
                              p_amount bigint, p_currency text, p_created timestamptz, p_expires timestamptz)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    has_account boolean;
    r order_route;
    o purchase_order;
begin
    perform 1 from account_balance where account_id = p_account for no key update;
    has_account := found;
    select * into r from order_route where order_id = p_order and ref = p_order::text;
    if r.order_id is not null then
        if r.provider <> p_provider or r.account_id <> p_account then
            return 'taken';
        end if;
        perform order_refresh(r.account_id, p_order);
        return 'known';
    elsif exists (select from order_route where provider = p_provider and ref = p_session) then
        return 'taken';
    elsif not has_account then
        return 'no_account';
    end if;
    o.account_id := p_account;
    o.order_id := p_order;
    o.provider := p_provider;
    o.pack_id := (select min(pack_id) from pack
                   where credits = p_credits and price_cents = p_amount and currency = p_currency);
    if o.pack_id is null then
        return 'no_pack';
    elsif not (order_route_take(o, p_order::text) and order_route_take(o, p_session)) then
        raise exception 'order % was made at the same time', p_order;
    end if;
    insert into purchase_order (account_id, order_id, member_id, pack_id, credits, amount, currency, provider,
                                state, session_ref, created_at, expires_at, next_at)
    values (p_account, p_order, (select m.member_id from member m where m.account_id = p_account), o.pack_id,
            p_credits, p_amount, p_currency, p_provider, 'open', p_session, p_created, p_expires, ledger_now());
    return 'recovered';
end $$;

-- ---- decisions of the operator ----

-- End a review.
-- - p_accept: the order becomes paid although the facts do not match. Credits of refunds and
--   disputes are taken back at once.
-- - else the order becomes rejected, and no credits are given.
-- An order that is not in review does not change. Returns the order's state; NULL: there is no such
-- order.
create function order_decide(p_account uuid, p_order uuid, p_accept boolean, p_note text, p_actor text)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    was   purchase_order;
    o     purchase_order;
    taken bigint;
begin
    perform 1 from account_balance where account_id = p_account for no key update;
    select * into was from purchase_order
     where account_id = p_account and order_id = p_order for no key update;
    if was.order_id is null or was.state <> 'review' then
        return was.state;
    end if;
    update purchase_order
       set note = p_note, is_accepted = p_accept, next_at = null,
           state = case when p_accept then state else 'rejected' end
     where account_id = p_account and order_id = p_order;
    if p_accept then
        perform order_pay(p_account, p_order);
        taken := order_settle(p_account, p_order);
        perform order_brings_grant(p_account, p_order);
        perform order_collect_of(p_account);
    end if;
    select * into o from purchase_order where account_id = p_account and order_id = p_order;
    insert into audit_log (at, actor, action, account_id, detail)
    values (ledger_now(), p_actor, 'order ' || case when p_accept then 'accept' else 'reject' end, p_account,
            'order ' || p_order);
    if p_accept then
        perform payment_tell(o, was, taken);
    else
        perform order_mail(o, 'order-rejected', jsonb_build_object('price', money_json(o.amount, o.currency)));
    end if;
    return o.state;
end $$;

-- ---- verification ----

-- What is missing or contradictory about a paid order that no operator has accepted; NULL: nothing.
-- Its columns must agree with the facts of its payment, its pack and its routes. While the
-- processor disagrees (disagrees_at), the newest facts may show another amount or no payment.
create function order_contradiction(o purchase_order) returns text language plpgsql stable as $$
declare
    f payment_facts := jsonb_populate_record(null::payment_facts, o.facts);
begin
    return nullif(concat_ws('; ',
        case when o.facts is null then 'it has no facts' end,
        case when o.session_ref is null then 'it has no checkout' end,
        case when f."order" <> o.order_id::text or f.session <> o.session_ref or f.payment_ref <> o.payment_ref
             then 'its facts are of another order, checkout or payment' end,
        case when o.disagrees_at is null
                  and (f.status, f.paid, f.live, f.currency, f.amount - f.tax, f.discount, f.amount)
                      is distinct from ('complete', 'paid', f.live_wanted, o.currency, o.amount, 0, o.total)
             then 'its facts do not show that its price was paid' end,
        case when (o.refunded, o.disputed)
                  is distinct from (greatest(coalesce(f.refunded, o.refunded), 0),
                                    greatest(coalesce(f.disputed, o.disputed), 0))
             then 'its refunds and disputes are not those of its facts' end,
        case when not exists (select from pack p
                               where p.pack_id = o.pack_id and p.credits = o.credits and p.price_cents = o.amount
                                 and p.currency = o.currency)
             then 'its credits and price are not those of its pack' end,
        (select 'the route of ' || w.ref || ' does not lead to it'
           from unnest(array[o.order_id::text, o.session_ref, o.payment_ref]) w (ref)
          where w.ref is not null
            and not exists (select from order_route r
                             where r.provider = o.provider and r.ref = w.ref and r.account_id = o.account_id
                               and r.order_id = o.order_id)
          limit 1)), '');
end $$;

-- Invariant 12: find paid orders without exactly one entry of their credits, other orders with an
-- entry, purchase entries without an order, and paid orders with an order_contradiction(). An
-- account has few entries of this kind, so all of them are read each time.
create function payments_verify_orders(p_after uuid, p_until uuid)
returns table (account_id uuid, detail text) language sql stable as $$
    select coalesce(o.account_id, e.account_id),
           format('order %s is %s with %s credits, but has %s purchase entries of %s',
                  coalesce(o.order_id, e.reference), coalesce(o.state, 'unknown'), coalesce(o.credits, 0),
                  coalesce(e.entries, 0), coalesce(e.credits, 0))
      from (select * from purchase_order w where w.account_id > p_after and w.account_id <= p_until) o
      full join (select l.account_id, l.reference, count(*) as entries, sum(l.amount) as credits
                   from ledger_entry l
                  where l.account_id > p_after and l.account_id <= p_until and l.kind = 2
                  group by 1, 2) e
        on e.account_id = o.account_id and e.reference = o.order_id
     where coalesce(e.entries, 0) <> case o.state when 'paid' then 1 else 0 end
        or coalesce(e.credits, 0) <> case o.state when 'paid' then o.credits else 0 end
    union all
    select w.account_id, format('order %s: %s', w.order_id, c.contradiction)
      from purchase_order w
     cross join lateral order_contradiction(w) c (contradiction)
     where w.account_id > p_after and w.account_id <= p_until and w.state = 'paid' and not w.is_accepted
       and c.contradiction is not null
$$;

-- Invariant 13: find orders whose reversed differs from the sum of their reversals, or whose
-- reversed plus owed differs from the credits of their refunds and disputes; and reversals without
-- exactly one matching entry.
create function payments_verify_reversals(p_after uuid, p_until uuid)
returns table (account_id uuid, detail text) language sql stable as $$
    select coalesce(o.account_id, r.account_id),
           format('order %s: %s taken back and %s owed, expected %s in total; its reversals sum to %s',
                  coalesce(o.order_id, r.order_id), o.reversed, o.owed, order_target(o.o),
                  coalesce(r.credits, 0))
      from (select w as o, w.account_id, w.order_id, w.reversed, w.owed from purchase_order w
             where w.account_id > p_after and w.account_id <= p_until) o
      full join (select v.account_id, v.order_id, sum(v.credits) as credits from order_reversal v
                  where v.account_id > p_after and v.account_id <= p_until group by 1, 2) r
        on r.account_id = o.account_id and r.order_id = o.order_id
     where (o.reversed, o.reversed + o.owed) is distinct from (coalesce(r.credits, 0), order_target(o.o))
    union all
    select coalesce(v.account_id, e.account_id),
           format('reversal %s of %s credits has entries with amounts %s', coalesce(v.reversal_id, e.reference),
                  coalesce(v.credits, 0), coalesce(e.amounts, '{}'))
      from (select * from order_reversal w where w.account_id > p_after and w.account_id <= p_until) v
      full join (select l.account_id, l.reference, array_agg(l.amount) as amounts
                   from ledger_entry l
                  where l.account_id > p_after and l.account_id <= p_until and l.kind in (6, 7)
                  group by 1, 2) e
        on e.account_id = v.account_id and e.reference = v.reversal_id
     where array[-v.credits] is distinct from e.amounts
$$;

-- ---- the processor's balance ----

-- What the portals found on the last days, until it is the same again. Only shown and counted: a
-- portal's password can write it.
create table reconcile_difference (
    provider   text not null,
    order_id   uuid not null, -- may not exist
    what       text not null,
    currency   text not null,
    account_id uuid,
    payment    text not null, -- one or more, with a blank between them
    ledger     bigint not null,
    processor  bigint not null,
    found_at   timestamptz not null,
    checked_at timestamptz not null,
    primary key (provider, order_id, what, currency)
);

-- A line: what is compared of one of the processor's balance transactions that belongs to a
-- payment, or of a refund or dispute whose money has not moved yet
-- (common/payments/balance-transactions.h). Amounts are in minor units.
create type reconcile_line as (
    id              text,
    what            text,    -- paid, refunded or disputed
    created         bigint,  -- Unix time
    currency        text,    -- of the balance
    amount          bigint,  -- above 0: into the balance
    payment         text,
    order_id        uuid,    -- that the payment names; NULL: it does not
    source_currency text,    -- of the charge, refund or dispute
    source_amount   bigint,
    is_unsettled    boolean  -- it counts, but nothing has moved yet
);

-- The lines of two lists, each transaction once. p_listed: of the processor's list of the time from
-- p_from until p_to. p_read: what it says about single payments. A transaction of that time that is
-- not in the list does not count.
create function reconcile_lines(p_listed jsonb, p_read jsonb, p_from timestamptz, p_to timestamptz)
returns setof reconcile_line language sql stable as $$
    (select distinct on (l.id) l from jsonb_populate_recordset(null::reconcile_line, p_listed) l)
    union all
    select distinct on (r.id) r from jsonb_populate_recordset(null::reconcile_line, p_read) r
     where r.id not in (select w.id from jsonb_populate_recordset(null::reconcile_line, p_listed) w)
       and (r.is_unsettled
            or (to_timestamp(r.created) >= p_from and to_timestamp(r.created) < p_to) is not true)
$$;

-- The amount and currency of a line in the currency in which its order was paid (p_currency). If
-- the balance has another currency, the source has the amount. A dispute in a third currency is
-- about the whole payment, as for order_target(). A line in neither currency stays as it is.
create function reconcile_money(l reconcile_line, p_currency text, p_total bigint, out currency text, out amount bigint)
language sql immutable as $$
    select case when p_currency in (l.currency, l.source_currency) or l.what = 'disputed'
                then coalesce(p_currency, l.currency) else l.currency end,
           case when p_currency is null then l.amount
                when l.what = 'disputed' and l.source_currency <> p_currency then sign(l.amount)::bigint * p_total
                when l.currency = p_currency then l.amount
                when l.source_currency = p_currency then sign(l.amount)::bigint * l.source_amount
                else l.amount end * case l.what when 'paid' then 1 else -1 end
$$;

-- The payments of these lines, and the order that each belongs to. account_id NULL: the payment
-- names an order that does not exist.
create function reconcile_payments(p_provider text, p_lines reconcile_line[])
returns table (payment text, account_id uuid, order_id uuid) language sql stable as $$
    select p.payment, r.account_id, coalesce(r.order_id, p.named)
      from (select l.payment, (array_agg(l.order_id) filter (where l.order_id is not null))[1] as named
              from unnest(p_lines) l group by l.payment) p
      left join lateral (select w.account_id, w.order_id from order_route w
                          where w.provider = p_provider and w.ref in (p.payment, p.named::text)
                          order by (w.ref = p.payment) desc limit 1) r on true
     where coalesce(r.order_id, p.named) is not null
$$;

-- The credits of an order: those of its entries, and those that its amounts require.
create function reconcile_credits(o purchase_order, out entries bigint, out required bigint)
language sql stable as $$
    select coalesce(sum(e.amount), 0)::bigint,
           case when o.state = 'paid' then o.credits + o.owed - order_target(o) else 0 end
      from (select o.order_id union all
            select r.reversal_id from order_reversal r
             where r.account_id = o.account_id and r.order_id = o.order_id) v (ref)
      join ledger_entry e on e.account_id = o.account_id and e.kind in (2, 6, 7) and e.reference = v.ref
$$;

-- What the ledger has of an order, as reconcile_sides() returns it. p_currency: in which it was
-- paid.
create function reconcile_ledger(o purchase_order, p_currency text)
returns table (what text, currency text, ledger bigint, processor bigint) language sql stable as $$
    values ('paid', p_currency, coalesce(o.total, 0), 0),
           ('refunded', p_currency, o.refunded, 0),
           ('disputed', p_currency, o.disputed, 0)
    union all
    select 'credits', 'credits', c.entries, c.required from reconcile_credits(o) c
$$;

-- Is an order compared? With a key for tests: a test at this processor. With a live key: each
-- order, of any provider, because only the portals say that it is a test, and its credits are real.
-- But not a test that gave no credits, or that was paid before p_live_since.
create function reconcile_applies(o purchase_order, p_provider text, p_test boolean, p_live_since timestamptz)
returns boolean language sql immutable as $$
    select case when p_test then (o.provider = p_provider) is not false and order_is_test(o) is not false
                else (order_is_test(o) and (o.state <> 'paid' or o.paid_at < p_live_since)) is not true end
$$;

-- The orders that changed from p_from on, and were created before p_to.
create function reconcile_changed(p_from timestamptz, p_to timestamptz)
returns table (order_id uuid, account_id uuid) language sql stable as $$
    select o.order_id, o.account_id from purchase_order o
     where o.total is not null
       and greatest(o.applied_at, o.paid_at) >= p_from and o.created_at < p_to
$$;

-- Compare orders with lines, in both directions: for each order, kind of amount and currency, what
-- the ledger and what the processor has. `credits`: reconcile_credits(). Orders in the state
-- processing wait for their money.
--
-- - p_orders NULL: the orders of the lines, and reconcile_changed(). Otherwise these orders;
--   p_accounts has the account of each, NULL if it is not known.
-- - p_test: the mode of the key. p_live_since: see reconcile_applies().
-- - is_complete: p_listed has all lines of the order, because it is younger than p_from, apart from
--   differences between clocks.
-- - changed_at: the payment here, or the newest line there. Events and refunds do not count: a
--   portal can repeat them, and so postpone the comparison for ever.
create function reconcile_sides(p_provider text, p_test boolean, p_from timestamptz, p_to timestamptz,
                              p_listed jsonb, p_read jsonb, p_orders uuid[], p_accounts uuid[],
                              p_live_since timestamptz)
returns table (account_id uuid, order_id uuid, number bigint, payments text[], what text, currency text,
               ledger bigint, processor bigint, is_complete boolean, changed_at timestamptz)
language sql stable as $$
    with lines as materialized (
        select l.* from reconcile_lines(p_listed, p_read, p_from, p_to) l
    ), owners as materialized (
        select p.* from reconcile_payments(p_provider, array(select l::reconcile_line from lines l)) p
         where p_orders is null or p.order_id = any (p_orders)
    ), paying as materialized (
        select w.order_id, array_agg(w.payment) as payments from owners w group by w.order_id
    ), picked as materialized (
        select distinct on (v.order_id) v.order_id, v.account_id
          from (select w.order_id, w.account_id from owners w
                union all
                select c.order_id, c.account_id from reconcile_changed(p_from, p_to) c where p_orders is null
                union all
                select d.order_id, coalesce(d.account_id, r.account_id)
                  from unnest(p_orders, p_accounts) d (order_id, account_id)
                  left join order_route r on r.order_id = d.order_id and r.ref = r.order_id::text) v
         order by v.order_id, v.account_id nulls last
    ), orders as materialized (
        select p.order_id, p.account_id, o, coalesce(o.facts ->> 'currency', o.currency) as currency,
               array(select distinct x from unnest(array_append(w.payments, o.payment_ref)) x
                      where x is not null) as payments
          from picked p
          left join paying w on w.order_id = p.order_id
          left join purchase_order o on o.account_id = p.account_id and o.order_id = p.order_id
         where reconcile_applies(o, p_provider, p_test, p_live_since) and o.state is distinct from 'processing'
    ), moved as materialized (
        select w.order_id, l.what, m.currency, m.amount, to_timestamp(l.created) as at
          from lines l
          join owners w on w.payment = l.payment
          join orders o on o.order_id = w.order_id
         cross join lateral reconcile_money(l::reconcile_line, o.currency, coalesce((o.o).total, 0)) m
    ), newest as materialized (
        select m.order_id, max(m.at) as at from moved m group by m.order_id
    ), sides as (
        select o.order_id, s.* from orders o, reconcile_ledger(o.o, o.currency) s where o.account_id is not null
        union all
        select m.order_id, m.what, m.currency, 0, m.amount from moved m
    ), sums as materialized (
        select s.order_id, s.what, s.currency, sum(s.ledger)::bigint as ledger, sum(s.processor)::bigint as processor
          from sides s group by s.order_id, s.what, s.currency
    )
    select o.account_id, o.order_id, (o.o).number, o.payments, s.what, s.currency, s.ledger, s.processor,
           ((o.o).created_at >= p_from + interval '10 minutes') is true, greatest((o.o).paid_at, n.at)
      from sums s
      join orders o on o.order_id = s.order_id
      left join newest n on n.order_id = s.order_id
$$;

-- Store differences, a list of common/payments/reconcile.h, and remove those of p_checked that are
-- no longer found.
create function reconcile_record(p_provider text, p_checked uuid[], p_found jsonb) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    with found as materialized (
        select * from jsonb_to_recordset(p_found)
            f ("order" uuid, account uuid, payment text, what text, currency text, ledger bigint, processor bigint)
    ), gone as (
        delete from reconcile_difference d
         where d.provider = p_provider and d.order_id = any (p_checked)
           and not exists (select from found f where f."order" = d.order_id and f.what = d.what
                                                 and f.currency = d.currency)
    )
    insert into reconcile_difference as d (provider, order_id, what, currency, account_id, payment, ledger, processor,
                                         found_at, checked_at)
    select p_provider, f."order", f.what, f.currency, f.account, coalesce(f.payment, ''), f.ledger, f.processor,
           now_at, now_at
      from found f cross join ledger_now() now_at
        on conflict (provider, order_id, what, currency) do update
        set account_id = excluded.account_id, payment = excluded.payment, ledger = excluded.ledger,
            processor = excluded.processor, checked_at = excluded.checked_at
$$;

-- ---- rights ----

revoke execute on all functions in schema public from public;
grant select on purchase_order, order_route, order_reversal, payment_event, test_payment, reconcile_difference
    to tollgate_portal, tollgate_operator;
grant insert, update, delete on test_payment to tollgate_portal;
grant execute on function
    order_open(uuid, uuid, uuid, smallint, text, integer, boolean),
    order_session(uuid, uuid, text, text, timestamptz),
    order_fail(uuid, uuid, text),
    order_cancel(uuid, uuid),
    order_refresh(uuid, uuid),
    order_due(text, integer),
    order_collect(integer),
    order_abandon_unserved(text[], integer),
    payment_begin(uuid, uuid),
    payment_missed(uuid, uuid, bigint, text),
    payment_apply(uuid, uuid, bigint, jsonb),
    payment_events_done(uuid, uuid, bigint),
    payment_event_add(text, text, text, text, uuid, boolean, timestamptz, bytea, smallint, bigint),
    reconcile_record(text, uuid[], jsonb) to tollgate_portal;
grant execute on function order_is_test(purchase_order), order_target(purchase_order),
    reconcile_lines(jsonb, jsonb, timestamptz, timestamptz), reconcile_money(reconcile_line, text, bigint),
    reconcile_payments(text, reconcile_line[]), reconcile_credits(purchase_order),
    reconcile_ledger(purchase_order, text),
    reconcile_applies(purchase_order, text, boolean, timestamptz), reconcile_changed(timestamptz, timestamptz),
    reconcile_sides(text, boolean, timestamptz, timestamptz, jsonb, jsonb, uuid[], uuid[], timestamptz)
    to tollgate_portal, tollgate_operator;

-- tollctl: packs, and orders that need an operator
grant insert, update (is_sold) on pack to tollgate_operator;
grant execute on function order_decide(uuid, uuid, boolean, text, text), order_refresh(uuid, uuid),
    order_recover(uuid, uuid, text, text, bigint, bigint, text, timestamptz, timestamptz),
    order_contradiction(purchase_order), payments_verify_orders(uuid, uuid),
    payments_verify_reversals(uuid, uuid) to tollgate_operator;
