"""tests/kit/page.py - docs/tools/<tool>.md and docs/tools/README.md, made of the contracts, gateway/limits.yaml,
docs/errors.md and a real answer. tests/api/test_pages.py asks for the answers and compares."""

import json
import re
import shlex
import urllib.parse
from collections import defaultdict

import yaml

from kit.check import ROOT
from kit.contracts import goes_out, is_get

FOLDER = ROOT / "docs" / "tools"
LIMITS = yaml.safe_load((ROOT / "gateway" / "limits.yaml").read_text())
WHEN = {code: (status, when) for status, code, when in re.findall(
    r"^\| (\d+) \| `(\w+)` \| (\S.*) \|$", (ROOT / "docs" / "errors.md").read_text(), re.MULTILINE)}

WHAT_TO_DO = (  # the first whose pattern the code begins with
    (r"target_not_allowed", "Name a target that is open to everybody."),
    (r"port_not_allowed", "Name another port."),
    (r"target_|too_many_redirects", "See what the target answers to others, then call again."),
    (r"upstream_unavailable|provider_error", "Call again in a minute."),
    (r"provider_rejected|model_refused", "Change the input."),
    (r"provider_unconfigured", "Ask the operator."),
    (r"", "Mend the request; the message says what and where."),
)

SAYINGS = {  # what a tool may find: heading, introduction, table in the code, (head, argument of a row) of each column
    "jwt-decode": [
        ("Warnings", "", "svc-utils/jwt-decode/warnings.def", "WARNING",
         (("code", 2), ("severity, at most", 1), ("message", 3)))],
    "openapi-validate": [
        ("Rules", "A field that is missing is `<object>-<field>-required`, an error; one of a later version "
         "`<field>-for-3-1-plus` or `<field>-for-3-2-plus`, a warning. All others:\n",
         "svc-security/openapi-validate/rules/rules.def", "RULE", (("rule", 2), ("severity", 1))),
        ("Changes", "", "svc-security/openapi-validate/diff/diff.def", "CHANGE",
         (("id", 2), ("level", 1), ("what it says", 3))),
        ("Changes of schemas", "The id begins with the place, as in `request-body-type-changed`.\n",
         "svc-security/openapi-validate/diff/diff.def", "SCHEMA_CHANGE",
         (("end of the id", 1), ("in a parameter", 2), ("in a request", 3), ("in a response", 4),
          ("what it says", 5)))],
    "security-headers": [
        ("Outcomes of the checks", "", "svc-security/security-headers/results.def", "RESULT",
         (("result", 2), ("points", 3), ("description", 4))),
        ("Findings in a policy", "", "svc-security/security-headers/csp/findings.def", "FINDING",
         (("id", 1), ("severity", 2), ("message", 3)))],
    "seo-analyze": [
        ("Factors", "", "svc-security/seo-analyze/factor.def", "FACTOR",
         (("name", 1), ("weight", 2), ("category", 3), ("recommendation", 5)))],
    "tls-check": [
        ("Issues", "", "svc-security/tls-check/issues.def", "ISSUE",
         (("id", 1), ("severity", 2), ("title", 3), ("detail", 4)))],
}

WIDTH = 110         # of a line of an answer
LIST_MAX = 3        # items shown of a list that does not fit into a line
TEXT_MAX = 400      # characters of a text that is shown whole
TEXT_BEGINNING = 80  # characters shown of a longer one

INTRODUCTION = """\
# The tools

The pages of this folder are made from the contracts and from answers of the running product: `make docs`
writes them. Each shows a call that can be pasted into a shell, after

```sh
TOLLGATE=https://…   # the server
ACCOUNT=…            # the account's id
TOKEN=tg_live_…      # one of its tokens
```

- An answer with status 200 costs the tool's price, everything else is free.
- Answers are `{"result": …, "success": true, "errors": []}`; a refusal is
  `{"result": {}, "success": false, "errors": [{"code": …, "message": …}]}`.
- Fields that are not listed are ignored. A request has at most 65,536 bytes.
- An account may make %d calls a minute altogether, and of each tool so many as its page says.
- The errors of all tools are explained in [errors.md](../errors.md).
"""

