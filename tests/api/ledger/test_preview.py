"""tests/api/ledger/test_preview.py - admission_preview() says what ledger_batch() then does."""

import random


from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures

PAIRS = 2000

# Random states of an account and its token, and a random call: p_count times, the outcome of the
# preview and that of the admission. The clock of an account does not go back (account_clock()).
COMPARE = """
create function pick(p_values anyarray) returns anyelement language sql volatile as $$
    select p_values[1 + floor(random() * cardinality(p_values))::int]
$$;
create function compare(p_count integer, p_seed double precision)
returns table (previewed text, admitted text, same_balance boolean, same_plan boolean) language plpgsql as $$
declare
    acct   uuid := gen_random_uuid();
    t      tool;
    i      ledger_item;
    now_ms bigint;
    p      record;
    o      record;
    size   integer;
    age_ms integer;
    client inet;
begin
    perform setseed(p_seed);
    insert into plan values (1, 'loose', 300, true, false), (2, 'tight', 9, false, false);
    insert into plan_limit select l.plan_id, c.rate_class, case l.plan_id when 1 then 0 else 5 end, null,
                                  case l.plan_id when 1 then 0 else 9 end
      from plan l, (select distinct rate_class from tool where price > 0) c;
    insert into account (account_id, name, created_at) values (acct, 'x', now());
    insert into account_balance (account_id) values (acct);
    insert into token (account_id, token_id, digest, last4, created_at, spent_total)
    values (acct, gen_random_uuid(), sha256('t'), 'aaaa', now(), 0);
    for n in 1..p_count loop
        now_ms := ledger_now_ms();
        size := pick(array[0, 5, 9, 10, 30, 59, 60, 299, 300]);
        age_ms := pick(array[50000, 70000]);
        select * into t from tool where price > 0 order by random() limit 1;
        delete from hold where account_id = acct;
        delete from daily_quota where account_id = acct;
        insert into daily_quota values (acct, t.tool_id, utc_day(ms_to_time(now_ms)), pick(array[0, 9, 10]));
        with given (plan_id) as (select pick(array[null, null, 1, 2]::smallint[]))
        update account set state = pick(array['active', 'active', 'active', 'active', 'suspended']),
               limits_off = random() < 0.1, plan_id = g.plan_id, plan_at = case when g.plan_id is not null then now() end
          from given g where account_id = acct;
        update token set scopes = pick(array['{}', '{}', '{}', '{' || t.name || '}', '{' || t.tool_group || '}', '{account}'])::text[],
               revoked_at = case when random() < 0.05 then now() end,
               expires_at = pick(array[null, now() + interval '1 hour', now() - interval '1 hour']),
               networks = pick(array[null, null, '{192.0.2.0/24}', '{2001:db8::/32,10.0.0.0/8}'])::cidr[],
               cap_total = pick(array[null, null, 0, 5, 100]), cap_daily = pick(array[null, null, 0, 5, 100]),
               spent_day = utc_day(ms_to_time(now_ms)), spent_today = pick(array[0, 3]), spent_total = pick(array[3, 96])
         where account_id = acct;
        with credits (posted) as (select pick(array[0, 4, 5, 100]::bigint[]))
        update account_balance set posted = c.posted, granted = c.posted, held = least(c.posted, pick(array[0, 0, 3])),
               ring_at = array(select now_ms - age_ms + floor(r * age_ms)::bigint
                                 from (select random() as r from generate_series(1, size)) s order by 1),
               ring_tool = array(select pick(array[t.tool_id, t.tool_id, 0::smallint]) from generate_series(1, size))
          from credits c where account_id = acct;
        i := null;
        i.op := 5;
        i.account_id := acct;
        i.hold_id := gen_random_uuid();
        i.token := case when random() < 0.02 then sha256('other') else sha256('t') end;
        i.tool_id := t.tool_id;
        i.amount := t.price;
        i.endpoint_limit := pick(array[null, 5, 10, 30]);
        i.class_limit := pick(array[null, null, 10]);
        i.global_limit := 60;
        i.daily_limit := pick(array[null, 10]);
        i.ttl_ms := 60000;
        client := pick(array[null, '192.0.2.7', '10.0.0.1', '2001:db8::7', '198.51.100.7']::inet[]);
        select * into p from admission_preview(acct, i.token, i.tool_id, i.amount, coalesce(i.endpoint_limit, 0),
                                               coalesce(i.class_limit, 0), i.global_limit, coalesce(i.daily_limit, 0), client);
        select b.* into o from ledger_batch('{}', array[i], false, array[client]) b;
        return query select coalesce(p.outcome, 'admitted'), o.outcome,
                            p.posted - p.held is not distinct from o.posted - o.held + case o.outcome when 'admitted' then i.amount else 0 end,
                            (p.plan_id, p.plan_endpoint, p.plan_class, p.plan_daily, p.plan_global)
                                is not distinct from (o.plan_id, o.plan_endpoint, o.plan_class, o.plan_daily, o.plan_global);
    end loop;
end $$;
"""


def test_2000_pairs_agree(db):
    seed = random.random()
    db.sql(COMPARE)
    rows = db.sql("select previewed, admitted, same_balance, same_plan, count(*) from compare(%s, %s)"
                  " group by 1, 2, 3, 4", PAIRS, seed)
    print(f"seed {seed}: {rows}")
    assert sum(count for *_, count in rows) == PAIRS
    assert [row for row in rows if row[0] != row[1]] == []
    assert {row[0] for row in rows} >= {"admitted", "auth_invalid", "auth_revoked", "auth_expired", "account_suspended",
                                        "ip_not_allowed", "scope_denied", "rate_limited_endpoint", "rate_limited_class",
                                        "rate_limited_global", "daily_quota_exceeded", "spending_cap_daily",
                                        "spending_cap_total", "insufficient_credits"}
    assert [row for row in rows if not row[3]] == []
    assert [row for row in rows if row[0] in ("admitted", "insufficient_credits") and not row[2]] == []


def test_a_preview_writes_nothing_and_needs_the_token(db):
    account = db.ask("account", "create", "Ada")["account"]
    [(tool, price)] = db.sql("select tool_id, price from tool where name = 'tls-check'")
    preview = "select outcome, posted from admission_preview(%s, sha256('x'), %s::smallint, %s, 10, 0, 60, 0)"
    before = db.sql("select xmin, * from account_balance where account_id = %s", account)
    assert db.sql(preview, account, tool, price, role="tollgate_gateway") == [("auth_invalid", None)]
    assert db.sql("select xmin, * from account_balance where account_id = %s", account) == before
