"""tests/api/portal/test_credits.py - what people see of a payment processor: its page, the way
back, its receipt, and its outages. tests/faults/portal/test_payments.py has the effect of its
responses on orders; pages that need no response are in rows/credits.yaml."""

import pytest

from kit.contracts import CONTRACTS
from kit.portal import processor as stripe
from kit.portal.member import Member
from kit.portal.shop import processor  # noqa: F401 - a fixture
from kit.site import Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-credits")

WAIT_S = 30
NOT_OPENED = "The payment page could not be opened. Nothing was charged. Try again."
NOT_HERE = "You cannot buy credits here, because payments are not configured. Ask help@example.com for credits."


@pytest.fixture(scope="module")
def shop(own_stack, processor):
    """A site that accepts cards, and whose processor computes the tax."""
    settings = {"portal.poll_ms": 250, "payments.seller": "Tollgate Ltd | 1 Gate Road | Dublin",
                "payments.seller_tax_id": "IE1234567AB", "payments.invoice_note": "Thank you for the purchase.",
                "payments.stripe_tax": True, "payments.check_tax_ids": True,
                "payments.invoice_series": "TG"} | processor.settings()
    return Site.of(own_stack(gateways=1, daemons=0, portals=1, settings=settings))


@pytest.fixture
def visitor(shop, processor):
    yield Member(shop, credits=100, name="Jane Doe").sign_in()
    processor.behave()


def buy(visitor, page=None, pack=0):
    """Press one of the buttons; returns the order's id and the response."""
    page = page or visitor.get("/portal/credits")
    form = page.form("/portal/credits/buy", pack)
    return dict(form.sent())["order"], visitor.submit(form, follow=False)


def test_a_buyer_returns_with_credits(visitor, processor):
    page = visitor.get("/portal/credits")
    assert "100 credits available. Credits never expire. You do not need a subscription. You pay on the page of Stripe." in page.text
    assert "Prices are without tax. That page adds the tax and shows the total before you pay." in page.text
    prices = visitor.get("/pricing").text
    assert "Prices are without tax. The payment page adds the tax and shows the total before you pay." in prices
    assert f"form-action 'self' {processor.url};" in page.headers["Content-Security-Policy"]
    order, answer = buy(visitor, page)
    assert answer.status_code == 303 and answer.headers["Location"].startswith(f"{processor.url}/c/pay/"), answer
    processor.pay(processor.session_of(order))
    page = visitor.get(f"/portal/orders/{order}")
    assert "Paid: 250 credits are in your account." in page.text
    assert "350 credits available" in visitor.get("/portal/credits").text


def test_each_page_of_a_payment_shows_that_the_key_is_a_test_key(visitor, processor):
    order, _ = buy(visitor)
    processor.pay(processor.session_of(order))
    for path in ("/portal/credits", f"/portal/orders/{order}", f"/portal/orders/{order}/receipt"):
        assert "TEST: no money moves" in visitor.get(path).text, path
    assert "TEST" not in visitor.get("/portal").text


def test_a_receipt_shows_foreign_text_unchanged(visitor, processor):
    order, _ = buy(visitor)
    session = processor.session_of(order)
    processor.pay(session)
    processor.twist(session, customer_details={"name": "<b>Bobby</b>", "email": "b@example.com",
                                               "address": {"country": "IE"}})
    visitor.get(f"/portal/orders/{order}")
    page = visitor.get(f"/portal/orders/{order}/receipt")
    assert "Seller Tollgate Ltd 1 Gate Road Dublin" in page.text
    assert "<b>Bobby</b> b@example.com IE" in page.text
    assert "250 Tollgate credits (Starter) 5.00 USD" in page.text
    assert page.link("Receipt from Stripe").startswith("https://")


def test_a_page_that_does_not_open_is_tried_again_as_the_same_order(visitor, processor):
    processor.be("create", stripe.DROPS_BEFORE)
    order, page = buy(visitor)
    assert page.status_code == 400 and page.errors == [NOT_OPENED], page
    assert "awaiting payment Try again Cancel" in page.text
    processor.be("create", "")
    again, answer = buy(visitor, page)
    assert again == order and answer.status_code == 303, answer
    assert len(visitor.get("/portal/credits").table("Orders")) == 1


