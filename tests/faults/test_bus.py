"""tests/faults/test_bus.py - hostile and confused peers at the ZeroMQ port: none of their messages
is charged or affects honest peers."""

import contextlib
import json
import os
import random
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zmq

from kit.contracts import copy_contracts
from kit.load import SETTINGS, TIMEOUT_S, TOOL, Load, Line, check_load, metric
from kit.site import Site
from kit.worker import (CANCEL, CREDIT, FRAME_BYTES, GOODBYE, HEARTBEAT, JOB, NACK, READY, REPLY, WELCOME, Gateway, Worker,
                        allow_list, pack)
from part import slowness, wait_for

pytestmark = pytest.mark.xdist_group("bus")

SEED = 20260101
DAEMON = "svc-utils-1"
STRANGERS = 16
JOBS = 40  # a worker of one slot lets this many wait
ZMTP_GREETING = b"\xff" + bytes(8) + b"\x7f\3\1" + b"CURVE".ljust(20, b"\0") + bytes(32)  # RFC 23 of the ZeroMQ project
ZMTP_LONG_COMMAND = b"\6"


ONCE = "placeholder-image?width=8&height=8"  # here its contract says that it is started at most once; budget 2 s


@pytest.fixture(scope="module")
def stack(own_stack, tmp_path_factory):
    contracts = tmp_path_factory.mktemp("contracts")
    copy_contracts(contracts, patient=[TOOL])
    tool = ONCE.partition("?")[0]
    once = contracts / "svc-utils" / tool / f"{tool}.yaml"
    text = once.read_text()
    assert "retryable: true" in text
    once.write_text(text.replace("retryable: true", "retryable: false"))
    return own_stack(settings=SETTINGS | {"contracts_dir": str(contracts)})


@pytest.fixture
def account(stack):
    return Site.of(stack).open_account(100000, limits_off=True)


@pytest.fixture
def alone(stack):
    """No real worker: the jobs go to the test's worker."""
    stack.parts[DAEMON].stop()
    yield
    stack.start_part(DAEMON)


class Caller:
    """One running call; answer() waits for it."""

    def __init__(self, books, account, tool=TOOL, method="POST"):
        self._line = Line(books.site, books.stack.gateways[0])
        assert self._line.open()
        self._thread = threading.Thread(target=self._run, args=(account, tool, method))
        self._thread.start()

    def _run(self, account, tool, method):
        self._call, self._content = self._line.call(account, tool, method=method)
        self._line.close()

    def answer(self):
        self._thread.join(TIMEOUT_S)
        return self._call

    def result(self):
        return json.loads(self._content)["result"]


FAILURES = (f'tollgate_failed_calls_total{{tool="{TOOL}",group="utils"}}', 'tollgate_call_errors_total{code="no_worker"}')


def counted(stack, name):
    return metric(stack, "gateway-1", name)


def test_duplicate_replies(stack, books, account, alone):
    late = counted(stack, "tollgate_job_unexpected_replies_total")
    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        caller = Caller(books, account)
        job = worker.job()
        for _ in range(5):
            worker.reply(job.id)
        call = caller.answer()
        wait_for(lambda: counted(stack, "tollgate_job_unexpected_replies_total") == late + 4, 5, "the count of duplicates")
    assert call.status == 200 and books.charged(account) == 1
    books.check([account], [call])


def test_late_reply(stack, books, account, alone):
    """504 within the budget; later replies are dropped."""
    late = counted(stack, "tollgate_job_unexpected_replies_total")
    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        caller = Caller(books, account, ONCE, "GET")
        job = worker.job()
        assert 0 < job.budget_ms <= 2000
        call_ended = threading.Event()
        watcher = threading.Thread(target=lambda: (caller.answer(), call_ended.set()))
        watcher.start()
        while not call_ended.is_set():
            worker.receive(0.1)  # stay alive
        worker.reply(job.id)
        wait_for(lambda: counted(stack, "tollgate_job_unexpected_replies_total") == late + 1, 5, "the count")
        call = caller.answer()
    assert (call.status, call.codes) == (504, ("deadline_exceeded",)) and call.seconds < 3 * slowness()
    assert books.charged(account) == 0
    books.check([account], [call])


