"""tests/api/operator/test_metrics.py - Prometheus' own tool finds nothing wrong with metrics,
alerts and the dashboards' queries, and each alert fires when it should."""

import http.client
import json
import re
import subprocess

import pytest
import yaml

from kit.client import TIMEOUT_S, Client
from kit.site import ROOT, Site
from part import command
from ports import Ports

pytestmark = pytest.mark.xdist_group("metrics")

FOLDER = ROOT / "deploy" / "observability"
ALERTS, CASES = FOLDER / "alerts.yml", ROOT / "tests" / "compose" / "alerts.yml"


@pytest.fixture(scope="module")
def stack(own_stack):
    ports = Ports()
    admin = f"127.0.0.1:{ports.reserve()}"
    ports.release()
    stack = own_stack(portals=1, edge={"EDGE_LISTEN_ADMIN": admin})
    stack.admin["edge"] = tuple(admin.split(":"))
    site = Site.of(stack)
    assert Client(site).call(site.open_account(), "hash-generate", {"input": "abc"}).status_code == 200
    return stack


def pages(stack):
    """{part: what it answers to Prometheus}"""
    made = {}
    for name, address in stack.admin.items():
        for path in ("/metrics", "/metrics/certificate") if name == "edge" else ("/metrics",):
            line = http.client.HTTPConnection(*address, timeout=TIMEOUT_S)
            line.request("GET", path)
            made[name + path] = line.getresponse().read().decode()
            line.close()
    return made


def rules():
    return [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def panels():
    """(where, expression) of each panel, with a value for each variable."""
    for file in sorted((FOLDER / "grafana" / "dashboards").glob("*.json")):
        dashboard = json.loads(file.read_text())
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                yield f"{file.name}: {panel['title']}", re.sub(r"\$\w+", "utils", target["expr"])
        for variable in dashboard["templating"]["list"]:
            query = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["definition"])
            yield f"{file.name}: ${variable['name']}", f"count by ({query[2]}) ({re.sub(r'[$]group', 'utils', query[1])})"


def test_metrics_are_named_and_explained_well(stack):
    for name, page in pages(stack).items():
        if name.startswith("edge"):  # HAProxy's own names
            continue
        done = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True, text=True)
        assert (done.returncode, done.stdout + done.stderr) == (0, ""), name


def test_each_process_names_its_version_and_build(stack):
    """The command line, the metrics, the first lines of the log and /openapi.json agree."""
    programs = {"gateway-1": "gateway/tollgate-gateway", "portal-1": "portal/tollgate-portal",
                "svc-utils-1": "svc-utils/svc-utils"}
    told = {name: command(stack.build / program, "--version") for name, program in programs.items()}
    told["tollctl"] = command(stack.build / "gateway/tollctl", "--version")
    versions = {re.fullmatch(r"[a-z-]+ (\d+\.\d+\.\d+) \((.+)\)\n", text).groups() for text in told.values()}
    assert len(versions) == 1, told
    (version, build), = versions
    assert re.fullmatch(r"[0-9a-f]{12} \d{4}-\d\d-\d\d|unknown", build)
    for name in programs:
        assert f'tollgate_build_info{{version="{version}",build="{build}"}} 1' in pages(stack)[name + "/metrics"]
        lines = (stack.log_directory / f"{name}.log").read_text().splitlines()
        assert f'"version":"{version}","build":"{build}"' in "".join(lines[:3])
    assert Client(Site.of(stack)).get("/openapi.json").json()["x-build"] == f"{version} ({build})"


def test_alerts_and_panels_are_queries(tmp_path):
    command("promtool", "check", "rules", ALERTS)
    made = [{"record": f"panel:number:{number}", "expr": query} for number, (_, query) in enumerate(panels())]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": made}]}))
    assert f"{len(made)} rules found" in command("promtool", "check", "rules", file)


def labels_in_use(query):
    """(metric, label) of each label by which a query selects or groups one of our metrics."""
    for metric, selectors in re.findall(r"(tollgate_\w+)\{([^}]*)\}", query):
        yield from ((metric, label) for label in re.findall(r"(\w+)[=!]", selectors))
    for labels, metric in re.findall(r"by \(([\w, ]+)\) \((?:\w+\()*(tollgate_\w+)", query):
        yield from ((metric, label) for label in labels.split(", "))


def test_alerts_and_panels_use_labels_that_exist(stack):
    """A label that a metric does not have selects nothing, and groups everything."""
    known = {}
    for page in pages(stack).values():
        for metric, labels in re.findall(r"^(tollgate_\w+)(?:\{(.*)\})? ", page, re.MULTILINE):
            known.setdefault(metric, {"job", "instance"}).update(re.findall(r'(\w+)="', labels))
    queries = [(rule.get("alert", rule.get("record")), rule["expr"]) for rule in rules()] + list(panels())
    used = {(where, *pair) for where, query in queries for pair in labels_in_use(query) if pair[0] in known}
    assert len(used) > 50
    assert [(where, metric, label) for where, metric, label in sorted(used) if label not in known[metric]] == []


def test_alerts_fire_when_they_should(tmp_path):
    file = tmp_path / "cases.yml"
    file.write_text(CASES.read_text().replace("/etc/prometheus/alerts.yml", str(ALERTS)))
    assert "SUCCESS" in command("promtool", "test", "rules", file)


def test_slow_calls_are_seen_by_prometheus_3(tmp_path):
    """It stores the bucket le="1" as le="1.0"."""
    head, *cases = re.split(r"(?m)^(?=  - name: )", CASES.read_text().replace("/etc/prometheus/alerts.yml", str(ALERTS)))
    slow = [case for case in cases if 'alertname="CallsSlow"' in case]
    assert len(slow) == 2
    file = tmp_path / "cases.yml"
    file.write_text(re.sub(r'(?<=le=")(\d+)(?=")', r"\1.0", head + "".join(slow)))
    assert "SUCCESS" in command("promtool", "test", "rules", file)


def test_each_alert_has_a_case_in_which_it_fires():
    fires = set(re.findall(r'alertname="(\w+)"', CASES.read_text()))
    assert {rule["alert"] for rule in rules() if "alert" in rule} == fires
