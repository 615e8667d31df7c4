"""docs/architecture.md has a row for each room: every folder with C or SQL of the product. A tool's folder needs none,
since its contract says what the tool is for; rooms in it may have one."""

import re

import lint

PAGE = "docs/architecture.md"
ROOM = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
FOLDERS = ("common", "gateway", "portal", "svc-*")
CODE = {".c", ".h", ".sql"}


def rooms(root):
    """The folders that hold code themselves, not only in folders of theirs."""
    tools = {file.parent for file in lint.contracts(root)}
    for folder in FOLDERS:
        for top in root.glob(folder):
            yield from {str(file.parent.relative_to(root)) for file in top.rglob("*") if file.suffix in CODE
                        and not any(tool in file.parents for tool in tools)}


def check(root):
    page = root / PAGE
    rows = ROOM.findall(page.read_text(encoding="utf-8")) if page.exists() else []
    for room in sorted(set(rooms(root)) - set(rows)):
        yield f"{PAGE}: no row says what {room} is for"
    for row in sorted(set(rows)):
        if not (root / row).is_dir():
            yield f"{PAGE}: there is no room {row}"
        if rows.count(row) > 1:
            yield f"{PAGE}: {row} has two rows"


ROW = "| `common/net` | the way out |\n"
FILE = {"common/net/a.c": ""}

EXAMPLES = [
    ("each has its row", FILE | {PAGE: ROW}, 0),
    ("one without", FILE | {"svc-x/room/a.h": "", PAGE: ROW}, 1),
    ("a tool's", FILE | {"svc-x/tool/tool.yaml": "", "svc-x/tool/in/a.h": "", PAGE: ROW}, 0),
    ("SQL is code", FILE | {"gateway/sql/1.sql": "", PAGE: ROW}, 1),
    ("data is not", FILE | {"svc-x/a.yaml": "", PAGE: ROW}, 0),
    ("a room that is gone", {PAGE: ROW}, 1),
    ("two rows", FILE | {PAGE: ROW + ROW}, 1),
    ("no page", FILE, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "edit docs/architecture.md to have one row for each folder with code.")
