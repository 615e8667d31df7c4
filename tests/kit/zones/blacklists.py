"""tests/kit/zones/blacklists.py - the lists of email-blacklist-check in the tests' internet: a zone
for each of lists.yaml.

A list has its test points and the entries in LISTED. Some misbehave:

    InterServer        lists everything
    GBUdb Truncate     lists nothing, not even its test point
    SWINOG             never responds: its server is flaky_dns.py, which ignores it
    SWINOG URI         REFUSED for every query
    those with a key   list everything, too: no query without a key may reach them
"""

import ipaddress
from pathlib import Path

import yaml

LISTS = Path(__file__).resolve().parents[3] / "svc-email" / "blocklists" / "lists.yaml"
EVERYTHING = {"interserver"}
NOTHING = {"truncate"}
SILENT = {"swinog"}
REFUSING = {"swinog-uri"}

# (list, listed name): addresses in the response, and the list's text
LISTED = {
    ("spamcop", "93.184.216.30"): (["127.0.0.2"], "Blocked, see https://example.com/93.184.216.30"),
    ("dronebl", "93.184.216.30"): (["127.0.0.8", "127.0.0.13"], None),
    ("psbl", "93.184.216.31"): (["127.255.255.254"], None),
    ("nordspam", "93.184.216.31"): (["127.0.0.99"], None),
    ("zapbl", "93.184.216.31"): (["203.0.113.5"], None),
    ("sem", "93.184.216.31"): (["127.0.0.1"], None),
    ("efnetrbl", "93.184.216.32"): (["127.0.0.1"], None),
    ("blocklist-de", "2606:4700::1111"): (["127.0.0.12"], None),
    ("sem-uri", "listed-harbour.net"): (["127.0.0.2"], "seen in spam"),
    ("sem-fresh15", "listed-harbour.net"): (["127.0.0.2"], None),
}


def label_of(target):
    """The records of every zone."""
    try:
        address = ipaddress.ip_address(target)
    except ValueError:
        return target
    return address.reverse_pointer.removesuffix(".in-addr.arpa").removesuffix(".ip6.arpa")


def test_points(row):
    answer = next(iter(row.get("codes") or row.get("not_listed") or {"127.0.0.2": ""})).partition("-")[0]
    points = {"ipv4": label_of("127.0.0.2"), "ipv6": label_of("::ffff:7f00:2"),
              "domain": row.get("test", ["test"])[0]}
    return [f"{points[kind]} A {answer}" for kind in row["kind"]]


def records(row):
    if row["terms"] == "key" or row["id"] in EVERYTHING:
        return ["* A 127.0.0.2"]
    lines = [] if row["id"] in NOTHING else test_points(row)
    for (name, target), (answers, text) in LISTED.items():
        if name == row["id"]:
            lines += [f"{label_of(target)} A {answer}" for answer in answers]
            lines += [f'{label_of(target)} TXT "{text}"'] if text else []
    return lines


def zones():
    """(zone, its records, more options for named.conf)"""
    for row in yaml.safe_load(LISTS.read_text()):
        if row["id"] not in SILENT:
            yield row["zone"], records(row), "allow-query { none; };" if row["id"] in REFUSING else ""


def delegations():
    """Lines of the root zone."""
    for row in yaml.safe_load(LISTS.read_text()):
        if row["id"] in SILENT:
            yield f"{row['zone']}. NS ns.fickle-name.com."
