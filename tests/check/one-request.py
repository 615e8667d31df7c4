"""tests/check/one-request.py - random requests through the edge while customers call: none may
reach another's call.

    /usr/bin/python3 tests/check/one-request.py [--build build] [--seconds 120] [--seed N]

takes the rows of kit/ambiguous_http.py, changes bytes of them at random, and sends them. Each
customer's response must belong to its own request. The gateway must get nothing that bypassed the
edge's filters: the edge rejects a request, or rewrites it as one. Prints its seed; on a failure it
keeps the last requests.
"""

import collections
import contextlib
import json
import random
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit import ambiguous_http, frames, raw, seeded  # noqa: E402
from kit.load import Books, Load, check_load, metric  # noqa: E402
from kit.site import own_address  # noqa: E402

SETTINGS = {"limits.unlimited_addresses": ["127.0.0.0/8"], "gateway.threads": 128, "egress.only": ["127.0.0.0/8"]}
EDGE = {"EDGE_MAX_CONNECTIONS_PER_IP": 500, "EDGE_CONNECTION_RATE_PER_IP": 100000, "EDGE_MAX_REQUESTS_PER_IP": 500}
SENDERS = 16
CUSTOMERS = 4
PATIENCE_S = 0.3  # for a response: one that waits for more bytes would take ten seconds
KEPT = 100        # requests of each sender
PIECES = [b"\r\n", b"\n", b"\r", b"\0", b"\t", b" ", b":", b",", b";", b"\r\n\r\n", b"0\r\n\r\n", b"\xff", b"\r\n ",
          b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"X-A: b\r\n", b"Connection: close\r\n",
          b"Expect: 100-continue\r\n", b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"]
FRAMES = [frames.body(b"a", 0), frames.body(b"a"), frames.body(b""), frames.head([("x-a", "b")], frames.END_STREAM),
          frames.frame(frames.RST_STREAM, 0, bytes(4)), frames.frame(frames.CONTINUATION, frames.END_HEADERS)]


def changed(rng, data, pieces):
    """The bytes with one to four changes."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 1, 2, 8, 40)))
        data = data[:at] + rng.choice((
            lambda: rng.choice(pieces) + data[at:],        # something is inserted
            lambda: rng.choice(pieces) + data[end:],       # or replaced
            lambda: data[end:],                            # something is missing
            lambda: data[at:end] + data[at:],              # or repeated
            lambda: rng.randbytes(end - at) + data[end:],  # or has other bytes
        ))()
    return data


class Sender(threading.Thread):
    """Sends until it is stopped."""

    def __init__(self, site, rows, seed, ends):
        super().__init__(daemon=True)
        self.sent, self.last, self.address = 0, collections.deque(maxlen=KEPT), own_address()
        self._site, self._rows, self._rng, self._ends = site, rows, random.Random(seed), ends

    def run(self):
        while not self._ends.is_set():
            row = self._rng.choice(self._rows)
            data = changed(self._rng, row.data, FRAMES + PIECES if row.is_h2 else PIECES)
            data = frames.PREFACE + data if row.is_h2 else data + raw.SENTINEL
            self.last.append(data)
            self.sent += 1
            with contextlib.suppress(OSError):
                self._send(row, data)

    def _send(self, row, data):
        with raw.connect_tls(self._site, self.address, alpn=("h2" if row.is_h2 else "http/1.1",)) as line:
            line.settimeout(PATIENCE_S)
            raw.send_all(line, data)
            while line.recv(65536):
                pass


def run(stack, seed, seconds):
    books, ends = Books(stack), threading.Event()
    attacker = books.site.open_account(1_000_000, limits_off=True)
    customers = [books.site.open_account(1_000_000, limits_off=True) for _ in range(CUSTOMERS)]
    rows = [row for family in ambiguous_http.FAMILIES for row in family(ambiguous_http.Writer(attacker))]
    senders = [Sender(books.site, rows, f"{seed} {n}", ends) for n in range(SENDERS)]
    try:
        with Load(books.site, customers, CUSTOMERS) as load:
            load.wait_for_answers(CUSTOMERS)
            for sender in senders:
                sender.start()
            time.sleep(seconds)
            ends.set()
            for sender in senders:
                sender.join()
            load.wait_for_answers(10 * CUSTOMERS)
        print(f"{sum(sender.sent for sender in senders)} requests during {len(load.calls)} calls", flush=True)
        check_load(books, load, customers, {200})
        assert metric(stack, "gateway-1", "tollgate_http_unfiltered_requests_total") == 0, "the gateway's log says why"
    except BaseException:
        kept = stack.log_directory / "requests.json"
        kept.write_text(json.dumps([[repr(data) for data in sender.last] for sender in senders], indent=1))
        raise


if __name__ == "__main__":
    seeded.main(__doc__, "one-request", 120, run, settings=SETTINGS, edge=EDGE)
