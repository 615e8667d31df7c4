"""tests/check/fuzz.py - every fuzz target searches for inputs that break a promise.

    /usr/bin/python3 tests/check/fuzz.py [--build build-fuzz] [--seconds 20] [--seed N] [TARGET...]

needs a build directory for libFuzzer (docs/develop/testing.md), and builds the targets in it. Each
starts from its corpus, which does not change, with a seed that is new and printed. As many run at
once as there are processors. With the same seed, a target tries the same inputs in the same order.
An input that crashes, runs for 20 s or takes 2 GB is kept in BUILD/fuzz-findings, with the output.
"""

import argparse
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INPUT_MAX_S = 20  # with sanitizers, on a machine that is busy
MEMORY_MAX_MB = 2048


def targets_of(build):
    """{target: the folder of its seeds}, from the tests that replay the seeds"""
    tests = json.loads(subprocess.run(["meson", "introspect", "--tests", build], capture_output=True, text=True,
                                      check=True).stdout)
    return {test["name"]: test["cmd"][1] for test in tests if any(suite.endswith(":fuzz") for suite in test["suite"])}


def program(target):
    return f"tests/fuzz/fuzz-{target}"


def search(build, target, seeds, seed, seconds):
    """Whether a target held for this long."""
    findings = build / "fuzz-findings"
    findings.mkdir(exist_ok=True)
    log = findings / f"{target}.log"
    with tempfile.TemporaryDirectory(prefix="tollgate-fuzz-") as found, log.open("wb") as output:
        status = subprocess.run(
            [build / program(target), f"-seed={seed}", f"-max_total_time={seconds}",
             f"-timeout={INPUT_MAX_S}", f"-rss_limit_mb={MEMORY_MAX_MB}", f"-artifact_prefix={findings}/{target}-",
             found, seeds], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    if status == 0:
        log.unlink()
    else:
        print(f"{target} failed: {log} and the inputs {findings}/{target}-*", flush=True)
    return status == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build-fuzz")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 32))
    parser.add_argument("targets", nargs="*")
    given = parser.parse_args()
    build = given.build.resolve()
    known = targets_of(build)
    if not known or not known.keys() >= set(given.targets):
        sys.exit(f"{build} has these targets: {', '.join(sorted(known))}")
    chosen = {name: known[name] for name in sorted(given.targets or known)}
    subprocess.run(["ninja", "-C", build, "--quiet", *map(program, chosen)], check=True)
    print(f"seed {given.seed}: {len(chosen)} targets, {given.seconds} s each", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        held = list(pool.map(lambda item: search(build, *item, given.seed, given.seconds), chosen.items()))
    print(f"seed {given.seed}: {sum(held)} of {len(held)} targets passed")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
