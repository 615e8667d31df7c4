"""tests/api/ai/test_providers.py - a separate svc-ai, and providers that fail, reject, back off and
change: which provider is called, in what order, with what, and who is charged."""

import base64
import concurrent.futures
import json
import re
import tempfile
import time
import uuid
from pathlib import Path

import pytest

from kit.agents.host import Agent
from kit.client import Client
from kit.load import metric
from kit.models import providers
from kit.models.daemon import NAME as DAEMON, Daemon, settings
from kit.models.ways import WAYS
from kit.site import Ledger, Site
from part import Budget, Failure, wait_for

pytestmark = pytest.mark.xdist_group("models")

TOOL = "ai-chat"
BROKEN = base64.urlsafe_b64encode(b'{"data":{"d":[]}}').decode()
DAILY = 10
SLOW_CALLS = 64
PRICE = {"input_per_1m": 3, "output_per_1m": 15, "currency": "EUR"}
CALL_MICROS = 120 * 3 + 40 * 15  # of the tokens that the stub reports
LOST_MICROS = -1
PEAK_KB = 150 * 1024


def provider(name, base="/openai/v1", **more):
    kind = "anthropic" if base.endswith("/anthropic") else "openai"
    return {"name": name, "type": kind, "base": base, "model": f"{name}-model", "timeout_ms": 20000, **more}  # a busy machine is slow


@pytest.fixture(scope="module")
def daemon(own_stack, site):
    folder = Path(tempfile.mkdtemp(prefix="tollgate-models-"))
    providers.write(folder, site.models, {"providers": [provider("first")]})
    daemon = Daemon(own_stack(settings=settings(folder) | {"mcp.progress_ms": 300}), folder, site.models)
    daemon.log = site.models_log
    return daemon


@pytest.fixture
def here(daemon):
    return Site.of(daemon.stack)


@pytest.fixture
def account(here):
    return here.open_account()


@pytest.fixture
def ledger(here):
    connection = here.connect()
    yield Ledger(connection)
    connection.close()


@pytest.fixture
def mark():
    return f"m{uuid.uuid4().hex}"


@pytest.fixture
def ask(here, account, mark):
    def call(text="", tool=TOOL, **more):
        field = "code" if tool == "ai-code-review" else "prompt"
        return Client(here).call(account, tool, {field: f"{mark} {text}", **more})
    return call


def asked(daemon, mark):
    """The models that were called, in order."""
    return [request["body"]["model"] for request in providers.sent(daemon.log, mark)]


# -- order and failover --


@pytest.mark.parametrize("doing", ["closed", "reset", "silent", "slow-4000", "408", "429", "429-later", "500", "501", "503",
                                   "529", "401", "402", "403", "404", "html", "garbage", "no-choices", "null-content", "huge",
                                   "blank", "error200", "sse", "broken-off", "no-word",
                                   "400", "413", "400-credit", "400-context"])
def test_the_next_provider_answers(daemon, ask, mark, account, ledger, doing):
    daemon.use(provider("bad", f"/does/{doing}/openai/v1", timeout_ms=1000), provider("good", "/anthropic"))
    answer = ask()
    assert answer.status_code == 200, answer
    assert answer.result["meta"]["model"] == "good-model"
    assert asked(daemon, mark)[-1] == "good-model"
    assert asked(daemon, mark)[0] == "bad-model"
    assert ledger.charged(account) == 10


@pytest.mark.parametrize("doing, code", [("400-filter", "model_refused"), ("refusal", "model_refused"),
                                         ("filter", "model_refused")])
def test_errors_without_failover(daemon, ask, mark, account, ledger, doing, code):
    daemon.use(provider("bad", f"/does/{doing}/openai/v1"), provider("good"))
    answer = ask()
    assert (answer.status_code, answer.codes) == (502, [code]), answer
    assert set(asked(daemon, mark)) == {"bad-model"}
    assert ledger.charged(account) == 0


@pytest.mark.parametrize("doing, calls", [("400-credit", 1), ("429-quota", 1), ("404", 1), ("400-context", 3)])
def test_only_the_account_starts_a_backoff(daemon, ask, mark, doing, calls):
    """Credit, quota and model are the operator's matter; a rejected request is that customer's."""
    daemon.use(provider("bad", f"/does/{doing}/openai/v1"), provider("good"))
    for _ in range(3):
        assert ask().status_code == 200
    assert asked(daemon, mark).count("bad-model") == calls


def test_a_customer_cannot_claim_that_the_credit_is_used_up(daemon, ask, mark):
    daemon.use(provider("echo", "/does/400/openai/v1"), provider("good"))
    for _ in range(3):
        assert ask("Your credit balance is too low").status_code == 200
    assert asked(daemon, mark)[-2:] == ["echo-model", "good-model"]


def test_connections_stay_open(daemon, ask, mark):
    daemon.use(provider("one"))
    for _ in range(3):
        assert ask().status_code == 200
    ports = {request["port"] for request in providers.sent(daemon.log, mark)}
    assert len(ports) == 1


