"""tests/api/test_invoices.py - billing details, invoices and credit notes in the database
(gateway/sql/011-invoices.sql): what each change of an order's money writes, and numbers without a
gap."""

import json
import random
import threading

import psycopg2
import pytest

from kit.database.buyers import account, portal, shop  # noqa: F401 - fixtures
from kit.database.buyers import Account, in_background, wait_for_a_waiter
from kit.database.orders import PACKS, Portal, new_id, paid
from kit.database.scratch import cluster, migrated, new_database  # noqa: F401 - fixtures

DAY, YEAR = 86400, 366 * 86400
SELLER = {"lines": ["Tollgate Ltd", "Dublin"], "tax_id": "IE1234567FA"}
ACME = {"company": "Acme GmbH", "line1": "Weg 1", "city": "Berlin", "country": "DE", "tax_type": "eu_vat",
        "tax_id": "DE123456789"}


def documents(portal, order, *columns):
    """Each document of an order: kind and reason, total and tax, or these columns."""
    return portal.sql(f"select {', '.join(columns or ('kind', 'reason', 'total', 'tax'))} from invoice"
                      " where order_id = %s order by step", order)


def issue(portal, series="INV", limit=100, seller=None):
    return portal.one("select cardinality(invoice_issue(%s, %s, %s))", series, json.dumps(seller or SELLER), limit)


def names(portal, order):
    return [name for name, in documents(portal, order, "name")]


def details(portal, account, **changes):
    assert portal.one("select billing_save(%s, %s)", account.session(), json.dumps(ACME | changes)) is True


# -- documents follow the money --


def test_a_paid_order_has_one_invoice(portal, account):
    order = portal.order(account)
    number = portal.begin(account, order)
    assert documents(portal, order) == []
    for _ in range(2):  # the response to the first one was lost
        assert portal.apply(account, order, number, paid(order)) == "paid"
    portal.read(account, order, paid(order))
    assert documents(portal, order) == [("invoice", "paid", 1500, 0)]


INVOICE = ("invoice", "paid", 1500, 0)


@pytest.mark.parametrize("reads, want", [
    ([{"refunded": 500}], [INVOICE, ("credit_note", "refunded", 500, 0)]),
    ([{"refunded": 500}, {"refunded": 500}, {"refunded": 1500}],
     [INVOICE, ("credit_note", "refunded", 500, 0), ("credit_note", "refunded", 1000, 0)]),
    ([{"refunded": 1500}, {"refunded": 1000}],
     [INVOICE, ("credit_note", "refunded", 1500, 0), ("invoice", "restored", 500, 0)]),
    ([{"disputed": 1500}], [INVOICE]),  # open: it may be won
    ([{"disputed": 1500, "lost": 0}, {"disputed": 1500, "lost": 1500}],
     [INVOICE, ("credit_note", "refunded", 1500, 0)]),
    ([{"disputed": 1500, "lost": 1500}, {"disputed": 1500}],  # facts that do not say
     [INVOICE, ("credit_note", "refunded", 1500, 0)]),
    ([{"disputed": 1500, "lost": 1500}, {"disputed": 0, "lost": 0}],
     [INVOICE, ("credit_note", "refunded", 1500, 0), ("invoice", "restored", 1500, 0)]),
    ([{"refunded": 1000, "disputed": 1500, "lost": 1500}], [INVOICE, ("credit_note", "refunded", 1500, 0)]),
])
def test_documents_follow_the_money(portal, account, reads, want):
    order = portal.buy(account)
    for facts in reads:
        portal.read(account, order, paid(order, **facts))
    assert documents(portal, order) == want


def test_an_order_that_was_refunded_before_it_was_read(portal, account):
    order = portal.order(account)
    portal.read(account, order, paid(order, refunded=1500))
    assert documents(portal, order) == [INVOICE, ("credit_note", "refunded", 1500, 0)]


def test_the_tax_of_parts_adds_up(portal, account):
    """100 of 1,785 with 285 tax is 15.97, rounded as a sum."""
    order = portal.order(account)
    taxes = [{"name": "VAT", "percent": "19", "amount": 285}]
    facts = paid(order, amount=1785, tax=285, taxes=taxes)
    portal.read(account, order, facts)
    for refunded in (100, 200, 300, 1784, 1785):
        portal.read(account, order, facts | {"refunded": refunded})
    assert documents(portal, order, "total", "tax", "net") == [
        (1785, 285, 1500), (100, 16, 84), (100, 16, 84), (100, 16, 84), (1484, 237, 1247), (1, 0, 1)]
    assert documents(portal, order, "taxes")[0] == (taxes,)


