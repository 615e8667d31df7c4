-- gateway/sql/003-verify.sql - the invariants of the ledger, and functions that find violations.
--
-- `tollctl verify` goes through the accounts in pieces, in order of account_id. Invariants 7 to 9
-- are about all accounts together. The others are about one account each, and one snapshot per
-- piece shows its accounts at one moment. The entries of a piece are read once for all invariants,
-- because on a ledger that is larger than the memory, these reads take nearly all the time.

-- The number and name of each invariant.
create function ledger_invariants() returns table (invariant integer, name text) language sql immutable as $$
    values (1, 'posted and held are not negative, and held is at most posted'),
           (2, 'each balance is the sum of its entries'),
           (3, 'each entry continues the one before it, in balance and hash'),
           (4, 'held is the sum of the open holds'),
           (5, 'each captured hold has one usage entry, and other holds have no entry'),
           (6, 'each call is charged once and refunded at most once'),
           (7, 'only ledger functions write money, and entries cannot be changed'),
           (8, 'each payment is credited once'),
           (9, 'each account has at most one sign-up grant'),
           (10, 'usage by day is the sum of the counted entries'),
           (11, 'the counters of each token with caps match the cost of its calls'),
           (12, 'each paid order has its facts and one purchase entry, and each purchase entry has a paid order'),
           (13, 'credits of refunds and disputes are taken back or owed'),
           (14, 'each token of a connected app has an active grant, or is revoked'),
           (15, 'invoices and credit notes of each order add up to its money, and no number is missing'),
           (16, 'each plan of an account is on record, and the calls of its last minute are in order'),
           (17, 'no management token has paid for a call')
$$;

-- An account was verified up to here without a violation. The next run starts from here.
create table ledger_checkpoint (
    account_id uuid primary key references account,
    seq        bigint not null,
    posted     bigint not null,
    granted    bigint not null,
    purchased  bigint not null,
    used       bigint not null,
    at         timestamptz not null, -- no entry up to seq is later
    usage_seq  bigint not null default 0, -- entries up to here were verified in usage_day (005-usage.sql)
    head       bytea not null -- the hash of entry seq
);

-- Sums of the entries of an account, by kind.
create type ledger_sums as (account_id uuid, posted bigint, granted bigint, purchased bigint, used bigint, seq bigint);

-- Find balances that differ from the sum of the checkpoint and p_newer, the entries since then.
-- p_is_whole, here and below: ignore the checkpoints and read all entries.
create function ledger_verify_sums(p_newer ledger_sums[], p_after uuid, p_until uuid, p_is_whole boolean)
returns table (account_id uuid, detail text) language sql stable as $$
    select b.account_id,
           format('posted %s granted %s purchased %s used %s seq %s; expected from the entries: %s %s %s %s %s',
                  b.posted, b.granted, b.purchased, b.used, b.seq, e.posted, e.granted, e.purchased, e.used, e.seq)
      from account_balance b
      left join ledger_checkpoint c on c.account_id = b.account_id and not p_is_whole
      left join unnest(p_newer) n on n.account_id = b.account_id
     cross join lateral (select coalesce(c.posted, 0) + coalesce(n.posted, 0) as posted,
                                coalesce(c.granted, 0) + coalesce(n.granted, 0) as granted,
                                coalesce(c.purchased, 0) + coalesce(n.purchased, 0) as purchased,
                                coalesce(c.used, 0) + coalesce(n.used, 0) as used,
                                coalesce(n.seq, c.seq, 0) as seq) e
     where b.account_id > p_after and b.account_id <= p_until
       and (b.posted, b.granted, b.purchased, b.used, b.seq) is distinct from
           (e.posted, e.granted, e.purchased, e.used, e.seq)
$$;

