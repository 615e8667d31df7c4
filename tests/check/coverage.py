"""tests/check/coverage.py - `make coverage`: how many branches of the paid path, the bus, the
network, the entry and the payments the tests take.

Runs the unit tests with the simulator and the black-box tests, or those of --black-box, in a build
with -Db_coverage=true, and prints branches and lines of each folder. What no test takes is in
coverage.txt of the build: the file, each line's number and text, and how many of its branches.

Failing asserts are not counted. Nor is what a killed process did: it writes its counts at its end.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["gateway/ledger", "gateway/dispatch", "gateway/call", "common/bus", "common/net", "portal/entry",
           "portal/payments"]
WORKERS = "4"


def run_tests(build, black_box):
    """Whether all passed."""
    for counts in build.rglob("*.gcda"):
        counts.unlink()
    units = subprocess.run(["meson", "test", "-C", build, "-t", "10", "--suite", "unit", "--print-errorlogs"])
    if not black_box:
        return units.returncode == 0
    boxes = subprocess.run([sys.executable, "-m", "pytest", "-q", "-c", ROOT / "tests/pytest.ini", "-n", WORKERS,
                            "--dist", "loadgroup", f"--build={build}", *black_box], cwd=ROOT)
    return units.returncode == boxes.returncode == 0


def measured(build):
    """The files of the folders as gcovr reports them."""
    report = build / "coverage.json"
    filters = [word for folder in FOLDERS for word in ("--filter", f"{folder}/")]
    subprocess.run(["gcovr", "--root", ROOT, "--object-directory", build, *filters, "--exclude-unreachable-branches",
                    "--json", report, build], cwd=ROOT, check=True)
    return [file for file in json.loads(report.read_text())["files"] if "/tests/" not in file["file"]]


class Count:
    """Branches and lines of a folder."""

    def __init__(self):
        self.branches = self.taken = self.lines = self.run = 0

    def add(self, line):
        """Counts a line of gcovr and returns how many of its branches are not taken."""
        missed = sum(branch["count"] == 0 for branch in line["branches"])
        self.branches += len(line["branches"])
        self.taken += len(line["branches"]) - missed
        self.lines += 1
        self.run += line["count"] > 0
        return missed

    def row(self, name):
        return (f"{name:20} {self.taken:5} of {self.branches:5} branches {100 * self.taken / max(1, self.branches):6.1f} %"
                f" {self.run:6} of {self.lines:5} lines {100 * self.run / max(1, self.lines):6.1f} %")


def missed_lines(file, count):
    """Yields (number, branches, text) of what no test takes, and counts the file."""
    text = (ROOT / file["file"]).read_text().splitlines()
    for line in file["lines"]:
        source = text[line["line_number"] - 1].strip()
        if line["gcovr/noncode"] or "assert(" in source:
            continue
        missed = count.add(line)
        if missed or line["count"] == 0:
            yield line["line_number"], missed, source


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build-cov", type=Path)
    parser.add_argument("--black-box", nargs="*", default=["tests/api", "tests/faults"],
                        help="files and folders of black-box tests; none: unit tests only")
    parser.add_argument("--report", action="store_true", help="report what an earlier run has counted")
    options = parser.parse_args()
    build = options.build.resolve()
    passed = options.report or run_tests(build, options.black_box)
    counts = {folder: Count() for folder in FOLDERS}
    with open(build / "coverage.txt", "w") as missed:
        for file in measured(build):
            folder = next(name for name in FOLDERS if file["file"].startswith(f"{name}/"))
            for number, branches, source in missed_lines(file, counts[folder]):
                missed.write(f"{file['file']}:{number}: {branches} branches: {source}\n")
    for folder, count in counts.items():
        print(count.row(folder))
    print(f"what no test takes: {build}/coverage.txt")
    sys.exit(not passed)


if __name__ == "__main__":
    main()
