"""tests/api/test_order_reads.py - orders in the database: reads in sequence, due reads, events, the
operator's decisions, and what verify finds (gateway/sql/007-orders.sql)."""

import json

import psycopg2
import pytest

from kit.database.buyers import account, portal, shop  # noqa: F401 - fixtures
from kit.database.buyers import Account, in_background, wait_for_a_waiter
from kit.database.orders import READS, Portal, new_id, paid, unpaid
from kit.database.scratch import cluster, migrated, new_database  # noqa: F401 - fixtures

MINUTE, HOUR, DAY = 60, 3600, 86400


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
    assert portal.apply(account, order, number, paid(order)) == "paid"  # its response was lost
    assert account.entries() == [(2, 1500)]


def test_an_older_answer_never_undoes_a_newer_one(portal, account):
    order = portal.buy(account)
    old = portal.begin(account, order)
    portal.at(41)
    new = portal.begin(account, order)
    assert portal.apply(account, order, new, paid(order, refunded=1500)) == "paid"
    assert portal.apply(account, order, old, paid(order)) == "stale" and account.credits() == 0


def test_a_clock_that_was_ahead_blocks_nothing(portal, account):
    order = portal.order(account)
    portal.at(HOUR)
    assert portal.begin(account, order)
    portal.at(0)
    assert portal.begin(account, order)


def test_two_portals_begin_and_apply(portal, shop, account):
    """A read that begins while another applies finds its lease, or waits for its end and then reads
    the newer state."""
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


def test_reads_without_facts(portal, account):
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
    portal.sql("select payment_missed(%s, %s, %s, 'late')", account, order, number - 1)  # another provider's order
    assert portal.begin(account, order) is None
    portal.apply(account, order, number, unpaid(order))
    assert portal.row(order, "attempts", "read_error") == (0, None)


def miss(portal, account, order):
    """A read without new facts; the order's state if that was the last one."""
    return portal.one("select payment_missed(%s, %s, %s, 'no key')", account, order, portal.begin(account, order))


@pytest.mark.parametrize("before, told, after", [
    ("open", None, "expired"), ("open", "checkout.session.expired", "expired"),
    ("open", "checkout.session.completed", "review"), ("cancelling", None, "cancelled"),
    ("processing", None, "review"), ("expired", "checkout.session.async_payment_succeeded", "review"),
    ("paid", "charge.refunded", "paid"), ("review", None, "review")])
def test_unreadable_orders_are_closed_after_three_days(portal, account, before, told, after):
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
    if told:  # a repeated event causes another read, and that read decides
        assert portal.event(told, order=order, event=event) and portal.due() == {order: f"cs_{order}"}
        portal.read(account, order, paid(order))
        assert event_row(portal, event)[0] == 2 and portal.row(order, "state", "unread_at") == ("paid", None)


def test_a_refresh_by_the_operator_gives_three_more_days(portal, account):
    order = portal.order(account)
    miss(portal, account, order)
    portal.at(3 * DAY + MINUTE)
    portal.one("select order_refresh(%s, %s)", account, order)
    assert miss(portal, account, order) is None
    portal.at(6 * DAY + 2 * MINUTE)
    assert miss(portal, account, order) == "expired"


def test_accepted_unread_and_read_afterwards(portal, shop, account):
    """A refund then takes its share of the payment."""
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
    """{order: state} of orders that are closed because no portal has their provider."""
    return dict(portal.sql("select order_id::text, state from order_abandon_unserved(%s, %s)", here, limit))


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


def test_closing_an_account_closes_its_checkouts(portal, account):
    unopened, waits = portal.open(account, pack=1)[1], portal.order(account, pack=2)
    done = portal.buy(account, pack=3)
    account.state("suspended")
    assert portal.row(waits, "cancel_asked") is False
    account.state("closed")
    assert portal.row(unopened, "state") == "cancelled"
    assert portal.row(waits, "state", "cancel_asked") == ("open", True) and portal.due() == {waits: f"cs_{waits}"}
    assert portal.row(done, "state") == "paid"


