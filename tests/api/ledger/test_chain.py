"""tests/api/ledger/test_chain.py - the hash of each entry, computed here from its columns."""

import datetime
import hashlib
import struct
import uuid

import pytest

from kit.database.ledger import (BATCH, CAPTURE, PRICED_TOOLS, RECHAIN, WITHOUT_TRIGGERS, admission, busy,  # noqa: F401
                                 items, settlement)
from kit.database.scratch import cluster, migrated, new_database  # noqa: F401 - fixtures

EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)
ENTRIES = """select account_id::text, seq, kind, amount, balance_after, reference::text, tool_id, token_id::text, at, hash
               from ledger_entry order by account_id, seq"""


def chain(database):
    """(account, seq): the hash that it should have, and the hash that it has."""
    hashes, known = {}, {}
    for account, seq, kind, amount, after, reference, tool, token, at, stored in database.sql(ENTRIES):
        micros = (at - EPOCH) // datetime.timedelta(microseconds=1)
        record = (uuid.UUID(account).bytes + struct.pack(">qhqq", seq, kind, amount, after) + uuid.UUID(reference).bytes
                  + struct.pack(">h", tool or 0) + uuid.UUID(token or str(uuid.UUID(int=0))).bytes
                  + struct.pack(">q", micros))
        assert len(record) == 84
        hashes[account] = hashlib.sha256(hashes.get(account, bytes(32)) + record).digest()
        known[account, seq] = (hashes[account], bytes(stored))
    heads = {account: bytes(head) for account, head in database.sql(
        "select account_id::text, head from account_balance where seq > 0")}
    assert heads == hashes
    return known


def check(known):
    assert [key for key, (expected, stored) in known.items() if expected != stored] == []


def test_each_kind_of_entry(busy):
    """Grants, purchases, charges, refunds and adjustments."""
    database, account = busy
    known = chain(database)
    assert len([key for key in known if key[0] == account]) == 6
    check(known)


def test_batches_with_many_calls_of_an_account(new_database, migrated):
    """Captured, charged at once and taken one by one, in any mixture."""
    database = new_database(migrated._name)
    database.sql(PRICED_TOOLS.format(most=9))
    accounts = []
    for _ in range(3):
        account = database.ask("account", "create", "many", "--credits", "1000", "--limits-off")["account"]
        token = database.ask("token", "create", account, "--cap-total", "500")["token"]
        accounts.append((account, hashlib.sha256(token.encode()).digest()))

    def admit(number, **columns):
        account, digest = accounts[number % 3]
        return admission(account, str(uuid.uuid4()), digest, 1 + number % 9, 1 + number % 9, **columns)

    held = [admit(n, ttl_ms=60000) for n in range(12)]
    database.sql(f"select outcome from {BATCH}", items(), items(*held))
    for extra in ({}, {"since": 0}, {"daily_limit": 100}):  # `since` and limits are not plain
        rows = database.sql(f"select outcome from {BATCH}",
                            items(*(settlement(CAPTURE, h["account_id"], h["hold_id"]) for h in held[:4])),
                            items(*(admit(n, **extra) for n in range(8)), admit(0)))
        assert {outcome for outcome, in rows} == {"captured"}
        del held[:4]
    check(chain(database))
    database.ask("verify", "--whole")


@pytest.mark.parametrize("column", ["kind = 4", "amount = amount - 1", "balance_after = balance_after + 1",
                                    "reference = gen_random_uuid()", "tool_id = tool_id + 1", "tool_id = null",
                                    "token_id = gen_random_uuid()", "token_id = null",
                                    "at = at + interval '1 microsecond'", "hash = sha256(hash)"])
def test_a_changed_entry_is_found(new_database, busy, column):
    """Of a call without a hold, whose entry nothing else describes."""
    database, account = new_database(busy[0]._name), busy[1]
    where = f" where account_id = '{account}' and kind = 3 and amount = -7"
    database.sql(WITHOUT_TRIGGERS + "alter table ledger_entry drop constraint ledger_entry_check;"
                 f"delete from hold where amount = 7; update ledger_entry set {column}{where}", role="postgres")
    status, out, _ = database.run("verify", "--whole")
    assert (status, "3  each entry continues the one before it, in balance and hash" in out) == (1, True)
    assert [row for row in out.splitlines() if row.startswith(" 3 ")][0].endswith("FAILED")


def test_the_newest_entry_deleted_with_its_credits_given_back(new_database, busy):
    """All sums agree; only the head of the account does not."""
    database, account = new_database(busy[0]._name), busy[1]
    database.ask("account", "grant", account, "3", "--note", "n")
    database.sql(WITHOUT_TRIGGERS + f"delete from ledger_entry where account_id = '{account}' and amount = 3;"
                 " update account_balance set posted = posted - 3, granted = granted - 3, seq = seq - 1"
                 f" where account_id = '{account}'", role="postgres")
    status, out, _ = database.run("verify", "--whole")
    assert status == 1 and "the head of the account is not the hash of entry" in out
    database.sql("select 1" + RECHAIN, role="postgres")
    database.ask("verify", "--whole")  # only a root outside the database shows it
