-- gateway/sql/001-accounts.sql - accounts, tokens, tools, and the tables that hold money.
--
-- - Each table of an account has a key that starts with account_id, so that all rows of an account
--   can move to another server together.
-- - Credits are whole numbers.
-- - The path of a call uses no triggers, sequences, advisory locks or notifications.

-- Limits that the operator gives to accounts; an account without a plan has those of
-- gateway/limits.yaml. A number of NULL in plan_limit is that of limits.yaml; 0: no limit. Rows
-- change without a lock of the accounts: the admission reads them after it has locked the account,
-- so an edit lies before or after a call.
create table plan (
    plan_id           smallint primary key, -- tool_number() of its name, so equal in every database
    name              text not null unique check (name ~ '^[a-z][a-z0-9-]{0,39}$' and name <> 'none'),
    global_per_minute integer not null check (global_per_minute between 1 and 300),
    address_exempt    boolean not null default false, -- admitted calls do not count for their IP address
    is_public         boolean not null default false  -- listed on the portal's price page
);
create table plan_limit (
    plan_id             smallint not null references plan on delete cascade,
    rate_class          text not null,
    endpoint_per_minute integer check (endpoint_per_minute between 0 and 300),
    class_per_minute    integer check (class_per_minute between 0 and 300),
    daily_per_tool      integer check (daily_per_tool between 0 and 1000000),
    primary key (plan_id, rate_class)
);

create table account (
    account_id uuid primary key,
    name       text not null check (length(name) between 1 and 200),
    state      text not null default 'active' check (state in ('active', 'suspended', 'closed')),
    limits_off boolean not null default false, -- internal accounts and benchmarks; beats a plan
    created_at timestamptz not null,
    withheld   bigint not null default 0 check (withheld between 0 and 10000), -- a sign-up grant that was
                                     -- over the day's budget; the first purchase brings it
    delete_at  timestamptz,          -- the member asked for deletion; this is when it is due. Until then the
                                     -- account buys nothing and gets no token
    plan_id    smallint references plan, -- NULL: the limits of limits.yaml
    plan_at    timestamptz,          -- when the account got the plan
    check ((plan_id is null) = (plan_at is null))
);
create index account_plan on account (plan_id) where plan_id is not null;
create index account_delete_at on account (delete_at) where delete_at is not null;

-- May these be the networks of a token: 1 to 20, of IPv4 at least /8, of IPv6 at least /32? An
-- IPv4-mapped address is IPv4, so a network of mapped addresses would match nothing.
create function networks_are_valid(p_networks cidr[]) returns boolean language sql immutable as $$
    select cardinality(p_networks) between 1 and 20
       and bool_and((masklen(n) >= case family(n) when 4 then 8 else 32 end
                     and not inet(n) <<= inet '::ffff:0:0/96') is true)
      from unnest(p_networks) n
$$;

create table token (
    account_id   uuid not null references account,
    token_id     uuid not null,
    digest       bytea not null check (octet_length(digest) = 32), -- SHA-256 of the token
    name         text not null default '',
    last4        text not null,
    scopes       text[] not null default '{}', -- tools and groups; empty: all
    created_at   timestamptz not null,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz, -- updated at most every five minutes, so that a busy token is not written by each call
    cap_daily    bigint check (cap_daily >= 0), -- credits that the token may spend in a UTC day, and
    cap_total    bigint check (cap_total >= 0), -- in total; NULL: no cap
    spent_day    date,   -- NULL unless the token was created with a cap: the newest day on which it
    spent_today  bigint, -- spent credits, the credits spent and held on that day, and in total
    spent_total  bigint,
    kind         smallint not null default 1 check (kind in (1, 2, 3, 5)), -- 4 is for test tokens
    is_strict    boolean not null default false, -- requests with unknown fields are refused
    session_id   uuid, -- of kind 2: the token expires with this session
    networks     cidr[] -- it works only from these; NULL: from everywhere
                 check (networks is null or networks_are_valid(networks)), -- each update of a row checks this
    created_by   text, -- member:<id>, operator, or token:<id> of a management token; NULL: the portal
    notices      smallint not null default 0 check (notices between 0 and 2), -- that it expires in 14, and in
                       -- 3 days: sent, or not needed
    primary key (account_id, token_id),
    unique (account_id, digest),
    check ((kind = 2) = (session_id is not null)),
    constraint token_app_check check (kind <> 3 or spent_total is not null),
    constraint token_management_check check (
        kind <> 5 or expires_at is not null and spent_total is null and scopes <> '{}'
                     and scopes <@ array['tokens:read', 'tokens:write', 'requests', 'invoices', 'usage']),
    check (spent_total is not null or num_nonnulls(cap_daily, cap_total, spent_day, spent_today) = 0)
) with (fillfactor = 70); -- space for HOT updates: each call of a token with caps updates it
comment on column token.spent_total is
    'NULL: never counted: counting past calls would read all entries while the account is locked';
