"""tests/kit/database/ledger.py - calls in a ledger without a gateway, and a ledger with entries of
every kind.

A test file imports the fixture, and those of scratch.py that it needs.
"""

import hashlib
import json
import uuid

import pytest

from kit.database.orders import Portal

# Calls cost the price in the database. The number of such a tool is its price, for tests that call
# the ledger's functions with other amounts. A real tool with such a number gets the price as its
# old one. Run it as the owner.
PRICED_TOOLS = """insert into tool (tool_id, name, tool_group, rate_class, price)
    select n, 'priced-' || n, 'priced', 'priced', n from generate_series(1, {most}) n
    on conflict (tool_id) do update set price_before = excluded.price"""
NOBODY = "018f3a5e-0000-7000-8000-000000000000"
WITHOUT_TRIGGERS = "set session_replication_role = replica; "
# Write all hashes again, after entries were written or changed without the ledger's functions.
RECHAIN = """;
    alter table ledger_entry disable trigger ledger_entry_is_final;
    update ledger_entry e set hash = c.hash
      from (select account_id, seq,
                   chain_entries(chain_start(), entry_record(account_id, seq, kind, amount, balance_after, reference,
                                                             tool_id, token_id, at))
                       over (partition by account_id order by seq) as hash
              from ledger_entry) c
     where c.account_id = e.account_id and c.seq = e.seq and c.hash <> e.hash;
    alter table ledger_entry enable trigger ledger_entry_is_final;
    update account_balance b set head = e.hash from ledger_entry e
     where e.account_id = b.account_id and e.seq = b.seq and e.hash <> b.head"""


def chained(rows, head="chain_start()"):
    """Insert many entries at once. rows selects account_id, seq, kind, amount, balance_after,
    reference, tool_id, token_id, at. head: the account's hash before them. Then write
    account_balance.head."""
    return f"""
        insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id, token_id, at, hash)
        select e.*, chain_entries({head}, entry_record(account_id, seq::bigint, kind::smallint, amount::bigint,
                                                       balance_after::bigint, reference, tool_id, token_id, at))
                        over (partition by account_id order by seq)
          from ({rows}) e order by seq, account_id"""


# The parameter from items() as an array for ledger_batch(), ledger_settle() and ledger_admit().
ITEMS = "array(select jsonb_populate_record(null::ledger_item, i) from jsonb_array_elements({}::jsonb) i)"
BATCH = f"ledger_batch({ITEMS.format('%s')}, {ITEMS.format('%s')})"
CAPTURE, ADMIT = 1, 5  # ops


def items(*rows):
    """From dicts with columns of gateway/ledger/columns.def; missing columns are NULL."""
    def text(value):
        return "\\x" + bytes(value).hex() if isinstance(value, (bytes, memoryview)) else str(value)

    return json.dumps(rows, default=text)


def settlement(op, account, hold, **columns):
    return {"op": op, "account_id": account, "hold_id": hold, **columns}


def admission(account, hold, token, tool, amount, **columns):
    return {"op": ADMIT, "account_id": account, "hold_id": hold, "token": token, "tool_id": tool, "amount": amount,
            "global_limit": 60} | columns


def wait_for_a_waiter(cursor):
    """Wait until somebody waits for one of our locks. pg_locks is not a snapshot, so repeating the
    query is enough."""
    cursor.execute("set statement_timeout = '20s'")
    cursor.execute("do $$ begin while not exists (select from pg_locks where not granted) loop"
                   " perform pg_sleep(0.01); end loop; end $$")


def hold(db, account, amount):
    """Admit a call of hash-generate, as a gateway does; returns the hold's id."""
    token = db.ask("token", "create", account)["token"]
    number = str(uuid.uuid4())
    db.sql("update tool set price_before = %s where name = 'hash-generate'", amount)
    [(tool,)] = db.sql("select tool_number('hash-generate')")
    digest = hashlib.sha256(token.encode()).digest()
    rows = db.sql(f"select outcome from {BATCH}", items(),
                  items(admission(account, number, digest, tool, amount, ttl_ms=60000)))
    assert rows == [("admitted",)]
    return number


def charge(db, account, amount):
    """A call of hash-generate, admitted and captured."""
    number = hold(db, account, amount)
    rows = db.sql(f"select outcome from {BATCH}", items(settlement(CAPTURE, account, number)), items())
    assert rows == [("captured",)]
    return number


def refund(database, number):
    database.sql("select ledger_refund(h, now()) from hold h where hold_id = %s", number)


@pytest.fixture(scope="module")
def busy(new_database, migrated):
    """A database with a ledger of every kind of entry, and its account."""
    database = new_database(migrated._name)
    account = database.ask("account", "create", "busy")["account"]
    database.ask("account", "create", "bystander")
    used = charge(database, account, 5)
    charge(database, account, 7)
    hold(database, account, 9)
    with Portal(database) as portal:
        portal.buy(account, pack=1, order=NOBODY)
    refund(database, used)
    database.ask("account", "grant", account, "-1", "--note", "n")
    return database, account
