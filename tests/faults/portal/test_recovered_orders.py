"""tests/faults/portal/test_recovered_orders.py - `tollctl order refresh --since`: orders that the
database does not have, as after a restore, come back from the processor's checkouts.

tests/compose/test_lost_purchases.py does it after a real restore.
"""

import json
import subprocess
import time
import uuid

import pytest

from kit.portal import processor as stripe
from kit.portal.comparison import account, as_operator, tell  # noqa: F401 - fixtures
from kit.portal.payments import CREDITS, PRICE
from kit.portal.shop import GRANT, orders, processor, stack  # noqa: F401 - fixtures
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-recovered-orders")

DONE, LEFT, USAGE, UNREACHABLE, UNFINISHED, CONFIG = 0, 1, 64, 69, 70, 78


@pytest.fixture
def since(processor):
    """Now. The checkouts of earlier tests were made before it."""
    for session in processor.sessions.values():
        session["created"] -= 3600
    return int(time.time())


@pytest.fixture
def recover(stack, since):
    def run(*options, wanted=DONE, since=since, **env):
        at = since if isinstance(since, str) else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since))
        done = subprocess.run([str(stack.build / "gateway" / "tollctl"), "--config", str(stack.config), "--json", "order",
                               "refresh", "--since", at, *options], capture_output=True, text=True, timeout=120,
                              env=as_operator(stack) | env)
        assert done.returncode == wanted, done
        return json.loads(done.stdout) if done.stdout else done.stderr
    return run


def lost(orders, account, **more):
    """An order whose checkout is at the processor, and that the database has lost: (order,
    checkout)."""
    order = str(uuid.uuid4())
    return order, orders.checkout_of(order, account, **more)["id"]


def counts(answer):
    return answer["checkouts"], answer["known"], answer["recovered"]


def test_a_lost_purchase_is_credited_once(orders, processor, account, recover, tell):
    """Whatever happens first and however often: the command, the processor's webhook."""
    order, session = lost(orders, account)
    event = processor.pay(session)
    tell(event)
    answer = recover()
    assert counts(answer) == (1, 0, 1) and answer["ok"]
    assert answer["orders"] == [{"order": order, "account": account, "checkout": session, "amount": PRICE, "currency": "USD",
                                 "payment": "paid", "outcome": "recovered"}]
    orders.wait(order, "paid")
    assert counts(recover()) == (1, 1, 0)
    tell(event)
    orders.settle()
    assert orders.posted(account) == GRANT + CREDITS
    assert orders.row(order, "pack_id", "credits", "amount", "currency", "session_ref") == (2, CREDITS, PRICE, "USD", session)
    [[actor, detail]] = orders.ask("select actor, detail from audit_log where action = 'order refresh' and account_id = %s",
                                   account)
    assert actor != "portal" and detail == f"order {order} recovered from {session}"


def test_a_checkout_that_is_paid_later(orders, processor, account, recover, tell):
    order, session = lost(orders, account)
    assert recover()["orders"][0]["payment"] == "unpaid"
    orders.wait(order, "open")
    tell(processor.pay(session))
    orders.wait(order, "paid")
    assert orders.posted(account) == GRANT + CREDITS


def test_a_purchase_that_was_refunded(orders, processor, account, recover):
    order, session = lost(orders, account)
    processor.pay(session)
    processor.refund(session, PRICE)
    recover()
    orders.wait_for_amounts(order, CREDITS, 0)
    assert orders.posted(account) == GRANT


def test_a_known_order_is_read_again(orders, processor, account, recover):
    """It was made before the lost time, and paid in it; no webhook says so."""
    order = orders.open(account)
    processor.pay(processor.session_of(order))
    assert counts(recover()) == (1, 1, 0)
    orders.wait(order, "paid")
    assert orders.posted(account) == GRANT + CREDITS


def test_what_cannot_be_recovered(orders, processor, account, recover, stack):
    """It is listed, nothing is granted, and the exit status says so."""
    stranger = str(uuid.uuid4())
    made = [lost(orders, stranger), lost(orders, account, credits=CREDITS + 1), lost(orders, account, amount=PRICE - 1),
            lost(orders, account, currency="eur"), lost(orders, None)]
    known = orders.open(account)
    made.append((known, processor.do_create({}, dict(creation_of(processor, known)) | {"metadata[account_id]": stranger})["id"]))
    for _, session in made:
        processor.pay(session)
    answer = recover(wanted=LEFT)
    outcomes = {(row["order"], row["checkout"]): row["outcome"] for row in answer["orders"]}
    assert [outcomes[one] for one in made] == ["no_account", "no_pack", "no_pack", "no_pack", "no_account", "taken"]
    assert not answer["ok"] and counts(answer) == (7, 1, 0)
    orders.settle()
    assert orders.posted(account) == GRANT and orders.state(known) == "open"


def creation_of(processor, order):
    """The request with which the order's checkout was made."""
    [fields] = [fields for fields, result in processor.results.values() if result.get("client_reference_id") == order]
    return fields


def test_clocks_that_differ(orders, processor, account, recover, since):
    order, session = lost(orders, account)
    processor.sessions[session]["created"] = since - 59
    assert counts(recover()) == (1, 0, 1)
    processor.expire(session)
    orders.wait(order, "expired")


def test_other_checkouts(orders, processor, account, recover, since):
    """Those of other shops, expired ones, and those of an earlier time are left alone."""
    _, other = lost(orders, account)
    processor.twist(other, metadata={"order_id": "17"})
    _, without = lost(orders, account)
    processor.twist(without, metadata={})
    _, expired = lost(orders, account)
    processor.expire(expired)
    _, earlier = lost(orders, account)
    processor.sessions[earlier]["created"] = since - 61
    assert counts(recover()) == (0, 0, 0)
    assert orders.posted(account) == GRANT


def test_more_than_a_page(orders, processor, account, recover):
    made = [lost(orders, account) for _ in range(101)]
    answer = recover()
    assert counts(answer) == (101, 0, 101) and {row["order"] for row in answer["orders"]} == {order for order, _ in made}
    for _, session in made:
        processor.expire(session)


@pytest.mark.parametrize("manner, status", [(500, UNREACHABLE), (stripe.GARBAGE, UNREACHABLE), (stripe.BROKEN, UNFINISHED)])
def test_a_processor_that_fails(orders, processor, account, recover, manner, status):
    """Nothing is recovered; the next run does it."""
    order, session = lost(orders, account)
    processor.be("sessions", manner)
    assert "processor" in recover(wanted=status)
    processor.behave()
    assert counts(recover()) == (1, 0, 1)
    processor.expire(session)
    orders.wait(order, "expired")


@pytest.mark.parametrize("words", [["--since", "yesterday"], ["--since", "2026-11-28T22:10:00"], [],
                                   ["1042", "--since", "2026-11-28T22:10:00Z"]])
def test_wrong_words(stack, words):
    done = subprocess.run([str(stack.build / "gateway" / "tollctl"), "--config", str(stack.config), "order", "refresh", *words],
                          capture_output=True, text=True, env=as_operator(stack))
    assert done.returncode == USAGE and ("--since must be" in done.stderr or "either ORDER or --since" in done.stderr)


def test_keys(recover, tmp_path):
    (tmp_path / "key").write_text("pk_live_1\n")
    assert "must be one line" in recover("--key-file", str(tmp_path / "key"), wanted=CONFIG)
    assert "no key" in recover(wanted=USAGE, TOLLGATE_PAYMENTS_STRIPE_KEY_FILE="")
