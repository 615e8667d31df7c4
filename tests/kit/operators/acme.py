"""tests/kit/operators/acme.py - an ACME authority (pebble) with a DNS server (bind9), and an
operator's machine that runs the commands of the pages: lego and certbot are real."""

import http.client
import json
import os
import re
import shlex
import socket
import ssl
import subprocess
from pathlib import Path

from kit import pki
from kit.site import ROOT, Site
from part import Part
from ports import Ports
from stack import EDGE_CONFIG, http_status

NAME = "api.example.com"
VALIDITY_S = 20 * 86400  # less than the 30 days before the end, so that each renewal is due
TSIG_SECRET = "c2VjcmV0IG9mIHRoZSB0ZXN0cyBmb3IgdXBkYXRlcw=="
SYSTEMD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"

NOT_RUN = ("apt ", "editor ", "systemctl daemon-reload", "systemctl enable ", "systemctl start tollgate-acme.service ")

NAMED = """
key "acme" {{ algorithm hmac-sha256; secret "{secret}"; }};
options {{
    directory "{folder}"; pid-file none; session-keyfile none; managed-keys-directory "{folder}";
    listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }}; recursion no; dnssec-validation no;
}};
controls {{ }};
zone "example.com" {{
    type primary; file "zone"; update-policy {{ grant acme name _acme-challenge.api.example.com. TXT; }};
}};
"""
ZONE = """$TTL 1
@ SOA ns.example.com. admin.example.com. 1 3600 600 86400 1
@ NS ns.example.com.
ns A 127.0.0.1
api A 127.0.0.1
"""
DOCKER = """export {variables}
case "$*" in
"compose version") ;;
"compose run --rm -T init "*) shift 5; exec {root}/deploy/docker/init "$@" ;;
"compose ps -q edge") pwd | grep -qx {checkout} && echo edge ;;
"exec edge take-certificate") exec bash {root}/deploy/edge/take-certificate ;;
*) echo "unexpected: docker $*" >&2; exit 64 ;;
esac"""


class Authority:
    """Its HTTP-01 challenges go to plain_port of 127.0.0.1. Valid authorizations are used again."""

    def __init__(self, folder, plain_port):
        self.folder, self._ports = folder, Ports()
        self.port, self._management, self.dns_port, tls_port = (self._ports.reserve() for _ in range(4))
        served = pki.root().issue("localhost", key="ec:SECP256R1", self_signed=True)
        self.ca_file = folder / "authority.pem"
        self.ca_file.write_bytes(served.pem())
        (folder / "authority.key").write_bytes(served.key_pem())
        (folder / "zone").write_text(ZONE)
        (folder / "named.conf").write_text(NAMED.format(folder=folder, port=self.dns_port, secret=TSIG_SECRET))
        (folder / "pebble.json").write_text(json.dumps({"pebble": {
            "listenAddress": f"127.0.0.1:{self.port}", "managementListenAddress": f"127.0.0.1:{self._management}",
            "certificate": str(self.ca_file), "privateKey": str(folder / "authority.key"), "httpPort": int(plain_port),
            "tlsPort": tls_port, "certificateValidityPeriod": VALIDITY_S}}))
        self._parts = [
            Part("named", ["/usr/sbin/named", "-f", "-g", "-4", "-n", "1", "-c", folder / "named.conf"],
                 folder / "named.log", lambda: listens(self.dns_port)),
            Part("pebble", ["pebble", "-config", folder / "pebble.json", "-dnsserver", f"127.0.0.1:{self.dns_port}"],
                 folder / "pebble.log", lambda: http_status(self._connection(self.port), "/dir") == 200, ready_s=60,
                 env={"PEBBLE_VA_NOSLEEP": 1, "PEBBLE_WFE_NONCEREJECT": 0, "PEBBLE_AUTHZREUSE": 100})]

    def __enter__(self):
        for part in self._parts:
            part.start()
        for part in self._parts:
            part.wait_ready()
        return self

    def __exit__(self, *_):
        for part in self._parts:
            part.kill()
        self._ports.release()

    def _connection(self, port):
        return http.client.HTTPSConnection("localhost", port, timeout=5,
                                           context=ssl.create_default_context(cafile=self.ca_file))

    def root(self):
        """The certificate, in PEM, that clients must trust."""
        connection = self._connection(self._management)
        connection.request("GET", "/roots/0")
        return connection.getresponse().read().decode()


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


class NamedSite(Site):
    """An edge whose certificate has the name api.example.com."""

    def connection(self, address, timeout_s):
        return ToName(NAME, self.tls_port, timeout=timeout_s, source_address=(address, 0), context=self.trust())


