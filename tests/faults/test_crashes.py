"""tests/faults/test_crashes.py - kill -9 of gateways and workers at each step of a call."""

import math

import pytest

from kit.load import BROKEN, HOLDS, Load, Line, arm, check_load, restart_after_death, metric, wait_for_death
from kit.site import Site
from part import slowness, wait_for

pytestmark = pytest.mark.xdist_group("crashes")

# In the order of a call's life (docs/develop/call-path.md); before-… and after-…-sent are in the
# ledger thread.
POINTS = ["after-ticket", "before-admit-sent", "after-admit-sent", "after-admit", "after-job-sent",
          "after-reply", "before-settle-sent", "after-settle-sent", "after-capture", "before-first-byte",
          "after-answer"]
PASS = 40  # the gateway dies at the point's 40th pass, in the middle of load


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=2, daemons=2, settings=HOLDS)


@pytest.fixture
def accounts(stack):
    site = Site.of(stack)
    return [site.open_account(100000, limits_off=True) for _ in range(3)]


@pytest.mark.parametrize("point", POINTS)
def test_gateway_dies_at(stack, books, accounts, point):
    """Its calls in flight are not charged or have a finished result, and the other gateway is not
    affected."""
    arm(stack, "gateway-1", point, PASS)
    with Load(books.site, accounts, 8, stack.gateways) as load:
        wait_for_death(stack.parts["gateway-1"])
        load.wait_for_answers(20)  # of the other one
    restart_after_death(stack, "gateway-1")
    assert load.statuses()[BROKEN] > 0
    check_load(books, load, accounts, {200, BROKEN})


@pytest.mark.parametrize("point, charged", [
    ("before-admit-sent", 0), ("after-admit", 0), ("after-reply", 0), ("before-settle-sent", 0),
    ("after-capture", 1), ("before-first-byte", 1)])
def test_what_one_call_costs_then(stack, books, accounts, point, charged):
    """A single call, so its position is known. Its Idempotency-Key returns what was charged,
    free."""
    account = accounts[0]
    key = {"Idempotency-Key": f"once-{point}"}
    arm(stack, "gateway-1", point, 1)
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    call, _ = line.call(account, headers=key)
    assert call.status == BROKEN
    wait_for_death(stack.parts["gateway-1"])
    restart_after_death(stack, "gateway-1")
    books.wait_until_nothing_is_held()
    assert books.charged(account) == charged
    assert line.open()
    again, _ = line.call(account, headers=key)
    line.close()
    assert (again.status, again.replayed) == (200, charged == 1)
    assert books.charged(account) == 1
    books.check([account], [call, again])


def test_worker_killed_at_any_moment(stack, books, accounts):
    """Its retryable jobs run once more on the other worker: no client notices."""
    with Load(books.site, accounts, 8, stack.gateways, body_bytes=60000) as load:
        for name in ("svc-utils-1", "svc-utils-2", "svc-utils-1"):
            load.wait_for_answers(40)
            stack.parts[name].kill()
            load.wait_for_answers(20)
            stack.start_part(name)
    check_load(books, load, accounts, {200})


def test_worker_killed_while_it_has_jobs(stack, books, accounts):
    """Stopped workers have all jobs. One is killed: the other, when it continues, runs them
    again."""
    def retries():
        return sum(metric(stack, f"gateway-{n}", "tollgate_job_retries_total") for n in (1, 2))

    daemons = [stack.parts[f"svc-utils-{n}"] for n in (1, 2)]
    retried = retries()
    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(20)
        for daemon in daemons:
            daemon.freeze()
        wait_for(lambda: books.rows("select sum(held) = 8 from account_balance") == [(True,)], 5, "jobs in them")
        daemons[0].kill()
        daemons[1].thaw()
        load.wait_for_answers(20)
        wait_for(lambda: retries() > retried, 5, "a job done again")
    stack.start_part("svc-utils-1")
    check_load(books, load, accounts, {200})


def test_all_workers_die(stack, books, accounts):
    """503 within the call's budget, uncharged; calls work again when a worker is back. A job that a
    worker had, or that was sent to it before the gateway saw its death, waits for another one, and
    is 504 after the call's budget. From its first 503 on, a gateway has seen both deaths."""
    with Load(books.site, accounts, 8, stack.gateways) as load:
        load.wait_for_answers(20)
        for n in (1, 2):
            stack.parts[f"svc-utils-{n}"].kill()
        load.wait_for_answers(16, status=503)
        stack.start_part("svc-utils-1")
        load.wait_for_answers(40)
    stack.start_part("svc-utils-2")
    assert max(call.seconds for call in load.calls) < 3 * slowness()
    late = [call for call in load.calls if call.status == 504]
    seen = {tuple(gateway): min((call.ended for call in load.calls
                                 if call.status == 503 and call.gateway == tuple(gateway)), default=math.inf)
            for gateway in stack.gateways}
    assert all(call.begun < seen[call.gateway] and call.seconds >= 2 for call in late), late
    check_load(books, load, accounts, {200, "worker_lost", "no_worker", "overloaded", "deadline_exceeded"})


def test_gateway_back_at_once(stack):
    """It restarts before its heartbeat is missed, and nobody calls: the workers notice it earlier
    than by the timeout. A start on a busy machine may take longer than that, and is repeated."""
    daemons = [f"svc-utils-{n}" for n in (1, 2)]
    wait_for(lambda: all(metric(stack, name, "tollgate_gateways_connected") == 2 for name in daemons), 10, "both gateways known")
    logs = [stack.parts[name].log for name in daemons]

    def is_noticed_early():
        seen = [log.stat().st_size for log in logs]
        stack.parts["gateway-1"].kill()
        stack.start_part("gateway-1")
        wait_for(lambda: metric(stack, "gateway-1", 'tollgate_workers{group="utils"}') == 2, 10, "both daemons")
        said = [log.read_text()[size:] for log, size in zip(logs, seen, strict=True)]
        return all("it says goodbye" in text and "it is silent" not in text for text in said)

    assert wait_for(is_noticed_early, 40, "daemons that noticed")
