"""tests/kit/worker.py - workers and gateways that the test plays, over proto/job.proto and CURVE;
they misbehave on request. The messages are packed by hand, to share no code with the C
implementation."""

import contextlib
import os
import signal
import threading
from pathlib import Path

import yaml
import zmq

from part import Budget, Failure, wait_for

READY, WELCOME, CREDIT, JOB, REPLY, NACK, CANCEL, HEARTBEAT, GOODBYE = range(1, 10)
TICK_MS = 50
FRAME_BYTES = 128 << 10  # a larger body is sent in several messages


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def pack(**fields):
    """Protobuf: f1=… is field 1; int, bytes, str, or a list of packed messages."""
    out = b""
    for name, values in fields.items():
        number = int(name[1:])
        for value in values if isinstance(values, list) else [values]:
            value = value.encode() if isinstance(value, str) else value
            if isinstance(value, int):
                out += varint(number << 3) + varint(value)
            else:
                out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def unpack(data):
    """The last value of each field; numbers and bytes."""
    fields, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            fields[tag >> 3] = number()
        else:
            size = number()
            fields[tag >> 3] = data[at:at + size]
            at += size
    return fields


class Job:
    def __init__(self, header, body):
        self.id, self.tool, self.budget_ms = header[1], header[2].decode(), header[4]
        self.attempt = header[8]
        self.body = body


def connect(context, stack, gateway, keys):
    """A DEALER connected to one gateway of a stack, with the keys of this name in the key folder;
    None: with new keys."""
    folder = Path(stack.directory) / "keys"
    dealer = context.socket(zmq.DEALER)
    dealer.setsockopt(zmq.LINGER, 200)
    dealer.setsockopt(zmq.SNDTIMEO, 2000)  # a rejected peer cannot send
    dealer.setsockopt(zmq.ROUTING_ID, b"\x01" + os.urandom(16))
    if keys is None:
        public, secret = zmq.curve_keypair()
    else:
        public, secret = ((folder / f"{keys}.{half}").read_text().strip().encode() for half in ("public", "secret"))
    dealer.curve_publickey, dealer.curve_secretkey = public, secret
    dealer.curve_serverkey = (folder / "gateway.public").read_text().strip().encode()
    host, port = stack.bus[gateway]
    dealer.connect(f"tcp://{host}:{port}")
    return dealer


def pack_ready(group, tools):
    return pack(f1=group, f2=os.urandom(16), f3="played", f4=[pack(f1=tool, f2=bytes(8)) for tool in tools])


def split(body):
    return [body[at:at + FRAME_BYTES] for at in range(0, len(body), FRAME_BYTES)] or [b""]


def reload(gateway):
    """SIGHUP, and wait until this gateway has read its files again."""
    before = gateway.log.read_text().count('"reloaded"')
    gateway.signal(signal.SIGHUP)
    wait_for(lambda: gateway.log.read_text().count('"reloaded"') > before, 10, "the reload")


@contextlib.contextmanager
def allow_list(stack):
    """For the duration of `with`: the keys that the first gateway of a stack allows, as
    {group: [key]}, and a function that replaces them. The old ones come back at the end."""
    path = stack.directory / "keys" / "allow.yaml"
    listed = path.read_text()

    def load(text):
        new = path.with_suffix(".new")
        new.write_text(text)
        new.rename(path)  # a gateway that reads it now reads the whole file
        reload(stack.parts["gateway-1"])

    try:
        yield yaml.safe_load(listed), lambda groups: load("" if groups is None else yaml.safe_dump(groups))
    finally:
        load(listed)


