"""deploy/local/stack.py - creates, starts and stops a private Tollgate in one directory.

`make run` and the tests use it. To try what you have built:

    /usr/bin/python3 deploy/local/stack.py [--build build] [--gateways 2] [--daemons 2]
        [--portals 1] [key=value ...]

starts PostgreSQL, gateways, daemons of each built group (build/svc-*/), portals and the edge in a
scratch directory, prints a URL, an account and a token, and stops at Ctrl-C. key=value are keys of
common/text/conf.def. In Python:

    settings = {"ledger.hold_grace_ms": 1000}
    with Stack(directory, build, gateways=2, portals=1, settings=settings) as stack:
        account = stack.tollctl("account", "create", "me", "--json")
        stack.parts["svc-utils-1"].kill()       # parts: postgres mailbox gateway-N svc-GROUP-N portal-N edge
        stack.restart("gateway-1")

Start order, each step waits until the parts are ready:

  1. database, migrations
  2. mailbox, gateways, daemons, portals
  3. edge

If a part fails to start, the error has the end of its log. Logs are in directory/log, one file a
part.

Gateway N listens on 127.0.1.N. All gateways use the same ports, so that the edge needs only their
addresses, as in a network of containers. Portal N listens on 127.0.2.N. With a portal the stack
also has a mailbox: a mail server that stores the portals' mail in the Maildir directory/mail.
"""

import argparse
import fcntl
import hashlib
import http.client
import json
import os
import resource
import secrets
import shutil
import signal
import socket
import ssl
import sys
import tempfile
from pathlib import Path

import yaml

from part import Failure, Part, command
from ports import Ports, loopback, port_is_free
from postgres import CLUSTERS, Cluster

ROOT = Path(__file__).resolve().parents[2]
EDGE_CONFIG = ROOT / "deploy" / "edge" / "haproxy.cfg"
MAILBOX = ROOT / "deploy" / "local" / "mailbox.py"
ENDING_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
GATEWAYS_MAX = 4             # servers in deploy/edge/haproxy.cfg
PORTALS_MAX = 4              # the same
GATEWAY_THREADS = 1024
WATCH_S = 0.5                # interval of the calls by watch()
EDGE_SPARE_THREADS = 16      # threads of a gateway that the edge may not use: docs/decisions/004-http-server.md


def cluster_home(directory):
    """The directory of the PostgreSQL cluster of the stack in this directory."""
    if os.environ.get(CLUSTERS):
        return Path(os.environ[CLUSTERS]) / directory.name
    if os.geteuid() != 0:
        return directory / "postgres"
    checkout = hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    return Path("/var/lib/tollgate") / checkout / directory.name


def http_status(connection, path="/readyz"):
    """Status of one GET on a new connection; 0 without a response."""
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