class ToName(http.client.HTTPSConnection):
    """Trusts only the name, which has no address in this machine's DNS."""

    def connect(self):
        line = socket.create_connection(("127.0.0.1", self.port), self.timeout, self.source_address)
        self.sock = self._context.wrap_socket(line, server_hostname=NAME)


class Edge:
    """An edge in front of the gateways of a site. It begins with a self-signed certificate."""

    def __init__(self, site, keys):
        self.folder = keys / "edge"
        self.folder.mkdir(parents=True)
        ports = Ports()
        self.tls_port, self.plain_port, control = (ports.reserve() for _ in range(3))
        first = pki.root().issue(NAME, key="ec:SECP256R1", self_signed=True)
        self.pem = self.folder / "edge.pem"
        self.pem.write_bytes(first.pem() + first.key_pem())
        self._trusted = keys / "trusted.pem"
        self._trusted.write_bytes(first.pem())
        self.env = {"EDGE_CERTIFICATE": self.pem, "EDGE_CONTROL": f"127.0.0.1:{control}"}
        gateways = {f"EDGE_GATEWAY_{n}": host for n, (host, _) in enumerate(site.gateways, 1)}
        self._part = Part("edge", ["/usr/sbin/haproxy", "-db", "-f", EDGE_CONFIG], keys / "edge.log", self._serves,
                          env=self.env | gateways | {
                              "EDGE_GATEWAY_PORT": site.gateways[0][1], "EDGE_MAX_CONNECTIONS": 200, "EDGE_BUFFERS": 300,
                              "EDGE_LISTEN_TLS": f"127.0.0.1:{self.tls_port}",
                              "EDGE_LISTEN_PLAIN": f"127.0.0.1:{self.plain_port}"})
        self.site = NamedSite(**site.as_dict() | {"tls_port": self.tls_port, "plain_port": self.plain_port,
                                                  "ca_file": str(self._trusted)})

    def _serves(self):
        return http_status(self.site.connection("127.0.0.1", 5), "/livez") == 200

    def trust(self, pem):
        """In addition to its first certificate."""
        with self._trusted.open("a") as file:
            file.write(pem)

    def restart(self, **env):
        self._part.kill()
        self._part.env |= env
        self._part.start()
        self._part.wait_ready()

    def kill(self):
        self._part.kill()

    def presented(self):
        """The certificate that clients of the name see, in PEM."""
        line = self.site.connection("127.0.0.1", 5)
        line.connect()
        try:
            return ssl.DER_cert_to_PEM_cert(line.sock.getpeercert(binary_form=True))
        finally:
            line.close()