def test_facts_that_change_the_tax_later_change_no_document(portal, account):
    order = portal.order(account)
    portal.read(account, order, paid(order, amount=1785, tax=285))
    portal.read(account, order, paid(order, amount=1785, tax=0))
    assert documents(portal, order, "total", "tax") == [(1785, 285)]


def test_orders_that_are_not_paid_have_no_document(portal, account):
    review, free = portal.order(account, pack=1), portal.order(account, pack=2)
    portal.read(account, review, paid(review, price=500, currency="EUR"))
    portal.read(account, free, paid(free, paid="no_payment_required", amount=0, discount=1500))
    assert documents(portal, review) == documents(portal, free) == []


def test_an_accepted_order_has_the_invoice_of_what_was_paid(portal, shop, account):
    order = portal.order(account)
    portal.read(account, order, paid(order, currency="EUR", amount=1400))
    shop.sql("select order_decide(%s, %s, true, 'x', 'op')", account, order, role="tollgate_operator")
    assert documents(portal, order, "total", "currency") == [(1400, "EUR")]


def test_an_order_that_was_accepted_unread_gets_its_invoice_with_the_money(portal, shop, account):
    order = portal.order(account)
    portal.event(order=order)
    portal.sql("select payment_missed(%s, %s, %s, 'x')", account, order, portal.begin(account, order))
    portal.at(4 * DAY)
    portal.sql("select payment_missed(%s, %s, %s, 'x')", account, order, portal.begin(account, order))
    shop.sql("select order_decide(%s, %s, true, 'x', 'op')", account, order, role="tollgate_operator")
    assert portal.row(order, "state", "total") == ("paid", 0) and documents(portal, order) == []
    portal.read(account, order, paid(order))
    assert documents(portal, order) == [INVOICE]


