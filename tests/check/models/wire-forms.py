"""tests/check/models/wire-forms.py - the tools of svc-ai with a third-party provider, in both
wire forms.

    /usr/bin/python3 tests/check/models/wire-forms.py [--build build]

tests/kit/models/stub.py is our reading of the forms. This check uses aimock, which is made for the
clients of the real providers (npm, pinned by aimock/package-lock.json, installed into the build
folder). Each case has its responses in aimock's fixtures file, and a unique model name, by which
aimock finds them.

Run by `make check`.
"""

import argparse
import base64
import dataclasses
import http.client
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

from kit.client import Client  # noqa: E402
from kit.contracts import CONTRACTS  # noqa: E402
from kit.models import daemon as daemons, providers  # noqa: E402
from kit.models.ways import PICTURE, WAYS  # noqa: E402
from kit.schema import faults  # noqa: E402
from kit.site import Site  # noqa: E402
from part import Part  # noqa: E402
from ports import port_is_free  # noqa: E402
from stack import Stack, interruptible  # noqa: E402

PINNED = ROOT / "tests/check/models/aimock"
GOOD = {file.parent.parent.name: file.read_text().strip() for file in ROOT.glob("svc-ai/*/tests/answer.*")}
BASES = {"openai": "/v1", "anthropic": ""}
TIMEOUT_MS = 1500
SHAPED, FREE = "ai-code-review", "ai-chat"  # an answer of a shape, and a text
USAGE = {"prompt_tokens": 123, "completion_tokens": 45, "input_tokens": 123, "output_tokens": 45}


@dataclasses.dataclass
class Case:
    title: str
    tool: str
    answers: list               # aimock's, one for each request; each a fixture without its match
    want: str = ""              # the code of the refusal; "": 200
    more: dict = dataclasses.field(default_factory=dict)  # of the request
    check: dict = dataclasses.field(default_factory=dict)  # members of the result, by their names with dots
    forms: tuple = ("openai", "anthropic")
    calls: int = 0              # how many requests aimock must get; 0: any number


# ---- aimock's responses ----

def says(content, **more):
    return {"response": {"content": content, **more}}


def calls_tool(name, arguments, **more):
    return {"response": {"toolCalls": [{"name": name, "arguments": arguments}], **more}}


def fails(status, message="no", retry_after=None, **error):
    response = {"error": {"message": message, "type": "invalid_request_error", **error}, "status": status}
    return {"response": response | ({"retryAfter": retry_after} if retry_after else {})}


def with_chaos(answer, **chaos):
    return {**answer, "chaos": chaos}


def good_answers():
    """Each tool that uses a chat model, with its answer as text and in the schema mode of each
    form."""
    for tool in sorted(WAYS.keys() - {"ai-image-generate"}):
        yield Case(f"{tool}, as text", tool, [says(GOOD[tool], usage=USAGE)],
                   check={"meta.input_tokens": 123, "meta.output_tokens": 45, "meta.repaired": False}, calls=1)
        if tool != FREE:
            yield Case(f"{tool}, as the call of its tool", tool, [calls_tool(tool, GOOD[tool])], forms=("anthropic",), calls=1)


def ways_to_write():
    good = GOOD[SHAPED]
    yield Case("in a code fence", SHAPED, [says(f"```json\n{good}\n```")], calls=1)
    yield Case("with words around it", SHAPED, [says(f"Sure:\n\n{good}\n\nAnything else?")], calls=1)
    yield Case("in single quotes", SHAPED, [says(good.replace('"', "'"))], check={"meta.repaired": True})
    yield Case("behind a thought", SHAPED, [says(f"<think>{{\"a\": 1}}</think>{good}")], calls=1)
    yield Case("with a separate field for thoughts", SHAPED, [says(good, reasoning="{\"issues\": 1}")], calls=1)
    yield Case("a thought alone", SHAPED, [says(" ", reasoning=good)], "provider_error")
    yield Case("text before the call", SHAPED, [{"response": {"content": "Let me see.", "toolCalls": [
        {"name": SHAPED, "arguments": good}]}}], forms=("anthropic",), calls=1)
    yield Case("a call that nobody asked for", FREE, [calls_tool("pay", "{}")], "provider_error")
    yield Case("no text", FREE, [says(" ")], "provider_error")
    yield Case("text of all planes", FREE, [says("Grüße, 世界 🌍")], check={"content": "Grüße, 世界 🌍"})
    yield Case("JSON when it was asked for", FREE, [says('{"a": [1, 2]}')], more={"response_format": "json"},
               check={"json": {"a": [1, 2]}})
    yield Case("another shape, then ours", SHAPED, [says("[]"), says(good)], check={"meta.attempts": 2})
    yield Case("another shape, always", SHAPED, [says("[]")], "provider_error", calls=2)


