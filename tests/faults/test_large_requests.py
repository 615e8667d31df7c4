"""tests/faults/test_large_requests.py - a worker that only computes gets one of the largest
requests in every slot: it uses at most half of its container's memory, and releases all of it."""

import json
import re
import threading
from pathlib import Path

import pytest

from kit.contracts import CONTRACTS, copy_contracts
from kit.load import SETTINGS, Books, Line
from kit.site import Site
from part import wait_for

pytestmark = pytest.mark.xdist_group("large_requests")

DAEMON = "svc-chat-1"
BODY_MAX_BYTES = 65536
SLOTS = 32            # of a group without egress
EACH = 3              # calls of each client, one after the other
PEAK_KB = 256 * 1024  # half of the limit in compose.yaml
REST_KB = 60 * 1024
REQUESTS = [("chatplatform-embed-build", '{"components":['),
            ("chatplatform-embed-build", '{"fields":['),
            ("chatplatform-command-validate", '{"name":"a","description":"b","options":[')]


def widest(head):
    """The input with the largest tree: a list of single digits."""
    return head + "0," * ((BODY_MAX_BYTES - len(head) - len("0]}")) // 2) + "0]}"


@pytest.fixture(scope="module")
def stack(own_stack, tmp_path_factory):
    contracts = tmp_path_factory.mktemp("contracts")
    copy_contracts(contracts, patient={tool for tool, _ in REQUESTS})
    return own_stack(settings=SETTINGS | {"contracts_dir": str(contracts)})


def memory_kb(stack, name):
    """VmRSS, or VmHWM: the peak so far."""
    return int(re.search(rf"{name}:\s+(\d+)", Path(f"/proc/{stack.parts[DAEMON].pid}/status").read_text())[1])


def call(stack, books, account, tool, body, answers):
    line = Line(books.site, stack.gateways[0])
    assert line.open()
    for _ in range(EACH):
        answers.append(line.send(account, tool, body))
    line.close()


@pytest.mark.parametrize("tool, head", REQUESTS)
def test_all_slots(stack, tool, head):
    """A worker without enough CPU may be late, and then charges nothing."""
    books = Books(stack)
    account = books.site.open_account(100000, limits_off=True)
    answers = []
    clients = [threading.Thread(target=call, args=(stack, books, account, tool, widest(head), answers))
               for _ in range(SLOTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert len(answers) == SLOTS * EACH
    assert {status for status, _, _ in answers} <= {200, 503, 504}
    assert all(json.loads(content)["result"]["valid"] is False for status, _, content in answers if status == 200)
    paid = sum(status == 200 for status, _, _ in answers)
    assert books.charged(account) == paid * CONTRACTS[tool]["credits"] > 0
    assert memory_kb(stack, "VmHWM") <= PEAK_KB
    wait_for(lambda: memory_kb(stack, "VmRSS") <= REST_KB, 5, "its memory to be the system's again")
