"""Each alert of deploy/observability/alerts.yml links a runbook, docs/runbooks/<alert>.md. Each
runbook has its alert, the alert's severity and all sections, and docs/runbooks/README.md lists it.
No page of docs/ is too long to read, except those that a program writes.
"""

import re

import lint
import yaml

ALERTS = "deploy/observability/alerts.yml"
RUNBOOKS = "docs/runbooks"
INDEX = f"{RUNBOOKS}/README.md"
SECTIONS = ["Meaning", "Impact", "Check", "Fix"]
LINES_MAX = 300
GENERATED = ("docs/tools/",)

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
BLOCK = re.compile(r"```.*?```", re.DOTALL)
ROW = re.compile(r"^\| \[(\w+)\]\(\1\.md\) \| (\w+) \|", re.MULTILINE)


def read(file):
    return file.read_text(encoding="utf-8") if file.exists() else ""


def check(root):
    yield from check_runbooks(root)
    yield from check_lengths(root)


def check_runbooks(root):
    rules = [rule for group in yaml.safe_load(read(root / ALERTS))["groups"] for rule in group["rules"]
             if "alert" in rule]
    severities = {rule["alert"]: rule["labels"]["severity"] for rule in rules}
    for rule in rules:
        name, link = rule["alert"], f"{RUNBOOKS}/{rule['alert']}.md"
        if rule["annotations"].get("runbook_url") != link:
            yield f"{ALERTS}: the runbook_url of {name} is not {link}"
        if not (root / link).exists():
            yield f"{link} does not exist"
    for page in sorted((root / RUNBOOKS).glob("*.md")):
        if page.name != "README.md":
            yield from check_runbook(page, severities)
    if dict(ROW.findall(read(root / INDEX))) != severities:
        yield f"{INDEX} does not list the alerts with their severities"


def check_runbook(page, severities):
    name, text = page.stem, read(page)
    if name not in severities:
        yield f"{RUNBOOKS}/{page.name}: {ALERTS} has no alert of this name"
    elif not text.startswith(f"# {name}\n\nSeverity: {severities[name]}\n"):
        yield f"{RUNBOOKS}/{page.name}: does not begin with the alert's name and severity"
    if HEADING.findall(BLOCK.sub("", text)) != SECTIONS:
        yield f"{RUNBOOKS}/{page.name}: the sections are not {', '.join(SECTIONS)}"


def check_lengths(root):
    for page in sorted((root / "docs").rglob("*.md")):
        name, count = str(page.relative_to(root)), len(read(page).splitlines())
        if count > LINES_MAX and not name.startswith(GENERATED):
            yield f"{name}: {count} lines; at most {LINES_MAX} are allowed"


def tree(name="Down", severity="page", **more):
    rule = {"alert": "Down", "expr": "up == 0", "labels": {"severity": "page"},
            "annotations": {"runbook_url": f"{RUNBOOKS}/Down.md"}}
    page = f"# {name}\n\nSeverity: {severity}\n\n" + "".join(f"## {section}\n\nText.\n\n" for section in SECTIONS)
    return {ALERTS: yaml.safe_dump({"groups": [{"rules": [rule]}]}), f"{RUNBOOKS}/{name}.md": page,
            INDEX: f"| [{name}]({name}.md) | {severity} | Text. |\n"} | more


def changed(name, old, new):
    assert old in tree()[name]
    return tree() | {name: tree()[name].replace(old, new)}


DOWN = f"{RUNBOOKS}/Down.md"
EXAMPLES = [
    ("a runbook for each alert", tree(), 0),
    ("an alert without its runbook, and the reverse", tree("Up"), 3),
    ("a link to another page", changed(ALERTS, "Down.md", "README.md"), 1),
    ("no link", changed(ALERTS, "runbook_url", "summary"), 1),
    ("another severity", changed(DOWN, "Severity: page", "Severity: ticket"), 1),
    ("another severity in the index", changed(INDEX, "page", "ticket"), 1),
    ("not in the index", tree() | {INDEX: "# Runbooks\n"}, 1),
    ("a missing section", changed(DOWN, "## Check\n", ""), 1),
    ("a heading in a block of code", changed(DOWN, "Text.\n", "```\n## no heading\n```\n"), 0),
    ("a page of the maximum length", tree() | {"docs/a/b.md": "line\n" * LINES_MAX}, 0),
    ("a page that is too long", tree() | {"docs/a/b.md": "line\n" * (LINES_MAX + 1)}, 1),
    ("a generated page", tree() | {"docs/tools/a.md": "line\n" * (LINES_MAX + 1)}, 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "write the runbook, its runbook_url and its row in the index; split a page that is too long.")
