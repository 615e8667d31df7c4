"""tests/api/test_orders.py - what the database does for payments (gateway/sql/007-orders.sql).

The functions are called as the portal's role calls them, with facts as a processor would tell them; the clock
is moved by the setting of the ledger. What is shared is the database: each test has an account of its own.
"""

import itertools
import json
import threading
import time

import psycopg2
import pytest

from kit.database.scratch import cluster, db, migrated, new_database  # noqa: F401 - fixtures
from kit.database.orders import Portal, new_id, paid, unpaid

pytestmark = pytest.mark.xdist_group("tollctl")  # one worker, so that one cluster is enough

NUMBERS = itertools.count(1)
MINUTE, HOUR, DAY = 60, 3600, 86400


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
    """An account's id, and what is asked about it."""

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
        """Of a call that runs."""
        hold = new_id()
        self.shop.sql("update account_balance set held = held + %s where account_id = %s; insert into hold"
                      " (account_id, hold_id, amount, tool_id, created_at, expires_at)"
                      " values (%s, %s, %s, 1, now(), now() + interval '1 hour')", credits, self, self, hold, credits)
        return hold

    def settle(self, hold, op):
        """1: the call is charged, 2: it is not."""
        self.shop.sql("select ledger_settle(array[%s::uuid], array[%s::uuid], array[%s::smallint], array[null],"
                      " array[null::bytea], now())", self, hold, op)

    def spend(self, credits):
        self.settle(self.hold(credits), 1)

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
    """Whatever others left behind is not due."""
    shop.sql("update purchase_order set next_at = null; update payment_event set state = 4")
    account = Account(shop)
    yield account
    assert shop.sql("select * from ledger_verify('00000000-0000-0000-0000-000000000000',"
                    " 'ffffffff-ffff-ffff-ffff-ffffffffffff', true)") == []


# -- opening --


def test_an_order_is_opened_once(portal, account):
    order = new_id()
    assert [portal.open(account, order) for _ in range(2)] == [("new", order), ("same", order)]
    assert portal.row(order, "state", "credits", "amount", "currency", "extract(epoch from expires_at - created_at)",
                      "extract(epoch from expires_at - next_at)") == ("new", 1500, 1500, "USD", 3600, 31 * 60)
    assert portal.row(order, "number") > 1000 and account.entries() == []


def test_an_id_is_one_accounts(portal, shop, account):
    order, other = portal.open(account)[1], Account(shop)
    assert portal.open(other, order) == ("taken", order)
    assert portal.open(other, order, provider="test") == ("taken", order)
    assert portal.sql("select count(*) from purchase_order where account_id = %s", other) == [(0,)]


def test_one_id_from_two_accounts_at_once(portal, shop, account):
    order, other = new_id(), Account(shop)
    with Portal(shop) as slow:
        slow.connection.autocommit = False
        assert slow.open(account, order)[0] == "new"
        outcome, thread = in_background(shop, lambda second: second.open(other, order, provider="test")[0])
        wait_for_a_waiter(portal)
        slow.connection.commit()
    thread.join(10)
    assert outcome == ["taken"]


def in_background(shop, work):
    result = []

    def run():
        with Portal(shop) as portal:
            result.append(work(portal))

    thread = threading.Thread(target=run)
    thread.start()
    return result, thread


def wait_for_a_waiter(portal, count=1):
    """Until so many of this database wait for a lock."""
    deadline = time.monotonic() + 20
    while portal.one("select count(*) from pg_stat_activity where datname = current_database()"
                     " and wait_event_type = 'Lock'") < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("state", ["suspended", "closed"])
def test_who_may_not_buy(portal, account, state):
    account.state(state)
    assert portal.open(account)[0] == "suspended"


def test_what_is_not_sold(portal, shop, account):
    shop.sql("insert into pack (pack_id, name, credits, price_cents, is_sold) values (90, 'Old', 1, 1, false)"
             " on conflict do nothing")
    assert portal.open(account, pack=90)[0] == portal.open(account, pack=91)[0] == "not_sold"


def test_an_order_keeps_what_its_pack_was(portal, shop, account):
    shop.sql("insert into pack (pack_id, name, credits, price_cents) values (92, 'Old', 10, 20)",
             role="tollgate_operator")
    order = portal.order(account, pack=92)
    shop.sql("update pack set is_sold = false where pack_id = 92", role="tollgate_operator")
    assert portal.read(account, order, paid(order, price=20)) == "paid" and account.credits() == 10


def test_an_open_one_is_used_again(portal, account):
    order = portal.order(account)
    assert portal.open(account)[1] == order
    assert portal.open(account, pack=1)[0] == portal.open(account, provider="test")[0] == "new"
    portal.at(45 * MINUTE + 1)
    assert portal.open(account)[0] == "new"
    assert portal.order(account, pack=3)
    portal.order(account, pack=1)


def test_one_that_is_being_cancelled_is_not_used_again(portal, account):
    assert portal.one("select order_cancel(%s, %s)", account, portal.order(account)) == "open"
    assert portal.open(account)[0] == "new"


def test_ten_may_wait(portal, account):
    orders = [portal.open(account)[1] for _ in range(10)]
    assert portal.open(account)[0] == "too_many"
    assert portal.open(account, orders[0])[0] == "same"
    assert portal.session(account, orders[0])
    assert portal.open(account)[0] == "reuse" and portal.open(account, pack=1)[0] == "too_many"
    portal.read(account, orders[0], unpaid(orders[0], "expired"))
    assert portal.open(account, pack=1)[0] == "new"


