"""tests/api/portal/test_app_pages.py - the consent page of connected apps where a visitor takes
another way: signs up on it, sends a form again, has 50 apps."""

import pytest

from kit.apps.app import App, connect_apps
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


def test_the_same_form_with_other_values(app, visitor, member, ledger):
    page = app.consent_page(visitor)
    code = app.answer_of(app.agree(visitor, page, cap_daily="9"))["code"]
    answer = app.agree(visitor, page, cap_daily="3")
    assert answer.status_code == 400
    assert "You sent this form before, with other values. Check it and send it again." in answer.text
    assert ledger.rows("select cap_daily from oauth_code where account_id = %s", member.account) == [(9,)]
    again = app.answer_of(app.agree(visitor, answer, cap_daily="3"))["code"]
    assert again != code
    assert sorted(ledger.rows("select cap_daily from oauth_code where account_id = %s", member.account)) == [(3,), (9,)]


def test_the_same_form_after_the_exchange(app, visitor):
    page = app.consent_page(visitor)
    app.finish(visitor, page)
    assert app.agree(visitor, page).h1 == "Connected"
    answer = app.agree(visitor, page, cap_daily="3")
    assert answer.status_code == 400 and "with other values" in answer.text


def test_fifty_other_apps(app, visitor, member, ledger):
    connect_apps(ledger, member, 50)
    page = app.consent_page(visitor)
    assert "50 apps are connected, which is the limit." in page.text
    assert not [form for form in page.forms if form.action == "/oauth/authorize"]
    assert "/portal/security#apps" in [a.get("href") for a in page.main.all("a")]


def test_fifty_apps_and_this_is_one(app, visitor, member, ledger):
    app.finish(visitor, app.consent_page(visitor))
    connect_apps(ledger, member, 49)
    page = app.consent_page(visitor)
    assert "A new connection" not in page.text and "Update “A test app”" in page.text
    app.finish(visitor, page)
    assert app.rpc("ping").status_code == 200


def test_an_app_chooses_no_banner(app, visitor):
    page = visitor.get(app.authorize_url(done="two-factor-off"))
    assert page.status_code == 200 and "Two-factor sign-in is off." not in page.text
    assert "Two-factor sign-in is off." in visitor.get("/portal/security?done=two-factor-off").text


@pytest.mark.parametrize("method, path, allow", [
    ("GET", "/oauth/token", "POST"), ("GET", "/oauth/revoke", "POST"), ("HEAD", "/oauth/register", "POST"),
    ("POST", "/.well-known/oauth-authorization-server", "GET, HEAD")])
def test_a_wrong_method_of_a_program(app, method, path, allow):
    answer = app.request(method, path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, allow)
    assert answer.headers["Content-Type"] == "application/json" and "Set-Cookie" not in answer.headers
    assert method == "HEAD" or answer.json()["error"] == "invalid_request"


def test_a_wrong_method_of_a_page(app):
    answer = app.request("POST", "/pricing")
    assert answer.status_code == 405 and answer.headers["Content-Type"].startswith("text/html")
