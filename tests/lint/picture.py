"""docs/develop/architecture.svg is up to date."""

import pathlib
import sys
import tempfile

import lint

sys.path.append(str(pathlib.Path(__file__).parents[2] / "scripts"))

import architecture  # noqa: E402


def check(root):
    file = root / architecture.OUT
    if not file.exists() or file.read_text(encoding="utf-8") != architecture.draw(root):
        yield f"{architecture.OUT} differs from the output of scripts/architecture.py: run `make picture`"


TREE = {
    "gateway/main.c": '#include "gateway/call/a.h"\n', "gateway/call/a.h": '#include "text/json.h"\n',
    "portal/main.c": '#include "base/err.h"\n', "svc-x/main.c": '#include "tool/b.h"\n', "svc-x/tool/b.h": "",
    "common/base/err.h": "", "common/text/json.h": '#include "base/err.h"\n',
    "docs/develop/architecture.md": "| `common/base` | errors |\n",
}


def drawn(tree):
    """The tree, with its picture."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, content in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content, encoding="utf-8")
        return tree | {architecture.OUT: architecture.draw(root)}


EXAMPLES = [
    ("up to date", drawn(TREE), 0),
    ("no picture", TREE, 1),
    ("a new box", drawn(TREE) | {"gateway/ledger/a.c": ""}, 1),
    ("a new arrow", drawn(TREE) | {"gateway/main.c": '#include "base/err.h"\n'}, 1),
    ("a change within a box", drawn(TREE) | {"svc-x/main.c": ""}, 0),
    ("another text", drawn(TREE) | {"docs/develop/architecture.md": "| `common/base` | all else |\n"}, 1),
    ("a cycle", drawn(TREE | {"gateway/call/a.h": '#include "gateway/b.h"\n', "gateway/b.h": ""}), 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "make picture")
