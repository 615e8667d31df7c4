"""tests/kit/load.py - clients that call without a pause, record the responses and compare them with
the ledger.

The fault tests check this promise (docs/decisions/001-ledger.md): no 2xx without its usage entry,
no usage entry without a finished result. A call without X-Request-Id gets the gateway's own id in
the response. That id is the ledger's reference, so responses and entries are compared one by one.
Only a call whose connection broke may have an entry without a response.
"""

import contextlib
import dataclasses
import hashlib
import http.client
import itertools
import json
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import psycopg2

from kit.client import Client
from kit.site import Site
from part import Failure, wait_for

SETTINGS = {
    "gateway.drain_delay_ms": 0,
    "gateway.drain_ms": 2000,  # clients that call it directly never stop, unlike the edge
    "gateway.threads": 128,
    "ledger.hold_grace_ms": 1000,
    "ledger.sweep_ms": 200,
    "limits.unlimited_addresses": ["0.0.0.0/0"],
}
HOLDS = SETTINGS | {"ledger.one_write_budget_ms": 0}  # no one-write calls: each is held, then captured
TOOL = "hash-generate"
HOLD_S = 2.0 + 1.0 + 0.2  # budget, grace and the sweeper's interval: after this an abandoned hold has expired
REFUND_S = 10             # after this, credits of undelivered calls are returned, if the database is reachable
TIMEOUT_S = 120           # of a client, far longer than any response takes, also on a busy machine
# The statuses and codes of calls that wait for a lock in the database: a call that is admitted
# after its tool's two seconds is late.
WAITING = {200, "ledger_unavailable", "deadline_exceeded"}
LOSING = WAITING | {"outcome_unknown"}  # while the database is down, or its responses are lost
BROKEN = 0                # instead of a status: sent, and the connection broke before the end of the response
PAUSE_S = 0.02            # before reconnecting to a gateway that is down


@dataclasses.dataclass(frozen=True)
class Call:
    account: object
    status: int
    reference: str  # of the hold and the entry; "" when the connection broke
    codes: tuple
    replayed: bool
    begun: float
    seconds: float
    gateway: tuple | None = None  # (host, port) that was called directly

    @property
    def ended(self):
        return self.begun + self.seconds


class Line:
    """One client's keep-alive connection, to a gateway directly or through the edge."""

    def __init__(self, site, gateway=None, address=None):
        self._site = site
        self._gateway = gateway
        self._client = Client(site, address) if gateway is None else None
        self._connection = None

    def _connect(self):
        connection = http.client.HTTPConnection(*self._gateway, timeout=TIMEOUT_S) if self._gateway \
            else self._client.connect()
        connection.connect()
        return connection

    def open(self):
        """False if nothing listens: nothing was sent."""
        if self._connection is None or self._connection.sock is None:
            try:
                self._connection = self._connect()
            except OSError:
                return False
        return True

    def close(self):
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def send(self, account, tool, body, headers=None, method="POST"):
        """One call of a tool: (status, headers, body); status BROKEN if the response is
        incomplete."""
        return self.request(account, f"tools/{tool}", body, headers, method)

    def request(self, account, path, body, headers=None, method="POST"):
        sent = {"Authorization": f"Bearer {account.token}", "Content-Type": "application/json"}
        if self._gateway:
            sent |= {"X-Forwarded-For": "198.51.100.7", "X-Forwarded-Proto": "https"}
        try:
            self._connection.request(method, account.path(path), body, sent | (headers or {}))
            answer = self._connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            return BROKEN, {}, b""
        if answer.headers.get("Connection", "").lower() == "close":
            self.close()
        return answer.status, answer.headers, content

    def call(self, account, tool=TOOL, request=None, headers=None, method="POST"):
        """One call of a tool, as a Call, with the body of its response."""
        begun = time.monotonic()
        body = json.dumps({"input": "abc"} if request is None else request) if method == "POST" else None
        status, got, content = self.send(account, tool, body, headers, method)
        codes = () if status in (BROKEN, 200) else tuple(e["code"] for e in json.loads(content)["errors"])
        return Call(account, status, got.get("X-Request-Id", ""), codes,
                    got.get("Idempotency-Replayed") == "true", begun, time.monotonic() - begun,
                    self._gateway), content