class Worker:
    """One worker, connected to one gateway of a stack."""

    def __init__(self, stack, gateway=0, keys="svc-utils"):
        self._context = zmq.Context()
        self._socket = connect(self._context, stack, gateway, keys)
        self.running = 0  # what it reports about itself

    def close(self):
        self._socket.close()
        self._context.term()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, kind, header=b"", body=None):
        self.send_raw(b"TG1", bytes([kind]), header, *([] if body is None else split(body)))

    def send_raw(self, *frames):
        self._socket.send_multipart(frames)

    def send_and_be_cut_off(self, *frames, seconds=5):
        """Whether the gateway closes the connection. libzmq reconnects as the same worker in 100
        ms: call close() soon."""
        events = self._socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self.send_raw(*frames)
        is_cut_off = events.poll(seconds * 1000)
        self._socket.disable_monitor()
        return bool(is_cut_off)

    def receive(self, seconds=5, answer_pings=True):
        """The next message except heartbeats, which it returns: (type, header fields, body) or
        None."""
        budget = Budget(seconds)
        while budget.left():
            if not self._socket.poll(TICK_MS):
                continue
            magic, kind, header, *body = self._socket.recv_multipart()
            assert magic == b"TG1"
            if kind[0] == HEARTBEAT and answer_pings:
                self.send(HEARTBEAT, pack(f1=self.running))
                continue
            return kind[0], unpack(header), b"".join(body)
        return None

    def serve(self, group="utils", slots=4, tools=("hash-generate", "placeholder-image")):
        """Send READY; returns what arrives: WELCOME, GOODBYE, or None."""
        self.send(READY, pack_ready(group, tools))
        answer = self.receive(3)
        if answer is None:
            return None
        if answer[0] == WELCOME:
            self.send(CREDIT, pack(f1=slots))
        return answer[0]

    def job(self, seconds=20):
        """The next job; None if there is none."""
        budget = Budget(seconds)
        while left := budget.left():
            message = self.receive(left)
            if message and message[0] == JOB:
                return Job(message[1], message[2])
        return None

    def reply(self, job_id, body=b'{"hash":"played"}', errors=(), content_type="", headers=()):
        self.send(REPLY, pack(f1=job_id, f2=[pack(f1=code, f2="a sentence of the played daemon") for code in errors],
                              f3=content_type, f4=[pack(f1=name, f2=value) for name, value in headers]), body)


class Gateway:
    """One gateway, with the keys of a stack's gateway, on its own port, for one worker. It sends a
    ping on request."""

    def __init__(self, stack):
        folder = Path(stack.directory) / "keys"
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.curve_server = True
        self._socket.curve_secretkey = (folder / "gateway.secret").read_text().strip().encode()
        self.address = f"127.0.0.1:{self._socket.bind_to_random_port('tcp://127.0.0.1')}"
        self._peer = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()
        self._context.term()

    def send(self, kind, header=b"", *body):
        self._socket.send_multipart([self._peer, b"TG1", bytes([kind]), header, *body])

    def hear(self, wanted, seconds=10):
        """The header fields of the next message of a kind; earlier messages are dropped."""
        budget = Budget(seconds)
        while budget.left():
            if not self._socket.poll(TICK_MS):
                continue
            self._peer, _, kind, header, *_ = self._socket.recv_multipart()
            if kind[0] == wanted:
                return unpack(header)
        raise Failure(f"no message {wanted} within {seconds} s")

    def welcome(self):
        self.hear(READY)
        self.send(WELCOME, pack(f1=os.urandom(16), f2=1000))
        self.hear(CREDIT)

    def ping(self):
        """The number of this gateway's jobs that the worker reports."""
        self.send(HEARTBEAT, pack(f1=0))
        return self.hear(HEARTBEAT).get(1, 0)


class Squatters:
    """Very many workers with one key, for the duration of `with`. Each keeps asking a gateway for a
    place, keeps the place it gets, and accepts no job."""

    PAUSE_S = 0.1

    def __init__(self, stack, count, group="utils", keys="svc-utils"):
        self._context = zmq.Context()
        self._sockets = [connect(self._context, stack, 0, keys) for _ in range(count)]
        self._ready = pack_ready(group, [])
        self._placed = set()
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()
        for dealer in self._sockets:
            dealer.close()
        self._context.term()

    @property
    def places(self):
        return len(self._placed)

    def _run(self):
        while not self._ends.wait(self.PAUSE_S):
            for dealer in self._sockets:
                self._listen(dealer)
                kind, header = (HEARTBEAT, pack(f1=0)) if dealer in self._placed else (READY, self._ready)
                with contextlib.suppress(zmq.Again):
                    dealer.send_multipart([b"TG1", bytes([kind]), header], zmq.DONTWAIT)

    def _listen(self, dealer):
        while dealer.poll(0):
            kind = dealer.recv_multipart()[1][0]
            if kind == WELCOME:
                self._placed.add(dealer)
            elif kind == GOODBYE:
                self._placed.discard(dealer)
