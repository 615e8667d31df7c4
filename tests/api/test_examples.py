"""examples/: each does the same five things while responses fail: one call that gets 429 and
waits, one whose response is lost, a rejection shown with its code, and the balance; each is paid
for once."""

import http.client
import http.server
import json
import ssl
import subprocess
import threading

import pytest

from kit.check import ROOT
from kit.contracts import CONTRACTS
from kit import pki
from kit.site import own_address

HASH = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"


class Moody(http.server.BaseHTTPRequestHandler):
    """A proxy between a client and the edge. Of the first call, the first attempt gets 429 and the
    response to the second is lost; then it passes everything on."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.pass_on(b"")

    def do_POST(self):
        world = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        world.keys.append(self.headers["Idempotency-Key"])
        if len(world.keys) == 1:
            self.say(429, {"Retry-After": "1", "Content-Type": "application/json"},
                     b'{"result":{},"success":false,"errors":[{"code":"rate_limited_endpoint","message":"wait"}]}')
        else:
            self.pass_on(body, is_lost=len(world.keys) == 2)

    def pass_on(self, body, is_lost=False):
        line = self.server.site.connection(self.server.address, 30)
        sent = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        line.request(self.command, self.path, body or None, sent)
        answer = line.getresponse()
        content = answer.read()
        line.close()
        if is_lost:
            self.close_connection = True
            return
        kept = {name: value for name, value in answer.getheaders()
                if name.lower() not in ("content-length", "connection")}
        self.say(answer.status, kept, content)

    def say(self, status, headers, content):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def moody(site, tmp_path):
    authority = pki.root("Examples Root")
    certificate = authority.issue("localhost")
    (tmp_path / "ca.pem").write_bytes(authority.pem())
    (tmp_path / "chain.pem").write_bytes(certificate.key_pem() + certificate.pem())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Moody)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "chain.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.site, server.address, server.keys = site, own_address(), []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def demo(moody, account, tmp_path):
    file = tmp_path / "demo.json"
    file.write_text(json.dumps({"base_url": f"https://localhost:{moody.server_port}", "account": account.id,
                                "token": account.token, "ca_file": str(tmp_path / "ca.pem")}))
    return file


def compiled(tmp_path):
    program = tmp_path / "tollgate"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", program, ROOT / "examples" / "tollgate.c", "-lcurl",
                    "-lcjson"], check=True)
    return program


@pytest.mark.parametrize("name", ["curl.sh", "tollgate.py", "tollgate.c"])
def test_example(moody, demo, account, ledger, tmp_path, name):
    program = compiled(tmp_path) if name.endswith(".c") else ROOT / "examples" / name
    done = subprocess.run([program, demo], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") or name == "curl.sh" and done.returncode == 0, done
    lines = done.stdout.splitlines()
    assert lines[0] == f"hash: {HASH}", done
    assert lines[1].startswith("error: missing_field: "), done
    assert lines[2:] == ["credits: 99"], done
    assert ledger.charged(account) == 1
    assert len(moody.keys) == 4 and len(set(moody.keys[:3])) == 1 and moody.keys[3] != moody.keys[0], moody.keys


def test_examples_are_short():
    assert {file.name for file in (ROOT / "examples").iterdir() if len(file.read_text().splitlines()) > 90} == set()


@pytest.mark.parametrize("name", ["claude-code", "cursor", "vscode"])
def test_configurations(name):
    """JSON, with a URL that shows few tools; no file contains the token."""
    config = json.loads((ROOT / "examples" / f"{name}.mcp.json").read_text())
    server = (config.get("mcpServers") or config["servers"])["tollgate"]
    base, _, query = server["url"].partition("?")
    assert base == "https://localhost:8443/v1/client/ACCOUNT/mcp"
    groups = {contract["group"] for contract in CONTRACTS.values()}
    assert query.startswith("groups=") and set(query.removeprefix("groups=").split(",")) <= groups
    assert server["headers"]["Authorization"].startswith("Bearer ${")