def test_an_order_whose_page_did_not_open_is_paid_from_the_list(visitor, processor):
    processor.be("create", stripe.DROPS_BEFORE)
    order, page = buy(visitor)
    refused = visitor.submit(page.form(f"/portal/orders/{order}/pay"), follow=False)
    assert refused.status_code == 400 and refused.errors == [NOT_OPENED], refused
    processor.be("create", "")
    answer = visitor.submit(refused.form(f"/portal/orders/{order}/pay"), follow=False)
    assert answer.headers["Location"].startswith(processor.url), answer


def test_an_order_that_the_processor_rejects_is_closed(visitor, processor):
    processor.be("create", 401)
    order, page = buy(visitor)
    assert page.status_code == 400 and page.errors == [NOT_OPENED], page
    [row] = page.table("Orders")
    assert row["Status"] == "TEST payment failed", row
    processor.be("create", "")
    again, answer = buy(visitor, page)
    assert again != order and answer.status_code == 303, answer


def test_an_order_is_also_cancelled_at_the_processor(visitor, processor):
    order, _ = buy(visitor)
    page = visitor.get(f"/portal/orders/{order}")
    visitor.submit(page.form(f"/portal/orders/{order}/cancel"))
    wait_for(lambda: "The order was cancelled. Nothing was charged." in visitor.get(f"/portal/orders/{order}").text,
             WAIT_S, "a cancelled order, which the portal's worker may be reading just then")
    assert processor.sessions[processor.session_of(order)]["status"] == stripe.EXPIRED


def test_each_call_has_a_price_in_money(visitor):
    """With credits of the cheapest pack, 5,000 for 39.00 USD."""
    page = visitor.get("/pricing")
    cells = [cell for cell in page.root.all("td") if cell.get("data-label") == "From"]
    prices = {row.one("a").text: [cell.text for cell in row.all("td")][2:] for row in page.root.all("tr")
              if any(cell in cells for cell in row.all("td"))}
    assert len(prices) == len(cells) == len(CONTRACTS)
    for tool, contract in CONTRACTS.items():
        assert prices[contract["title"]] == [str(contract["credits"]), f"{contract['credits'] * 0.78:.2f} ¢"], tool


def test_without_a_processor_nothing_is_sold(own_stack):
    site = Site.of(own_stack(gateways=1, daemons=0, portals=1, settings={"payments.provider": "none"}))
    visitor = Member(site, credits=3).sign_in()
    page = visitor.get("/portal/credits")
    assert NOT_HERE in page.text and "Buy 250 credits" not in page.text
    assert "Credits" not in [a.text for a in page.root.one("header").all("a")]
    mark = dict(page.forms[0].sent())["csrf"]
    refused = visitor.post("/portal/credits/buy", {"csrf": mark, "pack": "1",
                                                   "order": "0198c0de-7a3b-7c11-9f00-5d2e8a4b1c9d"})
    assert refused.status_code == 400 and refused.errors == [NOT_HERE], refused
    for path in ("/", "/pricing"):
        assert "5.00 USD" not in visitor.get(path).text and "From" not in visitor.get(path).text, path
    assert "3 credits are left." in visitor.get("/portal").text and "Buy" not in visitor.get("/portal").text


def documents(shop, order):
    with shop.connect() as connection, connection.cursor() as cursor:
        cursor.execute("select invoice_id::text, kind, total, tax, name from invoice where order_id = %s order by step",
                       (order,))
        return cursor.fetchall()


