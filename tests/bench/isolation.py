"""tests/bench/isolation.py - what a customer of a utility notices of somebody who takes every slot of
svc-security, or has 32 websites audited at once: nothing, should be.

hash-generate is called through the edge at a fixed, modest rate, first with nothing else going on, then while
256 scans wait for a site that has sent its page but for the last byte, then while 32 customers have a fast site
audited again and again, which is work for three daemons. The rate is kept whatever the answers take, and each is
timed from the moment it was due, so that a pause of the gateway is seen by all calls that it holds up. The goal is
1.5 times the time alone, at the median and at the 99th percentile.

Processors are shared as compose.yaml has them shared. Customers and the sites that are looked at are not on this
machine in life: those who measure do not wait for a processor, all others of them take what is left, and none of the
one that the daemons leave to others. Each is measured alone and beside in turns, three times, and the round with the
middle ratio is told.
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

RATE = 100  # calls a second: far from what it can do, so that the times are the call's own
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
    """Each part is a session, which are groups that processors are shared among: autogroups of sched(7). A step of
    niceness is a fifth of the share."""
    shares = {name: service.get("cpu_shares", 1024) for name, service in ComposeFile(ROOT).services.items()}
    for name, part in stack.parts.items():
        share = shares.get(name.rpartition("-")[0], 1024)
        yield_processor(part.pid, round(math.log(1024 / share, 1.25)))
    for part in world.parts:
        yield_processor(part.pid, NICEST)
        for thread in os.listdir(f"/proc/{part.pid}/task"):
            leave_processor(int(thread))


def leave_processor(thread=0):
    """The first, of the machine, as daemons that go out do: svc.reserved_cpus."""
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(thread, all_of_them - {min(all_of_them)} or all_of_them)


def yield_processor(pid, niceness):
    with suppress(FileNotFoundError):  # a kernel without them
        Path(f"/proc/{pid}/autogroup").write_text(str(niceness))


def times_of_calls(stack, pair, seconds):
    """Of all calls; Failure when one was not answered, or not with its result."""
    begin = time.monotonic() + 0.5
    lines = [Line(stack, pair, n, begin, seconds * RATE) for n in range(LINES)]
    for line in lines:
        line.start()
    for line in lines:
        line.join()
    times = [ms for line in lines for ms in line.times]
    wrong = sum(line.wrong for line in lines) + seconds * RATE - len(times)
    if wrong:
        raise Failure(f"{wrong} of {seconds * RATE} calls of hash-generate were answered wrong")
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
    print(f"hash-generate at {RATE}/s, alone and beside {SLOTS} scans that wait")


def audit_until(site, account, is_over, told):
    """One after the other by each of AUDITS clients; how many answers there were, and those that are not whole."""
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
    """Asked for by a process of its own, so that its work is not in the way of those who measure."""
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
    print(f"hash-generate at {RATE}/s, alone and beside {AUDITS} audits at once: {count} of them, "
          f"svc-reports {status_mb(stack.parts[AUDITOR].pid, 'VmHWM'):.0f} MB at its peak")


def measure(stack, world, pair, seconds):
    """Print each beside what came alone right before, and their ratios. pair: account and token, without limits."""
    share_processors(stack, world)
    times_of_calls(stack, pair, 1)  # connections of the gateway's and the edge's are made once
    for neighbours in (waiting_scans, audits):
        rounds = []
        for _ in range(ROUNDS):
            alone = times_of_calls(stack, pair, seconds)
            with neighbours(stack, Site.of(stack, world), Account(*pair, "")):
                rounds.append((alone, times_of_calls(stack, pair, seconds)))
        for percent in (50, 99):
            tell(percent, [[percentile(times, percent) for times in both] for both in rounds])


def tell(percent, rounds):
    """Of pairs, alone and beside, the one with the middle ratio."""
    before, now = sorted(rounds, key=lambda pair: pair[1] / pair[0])[ROUNDS // 2]
    mark = "" if now <= GOAL * before else f"   above {GOAL}"
    print(f"    p{percent} {before:6.2f} ms {now:6.2f} ms   = {now / before:.2f} of alone{mark}", flush=True)