def test_two_portals_and_the_tenth(portal, shop, account):
    for _ in range(9):
        portal.open(account)
    with Portal(shop) as slow:
        slow.connection.autocommit = False
        assert slow.open(account)[0] == "new"
        outcome, thread = in_background(shop, lambda second: second.open(account)[0])
        wait_for_a_waiter(portal)
        slow.connection.commit()
    thread.join(10)
    assert outcome == ["too_many"]


@pytest.mark.parametrize("ttl_s", [2399, 82801])
def test_how_long_a_checkout_lives(portal, account, ttl_s):
    with pytest.raises(psycopg2.errors.RaiseException):
        portal.open(account, ttl_s=ttl_s)


def test_a_checkout_is_taken_once(portal, account):
    order = portal.open(account)[1]
    assert portal.session(account, order) and portal.session(account, order)
    assert not portal.session(account, order, "cs_other")
    other = portal.open(account, pack=1)[1]
    assert not portal.session(account, other, f"cs_{order}") and portal.row(other, "state") == "new"
    assert not portal.session(account, new_id())


def test_the_processor_refuses(portal, account):
    order = portal.open(account)[1]
    fail = "select order_fail(%s, %s, 'amount_too_small')"
    assert portal.one(fail, account, order) == "failed" and portal.row(order, "note", "next_at") == (
        "amount_too_small", None)
    opened = portal.order(account)
    assert portal.one(fail, account, opened) == "open" and portal.one(fail, account, new_id()) is None
    assert account.audit() == ["order failed"] and account.mails() == []


def test_a_checkout_that_comes_after_the_cancel(portal, account):
    order = portal.open(account)[1]
    assert portal.one("select order_cancel(%s, %s)", account, order) == "cancelled"
    assert not portal.session(account, order) and portal.row(order, "state", "session_ref") == (
        "cancelled", f"cs_{order}")
    assert account.audit() == ["order cancelled"]
    assert portal.read(account, order, paid(order)) == "paid" and account.credits() == 1500


def test_cancel(portal, account):
    order = portal.order(account)
    cancel = "select order_cancel(%s, %s)"
    assert portal.one(cancel, account, order) == "open" and order in portal.due()
    assert portal.read(account, order, unpaid(order, "expired")) == "cancelled"
    assert portal.one(cancel, account, order) == "cancelled" and portal.one(cancel, account, new_id()) is None
    assert portal.one(cancel, account, portal.buy(account)) == "paid"
    assert account.audit() == ["order cancelled", "order paid"]


def test_cancel_all(portal, account):
    new, opened, bought = portal.open(account, pack=1)[1], portal.order(account), portal.buy(account, pack=3)
    assert portal.one("select order_cancel(%s, null)", account) is None
    assert [portal.row(order, "state", "cancel_asked") for order in (new, opened, bought)] == [
        ("cancelled", True), ("open", True), ("paid", False)]


# -- the table of states: from, what the processor says, to --

UNPAID = ("new", "open", "processing", "failed", "expired", "cancelled", "review")
ALL = UNPAID + ("paid", "rejected")
READS = {
    "open": lambda order: unpaid(order),
    "on its way": lambda order: unpaid(order, "complete", payment_ref=f"pi_{order}", intent_status="processing"),
    "declined": lambda order: unpaid(order, "complete", intent_status="requires_payment_method"),
    "given up": lambda order: unpaid(order, "complete", intent_status="canceled"),
    "expired": lambda order: unpaid(order, "expired"),
    "paid": lambda order: paid(order),
    "wrong": lambda order: paid(order, currency="EUR"),
    "free": lambda order: paid(order, paid="no_payment_required", amount=0, discount=1500),
}
TABLE = {  # what is not here stays
    "on its way": {"new": "processing", "open": "processing"},
    "declined": {"new": "failed", "open": "failed", "processing": "failed"},
    "given up": {"new": "failed", "open": "failed", "processing": "failed"},
    "expired": {"new": "expired", "open": "expired"},
    "paid": {state: "paid" for state in UNPAID},
    "wrong": {state: "review" for state in UNPAID},
    "free": {state: "review" for state in UNPAID},
}


def order_in(portal, shop, account, state):
    order = portal.open(account)[1]
    if state == "new":
        return order
    portal.session(account, order)
    if state == "cancelled":
        portal.one("select order_cancel(%s, %s)", account, order)
    if state != "open":
        portal.read(account, order, READS[{"processing": "on its way", "failed": "declined", "expired": "expired",
                                           "cancelled": "expired", "paid": "paid"}.get(state, "wrong")](order))
    if state == "rejected":
        shop.sql("select order_decide(%s, %s, false, 'no', 'op')", account, order, role="tollgate_operator")
    assert portal.row(order, "state") == state
    return order


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("state", ALL)
def test_states(portal, shop, account, state, read):
    order = order_in(portal, shop, account, state)
    before = account.mails(), account.audit()
    to = TABLE.get(read, {}).get(state, state)
    for _ in range(2):  # the second time changes nothing
        assert portal.read(account, order, READS[read](order)) == to
        assert portal.row(order, "state") == to
        assert account.entries() == ([(2, 1500)] if to == "paid" else [])
    new_mails = [mail[0] for mail in account.mails()[len(before[0]):]]
    told = {"paid": "receipt", "failed": "payment-failed", "review": "order-checked"}
    assert new_mails == ([told[to]] if to != state and to in told else [])
    assert account.audit()[len(before[1]):] == (
        [] if to == state else ["order " + {"review": "in review"}.get(to, to)])
    due = portal.row(order, "next_at")
    assert (due is not None) == (to in ("new", "open", "processing", "paid"))


