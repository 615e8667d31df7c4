"""tests/kit/database/seeded.py - what random tests of a database begin with: a command line with a
seed, which is printed, and their own database."""

import argparse
import contextlib
import random
import tempfile
from pathlib import Path

from kit.database.scratch import ROOT, maker, own_cluster


def arguments(about, **options):
    """The command line: --build, --seed, and options as {name: the keywords of add_argument()}."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    for name, keywords in options.items():
        parser.add_argument(f"--{name}", **keywords)
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    return given


@contextlib.contextmanager
def own_database(build):
    """A migrated database in its own cluster."""
    with tempfile.TemporaryDirectory() as directory, own_cluster() as cluster:
        database = maker(cluster, build, Path(directory))()
        database.ask("db", "migrate")
        yield database