def test_an_invoice_has_the_tax_of_the_processor(shop, processor):
    """Its details come from the payment page, and a later refund gives the tax back."""
    visitor = Member(shop, credits=100, name="Jane Doe").sign_in()
    order, _ = buy(visitor)
    session = processor.session_of(order)
    processor.tax(session, 23, name="Acme Ltd", address={"country": "IE", "city": "Cork", "line1": "Road 1"},
                  tax_ids=[{"type": "eu_vat", "value": "IE7654321AB"}])
    processor.pay(session)
    text = visitor.get(f"/portal/orders/{order}").text
    assert "Paid: 250 credits are in your account." in text and "Amount 6.15 USD" in text
    assert "250 6.15 USD TEST paid" in visitor.get("/portal/credits").text
    text = visitor.get(f"/portal/orders/{order}/receipt").text
    assert "250 Tollgate credits (Starter) 5.00 USD Tax 1.15 USD Paid 6.15 USD" in text
    [(ident, *_)] = wait_for(lambda: [row for row in documents(shop, order) if row[4]], WAIT_S, "its number")
    text = visitor.get(f"/portal/invoices/{ident}").text
    for words in ("Seller Tollgate Ltd 1 Gate Road Dublin Tax number: IE1234567AB",
                  "Buyer Acme Ltd Road 1 Cork Ireland EU VAT number: IE7654321AB", "Paid with Stripe, visa 4242",
                  "250 Tollgate credits 1 5.00 USD 5.00 USD VAT 23 % 1.15 USD Total, paid 6.15 USD",
                  "Thank you for the purchase.", "TEST: no money moves"):
        assert words in text, (words, text)
    assert 'value="Acme Ltd"' in visitor.get("/portal/billing").answer.body.decode()
    processor.refund(session, 100)
    shop.tollctl("order", "refresh", order)
    wait_for(lambda: len(documents(shop, order)) == 2, WAIT_S, "the credit note")
    assert [row[1:4] for row in documents(shop, order)] == [("invoice", 615, 115), ("credit_note", 100, 19)]


@pytest.mark.parametrize("reason, words", [
    ("reverse_charge", "Reverse charge: the buyer owes the tax."),
    ("customer_exempt", "Exempt from tax: the buyer is exempt."), ("product_exempt", "Exempt from tax.")])
def test_an_invoice_says_why_there_is_no_tax(shop, processor, reason, words):
    visitor = Member(shop).sign_in()
    order, _ = buy(visitor)
    session = processor.session_of(order)
    processor.tax(session, 0, reason)
    processor.pay(session)
    visitor.get(f"/portal/orders/{order}")
    [(ident, *_)] = wait_for(lambda: documents(shop, order), WAIT_S, "the invoice")
    assert words in visitor.get(f"/portal/invoices/{ident}").text


DETAILS = {"company": "Acme GmbH", "line1": "Weg 1", "city": "Berlin", "country": "DE", "tax_type": "eu_vat"}
REGISTER = {
    "pending": "The register has not answered yet. It is asked each hour, for three days.",
    "verified": "The tax number is in the register.",
    "unverified": "The tax number is not in the register. Correct it, or ask your tax office.",
    "unavailable": "The register did not answer for three days, or has no answer.",
    "malformed": "The tax number is not in the register. Correct it, or ask your tax office.",
}


def enter_number(visitor, number):
    page = visitor.get("/portal/billing")
    assert "Its format is checked, and the register of the EU, the UK or Australia is asked." in page.text
    visitor.submit(page.form("/portal/billing"), **DETAILS, tax_id=number)


@pytest.mark.parametrize("state", REGISTER)
def test_a_tax_number_in_its_register(visitor, processor, state):
    processor.registers["DE123456789"] = state
    enter_number(visitor, "DE123456789")
    asked = "customer" if state == "malformed" else "tax_ids"
    wait_for(lambda: asked in [name for name, *_ in processor.requests], WAIT_S, "the register is asked")
    wait_for(lambda: REGISTER[state] in visitor.get("/portal/billing").text, WAIT_S, "the page has the answer")
    said = {words for words in REGISTER.values() if words in visitor.get("/portal/billing").text}
    assert said == {REGISTER[state]}
    processor.requests.clear()


def test_a_processor_that_fails_leaves_a_number_pending(visitor, processor, shop):
    """The customer that it made without a response is found by the same key an hour later."""
    processor.be("customer", stripe.DROPS_AFTER, 1)
    enter_number(visitor, "DE111111111")
    wait_for(lambda: "customer" in [name for name, *_ in processor.requests], WAIT_S, "the register is asked")
    assert REGISTER["pending"] in visitor.get("/portal/billing").text
    connection = shop.connect()
    connection.cursor().execute("update tax_check set next_at = now() where next_at is not null")
    connection.close()
    processor.registers["DE111111111"] = "verified"
    wait_for(lambda: REGISTER["verified"] in visitor.get("/portal/billing").text, WAIT_S, "the page has the answer")
    assert [number["value"] for number in processor.customers.values()].count("DE111111111") == 1
