"""tests/compose/containers.py - the stack of compose.yaml for tests, from a copy of this
checkout."""

import contextlib
import http.client
import ipaddress
import itertools
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import images
import psycopg2
from kit.contracts import CONTRACTS, goes_out, is_get
from kit.load import Load
from kit.groups import GROUPS
from kit.site import PASSWORD, Account
from part import command, wait_for
from ports import port_is_free

ROOT = Path(__file__).resolve().parents[2]
FREE_PORTS = filter(port_is_free, range(28000 + os.getpid() % 200 * 10, 30000))  # next to another run, others
OPEN_FILES, EDGE_MAX_CONNECTIONS = 4096, 1900  # allowed on any machine
ADMIN_PORT, PORTAL_ADMIN_PORT, EDGE_PORT = 9100, 9101, 8443
ADDRESSES = range(100, 140)  # in the edge's public network, for the tests' clients
DAEMONS = [*GROUPS]
SCANNERS = [daemon for daemon, group in GROUPS.items() if group["outside"]]
CALLS = {  # a paid call of each group: tool, request, price
    f"svc-{contract['group']}": (tool, contract["examples"][0]["request"], contract["credits"])
    for tool, contract in CONTRACTS.items() if not goes_out(contract) and not is_get(contract)
} | {  # of groups whose tools all call other sites: one that need not
    "svc-security": ("openapi-validate", {"spec": "openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths: {}"}, 5),
    "svc-ai": ("ai-translate", {"text": "Hello", "source_language": "en", "target_language": "en"}, 10),
    "svc-email": ("email-validator", {"email": "jane@mailinator.com"}, 2),
    "svc-reports": ("carbon-footprint", {"bytes": 2000000, "green": True}, 2),
}
COUNTED_BY = {"gateway": "GATEWAYS", "portal": "PORTALS"}  # settings of compose.yaml; a group's is its name
CLIENTS = 8  # that call without a pause
PAUSE_S = 0.05  # between two calls of a client: engine and stack share the CPUs
READY_S = 90
ABANDONED_S = 30  # a call whose gateway died holds its credits for its time budget and 3 s of grace


