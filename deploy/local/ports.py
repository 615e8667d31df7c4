"""deploy/local/ports.py - TCP ports that no other stack on this machine gets."""

import random
import socket

PORTS = range(20000, 32000)  # below the range that the kernel gives to outgoing connections


def port_is_free(port):
    """No program listens on it, on any address of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
            probe.listen(1)
        except OSError:
            return False
    return True


def loopback(port):
    """The port on this machine's loopback addresses, as HAProxy lists them. `localhost` is ::1 too
    where /etc/hosts says so, as on Debian, and Node.js 18 then connects to nothing else."""
    addresses = [f"127.0.0.1:{port}"]
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        addresses.append(f"[::1]:{port}")
    except OSError:  # a machine without IPv6
        pass
    return ",".join(addresses)


class Ports:
    """Ports reserved until release(). Each is bound, but nothing listens on it: another reservation
    of it fails, and a program that binds it with SO_REUSEADDR, as servers do, can listen."""

    def __init__(self):
        self._keepers = []

    def reserve(self):
        """A port that is free on all addresses."""
        for port in random.sample(PORTS, 1000):
            keeper = socket.socket()
            try:
                keeper.bind(("0.0.0.0", port))
            except OSError:
                keeper.close()
                continue
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # for the program, after the bind
            self._keepers.append(keeper)
            return port
        raise OSError(f"none of 1000 ports from {PORTS.start} to {PORTS.stop - 1} is free")

    def release(self):
        """Give all of them back."""
        while self._keepers:
            self._keepers.pop().close()
