"""tests/faults/portal/test_payments.py - two portals and a processor, with every fault between
them: webhooks late, repeated, lost, in any order, forged; responses wrong, late or lost; deaths at
every point. After each, the order and the ledger match the processor's facts, and the books are
right."""

import http.client
import itertools
import random
import signal
import threading
import time

import psycopg2
import pytest

from kit.client import Client
from kit.load import arm, restart_after_death, metric, wait_for_death
from kit.portal import processor as stripe
from kit.portal.payments import BACK, CREDITS, EVENTS, HOOK, PRICE, Hook, tell_in_order
from kit.portal.shop import GRANT, orders, processor, stack  # noqa: F401 - fixtures
from kit.site import Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-payments")

PORTALS = ("portal-1", "portal-2")
PURCHASE, REVERSAL, UNDONE = 2, 6, 7


@pytest.fixture
def hooks(stack):
    return [Hook(stack, part) for part in PORTALS]


@pytest.fixture
def account(stack):
    return Site.of(stack).open_account(GRANT).id


@pytest.fixture
def tell(processor, hooks):
    """Send an event as the processor does, once."""
    def send(event, hook=None):
        answer = (hook or hooks[0]).send(*processor.sign(event))
        assert answer.status_code == 200, answer
    return send


def buy(orders, processor, tell, account):
    """A paid order; (order, session)."""
    order = orders.open(account)
    session = processor.session_of(order)
    tell(processor.pay(session))
    orders.wait(order, "paid")
    return order, session


# -- events sent once, often or never --

def test_a_purchase(orders, processor, tell, account):
    order, session = buy(orders, processor, tell, account)
    assert orders.posted(account) == GRANT + CREDITS
    assert orders.entries(account)[-1] == (PURCHASE, CREDITS)
    receipt = orders.row(order, "receipt")
    assert receipt["card"] == "visa 4242" and receipt["url"].startswith(processor.url)
    assert orders.row(order, "payment_ref", "total") == (processor.sessions[session]["payment_intent"], PRICE)
    wait_for(lambda: set(orders.events(order)) == {2}, 10, "the event is done")


