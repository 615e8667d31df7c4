"""tests/clients/run.py - third-party clients against the product: the official SDKs, the Inspector,
the protocol's conformance suite, linters of OpenAPI. apps.py has those that connect with OAuth.

    /usr/bin/python3 tests/clients/run.py [--build build] [--only NAME]

package-lock.json pins them (npm); they are installed into the build folder. Run by `make
check-clients`; `make test` has the same cases in Python (tests/api/agents).
"""

import argparse
import contextlib
import http.client
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

import apps  # noqa: E402
from kit.agents.host import Agent  # noqa: E402
from kit.client import Client  # noqa: E402
from kit.contracts import CONTRACTS, is_get  # noqa: E402
from kit.apps.app import App  # noqa: E402
from kit.load import metric  # noqa: E402
from kit.models.daemon import Daemon, NAME as AI_DAEMON  # noqa: E402
from kit.models.providers import USUAL  # noqa: E402
from kit.site import Account, Ledger, Site  # noqa: E402
from kit.world import World  # noqa: E402
from part import Failure, wait_for  # noqa: E402
from stack import Stack, interruptible  # noqa: E402

PINNED = Path(__file__).resolve().parent
INSIDE = {"egress.only": ["127.0.0.0/8", "::1"], "limits.unlimited_addresses": ["127.0.0.0/8"], "mcp.progress_ms": 500}
SDK_TIMEOUT_MS, LONG_CALL_MS = 4000, 10000
MODERN = "2026-07-28"
HASH = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"  # of hello
SCENARIOS = {
    "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
    MODERN: ["tools-list", "http-header-validation", "dns-rebinding-protection",
             "input-required-result-unsupported-methods", "caching", "server-stateless"],
}