# -- due reads --


def seconds_until(portal, order):
    due = portal.row(order, "extract(epoch from next_at - ledger_now())")
    return None if due is None else round(float(due))


def test_when_orders_are_read(portal, account):
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


def test_each_portal_reads_its_own_provider(portal, account):
    order = portal.order(account, provider="test")
    portal.one("select order_refresh(%s, %s)", account, order)
    assert portal.due() == {} and portal.due("test") == {order: f"cs_{order}"}


def test_two_portals_share_due_reads(portal, shop, account):
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


def test_an_event_is_stored_once(portal, account):
    order, event = portal.order(account), f"evt_{new_id()}"
    assert [portal.event(order=order, event=event) for _ in range(3)] == [True, False, False]
    assert portal.due() == {order: f"cs_{order}"} and portal.due() == {}
    number = portal.begin(account, order)
    portal.apply(account, order, number, paid(order))
    assert event_row(portal, event)[0] == 1 and portal.done(account, order, number) == 1
    assert event_row(portal, event)[0] == 2 and portal.done(account, order, number) == 0


@pytest.mark.parametrize("ref", ["cs_{}", "pi_{}"])
def test_an_event_finds_its_order_by_its_ids(portal, account, ref):
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
    assert portal.done(account, order, number) == 10 and portal.due() == {}


def test_an_event_that_comes_while_it_is_read_asks_for_another(portal, account):
    order, late = portal.order(account), f"evt_{new_id()}"
    portal.event(order=order)
    number = portal.begin(account, order)
    portal.at(-HOUR)  # whatever the clock says
    portal.event(order=order, event=late)
    portal.at(0)
    portal.apply(account, order, number, paid(order))
    assert portal.done(account, order, number) == 1 and event_row(portal, late)[0] == 1
    assert portal.due() == {order: f"cs_{order}"}


def test_an_event_whose_read_was_lost_is_read_again(portal, account):
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


def old_purchase(portal, account):
    """An order that was paid ten days ago; nothing is scheduled for it any more."""
    order = portal.buy(account)
    portal.at(10 * DAY)
    assert list(portal.due()) == [order]
    portal.read(account, order, paid(order))
    assert portal.due() == {} and portal.row(order, "next_at") is None
    return order


def test_a_refund_that_the_processor_shows_later(portal, account):
    """Its event waits until a read shows as much."""
    order = old_purchase(portal, account)
    portal.event("charge.refunded", ref=f"pi_{order}", event="evt_late", refunded=700)
    state = "select state from payment_event where event_id = 'evt_late'"
    for seconds, refunded in ((0, 0), (5, 300), (35, 300), (155, 700)):
        portal.at(10 * DAY + seconds)
        assert portal.one(state) == 1 and list(portal.due()) == [order]
        portal.read(account, order, paid(order, refunded=refunded))
    assert portal.one(state) == 2
    assert account.entries()[-2:] == [(6, -300), (6, -400)]


def test_an_event_that_stays_ahead_is_done_after_three_days(portal, account):
    order = old_purchase(portal, account)
    portal.event("charge.refunded", ref=f"pi_{order}", event="evt_ahead", refunded=700)
    for hours, state in ((0, 1), (71, 1), (73, 2)):
        portal.at(10 * DAY + hours * HOUR)
        assert list(portal.due()) == [order]
        portal.read(account, order, paid(order))
        assert portal.one("select state from payment_event where event_id = 'evt_ahead'") == state


@pytest.mark.parametrize("later", [("charge.refunded", 300), ("refund.failed", None)])
def test_a_newer_event_replaces_an_amount(portal, account, later):
    order = old_purchase(portal, account)
    kind, refunded = later
    portal.event("charge.refunded", ref=f"pi_{order}", refunded=700, created_s=5)
    portal.event(kind, ref=f"pi_{order}", refunded=refunded, created_s=6)
    assert list(portal.due()) == [order]
    portal.read(account, order, paid(order, refunded=300))
    assert portal.one("select count(*) from payment_event where state = 1 and order_id = %s", order) == 0


