"""tests/kit/old_tls.py - a TLS server written by hand, as far as a scan sees it. It speaks what
libraries no longer support (SSL 2.0 and 3.0, export suites) and misbehaves as configured. It never
finishes a handshake."""

import dataclasses
import socket
import struct
import threading
import time

SSL2_SUITES = {0x010080, 0x020080, 0x0700C0}
ALERT_FAILURE, ALERT_VERSION, ALERT_FALLBACK = 40, 70, 86
FALLBACK, EXT_RENEGOTIATION, EXT_HEARTBEAT, EXT_VERSIONS = 0x5600, 0xFF01, 15, 43


@dataclasses.dataclass
class Manners:
    """How a server behaves. Suites map an id to the content of its ServerKeyExchange: None,
    "dh:BITS", "dh:HEX of a prime", "ec:GROUP", "own-curve" or "rsa:BITS"."""

    versions: tuple = (0x0303,)
    suites: dict = dataclasses.field(default_factory=lambda: {0xC02F: "ec:23"})
    server_order: bool = True
    certificates: tuple = ()
    ssl2: tuple = ()
    compression: bool = False
    renegotiation: bool = True
    heartbeat: bool = False
    fallback: bool = True
    asks_certificate: bool = False
    hates_versions_extension: bool = False  # closes the connection when the hello has one
    longest_hello: int = 1 << 20            # drops longer hellos silently
    silent_about: tuple = ()                # does not reject a hello with these suites, and says nothing
    misbehaves: str = ""                    # silence, drip, garbage, storm, endless, lengths


def vector(size, body):
    return len(body).to_bytes(size, "big") + body


def handshake(kind, body):
    return bytes([kind]) + vector(3, body)


def record(kind, version, body):
    return struct.pack(">BHH", kind, version, len(body)) + body


@dataclasses.dataclass
class Hello:
    version: int
    suites: list
    compression: bytes
    extensions: dict
    size: int


def read_hello(record_bytes):
    """The ClientHello of a whole record."""
    at = 5 + 4
    version = int.from_bytes(record_bytes[at:at + 2], "big")
    at += 2 + 32
    at += 1 + record_bytes[at]
    size = int.from_bytes(record_bytes[at:at + 2], "big")
    suites = [int.from_bytes(record_bytes[i:i + 2], "big") for i in range(at + 2, at + 2 + size, 2)]
    at += 2 + size
    compression = record_bytes[at + 1:at + 1 + record_bytes[at]]
    at += 1 + record_bytes[at] + 2
    extensions = {}
    while at + 4 <= len(record_bytes):
        kind, length = struct.unpack(">HH", record_bytes[at:at + 4])
        extensions[kind] = record_bytes[at + 4:at + 4 + length]
        at += 4 + length
    return Hello(version, suites, compression, extensions, len(record_bytes))


