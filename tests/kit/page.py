"""tests/kit/page.py - generates docs/tools/<tool>.md and docs/tools/README.md from the contracts,
gateway/limits.yaml, docs/api/errors.md, docs/tools/texts.yaml and a real response.
tests/api/test_pages.py makes the calls and compares."""

import json
import re
import shlex
import urllib.parse
from collections import defaultdict

import yaml

from kit.check import ROOT
from kit.contracts import Excerpt, is_get

FOLDER = ROOT / "docs" / "tools"
TEXTS = yaml.safe_load((FOLDER / "texts.yaml").read_text())
LIMITS = yaml.safe_load((ROOT / "gateway" / "limits.yaml").read_text())
ERRORS = {code: (status, when, what_to_do) for status, code, when, what_to_do in re.findall(
    r"^\| (\d+) \| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", (ROOT / "docs" / "api" / "errors.md").read_text(),
    re.MULTILINE)}

TARGETS = ("url", "image_url", "host", "domain")  # fields that name what a tool examines

WIDTH = 110         # of a line of a response
LIST_MAX = 3        # items shown of a list that does not fit in a line
TEXT_MAX = 400      # characters of a text that is shown in full
TEXT_BEGINNING = 80  # characters shown of a longer one


# -- pieces of Markdown --


def cell(text):
    """Plain text in a table."""
    return re.sub(r"([\\|*<`])", r"\\\1", text)


def table(head, rows):
    lines = ["|" + "".join(f" {text} |" if text else " |" for text in row) for row in (head, *rows)]
    lines.insert(1, "|" + "---|" * len(head))
    return "\n".join(lines) + "\n"


def code(value):
    return f"`{value}`" if isinstance(value, str) and value else f"`{json.dumps(value, ensure_ascii=False)}`"


def listed(values):
    return ", ".join(map(code, values))


def counted(number, thing):
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


# -- fields --


def fields(schema, prefix=""):
    """Every property below the schema: (path, whether it is required, its schema). A property with
    the same fields as an earlier one gets that path as `like`, and no rows."""
    paths = {}
    for name, field in schema.get("properties", {}).items():
        path = prefix + name
        below = [*fields(field, f"{path}."), *(fields(field["items"], f"{path}[].") if "items" in field else ())]
        key = json.dumps([field.get("properties"), field.get("items")])
        like = paths.setdefault(key, path) if below else path
        yield path, name in schema.get("required", []), field if like == path else field | {"like": like}
        if like == path:
            yield from below


def type_of(schema):
    names = schema.get("type", "object" if "properties" in schema else "any")
    names = names if isinstance(names, list) else [names]
    names = [schema.get("format", name) if name == "string" else name for name in names]
    of = schema.get("items", {}).get("type")
    return " or ".join(f"array of {of}" if name == "array" and isinstance(of, str) else name for name in names)


def span(schema, least, most, unit):
    low, high = schema.get(least), schema.get(most)
    if low is None and high is None:
        return []
    last = low if high is None else high
    words = "at least " if high is None else "at most " if low is None else f"{low:,} to " if low != high else ""
    return [f"{words}{last:,}{unit.rstrip('s') if last == 1 else unit}"]


def limits(schema):
    found = [f"one of {listed(schema['enum'])}"] if "enum" in schema else []
    found += span(schema, "minimum", "maximum", "")
    found += span(schema, "minLength", "maxLength", " characters")
    found += span(schema, "minItems", "maxItems", " items")
    if "items" in schema:
        found += [f"each {limit}" for limit in limits(schema["items"])]
    return found


def meaning(schema, *more):
    sentences = [cell(schema.get("description", "")).rstrip("."), *more]
    if "properties" not in schema.get("items", {}) and "description" in schema.get("items", {}):
        sentences.append(f"Each item: {cell(schema['items']['description']).rstrip('.')}")
    if "like" in schema:
        sentences.append(f"Same fields as `{schema['like']}`")
    if "aliases" in schema:
        sentences.append(f"Aliases: {listed(schema['aliases'])}")
    return ". ".join(filter(None, sentences))


def request_table(schema):
    rows = []
    for path, is_required, field in fields(schema):
        default = "required" if is_required else code(field["default"]) if "default" in field else ""
        rows.append((code(path), type_of(field), default, "; ".join(limits(field)), meaning(field)))
    return table(("Field", "Type", "Default", "Limits", "Description"), rows)