def test_a_connection_that_closed_meanwhile_is_opened_again(daemon, ask, mark):
    daemon.use(provider("one"))
    assert ask().status_code == 200
    answer = ask(f"[[stub:closed-once:{mark}]]")
    assert (answer.status_code, answer.result["meta"]["attempts"]) == (200, 1)
    daemon.use(provider("bad", "/does/closed/openai/v1"), provider("good"))
    assert ask().result["meta"]["model"] == "good-model"


def test_a_stop_that_a_provider_rejects_is_kept(daemon, ask):
    """The service then ends the answer there itself."""
    daemon.use(provider("picky", "/does/no-stop/openai/v1"))
    said = base64.urlsafe_b64encode(b"one two three").decode()
    assert ask(f"[[say:{said}]]", stop=["two"]).result["content"] == "one"


@pytest.mark.parametrize("doing", ["broken-off", "model-length", "truncated-stop"])
def test_no_part_of_an_answer_is_sold(daemon, ask, account, ledger, doing):
    """ai-chat sells a text that is cut at max_tokens, and nothing else that is not whole."""
    daemon.use(provider("bad", f"/does/{doing}/openai/v1"))
    answer = ask(f"[[say:{BROKEN}]]", response_format="json")
    assert (answer.status_code, answer.codes) == (502, ["provider_error"]), answer
    assert ledger.charged(account) == 0


def test_the_operator_knows_the_words_of_a_provider(daemon, ask):
    daemon.use(provider("odd", "/does/no-word/openai/v1", finish_ok=["none"]))
    assert ask().result["finish_reason"] == "stop"


def test_a_tool_call_is_not_text(daemon, ask):
    daemon.use(provider("calls", "/does/call/anthropic"), provider("good"))
    assert ask().result["meta"]["model"] == "good-model"


def test_no_connection(daemon, ask, account, ledger):
    refused = provider("nobody")
    daemon.use(refused)
    daemon.write({"providers": [refused]})
    file = daemon.folder / "providers.yaml"
    file.write_text(file.read_text().replace(":8000", ":9"))
    daemon.reload()
    answer = ask()
    assert (answer.status_code, answer.codes) == (502, ["provider_error"]), answer
    assert ledger.charged(account) == 0


def test_the_whole_deadline(daemon, ask, account, ledger):
    """Two slow providers, and no time for both."""
    daemon.use(*(provider(name, "/does/slow-5000/openai/v1", timeout_ms=2000) for name in "ab"), deadline_ms=3000)
    budget = Budget(10)
    answer = ask()
    assert (answer.status_code, answer.codes) == (504, ["deadline_exceeded"]), answer
    assert budget.left()
    assert ledger.charged(account) == 0


def test_never_more_calls_than_allowed(daemon, ask, mark):
    daemon.use(*(provider(f"p{n}", "/does/no-json/openai/v1") for n in range(4)), max_calls=3)
    assert ask(response_format="json").codes == ["provider_error"]
    assert len(asked(daemon, mark)) == 3


def moderate(here, account, mark):
    return Client(here).call(account, "ai-moderation", {"text": mark})


def test_a_chat_model_judges_with_the_calls_that_are_left(daemon, here, account, mark):
    daemon.use(provider("bad", "/does/500/openai/v1", moderation_model="judge"), provider("good"), max_calls=3)
    answer = moderate(here, account, mark)
    assert answer.status_code == 200, answer
    assert (answer.result["source"], answer.result["meta"]["model"]) == ("model", "good-model")
    assert answer.result["meta"]["attempts"] == 3
    assert asked(daemon, mark) == ["judge", "bad-model", "good-model"]


def test_a_moderation_makes_no_more_calls_than_others(daemon, here, account, mark):
    daemon.use(*(provider(f"p{n}", "/does/500/openai/v1", moderation_model=f"judge-{n}") for n in range(4)), max_calls=3)
    assert moderate(here, account, mark).codes == ["provider_error"]
    assert asked(daemon, mark) == ["judge-0", "judge-1", "judge-2"]


def test_a_text_that_all_models_decline_is_for_review(daemon, here, account, mark, ledger):
    daemon.use(provider("bad", "/does/400-filter/openai/v1", moderation_model="judge"))
    answer = moderate(here, account, mark)
    assert answer.status_code == 200, answer
    assert (answer.result["flagged"], answer.result["action"], answer.result["top_category"]) == (True, "review", None)
    assert answer.result["meta"]["warnings"] == ["model_refused"]
    assert asked(daemon, mark) == ["judge", "bad-model"]
    assert ledger.charged(account) == 5


def test_a_declined_moderation_without_a_call_left_is_free(daemon, here, account, mark, ledger):
    daemon.use(provider("bad", "/does/400-filter/openai/v1", moderation_model="judge"), max_calls=1)
    answer = moderate(here, account, mark)
    assert (answer.status_code, answer.codes) == (502, ["provider_error"]), answer
    assert asked(daemon, mark) == ["judge"]
    assert ledger.charged(account) == 0


