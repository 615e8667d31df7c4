"""Besides its contract, each tool has its name in CHANGELOG.md, API cases that state its charge,
and a comparison with a library. docs/develop/adding-a-tool.md describes them."""

import re

import yaml

import lint

CONTRACTS = "svc-*/*/*.yaml"
CASES = "svc-{group}/{tool}/tests/cases.yaml"
CHANGELOG = "CHANGELOG.md"
COMPARISONS = "tests/bench/libraries/comparisons.yaml"
PERFORMANCE = "docs/performance.md"
ROW = re.compile(r"^\| ([a-z0-9-]+)[ ,][^|]*\| [0-9]", re.MULTILINE)
WORD = re.compile(r"`([a-z0-9-]+)`")


def load(file):
    return yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None


def tools(root):
    """(group, tool) of each contract."""
    for file in sorted(root.glob(CONTRACTS)):
        document = load(file)
        if isinstance(document, dict) and "tool" in document:
            yield file.relative_to(root).parts[0].removeprefix("svc-"), document["tool"]


def check_changelog(root, found):
    """The prefix that all tools of a group share can be left out: `-timestamp`."""
    file = root / CHANGELOG
    words = set(WORD.findall(file.read_text(encoding="utf-8"))) if file.exists() else set()
    for group, tool in found:
        if tool not in words and not any(word.startswith("-") and tool.endswith(word) for word in words):
            yield f"{CHANGELOG}: the list of svc-{group} lacks `{tool}`"


def check_cases(root, found):
    for group, tool in found:
        path = CASES.format(group=group, tool=tool)
        cases = load(root / path)
        if not cases:
            yield f"{path}: {tool} has no case"
        for case in cases or []:
            if "charged" not in case:
                yield f"{path}: {case.get('title')}: does not say what is charged"


def check_comparisons(root, found):
    """Each tool has a row in the list of comparisons and in the table of their results, with its
    library and what differs, or why there is none."""
    rows = load(root / COMPARISONS) or []
    page = root / PERFORMANCE
    measured = set(ROW.findall(page.read_text(encoding="utf-8"))) if page.exists() else set()
    compared = {row.get("tool") for row in rows}
    for _, tool in found:
        if tool not in compared:
            yield f"{COMPARISONS}: {tool} has no row"
        if tool not in measured:
            yield f"{PERFORMANCE}: {tool} has no row; compare.py --write adds it"
    for row in rows:
        if row.get("tool") not in {tool for _, tool in found}:
            yield f"{COMPARISONS}: there is no tool {row.get('tool')}"
        if ("library" in row) == ("none" in row) or ("library" in row) != ("differs" in row):
            yield f"{COMPARISONS}: {row.get('tool')} must have a library and what differs, or why there is none"


def check(root):
    found = list(tools(root))
    if not found:
        yield f"{CONTRACTS}: no contract found"
    yield from check_changelog(root, found)
    yield from check_cases(root, found)
    yield from check_comparisons(root, found)


def tree(case="title: a, charged: 1", changelog="`a-tool`", compared="none: b"):
    return {"svc-x/a-tool/a-tool.yaml": "tool: a-tool", "svc-x/a-tool/data.yaml": "[1]", CHANGELOG: changelog,
            "svc-x/a-tool/tests/cases.yaml": f"- {{ {case} }}\n",
            COMPARISONS: f"- {{ tool: a-tool, {compared} }}\n", PERFORMANCE: "| a-tool | 0.1 | none |\n"}


EXAMPLES = [
    ("all is there", tree(), 0),
    ("a tool by its end", tree(changelog="`b-other`, `-tool`"), 0),
    ("not in the changelog", tree(changelog="a-tool"), 1),
    ("no changelog", {name: text for name, text in tree().items() if name != CHANGELOG}, 1),
    ("a case without its price", tree("title: a, status: 400"), 1),
    ("free", tree("title: a, status: 400, charged: 0"), 0),
    ("no case", tree() | {"svc-x/a-tool/tests/cases.yaml": ""}, 1),
    ("another tool without all", tree() | {"svc-x/b-tool/b-tool.yaml": "tool: b-tool"}, 4),
    ("compared with a library", tree(compared="library: b, differs: c"), 0),
    ("a library, but not what differs", tree(compared="library: b"), 1),
    ("neither a library nor why", tree(compared="what: b"), 1),
    ("a comparison of no tool", tree() | {COMPARISONS: tree()[COMPARISONS] + "- { tool: gone, none: b }\n"}, 1),
    ("not compared", tree() | {COMPARISONS: ""}, 1),
    ("not measured", tree() | {PERFORMANCE: "| a-tool | | none |\n"}, 1),
    ("a part is measured", tree() | {PERFORMANCE: "| a-tool, of a page | 0.1 | none |\n"}, 0),
    ("no contract", {CHANGELOG: ""}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "add the tool to CHANGELOG.md, the case, `charged` to the case (0 for an error), or the comparison.")
