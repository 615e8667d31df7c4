"""/openapi.json: valid as OpenAPI 3.1, complete, and consistent with its own examples.

Debian 12 has no validator for OpenAPI 3.1. This test checks the important rules, and every schema
and example by JSON Schema 2020-12 (python3-jsonschema), which 3.1 uses.
"""

import json
import re

import jsonschema
import pytest

from kit.agents.host import Agent
from kit.portal.orders import Orders

METHODS = {"get", "post"}
OTHERS = {"/v1/tools", "/v1/client/{auuid}/mcp"}  # without price and windows
STATUSES = {"200", "400", "403", "429", "500", "502", "503", "504", "default"}


@pytest.fixture
def document(api):
    answer = api.get("/openapi.json")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("application/json")
    return answer.json()


def operations(document):
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def resolve(document, node):
    """The node itself, or the target of its $ref."""
    while "$ref" in node:
        target = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def nodes(node):
    yield node
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        yield from nodes(child)


def media_types(document, operation):
    """Every (media type, its object) of the body and of all responses."""
    bodies = [operation["requestBody"]] if "requestBody" in operation else []
    bodies += [resolve(document, response) for response in operation["responses"].values()]
    for body in bodies:
        yield from body.get("content", {}).items()


def check(document, schema, value):
    """Whether the value fits a schema of the document, whose references start at the document."""
    resolver = jsonschema.RefResolver("", document)
    jsonschema.Draft202012Validator(schema, resolver=resolver).validate(value)


def test_head(document):
    assert document["openapi"] == "3.1.0"
    assert document["info"]["title"] and document["info"]["version"] == "1.0.0"
    assert document["servers"][0]["url"].startswith("https://")
    assert document["security"] == [{"bearer": []}]
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"


def test_references_lead_somewhere(document):
    for node in nodes(document):
        if isinstance(node, dict) and isinstance(node.get("$ref"), str):
            assert resolve(document, node)


def test_operations_are_whole(document):
    tags = {tag["name"] for tag in document["tags"]}
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(ids) == len(set(ids)) > 1
    for path, method, operation in operations(document):
        assert operation["summary"] and operation["description"] and set(operation["tags"]) <= tags
        if path in OTHERS:
            continue
        assert re.fullmatch(r"/v1/client/\{auuid\}/(tools/[a-z0-9-]+|account/(?:credits|usage|requests|invoices|limits"
                            r"|tokens(?:/\{id\}(?:/(?:revoke|rotate))?)?)"
                            r"|tools/\{tool\}/dry-run)", path)
        assert method in METHODS
        assert STATUSES <= set(operation["responses"])
        assert isinstance(operation["x-credits"], int) and operation["x-credits"] >= 0
        assert operation["x-rate-limit"]["account_per_minute"] == 60
        assert ("requestBody" in operation) == (method == "post")


def test_parameters_are_unique_and_declared(document):
    for path, _, operation in operations(document):
        parameters = [resolve(document, parameter) for parameter in operation["parameters"]]
        names = [(parameter["in"], parameter["name"]) for parameter in parameters]
        assert len(names) == len(set(names))
        in_path = {parameter["name"] for parameter in parameters if parameter["in"] == "path"}
        assert in_path == set(re.findall(r"\{(\w+)\}", path))
        assert all(p["required"] for p in parameters if p["in"] == "path")


def test_schemas_are_schemas(document):
    for _, _, operation in operations(document):
        for _, media in media_types(document, operation):
            if "schema" in media:
                jsonschema.Draft202012Validator.check_schema(media["schema"])
        for parameter in operation["parameters"]:
            schema = resolve(document, parameter)["schema"]
            jsonschema.Draft202012Validator.check_schema(schema)


def schemas_in(schema):
    """A schema and all schemas in it."""
    yield schema
    for inner in (*schema.get("properties", {}).values(), *schema.get("allOf", ()), *schema.get("anyOf", ()),
                  *schema.get("oneOf", ())):
        yield from schemas_in(inner)
    if "items" in schema:
        yield from schemas_in(schema["items"])


def types(schema):
    return [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])


def all_schemas(document):
    """Every schema of the document, with the path of its operation or its name."""
    for path, _, operation in operations(document):
        for _, media in media_types(document, operation):
            yield from ((path, schema) for schema in schemas_in(media.get("schema", {})))
        for parameter in operation["parameters"]:
            yield from ((path, schema) for schema in schemas_in(resolve(document, parameter)["schema"]))
    for name, schema in document["components"]["schemas"].items():
        yield from ((name, schema) for schema in schemas_in(schema))


