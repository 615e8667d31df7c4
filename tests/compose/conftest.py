"""tests/compose/conftest.py - one stack in containers for all tests of this folder, which run in
order."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("deploy/local", "tests", "tests/compose", "tests/swarm")]

import images  # noqa: E402
from containers import DAEMONS, ComposeSite, Containers  # noqa: E402
from engine import Engine  # noqa: E402
from kit.load import Books  # noqa: E402
from stack import interruptible  # noqa: E402


@pytest.fixture(scope="session")
def engine():
    interruptible()
    with Engine() as engine:
        images.make_all()
        yield engine


@pytest.fixture(scope="session")
def stack(engine):
    with Containers("tollgate-test", OAUTH_ENABLED="true", UNLIMITED_ADDRESSES="0.0.0.0/0",
                    EDGE_MAX_CONNECTIONS_PER_IP="1000", EDGE_CONNECTION_RATE_PER_IP="100000",
                    EDGE_MAX_REQUESTS_PER_IP="1000", EDGE_REQUEST_RATE_PER_IP="100000") as stack:
        stack.compose("build")
        stack.up()
        stack.wait_healthy("gateway", "portal", "edge", *DAEMONS)
        yield stack


@pytest.fixture(scope="session")
def scaled(stack):
    """Several instances of each service, from the first test that uses it."""
    stack.scale(svc_utils=4, svc_chat=2, svc_security=4, gateway=2)


@pytest.fixture(scope="module")
def site(stack):
    return ComposeSite(stack)


@pytest.fixture(scope="module")
def books(stack, site):
    return Books(stack, site)
