"""tests/faults/portal/test_buying.py - members buy on the portal's pages while the processor is
down, wrong or slow, and portals die: an order is made once, has one checkout, and is paid once."""

import http.client
import threading

import pytest

from kit.load import metric
from kit.portal import processor as stripe
from kit.portal.payments import CREDITS, Hook
from kit.portal.shop import GRANT, member, orders, processor, stack, visitor  # noqa: F401 - fixtures
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-buying")

NOT_OPENED = "The payment page could not be opened. Nothing was charged. Try again."


def form_of(visitor, pack=2):
    """The form of a pack, with the id of the order that it makes."""
    page = visitor.get("/portal/credits")
    form, = [form for form in page.forms if form.action == "/portal/credits/buy"
             and dict(form.sent()).get("pack") == str(pack)]
    return form, dict(form.sent())["order"]


def sessions_of(processor, order):
    return [session for session in processor.sessions.values() if session["client_reference_id"] == order]


def buy(visitor, form):
    return visitor.submit(form, follow=False)


def test_a_member_buys(orders, processor, stack, member, visitor):
    form, order = form_of(visitor)
    answer = buy(visitor, form)
    session, = sessions_of(processor, order)
    assert answer.status_code == 303 and answer.headers["Location"] == session["url"]
    assert session["customer_email"] == member.email and session["amount_total"] == 1500
    assert session["success_url"] == f"{stack.base_url}/portal/orders/{order}"
    event = processor.pay(session["id"])
    page = visitor.get(f"/portal/orders/{order}")  # it asks the processor, before any webhook
    assert page.status_code == 200 and orders.state(order) == "paid"
    assert orders.posted(member.account) == GRANT + CREDITS
    assert Hook(stack).send(*processor.sign(event)).status_code == 200
    orders.settle()
    assert orders.entries(member.account) == [(1, GRANT), (2, CREDITS)]


def test_the_same_form_again_leads_to_the_same_checkout(orders, processor, visitor):
    form, order = form_of(visitor)
    first, again = buy(visitor, form), buy(visitor, form)
    assert first.headers["Location"] == again.headers["Location"]
    assert len(sessions_of(processor, order)) == 1
    other, _ = form_of(visitor)  # and so does another form for the same pack
    assert buy(visitor, other).headers["Location"] == first.headers["Location"]


def test_a_second_purchase_before_the_firsts_webhook(orders, processor, member, visitor):
    """The portal reads the open checkout before it redirects anybody to it: it was paid."""
    form, first = form_of(visitor)
    buy(visitor, form)
    processor.pay(processor.session_of(first))
    orders.ask("update purchase_order set read_at = null where order_id = %s", first)
    form, second = form_of(visitor)
    answer = buy(visitor, form)
    assert answer.headers["Location"] == processor.sessions[processor.session_of(second)]["url"]
    assert orders.state(first) == "paid"
    processor.pay(processor.session_of(second))
    visitor.get(f"/portal/orders/{second}")
    orders.wait(second, "paid")
    assert orders.posted(member.account) == GRANT + 2 * CREDITS


@pytest.mark.parametrize("manner", [409, 429, stripe.DROPS_BEFORE, stripe.DROPS_AFTER, stripe.HALF])
def test_temporary_faults_are_not_visible(orders, processor, visitor, manner):
    processor.be("create", manner, 2)
    form, order = form_of(visitor)
    assert buy(visitor, form).status_code == 303
    assert len(sessions_of(processor, order)) == 1


def test_a_processor_that_is_down_charges_nobody_and_can_be_retried(orders, processor, visitor):
    processor.be("create", stripe.DROPS_AFTER)
    form, order = form_of(visitor)
    answer = buy(visitor, form)
    assert answer.status_code != 303 and NOT_OPENED in answer.text
    assert orders.state(order) == "new"
    processor.be("create", "")
    answer = buy(visitor, form)
    assert answer.headers["Location"] == sessions_of(processor, order)[0]["url"]
    assert len(sessions_of(processor, order)) == 1  # the one whose response was lost


def test_another_address_between_two_attempts_of_one_order(orders, processor, member, visitor):
    """The processor rejects a key with other parameters: the portal then sends another request for
    the same order."""
    processor.be("create", stripe.DROPS_AFTER)
    form, order = form_of(visitor)
    assert NOT_OPENED in buy(visitor, form).text
    [unseen] = sessions_of(processor, order)
    orders.ask("update member set email = 'new.' || email where account_id = %s", member.account)
    processor.be("create", "")
    answer = buy(visitor, form)
    [_, shown] = sessions_of(processor, order)
    assert answer.headers["Location"] == shown["url"] != unseen["url"]
    assert shown["customer_email"] == f"new.{member.email}" and orders.state(order) == "open"


