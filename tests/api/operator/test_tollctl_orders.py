"""tests/api/operator/test_tollctl_orders.py - orders and packs of credits by tollctl."""

import getpass

import pytest

from kit.database.orders import Portal, new_id, paid, unpaid
from kit.database.scratch import account, cluster, db, migrated, new_database  # noqa: F401 - fixtures

USAGE = 64
ME = getpass.getuser()


@pytest.fixture
def portal(db):
    with Portal(db) as portal:
        yield portal


@pytest.fixture
def review(portal, account):
    """An order that waits for a person."""
    order = portal.order(account)
    assert portal.read(account, order, paid(order, currency="EUR", refunded=500)) == "review"
    return order


def audit(db):
    return [row for row in db.audit() if row[1].startswith(("order ", "pack ")) and row[0] != "portal"]


def numbers(answer):
    return [row["order"] for row in answer["orders"]]


def test_list(db, portal, account, review):
    other = db.ask("account", "create", "b")["account"]
    bought, opened = portal.buy(account, pack=1), portal.order(other, pack=3)
    db.sql("select ledger_credit(%s, 5::smallint, -340, gen_random_uuid(), 'x')", account)
    portal.read(account, bought, paid(bought, price=500, disputed=500))
    assert numbers(db.ask("order", "list")) == [opened, bought, review]
    assert numbers(db.ask("order", "list", "--account", account)) == [bought, review]
    assert numbers(db.ask("order", "list", "--state", "open", "--account", other)) == [opened]
    assert numbers(db.ask("order", "list", "--limit", 1)) == [opened]
    [row] = db.ask("order", "list", "--owed")["orders"]
    assert row == {"number": row["number"], "order": bought, "account": account, "created_at": row["created_at"],
                   "state": "paid", "credits": 250, "amount": 500, "currency": "USD", "provider": "stripe",
                   "refunded": 0, "disputed": 500, "reversed": 10, "owed": 240}
    assert "--state must be new, open," in db.refuse(USAGE, "order", "list", "--state", "lost")


def test_show(db, portal, account):
    order = portal.order(account)
    portal.event(order=order, event="evt_1")
    portal.read(account, order, paid(order))
    portal.read(account, order, paid(order, refunded=500))
    shown = db.ask("order", "show", order)
    assert {key: shown[key] for key in ("order", "account", "state", "pack", "credits", "amount", "total", "session",
                                        "refunded", "reversed", "owed", "is_accepted")} == {
        "order": order, "account": account, "state": "paid", "pack": "Standard", "credits": 1500, "amount": 1500,
        "total": 1500, "session": f"cs_{order}", "refunded": 500, "reversed": 500, "owed": 0, "is_accepted": False}
    assert {"fact": "payment_ref", "value": f"pi_{order}"} in shown["facts"]
    assert [(row["event"], row["state"]) for row in shown["events"]] == [("evt_1", "done")]
    assert [row["credits"] for row in shown["reversals"]] == [500]
    assert [(row["kind"], row["amount"]) for row in shown["entries"]] == [(2, 1500), (6, -500)]
    assert db.ask("order", "show", shown["number"]) == shown
    assert f"pi_{order}" in db.tell("order", "show", order)
    kinds = [row["kind"] for row in db.ask("ledger", "show", account)["entries"]]
    assert kinds == ["payment_reversed", "purchase", "signup_grant"]
    portal.read(account, order, paid(order))
    assert db.ask("ledger", "show", account)["entries"][0]["kind"] == "reversal_undone"


def test_show_one_that_was_never_read(db, portal, account):
    _, order = portal.open(account)
    shown = db.ask("order", "show", order)
    assert shown["state"] == "new" and shown["facts"] == shown["events"] == shown["entries"] == []


@pytest.mark.parametrize("command", ["show", "refresh", "accept", "reject"])
def test_which_order(migrated, command):
    note = ["--note", "x"] if command in ("accept", "reject") else []
    assert "unknown order" in migrated.refuse(1, "order", command, new_id(), *note)
    assert "unknown order 999999" in migrated.refuse(1, "order", command, "999999", *note)
    assert "unknown order" in migrated.refuse(1, "order", command, str((1 << 63) - 1), *note)
    for word in ("x", "-1", str(1 << 63), "1; drop table account"):
        assert "ORDER must be" in migrated.refuse(USAGE, "order", command, *note, "--", word)


def test_refresh(db, portal, account):
    order = portal.order(account)
    assert portal.due() == {}
    answer = db.ask("order", "refresh", order)
    assert (answer["order"], answer["state"], answer["changed"]) == (order, "open", True)
    assert portal.due() == {order: f"cs_{order}"}
    assert audit(db) == [(ME, "order refresh", account, f"order {order}")]


