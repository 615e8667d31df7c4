"""tests/bench/libraries/outside.py - the CPU time of tools that connect to others, in their
workers.

Each tool is called through the edge, one call after the other, with the examples of its contract,
against the simulated internet of the tests. The CPU time of all workers is divided by the calls. It
includes TLS, HTTP and DNS, but not the sites and providers, nor the wait for them.
"""

import statistics
import tempfile
import time

from kit.contracts import CONTRACTS
from kit.world import World
from run import open_accounts
from stack import Stack
from tools import Caller

CALLS, ROUNDS = 10, 5
IDLE_S = 2


def cpu_seconds(parts):
    """Of processes with all their threads, by the clocks of clock_getcpuclockid(3)."""
    return sum(time.clock_gettime(~part.pid << 3 | 2) for part in parts)


def idle_share(workers):
    """The CPU seconds that workers use in a second without a call."""
    before = cpu_seconds(workers)
    time.sleep(IDLE_S)
    return (cpu_seconds(workers) - before) / IDLE_S


def seconds_a_call(caller, workers, contract, idle):
    requests = [example["request"] for example in contract["examples"]]

    def calls():
        begin, before = time.monotonic(), cpu_seconds(workers)
        for number in range(CALLS):
            caller.tool_ms(contract, requests[number % len(requests)])
        spent = cpu_seconds(workers) - before - idle * (time.monotonic() - begin)
        return max(0, spent) / CALLS

    calls()  # not counted
    return statistics.median(calls() for _ in range(ROUNDS))


def measure(build, rows):
    """Adds the seconds to each row."""
    world = World(tempfile.mkdtemp(prefix="tollgate-bench-world-"))
    stack = Stack(tempfile.mkdtemp(prefix="tollgate-bench-"), build,
                  settings=world.settings | {"egress.only": ["127.0.0.0/8"],
                                             "limits.unlimited_addresses": ["127.0.0.0/8"]})
    try:
        with world, stack:
            (pair,) = open_accounts(stack.database(), 1, limits_off=True)
            caller = Caller(stack, *pair)
            workers = [part for name, part in stack.parts.items() if name.startswith("svc-")]
            idle = idle_share(workers)
            for row in rows:
                row["seconds"] = [seconds_a_call(caller, workers, CONTRACTS[row["tool"]], idle)]
                print(row["tool"], f"{1000 * row['seconds'][0]:.2f} ms", flush=True)
    finally:
        stack.remove()
        world.remove()