class Machine:
    """Runs the commands of pages in a checkout, with folders below its own instead of /etc."""

    def __init__(self, folder, authority, checkout, plain_port):
        self.folder, self.authority, self.checkout = folder, authority, checkout
        self.programs = folder / "bin"
        self.places = {
            "/etc/letsencrypt/accounts/acme-v02.api.letsencrypt.org/directory":
                f"{folder}/letsencrypt/accounts/localhost:{authority.port}/dir",
            "acme-v02.api.letsencrypt.org": f"localhost_{authority.port}",
            "/etc/lego": f"{folder}/lego", "/etc/letsencrypt": f"{folder}/letsencrypt", "/srv/tollgate": str(checkout)}
        self._variables = []
        (folder / ".curlrc").write_text(f'silent\nshow-error\nfail\nconnect-to = "{NAME}:80:127.0.0.1:{plain_port}"\n')
        self.programs.mkdir()
        url = f"https://localhost:{authority.port}/dir"
        self.program("lego", f'LEGO_CA_CERTIFICATES={authority.ca_file} exec /usr/bin/lego --server {url} --dns.disable-cp '
                             f'--dns.resolvers 127.0.0.1:{authority.dns_port} "$@"')
        self.program("certbot", f'REQUESTS_CA_BUNDLE={authority.ca_file} exec /usr/bin/certbot --server {url} '
                                f'--config-dir {folder}/letsencrypt --work-dir {folder}/work --logs-dir {folder}/log "$@"')

    def program(self, name, text):
        (self.programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.programs / name).chmod(0o755)

    def here(self, text):
        """With this machine's folders and the authority's name."""
        for name, new in self.places.items():
            text = text.replace(name, new)
        return text

    def run(self, command):
        """A command of a page, in a shell whose variables stay; returns its output."""
        if re.match(r"\w+=", command):
            self._variables.append(command)
        script = self.here("\n".join([*self._variables, command]))
        return done(["bash", "-euo", "pipefail", "-c", script], self.checkout, {
            "PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.folder), "CURL_HOME": str(self.folder)})

    def service(self, unit):
        """Run the commands of a unit as systemd does: without a shell, and in an environment of a
        few variables."""
        words = [line.split("=", 1) for line in self.here(unit).splitlines() if "=" in line]
        env = {"PATH": f"{self.programs}:{SYSTEMD_PATH}", "LANG": "C.UTF-8"}
        for name in [value.removeprefix("-") for key, value in words if key == "EnvironmentFile"]:
            if Path(name).exists():
                env |= dict(line.split("=", 1) for line in Path(name).read_text().splitlines())
        for text in [value for key, value in words if key == "ExecStart"]:
            done(shlex.split(text), dict(words).get("WorkingDirectory", "/"), env)

    def cron(self, table):
        """Run the command of a crontab of /etc/cron.d as cron does, without lego's random delay of
        minutes."""
        path, line = self.here(table).replace(" renew ", " renew --no-random-sleep ").splitlines()
        done(["sh", "-c", line.split(None, 6)[6]], "/", {
            "SHELL": "/bin/sh", "HOME": "/root", "LOGNAME": "root", "PATH": f"{self.programs}:{path.removeprefix('PATH=')}"})


class MachineWithoutContainers(Machine):
    """With Tollgate's real scripts. Docker, tollgate-keys and systemctl are stand-ins."""

    def __init__(self, folder, authority, edge):
        super().__init__(folder, authority, folder / "tollgate", edge.plain_port)
        self._edge = edge
        self._settings = self.checkout / ".env"
        self.places |= {"/etc/tollgate/keys/edge": str(edge.folder), "/etc/tollgate/tollgate.env": str(self._settings)}
        self.reloads = folder / "reloads"
        scripts = self.checkout / "deploy" / "docker"
        scripts.mkdir(parents=True)
        for name in ("compose", "certificate"):
            (scripts / name).symlink_to(ROOT / "deploy/docker" / name)
        keys = {"KEYS": edge.folder.parent}
        self.program("chown", ":")  # this machine has no user `edge`
        self.program("tollgate-keys", f'KEYS={keys["KEYS"]} exec {ROOT}/deploy/docker/init "$@"')
        self.program("systemctl", f'echo "$*" >>{self.reloads}')
        self.program("docker", DOCKER.format(
            root=ROOT, checkout=self.checkout,
            variables=" ".join(f"{name}={value}" for name, value in (edge.env | keys).items())))

    def run(self, command):
        if command not in ("deploy/docker/apply", "systemctl restart tollgate-edge"):
            return super().run(command)
        settings = dict(line.split("=", 1) for line in self._settings.read_text().splitlines())
        self._edge.restart(EDGE_ACME_THUMBPRINT=settings["EDGE_ACME_THUMBPRINT"])
        return ""


def done(argv, folder, env, given="y\n"):
    """The output of a command that succeeds, given this input."""
    env |= {name: os.environ[name] for name in ("DOCKER_HOST",) if name in os.environ}
    finished = subprocess.run(argv, input=given, capture_output=True, text=True, check=False, timeout=120, cwd=folder, env=env)
    assert finished.returncode == 0, f"{argv}\n{finished.stdout}{finished.stderr}"
    return finished.stdout


def section(page, heading):
    """The text below a heading, up to the next of its level or above."""
    text = (ROOT / page).read_text()
    level, rest = re.search(rf"^(##+) {re.escape(heading)}\n(.*)", text, re.MULTILINE | re.DOTALL).groups()
    return re.split(rf"^#{{2,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def blocks(text, language):
    """The blocks of this language, without the indentation of lists."""
    return [re.sub(r"^   ?", "", block, flags=re.MULTILINE) if block.startswith("  ") else block
            for block in re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)]


def commands(text):
    """(command, output that the page shows) of each line after a prompt."""
    lines = "".join(blocks(text, "console")).splitlines()
    shown = []
    for line in lines:
        if line.startswith("$ "):
            shown.append([line.removeprefix("$ "), []])
        else:
            shown[-1][1].append(line)
    return [(command, "\n".join(output)) for command, output in shown]


def follow(machine, listed):
    """Run these commands in order, and compare what the page shows of their output."""
    for command, shown in listed:
        if not command.startswith(NOT_RUN):
            output = machine.run(command)
            pattern = re.escape(shown).replace("<thumbprint>", "[A-Za-z0-9_-]{43}")
            assert not shown or re.fullmatch(pattern, output), output