def test_one_webhook_20_times_at_once_at_two_portals(orders, processor, hooks, account):
    order = orders.open(account)
    headers, body = processor.sign(processor.pay(processor.session_of(order)))
    answers, start = [], threading.Barrier(20)

    def send(hook):
        start.wait()
        answers.append(hook.send(headers, body).status_code)

    threads = [threading.Thread(target=send, args=(hooks[n % 2],)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) <= {200, 503} and 200 in answers  # 503: eight at once are stored, the others are sent again
    orders.wait(order, "paid")
    assert orders.entries(account) == [(1, GRANT), (PURCHASE, CREDITS)]
    assert len(orders.events(order)) == 1


def test_events_in_any_order(orders, processor, tell, account):
    """Some of their 120 orders; tests/check/payments-wire.py sends all."""
    for way in random.Random(5).sample(list(itertools.permutations(range(EVENTS))), 6):
        assert tell_in_order(orders, processor, tell, account, way) == ("paid", BACK, 0)
    assert orders.posted(account) == GRANT + 6 * (CREDITS - BACK)


def test_events_before_anything_else(orders, processor, tell, account):
    """A refund whose checkout is unknown leads to its order by the payment's metadata, or later."""
    order = orders.open(account)
    session = processor.session_of(order)
    processor.pay(session)
    refund, told = processor.refund(session, 500)
    tell(told)
    orders.wait_for_amounts(order, 500, 0)
    tell(processor.end_refund(refund))
    orders.wait_for_amounts(order, 0, 0)
    assert [kind for kind, _ in orders.entries(account)] == [1, PURCHASE, REVERSAL, UNDONE]
    assert orders.posted(account) == GRANT + CREDITS


def missed(stack):
    return sum(metric(stack, part, "tollgate_payment_events_missed_total") for part in PORTALS)


def test_webhooks_never_come(orders, processor, stack, account):
    """Reconciliation finds what was missed, and treats it as if the webhook had arrived."""
    order = orders.open(account)
    processor.pay(processor.session_of(order))
    before = missed(stack)
    orders.ask("update job set due_at = ledger_now() where name = 'reconcile'")
    orders.wait(order, "paid")
    wait_for(lambda: orders.events(order) == [2], 10, "the event is done")
    wait_for(lambda: missed(stack) > before, 10, "the metric")
    cursor, = orders.ask("select cursor::bigint from job where name = 'reconcile'")
    assert abs(cursor[0] - time.time()) < 60


def test_two_portals_compare_events_at_once(orders, processor, stack, account, monkeypatch):
    """The lease of one portal expires while it lists, and the other takes over: each event is
    stored, and counted, once."""
    order = orders.open(account)
    processor.pay(processor.session_of(order))
    with processor.lock:
        events = {processor._event("charge.refund.updated", {"id": "re_y", "object": "refund"})["id"]
                  for _ in range(150)} | {processor.events[-1]["id"]}
    listed, first_pages = processor.do_events, itertools.count()
    meetings = [threading.Barrier(2), threading.Barrier(3)]  # of their first turns; of their second ones, and the test

    def be_due():
        orders.ask("update job set due_at = ledger_now() where name = 'reconcile'")

    def do_events(headers, fields):
        number = next(first_pages) if "starting_after" not in fields else 4
        if number < 4:
            be_due()
            meetings[number // 2].wait(30)
        return listed(headers, fields)
    monkeypatch.setattr(processor, "do_events", do_events)
    before = missed(stack)
    be_due()
    orders.wait(order, "paid")
    wait_for(lambda: be_due() or meetings[1].n_waiting == 2, 30, "both are through, and there again")
    assert missed(stack) == before + len(events)
    meetings[1].wait(30)
    assert orders.one("select count(*) from payment_event where event_id = any(%s)", list(events)) == len(events)
    assert orders.entries(account) == [(1, GRANT), (PURCHASE, CREDITS)]
    orders.ask("update payment_event set state = 4 where state = 1 and order_id is null")


def test_more_events_than_a_page_has(orders, processor, account):
    order = orders.open(account)
    session = processor.session_of(order)
    processor.pay(session)
    with processor.lock:
        for _ in range(250):
            processor._event("charge.refund.updated", {"id": "re_x", "object": "refund", "payment_intent": None})

    def be_due():  # if a run of the previous test still goes on, it plans the next one when it finishes
        orders.ask("update job set due_at = ledger_now() where name = 'reconcile'")
    wait_for(lambda: be_due() or orders.state(order) == "paid", 30, "paid by what was listed")
    pages = [fields for name, fields, _ in processor.requests if name == "events" and "starting_after" in fields]
    assert len(pages) >= 2
    orders.ask("update payment_event set state = 4 where state = 1 and order_id is null")


def test_late_and_missing_payments(orders, processor, tell, account):
    late = orders.open(account)
    session = processor.session_of(late)
    tell(processor.pay(session, later=True))
    orders.wait(late, "processing")
    assert orders.posted(account) == GRANT
    tell(processor.settle(session))
    orders.wait(late, "paid")
    lost = orders.open(account)
    session = processor.session_of(lost)
    tell(processor.pay(session, later=True))
    orders.wait(lost, "processing")
    tell(processor.settle(session, ok=False))
    orders.wait(lost, "failed")
    assert orders.posted(account) == GRANT + CREDITS


def test_paid_after_it_expired_or_was_abandoned(orders, processor, tell, account):
    """A late payment counts: the customer gets the credits."""
    order = orders.open(account)
    session = processor.session_of(order)
    tell(processor.expire(session))
    orders.wait(order, "expired")
    processor.sessions[session]["status"] = "open"
    tell(processor.pay(session))
    orders.wait(order, "paid")
    assert orders.posted(account) == GRANT + CREDITS


def test_cancelled_at_the_processor_first(orders, processor, account):
    order = orders.open(account)
    session = processor.session_of(order)
    assert orders.one("select order_cancel(%s, %s)", account, order) == "open"
    orders.wait(order, "cancelled")
    assert processor.sessions[session]["status"] == "expired"


def test_cancelled_too_late(orders, processor, account):
    order = orders.open(account)
    processor.pay(processor.session_of(order))
    orders.ask("select order_cancel(%s, %s)", account, order)
    orders.wait(order, "paid")
    assert orders.posted(account) == GRANT + CREDITS


def test_the_checkout_with_a_lost_response(orders, processor, tell, account):
    """The order knows no checkout: the event does."""
    order = orders.open(account, has_checkout=False)
    session = orders.checkout(order)["id"]
    tell(processor.pay(session))
    orders.wait(order, "paid")
    assert orders.row(order, "session_ref") == session


def test_orders_and_credits_sold_are_counted(orders, processor, stack, tell, account):
    """Of the last 24 hours, apart from the processor's tests; no metric names who bought."""
    def sold(name, mode="test"):
        return max(metric(stack, part, f'tollgate_{name}_last_day{{mode="{mode}"}}') for part in PORTALS)

    buy(orders, processor, tell, account)
    wait_for(lambda: sold("orders_paid") >= 1 and sold("credits_sold") == CREDITS * sold("orders_paid"), 30,
             "the metrics")
    assert sold("orders_paid", "live") == sold("credits_sold", "live") == 0


def test_a_refund_after_all_was_spent_is_owed_until_there_are_credits(orders, processor, stack, tell, account):
    order, session = buy(orders, processor, tell, account)
    orders.ask("select ledger_book(%s, 5::smallint, %s, gen_random_uuid(), 'spent')", account, -(GRANT + CREDITS - 100))
    tell(processor.refund(session, PRICE)[1])
    orders.wait_for_amounts(order, 100, CREDITS - 100)
    assert orders.posted(account) == 0
    wait_for(lambda: max(metric(stack, part, "tollgate_credits_owed") for part in PORTALS) >= CREDITS - 100, 15,
             "the metric")
    buy(orders, processor, tell, account)
    orders.wait_for_amounts(order, CREDITS, 0)
    assert orders.posted(account) == 100


def test_a_dispute_that_is_won(orders, processor, tell, account):
    order, session = buy(orders, processor, tell, account)
    dispute, told = processor.dispute(session)
    tell(told)
    orders.wait_for_amounts(order, CREDITS, 0)
    tell(processor.end_dispute(dispute, "won"))
    orders.wait_for_amounts(order, 0, 0)
    assert orders.posted(account) == GRANT + CREDITS


def test_an_inquiry_takes_nothing(orders, processor, tell, account):
    order, session = buy(orders, processor, tell, account)
    tell(processor.dispute(session, status="warning_needs_response")[1])
    wait_for(lambda: set(orders.events(order)) == {2}, 15, "both events are done")
    assert orders.row(order, "reversed", "disputed") == (0, 0)


def test_the_processor_says_that_a_paid_order_is_not(orders, processor, stack, tell, account):
    """The member keeps the credits; an operator has to decide."""
    order, session = buy(orders, processor, tell, account)

    def disagree():
        return max(metric(stack, part, "tollgate_orders_mismatched") for part in PORTALS)
    processor.twist(session, payment_status="unpaid")
    orders.hurry()
    wait_for(lambda: orders.row(order, "disagrees_at"), 15, "it is noted")
    wait_for(lambda: disagree() == 1, 25, "the metric")
    assert orders.state(order) == "paid" and orders.posted(account) == GRANT + CREDITS
    processor.twists.clear()
    orders.hurry()
    wait_for(lambda: not orders.row(order, "disagrees_at"), 15, "both agree again")


def test_more_refunds_than_a_page_has(orders, processor, tell, account):
    order, session = buy(orders, processor, tell, account)
    for _ in range(150):
        told = processor.refund(session, 10)[1]
    tell(told)
    orders.wait_for_amounts(order, CREDITS, 0)
    assert orders.posted(account) == GRANT


# -- facts that do not match --

WRONG = {
    "amount": {"amount_total": 1}, "currency": {"currency": "jpy"}, "another order": {"client_reference_id": "x"},
    "no order": {"client_reference_id": None}, "other mode": {"livemode": True},
    "discount": {"total_details": {"amount_tax": 0, "amount_discount": 5}},
    "tax alone": {"total_details": {"amount_tax": 5, "amount_discount": 0}},
    "nothing to pay": {"payment_status": "no_payment_required", "amount_total": 0},
}


@pytest.mark.parametrize("members", WRONG.values(), ids=WRONG.keys())
def test_mismatched_facts_go_to_review(orders, processor, tell, account, members):
    order = orders.open(account)
    session = processor.session_of(order)
    told = processor.pay(session)
    processor.twist(session, **members)
    tell(told)
    orders.wait(order, "review")
    assert orders.posted(account) == GRANT and orders.row(order, "note")
    orders.ask("select order_decide(%s, %s, false, 'a test', 'tests')", account, order)
    assert orders.state(order) == "rejected"


NONSENSE = {
    "another checkout": {"id": "cs_test_other"}, "no status": {"status": None}, "a fraction": {"amount_total": 1.5},
    "below nothing": {"amount_total": -1}, "beyond numbers": {"amount_total": 1e300}, "a list": {"object": []},
    "no payment's id": {"payment_intent": {"id": "../../v1/accounts"}},
}


@pytest.mark.parametrize("members", NONSENSE.values(), ids=NONSENSE.keys())
def test_invalid_responses_change_nothing_and_are_retried(orders, processor, tell, account, members):
    order = orders.open(account)
    session = processor.session_of(order)
    told = processor.pay(session)
    processor.twist(session, **members)
    tell(told)
    wait_for(lambda: orders.row(order, "read_error"), 15, "a read that failed")
    assert orders.state(order) == "open" and orders.posted(account) == GRANT
    processor.twists.clear()
    orders.hurry()
    orders.wait(order, "paid")


@pytest.mark.parametrize("what, manner", [
    *(("read", manner) for manner in (500, 429, 401, stripe.HALF, stripe.GARBAGE, stripe.EMPTY, stripe.HUGE,
                                      stripe.DROPS_BEFORE)),
    ("refunds", 500), ("refunds", stripe.HALF), ("disputes", 429), ("disputes", stripe.DROPS_AFTER)])
def test_failing_responses(orders, processor, tell, account, what, manner):
    """Incomplete facts change nothing."""
    processor.be(what, manner)
    order = orders.open(account)
    session = processor.session_of(order)
    told = processor.pay(session)
    processor.refund(session, 500)
    tell(told)
    wait_for(lambda: orders.row(order, "attempts"), 15, "a read that failed")
    assert orders.state(order) == "open" and orders.posted(account) == GRANT
    processor.be(what, "")
    orders.hurry()
    orders.wait_for_amounts(order, 500, 0)
    assert orders.state(order) == "paid"


def test_the_processor_is_down_and_its_pauses_grow(orders, processor, tell, account):
    processor.be("*", 500)
    order = orders.open(account)
    tell(processor.pay(processor.session_of(order)))
    for attempts, pause_s in enumerate((5, 30, 120, 600, 3600, 3600), 1):
        wait_for(lambda: orders.row(order, "attempts") == attempts, 15, "the next try")
        due_s = orders.row(order, "extract(epoch from next_at - ledger_now())::float8")
        assert pause_s - 5 < due_s <= pause_s
        orders.ask("update purchase_order set next_at = ledger_now() where order_id = %s", order)
    processor.be("*", "")
    orders.hurry()
    orders.wait(order, "paid")


def test_a_late_response_undoes_nothing(orders, processor, tell, account):
    """A read that outlived its lease finds another number: its facts are older."""
    order = orders.open(account)
    session = processor.session_of(order)
    number = orders.one("select payment_begin(%s, %s)", account, order)
    orders.ask("update purchase_order set read_until = ledger_now() where order_id = %s", order)
    tell(processor.pay(session))
    orders.wait(order, "paid")
    tell(processor.refund(session, 500)[1])
    orders.wait_for_amounts(order, 500, 0)
    stale = orders.one("select payment_apply(%s, %s, %s, jsonb_set(facts, '{refunded}', '0'))"
                       " from purchase_order where order_id = %s", account, order, number, order)
    assert stale == "stale"
    assert orders.row(order, "reversed") == 500


# -- which webhooks are accepted --

def test_forged_and_stale_webhooks(orders, processor, hooks, account):
    order = orders.open(account)
    event = processor.pay(processor.session_of(order))
    now = int(time.time())
    good, body = processor.sign(event, at=now)
    tries = {
        "no signature": ({}, body, "signature_invalid"),
        "another secret": (*processor.sign(event, secret="whsec_other"), "signature_invalid"),
        "another scheme": (*processor.sign(event, scheme="v0"), "signature_invalid"),
        "another body": (good, body + " ", "signature_invalid"),
        "six minutes old": (*processor.sign(event, at=now - 360), "signature_stale"),
        "six minutes ahead": (*processor.sign(event, at=now + 360), "signature_stale"),
        "live": (*processor.sign(event | {"livemode": True}), "payload_mismatch"),
        "no JSON": (*processor.sign(None, body="{"), "payload_mismatch"),
        "no event": (*processor.sign(None, body="{}"), "payload_mismatch"),
    }
    for name, (headers, text, code) in tries.items():
        answer = hooks[0].send(headers, text)
        assert (answer.status_code, answer.codes) == (400, [code]), name
    assert orders.events(order) == [] and orders.state(order) == "open"
    headers = {"Stripe-Signature": processor.sign(event, at=now, secret="whsec_new")[0]["Stripe-Signature"] + ","
               + good["Stripe-Signature"].partition(",")[2]}
    assert hooks[0].send(headers, body).status_code == 200  # two v1, while a secret is replaced
    orders.wait(order, "paid")


def test_sizes(processor, hooks):
    def of(size):
        return processor.sign(None, body="{" + " " * (size - 1))
    assert hooks[0].send(*of(256 << 10)).codes == ["payload_mismatch"]
    answer = hooks[0].send(*of((256 << 10) + 1))
    assert (answer.status_code, answer.codes) == (413, ["body_too_large"])


def test_sizes_through_the_edge(processor, stack):
    """It buffers a body that is larger than a form until the portal reads it, and passes it on."""
    client = Client(Site.of(stack))
    for size, status in ((200 << 10, 400), ((256 << 10) + 1, 413)):
        headers, body = processor.sign(None, body="{" + " " * (size - 1))
        assert client.request("POST", HOOK, body, headers).status_code == status


def test_types_without_information(orders, processor, tell):
    with processor.lock:
        event = processor._event("customer.created", {"id": "cus_1", "object": "customer"})
    tell(event)
    assert orders.one("select state from payment_event where event_id = %s", event["id"]) == 4


def test_the_path_accepts_nothing_else(hooks):
    assert hooks[0].send({}, "", method="GET").status_code == 405
    assert hooks[0].send({}, "", path="/hooks/other").status_code == 404


def test_foreign_events_are_stored_for_three_days(orders, processor, tell):
    with processor.lock:
        event = processor._event("checkout.session.completed", {
            "id": "cs_test_foreign", "object": "checkout.session", "client_reference_id": "basket-7"})
    tell(event)

    def row():
        return orders.one("select state, attempts, error is not null from payment_event where event_id = %s",
                          event["id"])
    wait_for(lambda: row()[2], 15, "a first try")
    assert row()[0] == 1
    orders.ask("update payment_event set received_at = received_at - interval '73 hours', next_at = ledger_now()"
               " where event_id = %s", event["id"])
    wait_for(lambda: row()[0] == 3, 15, "it is given up")


# -- deaths --

POINTS = ("read-done", "before-apply-commit", "after-apply")


@pytest.mark.parametrize("point", POINTS)
def test_death_while_an_order_is_read(orders, processor, stack, hooks, account, point):
    """The other portal reaches the same result."""
    stack.parts["portal-2"].stop()
    order = orders.open(account)
    session = processor.session_of(order)
    told = processor.pay(session)
    processor.refund(session, 500)
    arm(stack, "portal-1", point, 1)
    assert hooks[0].send(*processor.sign(told)).status_code == 200
    wait_for_death(stack.parts["portal-1"])
    assert orders.state(order) == ("paid" if point == "after-apply" else "open")
    stack.start_part("portal-2")
    orders.forsake()
    orders.wait_for_amounts(order, 500, 0)
    assert orders.entries(account) == [(1, GRANT), (PURCHASE, CREDITS), (REVERSAL, -500)]
    wait_for(lambda: orders.events(order) == [2], 15, "the event is done")
    assert wait_for_documents(orders, order, 2) == [("invoice", PRICE), ("credit_note", 500)]
    restart_after_death(stack, "portal-1")
    stack.start_part("edge")


def wait_for_documents(orders, order, count):
    """Kind and total of the documents of an order, once it has `count` and all have numbers."""
    def documents():
        rows = orders.ask("select kind, total, name from invoice where order_id = %s order by step", order)
        return len(rows) >= count and all(name for *_, name in rows) and [tuple(row[:2]) for row in rows]
    return wait_for(documents, 30, "documents with numbers")


def test_death_when_an_event_is_stored(orders, processor, stack, hooks, account):
    """There was no response, so it is sent again: known."""
    stack.parts["portal-2"].stop()
    order = orders.open(account)
    headers, body = processor.sign(processor.pay(processor.session_of(order)))
    arm(stack, "portal-1", "event-stored", 1)
    with pytest.raises((OSError, http.client.HTTPException)):
        hooks[0].send(headers, body)
    wait_for_death(stack.parts["portal-1"])
    stack.start_part("portal-2")
    assert hooks[1].send(headers, body).status_code == 200
    orders.forsake()
    orders.wait(order, "paid")
    assert orders.entries(account) == [(1, GRANT), (PURCHASE, CREDITS)]
    restart_after_death(stack, "portal-1")
    stack.start_part("edge")


def test_the_database_goes_away(orders, processor, stack, hooks, account):
    order = orders.open(account)
    headers, body = processor.sign(processor.pay(processor.session_of(order)))
    orders.database.close()
    stack.parts["postgres"].stop()
    answer = hooks[0].send(headers, body)
    assert (answer.status_code, answer.codes) == (503, ["ledger_unavailable"])
    assert "Retry-After" in answer.headers
    stack.start_part("postgres")
    orders.database = psycopg2.connect(stack.database())
    orders.database.autocommit = True

    def is_taken():
        return hooks[0].send(headers, body).status_code == 200
    wait_for(is_taken, 30, "the event is kept")
    orders.wait(order, "paid")


def test_keys_are_replaced_without_a_restart(orders, processor, stack, hooks, account):
    """The file has two secrets: both are valid. Then the old one is gone, and a broken file changes
    nothing."""
    file = processor.directory / "stripe.secret"
    order = orders.open(account)
    event = processor.pay(processor.session_of(order))

    def reload(text):
        file.write_text(text)
        stack.parts["portal-1"].signal(signal.SIGHUP)

    def answers(secret=None):
        return hooks[0].send(*processor.sign(event, secret=secret)).status_code
    try:
        reload("whsec_bm93\n" + processor.secret + "\n")
        wait_for(lambda: answers("whsec_bm93") == 200, 15, "the new one")
        assert answers() == 200
        reload("whsec_bm93\n")
        wait_for(lambda: answers() == 400, 15, "without the old one")
        reload("no secret\n")
        wait_for(lambda: "payment keys not reloaded" in log_of(stack), 15, "a line in the log")
        assert answers("whsec_bm93") == 200
    finally:
        reload(processor.secret)
        wait_for(lambda: answers() == 200, 15, "the first one again")
    orders.wait(order, "paid")


def log_of(stack):
    return (stack.log_directory / "portal-1.log").read_text()
