"""The tool descriptions for agents follow docs/api/agents.md, which has the rules of the hosts' and
models' providers. They permit nothing that the contract rejects by its schema."""

import json
import re

import jsonschema
import pytest
import yaml

from kit.agents.host import Agent
from kit.check import ROOT
from kit.contracts import CONTRACTS

LIMITS = yaml.safe_load((ROOT / "gateway" / "limits.yaml").read_text())["classes"]
LIST_MAX, TOOL_MAX, UTILS_MAX, DESCRIPTION_MAX, TOKENS_MAX = 88000, 5500, 18000, 600, 16750
TYPES = {"boolean", "integer", "number", "string", "array", "object"}
KEYS = {"type", "description", "properties", "required", "items", "enum", "minimum", "maximum", "minLength",
        "maxLength", "minItems", "maxItems", "anyOf"}
ROOT_KEYS = {"type", "properties", "required"}
ASK_FROM = 10


@pytest.fixture(scope="module")
def listed(site):
    from kit.client import Client
    return Agent(Client(site), site.open_account()).tools()


def size(tools):
    return len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode())


def schemas(schema):
    """A schema of the view, and all schemas in it."""
    yield schema
    for inner in [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]:
        yield from schemas(inner)
    if "items" in schema:
        yield from schemas(schema["items"])


def test_all_tools_by_name(listed):
    assert [tool["name"] for tool in listed] == sorted(["account-credits", *CONTRACTS])


def test_sizes(listed):
    assert size(listed) <= LIST_MAX
    assert {tool["name"]: size(tool) for tool in listed if size(tool) > TOOL_MAX} == {}
    assert size([tool for tool in listed if CONTRACTS.get(tool["name"], {}).get("group") == "utils"]) <= UTILS_MAX


def test_tokens(site, listed):
    """Hosts put the whole list before a model: at most 15,000 tokens of o200k. For this list,
    token-counter estimates 11.7 % more than the tokenizer counts (November 2026): 16,750."""
    from kit.client import Client
    client, account, tokens = Client(site), site.open_account(100), 0
    for i in range(0, len(listed), 10):  # each request has at most 64 KB
        text = json.dumps(listed[i:i + 10], separators=(",", ":"), ensure_ascii=False)
        answer = client.call(account, "token-counter", {"text": text, "model": "gpt-4o"})
        tokens += answer.json()["result"]["models"][0]["estimated_input_tokens"]
    assert tokens <= TOKENS_MAX


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("query, wish, is_packed", [
    ("", "gzip, deflate", True), ("", "br", False), ("", "gzip;q=0", False), ("?groups=utils", "gzip", False)])
def test_all_of_them_compressed_is_the_same_list(site, era, query, wish, is_packed):
    from kit.client import Client
    agent = Agent(Client(site), site.open_account(), era, query)
    plain, wished = agent.ask("tools/list"), agent.ask("tools/list", headers={"Accept-Encoding": wish})
    assert (wished.headers["Content-Encoding"] == "gzip") == is_packed
    assert wished.json()["result"] == plain.json()["result"]
    if is_packed:
        assert int(wished.headers["Content-Length"]) < len(plain.body) / 3


def test_names_and_descriptions(listed):
    for tool in listed:
        assert set(tool) == {"name", "title", "description", "inputSchema", "annotations", "_meta"}
        assert re.fullmatch(r"[a-z][a-z0-9-]{0,31}", tool["name"])
        assert len(tool["description"].encode()) <= DESCRIPTION_MAX
        contract = CONTRACTS.get(tool["name"])
        if contract:
            assert f" {contract['credits']} credit" in tool["description"]
            limits = LIMITS[contract["rate_class"]]
            for limit in limits.values():
                assert f"; at most {limit} calls a " in tool["description"]


def test_all_providers_accept_the_input_schemas(listed):
    for tool in listed:
        root = tool["inputSchema"]
        jsonschema.Draft202012Validator.check_schema(root)
        assert root["type"] == "object" and set(root) <= ROOT_KEYS, tool["name"]
        for schema in schemas(root):
            check_schema(tool["name"], schema, schema is root)


def check_schema(name, schema, is_root):
    assert set(schema) <= KEYS, (name, schema)
    assert ("type" in schema) != ("anyOf" in schema), (name, schema)
    assert schema.get("type", "string") in TYPES, (name, schema)
    for branch in schema.get("anyOf", []):
        assert "anyOf" not in branch and branch["type"] != "null", (name, schema)
    if schema.get("type") == "array":
        assert "type" in schema["items"] or "anyOf" in schema["items"], (name, schema)
    assert all(isinstance(choice, str) for choice in schema.get("enum", [])), (name, schema)
    assert set(schema.get("required", [])) <= set(schema.get("properties", {})), (name, schema)
    for key in schema.get("properties", {}):
        assert re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", key), (name, key)


