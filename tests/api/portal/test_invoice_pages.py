"""tests/api/portal/test_invoice_pages.py - invoices as pages where rows/billing.yaml cannot wait
for a moment: without a number yet, late, corrected too often, and with hostile details."""

import contextlib
from urllib.parse import urlsplit

import psycopg2
import pytest

from kit.portal.member import fresh_email
from kit.portal.orders import Orders
from kit.portal.table import BILLING, INVOICE_S, Cast
from kit.portal.visitor import Visitor
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-credits")


@pytest.fixture(scope="module")
def cast(site, ledger):
    return Cast(site, ledger)


@contextlib.contextmanager
def no_numbers(site):
    """Meanwhile no portal can number a document."""
    with contextlib.closing(psycopg2.connect(site.database)) as connection, connection.cursor() as cursor:
        cursor.execute("lock table invoice_series in exclusive mode")
        yield
        connection.rollback()


def correct(visitor, ident):
    """Press the button, also where the page does not offer it."""
    mark = dict(visitor.get("/portal/billing").form("/portal/billing").sent())["csrf"]
    return visitor.post(f"/portal/invoices/{ident}/correct", {"csrf": mark})


def change(visitor, **details):
    answer = visitor.submit(visitor.get("/portal/billing").form("/portal/billing"), **details)
    assert answer.status_code == 200 and "Your billing details were saved." in answer.text, answer
    return answer


def newest(cast, names):
    return cast.ledger.rows("select invoice_id::text, name from invoice where account_id = %s and kind = 'invoice'"
                            " order by place desc limit 1", names["account"])[0]


def test_an_invoice_without_its_number(cast, site):
    visitor, names = cast.play("fresh")
    with no_numbers(site):
        Orders(site, names["account"], names["member"]).make("paid")
        ident, name = newest(cast, names)
        assert name is None
        assert "Invoice, number follows" in visitor.get("/portal/invoices").text
        assert "This document gets its number within a minute." in visitor.get(f"/portal/invoices/{ident}").text
        change(visitor, **BILLING)
        refused = correct(visitor, ident)
        assert refused.errors == ["This invoice has no number yet. Try again in a minute."], refused
    wait_for(lambda: newest(cast, names)[1], INVOICE_S, "its number")
    assert newest(cast, names)[1] in visitor.get(f"/portal/invoices/{ident}").text


def test_an_invoice_is_corrected_three_times(cast):
    visitor, names = cast.play("fresh-invoiced")
    ident = names["invoice_id"]
    for count in range(3):
        change(visitor, company=f"Acme {count}")
        page = visitor.submit(visitor.get(f"/portal/invoices/{ident}").form(f"/portal/invoices/{ident}/correct"))
        assert "The invoice was corrected. Its new documents are in the list." in page.text, page
        ident = cast.ledger.rows("select (invoice_in_force(account_id, order_id)).invoice_id::text from purchase_order"
                                 " where order_id = %s", names["order_paid"])[0][0]
        wait_for(lambda: cast.ledger.rows("select 1 from invoice where invoice_id = %s and name is not null", ident),
                 INVOICE_S, "its number")
        text = visitor.get(f"/portal/invoices/{ident}").text
        assert f"Acme {count}" in text, text
    change(visitor, company="Acme")
    assert correct(visitor, ident).errors == ["This order was corrected three times, which is the limit."]


def number(cast, order):
    """Ids of an order's documents, once all have a number."""
    rows = lambda: cast.ledger.rows("select invoice_id::text, name from invoice where order_id = %s"  # noqa: E731
                                    " order by step", order)
    wait_for(lambda: all(name for _, name in rows()), INVOICE_S, "numbers of invoices")
    return [ident for ident, _ in rows()]


def test_a_refund_of_all_is_not_of_a_part(cast, site):
    visitor, names = cast.play("fresh")
    order = Orders(site, names["account"], names["member"]).make("paid", refunded=1500)
    for ident in number(cast, order):
        page = visitor.get(f"/portal/invoices/{ident}")
        assert "1,500 Tollgate credits 1 15.00" in page.text and "part of the price" not in page.text, page


