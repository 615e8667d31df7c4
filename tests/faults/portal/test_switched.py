"""tests/faults/portal/test_switched.py - the operator switches to another provider, or none, while
orders of the old one are open. The portal reads them as long as it has the keys; they cannot be
paid any more, and are closed in the end."""

import psycopg2
import pytest

from kit.load import metric
from kit.portal.member import Member
from kit.portal.payments import CREDITS, Hook, Orders
from kit.portal.processor import KEY
from kit.portal.shop import GRANT, processor  # noqa: F401 - a fixture
from kit.portal.visitor import Visitor
from kit.site import Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-switched")

PORTAL = "portal-1"
TEST = "TEST: no money moves"
WAIT_S = 15


@pytest.fixture(scope="module")
def stack(own_stack, processor):
    return own_stack(gateways=1, daemons=0, portals=1, settings={"portal.poll_ms": 250} | processor.settings())


def start_again(stack, env):
    part = stack.parts[PORTAL]
    part.stop()
    part.env.clear()
    part.env.update(env)
    stack.start_part(PORTAL)
    wait_for(lambda: Visitor(Site.of(stack)).get("/portal/sign-in").status_code == 200, WAIT_S, "the edge's sight of it")


@pytest.fixture
def switch(stack):
    """Restart the portal with other settings; the first ones are back for the next test."""
    before = dict(stack.parts[PORTAL].env)

    def start(**settings):
        changed = {f"TOLLGATE_PAYMENTS_{name.upper()}": value for name, value in settings.items()}
        start_again(stack, stack.parts[PORTAL].env | changed)
    yield start
    start_again(stack, before)


@pytest.fixture
def live(processor, switch):
    """Restart the portal with a live key."""
    def start():
        processor.change_key(KEY.replace("_test_", "_live_"))
        switch()
    yield start
    processor.change_key(KEY)


@pytest.fixture
def orders(stack, processor):
    processor.behave()
    database = psycopg2.connect(stack.database())
    database.autocommit = True
    yield Orders(database, processor)
    database.close()


@pytest.fixture
def member(stack):
    return Member(Site.of(stack), credits=GRANT)


def buttons(page):
    return {form.action.rpartition("/")[2] for form in page.forms if "/orders/" in form.action}


def buy(visitor):
    """The first pack: its order, and the location of its checkout."""
    form = visitor.get("/portal/credits").form("/portal/credits/buy", 0)
    answer = visitor.submit(form, follow=False)
    assert answer.status_code == 303, answer
    return dict(form.sent())["order"], answer.headers["Location"]


def log_of(stack):
    return (stack.log_directory / f"{PORTAL}.log").read_text()


@pytest.mark.parametrize("provider", ["none", "test"])
def test_open_orders_are_read_after_a_switch(orders, processor, stack, member, switch, provider):
    paid, waits = orders.open(member.account, pack=2), orders.open(member.account, pack=1)
    session = processor.session_of(paid)
    switch(provider=provider)
    visitor = member.sign_in()
    path = f"/portal/orders/{waits}"
    page = visitor.get(path)
    assert buttons(page) == {"cancel"} and TEST in page.text
    mark = dict(page.form(f"{path}/cancel").sent())["csrf"]
    answer = visitor.post(f"{path}/pay", {"csrf": mark}, follow=False)
    if provider == "none":
        assert answer.status_code == 400 and "You cannot buy credits here, because payments are not configured." in answer.text
    else:
        assert (answer.status_code, answer.headers["Location"]) == (303, path)
        again = visitor.post("/portal/credits/buy", {"csrf": mark, "pack": "1", "order": waits}, follow=False)
        assert (again.status_code, again.headers["Location"]) == (303, path)  # a form from before the switch
    for event in (processor.pay(session), processor.refund(session, 500)[1]):
        assert Hook(stack).send(*processor.sign(event)).status_code == 200
    orders.wait_for_amounts(paid, 500, 0)
    assert orders.posted(member.account) == GRANT + CREDITS - 500
    visitor.submit(visitor.get(path).form(f"{path}/cancel"))
    orders.wait(waits, "cancelled")
    assert processor.sessions[processor.session_of(waits)]["status"] == "expired"