def test_hints(listed):
    for tool in listed:
        contract = CONTRACTS.get(tool["name"], {"credits": 0})
        is_read_only = contract["credits"] < ASK_FROM and not contract.get("intrusive", False)
        assert tool["annotations"] == {
            "readOnlyHint": is_read_only,
            **({} if is_read_only else {"destructiveHint": False}),
            **({} if contract.get("open_world") else {"openWorldHint": False})}, tool["name"]
        assert tool["_meta"] == {"tollgate/credits": contract["credits"]}


def test_output_schemas(site):
    from kit.client import Client
    account = site.open_account()
    groups = {contract["group"] for contract in CONTRACTS.values()}
    seen = set()
    for group in sorted(groups):
        for tool in Agent(Client(site), account, query=f"?groups={group}&output=schema").tools():
            seen.add(tool["name"])
            contract = CONTRACTS.get(tool["name"], {})
            assert ("outputSchema" in tool) == ("raw" not in contract), tool["name"]
            if "outputSchema" in tool:
                check_output(tool["outputSchema"], contract)
    assert seen == {"account-credits", *CONTRACTS}


def check_output(schema, contract):
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object" and set(schema) == ROOT_KEYS
    properties = contract.get("result", {}).get("properties", {})
    for name, inner in schema["properties"].items():
        assert set(inner) <= {"type", "enum"} and isinstance(inner.get("type", ""), str)
        assert "agent" not in properties.get(name, {})
    for example in contract.get("examples", []):
        if "result" in example:
            shown = {name: value for name, value in example["result"].items() if name in schema["properties"]}
            jsonschema.Draft202012Validator(schema).validate(shown)


# -- the view against the contract --


def canonical(schema, value):
    """A request as an agent would write it: names, not aliases; texts where the view has no number
    next to them."""
    types = schema.get("type", [])
    if isinstance(types, list) and "string" in types and type(value) in (int, float):
        return str(value)
    if isinstance(value, list):
        return [canonical(schema.get("items", {}), item) for item in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    names = {alias: name for name, inner in schema["properties"].items() for alias in inner.get("aliases", [])}
    return {names.get(name, name): canonical(schema["properties"].get(names.get(name, name), {}), item)
            for name, item in value.items()}


@pytest.mark.parametrize("tool", CONTRACTS)
def test_examples_fit_the_view(listed, tool):
    """What the documentation shows can be asked by an agent. A hint promises nothing, so schemas
    with a hint are skipped."""
    schema = next(entry["inputSchema"] for entry in listed if entry["name"] == tool)
    hinted = [name for name, field in CONTRACTS[tool]["request"]["properties"].items() if "hint_type" in str(field)]
    schema = schema | {"properties": schema["properties"] | dict.fromkeys(hinted, {})}
    requests = [canonical(CONTRACTS[tool]["request"], example["request"]) for example in CONTRACTS[tool]["examples"]]
    assert requests
    for request in requests:
        jsonschema.Draft202012Validator(schema).validate(request)


def types_of(schema):
    types = schema.get("type", "object" if "properties" in schema else list(TYPES))
    return set(types if isinstance(types, list) else [types])


def permits_more(view, contract, where):
    """Yield each type or name of the view that the contract rejects."""
    for branch in view.get("anyOf", [view]):
        if branch["type"] not in types_of(contract) and not (branch["type"] == "integer" and
                                                             "number" in types_of(contract)):
            yield f"{where}: {branch['type']}"
        for name, inner in branch.get("properties", {}).items():
            if name not in contract.get("properties", {}):
                yield f"{where}.{name}"
            else:
                yield from permits_more(inner, contract["properties"][name], f"{where}.{name}")
        for key in ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"):
            if key in contract and key not in branch and key in applicable(branch["type"]):
                yield f"{where}: no {key}"
        if "items" in branch and "items" in contract:
            yield from permits_more(branch["items"], contract["items"], f"{where}[]")


def applicable(type_):
    return {"integer": ("minimum", "maximum"), "number": ("minimum", "maximum"), "string": ("minLength", "maxLength"),
            "array": ("minItems", "maxItems")}.get(type_, ())


def test_the_view_permits_only_valid_requests(listed):
    faults = [fault for tool in listed if tool["name"] in CONTRACTS
              for fault in permits_more(tool["inputSchema"], CONTRACTS[tool["name"]]["request"], tool["name"])]
    assert faults == []


# -- the tool filter --


@pytest.mark.parametrize("query, wanted", [
    ("?groups=utils", lambda contract: contract["group"] == "utils"),
    ("?tools=dns-lookup,tls-check", lambda contract: contract["tool"] in ("dns-lookup", "tls-check")),
    ("?groups=email&tools=dns-lookup", lambda contract: contract["group"] == "email"
     or contract["tool"] == "dns-lookup"),
    ("?max_price=1", lambda contract: contract["credits"] <= 1),
    ("?groups=email&max_price=3", lambda contract: contract["group"] == "email"
     and contract["credits"] <= 3),
    ("?tools=account-credits", lambda contract: False),
    ("?", lambda contract: True),
])
def test_the_tool_filter(api, account, query, wanted):
    names = [tool["name"] for tool in Agent(api, account, query=query).tools()]
    assert names == sorted(["account-credits", *(name for name, contract in CONTRACTS.items() if wanted(contract))])
