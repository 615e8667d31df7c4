"""tests/bench/books.py - the cost of a paid call and of `tollctl verify` with large books: a
million accounts with fifty entries each.

It calls two sets of accounts: some busy ones, and many that are called rarely. Then it writes the
other accounts directly, without the ledger's functions, and calls both sets again. This takes half
an hour and ten gigabytes, so `make bench` leaves it out: `tests/bench/run.py --only books`.
"""

import time

import psycopg2

from kit.database.ledger import chained

ENTRIES = 50   # of an account: a grant, and calls over this many days
DAYS = 30
STEP = 20_000  # accounts in one transaction
BUSY, RARE = 2_000, 200_000  # accounts that are called
GOAL = 1.1

ROWS = """
    create temp table crowd on commit drop as
    select gen_random_uuid() as account_id from generate_series(1, %(count)s);
    insert into account (account_id, name, created_at) select account_id, 'crowd', now() from crowd;
    insert into account_balance (account_id, posted, granted, used, seq)
    select account_id, 0, %(entries)s - 1, %(entries)s - 1, %(entries)s from crowd;
    insert into token (account_id, token_id, digest, last4, created_at)
    select account_id, gen_random_uuid(), sha256(account_id::text::bytea), 'aaaa', now() from crowd;
""" + chained("""
    select account_id, s as seq, case s when 1 then 1 else 3 end as kind,
           case s when 1 then %(entries)s - 1 else -1 end as amount, %(entries)s - s as balance_after,
           gen_random_uuid() as reference, case when s > 1 then tool_number('hash-generate') end as tool_id,
           null::uuid as token_id, now() - interval '1 day' * %(days)s * (%(entries)s - s) / %(entries)s as at
      from crowd, generate_series(1, %(entries)s) s""") + """;
    update account_balance b set head = e.hash from crowd c join ledger_entry e using (account_id)
     where b.account_id = c.account_id and e.seq = %(entries)s"""


def fill(database, accounts):
    """This many more accounts, with ENTRIES entries each, ordered by time as entries of calls
    are."""
    begin = time.monotonic()
    for done in range(0, accounts, STEP):
        count = min(STEP, accounts - done)
        with psycopg2.connect(database) as connection, connection.cursor() as cursor:
            cursor.execute(ROWS, {"count": count, "entries": ENTRIES, "days": DAYS})
        print(f"\r    {done + count:9,} accounts written, {time.monotonic() - begin:.0f} s", end="", flush=True)
    print()


def tell_growth(before, after):
    """The cost of a call in bare charges, measured in the same minutes to cancel out the machine's
    speed."""
    calls_before, calls_after = (bare["rate"] / paid["rate"] for bare, paid in (before, after))
    ratio = calls_after / calls_before
    mark = "" if ratio <= GOAL else f"   above {GOAL}"
    print(f"    a call is {calls_before:.2f} and then {calls_after:.2f} bare charges   = {ratio:.2f}{mark}", flush=True)


def tell_verify(stack, *words):
    begin = time.monotonic()
    stack.tollctl("verify", *words)
    print(f"    tollctl {' '.join(('verify', *words))}: {time.monotonic() - begin:.0f} s", flush=True)