-- The entries of these accounts after their checkpoints. fault: how the entry does not continue the
-- one before it in seq, balance and hash; NULL: it does.
create function ledger_entries_since(p_after uuid, p_until uuid, p_is_whole boolean)
returns table (account_id uuid, seq bigint, kind smallint, amount bigint, balance_after bigint, reference uuid,
               tool_id smallint, token_id uuid, at timestamptz, fault text) language sql stable as $$
    select l.account_id, l.seq, l.kind, l.amount, l.balance_after, l.reference, l.tool_id, l.token_id, l.at,
           case when l.balance_after <> l.before + l.amount or l.seq <> l.seq_before + 1
                then format('entry %s: balance_after is %s; the balance before is %s and the amount is %s',
                            l.seq, l.balance_after, l.before, l.amount)
                when l.hash <> chain_entry(l.head, entry_record(l.account_id, l.seq, l.kind, l.amount, l.balance_after,
                                                                l.reference, l.tool_id, l.token_id, l.at))
                then format('entry %s: its hash does not follow from its columns and the entry before', l.seq) end
      from (select e.*, lag(e.seq, 1, coalesce(c.seq, 0)) over w as seq_before,
                   lag(e.balance_after, 1, coalesce(c.posted, 0)) over w as before,
                   lag(e.hash, 1, coalesce(c.head, chain_start())) over w as head
              from account_balance b
              left join ledger_checkpoint c on c.account_id = b.account_id and not p_is_whole
             cross join lateral (select * from ledger_entry o
                                  where o.account_id = b.account_id and o.seq > coalesce(c.seq, 0)
                                  order by o.seq) e
             where b.account_id > p_after and b.account_id <= p_until
            window w as (partition by e.account_id order by e.seq)) l
$$;

-- The holds of these accounts. is_before: the hold ended before the account's checkpoint.
create function ledger_holds_of(p_after uuid, p_until uuid, p_is_whole boolean)
returns table (account_id uuid, hold_id uuid, state smallint, amount bigint, tool_id smallint,
               settled_at timestamptz, token_id uuid, is_before boolean) language sql stable as $$
    select h.account_id, h.hold_id, h.state, h.amount, h.tool_id, h.settled_at, h.token_id,
           (h.settled_at <= c.at) is true
      from hold h
      left join account_balance b on b.account_id = h.account_id
      left join ledger_checkpoint c on c.account_id = b.account_id and not p_is_whole
     where h.account_id > p_after and h.account_id <= p_until
$$;

-- A refund (kind 4), or the usage that it refunds (kind 3).
create type ledger_refund_part as (account_id uuid, reference uuid, kind smallint, amount bigint, token_id uuid);

-- Find refunds that do not match one usage in amount and token, and usages with more than one
-- refund. p_parts has the refunds and their usages after the checkpoints; older usages are read
-- here.
create function ledger_verify_refunds(p_parts ledger_refund_part[], p_is_whole boolean)
returns table (account_id uuid, detail text) language sql stable as $$
    with part as materialized (
        select * from unnest(p_parts)
    )
    select x.account_id, format('%s refunds, total %s, for call %s', count(x.refund), sum(x.refund), x.reference)
      from (select p.account_id, p.reference, case p.kind when 4 then p.amount end as refund,
                   case p.kind when 3 then p.amount end as usage, p.token_id::text as token
              from part p
            union all
            select e.account_id, e.reference, null, e.amount, e.token_id::text
              from ledger_checkpoint c
              join ledger_entry e on e.account_id = c.account_id and e.seq <= c.seq
             where not p_is_whole and (c.account_id in (select p.account_id from part p)) is true
               and e.kind = 3 and (e.reference in (select p.reference from part p where p.kind = 4)) is true) x
     group by x.account_id, x.reference
    having count(x.refund) > 1
        or count(x.refund) = 1
           and (sum(x.refund), max(x.token) filter (where x.usage is null))
               is distinct from (-sum(x.usage), max(x.token) filter (where x.refund is null))
$$;