@pytest.mark.parametrize("manner", [500, 401])
def test_a_processor_that_rejects_closes_the_order(orders, processor, stack, visitor, manner):
    processor.be("create", manner)
    form, order = form_of(visitor)
    answer = buy(visitor, form)
    assert answer.status_code != 303 and NOT_OPENED in answer.text
    assert orders.state(order) == "failed" and str(manner) in orders.row(order, "note")
    refused = sum(metric(stack, part, 'tollgate_payment_page_requests_total{result="rejected"}') for part in ("portal-1", "portal-2"))
    assert refused >= 1
    processor.be("create", "")
    form, order = form_of(visitor)
    assert buy(visitor, form).status_code == 303


ODD = {
    "elsewhere": {"url": "https://example.com/c/pay/1"}, "its origin as a prefix": {"url": "{}.example.com/c/pay/1"},
    "another host, as long": {"url": "{other}/c/pay/1"}, "no url": {"url": 7},
    "of the other mode": {"livemode": True}, "of another order": {"client_reference_id": "x"},
    "an invalid id": {"id": "cs/../1"},
}


@pytest.mark.parametrize("members", ODD.values(), ids=ODD.keys())
def test_nobody_is_redirected_to_a_wrong_checkout(orders, processor, visitor, monkeypatch, members):
    if isinstance(members.get("url"), str):
        members = {"url": members["url"].format(processor.url, other=processor.url.replace("host", "h0st"))}
    made = processor._create
    monkeypatch.setattr(processor, "_create", lambda fields: made(fields) | members)
    form, order = form_of(visitor)
    answer = buy(visitor, form)
    assert answer.status_code != 303 and NOT_OPENED in answer.text
    assert orders.state(order) == "failed"


def test_cancelled_while_its_checkout_is_made(orders, processor, member, visitor, monkeypatch):
    """A cancelled order must not be charged: nobody can pay at a checkout that was made too
    late."""
    made = processor._create

    def create(fields):
        orders.ask("select order_cancel(%s, %s)", member.account, fields["client_reference_id"])
        return made(fields)
    monkeypatch.setattr(processor, "_create", create)
    form, order = form_of(visitor)
    answer = buy(visitor, form)
    assert answer.headers["Location"] == f"/portal/orders/{order}"
    assert orders.state(order) == "cancelled"
    assert [session["status"] for session in sessions_of(processor, order)] == ["expired"]


def test_nine_who_buy_at_once_from_a_processor_that_hangs(orders, processor, stack, visitor):
    """Eight places for the processor; pages that do not need one still work."""
    stack.parts["portal-2"].stop()
    processor.be("create", stripe.HANGS_AFTER)
    forms = [form_of(visitor)[0] for _ in range(9)]
    answers = []

    def run(form):
        answers.append(buy(visitor, form).status_code)
    threads = [threading.Thread(target=run, args=(form,)) for form in forms]
    for thread in threads:
        thread.start()
    wait_for(lambda: 503 in answers, 20, "a request without a place fails at once")
    assert visitor.get("/portal").status_code == 200
    for thread in threads:
        thread.join()
    assert answers.count(503) == 1 and 303 not in answers
    stack.start_part("portal-2")


def test_death_when_the_checkout_was_made(orders, processor, stack, visitor):
    """The response was lost: the same form at the other portal leads to the same checkout."""
    processor.forget()
    form, order = form_of(visitor)
    for part in ("portal-1", "portal-2"):
        arm_part(stack, part, "session-made")
    answer = None
    try:
        answer = buy(visitor, form)
    except (OSError, http.client.HTTPException):
        pass
    assert answer is None or answer.status_code >= 500
    assert orders.state(order) == "new" and len(sessions_of(processor, order)) == 1
    for part in ("portal-1", "portal-2"):
        disarm_part(stack, part)
    wait_for(lambda: visitor.get("/portal").status_code == 200, 20, "the portals are back")
    assert buy(visitor, form).headers["Location"] == sessions_of(processor, order)[0]["url"]
    assert len(sessions_of(processor, order)) == 1


def arm_part(stack, name, point):
    """As kit.load.arm(), with the edge running: none of its checks passes this point."""
    part = stack.parts[name]
    part.stop()
    part.argv[0] = str(stack.build / "tests" / "faults" / "tollgate-portal-faults")
    part.env["FAULT_POINT"] = f"{point}:1"
    stack.start_part(name)


def disarm_part(stack, name):
    part = stack.parts[name]
    part.kill()
    del part.env["FAULT_POINT"]
    part.argv[0] = str(stack.build / "portal" / "tollgate-portal")
    stack.start_part(name)
