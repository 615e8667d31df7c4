-- gateway/sql/003-verify.sql - the invariants of the ledger, each as a query for what breaks it; no row
-- is a proof. `tollctl verify` goes through the accounts piece by piece, in the order of account_id:
-- 1 to 6, 10 and 11 are of each account by itself, and one snapshot a piece shows them as they were at
-- one moment. 7 to 9 are of all together.

-- Up to here an account was verified, and all of it was right. What comes later starts from here.
create table ledger_checkpoint (
    account_id uuid primary key references account,
    seq        bigint not null,
    posted     bigint not null,
    granted    bigint not null,
    purchased  bigint not null,
    used       bigint not null,
    at         timestamptz not null, -- no entry up to seq is younger
    usage_seq  bigint not null default 0 -- up to here entries are in usage_day (005-usage.sql)
);

-- The entries of the accounts behind p_after up to p_until that come after their checkpoints, or all.
create function ledger_slice(p_after uuid, p_until uuid, p_is_whole boolean)
returns table (account_id uuid, seq bigint, kind smallint, amount bigint, balance_after bigint,
               reference uuid, tool_id smallint, token_id uuid, at timestamptz) language sql stable as $$
    select e.account_id, e.seq, e.kind, e.amount, e.balance_after, e.reference, e.tool_id, e.token_id, e.at
      from account_balance b
      left join ledger_checkpoint c on c.account_id = b.account_id and not p_is_whole
     cross join lateral (select * from ledger_entry l
                          where l.account_id = b.account_id and l.seq > coalesce(c.seq, 0)) e
     where b.account_id > p_after and b.account_id <= p_until
$$;

