"""peers.py PROGRAM - run tls-check against OpenSSL, GnuTLS and a handwritten server.

PROGRAM is peers.c. The cases make valid and invalid certificates. Prints TAP: one line per case.
"""

import hashlib
import http.server
import itertools
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "deploy/local")]

from kit import pki  # noqa: E402
from kit.mail.door import Door  # noqa: E402
from kit.old_tls import Manners, OldServer  # noqa: E402
from part import slowness  # noqa: E402

HERE = "127.0.0.1"
BUDGET_S = 26  # the tool's 25 s, and the program's start
OAKLEY_2 = ("FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3"
            "CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899F"
            "A5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF")


class Responder(http.server.ThreadingHTTPServer):
    """Returns the OCSP response for the path of each POST."""

    def __init__(self):
        super().__init__((HERE, 0), self.Handler)
        self.answers = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://{HERE}:{self.server_port}/{name}"

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            body = self.server.answers.get(self.path[1:], b"no such answer")
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass


class Bench:
    """Servers and certificates for the cases."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.processes = []
        self.keepers = []
        self.numbers = itertools.count(1)
        self.root = pki.root()
        self.authority = self.root.issue("Tests Authority", ca=True, days=1000)
        self.other = pki.root("Other Root")
        self.responder = Responder()
        self.ca_file = self.write("root.pem", self.root.pem())

    def write(self, name, data):
        path = self.directory / name
        path.write_bytes(data)
        return str(path)

    def leaf(self, **odd):
        return self.authority.issue(HERE, **({"days": 90} | odd))

    def _files(self, leaf, sent):
        name = str(next(self.numbers))
        sent = leaf.sent() if sent is None else sent
        return (self.write(name + ".pem", sent[0].pem()), self.write(name + ".key", leaf.key_pem()),
                self.write(name + "-above.pem", b"".join(each.pem() for each in sent[1:])), len(sent) > 1)

    def _free_port(self):
        """Stays bound, with SO_REUSEADDR and without listening, so that no other case gets it."""
        keeper = socket.socket()
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind((HERE, 0))
        self.keepers.append(keeper)
        return keeper.getsockname()[1]

    def _start(self, port, argv):
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.processes.append(process)
        while process.poll() is None:  # Meson ends a test that waits for ever
            try:
                socket.create_connection((HERE, port), 1).close()
                return port
            except OSError:
                time.sleep(0.02)  # until it listens
        raise RuntimeError(f"{argv[0]} has ended")

    def openssl(self, *options, leaf=None, sent=None):
        certificate, key, above, has_above = self._files(leaf or self.leaf(), sent)
        port = self._free_port()
        return self._start(port, ["openssl", "s_server", "-accept", f"{HERE}:{port}", "-cert", certificate, "-key",
                                  key, *(["-cert_chain", above] if has_above else []), "-quiet", "-www", *(options or ["-cipher", "DEFAULT:@SECLEVEL=0", "-no_tls1", "-no_tls1_1"])])

    def two(self, first, second, *options):
        certificate, key, above, has_above = self._files(second, None)
        extra = ["-dcert", certificate, "-dkey", key, *(["-dcert_chain", above] if has_above else [])]
        return self.openssl("-cipher", "DEFAULT:@SECLEVEL=0", "-no_tls1", "-no_tls1_1", *extra, *options, leaf=first)

    def gnutls(self, priority, leaf=None):
        leaf = leaf or self.leaf()
        certificate, key, _, _ = self._files(leaf, None)
        self.write(Path(certificate).name, b"".join(each.pem() for each in leaf.sent()))
        port = self._free_port()
        return self._start(port, ["gnutls-serv", "-q", "-p", str(port), "--x509certfile", certificate,
                                  "--x509keyfile", key, "--priority", priority, "--disable-client-cert"])

    def old(self, **manners):
        leaf = self.leaf()
        manners.setdefault("certificates", tuple(each.der() for each in leaf.sent()))
        return OldServer(Manners(**manners))

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()


def ids(result):
    return {issue["id"] for issue in result["issues"]}


def names(result, version):
    return {suite["name"] for suite in result["cipher_suites"] if suite["protocol"] == version}


CASES = []


def case(title):
    return lambda function: CASES.append((title, function)) or function


def certificate_case(title, wanted, grade, make, **more):
    """A certificate with its expected issue ids, grade and fields."""
    def run(bench, ask):
        leaf, sent = make(bench)
        result = ask(bench.openssl(leaf=leaf, sent=sent))
        assert wanted <= ids(result), ids(result)
        assert {i for i in ids(result) if i.startswith(("cert-", "must-"))} - {"cert-no-sct"} == wanted, ids(result)
        assert result["grade"] == grade, result["grade"]
        for field, value in more.items():
            assert result[field] == value, (field, result[field])
    CASES.append((title, run))


GOOD = "A+"
certificate_case("a good certificate", set(), GOOD, lambda b: (b.leaf(), None), trusted=True, trust_error=None,
                 hostname_match=True, chain_complete=True, chain_order_ok=True)
certificate_case("expired", {"cert-expired"}, "T", lambda b: (b.leaf(begins=-100), None), trust_error="expired",
                 grade_ignoring_trust=GOOD)
certificate_case("not yet valid", {"cert-not-yet-valid"}, "T", lambda b: (b.leaf(begins=2), None))
certificate_case("expiring soon", {"cert-expiring-soon"}, "A-", lambda b: (b.leaf(begins=-87), None))
certificate_case("another name", {"cert-name-mismatch"}, "M", lambda b: (b.leaf(names=["127.0.0.2"]), None),
                 hostname_match=False)
certificate_case("an address as a DNS name", {"cert-name-mismatch"}, "M",
                 lambda b: (b.leaf(names=["dns.example.com"]), None))
certificate_case("no alternative names", {"cert-name-mismatch", "cert-no-san"}, "M", lambda b: (b.leaf(names=()), None))
certificate_case("self-signed", {"cert-self-signed"}, "T", lambda b: (b.leaf(self_signed=True), None),
                 trust_error="self_signed")
certificate_case("an unknown authority", {"cert-untrusted"}, "T",
                 lambda b: (b.other.issue("x", ca=True).issue(HERE), None), trust_error="unknown_authority")
certificate_case("incomplete", {"cert-chain-incomplete"}, "B",
                 lambda b: (leaf := b.leaf(issuers_url="http://127.0.0.1/ca"), [leaf]), chain_complete=False,
                 trusted=False, trust_error="chain_incomplete")
certificate_case("alone, without issuer information", {"cert-untrusted"}, "T",
                 lambda b: (leaf := b.leaf(), [leaf]))
certificate_case("an extra certificate", {"cert-chain-order"}, GOOD,
                 lambda b: (leaf := b.leaf(), [*leaf.sent(), b.other.issue("y", ca=True)]), chain_order_ok=False)
certificate_case("an unrelated root", {"cert-chain-order"}, GOOD,
                 lambda b: (leaf := b.leaf(), [*leaf.sent(), b.other]), chain_order_ok=False, trusted=True)
certificate_case("an expired intermediate", {"cert-untrusted", "cert-intermediate-expired"}, "T",
                 lambda b: (b.root.issue("Old", ca=True, begins=-100, days=50).issue(HERE, days=90), None),
                 trust_error="expired")
certificate_case("wrong order", {"cert-chain-order"}, GOOD,
                 lambda b: (leaf := b.authority.issue("Second", ca=True).issue(HERE), [leaf, *leaf.above[::-1]]),
                 chain_order_ok=False, trusted=True)
certificate_case("SHA-1", {"cert-weak-signature"}, "T", lambda b: (b.leaf(digest="SHA1"), None))
certificate_case("MD5", {"cert-weak-signature"}, "T", lambda b: (b.leaf(digest="MD5"), None), grade_ignoring_trust="F")
certificate_case("RSA of 1024 bits", {"cert-weak-key"}, "B", lambda b: (b.leaf(key="rsa:1024"), None))
certificate_case("RSA with exponent 3", {"cert-weak-key"}, GOOD, lambda b: (b.leaf(key="rsa:2048/3"), None))
certificate_case("an authority's key of 1024 bits", {"cert-weak-key"}, GOOD,
                 lambda b: (b.authority.issue("Weak", ca=True, key="rsa:1024").issue(HERE), None))
certificate_case("P-256", set(), GOOD, lambda b: (b.leaf(key="ec:SECP256R1"), None))
certificate_case("P-192", {"cert-weak-key"}, "A-", lambda b: (b.leaf(key="ec:SECP192R1"), None))
certificate_case("an authority's", {"cert-ca-leaf"}, GOOD, lambda b: (b.leaf(ca=True, names=[HERE, "127.0.0.9"]), None))
certificate_case("a lifetime too long", {"cert-lifetime-too-long"}, GOOD, lambda b: (b.leaf(days=300), None))
certificate_case("for clients", {"cert-eku"}, "T", lambda b: (b.leaf(eku=[pki.CLIENT_AUTH]), None),
                 grade_ignoring_trust=GOOD)
certificate_case("below an authority for clients", {"cert-eku"}, "T",
                 lambda b: (b.authority.issue("Clients", ca=True, eku=[pki.CLIENT_AUTH]).issue(HERE, days=90), None))
certificate_case("for servers", set(), GOOD, lambda b: (b.leaf(eku=[pki.SERVER_AUTH]), None))
certificate_case("must staple", {"must-staple-missing"}, GOOD, lambda b: (b.leaf(must_staple=True), None))


def second_case(title, wanted, grade, make, **more):
    """A good RSA certificate, and an ECDSA one with its issue ids. The server's order is random."""
    def run(bench, ask):
        for good_first in (True, False):
            pair = [bench.leaf(), make(bench)]
            first, second = pair if good_first else pair[::-1]
            result = ask(bench.two(first, second))
            kinds = [each["key_type"] for each in result["certificates"]]
            bad = [i for i, each in enumerate(result["certificates"]) if each["fingerprint_sha256"] == hashlib.sha256(pair[1].der()).hexdigest()]
            assert len(kinds) == 2 and len(bad) == 1, result["certificates"]
            assert {i for i in ids(result) if i.startswith(("cert-", "must-"))} - {"cert-no-sct"} == wanted, ids(result)
            for issue in result["issues"]:
                if issue["id"] in wanted:
                    assert issue["certificates"] == bad, issue
            assert result["grade"] == grade, result["grade"]
            for field, value in more.items():
                assert result["certificates"][bad[0]][field] == value, (field, result["certificates"])
    CASES.append((title, run))


