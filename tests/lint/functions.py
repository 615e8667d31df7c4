"""No C or SQL function has more than 60 lines, including its head."""

import re

import lint

LINES_MAX = 60
FOLDERS = ("common", "gateway", "portal", "browser", "svc-*")
SQL = re.compile(r"^create (?:or replace )?(?:function|procedure) (\w+).*?(\$\w*\$).*?\2[^;]*;",
                 re.DOTALL | re.IGNORECASE | re.MULTILINE)
NAME = re.compile(r"(\w+)\(")


def c_functions(text):
    """(name, first line, number of lines); clang-format puts a function's braces in column 1."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line != "{":
            continue
        first = number - 1
        while lines[first].startswith(" "):
            first -= 1
        last = next((at for at in range(number, len(lines)) if lines[at] == "}"), len(lines) - 1)
        name = NAME.search(lines[first])
        yield name[1] if name else lines[first], first + 1, last - first + 1


def sql_functions(text):
    for found in SQL.finditer(text):
        yield found[1], text.count("\n", 0, found.start()) + 1, found[0].count("\n") + 1


def check(root):
    files = [(file, c_functions) for file in lint.c_files(root, FOLDERS)]
    files += [(file, sql_functions) for file in sorted(root.glob("gateway/sql/*.sql"))]
    for file, functions in files:
        for name, line, length in functions(file.read_text(encoding="utf-8")):
            if length > LINES_MAX:
                yield (f"{file.relative_to(root)}:{line}: {name} has {length} lines, more than {LINES_MAX}: "
                       "move a part into a function")


def c_function(lines, head="static int sum(int a, int b)"):
    return f"/* Adds. */\n{head}\n{{\n" + "    a += b;\n" * (lines - 4) + "    return a;\n}\n"


def sql_function(lines, mark="$$"):
    return (f"create function sum(a bigint) returns bigint language plpgsql as {mark}\nbegin\n"
            + "    a := a + 1;\n" * (lines - 4) + f"    return a;\nend {mark};\n")


C, S = "common/base/a.c", "gateway/sql/001-a.sql"
EXAMPLES = [
    ("the maximum length", {C: c_function(LINES_MAX), S: sql_function(LINES_MAX)}, 0),
    ("one line more in C", {C: c_function(LINES_MAX + 1)}, 1),
    ("a head of two lines", {C: c_function(LINES_MAX, "static int sum(int a,\n               int b)")}, 1),
    ("in a header", {"svc-x/tool/a.h": c_function(LINES_MAX + 1)}, 1),
    ("two that are short", {C: 2 * c_function(40), S: 2 * sql_function(40)}, 0),
    ("the second is long", {C: c_function(9) + c_function(70), S: sql_function(9) + sql_function(70)}, 2),
    ("a table", {C: "static const int a[] = {\n" + "    1,\n" * 99 + "};\n", S: "create table a (\n" + "\n" * 99 + ");"}, 0),
    ("one line more in SQL", {S: sql_function(LINES_MAX + 1)}, 1),
    ("with another quote", {S: sql_function(LINES_MAX + 1, "$body$")}, 1),
    ("replaced", {S: sql_function(LINES_MAX + 1).replace("create", "create or replace")}, 1),
    ("in plain SQL", {S: "create function a() returns int language sql as $$\n" + "\n" * 70 + "select 1\n$$;\n"}, 1),
    ("statements after it do not count", {S: sql_function(9) + "\n" * 90 + "grant execute on function sum(bigint) to a;\n"},
     0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "split it into functions that each do one thing and are named after it.")
