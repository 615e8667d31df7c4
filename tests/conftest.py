"""tests/conftest.py - one stack for the whole run, in a separate world (kit/world.py), shared by
all workers, and the fixtures on top of it.

The pytest process makes both and stops them; its xdist workers receive their addresses. The run
fails unless, after the last test, `tollctl verify` succeeds, every process is still alive, no
process has logged an error, and nothing has connected to a forbidden address.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
import yaml

yaml.SafeLoader = yaml.CSafeLoader  # every worker reads all cases: libyaml is faster
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.client import Client  # noqa: E402
from kit.contracts import CONTRACTS, groups_of  # noqa: E402
from kit.database.memory import Memory  # noqa: E402
from kit.site import Ledger, Site  # noqa: E402
from kit.world import World  # noqa: E402
from part import Failure  # noqa: E402
from postgres import CLUSTERS, TEMPLATE, Cluster  # noqa: E402
from stack import Stack, cluster_home, interruptible  # noqa: E402

SHARED = pytest.StashKey()
WORLD = pytest.StashKey()
FINDINGS = pytest.StashKey()
OWN = {"own_stack", "cluster", "browser"}  # fixtures of what takes seconds to start, once in a file


def pytest_addoption(parser):
    parser.addoption("--build", default=str(ROOT / "build"), help="build directory whose programs are tested")
    parser.addoption("--build-san", default=str(ROOT / "build-san"), help="the same under AddressSanitizer and UBSan")
    parser.addoption("--group", help="a stack of this group of tools alone, and the tests of no other group's tools")
    parser.addoption("--quick", action="store_true", help="only tests that use nothing but the shared stack")
    parser.addoption("--check", action="store_true", help="only tests of `make check`")
    parser.addoption("--write-pages", action="store_true", help="write docs/tools/ and the clients' types before they are compared")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(config, items):
    """With --group, leave out the tests that use other groups' tools; with --quick, those with
    a stack, cluster or browser to themselves; with --check, all but those of `make check`, which
    are left out otherwise. The tests of a file that use its own stack or cluster share a worker.
    They come first: each file takes minutes, and at the end the other workers would have nothing
    to do."""
    for item in items:
        if OWN & set(item.fixturenames) and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    group = config.getoption("group")
    left_out = set()
    if group:
        tools = {item: getattr(item, "callspec", None) and item.callspec.params.get("tool") for item in items}
        left_out |= {item for item in items if CONTRACTS.get(tools[item], {"group": group})["group"] != group}
    if config.getoption("quick"):
        left_out |= {item for item in items if item.get_closest_marker("xdist_group")}
    left_out |= {item for item in items
                 if (item.get_closest_marker("check") is not None) != config.getoption("check")}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


# -- the shared stack, in the main process --


def is_worker(config):
    return hasattr(config, "workerinput")


INSIDE = {"egress.only": ["127.0.0.0/8", "::1"],  # no test contacts another machine
          "portal.poll_ms": 200}  # each poll costs PostgreSQL several queries
NOT_DURABLE = {"fsync": "off"}  # processes are killed here, but the machine goes on


def new_stack(config, name, settings=None, postgres=None, **options):
    """A stack in a scratch directory; the caller stops and removes it."""
    return Stack(tempfile.mkdtemp(prefix=f"tollgate-{name}-"), config.getoption("build"),
                 settings=INSIDE | (settings or {}), postgres=NOT_DURABLE | (postgres or {}),
                 groups=groups_of(config.getoption("group")), **options)


def use_memory(config):
    """For all clusters of the run, if there is enough."""
    memory = Memory()
    config.add_cleanup(memory.remove)
    if memory.folder:
        os.environ[CLUSTERS] = str(memory.folder)  # the workers inherit it


def make_template(config):
    """The empty cluster that all others of the run are copies of."""
    directory = Path(tempfile.mkdtemp(prefix="tollgate-template-"))
    template = Cluster(cluster_home(directory), directory / "log")
    config.add_cleanup(lambda: (template.release(), template.remove(), shutil.rmtree(directory)))
    template.prepare()
    os.environ[TEMPLATE] = str(template.data)  # the workers inherit it


def pytest_sessionstart(session):
    config = session.config
    if is_worker(config) or config.option.collectonly:
        return
    interruptible()
    use_memory(config)
    make_template(config)
    world = World(tempfile.mkdtemp(prefix="tollgate-world-"))
    stack = new_stack(config, "tests", gateways=2, daemons=2, portals=2, settings=world.settings)
    try:
        world.start()
        stack.start()
        stack.tollctl("signup", "set", *(word for name in ("mail-host", "network", "in-all")
                                         for word in (f"--{name}", "1000000")))  # tests sign up from one network
    except Failure as failure:
        stack.remove()
        world.stop()
        world.remove()
        pytest.exit(f"the stack does not start: {failure}", returncode=1)
    config.stash[SHARED] = stack
    config.stash[WORLD] = world


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput["site"] = Site.of(node.config.stash[SHARED], node.config.stash[WORLD]).as_dict()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    stack = session.config.stash.get(SHARED, None)
    if stack is None:
        return
    world = session.config.stash[WORLD]
    findings = [*look_back(stack), *world.findings()]
    world.stop()
    session.config.stash[FINDINGS] = findings
    if findings:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        stack.cluster.remove()  # the logs stay
    else:
        stack.remove()
        world.remove()


def look_back(stack):
    """Stop the stack and yield its problems."""
    try:
        stack.tollctl("verify", "--whole")
    except Failure as failure:
        yield f"the ledger does not add up: {failure}"
    yield from (part.obituary() for part in stack.crashed())
    try:
        stack.stop()
    except Failure as failure:
        yield str(failure)
    yield from errors_logged(stack)


def errors_logged(stack):
    """Error lines, and lines that are not JSON (a sanitizer's report, an assertion) of our
    processes."""
    for part in stack.parts.values():
        if part.name == "postgres":
            continue
        for line in part.log.read_text(errors="replace").splitlines():
            try:
                is_error = json.loads(line).get("level") == "error"
            except ValueError:
                is_error = True
            if is_error:
                yield f"{part.name} logged: {line}"


def pytest_terminal_summary(terminalreporter, config):
    findings = config.stash.get(FINDINGS, [])
    if findings:
        terminalreporter.section("the stack, after the last test", red=True)
        for finding in findings[:20]:
            terminalreporter.line(finding)
        terminalreporter.line(f"logs are kept in {config.stash[SHARED].log_directory}")


# -- fixtures --


@pytest.fixture(scope="session")
def site(request):
    """The address of the shared stack."""
    if is_worker(request.config):
        return Site(**request.config.workerinput["site"])
    return Site.of(request.config.stash[SHARED], request.config.stash[WORLD])


@pytest.fixture(scope="session")
def ledger(site):
    """Reads the database as its owner."""
    connection = site.connect()
    yield Ledger(connection)
    connection.close()


@pytest.fixture
def api(site):
    """A client with its own source address."""
    return Client(site)


@pytest.fixture
def account(site):
    """A fresh account with 100 credits and a token."""
    return site.open_account()


@pytest.fixture(scope="module")
def own_stack(request):
    """Make stacks for this module, to break: own_stack(gateways=…, daemons=…, settings=…). The test
    repairs what it breaks: each stack must verify after the module's last test."""
    stacks = []
    failed_before = request.session.testsfailed

    def start(**options):
        stack = new_stack(request.config, "own", **options)
        stacks.append(stack)
        stack.start()
        return stack

    yield start
    for stack in stacks:
        try:
            stack.tollctl("verify", "--whole")
        finally:
            stack.stop()
        if request.session.testsfailed == failed_before:
            stack.remove()
        else:
            stack.cluster.remove()  # the logs stay
            print(f"logs are kept in {stack.log_directory}")
