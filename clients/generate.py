#!/usr/bin/python3
"""clients/generate.py OPENAPI.json - write what the clients have of the gateway's OpenAPI document:

    python/tollgate/tools.py     class Tollgate with a typed call() for each tool
    typescript/tools.d.ts        the types of each tool, for call()
    typescript/get-tools.js      the tools that are called with GET

`make docs` runs it with the document of the build.
"""

import json
import keyword
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TOOL = re.compile(r"/v1/client/\{auuid\}/tools/([a-z0-9-]+)")
JSON = "application/json"
READS = {"AccountCredits": "/v1/client/{auuid}/account/credits", "ToolsList": "/v1/tools"}  # name of the result: path
HEAD = "Generated from the gateway's OpenAPI document: see clients/generate.py. Do not edit."


class Tool:
    def __init__(self, name, method, operation):
        self.name = name
        self.is_get = method == "get"
        self.about = sentence(operation["summary"], operation["x-credits"])
        self.request = query_schema(operation) if self.is_get else operation["requestBody"]["content"][JSON]["schema"]
        content = operation["responses"]["200"]["content"]
        self.result = result_schema(content) if JSON in content else None
        self.has_bytes = set(content) != {JSON}
        self.pascal = pascal(name)


def sentence(summary, credits):
    return f"{summary}: {credits} credit{'' if credits == 1 else 's'}."


def query_schema(operation):
    parameters = [parameter for parameter in operation["parameters"] if parameter.get("in") == "query"]
    return {"type": "object", "required": [parameter["name"] for parameter in parameters if parameter["required"]],
            "properties": {parameter["name"]: parameter["schema"] for parameter in parameters}}


def result_schema(content):
    return content[JSON]["schema"]["properties"]["result"]


def pascal(name):
    return "".join(word.capitalize() for word in re.split("[-_]", name))


def tools(document):
    for path, item in document["paths"].items():
        found = TOOL.fullmatch(path)
        if found:
            [(method, operation)] = item.items()
            yield Tool(found[1], method, operation)


def reads(document):
    """(name, schema) of the other results that the clients return."""
    for name, path in READS.items():
        yield name, result_schema(document["paths"][path]["get"]["responses"]["200"]["content"])


def types_of(schema):
    """Its types; [None]: any value."""
    types = schema.get("type", [None])
    return types if isinstance(types, list) else [types]


def about(schema):
    """The description of a field, with its default, as text of a comment."""
    default = f"Default: {json.dumps(schema['default'], ensure_ascii=False)}" if "default" in schema else ""
    return ". ".join(filter(None, (schema.get("description", "").rstrip("."), default)))


# -- TypeScript --

TS = {None: "unknown", "string": "string", "integer": "number", "number": "number", "boolean": "boolean",
      "null": "null"}


def ts_type(schema, indent=""):
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values:
        return " | ".join(map(json.dumps, values))
    return " | ".join(ts_single(name, schema, indent) for name in types_of(schema))


def ts_single(name, schema, indent):
    if name == "array":
        return f"Array<{ts_type(schema.get('items', {}), indent)}>"
    if name == "object":
        return ts_object(schema, indent) if "properties" in schema else "Record<string, unknown>"
    return TS[name]


def ts_object(schema, indent=""):
    lines = ["{"]
    for field, inner in schema["properties"].items():
        said = about(inner).replace("*/", "* /")
        lines += [f"{indent}  /** {said} */"] if said else []
        mark = "" if field in schema.get("required", []) else "?"
        name = field if field.isidentifier() else json.dumps(field)
        lines.append(f"{indent}  {name}{mark}: {ts_type(inner, indent + '  ')};")
    return "\n".join([*lines, f"{indent}}}"])


def ts_result(tool):
    return " | ".join([f"{tool.pascal}Result"] * bool(tool.result) + ["Uint8Array"] * tool.has_bytes)


def typescript(document):
    all_tools = list(tools(document))
    parts = [f"// {HEAD}"]
    for tool in all_tools:
        parts.append(f"export interface {tool.pascal}Request {ts_object(tool.request)}")
        if tool.result:
            parts.append(f"export interface {tool.pascal}Result {ts_object(tool.result)}")
    parts += [f"export interface {name} {ts_object(schema)}" for name, schema in reads(document)]
    rows = [f"  /** {tool.about} */\n  \"{tool.name}\": {{ request: {tool.pascal}Request; result: {ts_result(tool)} }};"
            for tool in all_tools]
    parts.append("\n".join(["export interface Tools {", *rows, "}"]))
    return "\n\n".join(parts) + "\n"


