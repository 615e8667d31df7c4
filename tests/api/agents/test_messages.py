"""tests/api/agents/test_messages.py - runs the tables tests/api/agents/cases/*.yaml: the response
to each message, in HTTP and JSON-RPC, and its charge.

A case:

    title       name of the case
    era         legacy (default) or modern: which header fields and _meta are sent with it
    method, params, meta
                of the message;  or message: all of it as JSON;  or raw: text sent as it is;
                or hex: bytes;  or blanks: that many blanks
    query       of the URL, with its ?
    http        the method of HTTP, POST by default
    send_headers
                more request headers; null removes one, a list sends several
    asks        whose token: other, expired, revoked, suspended; by default the account's
    status      of HTTP, 200 by default
    error       code of the JSON-RPC error;  or code: of a rejection without id;
                or is_error: code of the result;  or edge: code of the edge's envelope
    message_like, data, id
                of the error: pattern of its text; its data; its id, null for none
    charged     credits, 0 by default
    result, headers
                parts of the result, and response headers: as in tests/api/test_cases.py
    absent      texts that are nowhere in the response
"""

import json
import re

import pytest
import yaml

from kit.agents.host import Agent
from kit.check import ROOT, check_result, check_value
from kit.site import Account

KEYS = {"title", "era", "method", "params", "meta", "message", "raw", "hex", "blanks", "query", "http",
        "send_headers", "asks", "status", "error", "code", "is_error", "edge", "message_like", "data", "id", "charged",
        "result", "headers", "absent"}


def tables():
    for file in sorted((ROOT / "tests" / "api" / "agents" / "cases").glob("*.yaml")):
        for case in yaml.safe_load(file.read_text()):
            assert not set(case) - KEYS, f"{file}: {case['title']}: unknown keys {set(case) - KEYS}"
            yield pytest.param(case, id=f"{file.stem}: {case['title']}")


def token_of(site, account, asks):
    """Put the account's token, or the account, into the state of the case; returns the account to
    call with."""
    if asks == "other":
        return Account(account.id, site.open_account().token, "")
    if asks == "revoked":
        site.tollctl("token", "revoke", account.id, account.token_id)
    if asks == "expired":
        connection = site.connect()
        connection.cursor().execute("update token set expires_at = now() - interval '1 second' where account_id = %s",
                                    (account.id,))
        connection.close()
    if asks == "suspended":
        site.tollctl("account", "suspend", account.id)
    return account


def body_of(agent, case):
    if "raw" in case:
        return case["raw"], {}
    if "hex" in case:
        return bytes.fromhex(case["hex"]), {}
    if "blanks" in case:
        return " " * case["blanks"], {}
    message = case["message"] if "message" in case else agent.message_of(case["method"], case.get("params"),
                                                                         case.get("meta"))
    return json.dumps(message), agent.head_of(message) if isinstance(message, dict) else {}


@pytest.mark.parametrize("case", tables())
def test_message(site, api, account, ledger, case):
    agent = Agent(api, token_of(site, account, case.get("asks")), case.get("era", "legacy"), case.get("query", ""))
    body, head = body_of(agent, case)
    answer = agent.post(body, head | case.get("send_headers", {}), case.get("http", "POST"))

    assert answer.status_code == case.get("status", 200), answer
    assert ledger.charged(account) == case.get("charged", 0), answer
    assert ledger.held(account) == 0, answer
    for name, want in case.get("headers", {}).items():
        check_value(answer.headers[name], want, name)
    for text in case.get("absent", []):
        assert text not in answer.body.decode(), answer
    if answer.body:
        check_body(answer.json(), case, answer)
    else:
        assert not {"error", "code", "is_error", "edge", "result"} & set(case), answer


def check_body(message, case, answer):
    error = message.get("error", {})
    if "edge" in case:
        assert answer.codes[0] == case["edge"], answer
    if "error" in case:
        assert error.get("code") == case["error"], answer
    if "code" in case:
        assert error["data"]["errors"][0]["code"] == case["code"], answer
    if "is_error" in case:
        codes = [item["code"] for item in message["result"]["_meta"]["tollgate/error"]["errors"]]
        assert (codes if isinstance(case["is_error"], list) else codes[0]) == case["is_error"], answer
    if "id" in case:
        assert message.get("id") == case["id"], answer
    if "data" in case:
        assert error["data"] == case["data"], answer
    if "message_like" in case:
        assert re.search(case["message_like"], error["message"]), answer
    if not {"error", "code", "is_error", "edge"} & set(case):
        assert "result" in message and not message["result"].get("isError"), answer
    check_result(message.get("result", {}), case.get("result", {}))
