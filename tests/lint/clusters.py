"""deploy/kubernetes, deploy/swarm and deploy/systemd match compose.yaml, and each service has the
time to stop that its longest call needs.

Their files are what the generators make of compose.yaml, and contain every group. Each Kubernetes
object fits its API model (python3-kubernetes): no unknown field, no missing field.
"""

import re
import sys
import tempfile
from pathlib import Path

import yaml
from kubernetes.client import models

import lint

sys.path[:0] = [str(Path(__file__).parents[2] / "deploy" / name) for name in ("kubernetes", "swarm", "systemd")]

import stack  # noqa: E402
from manifests import Manifests, seconds  # noqa: E402
from units import Units  # noqa: E402

HERE = "deploy/kubernetes"
STACK = "deploy/swarm/stack.yaml"
UNITS = "deploy/systemd"
EDGE = "deploy/edge/haproxy.cfg"
DELAY_S, QUEUES_S, PLAYGROUND_S, LAST_REPLY_S = 6, 10, 25, 2  # gateway.drain_delay_ms; main.c and svc.c
SPARE_S = 5
PLAIN = {"str": str, "int": int, "bool": bool}
OPERATOR = "monitoring.coreos.com/"  # not in the API: tests/check/kubernetes.py has its schemas
MODELS = {  # where python3-kubernetes has no model: an older version that is identical
    "V2HorizontalPodAutoscaler": "V2beta2HorizontalPodAutoscaler",
}


def model_of(kind):
    """For example V1Deployment for apps/v1 and Deployment."""
    name = kind[0].rpartition("/")[2].capitalize() + kind[1]
    return getattr(models, name, None) or getattr(models, MODELS.get(name, name), None)


def mistakes(value, kind, path):
    """What the API rejects. kind: a model, list[kind], dict(str, kind) or a plain type."""
    if listed := re.fullmatch(r"list\[(.+)\]", kind):
        if not isinstance(value, list):
            yield f"{path} is not a list"
            return
        for place, each in enumerate(value):
            yield from mistakes(each, listed[1], f"{path}[{place}]")
    elif mapped := re.fullmatch(r"dict\(str, (.+)\)", kind):
        for name, each in value.items():
            yield from mistakes(each, mapped[1], f"{path}.{name}")
    elif hasattr(models, kind):
        yield from mistakes_of_model(value, getattr(models, kind), path)
    elif kind in PLAIN and (not isinstance(value, PLAIN[kind]) or isinstance(value, bool) != (kind == "bool")):
        yield f"{path} is not of type {kind}"


def mistakes_of_model(value, model, path):
    if not isinstance(value, dict):
        yield f"{path} is not an object"
        return
    fields = {spelled: name for name, spelled in model.attribute_map.items()}
    for name in sorted(value.keys() - fields.keys()):
        yield f"{path}: unknown field {name}"
    known = {name: each for name, each in value.items() if name in fields}
    for name, each in known.items():
        yield from mistakes(each, model.openapi_types[fields[name]], f"{path}.{name}")
    try:
        model(**{fields[name]: each for name, each in known.items()})
    except ValueError as why:
        yield f"{path}: {why}"


def check_objects(name, content):
    for each in yaml.safe_load_all(content):
        kind = each.get("apiVersion", ""), each.get("kind", "")
        if kind[0].startswith(OPERATOR):
            continue
        model = model_of(kind)
        if model is None:
            yield f"{name}: there is no model {' '.join(kind)}"
            continue
        yield from mistakes_of_model(each, model, f"{name}: {kind[1]} {each['metadata']['name']}")


def check(root):
    yield from check_kubernetes(root)
    yield from check_swarm(root)
    yield from check_units(root)
    yield from check_stops(root)


