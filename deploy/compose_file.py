"""deploy/compose_file.py - compose.yaml as the descriptions of the stack for other clusters are made from it.

compose.yaml is the one place where services, their settings, limits and networks stand; what a cluster has and Compose
lacks is added by deploy/kubernetes/manifests.py and deploy/swarm/stack.py.
"""

import re
from pathlib import Path

import yaml

VARIABLE = re.compile(r"\$\{(\w+):-((?:[^{}]|\{[^{}]*\})*)\}")  # one may stand in another's default
SECRETS = "/run/tollgate"  # where a service finds the files that deploy/docker/init made for it


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
        """{name: text} of it, with variables as they stand."""
        return {name: str(value) for name, value in self.services[service].get("environment", {}).items()}

    def settings(self, services):
        """{variable: default} of what stands in the environment of these services."""
        texts = [text for service in services for text in self.environment(service).values()]
        return {name: defaults(default) for text in texts for name, default in VARIABLE.findall(text)}


def defaults(text):
    """The text with each variable's default in its place."""
    return VARIABLE.sub(lambda found: defaults(found[2]), text)


class Dumper(yaml.SafeDumper):
    """Lists stand deeper than what they belong to, and nothing refers to anything."""

    def increase_indent(self, flow=False, indentless=False):
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data):
        return True


def dump(*documents):
    return "---\n".join(yaml.dump(each, Dumper=Dumper, sort_keys=False, width=110, allow_unicode=True)
                        for each in documents)