@pytest.mark.parametrize("code, price", [("JPY", 1500), ("EUR", 1500), ("KWD", 15000), ("KWD", 10)])
def test_amounts_are_minor_units_of_any_currency(new_database, migrated, code, price):
    database = new_database(migrated._name)
    buyer = Account(database)
    database.sql("insert into pack (pack_id, name, credits, price_cents, currency) values (9, 'x', 100, %s, %s)",
                 price, code, role="postgres")
    with Portal(database) as portal:
        order = portal.order(buyer, pack=9)
        portal.read(buyer, order, paid(order, amount=price, currency=code))
        portal.read(buyer, order, paid(order, amount=price, currency=code, refunded=price // 3))
        assert documents(portal, order, "total", "currency") == [(price, code), (price // 3, code)]
    assert database.ask("verify", "--whole")["ok"]


# -- the buyer --


def test_an_invoice_has_the_details_of_its_day(portal, account):
    details(portal, account)
    first = portal.buy(account, pack=1)
    details(portal, account, company="Acme AG")
    details(portal, account, company="Acme AG")  # no new version
    second = portal.buy(account, pack=1)
    [(version, buyer)] = documents(portal, first, "version", "buyer")
    assert version == 1 and buyer == ACME | {"name": "Ada", "email": account.email}
    [(version, buyer)] = documents(portal, second, "version", "buyer")
    assert version == 2 and buyer["company"] == "Acme AG"
    assert portal.one("select billing_save(%s, '{}')", account.session()) is True
    third = portal.buy(account, pack=1)
    assert documents(portal, third, "version", "buyer") == [(3, {"name": "Ada", "email": account.email})]


def test_details_that_the_payment_page_collected_are_a_new_version(portal, account):
    details(portal, account, reference="PO 7")
    order = portal.order(account)
    told = {"company": "Acme SARL", "line1": "Rue 1", "country": "FR"}
    portal.read(account, order, paid(order, receipt={"billing": told}))
    [(version, buyer)] = documents(portal, order, "version", "buyer")
    assert version == 2 and buyer == told | {"reference": "PO 7", "name": "Ada", "email": account.email}


@pytest.mark.parametrize("told", [
    {"company": "x" * 201}, {"country": "Ger"}, {"tax_id": "1"}, {"company": "a\nb"}, {"company": {"a": 1}}, [], "x"])
def test_a_payment_never_fails_because_of_details(portal, account, told):
    order = portal.order(account)
    assert portal.read(account, order, paid(order, receipt={"billing": told})) == "paid"
    [(buyer,)] = documents(portal, order, "buyer")
    assert buyer["name"] == "Ada" and documents(portal, order) == [INVOICE]


@pytest.mark.parametrize("wrong", [
    {"company": ""}, {"company": "x" * 201}, {"line2": "a\nb"}, {"city": "a\u0007"}, {"country": "Germany"},
    {"country": "de"}, {"tax_id": None}, {"tax_type": None}, {"tax_type": "<b>"}, {"reference": "x" * 61}])
def test_the_database_refuses_details_that_no_form_lets_through(portal, account, wrong):
    session = account.session()
    with pytest.raises(psycopg2.Error):
        portal.one("select billing_save(%s, %s)", session, json.dumps(ACME | wrong))


def test_details_belong_to_a_session(portal, account):
    assert portal.one("select billing_save(%s, %s)", new_id(), json.dumps(ACME)) is False
    assert portal.one("select invoice_correct(%s, %s)", new_id(), new_id()) == "none"


# -- numbers --


def test_numbers_rise_and_series_are_apart(portal, shop, account):
    issue(portal)
    [(year,)] = portal.sql("select to_char(ledger_now() at time zone 'UTC', 'YYYY')")
    first, second = portal.buy(account, pack=1), portal.buy(account, pack=1)
    test = portal.order(account, pack=1, provider="test")
    portal.read(account, test, paid(test, price=500, is_test=True))
    portal.read(account, second, paid(second, price=500, refunded=100))
    assert issue(portal) == 4 and issue(portal) == 0
    [one], [two, note], [dry] = (names(portal, order) for order in (first, second, test))
    at = int(one.rsplit("-", 1)[1])
    assert (one, two) == (f"INV-{year}-{at:06}", f"INV-{year}-{at + 1:06}")
    assert note.startswith(f"CN-{year}-") and dry.startswith(f"TEST-{year}-")
    assert documents(portal, first, "seller") == [(SELLER,)]


def test_each_year_begins_with_one(portal, account):
    order = portal.buy(account)
    portal.at(YEAR)
    issue(portal)
    [(year,)] = portal.sql("select to_char(ledger_now() at time zone 'UTC', 'YYYY')")
    assert names(portal, order) == [f"INV-{year}-000001"]


def test_a_clock_that_goes_back_dates_no_document_before_the_last(portal, account):
    orders = []
    for shift in (2 * YEAR + 100, 2 * YEAR):
        orders.append(portal.buy(account, pack=1))
        portal.at(shift)
        issue(portal)
        portal.at(0)
    [(first,)], [(second,)] = (documents(portal, order, "issued_at") for order in orders)
    assert first == second


def test_a_clock_that_goes_back_dates_no_credit_note_before_its_invoice(portal, account):
    order = portal.buy(account)
    portal.at(3 * YEAR)
    issue(portal)
    portal.at(0)
    portal.read(account, order, paid(order, refunded=1))
    issue(portal)
    [(invoice, first), (note, second)] = documents(portal, order, "name", "issued_at")
    assert first == second and invoice.split("-")[1] == note.split("-")[1]


def test_a_rollback_leaves_no_gap(portal, shop, account):
    order = portal.buy(account)
    with Portal(shop) as dying:
        dying.connection.autocommit = False
        assert issue(dying) == 1
        assert names(dying, order)[0]
        dying.connection.rollback()
    assert names(portal, order) == [None]
    other = portal.buy(account, pack=1)
    assert issue(portal) == 2
    numbers = [int(name.rsplit("-", 1)[1]) for name in names(portal, order) + names(portal, other)]
    assert numbers[1] == numbers[0] + 1


def test_a_portal_that_dies_leaves_no_gap(portal, shop, account):
    """Its connection closes in the middle of a transaction."""
    order = portal.buy(account)
    dying = Portal(shop)
    dying.connection.autocommit = False
    assert issue(dying) == 1
    taken = names(dying, order)
    shop.sql("select pg_terminate_backend(%s)", dying.connection.get_backend_pid(), role="postgres")
    assert issue(portal) == 1 and names(portal, order) == taken


def test_two_portals_wait_for_each_other(portal, shop, account):
    order = portal.buy(account)
    with Portal(shop) as first:
        first.connection.autocommit = False
        assert issue(first) == 1
        done, thread = in_background(shop, issue)
        wait_for_a_waiter(portal)
        first.connection.commit()
    thread.join(10)
    assert done == [0] and len(names(portal, order)) == 1


def test_money_does_not_wait_for_numbers(portal, shop, account):
    order = portal.buy(account, pack=1)
    with Portal(shop) as numbering:
        numbering.connection.autocommit = False
        assert issue(numbering) == 1
        portal.sql("set lock_timeout = '2s'")
        bought = portal.buy(account, pack=2)
        portal.read(account, order, paid(order, price=500, refunded=500))
        numbering.connection.commit()
    assert documents(portal, bought) == [INVOICE] and len(documents(portal, order)) == 2


@pytest.mark.parametrize("series", ["", "inv", "CN", "TEST", "INV-2026", "ABCDEFGHIJKLM", "A\n"])
def test_series_that_no_invoice_may_have(portal, series):
    with pytest.raises(psycopg2.errors.RaiseException):
        issue(portal, series)


def test_races_of_two_portals(shop, portal):
    """Payments, refunds and numbers at once, with rollbacks: no gap, no double."""
    rng = random.Random(7)
    buyers = [Account(shop) for _ in range(4)]
    plans = [[rng.randrange(1 << 30) for _ in range(25)] for _ in buyers]

    def buy(buyer, seeds):
        with Portal(shop) as mine:
            for seed in seeds:
                order = mine.buy(buyer, pack=1)
                if seed % 2:
                    mine.read(buyer, order, paid(order, price=500, refunded=1 + seed % 500))

    def number(is_done):
        with Portal(shop) as mine:
            mine.connection.autocommit = False
            turn = 0
            while not is_done.is_set() or issue(mine):
                issue(mine, limit=3)
                turn += 1
                mine.connection.rollback() if turn % 3 == 0 and not is_done.is_set() else mine.connection.commit()

    is_done = threading.Event()
    numbering = [threading.Thread(target=number, args=(is_done,)) for _ in range(2)]
    buying = [threading.Thread(target=buy, args=pair) for pair in zip(buyers, plans)]
    for thread in numbering + buying:
        thread.start()
    for thread in buying:
        thread.join()
    is_done.set()
    for thread in numbering:
        thread.join()
    assert portal.one("select count(*) from invoice where account_id = any (%s::uuid[]) and name is not null",
                      [str(buyer) for buyer in buyers]) == 100 + sum(seed % 2 for plan in plans for seed in plan)
    assert shop.ask("verify")["ok"]


# -- corrections --


def test_a_correction_is_a_credit_note_and_an_invoice(portal, account):
    details(portal, account, company="Acme Gmbh")
    order = portal.buy(account)
    [(invoice,)] = documents(portal, order, "invoice_id")
    details(portal, account)
    session = account.session()
    correct = lambda ident: portal.one("select invoice_correct(%s, %s)", session, ident)  # noqa: E731
    assert correct(invoice) == "early"
    issue(portal)
    assert correct(invoice) == "done" and correct(invoice) == "changed"
    assert documents(portal, order) == [INVOICE, ("credit_note", "corrected", 1500, 0),
                                        ("invoice", "corrected", 1500, 0)]
    companies = [buyer["company"] for buyer, in documents(portal, order, "buyer")]
    assert companies == ["Acme Gmbh", "Acme Gmbh", "Acme GmbH"]
    assert [refers for refers, in documents(portal, order, "refers_to")] == [None, invoice, invoice]
    portal.read(account, order, paid(order, refunded=500))
    newest = documents(portal, order, "invoice_id")[2][0]
    assert documents(portal, order, "kind", "reason", "total", "refers_to")[3] == ("credit_note", "refunded", 500, newest)


def latest(portal, order):
    """The invoice in force."""
    return [ident for ident, kind, reason in documents(portal, order, "invoice_id", "kind", "reason")
            if kind == "invoice" and reason in ("paid", "corrected")][-1]


def test_what_cannot_be_corrected(portal, shop, account):
    details(portal, account)
    order = portal.buy(account)
    issue(portal)
    [(first,)] = documents(portal, order, "invoice_id")
    session = account.session()
    correct = lambda ident: portal.one("select invoice_correct(%s, %s)", session, ident)  # noqa: E731
    assert correct(new_id()) == "none" and correct(first) == "same"
    details(portal, account, country="FR", tax_type="eu_vat", tax_id="FR12345678901")
    assert correct(first) == "country"
    other = Account(shop)
    assert portal.one("select invoice_correct(%s, %s)", other.session(), first) == "none"
    ident = first
    for count in range(3):
        details(portal, account, line1=f"Weg {count + 2}")
        assert correct(ident) == "done"
        issue(portal)
        ident = documents(portal, order, "invoice_id")[-1][0]
    details(portal, account)
    assert correct(ident) == "many"


def test_an_invoice_is_corrected_for_sixty_days_and_while_a_part_of_it_is_paid(portal, shop, account):
    order, refunded = portal.buy(account), portal.buy(account, pack=1)
    issue(portal)
    portal.read(account, refunded, paid(refunded, price=500, refunded=500))
    details(portal, account)  # there were none: a country may be added
    [(ident,)], [(whole,), _] = documents(portal, order, "invoice_id"), documents(portal, refunded, "invoice_id")
    session = account.session()
    shop.sql("update session set seen_at = now() + interval '60 days', expires_at = now() + interval '61 days'"
             " where session_id = %s", session)
    portal.at(60 * DAY + 60)
    assert portal.one("select invoice_correct(%s, %s)", session, ident) == "late"
    portal.at(60 * DAY - 60)
    assert portal.one("select invoice_correct(%s, %s)", session, whole) == "refunded"
    assert portal.one("select invoice_correct(%s, %s)", session, ident) == "done"


# Each step: the amounts that the processor shows from then on, or a correction.
REFUND = [{"refunded": 500}, {"refunded": 900}, {"refunded": 1785}]
SEQUENCES = {
    "a part": [{"refunded": 500}, "correct"],
    "part, part, all": [REFUND[0], "correct", REFUND[1], "correct", REFUND[2]],
    "parts, then corrected": [REFUND[0], REFUND[1], "correct", REFUND[2]],
    "corrected, then all": ["correct", REFUND[2]],
    "corrected twice between parts": [REFUND[0], "correct", "correct", REFUND[1], REFUND[2]],
    "the refund fails": [REFUND[0], {"refunded": 0}, "correct"],
    "the refund fails after the correction": [REFUND[0], "correct", {"refunded": 0}, REFUND[2]],
    "an open dispute": [REFUND[0], {"refunded": 500, "disputed": 1285}, "correct"],
    "a dispute is lost": [REFUND[0], "correct", {"refunded": 500, "disputed": 1285, "lost": 1285}],
    "a dispute is lost, the appeal won": [REFUND[0], {"refunded": 500, "disputed": 1285, "lost": 1285},
                                          {"refunded": 500, "lost": 0}, "correct", REFUND[2] | {"lost": 0}],
    "all is disputed after a part": [REFUND[0], "correct", {"refunded": 500, "disputed": 1785, "lost": 1785}],
}


def correct_details(portal, account, session, order, turn):
    details(portal, account, line1=f"Weg {turn}")
    issue(portal)
    assert portal.one("select invoice_correct(%s, %s)", session, latest(portal, order)) == "done"


def check_families(portal, order, returned):
    """An invoice and what refers to it: one that was replaced adds up to 0, the newest to what is
    paid, and no credit note gives back more than is left of its invoice."""
    left, newest = {}, latest(portal, order)
    for ident, kind, reason, refers, total, tax in documents(portal, order, "invoice_id", "kind", "reason", "refers_to",
                                                             "total", "tax"):
        family = ident if kind == "invoice" and reason != "restored" else refers
        sign = 1 if kind == "invoice" else -1
        left[family] = [mine + sign * more for mine, more in zip(left.get(family, (0, 0)), (total, tax))]
        assert min(left[family]) >= 0, left
    assert left.pop(newest) == [1785 - returned, 285 - round(285 * returned / 1785)], left
    assert set(map(tuple, left.values())) <= {(0, 0)}, left


@pytest.mark.parametrize("steps", SEQUENCES.values(), ids=SEQUENCES)
def test_corrections_among_refunds_and_disputes(portal, shop, account, steps):
    order = portal.order(account)
    facts = {"amount": 1785, "tax": 285}
    portal.read(account, order, paid(order, **facts))
    session, returned = account.session(), 0
    for turn, step in enumerate(steps):
        if step == "correct":
            correct_details(portal, account, session, order, turn)
        else:
            portal.read(account, order, paid(order, **facts, **step))
            returned = min(1785, step["refunded"] + step.get("lost", 0))
        check_families(portal, order, returned)
    assert shop.ask("verify")["ok"]


def test_random_sequences_of_corrections_refunds_and_disputes(portal, shop):
    for seed in range(40):
        rng, buyer = random.Random(seed), Account(shop)
        order, session = portal.order(buyer), buyer.session()
        portal.read(buyer, order, paid(order, amount=1785, tax=285))
        returned = corrected = 0
        for turn in range(8):
            if rng.random() < 0.4 and corrected < 3 and returned < 1785:
                correct_details(portal, buyer, session, order, turn)
                corrected += 1
            else:
                refunded, lost = rng.choice((0, 1, 100, 1784, 1785)), rng.choice((0, 0, 5, 1785))
                portal.read(buyer, order, paid(order, amount=1785, tax=285, refunded=refunded, disputed=lost, lost=lost))
                returned = min(1785, refunded + lost)
            check_families(portal, order, returned)
    assert shop.ask("verify")["ok"]


def test_a_correction_keeps_the_tax_number_of_a_buyer_who_owes_the_tax(portal, account):
    details(portal, account)
    order = portal.order(account)
    portal.read(account, order, paid(order, taxes=[{"amount": 0, "reason": "reverse_charge"}]))
    issue(portal)
    [(ident,)] = documents(portal, order, "invoice_id")
    without = {name: value for name, value in ACME.items() if not name.startswith("tax")}
    session = account.session()
    portal.one("select billing_save(%s, %s)", session, json.dumps(without))
    assert portal.one("select invoice_correct(%s, %s)", session, ident) == "tax_id"
    details(portal, account, tax_id="DE987654321")
    assert portal.one("select invoice_correct(%s, %s)", session, ident) == "done"


def test_two_corrections_at_once(portal, shop, account):
    order = portal.buy(account)
    issue(portal)
    details(portal, account)
    [(ident,)] = documents(portal, order, "invoice_id")
    session = account.session()
    with Portal(shop) as first:
        first.connection.autocommit = False
        assert first.one("select invoice_correct(%s, %s)", session, ident) == "done"
        outcome, thread = in_background(shop, lambda it: it.one("select invoice_correct(%s, %s)", session, ident))
        wait_for_a_waiter(portal)
        first.connection.commit()
    thread.join(10)
    assert outcome == ["changed"] and len(documents(portal, order)) == 3


# -- documents are final --


@pytest.mark.parametrize("statement", [
    "update invoice set total = total + 1, net = net + 1", "update invoice set name = 'X'", "delete from invoice",
    "truncate invoice", "update invoice set buyer = '{}'", "update billing_version set company = 'X'",
    "delete from billing_version"])
def test_nobody_changes_a_document(portal, shop, account, statement):
    details(portal, account)
    portal.buy(account)
    issue(portal)
    with pytest.raises(psycopg2.errors.RaiseException):
        shop.sql(statement, role="postgres")


def test_the_roles_write_no_documents(shop):
    for role in ("tollgate_portal", "tollgate_operator", "tollgate_gateway"):
        for statement in ("update invoice set tax = 0", "delete from invoice", "delete from invoice_number",
                          "update invoice_series set next = 1", "delete from billing_version",
                          "select invoice_settle(o) from purchase_order o"):
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                shop.sql(statement, role=role)


def test_invoices_outlive_their_account(portal, shop, account):
    details(portal, account, company="Old")
    details(portal, account)
    order = portal.buy(account)
    details(portal, account, company="Unused")
    issue(portal)
    account.state("closed")
    assert portal.sql("select version, company from billing_version where account_id = %s", account) == [
        (2, "Acme GmbH")]
    assert documents(portal, order) == [INVOICE]


# -- skipped numbers, verify --


def test_skipped_numbers(portal, shop, account):
    skip = lambda number: shop.sql("select invoice_skip_to('SKIP-2026', %s, 'op')", number,  # noqa: E731
                                   role="tollgate_operator")
    assert skip(5) == [(True,)] and skip(5) == [(False,)] and skip(4) == [(False,)] and skip(9) == [(True,)]
    assert shop.sql("select first, next from invoice_skip where series = 'SKIP-2026' order by 1") == [(1, 5), (5, 9)]
    assert shop.ask("verify")["ok"]


DAMAGES = [
    "delete from invoice where step = 1", "delete from invoice where step = 0",
    "update invoice set tax = 1, net = net - 1", "update invoice set total = total + 1, net = net + 1 where step = 0",
    "update invoice set number = number + 1", "update invoice set name = 'INV-1'",
    "delete from invoice_number where series ^@ 'CN'", "update invoice_series set next = next + 1",
    "update invoice set step = 5, reason = 'refunded', refers_to = invoice_id where step = 1",
    "update invoice_number set issued_at = now() - interval '1 day' where number = 2",
    "update purchase_order set state = 'failed', reversed = 0",
]
VERIFY = ("select invariant from ledger_verify('00000000-0000-0000-0000-000000000000',"
          " 'ffffffff-ffff-ffff-ffff-ffffffffffff', true) union select invariant from ledger_verify_all()")


def test_verify_finds(new_database, migrated):
    database = new_database(migrated._name)
    buyer = Account(database)
    with Portal(database) as portal, Portal(database, "postgres") as damaging:
        for _ in range(2):
            order = portal.buy(buyer)
            portal.read(buyer, order, paid(order, refunded=500))
        issue(portal)
        assert damaging.sql(VERIFY) == [] and database.ask("verify")["ok"]
        damaging.connection.autocommit = False
        for damage in DAMAGES:
            damaging.sql("set local session_replication_role = replica")
            damaging.sql(damage)
            assert (15,) in damaging.sql(VERIFY), damage
            damaging.connection.rollback()


# -- invoices by email --


def add_email(portal, session, name, link=None, sends=True):
    link = link or new_id()
    outcome = portal.one("select billing_email_add(%s, %s, %s, %s, %s)", session, link, f"{name}@x.test", f"{name}@x.test", sends)
    return outcome, link


def test_an_address_is_confirmed_by_its_newest_link(portal, account):
    session = account.session()
    (outcome, first), (again, second) = add_email(portal, session, "books"), add_email(portal, session, "books")
    assert (outcome, again) == ("done", "done")
    assert portal.one("select billing_email_confirm(%s)", first) == "used"
    assert portal.one("select billing_email_confirm(%s)", second) == "done"
    assert portal.one("select billing_email_confirm(%s)", second) == "used"
    assert add_email(portal, session, "books")[0] == "same"
    assert portal.one("select billing_email_confirm(%s)", new_id()) == "used"


def test_three_addresses_and_only_of_the_session(portal, shop, account):
    session, other = account.session(), Account(shop)
    links = [add_email(portal, session, name) for name in ("a", "b", "c")]
    assert [outcome for outcome, _ in links] == ["done"] * 3 and add_email(portal, session, "d")[0] == "many"
    assert add_email(portal, session, "a")[0] == "done"
    assert portal.one("select billing_email_remove(%s, %s)", other.session(), links[1][1]) is False
    assert portal.one("select billing_email_remove(%s, %s)", session, links[1][1]) is True
    assert portal.one("select billing_email_confirm(%s)", links[1][1]) == "used"
    assert add_email(portal, session, "d")[0] == "done"
    assert add_email(portal, new_id(), "e")[0] == "none"
    assert portal.one("select billing_email_remove(%s, %s)", new_id(), links[2][1]) is False


def test_a_link_for_invoices_expires(portal, account):
    session = account.session()
    _, link = add_email(portal, session, "late")
    portal.at(7 * DAY + 1)
    assert portal.one("select billing_email_confirm(%s)", link) == "used"


def test_a_mailbox_over_its_limit_gets_nothing(portal, account):
    _, link = add_email(portal, account.session(), "full", sends=False)
    assert portal.sql("select template from mail where link_id = %s", link) == [("none",)]


def test_a_closed_account_sends_no_invoices(portal, account):
    add_email(portal, account.session(), "books")
    account.state("closed")
    assert portal.sql("select from billing_email where account_id = %s", account) == []
