"""tests/bench/soak.py - `make soak`: hours at a third of the full load, with what operators do in
that time. Memory, descriptors, tables and the 99th percentile must stay flat.

    /usr/bin/python3 tests/bench/soak.py [--build build] [--minutes 120]

Each minute has one chore: a gateway, a worker or a portal is replaced, the edge takes a new
certificate, plans change, tokens come and go, logs are truncated. Each minute also has a sample.
Afterwards the samples of each figure are judged: it grows if Kendall's tau is significant and the
line through the samples (Theil and Sen) rises by more than its allowance in the whole time. Samples
of a part count from its last start on. Exit status 1 if a call was lost, a figure grows, or the
ledger does not add up.
"""

import argparse
import itertools
import math
import os
import re
import statistics
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

import psycopg2

from run import WRK_CONNECTIONS, calls, open_accounts, settle_down  # first: it extends sys.path
from part import Failure, command
from ports import Ports
from stack import ROOT, Stack, interruptible

ACCOUNTS = 15000    # each may call 30 times a minute: enough for a full load of 15,000 calls/s
MEASURE_S = 15
MANY_CONNECTIONS = 900  # less than a gateway's threads
MINUTE_S = 60
WARM_MINUTES = 10   # caches fill, and the database makes its first files
SAMPLES_MIN = 10    # of a figure, to be judged
ROWS_MIN = 10000    # of a table that is judged by row
# Tables whose rows stay for a day or longer, so that their size grows with the calls. They are
# judged by row.
KEPT = re.compile(r"ledger_entry|request_log\w*|request_day|hold|token|audit_log")
SIGNIFICANT_Z = 3.0  # of Kendall's tau: chance alone reaches it once in 700 figures
# How much a figure may rise in the whole time: the larger of a share of its median and a number.
ALLOWED = {"memory MB": (0.05, 3), "descriptors": (0.05, 5), "p99 ms": (0.25, 2), "bytes a row": (0.1, 16),
           "table KB": (0.1, 512)}
PLAN = """plans:
  soak:
    global_per_minute: {limit}
"""


def rise(values):
    """(the rise of Theil and Sen's line through equally distant values, z of Kendall's tau)."""
    pairs = [((later - value) / (n - m), later - value)
             for (m, value), (n, later) in itertools.combinations(enumerate(values), 2)]
    slope = statistics.median(slope for slope, _ in pairs)
    score = sum((difference > 0) - (difference < 0) for _, difference in pairs)
    count = len(values)
    z = score / math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    return slope * (count - 1), z


def grows(kind, values):
    share, least = ALLOWED[kind]
    by, z = rise(values)
    return z > SIGNIFICANT_Z and by > max(share * statistics.median(values), least)


def memory_mb(pids):
    """Resident memory, shared pages divided among their users (PSS of proc_pid_smaps(5))."""
    return sum(int(re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)[1])
               for pid in pids) / 1024


def descriptors(pids):
    return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids)