def test_models_and_providers_for_single_tools(daemon, ask, mark):
    daemon.use(provider("reviews", tools=["ai-code-review"]), provider("chats", models={TOOL: "chatty"}))
    assert ask().result["meta"]["model"] == "chatty"
    assert ask(tool="ai-code-review").result["meta"]["model"] == "reviews-model"
    assert asked(daemon, mark) == ["chatty", "reviews-model"]


# -- backoff --


def test_three_failures_start_a_backoff(daemon, ask, mark):
    daemon.use(provider("bad", "/does/500/openai/v1"), provider("good"))
    for _ in range(5):
        assert ask().status_code == 200
    assert asked(daemon, mark).count("bad-model") == 3
    assert metric(daemon.stack, DAEMON, 'tollgate_model_backoff_end_timestamp_seconds{provider="bad"}') > time.time() + 30


def test_a_bad_key_once_is_enough(daemon, ask, mark):
    daemon.use(provider("bad", "/does/401/anthropic"), provider("good"))
    for _ in range(3):
        assert ask().status_code == 200
    assert asked(daemon, mark).count("bad-model") == 1


def test_retry_after_is_heeded(daemon, ask, mark):
    daemon.use(provider("bad", "/does/429-later/openai/v1"), provider("good"))
    for _ in range(3):
        assert ask().status_code == 200
    assert asked(daemon, mark).count("bad-model") == 1


def test_a_customers_text_starts_no_backoff(daemon, ask, mark):
    """The customer may cause invalid answers, declined requests and 400."""
    daemon.use(provider("one"))
    for doing in ("no-json", "refusal", "400", "no-json", "blank"):
        ask(f"[[stub:{doing}]]", response_format="json")
    assert ask().status_code == 200


def test_all_back_off(daemon, ask, mark, account, ledger):
    daemon.use(provider("bad", "/does/401/openai/v1"))
    assert ask().codes == ["provider_rejected"]
    answer = ask()
    assert (answer.status_code, answer.codes) == (502, ["provider_error"]), answer
    assert len(asked(daemon, mark)) == 1
    assert ledger.charged(account) == 0


# -- cost --


def count(daemon, name, part=DAEMON):
    try:
        return metric(daemon.stack, part, name)
    except Failure:
        return 0


def gateway_lines(daemon):
    return [json.loads(line) for line in daemon.stack.parts["gateway-1"].log.read_text().rpartition("\n")[0].splitlines()]


def test_each_call_costs_what_its_provider_charges(daemon, ask, mark):
    """The stub reports 120 and 40 tokens; an answer that does not fit costs, too."""
    name = f"p{mark[:20]}"
    daemon.use(provider(name, price=PRICE))
    assert ask(f"[[stub:no-json-once:{mark}]]", response_format="json",
               json_schema={"properties": {"a": {"type": "string"}}}).status_code in (200, 502)
    calls = len(asked(daemon, mark))
    assert calls == 2
    assert count(daemon, f'tollgate_model_cost_micros_total{{provider="{name}",model="{name}-model",currency="EUR"}}') == calls * CALL_MICROS


def tool_cost(daemon, currency):
    return count(daemon, f'tollgate_tool_cost_micros_total{{tool="{TOOL}",currency="{currency}"}}', "gateway-1")


@pytest.mark.parametrize("doing, micros", [
    ("good", CALL_MICROS), ("no-json", 2 * CALL_MICROS), ("slow-4000", LOST_MICROS), ("broken-off", LOST_MICROS), ("refusal", CALL_MICROS),
    ("500", 0), ("400", 0)])
def test_the_gateway_learns_what_a_call_costs(daemon, ask, mark, doing, micros):
    """Failed calls too. Of one whose answer does not arrive, the input is estimated, and the output
    is as long as allowed."""
    daemon.use(provider("one", price=PRICE, timeout_ms=1000), max_calls=2, cooldown_ms=0)
    before = tool_cost(daemon, "EUR")
    answer = ask() if doing == "good" else ask(f"[[stub:{doing}]]", response_format="json", max_tokens=64)
    cost = tool_cost(daemon, "EUR") - before
    (line,) = [line for line in gateway_lines(daemon) if line.get("request_id") == answer.headers["X-Request-Id"]]
    assert (line["cost_micros"], line["credits_charged"]) == (cost, 10 if doing == "good" else 0)
    if micros == LOST_MICROS:
        assert 64 * PRICE["output_per_1m"] < cost < 2 * (64 * PRICE["output_per_1m"] + 2000 * PRICE["input_per_1m"])
    else:
        assert cost == micros


