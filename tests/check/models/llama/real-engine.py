"""tests/check/models/llama/real-engine.py - the text tools of svc-ai with a real engine, llama.cpp.

    /usr/bin/python3 tests/check/models/llama/real-engine.py [--build build]

Stubs write what we expect of an engine. Here llama.cpp (npm's node-llama-cpp, pinned by
package-lock.json, installed into the build folder) runs a model that llama/bigram.py writes.
It knows nothing, but it counts tokens, obeys grammars, stops at limits, and works until its client
leaves. Its answers differ from what a tool wants: then the call must be free.

Run by `make check`.
"""

import argparse
import http.client
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

import bigram  # noqa: E402
from kit.agents.host import Agent  # noqa: E402
from kit.client import Client  # noqa: E402
from kit.contracts import CONTRACTS, PATIENT_MS, copy_contracts  # noqa: E402
from kit.models import daemon as daemons, providers  # noqa: E402
from kit.models.ways import WAYS  # noqa: E402
from kit.schema import faults  # noqa: E402
from kit.site import Ledger, Site  # noqa: E402
from part import Failure, Part, wait_for  # noqa: E402
from ports import Ports  # noqa: E402
from stack import Stack, interruptible  # noqa: E402

PINNED = Path(__file__).resolve().parent
TEXT = ("The bakery on Mill Street sells about 300 loaves of rye bread each morning. It opened in 1987, and "
        "its owner, Ada Moreau, still bakes at three o'clock. Call +49 30 1234567 before noon to order.")
