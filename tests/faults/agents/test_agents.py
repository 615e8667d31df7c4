"""tests/faults/agents/test_agents.py - kill -9 of a gateway during agents' calls. The books are as
correct as with REST, for calls in either write path (with a key they are held and captured, without
one they take one write)."""

import pytest

from kit.agents.line import AgentLine
from kit.load import BROKEN, SETTINGS, Load, Line, arm, check_load, restart_after_death, wait_for_death
from kit.site import Site

pytestmark = pytest.mark.xdist_group("agents")

PASS = 40  # the gateway dies at the point's 40th pass, in the middle of load


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=2, daemons=2, settings=SETTINGS)


@pytest.fixture
def accounts(stack):
    site = Site.of(stack)
    return [site.open_account(100000, limits_off=True) for _ in range(3)]


@pytest.mark.parametrize("keys", [True, False], ids=["held", "one write"])
@pytest.mark.parametrize("point", ["after-reply", "after-capture", "before-first-byte"])
def test_gateway_dies_at(stack, books, accounts, point, keys):
    arm(stack, "gateway-1", point, PASS)
    with Load(books.site, accounts, 8, stack.gateways, keys=keys, line=AgentLine) as load:
        wait_for_death(stack.parts["gateway-1"])
        load.wait_for_answers(20)  # of the other one
    restart_after_death(stack, "gateway-1")
    assert load.statuses()[BROKEN] > 0
    check_load(books, load, accounts, {200, BROKEN})


@pytest.mark.parametrize("point, charged", [("after-reply", 0), ("after-capture", 1), ("before-first-byte", 1)])
def test_a_key_returns_the_charged_result(stack, books, accounts, point, charged):
    """Over MCP and over REST."""
    account = accounts[0]
    key = {"Idempotency-Key": f"once-{point}"}
    arm(stack, "gateway-1", point, 1)
    line = AgentLine(books.site, stack.gateways[0])
    assert line.open()
    call, _ = line.call(account, headers=key)
    assert call.status == BROKEN
    wait_for_death(stack.parts["gateway-1"])
    restart_after_death(stack, "gateway-1")
    books.wait_until_nothing_is_held()
    assert books.charged(account) == charged
    calls = [call]
    for kind in (AgentLine, Line):
        line = kind(books.site, stack.gateways[0])
        assert line.open()
        again, _ = line.call(account, headers=key)
        line.close()
        calls.append(again)
    assert [call.status for call in calls] == [BROKEN, 200, 200]
    assert [call.replayed for call in calls[1:]] == [charged == 1, True]
    assert books.charged(account) == 1
    books.check([account], calls)
