"""Calls of agents that take more than one message: keys, limits, caps, scopes, logs, metrics,
reloaded limits."""

import json
import re
import threading

import pytest

from kit.agents.host import Agent
from kit.check import ROOT
from kit.client import Client
from kit.contracts import CONTRACTS
from kit.load import metric
from kit.site import Account, Site
from kit.worker import reload
from part import wait_for

TOOL = "hash-generate"
GOOD = {"input": "abc"}


@pytest.fixture
def agent(api, account):
    return Agent(api, account)


def result_of(answer):
    assert answer.status_code == 200, answer
    return answer.json()["result"]


def error_of(answer):
    return result_of(answer)["_meta"]["tollgate/error"]


# -- arguments and results that hosts change or cannot hold --


def test_a_string_is_read_as_a_number_and_told(api, agent, account, ledger):
    result = result_of(agent.call("cron-explain", {"expression": "0 5 * * *", "count": "2", "day_match": ""}))
    assert len(result["structuredContent"]["next_runs"]) == 2, result
    assert "count: the string was read as number" in result["_meta"]["tollgate/arguments"]
    assert result["_meta"]["tollgate/arguments"].strip() in result["content"][0]["text"]
    assert api.call(account, "cron-explain", {"expression": "0 5 * * *", "count": "2"}).status_code == 400
    assert "invalid_type" in str(error_of(agent.call("cron-explain", {"expression": "0 5 * * *", "count": "two"})))
    assert ledger.charged(account) == 1


def test_a_large_result_is_cut_and_says_so(api, agent, account):
    """Over REST it is whole."""
    values = [1, "a", True, [1], 1.5, ["a"], [True], [1.5]]  # their types differ: no map
    sample = {f"field_{n}": {f"inner_{n}_{k}": value for k, value in enumerate(values)} for n in range(250)}
    request = {"sample": sample, "targets": ["typescript", "kotlin"]}
    result = result_of(agent.call("json-to-code", request))
    whole = api.call(account, "json-to-code", request).result
    places = {place["path"]: place for place in result["_meta"]["tollgate/truncated"]}
    assert len(json.dumps(whole)) > 65536 > len(json.dumps(result["structuredContent"]))
    assert result["structuredContent"]["truncated"] is True
    assert whole.keys() <= result["structuredContent"].keys()
    assert places.keys() == {"types", "code.typescript", "code.kotlin"}  # the contract's rules, in order
    assert all(places[f"code.{target}"]["argument"] == "targets" for target in request["targets"])
    assert "(to get the rest, change the argument targets)" in result["content"][0]["text"]
    assert json.loads(result["content"][1]["text"]) == result["structuredContent"]


# -- keys --


def test_a_key_is_paid_once(agent, account, ledger):
    first, again = (result_of(agent.call("cron-explain", {"expression": "0 1 * * *"}, key="k")) for _ in range(2))
    assert "tollgate/replayed" not in first["_meta"]
    assert again["_meta"]["tollgate/replayed"] is True
    assert again["_meta"]["tollgate/credits"]["charged"] == 0
    assert again["content"] == first["content"] and again["structuredContent"] == first["structuredContent"]
    assert ledger.charged(account) == 1


def test_a_key_works_over_rest_and_mcp(api, agent, account, ledger):
    """The client and the gateway send the same bytes here, so a key replays."""
    request = {"text": "abc"}
    headers = {"Idempotency-Key": "both"}
    rest = api.call(account, "token-counter", request, headers)
    mcp = result_of(agent.call("token-counter", request, headers=headers))
    assert mcp["_meta"]["tollgate/replayed"] is True
    assert mcp["structuredContent"] == rest.result
    agent.call("cron-explain", {"expression": "* * * * *"}, key="other")
    back = api.call(account, "cron-explain", {"expression": "* * * * *"}, {"Idempotency-Key": "other"})
    assert back.headers["Idempotency-Replayed"] == "true"
    assert ledger.charged(account) == 2


def test_a_raw_response_is_replayed_unchanged(agent, account, ledger):
    first, again = (result_of(agent.call("placeholder-image", {"width": 9}, key="svg")) for _ in range(2))
    assert again["content"] == first["content"] and again["content"][0]["text"].startswith("<svg")
    assert again["_meta"]["tollgate/headers"] == first["_meta"]["tollgate/headers"]
    assert ledger.charged(account) == 1


