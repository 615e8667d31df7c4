"""tests/compose/test_ipv6.py - clients that have only IPv6 reach the edge at its own address
(deploy/docker/ipv6.yaml), and its limits count a /64 as one address."""

import contextlib
import http.client
import ipaddress
import json
import socket

import pytest
from containers import CALLS, EDGE_PORT, Containers, first
from part import command

SUBNETS = [ipaddress.ip_network(text) for text in ("fd7c:7467:6600::/64", "fd7c:7467:6601::/64")]  # the edge's, another
CONNECTIONS = 4  # at the same time, of one /64


@pytest.fixture(scope="module")
def stack(engine):
    services = ["edge", "gateway", "svc-utils"]
    with Containers("tollgate-ipv6", "deploy/docker/ipv6.yaml", EDGE_SUBNET="10.213.6.0/24", BUS_PREFIX="10.213.134",
                    MONITORING_SUBNET="10.213.70.0/24", PUBLIC_IPV6_SUBNET=str(SUBNETS[0]),
                    EDGE_MAX_CONNECTIONS_PER_IP=str(CONNECTIONS)) as stack:
        stack.compose("build", *services, "db", "init", "migrate", "tollctl")
        stack.up(*services)
        stack.wait_healthy(*services)
        for address in addresses():  # removed with the network
            command("ip", "address", "add", f"{address}/64", "dev", bridge(stack), "nodad")
        yield stack


def addresses():
    """Three clients: two in one /64, which is not the edge's, and one in the edge's."""
    return [SUBNETS[1][10], SUBNETS[1][11], SUBNETS[0][10]]


def bridge(stack):
    network = json.loads(command("docker", "network", "inspect", f"{stack.project}_public"))[0]
    return f"br-{network['Id'][:12]}"


class Client6(http.client.HTTPSConnection):
    """HTTPS from an IPv6 address to the edge's, by the name in its certificate."""

    def __init__(self, stack, source, trust):
        super().__init__("localhost", timeout=30, context=trust)
        networks = stack.inspect(first(stack, "edge"))["NetworkSettings"]["Networks"]
        self._peer = networks[f"{stack.project}_public"]["GlobalIPv6Address"], EDGE_PORT
        self._source = str(source), 0

    def connect(self):
        line = socket.create_connection(self._peer, self.timeout, self._source)
        self.sock = self._context.wrap_socket(line, server_hostname="localhost")


def test_a_paid_call(stack, site):
    account, (tool, request, credits) = site.open_account(100), CALLS["svc-utils"]
    with contextlib.closing(Client6(stack, addresses()[2], site.trust())) as client:
        client.request("POST", account.path(f"tools/{tool}"), json.dumps(request),
                       {"Authorization": f"Bearer {account.token}", "Content-Type": "application/json"})
        answer = client.getresponse()
        assert (answer.status, answer.headers["X-Credits-Charged"]) == (200, str(credits))


def test_limits_count_a_network(stack, site):
    """Two clients of one /64 share the limit; a client of another /64 has its own."""
    trust = site.trust()
    one, other, stranger = addresses()
    with contextlib.ExitStack() as lines:
        for source in [one, other] * (CONNECTIONS // 2):
            assert is_accepted(lines, stack, source, trust), source
        assert not is_accepted(lines, stack, one, trust)
        assert not is_accepted(lines, stack, other, trust)
        assert is_accepted(lines, stack, stranger, trust)


def is_accepted(lines, stack, source, trust):
    """Does the edge accept one more connection? It stays open."""
    client = lines.enter_context(contextlib.closing(Client6(stack, source, trust)))
    try:
        client.connect()
    except OSError:
        return False
    return True
