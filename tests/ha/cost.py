"""tests/ha/cost.py - measure the cost of waiting for a second node at each commit, on this machine.

Eight clients make paid calls with and without Patroni's synchronous mode, alternating on the same
three nodes. The result is the ratio of the medians. Here all nodes share CPUs and disk. Separate
machines do not, but add their round trip to each commit.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "deploy" / "local"), str(HERE.parent), str(HERE)]

from cluster import Crowds, HaStack  # noqa: E402
from kit.load import Books  # noqa: E402
from nodes import Database, own_network  # noqa: E402
from part import wait_for  # noqa: E402
from stack import ROOT, interruptible  # noqa: E402

ROUNDS = 3
SECONDS = 10


def switch(database, is_synchronous):
    database.set(synchronous_mode=is_synchronous)
    wait_for(lambda: bool(database.sql(database.wait_leader(), "show synchronous_standby_names")) == is_synchronous, 60,
             f"synchronous mode {is_synchronous}")


def measure(stack, books):
    """(calls a second, median ms of a call)"""
    with Crowds(stack, books) as crowds:
        begun = time.monotonic()
        while time.monotonic() < begun + SECONDS:
            time.sleep(0.1)
        taken = [call for call in crowds.calls if call.begun > begun]
        assert {call.status for call in taken} == {200}
    return len(taken) / SECONDS, 1000 * statistics.median(call.seconds for call in taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build")
    options = parser.parse_args()
    interruptible()
    own_network()
    database = Database(tempfile.mkdtemp(prefix="tollgate-ha-"))
    stack = HaStack(tempfile.mkdtemp(prefix="tollgate-ha-stack-"), options.build, database)
    try:
        with stack:
            books = Books(stack)
            taken = {True: [], False: []}
            for _ in range(ROUNDS):
                for is_synchronous, list_ in taken.items():
                    switch(database, is_synchronous)
                    list_.append(measure(stack, books))
                    print(f"{'two nodes' if is_synchronous else 'one node '}: {list_[-1][0]:6.1f} calls/s,"
                          f" median {list_[-1][1]:6.1f} ms", flush=True)
            for n, what in enumerate(("calls a second", "median of a call")):
                middle = {mode: statistics.median(row[n] for row in rows) for mode, rows in taken.items()}
                print(f"{what}: {middle[True] / middle[False]:.2f} of what it is without")
    finally:
        stack.remove()


if __name__ == "__main__":
    main()
