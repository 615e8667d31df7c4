"""tests/kit/world.py - the internet of the tests: names, sites, and misbehaving servers.

    world = World(directory)        # like Stack: `with world:` or start() and stop()
    Stack(…, settings=world.settings)

Sites are in one 127.a.b.0/24 that nothing else on this machine uses, on the real ports:

    .54   flaky_dns.py: names with changing records, or without a response
    .60   to .76, mail/servers.py: mail servers, most of them misbehaving
    .80   nginx: every folder tests/sites/<host>, here and in tools' folders, and in portal/sites,
          is the site http(s)://<host>/; <host>.conf next to it may have nginx directives for both
          servers
    .81   bad_http.py: *.slowhost.net, misbehaving HTTP servers
    .82   transparency.py: certificate transparency services, named in ct-sources.json
    .83   models/stub.py: model providers; models.log has the requests they received
    .84   operators/green.py: the list of green hosts; green.log has the hosts it was asked for
    .99   decoy.py: unreachable for customers; logs every connection

bind9 serves the names, by DNS over HTTPS on 127.0.0.1 (it listens only on addresses of interfaces):
authoritative for the root, so no query leaves the machine, and recursive for the zone of
flaky_dns.py.

A file tests/sites/<domain>.zone is the zone of that domain. Names are relative to it, SOA and NS
(the server is ns.root-servers.net) may be left out, and {web}, {bad_http}, {flaky_dns} and {decoy}
are replaced by the addresses. A CA made for the run signs the certificates.
"""

import json
import os
import random
import re
import shutil
import socket
import ssl
import sys
from pathlib import Path

from kit import names
from kit.mail import servers
from kit.models import providers
from kit.zones import blacklists
from part import Failure, Part, command, wait_for
from ports import Ports

ROOT = Path(__file__).resolve().parents[2]
KIT = ROOT / "tests" / "kit"
SITES = [ROOT / "tests" / "sites", KIT / "portal" / "sites", *sorted(ROOT.glob("svc-*/*/tests/sites"))]
HOSTS = {"flaky_dns": 54, "web": 80, "bad_http": 81, "transparency": 82, "models": 83, "green": 84, "decoy": 99}
WILD = "slowhost.net"           # *.slowhost.net is bad_http.py
PLAIN = "example.com"           # with its own certificate; the other sites share one
UNTRUSTED = "selfsigned.badcerts.net"
MISNAMED = "othername.badcerts.net"
DECOY_PORTS = (22, 25, 53, 80, 443, 6379, 8000, 8008, 8080, 8081, 8443, 8888, 9200, 9443)


