"""tests/api/test_outages.py - rejections while a part of the stack is down, on stacks of this
module."""

import contextlib

import pytest
import yaml

from kit.client import Client
from kit.site import ROOT, Ledger, Site
from part import Budget, wait_for

TOOL = "hash-generate"
GOOD = {"input": "abc"}
pytestmark = pytest.mark.xdist_group("own stack")


class Own:
    """A stack to break, a client for it, and its database."""

    def __init__(self, stack):
        self.stack = stack
        self.site = Site.of(stack)
        self.api = Client(self.site)
        self.account = self.site.open_account()

    def charged(self, account=None):
        with contextlib.closing(self.site.connect()) as connection:
            ledger = Ledger(connection)
            return ledger.charged(account or self.account), ledger.held(account or self.account)

    def call(self):
        return self.api.call(self.account, TOOL, GOOD)

    def serves(self):
        return self.call().status_code == 200


@pytest.fixture(scope="module")
def stack(own_stack):
    """Each call is held; tests/faults/test_one_write.py tests one-write calls."""
    return own_stack(settings={"gateway.drain_delay_ms": 0, "ledger.hold_grace_ms": 1000, "ledger.one_write_budget_ms": 0})


@pytest.fixture
def own(stack):
    """The module's stack with a fresh account; complete before and after each test."""
    own = Own(stack)
    assert own.serves()
    return own


def refusal(answer):
    return answer.status_code, answer.codes


def test_no_worker_of_a_group(own):
    own.stack.parts["svc-utils-1"].stop()
    try:
        budget = Budget(5)
        assert refusal(own.call()) == (503, ["no_worker"])
        assert budget.left()
        assert own.charged() == (1, 0)
        assert own.api.credits(own.account) == 99  # routes without a worker still work
    finally:
        own.stack.start_part("svc-utils-1")
    wait_for(own.serves, 10, "calls after the worker came back")


def test_database_away(own):
    """503 within 2 s, and no hanging call; it recovers automatically."""
    own.stack.parts["postgres"].kill()
    try:
        for _ in range(3):
            budget = Budget(2.5)
            assert refusal(own.call()) == (503, ["ledger_unavailable"])
            assert budget.left()
        assert own.api.get("/livez").status_code == 200
    finally:
        own.stack.start_part("postgres")
    wait_for(own.serves, 10, "calls after the database came back")
    charged, held = own.charged()
    assert charged == 2 and held == 0  # one before, one after


def test_database_that_hangs(own):
    """A stopped process still accepts connections and never responds."""
    own.stack.parts["postgres"].freeze()
    try:
        budget = Budget(2.5)
        assert refusal(own.call()) == (503, ["ledger_unavailable"])
        assert budget.left()
    finally:
        own.stack.parts["postgres"].thaw()
    wait_for(own.serves, 10, "calls after the database went on")
    assert own.charged() == (2, 0)


@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_no_gateway(own, how):
    """The edge's own 503, in the envelope, with Retry-After (checked for every response)."""
    gateway = own.stack.parts["gateway-1"]
    gateway.kill() if how == "killed" else gateway.stop()
    try:
        assert refusal(own.call()) == (503, ["overloaded"])
    finally:
        own.stack.start_part("gateway-1")
    wait_for(own.serves, 15, "calls after the gateway came back")
    assert own.charged() == (2, 0)


def test_gateway_that_dies_in_a_call(own):
    """The edge returns outcome_unknown, and the call is not charged: its hold expires."""
    own.stack.parts["svc-utils-1"].freeze()  # the call stays in the gateway
    connection = own.api.connect()
    try:
        connection.request("POST", own.account.path(f"tools/{TOOL}"), '{"input":"abc"}', {
            "Authorization": f"Bearer {own.account.token}", "Content-Type": "application/json"})
        wait_for(lambda: own.charged()[1] == 1, 5, "the hold")
        own.stack.parts["gateway-1"].kill()
        response = connection.getresponse()
        assert response.status == 503
        assert b'"outcome_unknown"' in response.read()
    finally:
        own.stack.parts["svc-utils-1"].thaw()
        own.stack.start_part("gateway-1")
        connection.close()
    wait_for(own.serves, 15, "calls after the gateway came back")
    wait_for(lambda: own.charged() == (2, 0), 15, "the expiry of the hold")


def test_the_window_of_a_class(own_stack, tmp_path):
    """No tool of the group utils has a class window; limits are a file, so this test writes one."""
    limits = tmp_path / "limits.yaml"
    shipped = yaml.safe_load((ROOT / "gateway" / "limits.yaml").read_text())
    shipped["classes"]["utility"] = {"class_per_minute": 3}
    limits.write_text(yaml.safe_dump(shipped))
    limits.chmod(0o644)
    own = Own(own_stack(settings={"gateway.limits_file": str(limits)}))
    assert [own.call().status_code for _ in range(3)] == [200] * 3
    answer = own.call()
    assert (answer.status_code, answer.codes) == (429, ["rate_limited_class"]), answer
    assert own.charged() == (3, 0)
