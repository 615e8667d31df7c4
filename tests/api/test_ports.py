"""tests/api/test_ports.py - stacks that start at the same time get different ports."""

import contextlib
import socket

from ports import Ports, port_is_free


def test_a_server_can_listen_on_a_reserved_port():
    ports = Ports()
    with contextlib.closing(socket.socket()) as server:
        port = ports.reserve()
        assert port_is_free(port)  # nothing listens yet
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.1.1", port))
        server.listen()
        ports.release()
        assert not port_is_free(port)


def test_a_thousand_reservations_do_not_overlap(monkeypatch):
    monkeypatch.setattr("ports.PORTS", range(25000, 26000))  # with chance alone, many would be equal
    both = Ports(), Ports()
    try:
        given = [ports.reserve() for _ in range(200) for ports in both]
        assert len(set(given)) == len(given)
    finally:
        for ports in both:
            ports.release()
