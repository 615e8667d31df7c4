#!/usr/bin/python3
"""Compare the Debian packages of images with Debian's security tracker:

    check.py [--accepted FILE] TRACKER [LIST...]

TRACKER is https://security-tracker.debian.org/tracker/data/json, which you download (about 90 MB).
Its age is the time since its last modification, at most 30 days. Each LIST is a CycloneDX document
of deploy/docker/release. Without a list, only the tracker's file is checked.

A vulnerability of an installed version is a problem if Debian has fixed it in a later version, or
has not fixed it and does not call it minor (no DSA, or unimportant). The file of accepted ones
names those that cannot be reached; it does not apply once there is a fixed version.

Exit status: 0, 1 for problems, 2 if the files cannot be used. Needs python3-apt and python3-yaml.
"""

import argparse
import json
import re
import sys
import time
from pathlib import Path
from urllib.parse import unquote

import apt_pkg
import yaml

RELEASE = "bookworm"
AGE_MAX_DAYS = 30
DAY_S = 86400
UPSTREAM = re.compile(r"[?&]upstream=([^&]+)")
ACCEPTED_KEYS = {"cve", "source", "since", "reason"}


class Unusable(Exception):
    """A file that says nothing about the packages."""


def read(path, parse):
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise Unusable(f"{path}: {error}") from None


def read_tracker(path, now_s):
    """{source package: {CVE: its state in RELEASE}}"""
    tracker = read(path, json.loads)
    age_days = (now_s - path.stat().st_mtime) / DAY_S
    if age_days > AGE_MAX_DAYS:
        raise Unusable(f"{path}: {age_days:.0f} days old, more than {AGE_MAX_DAYS}; download it again")
    if age_days < -1:
        raise Unusable(f"{path}: its time is in the future; download it again")
    try:
        states = {source: {cve: dict(row["releases"][RELEASE]) for cve, row in rows.items()
                           if RELEASE in row["releases"]} for source, rows in tracker.items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise Unusable(f"{path}: not the tracker's data") from None
    if not states.get("glibc"):  # every image has it, and every release has vulnerabilities of it
        raise Unusable(f"{path}: has no vulnerabilities of glibc in {RELEASE}; the file is incomplete")
    return states


def read_list(path):
    """The (source package, its version) of a list."""
    document = read(path, json.loads)
    try:
        found = {tuple(unquote(UPSTREAM.search(item["purl"])[1]).rsplit("@", 1)) for item in document["components"]}
    except (KeyError, TypeError):
        raise Unusable(f"{path}: not a list of deploy/docker/release") from None
    if not found:
        raise Unusable(f"{path}: has no package")
    return found


def read_accepted(path):
    """{(source package, CVE)}"""
    rows = read(path, yaml.safe_load)
    for row in rows or []:
        if not isinstance(row, dict) or set(row) != ACCEPTED_KEYS or not all(row.values()):
            raise Unusable(f"{path}: each item has {', '.join(sorted(ACCEPTED_KEYS))}: {row}")
    return {(row["source"], row["cve"]) for row in rows or []}


def judge(state, version):
    """(problem or None, is minor) of a vulnerability and an installed version."""
    fixed, status = state.get("fixed_version"), state.get("status")
    if fixed or status == "resolved":  # "0": the release was never affected
        is_fixed = not fixed or apt_pkg.version_compare(version, fixed) >= 0
        return (None, False) if is_fixed else (f"fixed in {fixed}", False)
    is_minor = status == "undetermined" or "nodsa" in state or state.get("urgency") == "unimportant"
    return "not fixed by Debian", is_minor


def compare(packages, states, accepted):
    """(problems, number of minor ones, the accepted ones that were met); packages: {(source,
    version): names of lists}"""
    problems, minor, met = [], 0, set()
    for (source, version), names in sorted(packages.items()):
        for cve, state in sorted(states.get(source, {}).items()):
            problem, is_minor = judge(state, version)
            is_accepted = (source, cve) in accepted and problem and not problem.startswith("fixed")
            if is_accepted:
                met.add((source, cve))
            elif is_minor:
                minor += 1
            elif problem:
                problems.append(f"{source} {version}: {cve}: {problem} ({', '.join(sorted(names))})")
    return problems, minor, met


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--accepted", type=Path, default=Path(__file__).with_name("accepted.yaml"))
    parser.add_argument("tracker", type=Path)
    parser.add_argument("lists", type=Path, nargs="*")
    options = parser.parse_args()
    apt_pkg.init_system()
    try:
        states = read_tracker(options.tracker, time.time())
        accepted = read_accepted(options.accepted)
        packages = {}
        for path in options.lists:
            for package in read_list(path):
                packages.setdefault(package, set()).add(path.name.removesuffix(".cdx.json"))
    except Unusable as error:
        print(f"advisories: {error}", file=sys.stderr)
        return 2
    problems, minor, met = compare(packages, states, accepted)
    for problem in problems:
        print(f"advisories: {problem}", file=sys.stderr)
    if options.lists:
        print(f"advisories: {len(packages)} source packages: {len(problems)} problems, {len(met)} accepted, "
              f"{minor} minor")
        for source, cve in sorted(accepted - met):
            print(f"advisories: {cve} of {source} no longer needs to be accepted")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
