-- gateway/sql/001-accounts.sql - accounts, tokens, tools, and the tables that hold money.
--
-- Every table of an account has a key that starts with account_id, so that the day one server is
-- outgrown the rows of an account move together. Credits are whole numbers. Nothing here needs
-- triggers in the path of a call, sequences, advisory locks or notifications.

create table account (
    account_id uuid primary key,
    name       text not null check (length(name) between 1 and 200),
    state      text not null default 'active' check (state in ('active', 'suspended', 'closed')),
    limits_off boolean not null default false, -- internal accounts and benchmarks
    created_at timestamptz not null,
    withheld   bigint not null default 0 check (withheld between 0 and 10000) -- a sign-up grant beyond its
                                     -- day's budget (006-members.sql): the first purchase brings it
);

create table token (
    account_id   uuid not null references account,
    token_id     uuid not null,
    digest       bytea not null check (octet_length(digest) = 32), -- SHA-256 of the token
    name         text not null default '',
    last4        text not null,
    scopes       text[] not null default '{}', -- tools and groups; none: everything
    created_at   timestamptz not null,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz, -- to five minutes, so that a busy token is not written at each call
    cap_daily    bigint check (cap_daily >= 0), -- credits that it may spend in a day (UTC), and in its
    cap_total    bigint check (cap_total >= 0), -- life; NULL: no cap
    spent_day    date,   -- of a token that was made with a cap, and of no other: its newest day, what
    spent_today  bigint, -- it has spent and holds of that day, and in all
    spent_total  bigint,
    kind         smallint not null default 1 check (kind in (1, 2)),
    session_id   uuid, -- of kind 2: it ends when the session ends
    primary key (account_id, token_id),
    unique (account_id, digest),
    check ((kind = 2) = (session_id is not null)),
    check (spent_total is not null or num_nonnulls(cap_daily, cap_total, spent_day, spent_today) = 0)
) with (fillfactor = 70); -- room on the page: a token with caps is updated by each of its calls
comment on column token.spent_total is
    'NULL: never counted: counting past calls would read all entries while the account is locked';
create index token_session on token (session_id) where session_id is not null;
comment on column token.kind is '1 created by a person, 2 created by the portal for the playground of a session';

-- What calls cost. `tollctl db migrate` writes it from the contracts, as the owner: a gateway
-- charges only a price that stands here. While gateways are rolled, old ones charge price_before
-- and new ones price.
create table tool (
    tool_id      smallint primary key, -- tool_number() of its name
    name         text not null unique,
    tool_group   text not null,
    rate_class   text not null,
    price        bigint not null check (price between 0 and 1000), -- credits of one call
    price_before bigint check (price_before between 0 and 1000)    -- until the last change; NULL: never changed
);

-- Tests shift the ledger's clock in their sessions (ledger_now_ms()). A shift counts only while
-- this table has its row, which nobody but the owner can write: an installation leaves it empty.
create table test_clock (
    is_on boolean primary key default true check (is_on)
);

-- What an account can spend is posted - held. The ring lists the calls admitted in the last
-- minute, oldest first: because the limit over all tools is 60 a minute, every window of the
-- account is a count over it.
create table account_balance (
    account_id uuid primary key references account,
    posted     bigint not null default 0,
    held       bigint not null default 0,
    granted    bigint not null default 0, -- sums of entries, by kind: grants and adjustments,
    purchased  bigint not null default 0, -- purchases, less what was taken back of them,
    used       bigint not null default 0, -- usage less refunds
    seq        bigint not null default 0, -- of the newest entry
    ring_at    bigint[] not null default '{}',   -- milliseconds since 1970, never falling
    ring_tool  smallint[] not null default '{}',
    check (posted >= 0 and held >= 0 and held <= posted and used >= 0 and purchased >= 0),
    check (posted = granted + purchased - used),
    check (cardinality(ring_at) <= 60 and cardinality(ring_at) = cardinality(ring_tool))
) with (fillfactor = 40); -- room on the page, so that updates stay there (HOT)

