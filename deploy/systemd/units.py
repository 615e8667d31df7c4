#!/usr/bin/python3
"""deploy/systemd/units.py - write what the Debian packages need to run the services of compose.yaml
under systemd.

    tollgate-<service>.service  a unit with the service's limits and times
    environment                 what `run` exports for each service, in shell
    tollgate.env                the settings with their defaults, for /etc/tollgate
    sysusers.conf               the services' users
    tmpfiles.conf               the folders of their keys

compose.yaml is the single source. This file adds what only one machine without containers has.
tests/lint/clusters.py fails if the committed files are out of date.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compose_file import SECRETS, VARIABLE, ComposeFile, defaults  # noqa: E402

HERE = "deploy/systemd"
HEAD = f"# Made by {HERE}/units.py from compose.yaml: edit those.\n"
LIB, KEYS = "/usr/lib/tollgate", "/etc/tollgate/keys"
ROOTS = {"migrate", "tollctl", "postgres"}  # names of keys without a service: root uses them
NOT_HERE = {"db", "backup", "models", "prometheus", "grafana"}
RUN_BY_ROOT = ["init", "migrate", "tollctl"]
PRODUCT = 1024  # cpu_shares of a container by default, as CPUWeight 100

# Everything is on this machine: ports on loopback instead of networks, and no names to resolve.
# Daemons share the machine's ports, so each has its own admin port: 91 and the end of its user's
# number.
INSTEAD = {
    "TOLLGATE_GATEWAY_LISTEN": "127.0.0.1:8081",
    "TOLLGATE_GATEWAY_ADMIN": "127.0.0.1:9100",
    "TOLLGATE_GATEWAY_TRUSTED_PROXIES": "127.0.0.0/8",
    "TOLLGATE_ADMIN_CLIENTS": "127.0.0.0/8",
    "TOLLGATE_BUS_LISTEN": "tcp://127.0.0.1:5570",
    "TOLLGATE_PORTAL_LISTEN": "127.0.0.1:8082",
    "TOLLGATE_PORTAL_ADMIN": "127.0.0.1:9101",
    "TOLLGATE_PORTAL_GATEWAYS": "127.0.0.1:8081",
    "TOLLGATE_BROWSER_LISTEN": "127.0.0.1:8090",
    "TOLLGATE_BROWSER_AXE_FILE": "",  # Debian has no axe-core
    "EDGE_LISTEN_TLS": "${EDGE_ADDRESS:-::}:${HTTPS_PORT:-8443}",
    "EDGE_LISTEN_PLAIN": "${EDGE_ADDRESS:-::}:${HTTP_PORT:-8080}",
    "EDGE_LISTEN_ADMIN": "127.0.0.1:8404",
    "EDGE_GATEWAY_NAME": None,
    "EDGE_GATEWAY_1": "127.0.0.1",
    "EDGE_PORTAL_NAME": None,
    "EDGE_PORTAL_1": "127.0.0.1",
    "EDGE_CONTROL": None,  # any user of the machine could use it; the unit reloads HAProxy instead
}
WITHOUT_NAMES = {"edge": ["EDGE_GATEWAY_1", "EDGE_PORTAL_1"]}
DEFAULTS = {"BUS_GATEWAYS": "127.0.0.1:5570", "DATABASE": "host=127.0.0.1"}

DESCRIPTIONS = {
    "edge": "edge: terminates TLS and limits connections",
    "gateway": "gateway: checks, charges and dispatches calls",
    "portal": "portal: serves pages for members",
    "browser": "browser service: measures pages in Chromium",
}
START = {  # other programs than tollgate-<service> or svc-<group>
    "edge": "/usr/sbin/haproxy -Ws -f /usr/share/tollgate/edge/haproxy.cfg",
}
NEEDS = {"edge": "edge.pem", "portal": "portal.secret"}  # others: bus.secret; before setup, a unit does not start
RELOAD = {"edge": "USR2"}  # others: HUP
MORE = {
    "edge": ["Type=notify", "KillMode=mixed", "Environment=MALLOC_TRIM_THRESHOLD_=33554432"],
    "gateway": ["StateDirectory=tollgate", "StateDirectoryMode=0700"],
}
CONFINED = """\
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
SystemCallArchitectures=native
UMask=0077
"""
# Not for Chromium, which makes its own sandbox
ALSO_CONFINED = """\
ProtectProc=invisible
RestrictNamespaces=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
"""
SETTINGS_HEAD = """\
# /etc/tollgate/tollgate.env - settings of the services on this machine, one NAME=value a line,
# without quotes. The comments are the defaults; docs/operate/configure.md explains each. A key of
# docs/operate/configuration.md is TOLLGATE_… and has priority. After a change, restart the services:
#
#   systemctl restart 'tollgate-*'

