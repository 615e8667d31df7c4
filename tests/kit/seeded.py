"""tests/kit/seeded.py - the command line of a random test: its own stack, and a seed that is
printed and can be given."""

import argparse
import random
import shutil
import tempfile
from pathlib import Path

from stack import Stack, interruptible

ROOT = Path(__file__).resolve().parents[2]


def main(about, name, seconds, run, **options):
    """Call run(stack, seed, seconds) on a stack with options; a failure keeps its logs."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--seconds", type=float, default=seconds)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    given = parser.parse_args()
    interruptible()
    print(f"seed {given.seed}", flush=True)
    directory = tempfile.mkdtemp(prefix=f"tollgate-{name}-")
    with Stack(directory, given.build, **options) as stack:
        try:
            run(stack, given.seed, given.seconds)
        except BaseException:
            print(f"seed {given.seed} failed, logs are in {stack.log_directory}", flush=True)
            raise
    stack.remove()
    shutil.rmtree(directory, ignore_errors=True)
    print(f"seed {given.seed} passed")
