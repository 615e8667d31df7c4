"""tests/api/portal/test_signup_budgets.py - sign-ups of a portal that looks up mail hosts
(portal/entry/mail-hosts.h), with budgets small enough to use up. Domains are those of
kit/world.py."""

import tempfile

import pytest

from kit.load import metric
from kit.portal.entry import sign_up
from kit.portal.mailbox import Mailbox
from kit.portal.member import PASSWORD
from kit.portal.visitor import Visitor
from kit.site import Ledger, Site
from kit.world import World
from part import wait_for

pytestmark = pytest.mark.xdist_group("signups")

WAIT_S = 60
LOOKED_UP = "select count(*) from mail where recipient ~ '@silent[.]' and attempts = 1 and error is null and state = 0"


@pytest.fixture(scope="module")
def world():
    world = World(tempfile.mkdtemp(prefix="tollgate-signups-"))
    world.start()
    yield world
    world.stop()
    world.remove()


@pytest.fixture(scope="module")
def stack(own_stack, world):
    stack = own_stack(gateways=1, daemons=0, portals=1, settings=world.settings | {"portal.signup_mx_check": "on"})
    stack.tollctl("signup", "set", "--mail-host", "2", "--network", "1000")
    return stack


@pytest.fixture(scope="module")
def site(stack):
    return Site.of(stack)


@pytest.fixture
def mailbox(site):
    return Mailbox(site.mail_directory)


@pytest.fixture(scope="module")
def books(site):
    connection = site.connect()
    yield Ledger(connection)
    connection.close()


def ask(site, email):
    page = sign_up(Visitor(site), email)
    assert page.status_code == 200 and "Check your email" in page.text, page


def enter(site, mailbox, email):
    """The first page of a new member, and the member."""
    ask(site, email)
    path = "/portal/" + mailbox.wait(email)[-1].link.split("/portal/")[1]
    visitor = Visitor(site)
    page = visitor.submit(visitor.get(path).form(path), name="Ada", password=PASSWORD)
    assert page.url == "/portal", page
    return page, visitor


def mail_of(books, email):
    return books.rows("select state, error from mail where recipient = %s order by created_at desc limit 1", email)[0]


def wait_for_mail(books, email, wanted):
    """Until the outbox has this error for the newest email to an address."""
    wait_for(lambda: wanted(*mail_of(books, email)), WAIT_S, f"an email to {email}")
    return mail_of(books, email)[1]


def test_domains_on_one_mail_host_share_its_budget(site, stack, mailbox, books):
    for email in ("a@open.harbour-mail.net", "b@harbour-tools.com"):
        page, _ = enter(site, mailbox, email)
        assert "100 available" in page.text
    page, visitor = enter(site, mailbox, "c@five.harbour-mail.net")
    words = "You get your sign-up grant of 100 credits with your first purchase"
    assert "0 available" in page.text and words in page.text and "help@example.com" in page.text
    assert words in visitor.get("/portal/credits").text
    keys = {key for key, in books.rows("select key from signup_budget where grants = 2")}
    assert "host harbour-tools.com" in keys and "domain harbour-mail.net" not in keys
    assert metric(stack, "portal-1", 'tollgate_signups_total{grant="withheld"}') == 1
    assert metric(stack, "portal-1", 'tollgate_signups_total{grant="given"}') == 2


def test_the_first_purchase_releases_the_grant(site, mailbox):
    for name in "def":
        page, visitor = enter(site, mailbox, f"{name}@harbour-tools.com")
    assert "0 available" in page.text
    page = visitor.get("/portal/credits")
    form = next(form for form in page.forms if form.action == "/portal/credits/buy")
    page = visitor.submit(form)
    page = visitor.submit(page.form(page.url), choice="pay")
    assert "Paid: 250 credits are in your account." in page.text, page
    page = visitor.get("/portal")
    assert "350 available" in page.text and "sign-up grant of" not in page.text


def test_a_mailbox_provider_has_no_budget(site, mailbox, books):
    for name in "abc":
        page, _ = enter(site, mailbox, f"{name}@gmail.com")
        assert "100 available" in page.text
    assert books.rows("select budgets from link where email = 'a@gmail.com'") == [([],)]


@pytest.mark.parametrize("domain, why", [
    ("closed.mail-cases.net", "closed.mail-cases.net"), ("empty.mail-cases.net", "neither MX records nor addresses"),
    ("no-such-domain-at-all.net", "neither MX records nor addresses"),
    ("dead-mx.mail-cases.net", "hosts do not exist")])
def test_a_domain_without_mail_gets_no_mail(site, books, domain, why):
    """The page is the same as for others."""
    ask(site, f"a@{domain}")
    error = wait_for_mail(books, f"a@{domain}", lambda state, error: state == 3)
    assert why in error
    assert books.rows("select attempts from mail where recipient = %s", f"a@{domain}") == [(1,)]


def test_an_implicit_mail_host_will_do(site, mailbox):
    page, _ = enter(site, mailbox, "a@implicit.mail-cases.net")
    assert "100 available" in page.text


def test_a_resolver_that_fails_only_delays(site, world, mailbox, books):
    email = "late@harbour-tools.com"
    world.part("named").stop()
    try:
        ask(site, email)
        assert "harbour-tools.com" in wait_for_mail(books, email, lambda state, error: error)
        assert mail_of(books, email)[0] == 0
    finally:
        world.part("named").start()
        world.part("named").wait_ready()
    books.rows("update mail set next_at = now() where recipient = %s", email)
    assert mailbox.wait(email)[-1].link


def test_a_hostile_resolver_delays_no_other_mail(site, mailbox, books):
    """Its queries last until their deadline; several wait at the same time, and a member's email
    does not wait for them."""
    for n in range(12):
        ask(site, f"u{n}@silent.fickle-name.com")
    wait_for(lambda: books.rows(LOOKED_UP)[0][0] >= 3, WAIT_S, "several to be looked up at once")
    enter(site, mailbox, "quick@implicit.mail-cases.net")
    error = wait_for_mail(books, "u0@silent.fickle-name.com", lambda state, error: error)
    assert "the DNS did not return the mail hosts of silent.fickle-name.com" in error
