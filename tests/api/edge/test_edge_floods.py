"""tests/api/edge/test_edge_floods.py - clients that cost the edge more than themselves. Their share
of its memory, its log and its places at the gateways is limited, and other customers are served."""

import contextlib
import http.client
import struct
import threading
from collections import Counter

import hpack
import pytest

from kit import raw
from kit.client import TIMEOUT_S, Client
from kit.load import Line, metric
from kit.frames import END_HEADERS, END_STREAM, GOAWAY, HEADERS, PREFACE, RST_STREAM, SETTINGS, frame
from kit.site import Site, own_address
from part import Budget, slowness, wait_for

UNLIMITED = {"limits.unlimited_addresses": ["0.0.0.0/0"]}
SHIPPED = {"EDGE_MAX_CONNECTIONS": 4000, "EDGE_BUFFERS": 6000, "EDGE_REQUEST_RATE_PER_IP": 2000}  # in compose.yaml
INITIAL_WINDOW_SIZE, CANCEL, ENHANCE_YOUR_CALM = 4, 8, 11
PACE_S = 0.05
P99_S = 2          # during a flood, on a busy machine; without a place a call waits 5 s for its 503
STREAMS = range(1, 200, 2)
BUFFER_MB = 0.1
TARPIT_S = 2
RECOVERY_S = 40     # HAProxy 3.0 frees buffers of lost clients after http-request and client: 10 + 20 s
REQUESTS = 300     # of one address in 10 s, at the small edge


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(settings=UNLIMITED, edge=SHIPPED)


@pytest.fixture(scope="module")
def flooded(stack):
    """The edge's address."""
    return Site.of(stack)


class Customer(threading.Thread):
    """Pays for a call every PACE_S, from its own address."""

    def __init__(self, site):
        super().__init__(daemon=True)
        self.calls = []
        self._account = site.open_account(10000, limits_off=True)
        self._line = Line(site)
        self._ends = threading.Event()

    def run(self):
        while not self._ends.wait(PACE_S):
            assert self._line.open()
            self.calls.append(self._line.call(self._account)[0])

    def stop(self):
        self._ends.set()
        self.join()
        self._line.close()


@contextlib.contextmanager
def customers(site):
    """Two of them: each of their calls, some of them after the flood, returns 200, in time."""
    crowd = [Customer(site) for _ in range(2)]
    for customer in crowd:
        customer.start()
    try:
        yield
        sent = [len(customer.calls) for customer in crowd]
        wait_for(lambda: all(len(c.calls) >= n + 10 for c, n in zip(crowd, sent)), 20, "more calls")
    finally:
        for customer in crowd:
            customer.stop()
    calls = [call for customer in crowd for call in customer.calls]
    assert {call.status for call in calls} == {200}, Counter(call.status for call in calls)
    times = sorted(call.seconds for call in calls)
    assert times[len(times) * 99 // 100] < P99_S * slowness(), times[-10:]


@contextlib.contextmanager
def closing(*lines):
    with contextlib.ExitStack() as stack:
        for line in lines:
            stack.enter_context(line)
        yield


def connect(site, address):
    return raw.connect_tls(site, address, alpn=("h2",))


def request(encoder, stream, method, path, headers=(), flags=END_STREAM):
    fields = [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path), *headers]
    return frame(HEADERS, END_HEADERS | flags, encoder.encode(fields), stream)


