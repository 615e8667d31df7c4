"""tests/check/tls-clients.py - tls-check's table of clients against real handshakes.

tls-check works out which clients get in, with which version, suite and certificate. Here OpenSSL
connects to each server with the versions, groups and suites of each row of clients.def, as far as
it has them, and the results must agree. Servers are OpenSSL's and GnuTLS'.

- A row is left out if OpenSSL has less than half of its suites. It has no SSL 3.0, RC4 or 3DES, so
  a pair is left out if tls-check expects a suite that this OpenSSL cannot offer.
- The limit of old Java for a Diffie-Hellman prime is not OpenSSL's, so such pairs are left out.
- KNOWN lists pairs in which another suite is agreed on, and why. Version and certificate must
  agree there too, and a listed server or pair without a difference is an error.
- The table has no signature algorithms, so OpenSSL offers all that it has.

Run by `make check`.
"""

import argparse
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "svc-security/tls-check"
sys.path.insert(0, str(TOOL / "tests"))

from peers import HERE, Bench  # noqa: E402

PROGRAM = "tests/unit/svc_security_tls_check_peers"
PROFILES_MIN, SERVERS_MIN = 8, 20
VERSIONS = {"TLSV10": "TLSv1", "TLSV11": "TLSv1.1", "TLSV12": "TLSv1.2", "TLSV13": "TLSv1.3", "SSLV3": "TLSv1"}
GROUPS = {0x16: "secp256k1", 0x17: "P-256", 0x18: "P-384", 0x19: "P-521", 0x1A: "brainpoolP256r1",
          0x1B: "brainpoolP384r1", 0x1C: "brainpoolP512r1", 0x1D: "X25519", 0x1E: "X448"}
NEW_GROUPS = {0x100: "ffdhe2048", 0x101: "ffdhe3072", 0x102: "ffdhe4096", 0x103: "ffdhe6144", 0x104: "ffdhe8192"}
ALL = "ALL:@SECLEVEL=0"
# (server, client, or None for any): why the suite differs
KNOWN = {
    ("TLS 1.2 and 1.3, the server's order", None):
        "the scan does not find a server's order of the suites of TLS 1.3",
}
ROW = re.compile(r'^CLIENT\("(?P<name>[^"]+)", (?P<low>\w+), (?P<high>\w+), \d+, \w+,\s+"(?P<groups>[^"]*)",'
                 r'\s+(?P<suites>(?:"[^"]*"\s*)+)\)', re.MULTILINE)


def openssl_suites():
    """{id: (OpenSSL's name, the registry's)}"""
    said = subprocess.run(["openssl", "ciphers", "-V", "-stdname", ALL], check=True, capture_output=True, text=True).stdout
    suites = {}
    for line in said.splitlines():
        number, _, standard, _, name = line.split()[:5]
        high, low = number.split(",")
        suites[int(high[2:] + low[2:], 16)] = (name, standard)
    return suites


class Profile:
    """A row of clients.def, as options of `openssl s_client`."""

    def __init__(self, row, suites):
        numbers = [int(number, 16) for number in re.findall(r"[0-9a-f]{4}", row["suites"])]
        offered = [number for number in numbers if number in suites]
        self.name = row["name"]
        self.is_usable = 2 * len(offered) >= len(numbers)
        self.offers = {suites[number][1] for number in offered}
        has_new = row["high"] == "TLSV13"
        groups = [(GROUPS | NEW_GROUPS if has_new else GROUPS).get(int(number, 16)) for number in row["groups"].split()]
        new = [suites[number][0] for number in offered if number >> 8 == 0x13]
        old = [suites[number][0] for number in offered if number >> 8 != 0x13]
        self.options = ["-min_protocol", VERSIONS[row["low"]], "-max_protocol", VERSIONS[row["high"]],
                        "-groups", ":".join(filter(None, groups)), "-cipher", ":".join([*old, "@SECLEVEL=0"])]
        if new:
            self.options += ["-ciphersuites", ":".join(new)]

    @classmethod
    def all(cls, suites):
        profiles = [cls(row, suites) for row in ROW.finditer((TOOL / "clients.def").read_text())]
        return [profile for profile in profiles if profile.is_usable]

    def connect(self, port, ca_file, suites):
        """(version, suite, fingerprint); None: it does not get in."""
        said = subprocess.run(["openssl", "s_client", "-connect", f"{HERE}:{port}", "-CAfile", ca_file, *self.options],
                              input="", capture_output=True, text=True, timeout=60).stdout
        found = re.search(r"^New, (\S+), Cipher is (\S+)$", said, re.MULTILINE)
        leaf = re.search(r"-----BEGIN CERTIFICATE-----(.*?)-----END", said, re.DOTALL)
        if not found or found[2] == "(NONE)":
            return None
        session = re.search(r"^ +Protocol *: (\S+)$", said, re.MULTILINE)
        version = "TLSv1.3" if found[1] == "TLSv1.3" else session[1]
        names = dict(suites.values())
        return ("TLSv1.0" if version == "TLSv1" else version, names[found[2]],
                hashlib.sha256(base64.b64decode(leaf[1])).hexdigest())