def test_foreign_reply(stack, books, account, alone):
    """Another worker of the same group replies to a job that it was not given: the gateway ignores
    it."""
    late = counted(stack, "tollgate_job_unexpected_replies_total")
    with Worker(stack) as owner, Worker(stack) as outsider:
        assert owner.serve() == WELCOME
        caller = Caller(books, account)
        job = owner.job()
        assert outsider.serve() == WELCOME
        outsider.reply(job.id, b'{"hash":"forged"}')
        outsider.reply(os.urandom(16), b'{"hash":"forged"}')
        wait_for(lambda: counted(stack, "tollgate_job_unexpected_replies_total") == late + 2, 5, "the count")
        owner.reply(job.id, b'{"hash":"honest"}')
        call = caller.answer()
    assert call.status == 200 and caller.result() == {"hash": "honest"}
    books.check([account], [call])


def test_worker_gone_with_a_job(stack, books, account, alone):
    """A retryable job is started once more, on another worker, as its second attempt."""
    with Worker(stack) as second:
        with Worker(stack) as first:
            assert first.serve() == WELCOME
            caller = Caller(books, account)
            job = first.job()
            assert second.serve() == WELCOME
        again = second.job()
        assert (again.id, again.attempt, job.attempt) == (job.id, 2, 1)
        second.reply(again.id)
        call = caller.answer()
    assert call.status == 200 and books.charged(account) == 1
    books.check([account], [call])


def test_worker_gone_with_a_job_that_may_run_once(stack, books, account, alone):
    """503 at once, unpaid; the job goes to no other worker."""
    with Worker(stack) as second:
        with Worker(stack) as first:
            assert first.serve() == WELCOME
            caller = Caller(books, account, ONCE, "GET")
            assert first.job()
            assert second.serve() == WELCOME
        assert second.job(1) is None
        call = caller.answer()
    assert (call.status, call.codes) == (503, ("worker_lost",)) and call.seconds < 4 * slowness()
    assert books.charged(account) == 0
    books.check([account], [call])


def test_worker_gone_after_its_reply(stack, books, account, alone):
    """Its replies count, even when both arrive together."""
    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        caller = Caller(books, account)
        job = worker.job()
        stack.parts["gateway-1"].freeze()
        worker.reply(job.id)
    stack.parts["gateway-1"].thaw()
    call = caller.answer()
    assert call.status == 200 and books.charged(account) == 1
    books.check([account], [call])


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b'{"a":', b'{"a":1}x', b'{"a":"\xff"}',
                                  b'{"a":1,"a":2}', b"[" * 100, b'{"a":"' + b"x" * (5 << 20) + b'"}'],
                         ids=lambda body: repr(body[:9]))
def test_invalid_results(stack, books, account, alone, body):
    """500 and void: never a broken envelope, never a charge."""
    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        caller = Caller(books, account)
        worker.reply(worker.job().id, body)
        call = caller.answer()
    assert (call.status, call.codes) == (500, ("internal_error",))
    assert books.charged(account) == 0
    books.check([account], [call])


@pytest.mark.parametrize("content_type, name, status", [
    ("image/svg+xml", "ETag", 200), ("image/svg+xml", "etag", 500), ("image/svg+xml", "Set-Cookie", 500),
    ("image/svg+xml", "Content-Length", 500), ("text/html", "ETag", 500)])
def test_raw_answer(stack, books, account, alone, content_type, name, status):
    """The contract lists types and headers; anything else is never passed on."""
    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        caller = Caller(books, account, ONCE, method="GET")
        worker.reply(worker.job().id, b"<svg/>", content_type=content_type, headers=[(name, "1")])
        call = caller.answer()
    assert call.status == status and (status == 200 or call.codes == ("internal_error",))
    assert books.charged(account) == (status == 200)
    books.check([account], [call])


def test_raw_answer_of_no_bytes(stack, books, account, alone):
    """It is stored for its Idempotency-Key like any other."""
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    with Worker(stack) as worker, ThreadPoolExecutor(1) as pool:
        assert worker.serve() == WELCOME
        asked = [account, ONCE, None, {"Idempotency-Key": "nothing"}, "GET"]
        first = pool.submit(line.call, *asked)
        worker.reply(worker.job().id, b"", content_type="image/svg+xml")
        calls = [first.result(), line.call(*asked)]
    line.close()
    assert [(call.status, call.replayed, content) for call, content in calls] == [(200, False, b""), (200, True, b"")]
    assert books.charged(account) == 1
    books.check([account], [call for call, _ in calls])