def get_tools_js(document):
    return f"// {HEAD}\nexport const getTools = new Set({json.dumps(get_tools(document))});\n"


def get_tools(document):
    return [tool.name for tool in tools(document) if tool.is_get]


# -- Python --

PY = {None: "Any", "string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
PY_HEAD = f'''"""{HEAD}"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

from .client import Client

if TYPE_CHECKING:  # typing has NotRequired from Python 3.11 on; type checkers know this module
    from typing_extensions import NotRequired
'''
PY_CLASS = '''class Tollgate(Client):
    """See Client for the arguments."""

    get_tools = frozenset({get_tools})

    def credits(self) -> AccountCredits:
        """The balance, and what this token can spend."""
        found: AccountCredits = self.get(f"{{self.account_path}}/account/credits")
        return found

    def tools(self) -> ToolsList:
        """All tools of the server with prices and limits, and the credit packs."""
        found: ToolsList = self.get("/v1/tools")
        return found

{calls}

    def call(self, tool: Any, request: Any, *, idempotency_key: str | None = None) -> Any:
        """The result of a tool. Each attempt has the same key, so it is charged at most once."""
        return self.send(tool, request, idempotency_key=idempotency_key).result
'''


class Python:
    """Collects the classes of the objects in a schema: those of inner objects come first."""

    def __init__(self):
        self.classes = []

    def type(self, schema, name):
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if values:
            return f"Literal[{', '.join(map(repr, values))}]"
        return " | ".join(self.single(kind, schema, name) for kind in types_of(schema))

    def single(self, kind, schema, name):
        if kind == "array":
            return f"list[{self.type(schema.get('items', {}), name)}]"
        if kind == "object":
            return self.add(name, schema) if "properties" in schema else "dict[str, Any]"
        return PY[kind]

    def add(self, name, schema):
        """Add the class of an object; returns its name."""
        fields = {field: (self.field(schema, field, inner, name), about(inner))
                  for field, inner in schema["properties"].items()}
        make = py_class if all(map(is_py_name, fields)) else py_function
        self.classes.append(make(name, fields))
        return name

    def field(self, schema, field, inner, name):
        found = self.type(inner, name + pascal(field))
        return found if field in schema.get("required", []) else f"NotRequired[{found}]"


def is_py_name(field):
    return field.isidentifier() and not keyword.iskeyword(field)


def py_class(name, fields):
    lines = [f"class {name}(TypedDict):"]
    for field, (found, said) in fields.items():
        lines.append(f"    {field}: {found}")
        lines += [f"    {docstring(said)}"] if said else []
    return "\n".join(lines) if fields else lines[0] + "\n    pass"


def py_function(name, fields):
    """For a class with a field such as `from`."""
    rows = [f"    {field!r}: {found!r}," for field, (found, _) in fields.items()]
    return "\n".join([f"{name} = TypedDict({name!r}, {{", *rows, "})"])


def docstring(text):
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{text} """' if text.endswith('"') else f'"""{text}"""'


def py_call(tool):
    result = " | ".join([f"{tool.pascal}Result"] * bool(tool.result) + ["bytes"] * tool.has_bytes)
    return (f"    @overload\n    def call(self, tool: Literal[{tool.name!r}], request: {tool.pascal}Request, *,\n"
            f"             idempotency_key: str | None = None) -> {result}:\n        {docstring(tool.about)}")


def python(document):
    classes = Python()
    for tool in tools(document):
        classes.add(f"{tool.pascal}Request", tool.request)
        if tool.result:
            classes.add(f"{tool.pascal}Result", tool.result)
    for name, schema in reads(document):
        classes.add(name, schema)
    calls = "\n\n".join(map(py_call, tools(document)))
    body = PY_CLASS.format(get_tools=repr(get_tools(document)), calls=calls)
    return "\n\n\n".join([PY_HEAD.rstrip(), *classes.classes, body])


# -- files --

FILES = {"python/tollgate/tools.py": python, "typescript/tools.d.ts": typescript,
         "typescript/get-tools.js": get_tools_js}


def main():
    document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for name, make in FILES.items():
        (FOLDER / name).write_text(make(document), encoding="utf-8")


if __name__ == "__main__":
    main()
