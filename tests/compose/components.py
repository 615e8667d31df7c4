"""tests/compose/components.py - scripts/release/components.yaml names what exists, with licenses
that we may ship, and NOTICE explains each."""

import pathlib
import re
import sys

import yaml

sys.path.append(str(pathlib.Path(__file__).parents[1] / "lint"))

import lint  # noqa: E402

TABLE, NOTICE = "scripts/release/components.yaml", "NOTICE"
NEEDED, OPTIONAL = {"name", "path", "license", "source"}, {"version"}
LICENSES = {"Apache-2.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "MIT", "Unicode-DFS-2016"}


def check(root):
    table = root / TABLE
    notice = (root / NOTICE).read_text(encoding="utf-8") if (root / NOTICE).exists() else ""
    rows = yaml.safe_load(table.read_text(encoding="utf-8")) if table.exists() else []
    for row in rows:
        place = f"{TABLE}: {row.get('name')}"
        if NEEDED - row.keys() or row.keys() - NEEDED - OPTIONAL:
            yield f"{place}: needs {', '.join(sorted(NEEDED))}, and may have version"
            continue
        if not (root / row["path"]).exists():
            yield f"{place}: {row['path']} does not exist"
        if not re.search(rf"^{re.escape(row['path'])}(?![\w-])", notice, re.MULTILINE):
            yield f"{place}: {NOTICE} does not explain {row['path']}"
        for license in set(row["license"].split(" AND ")) - LICENSES:
            yield f"{place}: {license} is not one of {', '.join(sorted(LICENSES))}"
        if not str(row["source"]).startswith("https://"):
            yield f"{place}: source must begin with https://"


ROW = "- {name: a, path: data/a.txt, license: MIT, source: 'https://a.example'}\n"
TREE = {"data/a.txt": "", NOTICE: "data/a.txt  from a\n", TABLE: ROW}

EXAMPLES = [
    ("all is well", TREE, 0),
    ("a version", TREE | {TABLE: ROW.replace("license", "version: '1', license")}, 0),
    ("two licenses", TREE | {TABLE: ROW.replace("MIT", "MIT AND CC0-1.0")}, 0),
    ("a license that is not in the list", TREE | {TABLE: ROW.replace("MIT", "GPL-3.0-only")}, 1),
    ("no file", TREE | {TABLE: ROW.replace("a.txt", "b.txt")}, 2),
    ("not explained", TREE | {NOTICE: "data/a.txt-old  from a\n"}, 1),
    ("no source", TREE | {TABLE: "- {name: a, path: data/a.txt, license: MIT}\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, f"edit {TABLE} or {NOTICE}.")
