"""tests/kit/bad_http.py READY ADDRESS CERTIFICATE KEY - misbehaving HTTP servers on port 80 and,
with TLS, 443. The first label of the host selects the behavior; every path does the same, except
what follows `?`.

    silent      reads the request, sends nothing       reset     ... and resets
    closes      ... and closes                         any, port 8443: does not even read
    drip        a head, then a byte of body a second   driphead  a byte of head a second
    endless     10 GB of body                          bomb      64 MB of zeros, gzipped to 64 KB
    bighead     a header of 100 KB                     manyheads 1000 headers
    interim     100-continue without end               garbage   not HTTP
    loop        redirects to itself                    chain     ?N redirects to ?N-1, /?0 is a page
    to          redirects to the URL after ?           page      a page of the size after ?
    plain       a page for any request, 200            echo      the request as text/plain
    status      the status after ?                     short     promises 1000 bytes, sends 10
    http09      a page without a head                  badchunk  an invalid chunk
    numbers     an OpenAPI document of numbers, of the size after ?
    held        a page of the size after ?, without its last byte
    redrip      a redirect to /x whose body drips without end; /x is a page
    late        a page in chunks, the first after 0.8 s
    old         a page by HTTP/1.0                     odd       headers with invalid UTF-8
"""

import asyncio
import contextlib
import gzip
import itertools
import socket
import ssl
import struct
import sys
import urllib.parse
from pathlib import Path

PAGE = b"<!DOCTYPE html><title>A page</title><h1>A page</h1>"
LINK = b'<p><a href="/x">x</a>'
SECOND = 1.0
RESET = struct.pack("ii", 1, 0)


def head(status, *lines):
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1")


def whole(status, body, *lines):
    return head(status, f"Content-Length: {len(body)}", *lines) + body


def page(body=PAGE, *lines):
    return whole("200 OK", body, "Content-Type: text/html; charset=utf-8", *lines)


def held(size):
    """A page of links without its last byte."""
    body = (PAGE + LINK * (size // len(LINK)))[:size - 1]
    return head("200 OK", "Content-Type: text/html", f"Content-Length: {size}") + body


def redirect(to):
    return whole("302 Found", b"", f"Location: {to}")


BOMB = gzip.compress(bytes(64 << 20))  # a thousandth of its size


class Request:
    def __init__(self, raw, scheme):
        self.raw, self.scheme = raw, scheme
        lines = raw.decode("latin-1").split("\r\n")
        self.target = lines[0].split(" ")[1]
        self.path, _, self.query = self.target.partition("?")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        self.host = fields.get("host", "")
        self.label = self.host.split(".")[0]

    def url(self, target):
        return f"{self.scheme}://{self.host}{target}"


async def forever(writer, pieces, pause=0.0):
    for piece in pieces:
        if writer.is_closing():
            return
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause)  # 0 yields to the other tasks


ANSWERS = {
    "closes": lambda r: b"",
    "garbage": lambda r: b"\x16\x03\x01 what do you want?\r\n\r\n" * 3,
    "bighead": lambda r: page(PAGE, "X-Big: " + "x" * 100_000),
    "manyheads": lambda r: page(PAGE, *(f"X-{n}: x" for n in range(1000))),
    "loop": lambda r: redirect(r.url(r.target)),
    "chain": lambda r: redirect(f"/?{int(r.query) - 1}") if int(r.query or 0) > 0 else page(),
    "to": lambda r: redirect(urllib.parse.unquote(r.query, "latin-1")) if r.query else page(),
    "page": lambda r: page((PAGE + b"x" * int(r.query or 0))[:int(r.query or len(PAGE))]),
    "plain": lambda r: page(),
    "echo": lambda r: whole("200 OK", r.raw, "Content-Type: text/plain"),
    "status": lambda r: whole(f"{r.query or 200} Status", PAGE, "Content-Type: text/html"),
    "short": lambda r: head("200 OK", "Content-Type: text/html", "Content-Length: 1000") + b"0123456789",
    "http09": lambda r: PAGE,
    "badchunk": lambda r: head("200 OK", "Content-Type: text/html", "Transfer-Encoding: chunked") + b"zz\r\n",
    "numbers": lambda r: page(b'{"openapi":"3.0.3","x":[1' + b",1" * (int(r.query or 0) // 2) + b"]}"),
    "bomb": lambda r: page(BOMB, "Content-Encoding: gzip"),
    "late": lambda r: head("200 OK", "Content-Type: text/html", "Transfer-Encoding: chunked") +
    f"{len(PAGE):x}\r\n".encode() + PAGE + b"\r\n0\r\n\r\n",
    "old": lambda r: page().replace(b"HTTP/1.1", b"HTTP/1.0", 1),
    "odd": lambda r: page(PAGE, "Server: a\xe9\xff", "Cache-Control: max-age=\xe9"),
}
ENDLESS = {  # label: (first bytes, repeated bytes, seconds between)
    "drip": (head("200 OK", "Content-Type: text/html"), itertools.repeat(b"x"), SECOND),
    "endless": (head("200 OK", "Content-Type: text/html"), itertools.repeat(b"x" * 65536, 160_000), 0),
    "interim": (b"", itertools.repeat(head("100 Continue")), 0),
    "redrip": (head("302 Found", "Location: /x", "Content-Length: 100000"), itertools.repeat(b"x"), SECOND),
}


async def serve(scheme, reader, writer):
    raw = await reader.readuntil(b"\r\n\r\n")
    request = Request(raw, scheme)
    label = request.label
    if label == "silent":
        await asyncio.sleep(60)
    elif label == "held":
        writer.write(held(int(request.query or len(PAGE))))
        await asyncio.sleep(60)
    elif label == "reset":
        line = writer.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        writer.transport.abort()
    elif label == "redrip" and request.path == "/x":
        writer.write(page())
    elif label == "driphead":
        await forever(writer, (bytes([c]) for c in b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 1000), SECOND)
    elif label == "late":
        await asyncio.sleep(0.85)  # the client sees more than 0.8 s, though its clock starts later
        writer.write(ANSWERS[label](request))
    elif label in ENDLESS:
        first, again, pause = ENDLESS[label]
        writer.write(first)
        await forever(writer, again, pause)
    else:
        writer.write(ANSWERS.get(label, ANSWERS["plain"])(request))


async def tar_pit(_, writer):
    """Never reads. It holds the writer: Python closes a connection whose writer nobody holds."""
    await asyncio.sleep(120)
    writer.close()


async def main(ready, address, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])

    def handler(scheme):
        async def handle(reader, writer):
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError,
                                     ssl.SSLError, ValueError):
                await serve(scheme, reader, writer)
                await writer.drain()
            writer.close()
        return handle

    await asyncio.start_server(handler("http"), address, 80)
    await asyncio.start_server(handler("https"), address, 443, ssl=context)
    await asyncio.start_server(tar_pit, address, 8443)
    Path(ready).touch()
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
