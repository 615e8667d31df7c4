#!/usr/bin/python3
"""deploy/kubernetes/manifests.py - write the Kubernetes objects, generated from compose.yaml.

Services, images, settings with defaults, memory, users and health checks come from compose.yaml.
This file adds what only Kubernetes has. The output is committed, because operators apply, patch and
review it. tests/lint/clusters.py fails if it is out of date, and checks every object against the
API's model.
"""

import re
import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compose_file import SECRETS, VARIABLE, ComposeFile, defaults, dump  # noqa: E402

HERE = "deploy/kubernetes"
HEAD = f"# Made by {HERE}/manifests.py from compose.yaml: edit those, or patch this in an overlay.\n"
PRODUCT = {"app.kubernetes.io/part-of": "tollgate"}
NOT_HERE = {"db", "backup", "init", "tollctl", "models", "browser", "prometheus", "grafana"}  # docs/operate/kubernetes.md
REPLICAS = 2
SLOTS_BUSY = 0.6  # share of used job slots from which the autoscaler adds daemons
BY_CPU = ["edge", "gateway", "svc-utils", "svc-chat"]  # they compute; daemons of other groups wait for sites
CPU_BUSY = "700m"  # of one pod, on average, from which the autoscaler adds pods
CERTIFICATE = "/run/certificate"  # in the edge, from cert-manager's Secret
ALERTS = "deploy/observability/alerts.yml"

# Settings that only clusters have. Every pod has one address in an unknown network, so
# NetworkPolicies do what separate networks do in compose.yaml.
SETTINGS = {
    "POD_NETWORKS": "10.0.0.0/8",    # networks of edge and portals, whose X-Forwarded-For is trusted
    "ADMIN_CLIENTS": "127.0.0.0/8",  # networks that may use the admin ports, such as a Prometheus'
    "CLUSTER_DOMAIN": "cluster.local",
}
NAMESPACE = {"name": "NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}
INSTEAD = {  # replaces compose.yaml's settings about networks
    "TOLLGATE_GATEWAY_LISTEN": "0.0.0.0:8081",
    "TOLLGATE_PORTAL_LISTEN": "0.0.0.0:8082",
    "TOLLGATE_GATEWAY_TRUSTED_PROXIES": "${POD_NETWORKS:-}",
    "TOLLGATE_ADMIN_CLIENTS": "${ADMIN_CLIENTS:-}",
    # full names, because HAProxy does not use the resolver's search list
    "EDGE_GATEWAY_NAME": "gateway-of-edge.$(NAMESPACE).svc.${CLUSTER_DOMAIN:-}",
    "EDGE_PORTAL_NAME": "portal.$(NAMESPACE).svc.${CLUSTER_DOMAIN:-}",
}
PORTAL_ADMIN_CLIENTS = "${ADMIN_CLIENTS:-},${POD_NETWORKS:-}"  # the edge checks its readiness

# Headless Services, whose names resolve to all addresses. (name, port, publish addresses that are
# not ready): daemons must find gateways that are not ready, because a gateway becomes ready when it
# has a worker of each group.
NAMES = {
    "gateway": [("gateway", 5570, True), ("gateway-of-edge", 8081, False)],
    "portal": [("portal", 8082, False)],
}

DAEMON = "svc-*"
FLOWS = [  # allowed connections; each pair shares a network in compose.yaml
    ("edge", "gateway", [8081]),
    ("edge", "portal", [8082, 9101]),
    ("portal", "gateway", [8081]),
    (DAEMON, "gateway", [5570]),
]
DATABASE = {"gateway", "portal", "migrate"}
DATABASE_PORT, RELAY_PORTS, DNS_PORT = 5432, [25, 465, 587], 53
NAME_SERVERS = [{"namespaceSelector": {}}, {"ipBlock": {"cidr": "169.254.20.10/32"}}]  # of the cluster, of the node
ADMIN_PORTS = {"edge": 8404, "portal": 9101}  # others: 9100
MONITORING = {"tollgate-monitoring": "true"}  # label of namespaces that may use the admin ports
ANYWHERE = [
    {"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
                                                 "172.16.0.0/12", "192.168.0.0/16"]}},
    {"ipBlock": {"cidr": "::/0", "except": ["fc00::/7", "fe80::/10"]}},
]