def test_nacks_without_end(stack, books, account, alone):
    """NACK to everything: the call ends within its budget, unpaid."""
    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        caller = Caller(books, account, ONCE, "GET")
        call_ended = threading.Event()
        watcher = threading.Thread(target=lambda: (caller.answer(), call_ended.set()))
        watcher.start()
        nacks = 0
        while not call_ended.is_set():
            job = worker.job(0.1)
            if job:
                nacks += 1
                worker.send(NACK, pack(f1=job.id, f2=4))
        call = caller.answer()
    assert nacks >= 1 and call.status == 503 and call.seconds < 3 * slowness()
    books.check([account], [call])


def test_a_silent_worker(stack, books, account, alone):
    """It takes jobs and is silent: 504 within the budget; later it counts as dead."""
    lost = counted(stack, "tollgate_workers_lost_total")
    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        call = Caller(books, account, ONCE, "GET").answer()
        assert call.status == 504 and call.seconds < 3 * slowness()
        wait_for(lambda: counted(stack, "tollgate_workers_lost_total") == lost + 1, 8, "its death by silence")
    books.check([account], [call])


def test_a_worker_that_never_finishes(stack, books, account, alone):
    """It gets at most as many jobs as it has slots, while it reports them as running."""
    with Worker(stack) as worker:
        assert worker.serve(slots=2) == WELCOME
        given_up = [Caller(books, account, ONCE, "GET") for _ in range(2)]
        assert all(worker.job() for _ in given_up)
        worker.running = 2
        assert worker.job(2) is None
        calls = [caller.answer() for caller in given_up]
        refused = Caller(books, account, ONCE, "GET")
        assert worker.job(2) is None
        calls.append(refused.answer())
        worker.running = 1
        served = Caller(books, account, ONCE, "GET")
        worker.reply(worker.job().id, b"<svg/>", content_type="image/svg+xml")
        calls.append(served.answer())
    assert [call.status for call in calls] == [504, 504, 503, 200]
    assert calls[2].codes == ("overloaded",)
    books.check([account], calls)


def test_a_worker_reports_to_each_gateway(stack, alone):
    """It reports the running jobs of the gateway that asks. On a busy machine, one gateway's jobs
    can be over before the other has asked: then once more."""
    daemon = stack.parts[DAEMON]
    honest = daemon.env
    with Gateway(stack) as busy, Gateway(stack) as idle:
        daemon.env = honest | {"TOLLGATE_BUS_GATEWAYS": f"{busy.address},{idle.address}", "TOLLGATE_SVC_CONCURRENCY": "1"}
        daemon.start()
        try:
            busy.welcome()
            idle.welcome()
            def asked_during_jobs():
                for _ in range(JOBS):
                    busy.send(JOB, pack(f1=os.urandom(16), f2="json-to-code", f3=bytes(16), f4=60000, f7=1 << 24, f8=1),
                              json.dumps({"json": [{f"key{n}": n} for n in range(2000)]}).encode())
                first, others, last = busy.ping(), idle.ping(), busy.ping()
                assert first <= JOBS and others == 0
                wait_for(lambda: busy.ping() == 0, 10, "the end of its jobs")
                return first > 0 and last > 0

            wait_for(asked_during_jobs, 30, "both gateways ask while jobs run")
        finally:
            daemon.kill()
            daemon.env = honest


def test_keys(stack, books, account):
    """A key that is not listed gets no connection; one of another group cannot be svc-utils."""
    before = counted(stack, "tollgate_workers")
    with Worker(stack, keys=None) as outsider:
        assert outsider.serve() is None
    stack.tollctl("keys", "create", stack.directory / "keys" / "svc-other")
    public = (stack.directory / "keys" / "svc-other.public").read_text().strip()
    with allow_list(stack) as (groups, replace):
        replace(groups | {"other": [public]})
        with Worker(stack, keys="svc-other") as other:
            assert other.serve("utils") == GOODBYE
        with Worker(stack, keys="svc-other") as other:
            assert other.serve("other") == GOODBYE  # no such group
            other.send(CREDIT, pack(f1=100))
            other.send(HEARTBEAT, pack(f1=0))
            call = Caller(books, account).answer()
            assert other.job(0.3) is None
    assert call.status == 200
    wait_for(lambda: counted(stack, "tollgate_workers") == before, 10, "as many workers as before")


