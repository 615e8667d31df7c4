"""tests/kit/database/buyers.py - accounts that buy, in a database for their module, and two that
act at once.

A test file imports the fixtures that it uses, and those of scratch.py that they need.
"""

import itertools
import threading

import pytest

from kit.database.orders import Portal, new_id
from part import wait_for

NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def shop(new_database, migrated):
    database = new_database(migrated._name)
    yield database
    assert database.ask("verify", "--whole")["ok"]


@pytest.fixture
def portal(shop):
    with Portal(shop) as portal:
        yield portal


class Account(str):
    """An account's id, and queries about it."""

    def __new__(cls, shop):
        new = super().__new__(cls, new_id())
        new.shop, new.member, new.email = shop, new_id(), f"m{next(NUMBERS)}@example.com"
        shop.sql("insert into account (account_id, name, created_at) values (%s, 'Ada', now());"
                 "insert into account_balance (account_id) values (%s);"
                 "insert into member (member_id, account_id, email, email_key, password, password_at, created_at)"
                 " values (%s, %s, %s, %s, '', now(), now())", new, new, new.member, new, new.email, new.email)
        return new

    def credits(self):
        return self.shop.standing(self)[0]

    def entries(self):
        return self.shop.sql("select kind, amount from ledger_entry where account_id = %s order by seq", self)

    def give(self, credits):
        self.shop.sql("select ledger_credit(%s, 5::smallint, %s, gen_random_uuid(), 'x')", self, credits,
                      role="tollgate_operator")

    def hold(self, credits):
        """Of a running call."""
        hold = new_id()
        self.shop.sql("update account_balance set held = held + %s where account_id = %s; insert into hold"
                      " (account_id, hold_id, amount, tool_id, created_at, expires_at)"
                      " values (%s, %s, %s, 1, now(), now() + interval '1 hour')", credits, self, self, hold, credits)
        return hold

    def settle(self, hold, op):
        """1: the call is charged, 2: it is not."""
        self.shop.sql("select ledger_settle(array[settlement(%s::smallint, %s, %s)], array[%s::uuid], now())",
                      op, self, hold, self)

    def spend(self, credits):
        self.settle(self.hold(credits), 1)

    def session(self):
        """Of its member, signed in."""
        session = new_id()
        self.shop.sql("insert into session (session_id, cookie, member_id, is_half, is_kept, created_at, seen_at,"
                      " expires_at) select %s, sha256(%s::bytea), %s, false, false, n, n, n + interval '12 hours'"
                      " from ledger_now() n", session, session, self.member)
        return session

    def state(self, state):
        self.shop.sql("update account set state = %s where account_id = %s", state, self)

    def mails(self):
        return [(row[0], {key: row[1][key] for key in row[1] if key not in ("order", "order_id")})
                for row in self.shop.sql("select template, data from mail where recipient = %s order by created_at",
                                         self.email)]

    def audit(self):
        return [row[0] for row in self.shop.sql("select action from audit_log where account_id = %s order by at",
                                                self)]


@pytest.fixture
def account(shop):
    """Work that other tests left is not due."""
    shop.sql("update purchase_order set next_at = null; update payment_event set state = 4")
    account = Account(shop)
    yield account
    assert shop.sql("select * from ledger_verify('00000000-0000-0000-0000-000000000000',"
                    " 'ffffffff-ffff-ffff-ffff-ffffffffffff', true)") == []


def in_background(shop, work):
    result = []

    def run():
        with Portal(shop) as portal:
            result.append(work(portal))

    thread = threading.Thread(target=run)
    thread.start()
    return result, thread


def wait_for_a_waiter(portal, count=1):
    """Wait until this many connections of this database wait for a lock."""
    waiters = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    wait_for(lambda: portal.one(waiters) >= count, 20, f"{count} connections to wait for a lock")
