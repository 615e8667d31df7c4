"""tests/api/portal/test_app_pages.py - the consent page of connected apps where a visitor takes
another way: signs up on it, sends a form again, has 50 apps."""

import pytest

from kit.portal.app import App
from kit.portal.entry import link_to
from kit.portal.member import PASSWORD, Member, fresh_email
from kit.portal.table import Cast
from kit.portal.visitor import Visitor


@pytest.fixture
def member(site):
    return Member(site)


@pytest.fixture
def visitor(member):
    return member.sign_in()


@pytest.fixture
def app(site):
    return App(site)


def sign_up(app, visitor):
    """From the app to the page after the form of a sign-up; and the address."""
    page = visitor.get(app.authorize_url())
    [link] = [a.get("href") for a in page.main.all("a") if a.text == "Sign up"]
    email = fresh_email("newcomer")
    page = visitor.get(link)
    return visitor.submit(page.form("/portal/sign-up"), email=email), email


def open_account(site, ledger, visitor, email):
    page = visitor.get(link_to(Cast(site, ledger), email, "confirm"))
    form = next(form for form in page.forms if form.action.startswith("/portal/verify/"))
    return visitor.submit(form, name="Jane Doe", password=PASSWORD)


def test_a_sign_up_in_the_middle(site, app, ledger):
    visitor = Visitor(site)
    page, email = sign_up(app, visitor)
    assert "Open the link in this browser, and you go on to connect the app." in page.text
    page = open_account(site, ledger, visitor, email)
    assert page.h1 == "Connect an app" and email in page.text
    assert "__Host-next" not in visitor.cookies  # used once
    app.finish(visitor, page)
    assert app.rpc("ping").status_code == 200


def test_a_sign_up_in_another_browser(site, app, ledger):
    page, email = sign_up(app, Visitor(site))
    assert "In another browser, connect again in the app." in page.text
    assert open_account(site, ledger, Visitor(site), email).url == "/portal"


@pytest.mark.parametrize("kept", ["", "AAAA", "L3BvcnRhbA", "aHR0cHM6Ly9ldmlsLmV4YW1wbGUuY29tLw", "x" * 4000])
def test_a_cookie_that_leads_elsewhere(site, app, ledger, kept):
    """/portal and https://evil.example.com/ are not the consent page."""
    visitor = Visitor(site)
    _, email = sign_up(app, visitor)
    visitor.cookies["__Host-next"] = kept
    assert open_account(site, ledger, visitor, email).url == "/portal"


def test_a_sign_up_of_no_app_is_as_before(site):
    visitor = Visitor(site)
    page = visitor.get("/portal/sign-in?next=/portal/usage")
    assert "/portal/sign-up" in [a.get("href") for a in page.main.all("a")]
    page = visitor.get("/portal/sign-up?next=/portal/usage")
    page = visitor.submit(page.form("/portal/sign-up"), email=fresh_email())
    assert "connect the app" not in page.text and "__Host-next" not in visitor.cookies