def disconnected(stack):
    """How many workers a gateway has disconnected because their keys were no longer listed. Unlike
    their number now, it does not depend on heartbeats, which are late on a busy machine."""
    return stack.parts["gateway-1"].log.read_text().count("its key is no longer allowed")


def test_a_revoked_key(stack, books, account, alone):
    """The reload disconnects the worker behind it, even if that worker sends nothing."""
    gone = disconnected(stack)
    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        before = [counted(stack, name) for name in FAILURES]
        with allow_list(stack) as (groups, replace):
            replace({group: keys for group, keys in groups.items() if group != "utils"})
            wait_for(lambda: disconnected(stack) > gone, 10, "its end")
            assert disconnected(stack) == gone + 1
            call = Caller(books, account).answer()
            assert worker.job(0.3) is None
    assert (call.status, call.codes) == (503, ("no_worker",))
    assert [counted(stack, name) for name in FAILURES] == [count + 1 for count in before]
    books.check([account], [call])


@pytest.mark.parametrize("groups", [None, {}, {"utils": []}], ids=["empty file", "empty map", "empty group"])
def test_a_list_without_keys(stack, books, account, groups):
    """It is an error, so the old list stays: nobody is disconnected."""
    log = stack.parts["gateway-1"].log
    told, gone = log.read_text().count("lists no key"), disconnected(stack)
    with allow_list(stack) as (_, replace):
        replace(groups)
        assert log.read_text().count("lists no key") == told + 1
        call = Caller(books, account).answer()  # handled later than a new list
    assert call.status == 200
    assert disconnected(stack) == gone


def garbage(rng):
    """One message: random frames, or a valid one with random changes."""
    if rng.random() < 0.3:
        return [rng.randbytes(rng.randrange(0, 40)) for _ in range(rng.randrange(1, 7))]
    kind = rng.choice([READY, CREDIT, REPLY, NACK, HEARTBEAT, GOODBYE, 0, 200])
    header = bytearray(pack(f1=rng.choice([rng.randbytes(16), "utils", 7]), f2=[rng.randbytes(5)], f3="x"))
    for _ in range(rng.randrange(0, 4)):
        header[rng.randrange(len(header))] = rng.randrange(256)
    if rng.random() < 0.05:
        header *= 3000  # more than the 64 KB of a header
    return [rng.choice([b"TG1", b"TG1", b"TG1", b"TG2", b""]), bytes([kind]), bytes(header),
            *([rng.randbytes(20)] if rng.random() < 0.5 else [])]


