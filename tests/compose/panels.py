"""Grafana's dashboards are what deploy/observability/dashboards.py makes, explain each panel, ask
only for metrics that docs/operate/monitoring.md lists, and name only alerts that exist.

No panel splits a metric by a person: account, member, email, address.
"""

import json
import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "lint"), str(ROOT / "deploy" / "observability")]

import dashboards  # noqa: E402
import lint  # noqa: E402

ALERTS = "deploy/observability/alerts.yml"
METRICS = "docs/operate/monitoring.md"
OF_EDGE = {"tollgate_edge_certificate_expiry_timestamp_seconds"}  # deploy/edge/haproxy.cfg
METRIC = re.compile(r"\btollgate_[a-z_]+")
ROW = re.compile(r"^\| `(tollgate_[a-z_]+)` \|", re.MULTILINE)
ALERT = re.compile(r"\b[A-Z]+[a-z]+[A-Z][A-Za-z]+\b")
PERSON = re.compile(r"\b(?:account|member|email|address|ip)\b")
VARIABLE = re.compile(r"\$([a-z]+)")
OF_HISTOGRAM = re.compile(r"_(?:bucket|count|sum)$")


def check_panel(where, panel, metrics, alerts, variables):
    text = panel.get("description", "")
    if not text.endswith("."):
        yield f"{where}: describe it in a sentence"
    for name in ALERT.findall(text.partition("Alert")[2]):
        if name not in alerts:
            yield f"{where}: there is no alert {name}"
    for target in panel["targets"]:
        words = target["expr"] + target["legendFormat"]
        for name in set(METRIC.findall(target["expr"])):
            if name not in metrics and OF_HISTOGRAM.sub("", name) not in metrics:
                yield f"{where}: {METRICS} has no metric {name}"
        for name in set(VARIABLE.findall(words)) - variables:
            yield f"{where}: the dashboard has no variable {name}"
        if PERSON.search(words):
            yield f"{where}: it shows a person's data"


def check(root):
    wanted = dashboards.files()
    metrics = set(ROW.findall((root / METRICS).read_text(encoding="utf-8"))) | OF_EDGE
    rules = yaml.safe_load((root / ALERTS).read_text(encoding="utf-8"))
    alerts = {rule["alert"] for group in rules["groups"] for rule in group["rules"] if "alert" in rule}
    there = {file.name: file.read_text(encoding="utf-8") for file in sorted((root / dashboards.HERE).glob("*.json"))}
    for name in sorted(wanted.keys() | there.keys()):
        if wanted.get(name) != there.get(name):
            yield f"{dashboards.HERE}/{name} differs from the output of deploy/observability/dashboards.py"
    for name, content in there.items():
        dashboard = json.loads(content)
        variables = {variable["name"] for variable in dashboard["templating"]["list"]}
        for panel in dashboard["panels"]:
            yield from check_panel(f"{dashboards.HERE}/{name}: {panel['title']}", panel, metrics, alerts, variables)


def tree(change=lambda text: text, alerts=True, metrics=True):
    """The dashboards as they are, with every metric and alert that they name."""
    made = dashboards.files()
    everything = "".join(made.values())
    names = sorted({OF_HISTOGRAM.sub("", name) for name in METRIC.findall(everything)})
    wanted = sorted(set(ALERT.findall(everything)))
    first = next(iter(made))
    return {f"{dashboards.HERE}/{name}": change(content) if name == first else content for name, content in made.items()} | {
        METRICS: "".join(f"| `{name}` | gauge |\n" for name in names) if metrics else "",
        ALERTS: json.dumps({"groups": [{"rules": [{"alert": name} for name in wanted] if alerts else []}]}),
    }


EXAMPLES = [
    ("nothing wrong", tree(), 0),
    ("edited by hand", tree(lambda text: text.replace("overview", "summary")), 1),
    ("a panel without a description", tree(lambda text: text.replace("Sum over the instances.", "")), 2),
    ("a panel that shows accounts", tree(lambda text: text.replace("sum by (job) (up)", "sum by (account) (up)")), 2),
    ("an unknown variable", tree(lambda text: text.replace("sum by (job) (up)", "sum by (job) (up{a=~$b})")), 2),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "edit deploy/observability/dashboards.py and run it.")
