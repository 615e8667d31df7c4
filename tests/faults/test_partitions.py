"""tests/faults/test_partitions.py - deploy/database/partition-entries.sql under load: the entries
become partitions by time without a rewrite, and a partition is detached."""

import subprocess
from pathlib import Path

import pytest

from kit.load import SETTINGS, Load, check_load
from kit.site import Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("partitions")

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "database" / "partition-entries.sql"
AHEAD_S = 12  # the first partition ends, and the next one begins, during calls


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=2, settings=SETTINGS)


def psql(stack, **variables):
    return subprocess.run(
        ["psql", "-X", "-q", "-d", stack.cluster.url("tollgate_owner"), "-f", SCRIPT,
         *(word for name, value in variables.items() for word in ("-v", f"{name}={value}"))],
        capture_output=True, text=True, timeout=120, check=False)


def files(books, table):
    """The file of a table's rows: a rewrite makes another one."""
    return books.rows("select pg_relation_filenode(%s)", table)[0][0]


def test_boundaries_too_close_are_rejected(stack, books):
    refused = psql(stack, until="now")
    assert refused.returncode != 0 and "must be later" in refused.stderr
    assert books.rows("select relkind::text from pg_class where oid = 'ledger_entry'::regclass") == [("r",)]


def test_entries_become_partitions_during_calls(stack, books):
    site = Site.of(stack)
    accounts = [site.open_account(100000, limits_off=True) for _ in range(3)]
    before = files(books, "ledger_entry")
    until = books.rows("select (now() + %s * interval '1 s')::text", AHEAD_S)[0][0]
    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(50)
        done = psql(stack, until=until, margin="1 s")
        assert done.returncode == 0, done.stderr
        load.wait_for_answers(50)
        wait_for(lambda: books.rows("select count(*) > 50 from ledger_entry_later") == [(True,)], AHEAD_S + 10,
                 "entries behind the first partition")
    assert files(books, "ledger_entry_first") == before
    check_load(books, load, accounts, {200})
    stack.tollctl("verify", "--whole")
    assert "already" in psql(stack, until=until).stdout

    # An entry is as final, and as unique, as before.
    for statement in ("delete from ledger_entry_later", "truncate ledger_entry_first",
                      "update ledger_entry set amount = 1"):
        with pytest.raises(Exception, match="cannot be changed"):
            books.rows(statement)
    reference = books.rows("select reference from ledger_entry where account_id = %s and kind = 1", accounts[0].id)
    assert books.rows("select ledger_credit(%s, 1::smallint, 5, %s, 'twice')", accounts[0].id,
                      reference[0][0]) == [(False,)]


def test_months_have_their_own_partitions(stack, books):
    rows = books.rows("with made as (select ledger_partition_month('2031-05-01'))"
                      " select has_table_privilege('tollgate_operator', 'ledger_entry', 'select') from made")
    assert rows == [(True,)]


def test_a_verified_partition_can_be_detached(stack, books):
    """Verified entries are not read again, so verification works without them."""
    site = Site.of(stack)
    account = site.open_account(1000, limits_off=True)
    stack.tollctl("verify")
    books.rows("alter table ledger_entry detach partition ledger_entry_first")
    with Load(books.site, [account], 4, stack.gateways) as load:
        load.wait_for_answers(50)
    check_load(books, load, [account], {200})
    books.rows("alter table ledger_entry attach partition ledger_entry_first for values from (minvalue) to (%s)",
               books.rows("select max(at) + interval '1 microsecond' from ledger_entry_first")[0][0])
