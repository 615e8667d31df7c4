"""tests/simulator/compare.py - the model of the ledger's functions against a real PostgreSQL, on
random schedules. After each statement, the returned rows and all rows of the ledger are equal.

    /usr/bin/python3 tests/simulator/compare.py [--build build] [--seeds 200] [--from 1] [--jobs 2]
    /usr/bin/python3 tests/simulator/compare.py --seed 858     # one, with each of its statements
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

import psycopg2  # noqa: E402

from kit.database.memory import MEMORY  # noqa: E402
from kit.database.scratch import maker, own_cluster  # noqa: E402
from postgres import CLUSTERS  # noqa: E402

PROGRAM = "tests/simulator/simulator"
CLOCK = """create or replace function ledger_now_ms() returns bigint language sql volatile as
           $$ select current_setting('tollgate.clock_ms')::bigint $$"""


class Postgres:
    """A cluster, and databases of it with the ledger and a clock that the simulator sets."""

    def __init__(self, cluster, build, directory):
        self._build = Path(build).resolve()
        self._make = maker(cluster, build, directory)
        self._migrated = self._make()
        self._migrated.ask("db", "migrate")
        self._migrated.sql(CLOCK)
        self._migrated.sql("grant pg_read_all_data to tollgate_gateway", role="postgres")

    def copy(self, change=None):
        """The connection string of another database, without a user. change: SQL to run in it."""
        database = self._make(self._migrated._name)
        if change:
            database.sql(change)
        return database.url("postgres").replace(" user=postgres", "")

    def run(self, url, *arguments):
        """Start a simulator on a database; its output is a pipe."""
        return subprocess.Popen([self._build / PROGRAM, "--compare", url, *map(str, arguments)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@contextlib.contextmanager
def own_postgres(build):
    """In memory if there is some: a schedule is thousands of short transactions."""
    if os.access(MEMORY, os.W_OK):
        os.environ.setdefault(CLUSTERS, str(MEMORY))
    with tempfile.TemporaryDirectory() as directory, own_cluster() as cluster:
        yield Postgres(cluster, build, Path(directory))


def run_shares(postgres, first, count, jobs, change=None):
    """The outputs of failed processes, which have shared the seeds. change: as in copy()."""
    bounds = [first + count * i // jobs for i in range(jobs + 1)]
    running = [postgres.run(postgres.copy(change), "--from", a, "--seeds", b - a) for a, b in zip(bounds, bounds[1:])]
    outputs = [process.communicate()[0] for process in running]
    return [text for process, text in zip(running, outputs) if process.returncode]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--seeds", default=200, type=int)
    parser.add_argument("--from", default=1, type=int, dest="first")
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    with own_postgres(options.build) as postgres:
        if options.seed is not None:
            process = postgres.run(postgres.copy(), "--seed", options.seed)
            print(process.communicate()[0], end="")
            sys.exit(process.returncode)
        failed = run_shares(postgres, options.first, options.seeds, options.jobs)
    if failed:
        sys.exit("".join(failed))
    print(f"{options.seeds} schedules, PostgreSQL and the model are equal")


if __name__ == "__main__":
    main()
