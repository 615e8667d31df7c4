#!/usr/bin/python3
"""deploy/swarm/stack.py - write deploy/swarm/stack.yaml, the stateless part of compose.yaml as a
stack of Docker Swarm.

Compose runs the other services on the machine with the keys (deploy/swarm/manager.yaml).
deploy/swarm/deploy adds the secrets, because it knows their versions. tests/lint/clusters.py fails
if the committed stack is out of date.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compose_file import VARIABLE, ComposeFile, defaults, dump  # noqa: E402

HERE = "deploy/swarm"
HEAD = f"# Made by {HERE}/stack.py from compose.yaml: edit those. {HERE}/deploy uses it.\n"
NOT_HERE = {"db", "backup", "init", "migrate", "tollctl", "models", "browser", "prometheus", "grafana"}
NETWORKS_NOT_HERE = {"monitoring"}
AS_IT_IS = ("image", "command", "read_only", "cap_drop", "stop_grace_period", "stop_signal", "logging", "ulimits")
ON_EVERY_NODE = {"edge"}
REPLICAS = 2

# Docker resolves a gateway's name only while its container is healthy. Daemons must find a gateway
# before it is ready, because it becomes ready when they connect. Hence /livez.
GATEWAY_HEALTH = {"test": ["CMD", "/usr/lib/tollgate/health", "9100", "/livez"], "interval": "2s", "timeout": "4s",
                  "start_period": "20s"}
ADMIN_CLIENTS = {
    "portal": "127.0.0.0/8,${EDGE_SUBNET:-}",  # the edge checks its readiness
}
OTHERWISE = {  # other networks than those of Compose on the machine with the keys
    "EDGE_SUBNET": ("SWARM_EDGE_SUBNET", "10.214.0.0/24"),
    "BUS_PREFIX": ("SWARM_BUS_PREFIX", "10.214.128"),
}
# The old container stops when the new one is healthy. delay gives edges and daemons, which look up
# names every second, time to find the new one before the next is replaced. A container that never
# becomes healthy stops the update; monitor also catches one that exits soon afterwards.
UPDATE = {"parallelism": 1, "delay": "5s", "monitor": "5s", "failure_action": "rollback"}


def stack(compose):
    services = [name for name in compose.services if name not in NOT_HERE]
    networks = sorted({each for name in services for each in networks_of(compose, name)})
    volumes = {text.partition(":")[0]: {} for name in services for text in volumes_of(compose, name)}
    return {"version": "3.9",
            "services": {name: service(compose, name) for name in services},
            "networks": {name: network(name, compose.networks[name]) for name in networks},
            **({"volumes": volumes} if volumes else {})}


def volumes_of(compose, name):
    """Without those of keys: a node keeps them for its own containers."""
    return [text for text in compose.services[name].get("volumes", []) if not text.startswith("keys-")]


def networks_of(compose, name):
    return [each for each in compose.networks_of(name) if each not in NETWORKS_NOT_HERE]


def service(compose, name):
    here = compose.services[name]
    made = {key: here[key] for key in AS_IT_IS if key in here}
    made["healthcheck"] = GATEWAY_HEALTH if name == "gateway" else here["healthcheck"]
    made["environment"] = compose.environment(name) | \
        ({"TOLLGATE_ADMIN_CLIENTS": ADMIN_CLIENTS.get(name, "${ADMIN_CLIENTS:-127.0.0.0/8}")} if name != "edge" else {})
    made["networks"] = {each: aliases(here["networks"], each) for each in networks_of(compose, name)}
    if volumes_of(compose, name):
        made["volumes"] = volumes_of(compose, name)
    if "ports" in here:
        made["ports"] = [host_port(text) for text in here["ports"]]
    made["deploy"] = deployment(name, here)
    return made


def aliases(networks, name):
    return networks[name] if isinstance(networks, dict) else {}


def host_port(text):
    """The node's own port, which preserves the client's address."""
    published, target = text.rsplit(":", 1)
    return {"target": int(target), "published": published, "protocol": "tcp", "mode": "host"}


def deployment(name, here):
    mode = {"mode": "global"} if name in ON_EVERY_NODE else {"mode": "replicated", "replicas": replicas(here)}
    order = "stop-first" if name in ON_EVERY_NODE else "start-first"  # two cannot share a port
    return mode | {
        "endpoint_mode": "dnsrr",  # a name resolves to all addresses of a service
        "update_config": UPDATE | {"order": order},
        "rollback_config": {"parallelism": 1, "order": order},
        "restart_policy": {"condition": "any", "delay": "2s"},
        "resources": {"limits": {"memory": here["mem_limit"], "pids": here["pids_limit"]}},
    }


def replicas(here):
    """The number that the setting says; default: enough to lose one."""
    return VARIABLE.sub(lambda found: f"${{{found[1]}:-{REPLICAS}}}", str(here["scale"]))


def network(name, here):
    """Encrypted between machines, because it carries plain HTTP, tokens and database traffic.
    deploy/swarm/deploy can turn that off."""
    if name == "database":
        return {"external": True, "name": "${STACK:-tollgate}_database"}
    made = {"driver": "overlay", "driver_opts": {"encrypted": ""}}
    if here.get("internal"):
        made["internal"] = True
    subnets = [{"subnet": each["subnet"]} for each in here.get("ipam", {}).get("config", [])]
    return made | ({"ipam": {"config": subnets}} if subnets else {})


def variables(value):
    """With plain defaults: a stack file does not support a variable in another's default."""
    if isinstance(value, dict):
        return {key: variables(each) for key, each in value.items()}
    if isinstance(value, list):
        return [variables(each) for each in value]
    return VARIABLE.sub(variable, value) if isinstance(value, str) else value


def variable(found):
    name, default = OTHERWISE.get(found[1], (found[1], defaults(found[2])))
    return f"${{{name}:-{default}}}"


def content(root):
    return HEAD + dump(variables(stack(ComposeFile(root))))


def main():
    root = Path(__file__).resolve().parents[2]
    (root / HERE / "stack.yaml").write_text(content(root), encoding="utf-8")


if __name__ == "__main__":
    main()
