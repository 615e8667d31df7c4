"""GET …/account/invoices: an account's invoices and credit notes as their pages show them, and only
to tokens of this account."""

import datetime
import json

import pytest

from kit.database.orders import paid
from kit.portal.orders import Orders
from kit.site import Account

FIELDS = {"id", "number", "kind", "reason", "issued_at", "refers_to", "refers_to_id", "order_id", "order", "credits",
          "is_part", "currency", "net", "tax", "total", "taxes", "buyer", "seller", "payment", "is_test", "url"}
SELLER = {"lines": ["Tollgate Ltd", "Dublin"], "tax_id": "IE1234567FA"}


@pytest.fixture
def books(site, account):
    """Orders of the account, with a function that numbers their documents."""
    with Orders(site, account.id, None) as orders:
        orders.number = lambda: orders.sql("select invoice_issue('INV', %s, 1000)", json.dumps(SELLER))
        yield orders


def read(api, account, query=""):
    answer = api.read(account, f"account/invoices{query}")
    assert answer.status_code == 200, answer
    return answer.result


def test_no_invoices(api, account):
    assert read(api, account) == {"invoices": [], "next_cursor": None}


def test_an_invoice_and_its_credit_note(api, site, account, books):
    order = books.order(account.id)
    taxes = [{"name": "VAT", "percent": "19", "amount": 285}]
    facts = paid(order, amount=1785, tax=285, taxes=taxes, receipt={"card": "Visa, ends in 4242"})
    books.read(account.id, order, facts)
    books.read(account.id, order, facts | {"refunded": 100})
    books.number()
    note, invoice = read(api, account)["invoices"]
    assert set(note) == set(invoice) == FIELDS
    assert (invoice["kind"], invoice["reason"], invoice["credits"], invoice["is_part"]) == ("invoice", "paid", 1500, False)
    assert (invoice["net"], invoice["tax"], invoice["total"], invoice["currency"]) == ("15.00", "2.85", "17.85", "USD")
    assert invoice["taxes"] == [{"name": "VAT", "percent": "19"}] and invoice["refers_to"] is invoice["refers_to_id"] is None
    assert invoice["order_id"] == order and invoice["order"] == books.row(order, "number")
    assert invoice["payment"].items() >= {"ref": f"pi_{order}", "card": "Visa, ends in 4242", "provider": "stripe"}.items()
    assert datetime.datetime.fromisoformat(invoice["payment"]["paid_at"].replace("Z", "+00:00")).tzinfo
    assert invoice["seller"]["lines"] and invoice["number"].startswith("INV-") and not invoice["is_test"]
    assert invoice["url"] == f"{site.base_url}/portal/invoices/{invoice['id']}"
    assert (note["kind"], note["reason"], note["is_part"]) == ("credit_note", "refunded", True)
    assert (note["net"], note["tax"], note["total"]) == ("-0.84", "-0.16", "-1.00")
    assert (note["refers_to"], note["refers_to_id"]) == (invoice["number"], invoice["id"])


def test_what_has_no_number_yet(api, site, account, books):
    books.sql("begin; lock table invoice_series in exclusive mode")  # no portal numbers it
    made = Orders(site, account.id, None)
    made.make("paid")
    made.connection.close()
    [invoice] = read(api, account)["invoices"]
    assert invoice["number"] is invoice["issued_at"] is invoice["seller"] is None and invoice["total"] == "15.00"
    assert read(api, account, "?from=2020-01-01")["invoices"] == []
    books.sql("rollback")


def test_pages_and_times(api, account, books):
    orders = [books.make("paid", pack=pack) for pack in (1, 2, 3)]
    books.number()
    seen, cursor = [], ""
    for _ in orders:
        page = read(api, account, f"?limit=1{cursor}")
        seen += [document["order_id"] for document in page["invoices"]]
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == orders[::-1] and page["next_cursor"] is None
    today = datetime.datetime.now(datetime.timezone.utc).date()
    day = lambda more: today + datetime.timedelta(days=more)  # noqa: E731
    assert len(read(api, account, f"?from={day(-1)}&to={day(2)}")["invoices"]) == 3
    assert read(api, account, f"?to={day(-1)}")["invoices"] == read(api, account, f"?from={day(2)}")["invoices"] == []


@pytest.mark.parametrize("code, minor, want", [("JPY", 1500, "1500"), ("KWD", 15000, "15.000")])
def test_decimals_of_a_currency(api, account, books, code, minor, want):
    order = books.order(account.id)
    books.read(account.id, order, paid(order, amount=minor, currency=code))  # does not fit the order
    books.sql("select order_decide(%s, %s, true, 'x', 'op')", account.id, order)
    assert [(document["total"], document["currency"]) for document in read(api, account)["invoices"]] == [(want, code)]


@pytest.mark.parametrize("query, wrong", [
    ("limit=0", "limit"), ("limit=201", "limit"), ("from=x", "from"), ("to=2026-13-01", "to"), ("cursor=x", "cursor"),
    ("from=2026-02-01&to=2026-01-01", "after from"), ("year=2026", "use from, to, limit and cursor"),
    ("limit=1&limit=2", "twice")])
def test_invalid_queries(api, account, query, wrong):
    answer = api.read(account, f"account/invoices?{query}")
    assert answer.codes == ["invalid_query"] and wrong in answer.message


def test_who_may_read_them(api, site, account, books):
    books.make("paid")
    other = site.open_account()
    assert read(api, other)["invoices"] == []
    for stranger in (Account(account.id, other.token, ""), Account(other.id, account.token, "")):
        assert api.read(stranger, "account/invoices").codes == ["auth_invalid"]
    for scope, status in (("account", 200), ("email", 403)):
        made = site.tollctl("token", "create", account.id, "--scope", scope, "--json")
        assert api.read(Account(account.id, made["token"], ""), "account/invoices").status_code == status
    site.tollctl("account", "suspend", account.id)
    assert api.read(account, "account/invoices").codes == ["account_suspended"]


def test_it_is_free_and_counts(api, account, ledger):
    answer = api.read(account, "account/invoices")
    assert answer.status_code == 200 and answer.headers["X-Credits-Charged"] == "0"
    assert api.read(account, "account/limits").result["global"]["used"] == 2
    assert ledger.rows("select count(*) from ledger_entry where account_id = %s and kind = 3", account.id) == [(0,)]
