"""tests/faults/test_groups.py - a group that fails, or that an attacker controls, affects no other
group."""

import json
import os
import shutil
import subprocess
from pathlib import Path
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from kit.check import ROOT
from kit.load import SETTINGS, Line, metric
from kit.groups import GROUPS
from kit.site import Site
from kit.worker import WELCOME, Squatters, Worker, allow_list
from part import wait_for

pytestmark = pytest.mark.xdist_group("groups")

PLACES = 128    # of a group at a gateway
LOG_LINES = 10  # of one kind in a second
THREADS = 64
SHARE = THREADS // 2 // len(GROUPS)
COMMON = THREADS // 4
CHAT = ("chatplatform-snowflake-decode", {"snowflake": "175928847299117063"})


@pytest.fixture(scope="module")
def stack(own_stack, tmp_path_factory):
    """A call of CHAT may take as long as a scan."""
    contracts = tmp_path_factory.mktemp("contracts")
    for group in GROUPS:
        shutil.copytree(ROOT / group, contracts / group)
    slow = contracts / "svc-chat" / CHAT[0] / f"{CHAT[0]}.yaml"
    text = slow.read_text()
    assert "budget_ms: 2000\n" in text
    slow.write_text(text.replace("budget_ms: 2000\n", "budget_ms: 25000\n"))
    return own_stack(settings=SETTINGS | {"contracts_dir": str(contracts), "gateway.threads": THREADS})


@pytest.fixture
def account(stack):
    return Site.of(stack).open_account(100000, limits_off=True)


@pytest.fixture
def allow(stack):
    """Replace the gateway's list of keys, {group: [name of a key pair]}; the old one comes back at
    the end."""
    folder = stack.directory / "keys"
    with allow_list(stack) as (before, load):
        def replace(groups):
            keys = {group: [(folder / f"{name}.public").read_text().strip() for name in names]
                    for group, names in groups.items()}
            load(before | keys)

        yield replace


def call(books, account, tool, request):
    line = Line(books.site, books.stack.gateways[0])
    assert line.open()
    answer, _ = line.call(account, tool, request)
    line.close()
    return answer


def up(stack, group):
    return metric(stack, "gateway-1", f'tollgate_workers{{group="{group}"}}')


def processors(stack, group):
    """The CPUs on which each of its worker's threads may run."""
    pid = stack.parts[f"{group}-1"].pid
    return {frozenset(os.sched_getaffinity(int(thread))) for thread in os.listdir(f"/proc/{pid}/task")}


def test_workers_with_egress_reserve_a_cpu(stack):
    all_of_them = os.sched_getaffinity(0)
    is_part = len(all_of_them) < os.cpu_count()  # then the worker reserves no CPU
    rest = all_of_them if is_part else all_of_them - {min(all_of_them)} or all_of_them
    for name, group in GROUPS.items():
        assert processors(stack, name) == {frozenset(rest if group["outside"] else all_of_them)}, name


@pytest.mark.parametrize("name, key, value, why", [
    ("svc-reports-1", "TOLLGATE_SVC_RESERVED_CPUS", "1025", "svc.reserved_cpus must be 0 to 1024"),
    ("svc-reports-1", "TOLLGATE_SVC_RESERVED_CPUS", "-1",
     "TOLLGATE_SVC_RESERVED_CPUS must be a whole number, 0 or more"),
    ("svc-reports-1", "TOLLGATE_SVC_RESERVED_CPUS", "one",
     "TOLLGATE_SVC_RESERVED_CPUS must be a whole number, 0 or more"),
    ("gateway-1", "TOLLGATE_LEDGER_SWEEP_MS", "600001", "ledger.sweep_ms must be 100 to 600000"),
    ("gateway-1", "TOLLGATE_LEDGER_SWEEP_MS", "99", "ledger.sweep_ms must be 100 to 600000"),
])
def test_invalid_numbers(stack, name, key, value, why):
    part = stack.parts[name]
    done = subprocess.run(part.argv, env=os.environ | part.env | {key: value}, timeout=20, capture_output=True,
                          text=True)
    assert done.returncode == 78 and done.stderr == f"{Path(part.argv[0]).name}: {why}\n"


LISTENERS = {  # and where another process listens
    "gateway-1": {"TOLLGATE_GATEWAY_LISTEN": "127.0.9.1:23456", "TOLLGATE_GATEWAY_ADMIN": "127.0.9.1:23457",
                  "TOLLGATE_BUS_LISTEN": "tcp://127.0.9.1:23458"},
    "svc-reports-1": {"TOLLGATE_SVC_ADMIN": "127.0.9.1:23457"},
}


