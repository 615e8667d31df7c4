"""A migration that was released never changes: gateway/sql/released.sha256 has the digest of each,
as databases store it, in sha256sum's format. New migrations follow after the listed ones.

`--write` adds the migrations that are not listed yet. A release does it; before that a new
migration may change.
"""

import hashlib
import importlib.util
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lint"))
import lint  # noqa: E402

FOLDER = "gateway/sql"
LIST = "gateway/sql/released.sha256"
COLUMNS = "gateway/ledger/columns.def"
LINE = re.compile(r"([0-9a-f]{64})  (\d{3}-[a-z0-9-]+\.sql)")


def embed():
    """gateway/sql/embed.py of this source, which replaces names of columns in a migration."""
    spec = importlib.util.spec_from_file_location("embed", pathlib.Path(__file__).resolve().parents[2] / FOLDER / "embed.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def digests(root):
    """[(digest, name)] of the migrations, in their order."""
    program = embed()
    columns = program.read_columns(root / COLUMNS)
    return [(hashlib.sha256(program.expand(file.read_text(), columns).encode()).hexdigest(), file.name)
            for file in sorted((root / FOLDER).glob("*.sql"))]


def check(root):
    now = digests(root)
    for number, line in lint.numbered(root / LIST):
        if not LINE.fullmatch(line):
            yield f"{LIST}:{number}: not a digest, two spaces and the name of a migration"
            continue
        digest, name = LINE.fullmatch(line).groups()
        if number > len(now) or now[number - 1][1] != name:
            yield f"{LIST}:{number}: {name} was released and is missing, or another one has its number"
        elif now[number - 1][0] != digest:
            yield (f"{FOLDER}/{name}:1: it was released, so databases refuse it once it changes; undo the change, "
                   f"also in {COLUMNS}, and write it as a new migration")


def write(root):
    listed = len((root / LIST).read_text().splitlines())
    with (root / LIST).open("a") as out:
        for digest, name in digests(root)[listed:]:
            print(f"{digest}  {name}", file=out)


def line(sql, name):
    return f"{hashlib.sha256(sql.encode()).hexdigest()}  {name}\n"


ONE = {COLUMNS: "ITEM(op, smallint)\n", "gateway/sql/001-one.sql": "create type t as (@ITEM@);\n"}
SQL = "create type t as (op smallint);\n"
TWO = ONE | {"gateway/sql/002-two.sql": "select 2;\n"}

EXAMPLES = [
    ("as released", ONE | {LIST: line(SQL, "001-one.sql")}, 0),
    ("one is new", TWO | {LIST: line(SQL, "001-one.sql")}, 0),
    ("changed", ONE | {LIST: line("other", "001-one.sql")}, 1),
    ("its columns changed", ONE | {COLUMNS: "ITEM(op, integer)\n", LIST: line(SQL, "001-one.sql")}, 1),
    ("missing", ONE | {LIST: line(SQL, "001-one.sql") + line("", "002-two.sql")}, 1),
    ("renamed", ONE | {LIST: line(SQL, "001-first.sql")}, 1),
    ("no line of the list", ONE | {LIST: "x\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "see the lines above.", write)
