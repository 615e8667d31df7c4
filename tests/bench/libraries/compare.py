"""tests/bench/libraries/compare.py - `make bench-tools`: the CPU time of each tool next to that of
the best library for the same work.

comparisons.yaml lists the comparisons, inputs.py makes their requests, and package-lock.json pins
the libraries of npm, which are installed into the build folder.

- A library runs in its own process and is warmed first. Both sides get the same requests, which
  neither has seen, in turns, in three sizes. A ratio is the middle one of the rounds.
- Both sides begin with the request's JSON text and end with the result's text. Only CPU time
  counts; that of Node.js includes its garbage collector and compiler.
- Programs that do one thing per process are measured without their start.
- Tools that connect to others run in their workers, against the simulated internet of the tests:
  outside.py.

`--write` replaces the table in docs/performance.md, or the rows of `--only`. Exit status 1 if a
ratio is below its goal and the comparison does not say why.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "deploy" / "local"), str(ROOT / "tests")]

import outside  # noqa: E402
from inputs import INPUTS, SIZES  # noqa: E402
from kit.contracts import CONTRACTS  # noqa: E402
from kit.network import own_network  # noqa: E402
from stack import interruptible  # noqa: E402

PROGRAMS = "tests/bench/libraries"
PAGE = ROOT / "docs" / "performance.md"
GOAL, GOAL_C = 3, 1  # a library of JavaScript, Python or Perl; one that is or wraps C
ROUNDS = 7
BATCH_S, BATCH_MIN, BATCH_MAX = 0.04, 2, 400  # of the slower side
WARM_S, WARM_CALLS = 2, 300  # until one of the two is reached
SEED = 1


class Peer:
    """A process that answers batches; libraries.mjs describes the protocol."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        encoding="utf-8", **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def spend(self, requests):
        """CPU seconds for all of them."""
        self.process.stdin.write(f"{len(requests)}\n" + "".join(f"{request}\n" for request in requests))
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"make bench-tools: {self.process.args} has ended")
        return float(line) / 1e9


class Qrencode:
    """Debian's program, once per request, without what it needs to start."""

    def __init__(self):
        self.start = statistics.median(self.cpu("-V") for _ in range(50))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @staticmethod
    def cpu(*arguments):
        process = subprocess.Popen(["qrencode", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"make bench-tools: qrencode {arguments} has failed")
        return used.ru_utime + used.ru_stime

    def spend(self, requests):
        given = [json.loads(request) for request in requests]
        return sum(self.cpu("-8", "-t", "SVG", "-o", "-", "-l", one["error_correction"], "--", one["text"]) - self.start
                   for one in given)


def install(build):
    folder = build / "bench-libraries"
    lock = (HERE / "package-lock.json").read_text()
    done = folder / "installed.json"
    if not done.exists() or done.read_text() != lock:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder,
                       check=True, timeout=900)
        done.write_text(lock)
    shutil.copy(HERE / "libraries.mjs", folder)
    return folder


def node(modules):
    """The pinned Node.js."""
    return next((modules / "node_modules").glob("node-linux-*/bin/node"))


def our_side(row, build):
    program = row.get("program", f"bench-{CONTRACTS[row['tool']]['group']}")
    return Peer(build / PROGRAMS / program, ROOT, row["tool"])


def their_side(modules, row, scratch):
    if row["library"] == "qrencode":
        return Qrencode()
    if row["library"] == "SpamAssassin":
        return Peer("perl", HERE / "spamassassin.pl", scratch)
    return Peer(node(modules), "libraries.mjs", row["library"], cwd=modules)


def requests_of(make, dice, size, count):
    return [json.dumps(make(dice, size), ensure_ascii=False) for _ in range(count)]


def warm(sides, make, dice, size):
    """Returns the calls of a batch: enough of the slower side for a time that can be measured."""
    calls, slowest, until = 0, 0, time.monotonic() + WARM_S
    while calls < WARM_CALLS and time.monotonic() < until:
        requests = requests_of(make, dice, size, BATCH_MIN)
        slowest = max(side.spend(requests) / BATCH_MIN for side in sides)
        calls += BATCH_MIN
    return max(BATCH_MIN, min(BATCH_MAX, int(BATCH_S / max(slowest, 1e-7))))


