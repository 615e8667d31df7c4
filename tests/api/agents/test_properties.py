"""REST and MCP give the same result for any request. python3-hypothesis makes requests from each
contract: valid, nearly valid and random. Never 500, only documented statuses and codes, the same
result, the same charge.

The tools are those that contact nobody else, so the result depends on the request alone. The
requests are the same in every run.
"""

import json

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as make

from kit.agents.host import Agent
from kit.client import Client
from kit.contracts import CONTRACTS, goes_out, is_get, send, shown

TRIES = 12  # a tool
MAX_BYTES = 20000  # of a request, which a message contains
PURE = sorted(name for name, contract in CONTRACTS.items() if not goes_out(contract) and not contract.get("raw"))

BY_THE_CLOCK = {"chatplatform-timestamp", "jwt-decode"}  # the result has a relative time

WORDS = make.text(max_size=30) | make.sampled_from(["", "a\u0000b", "\u202e", "*", "0", "-1", "null", "A" * 300])
ANYTHING = make.recursive(make.none() | make.booleans() | make.integers(-2**53, 2**53) | WORDS
                          | make.floats(allow_nan=False, allow_infinity=False),
                          lambda inner: make.lists(inner, max_size=4) | make.dictionaries(WORDS, inner, max_size=4),
                          max_leaves=8)


def numbers(schema, kind):
    low, high = schema.get("minimum", -10), schema.get("maximum", 10**6)
    return kind(low - 1, high + 1) | make.sampled_from([low, high])


def texts(schema):
    """Words, and texts with a length near the limits."""
    edges = [schema[name] + step for name in ("minLength", "maxLength") if name in schema for step in (-1, 0, 1)]
    return WORDS | make.sampled_from([("x" * edge)[:MAX_BYTES] for edge in edges if edge >= 0] or ["x"])


def value_of(schema):
    """A value that fits the schema, or nearly."""
    kinds = schema.get("type", schema.get("hint_type", []))
    made = [make.sampled_from(schema["enum"])] if "enum" in schema else []
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        made.append({"string": lambda: texts(schema), "boolean": make.booleans, "null": make.none,
                     "integer": lambda: numbers(schema, make.integers),
                     "number": lambda: numbers(schema, lambda low, high: make.floats(low, high, allow_nan=False)),
                     "array": lambda: make.lists(value_of(schema.get("items", {})), max_size=4),
                     "object": lambda: object_of(schema)}[kind]())
    return make.one_of(made) if made else ANYTHING


def object_of(schema):
    properties = {name: value_of(inner) for name, inner in schema.get("properties", {}).items()}
    required = set(schema.get("required", []))
    return make.fixed_dictionaries({name: values for name, values in properties.items() if name in required},
                                   optional={name: values for name, values in properties.items()
                                             if name not in required})


@make.composite
def requests(draw, contract):
    """An example of the contract or an object of its schema; sometimes without a member, or with a
    random or unknown one."""
    examples = [example["request"] for example in contract["examples"]]
    request = dict(draw(make.sampled_from(examples) | object_of(contract["request"])))
    harm = draw(make.sampled_from(["none", "none", "lose", "wild", "more"]))
    if harm == "more":
        request[draw(make.sampled_from(["nobody", "Input", "__proto__", ""]))] = draw(ANYTHING)
    elif harm != "none" and request:
        name = draw(make.sampled_from(sorted(request)))
        lost = request.pop(name)
        if harm == "wild":
            request[name] = draw(ANYTHING | make.just([lost]))
    return request if len(json.dumps(request)) <= MAX_BYTES else {}


def hidden(contract):
    return {name for name, schema in contract.get("result", {}).get("properties", {}).items() if "agent" in schema}


def check_success(contract, rest, result):
    assert result["isError"] is False, (rest, result)
    schema = {"properties": contract["result"].get("properties", {})}
    wanted = {name: value for name, value in rest.result.items() if name not in hidden(contract)}
    if contract.get("retryable") and contract["tool"] not in BY_THE_CLOCK:
        assert shown(schema, result["structuredContent"]) == shown(schema, wanted)
    else:
        assert result["structuredContent"].keys() == wanted.keys()


def check_refusal(document, contract, rest, result):
    """A status with codes that /openapi.json lists for this tool; the same in both."""
    error = result["_meta"]["tollgate/error"]
    assert result["isError"] is True and error["status"] == rest.status_code != 500, (rest, result)
    assert error["errors"] == rest.json()["errors"], (rest, result)
    response = document["paths"][f"/v1/client/{{auuid}}/tools/{contract['tool']}"]["post"]["responses"][
        str(rest.status_code)]
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].split("/")[-1]]
    schema = response["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver("", document)).validate(rest.json())


@pytest.fixture(scope="module")
def document(site):
    return Client(site).get("/openapi.json").json()


@pytest.fixture(scope="module")
def rich(site):
    """An account without limits."""
    return site.open_account(100000, limits_off=True)


@pytest.mark.parametrize("tool", PURE)
def test_both_say_the_same(site, document, rich, ledger, tool):
    contract = CONTRACTS[tool]
    account = rich

    @settings(max_examples=TRIES, deadline=None, database=None, derandomize=True,
              suppress_health_check=list(HealthCheck))
    @given(requests(contract))
    def check(request):
        client = Client(site)  # with its own address, which is not limited
        before = ledger.charged(account)
        rest = send(client, account, contract, request, {"Prefer": "handling=strict"})  # as MCP is
        between = ledger.charged(account)
        answer = Agent(client, account, "modern").call(tool, request)
        after = ledger.charged(account)
        result = answer.json()["result"]
        if "tollgate/arguments" in result["_meta"]:  # REST takes no string for a number
            assert rest.status_code == 400, (rest, result)
            assert after - between == (0 if result["isError"] else contract["credits"])
            return
        if rest.status_code == 200:
            check_success(contract, rest, result)
        else:
            check_refusal(document, contract, rest, result)
        wanted = contract["credits"] if rest.status_code == 200 else 0
        assert (between - before, after - between) == (wanted, wanted), (rest, answer)

    check()


def test_most_pure_tools_are_here():
    assert len(PURE) >= 15 and not any(is_get(CONTRACTS[tool]) for tool in PURE)
