"""tests/compose/test_members.py - two portals in containers: rolled, killed, and all stopped, while
members read pages. Runs between test_compose.py and test_operations.py, on their stack."""

import threading
from collections import Counter

import pytest
from containers import CALLS, PORTAL_ADMIN_PORT, first
from kit.client import Client
from kit.portal.member import Member
from kit.portal.visitor import Visitor
from part import wait_for

ROLL, RELOAD = "deploy/docker/roll", "deploy/docker/reload"
READERS = 4
PAGES = ("/portal", "/portal/security", "/tools", "/portal/usage")
GOOD = {(200, True)}


class Readers:
    """Members who are signed in and open pages without a pause."""

    def __init__(self, member):
        self._visitors = [member.sign_in() for _ in range(READERS)]
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(visitor,), daemon=True)
                         for visitor in self._visitors]
        self.had = Counter()     # (status, still signed in)
        self.problems = []

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        self.wait_for_pages(20)
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.wait_for_pages(20)
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def saw(self):
        """All results of pages, and the errors of those without a response."""
        return {*self.had, *self.problems}

    def wait_for_pages(self, count):
        wanted = sum(self.had.values()) + count
        wait_for(lambda: self.problems or sum(self.had.values()) >= wanted, 60, "more pages")

    def _read(self, visitor):
        while not self._ends.is_set():
            for path in PAGES:
                try:
                    page = visitor.get(path)
                except (OSError, AssertionError) as problem:
                    self.problems.append(f"{path}: {problem!r}")
                    return
                self.had[page.status_code, b"Sign out" in page.body if hasattr(page, "body") else
                         "Sign out" in page.text] += 1


@pytest.fixture(scope="module")
def member(stack, site):
    stack.scale(portal=2)
    return Member(site)


def test_a_session_is_good_at_each_portal(stack, member):
    before = answered(stack)
    with Readers(member) as readers:
        wait_for(lambda: all(count > before[portal] + 10 for portal, count in answered(stack).items()), 60,
                 "both have answered")
    assert readers.saw() == GOOD


def answered(stack):
    """{portal: number of its responses}"""
    return {portal: stack.metrics(portal, PORTAL_ADMIN_PORT)["tollgate_http_responses_total"] for portal in stack.ids("portal")}


def test_an_admin_port_of_a_portal_is_for_the_edge_and_prometheus(stack):
    address = stack.address(first(stack, "portal"), "outside")
    assert not stack.ask(first(stack, "svc-ai"), address, PORTAL_ADMIN_PORT, "/metrics")
    assert not stack.ask(first(stack, "svc-ai"), address, 8082, "/")


def test_portals_are_rolled(stack, member):
    before = set(stack.ids("portal"))
    with Readers(member) as readers:
        readers.wait_for_pages(20)
        stack.run_script(ROLL, "portal")
    assert readers.saw() == GOOD
    assert not before & set(stack.ids("portal"))


def test_a_portal_is_killed(stack, member):
    """Readers do not notice: the edge uses the other portal."""
    with Readers(member) as readers:
        readers.wait_for_pages(20)
        stack.crash(first(stack, "portal"))
        readers.wait_for_pages(40)
    assert readers.saw() == GOOD
    stack.wait_healthy("portal")


def test_rotate_the_portals_secret(stack, member):
    """Existing sessions, forms and links stay valid."""
    visitor = member.sign_in()
    page = visitor.get("/portal/account")
    secret = stack.execute(first(stack, "portal"), "cat", "/run/tollgate/portal.secret")[1]
    with Readers(member) as readers:
        stack.compose("run", "--rm", "init", "rotate", "portal")
        stack.run_script(RELOAD, "portal")
        waiting = stack.execute(first(stack, "portal"), "cat", "/run/tollgate/portal.secret")[1].split()
        stack.compose("run", "--rm", "init", "activate", "portal")
        stack.run_script(RELOAD, "portal")
    assert readers.saw() == GOOD
    lines = stack.execute(first(stack, "portal"), "cat", "/run/tollgate/portal.secret")[1].split()
    assert lines[1:] == secret.split() and len(set(lines)) == 2
    assert waiting == lines[::-1]
    answer = visitor.submit(page.form("/portal/account/name"), name="Jane Roe")
    assert answer.status_code == 200 and ("name", "Jane Roe") in answer.form("/portal/account/name").sent()
    for _ in range(4):
        stack.compose("run", "--rm", "init", "rotate", "portal")
        stack.compose("run", "--rm", "init", "activate", "portal")
    kept = stack.execute(first(stack, "portal"), "cat", "/run/tollgate/portal.secret")[1].split()
    stack.compose("run", "--rm", "init", "forget", "portal")
    assert len(kept) == 4
    assert stack.execute(first(stack, "portal"), "cat", "/run/tollgate/portal.secret")[1].split() == kept[:1]


def test_without_portals_calls_are_paid(stack, site, books, member):
    account, client = site.open_account(), Client(site)
    stack.compose("stop", "portal")
    tool, request, price = CALLS["svc-utils"]
    assert client.call(account, tool, request).status_code == 200
    assert books.charged(account) == price
    line = site.connection(site.fresh_address(), 30)
    line.request("GET", "/portal")
    answer = line.getresponse()
    assert answer.status == 503 and b"This page cannot be shown now" in answer.read()
    stack.compose("start", "portal")
    stack.wait_healthy("portal")
    wait_for(lambda: Visitor(site).get("/portal/sign-in").status_code == 200, 30, "the edge finds them again")
    member.sign_in()