class Containers:
    """A separate Compose project, with these Compose files beyond the usual ones. variables:
    settings of compose.yaml; tests may change them later. `with` removes it at the end."""

    def __init__(self, project, *files, **variables):
        self.directory = Path(tempfile.mkdtemp(prefix="tollgate-compose-"))
        self.project = project
        https, http, prometheus = (str(next(FREE_PORTS)) for _ in range(3))
        self.tls_port = int(https)
        self.variables = images.variables() | {
            "COMPOSE_PROJECT_NAME": project, "HTTPS_PORT": https, "HTTP_PORT": http,
            "PROMETHEUS_PORT": prometheus, "OPEN_FILES": str(OPEN_FILES), "EDGE_MAX_CONNECTIONS": str(EDGE_MAX_CONNECTIONS),
            "EDGE_HSTS": "on"
        } | variables
        self.with_files(*files)
        self.done = []  # (command, begun, ended), by time.monotonic()
        copy_checkout(self.directory)

    # -- the whole stack --

    def with_files(self, *names, **variables):
        """Use these Compose files too from now on."""
        self.variables |= {"COMPOSE_FILE": ":".join(["compose.yaml", "tests/compose/settings.yaml", *names])} | variables

    def compose(self, *arguments):
        return self.run_script("docker-compose", *arguments)

    def run_script(self, *argv):
        with self._noted(argv):
            return command(*argv, cwd=self.directory, env=os.environ | self.variables)

    def pipe(self, *arguments, given=None, program="docker-compose"):
        """Run a program with `given` as its input; returns its output, as bytes."""
        with self._noted(arguments):
            return subprocess.run([program, *arguments], cwd=self.directory, check=True, capture_output=True,
                                  env=os.environ | self.variables, input=given or b"").stdout

    def said(self, *argv, status=0):
        """The lines that a script writes to standard error."""
        done = subprocess.run(argv, cwd=self.directory, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=os.environ | self.variables)
        assert done.returncode == status, done
        return done.stderr.splitlines()

    @contextlib.contextmanager
    def _noted(self, argv):
        begun = time.monotonic()
        try:
            yield
        finally:
            self.done.append((" ".join(argv), begun, time.monotonic()))

    def feed(self, content, *arguments):
        self.pipe(*arguments, given=content.encode() if isinstance(content, str) else content)

    def up(self, *arguments):
        self.compose("up", "-d", *arguments)

    def scale(self, **counts):
        """Scale now and in the settings; otherwise the next `up` or `apply` would undo it."""
        counts = {name.replace("_", "-"): count for name, count in counts.items()}
        self.variables |= {COUNTED_BY.get(name, name.upper().replace("-", "_")): str(count) for name, count in counts.items()}
        pairs = (f"{name}={count}" for name, count in counts.items())
        self.up("--no-deps", "--no-recreate", *(word for pair in pairs for word in ("--scale", pair)), *counts)
        self.wait_healthy(*counts)

    def __enter__(self):
        self.clear()  # after a killed run
        return self

    def __exit__(self, *_):
        self.remove()

    def clear(self):
        """Remove all its containers and volumes."""
        self.compose("--profile", "observability", "down", "--volumes", "--remove-orphans", "--timeout", "10")

    def remove(self):
        self.clear()
        shutil.rmtree(self.directory)

    # -- containers --

    def ids(self, service):
        """The ids of `docker-compose ps`, without its second of CPU time."""
        labels = {"project": self.project, "service": service, "oneoff": "False"}
        filters = (f"--filter=label=com.docker.compose.{name}={value}" for name, value in labels.items())
        return command("docker", "ps", "--all", "--quiet", "--no-trunc", *filters).split()

    def inspect(self, container):
        return json.loads(command("docker", "inspect", container))[0]

    def is_healthy(self, container):
        state = self.inspect(container)["State"]
        return state["Running"] and state["Health"]["Status"] == "healthy"

    def wait_healthy(self, *services):
        for service in services:
            wait_for(lambda: self.ids(service) and all(map(self.is_healthy, self.ids(service))), READY_S,
                     f"{service} is healthy")

    def address(self, container, network):
        return self.inspect(container)["NetworkSettings"]["Networks"][f"{self.project}_{network}"]["IPAddress"]

    def gate(self, network):
        """This machine's address in a network of the project."""
        found = json.loads(command("docker", "network", "inspect", f"{self.project}_{network}"))[0]
        return found["IPAM"]["Config"][0].get("Gateway") or str(subnet_of(found)[1])

    def published(self, container, port):
        """The machine's port to which a container's port is published."""
        return int(self.inspect(container)["NetworkSettings"]["Ports"][f"{port}/tcp"][0]["HostPort"])

    def execute(self, container, *argv, user=None):
        """Run a command in it: (exit status, stdout and stderr)."""
        done = subprocess.run(["docker", "exec", *(["--user", user] if user else []), container, *argv],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout + done.stderr

    def crash(self, container):
        """Kill its first process, like a crash. The engine restarts it."""
        state = self.inspect(container)
        os.kill(state["State"]["Pid"], 9)
        wait_for(lambda: self.inspect(container)["RestartCount"] > state["RestartCount"], READY_S,
                 "it is started again")

    def ask(self, container, host, port, path):
        """The response of a service, head and body, to a request from that container; "" without a
        response."""
        line = f'exec 3<>/dev/tcp/{host}/{port} && printf "GET {path} HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3'
        return self.execute(container, "timeout", "5", "bash", "-c", f"{{ {line}; }} 2>/dev/null")[1]

    def metrics(self, container, port=ADMIN_PORT):
        """{name: sum over its labels}, requested from inside the container."""
        text = self.ask(container, "127.0.0.1", port, "/metrics")
        sums = {}
        for name, value in re.findall(r"^([a-z_]+)(?:\{[^}]*\})? (\S+)$", text, re.MULTILINE):
            sums[name] = sums.get(name, 0.0) + float(value)
        return sums

    # -- interface of Books --

    def crashed(self):
        """Crashed parts: none, because the engine restarts and counts them."""
        return []

    def tollctl(self, *arguments):
        text = self.pipe("run", "--rm", "-T", "tollctl", *arguments).decode()
        return json.loads(text) if "--json" in arguments else text

    def database(self):
        db = self.ids("db")[0]
        status, password = self.execute(db, "cat", "/run/tollgate/owner.password")
        assert status == 0, password
        return f"host={self.address(db, 'database')} dbname=tollgate user=tollgate_owner password={password.strip()}"


class ComposeSite:
    """The stack with the interface of kit.site.Site. Clients have addresses in the edge's public
    network and connect to the edge directly: through the published port, all connections of this
    machine would have one address."""

    def __init__(self, stack):
        self._stack = stack
        self._trust = None
        self.database = None  # libpq connection string, if it is not the project's
        network = json.loads(command("docker", "network", "inspect", f"{stack.project}_public"))[0]
        subnet = subnet_of(network)
        self._edge = None
        self._addresses = [str(subnet[n]) for n in ADDRESSES]
        for address in self._addresses:  # removed with the network
            command("ip", "address", "replace", f"{address}/{subnet.prefixlen}", "dev", f"br-{network['Id'][:12]}")
        self._turn = itertools.cycle(self._addresses)

    def fresh_address(self):
        return next(self._turn)

    def trust(self):
        """TLS context of a client that trusts only this stack."""
        if self._trust is None:
            status, pem = self._stack.execute(self._stack.ids("edge")[0], "cat", "/run/tollgate/certificate.pem")
            assert status == 0, pem
            self._trust = ssl.create_default_context(cadata=pem)
        return self._trust

    def forget_trust(self):
        """Load the certificate again after a change."""
        self._trust = None
        self.trust()

    def connection(self, address, timeout_s):
        return ToEdge(self, address, timeout_s, self.trust())

    def edge(self):
        """(address, port) of the edge; the address changes after a crash."""
        if self._edge is None:
            self._edge = self._stack.address(first(self._stack, "edge"), "public"), EDGE_PORT
        return self._edge

    def edge_is_gone(self):
        self._edge = None

    @property
    def base_url(self):
        """The public URL, as in compose.yaml."""
        return f"https://localhost:{self._stack.tls_port}"

    def tollctl(self, *arguments):
        return self._stack.tollctl(*arguments)

    def open_member(self, name, email, credits):
        """An account and its member with PASSWORD, made with tollctl."""
        account = self._stack.tollctl("account", "create", name, "--credits", str(credits), "--json")["account"]
        made = self._stack.pipe("run", "--rm", "-T", "tollctl", "member", "create", account, email, "--password-file",
                                "/dev/stdin", "--json", given=f"{PASSWORD}\n".encode())
        return account, json.loads(made)["member"]

    def connect(self):
        connection = psycopg2.connect(self.database or self._stack.database())
        connection.autocommit = True
        return connection

    def open_account(self, credits=100, limits_off=False):
        options = ["--limits-off"] if limits_off else []
        account = self._stack.tollctl("account", "create", "test", "--credits", str(credits), *options,
                                      "--json")["account"]
        token = self._stack.tollctl("token", "create", account, "--json")
        return Account(account, token["token"], token["token_id"])


class ToEdge(http.client.HTTPSConnection):
    """HTTPS to the edge, by the name in its certificate."""

    def __init__(self, site, source, timeout_s, context):
        super().__init__("localhost", timeout=timeout_s, context=context)
        self._site = site
        self._source = source

    def connect(self):
        try:
            line = socket.create_connection(self._site.edge(), self.timeout, (self._source, 0))
        except OSError:
            self._site.edge_is_gone()
            raise
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self._context.wrap_socket(line, server_hostname="localhost")


class Prometheus:
    def __init__(self, stack):
        self._port = int(stack.compose("port", "prometheus", "9090").split(":")[1])

    def ask(self, path):
        """The data of its API's response; None without a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=5)
        try:
            connection.request("GET", f"/api/v1/{path}")
            return json.loads(connection.getresponse().read())["data"]
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def targets(self):
        return (self.ask("targets?state=active") or {}).get("activeTargets", [])

    def healthy(self):
        return Counter(target["labels"]["job"] for target in self.targets() if target["health"] == "up")

    def ill(self):
        """The other targets, for the message of a failed test."""
        return [(target["scrapeUrl"], target["health"], target["lastError"]) for target in self.targets()
                if target["health"] != "up"]


class Forwarder:
    """The route between two machines: forwards connections to `host` to ports of this machine."""

    def __init__(self, host, ports):
        self._ports = ports
        self._listeners = [socket.create_server((host, 0)) for _ in ports]
        self.addresses = [listener.getsockname() for listener in self._listeners]

    def __enter__(self):
        for listener, port in zip(self._listeners, self._ports):
            threading.Thread(target=self._accept, args=(listener, port), daemon=True).start()
        return self

    def __exit__(self, *_):
        for listener in self._listeners:
            listener.close()

    def _accept(self, listener, port):
        while True:
            try:
                near = listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", port))
            except OSError:
                return
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=copy_bytes, args=(source, target), daemon=True).start()


def copy_bytes(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    source.close()
    target.close()


def subnet_of(network):
    return ipaddress.ip_network(network["IPAM"]["Config"][0]["Subnet"])


def first(stack, service):
    return stack.ids(service)[0]


def busy(site, books, clients=CLIENTS):
    """Clients that call without a pause, and their accounts, at most one for each, without
    limits."""
    accounts = [site.open_account(100000, limits_off=True) for _ in range(min(4, clients))]
    return accounts, Load(books.site, accounts, clients=clients, pause_s=PAUSE_S)


def copy_checkout(directory):
    """Copy tracked and new files, as a fresh checkout with a umask of 077."""
    names = command("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, names):
        source, target = ROOT / name, directory / name
        if not source.exists():
            continue  # deleted, but not yet in git
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copy2(source, target)  # keeps the time, so that the build cache stays valid
        target.chmod(0o700 if os.access(source, os.X_OK) else 0o600)


def ids_of(stack, *services):
    return {service: set(stack.ids(service)) for service in services}


def check_replaced(before, now):
    for service, old in before.items():
        assert len(now[service]) == len(old) and not now[service] & old