def ways_to_end():
    good = GOOD[SHAPED]
    yield Case("cut, then whole", SHAPED, [says(good[:60], finishReason="length"), says(good)], check={"meta.attempts": 2})
    yield Case("cut, always", SHAPED, [says(good, finishReason="length")], "provider_error", calls=2)
    yield Case("a text that is cut", FREE, [says("Once upon", finishReason="length")], check={"finish_reason": "length"})
    yield Case("filtered", FREE, [says(" ", finishReason="content_filter")], "model_refused", forms=("openai",))
    yield Case("refused", FREE, [says(" ", finishReason="refusal")], "model_refused", forms=("anthropic",))


def ways_to_fail():
    for status in (401, 402, 403, 404, 413, 418):
        yield Case(f"{status}", FREE, [fails(status)], "provider_rejected", calls=1)
    yield Case("400", FREE, [fails(400)], "provider_rejected", calls=1)
    yield Case("400 of a filter", FREE, [fails(400, code="content_filter", type="content_filter")], "model_refused", calls=1,
               forms=("openai",))
    for status in (408, 429, 500, 502, 503, 529):
        yield Case(f"{status}", FREE, [fails(status)], "provider_error", calls=2)
    yield Case("429 once", FREE, [fails(429, retry_after=1), says("Hello.")], check={"content": "Hello."}, calls=2)
    yield Case("429 for long", FREE, [fails(429, retry_after=100)], "provider_error", calls=1)
    yield Case("500 once", FREE, [fails(500), says("Hello.")], check={"content": "Hello."}, calls=2)
    yield Case("no JSON", FREE, [with_chaos(says("Hello."), malformedRate=1)], "provider_error")
    yield Case("no answer", FREE, [with_chaos(says("Hello."), disconnectRate=1)], "provider_error")
    yield Case("slow", FREE, [with_chaos(says("Hello."), latencyMs=700)], check={"content": "Hello."}, calls=1)
    yield Case("too slow", FREE, [with_chaos(says("Hello."), latencyMs=TIMEOUT_MS + 1500)], "provider_error")


def ways_to_learn():
    unknown = fails(400, "Unknown parameter: 'response_format', 'tools' or 'tool_choice'.")
    yield Case("a schema that it does not know", SHAPED, [unknown, says(GOOD[SHAPED])])
    yield Case("an unsupported temperature", FREE, [fails(400, "'temperature' is not supported."), says("Hello.")],
               calls=2)


def pictures():
    forms = ("openai",)
    tool = "ai-image-generate"
    yield Case("a picture", tool, [{"response": {"image": {"b64Json": PICTURE, "revisedPrompt": "A loaf."}}}], forms=forms,
               check={"size": "2x2", "revised_prompt": "A loaf.", "images.0.b64_json": PICTURE}, calls=1)
    yield Case("an invalid picture", tool, [{"response": {"image": {"b64Json": base64.b64encode(b"<svg/>").decode()}}}],
               "provider_error", forms=forms)
    yield Case("a declined picture", tool, [fails(400, code="moderation_blocked")], "model_refused", forms=forms)
    yield Case("a picture, 500", tool, [fails(500)], "provider_error", forms=forms)


def all_cases():
    for kind in (good_answers, ways_to_write, ways_to_end, ways_to_fail, ways_to_learn, pictures):
        yield from kind()


# ---- aimock ----

def model_of(form, number):
    return f"{form}-model-{number}"


def fixtures(cases):
    """For each case and form, its responses in order."""
    listed = []
    for number, case in enumerate(cases):
        for form in case.forms:
            for place, answer in enumerate(case.answers):
                match = {"model": model_of(form, number)}
                if case.tool == "ai-image-generate":
                    match["endpoint"] = "image"
                if len(case.answers) > 1:
                    match["sequenceIndex"] = place
                listed.append({"match": match, **answer})
    return listed


class Aimock:
    """Installed, exactly as in the lock file, and running."""

    def __init__(self, build, directory, listed):
        home = build / "aimock"
        home.mkdir(exist_ok=True)
        for file in PINNED.iterdir():
            shutil.copy(file, home)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=home, check=True)
        file = directory / "fixtures.json"
        file.write_text(json.dumps({"fixtures": listed}))
        self.port = next(port for port in iter(lambda: random.randrange(20000, 32000), None) if port_is_free(port))
        program = home / "node_modules/@copilotkit/aimock/dist/cli.cjs"  # cli.js needs a newer Node.js than Debian 12 has
        self.part = Part("aimock", ["node", program, "--host", "127.0.0.1", "--port", self.port, "--fixtures", file,
                                    "--journal-max", 0, "--log-level", "warn"],
                         directory / "aimock.log", lambda: self.get("/health") is not None,
                         env={"AIMOCK_API_KEYS": providers.KEY})

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def get(self, path):
        try:
            line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            line.request("GET", path, headers={"Authorization": f"Bearer {providers.KEY}"})
            return line.getresponse().read()
        except OSError:
            return None

    def asked(self, model):
        """The requests that it got for a model."""
        return [entry for entry in json.loads(self.get("/__aimock/journal")) if entry["body"]["model"] == model]