def test_a_key_of_another_request(agent):
    agent.call("token-counter", {"text": "abc"}, key="k")
    error = error_of(agent.call("token-counter", {"text": "abd"}, key="k"))
    assert (error["status"], error["errors"][0]["code"]) == (422, "idempotency_mismatch")


def test_ids_are_not_keys(api, agent, account, ledger):
    """The same id twice at once is two calls with two responses."""
    message = json.dumps({"jsonrpc": "2.0", "id": "one", "method": "tools/call",
                          "params": {"name": TOOL, "arguments": GOOD}})
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(agent.post(message, agent.head_of({}))))
               for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.json()["id"] for answer in answers] == ["one", "one"]
    assert {result_of(answer)["isError"] for answer in answers} == {False}
    assert ledger.charged(account) == 2


def test_a_call_of_a_disconnected_client_is_charged(site, account, ledger):
    """Closing the connection does not cancel a call: the tool runs to its end, and a key would
    replay the result. The test closes a connection that it has read from. Closing one with
    unread TLS tickets would reset it, and the edge drops what it had not read by then, without a
    charge."""
    agent = Agent(Client(site), account)
    body = json.dumps(agent.message_of("tools/call", {"name": TOOL, "arguments": GOOD}))
    line = agent.api.connect()
    line.request("GET", "/v1/tools")
    assert line.getresponse().read()
    line.request("POST", agent.path, body, {"Authorization": f"Bearer {account.token}",
                                            "Content-Type": "application/json"})
    line.close()
    wait_for(lambda: ledger.charged(account) == 1, 10, "the charge")
    assert ledger.held(account) == 0


def test_the_same_id_later(agent, account, ledger):
    message = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                          "params": {"name": TOOL, "arguments": GOOD}})
    answers = [agent.post(message, agent.head_of({})) for _ in range(2)]
    assert [answer.json()["id"] for answer in answers] == [7, 7]
    assert ledger.charged(account) == 2


# -- rejections of a call --


def test_the_minute_is_shared_with_rest(api, agent, account, ledger):
    for n in range(30):
        answer = agent.call(TOOL, GOOD) if n % 2 else api.call(account, TOOL, GOOD)
        assert answer.status_code == 200, answer
    answer = agent.call(TOOL, GOOD)
    error = error_of(answer)
    text = result_of(answer)["content"][0]["text"]
    assert (error["status"], error["errors"][0]["code"]) == (429, "rate_limited_endpoint")
    assert 1 <= error["retry_after_seconds"] <= 60
    assert f"retry in {error['retry_after_seconds']} seconds" in text and text.endswith("Nothing was charged.")
    assert answer.headers["Retry-After"] == str(error["retry_after_seconds"])
    assert api.call(account, TOOL, GOOD).codes == ["rate_limited_endpoint"]
    assert ledger.charged(account) == 30


def test_no_credits(site, api):
    account = site.open_account(0)
    answer = Agent(api, account).call(TOOL, GOOD)
    assert error_of(answer)["status"] == 402
    text = result_of(answer)["content"][0]["text"]
    assert text.startswith("insufficient_credits: ") and "Inform the user" in text and "Nothing was charged." in text
    assert result_of(answer)["_meta"]["tollgate/credits"] == {"charged": 0, "remaining": 0}


@pytest.mark.parametrize("cap, code, status", [("--cap-daily", "spending_cap_daily", 429),
                                               ("--cap-total", "spending_cap_total", 403)])
def test_the_model_can_read_caps(site, api, account, ledger, cap, code, status):
    token = site.tollctl("token", "create", account.id, cap, "2", "--json")
    agent = Agent(api, Account(account.id, token["token"], token["token_id"]))
    answers = [agent.call(TOOL, GOOD) for _ in range(3)]
    assert [result_of(answer)["isError"] for answer in answers] == [False, False, True]
    assert error_of(answers[2])["status"] == status and error_of(answers[2])["errors"][0]["code"] == code
    assert "Inform the user" in result_of(answers[2])["content"][0]["text"]
    assert ledger.charged(account) == 2


