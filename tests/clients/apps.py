"""tests/clients/apps.py - third-party clients that connect with OAuth, and the member whose browser
they open: the official SDKs, mcp-remote, the Inspector, Claude Code, and the authorization
scenarios of the conformance suite. run.py runs them.
"""

import contextlib
import json
import queue
import re
import shlex
import shutil
import socket
import subprocess
import threading
import urllib.request
import uuid
from urllib.parse import urlsplit

from kit.apps.app import App
from kit.apps.documents import HOST
from kit.portal.member import Member

HASH = ("hash-generate", {"input": "abc"}, "ba7816bf")  # tool, arguments, in its result
TOKENS = ("access_token", "refresh_token")
WAIT_S = 60
PLAIN = r"[^\s\x00-\x1f]+"  # control characters follow in a terminal
URL = re.compile(f"https://{PLAIN}/oauth/authorize\\?{PLAIN}")


def document(kind="open"):
    """The URL of a document that no other client has; its site is agent-apps.net.conf."""
    return f"https://{HOST}/{kind}/{uuid.uuid4()}"


class Owner:
    """A member with a browser, who agrees to whatever an app asks for."""

    def __init__(self, site, ledger):
        self.site, self.ledger = site, ledger
        self.member = Member(site, credits=100)
        self.visitor = self.member.sign_in()

    def agree(self, url):
        """Open the app's URL, and agree; returns the URL at which the app gets its code."""
        parts = urlsplit(url)
        assert url.startswith(self.site.base_url), url
        page = self.visitor.get(f"{parts.path}?{parts.query}")
        page = self.visitor.submit(page.form("/oauth/authorize"))
        [meta] = [m for m in page.root.all("meta") if m.get("http-equiv") == "refresh"]
        return meta.get("content").removeprefix("0;url=")

    def follow(self, url):
        """The same, with a program of this machine that listens for the code."""
        with urllib.request.urlopen(self.agree(url), timeout=WAIT_S) as page:
            return page.read()

    def age(self):
        """Each access token has expired, so the next refresh changes it."""
        self.ledger.rows("update token set expires_at = now() - interval '1 second' where account_id = %s and kind = 3",
                         self.member.account)
        self.ledger.rows("update oauth_grant set issued_at = now() - interval '8 hours' where account_id = %s",
                         self.member.account)

    def disconnect(self):
        page = self.visitor.get("/portal/security")
        [form] = [form for form in page.forms if form.action.endswith("/disconnect")]
        self.visitor.submit(form)

    def client(self):
        """The host of the document of the newest connection; "": it has registered itself."""
        return self.ledger.rows("select client_host from oauth_grant where account_id = %s"
                                " order by connected_at desc limit 1", self.member.account)[0][0]

    def grants(self):
        return self.ledger.rows("select state, refresh_no, access_no from oauth_grant where account_id = %s"
                                " order by created_at", self.member.account)


