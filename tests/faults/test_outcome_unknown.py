"""tests/faults/test_outcome_unknown.py - a charge is committed, its response is lost, and a process
dies before the outcome is known: the response to the client stays true."""

import contextlib
import json
import signal

import pytest

from kit import pgproxy
from kit.load import SETTINGS, Line, metric
from kit.pgproxy import Proxy
from part import wait_for

pytestmark = pytest.mark.xdist_group("outcome-unknown")

RAW = ("placeholder-image?width=8&height=8", None, "GET")
SECRET = ("hash-generate", json.dumps({"input": "abc"}), "POST")


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=2, settings=SETTINGS)


@pytest.fixture(scope="module")
def proxy(stack):
    """Between the first gateway and the database; the second connects directly."""
    proxy = Proxy(stack.cluster)
    stack.parts["gateway-1"].env["TOLLGATE_DB_URL"] = proxy.url()
    stack.restart("gateway-1")
    yield proxy
    proxy.close()


@pytest.fixture
def quiet(proxy):
    """The proxy; the test's faults end with it."""
    yield proxy
    proxy.judge = lambda batch: None


@pytest.fixture
def account(books):
    return books.site.open_account(100)


def lose_the_charge(proxy):
    """For the next call, the admission is done, the capture is committed and its confirmation is
    lost; then all traffic is."""
    first = proxy.batches
    proxy.judge = lambda n: pgproxy.AFTER_COMMIT if n == first + 2 else \
        pgproxy.BEFORE_SEND if n > first + 2 else None


def call_gateway(stack, books, account, number, tool=SECRET, key=None):
    """(status, headers, body) of one call at that gateway."""
    path, body, method = tool
    line = Line(books.site, stack.gateways[number - 1])
    assert line.open()
    answer = line.send(account, path, body, {"Idempotency-Key": key} if key else {}, method)
    line.close()
    return answer


def codes(answer):
    return answer[0], [error["code"] for error in json.loads(answer[2])["errors"]]


def unknown(stack, account, *options):
    """{id: outcome} of the account's calls in `tollctl ledger unknown`."""
    calls = stack.tollctl("ledger", "unknown", *options, "--json")["calls"]
    return {call["id"]: call["outcome"] for call in calls if call["account"] == account.id}


def log_of(stack, message):
    lines = map(json.loads, stack.parts["gateway-1"].log.read_text().splitlines())
    return [(line["account_id"], line["call_id"]) for line in lines if line["msg"] == message]


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_the_gateway_stops_before_the_outcome_is_known(stack, quiet, books, account, end):
    """The client was promised nothing. The next process finds the call in a file and lists it, and
    one command settles it."""
    lose_the_charge(quiet)
    answer = call_gateway(stack, books, account, 1)
    assert codes(answer) == (503, ["outcome_unknown"])
    assert "Retry-After" in answer[1]
    assert not {"X-Credits-Charged", "X-Credits-Remaining"} & set(answer[1].keys())  # nobody knows
    getattr(stack.parts["gateway-1"], end)()
    call = account.id, answer[1]["X-Request-Id"]
    assert log_of(stack, "outcome unknown")[-1] == call
    assert (call in log_of(stack, "not settled")) == (end == "stop")
    quiet.judge = lambda n: None
    stack.start_part("gateway-1")
    books.wait_until_nothing_is_held()
    wait_for(lambda: unknown(stack, account) == {call[1]: "open"}, 10, "the call in the list")
    assert books.charged(account) == 1  # only the operator decides
    assert stack.tollctl("ledger", "settle", *call, "--json")["outcome"] == "refunded"
    assert books.charged(account) == 0
    assert unknown(stack, account) == {}
    assert unknown(stack, account, "--all") == {call[1]: "not_charged"}
    listed = next(one for one in stack.tollctl("ledger", "unknown", "--all", "--json")["calls"] if one["id"] == call[1])
    assert (listed["tool"], listed["credits"]) == (SECRET[0], 1) and listed["token"] and listed["settled_at"]
    stack.tollctl("verify")