def memory_mb(part, key="VmRSS"):
    with open(f"/proc/{part.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(key)) // 1024


def flood(site, addresses, data, count):
    """This many connections from these addresses in turn, with data sent on each. The edge may
    reject any."""
    lines = []
    for number in range(count):
        with contextlib.suppress(OSError):
            line = connect(site, addresses[number % len(addresses)])
            lines.append(line)
            raw.send_all(line, data)
    return lines


def large_heads():
    """A hundred requests on one connection, 14 KB each in the edge's memory and 30 bytes on the
    wire."""
    encoder = hpack.Encoder()
    return PREFACE + b"".join(
        request(encoder, stream, "POST", "/v1/client/x/tools/y", [("x-a", "a" * 1000)] * 14, flags=0)
        for stream in STREAMS)


def test_large_heads_of_few_addresses(stack, flooded):
    """Measured: 480 such connections took 1,000 MB."""
    edge = stack.parts["edge"]
    with customers(flooded):
        lines = flood(flooded, [own_address() for _ in range(6)], large_heads(), 480)
        with closing(*lines):
            peak = memory_mb(edge, "VmHWM")
    assert peak < 150, f"{peak} MB"


def is_served(site):
    """Without a buffer the edge cannot check the gateways, and takes them as down, or does not
    respond."""
    try:
        return all(Client(site).get("/v1/nothing").status_code == 404 for _ in range(5))
    except (OSError, http.client.HTTPException):
        return False


@pytest.fixture(scope="module")
def small(own_stack):
    """A stack with an edge of few buffers, and a rate that a busy machine also exceeds."""
    return own_stack(settings=UNLIMITED, edge={"EDGE_MAX_CONNECTIONS": 400, "EDGE_BUFFERS": 200,
                                               "EDGE_REQUEST_RATE_PER_IP": REQUESTS})


def test_without_a_free_buffer_the_edge_survives(small):
    """Each client has its own address, so buffers are the only limit. A process limit cannot
    replace it: with `prlimit --data` HAProxy crashed in such floods."""
    site, edge = Site.of(small), small.parts["edge"]
    with closing(*flood(site, [own_address() for _ in range(200)], large_heads(), 200)):
        assert memory_mb(edge, "VmHWM") < 50 + 200 * BUFFER_MB
    wait_for(lambda: is_served(site), RECOVERY_S, "the end of the flood")
    with customers(site):
        assert edge.alive


def stalled(path):
    """A hundred requests whose responses are never read."""
    encoder = hpack.Encoder()
    window = frame(SETTINGS, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, 0), stream=0)
    return PREFACE + window + b"".join(request(encoder, stream, "GET", path) for stream in STREAMS)


def test_unread_responses_leave_places_at_the_gateway(flooded):
    """Measured: 11 addresses took the 1,008 places, and everybody else got 503 after 5 s."""
    addresses = [own_address() for _ in range(40)]
    with customers(flooded), closing(*flood(flooded, addresses, stalled("/openapi.json"), len(addresses))):
        for _ in range(5):
            assert Client(flooded).get("/openapi.json").status_code == 200


def slow_upload(site, account, address):
    """A call whose body the edge waits for."""
    line = raw.connect_tls(site, address)
    line.sendall((f"POST {account.path('tools/hash-generate')} HTTP/1.1\r\nHost: localhost\r\n"
                  f"Authorization: Bearer {account.token}\r\nContent-Type: application/json\r\n"
                  "Content-Length: 13\r\n\r\n").encode())
    return line


def test_fifty_requests_of_one_address_are_in_flight(flooded):
    account, client = flooded.open_account(), Client(flooded)
    lines = [slow_upload(flooded, account, client.address) for _ in range(50)]
    with closing(*lines), contextlib.closing(client.connect()) as line:  # new connections are limited, too
        wait_for(lambda: client.request("GET", "/livez", connection=line).status_code == 429, 5, "all to arrive")
        answer = client.get("/livez")
        assert answer.codes == ["rate_limited_ip"] and answer.headers["Retry-After"] == "1"
        assert Client(flooded).get("/livez").status_code == 200  # other addresses are served
        lines[0].sendall(b'{"input":"a"}')
        assert lines[0].recv(12) == b"HTTP/1.1 200"
        assert client.get("/livez").status_code == 200  # its place is free


def end_of(line):
    """Why the edge closes this connection: the code of its GOAWAY; None while it is open."""
    received = b""
    line.settimeout(1)
    with contextlib.suppress(OSError):
        while part := line.recv(65536):
            received += part
    while received:
        end = 9 + int.from_bytes(received[:3], "big")
        if received[3] == GOAWAY:
            return int.from_bytes(received[13:17], "big")
        received = received[end:]
    return None


