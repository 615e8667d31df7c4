"""The files, folders, headings and decisions that pages and comments name exist.

A path is relative to the root, to common/ (as in an #include) or to a folder above the file. Its
suffix may be missing. Paths with a placeholder (<tool>, *, {a,b}, …) are not checked.
"""

import re

import lint

FOLDERS = ("common", "gateway", "portal", "browser", "svc-*", "tests", "deploy", "docs", "scripts", "proto")
FOREIGN = re.compile(r"tests/(fuzz/|check/)?corpus/|tests/sites/")  # samples

# The text of a file: of a page, everything except code blocks; of other files, the comments.
PAGE = re.compile(r"```.*?```|(?P<said>(?:(?!```).)+)", re.DOTALL)
C = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?P<said>/\*.*?\*/|//[^\n]*)', re.DOTALL)
DASHES = re.compile(r"(?P<said>--[^\n]*)")
HASHES = re.compile(r"(?P<said>(?:^|(?<=[ \t]))#[^\n]*)", re.MULTILINE)
PYTHON = re.compile(HASHES.pattern + r'|(?P<docstring>^[ \t]*"""(?:.|\n)*?""")', re.MULTILINE)
SAYS = {".md": PAGE, "NOTICE": PAGE, ".c": C, ".h": C, ".def": C, ".proto": C, ".py": PYTHON, ".sql": DASHES,
        ".lua": DASHES, ".yaml": HASHES, ".yml": HASHES, ".build": HASHES, ".cfg": HASHES, ".conf": HASHES,
        ".sh": HASHES, "Makefile": HASHES, "Dockerfile": HASHES}

WORD = re.compile(r"(?<![\w./:@$~-])\w[\w.-]*(?:/[\w.<>*{},…-]*)*")
PLAIN = re.compile(r"[\w./-]+")
OURS = (".md", ".def")  # these suffixes always mean files of this tree
SOURCES = OURS + (".h", ".c", ".py", ".sql", ".yaml", ".cfg", ".proto")

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
DECISION = re.compile(r"\bdecisions?\s+(?:\*\s+)?(\d+)", re.IGNORECASE)
NOWHERE = re.compile(r"\b(?:design|style|specification)(?:,?\s+(?:section\s+)?\d|,\s+section\b|,\s+[A-Z]\w*)")


def texts(root):
    """(path, first line, text) of all texts."""
    files = [*root.glob("*"), *(file for folder in FOLDERS for top in root.glob(folder) for file in top.rglob("*"))]
    for file in sorted(files):
        path = str(file.relative_to(root))
        pattern = SAYS.get(file.suffix or file.name)
        if pattern and file.is_file() and not FOREIGN.search(path):
            content = file.read_text(encoding="utf-8")
            for found in pattern.finditer(content):
                if found.lastgroup:
                    yield file, content.count("\n", 0, found.start()) + 1, found[found.lastgroup]


def exists(place, name):
    return (place / name).exists() or any(place.glob(name.rstrip("/") + ".*"))


def is_missing(root, names, file, word):
    """Does the word name a path of the tree that does not exist?"""
    if "/" not in word:
        return word.endswith(OURS) and word not in names
    places = [root, root / "common", *(folder for folder in file.parents if root in folder.parents)]
    first = word.partition("/")[0]
    if not (root / first).is_dir() and not word.endswith(OURS):
        if not word.endswith(SOURCES) or not any((place / first).is_dir() for place in places):
            return False  # a path elsewhere, or not a path: text/html
    return not any(exists(place, word) for place in places)


def slugs(page):
    """The anchors of a page's headings."""
    for heading in HEADING.findall(page.read_text(encoding="utf-8")):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def is_broken(file, link):
    path, _, anchor = link.partition("#")
    if ":" in path:
        return False  # another site
    target = file.parent / path if path else file
    return not target.exists() or (anchor != "" and anchor not in slugs(target))