def test_a_spent_budget_is_not_exceeded(daemon, ask, mark, account, ledger):
    """The next provider answers; a reload gives nothing back; without another, calls are free."""
    name = f"p{mark[:20]}"
    dear = provider(name, price=PRICE, daily_budget=1.5 * CALL_MICROS / 1e6)
    daemon.use(dear, provider("good"))
    for _ in range(2):
        assert ask().result["meta"]["model"] == f"{name}-model"
    daemon.use(dear, provider("good"))
    assert ask().result["meta"]["model"] == "good-model"
    (line,) = daemon.lines("the daily budget of a model provider is spent")[-1:]
    assert (line["gen_ai.provider.name"], line["budget_micros"], line["currency"]) == (name, 1.5 * CALL_MICROS, "EUR")
    labels = f'{{provider="{name}",currency="EUR"}}'
    assert count(daemon, f"tollgate_model_budget_spent_micros{labels}") == 2 * CALL_MICROS
    daemon.use(dear)
    answer = ask()
    assert (answer.status_code, answer.codes) == (503, ["provider_unconfigured"]), answer
    assert "00:00 UTC" in answer.message
    assert ledger.charged(account) == 3 * 10


# -- what a provider rejects --


@pytest.mark.parametrize("doing, last", [
    ("no-schema", lambda b: b["response_format"] == {"type": "json_object"}),
    ("no-format", lambda b: "response_format" not in b),
    ("no-strict", lambda b: "strict" not in b["response_format"]["json_schema"]),
    ("no-max-tokens", lambda b: "max_completion_tokens" in b and "max_tokens" not in b),
    ("no-temperature", lambda b: "temperature" not in b),
    ("no-system", lambda b: b["messages"][0]["role"] == "user"),
])
def test_the_ladder_is_learned(daemon, ask, mark, doing, last):
    daemon.use(provider("picky", f"/does/{doing}/openai/v1"))
    first = ask(tool="ai-code-review")
    assert first.status_code == 200, first
    learned = len(asked(daemon, mark))
    assert 2 <= learned <= 4
    assert ask(tool="ai-code-review").status_code == 200
    requests = providers.sent(daemon.log, mark)
    assert len(requests) == learned + 1  # the service remembers it
    assert last(requests[-1]["body"])


def test_useless_changes_are_not_learned(daemon, ask, mark):
    """A provider that repeats the request in its 400 names every field: the next call is complete
    again."""
    daemon.use(provider("one"))
    assert ask("[[stub:400]]", tool="ai-code-review").codes == ["provider_rejected"]
    assert ask(tool="ai-code-review").status_code == 200
    body = providers.sent(daemon.log, mark)[-1]["body"]
    assert {"temperature", "max_tokens", "response_format"} <= body.keys()
    assert body["response_format"]["json_schema"]["strict"] and body["messages"][0]["role"] == "system"


def test_the_ladder_of_a_seed(daemon, ask, mark):
    daemon.use(provider("picky", "/does/no-seed/openai/v1"))
    assert ask(seed=7).status_code == 200
    assert [request["body"].get("seed") for request in providers.sent(daemon.log, mark)] == [7, None]


def test_the_ladder_of_the_other_form(daemon, ask, mark):
    daemon.use(provider("picky", "/does/no-schema/anthropic"))
    assert ask(tool="ai-code-review").status_code == 200
    assert ["tools" in request["body"] for request in providers.sent(daemon.log, mark)] == [True, True, False]


# -- the request --


def strict(schema):
    """Whether it is in the subset that all providers enforce."""
    if schema["type"] == "object":
        return schema["additionalProperties"] is False and set(schema["required"]) == set(schema["properties"]) and \
            all(strict(inner) for inner in schema["properties"].values())
    return set(schema) <= {"type", "description", "enum", "items"} and ("items" not in schema or strict(schema["items"]))


@pytest.mark.parametrize("base", ["/openai/v1", "/anthropic"])
def test_the_request_to_a_provider(daemon, ask, mark, account, here, base):
    daemon.use(provider("one", base))
    assert ask("x = 1", tool="ai-code-review", language="python").status_code == 200
    (request,) = providers.sent(daemon.log, mark)
    body, headers = request["body"], {name.lower(): value for name, value in request["headers"].items()}
    text = json.dumps(request)
    for secret in (account.id, account.token, account.token_id, here.base_url):
        assert secret not in text
    assert headers.get("authorization") == (None if base == "/anthropic" else f"Bearer {providers.KEY}")
    assert headers.get("x-api-key") == (providers.KEY if base == "/anthropic" else None)
    assert providers.KEY not in json.dumps(body)
    assert set(headers) <= {"host", "content-type", "content-length", "accept", "accept-encoding", "user-agent",
                            "authorization", "x-api-key", "anthropic-version", "connection"}
    assert headers["content-type"] == "application/json"
    if base == "/anthropic":
        assert headers["anthropic-version"] == "2023-06-01"
        assert strict(body["tools"][0]["input_schema"])
        assert set(body) == {"model", "max_tokens", "system", "messages", "temperature", "tools", "tool_choice"}
        system, user = body["system"], body["messages"][0]["content"][0]["text"]
    else:
        assert strict(body["response_format"]["json_schema"]["schema"])
        assert set(body) == {"model", "messages", "temperature", "max_tokens", "response_format", "stream"}
        system, user = (message["content"] for message in body["messages"])
    fence = re.search(r"<<<DATA ([0-9a-f]{32})\n(.*)\n\1 DATA>>>", user, re.S)
    assert fence and mark in fence[2]
    assert mark not in system and fence[1] not in system
    assert 'Options: {"language":"python"' in user