class Manifests:
    def __init__(self, root):
        self.compose = ComposeFile(root)
        self.services = [name for name in self.compose.services if name not in NOT_HERE]
        self.daemons = [name for name in self.services if name.startswith("svc-")]
        self.noisy = [name for name in self.daemons if "outside" in self.compose.networks_of(name)]
        self.scaled = [name for name in self.services if name in [*BY_CPU, *self.noisy]]
        self.lasting = [name for name in self.services if name != "migrate"]

    def files(self):
        """{path: content} of all files."""
        base = {f"{name}.yaml": self.component(name) for name in self.lasting}
        base["policies.yaml"] = [self.deny_all(), self.names()]
        return {
            **{f"base/{name}": HEAD + dump(*content) for name, content in base.items()},
            "base/settings.env": self.settings(),
            "base/kustomization.yaml": HEAD + dump(self.base_kustomization(sorted(base))),
            "migrate/migrate.yaml": HEAD + dump(self.migrate(), self.policy("migrate")),
            "migrate/kustomization.yaml": HEAD + dump(self.migrate_kustomization()),
            "autoscale/autoscale.yaml": HEAD + dump(*map(self.autoscaler, self.scaled)),
            "autoscale/kustomization.yaml": HEAD + dump(self.autoscale_kustomization()),
            "cert-manager/kustomization.yaml": HEAD + dump(kustomization("Component", patches=[{"path": "patch.yaml"}])),
            "cert-manager/patch.yaml": HEAD + dump(self.certificate_patch()),
            "monitoring/monitoring.yaml": HEAD + dump(*map(metrics_service, self.lasting), monitor(), self.rules()),
            "monitoring/kustomization.yaml": HEAD + dump(kustomization("Component", resources=["monitoring.yaml"])),
        }

    # -- kustomize --

    def base_kustomization(self, resources):
        return kustomization("Kustomization", resources=resources,
                             configMapGenerator=[{"name": "settings", "envs": ["settings.env"]}])

    def migrate_kustomization(self):
        wanted = self.compose.settings(["migrate"])
        return kustomization("Kustomization", resources=["migrate.yaml"], configMapGenerator=[
            {"name": "migrate", "literals": [f"{name}={value}" for name, value in wanted.items()]}])

    def autoscale_kustomization(self):
        """Remove `replicas` from the Deployments that the autoscaler scales, or each apply would
        reset them."""
        freed = [{"target": {"kind": "Deployment", "name": name}, "patch": "- { op: remove, path: /spec/replicas }"}
                 for name in self.scaled]
        return kustomization("Component", resources=["autoscale.yaml"], patches=freed)

    def certificate_patch(self):
        """The edge presents the certificate of the Secret `edge-certificate`, and a second
        container notices a new one: kubelet replaces the files, and HAProxy gets them without
        a restart."""
        mount = {"name": "certificate", "mountPath": CERTIFICATE, "readOnly": True}
        pem = {"name": "EDGE_CERTIFICATE", "value": f"{CERTIFICATE}/tls.crt"}
        edge = self.container("edge", self.compose.services["edge"], "settings")
        watcher = {
            "name": "certificate", "image": edge["image"], "command": ["watch-certificate"],
            "securityContext": edge["securityContext"], "volumeMounts": [mount],
            "env": [pem, {"name": "EDGE_CONTROL", "value": self.environment("edge").get("EDGE_CONTROL", "")}],
            "resources": {"requests": {"cpu": "5m", "memory": "16Mi"}, "limits": {"memory": "32Mi"}},
        }
        return {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "edge"},
            "spec": {"template": {"spec": {
                "containers": [{"name": "edge", "env": [pem], "volumeMounts": [mount]}, watcher],
                "volumes": [{"name": "certificate", "secret": {"secretName": "edge-certificate", "defaultMode": 0o400}}],
            }}},
        }

    # -- Prometheus operator --

    def rules(self):
        """The alerts of alerts.yml. kube-state-metrics says how many instances there should be."""
        file = self.compose.root / ALERTS
        groups = yaml.safe_load(file.read_text(encoding="utf-8"))["groups"] if file.exists() else []
        replicas = f'kube_deployment_spec_replicas{{deployment=~"{"|".join(self.lasting)}"}}'
        desired = [
            {"record": "tollgate_portals_desired", "expr": 'max(kube_deployment_spec_replicas{deployment="portal"})'},
            {"record": "tollgate_instances_desired",
             "expr": f'max by (job) (label_replace({replicas}, "job", "$1", "deployment", "(.+)"))'},
        ]
        return {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": metadata("tollgate"),
                "spec": {"groups": [*groups, {"name": "desired", "rules": desired}]}}

    def settings(self):
        """The settings of .env that pods use, and those of clusters. A changed value renames the
        ConfigMap, which creates new pods."""
        all_of = self.compose.settings(self.lasting) | SETTINGS
        used = {found for name in self.lasting for text in self.environment(name).values()
                for found, _ in VARIABLE.findall(text)}
        return HEAD + "".join(f"{name}={value}\n" for name, value in sorted(all_of.items()) if name in used)

    # -- workloads --

    def component(self, name):
        services = [edge_service()] if name == "edge" else [name_service(name, *row) for row in NAMES.get(name, [])]
        return [self.deployment(name), *services, disruption_budget(name), self.policy(name)]

    def deployment(self, name):
        spread = [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway",
                   "labelSelector": {"matchLabels": labels(name)}}]
        return {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(name),
            "spec": {
                "replicas": REPLICAS,
                "selector": {"matchLabels": labels(name)},
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
                "template": {"metadata": {"labels": labels(name) | PRODUCT},
                             "spec": self.pod(name, "settings") | {"topologySpreadConstraints": spread}},
            },
        }

    def migrate(self):
        """A Job that runs before a new version is applied."""
        pod = self.pod("migrate", "migrate") | {"restartPolicy": "OnFailure"}
        return {
            "apiVersion": "batch/v1", "kind": "Job", "metadata": metadata("migrate"),
            "spec": {"backoffLimit": 5, "ttlSecondsAfterFinished": 3600,
                     "template": {"metadata": {"labels": labels("migrate") | PRODUCT}, "spec": pod}},
        }

    def pod(self, name, settings):
        service = self.compose.services[name]
        user = self.compose.users[name]
        return {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": seconds(service["stop_grace_period"]),
            "securityContext": {"runAsNonRoot": True, "runAsUser": user, "runAsGroup": user, "fsGroup": user,
                                "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [self.container(name, service, settings)],
            "volumes": [{"name": "keys", "secret": {"secretName": f"keys-{name}", "defaultMode": 0o400}},
                        *({"name": volume, "emptyDir": {"sizeLimit": "16Mi"}} for volume, _ in self.own_volumes(name))],
        }

    def container(self, name, service, settings):
        memory = memory_of(service["mem_limit"])
        made = {
            "name": name,
            "image": image_of(service["image"]),
            "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": service["read_only"],
                                "capabilities": {"drop": service["cap_drop"]}},
            "env": self.variables(name, settings),
            "resources": {"requests": {"cpu": f"{cpu_of(service)}m", "memory": f"{memory // 4}Mi"},
                          "limits": {"memory": f"{memory}Mi"}},
            "volumeMounts": [{"name": "keys", "mountPath": SECRETS, "readOnly": True},
                             *({"name": volume, "mountPath": path} for volume, path in self.own_volumes(name))],
        }
        if "command" in service:
            made["args"] = service["command"]
        if "healthcheck" in service:
            made |= probes(service["healthcheck"]["test"][1:])
        if service.get("stop_signal") == "SIGUSR1":  # Kubernetes sends SIGTERM; first let the balancers notice
            made["lifecycle"] = {"preStop": {"exec": {"command": ["sh", "-c", "sleep 5; kill -USR1 1; sleep 35"]}}}
        return made

    def own_volumes(self, name):
        """(name, path) of its volumes besides the keys. They survive a restart of the container."""
        for volume in self.compose.services[name].get("volumes", []):
            title, path, *_ = volume.split(":")
            if not title.startswith("keys-"):
                yield title, path

    def environment(self, name):
        """{name: text} as in compose.yaml, with this cluster's networks."""
        here = INSTEAD | ({"TOLLGATE_ADMIN_CLIENTS": PORTAL_ADMIN_CLIENTS} if name == "portal" else {})
        return {key: here.get(key, text) for key, text in self.compose.environment(name).items()}

    def variables(self, name, settings):
        made = []
        named = set()
        for key, text in self.environment(name).items():
            found = VARIABLE.findall(text)
            if not found:
                made.append({"name": key, "value": text})
            elif VARIABLE.fullmatch(text):
                made.append({"name": key, **value_of(found[0][0], settings)})
            else:
                first = [variable for variable, _ in found if variable not in named]
                named.update(first)
                made += [{"name": variable, **value_of(variable, settings)} for variable in first]
                made += [NAMESPACE] if "$(NAMESPACE)" in text and NAMESPACE not in made else []
                made.append({"name": key, "value": VARIABLE.sub(r"$(\1)", text)})
        return made

    def autoscaler(self, name):
        if name in BY_CPU:
            metric = {"type": "Resource", "resource": {
                "name": "cpu", "target": {"type": "AverageValue", "averageValue": CPU_BUSY}}}
        else:
            metric = {"type": "Pods", "pods": {
                "metric": {"name": "tollgate_jobs_running"},
                "target": {"type": "AverageValue", "averageValue": str(round(SLOTS_BUSY * self.slots(name)))}}}
        return {
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata(name),
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
                "minReplicas": REPLICAS, "maxReplicas": 5 * REPLICAS,
                "metrics": [metric],
                "behavior": {"scaleDown": {"stabilizationWindowSeconds": 300}},
            },
        }

    def slots(self, name):
        text = (self.compose.root / name / "main.c").read_text(encoding="utf-8")
        return int(re.search(r"\.slots = (\d+)", text)[1])

    # -- network policies --

    def policy(self, name):
        """Allowed connections to and from the service."""
        return {
            "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata(name),
            "spec": {"podSelector": {"matchLabels": labels(name)}, "policyTypes": ["Ingress", "Egress"],
                     "ingress": self.ingress(name), "egress": self.egress(name)},
        }

    def flows(self):
        for source, target, ports in FLOWS:
            for each in self.daemons if source == DAEMON else [source]:
                if not set(self.compose.networks_of(each)) & set(self.compose.networks_of(target)):
                    sys.exit(f"compose.yaml: {each} and {target} share no network")
                yield each, target, ports

    def ingress(self, name):
        rules = [{"from": [pods(source)], "ports": tcp(ports)} for source, target, ports in self.flows()
                 if target == name]
        if name == "edge":
            rules.append({"ports": tcp([8443, 8080])})
        if name != "migrate":
            rules.append({"from": [{"namespaceSelector": {"matchLabels": MONITORING}}],
                          "ports": tcp([ADMIN_PORTS.get(name, 9100)])})
        return rules

    def egress(self, name):
        rules = [{"to": [pods(target)], "ports": tcp(ports)} for source, target, ports in self.flows()
                 if source == name]
        if name in DATABASE:
            rules.append({"ports": tcp([DATABASE_PORT])})
        if name == "portal":
            rules += [{"ports": tcp(RELAY_PORTS)}, {"to": ANYWHERE, "ports": tcp([443])}]
        if name in self.noisy:
            rules.append({"to": ANYWHERE})
        return rules

    def deny_all(self):
        return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata("nothing-else"),
                "spec": {"podSelector": {"matchLabels": PRODUCT}, "policyTypes": ["Ingress", "Egress"]}}

    def names(self):
        ports = [{"protocol": protocol, "port": DNS_PORT} for protocol in ("UDP", "TCP")]
        return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata("names"),
                "spec": {"podSelector": {"matchLabels": PRODUCT}, "policyTypes": ["Egress"],
                         "egress": [{"to": NAME_SERVERS, "ports": ports}]}}


