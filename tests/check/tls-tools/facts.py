"""tests/check/tls-tools/facts.py - what each program found, in the same words.

A reader returns {fact: value}. A value is a boolean, a text, a number or a sorted list. A fact that
a program does not report is missing. Suites and groups are one fact each, such as "TLSv1.2 0xC02F",
and `scopes` names those that the program has looked for, so that one it does not list is False.
"""

import base64
import hashlib
import re
from datetime import datetime

VERSIONS = ("SSLv2", "SSLv3", "TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3")
ATTACKS = {"poodle": "POODLE_SSL", "sweet32": "SWEET32", "freak": "FREAK", "logjam": "LOGJAM", "beast": "BEAST",
           "drown": "DROWN", "cipher-rc4": "RC4"}
# the part of testssl.sh that finds a fact; the certificate's are found by -S
PARTS = {"alpn": "-p", "order": "-P", "secure renegotiation": "-R", "compression": "-C", "fallback": "-Z",
         "poodle": "-O", "sweet32": "-W", "freak": "-F", "logjam": "-J", "beast": "-A", "drown": "-D",
         "cipher-rc4": "-4", "dh bits": None, "hsts": "-h", "hsts seconds": "-h", "hsts subdomains": "-h",
         "hsts preload": "-h"}


def is_part_run(fact, parts):
    """Whether testssl.sh looked for a fact, with these options."""
    return ("-p" if fact in VERSIONS else PARTS.get(fact, "-S")) in parts


def listed(facts, scope, items):
    for item in items:
        facts[f"{scope} {item}"] = True
    facts.setdefault("scopes", set()).add(scope)


# ---- tls-check ----

def read_tls_check(result):
    facts = dict(result["protocols"])
    for version in VERSIONS:
        listed(facts, version, {suite["id"] for suite in result["cipher_suites"] if suite["protocol"] == version})
    listed(facts, "group", result["groups"])
    facts |= {"order": result["cipher_order"], "alpn": result["alpn"], "dh bits": result["dh_bits"],
              "secure renegotiation": result["secure_renegotiation"], "compression": result["compression"],
              "fallback": result["fallback_scsv"], "heartbeat": result["heartbeat_extension"]}
    ids = {issue["id"] for issue in result["issues"]}
    facts |= {attack: attack in ids for attack in ATTACKS}
    leaf = result["certificate"]
    several = result.get("certificates", [leaf])
    facts |= {"keys": sorted(f"{each['key_type']} {each['key_bits']}" for each in several),
              "signatures": sorted(each["signature"] for each in several),
              "fingerprints": sorted(each["fingerprint_sha256"] for each in several),
              "not after": sorted(each["not_after"][:16].replace("T", " ") for each in several),
              "expired": "cert-expired" in ids, "self-signed": "cert-self-signed" in ids,
              "trusted": result["trusted"], "name": result["hostname_match"], "must-staple": leaf["must_staple"],
              "certificates sent": len(result["chain"]), "stapled": result["ocsp"]["stapled"],
              "chain order": result["chain_order_ok"]}
    hsts = result["hsts"] or {}
    if hsts:
        facts |= {"hsts": hsts["present"], "hsts seconds": hsts["max_age"], "hsts subdomains": hsts["include_subdomains"],
                  "hsts preload": hsts["preload"]}
    return facts


# ---- testssl.sh ----

TESTSSL_VERSIONS = {"SSLv2": "SSLv2", "SSLv3": "SSLv3", "TLS1": "TLSv1.0", "TLS1_1": "TLSv1.1", "TLS1_2": "TLSv1.2",
                    "TLS1_3": "TLSv1.3"}
# nothing else: with one suite, its order cannot be determined
ORDERS = {"server": "server", "NOT a cipher order configured": "client"}
SIGNATURES = {"SHA256 with RSA": "sha256WithRSAEncryption", "SHA1 with RSA": "sha1WithRSAEncryption",
              "ECDSA with SHA256": "ecdsa-with-SHA256"}


def all_of(findings, name):
    """The findings of an id, of all certificates."""
    return [finding for key, several in findings.items() if key.split(" <")[0] == name for finding in several]


