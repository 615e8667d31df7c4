"""tests/kit/mail/servers.py READY NETWORK CA_PEM CA_KEY DIRECTORY - mail servers on port 25, one
for each name of MANNERS, and their names.

The mail server of <name>.smtp-cases.com is mx.<name>.smtp-cases.com, in the order of MANNERS from
NETWORK.60 on. Those with a certificate are aiosmtpd; the others misbehave.
"""

import asyncio
import socket
import ssl
import sys
import threading
import time
from pathlib import Path

FIRST = 60
PORT = 25
DOMAIN = "smtp-cases.com"

# The certificate of each real server; None: without STARTTLS.
CERTIFICATES = {
    "good": {},
    "plain": None,
    "expired": {"begins": -100, "days": 50},
    "ending": {"begins": -80, "days": 90},
    "misnamed": {"names": ["mx.elsewhere.com"]},
    "untrusted": {"self_signed": True},
    "old": {},
}
MANNERS = (*CERTIFICATES, "rejecting", "rejects-ehlo", "silent", "garbage", "endless", "dripping", "refuses-tls",
           "breaks-tls", "own-alpn", "closed", "full")


def host_of(name):
    return f"mx.{name}.{DOMAIN}"


def zone(network, decoy):
    """Records. four.smtp-cases.com has four servers, inside. one that must not be connected to."""
    for number, name in enumerate(MANNERS):
        yield f"{name}.{DOMAIN}. MX 10 {host_of(name)}."
        yield f"{host_of(name)}. A {network}.{FIRST + number}"
    for preference, name in enumerate(("good", "plain", "closed", "rejecting")):
        yield f"four.{DOMAIN}. MX {preference} {host_of(name)}."
    yield f"inside.{DOMAIN}. MX 10 mx.inside.{DOMAIN}."
    yield f"mx.inside.{DOMAIN}. A {decoy}"
    yield f"null.{DOMAIN}. MX 0 ."


def context_of(directory, authority, name, odd):
    leaf = authority.issue(host_of(name), **odd)
    chain, key = directory / f"smtp-{name}.pem", directory / f"smtp-{name}.key"
    chain.write_bytes(b"".join(each.pem() for each in leaf.sent()))
    key.write_bytes(leaf.key_pem())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if name == "old":
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.load_cert_chain(chain, key)
    return context


# ---- misbehavior ----

EHLO = b"250-mail.example\r\n250-SIZE 1000\r\n250 STARTTLS\r\n"


def converse(connection, greeting, *replies):
    """A reply to each line of the client."""
    connection.sendall(greeting)
    lines = connection.makefile("rb")
    for reply in replies:
        if not lines.readline():
            return
        connection.sendall(reply)


def rejecting(connection, _):
    converse(connection, b"554 no \x01mail from \xe2\x82\xac here\r\n", b"221 bye\r\n")


def rejects_ehlo(connection, _):
    converse(connection, b"220 ready\r\n", b"550 unknown client\r\n", b"221 bye\r\n")


def silent(connection, _):
    connection.recv(1)


def garbage(connection, _):
    converse(connection, b"HTTP/1.1 400 Bad Request\r\n\r\n")


def endless(connection, _):
    converse(connection, b"220 ready\r\n", b"250-X\r\n" * 1_000_000)


def dripping(connection, _):
    for words in (b"220 ready\r\n", b"250-mail.example\r\n250 8BITMIME\r\n"):
        for byte in words:
            connection.sendall(bytes([byte]))
            time.sleep(0.01)
        connection.recv(100)


def refuses_tls(connection, _):
    converse(connection, b"220 ready\r\n", EHLO, b"454 not now\r\n", b"221 bye\r\n")


def breaks_tls(connection, _):
    converse(connection, b"220 ready\r\n", EHLO, b"220 go ahead\r\n", b"no TLS\r\n")


def own_alpn(connection, context):
    """As Exim: a client that offers other protocols than smtp is rejected."""
    converse(connection, b"220 ready\r\n", EHLO, b"220 go ahead\r\n")
    time.sleep(0.1)  # the whole ClientHello
    if b"http/1.1" not in connection.recv(8192, socket.MSG_PEEK):
        context.wrap_socket(connection, server_side=True).recv(1)


def fill(address):
    """A port whose queue is full: the kernel does not answer further connections."""
    listener = socket.socket()
    listener.bind(address)
    listener.listen(0)
    waiting = [socket.socket() for _ in range(3)]
    for each in waiting:
        each.setblocking(False)
        each.connect_ex(address)
    return listener, waiting


def serve(listener, manner, context):
    def hold(connection):
        with connection:
            try:
                manner(connection, context)
            except OSError:
                pass  # the client has closed the connection

    while True:
        threading.Thread(target=hold, args=(listener.accept()[0],), daemon=True).start()


async def main(ready, network, ca_pem, ca_key, directory):
    from aiosmtpd.handlers import Sink
    from aiosmtpd.smtp import SMTP
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from kit import pki

    authority = pki.Certificate(x509.load_pem_x509_certificate(Path(ca_pem).read_bytes()),
                                serialization.load_pem_private_key(Path(ca_key).read_bytes(), None))
    loop = asyncio.get_running_loop()
    good = context_of(Path(directory), authority, "good", {})
    full = []
    for number, name in enumerate(MANNERS):
        address = (f"{network}.{FIRST + number}", PORT)
        if name in CERTIFICATES:
            odd = CERTIFICATES[name]
            context = None if odd is None else context_of(Path(directory), authority, name, odd)
            await loop.create_server(lambda name=name, context=context: SMTP(
                Sink(), hostname=host_of(name), ident="ESMTP of the tests", tls_context=context, loop=loop), *address)
        elif name == "full":
            full.append(fill(address))
        elif name != "closed":
            manner = globals()[name.replace("-", "_")]
            listener = socket.create_server(address, backlog=64)
            threading.Thread(target=serve, args=(listener, manner, good), daemon=True).start()
    Path(ready).touch()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
