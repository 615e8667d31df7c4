"""tests/api/test_unknown_fields.py - fields that a tool does not know: reported, suggested, and
refused on request."""

import json

import pytest

from kit.agents.host import Agent
from kit.site import Account

TOOL = "hash-generate"
STRICT, LENIENT = {"Prefer": "handling=strict"}, {"Prefer": "handling=lenient"}
SENTENCE = "algoritm is not a field of this tool. Did you mean algorithm?"


@pytest.fixture
def strict(site, account):
    made = site.tollctl("token", "create", account.id, "--strict", "--json")
    return Account(account.id, made["token"], made["token_id"])


def ignored(answer):
    return answer.headers.get("X-Ignored-Fields")


# -- REST --


def test_an_unknown_field_is_reported(api, account, ledger):
    answer = api.call(account, TOOL, {"input": "a", "algoritm": "md5", "colour": 1})
    assert answer.status_code == 200 and list(answer.json()) == ["result", "success", "errors"]
    assert ignored(answer) == '"algoritm";did_you_mean="algorithm", "colour"'
    assert "Preference-Applied" not in answer.headers and ledger.charged(account) == 1


@pytest.mark.parametrize("tool, request_, header", [
    ("tls-check", {"host": "", "prot": 8443}, '"prot";did_you_mean="port"'),
    (TOOL, {"Input": "a"}, '"Input";did_you_mean="input"'),
    (TOOL, {"tg_live_abcdefgh": "a"}, '"?"'),
    (TOOL, {f"x{n}": 1 for n in range(30)}, ", ".join(f'"x{n}"' for n in range(8)) + ', "...";more=22'),
])
def test_also_by_a_refused_request(api, account, ledger, tool, request_, header):
    answer = api.call(account, tool, request_)
    assert answer.status_code == 400 and ignored(answer) == header
    assert "unknown_field" not in answer.codes and ledger.charged(account) == 0


def test_known_fields_are_not_reported(api, account):
    for request in ({"input": "a"}, {"text": "a", "algorithm": "md5"}, {"input": "a", "algorithm": None}):
        answer = api.call(account, TOOL, request, headers=STRICT)
        assert answer.status_code == (400 if "text" in request else 200)
        assert "Preference-Applied" not in answer.headers or "text" in request


def test_the_query_of_a_get_tool(api, account):
    answer = api.read(account, "tools/placeholder-image?widht=20&width=30")
    assert answer.status_code == 200 and ignored(answer) == '"widht";did_you_mean="width"'
    answer = api.read(account, "tools/placeholder-image?widht=20", headers=STRICT)
    assert answer.status_code == 400 and answer.codes == ["unknown_field"]


def test_a_preference_for_strict_handling(api, account, ledger):
    answer = api.call(account, TOOL, {"algoritm": "md5", "colour": 1}, headers=STRICT)
    assert answer.status_code == 400 and answer.codes == ["missing_field", "unknown_field", "unknown_field"]
    assert answer.json()["errors"][1] == {"code": "unknown_field", "message": SENTENCE}
    assert answer.headers["Preference-Applied"] == "handling=strict" and ignored(answer) is None
    assert ledger.charged(account) == 0 and ledger.calls_in_ring(account) == 0


def test_a_strict_token(api, strict, ledger):
    request = {"input": "a", "algoritm": "md5"}
    answer = api.call(strict, TOOL, request)
    assert answer.codes == ["unknown_field"] and "Preference-Applied" not in answer.headers
    answer = api.call(strict, TOOL, request, headers=LENIENT)
    assert answer.status_code == 200 and answer.headers["Preference-Applied"] == "handling=lenient"
    assert ignored(answer) == '"algoritm";did_you_mean="algorithm"'
    assert api.call(strict, TOOL, {"input": "a"}).status_code == 200 and ledger.charged(strict) == 2


def test_an_invalid_token_learns_nothing(api, account):
    other = Account(account.id, account.token[:-8] + "A" * 8, account.token_id)
    for headers in ({}, STRICT, LENIENT):
        answer = api.call(other, TOOL, {"input": "a", "algoritm": "md5"}, headers=headers)
        assert answer.status_code == 403 and ignored(answer) is None


def test_an_unknown_tool(api, account):
    assert api.call(account, "hash-genrate", {}).message == "unknown tool; see /openapi.json; did you mean hash-generate?"
    assert api.call(account, "zzzzzzzzzzzz", {}).message == "unknown tool; see /openapi.json"
    assert api.call(account, "a" * 300, {}).message == "unknown tool; see /openapi.json"


# -- MCP --


@pytest.fixture
def agent(api, account):
    return Agent(api, account)


def result_of(answer):
    assert answer.status_code == 200, answer
    return answer.json()["result"]


def test_mcp_refuses_unknown_arguments(agent, account, ledger):
    result = result_of(agent.call(TOOL, {"input": "a", "algoritm": "md5"}))
    error = result["_meta"]["tollgate/error"]
    assert result["isError"] and error["status"] == 400
    assert error["errors"] == [{"code": "unknown_field", "message": SENTENCE}]
    text = result["content"][0]["text"]
    assert SENTENCE in text and "The arguments are input, algorithm, " in text and "Nothing was charged." in text
    assert ledger.charged(account) == 0


def test_what_hosts_add_is_ignored(agent, account, ledger):
    added = {"toolCallId": "1", "random_string": "x", "_meta": {}}
    result = result_of(agent.call(TOOL, {"input": "a"} | added))
    assert not result["isError"] and "tollgate/ignored-fields" not in result["_meta"] and ledger.charged(account) == 1
    assert not result_of(agent.call("account-credits", {"anything": 1}))["isError"]


def test_mcp_ignores_unknown_arguments_on_request(api, account):
    agent = Agent(api, account, query="?unknown=ignore")
    result = result_of(agent.call(TOOL, {"input": "a", "algoritm": "md5", "colour": 1, "toolCallId": "1"}))
    assert not result["isError"]
    assert result["_meta"]["tollgate/ignored-fields"] == [{"path": "algoritm", "did_you_mean": "algorithm"},
                                                          {"path": "colour", "did_you_mean": None}]
    assert result["content"][-1]["text"] == ("Ignored, because the tool has no such arguments:"
                                             " algoritm (did you mean algorithm?), colour.")
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    raw = result_of(agent.call("placeholder-image", {"widht": 20}))
    assert "widht (did you mean width?)" in raw["content"][-1]["text"]


def test_mcp_suggests_only_visible_tools(api, site, account):
    assert Agent(api, account).call("hash-genrate", {}).json()["error"]["message"] == (
        "Unknown tool: hash-genrate; did you mean hash-generate?")
    hidden = Agent(api, account, query="?groups=email").call("hash-genrate", {})
    assert hidden.json()["error"]["message"] == "Unknown tool: hash-genrate"
    made = site.tollctl("token", "create", account.id, "--scope", "email", "--json")
    scoped = Agent(api, Account(account.id, made["token"], made["token_id"]))
    for name in ("hash-genrate", "hash-generate"):
        assert scoped.call(name, {"input": "a"}).json()["error"]["message"] == f"Unknown tool: {name}"
