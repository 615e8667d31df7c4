"""tests/check/tls-tools/tls-tools.py - tls-check, testssl.sh and sslscan on the same servers.

The servers (servers.py) and the programs run in a new network namespace, which has loopback alone
and a separate /etc/hosts: no program reaches a public address, whatever it looks up. facts.py puts
what each program found into the same words, and each fact of the two others is compared with that
of tls-check. A difference must be one of KNOWN (known.py), each of which must occur.

Run by `make check`. testssl.sh needs one to ten minutes for a server, and the whole 25 minutes
on two busy processors. With --only, KNOWN may have more than occurs.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import facts  # noqa: E402
import programs  # noqa: E402
from known import KNOWN, NOT_REPORTED  # noqa: E402
from servers import SERVERS, Servers, place_of  # noqa: E402

INSIDE = "TLS_TOOLS_INSIDE"  # set in the namespace
SERVERS_MIN, FACTS_MIN = 20, 1200
AT_ONCE = 5


def enter_namespace():
    """Run this program again, as root of new namespaces, whose processes end with it."""
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child",
                          "--mount-proc", sys.executable, *sys.argv])


def isolate(directory):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    hosts = Path(directory) / "hosts"
    places = [place_of(number) for number in range(len(SERVERS))]
    hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{place.address} {place.name}\n" for place in places))
    subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)


def is_member(fact):
    """A suite of a version, or a group, of which a program lists those that it found."""
    scope, _, item = fact.partition(" ")
    return bool(item) and scope in (*facts.VERSIONS, "group")


class Comparison:
    def __init__(self, build, directory, started):
        self.build, self.directory, self.started = build, directory, started
        self.counts, self.differences = Counter(), []
        self._occurred = set()  # rows of KNOWN, each with a server

    def check(self, server, place):
        try:
            sides = self._run(server, place)
        except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            self.differences.append(f"{server.title}: {type(error).__name__}: {error}")
            return
        ours = sides.pop("tls-check")
        for program, theirs in sides.items():
            self._compare(server, program, ours, theirs)
        print(f"tls-tools: {server.title}: done", flush=True)

    def _run(self, server, place):
        result = programs.run_tls_check(self.build, place, self.started.ca_file)
        names = {suite["name"]: suite["id"] for suite in result["cipher_suites"]}
        sides = {"tls-check": facts.read_tls_check(result)}
        if server.has_sslscan:
            sides["sslscan"] = facts.read_sslscan(*programs.run_sslscan(place, self.directory))
        findings = programs.run_testssl(place, self.started.ca_file, server.parts, self.directory)
        sides["testssl"] = facts.read_testssl(findings, server.parts, names)
        return sides

    def _compare(self, server, program, ours, theirs):
        for fact in sorted((ours.keys() | theirs.keys()) - {"scopes"}):
            if is_member(fact):
                here, there = ours.get(fact, False), theirs.get(fact, False)
                is_run = fact.split()[0] in theirs["scopes"]
            else:
                here, there = ours.get(fact, NOT_REPORTED), theirs.get(fact, NOT_REPORTED)
                is_run = program != "testssl" or facts.is_part_run(fact, server.parts)
            if not is_run:
                self.counts["left out"] += 1
                continue
            self._count(server.title, program, fact, here, there)

    def _count(self, title, program, fact, here, there):
        if NOT_REPORTED not in (here, there):
            self.counts[program] += 1
        if here == there:
            self.counts["equal"] += 1
            return
        known = next((each for each in KNOWN if each.applies(program, title, fact, here, there)), None)
        if known:
            self._occurred |= {(known, title), (known, None)}
            self.counts[NOT_REPORTED if there == NOT_REPORTED else known.kind] += 1
        else:
            self.differences.append(f"{title}: {fact}: tls-check says {here}, {program} {there}")

    def outdated(self):
        """What KNOWN lists and no server has."""
        return [f"{title or 'any server'}: {each.fact}: known.py lists a difference of {each.program} that does not"
                f" occur: {each.reason}"
                for each in KNOWN for title in each.servers or (None,) if (each, title) not in self._occurred]


def run(options, directory):
    isolate(directory)
    started = Servers(directory)
    chosen = [(server, place_of(number)) for number, server in enumerate(SERVERS)
              if not options.only or server.title in options.only]
    comparison = Comparison(options.build.resolve(), directory, started)
    try:
        for server, place in chosen:
            server.start(started, place)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda pair: comparison.check(*pair), chosen))
    finally:
        started.stop()
    return comparison, len(chosen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--only", metavar="TITLE", action="append", default=[], help="a server; may be repeated")
    options = parser.parse_args()
    if INSIDE not in os.environ:
        enter_namespace()
    with tempfile.TemporaryDirectory() as directory:
        comparison, count = run(options, directory)
    counts, differences = comparison.counts, comparison.differences
    if not options.only:
        differences += comparison.outdated()
    for difference in sorted(differences):
        print(f"tls-tools: {difference}")
    compared = counts["sslscan"] + counts["testssl"]
    print(f"tls-tools: {count} servers, {compared} facts compared ({counts['testssl']} of testssl.sh,"
          f" {counts['sslscan']} of sslscan): {counts['equal']} equal; explained differences: {counts['meaning']} of another"
          f" meaning, {counts['not tested']} not tested there, {counts['fault']} faults of the others;"
          f" {len(differences)} errors; {counts[NOT_REPORTED]} facts that the others do not report,"
          f" {counts['left out']} left out to save time")
    is_whole = options.only or (count >= SERVERS_MIN and compared >= FACTS_MIN)
    return 0 if is_whole and not differences else 1


if __name__ == "__main__":
    sys.exit(main())
