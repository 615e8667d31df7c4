"""tests/bench/isolation.py - whether a customer of a utility notices another customer who fills
every slot of svc-security, or has 32 websites audited at once.

hash-generate is called through the edge at a fixed, modest rate: first on an idle system, then
while 256 scans wait for the last byte of a page, then while 32 customers audit a fast site
repeatedly, which is work for three workers. The rate does not depend on the responses, and each
call is timed from the moment it was due, so a pause of the gateway counts in all calls that it
delays. The goal is 1.5 times the idle time, at the median and at the 99th percentile.

CPUs are shared as in compose.yaml. In production, customers and target sites are not on this
machine. So the measuring processes do not wait for a CPU; the other ones take what is left, without
the CPU that workers leave to others. Each load is measured in turns with an idle round, three
times, and the round with the middle ratio is printed.
"""

import hashlib
import math
import multiprocessing
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from cost import status_mb
from kit.client import Client
from kit.load import metric
from kit.scans import SLOTS, Scans, running
from kit.site import Account, Site
from part import Failure, wait_for
from stack import ROOT
from tools import Caller, body_of, percentile

sys.path.append(str(ROOT / "deploy"))

from compose_file import ComposeFile  # noqa: E402

RATE = 100  # calls a second: far below the capacity, so that the times are the call's own
LINES = 4
TEXT = "The quick brown fox jumps over the lazy dog"
HASH = hashlib.sha256(TEXT.encode()).hexdigest()
SLEEPING = [("seo-analyze", {"url": "http://held.slowhost.net/?1000"})]  # until its 20 s are over
AUDITS = 32
AUDITOR = "svc-reports-1"
AUDITED = {"url": "https://example.com/"}
NICEST = 19
ROUNDS = 3
GOAL = 1.5


class Line(threading.Thread):
    """Every LINES-th of the calls that are due from `begin` on; times in ms."""

    def __init__(self, stack, pair, first, begin, count):
        super().__init__(daemon=True)
        self.times, self.wrong = [], 0
        self._caller = Caller(stack, *pair)
        self._dues = [begin + n / RATE for n in range(first, count, LINES)]

    def run(self):
        with suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # of this thread
        for due in self._dues:
            time.sleep(max(0, due - time.monotonic()))
            self.wrong += not self._call()
            self.times.append((time.monotonic() - due) * 1000)

    def _call(self):
        caller = self._caller
        caller.line.request("POST", f"{caller.path}hash-generate", body_of({"input": TEXT}),
                            caller.headers | {"Content-Type": "application/json"})
        answer = caller.line.getresponse()
        return HASH.encode() in answer.read() and answer.status == 200


def share_processors(stack, world):
    """Each part is a session, the unit that the scheduler shares CPUs among: autogroups of
    sched(7). A step of niceness is a fifth of the share."""
    shares = {name: service.get("cpu_shares", 1024) for name, service in ComposeFile(ROOT).services.items()}
    for name, part in stack.parts.items():
        share = shares.get(name.rpartition("-")[0], 1024)
        yield_processor(part.pid, round(math.log(1024 / share, 1.25)))
    for part in world.parts:
        yield_processor(part.pid, NICEST)
        for thread in os.listdir(f"/proc/{part.pid}/task"):
            leave_processor(int(thread))


def leave_processor(thread=0):
    """The first CPU of the machine, as for workers with egress: svc.reserved_cpus."""
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(thread, all_of_them - {min(all_of_them)} or all_of_them)


def yield_processor(pid, niceness):
    with suppress(FileNotFoundError):  # a kernel without them
        Path(f"/proc/{pid}/autogroup").write_text(str(niceness))


def times_of_calls(stack, pair, seconds):
    """Of all calls; Failure if one got no response, or a wrong result."""
    begin = time.monotonic() + 0.5
    lines = [Line(stack, pair, n, begin, seconds * RATE) for n in range(LINES)]
    for line in lines:
        line.start()
    for line in lines:
        line.join()
    times = [ms for line in lines for ms in line.times]
    wrong = sum(line.wrong for line in lines) + seconds * RATE - len(times)
    if wrong:
        raise Failure(f"{wrong} of {seconds * RATE} calls of hash-generate had a wrong response")
    return times


@contextmanager
def waiting_scans(stack, site, account):
    scans = Scans(site, account, SLEEPING)
    wait_for(lambda: running(stack) == SLOTS, 8, f"{SLOTS} scans at once")
    yield
    left = scans.under_way()
    strange = [answer for _, answer, _ in scans.answers() if answer.status_code != 200]
    if strange or left < SLOTS:
        raise Failure(f"of {SLOTS} scans {left} lasted as long as they should, {len(strange)} failed: {strange[:1]}")
    print(f"hash-generate at {RATE}/s, alone and during {SLOTS} waiting scans")


def audit_until(site, account, is_over, told):
    """Repeatedly, by each of AUDITS clients; the number of responses, and the incomplete ones."""
    def client():
        answers = []
        while not is_over.is_set():
            answers.append(Client(site).call(account, "website-audit", AUDITED))
        return answers

    os.setsid()
    yield_processor("self", NICEST)
    leave_processor()
    with ThreadPoolExecutor(AUDITS) as pool:
        asked = [pool.submit(client) for _ in range(AUDITS)]
    answers = [answer for one in asked for answer in one.result()]
    strange = [str(answer) for answer in answers
               if answer.status_code != 200 or answer.json()["result"]["partial"]]
    told.put((len(answers), strange))


@contextmanager
def audits(stack, site, account):
    """Run by a separate process, so that its work does not delay the measuring ones."""
    process = multiprocessing.get_context("fork")
    is_over, told = process.Event(), process.Queue()
    clients = process.Process(target=audit_until, args=(site, account, is_over, told))
    clients.start()
    try:
        wait_for(lambda: metric(stack, AUDITOR, "tollgate_jobs_running") > AUDITS / 2, 8, f"{AUDITS} audits at once")
        yield
    finally:
        is_over.set()
    count, strange = told.get()
    clients.join()
    if strange:
        raise Failure(f"of {count} audits {len(strange)} failed, at least in part: {strange[0]}")
    print(f"hash-generate at {RATE}/s, alone and during {AUDITS} audits at once: {count} of them, "
          f"svc-reports {status_mb(stack.parts[AUDITOR].pid, 'VmHWM'):.0f} MB at its peak")


def measure(stack, world, pair, seconds):
    """Print each next to the idle round before it, and their ratios. pair: account and token,
    without limits."""
    share_processors(stack, world)
    times_of_calls(stack, pair, 1)  # connections of the gateway and the edge are made once
    for neighbours in (waiting_scans, audits):
        rounds = []
        for _ in range(ROUNDS):
            alone = times_of_calls(stack, pair, seconds)
            with neighbours(stack, Site.of(stack, world), Account(*pair, "")):
                rounds.append((alone, times_of_calls(stack, pair, seconds)))
        for percent in (50, 99):
            tell(percent, [[percentile(times, percent) for times in both] for both in rounds])


def tell(percent, rounds):
    """Of pairs, idle and loaded, the one with the middle ratio."""
    before, now = sorted(rounds, key=lambda pair: pair[1] / pair[0])[ROUNDS // 2]
    mark = "" if now <= GOAL * before else f"   above {GOAL}"
    print(f"    p{percent} {before:6.2f} ms {now:6.2f} ms   = {now / before:.2f} of alone{mark}", flush=True)