-- Credits set aside for a call that runs. A hold ends once; rows stay 2 days so that a request
-- sent again after a lost connection finds its outcome. No index covers `state`: ending a hold
-- stays on its page.
create table hold (
    account_id      uuid not null,
    hold_id         uuid not null, -- also the request's and the job's id
    amount          bigint not null,
    tool_id         smallint not null,
    state           smallint not null default 1 check (state between 1 and 4),
    quota_day       date,          -- the day whose quota it took, NULL: none
    idempotency_key bytea,
    is_replayed     boolean not null default false, -- its answer was given out for its key
    created_at      timestamptz not null,
    expires_at      timestamptz not null,
    settled_at      timestamptz,
    token_id        uuid,          -- whose call it is
    primary key (account_id, hold_id),
    check (amount > 0 or amount = 0 and state = 3) -- 0: cancelled before it was admitted
) with (fillfactor = 70);
create index hold_expiry on hold (expires_at);
comment on column hold.state is '1 open, 2 captured, 3 voided, 4 expired';

create table ledger_entry (
    account_id    uuid not null,
    seq           bigint not null check (seq > 0), -- 1, 2, 3 … for each account
    kind          smallint not null check (kind between 1 and 7),
    amount        bigint not null check (amount <> 0),
    balance_after bigint not null check (balance_after >= 0),
    reference     uuid not null, -- the hold, purchase or grant it stands for
    tool_id       smallint,
    note          text,
    at            timestamptz not null,
    token_id      uuid, -- of a call and its refund: by which it was made
    primary key (account_id, seq),
    check (case when kind in (3, 6) then amount < 0 when kind = 5 then true else amount > 0 end)
);
comment on column ledger_entry.kind is
    '1 signup_grant, 2 purchase, 3 usage, 4 refund of a usage, 5 adjustment, 6 payment_reversed, 7 reversal_undone';
-- A grant, a payment or a refund happens once; that a payment is credited to one account is guarded
-- by its order (007-orders.sql). A call is charged once: two calls never share an id. Ids are
-- UUIDv7, so new ones meet at the index's right end, which is in memory.
create unique index ledger_entry_once on ledger_entry (account_id, kind, reference)
    where kind <> 3;
create unique index ledger_entry_one_usage on ledger_entry (reference) where kind = 3;
create unique index ledger_entry_one_grant on ledger_entry (account_id) where kind = 1;

create function ledger_entry_is_final() returns trigger language plpgsql as $$
begin
    raise exception 'ledger entries cannot be changed; write an adjustment';
end $$;
create trigger ledger_entry_is_final before update or delete or truncate on ledger_entry
    for each statement execute function ledger_entry_is_final();

create table daily_quota (
    account_id uuid not null,
    tool_id    smallint not null,
    day        date not null, -- UTC
    used       integer not null check (used >= 0),
    primary key (account_id, tool_id, day)
);
create index daily_quota_day on daily_quota (day);

-- The answer of a call that carried an Idempotency-Key. While the call runs, expires_at is its
-- hold's; afterwards the answer is kept for a day.
create table idempotency (
    account_id   uuid not null,
    key_hash     bytea not null check (octet_length(key_hash) = 32),
    fingerprint  bytea not null check (octet_length(fingerprint) = 32),
    hold_id      uuid not null,
    is_done      boolean not null default false,
    headers      text,  -- NULL when done: the answer was too large to be kept
    body         bytea, -- NULL with headers: a secret request is not kept, it runs again
    expires_at   timestamptz not null,
    primary key (account_id, key_hash)
);
create index idempotency_expiry on idempotency (expires_at);

-- What the gateways' ledger.secret hashes to: all must have the same, or keys are not recognised.
create table ledger_secret (
    is_one boolean primary key default true check (is_one),
    digest bytea not null
);

-- What is for sale. Credits and price of a row never change, because orders were made of it:
-- another price is another row.
create table pack (
    pack_id     smallint primary key,
    name        text not null check (length(name) between 1 and 40),
    credits     bigint not null check (credits between 1 and 1000000000),
    price_cents integer not null check (price_cents > 0), -- in the currency's minor unit
    currency    text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
    is_sold     boolean not null default true
);
insert into pack (pack_id, name, credits, price_cents)
values (1, 'Starter', 250, 500), (2, 'Standard', 1500, 1500), (3, 'Volume', 5000, 3900);

create table audit_log (
    at         timestamptz not null default now(),
    actor      text not null, -- member:<id>, portal, or the operator's name
    action     text not null,
    account_id uuid,
    detail     text, -- ids alone
    network    text, -- of a member: where he came from, and by which browser
    agent      text,
    audit_id   uuid not null default gen_random_uuid() -- tells those of one moment apart
);
create index audit_log_account on audit_log (account_id, at desc, audit_id desc);
