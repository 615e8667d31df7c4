"""tests/gameday/day.py - the stack of a game day, its versions, its customers, and its alerts."""

import contextlib
import itertools
import re
import shutil
import time
from urllib.parse import quote

from containers import CALLS, DAEMONS, ComposeSite, Containers, Prometheus, copy_checkout
from kit.load import WAITING, Books, Load
from kit.operators.history import unpack
from part import Failure, wait_for

# The first commit whose migrations are released: the oldest that can be upgraded.
OLDER = "0ceaa072cdcad5897f8ef45bd8ba89d5156e94b8"
BUILDS = {"older": "older 2026-01-01", "newer": "newer 2026-01-02"}
ACCOUNTS, CREDITS = 4, 10_000_000
CLIENTS, PAUSE_S = 8, 0.2
LATE_S = 1.5     # the shortest budget is 2 s
MANY = 300       # calls before and after a step: each client has called each group
FIRES_S = 600    # the longest alert waits 300 s for its value and 60 s more, and Prometheus reads a certificate each minute
SETTINGS = {"UNLIMITED_ADDRESSES": "0.0.0.0/0", "EDGE_MAX_REQUESTS_PER_IP": "1000", "EDGE_REQUEST_RATE_PER_IP": "100000",
            "EDGE_SUBNET": "10.213.10.0/24", "BUS_PREFIX": "10.213.138", "MONITORING_SUBNET": "10.213.74.0/24",
            "IMAGE": "tollgate-day"}


def check_out(stack, version):
    """As `git checkout`, and as `docker compose build`: the files and the images of a version."""
    for entry in stack.directory.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    if version == "older":
        unpack(OLDER, stack.directory)
    else:
        copy_checkout(stack.directory)
        add_migration(stack.directory / "gateway", stack.directory / "tests" / "faults" / "widen.sql")
    stack.variables["TOLLGATE_BUILD"] = BUILDS[version]
    stack.compose("build")


def add_migration(gateway, migration):
    """The newer version has one more, which changes what the functions of gateways return."""
    number = len(list((gateway / "sql").glob("*.sql"))) + 1
    name = f"sql/{number:03}-game-day.sql"
    shutil.copy(migration, gateway / name)
    rules = gateway / "meson.build"
    changed, count = re.subn(r"('sql/[\w-]+\.sql')\],", rf"\1, '{name}'],", rules.read_text())
    assert count == 1
    rules.write_text(changed)


def is_late(call):
    """On a busy machine a call may use up its tool's two seconds. It was not lost: a service that
    stops too soon ends a call at once."""
    return bool(WAITING.intersection(call.codes)) and call.seconds > LATE_S


class Customers(Load):
    """They call a tool of each group in turn. prices: what each answered call costs, by
    reference."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.prices = {}
        self._turns = itertools.cycle(CALLS.values())

    def _call(self, line, account):
        tool, request, price = next(self._turns)
        call, _ = line.call(account, tool, request)
        if call.status == 200:
            self.prices[call.reference] = price
        return call


class Day:
    """From the installation of the older version on, customers call without a pause."""

    def __init__(self, repository):
        self.stack = Containers("tollgate-day", GATEWAYS="2", BACKUPS=str(repository), **SETTINGS)
        self.crowd = None

    def install(self):
        self.stack.clear()  # after a killed run
        check_out(self.stack, "older")
        self.stack.up()
        self.stack.up("--no-deps", "--build", "prometheus")
        self.stack.wait_healthy("edge", "gateway", "portal", *DAEMONS)
        self.prometheus = Prometheus(self.stack)
        self.site = ComposeSite(self.stack)
        self.books = Books(self.stack, self.site)
        self.accounts = [self.site.open_account(CREDITS, limits_off=True) for _ in range(ACCOUNTS)]
        self.crowd = Customers(self.site, self.accounts, clients=CLIENTS, pause_s=PAUSE_S)
        self.crowd.__enter__()

    def end(self):
        if self.crowd:
            self.crowd.stop()
        self.stack.remove()

    @contextlib.contextmanager
    def without_loss(self):
        """Each call that begins in the block is answered with 200, or is late."""
        self.crowd.wait_for_answers(MANY)
        begun = time.monotonic()
        yield
        self.crowd.wait_for_answers(MANY)
        lost = [call for call in list(self.crowd.calls)
                if call.begun > begun and call.status != 200 and not is_late(call)]
        assert not lost, f"{len(lost)} calls, the first: {lost[0]}"
        assert not self.crowd.faults, self.crowd.faults

    def alerts(self, since, *states):
        """The alerts that had one of these states (pending, firing) since then, by
        time.monotonic()."""
        query = f'ALERTS{{alertstate=~"{"|".join(states)}"}}[{int(time.monotonic() - since) + 1}s]'
        found = self.prometheus.ask(f"query?query={quote(query)}") or {"result": []}
        return {each["metric"]["alertname"] for each in found["result"]}

    def wait_until_fired(self, alerts):
        begun = time.monotonic()
        try:
            wait_for(lambda: alerts <= self.alerts(begun, "firing"), FIRES_S, "all alerts fire")
        except Failure as failure:
            raise Failure(f"{failure}: of {alerts} only {self.alerts(begun, 'firing')}") from failure
