"""A test names each finding code of a tool.

The codes are the rows of the tables in findings.yaml. The tests are those in the tool's folder, in
tests/unit/svc-<group> and in tests/api/<group>.
"""

import re

import lint
import yaml

# Tables whose tests do not name all codes yet. Remove tables from this list, never add one.
OPEN = {"svc-security/openapi-validate/diff/diff.def", "svc-security/openapi-validate/document/rules.def"}

ARGUMENT = re.compile(r'\s*((?:"(?:\\.|[^"\\])*"|[^,()"]|\([^()]*\))*)[,)]')


def arguments(text, macro):
    """The arguments of each use of the macro at the start of a line."""
    for use in re.finditer(rf"^{macro}\(", text, re.MULTILINE):
        at, found = use.end(), []
        while True:
            argument = ARGUMENT.match(text, at)
            if not argument:
                break
            found.append(argument[1].strip().strip('"'))
            at = argument.end()
            if text[at - 1] == ")":
                break
        yield found


def tables(root):
    """(path, macro, position of the code) of each table that a page shows."""
    for file in sorted(root.glob("svc-*/*/findings.yaml")):
        for table in yaml.safe_load(file.read_text(encoding="utf-8")):
            if table["table"] not in OPEN:
                yield table["table"], table["macro"], next(iter(table["columns"].values()))


def words(root, group):
    """All words in the tests of a group that could be codes."""
    folders = (root / "tests" / "unit" / group, root / "tests" / "api" / group.removeprefix("svc-"),
               *(root / group).glob("*/tests"))
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return {word for file in files for word in re.findall(r"[\w.-]*\w", file.read_text(encoding="utf-8", errors="ignore"))}


def check(root):
    seen = {}
    for table, macro, place in tables(root):
        group = table.split("/")[0]
        if group not in seen:
            seen[group] = words(root, group)
        for row in arguments((root / table).read_text(encoding="utf-8"), macro):
            if row[place] not in seen[group]:
                yield f"{table}: no test of {group} names {row[place]}"


TEXT = """- { heading: Findings, table: svc-x/found.def, macro: FOUND, columns: { code: 1, message: 2 } }
"""
TABLE = {"svc-x/t/findings.yaml": TEXT, "svc-x/found.def": 'FOUND(ONE, one-code, "a, (b) \\"c\\"")\nFOUND(TWO, "two.code", F(1, 2))\n'}

EXAMPLES = [
    ("both are named", TABLE | {"tests/unit/svc-x/a/b.c": '"one-code "', "svc-x/t/tests/cases.yaml": "code: two.code"}, 0),
    ("one is not", TABLE | {"tests/unit/svc-x/a.c": '"one-code" "two.codes"'}, 1),
    ("by another group", TABLE | {"tests/unit/svc-y/a.c": '"one-code" "two.code"'}, 2),
    ("no tables", {"svc-x/found.def": "FOUND(ONE)"}, 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "add a row with this code to a test of its group.")