class Load:
    """Clients in threads, for the duration of `with`. Each uses the accounts in turn and checks
    that the result belongs to its own request, which has a unique line. gateways: (host, port) to
    call directly instead of the edge. pause_s: between two calls of a client."""

    _numbers = itertools.count(1)

    def __init__(self, site, accounts, clients=8, gateways=None, body_bytes=0, keys=False, line=Line,
                 pause_s=0):
        self.calls = []
        self.faults = []  # errors that a client cannot explain
        self._accounts = accounts
        self._body_bytes = body_bytes
        self._keys = keys
        self._pause_s = pause_s
        self._ends = threading.Event()
        lines = [line(site, tuple(gateways[n % len(gateways)]) if gateways else None)
                 for n in range(clients)]
        self._threads = [threading.Thread(target=self._run, args=(n, line), daemon=True)
                         for n, line in enumerate(lines)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._ends.set()
        for thread in self._threads:
            thread.join(TIMEOUT_S * 2)
            assert not thread.is_alive(), "a client hangs"

    def statuses(self, since=0.0):
        return Counter(call.status for call in self.calls if call.begun >= since)

    def wait_for_answers(self, count, status=200, seconds=60):
        """Wait for that many more responses of this status."""
        wanted = self.statuses()[status] + count
        wait_for(lambda: self.statuses()[status] >= wanted, seconds, f"{count} more answers {status}")

    def _run(self, n, line):
        for turn in itertools.count(n):
            if self._ends.wait(self._pause_s):
                break
            if not line.open():
                time.sleep(PAUSE_S)
                continue
            try:
                self.calls.append(self._call(line, self._accounts[turn % len(self._accounts)]))
            except Exception as fault:  # the test must see every exception
                self.faults.append(repr(fault))
                break
        line.close()

    def _call(self, line, account):
        number = next(self._numbers)
        text = f"{number} ".ljust(self._body_bytes, "x")
        headers = {"Idempotency-Key": f"load-{number}"} if self._keys else None
        call, content = line.call(account, TOOL, {"input": text}, headers)
        if call.status == 200:
            result = json.loads(content)["result"]
            assert result["hash"] == hashlib.sha256(text.encode()).hexdigest(), "another's result"
        return call


@contextlib.contextmanager
def long_calls(site, accounts, running):
    """A call of ai-chat by each account runs in the block, 38 s of the 50 s of its budget. Gives a
    list of calls, which has them after it. running(): how many jobs svc-ai runs."""
    calls = []

    def run(account):
        line = Line(site)
        assert line.open()
        calls.append(line.call(account, "ai-chat", {"prompt": "[[stub:slow-38000]] Hello"})[0])
        line.close()

    threads = [threading.Thread(target=run, args=(account,)) for account in accounts]
    for thread in threads:
        thread.start()
    try:
        wait_for(lambda: running() == len(threads), 30, "the long calls run")
        yield calls
    finally:
        for thread in threads:
            thread.join()


class Books:
    """The ledger of a stack, read as its owner."""

    def __init__(self, stack, site=None):
        self.stack = stack
        self.site = site or Site.of(stack)

    def rows(self, statement, *values):
        connection = self.site.connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, values)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def as_superuser(self, *statements):
        connection = psycopg2.connect(self.stack.database("postgres"))
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
        finally:
            connection.close()

    def entries(self, account):
        """References that were charged and not refunded."""
        return {reference for reference, in self.rows(
            "select reference::text from ledger_entry where account_id = %s and kind in (3, 4)"
            " group by reference having sum(amount) <> 0", account.id)}

    def charged(self, account):
        return int(self.rows("select coalesce(-sum(amount), 0) from ledger_entry"
                             " where account_id = %s and kind in (3, 4)", account.id)[0][0])

    def held(self, account):
        return self.rows("select held from account_balance where account_id = %s", account.id)[0][0]

    def wait_until_nothing_is_held(self, seconds=4 * HOLD_S):
        wait_for(lambda: self.rows("select coalesce(sum(held), 0) from account_balance") == [(0,)], seconds,
                 "every hold ended")

    def settle(self, calls):
        """What an operator does for calls whose gateway died before it settled them."""
        for call in calls:
            if "outcome_unknown" in call.codes:
                self.stack.tollctl("ledger", "settle", call.account.id, call.reference)

    def check(self, accounts, calls):
        """The promise, for these accounts and all their calls."""
        self.wait_until_nothing_is_held()
        unknown = {call.reference for call in calls if "outcome_unknown" in call.codes}
        wait_for(lambda: not any(unknown & self.entries(account) for account in accounts if unknown), REFUND_S,
                 "every charge that could not be confirmed is back")
        self.stack.tollctl("verify")
        for account in accounts:
            own = [call for call in calls if call.account == account]
            paid = Counter(c.reference for c in own if c.status == 200 and not c.replayed)
            entries = self.entries(account)
            assert set(paid.values()) <= {1}, "a reference was given twice"
            missing = set(paid) - entries
            assert not missing, f"answered 200, not charged: {missing}"
            nameless = entries - set(paid)
            refused = {c.reference for c in own if c.status not in (200, BROKEN)}
            assert not nameless & refused, f"rejected and charged: {nameless & refused}"
            broken = sum(c.status == BROKEN for c in own)
            assert len(nameless) <= broken, f"{len(nameless)} charges without an answer, {broken} broken"
        crashed = [part.obituary() for part in self.stack.crashed()]
        assert not crashed, crashed