def test_an_invoice_is_not_corrected_after_a_refund_of_all(cast, site):
    visitor, names = cast.play("fresh")
    invoice, _ = number(cast, Orders(site, names["account"], names["member"]).make("paid", refunded=1500))
    change(visitor, **BILLING)
    refused = correct(visitor, invoice)
    assert refused.errors == ["This invoice cannot be corrected: all of it was refunded."], refused
    assert "Correct this invoice" not in refused.text


def test_reverse_charge_needs_the_tax_number(cast, site):
    visitor, names = cast.play("fresh")
    change(visitor, **BILLING)
    [invoice] = number(cast, Orders(site, names["account"], names["member"]).make(
        "paid", taxes=[{"amount": 0, "reason": "reverse_charge"}]))
    assert "Reverse charge: the buyer owes the tax." in visitor.get(f"/portal/invoices/{invoice}").text
    change(visitor, tax_type="", tax_id="")
    refused = correct(visitor, invoice)
    assert refused.errors == ["This invoice needs the buyer's tax number: the buyer owes the tax. "
                              "Your billing details have none."], refused


def test_an_invoice_is_corrected_after_a_refund_of_a_part(cast, site):
    visitor, names = cast.play("fresh")
    order = Orders(site, names["account"], names["member"]).make("paid", refunded=500)
    [invoice, _] = number(cast, order)
    change(visitor, **BILLING)
    visitor.submit(visitor.get(f"/portal/invoices/{invoice}").form(f"/portal/invoices/{invoice}/correct"))
    [_, _, note, corrected] = number(cast, order)
    assert "part of the price 1 10.00" in visitor.get(f"/portal/invoices/{note}").text
    text = visitor.get(f"/portal/invoices/{corrected}").text
    assert "Acme GmbH" in text and "part of the price 1 10.00" in text and "Total, paid 10.00" in text, text
    assert "Correct this invoice" not in visitor.get(f"/portal/invoices/{invoice}").text


def shift(site, ident, days):
    """Moves the date of an invoice, around the trigger that forbids it."""
    with contextlib.closing(psycopg2.connect(site.database)) as connection, connection, connection.cursor() as cursor:
        cursor.execute("alter table invoice disable trigger invoice_is_final;"
                       "update invoice set issued_at = issued_at + %s * interval '1 day' where invoice_id = %s;"
                       "alter table invoice enable trigger invoice_is_final", (days, ident))


def test_an_invoice_of_61_days_ago(cast, site):
    visitor, names = cast.play("fresh-invoiced")
    change(visitor, company="Acme AG")
    shift(site, names["invoice_id"], -61)
    try:
        refused = correct(visitor, names["invoice_id"])
    finally:
        shift(site, names["invoice_id"], 61)
    assert refused.errors == ["This invoice is older than 60 days. It cannot be corrected."], refused


def test_hostile_details_are_shown_as_text(cast):
    """HTML, templates, formulas, and the longest lines, on pages and in the file."""
    visitor, names = cast.play("fresh")
    hostile = {"company": "=1+1<script>alert(1)</script>{{name}}", "line1": "\"><img src=x onerror=alert(1)>",
               "line2": "W" * 200, "city": "𝔅" * 100, "postal_code": "'\"&amp;", "region": "ابجد", "country": "SA",
               "tax_type": "other", "tax_id": "<!--", "reference": "%s%n" * 15}
    change(visitor, **hostile)
    checkout = visitor.submit(visitor.get("/portal/credits").form("/portal/credits/buy"))
    visitor.submit(checkout.forms[1])
    ident, _ = wait_for(lambda: newest(cast, names)[1] and newest(cast, names), INVOICE_S, "its number")
    page = visitor.get(f"/portal/invoices/{ident}")
    for name in ("company", "line1", "line2", "city", "region", "tax_id", "reference"):
        assert hostile[name] in page.text, name
    assert not page.root.all("img") and all(script.get("src") for script in page.root.all("script"))
    assert "TEST: no money moves" in page.text
    form = dict(visitor.get("/portal/billing").form("/portal/billing").sent())
    assert {name: form[name] for name in hostile} == hostile
    year = cast.ledger.rows("select to_char(now() at time zone 'UTC', 'YYYY')")[0][0]
    text = visitor.get(f"/portal/invoices.csv?year={year}").body.decode()
    assert "'=1+1<script>alert(1)</script>{{name}},SA,<!--,5.00,0.00,5.00,USD,yes" in text, text


