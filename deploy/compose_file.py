"""deploy/compose_file.py - read compose.yaml, from which the files for other clusters are
generated.

compose.yaml is the single source of services, settings, limits and networks.
deploy/kubernetes/manifests.py and deploy/swarm/stack.py add what only their cluster has.
"""

import re
from pathlib import Path

import yaml

VARIABLE = re.compile(r"\$\{(\w+):-((?:[^{}]|\{[^{}]*\})*)\}")  # a default may contain another variable
SECRETS = "/run/tollgate"  # mount point of a service's files from deploy/docker/init


class ComposeFile:
    def __init__(self, root):
        self.root = Path(root)
        content = yaml.safe_load((self.root / "compose.yaml").read_text(encoding="utf-8"))
        self.services = content["services"]
        self.networks = content["networks"]
        self.groups = {file.parent.name: yaml.safe_load(file.read_text(encoding="utf-8"))
                       for file in sorted(self.root.glob("svc-*/group.yaml"))}
        lines = (self.root / "deploy/docker/users").read_text(encoding="utf-8").splitlines()
        self.users = {name: int(number) for name, number in map(str.split, lines)} | \
            {name: group["user"] for name, group in self.groups.items()}

    def networks_of(self, service):
        return list(self.services[service].get("networks", []))

    def environment(self, service):
        """{name: text}, with variables unexpanded."""
        return {name: str(value) for name, value in self.services[service].get("environment", {}).items()}

    def settings(self, services):
        """{variable: default} of all variables in the environment of these services."""
        texts = [text for service in services for text in self.environment(service).values()]
        return {name: defaults(default) for text in texts for name, default in VARIABLE.findall(text)}


def defaults(text):
    """The text with each variable replaced by its default."""
    return VARIABLE.sub(lambda found: defaults(found[2]), text)


class Dumper(yaml.SafeDumper):
    """Indents lists below their key, and writes no anchors or aliases."""

    def increase_indent(self, flow=False, indentless=False):
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data):
        return True


def dump(*documents):
    return "---\n".join(yaml.dump(each, Dumper=Dumper, sort_keys=False, width=110, allow_unicode=True)
                        for each in documents)
