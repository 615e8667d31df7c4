"""tests/api/operator/test_verify.py - `tollctl verify`, with a separate PostgreSQL.

Each test damages the database as the superuser, around the constraints that prevent the damage.
"""

import contextlib
import json
import shutil
import tempfile
from pathlib import Path

import psycopg2
import pytest

from kit.database.ledger import busy  # noqa: F401 - a fixture
from kit.database.ledger import NOBODY, RECHAIN, WITHOUT_TRIGGERS, chained, charge, refund, wait_for_a_waiter
from kit.database.margins import MARGINS
from kit.database.scratch import Database, account, cluster, db, migrated, new_database  # noqa: F401 - fixtures
from part import wait_for
from postgres import Cluster


def test_verify_of_a_correct_ledger(busy):
    database, _ = busy
    answer = database.ask("verify")
    assert answer["ok"] is True
    assert [(check["invariant"], check["ok"], check["count"], check["findings"]) for check in answer["checks"]] == [
        (number, True, 0, []) for number in range(1, 18)]
    lines = database.tell("verify").splitlines()
    assert len(lines) == 17 and all(line.endswith(" ok") for line in lines)


def test_verify_names_every_invariant(db, account):
    """A break of a check that is not listed would not be reported."""
    db.sql("create or replace function ledger_verify_all() returns table (invariant integer, account_id uuid,"
           " detail text) language sql as $$ select 99, null::uuid, 'broken' $$")
    status, _, errors = db.run("verify")
    assert status == 1 and "invariant 99 is unknown to this version" in errors


ACCOUNTS = 20_000
PIECE = 1000
ZEROS = "00000000-0000-0000-0000-000000000000"


