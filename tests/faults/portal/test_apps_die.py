"""tests/faults/portal/test_apps_die.py - connected apps while portals die, PostgreSQL restarts, and
portals have different clocks or secrets."""

import contextlib
import http.client

import pytest

from kit.client import Answer
from kit.load import metric, restart_after_death, wait_for_death
from kit.apps.app import App
from kit.apps.app_crowd import age
from kit.portal.member import Member
from kit.portal.rotation import Rotation
from kit.portal.visitor import Visitor
from kit.site import Ledger, Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("portal-apps")

WAIT_S = 60
GONE = (502, 503)


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=1, daemons=0, portals=2)


@pytest.fixture(scope="module")
def site(stack):
    return Site.of(stack)


def wait_until_served(site):
    """By both backends of the edge, for people and for programs: each checks the portals itself."""
    wait_for(lambda: Visitor(site).get("/portal/sign-in").status_code == 200, WAIT_S, "people see a portal")
    wait_for(lambda: Visitor(site).post("/oauth/token", {}).status_code not in GONE, WAIT_S, "programs see a portal")


def wait_for_database(stack, name):
    """The page of sign-in does not need it."""
    wait_for(lambda: metric(stack, name, "tollgate_database_up") == 1, WAIT_S, "the database responds")


def start_portal(stack, site, name):
    stack.start_part(name)
    wait_until_served(site)
    wait_for_database(stack, name)


@pytest.fixture
def member(stack, site):
    """After what the test before did to portals and PostgreSQL, both portals serve again."""
    for name in ("portal-1", "portal-2"):
        wait_for_database(stack, name)
    wait_until_served(site)
    return Member(site)


@pytest.fixture
def visitor(member):
    return member.sign_in()


@pytest.fixture
def app(site):
    return App(site)


@contextlib.contextmanager
def dying(stack, site, point):
    """One portal, which dies at this point; afterwards both are back."""
    stack.parts["portal-2"].stop()
    part = stack.parts["portal-1"]
    part.stop()
    part.argv[0] = str(stack.build / "tests" / "faults" / "tollgate-portal-faults")
    part.env["FAULT_POINT"] = f"{point}:1"
    start_portal(stack, site, "portal-1")
    yield
    wait_for_death(part)
    restart_after_death(stack, "portal-1")
    wait_for_database(stack, "portal-1")
    start_portal(stack, site, "portal-2")


def rows(site, statement, member):
    connection = site.connect()
    try:
        return Ledger(connection).rows(statement, member.account)
    finally:
        connection.close()


def connections(site, member):
    return rows(site, "select state, ended_by from oauth_grant where account_id = %s order by connected_at", member)


def code_of(app, visitor):
    return app.answer_of(app.agree(visitor, app.consent_page(visitor)))["code"]


def check_busy(answer):
    """What makes SDKs keep their tokens."""
    assert answer.status_code in GONE and answer.json()["error"] == "temporarily_unavailable", answer


# -- kill -9 --


@pytest.mark.parametrize("point", ["consent-before-commit", "consent-after-commit"])
def test_a_portal_dies_in_a_consent(stack, site, member, visitor, app, point):
    page = app.consent_page(visitor)
    with dying(stack, site, point):
        assert app.agree(visitor, page).status_code in GONE
        assert rows(site, "select count(*) from oauth_code where account_id = %s", member) == [("after" in point,)]
    back = app.answer_of(app.agree(visitor, page))
    assert rows(site, "select count(*) from oauth_code where account_id = %s", member) == [(1,)]
    assert app.exchange(back["code"]).status_code == 200
    assert app.rpc("ping").status_code == 200
    assert connections(site, member) == [(1, None)]


def test_a_portal_dies_before_an_exchange_commits(stack, site, member, visitor, app):
    code = code_of(app, visitor)
    with dying(stack, site, "token-before-commit"):
        check_busy(app.exchange(code))
        assert connections(site, member) == []
    assert app.exchange(code).status_code == 200
    assert app.rpc("ping").status_code == 200
    assert connections(site, member) == [(1, None)]


