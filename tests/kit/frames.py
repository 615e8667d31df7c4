"""tests/kit/frames.py - HTTP/2 frames written by hand (RFC 9113, RFC 7541), for requests that no
library sends.

A name or value is latin-1 text and is sent unchanged: a literal field, never indexed, never Huffman
coded.
"""

import http.client
import struct

import hpack

from kit.client import Answer, TIMEOUT_S
from kit.raw import connect_tls, send_all

DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY, CONTINUATION = 0, 1, 3, 4, 7, 9
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
PART_BYTES = 16000  # of one frame: below SETTINGS_MAX_FRAME_SIZE, 16,384 by default


def frame(kind, flags, payload=b"", stream=1):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, stream=0)


def _text(text):
    """A string literal, RFC 7541 5.2; its length is an integer with a prefix of 7 bits, 5.1."""
    data = text.encode("latin-1")
    if len(data) < 127:
        return bytes([len(data)]) + data
    rest, length = len(data) - 127, bytes([127])
    while rest >= 128:
        rest, length = rest >> 7, length + bytes([rest & 127 | 128])
    return length + bytes([rest]) + data


def block(fields):
    """Each field as a literal without indexing, RFC 7541 6.2.2."""
    return b"".join(b"\0" + _text(name) + _text(value) for name, value in fields)


def head(fields, flags=0):
    """HEADERS, and CONTINUATION if needed."""
    data = block(fields)
    parts = [data[at:at + PART_BYTES] for at in range(0, len(data), PART_BYTES)] or [b""]
    kinds = [HEADERS] + [CONTINUATION] * (len(parts) - 1)
    ends = [0] * (len(parts) - 1) + [END_HEADERS]
    return b"".join(frame(kind, end | (flags if kind == HEADERS else 0), part)
                    for kind, end, part in zip(kinds, ends, parts))


def body(data, flags=END_STREAM):
    return frame(DATA, flags, data)


def _frames(line):
    """Yields (kind, flags, stream, payload) of each frame until the peer closes."""
    received = b""
    while True:
        while len(received) < 9 or len(received) < 9 + int.from_bytes(received[:3], "big"):
            try:
                part = line.recv(65536)
            except ConnectionResetError:
                part = b""
            if not part:
                return
            received += part
        end = 9 + int.from_bytes(received[:3], "big")
        yield received[3], received[4], int.from_bytes(received[5:9], "big"), received[9:end]
        received = received[end:]


def exchange(site, address, data):
    """Send the frames of stream 1; returns its response, or None if the edge resets the stream or
    closes the connection."""
    decoder, status, headers, content = hpack.Decoder(), 0, None, b""
    with connect_tls(site, address, alpn=("h2",)) as line:
        line.settimeout(TIMEOUT_S)
        send_all(line, PREFACE + data)
        for kind, flags, stream, payload in _frames(line):
            if kind == SETTINGS and not flags & ACK:
                send_all(line, frame(SETTINGS, ACK, stream=0))
            if kind == GOAWAY or (kind == RST_STREAM and stream == 1 and not status):
                return None
            if stream != 1:
                continue
            if kind == HEADERS:
                fields = dict(decoder.decode(payload))
                status, headers = int(fields.pop(":status")), http.client.HTTPMessage()
                for name, value in fields.items():
                    headers[name] = value
            if kind == DATA:
                content += payload
            if flags & END_STREAM and kind in (HEADERS, DATA):
                return Answer(status, headers, content)
    return None
