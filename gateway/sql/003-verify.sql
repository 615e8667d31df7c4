-- gateway/sql/003-verify.sql - the invariants of the ledger, each as a query for what breaks it.
-- `tollctl verify` runs all of them in one REPEATABLE READ snapshot; no row is a proof.

create function ledger_verify(p_invariant integer)
returns table (account_id uuid, detail text) language plpgsql stable as $$
#variable_conflict use_column
begin
    case p_invariant
    when 1 then return query -- nothing below zero, nothing held that is not there
        select b.account_id, format('posted %s, held %s', b.posted, b.held)
          from account_balance b where b.posted < 0 or b.held < 0 or b.held > b.posted;
    when 2 then return query -- the balance is the sum of its entries, kind by kind
        select coalesce(b.account_id, e.account_id),
               format('posted %s granted %s purchased %s used %s seq %s, but the entries say %s %s %s %s %s',
                      b.posted, b.granted, b.purchased, b.used, b.seq,
                      coalesce(e.posted, 0), coalesce(e.granted, 0), coalesce(e.purchased, 0),
                      coalesce(e.used, 0), coalesce(e.seq, 0))
          from account_balance b
          full join (select l.account_id, sum(l.amount) as posted,
                            sum(l.amount) filter (where l.kind in (1, 5)) as granted,
                            sum(l.amount) filter (where l.kind = 2) as purchased,
                            -sum(l.amount) filter (where l.kind in (3, 4)) as used,
                            max(l.seq) as seq
                       from ledger_entry l group by l.account_id) e on e.account_id = b.account_id
         where (b.posted, b.granted, b.purchased, b.used, b.seq) is distinct from
               (coalesce(e.posted, 0), coalesce(e.granted, 0), coalesce(e.purchased, 0),
                coalesce(e.used, 0), coalesce(e.seq, 0))
        union all
        select a.account_id, 'the account has no balance'
          from account a
         where not exists (select from account_balance b where b.account_id = a.account_id);
    when 3 then return query -- every entry continues the one before it
        select l.account_id, format('entry %s: balance_after %s after %s and %s', l.seq,
                                    l.balance_after, coalesce(l.before, 0), l.amount)
          from (select e.account_id, e.seq, e.amount, e.balance_after,
                       lag(e.balance_after) over w as before, lag(e.seq) over w as seq_before
                  from ledger_entry e window w as (partition by e.account_id order by e.seq)) l
         where l.balance_after <> coalesce(l.before, 0) + l.amount
            or l.seq <> coalesce(l.seq_before, 0) + 1;
    when 4 then return query -- what is held is the sum of the open holds
        select coalesce(b.account_id, h.account_id),
               format('held %s, open holds %s', b.held, coalesce(h.amount, 0))
          from account_balance b
          full join (select o.account_id, sum(o.amount) as amount from hold o
                      where o.state = 1 group by o.account_id) h on h.account_id = b.account_id
         where b.held is distinct from coalesce(h.amount, 0);
    when 5 then return query -- a captured hold has one usage entry of its amount, others have none
        select h.account_id, format('hold %s in state %s has %s usage entries of %s together',
                                    h.hold_id, h.state, count(e.seq), coalesce(sum(e.amount), 0))
          from hold h
          left join ledger_entry e
            on e.account_id = h.account_id and e.reference = h.hold_id and e.kind = 3
         group by h.account_id, h.hold_id, h.state, h.amount
        having count(e.seq) <> case when h.state = 2 then 1 else 0 end
            or coalesce(sum(e.amount), 0) <> case when h.state = 2 then -h.amount else 0 end;
    when 6 then return query -- a call is charged once, and given back only after it was charged
        select e.account_id, format('%s usage and %s refund entries of %s together for %s',
                                    count(*) filter (where e.kind = 3),
                                    count(*) filter (where e.kind = 4), sum(e.amount), e.reference)
          from ledger_entry e where e.kind in (3, 4)
         group by e.account_id, e.reference
        having count(*) filter (where e.kind = 3 and e.amount < 0) <> 1
            or count(*) filter (where e.kind = 4) > 1
            or (count(*) = 2 and sum(e.amount) <> 0);
    when 7 then return query -- only functions write money, and entries are changed by nobody
        select null::uuid, format('the role %s may write %s', r.name, t.name)
          from unnest(array['tollgate_gateway', 'tollgate_operator']) as r (name),
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
    end case;
end $$;