def test_arrays_say_what_is_in_them(document):
    """JSON Schema does not require it, but generators of clients and linters do."""
    assert [(where, schema) for where, schema in all_schemas(document)
            if "array" in types(schema) and "items" not in schema] == []


def test_objects_have_a_type(document):
    assert [(where, schema) for where, schema in all_schemas(document)
            if "properties" in schema and "object" not in types(schema) and "$ref" not in schema] == []


def test_bodies_are_objects_whatever_else_is_said_of_them(document):
    """Generators of clients take an anyOf next to properties, with schemas without a type, as any
    value."""
    bodies = {path: operation["requestBody"]["content"]["application/json"]["schema"]
              for path, _, operation in operations(document) if "requestBody" in operation}
    assert [path for path, body in bodies.items() if types(body) != ["object"] or "anyOf" in body] == []
    assert sum("allOf" in body for body in bodies.values()) > 0  # some accept one of several fields


def test_examples_fit_their_schemas(document):
    seen = 0
    for _, _, operation in operations(document):
        for _, media in media_types(document, operation):
            for example in media.get("examples", {}).values():
                check(document, media["schema"], example["value"])
                seen += 1
        for parameter in operation["parameters"]:
            parameter = resolve(document, parameter)
            if "example" in parameter:
                check(document, parameter["schema"], parameter["example"])
    assert seen > 0


def test_nothing_of_the_contract_language_is_left(document):
    for _, _, operation in operations(document):
        for _, media in media_types(document, operation):
            for node in nodes(media.get("schema", {})):
                if isinstance(node, dict) and isinstance(node.get("properties"), dict):
                    ours = {"aliases", "allow_nul", "choices", "multiline", "one_of_exclusive", "one_of_required",
                            "example"} & set(node)
                    assert not ours


def test_rejections_fit_the_document(document, api):
    """A real rejection fits the document's schema for it, code included."""
    account = "00000000-0000-4000-8000-000000000000"
    answer = api.get(f"/v1/client/{account}/account/credits", headers={"Authorization": ""})
    path = "/v1/client/{auuid}/account/credits"
    responses = document["paths"][path]["get"]["responses"]
    response = resolve(document, responses[str(answer.status_code)])
    assert answer.status_code == 403
    check(document, response["content"]["application/json"]["schema"], answer.json())


def answer_fits(document, path, method, answer):
    """The document has the status, and the body fits its schema."""
    responses = document["paths"][path][method]["responses"]
    response = resolve(document, responses[str(answer.status_code)])
    check(document, response["content"]["application/json"]["schema"], answer.json())


@pytest.mark.parametrize("what", ["credits", "usage", "usage?group_by=tool", "limits", "usage?x=1"])
def test_reads_of_an_account_are_as_documented(document, api, account, what):
    api.call(account, "hash-generate", {"input": "a"})
    answer = api.read(account, f"account/{what}")
    assert answer.status_code == (400 if what == "usage?x=1" else 200), answer
    answer_fits(document, f"/v1/client/{{auuid}}/account/{what.split('?')[0]}", "get", answer)


def test_invoices_are_as_documented(document, api, site, account):
    with Orders(site, account.id, None) as orders:
        orders.make("paid", refunded=500)
    answer = api.read(account, "account/invoices")
    assert len(answer.result["invoices"]) == 2
    answer_fits(document, "/v1/client/{auuid}/account/invoices", "get", answer)


def test_prices_are_as_documented(document, api):
    answer_fits(document, "/v1/tools", "get", api.get("/v1/tools"))
    assert document["paths"]["/v1/tools"]["get"]["security"] == []


@pytest.mark.parametrize("body, headers, query, status", [
    ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {}, "", 200),
    ({"jsonrpc": "2.0", "id": 1, "method": "x"}, {}, "", 200),
    ([], {}, "", 400), ({}, {"Content-Type": "text/plain"}, "", 415), ({}, {"Authorization": None}, "", 403),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {}, "?group=x", 400)])
def test_messages_of_agents_are_answered_as_documented(document, api, account, body, headers, query, status):
    answer = Agent(api, account, query=query).post(json.dumps(body), headers)
    assert answer.status_code == status, answer
    answer_fits(document, "/v1/client/{auuid}/mcp", "post", answer)
