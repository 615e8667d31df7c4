"""tests/api/edge/test_edge.py - the edge: one test for each problem that was measured behind or in
front of it."""

import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import re
import socket
import ssl
import subprocess
import threading
import time
import urllib.request
import warnings
from collections import Counter

import pytest

from kit import raw
from kit.check import STATUS_OF_CODE, check_answer
from kit.client import Client
from kit.site import ROOT, Site, own_address
from part import Budget
from ports import loopback
from stack import http_status

TOOL = "hash-generate"
BODY_MAX = 65536
# HAProxy 3.0 rejects more of what our rules reject, by closing the connection.
IS_3 = int(re.search(r"version (\d+)", subprocess.check_output(["/usr/sbin/haproxy", "-v"], text=True))[1]) >= 3
FAST_S = 2  # a call takes milliseconds; a stalled one would take the measured 5 s and more


def rows(table):
    """A table whose rows begin with their names, as parameters."""
    return [pytest.param(*row[1:], id=row[0]) for row in table]


def head(line, *headers):
    return "\r\n".join([line, *headers, "", ""]).encode("latin-1")


def paid_call(account, request, *headers):
    """Bytes of a usual call over HTTP/1.1."""
    body = json.dumps(request).encode()
    return paid_head(account, *headers, f"Content-Length: {len(body)}") + body


def paid_head(account, *headers, version="HTTP/1.1"):
    return head(f"POST {account.path(f'tools/{TOOL}')} {version}", "Host: localhost",
                f"Authorization: Bearer {account.token}", "Content-Type: application/json", *headers)


def body_of(size):
    """A valid request of exactly this many bytes."""
    empty = len(json.dumps({"input": ""}))
    return json.dumps({"input": "a" * (size - empty)}).encode()


@pytest.fixture
def line(site):
    """A TLS connection for HTTP/1.1."""
    with raw.connect_tls(site, own_address()) as connection:
        yield connection


# -- TLS --