def test_a_paid_order_as_it_stands(portal, shop, account):
    order = portal.order(account)
    portal.read(account, order, paid(order, tax=300, amount=1800, is_test=False))
    assert portal.row(order, "total", "payment_ref", "receipt ->> 'url'", "paid_at is not null", "note",
                      "facts ->> 'tax'") == (1800, f"pi_{order}", "https://example.com/r", True, None, "300")
    [(kind, amount, reference, note)] = shop.sql("select kind, amount, reference::text, note from ledger_entry"
                                                 " where account_id = %s", account)
    number = portal.row(order, "number")
    assert (kind, amount, reference, note) == (2, 1500, order, f"order {number}: 1500 credits")
    assert shop.standing(account) == (1500, 0, 0, 1500, 0)
    assert shop.sql("select data from mail where recipient = %s", account.email) == [({
        "order": str(number), "order_id": order, "credits": 1500, "paid": {"minor": 1800, "currency": "USD"}},)]


def test_a_test_is_called_one(portal, shop, account):
    order = portal.order(account)
    portal.read(account, order, paid(order, live=False, live_wanted=False, is_test=True))
    portal.read(account, order, paid(order, live=False, live_wanted=False, is_test=True, refunded=750))
    number = portal.row(order, "number")
    assert shop.sql("select note from ledger_entry where account_id = %s order by seq", account) == [
        (f"TEST order {number}: 1500 credits",), (f"TEST order {number}: 750 credits taken back",)]
    assert account.mails()[0][1]["is_test"] is True


@pytest.mark.parametrize("why, changes", [
    ("real money, and the key is for tests", {"live_wanted": False}), ("no real money", {"live": False}),
    ("no real money", {"live": None}), ("currency is EUR", {"currency": "EUR"}),
    ("1499 with 0 tax", {"amount": 1499}), ("1501 with 0 tax", {"amount": 1501}), ("1500 with 1 tax", {"tax": 1}),
    ("1400 with -100 tax", {"amount": 1400, "tax": -100}), ("? with 0 tax", {"amount": None}),
    ("discount of 1", {"discount": 1}), ("for order none", {"order": None}), ("for order 00", {"order": "00"}),
    ("checkout is cs_other", {"session": "cs_other"}), ("checkout is unknown", {"session": None})])
def test_what_does_not_fit_is_looked_at_by_a_person(portal, account, why, changes):
    order = portal.order(account)
    assert portal.read(account, order, paid(order, **changes)) == "review"
    assert why in portal.row(order, "note") and account.entries() == []
    assert account.mails() == [("order-checked", {"credits": 1500, "price": {"minor": 1500, "currency": "USD"}})]
    assert portal.read(account, order, paid(order)) == "paid"  # and it was only the processor's mistake
    assert account.credits() == 1500 and portal.row(order, "note") is None


def test_a_closed_account_is_given_nothing(portal, shop, account):
    order = portal.order(account)
    account.state("closed")
    assert portal.read(account, order, paid(order)) == "review" and "closed" in portal.row(order, "note")
    account.state("suspended")
    assert portal.read(account, order, paid(order)) == "paid"


def test_one_payment_pays_one_order(portal, shop, account):
    first = portal.buy(account)
    second = portal.order(account)
    facts = paid(second, payment_ref=f"pi_{first}")
    assert portal.read(account, second, facts) == "review" and "another order's" in portal.row(second, "note")
    third = portal.open(Account(shop))[1]
    assert account.credits() == 1500 and third


def test_a_checkout_known_by_its_event_alone(portal, account):
    """The answer of its making was lost, and somebody paid nevertheless."""
    order = portal.open(account)[1]
    assert portal.event(order=order, ref="cs_lost") and portal.due() == {order: "cs_lost"}
    assert portal.read(account, order, paid(order, session="cs_lost")) == "paid"
    assert portal.row(order, "session_ref") == "cs_lost"


def test_facts_have_a_status(portal, account):
    order = portal.order(account)
    for facts in ({}, paid(order, status="half"), paid(order, paid=None)):
        with pytest.raises(psycopg2.errors.RaiseException):
            portal.apply(account, order, portal.one("select read_no from purchase_order where order_id = %s", order),
                         facts)
    with pytest.raises(psycopg2.errors.RaiseException):
        portal.apply(account, new_id(), 1, paid(order))


def test_a_paid_order_that_is_not_paid_at_the_processor(portal, account):
    order = portal.buy(account)
    assert portal.read(account, order, unpaid(order, refunded=0)) == "paid"
    assert portal.row(order, "disagrees_at is not null")
    assert portal.read(account, order, paid(order, session="cs_other", refunded=1500)) == "paid"
    assert portal.row(order, "disagrees_at is not null", "refunded") == (True, 0)  # another's refund is not ours
    assert account.credits() == 1500
    portal.read(account, order, paid(order))
    assert portal.row(order, "disagrees_at") is None


# -- refunds and disputes --


@pytest.mark.parametrize("refunded, disputed, taken", [
    (0, 0, 0), (1, 0, 0), (2, 0, 1), (8, 0, 6), (900, 0, 750), (0, 900, 750), (599, 600, 999), (1000, 1000, 1500),
    (1 << 62, 1 << 62, 1500), (-5, 0, 0)])
