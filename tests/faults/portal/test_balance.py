"""tests/faults/portal/test_balance.py - the processor's balance against orders and entries, while
the processor or the database has something else: `tollctl order reconcile --balance`."""

import json
import os
import subprocess
import time
import uuid

import pytest

from kit.database.orders import paid
from kit.portal import processor as stripe
from kit.portal.balance import of, total
from kit.portal.comparison import (CLAIMS, DAY_S, TEST_FACTS, account, apply, as_operator, claim, day, live,  # noqa: F401
                                   reconcile, shop, tell)
from kit.portal.payments import CREDITS, PRICE
from kit.portal.shop import orders, processor, stack  # noqa: F401 - fixtures
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-balance")

SAME, DIFFERENT, UNREACHABLE, UNFINISHED = 0, 1, 69, 70
USAGE, CONFIG = 64, 78


# -- both agree --

def test_they_agree(shop, reconcile):
    plain, _ = shop.buy()
    refunded, session = shop.buy()
    shop.refund(refunded, session, 400)
    failed, session = shop.buy()
    refund = shop.refund(failed, session, 300)
    shop.tell(shop.processor.end_refund(refund))
    wait_for(lambda: shop.orders.row(failed, "refunded") == 0, 30, "the refund that failed")
    lost, session = shop.buy()
    shop.dispute(lost, session)
    won, session = shop.buy()
    dispute = shop.dispute(won, session)
    shop.tell(shop.processor.end_dispute(dispute, "won"))
    wait_for(lambda: shop.orders.row(won, "disputed") == 0, 30, "the dispute that was won")
    report = reconcile(wanted=SAME)
    assert total(report, "paid") == (5, 5 * PRICE, 5 * PRICE)
    assert total(report, "refunded") == (5, 400, 400)
    assert total(report, "disputed") == (5, PRICE, PRICE)
    assert total(report, "credits", "credits")[1] == 5 * CREDITS - 400 - CREDITS
    assert [row["other"] for row in report["balances"]] == [0]


def test_other_money_of_the_account(shop, reconcile):
    """Another shop's payments, payouts and fees are listed apart."""
    shop.buy()
    shop.processor.charge_of_others(700)
    shop.processor.charge_of_others(900, "eur")
    shop.processor.move("payout", "payout", -5000)
    shop.processor.move("stripe_fee", "fee", -25)
    report = reconcile(wanted=SAME)
    assert {row["currency"]: (row["orders"], row["other"]) for row in report["balances"]} == {
        "USD": (PRICE, 700 - 5000 - 25), "EUR": (0, 900)}


def test_money_that_has_not_moved(shop, reconcile):
    """A pending refund takes its credits back at once, and its money later."""
    order, session = shop.buy()
    refund = shop.refund(order, session, 500, "pending")
    assert total(reconcile(wanted=SAME), "refunded") == (1, 500, 500)
    shop.processor.end_refund(refund, "succeeded")
    assert total(reconcile(wanted=SAME), "refunded") == (1, 500, 500)


def test_an_inquiry_moves_nothing(shop, reconcile):
    _, session = shop.buy()
    shop.tell(shop.processor.dispute(session, status="warning_needs_response")[1])
    shop.orders.settle()
    assert total(reconcile(wanted=SAME), "disputed") == (1, 0, 0)


def test_an_old_order(shop, reconcile):
    """Its payment is in no list of these days, its refund is."""
    order, session = shop.buy()
    age(shop, order, "40 days")
    shop.refund(order, session, 400)
    report = reconcile(wanted=SAME)
    assert (total(report, "paid"), total(report, "refunded")) == ((1, PRICE, PRICE), (1, 400, 400))
    assert [row["orders"] for row in report["balances"]] == [-400]


def age(shop, order, interval):
    """The order was paid that long ago, in the database and at the processor."""
    shop.orders.ask("update purchase_order set created_at = created_at - %s::interval, paid_at = paid_at - %s::interval,"
                    " applied_at = applied_at - %s::interval where order_id = %s", interval, interval, interval, order)
    days = int(interval.split()[0])
    for txn in shop.transactions_of(order, "charge"):
        txn["created"] -= days * 86400


