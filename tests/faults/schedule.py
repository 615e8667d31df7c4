"""tests/faults/schedule.py - a seeded schedule of random faults under load; afterwards the books
must be right.

    /usr/bin/python3 tests/faults/schedule.py [--build build] [--seconds 300] [--seed N]

prints its seed. The same seed makes the same faults, at the same times, in the same order. `make
test` runs a short schedule, `make check` a long one. How the processes react depends on the
machine: run a failed seed again several times.
"""

import random
import sys
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit import pgproxy, seeded  # noqa: E402
from kit.load import BROKEN, SETTINGS, Books, Load, check_load, metric  # noqa: E402
from kit.pgproxy import Proxy  # noqa: E402
from part import wait_for  # noqa: E402

OPTIONS = {"gateways": 2, "daemons": 2, "settings": SETTINGS}
SERVERS = ("gateway-1", "gateway-2", "svc-utils-1", "svc-utils-2")
RECOVERY_S = 30
CLIENTS = 8
# The allowed statuses of a call while parts die; any other is a failure.
ALLOWED = {200, BROKEN, "ledger_unavailable", "outcome_unknown", "no_worker", "worker_lost", "overloaded", "deadline_exceeded",
           "idempotency_in_progress", "draining"}


class Faults:
    """The faults; each leaves the stack complete, or is repaired at the latest by the next but
    one."""

    def __init__(self, stack, proxy, rng):
        self._stack = stack
        self._proxy = proxy
        self._rng = rng

    def kill(self, name, away_s):
        """kill -9, restart after a while."""
        self._stack.parts[name].kill()
        time.sleep(away_s)
        self._stack.start_part(name)

    def drain(self, name, away_s):
        """SIGTERM, restart after a while."""
        self._stack.parts[name].stop()
        time.sleep(away_s)
        self._stack.start_part(name)

    def freeze(self, name, away_s):
        """SIGSTOP: alive to the kernel, silent to all peers."""
        self._stack.parts[name].freeze()
        time.sleep(away_s)
        self._stack.parts[name].thaw()

    def kill_database(self, _name, away_s):
        self.kill("postgres", away_s)

    def restart_database(self, _name, away_s):
        self.drain("postgres", away_s)

    def freeze_database(self, _name, away_s):
        self.freeze("postgres", away_s)

    def cut(self, _name, away_s):
        """Connections to the database are cut at each third batch, in any way."""
        self._proxy.judge = lambda n: pgproxy.CUTS[n // 3 % len(pgproxy.CUTS)] if n % 3 == 0 else None
        time.sleep(away_s)
        self._proxy.judge = lambda n: None

    def drip(self, _name, away_s):
        """Responses of the database arrive a few bytes at a time."""
        self._proxy.drip_s = 0.01
        time.sleep(away_s)
        self._proxy.drip_s = 0.0

    def slow(self, _name, away_s):
        """Each commit takes 300 ms."""
        self._proxy.delay_s = 0.3
        time.sleep(away_s)
        self._proxy.delay_s = 0.0

    def plan(self, seconds):
        """(pause, fault, part, duration) until the time is over: made before anything happens."""
        kinds = [self.kill, self.kill, self.drain, self.freeze, self.kill_database, self.restart_database,
                 self.freeze_database, self.cut, self.cut, self.slow, self.drip]
        left = seconds
        while left > 0:
            pause, away = self._rng.uniform(0, 0.8), self._rng.uniform(0, 1.5)
            yield pause, self._rng.choice(kinds), self._rng.choice(SERVERS), away
            left -= pause + away + 0.8  # about the time of a start


def through(stack, seed):
    """Put a proxy between the gateways and the database."""
    proxy = Proxy(stack.cluster, seed)
    for name in ("gateway-1", "gateway-2"):
        stack.parts[name].env["TOLLGATE_DB_URL"] = proxy.url()
        stack.restart(name)
    return proxy


def run(stack, seed, seconds, tell=lambda line: None):
    """The schedule of a seed on a stack made with OPTIONS; AssertionError or Failure if something
    is lost."""
    rng = random.Random(seed)
    books = Books(stack)
    proxy = through(stack, seed)
    accounts = [books.site.open_account(1_000_000, limits_off=True) for _ in range(4)]
    plan = list(Faults(stack, proxy, rng).plan(seconds))
    with Load(books.site, accounts, CLIENTS, stack.gateways, body_bytes=500, keys=True) as load:
        load.wait_for_answers(CLIENTS)
        for pause, fault, name, away in plan:
            time.sleep(pause)
            tell(f"{fault.__name__} {name} for {away:.2f} s, {sum(load.statuses().values())} calls so far")
            fault(name, away)
        recovered = time.monotonic()
        load.wait_for_answers(10 * CLIENTS, seconds=RECOVERY_S)
        tell(f"calls go on after {time.monotonic() - recovered:.1f} s")
    proxy.close()
    tell(f"{len(load.calls)} calls: {dict(load.statuses())}")
    books.settle(load.calls)
    check_load(books, load, accounts, ALLOWED)
    for n in (1, 2):
        wait_for(lambda: metric(stack, f"gateway-{n}", 'tollgate_workers{group="utils"}') == 2, RECOVERY_S,
                 "both daemons everywhere")
    return load


if __name__ == "__main__":
    seeded.main(__doc__, "schedule", 300, partial(run, tell=partial(print, flush=True)), **OPTIONS)