def check_load(books, load, accounts, allowed):
    """The ledger is consistent, and every status, or status and code, is an allowed one."""
    assert not load.faults, load.faults
    strange = [call for call in load.calls
               if call.status not in allowed and not set(call.codes) & set(map(str, allowed))]
    assert not strange, f"{len(strange)} of {len(load.calls)}, the first: {strange[0]}"
    books.check(accounts, load.calls)


def metric(stack, part, name):
    """Sum of a metric's samples, from the part's admin port; name may continue with labels."""
    connection = http.client.HTTPConnection(*stack.admin[part], timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    finally:
        connection.close()
    samples = [line.rsplit(" ", 1)[1] for line in text.splitlines()
               if line.startswith((name + " ",) if "{" in name else (name + " ", name + "{"))]
    if not samples:
        raise Failure(f"{part} has no metric {name}")
    return sum(map(float, samples))


def arm(stack, name, point, count):
    """Restart a gateway or portal so that it dies at a fault point. The edge is stopped, because
    its health checks also pass the fault points of an HTTP response: call the gateways directly."""
    stack.parts["edge"].stop()
    part = stack.parts[name]
    part.stop()
    part.argv[0] = str(stack.build / "tests" / "faults" / f"{Path(part.argv[0]).name}-faults")
    part.env["FAULT_POINT"] = f"{point}:{count}"
    stack.start_part(name)


def restart_after_death(stack, name):
    """Restart it, without the fault point."""
    part = stack.parts[name]
    part.kill()
    del part.env["FAULT_POINT"]
    program = Path(part.argv[0]).name.removesuffix("-faults")
    part.argv[0] = str(stack.build / program.removeprefix("tollgate-") / program)
    stack.start_part(name)


def wait_for_death(part):
    part.ending()  # this death is expected
    wait_for(lambda: not part.alive, 20, f"the death of {part.name}")
    assert part.wait() == -signal.SIGKILL, part.obituary()