# -- pieces --


def labels(name):
    return {"app.kubernetes.io/name": name}


def metadata(name):
    return {"name": name, "labels": labels(name) | PRODUCT}


def kustomization(kind, **content):
    version = "v1alpha1" if kind == "Component" else "v1beta1"
    return {"apiVersion": f"kustomize.config.k8s.io/{version}", "kind": kind, **content}


def name_service(name, title, port, is_before_ready):
    """Gateways and portals listen on IPv4 only, because Debian's civetweb is built without IPv6."""
    spec = {"clusterIP": "None", "ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv4"], "selector": labels(name),
            "ports": [{"name": f"port-{port}", "port": port}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata(title),
            "spec": spec | ({"publishNotReadyAddresses": True} if is_before_ready else {})}


def metrics_service(name):
    """For Prometheus alone, so it names pods that are not ready, too."""
    made = metadata(f"metrics-{name}")
    made["labels"] = labels(name) | PRODUCT | {"tollgate-metrics": "true"}
    return {"apiVersion": "v1", "kind": "Service", "metadata": made,
            "spec": {"clusterIP": "None", "ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv4"], "selector": labels(name),
                     "publishNotReadyAddresses": True,
                     "ports": [{"name": "certificate" if name == "edge" else "metrics",
                                "port": ADMIN_PORTS.get(name, 9100)}]}}


