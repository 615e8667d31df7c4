"""tests/bench/history.py - an account with a million entries over a thousand days, among a hundred
thousand others.

It is written directly, because the ledger's functions would take hours, and is consistent: `tollctl
verify` finds nothing.
"""

import psycopg2

from kit.database.ledger import chained
from kit.database.margins import MARGINS

CROWD = 100_000
CROWD_CALLS = 10  # of each, on this many days, counted
TOOLS = 12        # that the account calls, each with each of its tokens
TOKENS = 5
NOBODY = "00000000-0000-0000-0000-000000000000"

# Calls cost 1 to 5 credits; every hundredth is refunded by the next entry.
ENTRIES = chained("""
    with tools as (select array(select tool_id from tool order by name <> 'hash-generate', name limit %(tools)s) as ids),
    tokens as (select array(select token_id from token where account_id = %(account)s and kind = 1 order by 1) as ids),
    call as (
        select n, case when n %% 100 = 0 then 4 else 3 end as kind, n - (n %% 100 = 0)::int as source
          from generate_series(%(first)s, %(last)s) n
    ), priced as (
        select c.*, (case c.kind when 3 then -1 else 1 end) * (1 + c.source %% 5) as amount from call c
    )
    select %(account)s::uuid as account_id, p.n as seq, p.kind, p.amount,
           b.posted + sum(p.amount) over (order by p.n) as balance_after,
           md5(p.source || %(account)s::text)::uuid as reference,
           tools.ids[1 + (hashint8(p.source) & 2147483647) %% cardinality(tools.ids)] as tool_id,
           tokens.ids[1 + (hashint8(-p.source) & 2147483647) %% cardinality(tokens.ids)] as token_id,
           now() - (%(last)s - p.n) * (interval '1 day' * %(days)s / (%(last)s - %(first)s + 1)) as at
      from priced p, tools, tokens, (select posted from account_balance where account_id = %(account)s) b""",
    head="(select head from account_balance where account_id = %(account)s)")

BOOKS = """
    update account_balance b set posted = b.posted + e.amount, used = b.used - e.amount, seq = %(last)s,
           head = (select hash from ledger_entry where account_id = %(account)s and seq = %(last)s)
      from (select sum(amount) as amount from ledger_entry where account_id = %(account)s and seq >= %(first)s) e
     where b.account_id = %(account)s"""

# Accounts with a member, a session, a token and a few calls.
CROWD_ROWS = """
    create temp table crowd on commit drop as
    select gen_random_uuid() as account_id, gen_random_uuid() as member_id, n from generate_series(1, %(count)s) n;
    create temp table crowd_call on commit drop as
    select account_id, s + 1 as seq, now() - interval '1 day' * (%(calls)s - s) as at, t.tool_id
      from crowd, generate_series(1, %(calls)s) s, (select min(tool_id) as tool_id from tool) t;
    insert into account (account_id, name, created_at) select account_id, 'crowd', now() from crowd;
    insert into account_balance (account_id, posted, granted, used, seq)
    select account_id, 100 - %(calls)s, 100, %(calls)s, 1 + %(calls)s from crowd;
""" + chained("""
    select account_id, 1 as seq, 1 as kind, 100 as amount, 100 as balance_after, gen_random_uuid() as reference,
           null::smallint as tool_id, null::uuid as token_id, now() - interval '100 days' as at from crowd
    union all
    select account_id, seq, 3, -1, 101 - seq, gen_random_uuid(), tool_id, null, at from crowd_call""") + """;
    update account_balance b set head = e.hash from crowd c join ledger_entry e using (account_id)
     where b.account_id = c.account_id and e.seq = 1 + %(calls)s;
    insert into usage_day (account_id, day, tool_id, token_id, calls, credits, first_seq, last_seq)
    select account_id, utc_day(at), tool_id, %(nobody)s, 1, 1, seq, seq from crowd_call;
    insert into usage_roll (account_id, seq) select account_id, 1 + %(calls)s from crowd;
    insert into token (account_id, token_id, digest, last4, created_at)
    select account_id, gen_random_uuid(), sha256(account_id::text::bytea), 'aaaa', now() from crowd;
    insert into member (member_id, account_id, email, email_key, password, password_at, created_at)
    select member_id, account_id, n || '@crowd.example.com', n || '@crowd.example.com', '', now(), now() from crowd;
    insert into session (session_id, cookie, member_id, is_half, is_kept, created_at, seen_at, expires_at)
    select gen_random_uuid(), sha256(member_id::text::bytea), member_id, false, true, now(), now(),
           now() + interval '1 day' from crowd;
""" + MARGINS.format(rows="usage_day join crowd using (account_id)")


def add_crowd(database, count=CROWD):
    with psycopg2.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute(CROWD_ROWS, {"count": count, "calls": CROWD_CALLS, "nobody": NOBODY})


def add_history(database, account, entries, days, tools=TOOLS, tokens=TOKENS):
    """Calls of this many days by tools and tokens, after the account's present entries; also
    counted by day."""
    with psycopg2.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("insert into token (account_id, token_id, digest, name, last4, created_at)"
                       " select %s, gen_random_uuid(), sha256(('history' || n)::bytea), 'token ' || n, 'aaaa', now()"
                       " from generate_series(1, %s) n", (account, tokens))
        cursor.execute("select seq + 1 from account_balance where account_id = %s", (account,))
        first = cursor.fetchone()[0]
        known = {"account": account, "first": first, "last": first + entries - 1, "days": days, "tools": tools}
        cursor.execute(ENTRIES, known)
        cursor.execute(BOOKS, known)
        cursor.execute("select usage_roll_up(%s, %s)", (account, entries + 10))