# -- invoices by email --


def add(visitor, email):
    return visitor.submit(visitor.get("/portal/billing").form("/portal/billing/emails"), email=email)


def confirm(cast, site, email, about="Confirm this address for invoices"):
    """Open the newest link in another browser, without an account."""
    link = cast.mailbox.wait(email, about, seconds=INVOICE_S)[-1].link
    page = Visitor(site).get(urlsplit(link).path)
    return link, page.form(urlsplit(link).path)


def letters(cast, email):
    return [letter for letter in cast.mailbox.letters(email) if not letter.subject.startswith("Confirm")]


def test_invoices_are_sent_to_confirmed_addresses_only(cast, site):
    visitor, names = cast.play("fresh")
    change(visitor, **BILLING)
    asked, agreed = fresh_email("asked"), fresh_email("agreed")
    add(visitor, asked)
    add(visitor, agreed)
    stranger = Visitor(site)
    link, _ = confirm(cast, site, agreed)
    page = stranger.submit(stranger.get(urlsplit(link).path).form(urlsplit(link).path))
    assert "Address confirmed" in page.text, page
    order = Orders(site, names["account"], names["member"]).make("paid", refunded=500)
    number(cast, order)
    [invoice] = cast.mailbox.wait(agreed, "Invoice INV-", seconds=INVOICE_S)
    [note] = cast.mailbox.wait(agreed, "Credit note CN-", seconds=INVOICE_S)
    for words in ("Acme GmbH", "EU VAT number: DE123456789", "Total, paid: 15.00", "Payment: pi_", "Purchase order: PO 7"):
        assert words in invoice.text, invoice.text
    assert "Total credited: 5.00" in note.text and "Refers to: Invoice INV-" in note.text, note.text
    assert letters(cast, asked) == [] and len(letters(cast, agreed)) == 2


def test_a_link_for_invoices_works_once_and_only_the_newest(cast, site):
    visitor, _ = cast.play("fresh")
    email = fresh_email("accounts")
    add(visitor, email)
    first, _ = confirm(cast, site, email)
    add(visitor, email)
    second = cast.mailbox.wait(email, "Confirm this address", count=2, seconds=INVOICE_S)[-1].link
    stranger = Visitor(site)
    used = "This link was already used or has expired. Ask for a new one."
    assert first != second and stranger.get(urlsplit(first).path).errors == [used]
    page = stranger.get(urlsplit(second).path)
    form = page.form(urlsplit(second).path)
    assert "Address confirmed" in stranger.submit(form).text
    assert stranger.submit(form).errors == [used]
    shown = visitor.get("/portal/billing")
    assert f"{email}, confirmed" in shown.text, shown


def test_a_removed_address_cannot_be_confirmed(cast, site):
    visitor, names = cast.play("fresh")
    email = fresh_email("gone")
    add(visitor, email)
    link, _ = confirm(cast, site, email)
    [(ident,)] = cast.ledger.rows("select link_id::text from billing_email where account_id = %s", names["account"])
    visitor.submit(visitor.get("/portal/billing").form(f"/portal/billing/emails/{ident}/remove"))
    assert Visitor(site).get(urlsplit(link).path).errors != []
    assert cast.ledger.rows("select 1 from billing_email where account_id = %s", names["account"]) == []
