"""tests/swarm/nodes.py - machines: network namespaces on one switch, each with its own Docker
engine.

The switch is the only route out of a namespace. So an engine's bridges and filters stay in its
namespace, and it can pull images only from a registry on this machine, which has no TLS.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import engine  # noqa: F401, which puts Debian's programs first in the path
from part import Part, command, wait_for

WIRE, PREFIX, WIDTH = "tollgate-wire", "10.215.0", 24
OURS = f"{PREFIX}.1"  # this machine's address on the switch
DEVICE = "tollgate0"  # this machine's device on the switch
CLONE_NEWNET = 0x40000000


class Node:
    """One machine; number: from 1."""

    def __init__(self, number, folder):
        self.name = f"tollgate-node{number}"
        self.address = f"{PREFIX}.{10 + number}"
        self.host = f"unix://{folder}/socket"
        self._folder = folder
        self._data = Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir="/var/tmp"))
        self._engine = Part(self.name, [
            "nsenter", f"--net=/run/netns/{self.name}", "--", "dockerd", "--no-new-privileges",
            "--insecure-registry", f"{PREFIX}.0/{WIDTH}",
            "--data-root", self._data, "--exec-root", folder / "exec", "--pidfile", folder / "pid",
            "--group", str(os.getgid()), "--host", self.host,
        ], folder / "log", self._answers, orphan_signal=signal.SIGTERM, ready_s=90, stop_s=90)

    def start(self):
        self._engine.start()
        self._engine.wait_ready()

    def docker(self, *arguments):
        return command("docker", "--host", self.host, *arguments)

    def join(self, first=None):
        """Create a swarm, or join that of `first`. Every machine is a manager, so one may fail."""
        here = ["--advertise-addr", self.address]
        if first is None:
            self.docker("swarm", "init", *here)
        else:
            token = first.docker("swarm", "join-token", "--quiet", "manager").strip()
            self.docker("swarm", "join", *here, "--token", token, f"{first.address}:2377")

    def id(self):
        return self.docker("info", "--format", "{{.Swarm.NodeID}}").strip()

    def tasks(self, *services):
        """Containers of these services on this machine."""
        listed = self.docker("ps", "--format", '{{.ID}} {{.Label "com.docker.swarm.service.name"}}').splitlines()
        return [line.split()[0] for line in listed if line.split()[1:] and line.split()[1] in services]

    def is_cut_off(self, is_cut_off):
        """Cut it off from all others, like a power failure, or reconnect it."""
        command("ip", "-n", WIRE, "link", "set", self.name.removeprefix("tollgate-"), "down" if is_cut_off else "up")

    def remove(self):
        """Remove it with everything in it, without waiting for calls."""
        if self._engine.alive:
            subprocess.run(["docker", "--host", self.host, "swarm", "leave", "--force"], capture_output=True)
            left = self.docker("ps", "--all", "--quiet").split()
            subprocess.run(["docker", "--host", self.host, "rm", "--force", *left], capture_output=True)
        self._engine.stop()
        for folder in (self._folder, self._data):
            for line in Path("/proc/mounts").read_text().splitlines():
                if line.split()[1].startswith(f"{folder}/"):
                    subprocess.run(["umount", "--lazy", line.split()[1]])
            shutil.rmtree(folder, ignore_errors=True)

    def _answers(self):
        return subprocess.run(["docker", "--host", self.host, "info"], capture_output=True).returncode == 0


class Nodes:
    """`with Nodes(3) as nodes`: machines in one swarm, or without one."""

    def __init__(self, count, swarm=True):
        self._count = count
        self._swarm = swarm
        self._scratch = None
        self._made = []

    def __enter__(self):
        clear()
        self._scratch = Path(tempfile.mkdtemp(prefix="tollgate-swarm-"))
        lay_wire()
        try:
            for number in range(1, self._count + 1):
                folder = self._scratch / str(number)
                folder.mkdir()
                self._made.append(Node(number, folder))
                connect(self._made[-1])
                self._made[-1].start()
            for node in self._made if self._swarm else []:
                node.join(None if node is self._made[0] else self._made[0])
        except BaseException:
            self.__exit__()
            raise
        return self._made

    def __exit__(self, *_):
        with ThreadPoolExecutor() as pool:
            list(pool.map(Node.remove, self._made))
        clear()
        shutil.rmtree(self._scratch, ignore_errors=True)


def lay_wire():
    """Create the switch in its own namespace, so that this machine's filters do not apply to its
    traffic."""
    command("ip", "netns", "add", WIRE)
    command("ip", "-n", WIRE, "link", "add", "switch", "type", "bridge")
    command("ip", "-n", WIRE, "link", "set", "switch", "up")
    command("ip", "link", "add", DEVICE, "type", "veth", "peer", "name", "here", "netns", WIRE)
    command("ip", "-n", WIRE, "link", "set", "here", "master", "switch", "up")
    command("ip", "address", "add", f"{OURS}/{WIDTH}", "dev", DEVICE)
    command("ip", "link", "set", DEVICE, "up")


def connect(node):
    end = node.name.removeprefix("tollgate-")
    command("ip", "netns", "add", node.name)
    command("ip", "-n", WIRE, "link", "add", end, "type", "veth", "peer", "name", "eth0", "netns", node.name)
    command("ip", "-n", WIRE, "link", "set", end, "master", "switch", "up")
    command("ip", "-n", node.name, "address", "add", f"{node.address}/{WIDTH}", "dev", "eth0")
    for device in ("eth0", "lo"):
        command("ip", "-n", node.name, "link", "set", device, "up")


def clear():
    """Remove all namespaces, also those of a killed run."""
    there = [line.split()[0] for line in command("ip", "netns", "list").splitlines()]
    for name in there:
        if name == WIRE or name.startswith("tollgate-node"):
            command("ip", "netns", "delete", name)
    if Path("/sys/class/net", DEVICE).exists():
        command("ip", "link", "delete", DEVICE)
        wait_for(lambda: not Path("/sys/class/net", DEVICE).exists(), 5, f"{DEVICE} is gone")


def can_encrypt():
    """Does this kernel support Docker's encrypted networks, which need IPsec's ESP?"""
    name = "tollgate-esp"
    command("ip", "netns", "add", name)
    try:
        key = "0x0102030405060708090a0b0c0d0e0f1011121314"
        return subprocess.run(["ip", "-n", name, "xfrm", "state", "add", "src", "192.0.2.1", "dst", "192.0.2.2",
                               "proto", "esp", "spi", "0x100", "mode", "transport",
                               "aead", "rfc4106(gcm(aes))", key, "64"], capture_output=True).returncode == 0
    finally:
        command("ip", "netns", "delete", name)


@contextlib.contextmanager
def inside(node):
    """Run this thread in the node's network."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net") as own, open(f"/run/netns/{node.name}") as its:
        try:
            enter(libc, its)
            yield
        finally:
            enter(libc, own)


def enter(libc, namespace):
    if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
