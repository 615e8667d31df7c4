"""tests/debian/packages.py - debian/control has a package for each group of tools, which the
package `tollgate` installs, and debian/changelog has the version of meson.build."""

import pathlib
import re
import sys

import yaml

sys.path.append(str(pathlib.Path(__file__).parents[1] / "lint"))

import lint  # noqa: E402

CONTROL, CHANGELOG, MESON = "debian/control", "debian/changelog", "meson.build"
PACKAGE = """\
Package: tollgate-svc-{name}
Architecture: any
Depends:
 ${{misc:Depends}},
 ${{shlibs:Depends}},
 ${{group:Depends}},
 tollgate-common (= ${{source:Version}})
Description: pay-per-use tools API: worker svc-{name}
 Tollgate sells calls of 44 tools through one HTTPS gateway. Each call is paid
 in prepaid credits, whose ledger is in PostgreSQL.
 .
 This package runs the tools of one group: {title}.
"""
NEEDED = " tollgate-svc-{name} (= ${{binary:Version}}),\n"


def check_groups(root):
    text = (root / CONTROL).read_text(encoding="utf-8")
    groups = {file.parent.name.removeprefix("svc-"): yaml.safe_load(file.read_text(encoding="utf-8"))
              for file in sorted(root.glob("svc-*/group.yaml"))}
    for name, group in groups.items():
        for part in (PACKAGE, NEEDED):
            if (wanted := part.format(name=name, title=group["title"])) not in text:
                yield f"{CONTROL} must have\n\n{wanted}"
    for name in sorted(set(re.findall(r"\btollgate-svc-([a-z]+)\b", text)) - groups.keys()):
        yield f"{CONTROL}: there is no group svc-{name}"


def check_version(root):
    """The newest entry of the changelog."""
    wanted = re.search(r"^  version: '(.+)',$", (root / MESON).read_text(encoding="utf-8"), re.MULTILINE)[1]
    found = re.match(r"tollgate \((.+?)\)", (root / CHANGELOG).read_text(encoding="utf-8"))[1]
    if found != wanted:
        yield f"{CHANGELOG}: the version is {found}, and that of {MESON} is {wanted}"


def check(root):
    yield from check_groups(root)
    yield from check_version(root)


TREE = {"svc-x/group.yaml": "{ title: X }", CONTROL: NEEDED.format(name="x") + PACKAGE.format(name="x", title="X"),
        CHANGELOG: "tollgate (1.2.0) bookworm; urgency=medium\n\ntollgate (1.1.0) bookworm; urgency=medium\n",
        MESON: "project('tollgate', 'c',\n  version: '1.2.0',\n"}
EXAMPLES = [
    ("no problems", TREE, 0),
    ("a group without a package", TREE | {"svc-y/group.yaml": "{ title: Y }"}, 2),
    ("a group that the package tollgate does not install", TREE | {CONTROL: PACKAGE.format(name="x", title="X")}, 1),
    ("another title", TREE | {"svc-x/group.yaml": "{ title: Z }"}, 1),
    ("a package without a group", TREE | {CONTROL: TREE[CONTROL] + "Package: tollgate-svc-gone\n"}, 1),
    ("another version", TREE | {MESON: TREE[MESON].replace("1.2", "1.3")}, 1),
    ("an older entry", TREE | {MESON: TREE[MESON].replace("1.2", "1.1")}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "add what the line shows; `dch --newversion` adds an entry to debian/changelog.")
