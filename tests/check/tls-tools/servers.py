"""tests/check/tls-tools/servers.py - the servers that tls-tools.py compares the programs on.

Each server has its own name and address, and listens on port 443 or, written by hand, on a free
port. SERVERS says what each one is, how to start it, and which parts of testssl.sh look at it:
testssl.sh takes minutes, so no server gets all of them.
"""

import dataclasses
import itertools
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from kit import pki
from kit.old_tls import Manners, OldServer

DOMAIN = "tls.test"
MODERN = ("-cipher", "ECDHE+AESGCM:@SECLEVEL=0", "-no_tls1", "-no_tls1_1")
OLD_GNUTLS = ("NONE:+VERS-TLS1.0:+VERS-TLS1.2:+ARCFOUR-128:+3DES-CBC:+NULL:+AES-128-GCM:+MD5:+SHA1:+AEAD:+RSA:+DHE-RSA"
              ":+ANON-DH:+ANON-ECDH:+ECDHE-RSA:+SIGN-ALL:+CURVE-ALL:+COMP-NULL:%SERVER_PRECEDENCE")

# parts of testssl.sh
VERSIONS, SUITES, ORDER, CERTIFICATE, HEADERS = "-p", "-E", "-P", "-S", "-h"
RENEGOTIATION, COMPRESSION, FALLBACK = "-R", "-C", "-Z"
POODLE, SWEET32, FREAK, LOGJAM, BEAST, RC4, DROWN = "-O", "-W", "-F", "-J", "-A", "-4", "-D"
HANDSHAKE = (RENEGOTIATION, COMPRESSION, FALLBACK)
ATTACKS = (POODLE, SWEET32, FREAK, LOGJAM, BEAST, RC4)


@dataclasses.dataclass
class Place:
    """Where a server listens."""

    name: str
    address: str
    port: int = 443