def test_what_goes_back_is_taken_back(portal, account, refunded, disputed, taken):
    """Rounded down: 1500 credits for 15.00 and 3.00 tax."""
    order = portal.order(account)
    state = portal.read(account, order, paid(order, amount=1800, tax=300, refunded=refunded, disputed=disputed))
    assert (state, account.credits()) == ("paid", 1500 - taken)
    assert portal.row(order, "reversed", "owed") == (taken, 0)
    assert account.entries() == [(2, 1500)] + ([(6, -taken)] if taken else [])


def test_a_story_of_money(portal, account):
    """Two refunds, a dispute of the rest, which is won, and a refund that fails."""
    order = portal.buy(account)
    for refunded, disputed, credits in [(500, 0, 1000), (750, 0, 750), (750, 750, 0), (750, 0, 750), (500, 0, 1000),
                                        (0, 0, 1500)]:
        for _ in range(2):
            portal.read(account, order, paid(order, refunded=refunded, disputed=disputed))
            assert account.credits() == credits
    assert account.entries() == [(2, 1500), (6, -500), (6, -250), (6, -750), (7, 750), (7, 250), (7, 500)]
    money = {"currency": "USD"}
    assert account.mails()[1:] == [
        ("refunded", {"refunded": money | {"minor": 500}, "credits": 500}),
        ("refunded", {"refunded": money | {"minor": 750}, "credits": 250}),
        ("disputed", {"disputed": money | {"minor": 750}, "credits": 750}),
        ("restored", {"credits": 750}), ("restored", {"credits": 250}), ("restored", {"credits": 500})]
    assert account.audit() == ["order paid"] + ["order reversed"] * 3 + ["order restored"] * 3
    assert portal.sql("select credits, refunded, disputed from order_reversal where order_id = %s order by at",
                      order)[:3] == [(500, 500, 0), (250, 750, 0), (750, 750, 750)]


@pytest.mark.parametrize("order_of_events", list(itertools.permutations(range(5)))[::6])
def test_events_in_any_order_lead_to_the_same(portal, account, order_of_events):
    """Paid, refunded twice, disputed, won: an event says only that something has happened, whichever it is."""
    story = [(0, 0), (500, 0), (750, 0), (750, 750), (750, 0)]
    order = portal.order(account)
    for now, event in enumerate(order_of_events):
        portal.event(("checkout.session.completed", "charge.refunded", "charge.refunded", "charge.dispute.created",
                      "charge.dispute.closed")[event], order=order)
        refunded, disputed = story[now]
        portal.read(account, order, paid(order, refunded=refunded, disputed=disputed))
    assert account.credits() == 750
    assert portal.one("select count(*) from payment_event where order_id = %s and state = 1", order) == 0


def test_what_is_spent_is_owed(portal, shop, account):
    order = portal.buy(account)
    account.spend(1400)
    running = account.hold(60)
    portal.read(account, order, paid(order, disputed=1500))
    assert portal.row(order, "reversed", "owed") == (40, 1460) and shop.standing(account)[:2] == (60, 60)
    assert account.mails()[-1] == ("disputed", {"disputed": {"minor": 1500, "currency": "USD"}, "credits": 40,
                                                "owed": 1460})
    assert portal.one("select order_collect(10)") == 0
    account.settle(running, 2)  # its call failed
    assert portal.one("select order_collect(10)") == 1
    assert portal.row(order, "reversed", "owed") == (100, 1400) and account.credits() == 0
    account.give(100)  # whatever comes goes off first
    assert portal.row(order, "reversed", "owed") == (200, 1300) and account.credits() == 0
    second = portal.buy(account, pack=1)
    assert portal.row(order, "reversed", "owed") == (450, 1050) and account.credits() == 0
    portal.read(account, order, paid(order, disputed=500))  # most of it is won
    assert portal.row(order, "reversed", "owed") == (450, 50)
    portal.read(account, order, paid(order))
    assert portal.row(order, "reversed", "owed") == (0, 0) and account.credits() == 450
    assert portal.row(second, "reversed", "owed") == (0, 0)


def test_the_oldest_debt_first(portal, account):
    first, second, third = (portal.buy(account, pack=1) for _ in range(3))
    account.spend(750)
    for order in (third, second, first):
        portal.read(account, order, paid(order, price=500, refunded=500))
    assert [portal.row(order, "owed") for order in (first, second, third)] == [250, 250, 250]
    account.give(300)
    assert [portal.row(order, "owed") for order in (first, second, third)] == [0, 200, 250]
    portal.read(account, first, paid(first, price=500))  # what one gets back goes to the others
    assert [portal.row(order, "owed") for order in (first, second, third)] == [0, 0, 200]
    assert account.credits() == 0


def test_nobody_waits_for_an_account_that_is_held(portal, shop, account):
    order = portal.buy(account)
    hold = account.hold(1500)
    portal.read(account, order, paid(order, refunded=1500))
    account.settle(hold, 2)
    with Portal(shop, "tollgate_owner") as other:
        other.connection.autocommit = False
        other.sql("select from account_balance where account_id = %s for no key update", account)
        assert portal.one("select order_collect(10)") == 0
        other.connection.rollback()
    assert portal.one("select order_collect(10)") == 1 and account.credits() == 0