def compare(sides, make, dice, size):
    """Seconds a call of each side, and the ratios of the others to the first."""
    count = warm(sides, make, dice, size)
    rounds = []
    for number in range(ROUNDS):
        requests = requests_of(make, dice, size, count)
        order = list(range(len(sides)))[:: 1 if number % 2 else -1]
        spent = {side: sides[side].spend(requests) / count for side in order}
        rounds.append([spent[side] for side in range(len(sides))])
    seconds = [statistics.median(column) for column in zip(*rounds)]
    return seconds, [statistics.median(one[side] / one[0] for one in rounds) for side in range(1, len(sides))]


def measure(row, build, modules, scratch):
    """Adds to the row: our seconds by size, and the ratios by size if there is a library."""
    make = INPUTS[row.get("input", row["tool"])]
    dice = random.Random(SEED)
    row["seconds"], row["ratios"] = [], []
    with our_side(row, build) as ours:
        if "library" not in row:
            for size in range(len(SIZES)):
                row["seconds"].append(compare([ours], make, dice, size)[0][0])
            return
        with their_side(modules, row, scratch) as theirs:
            for size in range(len(SIZES)):
                seconds, ratios = compare([ours, theirs], make, dice, size)
                row["seconds"].append(seconds[0])
                row["ratios"].append(ratios[0])


def version(row):
    """Of the library: as package.json pins it, also for what is part of Node.js, or Debian's."""
    if "debian" in row:
        text = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", row["debian"]], capture_output=True, text=True, check=True)
        return text.stdout
    package = json.loads((HERE / "package.json").read_text())
    pinned = package["dependencies"] | package["optionalDependencies"]
    return ", ".join(pinned[name] for name in row["npm"].split())


def figure(number):
    """With two significant digits, as people write it."""
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}" if number >= 0.995 else f"{number:.2f}"


def times(seconds):
    return " · ".join(f"{1000 * one:.3f}" if one < 0.01 else f"{1000 * one:.1f}" for one in seconds)


def goal(row):
    return GOAL_C if row.get("c") else GOAL


def is_met(row):
    return "library" not in row or min(map(float, map(figure, row["ratios"]))) >= goal(row)


def table(rows):
    yield "| Tool | CPU ms | Library | Ratio | Goal | What differs |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        name = row["tool"] + (f", {row['what']}" if "what" in row else "")
        if "library" in row:
            ratios = " · ".join(map(figure, row["ratios"]))
            reached = f"≥ {goal(row)}" + ("" if is_met(row) else ", missed")
            yield (f"| {name} | {times(row['seconds'])} | {row['library']} {version(row)} | {ratios} | {reached} |"
                   f" {row['differs']}{' ' + row['missed'] if not is_met(row) and 'missed' in row else ''} |")
        else:
            yield f"| {name} | {times(row['seconds'])} | none | | | {row['none']} |"


def write(lines, replaces_all):
    """The table of the page; or only these rows of it."""
    def key(line):
        cells = line.split("|")
        return cells[1], re.sub(r" \d.*", "", cells[3])
    text = PAGE.read_text()
    begin = text.index("| Tool | CPU ms |")
    end = begin + re.search(r"\n(?!\|)", text[begin:]).start()
    rows = {} if replaces_all else {key(line): line for line in text[begin:end].splitlines()}
    rows.update((key(line), line) for line in lines)
    PAGE.write_text(text[:begin] + "\n".join(rows.values()) + text[end:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--only", nargs="+", help="these tools")
    parser.add_argument("--write", action="store_true", help="the table in docs/performance.md, or these rows of it")
    options = parser.parse_args()
    inside = own_network()
    if inside:
        os.execvp(inside[0], [*inside, sys.executable, *sys.argv])
    interruptible()
    build = options.build.resolve()
    rows = [row for row in yaml.safe_load((HERE / "comparisons.yaml").read_text())
            if not options.only or row["tool"] in options.only]
    modules = install(build)
    waiting = [row for row in rows if row.get("outside")]
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows:
            if not row.get("outside"):
                measure(row, build, modules, scratch)
                print(row["tool"], row.get("what", ""), times(row["seconds"]), " · ".join(map(figure, row["ratios"])), flush=True)
    if waiting:
        outside.measure(build, waiting)
    lines = list(table(rows))
    print("\n".join(lines))
    if options.write:
        write(lines, not options.only)
    return 0 if all(is_met(row) or "missed" in row for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