def monitor():
    """The label job is the service's name, as alerts expect. Only the edge has a certificate."""
    plain = {"path": "/metrics", "interval": "10s"}
    return {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": metadata("tollgate"),
            "spec": {"jobLabel": "app.kubernetes.io/name", "selector": {"matchLabels": {"tollgate-metrics": "true"}},
                     "endpoints": [{"port": "metrics", **plain}, {"port": "certificate", **plain},
                                   {"port": "certificate", "path": "/metrics/certificate", "interval": "1m"}]}}


def edge_service():
    """externalTrafficPolicy Local preserves the clients' addresses, which the edge's limits
    count."""
    ports = [{"name": "https", "port": 443, "targetPort": 8443}, {"name": "http", "port": 80, "targetPort": 8080}]
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata("edge"),
            "spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ipFamilyPolicy": "PreferDualStack",
                     "selector": labels("edge"), "ports": ports}}


def disruption_budget(name):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata(name),
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": labels(name)}}}


def probes(health):
    """compose.yaml's check, run inside the container, so that admin ports need not allow the nodes'
    addresses."""
    alive = [*health[:-1], "/livez"]
    return {
        "startupProbe": {"exec": {"command": alive}, "periodSeconds": 2, "failureThreshold": 60, "timeoutSeconds": 4},
        "livenessProbe": {"exec": {"command": alive}, "periodSeconds": 10, "failureThreshold": 6, "timeoutSeconds": 4},
        "readinessProbe": {"exec": {"command": health}, "periodSeconds": 5, "failureThreshold": 2, "timeoutSeconds": 4},
    }


def value_of(variable, settings):
    return {"valueFrom": {"configMapKeyRef": {"name": settings, "key": variable}}}


def pods(name):
    return {"podSelector": {"matchLabels": labels(name)}}


def tcp(ports):
    return [{"protocol": "TCP", "port": port} for port in ports]


def image_of(text):
    """The name without registry and version, which `images` of an overlay sets."""
    return "tollgate/" + defaults(text).rsplit("/", 1)[1].partition(":")[0]


def seconds(text):
    return int(text.removesuffix("s"))


def memory_of(text):
    return int(text[:-1]) * {"m": 1, "g": 1024}[text[-1]]


def cpu_of(service):
    """CPU request in thousandths. Pods share scarce CPUs in this proportion, as containers do by
    cpu_shares (Docker's default: 1,024)."""
    return 100 * service.get("cpu_shares", 1024) // 1024


def main():
    root = Path(__file__).resolve().parents[2]
    for name, content in Manifests(root).files().items():
        file = root / HERE / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