def test_calls_come_before_or_after(portal, shop, account):
    """A read that finds a call at work on the balance waits, and takes what the call has left."""
    order = portal.buy(account)
    number = portal.begin(account, order)
    with Portal(shop, "tollgate_owner") as call:
        call.connection.autocommit = False
        call.sql("select from account_balance where account_id = %s for no key update", account)
        state, thread = in_background(shop, lambda second: second.apply(account, order, number,
                                                                        paid(order, refunded=1500)))
        wait_for_a_waiter(portal)
        call.sql("update account_balance set held = held + 900 where account_id = %s", account)
        call.sql("insert into hold (account_id, hold_id, amount, tool_id, created_at, expires_at)"
                 " values (%s, gen_random_uuid(), 900, 1, now(), now())", account)
        call.connection.commit()
    thread.join(10)
    assert state == ["paid"] and portal.row(order, "reversed", "owed") == (600, 900)


# -- reads --


def test_one_read_at_a_time(portal, account):
    order = portal.order(account)
    first = portal.begin(account, order)
    assert portal.begin(account, order) is None and portal.begin(account, new_id()) is None
    portal.at(39)
    assert portal.begin(account, order) is None
    portal.at(41)
    second = portal.begin(account, order)
    assert second == first + 1
    assert portal.apply(account, order, first, paid(order)) == "stale" and account.entries() == []
    assert portal.apply(account, order, second, unpaid(order)) == "open"
    assert portal.begin(account, order) == second + 1


def test_a_read_that_is_late_but_the_newest_counts(portal, account):
    order = portal.order(account)
    number = portal.begin(account, order)
    portal.at(HOUR)
    assert portal.apply(account, order, number, paid(order)) == "paid"
    assert portal.apply(account, order, number, paid(order)) == "paid"  # its answer was lost
    assert account.entries() == [(2, 1500)]


def test_an_older_answer_never_undoes_a_newer_one(portal, account):
    order = portal.buy(account)
    old = portal.begin(account, order)
    portal.at(41)
    new = portal.begin(account, order)
    assert portal.apply(account, order, new, paid(order, refunded=1500)) == "paid"
    assert portal.apply(account, order, old, paid(order)) == "stale" and account.credits() == 0


def test_a_clock_that_was_ahead_blocks_nobody(portal, account):
    order = portal.order(account)
    portal.at(HOUR)
    assert portal.begin(account, order)
    portal.at(0)
    assert portal.begin(account, order)


def test_two_portals_begin_and_apply(portal, shop, account):
    """Whoever begins while another applies finds its lease, or waits for its end and reads what came after."""
    order = portal.order(account)
    number = portal.begin(account, order)
    with Portal(shop) as slow:
        slow.connection.autocommit = False
        assert slow.apply(account, order, number, paid(order)) == "paid"
        assert portal.begin(account, order) is None

        def begin_late(second):
            second.at(41)
            return second.begin(account, order)

        begun, thread = in_background(shop, begin_late)
        wait_for_a_waiter(portal)
        slow.connection.commit()
    thread.join(10)
    assert begun == [number + 1] and portal.apply(account, order, number + 1, paid(order)) == "paid"
    assert account.entries() == [(2, 1500)]


def test_reads_that_bring_nothing(portal, account):
    order = portal.order(account)
    portal.one("select order_refresh(%s, %s)", account, order)
    waits = []
    for attempt in range(6):
        number = portal.begin(account, order)
        portal.sql("select payment_missed(%s, %s, %s, 'no answer')", account, order, number)
        waits.append(round(portal.row(order, "extract(epoch from next_at - ledger_now())")))
        assert portal.row(order, "attempts", "read_error") == (attempt + 1, "no answer")
    assert waits == [5, 30, 120, 600, 3600, 3600]
    number = portal.begin(account, order)
    portal.sql("select payment_missed(%s, %s, %s, 'late')", account, order, number - 1)  # is not this one's business
    assert portal.begin(account, order) is None
    portal.apply(account, order, number, unpaid(order))
    assert portal.row(order, "attempts", "read_error") == (0, None)


def miss(portal, account, order):
    """A read that brings nothing; the order's state if that was the last."""
    return portal.one("select payment_missed(%s, %s, %s, 'no key')", account, order, portal.begin(account, order))


@pytest.mark.parametrize("before, told, after", [
    ("open", None, "expired"), ("open", "checkout.session.expired", "expired"),
    ("open", "checkout.session.completed", "review"), ("cancelling", None, "cancelled"),
    ("processing", None, "review"), ("expired", "checkout.session.async_payment_succeeded", "review"),
    ("paid", "charge.refunded", "paid"), ("review", None, "review")])
def test_what_nobody_can_read_for_three_days_ends(portal, account, before, told, after):
    order = portal.order(account)
    facts = {"processing": unpaid(order, "complete", intent_status="processing"), "expired": unpaid(order, "expired"),
             "paid": paid(order), "review": paid(order, discount=5)}.get(before)
    if facts:
        portal.read(account, order, facts)
    if before == "cancelling":
        portal.one("select order_cancel(%s, %s)", account, order)
    event = f"evt_{new_id()}"
    if told:
        portal.event(told, order=order, event=event)
    was = portal.row(order, "state")
    assert miss(portal, account, order) is None
    portal.at(3 * DAY - MINUTE)
    assert miss(portal, account, order) is None and portal.row(order, "state") == was
    mails = account.mails()
    portal.at(3 * DAY + MINUTE)
    assert miss(portal, account, order) == after
    assert portal.row(order, "state", "next_at") == (after, None) and "no key" in portal.row(order, "read_error")
    assert (portal.row(order, "note") == portal.row(order, "read_error")) == (after != was)
    assert not told or event_row(portal, event)[0] == 3
    assert account.mails() == mails and portal.due() == {}
    if told:  # told again, it is looked at again, and what is read then decides
        assert portal.event(told, order=order, event=event) and portal.due() == {order: f"cs_{order}"}
        portal.read(account, order, paid(order))
        assert event_row(portal, event)[0] == 2 and portal.row(order, "state", "unread_at") == ("paid", None)


