"""tests/ha/nodes.py - three nodes of a database on their own network, which tests can cut anywhere.

A node is a network namespace and a process namespace with etcd and Patroni in it, with the settings
of deploy/ha/settings. kill() is like pulling its plug: all its processes end at once, and its files
stay.

    db1 10.83.0.1   db2 10.83.0.2   db3 10.83.0.3     the nodes
    gw1 10.83.0.11                                    HAProxy; gateway-1 connects to it at 10.83.11.2
    gw2 10.83.0.12                                    a router for gateway-2, which has the list of hosts

All five are on one switch (a bridge). cut() moves some to another switch, as if a cable between two
rooms broke: packets are lost without an error. The tests themselves run in a new network namespace
(own_network()), which is separate from the machine's network and ends with the process.
"""

import ctypes
import json
import os
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

from part import Failure, Part, command, wait_for
from postgres import BIN

ROOT = Path(__file__).resolve().parents[2]
HA = ROOT / "deploy" / "ha"
NODES = {f"db{n}": f"10.83.0.{n}" for n in (1, 2, 3)}
PLACES = [f"{name}={address}" for name, address in NODES.items()]
WAYS = {"gw1": 11, "gw2": 12}
ROLES = ("owner", "gateway", "operator", "portal")
SWITCH, OTHER_ROOM = "room1", "room2"
CLONE_NEWNET = 0x40000000
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]
READY_S = 90  # for a whole cluster on a busy machine

# A node's processes. Like a boot, it waits for its network. PostgreSQL does not run as root. The
# shell stays, because it gets the signal when the tests end; a process that changes its user does
# not (PR_SET_PDEATHSIG, prctl(2)).
BOOT = """
until ip -4 -brief address show dev net0 2>/dev/null | grep -q 10.83; do sleep 0.05; done
cd "$1"
as="setpriv --reuid=postgres --regid=postgres --init-groups --"
( set -a; . ./etcd.env; exec $as etcd >>etcd.log 2>&1 ) &
$as patroni patroni.yaml >>patroni.log 2>&1 &
wait
exec sleep infinity
"""


def own_network():
    """Put this thread, and all processes that it starts, into a new network namespace."""
    if os.geteuid() != 0:
        raise Failure("creating a network needs root: run `sudo make test-ha`")
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise Failure(f"cannot create a network namespace: {os.strerror(ctypes.get_errno())}")
    command("ip", "link", "set", "lo", "up")
    for switch in (SWITCH, OTHER_ROOM):
        command("ip", "link", "add", switch, "type", "bridge")
        command("ip", "link", "set", switch, "up")


class Machine:
    """A network namespace connected to the switch. argv runs in it, and it ends with argv."""

    _numbers = 0

    def __init__(self, name, last, argv, log, ready=lambda: True, is_node=False):
        self.name = name
        self.last = last
        self.room = SWITCH
        more = ["--pid", "--fork", "--kill-child=KILL", "--mount-proc"] if is_node else []
        self.part = Part(name, ["unshare", "--net", *more, *argv], log, ready, ready_s=READY_S)
        self._port = None

    @property
    def network(self):
        pid = self.part.children()[0] if "--fork" in self.part.argv else self.part.pid
        return f"/proc/{pid}/ns/net"

    def run(self, *argv):
        return command("nsenter", f"--net={self.network}", *argv)

    def start(self):
        own = os.stat("/proc/self/ns/net").st_ino
        self.part.start()

        def has_network():
            try:
                return os.stat(self.network).st_ino != own
            except (OSError, IndexError):
                return False

        wait_for(has_network, 10, f"{self.name} has no network")
        self._port = self.plug("net0", f"10.83.0.{self.last}/24", self.last)
        self.run("ip", "link", "set", "lo", "up")
        command("ip", "link", "set", self._port, "master", self.room)

    def plug(self, name, address, last):
        """Connect it with a cable; returns the name of this end. The MAC address stays the same;
        otherwise the others would continue to send to the old one."""
        Machine._numbers += 1
        ours = f"port{Machine._numbers}"
        command("ip", "link", "add", ours, "type", "veth", "peer", "name", name,
                "address", f"02:00:00:83:00:{last:02x}", "netns", self.network)
        command("ip", "link", "set", ours, "up")
        self.run("ip", "address", "add", address, "dev", name)
        self.run("ip", "link", "set", name, "up")
        return ours

    def move(self, room):
        self.room = room
        if self.part.alive:
            command("ip", "link", "set", self._port, "master", room)

    def pids(self):
        """All its processes, by their ids in this namespace."""
        children = self.part.children()
        if not children:
            return []
        own = os.readlink(f"/proc/{children[0]}/ns/pid")
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(place / "ns" / "pid") == own:
                    found.append(int(place.name))
            except OSError:  # it has exited
                continue
        return found

    def find(self, *words):
        """Its processes with these words in their command lines."""
        return [pid for pid in self.pids() if all(word in _command_line(pid) for word in words)]


    @staticmethod
    def end(*pids):
        for pid in pids:
            os.kill(pid, signal.SIGKILL)


