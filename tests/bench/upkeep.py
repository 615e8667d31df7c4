"""tests/bench/upkeep.py - whether customers notice that the books are proved or backed up, or that
gateways delete old holds.

A third of the full load runs alone and together with one of these, in turns. The goal is 1.2 times
the 99th percentile of the load alone.

The backup is pg_basebackup's. Like pgBackRest of the service `backup`, it reads all files and
compresses them with zstd, with a quarter of the CPU time of others. There are more old holds than
gateways can delete during the load, as after hours in which the clock was not steady.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg2

from part import Failure, command, wait_for
from postgres import BIN

ACCOUNTS = 100_000  # with fifty entries each (books.py): verify and a backup outlast a load
NICENESS = 6        # sched(7): a quarter of the CPU time of niceness 0, as compose.yaml's cpu_shares
GOAL = 1.2
OLD_HOLDS = 5_000_000
# Voided: these calls left no entry that `verify` looks for.
INSERT = f"""
    insert into hold (account_id, hold_id, amount, tool_id, state, created_at, expires_at, settled_at)
    select account_id, gen_random_uuid(), 1, tool_number('hash-generate'), 3, at, at, at
      from (select account_id from account limit 1000) a, generate_series(1, {OLD_HOLDS // 1000}) n,
           lateral (select now() - interval '9 days' + interval '1 minute' * n as at) s"""
OLD = "select count(*) from hold where expires_at < now() - interval '3 days'"


class Pruning:
    """Gateways delete holds only when the clock has not jumped for an hour (clock_is_steady())."""

    def __init__(self, stack):
        self._database = psycopg2.connect(stack.database())
        self._database.autocommit = True
        self._sql(INSERT)
        self._left = OLD_HOLDS

    def during(self, load):
        self._sql("update prune_clock set steady_since = now() - interval '2 hours'")
        wait_for(lambda: self._old() < self._left, 30, "a gateway that deletes old holds")
        before = self._old()
        report = load()
        self._sql("update prune_clock set steady_since = now()")
        self._left = self._old()
        if not self._left:
            raise Failure("there were too few old holds for the load")
        return report | {"done": f"{before - self._left} holds deleted"}

    def _sql(self, statement):
        with self._database.cursor() as cursor:
            cursor.execute(statement)

    def _old(self):
        with self._database.cursor() as cursor:
            cursor.execute(OLD)
            return cursor.fetchone()[0]


def repeated(work, load):
    """The load's report, while the work is done again and again."""
    enough = threading.Event()

    def repeat():
        count = 0
        while not enough.is_set():
            work()
            count += 1
        return count
    with ThreadPoolExecutor(1) as pool:
        repeats = pool.submit(repeat)
        try:
            report = load()
        finally:
            enough.set()
        return report | {"done": f"done {repeats.result()} times"}


def verify(stack):
    stack.tollctl("verify", "--whole")


def back_up(stack):
    command("sh", "-c", f"exec nice -n {NICENESS} {BIN}/pg_basebackup -h {stack.cluster.socket} -U postgres -D - -F tar"
            " -X none --checkpoint=fast --no-manifest --compress=client-zstd >/dev/null")


def tell_p99(name, alone, report):
    ratio = report["p99_ms"] / alone["p99_ms"]
    mark = "" if ratio <= GOAL else f"   above {GOAL}"
    print(f"    with {name}: {report['rate']:.0f}/s and {alone['rate']:.0f}/s alone, p99 {report['p99_ms']:.1f} and "
          f"{alone['p99_ms']:.1f} ms   = {ratio:.2f}{mark}   {report['done']}", flush=True)
