"""tests/faults/agents/test_large_results.py - the largest results, to agents: complete, in the
documented form, charged only if their memory can be reserved."""

import json
import threading
import time

import pytest

from kit.agents.line import AgentLine
from kit.contracts import CONTRACTS
from kit.load import SETTINGS, metric
from kit.site import Site
from kit.worker import WELCOME, Worker
from part import wait_for

pytestmark = pytest.mark.xdist_group("large_results")

REPLY_MAX = 24 << 20  # of a worker's reply, which is the result
CALLS = 8
TOOL, PRICE = "openapi-validate", 5
REQUEST = {"spec": {"openapi": "3.0.3"}}
DEADLINE_S = CONTRACTS[TOOL]["budget_ms"] / 1000


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(settings=SETTINGS | {"mcp.result_max_bytes": 0})  # results are not cut


@pytest.fixture
def account(stack):
    return Site.of(stack).open_account(100000, limits_off=True)


@pytest.fixture
def alone(stack):
    """alone(group): no real worker; the jobs go to the test's worker."""
    stopped = []

    def stop(group):
        stopped.append(f"svc-{group}-1")
        stack.parts[stopped[-1]].stop()

    yield stop
    for name in stopped:
        stack.start_part(name)


def ask(stack, account, tool, request):
    """The response message of a call, as bytes."""
    line = AgentLine(Site.of(stack), tuple(stack.gateways[0]))
    assert line.open()
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": request}}
    status, _, content = line.request(account, "mcp", json.dumps(message))
    line.close()
    assert status == 200, content[:500]
    return content


def asked(stack, account, tool, request, answers):
    thread = threading.Thread(target=lambda: answers.append(ask(stack, account, tool, request)))
    thread.start()
    return thread


def largest(head, tail):
    return head + b"x" * (REPLY_MAX - len(head) - len(tail)) + tail


def test_the_largest_result(stack, books, account, alone):
    """Once, as structuredContent; the text refers to it."""
    large = largest(b'{"errors":"', b'"}')
    alone("security")
    answers = []
    with Worker(stack, keys="svc-security") as worker:
        assert worker.serve(group="security", slots=1, tools=(TOOL,)) == WELCOME
        thread = asked(stack, account, TOOL, REQUEST, answers)
        worker.reply(worker.job().id, large)
        thread.join(30)
    result = json.loads(answers[0])["result"]
    assert result["content"] == [{"type": "text", "text": f"The result ({len(large)} bytes) is in structuredContent."}]
    assert b'"structuredContent":' + large + b"," in answers[0]
    assert books.charged(account) == PRICE


def test_the_largest_picture(stack, books, account, alone):
    """In a separate block, and nowhere else."""
    base64 = b"A" * (REPLY_MAX - 200)
    reply = b'{"images":[{"b64_json":"%s","url":null,"mime_type":"image/png"}],"format":"png"}' % base64
    alone("ai")
    answers = []
    with Worker(stack, keys="svc-ai") as worker:
        assert worker.serve(group="ai", slots=1, tools=("ai-image-generate",)) == WELCOME
        thread = asked(stack, account, "ai-image-generate", {"prompt": "A lighthouse"}, answers)
        worker.reply(worker.job().id, reply)
        thread.join(30)
    result = json.loads(answers[0])["result"]
    assert result["content"][0] == {"type": "image", "data": base64.decode(), "mimeType": "image/png"}
    assert result["content"][1]["text"] == '{"format":"png"}' and result["structuredContent"] == {"format": "png"}
    assert books.charged(account) == 12


def test_many_at_once(stack, books, account, alone):
    """Each reserves memory for itself and its response, or costs nothing, also if it is late."""
    large = largest(b'{"errors":"', b'"}')
    alone("security")
    answers = []
    begun = time.monotonic()
    with Worker(stack, keys="svc-security") as worker:
        assert worker.serve(group="security", slots=CALLS, tools=(TOOL,)) == WELCOME
        threads = [asked(stack, account, TOOL, REQUEST, answers) for _ in range(CALLS)]
        for job in [worker.job() for _ in range(CALLS)]:
            worker.reply(job.id, large)
        for thread in threads:
            thread.join(60)
    refused = [json.loads(answer)["result"] for answer in answers if len(answer) < REPLY_MAX]
    paid = len(answers) - len(refused)
    assert len(answers) == CALLS and paid > 0
    codes = {result["_meta"]["tollgate/error"]["errors"][0]["code"] for result in refused}
    assert codes <= {"overloaded"} or codes <= {"overloaded", "deadline_exceeded"} and time.monotonic() - begun >= DEADLINE_S
    assert books.charged(account) == PRICE * paid
    books.wait_until_nothing_is_held()
    wait_for(lambda: metric(stack, "gateway-1", "tollgate_response_memory_reserved_bytes") == 0, 5, "all room to be free")
