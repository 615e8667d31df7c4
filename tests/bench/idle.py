"""tests/bench/idle.py HOST PORT COUNT - COUNT clients of the edge that called once and stay
connected.

Prints a line when all are connected, waits for the end of its standard input, and prints how many
the edge has not closed by then.
"""

import resource
import selectors
import socket
import ssl
import sys

SPARE_FILES = 64
PART = 2000
ADDRESSES = 20  # the clients' own addresses, because the ports of one address are limited
REQUEST = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connect(host, port, context, address):
    """A TLS connection that had a response."""
    connection = socket.create_connection((host, port), timeout=30, source_address=(address, 0))
    connection = context.wrap_socket(connection)
    call(connection)
    return connection


def call(connection):
    connection.sendall(REQUEST)
    answer = b""
    while not answer.endswith(b"ok\n"):
        part = connection.recv(4096)
        if not part:
            raise OSError(f"the edge closed after {answer!r}")
        answer += part


def closed(connections):
    """How many have data to read: an idle client receives only the close."""
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection, selectors.EVENT_READ)
        return len(selector.select(0))


def main():
    host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(count + SPARE_FILES, most), most))
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # the edge is measured, not its certificate
    connections = []
    while len(connections) < count:  # the edge closes a client after a silent minute: no part takes that long
        for n in range(min(PART, count - len(connections))):
            connections.append(connect(host, port, context, f"127.0.2.{n % ADDRESSES + 1}"))
        for connection in connections:
            call(connection)
    print("connected", flush=True)
    sys.stdin.read()
    print(count - closed(connections))


if __name__ == "__main__":
    main()