class OldServer:
    """Listens on its own address until closed; each connection has a thread."""

    def __init__(self, manners, address="127.0.0.1"):
        self.manners = manners
        self.socket = socket.create_server((address, 0), backlog=64)
        self.port = self.socket.getsockname()[1]
        self.connections = 0
        self.at_once = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.socket.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _count(self, change):
        with self._lock:
            self.connections += max(change, 0)
            self.at_once += change

    def _serve(self, connection):
        self._count(1)
        try:
            with connection:
                connection.settimeout(30)
                self._answer(connection)
        except OSError:
            pass  # the scan is done
        finally:
            self._count(-1)

    def _answer(self, connection):
        first = connection.recv(65536)
        if not first:
            return
        if self.manners.misbehaves:
            return getattr(self, "_" + self.manners.misbehaves)(connection)
        answer = self._ssl2() if first[0] & 0x80 else self._tls(first)
        if answer is None:
            return self._silence(connection)
        connection.sendall(answer)
        connection.recv(65536)  # until the scan closes the connection

    # ---- correct behavior ----

    def _ssl2(self):
        if not self.manners.ssl2:
            return b""
        certificate = self.manners.certificates[0] if self.manners.certificates else b""
        suites = b"".join(suite.to_bytes(3, "big") for suite in self.manners.ssl2)
        body = (b"\x04\x00\x01\x00\x02" + struct.pack(">HHH", len(certificate), len(suites), 16) + certificate
                + suites + bytes(16))
        return struct.pack(">H", 0x8000 | len(body)) + body

    def _tls(self, first):
        manners = self.manners
        hello = read_hello(first)
        if hello.size > manners.longest_hello:
            return None
        if manners.hates_versions_extension and EXT_VERSIONS in hello.extensions:
            return b""
        known = [version for version in manners.versions if version <= hello.version]
        if not known:
            return record(21, 0x0301, bytes([2, ALERT_VERSION]))
        version = max(known)
        if FALLBACK in hello.suites and manners.fallback and hello.version < max(manners.versions):
            return record(21, version, bytes([2, ALERT_FALLBACK]))
        wanted = list(manners.suites) if manners.server_order else hello.suites
        chosen = [suite for suite in wanted if suite in hello.suites and suite in manners.suites]
        if not chosen and set(manners.silent_about) & set(hello.suites):
            return None
        if not chosen:
            return record(21, version, bytes([2, ALERT_FAILURE]))
        return self._flight(hello, version, chosen[0])

    def _flight(self, hello, version, suite):
        manners = self.manners
        extensions = b""
        if manners.renegotiation and (EXT_RENEGOTIATION in hello.extensions or 0x00FF in hello.suites):
            extensions += struct.pack(">H", EXT_RENEGOTIATION) + vector(2, b"\0")
        if manners.heartbeat and EXT_HEARTBEAT in hello.extensions:
            extensions += struct.pack(">H", EXT_HEARTBEAT) + vector(2, b"\1")
        method = b"\1" if manners.compression and 1 in hello.compression else b"\0"
        body = struct.pack(">H", version) + bytes(32) + b"\0" + struct.pack(">H", suite) + method
        messages = handshake(2, body + (vector(2, extensions) if extensions else b""))
        if manners.certificates:
            messages += handshake(11, vector(3, b"".join(vector(3, der) for der in manners.certificates)))
        if manners.suites[suite]:
            messages += handshake(12, self._parameters(manners.suites[suite]))
        if manners.asks_certificate:
            messages += handshake(13, b"\1\1" + vector(2, b"\4\1") + vector(2, b""))
        return record(22, version, messages + handshake(14, b""))

    @staticmethod
    def _parameters(text):
        kind, _, value = text.partition(":")
        if kind == "ec":
            return b"\3" + int(value).to_bytes(2, "big") + vector(1, bytes(65))
        if kind == "own-curve":
            return b"\1" + bytes(40)
        number = bytes.fromhex(value) if len(value) > 4 else (1 << int(value) - 1 | 1).to_bytes(
            (int(value) + 7) // 8, "big")
        return vector(2, number) + vector(2, b"\2") + vector(2, number)

    # ---- misbehavior ----

    def _silence(self, connection):
        connection.recv(65536)

    def _garbage(self, connection):
        connection.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")

    def _drip(self, connection):
        for byte in record(22, 0x0303, handshake(2, bytes(2000))):
            connection.sendall(bytes([byte]))
            time.sleep(0.02)  # the drip itself is under test

    def _storm(self, connection):
        while True:
            connection.sendall(record(21, 0x0303, bytes([1, 112])) * 100)

    def _endless(self, connection):
        connection.sendall(record(22, 0x0303, b"\x02\xff\xff\xff"))
        while True:
            connection.sendall(record(22, 0x0303, bytes(16000)))

    def _lengths(self, connection):
        connection.sendall(b"\x16\x03\x03\x00\x30\x02\x00\x00\x2c\x03\x03" + bytes(32) + b"\xff" * 12)