def test_asked_anew_by_the_operator_there_are_three_more_days(portal, account):
    order = portal.order(account)
    miss(portal, account, order)
    portal.at(3 * DAY + MINUTE)
    portal.one("select order_refresh(%s, %s)", account, order)
    assert miss(portal, account, order) is None
    portal.at(6 * DAY + 2 * MINUTE)
    assert miss(portal, account, order) == "expired"


def test_accepted_unread_and_read_afterwards(portal, shop, account):
    """What goes back then has its part of what was paid."""
    order = portal.order(account)
    portal.event(order=order)
    miss(portal, account, order)
    portal.at(4 * DAY)
    assert miss(portal, account, order) == "review"
    decide(shop, account, order, True)
    assert portal.row(order, "state", "total") == ("paid", 0) and account.credits() == 1500
    portal.read(account, order, paid(order, refunded=500))
    assert portal.row(order, "total", "reversed") == (1500, 500) and account.credits() == 1000


def lose(portal, here, limit=100):
    """{order: state} of what is ended because no portal has its provider."""
    return dict(portal.sql("select order_id::text, state from order_forsake(%s, %s)", here, limit))


def test_orders_of_a_provider_that_is_gone_end_after_three_days(portal, account):
    quiet, told, kept = (portal.order(account, pack=pack, provider=provider)
                         for pack, provider in ((1, "gone"), (2, "gone"), (3, "stripe")))
    sold = portal.order(account, pack=1, provider="gone2")
    portal.read(account, sold, paid(sold, price=500))
    events = [f"evt_{new_id()}" for _ in range(3)]
    portal.event(order=told, event=events[0], provider="gone")
    portal.event("charge.refunded", order=sold, event=events[1], provider="gone2")
    portal.event(order=None, event=events[2], provider="gone")
    portal.at(3 * DAY - MINUTE)
    assert lose(portal, ["stripe"]) == {}
    portal.at(3 * DAY + 2 * HOUR)
    assert lose(portal, ["stripe", "gone", "gone2"]) == {}
    assert lose(portal, ["stripe"]) == {quiet: "expired", told: "review", sold: "paid"}
    assert [event_row(portal, event)[0] for event in events] == [3, 3, 3]
    assert portal.row(kept, "state") == "open" and lose(portal, ["stripe"]) == {}
    assert portal.row(sold, "next_at") is None


def test_whoever_closes_an_account_ends_its_checkouts(portal, account):
    unopened, waits = portal.open(account, pack=1)[1], portal.order(account, pack=2)
    done = portal.buy(account, pack=3)
    account.state("suspended")
    assert portal.row(waits, "cancel_asked") is False
    account.state("closed")
    assert portal.row(unopened, "state") == "cancelled"
    assert portal.row(waits, "state", "cancel_asked") == ("open", True) and portal.due() == {waits: f"cs_{waits}"}
    assert portal.row(done, "state") == "paid"


# -- what is due --


def seconds_until(portal, order):
    due = portal.row(order, "extract(epoch from next_at - ledger_now())")
    return None if due is None else round(float(due))


def test_when_orders_are_looked_at(portal, account):
    order = portal.order(account)
    assert seconds_until(portal, order) == HOUR + 5 * MINUTE
    portal.at(HOUR + 5 * MINUTE + 1)
    assert portal.due() == {order: f"cs_{order}"} and portal.due() == {}
    assert seconds_until(portal, order) == 45
    portal.read(account, order, unpaid(order))
    assert seconds_until(portal, order) == 10 * MINUTE
    portal.read(account, order, unpaid(order, "complete", intent_status="processing"))
    assert seconds_until(portal, order) == 10 * MINUTE
    portal.read(account, order, paid(order))
    assert seconds_until(portal, order) == DAY
    portal.at(2 * DAY)
    assert order in portal.due()
    portal.read(account, order, paid(order))
    assert seconds_until(portal, order) is None
    portal.read(account, order, unpaid(order))
    assert seconds_until(portal, order) == HOUR


def test_an_order_without_a_checkout_ends_in_time(portal, account):
    order = portal.open(account)[1]
    portal.at(29 * MINUTE - 1)
    assert portal.due() == {} and portal.row(order, "state") == "new"
    portal.at(29 * MINUTE + 1)
    assert portal.due("test") == {}  # whatever the portal's provider is
    assert portal.row(order, "state", "next_at") == ("cancelled", None) and account.audit() == ["order cancelled"]


def test_refresh_of_an_order_without_a_checkout(portal, account):
    order = portal.open(account)[1]
    assert portal.one("select order_refresh(%s, %s)", account, order) is True
    assert portal.due() == {} and seconds_until(portal, order) == 29 * MINUTE
    assert portal.one("select order_refresh(%s, %s)", account, new_id()) is False