@pytest.mark.parametrize("kind", ["charge.dispute.created", "refund.created", "checkout.session.completed"])
def test_each_event_causes_one_later_read(portal, account, kind):
    """What it reports may not be visible yet, and some events carry no amount."""
    order = old_purchase(portal, account)
    portal.event(kind, order=order)
    assert list(portal.due()) == [order]
    portal.read(account, order, paid(order))
    portal.at(10 * DAY + 4 * MINUTE)
    assert portal.due() == {}
    portal.at(10 * DAY + 5 * MINUTE + 1)
    assert list(portal.due()) == [order]
    portal.read(account, order, paid(order, disputed=1500))
    assert account.entries()[-1] == (6, -1500)
    portal.at(10 * DAY + 2 * HOUR)
    assert portal.due() == {}


def test_a_new_order_with_a_paid_checkout_is_not_ended(portal, account):
    """The response of the checkout's creation was lost, and the first read was too early."""
    _, order = portal.open(account)
    portal.event(order=order, ref=f"cs_{order}")
    assert list(portal.due()) == [order]
    portal.read(account, order, unpaid(order, session=None))
    portal.at(HOUR)
    assert (list(portal.due()), portal.row(order, "state")) == ([order], "new")
    assert portal.one("select order_cancel(%s, %s)", account, order) == "new"  # the processor is asked first
    assert portal.read(account, order, paid(order)) == "paid"


def test_an_event_without_an_order(portal, account):
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
    portal.read(account, order, paid(order, currency="EUR", amount=1400, refunded=1400))  # its checkout is followed
    assert portal.row(order, "disagrees_at", "reversed") == (None, 1500) and account.credits() == 0


def test_accept_pays_the_debt(portal, shop, account):
    owing = portal.buy(account, pack=1)
    account.spend(250)
    portal.read(account, owing, paid(owing, price=500, refunded=500))
    order = portal.order(account)
    portal.read(account, order, paid(order, currency="EUR"))
    assert decide(shop, account, order, True) == "paid"
    assert portal.row(owing, "reversed", "owed") == (250, 0) and account.credits() == 1250


def test_accept_a_free_order(portal, shop, account):
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
def test_only_orders_in_review_are_decided(portal, shop, account, accept):
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


def test_one_function_credits_payments(shop, account):
    for kind in (2, 3, 4, 6, 7):
        with pytest.raises(psycopg2.errors.RaiseException):
            shop.sql("select ledger_credit(%s, %s::smallint, 5, gen_random_uuid(), 'x')", account, kind,
                     role="tollgate_operator")


# -- verify --


@pytest.mark.parametrize("damage, broken", [
    ("update purchase_order set state = 'expired', reversed = 0 where order_id = %(order)s", {12, 13, 15}),
    ("update purchase_order set credits = 1501 where order_id = %(order)s", {12}),
    ("delete from purchase_order where order_id = %(order)s", {12, 13, 15}),
    ("insert into purchase_order (account_id, order_id, pack_id, credits, amount, currency, provider, state,"
     " created_at, expires_at, paid_at, total) values (%(account)s, gen_random_uuid(), 1, 5, 5, 'USD', 'x', 'paid',"
     " now(), now(), now(), 5)", {12}),
    ("select ledger_book(%(account)s, 2::smallint, 5, gen_random_uuid(), 'x')", {12}),
    ("update purchase_order set reversed = reversed - 1, owed = owed + 1 where order_id = %(order)s", {13}),
    ("update purchase_order set owed = 1 where order_id = %(order)s", {13}),
    ("update purchase_order set refunded = 0 where order_id = %(order)s", {12, 13}),
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
