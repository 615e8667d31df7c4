"""tests/api/portal/test_own_portals.py - invalid paths and forms; too many sign-ins at once;
portals with another configuration, without a database or a mail server; and one that dies."""

import collections
import http.client
import itertools
import os
import re
import resource
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

import pytest

from kit.client import Answer
from kit.apps.app import App
from kit.portal.buckets import Buckets
from kit.apps.documents import HOST as DOCUMENTS
from kit.apps.documents import DocumentApp
from kit.portal.entry import at_once, forget, guess, link_to, sign_up
from kit.portal.member import PASSWORD, Member, fresh_email
from kit.portal.table import Cast
from kit.portal.visitor import Visitor
from part import wait_for
from ports import Ports

PORTS = Ports()
SESSION = "__Host-session"
OTHER = "seven umbrellas in a yellow field"
USED = "This link was already used or has expired. Request a new one."


@pytest.fixture(scope="module")
def cast(site, ledger):
    return Cast(site, ledger)


@pytest.fixture
def member(site):
    return Member(site)


def test_unknown_pages(site, member):
    for visitor in (Visitor(site), member.sign_in()):
        page = visitor.get("/portal/no-such-page")
        assert page.status_code == 404 and "This page does not exist, or it belongs to another account." in page.text
        page = visitor.post("/pricing", {})
        assert page.status_code == 405 and "This page does not support this method." in page.text
        assert page.headers["Allow"] == "GET, HEAD"


def test_a_form_that_is_too_large(site):
    visitor = Visitor(site)
    page = visitor.submit(visitor.get("/portal/sign-up").form("/portal/sign-up"), email="x" * 65536)
    assert page.status_code == 413 and "The form must have at most 65,536 bytes. Shorten it and send it again." in page.text
    assert visitor.get("/portal/sign-up").status_code == 200


def forwarded(address="192.0.2.7", scheme="https"):
    """The headers of the edge."""
    return {"X-Forwarded-For": address, "X-Forwarded-Proto": scheme}


