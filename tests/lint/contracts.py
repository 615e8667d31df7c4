"""Every field of every contract says what it means: the OpenAPI document and the tools' pages are made of that."""

import yaml

import lint

CONTRACTS = "svc-*/*.yaml"
PARTS = ("request", "result")


def unexplained(schema, path):
    """Paths of the properties at any depth that have no description."""
    for name, field in schema.get("properties", {}).items():
        if not isinstance(field.get("description"), str):
            yield f"{path}.{name}"
        yield from unexplained(field, f"{path}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from unexplained(schema["items"], f"{path}[]")


def check(root):
    contracts = 0
    for file in sorted(root.glob(CONTRACTS)):
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        if not isinstance(document, dict) or "tool" not in document:
            continue
        contracts += 1
        for part in PARTS:
            for path in unexplained(document.get(part, {}), part):
                yield f"{file.relative_to(root)}: {path} has no description"
    if contracts == 0:
        yield f"{CONTRACTS}: no contract found"


def contract(part, schema):
    return {"svc-x/tool.yaml": f"tool: tool\n{part}: {schema}\n"}


EXAMPLES = [
    ("explained", contract("result", "{ properties: { a: { type: string, description: What it is } } }"), 0),
    ("a field of the result", contract("result", "{ properties: { a: { type: string } } }"), 1),
    ("a field of the request", contract("request", "{ properties: { a: { type: string } } }"), 1),
    ("a field inside", contract("result", "{ properties: { a: { description: b, properties: { c: {} } } } }"), 1),
    ("a field of an item", contract("result", "{ properties: { a: { description: b, items: { properties: "
                                              "{ c: {} } } } } }"), 1),
    ("a field called description", contract("result", "{ properties: { description: { type: string } } }"), 1),
    ("no contract", {"svc-x/data.yaml": "a: b\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES)
