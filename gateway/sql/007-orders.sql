-- gateway/sql/007-orders.sql - orders of credits: what a member bought, what the payment processor says of
-- it, and what follows for the ledger.
--
-- A webhook only says "look again". What happened is read back from the processor and given to
-- payment_apply() as facts, which moves the order and the ledger to where the facts say, from wherever
-- they are. So facts may come twice, late or not at all, from any number of portals, and a crash
-- between any two steps ends alike. Credits move in no other way.
--
-- Locks are taken in this order: an account's balance, its order, routes, events. Whoever needs only
-- one of them takes only that one.

create table purchase_order (
    account_id   uuid not null,
    order_id     uuid not null, -- the form's, so that a reload makes it once; reference of its entry
    number       bigint generated always as identity (start with 1001) unique, -- for people
    member_id    uuid, -- who ordered; he may be gone
    pack_id      smallint not null,
    credits      bigint not null check (credits > 0), -- of the pack, as it was
    amount       bigint not null check (amount > 0),  -- its price, in the currency's minor unit
    currency     text not null,
    provider     text not null,
    state        text not null check (state in ('new', 'open', 'processing', 'paid', 'failed', 'expired',
                                                'cancelled', 'review', 'rejected')),
    session_ref  text, -- the processor's checkout
    payment_ref  text, -- and payment
    checkout_url text,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    cancel_asked boolean not null default false, -- the member wants it ended at the processor
    paid_at      timestamptz,
    total        bigint, -- what was paid, with tax; of one that is paid or in review
    refunded     bigint not null default 0, -- of the total, as the newest read says
    disputed     bigint not null default 0,
    reversed     bigint not null default 0, -- credits taken back for that: -(kinds 6 and 7),
    owed         bigint not null default 0, -- and those that were not there to be taken
    is_accepted  boolean not null default false, -- by hand, though the facts did not match
    disagrees_at timestamptz, -- paid, but since then the processor says that it is not
    read_no      bigint not null default 0, -- of the newest read that has begun
    read_until   timestamptz,               -- while it lasts, no other begins; NULL: none is under way
    next_at      timestamptz,               -- when it is read without being asked; NULL: never
    attempts     integer not null default 0, -- reads that failed since the last that did not
    receipt      jsonb,                     -- what the processor tells for it
    facts        jsonb,                     -- as last read
    note         text,                      -- why it failed, or is in review; what the last read met
    primary key (account_id, order_id),
    check (reversed >= 0 and owed >= 0 and reversed + owed <= credits),
    check (state = 'paid' or reversed + owed = 0),
    check (state <> 'paid' or num_nonnulls(paid_at, total) = 2),
    check (refunded >= 0 and disputed >= 0)
);
create index purchase_order_number on purchase_order (account_id, number desc);
create index purchase_order_next on purchase_order (next_at) where next_at is not null;
create index purchase_order_owed on purchase_order (account_id) where owed > 0;

-- Whose order it is that an id of a webhook means: an order's, a checkout's or a payment's.
create table order_route (
    provider   text not null,
    ref        text not null,
    account_id uuid not null,
    order_id   uuid not null,
    primary key (provider, ref)
);
-- An order's id is one account's, whichever provider it is paid by: so a payment is credited once.
create unique index order_route_order on order_route (order_id) where ref = order_id::text;
create index order_route_refs on order_route (account_id, order_id);

create table order_reversal (
    account_id  uuid not null,
    reversal_id uuid not null, -- reference of its entry
    order_id    uuid not null,
    credits     bigint not null check (credits <> 0), -- taken back; below 0: given again
    refunded    bigint not null, -- what it stands for
    disputed    bigint not null,
    at          timestamptz not null,
    primary key (account_id, reversal_id)
);
create index order_reversal_order on order_reversal (account_id, order_id);

create table payment_event (
    provider    text not null,
    event_id    text not null,
    type        text not null,
    ref         text, -- checkout or payment that it tells of
    order_id    uuid, -- NULL: not known (yet)
    is_live     boolean not null,
    created_at  timestamptz not null, -- at the processor
    received_at timestamptz not null,
    sha256      bytea not null check (octet_length(sha256) = 32), -- of its body
    state       smallint not null default 1 check (state between 1 and 4),
    read_no     bigint, -- a read that began when it was here
    attempts    integer not null default 0,
    next_at     timestamptz not null,
    error       text,
    primary key (provider, event_id)
);
comment on column payment_event.state is '1 waits, 2 done, 3 unmatched, 4 ignored';
create index payment_event_next on payment_event (next_at) where state = 1;
create index payment_event_order on payment_event (order_id, received_at);
create index payment_event_received on payment_event (received_at);

-- Facts of the provider `test`: what its page was told to do.
create table test_payment (
    order_id   uuid primary key,
    status     text not null check (status in ('open', 'complete', 'failed', 'expired')),
    paid_after timestamptz, -- complete: the money is there from then on
    refunded   bigint not null default 0,
    disputed   bigint not null default 0
);

-- To come; these signatures hold:
--
-- order_open(p_account uuid, p_order uuid, p_member uuid, p_pack smallint, p_provider text, p_ttl_s integer)
--     returns table (outcome text, order_id uuid, number bigint, state text, credits bigint, amount bigint,
--                    currency text, checkout_url text, created_at timestamptz, expires_at timestamptz)
--     outcome: new, same (this id again), taken (another account's), reuse (an open one of this pack that has
--     more than 15 minutes left: read it, then ask again or go there), too_many, not_sold, suspended; of the
--     last four but reuse there is no order
-- order_session(p_account uuid, p_order uuid, p_session text, p_url text, p_expires timestamptz) returns boolean
--     new -> open; again with the same session: true; false: it is not new any more (end the session)
-- order_fail(p_account uuid, p_order uuid, p_note text) returns text         -- new -> failed; its state after
-- order_cancel(p_account uuid, p_order uuid) returns text                    -- its state after; NULL: none
--     p_order NULL: all of the account's that are new, open or processing
-- order_refresh(p_account uuid, p_order uuid) returns boolean                -- due now
-- payment_begin(p_account uuid, p_order uuid) returns bigint                 -- NULL: busy
-- payment_apply(p_account uuid, p_order uuid, p_number bigint, p_facts jsonb) returns text -- stale, or the state
-- payment_missed(p_account uuid, p_order uuid, p_number bigint, p_error text) returns void -- no facts: try later
-- payment_events_done(p_order uuid, p_number bigint) returns integer
-- payment_event_add(p_provider text, p_event_id text, p_type text, p_ref text, p_order uuid, p_live boolean,
--                   p_created timestamptz, p_sha256 bytea, p_state smallint) returns boolean -- false: known
-- order_due(p_provider text, p_limit integer)
--     returns table (account_id uuid, order_id uuid, state text, session_ref text, cancel_asked boolean,
--                    expires_at timestamptz)
--     session_ref: its own, else that of a waiting event of a checkout; NULL: there is nothing to read
-- order_collect(p_limit integer) returns integer                             -- accounts taken from
-- order_decide(p_account uuid, p_order uuid, p_accept boolean, p_note text, p_actor text) returns text
-- money_text(p_minor bigint, p_currency text) returns text                   -- 15.00 USD

grant select on purchase_order, order_route, order_reversal, payment_event, test_payment
    to tollgate_portal, tollgate_operator;
grant insert, update, delete on test_payment to tollgate_portal;
grant insert, update (is_sold) on pack to tollgate_operator;
