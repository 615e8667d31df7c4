"""A tool's contract is complete, so that the OpenAPI document and the tool's page are.

- It describes every field.
- It lists every error code that the tool's source or its request schema can return. run_tool_with()
  of tests/unit/tool.h and tests/api/test_cases.py find codes from shared code.
- The tools under `calls` exist, in other groups.
- A result that can be too large for agents' hosts has rules of what they miss, and each rule names
  a place that can lose something.
"""

import re

import lint

CODES = "common/base/err.def"
PARTS = ("request", "result")
REPLY_BYTES = 4 << 20  # max_reply_bytes, if a contract has none
AGENT_BYTES = 64 << 10  # mcp.result_max_bytes, if an operator sets none
TOOL_CODE = re.compile(r'ERR\((\w+), \d+, "(\w+)", TOOL\)')


def unexplained(schema, path):
    """Paths of properties without a description, at any depth."""
    for name, field in schema.get("properties", {}).items():
        if not isinstance(field.get("description"), str):
            yield f"{path}.{name}"
        yield from unexplained(field, f"{path}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from unexplained(schema["items"], f"{path}[]")


# Codes that a tool's source names because its response is not that error.
NEVER_RETURNED = {"ai-moderation": {"model_refused"}}


def tool_codes(root):
    """{kind: code} of the codes that only a contract lists."""
    table = root / CODES
    return dict(TOOL_CODE.findall(table.read_text(encoding="utf-8"))) if table.exists() else {}


def named_codes(contract, codes):
    """The codes that the sources in a tool's folder name."""
    for file in contract.parent.rglob("*.c"):
        if "tests" not in file.relative_to(contract.parent).parts:
            text = lint.without_comments_and_strings(file.read_text(encoding="utf-8"))
            yield from (codes[kind] for kind in re.findall(r"\bERR_(\w+)", text) if kind in codes)


def takes_large_integers(schema):
    """Does it accept integers as strings, at any depth? Then precision_loss is possible."""
    types = schema.get("type")
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return isinstance(types, list) and {"integer", "string"} <= set(types) or any(map(takes_large_integers, inner))


def unlisted(file, document, codes):
    possible = set(named_codes(file, codes))
    if takes_large_integers(document.get("request", {})):
        possible.add("precision_loss")
    return sorted(possible - set(document.get("errors", [])) - NEVER_RETURNED.get(file.stem, set()))


def uncallable(root, file, document):
    """Why a gateway would reject its subjobs: common/svc/subjobs.h."""
    for tool in document.get("calls", []):
        groups = [found.parents[1].name for found in root.glob(f"svc-*/{tool}/{tool}.yaml")]
        if not groups:
            yield f"calls {tool}, which is not a tool"
        elif file.parents[1].name in groups:
            yield f"calls {tool}, which is in the same group"


def types_of(schema):
    named = schema.get("type", "object" if "properties" in schema else [])
    return set(named if isinstance(named, list) else [named])


def parts_inside(schema, part):
    """The schemas of the values that one part of a rule's place names."""
    if part == "[]":
        return [schema.get("items", {})] if "array" in types_of(schema) else []
    members = schema.get("properties", {})
    if part != "*":
        return [members[part]] if part in members else []
    return list(members.values()) or [{}]


def can_lose(schema):
    """A text that may be empty, a list that may have one item, or a map."""
    types = types_of(schema)
    text_is_free = not {"enum", "const", "format", "pattern", "minLength"} & schema.keys()
    return bool("string" in types and text_is_free or "array" in types and schema.get("minItems", 0) < 2
                or "object" in types and "properties" not in schema or not types)


def is_place(schema, at):
    *parts, last = re.findall(r"\[\]|[^.\[]+", at)
    found = [schema]
    for part in parts + [last] * (last != "**"):
        found = [inner for outer in found for inner in parts_inside(outer, part)]
    if last == "**":
        return any(types_of(place) & {"array", "object"} or not types_of(place) for place in found)
    return any(map(can_lose, found))


def wrong_cuts(document):
    """What is wrong with the rules of what agents miss of a large result."""
    rules = document.get("cut", [])
    can_pass = "result" in document and document.get("max_reply_bytes", REPLY_BYTES) > AGENT_BYTES
    if can_pass and not rules:
        yield f"result may have more than {AGENT_BYTES} bytes: list under cut what agents miss, or set max_reply_bytes"
    if rules and not can_pass:
        yield "cut has no effect, because the result is never too large"
    for rule in rules:
        if not is_place(document.get("result", {}), rule["at"]):
            yield f"cut: {rule['at']} is not a list, a map or a text of the result that can lose something"
        if "argument" in rule and rule["argument"] not in document["request"].get("properties", {}):
            yield f"cut: {rule['argument']} is not a property of the request"


def check(root):
    codes = tool_codes(root)
    contracts = lint.contracts(root)
    for file, document in contracts.items():
        for why in uncallable(root, file, document):
            yield f"{file.relative_to(root)}: {why}"
        for why in wrong_cuts(document):
            yield f"{file.relative_to(root)}: {why}"
        for part in PARTS:
            for path in unexplained(document.get(part, {}), part):
                yield f"{file.relative_to(root)}: {path} has no description"
        for code in unlisted(file, document, codes):
            yield f"{file.relative_to(root)}: errors lacks {code}"
    if not contracts:
        yield "no contract found"


def contract(part, schema):
    return {"svc-x/tool/tool.yaml": f"tool: tool\nmax_reply_bytes: 65536\n{part}: {schema}\n"}


def cut(rules, more=""):
    """A contract with a result of each kind, and these rules."""
    kinds = {"n": "type: integer", "text": "type: string", "word": "type: string, enum: [a]", "map": "type: object",
             "list": "type: array, items: { properties: { a: { description: a, type: [string, 'null'] } } }",
             "full": "type: array, minItems: 2", "known": "properties: { b: { description: b, type: string } }"}
    result = ", ".join(f"{name}: {{ description: what it is, {kind} }}" for name, kind in kinds.items())
    return {"svc-x/tool/tool.yaml": f"tool: tool\n{more}request: {{ properties: {{ max: {{ description: How many }} }} }}\n"
                                    f"result: {{ properties: {{ {result} }} }}\n{rules}\n"}


def source(path, text, errors=""):
    return {CODES: 'ERR(BAD_INK, 400, "bad_ink", TOOL)\nERR(TOO_DEEP, 400, "too_deep", PLATFORM)\n',
            "svc-x/tool/tool.yaml": f"tool: tool\nerrors: [{errors}]\n", f"svc-x/tool/{path}": text}


def caller(tool):
    return {"svc-x/a/a.yaml": f"tool: a\ncalls: [{tool}]\n", "svc-x/b/b.yaml": "tool: b\n", "svc-y/c/c.yaml": "tool: c\n"}


EXAMPLES = [
    ("calls another group", caller("c"), 0),
    ("calls the same group", caller("b"), 1),
    ("calls an unknown tool", caller("d"), 1),
    ("described", contract("result", "{ properties: { a: { type: string, description: What it is } } }"), 0),
    ("a field of the result", contract("result", "{ properties: { a: { type: string } } }"), 1),
    ("a field of the request", contract("request", "{ properties: { a: { type: string } } }"), 1),
    ("a field inside", contract("result", "{ properties: { a: { description: b, properties: { c: {} } } } }"), 1),
    ("a field of an item", contract("result", "{ properties: { a: { description: b, items: { properties: "
                                              "{ c: {} } } } } }"), 1),
    ("a field called description", contract("result", "{ properties: { description: { type: string } } }"), 1),
    ("a code in the tool's file", source("tool.c", "err_set(err, ERR_BAD_INK);"), 1),
    ("a code in its folder", source("pen/ink.c", "err_set(err, ERR_BAD_INK);"), 1),
    ("a code that is listed", source("tool.c", "err_set(err, ERR_BAD_INK);", "bad_ink"), 0),
    ("a code of every tool", source("tool.c", "err_set(err, ERR_TOO_DEEP);"), 0),
    ("a code in a comment", source("tool.c", "/* ERR_BAD_INK */"), 0),
    ("a code of another tool", source("../other.c", "err_set(err, ERR_BAD_INK);"), 0),
    ("a large number", contract("request", "{ properties: { a: { description: b, type: [integer, string] } } }"), 1),
    ("a large number inside", contract("request", "{ properties: { a: { description: b, type: array, items: "
                                                  "{ type: [string, integer] } } } }"), 1),
    ("a large number in the result", contract("result", "{ properties: { a: { description: b, type: [integer, "
                                                        "string] } } }"), 0),
    ("a large result without rules", cut(""), 1),
    ("a small result without rules", cut("", "max_reply_bytes: 65536\n"), 0),
    ("rules of a small result", cut("cut: [{ at: text }]", "max_reply_bytes: 65536\n"), 1),
    *((f"what agents miss: {at}", cut(f"cut: [{{ at: '{at}' }}]"), 0)
      for at in ("text", "map", "map.*", "map.**", "list", "list[].a", "list[].*", "known.b", "known.**", "list.**")),
    *((f"no place: {at}", cut(f"cut: [{{ at: '{at}' }}]"), 1)
      for at in ("n", "word", "full", "known", "none", "text[]", "text.a", "list.a", "list[]", "list[].b", "n.**", "known.c")),
    ("an argument", cut("cut: [{ at: text, argument: max }]"), 0),
    ("an argument that the tool does not have", cut("cut: [{ at: text, argument: min }]"), 1),
    ("a code in its tests", source("tests/tool.c", "err_set(err, ERR_BAD_INK);"), 0),
    ("no contract", {"svc-x/tool/data.yaml": "a: b\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "add the description, code or tool that the line names to the contract.")
