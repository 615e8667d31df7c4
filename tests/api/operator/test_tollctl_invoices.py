"""tests/api/operator/test_tollctl_invoices.py - invoices and credit notes by tollctl."""

import csv
import io
import json

import pytest

from kit.database.orders import Portal, paid
from kit.database.scratch import account, cluster, db, migrated, new_database  # noqa: F401 - fixtures

USAGE = 64
SELLER = {"lines": ["Tollgate Ltd", "Dublin"], "tax_id": "IE1234567FA"}


@pytest.fixture
def books(db, account):
    """The order of an invoice and a credit note, with their numbers."""
    db.sql("update account set name = '=1+1 \"x\"' where account_id = %s", account)
    with Portal(db) as portal:
        order = portal.order(account)
        portal.read(account, order, paid(order, amount=1785, tax=285))
        portal.read(account, order, paid(order, amount=1785, tax=285, refunded=100))
        portal.one("select invoice_issue('INV', %s, 10)", json.dumps(SELLER))
    return db.sql("select name from invoice order by place")


def names(answer):
    return [row["invoice"] for row in answer["invoices"]]


def test_list(db, account, books):
    [(invoice,), (note,)] = books
    assert names(db.ask("invoice", "list")) == [note, invoice]
    assert names(db.ask("invoice", "list", "--limit", 1)) == [note]
    assert names(db.ask("invoice", "list", "--account", account, "--order", 1001)) == [note, invoice]
    assert names(db.ask("invoice", "list", "--order", 1002)) == []
    assert names(db.ask("invoice", "list", "--to", "2020-01-01")) == []
    assert names(db.ask("invoice", "list", "--from", "2020-01-01")) == [note, invoice]
    for day in ("yesterday.", "2026-02-30", "26-11-2026"):
        assert "--from must be a day like 2026-11-30" in db.refuse(USAGE, "invoice", "list", "--from", day)


def test_show(db, account, books):
    [(invoice,), (note,)] = books
    shown = db.ask("invoice", "show", note)
    assert (shown["kind"], shown["reason"], shown["refers_to"]) == ("credit_note", "refunded", invoice)
    assert (shown["net"], shown["tax"], shown["total"], shown["test"]) == (84, 16, 100, False)
    details = {(row["part"], row["name"]): row["value"] for row in shown["details"]}
    assert details[("seller", "tax_id")] == "IE1234567FA" and details[("buyer", "name")] == '=1+1 "x"'
    assert db.ask("invoice", "show", shown["id"])["invoice"] == note
    assert "unknown invoice INV-1; see" in db.refuse(1, "invoice", "show", "INV-1")


def test_export(db, account, books):
    [(invoice,), (note,)] = books
    status, text, errors = db.run("invoice", "export", "--csv")
    assert (status, errors) == (0, "")
    rows = {row["number"]: row for row in csv.DictReader(io.StringIO(text, newline=""), strict=True)}
    assert rows[invoice]["buyer"] == "'=1+1 \"x\"" and rows[invoice]["total"] == "1785"
    assert (rows[note]["net"], rows[note]["tax"], rows[note]["total"]) == ("-84", "-16", "-100")
    assert rows[note]["refers_to"] == invoice and rows[note]["test"] == "no"
    assert sorted(row["total"] for row in db.ask("invoice", "export")["invoices"]) == [-100, 1785]
    assert db.run("invoice", "export", "--csv", "--to", "2020-01-01")[1].count("\n") == 1


def test_next(db, books):
    series = books[0][0].rsplit("-", 1)[0]
    assert db.ask("invoice", "next", series, 100) == {"series": series, "next": 100}
    assert "numbers only rise" in db.refuse(1, "invoice", "next", series, 100)
    assert db.audit()[-1][1] == "invoice next"
    for wrong in ("INV-26", "inv-2026", "INV2026", "1NV-2026", "ABCDEFGHIJKLM-2026"):
        assert "SERIES must" in db.refuse(USAGE, "invoice", "next", wrong, 5)
    assert db.ask("verify")["ok"]
