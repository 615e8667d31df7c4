"""tests/faults/test_large_answers.py - many of the largest responses at once, to clients that read
slowly, or of one account that uses all its places: the gateway stays within its memory, others are
served, and each call succeeds, or is rejected and free."""

import contextlib
import http.client
import json
import re
import socket
import threading
import time
from pathlib import Path

import pytest

from kit.client import Answer
from kit.contracts import CONTRACTS
from kit.load import SETTINGS, Line, metric
from kit.site import Site
from kit.worker import WELCOME, Worker
from part import wait_for

pytestmark = pytest.mark.xdist_group("large_answers")

DAEMON = "svc-security-1"
TOOL = "openapi-validate"  # of all contracts, the one with the largest results
PRICE = 5
CALLS = 16
ANSWER_BYTES = 15 << 20
LARGEST_BYTES = 24 << 20   # max_reply_bytes, at most
ROOM_BYTES = 128 << 20     # gateway.response_memory_mb
PEAK_KB = 320 * 1024       # this, the bytes just received, and the gateway itself
BUFFER_BYTES = 1 << 16     # of a client; buffers of the kernel do not count
PAUSE_S = 0.25             # of a client that reads slowly, between two buffers: a minute for a response
SEGMENT_BYTES = 1460       # as over Ethernet; loopback's large segments are sent again with growing delays
TIMEOUT_S = 60
SHARE = 2                  # ledger.large_responses_per_account
LOCK = 36007
LATE = (504, ["deadline_exceeded"], 0, None)  # of a call, on a busy machine
DEADLINE_S = CONTRACTS[TOOL]["budget_ms"] / 1000


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(settings=SETTINGS)


@pytest.fixture
def account(stack):
    return Site.of(stack).open_account(100000, limits_off=True)


@pytest.fixture
def alone(stack):
    """No real worker: the jobs go to the test's worker."""
    stack.parts[DAEMON].stop()
    yield
    stack.start_part(DAEMON)


class SlowReaders:
    """Running calls, directly to the gateway; each response is read a little at a time, until
    hurry() reads the rest."""

    def __init__(self, stack, account, count):
        body = json.dumps({"spec": {"openapi": "3.0.3"}}).encode()
        self._request = (f"POST {account.path(f'tools/{TOOL}')} HTTP/1.1\r\nHost: localhost\r\n"
                         f"Authorization: Bearer {account.token}\r\nContent-Type: application/json\r\n"
                         "X-Forwarded-For: 198.51.100.7\r\nX-Forwarded-Proto: https\r\n"
                         f"Content-Length: {len(body)}\r\n\r\n").encode() + body
        self._gateway = tuple(stack.gateways[0])
        self._hurry = threading.Event()
        self._answers = [None] * count
        self._threads = [threading.Thread(target=self._call, args=(n,)) for n in range(count)]
        for thread in self._threads:
            thread.start()

    def _call(self, n):
        with socket.socket() as line:
            line.settimeout(TIMEOUT_S)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT_BYTES)
            line.connect(self._gateway)
            line.sendall(self._request)
            answer = http.client.HTTPResponse(line)
            answer.begin()
            body = bytearray()
            while chunk := answer.read(BUFFER_BYTES):
                body += chunk
                self._hurry.wait(PAUSE_S)
        self._answers[n] = Answer(answer.status, answer.headers, bytes(body))

    def hurry(self):
        self._hurry.set()

    def answers(self):
        for thread in self._threads:
            thread.join(TIMEOUT_S)
        return self._answers


def peak_kb(stack):
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{stack.parts['gateway-1'].pid}/status").read_text())[1])


def counted(stack, name):
    return metric(stack, "gateway-1", name)


def test_many_at_once(stack, books, account, alone):
    reserved = []

    def all_are_answered():
        reserved.append(counted(stack, "tollgate_response_memory_reserved_bytes"))
        return counted(stack, "tollgate_http_responses_total") == before + CALLS

    large = b'{"errors":"%s"}' % (b"x" * ANSWER_BYTES)
    before = counted(stack, "tollgate_http_responses_total")
    with Worker(stack, keys="svc-security") as worker:
        assert worker.serve(group="security", slots=CALLS, tools=(TOOL,)) == WELCOME
        begun = time.monotonic()
        readers = SlowReaders(stack, account, CALLS)
        for job in [worker.job() for _ in range(CALLS)]:
            worker.reply(job.id, large)
        wait_for(all_are_answered, TIMEOUT_S, "all to be answered")
        assert 0 < max(reserved) <= ROOM_BYTES
        readers.hurry()
        answers = readers.answers()
    assert peak_kb(stack) <= PEAK_KB
    paid, refused, late = ([answer for answer in answers if answer.status_code == status] for status in (200, 503, 504))
    assert len(paid) + len(refused) + len(late) == CALLS and paid and refused
    assert all(large in answer.body for answer in paid)
    assert all(answer.codes == ["overloaded"] and answer.headers["X-Credits-Charged"] == "0" for answer in refused)
    assert all(answer.codes == ["deadline_exceeded"] and answer.headers["X-Credits-Charged"] == "0" for answer in late)
    assert not late or time.monotonic() - begun >= DEADLINE_S
    assert books.charged(account) == PRICE * len(paid)
    books.wait_until_nothing_is_held()
    wait_for(lambda: counted(stack, "tollgate_response_memory_reserved_bytes") == 0, 5, "all room to be free")


