"""tests/faults/portal/test_balance_days.py - portals compare each day with the processor's balance.
"""

import time
import uuid

import pytest

from kit.portal import processor as stripe
from kit.portal.comparison import DAY_S, PORTALS, account, day, reconcile, shop, tell  # noqa: F401 - fixtures
from kit.portal.payments import PRICE
from kit.portal.shop import orders, processor, stack  # noqa: F401 - fixtures
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-balance-days")

LAST_SUCCESS = "last_success_timestamp_seconds"
LAST = "select max(cursor::bigint) from job where name in ('balance', 'balance_first_attempt')"
LISTS = 9  # that a day is read from


def test_a_day(shop, day):
    """Found on its day, kept while it lasts, and gone when it is the same again."""
    same, _ = shop.buy()
    wrong, session = shop.buy()
    shop.refund(wrong, session, 100)
    day.move(same)
    day.move(wrong)
    day.compare()
    assert day.found() == {}
    for txn in shop.transactions_of(wrong, "charge"):
        shop.processor.twist(txn["id"], amount=PRICE - 2)
    day.compare()
    assert day.found() == {(wrong, "paid", "USD"): (PRICE, PRICE - 2)}
    wait_for(lambda: day.metric("differing_orders") == 1, 30, "the number of orders")
    wait_for(lambda: day.metric("difference", '{currency="USD"}') == 2, 30, "the sum of the differences")
    day.start += 400 * DAY_S  # no day is due: only what was found before is compared
    shop.orders.ask("update payment_event set received_at = ledger_now() where order_id = %s", wrong)
    day.compare()
    assert day.found() == {(wrong, "paid", "USD"): (PRICE, PRICE - 2)}  # also if it has just changed
    shop.processor.behave()
    day.compare()
    assert day.found() == {}
    wait_for(lambda: day.metric("differing_orders") == day.metric("difference", '{currency="USD"}') == 0, 30,
             "no difference")


def test_a_claimed_test_and_a_live_key(shop, stack, day):
    """Portals with a live key find it as well, each day, until the operator excuses it."""
    order, _ = shop.buy()
    day.move(order)
    before = shop.processor.key
    try:
        day.restart("rk_live_51TollgateStub")
        day.compare()
        assert day.found() == {(order, "paid", "USD"): (PRICE, 0)}
        day.start += 400 * DAY_S
        day.compare()
        assert day.found() == {(order, "paid", "USD"): (PRICE, 0)}
        day.restart("rk_live_51TollgateStub", time.strftime("%Y-%m-%d"))
        day.compare()
        assert day.found() == {}
    finally:
        day.restart(before)


def test_a_payment_without_an_order_stays_found(shop, day):
    order = str(uuid.uuid4())
    intent = shop.processor._new("pi", "payment_intent", amount=PRICE, currency="usd", metadata={"order_id": order})
    charge = shop.processor._charge(intent, {"customer_email": "jane@example.com"})
    txn, = [txn for txn in shop.processor.transactions if txn["source"] == charge["id"]]
    txn["created"] = day.start + 5
    day.compare()
    assert day.found() == {(order, "paid", "USD"): (0, PRICE)}
    day.start += 400 * DAY_S
    day.compare()
    assert day.found() == {(order, "paid", "USD"): (0, PRICE)}
    shop.processor.transactions.remove(txn)
    shop.processor.charges.pop(charge["id"])
    day.compare()
    assert day.found() == {}


def test_one_portal_compares_a_day_once(shop, day):
    before = len(shop.processor.requests)
    day.compare()
    days = (shop.orders.one("select cursor::bigint from job where name = 'balance'") - day.start) // DAY_S
    asked = [fields["created[gte]"] for name, fields, _ in shop.processor.requests[before:] if name == "balance"]
    assert days in (1, 2) and len(asked) == days * LISTS


def test_a_day_that_cannot_be_read(shop, day):
    """It is compared again later, and not left out."""
    shop.processor.be("balance", 500)
    day.compare()
    assert shop.orders.one("select cursor::bigint = %s and due_at < ledger_now() + interval '11 minutes' from job"
                           " where name = 'balance'", day.start)
    shop.processor.behave()
    day.compare()
    assert shop.orders.one("select cursor::bigint > %s from job where name = 'balance'", day.start)
    wait_for(lambda: day.metric(LAST_SUCCESS) == shop.orders.one(LAST), 30, "the time of the comparison")


def test_a_first_comparison_that_fails(shop, stack, day):
    """The first attempt is stored, so restarts do not hide how long none has succeeded."""
    shop.orders.ask("delete from job where starts_with(name, 'balance')")
    shop.processor.be("balance", 500)
    wait_for(lambda: shop.orders.one("select count(*) = 2 from job where starts_with(name, 'balance')"), 30, "an attempt")
    first = shop.orders.one(LAST)
    for part in PORTALS:
        stack.parts[part].stop()
        stack.parts[part].start()
    wait_for(lambda: day.metric(LAST_SUCCESS) == first, 30, "the time of the first attempt")
    assert 0 <= time.time() - first < 120


def test_a_portal_stops_during_a_comparison(shop, stack, day):
    """It does not wait for the processor; another one compares the day."""
    for part in PORTALS[1:]:
        stack.parts[part].stop()
    shop.processor.be("balance", stripe.HANGS_BEFORE)
    try:
        shop.orders.ask("update job set cursor = %s, due_at = ledger_now() where name = 'balance'", str(day.start))
        before = len(shop.processor.requests)
        wait_for(lambda: len(shop.processor.requests) > before, 30, "a request")
        stack.parts[PORTALS[0]].stop()
    finally:
        shop.processor.behave()
        for part in PORTALS:
            stack.parts[part].start()
    day.compare()
    assert shop.orders.one("select cursor::bigint > %s from job where name = 'balance'", day.start)