class Servers:
    def __init__(self, directory):
        self.directory = Path(directory)
        self._processes = []
        self._numbers = itertools.count(1)
        self.root = pki.root()
        self.authority = self.root.issue("Tests Authority", ca=True, days=1000)
        self.other = pki.root("Other Root")
        self.ca_file = self._write("root.pem", self.root.pem())

    def _write(self, name, data):
        path = self.directory / name
        path.write_bytes(data)
        return str(path)

    def leaf(self, place, **odd):
        return self.authority.issue(place.name, **({"days": 90} | odd))

    def files(self, leaf, sent=None):
        """Paths: the chain with the certificate, the key, the chain alone."""
        name = f"{next(self._numbers)}"
        chain = [each.pem() for each in (leaf.sent() if sent is None else sent)]
        return (self._write(name + ".pem", b"".join(chain)), self._write(name + ".key", leaf.key_pem()),
                self._write(name + "-above.pem", b"".join(chain[1:])))

    def start(self, place, argv):
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True)
        self._processes.append(process)
        while process.poll() is None:
            try:
                socket.create_connection((place.address, place.port), 1).close()
                return place
            except OSError:
                time.sleep(0.02)  # until it listens
        raise RuntimeError(f"{argv[0]} ended: {process.stderr.read()}")

    def stop(self):
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait()

    # ---- the programs ----

    def openssl(self, place, *options, leaf=None, sent=None):
        chain, key, above = self.files(leaf or self.leaf(place), sent)
        above = ["-cert_chain", above] if Path(above).stat().st_size else []
        return self.start(place, ["openssl", "s_server", "-accept", f"{place.address}:{place.port}", "-cert", chain,
                                  "-key", key, *above, "-quiet", "-www", *options])

    def modern(self, place, **odd):
        """OpenSSL with good settings and this certificate."""
        return self.openssl(place, *MODERN, **odd)

    def gnutls(self, place, priority):
        chain, key, _ = self.files(self.leaf(place))
        # it listens on every address, so its port is its own
        place.port = 8400 + next(self._numbers)
        return self.start(place, ["gnutls-serv", "-q", "--http", "-p", str(place.port), "--x509certfile", chain,
                                  "--x509keyfile", key, "--priority", priority, "--disable-client-cert"])

    def nginx(self, place, settings, leaves=None, listen=""):
        pairs = [self.files(leaf)[:2] for leaf in leaves or [self.leaf(place)]]
        certificates = "".join(f"ssl_certificate {chain}; ssl_certificate_key {key};\n" for chain, key in pairs)
        own = self.directory / place.name
        own.mkdir()
        temporary = "".join(f"{kind}_temp_path {own};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (own / "nginx.conf").write_text(f"""
user root; daemon off; master_process off; pid {own}/pid; error_log {own}/error;
events {{}}
http {{
{temporary}access_log off;
server {{ listen {place.address}:{place.port} ssl {listen};
{certificates}{settings}
location / {{ return 200 "hello"; }} }} }}
""")
        return self.start(place, ["nginx", "-e", f"{own}/error", "-c", f"{own}/nginx.conf"])

    def haproxy(self, place, options):
        chain, key, _ = self.files(self.leaf(place))
        both = self._write(place.name + "-both.pem", Path(chain).read_bytes() + Path(key).read_bytes())
        path = self._write(place.name + ".cfg", f"""
global
    tune.ssl.default-dh-param 2048
defaults
    mode http
    timeout client 60s
    timeout connect 5s
    timeout server 60s
frontend here
    bind {place.address}:{place.port} ssl crt {both} {options}
    http-request return status 200 content-type text/plain string hello
""".encode())
        return self.start(place, ["haproxy", "-db", "-f", path])

    def written(self, place, **manners):
        certificates = tuple(each.der() for each in self.leaf(place).sent())
        place.port = OldServer(Manners(certificates=certificates, **manners), place.address).port
        return place

    # ---- servers that need more than a line ----

    def small_dh(self, place):
        path = self._write("dh.pem", subprocess.run(
            ["openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "dh_paramgen_prime_len:1024",
             "-pkeyopt", "dh_paramgen_type:0"], check=True, capture_output=True).stdout)
        return self.openssl(place, "-tls1_2", "-dhparam", path, "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0")

    def stapled(self, place):
        leaf = self.leaf(place, must_staple=True)
        staple = self._write(place.name + ".ocsp", self.authority.answer_ocsp(leaf))
        return self.openssl(place, *MODERN, "-status_file", staple, leaf=leaf)

    def nginx_stapled(self, place):
        leaf = self.leaf(place)
        staple = self._write(place.name + ".ocsp", self.authority.answer_ocsp(leaf))
        return self.nginx(place, f"ssl_stapling on; ssl_stapling_file {staple};", leaves=[leaf])

    def unrelated(self, place):
        leaf = self.leaf(place)
        return self.modern(place, leaf=leaf, sent=[*leaf.sent(), self.other])

    def incomplete(self, place):
        leaf = self.leaf(place, issuers_url="http://127.0.0.1/authority")
        return self.modern(place, leaf=leaf, sent=[leaf])


@dataclasses.dataclass
class Server:
    title: str
    start: Callable
    parts: tuple             # of testssl.sh
    has_sslscan: bool = True # sslscan waits for ever for a server that never finishes a handshake


SERVERS = [
    Server("nginx with h2 and HSTS",
           lambda s, at: s.nginx(at, "ssl_protocols TLSv1.2 TLSv1.3; ssl_prefer_server_ciphers on;"
                                 "add_header Strict-Transport-Security 'max-age=31536000; includeSubDomains; preload';",
                                 listen="http2"),
           (VERSIONS, ORDER, CERTIFICATE, HEADERS, *HANDSHAKE)),
    Server("OpenSSL, TLS 1.0", lambda s, at: s.openssl(at, "-tls1", "-cipher", "ALL:@SECLEVEL=0"),
           (VERSIONS, SUITES, *HANDSHAKE, *ATTACKS)),
    Server("OpenSSL, TLS 1.2",
           lambda s, at: s.openssl(at, "-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384:DHE-RSA-AES128-SHA256"
                                   ":AES128-CCM8:CAMELLIA256-SHA:@SECLEVEL=0", "-serverpref"),
           (VERSIONS, ORDER, *HANDSHAKE)),
    Server("OpenSSL, TLS 1.3",
           lambda s, at: s.openssl(at, "-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256"),
           (VERSIONS, SUITES, *HANDSHAKE)),
    Server("OpenSSL, TLS 1.0 to 1.3", lambda s, at: s.openssl(at, "-cipher", "DEFAULT:@SECLEVEL=0"),
           (VERSIONS, ORDER, *HANDSHAKE, LOGJAM, BEAST)),
    Server("GnuTLS, RC4, 3DES, NULL and anonymous", lambda s, at: s.gnutls(at, OLD_GNUTLS),
           (VERSIONS, SUITES, *HANDSHAKE, SWEET32, RC4, BEAST)),
    Server("GnuTLS without secure renegotiation",
           lambda s, at: s.gnutls(at, "NORMAL:-VERS-TLS1.3:-VERS-TLS1.1:-VERS-TLS1.0:%DISABLE_SAFE_RENEGOTIATION"),
           (VERSIONS, *HANDSHAKE)),
    Server("OpenSSL, CBC alone",
           lambda s, at: s.openssl(at, "-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA:@SECLEVEL=0",
                                   "-serverpref"),
           (VERSIONS, ORDER, BEAST)),
    Server("OpenSSL, no forward secrecy",
           lambda s, at: s.openssl(at, "-no_tls1_3", "-no_tls1", "-cipher", "AES128-GCM-SHA256:AES256-SHA:@SECLEVEL=0",
                                   "-serverpref"),
           (VERSIONS, ORDER, *HANDSHAKE)),
    Server("OpenSSL, suites without encryption",
           lambda s, at: s.openssl(at, "-tls1_2", "-cipher", "NULL-SHA256:NULL-MD5:ECDHE-RSA-NULL-SHA:AECDH-AES128-SHA"
                                   ":AES128-SHA:@SECLEVEL=0"),
           (VERSIONS, SUITES)),
    Server("nginx, RSA and ECDSA",
           lambda s, at: s.nginx(at, "ssl_protocols TLSv1.2 TLSv1.3;",
                                 leaves=[s.leaf(at), s.leaf(at, key="ec:SECP256R1")]),
           (VERSIONS, CERTIFICATE)),
    Server("OpenSSL, P-384", lambda s, at: s.modern(at, leaf=s.leaf(at, key="ec:SECP384R1")), (VERSIONS, CERTIFICATE)),
    Server("expired", lambda s, at: s.modern(at, leaf=s.leaf(at, begins=-100)), (VERSIONS, CERTIFICATE)),
    Server("self-signed", lambda s, at: s.modern(at, leaf=s.leaf(at, self_signed=True)), (CERTIFICATE,)),
    Server("another name", lambda s, at: s.modern(at, leaf=s.leaf(at, names=["other.test"])), (CERTIFICATE,)),
    Server("RSA of 1024 bits", lambda s, at: s.modern(at, leaf=s.leaf(at, key="rsa:1024")), (CERTIFICATE,)),
    Server("SHA-1", lambda s, at: s.modern(at, leaf=s.leaf(at, digest="SHA1")), (CERTIFICATE,)),
    Server("incomplete chain", Servers.incomplete, (CERTIFICATE,)),
    Server("unrelated root", Servers.unrelated, (CERTIFICATE,)),
    Server("must-staple with a staple", Servers.stapled, (CERTIFICATE,)),
    Server("must-staple without a staple", lambda s, at: s.modern(at, leaf=s.leaf(at, must_staple=True)), (CERTIFICATE,)),
    Server("nginx with a staple", Servers.nginx_stapled, (CERTIFICATE, HEADERS)),
    Server("DH of 1024 bits", Servers.small_dh, (VERSIONS, ORDER, LOGJAM)),
    Server("HAProxy without tickets",
           lambda s, at: s.haproxy(at, "no-tls-tickets alpn http/1.1 ssl-min-ver TLSv1.2 prefer-client-ciphers"),
           (VERSIONS, ORDER, CERTIFICATE, HEADERS, FALLBACK)),
    Server("written by hand: SSL 2.0 and 3.0, export suites",
           lambda s, at: s.written(at, versions=(0x0300, 0x0301), ssl2=(0x010080, 0x020080),
                                   suites={0x0004: None, 0x0003: "rsa:512", 0x0014: "dh:512", 0x000A: None}),
           (VERSIONS, POODLE, SWEET32, FREAK, LOGJAM, RC4, DROWN), has_sslscan=False),
    Server("written by hand: compression, no fallback",
           lambda s, at: s.written(at, versions=(0x0302, 0x0303), compression=True, heartbeat=True, fallback=False,
                                   suites={0xC013: "ec:23", 0x009C: None}),
           (VERSIONS, *HANDSHAKE), has_sslscan=False),
]


def place_of(number):
    """The place of a server of SERVERS."""
    return Place(f"server{number + 1}.{DOMAIN}", f"127.0.1.{number + 1}")