def handshake(site, minimum, maximum, ciphers="ALL:@SECLEVEL=0"):
    context = ssl.create_default_context(cafile=site.ca_file)
    context.set_ciphers(ciphers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version, context.maximum_version = minimum, maximum
    with raw.connect_tls(site, own_address(), context=context) as connection:
        return connection.version()


@pytest.mark.parametrize("version, name", [
    (ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")])
def test_tls_versions(site, version, name):
    assert handshake(site, version, version) == name


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_the_edge_rejects_old_tls(site, version):
    with pytest.raises(ssl.SSLError) as refusal:
        handshake(site, version, version)
    assert "ALERT_PROTOCOL_VERSION" in refusal.value.reason  # the server's alert, not our own library's


@pytest.mark.parametrize("suite", ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384"])
def test_suites_without_forward_secrecy_or_aead_are_rejected(site, suite):
    with pytest.raises(ssl.SSLError) as refusal:
        handshake(site, ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2, f"{suite}:@SECLEVEL=0")
    assert "HANDSHAKE_FAILURE" in refusal.value.reason


@pytest.mark.parametrize("offered, chosen", [
    (("h2", "http/1.1"), "h2"), (("http/1.1",), "http/1.1"), (("spdy/3", "http/1.1"), "http/1.1")])
def test_alpn(site, offered, chosen):
    with raw.connect_tls(site, own_address(), alpn=offered) as connection:
        assert connection.selected_alpn_protocol() == chosen


def test_a_paid_call_over_http2(site, account, ledger):
    client = raw.H2(site, own_address())
    stream = client.begin("POST", account.path(f"tools/{TOOL}"), [
        ("authorization", f"Bearer {account.token}"), ("content-type", "application/json")])
    client.send(stream, b'{"input":"abc"}', end=True)
    answer = client.answer(stream)
    client.close()
    check_answer(answer)
    assert answer.result["hash"] == hashlib.sha256(b"abc").hexdigest()
    assert ledger.charged(account) == 1


# -- plain HTTP --


@pytest.mark.parametrize("method, path", [("GET", "/nothing"), ("GET", "/livez"), ("POST", "/v1/client/x/tools/y"),
                                          ("POST", "/v1/client/x/mcp")])
def test_plain_http_is_rejected_and_never_redirected(site, method, path):
    line = raw.connect(own_address(), "127.0.0.1", site.plain_port)
    with line:
        raw.send_all(line, head(f"{method} {path} HTTP/1.1", "Host: localhost", "Content-Length: 0",
                                "Connection: close"))
        [answer] = raw.parse(raw.read_to_end(line))
    assert answer.status_code == 403 and answer.codes == ["https_required"]
    assert answer.headers["Content-Type"] == "application/json"
    assert "Location" not in answer.headers
    assert "Strict-Transport-Security" not in answer.headers  # RFC 6797, 7.2


# -- one request must be one request --

CLOSED = []  # no response: HAProxy answers what it cannot parse in HTML only, so it closes
CLOSED_BY_3 = CLOSED if IS_3 else [400, 200]
SMUGGLED = "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: smuggled\r\n\r\n"

# what is between the usual head and the body, the body, statuses (the sentinel's 200 last, if it
# had a response), credits charged
CHUNK = 'd\r\n{"input":"a"}\r\n0\r\n\r\n'
SPELLINGS = [
    # Transfer-Encoding wins and the length is dropped, as RFC 9112 6.3 requires; the edge then
    # closes
    ("CL and TE", ["Content-Length: 4", "Transfer-Encoding: chunked"], "0\r\n\r\n" + SMUGGLED, [400], 0),
    ("TE and CL", ["Transfer-Encoding: chunked", "Content-Length: 4"], "0\r\n\r\n" + SMUGGLED, [400], 0),
    ("two CL that differ", ["Content-Length: 13", "Content-Length: 14"], '{"input":"a"} ', CLOSED, 0),
    ("CL with plus", ["Content-Length: +13"], '{"input":"a"}', CLOSED, 0),
    ("CL in hex", ["Content-Length: 0xd"], '{"input":"a"}', CLOSED, 0),
    ("CL negative", ["Content-Length: -1"], '{"input":"a"}', CLOSED, 0),
    ("CL empty", ["Content-Length:"], '{"input":"a"}', CLOSED, 0),
    ("CL beyond 64 bits", ["Content-Length: 99999999999999999999"], '{"input":"a"}', CLOSED, 0),
    ("CL twice the same is one", ["Content-Length: 13", "Content-Length: 13"], '{"input":"a"}', [200, 200], 1),
    ("TE identity", ["Transfer-Encoding: identity"], '{"input":"a"}', CLOSED, 0),
    ("TE xchunked", ["Transfer-Encoding: xchunked"], CHUNK, CLOSED, 0),
    ("TE chunked twice", ["Transfer-Encoding: chunked, chunked"], "0\r\n\r\n", CLOSED, 0),
    ("TE chunked not last", ["Transfer-Encoding: chunked, gzip"], "0\r\n\r\n", CLOSED, 0),
    ("TE gzip, chunked", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n", CLOSED, 0),
    ("TE in two lines", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], "0\r\n\r\n", CLOSED, 0),
    ("TE with space before colon", ["Transfer-Encoding : chunked"], "0\r\n\r\n", CLOSED, 0),
    ("TE behind a vertical tab", ["Transfer-Encoding:\x0bchunked"], "0\r\n\r\n", CLOSED, 0),
    ("TE in capitals", ["Transfer-Encoding: CHUNKED"], CHUNK, [200, 200], 1),
    ("chunk with extension", ["Transfer-Encoding: chunked"], "d;x=y" + CHUNK[1:], [200, 200], 1),
    ("chunk size beyond 64 bits", ["Transfer-Encoding: chunked"], "1000000000000000" + CHUNK, CLOSED, 0),
    ("chunk size is not a number", ["Transfer-Encoding: chunked"], "g" + CHUNK[1:], CLOSED, 0),
]


@pytest.mark.parametrize("headers, body, statuses, charged", rows(SPELLINGS))
def test_spellings_of_length(account, ledger, line, headers, body, statuses, charged):
    answers = raw.exchange(line, paid_head(account, *headers) + body.encode("latin-1"))
    assert [answer.status_code for answer in answers] == statuses, answers
    assert "smuggled" not in repr(answers)
    assert ledger.charged(account) == charged


def test_chunks_of_http10_are_rejected(account, ledger, line):
    answers = raw.exchange(line, paid_head(account, "Transfer-Encoding: chunked", version="HTTP/1.0") +
                           CHUNK.encode())
    assert [answer.status_code for answer in answers] == [400], answers
    assert ledger.charged(account) == 0


HOST = "Host: localhost"
HEADS = [
    ("as it should be", "GET /livez HTTP/1.1", [HOST], [200, 200]),
    ("no Host", "GET /livez HTTP/1.1", [], [400, 200]),
    ("no Host in 1.0", "GET /livez HTTP/1.0", [], [400]),
    ("two Hosts", "GET /livez HTTP/1.1", [HOST, "Host: other"], CLOSED),
    ("a list as Host", "GET /livez HTTP/1.1", ["Host: a, b"], CLOSED_BY_3),
    ("an empty Host", "GET /livez HTTP/1.1", ["Host:"], [400, 200]),
    ("absolute-form of our host", "GET https://localhost/livez HTTP/1.1", [HOST], [200, 200]),
    ("absolute-form of another host", "GET https://other.test/livez HTTP/1.1", [HOST], CLOSED),
    ("HTTP/0.9", "GET /livez", [], CLOSED),
    ("HTTP/1.2", "GET /livez HTTP/1.2", [HOST], [400, 200]),
    ("HTTP/2.0 spelled out", "GET /livez HTTP/2.0", [HOST], [400, 200]),
    ("HTTP/1.10", "GET /livez HTTP/1.10", [HOST], CLOSED),
    ("a space in the path", "GET /livez x HTTP/1.1", [HOST], CLOSED),
    ("a byte above 127 in the path", "GET /v1/\xe9 HTTP/1.1", [HOST], CLOSED),
    ("%00 in the path", "GET /v1/%00 HTTP/1.1", [HOST], [400, 200]),
    ("the asterisk", "GET * HTTP/1.1", [HOST], CLOSED_BY_3),
    ("obs-fold becomes a space", "GET /livez HTTP/1.1", [HOST, "X-A: b\r\n c"], [200, 200]),
    ("space before the colon", "GET /livez HTTP/1.1", [HOST, "X-A : b"], CLOSED),
    ("a header without a name", "GET /livez HTTP/1.1", [HOST, ": b"], CLOSED),
    ("a bare CR in a header", "GET /livez HTTP/1.1", [HOST, "X-A: b\rX-B: c"], CLOSED),
    ("NUL in a header", "GET /livez HTTP/1.1", [HOST, "X-A: b\0c"], CLOSED_BY_3),
    ("NUL in a header's name", "GET /livez HTTP/1.1", [HOST, "X\0A: b"], CLOSED),
    ("59 headers", "GET /livez HTTP/1.1", [HOST, *(f"X-{n}: a" for n in range(58))], [200, 200]),
    ("60 headers", "GET /livez HTTP/1.1", [HOST, *(f"X-{n}: a" for n in range(59))], [431, 200]),
    ("255 headers", "GET /livez HTTP/1.1", [HOST, *(f"X-{n}: a" for n in range(254))], [431, 200]),
    ("256 headers, more than are parsed", "GET /livez HTTP/1.1", [HOST, *(f"X-{n}: a" for n in range(255))], CLOSED),
    ("more headers than are parsed", "GET /livez HTTP/1.1", [HOST, *(f"X-{n}: a" for n in range(300))], CLOSED),
    ("16 KB of headers", "GET /livez HTTP/1.1", [HOST, f"X-A: {'a' * 17000}"], [431, 200]),
    ("96 KB of headers", "GET /livez HTTP/1.1", [HOST, f"X-A: {'a' * 96400}"], [431, 200]),
    ("98 KB of headers, more than a buffer", "GET /livez HTTP/1.1", [HOST, f"X-A: {'a' * 97500}"], CLOSED),
    ("8 KB of path", f"GET /v1/{'a' * 8192} HTTP/1.1", [HOST], [414, 200]),
    ("more than a buffer", f"GET /v1/{'a' * 100000} HTTP/1.1", [HOST], CLOSED),
    ("metrics", "GET /metrics HTTP/1.1", [HOST], [404, 200]),
    ("metrics behind dots", "GET /v1/../metrics HTTP/1.1", [HOST], [404, 200]),
    ("metrics behind encoded dots", "GET /v1/%2e%2e/metrics HTTP/1.1", [HOST], [404, 200]),
    ("metrics behind two slashes", "GET //metrics HTTP/1.1", [HOST], [404, 200]),
    ("a wrong path", "GET /nothing HTTP/1.1", [HOST], [404, 200]),
    ("readiness", "GET /readyz HTTP/1.1", [HOST], [200, 200]),
    ("OpenAPI", "GET /openapi.json HTTP/1.1", [HOST], [200, 200]),
    ("an upgrade is ignored", "GET /livez HTTP/1.1", [HOST, "Connection: Upgrade", "Upgrade: h2c"],
     [200, 200]),
    ("a control character in a header", "GET /livez HTTP/1.1", [HOST, "X-A: b\x01c"], [400, 200]),
    ("DEL in a header", "GET /livez HTTP/1.1", [HOST, "X-A: b\x7fc"], [400, 200]),
    ("a tab in a header, which civetweb does not take", "GET /livez HTTP/1.1", [HOST, "X-A: b\tc"], [400, 200]),
]


@pytest.mark.parametrize("request_line, headers, statuses", rows(HEADS))
def test_heads(line, request_line, headers, statuses):
    answers = raw.exchange(line, head(request_line, *headers))
    assert [answer.status_code for answer in answers] == statuses, answers
    for answer in answers:
        if answer.status_code != 200:
            check_answer(answer)


def test_a_bare_line_feed_ends_a_line_everywhere_or_nowhere(line):
    """RFC 9112 2.2 lets a recipient accept a single LF as the end of a line. The edge does, and
    passes CR LF on. The gateway must see the same headers as the edge."""
    answers = raw.exchange(line, b"GET /livez HTTP/1.1\nHost: localhost\nX-Request-Id: lf-1234567\n\n")
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].headers["X-Request-Id"] == "lf-1234567"


def h2_status(site, headers=(), path="/livez"):
    """Status of a GET over HTTP/2, 0 when the edge resets it."""
    client = raw.H2(site, own_address())
    try:
        return client.answer(client.begin("GET", path, headers, end=True)).status_code
    except ConnectionResetError:
        return 0
    finally:
        client.close()


H2_HEADS = [
    ("as it should be", [], 200),
    ("Host and :authority", [("host", "localhost")], 200),
    ("another Host next to :authority does not count", [("host", "other")], 200),
    ("two Hosts next to :authority do not count", [("host", "localhost"), ("host", "other")], 200),
    ("a line feed in a header", [("x-a", "b\nhost: c")], 0),
    ("a header's name in capitals", [("X-A", "b")], 0),
    ("a space in a header's name", [("x a", "b")], 0),
    ("Transfer-Encoding", [("transfer-encoding", "chunked")], 0),
    ("Connection", [("connection", "keep-alive")], 0),
    ("length of a body that does not come", [("content-length", "5")], 0 if IS_3 else 200),  # 2.6 drops it
    ("16 KB of headers", [("x-a", "a" * 17000)], 431),
    ("59 headers", [(f"x-{n}", "a") for n in range(58)], 200),
    ("60 headers", [(f"x-{n}", "a") for n in range(59)], 431),
    ("100 headers", [(f"x-{n}", "a") for n in range(99)], 431),
    ("500 headers", [(f"x-{n}", "a") for n in range(499)], 0 if IS_3 else 431),
    ("600 headers, more than are parsed", [(f"x-{n}", "a") for n in range(599)], 0),
]


@pytest.mark.parametrize("headers, status", rows(H2_HEADS))
def test_heads_over_http2(site, headers, status):
    assert h2_status(site, headers) == status


@pytest.mark.parametrize("path, status", [
    ("*", 200 if IS_3 else 400),  # 3.0 reads it as /
    ("livez", 400), ("/metrics", 404), ("/v1/%00", 400), ("/v1/\xe9", 400)])
def test_paths_over_http2(site, path, status):
    assert h2_status(site, path=path) in (status, 0)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "get"])
def test_methods_that_are_not_used(line, account, method):
    answers = raw.exchange(line, head(f"{method} {account.path('account/credits')} HTTP/1.1", HOST))
    assert answers[0].status_code == 405, answers
    check_answer(answers[0])
    assert answers[0].codes == ["method_not_allowed"]
    assert "GET" in answers[0].headers["Allow"]


def test_connect_opens_no_tunnel(line):
    answers = raw.exchange(line, head("CONNECT localhost:443 HTTP/1.1", "Host: localhost:443"))
    assert answers[0].status_code == 405, answers


def test_extended_connect_opens_no_tunnel(site):
    """RFC 8441: HAProxy makes it a GET with Upgrade, and cannot pass on its data."""
    client = raw.H2(site, own_address())
    stream = client.begin("CONNECT", "/livez", [(":protocol", "websocket")])
    client.send(stream, SMUGGLED.encode())
    answer = client.answer(stream)
    client.close()
    assert answer.status_code == 405 and answer.codes == ["method_not_allowed"]


@pytest.mark.parametrize("headers", [
    ["Authorization: Bearer other"], ["Content-Type: text/plain"], ["Idempotency-Key: a", "Idempotency-Key: b"]])
def test_two_headers_that_differ(account, ledger, line, headers):
    answers = raw.exchange(line, paid_call(account, {"input": "a"}, *headers))
    assert [answer.status_code for answer in answers] == [400, 200], answers
    assert answers[0].codes == ["bad_request"]
    assert ledger.charged(account) == 0


def test_two_headers_that_agree_are_one(account, ledger, line):
    headers = [f"Authorization: Bearer {account.token}", "content-type: application/json"]
    answers = raw.exchange(line, paid_call(account, {"input": "a"}, *headers))
    assert [answer.status_code for answer in answers] == [200, 200], answers
    assert ledger.charged(account) == 1


# -- bodies --


def chunked(body, size=8192):
    parts = [body[at:at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("framing", ["length", "chunks"])
@pytest.mark.parametrize("size, status, code", [
    (BODY_MAX, 200, None), (BODY_MAX + 1, 413, "body_too_large"), (1 << 20, 413, "body_too_large"),
    (15 << 20, 413, "body_too_large")])
def test_size_of_the_body(site, account, ledger, framing, size, status, code):
    body = body_of(size)
    if framing == "length":
        data = paid_head(account, f"Content-Length: {size}", "Connection: close") + body
    else:
        data = paid_head(account, "Transfer-Encoding: chunked", "Connection: close") + chunked(body)
    with raw.connect_tls(site, own_address()) as line:
        raw.send_all(line, data)
        [answer] = raw.parse(raw.read_to_end(line))
    check_answer(answer)
    assert answer.status_code == status, answer
    if code:
        assert answer.codes == [code]
    assert ledger.charged(account) == (1 if status == 200 else 0)


@pytest.mark.parametrize("size", [17 << 20, 1 << 31, 1 << 33, (1 << 63) - 1])
def test_a_large_body_is_rejected_before_it_is_sent(site, account, size):
    with raw.connect_tls(site, own_address()) as line:
        line.sendall(paid_head(account, f"Content-Length: {size}"))
        [answer] = raw.parse(raw.read_to_end(line))
    check_answer(answer)
    assert answer.status_code == 413 and answer.codes == ["body_too_large"]
    assert answer.headers["Connection"].lower() == "close"


def test_expect_100_continue_is_answered(account, line):
    line.sendall(paid_head(account, "Content-Length: 13", "Expect: 100-continue", "Connection: close"))
    assert line.recv(25).startswith(b"HTTP/1.1 100 ")
    line.sendall(b'{"input":"a"}')
    [answer] = raw.parse(raw.read_to_end(line).lstrip())
    assert answer.status_code == 200


@pytest.mark.parametrize("headers, part", [
    (["Content-Length: 13"], b'{"in'), (["Transfer-Encoding: chunked"], b'd\r\n{"in')])
def test_a_slow_body_times_out_after_10_seconds(site, api, account, ledger, headers, part):
    with raw.connect_tls(site, own_address()) as line:
        line.sendall(paid_head(account, *headers) + part)
        budget = Budget(13)
        # HAProxy 3.0 closes later, after `timeout client`
        received = line.recv(65536) if IS_3 else raw.read_to_end(line)
        assert 9 < budget.passed() and budget.left()
    [answer] = raw.parse(received)
    check_answer(answer)
    assert answer.headers["Connection"].lower() == "close"
    assert answer.status_code == 408 and answer.codes == ["request_timeout"]
    assert ledger.charged(account) == 0


@pytest.mark.parametrize("sent", [b"", b"GET /livez HTTP/1.1\r\nHost: loc"])
def test_a_slow_head_times_out_after_10_seconds(line, sent):
    line.sendall(sent)
    budget = Budget(13)
    assert raw.read_to_end(line) == b""
    assert 9 < budget.passed() and budget.left()


# -- many clients --


def ask_livez(line):
    line.sendall(head("GET /livez HTTP/1.1", HOST))
    answer = b""
    while not answer.endswith(b"ok\n"):
        part = line.recv(4096)
        assert part, answer
        answer += part


@contextlib.contextmanager
def idle_clients(site, count):
    """Clients that called once and stay connected."""
    addresses = [own_address() for _ in range(4)]
    with contextlib.ExitStack() as lines:
        for number in range(count):
            ask_livez(lines.enter_context(raw.connect_tls(site, addresses[number % 4])))
        yield


def test_hundreds_of_idle_clients_do_not_delay_a_call(site, api, account):
    """Without the edge, civetweb makes the ninth client wait for five seconds."""
    with idle_clients(site, 320):
        budget = Budget(FAST_S)
        for _ in range(10):
            assert api.call(account, TOOL, {"input": "a"}).status_code == 200
        assert budget.left()


def edge_counts(admin, name):
    """Sum of a metric of the edge over all gateways."""
    with urllib.request.urlopen(f"http://{admin}/metrics") as answer:
        text = answer.read().decode()
    counts = re.findall(rf'^haproxy_server_{name}\{{proxy="gateways".*\}} (\d+)$', text, re.MULTILINE)
    assert counts
    return sum(map(int, counts))


def connections_opened(admin):
    """The connections that the edge has opened to gateways so far."""
    return edge_counts(admin, "connection_attempts_total")


def test_calls_share_a_connection_despite_idle_clients(own_stack):
    """By default HAProxy opens one per call when clients use a fifth of its files."""
    admin = f"{own_address()}:8404"
    stack = own_stack(edge={"EDGE_MAX_CONNECTIONS": 200, "EDGE_LISTEN_ADMIN": admin})
    site = Site.of(stack)
    with idle_clients(site, 160), raw.connect_tls(site, own_address()) as line:
        ask_livez(line)
        before = connections_opened(admin)
        for _ in range(20):
            ask_livez(line)
        assert connections_opened(admin) - before <= 1


SILENT = 40     # clients at once, which reconnect as soon as they are dropped
WATCHED_S = 12  # six of the edge's checks; two failures take a gateway out
SCRAPE_S = 8    # less than Prometheus's timeout of 10 s


def be_silent(address, ends):
    """Connect, send nothing, and reconnect when the peer closes."""
    while not ends.is_set():
        with contextlib.suppress(OSError), socket.create_connection(address, timeout=5) as line:
            line.recv(1)


@contextlib.contextmanager
def silent_clients(address, count):
    ends = threading.Event()
    threads = [threading.Thread(target=be_silent, args=(address, ends), daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ends.set()
        for thread in threads:
            thread.join()


def test_silent_clients_of_the_admin_port_affect_nobody(own_stack):
    """It affects neither customers, because the edge checks a gateway on the port of the calls, nor
    monitoring."""
    stack = own_stack(settings={"limits.unlimited_addresses": ["127.0.0.0/8"]}, edge={"EDGE_CONNECTION_RATE_PER_IP": 100000})
    site = Site.of(stack)
    client, account = Client(site), site.open_account(10000, limits_off=True)
    admin, statuses, scrapes = stack.admin["gateway-1"], Counter(), Counter()
    with silent_clients(admin, SILENT):
        end = time.monotonic() + WATCHED_S
        while time.monotonic() < end:
            statuses[client.call(account, TOOL, {"input": "a"}).status_code] += 1
            scrapes[http_status(http.client.HTTPConnection(*admin, timeout=SCRAPE_S), "/metrics")] += 1
    assert set(statuses) == {200}, statuses
    assert set(scrapes) == {200}, scrapes


def test_a_busy_gateway_answers_checks(own_stack):
    """Requests hold all threads that the edge may use, longer than a check waits: other threads are
    left."""
    admin = f"{own_address()}:8404"
    stack = own_stack(settings={"gateway.threads": 32, "ledger.timeout_ms": 6000}, edge={"EDGE_LISTEN_ADMIN": admin})
    site = Site.of(stack)
    account = site.open_account()
    failed = edge_counts(admin, "check_failures_total")
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        stack.parts["postgres"].freeze()
        try:
            answers = list(pool.map(lambda _: Client(site).read(account, "account/credits").status_code, range(80)))
        finally:
            stack.parts["postgres"].thaw()
    assert set(answers) == {503}, answers
    assert edge_counts(admin, "check_failures_total") == failed
    assert Client(site).credits(account) == 100


def test_slow_uploads_do_not_delay_a_call(site, api, account):
    slow = [raw.connect_tls(site, own_address()) for _ in range(50)]
    try:
        for line in slow:
            line.sendall(paid_head(account, "Content-Length: 60000") + b"{")
        budget = Budget(FAST_S)
        for _ in range(10):
            assert api.call(account, TOOL, {"input": "a"}).status_code == 200
        assert budget.left()
    finally:
        for line in slow:
            line.close()


def test_one_address_gets_100_connections(site, api):
    address = own_address()
    lines = [raw.connect_tls(site, address) for _ in range(100)]
    try:
        with pytest.raises(OSError):
            raw.connect_tls(site, address)
        assert api.get("/v1/nothing").status_code == 404  # other addresses are served
    finally:
        for line in lines:
            line.close()


def abort_h2(site, account, declared, sent):
    """Begin an upload over HTTP/2, reset its stream, and use the connection for nothing else."""
    client = raw.H2(site, own_address())
    stream = client.begin("POST", account.path(f"tools/{TOOL}"), [
        ("authorization", f"Bearer {account.token}"), ("content-type", "application/json"),
        ("content-length", str(declared))])
    client.send(stream, body_of(declared)[:sent])
    client.reset(stream)
    client.close()


def abort_h1(site, account, declared, sent):
    with raw.connect_tls(site, own_address()) as line:
        line.sendall(paid_head(account, f"Content-Length: {declared}") + body_of(declared)[:sent])


ABORTS = [(60000, 1000), (60000, 59999), (200000, 70000), (200000, 100000), (2 << 20, 1 << 17)]


@pytest.mark.parametrize("abort", [abort_h2, abort_h1])
def test_aborted_uploads_do_not_touch_other_clients(site, ledger, abort):
    """Behind the edge all clients share connections. Measured: if a gateway responds before it has
    read a body and keeps the connection, an aborted upload swallows the next customer's request."""
    careless = site.open_account(100, limits_off=True)
    customers = [site.open_account(100, limits_off=True) for _ in range(4)]
    calls = 40

    def customer_calls(account):
        client = Client(site)
        for number in range(calls):
            text = f"{account.id} {number}"
            answer = client.call(account, TOOL, {"input": text})
            assert answer.status_code == 200, answer
            assert answer.result["hash"] == hashlib.sha256(text.encode()).hexdigest()

    with concurrent.futures.ThreadPoolExecutor(len(customers)) as pool:
        running = [pool.submit(customer_calls, account) for account in customers]
        while not all(future.done() for future in running):
            for declared, sent in ABORTS:
                abort(site, careless, declared, sent)
        for future in running:
            future.result()
    assert [ledger.charged(account) for account in customers] == [calls] * len(customers)
    assert ledger.charged(careless) == 0


@pytest.mark.parametrize("value", ["Upgrade", "keep-alive, x", "x", "te"])
def test_a_clients_connection_header_stays_at_the_edge(site, value):
    """Measured: civetweb takes `keep-alive, x` as the end of a connection that other clients share,
    without announcing it; every other call that followed at once was lost."""
    address = own_address()
    request = head("GET /livez HTTP/1.1", HOST, f"Connection: {value}", "X: y")
    for _ in range(30):
        answers = raw.exchange(raw.connect_tls(site, address), request)
        assert [answer.status_code for answer in answers] == [200, 200]


# -- the gateway's trust in headers --


def test_a_client_cannot_choose_its_address(api):
    """120 calls a minute from one address, whatever X-Forwarded-For claims."""
    with contextlib.closing(api.connect()) as connection:
        statuses = [api.request("GET", "/v1/nothing", headers={
            "X-Forwarded-For": f"203.0.113.{number}", "Forwarded": f"for=203.0.113.{number}"},
            connection=connection).status_code for number in range(121)]
    assert statuses == [404] * 120 + [429]


def test_a_client_cannot_claim_to_be_another(site, api):
    other = Client(site)
    for _ in range(3):
        assert api.get("/v1/nothing", {"X-Forwarded-For": other.address}).status_code == 404
    statuses = [other.get("/v1/nothing").status_code for _ in range(120)]
    assert statuses == [404] * 120


def test_a_client_cannot_claim_plain_http(api, account):
    answer = api.read(account, "account/credits", {"X-Forwarded-Proto": "http"})
    assert answer.status_code == 200, answer


# -- the gateway behind it: a response sent before the body was read closes the connection --

UNREAD = [
    ("unknown tool", "POST {path}tools/no-such-tool HTTP/1.1", ["Authorization: Bearer {token}"], 404),
    ("wrong method", "DELETE {path}account/credits HTTP/1.1", ["Authorization: Bearer {token}"], 405),
    ("no token", "POST {path}tools/hash-generate HTTP/1.1", [], 403),
    ("wrong type", "POST {path}tools/hash-generate HTTP/1.1",
     ["Authorization: Bearer {token}", "Content-Type: text/plain"], 415),
    ("body on a GET", "GET {path}account/credits HTTP/1.1", ["Authorization: Bearer {token}"], 200),
]


@pytest.mark.parametrize("line, headers, status", rows(UNREAD))
def test_a_body_never_becomes_a_request(site, account, line, headers, status):
    """Directly to a gateway, in the edge's form: whatever it rejects, the body must not be served
    as the next request of the connection."""
    known = {"path": account.path(""), "token": account.token}
    host, port = site.gateways[0]
    data = head(line.format(**known), HOST, f"X-Forwarded-For: {own_address()}", "X-Forwarded-Proto: https",
                f"Content-Length: {len(SMUGGLED)}", *(header.format(**known) for header in headers))
    answers = raw.exchange(raw.connect("127.0.0.1", host, port), data + SMUGGLED.encode())
    assert answers[0].status_code == status, answers
    assert "smuggled" not in repr(answers)
    assert len(answers) == 2 or answers[0].headers["Connection"].lower() == "close", answers


# -- responses of the edge --

PROMISE_NOTHING = {"500": 503, "502": 503, "504": 503}  # these files have another status
ERROR_FILES = sorted((ROOT / "deploy" / "edge" / "errors").glob("*.http"))


@pytest.mark.parametrize("file", ERROR_FILES, ids=lambda file: file.name)
def test_error_files_are_envelopes(file):
    [answer] = raw.parse(file.read_bytes())
    assert answer.status_code == PROMISE_NOTHING.get(file.stem, int(file.stem))
    assert int(answer.headers["Content-Length"]) == len(answer.body)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json().keys() == {"result", "success", "errors"} and answer.json()["success"] is False
    assert [STATUS_OF_CODE[code] for code in answer.codes] == [answer.status_code]
    assert ("Retry-After" in answer.headers) == (answer.status_code == 503)
    assert ("Allow" in answer.headers) == (answer.status_code == 405)


@pytest.mark.parametrize("status", PROMISE_NOTHING)
def test_the_edge_promises_nothing_of_a_call_that_it_passed_on(status):
    """The gateway may have charged the call: HAProxy also sends these after it forwarded the
    request."""
    [answer] = raw.parse((ROOT / "deploy" / "edge" / "errors" / f"{status}.http").read_bytes())
    [error] = answer.json()["errors"]
    assert answer.codes == ["outcome_unknown"]
    assert "Idempotency-Key" in error["message"] and "not charged" not in error["message"]


def test_there_is_a_file_for_each_error_of_the_edge():
    assert {file.stem for file in ERROR_FILES} == {
        "400", "403", "404", "405", "408", "413", "414", "431", "500", "502", "503", "504"}


def test_each_loopback_address_is_served(site):
    """Node.js 18 tries only the first address of localhost, on Debian ::1."""
    addresses = [each.rpartition(":")[0].strip("[]") for each in loopback(site.tls_port).split(",")]
    for address in addresses:
        for port in (site.tls_port, site.plain_port):
            socket.create_connection((address, port), 5).close()
    assert addresses[0] == "127.0.0.1"