# ---- checks ----

def member(tree, name):
    for part in name.split("."):
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree


def problems_of(case, answer, asked):
    """What differs from the expectation."""
    price = 0 if case.want else CONTRACTS[case.tool]["credits"]
    codes = [] if answer.status_code == 200 else answer.codes
    if codes != ([case.want] if case.want else []):
        yield f"is {answer.status_code} {codes}"
        return
    if answer.headers["X-Credits-Charged"] != str(price):
        yield f"costs {answer.headers['X-Credits-Charged']}"
    if not case.want:
        yield from faults(CONTRACTS[case.tool]["result"], answer.result)
        yield from (f"{name} is {member(answer.result, name)!r}" for name, value in case.check.items()
                    if member(answer.result, name) != value)
    if case.calls and len(asked) != case.calls:
        yield f"was asked {len(asked)} times"
    yield from ("streams" for entry in asked if entry["body"].get("stream"))


def provider(form, model, **more):
    also = {"image_model": model} if form == "openai" else {}
    return {"name": form, "type": form, "base": BASES[form], "model": model, "vision_model": model,
            "timeout_ms": TIMEOUT_MS, **also, **more}


def run_case(here, account, aimock, daemon, model, case):
    """With a new provider, which has learned nothing from the previous case."""
    daemon.use(provider(model.partition("-")[0], model), cooldown_ms=0)
    answer = Client(here).call(account, case.tool, WAYS[case.tool]("A loaf of bread.") | case.more)
    return [f"{model}: {case.title}: {problem}" for problem in problems_of(case, answer, aimock.asked(model))]


def run_others(here, account, daemon, form):
    """An unknown key, an unknown model, failover to the other form, and moderation."""
    other = next(name for name in BASES if name != form)
    wrong = daemon.folder / "wrong.key"
    wrong.write_text("sk-not-this-one\n")

    def ask(tool, request, *listed):
        daemon.use(*listed, cooldown_ms=0)
        return Client(here).call(account, tool, request)

    answer = ask(FREE, {"prompt": "Hello."}, provider(form, "kind", api_key_file=str(wrong)))
    if answer.codes != ["provider_rejected"]:
        yield f"{form}: a key that is not known: {answer}"
    answer = ask(FREE, {"prompt": "Hello."}, provider(form, "nobody"))
    if answer.codes != ["provider_rejected"]:
        yield f"{form}: a model that nobody has: {answer}"
    answer = ask(FREE, {"prompt": "Hello."}, provider(form, "broken"), provider(other, "kind"))
    if answer.status_code != 200 or answer.result["meta"]["model"] != "kind":
        yield f"{form}: the other form is not asked next: {answer}"
    if form == "openai":
        answer = ask("ai-moderation", {"text": "Hello."}, provider(form, "kind", moderation_model="judge"))
        if answer.status_code != 200 or answer.result["source"] != "moderation_api" or answer.result["flagged"]:
            yield f"{form}: moderation: {answer}"


def run(build, directory):
    cases = list(all_cases())
    others = [{"match": {"model": "broken"}, **fails(503)}, {"match": {"model": "kind"}, **says("Hello.")}]
    aimock = Aimock(build, directory, fixtures(cases) + others)
    providers.write(directory, aimock.url, {"providers": [provider("openai", "kind")]})
    problems, count = [], 0
    aimock.part.start()
    aimock.part.wait_ready()
    try:
        with Stack(directory / "stack", build, settings={"egress.only": ["127.0.0.0/8", "::1"]} | daemons.settings(directory)) as stack:
            here, daemon = Site.of(stack), daemons.Daemon(stack, directory, aimock.url)
            account = here.open_account(1_000_000, limits_off=True)
            for number, case in enumerate(cases):
                for form in case.forms:
                    problems += run_case(here, account, aimock, daemon, model_of(form, number), case)
                    count += 1
            for form in BASES:
                problems += run_others(here, account, daemon, form)
        stack.remove()
    finally:
        aimock.part.stop()
    return count, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    build = parser.parse_args().build.resolve()
    interruptible()
    directory = Path(tempfile.mkdtemp(prefix="tollgate-wire-forms-"))
    count, problems = run(build, directory)
    for problem in problems:
        print(problem)
    print(f"{count} cases of {len(BASES)} wire forms, {len(problems)} problems")
    if problems:
        sys.exit(f"logs are in {directory}")
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
