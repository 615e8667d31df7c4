"""tests/api/test_one_request.py - one request is one request, for the edge and for the gateway
behind it.

All customers share the connections between the two. If HAProxy and civetweb disagree about the end
of a request, the rest becomes the beginning of another customer's request. So every ambiguous
request (kit/ambiguous_http.py) goes through the edge while customers call, and two checks detect a
mix-up:

- Each customer checks that every response belongs to its own request.
- The gateway's log has each request that had a response, once, and no other.
"""

import json
import socket
from collections import Counter

import pytest

from kit import ambiguous_http, frames, raw
from kit.check import check_answer
from kit.load import Books, Load, check_load, metric
from kit.site import own_address

pytestmark = pytest.mark.xdist_group("one-request")

CUSTOMERS = 4
SETTLED = 20  # responses to customers after the last row, so that its leftovers have met a request
SENTINEL_ID = "sentinel"
SENTINEL = (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: %s\r\n\r\n"
            % SENTINEL_ID.encode())


@pytest.fixture(scope="module")
def books(own_stack):
    return Books(own_stack(settings={"limits.unlimited_addresses": ["127.0.0.0/8"], "gateway.threads": 128}))


class Log:
    """What the gateway logs from now on."""

    def __init__(self, stack):
        self._path = stack.parts["gateway-1"].log
        self._begin = self._path.stat().st_size

    def lines(self):
        return [json.loads(line) for line in self._path.read_bytes()[self._begin:].splitlines()]

    def requests(self):
        """The request_id of each request."""
        return [line["request_id"] for line in self.lines() if line["msg"] == "request"]


def ask(site, row):
    """The row's response, None if there is none. After a row of HTTP/1 comes the sentinel, which
    gets a response only if the edge still knows where requests begin."""
    if row.is_h2:
        return frames.exchange(site, own_address(), row.data)
    answers = raw.exchange(raw.connect_tls(site, own_address()), row.data, SENTINEL, row.is_head)
    assert len(answers) <= 2, answers
    if len(answers) == 2:
        assert answers[1].headers.get("X-Request-Id") == SENTINEL_ID or answers[1].status_code == 400, answers
    return answers[0] if answers else None


def judge(row, answer):
    """Yield what is wrong with the row's response."""
    status = answer.status_code if answer else ambiguous_http.CLOSED
    if status not in row.wanted:
        yield f"{row.name}: {status}, not one of {row.wanted}: {answer}"
    elif status and answer.headers.get("X-Request-Id", row.id) != row.id:
        yield f"{row.name}: another's answer {answer}"
    elif status and status != 200:
        check_answer(answer, "HEAD" if row.is_head else "GET")


@pytest.mark.parametrize("family", ambiguous_http.FAMILIES, ids=lambda family: family.__name__)
def test_requests_that_the_edge_passes(books, family):
    site, faults, served, lost, paid = books.site, [], set(), set(), 0
    attacker = site.open_account(100000, limits_off=True)
    customers = [site.open_account(100000, limits_off=True) for _ in range(CUSTOMERS)]
    log = Log(books.stack)
    with Load(site, customers, CUSTOMERS) as load:
        load.wait_for_answers(SETTLED)
        for row in family(ambiguous_http.Writer(attacker)):
            answer = ask(site, row)
            faults += judge(row, answer)
            if answer is None:
                lost.add(row.id)
            elif "X-Request-Id" in answer.headers:
                served.add(row.id)
                paid += answer.headers.get("X-Credits-Charged") == "1"
        load.wait_for_answers(SETTLED)
    check_load(books, load, customers, {200})
    assert not faults, f"{len(faults)} rows, among them:\n" + "\n".join(faults[:20])

    assert [line for line in log.lines() if line["level"] != "info"] == [], "the edge passed an invalid request on"
    found = Counter(log.requests()) - Counter(call.reference for call in load.calls)
    del found[SENTINEL_ID]
    assert set(found.values()) <= {1}, f"served twice: {found.most_common(3)}"
    assert served <= set(found), "an answer that the gateway did not give"
    assert set(found) <= served | lost, f"requests that nobody sent: {set(found) - served - lost}"
    assert paid <= books.charged(attacker) <= paid + len(set(found) & lost)


# -- requests that the edge would block: directly to a gateway, which closes the connection --

FORWARDED = ["X-Forwarded-For: 127.0.0.9", "X-Forwarded-Proto: https"]
LENGTH, CHUNKED = f"Content-Length: {len(ambiguous_http.BODY)}", "Transfer-Encoding: chunked"
BODY = ambiguous_http.BODY.decode()
SMUGGLED = "\r\n".join(["POST /v1/smuggled HTTP/1.1", "Host: localhost", "X-Request-Id: smuggled", *FORWARDED, "", ""])


def padding(count):
    """Fields that add up to this many in a usual call, with its length and the edge's two."""
    return [f"X-{n}: a" for n in range(count - 7)]