def result_table(schema):
    rows = []
    for path, is_required, field in fields(schema):
        more = [f"One of {listed(field['enum'])}"] if "enum" in field else []
        more += [] if is_required else ["Not always present"]
        rows.append((code(path), type_of(field), meaning(field, *more)))
    return table(("Field", "Type", "Description"), rows)


# -- the example --


def cut(text):
    """A text, and a comment about its omitted end."""
    if len(text) <= TEXT_MAX:
        return text, ""
    return text[:TEXT_BEGINNING], f"and {len(text) - TEXT_BEGINNING:,} more characters"


def pretty(value, margin="", list_max=LIST_MAX):
    """JSON in few lines; a comment gives the size of each omission."""
    flat = json.dumps(value, ensure_ascii=False)
    if isinstance(value, Excerpt):
        flat = f"{flat[:-1]} /* and {value.omitted} more */" + "}"
    if len(margin) + len(flat) <= WIDTH or not value:
        return flat
    inner = margin + "  "
    if isinstance(value, list):
        items = [inner + pretty(item, inner, list_max) for item in value[:list_max]]
        more = f"\n{inner}/* and {len(value) - list_max} more */" if len(value) > list_max else ""
        return "[\n" + ",\n".join(items) + more + f"\n{margin}]"
    if isinstance(value, dict):
        members = [f"{inner}{json.dumps(name)}: {pretty(item, inner, list_max)}" for name, item in value.items()]
        more = f"\n{inner}/* and {value.omitted} more */" if isinstance(value, Excerpt) else ""
        return "{\n" + ",\n".join(members) + more + f"\n{margin}}}"
    if isinstance(value, str) and cut(value)[1]:
        beginning, rest = cut(value)
        return f"{json.dumps(beginning, ensure_ascii=False)} /* {rest} */"
    return flat


def command(contract):
    """The curl command of the contract's first example; it uses the variables TOLLGATE, ACCOUNT and
    TOKEN."""
    request = contract["examples"][0]["request"]
    url = f"$TOLLGATE/v1/client/$ACCOUNT/tools/{contract['tool']}"
    token = '-H "Authorization: Bearer $TOKEN"'
    if is_get(contract):
        return f'curl "{url}?{urllib.parse.urlencode(request)}" {token}'
    body = pretty(request, list_max=len(json.dumps(request)))  # in full; a shortened text would not be valid JSON
    return f'curl "{url}" \\\n    {token} -H "Content-Type: application/json" \\\n    -d {shlex.quote(body)}'


def fenced(language, text):
    return f"```{language}\n{text}\n```\n"


def is_about_site(contract):
    """Whether the example examines example.com, and not only names it."""
    request = contract["examples"][0]["request"]
    reaches_sites = {"target_unreachable", "upstream_unavailable"} & set(contract.get("errors", []))
    return bool(reaches_sites) and any("example.com" in request.get(field, "") for field in TARGETS)


def example(contract, answer):
    """answer: the whole envelope, or the text of a raw response."""
    parts = [fenced("sh", command(contract))]
    if isinstance(answer, str):
        text, rest = cut(answer)
        parts.append(fenced("xml", text + (f"\n<!-- {rest} -->" if rest else "")))
    else:
        parts.append(fenced("jsonc", pretty(answer)))
    if is_about_site(contract):
        parts.append(TEXTS["example_site"])
    return "\n".join(parts)


# -- pages --


def price(contract):
    return counted(contract["credits"], "credit")


def rate(contract):
    limit = LIMITS["classes"][contract["rate_class"]]
    texts = {"endpoint_per_minute": "{} calls a minute",
             "class_per_minute": f"{{}} calls a minute for all tools of class {contract['rate_class']} together",
             "daily_per_tool": "{} calls a day"}
    return "; ".join(text.format(limit[key]) for key, text in texts.items() if key in limit) or "the account's limit"


