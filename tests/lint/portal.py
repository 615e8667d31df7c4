"""Tests cover each route of portal/routes.c, and each sentence of the portal's code. A member's
export has all data about them.

Each route has a row in a table of tests/api/portal, and each row a route. Each sentence that the
portal shows is in the words of a row, or in a test in that folder.

Each table of gateway/sql with a column account_id or member_id is read by
common/db/account-export.c, or is listed here with the reason why not.

The portal's style sheet is small: each page waits for it.
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


STYLE = "portal/static/portal.css"
STYLE_MAX_BYTES = 12 * 1024

SQL = "gateway/sql"
EXPORT = "common/db/account-export.c"

LEFT_OUT = {
    "account_fault": "errors of background tasks, for the operator",
    "invoice_number": "the numbers of the documents in invoice, which are exported with them",
    "ledger_checkpoint": "how far `tollctl verify` has read the ledger",
    "ledger_proof": "hashes; the proof of an entry has them",
    "order_route": "the ids under which the processor knows the orders",
    "reconcile_difference": "the operator's comparison of orders, which are exported, with the processor's balance",
    "unknown_outcome": "calls that the operator may have to settle; the ledger's entries are exported",
    "usage_margin": "sums of usage_day",
    "usage_roll": "how far the ledger is counted in usage_day",
}

SQL_COMMENT = re.compile(r"--[^\n]*")
TABLE = re.compile(r"create (?:unlogged )?table (\w+) \((.*?)\n\)", re.DOTALL)
ALTERED = re.compile(r"alter table (\w+) add (?:column )?(?:account_id|member_id)\b")
OWNED = re.compile(r"^\s*(?:account_id|member_id)\b", re.MULTILINE)
READ = re.compile(r"\b(?:from|join) (\w+)")


def owned_tables(root):
    for file in sorted((root / SQL).glob("*.sql")):
        text = SQL_COMMENT.sub("", file.read_text())
        for name, columns in TABLE.findall(text):
            if OWNED.search(columns):
                yield file.relative_to(root), name
        for name in ALTERED.findall(text):
            yield file.relative_to(root), name


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


def check_export(root):
    if not (root / SQL).exists():
        return
    read = set(READ.findall((root / EXPORT).read_text()))
    tables = dict((name, file) for file, name in owned_tables(root))
    for name, file in sorted(tables.items()):
        if name in read and name in LEFT_OUT:
            yield f"{EXPORT}: reads {name}, which tests/lint/portal.py lists as left out"
        elif name not in read and name not in LEFT_OUT:
            yield f"{file}: {EXPORT} does not read {name}"


def check_style(root):
    if (root / STYLE).exists() and (root / STYLE).stat().st_size > STYLE_MAX_BYTES:
        yield f"{STYLE} has {(root / STYLE).stat().st_size} bytes, more than {STYLE_MAX_BYTES}"


def check(root):
    yield from check_style(root)
    yield from check_export(root)
    if not (root / ROUTES).exists():
        return
    rows = list(tables(root))
    yield from check_routes(root, rows)
    yield from check_sentences(root, rows)


ONE_ROUTE = {ROUTES: 'x = {\n    { "GET", "/portal/{id}", P, show },\n};\n'}
ONE_ROW = "- {title: a, route: 'GET /portal/{id}', words: ['Wait 5 minutes, please.']}\n"

TREE = {EXPORT: '"select * from member m where"\n', f"{SQL}/1.sql": "create table member (\n    member_id uuid\n);\n"}

EXAMPLES = [
        ("an exported table", TREE, 0),
    ("a table that is not exported", TREE | {f"{SQL}/2.sql": "create table note (\n    text text,\n    account_id uuid\n);\n"}, 1),
    ("a table that is not logged", TREE | {f"{SQL}/2.sql": "create unlogged table note (\n    account_id uuid\n);\n"}, 1),
    ("a column that is added", TREE | {f"{SQL}/2.sql": "create table note (\n    text text\n);\n"
                                                       "alter table note add column member_id uuid;\n"}, 1),
    ("a joined table", TREE | {EXPORT: '" from member m join note n"', f"{SQL}/2.sql": "create table note (\n    account_id uuid\n);\n"}, 0),
    ("a table of nobody", TREE | {f"{SQL}/2.sql": "create table tool (\n    tool_id int -- account_id\n);\n"}, 0),
    ("a table with a reason", TREE | {f"{SQL}/2.sql": "create table usage_roll (\n    account_id uuid\n);\n"}, 0),
    ("both", TREE | {EXPORT: '" from member, from usage_roll"',
                     f"{SQL}/2.sql": "create table usage_roll (\n    account_id uuid\n);\n"}, 1),
    ("no portal", {}, 0),
    ("the largest style sheet", {STYLE: "a" * STYLE_MAX_BYTES}, 0),
    ("a style sheet that is too large", {STYLE: "a" * (STYLE_MAX_BYTES + 1)}, 1),
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
    lint.run(check, EXAMPLES, "add a row for the route to tests/api/portal/rows, or the sentence to the words of a row; read the "
             "table in common/db/account-export.c, or list it in LEFT_OUT with the reason; combine rules of the "
             "style sheet that declare the same.")