def test_a_balance_in_another_currency(shop, reconcile):
    """The processor converts: the amounts of the sources count."""
    order, session = shop.buy()
    shop.refund(order, session, 400)
    for kind, amount in (("charge", 2043), ("refund", -546)):
        txn, = shop.transactions_of(order, kind)
        shop.processor.twist(txn["id"], currency="cad", amount=amount, net=amount - txn["fee"])
    report = reconcile(wanted=SAME)
    assert total(report, "paid") == (1, PRICE, PRICE) and total(report, "refunded") == (1, 400, 400)
    assert [(row["currency"], row["orders"]) for row in report["balances"]] == [("CAD", 2043 - 546)]


def test_a_dispute_in_another_currency(shop, reconcile):
    """It is about the whole payment, as for the order."""
    order, session = shop.buy()
    shop.dispute(order, session, amount=1300, currency="eur")
    txn, = shop.transactions_of(order, "adjustment")
    shop.processor.twist(txn["id"], currency="usd", amount=-1493)
    assert total(reconcile(wanted=SAME), "disputed") == (1, PRICE, PRICE)


def test_real_orders_and_a_test_key(shop, reconcile):
    """The key reads tests only: real orders are counted, and not compared."""
    order, _ = shop.buy()
    shop.orders.ask("update purchase_order set session_ref = 'cs_live_1', facts = facts || '{\"session\": \"cs_live_1\"}'"
                    " where order_id = %s", order)
    shop.orders.ask("insert into order_route select provider, session_ref, account_id, order_id from purchase_order"
                    " where order_id = %s returning ref", order)
    shop.processor.transactions.clear()
    report = reconcile(wanted=SAME)
    assert report["orders_of_other_mode"] == 1 and report["totals"] == []


def test_money_on_its_way(shop, reconcile):
    """Some payments are in the balance before they are certain."""
    order = shop.orders.open(shop.account)
    session = shop.processor.session_of(order)
    shop.tell(shop.processor.pay(session, later=True))
    shop.orders.wait(order, "processing")
    intent = shop.processor.intents[shop.processor.sessions[session]["payment_intent"]]
    shop.processor._charge(intent, shop.processor.sessions[session])
    report = reconcile(wanted=SAME)
    assert report["ok"] and report["totals"] == []


@pytest.mark.parametrize("postpone", ["events", "refunds"])
def test_a_claim_that_changes_again_and_again(shop, reconcile, postpone):
    """What a portal can repeat does not postpone the comparison."""
    order = claim(shop, session="cs_test_", **TEST_FACTS)
    shop.orders.ask("update purchase_order set created_at = created_at - interval '2 days',"
                    " paid_at = paid_at - interval '2 days' where order_id = %s", order)
    if postpone == "events":
        shop.orders.one("select payment_event_add('stripe', %s, 'charge.refunded', null, %s, false, ledger_now(),"
                        " sha256('x'), 4::smallint, null)", f"evt_{order[:8]}", order)
    else:
        apply(shop, order, "cs_test_", refunded=1, **TEST_FACTS)
    report = reconcile("--from", day_of(-3), wanted=DIFFERENT, lag=60)
    assert (order, "paid", "USD") in of(report) and report["too_recent"] == 0


def day_of(days):
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * DAY_S))


def test_the_lag(shop, stack, reconcile):
    """What has just changed is not compared."""
    order, _ = shop.buy()
    shop.processor.twist(shop.transactions_of(order, "charge")[0]["id"], amount=PRICE - 1)
    assert reconcile(wanted=SAME, lag=10)["too_recent"] == 0  # neither is in the window
    shop.orders.ask("update purchase_order set created_at = created_at - interval '1 hour' where order_id = %s", order)
    report = reconcile(wanted=SAME, lag=10)
    assert report["too_recent"] == 1 and report["totals"] == []
    said = for_people(stack, "10", SAME)
    assert "Too recent: 1 differing orders" in said and "agree" not in said
    assert reconcile(wanted=DIFFERENT)["too_recent"] == 0


def for_people(stack, lag, wanted):
    """What the command prints for people."""
    done = subprocess.run([stack.build / "gateway" / "tollctl", "--config", stack.config, "order", "reconcile",
                           "--balance", "--lag", lag], capture_output=True, text=True, timeout=60,
                          env=as_operator(stack))
    assert done.returncode == wanted, done
    return done.stdout


# -- the processor has something else --

def lose(shop, order):
    shop.processor.transactions.remove(*shop.transactions_of(order, "charge"))


def double(shop, order):
    txn, = shop.transactions_of(order, "charge")
    shop.processor.transactions.insert(0, txn | {"id": "txn_again"})


def twist(**members):
    return lambda shop, order: shop.processor.twist(shop.transactions_of(order, "charge")[0]["id"], **members)