def test_a_stop_settles_open_outcomes(stack, quiet, books, account):
    """The database is reachable again while the gateway drains: nothing is left for the
    operator."""
    lose_the_charge(quiet)
    answer = call_gateway(stack, books, account, 1)
    assert codes(answer) == (503, ["outcome_unknown"])
    stack.parts["gateway-1"].ending()
    stack.parts["gateway-1"].signal(signal.SIGTERM)
    wait_for(lambda: "draining" in stack.parts["gateway-1"].log.read_text().rsplit("serving", 1)[1], 10, "the drain")
    quiet.judge = lambda n: None
    stack.parts["gateway-1"].wait()
    stack.start_part("gateway-1")
    assert books.charged(account) == 0
    assert log_of(stack, "outcome settled: not charged")[-1] == (account.id, answer[1]["X-Request-Id"])
    assert unknown(stack, account, "--all") == {answer[1]["X-Request-Id"]: "not_charged"}


@pytest.mark.parametrize("tool", [RAW, SECRET], ids=["kept", "runs again"])
def test_replayed_calls_are_not_refunded(stack, quiet, books, account, tool):
    """The client repeats the call with its key, through another gateway, and gets the response: it
    stays charged."""
    lose_the_charge(quiet)
    key = f"again-{tool[0][:4]}"
    before = metric(stack, "gateway-1", "tollgate_ledger_unknown_outcomes_total")
    assert codes(call_gateway(stack, books, account, 1, tool, key)) == (503, ["outcome_unknown"])
    assert metric(stack, "gateway-1", "tollgate_ledger_unknown_outcomes_total") == before + 1
    status, headers, _ = call_gateway(stack, books, account, 2, tool, key)
    assert (status, headers["Idempotency-Replayed"]) == (200, "true")
    quiet.judge = lambda n: None
    settled = "outcome settled: charged, its answer was replayed"
    wait_for(lambda: account.id in dict(log_of(stack, settled)), 10, "the first gateway's cancel")
    assert books.charged(account) == 1
    wait_for(lambda: list(unknown(stack, account, "--all").values()) == ["charged"], 10, "the outcome in the list")
    stack.tollctl("verify")


def test_refunded_calls_are_paid_again(stack, quiet, books, account):
    """The refund comes first: the key is free again, and the call is charged again."""
    lose_the_charge(quiet)
    assert codes(call_gateway(stack, books, account, 1, RAW, "later")) == (503, ["outcome_unknown"])
    quiet.judge = lambda n: None
    wait_for(lambda: books.charged(account) == 0, 10, "the refund")
    status, headers, _ = call_gateway(stack, books, account, 2, RAW, "later")
    assert (status, headers.get("Idempotency-Replayed")) == (200, None)
    assert books.charged(account) == 1
    stack.tollctl("verify")


def test_the_list_never_delays_a_call(stack, quiet, books, account):
    """While the table cannot be written, the events wait, and calls are charged."""
    with contextlib.closing(books.site.connect()) as line, line.cursor() as cursor:
        cursor.execute("begin")
        cursor.execute("lock table unknown_outcome")
        lose_the_charge(quiet)
        assert codes(call_gateway(stack, books, account, 1)) == (503, ["outcome_unknown"])
        quiet.judge = lambda n: None
        wait_for(lambda: books.charged(account) == 0, 10, "the refund")
        for _ in range(5):
            wait_for(lambda: call_gateway(stack, books, account, 1)[0] == 200, 30, "a charged call")
        assert metric(stack, "gateway-1", "tollgate_ledger_unknown_records_waiting") >= 2
    wait_for(lambda: set(unknown(stack, account, "--all").values()) == {"not_charged"}, 10, "the list")
    assert metric(stack, "gateway-1", "tollgate_ledger_unknown_records_lost_total") == 0