def test_a_live_key_offers_no_checkout_of_a_test_key(processor, member, live):
    visitor = member.sign_in()
    tried, there = buy(visitor)
    assert there.startswith(f"{processor.url}/c/pay/cs_test_")
    live()
    path = f"/portal/orders/{tried}"
    listed, own = visitor.get("/portal/credits"), visitor.get(path)
    assert TEST not in listed.text and TEST in own.text
    assert [row["Status"][:21] for row in listed.table("Orders")] == ["TEST awaiting payment"]
    assert buttons(listed) == buttons(own) == set()  # a live key could not expire it either
    mark = dict(listed.form("/portal/credits/buy", 0).sent())["csrf"]
    for place in (f"{path}/pay", f"{path}/cancel", "/portal/credits/buy"):  # forms from before the switch
        answer = visitor.post(place, {"csrf": mark, "pack": "1", "order": tried}, follow=False)
        assert (answer.status_code, answer.headers["Location"]) == (303, path), place
    bought, there = buy(visitor)
    assert bought != tried and there.startswith(f"{processor.url}/c/pay/cs_live_")
    states = [row["Status"][:9] for row in visitor.get("/portal/credits").table("Orders")]
    assert states == ["awaiting ", "TEST awai"]
    assert buy(visitor)[1] == there  # to which the test returns


def test_without_keys_orders_wait_for_three_days(orders, processor, stack, member, switch):
    quiet, told = orders.open(member.account, pack=1), orders.open(member.account, pack=2)
    hook = Hook(stack)
    processor.be("*", 500)
    assert hook.send(*processor.sign(processor.pay(processor.session_of(told)))).status_code == 200
    wait_for(lambda: orders.row(told, "attempts"), WAIT_S, "a read that failed")
    switch(provider="test", stripe_key_file="")
    event = processor.expire(processor.session_of(quiet))
    assert hook.send(*processor.sign(event)).status_code == 404
    visitor = member.sign_in()
    assert buttons(visitor.get(f"/portal/orders/{quiet}")) == set()
    assert buttons(visitor.get("/portal/credits")) == set()
    wait_for(lambda: metric(stack, PORTAL, "tollgate_orders_in_review") == 0, WAIT_S, "the database is measured")
    assert metric(stack, PORTAL, "tollgate_payment_event_oldest_age_seconds") == 0  # nobody here could act on it
    assert orders.state(quiet) == orders.state(told) == "open"
    orders.ask("update purchase_order set next_at = ledger_now() - interval '73 hours' where account_id = %s",
               member.account)
    orders.ask("update payment_event set next_at = ledger_now() - interval '73 hours' where order_id = %s", told)
    switch(provider="test", stripe_key_file="")
    orders.wait(quiet, "expired")
    orders.wait(told, "review")
    assert orders.events(told) == [3]
    page = visitor.get(f"/portal/orders/{told}")
    assert "It is not known whether your payment arrived. A person is checking it. You will get an email." in page.text
    assert metric(stack, PORTAL, "tollgate_orders_abandoned_total") == 2
    assert log_of(stack).count("an order is given up") == 2
    switch(provider="stripe", stripe_key_file=str(processor.directory / "stripe.key"))
    processor.behave()
    orders.ask("update job set due_at = ledger_now() where name = 'reconcile'")  # its list still has the event
    orders.wait(told, "paid")
    wait_for(lambda: orders.events(told) == [2], WAIT_S, "the event is done")
    assert orders.posted(member.account) == GRANT + CREDITS


def test_a_key_without_access_is_not_used_forever(orders, processor, stack, member):
    """As an object of another account of the processor."""
    order = orders.open(member.account)
    processor.be("read", 401)
    orders.hurry()
    wait_for(lambda: orders.row(order, "unread_at"), WAIT_S, "a read that failed")
    orders.ask("update purchase_order set unread_at = unread_at - interval '73 hours', next_at = ledger_now()"
               " where order_id = %s", order)
    orders.wait(order, "expired")
    assert orders.row(order, "next_at", "read_until") == (None, None)
    assert "401" in orders.row(order, "note") and order in log_of(stack).split("an order is given up")[-1]
    assert metric(stack, PORTAL, "tollgate_orders_abandoned_total") >= 1


def test_the_checkouts_of_an_account_that_is_closed(orders, processor, stack, member):
    order = orders.open(member.account)
    stack.tollctl("account", "close", member.account, "--reason", "a test")
    orders.wait(order, "cancelled")
    assert processor.sessions[processor.session_of(order)]["status"] == "expired"