def pay_in_euros(shop, order):
    txn, = shop.transactions_of(order, "charge")
    for ident in (txn["id"], txn["source"]):
        shop.processor.twist(ident, currency="eur")


def pay_twice(shop, order):
    session = shop.processor.sessions[shop.processor.session_of(order)]
    intent = shop.processor._new("pi", "payment_intent", amount=PRICE, currency="usd", metadata={"order_id": order})
    shop.processor._charge(intent, session)


def take_back(shop, order):
    """The processor's bank reverses the payment, without an event."""
    txn, = shop.transactions_of(order, "charge")
    shop.processor.move("payment_failure_refund", "charge_failure", -PRICE, shop.processor.charges[txn["source"]])


WRONG_AT_PROCESSOR = {
    "a payment is missing": (lose, {("paid", "USD"): (PRICE, 0)}),
    "a payment is there twice": (double, {("paid", "USD"): (PRICE, 2 * PRICE)}),
    "a payment of one cent less": (twist(amount=PRICE - 1), {("paid", "USD"): (PRICE, PRICE - 1)}),
    "a payment of one cent more": (twist(amount=PRICE + 1), {("paid", "USD"): (PRICE, PRICE + 1)}),
    "a payment in another currency": (pay_in_euros, {("paid", "USD"): (PRICE, 0), ("paid", "EUR"): (0, PRICE)}),
    "two payments": (pay_twice, {("paid", "USD"): (PRICE, 2 * PRICE)}),
    "a payment that was taken back": (take_back, {("paid", "USD"): (PRICE, 0)}),
}


@pytest.mark.parametrize("name", WRONG_AT_PROCESSOR)
def test_wrong_at_the_processor(shop, reconcile, name):
    spoil, wanted = WRONG_AT_PROCESSOR[name]
    other, _ = shop.buy()
    order, _ = shop.buy()
    reconcile(wanted=SAME)
    spoil(shop, order)
    report = reconcile(wanted=DIFFERENT)
    assert of(report) == {(order, *key): sides for key, sides in wanted.items()}
    intent = shop.processor.sessions[shop.processor.session_of(order)]["payment_intent"]
    assert all(intent in row["payment"] and row["account"] == shop.account for row in report["differences"])


def test_a_refund_that_no_one_reported(shop, reconcile):
    order, session = shop.buy()
    shop.processor.refund(session, 250)
    assert of(reconcile(wanted=DIFFERENT)) == {(order, "refunded", "USD"): (0, 250)}


def test_a_refund_that_did_not_happen(shop, reconcile):
    order, session = shop.buy()
    shop.refund(order, session, 250)
    txn, = shop.transactions_of(order, "refund")
    shop.processor.transactions.remove(txn)
    shop.processor.refunds.pop(txn["source"])
    assert of(reconcile(wanted=DIFFERENT)) == {(order, "refunded", "USD"): (250, 0)}


def test_a_payment_of_an_order_that_is_gone(shop, reconcile):
    """As after a restore of an older backup."""
    order = str(uuid.uuid4())
    intent = shop.processor._new("pi", "payment_intent", amount=PRICE, currency="usd", metadata={"order_id": order})
    shop.processor._charge(intent, {"customer_email": "jane@example.com"})
    report = reconcile(wanted=DIFFERENT)
    assert of(report) == {(order, "paid", "USD"): (0, PRICE)}
    assert report["differences"][0]["number"] is None


# -- the database has something else --

def test_an_order_that_was_never_paid(shop, reconcile):
    """What a stolen password of the portals can claim. `tollctl verify` finds nothing wrong."""
    order = claim(shop, session="cs_test_", **TEST_FACTS)
    report = reconcile(wanted=DIFFERENT)
    assert of(report) == {(order, "paid", "USD"): (PRICE, 0)}
    assert report["differences"][0]["payment"] == f"pi_{order[:8]}"


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_and_a_live_key(shop, live, reconcile, name):
    """A portal says whether an order is a test. So each one must have brought money."""
    order = claim(shop, **CLAIMS[name])
    assert of(reconcile(*live, wanted=DIFFERENT)) == {(order, "paid", "USD"): (PRICE, 0)}