class Clients:
    """A program from npm, run with the Node.js that npm installed."""

    source = PINNED

    def __init__(self, folder, ca_file):
        self.folder = folder
        self.modules = folder / "node_modules"
        self.environment = os.environ | {"NODE_EXTRA_CA_CERTS": str(ca_file), "NO_COLOR": "1", "HOME": str(folder),
                                         "REDOCLY_TELEMETRY": "off", "CI": "1"}

    def install(self):
        lock = (PINNED / "package-lock.json").read_text()
        done = self.folder / "installed.json"
        if done.exists() and done.read_text() == lock:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(PINNED / name, self.folder)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
                       cwd=self.folder, check=True, timeout=900)
        done.write_text(lock)

    def node(self, *arguments, package="node", stdin=None, seconds=300):
        """package: of the Node.js release, without the platform."""
        program = next(self.modules.glob(f"{package}-linux-*/bin/node"))
        return subprocess.run([program, *arguments], cwd=self.folder, env=self.environment,
                              input=stdin, capture_output=True, text=True, timeout=seconds)

    @contextlib.contextmanager
    def server(self, name, *arguments, says):
        """A program that keeps running, once it is ready."""
        program = next(self.modules.glob("node-linux-*/bin/node"))
        process = subprocess.Popen([program, (self.modules / ".bin" / name).resolve(), *arguments], cwd=self.folder,
                                   env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in process.stdout:
                if says in line:
                    break
            else:
                raise AssertionError(f"{name} has ended")
            threading.Thread(target=process.stdout.read, daemon=True).start()  # otherwise it would block on output
            yield
        finally:
            process.terminate()
            process.wait()

    def program(self, name, *arguments, seconds=300):
        return self.node((self.modules / ".bin" / name).resolve(), *arguments, seconds=seconds)

    def script(self, name, job):
        shutil.copy(PINNED / name, self.folder)
        done = self.node(name, stdin=json.dumps(job))
        assert done.returncode == 0, done
        return json.loads(done.stdout)


class Front(http.server.BaseHTTPRequestHandler):
    """Plain HTTP for the conformance suite, which cannot send our headers: adds the token and calls
    the edge."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        front = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        sent = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        if not re.fullmatch(rf"(localhost|127\.0\.0\.1):{front.server_port}", self.headers["Host"]):
            return self.say(403, [], b"")  # nginx would only serve its own names
        line = front.site.connection("127.0.0.1", 60)
        path, token = front.target
        line.request(self.command, path, body or None, sent | {"Authorization": f"Bearer {token}"})
        got = line.getresponse()
        content = got.read()
        line.close()
        return self.say(got.status, got.getheaders(), content)

    do_GET = do_POST = do_DELETE = do_OPTIONS = answer

    def say(self, status, headers, content):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Check:
    def __init__(self, site, clients, front, daemon):
        self.site, self.clients, self.front, self.daemon = site, clients, front, daemon
        self.ledger = Ledger(site.connect())
        self.api = Client(site)

    def open_account(self):
        return self.site.open_account(100000, limits_off=True)

    # -- the official SDKs --

    def sdk(self, library, mode):
        account = self.open_account()
        groups = {}
        for tool, contract in CONTRACTS.items():
            group = contract["group"]
            groups.setdefault(group, []).append([tool, contract["examples"][0]["request"]])
        url = f"{self.site.base_url}{account.path('mcp')}"
        said = self.clients.script("sdk.mjs", {"library": library, "mode": mode, "url": url, "token": account.token,
                                               "groups": groups})
        bad = {tool: result for tool, result in said["results"].items() if result["isError"]}
        assert not bad, bad
        assert set(said["listed"]) == {"account-credits", *CONTRACTS}, said["listed"]
        assert said["refusal"]["isError"] and said["refusal"]["said"].startswith("missing_field: "), said["refusal"]
        assert "Unknown tool" in said["unknown"], said["unknown"]
        assert "403" in said["other"] or "auth_invalid" in said["other"] or "token" in said["other"], said
        assert said["badFilter"] != "none", said["badFilter"]
        wanted = sum(contract["credits"] for contract in CONTRACTS.values())
        assert self.ledger.charged(account) == wanted, (self.ledger.charged(account), wanted)
        return f"{len(said['results'])} tools, {wanted} credits"

    def long_call(self, job):
        """Again, as a host would, while the ledger of a busy machine is late."""
        def said():
            result = self.clients.script("long.mjs", job)
            return None if "ledger_unavailable" in result.get("said", "") else result
        return wait_for(said, 60, "a ledger in time")

    def long_calls(self, library, mode):
        """A call of a model that takes longer than the SDK's timeout."""
        account = self.open_account()
        name = f"long-{library}-{'legacy' if mode == 'legacy' else 'modern'}"
        self.daemon.use(USUAL["providers"][0] | {"name": name, "timeout_ms": 30000})
        job = {"library": library, "mode": mode, "token": account.token, "tool": "ai-chat", "timeout_ms": SDK_TIMEOUT_MS,
               "url": f"{self.site.base_url}{account.path('mcp')}", "listens": True, "cancel_after": None,
               "arguments": {"prompt": f"[[stub:slow-{LONG_CALL_MS}]]"}}
        kept = self.long_call(job)
        assert kept.get("isError") is False and kept["ms"] > SDK_TIMEOUT_MS and len(kept["seen"]) > 2, kept
        assert all(event["total"] == 50 for event in kept["seen"]), kept
        assert self.ledger.charged(account) == 10
        other = self.open_account()
        deaf = self.long_call(job | {"listens": False, "token": other.token,
                                     "url": f"{self.site.base_url}{other.path('mcp')}"})
        assert "timed out" in deaf["thrown"].lower() and not deaf["seen"], deaf
        left = self.long_call(job | {"cancel_after": 2})
        assert "thrown" in left and len(left["seen"]) >= 2, left
        self.check_cancelled(account, name, 10, stops=mode != "legacy")
        return f"{len(kept['seen'])} events in {kept['ms'] / 1000:.0f} s"

    def check_cancelled(self, account, provider, charged, stops):
        """Revision 2026-07-28: the provider's work stops, at no charge. Before it: it goes on."""
        if not stops:
            wait_for(lambda: self.ledger.charged(account) == charged + 10, 30, "the cancelled call goes on")
            return
        series = f'tollgate_model_calls_total{{provider="{provider}",outcome="cancelled"}}'
        wait_for(lambda: self.counted(series) == 1, 15, "the provider's call is cancelled")
        wait_for(lambda: self.ledger.held(account) == 0, 10, "the hold is released")
        assert self.ledger.charged(account) == charged

    def counted(self, series):
        try:
            return metric(self.daemon.stack, AI_DAEMON, series)
        except Failure:
            return 0  # not yet

    # -- the Inspector --

    def inspector(self):
        account = self.open_account()
        url = f"{self.site.base_url}{account.path('mcp')}?groups=utils"

        def ask(*arguments):
            return self.clients.program("mcp-inspector", "--cli", url, "--transport", "http", "--header",
                                        f"Authorization: Bearer {account.token}", "--format", "json", *arguments)

        listed = ask("--method", "tools/list")
        assert listed.returncode == 0 and '"hash-generate"' in listed.stdout, listed
        called = ask("--method", "tools/call", "--tool-name", "hash-generate", "--tool-arg", "input=abc")
        assert called.returncode == 0 and "ba7816bf" in called.stdout, called
        refused = ask("--method", "tools/call", "--tool-name", "hash-generate", "--tool-arg", "algorithm=MD5",
                      "--tool-arg", "input=abc", "--tool-arg", "input_encoding=hex")
        assert refused.returncode == 5 and "invalid_value" in refused.stdout, refused
        assert self.ledger.charged(account) == 1
        return "list, call, isError"

    # -- the protocol's own suite --

    def conformance_of_headers(self):
        account = self.open_account()
        return self.conformance(account.path("mcp"), account.token)

    def conformance_of_apps(self):
        owner, app = self.owner(), App(self.site)
        app.finish(owner.visitor, app.consent_page(owner.visitor, scope=None))
        return self.conformance("/mcp", app.tokens["access_token"])

    def conformance(self, path, token):
        self.front.target = path, token
        shown = []
        for version, scenarios in SCENARIOS.items():
            for scenario in scenarios:
                done = self.clients.program(
                    "conformance", "server", "--url", f"http://localhost:{self.front.server_port}/mcp",
                    "--spec-version", version, "--scenario", scenario,
                    "--expected-failures", PINNED / "expected-failures.yaml")
                (self.clients.folder / f"conformance-{version}-{scenario}.log").write_text(done.stdout + done.stderr)
                passed = re.search(r"(\d+)/(\d+) passed|Passed: (\d+)/(\d+)", done.stdout)
                assert done.returncode == 0, f"{version} {scenario}: {done.stdout[-3000:]}{done.stderr[-500:]}"
                shown.append(f"{scenario} {passed[0] if passed else 'ok'}")
        return ", ".join(shown)

    # -- connected apps --

    def owner(self):
        return apps.Owner(self.site, self.ledger)

    def connect_sdk(self, library, options=None, url=None):
        return apps.connect_sdk(self.clients, self.owner(), library, options, url)

    def libraries(self):
        for library in ("oauth4webapi 3.8.8", "openid-client 6.9.0"):
            for kind in ("registered", "open", "signs"):
                yield f"oauth: {library}, {kind}", lambda library=library, kind=kind: apps.connect_library(
                    self.clients, self.owner(), library.split()[0], kind)

    # -- documents --

    def schemas(self):
        account = self.open_account()
        groups = {contract["group"] for contract in CONTRACTS.values()}
        tools = [tool for group in groups
                 for tool in Agent(self.api, account, query=f"?groups={group}&output=schema").tools()]
        said = self.clients.script("schemas.mjs", {"tools": tools, "openapi": self.api.get("/openapi.json").json()})
        assert said["faults"] == [], said["faults"]
        return f"{said['schemas']} tools, {said['patterns']} patterns"

    def openapi_file(self):
        file = self.clients.folder / "openapi.json"
        document = self.api.get("/openapi.json").body
        file.write_bytes(document.replace(self.site.base_url.encode(), b"https://tools.tollgate.dev"))  # a public one
        return file

    def spectral(self):
        shutil.copy(PINNED / "spectral.yaml", self.clients.folder)
        done = self.clients.program("spectral", "lint", self.openapi_file(), "--ruleset", "spectral.yaml",
                                    "--fail-severity", "warn")
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-500:]
        return "0 errors, 0 warnings"

    def redocly(self):
        done = self.clients.program("redocly", "lint", self.openapi_file(), "--extends", "recommended")
        said = done.stdout + done.stderr
        assert done.returncode == 0 and "warning" not in said.lower().replace("0 warnings", ""), said[-3000:]
        return "0 errors, 0 warnings"

    def prism(self):
        """Each tool's first example, a rejection of each status that a valid request can get, and
        the account's reads, through a proxy that rejects everything outside the document."""
        line = socket.create_server(("127.0.0.1", 0))
        port = line.getsockname()[1]
        line.close()
        with self.clients.server("prism", "proxy", self.openapi_file(), self.site.base_url, "--errors", "--host",
                                 "127.0.0.1", "--port", str(port), says="Prism is listening"):
            seen = [self.through(port, *question) for question in self.questions()]
        return f"{len(seen)} answers: " + ", ".join(f"{seen.count(status)} of {status}" for status in sorted(set(seen)))

    def questions(self):
        """(account, method, path, body or None, more header fields, status)"""
        rich, busy, poor = self.open_account(), self.site.open_account(), self.site.open_account(0)
        other = Account(rich.id, poor.token, "")
        tool, good = "tools/hash-generate", {"input": "a"}
        for name, contract in CONTRACTS.items():
            request = contract["examples"][0]["request"]
            query = "?" + urllib.parse.urlencode(request or {}) if is_get(contract) else ""
            yield rich, contract.get("method", "POST"), f"tools/{name}{query}", None if query else request, {}, 200
        for what in ("credits", "usage", "usage?group_by=day", "limits"):
            yield rich, "GET", f"account/{what}", None, {}, 200
        yield rich, "POST", "mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {}, 200
        yield other, "POST", "mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {}, 403
        yield rich, "POST", tool, good | {"algorithm": "crc64"}, {}, 400
        yield rich, "GET", "account/usage?from=2026-02-02&to=2026-02-01", None, {}, 400
        yield poor, "POST", tool, good, {}, 402
        yield other, "POST", tool, good, {}, 403
        yield rich, "POST", tool, {"input": "a" * 65536}, {}, 413
        yield rich, "POST", tool, good, {"Idempotency-Key": "k"}, 200
        yield rich, "POST", tool, {"input": "b"}, {"Idempotency-Key": "k"}, 422
        for n in range(31):
            yield busy, "POST", tool, good, {}, 200 if n < 30 else 429

    def through(self, port, account, method, path, body, headers, status):
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        sent = {"Authorization": f"Bearer {account.token}", "Content-Type": "application/json"} | headers
        line.request(method, account.path(path), None if body is None else json.dumps(body), sent)
        answer = line.getresponse()
        content = answer.read()
        line.close()
        assert answer.status == status and "problem" not in answer.headers["Content-Type"], (
            path, answer.status, content[:2000])
        return answer.status

    def typescript(self):
        made = self.clients.program("openapi-typescript", self.openapi_file(), "--output", "openapi.d.ts")
        assert made.returncode == 0, made
        account = self.site.open_account()
        demo = self.clients.folder / "demo.json"
        demo.write_text(json.dumps({"base_url": self.site.base_url, "account": account.id, "token": account.token}))
        ways = runners(ROOT / "examples" / "mcp-client.ts")
        programs = [PINNED / "openapi-fetch.ts", ROOT / "examples" / "mcp-client.ts"]
        for program in programs:
            self.compile(program)
        runs = [(program.name, package, runner) for program in programs for package, runner in ways]
        return ", ".join(self.example(*run, demo, 99 - paid) for paid, run in enumerate(runs))

    def compile(self, program):
        shutil.copy(program, self.clients.folder)
        done = self.clients.program("tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext",
                                    "--moduleResolution", "nodenext", "--allowImportingTsExtensions", "--types", "node",
                                    program.name)
        assert done.returncode == 0, done.stdout[-3000:]

    def example(self, name, package, runner, demo, left):
        """It does the same as the other examples (tests/api/clients/test_examples.py)."""
        said = self.clients.node(*runner, name, demo, package=package)
        lines = said.stdout.splitlines()
        assert said.returncode == 0 and lines[0] == f"hash: {HASH}" and lines[1].startswith("error: "), said
        assert lines[2:] == [f"credits: {left}"], said
        return f"{name} with {package}{' and tsx' if runner else ''}"

    def all(self):
        yield "sdk 1.32.2", lambda: self.sdk("sdk", "legacy")
        yield "client 2.4.0, legacy", lambda: self.sdk("client", "legacy")
        yield "client 2.4.0, auto", lambda: self.sdk("client", "auto")
        yield f"client 2.4.0, {MODERN}", lambda: self.sdk("client", {"pin": MODERN})
        yield "long calls: sdk 1.32.2", lambda: self.long_calls("sdk", "legacy")
        yield "long calls: client 2.4.0, legacy", lambda: self.long_calls("client", "legacy")
        yield f"long calls: client 2.4.0, {MODERN}", lambda: self.long_calls("client", {"pin": MODERN})
        yield "inspector 2.12.0", self.inspector
        yield "conformance 0.2.0-alpha.12", self.conformance_of_headers
        yield "oauth: conformance 0.2.0-alpha.12, server", self.conformance_of_apps
        yield "oauth: sdk 1.32.2", lambda: self.connect_sdk("sdk")
        yield "oauth: client 2.4.0, legacy", lambda: self.connect_sdk("client")
        pinned = {"versionNegotiation": {"mode": {"pin": MODERN}}}
        yield f"oauth: client 2.4.0, {MODERN}", lambda: self.connect_sdk("client", pinned)
        yield "oauth: sdk 1.32.2, document", lambda: self.connect_sdk("sdk", None, apps.document())
        yield "oauth: client 2.4.0, legacy, document", lambda: self.connect_sdk("client", None, apps.document())
        yield f"oauth: client 2.4.0, {MODERN}, document", lambda: self.connect_sdk("client", pinned, apps.document())
        yield from self.libraries()
        yield "oauth: mcp-remote 0.15.1", lambda: apps.remote(self.clients, self.owner())
        yield "oauth: mcp-remote 0.15.1, document", lambda: apps.remote(
            self.clients, self.owner(), apps.document("remote"))
        yield "oauth: inspector 2.12.0", lambda: apps.inspector(self.clients, self.owner())
        yield "oauth: Claude Code 2.1.332", lambda: apps.claude_code(self.clients, self.owner())
        yield "oauth: conformance 0.2.0-alpha.12", lambda: apps.authorize(self.clients, self.owner())
        yield "ajv 8", self.schemas
        yield "spectral 6.16.3", self.spectral
        yield "redocly 2.77.0", self.redocly
        yield "prism 5.16.0", self.prism
        yield "openapi-typescript 7.13.0, openapi-fetch 0.17.0", self.typescript


