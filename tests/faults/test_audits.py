"""tests/faults/test_audits.py - website-audit, which consists of subjobs. Whatever process dies in
the middle, the result is a partial report or a free failure, and never a wait without end."""

import concurrent.futures
import tempfile
import time

import pytest

from kit.client import Client
from kit.operators.collector import Collector
from kit.load import SETTINGS, metric
from kit.site import Ledger, Site
from kit.world import World
from part import slowness, wait_for

pytestmark = pytest.mark.xdist_group("audits")

TOOL = "website-audit"
SLOTS = 64  # of svc-reports/main.c
SLOW = {"url": "https://drip.slowhost.net/", "sections": ["security_headers", "seo", "technologies"]}
BUDGET_S = 27


@pytest.fixture(scope="module")
def world():
    world = World(tempfile.mkdtemp(prefix="tollgate-audits-"))
    with world:
        yield world
    world.remove()


@pytest.fixture(scope="module")
def collector():
    with Collector() as collector:
        yield collector
        collector.shutdown()


@pytest.fixture(scope="module")
def stack(world, own_stack, collector):
    return own_stack(settings=world.settings | SETTINGS | {
        "gateway.threads": 1024, "traces.url": collector.url, "traces.sample_per_million": 1000000})


@pytest.fixture
def site(stack, world):
    return Site.of(stack, world)


@pytest.fixture
def account(site):
    return site.open_account(1_000_000, limits_off=True)


def charged(site, account):
    connection = site.connect()
    try:
        return Ledger(connection).charged(account)
    finally:
        connection.close()


class Asked:
    """One running audit."""

    def __init__(self, site, account, request):
        self._pool = concurrent.futures.ThreadPoolExecutor(1)
        self._begun = time.monotonic()
        self._answer = self._pool.submit(Client(site).call, account, TOOL, request)

    def answer(self):
        answer = self._answer.result(60)
        self._pool.shutdown()
        self.seconds = time.monotonic() - self._begun
        return answer


def subjobs(stack):
    return metric(stack, "gateway-1", "tollgate_subjobs_total")


def audits(stack):
    return metric(stack, "svc-reports-1", "tollgate_jobs_running")


def begin(stack, site, account, request, count):
    """An audit that has requested this many subjobs."""
    before = subjobs(stack)
    asked = Asked(site, account, request)
    wait_for(lambda: subjobs(stack) >= before + count, 10, f"{count} parts were asked for")
    return asked


def spans_of_subjobs(collector, answer, count):
    trace = answer.headers["traceparent"][3:35]

    def found():
        return [span for span in list(collector.spans) if span["traceId"] == trace and span["name"] == "sub-job"]

    wait_for(lambda: len(found()) == count, 30, f"{count} spans of subjobs")
    return found()


def test_subjobs_are_in_the_trace(stack, site, account, collector):
    """Each is a span inside the audit's span, with its own tool."""
    before = subjobs(stack)
    answer = Client(site).call(account, TOOL, {"url": "https://example.com/"})
    assert answer.status_code == 200, answer
    spans = spans_of_subjobs(collector, answer, int(subjobs(stack) - before))
    assert {span["parentSpanId"] for span in spans} == {answer.headers["traceparent"][36:52]}
    tools = [span["attributes"]["tool"] for span in spans]
    assert len(tools) > 5 and TOOL not in tools and {"tls-check", "dns-lookup"} <= set(tools), tools
    assert not any("status" in span or "error.type" in span["attributes"] for span in spans)


def test_the_scanners_are_killed(stack, site, account, collector):
    """Their running subjobs are missing in the report, and failures in the trace; the next worker
    repeats those that may run twice."""
    before = subjobs(stack)
    scanners = stack.parts["svc-security-1"]
    scanners.freeze()
    asked = begin(stack, site, account, {"url": "https://example.com/"}, 5)
    scanners.kill()
    stack.start_part("svc-security-1")
    answer = asked.answer()
    assert answer.status_code == 200, answer
    parts = {name: part["status"] for name, part in answer.result["sections"].items()}
    assert {parts[name] for name in ("email", "performance", "carbon", "dns")} == {"ok"}, parts
    assert {parts[name] for name in ("security_headers", "tls", "seo")} == {"failed"}, parts
    assert answer.result["sections"]["tls"]["error"]["code"] == "worker_lost"
    assert answer.result["partial"] is True
    assert charged(site, account) == 20
    spans = spans_of_subjobs(collector, answer, int(subjobs(stack) - before))
    failed = {span["attributes"]["tool"]: span["status"] for span in spans if span["attributes"].get("error.type") == "worker_lost"}
    assert failed == dict.fromkeys(("security-headers", "tls-check", "seo-analyze"), {"code": 2})


def test_all_parts_are_lost(stack, site, account):
    asked = begin(stack, site, account, SLOW, 3)
    stack.parts["svc-security-1"].kill()
    stack.start_part("svc-security-1")
    answer = asked.answer()
    assert (answer.status_code, answer.codes) == (503, ["worker_lost"]), answer
    assert asked.seconds < BUDGET_S * slowness()
    assert charged(site, account) == 0


def test_the_reports_are_killed(stack, site, account):
    asked = begin(stack, site, account, SLOW, 3)
    stack.parts["svc-reports-1"].kill()
    answer = asked.answer()
    assert (answer.status_code, answer.codes) == (503, ["worker_lost"]), answer
    assert charged(site, account) == 0
    stack.start_part("svc-reports-1")
    again = Client(site).call(account, TOOL, {"url": "https://example.com/", "sections": ["tls"]})
    assert again.status_code == 200, again
    assert charged(site, account) == 20


def test_the_gateway_is_killed(stack, site, account, books):
    """Its audits have no gateway left to ask or to reply to: they end soon, and nothing is
    charged."""
    asked = begin(stack, site, account, SLOW, 3)
    assert audits(stack) == 1
    stack.parts["gateway-1"].kill()
    assert asked.answer().status_code in (502, 503)
    wait_for(lambda: audits(stack) == 0, 10, "the audit has ended")
    stack.start_part("gateway-1")
    books.wait_until_nothing_is_held(2 * BUDGET_S)
    assert charged(site, account) == 0
    stack.tollctl("verify")


def test_as_many_audits_as_there_are_slots_and_more(stack, site, account):
    """Parents wait in separate slots, so that their subjobs always find one. A call without a slot
    in time gets an error."""
    request = {"url": "https://example.com/", "sections": ["tls", "dns", "email"]}
    with concurrent.futures.ThreadPoolExecutor(SLOTS + 16) as pool:
        asked = [pool.submit(Client(site).call, account, TOOL, request) for _ in range(SLOTS + 16)]
        answers = [one.result() for one in asked]
    answered = [answer for answer in answers if answer.status_code == 200]
    refused = [answer.codes for answer in answers if answer.status_code != 200]
    assert len(answered) >= SLOTS and refused == [["overloaded"]] * len(refused), refused
    assert {answer.result["partial"] for answer in answered} == {False}
    assert charged(site, account) == 20 * len(answered)
    stack.tollctl("verify")