def test_orders_from_before_the_first_live_day(shop, live, reconcile):
    """The operator excuses the tests until then; no real order, and no later test."""
    order = claim(shop, **CLAIMS["a checkout of tests"])
    real = claim(shop, **CLAIMS["a real checkout"])
    tomorrow = time.strftime("%Y-%m-%d", time.gmtime(time.time() + DAY_S))
    report = reconcile(*live, wanted=DIFFERENT, live_since=tomorrow)
    assert of(report) == {(real, "paid", "USD"): (PRICE, 0)} and report["orders_of_other_mode"] == 1
    minute = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(time.time() - 600))
    assert set(of(reconcile(*live, wanted=DIFFERENT, live_since=minute))) == {(order, "paid", "USD"), (real, "paid", "USD")}


def test_a_first_live_day_that_is_not_one(reconcile):
    assert "payments.live_since must be" in reconcile(wanted=CONFIG, live_since="soon")


def test_a_test_in_review_and_a_live_key(shop, live, reconcile):
    """It has given no credits."""
    order = shop.orders.open(shop.account, has_checkout=False)
    number = shop.orders.one("select payment_begin(%s, %s)", shop.account, order)
    said = paid(order, session=f"cs_test_{order}") | TEST_FACTS | {"live_wanted": True}
    assert shop.orders.one("select payment_apply(%s, %s, %s, %s)", shop.account, order, number, json.dumps(said)) == "review"
    shop.is_earlier(order)
    assert reconcile(*live, wanted=SAME)["orders_of_other_mode"] == 1


@pytest.mark.parametrize("column,value,wanted", [
    ("refunded", "0", {("refunded", "USD"): (0, 400), ("credits", "credits"): (CREDITS - 400, CREDITS)}),
    ("refunded", "399", {("refunded", "USD"): (399, 400), ("credits", "credits"): (CREDITS - 400, CREDITS - 399)}),
    ("disputed", "100", {("disputed", "USD"): (100, 0), ("credits", "credits"): (CREDITS - 400, CREDITS - 500)}),
    ("total", "1499", {("paid", "USD"): (1499, PRICE)}),
    ("credits", "credits + 1", {("credits", "credits"): (CREDITS - 400, CREDITS - 399)}),
    ("facts", "jsonb_set(facts, '{currency}', '\"EUR\"')", {
        ("paid", "EUR"): (PRICE, 0), ("paid", "USD"): (0, PRICE), ("refunded", "EUR"): (400, 0),
        ("refunded", "USD"): (0, 400)}),
    ("payment_ref", "'pi_other'", {}),  # the routes still lead to it
])
def test_wrong_in_the_database(shop, reconcile, column, value, wanted):
    """Someone has written a column of an order that was paid, and refunded in part."""
    order, session = shop.buy()
    shop.refund(order, session, 400)
    kept = shop.orders.one(f"select {column}::text from purchase_order where order_id = %s", order)
    shop.orders.ask(f"update purchase_order set {column} = {value} where order_id = %s", order)
    try:
        assert of(reconcile()) == {(order, *key): sides for key, sides in wanted.items()}
    finally:
        shop.orders.ask(f"update purchase_order set {column} = %s where order_id = %s", kept, order)
    reconcile(wanted=SAME)


@pytest.mark.parametrize("lost", ["r.ref = %s", "r.order_id::text = %s"])
def test_routes_that_are_lost(shop, day, reconcile, lost):
    """Each difference is listed and stored once; the order itself is still found."""
    order, _ = shop.buy()
    shop.processor.twist(shop.transactions_of(order, "charge")[0]["id"], amount=PRICE - 2)
    day.move(order)
    kept = shop.orders.ask(f"with lost as (delete from order_route r where {lost} returning *) table lost", order)
    try:
        report = reconcile("--from", day_of(-3), wanted=DIFFERENT)
        assert of(report) == {(order, "paid", "USD"): (PRICE, PRICE - 2)} and len(report["differences"]) == 1
        day.compare()
        assert day.found() == {(order, "paid", "USD"): (PRICE, PRICE - 2)}
        shop.processor.behave()
        day.start += 400 * DAY_S
        day.compare()
        assert day.found() == {}
    finally:
        for row in kept:
            shop.orders.one("insert into order_route values (%s, %s, %s, %s) returning ref", *row)


def test_an_order_with_the_payment_of_another(shop, reconcile):
    """Both orders are compared again, and the payment's transactions count once."""
    (order, _), (other, _) = shop.buy(), shop.buy()
    payment = {}
    for one, less in ((order, 1), (other, 2)):
        payment[one] = shop.orders.row(one, "payment_ref")
        shop.processor.twist(shop.transactions_of(one, "charge")[0]["id"], amount=PRICE - less)
    shop.orders.ask("update purchase_order set payment_ref = %s where order_id = %s", payment[order], other)
    try:
        report = reconcile(wanted=DIFFERENT)
    finally:
        shop.orders.ask("update purchase_order set payment_ref = %s where order_id = %s", payment[other], other)
    assert of(report) == {(order, "paid", "USD"): (PRICE, PRICE - 1), (other, "paid", "USD"): (PRICE, PRICE - 2)}


