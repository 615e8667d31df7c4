"""tests/faults/test_large_answers.py - many of the largest responses at once, to clients that read
slowly: the gateway stays within its memory, and each call succeeds, or is rejected and free."""

import http.client
import json
import re
import socket
import threading
from pathlib import Path

import pytest

from kit.client import Answer
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
PAUSE_S = 0.02             # of a client that reads slowly, between two buffers
SEGMENT_BYTES = 1460       # as over Ethernet; loopback's large segments are sent again with growing delays
TIMEOUT_S = 60


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(settings=SETTINGS)


@pytest.fixture
def account(stack):
    return Site.of(stack).open_account(100000, "--limits-off")


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
    large = b'{"errors":"%s"}' % (b"x" * ANSWER_BYTES)
    before = counted(stack, "tollgate_http_responses_total")
    with Worker(stack, keys="svc-security") as worker:
        assert worker.serve(group="security", slots=CALLS, tools=(TOOL,)) == WELCOME
        readers = SlowReaders(stack, account, CALLS)
        for job in [worker.job() for _ in range(CALLS)]:
            worker.reply(job.id, large)
        wait_for(lambda: counted(stack, "tollgate_http_responses_total") == before + CALLS, TIMEOUT_S, "all to be answered")
        assert 0 < counted(stack, "tollgate_response_memory_reserved_bytes") <= ROOM_BYTES
        readers.hurry()
        answers = readers.answers()
    assert peak_kb(stack) <= PEAK_KB
    paid = [answer for answer in answers if answer.status_code == 200]
    refused = [answer for answer in answers if answer.status_code == 503]
    assert len(paid) + len(refused) == CALLS and paid and refused
    assert all(large in answer.body for answer in paid)
    assert all(answer.codes == ["overloaded"] and answer.headers["X-Credits-Charged"] == "0" for answer in refused)
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