def test_a_tool_outside_the_scopes_is_unknown(site, api, account, ledger):
    token = site.tollctl("token", "create", account.id, "--scope", "email", "--json")
    answer = Agent(api, Account(account.id, token["token"], token["token_id"])).call(TOOL, GOOD)
    assert answer.status_code == 200 and answer.json()["error"]["code"] == -32602
    assert answer.json()["error"]["message"] == f"Unknown tool: {TOOL}"
    assert ledger.charged(account) == 0


@pytest.fixture
def scoped(site, api, account):
    token = site.tollctl("token", "create", account.id, "--scope", "email", "--scope", TOOL, "--json")
    return Account(account.id, token["token"], token["token_id"])


def test_a_list_is_cut_by_the_scopes(api, scoped):
    def seen(query=""):
        return [tool["name"] for tool in Agent(api, scoped, query=query).tools()]

    email = [name for name, contract in CONTRACTS.items() if contract["group"] == "email"]
    assert seen() == sorted(["account-credits", TOOL, *email])
    assert seen("?groups=utils") == ["account-credits", TOOL]
    assert seen("?groups=security&max_price=9") == ["account-credits"]


def test_outside_the_scopes_arguments_are_not_checked(api, scoped, ledger):
    for arguments in ({"text": "a"}, {}, {"text": 5}):
        answer = Agent(api, scoped).call("qr-generate", arguments)
        assert answer.json()["error"] == {"code": -32602, "message": "Unknown tool: qr-generate"}, answer
    assert error_of(Agent(api, scoped).call(TOOL, {}))["errors"][0]["code"] == "missing_field"
    assert ledger.charged(scoped) == 0


@pytest.mark.parametrize("ask", [
    lambda agent: agent.ask("tools/list"), lambda agent: agent.ask("ping"),
    lambda agent: agent.post('{"jsonrpc":"2.0","method":"notifications/initialized"}', agent.head_of({})),
    lambda agent: agent.call("account-credits", {})], ids=["list", "ping", "notification", "credits"])
def test_valid_tokens_are_not_cached(site, agent, account, ask):
    """A revocation applies from its commit on, also to free messages."""
    assert ask(agent).status_code in (200, 202)
    site.tollctl("token", "revoke", account.id, account.token_id)
    answer = ask(agent)
    assert answer.json()["error"]["data"]["errors"][0]["code"] == "auth_revoked", answer


def test_the_address_limit_comes_first(site, account):
    """Also before the token is checked; free messages count in this window and in no other."""
    agent = Agent(Client(site), account)
    answers = [agent.ask("ping") for _ in range(121)]
    assert {answer.status_code for answer in answers[:120]} == {200}
    assert answers[120].status_code == 429
    assert answers[120].json()["error"]["data"]["errors"][0]["code"] == "rate_limited_ip"
    assert int(answers[120].headers["Retry-After"]) >= 1
    assert result_of(Agent(Client(site), account).call(TOOL, GOOD))["_meta"]["tollgate/rate-limit"]["remaining"] == 29


# -- trace, log, metrics --


def test_a_trace_continues(agent):
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    answer = agent.ask("tools/call", {"name": TOOL, "arguments": GOOD}, {"traceparent": parent})
    assert answer.headers["traceparent"].split("-")[1] == parent.split("-")[1]


def test_what_is_logged(site, api, account):
    """Method, era and client; no id, key, query, argument or token."""
    secret = "never-in-a-log"
    agent = Agent(api, account, query="?tools=hash-generate")
    client = {"name": "Some Host\n" + "x" * 50, "version": secret}
    agent.ask("initialize", {"protocolVersion": "2025-11-25", "clientInfo": client})
    agent.ask("initialize", {"protocolVersion": "2025-11-25", "clientInfo": {"name": account.token}})
    message = agent.message_of("tools/call", {"name": TOOL, "arguments": {"input": secret}},
                               {"tollgate/idempotency-key": secret})
    answer = agent.post(json.dumps(message | {"id": secret}), agent.head_of(message))

    def lines():
        return [line for log in (site.log_directory + f"/gateway-{n}.log" for n in (1, 2))
                for line in open(log) if account.id in line]

    wait_for(lambda: len(lines()) >= 3, 10, "the lines")
    fields = [json.loads(line) for line in lines()]
    assert not any(secret in line or account.token[8:] in line or "tools=" in line for line in lines())
    assert {(line["surface"], line["mcp.method.name"], line["mcp_era"]) for line in fields} == {
        ("mcp", "initialize", "legacy"), ("mcp", "tools/call", "legacy")}
    assert ("Some Host?" + "x" * 30) in {line["mcp_client"] for line in fields}
    assert [line["tool"] for line in fields if line["call_id"] == answer.headers["X-Request-Id"]] == [TOOL]