second_case("two certificates", set(), GOOD, lambda b: b.leaf(key="ec:SECP256R1"), trusted=True, hostname_match=True)
second_case("the second one expired", {"cert-expired"}, "T", lambda b: b.leaf(key="ec:SECP256R1", begins=-100),
            trusted=False, trust_error="expired")
second_case("the second one for another name", {"cert-name-mismatch"}, "M",
            lambda b: b.leaf(key="ec:SECP256R1", names=["127.0.0.2"]), hostname_match=False)
second_case("the second one on a weak curve", {"cert-weak-key"}, GOOD, lambda b: b.leaf(key="ec:SECP192R1"))
second_case("the second one must staple", {"must-staple-missing"}, GOOD,
            lambda b: b.leaf(key="ec:SECP256R1", must_staple=True), must_staple=True)
second_case("the second one of an unknown authority", {"cert-untrusted"}, "T",
            lambda b: b.other.issue("x", ca=True).issue(HERE, days=90, key="ec:SECP256R1"), trusted=False)


@case("an RSA certificate of 1024 bits behind an ECDSA one")
def _(bench, ask):
    result = ask(bench.two(bench.leaf(key="ec:SECP256R1"), bench.leaf(key="rsa:1024")))
    weak = [each["key_bits"] for each in result["certificates"]].index(1024)
    assert [i["certificates"] for i in result["issues"] if i["id"] == "cert-weak-key"] == [[weak]], result["issues"]
    assert result["grade"] == "B", result["grade"]