class Samples:
    """Figures by minute: {(kind, name): [values]}. A part's start again when it is replaced."""

    def __init__(self, stack, database):
        self._stack, self._database = stack, database
        self.figures = defaultdict(list)

    def forget(self, part):
        for kind in ("memory MB", "descriptors"):
            self.figures.pop((kind, part), None)

    def take(self, p99_ms):
        self.figures["p99 ms", "calls"].append(p99_ms)
        for name, part in self._stack.parts.items():
            if name == "postgres":
                continue  # its server processes come and go with sessions
            pids = (part.pid, *part.children())
            self.figures["memory MB", name].append(memory_mb(pids))
            self.figures["descriptors", name].append(descriptors(pids))
        for table, rows, size in self._tables():
            if not KEPT.fullmatch(table):
                self.figures["table KB", table].append(size / 1024)
            elif rows > ROWS_MIN:
                self.figures["bytes a row", table].append(size / rows)

    def _tables(self):
        """(name, rows, bytes with indexes) of each table with data."""
        with self._database.cursor() as cursor:
            cursor.execute("select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                           " where c.relkind = 'r' and n.nspname = 'public' order by 1")
            for name, in cursor.fetchall():
                cursor.execute(f"select count(*), pg_total_relation_size('{name}') from {name}")
                rows, size = cursor.fetchone()
                if rows:
                    yield name, rows, size

    def judged(self):
        """(kind, name, values, whether it grows) of each figure with enough samples."""
        for (kind, name), values in sorted(self.figures.items()):
            if len(values) >= SAMPLES_MIN:
                yield kind, name, values, grows(kind, values)


class Chores:
    """What operators and members do, one a minute in turn. Called by the main thread: parts that
    another thread starts end with it."""

    def __init__(self, stack, samples, accounts):
        self._stack, self._samples = stack, samples
        self._accounts = itertools.cycle(account for account, _ in accounts)
        self._limits = itertools.cycle((250, 300))
        replaced = ["gateway-1", "svc-utils-1", "portal-1"]  # their pairs run all the time, and are judged
        self._turns = itertools.cycle([*(lambda name=name: self._replace(name) for name in replaced),
                                       self._certificate, self._plans, self._tokens, self._logs])

    def next(self):
        return next(self._turns)()

    def _replace(self, name):
        self._stack.restart(name)
        self._samples.forget(name)
        return f"{name} was replaced"

    def _certificate(self):
        edge = self._stack.parts["edge"]
        file, key = Path(edge.env["EDGE_CERTIFICATE"]), self._stack.ca_file.with_name("key.pem")
        command("openssl", "req", "-x509", "-key", key, "-out", self._stack.ca_file, "-days", "90", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1", "-addext", "extendedKeyUsage=serverAuth")
        file.write_text(self._stack.ca_file.read_text() + key.read_text())
        command("bash", ROOT / "deploy" / "edge" / "take-certificate", env=os.environ | edge.env)
        return "the edge took a new certificate"

    def _plans(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(PLAN.format(limit=next(self._limits)))
            file.flush()
            self._stack.tollctl("plan", "apply", file.name)
        for plan in ("soak", "none"):
            self._stack.tollctl("account", "plan", next(self._accounts), plan, "--note", "soak")
        return "a plan changed, one account got it, another lost it"

    def _tokens(self):
        account = next(self._accounts)
        made = self._stack.tollctl("token", "create", account, "--name", "soak", "--json")
        self._stack.tollctl("token", "revoke", account, made["token_id"])
        return "a token came and went"

    def _logs(self):
        for part in self._stack.parts.values():
            os.truncate(part.log, 0)
        return "the logs were truncated"


def charged(database):
    """Credits that calls cost, less what came back."""
    with database.cursor() as cursor:
        cursor.execute("select -coalesce(sum(amount), 0) from ledger_entry where kind in (3, 4)")
        return int(cursor.fetchone()[0])


class Customers(threading.Thread):
    """Calls at a third of the full rate, a minute long."""

    def __init__(self, stack, accounts, pause_ms):
        super().__init__(daemon=True)
        self._load = lambda: calls(stack, accounts, MINUTE_S, pause_ms=pause_ms)
        self.result = None

    def run(self):
        self.result = self._load()


def soak(stack, minutes):
    database = psycopg2.connect(stack.database())
    database.autocommit = True
    accounts = open_accounts(stack.database(), ACCOUNTS, limits_off=False)
    # Memory that grows only once is taken first: a gateway's threads take theirs with their first
    # connection, and parts with a connection or an account that is new. Some of these calls are
    # rejected as `overloaded`.
    calls(stack, accounts, MEASURE_S, connections=MANY_CONNECTIONS)
    settle_down(stack)
    before = charged(database)
    full = calls(stack, accounts, MEASURE_S)
    pause_ms = round(WRK_CONNECTIONS * 1000 / (full["rate"] / 3) - full["p50_ms"])
    print(f"full load {full['rate']:.0f} calls/s; each of {WRK_CONNECTIONS} clients waits {pause_ms} ms between two calls",
          flush=True)
    samples = Samples(stack, database)
    chores = Chores(stack, samples, accounts)
    loads = [full]
    for minute in range(1, minutes + 1):
        customers = Customers(stack, accounts, pause_ms)
        customers.start()
        time.sleep(MINUTE_S / 3)
        chore = chores.next()
        customers.join()
        if customers.result is None:
            raise Failure("the load ended with an error")
        loads.append(customers.result)
        if minute > WARM_MINUTES:
            samples.take(customers.result["p99_ms"])
        failed = customers.result["refused"] + customers.result["broken"]
        print(f"minute {minute}: {customers.result['rate']:.0f} calls/s, p99 {customers.result['p99_ms']:.1f} ms, "
              f"{failed} failed{f' ({failures(database)})' if failed else ''}; {chore}", flush=True)
    judge(stack, samples, loads, charged(database) - before)


def failures(database):
    """What the last minute's failed calls ended with, as text."""
    with database.cursor() as cursor:
        cursor.execute("select status || ' ' || code, count(*) from request_log"
                       " where at > clock_timestamp() - interval '70 s' and status <> 200 group by 1 order by 2 desc")
        return ", ".join(f"{count} {what}" for what, count in cursor.fetchall()) or "none of them reached a gateway"


def judge(stack, samples, loads, cost):
    """A line of each figure has its values at the beginning, after each quarter, and at the end."""
    growing = []
    for kind, name, values, does_grow in samples.judged():
        by, z = rise(values)
        course = " ".join(f"{values[quarter * (len(values) - 1) // 4]:9.1f}" for quarter in range(5))
        print(f"{kind:12} {name:22} {course}   line {by:+9.1f}   z {z:+5.1f}{'   GROWS' if does_grow else ''}")
        growing += [f"{kind} of {name}"] * does_grow
    made = sum(load["calls"] for load in loads)
    failed = sum(load["refused"] + load["broken"] for load in loads)
    cut = cost - made  # calls in flight when a load ended, which wrk does not count
    print(f"{made} calls, {failed} failed; {cost} credits charged, so {cut} calls were cut by the end of their load")
    stack.tollctl("verify", "--whole")
    if failed or not 0 <= cut <= len(loads) * WRK_CONNECTIONS:
        raise Failure("calls failed, or their charges do not match")
    if growing:
        raise Failure(f"these grow: {', '.join(growing)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--minutes", type=int, default=120)
    given = parser.parse_args()
    interruptible()
    directory = tempfile.mkdtemp(prefix="tollgate-soak-")
    ports = Ports()
    stack = Stack(directory, given.build, gateways=2, daemons=2, portals=2,
                  settings={"limits.unlimited_addresses": ["127.0.0.0/8"], "gateway.drain_delay_ms": 6000},
                  edge={"EDGE_CONTROL": f"127.0.0.1:{ports.reserve()}", "EDGE_MAX_CONNECTIONS_PER_IP": 2000,
                        "EDGE_CONNECTION_RATE_PER_IP": 100000, "EDGE_MAX_REQUESTS_PER_IP": 2000,
                        "EDGE_REQUEST_RATE_PER_IP": 1000000})
    try:
        with stack:
            soak(stack, given.minutes)
    except Failure as failure:
        sys.exit(f"make soak: {failure}")
    finally:
        stack.remove()
        ports.release()
    print("all figures are flat, and the ledger adds up")


if __name__ == "__main__":
    main()