def test_each_portal_reads_what_it_knows(portal, account):
    order = portal.order(account, provider="test")
    portal.one("select order_refresh(%s, %s)", account, order)
    assert portal.due() == {} and portal.due("test") == {order: f"cs_{order}"}


def test_two_portals_share_what_is_due(portal, shop, account):
    orders = {portal.order(account, pack=pack) for pack in (1, 2, 3)}
    for order in orders:
        portal.one("select order_refresh(%s, %s)", account, order)
    with Portal(shop) as other:
        portal.connection.autocommit = False
        mine = portal.due(limit=2)
        theirs = other.due()
        portal.connection.commit()
    portal.connection.autocommit = True
    assert len(mine) == 2 and set(mine) | set(theirs) == orders and not set(mine) & set(theirs)


# -- events --


def event_row(portal, event):
    return portal.sql("select state, order_id::text, attempts from payment_event where event_id = %s", event)[0]


def test_an_event_is_kept_once(portal, account):
    order, event = portal.order(account), f"evt_{new_id()}"
    assert [portal.event(order=order, event=event) for _ in range(3)] == [True, False, False]
    assert portal.due() == {order: f"cs_{order}"} and portal.due() == {}
    number = portal.begin(account, order)
    portal.apply(account, order, number, paid(order))
    assert event_row(portal, event)[0] == 1 and portal.done(order, number) == 1
    assert event_row(portal, event)[0] == 2 and portal.done(order, number) == 0


@pytest.mark.parametrize("ref", ["cs_{}", "pi_{}"])
def test_an_event_finds_its_order_by_what_it_names(portal, account, ref):
    order = portal.order(account)
    portal.read(account, order, paid(order))
    event = f"evt_{new_id()}"
    portal.event("charge.refunded", ref=ref.format(order), event=event)
    assert event_row(portal, event)[1] == order and portal.due() == {order: f"cs_{order}"}


def test_ten_events_cost_one_read(portal, account):
    order = portal.order(account)
    for _ in range(10):
        portal.event(order=order)
    assert portal.due() == {order: f"cs_{order}"}
    number = portal.begin(account, order)
    portal.apply(account, order, number, paid(order))
    assert portal.done(order, number) == 10 and portal.due() == {}


def test_an_event_that_comes_while_it_is_read_asks_for_another(portal, account):
    order, late = portal.order(account), f"evt_{new_id()}"
    portal.event(order=order)
    number = portal.begin(account, order)
    portal.at(-HOUR)  # whatever the clock says
    portal.event(order=order, event=late)
    portal.at(0)
    portal.apply(account, order, number, paid(order))
    assert portal.done(order, number) == 1 and event_row(portal, late)[0] == 1
    assert portal.due() == {order: f"cs_{order}"}


def test_an_event_whose_read_was_lost_comes_again(portal, account):
    order, event = portal.order(account), f"evt_{new_id()}"
    portal.event(order=order, event=event)
    assert portal.due() and portal.begin(account, order)  # and the portal dies
    seconds = 0
    for wait in (6, 31, 121, 601):
        seconds += wait
        portal.at(seconds)
        assert order in portal.due()
    assert event_row(portal, event) == (1, order, 5)
    portal.read(account, order, paid(order))
    assert event_row(portal, event)[0] == 2 and account.credits() == 1500


def test_an_event_of_nobody(portal, account):
    event, early = f"evt_{new_id()}", f"evt_{new_id()}"
    order = new_id()
    portal.event(order=new_id(), ref="pi_nobodys", event=event)
    portal.event(order=order, event=early)
    assert portal.due() == {} and event_row(portal, event)[0] == 1
    portal.order(account, order=order)  # the order is there now
    portal.at(6)
    assert portal.due() == {order: f"cs_{order}"}
    portal.at(3 * DAY + HOUR)
    portal.read(account, order, paid(order))
    portal.due()
    assert event_row(portal, event)[0] == 3 and event_row(portal, early)[0] == 2


def test_an_event_of_no_use(portal, account):
    order = portal.order(account)
    assert portal.event("customer.created", order=order, state=4) and portal.due() == {}


def test_events_go_after_400_days(portal, shop, account):
    event, order = f"evt_{new_id()}", portal.order(account)
    portal.event(event=event, order=order)
    portal.read(account, order, paid(order))
    shop.sql("update payment_event set received_at = now() - interval '399 days' where event_id = %s", event)
    portal.one("select portal_prune(1000)")
    assert event_row(portal, event)[0] == 2
    portal.at(2 * DAY)
    portal.one("select portal_prune(1000)")
    assert portal.one("select count(*) from payment_event where event_id = %s", event) == 0


# -- the operator --


def decide(shop, account, order, accept, note="seen"):
    return shop.sql("select order_decide(%s, %s, %s, %s, 'op')", account, order, accept, note,
                    role="tollgate_operator")[0][0]


def test_accept(portal, shop, account):
    order = portal.order(account)
    portal.read(account, order, paid(order, currency="EUR", amount=1400, refunded=700))
    assert decide(shop, account, order, True) == "paid"
    assert portal.row(order, "total", "reversed", "note", "is_accepted") == (1400, 750, "seen", True)
    assert account.entries() == [(2, 1500), (6, -750)]
    assert [mail[0] for mail in account.mails()] == ["order-checked", "receipt", "refunded"]
    assert account.mails()[1][1]["paid"] == {"minor": 1400, "currency": "EUR"}
    assert [decide(shop, account, order, accept) for accept in (True, False)] == ["paid", "paid"]
    portal.read(account, order, paid(order, currency="EUR", amount=1400, refunded=1400))  # it is followed as it is
    assert portal.row(order, "disagrees_at", "reversed") == (None, 1500) and account.credits() == 0