@pytest.fixture(scope="module")
def limits(tmp_path_factory):
    """Limits that a separate stack of this module reads."""
    file = tmp_path_factory.mktemp("limits") / "limits.yaml"
    file.write_text((ROOT / "gateway" / "limits.yaml").read_text())
    return file


@pytest.fixture(scope="module")
def stack(own_stack, limits):
    return own_stack(settings={"gateway.limits_file": str(limits), "oauth.enabled": True})


def test_messages_are_counted(stack):
    site = Site.of(stack)
    agent = Agent(Client(site), site.open_account())
    agent.ask("ping")
    agent.ask("tools/call", {"name": TOOL, "arguments": GOOD})
    agent.ask("tools/call", {"name": TOOL, "arguments": {}})
    agent.ask("tools/call", {"name": "none"})
    agent.ask("resources/list")
    agent.ask("ping", headers={"Authorization": None})
    line = Client(site).connect()
    line.request("POST", "/mcp", "{}")
    assert line.getresponse().status == 401
    line.close()
    series = 'tollgate_mcp_requests_total{method="%s",era="%s",outcome="%s"}'
    counted = {labels: metric(stack, "gateway-1", series % labels)
               for labels in [("ping", "legacy", "ok"), ("tools/call", "legacy", "ok"),
                              ("tools/call", "legacy", "is_error"), ("tools/call", "legacy", "fault"),
                              ("other", "legacy", "fault"), ("other", "none", "rejected"),
                              ("other", "none", "challenged")]}
    assert set(counted.values()) == {1}, counted
    page = " ".join((ROOT / "docs/api/agents.md").read_text().split())
    documented = page.split("counts messages. `outcome` is ")[1].split(". ")[0]
    assert set(re.findall("`([a-z_]+)`", documented)) == {outcome for _, _, outcome in counted} | {"cancelled"}


def test_reloaded_packs_are_listed(stack):
    """A product that is not sold any more is gone; prices have as many decimals as their
    currencies."""
    site = Site.of(stack)
    connection = site.connect()
    cursor = connection.cursor()
    cursor.execute("update pack set is_sold = false where credits = 250")
    cursor.execute("update pack set currency = 'JPY' where credits = 1500")
    cursor.execute("update pack set currency = 'KWD' where credits = 5000")
    try:
        reload(stack.parts["gateway-1"])
        packs = Client(site).get("/v1/tools").result["packs"]
    finally:
        cursor.execute("update pack set is_sold = true, currency = 'USD'")
        connection.close()
        reload(stack.parts["gateway-1"])
    assert packs == [{"credits": 1500, "jpy": "1500"}, {"credits": 5000, "kwd": "3.900"}]
    assert len(Client(site).get("/v1/tools").result["packs"]) == 3


def test_reloaded_limits_are_listed(stack, limits):
    """SIGHUP writes the descriptions again; with a broken file the old ones stay."""
    shipped = limits.read_text()
    site = Site.of(stack)
    agent = Agent(Client(site), site.open_account(), query=f"?tools={TOOL}")

    def told():
        return agent.tools()[1]["description"]

    def change(text):
        limits.write_text(text)
        reload(stack.parts["gateway-1"])

    assert "at most 30 calls a minute." in told()
    change(shipped.replace("endpoint_per_minute: 30", "endpoint_per_minute: 29"))
    assert "at most 29 calls a minute." in told()
    change("classes: {}")
    assert "at most 29 calls a minute." in told()
