"""tests/check/openapi/openapi-diff.py - breaking changes and witnesses of openapi-validate, judged
by ajv.

Every row of ROWS is a keyword with a loose and a tight form. It is put into every place of PLACES,
and each pair is compared in both directions. ajv, on values made here, decides whether a value
exists that only the side accepts that must: the old document for requests, the new one for
responses. Then the tool must report a breaking change, and otherwise none. ajv also checks every
witness. At most 2 % of the pairs may be listed in WAIVED, with the reason; a listed pair that
agrees is also an error, so the list stays current.

Run by `make check`. ajv comes from npm: ajv/package-lock.json pins it, and it is installed into the
build folder.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = "tests/check/run-openapi-diff"
WAIVED_MAX = 0.02
SEED_VALUES = [None, True, False, 0, 1, -1, 1.5, 2, 5, 10, 100, "", "a", "1", "ab", "abcdef", [], [1], ["a"], {}, {"a": 1},
               {"a": "x"}, {"b": 1}, {"a": "x", "b": 1}]

# keyword, loose form, tight form, values at its limits
ROWS = [
    ("type", {"type": ["string", "integer"]}, {"type": "integer"}, []),
    ("number and integer", {"type": "number"}, {"type": "integer"}, []),
    ("null", {"type": ["string", "null"]}, {"type": "string"}, []),
    ("any type", {}, {"type": "string"}, []),
    ("enum", {"enum": ["a", "b"]}, {"enum": ["a"]}, ["b"]),
    ("enum of numbers", {"enum": [1, 2]}, {"enum": [1]}, []),
    ("enum at all", {"type": "string"}, {"type": "string", "enum": ["a"]}, []),
    ("const", {"type": "string"}, {"type": "string", "const": "a"}, []),
    ("maximum", {"type": "number", "maximum": 10}, {"type": "number", "maximum": 5}, [6]),
    ("maximum at all", {"type": "number"}, {"type": "number", "maximum": 5}, [6]),
    ("minimum", {"type": "number", "minimum": 0}, {"type": "number", "minimum": 3}, [2]),
    ("minimum at all", {"type": "integer"}, {"type": "integer", "minimum": 3}, [2]),
    ("exclusiveMaximum", {"type": "number", "exclusiveMaximum": 10}, {"type": "number", "exclusiveMaximum": 5}, [6]),
    ("exclusiveMinimum", {"type": "number", "minimum": 3}, {"type": "number", "exclusiveMinimum": 3}, [3]),
    ("multipleOf", {"type": "number", "multipleOf": 0.5}, {"type": "number", "multipleOf": 1.5}, [0.5]),
    ("multipleOf at all", {"type": "integer"}, {"type": "integer", "multipleOf": 7}, [8]),
    ("maxLength", {"type": "string", "maxLength": 6}, {"type": "string", "maxLength": 3}, ["abcde"]),
    ("maxLength at all", {"type": "string"}, {"type": "string", "maxLength": 3}, ["abcde"]),
    ("minLength", {"type": "string", "minLength": 1}, {"type": "string", "minLength": 4}, ["abc"]),
    ("minLength at all", {"type": "string"}, {"type": "string", "minLength": 4}, ["abc"]),
    ("pattern at all", {"type": "string"}, {"type": "string", "pattern": "^[a-z]{3}-[0-9]+$"}, ["abc-1"]),
    ("pattern", {"type": "string", "pattern": "^[a-z]+$"}, {"type": "string", "pattern": "^[a-z]{2}$"}, ["abc"]),
    ("pattern and length", {"type": "string", "pattern": "^[A-F]+$"},
     {"type": "string", "pattern": "^[A-F]+$", "maxLength": 4}, ["ABCDEF"]),
    ("format uuid", {"type": "string"}, {"type": "string", "format": "uuid"}, []),
    ("format date", {"type": "string", "maxLength": 12}, {"type": "string", "format": "date", "maxLength": 12}, []),
    ("format email", {"type": "string"}, {"type": "string", "format": "email"}, ["a@example.com"]),
    ("format int32", {"type": "integer"}, {"type": "integer", "format": "int32"}, [2**31]),
    ("format int64", {"type": "integer"}, {"type": "integer", "format": "int64"}, [2**64]),
    ("format int64 of a bounded integer", {"type": "integer", "minimum": 0, "maximum": 100},
     {"type": "integer", "minimum": 0, "maximum": 100, "format": "int64"}, []),
    ("format int32 of a bounded integer", {"type": "integer", "minimum": -5, "maximum": 5},
     {"type": "integer", "minimum": -5, "maximum": 5, "format": "int32"}, []),
    ("maxLength of an enum", {"type": "string", "enum": ["a", "bc"]},
     {"type": "string", "enum": ["a", "bc"], "maxLength": 9}, []),
    ("pattern of an enum", {"type": "string", "enum": ["a", "bc"]},
     {"type": "string", "enum": ["a", "bc"], "pattern": "^[a-z]+$"}, []),
    ("minLength of an enum", {"type": "string", "enum": ["a", "bc"]},
     {"type": "string", "enum": ["a", "bc"], "minLength": 2}, []),
    ("maxItems", {"type": "array", "items": {"type": "integer"}, "maxItems": 4},
     {"type": "array", "items": {"type": "integer"}, "maxItems": 2}, [[1, 2, 3]]),
    ("maxItems at all", {"type": "array"}, {"type": "array", "maxItems": 2}, [[1, 2, 3]]),
    ("minItems", {"type": "array", "minItems": 1, "items": {"type": "string"}},
     {"type": "array", "minItems": 2, "items": {"type": "string"}}, []),
    ("uniqueItems", {"type": "array", "items": {"type": "integer"}},
     {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, [[1, 1]]),
    ("items", {"type": "array", "items": {"type": "number"}}, {"type": "array", "items": {"type": "integer"}}, [[1.5]]),
    ("items at all", {"type": "array"}, {"type": "array", "items": {"type": "boolean"}}, [[True]]),
    ("items false", {"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": False}, []),
    ("items of objects", {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
     {"type": "array", "items": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}},
     [[{}], [{"a": "x"}]]),
    ("prefixItems", {"type": "array", "prefixItems": [{"type": "number"}]},
     {"type": "array", "prefixItems": [{"type": "integer"}]}, [[1.5]]),
    ("more prefixItems", {"type": "array", "prefixItems": [{"type": "number"}]},
     {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]}, [[1, 2]]),
    ("contains", {"type": "array"}, {"type": "array", "contains": {"type": "string"}}, []),
    ("minContains", {"type": "array", "contains": {"type": "string"}},
     {"type": "array", "contains": {"type": "string"}, "minContains": 2}, [["a", "b"]]),
    ("maxContains", {"type": "array", "contains": {"type": "string"}, "maxContains": 3},
     {"type": "array", "contains": {"type": "string"}, "maxContains": 1}, [["a", "b"]]),
    ("required", {"type": "object", "properties": {"a": {"type": "string"}}},
     {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, []),
    ("required without properties", {"type": "object"}, {"type": "object", "required": ["a"]}, []),
    ("one more required", {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]},
     {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a", "b"]}, []),
    ("a required property", {"type": "object", "properties": {"a": {"type": "string"}}},
     {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["b"]}, []),
    ("property's type", {"type": "object", "properties": {"a": {"type": ["string", "integer"]}}},
     {"type": "object", "properties": {"a": {"type": "string"}}}, []),
    ("property false", {"type": "object", "properties": {"a": True}}, {"type": "object", "properties": {"a": False}}, []),
    ("additionalProperties false", {"type": "object", "properties": {"a": {"type": "string"}}},
     {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}, []),
    ("additionalProperties", {"type": "object", "additionalProperties": {"type": "number"}},
     {"type": "object", "additionalProperties": {"type": "integer"}}, [{"z": 1.5}]),
    ("additionalProperties at all", {"type": "object"}, {"type": "object", "additionalProperties": {"type": "string"}}, []),
    ("maxProperties", {"type": "object", "maxProperties": 3}, {"type": "object", "maxProperties": 1}, []),
    ("minProperties", {"type": "object"}, {"type": "object", "minProperties": 1}, []),
    ("propertyNames", {"type": "object"}, {"type": "object", "propertyNames": {"pattern": "^x"}}, [{"x": 1}]),
    ("patternProperties", {"type": "object"}, {"type": "object", "patternProperties": {"^a": {"type": "integer"}}}, []),
    ("pattern property's type", {"type": "object", "patternProperties": {"^a": {"type": "number"}}},
     {"type": "object", "patternProperties": {"^a": {"type": "integer"}}}, [{"a": 1.5}]),
    ("dependentRequired", {"type": "object"}, {"type": "object", "dependentRequired": {"a": ["b"]}}, []),
    ("dependentSchemas", {"type": "object"}, {"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}}, []),
    ("unevaluatedProperties", {"type": "object", "properties": {"a": {}}},
     {"type": "object", "properties": {"a": {}}, "unevaluatedProperties": False}, []),
    ("allOf", {"type": "integer"}, {"allOf": [{"type": "integer"}, {"minimum": 3}]}, []),
    ("in allOf", {"allOf": [{"type": "integer"}, {"maximum": 9}]}, {"allOf": [{"type": "integer"}, {"maximum": 3}]}, [4]),
    ("oneOf", {"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"oneOf": [{"type": "string"}]}, []),
    ("in oneOf", {"oneOf": [{"type": "string"}, {"type": "integer", "maximum": 9}]},
     {"oneOf": [{"type": "string"}, {"type": "integer", "maximum": 3}]}, [4]),
    ("anyOf", {"anyOf": [{"type": "string"}, {"type": "boolean"}]}, {"anyOf": [{"type": "boolean"}]}, []),
    ("not", {"type": "integer"}, {"type": "integer", "not": {"const": 5}}, []),
    ("in not", {"type": "integer", "not": {"minimum": 8}}, {"type": "integer", "not": {"minimum": 4}}, [6]),
    ("if", {"type": "object", "properties": {"a": {}, "b": {}}},
     {"type": "object", "properties": {"a": {}, "b": {}}, "if": {"required": ["a"]}, "then": {"required": ["b"]}}, []),
    ("a description", {"type": "string", "description": "a"}, {"type": "string", "description": "b"}, []),
    ("an order", {"type": "object", "required": ["a", "b"]}, {"type": "object", "required": ["b", "a"]}, []),
    ("the same in allOf", {"type": "string", "maxLength": 3}, {"allOf": [{"type": "string"}, {"maxLength": 3}]}, []),
]


def in_request(schema):
    return {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}


def in_response(schema):
    return {"post": {"responses": {"200": {"description": "a", "content": {"application/json": {"schema": schema}}}}}}


def same(part):
    return part


def document(item):
    return {"openapi": "3.1.0", "info": {"title": "a", "version": "1"}, "paths": {"/a": item}}


NOT_IN_3_0 = {"const", "prefixItems", "contains", "minContains", "maxContains", "propertyNames", "patternProperties",
              "dependentRequired", "dependentSchemas", "unevaluatedProperties", "if", "then"}


def in_3_0(schema):
    """The same schema in the words of OpenAPI 3.0; raises ValueError if it has none."""
    if isinstance(schema, list):
        return [in_3_0(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    types = schema.get("type")
    if NOT_IN_3_0 & schema.keys() or (isinstance(types, list) and types[1] != "null"):
        raise ValueError
    if any(isinstance(schema.get(name), bool) for name in ("items", "not")) or \
            any(isinstance(value, bool) for value in schema.get("properties", {}).values()):
        raise ValueError
    said = {name: in_3_0(value) for name, value in schema.items()}
    if isinstance(types, list):
        said |= {"type": types[0], "nullable": True}
    for flag, bound in (("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")):
        if flag in schema:
            said |= {bound: schema[flag], flag: True}
    return said


def parameter(place):
    return lambda schema: document({"post": {"parameters": [{"name": "q", "in": place, "schema": schema}]}})


def callback(schema):
    return document({"post": {"callbacks": {"c": {"{$url}": in_request(schema)}}}})


def webhook(schema):
    return {"openapi": "3.1.0", "info": {"title": "a", "version": "1"}, "webhooks": {"w": in_request(schema)}}


def header(schema):
    return document({"post": {"responses": {"200": {"description": "a", "headers": {"X-A": {"schema": schema}}}}}})


def member(part):
    return {"type": "object", "required": ["p"], "properties": {"p": part}}


# schema around the row's schema, value around its value
INNER = {
    "itself": (same, same),
    "a property": (member, lambda value: {"p": value}),
    "a property of a property": (lambda s: member(member(s)), lambda value: {"p": {"p": value}}),
    "items": (lambda s: {"type": "array", "items": s}, lambda value: [value]),
    "additionalProperties": (lambda s: {"type": "object", "additionalProperties": s}, lambda value: {"z": value}),
    "allOf": (lambda s: {"allOf": [s, {"description": "a"}]}, same),
    "not": (lambda s: {"not": s}, same),
    "beside required ones": (
        lambda s: {"type": "object", "required": ["id", "p"],
                   "properties": {"id": {"type": "string", "format": "uuid"}, "p": s}},
        lambda value: {"id": "12345678-1234-4234-8234-123456789abc", "p": value}),
}

# name: document around the schema, is the old document the one that must accept, is it text, and
# the inner places
PLACES = {
    "a query parameter": (parameter("query"), True, True, ["itself"]),
    "a header parameter": (parameter("header"), True, True, ["itself"]),
    "a request": (lambda s: document(in_request(s)), True, False, list(INNER)),
    "a response": (lambda s: document(in_response(s)), False, False, list(INNER)),
    "a response header": (header, False, True, ["itself"]),
    "a webhook": (webhook, False, False, ["itself", "a property"]),
    "a callback": (callback, False, False, ["itself", "a property"]),
}

# Kept as warnings although no value need show them: callers may depend on an optional property, and
# whether one pattern accepts what another does is not decided.
CONTRACT = ("request-property-removed", "response-optional-property-removed", "-pattern-changed")

# (row, place, inner place, direction): why the tool and ajv disagree
AS_TEXT = "in a URL or header every value is also a text, which the tool does not consider for this keyword"
WAIVED = {(row, place, "itself", direction): AS_TEXT
          for row in ("null", "additionalProperties at all", "oneOf", "in oneOf")
          for place, direction in (("a query parameter", "tighten"), ("a header parameter", "tighten"),
                                   ("a response header", "loosen"))}


def old_version(sides):
    try:
        return [in_3_0(side) for side in sides]
    except ValueError:
        return None


def pairs():
    """Every edit: its name, the documents, the schemas, which one must accept, and the values."""
    for row, loose, tight, values in ROWS:
        for place, (build, old_accepts, is_text, inners) in PLACES.items():
            for inner in inners:
                around, value_around = INNER[inner]
                for direction, (old, new) in (("tighten", (loose, tight)), ("loosen", (tight, loose))):
                    sides = [around(old), around(new)]
                    question = {"holds": sides[not old_accepts], "fails": sides[old_accepts], "isText": is_text,
                                "values": [value_around(value) for value in SEED_VALUES + values]}
                    yield (row, place, inner, direction), [build(side) for side in sides], question
                    if place in ("a request", "a response") and old_version(sides):
                        documents = [build(side) | {"openapi": "3.0.4"} for side in old_version(sides)]
                        yield (row, place + " of 3.0", inner, direction), documents, question


def compare(program, scratch, documents):
    """The result of each pair."""
    lines = []
    for number, pair in enumerate(documents):
        paths = [scratch / f"{number}-{side}.json" for side in ("old", "new")]
        for path, content in zip(paths, pair):
            path.write_text(json.dumps(content))
        lines.append("\t".join(map(str, paths)))
    said = subprocess.run([program], input="\n".join(lines) + "\n", check=True, capture_output=True, text=True)
    return [json.loads(line) for line in said.stdout.splitlines()]


def ask_ajv(folder, questions):
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    said = subprocess.run(["node", "judge.mjs"], cwd=folder, input=lines, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in said.stdout.splitlines()]


def install(build):
    folder = build / "tests/check/ajv"
    shutil.copytree(HERE / "ajv", folder, dirs_exist_ok=True)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    return folder


def judge(edits, results, folder):
    """Of each edit that the tool and ajv do not agree on, the reason; and the number of breaking
    changes and of confirmed witnesses."""
    asked = [(name, change, {**question, "witness": change and change["witness"]})
             for (name, _, question), result in zip(edits, results)
             for change in result["breaking_changes"] or [None]]
    bad, told, differs, confirmed = {}, {}, {}, 0
    for (name, change, _), answer in zip(asked, ask_ajv(folder, [question for _, _, question in asked])):
        differs[name] = answer["difference"] >= 0
        confirmed += answer["witness"] is True
        if answer["witness"] is False:
            bad[name] = f"the witness {change['witness']} of {change['id']} is wrong"
        is_kept = change and change["level"] == "warning" and change["id"].endswith(CONTRACT) and not change["witness"]
        if change and not is_kept:
            told.setdefault(name, []).append(change)
    for name, is_breaking in differs.items():
        if is_breaking and name not in told:
            bad[name] = "a silent breaking change"
        elif not is_breaking and name in told:
            bad.setdefault(name, f"not breaking, but {told[name][0]['id']} is told")
    return bad, sum(map(len, told.values())), confirmed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=Path("build"))
    options = parser.parse_args()
    folder = install(options.build)
    scratch = options.build / "tests/check/openapi-diff"
    scratch.mkdir(parents=True, exist_ok=True)
    edits = list(pairs())
    results = compare(options.build / PROGRAM, scratch, [documents for _, documents, _ in edits])
    bad, told, confirmed = judge(edits, results, folder)
    for name, wrong in bad.items():
        if name not in WAIVED or "witness" in wrong:
            print(f"openapi-diff: {' / '.join(name)}: {wrong}")
    for name in WAIVED.keys() - bad.keys():
        print(f"openapi-diff: {' / '.join(name)}: agrees, but is listed")
    print(f"openapi-diff: {len(edits)} edits, {len(edits) - len(bad)} as ajv; "
          f"{told} breaking changes, {confirmed} of their witnesses confirmed by ajv")
    ok = bad.keys() == WAIVED.keys() and len(WAIVED) <= WAIVED_MAX * len(edits)
    return 0 if ok and not any("witness" in wrong for wrong in bad.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
