"""tests/kit/schema.py - the contracts' schema language (common/svc/contract.h), for results.

It shares no code with the C implementation, so a test does not share the bugs of what it tests. It
is stricter in one rule: a result must not have a field that its contract does not describe.
"""

import re

from kit.check import TYPES, UUID

FORMATS = {
    "uuid": UUID,
    "date-time": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$",
}


def faults(schema, value, where="result"):
    """Yield a sentence for each violation in value."""
    types = schema.get("type")
    types = types if isinstance(types, list) else [types] if types else []
    if types and not any(TYPES[name](value) for name in types):
        yield f"{where}: {value!r} is not a {' or '.join(types)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} is not one of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r} is not {schema['const']!r}"
    if isinstance(value, str):
        yield from text_faults(schema, value, where)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from range_faults(schema, value, "minimum", "maximum", where)
    elif isinstance(value, list):
        yield from range_faults(schema, len(value), "minItems", "maxItems", where)
        for index, item in enumerate(value):
            yield from faults(schema.get("items", {}), item, f"{where}[{index}]")
    elif isinstance(value, dict):
        yield from object_faults(schema, value, where)


def text_faults(schema, value, where):
    yield from range_faults(schema, len(value), "minLength", "maxLength", where)
    for pattern in (schema.get("pattern"), FORMATS.get(schema.get("format"))):
        if pattern and not re.search(pattern, value):
            yield f"{where}: {value!r} does not match {pattern}"


def range_faults(schema, number, least, most, where):
    if number < schema.get(least, number):
        yield f"{where}: {number} is below {least} {schema[least]}"
    if number > schema.get(most, number):
        yield f"{where}: {number} is above {most} {schema[most]}"


def object_faults(schema, value, where):
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where}.{name} is missing"
    properties = schema.get("properties")
    if properties is None:
        return
    for name, item in value.items():
        if name not in properties:
            yield f"{where}.{name} is not in the contract"
        else:
            yield from faults(properties[name], item, f"{where}.{name}")