create index token_session on token (session_id) where session_id is not null;
comment on column token.kind is
    '1 created by a person or by API, 2 created by the portal for the playground of a session, 3 a connected app, 5 a management token';

-- The price of each tool. `tollctl db migrate` writes it from the contracts, as the owner. A
-- gateway can charge only a price that is in this table. During a rolling upgrade, old gateways
-- charge price_before and new ones price.
create table tool (
    tool_id      smallint primary key, -- tool_number() of its name
    name         text not null unique,
    tool_group   text not null,
    rate_class   text not null,
    price        bigint not null check (price between 0 and 1000), -- credits of one call
    price_before bigint check (price_before between 0 and 1000)    -- until the last change; NULL: never changed
);

-- Tests shift the ledger's clock in their sessions (ledger_now_ms()). A shift counts only while
-- this table has its row, which only the owner can write. In an installation the table is empty.
create table test_clock (
    is_on boolean primary key default true check (is_on)
);

-- What the hash of an account's first entry continues (002-ledger.sql).
create function chain_start() returns bytea language sql immutable as $$
    select decode(repeat('00', 32), 'hex')
$$;

-- An account can spend posted - held. The ring lists the calls admitted in the last minute, oldest
-- first. The limit over all tools is at most 300 calls a minute, so the ring is enough to count
-- every window of the account. Its newest call is also the account's clock, which does not go back
-- (account_clock()). Of an account without limits, the ring has only that call.
--
-- Two versions of a row with 300 calls (3.1 KB) fit on a page, so updates stay on it. The target
-- and the storage keep PostgreSQL from moving the rings to another table.
create table account_balance (
    account_id uuid primary key references account,
    posted     bigint not null default 0,
    held       bigint not null default 0,
    granted    bigint not null default 0, -- sums of entries by kind: grants and adjustments,
    purchased  bigint not null default 0, -- purchases minus reversals,
    used       bigint not null default 0, -- usage minus refunds
    seq        bigint not null default 0, -- of the newest entry, and its hash
    head       bytea not null default chain_start(),
    ring_at    bigint[] not null default '{}',   -- milliseconds since 1970, never decreasing
    ring_tool  smallint[] not null default '{}',
    check (posted >= 0 and held >= 0 and held <= posted and used >= 0 and purchased >= 0),
    check (posted = granted + purchased - used),
    check (cardinality(ring_at) <= 300 and cardinality(ring_at) = cardinality(ring_tool))
) with (fillfactor = 40, toast_tuple_target = 4080); -- space for HOT updates
alter table account_balance alter column ring_at set storage main, alter column ring_tool set storage main;