def test_accept(db, portal, account, review):
    answer = db.ask("order", "accept", review, "--note", "paid in euros")
    assert answer == {"order": review, "number": answer["number"], "account": account, "state": "paid", "changed": True}
    assert db.standing(account) == (1100, 0, 100, 1000, 0)
    assert db.ask("order", "show", review)["note"] == "paid in euros"
    assert audit(db) == [(ME, "order accept", account, f"order {review}")]
    assert db.ask("verify")["ok"]
    assert "is paid; only an order in review" in db.refuse(1, "order", "accept", review, "--note", "again")
    assert db.standing(account)[0] == 1100 and len(audit(db)) == 1


def test_reject(db, portal, account, review):
    number = db.ask("order", "list")["orders"][0]["number"]
    assert "Refund the payment" in db.tell("order", "reject", number, "--note", "a stolen card")
    assert db.standing(account)[0] == 100 and db.ask("order", "show", review)["state"] == "rejected"
    assert audit(db) == [(ME, "order reject", account, f"order {review}")]
    assert "is rejected; only" in db.refuse(1, "order", "reject", review, "--note", "again")


@pytest.mark.parametrize("command", ["accept", "reject"])
def test_only_orders_in_review_are_decided(db, portal, account, command):
    order = portal.order(account)
    assert "is open; only" in db.refuse(1, "order", command, order, "--note", "x")
    assert "--note is missing" in db.refuse(USAGE, "order", command, order)
    assert audit(db) == []


def test_events(db, portal, account):
    order = portal.order(account)
    portal.event(order=order, event="evt_done")
    portal.read(account, order, unpaid(order))
    portal.event("charge.refunded", ref="pi_nobodys", event="evt_waits")
    portal.event("x", event="evt_ignored", state=4)
    assert {row["event"]: row["state"] for row in db.ask("order", "events")["events"]} == {
        "evt_done": "done", "evt_waits": "waits", "evt_ignored": "ignored"}
    [row] = db.ask("order", "events", "--state", "waits")["events"]
    assert (row["event"], row["type"], row["ref"], row["order"]) == ("evt_waits", "charge.refunded", "pi_nobodys", None)
    assert len(db.ask("order", "events", "--limit", 2)["events"]) == 2
    assert "--state must be waits" in db.refuse(USAGE, "order", "events", "--state", "lost")


def test_a_grant_to_an_account_that_owes(db, portal, account):
    """It shows what is left to do."""
    order = portal.buy(account, pack=1)
    db.ask("account", "grant", account, "-350", "--note", "spent")
    portal.read(account, order, paid(order, price=500, refunded=500))
    assert db.ask("account", "grant", account, "300", "--note", "sorry")["available"] == 50


def test_packs(db, portal, account):
    listed = db.ask("pack", "list")["packs"]
    assert listed[1] == {"pack": 2, "name": "Standard", "credits": 1500, "price_cents": 1500, "currency": "USD",
                         "sold": True}
    assert db.ask("pack", "add", "Huge", 100000, 60000) == {"pack": 4, "changed": True}
    assert "SIGHUP" in db.tell("pack", "retire", 3)
    assert db.ask("pack", "add", "Huge", 100000, 55000, "--currency", "EUR")["pack"] == 5
    assert db.ask("pack", "list")["packs"][4] == {"pack": 5, "name": "Huge", "credits": 100000, "price_cents": 55000,
                                                  "currency": "EUR", "sold": True}
    waits = portal.order(account, pack=4)
    assert [db.ask("pack", "retire", 4)["changed"] for _ in range(2)] == [True, False]
    assert portal.open(account, pack=4)[0] == "not_sold"
    assert portal.read(account, waits, paid(waits, price=60000)) == "paid"
    assert audit(db) == [(ME, "pack add", None, "pack 4"), (ME, "pack retire", None, "pack 3"),
                         (ME, "pack add", None, "pack 5"), (ME, "pack retire", None, "pack 4")]


@pytest.mark.parametrize("arguments, status, says", [
    (("pack", "add", "", 1, 1), USAGE, "NAME must have 1 to 40"), (("pack", "add", "x", 0, 1), USAGE, "CREDITS must be"),
    (("pack", "add", "x", 1, 0), USAGE, "PRICE must be"), (("pack", "add", "x", 1, 1 << 31), USAGE, "PRICE must be"),
    (("pack", "add", "x", 1, 99, "--currency", "usd"), 1, "--currency must be a code"),
    (("pack", "add", "x", 1, 99, "--currency", "ABC"), 1, "--currency must be a code"),
    (("pack", "add", "x", 1, 99, "--currency", "BGN"), 1, "--currency must be a code"),
    (("pack", "add", "x", 1, 49), 1, "PRICE in USD must be at least 50"),
    (("pack", "add", "x", 1, 17499, "--currency", "HUF"), 1, "PRICE in HUF must be at least 17500"),
    (("pack", "add", "x", 1, 1250, "--currency", "ISK"), 1, "PRICE in ISK must be a multiple of 100"),
    (("pack", "add", "x", 1, 1, "--currency", "€€"), USAGE, "--currency must have 3"),
    (("pack", "retire", 99), 1, "unknown pack 99"), (("pack", "retire", "x"), USAGE, "PACK must be")])
def test_bad_packs(migrated, arguments, status, says):
    assert says in migrated.refuse(status, *arguments)
