"""docs/api/errors.md has one row per code of common/base/err.def: status, condition and remedy."""

import re

import lint

TABLE = "common/base/err.def"
PAGE = "docs/api/errors.md"
ROW = re.compile(r'ERR\(\w+, (\d+), "(\w+)", (?:PLATFORM|TOOL|PORTAL)\)')
LINE = re.compile(r"\| (\d+) \| `(\w+)` \| \S[^|]* \| \S[^|]* \|")


def read(root, name, pattern):
    """{code: (status, line number)}, and the problems of the file itself."""
    codes, problems = {}, []
    for number, line in lint.numbered(root / name):
        found = pattern.fullmatch(line)
        if not found:
            continue
        status, code = found.groups()
        if code in codes:
            problems.append(f"{name}:{number}: {code} has two rows")
        codes[code] = (status, number)
    return codes, problems


def check(root):
    table, problems = read(root, TABLE, ROW)
    page, more = read(root, PAGE, LINE)
    yield from problems + more
    if not table:
        yield f"{TABLE}: no code found"
    for code, (status, number) in table.items():
        if code not in page:
            yield f"{TABLE}:{number}: {code} is missing in {PAGE}"
        elif page[code][0] != status:
            yield f"{PAGE}:{page[code][1]}: {code} has status {status} in {TABLE}"
    for code, (_, number) in page.items():
        if code not in table:
            yield f"{PAGE}:{number}: {code} is missing in {TABLE}"


ONE_ROW = 'ERR(TOO_DEEP, 400, "too_deep", PLATFORM)\n'
ONE_LINE = "| 400 | `too_deep` | Too deep. | Send less. |\n"

EXAMPLES = [
    ("both agree", {TABLE: ONE_ROW, PAGE: "# Codes\n\n" + ONE_LINE}, 0),
    ("undocumented", {TABLE: ONE_ROW + 'ERR(X, 400, "x", TOOL)\n', PAGE: ONE_LINE}, 1),
    ("documented only", {TABLE: ONE_ROW, PAGE: ONE_LINE + "| 400 | `x` | X. | Y. |\n"}, 1),
    ("another status", {TABLE: ONE_ROW, PAGE: "| 404 | `too_deep` | Too deep. | Send less. |\n"}, 1),
    ("no condition", {TABLE: ONE_ROW, PAGE: "| 400 | `too_deep` |  | Send less. |\n"}, 1),
    ("no remedy", {TABLE: ONE_ROW, PAGE: "| 400 | `too_deep` | Too deep. |\n"}, 1),
    ("twice in the page", {TABLE: ONE_ROW, PAGE: ONE_LINE + ONE_LINE}, 1),
    ("twice in the table", {TABLE: ONE_ROW + ONE_ROW, PAGE: ONE_LINE}, 1),
    ("nothing at all", {TABLE: "", PAGE: ""}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "give docs/api/errors.md one row for each row of common/base/err.def: status, code, when, what to do.")
