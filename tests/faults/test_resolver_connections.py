"""tests/faults/test_resolver_connections.py - connections to a DNS-over-HTTPS resolver: all jobs
share a few, they stay open between queries, and a closed one loses no query."""

import concurrent.futures
import contextlib
import socket
import tempfile
import threading
import time

import pytest

from kit.client import Client
from kit.load import metric
from kit.site import Site
from kit.world import World

pytestmark = pytest.mark.xdist_group("resolver_connections")

DAEMON = "svc-security-1"
AT_ONCE = 64
CONNECTIONS_MAX = 4  # to one resolver, common/net/dns/resolvers.h
LATENCY_S = 0.1      # a slow resolver: all queries are sent before the first response


class Wire:
    """Between the worker and its resolver: counts connections, and closes them."""

    def __init__(self, port):
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=AT_ONCE)
        self._open = set()
        self._mute = set()
        self._cuts_next = threading.Event()
        self.connections = 0
        self.latency_s = 0
        self.url = f"https://127.0.0.1:{self._listener.getsockname()[1]}/dns-query"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            near, _ = self._listener.accept()
            self.connections += 1
            far = socket.create_connection(self._target)
            self._open.add(near)
            threading.Thread(target=self._carry, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self._carry, args=(far, near, True), daemon=True).start()

    def _carry(self, source, sink, is_answer):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if self._cuts_next.is_set():
                    self._cuts_next.clear()
                    break
                if is_answer:
                    time.sleep(self.latency_s)
                    if sink in self._mute:
                        continue
                sink.sendall(data)
        for end in (source, sink):
            self._open.discard(end)
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut_idle(self):
        """Close all connections, as an idle resolver does."""
        for near in list(self._open):
            with contextlib.suppress(OSError):
                near.shutdown(socket.SHUT_RDWR)

    def mute_open(self):
        """No response arrives over the connections that are open now."""
        self._mute = set(self._open)

    def cut_next(self):
        """The next bytes of a query close its connection."""
        self._cuts_next.set()


@pytest.fixture(scope="module")
def world():
    world = World(tempfile.mkdtemp(prefix="tollgate-wire-"))
    with world:
        yield world
    world.remove()


@pytest.fixture(scope="module")
def wire(world):
    return Wire(world.dns_port)


@pytest.fixture(scope="module")
def stack(world, wire, own_stack):
    return own_stack(settings=world.settings | {"egress.doh_urls": [wire.url]})


@pytest.fixture
def look_up(world, stack):
    """This many lookups at once, each with a response."""
    site = Site.of(stack, world)
    account = site.open_account(100000, limits_off=True)

    def call(_):
        return Client(site).call(account, "dns-lookup", {"domain": "example.com", "types": ["A", "AAAA"]})

    def look_up(count=1):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            answers = list(pool.map(call, range(count)))
        for answer in answers:
            assert answer.status_code == 200, answer
            assert answer.result["statuses"] == {"A": "NOERROR", "AAAA": "NOERROR"}, answer

    return look_up


def test_many_share_a_few(wire, look_up):
    before = wire.connections
    wire.latency_s = LATENCY_S
    look_up(AT_ONCE)
    assert 0 < wire.connections - before <= CONNECTIONS_MAX
    look_up(AT_ONCE)
    wire.latency_s = 0
    for _ in range(5):
        look_up()
    assert wire.connections - before <= CONNECTIONS_MAX


@pytest.mark.parametrize("cut", [Wire.cut_idle, Wire.cut_next])
@pytest.mark.parametrize("count", [1, 16])
def test_a_closed_connection_loses_no_query(wire, look_up, cut, count):
    look_up()
    before = wire.connections
    cut(wire)
    look_up(count)
    assert 1 <= wire.connections - before <= CONNECTIONS_MAX


def test_a_connection_without_responses_is_replaced(wire, look_up):
    """The lookup that times out is free; those behind it use another connection."""
    look_up()
    before = wire.connections
    wire.mute_open()
    with pytest.raises(AssertionError, match="upstream_unavailable"):
        look_up()
    look_up()
    assert wire.connections == before + 1


def test_nothing_left_the_network(stack):
    assert metric(stack, DAEMON, "tollgate_egress_blocked_connections") == 0