-- Find violations of invariants 2, 3, 5 and 6 among the entries of these accounts. Holds are
-- deleted after two days, so most entries have no hold. PostgreSQL looks up "(x in (select ...)) is
-- true" in one hash table, for any number of rows. A nested-loop join, which old statistics
-- suggest, and "= any (array)" take quadratic time.
create function ledger_verify_entries(p_after uuid, p_until uuid, p_is_whole boolean)
returns table (invariant integer, account_id uuid, detail text) language sql stable
set work_mem = '64MB' set jit = off as $$
    with entry as materialized (
        select * from ledger_entries_since(p_after, p_until, p_is_whole)
    ), held as materialized (
        select * from ledger_holds_of(p_after, p_until, p_is_whole)
    )
    -- 2: the balance is the sum of its entries, by kind
    select 2, s.account_id, s.detail
      from ledger_verify_sums(
               array(select (e.account_id, sum(e.amount), coalesce(sum(e.amount) filter (where e.kind in (1, 5)), 0),
                             coalesce(sum(e.amount) filter (where e.kind in (2, 6, 7)), 0),
                             -coalesce(sum(e.amount) filter (where e.kind in (3, 4)), 0), max(e.seq))::ledger_sums
                       from entry e group by e.account_id), p_after, p_until, p_is_whole) s
    union all
    -- 3: each entry continues the one before it
    select 3, e.account_id, e.fault from entry e where e.fault is not null
    union all
    -- 5: a captured hold has one usage entry with the same values; other holds have no entry
    select 5, x.account_id,
           case when max(x.state) = 2 and count(x.seq) <> 1
                then format('hold %s has %s usage entries, total %s', x.id, count(x.seq),
                            coalesce(sum(x.paid), 0))
                else format('entry %s with amount %s at %s does not match its hold', max(x.seq), max(x.paid),
                            max(x.at)) end
      from (select h.account_id, h.hold_id as id, h.state, h.amount as held, h.tool_id as hold_tool,
                   h.settled_at, h.token_id::text as hold_token, h.is_before, null::bigint as seq,
                   null::bigint as paid, null::smallint as tool, null::timestamptz as at, null as token
              from held h
            union all
            select e.account_id, e.reference, null, null, null, null, null, null, e.seq, e.amount, e.tool_id,
                   e.at, e.token_id::text
              from entry e
             where e.kind = 3 and (e.reference in (select h.hold_id from held h)) is true) x
     group by x.account_id, x.id
    having (max(x.state) = 2 and not bool_or(x.is_before) and count(x.seq) <> 1)
        or (max(x.state) is not null and count(x.seq) > 0
            and (max(x.state), max(x.held), max(x.hold_tool), max(x.settled_at), max(x.hold_token))
                is distinct from
                (2::smallint, -sum(x.paid), max(x.tool), max(x.at), max(x.token)))
    union all
    -- 6: a call is charged once, and refunded only after it was charged
    select 6, e.account_id, format('%s usage entries for call %s', count(*), e.reference)
      from entry e where e.kind = 3
     group by e.account_id, e.reference having count(*) > 1 or sum(e.amount) >= 0
    union all
    select 6, v.account_id, v.detail
      from ledger_verify_refunds(
               array(select (e.account_id, e.reference, e.kind, e.amount, e.token_id)::ledger_refund_part
                       from entry e
                      where e.kind = 4 or e.kind = 3 and (e.reference in (select r.reference from entry r
                                                                           where r.kind = 4)) is true),
               p_is_whole) v
$$;

-- Find violations of the invariants of each account. p_until is included, p_after is not.
create function ledger_verify(p_after uuid, p_until uuid, p_is_whole boolean)
returns table (invariant integer, account_id uuid, detail text) language plpgsql stable as $$
#variable_conflict use_column
begin
    return query select * from ledger_verify_entries(p_after, p_until, p_is_whole);
    return query -- 1: posted and held are not negative, and held is at most posted
        select 1, b.account_id, format('posted is %s, held is %s', b.posted, b.held)
          from account_balance b
         where b.account_id > p_after and b.account_id <= p_until
           and (b.posted < 0 or b.held < 0 or b.held > b.posted);
    return query -- 2: each account has a balance, and so have all entries
        select 2, a.account_id, 'the account has no balance'
          from account a
         where a.account_id > p_after and a.account_id <= p_until
           and not exists (select from account_balance b where b.account_id = a.account_id)
        union all
        select distinct 2, e.account_id, 'the account has entries but no balance'
          from ledger_entry e
         where p_is_whole and e.account_id > p_after and e.account_id <= p_until
           and not exists (select from account_balance b where b.account_id = e.account_id);
    return query -- 3: the head of each account is the hash of its newest entry
        select 3, b.account_id, format('the head of the account is not the hash of entry %s', b.seq)
          from account_balance b
          left join ledger_checkpoint c on c.account_id = b.account_id and not p_is_whole
         where b.account_id > p_after and b.account_id <= p_until
           and b.head is distinct from
               case when b.seq = coalesce(c.seq, 0) then coalesce(c.head, chain_start())
                    else (select e.hash from ledger_entry e
                           where e.account_id = b.account_id and e.seq = b.seq) end;
    return query -- 4: held is the sum of the open holds
        select 4, coalesce(b.account_id, h.account_id),
               format('held is %s, but the sum of the open holds is %s', b.held, coalesce(h.amount, 0))
          from (select * from account_balance
                 where account_id > p_after and account_id <= p_until) b
          full join (select o.account_id, sum(o.amount) as amount from hold o
                      where o.account_id > p_after and o.account_id <= p_until and o.state = 1
                      group by o.account_id) h on h.account_id = b.account_id
         where b.held is distinct from coalesce(h.amount, 0);
    return query select 10, u.account_id, u.detail from usage_verify(p_after, p_until, p_is_whole) u;
    return query select 11, c.account_id, c.detail from caps_verify(p_after, p_until) c;
    return query select 12, o.account_id, o.detail from payments_verify_orders(p_after, p_until) o;
    return query select 13, r.account_id, r.detail from payments_verify_reversals(p_after, p_until) r;
    return query select 14, a.account_id, a.detail from apps_verify(p_after, p_until) a;
    return query select 15, i.account_id, i.detail from invoices_verify(p_after, p_until) i;
    return query select 16, p.account_id, p.detail from plans_verify(p_after, p_until) p;
    return query select 17, m.account_id, m.detail from management_verify(p_after, p_until) m;
