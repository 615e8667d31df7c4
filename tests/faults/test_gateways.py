"""tests/faults/test_gateways.py - two gateways spend the same credits and count the same minute;
one of them dies or leaves, or all processes are replaced in turn under load."""

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from kit.client import Client
from kit.load import BROKEN, SETTINGS, TOOL, Load, Line, check_load, metric
from kit.portal.visitor import Visitor
from kit.site import Site
from part import Budget, Failure, wait_for

pytestmark = pytest.mark.xdist_group("gateways")

CHAT = ("chatplatform-snowflake-decode", {"snowflake": "175928847299117063"})
IMAGE = "placeholder-image?width=8&height=8"
CALLS_AT_ONCE = 24
DRAIN_WAIT_MS = 6500  # three of the edge's checks, 2 s apart


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=2, daemons=2, settings=SETTINGS | {"gateway.drain_delay_ms": DRAIN_WAIT_MS, "svc.concurrency": 8})


@pytest.fixture
def accounts(stack):
    site = Site.of(stack)
    return [site.open_account(100000, limits_off=True) for _ in range(3)]


def storm(stack, calls):
    """All calls at once, each (gateway, account, tool, method) on its own connection; returns their
    responses."""
    site = Site.of(stack)
    barrier = threading.Barrier(len(calls))
    answers = [None] * len(calls)

    def run(n, gateway, account, tool, method):
        line = Line(site, stack.gateways[gateway])
        assert line.open()
        barrier.wait()
        body = '{"input":"abc"}' if method == "POST" else None
        status, headers, content = line.send(account, tool, body, method=method)
        codes = [e["code"] for e in json.loads(content)["errors"]] if status != 200 else []
        answers[n] = (status, codes, headers)
        line.close()

    threads = [threading.Thread(target=run, args=(n, *call)) for n, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def hashes(count, account):
    return [(n % 2, account, "hash-generate", "POST") for n in range(count)]


def images(count, account):
    return [(n % 2, account, IMAGE, "GET") for n in range(count)]


def count(answers, status, code=None):
    return sum(s == status and (code is None or codes == [code]) for s, codes, _ in answers)


def test_endpoint_window(stack, books):
    """30 of 64 pass, at whichever gateway; the others get Retry-After."""
    account = books.site.open_account(100)
    answers = storm(stack, hashes(64, account))
    assert count(answers, 200) == 30
    assert count(answers, 429, "rate_limited_endpoint") == 34
    assert all(58 <= int(h["Retry-After"]) <= 60 for s, _, h in answers if s == 429)
    assert books.charged(account) == 30 and books.held(account) == 0


def test_global_window(stack, books):
    """30 and 30 of two tools are the 60 of the account; its own reads count, too."""
    account = books.site.open_account(200)
    answers = storm(stack, hashes(29, account) + images(30, account))
    assert count(answers, 200) == 59
    line = Line(books.site, stack.gateways[1])
    assert line.open()
    statuses = [line.request(account, "account/credits", None, method="GET")[0] for _ in range(2)]
    line.close()
    assert statuses == [200, 429]
    answers = storm(stack, hashes(8, account))
    assert count(answers, 429, "rate_limited_global") == 8
    assert books.charged(account) == 59


# 200 hashes a day, 60 chat calls, 300 of all
PLAN = {"global_per_minute": 300, "classes": {"utility": {"endpoint_per_minute": 0, "daily_per_tool": 200},
                                              "chat": {"endpoint_per_minute": 60}}}


def planned(stack, books, name, plan=PLAN):
    """An account with a new plan."""
    account = books.site.open_account(10_000)
    books.rows("select count(*) from plan_write(%s, %s::jsonb)", name, json.dumps(plan))
    stack.tollctl("account", "plan", account.id, name, "--note", "test")
    return account


def certain(calls):
    """Of all minutes that begin with one of these calls: the most that are certainly in one."""
    return max(sum(first.begun <= call.begun and call.ended < first.begun + 60 for call in calls)
               for first in calls)


def test_limits_of_a_plan(stack, books):
    """64 clients at two gateways: 200 a day, 60 and 300 a minute, by the clients' log. They begin
    when the UTC day has more than their time left."""
    wait_for(lambda: time.time() % 86_400 < 86_400 - 150, 200, "another day")
    account = planned(stack, books, "three-limits")
    tools = ([(TOOL, {"input": "abc"})] * 230 + [CHAT] * 90 + [("password-strength", {"password": "correct horse"})] * 100)
    lines = [Line(books.site, tuple(stack.gateways[n % 2])) for n in range(64)]

    def run(n):
        assert lines[n].open()
        calls = [(tool, lines[n].call(account, tool, request)[0]) for tool, request in tools[n::64]]
        lines[n].close()
        return calls

    with ThreadPoolExecutor(64) as pool:
        calls = [call for done in pool.map(run, range(64)) for call in done]
    paid = {name: [call for tool, call in calls if tool == name and call.status == 200] for name, _ in tools}
    everything = [call for some in paid.values() for call in some]
    assert len(paid[TOOL]) <= 200 and certain(paid[CHAT[0]]) <= 60 and certain(everything) <= 300
    assert {call.codes for _, call in calls if call.status != 200} <= {
        ("daily_quota_exceeded",), ("rate_limited_endpoint",), ("rate_limited_global",)}
    took = max(call.ended for _, call in calls) - min(call.begun for _, call in calls)
    assert len(everything) == 300 or took > 60, "in one minute all of the 300 are admitted"
    assert books.charged(account) == len(everything) and books.held(account) == 0
    stack.tollctl("verify", "--account", account.id)


def test_a_plan_changes_within_the_minute(stack, books):
    """From its commit, at both gateways: raised, lowered and taken away."""
    account = planned(stack, books, "moved", {"global_per_minute": 100, "classes": {"utility": {"endpoint_per_minute": 0}}})
    assert count(storm(stack, hashes(64, account)), 200) == 64
    stack.tollctl("account", "plan", account.id, "none", "--note", "test")
    answers = storm(stack, hashes(8, account))
    assert count(answers, 429, "rate_limited_endpoint") == 8
    assert {headers["X-RateLimit-Limit"] for _, _, headers in answers} <= {"30", "60"}
    stack.tollctl("account", "plan", account.id, "moved", "--note", "test")
    time_of_rejections = 1.1  # gateway/ledger/refusals.h
    wait_for(lambda: count(storm(stack, hashes(2, account)), 200) == 2, 20 * time_of_rejections, "the plan holds")
    books.rows("select count(*) from plan_write('moved', '{\"global_per_minute\": 40}')")
    answers = storm(stack, hashes(8, account))
    assert count(answers, 429) == 8 and books.charged(account) <= 100


def test_a_gateway_dies_under_a_plan(stack, books):
    """Killed under load: the limit holds over what it had admitted, and the ledger is right."""
    account = planned(stack, books, "killed", {"global_per_minute": 300, "classes": {"utility": {"endpoint_per_minute": 0}}})
    begun = time.monotonic()
    with Load(books.site, [account], 32, stack.gateways) as load:
        load.wait_for_answers(50)
        stack.parts["gateway-2"].kill()
        load.wait_for_answers(20)
        stack.start_part("gateway-2")
        load.wait_for_answers(1, status=429)
    assert books.charged(account) <= 300 or time.monotonic() - begun > 60
    check_load(books, load, [account], {200, BROKEN, "rate_limited_global"})


def test_last_credits(stack, books):
    """64 clients that never pause drain 100 credits through both gateways: exactly 100 calls."""
    account = books.site.open_account(100, limits_off=True)
    with Load(books.site, [account], 64, stack.gateways) as load:
        load.wait_for_answers(300, status=402)
    assert load.statuses()[200] == 100
    assert books.charged(account) == 100
    check_load(books, load, [account], {200, "insufficient_credits"})


def has_slots(stack, books, accounts, slots):
    """Whether gateway-2 has this many jobs at the workers at once. They are stopped, so all calls
    pile up; the rest stays in its queue."""
    daemons = [stack.parts[f"svc-utils-{n}"] for n in (1, 2)]
    with Load(books.site, accounts, CALLS_AT_ONCE, stack.gateways[1:]) as load:
        load.wait_for_answers(10)
        for daemon in daemons:
            daemon.freeze()
        try:
            wait_for(lambda: metric(stack, "gateway-2", "tollgate_job_queue_depth") == CALLS_AT_ONCE - slots, 0.9, "queue")
            return True
        except Failure:
            return False
        finally:
            for daemon in daemons:
                daemon.thaw()


def gets_slots(stack, books, accounts, slots):
    """Whether it reaches this number within 15 s, or longer on a busy machine."""
    budget = Budget(15)
    while budget.left() > 0:
        if has_slots(stack, books, accounts, slots):
            return True
    return False


def test_slots_go_to_the_remaining_gateway(stack, books, accounts):
    """2 workers of 8 slots: 4 each for each gateway; all 16 for the one that is left, and back
    again."""
    assert gets_slots(stack, books, accounts, 8)
    stack.parts["gateway-1"].kill()
    assert gets_slots(stack, books, accounts, 16)
    stack.start_part("gateway-1")
    assert gets_slots(stack, books, accounts, 8)


def readiness(stack, name):
    """The metrics or logs of its admin port; "" if nothing listens there."""
    connection = http.client.HTTPConnection(*stack.admin[name], timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().read().decode()
    except OSError:
        return ""
    finally:
        connection.close()


def test_a_new_gateway_listens_when_each_group_has_a_worker(stack, books, accounts):
    """The edge calls a gateway that listens: no gateway does while the workers of a group are
    missing."""
    gateway, late = stack.parts["gateway-2"], [stack.parts[f"svc-chat-{n}"] for n in (1, 2)]
    assert gateway.stop() == 0
    for daemon in late:
        daemon.freeze()
    try:
        gateway.start()
        wait_for(lambda: "waiting for workers" in readiness(stack, "gateway-2"), 10, "it waits")
        wait_for(lambda: metric(stack, "gateway-2", 'tollgate_workers{group="utils"}') > 0, 4, "others have come")
        assert not Line(books.site, stack.gateways[1]).open()
    finally:
        for daemon in late:
            daemon.thaw()
    gateway.wait_ready()
    line = Line(books.site, stack.gateways[1])
    assert line.open()
    assert line.call(accounts[0], *CHAT)[0].status == 200
    line.close()


def charges_at(stack, name):
    return metric(stack, name, "tollgate_credits_charged_total")


def test_gateway_killed_under_load(stack, books, accounts):
    """Through the edge: its calls in flight get outcome_unknown; its other clients continue at the
    other gateway, as soon as the edge calls that."""
    before = charges_at(stack, "gateway-2")
    with Load(books.site, accounts, 8) as load:
        wait_for(lambda: charges_at(stack, "gateway-2") > before, 10, "the edge calls gateway-2")
        load.wait_for_answers(40)
        stack.parts["gateway-1"].kill()
        load.wait_for_answers(60)
    stack.start_part("gateway-1")
    lost = [c for c in load.calls if c.status != 200]
    assert len(lost) <= 8 and {(c.status, c.codes) for c in lost} <= {(503, ("outcome_unknown",)), (BROKEN, ())}
    # the edge's own response does not have the gateway's id: to the books it is a broken call
    load.calls[:] = [c if c.status == 200 else type(c)(c.account, BROKEN, "", (), False, c.begun, c.seconds)
                      for c in load.calls]
    check_load(books, load, accounts, {200, BROKEN})


@pytest.mark.parametrize("name", ["gateway-1", "svc-utils-1"])
def test_drained_directly_under_load(stack, books, accounts, name):
    """SIGTERM: running calls are finished, answered and settled. Clients that, unlike the edge,
    keep calling a draining gateway are rejected or disconnected, and are not charged."""
    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(40)
        part = stack.parts[name]
        assert part.stop() == 0
        load.wait_for_answers(40)
    stack.start_part(name)
    check_load(books, load, accounts, {200, BROKEN, "draining"} if name == "gateway-1" else {200})
    assert sum(map(books.charged, accounts)) == load.statuses()[200]


def test_rolling_restart(stack, books, accounts):
    """All processes except the edge and the database are replaced in turn at full load: no request
    is lost."""
    with Load(books.site, accounts, 8, body_bytes=2000) as load:
        for name in ("gateway-1", "svc-utils-1", "gateway-2", "svc-utils-2"):
            load.wait_for_answers(30)
            assert stack.parts[name].stop() == 0
            stack.start_part(name)
        load.wait_for_answers(30)
    check_load(books, load, accounts, {200})


@pytest.fixture(scope="module")
def four(own_stack):
    """Several of each, for the edge to choose from. A call waits longer for the database than a
    busy machine needs for 64 at once."""
    return own_stack(gateways=4, portals=4, settings=SETTINGS | {"ledger.timeout_ms": 20000})


@pytest.mark.parametrize("dead", [("gateway-1", "gateway-2"), ("portal-1", "portal-2"), ("gateway-3", "gateway-4", "portal-3")])
def test_the_edge_finds_the_remaining_gateways(four, dead):
    """Several are gone and their checks have not failed yet, as with new ones that do not listen
    yet. A request that meets one of them is served by another, and not rejected by the next."""
    site = Site.of(four)
    account = site.open_account(1000, limits_off=True)
    for name in dead:
        four.parts[name].kill()

    def call(_):
        client = Client(site)
        answer = client.call(account, "hash-generate", {"input": "abc"})
        return answer.status_code, *answer.codes, Visitor(site, client.address).get("/portal/sign-in").status_code

    with ThreadPoolExecutor(64) as pool:
        statuses = set(pool.map(call, range(64)))
    for name in dead:
        four.start_part(name)
    assert statuses == {(200, 200)}