class Program:
    """A program from npm with pipes: lines in, lines out."""

    def __init__(self, clients, *arguments, own=None, program=None, folder=None):
        """own: more of the environment; program: instead of Node.js, in this folder"""
        program = program or next(clients.modules.glob("node-linux-*/bin/node"))
        self.said = []
        self._lines = queue.Queue()
        self.process = subprocess.Popen([program, *arguments], cwd=folder or clients.folder,
                                        env=clients.environment | (own or {}), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for stream in (self.process.stdout, self.process.stderr):
            threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream):
        for line in stream:
            self.said.append(line)
            self._lines.put(line)

    def wait(self, wanted):
        """The next line that `wanted` accepts, as its value."""
        while True:
            try:
                value = wanted(self._lines.get(timeout=WAIT_S))
            except queue.Empty:
                raise AssertionError(f"nothing more after {''.join(self.said)[-3000:]}") from None
            if value:
                return value

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, message):
        self.send(message)
        return self.wait(lambda line: json.loads(line) if line.startswith("{") else None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def in_terminal(clients, folder, *command, own):
    """A program that signs in only if it has a terminal."""
    line = f"stty cols 4000 && exec {shlex.join(map(str, command))}"
    return Program(clients, "-qec", line, "/dev/null", own=own, program="script", folder=folder)


# -- the official SDKs --


def call(host):
    tool, arguments, result = HASH
    answer = host.ask({"do": "call", "tool": tool, "args": arguments})
    assert result in answer.get("said", ""), answer


def sign_in(host, owner, answer):
    assert "authorize" in answer, answer
    answer = host.ask({"do": "finish", "back": owner.agree(answer["authorize"])})
    assert answer.get("connected"), answer


def connect_sdk(clients, owner, library, options, url=None):
    """Connect, by registration or with the document at this URL, list, call; refresh; a second
    process with an older refresh token; a lost answer; disconnected, and signed in again."""
    shutil.copy(clients.source / "oauth.mjs", clients.folder)
    job = json.dumps({"library": library, "url": f"{owner.site.base_url}/mcp", "options": options, "document": url})
    with Program(clients, "oauth.mjs", job) as host, Program(clients, "oauth.mjs", job) as second:
        sign_in(host, owner, host.ask({"do": "connect"}))
        assert owner.client() == (HOST if url else "")
        assert HASH[0] in host.ask({"do": "list"})["tools"]
        call(host)
        before = host.ask({"do": "save"})["state"]
        second.ask({"do": "load", "state": before})
        assert second.ask({"do": "connect"}).get("connected")

        owner.age()
        call(host)  # 401, refresh, and the same call again
        after = host.ask({"do": "save"})["state"]["tokens"]
        assert after["access_token"] != before["tokens"]["access_token"]
        assert after["refresh_token"] != before["tokens"]["refresh_token"]
        call(second)  # its refresh token is the one before
        shared = second.ask({"do": "save"})["state"]["tokens"]
        assert [shared[name] for name in TOKENS] == [after[name] for name in TOKENS]

        owner.age()
        host.ask({"do": "drop"})
        lost = host.ask({"do": "call", "tool": HASH[0], "args": HASH[1]})
        assert "authorize" in lost or "failed" in lost, lost
        call(host)  # the same refresh token gets the same answer
        assert owner.grants() == [(1, 3, 3)], owner.grants()

        owner.disconnect()
        sign_in(host, owner, host.ask({"do": "call", "tool": HASH[0], "args": HASH[1]}))
        call(host)
        assert [grant[0] for grant in owner.grants()] == [2, 1]
    return "connect, list, call, refresh, second process, lost answer, disconnected, signed in again"


# -- certified libraries --


def connect_library(clients, owner, library, kind):
    """Sign in, refresh, revoke, with each answer checked; kind: see openid.mjs."""
    shutil.copy(clients.source / "openid.mjs", clients.folder)
    job = json.dumps({"library": library, "issuer": owner.site.base_url, "documents": f"https://{HOST}", "kind": kind})
    with Program(clients, "openid.mjs", job) as host:
        def ask(**message):
            answer = host.ask(message)
            assert "failed" not in answer, answer
            return answer

        url = ask(do="connect")["authorize"]
        first = ask(do="finish", back=owner.agree(url))["tokens"]
        assert first["scope"] == "utils account", first
        assert owner.client() == ("" if kind == "registered" else HOST)
        assert ask(do="ping")["status"] == 200
        owner.age()
        second = ask(do="refresh")["tokens"]
        assert all(second[name] != first[name] for name in TOKENS)
        assert ask(do="ping")["status"] == 200
        ask(do="revoke")
        assert ask(do="ping")["status"] == 401
        [(needs_key,)] = owner.ledger.rows("select needs_key from oauth_grant where account_id = %s", owner.member.account)
        assert needs_key == (kind == "signs")
    return "sign in, call, refresh, revoke"


# -- mcp-remote --


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as line:
        return line.getsockname()[1]


def initialize(program):
    def answer(line):
        message = json.loads(line) if line.startswith("{") else {}
        return message if "result" in message or "error" in message else None

    def ask(number, method, parameters):
        program.send({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
        return program.wait(answer)

    hello = ask(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                  "clientInfo": {"name": "check-clients", "version": "1"}})
    assert hello["result"]["serverInfo"]["name"] == "tollgate", hello
    program.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return ask


def call_by_line(ask):
    tool, arguments, result = HASH
    assert tool in [listed["name"] for listed in ask(2, "tools/list", {})["result"]["tools"]]
    assert result in json.dumps(ask(3, "tools/call", {"name": tool, "arguments": arguments}))


def remote(clients, owner, document_url=None):
    """Signs in; a second start, with another port for its redirect, needs no browser."""
    options = ("--client-metadata-url", document_url) if document_url else ()
    own = {"MCP_REMOTE_CONFIG_DIR": str(clients.folder / f"mcp-remote-{owner.member.account}")}
    path = (clients.modules / ".bin" / "mcp-remote").resolve()
    url = f"{owner.site.base_url}/mcp"
    with Program(clients, path, url, *options, own=own) as program:
        found = program.wait(URL.search)
        owner.follow(found[0])
        call_by_line(initialize(program))
    assert owner.client() == (HOST if document_url else "")
    owner.age()
    with Program(clients, path, url, str(free_port()), *options, own=own) as program:
        call_by_line(initialize(program))
        assert not any(URL.search(line) for line in program.said)
    assert [grant[0] for grant in owner.grants()] == [1]
    return "connect, list, call, second start"


# -- the Inspector --


def inspector(clients, owner):
    """The first command signs in, the next one uses the tokens that it stored."""
    path = (clients.modules / ".bin" / "mcp-inspector").resolve()
    home = clients.folder / f"inspector-{owner.member.account}"
    home.mkdir()
    own = {"HOME": str(home), "MCP_INSPECTOR_SECRET_STORE": "file", "CI": ""}
    arguments = ("--cli", f"{owner.site.base_url}/mcp", "--transport", "http", "--callback-url",
                 f"http://127.0.0.1:{free_port()}/oauth/callback", "--format", "json", "--method")
    node = next(clients.modules.glob("node-linux-*/bin/node"))
    with in_terminal(clients, home, node, path, *arguments, "tools/list", own=own) as program:
        owner.follow(program.wait(URL.search)[0])
        program.wait(lambda line: HASH[0] in line)
    with Program(clients, path, *arguments, "tools/call", "--tool-name", HASH[0], "--tool-arg", "input=abc",
                 own=own) as program:
        program.wait(lambda line: HASH[2] in line)
        assert not any(URL.search(line) for line in program.said)
    return "list, call"


# -- Claude Code --


def claude_code(clients, owner):
    """As people use it: add the server by its URL, sign in, and see it connected. Its own document
    is on the internet, so it gets another one."""
    program = next(clients.modules.glob("@anthropic-ai/claude-code-linux-*/claude"))
    home = clients.folder / f"claude-code-{owner.member.account}"
    home.mkdir()
    own = {"HOME": str(home), "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
           "MCP_OAUTH_CLIENT_METADATA_URL": document()}

    def say(*arguments):
        done = subprocess.run([program, "mcp", *arguments], cwd=home, env=clients.environment | own,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT_S)
        return done.stdout + done.stderr

    say("add", "--transport", "http", "tollgate", f"{owner.site.base_url}/mcp")
    assert "Needs authentication" in say("list")
    with in_terminal(clients, home, program, "mcp", "login", "tollgate", own=own) as login:
        owner.follow(login.wait(URL.search)[0])
        login.wait(lambda line: "uthenticat" in line)
        assert login.process.wait(WAIT_S) == 0, login.said
    listed = say("list")
    assert "Connected" in listed, listed
    assert owner.client() == HOST
    return "add, login, connected"


# -- the protocol's own suite --


def authorize(clients, owner):
    """The suite plays the client; the member's browser opens the URL that it prints."""
    port = free_port()
    app = App(owner.site, redirect=f"http://127.0.0.1:{port}/callback", name="The suite")
    path = (clients.modules / ".bin" / "conformance").resolve()
    with Program(clients, path, "authorization", "--url", owner.site.base_url, "--client-id", app.client_id,
                 "--port", str(port)) as program:
        owner.follow(program.wait(URL.search)[0])
        status = program.process.wait(WAIT_S)
    said = "".join(program.said)
    (clients.folder / "conformance-authorization.log").write_text(said)
    [total] = re.findall(r"^Total: (\d+ passed, \d+ failed)$", said, re.MULTILINE)
    assert status == 0 and total.endswith(", 0 failed"), said[-3000:]
    return total