def facts(contract):
    method = contract.get("method", "POST")
    rows = [("Path", f"`{method} /v1/client/{{account}}/tools/{contract['tool']}`"),
            ("Price", price(contract)),
            ("Rate limit", rate(contract)),
            ("Time limit", f"{contract['budget_ms'] / 1000:g} s")]
    if "raw" in contract:
        kinds = (["JSON"] if "result" in contract else []) + [code(kind) for kind in contract["raw"]]
        rows.append(("Response", " or ".join(kinds)))
        rows.append(("Response headers", listed(contract["raw_headers"]) + ("; not with JSON" if "result" in contract else "")))
    if contract.get("secret_input"):
        rows.append(("Privacy", "the request can contain a secret; request and response are never stored"))
    return table(("", ""), rows)


def errors(contract):
    rows = []
    for error in contract.get("errors", []):
        status, when, what_to_do = ERRORS[error]
        rows.append((status, code(error), when, what_to_do))
    own = table(("Status", "Code", "When", "What to do"), rows) + "\n" if rows else ""
    return own + TEXTS["errors"]


def rows_of(file, macro):
    """The arguments of each row MACRO(…) of a table in the code: numbers and names unchanged, texts
    without quotes."""
    for row in re.findall(rf"^{macro}\((.*)\)$", (ROOT / file).read_text(), re.MULTILINE):
        yield [json.loads(argument) if argument.startswith('"') else argument.strip()
               for argument in re.findall(r'"(?:[^"\\]|\\.)*"|[^,"\s][^,"]*', row)]


def enums(schema):
    """The values of all enums in the schema."""
    yield from schema.get("enum", [])
    for below in (*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])):
        yield from enums(below)


def loose(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


def findings(contract):
    """The findings of a tool, from their tables. findings.yaml of its folder is a list of sections.
    Each has a table in the code, the macro that its rows begin with, and for each column the
    argument of a row, counted from 0, or the list of the arguments of several steps, which are 0 if
    the rule has fewer.

    The first column is the code, as the table spells it. Other names of the code are spelled like
    the enum of the result that has them, and in lower case if none has them."""
    spelled = {loose(name): name for name in enums(contract.get("result", {})) if isinstance(name, str)}

    def text(row, at):
        if isinstance(at, list):
            return ", ".join(row[step] for step in at if row[step] != "0")
        is_name = re.fullmatch(r"[A-Z][A-Z0-9_]*", row[at])
        return cell(spelled.get(loose(row[at]), row[at].lower()) if is_name else row[at])

    file = contract["folder"] / "findings.yaml"
    for section in yaml.safe_load(file.read_text()) if file.exists() else []:
        first, *others = section["columns"].values()
        rows = [[code(row[first]), *(text(row, at) for at in others)]
                for row in rows_of(section["table"], section["macro"])]
        assert rows, f"{section['table']} has no {section['macro']}"
        yield f"## {section['heading']}\n"
        if "introduction" in section:
            yield section["introduction"]
        yield table(section["columns"], rows)


def notes(contract):
    """A link to the handwritten page."""
    file = contract["folder"] / "notes.md"
    if not file.exists():
        return ""
    title = file.read_text().splitlines()[0].removeprefix("# ")
    return f"\nMore: [{title}](../../{file.relative_to(ROOT)}).\n"


def page(contract, answer):
    request = contract["request"]
    parts = [f"# {contract['title']}\n", f"{cell(contract['summary'])}\n", facts(contract), "## Request\n",
             request_table(request)]
    if "one_of_required" in request:
        count = "Exactly" if request.get("one_of_exclusive") else "At least"
        parts.append(f"{count} one of {listed(request['one_of_required'])} is required.\n")
    if "result" in contract:
        parts += ["## Result\n", result_table(contract["result"])]
    parts += ["## Example\n", example(contract, answer), "## Errors\n", errors(contract), *findings(contract)]
    return "\n".join(parts) + notes(contract)


def index(contracts, tags):
    """tags: of the OpenAPI document, which names each group."""
    rows = defaultdict(list)
    for tool, contract in sorted(contracts.items()):
        group = contract["group"]
        rows[group].append((f"[{tool}]({tool}.md)", cell(contract["summary"]), str(contract["credits"]),
                            contract["rate_class"]))
    parts = [TEXTS["introduction"].replace("{calls}", str(LIMITS["global_per_minute"]))]
    for tag in tags:
        if tag["name"] in rows:
            parts += [f"## {tag['description']}\n",
                      table(("Tool", "What it does", "Credits", "Rate class"), rows[tag["name"]])]
    return "\n".join(parts)