class World:
    def __init__(self, directory):
        self.directory = Path(directory).resolve()
        self.network = self._free_network()
        self.address = {name: f"{self.network}.{last}" for name, last in HOSTS.items()}
        self._ports = Ports()
        self.dns_port = self._ports.reserve()
        self.ca_file = self.directory / "ca.pem"
        self.decoy_log = self.directory / "decoy.log"
        self.models = f"http://{self.address['models']}:8000"
        self.models_log = self.directory / "models.log"
        self.green_log = self.directory / "green.log"
        self.parts = []

    @property
    def settings(self):
        """Keys of conf.def for the processes that use this world."""
        return {
            "egress.resolver": "doh",
            "egress.doh_urls": [f"https://127.0.0.1:{self.dns_port}/dns-query"],
            "egress.doh_ca_file": str(self.ca_file),
            "egress.ca_file": str(self.ca_file),
            "egress.allow": [f"{self.network}.0/24"],
            "egress.deny": [self.address["decoy"]],
            "egress.ports": ["*"],
            "security.ct_sources_file": str(self.directory / "ct-sources.json"),
            "reports.green_check_url": f"http://{self.address['green']}:8000",
            "ai.providers_file": str(self.directory / "providers.yaml"),
        }

    def start(self):
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self._make_certificates()
            self._write_nginx()
            self._write_named()
            self._write_ct_sources()
            providers.write(self.directory, self.models, providers.USUAL)
            for part in (self._decoy(), self._bad_http(), self._transparency(), self._models(), self._green(),
                         self._mail_servers(), self._flaky_dns(), self._named(), self._nginx()):
                self.parts.append(part)
                part.start()
            for part in self.parts:
                part.wait_ready()
        except BaseException:
            self.stop()
            raise

    def part(self, name):
        return next(part for part in self.parts if part.name == name)

    def stop(self):
        for part in reversed(self.parts):
            part.stop()
        self._ports.release()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def findings(self):
        """Yield what must not have happened."""
        yield from (part.obituary() for part in self.parts if part.crashed)
        for line in self.visits():
            yield f"somebody connected to the decoy: {line}"

    def visits(self):
        """Connections to the decoy, one a line."""
        return self.decoy_log.read_text().splitlines() if self.decoy_log.exists() else []

    # -- its parts --

    @staticmethod
    def _free_network():
        """An unused 127.a.b."""
        for _ in range(100):
            network = f"127.{random.randrange(100, 240)}.{random.randrange(1, 255)}"
            try:
                with socket.socket() as probe:
                    probe.bind((f"{network}.{HOSTS['web']}", 443))
                return network
            except PermissionError:
                raise Failure("the sites of the tests are on ports below 1024: run `make test`, or as root, or "
                              "first `sysctl net.ipv4.ip_unprivileged_port_start=0`") from None
            except OSError:
                continue
        raise Failure("no free network in 127.0.0.0/8")

    def _hosts(self):
        """{name: folder} of the sites."""
        return {folder.name: folder for sites in SITES for folder in sorted(sites.iterdir()) if folder.is_dir()}

    def _make_certificates(self):
        self._openssl("ca", "/CN=Test Root CA/O=Test Authority", "basicConstraints=critical,CA:TRUE",
                      "keyUsage=critical,keyCertSign,cRLSign")
        self._certify("site", [*self._hosts(), WILD, f"*.{WILD}"],
                      ["127.0.0.1", *(self.address[name] for name in ("web", "bad_http", "transparency"))])
        self._certify(PLAIN, [PLAIN], [])
        self._certify("other", ["elsewhere.badcerts.net"], [])
        self._openssl("untrusted", f"/CN={UNTRUSTED}", f"subjectAltName=DNS:{UNTRUSTED}")

    def _openssl(self, name, subject, *extensions):
        """A self-signed certificate name.pem with name.key."""
        command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", self.directory / f"{name}.key", "-out", self.directory / f"{name}.pem",
                "-days", "30", "-subj", subject, *(word for e in extensions for word in ("-addext", e)))

    def _certify(self, name, dns, ips):
        """A certificate of our CA."""
        file = {end: self.directory / f"{name}.{end}" for end in ("key", "csr", "pem", "ext")}
        alternatives = ",".join([*(f"DNS:{host}" for host in dns), *(f"IP:{ip}" for ip in ips)])
        file["ext"].write_text(f"subjectAltName={alternatives}\nextendedKeyUsage=serverAuth\n"
                               "basicConstraints=critical,CA:FALSE\n")
        command("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", file["key"], "-out", file["csr"], "-subj", f"/CN={dns[0]}")
        command("openssl", "x509", "-req", "-in", file["csr"], "-CA", self.ca_file,
                "-CAkey", self.directory / "ca.key", "-CAcreateserial", "-days", "30",
                "-extfile", file["ext"], "-out", file["pem"])

    # -- nginx --

    def _server(self, host, root, certificate, more=""):
        web = self.address["web"]
        return f"""
    server {{
        listen {web}:80; listen {web}:443 ssl http2;
        server_name {host};
        ssl_certificate {self.directory}/{certificate}.pem; ssl_certificate_key {self.directory}/{certificate}.key;
        root {root};
        {more}
    }}"""

    def _write_nginx(self):
        servers = []
        sites = self._hosts()
        for host, folder in sites.items():
            extra = folder.with_name(f"{host}.conf")
            servers.append(self._server(host, folder, PLAIN if host == PLAIN else "site",
                                        f"include {extra};" if extra.exists() else ""))
        servers.append(self._server(UNTRUSTED, sites[PLAIN], "untrusted"))
        servers.append(self._server(MISNAMED, sites[PLAIN], "other"))
        temporary = "\n".join(f"    {kind}_temp_path {self.directory}/nginx-{kind};"
                              for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;" if os.geteuid() == 0 else ""
        (self.directory / "nginx.conf").write_text(f"""{user}
daemon off; worker_processes 1; pid {self.directory}/nginx.pid; error_log stderr warn;
events {{ worker_connections 4096; }}
http {{
{temporary}
    include /etc/nginx/mime.types; default_type text/html; charset utf-8;
    access_log off; server_tokens off; log_not_found off;
    server_names_hash_bucket_size 128; types_hash_max_size 4096;
    ssl_protocols TLSv1 TLSv1.1 TLSv1.2; ssl_ciphers HIGH:!aNULL:!MD5:!AESCCM8; # the same with any version
    {''.join(servers)}
}}
""")

    def _nginx(self):
        return self._part("nginx", ["/usr/sbin/nginx", "-e", "stderr", "-c", self.directory / "nginx.conf"],
                          lambda: self._speaks_tls(self.address["web"], 443))

    # -- bind9 --

    def _write_named(self):
        (self.directory / "root.zone").write_text(self._root_zone())
        (self.directory / "named.conf").write_text(f"""
tls doh {{ cert-file "{self.directory}/site.pem"; key-file "{self.directory}/site.key"; }};
http doh {{ endpoints {{ "/dns-query"; }}; }};
options {{
    directory "{self.directory}"; pid-file none; session-keyfile none; managed-keys-directory "{self.directory}";
    listen-on port {self.dns_port} tls doh http doh {{ 127.0.0.1; }};
    listen-on-v6 {{ none; }};
    http-listener-clients 1000; http-streams-per-connection 200;
    recursion yes; allow-recursion {{ any; }}; allow-query {{ any; }}; dnssec-validation no; minimal-responses yes;
    resolver-query-timeout 10000; servfail-ttl 0; prefetch 0; empty-zones-enable no;
    max-cache-size 32m;
}};
controls {{ }};
logging {{ category lame-servers {{ null; }}; category resolver {{ null; }}; }};
zone "." {{ type primary; file "root.zone"; check-names ignore; check-integrity no; }};
{chr(10).join(self._zones())}
""")

    def _root_zone(self):
        lines = ["$TTL 300", "@ SOA ns.root-servers.net. admin.root-servers.net. 2026010101 3600 600 86400 60",
                 "@ NS ns.root-servers.net.", "ns.root-servers.net. A 127.0.0.1"]
        lines += [f"{host}. A {self.address['web']}" for host in (*self._hosts(), UNTRUSTED, MISNAMED)]
        lines += [f"{WILD}. A {self.address['bad_http']}", f"*.{WILD}. A {self.address['bad_http']}"]
        lines += names.zone(self.address)
        lines += servers.zone(self.network, self.address["decoy"])
        lines += blacklists.delegations()
        return "\n".join(lines) + "\n"

    def _zones(self):
        """The lines of named.conf for the files DOMAIN.zone and for the blacklists, which it
        writes. A zone hides the root's records below it, so it repeats those of the sites below."""
        for file in sorted(file for sites in SITES for file in sites.glob("*.zone")):
            domain, text = file.stem, file.read_text().format(**self.address)
            lines = ["$TTL 300"]
            if not re.search(r"\sSOA\s", text):
                lines.append("@ SOA ns.root-servers.net. admin.root-servers.net. 2026010101 3600 600 86400 60")
            if not re.search(r"^@?(\s+\d+)?(\s+IN)?\s+NS\s", text, re.MULTILINE):
                lines.append("@ NS ns.root-servers.net.")
            lines += [text, *(f"{host}. A {self.address['web']}" for host in self._hosts()
                              if f".{host}".endswith(f".{domain}"))]
            (self.directory / file.name).write_text("\n".join(lines) + "\n")
            yield f'zone "{domain}" {{ type primary; file "{file.name}"; check-names ignore; check-integrity no; }};'
        for zone, records, options in blacklists.zones():
            head = ["$TTL 300", "@ SOA ns.root-servers.net. admin.root-servers.net. 2026010101 3600 600 86400 60",
                    "@ NS ns.root-servers.net."]
            (self.directory / f"{zone}.list").write_text("\n".join([*head, *records]) + "\n")
            yield f'zone "{zone}" {{ type primary; file "{zone}.list"; check-names ignore; {options} }};'

    def _named(self):
        return self._part("named", ["/usr/sbin/named", "-f", "-g", "-4", "-n", "1", "-c",
                                    self.directory / "named.conf"], lambda: self._speaks_tls("127.0.0.1", self.dns_port))

    # -- the other servers --

    def _script(self, name, *arguments):
        ready = self.directory / f"{Path(name).name}.ready"
        return self._part(Path(name).name, [sys.executable, KIT / f"{name}.py", ready, *arguments], ready.exists)

    def _bad_http(self):
        return self._script("bad_http", self.address["bad_http"], self.directory / "site.pem",
                            self.directory / "site.key")

    def _transparency(self):
        return self._script("transparency", self.address["transparency"], self.directory / "site.pem",
                            self.directory / "site.key")

    def _write_ct_sources(self):
        """The two formats of the shipped sources, as JSON."""
        (self.directory / "ct-sources.json").write_text(json.dumps([
            {"name": name, "format": name, "url": f"https://{self.address['transparency']}/{name}?domain={{domain}}"}
            for name in ("crtsh", "certspotter")]))

    def _models(self):
        return self._script("models/stub", self.address["models"], self.models_log)

    def _green(self):
        return self._script("operators/green", self.address["green"], self.green_log)

    def _flaky_dns(self):
        return self._script("flaky_dns", *(self.address[name] for name in ("flaky_dns", "web", "decoy")))

    def _mail_servers(self):
        return self._script("mail/servers", self.network, self.ca_file, self.directory / "ca.key", self.directory)

    def _decoy(self):
        return self._script("decoy", self.address["decoy"], self.decoy_log, *DECOY_PORTS)

    def _part(self, name, argv, ready):
        return Part(name, argv, self.directory / f"{name}.log", ready, stop_s=10)

    def _speaks_tls(self, address, port):
        context = ssl.create_default_context(cafile=self.ca_file)
        context.set_alpn_protocols(["h2", "http/1.1"])
        try:
            with socket.create_connection((address, port), timeout=2) as line, \
                    context.wrap_socket(line, server_hostname=address):
                return True
        except OSError:
            return False

    def remove(self):
        """Delete all files it made."""
        shutil.rmtree(self.directory, ignore_errors=True)


def main():
    """A world for manual use; stops at Ctrl-C."""
    import tempfile
    world = World(tempfile.mkdtemp(prefix="tollgate-world-"))
    try:
        with world:
            print(world.settings, flush=True)
            wait_for(lambda: False, 1e9, "the end")
    except KeyboardInterrupt:
        pass
    finally:
        world.remove()


if __name__ == "__main__":
    main()