FORMS = {"/openai/v1": set(WAYS), "/anthropic": set(WAYS) - {"ai-image-generate"}}  # without pictures


@pytest.mark.parametrize("base, tool", [(base, tool) for base, tools in FORMS.items() for tool in sorted(tools)])
def test_no_provider_learns_the_account(daemon, here, account, mark, base, tool):
    """The request to a provider has nothing of the account, its token, its address, the call or our
    own addresses."""
    painter = {"image_model": "painter"} if base == "/openai/v1" else {}
    daemon.use(provider("one", base, vision_model="sees", **painter))
    client = Client(here)
    answer = client.call(account, tool, WAYS[tool](f"A loaf of bread. {mark}"), {"Idempotency-Key": f"key-{mark[:20]}-1"})
    assert answer.status_code == 200, answer
    requests = providers.sent(daemon.log, mark)
    assert requests
    secrets = {account.id, account.token, account.token_id, client.address, here.base_url, f"key-{mark[:20]}-1",
               answer.headers["X-Request-Id"], answer.headers["traceparent"].split("-")[1],
               account.token.partition("_live_")[2]}
    for request in requests:
        text = json.dumps(request)
        assert not [secret for secret in secrets if secret in text]
        assert not re.search("tg_live|127[.]0[.]|[Aa]ccount|[Cc]redits", json.dumps(request["body"])), tool


def test_no_provider_learns_the_origin_of_a_picture(site, mark):
    account = site.open_account()
    url = f"https://example.com/bread.png?{mark}"
    answer = Client(site).call(account, "ai-alt-text", {"image_url": url, "context": f"seen {mark}"})
    assert answer.status_code == 200, answer
    (request,) = providers.sent(site.models_log, mark)
    assert "example.com" not in json.dumps(request) and "data:image/png;base64," in json.dumps(request)


def test_every_call_has_unique_marks(daemon, ask, mark):
    daemon.use(provider("one"))
    ask(tool="ai-code-review"), ask(tool="ai-code-review")
    marks = [word for request in providers.sent(daemon.log, mark)
             for word in set(re.findall(r"\b[0-9a-f]{32}\b", json.dumps(request["body"]).replace(mark, "")))]
    assert len(marks) == len(set(marks)) == 4  # a fence and a canary each


def test_invisible_text_is_not_sent(daemon, ask, mark):
    daemon.use(provider("one"))
    answer = ask("a\u200bb\U000e0041\U000e0042c\u202ed", tool="ai-code-review")
    assert answer.result["meta"]["warnings"] == ["invisible_characters_removed:4"]
    (request,) = providers.sent(daemon.log, mark)
    assert f"{mark} abcd" in request["body"]["messages"][1]["content"]


def test_a_conversation_keeps_its_roles(daemon, here, account, mark):
    daemon.use(provider("one"), provider("two", "/anthropic"))
    said = [{"role": "system", "content": f"{mark} policy"}, {"role": "user", "content": "a"},
            {"role": "user", "content": "b"}, {"role": "assistant", "content": "c"}, {"role": "user", "content": "d"}]
    for form in ("openai", "anthropic"):
        assert Client(here).call(account, TOOL, {"messages": said}).status_code == 200
        daemon.use(provider("two", "/anthropic"))
    one, two = (request["body"] for request in providers.sent(daemon.log, mark))
    assert [(m["role"], m["content"]) for m in one["messages"]][1:] == [
        ("user", "a"), ("user", "b"), ("assistant", "c"), ("user", "d")]
    assert [(m["role"], [part["text"] for part in m["content"]]) for m in two["messages"]] == [
        ("user", ["a", "b"]), ("assistant", ["c"]), ("user", ["d"])]
    for system in (one["messages"][0]["content"], two["system"]):
        assert re.search(rf"<<<POLICY ([0-9a-f]{{32}})\n{mark} policy\n\1 POLICY>>>$", system)


def test_the_key_is_nowhere(daemon, ask, here):
    """Providers repeat the key in their errors; we do not."""
    for base in ("/does/401/openai/v1", "/does/500/anthropic"):
        daemon.use(provider("one", base))
        assert providers.KEY not in repr(ask())
    for part in daemon.stack.parts.values():
        assert providers.KEY not in part.log.read_text(errors="replace"), part.name