def test_a_hundred_requests_of_one_address_close_the_connection(flooded):
    """A 429 also holds a buffer while the client does not read it."""
    lines = flood(flooded, [own_address()], stalled("/livez"), 8)
    with closing(*lines):
        ends = [end_of(line) for line in lines]
    assert ends.count(ENHANCE_YOUR_CALM) >= 5, ends  # three have 33 each


def test_too_many_requests_of_one_address_close_its_connections(small):
    site = Site.of(small)
    client = Client(site)
    with contextlib.closing(client.connect()) as line:
        for _ in range(REQUESTS):
            assert client.request("GET", "/nothing", connection=line).status_code == 404
        with pytest.raises((OSError, http.client.HTTPException)):
            client.request("GET", "/nothing", connection=line)
    with pytest.raises(OSError):
        client.get("/nothing")
    assert Client(site).get("/nothing").status_code == 404  # other addresses are served


def log_lines(edge):
    return edge.log.read_bytes().count(b"\n")


def test_requests_that_are_reset_do_not_fill_the_log(stack, flooded):
    """Measured: one log line each, and customers waited for 270 ms. The edge does not close a flood
    that is reset in time."""
    encoder = hpack.Encoder()
    edge, before = stack.parts["edge"], log_lines(stack.parts["edge"])
    with customers(flooded), connect(flooded, own_address()) as line:
        raw.send_all(line, PREFACE)
        for stream in range(1, 40000, 2):
            raw.send_all(line, request(encoder, stream, "GET", "/livez") +
                         frame(RST_STREAM, 0, struct.pack(">I", CANCEL), stream))
    assert log_lines(edge) - before < 100


def test_requests_over_plain_http_do_not_fill_the_log(stack, flooded):
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    edge, before = stack.parts["edge"], log_lines(stack.parts["edge"])
    with raw.connect(own_address(), "127.0.0.1", flooded.plain_port) as line:
        raw.send_all(line, request * 3000)
        answers = raw.parse(raw.read_to_end(line))
    assert {answer.status_code for answer in answers} == {403} and 100 < len(answers) <= 2000
    assert log_lines(edge) - before < 100


TOO_LARGE = [("length", b"Content-Length: 1000000\r\n\r\n", b"a" * 70000, b"a"),
             ("chunks", b"Transfer-Encoding: chunked\r\n\r\n", b"11170\r\n%s\r\n" % (b"a" * 70000), b"1\r\na\r\n")]


@pytest.mark.parametrize("framing, length, begin, drop", TOO_LARGE, ids=[row[0] for row in TOO_LARGE])
def test_a_too_large_body_ends_in_time(stack, flooded, framing, length, begin, drop):
    """Measured: passed on a byte at a time, it held a thread of a gateway forever. HAProxy 2.6
    closes the connection after the response. 3.0 reads on as long as the client sends, without a
    gateway."""
    with raw.connect_tls(flooded, own_address()) as line:
        line.sendall(b"POST /v1/client/x/tools/y HTTP/1.1\r\nHost: localhost\r\n" + length + begin)
        ends = threading.Event()
        sender = threading.Thread(target=lambda: [raw.send_all(line, drop) for _ in iter(lambda: ends.wait(0.1), True)])
        sender.start()
        budget = Budget(TARPIT_S + P99_S)
        line.settimeout(TIMEOUT_S)
        try:
            answer = raw.read_answer(line)
            in_time = budget.left()
            wait_for(lambda: metric(stack, "gateway-1", "tollgate_http_server_active_requests") == 0, 5, "an idle gateway")
        finally:
            ends.set()
            sender.join()
    assert answer.status_code == 413 and answer.codes == ["body_too_large"] and answer.headers["Connection"] == "close"
    assert in_time
