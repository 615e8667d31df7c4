"""Tests cover each route of portal/routes.c, and each sentence of the portal's code.

Each route has a row in a table of tests/api/portal, and each row a route. Each sentence that the
portal shows is in the words of a row, or in a test in that folder.
"""

import re

import yaml

import lint

ROUTES = "portal/routes.c"
TABLES = "tests/api/portal"
ROUTE = re.compile(r'\{ "(GET|POST)",\s*"([^"]+)",')
KEYS = ("words", "no_words")

LITERALS = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*(?:PRI[diux]\d+\s*)?"(?:\\.|[^"\\\n])*")*')
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"|PRI[diux]\d+')
CONVERSION = re.compile(r"(?<!%)%(?:\.\*|\.\d+|[-0])?\d*(?:ll|l|z|h|j)?[sdiuxc]|(?<!%)%(?=$)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def tables(root):
    for file in sorted((root / TABLES / "rows").glob("*.yaml")):
        for row in yaml.safe_load(file.read_text()) or []:
            yield str(file.relative_to(root)), row


def listed(value):
    return [] if value is None else value if isinstance(value, list) else [value]


def check_routes(root, rows):
    known = {f"{method} {pattern}" for method, pattern in ROUTE.findall((root / ROUTES).read_text())}
    if not known:
        yield f"{ROUTES}: no route found"
    asked = {row["route"] for _, row in rows}
    for route in sorted(known - asked):
        yield f"{ROUTES}: {TABLES} has no row for {route}"
    for file, row in rows:
        if row["route"] not in known:
            yield f"{file}: {row['title']}: there is no route {row['route']}"


def sentences(text):
    """(line, sentence) of literals: from a capital to a full stop, three words or more."""
    text = COMMENT.sub(lambda found: "\n" * found.group().count("\n"), text)
    for found in LITERALS.finditer(text):
        words = "".join(part.group(1) if part.group(1) is not None else "d" for part in LITERAL.finditer(found.group()))
        if re.match(r"[A-Z]", words) and words.rstrip().endswith((".", "!")) and words.count(" ") >= 2 and \
                "\\n" not in words:
            for sentence in re.split(r"(?<=[.!]) (?=[A-Z])", words.replace('\\"', '"')):
                yield text.count("\n", 0, found.start()) + 1, sentence


def pattern_of(sentence):
    """Matches the sentence with its values filled in."""
    return re.compile(".*".join(re.escape(part.replace("%%", "%")) for part in CONVERSION.split(sentence)))


def check_sentences(root, rows):
    said = "\n".join([*(str(words) for _, row in rows for key in KEYS for words in listed(row.get(key))),
                      *(file.read_text() for file in sorted((root / TABLES).glob("*.py")))])
    for file in sorted((root / "portal").rglob("*.c")):
        for number, sentence in sentences(file.read_text()):
            if not pattern_of(sentence).search(said):
                yield f"{file.relative_to(root)}:{number}: no row has the words {sentence!r}"


def check(root):
    if not (root / ROUTES).exists():
        return
    rows = list(tables(root))
    yield from check_routes(root, rows)
    yield from check_sentences(root, rows)


ONE_ROUTE = {ROUTES: 'x = {\n    { "GET", "/portal/{id}", P, show },\n};\n'}
ONE_ROW = "- {title: a, route: 'GET /portal/{id}', words: ['Wait 5 minutes, please.']}\n"

EXAMPLES = [
    ("no portal", {}, 0),
    ("a route and its row", ONE_ROUTE | {f"{TABLES}/rows/a.yaml": ONE_ROW}, 0),
    ("a route without a row", ONE_ROUTE, 1),
    ("a row without a route", ONE_ROUTE | {f"{TABLES}/rows/a.yaml": ONE_ROW + "- {title: b, route: POST /}\n"}, 1),
    ("a tested sentence", ONE_ROUTE | {f"{TABLES}/rows/a.yaml": ONE_ROW,
     "portal/a.c": 'f(v, "Wait %" PRId64 " minutes, "\n  "please.");'}, 0),
    ("an untested sentence", ONE_ROUTE | {f"{TABLES}/rows/a.yaml": ONE_ROW,
     "portal/x/a.c": 'f("This is new here.");'}, 1),
    ("two sentences, one of them untested", ONE_ROUTE | {f"{TABLES}/rows/a.yaml": ONE_ROW,
     "portal/a.c": 'f("Wait 5 minutes, please. Or call somebody.");'}, 1),
    ("a comment", ONE_ROUTE | {f"{TABLES}/rows/a.yaml": ONE_ROW, "portal/x/a.c": '/* says "This is new here." */'}, 0),
    ("a log message", ONE_ROUTE | {f"{TABLES}/rows/a.yaml": ONE_ROW, "portal/x/a.c": 'log("the pool is full now");'}, 0),
    ("no route at all", {ROUTES: ""}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "add a row for the route to tests/api/portal/rows, or the sentence to the words of a row.")