@case("two certificates below TLS 1.3")
def _(bench, ask):
    result = ask(bench.two(bench.leaf(), bench.leaf(key="ec:SECP256R1"), "-no_tls1_3"))
    assert {each["key_type"] for each in result["certificates"]} == {"RSA", "EC"}, result["certificates"]
    result = ask(bench.openssl())
    assert "certificates" not in result and "addresses" not in result, result
    assert all("certificates" not in issue for issue in result["issues"]), result["issues"]


@case("a DSA key")
def _(bench, ask):
    result = ask(bench.openssl("-cipher", "ALL:@SECLEVEL=0", leaf=bench.leaf(key="dsa:2048")))
    assert "cert-weak-key" in ids(result) and result["certificate"]["key_type"] == "DSA", result
    assert result["tls_version"] == "TLSv1.2", result


@case("OCSP responses of a responder")
def _(bench, ask):
    wanted = {"good": {}, "revoked": {"revoked": True}, "unknown": {"this_update": -9, "next_update": -2}}
    for status, how in wanted.items():
        leaf = bench.leaf(ocsp_url=bench.responder.url(status))
        bench.responder.answers[status] = bench.authority.answer_ocsp(leaf, **how)
        result = ask(bench.openssl(leaf=leaf))
        assert result["ocsp"] == {"stapled": False, "status": status}, (status, result["ocsp"])
        assert ("cert-revoked" in ids(result)) is (status == "revoked")
        assert result["trusted"] is (status != "revoked")
        assert "ocsp-not-stapled" in ids(result)
        assert result["grade"] == ("T" if status == "revoked" else GOOD), result["grade"]
    leaf = bench.leaf(ocsp_url=bench.responder.url("nothing"))
    assert ask(bench.openssl(leaf=leaf))["ocsp"]["status"] == "unknown"
    stranger = bench.other.answer_ocsp(bench.leaf())
    leaf = bench.leaf(ocsp_url=bench.responder.url("stranger"))
    bench.responder.answers["stranger"] = stranger
    assert ask(bench.openssl(leaf=leaf))["ocsp"]["status"] == "unknown"