-- Credits set aside for a running call. A hold ends once. Its row stays for 2 days after it
-- expires, so that a retry after a lost connection finds the outcome. No index covers `state`, so
-- that ending a hold stays on its page.
create table hold (
    account_id      uuid not null,
    hold_id         uuid not null, -- also the id of the request and the job
    amount          bigint not null,
    tool_id         smallint not null,
    state           smallint not null default 1 check (state between 1 and 4),
    quota_day       date,          -- the day in whose quota the call counts; NULL: no quota
    idempotency_key bytea,
    is_replayed     boolean not null default false, -- its response was replayed for its key
    created_at      timestamptz not null,
    expires_at      timestamptz not null,
    settled_at      timestamptz,
    token_id        uuid,          -- the token that made the call
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
    reference     uuid not null, -- the id of the hold, order, reversal or grant
    tool_id       smallint,
    note          text,
    at            timestamptz not null,
    token_id      uuid, -- of a usage and its refund: the token that made the call
    hash          bytea not null, -- chain_entry(): covers this entry and all before it
    primary key (account_id, seq),
    check (case when kind in (3, 6) then amount < 0 when kind = 5 then true else amount > 0 end)
);
comment on column ledger_entry.kind is
    '1 signup_grant, 2 purchase, 3 usage, 4 refund of a usage, 5 adjustment, 6 payment_reversed, 7 reversal_undone';
-- Each grant, payment and refund is booked once for its account. Its order keeps a payment from
-- being credited to two accounts (007-orders.sql). A call is charged once: no two calls share an
-- id. Ids are UUIDv7, so new ones go to the right end of the index, which is in memory.
create unique index ledger_entry_once on ledger_entry (account_id, kind, reference)
    where kind <> 3;
create unique index ledger_entry_one_usage on ledger_entry (reference) where kind = 3;
create unique index ledger_entry_one_grant on ledger_entry (account_id) where kind = 1;

-- Ledger entries cannot be updated, deleted or truncated.
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

-- The response of a call with an Idempotency-Key. While the call runs, expires_at is that of its
-- hold. Afterwards the response is stored for a day, and until ledger_prune() deletes it.
create table idempotency (
    account_id   uuid not null,
    key_hash     bytea not null check (octet_length(key_hash) = 32),
    fingerprint  bytea not null check (octet_length(fingerprint) = 32),
    hold_id      uuid not null,
    is_done      boolean not null default false,
    headers      text,  -- '' when done, without body: the request was secret; a retry runs the call again
    body         bytea, -- NULL when done: in large_response, or the request was secret and headers is ''
    expires_at   timestamptz not null,
    primary key (account_id, key_hash)
);
create index idempotency_expiry on idempotency (expires_at);

-- The responses over 1 MiB of calls with an idempotency key, in compressed pieces
-- (gateway/ledger/large-response.c). They do not reference the key: a check of that would lock its
-- row, and a batch that ends the call would wait for the transaction that stores the pieces.
create table large_response (
    account_id uuid not null,
    hold_id    uuid not null,
    piece      smallint not null check (piece between 0 and 127), -- from 0
    size       integer not null, -- of the whole response, in bytes
    bytes      bytea not null check (octet_length(bytes) <= 524288),
    expires_at timestamptz not null, -- not before the key's
    primary key (account_id, hold_id, piece)
);
create index large_response_expiry on large_response (expires_at);
alter table large_response alter column bytes set storage external; -- PostgreSQL need not try to compress it

-- The clock as ledger_prune() has seen it (clock_is_steady()).
create table prune_clock (
    is_one       boolean primary key default true check (is_one),
    seen_at      timestamptz not null,
    steady_since timestamptz not null
);

-- Accounts for which a background task failed, because rows of the account contradict each other.
-- The task went on without the account, and tries it again.
create table account_fault (
    task       text not null,
    account_id uuid not null,
    error      text not null,
    first_at   timestamptz not null,
    last_at    timestamptz not null,
    primary key (task, account_id)
);

-- The hash of ledger.secret. All gateways must have the same secret, or they do not recognize each
-- other's idempotency keys.
create table ledger_secret (
    is_one boolean primary key default true check (is_one),
    digest bytea not null
);

-- Packs for sale. The credits and price of a row never change, because orders refer to it. For a
-- new price, insert a new row.
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
    detail     text, -- only ids
    network    text, -- of a member's action: the network and the browser
    agent      text,
    audit_id   uuid not null default gen_random_uuid() -- orders entries of the same time
);
create index audit_log_account on audit_log (account_id, at desc, audit_id desc);
