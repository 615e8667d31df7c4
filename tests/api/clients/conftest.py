"""A proxy between a client and the edge that fails on request, and the clients as programs."""

import http.server
import json
import os
import socket
import ssl
import subprocess
import threading
import time

import pytest

from kit import pki
from kit.check import ROOT
from kit.site import own_address

PYTHON = "/usr/bin/python3"
PACKAGE = ROOT / "clients" / "python"
DRIVERS = ROOT / "tests" / "api" / "clients" / "drivers"
BUSY = b'{"result":{},"success":false,"errors":[{"code":"rate_limited_endpoint","message":"wait"}]}'
JSON = "application/json"


class FlakyEdge(http.server.BaseHTTPRequestHandler):
    """Records each tool call, and does the next of server.faults:

    (status, Retry-After)  respond with this status; the edge does not see the call
    "lose"                 pass the call on, and close the connection without a response
    "cut"                  pass it on, and send half of the response
    "half"                 pass it on, and send half of the response as if it were all
    "html", "json"         pass it on, and respond 502 as a proxy does
    "redirect"             respond 302 to another address of this server
    "hang"                 pass it on, set server.is_hanging, and wait for server.go_on
    "meet"                 wait until as many calls as server.meeting has parties are here
    """

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.handle_call(b"")

    def do_POST(self):
        self.handle_call(self.rfile.read(int(self.headers["Content-Length"])))

    def handle_call(self, body):
        server = self.server
        is_call = "/tools/" in self.path
        with server.lock:
            server.paths.append(self.path)
            fault = server.faults.pop(0) if is_call and server.faults else None
            if is_call:
                server.keys.append(self.headers["Idempotency-Key"])
                server.times.append(time.monotonic())
                server.in_flight += 1
                server.most_in_flight = max(server.most_in_flight, server.in_flight)
        try:
            self.respond(body, fault)
        finally:
            with server.lock:
                server.in_flight -= is_call

    def respond(self, body, fault):
        if isinstance(fault, tuple):
            status, wait_s = fault
            return self.say(status, {"Content-Type": JSON, "Retry-After": str(wait_s), "X-Request-Id": "busy"}, BUSY)
        if fault == "redirect":
            return self.say(302, {"Location": "/elsewhere"}, b"")
        if fault == "meet":
            self.server.meeting.wait(60)
        status, headers, content = self.pass_on(body)
        if fault == "hang":
            self.server.is_hanging.set()
            self.server.go_on.wait(60)
        if fault in ("lose", "hang"):
            self.close_connection = True
        elif fault == "cut":
            self.close_connection = True
            self.say(status, headers, content, content[:len(content) // 2])
        elif fault == "half":
            self.say(status, headers, content[:len(content) // 2])
        elif fault == "json":
            self.say(502, {"Content-Type": JSON}, b'{"message":"Bad Gateway"}')
        elif fault == "html":
            self.say(502, {"Content-Type": "text/html"}, b"<h1>502 Bad Gateway</h1>")
        else:
            self.say(status, headers, content)

    def pass_on(self, body):
        line = self.server.site.connection(self.server.address, 60)
        sent = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        line.request(self.command, self.path, body or None, sent)
        answer = line.getresponse()
        content = answer.read()
        line.close()
        kept = {name: value for name, value in answer.getheaders()
                if name.lower() not in ("content-length", "connection", "transfer-encoding")}
        return answer.status, kept, content

    def say(self, status, headers, content, sent=None):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content if sent is None else sent)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """At the first address of localhost, which may be ::1; Node.js 18 tries no other."""

    def __init__(self, site, context):
        self.address_family, *_, address = socket.getaddrinfo("localhost", 0, type=socket.SOCK_STREAM)[0]
        super().__init__(address[:2], FlakyEdge)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.site, self.address, self.lock = site, own_address(), threading.Lock()
        self.faults, self.keys, self.times, self.paths = [], [], [], []
        self.in_flight = self.most_in_flight = 0
        self.is_hanging, self.go_on, self.meeting = threading.Event(), threading.Event(), None
        self.url = f"https://localhost:{self.server_port}"

    def handle_error(self, request, client_address):
        pass  # clients hang up: some do not trust the certificate, some are killed


@pytest.fixture
def edge(site, tmp_path):
    authority = pki.root("Clients Root")
    certificate = authority.issue("localhost")
    (tmp_path / "ca.pem").write_bytes(authority.pem())
    (tmp_path / "chain.pem").write_bytes(certificate.key_pem() + certificate.pem())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "chain.pem")
    server = Server(site, context)
    server.ca_file = str(tmp_path / "ca.pem")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.go_on.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def demo(edge, account, tmp_path):
    """The file that `make run` writes for the examples."""
    file = tmp_path / "demo.json"
    file.write_text(json.dumps({"base_url": edge.url, "account": account.id, "token": account.token,
                                "ca_file": edge.ca_file}))
    return file


class Library:
    """One client; each method runs in a new process."""

    def __init__(self, command, edge, account):
        self.command, self.edge, self.account = command, edge, account

    def run(self, method, *arguments, key=None, is_trusted=True, **options):
        """What the driver prints: {"value": …} or {"error": {…}}."""
        connection = {"base_url": self.edge.url, "account": self.account.id, "token": self.account.token}
        asked = {"method": method, "arguments": arguments, "key": key, "options": connection | options,
                 "ca_file": self.edge.ca_file if is_trusted else None}
        trust = {"NODE_EXTRA_CA_CERTS": self.edge.ca_file} if is_trusted else {}
        done = subprocess.run([*self.command, json.dumps(asked)], capture_output=True, text=True, timeout=120,
                              env={"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE),
                                   "PYTHONDONTWRITEBYTECODE": "1"} | trust)
        assert (done.returncode, done.stderr) == (0, ""), done
        return json.loads(done.stdout)


COMMANDS = {"python": [PYTHON, str(DRIVERS / "driver.py")], "typescript": ["node", str(DRIVERS / "driver.mjs")]}


@pytest.fixture(params=COMMANDS)
def library(request, edge, account):
    return Library(COMMANDS[request.param], edge, account)


class Cli:
    """tollgate-cli of one user, whose login is in the environment."""

    def __init__(self, edge, account, folder):
        self.edge, self.account, self.folder = edge, account, folder
        self.environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1",
                            "XDG_CONFIG_HOME": str(folder / "config"), "TOLLGATE_URL": edge.url,
                            "TOLLGATE_ACCOUNT": account.id, "TOLLGATE_TOKEN": account.token,
                            "TOLLGATE_CA_FILE": edge.ca_file}

    def start(self, *arguments, **how):
        return subprocess.Popen([PYTHON, "-m", "tollgate.cli", *map(str, arguments)], cwd=self.folder,
                                env=self.environment, text=True, **how)

    def run(self, *arguments, said=""):
        """(exit status, output, errors)"""
        with self.start(*arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            output, errors = process.communicate(said, timeout=120)
        assert "Traceback" not in errors, errors
        return process.returncode, output, errors


@pytest.fixture
def cli(edge, account, tmp_path):
    return Cli(edge, account, tmp_path)