@case("a stapled OCSP response")
def _(bench, ask):
    for status, revoked in (("good", False), ("revoked", True)):
        leaf = bench.leaf(must_staple=True)
        file = bench.write(f"staple-{status}", bench.authority.answer_ocsp(leaf, revoked=revoked))
        result = ask(bench.openssl("-status_file", file, leaf=leaf))
        assert result["ocsp"] == {"stapled": True, "status": status}, result["ocsp"]
        assert "must-staple-missing" not in ids(result)


@case("OpenSSL, TLS 1.2 and 1.3, the server's order")
def _(bench, ask):
    result = ask(bench.openssl("-serverpref", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-SHA",
                               "-ciphersuites", "TLS_AES_256_GCM_SHA384", "-groups", "P-384:X25519", "-alpn", "h2"))
    assert names(result, "TLSv1.3") == {"TLS_AES_256_GCM_SHA384"}, result["cipher_suites"]
    assert names(result, "TLSv1.2") == {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"}
    assert result["cipher_order"] == "server" and set(result["groups"]) == {"secp384r1", "x25519"}, result["groups"]
    assert result["alpn"] == "h2" and result["protocol"] == result["tls_version"] == "TLSv1.3"
    assert result["secure_renegotiation"] is True and result["fallback_scsv"] is True
    assert result["address"] == HERE and len(result["chain"]) == 2


@case("OpenSSL, TLS 1.3 alone")
def _(bench, ask):
    result = ask(bench.openssl("-tls1_3"))
    assert result["protocols"] == {"SSLv2": False, "SSLv3": False, "TLSv1.0": False, "TLSv1.1": False,
                                   "TLSv1.2": False, "TLSv1.3": True}, result["protocols"]
    assert result["secure_renegotiation"] is None and result["fallback_scsv"] is None
    assert result["grade"] == GOOD and result["trusted"], result["grade"]


@case("OpenSSL, TLS 1.0 to 1.2")
def _(bench, ask):
    result = ask(bench.openssl("-cipher", "ALL:@SECLEVEL=0", "-no_tls1_3", "-legacy_renegotiation"))
    assert {v for v, on in result["protocols"].items() if on} == {"TLSv1.0", "TLSv1.1", "TLSv1.2"}, result["protocols"]
    assert {"protocol-tls10", "protocol-tls11", "no-tls13", "beast"} <= ids(result), ids(result)
    assert "cipher-anonymous" in ids(result) and result["grade"] == "F", result["grade"]


@case("OpenSSL requests a client certificate")
def _(bench, ask):
    for version in ("-tls1_2", "-tls1_3"):
        result = ask(bench.openssl(version, "-Verify", "1"))
        assert "client-cert-required" in ids(result), (version, ids(result))


@case("OpenSSL with DH of 1536 bits")
def _(bench, ask):
    dh = bench.directory / "dh.pem"
    subprocess.run(["openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:modp_1536", "-out", dh],
                   check=True, capture_output=True)
    result = ask(bench.openssl("-tls1_2", "-dhparam", str(dh), "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"))
    assert result["dh_bits"] == 1536 and {"weak-dh", "common-dh-prime"} <= ids(result), ids(result)
    assert result["grade"] == "B", result["grade"]
    assert result["scores"]["key_exchange"] == 80


@case("GnuTLS with RC4, 3DES, no encryption and no authentication")
def _(bench, ask):
    result = ask(bench.gnutls("NONE:+VERS-TLS1.0:+VERS-TLS1.2:+ARCFOUR-128:+3DES-CBC:+NULL:+AES-128-GCM:+SHA1:+AEAD:"
                              "+RSA:+DHE-RSA:+ANON-DH:+ANON-ECDH:+ECDHE-RSA:+SIGN-ALL:+CURVE-ALL:+COMP-NULL:"
                              "%SERVER_PRECEDENCE"))
    assert {"cipher-rc4", "cipher-3des", "cipher-null", "cipher-anonymous", "sweet32"} <= ids(result), ids(result)
    assert result["grade_ignoring_trust"] == "F", result["grade"]
    assert {v for v, on in result["protocols"].items() if on} == {"TLSv1.0", "TLSv1.2"}, result["protocols"]
    assert "TLS_RSA_WITH_RC4_128_SHA" in names(result, "TLSv1.0")


@case("GnuTLS with its defaults")
def _(bench, ask):
    result = ask(bench.gnutls("NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"))
    assert {v for v, on in result["protocols"].items() if on} == {"TLSv1.2", "TLSv1.3"}, result["protocols"]
    assert {"TLS_AES_128_CCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"} <= names(result, "TLSv1.3")
    primes = {"ffdhe2048", "ffdhe3072", "ffdhe4096", "ffdhe6144", "ffdhe8192"}
    assert {"x25519", "secp256r1", "secp384r1", "secp521r1"} | primes <= set(result["groups"]), result["groups"]


@case("the longest primes of RFC 7919 alone, in each version")
def _(bench, ask):
    result = ask(bench.openssl("-tls1_3", "-groups", "ffdhe6144:ffdhe8192"))
    assert set(result["groups"]) == {"ffdhe6144", "ffdhe8192"}, result["groups"]
    assert "weak-dh" not in ids(result), ids(result)
    result = ask(bench.gnutls("NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+DHE-RSA:-GROUP-ALL:+GROUP-FFDHE8192"))
    assert result["dh_bits"] == 8192, result["dh_bits"]
    assert names(result, "TLSv1.2"), result["cipher_suites"]


@case("groups of a server without common suites")
def _(bench, ask):
    groups = {"secp256r1", "secp384r1"}
    for cipher in ("ECDHE-RSA-CAMELLIA128-SHA256", "ECDHE-RSA-NULL-SHA:AES128-SHA", "AECDH-AES128-SHA"):
        result = ask(bench.openssl("-tls1_2", "-groups", "P-256:P-384", "-cipher", cipher + ":@SECLEVEL=0"))
        assert set(result["groups"]) == groups, (cipher, result["groups"])
    result = ask(bench.openssl("-tls1_2", "-cipher", "ECDHE:@SECLEVEL=0", "-groups", "P-256:P-384",
                               leaf=bench.leaf(key="ec:SECP256R1")))
    assert set(result["groups"]) == groups, result["groups"]


@case("CCM alone, in each version")
def _(bench, ask):
    result = ask(bench.gnutls("NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-128-CCM"))
    assert names(result, "TLSv1.3") == {"TLS_AES_128_CCM_SHA256"}, result["cipher_suites"]
    assert result["trusted"] and result["grade"] == GOOD, (result["grade"], result["grade_limits"])
    result = ask(bench.openssl("-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_8_SHA256", "-cipher",
                               "DEFAULT:@SECLEVEL=0"))
    assert result["trusted"] and result["grade"] == GOOD, (result["grade"], result["grade_limits"])
    for cipher in ("DHE-RSA-AES128-CCM", "DHE-RSA-AES256-CCM8", "AES128-CCM", "ARIA128-GCM-SHA256"):
        result = ask(bench.openssl("-tls1_2", "-cipher", cipher + ":@SECLEVEL=0"))
        assert "version-intolerance" not in ids(result), (cipher, ids(result))
        assert result["protocol"] == result["tls_version"] == "TLSv1.2", (cipher, result["protocol"])


@case("no certificate, and the reason for an F")
def _(bench, ask):
    result = ask(bench.openssl("-tls1_2", "-nocert", "-cipher", "aNULL:@SECLEVEL=0"))
    limits = {limit["issue"] for limit in result["grade_limits"] if limit["grade"] == "F"}
    assert result["grade"] == "F" and {"cipher-anonymous", "cert-not-seen"} <= limits, result["grade_limits"]


@case("attacks not tried and not possible")
def _(bench, ask):
    def attacks(result):
        return {attack["id"]: attack["status"] for attack in result["attacks"]}
    modern = attacks(ask(bench.openssl("-tls1_3")))
    assert set(modern.values()) == {"not_possible"} and len(modern) == 4, modern
    forward = attacks(ask(bench.old(suites={0xC02F: "ec:23"}).port))
    assert forward["heartbleed"] == forward["robot"] == "not_possible", forward
    assert forward["ccs-injection"] == forward["ticketbleed"] == "not_tried", forward
    old = attacks(ask(bench.old(suites={0xC02F: "ec:23", 0x002F: None}, heartbeat=True).port))
    assert set(old.values()) == {"not_tried"}, old


@case("mail servers with STARTTLS")
def _(bench, ask):
    behind = bench.openssl()
    for protocol in ("smtp", "imap", "pop3"):
        door = Door(protocol, behind, drips=protocol == "smtp")
        result = ask(door.port, starttls=protocol)
        assert result["starttls"] == protocol and result["grade"] == GOOD, result.get("grade", result)
        assert result["protocols"]["TLSv1.2"] and result["protocols"]["TLSv1.3"] and "partial" not in result, result
        assert result["hsts"] is None and result["cipher_suites"], result["hsts"]
        assert 10 < door.connections <= 128, door.connections
        words = {word.split()[-1] if protocol == "imap" else word.split()[0] for word in door.heard}
        assert words == {"smtp": {b"EHLO", b"STARTTLS"}, "imap": {b"STARTTLS"}, "pop3": {b"STLS"}}[protocol], words


@case("mail servers without STARTTLS, and other servers")
def _(bench, ask):
    behind = bench.openssl()
    for protocol in ("smtp", "imap", "pop3"):
        assert ask(Door(protocol, behind, refuses=True).port, starttls=protocol) == {
            "error": "target_tls_failure", "strays": 0}, protocol
    for greeting in (b"554 no\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"220 " + b"x" * 2000, b"220-\r\n" * 200,
                     b"2200 ready\r\n", b"\0\r\n"):
        door = Door("smtp", behind, greeting=greeting)
        assert ask(door.port, starttls="smtp")["error"] == "target_tls_failure", greeting
        assert not door.heard, door.heard
    assert ask(behind, starttls="none")["starttls"] is None
    assert ask(Door("imap", behind, greeting=b"* PREAUTH in\r\n").port, starttls="imap")["error"] == "target_tls_failure"


@case("GnuTLS without secure renegotiation")
def _(bench, ask):
    result = ask(bench.gnutls("NORMAL:-VERS-TLS1.3:-VERS-TLS1.1:-VERS-TLS1.0:%DISABLE_SAFE_RENEGOTIATION"))
    assert "insecure-renegotiation" in ids(result) and result["grade"] == "A-", (ids(result), result["grade"])


@case("SSL 2.0 and 3.0, export suites")
def _(bench, ask):
    server = bench.old(versions=(0x0300, 0x0301), ssl2=(0x010080, 0x020080),
                       suites={0x0004: None, 0x0003: "rsa:512", 0x0014: "dh:512", 0x000A: None})
    result = ask(server.port)
    assert {"protocol-sslv2", "protocol-sslv3", "drown", "poodle", "freak", "logjam", "cipher-export", "weak-dh",
            "no-tls12"} <= ids(result), ids(result)
    assert result["protocol"] == result["tls_version"] == "TLSv1.0", result["protocol"]
    assert names(result, "SSLv2") == {"SSL_CK_RC4_128_WITH_MD5", "SSL_CK_RC4_128_EXPORT40_WITH_MD5"}
    assert len(names(result, "SSLv3")) == len(names(result, "TLSv1.0")) == 4
    assert result["dh_bits"] == 512 and result["trusted"] and result["grade"] == "F", result["grade"]


@case("SSL 2.0 alone")
def _(bench, ask):
    result = ask(bench.old(versions=(), ssl2=(0x0700C0,)).port)
    assert result["protocol"] == result["tls_version"] == "SSLv2" and result["grade"] == "F"
    assert result["score"] == 0


@case("SSL 3.0 alone, its certificate in plaintext")
def _(bench, ask):
    result = ask(bench.old(versions=(0x0300,), suites={0x002F: None}, renegotiation=False).port)
    assert result["tls_version"] == "SSLv3" and result["certificate"]["sans"] == [HERE], result
    assert {"insecure-renegotiation", "poodle"} <= ids(result) and result["grade"] == "F"


@case("a common prime, a weak curve, a custom curve")
def _(bench, ask):
    result = ask(bench.old(suites={0x009E: "dh:" + OAKLEY_2, 0xC02F: "ec:16"}).port)
    assert {"common-dh-prime", "logjam", "weak-dh", "weak-curve"} <= ids(result), ids(result)
    detail = next(i["detail"] for i in result["issues"] if i["id"] == "common-dh-prime")
    assert "Oakley group 2" in detail, detail
    result = ask(bench.old(suites={0xC02F: "own-curve"}).port)
    assert "weak-curve" in ids(result)


@case("compression, heartbeat, fallback ignored, a client certificate")
def _(bench, ask):
    result = ask(bench.old(versions=(0x0302, 0x0303), compression=True, heartbeat=True, fallback=False,
                           asks_certificate=True, suites={0xC013: "ec:23"}).port)
    assert {"compression-enabled", "heartbeat-extension", "no-fallback-scsv", "client-cert-required",
            "cipher-cbc-only"} <= ids(result), ids(result)
    assert result["compression"] and result["heartbeat_extension"] and result["fallback_scsv"] is False


@case("suite preference")
def _(bench, ask):
    suites = {0x009C: None, 0xC02F: "ec:23", 0xC013: "ec:23"}
    result = ask(bench.old(suites=suites).port)
    assert result["cipher_order"] == "server" and "no-forward-secrecy" in ids(result), ids(result)
    result = ask(bench.old(suites=suites, server_order=False).port)
    assert result["cipher_order"] == "client" and "no-forward-secrecy" not in ids(result), ids(result)
    assert len(result["cipher_suites"]) == 3


@case("a version-intolerant server")
def _(bench, ask):
    result = ask(bench.old(versions=(0x0301, 0x0303), hates_versions_extension=True).port)
    assert "version-intolerance" in ids(result) and result["tls_version"] == "TLSv1.2", ids(result)


@case("a server that drops long hellos")
def _(bench, ask):
    result = ask(bench.old(longest_hello=255, suites={0xC02F: "ec:23", 0x002F: None, 0x000A: None}).port)
    assert result["protocols"]["TLSv1.2"], result["protocols"]
    assert {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_3DES_EDE_CBC_SHA"} <= names(result, "TLSv1.2")


@case("a server that does not respond to some suites")
def _(bench, ask):
    result = ask(bench.old().port)
    assert "partial" not in result, result
    result = ask(bench.old(silent_about=(0xC004,)).port)  # ECDH with the certificate's key
    assert result.get("partial") is True and names(result, "TLSv1.2") == {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"}, result


@case("128 connections at most")
def _(bench, ask):
    suites = {suite: None for suite in (0x0001, 0x0002, 0x0004, 0x0005, 0x0007, 0x0009, 0x000A, 0x002F, 0x0035, 0x0041,
                                        0x0084, 0x0096, 0x009C, 0x009D, 0x003C, 0x003D)}
    suites |= {suite: "ec:23" for suite in range(0xC010, 0xC01A)}
    suites |= {suite: "dh:2048" for suite in (0x0015, 0x0016, 0x0033, 0x0039, 0x0045, 0x0088, 0x009A)}
    server = bench.old(versions=(0x0300, 0x0301, 0x0302, 0x0303), suites=suites)
    result = ask(server.port)
    assert result.get("partial") is True and server.connections <= 128, server.connections
    assert "cipher-null" in ids(result) and result["cipher_order"] == "server"


def refusal_case(title, misbehaves):
    """The first connections, about eight, show that it is no TLS server; no others are made."""
    def run(bench, ask):
        server = bench.old(misbehaves=misbehaves)
        began = time.monotonic()
        result = ask(server.port)
        assert result.get("error") == "target_tls_failure", result
        assert server.connections <= 16, server.connections
        assert time.monotonic() - began < BUDGET_S * slowness(), time.monotonic() - began
    CASES.append((title, run))


refusal_case("another protocol", "garbage")
refusal_case("endless warnings", "storm")
refusal_case("endless records", "endless")
refusal_case("wrong lengths", "lengths")
refusal_case("slowly sent bytes", "drip")


@case("silence, and six parallel connections")
def _(bench, ask):
    server = bench.old(misbehaves="silence")
    began, samples = time.monotonic(), []
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask, server.port)
        while not answer.done():
            samples.append(server.at_once)
            threading.Event().wait(0.1)  # between samples; each connection lasts for seconds
    assert answer.result()["error"] == "target_tls_failure", answer.result()
    assert time.monotonic() - began < BUDGET_S * slowness()
    assert statistics.mode(samples) == 6, samples


@case("closed port")
def _(bench, ask):
    with socket.create_server((HERE, 0)) as probe:
        port = probe.getsockname()[1]
    assert ask(port) == {"error": "target_refused", "strays": 0}


def main(program):
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(directory)
        environment = dict(os.environ, TOLLGATE_EGRESS_ALLOW="127.0.0.0/8", TOLLGATE_EGRESS_ONLY="127.0.0.0/8",
                           TOLLGATE_EGRESS_PORTS="*", TOLLGATE_EGRESS_CA_FILE=bench.ca_file)

        def ask(port, **more):
            done = subprocess.run([program, json.dumps({"host": HERE, "port": port} | more)], env=environment,
                                  capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stderr
            result = json.loads(done.stdout.splitlines()[-1])
            assert result["strays"] == 0
            return result

        def run(numbered):
            number, (title, function) = numbered
            try:
                function(bench, ask)
                return f"ok {number} - {title}"
            except Exception as error:  # cases are independent
                return f"not ok {number} - {title}: {type(error).__name__} {str(error)[:600]}"

        print(f"1..{len(CASES)}")
        try:
            with ThreadPoolExecutor(12) as pool:
                lines = list(pool.map(run, enumerate(CASES, 1)))
        finally:
            bench.stop()
        print("\n".join(lines))
        return any(line.startswith("not") for line in lines)


if __name__ == "__main__":
    if not shutil.which("gnutls-serv"):
        sys.exit("gnutls-serv is missing: scripts/packages test")
    sys.exit(main(sys.argv[1]))