def runners(program):
    """(package of the Node.js, what runs the file) of each way that an example's header names: the
    oldest Node.js that reads types, the pinned newest one, and tsx with an older one."""
    header = program.read_text().partition("\nimport ")[0]
    pinned = json.loads((PINNED / "package.json").read_text())["optionalDependencies"]
    oldest = re.search(r"With Node\.js ([\d.]+) or newer:\n//     \S+ node ", header)
    older = re.search(r"Node\.js (\d+) does not read types\. There, run it with tsx:\n//     \S+ npx tsx ", header)
    assert oldest and pinned["node22-linux-x64"].endswith(f"@{oldest[1]}.0"), header
    assert older and f"@{older[1]}." in pinned["node20-linux-x64"], header
    return [("node22", []), ("node", []), ("node20", ["node_modules/tsx/dist/cli.mjs"])]


def front_of(site):
    front = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
    front.site, front.target = site, None
    threading.Thread(target=front.serve_forever, daemon=True).start()
    return front


def run(check, only):
    failed = 0
    for name, step in check.all():
        if only not in name:
            continue
        try:
            print(f"ok      {name}: {step()}", flush=True)
        except (AssertionError, Failure, subprocess.TimeoutExpired, http.client.HTTPException) as fault:
            failed += 1
            print(f"FAILED  {name}: {str(fault)[:4000]}", flush=True)
    return failed



def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--only", default="", help="those whose names have this in them")
    options = parser.parse_args()
    if not shutil.which("npm"):
        print("check-clients: skipped: no npm")
        return
    interruptible()
    world = World(tempfile.mkdtemp(prefix="tollgate-world-"))
    front = front_of(None)
    origins = [f"http://{name}:{front.server_port}" for name in ("localhost", "127.0.0.1")]
    stack = Stack(tempfile.mkdtemp(prefix="tollgate-clients-"), str(options.build.resolve()),
                  settings=INSIDE | world.settings | {"mcp.allowed_origins": origins}, gateways=2, daemons=1, portals=2)
    with world, stack:
        site = front.site = Site.of(stack, world)
        clients = Clients(options.build.resolve() / "clients", site.ca_file)
        clients.install()
        daemon = Daemon(stack, world.directory, world.models)
        failed = run(Check(site, clients, front, daemon), options.only)
    stack.remove()
    world.remove()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