TOOLS = sorted(WAYS.keys() - {"ai-image-generate", "ai-alt-text"})  # those need pictures
CHAT, SHAPED = "ai-chat", "ai-extract"
TRIES = 40  # such a model gives a good result by luck only; each bad one must be free
TIMEOUT_MS = PATIENT_MS - 10000  # of a provider: a busy machine is slow
# Schemas of customers, with keywords that reach the engine. Lengths and formats do not, so a model
# that knows nothing would rarely hold them.
SCHEMAS = [
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    {"type": "object", "properties": {"kind": {"enum": ["bread", "cake"]}, "is_open": {"type": "boolean"}},
     "required": ["kind", "is_open"]},
    {"type": "object", "properties": {"city": {"type": ["string", "null"]}, "since": {"type": "integer"}},
     "required": ["city", "since"], "additionalProperties": False},
    {"type": "object", "properties": {"tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}}},
     "required": ["tags"]},
    {"type": "object", "properties": {"owner": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
     "required": ["owner"]},
    {"type": "object", "properties": {"version": {"const": "v1"}}, "required": ["version"]},
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/word"}}, "required": ["a"], "$defs": {"word": {"type": "string"}}},
]


def texts():
    """What the bigram is made of: the tools' good answers, compact, and a little prose."""
    for file in sorted(ROOT.glob("svc-ai/*/tests/answer.*")):
        text = file.read_text(encoding="utf-8")
        yield json.dumps(json.loads(text), separators=(",", ":")) if file.suffix == ".json" else text
    yield TEXT


class Engine:
    """llama.cpp, installed exactly as in the lock file, and running the model."""

    def __init__(self, build, directory):
        home = build / "llama"
        self.install(home)
        shutil.copy(PINNED / "server.mjs", home)
        model = directory / "bigram.gguf"
        bigram.write(model, texts())
        self.ports = Ports()  # reserved until the process ends
        self.port = self.ports.reserve()
        node = next(home.glob("node_modules/node-linux-*/bin/node"))
        self.part = Part("llama", [node, home / "server.mjs", model, self.port], directory / "llama.log",
                         lambda: self.log() is not None)

    @staticmethod
    def install(home):
        lock = (PINNED / "package-lock.json").read_text()
        done = home / "installed.json"
        if done.exists() and done.read_text() == lock:
            return
        (home / "none").mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json", "none/package.json"):  # none: instead of packages for GPUs
            shutil.copy(PINNED / name, home / name)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=home, check=True)
        done.write_text(lock)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def log(self):
        """Each request that it got, with what happened to it; None: it is not running."""
        try:
            line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            line.request("GET", "/log")
            return json.loads(line.getresponse().read())
        except OSError:
            return None


def provider(model="bigram", **more):
    return {"name": model, "type": "openai", "base": "/v1", "model": model, "timeout_ms": TIMEOUT_MS, **more}


class Check:
    def __init__(self, here, daemon, engine):
        self.here, self.daemon, self.engine = here, daemon, engine
        self.ledger = Ledger(here.connect())
        self.account = here.open_account(1_000_000, limits_off=True)

    def use(self, *listed):
        self.daemon.use(*listed, cooldown_ms=0)

    @staticmethod
    def ask(call):
        """The answer; again, as a client would, while a busy machine is late."""
        late = (["ledger_unavailable"], ["deadline_exceeded"])
        return wait_for(lambda: answer if (answer := call()).codes not in late else None, 60, "an answer in time")

    def call(self, tool, request):
        """The answer, and what the engine did for it."""
        charged = self.ledger.charged(self.account)

        def call():
            nonlocal before
            before = len(self.engine.log())
            return Client(self.here).call(self.account, tool, request)

        before = 0
        answer = self.ask(call)
        price = CONTRACTS[tool]["credits"] if answer.status_code == 200 else 0
        assert answer.status_code == 200 or answer.codes == ["provider_error"], answer
        assert self.ledger.charged(self.account) - charged == price, answer
        return answer, self.engine.log()[before:]

    def shaped(self, tool, request):
        """A call with a grammar: good and valid, or free. Returns whether it is good."""
        answer, asked = self.call(tool, request)
        kinds = {entry["format"] for entry in asked}
        assert kinds == ({"text"} if tool == CHAT and "json_schema" not in request else {"json_schema"}), asked
        assert not [entry for entry in asked if entry["end"].startswith("failed")], asked  # not of a grammar, either
        if answer.status_code != 200:
            return False
        wrong = list(faults(CONTRACTS[tool]["result"], answer.result))
        assert not wrong, wrong
        assert asked[-1]["end"] == "stop" or tool == CHAT, asked
        meta = answer.result["meta"]
        assert not meta["repaired"], (answer.result, asked)
        assert meta["output_tokens"] == sum(entry["tokens"] for entry in asked) > 0, (meta, asked)  # also of lost answers
        return True

    def first_good(self, tool, request):
        """How many calls the first good result took."""
        for tries in range(1, TRIES + 1):
            if self.shaped(tool, request):
                return tries
        raise AssertionError(f"{tool}: none of {TRIES} calls was good: {self.engine.log()[-2:]}")

    # -- the checks; each returns a line --

    def tools(self):
        self.use(provider())
        return ", ".join(f"{tool} {self.first_good(tool, WAYS[tool](TEXT))}" for tool in TOOLS)

    def schemas(self):
        self.use(provider())
        tries = [self.first_good(CHAT, {"prompt": TEXT, "json_schema": schema}) for schema in SCHEMAS]
        tries += [self.first_good(SHAPED, {"text": TEXT, "schema": schema}) for schema in SCHEMAS]
        return f"{len(tries)} of customers, {sum(tries)} calls"

    def cut(self):
        """20 tokens are a text that says so, and no result of any shape."""
        self.use(provider("short"))
        for tool in TOOLS:
            answer, asked = self.call(tool, WAYS[tool](TEXT))
            assert {entry["end"] for entry in asked} <= {"length"} or tool == CHAT, (tool, asked)
            if tool == CHAT and answer.status_code == 200 and asked[-1]["end"] == "length":
                assert answer.result["finish_reason"] == "length", answer
            if tool != CHAT:
                assert answer.codes == ["provider_error"] and len(asked) == 2, (tool, answer, asked)
        return f"{len(TOOLS)} tools"

    def late(self):
        """A provider's time is over: the engine stops, and the call is free."""
        self.use(provider("endless", timeout_ms=2000))
        before = len(self.engine.log())
        answer, _ = self.call(CHAT, {"prompt": TEXT})
        assert answer.codes == ["provider_error"], answer
        wait_for(lambda: {entry["end"] for entry in self.engine.log()[before:]} == {"cancelled"}, 20, "the engine stops")
        return f"{[entry['tokens'] for entry in self.engine.log()[before:]]} tokens, then cancelled"

    def streamed(self):
        """A long call of an agent whose stream has begun; None: the ledger of a busy machine is
        late."""
        agent = Agent(Client(self.here), self.account, "modern")
        message = agent.message_of("tools/call", {"name": CHAT, "arguments": {"prompt": TEXT}}, {"progressToken": 1})
        line = agent.api.connect()
        headers = {"Authorization": f"Bearer {self.account.token}", "Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream"}
        line.request("POST", agent.path, json.dumps(message).encode(), headers | agent.head_of(message))
        response = line.getresponse()
        first = response.readline()
        assert first == b"event: message\n" or b"ledger_unavailable" in first, (response.status, first)
        return (line, response) if first == b"event: message\n" else None

    def cancelled(self):
        """An agent of revision 2026-07-28 leaves: the engine stops, and the call is free."""
        self.use(provider("endless"))
        before, charged = len(self.engine.log()), self.ledger.charged(self.account)
        line, response = wait_for(self.streamed, 60, "a stream, not a rejection")
        wait_for(lambda: any(entry["tokens"] > 0 for entry in self.engine.log()[before:]), 30, "the engine works")
        line.sock.close()
        response.close()
        line.close()
        wait_for(lambda: {entry["end"] for entry in self.engine.log()[before:]} == {"cancelled"}, 30, "the engine stops")
        wait_for(lambda: self.ledger.held(self.account) == 0, 10, "the hold is released")
        assert self.ledger.charged(self.account) == charged
        return f"{[entry['tokens'] for entry in self.engine.log()[before:]]} tokens, then cancelled"


def run(build, directory):
    engine = Engine(build, directory)
    providers.write(directory, engine.url, {"providers": [provider()]})
    copy_contracts(directory / "contracts", TOOLS)
    settings = {"contracts_dir": str(directory / "contracts"), "egress.only": ["127.0.0.0/8", "::1"], "mcp.progress_ms": 300} | daemons.settings(directory)
    failed = 0
    engine.part.start()
    engine.part.wait_ready()
    try:
        with Stack(directory / "stack", build, settings=settings, groups={"ai"}) as stack:
            check = Check(Site.of(stack), daemons.Daemon(stack, directory, engine.url), engine)
            for step in (check.tools, check.schemas, check.cut, check.late, check.cancelled):
                try:
                    print(f"ok      {step.__name__}: {step()}", flush=True)
                except (AssertionError, Failure) as fault:
                    failed += 1
                    print(f"FAILED  {step.__name__}: {str(fault)[:3000]}", flush=True)
        stack.remove()
    finally:
        engine.part.stop()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    build = parser.parse_args().build.resolve()
    interruptible()
    directory = Path(tempfile.mkdtemp(prefix="tollgate-real-engine-"))
    if run(build, directory):
        sys.exit(f"logs are in {directory}")
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
