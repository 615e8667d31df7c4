"""docs/develop/architecture.md has one row for each folder with C or SQL code of the product.

The folder of a tool needs no row, because its contract describes it. Folders inside it may have
one.
"""

import re

import lint

PAGE = "docs/develop/architecture.md"
ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
FOLDERS = ("common", "gateway", "portal", "browser", "svc-*")
CODE = {".c", ".h", ".sql"}


def code_folders(root):
    """The folders that directly contain code."""
    tools = {file.parent for file in lint.contracts(root)}
    for folder in FOLDERS:
        for top in root.glob(folder):
            yield from {str(file.parent.relative_to(root)) for file in top.rglob("*") if file.suffix in CODE
                        and not any(tool in file.parents for tool in tools)}


def check(root):
    page = root / PAGE
    rows = ROW.findall(page.read_text(encoding="utf-8")) if page.exists() else []
    for folder in sorted(set(code_folders(root)) - set(rows)):
        yield f"{PAGE}: {folder} has no row"
    for row in sorted(set(rows)):
        if not (root / row).is_dir():
            yield f"{PAGE}: the folder {row} does not exist"
        if rows.count(row) > 1:
            yield f"{PAGE}: {row} has two rows"


NET = "| `common/net` | egress |\n"
FILE = {"common/net/a.c": ""}

EXAMPLES = [
    ("each folder has its row", FILE | {PAGE: NET}, 0),
    ("a folder without a row", FILE | {"svc-x/part/a.h": "", PAGE: NET}, 1),
    ("a tool's folder", FILE | {"svc-x/tool/tool.yaml": "", "svc-x/tool/in/a.h": "", PAGE: NET}, 0),
    ("SQL is code", FILE | {"gateway/sql/1.sql": "", PAGE: NET}, 1),
    ("data is not code", FILE | {"svc-x/a.yaml": "", PAGE: NET}, 0),
    ("a row without its folder", {PAGE: NET}, 1),
    ("two rows", FILE | {PAGE: NET + NET}, 1),
    ("no page", FILE, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, f"edit {PAGE} to have one row for each folder with code.")
