"""tests/check/fuzz.py - every fuzz target searches for inputs that break a promise.

    /usr/bin/python3 tests/check/fuzz.py [--build build-fuzz] [--seconds 20] [--seed N] [TARGET...]
    /usr/bin/python3 tests/check/fuzz.py --minutes 60 [--keep] [TARGET...]

needs a build directory for libFuzzer (docs/develop/testing.md), and builds the targets in it. As
many targets run at once as there are processors, from a seed that is new and printed. An input that
crashes, runs for 20 s or takes 2 GB is kept in BUILD/fuzz-findings, with the output.

--seconds: each target runs once, from its seeds in the tree. With the same --seed, it tries the
same inputs in the same order.

--minutes: targets run in turns. Every second turn is for the target whose last one found the most
new behaviour, compared with what is known of it; the others are shared equally. What they find
stays in BUILD/fuzz-corpora, where the next search goes on, without inputs that others replace.
--keep: adds to the seeds in the tree the inputs that reach other code than these.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INPUT_MAX_S = 20  # with sanitizers, on a machine that is busy
MEMORY_MAX_MB = 2048
TURN_S = 30
KEPT_MAX_BYTES = 8 << 10     # of an input that becomes a seed
SEEDS_MAX_BYTES = 5 << 20    # of all seeds in the tree
STATE = re.compile(rb"^#\d+\s+(?:INITED|NEW|REDUCE|pulse|RELOAD|DONE)\s.*?\bft: (\d+)", re.M)


def targets_of(build):
    """{target: the folder of its seeds}, from the tests that replay the seeds"""
    tests = json.loads(subprocess.run(["meson", "introspect", "--tests", build], capture_output=True, text=True,
                                      check=True).stdout)
    return {test["name"]: Path(test["cmd"][1]) for test in tests
            if any(suite.endswith(":fuzz") for suite in test["suite"])}


def program(target):
    return f"tests/fuzz/fuzz-{target}"


def run(build, target, *arguments):
    """Run a target. Returns its output, or None if an input failed: then the output is kept."""
    findings = build / "fuzz-findings"
    findings.mkdir(exist_ok=True)
    log = findings / f"{target}.log"
    with log.open("wb") as output:
        status = subprocess.run(
            [build / program(target), f"-timeout={INPUT_MAX_S}", f"-rss_limit_mb={MEMORY_MAX_MB}",
             f"-artifact_prefix={findings}/{target}-", *arguments],
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    if status != 0:
        print(f"{target} failed: {log} and the inputs {findings}/{target}-*", flush=True)
        return None
    text = log.read_bytes()
    log.unlink()
    return text


def search(build, target, seeds, seed, seconds):
    """Whether a target held for this long, from its seeds alone."""
    with tempfile.TemporaryDirectory(prefix="tollgate-fuzz-") as found:
        return run(build, target, f"-seed={seed}", f"-max_total_time={seconds}", found, seeds) is not None


class Growing:
    """A target of a longer search, and what its turns have found."""

    def __init__(self, build, name, seeds):
        self.name, self.seeds = name, seeds
        self.found = build / "fuzz-corpora" / name
        self.found.mkdir(parents=True, exist_ok=True)
        self.build = build
        self.turns = 0
        self.new = 0            # behaviours that its turns have found
        self.found_last = 0     # of these, in its last turn
        self.growth = 1.0       # the share of its behaviours that was found in its last turn
        self.is_broken = False

    def take_turn(self, seed):
        output = run(self.build, self.name, f"-seed={seed}", f"-max_total_time={TURN_S}", self.found, self.seeds)
        self.turns += 1
        self.is_broken = output is None
        if output is not None:
            counts = [int(count) for count in STATE.findall(output)]
            self.found_last = counts[-1] - counts[0]
            self.new += self.found_last
            self.growth = self.found_last / max(1, counts[-1])

    def minimise(self):
        """Leave only found inputs that show behaviour which the smaller ones do not."""
        with tempfile.TemporaryDirectory(dir=self.found.parent, prefix=f"{self.name}-") as least:
            if run(self.build, self.name, "-merge=1", least, self.found) is None:
                self.is_broken = True
                return
            needed = {path.name for path in Path(least).iterdir()}
            for path in self.found.iterdir():
                if path.name not in needed:
                    path.unlink()

    def keep(self):
        """Add to the seeds the fewest found inputs that reach all code the found ones reach."""
        before = set(self.seeds.iterdir())
        if run(self.build, self.name, "-set_cover_merge=1", "-use_counters=0", self.seeds, self.found) is None:
            self.is_broken = True
            return
        for path in set(self.seeds.iterdir()) - before:
            if path.stat().st_size > KEPT_MAX_BYTES:
                path.unlink()


class Search:
    """Turns of all targets until the time is over."""

    def __init__(self, growing, seed, seconds):
        self._growing, self._seed = growing, seed
        self._ends = time.monotonic() + seconds
        self._mutex = threading.Lock()
        self._resting = set(growing)

    def _next(self):
        """The target that grew most or had the fewest turns, alternately: one with much to find
        would take all the time, and one whose last turn found nothing may have had bad luck."""
        with self._mutex:
            able = [target for target in self._resting if not target.is_broken]
            if not able or time.monotonic() >= self._ends:
                return None
            self._seed += 1
            by_growth = self._seed % 2 == 0
            best = min(able, key=lambda target: (-target.growth, target.turns, target.name) if by_growth
                       else (target.turns, -target.growth, target.name))
            self._resting.remove(best)
            return best, self._seed

    def _work(self):
        while turn := self._next():
            target, seed = turn
            target.take_turn(seed)
            with self._mutex:
                self._resting.add(target)
            if not target.is_broken:
                print(f"{target.name}: turn {target.turns} found {target.found_last} new, {target.new} in all", flush=True)

    def run(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for worker in [pool.submit(self._work) for _ in range(os.cpu_count())]:
                worker.result()


def seeds_bytes(known):
    return sum(path.stat().st_size for seeds in known.values() for path in seeds.iterdir())


def grow(given, build, known, chosen):
    """Whether all targets held, and the seeds have their size."""
    growing = [Growing(build, name, seeds) for name, seeds in chosen.items()]
    Search(growing, given.seed, given.minutes * 60).run()
    print("minimising what was found", flush=True)
    steps = [Growing.minimise] + [Growing.keep] * given.keep
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda target: [step(target) for step in steps if not target.is_broken], growing))
    held = [target for target in growing if not target.is_broken]
    size = seeds_bytes(known)
    print(f"{sum(target.turns for target in growing)} turns of {TURN_S} s found {sum(target.new for target in growing)} "
          f"new behaviours; {len(held)} of {len(growing)} targets passed; the seeds in the tree have {size >> 10} KiB")
    if size > SEEDS_MAX_BYTES:
        print(f"more than {SEEDS_MAX_BYTES >> 20} MiB: remove the largest seeds")
    return len(held) == len(growing) and size <= SEEDS_MAX_BYTES


def search_once(given, build, chosen):
    print(f"{len(chosen)} targets, {given.seconds} s each", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        held = list(pool.map(lambda item: search(build, *item, given.seed, given.seconds), chosen.items()))
    print(f"seed {given.seed}: {sum(held)} of {len(held)} targets passed")
    return all(held)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build-fuzz")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--minutes", type=int)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    parser.add_argument("targets", nargs="*")
    given = parser.parse_args()
    build = given.build.resolve()
    known = targets_of(build)
    if not known or not known.keys() >= set(given.targets):
        sys.exit(f"{build} has these targets: {', '.join(sorted(known))}")
    chosen = {name: known[name] for name in sorted(given.targets or known)}
    subprocess.run(["ninja", "-C", build, "--quiet", *map(program, chosen)], check=True)
    print(f"seed {given.seed}", flush=True)
    held = grow(given, build, known, chosen) if given.minutes else search_once(given, build, chosen)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