def test_the_largest_with_a_key(stack, books, account, alone):
    """The largest response that a contract allows is stored, and replayed to the byte."""
    spec, key = json.dumps({"spec": {"openapi": "3.0.3"}}), {"Idempotency-Key": "largest"}
    largest = b'{"errors":"%s"}' % (b"x" * (LARGEST_BYTES - 13))
    answers = []

    def call():
        line = Line(books.site, stack.gateways[0])
        assert line.open()
        answers.append(line.send(account, TOOL, spec, key))
        line.close()

    with Worker(stack, keys="svc-security") as worker:
        assert worker.serve(group="security", slots=CALLS, tools=(TOOL,)) == WELCOME
        first = threading.Thread(target=call)
        first.start()
        worker.reply(worker.job().id, largest)
        first.join(TIMEOUT_S)
        call()
    (status, _, body), (again_status, headers, again) = answers
    assert (status, again_status, headers["Idempotency-Replayed"]) == (200, 200, "true")
    assert len(largest) == LARGEST_BYTES and largest in body and again == body
    assert books.charged(account) == PRICE
    assert peak_kb(stack) <= PEAK_KB
    wait_for(lambda: counted(stack, "tollgate_response_memory_reserved_bytes") == 0, 5, "all room to be free")


# Storing a piece for this account waits until a row is in let_go. Each piece waits for less than
# LARGE_RESPONSE_TIMEOUT_MS, and there are enough pieces. The lock shows that it waits.
SLOW = """
create table let_go (at timestamptz);
create function store_slowly() returns trigger language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared({lock});
    for i in 1..15 loop
        exit when exists (select from let_go);
        perform pg_sleep(0.1);
    end loop;
    return new;
end $$;
create trigger store_slowly before insert on large_response for each row
    when (new.account_id = '{account}') execute function store_slowly()
"""


@contextlib.contextmanager
def stored_slowly(books, account):
    books.rows(SLOW.format(account=account.id, lock=LOCK))
    def let_go():
        books.rows("insert into let_go values (now())")
    try:
        yield let_go
    finally:
        let_go()
        books.rows("drop trigger store_slowly on large_response; drop function store_slowly; drop table let_go")


class Keyed:
    """Calls with keys, whose jobs this test's worker does."""

    def __init__(self, stack, books, worker):
        self._stack, self._books, self._worker = stack, books, worker
        self._threads, self._answers = [], {}
        self._is_over = threading.Event()

    def __enter__(self):
        self._server = threading.Thread(target=self._serve)
        self._server.start()
        return self

    def __exit__(self, *_):
        for thread in self._threads:
            thread.join(TIMEOUT_S)
        self._is_over.set()
        self._server.join()

    def _serve(self):
        while not self._is_over.is_set():
            job = self._worker.job(0.1)
            if job:
                self._worker.reply(job.id, b'{"errors":"%s"}' % (b"x" * (ANSWER_BYTES // 2)))

    def start(self, account, key):
        def run():
            self._answers[key] = self.call(account, key)
        self._threads.append(threading.Thread(target=run))
        self._threads[-1].start()

    def call(self, account, key):
        """(status, codes, credits charged, Retry-After)"""
        line = Line(self._books.site, self._stack.gateways[0])
        assert line.open()
        status, headers, body = line.send(account, TOOL, json.dumps({"spec": {"openapi": "3.0.3"}}),
                                          {"Idempotency-Key": key})
        line.close()
        codes = [error["code"] for error in json.loads(body)["errors"]] if status != 200 else []
        return status, codes, int(headers["X-Credits-Charged"]), headers.get("Retry-After")

    def wait(self, key):
        wait_for(lambda: key in self._answers, TIMEOUT_S, f"the response for {key}")
        return self._answers[key]


def test_one_account_leaves_places_to_others(stack, books, account, alone):
    """Its large responses beyond its share are rejected as overload, stored or replayed."""
    other = books.site.open_account(1000)
    overloaded = (503, ["overloaded"], 0, "1")
    with Worker(stack, keys="svc-security") as worker:
        assert worker.serve(group="security", slots=CALLS, tools=(TOOL,)) == WELCOME
        with Keyed(stack, books, worker) as calls:
            assert calls.call(account, "before")[:3] == (200, [], PRICE)
            with stored_slowly(books, account) as let_go:
                for n in range(SHARE):
                    calls.start(account, f"slow-{n}")
                wait_for(lambda: books.rows("select count(*) from pg_locks where locktype = 'advisory' and objid = %s",
                                            LOCK) == [(SHARE,)], 10, "responses that are being stored")
                begun = time.monotonic()
                calls.start(account, "more")
                assert calls.call(other, "other")[:3] == (200, [], PRICE)
                assert calls.call(account, "before") == overloaded
                more = calls.wait("more")
                assert more == overloaded or more == LATE and time.monotonic() - begun >= DEADLINE_S
                let_go()
                assert [calls.wait(f"slow-{n}")[:3] for n in range(SHARE)] == [(200, [], PRICE)] * SHARE
    assert books.charged(account) == PRICE * (1 + SHARE) and books.charged(other) == PRICE
    books.wait_until_nothing_is_held()
