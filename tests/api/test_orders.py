"""tests/api/test_orders.py - the database functions for payments (gateway/sql/007-orders.sql).

The functions are called as the portal's role calls them, with facts in a processor's form; the
setting of the ledger moves the clock. The tests share the database: each has its own account.
"""

import itertools

import psycopg2
import pytest

from kit.database.buyers import account, portal, shop  # noqa: F401 - fixtures
from kit.database.buyers import Account, in_background, wait_for_a_waiter
from kit.database.orders import READS, Portal, new_id, paid, unpaid
from kit.database.scratch import cluster, migrated, new_database  # noqa: F401 - fixtures

MINUTE, HOUR, DAY = 60, 3600, 86400


# -- opening --


def test_an_order_is_opened_once(portal, account):
    order = new_id()
    assert [portal.open(account, order) for _ in range(2)] == [("new", order), ("same", order)]
    assert portal.row(order, "state", "credits", "amount", "currency", "extract(epoch from expires_at - created_at)",
                      "extract(epoch from expires_at - next_at)") == ("new", 1500, 1500, "USD", 3600, 31 * 60)
    assert portal.row(order, "number") > 1000 and account.entries() == []


def test_an_id_belongs_to_one_account(portal, shop, account):
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


@pytest.mark.parametrize("state", ["suspended", "closed"])
def test_accounts_that_may_not_buy(portal, account, state):
    account.state(state)
    assert portal.open(account)[0] == state


def test_an_account_under_deletion_buys_nothing(portal, account):
    opened = portal.order(account)
    session = account.session()
    assert portal.one("select deletion_request(%s) is not null", session)
    assert portal.open(account)[0] == "leaving" and portal.open(account, pack=1)[0] == "leaving"
    assert portal.row(opened, "cancel_asked") is True
    assert portal.one("select deletion_cancel(%s)", session) and portal.open(account)[0] == "new"


def test_a_purchase_and_a_deletion_at_once(portal, shop, account):
    session = account.session()
    with Portal(shop) as slow:
        slow.connection.autocommit = False
        assert slow.one("select deletion_request(%s) is not null", session)
        outcome, thread = in_background(shop, lambda second: second.open(account)[0])
        wait_for_a_waiter(portal)
        slow.connection.commit()
    thread.join(10)
    assert outcome == ["leaving"]


def test_money_for_an_account_under_deletion(portal, account):
    """It is credited, and the email says that the account will be deleted."""
    order = portal.order(account)
    day = portal.one("select deletion_request(%s)::text", account.session())
    assert portal.read(account, order, paid(order)) == "paid" and account.credits() == 1500
    assert account.mails() == [("receipt", {"credits": 1500, "paid": {"minor": 1500, "currency": "USD"},
                                            "delete_at": day})]


def test_packs_that_are_not_sold(portal, shop, account):
    shop.sql("insert into pack (pack_id, name, credits, price_cents, is_sold) values (90, 'Old', 1, 1, false)"
             " on conflict do nothing")
    assert portal.open(account, pack=90)[0] == portal.open(account, pack=91)[0] == "not_sold"


def test_an_order_keeps_its_packs_terms(portal, shop, account):
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


def test_the_processor_rejects(portal, account):
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


def test_a_checkout_is_not_opened_for_an_order_that_is_being_cancelled(portal, account):
    """Its first checkout is known by its event alone."""
    order = portal.open(account)[1]
    portal.event(order=order, ref=f"cs_{order}")
    assert portal.one("select order_cancel(%s, %s)", account, order) == "new"
    assert not portal.session(account, order)


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


# -- the state table: from, the processor's facts, to --

UNPAID = ("new", "open", "processing", "failed", "expired", "cancelled", "review")
ALL = UNPAID + ("paid", "rejected")
TABLE = {  # states that are not here do not change
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


def test_a_paid_order_unchanged(portal, shop, account):
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
    ("real money, but the key is for tests", {"live_wanted": False}), ("not real money", {"live": False}),
    ("not real money", {"live": None}), ("currency is EUR", {"currency": "EUR"}),
    ("1499 with 0 tax", {"amount": 1499}), ("1501 with 0 tax", {"amount": 1501}), ("1500 with 1 tax", {"tax": 1}),
    ("1400 with -100 tax", {"amount": 1400, "tax": -100}), ("? with 0 tax", {"amount": None}),
    ("discount of 1", {"discount": 1}), ("for order unknown", {"order": None}), ("for order 00", {"order": "00"}),
    ("checkout is cs_other", {"session": "cs_other"}), ("checkout is unknown", {"session": None})])
def test_mismatches_go_to_review(portal, account, why, changes):
    order = portal.order(account)
    assert portal.read(account, order, paid(order, **changes)) == "review"
    assert why in portal.row(order, "note") and account.entries() == []
    assert account.mails() == [("order-checked", {"credits": 1500, "price": {"minor": 1500, "currency": "USD"}})]
    assert portal.read(account, order, paid(order)) == "paid"  # the processor was wrong
    assert account.credits() == 1500 and portal.row(order, "note") is None


def test_a_closed_account_gets_nothing(portal, shop, account):
    order = portal.order(account)
    account.state("closed")
    assert portal.read(account, order, paid(order)) == "review" and "closed" in portal.row(order, "note")
    account.state("suspended")
    assert portal.read(account, order, paid(order)) == "paid"


def test_one_payment_pays_one_order(portal, shop, account):
    first = portal.buy(account)
    second = portal.order(account)
    facts = paid(second, payment_ref=f"pi_{first}")
    assert portal.read(account, second, facts) == "review" and "belongs to another order" in portal.row(second, "note")
    third = portal.open(Account(shop))[1]
    assert account.credits() == 1500 and third


def test_a_checkout_known_by_its_event_alone(portal, account):
    """The response with the checkout was lost, and the customer paid."""
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
    assert portal.row(order, "disagrees_at is not null", "refunded") == (True, 0)  # another order's refund
    assert account.credits() == 1500
    portal.read(account, order, paid(order))
    assert portal.row(order, "disagrees_at") is None


# -- refunds and disputes --


@pytest.mark.parametrize("refunded, disputed, taken", [
    (0, 0, 0), (1, 0, 0), (2, 0, 1), (8, 0, 6), (900, 0, 750), (0, 900, 750), (599, 600, 999), (1000, 1000, 1500),
    (1 << 62, 1 << 62, 1500), (-5, 0, 0)])
def test_refunds_take_credits_back(portal, account, refunded, disputed, taken):
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
    """Paid, refunded twice, disputed, won: an event only says that something has happened, whatever
    its type."""
    story = [(0, 0), (500, 0), (750, 0), (750, 750), (750, 0)]
    order = portal.order(account)
    for now, event in enumerate(order_of_events):
        portal.event(("checkout.session.completed", "charge.refunded", "charge.refunded", "charge.dispute.created",
                      "charge.dispute.closed")[event], order=order)
        refunded, disputed = story[now]
        portal.read(account, order, paid(order, refunded=refunded, disputed=disputed))
    assert account.credits() == 750
    assert portal.one("select count(*) from payment_event where order_id = %s and state = 1", order) == 0


def test_spent_credits_are_owed(portal, shop, account):
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
    account.give(100)  # new credits first pay what is owed
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
    portal.read(account, first, paid(first, price=500))  # credits that return pay for the others
    assert [portal.row(order, "owed") for order in (first, second, third)] == [0, 0, 200]
    assert account.credits() == 0


def test_a_held_account_delays_nobody(portal, shop, account):
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
    """A read that finds a running call on the balance waits, and takes what the call has left."""
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