def test_a_customers_text_is_in_no_log(daemon, ask, mark):
    daemon.use(provider("one", "/does/500/openai/v1"))
    ask()
    for part in daemon.stack.parts.values():
        if part.name != "postgres":
            assert mark not in part.log.read_text(errors="replace"), part.name


@pytest.mark.parametrize("tool", sorted(WAYS))
def test_each_call_is_in_the_log(daemon, here, account, tool):
    """Ids, the tool, durations and the outcome, for every kind of model."""
    daemon.use(provider("one", vision_model="sees", image_model="paints", moderation_model="judges"))
    answer = Client(here).call(account, tool, WAYS[tool]("A loaf of bread."))
    (line,) = [line for line in daemon.lines("asked a model") if line["request_id"] == answer.headers["X-Request-Id"]]
    assert (line["tool"], line["outcome"], line["attempts"]) == (tool, "good", 1) and line["duration_ms"] >= 0


# -- long calls over MCP --


class LongCall:
    """A tools/call whose response is read as it arrives."""

    def __init__(self, here, account, text, era="legacy", accept="application/json, text/event-stream", meta=None):
        agent = Agent(Client(here), account, era)
        message = agent.message_of("tools/call", {"name": TOOL, "arguments": {"prompt": text}}, {"progressToken": "t\u00fc"} | (meta or {}))
        self.line = agent.api.connect()
        headers = {"Authorization": f"Bearer {account.token}", "Content-Type": "application/json", "Accept": accept}
        self.line.request("POST", agent.path, json.dumps(message).encode(), headers | agent.head_of(message))

    def read(self):
        self.response = self.line.getresponse()
        return self

    def event(self):
        """The next event's message."""
        lines = [self.response.readline() for _ in range(3)]
        assert lines[0] == b"event: message\n" and lines[1].startswith(b"data: ") and lines[2] == b"\n", lines
        return json.loads(lines[1][6:])

    def leave(self):
        self.line.sock.close()
        self.response.close()
        self.line.close()


def slow(ms, name="slow", **more):
    return provider(name, f"/does/slow-{ms}/openai/v1", timeout_ms=20000, **more)


def test_a_long_call_reports_progress(daemon, here, account, mark, ledger):
    daemon.use(slow(2600))
    call = LongCall(here, account, mark).read()
    assert (call.response.status, call.response.headers["Content-Type"]) == (200, "text/event-stream")
    assert call.response.headers["X-Accel-Buffering"] == "no" and call.response.headers["X-Request-Id"]
    events = [call.event()]
    while "id" not in events[-1]:
        events.append(call.event())
    assert call.response.read() == b""
    assert len(events) >= 2
    for event in events[:-1]:
        assert event == {"jsonrpc": "2.0", "method": "notifications/progress",
                         "params": {"progressToken": "t\u00fc", "progress": event["params"]["progress"], "total": 50}}
    assert events[-1]["result"]["isError"] is False
    assert events[-1]["result"]["_meta"]["tollgate/credits"]["charged"] == 10
    assert ledger.charged(account) == 10


@pytest.mark.parametrize("accept, meta", [("application/json", None), ("application/json, text/event-stream", {"progressToken": 1.5})])
def test_without_accept_and_token_the_response_is_json(daemon, here, account, mark, accept, meta):
    daemon.use(slow(800))
    call = LongCall(here, account, mark, accept=accept, meta=meta).read()
    assert call.response.headers["Content-Type"] == "application/json"
    assert json.loads(call.response.read())["result"]["isError"] is False


def test_what_fails_after_progress_is_a_result(daemon, here, account, mark, ledger):
    daemon.use(provider("late", "/does/slow-9000/openai/v1", timeout_ms=2600))
    call = LongCall(here, account, mark, "modern").read()
    events = [call.event()]
    while "id" not in events[-1]:
        events.append(call.event())
    assert events[-1]["result"]["isError"] is True
    assert events[-1]["result"]["_meta"]["tollgate/error"]["errors"][0]["code"] == "provider_error"
    assert ledger.charged(account) == 0


def test_a_rejected_long_call_is_json(daemon, here, mark):
    call = LongCall(here, here.open_account(credits=3), mark).read()
    assert call.response.headers["Content-Type"] == "application/json"
    assert json.loads(call.response.read())["result"]["_meta"]["tollgate/error"]["status"] == 402


def test_a_disconnect_cancels_a_modern_call(daemon, here, account, mark, ledger):
    """The provider's work stops, nothing is charged, and the day's call stays used."""
    name = f"p{mark[:20]}"
    daemon.use(slow(15000, name, price=PRICE))
    call = LongCall(here, account, mark, "modern").read()
    assert call.event()["method"] == "notifications/progress"
    call.leave()
    outcome = f'tollgate_model_calls_total{{provider="{name}",outcome="cancelled"}}'
    wait_for(lambda: count(daemon, outcome) == 1, 12, "the provider's call is cancelled")
    assert count(daemon, f'tollgate_model_cost_micros_total{{provider="{name}",model="{name}-model",currency="EUR"}}') > 0
    wait_for(lambda: ledger.held(account) == 0, 5, "the hold is released")
    assert ledger.charged(account) == 0
    assert ledger.rows("select sum(used) from daily_quota where account_id = %s", account.id)[0][0] == 1