-- What breaks an invariant of accounts among these; of 7 to 9 anywhere.
create function ledger_verify(p_invariant integer, p_after uuid, p_until uuid, p_is_whole boolean)
returns table (account_id uuid, detail text) language plpgsql stable as $$
#variable_conflict use_column
begin
    case p_invariant
    when 1 then return query -- nothing below zero, nothing held that is not there
        select b.account_id, format('posted %s, held %s', b.posted, b.held)
          from account_balance b
         where b.account_id > p_after and b.account_id <= p_until
           and (b.posted < 0 or b.held < 0 or b.held > b.posted);
    when 2 then return query -- the balance is the sum of its entries, kind by kind
        select b.account_id,
               format('posted %s granted %s purchased %s used %s seq %s, but the entries say %s %s %s %s %s',
                      b.posted, b.granted, b.purchased, b.used, b.seq,
                      e.posted, e.granted, e.purchased, e.used, e.seq)
          from account_balance b
          left join ledger_checkpoint c on c.account_id = b.account_id and not p_is_whole
         cross join lateral (
               select coalesce(c.posted, 0) + coalesce(sum(l.amount), 0) as posted,
                      coalesce(c.granted, 0)
                          + coalesce(sum(l.amount) filter (where l.kind in (1, 5)), 0) as granted,
                      coalesce(c.purchased, 0)
                          + coalesce(sum(l.amount) filter (where l.kind = 2), 0) as purchased,
                      coalesce(c.used, 0)
                          - coalesce(sum(l.amount) filter (where l.kind in (3, 4)), 0) as used,
                      coalesce(max(l.seq), c.seq, 0) as seq
                 from ledger_entry l
                where l.account_id = b.account_id and l.seq > coalesce(c.seq, 0)) e
         where b.account_id > p_after and b.account_id <= p_until
           and (b.posted, b.granted, b.purchased, b.used, b.seq) is distinct from
               (e.posted, e.granted, e.purchased, e.used, e.seq)
        union all
        select a.account_id, 'the account has no balance'
          from account a
         where a.account_id > p_after and a.account_id <= p_until
           and not exists (select from account_balance b where b.account_id = a.account_id)
        union all
        select distinct e.account_id, 'there are entries, and no balance'
          from ledger_entry e
         where p_is_whole and e.account_id > p_after and e.account_id <= p_until
           and not exists (select from account_balance b where b.account_id = e.account_id);
    when 3 then return query -- every entry continues the one before it
        select l.account_id, format('entry %s: balance_after %s after %s and %s', l.seq,
                                    l.balance_after, coalesce(l.before, c.posted, 0), l.amount)
          from (select e.account_id, e.seq, e.amount, e.balance_after,
                       lag(e.balance_after) over w as before, lag(e.seq) over w as seq_before
                  from ledger_slice(p_after, p_until, p_is_whole) e
                window w as (partition by e.account_id order by e.seq)) l
          left join ledger_checkpoint c on c.account_id = l.account_id and not p_is_whole
         where l.balance_after <> coalesce(l.before, c.posted, 0) + l.amount
            or l.seq <> coalesce(l.seq_before, c.seq, 0) + 1;
    when 4 then return query -- what is held is the sum of the open holds
        select coalesce(b.account_id, h.account_id),
               format('held %s, open holds %s', b.held, coalesce(h.amount, 0))
          from (select * from account_balance
                 where account_id > p_after and account_id <= p_until) b
          full join (select o.account_id, sum(o.amount) as amount from hold o
                      where o.account_id > p_after and o.account_id <= p_until and o.state = 1
                      group by o.account_id) h on h.account_id = b.account_id
         where b.held is distinct from coalesce(h.amount, 0);
    when 5 then return query -- a captured hold has one usage entry of its amount, others have none
        -- Brought together by grouping: a join by pairs, which old statistics suggest, takes their square.
        select x.account_id, format('hold %s has %s usage entries of %s together',
                                    x.id, sum(x.entries), sum(x.paid))
          from (select h.account_id, h.hold_id as id, h.amount as held, 0 as entries, 0::bigint as paid
                  from hold h
                  left join ledger_checkpoint c on c.account_id = h.account_id and not p_is_whole
                 where h.account_id > p_after and h.account_id <= p_until and h.state = 2
                   and (h.settled_at <= c.at) is not true
                union all
                select e.account_id, e.reference, null, 1, e.amount
                  from ledger_slice(p_after, p_until, p_is_whole) e where e.kind = 3) x
         group by x.account_id, x.id
        having max(x.held) is not null and (sum(x.entries) <> 1 or sum(x.paid) <> -max(x.held))
        union all
        select x.account_id, format('entry %s of %s at %s is not what became of its hold', max(x.seq),
                                    max(x.paid), max(x.at))
          from (select h.account_id, h.hold_id as id, h.state, h.amount as held,
                       h.tool_id as hold_tool, h.settled_at, h.token_id::text as hold_token,
                       null::bigint as seq, null::bigint as paid, null::smallint as tool,
                       null::timestamptz as at, null as token
                  from hold h where h.account_id > p_after and h.account_id <= p_until
                union all
                select e.account_id, e.reference, null, null, null, null, null, e.seq, e.amount, e.tool_id,
                       e.at, e.token_id::text
                  from ledger_slice(p_after, p_until, p_is_whole) e where e.kind = 3) x
         group by x.account_id, x.id
        having max(x.state) is not null and max(x.seq) is not null
           and (max(x.state), max(x.held), max(x.hold_tool), max(x.settled_at), max(x.hold_token))
               is distinct from
               (2::smallint, -max(x.paid), max(x.tool), max(x.at), max(x.token));
    when 6 then return query -- a call is charged once, and given back only after it was charged
        select e.account_id, format('%s usage entries for %s', count(*), e.reference)
          from ledger_slice(p_after, p_until, p_is_whole) e where e.kind = 3
         group by e.account_id, e.reference having count(*) > 1 or sum(e.amount) >= 0
        union all
        select e.account_id, format('%s refunds of %s together for %s', count(*), sum(e.amount),
                                    e.reference)
          from ledger_slice(p_after, p_until, p_is_whole) e where e.kind = 4
         group by e.account_id, e.reference
        having count(*) > 1
            or not exists (select from ledger_entry u
                            where u.account_id = e.account_id and u.kind = 3
                              and u.reference = e.reference and u.amount = -sum(e.amount)
                              and u.token_id is not distinct from max(e.token_id::text)::uuid);
    when 7 then return query -- only functions write money, and entries are changed by nobody
        select null::uuid, format('the role %s may write %s', r.name, t.name)
          from unnest(array['tollgate_gateway', 'tollgate_portal', 'tollgate_operator']) as r (name),
               unnest(array['ledger_entry', 'account_balance', 'hold']) as t (name)
         where has_table_privilege(r.name, t.name, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
            or has_any_column_privilege(r.name, t.name, 'UPDATE')
        union all
        -- pg_trigger.h: before (2) delete (8), update (16) and truncate (32), of any column, always
        select null::uuid, 'the trigger ledger_entry_is_final is missing, disabled or not whole'
         where not exists (select from pg_trigger t
                            where t.tgrelid = 'ledger_entry'::regclass
                              and t.tgname = 'ledger_entry_is_final' and t.tgenabled in ('O', 'A')
                              and t.tgfoid = 'ledger_entry_is_final'::regproc
                              and t.tgtype & 58 = 58 and t.tgattr = '' and t.tgqual is null);
    when 8 then return query -- a payment is credited once, and to one account
        select e.account_id, format('payment %s was credited %s times', e.reference, e.times)
          from (select l.account_id, l.reference, count(*) over (partition by l.reference) as times
                  from ledger_entry l where l.kind = 2) e
         where e.times > 1;
    when 9 then return query -- one sign-up grant an account
        select e.account_id, format('%s sign-up grants', count(*))
          from ledger_entry e where e.kind = 1 group by e.account_id having count(*) > 1;
    when 10 then return query -- the sums of usage by day are those of the entries that they count
        select * from usage_verify(p_after, p_until, p_is_whole);
    when 11 then return query -- a token with caps has spent what its calls say
        select * from caps_verify(p_after, p_until);
    end case;
end $$;

-- These accounts are right as this transaction sees them: start from here the next time.
create function ledger_set_checkpoint(p_after uuid, p_until uuid) returns void language sql
security definer set search_path = public, pg_temp as $$
    insert into ledger_checkpoint
    select b.account_id, b.seq, b.posted, b.granted, b.purchased, b.used,
           greatest(c.at, (select max(e.at) from ledger_entry e
                            where e.account_id = b.account_id and e.seq > coalesce(c.seq, 0)))
      from account_balance b
      left join ledger_checkpoint c on c.account_id = b.account_id
     where b.account_id > p_after and b.account_id <= p_until and b.seq > coalesce(c.seq, 0)
    on conflict (account_id) do update
       set seq = excluded.seq, posted = excluded.posted, granted = excluded.granted,
           purchased = excluded.purchased, used = excluded.used, at = excluded.at
$$;

-- The end of the next piece behind p_after: a thousand accounts or 200,000 entries to read, but one
-- account at least. NULL: none is left.
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