def test_accept_pays_what_is_owed(portal, shop, account):
    owing = portal.buy(account, pack=1)
    account.spend(250)
    portal.read(account, owing, paid(owing, price=500, refunded=500))
    order = portal.order(account)
    portal.read(account, order, paid(order, currency="EUR"))
    assert decide(shop, account, order, True) == "paid"
    assert portal.row(owing, "reversed", "owed") == (250, 0) and account.credits() == 1250


def test_accept_what_cost_nothing(portal, shop, account):
    order = portal.order(account)
    free = READS["free"](order)
    portal.read(account, order, free)
    assert decide(shop, account, order, True) == "paid" and portal.row(order, "total") == 0
    assert portal.read(account, order, free | {"refunded": 5}) == "paid" and account.credits() == 1500


def test_reject(portal, shop, account):
    order = portal.order(account)
    portal.read(account, order, paid(order, currency="EUR"))
    assert decide(shop, account, order, False) == "rejected"
    assert account.mails()[-1] == ("order-rejected", {"price": {"minor": 1500, "currency": "USD"}})
    assert portal.read(account, order, paid(order, refunded=1500)) == "rejected"
    assert portal.row(order, "refunded", "reversed", "owed") == (1500, 0, 0) and account.entries() == []
    assert account.audit() == ["order in review", "order reject"]


@pytest.mark.parametrize("accept", [True, False])
def test_only_what_is_in_review_is_decided(portal, shop, account, accept):
    order = portal.order(account)
    assert decide(shop, account, order, accept) == "open" and decide(shop, account, new_id(), accept) is None
    assert portal.row(order, "note") is None and account.entries() == []


def test_a_decision_and_a_read_at_once(portal, shop, account):
    """Both would credit it."""
    order = portal.order(account)
    portal.read(account, order, paid(order, currency="EUR"))
    number = portal.begin(account, order)
    with Portal(shop, "tollgate_operator") as operator:
        operator.connection.autocommit = False
        assert operator.one("select order_decide(%s, %s, true, 'x', 'op')", account, order) == "paid"
        state, thread = in_background(shop, lambda second: second.apply(account, order, number, paid(order)))
        wait_for_a_waiter(portal)
        operator.connection.commit()
    thread.join(10)
    assert state == ["paid"] and account.entries() == [(2, 1500)]


def test_the_operator_writes_no_orders(shop):
    for statement in ("update purchase_order set state = 'paid'", "update pack set credits = 1",
                      "update payment_event set state = 1", "delete from pack",
                      "select payment_apply(gen_random_uuid(), gen_random_uuid(), 1, '{}')"):
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            shop.sql(statement, role="tollgate_operator")


def test_credits_of_payments_have_one_door(shop, account):
    for kind in (2, 3, 4, 6, 7):
        with pytest.raises(psycopg2.errors.RaiseException):
            shop.sql("select ledger_credit(%s, %s::smallint, 5, gen_random_uuid(), 'x')", account, kind,
                     role="tollgate_operator")


# -- verify --


@pytest.mark.parametrize("damage, broken", [
    ("update purchase_order set state = 'expired', reversed = 0 where order_id = %(order)s", {12, 13}),
    ("update purchase_order set credits = 1501 where order_id = %(order)s", {12}),
    ("delete from purchase_order where order_id = %(order)s", {12, 13}),
    ("insert into purchase_order (account_id, order_id, pack_id, credits, amount, currency, provider, state,"
     " created_at, expires_at, paid_at, total) values (%(account)s, gen_random_uuid(), 1, 5, 5, 'USD', 'x', 'paid',"
     " now(), now(), now(), 5)", {12}),
    ("select ledger_book(%(account)s, 2::smallint, 5, gen_random_uuid(), 'x')", {12}),
    ("update purchase_order set reversed = reversed - 1, owed = owed + 1 where order_id = %(order)s", {13}),
    ("update purchase_order set owed = 1 where order_id = %(order)s", {13}),
    ("update purchase_order set refunded = 0 where order_id = %(order)s", {13}),
    ("delete from order_reversal where order_id = %(order)s", {13}),
    ("update order_reversal set credits = credits + 1 where order_id = %(order)s", {13}),
    ("select ledger_book(%(account)s, 6::smallint, -5, gen_random_uuid(), 'x')", {13}),
    ("select ledger_book(%(account)s, 7::smallint, 5, gen_random_uuid(), 'x')", {13})])
def test_verify_finds(new_database, migrated, damage, broken):
    database = new_database(migrated._name)
    account = Account(database)
    with Portal(database) as portal:
        order = portal.buy(account)
        portal.read(account, order, paid(order, refunded=500))
    assert database.ask("verify")["ok"]
    database.sql(damage, role="postgres") if "%" not in damage else database.sql(
        damage % {"account": f"'{account}'", "order": f"'{order}'"}, role="postgres")
    for whole in ([], ["--whole"]):
        checks = json.loads(database.run("verify", "--json", *whole)[1])["checks"]
        assert {check["invariant"] for check in checks if not check["ok"]} == broken
        assert {finding["account"] for check in checks for finding in check["findings"]} == {account}
