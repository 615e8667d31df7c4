"""tests/api/ledger/test_skipped_accounts.py - an account whose rows contradict each other stops no
background task for the others."""

import uuid

import psycopg2
import pytest

from kit.database.ledger import WITHOUT_TRIGGERS
from kit.database.orders import Portal
from kit.database.scratch import cluster, migrated, new_database  # noqa: F401 - fixtures


class Accounts:
    """Three accounts, of which the second is broken. Ids are random, so any may come first."""

    def __init__(self, db):
        self.db = db
        self.before, self.broken, self.after = sorted(
            db.ask("account", "create", name, "--credits", "10")["account"] for name in "abc")
        self.good = [self.before, self.after]

    def sql(self, statement, *values):
        """As the superuser: no constraint's trigger runs."""
        return self.db.sql(statement, *values, role="postgres")

    def faults(self):
        return self.db.sql("select task, account_id::text from account_fault")


@pytest.fixture
def accounts(new_database, migrated):
    return Accounts(new_database(migrated._name))


def add_overdue_hold(accounts, account):
    accounts.sql("insert into hold (account_id, hold_id, amount, tool_id, created_at, expires_at)"
                 " values (%s, gen_random_uuid(), 3, 1, now(), now() - interval '1 second')", account)
    accounts.sql("update account_balance set held = held + 3 where account_id = %s", account)


def test_the_sweep_of_holds(accounts):
    for account in (*accounts.good, accounts.broken):
        add_overdue_hold(accounts, account)
    accounts.sql("update account_balance set held = 0 where account_id = %s", accounts.broken)
    sweep = "select swept, is_more, busy from ledger_sweep(-1, 1000)"
    assert accounts.db.sql(sweep, role="tollgate_gateway") == [(2, False, None)]
    assert [accounts.db.standing(account)[1] for account in accounts.good] == [0, 0]
    assert accounts.faults() == [("ledger_sweep", accounts.broken)]
    accounts.sql("update account_balance set held = 3 where account_id = %s", accounts.broken)
    assert accounts.db.sql(sweep, role="tollgate_gateway") == [(1, False, None)]
    accounts.db.ask("verify", "--whole")


def test_the_sweep_of_holds_waits_for_no_lock(accounts):
    """A locked account is busy, also while another one is broken."""
    for account in (*accounts.good, accounts.broken):
        add_overdue_hold(accounts, account)
    accounts.sql("update account_balance set held = 0 where account_id = %s", accounts.broken)
    connection = psycopg2.connect(accounts.db.url())
    with connection.cursor() as cursor:
        cursor.execute("select from account_balance where account_id = %s for update", (accounts.after,))
        [(swept, busy)] = accounts.db.sql("select swept, busy is not null from ledger_sweep(-1, 1000)",
                                          role="tollgate_gateway")
    connection.close()
    assert (swept, busy, accounts.db.standing(accounts.before)[1]) == (1, True, 0)


def test_owed_credits(accounts):
    with Portal(accounts.db) as portal:
        for account in (*accounts.good, accounts.broken):
            order = str(uuid.uuid4())
            portal.buy(account, pack=1, order=order)
            accounts.sql("update purchase_order set refunded = total, owed = credits where order_id = %s", order)
    accounts.sql(WITHOUT_TRIGGERS + "update account_balance set purchased = 1, granted = posted + used - 1"
                 " where account_id = %s", accounts.broken)
    assert accounts.db.sql("select order_collect(1000)", role="tollgate_portal") == [(3,)]
    owed = accounts.db.sql("select account_id::text from purchase_order where owed > 0")
    assert (owed, accounts.faults()) == ([(accounts.broken,)], [("order_collect", accounts.broken)])


def test_usage(accounts):
    for account in (*accounts.good, accounts.broken):
        accounts.sql("insert into ledger_entry (account_id, seq, kind, amount, balance_after, reference, tool_id, at, hash)"
                     " select %s, n, 3, -1, 0, gen_random_uuid(), 1, now(), '' from generate_series(2, 5005) n", account)
        accounts.sql("update account_balance set seq = 5005 where account_id = %s", account)
    accounts.sql("insert into usage_day values (%s, utc_day(now()), 1, '00000000-0000-0000-0000-000000000000',"
                 " 2147483000, 1, 1, 1)", accounts.broken)
    accounts.db.sql("select usage_lap('00000000-0000-0000-0000-000000000000', 1000)", role="tollgate_portal")
    counted = accounts.db.sql("select account_id::text from usage_roll where seq = 5005 order by 1")
    assert (counted, accounts.faults()) == ([(a,) for a in accounts.good], [("usage_lap", accounts.broken)])


def test_deletions(accounts):
    for minutes, account in ((3, accounts.broken), (2, accounts.before), (1, accounts.after)):
        accounts.sql("insert into member (member_id, account_id, email, email_key, password, password_at, created_at)"
                     " select gen_random_uuid(), %s, e, e, 'x', now(), now()"
                     "   from (values (gen_random_uuid() || '@example.com')) v (e)", account)
        accounts.sql("update account set delete_at = now() - make_interval(mins => %s) where account_id = %s", minutes,
                     account)
    accounts.sql("create function fail() returns trigger language plpgsql as"
                 " $$ begin raise exception 'planted'; end $$")
    accounts.sql(f"create trigger fail before update on account for each row when (new.account_id ="
                 f" '{accounts.broken}') execute function fail()")
    did = [accounts.db.sql("select deletions_step()", role="tollgate_portal") for _ in range(4)]
    assert did == [[(True,)]] * 3 + [[(False,)]]
    closed = accounts.db.sql("select account_id::text from account where state = 'closed' order by 1")
    assert (closed, accounts.faults()) == ([(a,) for a in accounts.good], [("deletions", accounts.broken)])