def problems_of(root, names, file, said):
    """(offset, problem)"""
    for found in WORD.finditer(said):
        word = found[0].rstrip(".,-")
        if PLAIN.fullmatch(word) and is_missing(root, names, file, word):
            yield found.start(), f"{word} does not exist"
    if file.suffix == ".md":
        for found in LINK.finditer(said):
            if is_broken(file, found[1]):
                yield found.start(), f"the target of the link {found[1]} does not exist"
    for found in DECISION.finditer(said):
        if not any(root.glob(f"docs/decisions/{int(found[1]):03}-*.md")):
            yield found.start(), f"{found[0]} is not in docs/decisions"
    for found in NOWHERE.finditer(said):
        yield found.start(), f"there is no page {found[0]}"


def check(root):
    names = {file.name for folder in FOLDERS for top in root.glob(folder) for file in top.rglob("*")}
    names |= {file.name for file in root.glob("*")}
    for file, line, said in texts(root):
        for offset, problem in problems_of(root, names, file, said):
            yield f"{file.relative_to(root)}:{line + said.count(chr(10), 0, offset)}: {problem}"


def page(text, **more):
    return {"docs/a.md": text} | more


def comment(text):
    return {"common/net/a.c": f"/* {text} */\n", "common/net/trip.h": "", "tests/unit/a.c": "",
            "docs/decisions/001-ledger.md": ""}


EXAMPLES = [
    ("a file by its path", comment("see common/net/trip.h."), 0),
    ("as it is included", comment("(net/trip.h)"), 0),
    ("from a folder above", comment("in the same folder: net/a.c, trip.h"), 0),
    ("a folder", comment("tests/unit, tests/unit/"), 0),
    ("a module", comment("common/net/trip"), 0),
    ("a file that is not there", comment("see common/net/tour.h."), 1),
    ("nor as it is included", comment("(net/tour.h)"), 1),
    ("a layer that is not there", comment("(tables/tour.def)"), 1),
    ("a folder that is not there", comment("tests/units"), 1),
    ("on its line", {"tests/a.py": 'x = "tests/no"\n# tests/no, tests/a.py\n'}, 1),
    ("two", {"docs/a.md": "`docs/b.md` and\n`tests/c/`\n", "tests/d": ""}, 2),
    ("in a docstring", {"tests/a.py": '"""One.\n\ntests/no\n"""\n'}, 1),
    ("in a table", {"tests/x": "", "svc-x/a.def": "/* tests/no */\n"}, 1),
    ("in SQL", {"gateway/sql/001-a.sql": "select 'gateway/no'; -- gateway/no\n"}, 1),
    ("in YAML", {"gateway/a.yaml": "a: gateway/no\n# gateway/no\n"}, 1),
    ("not in code", {"tests/x": "", "common/a.c": '#include "tests/no"\nputs("/* tests/no */");\n'}, 0),
    ("not in a block of code", page("```\ndocs/no\n```\n"), 0),
    ("after a block of code", page("```\ndocs/no\n```\ndocs/no\n"), 1),
    ("samples are not checked", {"tests/sites/a.conf": "# tests/no\n"}, 0),
    ("a placeholder", page("docs/<tool>.md, docs/*.md, docs/{a,b}.md, svc-<group>/<tool>.yaml"), 0),
    ("paths elsewhere", page("/usr/include/a.h, https://docs/no.md, var/demo.json, text/html, sys/no.h"), 0),
    ("a page by its name", comment("001-ledger.md"), 0),
    ("a page that does not exist", comment("design.md, 1"), 1),
    ("a decision", comment("decision 1, decision 001"), 0),
    ("a decision that does not exist", comment("decision 2"), 1),
    ("across lines", comment("decision\n * 23"), 1),
    ("a style that does not exist", comment("style, section 8"), 1),
    ("a design", comment("design 3"), 1),
    ("a specification", comment("specification, Limits"), 1),
    ("the words alone", comment("by design; a style, or the specification of YAML 1.2"), 0),
    ("a link", page("[b](b.md) [b](../docs/b.md) [c](https://c.d/e) [d](tools/)",
                    **{"docs/b.md": "", "docs/tools/x": ""}), 0),
    ("a link to nothing", page("[b](c) [b](tools/)"), 2),
    ("a heading", page("# The one, `x`\n[b](#the-one-x) [b](b.md#b)", **{"docs/b.md": "## B\n"}), 0),
    ("no heading", page("# One\n[b](#two) [b](b.md#one)", **{"docs/b.md": "## B\n"}), 2),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "edit the page or comment to name an existing path, heading or decision.")
