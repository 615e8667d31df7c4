"""tests/faults/agents/test_cut_results.py - each tool's largest results, to agents: cut at the
places that its contract names under `cut`, and nowhere else.

A result has all that its schema has, with long lists and long texts. The test's worker sends it.
"""

import json
import re
import threading

import pytest

from kit.agents.line import AgentLine
from kit.contracts import CONTRACTS, copy_contracts
from kit.load import SETTINGS
from kit.schema import faults
from kit.site import Site
from kit.worker import WELCOME, Worker

pytestmark = pytest.mark.xdist_group("cut_results")

LIMIT = 65536  # mcp.result_max_bytes
REPLY_LIMIT = 4 << 20  # of a contract without max_reply_bytes
ITEMS, ITEMS_INSIDE = 200, 4
SHORT, TEXT, BIG = "text", "a longer text. " * 20, "fn main() {}\n" * 4800
TIMES = {"date-time": "2026-01-01T00:00:00Z"}
PATTERNS = {"^([0-9]+(-[0-9]+)?)?$": "12", "^[0-9]{4}-[0-9]{2}$": "2026-01"}
CUT = [name for name, contract in CONTRACTS.items() if "cut" in contract]


@pytest.fixture(scope="module")
def stack(own_stack, tmp_path_factory):
    folder = tmp_path_factory.mktemp("contracts")
    copy_contracts(folder, CUT)
    return own_stack(daemons=0, settings=SETTINGS | {"contracts_dir": str(folder)})


# -- a large result --


def text_of(schema, depth, is_ruled):
    if "pattern" in schema:
        return PATTERNS[schema["pattern"]]
    if "format" in schema:
        return TIMES[schema["format"]]
    if "maxLength" in schema:
        return BIG[:schema["maxLength"]]
    return TEXT if depth else BIG if is_ruled else SHORT


def value_of(schema, path, rules, depth=0):
    if "enum" in schema or "const" in schema:
        return next(value for value in schema.get("enum", [schema.get("const")]) if value is not None)
    types = schema.get("type", "object" if "properties" in schema else "string")
    kind = next(name for name in ([types] if isinstance(types, str) else types) if name != "null" or types == "null")
    is_ruled = any(names(rule, path) for rule in rules)
    if kind == "string":
        return text_of(schema, depth, is_ruled)
    if kind == "array":
        return list_of(schema, path, rules, depth, is_ruled)
    if kind == "object" and "properties" in schema:
        return {name: value_of(inner, f"{path}.{name}" if path else name, rules, depth)
                for name, inner in schema["properties"].items() if "agent" not in inner}
    if kind == "object":
        return {f"member {n}": BIG if is_ruled or names_inside(rules, path) else SHORT for n in range(4)}
    return {"integer": schema.get("minimum", schema.get("maximum", 1)), "number": schema.get("minimum", 0.5),
            "boolean": False, "null": None}[kind]


def list_of(schema, path, rules, depth, is_ruled):
    count = 2 if not is_ruled else ITEMS if depth == 0 else ITEMS_INSIDE
    count = max(schema.get("minItems", 0), min(count, schema.get("maxItems", count)))
    return [value_of(schema.get("items", {}), f"{path}[]", rules, depth + 1) for _ in range(count)]


# -- rules, read by other code than the gateway's --


def pattern_of(rule):
    """* is one name; ** is the place and all inside."""
    inside = rule.endswith(".**")
    escaped = re.escape(rule.removesuffix(".**")).replace(r"\*", r"[^.\[]+")
    return escaped + (r"([.\[].*)?" if inside else "")


def names(rule, path):
    return re.fullmatch(pattern_of(rule), path) is not None


def names_inside(rules, path):
    return any(names(rule, f"{path}.member 1") for rule in rules)


# -- the test --


def ask(stack, account, tool, result):
    """The MCP result of a call to which the tool's worker responds with this result."""
    line = AgentLine(Site.of(stack), tuple(stack.gateways[0]))
    assert line.open()
    arguments = CONTRACTS[tool]["examples"][0]["request"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    got = []
    group = CONTRACTS[tool]["group"]
    with Worker(stack, keys=f"svc-{group}") as worker:
        assert worker.serve(group=group, slots=1, tools=(tool,)) == WELCOME
        thread = threading.Thread(target=lambda: got.append(line.request(account, "mcp", json.dumps(message))))
        thread.start()
        worker.reply(worker.job().id, json.dumps(result).encode())
        thread.join()
    line.close()
    status, _, content = got[0]
    assert status == 200, content[:500]
    return json.loads(content)["result"]


def shown_schema(contract):
    """Of the result as agents get it."""
    schema = contract["result"]
    hidden = {name for name, inner in schema["properties"].items() if "agent" in inner}
    return schema | {"required": [name for name in schema.get("required", []) if name not in hidden]}


@pytest.mark.parametrize("tool", CUT)
def test_only_the_rules_places_are_cut(stack, books, tool):
    contract = CONTRACTS[tool]
    schema, rules = shown_schema(contract), [rule["at"] for rule in contract["cut"]]
    account = Site.of(stack).open_account(100, limits_off=True)
    large = value_of(contract["result"], "", rules)
    assert not list(faults(schema, large)), "the test's own result is invalid"
    size = len(json.dumps(large))
    assert LIMIT < size <= contract.get("max_reply_bytes", REPLY_LIMIT), "the test's own result has the wrong size"
    result = ask(stack, account, tool, large)
    assert not result["isError"], result
    shown = result["structuredContent"]
    assert len(json.dumps(shown, separators=(",", ":"))) <= LIMIT
    assert shown["truncated"] is True and shown.keys() == large.keys() | {"truncated"}
    if "truncated" not in large:
        del shown["truncated"]  # outputSchema permits it, the contract does not list it
    assert not list(faults(schema, shown))
    for place in result["_meta"]["tollgate/truncated"]:
        assert any(names(rule, place["path"]) for rule in rules), place
        assert place.get("shown", 0) < place.get("total", place.get("bytes")), place
    assert result["content"][0]["text"].startswith(f"Cut to {LIMIT} bytes. ")
    assert books.charged(account) == contract["credits"]