class OwnPortal:
    """A portal on the stack's database with other settings, called without the edge."""

    def __init__(self, site, settings, program="portal/tollgate-portal", environment=()):
        self.site = site
        self._address = ("127.0.2.9", PORTS.reserve())
        program = Path(site.tollctl_program).parents[1] / program
        own = {"portal.listen": "127.0.2.9:%d" % self._address[1], "portal.admin": f"127.0.2.9:{PORTS.reserve()}",
               "gateway.drain_delay_ms": "0"} | settings
        self.admin = own["portal.admin"]
        self.process = subprocess.Popen(
            [program, "--config", site.config], stdout=subprocess.DEVNULL,
            env=os.environ | dict(environment) | {
                "TOLLGATE_" + key.upper().replace(".", "_"): value for key, value in own.items()})
        wait_for(lambda: self.ask("GET", "/portal/sign-in") is not None, 20, "the portal answers")

    def ask(self, method, path, body=None, headers=None):
        """An Answer; None if the portal is not there."""
        line = http.client.HTTPConnection(*self._address, timeout=30)
        try:
            line.request(method, path, body, forwarded() if headers is None else headers)
            answer = line.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        except OSError:
            return None
        finally:
            line.close()

    def submit(self, path, address="192.0.2.7", **fields):
        """The form of a page, filled in by a fresh browser."""
        return self.send(path, self.ask("GET", path, None, forwarded(address)), address, **fields)

    def send(self, path, page, address, **fields):
        """The form of this page."""
        mark = re.search(r'name="csrf" value="([^"]+)"', page.body.decode())[1]
        return self.ask("POST", path, urlencode({"csrf": mark} | fields), forwarded(address) | {
            "Origin": self.site.base_url, "Cookie": page.headers["Set-Cookie"].split(";")[0],
            "Content-Type": "application/x-www-form-urlencoded"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(30) == 0


@pytest.mark.parametrize("enabled, policy, status", [("false", "same-origin", 404), ("true", "unsafe-none", 303)])
def test_apps_only_if_they_are_enabled(site, enabled, policy, status):
    with OwnPortal(site, {"oauth.enabled": enabled}) as portal:
        assert portal.ask("GET", "/portal/sign-in").headers["Cross-Origin-Opener-Policy"] == policy
        for path in ("/oauth/authorize", "/oauth/authorize/", "/portal/connect", "/portal/connect/"):
            assert (path, portal.ask("GET", path).status_code) == (path, status)
        assert ("/portal/connect" in portal.ask("GET", "/tools").body.decode()) is (enabled == "true")
        metadata = portal.ask("GET", "/.well-known/oauth-authorization-server")
        assert metadata.status_code == (200 if enabled == "true" else 404)


@pytest.mark.parametrize("hosts, listed, registered", [("", 200, 200), (DOCUMENTS, 200, 400),
                                                       (f"{DOCUMENTS},app.example.com", 200, 400),
                                                       (f"www.{DOCUMENTS}", 400, 400)])
def test_only_listed_apps_are_admitted(site, member, hosts, listed, registered):
    cookies = "; ".join(f"{name}={value}" for name, value in member.sign_in().cookies.items())
    with OwnPortal(site, {"oauth.enabled": "true", "oauth.client_hosts": hosts}) as portal:
        for app, status in ((DocumentApp(site), listed), (App(site), registered)):
            assert portal.ask("GET", app.authorize_url(), None, forwarded() | {"Cookie": cookies}).status_code == status
        metadata = portal.ask("GET", "/.well-known/oauth-authorization-server").json()
        assert ("registration_endpoint" in metadata) is (hosts == "")
        assert portal.ask("POST", "/oauth/register", "{}").status_code == (400 if hosts == "" else 404)


def test_too_many_sign_ins_at_once_are_rejected(site):
    """On a busy machine even all: a hash may take longer than a sign-in waits."""
    with OwnPortal(site, {"portal.password_hash_concurrency": "1"}) as portal:
        answers = at_once(40, lambda i: portal.submit(
            "/portal/sign-in", f"192.0.2.{i}", email=fresh_email("flood"), password="wrong"))
    busy = [answer for answer in answers if answer.status_code == 503]
    assert busy and {answer.status_code for answer in answers} <= {403, 503}
    for answer in busy:
        assert answer.headers["Retry-After"] == "2"
        assert "Too many people are signing in. Try again in 2 seconds." in answer.body.decode()


def test_too_many_confirmations_at_once_are_rejected(site):
    """As sign-ins are. Ten for each session, which is the limit of attempts."""
    visitors = [Member(site).sign_in() for _ in range(4)]
    pages = [visitor.get("/portal/account").form("/portal/account/email") for visitor in visitors]

    def confirm(portal, number):
        cookies = "; ".join(f"{name}={value}" for name, value in visitors[number].cookies.items())
        fields = [*pages[number].filled({"email": fresh_email("new")}), ("confirm_password", "wrong")]
        return portal.ask("POST", "/portal/account/email", urlencode(fields), forwarded() | {
            "Origin": site.base_url, "Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"})
    with OwnPortal(site, {"portal.password_hash_concurrency": "1"}) as portal:
        answers = at_once(40, lambda i: confirm(portal, i % 4))
    busy = [answer for answer in answers if answer.status_code == 503]
    assert busy and {answer.status_code for answer in answers} <= {403, 503}
    for answer in busy:
        check_says(answer, 503, "This is not available at the moment. Try again in a few seconds.")
        assert answer.headers["Retry-After"] == "2"


class Flood:
    """20 clients of two networks that guess without a pause until the end of the block."""

    CLIENTS, NETWORKS = 20, 2

    def __init__(self, portal):
        self._portal, self._end = portal, threading.Event()
        self._page = portal.ask("GET", "/portal/sign-in", None, forwarded())
        self.statuses = [collections.Counter() for _ in range(self.CLIENTS)]
        self._threads = [threading.Thread(target=self._guess_on, args=(number,)) for number in range(self.CLIENTS)]

    def _guess_on(self, number):
        for guesses in itertools.count():
            if self._end.is_set():
                break
            host = number // self.NETWORKS * 25 + guesses // 15 % 25 + 1  # below the limit of an address
            answer = self._portal.send("/portal/sign-in", self._page, f"198.18.{number % self.NETWORKS}.{host}",
                                       email=fresh_email("flood"), password="wrong")
            self.statuses[number][answer.status_code] += 1

    def rejected(self):
        return sum(each[503] for each in self.statuses)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        for thread in self._threads:
            thread.join()


def test_a_person_signs_in_during_a_flood(site):
    """On a new device, from another network, within a few attempts: on a busy machine, a hash that
    runs may take longer than a sign-in waits. Meanwhile the flood's guesses are rejected by the
    hundred."""
    person, attempts = Member(site), 0
    with OwnPortal(site, {"portal.password_hash_concurrency": "1"}) as portal, Flood(portal) as flood:
        wait_for(lambda: flood.rejected() > 5 * flood.CLIENTS, 120, "the flood is there")
        is_in = False
        while not is_in and attempts < 5:
            attempts += 1
            is_in = portal.submit("/portal/sign-in", "198.51.100.1", email=person.email,
                                  password=PASSWORD).status_code == 303
        assert is_in, flood.statuses


def test_a_rejected_sign_in_costs_the_database_nothing(site, ledger):
    """A guess without a place leaves no attempt in the buckets; one that was hashed does."""
    def guess_once(portal, address):
        email, begin = fresh_email("flood"), time.monotonic()
        answer = portal.submit("/portal/sign-in", address, email=email, password="wrong")
        return email, answer.status_code, time.monotonic() - begin < 5  # the timeout of a wait for a place
    guesses, hashed, sent_away, address = [], [], [], itertools.count(1)
    with OwnPortal(site, {"portal.password_hash_concurrency": "1"}) as portal:
        while not (hashed and sent_away) and len(guesses) < 2000:  # on a busy machine few hashes end in time
            host = next(address)
            guesses += sum(at_once(40, lambda i: [guess_once(portal, f"198.19.{host}.{i}") for _ in range(5)]), [])
            hashed = [email for email, status, _ in guesses if status == 403]
            sent_away = [email for email, status, is_early in guesses if status == 503 and is_early]
    buckets = Buckets(site, ledger)
    assert hashed and sent_away
    assert all(buckets.know("sign-in email", email) for email in hashed)
    assert not any(buckets.know("sign-in email", email) for email in sent_away)


def test_a_portal_that_dies_when_the_account_is_made(site, cast, ledger):
    """kill -9 between the commit and the response: there is one account, with its grant, and its
    owner signs in."""
    email = fresh_email("died")
    sign_up(Visitor(site), email)
    path = link_to(cast, email, "confirm")
    with OwnPortal(site, {}, "tests/faults/tollgate-portal-faults", {"FAULT_POINT": "account-made:1"}) as portal:
        assert portal.submit(path, name="Jane", password=PASSWORD) is None
        assert portal.process.wait(30) == -signal.SIGKILL
    visitor = Visitor(site)
    page = visitor.get(path)
    assert page.status_code == 400 and USED in page.text
    assert guess(visitor, email, PASSWORD).status_code == 303
    assert ledger.rows("select count(*), sum(granted) from member join account_balance using (account_id)"
                       " where email = %s", email) == [(1, 100)]


def check_says(answer, status, words):
    assert answer.status_code == status and words in answer.body.decode(), answer


def check_closed(portal, words):
    answer = portal.ask("GET", "/portal/sign-up")
    check_says(answer, 200, words)
    assert b"<form" not in answer.body


def test_where_sign_up_is_closed(site):
    with OwnPortal(site, {"portal.signup": "closed"}) as portal:
        check_closed(portal, "Sign-up is closed on this server.")
        check_edge(portal)
        check_memory(portal, site)


def check_edge(portal):
    """Requests that did not come through the edge, or are incomplete."""
    check_says(portal.ask("GET", "/portal/sign-in", None, forwarded(scheme="http")), 403,
               "This site is served over HTTPS only.")
    for headers in ({}, {"X-Forwarded-For": "192.0.2.7"}, forwarded("x")):
        check_says(portal.ask("GET", "/portal/sign-in", None, headers), 400, "The request is malformed.")
    check_says(portal.ask("POST", "/portal/sign-in", "half", forwarded() | {"Content-Length": "5"}), 400,
               "The form did not arrive completely. Send it again.")


def check_memory(portal, site):
    """Without memory for a hash, no password changes."""
    member = Member(site)
    forget(Visitor(site), member.email)
    path = link_to(Cast(site, None), member.email, "reset")
    used = int(re.search(r"VmSize:\s+(\d+)", Path(f"/proc/{portal.process.pid}/status").read_text())[1]) << 10
    resource.prlimit(portal.process.pid, resource.RLIMIT_AS, (used + (32 << 20), resource.RLIM_INFINITY))
    check_says(portal.submit(path, password=OTHER), 500, "An internal error occurred. Try again.")
    member.sign_in()


def test_an_app_keeps_its_tokens_while_the_database_is_down(site):
    """SDKs drop their tokens at any other answer. The metric is the one of OAuthTokenErrors."""
    visitor, app = Member(site).sign_in(), App(site)
    app.finish(visitor, app.consent_page(visitor))
    with OwnPortal(site, {"portal.db_url": "host=/nowhere dbname=tollgate"}) as portal:
        answer = portal.ask("POST", "/oauth/token", urlencode({
            "grant_type": "refresh_token", "client_id": app.client_id, "refresh_token": app.tokens["refresh_token"]}),
            forwarded() | {"Content-Type": "application/x-www-form-urlencoded"})
        with urllib.request.urlopen(f"http://{portal.admin}/metrics", timeout=30) as metrics:
            text = metrics.read().decode()
    assert (answer.status_code, answer.json()["error"]) == (503, "temporarily_unavailable")
    assert 'tollgate_oauth_requests_total{step="token",outcome="unavailable"} 1' in text
    assert "tollgate_oauth_replays_total 0" in text
    assert app.refresh().status_code == 200


def test_a_portal_without_its_database(site):
    with OwnPortal(site, {"portal.db_url": "host=/nowhere dbname=tollgate"}) as portal:
        assert portal.ask("GET", "/portal/sign-up").status_code == 200  # pages without a hash still work
        check_says(portal.ask("GET", "/portal", None, forwarded() | {"Cookie": f"{SESSION}={'A' * 43}"}), 503,
                   "This is not available at the moment. Try again in a few seconds.")
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(f"http://{portal.admin}/readyz", timeout=10)
        assert refusal.value.code == 503 and b"the database does not respond" in refusal.value.read()


def test_where_no_mail_is_sent(site):
    with OwnPortal(site, {"mail.url": ""}) as portal:
        check_closed(portal, "This server does not send email. Ask help@example.com for an account.")


@pytest.mark.parametrize("settings, key", [
    ({"portal.signup": "maybe"}, "portal.signup"),
    ({"oauth.client_hosts": "app.example.com,https://app.example.com"}, "oauth.client_hosts: https://app.example.com"),
    ({"oauth.client_hosts": "App.example.com"}, "oauth.client_hosts: App.example.com"),
    ({"portal.threads": "8"}, "portal.threads"),
    ({"portal.secret_file": "/dev/null"}, "portal.secret_file"),
    ({"portal.disposable_file": "/nowhere"}, "/nowhere"),
    ({"portal.files_dir": "/nowhere"}, "/nowhere"),
    ({"gateway.public_url": "http://api.example.com"}, "gateway.public_url"),
])
def test_a_bad_configuration_is_named_and_stops_the_start(site, settings, key):
    program = Path(site.tollctl_program).parents[1] / "portal" / "tollgate-portal"
    own = {"TOLLGATE_" + name.upper().replace(".", "_"): value for name, value in settings.items()}
    done = subprocess.run([program, "--config", site.config], env=os.environ | own, capture_output=True, text=True,
                          timeout=30, check=False)
    assert done.returncode == 78 and key in done.stderr


@pytest.mark.parametrize("path, to", [("/portal/", "/portal"), ("/portal/usage/", "/portal/usage"), ("/tools/", "/tools"),
                                      ("/tools/hash-generate/", "/tools/hash-generate"), ("/portal//", None),
                                      ("/portal/nothing/", None), ("/portal/sign-out/", None)])
def test_a_slash_too_many(site, path, to):
    answer = Visitor(site).get(path, follow=False)
    assert (answer.status_code, answer.headers["Location"]) == ((303, to) if to else (404, None)), answer