# name, fields, body, status
FENCED = [
    ("64 fields", [*padding(64), LENGTH, *FORWARDED], BODY, 431),
    ("a length beyond the table", [*padding(70), *FORWARDED, f"Content-Length: {len(SMUGGLED)}"], "", 431),
    ("the edge's fields beyond the table", [LENGTH, *padding(70), *FORWARDED], BODY, 431),
    ("100 fields", [*padding(100), LENGTH, *FORWARDED], BODY, 431),
    ("two lengths", [LENGTH, "Content-Length: 2", *FORWARDED], BODY, 400),
    ("two lengths, the other first", ["Content-Length: 2", LENGTH, *FORWARDED], BODY, 400),
    ("a length with a sign", ["Content-Length: +13", *FORWARDED], BODY, 400),
    ("a length in hex", ["Content-Length: 0xd", *FORWARDED], BODY, 400),
    ("a list of lengths", ["Content-Length: 13, 13", *FORWARDED], BODY, 400),
    ("a length and a tail", ["Content-Length: 13a", *FORWARDED], BODY, 400),
    ("a length and a coding", [LENGTH, CHUNKED, *FORWARDED], f"d\r\n{BODY}\r\n0\r\n\r\n", 400),
    ("the coding identity", ["Transfer-Encoding: identity", *FORWARDED], BODY, 400),
    ("two codings", [CHUNKED, "Transfer-Encoding: identity", *FORWARDED], f"d\r\n{BODY}\r\n0\r\n\r\n", 400),
    ("a chunk without a size", [CHUNKED, *FORWARDED], f"\r\n{BODY}\r\n0\r\n\r\n", 400),
    ("a chunk longer than its size", [CHUNKED, *FORWARDED], f"5\r\n{BODY}\r\n0\r\n\r\n", 400),
    ("a chunk shorter than its size", [CHUNKED, *FORWARDED], f"f\r\n{BODY}\r\n0\r\n\r\n", 400),
    ("no last chunk", [CHUNKED, *FORWARDED], f"d\r\n{BODY}\r\n", 400),
    ("trailers", [CHUNKED, *FORWARDED], f"d\r\n{BODY}\r\n0\r\nX-A: b\r\n\r\n", 200),
    ("a coding", [CHUNKED, *FORWARDED], f"d\r\n{BODY}\r\n0\r\n\r\n", 200),
    ("nobody forwarded it", [LENGTH], BODY, 400),
    ("no X-Forwarded-For", [LENGTH, FORWARDED[1]], BODY, 400),
    ("no X-Forwarded-Proto", [LENGTH, FORWARDED[0]], BODY, 400),
    ("X-Forwarded-For is not an address", [LENGTH, "X-Forwarded-For: nobody", FORWARDED[1]], BODY, 400),
    ("two X-Forwarded-For", [LENGTH, "X-Forwarded-For: 9.9.9.9", *FORWARDED], BODY, 400),
    ("two X-Forwarded-Proto", [LENGTH, *FORWARDED, "X-Forwarded-Proto: http"], BODY, 400),
    ("Connection: close", [LENGTH, *FORWARDED, "Connection: close"], BODY, 200),
    ("Connection: keep-alive, x", [LENGTH, *FORWARDED, "Connection: keep-alive, x"], BODY, 200),
    ("an upgrade", [LENGTH, *FORWARDED, "Connection: Upgrade", "Upgrade: websocket"], BODY, 200),
]


def to_gateway(account, fields, body):
    """Bytes as the edge writes them."""
    head = [f"POST {account.path('tools/hash-generate')} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
            "X-Request-Id: fenced", f"Authorization: Bearer {account.token}", *fields, "", ""]
    return ("\r\n".join(head) + body).encode()


@pytest.fixture
def gateway(books):
    """A connection to the gateway, as the edge makes it."""
    return raw.connect("127.0.0.1", *books.stack.gateways[0])


@pytest.mark.parametrize("fields, body, status", [pytest.param(*row[1:], id=row[0]) for row in FENCED])
def test_the_gateway_closes_ambiguous_connections(books, gateway, fields, body, status):
    account = books.site.open_account(100)
    log = Log(books.stack)
    answers = raw.exchange(gateway, to_gateway(account, fields, body) + SMUGGLED.encode(), SENTINEL)
    assert [answer.status_code for answer in answers] == [status], answers
    assert answers[0].codes == {200: [], 400: ["bad_request"], 431: ["headers_too_large"]}[status]
    assert answers[0].headers["Connection"] == "close"
    assert books.charged(account) == (status == 200)
    assert log.requests() == ["fenced"]


@pytest.mark.parametrize("framing, body", [
    (LENGTH, BODY[:5]), (CHUNKED, "d\r\n" + BODY[:5]), (CHUNKED, "d\r\n" + BODY + "\r\n")],
    ids=["less than its length", "half a chunk", "no last chunk"])
def test_half_a_body_is_not_a_request(books, gateway, framing, body):
    account = books.site.open_account(100)
    with gateway:
        gateway.sendall(to_gateway(account, [framing, *FORWARDED], body))
        gateway.shutdown(socket.SHUT_WR)
        [answer] = raw.parse(raw.read_to_end(gateway))
    assert answer.status_code == 400 and answer.codes == ["bad_request"]
    assert answer.headers["Connection"] == "close"
    assert books.charged(account) == 0


def test_63_fields_are_read_and_the_connection_stays(books, gateway):
    account = books.site.open_account(100)
    again = to_gateway(account, [LENGTH, *FORWARDED, "Connection: close"], BODY)
    answers = raw.exchange(gateway, to_gateway(account, [*padding(63), LENGTH, *FORWARDED], BODY), again)
    assert [answer.status_code for answer in answers] == [200, 200], answers
    assert books.charged(account) == 2


def test_requests_that_the_edge_should_have_rejected_are_counted(books, gateway):
    before = metric(books.stack, "gateway-1", "tollgate_http_unfiltered_requests_total")
    raw.exchange(gateway, b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", SENTINEL)
    assert metric(books.stack, "gateway-1", "tollgate_http_unfiltered_requests_total") == before + 1
