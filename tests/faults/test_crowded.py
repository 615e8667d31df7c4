"""tests/faults/test_crowded.py - one svc-security with a scan in every slot, of sites that hold it
as long as they can: it stays within its memory, replies to each call, and keeps working."""

import re
import resource
import tempfile
from pathlib import Path

import pytest

from kit.client import Client
from kit.contracts import CONTRACTS
from kit.load import metric
from kit.scans import DAEMON, SLOTS, Scans, running
from kit.site import Ledger, Site
from kit.world import World
from part import slowness, wait_for

pytestmark = pytest.mark.xdist_group("crowded")

PEAK_KB = 300 * 1024
REST_KB = 150 * 1024  # by then the stacks of all threads have been used
SHELLS_FILES = 1024
BUDGET_S = {tool: contract["budget_ms"] / 1000 for tool, contract in CONTRACTS.items()}
SLOW = [("security-headers", {"url": "https://drip.slowhost.net/"}),
        ("security-headers", {"url": "http://held.slowhost.net/?60000"}),
        ("tech-detect", {"url": "https://drip.slowhost.net/"}),
        ("tech-detect", {"url": "https://held.slowhost.net/?100000"}),
        ("seo-analyze", {"url": "http://drip.slowhost.net/"}),
        ("seo-analyze", {"url": "https://held.slowhost.net/?100000"}),
        ("seo-analyze", {"url": "https://silent.slowhost.net/"}),
        ("tech-detect", {"url": "http://driphead.slowhost.net/"}),
        ("openapi-validate", {"url": "https://drip.slowhost.net/openapi.json"}),
        ("openapi-validate", {"url": "http://held.slowhost.net/?60000"}),
        ("exposed-files", {"url": "https://drip.slowhost.net/"}),
        ("tls-check", {"host": "silent.slowhost.net", "port": 8443}),
        ("subdomain-finder", {"domain": "slow.all.ct-cases.net"})]
NUMBERS = [("openapi-validate", {"url": "http://numbers.slowhost.net/?1900000"})]
LARGE = [(tool, {"url": f"http://held.slowhost.net/?{2 << 20}"})
         for tool in ("tech-detect", "seo-analyze", "security-headers", "openapi-validate")]


@pytest.fixture(scope="module")
def world():
    world = World(tempfile.mkdtemp(prefix="tollgate-crowded-"))
    with world:
        yield world
    world.remove()


@pytest.fixture(scope="module")
def stack(world, own_stack):
    """Started with the default limit of open files of a login."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(SHELLS_FILES, hard), hard))
    try:
        return own_stack(settings=world.settings)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def site(stack, world):
    return Site.of(stack, world)


@pytest.fixture
def account(site):
    return site.open_account(1_000_000, limits_off=True)


def memory_kb(stack, name):
    """VmRSS, or VmHWM: the most since forget_peak()."""
    return int(re.search(rf"{name}:\s+(\d+)", Path(f"/proc/{stack.parts[DAEMON].pid}/status").read_text())[1])


def forget_peak(stack):
    Path(f"/proc/{stack.parts[DAEMON].pid}/clear_refs").write_text("5")


def serves(stack, site, account):
    """No scan is left, and the next scan works as usual."""
    wait_for(lambda: running(stack) == 0, 30, "all scans to end")
    answer = Client(site).call(account, "tech-detect", {"url": "https://example.com/"})
    return answer.status_code == 200 and not answer.result["partial"]


def charged(site, account):
    connection = site.connect()
    try:
        return Ledger(connection).charged(account)
    finally:
        connection.close()


def test_files(stack):
    """256 scans open more files than the default soft limit; the process raises it to the hard
    limit."""
    soft, hard = resource.prlimit(stack.parts[DAEMON].pid, resource.RLIMIT_NOFILE)
    assert hard > SHELLS_FILES and soft == hard


def test_slow_sites(stack, site, account):
    """All at once, each until its site or its time ends, and each with a result of its tool."""
    forget_peak(stack)
    scans = Scans(site, account, SLOW)
    wait_for(lambda: running(stack) == SLOTS, 8, f"{SLOTS} scans at once")
    answers = scans.answers()
    slow = slowness()
    strange = [(tool, answer, seconds) for tool, answer, seconds in answers
               if answer.status_code not in (200, 502) or seconds > BUDGET_S[tool] * slow]
    assert not strange, f"{len(strange)}, the first: {strange[0]}"
    assert memory_kb(stack, "VmHWM") <= PEAK_KB
    assert charged(site, account) == 5 * sum(answer.status_code == 200 for _, answer, _ in answers)
    assert serves(stack, site, account)
    assert memory_kb(stack, "VmRSS") <= REST_KB


@pytest.mark.parametrize("requests", [LARGE, NUMBERS], ids=["pages", "documents"])
def test_too_much_at_once(stack, site, account, requests):
    """Half a gigabyte of pages, held at their last byte; documents whose trees are sixty times as
    large. A job without memory gets an error with a retry, and costs nothing; the gateway never
    takes the worker for dead. On a busy machine, all others may be late; without late ones, some
    are served."""
    forget_peak(stack)
    answers = Scans(site, account, requests).answers()
    codes = {code for _, answer, _ in answers for code in answer.codes}
    assert {"overloaded"} <= codes <= {"overloaded", "target_timeout", "deadline_exceeded"}
    paid = sum(answer.status_code == 200 for _, answer, _ in answers)
    assert paid < SLOTS and (paid or codes - {"overloaded"})
    assert memory_kb(stack, "VmHWM") <= PEAK_KB
    assert metric(stack, "gateway-1", "tollgate_workers_lost_total") == 0
    assert charged(site, account) == 5 * paid
    assert serves(stack, site, account)
    assert memory_kb(stack, "VmRSS") <= REST_KB
