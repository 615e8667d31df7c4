"""A tool's contract is complete, so that the OpenAPI document and the tool's page are.

- It describes every field.
- It lists every error code that the tool's source or its request schema can return. run_tool_with()
  of tests/unit/tool.h and tests/api/test_cases.py find codes from shared code.
- The tools under `calls` exist, in other groups.
"""

import re

import lint

CODES = "common/base/err.def"
PARTS = ("request", "result")
TOOL_CODE = re.compile(r'ERR\((\w+), \d+, "(\w+)", TOOL\)')


def unexplained(schema, path):
    """Paths of properties without a description, at any depth."""
    for name, field in schema.get("properties", {}).items():
        if not isinstance(field.get("description"), str):
            yield f"{path}.{name}"
        yield from unexplained(field, f"{path}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from unexplained(schema["items"], f"{path}[]")


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
    return sorted(possible - set(document.get("errors", [])))


def uncallable(root, file, document):
    """Why a gateway would reject its subjobs: common/svc/subjobs.h."""
    for tool in document.get("calls", []):
        groups = [found.parents[1].name for found in root.glob(f"svc-*/{tool}/{tool}.yaml")]
        if not groups:
            yield f"calls {tool}, which is not a tool"
        elif file.parents[1].name in groups:
            yield f"calls {tool}, which is in the same group"


def check(root):
    codes = tool_codes(root)
    contracts = lint.contracts(root)
    for file, document in contracts.items():
        for why in uncallable(root, file, document):
            yield f"{file.relative_to(root)}: {why}"
        for part in PARTS:
            for path in unexplained(document.get(part, {}), part):
                yield f"{file.relative_to(root)}: {path} has no description"
        for code in unlisted(file, document, codes):
            yield f"{file.relative_to(root)}: errors lacks {code}"
    if not contracts:
        yield "no contract found"


def contract(part, schema):
    return {"svc-x/tool/tool.yaml": f"tool: tool\n{part}: {schema}\n"}


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
    ("a code in its tests", source("tests/tool.c", "err_set(err, ERR_BAD_INK);"), 0),
    ("no contract", {"svc-x/tool/data.yaml": "a: b\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "add the description, code or tool that the line names to the contract.")