def test_a_legacy_call_goes_on_and_its_key_gets_the_result(daemon, here, account, mark, ledger):
    daemon.use(slow(3000))
    key = {"tollgate/idempotency-key": mark}
    call = LongCall(here, account, mark, meta=key).read()
    assert call.event()["method"] == "notifications/progress"
    call.leave()
    wait_for(lambda: ledger.charged(account) == 10, 8, "the call is charged")
    again = json.loads(LongCall(here, account, mark, meta=key).read().response.read())
    assert again["result"]["isError"] is False and again["result"]["_meta"]["tollgate/replayed"] is True
    assert again["result"]["_meta"]["tollgate/credits"]["charged"] == 0
    assert len(asked(daemon, mark)) == 1 and ledger.charged(account) == 10


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_call_without_progress_goes_on(daemon, here, account, mark, ledger, era):
    """A client that gives up before a response has begun cancels nothing, with each revision."""
    daemon.use(slow(2000))
    call = LongCall(here, account, mark, era, accept="application/json")
    wait_for(lambda: asked(daemon, mark), 8, "the provider is asked")
    call.line.close()
    wait_for(lambda: ledger.charged(account) > 0, 8, "the call is charged")
    assert ledger.charged(account) == 10 and len(asked(daemon, mark)) == 1


# -- the daily quota --


@pytest.mark.parametrize("doing, is_given_back", [("500", True), ("401", True), ("400", True), ("no-json", True),
                                                  ("slow-4000", True), ("429", True), ("refusal", False),
                                                  ("400-filter", False), ("filter", False)])
def test_the_days_call(daemon, ask, account, ledger, doing, is_given_back):
    daemon.use(provider("one", timeout_ms=2000), cooldown_ms=0)
    answer = ask(f"[[stub:{doing}]]", response_format="json")
    assert answer.status_code >= 500, answer
    used = ledger.rows("select coalesce(sum(used), 0) from daily_quota where account_id = %s", account.id)[0][0]
    assert used == (0 if is_given_back else 1)
    assert ledger.charged(account) == 0


def test_fifty_at_once_are_ten(daemon, here, ledger):
    daemon.use(provider("one", max_concurrency=64))
    account = here.open_account(1000)
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda n: Client(here).call(account, TOOL, {"prompt": "a"}), range(50)))
    assert sum(answer.status_code == 200 for answer in answers) == DAILY
    assert ledger.charged(account) == 10 * DAILY


def test_the_eleventh_call_of_a_day(daemon, here, ledger):
    daemon.use(provider("one"))
    account = here.open_account(1000)
    for _ in range(DAILY):
        assert Client(here).call(account, TOOL, {"prompt": "a"}).status_code == 200
    ledger.let_pass(account, 61_000)
    answer = Client(here).call(account, TOOL, {"prompt": "a"})
    assert (answer.status_code, answer.codes) == (429, ["daily_quota_exceeded"]), answer
    assert 0 < int(answer.headers["Retry-After"]) <= 86400
    other = Client(here).call(account, "ai-code-review", {"code": "a"})
    assert other.status_code == 200  # each tool has its own ten


# -- no provider, and invalid files --


def test_no_provider_is_configured(daemon, ask, account, ledger, here):
    daemon.use()
    answer = ask()
    assert (answer.status_code, answer.codes) == (503, ["provider_unconfigured"]), answer
    assert ledger.charged(account) == 0
    assert daemon.readyz() == {"ready": True,
                               "note": "no language model is available: ai.providers_file names no provider"}
    assert Client(here).call(account, "hash-generate", {"input": "a"}).status_code == 200


def test_a_key_that_cannot_be_read(daemon, ask):
    daemon.use(provider("one", api_key_file="/nowhere/key"))
    assert ask().codes == ["provider_unconfigured"]
    assert "provider one is ignored" in daemon.readyz()["note"]


def test_no_key_at_all_is_fine(daemon, ask, mark):
    """Local servers need no key."""
    daemon.use(provider("local", api_key_file=None))
    assert ask().status_code == 200
    assert "Authorization" not in providers.sent(daemon.log, mark)[0]["headers"]


@pytest.mark.parametrize("wrong", [
    {"providers": [{**provider("one"), "modell": "x"}]},
    {"providers": [{**provider("one"), "type": "other"}]},
    {"providers": [{**provider("one"), "base": "\n"}]},
    {"providers": [provider("one"), provider("one")]},
    {"providers": [{**provider("one"), "timeout_ms": -1}]},
    {"providers": [provider("one", "/anthropic", image_model="x")]},
    {"providers": [provider("UPPER")]},
    {"deadline": 1, "providers": []},
])
def test_a_wrong_file_changes_nothing(daemon, ask, wrong):
    daemon.use(provider("good"))
    daemon.write(wrong)
    daemon.reload("not read again, the old stays")
    assert ask().status_code == 200
    daemon.part.log.write_text("")  # the test expects this error line


