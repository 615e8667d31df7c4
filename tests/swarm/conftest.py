"""tests/swarm/conftest.py - three machines with one swarm for all tests of this folder, which run
in order.

TOLLGATE_IMAGES names an archive (`docker save`) of the product's images, which are built otherwise.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("deploy/local", "tests", "tests/compose", "tests/swarm")]

import images  # noqa: E402
from containers import Containers  # noqa: E402
from engine import Engine  # noqa: E402
from kit.load import Books  # noqa: E402
from nodes import Nodes  # noqa: E402
from part import command  # noqa: E402
from stack import interruptible  # noqa: E402
from swarm import Swarm, SwarmSite  # noqa: E402


ONE_OF = {name: "1" for name in ("PORTALS", "SVC_CHAT", "SVC_EMAIL", "SVC_REPORTS", "SVC_SECURITY")}


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    given = os.environ.get("TOLLGATE_IMAGES")
    if given:
        return given
    made = tmp_path_factory.mktemp("images") / "images.tar"
    with Engine():
        images.make_all()
        stack = Containers("tollgate-images")
        try:
            stack.compose("build")
        finally:
            stack.remove()
        command("docker", "save", "--output", made, *built())
    return made


def built():
    listed = command("docker", "images", "--format", "{{.Repository}}:{{.Tag}}", "tollgate/*:local").split()
    return [images.MODELS] + [name for name in listed if not name.startswith(("tollgate/prometheus", "tollgate/grafana"))]


@pytest.fixture(scope="session")
def nodes(archive):
    interruptible()
    with Nodes(3) as nodes:
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda node: node.docker("load", "--quiet", "--input", archive), nodes))
        yield nodes


@pytest.fixture(scope="session")
def swarm(nodes):
    swarm = Swarm(nodes, **ONE_OF, UNLIMITED_ADDRESSES="0.0.0.0/0", EDGE_MAX_CONNECTIONS_PER_IP="1000",
                  EDGE_CONNECTION_RATE_PER_IP="100000", EDGE_MAX_REQUESTS_PER_IP="1000", EDGE_REQUEST_RATE_PER_IP="100000")
    try:
        swarm.deploy()
        yield swarm
    finally:
        swarm.forget()


@pytest.fixture(scope="session")
def site(swarm):
    return SwarmSite(swarm)


@pytest.fixture(scope="session")
def books(swarm, site):
    return Books(swarm, site)
