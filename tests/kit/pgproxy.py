"""tests/kit/pgproxy.py - a proxy between a gateway and PostgreSQL that cuts, delays or drops
traffic on request.

It parses the client's side of the protocol (PostgreSQL 15 manual, chapter 55) far enough to see
each ledger batch: Bind, Describe and Execute, then Sync, whose end commits.
"""

import random
import socket
import struct
import threading
import time

BATCH = b"ledger_batch("
# Faults of a batch:
BEFORE_SEND = "nothing of it reaches the server"
BEFORE_COMMIT = "it is executed and never committed"
AFTER_COMMIT = "it is committed, the answer is lost"
LATE_COMMIT = "the client loses the connection, the server commits half a second later"
TORN_REQUEST = "the server gets a part of it, up to any byte, and then nothing"
TORN_ANSWER = "it is committed, and the client gets a part of the answer, up to any byte"
CUTS = (BEFORE_SEND, BEFORE_COMMIT, AFTER_COMMIT, LATE_COMMIT, TORN_REQUEST, TORN_ANSWER)
LATE_S = 0.5
DRIP_BYTES = 64  # bytes of a response at once, when it drips


class Proxy:
    """Listens on 127.0.0.1:port. Calls judge(batch) for each batch, with a number that counts from
    1; it returns one of the faults or None. delay_s is the wait before each batch's commit, drip_s
    the wait between a few bytes of a response and the next. The seed and the batch number decide
    where a batch is torn."""

    def __init__(self, cluster, seed=0):
        self.judge = lambda batch: None
        self.delay_s = 0.0
        self.drip_s = 0.0
        self.seed = seed
        self.batches = 0
        self.cuts = 0
        self._target = str(cluster.socket / ".s.PGSQL.5432")
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self):
        return f"host=127.0.0.1 port={self.port} dbname=tollgate user=tollgate_gateway" \
               " sslmode=disable gssencmode=disable"

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=Session(self, client, self._target).run, daemon=True).start()

    def next_batch(self):
        """The fault for the batch that has just arrived, and the part that remains if it is torn: 0
        to 1."""
        with self._lock:
            self.batches += 1
            fate = self.judge(self.batches)
            self.cuts += fate is not None
            return fate, random.Random(self.seed * 1_000_003 + self.batches).random()


class Cut(Exception):
    """The session is closed."""


class Session:
    """One connection of the gateway."""

    def __init__(self, proxy, client, target):
        self._proxy = proxy
        self._client = client
        self._reader = client.makefile("rb")
        self._server = socket.socket(socket.AF_UNIX)
        self._target = target
        self._batch_names = set()  # prepared statements that are ledger batches
        self._client_is_cut = threading.Event()
        self._share = 1.0           # of the current response, for the client
        self._is_torn = False
        self._ready = threading.Event()  # ReadyForQuery was seen, while a thread waits for it

    def run(self):
        try:
            self._server.connect(self._target)
            size, = struct.unpack("!I", self._read(4))
            self._server.sendall(struct.pack("!I", size) + self._read(size - 4))
            threading.Thread(target=self._back, daemon=True).start()
            while True:
                self._forward_until_sync()
        except (OSError, Cut, ValueError):
            pass
        finally:
            self._shut(self._client)
            self._shut(self._server)

    def _read(self, size):
        data = self._reader.read(size)
        if len(data) < size:
            raise Cut
        return data

    def _message(self):
        kind = self._read(1)
        head = self._read(4)
        return kind, head + self._read(struct.unpack("!I", head)[0] - 4)

    def _forward_until_sync(self):
        fate = None
        is_batch = False
        while True:
            kind, rest = self._message()
            if kind == b"P" and BATCH in rest:
                self._batch_names.add(rest[4:].split(b"\0", 1)[0])
            if kind == b"B" and rest[4:].split(b"\0", 2)[1] in self._batch_names:
                is_batch = True
                fate, share = self._proxy.next_batch()
                if fate == BEFORE_SEND:
                    raise Cut
                if fate == TORN_REQUEST:
                    message = kind + rest
                    self._server.sendall(message[:int(share * len(message))])
                    raise Cut
                self._share = share
            if kind == b"S":
                break
            self._server.sendall(kind + rest)
        self._commit(fate, is_batch, kind + rest)

    def _commit(self, fate, is_batch, sync):
        if fate == BEFORE_COMMIT:
            self._server.sendall(b"H" + struct.pack("!I", 4))  # Flush: the batch runs, and is never committed
            raise Cut
        if fate == LATE_COMMIT:
            self._server.sendall(b"H" + struct.pack("!I", 4))
            self._cut_client()
            time.sleep(LATE_S)
        if fate == AFTER_COMMIT:
            self._client_is_cut.set()  # its response is dropped
        if fate == TORN_ANSWER:
            self._is_torn = True
        if is_batch and self._proxy.delay_s:
            time.sleep(self._proxy.delay_s)
        self._server.sendall(sync)
        if fate in (AFTER_COMMIT, LATE_COMMIT, TORN_ANSWER):
            self._ready.wait(5)
            raise Cut

    def _cut_client(self):
        self._client_is_cut.set()
        self._shut(self._client)

    def _back(self):
        """The server's side, passed on up to the limit for the client."""
        tail = b""
        try:
            while data := self._server.recv(65536):
                tail = (tail + data)[-6:]
                is_ready = tail[:5] == b"Z\0\0\0\5"  # ReadyForQuery is the last message of a response
                if self._is_torn and is_ready:
                    self._forward(data[:int(self._share * len(data))])
                    self._cut_client()
                elif not self._client_is_cut.is_set():
                    self._forward(data)
                if is_ready and self._client_is_cut.is_set():
                    self._ready.set()
        except OSError:
            pass
        self._ready.set()
        self._shut(self._client)

    def _forward(self, data):
        if not self._proxy.drip_s:
            self._client.sendall(data)
            return
        for begin in range(0, len(data), DRIP_BYTES):
            self._client.sendall(data[begin:begin + DRIP_BYTES])
            time.sleep(self._proxy.drip_s)

    @staticmethod
    def _shut(line):
        try:
            line.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        line.close()