def servers(bench):
    """{what it is: its port}; a single certificate is RSA."""
    def ec():
        return bench.leaf(key="ec:SECP256R1")
    strict = ["-cipher", "DEFAULT:@SECLEVEL=0", "-no_tls1", "-no_tls1_1"]
    return {
        "TLS 1.2 and 1.3": bench.openssl(),
        "TLS 1.2 and 1.3, the server's order": bench.openssl(*strict, "-serverpref"),
        "TLS 1.3": bench.openssl("-tls1_3"),
        "TLS 1.3, one suite": bench.openssl("-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"),
        "TLS 1.3, a prime": bench.openssl("-tls1_3", "-groups", "ffdhe2048"),
        "TLS 1.3, P-521": bench.openssl("-tls1_3", "-groups", "P-521"),
        "TLS 1.2": bench.openssl("-tls1_2", "-cipher", ALL),
        "TLS 1.2, the server's order": bench.openssl("-tls1_2", "-cipher", ALL, "-serverpref"),
        "TLS 1.2, P-384": bench.openssl("-tls1_2", "-groups", "P-384", "-cipher", "ECDHE:@SECLEVEL=0"),
        "TLS 1.2, X25519": bench.openssl("-tls1_2", "-groups", "X25519", "-cipher", "ECDHE:@SECLEVEL=0"),
        "TLS 1.2, X25519 or without a curve": bench.openssl("-tls1_2", "-groups", "X25519", "-cipher", ALL),
        "ChaCha20": bench.openssl("-tls1_2", "-cipher", "ECDHE-RSA-CHACHA20-POLY1305:@SECLEVEL=0"),
        "RSA key exchange": bench.openssl("-tls1_2", "-cipher", "AES128-SHA:AES256-SHA:@SECLEVEL=0"),
        "a Diffie-Hellman prime": bench.openssl("-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"),
        "CBC": bench.openssl("-tls1_2", "-cipher", "ECDHE-RSA-AES256-SHA384:ECDHE-RSA-AES128-SHA256:@SECLEVEL=0",
                             "-serverpref"),
        "TLS 1.0 to 1.2": bench.openssl("-no_tls1_3", "-cipher", ALL, "-serverpref"),
        "TLS 1.0": bench.openssl("-tls1", "-cipher", ALL),
        "TLS 1.0, the server's order": bench.openssl("-tls1", "-cipher", ALL, "-serverpref"),
        "ECDSA": bench.openssl(leaf=ec()),
        "ECDSA, TLS 1.2": bench.openssl("-tls1_2", "-cipher", ALL, leaf=ec()),
        "RSA and ECDSA": bench.two(bench.leaf(), ec()),
        "RSA and ECDSA, TLS 1.2": bench.two(bench.leaf(), ec(), "-no_tls1_3"),
        "RSA and ECDSA, TLS 1.2, the server's order": bench.two(bench.leaf(), ec(), "-no_tls1_3", "-serverpref"),
        "GnuTLS": bench.gnutls("NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"),
        "GnuTLS, the server's order": bench.gnutls("NORMAL:-VERS-TLS1.3:%SERVER_PRECEDENCE"),
        "GnuTLS, TLS 1.0 and 1.1": bench.gnutls("NORMAL:-VERS-ALL:+VERS-TLS1.1:+VERS-TLS1.0"),
        "GnuTLS, 256 bits": bench.gnutls("SECURE256:-VERS-TLS1.0:-VERS-TLS1.1"),
    }


def told(client):
    """As Profile.connect()."""
    return (client["protocol"], client["cipher_suite"], client["fingerprint_sha256"]) if client["connects"] else None


class Comparison:
    def __init__(self, build, bench):
        self.bench, self.suites = bench, openssl_suites()
        self.profiles = Profile.all(self.suites)
        self.counts, self.differences, self.known = Counter(), [], Counter()
        self._program = build / PROGRAM
        self._environment = dict(os.environ, TOLLGATE_EGRESS_ALLOW="127.0.0.0/8", TOLLGATE_EGRESS_ONLY="127.0.0.0/8",
                                 TOLLGATE_EGRESS_PORTS="*", TOLLGATE_EGRESS_CA_FILE=bench.ca_file)

    def _scan(self, port):
        said = subprocess.run([self._program, json.dumps({"host": HERE, "port": port})], env=self._environment, check=True,
                              capture_output=True, text=True, timeout=120).stdout
        return {client["name"]: client for client in json.loads(said.splitlines()[-1])["clients"]}

    def _is_known(self, server, client, seen, expected):
        keys = [key for key in ((server, client), (server, None)) if key in KNOWN]
        self.known.update(keys)
        return bool(keys and seen and expected and (seen[0], seen[2]) == (expected[0], expected[2]))

    def check(self, server):
        what, port = server
        clients = self._scan(port)
        for profile in self.profiles:
            client = clients[profile.name]
            if client["reason"] == "dh_bits" or (client["connects"] and client["cipher_suite"] not in profile.offers):
                self.counts["left out"] += 1
                continue
            seen = profile.connect(port, self.bench.ca_file, self.suites)
            self.counts["connects" if seen else "rejected"] += 1
            if seen != told(client) and not self._is_known(what, profile.name, seen, told(client)):
                self.differences.append(f"{what}: {profile.name}: tls-check says {told(client) or client['reason']},"
                                        f" OpenSSL {seen}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=Path("build"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(directory)
        try:
            comparison = Comparison(options.build.resolve(), bench)
            there = servers(bench)
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(comparison.check, there.items()))
        finally:
            bench.stop()
    comparison.differences += [f"{server}: {client or 'any client'}: KNOWN lists a difference, and there is none"
                               for server, client in KNOWN.keys() - comparison.known.keys()]
    for difference in sorted(comparison.differences):
        print(f"tls-clients: {difference}")
    counts = comparison.counts
    print(f"tls-clients: {len(comparison.profiles)} clients at {len(there)} servers: {counts['connects']} handshakes and"
          f" {counts['rejected']} rejections; {sum(comparison.known.values())} have a known other suite,"
          f" {len(comparison.differences)} differ from tls-check's; {counts['left out']} pairs left out")
    ok = len(comparison.profiles) >= PROFILES_MIN and len(there) >= SERVERS_MIN and not comparison.differences
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