class Stack:
    """See above. settings: keys of conf.def; edge: EDGE_… of haproxy.cfg; postgres: keys of
    postgresql.conf; groups: the groups to run; default: all that are built."""

    def __init__(self, directory, build, gateways=1, daemons=1, settings=None, edge=None,
                 postgres=None, tls_port=None, plain_port=None, portals=0, groups=None):
        if not 1 <= gateways <= GATEWAYS_MAX:
            raise ValueError(f"1 to {GATEWAYS_MAX} gateways")
        if not 0 <= portals <= PORTALS_MAX:
            raise ValueError(f"0 to {PORTALS_MAX} portals")
        self.directory = Path(directory).resolve()
        self.build = Path(build).resolve()
        self.config = self.directory / "tollgate.yaml"
        self.ca_file = self.directory / "tls" / "certificate.pem"
        self.log_directory = self.directory / "log"
        self.mail_directory = self.directory / "mail"  # a Maildir
        self.parts = {}
        self.admin = {}  # name of a gateway, daemon or portal: (host, port) of its admin port
        self._gateways = [f"127.0.1.{n}" for n in range(1, gateways + 1)]
        self._portals = [f"127.0.2.{n}" for n in range(1, portals + 1)]
        self._daemons = daemons
        self._only = groups
        self._settings = settings or {}
        self._edge = edge or {}
        self._ports = Ports()
        self._http_port, self._admin_port, self._bus_port = (self._port() for _ in range(3))
        self._portal_port, self._portal_admin_port, self._mail_port = (self._port() for _ in range(3))
        self.tls_port = self._port(tls_port)
        self.plain_port = self._port(plain_port)
        self.base_url = f"https://localhost:{self.tls_port}"
        self.cluster = Cluster(cluster_home(self.directory), self.log_directory / "postgres.log", postgres)
        self._lock = None

    # -- the whole stack --

    def start(self):
        try:
            self._take_lock()
            self._prepare()
            self._start_database()
            self.tollctl("db", "migrate")
            served = [self._add(part) for part in (*self._mailbox_parts(), *self._gateway_parts(),
                                                   *self._daemon_parts(), *self._portal_parts())]
            for part in served:
                part.start()
            for part in served:
                part.wait_ready()
            self._add(self._edge_part())
            self.start_part("edge")
        except BaseException:
            self.stop()
            raise

    def stop(self):
        """Stop the edge, then the others together (each takes up to 2 s to notice), then the
        database. Raises errors after all have stopped."""
        failures = []
        serving = [name for name in self.parts if name not in ("edge", "postgres")]
        for wave in (["edge"], serving, ["postgres"]):
            parts = [self.parts[name] for name in wave if name in self.parts]
            for part in parts:
                part.ask_to_end()
            for part in parts:
                try:
                    part.wait()
                except Failure as failure:
                    failures.append(str(failure))
        self.cluster.release()
        self._ports.release()
        if self._lock:
            self._lock.close()
            self._lock = None
        if failures:
            raise Failure("\n".join(failures))

    def remove(self):
        """Delete all its files."""
        self.cluster.remove()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def crashed(self):
        return [part for part in self.parts.values() if part.crashed]

    def watch(self, meanwhile=lambda: None):
        """Wait for SIGINT, SIGTERM or SIGHUP and return. Raises Failure if a part crashes. The
        signals stay blocked, so that they do not interrupt stop(). Calls meanwhile() every WATCH_S
        seconds."""
        awaited = ENDING_SIGNALS | {signal.SIGCHLD}
        signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
        while not self.crashed():
            came = signal.sigtimedwait(awaited, WATCH_S)
            if came and came.si_signo in ENDING_SIGNALS:
                return
            meanwhile()
        raise Failure("\n".join(part.obituary() for part in self.crashed()))

    # -- single parts --

    def start_part(self, name):
        self.parts[name].start()
        self.parts[name].wait_ready()

    def restart(self, name):
        self.parts[name].stop()
        self.start_part(name)

    def tollctl(self, *arguments):
        """Run tollctl and return its output, parsed if --json is among the arguments."""
        text = command(self.build / "gateway" / "tollctl", "--config", self.config, *arguments)
        return json.loads(text) if "--json" in arguments else text

    @property
    def gateways(self):
        """(host, port) of each gateway's plain HTTP, which only the edge should use."""
        return [(address, self._http_port) for address in self._gateways]

    @property
    def portals(self):
        """(host, port) of each portal's plain HTTP, which only the edge should use."""
        return [(address, self._portal_port) for address in self._portals]

    @property
    def mailbox(self):
        """(host, port) of the portals' mail relay."""
        return "127.0.0.1", self._mail_port

    @property
    def bus(self):
        """(host, port) of each gateway's bus."""
        return [(address, self._bus_port) for address in self._gateways]

    def database(self, role="tollgate_owner"):
        """libpq connection string."""
        return self.cluster.url(role)

    # -- construction --

    def _start_database(self):
        self._add(self.cluster.part)
        self.start_part("postgres")
        self.cluster.make_roles()

    def _port(self, wanted=None):
        if wanted:
            if not port_is_free(wanted):
                raise Failure(f"port {wanted} is in use; stop the program that listens on it")
            return wanted
        return self._ports.reserve()

    def _add(self, part):
        self.parts[part.name] = part
        return part

    def _take_lock(self):
        self.log_directory.mkdir(parents=True, exist_ok=True)
        lock = open(self.directory / "lock", "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(f"another stack runs in {self.directory}; stop it first") from None
        self._lock = lock

    def _prepare(self):
        self._make_certificate()
        self._write_config()  # tollctl reads it; the keys below need tollctl
        self._make_keys()
        self.cluster.prepare()

    def _groups(self):
        """Names of the daemons to run: svc-utils, …"""
        return sorted(folder.name for folder in self.build.glob("svc-*")
                      if os.access(folder / folder.name, os.X_OK) and (folder / folder.name).is_file()
                      and (self._only is None or folder.name.removeprefix("svc-") in self._only))

    def _contracts(self):
        """The folder of the contracts of these groups."""
        if self._only is None:
            return ROOT
        contracts = self.directory / "contracts"
        contracts.mkdir(exist_ok=True)
        for name in self._groups():
            if not (contracts / name).exists():
                (contracts / name).symlink_to(ROOT / name)
        return contracts

    def _outcomes(self):
        outcomes = self.directory / "outcomes"
        outcomes.mkdir(exist_ok=True)
        return outcomes

    def _key(self, name):
        return self.directory / "keys" / name

    def _make_keys(self):
        self._key("").mkdir(mode=0o700, exist_ok=True)
        for name in ("gateway", *self._groups()):
            if not self._key(f"{name}.public").exists():
                self._key(f"{name}.secret").unlink(missing_ok=True)
                self.tollctl("keys", "create", self._key(name))
        allowed = {name.removeprefix("svc-"): [self._key(f"{name}.public").read_text().strip()]
                   for name in self._groups()}
        self._key("allow.yaml").write_text(yaml.safe_dump(allowed))
        for name in ("ledger.secret", "portal.secret"):
            if not self._key(name).exists():
                self._key(name).touch(mode=0o600)
                self._key(name).write_text(secrets.token_hex(32))

    def _make_certificate(self):
        """Self-signed, so it is also the clients' CA file. Kept while it is valid."""
        self.ca_file.parent.mkdir(mode=0o700, exist_ok=True)
        key, both = self.ca_file.with_name("key.pem"), self.ca_file.with_name("edge.pem")
        if both.exists() and self._certificate_lasts(both):
            return
        command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                "-nodes", "-keyout", key, "-out", self.ca_file, "-days", "90", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1",
                "-addext", "extendedKeyUsage=serverAuth")
        both.touch(mode=0o600)
        both.write_text(self.ca_file.read_text() + key.read_text())

    @staticmethod
    def _certificate_lasts(file):
        try:
            command("openssl", "x509", "-in", file, "-noout", "-checkend", 86400)
            return True
        except Failure:
            return False

    def _write_config(self):
        settings = {
            "contracts_dir": str(self._contracts()),
            "gateway.threads": GATEWAY_THREADS,
            "gateway.public_url": self.base_url,
            "gateway.limits_file": str(ROOT / "gateway" / "limits.yaml"),
            "gateway.drain_delay_ms": 0,  # the edge stops before the gateways
            "db.url": self.cluster.url("tollgate_gateway"),
            "db.owner_url": self.cluster.url("tollgate_owner"),
            "ledger.secret_file": str(self._key("ledger.secret")),
            "ledger.outcomes_dir": str(self._outcomes()),
            "bus.gateways": [f"{address}:{self._bus_port}" for address in self._gateways],
            "bus.secret_key_file": str(self._key("gateway.secret")),
            "bus.server_key_file": str(self._key("gateway.public")),
            "bus.allow_file": str(self._key("allow.yaml")),
        } | (self._portal_settings() if self._portals else {}) | self._settings
        self._threads = int(settings["gateway.threads"])
        self._key("").mkdir(mode=0o700, exist_ok=True)
        tree = {}
        for key, value in settings.items():
            *folders, leaf = key.split(".")
            place = tree
            for folder in folders:
                place = place.setdefault(folder, {})
            place[leaf] = value
        self.config.write_text(yaml.safe_dump(tree, sort_keys=False))

    def _portal_settings(self):
        return {
            "portal.files_dir": str(ROOT / "portal"),
            "portal.db_url": self.cluster.url("tollgate_portal"),
            "portal.secret_file": str(self._key("portal.secret")),
            "portal.gateways": [f"{address}:{self._http_port}" for address in self._gateways],
            "portal.curl_options": f"--cacert {self.ca_file}",  # so that the shown commands work when pasted
            "payments.provider": "test",  # its checkout moves no money
            "portal.signup_mx_check": "off",  # the mailbox accepts mail for every domain
            "gateway.buy_url": f"{self.base_url}/portal/credits",
            "portal.contact": "help@example.com",
            "oauth.enabled": True,
            "portal.disposable_file": str(ROOT / "svc-email" / "address" / "disposable-domains.txt"),
            "mail.url": f"smtp://127.0.0.1:{self._mail_port}",
            "mail.from": "tollgate@example.com",
        }

    def _server(self, name, program, admin, env):
        self.admin[name] = admin
        return Part(name, [program, "--config", self.config], self.log_directory / f"{name}.log",
                    lambda: http_status(http.client.HTTPConnection(*admin, timeout=2)) == 200, env=env)

    def _gateway_parts(self):
        for n, address in enumerate(self._gateways, 1):
            yield self._server(f"gateway-{n}", self.build / "gateway" / "tollgate-gateway",
                               (address, self._admin_port),
                               {"TOLLGATE_GATEWAY_LISTEN": f"{address}:{self._http_port}",
                                "TOLLGATE_GATEWAY_ADMIN": f"{address}:{self._admin_port}",
                                "TOLLGATE_BUS_LISTEN": f"tcp://{address}:{self._bus_port}"})

    def _daemon_parts(self):
        for group in self._groups():
            for n in range(1, self._daemons + 1):
                admin = ("127.0.0.1", self._port())
                yield self._server(f"{group}-{n}", self.build / group / group, admin,
                                   {"TOLLGATE_SVC_ADMIN": f"127.0.0.1:{admin[1]}",
                                    "TOLLGATE_BUS_SECRET_KEY_FILE": self._key(f"{group}.secret")})

    def _mailbox_parts(self):
        if self._portals:
            yield Part("mailbox", [sys.executable, MAILBOX, f"127.0.0.1:{self._mail_port}", self.mail_directory],
                       self.log_directory / "mailbox.log", self._mailbox_greets)

    def _mailbox_greets(self):
        try:
            with socket.create_connection(self.mailbox, timeout=2) as line:
                return line.recv(3) == b"220"
        except OSError:
            return False

    def _portal_parts(self):
        for n, address in enumerate(self._portals, 1):
            yield self._server(f"portal-{n}", self.build / "portal" / "tollgate-portal",
                               (address, self._portal_admin_port),
                               {"TOLLGATE_PORTAL_LISTEN": f"{address}:{self._portal_port}",
                                "TOLLGATE_PORTAL_ADMIN": f"{address}:{self._portal_admin_port}"})

    def _edge_part(self):
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        env = {
            "EDGE_CERTIFICATE": self.ca_file.with_name("edge.pem"),
            "EDGE_LISTEN_TLS": loopback(self.tls_port),
            "EDGE_LISTEN_PLAIN": loopback(self.plain_port),
            "EDGE_GATEWAY_PORT": self._http_port,
            "EDGE_GATEWAY_MAXCONN": self._threads - EDGE_SPARE_THREADS,
            "EDGE_PORTAL_PORT": self._portal_port,
            "EDGE_PORTAL_ADMIN_PORT": self._portal_admin_port,
            "EDGE_PUBLIC_URL": self.base_url,
            "EDGE_OAUTH": "true",
            "EDGE_HSTS": "on",  # tests check it; `make run` turns it off for browsers
            "MALLOC_TRIM_THRESHOLD_": 32 << 20,  # deploy/edge/haproxy.cfg
            "EDGE_MAX_CONNECTIONS": max(100, min(10000, files // 2 - 100)),  # two sockets a connection
            "EDGE_REQUEST_RATE_PER_IP": 100000,  # tests and benchmarks use few addresses
        } | {f"EDGE_GATEWAY_{n}": address for n, address in enumerate(self._gateways, 1)} \
          | {f"EDGE_PORTAL_{n}": address for n, address in enumerate(self._portals, 1)} | self._edge
        env = {"EDGE_BUFFERS": int(env["EDGE_MAX_CONNECTIONS"]) * 3 // 2} | env
        return Part("edge", ["/usr/sbin/haproxy", "-db", "-f", EDGE_CONFIG],
                    self.log_directory / "edge.log", self._edge_serves, env=env)

    def _edge_serves(self):
        trust = ssl.create_default_context(cafile=self.ca_file)
        return http_status(http.client.HTTPSConnection("localhost", self.tls_port, timeout=2,
                                                       context=trust)) == 200


def interruptible():
    """Handle SIGTERM and SIGHUP like Ctrl-C, so that a starting stack stops cleanly."""
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.default_int_handler)


def main():
    parser = argparse.ArgumentParser(description="Run a scratch stack of what is built; Ctrl-C stops it.")
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--gateways", type=int, default=1)
    parser.add_argument("--daemons", type=int, default=1)
    parser.add_argument("--portals", type=int, default=0)
    parser.add_argument("settings", nargs="*", metavar="key=value")
    options = parser.parse_args()
    settings = {key: yaml.safe_load(value) for key, value in (s.split("=", 1) for s in options.settings)}
    interruptible()
    stack = Stack(tempfile.mkdtemp(prefix="tollgate-stack-"), options.build, options.gateways,
                  options.daemons, settings, portals=options.portals)
    try:
        with stack:
            account = stack.tollctl("account", "create", "scratch", "--json")["account"]
            token = stack.tollctl("token", "create", account, "--json")["token"]
            print(f"url {stack.base_url}\nca {stack.ca_file}\naccount {account}\ntoken {token}\n"
                  f"config {stack.config}\nlogs {stack.log_directory}", flush=True)
            stack.watch()
    except KeyboardInterrupt:
        pass
    except Failure as failure:
        sys.exit(str(failure))
    finally:
        stack.remove()


if __name__ == "__main__":
    main()