def memory_kb(part, name):
    """VmRSS, or VmHWM: the peak so far."""
    with open(f"/proc/{part.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))


def test_garbage(stack, books, account):
    """From a peer with a valid key, as a known worker and as an unknown one."""
    rng = random.Random(SEED)
    dropped = counted(stack, "tollgate_bus_invalid_messages_total")
    with Load(books.site, [account], 4, stack.gateways) as load:
        load.wait_for_answers(20)
        for is_known in (False, True):
            with Worker(stack) as worker:
                if is_known:
                    assert worker.serve(slots=0) == WELCOME
                for _ in range(3000):
                    worker.send_raw(*garbage(rng))
        load.wait_for_answers(40)
    assert counted(stack, "tollgate_bus_invalid_messages_total") > dropped + 500
    # such a peer may have got jobs: those run once more on the real worker
    check_load(books, load, [account], {200})


JOB_ID = bytes(16)
VIOLATIONS = [(READY + 100, b""), (0, b""), (WELCOME, pack(f1=JOB_ID)), (CANCEL, pack(f1=JOB_ID)),
              (CREDIT, b"\xff"), (REPLY, b"\xff"), (REPLY, pack(f1=b"no UUID")), (NACK, b"\xff"), (NACK, pack(f1=b"no UUID")),
              (HEARTBEAT, b"\xff"), (JOB, b"\xff"), (JOB, pack(f1=JOB_ID, f2=TOOL, f3=bytes(16), f4=1000))]


def test_a_worker_violates_the_protocol(stack, books, account, alone):
    """Each such message is counted, and changes nothing. The last one is a job that is part of no
    other."""
    before = counted(stack, "tollgate_bus_invalid_messages_total")
    with Worker(stack) as worker, Worker(stack) as outsider:
        assert worker.serve() == WELCOME
        caller = Caller(books, account)
        job = worker.job()
        assert outsider.serve() == WELCOME
        for kind, header in VIOLATIONS:
            worker.send(kind, header)
        outsider.send(NACK, pack(f1=job.id, f2=1))  # violates nothing, but it is not its job
        wait_for(lambda: counted(stack, "tollgate_bus_invalid_messages_total") == before + len(VIOLATIONS), 5, "the count")
        worker.reply(job.id)
        call = caller.answer()
    assert call.status == 200
    books.check([account], [call])


def flood(stack, announced):
    """The bytes of one frame of that size but the last, from a peer without a valid key; until the
    gateway closes."""
    with contextlib.suppress(OSError), socket.create_connection(stack.bus[0], timeout=5) as line:
        line.sendall(ZMTP_GREETING)
        line.recv(len(ZMTP_GREETING), socket.MSG_WAITALL)
        line.sendall(ZMTP_LONG_COMMAND + announced.to_bytes(8, "big"))
        line.sendall(bytes(announced - 1))
        line.recv(1000)


def test_large_frames_without_a_key(stack, books, account):
    """The gateway stores no frame above the limit; no other peer is affected."""
    gateway = stack.parts["gateway-1"]
    peak_kb = memory_kb(gateway, "VmRSS") + STRANGERS * 2 * FRAME_BYTES // 1024 + 4000
    Path(f"/proc/{gateway.pid}/clear_refs").write_text("5")  # VmHWM starts again
    with ThreadPoolExecutor(STRANGERS) as pool:
        for _ in range(STRANGERS):
            pool.submit(flood, stack, 24 << 20)
        call = Caller(books, account).answer()
    assert memory_kb(gateway, "VmHWM") < peak_kb
    assert call.status == 200
    books.check([account], [call])


def test_a_frame_too_large(stack, books, account, alone):
    """The gateway closes its connection, and the worker's jobs are lost."""
    with Worker(stack) as worker:
        assert worker.serve() == WELCOME
        caller = Caller(books, account, ONCE, "GET")
        job = worker.job()
        assert worker.send_and_be_cut_off(b"TG1", bytes([REPLY]), pack(f1=job.id), bytes(FRAME_BYTES + 100))
    call = caller.answer()
    assert (call.status, call.codes) == (503, ("worker_lost",))
    books.check([account], [call])


def storm(stack, ends, counts):
    """Connections as fast as possible: valid keys, invalid keys, and bytes that are not ZeroMQ."""
    rng = random.Random(SEED)
    while not ends.is_set():
        with contextlib.suppress(OSError):
            with socket.create_connection(stack.bus[0], timeout=1) as line:
                line.sendall(rng.choice([b"", b"GET / HTTP/1.1\r\n\r\n", rng.randbytes(200),
                                         b"\xff" + bytes(8) + b"\x7f\x03\x00CURVE" + bytes(100)]))
        counts["raw"] += 1
        if counts["raw"] % 10 == 0:
            with contextlib.suppress(zmq.Again), Worker(stack, keys=rng.choice([None, "svc-utils"])) as worker:
                worker.send(HEARTBEAT, pack(f1=0))
            counts["zmq"] += 1


def test_reconnect_storm(stack, books, account):
    """The real worker still works; memory and descriptors do not grow."""
    ends = threading.Event()
    counts = {"raw": 0, "zmq": 0}
    before = memory_kb(stack.parts["gateway-1"], "VmRSS")
    with Load(books.site, [account], 4, stack.gateways) as load:
        load.wait_for_answers(20)
        attacker = threading.Thread(target=storm, args=(stack, ends, counts))
        attacker.start()
        try:
            load.wait_for_answers(150)
            wait_for(lambda: counts["raw"] >= 500, 20, "500 connections")
        finally:
            ends.set()
            attacker.join()
    assert memory_kb(stack.parts["gateway-1"], "VmRSS") < before + 20000
    wait_for(lambda: len(os.listdir(f"/proc/{stack.parts['gateway-1'].pid}/fd")) < 150, 20, "closed sockets")
    check_load(books, load, [account], {200})