def test_verify_of_usage_reads_nothing_of_other_accounts(new_database, busy):
    """A piece of accounts among many reads no table from end to end."""
    database = new_database(busy[0]._name)
    database.sql(WITHOUT_TRIGGERS + "create temp table crowd as select lpad(to_hex(n), 32, '0')::uuid as id"
                 f" from generate_series(1, {ACCOUNTS}) n;"
                 " insert into account (account_id, name, created_at) select id, 'crowd', now() from crowd;"
                 " insert into account_balance (account_id, seq) select id, 1 from crowd;"
                 " insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id, at, hash)"
                 " select id, 1, 3, -1, 0, id, 1, now(), '' from crowd;"
                 " insert into usage_roll select id, 1 from crowd;"
                 f" insert into usage_day select id, utc_day(now()), 1, '{ZEROS}', 1, 1, 1, 1 from crowd;"
                 + MARGINS.format(rows="usage_day"), role="postgres")
    database.sql("analyze", role="postgres")
    after, until = (f"{number:032x}" for number in (ACCOUNTS // 2, ACCOUNTS // 2 + PIECE))
    connection = psycopg2.connect(database.url("tollgate_operator"))
    with contextlib.closing(connection), connection.cursor() as cursor:
        for whole in (True, False):
            cursor.execute("select * from usage_verify(%s, %s, %s)", (after, until, whole))
            assert cursor.fetchall() == []
        cursor.execute("select relname from pg_stat_xact_user_tables where seq_tup_read >= %s", (ACCOUNTS,))
        assert cursor.fetchall() == []


# the damage, how (%(account)s is the account), invariants that must fail
DAMAGES = [
    ("held more than posted", "alter table account_balance drop constraint account_balance_check;"
     "update account_balance set held = posted + 1 where account_id = %(account)s", {1, 4}),
    ("posted below zero", "alter table account_balance drop constraint account_balance_check,"
     " drop constraint account_balance_check1;"
     "update account_balance set posted = -1 where account_id = %(account)s", {1, 2}),
    ("credits from nowhere", "update account_balance set posted = posted + 1, granted = granted + 1"
     " where account_id = %(account)s", {2}),
    ("a purchase counted as a grant", "update account_balance set purchased = purchased - 1,"
     " granted = granted + 1 where account_id = %(account)s", {2}),
    ("seq ahead of the entries", "update account_balance set seq = seq + 1 where account_id = %(account)s", {2, 3}),
    ("the last entry deleted", WITHOUT_TRIGGERS + "delete from ledger_entry where account_id = %(account)s"
     " and seq = (select max(seq) from ledger_entry where account_id = %(account)s)", {2, 3}),
    ("an entry in the middle deleted", WITHOUT_TRIGGERS + "delete from ledger_entry"
     " where account_id = %(account)s and seq = 2", {2, 3, 5, 6}),
    ("a running balance changed", WITHOUT_TRIGGERS + "update ledger_entry set balance_after = balance_after + 1"
     " where account_id = %(account)s and seq = 3", {3}),
    ("balance row gone", WITHOUT_TRIGGERS + "delete from account_balance where account_id = %(account)s", {2, 4, 5}),
    ("held without a hold", "update account_balance set held = held + 1 where account_id = %(account)s", {4}),
    ("a hold ended without giving back", "update hold set state = 3 where account_id = %(account)s and state = 1",
     {4}),
    ("captured and not charged", "insert into hold (account_id, hold_id, amount, tool_id, state, created_at,"
     " expires_at) values (%(account)s, gen_random_uuid(), 4, 1, 2, now(), now())", {5}),
    ("voided and charged", "update hold set state = 3 where account_id = %(account)s and amount = 7", {5}),
    ("charged another amount", "update hold set amount = 6 where account_id = %(account)s and amount = 7", {5}),
    ("charged twice", "drop index ledger_entry_one_usage; with b as (update account_balance set posted = posted - 7, used = used + 7,"
     " seq = seq + 1 where account_id = %(account)s returning *) insert into ledger_entry (account_id, seq, kind,"
     " amount, balance_after, reference, at, hash) select account_id, seq, 3, -7, posted, (select hold_id from hold"
     " where amount = 7), now(), '' from b" + RECHAIN, {5, 6}),
    ("refunded and never charged", "with b as (update account_balance set posted = posted + 7, used = used - 7,"
     " seq = seq + 1 where account_id = %(account)s returning *) insert into ledger_entry (account_id, seq, kind,"
     " amount, balance_after, reference, at, hash) select account_id, seq, 4, 7, posted, gen_random_uuid(), now(),"
     " '' from b" + RECHAIN, {6}),
    ("refunded more than charged", "alter table account_balance drop constraint account_balance_check;"
     " with b as (update account_balance set posted = posted + 8, used = used - 8,"
     " seq = seq + 1 where account_id = %(account)s returning *) insert into ledger_entry (account_id, seq, kind,"
     " amount, balance_after, reference, at, hash) select account_id, seq, 4, 8, posted, (select hold_id from hold"
     " where amount = 7), now(), '' from b" + RECHAIN, {6}),
    ("a payment credited twice", "drop index ledger_entry_once;"
     " with b as (update account_balance set posted = posted + 250, purchased = purchased + 250,"
     " seq = seq + 1 where account_id = %(account)s"
     f" returning *) insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, at,"
     f" hash) select account_id, seq, 2, 250, posted, '{NOBODY}', now(), '' from b" + RECHAIN, {8, 12}),
    ("a usage that gives credits", WITHOUT_TRIGGERS + "alter table ledger_entry drop constraint"
     " ledger_entry_check; delete from hold where amount = 7; update ledger_entry"
     " set amount = 7, balance_after = balance_after + 14 where account_id = %(account)s and amount = -7",
     {2, 3, 6}),
    ("a call held for an account without balance", WITHOUT_TRIGGERS + "delete from ledger_entry"
     " where account_id = %(account)s; delete from account_balance where account_id = %(account)s", {2, 4, 5, 12}),
    ("a second sign-up grant", "drop index ledger_entry_one_grant;"
     " select ledger_credit(%(account)s, 1::smallint, 100, gen_random_uuid(), 'again')",
     {9}),
]


@pytest.mark.parametrize("damage, broken", [pytest.param(*row[1:], id=row[0]) for row in DAMAGES])
def test_verify_finds(new_database, busy, damage, broken):
    original, account = busy
    database = new_database(original._name)
    database.sql(damage % {"account": f"'{account}'"}, role="postgres")
    status, out, err = database.run("verify", "--whole", "--json")
    answer = json.loads(out)
    assert (status, err, answer["ok"]) == (1, "", False)
    failed = {check["invariant"]: check["findings"] for check in answer["checks"] if not check["ok"]}
    assert failed.keys() == broken
    for findings in failed.values():
        assert {finding["account"] for finding in findings} == {account}
    status, out, _ = database.run("verify", "--whole")
    assert status == 1 and out.count("FAILED") == len(broken) and account in out


@pytest.mark.parametrize("damage", [
    "grant update on ledger_entry to tollgate_gateway", "grant delete on ledger_entry to tollgate_gateway",
    "grant truncate on ledger_entry to tollgate_gateway",
    "grant update (amount) on ledger_entry to tollgate_gateway", "grant tollgate_owner to tollgate_gateway",
    "grant insert on ledger_entry to tollgate_operator", "grant update (posted) on account_balance to tollgate_gateway",
    "alter table ledger_entry disable trigger ledger_entry_is_final",
    "drop trigger ledger_entry_is_final on ledger_entry",
    "create or replace trigger ledger_entry_is_final before update or delete on ledger_entry"
    " for each statement execute function ledger_entry_is_final()",
    "drop trigger ledger_entry_is_final on ledger_entry; create trigger ledger_entry_is_final"
    " before update of note or delete or truncate on ledger_entry"
    " for each statement execute function ledger_entry_is_final()"])
def test_verify_finds_that_entries_could_be_changed(new_database, busy, damage):
    database = new_database(busy[0]._name)
    database.sql(damage, role="postgres")
    try:
        status, out, _ = database.run("verify", "--whole", "--json")
    finally:
        database.sql("revoke tollgate_owner from tollgate_gateway", role="postgres")  # roles are the cluster's
    assert status == 1
    assert [check["invariant"] for check in json.loads(out)["checks"] if not check["ok"]] == [7]


def test_verify_finds_a_payment_credited_to_two_accounts(new_database, busy):
    original, account = busy
    database = new_database(original._name)
    other = database.ask("account", "create", "other")["account"]
    database.sql("select ledger_book(%s, 2::smallint, 250, %s, 'pack 1')", other, NOBODY)
    checks = json.loads(database.run("verify", "--whole", "--json")[1])["checks"]
    assert [check["invariant"] for check in checks if not check["ok"]] == [8, 12]
    assert {finding["account"] for finding in checks[7]["findings"]} == {account, other}
    assert {finding["account"] for finding in checks[11]["findings"]} == {other}


def test_verify_of_one_account(new_database, busy):
    original, account = busy
    database = new_database(original._name)
    database.sql("update account_balance set seq = seq + 1")
    both = json.loads(database.run("verify", "--whole", "--json")[1])["checks"][1]
    assert both["count"] == 2
    one = json.loads(database.run("verify", "--whole", "--json", "--account", account)[1])["checks"][1]
    assert [finding["account"] for finding in one["findings"]] == [account]


def test_verify_lists_a_hundred_and_counts_all(db):
    db.sql("with a as (insert into account (account_id, name, created_at) select gen_random_uuid(), 'x', now()"
           " from generate_series(1, 150) returning account_id)"
           " insert into account_balance (account_id, posted, granted) select account_id, 0, 0 from a")
    db.sql("update account_balance set seq = 1")
    check = json.loads(db.run("verify", "--whole", "--json")[1])["checks"][1]
    assert check["count"] == 150 and len(check["findings"]) == 100
    assert "and 50 more" in db.run("verify")[1]


def test_verify_sees_one_moment(db, account):
    """A commit during the read of an account is not half seen: here a break of the sixth, after the
    third."""
    charge(db, account, 1)
    connection = psycopg2.connect(db.url())
    with connection.cursor() as cursor:
        cursor.execute("lock table hold in access exclusive mode")
        process = db.start("verify")
        wait_for_a_waiter(cursor)
        cursor.execute("select ledger_refund(jsonb_populate_record(h, jsonb_build_object('hold_id', gen_random_uuid())),"
                       " now()) from hold h where account_id = %s", (account,))
        connection.commit()
    connection.close()
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0, out
    assert [check["invariant"] for check in json.loads(db.run("verify", "--json")[1])["checks"]
            if not check["ok"]] == [6]


def test_verify_starts_from_its_checkpoint(new_database, busy):
    """Only --whole reads older entries again; newer ones are read."""
    original, account = busy
    database = new_database(original._name)
    database.ask("verify")
    proved = database.sql("select account_id::text, seq, posted from ledger_checkpoint where seq > 2")
    assert proved == database.sql("select account_id::text, seq, posted from account_balance where seq > 2")
    database.sql(WITHOUT_TRIGGERS + f"update ledger_entry set amount = -8 where account_id = '{account}'"
                 " and amount = -7", role="postgres")
    database.ask("verify")
    assert database.run("verify", "--whole")[0] == 1
    charge(database, account, 2)
    database.sql(WITHOUT_TRIGGERS + f"update ledger_entry set balance_after = 0 where account_id = '{account}'"
                 " and seq = (select max(seq) from ledger_entry)", role="postgres")
    status, out, _ = database.run("verify", "--json")
    assert status == 1
    assert [check["invariant"] for check in json.loads(out)["checks"] if not check["ok"]] == [3]
    assert database.sql("select account_id::text, seq, posted from ledger_checkpoint where seq > 2") == proved


@pytest.mark.parametrize("damage, broken", [(None, []), ("amount = 1, balance_after = balance_after - 1", [2, 3, 6]),
                                            ("token_id = gen_random_uuid()", [3, 6]), ("token_id = null", [3, 6])])
def test_verify_of_a_late_refund(new_database, busy, damage, broken):
    """It is compared with its charge, which was verified before."""
    original, account = busy
    database = new_database(original._name)
    number = charge(database, account, 2)
    database.ask("verify")
    refund(database, number)
    if damage:
        database.sql(WITHOUT_TRIGGERS + f"update ledger_entry set {damage} where kind = 4"
                     f" and reference = '{number}'", role="postgres")
    answer = json.loads(database.run("verify", "--json")[1])
    assert [check["invariant"] for check in answer["checks"] if not check["ok"]] == broken


def entries_read(db):
    return db.sql("select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'ledger_entry'",
                  role="postgres")[0][0]


def test_verify_reads_an_entry_once(db, account):
    """For any number of refunded calls: once for most, once for 8, 9 and a checkpoint each."""
    calls, refunds = 6000, 1000
    db.ask("account", "grant", account, str(calls), "--note", "n")
    known = {"account": f"'{account}'", "calls": calls, "refunds": refunds}
    db.sql(chained("""
        select account_id, seq + n as seq, case when n > %(calls)s then 4 else 3 end as kind,
               case when n > %(calls)s then 1 else -1 end as amount,
               posted - case when n > %(calls)s then 2 * %(calls)s - n else n end as balance_after,
               md5((case when n > %(calls)s then n - %(calls)s else n end)::text)::uuid as reference,
               1::smallint as tool_id, null::uuid as token_id, now() as at
          from account_balance, generate_series(1, %(calls)s + %(refunds)s) n where account_id = %(account)s""",
                   head="(select head from account_balance where account_id = %(account)s)") % known
           + """;
        update account_balance b
           set posted = posted - %(calls)s + %(refunds)s, used = used + %(calls)s - %(refunds)s, seq = e.seq,
               head = e.hash
          from (select seq, hash from ledger_entry where account_id = %(account)s order by seq desc limit 1) e
         where account_id = %(account)s""" % known, role="postgres")
    db.ask("verify")
    wait_for(lambda: calls + refunds <= entries_read(db), 10, "the counts of a session that has ended")
    assert entries_read(db) < 5 * (calls + refunds)


@pytest.mark.parametrize("damage", [
    "update ledger_entry set at = at + interval '1 second' where kind = 3 and amount = -7",
    "update ledger_entry set tool_id = 2 where kind = 3 and amount = -7",
    "update ledger_entry set token_id = gen_random_uuid() where kind = 3 and amount = -7",
    "update ledger_entry set token_id = null where kind = 3 and amount = -7"])
def test_verify_finds_a_changed_call(new_database, busy, damage):
    """Time, tool and token of a charge are those of its hold, as long as the hold exists."""
    database = new_database(busy[0]._name)
    database.sql(WITHOUT_TRIGGERS + damage, role="postgres")
    status, out, _ = database.run("verify", "--whole", "--json")
    assert status == 1
    assert [check["invariant"] for check in json.loads(out)["checks"] if not check["ok"]] == [3, 5]


def test_verify_goes_piece_by_piece(db):
    """A thousand accounts at once, or 200,000 entries; each account is in one piece, also the last
    one with entries."""
    db.sql("with a as (insert into account (account_id, name, created_at) select gen_random_uuid(), 'x', now()"
           " from generate_series(1, 2500) returning account_id)"
           " insert into account_balance (account_id) select account_id from a")
    last = "00000000-0000-0000-0000-000000000000"
    ends = []
    while last:
        last, = db.sql("select ledger_next_piece(%s, true)::text", last)[0]
        ends.append(last)
    assert len(ends) == 4 and ends[-1] is None and ends[:-1] == sorted(ends[:-1])
    db.sql("update account_balance set seq = 150000 where account_id in"
           " (select account_id from account_balance order by account_id limit 2)")
    first, = db.sql("select account_id::text from account_balance order by account_id limit 1")[0]
    assert db.sql("select ledger_next_piece('00000000-0000-0000-0000-000000000000', true)::text") == [(first,)]
    answer = json.loads(db.run("verify", "--json")[1])
    assert [check["count"] for check in answer["checks"][:2]] == [0, 2]


def test_verify_of_a_range(db):
    """Including both accounts of a range; neighbors are not read."""
    ids = sorted(db.ask("account", "create", name)["account"] for name in "abcde")
    db.sql("update account_balance set seq = seq + 1")

    def found(*options):
        answer = json.loads(db.run("verify", *options, "--json")[1])
        return [finding["account"] for finding in answer["checks"][1]["findings"]]

    assert found() == ids
    assert found("--from", ids[1], "--to", ids[3]) == ids[1:4]
    assert found("--from", ids[4]) == ids[4:]
    assert found("--to", ids[0]) == ids[:1]


@pytest.fixture
def standby(cluster):
    """A copy of the cluster that follows it."""
    directory = Path(tempfile.mkdtemp(prefix="tollgate-standby-"))
    directory.chmod(0o711)
    copy = Cluster(directory / "cluster", directory / "postgres.log", {"fsync": "off"})
    try:
        copy.copy(cluster)
        copy.part.start()
        copy.part.wait_ready()
        yield copy
    finally:
        copy.part.stop()
        copy.remove()
        shutil.rmtree(directory)


def test_verify_on_a_standby(busy, standby):
    """It runs there as elsewhere, finds the faults, and stores no checkpoints."""
    database, account = busy
    there = Database(standby, database._name, database._argv[0], database._argv[2])
    there.options = " target_session_attrs=any"
    assert there.ask("verify", "--whole")["ok"] is True
    database.sql("update account_balance set seq = seq + 1 where account_id = %s", account)
    try:
        wait_for(lambda: there.run("verify")[0] == 1, 10, "the change over there")
    finally:
        database.sql("update account_balance set seq = seq - 1 where account_id = %s", account)


def test_verify_runs_alone(db):
    with psycopg2.connect(db.url()) as connection, connection.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(7238241146904121447)")
        status, _, errors = db.run("verify")
    connection.close()
    assert status == 70 and "another `tollctl verify` is running" in errors