"""
COMPILES = {"edge", "browser"}  # to machine code: HAProxy regular expressions, Chromium scripts
BINDS_LOW_PORTS = {"edge"}  # HTTPS_PORT=443


class Units:
    def __init__(self, root):
        self.compose = ComposeFile(root)
        self.services = [name for name in self.compose.services if name not in NOT_HERE]
        self.lasting = [name for name in self.services if name not in RUN_BY_ROOT]

    def files(self):
        """{name: content} of all files."""
        units = {f"{unit_of(name)}.service": HEAD + self.unit(name) for name in self.lasting}
        return units | {
            "environment": self.environments(),
            "tollgate.env": self.settings(),
            "sysusers.conf": HEAD + "".join(f'u {unit_of(name)} - "Tollgate {name}"\n' for name in self.lasting),
            "tmpfiles.conf": self.folders(),
        }

    # -- units --

    def unit(self, name):
        here = self.compose.services[name]
        needed = [] if name == "browser" else [f"ConditionPathExists={KEYS}/{name}/{NEEDS.get(name, 'bus.secret')}"]
        program = name if name.startswith("svc-") else f"tollgate-{name}"
        return section("Unit", [
            f"Description=Tollgate {self.description(name)}",
            "Documentation=man:tollgate-setup(8)",
            *needed,
            "Wants=network-online.target",
            "After=network-online.target postgresql.service",
            "StartLimitIntervalSec=0",
        ]) + section("Service", [
            f"User={unit_of(name)}",
            f"ExecStart={LIB}/run {name} {START.get(name, f'{LIB}/{program}')}",
            f"ExecReload=/bin/sh -c 'kill -{RELOAD.get(name, 'HUP')} $MAINPID'",
            "Restart=always",
            "RestartSec=1",
            "RestartPreventExitStatus=78",
            *MORE.get(name, []),
            *limits(here),
            *confinement(name),
        ]) + section("Install", ["WantedBy=multi-user.target"]).rstrip("\n") + "\n"

    def description(self, name):
        group = self.compose.groups.get(name)
        return f"worker: {group['title']}" if group else DESCRIPTIONS[name]

    # -- environments --

    def environments(self):
        cases = "".join(f"{name})\n{self.exports(name)}    ;;\n" for name in self.services)
        return f"{HEAD}# shellcheck shell=sh disable=SC2154\ncase $service in\n{cases}esac\n"

    def exports(self, name):
        return "".join(f'    export {variable}="{assigned(variable, text)}"\n'
                       for variable, text in self.environment(name).items())

    def environment(self, name):
        """{variable: text in shell}: what compose.yaml sets, for one machine."""
        here = self.compose.environment(name) | {each: "" for each in WITHOUT_NAMES.get(name, [])}
        if port := self.admin_port(name):
            here |= {each: f"127.0.0.1:{port}" for each in ("TOLLGATE_SVC_ADMIN", "TOLLGATE_BROWSER_ADMIN") if each in here}
        texts = {variable: INSTEAD.get(variable, text) for variable, text in here.items()}
        return {variable: VARIABLE.sub(with_default, text.replace(SECRETS, f"{KEYS}/{name}"))
                for variable, text in texts.items() if text is not None}

    def admin_port(self, name):
        return 9100 + self.compose.users[name] % 100 if name == "browser" or name in self.compose.groups else None

    def settings(self):
        texts = [text for name in self.services for text in self.environment(name).values()]
        found = {name: defaults(default) for text in texts for name, default in VARIABLE.findall(text)}
        return SETTINGS_HEAD + "".join(f"#{name}={value}\n" for name, value in sorted(found.items()))

    # -- users and folders --

    def folders(self):
        """All keys are below one folder, where each service can read its own."""
        owned = [name for name in self.lasting if name != "browser"]
        lines = [f"d {KEYS} 0755 root root -", *(f"d {KEYS}/{name} 0750 root {unit_of(name)} -" for name in owned),
                 *(f"d {KEYS}/{name} 0700 root root -" for name in sorted(ROOTS))]
        return HEAD + "\n".join(lines) + "\n"


def unit_of(name):
    return f"tollgate-{name}"


def section(name, lines):
    return f"[{name}]\n" + "\n".join(lines) + "\n\n"


def limits(here):
    yield f"TimeoutStopSec={here['stop_grace_period']}"
    if "stop_signal" in here:
        yield f"KillSignal={here['stop_signal']}"
    yield f"MemoryMax={defaults(here['mem_limit']).upper()}"
    yield f"TasksMax={here['pids_limit']}"
    if "cpu_shares" in here:
        yield f"CPUWeight={100 * here['cpu_shares'] // PRODUCT}"
    if "ulimits" in here:
        yield f"LimitNOFILE={defaults(here['ulimits']['nofile'])}"


def confinement(name):
    if name in BINDS_LOW_PORTS:
        yield from ("CapabilityBoundingSet=CAP_NET_BIND_SERVICE", "AmbientCapabilities=CAP_NET_BIND_SERVICE")
    else:
        yield "CapabilityBoundingSet="
    yield from CONFINED.splitlines()
    if name not in COMPILES:
        yield "MemoryDenyWriteExecute=yes"
    if name != "browser":
        yield from ALSO_CONFINED.splitlines()


def with_default(found):
    return f"${{{found[1]}:-{DEFAULTS.get(found[1], found[2])}}}"


def assigned(variable, text):
    """A setting keeps its name. A key of the program has the operator's value, if there is one."""
    return text if re.match(rf"\${{{variable}:-", text) else f"${{{variable}-{text}}}"


def main():
    root = Path(__file__).resolve().parents[2]
    for name, content in Units(root).files().items():
        (root / HERE / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