EXAMPLE_SITE = """\
`example.com` is a small site of our tests here, with addresses that are reserved for documentation. Times,
durations and what a certificate has at random are examples.
"""


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
    """Every property below the schema: (path, is it required, its schema). What has the same fields as one
    before it gets their path as `like`, and no rows of its own."""
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
    if low is not None and high is not None:
        return [f"{low:,} to {high:,}{unit}" if low != high else f"{low:,}{unit}"]
    return [f"at least {low:,}{unit}"] if low is not None else [f"at most {high:,}{unit}"] if high is not None else []


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
    if "like" in schema:
        sentences.append(f"Fields as those of `{schema['like']}`")
    if "aliases" in schema:
        sentences.append(f"Also called {listed(schema['aliases'])}")
    return ". ".join(filter(None, sentences))


def request_table(schema):
    rows = []
    for path, is_required, field in fields(schema):
        default = "required" if is_required else code(field["default"]) if "default" in field else ""
        rows.append((code(path), type_of(field), default, "; ".join(limits(field)), meaning(field)))
    return table(("field", "type", "default", "limits", "meaning"), rows)


def result_table(schema):
    rows = []
    for path, is_required, field in fields(schema):
        more = [f"One of {listed(field['enum'])}"] if "enum" in field else []
        more += [] if is_required else ["Not always there"]
        rows.append((code(path), type_of(field), meaning(field, *more)))
    return table(("field", "type", "meaning"), rows)


# -- the example --


def cut(text):
    """A text and what is said of its missing end."""
    if len(text) <= TEXT_MAX:
        return text, ""
    return text[:TEXT_BEGINNING], f"and {len(text) - TEXT_BEGINNING:,} more characters"


def pretty(value, margin="", list_max=LIST_MAX):
    """JSON in few lines; where something is left out a comment tells how much."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(margin) + len(flat) <= WIDTH or not value:
        return flat
    inner = margin + "  "
    if isinstance(value, list):
        items = [inner + pretty(item, inner, list_max) for item in value[:list_max]]
        more = f"\n{inner}/* and {len(value) - list_max} more */" if len(value) > list_max else ""
        return "[\n" + ",\n".join(items) + more + f"\n{margin}]"
    if isinstance(value, dict):
        members = [f"{inner}{json.dumps(name)}: {pretty(item, inner, list_max)}" for name, item in value.items()]
        return "{\n" + ",\n".join(members) + f"\n{margin}}}"
    if isinstance(value, str) and cut(value)[1]:
        beginning, rest = cut(value)
        return f"{json.dumps(beginning, ensure_ascii=False)} /* {rest} */"
    return flat


def command(contract):
    """The call of the contract's first example, for a shell that knows TOLLGATE, ACCOUNT and TOKEN."""
    request = contract["examples"][0]["request"]
    url = f"$TOLLGATE/v1/client/$ACCOUNT/tools/{contract['tool']}"
    token = '-H "Authorization: Bearer $TOKEN"'
    if is_get(contract):
        return f'curl "{url}?{urllib.parse.urlencode(request)}" {token}'
    body = pretty(request, list_max=len(json.dumps(request)))  # in full; a text that is cut is no JSON
    return f'curl "{url}" \\\n    {token} -H "Content-Type: application/json" \\\n    -d {shlex.quote(body)}'


def fenced(language, text):
    return f"```{language}\n{text}\n```\n"


def example(contract, answer):
    """answer: the whole envelope, or the text of a raw answer."""
    parts = [fenced("sh", command(contract))]
    if isinstance(answer, str):
        text, rest = cut(answer)
        parts.append(fenced("xml", text + (f"\n<!-- {rest} -->" if rest else "")))
    else:
        parts.append(fenced("jsonc", pretty(answer)))
    if goes_out(contract) and "example.com" in json.dumps(contract["examples"][0]["request"]):
        parts.append(EXAMPLE_SITE)
    return "\n".join(parts)


# -- pages --