@pytest.mark.parametrize("name, key", [(name, key) for name, keys in LISTENERS.items() for key in keys])
def test_a_taken_port(stack, name, key):
    """A second process with one address of the first exits at once and names the address."""
    part = stack.parts[name]
    taken = part.env[key]
    done = subprocess.run(part.argv, env=os.environ | part.env | LISTENERS[name] | {key: taken}, timeout=20,
                          capture_output=True, text=True)
    assert done.returncode == 78 and f"{Path(part.argv[0]).name}: cannot listen on " in done.stderr
    assert taken in done.stderr


def test_a_stolen_key_takes_its_groups_places_only(stack, books, account):
    """Workers of other groups connect and disconnect; the log is not filled with rejections."""
    begun = time.monotonic()
    with Squatters(stack, 2 * PLACES + 10) as squatters:
        wait_for(lambda: up(stack, "utils") == PLACES and metric(stack, "gateway-1", "tollgate_workers_rejected_total") > 100, 20,
                 "every place to be taken")
        stack.parts["svc-chat-1"].stop()
        stack.start_part("svc-chat-1")
        wait_for(lambda: up(stack, "chat") == 1, 5, "the daemon to be back")
        assert call(books, account, *CHAT).status == 200
        assert up(stack, "utils") == PLACES and squatters.places == PLACES - 1
    seconds = time.monotonic() - begun
    log = stack.parts["gateway-1"].log.read_text()
    for line in ("worker refused", "worker ready", "worker lost"):
        assert log.count(json.dumps(line)) <= LOG_LINES * (seconds + 1)


def test_a_stolen_key_takes_no_place_of_another_key(stack, books, account, allow):
    """Each of a group's two keys has half of the places; a revoked key has none."""
    stack.tollctl("keys", "create", stack.directory / "keys" / "svc-other")
    allow({"utils": ["svc-utils", "svc-other"]})
    with Squatters(stack, PLACES) as squatters:
        wait_for(lambda: up(stack, "utils") == PLACES / 2, 20, "its places to be taken")
        with Worker(stack, keys="svc-other") as other:
            assert other.serve() == WELCOME
            allow({"utils": ["svc-other"]})
            wait_for(lambda: up(stack, "utils") == 1 and squatters.places == 0, 5, "the end of the stolen key")


class Holder:
    """A worker that takes every job, and replies to all of them at its end."""

    def __init__(self, stack, group):
        self.jobs = []
        self._worker = Worker(stack, keys=f"svc-{group}")
        assert self._worker.serve(group, slots=THREADS) == WELCOME
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        while not self._ends.is_set():
            job = self._worker.job(0.1)
            if job:
                self.jobs.append(job)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()
        for job in self.jobs:
            self._worker.reply(job.id, b"{}")
        self._worker.close()


@pytest.fixture
def saturated(stack):
    """No real worker of these groups."""
    names = ["svc-security-1", "svc-chat-1"]
    for name in names:
        stack.parts[name].stop()
    yield
    for name in names:
        stack.start_part(name)


def refused(futures):
    return sum(future.done() and future.result().codes == ("overloaded",) for future in futures)


def test_saturated_groups_starve_no_other(stack, books, account, saturated):
    """Two groups ask for every thread and return none: the third has its own share, at once."""
    with ThreadPoolExecutor(3 * THREADS) as pool, Holder(stack, "security") as slow, Holder(stack, "chat") as also_slow:
        def calls(count, tool, request):
            return [pool.submit(call, books, account, tool, request) for _ in range(count)]

        scans = calls(THREADS, "security-headers", {"url": "https://example.com/"})
        wait_for(lambda: len(slow.jobs) == SHARE + COMMON and refused(scans) == THREADS - SHARE - COMMON, 10,
                 "the first group to be saturated")
        chats = calls(THREADS, *CHAT)
        wait_for(lambda: len(also_slow.jobs) == SHARE and refused(chats) == THREADS - SHARE, 10,
                 "the second group to be saturated")
        hashes = [future.result() for future in calls(SHARE, "hash-generate", {"input": "abc"})]
        assert {answer.status for answer in hashes} == {200}
        assert (len(slow.jobs), len(also_slow.jobs)) == (SHARE + COMMON, SHARE)
    answers = [future.result() for future in scans + chats]
    assert sum(answer.status == 200 for answer in answers) == SHARE + COMMON + SHARE
    books.check([account], hashes + answers)
