"""A call has the same charge and the same result over MCP as over REST: each contract's examples,
both ways."""

import json

import pytest

from kit.agents.host import Agent
from kit.check import ROOT
from kit.contracts import CONTRACTS, is_get, send, shown

EXAMPLES = [pytest.param(tool, number, example["request"], id=f"{tool}: {number}")
            for tool, contract in CONTRACTS.items() for number, example in enumerate(contract["examples"], 1)]


def hidden(contract):
    properties = contract.get("result", {}).get("properties", {})
    return {name for name, schema in properties.items() if "agent" in schema}


@pytest.mark.parametrize("tool, number, request_", EXAMPLES)
def test_example(api, account, ledger, tool, number, request_):
    contract = CONTRACTS[tool]
    era = "modern" if number % 2 else "legacy"
    rest = send(api, account, contract, request_)
    before = ledger.charged(account)
    answer = Agent(api, account, era).call(tool, request_)
    result = answer.json()["result"]

    assert before == ledger.charged(account) - before == contract["credits"], answer
    assert result["_meta"]["tollgate/credits"]["charged"] == contract["credits"], answer
    assert rest.status_code == 200 and result["isError"] is False, answer
    if rest.headers.get_content_type() == "application/json":
        schema = {"properties": contract["result"]["properties"]}
        wanted = {name: value for name, value in rest.result.items() if name not in hidden(contract)}
        assert shown(schema, result["structuredContent"]).keys() == shown(schema, wanted).keys(), answer
        if contract.get("retryable") and "result" in contract["examples"][number - 1]:
            assert shown(schema, result["structuredContent"]) == shown(schema, wanted), answer
    else:
        assert "structuredContent" not in result, answer
    assert is_get(contract) or "content" in result