def test_a_portal_dies_after_an_exchange_has_committed(stack, site, member, visitor, app):
    """A code works once, so a lost answer costs one more consent; nobody has the token."""
    code = code_of(app, visitor)
    with dying(stack, site, "token-after-commit"):
        check_busy(app.exchange(code))
        assert connections(site, member) == [(1, None)]
    again = app.exchange(code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert connections(site, member) == [(2, "replay")]
    assert app.exchange(code_of(app, visitor)).status_code == 200
    assert app.rpc("ping").status_code == 200
    assert connections(site, member) == [(2, "replay"), (1, None)]


@pytest.mark.parametrize("point", ["token-before-commit", "token-after-commit"])
def test_a_portal_dies_in_a_refresh(stack, site, member, visitor, app, point):
    app.exchange(code_of(app, visitor))
    token = app.tokens["refresh_token"]
    with dying(stack, site, point):
        check_busy(app.refresh(token))
    first, second = app.refresh(token), app.refresh(token)
    assert first.status_code == second.status_code == 200
    assert first.json()["refresh_token"] == second.json()["refresh_token"] != token
    assert app.rpc("ping").status_code == 200
    assert connections(site, member) == [(1, None)]


# -- PostgreSQL --


def answered(ask):
    """Ask until the answer is not that the server is busy."""
    answers = []

    def is_answered():
        answers.append(ask())
        return answers[-1].status_code not in GONE

    wait_for(is_answered, WAIT_S, "the portals are connected again")
    return answers[-1]


def test_postgresql_restarts_between_the_steps(stack, site, member, visitor, app):
    page = app.consent_page(visitor)
    stack.restart("postgres")
    back = app.answer_of(answered(lambda: app.agree(visitor, page)))
    stack.restart("postgres")
    assert answered(lambda: app.exchange(back["code"])).status_code == 200
    stack.restart("postgres")
    assert answered(lambda: app.rpc("ping")).status_code == 200
    assert answered(app.refresh).status_code == 200
    stack.restart("postgres")
    assert answered(lambda: app.revoke(app.tokens["refresh_token"])).status_code == 200
    assert answered(lambda: app.rpc("ping")).status_code == 401
    assert connections(site, member) == [(2, "client")]


def test_postgresql_is_away_in_the_flow(stack, site, member, visitor, app):
    page, code = app.consent_page(visitor), code_of(App(site), visitor)
    app.exchange(code_of(app, visitor))
    stack.parts["postgres"].stop()
    assert app.consent_page(visitor).status_code == 503
    assert app.agree(visitor, page).status_code == 503
    for answer in (app.exchange(code), app.refresh(), app.revoke(app.tokens["refresh_token"])):
        check_busy(answer)
        assert int(answer.headers["Retry-After"]) > 0
    stack.start_part("postgres")
    assert answered(app.refresh).status_code == 200
    assert answered(lambda: app.rpc("ping")).status_code == 200
    assert connections(site, member) == [(1, None)]


# -- clocks --

CLOCK_S = 60
SERVERS = ("gateway-1", "portal-1", "portal-2")


@pytest.fixture
def shifted(stack, site):
    """A function that sets the clocks of the servers wrong, by its argument in seconds."""
    def shift(seconds):
        for name in SERVERS:
            part = stack.parts[name]
            part.stop()
            part.env |= {"LD_PRELOAD": str(stack.build / "tests" / "faults" / "clock-shift.so"),
                         "CLOCK_SHIFT_S": str(seconds)}
            stack.start_part(name)
        wait_until_served(site)
        for name in ("portal-1", "portal-2"):
            wait_for_database(stack, name)

    yield shift
    for name in SERVERS:
        part = stack.parts[name]
        part.stop()
        del part.env["LD_PRELOAD"], part.env["CLOCK_SHIFT_S"]
        stack.start_part(name)
    wait_until_served(site)


LEFT = {  # what has half a clock's error left, or is over for so long
    "code": "update oauth_code set expires_at = now() + interval '%d s' where account_id = %%s",
    "refresh token": "update oauth_grant set refresh_until = now() + interval '%d s' where account_id = %%s",
    "access token": "update token set expires_at = now() + interval '%d s' where account_id = %%s and kind = 3",
}


@pytest.mark.parametrize("shift", [CLOCK_S, -CLOCK_S])
def test_the_clock_of_the_database_counts(site, member, visitor, app, shifted, shift):
    """A fast clock ends nothing early, a slow one nothing late."""
    shifted(shift)
    left_s = shift // 2

    def leave(what):
        rows(site, LEFT[what] % left_s, member)

    over = App(site)
    code = code_of(over, visitor)
    leave("code")
    assert over.exchange(code).status_code == (200 if shift > 0 else 400)
    assert app.exchange(code_of(app, visitor)).status_code == 200
    leave("access token")
    assert answered(lambda: app.rpc("ping")).status_code == (200 if shift > 0 else 401)
    leave("refresh token")
    assert app.refresh().status_code == (200 if shift > 0 else 400)


# -- a new secret --


class AppAt(App):
    """Sends its requests for tokens to one portal."""

    def request(self, method, path, body=None, headers=None):
        if not path.startswith("/oauth/token"):
            return super().request(method, path, body, headers)
        line = http.client.HTTPConnection(*self.portal, timeout=WAIT_S)
        try:
            line.request(method, path, body, headers | {"X-Forwarded-For": self.address, "X-Forwarded-Proto": "https"})
            response = line.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            line.close()


def give_secrets(stack, site, lines, folder):
    """Restart the portals with these lines of portal.secret."""
    for number, own in enumerate(lines, 1):
        part = stack.parts[f"portal-{number}"]
        file = folder / f"portal-{number}.secret"
        file.write_text("\n".join(own) + "\n")
        file.chmod(0o600)
        part.stop()
        part.env["TOLLGATE_PORTAL_SECRET_FILE"] = str(file)
        start_portal(stack, site, part.name)


def test_a_new_secret_at_one_portal_before_the_other(stack, site, member, visitor, tmp_path):
    """`init rotate portal`, and everywhere before `init activate portal`: no code and no token is
    lost."""
    [file] = stack.directory.rglob("portal.secret")
    rotation = Rotation(tmp_path / "init", file.read_text().split()[0])
    now, accepted, used = rotation.lines(), rotation.init("rotate", "portal"), rotation.init("activate", "portal")
    connection = site.connect()
    apps, codes, updater = [AppAt(site), AppAt(site)], [], Member(site).sign_in()
    for app, portal in zip(apps, stack.portals):
        app.portal = portal
    apps[0].exchange(code_of(apps[0], visitor))
    for lines in (now, now), (accepted, now), (accepted, accepted), (used, accepted), (used, used):
        codes.append(code_of(apps[1], updater))
        give_secrets(stack, site, lines, tmp_path)
        for portal in stack.portals:
            age(site, Ledger(connection), member)
            apps[0].portal = portal
            before = apps[0].tokens["access_token"]
            assert apps[0].refresh().status_code == 200, lines
            assert apps[0].tokens["access_token"] != before
            assert apps[0].rpc("ping").status_code == 200
        apps[1].portal = stack.portals[len(codes) % 2]
        assert apps[1].exchange(codes[-1]).status_code == 200, lines
        assert apps[1].rpc("ping").status_code == 200
    connection.close()
    for number in (1, 2):
        part = stack.parts[f"portal-{number}"]
        part.stop()
        del part.env["TOLLGATE_PORTAL_SECRET_FILE"]
        start_portal(stack, site, part.name)