# -- the processor cannot be read --

@pytest.mark.parametrize("what,manner,status", [
    ("balance", 500, UNREACHABLE),
    ("balance", 429, UNREACHABLE),
    ("balance", 401, UNREACHABLE),
    ("balance", stripe.DROPS_BEFORE, UNREACHABLE),
    ("balance", stripe.HALF, UNREACHABLE),
    ("balance", stripe.GARBAGE, UNREACHABLE),
    ("balance", stripe.HUGE, UNREACHABLE),
    ("balance", stripe.BROKEN, UNFINISHED),
    ("balance", stripe.LOOPS, UNFINISHED),
    ("balance", stripe.LACKS, UNFINISHED),
    ("charges", 500, UNREACHABLE),
    ("charges", stripe.ENDLESS, UNFINISHED),
    ("refunds", stripe.LOOPS, UNFINISHED),
    ("disputes", stripe.BROKEN, UNFINISHED),
])
def test_the_processor_fails(shop, reconcile, what, manner, status):
    """The order differs, so all lists are read."""
    order, session = shop.buy()
    shop.refund(order, session, 100)
    shop.orders.ask("update purchase_order set created_at = created_at - interval '9 days' where order_id = %s", order)
    shop.processor.be(what, manner)
    assert "processor" in reconcile(wanted=status)
    shop.processor.behave()
    assert total(reconcile(wanted=SAME), "refunded") == (1, 100, 100)


def test_the_processor_fails_for_a_moment(shop, reconcile):
    shop.buy()
    shop.processor.be("balance", 500, times=2)
    assert total(reconcile(wanted=SAME), "paid") == (1, PRICE, PRICE)


def test_a_list_with_an_item_twice(shop, reconcile):
    order, _ = shop.buy()
    shop.processor.transactions.append(shop.transactions_of(order, "charge")[0])
    assert "has an item twice" in reconcile(wanted=UNFINISHED)


def test_many_pages(shop, reconcile):
    order, _ = shop.buy()
    for number in range(230):
        shop.processor.charge_of_others(100 + number)
    report = reconcile(wanted=SAME)
    assert total(report, "paid") == (1, PRICE, PRICE)
    assert [row["count"] for row in report["transactions"]] == [231]


# -- the command --

@pytest.mark.parametrize("options,status,words", [
    (["--from", "yesterday!"], USAGE, "days like 2026-11-27"),
    (["--from", "2026-02-30"], USAGE, "days like 2026-11-27"),
    (["--from", "2026-11-27", "--to", "2026-11-26"], USAGE, "before --to"),
    (["--from", "9999-01-01", "--to", "9999-01-02"], USAGE, "before the lag"),
    (["--key-file", "/nowhere"], CONFIG, "/nowhere"),
    (["--key-file", "/etc/hostname"], CONFIG, "must be one line that begins with rk_live_"),
])
def test_bad_options(reconcile, options, status, words):
    assert words in reconcile(*options, wanted=status)


def test_no_database(stack):
    done = subprocess.run([stack.build / "gateway" / "tollctl", "--config", stack.config, "order", "reconcile",
                           "--balance"], capture_output=True, text=True, timeout=60,
                          env=os.environ | {"TOLLGATE_DB_OWNER_URL": "host=127.0.0.1 port=1 dbname=tollgate"})
    assert done.returncode == UNREACHABLE, done


def test_a_wrong_key(shop, reconcile, tmp_path):
    shop.buy()
    file = tmp_path / "key"
    file.write_text("rk_test_other\n")
    assert "invalid_api_key" in reconcile("--key-file", file, wanted=UNREACHABLE)


def test_for_people(shop, stack):
    order, session = shop.buy()
    shop.refund(order, session, 400)
    shop.processor.twist(shop.transactions_of(order, "charge")[0]["id"], amount=PRICE - 1)
    line = [row.split() for row in for_people(stack, "0", DIFFERENT).splitlines() if row.startswith(order)]
    assert [row[4:] for row in line] == [["paid", "USD", "1500", "1499", "-1"]]