def read_testssl(findings, parts, names):
    """`parts` are its options, `names` {registry's name: id} of the suites."""
    facts = {"scopes": set()}

    def first(name):
        return next(iter(all_of(findings, name)), None)

    def put(fact, name, judge):
        if first(name) is not None:
            facts[fact] = judge(first(name))

    if "-p" in parts:
        for theirs, version in TESTSSL_VERSIONS.items():
            facts[version] = (first(theirs) or "").startswith(("offered", "vulnerable"))
        # HTTP/2 is a separate finding, and the server's choice when both are offered
        facts["alpn"] = (first("ALPN_HTTP2") or first("ALPN") or "").replace("not offered", "")
    if "-E" in parts:
        for theirs, version in TESTSSL_VERSIONS.items():
            found = [re.match(rf"cipher-{theirs.lower()}_x([0-9a-f]+)$", key) for key in findings]
            listed(facts, version, {f"0x{int(each[1], 16):04X}" for each in found if each})
    if "-P" in parts:
        put("order", "cipher_order", ORDERS.get)
        for version in VERSIONS:
            said = first("cipherorder_" + version.replace(".", "_").replace("1_0", "1"))
            if said:
                listed(facts, version, {names.get(name, name) for name in said.split()})
    put("secure renegotiation", "secure_renego", lambda said: {"supported": True, "TLS 1.3 only server": None}.get(said, said))
    put("compression", "CRIME_TLS", lambda said: said.startswith("VULNERABLE"))
    put("fallback", "fallback_SCSV", lambda said: False if said.startswith("NOT") else {"supported": True}.get(said, said))
    for ours, theirs in ATTACKS.items():
        put(ours, theirs, lambda said: not said.lower().startswith("not "))
    if "-S" in parts:
        read_testssl_certificate(facts, findings, first, put)
    if "-h" in parts and first("HSTS_time") is None:
        facts |= {"hsts": False, "hsts seconds": 0, "hsts subdomains": False, "hsts preload": False}
    put("hsts seconds", "HSTS_time", lambda said: int(re.search(r"=(\d+)", said)[1]))
    put("hsts", "HSTS_time", lambda said: True)
    put("hsts subdomains", "HSTS_subdomains", lambda said: said.startswith("includes"))
    put("hsts preload", "HSTS_preload", lambda said: "IS" in said)
    return facts


def read_testssl_certificate(facts, findings, first, put):
    facts["heartbeat"] = "heartbeat" in (first("TLS_extensions") or "")
    facts["keys"] = sorted(" ".join(said.split()[:2]) for said in all_of(findings, "cert_keySize"))
    facts["signatures"] = sorted(SIGNATURES.get(said, said) for said in all_of(findings, "cert_signatureAlgorithm"))
    facts["fingerprints"] = sorted(said.lower() for said in all_of(findings, "cert_fingerprintSHA256"))
    facts["not after"] = sorted(all_of(findings, "cert_notAfter"))
    put("expired", "cert_expirationStatus", lambda said: said.startswith("expired"))
    put("trusted", "cert_chain_of_trust", lambda said: said.startswith("passed"))
    put("self-signed", "cert_chain_of_trust", lambda said: "self signed" in said)
    put("name", "cert_trust", lambda said: said.startswith("Ok"))
    put("must-staple", "cert_mustStapleExtension", lambda said: said != "--")
    put("certificates sent", "certs_countServer", int)
    put("chain order", "certs_list_ordering_problem", lambda said: said == "no")
    put("stapled", "OCSP_stapling", lambda said: said.startswith("offered"))


# ---- sslscan ----

def read_sslscan(document, said):
    facts = {}
    for each in document.iter("protocol"):
        facts[each.get("type").upper() + "v" + each.get("version")] = each.get("enabled") == "1"
    for version in VERSIONS[2:]:
        listed(facts, version, {each.get("id") for each in document.iter("cipher") if each.get("sslversion") == version})
    listed(facts, "group", {each.get("name").split()[0] for each in document.iter("group")})
    for each in document.iter("renegotiation"):
        facts["secure renegotiation"] = each.get("secure") == "1"
    if "TLS Fallback SCSV" in said.replace("TLS Fallback SCSV:", ""):
        facts["fallback"] = "Server supports TLS Fallback SCSV" in said
    primes = [int(each.get("dhebits")) for each in document.iter("cipher") if each.get("dhebits")]
    facts["dh bits"] = min(primes, default=None)
    facts["stapled"] = "OCSP Response Status: successful" in said
    # an anonymous suite has an element without content
    full = [each for each in document.iter("certificate") if each.findtext("certificate-blob")]
    short = [each for each in document.iter("certificate") if each.findtext("self-signed")]
    if short:
        facts["keys"] = sorted(f"{pk.get('type')} {pk.get('bits')}" for each in short for pk in each.iter("pk"))
        facts["signatures"] = sorted(each.findtext("signature-algorithm").strip() for each in short)
        facts["not after"] = sorted(datetime.strptime(each.findtext("not-valid-after"), "%b %d %H:%M:%S %Y GMT")
                                    .strftime("%Y-%m-%d %H:%M") for each in short)
        facts["fingerprints"] = sorted(hashlib.sha256(base64.b64decode("".join(
            each.findtext("certificate-blob").split("\n")[2:-2]))).hexdigest() for each in full)
        facts["expired"] = any(each.findtext("expired") == "true" for each in short)
        facts["self-signed"] = any(each.findtext("self-signed") == "true" for each in short)
    return facts