# -- many at once --


def memory_kb(daemon, name):
    return int(re.search(rf"{name}:\s+(\d+)", Path(f"/proc/{daemon.part.pid}/status").read_text())[1])


def call_all(here, account, count, text):
    pool = concurrent.futures.ThreadPoolExecutor(count)
    return [pool.submit(lambda: Client(here).call(account, TOOL, {"prompt": text})) for _ in range(count)]


def running(daemon):
    return metric(daemon.stack, DAEMON, "tollgate_jobs_running")


def test_many_slow_calls(daemon, here):
    """64 calls wait in one process within its memory, and a stop waits for them."""
    daemon.use(provider("slow", "/does/slow-6000/openai/v1", timeout_ms=20000, max_concurrency=SLOW_CALLS))
    account = here.open_account(10_000, limits_off=True)
    Path(f"/proc/{daemon.part.pid}/clear_refs").write_text("5")
    calls = call_all(here, account, SLOW_CALLS, "x" * 3900)
    wait_for(lambda: running(daemon) == SLOW_CALLS, 20, "not all calls run")
    peak = memory_kb(daemon, "VmHWM")
    print(f"{SLOW_CALLS} slow calls: {peak} KB resident at most")
    assert peak < PEAK_KB
    begin = time.monotonic()
    assert daemon.part.stop() == 0
    print(f"drained in {time.monotonic() - begin:.1f} s")
    assert [call.result().status_code for call in calls] == [200] * SLOW_CALLS
    daemon.stack.start_part(DAEMON)


def test_killed_in_mid_call_under_load(daemon, here, ledger):
    """Some calls are over, others wait for a provider: each answer is charged, and nothing else."""
    daemon.use(provider("quick", max_concurrency=SLOW_CALLS))
    account = here.open_account(10_000, limits_off=True)
    done = [call.result() for call in call_all(here, account, 8, "a")]
    daemon.use(slow(8000, max_concurrency=SLOW_CALLS))
    waiting = call_all(here, account, 16, "b")
    wait_for(lambda: running(daemon) == 16, 20, "not all calls run")
    daemon.part.kill()
    lost = [call.result() for call in waiting]
    daemon.stack.start_part(DAEMON)
    daemon.use(provider("quick", max_concurrency=SLOW_CALLS))
    wait_for(lambda: Client(here).call(account, TOOL, {"prompt": "c"}).status_code == 200, 20, "calls work again")
    assert {answer.status_code for answer in done} == {200}
    assert {(answer.status_code, *answer.codes) for answer in lost} == {(503, "worker_lost")}
    assert ledger.charged(account) == 10 * (len(done) + 1)
    assert ledger.held(account) == 0


def test_a_full_queue(daemon, here, ledger):
    daemon.use(provider("slow", "/does/slow-1500/openai/v1", max_concurrency=2, timeout_ms=5000))
    account = here.open_account(10_000, limits_off=True)
    answers = [call.result() for call in call_all(here, account, 12, "a")]
    crowded = [answer for answer in answers if answer.status_code == 503]
    assert {code for answer in crowded for code in answer.codes} == {"overloaded"}
    assert all("Retry-After" in answer.headers for answer in crowded)
    assert len(crowded) == 12 - 2 - 2
    assert ledger.charged(account) == 10 * 4


def test_a_slow_provider_delays_no_other_tool(daemon, here):
    daemon.use(provider("slow", "/does/slow-3000/openai/v1", tools=[TOOL], timeout_ms=5000), provider("quick"))
    account = here.open_account(10_000, limits_off=True)
    slow = call_all(here, account, 16, "a")
    wait_for(lambda: running(daemon) >= 16, 10, "not all calls run")
    budget = Budget(2.5)
    assert Client(here).call(account, "ai-code-review", {"code": "a"}).status_code == 200
    assert not all(call.done() for call in slow) and budget.left()
    for call in slow:
        call.result()


# -- numbers --


def test_what_is_counted(daemon, ask):
    names = ['tollgate_model_calls_total{provider="counted",outcome="good"}', 'tollgate_model_tokens_total{provider="counted",model="counted-model",direction="input"}',
             'tollgate_model_tokens_total{provider="counted",model="counted-model",direction="output"}', 'tollgate_model_call_duration_seconds_count{provider="counted"}']
    daemon.use(provider("counted"))
    before = [count(daemon, name) for name in names]
    assert ask().status_code == 200
    daemon.use(provider("counted"))  # the counts survive a reload
    assert ask().status_code == 200
    assert [count(daemon, name) - old for name, old in zip(names, before)] == [2, 240, 80, 2]
