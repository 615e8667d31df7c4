"""tests/api/test_usage_days.py - usage by day: counted once from the entries, by any number of
processes, and what verify finds."""

import json
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest

from kit.database.ledger import busy  # noqa: F401 - a fixture
from kit.database.ledger import NOBODY, RECHAIN, WITHOUT_TRIGGERS, charge
from kit.database.scratch import account, cluster, migrated, new_database, shared_db as db  # noqa: F401 - fixtures


def roll_up(db, account, limit=1000):
    return db.sql("select usage_roll_up(%s, %s)", account, limit, role="tollgate_portal")[0][0]


def usage(db, account):
    """(day is today, tool is hash-generate, token is known, calls, credits, first entry, last
    entry)"""
    return db.sql("select day = (now() at time zone 'UTC')::date, tool_id = tool_number('hash-generate'),"
                  " token_id <> %s, calls, credits, first_seq, last_seq from usage_day where account_id = %s"
                  " order by first_seq", ZEROS, account)


def margins(db, account):
    """(of a tool, calls, credits, first and last entry)"""
    return db.sql("select tool_id = tool_number('hash-generate'), calls, credits, first_seq, last_seq"
                  " from usage_margin where account_id = %s and day = (now() at time zone 'UTC')::date"
                  " order by tool_id, first_seq", account)


ZEROS = "00000000-0000-0000-0000-000000000000"


def test_usage_is_counted_once(new_database, busy):
    """Two calls by two tokens, one refunded; purchase and adjustment are not usage."""
    original, account = busy
    database = new_database(original._name)
    rows = [(True, True, True, 0, 0, 2, 5), (True, True, True, 1, 7, 3, 3)]
    for _ in range(2):
        assert roll_up(database, account) == 0
        assert usage(database, account) == rows
        assert margins(database, account) == [(True, 1, 7, 2, 5), (None, 0, 0, 2, 5), (None, 1, 7, 3, 3)]
    assert database.sql("select seq from usage_roll where account_id = %s", account) == [(6,)]
    database.ask("verify")
    charge(database, account, 2)
    assert roll_up(database, account) == 0
    assert usage(database, account) == [*rows, (True, True, True, 1, 2, 7, 7)]
    assert margins(database, account) == [(True, 2, 9, 2, 7), (None, 0, 0, 2, 5), (None, 1, 7, 3, 3),
                                          (None, 1, 2, 7, 7)]
    database.ask("verify")


def test_usage_in_steps(new_database, busy):
    original, account = busy
    database = new_database(original._name)
    assert [roll_up(database, account, 2) for _ in range(3)] == [4, 2, 0]
    at_once = new_database(original._name)
    roll_up(at_once, account)
    assert usage(database, account) == usage(at_once, account)
    assert margins(database, account) == margins(at_once, account)
    database.ask("verify", "--whole")


def test_usage_without_account_or_calls(db, account):
    assert roll_up(db, NOBODY) == 0
    assert roll_up(db, account) == 0
    assert usage(db, account) == []


def test_usage_of_calls_from_before_tokens_were_recorded(new_database, busy):
    original, account = busy
    database = new_database(original._name)
    database.sql(WITHOUT_TRIGGERS + "update ledger_entry set token_id = null; update hold set token_id = null" + RECHAIN,
                 role="postgres")
    roll_up(database, account)
    assert usage(database, account) == [(True, 1, False, 1, 7, 2, 5)]
    database.ask("verify", "--whole")


def test_usage_by_two_at_once(new_database, busy):
    """The second one waits for the first, and counts nothing twice."""
    original, account = busy
    database = new_database(original._name)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: roll_up(database, account), range(8))) == [0] * 8
    assert [row[3:5] for row in usage(database, account)] == [(0, 0), (1, 7)]


