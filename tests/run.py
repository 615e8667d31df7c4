"""tests/run.py - `make test`: pytest, while the programs of the other tests are compiled, and then
Meson's suites in each build; the last line has the total. With --group, `make test-group`: the same
for one group's tools, in one build.

Tests of both kinds wait for threads and sockets, so they do not run at the same time. Every row of
a table is a test: rows are counted, not executables. Any failure, and a step that ran nothing,
makes the exit status 1; the other steps still run.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kit.contracts import groups_of
from kit.network import own_network

ROOT = Path(__file__).resolve().parents[1]
XDIST_WORKERS = "8"  # they mostly wait
UNIT_PROCESSES = str(2 * max(2, os.cpu_count()))  # half of them wait
PATIENCE = "10"      # Meson's limits of time are for hangs, and a busy machine is slow


def compile_tests(builds):
    """Compile the tests' programs of these builds, in what time the black-box tests leave. What
    fails is compiled again, and told, by meson()."""
    for build in builds:
        subprocess.run(["nice", "-n", "10", "ninja", "-C", build, "meson-test-prereq"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def meson(build, suites):
    """Build and run suites of one build; returns (ok, rows that passed)."""
    log = build / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    selected = [word for suite in suites for word in ("--suite", suite)]
    done = subprocess.run(["meson", "test", "-C", build, "--print-errorlogs", "-t", PATIENCE,
                           "--num-processes", UNIT_PROCESSES, *selected])
    entries = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return done.returncode == 0, sum(map(passed_rows, entries))


def passed_rows(entry):
    """Rows of one executable, as cmocka prints them plainly or as TAP; 1 if it prints none."""
    rows = re.findall(r"^(?:\[ +(OK|FAILED|SKIPPED|ERROR) +\] \S|(ok|not ok) \d+.*?(# SKIP)?$)",
                      entry.get("stdout", ""), re.MULTILINE)
    if not rows:
        return int(entry["result"] == "OK")
    return sum((plain == "OK" or tap == "ok") and not skipped for plain, tap, skipped in rows)


def write_pages(build):
    """Write docs/tools/ with the responses of a stack of this build, and what the clients have of
    its OpenAPI document; returns the exit status."""
    return subprocess.run([*own_network(), sys.executable, "-m", "pytest", "-q", f"--build={build}", "--write-pages",
                           ROOT / "tests" / "api" / "test_pages.py",
                           ROOT / "tests" / "api" / "clients" / "test_client_generated.py"]).returncode


def pytest(build, *arguments):
    """Run black-box tests against a stack of this build; returns (ok, tests that passed)."""
    report = build / "pytest.xml"
    report.unlink(missing_ok=True)
    done = subprocess.run([*own_network(), sys.executable, "-m", "pytest", "-q", "-n", XDIST_WORKERS, "--dist",
                           "loadgroup", f"--junitxml={report}", f"--build={build}", *arguments])
    if not report.exists():
        return False, 0
    suite = ElementTree.parse(report).find("testsuite").attrib
    bad = sum(int(suite[key]) for key in ("failures", "errors", "skipped"))
    return done.returncode == 0, int(suite["tests"]) - bad


def black_box_while_compiling(builds, *arguments):
    """Run black-box tests; returns (ok, tests that passed)."""
    with ThreadPoolExecutor(max_workers=1) as other:
        other.submit(compile_tests, builds)
        return pytest(builds[0], *arguments)


def steps_of_all(build, build_san, build_tsan):
    """ThreadSanitizer's suite is a few programs, which it compiles itself."""
    folders = (ROOT / "tests" / "api", ROOT / "tests" / "faults")
    return [
        ("black box", lambda: black_box_while_compiling([build, build_san], f"--build-san={build_san}", *folders)),
        ("unit, lint and fuzz corpora", lambda: meson(build, ["unit", "lint", "fuzz"])),
        ("unit and fuzz corpora with sanitizers", lambda: meson(build_san, ["unit", "fuzz"])),
        ("threads under ThreadSanitizer", lambda: meson(build_tsan, ["tsan"])),
    ]


def steps_of_quick(build):
    """One build, and the black-box tests that use nothing but the shared stack."""
    return [
        ("black box", lambda: black_box_while_compiling([build], "--quick", ROOT / "tests" / "api")),
        ("unit, lint and fuzz corpora", lambda: meson(build, ["unit", "lint", "fuzz"])),
    ]


def compile_programs(build, programs):
    """Returns (ok, how many)."""
    return subprocess.run(["meson", "compile", "-C", build, *programs]).returncode == 0, len(programs)


def steps_of_group(build, group):
    """Its unit tests and fuzz corpora, its tools' cases and its other tests, on a stack with this
    group."""
    api = ROOT / "tests" / "api"
    tests = [path for path in (api / "test_cases.py", api / group) if path.exists()]
    programs = [f"svc-{name}" for name in sorted(groups_of(group))]
    return [
        ("programs", lambda: compile_programs(build, ["tollgate-gateway", "tollgate-portal", "tollctl", *programs])),
        ("unit and fuzz corpora", lambda: meson(build, [group])),
        ("black box", lambda: pytest(build, f"--group={group}", *tests)),
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--build-san", type=Path, default=ROOT / "build-san")
    parser.add_argument("--build-tsan", type=Path, default=ROOT / "build-tsan")
    parser.add_argument("--quick", action="store_true", help="the tests of one build that need seconds")
    parser.add_argument("--group", help="test this group's tools alone, in build")
    parser.add_argument("--write-pages", action="store_true", help="no tests: write docs/tools/ and the clients' types")
    options = parser.parse_args()
    build, build_san, build_tsan = (path.resolve() for path in (options.build, options.build_san, options.build_tsan))
    if options.write_pages:
        sys.exit(write_pages(build))
    steps = steps_of_group(build, options.group) if options.group else \
        steps_of_quick(build) if options.quick else steps_of_all(build, build_san, build_tsan)
    results = [(name, *step()) for name, step in steps]
    failed = [name for name, ok, count in results if not ok or count == 0]
    total = sum(count for _, _, count in results)
    parts = ", ".join(f"{count} {name}" for name, _, count in results)
    if failed:
        sys.exit(f"FAILED: {'; '.join(failed)}. {total} tests passed: {parts}")
    print(f"{total} tests passed: {parts}")


if __name__ == "__main__":
    main()