def _command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


class Database:
    """The three nodes, with both kinds of connections. Has the interface that Stack expects of a
    cluster."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.ca_file = self.directory / "ca.pem"
        self.password_file = self.directory / "password"
        self.nodes = {name: self._node(name, n) for n, name in enumerate(NODES, 1)}
        self.ways = {name: Machine(name, last, ["sleep", "infinity"], self.directory / f"{name}.log")
                     for name, last in WAYS.items()}
        self.machines = self.nodes | self.ways
        self.balancer = None

    # -- interface for Stack --

    def prepare(self):
        """Does nothing: start() creates everything."""

    def release(self):
        self.stop()

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def url(self, role, password=False):
        """With a list of hosts, for gateway-2 and the tests."""
        word = f" password={self.password_file.read_text()}" if password else ""
        return (f"host={','.join(NODES.values())} dbname=tollgate user={role} sslmode=verify-full"
                f" sslrootcert={self.ca_file}{word}")

    def balanced_url(self, role):
        """Through HAProxy, for gateway-1."""
        return (f"host=tollgate-db hostaddr=10.83.11.2 dbname=tollgate user={role} sslmode=verify-full"
                f" sslrootcert={self.ca_file}")

    # -- the whole cluster --

    def start(self):
        self._make_keys()
        for machine in self.machines.values():
            machine.start()
        self._join_ways()
        for node in self.nodes.values():
            self._route(node)
        self._start_balancer()
        self.wait_whole()
        self._make_roles()

    def stop(self):
        if self.balancer:
            self.balancer.kill()
        for machine in self.machines.values():
            machine.part.kill()

    def kill(self, name):
        """Pull its plug."""
        self.nodes[name].part.kill()

    def boot(self, name):
        self.nodes[name].start()
        self._route(self.nodes[name])

    def cut(self, *names):
        """Cut the network in two: these nodes, and the others."""
        for name in names:
            self.machines[name].move(OTHER_ROOM)

    def heal(self):
        for machine in self.machines.values():
            machine.move(SWITCH)

    # -- Patroni --

    def ask(self, name, path, *more):
        """JSON of a node's REST interface, requested on the node; None without a response."""
        keys = self.directory / name
        try:
            return json.loads(self.nodes[name].run(
                "curl", "--silent", "--max-time", 3, "--cacert", keys / "ca.pem", "--cert", keys / "node.pem", "--key",
                keys / "node.key", *more, f"https://{NODES[name]}:8008/{path}"))
        except (Failure, ValueError, IndexError, OSError):
            return None

    def members(self, name):
        """{name: {role, state …}} of all nodes, according to that node."""
        answer = self.ask(name, "cluster") or {}
        return {member["name"]: member for member in answer.get("members", [])}

    def leader(self, among=tuple(NODES)):
        """The node among these that considers itself the primary; None if there is no such node."""
        for name in among:
            if (self.ask(name, "patroni") or {}).get("role") in ("master", "primary") and \
                    self.members(name).get(name, {}).get("role") == "leader":
                return name
        return None

    def wait_leader(self, among=tuple(NODES), seconds=READY_S):
        return wait_for(lambda: self.leader(among), seconds, f"a primary among {', '.join(among)}")

    def standby(self):
        """The synchronous standby, or None."""
        leader = self.leader()
        found = [name for name, member in self.members(leader).items() if member["role"] == "sync_standby"] \
            if leader else []
        return found[0] if found else None

    def wait_whole(self, seconds=READY_S):
        """Wait for a primary, a synchronous standby and another one on one timeline; returns the
        first two."""
        def whole():
            leader = self.leader()
            members = self.members(leader) if leader else {}
            roles = sorted(member["role"] for member in members.values())
            return leader if roles == ["leader", "replica", "sync_standby"] and \
                all(member["state"] in ("running", "streaming") for member in members.values()) and \
                len({member.get("timeline") for member in members.values()}) == 1 else None

        leader = wait_for(whole, seconds, "the database is not whole")
        return leader, wait_for(self.standby, seconds, "a synchronous standby")

    def set(self, **settings):
        """Change the settings of all nodes."""
        leader = self.wait_leader()
        assert self.ask(leader, "config", "--request", "PATCH", "--data", json.dumps(settings)) is not None

    def sql(self, name, statement):
        """Run it on the node as superuser; returns psql's output."""
        return self._as_postgres(name, "-A", "-t", "-c", statement).strip()

    def back_up(self, name):
        """Back up that node; returns the size in bytes."""
        done = subprocess.run([*AS_POSTGRES, BIN / "pg_basebackup", "-h", self.directory / name / "data", "--pgdata=-",
                               "--format=tar", "--wal-method=fetch", "--gzip"], capture_output=True, cwd="/")
        if done.returncode != 0:
            raise Failure(done.stderr.decode())
        return len(done.stdout)

    # -- construction --

    def _node(self, name, n):
        place = self.directory / name
        return Machine(name, n, ["sh", "-c", BOOT, "boot", place], place / "boot.log", is_node=True)

    def _make_keys(self):
        self.directory.chmod(0o755)
        command(HA / "certificates", self.directory, *PLACES)
        self.ca_file.chmod(0o644)
        self.password_file.write_text(secrets.token_hex(16))
        for name in NODES:
            place = self.directory / name
            env = os.environ | {"HA_KEYS": str(place), "HA_DATA": str(place / "data"),
                                "HA_CLIENTS": "10.83.0.0/24 10.83.12.0/24"}
            for kind, file in (("etcd", "etcd.env"), ("patroni", "patroni.yaml")):
                (place / file).write_text(command(HA / "settings", kind, name, *PLACES, env=env))
            (place / "data").mkdir(mode=0o700)
            for file in (place, *place.rglob("*")):
                shutil.chown(file, "postgres", "postgres")

    def _join_ways(self):
        for name, last in WAYS.items():
            ours = self.ways[name].plug("app", f"10.83.{last}.2/24", last)
            command("ip", "address", "add", f"10.83.{last}.1/24", "dev", ours)
        self.ways["gw2"].run("sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
        command("ip", "route", "add", "10.83.0.0/24", "via", "10.83.12.2")

    def _route(self, node):
        node.run("ip", "route", "add", "10.83.12.0/24", "via", "10.83.0.12")

    def _start_balancer(self):
        env = {f"HA_NODE_{n}": address for n, address in enumerate(NODES.values(), 1)} | \
            {"HA_CA": self.ca_file, "HA_LISTEN": "10.83.11.2:5432"}
        self.balancer = Part("balancer", ["nsenter", f"--net={self.ways['gw1'].network}", "/usr/sbin/haproxy", "-db",
                                          "-f", HA / "haproxy.cfg"],
                             self.directory / "balancer.log", lambda: True, env=env)
        self.balancer.start()

    def _as_postgres(self, name, *arguments, text=None):
        place = self.directory / name / "data"
        done = subprocess.run([*AS_POSTGRES, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", place, "-d", "postgres",
                               *arguments], input=text, capture_output=True, text=True, cwd="/")
        if done.returncode != 0:
            raise Failure(done.stderr)
        return done.stdout

    def _make_roles(self):
        password = self.password_file.read_text()
        words = "".join(f"ALTER ROLE tollgate_{role} PASSWORD '{password}';\n" for role in ROLES)
        roles = (ROOT / "deploy" / "database" / "roles.sql").read_text()
        self._as_postgres(self.wait_leader(), text=roles + words)


def freeze(pids):
    """Stop them with SIGSTOP until thaw()."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)


def thaw(pids):
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
