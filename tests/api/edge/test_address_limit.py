"""tests/api/edge/test_address_limit.py - how many calls of one address are admitted while gateways
are replaced (docs/decisions/003-rate-limits.md).

Gateways count an address in memory. The edge moves an address when its gateway stops, and moves it
back when that gateway has started again.
"""

import time
from pathlib import Path

import pytest

from kit.client import Client
from kit.load import SETTINGS, metric
from kit.site import Site
from part import Failure, wait_for

pytestmark = pytest.mark.xdist_group("address-limit")

LIMIT = 7
CALLS_MAX = 50 * LIMIT
WINDOW_S = 60
CHARGED = 'tollgate_credits_charged_total{tool="hash-generate",group="utils"}'


@pytest.fixture(scope="module")
def stack(own_stack, tmp_path_factory):
    limits = tmp_path_factory.mktemp("limits") / "limits.yaml"
    text = (Path(__file__).parents[3] / "gateway" / "limits.yaml").read_text()
    assert "\naddress_per_minute: 120 " in text
    limits.write_text(text.replace("\naddress_per_minute: 120 ", f"\naddress_per_minute: {LIMIT} "))
    return own_stack(gateways=2, daemons=1, settings=SETTINGS | {
        "limits.unlimited_addresses": [], "gateway.limits_file": str(limits)})


class Address:
    """One client address that calls until the limit rejects it."""

    def __init__(self, stack):
        self._site = Site.of(stack)
        self._account = self._site.open_account(1000, limits_off=True)
        self.client = Client(self._site)
        self.admitted = []  # (sent, received) of each admitted call

    def fill(self):
        """How many calls are admitted until one is rejected."""
        before = len(self.admitted)
        for _ in range(CALLS_MAX):
            sent = time.monotonic()
            answer = self.client.call(self._account, "hash-generate", {"input": "abc"})
            if answer.status_code == 429:
                assert answer.codes == ["rate_limited_ip"]
                return len(self.admitted) - before
            if answer.status_code == 200:
                self.admitted.append((sent, time.monotonic()))
            else:
                assert answer.status_code == 503  # a gateway that is stopping
        raise Failure(f"no rejection after {CALLS_MAX} calls")

    def most_in_a_window(self):
        """Of all windows that begin with a call: the most calls that are certainly in one."""
        return max(sum(begin <= sent and received < begin + WINDOW_S for sent, received in self.admitted)
                   for begin, _ in self.admitted)


def home_of(stack, address):
    """The gateway to which the edge sends this address."""
    before = {name: metric(stack, name, CHARGED) for name in ("gateway-1", "gateway-2")}
    assert address.fill() >= LIMIT
    served = [name for name in before if metric(stack, name, CHARGED) - before[name] >= LIMIT]
    assert len(served) == 1
    return served[0]


    stack.start_part(name)


def test_without_a_restart(stack):
    """Never more than the limit, whatever gateway is asked."""
    address = Address(stack)
    home_of(stack, address)
    assert address.fill() == 0 or address.admitted[-1][1] - address.admitted[0][0] >= WINDOW_S
    assert address.most_in_a_window() <= LIMIT


def test_a_rolling_restart(stack):
    """The address meets three windows: of its gateway, of the other one meanwhile, and of its
    gateway after the start. So three times its limit is admitted, however many are replaced."""
    address = Address(stack)
    home = home_of(stack, address)
    stack.parts[home].stop()
    assert address.fill() >= LIMIT  # at the other one
    stack.start_part(home)
    wait_for(lambda: address.fill() > 0, 30, "the address at its gateway again")  # the edge checks it first
    assert len(address.admitted) >= 3 * LIMIT
    stack.restart("gateway-2" if home == "gateway-1" else "gateway-1")
    address.fill()
    assert address.most_in_a_window() <= 3 * LIMIT


def test_a_plan_exempts_its_calls(stack):
    """Admitted calls of such an account do not count for their address; rejected ones do, and so do
    those of other accounts."""
    site = Site.of(stack)
    address, account = Address(stack), site.open_account(1000)
    with site.connect() as owner, owner.cursor() as cursor:
        cursor.execute("select count(*) from plan_write('exempt', '{\"global_per_minute\": 300, \"address_exempt\": true,"
                       " \"classes\": {\"utility\": {\"endpoint_per_minute\": 0}}}')")
    stack.tollctl("account", "plan", account.id, "exempt", "--note", "test")
    client = address.client
    assert {client.call(account, "hash-generate", {"input": "abc"}).status_code for _ in range(4 * LIMIT)} == {200}
    assert client.read(account, "account/credits").status_code == 200
    begun = time.monotonic()
    assert client.call(account, "hash-generate", {}).status_code == 400
    assert address.fill() == LIMIT - 1 or time.monotonic() - begun > WINDOW_S