def price(contract):
    return counted(contract["credits"], "credit")


def rate(contract):
    limit = LIMITS["classes"][contract["rate_class"]]
    texts = {"endpoint_per_minute": "{} calls a minute",
             "class_per_minute": f"{{}} calls a minute for all tools of class {contract['rate_class']} together",
             "daily_per_tool": "{} calls a day"}
    return "; ".join(text.format(limit[key]) for key, text in texts.items() if key in limit) or "that of the account"


def facts(contract):
    method = contract.get("method", "POST")
    rows = [("Path", f"`{method} /v1/client/{{account}}/tools/{contract['tool']}`"),
            ("Price", price(contract)),
            ("Rate", rate(contract)),
            ("Time", f"at most {contract['budget_ms'] / 1000:g} s")]
    if "raw" in contract:
        kinds = (["JSON"] if "result" in contract else []) + [code(kind) for kind in contract["raw"]]
        rows.append(("Answer", " or ".join(kinds)))
    if contract.get("secret_input"):
        rows.append(("Privacy", "the request may hold a secret and is never stored"))
    return table(("", ""), rows)


def what_to_do(error):
    return next(advice for pattern, advice in WHAT_TO_DO if re.match(pattern, error))


def errors(contract):
    rows = [(WHEN[error][0], code(error), WHEN[error][1], what_to_do(error)) for error in contract.get("errors", [])]
    own = table(("HTTP", "code", "when", "what to do"), rows) + "\n" if rows else ""
    return own + "No error is charged. Those that every tool may answer are in [errors.md](../errors.md).\n"


def rows_of(file, macro):
    """The arguments of each row MACRO(…) of a table of the code: numbers and names as they stand, names in small
    letters, texts without their quotes."""
    for row in re.findall(rf"^{macro}\((.*)\)$", (ROOT / file).read_text(), re.MULTILINE):
        yield [json.loads(argument) if argument.startswith('"') else argument.strip().lower()
               for argument in re.findall(r'"(?:[^"\\]|\\.)*"|[^,"\s][^,"]*', row)]


def sayings(contract):
    """What the tool may find, by the tables that it is made of."""
    for heading, introduction, file, macro, columns in SAYINGS.get(contract["tool"], []):
        rows = [[code(row[at]) if place == 0 else cell(row[at]) for place, (_, at) in enumerate(columns)]
                for row in rows_of(file, macro)]
        assert rows, f"{file} has no {macro}"
        yield f"## {heading}\n"
        if introduction:
            yield introduction
        yield table([head for head, _ in columns], rows)


def notes(contract):
    """A link to what was written by hand."""
    file = FOLDER / "notes" / f"{contract['tool']}.md"
    if not file.exists():
        return ""
    title = file.read_text().splitlines()[0].removeprefix("# ")
    return f"\nMore: [{title}](notes/{file.name}).\n"


def page(contract, answer):
    request = contract["request"]
    parts = [f"# {contract['title']}\n", f"{cell(contract['summary'])}\n", facts(contract), "## Request\n",
             request_table(request)]
    if "one_of_required" in request:
        parts.append(f"At least one of {listed(request['one_of_required'])} is needed.\n")
    if "result" in contract:
        parts += ["## Result\n", result_table(contract["result"])]
    parts += ["## Example\n", example(contract, answer), "## Errors\n", errors(contract), *sayings(contract)]
    return "\n".join(parts) + notes(contract)


def index(contracts, tags):
    """tags: of the OpenAPI document, which has a name for each group."""
    rows = defaultdict(list)
    for tool, contract in sorted(contracts.items()):
        group = contract["file"].parent.name.removeprefix("svc-")
        rows[group].append((f"[{tool}]({tool}.md)", cell(contract["summary"]), str(contract["credits"]),
                            contract["rate_class"]))
    parts = [INTRODUCTION % LIMITS["global_per_minute"]]
    for tag in tags:
        if tag["name"] in rows:
            parts += [f"## {tag['description']}\n",
                      table(("tool", "what it does", "credits", "rate class"), rows[tag["name"]])]
    return "\n".join(parts)
