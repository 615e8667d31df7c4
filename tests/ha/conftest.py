"""tests/ha/conftest.py - two gateways on a database of three nodes, for all tests of this folder,
in order."""

import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests"), str(ROOT / "tests" / "ha")]

from cluster import HaStack, write_providers  # noqa: E402
from kit.load import Books  # noqa: E402
from kit.world import World  # noqa: E402
from nodes import Database, own_network  # noqa: E402
from stack import interruptible  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--build", default=str(ROOT / "build"), help="folder of the build to test")


@pytest.fixture(scope="session")
def world():
    """For the models."""
    interruptible()
    own_network()
    world = World(tempfile.mkdtemp(prefix="tollgate-ha-world-"))
    with world:
        write_providers(world)
        yield world
    world.remove()


@pytest.fixture(scope="session")
def stack(request, world):
    database = Database(tempfile.mkdtemp(prefix="tollgate-ha-"))
    stack = HaStack(tempfile.mkdtemp(prefix="tollgate-ha-stack-"), request.config.getoption("--build"), database,
                    world.settings)
    try:
        with stack:
            yield stack
    finally:
        stack.remove()


@pytest.fixture
def database(stack):
    """The three nodes, all healthy at the start of the test; reconnects the network after it."""
    stack.cluster.wait_whole()
    yield stack.cluster
    stack.cluster.heal()


@pytest.fixture(scope="session")
def books(stack):
    return Books(stack)
