"""tests/check/tls-tools/programs.py - run tls-check, testssl.sh and sslscan on a server."""

import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TIMEOUT_S = 1800  # testssl.sh takes up to 640 s on a busy machine
TLS_CHECK = "tests/unit/svc_security_tls_check_peers"


def run_tls_check(build, place, ca_file):
    """Its result."""
    environment = dict(os.environ, TOLLGATE_EGRESS_RESOLVER="system", TOLLGATE_EGRESS_ALLOW="127.0.0.0/8",
                       TOLLGATE_EGRESS_ONLY="127.0.0.0/8", TOLLGATE_EGRESS_PORTS="*", TOLLGATE_EGRESS_CA_FILE=ca_file)
    said = subprocess.run([Path(build) / TLS_CHECK, json.dumps({"host": place.name, "port": place.port})], check=True,
                          env=environment, capture_output=True, text=True, timeout=TIMEOUT_S).stdout
    return json.loads(said.splitlines()[-1])


def run_testssl(place, ca_file, parts, directory):
    """{id: [findings]}"""
    path = Path(directory) / f"testssl-{place.name}.json"
    subprocess.run(["testssl", "--quiet", "--color", "0", "--warnings", "off", "--nodns", "none", "--ip", place.address,
                    "--mapping", "iana", "--connect-timeout", "20", "--openssl-timeout", "20", "--add-ca", ca_file,
                    "--jsonfile", path, *parts, f"https://{place.name}:{place.port}"],
                   stdin=subprocess.DEVNULL, capture_output=True, cwd=directory, timeout=TIMEOUT_S)
    findings = {}
    for each in json.loads(path.read_text()):
        findings.setdefault(each["id"], []).append(each["finding"])
    return findings


def run_sslscan(place, directory):
    """The document, and what it prints about the stapled response."""
    path = Path(directory) / f"sslscan-{place.name}.xml"
    said = subprocess.run(["sslscan", "--no-colour", "--show-certificate", "--ocsp", "--timeout=3", f"--xml={path}",
                           f"{place.name}:{place.port}"], check=True, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", timeout=TIMEOUT_S).stdout
    return ElementTree.fromstring(path.read_bytes()), said