def test_usage_lap(new_database, busy):
    """Only long tails are counted, and a step stops after about 100,000 entries."""
    original, account = busy
    database = new_database(original._name)
    other = database.ask("account", "create", "long")["account"]
    database.sql(WITHOUT_TRIGGERS + "insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference,"
                 f" tool_id, at, hash) select '{other}', n, 3, -1, 0, gen_random_uuid(), 1, now(), ''"
                 " from generate_series(2, 204000) n;"
                 f" update account_balance set seq = 204000 where account_id = '{other}'", role="postgres")

    def lap(after):
        return database.sql("select usage_lap(%s, 1000)::text", after, role="tollgate_portal")[0][0]

    def counted():
        return database.sql("select account_id::text, seq from usage_roll")

    steps = [lap(ZEROS)]
    while steps[-1]:
        assert counted() == [(other, 100000 * len(steps))]
        steps.append(lap(steps[-1]))
    assert counted() == [(other, 200000)] and len(steps) == 3
    assert [row[3] for row in usage(database, other)] == [199999]


USAGE_DAMAGES = [
    ("a call more", "update usage_day set calls = calls + 1"),
    ("a credit less", "update usage_day set credits = credits - 1"),
    ("another tool", "update usage_day set tool_id = 2 where calls = 1"),
    ("a row gone", "delete from usage_day where calls = 1"),
    ("a row of nothing", "insert into usage_day select account_id, day + 1, tool_id, token_id, 1, 1, 6, 6"
     " from usage_day where calls = 1"),
    ("its entries moved to yesterday", WITHOUT_TRIGGERS + "update ledger_entry set at = at - interval '1 day';"
     " update hold set settled_at = settled_at - interval '1 day'" + RECHAIN),
    ("a tool's margin with a call more", "update usage_margin set calls = calls + 1 where tool_id is not null"),
    ("a token's margin with a credit less", "update usage_margin set credits = credits - 1 where calls = 0"),
    ("a margin that begins later", "update usage_margin set first_seq = first_seq + 1 where tool_id is not null"),
    ("a margin gone", "delete from usage_margin where tool_id is null and calls = 1"),
    ("a margin of another day", "update usage_margin set day = day - 1 where tool_id is not null"),
    ("a margin of nothing", "insert into usage_margin select account_id, day, 2, null, 0, 0, 5, 5"
     " from usage_margin where tool_id is not null"),
    ("more counted than there is", "update usage_roll set seq = seq + 1"),
    ("counted and not noted", "delete from usage_roll"),
    ("margins alone", "delete from usage_roll; delete from usage_day"),
]


@pytest.mark.parametrize("damage", [pytest.param(row[1], id=row[0]) for row in USAGE_DAMAGES])
@pytest.mark.parametrize("whole", [(), ("--whole",)])
def test_verify_finds_wrong_usage(new_database, busy, damage, whole):
    original, account = busy
    database = new_database(original._name)
    roll_up(database, account)
    database.sql(damage, role="postgres")
    status, out, _ = database.run("verify", *whole, "--json")
    assert status == 1
    failed = {check["invariant"]: check["findings"] for check in json.loads(out)["checks"] if not check["ok"]}
    assert failed.keys() == {10} and {finding["account"] for finding in failed[10]} == {account}


def test_verify_of_usage_starts_from_its_checkpoint(new_database, busy):
    """Only --whole reads older rows again; entries that were counted after them are read, though
    verified before."""
    original, account = busy
    database = new_database(original._name)
    roll_up(database, account, 4)
    database.ask("verify")
    assert database.sql("select usage_seq from ledger_checkpoint where account_id = %s", account) == [(4,)]
    roll_up(database, account)
    database.sql("update usage_day set calls = calls + 1 where last_seq = 5", role="postgres")
    assert database.run("verify")[0] == 1
    database.sql("update usage_day set calls = calls - 1 where last_seq = 5", role="postgres")
    database.ask("verify")
    database.sql("update usage_day set calls = calls + 1 where last_seq = 3", role="postgres")
    database.ask("verify")
    assert database.run("verify", "--whole")[0] == 1


@pytest.mark.parametrize("statement", [
    "update usage_day set calls = 0", "update usage_margin set calls = 0", "delete from usage_roll",
    "insert into ledger_entry select * from ledger_entry",
    "select ledger_credit(%s, 1::smallint, 1, gen_random_uuid(), '')", "update account_balance set posted = 0"])
def test_the_portal_writes_no_books(new_database, busy, statement):
    database = new_database(busy[0]._name)
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        database.sql(statement.replace("%s", f"'{busy[1]}'"), role="tollgate_portal")