def longest_s(root, group="*"):
    """The longest time budget of its tools, in seconds."""
    budgets = [int(found[1]) for file in root.glob(f"svc-{group}/*/*.yaml")
               if (found := re.search(r"^budget_ms: (\d+)", file.read_text(encoding="utf-8"), re.MULTILINE))]
    return -(-max(budgets, default=0) // 1000)


def times_of_edge(root):
    """timeout server and hard-stop-after of the edge, in seconds."""
    text = (root / EDGE).read_text(encoding="utf-8") if (root / EDGE).exists() else ""
    return [int(found[1]) if (found := re.search(rf"^ +{word} +(\d+)s", text, re.MULTILINE)) else None
            for word in ("timeout server", "hard-stop-after")]


def check_stops(root):
    """A process that stops lets calls use their whole time budget: what main.c and svc.c wait, and
    SPARE_S for its own end."""
    services = yaml.safe_load((root / "compose.yaml").read_text(encoding="utf-8"))["services"]
    longest = longest_s(root)
    needs = {"gateway": DELAY_S + longest + QUEUES_S, "portal": DELAY_S + longest + PLAYGROUND_S}
    needs |= {name: longest_s(root, name[4:]) + LAST_REPLY_S for name in services if name.startswith("svc-")}
    waits, hard_stop = times_of_edge(root)
    if hard_stop:
        needs["edge"] = hard_stop
        if not longest + PLAYGROUND_S <= waits <= hard_stop:
            yield (f"{EDGE}: hard-stop-after must be at least `timeout server`, and that at least "
                   f"{longest + PLAYGROUND_S}s, for calls of {longest} s")
    for name, need in needs.items():
        if seconds(services[name]["stop_grace_period"]) < need + SPARE_S:
            yield f"compose.yaml: {name}: stop_grace_period must be at least {need + SPARE_S}s: its calls take so long"


def check_swarm(root):
    content = (root / STACK).read_text(encoding="utf-8") if (root / STACK).exists() else ""
    if content != stack.content(root):
        yield f"{STACK} differs from the output of deploy/swarm/stack.py"
    services = (yaml.safe_load(content) or {}).get("services", {})
    for file in sorted(root.glob("svc-*/group.yaml")):
        if file.parent.name not in services:
            yield f"{STACK}: {file.parent.name} is missing: add it to compose.yaml, then run deploy/swarm/stack.py"


def differences(wanted, there, folder, program):
    for name in sorted(wanted.keys() | there.keys()):
        if wanted.get(name) != there.get(name):
            yield f"{folder}/{name} differs from the output of {folder}/{program}"


def check_units(root):
    """With the same time to stop, which check_stops() compares with the calls."""
    wanted = Units(root).files()
    there = {file.name: file.read_text(encoding="utf-8") for file in sorted((root / UNITS).glob("*"))
             if file.suffix == ".service" or file.name in wanted}
    yield from differences(wanted, there, UNITS, "units.py")
    for file in sorted(root.glob("svc-*/group.yaml")):
        if f"tollgate-{file.parent.name}.service" not in there:
            yield f"{UNITS}: {file.parent.name} is missing: add it to compose.yaml, then run {UNITS}/units.py"


def check_kubernetes(root):
    wanted = Manifests(root).files()
    there = {str(file.relative_to(root / HERE)): file.read_text(encoding="utf-8")
             for file in sorted((root / HERE).glob("[!_]*/*"))}
    yield from differences(wanted, there, HERE, "manifests.py")
    for file in sorted(root.glob("svc-*/group.yaml")):
        if f"base/{file.parent.name}.yaml" not in there:
            yield f"{HERE}: {file.parent.name} is missing: add it to compose.yaml, then run {HERE}/manifests.py"
    for name, content in there.items():
        if name.endswith(".yaml") and not name.endswith(("kustomization.yaml", "patch.yaml")):
            yield from check_objects(name, content)


SERVICE = """
  {name}:
    image: tollgate/{name}:local
    networks: [{networks}]
    read_only: true
    cap_drop: [ALL]
    mem_limit: 512m
    pids_limit: 64
    scale: ${{X:-1}}
    healthcheck: {{ test: [CMD, check, "9100", /readyz] }}
    stop_grace_period: 45s
    environment: {{ TOLLGATE_LOG_LEVEL: "${{LOG_LEVEL:-info}}" }}
"""
SERVICES = {"edge": "edge", "gateway": "edge, bus, database", "portal": "edge, database", "migrate": "database",
            "svc-x": "bus, outside"}


NETWORKS = "networks: { edge: {}, bus: { internal: true }, database: {}, outside: {} }\n"


def sources(services):
    parts = [SERVICE.format(name=name, networks=networks) for name, networks in services.items()]
    return {"compose.yaml": f"services:\n{''.join(parts)}\n{NETWORKS}",
            "deploy/docker/users": "edge 1\ngateway 2\nportal 3\nmigrate 4\n",
            "svc-x/group.yaml": "{ title: X, user: 9, outside: true }", "svc-x/main.c": "{ .slots = 10,"}


def tree(services=None):
    """A tree with one group and without problems."""
    files = sources(services or SERVICES)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(content, encoding="utf-8")
        made = {f"{HERE}/{name}": content for name, content in Manifests(folder).files().items()}
        units = {f"{UNITS}/{name}": content for name, content in Units(folder).files().items()}
        return files | made | {STACK: stack.content(folder)} | units


GATEWAY, DAEMON = f"{HERE}/base/gateway.yaml", f"{HERE}/base/svc-x.yaml"
UNIT = f"{UNITS}/tollgate-svc-x.service"


def changed(name, old, new):
    """One problem is the difference; the change itself may cause more."""
    content = tree()
    assert old in content[name]
    return content | {name: content[name].replace(old, new)}


def without(files, *names):
    return {name: content for name, content in files.items() if name not in names}


EXAMPLES = [
    ("no problems", tree(), 0),
    ("a setting is new", tree() | {"compose.yaml": tree()["compose.yaml"].replace("info", "warn")}, 5),
    ("a group that is missing in compose.yaml", tree() | {"svc-y/group.yaml": "{ user: 8, outside: false }"}, 3),
    ("a group without its objects", without(tree(), DAEMON), 2),
    ("no stack", without(tree(), STACK), 2),
    ("an edited stack", changed(STACK, "start-first", "stop-first"), 1),
    ("an edited unit", changed(UNIT, "TimeoutStopSec=45s", "TimeoutStopSec=9s"), 1),
    ("no unit", without(tree(), UNIT), 2),
    ("a unit without a service", tree() | {f"{UNITS}/tollgate-old.service": "[Unit]\n"}, 1),
    ("an object without a service", tree() | {f"{HERE}/base/old.yaml": tree()[DAEMON]}, 1),
    ("an unknown field", changed(GATEWAY, "maxSurge", "maximumSurge"), 2),
    ("an unknown field deep inside", changed(GATEWAY, "readOnlyRootFilesystem", "readOnly"), 2),
    ("a text for a number", changed(GATEWAY, "replicas: 2", "replicas: two"), 2),
    ("a missing required field", changed(GATEWAY, "        - name: gateway\n          image", "        - image"), 2),
    ("a tool that takes longer than a stop", tree() | {"svc-x/slow/slow.yaml": "tool: slow\nbudget_ms: 40000\n"}, 3),
    ("one that does not", tree() | {"svc-x/fast/fast.yaml": "tool: fast\nbudget_ms: 9000\n"}, 0),
    ("an edge that waits less than a call takes", tree() | {EDGE: "    timeout server 20s\n    hard-stop-after 21s\n"}, 1),
    ("an edge that stops before", tree() | {EDGE: "    timeout server 40s\n    hard-stop-after 39s\n"}, 1),
    ("an unknown version", changed(GATEWAY, "apiVersion: apps/v1", "apiVersion: apps/v7"), 2),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "run `make format`, which generates all of them from compose.yaml; for a wrong field, edit deploy/kubernetes/manifests.py.")