end $$;

-- Find violations of invariants 7 to 9 and 15, which are about all accounts together.
create function ledger_verify_all() returns table (invariant integer, account_id uuid, detail text)
language plpgsql stable as $$
#variable_conflict use_column
begin
    return query -- 7: roles write money only through functions, and nobody can change entries
    select 7, null::uuid, format('the role %s may write %s', r.name, t.name)
      from unnest(array['tollgate_gateway', 'tollgate_portal', 'tollgate_operator']) as r (name),
           unnest(array['ledger_entry', 'account_balance', 'hold', 'purchase_order', 'order_reversal',
                        'order_route', 'billing_version', 'invoice', 'invoice_number', 'invoice_series']) as t (name)
     where has_table_privilege(r.name, t.name, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
        or has_any_column_privilege(r.name, t.name, 'UPDATE')
    union all
    -- tgtype in pg_trigger.h: before (2), delete (8), update (16) and truncate (32)
    select 7, null::uuid, 'the trigger ledger_entry_is_final is missing, disabled or incomplete'
     where not exists (select from pg_trigger t
                        where t.tgrelid = 'ledger_entry'::regclass
                          and t.tgname = 'ledger_entry_is_final' and t.tgenabled in ('O', 'A')
                          and t.tgfoid = 'ledger_entry_is_final'::regproc
                          and t.tgtype & 58 = 58 and t.tgattr = '' and t.tgqual is null)
    union all
    -- 8: a payment is credited once, to one account
    select 8, e.account_id, format('payment %s was credited %s times', e.reference, e.times)
      from (select l.account_id, l.reference, count(*) over (partition by l.reference) as times
              from ledger_entry l where l.kind = 2) e
     where e.times > 1
    union all
    select 9, e.account_id, format('%s sign-up grants', count(*))
      from ledger_entry e where e.kind = 1 group by e.account_id having count(*) > 1;
    return query select 15, s.account_id, s.detail from invoices_verify_series() s;
end $$;

-- These accounts had no violation in this transaction: the next run starts from here.
create function ledger_set_checkpoint(p_after uuid, p_until uuid) returns void language sql
security definer set search_path = public, pg_temp as $$
    insert into ledger_checkpoint (account_id, seq, head, posted, granted, purchased, used, at)
    select b.account_id, b.seq, b.head, b.posted, b.granted, b.purchased, b.used,
           greatest(c.at, (select max(e.at) from ledger_entry e
                            where e.account_id = b.account_id and e.seq > coalesce(c.seq, 0)))
      from account_balance b
      left join ledger_checkpoint c on c.account_id = b.account_id
     where b.account_id > p_after and b.account_id <= p_until and b.seq > coalesce(c.seq, 0)
    on conflict (account_id) do update
       set seq = excluded.seq, head = excluded.head, posted = excluded.posted, granted = excluded.granted,
           purchased = excluded.purchased, used = excluded.used, at = excluded.at
$$;

-- The last account of the next piece after p_after: at most 1,000 accounts or 200,000 entries, but
-- at least one account. NULL: the last account was reached.
create function ledger_next_piece(p_after uuid, p_is_whole boolean) returns uuid language sql stable
as $$
    select p.account_id
      from (select b.account_id,
                   row_number() over accounts as n,
                   sum(b.seq - coalesce(c.seq, 0)) over accounts as entries
              from (select * from account_balance
                     where account_id > p_after order by account_id limit 1000) b
              left join ledger_checkpoint c on c.account_id = b.account_id and not p_is_whole
            window accounts as (order by b.account_id)) p
     where p.n = 1 or p.entries <= 200000
     order by p.n desc limit 1
$$;
